"""The Newton-Raphson method on Phi(q, z) = 0, over lanes, and the rates with one factorisation a lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.linear import Factors
from structkin.coordinates.scaled import Scaled

Floats = NDArray[np.float64]

#: A step below this is the last: what quadratic convergence leaves after it is below rounding.
TOLERANCE = 1e-8
#: A step beyond this is thrown off.
FAR = 1e3
#: Iterations of the Newton-Raphson method on a sample.
ITERATIONS = 3


@dataclass(frozen=True)
class Closed:
    """What the iteration found: coordinates, iterations and last scaled step of each lane, and which converged."""

    q: Floats
    iterations: NDArray[np.int32]
    step: Floats
    converged: NDArray[np.bool_]


def close(scaled: Scaled, q: Floats, z: Floats, iterations: int = ITERATIONS) -> Closed:
    """Run the Newton-Raphson method over lanes (S1 eqs. 123-125): solve Phi_q dq = -Phi, q += dq.

    A lane is done after the step that is below the tolerance; lanes that are done are left alone.
    """
    q, lanes = np.array(q), q.shape[1]
    step, count = np.full(lanes, np.inf), np.zeros(lanes, np.int32)
    going: Any = slice(None)
    with np.errstate(all="ignore"):
        for _ in range(iterations):
            here = q[:, going]
            phi, entries = scaled.system(here, z[:, going])
            dq = scaled.solver.step(entries, phi)
            size = np.max(np.abs(dq), axis=0, initial=0.0)
            lost = ~(size < FAR)
            if lost.any():
                size[lost], dq[:, lost] = np.inf, np.nan
            # `here` is a view of all lanes, or a copy of those that go on.
            here -= scaled.change(dq)
            if not isinstance(going, slice):
                q[:, going] = here
            step[going] = size
            count[going] += 1
            going = np.flatnonzero((step >= TOLERANCE) & (step < FAR))
            if not len(going):
                break
    return Closed(q, count, step, step < TOLERANCE)


@dataclass(frozen=True)
class Rates:
    """Velocities and accelerations (n, lanes), and the factors that both were solved with."""

    v: Floats
    a: Floats
    factors: Factors


def rates(scaled: Scaled, q: Floats, z: Floats, dz: Floats, ddz: Floats) -> Rates:
    """Solve velocities and accelerations with one factorisation a lane (S1 eqs. 44 and 45)."""
    coordinates = scaled.coordinates
    with np.errstate(all="ignore"):
        entries = scaled.jacobian(q, z)
        factors = scaled.solver.factor(entries)
        v = scaled.change(factors.solve(scaled.right(coordinates.nu(z, dz))))
        a = scaled.change(factors.solve(scaled.right(coordinates.gamma(q, v, z, dz, ddz))))
    return Rates(v, a, factors)
