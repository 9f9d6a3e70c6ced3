"""Elimination for all assembly modes at once: for one pair of unknowns, or two as in triads and similar groups.

In isotropic coordinates (z and its conjugate zb as separate unknowns) a group is a set of bilinear equations
sum M[a, b] Y[a] Yb[b] = 0 with Y = (1, z, u) and Yb = (1, zb, ub). For the platform of a triad (class III, order 3)
with origin z and direction u, each leg gives one equation:

    leg (exterior, interior)   equation
    RR                         |z + p u - A|^2 = l^2                     z zb + ...
    RP                         distance of A from a line of the platform   z ub, zb u, ...
    PR                         distance of p from a known line             z, zb, u, ub

and a fourth is u ub = 1. So one elimination covers all legs, with any offset and in any order, as well as other groups
with equations of this form (class IV of order 2, with z the direction of a second link). Subtracting a leg with a
product z zb from the others leaves two equations that are linear in z and zb with coefficients in u and 1/u; Cramer's
rule and the remaining equation give a polynomial in u, of degree 6 for three RR legs, 2 for three RP legs. Its roots
are the eigenvalues of its companion matrix. Source: the classical elimination for the platform of a triad, as
in Wampler, Solving the kinematics of planar mechanisms, J. Mech. Design 121, 1999.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.numerical_tolerances import DEPENDENT, NO_LEAD, ROUNDING_OF_ONE, VANISHED

from .kind import Array

#: |u| beyond FAR or below 1 / FAR is at infinity.
FAR = 1e6


def one_pair(M: Array) -> tuple[Array, Array] | None:
    """Solve two bilinear equations M (2, 2, 2) for y and yb, each (n,), n <= 2; None for infinitely many solutions.

    >>> unit = np.array([[-1.0, 0.0], [0.0, 1.0]])  # y yb = 1
    >>> line = np.array([[-1.0, 1.0], [1.0, 0.0]])  # y + yb = 1
    >>> y, yb = one_pair(np.array([unit, line]))
    >>> np.round(np.sort(np.angle(y, deg=True)), 9).tolist()
    [-60.0, 60.0]
    """
    # yb = -(M00 + M10 y) / (M01 + M11 y) by both equations.
    (tops, bottoms) = ([m[::-1, b] for m in M] for b in (0, 1))
    products = np.convolve(tops[0], bottoms[1]), np.convolve(tops[1], bottoms[0])
    polynomial = products[0] - products[1]
    size = np.max(np.abs(products))
    if np.max(np.abs(polynomial)) <= VANISHED * size:
        return None
    y = _roots(polynomial)
    below = np.array([np.polyval(bottom, y) for bottom in bottoms]).reshape(2, -1)
    above = np.array([np.polyval(top, y) for top in tops]).reshape(2, -1)
    best = np.argmax(np.abs(below), axis=0), np.arange(len(y))
    with np.errstate(all="ignore"):
        return y, -above[best] / below[best]


def platform(M: Array) -> tuple[Array, Array, Array] | None:
    """Solve three bilinear equations M (3, 3, 3) over (1, z, u) and (1, zb, ub), with u ub = 1, for z, zb and u.

    Returns three arrays (n,); candidates at double roots may appear more than once. Returns None if the polynomial
    vanishes: there are infinitely many positions, or this elimination does not apply to the geometry.

    Three RR legs from pivots A to the corners p of a platform, which close at z = 1 + i, u = i:

    >>> A, p, z, u = np.array([0, 5, 1 + 3j]), np.array([0, 2, 1 + 1j]), 1 + 1j, 1j
    >>> square = np.abs(z + p * u - A) ** 2
    >>> row = lambda A, p: np.array([-A, 1, p])
    >>> legs = [np.outer(row(a, b), row(a, b).conj()) - np.diag([s, 0, 0]) for a, b, s in zip(A, p, square)]
    >>> found = platform(np.array(legs))
    >>> len(found[0]), bool(np.min(np.abs(found[0] - z) + np.abs(found[2] - u)) < 1e-12)
    (6, True)
    """
    a, b, d, q = _laurent(M)
    first = int(np.argmax(np.abs(q)))
    linear = [k for k in range(3) if k != first]
    quadratic = np.abs(q[first]) > VANISHED * np.max(np.abs(M))
    if quadratic:
        _subtract(a, b, d, q, first, linear)
    lead = q[first] if quadratic else 0.0
    polynomial = _eliminate(a, b, d, lead, first, linear)
    bound = _eliminate(np.abs(a), np.abs(b), np.abs(d), abs(lead), first, linear, sign=1)
    if np.max(np.abs(polynomial)) <= VANISHED * np.max(np.abs(bound)):
        return None
    found = [
        (z, zb, u)
        for u in _roots(polynomial[::-1])
        if 1 / FAR < abs(u) < FAR
        for z, zb in _origin(_at(a, u), _at(b, u), _at(d, u), q[first] if quadratic else None, first, linear)
    ]
    z, zb, u = np.array(found, complex).reshape(-1, 3).T
    return z, zb, u


def platforms(M: Array) -> tuple[Array, Array, Array]:
    """Solve three such equations in each of n lanes, M (3, 3, 3, n), for z, zb and u, (6, n) each.

    The first equation contains z zb in every lane. NaN where a solution is at infinity, or two legs alone do not
    determine z and zb.
    """
    a, b, d, q = _laurent(M)
    _subtract(a, b, d, q, 0, [1, 2])
    polynomial = _eliminate(a, b, d, q[0], 0, [1, 2])
    size = np.max(np.abs(polynomial), axis=0)
    # If the degree is lower, roots at infinity come out as very large numbers.
    lead = np.where(np.abs(polynomial[-1]) > NO_LEAD * size, polynomial[-1], NO_LEAD * size)
    companion = np.zeros((M.shape[-1], 6, 6), complex)
    companion[:, 1:, :-1] = np.eye(5)
    companion[:, :, -1] = -(polynomial[:-1] / lead).T
    good = np.isfinite(companion).all(axis=(1, 2))
    u = np.full((M.shape[-1], 6), np.nan, complex)
    u[good] = np.linalg.eigvals(companion[good])
    u = np.where((np.abs(u) < FAR) & (np.abs(u) > 1 / FAR), u, np.nan).T
    (a1, b1, d1), (a2, b2, d2) = (tuple(x[k, 0] / u + x[k, 1] + x[k, 2] * u for x in (a, b, d)) for k in (1, 2))
    determinant = a1 * b2 - a2 * b1
    sizes = (np.abs(a1) ** 2 + np.abs(b1) ** 2) * (np.abs(a2) ** 2 + np.abs(b2) ** 2)
    per = 1 / np.where(np.abs(determinant) > DEPENDENT * np.sqrt(sizes), determinant, np.nan)
    return (d1 * b2 - d2 * b1) * per, (a1 * d2 - a2 * d1) * per, u


def _subtract(a: Array, b: Array, d: Array, q: Array, first: int, linear: list[int]) -> None:
    """Subtract an equation with a product z zb from the others to eliminate it there."""
    for k in linear:
        for x in (a, b, d):
            x[k] -= q[k] / q[first] * x[first]


def _laurent(M: Array) -> tuple[Array, Array, Array, Array]:
    """Return a, b, d (3, 3, ...) and q (3, ...) of q z zb + a z + b zb = d; a, b, d by powers u^-1, 1, u."""
    zero = np.zeros_like(M[:, 0, 0])
    a = np.stack((M[:, 1, 2], M[:, 1, 0], zero), axis=1)
    b = np.stack((zero, M[:, 0, 1], M[:, 2, 1]), axis=1)
    d = -np.stack((M[:, 0, 2], M[:, 0, 0] + M[:, 2, 2], M[:, 2, 0]), axis=1)
    return a.astype(complex), b.astype(complex), d.astype(complex), np.asarray(M[:, 1, 1], complex)


def _eliminate(a: Array, b: Array, d: Array, q: Any, first: int, linear: list[int], sign: int = -1) -> Array:
    """Return the polynomial by powers u^-3 ... u^3; with sign +1 and absolute values, a bound on its cancellation."""
    i, j = linear
    product = _convolved
    top = product(d[i], b[j]) + sign * product(d[j], b[i])
    conjugate = product(a[i], d[j]) + sign * product(a[j], d[i])
    bottom = product(a[i], b[j]) + sign * product(a[j], b[i])
    rest: Array = product(a[first], top) + product(b[first], conjugate) + sign * product(d[first], bottom)
    if np.ndim(q) == 0 and q == 0:
        return rest
    whole: Array = product(bottom, rest)
    whole[1:-1] += q * product(top, conjugate)
    return whole[2:-2]


def _convolved(x: Array, y: Array) -> Array:
    """Return the product of two polynomials, coefficients (k, ...) by increasing powers, in each lane."""
    result = np.zeros((len(x) + len(y) - 1, *x.shape[1:]), np.result_type(x, y))
    for k, factor in enumerate(x):
        result[k : k + len(y)] += factor * y
    return result


def _at(x: Array, u: complex) -> Array:
    return np.asarray(x[:, 0] / u + x[:, 1] + x[:, 2] * u)


def _origin(
    a: Array, b: Array, d: Array, q: complex | None, first: int, linear: list[int]
) -> list[tuple[complex, complex]]:
    """Return z and zb at a root u: from two linear equations, or from one and the quadratic if they are dependent."""
    if q is None:
        z, zb = np.linalg.lstsq(np.stack((a, b), axis=1), d)[0]
        return [(z, zb)]
    rows = np.stack((a, b), axis=1)[linear]
    right, sizes = d[linear], np.linalg.norm(rows, axis=1)
    determinant = rows[0, 0] * rows[1, 1] - rows[0, 1] * rows[1, 0]
    places: list[tuple[complex, complex]] = []
    if abs(determinant) > VANISHED * sizes[0] * sizes[1]:
        z, zb = np.linalg.solve(rows, right)
        places.append((z, zb))
    if abs(determinant) < DEPENDENT * sizes[0] * sizes[1] or not places:
        k = int(np.argmax(sizes))
        if sizes[k] == 0:
            return places
        # (z, zb) = start + s along satisfies the longer row; the quadratic equation gives s.
        start = rows[k].conj() * right[k] / sizes[k] ** 2
        along = np.array((-rows[k, 1], rows[k, 0])) / sizes[k]
        slope = a[first] * along[0] + b[first] * along[1] + q * (start[0] * along[1] + start[1] * along[0])
        level = a[first] * start[0] + b[first] * start[1] + q * start[0] * start[1] - d[first]
        for s in _roots(np.array((q * along[0] * along[1], slope, level))):
            places.append((start[0] + s * along[0], start[1] + s * along[1]))
    return places


def _roots(polynomial: Array) -> Array:
    """Return the roots of a polynomial, highest power first, except those made zero or infinite by rounding."""
    coefficients = np.where(np.abs(polynomial) > ROUNDING_OF_ONE * np.max(np.abs(polynomial)), polynomial, 0.0)
    return np.asarray(np.roots(coefficients))
