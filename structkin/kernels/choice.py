"""What runs a plan: the group functions themselves, or kernels traced from them, for NumPy or compiled by Numba."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from typing import TYPE_CHECKING

from structkin.errors import InputError, Problem
from structkin.plan.plan import Plan

if TYPE_CHECKING:
    from structkin.kernels.group import GroupKernel
    from structkin.kernels.kernel_plan import Job, KernelPlan

#: Of one lane of a general group: its kernels are a dozen of those of a closed form.
GROUP = 12

ENGINES = ("auto", "numpy", "numba")

#: Seconds: of kernels of NumPy and of Numba a step and lane, of importing Numba, of reading a stored kernel, of
#: compiling one. Only their order of size matters.
NUMPY, NUMBA, IMPORT, READ, COMPILE = 30e-9, 8e-9, 0.7, 0.1, 2.5
#: Below so many steps times lanes, calling the group functions themselves takes less time than preparing kernels.
SMALL = 50_000


def choose(plan: Plan, n: int, function: str = "solve") -> Job | None:
    """Return the kernels to run a function of a plan with over n lanes; None where none are worth it.

    A plan says which engine it wants; if it says "auto", the seconds that each would take are estimated.
    """
    from structkin.kernels.kernel_plan import Job, kernel_plan_of

    work = len(plan.steps) * n
    if plan.engine == "numba":
        return Job(kernel_plan_of(plan), numba=True)
    if work < SMALL and "kernel_plan" not in plan.__dict__:
        return None
    kernel_plan = kernel_plan_of(plan)
    return Job(
        kernel_plan, numba=plan.engine == "auto" and has_numba() and _worth_compiling(kernel_plan, work, function)
    )


def _worth_compiling(kernel_plan: KernelPlan, work: int, function: str) -> bool:
    """Return whether closed forms are done first by Numba; both engines give the same numbers to the last digit."""
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
        return plan.engine == "numba"
    # Its iterations round otherwise than those of NumPy: what is compiled already must not decide.
    return has_numba() and n * GROUP * (NUMPY - NUMBA) > IMPORT + COMPILE


def check_engine(engine: str, source: str = "") -> None:
    """Raise `InputError` where there is no such engine, or where Numba is asked for and not installed."""
    if engine not in ENGINES:
        raise InputError([Problem("engine", f"'{engine}' is unknown", f"known: {', '.join(ENGINES)}")], source)
    if engine == "numba" and not has_numba():
        raise InputError([Problem("engine", "Numba is not installed", 'pip install "structkin[fast]"')], source)


@cache
def has_numba() -> bool:
    """Return whether Numba is installed, without importing it."""
    return importlib.util.find_spec("numba") is not None
