"""Rows that are not polynomials: relations between a few vectors, differentiated with jets.

Such a row is a relation F of a few vectors, each affine in the variables: Phi = F(L x + c). The derivatives of F are
computed with jets; the chain rule with the constant L gives the rest:

    Phi_x = F_y L,    second derivative along v and w = F_yy (L v, L w)

Rows of one relation are evaluated together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.rows.affine import Affine
from structkin.rows.lane_matrix import Matrix
from structkin.rows.quadrics import Quadric
from structkin.rows.relations import Relation, derivative
from structkin.rows.row import Row
from structkin.types import Floats

#: A vector, or two numbers instead.
Vector = Affine | tuple[Row, Row]


@dataclass(frozen=True)
class Curve:
    """One row while it is written: a relation between vectors."""

    relation: Relation
    vectors: tuple[Vector, ...]

    @classmethod
    def of(cls, relation: Relation, *vectors: Vector) -> Curve:
        """Return the row of a relation between these vectors."""
        return cls(relation, vectors)

    def components(self, slots: int) -> list[Quadric]:
        """Return the components of all vectors as linear rows."""
        pairs = (
            (Row.part(vector, 0), Row.part(vector, 1)) if isinstance(vector, Affine) else vector
            for vector in self.vectors
        )
        return [Quadric(row, slots) for pair in pairs for row in pair]


class _Alike:
    """Rows of one relation, with the constant map L from the variables to the components of their vectors.

    Components are numbered (component, row), so that those of all rows are adjacent.
    """

    def __init__(self, written: Sequence[Curve], width: int, slots: int) -> None:
        self.relation, self.count = written[0].relation, len(written)
        parts = [curve.components(slots) for curve in written]
        self.components = len(parts[0])
        self.constant = np.array([[part.constant] for beside in zip(*parts, strict=True) for part in beside])
        self.rows: list[int] = []
        self.columns: list[int] = []
        factors: list[tuple[float, int, int, int]] = []
        for row, mine in enumerate(parts):
            used = sorted({column for part in mine for column in part.linear})
            place = {column: len(self.columns) + k for k, column in enumerate(used)}
            self.rows += [row] * len(used)
            self.columns += used
            factors += [
                (factor, component * self.count + row, column, place[column])
                for component, part in enumerate(mine)
                for column, factor in part.linear.items()
            ]
        values, component, column, entry = zip(*factors, strict=True)
        self.map = Matrix(values, component, column, (len(self.constant), width))
        self._back = Matrix(values, entry, component, (len(self.columns), len(self.constant)))

    def at(self, x: Any) -> Any:
        """Return the vectors (k, 2, rows, n) at x (width, n)."""
        return self._shaped(self.map @ x + self.constant)

    def along(self, v: Any) -> Any:
        """Return their rates (k, 2, rows, n) along v (width, n)."""
        return self._shaped(self.map @ v)

    def _shaped(self, y: Any) -> Any:
        return y.reshape(self.components // 2, 2, self.count, y.shape[-1])

    def derivative(self, n: int, *parts: Any) -> Any:
        """Return the derivative (rows, n) along all directions of the parts."""
        return np.broadcast_to(derivative(self.relation, *parts), (self.count, n))

    def gradient(self, x: Any) -> Any:
        """Return Phi_x (entries, n) at x (width, n)."""
        # Vary each component separately, with one evaluation of the function.
        moved = np.eye(self.components).reshape(-1, 2, self.components, 1, 1)
        rates = derivative(self.relation, self.at(x)[:, :, None], moved)
        shape = (self.components, self.count, x.shape[1])
        return self._back @ np.broadcast_to(rates, shape).reshape(self.components * self.count, x.shape[1])


class Curves:
    """Rows of this form; entry e of Phi_x is in row `rows[e]` and column `columns[e]`."""

    def __init__(self, written: Sequence[Curve], units: Floats, slots: int) -> None:
        """Take the rows in variables of these sizes (width,), vectors in the first `slots`."""
        self.count = len(written)
        of_relation: dict[Relation, list[int]] = {}
        for number, curve in enumerate(written):
            of_relation.setdefault(curve.relation, []).append(number)
        self._parts = [
            (np.array(mine), _Alike([written[k] for k in mine], len(units), slots)) for mine in of_relation.values()
        ]
        self.rows = np.concatenate([mine[part.rows] for mine, part in self._parts])
        self.columns = np.concatenate([part.columns for _, part in self._parts])

    def jacobian(self, x: Any) -> Any:
        """Return the entries of Phi_x (entries, n) at x (width, n)."""
        return np.concatenate([part.gradient(x) for _, part in self._parts])

    def phi(self, x: Any, jacobian: Any) -> Any:
        """Return Phi (count, n) at x."""
        return self._spread([part.derivative(x.shape[1], part.at(x)) for _, part in self._parts])

    def second_derivative(self, x: Any, v: Any, w: Any) -> Any:
        """Return the second derivative (count, n) along v and w (width, n) at x."""
        found = []
        for _, part in self._parts:
            y, dy = part.at(x), part.along(v)
            found.append(part.derivative(x.shape[1], y, dy, part.along(w), np.zeros_like(dy)))
        return self._spread(found)

    def third(self, x: Any, v: Any) -> Any:
        """Return the third derivative (count, n) along v (width, n) at x."""
        found = []
        for _, part in self._parts:
            y, dy = part.at(x), part.along(v)
            none = np.zeros_like(dy)
            found.append(part.derivative(x.shape[1], y, dy, dy, none, dy, none, none, none))
        return self._spread(found)

    def _spread(self, found: list[Any]) -> Any:
        out = np.empty((self.count, found[0].shape[1]), np.result_type(*found))
        for (mine, _), values in zip(self._parts, found, strict=True):
            out[mine] = values
        return out
