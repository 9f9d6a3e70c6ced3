"""What a global method cannot do without: its factorisations and solutions, and the equations evaluated over lanes.

The calls are those of one run, as many as Newton's method took, on matrices that are ready: LAPACK's or NumPy's for
dense ones, SuperLU's, or the sweeps over the diagonal blocks. The equations are Phi and Phi_q in each iteration, and
Phi_q, nu and gamma for the rates. No walk, no prediction, no tests, no results to be kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.linear import SMALL
from structkin.coordinates.newton import Scaled
from structkin.coordinates.solver import GlobalSolver
from structkin.coordinates.sweeps import kernels

Floats = NDArray[np.float64]

#: Calls of which the fastest counts, and the lanes of full or sparse matrices that are factorised at most.
CALLS, LANES = 5, 100


@dataclass(frozen=True)
class Bare:
    """Seconds a sample: of factorising and solving once, of Phi and Phi_q, of Phi_q, nu and gamma."""

    factor: float
    solve: float
    equations: float
    rates: float

    def seconds(self, iterations: float) -> float:
        """Return the seconds of a sample that takes so many iterations, and its velocity and acceleration."""
        linear = (iterations + 1) * self.factor + (iterations + 2) * self.solve
        return linear + iterations * self.equations + self.rates


def bare(solver: GlobalSolver, q: Floats, v: Floats, drivers: Floats, engine: str) -> Bare:
    """Measure the calls at solved poses q (n, lanes) with rates v, and the drivers' values (3, f, lanes) there."""
    c = solver.coordinates
    width = min(solver.width, q.shape[1])
    q, v = np.ascontiguousarray(q[:, :width]), np.ascontiguousarray(v[:, :width])
    z, dz, ddz = (np.ascontiguousarray(x) for x in drivers[:, :, :width])
    entries = solver.scaled.system(q, z)[1]
    right = np.random.default_rng(0).standard_normal(q.shape)
    factor, solve = _linear(solver.method, solver.scaled, entries, right, numba=engine == "numba")
    equations = _fastest(lambda: c.evaluate(q, z)) / width
    rates = _fastest(lambda: (c.jacobian(q, z), c.nu(z, dz), c.gamma(q, v, z, dz, ddz))) / width
    return Bare(factor, solve, equations, rates)


def _linear(method: str, scaled: Scaled, entries: Floats, right: Floats, *, numba: bool) -> tuple[float, float]:
    """Return the seconds a lane of the calls that factorise and that solve."""
    if method == "global":
        return _dense(scaled, entries[:, :LANES], right[:, :LANES])
    if method == "global-sparse":
        return _sparse(scaled, entries[:, :LANES], right[:, :LANES])
    return _sweeps(scaled, entries, right, numba=numba)


def _dense(scaled: Scaled, entries: Floats, right: Floats) -> tuple[float, float]:
    from scipy.linalg.lapack import dgetrf, dgetrs

    n, lanes = right.shape
    matrices = np.zeros((lanes, n, n))
    matrices[:, *scaled.pattern] = entries.T
    columns = np.ascontiguousarray(right.T)
    if n <= SMALL:
        inverses = np.linalg.inv(matrices)
        inverting = _fastest(lambda: np.linalg.inv(matrices))
        return inverting / lanes, _fastest(lambda: inverses @ columns[..., None]) / lanes
    ready = [np.asfortranarray(matrix) for matrix in matrices]
    factors = [dgetrf(matrix)[:2] for matrix in ready]
    factoring = _fastest(lambda: [dgetrf(matrix) for matrix in ready])
    pairs = list(zip(factors, columns, strict=True))
    return factoring / lanes, _fastest(lambda: [dgetrs(*found, column) for found, column in pairs]) / lanes


def _sparse(scaled: Scaled, entries: Floats, right: Floats) -> tuple[float, float]:
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    n, lanes = right.shape
    columns = np.ascontiguousarray(right.T)
    ready = [csc_matrix((values, scaled.pattern), shape=(n, n)) for values in entries.T]
    order = np.asarray(splu(ready[0], permc_spec="COLAMD").perm_c)
    ready = [matrix[:, np.argsort(order)] for matrix in ready]
    factors = [splu(matrix, permc_spec="NATURAL") for matrix in ready]
    factoring = _fastest(lambda: [splu(matrix, permc_spec="NATURAL") for matrix in ready])
    pairs = list(zip(factors, columns, strict=True))
    return factoring / lanes, _fastest(lambda: [lu.solve(column) for lu, column in pairs]) / lanes


def _sweeps(scaled: Scaled, entries: Floats, right: Floats, *, numba: bool) -> tuple[float, float]:
    blocks = scaled.blocks
    assert blocks is not None
    lanes = right.shape[1]
    if not numba:
        sweeps = blocks.factor(entries)
        factoring = _fastest(lambda: blocks.factor(entries))
        return factoring / lanes, _fastest(lambda: sweeps.solve(right)) / lanes
    tables, module = blocks.tables, kernels()
    lu, x, used = np.empty((tables[-1][-1], lanes)), np.empty_like(right), right.copy()
    pivots = np.empty((len(right) if blocks.largest > 2 else 0, lanes), np.int64)
    factoring = _fastest(lambda: module.factor(tables, entries, lu, pivots))
    return factoring / lanes, _fastest(lambda: module.forward(tables, entries, lu, pivots, used, x)) / lanes


def _fastest(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(CALLS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
