"""The circles and lines on which the unknowns of a simple group lie, in the letters of its file in `groups/`."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.plan.plan import Step
from structkin.report.numbers import short
from structkin.solve import Motion
from structkin.structure import Group


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
