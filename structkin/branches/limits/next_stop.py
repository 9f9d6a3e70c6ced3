"""From a pose along the path of a driver until the motion ends, through change points.

At a change point a discriminant touches zero; a motion that keeps its tangent continues in the other assembly mode of
the groups that are flat there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.branches.limits.poses import Modes
from structkin.branches.limits.reach import End, FeasibleInterval, Reach
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.plan.plan import Plan
from structkin.rows.periodic import TURN
from structkin.types import Floats


@dataclass(frozen=True)
class Stop:
    """Where a motion ends: `end` with its parameter, whole turns included; None: it never does.

    `modes` are those before the end, `passed` the change points passed. Without end, all poses repeat after a
    `period`.
    """

    end: End | None
    modes: Modes
    passed: tuple[End, ...]
    period: float = TURN


def next_stop(reach: Reach, modes: Modes, start: float, direction: int) -> Stop | None:
    """Return where a motion from a start stops, upwards (+1) or downwards (-1); None if the start is out of reach."""
    periodic = reach.whole is None
    at = _holding(reach.feasible(modes), start, periodic)
    if at is None:
        return None
    interval, inside = at
    shift = start - inside
    passed: list[End] = []
    seen: dict[tuple[Any, ...], float] = {}
    while interval.low is not None and interval.high is not None:
        end = interval.high if direction > 0 else interval.low
        here = End(end.p + shift, end.kind, end.steps)
        state = (*sorted(modes.items()), round(end.p % TURN if periodic else end.p, 9))
        if state in seen:
            # Round again: the passages of the first round are all there are.
            return Stop(None, modes, tuple(passed), TURN * round(abs(here.p - seen[state]) / TURN))
        seen[state] = here.p
        if end.kind != "change":
            return Stop(here, modes, tuple(passed))
        flipped = {k: -mode if k in end.steps else mode for k, mode in modes.items()}
        following = _beginning(reach.feasible(flipped), end.p, direction, periodic)
        if following is None:
            return Stop(End(here.p, "limit", here.steps), modes, tuple(passed))
        passed.append(here)
        modes, interval = flipped, following
        begin = interval.low if direction > 0 else interval.high
        assert begin is not None
        shift = here.p - begin.p
    return Stop(None, modes, tuple(passed))


def _holding(feasible: tuple[FeasibleInterval, ...], p: float, periodic: bool) -> tuple[FeasibleInterval, float] | None:
    for interval in feasible:
        inside = interval.holds(p, periodic=periodic)
        if inside is not None:
            return interval, inside
    return None


def _beginning(
    feasible: tuple[FeasibleInterval, ...], p: float, direction: int, periodic: bool
) -> FeasibleInterval | None:
    """Return the interval that begins at p, in the direction of the motion."""
    for interval in feasible:
        end = interval.low if direction > 0 else interval.high
        if end is not None:
            gap = math.remainder(end.p - p, TURN) if periodic else end.p - p
            if abs(gap) < SAME_SOLVED * max(1.0, abs(p)):
                return interval
    return None


def modes_of(plan: Plan, rows: Floats) -> dict[int, int]:
    """Return the assembly mode of each step in a solved pose; `rows` (r,) are its slots."""
    x, modes = rows[:, None], {}
    for index, step in enumerate(plan.steps):
        modes[index] = step.mode
        if step.kind.closed_form and step.has_root:
            h, phi = plan.inputs(step, x), plan.outputs(step, x)
            with np.errstate(all="ignore"):
                modes[index] = 1 if float(np.ravel(step.kind.mode_indicator(h, phi))[0]) > 0 else -1
    return modes
