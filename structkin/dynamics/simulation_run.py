"""The run of a simulation: from output time to output time, at fixed or adaptive steps.

Bodies meet within a step of an integrator at the first zero of their depths, from a polynomial of the step. A body may
pass another one between two looks at them. So a look also takes the rate of each depth, and an interval is passed only
where the cubic through the depths and rates at its ends says that nothing meets, and a look inside confirms the cubic;
otherwise it is split there.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.budget import PACE, too_far
from structkin.dynamics.contacts import not_met
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.integrators.methods import (
    FIXED,
    FORGIVING,
    ONE_STEP,
    STIFF,
    FixedStep,
    NotConvergedError,
    adaptive_solver,
)
from structkin.dynamics.reduced.pose import BlownUpError, NearlyFlatError, NoPoseError
from structkin.errors import InputError
from structkin.model.integrating import bounded_step
from structkin.numerical_tolerances import AFTER_IMPACT, NEGLIGIBLE, ROOT, SHORTEST_PART, WHOLE
from structkin.types import Flags, Floats

log = logging.getLogger("structkin.dynamics")

# --- when bodies meet ----------------------------------------------------------------------------------------------

#: A time, and the depths and rates (2, c) of all contacts that have not begun.
Look = tuple[float, Floats]

#: Looks at a step, and at a whole run; the place of the look inside an interval, unlike any part of a period.
LOOKS, IN_ALL, INSIDE = 2, 360, 0.4615
#: How often an interval is split, and how many times the cubic's error at the look inside may lie elsewhere.
LEVELS, MARGIN = 12, 4.0


def meeting(touches: Callable[[float], Floats], begin: float, end: float, part: float, size: float) -> float | None:
    """Return the time in a step from `begin` to `end` just after bodies have met; None where none do.

    `touches(t)` gives the depths (2, c) [m] of the contacts and their rates [m/s]; the depth of a contact that has
    begun is -inf. The step is a `part` of the run. A depth less than 1e-9 of the `size` [m] may be missed.
    """
    times = np.linspace(begin, end, 1 + max(LOOKS, math.ceil(IN_ALL * part))).tolist()
    low = begin, touches(begin)
    for time in times[1:]:
        high = time, touches(time)
        if (found := _first(touches, low, high, NEGLIGIBLE * size, LEVELS)) is not None:
            return found
        low = high
    return None


def _first(touches: Callable[[float], Floats], low: Look, high: Look, tiny: float, levels: int) -> float | None:
    """Return when bodies first meet in an interval, splitting it where that is not clear."""
    (a, before), (b, after) = low, high
    if not np.isfinite(before[0]).any():
        return None
    inside = a + INSIDE * (b - a), touches(a + INSIDE * (b - a))
    if levels and not _is_decided(low, inside, high, tiny).all():
        first = _first(touches, low, inside, tiny, levels - 1)
        return first if first is not None else _first(touches, inside, high, tiny, levels - 1)
    meet = np.flatnonzero((before[0] <= 0) & (after[0] > 0))
    return min((_zero(touches, int(k), a, b) for k in meet), default=None)


def _is_decided(low: Look, inside: Look, high: Look, tiny: float) -> Flags:
    """Return for which contacts (c,) it is clear that they do not begin in an interval, or that they begin once.

    A cubic does not exceed its Bezier points, which are its values at the ends and two more.
    """
    (_, before), (_, after), (h, s) = low, high, (high[0] - low[0], INSIDE)
    with np.errstate(invalid="ignore"):
        points = before[0], before[0] + before[1] * h / 3, after[0] - after[1] * h / 3, after[0]
        weights = (1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s * s * (1 - s), s**3
        error = np.abs(sum(weight * point for weight, point in zip(weights, points, strict=True)) - inside[1][0])
        highest = np.max([*points[1:3], inside[1][0]], axis=0) + MARGIN * error
        clear = (highest <= tiny) & (after[0] <= 0)
        meets = (before[0] <= 0) & (after[0] > 0) & (MARGIN * error <= after[0] - before[0])
        return np.asarray(clear | meets | ~(np.isfinite(before[0]) & (before[0] <= 0)))


def _zero(touches: Callable[[float], Floats], k: int, a: float, b: float) -> float:
    """Return the time just after the zero of a depth."""
    from scipy.optimize import brentq

    at = float(brentq(lambda t: float(touches(t)[0, k]), a, b, xtol=ROOT, rtol=ROOT))
    return min(at + ROOT * max(1.0, abs(at)), b)


# --- the run -------------------------------------------------------------------------------------------------------

#: Largest power balance error of a fixed step (trapezoidal rule), relative to the largest kinetic energy.
JUMP = 0.01

#: Friction changes its sign while the joint's rate is below this many transitions: tanh is 1 within 5e-5 there.
REVERSAL = 5.0

#: A state beyond this has diverged.
HUGE = 1e12

#: Time stands still where so many steps advance it by less than `SHORTEST_PART` of the duration, and by less than the
#: second part of what as many have done on average: all steps are short parts of a very long duration.
MANY, SLOWER = 1000, 0.1

#: After so many steps that are on average this part of the time between two outputs, of which `IN_ALL` are enough to
#: show a motion, the motion may be stiff.
CRAWLING, SHORT = 10_000, 0.01


@dataclass
class Record:
    """The record: everything at each output time."""

    equations: EquationsOfMotion
    times: Floats
    progress: Callable[[float], None] | None
    instants: list[Any] = field(default_factory=list)
    impacts: dict[str, list[float]] = field(default_factory=dict)

    @property
    def due(self) -> float:
        """The next output time, or infinity."""
        return float(self.times[len(self.instants)]) if len(self.instants) < len(self.times) else math.inf

    def add(self, t: float, y: Floats) -> None:
        """Record everything at an output time."""
        with self.equations.preserved():
            self.instants.append(self.equations.recorded(t, y))
            touches = self.equations.touches(t, y) if self.equations.contacts else {}
        # The speeds are those of the end of a step, and bodies may meet or part before it.
        for id, (depth, _) in touches.items():
            speed = self.equations.impacts.get(id, math.nan) if depth >= 0 else math.nan
            self.impacts.setdefault(id, []).append(speed)
        if self.progress is not None:
            self.progress(len(self.instants) / len(self.times))


@dataclass
class Run:
    """The integration from the first output time to the last, of a mechanism of a size [m].

    At each of the `breaks`, a time and a first step [s], the adaptive integrators start anew, and at each time of the
    `impulses`, behind which the rates of prescribed drivers have jumped: at the next time, by driver. Steps may become
    `longer`, by this factor; unless fewer than usual are allowed, a run ends where even so they are too many.
    """

    equations: EquationsOfMotion
    times: Floats
    record: Record
    max_steps: int
    size: float
    breaks: Sequence[tuple[float, float]] = ()
    impulses: Mapping[float, tuple[float, Mapping[str, float]]] = field(default_factory=dict)
    longer: float = math.inf
    steps: int = 0
    reached: float = 0.0
    stopped: str = ""
    hint: str = ""
    _mark: float = -math.inf
    _seen: float = -math.inf
    _paced: float = math.inf

    def fixed(self, name: str, y: Floats, step: float) -> None:
        """Integrate from output to output in equal steps."""
        method, largest = FIXED[name](), 0.0
        for begin, end in zip(self.times[:-1].tolist(), self.times[1:].tolist(), strict=True):
            count = max(1, math.ceil((end - begin) / step * (1 - WHOLE)))
            h = (end - begin) / count
            k = -1
            while (k := k + 1) < count:
                last = min(count, k + self.max_steps - self.steps - 1)
                done, y = self.equations.advance(name, begin, end, k, count, last, y, JUMP, HUGE)
                k, self.steps = done, self.steps + done - k
                if k == count:
                    break
                self.reached = begin + k * h
                before = self.equations.energies(begin + k * h, y)
                try:
                    method, y = self._step(name, method, begin + k * h, y, h)
                except NotConvergedError:
                    self.stopped = (
                        f"t = {begin + k * h:.6g} s: the step of {name} does not converge; try a smaller step"
                    )
                    return
                except BlownUpError as error:
                    self.stopped = f"t = {error.t:.6g} s: {error.words}" + self.equations.gain_warning(name, h)
                    return
                t = end if k == count - 1 else begin + (k + 1) * h
                self.equations.verify(t, y)
                y = self.equations.project(t, y)
                self.equations.accept(t, y)
                if not self._continues(t, y):
                    self.stopped += self.equations.gain_warning(name, h)
                    return
                after = self.equations.energies(t, y)
                if before is None or after is None:
                    continue
                largest = max(largest, before[0], after[0])
                if _missed(before, after, h) > JUMP * largest:
                    self.stopped = f"t = {t - h:.6g} s: a step of {h:g} s is too large here: the energy jumps"
                    return
            self.record.add(end, y)

    def _step(self, name: str, method: FixedStep, t: float, y: Floats, h: float) -> tuple[FixedStep, Floats]:
        """Take one step; in other coordinates, where these reach no pose. A method then forgets its past steps."""
        changed = self._changed(t, y)
        if changed is y:
            try:
                return method, method.step(self.equations, t, y, h)
            except NoPoseError:
                changed = self._changed(t, y, stuck=True)
                if changed is y:
                    raise
        method = FIXED[name]()
        return method, method.step(self.equations, t, changed, h)

    def adaptive(self, name: str, y: Floats, rtol: float, atol: float) -> None:
        """Integrate by the steps of one of SciPy's integrators, and interpolate the outputs."""
        t, end, size = float(self.times[0]), float(self.times[-1]), math.inf
        self._paced = t
        make = adaptive_solver(name)
        solver: Any = None
        bound, firsts = end, {**dict(self.breaks), **dict.fromkeys(self.impulses, math.inf)}
        y = self._changed(t, y)
        slips = self.equations.slips(t, y) if name in ONE_STEP else np.zeros(0)
        shortest = SHORTEST_PART * (end - float(self.times[0]))
        while t < end:
            last: NoPoseError | InputError | None = None
            try:
                longest = max(self.equations.longest_step(t, y), shortest)
                if solver is None:
                    bound = min((time for time in firsts if time > t), default=end)
                    first = min(size, bound - t) if math.isfinite(size) else None
                    least = atol * np.tile(self.equations.measures, 2)
                    solver = make(
                        self.equations, t, y, bound, rtol=rtol, atol=least, first_step=first, max_step=longest
                    )
                # LSODA keeps that of its start.
                solver.max_step = longest
                message = bounded_step(solver)
                passes = False
                if solver.status != "failed":
                    self.equations.verify(solver.t, solver.y)
                    passes = self.equations.passes(solver.t, solver.y, solver.t - t)
            except (NoPoseError, InputError) as error:
                last, message = error, None
            if last is not None:
                # A trial beyond the last existing pose, or beyond the end of a load: restart, in other coordinates or
                # with smaller steps.
                beyond = last.t if isinstance(last, NoPoseError) else t
                solver, y = None, self._changed(t, y, stuck=isinstance(last, NoPoseError))
                size = min(size, beyond - t if beyond > t else math.inf, end - t) / 10
                if size < shortest or isinstance(last, NearlyFlatError):
                    raise last
                continue
            if solver.status == "failed":
                self.stopped = f"t = {t:.6g} s: {name} cannot find a small enough step ({message})"
                return
            if passes and solver.t - t > shortest:
                solver, size = None, 0.5 * (solver.t - t)
                continue
            if len(slips):
                after = self.equations.slips(solver.t, solver.y)
                part = _before_reversal(slips, after)
                if part < 1.0 and solver.t - t > shortest:
                    solver, size = None, part * (solver.t - t)
                    continue
                slips = after
            size, t, y, restart = solver.step_size, solver.t, solver.y, False
            self.reached = t
            # An interpolant costs some methods extra evaluations: it is made only where it is needed.
            dense: Any = None
            if self.equations.contacts or self.record.due <= t:
                with self.equations.preserved():
                    dense = solver.dense_output()
            if self.equations.contacts and (impact := self._meeting(solver.t_old, t, dense)) is not None:
                # Bodies meet in this step: restart there, with a step that is small relative to the impact.
                t, y, restart = impact, dense(impact), True
                slips = self.equations.slips(t, y) if len(slips) else slips
                self.equations.remember(t, y)
                size = AFTER_IMPACT * (end - float(self.times[0]))
            elif t >= bound:
                restart, size = True, firsts.get(bound, size)
            while self.record.due <= t:
                self.record.add(self.record.due, dense(self.record.due))
            projected = self.equations.project(t, y)
            self.equations.accept(t, projected)
            if projected is not y and name in FORGIVING and not restart:
                y = solver.y = projected
                solver.f = self.equations(t, y)
            elif projected is not y and (restart or self.equations.needs_restart):
                y, restart = projected, True
            if not self._continues(t, y):
                return
            if self.steps % CRAWLING == 0 and name not in STIFF:
                self._look_at_pace(name, t)
            if t in self.impulses:
                t, rates = self.impulses[t]
                y, restart = self.equations.struck(t, y, rates), True
                self.equations.accept(t, y)
                while self.record.due <= t:  # what is behind it, as of the laws
                    self.record.add(self.record.due, y)
            changed = self._changed(t, y)
            if restart or changed is not y:
                solver, y = None, changed

    def _look_at_pace(self, name: str, t: float) -> None:
        """Note which integrators may need far fewer steps, once; also while the run goes on, as it may take hours."""
        between = float(self.times[-1] - self.times[0]) / max(len(self.times) - 1, IN_ALL)
        if t - self._paced < CRAWLING * SHORT * between and not self.hint:
            self.hint = (
                f"{name} took {CRAWLING} steps for {t - self._paced:.2g} s of the motion: if it is stiff, as by a hard "
                f"contact or dry friction, the integrators {', '.join(STIFF[:-1])} and {STIFF[-1]} may take far fewer"
            )
            log.warning(self.hint)
        self._paced = t

    def _stands_still(self, t: float) -> bool:
        begin, end = float(self.times[0]), float(self.times[-1])
        usual = SLOWER * MANY * (t - begin) / self.steps
        return t - self._mark < min(SHORTEST_PART * (end - begin), usual)

    def _look_ahead(self, t: float) -> None:
        """End a run that would need far more steps than it may take, by the better of its mean and present pace."""
        begin, end = float(self.times[0]), float(self.times[-1])
        far = too_far(begin, end, t, self._seen, self.steps, self.longer * self.max_steps)
        self._seen = t
        if far:
            hint = "let it end earlier, raise max_steps, or loosen the tolerances"
            self.stopped = f"t = {t:.6g} s: {far}, and max_steps is {self.max_steps:,}; {hint}"

    def _changed(self, t: float, y: Floats, *, stuck: bool = False) -> Floats:
        """Return the state, in other coordinates where these describe the motion better."""
        changed = self.equations.change(t, y, stuck=stuck)
        return y if changed is None else changed

    def _meeting(self, begin: float, end: float, dense: Callable[[float], Floats]) -> float | None:
        def touches(t: float) -> Floats:
            return not_met(self.equations.touches(t, dense(t)), self.equations.impacts)

        part = (end - begin) / float(self.times[-1] - self.times[0])
        return meeting(touches, begin, end, part, self.size)

    def _continues(self, t: float, y: Floats) -> bool:
        self.steps += 1
        if not np.max(np.abs(y)) < HUGE:
            self.stopped = f"t = {t:.6g} s: {BlownUpError.words}"
        elif apart := self.equations.constraint_violation(t, y):
            self.stopped = f"t = {t:.6g} s: {apart}"
        elif self.steps % MANY == 0 and self._stands_still(t):
            still = f"time stands still: the last {MANY} steps advanced it by {t - self._mark:.1g} s"
            self.stopped = f"t = {t:.6g} s: {still}; a load, or the rate of a coordinate, grows without bound here"
        elif self.steps >= self.max_steps:
            self.stopped = f"t = {t:.6g} s: {self.steps} steps taken; raise max_steps, or loosen the tolerances"
        elif self.steps % PACE == 0:
            self._look_ahead(t)
        if self.steps % MANY == 0:
            self._mark = t
        return not self.stopped


def _before_reversal(before: Floats, after: Floats) -> float:
    """Return the part of a step after which it has to go on in shorter ones, because a joint reverses; 1 if none does.

    The rates of the joints with friction at both ends are in parts of their transitions. The error estimate of a step
    that passes over a transition has seen nothing of it.
    """
    change, inside = np.abs(after - before), np.abs(before) <= 1.01 * REVERSAL
    # A shorter step arrives at the transition only nearly, and then goes on from inside it.
    passed = (inside | (np.sign(before) * after < 0.99 * REVERSAL)) & (change > 2 * REVERSAL)
    way = np.where(inside, 0.2 * REVERSAL, np.abs(before) - REVERSAL)[passed]
    return float(np.min(way / change[passed], initial=1.0))


def _missed(before: tuple[float, float], after: tuple[float, float], h: float) -> float:
    """Return the power balance error of a step, in kinetic energy: large where the step passes a dead point.

    Within the step the power may have any value between those at its ends: from rest it may begin with zero.
    """
    work, unsure = 0.5 * h * (before[1] + after[1]), 0.5 * h * abs(after[1] - before[1])
    return max(abs(after[0] - before[0] - work) - unsure, 0.0)
