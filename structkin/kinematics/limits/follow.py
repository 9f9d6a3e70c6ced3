"""Following the poses of any mechanism along the path of its drivers, up to where the motion folds back.

Pseudo-arclength continuation (Keller 1977; Allgower and Georg, 1990) of the tape as one system. A limit is a fold of
the curve in the parameter. It is placed where the parameter's part of the tangent vanishes; the parameter is stationary
there, so that its value is exact to rounding although the pose is known to half the digits less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.limits.reach import TURN
from structkin.kinematics.limits.system import System

Floats = NDArray[np.float64]

#: Arclength of a step: at first, at most (times how far from its start it is, where that is above one), and below
#: which the way is given up.
FIRST, LONGEST, SHORTEST = 0.02, 0.15, 1e-9
#: A step that crosses to another curve is halved down to this; what is still crossed is a change point.
CROSSING, LEAP = 1e-5, 1e-2
#: Largest angle between neighbouring tangents [rad], and near a fold.
BEND, BEND_NEAR = 0.2, 0.08
#: Turns that are followed before a driver is taken to turn on without end, and steps that are taken at most.
TURNS, STEPS = 8, 20000
#: Vectors, in sizes of the mechanism, that are as near as this to what they were are back.
BACK = 1e-8
#: Poses farther away than this, in sizes of the mechanism, run off to infinity.
FAR = 1e4


@dataclass(frozen=True)
class Fold:
    """Where following ended: parameter `p`, the step that ends it (None: the range), the unknowns there.

    `far` tells that the poses run off to infinity; then p is its limit to about eight digits. `lost` tells that the
    curve could not be followed further. Where poses with wheels came back, `turns` is after how many turns.
    """

    p: float
    step: int | None
    y: Floats
    far: bool = False
    lost: bool = False
    turns: int = 0


@dataclass(frozen=True)
class Point:
    """A pose of the curve: its unknowns y (m,), and the unit tangent there in the direction of the walk.

    `side` is the sign of the determinant of the Jacobian with the tangent below it. It does not change along a curve,
    through its folds neither; 0 where there are more equations than unknowns.
    """

    y: Floats
    tangent: Floats
    side: float = 0.0


class LostError(Exception):
    """The curve could not be followed further than to the parameter `p`: its steps became too short."""

    def __init__(self, p: float) -> None:
        """Say where."""
        self.p = float(p)
        super().__init__(f"at {p:g}")


def follow(
    system: System,
    y: Floats,
    direction: int,
    whole: tuple[float, float] | None,
    *,
    wheels: bool = False,
    crossed: list[tuple[Point, Point]] | None = None,
) -> Fold | None:
    """Return where the poses that begin at y end, up (+1) or down (-1); None where they come round again.

    With `wheels` the end may also be where all vectors are back after some turns. Steps in which another curve crosses
    are added to `crossed`. Raises `LostError` where the curve cannot be followed.
    """
    start = y
    here = begin(system, y, direction)
    step = FIRST
    for _ in range(STEPS):
        there = step_on(system, here, step)
        if there is None:
            step *= 0.5
            if step < SHORTEST:
                raise LostError(here.y[-1])
            continue
        p = float(there.y[-1])
        barred = barred_between(system, here, there)
        if barred is not None:
            return barred
        if wheels and (back := _back(system, start, here, there)):
            return back
        if whole is not None and not whole[0] <= p <= whole[1]:
            return Fold(min(max(p, whole[0]), whole[1]), None, there.y)
        if there.tangent[-1] * direction <= 0:
            fold = fold_between(system, here, there)
            return Fold(float(fold.y[-1]), system.stuck(fold.tangent), fold.y)
        if crossed is not None and there.side * here.side < 0:
            crossed.append((here, there))
        if whole is None and _is_round(start, here, there):
            return None
        if system.reach(there.y) > FAR:
            return far_end(system, here, there)
        here, step = there, min(2 * step, longest(system, start, there))
    raise LostError(here.y[-1])


def longest(system: System, start: Floats, there: Point) -> float:
    """Return how long a step from a pose may be: longer where it is far from the start."""
    way = np.abs(there.y - start)
    return LONGEST * max(1.0, float((way[:-1] if system.angular else way).max(initial=0.0)))


def far_end(system: System, here: Point, there: Point) -> Fold:
    """Return where the poses run off to: their reach grows like 1 / (end - p)."""
    one, two = (system.reach(point.y) for point in (here, there))
    p = (two * there.y[-1] - one * here.y[-1]) / (two - one)
    return Fold(float(p), system.stuck(there.y - here.y), there.y, far=True)


def begin(system: System, y: Floats, direction: int) -> Point:
    """Return a pose with the tangent along which the parameter goes up (+1) or down (-1)."""
    _, J = system.equations(y)
    tangent = np.linalg.svd(J)[2][-1]
    return _oriented(y, J, tangent * (direction if tangent[-1] >= 0 else -direction))


def _oriented(y: Floats, J: Floats, tangent: Floats) -> Point:
    full = np.vstack((J, tangent))
    return Point(y, tangent, float(np.linalg.slogdet(full)[0]) if len(full) == len(y) else 0.0)


def step_on(system: System, here: Point, step: float) -> Point | None:
    """Take one step along the curve; None where it has to be shorter.

    Two curves that pass by each other are told apart by their sides. Where they cross, at a change point, the way
    goes straight on.
    """
    there = advance(system, here, step)
    if there is None or not is_smooth(here, there):
        return None
    if there.side == here.side or 0.0 in (there.side, here.side):
        return there
    if step > CROSSING:
        return None
    beyond = advance(system, here, LEAP)
    return beyond if beyond is not None and is_smooth(here, beyond) else there


def advance(system: System, here: Point, step: float) -> Point | None:
    """Take one step along the curve, or return None where Newton's method does not close soon."""
    guess = here.y + step * here.tangent
    y = guess
    change = np.full(len(y), np.inf)
    for _ in range(7):
        values, J = system.equations(y)
        full = np.vstack((J, here.tangent))
        rest = np.append(-values, step - here.tangent @ (y - here.y))
        try:
            change = np.linalg.solve(full, rest) if len(full) == len(y) else np.linalg.lstsq(full, rest, rcond=None)[0]
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(change).all():
            return None
        y = y + change
        if np.abs(change).max() < 1e-13 * max(1.0, np.abs(y).max()):
            break
    else:
        if np.abs(change).max() > 1e-10:
            return None
    if np.linalg.norm(y - guess) > 0.5 * step:
        return None
    values, J = system.equations(y)
    if np.abs(values).max() > 1e-8:
        return None
    full = np.vstack((J, here.tangent))
    unit = np.zeros(len(full))
    unit[-1] = 1.0
    tangent = np.linalg.lstsq(full, unit, rcond=None)[0]
    return _oriented(y, J, tangent / np.linalg.norm(tangent))


def is_smooth(here: Point, there: Point) -> bool:
    """Return whether a step turns the tangent by little."""
    turned = math.acos(min(1.0, abs(float(here.tangent @ there.tangent))))
    near = min(abs(here.tangent[-1]), abs(there.tangent[-1])) < 0.1
    return turned < (BEND_NEAR if near else BEND)


def fold_between(system: System, here: Point, there: Point) -> Point:
    """Return the point between two where the parameter turns back, by bracketed secants of its part of the tangent."""
    from scipy.optimize import brentq

    length = float(here.tangent @ (there.y - here.y))

    def part(s: float) -> float:
        point = advance(system, here, s) if s else here
        if point is None:
            raise LostError(here.y[-1])
        return float(point.tangent[-1])

    s = brentq(part, 0.0, length, xtol=1e-13, rtol=1e-12) if part(length) * part(0.0) < 0 else length
    point = advance(system, here, s)
    assert point is not None
    return point


def barred_between(system: System, here: Point, there: Point) -> Fold | None:
    """Return the end where a relation with one mode stops closing though the curve is smooth: a length of zero."""
    for index, step in enumerate(system.plan.steps):
        if not step.kind.closed_form or step.has_root:
            continue
        before, after = (_margin(system, index, point.y) for point in (here, there))
        if before is not None and after is not None and before > 0 >= after:
            from scipy.optimize import brentq

            length = float(here.tangent @ (there.y - here.y))

            def value(s: float, index: int = index) -> float:
                point = advance(system, here, s) if s else here
                margin = None if point is None else _margin(system, index, point.y)
                if margin is None:
                    raise LostError(here.y[-1])
                return margin

            if value(length) > 0:
                # By rounding: the next point is at the limit itself.
                return Fold(float(there.y[-1]), index, there.y)
            found = advance(system, here, brentq(value, 0.0, length, xtol=1e-14, rtol=1e-14))
            assert found is not None
            return Fold(float(found.y[-1]), index, found.y)
    return None


def _margin(system: System, index: int, y: Floats) -> float | None:
    step = system.plan.steps[index]
    assert step.kind.closed_form
    rows = system.rows(y[:, None])
    margin = step.kind.margin(tuple(system.value(operand, rows) for operand in step.inputs))
    return None if margin is None else float(np.ravel(margin)[0]) * step.mode


def _is_round(start: Floats, here: Point, there: Point) -> bool:
    """Return whether the pose of the start lies between two points, whole turns later."""
    turns = (there.y[-1] - start[-1]) / TURN
    if math.floor(abs(turns)) == math.floor(abs(here.y[-1] - start[-1]) / TURN):
        return False
    if abs(turns) > TURNS:
        return True
    part = (round(turns) * TURN + start[-1] - here.y[-1]) / (there.y[-1] - here.y[-1])
    between = here.y + part * (there.y - here.y)
    return bool(np.linalg.norm(between[:-1] - start[:-1]) < 0.3 * np.linalg.norm(there.y - here.y) + 1e-9)


def _back(system: System, start: Floats, here: Point, there: Point) -> Fold | None:
    """Return the end where the vectors of the start are there again between two points, whole turns later."""
    turns = round((there.y[-1] - start[-1]) / TURN)
    place = start[-1] + turns * TURN
    if not turns or not min(here.y[-1], there.y[-1]) <= place <= max(here.y[-1], there.y[-1]):
        return None
    part = (place - here.y[-1]) / ((there.y[-1] - here.y[-1]) or 1.0)
    y = np.append((here.y + part * (there.y - here.y))[:-1], place)
    for _ in range(8):
        values, J = system.equations(y)
        change = np.linalg.lstsq(J[:, :-1], -values, rcond=None)[0]
        y[:-1] += change
        if np.abs(change).max() < 1e-12:
            break
    gap = np.abs(y[:-1] - start[:-1])[system.places]
    return Fold(float(place), None, y, turns=abs(turns)) if gap.max(initial=0.0) < BACK else None
