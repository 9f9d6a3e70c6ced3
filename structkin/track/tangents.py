"""The tangents of a general group's branches at a pose where it is singular: second-order conditions.

Let the inputs be h(s) and the unknowns x(s) = x0 + s x1 + s^2 x2 + ..., and G(s) = Phi(x0 + s x1, h(s)) with its Taylor
coefficients G1 = J x1 + Phi_h h' and G2. A branch has G1 = 0 and J x2 = -G2. With null vectors N of J and left null
vectors W, the first leaves x1 = t + N c open, and the second has a solution x2 where

    W^T G2(c) = 0,

quadratic equations in c: with one null vector a parabola, with two two conics. Each isolated real solution is the
tangent of a branch (Connelly and Servatius, Higher-order rigidity, Discrete Comput. Geom. 11, 1994; Mueller, Local
kinematic analysis of closed-loop linkages, J. Mechanisms Robotics 10, 2018). The coefficients come from values of the
rows on a circle of complex s, so that no second derivative has to be written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import CLOSED, HALF_DIGITS, ROUNDING
from structkin.track.contour import ITERATIONS
from structkin.types import Complexes, Floats

#: Singular values of the scaled Jacobian below this are zero.
ZERO = 1e-5
#: A root is real to this part of its size: that of a double one is known to half the digits.
REAL = 1e-5


@dataclass(frozen=True)
class Tangents:
    """The tangents x1 (n, 3 m) of a group, columns dO_x, dO_y, size dtheta of each link, in a fixed order.

    `resting` is how many more there are along which the inputs are at rest; not `isolated` where infinitely many
    satisfy the conditions, or where these are of an order above the second.
    """

    directions: Floats
    resting: int = 0
    isolated: bool = True


def tangents(form: General, h: tuple[Any, ...], s: Complexes, O: Floats, theta: Floats) -> Tangents:
    """Return the tangents at a pose, O (m, 2, 1) and theta (m, 1), from the inputs at places s (n,) of a circle."""
    m, size = form.rows.links, form.rows.size
    h0 = tuple(np.mean(np.atleast_1d(x), axis=-1, keepdims=True).real for x in h)
    J = form.jacobian(h0, form.unknowns(O, theta))[0]
    left, values, right = np.linalg.svd(J)
    rank = int(np.sum(values > ZERO))
    W, N = left[:, rank:], right[rank:].T
    count = N.shape[1]

    def powers(x1: Floats) -> Floats:
        """Return the coefficients of s and s^2 in the rows (2, r) along x1 (3 m,)."""
        direction = x1.reshape(m, 3)
        gaps = form.gaps(h, O + s * direction[:, :2, None], theta + s * direction[:, 2:] / size)
        gaps = np.broadcast_to(gaps, (len(J), len(s)))
        return np.stack([(gaps @ s**-power).real / len(s) for power in (1, 2)])

    known = powers(np.zeros(3 * m))[0]
    t = -right[:rank].T @ ((left[:, :rank].T @ known) / values[:rank])
    if np.max(np.abs(W.T @ known)) > HALF_DIGITS * size:
        return Tangents(np.zeros((0, 3 * m)))
    if count > 2:
        return Tangents(np.zeros((0, 3 * m)), isolated=False)
    scale = max(float(np.linalg.norm(t)), size)

    def conditions(c: Floats) -> Floats:
        return np.asarray(W.T @ powers(t + scale * N @ c)[1]) / scale

    c, resting = (_on_a_line if count == 1 else _in_a_plane)(conditions)
    if c is None:
        return Tangents(np.zeros((0, 3 * m)), isolated=False)
    directions = t + scale * c @ N.T
    # Null vectors have any sign and, of two, any turn: the next call for this pose has to count alike.
    generic = np.cos(np.arange(1.0, 3 * m + 1))
    return Tangents(directions[np.argsort(directions @ generic)], resting)


def _on_a_line(conditions: Any) -> tuple[Floats | None, int]:
    """Return the common real roots (n, 1) of quadratic conditions on c (1,), and how many lie at infinity."""
    low, middle, high = (conditions(np.array([c])) for c in (-1.0, 0.0, 1.0))
    rows = np.stack((0.5 * (high + low) - middle, 0.5 * (high - low), middle), axis=1)
    sizes = np.abs(rows).max(axis=1)
    if sizes.max() < HALF_DIGITS:
        return None, 0
    row = rows[np.argmax(sizes)]
    row = np.where(np.abs(row) > HALF_DIGITS * sizes.max(), row, 0.0)
    roots = np.roots(row)
    resting = 1 if row[0] == 0.0 and np.all(np.abs(rows[:, 0]) < HALF_DIGITS) else 0
    roots = np.unique(roots.real[np.abs(roots.imag) < REAL * (1 + np.abs(roots))])
    left = np.abs(np.stack([np.polyval(one, roots) for one in rows])).max(axis=0)
    return roots[left < REAL * sizes.max() * (1 + roots**2)][:, None], resting


def _in_a_plane(conditions: Any) -> tuple[Floats | None, int]:
    """Return the common real roots (n, 2) of quadratic conditions on c (2,), by the resultant of two of them."""
    rng = np.random.default_rng(0)
    # Turned by chance, so that no root lies at infinity along an axis.
    turn = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    places = rng.normal(size=(12, 2))
    x, y = places.T
    values = np.stack([conditions(turn @ place) for place in places])
    if values.shape[1] < 2:
        return None, 0
    rows = np.linalg.lstsq(np.stack((x * x, x * y, y * y, x, y, np.ones(12)), axis=1), values)[0].T
    size = np.abs(rows).max()
    if size < HALF_DIGITS or np.linalg.svd(rows / size, compute_uv=False)[1] < HALF_DIGITS:
        return None, 0
    # Random combinations of the conditions have all their common roots.
    p, q = np.linalg.qr(rng.normal(size=(len(rows), 2)))[0].T @ rows / size

    def in_y(f: Floats) -> tuple[Any, Any, Any]:
        return np.array([f[2]]), np.array([f[1], f[4]]), np.array([f[0], f[3], f[5]])

    (a, b, d), (e, f, g) = in_y(p), in_y(q)
    mul, sub = np.polymul, np.polysub
    first, second, third = sub(mul(a, g), mul(e, d)), sub(mul(a, f), mul(e, b)), sub(mul(b, g), mul(f, d))
    resultant = sub(mul(first, first), mul(second, third))
    if np.abs(resultant).max() < HALF_DIGITS:
        return None, 0
    found = []
    for root in np.roots(np.where(np.abs(resultant) > ROUNDING * np.abs(resultant).max(), resultant, 0.0)):
        below = np.polyval(second, root)
        if abs(root.imag) < REAL * (1 + abs(root)) and abs(below) > ROUNDING:
            place = np.array((root.real, -(np.polyval(first, root) / below).real))
            left = conditions(turn @ place)
            if np.abs(left).max() < REAL * size * (1 + place @ place):
                found.append(turn @ place)
    return np.array(found).reshape(-1, 2), _common_directions(p[:3], q[:3])


def _common_directions(p: Floats, q: Floats) -> int:
    """Return how many real directions two forms p0 x^2 + p1 x y + p2 y^2 have in common: their roots at infinity."""
    roots = np.roots(p[::-1])
    roots = roots.real[np.abs(roots.imag) < REAL * (1 + np.abs(roots))]
    return int(np.sum(np.abs(np.polyval(q[::-1], roots)) < REAL * (1 + roots**2) * np.abs(q).max()))


def closed_on(
    form: General, h: tuple[Any, ...], s: Complexes, O: Floats, theta: Floats, direction: Floats
) -> tuple[Any, ...] | None:
    """Return the unknowns on a circle for the branch with this tangent (3 m,), None where they are not found.

    The result has the pose as its mean, and the tangent as its first power: it is this branch and no other.
    """
    m, size = form.rows.links, form.rows.size
    rates = direction.reshape(m, 3)
    with np.errstate(all="ignore"):
        near, angles, change = form.newton(
            h, O + s * rates[:, :2, None], theta + s * rates[:, 2:] / size, iterations=ITERATIONS
        )
    if not (change < CLOSED).all():
        return None
    found = np.concatenate((near.reshape(-1, len(s)) / size, angles))
    pose = np.concatenate((O.reshape(-1) / size, theta[:, 0]))
    slope = np.concatenate((rates[:, :2].reshape(-1), rates[:, 2])) / size
    centre, first = found.mean(axis=1).real, (found @ s**-1).real / len(s)
    if np.max(np.abs(centre - pose)) > HALF_DIGITS or np.max(np.abs(first - slope)) > 1e-3 * (1 + np.abs(slope).max()):
        return None
    return form.unknowns(near, angles)
