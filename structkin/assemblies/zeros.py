"""All zeros of a function that is analytic on an interval and spans many powers of ten, by Chebyshev proxies.

As in `structkin.kinematics.limits.proxy`, the function is replaced by polynomials on pieces of the interval (Boyd,
Solving Transcendental Equations, 2014). There values are of size one; a discriminant is a product whose size is only
known piece by piece. So a piece is done when its polynomial is resolved and, divided by the roots found in and near the
piece, leaves a function that stays away from zero: then no zero is overlooked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from structkin.assemblies.discriminant import Sign
from structkin.budget import charge

Floats = NDArray[np.float64]

#: Nodes of a piece.
NODES = 24
#: Largest of the last coefficients of a piece that is resolved, and least value that is left without the roots.
RESOLVED, AWAY = 1e-8, 1e-2
#: Roots nearer to a piece than this, in half lengths of it, are divided out.
NEAR = 0.3
#: Roots nearer to the real axis than this are looked at: there is a narrow interval, a double zero or nothing.
BESIDE = 0.05
#: A piece is not halved below this part of the whole, and no more once there are so many.
SMALLEST, MOST = 1e-8, 400

_ANGLES = np.pi * (np.arange(NODES) + 0.5) / NODES
_NODES = np.cos(_ANGLES)
_TO_COEFFICIENTS = np.cos(np.outer(_ANGLES, np.arange(NODES))) * (2 / NODES)
_TO_COEFFICIENTS[:, 0] *= 0.5


def samples(function: Callable[[Floats], Sign], edges: Floats) -> Floats:
    """Return places, at least one in each interval on which the function has no zero.

    `function` takes places (n,). Also the places at which a pair of zeros is nearly real are among them.

    >>> def line(x):
    ...     return Sign(np.log(np.abs(x - 0.25)), np.sign(x - 0.25), np.where(x > 0.25, 2, 0))
    >>> samples(line, np.array([0.0, 1.0])).round(9).tolist()
    [0.125, 0.625]
    """
    pieces, smallest = np.stack((edges[:-1], edges[1:])), SMALLEST * (edges[-1] - edges[0])
    marks, extra = [float(edges[0]), float(edges[-1])], list[float]()
    total = pieces.shape[1]
    while pieces.size:
        charge(float(pieces.shape[1]))
        middle, half = pieces.mean(axis=0), 0.5 * np.diff(pieces, axis=0)[0]
        found = function((middle + half * _NODES[:, None]).T.ravel())
        left = []
        for k, (m, h) in enumerate(zip(middle, half, strict=True)):
            one = slice(k * NODES, (k + 1) * NODES)
            roots = _roots(Sign(found.size[one], found.sign[one], found.count[one]))
            if roots is None and h > smallest and total < MOST:
                left.append(k)
                total += 1
            elif roots is None:
                # A pole or a place where all stands still: both sides of it are looked at.
                marks += [m - h, m + h]
            else:
                inside = np.abs(roots.real) <= 1 + 1e-6
                marks += (m + h * roots.real[inside & (roots.imag == 0)]).tolist()
                extra += (m + h * roots.real[inside & (roots.imag > 0) & (roots.imag < BESIDE)]).tolist()
        low, high = pieces[:, left]
        pieces = np.stack((np.concatenate((low, middle[left])), np.concatenate((middle[left], high))))
    places = np.sort(np.clip(marks, edges[0], edges[-1]))
    wide = np.diff(places) > 1e-13 * max(1.0, float(np.abs(edges).max()))
    return np.unique(np.concatenate((0.5 * (places[1:] + places[:-1])[wide], extra)))


def _roots(found: Sign) -> NDArray[np.complex128] | None:
    """Return the zeros in and near [-1, 1] of a function that is known at the nodes, None where it is not resolved."""
    if not np.isfinite(found.size).all():
        return None
    values = found.sign * np.exp(found.size - found.size.max())
    coefficients = values @ _TO_COEFFICIENTS
    size = np.abs(coefficients)
    if size[-4:].max() > RESOLVED:
        return None
    kept = np.flatnonzero(size > 10 * size[-4:].max() + 1e-15)
    roots: NDArray[np.complex128] = np.empty(0, complex)
    if kept[-1] > 0:
        roots = chebyshev.chebroots(coefficients[: kept[-1] + 1]).astype(complex)
    # How far from the interval: the sum of the axes of the ellipse with foci at -1 and 1 through the root.
    far = np.abs(roots + 1) + np.abs(roots - 1) - 2
    roots = roots[far < NEAR]
    rest = np.abs(values) / np.prod(np.abs(_NODES[:, None] - roots), axis=1)
    if rest.min() < AWAY * rest.max():
        return None
    changes = np.flatnonzero(np.diff(found.count))
    for k in changes:
        # The nodes go down.
        if not np.any((roots.real > _NODES[k + 1] - 1e-3) & (roots.real < _NODES[k] + 1e-3)):
            return None
    return roots
