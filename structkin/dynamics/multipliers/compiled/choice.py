"""The equations with multipliers by compiled code, chosen before the start from an estimate of the work.

NumPy and compiled code give the same numbers to rounding, not to the last digit. For the same call always to give the
same result, the choice depends neither on a clock nor on what happens to be compiled already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from structkin.compiled import has_numba
from structkin.dynamics.compiled.modules import module_of
from structkin.dynamics.contacts import note
from structkin.dynamics.integrators.methods import ADAPTIVE, METHODS
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.compiled.packing import packed
from structkin.dynamics.multipliers.compiled.source import constrained_source
from structkin.dynamics.multipliers.equations import APART, GlobalInstant, Multipliers
from structkin.dynamics.multipliers.partitioning import Partitioning
from structkin.dynamics.multipliers.projection import Projection
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.dynamics.reduced.equations import Reduced
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.rows.matrix import Matrix
from structkin.types import Floats

Result = TypeVar("Result")

#: Seconds that NumPy takes, roughly, for an evaluation and for each link in it.
EVALUATION, A_LINK = 2e-4, 5e-5
#: NumPy time [s] from which the equations are compiled. Importing Numba and loading compiled code takes one or two
#: seconds; compiling, once on a machine, ten times as much.
WORTH = 5.0
#: Evaluations that an impact takes, roughly: it is approached by small steps, and bodies part before the next.
IMPACT = 1000
#: Most coordinates and rows of a compiled system: for larger ones LAPACK outweighs the cost of calls.
SMALL = 250


class CompiledMultipliers(Multipliers):
    """The equations with multipliers, evaluated by the compiled module."""

    def __init__(self, equations: Multipliers, mem: ConstrainedMemory) -> None:
        """Take equations that were evaluated at their start."""
        vars(self).update(vars(equations))
        self._plain, self._mem = equations, mem
        self._frame_rates = Matrix.summing(mem.map_row, 4 * len(equations.coordinates.links))
        self._module: Any = module_of("multipliers", constrained_source(), "rate", "equations with multipliers")
        self._adopt()

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state."""
        out = np.empty(len(y))
        if self._module.rate(self._mem.I, self._mem.D, t, y, out):
            self.evaluations += 1
            return out
        return self._by_numpy(lambda plain: plain(t, y))

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the state of the solvers before, whatever is evaluated within."""
        arrays = self._mem.I, self._mem.D
        kept = [array.copy() for array in arrays]
        with self._plain.preserved():
            try:
                yield
            finally:
                for array, old in zip(arrays, kept, strict=True):
                    array[:] = old

    def recorded(self, t: float, y: Floats) -> GlobalInstant:
        """Return everything at a time and state that is recorded."""
        mem, n = self._mem, self.coordinates.n
        projected, rate = np.array(y), np.empty(len(y))
        # The equations themselves distribute the multipliers of redundant rows.
        known = self.kkt.rows is None and self._module.instant(mem.I, mem.D, t, projected, rate)
        if not known:
            return self._by_numpy(lambda plain: plain.recorded(t, y))
        self.evaluations += 1
        y = projected
        X = mem.X.copy()
        ddX = X[2] + self._frame_rates @ (mem.map[: len(mem.map_row)] * rate[n + mem.map_column])
        turns, multipliers = mem.new_turns.copy(), mem.right[n:] * mem.size / mem.unit_row
        return self.instant(t, (y[:n], y[n:], rate[n:]), multipliers, (X[0], X[1], ddX), turns)

    def project(self, t: float, y: Floats) -> Floats:
        """Return the corrected state at the end of a step."""
        if isinstance(self.stabilisation, Feedback):
            return y
        projected = np.array(y)
        if self._module.end_step(self._mem.I, self._mem.D, t, projected):
            return projected
        return self._by_numpy(lambda plain: plain.project(t, y))

    def accept(self, t: float, y: Floats) -> None:
        """Continue from the end of a step: count turns, note impacts, and choose independent coordinates."""
        if isinstance(self.stabilisation, Partitioning):
            self._by_numpy(lambda plain: plain.stabilisation.accept(plain, t, y))
        self._gap = self._module.accept(self._mem.I, self._mem.D, t, y)
        self.remember(t, y)

    def constraint_violation(self, t: float, y: Floats) -> str:
        """Return which joint has come apart, in words; empty where none has."""
        return "" if self._gap < APART else self._plain.constraint_violation(t, y)

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        if self.contacts:
            note(self.touches(t, y), self.impacts)
            self._mem.met = [self.impacts.get(id, np.nan) for id in self.contacts]

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        self._module.touch(self._mem.I, self._mem.D, t, y)
        return dict(zip(self.contacts, map(tuple, self._mem.touches.T.tolist()), strict=True))

    # --- to and from the equations themselves -----------------------------------------------------------------

    def _by_numpy(self, ask: Callable[[Multipliers], Result]) -> Result:
        """Evaluate the equations themselves, and continue from their state."""
        self._lend()
        before = self._plain.evaluations
        try:
            return ask(self._plain)
        finally:
            self.evaluations += self._plain.evaluations - before
            self._adopt()

    def _lend(self) -> None:
        mem = self._mem
        self.turns.resume(float(mem.clock), mem.turns.copy(), mem.turn_rates.copy())
        self.kkt.strength = float(mem.strength)
        if isinstance(self.stabilisation, Partitioning) and mem.least:
            self.stabilisation.least = float(mem.least)
        self._plain.forget()

    def _adopt(self) -> None:
        mem, turns = self._mem, self.turns
        mem.clock, mem.held, mem.turns, mem.turn_rates = turns.t, turns.held, turns.turns, turns.rates
        mem.strength = self.kkt.strength
        if self.kkt.rows is not None:
            mem.kept = self.kkt.rows
        if isinstance(self.stabilisation, Partitioning):
            mem.chosen, mem.least = self.stabilisation.chosen, self.stabilisation.least


def compiled(
    equations: Multipliers, t: float, y: Floats, *, engine: str, evaluations: Callable[[], float]
) -> Multipliers:
    """Return the equations as an engine evaluates them from a time and state; unchanged with "python".

    They are unchanged too where they have no compiled form, and where their system is sparse or large. `evaluations`
    estimates how many there will be; "auto" compiles where these are worth it.
    """
    c = equations.coordinates
    kept = equations.formulation == "multipliers" and c.n + c.m <= SMALL
    if not kept or not isinstance(equations.stabilisation, Feedback | Projection | Partitioning):
        return equations
    if engine == "python" or not has_numba():
        return equations
    if engine == "auto" and evaluations() * (EVALUATION + A_LINK * len(c.links)) < WORTH:
        return equations
    # The first evaluation chooses the rows to solve and the independent coordinates, and measures the masses.
    try:
        regular = equations.accelerations(t, y)[0].factors.regular
    except NoPoseError:  # the run says why
        return equations
    mem = packed(equations) if regular else None
    return equations if mem is None else CompiledMultipliers(equations, mem)


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
    work = duration * frequency * (stages * max(rtol, 1e-15) ** (-1 / order) + impacts)
    return float(len(times) + min(work, stages * max_steps))
