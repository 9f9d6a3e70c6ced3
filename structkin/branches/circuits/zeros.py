"""All zeros of a function that is analytic on an interval and spans many powers of ten, by Chebyshev proxies.

As for `structkin.track.chebyshev.landmarks`, the function is replaced by polynomials on pieces of the interval. There
values are of size one; a discriminant is a product whose size is only
known piece by piece. So a piece is done when its polynomial is resolved and, divided by the roots found in and near the
piece, leaves a function that stays away from zero: then no zero is overlooked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from structkin.branches.circuits.discriminant import Sign
from structkin.track.chebyshev import Interpolation

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

_INTERPOLATION = Interpolation(NODES)


def samples(function: Callable[[Floats], Sign], edges: Floats) -> Floats:
    """Return places, at least one in each interval on which the function has no zero.

    `function` takes places (n,). Also the places at which a pair of zeros is nearly real are among them.

    >>> def line(x):
    ...     return Sign(np.log(np.abs(x - 0.25)), np.sign(x - 0.25), np.where(x > 0.25, 2, 0))
    >>> samples(line, np.array([0.0, 1.0])).round(9).tolist()
    [0.125, 0.625]
    """
    marks, extra = [float(edges[0]), float(edges[-1])], list[float]()
    smallest, total = SMALLEST * (edges[-1] - edges[0]), len(edges) - 1

    def look(places: Floats, middle: Floats, half: Floats) -> NDArray[np.bool_]:
        nonlocal total
        found, done = function(places), np.ones(len(half), bool)
        for k, (m, h) in enumerate(zip(middle, half, strict=True)):
            one = slice(k * NODES, (k + 1) * NODES)
            roots = _roots(Sign(found.size[one], found.sign[one], found.count[one]))
            if roots is None and h > smallest and total < MOST:
                done[k] = False
                total += 1
            elif roots is None:
                # A pole or a place where all stands still: both sides of it are looked at.
                marks.extend((m - h, m + h))
            else:
                inside = np.abs(roots.real) <= 1 + 1e-6
                marks.extend(m + h * roots.real[inside & (roots.imag == 0)])
                extra.extend(m + h * roots.real[inside & (roots.imag > 0) & (roots.imag < BESIDE)])
        return done

    _INTERPOLATION.halve(edges, look, 1.0)
    places = np.sort(np.clip(marks, edges[0], edges[-1]))
    wide = np.diff(places) > 1e-13 * max(1.0, float(np.abs(edges).max()))
    return np.unique(np.concatenate((0.5 * (places[1:] + places[:-1])[wide], extra)))


def _roots(found: Sign) -> NDArray[np.complex128] | None:
    """Return the zeros in and near [-1, 1] of a function that is known at the nodes, None where it is not resolved."""
    if not np.isfinite(found.size).all():
        return None
    nodes = _INTERPOLATION.places
    values = found.sign * np.exp(found.size - found.size.max())
    coefficients = values @ _INTERPOLATION.to_coefficients
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
    rest = np.abs(values) / np.prod(np.abs(nodes[:, None] - roots), axis=1)
    if rest.min() < AWAY * rest.max():
        return None
    for k in np.flatnonzero(np.diff(found.count)):
        # The nodes go down.
        if not np.any((roots.real > nodes[k + 1] - 1e-3) & (roots.real < nodes[k] + 1e-3)):
            return None
    return roots
