"""Variants with lengths that a mechanism on its own would have made equal; see `structkin.model.assemble`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from structkin.model.draft import Draft
from structkin.numerical_tolerances import EQUAL_DATA, ROUNDING_OF_FEW
from structkin.solve.many.variants import Variants
from structkin.types import Flags, Floats


def nearly_equal(draft: Draft, size: float, count: int) -> set[int]:
    """Return those of so many variants with distances of pins that are nearly equal, but not quite.

    Those are scaled as they are built, so that these variants are built individually.
    """
    fixed: Any = []
    varied = []
    for link in draft.links.values():
        pins = [point for point in link.points if len(draft.holders[point]) > 1]
        for a, b in combinations(pins, 2):
            distance: Any = abs(link.local[b] - link.local[a])
            if isinstance(distance, Variants):
                varied.append(distance.values[1:])
            else:
                fixed.append(distance)
    fixed = np.unique(fixed)
    if _is_near(np.diff(fixed), fixed[1:], size).any():
        return set(range(count))
    if not varied:
        return set()
    lengths = np.sort(varied, axis=0)
    near = _is_near(np.diff(lengths, axis=0), lengths[1:], size).any(axis=0)
    if len(fixed):
        above = np.searchsorted(fixed, lengths)
        for at in (above.clip(max=len(fixed) - 1), (above - 1).clip(min=0)):
            near |= _is_near(np.abs(lengths - fixed[at]), lengths, size).any(axis=0)
    return set(np.flatnonzero(near).tolist())


def _is_near(gap: Floats, length: Floats, size: float) -> Flags:
    """Return which gaps between two lengths are small, but more than rounding: with a margin for the latter."""
    return np.asarray((gap > ROUNDING_OF_FEW * size / 2) & (gap <= 2 * EQUAL_DATA * length))
