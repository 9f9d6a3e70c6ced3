"""The solution step by step: the inputs of each group, the loci of its unknowns, and its other modes.

The loci of a simple group are circles and lines, in the letters of its file in `groups/`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.plan.plan import Step
from structkin.report.modes import Frames, followed, others
from structkin.report.numbers import plain, short
from structkin.solve import Motion
from structkin.structure import Group
from structkin.structure.reasons import reason

# --- circles and lines ---------------------------------------------------------------------------------------------


def loci_of(motion: Motion, group: Group) -> list[dict[str, Any]]:
    """Return circles {"x", "y", "r"} and lines {"x", "y", "dx", "dy"} at all samples, in the file's unit of length.

    For a dyad they are the loci of its unknown pin, for a driven link the paths of its points; other groups have none.
    """
    if group.class_ == "I":
        return _driven(motion, group)
    steps = [step for step in motion.plan.steps if step.group == group.index]
    dyads = [step for step in steps if getattr(step.kind, "name", "") in _FORMS]
    # a dyad inside a composite link is closed first
    return _FORMS[getattr(dyads[-1].kind, "name", "")](motion, dyads[-1]) if dyads else []


def _driven(motion: Motion, group: Group) -> list[dict[str, Any]]:
    m = motion.mechanism
    joint = group.joints[0]
    if group.kind != "driven R" or joint not in m.places:
        return []
    at = motion.position(joint)
    local = m.links[group.links[0]].local
    reaches = {round(abs(place - local[joint]), 12) for place in local.values()} - {0.0} if joint in local else set()
    return [_circle(motion, at.T, reach) for reach in sorted(reaches)[-2:]]


def _rrr(motion: Motion, step: Step) -> list[dict[str, Any]]:
    A, B, l1, l2 = _inputs(motion, step)
    return [_circle(motion, A, np.sqrt(2 * l1)), _circle(motion, B, np.sqrt(2 * l2))]


def _rrp(motion: Motion, step: Step) -> list[dict[str, Any]]:
    A, lam, G, D, e = _inputs(motion, step)
    return [_circle(motion, A, np.sqrt(2 * lam)), _line(motion, G, D, e)]


def _rpr(motion: Motion, step: Step) -> list[dict[str, Any]]:
    A, B, e, _ = _inputs(motion, step)
    (D,) = motion.plan.outputs(step, motion.lanes.x[0])
    tangent = [_circle(motion, B, np.abs(e))] if np.max(np.abs(e)) > NEGLIGIBLE * motion.size else []
    return [*tangent, _line(motion, A, D, 0.0)]


def _two_lines(motion: Motion, step: Step) -> list[dict[str, Any]]:
    G1, D1, e1, G2, D2, e2 = _inputs(motion, step)
    return [_line(motion, G1, D1, e1), _line(motion, G2, D2, e2)]


_FORMS = {"RRR": _rrr, "RRP": _rrp, "RPR": _rpr, "PRP": _two_lines, "RPP": _two_lines}


def _inputs(motion: Motion, step: Step) -> tuple[Any, ...]:
    return motion.plan.inputs(step, motion.lanes.x[0])


def _circle(motion: Motion, centre: Any, radius: Any) -> dict[str, Any]:
    unit = motion.mechanism.units.scale("length")
    return {"x": short(centre[0], unit), "y": short(centre[1], unit), "r": short(radius, unit)}


def _line(motion: Motion, place: Any, along: Any, left: Any) -> dict[str, Any]:
    """Return the line along a direction, at a distance to the left of a place."""
    unit = motion.mechanism.units.scale("length")
    x, y = place[0] - left * along[1], place[1] + left * along[0]
    return {"x": short(x, unit), "y": short(y, unit), "dx": short(along[0]), "dy": short(along[1])}


# --- steps ---------------------------------------------------------------------------------------------------------

#: The most modes of a group that are shown.
MOST = 24


def steps(motion: Motion) -> dict[str, Any] | None:
    """Return a step for each group; None if no sample has a pose."""
    if not motion.regular.any():
        return None
    sample = int(np.argmax(motion.regular))
    return {"sample": sample, "groups": [_step(motion, group, sample) for group in motion.structure.groups]}


def _step(motion: Motion, group: Group, sample: int) -> dict[str, Any]:
    m = motion.mechanism
    outer = [id for id, _ in group.exterior]
    inner = [id for id in group.joints if id not in outer and id in m.places]
    found: dict[str, Any] = {
        "reason": reason(motion.structure, group),
        "joints": list(group.joints),
        "drivers": list(group.drivers),
        "points": [point for point in m.places if any(point in m.links[link].local for link in group.links)],
        "inputs": [{"id": id, "from": feeder, "point": id if id in m.places else None}
                   for id, feeder in group.exterior if id not in group.drivers],
        "found": [*inner, *(pin for pin in group.pins if pin in m.places and pin not in inner)],
        "loci": loci_of(motion, group),
    }  # fmt: skip
    modes = followed(motion, group)
    found["live"] = modes is not None
    if modes is not None:
        found["modes"] = [plain_frames(motion.mechanism, mode) for mode in modes]
    elif group.class_ != "I":
        modes, note = others(motion, group, sample)
        found["modes"] = [plain_frames(motion.mechanism, mode) for mode in modes[:MOST]]
        if len(modes) > MOST:
            note = "; ".join(filter(None, [note, f"{MOST} of {len(modes)} other modes are shown"]))
        if note:
            found["note"] = note
    return found


def plain_frames(mechanism: Mechanism, frames: Frames) -> dict[str, Any]:
    """Return x, y and angle of links, as a view has them."""
    unit = mechanism.units.scale("length")
    return {
        link: {"x": plain(origin.real, unit), "y": plain(origin.imag, unit), "angle": plain(np.angle(direction))}
        for link, (origin, direction) in frames.items()
    }
