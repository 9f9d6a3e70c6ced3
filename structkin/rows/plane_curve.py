"""Smooth plane curves, and the signed distance of a point from one, with three derivatives.

A curve c(u) consists of lines, arcs and polynomials; u runs from 0 to 2 pi. A curve with two ends is extended by
straight lines. The distance of a point P is measured from its foot, the nearest point of the curve:

    g(u, P) = (P - c(u)) . c'(u) = 0
    d(P) = c'(u) x (P - c(u)) / |c'(u)|        positive to the left of the curve

So a pin on a curve is one equation d = 0 in the pin's position alone, as on a line or a circle, without u as an
additional unknown. The derivative of d with respect to u is zero at the foot: if u is correct to first order,
u_P = c' / (c'.c' - (P - c).c''), the derivatives of d are correct up to the third. They need c up to the fourth
derivative; on the curve itself, the third suffices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.numerical_tolerances import CLOSED, EQUAL_DATA
from structkin.rows.jet import Jet, Vector, length
from structkin.rows.periodic import TURN, Piecewise, in_one_turn
from structkin.types import Floats

if TYPE_CHECKING:
    from scipy.spatial import cKDTree


#: Minimum number of curve points used to find the foot, in all and per piece.
TABLE, ON_PIECE = 720, 8


#: Coordinates [m] whose squares overflow; the nearest point of the curve is not searched for these, nor for NaN.
FAR = 1e150

#: Newton steps to the nearest point on a piece, from that of a place beside.
STEPS = 4


@dataclass(frozen=True)
class Stretch:
    """Pieces (n,) of a curve, and at which `part` (n,) of each; -1 or 1 `beyond` (n,) the first end or the last."""

    piece: Any
    part: Any
    beyond: Any


@dataclass(frozen=True, eq=False)
class PlaneCurve:
    """A smooth curve x(u), y(u) [m] for u from 0 to 2 pi: both functions with the same breaks.

    >>> half = Piecewise(np.array([0.0, TURN]), np.zeros((1, 1)), np.array([[2.0, 0.5, np.pi / 2]]))
    >>> other = Piecewise(half.breaks, half.polynomials, np.array([[2.0, 0.5, 0.0]]))
    >>> arc = PlaneCurve(half, other, closed=False)
    >>> arc.foot(np.array([0.0]), np.array([3.0])).round(12) == np.round(np.pi, 12)
    array([ True])
    >>> round(arc.length, 12) == round(2 * np.pi, 12)
    True
    """

    x: Piecewise
    y: Piecewise
    closed: bool

    def at(self, u: Any, count: int = 1) -> list[Any]:
        """Return x and y (2, n) at u (n,), and their derivatives by u: `count` in all from that of order 0."""
        u = np.asarray(u)
        if self.closed:
            inside = in_one_turn(u)
            return self._on_piece(self.x.piece_at(inside.real), inside, count)
        inside = np.clip(u.real, 0.0, TURN)
        return self._extended(self.x.piece_at(inside), u, inside, np.abs(u.real - inside) > EQUAL_DATA, count)

    def _on_piece(self, piece: Any, u: Any, count: int) -> list[Any]:
        """Return x and y (2, n) with derivatives on given pieces."""
        t, both = np.stack((u - self.x.breaks[piece],) * 2), np.stack((piece, piece + len(self.x.breaks) - 1))
        return [self._both.on_piece(both, t, order) for order in range(count)]

    @cached_property
    def _both(self) -> Piecewise:
        """The pieces of x, followed by those of y."""
        polynomials, waves = (
            np.concatenate((getattr(self.x, name), getattr(self.y, name))) for name in ("polynomials", "waves")
        )
        return Piecewise(self.x.breaks, polynomials, waves)

    def _extended(self, piece: Any, u: Any, end: Any, straight: Any, count: int) -> list[Any]:
        """Return x and y (2, n) with derivatives: on pieces, where they go on `straight` (n,) on tangents."""
        found = self._on_piece(piece, np.where(straight, end, u), count)
        if straight.any():
            slope = found[1] if count > 1 else self._on_piece(piece, end, 2)[1]
            tangent = [found[0] + (u - end) * slope, slope, *(0.0 * slope,) * count]
            found = [np.where(straight, *both) for both in zip(tangent, found, strict=False)]
        return found

    def foot(self, x: Any, y: Any) -> Any:
        """Return u (n,) of the nearest point; below 0 or above 2 pi beyond the ends. Accepts complex steps."""
        x, y = np.broadcast_arrays(x, y)
        places = np.stack((np.real(x), np.real(y)), axis=-1)
        start = self.table[0][self._tree.query(np.where(np.abs(places) < FAR, places, 0.0))[1]]
        # An interior foot is next to its table point; beyond an end it may be anywhere.
        step = self.table[0][1]
        low, high = start - step, start + step
        if not self.closed:
            low, high = np.where(start == 0.0, -np.inf, low), np.where(start == TURN, np.inf, high)
        u = start + 0.0 * (x + y)
        for _ in range(12):
            (cx, cy), (tx, ty), (bx, by) = self.at(u, 3)
            speed = tx * tx + ty * ty
            slope = speed - (x - cx) * bx - (y - cy) * by
            # Near the centre of curvature many points are almost equally near: use the tangent.
            slope = np.where(np.real(slope) > 0.1 * np.real(speed), slope, speed)
            new = u + ((x - cx) * tx + (y - cy) * ty) / slope
            new = new + (np.clip(np.real(new), low, high) - np.real(new))
            moved, u = np.abs(new - u), new
            if not np.any(moved > CLOSED):
                break
        return u

    def distance(self, place: Vector, pieces: Stretch | None = None) -> Jet:
        """Return the signed distance of a point, a jet of up to three directions; from given pieces, if any."""
        X, Y = place
        directions = len(X.parts).bit_length() - 1
        count = max(directions, 1) + 2
        if pieces is None:
            u = self.foot(X.parts[0], Y.parts[0])
            curve = self.at(u, count)
        else:
            u, curve = self._on_stretch(X.parts[0], Y.parts[0], pieces, count)
        (cx, cy), (tx, ty), (bx, by) = curve[:3]
        slope = tx * tx + ty * ty - (X.parts[0] - cx) * bx - (Y.parts[0] - cy) * by
        rates = [
            (dx * tx + dy * ty) / slope if mask.bit_count() == 1 else 0.0 * u
            for mask, (dx, dy) in enumerate(zip(X.parts, Y.parts, strict=True))
        ]
        U = Jet([u, *rates[1:]])
        on, along = (
            [U.of([both[axis] for both in curve[order : order + directions + 1]]) for axis in (0, 1)]
            for order in (0, 1)
        )
        speed = length((along[0], along[1]))
        r = speed.parts[0]
        across = along[0] * (Y - on[1]) - along[1] * (X - on[0])
        return across * speed.of((1 / r, -1 / r**2, 2 / r**3, -6 / r**4))

    def stretch(self, x: Any, y: Any) -> Stretch:
        """Return on which pieces the points nearest to places (n,) [m] are, and where on these."""
        u = np.asarray(self.foot(x, y)).real
        inside = in_one_turn(u) if self.closed else np.clip(u, 0.0, TURN)
        piece, breaks = self.x.piece_at(inside), self.x.breaks
        return Stretch(piece, (inside - breaks[piece]) / (breaks[piece + 1] - breaks[piece]), np.sign(u - inside))

    def _on_stretch(self, x: Any, y: Any, on: Stretch, count: int) -> tuple[Any, list[Any]]:
        """Return u (n,) of the points nearest to places, and the curve there with derivatives, as `at` does.

        The pieces, and the lines beyond the ends, are extended as far as it takes.
        """
        beyond = (on.beyond != 0) & (not self.closed)
        start, end = self.x.breaks[on.piece], self.x.breaks[on.piece + 1]
        last = np.where(on.beyond > 0, end, start) + 0.0 * (x + y)
        u = np.where(beyond, last, start + (end - start) * on.part)
        for _ in range(STEPS):
            (cx, cy), (tx, ty), (bx, by) = self._extended(on.piece, u, last, beyond, 3)
            u = u + ((x - cx) * tx + (y - cy) * ty) / (tx * tx + ty * ty - (x - cx) * bx - (y - cy) * by)
        return u, self._extended(on.piece, u, last, beyond, count)

    def away(self, places: Any) -> Any:
        """Return the signed distance (n,) [m] of points x + iy (n,), positive to the left.

        >>> line = Piecewise(np.array([0.0, TURN]), np.array([[0.0, 1.0]]), np.zeros((1, 3)))
        >>> level = Piecewise(line.breaks, np.zeros((1, 2)), line.waves)
        >>> PlaneCurve(line, level, closed=False).away(np.array([9 + 2j, 1 - 3j])).tolist()
        [2.0, -3.0]
        """
        z = np.asarray(places)
        return self.distance((Jet([z.real]), Jet([z.imag]))).parts[0]

    @cached_property
    def length(self) -> float:
        """The length from end to end, or of the closed curve [m]."""
        return float(self._lengths[-1])

    def travel(self, u: Any) -> Any:
        """Return the length of the curve (n,) [m] from u = 0 to u, negative or above `length` beyond the ends.

        u may be complex: the length is continued analytically.
        """
        u = np.asarray(u)
        turns = np.floor(u.real / TURN) if self.closed else np.zeros(u.shape)
        inside = np.clip(u.real - TURN * turns, 0.0, TURN)
        beyond = u - TURN * turns - inside
        near = inside + np.where(np.abs(beyond.real) > EQUAL_DATA, 0.0, beyond)
        piece = self.x.piece_at(inside)
        tx, ty = self.at(inside, 2)[1]
        straight = (u - TURN * turns - near) * np.hypot(tx, ty)
        return self._lengths[piece] + self._between(self.x.breaks[piece], near) + straight + turns * self.length

    @cached_property
    def _lengths(self) -> Floats:
        breaks = self.x.breaks
        return np.concatenate(([0.0], np.cumsum(self._between(breaks[:-1], breaks[1:]))))

    def _between(self, a: Any, b: Any) -> Any:
        """Return the length from a to b (n,) on one piece each, by Gauss-Legendre quadrature."""
        nodes, weights = np.polynomial.legendre.leggauss(24)
        middle, half = (np.asarray(a) + b) / 2, (np.asarray(b) - a) / 2
        # The nodes lie inside their piece.
        tx, ty = self.at(middle[..., None] + half[..., None] * nodes, 2)[1]
        return half * (np.sqrt(tx * tx + ty * ty) @ weights)

    def curvature(self, piece: int, t: float) -> float:
        """Return the curvature [1/m] on a piece, positive to the left, at t from its start."""
        (dx, dy), (ddx, ddy) = (
            [float(f.on_piece(piece, np.asarray(t), order)) for f in (self.x, self.y)] for order in (1, 2)
        )
        return float(_bend(dx, dy, ddx, ddy))

    def curvatures(self, u: Any) -> Any:
        """Return the curvatures [1/m] at u (n,), positive to the left."""
        first, second = self.at(u, 3)[1:]
        return _bend(*first, *second)

    def places(self, count: int = TABLE) -> Any:
        """Return points (count + 1,) [m] of the curve as x + iy, from end to end."""
        x, y = self.at(np.linspace(0.0, TURN, count + 1))[0]
        return x + 1j * y

    @cached_property
    def table(self) -> tuple[Floats, Floats]:
        """Points of the curve, uniform in u: the values of u (k,), and x and y (k, 2)."""
        count = max(TABLE, ON_PIECE * (len(self.x.breaks) - 1))
        u = np.linspace(0.0, TURN, count + 1)[: count + (not self.closed)]
        return u, self.at(u)[0].T

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree

        return cKDTree(self.table[1])


def _bend(dx: Any, dy: Any, ddx: Any, ddy: Any) -> Any:
    """Return the curvature of a curve with these derivatives by its parameter."""
    return (dx * ddy - dy * ddx) / np.hypot(dx, dy) ** 3
