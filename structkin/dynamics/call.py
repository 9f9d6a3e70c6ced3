"""The arguments of a simulation: all errors are reported at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.dynamics.friction import pressed
from structkin.dynamics.integrators.methods import ADAPTIVE, FIXED
from structkin.dynamics.multipliers.choice import check_stabilisation
from structkin.dynamics.multipliers.stabilisation import Stabilisation
from structkin.dynamics.user_loads import UserLoad, not_functions
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest

Floats = NDArray[np.float64]

#: Ways to set up the equations of motion: one equation per free coordinate; or all links with multipliers, where the
#: linear system is solved dense, sparse or by sweeps through the groups.
FORMULATIONS = ("reduced", "multipliers", "multipliers-sparse", "multipliers-sweeps")

#: Number of output times where only the end is given.
SAMPLES = 361


def check_call(
    mechanism: Mechanism,
    t: ArrayLike | None,
    samples: int | None,
    formulation: str,
    integrator: str,
    step: float | None,
    rtol: float,
    atol: float,
    loads: Sequence[UserLoad],
    options: dict[str, Any],
) -> tuple[Floats, Stabilisation | None]:
    """Return the output times (n,), and the stabilisation; `InputError` lists every problem."""
    problems: list[Problem] = []
    if formulation not in FORMULATIONS:
        problems.append(Problem("formulation", f"'{formulation}' is unknown", suggest(formulation, FORMULATIONS)))
    if integrator not in FIXED and integrator not in ADAPTIVE:
        problems.append(Problem("integrator", f"'{integrator}' is unknown", suggest(integrator, [*ADAPTIVE, *FIXED])))
    elif integrator in FIXED and step is None:
        problems.append(Problem("step", f"{integrator} needs a fixed step, and none is given", "such as step=1e-3"))
    elif integrator in ADAPTIVE and step is not None:
        problems.append(Problem("step", f"{integrator} chooses its own steps", "give rtol and atol instead"))
    if step is not None and not (_is_number(step) and step > 0):
        problems.append(Problem("step", f"{step!r} is not a positive time"))
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not (_is_number(value) and value > 0):
            problems.append(Problem(name, f"{value!r} is not a positive number"))
    stabiliser = check_stabilisation(formulation, integrator, step, problems, **options)
    times = _times(mechanism, t, samples, problems)
    problems += pressed(mechanism) + not_functions(loads)
    if problems:
        raise InputError(problems, mechanism.title or "simulate")
    return times, stabiliser


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)


def _times(mechanism: Mechanism, t: ArrayLike | None, samples: int | None, problems: list[Problem]) -> Floats:
    if samples is not None and (not isinstance(samples, int | np.integer) or samples < 2):
        problems.append(Problem("samples", f"{samples!r} is not a whole number of two or more"))
        return np.zeros(1)
    end = mechanism.duration if t is None else t
    if isinstance(end, np.ndarray) and end.ndim == 0:
        end = end.item()
    if end is None:
        problems.append(Problem("t", "no end is given", "pass t= or --duration, or add duration = ... to the file"))
        return np.zeros(1)
    if np.ndim(end) == 0:
        if not _is_number(end) or end <= 0:
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
    elif (np.diff(times) <= 0).any():
        k = int(np.flatnonzero(np.diff(times) <= 0)[0])
        problems.append(
            Problem("t", f"the time {times[k + 1]:g} s does not come after {times[k]:g} s", "times must increase")
        )
    return times
