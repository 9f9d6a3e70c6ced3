"""Samples near a change point: their values come from circles of complex poses around them (see `contours`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import GUARD, NARROW, NEAREST
from structkin.plan.plan import Plan, Step
from structkin.plan.status import Status
from structkin.solve.change_points.contours import Contours, with_rates
from structkin.solve.change_points.mode_changes import ModeChanges, contours_at
from structkin.solve.derivatives import Part
from structkin.solve.engine import ContourPoses, Lanes, discriminant
from structkin.solve.schedule import Schedule
from structkin.types import Flags, Floats, Indices

#: Lanes on each side in which a regular pose of a general group is searched.
BESIDE = 40
#: Largest distance of a pose from the tracked one: near a singular pose half the digits are lost.
SAME = 1e-4
#: Circles in a block.
BLOCK = 128


def smooth(plan: Plan, schedule: Schedule, changes: ModeChanges, lanes: Lanes) -> Lanes:
    """Return the lanes with positions and rates near change points set to those of the smooth motion."""
    at = _guarded(plan, lanes)
    if not len(at):
        return lanes
    # Most small discriminants are limit positions: one sample decides for all its neighbours.
    runs = np.split(at, np.flatnonzero(np.diff(at) > 1) + 1)
    least = _least(plan, lanes)
    tried = np.array([run[np.argmin(least[run])] for run in runs])
    _, works = _contours(plan, schedule, changes, lanes, tried)
    at = np.concatenate([run for run, work in zip(runs, works, strict=True) if work] or [np.array([], np.intp)])
    parts, kept = [], []
    for start in range(0, len(at), BLOCK):
        block = at[start : start + BLOCK]
        contours, works = _contours(plan, schedule, changes, lanes, block)
        parts.append(contours.x[:, works])
        kept.append(block[works])
    if not sum(map(len, kept)):
        return lanes
    x = np.concatenate(parts, axis=1)
    return replaced(plan, replace(lanes, around=ContourPoses(np.concatenate(kept), x.reshape(len(x), -1))))


def replaced(plan: Plan, lanes: Lanes) -> Lanes:
    """Set the values of the lanes inside circles to the means over these."""
    assert lanes.around is not None
    around, at, first = lanes.around, lanes.around.at, plan.first_smoothed
    lanes.x[0][first:, at] = around.mean(around.x[first:])
    lanes.status[at], lanes.group[at] = Status.OK, -1
    lanes.x[1:, first:, at] = around.mean(with_rates(plan, lanes).x[1:, first:])
    return lanes


def _least(plan: Plan, lanes: Lanes) -> Floats:
    """Return the least discriminant of all steps in each lane (n,), infinite where there is none."""
    least = np.full(len(lanes.status), np.inf)
    for index, step in enumerate(plan.steps):
        if step.has_root and lanes.least[index] < GUARD**2:
            least = np.fmin(least, discriminant(plan, index, lanes))
        elif not step.kind.closed_form and lanes.least[index] < NARROW**2:
            least = np.fmin(least, _sigma(plan, step, step.kind, lanes) ** 2 * (GUARD / NARROW) ** 2)
    return least


def _sigma(plan: Plan, step: Step, form: General, lanes: Lanes) -> Floats:
    """Return the smallest singular value of a general group (n,), NaN where it has no pose."""
    part = Part(plan, lanes.x[0])
    return np.asarray(form.smallest_singular_value(part.inputs(step), part.outputs(step)))


def _guarded(plan: Plan, lanes: Lanes) -> Indices:
    """Return the lanes in which a step is nearly singular."""
    return np.flatnonzero((_least(plan, lanes) < GUARD**2) & (lanes.status != Status.NO_INPUT))


def _contours(
    plan: Plan, schedule: Schedule, changes: ModeChanges, lanes: Lanes, at: Indices
) -> tuple[Contours, Flags]:
    """Return circles around lanes (c,), and which of them contain a change point and nothing else."""
    displacements = displacements_at(plan, schedule, at)
    near = _near(lanes.x[0], at)
    singular = _move_off(plan, lanes, at, near)
    contours = contours_at(plan, schedule, changes, at.astype(np.float64), displacements, near)
    touched = np.any([singular, *(np.isfinite(zeros.flat) for zeros in contours.zeros.values())], axis=0)
    return contours, touched & (contours.until == len(plan.steps)) & _agrees(plan, lanes, at, contours)


def _agrees(plan: Plan, lanes: Lanes, at: Indices, contours: Contours) -> Flags:
    """Return around which lanes (c,) general groups are in the assembly in which they were tracked.

    Newton's method begins at another lane and may find another assembly, which is just as smooth.
    """
    agrees = np.ones(len(at), bool)
    for step in plan.steps:
        if step.kind.closed_form:
            continue
        rows = [row for slot in step.outputs for row in range(plan.rows(slot).start, plan.rows(slot).stop)]
        gap = np.abs(contours.x[rows].mean(axis=2).real - lanes.x[0][rows][:, at])
        # Places are relative to the size; where there is no pose, there is nothing to compare.
        gap[: 4 * step.kind.rows.links] /= np.tile(np.repeat([step.kind.rows.size, 1.0], 2), step.kind.rows.links)[
            :, None
        ]
        agrees &= ~np.any(gap > SAME, axis=0)
    return agrees


def _move_off(plan: Plan, lanes: Lanes, at: Indices, near: Floats) -> Flags:
    """Where a general group is nearly singular, use the nearest lane in which it is not; return where that is so (c,).

    On a circle around the lane Newton's method then starts from a regular pose.
    """
    moved = np.zeros(len(at), bool)
    for index, step in enumerate(plan.steps):
        if step.kind.closed_form or not lanes.least[index] < NARROW**2:
            continue
        sigma = _sigma(plan, step, step.kind, lanes)
        rows = [row for slot in step.outputs for row in range(plan.rows(slot).start, plan.rows(slot).stop)]
        for c, lane in enumerate(at):
            if not sigma[lane] < NARROW:
                continue
            low = max(lane - BESIDE, 0)
            good = low + np.flatnonzero(sigma[low : lane + BESIDE + 1] > 2 * NARROW)
            if len(good):
                near[rows, c] = lanes.x[0][rows, good[np.argmin(np.abs(good - lane))]]
                moved[c] = True
    return moved


def displacements_at(plan: Plan, schedule: Schedule, at: Indices) -> dict[str, Floats]:
    """Return the displacement (c,) of each driver with which its part of the mechanism arrives at lanes.

    Before it moves, that is the one back from where it goes.
    """
    found = {}
    for id, z in schedule.drivers.items():
        together = [np.diff(schedule.drivers[other][0]) / schedule.unit(other) for other in plan.moving_together[id]]
        # Drivers that reverse within rounding of a flat pose arrive there as they came before.
        far = np.max(np.abs(together), axis=0)
        steps = np.flatnonzero(far > min(NEAREST, 0.5 * far.max(initial=0.0)))
        if not len(steps):
            # Nothing moves: any direction will do.
            found[id] = np.full(len(at), schedule.unit(id))
            continue
        before = np.searchsorted(steps, at) - 1
        step = steps[np.maximum(before, 0)]
        found[id] = np.where(before < 0, -1.0, 1.0) * (z[0, step + 1] - z[0, step])
    return found


def _near(x: Floats, at: Indices) -> Floats:
    """Return slots (rows, c) at lanes, from a neighbouring lane where a lane does not have them."""
    near = x[:, at].copy()
    for beside in (-1, 1, -2, 2):
        missing = np.isnan(near)
        near[missing] = x[:, np.clip(at + beside, 0, x.shape[1] - 1)][missing]
    return near
