"""The rows of a general group as formulas: what they are, their Jacobian, and their derivatives in time.

The same equations as in `structkin.groups.general`, with symbols for the inputs, the poses and the constants. Rows
are weighed as there, so that each is of the order of a length; the unknowns are O_x, O_y and theta of each link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from structkin.groups import Rows
from structkin.kinematics.kernels.elimination import Elimination
from structkin.kinematics.kernels.symbols import Graph, Symbol, Term

Pair = tuple[Term, Term]
#: A quantity, and as many of its derivatives in time as are known.
Jet = tuple[Pair, ...]

_NOTHING: Pair = (0.0, 0.0)


def _dot(a: Pair, b: Pair) -> Term:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Pair, b: Pair) -> Term:
    return a[0] * b[1] - a[1] * b[0]


def _times(a: Pair, b: Pair) -> Pair:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _turned(a: Pair) -> Pair:
    return -a[1], a[0]


def _plus(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def _scaled(a: Pair, factor: Term) -> Pair:
    return a[0] * factor, a[1] * factor


def _minus(a: Jet, b: Jet) -> Jet:
    return tuple((p[0] - q[0], p[1] - q[1]) for p, q in zip(a, b, strict=True))


def _last(form: Callable[[Pair, Pair], Term], a: Jet, b: Jet) -> Term:
    """Return the last derivative that is known of a bilinear form."""
    if len(a) == 1:
        return form(a[0], b[0])
    if len(a) == 2:
        return form(a[1], b[0]) + form(a[0], b[1])
    return form(a[2], b[0]) + 2.0 * form(a[1], b[1]) + form(a[0], b[2])


def _half_square(a: Jet) -> Term:
    """Return the last derivative that is known of half the square of a length."""
    if len(a) == 1:
        return 0.5 * _dot(a[0], a[0])
    return _dot(a[1], a[0]) if len(a) == 2 else _dot(a[2], a[0]) + _dot(a[1], a[1])


@dataclass(frozen=True)
class Formulas:
    """What kernels of a group compute; `constants` are the numbers of c0, c1, ...

    Values are named h (inputs that move), s (the pose: O_x, O_y, U_x, U_y of each link), d and e (first and second
    derivatives of the inputs). `corrected` is the pose after one step of Newton's method, `change` the square
    of that step over the group's size. `side` has the sign of the determinant of the scaled Jacobian but for a constant
    sign, and the size of its triangle's diagonal, as the inverse of the root of the sum of inverse squares: of the
    order of its smallest singular value. `ahead` is the pose moved along its tangent by the inputs' d; `first` and
    `second` are its derivatives in time.
    """

    graph: Graph
    constants: tuple[float, ...]
    corrected: tuple[Term, ...]
    change: Term
    side: Term
    ahead: tuple[Term, ...]
    first: tuple[Term, ...]
    second: tuple[Term, ...]


def formulas(rows: Rows, known: Sequence[complex | float | None]) -> Formulas | None:
    """Return the formulas of a group; `known` holds the constants among its inputs, None for those that move.

    None for groups that are not square, or hold gears or cams: their angles are more than a direction.
    """
    if rows.count != 3 * rows.links or rows.turns or rows.gears or rows.cams:
        return None
    try:
        return _Writer(rows, known).formulas()
    except ValueError:
        return None


class _Writer:
    def __init__(self, rows: Rows, known: Sequence[complex | float | None]) -> None:
        self.rows, self.graph, self.constants = rows, Graph(), list[float]()
        self.origins = [self._load("s", 4 * k) for k in range(rows.links)]
        self.units = [self._load("s", 4 * k + 2) for k in range(rows.links)]
        self.known: dict[str, list[Pair]] = {"h": [], "d": [], "e": []}
        moving = 0
        for j, value in enumerate(known):
            width = 2 if j < rows.vectors else 1
            for letter, found in self.known.items():
                if value is None:
                    pair = self._load(letter, moving) if width == 2 else (self.graph.load(f"{letter}{moving}"), 0.0)
                elif letter == "h":
                    pair = self._pair(complex(value)) if width == 2 else (self._constant(float(value.real)), 0.0)
                else:
                    pair = _NOTHING
                found.append(pair)
            moving += width if value is None else 0

    def _load(self, letter: str, first: int) -> Pair:
        return self.graph.load(f"{letter}{first}"), self.graph.load(f"{letter}{first + 1}")

    def _constant(self, value: float) -> Term:
        """Return a symbol for a number; those that change the formulas by their value stay numbers."""
        if value in (0.0, 1.0, -1.0):
            return value
        self.constants.append(value)
        return self.graph.load(f"c{len(self.constants) - 1}")

    def _pair(self, value: complex) -> Pair:
        return self._constant(value.real), self._constant(value.imag)

    def formulas(self) -> Formulas:
        rows, m = self.rows, self.rows.links
        still = [(_NOTHING, _NOTHING)] * m
        here: list[tuple[Pair, Pair]] = list(zip(self.origins, self.units, strict=True))
        self.locals = [self._pair(local) for _, local in rows.points]
        self.factors = [self._pair(factor) for _, factor, _ in rows.directions]
        self.size, self.weight = self._constant(rows.size), self._constant(1 / rows.size)
        reaches = rows.reaches or (rows.size,) * len(rows.distances)
        self.reaches = [self._constant(1 / reach) for reach in reaches]
        self.offsets = [self._constant(line[3]) for line in rows.lines]
        self.starts = [self._constant(travel[3]) for travel in rows.travels]
        values = self._values([here], "h")
        system = Elimination(self._jacobian(here))
        # What is left of the rows is what the step takes away.
        step = [-term for term in system.solve(values)]
        change: Term = 0.0
        for k in range(m):
            dx, dy, turn = step[3 * k : 3 * k + 3]
            dx, dy = dx * self.weight, dy * self.weight
            # Directions that are no unit vectors yet close another group than that of the links.
            excess = _dot(self.units[k], self.units[k]) - 1.0
            change = change + (dx * dx + dy * dy + turn * turn + excess * excess)
        moved = [-term for term in system.solve(self._values([here, still], "hd"))]
        rates = [
            ((moved[3 * k], moved[3 * k + 1]), _scaled(_turned(self.units[k]), moved[3 * k + 2])) for k in range(m)
        ]
        bent = [(_NOTHING, _scaled(self.units[k], -(moved[3 * k + 2] * moved[3 * k + 2]))) for k in range(m)]
        more = [-term for term in system.solve(self._values([here, rates, bent], "hde"))]
        second = [
            ((more[3 * k], more[3 * k + 1]), _plus(_scaled(_turned(self.units[k]), more[3 * k + 2]), bent[k][1]))
            for k in range(m)
        ]
        side: Term = 1.0
        for term in system.signed:
            side = side * term
        if not isinstance(side, Symbol):
            raise ValueError("a group without a pose of its own")
        weak: Term = 0.0
        for column, term in system.diagonal:
            # The columns of angles are larger than the others by the size.
            inverse = (self.size if column % 3 == 2 else 1.0) / term
            weak = weak + inverse * inverse
        side = side / np.sqrt(side * side * weak)
        return Formulas(
            self.graph,
            tuple(self.constants),
            self._after(step),
            change,
            side,
            self._after(moved),
            tuple(term for O, U in rates for pair in (O, U) for term in pair),
            tuple(term for O, U in second for pair in (O, U) for term in pair),
        )

    def _after(self, step: Sequence[Term]) -> tuple[Term, ...]:
        """Return the pose after a step (dO_x, dO_y, dtheta) of each link; its directions are made unit vectors."""
        found: list[Term] = []
        for k, (O, U) in enumerate(zip(self.origins, self.units, strict=True)):
            dx, dy, turn = step[3 * k : 3 * k + 3]
            x, y = _plus(U, _scaled(_turned(U), turn))
            inverse = 1.0 / np.sqrt(x * x + y * y)
            found += [O[0] + dx, O[1] + dy, x * inverse, y * inverse]
        return tuple(found)

    # --- points, directions, rows -------------------------------------------------------------------------

    def _point(self, index: int, orders: Sequence[Sequence[tuple[Pair, Pair]]], letters: str) -> Jet:
        source = self.rows.points[index][0]
        if source < 0:
            return tuple(self.known[letter][-1 - source] for letter in letters)
        return tuple(_plus(links[source][0], _times(links[source][1], self.locals[index])) for links in orders)

    def _direction(self, index: int, orders: Sequence[Sequence[tuple[Pair, Pair]]], letters: str) -> Jet:
        source, _, turner = self.rows.directions[index]
        if source < 0:
            plain: Jet = tuple(_times(self.known[letter][-1 - source], self.factors[index]) for letter in letters)
        else:
            plain = tuple(_times(links[source][1], self.factors[index]) for links in orders)
        if turner < 0:
            return plain
        by: Jet = tuple(self.known[letter][turner] for letter in letters)
        result = [_times(plain[0], by[0])]
        if len(plain) > 1:
            result.append(_plus(_times(plain[1], by[0]), _times(plain[0], by[1])))
        if len(plain) > 2:
            mixed = _scaled(_times(plain[1], by[1]), 2.0)
            result.append(_plus(_plus(_times(plain[2], by[0]), mixed), _times(plain[0], by[2])))
        return tuple(result)

    def _scalar(self, index: int, letter: str) -> Term:
        return 0.0 if index < 0 else self.known[letter][self.rows.vectors + index][0]

    def _values(self, orders: Sequence[Sequence[tuple[Pair, Pair]]], letters: str) -> list[Term]:
        """Return the rows, or their last derivative for which `orders` are given, weighed."""
        rows, last, only = self.rows, letters[-1], len(orders) == 1

        def point(index: int) -> Jet:
            return self._point(index, orders, letters)

        def direction(index: int) -> Jet:
            return self._direction(index, orders, letters)

        found: list[Term] = []
        for i, j in rows.pins:
            found += _minus(point(i), point(j))[-1]
        found += [self.size * _last(_cross, direction(i), direction(j)) for i, j in rows.parallels]
        for (d, i, j, _), e in zip(rows.lines, self.offsets, strict=True):
            value = _last(_cross, direction(d), _minus(point(j), point(i)))
            found.append(value - e if only else value)
        for (d, i, j, _, s), start in zip(rows.travels, self.starts, strict=True):
            value = _last(_dot, direction(d), _minus(point(j), point(i))) - self._scalar(s, last)
            found.append(value - start if only else value)
        for (i, j, s), weight in zip(rows.distances, self.reaches, strict=True):
            gap = _minus(point(j), point(i))
            found.append((_half_square(gap) - self._scalar(s, last)) * weight)
        return found

    def _jacobian(self, here: Sequence[tuple[Pair, Pair]]) -> list[dict[int, Term]]:
        """Return the derivatives of the weighed rows by O_x, O_y and theta of each link."""
        rows = self.rows
        found: list[dict[int, Term]] = []

        def add(row: dict[int, Term], column: int, term: Term) -> None:
            row[column] = row[column] + term if column in row else term

        def arm(index: int) -> Pair:
            return _turned(_times(self.units[rows.points[index][0]], self.locals[index]))

        def by_points(row: dict[int, Term], slope: Pair, i: int, j: int) -> dict[int, Term]:
            """Add the derivative of a row by P_j - P_i."""
            for index, way in ((j, slope), (i, (-slope[0], -slope[1]))):
                link = rows.points[index][0]
                if link >= 0:
                    add(row, 3 * link, way[0])
                    add(row, 3 * link + 1, way[1])
                    add(row, 3 * link + 2, _dot(way, arm(index)))
            return {column: term for column, term in row.items() if isinstance(term, Symbol) or term != 0}

        for i, j in rows.pins:
            found += [by_points({}, (-1.0, 0.0), i, j), by_points({}, (0.0, -1.0), i, j)]
        for i, j in rows.parallels:
            aligned = self.size * _dot(self._direction(i, [here], "h")[0], self._direction(j, [here], "h")[0])
            row: dict[int, Term] = {}
            for index, term in ((i, -aligned), (j, aligned)):
                if rows.directions[index][0] >= 0:
                    add(row, 3 * rows.directions[index][0] + 2, term)
            found.append({column: term for column, term in row.items() if isinstance(term, Symbol) or term != 0})
        guided = [(line[:3], True) for line in rows.lines] + [(travel[:3], False) for travel in rows.travels]
        for (d, i, j), square in guided:
            (D,) = self._direction(d, [here], "h")
            (gap,) = _minus(self._point(j, [here], "h"), self._point(i, [here], "h"))
            row = {}
            if rows.directions[d][0] >= 0:
                add(row, 3 * rows.directions[d][0] + 2, -_dot(D, gap) if square else _cross(D, gap))
            found.append(by_points(row, _turned(D) if square else D, i, j))
        for (i, j, _), weight in zip(rows.distances, self.reaches, strict=True):
            (gap,) = _minus(self._point(j, [here], "h"), self._point(i, [here], "h"))
            found.append(by_points({}, _scaled(gap, weight), i, j))
        return found
