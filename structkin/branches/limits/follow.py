"""Following the poses of any mechanism along the path of its drivers, up to where the motion folds back.

A limit is a fold of the curve of poses in the parameter (`structkin.track.arclength`). It is placed where the
parameter's part of the tangent vanishes; the parameter is stationary there, so that its value is exact to rounding
although the pose is known to half the digits less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.branches.limits.plan_equations import System
from structkin.numerical_tolerances import COMPLEX_STEP, ROUNDING, SAME_SOLUTION, SAME_SOLVED
from structkin.rows.periodic import TURN
from structkin.solve.strokes import Stroke
from structkin.track.arclength import LostError, Point, begin, root_between, steps
from structkin.types import Floats

#: Turns that are followed before a driver is taken to turn without end.
TURNS = 8
#: Poses farther away than this, in sizes of the mechanism, run off to infinity.
FAR = 1e4
#: How many times the change that its slopes at both ends of a step allow a stroke may change within the step.
MARGIN = 4.0
#: How far a chord of the curve may miss a pose on it, relative to the chord.
BESIDE = 0.05


@dataclass(frozen=True)
class Fold:
    """Where following ended: parameter `p`, the step that ends it (None: the range), the unknowns there.

    `far`: the poses run off to infinity; then p is its limit to about eight digits. `lost`: the curve could not be
    followed further. `turns` is the number of turns after which poses with wheels repeat. `stroke` is the one that ends
    there, if any.
    """

    p: float
    step: int | None
    y: Floats
    far: bool = False
    lost: bool = False
    turns: int = 0
    stroke: Stroke | None = None


def follow(
    system: System,
    y: Floats,
    direction: int,
    whole: tuple[float, float] | None,
    *,
    wheels: bool = False,
    crossed: list[tuple[Point, Point]] | None = None,
) -> Fold | None:
    """Return where the curve of poses from y ends, upwards (+1) or downwards (-1); None where it closes.

    With `wheels` it also ends where all vectors repeat after some turns. Steps in which another curve crosses are added
    to `crossed`.
    """
    start = begin(system, y, direction)
    try:
        for here, there in steps(system, start):
            end = barred_between(system, here, there) or (wheels and _back(system, y, here, there))
            end = end or range_between(here, there, whole)
            if not end and there.tangent[-1] * direction <= 0:
                end = fold_between(system, here, there)
            if stop := stroke_between(system, here, there):
                return stop if not end or _before(stop, end, here) else end
            if end:
                return end
            if crossed is not None and there.orientation * here.orientation < 0:
                crossed.append((here, there))
            if whole is None and (is_back(system, start, here, there, periodic=True) or _turns_on(y, there)):
                return None
            if end := far_end(system, here, there):
                return end
    except LostError as lost:
        return lost_at(lost.y)
    raise AssertionError("steps end in an exception")


def lost_at(y: Floats) -> Fold:
    """Return the end where a curve could not be followed further."""
    return Fold(float(y[-1]), None, y, lost=True)


def far_end(system: System, here: Point, there: Point) -> Fold | None:
    """Return the limit at which poses run off to infinity, if they do: their reach grows like 1 / (end - p)."""
    one, two = (system.reach(point.y) for point in (here, there))
    if two <= FAR:
        return None
    p = (two * there.y[-1] - one * here.y[-1]) / (two - one)
    return Fold(float(p), system.stuck(there.y - here.y), there.y, far=True)


def range_between(here: Point, there: Point, whole: tuple[float, float] | None) -> Fold | None:
    """Return the end of the range, if it lies between two points."""
    p = float(there.y[-1])
    if whole is None or whole[0] <= p <= whole[1]:
        return None
    bound = whole[0] if p < whole[0] else whole[1]
    part = (bound - here.y[-1]) / (p - here.y[-1])
    return Fold(bound, None, here.y + part * (there.y - here.y))


def fold_between(system: System, here: Point, there: Point) -> Fold:
    """Return the fold between two points: where the parameter's part of the tangent changes its sign."""
    fold = root_between(system, here, there, lambda point: float(point.tangent[-1]))
    return Fold(float(fold.y[-1]), system.stuck(fold.tangent), fold.y)


def change_at(system: System, y: Floats) -> Fold:
    """Return a pose at which curves cross like a fold, with the step that is singular there."""
    null = np.linalg.svd(system.equations(y)[1][:, :-1])[2][-1]
    return Fold(float(y[-1]), system.stuck(np.append(null, 0.0)), y)


def stroke_between(system: System, here: Point, there: Point) -> Fold | None:
    """Return the first end of a stroke between two points, if any; also of a stroke that is left and entered again."""
    first: Fold | None = None
    for stroke in system.strokes:

        def room(point: Point, stroke: Stroke = stroke) -> float:
            return float(system.room(stroke, point.y))

        def slope(point: Point, stroke: Stroke = stroke) -> float:
            return float(system.room(stroke, point.y + 1j * COMPLEX_STEP * point.tangent).imag) / COMPLEX_STEP

        until, inside, first_slope = there, room(here), slope(here)
        # The slope of a stroke that this motion leaves at rest is rounding, of either sign.
        if first_slope < -ROUNDING:
            if inside <= SAME_SOLVED:
                return Fold(float(here.y[-1]), None, here.y, stroke=stroke)
            last_slope = slope(there)
            # Its smallest value within the step is sought where the slopes leave room for an end.
            steepest = max(-first_slope, last_slope) * np.linalg.norm(there.y - here.y)
            if last_slope > 0 and inside < MARGIN * steepest:
                until = root_between(system, here, there, slope)
        if inside > SAME_SOLVED and room(until) < 0:
            end = root_between(system, here, until, room)
            fold = Fold(float(end.y[-1]), None, end.y, stroke=stroke)
            first = fold if first is None or _before(fold, first, here) else first
    return first


def _before(one: Fold, other: Fold, here: Point) -> bool:
    """Return whether one of two ends of a step comes before the other, or with it."""
    return bool(here.tangent @ (one.y - other.y) <= 0)


def barred_between(system: System, here: Point, there: Point) -> Fold | None:
    """Return the end where a relation with one mode stops closing although the curve is smooth: a length of zero."""
    for index, step in enumerate(system.plan.steps):
        if not step.kind.closed_form or step.has_root:
            continue

        def value(point: Point, index: int = index) -> float:
            return _discriminant(system, index, point.y)

        if value(here) > 0 >= value(there):
            end = root_between(system, here, there, value)
            return Fold(float(end.y[-1]), index, end.y)
    return None


def _discriminant(system: System, index: int, y: Floats) -> float:
    """Return the discriminant of a relation, positive where it always closes."""
    step = system.plan.steps[index]
    assert step.kind.closed_form
    discriminant = step.kind.discriminant(system.plan.inputs(step, system.rows(y[:, None])))
    return 1.0 if discriminant is None else float(np.ravel(discriminant)[0]) * step.mode


def is_back(system: System, start: Point, here: Point, there: Point, *, periodic: bool) -> bool:
    """Return whether a step passes the start again, in its original direction."""
    gap = system.apart(system.shifted(start.y, there.y[-1]) if periodic else start.y, here.y)
    step = system.apart(there.y, here.y)
    square = float(step @ step)
    part = float(gap @ step) / square
    if here is start or not -SAME_SOLVED <= part < 1 - SAME_SOLVED or start.tangent @ step <= 0:
        return False
    return bool(np.linalg.norm(part * step - gap) < BESIDE * np.sqrt(square))


def _turns_on(start: Floats, there: Point) -> bool:
    """Return whether a driver has turned so often that it is taken to turn without end."""
    return bool(abs(there.y[-1] - start[-1]) > TURNS * TURN)


def _back(system: System, start: Floats, here: Point, there: Point) -> Fold | None:
    """Return the end where the vectors of the start repeat between two points, whole turns later."""
    turns = round((there.y[-1] - start[-1]) / TURN)
    place = start[-1] + turns * TURN
    if not turns or not min(here.y[-1], there.y[-1]) <= place <= max(here.y[-1], there.y[-1]):
        return None
    part = (place - here.y[-1]) / ((there.y[-1] - here.y[-1]) or 1.0)
    guess = np.append((here.y + part * (there.y - here.y))[:-1], place)
    y = system.closed(guess[None])[0][0]
    gap = np.abs(y[:-1] - start[:-1])[system.places]
    return Fold(float(place), None, y, turns=abs(turns)) if gap.max(initial=0.0) < SAME_SOLUTION else None
