"""Rows of cams and Geneva wheels: functions of angles and distances, differentiated as jets.

Such a row is a relation F of a few points and directions, each affine in the variables: Phi = F(L x + c). Its
derivatives by these few are those of the same `CamRow` that the general group takes (`structkin.groups.cam_rows`);
the chain rule with the constant L gives the rest:

    Phi_x = F_y L,    second derivative along v and w = F_yy (L v, L w)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.quadrics import Quadric
from structkin.groups.jet import Jet
from structkin.groups.periodic import Function

Ints = NDArray[np.intp]
#: The two components of a vector, each a row without squares.
Pair = tuple[Quadric, Quadric]


class CurveRelation(Protocol):
    """A scalar function of points (p, 2, n) and directions (d, 2, n), given with their derivatives as parts of jets."""

    def value(self, points: Sequence[Any], directions: Sequence[Any]) -> Jet:
        """Return the row and its derivatives."""


@dataclass(frozen=True, eq=False)
class Stepped:
    """t + f(s) of two turns, (s, t) in the place of the only point: a Geneva wheel."""

    function: Function

    def value(self, points: Sequence[Any], directions: Sequence[Any]) -> Jet:
        """Return the row and its derivatives."""
        s, t = (Jet([part[0, k] for part in points]) for k in (0, 1))
        return t + s.follow(self.function)


@dataclass(frozen=True)
class Curve:
    """One row while it is written."""

    relation: CurveRelation
    points: tuple[Pair, ...]
    directions: tuple[Pair, ...] = ()


class _One:
    """A row with the constant map L from the variables to its points and directions."""

    def __init__(self, curve: Curve, width: int) -> None:
        from scipy.sparse import csr_array

        self.relation, self.points = curve.relation, len(curve.points)
        parts = [part for pair in (*curve.points, *curve.directions) for part in pair]
        self.columns = sorted({column for part in parts for column in part.linear})
        self.factors = np.array([[part.linear.get(column, 0.0) for column in self.columns] for part in parts])
        self.constant = np.array([part.constant for part in parts])[:, None]
        rows, columns = np.nonzero(self.factors)
        entries = self.factors[rows, columns], (rows, np.array(self.columns, np.intp)[columns])
        self.map = csr_array(entries, shape=(len(parts), width))

    def value(self, *parts: Any) -> Jet:
        """Return the relation of features (2 k, ..., n) and their derivatives."""
        shaped = [part.reshape(-1, 2, *part.shape[1:]) for part in parts]
        return self.relation.value([part[: self.points] for part in shaped], [part[self.points :] for part in shaped])

    def gradient(self, x: Any) -> Any:
        """Return Phi_x (columns, n) at x (width, n)."""
        y = self.map @ x + self.constant
        # Each feature moved by itself, (2 k, 2 k, 1), at one evaluation of the function.
        rates = self.value(y[:, None], np.eye(len(y))[:, :, None]).parts[1]
        return self.factors.T @ np.broadcast_to(rates, y.shape)


class Curves:
    """Rows of this form one by one; entry e of Phi_x is in row `rows[e]` and column `columns[e]`."""

    def __init__(self, written: list[Curve], width: int) -> None:
        """Take the rows in `width` variables."""
        self.count = len(written)
        self._each = [_One(curve, width) for curve in written]
        self.rows = np.repeat(np.arange(self.count), [len(one.columns) for one in self._each]).astype(np.intp)
        self.columns = np.array([column for one in self._each for column in one.columns], np.intp)

    def jacobian(self, x: Any) -> Any:
        """Return the entries of Phi_x (entries, n) at x (width, n)."""
        return np.concatenate([one.gradient(x) for one in self._each])

    def phi(self, x: Any, jacobian: Any) -> Any:
        """Return Phi (count, n) at x."""
        values = [one.value(one.map @ x + one.constant).parts[0] for one in self._each]
        return np.stack([np.broadcast_to(value, x.shape[1:]) for value in values])

    def bend(self, x: Any, v: Any, w: Any) -> Any:
        """Return the second derivative (count, n) along v and w (width, n) at x."""
        found = []
        for one in self._each:
            y = one.map @ x + one.constant
            parts = one.value(y, one.map @ v, one.map @ w, np.zeros_like(y)).parts
            found.append(np.broadcast_to(parts[-1], x.shape[1:]))
        return np.stack(found)
