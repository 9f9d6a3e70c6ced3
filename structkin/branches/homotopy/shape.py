"""The equations of a general group in isotropic coordinates: bilinear, and the same for every group of one shape.

A link's place is the complex origin z and the complex direction u. Written with z and its conjugate zb as two
independent unknowns, and u and ub likewise, every equation of a group is linear or a sum of products

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

import networkx as nx
import numpy as np

from structkin.groups import Rows
from structkin.rows.affine import Affine
from structkin.rows.curves import Curve
from structkin.rows.row import Row
from structkin.rows.trig_rows import TrigRow
from structkin.types import Complexes, Indices

Value = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Shape:
    """The structure of a group's equations, without its dimensions.

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
    def products(self) -> tuple[Indices, Indices, Complexes]:
        """The terms: form, conjugate form (both counted behind the linear ones), and their sums (equations, n)."""
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
        """Return the parameters (p,) at inputs `h` of one lane, lengths relative to the group's size."""
        vectors = [complex(v[0, 0], v[1, 0]) for v in h[: self.rows.vectors]]
        scalars = [float(np.ravel(s)[0]) for s in h[self.rows.vectors :]]
        return np.array([value(vectors, scalars) for value in self.values], complex)


def describe(rows: Rows) -> Described:
    """Return the shape of a general group's equations and its parameters as functions of the inputs."""
    writer = _Writer(rows)
    writer.write()
    return Described(writer.shape(), tuple(writer.values.values()), rows)


#: A row over (1, z, u) as (column, parameter or -1, factor).
Entries = list[tuple[int, int, float]]


@dataclass
class _Writer:
    """Collects forms as lists of (column, parameter, factor); parameters by key, so that equal ones are shared."""

    rows: Rows
    values: dict[Hashable, Value] = field(default_factory=dict)
    linear: list[Entries] = field(default_factory=list)
    quadratic: list[Entries] = field(default_factory=list)
    terms: list[tuple[int, int, int, complex]] = field(default_factory=list)
    equations: int = 0
    #: The pairs of links whose directions are tied; the index after the last link stands for what is known.
    tied: list[tuple[int, int]] = field(default_factory=list)

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
        """Write all equations of the rows: the linear ones first, then what is left of the others."""
        self._one = self._add([(0, -1, 1.0)])
        rows = [form for form in self.rows.forms if isinstance(form, Row)]
        along = {_pair(row): row for row in rows if _weight(row) == 1}
        across = {_pair(row): row for row in rows if _weight(row) == -1j and not row.is_aligned}
        for form in self.rows.forms:
            assert not isinstance(form, TrigRow)
            if isinstance(form, Curve):
                self._tie(*(vector for vector in form.vectors if isinstance(vector, Affine)))
            elif form.is_aligned:
                (_, a, b) = form.products[0]
                self._tie(a, Affine(1.0), b)
            elif _pair(form) not in along or _pair(form) not in across:
                self._bilinear(form)
            elif form is along[_pair(form)]:
                self._guided(form, across[_pair(form)])
        for link in self._turning():
            unit = self._add([(1 + self.rows.links + link, -1, 1.0)])
            self._equation((unit, unit, 1.0), (self._one, self._one, -1.0))

    # --- equations ----------------------------------------------------------------------------------------

    def _tie(self, a: Affine, turner: Affine, b: Affine) -> None:
        """Write b = a turned, both unit vectors."""
        m, ends = self.rows.links, []
        for vector, turn, sign in ((a, turner, 1.0), (b, Affine(1.0), -1.0)):
            column, value = self._single(vector)
            key = self._parameter(("D", vector, turn), self._turned_value(value, turn))
            ends.append((column, key, sign))
        self.linear.append(ends)
        first, second = (column - 1 - m if column else m for column, *_ in ends)
        self.tied.append((first, second))

    def _guided(self, along: Row, across: Row) -> None:
        """Write b - a (s + i e) = 0, where a . b = s and a x b = e: together the two are linear."""
        (_, a, b) = along.products[0]
        column, direction = self._single(a)
        travel, offset = self._rest(along), self._rest(across)
        size = self.rows.size if self._is_length(b) else 1.0
        if not along.numbers and along.constant == across.constant == 0.0:
            self.linear.append(self._form(b))
            return
        key = ("w", len(self.linear))
        own = self._form(b)
        turn = self._parameter(key, lambda v, s: direction(v, s) * complex(travel(v, s), offset(v, s)) / size)
        self.linear.append([*own, (column, turn, -1.0)])

    def _bilinear(self, row: Row) -> None:
        """Write sum of Re(w conj(a) b) = rest, where Re(p) is half of p and its conjugate."""
        terms: list[tuple[int, int, complex]] = []
        scale = 1.0
        for w, a, b in row.products:
            first, second = self._add(self._form(a)), self._add(self._form(b))
            if first == second:
                terms.append((first, first, w.real))
            else:
                terms += [(second, first, 0.5 * w), (first, second, 0.5 * w.conjugate())]
            scale = self.rows.size ** (self._is_length(a) + self._is_length(b))
        if row.numbers or row.constant:
            rest = self._rest(row)
            key = self._parameter(("e", self.equations), lambda v, s: rest(v, s) / scale)
            terms.append((self._add([(0, key, 1.0)]), self._one, -1.0))
        self._equation(*terms)

    def _rest(self, row: Row) -> Value:
        """Return the value that the products of a row must have, as a function of the inputs."""
        scalars = [(self.rows.scalars.index(number), factor) for number, factor in row.numbers]
        return lambda _, s: -row.constant - sum(factor * s[k] for k, factor in scalars)

    def _turning(self) -> list[int]:
        """Return one link of each set of links that keep their angles to each other and not to a known one."""
        known = self.rows.links
        graph = nx.Graph(self.tied)
        graph.add_nodes_from(range(known + 1))
        return sorted(max(part) for part in nx.connected_components(graph) if known not in part)

    def _add(self, form: Entries) -> int:
        if form not in self.quadratic:
            self.quadratic.append(form)
        return self.quadratic.index(form)

    def _equation(self, *terms: tuple[int, int, complex]) -> None:
        self.terms += [(self.equations, i, j, factor) for i, j, factor in terms]
        self.equations += 1

    # --- forms --------------------------------------------------------------------------------------------

    def _parameter(self, key: Hashable, value: Value) -> int:
        self.values.setdefault(key, value)
        return list(self.values).index(key)

    def _is_length(self, vector: Affine) -> bool:
        """Return whether a vector is a place or a displacement, not a direction: it contains an origin."""
        return any(slot < 2 * self.rows.links and slot % 2 == 0 for slot, _ in vector.terms)

    def _form(self, vector: Affine) -> Entries:
        """Return a vector as a form, lengths relative to the group's size; its known part is one parameter."""
        unit = self.rows.size if self._is_length(vector) else 1.0
        entries: Entries = []
        known = self._known_part(vector)
        if known == Affine(1.0) and unit == 1.0:
            entries.append((0, -1, 1.0))
        elif known != Affine():
            sign = _sign(known.terms[0][1] if known.terms else known.const)
            value = self._known_value(known * sign)
            key = self._parameter(("V", known * sign, unit), lambda v, s: value(v, s) / unit)
            entries.append((0, key, sign))
        for slot, factor in vector.terms:
            link, which = divmod(slot, 2)
            if link >= self.rows.links:
                continue
            if which == 0:
                entries.append((1 + link, -1, factor.real))
                continue
            sign = _sign(factor)
            key = self._parameter(("r", link, sign * factor, unit), _constant(sign * factor / unit))
            entries.append((1 + self.rows.links + link, key, sign))
        return entries

    def _known_part(self, vector: Affine) -> Affine:
        inputs = tuple(term for term in vector.terms if term[0] >= 2 * self.rows.links)
        return Affine(vector.const, inputs)

    def _known_value(self, known: Affine) -> Value:
        first = 2 * self.rows.links
        return lambda v, _: known.const + sum(factor * v[slot - first] for slot, factor in known.terms)

    def _turned_value(self, value: Value, turn: Affine) -> Value:
        turner = self._known_value(turn)
        return lambda v, s: value(v, s) * turner(v, s)

    def _single(self, direction: Affine) -> tuple[int, Value]:
        """Return the column and factor of a direction, which is that of one link or known."""
        known = self._known_part(direction)
        if known != Affine():
            return 0, self._known_value(known)
        ((slot, factor),) = direction.terms
        return 1 + self.rows.links + slot // 2, _constant(factor)


def _weight(row: Row) -> complex | None:
    """Return w of a row with one product, None where there are more."""
    return row.products[0][0] if len(row.products) == 1 else None


def _pair(row: Row) -> tuple[Affine, Affine] | None:
    return row.products[0][1:] if len(row.products) == 1 else None


def _sign(factor: complex) -> float:
    return -1.0 if (factor.real, factor.imag) < (0.0, 0.0) else 1.0


def _constant(value: complex) -> Value:
    return lambda _v, _s: value
