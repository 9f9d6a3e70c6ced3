"""Driver efforts, joint reactions, shaking force and moment, energies, and the loads on links: where they act."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from structkin.dynamics import Kinetostatics
from structkin.dynamics.acting import Acting
from structkin.dynamics.bodies import mass_table
from structkin.dynamics.friction import lock_note
from structkin.dynamics.load_table import table_of
from structkin.errors import InputError
from structkin.model.forces import AppliedForce, Spring
from structkin.model.mechanism import GROUND
from structkin.numerical_tolerances import ROUNDING
from structkin.report.numbers import extreme, plain
from structkin.show.cylinders import cylinder_notes, cylinder_sign
from structkin.show.motion_forces import (
    MOST_JOINTS,
    bearing_links,
    effort_unit,
    forces_of,
    largest_reactions,
    thousands,
    usual_sizes,
)
from structkin.show.motion_plot import abscissa, mean
from structkin.show.quantities import first_peak, largest, measures_of
from structkin.solve import Motion
from structkin.types import Floats

#: A force on a link: its id, the link, the place (n, 2) [m] and the force (n, 2) [N] in global axes.
Load = tuple[str, str, Floats, Floats]


def applied(motion: Motion) -> list[Load]:
    """Return the applied forces and those of springs on moving links along a motion."""
    m, found = motion.mechanism, []
    for load in m.forces.loads.values():
        if isinstance(load, AppliedForce | Spring):
            table = table_of(m, [load])
            found += [
                (load.id, link, motion.position(place, link), force.T)
                for (link, place), force in zip(table.places, Acting(motion, table).forces({}, {}), strict=True)
                if place is not None and link != GROUND
            ]
    return found


def weights(motion: Motion) -> list[Load]:
    """Return the weights of the moving links."""
    m = motion.mechanism
    gravity = np.array((m.forces.gravity.real, m.forces.gravity.imag))
    return [
        ("weight", body.link, motion.position(body.center, body.link), np.tile(body.mass * gravity, (len(motion), 1)))
        for body in mass_table(m)
        if body.mass and gravity.any()
    ]


def pin_forces(found: Kinetostatics, driver: str) -> list[Load]:
    """Return the forces of a driven distance on the links, or the shared pins, at its ends; of other drivers none."""
    motion, ends = found.motion, found.motion.mechanism.drivers[driver].ends
    if ends is None:
        return []
    p, q = (motion.position(point) for _, point in ends)
    push = found.driver(driver)[:, None] * (q - p) / np.hypot(*(q - p).T)[:, None]
    pins = {joint.id for joint in motion.mechanism.topology.joints}
    on = [point if point in pins else link for link, point in ends]
    return [(driver, on[0], p, -push), (driver, on[1], q, push)]


#: A joint, a link, and the force (n, 2) [N] of the joint on it.
Reaction = tuple[str, str, Floats]


def forces(motion: Motion) -> dict[str, Any] | None:
    """Return the forces of a motion; None if there are no masses and loads, or no sample has forces.

    If they cannot be found, for instance without the rates of the drivers, the notes say why and the rest is empty.
    """
    try:
        found = forces_of(motion)
    except InputError as error:
        return _none([str(problem) for problem in error.problems])
    if found is None:
        return None
    m = motion.mechanism
    reactions = reactions_of(found)
    if not any(np.isfinite(force).any() for _, _, force in reactions):
        note = lock_note(found)
        return _none([note]) if note else None
    x = abscissa(motion, measures_of(m)).values
    rows = _rows(found, reactions, applied(motion))
    # one unit for all forces of the page, and one for all moments
    top = {unit: max(largest(values) for _, values, of in rows if of == unit) for unit in ("N", "N m")}
    usual = usual_sizes(found)
    left_out = f", the {MOST_JOINTS} largest" if len(reactions) > MOST_JOINTS else ""
    panels = [
        _efforts(found, "driver torque", "N m", usual, top),
        _efforts(found, "driver force", "N", usual, top),
        _panel(f"joint reaction{left_out}", "N", largest_reactions(found, " *"), usual, top),
    ]
    fx, fy = found.shaking_force.T
    on_ground = [("x", fx), ("y", fy), ("magnitude", np.hypot(fx, fy))]
    panels.append(_panel("force on the ground", "N", on_ground, usual, top))
    panels.append(_panel("moment on the ground", "N m", [("about the origin", found.shaking_moment)], usual, top))
    panels.append(_panel("power", "W", [*((id, found.driver_power(id)) for id in m.drivers),
                                        ("loads", found.applied_power)], usual))  # fmt: skip
    panels.append(_panel("kinetic energy", "J", [("of all links", found.kinetic_energy)], {"J": 0.0}))
    return {
        "panels": [panel for panel in panels if panel],
        "arrows": arrows_of(found),
        "table": _table(found, rows, usual, top, x),
        "hardest": hardest(found),
        "notes": _notes(found),
        "locked": lock_note(found),
    }


def arrows_of(found: Kinetostatics) -> list[dict[str, Any]]:
    """Return the forces on links as arrows: those of joints and cylinders, and those of springs, loads and weights."""
    motion = found.motion
    joints = [(joint, link, found.reaction_place(joint, link), force) for joint, link, force in reactions_of(found)]
    joints += [end for id in motion.mechanism.drivers for end in pin_forces(found, id)]
    return [
        _arrow(motion, kind, *load)
        for kind, loads in (("joint", joints), ("applied", [*applied(motion), *weights(motion)]))
        for load in loads
    ]


def _none(notes: list[str]) -> dict[str, Any]:
    """Return that there are no forces, and why."""
    return {"panels": [], "arrows": [], "table": [], "hardest": None, "notes": notes, "locked": ""}


def hardest(found: Kinetostatics) -> dict[str, Any] | None:
    """Return the joint with the largest force, as the table names it, and its sample: the hardest pose of a motion."""
    peaks = [(name, k, size[k]) for name, size in _sizes(found, reactions_of(found))
             if (k := first_peak(size)) is not None]  # fmt: skip
    if not peaks:
        return None
    name, k, _ = max(peaks, key=lambda peak: peak[-1])
    return {"name": name, "sample": k}


def _sizes(found: Kinetostatics, reactions: list[Reaction]) -> list[tuple[str, Floats]]:
    """Return the sizes (n,) [N] of the forces at joints, and at the pins of the drivers that set a distance."""
    sizes = [(joint if x == GROUND else f"{joint} on {x}", np.hypot(*force.T)) for joint, x, force in reactions]
    for id, drive in found.motion.mechanism.drivers.items():
        if pins := [point for _, point in drive.ends or ()]:
            sizes.append((f"{' and '.join(pins)}, pins of {id}", np.abs(found.driver(id))))
    return sizes


def reactions_of(found: Kinetostatics) -> list[Reaction]:
    """Return the forces on links at the joints."""
    return [(joint, link, found.reaction(joint, link)) for joint, link in bearing_links(found.motion.mechanism)]


def _arrow(motion: Motion, kind: str, id: str, link: str, place: Floats, force: Floats) -> dict[str, Any]:
    unit = motion.mechanism.units.scale("length")
    x, y = (plain(values, unit, motion.size) for values in place.T)
    return {"kind": kind, "joint": id, "link": link, "x": x, "y": y,
            "fx": plain(force[:, 0]), "fy": plain(force[:, 1])}  # fmt: skip


def _efforts(
    found: Kinetostatics, title: str, unit: str, usual: Mapping[str, float], top: Mapping[str, float]
) -> dict[str, Any] | None:
    m = found.motion.mechanism
    return _panel(title, unit, [(id, found.driver(id)) for id in m.drivers if effort_unit(m, id) == unit], usual, top)


def _panel(
    title: str,
    unit: str,
    curves: list[tuple[str, Floats]],
    usual: Mapping[str, float],
    top: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Any] | None:
    """Return curves of one unit, in thousands if they, or the largest of the unit, are large; None if all are zero.

    Below small parts of the `usual` magnitude of its unit there is only rounding.
    """
    peak = max((largest(values) for _, values in curves), default=0.0)
    if peak <= ROUNDING * usual[unit]:
        return None
    size, words = thousands(unit, top.get(unit, peak))
    return {
        "title": title,
        "unit": words,
        "curves": [{"name": name, "values": plain(values, size, peak)} for name, values in curves],
    }


def _rows(found: Kinetostatics, reactions: list[Reaction], loads: list[Load]) -> list[tuple[str, Floats, str]]:
    """Return name, values (n,) and unit of what drivers and joints bear, of loads, and of what the ground bears."""
    m = found.motion.mechanism
    rows = [(f"driver {id}", found.driver(id), effort_unit(m, id)) for id in m.drivers]
    rows += [(name, size, "N") for name, size in _sizes(found, reactions)]
    rows += [
        (f"{'spring' if isinstance(m.forces.loads[id], Spring) else 'applied'} {id} on {link}", np.hypot(*force.T), "N")
        for id, link, _, force in loads
    ]
    ground = ("on the ground", np.hypot(*found.shaking_force.T), "N")
    return [*rows, ground, ("on the ground, moment", found.shaking_moment, "N m")]


def _table(
    found: Kinetostatics,
    rows: list[tuple[str, Floats, str]],
    usual: Mapping[str, float],
    top: Mapping[str, float],
    x: Floats,
) -> list[list[Any]]:
    """Return rows: name, value of the largest magnitude, unit with "push" or "pull" of a cylinder, its x, mean."""
    m = found.motion.mechanism
    signs = {f"driver {id}": cylinder_sign(m, id) for id in m.drivers}
    table: list[list[Any]] = []
    for name, values, unit in rows:
        at = extreme(values, x)
        if at is not None:
            size, words = thousands(unit, top[unit])
            peak, middle = (plain([value], size, usual[unit])[0] for value in (at[0], mean(found.motion, values)))
            if peak and (sign := signs.get(name, 0)):
                words += ", push" if sign * peak > 0 else ", pull"
            table.append([name, peak, words, *(plain([at[1]]) if peak else [None]), middle])
    return table


def _notes(found: Kinetostatics) -> list[str]:
    notes = [*found.notes, *cylinder_notes(found.motion.mechanism)]
    shared = [joint for joint, link in bearing_links(found.motion.mechanism) if not found.unique_force(joint, link)]
    if names := ", ".join(dict.fromkeys(shared)):
        notes.append(f"* joints are redundant ({names}): their forces are not unique; the smallest solution is shown")
    return notes
