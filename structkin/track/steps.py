"""Step control: a straight path is followed in steps, which shrink where a trial fails and grow with success."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

P = TypeVar("P")


def follow_straight(
    start: P, take: Callable[[P, float], P | None], shortest: Callable[[P], float], *, first: float = 1.0
) -> tuple[P, bool]:
    """Follow a path from its beginning, 0, to its end, 1; return the last pose, and whether it is at the end.

    `take` steps from a pose to a fraction of the path, or returns None where that is not safe; `shortest` returns the
    least step allowed from a pose.

    >>> follow_straight(0.0, lambda x, end: end if end - x < 0.3 else None, lambda x: 1e-3)
    (1.0, True)
    >>> follow_straight(0.0, lambda x, end: end if end < 0.5 else None, lambda x: 0.1)
    (0.375, False)
    """
    pose, done, length = start, 0.0, first
    while done < 1.0:
        end = min(1.0, done + length)
        found = take(pose, end)
        if found is not None:
            pose, done, length = found, end, 2 * length
            continue
        length *= 0.5
        # A step that the end cuts off is the same after halving.
        while length >= end - done > 0.0:
            length *= 0.5
        if length < shortest(pose):
            return pose, False
    return pose, True
