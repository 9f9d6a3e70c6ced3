"""Forward dynamics in minimal coordinates: the equations of S4, integrated by SciPy's DOP853 or Radau."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import DOP853, Radau
from scipy.optimize import brentq

from structkin.budget import DEFAULT, HINT, PACE, TOGETHER, SpentError, allowed, charge, growth, metered, too_far
from structkin.compiled import announce, has_numba, package_folder
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.integrating import bounded_step, law_breaks
from structkin.multibody.model import JointLoad, SpatialModel, Spring, Stop
from structkin.multibody.readings import not_functions
from structkin.numerical_tolerances import LAST_DIGIT, RTOL, TIGHTEST
from structkin.symbolic.motion import Sample, TreeMotion, recorded
from structkin.symbolic.system import Loops, System
from structkin.types import Floats

METHODS = ("explicit", "multipliers")
INTEGRATORS: Mapping[str, Any] = {"DOP853": DOP853, "Radau": Radau}
#: Evaluations of the equations that count as one step of the budget: some 2 ms.
EVALUATIONS = 40
#: Numbers that a sample has for each body.
NUMBERS = 24
#: Points within a step at which springs that can break are looked at.
WITHIN = np.linspace(0.2, 1.0, 5)


def simulate(
    model: SpatialModel,
    duration: float,
    samples: int = 101,
    rtol: float = RTOL,
    *,
    loops: Loops = "explicit",
    integrator: str = "DOP853",
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> TreeMotion:
    """Return the motion of a model from time 0 to `duration` [s], at equally spaced samples.

    M qdd + h = f + W lambda is solved by the recursive scheme. Loops are closed either explicitly: only independent
    coordinates u are integrated, with v = H(u) from the loops' equations, solved group by group from the last pose
    (S4, eqs. 10 and 11, corrected), and other coordinates become the independent ones where these serve badly; or with
    multipliers: all coordinates are integrated, and projected onto the closed loops after every step.

    Each step's error is held to rtol. The `integrator` is "DOP853", or "Radau" (implicit) for stiff springs and dampers
    whose vibrations die out. `status` of the result says why a run ended early: loops that cannot be closed any
    further, a mass matrix that is singular, numbers that are not finite, or the `budget`, of which three or four steps
    of the integrator take one; a run that would need far more is told so after 2000 steps. `progress` is called with
    the part of the duration that is done. Raises `InputError` if the loops cannot be closed at the start or are
    singular there, if nothing can be accelerated there, and for laws that do not last.
    """
    problems = [
        Problem(name, f"{value!r} is not {what}", hint)
        for name, value, kind, fine, what, hint in (
            ("duration", duration, float, lambda x: 0 < x < np.inf, "a positive time [s]", ""),
            ("samples", samples, int, lambda x: x >= 2, "a number of samples", "give 2 at least"),
            ("rtol", rtol, float, lambda x: TIGHTEST <= x <= 0.1, "a relative tolerance", "give 1e-13 to 0.1"),
            ("loops", loops, str, METHODS.__contains__, "a way to close loops", " or ".join(METHODS)),
            ("integrator", integrator, str, INTEGRATORS.__contains__, "an integrator", " or ".join(INTEGRATORS)),
        )
        if not (_is_a(value, kind) and fine(value))
    ]
    problems += not_functions(progress=progress)
    raise_problems(problems, model.name)

    def spent() -> Problem:
        message = f"{samples:,} samples of {len(model.bodies)} bod{'y' if len(model.bodies) == 1 else 'ies'}"
        message += " exceed the budget"
        return Problem("samples", message, f"fewer samples, or {HINT}")

    with metered(budget, spent, model.name):
        charge(samples * len(model.bodies) * NUMBERS / TOGETHER)
        if has_numba():
            announce("the equations in minimal coordinates", package_folder(Path(__file__).parent))
        system = System(model, loops)
        cut = [joint.name for joint in system.tree.cut]
        strange = [s for s in model.sensors.values() if s.quantity == "multipliers" and s.of[0] not in cut]
        if strange:
            hint = f"cut: {', '.join(cut) or 'none'}; a joint that is not cut has a force and a moment"
            what = "no loop is cut at joint"
            raise InputError([Problem(f"sensors.{s.name}", f"{what} '{s.of[0]}'", hint) for s in strange], model.name)
        short = [law.span for law in system.laws if law is not None and law.span is not None]
        if any(not first <= 0.0 <= duration <= last for first, last in short):
            raise InputError(
                [Problem("duration", f"a table of a load ends before {duration:g} s", "extend it, or end earlier")],
                model.name,
            )
        return _Run(system, np.linspace(0.0, duration, samples), rtol, integrator, progress).go()


def _is_a(value: object, kind: type) -> bool:
    """Return whether a value is text, a whole number or a number."""
    numbers = {float: (int, float, np.integer, np.floating), int: (int, np.integer), str: (str,)}
    return isinstance(value, numbers[kind]) and not isinstance(value, bool)


def _longer(system: System, integrator: str) -> float:
    """Return by what factor the steps of a run may become longer than they have been."""
    loads = system.model.loads.values()
    changing = any(isinstance(load, Stop) or (isinstance(load, Spring) and load.breaks_at) for load in loads)
    changing = changing or any(law is not None and law.speed is None for law in system.laws)
    damped = any(isinstance(load, Spring | JointLoad | Stop) and load.damping for load in loads)
    return growth(changing=changing, damped=damped, implicit=integrator == "Radau")


class _Run:
    """One integration of the states y of a system."""

    def __init__(
        self, system: System, t: Floats, rtol: float, integrator: str, progress: Callable[[float], None] | None
    ) -> None:
        self.system, self.t, self.rtol, self.progress = system, t, rtol, progress
        self.solver = INTEGRATORS[integrator]
        self.status = "ok"
        self.samples: list[Sample] = []
        self.breaks: dict[str, float] = {}
        self.steps = self.evaluations = 0
        springs = [load for load in system.model.loads.values() if isinstance(load, Spring)]
        self.springs = [spring.name for spring in springs]
        self.longer = _longer(system, integrator)
        self.reached = self.seen = 0.0
        self.limits = np.array([np.inf if s.breaks_at is None else s.breaks_at for s in springs])

    def go(self) -> TreeMotion:
        """Integrate until the end, or until no step is possible."""
        with np.errstate(all="ignore"):  # a step that overflows is tried again, shorter
            try:
                self._go()
            except SpentError:
                self.status = f"stopped after t = {self.reached:.6g} s: the budget is spent; {HINT}"
        return recorded(self.system, self.samples, self.status, self.breaks, (self.steps, self.evaluations))

    def _go(self) -> None:
        """Integrate from time to time at which the equations change, or a law jumps or begins a pulse."""
        system = self.system
        t, y, h = 0.0, system.state(system.q, system.qd, 0.0), None
        if not np.isfinite(system.slope(t, y)).all():
            # SciPy would search a first step for ever.
            raise InputError([Problem("start", system.why(), "see the masses and the loads")], system.model.name)
        self._keep(0.0, y)
        end = float(self.t[-1])
        firsts = dict(law_breaks([law for law in system.laws if law is not None], 0.0, end))
        while t < end and self.status == "ok":
            atol: Any = self._atol()
            bound = min((time for time in firsts if time > t), default=end)
            first = None if h is None else min(h, bound - t)
            solver = self.solver(self._slope, t, y, bound, rtol=self.rtol, atol=atol, first_step=first)
            t, y = self._integrate(solver)
            h = firsts.get(t, solver.h_abs)
            self.evaluations += solver.nfev

    def _slope(self, t: float, y: Floats) -> Floats:
        """Return the rate of a state."""
        charge(1.0 / EVALUATIONS)
        return self.system.slope(t, y)

    def _atol(self) -> Floats:
        """Return what counts as nothing in each state: rtol radians or sizes of the model, and of the energy."""
        unit = self.system.state(self.system.scale, self.system.scale, self.system.energy_unit)
        return self.rtol * unit

    def _integrate(self, solver: Any) -> tuple[float, Floats]:
        """Step until the end, a spring breaks, or other coordinates are better; return time and state there."""
        system = self.system
        while solver.status == "running":
            bounded_step(solver)
            if solver.status == "failed":
                self.status = f"stopped at t = {solver.t:.6g} s: {system.why()}"
                break
            self.steps += 1
            self.reached = float(solver.t)
            if self.steps % PACE == 0 and self._is_too_far(solver):
                break
            if self.progress is not None:
                self.progress(solver.t / self.t[-1])
            path = solver.dense_output()
            t_break, broken = self._first_break(path, solver.t_old, solver.t)
            t = t_break if broken is not None else solver.t
            for at in self.t[len(self.samples) :]:
                if at > t:
                    break
                self._keep(at, solver.y if at == solver.t else path(at))
            y, changed = system.accept(t, solver.y if t == solver.t else path(t))
            if broken is not None:
                self.breaks[self.springs[broken]] = t
                before = system.energy_at(t)
                system.loads.whole[broken] = 0.0
                y[-1] += system.energy_at(t) - before  # what a broken spring held is lost
            if broken is not None or changed:
                return t, y
            if system.projects:
                solver.y = y
                solver.f = system.slope(solver.t, y)
        return solver.t, solver.y

    def _is_too_far(self, solver: Any) -> bool:
        """Return whether the end is out of reach of the budget, which `status` then says."""
        most = allowed() * EVALUATIONS * self.steps / (self.evaluations + solver.nfev)
        far = too_far(0.0, float(self.t[-1]), self.reached, self.seen, self.steps, self.longer * most)
        self.seen = self.reached
        if far:
            hint = f"a shorter duration, a looser rtol, or {HINT}"
            self.status = f"stopped at t = {self.reached:.6g} s: {far}, which exceeds the budget; {hint}"
        return bool(far)

    def _first_break(self, path: Callable[[float], Floats], start: float, end: float) -> tuple[float, int | None]:
        """Return when a spring first pulls more than it bears within a step, and which; None if none does."""
        whole = np.flatnonzero(np.isfinite(self.limits) & (self.system.loads.whole > 0.0))
        if not whole.size:
            return end, None

        def excess(t: float, k: Any) -> float:
            self.system.slope(t, path(t))
            return float(self.system.loads.pull[k] - self.limits[k])

        before = start
        for t in start + (end - start) * WITHIN:
            over = [(k, excess(t, k)) for k in whole]
            if any(value > 0.0 for _, value in over):
                times = [
                    (
                        brentq(excess, before, t, args=(k,), xtol=LAST_DIGIT) if excess(before, k) < 0.0 else before,
                        int(k),
                    )
                    for k, value in over
                    if value > 0.0
                ]
                return min(times)
            before = t
        return end, None

    def _keep(self, t: float, y: Floats) -> None:
        """Keep a sample."""
        system = self.system
        q, qd, work = system.full(y)
        qdd = system.accelerations(t, q, qd)
        self.samples.append(Sample(float(t), q, qd, qdd, work, system.energy()))
