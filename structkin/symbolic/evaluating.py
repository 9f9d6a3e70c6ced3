"""One evaluation of the equations of motion, compiled: accelerations by multipliers, or in independent coordinates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structkin.multibody.joint import Floats
from structkin.symbolic.closures_at import Rows, closures
from structkin.symbolic.compiling import compiled
from structkin.symbolic.loads_at import Loads, apply
from structkin.symbolic.passes import Bodies, Ints, Work, columns, efforts, masses, move, place
from structkin.symbolic.solving import constrained, least_change, reduced, solve_groups

#: How an evaluation ended.
FINE, SINGULAR_MASS, OUT_OF_REACH = 0, 1, 2


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
def with_multipliers(
    b: Bodies, w: Work, loads: Loads, rows: Rows, s: Terms, choice: Choice, q: Floats, qd: Floats, qdd: Floats
) -> tuple[int, float, float]:
    """Set qdd (f,) from M qdd + C = tau + W lambda, W^T qdd + gamma = 0; return how it ended, energy, power."""
    energy, power = terms_at(b, w, loads, rows, s, q, qd)
    r = choice.rows.size
    G, gamma = np.empty((r, q.size)), np.empty(r)
    for k in range(r):
        G[k] = s.W[choice.rows[k]]
        gamma[k] = s.gamma[choice.rows[k]]
    fine = constrained(s.M, s.tau - s.C, G, gamma, qdd)
    return FINE if fine else SINGULAR_MASS, energy, power


@compiled
def close(b: Bodies, w: Work, rows: Rows, s: Terms, choice: Choice, q: Floats) -> bool:
    """Change the dependent coordinates of q until Phi(q) = 0, by Newton's method; return whether it was reached."""
    r, last = choice.rows.size, 1e300
    for _ in range(20):
        closure_at(b, w, rows, s, q, s.zero)
        X = np.empty((r, 1))
        for k in range(r):
            X[k, 0] = -s.phi[choice.rows[k]]
        if not solve_groups(s.W, choice.rows, choice.v, choice.starts, X):
            return False
        change = 0.0
        for k in range(r):
            q[choice.v[k]] += X[k, 0]
            change = max(change, abs(X[k, 0]) / choice.scale[choice.v[k]])
        if change < 1e-9 or (change < 1e-7 and change >= last):
            return change < 1e-7  # the next change would be its square
        if not change < 1.0:
            return False
        last = change
    return False


@compiled
def rates(b: Bodies, w: Work, rows: Rows, s: Terms, choice: Choice, q: Floats, qd: Floats) -> bool:
    """Set the rates of the dependent coordinates, qd_v = B_vu qd_u; return whether Phi_v is regular."""
    closure_at(b, w, rows, s, q, s.zero)
    r = choice.rows.size
    X = np.zeros((r, 1))
    for k in range(r):
        for j in range(choice.u.size):
            X[k, 0] -= s.W[choice.rows[k], choice.u[j]] * qd[choice.u[j]]
    if not solve_groups(s.W, choice.rows, choice.v, choice.starts, X):
        return False
    for k in range(r):
        qd[choice.v[k]] = X[k, 0]
    return True


@compiled
def in_independent(
    b: Bodies, w: Work, loads: Loads, rows: Rows, s: Terms, choice: Choice, q: Floats, qd: Floats, qdd: Floats
) -> tuple[int, float, float]:
    """Set qdd (f,) by S4's equations 10 and 11 (corrected), with B_vu and b'; return how it ended, energy, power."""
    energy, power = terms_at(b, w, loads, rows, s, q, qd)
    r, nu = choice.rows.size, choice.u.size
    X = np.empty((r, nu + 1))
    for k in range(r):
        row = choice.rows[k]
        for j in range(nu):
            X[k, j] = -s.W[row, choice.u[j]]
        X[k, nu] = -s.gamma[row]
    if not solve_groups(s.W, choice.rows, choice.v, choice.starts, X):
        return OUT_OF_REACH, energy, power
    fine = reduced(s.M, s.tau - s.C, choice.u, choice.v, X, qdd)
    return FINE if fine else SINGULAR_MASS, energy, power


@compiled
def project(
    b: Bodies, w: Work, rows: Rows, s: Terms, choice: Choice, q: Floats, qd: Floats, free: Floats
) -> tuple[float, float]:
    """Change q, then qd, as little as possible so that the loops close; return the largest scaled residuals left.

    `free` (f,) is 0 for coordinates that have to stay as they are.
    """
    r, f = choice.rows.size, q.size
    G, target, change = np.empty((r, f)), np.empty(r), np.zeros(f)
    for level in range(12):
        closure_at(b, w, rows, s, q, s.zero)
        if level == 11 or np.abs(s.phi).max() < 1e-15:
            break
        before = np.abs(s.phi).max()
        for k in range(r):
            G[k] = s.W[choice.rows[k]] * choice.scale * free
            target[k] = -s.phi[choice.rows[k]]
        change[:] = 0.0
        least_change(G, target, change)
        q += change * choice.scale * free
        if before < 1e-9:
            break  # the change was its square
    closure_at(b, w, rows, s, q, s.zero)
    for k in range(r):
        G[k] = s.W[choice.rows[k]] * choice.scale * free
        target[k] = 0.0
        for c in range(f):
            target[k] -= s.W[choice.rows[k], c] * qd[c]
    change[:] = 0.0
    least_change(G, target, change)
    qd += change * choice.scale * free
    left = 0.0
    for k in range(s.phi.size):
        rate = 0.0
        for c in range(f):
            rate += s.W[k, c] * qd[c]
        left = max(left, abs(rate))
    return np.abs(s.phi).max(), left
