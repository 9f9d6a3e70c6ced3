"""The arguments of a simulation: all errors are reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import MOST_BYTES, too_large
from structkin.dynamics.friction import pressed
from structkin.dynamics.integrators.methods import ADAPTIVE, FIXED
from structkin.dynamics.multipliers.stabilisation import Stabilisation, check_stabilisation
from structkin.dynamics.start import free_problems
from structkin.dynamics.user_loads import UserLoad, functions_of
from structkin.errors import Problem, problems_of, raise_problems
from structkin.kernels.choice import check_engine
from structkin.model.arguments import is_number
from structkin.model.mechanism import Mechanism
from structkin.model.topology import check_names
from structkin.numerical_tolerances import LAST_DIGIT, WHOLE
from structkin.types import Floats

#: Ways to set up the equations of motion: one equation per free coordinate; or all links with multipliers, where the
#: linear system is solved dense, sparse or by sweeps through the groups.
FORMULATIONS = ("reduced", "multipliers", "multipliers-sparse", "multipliers-sweeps")

#: The formulations and the stabilisation that only NumPy evaluates.
UNCOMPILED = ("multipliers-sparse", "multipliers-sweeps", "augmented")

#: The options of formulations with multipliers, none of them given.
NO_OPTIONS = dict.fromkeys(("coordinates", "stabilisation", "alpha", "beta", "gains", "penalty"))

#: The finest relative tolerance: SciPy's integrators take no finer one.
FINEST = 100 * float(np.finfo(float).eps)

#: Number of output times where only the end is given.
SAMPLES = 361

#: Steps after which a simulation usually gives up.
STEPS = 1_000_000

#: Memory of an output time [bytes]: some kilobytes of numbers.
EACH = 16 * 2**10


def check_call(
    mechanism: Mechanism,
    t: ArrayLike | None,
    samples: int | None,
    free: Sequence[str],
    formulation: str,
    integrator: str,
    step: float | None,
    rtol: float,
    atol: float,
    loads: Iterable[UserLoad],
    max_steps: int,
    engine: str,
    progress: object,
    options: dict[str, Any],
) -> tuple[Floats, Stabilisation | None, tuple[UserLoad, ...]]:
    """Return the output times (n,), the stabilisation and the loads; `InputError` lists every problem."""
    problems = [*problems_of(check_engine, engine)]
    for name in () if problems else (formulation, options["stabilisation"]):
        if engine == "compiled" and name in UNCOMPILED:
            problems.append(Problem("engine", f"'{name}' has no compiled form", "leave it out"))
    problems += check_names("formulation", [formulation], FORMULATIONS)
    problems += check_names("integrator", [integrator], [*ADAPTIVE, *FIXED])
    if integrator in FIXED and step is None:
        problems.append(Problem("step", f"{integrator} needs a fixed step, and none is given", "such as step=1e-3"))
    elif integrator in ADAPTIVE and step is not None:
        problems.append(Problem("step", f"{integrator} chooses its own steps", "give rtol and atol instead"))
    if step is not None and not (is_number(step) and step > 0):
        problems.append(Problem("step", f"{step!r} is not a positive time"))
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not (is_number(value) and value > 0):
            problems.append(Problem(name, f"{value!r} is not a positive number"))
    if is_number(rtol) and 0 < rtol < FINEST:
        problems.append(Problem("rtol", f"{rtol!r} is finer than numbers are rounded", f"{FINEST:.1e} or more"))
    if max_steps < 1:
        problems.append(Problem("max_steps", f"{max_steps!r} is not a whole number of one or more"))
    if progress is not None and not callable(progress):
        problems.append(Problem("progress", f"{progress!r} is not a function", "it is called with a part from 0 to 1"))
    stabiliser = check_stabilisation(formulation, str(integrator), step, problems, **options)
    before = len(problems)
    times = _times(mechanism, t, samples, problems)
    least = LAST_DIGIT * float(np.abs(times).max(initial=0.0))
    if step is not None and is_number(step) and 0 < step < least:
        problems.append(Problem("step", f"{step!r} s is finer than times are rounded", f"{least:.1e} s or more"))
    elif step is not None and is_number(step) and step > 0 and integrator in FIXED and len(problems) == before:
        problems += _too_long(times, float(step), max_steps)
    problems += free_problems(mechanism, free, float(times[0]) if len(problems) == before else None)
    users = functions_of(loads, problems)
    problems += pressed(mechanism)
    raise_problems(problems, mechanism.title or "simulate")
    return times, stabiliser, users


def _times(mechanism: Mechanism, t: ArrayLike | None, samples: int | None, problems: list[Problem]) -> Floats:
    if samples is not None and (not isinstance(samples, int | np.integer) or samples < 2):
        problems.append(Problem("samples", f"{samples!r} is not a whole number of two or more"))
        samples = None
    if samples is not None and samples * EACH > MOST_BYTES:
        problems.append(too_many("samples", samples))
        samples = None
    end = mechanism.duration if t is None else t
    if isinstance(end, np.ndarray) and end.ndim == 0:
        end = end.item()
    if end is None:
        problems.append(Problem("t", "no end is given", "give one, or add duration = ... to the file"))
        return np.zeros(1)
    if np.ndim(end) == 0:
        if not is_number(end) or end <= 0:
            problems.append(Problem("t", f"{end!r} is not a positive time"))
            return np.zeros(1)
        return np.linspace(0.0, float(end), samples or SAMPLES)
    if samples is not None:
        problems.append(Problem("samples", "cannot be combined with given times t", "leave it out"))
    try:
        times = np.asarray(end, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.full(1, np.nan)
    if times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all():
        problems.append(Problem("t", "expected two or more finite times (n,) in seconds"))
    elif len(times) * EACH > MOST_BYTES:
        problems.append(too_many("t", len(times)))
    elif (np.diff(times) <= 0).any():
        k = int(np.flatnonzero(np.diff(times) <= 0)[0])
        problems.append(
            Problem("t", f"the time {times[k + 1]:g} s does not come after {times[k]:g} s", "times must increase")
        )
    return times


def _too_long(times: Floats, step: float, max_steps: int) -> list[Problem]:
    """Return what is wrong with a fixed step whose run would end at `max_steps`; fewer than usual cut it on purpose."""
    count = float(np.maximum(np.ceil(np.diff(times) / step * (1 - WHOLE)), 1).sum())
    if count < max_steps or max_steps < STEPS:
        return []
    message = f"{step:g} s would take {count:,.0f} steps, and max_steps is {max_steps:,}"
    # Each of the intervals between outputs may take one step more than its part of the whole.
    room = max_steps - len(times)
    enough = f"{1.1 * (times[-1] - times[0]) / room:.1e} s or more, or " if room > 0 else ""
    return [Problem("step", message, f"{enough}raise max_steps")]


def too_many(name: str, count: int) -> Problem:
    """Return the problem with output times that do not fit into memory."""
    return too_large(name, f"{count:,} output times", EACH * count, "give fewer, or simulate in parts")
