"""The intervals between points of a general group, whose lanes are closed together, and how they closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from structkin.numerical_tolerances import BETWEEN, CLOSED
from structkin.types import Flags, Floats, Indices

#: Lanes that NumPy closes together: their buffers stay in the cache.
BLOCK = 8192


@dataclass(frozen=True)
class Intervals:
    """The intervals between pairs of points.

    `count` (k,) lanes belong to each, from its first point on; it begins at `begin` (k,) on the path and is
    1 / `inverse` (k,) long. `curves` (6, rows, k) are the coefficients of curves through poses, by powers of the
    fraction of the interval.
    """

    count: Indices
    begin: Floats
    inverse: Floats
    curves: Floats

    def parts(self) -> Iterator[tuple[slice, Intervals]]:
        """Yield intervals of few lanes together, and where these lanes are."""
        ends = np.append(0, np.cumsum(self.count))
        cuts = np.searchsorted(ends, np.arange(0, ends[-1], BLOCK)).tolist()
        for low, high in pairwise([*cuts, len(self.count)]):
            if high > low:
                some = Intervals(
                    self.count[low:high], self.begin[low:high], self.inverse[low:high], self.curves[:, :, low:high]
                )
                yield slice(ends[low], ends[high]), some

    def guess(self, lengths: Floats, links: int) -> Floats:
        """Return the poses (rows, n) of the curves at places (n,) on the path; directions are nearly unit vectors."""
        u = (lengths - np.repeat(self.begin, self.count)) * np.repeat(self.inverse, self.count)
        guess = np.repeat(self.curves[5], self.count, axis=1)
        for part in self.curves[4::-1]:
            guess *= u
            guess += np.repeat(part, self.count, axis=1)
        for k in range(2, 4 * links, 4):
            x, y = guess[k : k + 2]
            guess[k : k + 2] *= 1.5 - 0.5 * (x * x + y * y)
        return guess


@dataclass(frozen=True)
class Closed:
    """How lanes closed from their curves.

    `good` says whether all are closed near their curves, `least` and `most` are the smallest and the largest
    determinant. `lanes` (3, n) are the squares of the last step, the determinants, and bounds of the squared distances
    from the curve.
    """

    good: bool
    least: float
    most: float
    lanes: Floats

    @classmethod
    def of(cls, lanes: Floats) -> Closed:
        """Summarise all lanes."""
        change, determinant, far = lanes
        return cls(
            bool(change.max() < CLOSED**2 and far.max() < BETWEEN**2),
            float(determinant.min()),
            float(determinant.max()),
            lanes,
        )

    @property
    def closed(self) -> Flags:
        """Which lanes are closed near their curves."""
        return np.asarray((self.lanes[0] < CLOSED**2) & (self.lanes[2] < BETWEEN**2))
