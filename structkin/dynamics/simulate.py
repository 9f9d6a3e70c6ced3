"""Forward dynamics: the motion that forces cause."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import growth, in_memory
from structkin.compiled import has_numba
from structkin.dynamics.call import STEPS, check_call, too_many
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.initial import consistent_start
from structkin.dynamics.integrators.methods import ADAPTIVE, FIXED, METHODS, ONE_STEP, STIFF
from structkin.dynamics.load_table import load_table
from structkin.dynamics.reduced.dead_point import at_dead_point
from structkin.dynamics.reduced.partitioned import Partitioned
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.reduced.reduced_equations import Reduced
from structkin.dynamics.simulation import Integration, Simulation, simulation_of
from structkin.dynamics.simulation_run import Record, Run
from structkin.dynamics.start import check_masses, freed, initial_state, start, why, with_coordinates
from structkin.dynamics.user_loads import UserLoad
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.forces import Contact, Friction, Spring, Torsion
from structkin.model.integrating import Jump, jumps, law_breaks, row_breaks
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import LAST_DIGIT, ROUNDING
from structkin.plan.status import Status
from structkin.types import Floats

#: What helps where the reduced equations cannot begin.
DEAD_POINT = "at a dead point of a coordinate give the angle and the rate of a link, or place and velocity of a point"


def simulate(
    mechanism: Mechanism,
    t: ArrayLike | None,
    *,
    samples: int | None,
    free: Sequence[str],
    formulation: str,
    coordinates: str | None,
    stabilisation: str | None,
    alpha: float | None,
    beta: float | None,
    gains: str | None,
    penalty: float | None,
    integrator: str,
    step: float | None,
    rtol: float,
    atol: float,
    loads: Iterable[UserLoad],
    max_steps: int,
    engine: str,
    progress: Callable[[float], None] | None,
) -> Simulation:
    """Return the motion of a mechanism under its masses and forces; see `Mechanism.simulate`."""
    began = time.perf_counter()
    times, stabiliser, users = check_call(
        mechanism, t, samples, free, formulation, integrator, step, rtol, atol, loads, max_steps, engine, progress,
        {"coordinates": coordinates, "stabilisation": stabilisation, "alpha": alpha, "beta": beta, "gains": gains,
         "penalty": penalty},
    )  # fmt: skip
    impulses = _impulses(mechanism, times, integrator, free)
    asked, times = times, _behind(times, impulses)
    mechanism = with_coordinates(mechanism)
    # Sweeps need the mechanism's own coordinates, which then come as near to a dead point as these tell the pose.
    sweeps = formulation == "multipliers-sweeps"
    found = None if free or sweeps else at_dead_point(mechanism, float(times[0]), users, engine)
    if found is not None:
        partitioned, y, corrections = found
        reduced = partitioned.current
    else:
        mechanism, corrections = consistent_start(mechanism, float(times[0]))
        mechanism = freed(mechanism, free, float(times[0]))
        reduced = start(mechanism, float(times[0]), users, engine=None if stabiliser else engine)
        y = np.array(initial_state(mechanism, reduced), dtype=np.float64)
    if len(reduced.free):
        check_masses(reduced.mechanism, reduced, float(times[0]), y)
    equations: EquationsOfMotion
    if stabiliser is None:
        equations = partitioned if found is not None else Partitioned(reduced)
    else:
        from structkin.dynamics.multipliers.consistent_start import global_start

        family, begin = coordinates or "natural", float(times[0])
        known = None if found is None else (reduced, y)
        multipliers, q = global_start(mechanism, family, stabiliser, users, begin, formulation=formulation, known=known)
        work = reduced, y, times, integrator, step, rtol, max_steps
        compiles = engine != "python" and has_numba() and multipliers.compiles
        if compiles and (engine == "compiled" or is_worth(*work)):
            multipliers.compile(begin, q)
        equations, y = multipliers, q
    record = Record(equations, times, progress)
    breaks = () if integrator in FIXED else _breaks(mechanism, times, integrator, rtol)
    longer = _longer(mechanism, users, integrator) if max_steps >= STEPS else math.inf
    run = Run(equations, times, record, max_steps, mechanism.size, breaks, impulses, longer)
    with in_memory(partial(too_many, "samples", len(times)), mechanism.title):
        try:
            equations.remember(float(times[0]), y)
            record.add(float(times[0]), y)
            if integrator in FIXED:
                run.fixed(integrator, y, float(step or 0.0))
            else:
                run.adaptive(integrator, y, rtol, atol)
        except NoPoseError as error:
            run.stopped = why(equations.current if isinstance(equations, Partitioned) else reduced, error)
            hint = DEAD_POINT if error.status == Status.SINGULAR else ""
        except InputError as error:
            if not record.instants:
                raise
            # A load without a value later in the motion.
            run.stopped = f"t = {run.reached:.6g} s: " + "; ".join(map(str, error.problems))
        if not record.instants:
            raise InputError([Problem("initial", run.stopped, hint)], mechanism.title or "simulate")
        integration = Integration(run.steps, equations.evaluations, time.perf_counter() - began, run.hint)
        impacts = {id: np.array(speeds) for id, speeds in record.impacts.items()}
        result = simulation_of(equations, times, record.instants, integration, run.stopped, impacts)
    return replace(result, t=asked[: len(result.t)], corrections=corrections)


def _longer(mechanism: Mechanism, users: Sequence[UserLoad], integrator: str) -> float:
    """Return by what factor the steps of a run may become longer than they have been."""
    loads = mechanism.forces.loads.values()
    driven = [drive.law for drive in mechanism.drivers.values() if drive.law is not None]
    laws = [*load_table(mechanism).laws, *mechanism.forces.efforts.values(), *driven]
    changing = any(isinstance(load, Contact | Friction) for load in loads) or any(law.speed is None for law in laws)
    changing = changing or bool(users)
    damped = any(isinstance(load, Spring | Torsion) and load.damping for load in loads)
    return growth(changing=changing, damped=damped, implicit=integrator in STIFF)


def _breaks(mechanism: Mechanism, times: Floats, integrator: str, rtol: float) -> list[tuple[float, float]]:
    """Return where the laws of loads, efforts and drivers change suddenly between the first time and the last.

    For methods of one step also the rows of tables: those of several steps would lose their past, and order, at each.
    """
    begin, end = float(times[0]), float(times[-1])
    driven = [drive.law for drive in mechanism.drivers.values() if drive.law is not None]
    loads = [*load_table(mechanism).laws, *mechanism.forces.efforts.values()]
    found: dict[float, float] = {}
    if integrator in ONE_STEP:
        found |= dict(row_breaks(loads, begin, end, rtol)) | dict(row_breaks(driven, begin, end, rtol, order=2))
    return list((found | dict(law_breaks([*loads, *driven], begin, end))).items())


def _behind(times: Floats, impulses: Mapping[float, tuple[float, Mapping[str, float]]]) -> Floats:
    """Return output times of which none is at a corner of a driver's law: there it is the first one behind it.

    The law's own rates there are those behind it, but rounding may put the time before.
    """
    seen = np.array(times)
    for before, (after, _) in impulses.items():
        seen[(before < times) & (times < after)] = after
    return seen


def _impulses(
    mechanism: Mechanism, times: Floats, integrator: str, free: Sequence[str]
) -> dict[float, tuple[float, dict[str, float]]]:
    """Return after which times, and by how much, the rates of prescribed drivers have jumped, and the times then.

    Drivers that are `free` have no law. The first jump may be at the first time. Raises `InputError` where a driver
    itself jumps, and where the integrator does not know impulses.
    """
    begin, end = float(times[0]), float(times[-1])
    found: list[tuple[Jump, str]] = []
    problems = []
    for id, drive in mechanism.drivers.items():
        if drive.law is None or id in free:
            continue
        unit = "rad" if drive.kind == "angle" else "m"
        values, rates = jumps(drive.law, begin, end)
        found += [(one, id) for one in rates]
        later = [one for one in rates if one.before >= begin]
        if values:
            message = f"jumps by {values[0].by:.4g} {unit} at t = {values[0].before:.6g} s"
            problems.append(Problem(f"drivers.{id}", message, "let it move there within some time"))
        elif later and integrator in FIXED:
            message = (
                f"its speed jumps by {later[0].by:.4g} {unit}/s at t = {later[0].before:.6g} s, and others with it"
            )
            hint = f"{next(iter(ADAPTIVE))} knows such impulses; or let the speed change within some time"
            problems.append(Problem(f"drivers.{id}", message, hint))
    raise_problems(problems, mechanism.title)
    together: dict[float, tuple[float, dict[str, float]]] = {}
    first = -math.inf
    for jump, id in sorted(found):
        if jump.before - first > ROUNDING * (end - begin):
            first = jump.before
        after, by = together.get(first, (first, {}))
        together[first] = max(after, jump.after), {**by, id: jump.by}
    return together


# --- whether the equations with multipliers are worth compiling -------------------------------------------------------

#: Seconds that plain Python takes, roughly, for an evaluation and for each link in it.
EVALUATION, A_LINK = 5e-5, 1.5e-5
#: Time in plain Python [s] from which the equations are compiled. Importing Numba and loading compiled code takes one
#: or two seconds; compiling, once on a machine, ten times as much.
WORTH = 2.0
#: Evaluations that an impact takes, roughly: it is approached by small steps, and bodies part before the next.
IMPACT = 1000


def is_worth(
    equations: Reduced, y: Floats, times: Floats, integrator: str, step: float | None, rtol: float, max_steps: int
) -> bool:
    """Return whether equations with multipliers are worth compiling, by an estimate of the work before the start.

    Plain Python and compiled code give the same numbers to rounding, not to the last digit. For the same call always to
    give the same result, the choice depends neither on a clock nor on what happens to be compiled already.
    """
    count = expected_evaluations(equations, y, times, integrator, step, rtol, max_steps)
    return count * (EVALUATION + A_LINK * len(equations.links)) >= WORTH


def expected_evaluations(
    equations: Reduced, y: Floats, times: Floats, integrator: str, step: float | None, rtol: float, max_steps: int
) -> float:
    """Return roughly how often equations will be evaluated over output times (n,), from their state at the first.

    A method of order p takes about rtol^(-1/p) steps in the time in which speeds and accelerations of the start, or
    gravity, would move a coordinate by a radian, or by the mechanism's size. Bodies are taken to meet once in that
    time.
    """
    duration = float(times[-1] - times[0])
    if integrator in METHODS:
        return len(times) + METHODS[integrator].evaluations * min(duration / float(step or duration), max_steps)
    order, stages = ADAPTIVE[integrator]
    try:
        rate = equations(float(times[0]), y)
    except NoPoseError:  # the run says why; with multipliers it may begin all the same
        rate = np.zeros(len(y))
    lengths = equations.lengths[equations.free]
    speed, second = (np.max(np.abs(part) / lengths, initial=0.0) for part in np.split(rate, 2))
    frequency = max(speed, np.sqrt(max(second, abs(equations.mechanism.forces.gravity) / equations.size)))
    impacts = IMPACT * len(equations.contacts)
    work = duration * frequency * (stages * max(rtol, LAST_DIGIT) ** (-1 / order) + impacts)
    return float(len(times) + min(work, stages * max_steps))
