"""The other assembly modes of one group, while all groups before it stay in the modes of the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.branches.assemblies.choices import Choices, choices_of
from structkin.branches.assemblies.wheels import whole_turns
from structkin.joints.poses import Plane
from structkin.solve import Motion
from structkin.solve.engine import Lanes
from structkin.structure import Group

#: Origin and direction (n,) of links.
Frames = Mapping[str, tuple[Plane, Plane]]

#: Modes nearer to the motion's own than this fraction of the mechanism's size count as the same.
SAME = 1e-6


def mirrored(motion: Motion, group: Group) -> Frames | None:
    """Return the links of a group at all samples in its other mode; None unless it has two, by one root."""
    plan = motion.plan
    indices = [k for k, step in enumerate(plan.steps) if step.group == group.index]
    roots = [k for k in indices if plan.steps[k].has_root]
    if len(roots) != 1 or not group.links:
        return None
    x = motion.lanes.x[0].copy()
    for k in indices[indices.index(roots[0]) :]:
        step = plan.steps[k]
        h = plan.inputs(step, x)
        with np.errstate(all="ignore"):
            if not step.kind.closed_form:
                return None
            if k == roots[0]:
                root: Any = -step.kind.side(h, plan.outputs(step, x))
            else:
                margin = step.kind.margin(h)
                root = 0.0 if margin is None else np.sqrt(np.abs(margin))
            _put(motion, x, k, step.kind.position(h, root))
    return _frames(motion, x, group)


def others(motion: Motion, group: Group, sample: int) -> tuple[list[Frames], str]:
    """Return all other modes of a group at one sample, and a note on them, such as "not enumerated"."""
    plan = motion.plan
    poses, note = [motion.lanes.x[0][:, [sample]].copy()], ""
    for k, step in enumerate(plan.steps):
        if step.group != group.index:
            continue
        grown: list[NDArray[np.float64]] = []
        for x in poses:
            found: Choices = choices_of(step, plan.inputs(step, x), whole_turns(plan, k))
            note = found.note or note
            for choice in found.items:
                grown.append(x.copy())
                _put(motion, grown[-1], k, choice.outputs)
        poses = grown
    own = _frames(motion, motion.lanes.x[0][:, [sample]], group)
    return [frames for x in poses if _apart(frames := _frames(motion, x, group), own) > SAME * motion.size], note


def _put(motion: Motion, x: NDArray[np.float64], index: int, outputs: tuple[Any, ...]) -> None:
    plan = motion.plan
    for slot, value in zip(plan.steps[index].outputs, outputs, strict=True):
        x[plan.rows(slot)] = np.reshape(value, (plan.widths[slot], -1))


def _frames(motion: Motion, x: NDArray[np.float64], group: Group) -> Frames:
    """Return the frames of a group's links from slots x (rows, n)."""
    n = x.shape[1]
    lanes = Lanes.empty(motion.plan, n)
    lanes.x[:], lanes.x[0] = np.nan, x
    still = {id: np.full((3, n), np.nan) for id in motion.drivers}
    poses = Motion(motion.mechanism, motion.plan, np.zeros(n), still, lanes).poses
    return {link: poses.frames[link] for link in group.links}


def _apart(one: Frames, other: Frames) -> float:
    """Return how far two poses of the same links are apart [m]; a turn counts with a radius of a metre."""
    return max(
        (float(np.nanmax(np.abs(one[link][k] - other[link][k]), initial=0.0)) for link in one for k in (0, 1)),
        default=0.0,
    )
