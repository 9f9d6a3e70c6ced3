"""Forward dynamics: the motion that masses and forces make."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.dynamics.compiled.choice import Hastened, hastened
from structkin.dynamics.contacts import meeting
from structkin.dynamics.friction import pressed
from structkin.dynamics.initial import consistent_start
from structkin.dynamics.integrators.methods import (
    ADAPTIVE,
    FIXED,
    FORGIVING,
    Integrator,
    NotConvergedError,
    adaptive_solver,
)
from structkin.dynamics.multipliers.choice import check_stabilisation
from structkin.dynamics.multipliers.equations import GlobalInstant, Multipliers
from structkin.dynamics.multipliers.gains import violation_growth
from structkin.dynamics.multipliers.result import global_simulation
from structkin.dynamics.multipliers.stabilisation import Augmented, Feedback, Stabilisation
from structkin.dynamics.multipliers.start import global_start
from structkin.dynamics.reduced.equations import DEAD, Instant, Reduced
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.simulation import Integration, Simulation
from structkin.dynamics.start import check_masses, initial_state, start, why, with_coordinates
from structkin.dynamics.user_loads import UserLoad
from structkin.errors import InputError, Problem
from structkin.kinematics.choice import check_engine
from structkin.kinematics.engine import Around, Lanes
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest

Floats = NDArray[np.float64]

#: Ways to set up the equations of motion: one equation a free coordinate; or all links with multipliers, where the
#: linear system is solved dense, sparse or by sweeps through the groups.
FORMULATIONS = ("reduced", "multipliers", "multipliers-sparse", "multipliers-sweeps")

#: Output times where only the end is said.
SAMPLES = 361

#: The last pose that there is is closed in on to this part of the duration.
CLOSE = 1e-9

#: A fixed step that leads to no pose is tried again in the coordinates of a dead point that is as far as this.
FAR = 0.7

#: Where bodies meet, the first step is this part of the duration.
SOFT = 1e-7

#: By this part of the largest kinetic energy a fixed step may miss what the power tells, by the trapezoidal rule.
JUMP = 0.01

#: A state beyond this has blown up.
HUGE = 1e12


def simulate(
    mechanism: Mechanism,
    t: ArrayLike | None = None,
    *,
    samples: int | None = None,
    formulation: str = "reduced",
    coordinates: str | None = None,
    stabilisation: str | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    gains: str | None = None,
    penalty: float | None = None,
    integrator: str = "DOP853",
    step: float | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-10,
    loads: Sequence[UserLoad] = (),
    max_steps: int = 1_000_000,
    engine: str = "auto",
    progress: Callable[[float], None] | None = None,
) -> Simulation:
    """Return the motion of a mechanism under its masses and forces.

    Drivers without a law are free coordinates; they start at `[initial]`, or at rest in the sketch. Where drivers are
    missing, joints are chosen for them. `t` holds the output times (n,) [s], increasing, the first is the start; or it
    is the end, for `samples` times from 0; default: the mechanism's duration.

    `formulation` is "reduced": an equation for each free coordinate; or that of all links with a Lagrange multiplier
    for each constraint: "multipliers" with a dense matrix, "multipliers-sparse", or "multipliers-sweeps" through the
    groups; in the `coordinates` "natural" (the default), "reference-point", "fully-cartesian" or "relative". There the
    `stabilisation` keeps the constraints: "projection" of position and velocity after each step (the default),
    "partitioning" (the default with BDF and LSODA), "baumgarte", "augmented" (augmented Lagrangian, with a `penalty`),
    or "none". Baumgarte's gains are `alpha` and `beta` [1/s], or chosen by `gains="step"` (alpha = 1/h, beta =
    sqrt(2)/h) or `gains="stability"` (from the integrator's stability region).

    `integrator` is one of SciPy's with adaptive steps ("DOP853", "RK45", "Radau", "BDF", "LSODA"), or "milne" (Adams,
    Bashforth and Moulton's with halving and doubling), with `rtol` and `atol`; or one with a fixed `step` [s] ("euler",
    "rk2", "rk4", "abm4", "gear4"), which is made a little smaller where the output times ask for it. `loads` are
    functions of (t, state), as for `Motion.forces`.

    `engine` says what evaluates the equations: "numpy", or "numba", which compiles them when they are first met on a
    machine and keeps them; "auto" begins with NumPy and goes on with Numba as soon as that is worth it.

    A pose that cannot be reached or is singular, a state that blows up, and a step that becomes too small end the
    simulation: it returns what it has, and says why in `stopped`. Raises `InputError` for a bad call, for coordinates
    that move no mass, and for a start out of reach; `StructureError` where drivers are too many.

    >>> import structkin as sk
    >>> pendulum = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -9.81)}, drivers={"swing": {"joint": "A"}},
    ...     links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}})
    >>> r = sk.simulate(pendulum, 2.0, samples=5)
    >>> r, bool(abs(r.energy - r.energy[0]).max() < 1e-7)
    (<Simulation of 'a mechanism': 5 samples, t to 2 s>, True)
    """
    began = time.perf_counter()
    check_engine(engine, mechanism.title or "simulate")
    times, stabiliser = _check(
        mechanism, t, samples, formulation, integrator, step, rtol, atol,
        {"coordinates": coordinates, "stabilisation": stabilisation, "alpha": alpha, "beta": beta, "gains": gains,
         "penalty": penalty},
    )  # fmt: skip
    mechanism, corrections = consistent_start(with_coordinates(mechanism), float(times[0]))
    reduced = start(mechanism, float(times[0]), loads, driven=stabiliser is not None)
    y = np.array(initial_state(mechanism, reduced), dtype=np.float64)
    if len(reduced.free):
        check_masses(mechanism, reduced, float(times[0]), y)
    equations: Reduced | Multipliers
    if stabiliser is None:
        equations = hastened(reduced, engine)
    else:
        family, begin = coordinates or "natural", float(times[0])
        equations, y = global_start(mechanism, family, stabiliser, loads, begin, formulation=formulation)
    record = _Record(equations, times, progress)
    run = _Run(equations, times, record, max_steps)
    try:
        equations.remember(float(times[0]), y)
        record.add(float(times[0]), y)
        if integrator in FIXED:
            run.fixed(integrator, y, float(step or 0.0))
        else:
            run.adaptive(integrator, y, rtol, atol)
    except NoPoseError as error:
        run.stopped = why(reduced, error)
    except InputError as error:
        if not record.instants:
            raise
        # A load that has no size later on.
        last = float(times[len(record.instants) - 1])
        run.stopped = f"t = {last:.6g} s: " + "; ".join(map(str, error.problems))
    result = _result(mechanism, equations, record, run, time.perf_counter() - began)
    return replace(result, corrections=corrections) if corrections else result


# --- the call -----------------------------------------------------------------------------------------------


def _check(
    mechanism: Mechanism,
    t: ArrayLike | None,
    samples: int | None,
    formulation: str,
    integrator: str,
    step: float | None,
    rtol: float,
    atol: float,
    options: dict[str, Any],
) -> tuple[Floats, Stabilisation | None]:
    """Return the output times (n,), and how constraints are kept; `InputError` lists everything that does not fit."""
    problems: list[Problem] = []
    if formulation not in FORMULATIONS:
        problems.append(Problem("formulation", f"'{formulation}' is unknown", suggest(formulation, FORMULATIONS)))
    if integrator not in FIXED and integrator not in ADAPTIVE:
        problems.append(Problem("integrator", f"'{integrator}' is unknown", suggest(integrator, [*ADAPTIVE, *FIXED])))
    elif integrator in FIXED and step is None:
        problems.append(Problem("step", f"{integrator} has a fixed step, and none is given", "such as step=1e-3"))
    elif integrator in ADAPTIVE and step is not None:
        problems.append(Problem("step", f"{integrator} chooses its own steps", "give rtol and atol instead"))
    if step is not None and not (_is_number(step) and step > 0):
        problems.append(Problem("step", f"{step!r} is not a positive time"))
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not (_is_number(value) and value > 0):
            problems.append(Problem(name, f"{value!r} is not a positive number"))
    stabiliser = check_stabilisation(formulation, integrator, step, problems, **options)
    times = _times(mechanism, t, samples, problems)
    problems += pressed(mechanism)
    if problems:
        raise InputError(problems, mechanism.title or "simulate")
    return times, stabiliser


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)


def _times(mechanism: Mechanism, t: ArrayLike | None, samples: int | None, problems: list[Problem]) -> Floats:
    if samples is not None and (not isinstance(samples, int | np.integer) or samples < 2):
        problems.append(Problem("samples", f"{samples!r} is not a whole number of two or more"))
        return np.zeros(1)
    end = mechanism.duration if t is None else t
    if isinstance(end, np.ndarray) and end.ndim == 0:
        end = end.item()
    if end is None:
        problems.append(Problem("t", "no end is known", "pass t= or --duration, or add duration = ... to the file"))
        return np.zeros(1)
    if np.ndim(end) == 0:
        if not (_is_number(end) and float(end) > 0):  # type: ignore[arg-type]  # a number, as was checked
            problems.append(Problem("t", f"{end!r} is not a positive time"))
            return np.zeros(1)
        return np.linspace(0.0, float(end), samples or SAMPLES)  # type: ignore[arg-type]  # a number, as was checked
    if samples is not None:
        problems.append(Problem("samples", "has no meaning where the times t are given", "leave it out"))
    try:
        times = np.asarray(end, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.full(1, np.nan)
    if times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all():
        problems.append(Problem("t", "expected two or more finite times (n,) in seconds"))
    elif (np.diff(times) <= 0).any():
        k = int(np.flatnonzero(np.diff(times) <= 0)[0])
        problems.append(
            Problem("t", f"the time {times[k + 1]:g} s does not come after {times[k]:g} s", "times increase")
        )
    return times


# --- the run ------------------------------------------------------------------------------------------------


@dataclass
class _Record:
    """What is kept: everything at each output time."""

    equations: Reduced | Multipliers
    times: Floats
    progress: Callable[[float], None] | None
    instants: list[Instant | GlobalInstant] = field(default_factory=list)
    impacts: dict[str, list[float]] = field(default_factory=dict)

    @property
    def due(self) -> float:
        """The next output time, or infinity."""
        return float(self.times[len(self.instants)]) if len(self.instants) < len(self.times) else math.inf

    def add(self, t: float, y: Floats) -> None:
        self.instants.append(self.equations.recorded(t, y))
        for id in self.equations.contacts:
            self.impacts.setdefault(id, []).append(self.equations.turned.get(id, math.nan))
        if self.progress is not None:
            self.progress(len(self.instants) / len(self.times))


@dataclass
class _Run:
    """The integration from the first output time to the last."""

    equations: Reduced | Multipliers
    times: Floats
    record: _Record
    max_steps: int
    steps: int = 0
    stopped: str = ""

    def fixed(self, name: str, y: Floats, step: float) -> None:
        """Go from output to output in equal steps."""
        method, largest, fast = FIXED[name](), 0.0, self.equations if isinstance(self.equations, Hastened) else None
        if fast is not None:
            fast.expect(name, (self.times[-1] - self.times[0]) / step)
        for begin, end in zip(self.times[:-1].tolist(), self.times[1:].tolist(), strict=True):
            count = max(1, math.ceil((end - begin) / step * (1 - 1e-9)))
            h = (end - begin) / count
            k = -1
            while (k := k + 1) < count:
                if fast is not None:
                    last = min(count, k + self.max_steps - self.steps - 1)
                    done, y = fast.advance(name, begin, end, k, count, last, y, JUMP, HUGE)
                    k, self.steps = done, self.steps + done - k
                    if k == count:
                        break
                before = self._instant(begin + k * h, y)
                try:
                    method, y = self._step(name, method, begin + k * h, y, h)
                except NotConvergedError:
                    self.stopped = (
                        f"t = {begin + k * h:.6g} s: the step of {name} does not converge; try a smaller step"
                    )
                    return
                t = end if k == count - 1 else begin + (k + 1) * h
                y = self._settled(t, y)
                if not self._goes_on(t, y):
                    self.stopped += self._gains_cause(name, h)
                    return
                after = self._instant(t, y)
                if before is None or after is None:
                    continue
                largest = max(largest, before.kinetic, after.kinetic)
                if _missed(before, after, h) > JUMP * largest:
                    self.stopped = f"t = {t - h:.6g} s: a step of {h:g} s is too large here, the energy jumps"
                    return
            self.record.add(end, y)

    def _step(self, name: str, method: Integrator, t: float, y: Floats, h: float) -> tuple[Integrator, Floats]:
        """Take one step; in other coordinates, where these lead to no pose. A method forgets what it had in the old."""
        changed = self._changed(t, y)
        if changed is y:
            try:
                return method, method.step(self.equations, t, y, h)
            except NoPoseError:
                changed = self._changed(t, y, FAR)
                if changed is y:
                    raise
        method = FIXED[name]()
        return method, method.step(self.equations, t, changed, h)

    def adaptive(self, name: str, y: Floats, rtol: float, atol: float) -> None:
        """Go in the steps of one of SciPy's integrators, and read the outputs between them."""
        t, end, size = float(self.times[0]), float(self.times[-1]), math.inf
        make = adaptive_solver(name)
        solver: Any = None
        y = self._changed(t, y)
        while t < end:
            last: NoPoseError | None = None
            try:
                if solver is None:
                    first = min(size, end - t) if math.isfinite(size) else None
                    solver = make(self.equations, t, y, end, rtol=rtol, atol=atol, first_step=first)
                message = solver.step()
            except NoPoseError as error:
                last, message = error, None
            if last is not None:
                # A trial beyond the last pose that there is: begin anew, in other coordinates or with smaller steps.
                solver, y = None, self._changed(t, y, FAR)
                size = min(size, last.t - t if last.t > t else math.inf, end - t) / 10
                if size < CLOSE * (end - float(self.times[0])):
                    raise last
                continue
            if solver.status == "failed":
                self.stopped = f"t = {t:.6g} s: {name} finds no step that is small enough ({message})"
                return
            size, t, y, anew = solver.step_size, solver.t, solver.y, False
            dense = solver.dense_output()
            if self.equations.contacts and (met := self._meeting(solver.t_old, t, dense)) is not None:
                # Bodies meet in this step: begin anew there, with a step that is small beside the impact.
                t, y, anew = met, dense(met), True
                self.equations.remember(t, y)
                size = SOFT * (end - float(self.times[0]))
            while self.record.due <= t:
                self.record.add(self.record.due, self._settled(self.record.due, dense(self.record.due)))
            settled = self._settled(t, y)
            if settled is not y and name in FORGIVING and not anew:
                y = solver.y = settled
                solver.f = self.equations(t, y)
            elif settled is not y and (anew or self.equations.stabilisation.renewed):  # type: ignore[union-attr]
                y, anew = settled, True
            if not self._goes_on(t, y):
                return
            changed = self._changed(t, y)
            if anew or changed is not y:
                solver, y = None, changed

    def _changed(self, t: float, y: Floats, near: float = DEAD) -> Floats:
        """Return the state, in other coordinates where these tell the motion better."""
        if not isinstance(self.equations, Reduced):
            return y
        changed = self.equations.change(t, y, near)
        return y if changed is None else changed

    def _meeting(self, begin: float, end: float, dense: Callable[[float], Floats]) -> float | None:
        return meeting(lambda t: self.equations.depths(t, dense(t)), begin, end)

    def _instant(self, t: float, y: Floats) -> Instant | None:
        """Return the energies where their jump tells of a step too large; the drift of joints has its own measure."""
        return self.equations.at(t, y) if isinstance(self.equations, Reduced) else None

    def _gains_cause(self, name: str, h: float) -> str:
        """Return in words that the gains are beyond what the integrator bears at this step, where they are."""
        gains = self.equations.stabilisation if isinstance(self.equations, Multipliers) else None
        gains = gains.feedback if isinstance(gains, Augmented) else gains
        if not isinstance(gains, Feedback) or not (gains.alpha or gains.beta):
            return ""
        factor = violation_growth(name, h, gains.alpha, gains.beta)
        if factor <= 1:
            return ""
        return f"; with these gains {name} makes a violation grow by a factor {factor:.4g} at each step of {h:g} s"

    def _settled(self, t: float, y: Floats) -> Floats:
        """Return the state with what the stabilisation puts right after a step."""
        return y if isinstance(self.equations, Reduced) else self.equations.settle(t, y)

    def _goes_on(self, t: float, y: Floats) -> bool:
        self.steps += 1
        self.equations.remember(t, y)
        if not np.max(np.abs(y)) < HUGE:
            self.stopped = f"t = {t:.6g} s: the motion has blown up; try a smaller step, or look at the loads"
        elif isinstance(self.equations, Multipliers) and (apart := self.equations.come_apart(t, y)):
            self.stopped = f"t = {t:.6g} s: {apart}"
        elif self.steps >= self.max_steps:
            self.stopped = f"t = {t:.6g} s: {self.steps} steps are taken; raise max_steps, or loosen the tolerances"
        return not self.stopped


def _missed(before: Instant, after: Instant, h: float) -> float:
    """Return the change of kinetic energy in a step that no power tells of: large where it goes past a dead point.

    Between its ends the power may be anything between them: from rest it may begin with zero.
    """
    told, unsure = 0.5 * h * (before.power + after.power), 0.5 * h * abs(after.power - before.power)
    return max(abs(after.kinetic - before.kinetic - told) - unsure, 0.0)


def _result(
    mechanism: Mechanism, equations: Reduced | Multipliers, record: _Record, run: _Run, seconds: float
) -> Simulation:
    integration = Integration(run.steps, equations.evaluations, seconds)
    impacts = {id: np.array(speeds) for id, speeds in record.impacts.items()}
    if isinstance(equations, Multipliers):
        instants = [instant for instant in record.instants if isinstance(instant, GlobalInstant)]
        return global_simulation(equations, record.times, instants, integration, run.stopped, impacts)
    kept = [instant for instant in record.instants if isinstance(instant, Instant)]
    n = len(kept)
    if not kept:
        raise InputError([Problem("initial", run.stopped)], mechanism.title or "simulate")
    x = np.concatenate([instant.x for instant in kept], axis=2)
    z = np.stack([instant.z for instant in kept], axis=-1)
    efforts = np.stack([instant.effort for instant in kept], axis=-1)
    flat = [k for k, instant in enumerate(kept) if instant.around is not None]
    around = None
    if flat:
        around = Around(np.array(flat), np.concatenate([kept[k].around for k in flat], axis=1))
    least = np.full(len(equations.plan.steps), np.inf)
    lanes = Lanes(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), least, around)
    return Simulation(
        mechanism,
        equations.plan,
        record.times[:n],
        dict(zip(equations.order, z, strict=True)),
        lanes,
        efforts=dict(zip(equations.order, efforts, strict=True)),
        free=tuple(equations.order[k] for k in equations.free),
        integration=integration,
        stopped=run.stopped,
        loads=equations.users,
        impacts=impacts,
    )
