"""The travel or angle of a follower on the carrier of the cam's shaft, as a function of the angle of a profile cam.

The unknown is the polar angle u of the contact on the profile R(u). In the carrier's frame, with the cam rotated by a,
the roller's centre (or edge) is at Q and the profile point at P with the unit normal N. One equation G(u, a) = 0
remains, and the follower's position x follows from u:

    roller, translating     (Q - T) x d = 0                   x = (Q - T) . d
    roller, oscillating     |Q - H|^2 = r^2                   x = angle from the arm to Q - H
    face, translating       N x n = 0                         x = (P - T) . n / (d . n)
    face, oscillating       (P - H) . N = h                   x = angle from the face's normal to N

with T the contact point and n the face's normal at x = 0, d the direction of travel, H the follower's pin, r its arm
and h the face's distance from the pin. Newton's method starts from a table over one turn, computed from the sketch by
continuation; if the contact becomes singular or is lost during the turn, there is no table, and the follower is not a
function of the cam angle. Derivatives follow by implicit differentiation with jets; everything accepts complex steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from structkin.numerical_tolerances import RESIDUAL, ROUNDING, ROUNDING_OF_FEW, SAME_SOLVED, WHOLE
from structkin.rows.jet import Jet, Vector, angle, length
from structkin.rows.periodic import TURN, Function, derivatives

from .kind import Array

#: Number of table points per turn, and the smallest relative slope of the equation that counts as regular.
TABLE, REGULAR = 720, 0.05
#: Number of points computed one after the other before the table is filled.
WALKED = 90
#: Maximum Newton steps at a table point, and Newton steps from a point between two of them.
TRIES, STEPS = 20, 3
#: Largest step of the contact [rad] between table points.
FAR = 0.1
#: Calls with at most this many angles are cached.
FEW = 64
#: How close the first point has to be to the sketch, in radians or fractions of the profile's radius.
SKETCH = 0.05


@dataclass(frozen=True, eq=False)
class ProfileFollower:
    """Travel [m], or angle [rad], of a follower as a function of the cam's angle relative to the carrier.

    Positions are complex numbers. `centre` is the profile's centre relative to the shaft, in the cam's frame; `shaft`
    is the shaft in the carrier's frame. `touch` is the roller's centre, the edge or a point of the face: at travel 0 in
    the carrier's frame, or, for an oscillating follower, relative to its pin `hinge` in its own frame; likewise the
    `normal` of the face. `start` is the cam's angle and the follower's position in the sketch.

    >>> circle = lambda u, order=0: 2.0 + 0 * u if order == 0 else 0 * u
    >>> lift = ProfileFollower(circle, 0.5j, 0j, 3j, direction=1j, start=(0.0, -0.5))
    >>> x = np.array([0.0, np.pi / 2, np.pi])
    >>> lift.is_single_valued, lift(x).round(6).tolist(), lift(x, 1).round(6).tolist()
    (True, [-0.5, -1.063508, -1.5], [-0.0, -0.5, -0.0])
    """

    profile: Function
    centre: complex
    shaft: complex
    touch: complex
    direction: complex = 0j
    hinge: complex | None = None
    normal: complex | None = None
    radius: float = 0.0
    start: tuple[float, float] = (0.0, 0.0)
    _recent: dict[Any, list[Any]] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, angle: Any, order: int = 0) -> Any:
        """Return the position of the follower (n,), or its derivative of this order (up to 3), at angles (n,)."""
        return self.together(angle, order + 1)[order]

    def together(self, angle: Any, count: int) -> list[Any]:
        """Return the first `count` derivatives at once, up to four: the contact is computed only once."""
        x = np.asarray(angle)
        if x.size > FEW:
            return self._found(x, count)
        # A simulation requests value, first and second derivative of one pose one after the other.
        key = x.shape, x.dtype, x.tobytes()
        known = self._recent.get(key, [])
        if len(known) < count:
            known = self._found(x, max(count, 3))
            self._recent.clear()
            self._recent[key] = known
        return known[:count]

    def _found(self, angle: Any, count: int) -> list[Any]:
        a, u = self._contact(angle)
        order = count - 1
        bits = [mask.bit_count() for mask in range(2**order)]
        turn = Jet([a, *(1.0 + 0.0 * a if count == 1 else 0.0 * a for count in bits[1:])])
        jet = Jet([u, *(0.0 * u for _ in bits[1:])])
        if order:
            slope = self._gap(u, a)[1]
            for _ in range(order):
                gap = self.equation(jet, turn)[0]
                jet = Jet([jet.parts[0], *(x - g / slope for x, g in zip(jet.parts[1:], gap.parts[1:], strict=True))])
        place = self.equation(jet, turn)[1].parts
        values = [place[2**k - 1] for k in range(count)]
        if self.hinge is not None:
            # An angle modulo full turns: choose the one nearest to the sketch.
            values[0] = values[0] - TURN * np.round((np.real(values[0]) - self.start[1]) / TURN)
        return values

    @cached_property
    def is_single_valued(self) -> bool:
        """Whether the follower is a function of the cam's angle over a full turn from the sketch."""
        return self._table is not None

    @property
    def contacts(self) -> tuple[Array, Array]:
        """Cam angles at even steps over a turn from the sketch, and the contacts there, where it is single-valued."""
        assert self._table is not None
        return self._table

    def _contact(self, angle: Any) -> tuple[Any, Any]:
        """Return the angle (n,) within the table's turn, and the contact."""
        x = np.asarray(angle)
        a = x - TURN * np.floor((x.real - self.start[0]) / TURN)
        u = np.interp(a.real, *self.contacts) + 0.0 * a
        for _ in range(STEPS):
            gap, slope = self._gap(u, a)
            u = u - gap / slope
        return a, u

    @cached_property
    def _table(self) -> tuple[Array, Array] | None:
        """Return cam angles over a turn from the sketch, and the contacts there; None if contact is lost."""
        coarse = self._walked()
        if coarse is None:
            return None
        angles = self.start[0] + np.linspace(0.0, TURN, TABLE + 1)
        found, gap, slope = self._newton(np.interp(angles, *coarse), angles, TRIES)
        regular = np.abs(slope) > REGULAR * self._slope
        if not (regular & (np.abs(gap) < ROUNDING * self._slope)).all() or np.abs(np.diff(found)).max() > FAR:
            return None
        place = self._place(found, angles)
        turns, back = (found[-1] - found[0]) / TURN, self._apart(place[-1], place[0])
        closes = abs(turns - round(turns)) < WHOLE and back < SAME_SOLVED * self._unit
        return (angles, found) if closes and self._apart(place[0], self.start[1]) < SKETCH * self._unit else None

    def _walked(self) -> tuple[Array, Array] | None:
        """Return some cam angles over a turn, and the contacts there, each computed from the previous."""
        angles = self.start[0] + np.linspace(0.0, TURN, WALKED + 1)
        found = [self._first()]
        for a in angles:
            u, gap, _ = self._newton(np.array(found[-1:]), np.array([a]), TRIES)
            if not (np.abs(gap) < RESIDUAL * self._slope).all() or abs(u[0] - found[-1]) > FAR * TABLE / WALKED:
                return None
            found.append(float(u[0]))
        return angles, np.array(found[1:])

    def _newton(self, u: Array, a: Array, steps: int) -> tuple[Array, Array, Array]:
        """Return contacts (n,) after some steps of Newton's method, and the equation and its slope there."""
        for _ in range(steps):
            gap, slope = self._gap(u, a)
            move = gap / slope
            u = u - move
            if np.abs(move).max() < ROUNDING_OF_FEW:
                break
        return (u, *self._gap(u, a))

    def _gap(self, u: Any, a: Any) -> tuple[Any, Any]:
        """Return the equation (n,) and its derivative with respect to the contact."""
        gap, slope = self.equation(Jet([u, 1.0 + 0.0 * u]), Jet([a, 0.0 * a]))[0].parts
        return gap, slope

    def _place(self, u: Any, a: Any) -> Any:
        return self.equation(Jet([u]), Jet([a]))[1].parts[0]

    def _apart(self, x: Any, y: Any) -> Any:
        """Return the distance of positions of the follower, modulo full turns."""
        return np.abs(x - y) if self.hinge is None else np.abs(np.angle(np.exp(1j * (x - y))))

    @cached_property
    def _radius(self) -> float:
        return float(np.mean(self.profile(np.linspace(0.0, TURN, 90))))

    @property
    def _unit(self) -> float:
        """The unit of the follower's position: a radian, or the profile's radius."""
        return 1.0 if self.hinge is not None else self._radius

    @property
    def _slope(self) -> float:
        """The typical slope of the equation in a regular pose."""
        if self.normal is not None:
            return 1.0 if self.hinge is None else self._radius
        return self._radius if self.hinge is None else 2 * abs(self.touch) * self._radius

    def _first(self) -> float:
        """Return the contact nearest to that in the sketch, as the polar angle on the profile."""
        a, x = self.start
        u = np.linspace(0.0, TURN, TABLE, endpoint=False)
        away = self._apart(self._place(u, a + 0.0 * u), x) / self._unit
        return float(u[np.argmin(away + np.abs(self._gap(u, a + 0.0 * u)[0]) / self._slope)])

    def equation(self, u: Jet, a: Jet) -> tuple[Jet, Jet]:
        """Return G and the follower's position as jets; these may hold symbols."""
        order = len(u.parts).bit_length() - 1
        known = derivatives(self.profile, u.parts[0], order + 2)
        R, dR = u.of(known[: order + 1]), u.of(known[1 : order + 2])
        w = length((R, dR))
        inverse = w.of([(1.0, -1.0, 2.0, -6.0)[k] / w.parts[0] ** (k + 1) for k in range(order + 1)])
        N = R * inverse, Jet([-part for part in (dR * inverse).parts])
        turn = _unit(a)
        axis = _times(turn, _unit(u))
        normal = _times(axis, N)
        radial = (R, _constant(R, 0.0)) if self.normal is not None else _plus(_scaled(N, self.radius), R)
        base = _from(self.hinge if self.hinge is not None else self.touch)
        middle = _times(turn, (_constant(a, self.centre.real), _constant(a, self.centre.imag)))
        vector = _times(axis, radial)
        P = tuple(vector[k] + middle[k] + _constant(a, _from(self.shaft)[k] - base[k]) for k in (0, 1))
        if self.hinge is None:
            d = self.direction
            if self.normal is None:
                return _cross(d, P), _dot(d, P)
            n = self.normal
            return _cross(n, normal), _over(_dot(n, P), _inner(d, n))
        if self.normal is None:
            arm = self.touch
            square = P[0] * P[0] + P[1] * P[1] - _constant(a, _inner(arm, arm))
            return square, angle(_seen(P, arm))
        across = P[0] * normal[0] + P[1] * normal[1]
        return across - _constant(a, _inner(self.touch, self.normal)), angle(_seen(normal, self.normal))


def _from(z: complex) -> tuple[float, float]:
    return z.real, z.imag


def _inner(a: complex, b: complex) -> float:
    return a.real * b.real + a.imag * b.imag


def _constant(like: Jet, value: float) -> Jet:
    zero = 0.0 * like.parts[0]
    return Jet([value + zero, *(zero for _ in like.parts[1:])])


def _unit(a: Jet) -> Vector:
    c, s = np.cos(a.parts[0]), np.sin(a.parts[0])
    return a.of((c, -s, -c, s)), a.of((s, c, -s, -c))


def _times(a: Vector, b: Vector) -> Vector:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _scaled(a: Vector, factor: float) -> Vector:
    return Jet([factor * part for part in a[0].parts]), Jet([factor * part for part in a[1].parts])


def _plus(a: Vector, along: Jet) -> Vector:
    return a[0] + along, a[1]


def _over(a: Jet, factor: float) -> Jet:
    return Jet([part / factor for part in a.parts])


def _dot(d: complex, P: Any) -> Jet:
    return Jet([d.real * x + d.imag * y for x, y in zip(P[0].parts, P[1].parts, strict=True)])


def _cross(d: complex, P: Any) -> Jet:
    return Jet([d.real * y - d.imag * x for x, y in zip(P[0].parts, P[1].parts, strict=True)])


def _seen(P: Any, d: complex) -> Vector:
    return _dot(d, P), _cross(d, P)
