"""The drivers' terms in the rows: functions of their coordinates, and the choice between dot and cross rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.global_methods.families.rows import Driven
from structkin.types import Indices

#: f, f', f'' of a driver's coordinate, each a factor and a function.
FORMS: dict[str, tuple[tuple[float, Any], ...]] = {
    "value": ((1.0, np.positive), (1.0, np.ones_like), (0.0, np.zeros_like)),
    "half square": ((0.5, np.square), (1.0, np.positive), (1.0, np.ones_like)),
    "cos": ((1.0, np.cos), (-1.0, np.sin), (-1.0, np.cos)),
    "sin": ((1.0, np.sin), (1.0, np.cos), (-1.0, np.sin)),
}


@dataclass(frozen=True)
class _Form:
    """The rows of one form: the place of each row and of its driver, and its sign times the factors of f, f', f''."""

    functions: tuple[Any, Any, Any]
    rows: slice | Indices
    who: slice | Indices
    signs: tuple[Any, Any, Any]
    #: Identifies forms of the same drivers.
    drivers: tuple[int, ...]


@dataclass(frozen=True)
class DriverTerms:
    """The parts -sign f(z) of rows, gathered by form."""

    count: int
    forms: tuple[_Form, ...]
    #: The same term by term: row, driver, the number of the form, and the sign.
    terms: tuple[tuple[int, int, int, float], ...]

    @classmethod
    def gather(cls, driven: Sequence[Driven], drivers: Sequence[str], count: int) -> DriverTerms:
        """Return the terms of `count` rows; `drivers` is the order of the values z."""
        index = {id: k for k, id in enumerate(drivers)}
        forms = []
        for name, parts in FORMS.items():
            terms = [term for term in driven if term.form == name]
            if terms:
                who = tuple(index[term.driver] for term in terms)
                sign = np.array([[term.sign] for term in terms])
                factors, functions = zip(*parts, strict=True)
                rows = _places([term.row for term in terms])
                forms.append(_Form(functions, rows, _places(who), tuple(sign * x for x in factors), who))
        names = list(FORMS)
        each = tuple((term.row, index[term.driver], names.index(term.form), term.sign) for term in driven)
        return cls(count, tuple(forms), each)

    def arrays(self) -> dict[str, Any]:
        """Return the terms for compiled code: row, driver and number of the form; sign."""
        return {"driven": [term[:3] for term in self.terms], "driven_sign": [term[3] for term in self.terms]}

    def subtract(self, phi: Any, z: Any) -> None:
        """Subtract sign f(z) from the rows of Phi (count, n)."""
        for form in self.forms:
            phi[form.rows] -= form.signs[0] * form.functions[0](z[form.who])

    def nu(self, z: Any, dz: Any) -> Any:
        """Return -Phi_t = sign f'(z) z' (count, n)."""
        out = np.zeros((self.count, z.shape[1]), np.result_type(z, dz))
        for form in self.forms:
            out[form.rows] = form.signs[1] * form.functions[1](z[form.who]) * dz[form.who]
        return out

    def gamma(self, z: Any, dz: Any, ddz: Any) -> Any:
        """Return -Phi_tt = sign (f'(z) z'' + f''(z) z'^2) (count, n)."""
        out = np.zeros((self.count, z.shape[1]), np.result_type(z, dz, ddz))
        known: dict[Any, Any] = {}
        for form in self.forms:
            # The first derivative of one form is the second of another: a sine or cosine is computed once.
            for function in form.functions[1:]:
                if (function, form.drivers) not in known:
                    known[function, form.drivers] = function(z[form.who])
            slope, second = (known[function, form.drivers] for function in form.functions[1:])
            out[form.rows] = form.signs[1] * slope * ddz[form.who] + form.signs[2] * second * dz[form.who] ** 2
        return out


def _places(numbers: Sequence[int]) -> slice | Indices:
    """Return consecutive places as a slice, which copies nothing."""
    first = numbers[0]
    follow = all(number == first + k for k, number in enumerate(numbers))
    return slice(first, first + len(numbers)) if follow else np.array(numbers, np.intp)


@dataclass(frozen=True)
class Weights:
    """Which of the dot and the cross row is active: one weight is 0, the other 1 or -1.

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
        """Return the active rows."""
        return self.dot * (dot - np.cos(z)) + self.cross * (cross - np.sin(z))

    def nu(self, z: Any, dz: Any) -> Any:
        """Return -Phi_t."""
        return (self.cross * np.cos(z) - self.dot * np.sin(z)) * dz

    def gamma(self, z: Any, dz: Any, ddz: Any) -> Any:
        """Return -Phi_tt (S0 Tab. 1 without the terms in the coordinates, signs corrected)."""
        by_dot = np.cos(z) * dz**2 + np.sin(z) * ddz
        by_cross = np.sin(z) * dz**2 - np.cos(z) * ddz
        return -(self.dot * by_dot + self.cross * by_cross)
