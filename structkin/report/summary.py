"""A mechanism in a few facts, the ranges of its motion, and what it was made from, as written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.branches.four_bar import impossible_loops
from structkin.dynamics.simulation import Simulation
from structkin.model.mechanism import Mechanism
from structkin.model.units import decimal
from structkin.report.numbers import extreme, plain
from structkin.report.rates import in_one_unit, left_out, shown_links, shown_points, usual_omega
from structkin.show.motion_plot import abscissa
from structkin.solve import Motion
from structkin.structure import KinematicStructure
from structkin.types import Floats
from structkin.version import __version__

# --- what it was made from -----------------------------------------------------------------------------------------

#: The sections of a mechanism file that are shown, in this order, with their titles.
_TITLES = {
    "points": "Points of the sketch",
    "lengths": "Exact lengths",
    "links": "Links",
    "joints": "Joints beside pins",
    "drivers": "Drivers",
    "forces": "Loads",
    "initial": "Initial values",
}

#: A number in a text with more decimals than are shown.
_LONG = re.compile(r"(?<![\w.])\d*\.\d{7,}(?:[eE][-+]?\d+)?")

#: Rows of a list that are shown, such as those of a table; the number of the others is said.
MOST = 6


def inputs(mechanism: Mechanism) -> list[dict[str, Any]]:
    """Return a table for each section: its title, and rows of a name and what is given, in the units of the file."""
    units = mechanism.units
    in_units = {"points": f" [{units.length}]", "lengths": f" [{units.length}]"}
    return [
        {"title": title + in_units.get(name, ""), "rows": [[key, _words(value)] for key, value in entries.items()]}
        for name, title in _TITLES.items()
        if (entries := mechanism.source_dict.get(name))
    ]


def _words(value: Any) -> str:
    """Return a value in words.

    >>> _words({"points": ["A", "B"], "mass": 0.6, "center": [28, 20.5], "speed": "1.5707963267948966 rad/s"})
    'points A, B; mass 0.6; center 28, 20.5; speed 1.5708 rad/s'
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_words(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        nested = any(isinstance(part, list | tuple | Mapping) for part in value)
        parts = [f"({_words(part)})" if isinstance(part, list | tuple | Mapping) else _words(part) for part in value]
        more = len(parts) - MOST if nested else 0
        return ", ".join(parts if more <= 0 else [*parts[:MOST], f"and {more} more"])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return decimal(value, 6)
    return _LONG.sub(lambda number: decimal(float(number[0]), 6), str(value))


# --- facts and ranges ----------------------------------------------------------------------------------------------


def summary(mechanism: Mechanism, structure: KinematicStructure, motion: Motion | None, source: str) -> dict[str, Any]:
    """Return the facts of a mechanism, the status of its motion, and the problems of its structure."""
    topology = structure.topology
    kinds = Counter(joint.kind for joint in topology.joints)
    multiple = sum(len(joint.links) > 2 for joint in topology.joints)
    words = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    facts = [
        ["links", f"{len(topology.links)} with the ground"],
        ["joints", f"{len(topology.joints)} ({words})" + (f", {multiple} of them multiple" if multiple else "")]
        if words
        else ["joints", "none"],
        ["mobility", structure.mobility_in_words.removeprefix("mobility ")],
        ["drivers", ", ".join(mechanism.drivers) or "none"],
        ["groups", ", ".join(group.kind for group in structure.groups) or "none"],
    ]
    problems = [str(problem) for problem in structure.diagnostics]
    if motion is not None and not motion.ok.all():
        problems += impossible_loops(mechanism)
    stopped = motion.stopped if isinstance(motion, Simulation) else ""
    problems += [f"The simulation stopped at {stopped}"] if stopped else []
    return {
        "facts": facts,
        "status": motion.report.splitlines() if motion is not None else [],
        "ok": bool(motion is not None and motion.ok.all() and not stopped),
        "problems": problems,
        "source": source,
        "program": f"structkin {__version__}",
    }


def ranges(motion: Motion) -> dict[str, Any]:
    """Return for each point and link the range of its motion, and its largest rates with their x."""
    measures = in_one_unit(motion)
    x = abscissa(motion, measures).values

    def span(values: Floats, quantity: str) -> list[float | None]:
        good = values[np.isfinite(values)]
        ends = [good.min(), good.max()] if len(good) else [np.nan, np.nan]
        return plain(ends, measures.size(quantity), motion.size if quantity == "length" else 1.0)

    def peak(values: Floats, quantity: str, usual: float = 0.0) -> list[float | None]:
        at = extreme(values, x)
        if at is None:
            return [None, None]
        [largest] = plain([at[0]], measures.size(quantity), usual)
        return [largest, *plain([at[1]])] if largest else [largest, None]

    points = []
    for name in shown_points(motion):
        place = motion.position(name)
        rates = (motion.velocity(name), motion.acceleration(name))
        v, a = (np.hypot(*values.T) for values in rates)
        points.append([name, *span(place[:, 0], "length"), *span(place[:, 1], "length"),
                       *peak(v, "speed"), *peak(a, "acceleration")])  # fmt: skip
    usual = usual_omega(motion)
    links = [
        [
            name,
            *span(motion.angle(name), "angle"),
            *peak(motion.omega(name), "omega", usual),
            *peak(motion.alpha(name), "alpha", 100.0 * usual**2),
        ]
        for name in shown_links(motion)
    ]
    return {"points": points, "links": links, "left_out": left_out(motion)}
