"""The engine of a plan: the group functions themselves, or kernels traced from them, for NumPy or Numba."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from structkin.compiled import HINT, has_numba
from structkin.errors import InputError, Problem
from structkin.plan.plan import Plan

if TYPE_CHECKING:
    from structkin.kernels.group import GroupKernel
    from structkin.kernels.kernel_plan import Job, KernelPlan

#: Work per lane of a general group, in units of a closed form.
GROUP = 12

ENGINES = ("auto", "python", "compiled")
#: What they were called before.
FORMER = {"numpy": "python", "numba": "compiled"}

#: Seconds: per step and lane with NumPy and Numba kernels; to import Numba, to read a stored kernel, to compile one.
#: Only the orders of magnitude matter.
NUMPY, NUMBA, IMPORT, READ, COMPILE = 30e-9, 8e-9, 0.7, 0.1, 2.5
#: Below this number of steps times lanes, calling the group functions is faster than preparing kernels.
SMALL = 50_000


def choose(plan: Plan, n: int, function: str = "solve") -> Job | None:
    """Return the kernels for a function of a plan over n lanes; None if kernels do not pay off.

    The plan names its engine; for "auto", the time of each engine is estimated.
    """
    from structkin.kernels.kernel_plan import Job, kernel_plan_of

    work = len(plan.steps) * n
    if plan.engine == "compiled":
        return Job(kernel_plan_of(plan), compiled=True)
    if work < SMALL and "kernel_plan" not in plan.__dict__:
        return None
    kernel_plan = kernel_plan_of(plan)
    return Job(
        kernel_plan, compiled=plan.engine == "auto" and has_numba() and _worth_compiling(kernel_plan, work, function)
    )


def _worth_compiling(kernel_plan: KernelPlan, work: int, function: str) -> bool:
    """Return whether Numba finishes closed forms first; both engines give identical numbers."""
    start = 0.0 if "numba" in sys.modules else IMPORT
    if start + work * NUMBA > work * NUMPY:
        return False
    waiting = [kernel for kernel in kernel_plan.kernels if not kernel.is_ready(function)]
    start += sum(READ if kernel.is_stored(function) else COMPILE for kernel in waiting)
    return start + work * NUMBA < work * NUMPY


def compiles_group(plan: Plan, group: GroupKernel, n: int) -> bool:
    """Return whether the kernels of a general group are compiled for n lanes."""
    from structkin.kernels.group import COMPILED

    if group.terms > COMPILED:
        return False
    if plan.engine != "auto":
        return plan.engine == "compiled"
    # Its iterations round differently from NumPy's: whether it is already compiled must not decide.
    return has_numba() and n * GROUP * (NUMPY - NUMBA) > IMPORT + COMPILE


def check_engine(engine: str, source: str = "") -> None:
    """Raise `InputError` for an unknown engine, or if code is to be compiled where Numba cannot do it."""
    if engine in FORMER:
        raise InputError([Problem("engine", f"'{engine}' is called '{FORMER[engine]}' now", "use that name")], source)
    if engine not in ENGINES:
        raise InputError([Problem("engine", f"'{engine}' is unknown", f"known: {', '.join(ENGINES)}")], source)
    if engine == "compiled" and not has_numba():
        problem = Problem("engine", "Numba, which compiles, is not installed or does not fit", f"{HINT}; or 'python'")
        raise InputError([problem], source)
