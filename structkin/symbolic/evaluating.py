"""One evaluation of the equations of motion, compiled: accelerations by multipliers, or in independent coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structkin.numerical_tolerances import CLOSED_IN_SPACE, HALF_DIGITS, LAST_DIGIT
from structkin.symbolic.closures_at import Rows, closures
from structkin.symbolic.loads_at import Loads, apply
from structkin.symbolic.recursive import Bodies, Work, columns, efforts, masses, move, place
from structkin.symbolic.solving import constrained, least_change, reduced, solve_groups
from structkin.symbolic.vectors import compiled
from structkin.types import Floats, Ints

#: How an evaluation ended.
FINE, SINGULAR_MASS, OUT_OF_REACH = 0, 1, 2
#: By which equations: with multipliers, or in independent coordinates, at closed loops or with v = H(u) first.
MULTIPLIERS, INDEPENDENT, FROM_U = 0, 1, 2


class Terms(NamedTuple):
    """The terms of the equations: M (f, f), C and tau (f,), Phi (m,), W^T (m, f), gamma (m,), and zeros (f,)."""

    M: Floats
    C: Floats
    tau: Floats
    phi: Floats
    W: Floats
    gamma: Floats
    zero: Floats


class Choice(NamedTuple):
    """Independent rows and the dependent coordinates v in the order of the groups, and independent coordinates u.

    `starts` are the first rows of the groups, and the number of rows; `scale` (f,) is the unit of each coordinate.
    """

    rows: Ints
    v: Ints
    u: Ints
    starts: Ints
    scale: Floats


@compiled
def terms_at(b: Bodies, w: Work, loads: Loads, rows: Rows, s: Terms, q: Floats, qd: Floats) -> tuple[float, float]:
    """Set all terms at a state; return the energy of springs and the power of all loads that keep none."""
    place(b, w, q)
    move(b, w, qd, s.zero)
    columns(b, w)
    energy, power = apply(w, loads, q, qd, s.tau)
    efforts(b, w, s.C)
    masses(b, w, s.M)
    closures(b, w, rows, s.phi, s.W, s.gamma)
    return energy, power


@compiled
def closure_at(b: Bodies, w: Work, rows: Rows, s: Terms, q: Floats, qd: Floats) -> None:
    """Set Phi, W^T and gamma at a state."""
    place(b, w, q)
    move(b, w, qd, s.zero)
    columns(b, w)
    closures(b, w, rows, s.phi, s.W, s.gamma)


@compiled
def with_multipliers(s: Terms, choice: Choice, qdd: Floats) -> int:
    """Set qdd (f,) from M qdd + C = tau + W lambda, W^T qdd = gamma; return how it ended. M is lost."""
    r, f = choice.rows.size, qdd.size
    G, gamma, right = np.empty((r, f)), np.empty(r), np.empty(f)
    for c in range(f):
        right[c] = s.tau[c] - s.C[c]
    for k in range(r):
        gamma[k] = s.gamma[choice.rows[k]]
        for c in range(f):
            G[k, c] = s.W[choice.rows[k], c]
    return FINE if constrained(s.M, right, G, gamma, qdd) else SINGULAR_MASS


@compiled
def in_independent(s: Terms, choice: Choice, qdd: Floats) -> int:
    """Set qdd (f,) by S4's equations 10 and 11 (corrected), with B_vu and b'; return how it ended."""
    r, nu = choice.rows.size, choice.u.size
    X, right = np.empty((r, nu + 1)), np.empty(qdd.size)
    for c in range(qdd.size):
        right[c] = s.tau[c] - s.C[c]
    for k in range(r):
        row = choice.rows[k]
        for j in range(nu):
            X[k, j] = -s.W[row, choice.u[j]]
        X[k, nu] = s.gamma[row]
    if not solve_groups(s.W, choice.rows, choice.v, choice.starts, X):
        return OUT_OF_REACH
    return FINE if reduced(s.M, right, choice.u, choice.v, X, qdd) else SINGULAR_MASS


@compiled
def close(b: Bodies, w: Work, rows: Rows, s: Terms, choice: Choice, q: Floats, qd: Floats) -> bool:
    """Set the dependent coordinates and rates: v = H(u) by Newton's method from q, then v' = B_vu u'.

    Return whether the loops could be closed. This serves every group. The closed forms of the explicit scheme give the
    same to 1e-12, and no more: a triangle for the pins of a four-bar saved 2.7 of 24 us an evaluation.
    """
    r, last, near = choice.rows.size, 1e300, False
    X = np.empty((r, 1))
    for _ in range(20):
        closure_at(b, w, rows, s, q, s.zero)
        for k in range(r):
            X[k, 0] = -s.phi[choice.rows[k]]
            if near:
                X[k, 0] = 0.0
                for j in range(choice.u.size):
                    X[k, 0] -= s.W[choice.rows[k], choice.u[j]] * qd[choice.u[j]]
        if not solve_groups(s.W, choice.rows, choice.v, choice.starts, X):
            return False
        if near:
            for k in range(r):
                qd[choice.v[k]] = X[k, 0]
            return True
        change = 0.0
        for k in range(r):
            q[choice.v[k]] += X[k, 0]
            change = max(change, abs(X[k, 0]) / choice.scale[choice.v[k]])
        if not change < 1.0:
            return False
        near = change < CLOSED_IN_SPACE or (
            change < HALF_DIGITS and change >= last
        )  # the next change would be its square
        last = change
    return False


@compiled
def accelerations(
    b: Bodies,
    w: Work,
    loads: Loads,
    rows: Rows,
    s: Terms,
    choice: Choice,
    road: int,
    q: Floats,
    qd: Floats,
    qdd: Floats,
) -> tuple[int, float, float]:
    """Set qdd (f,) at a state; return how it ended, the energy of springs and the power of loads that keep none.

    FROM_U closes the loops first: it sets the dependent coordinates and rates. All in one call: from Python, a call
    with all these arrays takes longer than the equations of a small model.
    """
    if road == FROM_U and not close(b, w, rows, s, choice, q, qd):
        return OUT_OF_REACH, 0.0, 0.0
    energy, power = terms_at(b, w, loads, rows, s, q, qd)
    ended = with_multipliers(s, choice, qdd) if road == MULTIPLIERS else in_independent(s, choice, qdd)
    return ended, energy, power


@compiled
def largest(x: Floats) -> float:
    """Return the largest magnitude."""
    found = 0.0
    for value in x:
        found = max(found, abs(value))
    return found


@compiled
def shift(s: Terms, choice: Choice, free: Floats, target: Floats, x: Floats) -> None:
    """Change x (f,) least so that W^T x of the independent rows changes by target (r,), which is lost."""
    r, f = choice.rows.size, x.size
    G, change = np.empty((r, f)), np.zeros(f)
    for k in range(r):
        for c in range(f):
            G[k, c] = s.W[choice.rows[k], c] * choice.scale[c] * free[c]
    least_change(G, target, change)
    for c in range(f):
        x[c] += change[c] * choice.scale[c] * free[c]


@compiled
def project(
    b: Bodies, w: Work, rows: Rows, s: Terms, choice: Choice, q: Floats, qd: Floats, free: Floats
) -> tuple[float, float]:
    """Change q, then qd, as little as possible so that the loops close; return the largest residuals left.

    `free` (f,) is 0 for coordinates that have to stay as they are.
    """
    r, before = choice.rows.size, 1.0
    target = np.empty(r)
    for _ in range(11):
        closure_at(b, w, rows, s, q, s.zero)
        if before < CLOSED_IN_SPACE or largest(s.phi) < LAST_DIGIT:
            break  # the last change was the square of the one before
        before = largest(s.phi)
        for k in range(r):
            target[k] = -s.phi[choice.rows[k]]
        shift(s, choice, free, target, q)
    for k in range(r):
        target[k] = 0.0
        for c in range(q.size):
            target[k] -= s.W[choice.rows[k], c] * qd[c]
    shift(s, choice, free, target, qd)
    left = 0.0
    for k in range(s.phi.size):
        rate = 0.0
        for c in range(q.size):
            rate += s.W[k, c] * qd[c]
        left = max(left, abs(rate))
    return largest(s.phi), left
