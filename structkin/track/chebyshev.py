"""Analytic functions on an interval as Chebyshev polynomials on pieces of it, so that no zero is overlooked.

A piece is halved until its polynomial stands for the function; zeros and extrema of the polynomial are eigenvalues
(Boyd, Solving Transcendental Equations, 2014).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev

from structkin.budget import charge
from structkin.numerical_tolerances import ROUNDING_OF_ONE, SERIES_LEVEL, SERIES_RESOLVED, SHORTEST_PART
from structkin.types import Flags, Floats

#: Work on some pieces, given the places of all their nodes, their middles and their half lengths: returns which of
#: them are done.
Look = Callable[[Floats, Floats, Floats], Flags]


class Interpolation:
    """Polynomials with this many nodes per piece.

    `places` (nodes,) are those of the piece from -1 to 1, descending; values there times `to_coefficients` (nodes,
    nodes) are the Chebyshev coefficients.
    """

    def __init__(self, nodes: int) -> None:
        """Take the number of nodes."""
        angles = np.pi * (np.arange(nodes) + 0.5) / nodes
        self.nodes, self.places = nodes, np.cos(angles)
        self.to_coefficients = np.cos(np.outer(angles, np.arange(nodes))) * (2 / nodes)
        self.to_coefficients[:, 0] *= 0.5

    def halve(self, edges: Floats, look: Look, work: float) -> None:
        """Halve the pieces between some edges until all are done; `work` is that per piece, in steps of the budget."""
        pieces = np.stack((edges[:-1], edges[1:]))
        while pieces.size:
            charge(work * pieces.shape[1])
            middle, half = pieces.mean(axis=0), 0.5 * np.diff(pieces, axis=0)[0]
            left = ~look((middle + half * self.places[:, None]).T.ravel(), middle, half)
            low, high = pieces[:, left]
            pieces = np.stack((np.concatenate((low, middle[left])), np.concatenate((middle[left], high))))


#: Nodes of a piece in which extrema are looked for.
NODES = 32
#: A piece is not halved once there are this many.
MOST = 2000
#: The work per piece, in steps of the budget.
PIECE = 0.1
#: Extrema are wanted where the function may be below this in size.
NEAR = 0.2

_INTERPOLATION = Interpolation(NODES)


def landmarks(function: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """Return the edges and places in between, such that the function is monotone or without zero between neighbours.

    Among them is every extremum near zero, so that the signs at them reveal every zero: neither a double zero nor a
    narrow gap can slip between samples.

    `function` takes places (n,) and returns values (n,), of the size of one. It is analytic between the edges, but may
    have a branch point at an edge or be NaN there.

    >>> landmarks(lambda x: (x - 0.3) ** 2, np.array([0.0, 1.0])).round(12).tolist()
    [0.0, 0.3, 1.0]
    """
    found, smallest = [edges], SHORTEST_PART * (edges[-1] - edges[0])

    def look(places: Floats, middle: Floats, half: Floats) -> Flags:
        done, coefficients = _resolved(function(places).reshape(-1, NODES))
        done |= (half < smallest) | (len(half) > MOST)
        found.append((middle - half)[done])
        found.extend(middle[k] + half[k] * _extrema(coefficients[k]) for k in np.flatnonzero(done & (half > 0)))
        return done

    _INTERPOLATION.halve(edges, look, PIECE)
    return np.unique(np.concatenate(found))


def _resolved(values: Floats) -> tuple[Flags, Floats]:
    """Return which pieces need no halving, and the coefficients of all (pieces, nodes)."""
    finite = np.isfinite(values).all(axis=1)
    coefficients = np.where(np.isfinite(values), values, 0.0) @ _INTERPOLATION.to_coefficients
    tail = np.abs(coefficients[:, -4:]).max(axis=1)
    # Far from zero the sign is certain long before the last digit is; branch points need not be resolved.
    clear = (np.abs(values).min(axis=1) > np.maximum(100 * tail, NEAR)) & (np.ptp(np.sign(values), axis=1) == 0)
    level = (tail < SERIES_LEVEL) & (np.abs(coefficients[:, 8:-4]).max(axis=1) < 10 * tail)
    return finite & ((tail < SERIES_RESOLVED) | clear | level), coefficients


def _extrema(coefficients: Floats) -> Floats:
    """Return the extrema in [-1, 1] of a Chebyshev series, unless it stays away from zero or is monotone."""
    c = np.abs(coefficients)
    k = np.arange(NODES)
    if c[0] - c[1:].sum() > NEAR or c[1] > (c * k * k)[2:].sum():
        return np.empty(0)
    slope = chebyshev.chebder(coefficients)
    size = np.abs(slope)
    kept = np.flatnonzero(size > ROUNDING_OF_ONE * size.max())
    if not len(kept) or kept[-1] == 0:
        return np.empty(0)
    roots = chebyshev.chebroots(slope[: kept[-1] + 1])
    # A double zero of the slope is split by rounding into a pair next to the axis.
    real = np.sort(roots.real[(np.abs(roots.imag) < 1e-5) & (np.abs(roots.real) <= 1)])
    return np.asarray(real)
