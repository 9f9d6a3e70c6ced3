"""Which engine evaluates the equations of a simulation: chosen before the start from an estimate of the work.

Both engines give the same numbers to rounding, not to the last digit. For the same call always to give the same result,
the choice depends neither on a clock nor on what happens to be compiled already.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.compiled.packing import Packed, packed
from structkin.dynamics.integrators.methods import METHODS
from structkin.dynamics.reduced.equations import Instant, Reduced
from structkin.kernels.choice import has_numba

Floats = NDArray[np.float64]

#: Seconds that NumPy takes, roughly, for an evaluation and for each step of the plan in it.
EVALUATION, A_STEP = 5e-4, 2e-4
#: NumPy time [s] from which the equations are compiled. Importing Numba and loading compiled code takes one or two
#: seconds; compiling, once on a machine, ten times as much.
WORTH = 5.0

#: Evaluations that an impact takes, roughly: it is approached by small steps, and bodies part before the next.
IMPACT = 1000

#: Steps times numbers of the pose that compiled code takes before it returns.
TURN = 200_000

#: Order of the methods with adaptive steps, and the evaluations that a step takes.
ADAPTIVE = {"DOP853": (8, 12), "RK45": (5, 6), "Radau": (5, 10), "BDF": (4, 3), "LSODA": (7, 3), "milne": (4, 2)}


class Hastened(Reduced):
    """The reduced equations, evaluated by the compiled module."""

    def __init__(self, equations: Reduced, arrays: Packed, t: float, y: Floats) -> None:
        """Take equations, with the time and state of their first evaluation."""
        from structkin.dynamics.compiled.machine import Machine

        vars(self).update(vars(equations))
        self._machine = Machine(equations, arrays)
        self._machine.by_equations(t, y)

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        self.evaluations += 1
        return self._machine.rate(t, y)

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state; `NoPoseError` where the pose is not regular."""
        self.evaluations += 1
        return self._machine.at(t, y)

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the last pose before, whatever is evaluated within."""
        with self._machine.preserved():
            yield

    def recorded(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state that is recorded."""
        self.evaluations += 1
        return self._machine.recorded(t, y)

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        super().remember(t, y)
        if self.contacts:
            self._machine.meet(self.impacts)

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        touches = self._machine.touches(t, y)
        return super().touches(t, y) if touches is None else touches

    def slots(self, t: float, y: Floats) -> tuple[Floats, Floats] | None:
        """Return slots (rows,) at a state, and K (free, rows) of the free coordinates; None at a flat pose."""
        return self._machine.slots(t, y)

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
        """Take as many of the steps `begin` to `last` as possible without a check of the pose.

        They are among `count` equal ones from `start` to `end`. Return how many are done, and the state after them.
        """
        machine, y, h = self._machine, y.copy(), (end - start) / count
        before, done, looked, turn = machine.evaluations, begin, -1, 1 + TURN // self.plan.offsets[-1]
        while done < last:
            # Compiled code cannot be interrupted: it returns after the steps of a fraction of a second.
            until = min(last, done + turn)
            done = machine.advance(METHODS[method].number, start, end, done, until, count, y, jump, huge)
            if done == until:
                continue
            if done == looked or not machine.look_ahead(start + done * h, y):
                break
            looked = done
        self.evaluations += machine.evaluations - before
        return done, y


def hastened(equations: Reduced, t: float, y: Floats, *, engine: str, evaluations: float) -> Reduced:
    """Return the equations as an engine evaluates them from a time and state; unchanged with "numpy".

    They are unchanged too where they have no compiled form. "auto" compiles them where the `evaluations` are worth it.
    """
    seconds = evaluations * (EVALUATION + A_STEP * len(equations.plan.steps))
    if engine == "numpy" or not has_numba() or (engine == "auto" and seconds < WORTH):
        return equations
    arrays = packed(equations)
    return equations if arrays is None else Hastened(equations, arrays, t, y)


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
    rate, lengths = equations(float(times[0]), y), equations.lengths[equations.free]
    speed, second = (np.max(np.abs(part) / lengths, initial=0.0) for part in np.split(rate, 2))
    frequency = max(speed, np.sqrt(max(second, abs(equations.mechanism.forces.gravity) / equations.size)))
    impacts = IMPACT * len(equations.contacts)
    work = duration * frequency * (stages * max(rtol, 1e-15) ** (-1 / order) + impacts)
    return float(len(times) + min(work, stages * max_steps))
