"""The equations Phi(q) = 0 of the joints that close loops, their Jacobian W^T and gamma, from the forward passes.

See `structkin.symbolic.tree` for the rows of each kind of joint. A loop ends in a point and a triad of axes on each
of its two bodies A and B. With d from A's point to B's, u an axis of A and w one of B, omega and a from the passes with
qdd = 0,

    gap    Phi = u . d              -gamma = u . (a_B - a_A) + 2 (omega_A x u) . (v_B - v_A)
                                             + (omega_A' x u + omega_A x (omega_A x u)) . d
    angle  Phi = u . w              -gamma = (omega_A' - omega_B') . s + (omega_A - omega_B) . s',   s = u x w

and W^T qdd - gamma is Phi''. The columns of W^T are those of O and A of the two bodies.
"""

from __future__ import annotations

from typing import NamedTuple

from structkin.symbolic.loads_at import point_at
from structkin.symbolic.recursive import Bodies, Work
from structkin.symbolic.vectors import Vector, compiled, cross, dot, get, minus, plus, times, turned
from structkin.types import Floats, Ints

GAP, ANGLE = 0, 1


class Rows(NamedTuple):
    """The m equations: kind, the entries A and B (n for the ground), points from their joints; axes u of A, w of B."""

    kind: Ints
    bodies: Ints
    points: Floats
    u: Floats
    w: Floats


@compiled
def acceleration_at(w: Work, i: int, arm: Vector) -> Vector:
    """Return the acceleration of a point of entry i at `arm` from its joint, both in ground axes."""
    omega, omega_dot = turned(w.frame, i, get(w.omega, i)), turned(w.frame, i, get(w.omega_dot, i))
    return plus(turned(w.frame, i, get(w.alpha, i)), plus(cross(omega_dot, arm), cross(omega, cross(omega, arm))))


@compiled
def closures(b: Bodies, w: Work, rows: Rows, phi: Floats, W: Floats, gamma: Floats) -> None:
    """Set Phi (m,), W^T (m, f) and gamma (m,) of bodies that are placed and move, with O and A."""
    W[:] = 0.0
    n = b.parent.size
    for k in range(rows.kind.size):
        kind, i, j = rows.kind[k], rows.bodies[k, 0], rows.bodies[k, 1]
        u = turned(w.frame, i, get(rows.u, k))
        o1, o2 = turned(w.frame, i, get(w.omega, i)), turned(w.frame, j, get(w.omega, j))
        e1, e2 = turned(w.frame, i, get(w.omega_dot, i)), turned(w.frame, j, get(w.omega_dot, j))
        turning = cross(o1, u)  # u'
        share1 = share2 = (0.0, 0.0, 0.0)  # what multiplies the columns O
        value = bias = 0.0
        if kind == ANGLE:
            axis = turned(w.frame, j, get(rows.w, k))
            s = cross(u, axis)
            value = dot(u, axis)
            bias = dot(minus(e1, e2), s)
            bias += dot(minus(o1, o2), plus(cross(turning, axis), cross(u, cross(o2, axis))))
            share1, share2 = s, times(-1.0, s)
        else:
            first, second = get(rows.points[k], 0), get(rows.points[k], 1)
            (x1, v1), (x2, v2) = point_at(w, i, first), point_at(w, j, second)
            arm1, arm2 = turned(w.frame, i, first), turned(w.frame, j, second)
            d = minus(x2, x1)
            value = dot(u, d)
            bias = dot(u, minus(acceleration_at(w, j, arm2), acceleration_at(w, i, arm1)))
            bias += 2.0 * dot(turning, minus(v2, v1)) + dot(plus(cross(e1, u), cross(o1, turning)), d)
            share1, share2 = cross(u, plus(arm1, d)), cross(arm2, u)
        phi[k], gamma[k] = value, -bias
        shared = 0  # coordinates that carry both bodies do not move one against the other
        depth1, depth2 = b.depth[i] if i < n else 0, b.depth[j] if j < n else 0
        while shared < min(depth1, depth2) and b.path[i, shared] == b.path[j, shared]:
            shared += 1
        moves = 0.0 if kind == ANGLE else 1.0
        for c in range(shared, depth1):
            O, A = turned(w.frame, i, get(w.O[i], c)), turned(w.frame, i, get(w.A[i], c))
            W[k, b.path[i, c]] += dot(share1, O) - moves * dot(u, A)
        for c in range(shared, depth2):
            O, A = turned(w.frame, j, get(w.O[j], c)), turned(w.frame, j, get(w.A[j], c))
            W[k, b.path[j, c]] += dot(share2, O) + moves * dot(u, A)
