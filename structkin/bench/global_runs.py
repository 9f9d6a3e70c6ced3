"""A global method on the scalable four-bar, ready to run: positions and rates of all coordinates, and what is bare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.api import Mechanism
from structkin.bench.bare import bare
from structkin.global_methods.families import constraints
from structkin.global_methods.solver import GlobalSolver

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class GlobalRun:
    """Solves for the drivers' values, rates and second rates (3, f, n), and keeps q, q', q'' (3, coordinates, n).

    In natural coordinates these are the pins' places, velocities and accelerations, as the topological methods give
    them. Everything that does not depend on the samples is prepared before.
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

        def keep(at: Ints, *found: Floats) -> None:
            first, last = int(at[0]), int(at[-1]) + 1
            where = slice(first, last) if last - first == len(at) else at
            for order, values in enumerate(found):
                x[order][:, where] = values

        walk = self.solver.run(z, keep)
        self.iterations = walk.iterations
        if not walk.solved.all():
            x[:, :, ~walk.solved] = np.nan
        return x[:, self._last]

    def bare(self, z: Floats) -> float:
        """Return the seconds of the bare calls of the last run, which was over these values."""
        x = self._x[:, :, : z.shape[-1]]
        return bare(self.solver, x[0], x[1], z, self.iterations, self.engine)
