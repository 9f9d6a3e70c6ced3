"""Stations where links turn fast, so that whole turns are counted and not guessed.

Where the outer pins of a dyad pass each other closely, its links turn by half a turn while the drivers hardly move. So
the steps of a motion follow its links as well as its drivers: between two stations no link that matters may turn far.
The line between the outer pins counts as a link: it reverses where the links themselves may turn all the way round
unseen. Pins that meet, by the rule of flat poses, have no line: it reverses in one point, however short the steps are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from structkin.budget import TOGETHER, charge
from structkin.groups import RPR, RRR
from structkin.numerical_tolerances import FLAT_WITHIN
from structkin.plan.plan import Plan, Register
from structkin.rows.affine import Affine
from structkin.solve.change_points.beside_gaps import beside_gaps
from structkin.solve.change_points.between import Between
from structkin.solve.engine import Lanes
from structkin.solve.fast_wheels import counted_turns, wheels_on_links
from structkin.solve.narrow_cams import Followed, beyond, pass_humps
from structkin.solve.schedule import Schedule, united
from structkin.types import Floats, Indices

#: A link turns at most this far between two stations [rad].
FAST = 0.5
SLOPE = math.tan(FAST)
#: An interval in which one turns further is divided into so many parts, so often: to the last digit of an angle.
PARTS, ROUNDS = 16, 10
#: Most stations added, for each interval in which a link turns far: towards parallel guides a pinion on its rack turns
#: without bound.
WORST = 2000
#: Numbers of vectors that are examined together.
NUMBERS = 65_536


def slow_motion(
    plan: Plan,
    schedule: Schedule,
    vectors: Sequence[Affine],
    run: Callable[[Schedule], tuple[Lanes, Between]],
    moved: Sequence[int] = (),
    cams: Sequence[Followed] = (),
) -> tuple[Schedule, Indices, Lanes, bool]:
    """Run a schedule with stations added until between two neither these vectors nor what moves them turns far.

    Nor does what moves the registers `moved`; followers of `cams` do not move there and back unseen, and next to the
    gap of a group no later one may have a change point.
    Return the new schedule, the places of the old stations in it, its lanes, and whether that was possible: if a link
    turns without bound, no stations are added. Those that are, are charged to the budget of the call.
    """
    lanes, between = run(schedule)
    begun = now = schedule, np.arange(len(schedule)), lanes
    most = 0.0
    for k in range(ROUNDS):
        finest, places, lanes = now
        parts = _parts(plan, lanes, vectors, moved)
        open_, poses = beside_gaps(between, lanes, near=k > 0)
        parts[pass_humps(plan, lanes.x[0], cams) | open_] = PARTS
        overlooked = _overlooked(plan, finest, lanes, moved, cams)
        if (parts == 1).all() and not (len(overlooked) or len(poses)):
            break
        most = most or WORST * float(np.sum(parts > 1) + len(poses))
        added = float(np.sum(parts - 1.0) + len(poses))
        if len(finest) - len(schedule) + added > most:
            return *begun, False
        charge(added * plan.numbers / TOGETHER)
        finer, at = finest.divided(parts, poses)
        finer = replace(finer, near=united(len(finer), finer.near, at[overlooked]))
        lanes, between = run(finer)
        now = finer, at[places], lanes
    return *now, True


def is_slow(plan: Plan, lanes: Lanes, vectors: Sequence[Affine]) -> bool:
    """Return whether between two lanes neither these vectors nor what moves them turns far."""
    return bool((_parts(plan, lanes, vectors) == 1).all())


def all_seen(plan: Plan, schedule: Schedule, lanes: Lanes, moved: Sequence[int], cams: Sequence[Followed]) -> bool:
    """Return whether the lanes of a schedule show what moves these registers, and the followers of cams do."""
    seen = (_parts(plan, lanes, (), moved) == 1).all() and not pass_humps(plan, lanes.x[0], cams).any()
    return bool(seen) and not len(_overlooked(plan, schedule, lanes, moved, cams))


def _overlooked(
    plan: Plan, schedule: Schedule, lanes: Lanes, moved: Sequence[int], cams: Sequence[Followed]
) -> Indices:
    """Return the stations that are examined together with others (`Schedule.turns`), but have to be one by one."""
    turns = schedule.turns
    if len(turns) == len(schedule) or not (cams or wheels_on_links(plan)):
        return turns[:0]
    some = lanes.take(turns)
    far = (_parts(plan, some, (), moved) > 1) | pass_humps(plan, some.x[0], cams)
    inside = np.append(np.repeat(far, np.diff(turns)), False)
    return np.setdiff1d(np.flatnonzero(inside), turns)


def _parts(plan: Plan, lanes: Lanes, vectors: Sequence[Affine], moved: Sequence[int] = ()) -> Indices:
    """Return into how many parts the intervals between lanes (n - 1,) are to be divided, 1 where all turn slowly."""
    x = lanes.x[0]
    parts = np.ones(max(x.shape[1] - 1, 0), np.intp)
    # The steps of drivers are short: only what is computed from them may turn far.
    movers = _movers(plan, (*moved, *(slot for vector in vectors for slot, _ in vector.terms)))
    movers = movers.intersection(slot for step in plan.steps for slot in step.outputs)
    directions = (frame.direction for frame in plan.frames.values())
    turning = {*vectors, *(one for one in directions if movers and movers & {slot for slot, _ in one.terms})}
    counted = {slot: rows for step in plan.steps for slot, rows in counted_turns(plan, step).items() if slot in movers}
    # A wheel may turn by whole turns from station to station: the scalars that count these tell.
    turning = {one for one in turning if not counted.keys() >= {slot for slot, _ in one.terms}}
    for row in counted.values():
        parts = np.maximum(parts, _parts_of_wheel(x[row]))
    found = [(*vector.components(lambda slot: x[plan.rows(slot)]), -np.inf) for vector in turning if vector.terms]
    for step in plan.steps:
        if movers.isdisjoint(step.outputs):
            continue
        if isinstance(step.kind, RRR | RPR):
            A, B = plan.inputs(step, x)[:2]
            found.append((*(B - A), FLAT_WITHIN * plan.sizes[step.group]))
    # What does not move has one number for all lanes.
    found = [(X, Y, least) for X, Y, least in found if np.shape(X) == x.shape[1:]]
    together = max(1, NUMBERS // max(x.shape[1], 1))
    with np.errstate(all="ignore"):
        for first in range(0, len(found), together):
            X, Y, least = (np.array(part) for part in zip(*found[first : first + together], strict=True))
            across, along = X[:, :-1] * Y[:, 1:] - Y[:, :-1] * X[:, 1:], X[:, :-1] * X[:, 1:] + Y[:, :-1] * Y[:, 1:]
            fast = np.abs(across) > SLOPE * along
            if fast.any():
                # How far the way between two stations passes by zero.
                miss = np.abs(across) / np.hypot(X[:, 1:] - X[:, :-1], Y[:, 1:] - Y[:, :-1])
                fast = (fast & ~(miss <= least[:, None])).any(axis=0)
                parts[fast] = np.maximum(parts[fast], PARTS)
    return parts


def _parts_of_wheel(turn: Floats) -> Indices:
    """Return into how many parts the intervals between lanes (n - 1,) are to be divided for a wheel's turns (n,)."""
    step = np.diff(turn)
    far = np.maximum(np.abs(step), beyond(step))
    return np.asarray(np.fmin(np.fmax(np.ceil(far / FAST), 1.0), 2.0**40), np.intp)


def _movers(plan: Plan, targets: Iterable[int]) -> frozenset[int]:
    """Return the registers that move others, and these."""
    found = set(targets)
    for step in reversed(plan.steps):
        if not found.isdisjoint(step.outputs):
            found |= {*step.outputs, *(item.index for item in step.inputs if isinstance(item, Register))}
    return frozenset(found)
