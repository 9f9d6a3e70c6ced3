"""Rows with the cosine and the sine of an angle: counted angles coupled to directions, and rolling circles.

A unit vector does not count full turns, which matter for gears. So a link driven by gears also has its rotation s from
the sketch as a coordinate, coupled to its direction by U x (U_0 E(s)) = 0 with E(s) = (cos s, sin s). All such rows
have the form

    Phi = C cos s + S sin s + N,    C, S, N and s affine in the variables

and are evaluated together over lanes. Only these rows of a mechanism have derivatives of every order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.rows.affine import Affine
from structkin.rows.lane_matrix import Matrix
from structkin.rows.quadrics import Quadric
from structkin.rows.row import Row
from structkin.types import Floats

NONE = Row()


@dataclass(frozen=True)
class TrigRow:
    """One row C cos s + S sin s + N; all four are rows without squares."""

    turn: Row
    cosine: Row = NONE
    sine: Row = NONE
    rest: Row = NONE

    @classmethod
    def tie(cls, direction: Affine, turn: Row) -> TrigRow:
        """Return the row direction x E(s) = 0, for a direction that is (1, 0) in the sketch."""
        return cls(turn, cosine=Row.part(direction, 1).times(-1.0), sine=Row.part(direction, 0))

    @classmethod
    def along(cls, vector: Affine, length: float, turn: Row) -> tuple[TrigRow, TrigRow]:
        """Return the two rows vector - length E(s) = 0, for a `vector` that is (length, 0) in the sketch."""
        arm = Row(constant=-length)
        return cls(turn, cosine=arm, rest=Row.part(vector, 0)), cls(turn, sine=arm, rest=Row.part(vector, 1))


class TrigRows:
    """Rows of this form as arrays; entry e of Phi_x is in row `rows[e]` and column `columns[e]`."""

    def __init__(self, written: Sequence[TrigRow], units: Floats, slots: int) -> None:
        """Take the rows in variables of these sizes (width,), vectors in the first `slots`."""
        parts = [[Quadric(part, slots) for part in (w.turn, w.cosine, w.sine, w.rest)] for w in written]
        places = [
            (k, column) for k, row in enumerate(parts) for column in sorted({c for part in row for c in part.linear})
        ]
        self.rows = np.array([row for row, _ in places], np.intp)
        self.columns = np.array([column for _, column in places], np.intp)
        #: The factors of s, C, S and N at each entry, and their constants.
        self._factors: list[Floats] = []
        self._constants: list[Floats] = []
        self._maps: list[Matrix] = []
        for quadrics in zip(*parts, strict=True):
            factors = np.array([quadrics[k].linear.get(column, 0.0) for k, column in places])
            self._factors.append(factors[:, None])
            self._constants.append(np.array([row.constant for row in quadrics])[:, None])
            self._maps.append(Matrix(factors, self.rows, self.columns, (len(written), len(units))))

    def arrays(self) -> dict[str, Any]:
        """Return the data of the rows for compiled code: s, C, S and N, and where the entries of each row start."""
        return {
            "trig_factor": np.concatenate(self._factors, axis=1),
            "trig_zero": np.concatenate(self._constants, axis=1),
            "trig_ptr": np.searchsorted(self.rows, np.arange(len(self._constants[0]) + 1)),
        }

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

    def second_derivative(self, x: Any, v: Any, w: Any) -> Any:
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
