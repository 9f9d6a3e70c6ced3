"""What a driver has to deliver over a motion: the check of a motor, and the flywheel that evens its speed.

A flywheel with the moment of inertia I keeps the speed within omega (1 +- C_s / 2) where a motor with the constant mean
torque drives a mechanism that needs T(q) over a cycle (Shigley & Uicker, Theory of Machines and Mechanisms, chapter on
flywheels; Norton, Design of Machinery, section on flywheels):

    I = dE / (C_s omega^2),    dE = max_q E - min_q E,    E(q) = integral of T - mean T

T is the torque at the constant speed omega, so the result is first order in C_s: what a changed speed does to T is left
out. E is the integral of a periodic cubic spline through the samples, its ends are at the roots of T - mean T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from structkin.checked import checked
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.frozen import Frozen
from structkin.numerical_tolerances import ROUNDED_DATA, ROUNDING
from structkin.types import Flags, Floats

if TYPE_CHECKING:
    from structkin.dynamics.inverse.kinetostatics import Kinetostatics

#: Part of the largest slope of the torque by which the slopes at both ends of a cycle may differ: they are estimates.
SLOPES = 0.1


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Flywheel:
    """A flywheel: its moment of inertia [kg m^2], and the energy dE [J] that it stores and gives back in each cycle.

    `mean` is the constant torque [N m] of the motor; the speed is least and largest at the driver's angles `slowest`
    and `fastest` [rad].
    """

    inertia: float
    energy: float
    mean: float
    slowest: float
    fastest: float

    def __repr__(self) -> str:
        """Return inertia and energy."""
        return f"<Flywheel: {self.words}>"

    @property
    def words(self) -> str:
        """Inertia and energy in words."""
        return f"{self.inertia:.6g} kg m^2, for {self.energy:.6g} J"


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Duty(Frozen):
    """What a driver delivers at n samples: torque [N m] or force [N] against speed [rad/s or m/s], and their measures.

    `peak` and `rms` are those of `effort` (n,), the root mean square and the mean weighted by time; `top` is the
    largest speed. `power` (n,) [W] is negative where the driver brakes. Samples without forces are left out, and so is
    the time around them: `joined` (n,) says whether the sample before is that of the motion. Printed, it is a table.
    """

    driver: str
    angular: bool
    t: Floats
    value: Floats
    speed: Floats
    effort: Floats
    joined: Flags

    def __repr__(self) -> str:
        """Return peak and root mean square."""
        return f"<Duty of {self.driver}: peak {self.peak:.6g} {self.unit}, rms {self.rms:.6g} {self.unit}>"

    @property
    def unit(self) -> str:
        """The unit of the effort."""
        return "N m" if self.angular else "N"

    @property
    def power(self) -> Floats:
        """The power (n,) [W]."""
        return self.effort * self.speed

    @property
    def peak(self) -> float:
        """The largest absolute effort."""
        return float(np.abs(self.effort).max())

    @property
    def rms(self) -> float:
        """The root mean square of the effort over time, by which a motor heats."""
        return float(np.sqrt(self._mean(self.effort**2)))

    @property
    def mean(self) -> float:
        """The mean effort over time."""
        return self._mean(self.effort)

    @property
    def top(self) -> float:
        """The largest absolute speed."""
        return float(np.abs(self.speed).max())

    def _mean(self, values: Floats) -> float:
        """Return the mean over time; that of a rounding error is zero."""
        steps = np.where(self.joined[1:], np.abs(np.diff(self.t)), 0.0)
        if np.isfinite(self.t).all() and steps.any():
            found = float(np.average(0.5 * (values[1:] + values[:-1]), weights=steps))
        else:
            found = float(values.mean())
        return found if abs(found) > ROUNDING * np.abs(values).max() else 0.0

    def lacking(
        self, *, continuous: float | None = None, peak: float | None = None, speed: float | None = None
    ) -> tuple[str, ...]:
        """Return what a motor lacks, in sentences; none if it will do.

        `continuous` and `peak` are its torques or forces, `speed` its largest speed, all in SI; what is None is not
        checked. Raises `InputError` for one that is not greater than zero.
        """
        limits = {"continuous": continuous, "peak": peak, "speed": speed}
        needs = {"continuous": (self.rms, "root mean square", self.unit), "peak": (self.peak, "peak", self.unit),
                 "speed": (self.top, "largest speed", "rad/s" if self.angular else "m/s")}  # fmt: skip
        if wrong := [name for name, limit in limits.items() if limit is not None and not limit > 0]:
            raise InputError([Problem(name, "is not greater than zero") for name in wrong], f"duty of {self.driver}")
        return tuple(
            f"the {words} is {need:.4g} {unit}, the motor has {limits[name]:.4g}"
            for name, (need, words, unit) in needs.items()
            if limits[name] is not None and need > (limits[name] or 0.0)
        )

    def flywheel(self, fluctuation: float) -> Flywheel:
        """Return the flywheel that keeps the speed within a coefficient of fluctuation, (max - min) / mean.

        It turns with the driver. Raises `InputError` where the driver is no rotation at a constant speed, where the
        motion is not one whole cycle or more with a torque at each sample, and for a fluctuation that is not between 0
        and 1, or so small that no inertia is large enough.
        """
        from scipy.interpolate import CubicSpline

        problems = fluctuation_problems(fluctuation)
        if len(self.value) < 4:
            problems.append(Problem(self.driver, f"has {len(self.value)} samples, too few for a cycle", "solve more"))
        elif self.angular and not self.top:
            problems.append(Problem(self.driver, "is at rest", "solve a cycle of a motor, and not as static"))
        elif not self.angular or np.ptp(self.speed) > ROUNDED_DATA * self.top:
            problems.append(Problem(self.driver, "does not turn at a constant speed", "solve a cycle of a motor"))
        elif abs(self.effort[-1] - self.effort[0]) > ROUNDED_DATA * self.peak or not (np.diff(self.t) > 0).all():
            problems.append(Problem(self.driver, "does not end with the torque of its start", "solve a whole cycle"))
        elif not self.joined[1:].all():
            problems.append(
                Problem(self.driver, "has no torque at some samples", "solve a cycle that is ok throughout")
            )
        elif not self._is_cycle():
            problems.append(Problem(self.driver, "ends in another part of its cycle", "solve a whole cycle"))
        raise_problems(problems, f"flywheel of {self.driver}")
        order = slice(None) if self.value[-1] > self.value[0] else slice(None, None, -1)
        q, torque = self.value[order], self.effort[order].copy()
        torque[-1] = torque[0]
        spline = CubicSpline(q, torque, bc_type="periodic")
        mean = float(spline.integrate(q[0], q[-1]) / (q[-1] - q[0]))
        # The needed torque takes from the wheel what it exceeds the mean by.
        energy, roots = spline.antiderivative(), spline.solve(mean, extrapolate=False)
        # Where the torque is the mean over a stretch, its begin is followed by NaN.
        ends = np.append(roots[np.isfinite(roots)], (q[0], q[-1]))
        stored = mean * (ends - q[0]) - (energy(ends) - energy(q[0]))
        least, most = int(np.argmin(stored)), int(np.argmax(stored))
        change = float(stored[most] - stored[least])
        change = change if change > ROUNDING * self.peak * np.ptp(q) else 0.0
        held = fluctuation * float(np.mean(self.speed)) ** 2
        inertia = change / held if held > 0 else np.inf
        if not np.isfinite(inertia):
            problem = Problem("fluctuation", f"{fluctuation:g} needs an inertia that is not finite", "such as 0.02")
            raise InputError([problem], f"flywheel of {self.driver}")
        return Flywheel(inertia, change, mean, float(ends[least]), float(ends[most]))

    def to_dict(self) -> dict[str, float]:
        """Return the numbers of the table as plain data for JSON, in SI."""
        power = self.power
        return {
            "peak": self.peak, "rms": self.rms, "mean": self.mean, "top": self.top,
            "largest_power": float(power.max()), "least_power": float(power.min()), "mean_power": self._mean(power),
        }  # fmt: skip

    def _is_cycle(self) -> bool:
        """Return whether the driver turns by whole turns, or its torque ends with the slope of its start."""
        from scipy.interpolate import CubicSpline

        turns = np.ptp(self.value) / (2 * np.pi)
        slopes = CubicSpline(self.t, self.effort)(self.t, 1)
        alike = abs(slopes[-1] - slopes[0]) <= SLOPES * np.abs(slopes).max()
        return bool(alike or (turns > 0.5 and abs(turns - round(turns)) < ROUNDED_DATA))

    def __str__(self) -> str:
        """Return a table."""
        rate = "rad/s" if self.angular else "m/s"
        at = int(np.argmax(np.abs(self.effort)))
        there = self.speed[at] if abs(self.speed[at]) > ROUNDING * self.top else 0.0
        where = f" at t = {self.t[at]:.4g} s" if np.isfinite(self.t[at]) else ""
        rows = [
            ("peak", f"{self.peak:.5g} {self.unit}", f"{where}, at {there:.5g} {rate}"),
            ("root mean square", f"{self.rms:.5g} {self.unit}", ""),
            ("mean", f"{self.mean:.5g} {self.unit}", ""),
            ("largest speed", f"{self.top:.5g} {rate}", ""),
            ("largest power", f"{self.power.max():.5g} W", ""),
            ("least power", f"{self.power.min():.5g} W", " (negative: it brakes)" if self.power.min() < 0 else ""),
            ("mean power", f"{self._mean(self.power):.5g} W", ""),
        ]
        return "\n".join([self.driver, *(f"  {name:<17} {value}{more}" for name, value, more in rows)])


def fluctuation_problems(fluctuation: float) -> list[Problem]:
    """Return what is wrong with a coefficient of fluctuation."""
    if 0 < fluctuation < 1:
        return []
    return [Problem("fluctuation", f"{fluctuation:g} is not between 0 and 1", "such as 0.02")]


def duty(forces: Kinetostatics, driver: str) -> Duty:
    """Return what a driver delivers; see `Kinetostatics.duty`."""
    effort, motion = forces.driver(driver), forces.motion
    value, speed = motion.drivers[driver][:2]
    known = np.isfinite(effort) & np.isfinite(speed)
    if not known.any():
        message = "has no effort at any sample"
        raise InputError([Problem(driver, message, "solve a motion with rates")], motion.mechanism.title)
    angular = motion.mechanism.drivers[driver].kind == "angle"
    joined = np.append(True, known[:-1])[known]
    return Duty(driver, angular, motion.t[known], value[known], speed[known], effort[known], joined)
