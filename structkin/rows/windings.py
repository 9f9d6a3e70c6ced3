"""Rows with the cosine and the sine of a turn: what ties a counted angle to a direction, and circles that roll.

A unit vector does not hold whole turns, which gears multiply; a link that they turn has its turn s since the sketch as
a coordinate as well, tied to its direction by U x (U_0 E(s)) = 0 with E(s) = (cos s, sin s). All such rows have the
form

    Phi = C cos s + S sin s + N,    C, S, N and s affine in the variables

and are evaluated together over lanes. Only these rows of a mechanism have derivatives of every order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.rows.affine import Affine
from structkin.rows.matrix import Matrix
from structkin.rows.quadrics import Quadric

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Winding:
    """One row C cos s + S sin s + N while it is written; all four are rows without squares."""

    turn: Quadric
    cosine: Quadric = field(default_factory=Quadric)
    sine: Quadric = field(default_factory=Quadric)
    rest: Quadric = field(default_factory=Quadric)

    @classmethod
    def tie(cls, direction: Affine, turn: Mapping[int, float]) -> Winding:
        """Return the row direction x E(s) = 0, where the direction is (1, 0) in the sketch."""
        x, y = (Quadric.part(direction, axis) for axis in (0, 1))
        return cls(Quadric(linear=dict(turn)), cosine=y.times(-1.0), sine=x)

    @classmethod
    def along(cls, way: Affine, length: float, turn: Mapping[int, float]) -> tuple[Winding, Winding]:
        """Return the two rows way - length E(s) = 0, where the way is (length, 0) in the sketch."""
        s, arm = Quadric(linear=dict(turn)), Quadric(constant=-length)
        return (
            cls(s, cosine=arm, rest=Quadric.part(way, 0)),
            cls(s, sine=arm, rest=Quadric.part(way, 1)),
        )


class Windings:
    """Rows of this form as arrays; entry e of Phi_x is in row `rows[e]` and column `columns[e]`."""

    def __init__(self, written: list[Winding], width: int) -> None:
        """Take the rows in `width` variables."""
        self.count = len(written)
        places = [
            (k, column)
            for k, row in enumerate(written)
            for column in sorted({c for part in self._parts(row) for c in part.linear})
        ]
        self.rows = np.array([row for row, _ in places], np.intp)
        self.columns = np.array([column for _, column in places], np.intp)
        #: The factors of s, C, S and N at each entry, and their constants.
        self._factors: list[Floats] = []
        self._constants: list[Floats] = []
        self._maps: list[Matrix] = []
        for part in range(4):
            quadrics = [self._parts(row)[part] for row in written]
            factors = np.array([quadrics[k].linear.get(column, 0.0) for k, column in places])
            self._factors.append(factors[:, None])
            self._constants.append(np.array([row.constant for row in quadrics])[:, None])
            self._maps.append(Matrix(factors, self.rows, self.columns, (self.count, width)))

    @staticmethod
    def _parts(row: Winding) -> tuple[Quadric, Quadric, Quadric, Quadric]:
        return row.turn, row.cosine, row.sine, row.rest

    def _at(self, x: Any) -> tuple[Any, Any, Any, Any, Any]:
        s, C, S, N = (matrix @ x + zero for matrix, zero in zip(self._maps, self._constants, strict=True))
        return np.cos(s), np.sin(s), C, S, N

    def jacobian(self, x: Any) -> Any:
        """Return the entries of Phi_x (entries, n) at x (width, n)."""
        cos, sin, C, S, _ = self._at(x)
        s_x, C_x, S_x, N_x = self._factors
        at = self.rows
        return C_x * cos[at] + S_x * sin[at] + N_x + s_x * (S * cos - C * sin)[at]

    def phi(self, x: Any, jacobian: Any) -> Any:
        """Return Phi (count, n) at x."""
        cos, sin, C, S, N = self._at(x)
        return C * cos + S * sin + N

    def bend(self, x: Any, v: Any, w: Any) -> Any:
        """Return the second derivative (count, n) along v and w (width, n) at x."""
        cos, sin, C, S, _ = self._at(x)
        (s_v, C_v, S_v, _), (s_w, C_w, S_w, _) = ([matrix @ y for matrix in self._maps] for y in (v, w))
        mixed = (S_v * cos - C_v * sin) * s_w + (S_w * cos - C_w * sin) * s_v
        return mixed - (C * cos + S * sin) * s_v * s_w

    def third(self, x: Any, v: Any) -> Any:
        """Return the third derivative (count, n) along v (width, n) at x."""
        cos, sin, C, S, _ = self._at(x)
        s_v, C_v, S_v, _ = (matrix @ v for matrix in self._maps)
        return s_v**2 * (s_v * (C * sin - S * cos) - 3 * (C_v * cos + S_v * sin))
