"""Jumps: a spring that breaks, a stop that is met, a load that steps, by small steps (S3) and by adaptive solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, hypot, sin

import numpy as np
from scipy.integrate import solve_ivp

from structkin.model.expression import Expression
from structkin.model.laws import ExpressionLaw
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND, Body, JointLoad, Load, SpatialModel, Spring, Stop
from structkin.numerical_tolerances import TIGHTEST
from structkin.spatial import small_steps
from structkin.types import Floats

#: Mass [kg] and length [m] of the pendulum, gravity [m/s^2], duration [s] of a run.
MASS, LENGTH, GRAVITY, DURATION = 2.0, 0.5, 9.81, 1.0
MOMENT = MASS * LENGTH**2 / 3
#: Where the spring is held (x, z) [m], its stiffness [N/m], free length [m], and the pull at which it breaks [N].
HOLD, STIFFNESS, FREE, BREAKS = (0.5, 0.6), 30.0, 0.4, 9.5
#: Angle [rad] and stiffness [N m/rad] of the stop.
ANGLE, HARD = -0.8, 5e3
#: The torque [N m] before and after the time [s] of its step.
BEFORE, AFTER, WHEN = 6.0, -9.0, 1 / np.pi
JUMPS = ("a spring breaks", "a stop is met", "a torque steps")
#: What adaptive solvers are given.
TOLERANCES = tuple(10.0**-k for k in range(3, 13))
#: Small steps [s], each about a third of the one before.
STEPS = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)


@dataclass(frozen=True)
class JumpRun:
    """A run: the error of the angle [rad] at the end, and how often the forces were evaluated.

    `setting` is the step [s] or the tolerance.
    """

    jump: str
    method: str
    setting: float
    evaluations: int
    error: float


def model(jump: str) -> SpatialModel:
    """Return the pendulum, drawn level, with its load."""
    x, y, _ = np.eye(3)
    tip = LENGTH * x
    inertia = MASS * LENGTH**2 / 12 * np.diag([0.01, 1.0, 1.0])
    rod = Body("rod", MASS, tip / 2, inertia, {"tip": tip})
    hinge = SpatialJoint("A", "revolute", (GROUND, "rod"), np.zeros(3), -y, x)  # positive angles lead upwards
    hold = np.array([HOLD[0], 0.0, HOLD[1]])
    step = Expression(f"{(BEFORE + AFTER) / 2} + {(AFTER - BEFORE) / 2} * sign(t - {WHEN})")
    loads: dict[str, Load] = {
        JUMPS[0]: Spring("load", (GROUND, "rod"), (hold, tip), STIFFNESS, 0.0, FREE, BREAKS),
        JUMPS[1]: Stop("load", "A", ANGLE, np.inf, HARD),
        JUMPS[2]: JointLoad("load", "A", effort=ExpressionLaw(step)),
    }
    gravity = np.array([0.0, 0.0, -GRAVITY])
    return SpatialModel(jump, {"rod": rod}, {"A": hinge}, {"load": loads[jump]}, gravity=gravity)


@dataclass
class Pendulum:
    """The same pendulum as one equation in its angle; `mode` 0 is before the jump, 1 after it, None decides itself."""

    jump: str
    mode: int | None = None
    broken: bool = False
    calls: int = 0

    def signal(self, t: float, y: Floats) -> float:
        """Return what changes its sign at the jump."""
        if self.jump == JUMPS[0]:
            return BREAKS - self._pull(y)[0]
        return float(y[0]) - ANGLE if self.jump == JUMPS[1] else WHEN - t

    def _pull(self, y: Floats) -> tuple[float, float]:
        """Return the pull of the spring and its torque."""
        x, z = LENGTH * cos(y[0]), LENGTH * sin(y[0])
        length = hypot(HOLD[0] - x, HOLD[1] - z)
        pull = STIFFNESS * (length - FREE)
        return pull, pull * (x * (HOLD[1] - z) - z * (HOLD[0] - x)) / length

    def __call__(self, t: float, y: Floats) -> list[float]:
        """Return the rates of the angle and of its rate."""
        self.calls += 1
        after = self.signal(t, y) < 0 if self.mode is None else bool(self.mode)
        if self.jump == JUMPS[0]:
            # what has broken in a trial step stays broken, though the step may be rejected
            self.broken = self.broken or after
            torque = 0.0 if self.broken else self._pull(y)[1]
        elif self.jump == JUMPS[1]:
            torque = HARD * (ANGLE - float(y[0])) if after else 0.0
        else:
            torque = AFTER if after else BEFORE
        return [float(y[1]), (torque - MASS * GRAVITY * LENGTH / 2 * cos(y[0])) / MOMENT]


def located(jump: str, tolerance: float) -> tuple[float, int]:
    """Return the angle at the end and the evaluations of DOP853 that stops at every jump and starts again."""
    t, y, mode, calls = 0.0, np.zeros(2), 0, 0
    while t < DURATION:
        equation = Pendulum(jump, mode, broken=mode == 1)
        event = _event(equation, 1 if mode else -1)
        found = solve_ivp(equation, (t, DURATION), y, "DOP853", rtol=tolerance, atol=tolerance, events=event)
        calls += equation.calls
        t, y = float(found.t[-1]), found.y[:, -1]
        mode = 1 if jump != JUMPS[1] else 1 - mode
    return float(y[0]), calls


def _event(equation: Pendulum, direction: float) -> Callable[[float, Floats], float]:
    """Return the event that ends a smooth part; what is broken or past never returns."""

    def event(t: float, y: Floats) -> float:
        return equation.signal(t, y) if equation.mode == 0 or equation.jump == JUMPS[1] else 1.0

    event.terminal, event.direction = True, direction  # type: ignore[attr-defined]  # read by solve_ivp
    return event


def runs(jump: str, steps: tuple[float, ...] = STEPS, tolerances: tuple[float, ...] = TOLERANCES) -> list[JumpRun]:
    """Return runs of one jump by small steps and by the solvers, with their errors."""
    right, _ = located(jump, TIGHTEST)
    found = []
    for step in steps:
        motion = small_steps(model(jump), DURATION, step, budget=None)
        tip = motion.position("rod.tip")[-1]
        angle = float(np.arctan2(tip[2], tip[0]))
        found.append(JumpRun(jump, "small steps", step, round(DURATION / motion.step), _apart(angle, right)))
    for tolerance in tolerances:
        for method in ("DOP853", "LSODA"):
            equation = Pendulum(jump)
            y = solve_ivp(equation, (0.0, DURATION), [0.0, 0.0], method, rtol=tolerance, atol=tolerance).y
            found.append(JumpRun(jump, method, tolerance, equation.calls, _apart(float(y[0, -1]), right)))
        angle, calls = located(jump, tolerance)
        found.append(JumpRun(jump, "DOP853, jumps located", tolerance, calls, _apart(angle, right)))
    return found


def _apart(a: float, b: float) -> float:
    """Return the distance of two angles."""
    return abs((a - b + np.pi) % (2 * np.pi) - np.pi)
