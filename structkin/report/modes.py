"""The other assembly modes of one group, while all groups before it stay in the modes of the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.branches.assemblies.choices import Choices, choices_of
from structkin.branches.assemblies.wheels import whole_turns
from structkin.groups import General
from structkin.groups.triad import recognised
from structkin.numerical_tolerances import SAME_POSE
from structkin.solve import Motion
from structkin.solve.engine import Lanes
from structkin.structure import Group
from structkin.types import Complexes, Floats

#: Origin and direction (n,) of links.
Frames = Mapping[str, tuple[Complexes, Complexes]]


def followed(motion: Motion, group: Group) -> list[Frames] | None:
    """Return the links of a group at all samples in its other modes; None unless they have a closed form.

    A dyad has one other mode, a triad at most five: where fewer are real, the rest of them are NaN.
    """
    mirror = mirrored(motion, group)
    return _of_triad(motion, group) if mirror is None else [mirror]


def mirrored(motion: Motion, group: Group) -> Frames | None:
    """Return the links of a group at all samples in its other mode; None unless it has two, by one root."""
    plan = motion.plan
    indices = [k for k, step in enumerate(plan.steps) if step.group == group.index]
    roots = [k for k in indices if plan.steps[k].has_root]
    if len(roots) != 1 or not group.links:
        return None
    later = indices[indices.index(roots[0]) :]
    if not all(plan.steps[k].kind.closed_form for k in later):
        return None
    x = motion.lanes.x[0].copy()
    step = plan.steps[roots[0]]
    kind, h = step.kind, plan.inputs(step, x)
    assert kind.closed_form
    with np.errstate(all="ignore"):
        _put(motion, x, roots[0], kind.position(h, -kind.mode_indicator(h, plan.outputs(step, x))))
    _complete(motion, x, later[1:])
    return _frames(motion, x, group)


def _of_triad(motion: Motion, group: Group) -> list[Frames] | None:
    """Return the other modes of a triad, or of a group that a triad and linear steps solve; None for others."""
    plan = motion.plan
    indices = [k for k, step in enumerate(plan.steps) if step.group == group.index]
    general = [(k, kind) for k in indices if isinstance(kind := plan.steps[k].kind, General)]
    if len(general) != 1 or any(plan.steps[k].has_root for k in indices):
        return None
    [(index, kind)] = general
    step, now = plan.steps[index], motion.lanes.x[0]
    triad = recognised(kind.rows)
    if triad is None:
        return None
    with np.errstate(all="ignore"):
        poses = triad.kind.poses(triad.inputs(plan.inputs(step, now)))
    scales = (motion.size, 1.0)
    own = [np.abs(z - at[:, None]).max(axis=0) for z, at in zip(poses, plan.outputs(step, now), strict=True)]
    real = np.all(
        [np.abs(z.imag).max(axis=0) < SAME_POSE * size for z, size in zip(poses, scales, strict=True)], axis=0
    )
    same = np.all([gap < SAME_POSE * size for gap, size in zip(own, scales, strict=True)], axis=0)
    # where the motion's own mode is missing, the elimination has failed
    kept = real & ~same & same.any(axis=0)
    order = np.argsort(~kept, axis=0, kind="stable")
    found = []
    for mode in order[: int(kept.sum(axis=0).max(initial=0))]:
        x, lanes = now.copy(), np.arange(now.shape[1])
        good = kept[mode, lanes]
        _put(motion, x, index, tuple(np.where(good, z.real[:, mode, lanes], np.nan) for z in poses))
        _complete(motion, x, [k for k in indices if k > index])
        found.append(_frames(motion, x, group))
    return found


def _complete(motion: Motion, x: Floats, indices: list[int]) -> None:
    """Solve the closed steps that follow the choice of a mode."""
    plan = motion.plan
    for k in indices:
        kind, h = plan.steps[k].kind, plan.inputs(plan.steps[k], x)
        assert kind.closed_form
        with np.errstate(all="ignore"):
            discriminant = kind.discriminant(h)
            _put(motion, x, k, kind.position(h, 0.0 if discriminant is None else np.sqrt(np.abs(discriminant))))


def others(motion: Motion, group: Group, sample: int) -> tuple[list[Frames], str]:
    """Return all other modes of a group at one sample, and a note on them, such as "not enumerated"."""
    plan = motion.plan
    poses, note = [motion.lanes.x[0][:, [sample]].copy()], ""
    for k, step in enumerate(plan.steps):
        if step.group != group.index:
            continue
        grown: list[Floats] = []
        for x in poses:
            found: Choices = choices_of(step, plan.inputs(step, x), whole_turns(plan, k))
            note = found.note or note
            for choice in found.items:
                grown.append(x.copy())
                _put(motion, grown[-1], k, choice.outputs)
        poses = grown
    own = _frames(motion, motion.lanes.x[0][:, [sample]], group)
    return [frames for x in poses if _apart(frames := _frames(motion, x, group), own) > SAME_POSE * motion.size], note


def _put(motion: Motion, x: Floats, index: int, outputs: tuple[Any, ...]) -> None:
    plan = motion.plan
    for slot, value in zip(plan.steps[index].outputs, outputs, strict=True):
        x[plan.rows(slot)] = np.reshape(value, (plan.widths[slot], -1))


def _frames(motion: Motion, x: Floats, group: Group) -> Frames:
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
