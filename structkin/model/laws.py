"""Driver laws: a coordinate and its time derivatives as functions of time, in SI."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from structkin.model.expression import Expression
from structkin.model.parts import Law
from structkin.numerical_tolerances import ROUNDING
from structkin.types import Floats

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


def at_time(law: Law, t: float) -> tuple[float, float, float]:
    """Return value, rate and second rate of a law at one time [s].

    >>> at_time(ConstantSpeed(1.0, 2.0), 0.5)
    (2.0, 2.0, 0.0)
    """
    value, rate, second = (float(part[0]) for part in law(np.array([t]))[:3])
    return value, rate, second


@dataclass(frozen=True, slots=True)
class ConstantSpeed:
    """The value start + speed t [rad or m].

    >>> import numpy as np
    >>> ConstantSpeed(1.0, 2.0)(np.array([0.0, 0.5]))[0].tolist()
    [1.0, 2.0]
    """

    start: float
    speed: float

    @property
    def span(self) -> None:
        """Unlimited."""
        return None

    def __call__(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return value, first and second time derivative at the times t (n,)."""
        t = np.asarray(t, dtype=float)
        return self.start + self.speed * t, np.full_like(t, self.speed), np.zeros_like(t)

    def third(self, t: Floats) -> Floats:
        """Return the third time derivative at the times t (n,): zero."""
        return np.zeros(np.shape(t))


@dataclass(frozen=True, slots=True)
class ExpressionLaw:
    """A formula of t in the file's unit, times `scale` [SI per unit].

    >>> import numpy as np
    >>> law = ExpressionLaw(Expression("90*t"), np.pi / 180)
    >>> round(law.speed, 6), law(np.array([1.0]))[0].round(6).tolist()
    (1.570796, [1.570796])
    """

    expression: Expression
    scale: float = 1.0

    @property
    def speed(self) -> float | None:
        """The constant rate if the formula is written as linear in t, else None."""
        slope = self.expression.slope
        return None if slope is None else slope * self.scale

    @property
    def span(self) -> None:
        """Unlimited."""
        return None

    def __call__(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return value, first and second time derivative at the times t (n,)."""
        value, rate, second = self.expression(t)
        return self.scale * value, self.scale * rate, self.scale * second

    def third(self, t: Floats) -> Floats:
        """Return the third time derivative at the times t (n,)."""
        return np.asarray(self.scale * self.expression.third(t))


@dataclass(frozen=True, slots=True)
class ScaledLaw:
    """Another law times a factor: a component of a force given by size and direction."""

    law: Law
    factor: float

    @property
    def speed(self) -> float | None:
        """The constant rate, or None if the rate varies."""
        return None if self.law.speed is None else self.factor * self.law.speed

    @property
    def span(self) -> tuple[float, float] | None:
        """The time interval [s] on which the law is defined, or None if it is unlimited."""
        return self.law.span

    def __call__(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return value, first and second time derivative at the times t (n,)."""
        value, rate, second = self.law(t)
        with np.errstate(invalid="ignore"):  # a component of size zero of a load whose rate is infinite
            return self.factor * value, self.factor * rate, self.factor * second

    def third(self, t: Floats) -> Floats:
        """Return the third time derivative at the times t (n,)."""
        return self.factor * self.law.third(t)


@dataclass(frozen=True)
class TableLaw:
    """A cubic spline (not-a-knot) through the values at increasing times [s]; NaN outside them.

    >>> import numpy as np
    >>> law = TableLaw((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 4.0, 9.0))
    >>> [x.round(9).tolist() for x in law(np.array([1.5]))]
    [[2.25], [3.0], [2.0]]
    """

    times: tuple[float, ...]
    values: tuple[float, ...]

    @property
    def speed(self) -> None:
        """None: a table's rate varies."""
        return None

    @property
    def span(self) -> tuple[float, float]:
        """First and last time [s]."""
        return self.times[0], self.times[-1]

    @cached_property
    def pieces(self) -> PPoly:
        """The cubic polynomials from time to time; NaN outside."""
        from scipy.interpolate import CubicSpline

        return CubicSpline(self.times, self.values, extrapolate=False)

    def __call__(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return value, first and second time derivative at the times t (n,)."""
        t = np.asarray(t, dtype=float)
        # A time beyond an end by rounding only, such as a sum of time steps, counts as the end.
        first, last = self.span
        t = np.where(
            np.abs(t - np.clip(t, first, last)) <= ROUNDING * max(abs(first), abs(last)), np.clip(t, first, last), t
        )
        value, rate, second = (self.pieces(t, order) for order in range(3))
        return value, rate, second

    def third(self, t: Floats) -> Floats:
        """Return the third time derivative at the times t (n,), discontinuous at the table's times; NaN outside."""
        return np.asarray(self.pieces(np.asarray(t, dtype=float), 3))


class MonotoneTable(TableLaw):
    """A table of a load: monotone cubics (Fritsch and Butland) from time to time, which nowhere leave their two values.

    A motion has to be smooth, but a spline through a load that jumps would swing far beyond it.

    >>> import numpy as np
    >>> law = MonotoneTable((0.0, 0.5, 0.6, 1.0), (0.0, 0.0, 40.0, 40.0))
    >>> law(np.array([0.25, 0.55, 0.8]))[0].round(9).tolist()
    [0.0, 20.0, 40.0]
    """

    @cached_property
    def pieces(self) -> PPoly:
        """The cubic polynomials from time to time; NaN outside."""
        from scipy.interpolate import PchipInterpolator

        return PchipInterpolator(self.times, self.values, extrapolate=False)
