"""Step control: a straight path is followed in steps, which shrink where a trial fails and grow with success."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

P = TypeVar("P")

#: Towards a limit position a step goes this part of the way, if two estimates of what is left agree within a part.
TOWARDS, AGREE = 0.75, 0.5
#: An end that is at most so many times as far is tried itself: the path may lead to it by rounding only.
NEAR = 4.0


def follow_straight(
    start: P,
    take: Callable[[P, float], P | None],
    shortest: Callable[[P], float],
    *,
    first: float = 1.0,
    size: Callable[[P], float] | None = None,
) -> tuple[P, bool]:
    """Follow a path from its beginning, 0, to its end, 1; return the last pose, and whether it is at the end.

    `take` steps from a pose to a fraction of the path, or returns None where that is not safe; `shortest` returns the
    least step allowed from a pose. Towards a limit position the `size` of something, such as a determinant, falls like
    a root: where it does, steps do not try to pass it.

    >>> follow_straight(0.0, lambda x, end: end if end - x < 0.3 else None, lambda x: 1e-3)
    (1.0, True)
    >>> follow_straight(0.0, lambda x, end: end if end < 0.5 else None, lambda x: 0.1)
    (0.375, False)
    """
    pose, done, length = start, 0.0, first
    last = [(0.0, size(start))] if size else []
    while done < 1.0:
        end = min(1.0, done + length)
        found = take(pose, end)
        if found is not None:
            pose, done, length = found, end, 2 * length
            if size:
                last = [*last[-2:], (done, size(pose))]
                left = _left(last)
                if done + NEAR * left < 1.0:
                    length = min(length, TOWARDS * left)
            continue
        length *= 0.5
        # A step that the end cuts off is the same after halving.
        while length >= end - done > 0.0:
            length *= 0.5
        if length < shortest(pose):
            return pose, False
    return pose, True


def _left(last: list[tuple[float, float]]) -> float:
    """Return how far it is from the last of three places to the limit position that sizes there tell; else infinite.

    What falls like a root has a square that falls straight to zero there.

    >>> [round(_left([(x, (1 - x) ** power) for x in (0.0, 0.5, 0.8)]), 9) for power in (0.5, 1.0)]
    [0.2, inf]
    """
    if len(last) < 3:
        return math.inf
    (x, a), (y, b), (z, c) = last
    if not a > b > c > 0.0:
        return math.inf
    before, left = y + (y - x) * b * b / (a * a - b * b), (z - y) * c * c / (b * b - c * c)
    return left if abs(z + left - before) <= AGREE * left else math.inf
