"""Counting turns along a driver's path, stage by stage: what does not depend on them is followed first.

Each stage follows the groups whose inputs are known, from the sketch through change points to where they end, or until
all of them repeat. Along this path the turns of their links are continuous functions of the driver, followed from place
to place. Then the groups after the wheels that they turn are closed forms, and the next stage begins.

Poses repeat after one turn of a driver, unless wheels turn at other speeds. Wheels in mesh, and a Geneva wheel with its
crank, return to their first pose after some turns of their driver if the ratios are those of whole numbers. A rack does
not return.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.branches.limits.next_stop import Stop, next_stop
from structkin.branches.limits.poses import Known, Modes, Path, Poses
from structkin.branches.limits.reach import End, Reach
from structkin.joints.geneva import Geneva
from structkin.joints.turn_coupling import TurnCoupling
from structkin.numerical_tolerances import NEAREST, SAME_SOLVED, WHOLE
from structkin.plan.plan import Plan
from structkin.rows.periodic import TURN, angle_of
from structkin.solve.strokes import Stroke
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism

# --- after how many turns poses repeat -----------------------------------------------------------------------------

#: Most periods that are tried.
MOST = 500
#: Places of the driver [rad] that are compared.
TRIED = np.array([0.3, 1.7, 2.9, 4.1, 5.6])


def turns_of(poses: Poses, start: float, period: float = TURN) -> int | None:
    """Return the number of periods of an angle driver after which all vectors of a plan repeat; None if never.

    Vectors that are out of reach everywhere are ignored.
    """
    plan = poses.plan
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    places = start + TRIED * (period / TURN)
    first = _vectors(poses, places, modes)
    finite = np.isfinite(first)
    size = float(np.max(np.abs(first[finite]), initial=1.0))
    # All rounds side by side: sample k * len(TRIED) + j is place j after k rounds.
    block = 25
    for begin in range(1, MOST + 1, block):
        rounds = np.arange(begin, begin + block)
        later = _vectors(poses, (places + period * rounds[:, None]).ravel(), modes)
        gap = np.abs(later.reshape(len(first), block, len(TRIED)) - first[:, None])
        gap = np.where(finite[:, None], gap, 0.0).max(axis=(0, 2))
        back = np.flatnonzero(gap < SAME_SOLVED * size * np.maximum(1.0, 1e-3 * rounds))
        if len(back):
            return int(rounds[back[0]])
    return None


def turns_of_ratios(mechanism: Mechanism) -> int:
    """Return the number of turns after which all wheels would repeat, for whole turns of their drivers; 0 if never.

    Their poses may repeat sooner. A rack goes back and forth with what moves it.
    """
    turns = math.prod(wheel.slots for wheel in mechanism.joints.of(Geneva).values())
    for mesh in mechanism.joints.of(TurnCoupling).values():
        if mesh.ratio is not None:
            ratio = Fraction(mesh.ratio).limit_denominator(MOST)
            if abs(float(ratio) - mesh.ratio) > SAME_SOLVED * abs(mesh.ratio):
                return 0
            turns *= abs(ratio.numerator) * ratio.denominator
    return turns


def _vectors(poses: Poses, p: Any, modes: Any) -> Any:
    """Return all vectors of the plan at parameters p (n,) as rows (r, n)."""
    widths, slots = poses.plan.widths, poses.slots(p, modes)
    rows = [np.broadcast_to(value, (2, len(p))) for slot, value in slots.items() if widths[slot] == 2]
    return np.concatenate(rows)


# --- counting ------------------------------------------------------------------------------------------------------

#: Initial number of places per turn; largest step and largest change of step [rad] between two of them.
PLACES, STEP, STEP_CHANGE = 96, 0.5, 0.05


@dataclass(frozen=True)
class Passed:
    """A change point of a stage; it repeats after each `period` of the driver, if there is one."""

    end: End
    modes: Modes
    poses: Poses
    period: float | None


@dataclass(frozen=True)
class Counted:
    """The last stage's search, over p = z / `scale` of the driver z, and the change points of the stages before."""

    reach: Reach
    scale: int
    passed: tuple[Passed, ...]


def count_turns(
    plan: Plan,
    path: Path,
    pose: tuple[Floats, Modes],
    start: float,
    whole: tuple[float, float] | None,
    wheels: float | None = None,
    strokes: tuple[Stroke, ...] = (),
) -> Counted | None:
    """Return the search for what is left when all turns are counted; None where the start is at a limit.

    `path` gives the drivers at the coordinate z of the one that moves. It leads from the `pose`, slots (r,) and modes,
    at `start` over the range `whole`. That is None for an angle, which turns until all poses repeat or, where wheels
    prevent that, by the angle `wheels` in each direction. It ends at the ends of `strokes` too.
    """
    rows, modes = pose
    known, ends = Known(start, modes), None
    scale, passed = 1, list[Passed]()
    while True:
        if whole is None and wheels is not None:
            rounds = turns_of(Poses(plan, path, replace(known, scale=1.0)), start, known.period or TURN)
            if rounds is None:
                whole, scale = (start - wheels, start + wheels), 1
                known = spread(known, *whole)
            else:
                scale = rounds * round((known.period or TURN) / TURN)
        poses = Poses(plan, _scaled(path, scale), replace(known, scale=float(scale)), strokes)
        reach = Reach(poses, None if whole is None else (whole[0] / scale, whole[1] / scale), ends)
        if not poses.uncounted:
            return Counted(reach, scale, tuple(passed))
        down, up = (next_stop(reach, modes, start / scale, direction) for direction in (-1, 1))
        if down is None or up is None:
            return None
        if down.end is not None and up.end is not None:
            ends = down.end, up.end
            whole = (down.end.p * scale, up.end.p * scale)
            known, period, stops = spread(known, *whole), None, [down, up]
        else:
            period, stops = up.period * scale, [up]
            known = replace(spread(known, start, start + period), period=period)
        passed += [Passed(end, modes, poses, period) for stop in stops for end in stop.passed]
        known = _with_mode_changes(known, reach, stops, scale)
        low, high = whole or (start, start + TURN * round((period or 0.0) / TURN))
        for step in poses.uncounted:
            counted = _follow(Poses(plan, path, replace(known, scale=1.0)), step, low, high, modes)
            if counted is None:
                return None
            z, turns = counted
            turns += rows[plan.rows(plan.steps[step].outputs[0]).start] - np.interp(start, z, turns)
            known = replace(
                known,
                turns={**known.turns, step: (z, turns)},
                gains={**known.gains, step: TURN * round(float(turns[-1] - turns[0]) / TURN)},
            )


def _scaled(path: Path, scale: int) -> Path:
    def scaled(p: Any) -> Mapping[str, Any]:
        return path(p * scale)

    return path if scale == 1 else scaled


def spread(known: Known, low: float, high: float) -> Known:
    """Return what is known over one period, repeated from one place to another, without period."""
    if known.period is None:
        return known
    rounds = np.arange(
        np.floor((low - known.start) / known.period), np.ceil((high - known.start) / known.period - WHOLE)
    )
    shifts = known.period * rounds

    def again(values: Floats, gain: float) -> Floats:
        return np.concatenate([values + gain * k for k in rounds]) if len(rounds) else values

    return replace(
        known,
        mode_changes={
            step: (mode_changes + shifts[:, None]).ravel() for step, mode_changes in known.mode_changes.items()
        },
        turns={
            step: (again(z, known.period), again(turns, known.gains[step])) for step, (z, turns) in known.turns.items()
        },
        gains={step: gain * len(rounds) for step, gain in known.gains.items()},
        period=None,
    )


def _with_mode_changes(known: Known, reach: Reach, stops: list[Stop], scale: int) -> Known:
    """Return what is known, with the modes of the groups of a stage along its path."""
    mode_changes = dict(known.mode_changes)
    for step in reach.poses.closing:
        mode_changes[step] = np.sort([end.p * scale for stop in stops for end in stop.passed if step in end.steps])
    return replace(known, mode_changes=mode_changes)


def _follow(poses: Poses, index: int, low: float, high: float, modes: Modes) -> tuple[Floats, Floats] | None:
    """Return places and turns there of a step's vector, counted from the first; None where it vanishes in between."""

    def angle(z: Floats) -> Floats:
        (U,) = poses.inputs(index, z, modes)
        return np.asarray(angle_of(np.broadcast_to(U, (2, len(z)))))

    # At an end at infinity there is no direction.
    inside = NEAREST * (high - low)
    low, high = low + inside, high - inside
    knots = [z for mode_changes in poses.known.mode_changes.values() for z in mode_changes if low < z < high]
    count = 2 + int(PLACES * (high - low) / min(TURN, high - low))
    z = np.unique(np.concatenate((np.linspace(low, high, count), knots, [min(max(poses.known.start, low), high)])))
    for _ in range(60):
        here, middle = angle(z), 0.5 * (z[1:] + z[:-1])
        between = angle(middle)
        first, second = _wrapped(between - here[:-1]), _wrapped(here[1:] - between)
        rough = (np.abs(first) > 0.5 * STEP) | (np.abs(second) > 0.5 * STEP) | (np.abs(second - first) > STEP_CHANGE)
        rough &= np.diff(z) > inside
        if not rough.any():
            break
        z = np.sort(np.concatenate((z, middle[rough])))
    steps = first + second
    if not np.abs(steps).max(initial=0.0) < 0.75 * np.pi:
        return None
    return z, np.concatenate(([0.0], np.cumsum(steps)))


def _wrapped(angle: Any) -> Any:
    return angle - TURN * np.round(angle / TURN)
