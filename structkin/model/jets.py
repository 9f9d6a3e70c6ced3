"""Truncated Taylor series of order three, and the functions allowed in formulas with their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Jet:
    """A function of time at n instants: value and first three time derivatives, arrays (n,)."""

    v: Any
    d: Any
    dd: Any
    ddd: Any

    def chain(self, f: Any, f1: Any, f2: Any, f3: Any) -> Jet:
        """Return f(self), given f and its three derivatives there, by Faa di Bruno's formula."""
        return Jet(
            f,
            f1 * self.d,
            f2 * self.d**2 + f1 * self.dd,
            f3 * self.d**3 + 3 * f2 * self.d * self.dd + f1 * self.ddd,
        )

    def __add__(self, other: Jet) -> Jet:
        """Return u + w."""
        return Jet(self.v + other.v, self.d + other.d, self.dd + other.dd, self.ddd + other.ddd)

    def __neg__(self) -> Jet:
        """Return -u."""
        return Jet(-self.v, -self.d, -self.dd, -self.ddd)

    def __mul__(self, other: Jet) -> Jet:
        """Return u w, by Leibniz's rule."""
        return Jet(
            self.v * other.v,
            self.d * other.v + self.v * other.d,
            self.dd * other.v + 2 * self.d * other.d + self.v * other.dd,
            self.ddd * other.v + 3 * (self.dd * other.d + self.d * other.dd) + self.v * other.ddd,
        )

    def power(self, c: float) -> Jet:
        """Return self**c; terms with a zero coefficient are omitted, because 0 times 1/0 is NaN."""
        u = self.v
        zero = np.zeros_like(u)
        f1 = c * u ** (c - 1) if c != 0 else zero
        f2 = c * (c - 1) * u ** (c - 2) if c not in (0, 1) else zero
        f3 = c * (c - 1) * (c - 2) * u ** (c - 3) if c not in (0, 1, 2) else zero
        return self.chain(u**c, f1, f2, f3)


Derivatives = tuple[Any, Any, Any, Any]


def _tan(u: Any) -> Derivatives:
    f = np.tan(u)
    return f, 1 + f**2, 2 * f * (1 + f**2), 2 * (1 + f**2) * (1 + 3 * f**2)


def _tanh(u: Any) -> Derivatives:
    f = np.tanh(u)
    return f, 1 - f**2, -2 * f * (1 - f**2), -2 * (1 - f**2) * (1 - 3 * f**2)


def _sqrt(u: Any) -> Derivatives:
    f = np.sqrt(u)
    return f, 0.5 / f, -0.25 / f**3, 0.375 / f**5


def _asin(u: Any) -> Derivatives:
    w = 1 - u**2
    return np.arcsin(u), w**-0.5, u * w**-1.5, (1 + 2 * u**2) * w**-2.5


def _acos(u: Any) -> Derivatives:
    _, f1, f2, f3 = _asin(u)
    return np.arccos(u), -f1, -f2, -f3


def _atan(u: Any) -> Derivatives:
    w = 1 + u**2
    return np.arctan(u), 1 / w, -2 * u / w**2, (6 * u**2 - 2) / w**3


def steady(f: Any) -> Derivatives:
    """Return a constant with its three derivatives."""
    zero = np.zeros_like(f)
    return f, zero, zero, zero


#: Functions of one argument: value and three derivatives.
FUNCTIONS: Mapping[str, Callable[[Any], Derivatives]] = {
    "sin": lambda u: (np.sin(u), np.cos(u), -np.sin(u), -np.cos(u)),
    "cos": lambda u: (np.cos(u), -np.sin(u), -np.cos(u), np.sin(u)),
    "tan": _tan,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "sinh": lambda u: (np.sinh(u), np.cosh(u), np.sinh(u), np.cosh(u)),
    "cosh": lambda u: (np.cosh(u), np.sinh(u), np.cosh(u), np.sinh(u)),
    "tanh": _tanh,
    "exp": lambda u: (np.exp(u),) * 4,
    "log": lambda u: (np.log(u), 1 / u, -1 / u**2, 2 / u**3),
    "sqrt": _sqrt,
    "abs": lambda u: (np.abs(u), *steady(np.sign(u))[:3]),
    "sign": lambda u: steady(np.sign(u)),
}

#: Functions of two or more arguments: the test that selects the first of two values.
CHOICES: Mapping[str, Callable[[Any, Any], Any]] = {"min": np.less_equal, "max": np.greater_equal}
