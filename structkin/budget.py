"""A budget of work: a call that would walk without an end says so before it begins, or as soon as it shows.

The unit is a *step*: one pose that is found by itself. Poses that are found together cost little each; so many numbers
of theirs make a step, which is also what they take in memory. Work is counted before it is done, never by a clock: what
a call returns does not depend on the machine, nor on what else this has to do. What a call can be expected to take, by
its samples and groups, is granted beside the budget: a million samples are long, but they have an end.

Walkers `charge` what they are about to do; calls that users make are `metered`. A call inside another has a budget of
its own, unless the outer one has no bound.
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

#: Steps that a call may take beyond what its samples explain: some seconds.
DEFAULT = 5000
#: Numbers of poses that are found together and make a step; the budget is then some 20 million, which are 0.5 GiB.
TOGETHER = 4000

#: What a mistake says to do where nothing else helps.
HINT = "budget=None (--budget none) goes on to the end"


class SpentError(Exception):
    """The budget is spent; caught where the call began, which knows what it was for."""


@dataclass
class Meter:
    """Steps taken so far and steps that may be taken; `tell` is called with the former."""

    limit: float
    tell: Callable[[float], None] | None = None
    spent: float = 0.0

    def charge(self, steps: float) -> None:
        """Count work that is about to be done; `SpentError` where there is no budget for it."""
        self.spent += steps
        if self.spent > self.limit:
            raise SpentError
        if self.tell is not None:
            self.tell(self.spent)


_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


def charge(steps: float) -> None:
    """Count work that is about to be done by the innermost call; `SpentError` where there is no budget for it.

    >>> with metered(10, lambda: Problem("drivers.motor", "it turns on and on")):
    ...     charge(11)
    Traceback (most recent call last):
    structkin.errors.InputError: description: 1 error
      - drivers.motor: it turns on and on
    """
    meter = _METER.get()
    if meter is not None:
        meter.charge(steps)


def grant(steps: float) -> None:
    """Let the innermost call take so many steps more: those that its samples explain."""
    meter = _METER.get()
    if meter is not None:
        meter.limit += steps


def new_meter(budget: Any, tell: Callable[[float], None] | None = None, source: str = "") -> Meter:
    """Return the meter of a call; without a bound inside of one without. `InputError` where the budget is none."""
    outer = _METER.get()
    if budget is None or (outer is not None and math.isinf(outer.limit)):
        return Meter(math.inf, tell)
    if isinstance(budget, bool) or not isinstance(budget, int | float | np.number) or not budget > 0:
        raise InputError([Problem("budget", f"{budget!r} is not a positive number of steps", HINT)], source)
    return Meter(float(budget), tell)


@contextmanager
def metering(meter: Meter) -> Iterator[None]:
    """Charge a meter with what is done inside."""
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
    tell: Callable[[float], None] | None = None,
) -> Iterator[None]:
    """Bound a call: where its budget is spent, raise an `InputError` with the problem that `spent` returns."""
    try:
        with metering(new_meter(budget, tell, source)):
            yield
    except SpentError:
        raise InputError([spent()], source) from None
