"""What drivers add to the rows: functions of their coordinates, and the choice between dot and cross rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.rows import Driven

Ints = NDArray[np.intp]

#: f, f', f'' of a driver's coordinate, each a factor and a function.
FORMS: dict[str, tuple[tuple[float, Any], ...]] = {
    "value": ((1.0, np.positive), (1.0, np.ones_like), (0.0, np.zeros_like)),
    "half square": ((0.5, np.square), (1.0, np.positive), (1.0, np.ones_like)),
    "cos": ((1.0, np.cos), (-1.0, np.sin), (-1.0, np.cos)),
    "sin": ((1.0, np.sin), (1.0, np.cos), (-1.0, np.sin)),
}


@dataclass(frozen=True)
class DriverTerms:
    """The parts -sign f(z) of rows, gathered by form: rows, drivers and signs."""

    count: int
    forms: tuple[tuple[str, Ints, list[int], NDArray[np.float64]], ...]

    @classmethod
    def gather(cls, driven: Sequence[Driven], drivers: Sequence[str], count: int) -> DriverTerms:
        """Return the terms of `count` rows; `drivers` is the order of the values z."""
        index = {id: k for k, id in enumerate(drivers)}
        forms = []
        for form in FORMS:
            of_form = [term for term in driven if term.form == form]
            if of_form:
                rows = np.array([term.row for term in of_form])
                who = [index[term.driver] for term in of_form]
                forms.append((form, rows, who, np.array([[term.sign] for term in of_form])))
        return cls(count, tuple(forms))

    def subtract(self, phi: Any, z: Any) -> None:
        """Subtract sign f(z) from the rows of Phi (count, n)."""
        for form, rows, who, sign in self.forms:
            factor, function = FORMS[form][0]
            phi[rows] -= (sign * factor) * function(z[who])

    def nu(self, z: Any, dz: Any) -> Any:
        """Return -Phi_t = sign f'(z) z' (count, n)."""
        out = np.zeros((self.count, z.shape[1]), np.result_type(z, dz))
        for form, rows, who, sign in self.forms:
            factor, function = FORMS[form][1]
            out[rows] = (sign * factor) * function(z[who]) * dz[who]
        return out

    def gamma(self, z: Any, dz: Any, ddz: Any) -> Any:
        """Return -Phi_tt = sign (f'(z) z'' + f''(z) z'^2) (count, n)."""
        out = np.zeros((self.count, z.shape[1]), np.result_type(z, dz, ddz))
        known: dict[Any, Any] = {}

        def value(form: str, order: int, who: list[int]) -> Any:
            # The slope of one form is the bend of another: a sine or cosine is taken once.
            factor, function = FORMS[form][order]
            key = function, *who
            if key not in known:
                known[key] = function(z[who])
            return factor * known[key]

        for form, rows, who, sign in self.forms:
            out[rows] = sign * (value(form, 1, who) * ddz[who] + value(form, 2, who) * dz[who] ** 2)
        return out


@dataclass(frozen=True)
class Weights:
    """Which of the dot and the cross row is in force: one is 0, the other 1 or -1.

    The dot row u.v - cos z is singular at 0 and pi, the cross row u x v - sin z at +-pi/2 (S0 Tab. 1): each sample
    takes the one that is further from singular, with the sign that makes it grow with the angle.
    """

    dot: Any
    cross: Any

    @classmethod
    def at(cls, z: Any) -> Weights:
        """Return the weights at the driven angles z."""
        c, s = np.cos(np.real(z)), np.sin(np.real(z))
        by_cross = np.abs(c) >= np.abs(s)
        return cls(np.where(by_cross, 0.0, -np.sign(s)), np.where(by_cross, np.sign(c), 0.0))

    def phi(self, dot: Any, cross: Any, z: Any) -> Any:
        """Return the rows in force."""
        return self.dot * (dot - np.cos(z)) + self.cross * (cross - np.sin(z))

    def nu(self, z: Any, dz: Any) -> Any:
        """Return -Phi_t."""
        return (self.cross * np.cos(z) - self.dot * np.sin(z)) * dz

    def gamma(self, z: Any, dz: Any, ddz: Any) -> Any:
        """Return -Phi_tt (S0 Tab. 1 without the terms in the coordinates, signs corrected)."""
        by_dot = np.cos(z) * dz**2 + np.sin(z) * ddz
        by_cross = np.sin(z) * dz**2 - np.cos(z) * ddz
        return -(self.dot * by_dot + self.cross * by_cross)
