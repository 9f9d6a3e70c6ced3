"""Every extremum of an analytic function on an interval, by Chebyshev proxies.

The function is replaced by polynomials on pieces of the interval; a piece is halved until its last Chebyshev
coefficients are at rounding level. All extrema are then eigenvalues (Boyd, Solving Transcendental Equations, 2014).
Between two neighbours of these places the function is monotone, so that signs at them tell every zero: neither a
double zero nor a narrow gap can slip between samples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from structkin.budget import charge

Floats = NDArray[np.float64]

#: Nodes of a piece.
NODES = 32
#: A piece is resolved where its last coefficients are below this; the functions are of size one.
RESOLVED = 1e-13
#: Coefficients that stay level below this are the rounding of the function itself: halving would not end.
LEVEL = 1e-10
#: A piece is not halved below this part of the whole, and no more once there are so many.
SMALLEST, MOST = 1e-9, 2000
#: The work on a piece, in steps of the budget.
PIECE = 0.1
#: Extrema are wanted where the function may be below this in size.
NEAR = 0.2

_ANGLES = np.pi * (np.arange(NODES) + 0.5) / NODES
_NODES = np.cos(_ANGLES)
#: Values at the nodes times this are the Chebyshev coefficients.
_TO_COEFFICIENTS = np.cos(np.outer(_ANGLES, np.arange(NODES))) * (2 / NODES)
_TO_COEFFICIENTS[:, 0] *= 0.5


def landmarks(function: Callable[[Floats], Floats], edges: Floats) -> Floats:
    """Return the edges and places in between, such that the function is monotone or without zero between neighbours.

    Among them is every extremum near zero.

    `function` takes places (n,) and returns values (n,), of the size of one. It is analytic between the edges, but may
    have a branch point at an edge or be NaN there.

    >>> landmarks(lambda x: (x - 0.3) ** 2, np.array([0.0, 1.0])).round(12).tolist()
    [0.0, 0.3, 1.0]
    """
    pieces, smallest = np.stack((edges[:-1], edges[1:])), SMALLEST * (edges[-1] - edges[0])
    found = [edges]
    while pieces.size:
        charge(PIECE * pieces.shape[1])
        middle, half = pieces.mean(axis=0), 0.5 * np.diff(pieces, axis=0)[0]
        values = function((middle + half * _NODES[:, None]).T.ravel()).reshape(-1, NODES)
        done, coefficients = _resolved(values)
        done |= (half < smallest) | (pieces.shape[1] > MOST)
        found += [pieces[0, done]]
        found += [
            m + h * _extrema(c) for m, h, c in zip(middle[done], half[done], coefficients[done], strict=True) if h > 0
        ]
        low, high = pieces[:, ~done]
        pieces = np.stack((np.concatenate((low, middle[~done])), np.concatenate((middle[~done], high))))
    return np.unique(np.concatenate(found))


def _resolved(values: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Return which pieces need no halving, and the coefficients of all (pieces, nodes)."""
    finite = np.isfinite(values).all(axis=1)
    coefficients = np.where(np.isfinite(values), values, 0.0) @ _TO_COEFFICIENTS
    tail = np.abs(coefficients[:, -4:]).max(axis=1)
    # Far from zero the sign is certain long before the last digit is; branch points need not be climbed down into.
    clear = (np.abs(values).min(axis=1) > np.maximum(100 * tail, NEAR)) & (np.ptp(np.sign(values), axis=1) == 0)
    level = (tail < LEVEL) & (np.abs(coefficients[:, 8:-4]).max(axis=1) < 10 * tail)
    return finite & ((tail < RESOLVED) | clear | level), coefficients


def _extrema(coefficients: Floats) -> Floats:
    """Return the extrema in [-1, 1] of a Chebyshev series, unless it stays away from zero or is monotone."""
    c = np.abs(coefficients)
    k = np.arange(NODES)
    if c[0] - c[1:].sum() > NEAR or c[1] > (c * k * k)[2:].sum():
        return np.empty(0)
    slope = chebyshev.chebder(coefficients)
    size = np.abs(slope)
    kept = np.flatnonzero(size > 1e-14 * size.max())
    if not len(kept) or kept[-1] == 0:
        return np.empty(0)
    roots = chebyshev.chebroots(slope[: kept[-1] + 1])
    # A double zero of the slope is split by rounding into a pair beside the axis.
    real = np.sort(roots.real[(np.abs(roots.imag) < 1e-5) & (np.abs(roots.real) <= 1)])
    return np.asarray(real)
