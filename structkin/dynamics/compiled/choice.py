"""Equations that are compiled as soon as that is worth it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.compiled.modules import ready, stored
from structkin.dynamics.compiled.packing import Packed, packed
from structkin.dynamics.reduced.equations import DEAD, Instant, Reduced
from structkin.kinematics.choice import has_numba

if TYPE_CHECKING:
    from structkin.dynamics.compiled.machine import Machine

Floats = NDArray[np.float64]

#: Seconds of importing Numba, reading what is compiled, compiling the equations, an evaluation by NumPy: roughly.
IMPORT, READ, COMPILE, NUMPY = 1.0, 0.3, 15.0, 1e-3

#: Steps times numbers of the pose that compiled code takes at a time.
TURN = 200_000

#: The methods at a fixed step, as the compiled functions number them, and the evaluations that a step takes.
METHODS = {"euler": (0, 1), "rk2": (1, 2), "rk4": (2, 4), "abm4": (3, 2), "gear4": (4, 8)}


class Hastened(Reduced):
    """The reduced equations; after as much time as compiling takes they are evaluated by the compiled module."""

    def __init__(self, equations: Reduced, arrays: Packed, *, at_once: bool = False) -> None:
        """Take equations that were evaluated before; `at_once`: do not wait."""
        vars(self).update(vars(equations))
        self._equations, self._packed, self._spent, self._at_once = equations, arrays, 0.0, at_once
        self._machine: Machine | None = None

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        if self._machine is not None:
            rate = self._machine.rate(t, y)
            self.evaluations += 1
            return rate
        return np.concatenate((y[len(self.free) :], self.at(t, y).second))

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state; `NoPoseError` where the pose is not regular."""
        self.evaluations += 1
        if self._machine is not None:
            return self._machine.at(t, y)
        began = time.perf_counter()
        instant = self._equations.at(t, y)
        self._spent += time.perf_counter() - began
        if self._at_once or self._spent > waiting(self._packed):
            self._switch(t, y)
        return instant

    def recorded(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state that is kept."""
        if self._machine is None:
            return self._equations.recorded(t, y)
        self.evaluations += 1
        return self._machine.recorded(t, y)

    def change(self, t: float, y: Floats, near: float = DEAD) -> Floats | None:
        """Return the state in other coordinates, if these tell the motion better from here on; None if not."""
        return (self._machine or self._equations).change(t, y, near)

    def expect(self, method: str, steps: float) -> None:
        """Take in that so many steps at a fixed length are to come."""
        self._at_once = self._at_once or steps * METHODS[method][1] * NUMPY > waiting(self._packed)

    def advance(
        self,
        method: str,
        start: float,
        end: float,
        begin: int,
        count: int,
        last: int,
        y: Floats,
        jump: float,
        huge: float,
    ) -> tuple[int, Floats]:
        """Take as many of the steps `begin` to `last` as go without a look at the pose.

        They are of `count` equal ones from `start` to `end`. Return how many are taken then, and the state after them.
        """
        if self._machine is None and self._at_once:
            self._switch(start + begin * (end - start) / count, y)
        if self._machine is None:
            return begin, y
        machine, y, h = self._machine, y.copy(), (end - start) / count
        before, done, looked, turn = machine.evaluations, begin, -1, 1 + TURN // self.plan.offsets[-1]
        while done < last:
            # Compiled code hears no interrupt: it comes back for one after as many steps as take a part of a second.
            until = min(last, done + turn)
            done = machine.advance(METHODS[method][0], start, end, done, until, count, y, jump, huge)
            if done == until:
                continue
            if done == looked or not machine.may_change(start + done * h, y):
                break
            changed, looked = machine.change(start + done * h, y), done
            y = y if changed is None else changed
        self.evaluations += machine.evaluations - before
        return done, y

    def _switch(self, t: float, y: Floats) -> None:
        from structkin.dynamics.compiled.machine import Machine

        self._machine = Machine(self._equations, self._packed)
        self._machine.by_equations(t, y)


def hastened(equations: Reduced, engine: str) -> Reduced:
    """Return equations that may become compiled ones; as they are where they have no compiled form.

    With the engine "numba" they are compiled at once, with "auto" when that is worth it, with "numpy" never.
    """
    if engine == "numpy" or not has_numba():
        return equations
    arrays = packed(equations)
    return equations if arrays is None else Hastened(equations, arrays, at_once=engine == "numba")


def waiting(arrays: Packed) -> float:
    """Return the seconds that it takes until equations are compiled."""
    kinds = set(arrays.kinds)
    missing = sum(kind.seconds for kind in kinds if not kind.is_ready and not kind.is_stored)
    seconds = 0.0 if "numba" in sys.modules else IMPORT
    if not ready():
        seconds += READ if stored() else COMPILE
    return seconds + missing + 0.05
