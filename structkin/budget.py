"""A work budget: a call that would run without end stops with an error before it starts, or once that is clear.

The unit is a *step*: one pose found on its own. Poses found together are cheap, so `TOGETHER` of their numbers count
as one step, which also limits memory. Work is counted before it is done, never timed: what a call returns depends
neither on the machine nor on its load. The work to be expected for a call's samples and groups is granted in addition
to the budget: a million samples take long, but they end.

Code that does the work calls `charge` first; public calls are `metered`. A call inside another has its own budget,
unless the outer one is unlimited.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem

#: Steps a call may take beyond those expected for its samples: a few seconds.
DEFAULT = 5000
#: Numbers of poses found together that count as one step; the budget is then some 20 million numbers, or 0.5 GiB.
TOGETHER = 4000

#: The most memory that the results of a call may take [bytes].
MOST_BYTES = 16 * 2**30

#: A run whose end is out of reach of its steps is told after so many of them.
PACE = 2000
#: So many steps, or more, are said as this number.
LARGEST = 1e300
#: How many times longer steps may become than those before: where nothing comes to rest; where dampers bring it there,
#: but stability bounds the steps of explicit methods; where contacts, friction or laws may end what makes them short.
STEADY, DAMPED, CHANGING = 2.0, 30.0, 1000.0

#: The hint of an error where nothing better can be suggested.
HINT = "budget=None (--budget none) removes the limit"


def too_large(key: str, what: str, size: float, hint: str) -> Problem:
    """Return the problem with results of this size [bytes], which do not fit into memory.

    >>> print(too_large("samples", "100,000,000 samples", 28.8e9, "give fewer"))
    samples: 100,000,000 samples would take 27 GiB of memory; at most 16 GiB, and no more than is free: give fewer
    """
    most, gib = f"at most {MOST_BYTES / 2**30:.0f} GiB, and no more than is free", size / 2**30
    return Problem(
        key, f"{what} would take {f'{gib:,.0f}' if gib >= 10 else f'{gib:.2g}'} GiB of memory", f"{most}: {hint}"
    )


@contextmanager
def in_memory(problem: Callable[[], Problem], source: str) -> Iterator[None]:
    """Raise one `InputError` where memory ends; results above `MOST_BYTES` are refused before they are computed."""
    try:
        yield
    except MemoryError:
        raise InputError([problem()], source) from None


class SpentError(Exception):
    """The budget is spent; caught by the metered call, which knows what the work was for."""


@dataclass
class Meter:
    """Steps taken so far and their limit; `report` is called with the steps taken so far."""

    limit: float
    report: Callable[[float], None] | None = None
    spent: float = 0.0

    def charge(self, steps: float) -> None:
        """Count work about to be done; raise `SpentError` if the budget does not cover it."""
        self.spent += steps
        if self.spent > self.limit:
            raise SpentError
        if self.report is not None:
            self.report(self.spent)


_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


def charge(steps: float) -> None:
    """Count work about to be done by the innermost call; raise `SpentError` if its budget does not cover it.

    >>> with metered(10, lambda: Problem("drivers.motor", "it turns without end")):
    ...     charge(11)
    Traceback (most recent call last):
    structkin.errors.InputError: input: 1 error
      - drivers.motor: it turns without end
    """
    meter = _METER.get()
    if meter is not None:
        meter.charge(steps)


def allowed() -> float:
    """Return how many steps the innermost call may take in all."""
    meter = _METER.get()
    return math.inf if meter is None else meter.limit


def growth(*, changing: bool, damped: bool, implicit: bool) -> float:
    """Return by what factor the steps of a run may become longer than they have been."""
    if (changing or damped) and implicit:
        return math.inf
    return CHANGING if changing else DAMPED if damped else STEADY


def too_far(begin: float, end: float, t: float, seen: float, steps: int, most: float) -> str:
    """Return why a run from `begin` cannot reach its end [s] from t in `most` steps, by its mean or present pace.

    It has taken so many `steps`, the last `PACE` of them since `seen` [s]. The text is empty where it can.
    """
    pace = max((t - begin) / steps, (t - seen) / PACE if steps > PACE else 0.0)
    if end - t <= pace * most:
        return ""
    with np.errstate(over="ignore"):
        count = np.minimum(np.divide(end - t, pace), LARGEST)
    return f"the way to {end:.6g} s would take some {count:.0e} steps like the first {steps:,}"


def call_report() -> None:
    """Call the report of the innermost call where work goes on that is not counted; what it raises ends the call."""
    meter = _METER.get()
    if meter is not None and meter.report is not None:
        meter.report(meter.spent)


def grant(steps: float) -> None:
    """Allow the innermost call this many more steps: those expected for its samples."""
    meter = _METER.get()
    if meter is not None:
        meter.limit += steps


def new_meter(budget: Any, report: Callable[[float], None] | None = None, source: str = "") -> Meter:
    """Return the meter of a call; unlimited inside an unlimited call. `InputError` if the budget is invalid."""
    outer = _METER.get()
    if budget is None or (outer is not None and math.isinf(outer.limit)):
        return Meter(math.inf, report)
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.number) or not budget > 0:
        raise InputError([Problem("budget", f"{budget!r} is not a positive number of steps", HINT)], source)
    return Meter(float(budget), report)


@contextmanager
def metering(meter: Meter) -> Iterator[None]:
    """Charge work done in this context to a meter."""
    token = _METER.set(meter)
    try:
        yield
    finally:
        _METER.reset(token)


@contextmanager
def metered(
    budget: Any,
    spent: Callable[[], Problem],
    source: str = "",
    report: Callable[[float], None] | None = None,
) -> Iterator[None]:
    """Limit a call: when its budget is spent, raise an `InputError` with the problem that `spent` returns."""
    try:
        with metering(new_meter(budget, report, source)):
            yield
    except SpentError:
        raise InputError([spent()], source) from None
