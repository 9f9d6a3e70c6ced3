"""A global method on the scalable four-bar, ready to run: positions and rates of all coordinates, and bare calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.bench.clock import Stopwatch
from structkin.global_methods.families import constraints
from structkin.global_methods.linear import SMALL
from structkin.global_methods.solver import GlobalSolver
from structkin.global_methods.sweeps import Sweeps, kernels
from structkin.model import Mechanism
from structkin.types import Floats, Indices


class GlobalRun:
    """Solves for the drivers' values, rates and second rates (3, f, n), and keeps q, q', q'' (3, coordinates, n).

    In natural coordinates these are the places, velocities and accelerations of the pins, as in the topological
    methods. Everything that does not depend on the samples is prepared beforehand.
    """

    def __init__(self, mechanism: Mechanism, method: str, engine: str, n: int) -> None:
        """Prepare the coordinates and the solver."""
        self.solver = GlobalSolver(mechanism, constraints(mechanism), method, engine)
        self.engine = engine
        c = self.solver.coordinates
        name = list(mechanism.links)[-1].replace("rocker", "C")
        self._last = [c.names.index(f"{name}.{axis}") for axis in "xy"]
        self._x = np.empty((3, c.n, n))
        self.iterations: NDArray[np.int32] = np.zeros(0, np.int32)

    def __call__(self, z: Floats) -> Floats:
        """Return place, velocity and acceleration (3, 2, n) of the last pin."""
        x = self._x[:, :, : z.shape[-1]]

        def keep(at: Indices, *found: Floats) -> None:
            first, last = int(at[0]), int(at[-1]) + 1
            where = slice(first, last) if last - first == len(at) else at
            for order, values in enumerate(found):
                x[order][:, where] = values

        tracker = self.solver.run(z, keep)
        self.iterations = tracker.iterations
        if not tracker.solved.all():
            x[:, :, ~tracker.solved] = np.nan
        return x[:, self._last]

    def bare(self, z: Floats) -> float:
        """Return the time [s] of the bare calls of the last run, which used these values."""
        x = self._x[:, :, : z.shape[-1]]
        return bare(self.solver, x[0], x[1], z, self.iterations, self.engine)


# --- the least that a global method needs -------------------------------------------------------------------

# The calls are those of one run, block by block, as many as Newton's method took in each sample: LAPACK or NumPy on
# prepared full matrices, SuperLU on prepared sparse ones, or the sweeps over the diagonal blocks. The equations are Phi
# and Phi_q in each iteration, and Phi_q, nu and gamma for the rates. There is no continuation, prediction, scaling or
# testing, and no results are kept.


#: Samples whose full or sparse matrices are prepared: two turns of the crank.
LANES = 720

#: Prepares the matrices of some entries (entries, lanes) and returns a function that only factorises them; that one
#: returns a function that only solves for right-hand sides (n, lanes).
Linear = Callable[[Floats], Callable[[], Callable[[Floats], object]]]


def bare(
    solver: GlobalSolver, q: Floats, v: Floats, drivers: Floats, iterations: NDArray[np.int32], engine: str
) -> float:
    """Return the time [s] of the calls for poses q (n, lanes) with rates v, and the drivers' values (3, f, lanes).

    Where matrices are prepared one by one, the last samples represent all.
    """
    lanes = q.shape[1]
    first = 0 if solver.method == "global-triangular" else max(0, lanes - LANES)
    linear, watch = _linear(solver, engine), Stopwatch()
    for low in range(first, lanes, solver.width):
        part = slice(low, low + solver.width)
        _block(solver, linear, watch, q[:, part], v[:, part], drivers[:, :, part], iterations[part])
    return float(sum(watch.spent.values()) * lanes / (lanes - first))


def _block(
    solver: GlobalSolver,
    linear: Linear,
    watch: Stopwatch,
    q: Floats,
    v: Floats,
    drivers: Floats,
    iterations: NDArray[np.int32],
) -> None:
    c, (z, dz, ddz) = solver.coordinates, drivers
    for count in range(1, int(iterations.max(initial=0)) + 1):
        here = slice(None) if count == 1 else np.flatnonzero(iterations >= count)
        phi, entries = watch("bare", c.evaluate, q[:, here], z[:, here])
        factors = watch("bare", linear(entries))
        watch("bare", factors, phi)
    factors = watch("bare", linear(watch("bare", c.jacobian, q, z)))
    watch("bare", factors, watch("bare", c.nu, z, dz))
    watch("bare", factors, watch("bare", c.gamma, q, v, z, dz, ddz))


def _linear(solver: GlobalSolver, engine: str) -> Linear:
    rows, columns = solver.scaled.pattern
    n = solver.coordinates.n
    if solver.method == "global":
        return _dense(rows, columns, n)
    if solver.method == "global-sparse":
        return _sparse(rows, columns, n)
    return _sweeps(solver, compiled=engine == "compiled")


def _dense(rows: Indices, columns: Indices, n: int) -> Linear:
    from scipy.linalg.lapack import dgetrf, dgetrs

    def ready(entries: Floats) -> Any:
        matrices = np.zeros((entries.shape[1], n, n))
        matrices[:, rows, columns] = entries.T
        if n <= SMALL:
            return lambda: _times(np.linalg.inv(matrices))
        # A matrix in C order is its transpose in LAPACK's.
        return lambda: _each([dgetrf(matrix.T, overwrite_a=1)[:2] for matrix in matrices], _substitute)

    def _substitute(found: Any, right: Floats) -> None:
        dgetrs(*found, right, trans=1, overwrite_b=1)

    return ready


def _times(inverses: Any) -> Callable[[Floats], object]:
    return lambda right: inverses @ right.T[..., None]


def _each(found: Sequence[Any], solve: Callable[[Any, Floats], object]) -> Callable[[Floats], object]:
    def run(right: Floats) -> None:
        for one, column in zip(found, np.ascontiguousarray(right.T), strict=True):
            solve(one, column)

    return run


def _sparse(rows: Indices, columns: Indices, n: int) -> Linear:
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    order: list[Indices] = []

    def ready(entries: Floats) -> Any:
        if not order:
            first = csc_matrix((entries[:, 0], (rows, columns)), shape=(n, n))
            order.append(np.asarray(splu(first, permc_spec="COLAMD").perm_c, np.intp))
        matrices = [csc_matrix((values, (rows, order[0][columns])), shape=(n, n)) for values in entries.T]
        return lambda: _each([splu(matrix, permc_spec="NATURAL") for matrix in matrices], lambda lu, x: lu.solve(x))

    return ready


def _sweeps(solver: GlobalSolver, *, compiled: bool) -> Linear:
    blocks = solver.scaled.blocks
    assert blocks is not None
    if not compiled:
        return lambda entries: lambda: Sweeps(blocks, entries).solve
    tables, native = blocks.tables, kernels()

    def ready(entries: Floats) -> Any:
        lanes = entries.shape[1]
        lu, x = np.empty((tables[-1][-1], lanes)), np.empty((blocks.n, lanes))
        pivots = np.empty((blocks.n if blocks.largest > 2 else 0, lanes), np.int64)

        def factor() -> Callable[[Floats], object]:
            native["factor"](tables, entries, lu, pivots)
            return lambda right: native["forward"](tables, entries, lu, pivots, right, x)

        return factor

    return ready
