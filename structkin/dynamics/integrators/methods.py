"""Integrators of y' = f(t, y) at a fixed step (Flores & Lankarani, eqs. 150-171).

A step of length h multiplies a solution of y' = s y by a root z of its characteristic polynomial, whose coefficients
depend on x = h s alone; the solution stays bounded where all |z| <= 1 (Flores & Lankarani, eqs. 205-212, for Euler's
method).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.dynamics.integrators.steps import take_step
from structkin.errors import InputError, Problem
from structkin.model.topology import suggest
from structkin.types import Complexes, Floats

Rate = Callable[[float, Floats], Floats]


class NotConvergedError(Exception):
    """The equations of an implicit step have no solution nearby."""


@dataclass(frozen=True)
class Method:
    """A method at a fixed step: its number in `steps`, its order, and the evaluations that a step takes."""

    number: int
    order: int
    evaluations: int


#: Methods at a fixed step: Euler's (eq. 150), Heun's, Runge and Kutta's, Adams, Bashforth and Moulton's, and Gear's.
METHODS: Mapping[str, Method] = {
    "euler": Method(0, 1, 1),
    "rk2": Method(1, 2, 2),
    "rk4": Method(2, 4, 4),
    "abm4": Method(3, 4, 2),
    "gear4": Method(4, 4, 8),
}


@dataclass
class FixedStep:
    """Takes one step after another; a multistep method remembers the last ones, see `steps`.

    Multistep methods begin with three steps by RK4, and again wherever the step changes.
    """

    method: Method
    stages: Floats = field(default_factory=lambda: np.zeros((8, 0)))
    past: Floats = field(default_factory=lambda: np.zeros((8, 0)))
    known: int = 0
    pace: float = 0.0
    until: float = 0.0
    f: Rate = field(default=lambda t, y: y)

    @property
    def order(self) -> int:
        """The order of the method."""
        return self.method.order

    def step(self, f: Rate, t: float, y: Floats, h: float) -> Floats:
        """Return the state after a step of length h."""
        if self.stages.shape[1] != len(y):
            self.stages, self.past, self.known = np.zeros((8, len(y))), np.zeros((8, len(y))), 0
        self.f = f
        self.stages[0] = f(t, y)
        if not take_step(self, self.method.number, t, y, h):
            raise NotConvergedError
        return np.array(self.stages[7])


#: Integrators at a fixed step, by name.
FIXED: Mapping[str, Callable[[], FixedStep]] = {name: partial(FixedStep, method) for name, method in METHODS.items()}

#: Integrators with an adaptive step: SciPy's, and Adams, Bashforth and Moulton's with Milne's error estimate. Their
#: order, and the evaluations that a step takes.
ADAPTIVE: Mapping[str, tuple[int, int]] = {
    "DOP853": (8, 12),
    "RK45": (5, 6),
    "Radau": (5, 10),
    "BDF": (4, 3),
    "LSODA": (7, 3),
    "milne": (4, 2),
}

#: Those of them that can continue from a state that is corrected between two steps.
FORGIVING = ("DOP853", "RK45", "Radau", "milne")

#: Those whose steps are as long as the motion allows also where parts of it that have died away are much faster.
STIFF = ("LSODA", "Radau", "BDF")

#: Those that start anew without loss.
ONE_STEP = ("DOP853", "RK45", "Radau")


def adaptive_solver(name: str) -> Callable[..., Any]:
    """Return the class of an adaptive integrator: a `scipy.integrate.OdeSolver`."""
    if name == "milne":
        from structkin.dynamics.integrators.milne import ABM4Milne

        return ABM4Milne
    from scipy import integrate

    solver: Callable[..., Any] = getattr(integrate, name)
    return solver


# --- stability --------------------------------------------------------------------------------------------------------


def _euler(x: Complexes) -> list[Complexes]:
    return [np.ones_like(x), -(1 + x)]


def _rk2(x: Complexes) -> list[Complexes]:
    return [np.ones_like(x), -(1 + x + x**2 / 2)]


def _rk4(x: Complexes) -> list[Complexes]:
    return [np.ones_like(x), -(1 + x + x**2 / 2 + x**3 / 6 + x**4 / 24)]


def _abm4(x: Complexes) -> list[Complexes]:
    """Predict by Adams and Bashforth, correct once by Adams and Moulton."""
    w = x / 24
    return [
        np.ones_like(x),
        -(1 + 28 * w + 9 * 55 * w * w),
        5 * w + 9 * 59 * w * w,
        -(w + 9 * 37 * w * w),
        81 * w * w,
    ]


def _gear4(x: Complexes) -> list[Complexes]:
    return [1 - 12 / 25 * x, *(np.full_like(x, c / 25) for c in (-48, 36, -16, 3))]


#: Coefficients, highest power first, of the step of an integrator at x = h s (...,).
STEP_POLYNOMIALS: Mapping[str, Callable[[Complexes], list[Complexes]]] = {
    "euler": _euler,
    "rk2": _rk2,
    "rk4": _rk4,
    "abm4": _abm4,
    "gear4": _gear4,
}


def step_roots(integrator: str, x: ArrayLike) -> Complexes:
    """Return the roots z (..., k) by which a step of an integrator multiplies a solution of y' = s y, x = h s.

    Raises `InputError` for an unknown integrator.

    >>> step_roots("euler", -0.5).tolist()
    [(0.5+0j)]
    """
    if integrator not in STEP_POLYNOMIALS:
        hint = suggest(integrator, STEP_POLYNOMIALS)
        raise InputError([Problem("integrator", f"'{integrator}' is unknown", hint)], "stability")
    coefficients = np.stack(STEP_POLYNOMIALS[integrator](np.asarray(x, dtype=np.complex128)), axis=-1)
    first, rest = coefficients[..., :1], coefficients[..., 1:]
    k = rest.shape[-1]
    companion = np.zeros((*rest.shape[:-1], k, k), dtype=np.complex128)
    companion[..., range(1, k), range(k - 1)] = 1
    companion[..., 0, :] = -rest / first
    return np.asarray(np.linalg.eigvals(companion))
