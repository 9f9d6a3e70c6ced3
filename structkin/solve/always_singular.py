"""Groups that close but are singular in every pose: a beam that stays square between two parallel rails.

Their links can shake although nothing drives them; no choice of the range helps, only another joint.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import cast

import numpy as np

from structkin.errors import Problem
from structkin.groups import General
from structkin.groups.solve_lanes import solve_lanes
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, RESIDUAL, ROUNDING_OF_ONE
from structkin.plan.plan import Plan
from structkin.solve.engine import Lanes, discriminant, step_inputs, sweep
from structkin.solve.tracking import unpacked
from structkin.types import Floats

#: The poses that are examined: each driver moves to either side by these angles [rad] or tenths of the size.
SHIFTS = (0.02, 0.1, 0.4, 1.0, 2.0, 3.0)
#: The same of a general group, of which other assemblies may be found farther away.
NEAR = SHIFTS[:2]
#: Steps to a pose that closes; they converge quadratically.
STEPS = 50


def always_singular(mechanism: Mechanism, plan: Plan, drawn: Collection[int]) -> dict[int, Problem]:
    """Return a problem for each group, by index, that closes but is singular wherever drivers are.

    Of groups with a closed form the discriminant vanishes; those after one that is followed from pose to pose are not
    examined. Of general groups the first is examined that is `drawn` in a singular position, if a driver moves it.
    """
    closed = replace(plan, steps=plan.steps[: min(plan.followed, default=len(plan.steps))])
    suspects = [k for k, step in enumerate(closed.steps) if step.kind.closed_form]
    # Most mechanisms are regular in the sketch.
    for shifts in ((), SHIFTS):
        if suspects:
            lanes = _solved(mechanism, closed, shifts)
            suspects = [k for k in suspects if _vanish(np.abs(discriminant(closed, k, lanes)), DOUBLE_ZERO)]
    general = next((k for k in plan.followed if plan.steps[k].group in drawn), None)
    if general is not None and plan.movers[plan.steps[general].outputs[0]]:
        lanes = _solved(mechanism, replace(plan, steps=plan.steps[:general]), NEAR)
        if _vanish(_least_singular_values(plan, general, lanes), DETERMINED):
            suspects.append(general)
    return {group: _problem(plan, group) for group in dict.fromkeys(plan.steps[k].group for k in suspects)}


def _solved(mechanism: Mechanism, plan: Plan, shifts: tuple[float, ...]) -> Lanes:
    """Return the pose of the sketch, and those with each driver moved from there by `shifts`."""
    drives, moves = mechanism.drivers, np.array([*shifts, *(-shift for shift in shifts)])
    lanes = Lanes.empty(plan, 1 + len(drives) * len(moves))
    drivers = {id: np.zeros((3, len(lanes.status))) for id in drives}
    for k, (id, drive) in enumerate(drives.items()):
        unit = 1.0 if drive.kind == "angle" else 0.1 * mechanism.size
        drivers[id][0] = drive.start
        drivers[id][0, 1 + k * len(moves) :][: len(moves)] += unit * moves
    sweep(plan, lanes, drivers, lambda step: plan.steps[step].mode)
    return lanes


def _vanish(sizes: Floats, zero: float) -> bool:
    """Return whether sizes (n,) are zero in all poses that can be reached, if not only in the first."""
    known = np.isfinite(sizes)
    return bool(known[0] and (len(sizes) == 1 or known[1:].any()) and not (sizes > zero).any())


def _least_singular_values(plan: Plan, index: int, lanes: Lanes) -> Floats:
    """Return the smallest singular value (n,) of a general group, NaN where no pose near the sketch closes.

    Poses of a group that is singular in all of them are not isolated. Levenberg's and Marquardt's method whose
    parameter is the gap converges to one of them (Yamashita and Fukushima, Computing Supplementum 15, 2001).
    """
    step, n = plan.steps[index], len(lanes.status)
    form, h = cast(General, step.kind), step_inputs(plan, lanes, step, 0)
    m, size = form.rows.links, form.rows.size
    frames, angles = np.array(step.start[: 2 * m]), np.real(step.start[2 * m :])
    begun = *np.stack((frames.real, frames.imag), axis=1), *angles
    O, theta = unpacked(form, [np.repeat(np.asarray(one)[..., None], n, -1) for one in begun])
    for _ in range(STEPS):
        J, gaps = form.jacobian(h, form.unknowns(O, theta)), form.gaps(h, O, theta) / size
        parameter = np.linalg.norm(gaps, axis=0)[:, None, None] + ROUNDING_OF_ONE
        x = J.swapaxes(1, 2) @ solve_lanes(J @ J.swapaxes(1, 2) + parameter * np.eye(3 * m), -gaps.T)[..., None]
        dO, turn = np.split(np.moveaxis(x, 0, -1).reshape(m, 3, n), [2], axis=1)
        O, theta = O + size * dO, theta + turn[:, 0]
    found = form.smallest_singular_value(h, form.unknowns(O, theta))
    return np.where(np.abs(form.gaps(h, O, theta)).max(axis=0) < RESIDUAL * size, found, np.nan)


def _problem(plan: Plan, index: int) -> Problem:
    group = plan.structure.groups[index]
    message = f"{group.label} closes, but is singular in every pose: its links can shake"
    return Problem(", ".join(group.joints), message, "let one end slide, or leave one of these joints out")
