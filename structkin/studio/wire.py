"""The data sent to the browser: plain data for JSON, lengths in the file's unit, angles in radians."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from structkin import budget, model
from structkin.branches.limits.result import Limits
from structkin.dynamics import Kinetostatics
from structkin.errors import InputError, Problem, StructkinError
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.model import Mechanism
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.show.motion_forces import effort_unit, usual_sizes
from structkin.show.style import GROUND, group_colour
from structkin.show.view import view
from structkin.solve import Motion
from structkin.structure import Group, KinematicStructure
from structkin.structure.explain import explain
from structkin.structure.inputs.ranked_inputs import InputRanking
from structkin.studio import faults
from structkin.studio.check import Check
from structkin.studio.document import Document

Frames = Mapping[str, tuple[float, float, float]]

#: Places at which the lift of a cam is shown.
LOOKS = 121
#: The commands that do the same without a limit.
COMMANDS = "`structkin limits` or `structkin assemblies` on it with --budget none"


def text(message: Mapping[str, Any]) -> str:
    """Return a message as it is sent; raise `ValueError` if it holds a number that JSON does not."""
    return json.dumps(message, allow_nan=False, separators=(",", ":"))


def problems(found: Iterable[Problem]) -> list[dict[str, str]]:
    """Return problems with their keys and hints."""
    return [{"key": one.key, "message": one.message, "hint": one.hint} for one in found]


def fault(error: Exception) -> dict[str, Any]:
    """Return the answer to a message that an error in the studio itself has ended."""
    return {"type": "fault", "problems": problems([faults.fault(error)])}


def failure(error: Exception) -> str:
    """Return why a search failed, on one line; the budget can be raised on the command line, not in a page."""
    if not isinstance(error, InputError):
        return str(error if isinstance(error, StructkinError) else faults.fault(error))
    found = [
        replace(one, message="the search is too long for the studio", hint=f"save the file and run {COMMANDS}")
        if budget.HINT in one.hint
        else one
        for one in error.problems
    ]
    return "; ".join(str(one) for one in found)


def sketch(document: Document) -> dict[str, Any]:
    """Return the sketch of the document, valid or not: places of points, points of links, lengths that are given."""
    return {
        "points": {name: [z.real, z.imag] for name, z in document.places.items()},
        "links": {name: document.members(name) for name in document.section("links")},
        "lengths": {key: document.length(value) for key, value in document.section("lengths").items()},
        "size": document.size,
        "unit": document.units.length,
        "angle": document.units.angle,
    }


def lifts(mechanism: Mechanism | None) -> dict[str, list[list[float]]]:
    """Return the lift of each cam with a law over its turn: angles and lifts in the file's units."""
    if mechanism is None:
        return {}
    units, turn, found = mechanism.units, np.linspace(0.0, 2.0 * np.pi, LOOKS), {}
    for id, cam in mechanism.joints.of(LawCam).items():
        size = units.length_scale if cam.moves.hinge is None else units.angle_scale
        found[id] = [(turn / units.angle_scale).tolist(), (cam.lift(turn) / size).tolist()]
    return found


def scene(check: Check, motion: Motion | None = None) -> tuple[dict[str, Any], dict[str, list[float]]] | None:
    """Return the scene of a document drawn for its sketch or a motion, and its frames; None without a mechanism.

    Links are as long as in the sketch, or as in the motion, where given lengths are exact.
    """
    if check.mechanism is None:
        return None
    if motion is not None:  # without the free coordinates, which are no drivers of the file
        motion = replace(motion, drivers={id: motion.drivers[id] for id in check.mechanism.drivers})
    found = view(check.mechanism, motion, structure=check.structure)
    kept = found.pop("samples")["frames"]
    return found, {link: [at["x"][0], at["y"][0], at["angle"][0]] for link, at in kept.items()}


def wide_scene(mechanism: Mechanism, structure: KinematicStructure | None, samples: int) -> dict[str, Any]:
    """Return the box of this many samples of the motion, and the scene with slots as long as they need, if it has any.

    Drivers are those of the sketch, since they may be dragged farther than they go by themselves.
    """
    found = view(mechanism, mechanism.solve(samples=samples), structure=structure)
    if not mechanism.joints.of(Guide):
        return {"box": found["box"], "scene": None}
    sketched = {shape["id"]: shape for shape in view(mechanism, structure=structure)["shapes"]}
    found["shapes"] = [
        sketched.get(shape["id"], shape) if shape["part"].startswith("driver:") else shape for shape in found["shapes"]
    ]
    del found["samples"]
    return {"box": found["box"], "scene": found}


def structure(check: Check) -> dict[str, Any] | None:
    """Return mobility and groups in solve order with their colours and descriptions; None without a mechanism."""
    found = check.structure
    if found is None:
        return None
    lines = [line for line in explain(found).splitlines() if not line.startswith("!")]
    return {
        "mobility": found.mobility,
        "words": found.mobility_in_words,
        "solvable": check.solvable,
        "missing": found.missing_drivers,
        "groups": [_group(group, line) for group, line in zip(found.groups, lines, strict=True)],
        "colours": colours(found),
        "under": list(found.under),
        "redundant": [{"id": one.id, "kind": one.kind} for one in found.over],
        "joints": [{"id": one.id, "kind": one.kind, "links": list(one.links)} for one in found.topology.joints],
        "drivers": [{"id": one.id, "kind": one.kind, "joint": one.joint, "links": list(one.links)}
                    for one in found.topology.drivers],
    }  # fmt: skip


def colours(found: KinematicStructure) -> dict[str, str]:
    """Return the colour of each link."""
    ground = found.topology.ground
    homes = {link: found.group_of(link) for link in found.topology.links}
    return {link: GROUND if link == ground else group_colour(None if home is None else home.index)
            for link, home in homes.items()}  # fmt: skip


def _group(group: Group, words: str) -> dict[str, Any]:
    return {
        "index": group.index,
        "kind": group.kind,
        "links": list(group.links),
        "joints": list(group.joints),
        "drivers": list(group.drivers),
        "class": group.class_,
        "depends_on": list(group.depends_on),
        "colour": group_colour(group.index),
        "words": words.partition(". ")[2],
    }


def frames(mechanism: Mechanism, found: Frames) -> dict[str, list[float]]:
    """Return the frames of moving links: origin in the file's unit, and angle [rad]."""
    scale = mechanism.units.length_scale
    return {link: [x / scale, y / scale, angle] for link, (x, y, angle) in found.items()}


def values(mechanism: model.Mechanism, found: Mapping[str, float]) -> dict[str, float]:
    """Return drivers' values in the units of the file."""
    units = mechanism.units
    kinds = {id: drive.kind for id, drive in mechanism.drivers.items()}
    return {id: z / (units.angle_scale if kinds[id] == "angle" else units.length_scale) for id, z in found.items()}


def ranking(found: InputRanking) -> dict[str, Any]:
    """Return the choices of inputs, the simplest structure first, and the extent of the search in words."""
    choices = [
        {
            "label": choice.label,
            "own": choice.is_own,
            "complete": choice.is_complete,
            "class": choice.highest_class,
            "largest": choice.largest,
            "groups": choice.n_groups,
            "depth": choice.depth,
            "grounded": choice.is_grounded,
            "drivers": [{"joint": one.joint, "links": list(one.links), "kind": one.kind} for one in choice.drivers],
        }
        for choice in found.choices
    ]
    return {"list": choices, "words": found.summary}


def efforts(found: Kinetostatics) -> list[dict[str, Any]]:
    """Return the force or moment of each driver [N or N m]; null where it is not determined."""
    m, usual = found.motion.mechanism, usual_sizes(found)
    shown = []
    for id in m.drivers:
        unit = effort_unit(m, id)
        value = float(found.driver(id)[0])
        value = 0.0 if abs(value) <= NEGLIGIBLE * usual[unit] else value
        shown.append({"driver": id, "value": value if math.isfinite(value) else None, "unit": unit})
    return shown


def limits(found: Limits) -> dict[str, Any]:
    """Return how far a driver can move, in the file's units, with the reasons."""
    return {
        "driver": found.driver,
        "turns": found.turns_fully,
        "lower": _end(found, found.lower),
        "upper": _end(found, found.upper),
        "report": found.report,
    }


def _end(found: Limits, end: Any) -> dict[str, Any] | None:
    if end is None:
        return None
    (value,) = values(found.mechanism, {found.driver: end.value}).values()
    return {"value": value, "radians": end.value, "words": found.words(end.value), "why": end.why}
