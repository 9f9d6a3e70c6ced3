"""Forward dynamics: the motion that forces cause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from structkin.dynamics.call import check_call
from structkin.dynamics.compiled.choice import expected_evaluations
from structkin.dynamics.initial import consistent_start
from structkin.dynamics.integrators.methods import FIXED
from structkin.dynamics.load_table import load_table
from structkin.dynamics.multipliers.compiled.choice import compiled
from structkin.dynamics.multipliers.equations import Multipliers
from structkin.dynamics.multipliers.start import global_start
from structkin.dynamics.reduced.partitioned import Partitioned
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.result import simulation_of
from structkin.dynamics.run import Record, Run
from structkin.dynamics.simulation import Integration, Simulation
from structkin.dynamics.start import check_masses, initial_state, start, why, with_coordinates
from structkin.dynamics.user_loads import UserLoad
from structkin.errors import InputError, Problem
from structkin.model.law_breaks import law_breaks
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Floats


def simulate(
    mechanism: Mechanism,
    t: ArrayLike | None = None,
    *,
    samples: int | None = None,
    formulation: str = "reduced",
    coordinates: str | None = None,
    stabilisation: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    gains: str | None = None,
    penalty: float | None = None,
    integrator: str = "DOP853",
    step: float | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-10,
    loads: Iterable[UserLoad] = (),
    max_steps: int = 1_000_000,
    engine: str = "auto",
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Return the motion of a mechanism under its masses and forces.

    Drivers without a law are free coordinates; they start at `[initial]`, or at rest in the sketch. Where drivers are
    missing, joints are chosen for them. `t` holds the output times (n,) [s], increasing from the start; or it is the
    end time, for `samples` times from 0; default: the mechanism's duration.

    `formulation` is "reduced": one equation per free coordinate; or that of all links with a Lagrange multiplier for
    each constraint: "multipliers" with a dense matrix, "multipliers-sparse", or "multipliers-sweeps" through the
    groups; in the `coordinates` "natural" (the default), "reference-point", "fully-cartesian" or "relative". There the
    `stabilisation` keeps the joints closed: "projection" of position and velocity after each step (the default),
    "partitioning" (the default with BDF and LSODA), "baumgarte", "augmented" (augmented Lagrangian, with a `penalty`),
    or "none". The first two of these need gains, `alpha` and `beta` [1/s], or `gains="step"` (alpha = 1/h, beta =
    sqrt(2)/h) or `gains="stability"` (from the integrator's stability region).

    `integrator` is one of SciPy's with adaptive steps ("DOP853", "RK45", "Radau", "BDF", "LSODA"), or "milne" (Adams,
    Bashforth and Moulton's with halving and doubling), with `rtol` and `atol` [rad, or parts of the mechanism's size];
    or one with a fixed `step` [s] ("euler", "rk2", "rk4", "abm4", "gear4"), which is reduced slightly to
    meet the output times. `loads` are functions of (t, state), as for `Motion.forces`.

    `engine` evaluates the equations: "numpy", or "numba", which compiles them on first use on a machine and caches
    them; "auto" uses Numba where the work, estimated before the start, is worth it.

    A pose that cannot be reached or is singular, a state that diverges, and a step that becomes too small end the
    simulation: it returns the part up to there, and says why in `stopped`. Raises `InputError` for wrong arguments, for
    coordinates that move no mass, for a start out of reach, and where one of `loads` raises or returns something else
    than loads at the start; `StructureError` where there are too many drivers.

    >>> import structkin as sk
    >>> pendulum = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -9.81)}, drivers={"swing": {"joint": "A"}},
    ...     links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}})
    >>> r = pendulum.simulate(2.0, samples=5)
    >>> r, bool(abs(r.energy - r.energy[0]).max() < 1e-7)
    (<Simulation of 'a mechanism': 5 samples, t to 2 s>, True)
    """
    began = time.perf_counter()
    times, stabiliser, users = check_call(
        mechanism, t, samples, formulation, integrator, step, rtol, atol, loads, max_steps, engine, progress,
        {"coordinates": coordinates, "stabilisation": stabilisation, "alpha": alpha, "beta": beta, "gains": gains,
         "penalty": penalty},
    )  # fmt: skip
    mechanism, corrections = consistent_start(with_coordinates(mechanism), float(times[0]))
    reduced = start(mechanism, float(times[0]), users, engine=None if stabiliser else engine)
    y = np.array(initial_state(mechanism, reduced), dtype=np.float64)
    if len(reduced.free):
        check_masses(mechanism, reduced, float(times[0]), y)
    equations: Partitioned | Multipliers
    if stabiliser is None:
        equations = Partitioned(reduced)
    else:
        family, begin = coordinates or "natural", float(times[0])
        work = expected_evaluations(reduced, y, times, integrator, step, rtol, max_steps)
        equations, y = global_start(mechanism, family, stabiliser, users, begin, formulation=formulation)
        equations = compiled(equations, begin, y, engine=engine, evaluations=work)
    record = Record(equations, times, progress)
    breaks = () if integrator in FIXED else _breaks(mechanism, times)
    run = Run(equations, times, record, max_steps, mechanism.size, breaks)
    try:
        equations.remember(float(times[0]), y)
        record.add(float(times[0]), y)
        if integrator in FIXED:
            run.fixed(integrator, y, float(step or 0.0))
        else:
            run.adaptive(integrator, y, rtol, atol)
    except NoPoseError as error:
        run.stopped = why(equations.current if isinstance(equations, Partitioned) else reduced, error)
    except InputError as error:
        if not record.instants:
            raise
        # A load without a value later in the motion.
        run.stopped = f"t = {run.reached:.6g} s: " + "; ".join(map(str, error.problems))
    if not record.instants:
        raise InputError([Problem("initial", run.stopped)], mechanism.title or "simulate")
    integration = Integration(run.steps, equations.evaluations, time.perf_counter() - began)
    impacts = {id: np.array(speeds) for id, speeds in record.impacts.items()}
    result = simulation_of(equations, times, record.instants, integration, run.stopped, impacts)
    return replace(result, corrections=corrections) if corrections else result


def _breaks(mechanism: Mechanism, times: Floats) -> list[tuple[float, float]]:
    """Return where the laws of loads, efforts and drivers change suddenly between the first time and the last."""
    driven = [drive.law for drive in mechanism.drivers.values() if drive.law is not None]
    laws = [*load_table(mechanism).laws, *mechanism.forces.efforts.values(), *driven]
    return law_breaks(laws, float(times[0]), float(times[-1]))
