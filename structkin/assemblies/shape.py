"""The equations of a general group in isotropic coordinates: bilinear, and the same for every group of one shape.

A link's place is the complex origin z and the complex direction u. Written with z and its conjugate zb as two unknowns
of their own, and u and ub likewise, every equation of a group is linear or a sum of products

    (an affine form of z's and u's) * (an affine form of zb's and ub's).

Pins are linear, and so are constant angles between links (u_j = turn * u_i), and a guide on which a driver sets the
travel. What is left are one u ub = 1 for every set of links that keep their angles, driven distances, and guides. The
coefficients are affine in the parameters of the group (places of points on links, known places, lengths).
Two groups whose equations differ in the parameters only have the same `Shape`, and in general as many complex
solutions (Wampler, Solving the kinematics of planar mechanisms, J. Mech. Design 121, 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import Rows

Complexes = NDArray[np.complex128]
Value = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Shape:
    """What the equations of a group are like, without any number of its geometry.

    A form is a row over (1, z_1, ..., z_m, u_1, ..., u_m): `entries` are (form, column, parameter or -1, factor). The
    first `linear` forms are equations themselves, `terms` are (equation, form, conjugate form, factor).
    """

    links: int
    parameters: int
    linear: int
    forms: int
    equations: int
    entries: tuple[tuple[int, int, int, float], ...]
    terms: tuple[tuple[int, int, int, complex], ...]

    @cached_property
    def _scatter(self) -> tuple[Any, Any, Any, Any]:
        columns = np.array(self.entries)
        form, column, parameter = (columns[:, k].astype(np.intp) for k in range(3))
        return form, column, parameter, columns[:, 3]

    def matrix(self, parameters: Complexes) -> Complexes:
        """Return all forms (..., forms, 1 + 2 links) at these parameters (..., p)."""
        form, column, parameter, factor = self._scatter
        known = np.concatenate((parameters, np.ones((*parameters.shape[:-1], 1))), axis=-1)
        result = np.zeros((*parameters.shape[:-1], self.forms, 1 + 2 * self.links), complex)
        np.add.at(result.T, (column, form), (factor * known[..., parameter]).T)
        return result

    @cached_property
    def products(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Complexes]:
        """The terms: form, conjugate form (both counted behind the linear ones), and how they add up (equations, n)."""
        weights = np.zeros((self.equations, len(self.terms)), complex)
        for k, (equation, _, _, factor) in enumerate(self.terms):
            weights[equation, k] = factor
        first, second = (np.array([term[k] for term in self.terms], np.intp) for k in (1, 2))
        return first - self.linear, second - self.linear, weights


@dataclass(frozen=True)
class Described:
    """A group's shape, and how its parameters follow from its inputs: see `describe`."""

    shape: Shape
    values: tuple[Value, ...]
    rows: Rows

    def parameters(self, h: tuple[Any, ...]) -> Complexes:
        """Return the parameters (p,) at inputs `h` of one lane, lengths in parts of the group's size."""
        vectors = [complex(v[0, 0], v[1, 0]) for v in h[: self.rows.vectors]]
        scalars = [float(np.ravel(s)[0]) for s in h[self.rows.vectors :]]
        return np.array([value(vectors, scalars) for value in self.values], complex)


def describe(rows: Rows) -> Described:
    """Return the shape of a general group's equations and its parameters as functions of the inputs."""
    writer = _Writer(rows)
    writer.write()
    return Described(writer.shape(), tuple(writer.values.values()), rows)


Form = list[tuple[int, int, float]]


@dataclass
class _Writer:
    """Collects forms as lists of (column, parameter, factor); parameters by key, so that equal ones are one."""

    rows: Rows
    values: dict[Hashable, Value] = field(default_factory=dict)
    linear: list[Form] = field(default_factory=list)
    quadratic: list[Form] = field(default_factory=list)
    terms: list[tuple[int, int, int, complex]] = field(default_factory=list)
    equations: int = 0

    def shape(self) -> Shape:
        forms = self.linear + self.quadratic
        n = len(self.linear)
        return Shape(
            self.rows.links,
            len(self.values),
            n,
            len(forms),
            self.equations,
            tuple((k, *entry) for k, form in enumerate(forms) for entry in form),
            tuple((equation, n + i, n + j, factor) for equation, i, j, factor in self.terms),
        )

    def write(self) -> None:
        """Write all equations of the rows."""
        rows = self.rows
        self.linear += [self._difference(i, j) for i, j in rows.pins]
        self.linear += [self._direction(i) + _minus(self._direction(j)) for i, j in rows.parallels]
        one = self._add([(0, -1, 1.0)])
        for link in self._turning():
            unit = self._add([(1 + rows.links + link, -1, 1.0)])
            self._equation((unit, unit, 1.0), (one, one, -1.0))
        travels = {self._guide(*travel[:3]): k for k, travel in enumerate(rows.travels)}
        for k, line in enumerate(rows.lines):
            driven = travels.pop(self._guide(*line[:3]), None)
            if driven is None:
                along, way = self._add(self._direction(line[0])), self._add(self._difference(line[2], line[1]))
                offset = self._add([(0, self._parameter(("e", k), _constant(line[3] / rows.size)), 1.0)])
                self._equation((way, along, -0.5j), (along, way, 0.5j), (offset, one, -1.0))
            else:
                self.linear.append(self._driven_slide(k, driven))
        for k in travels.values():
            d, i, j, start, scalar = rows.travels[k]
            along, way = self._add(self._direction(d)), self._add(self._difference(j, i))
            value = self._parameter(("s", k), self._travel_value(start, scalar))
            self._equation((way, along, 0.5), (along, way, 0.5), (self._add([(0, value, 1.0)]), one, -1.0))
        for k, (i, j, scalar) in enumerate(rows.distances):
            way = self._add(self._difference(j, i))
            value = self._parameter(("l", k), self._scaled_scalar(scalar))
            self._equation((way, way, 0.5), (self._add([(0, value, 1.0)]), one, -1.0))

    # --- forms --------------------------------------------------------------------------------------------

    def _parameter(self, key: Hashable, value: Value) -> int:
        self.values.setdefault(key, value)
        return list(self.values).index(key)

    def _point(self, index: int) -> Form:
        source, local = self.rows.points[index]
        if source < 0:
            known = -1 - source
            return [(0, self._parameter(("V", known), lambda v, _: v[known] / self.rows.size), 1.0)]
        place = self._parameter(("r", source, local), _constant(local / self.rows.size))
        return [(1 + source, -1, 1.0), (1 + self.rows.links + source, place, 1.0)]

    def _difference(self, first: int, second: int) -> Form:
        return self._point(first) + _minus(self._point(second))

    def _direction_value(self, index: int) -> tuple[int, Value]:
        source, factor, turner = self.rows.directions[index]

        def value(v: Any, _: Any) -> complex:
            return factor * (v[-1 - source] if source < 0 else 1.0) * (v[turner] if turner >= 0 else 1.0)

        return (0 if source < 0 else 1 + self.rows.links + source), value

    def _direction(self, index: int) -> Form:
        column, value = self._direction_value(index)
        return [(column, self._parameter(("D", self.rows.directions[index]), value), 1.0)]

    def _driven_slide(self, line: int, travel: int) -> Form:
        """Return P_j - P_i - D (s + i e): line and travel of one guide together are linear."""
        d, i, j, offset = self.rows.lines[line]
        start, scalar = self.rows.travels[travel][3:]
        column, direction = self._direction_value(d)
        size = self.rows.size
        key = self._parameter(("w", line), lambda v, s: direction(v, s) * complex(start + s[scalar], offset) / size)
        return [*self._difference(j, i), (column, key, -1.0)]

    def _travel_value(self, start: float, scalar: int) -> Value:
        return lambda _, s: (start + s[scalar]) / self.rows.size

    def _scaled_scalar(self, scalar: int) -> Value:
        return lambda _, s: s[scalar] / self.rows.size**2

    def _guide(self, d: int, i: int, j: int) -> Hashable:
        return self.rows.directions[d], self.rows.points[i], self.rows.points[j]

    def _turning(self) -> list[int]:
        """Return one link of each set of links that keep their angles to each other and not to a known one."""
        m = self.rows.links
        leader = list(range(m + 1))

        def find(k: int) -> int:
            while leader[k] != k:
                k = leader[k]
            return k

        for i, j in self.rows.parallels:
            ends = (self.rows.directions[i][0], self.rows.directions[j][0])
            a, b = sorted(find(source if source >= 0 else m) for source in ends)
            leader[a] = b
        return [k for k in range(m) if find(k) == k]

    def _add(self, form: Form) -> int:
        if form not in self.quadratic:
            self.quadratic.append(form)
        return self.quadratic.index(form)

    def _equation(self, *terms: tuple[int, int, complex]) -> None:
        self.terms += [(self.equations, i, j, factor) for i, j, factor in terms]
        self.equations += 1


def _minus(form: Form) -> Form:
    return [(column, parameter, -factor) for column, parameter, factor in form]


def _constant(value: complex) -> Value:
    return lambda _v, _s: value
