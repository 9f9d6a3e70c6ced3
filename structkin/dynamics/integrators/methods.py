"""Integrators of y' = f(t, y) at a fixed step, of the order that it claims (Flores & Lankarani, eqs. 150-171)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rate = Callable[[float, Floats], Floats]


class NotConvergedError(Exception):
    """The equations of an implicit step have no solution nearby."""


class Integrator(Protocol):
    """Takes one step after the other; a multistep method remembers the last ones."""

    order: int

    def step(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step of the length h; where h changes, a multistep method begins anew."""


class Euler:
    """Euler's method (eq. 150)."""

    order = 1

    def step(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step."""
        return y + h * f(t, y)


class RK2:
    """Heun's method, Runge and Kutta's of second order (eqs. 155-157)."""

    order = 2

    def step(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step."""
        first = f(t, y)
        return y + 0.5 * h * (first + f(t + h, y + h * first))


class RK4:
    """Runge and Kutta's classical method of fourth order (eqs. 158-163)."""

    order = 4

    def step(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step."""
        return _rk4(f, t, y, h, f(t, y))


def _rk4(f: Rate, t: float, y: Floats, h: float, first: Floats) -> Floats:
    second = f(t + 0.5 * h, y + 0.5 * h * first)
    third = f(t + 0.5 * h, y + 0.5 * h * second)
    return y + h / 6 * (first + 2 * second + 2 * third + f(t + h, y + h * third))


class _Multistep(ABC):
    """What multistep methods share: three steps by RK4 to begin with, and again whenever the step changes."""

    order = 4

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._h = 0.0
        self._past: list[tuple[float, Floats, Floats]] = []

    def step(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step."""
        if abs(h - self._h) > 1e-6 * abs(h) or (self._past and abs(self._past[-1][0] + h - t) > 1e-6 * abs(h)):
            self._past = []
        self._h = h
        self._past = [*self._past[-3:], (t, y, f(t, y))]
        if len(self._past) < 4:
            return _rk4(f, t, y, h, self._past[-1][2])
        return self._advance(f, t, y, h)

    @abstractmethod
    def _advance(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step, from the last four."""


class ABM4(_Multistep):
    """Adams and Bashforth's predictor with Adams and Moulton's corrector of fourth order (eqs. 164-169)."""

    def _advance(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        f3, f2, f1, f0 = (rate for _, _, rate in self._past)
        predicted = y + h / 24 * (55 * f0 - 59 * f1 + 37 * f2 - 9 * f3)
        return y + h / 24 * (9 * f(t + h, predicted) + 19 * f0 - 5 * f1 + f2)


class Gear4(_Multistep):
    """Gear's stiffly stable method of fourth order (eqs. 170-171), by Newton's method."""

    def _advance(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        y3, y2, y1, y0 = (state for _, state, _ in self._past)
        known = (48 * y0 - 36 * y1 + 16 * y2 - 3 * y3) / 25
        x = 4 * y0 - 6 * y1 + 4 * y2 - y3
        b = 12 / 25 * h
        size = 1.0 + np.max(np.abs(y))
        jacobian = None
        for _ in range(20):
            rest = x - known - b * f(t + h, x)
            if jacobian is None:
                jacobian = np.eye(len(x)) - b * _differences(f, t + h, x)
            change = np.linalg.solve(jacobian, rest)
            x = x - change
            if not np.isfinite(x).all():
                break
            if np.max(np.abs(change)) < 1e-13 * size:
                return x
        raise NotConvergedError


def _differences(f: Rate, t: float, y: Floats) -> Floats:
    """Return df/dy by central differences."""
    columns = []
    for k in range(len(y)):
        step = np.zeros_like(y)
        step[k] = 6e-6 * (1.0 + abs(y[k]))
        columns.append((f(t, y + step) - f(t, y - step)) / (2 * step[k]))
    return np.stack(columns, axis=1)


#: Integrators at a fixed step, by name.
FIXED: Mapping[str, Callable[[], Integrator]] = {
    "euler": Euler,
    "rk2": RK2,
    "rk4": RK4,
    "abm4": ABM4,
    "gear4": Gear4,
}

#: Integrators with an adaptive step: SciPy's, and Adams, Bashforth and Moulton's with Milne's error estimate.
ADAPTIVE = ("DOP853", "RK45", "Radau", "BDF", "LSODA", "milne")

#: Those of them that may go on from a state that is put right between two steps.
FORGIVING = ("DOP853", "RK45", "Radau", "milne")


def adaptive_solver(name: str) -> Callable[..., Any]:
    """Return the class of an adaptive integrator: a `scipy.integrate.OdeSolver`."""
    if name == "milne":
        from structkin.dynamics.integrators.milne import ABM4Milne

        return ABM4Milne
    from scipy import integrate

    solver: Callable[..., Any] = getattr(integrate, name)
    return solver
