"""Functions of an angle for cams and Geneva wheels: piecewise polynomials with a sine, and the Geneva law.

A function is called as `f(angle, order)` and returns its derivative of that order with respect to the angle, (n,) for
angles (n,). All accept complex steps: the real part selects a branch (which piece, which turn).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from structkin.numerical_tolerances import ROUNDED_DATA, ROUNDING

Array = NDArray[Any]

TURN = 2 * np.pi


class Function(Protocol):
    """A function of an angle [rad] with its derivatives."""

    def __call__(self, angle: Any, order: int = 0) -> Any:
        """Return the derivative of this order (n,) at the angles (n,)."""


def derivatives(function: Function, angle: Any, count: int) -> list[Any]:
    """Return the first `count` derivatives of a function, starting with order 0; all at once if possible."""
    together = getattr(function, "together", None)
    return together(angle, count) if together else [function(angle, order) for order in range(count)]


def without_turns(z: Array, near: Array) -> Array:
    """Return angles z less the whole turns that lead within half a turn of others, with the sines that they have.

    >>> away = without_turns(np.array([1e7, -8.0]), np.array([1.0, 0.0]))
    >>> (np.sin(away) - np.sin([1e7, -8.0])).round(15).tolist(), away.round(6).tolist()
    ([0.0, 0.0], [2.707544, -1.716815])
    """
    return np.asarray(near + np.angle(np.exp(1j * z) * np.exp(-1j * near)))


def in_one_turn(angle: Any) -> Any:
    """Return angles (n,) less whole turns: from 0 to 2 pi, where one within rounding of a whole turn is nearly 0."""
    return angle - TURN * np.floor((angle.real + ROUNDING) / TURN)


@dataclass(frozen=True, eq=False)
class Piecewise:
    """A periodic function of an angle: on each piece a polynomial of t = angle - start, and a sine.

        f = sum c_j t^j + a sin(w t + p)

    All motions of cam followers have this form. `breaks` (k + 1,) increase from 0 to 2 pi; `polynomials` (k, d) are the
    c_j in increasing order, `waves` (k, 3) are a, w and p. At a break, and within rounding of it, the piece that starts
    there applies.

    >>> f = Piecewise(np.array([0.0, 2 * np.pi]), np.array([[1.0]]), np.array([[2.0, 1.0, 0.0]]))
    >>> f(np.array([0.0, np.pi / 2, 2.5 * np.pi])).round(12).tolist(), float(f(0.0, 1))
    ([1.0, 3.0, 3.0], 2.0)
    """

    breaks: Array
    polynomials: Array
    waves: Array

    def __call__(self, angle: Any, order: int = 0) -> Any:
        """Return the derivative of this order at the angles [rad]."""
        return self.on_piece(*self._piece(angle), order)

    def together(self, angle: Any, count: int) -> list[Any]:
        """Return the first `count` derivatives at once: the piece is found only once."""
        piece, t = self._piece(angle)
        return [self.on_piece(piece, t, order) for order in range(count)]

    def _piece(self, angle: Any) -> tuple[Any, Any]:
        """Return the piece of each angle, and the angle from the start of the piece."""
        x = in_one_turn(np.asarray(angle))
        piece = self.piece_at(x.real)
        return piece, x - self.breaks[piece]

    def piece_at(self, x: Any) -> Any:
        """Return the piece of each angle (n,) from 0 to 2 pi; beyond an end that at the end."""
        # Methods find a pose with other rounding, but the same side of a break, where acceleration may jump.
        return np.searchsorted(self.breaks[1:-1], x + ROUNDING, side="right")

    @property
    def has_corners(self) -> bool:
        """Whether the derivative jumps at a break."""
        pieces, widths = np.arange(len(self.breaks) - 1), np.diff(self.breaks)
        before, after = self.on_piece(pieces, widths, 1), self.on_piece(pieces, 0.0 * widths, 1)
        largest = np.max(np.abs(self(np.linspace(0.0, TURN, 361), 1)))
        return bool(np.max(np.abs(np.roll(after, -1) - before)) > ROUNDED_DATA * largest)

    @cached_property
    def _waves(self) -> bool:
        return bool(self.waves[:, 0].any())

    def on_piece(self, piece: Any, t: Any, order: int = 0) -> Any:
        """Return the derivative of this order on given pieces, extrapolated beyond their ends."""
        value = np.zeros_like(t)
        for power in range(self.polynomials.shape[1] - 1, order - 1, -1):
            value = value * t + math.perm(power, order) * self.polynomials[piece, power]
        if not self._waves:
            return value
        a, w, p = (self.waves[piece, k] for k in range(3))
        return value + a * w**order * np.sin(w * t + p + 0.5 * np.pi * order)


@dataclass(frozen=True, eq=False)
class Follow:
    """shift + gain f(sense * angle + phase): a function with shifted and scaled argument and value."""

    function: Function
    gain: float = 1.0
    shift: float = 0.0
    sense: int = 1
    phase: float = 0.0

    def __call__(self, angle: Any, order: int = 0) -> Any:
        """Return the derivative of this order by the angle."""
        value = self.gain * self.sense**order * self.function(self.sense * angle + self.phase, order)
        return value + self.shift if order == 0 else value

    def together(self, angle: Any, count: int) -> list[Any]:
        """Return the first `count` derivatives at once."""
        values = derivatives(self.function, self.sense * angle + self.phase, count)
        values = [self.gain * self.sense**order * value for order, value in enumerate(values)]
        return [values[0] + self.shift, *values[1:]]


@dataclass(frozen=True)
class GenevaLaw:
    """The angle of a Geneva wheel with n slots as a function of the crank angle, zero on the line of centres.

    With lambda = sin(pi / n), crank radius over shaft distance, the pin is in a slot while
    |x| <= pi/2 - pi/n, and there

        psi = arctan(lambda sin x / (1 - lambda cos x))
        psi' = lambda (cos x - lambda) / (1 - 2 lambda cos x + lambda^2)

    Elsewhere the wheel is locked; each turn of the crank adds 2 pi / n. Source: Shigley & Uicker, Theory of Machines.

    >>> law = GenevaLaw(4)
    >>> [round(float(law(x)), 6) for x in (-np.pi / 4, 0.0, np.pi / 4, np.pi, 2 * np.pi)]
    [-0.785398, 0.0, 0.785398, 0.785398, 1.570796]
    """

    slots: int

    @property
    def half(self) -> float:
        """Half the engaged part of a crank turn [rad]."""
        return float(np.pi / 2 - np.pi / self.slots)

    def engaged(self, angle: Any) -> Any:
        """Return where the pin is in a slot (n,)."""
        return np.abs(angle - TURN * np.round(angle / TURN)) <= self.half * (1 + ROUNDING)

    def __call__(self, angle: Any, order: int = 0) -> Any:
        """Return the derivative of this order with respect to the crank angle."""
        angle = np.asarray(angle)
        turns = np.floor(angle.real / TURN + 0.5)
        x = angle - TURN * turns
        moving = np.abs(x.real) <= self.half * (1 + ROUNDING)
        k = np.sin(np.pi / self.slots)
        s, c = np.sin(x), np.cos(x)
        D = 1 - 2 * k * c + k * k
        if order == 0:
            psi = np.arctan(k * s / (1 - k * c))
            return TURN / self.slots * turns + np.where(moving, psi, np.sign(x.real) * np.pi / self.slots)
        if order == 1:
            rate = k * (c - k) / D
        elif order == 2:
            rate = -k * (1 - k * k) * s / D**2
        else:
            rate = -k * (1 - k * k) * (c / D**2 - 4 * k * s * s / D**3)
        return np.where(moving, rate, 0.0)


def angle_of(W: Any) -> Any:
    """Return the angle (n,) of vectors (2, n): in (-pi, pi] for real ones, with its complex step for complex ones.

    >>> float(angle_of(np.array([0.0, 2.0]))) == np.pi / 2
    True
    """
    real = np.real(W)
    angle = np.arctan2(real[1], real[0])
    if not np.iscomplexobj(W):
        return angle
    along, across = real[0] * W[0] + real[1] * W[1], real[0] * W[1] - real[1] * W[0]
    return angle + np.arctan(across / along)
