"""Small dense linear systems of the equations of motion: with multipliers, and reduced to independent coordinates."""

from __future__ import annotations

from math import sqrt

import numpy as np

from structkin.numerical_tolerances import LAST_DIGIT, LEAST_POSITIVE
from structkin.symbolic.vectors import compiled
from structkin.types import Floats, Ints


@compiled
def factor(M: Floats) -> bool:
    """Replace a symmetric M (n, n) by its Cholesky factor L (lower); return whether it is positive definite."""
    n = M.shape[0]
    for j in range(n):
        largest = M[j, j]
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k]
        if not M[j, j] > LAST_DIGIT * largest:
            return False
        M[j, j] = sqrt(M[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                M[i, j] -= M[i, k] * M[j, k]
            M[i, j] /= M[j, j]
    return True


@compiled
def down(L: Floats, x: Floats) -> None:
    """Replace x (n,) by L^-1 x."""
    for i in range(x.size):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]


@compiled
def up(L: Floats, x: Floats) -> None:
    """Replace x (n,) by L^-T x."""
    for i in range(x.size - 1, -1, -1):
        for k in range(i + 1, x.size):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@compiled
def least_change(G: Floats, target: Floats, y: Floats) -> None:
    """Add to y (f,) the smallest change x with G x = target, for independent rows G (r, f); G and target are lost.

    The rows are made orthonormal, by Gram and Schmidt twice over: G = R Q, x = Q^T R^-1 target.
    """
    r = G.shape[0]
    for j in range(r):
        for _ in range(2):
            for i in range(j):
                share = 0.0
                for c in range(y.size):
                    share += G[j, c] * G[i, c]
                for c in range(y.size):
                    G[j, c] -= share * G[i, c]
                target[j] -= share * target[i]
        size = 0.0
        for c in range(y.size):
            size += G[j, c] * G[j, c]
        size = sqrt(size)
        target[j] /= size
        for c in range(y.size):
            G[j, c] /= size
        for c in range(y.size):
            y[c] += target[j] * G[j, c]


@compiled
def constrained(M: Floats, r: Floats, G: Floats, gamma: Floats, qdd: Floats) -> bool:
    """Set qdd (f,) from M qdd = r + G^T lambda, G qdd = gamma for independent rows G (m, f); M and G are lost.

    With M = L L^T and y = L^T qdd, y is the point nearest to L^-1 r on the plane G L^-T y = gamma. Return whether M is
    positive definite.
    """
    if not factor(M):
        return False
    for c in range(r.size):
        qdd[c] = r[c]
    down(M, qdd)
    target = np.empty(G.shape[0])
    for j in range(G.shape[0]):
        down(M, G[j])
        target[j] = gamma[j]
        for c in range(qdd.size):
            target[j] -= G[j, c] * qdd[c]
    least_change(G, target, qdd)
    up(M, qdd)
    return True


@compiled
def solve_block(A: Floats, X: Floats) -> bool:
    """Replace X (n, c) by A^-1 X, with partial pivoting; A is lost. Return whether A is regular."""
    n = A.shape[0]
    for j in range(n):
        p = j
        for i in range(j + 1, n):
            if abs(A[i, j]) > abs(A[p, j]):
                p = i
        if not abs(A[p, j]) > LEAST_POSITIVE:
            return False
        for k in range(n):
            A[j, k], A[p, k] = A[p, k], A[j, k]
        for k in range(X.shape[1]):
            X[j, k], X[p, k] = X[p, k], X[j, k]
        for i in range(j + 1, n):
            ratio = A[i, j] / A[j, j]
            if ratio != 0.0:
                for k in range(j + 1, n):
                    A[i, k] -= ratio * A[j, k]
                for k in range(X.shape[1]):
                    X[i, k] -= ratio * X[j, k]
    for i in range(n - 1, -1, -1):
        for c in range(X.shape[1]):
            for k in range(i + 1, n):
                X[i, c] -= A[i, k] * X[k, c]
            X[i, c] /= A[i, i]
    return True


@compiled
def solve_groups(W: Floats, rows: Ints, v: Ints, starts: Ints, X: Floats) -> bool:
    """Replace X (r, c) by Phi_v^-1 X, group by group: rows and v are ordered so that Phi_v is block triangular.

    Block g is `rows[starts[g]:starts[g + 1]]` with the columns `v` of the same numbers; it depends on blocks before it.
    """
    for g in range(starts.size - 1):
        first, last = starts[g], starts[g + 1]
        for i in range(first, last):
            for j in range(first):
                ratio = W[rows[i], v[j]]
                if ratio != 0.0:
                    for c in range(X.shape[1]):
                        X[i, c] -= ratio * X[j, c]
        A = np.empty((last - first, last - first))
        for i in range(first, last):
            for j in range(first, last):
                A[i - first, j - first] = W[rows[i], v[j]]
        if not solve_block(A, X[first:last]):
            return False
    return True


@compiled
def reduced(M: Floats, r: Floats, u: Ints, v: Ints, X: Floats, qdd: Floats) -> bool:
    """Set qdd (f,) from S4's equations 10 and 11 (corrected): M_red = J^T M J, with X = [B_vu | b'] (r, nu + 1).

    Return whether M_red is positive definite.
    """
    f, nu = M.shape[0], u.size
    J, b = np.zeros((f, nu)), np.zeros(f)
    for j in range(nu):
        J[u[j], j] = 1.0
    for i in range(v.size):
        b[v[i]] = X[i, nu]
        for j in range(nu):
            J[v[i], j] = X[i, j]
    MJ, small, right = np.zeros((f, nu)), np.zeros((nu, nu)), np.zeros(nu)
    for i in range(f):
        rest = r[i]
        for k in range(f):
            rest -= M[i, k] * b[k]
            if M[i, k] != 0.0:
                for j in range(nu):
                    MJ[i, j] += M[i, k] * J[k, j]
        for j in range(nu):
            right[j] += J[i, j] * rest
    for i in range(f):
        for j in range(nu):
            if J[i, j] != 0.0:
                for k in range(nu):
                    small[j, k] += J[i, j] * MJ[i, k]
    if not factor(small):
        return False
    down(small, right)
    up(small, right)
    for i in range(f):
        qdd[i] = b[i]
        for j in range(nu):
            qdd[i] += J[i, j] * right[j]
    return True
