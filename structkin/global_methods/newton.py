"""The Newton-Raphson method on Phi(q, z) = 0, over lanes, and the rates with one factorisation per lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.linear import Factors
from structkin.global_methods.scaled import Scaled
from structkin.numerical_tolerances import CLOSED, ITERATIONS_ON_CURVE
from structkin.types import Flags, Floats

#: An iteration with a larger step has diverged.
FAR = 1e3


@dataclass(frozen=True)
class Closed:
    """The result of the iteration: coordinates, iterations, last scaled step and sum of all steps of each lane.

    `converged` says which lanes are solved; no coordinate of a lane has moved further than the sum of its steps.
    """

    q: Floats
    iterations: NDArray[np.int32]
    step: Floats
    moved: Floats
    converged: Flags


def close(scaled: Scaled, q: Floats, z: Floats, iterations: int = ITERATIONS_ON_CURVE) -> Closed:
    """Run the Newton-Raphson method over lanes (S1 eqs. 123-125): solve Phi_q dq = -Phi, q += dq.

    A lane is done after the step that is below the tolerance; lanes that are done are not changed.
    """
    q, lanes = np.array(q), q.shape[1]
    step, moved, count = np.full(lanes, np.inf), np.zeros(lanes), np.zeros(lanes, np.int32)
    going: Any = slice(None)
    with np.errstate(all="ignore"):
        for _ in range(iterations):
            here = q[:, going]
            phi, entries = scaled.system(here, z[:, going])
            dq = scaled.solver.step(entries, phi)
            size = np.max(np.abs(dq), axis=0, initial=0.0)
            near = size < FAR
            if not near.all():
                size[~near], dq[:, ~near] = np.inf, np.nan
            # `here` is a view of all lanes, or a copy of those that continue.
            here -= scaled.change(dq)
            if not isinstance(going, slice):
                q[:, going] = here
            step[going] = size
            moved[going] += size
            count[going] += 1
            going = np.flatnonzero((step >= CLOSED) & (step < FAR))
            if not len(going):
                break
    return Closed(q, count, step, moved, step < CLOSED)


@dataclass(frozen=True)
class ClosedPose:
    """One pose that the iteration found, as in `Closed`, with its last Jacobian and its factors.

    The Jacobian is that before the last step, whose length is `step`.
    """

    q: Floats
    iterations: int
    step: float
    entries: Floats
    factors: Factors


def close_pose(scaled: Scaled, q: Floats, z: Floats, iterations: int = ITERATIONS_ON_CURVE) -> ClosedPose | None:
    """Run the Newton-Raphson method from a single estimate q (n, 1); None where it does not converge."""
    with np.errstate(all="ignore"):
        for count in range(1, iterations + 1):
            phi, entries = scaled.system(q, z)
            factors = scaled.solver.factor(entries)
            dq = factors.solve(phi)
            size = float(np.abs(dq).max(initial=0.0))
            if not size < FAR:
                return None
            q = q - scaled.change(dq)
            if size < CLOSED:
                return ClosedPose(q, count, size, entries, factors)
    return None


@dataclass(frozen=True)
class Rates:
    """Velocities and accelerations (n, lanes), and the factors that both were solved with."""

    v: Floats
    a: Floats
    factors: Factors


def rates(scaled: Scaled, q: Floats, z: Floats, dz: Floats, ddz: Floats) -> Rates:
    """Solve velocities and accelerations with one factorisation per lane (S1 eqs. 44 and 45)."""
    with np.errstate(all="ignore"):
        entries = scaled.jacobian(q, z)
        factors = scaled.solver.factor(entries)
        v = scaled.change(factors.solve(scaled.right(scaled.nu(z, dz))))
        a = scaled.change(factors.solve(scaled.right(scaled.gamma(q, v, z, dz, ddz))))
    return Rates(v, a, factors)
