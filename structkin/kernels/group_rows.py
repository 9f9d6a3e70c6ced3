"""The rows of a general group as formulas: values, Jacobian, and time derivatives.

The equations are those of `structkin.groups.general`, with symbols for the inputs, the poses and the constants: the
products of `rows`, differentiated by Leibniz's rule, and the relations of `structkin.rows.relations`. Jacobians are the
rates of the rows along each unknown, of which symbols leave what is not zero. Rows are scaled as there, so that each is
of the order of a length; the unknowns are O_x, O_y and theta of each link.

Linear systems are solved symbolically, by a branch-free elimination that is stable for all numbers. Pivots cannot be
chosen in formulas written before the numbers are known. Pins give coefficients of 1 and -1: these are eliminated first,
without growth. The remaining few rows of lengths and directions are brought to triangular form by Givens rotations
(Golub, Van Loan, Matrix Computations, 5.1.8), which need no pivoting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import add, sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import Rows
from structkin.groups.kind import dot, times, turned
from structkin.kernels.symbols import Graph, Symbol, Term, vector_of
from structkin.rows.affine import Affine
from structkin.rows.curves import Curve
from structkin.rows.equations import Form
from structkin.rows.jet import Jet, Vector, product
from structkin.rows.plane_curve import PlaneCurve
from structkin.rows.relations import DrivenAngle, OnCurve, derivative
from structkin.rows.row import Row

# --- elimination ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Unit:
    """A pivot +1 or -1 of a row and column; `others` are (row, factor) from which its right side is subtracted."""

    row: int
    column: int
    pivot: float
    others: tuple[tuple[int, Term], ...]


@dataclass(frozen=True)
class _Rotation:
    """Rows a and b become c a + s b and c b - s a."""

    a: int
    b: int
    c: Term
    s: Term


class Elimination:
    """A square matrix, rows as {column: term}, brought to triangular form; `solve` takes right sides.

    `diagonal` are (column, term) of the triangle left by rotations; `signed` the terms that may be negative, whose
    product has the sign of the determinant up to a constant sign.

    >>> from structkin.kernels.symbols import Graph
    >>> graph = Graph()
    >>> a, b = graph.load("a"), graph.load("b")
    >>> found = Elimination([{0: 1.0, 1: a}, {0: b}])
    >>> graph.lines(found.solve([0.0, a]))[:2]
    ['t2 = b * a', 't4 = a / t2']
    """

    def __init__(self, rows: Sequence[Mapping[int, Term]]) -> None:
        """Eliminate; `ValueError` if the matrix is structurally singular."""
        self._rows = [dict(row) for row in rows]
        self._steps: list[_Unit | _Rotation] = []
        #: Rows and columns in the order in which they were eliminated.
        self._order: list[tuple[int, int]] = []
        self.diagonal: list[tuple[int, Term]] = []
        self.signed: list[Term] = []
        self._left = set(range(len(rows)))
        while (unit := self._unit_pivot()) is not None:
            self._take(*unit)
        columns = {column for row in self._left for column in self._rows[row]}
        while columns:
            # A column with few entries first: it needs few rotations.
            column = min(columns, key=lambda c: (len(self._holding(c)), c))
            columns.remove(column)
            self._rotate(column)
        if self._left:
            raise ValueError("a row is left without a column")

    def _holding(self, column: int) -> list[int]:
        return [row for row in sorted(self._left) if column in self._rows[row]]

    def _unit_pivot(self) -> tuple[int, int] | None:
        """Return row and column of a unit coefficient whose elimination changes the fewest entries."""
        units = [
            (len(self._holding(column)) * len(self._rows[row]), row, column)
            for row in sorted(self._left)
            for column, term in self._rows[row].items()
            if not isinstance(term, Symbol) and abs(term) == 1.0
        ]
        return min(units)[1:] if units else None

    def _take(self, row: int, column: int) -> None:
        pivot = float(self._rows[row][column])
        self._left.remove(row)
        others = []
        for other in self._holding(column):
            factor = self._rows[other].pop(column) * pivot
            others.append((other, factor))
            for at, term in self._rows[row].items():
                if at != column:
                    self._put(other, at, self._rows[other].get(at, 0.0) - factor * term)
        self._steps.append(_Unit(row, column, pivot, tuple(others)))
        self._order.append((row, column))

    def _put(self, row: int, column: int, term: Term) -> None:
        if not isinstance(term, Symbol) and term == 0:
            self._rows[row].pop(column, None)
        else:
            self._rows[row][column] = term

    def _rotate(self, column: int) -> None:
        holding = self._holding(column)
        if not holding:
            raise ValueError("a column is empty")
        # The row with the fewest entries keeps the rotations short.
        first, *rest = sorted(holding, key=lambda row: (len(self._rows[row]), row))
        for other in rest:
            a, b = self._rows[first][column], self._rows[other].pop(column)
            size = np.sqrt(a * a + b * b)
            inverse = 1.0 / size
            c, s = a * inverse, b * inverse
            self._steps.append(_Rotation(first, other, c, s))
            for at in sorted((set(self._rows[first]) | set(self._rows[other])) - {column}):
                x, y = self._rows[first].get(at, 0.0), self._rows[other].get(at, 0.0)
                self._put(first, at, c * x + s * y)
                self._put(other, at, c * y - s * x)
            self._rows[first][column] = size
        self.diagonal.append((column, self._rows[first][column]))
        if not rest:
            self.signed.append(self._rows[first][column])
        self._left.remove(first)
        self._order.append((first, column))

    def solve(self, right: Sequence[Term]) -> list[Term]:
        """Return the solution for one right side."""
        right = list(right)
        for step in self._steps:
            if isinstance(step, _Unit):
                for other, factor in step.others:
                    right[other] = right[other] - factor * right[step.row]
            else:
                x, y = right[step.a], right[step.b]
                right[step.a], right[step.b] = step.c * x + step.s * y, step.c * y - step.s * x
        found: list[Term] = [0.0] * len(right)
        for row, column in reversed(self._order):
            rest = right[row]
            for at, term in self._rows[row].items():
                if at != column:
                    rest = rest - term * found[at]
            pivot = self._rows[row][column]
            found[column] = rest * pivot if not isinstance(pivot, Symbol) and abs(pivot) == 1 else rest / pivot
        return found


# --- rows ----------------------------------------------------------------------------------------------------------

#: A vector (2,) of terms.
Pair = NDArray[Any]
#: A vector with its derivatives along k directions, 2^k parts as in `structkin.rows.jet`.
Parts = tuple[Pair, ...]
#: Origin and direction of each link; those and their derivatives, part by part.
Frames = Sequence[tuple[Pair, Pair]]
Poses = Sequence[Frames]

_NOTHING: Pair = vector_of(0.0, 0.0)


@dataclass(frozen=True)
class Formulas:
    """What kernels of a group compute; `constants` are the numbers of c0, c1, ...

    Values are named h (variable inputs), s (the pose: O_x, O_y, U_x, U_y of each link), d and e (first and second
    derivatives of the inputs). `corrected` is the pose after one step of Newton's method, `change` the square
    of that step over the group's size. `determinant` has the sign of the determinant of the scaled Jacobian, up to a
    constant sign, and the size of its triangle's diagonal, as the inverse of the root of the sum of inverse squares: of
    the order of its smallest singular value. `ahead` is the pose moved along its tangent by the inputs' d; `first` and
    `second` are its derivatives in time. `places` (x, y) are those of pins relative to the curves that they are on;
    q0_0 ... q0_5 are the distance of the first from its curve, its gradient, and its derivatives by xx, xy and yy.
    `jacobian` has the derivatives of each scaled row by O_x, O_y and the angle of each link that are not zero.
    """

    graph: Graph
    constants: tuple[float, ...]
    corrected: tuple[Term, ...]
    change: Term
    determinant: Term
    ahead: tuple[Term, ...]
    first: tuple[Term, ...]
    second: tuple[Term, ...]
    places: tuple[Pair, ...]
    jacobian: tuple[Mapping[int, Term], ...]


def formulas(rows: Rows, known: Sequence[complex | float | None], *, curves: bool = False) -> Formulas | None:
    """Return the formulas of a group; `known` holds the constants among its inputs, None for those that move.

    None for groups that are not square, or contain gears or cams, whose angles are more than a direction; without
    `curves` also where a pin is on a curve.
    """
    known_forms = all(_is_known(form) or (curves and curve_of(form) is not None) for form in rows.forms)
    if rows.count != 3 * rows.links or rows.angles or not known_forms:
        return None
    try:
        return _Writer(rows, known).formulas()
    except ValueError:
        return None


def _is_known(form: Form) -> bool:
    return isinstance(form, Row) or (isinstance(form, Curve) and isinstance(form.relation, DrivenAngle))


def curve_of(form: Form) -> PlaneCurve | None:
    """Return the curve that a pin is on by this row; None for other rows."""
    return form.relation.curve if isinstance(form, Curve) and isinstance(form.relation, OnCurve) else None


class _Writer:
    def __init__(self, rows: Rows, known: Sequence[complex | float | None]) -> None:
        self.rows, self.graph, self.constants = rows, Graph(), list[float]()
        self._factors: dict[tuple[int, complex], Pair] = {}
        on_curves = [form for form in rows.forms if curve_of(form)]
        self._numbers = {id(form): number for number, form in enumerate(on_curves)}
        self.places: list[Pair] = [_NOTHING] * len(on_curves)
        self.origins = [self._load("s", 4 * k) for k in range(rows.links)]
        self.units = [self._load("s", 4 * k + 2) for k in range(rows.links)]
        self.known: dict[str, list[Pair]] = {"h": [], "d": [], "e": [], "0": []}
        moving = 0
        for j, value in enumerate(known):
            width = 2 if j < rows.vectors else 1
            for letter, found in self.known.items():
                if letter == "0":
                    pair = _NOTHING
                elif value is None:
                    pair = (
                        self._load(letter, moving)
                        if width == 2
                        else vector_of(self.graph.load(f"{letter}{moving}"), 0.0)
                    )
                elif letter == "h":
                    pair = (
                        self._pair(complex(value)) if width == 2 else vector_of(self._constant(float(value.real)), 0.0)
                    )
                else:
                    pair = _NOTHING
                found.append(pair)
            moving += width if value is None else 0

    def _load(self, letter: str, first: int) -> Pair:
        return vector_of(self.graph.load(f"{letter}{first}"), self.graph.load(f"{letter}{first + 1}"))

    def _constant(self, value: float) -> Term:
        """Return a symbol for a number; 0, 1 and -1, which simplify formulas, stay numbers."""
        if value in (0.0, 1.0, -1.0):
            return value
        self.constants.append(value)
        return self.graph.load(f"c{len(self.constants) - 1}")

    def _pair(self, value: complex) -> Pair:
        return vector_of(self._constant(value.real), self._constant(value.imag))

    def formulas(self) -> Formulas:
        rows, m = self.rows, self.rows.links
        still = [(_NOTHING, _NOTHING)] * m
        here: list[tuple[Pair, Pair]] = list(zip(self.origins, self.units, strict=True))
        self.size, self.weight = self._constant(rows.size), self._constant(1 / rows.size)
        forms = [form for form in rows.forms if isinstance(form, Row | Curve)]
        self.weighted = [(form, self._constant(1 / size)) for form, size in zip(forms, rows.row_sizes, strict=True)]
        values = self._values([here], "h")
        jacobian = self._jacobian(here)
        system = Elimination(jacobian)
        # The Newton step removes the residual of the rows.
        step = [-term for term in system.solve(values)]
        change: Term = 0.0
        for k in range(m):
            dx, dy, turn = step[3 * k : 3 * k + 3]
            dx, dy = dx * self.weight, dy * self.weight
            # With directions that are not yet unit vectors, the closed group is not that of the links.
            excess = dot(self.units[k], self.units[k]) - 1.0
            change = change + (dx * dx + dy * dy + turn * turn + excess * excess)
        moved = [-term for term in system.solve(self._values([here, still], "hd"))]
        rates = [(vector_of(*moved[3 * k : 3 * k + 2]), turned(U) * moved[3 * k + 2]) for k, U in enumerate(self.units)]
        bent = [(_NOTHING, U * -(turn * turn)) for U, turn in zip(self.units, moved[2::3], strict=True)]
        more = [-term for term in system.solve(self._values([here, rates, rates, bent], "hdde"))]
        second = [
            (vector_of(*more[3 * k : 3 * k + 2]), turned(U) * more[3 * k + 2] + bent[k][1])
            for k, U in enumerate(self.units)
        ]
        determinant: Term = 1.0
        for term in system.signed:
            determinant = determinant * term
        if not isinstance(determinant, Symbol):
            raise ValueError("the pose of the group does not appear in its equations")
        weak: Term = 0.0
        for column, term in system.diagonal:
            # The columns of angles are larger than the others by the size.
            inverse = (self.size if column % 3 == 2 else 1.0) / term
            weak = weak + inverse * inverse
        determinant = determinant / np.sqrt(determinant * determinant * weak)
        return Formulas(
            self.graph,
            tuple(self.constants),
            self._after(step),
            change,
            determinant,
            self._after(moved),
            tuple(term for O, U in rates for pair in (O, U) for term in pair),
            tuple(term for O, U in second for pair in (O, U) for term in pair),
            tuple(self.places),
            tuple(map(dict, jacobian)),
        )

    def _after(self, step: Sequence[Term]) -> tuple[Term, ...]:
        """Return the pose after a step (dO_x, dO_y, dtheta) of each link; its directions are made unit vectors."""
        found: list[Term] = []
        for k, (O, U) in enumerate(zip(self.origins, self.units, strict=True)):
            dx, dy, turn = step[3 * k : 3 * k + 3]
            x, y = U + turned(U) * turn
            inverse = 1.0 / np.sqrt(x * x + y * y)
            found += [O[0] + dx, O[1] + dy, x * inverse, y * inverse]
        return tuple(found)

    # --- vectors and rows ---------------------------------------------------------------------------------

    def _slot(self, slot: int, poses: Poses, letters: str) -> Parts:
        """Return the vector of a slot with its derivatives."""
        links = 2 * self.rows.links
        if slot >= links:
            return tuple(self.known[letter][slot - links] for letter in letters)
        return tuple(frames[slot // 2][slot % 2] for frames in poses)

    def _factor(self, slot: int, factor: complex) -> tuple[bool, Pair]:
        """Return whether a factor of a slot is negative, and its absolute value: both signs share one constant."""
        minus = (factor.real, factor.imag) < (0.0, 0.0)
        key = slot, -factor if minus else factor
        if key not in self._factors:
            self._factors[key] = self._pair(key[1])
        return minus, self._factors[key]

    def _vector(self, vector: Affine, poses: Poses, letters: str) -> Parts:
        """Return a vector with its derivatives; terms of one point are combined first, because rows share points."""
        terms, parts = dict(vector.terms), list[tuple[bool, Parts]]()
        for slot, factor in vector.terms:
            found = self._slot(slot, poses, letters)
            origin = slot < 2 * self.rows.links and slot % 2 == 0
            if origin and slot + 1 in terms:
                other, by = self._factor(slot + 1, terms[slot + 1] * factor.real)
                join = sub if other else add
                arms = self._slot(slot + 1, poses, letters)
                found = tuple(join(O, times(U, by)) for O, U in zip(found, arms, strict=True))
            elif slot < 2 * self.rows.links and slot % 2 == 1 and slot - 1 in terms:
                continue
            if origin:
                parts.append((factor.real < 0, found))
            else:
                minus, by = self._factor(slot, factor)
                parts.append((minus, tuple(times(pair, by) for pair in found)))
        if vector.const:
            minus, by = self._factor(-1, vector.const)
            parts.append((minus, (by, *[_NOTHING] * (len(letters) - 1))))
        total: Parts = (_NOTHING,) * len(letters)
        for minus, part in sorted(parts, key=lambda signed: signed[0]):
            total = tuple(map(sub if minus else add, total, part))
        return total

    def _values(self, poses: Poses, letters: str) -> list[Term]:
        """Return the scaled rows, or their derivative along all directions of the parts."""
        return [self._value(form, poses, letters) * weight for form, weight in self.weighted]

    def _value(self, form: Row | Curve, poses: Poses, letters: str) -> Term:
        if isinstance(form, Row):
            return self._product_row(form, poses, letters)
        near: Any = _Near(self, self._numbers.get(id(form), -1))
        relation = OnCurve(near) if curve_of(form) else form.relation
        return derivative(relation, *zip(*(self._vector(x, poses, letters) for x in _vectors(form)), strict=True))

    def _product_row(self, row: Row, poses: Poses, letters: str) -> Term:
        total: Term = 0.0
        for w, a, b in row.products:
            first = self._vector(a, poses, letters)
            half = len(first) // 2
            if a != b:
                second = [_turned_by(w, part) for part in self._vector(b, poses, letters)]
                total = total + product(dot, first, second)[-1]
            elif half:
                # The derivative of half the square along the last direction.
                total = total + 2.0 * w.real * product(dot, first[:half], first[half:])[-1]
            else:
                total = total + 2.0 * w.real * (0.5 * dot(first[0], first[0]))
        for number, factor in row.numbers:
            value = self.known[letters[-1]][self.rows.vectors + self.rows.scalars.index(number)][0]
            total = total - value if factor == -1 else total + factor * value
        return total + self._constant(row.constant) if len(letters) == 1 else total

    def _jacobian(self, here: Frames) -> list[dict[int, Term]]:
        """Return the derivatives of the scaled rows in O_x, O_y and theta of each link."""
        found: list[dict[int, Term]] = []
        for form, weight in self.weighted:
            row: dict[int, Term] = {}
            slots = (slot for vector in _vectors(form) for slot, _ in vector.terms)
            for link in sorted({slot // 2 for slot in slots if slot < 2 * self.rows.links}):
                units = (
                    (vector_of(1.0, 0.0), _NOTHING),
                    (vector_of(0.0, 1.0), _NOTHING),
                    (_NOTHING, turned(self.units[link])),
                )
                for part, rate in enumerate(units):
                    rates = [(_NOTHING, _NOTHING)] * self.rows.links
                    rates[link] = rate
                    term = self._value(form, [here, rates], "h0") * weight
                    if isinstance(term, Symbol) or term != 0:
                        row[3 * link + part] = term
            found.append(row)
        return found


@dataclass(frozen=True)
class _Near:
    """A curve near a pin, by the distance from it and its derivatives."""

    writer: _Writer
    number: int

    def distance(self, place: Vector) -> Jet:
        """Return the distance of the pin, a jet of up to two directions."""
        X, Y = (part.parts for part in place)
        d, nx, ny, hxx, hxy, hyy = (self.writer.graph.load(f"q{self.number}_{k}") for k in range(6))
        if len(X) == 1:
            self.writer.places[self.number] = vector_of(X[0], Y[0])
        parts = [d, *(nx * x + ny * y for x, y in zip(X[1:], Y[1:], strict=True))]
        if len(X) == 4:
            parts[3] = parts[3] + hxx * (X[1] * X[2]) + hxy * (X[1] * Y[2] + X[2] * Y[1]) + hyy * (Y[1] * Y[2])
        return Jet(parts)


def _vectors(form: Row | Curve) -> list[Affine]:
    found = [x for _, *both in form.products for x in both] if isinstance(form, Row) else form.vectors
    return [vector for vector in found if isinstance(vector, Affine)]


def _turned_by(w: complex, a: Pair) -> Pair:
    """Return a times w."""
    if w in (1j, -1j):
        return turned(a) if w == 1j else vector_of(a[1], -a[0])
    return a if w == 1 else a * w.real
