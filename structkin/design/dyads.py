"""Dyads that guide a body through given positions, in closed form (Burmester theory).

Seen from the first of n positions, position k turns the body by phi_k and moves its origin by d_k. With z_k =
exp(i phi_k) the point b of the body is then at d_k + z_k b. A crank from the pivot a to the pin b keeps its length if

    |d_k + z_k b - a|^2 = |b - a|^2,  k = 2 ... n,

in which |b|^2 and |a|^2 cancel: n - 1 equations, bilinear in a and b [1]. Three positions leave one of the two points
free, four a curve, five up to four dyads. As the pivot goes to infinity, the crank becomes a guide in the direction e,

    Im(conj(e) (d_k + (z_k - 1) b)) = 0,

and a slot of the body over a fixed pin is a guide in the motion of the ground as the body sees it.

[1] J. M. McCarthy, G. S. Soh: Geometric Design of Linkages, 2nd ed., Springer 2011, chapter 5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eig
from scipy.optimize import least_squares

from structkin.numerical_tolerances import RESIDUAL, ROUNDING, ROUNDING_OF_FEW, SAME_SOLUTION
from structkin.types import Complexes, Floats

#: The direction of the lines on which a curve is sampled: none that was drawn on purpose is parallel.
_C, _S = math.cos(1.0), math.sin(1.0)
#: Points farther than this many sizes away from the positions are taken as infinitely far.
FAR = 1e4


@dataclass(frozen=True)
class Dyad:
    """A pivot, guide or slot that holds one point, all in the first position.

    kind    "RR": a crank from the pivot `ground` to the pin `body`; "PR": the pin `body` on a fixed guide in the
            direction `direction`; "RP": a slot of the body in the direction `direction` over the fixed pin `ground`
    """

    kind: str
    ground: complex
    body: complex
    direction: complex = 0j

    @property
    def length(self) -> float:
        """Distance of pivot and pin [m]."""
        return abs(self.body - self.ground)


@dataclass(frozen=True)
class Displacements:
    """Positions 2 ... n of a body seen from the first: d and z = exp(i phi) as above, both (n - 1,)."""

    d: Complexes
    z: Complexes

    @classmethod
    def of(cls, positions: Floats) -> Displacements:
        """Return those of positions x, y, angle (n, 3) [m, m, rad], in the coordinates of the ground.

        >>> import numpy as np
        >>> moved = Displacements.of(np.array([[1, 0, 0], [3, 0, np.pi / 2]]))
        >>> complex(np.round(moved.of_point(1 + 0j)[1], 12)), complex(np.round(moved.of_point(2 + 0j)[1], 12))
        ((3+0j), (3+1j))
        """
        place, turn = positions[:, 0] + 1j * positions[:, 1], np.exp(1j * positions[:, 2])
        z = turn[1:] / turn[0]
        return cls(place[1:] - z * place[0], z)

    @property
    def size(self) -> float:
        """The largest displacement [m]; 1 if the body only turns."""
        return float(np.abs(self.d).max()) or 1.0

    def of_point(self, b: complex) -> Complexes:
        """Return where a point of the body is in all positions (n,)."""
        return np.concatenate(([b], self.d + self.z * b))

    def inverse(self) -> Displacements:
        """Return the positions of the ground seen from the body."""
        return Displacements(-self.d * self.z.conj(), self.z.conj())

    def bilinear(self) -> Floats:
        """Return the factors T (n - 1, 3, 3) of the equations sum T[k, i, j] (1, bx, by)_i (1, ax, ay)_j = 0."""
        d, u, v = self.d, self.d.conj() * self.z, self.z - 1
        rows = [[np.abs(d) ** 2 / 2, -d.real, -d.imag], [u.real, -v.real, -v.imag], [-u.imag, v.imag, -v.real]]
        return np.array(rows).transpose(2, 0, 1)


def pin_of(moved: Displacements, pivot: complex) -> list[Dyad]:
    """Return the cranks on a pivot for three positions: one, or none."""
    rows = moved.bilinear() @ [1.0, pivot.real, pivot.imag]
    return [Dyad("RR", pivot, complex(*b)) for b in _meeting(rows)]


def pivot_of(moved: Displacements, pin: complex) -> list[Dyad]:
    """Return the cranks to a pin for three positions: one, or none."""
    rows = np.einsum("i,kij->kj", [1.0, pin.real, pin.imag], moved.bilinear())
    return [Dyad("RR", complex(*a), pin) for a in _meeting(rows)]


def guided(moved: Displacements, direction: complex) -> list[Dyad]:
    """Return the pins that move along a guide of a given direction in three positions: one, or none."""
    e, v = direction / abs(direction), moved.z - 1
    rows = np.array([(e.conjugate() * moved.d).imag, (e.conjugate() * v).imag, (e.conjugate() * v).real]).T
    return [Dyad("PR", complex(*b), complex(*b), e) for b in _meeting(rows)]


def guided_through_two(moved: Displacements, pin: complex) -> list[Dyad]:
    """Return the guide of a pin in two positions, the line of its places; none for the pole, which does not move."""
    first, last = moved.of_point(pin)
    step = complex(last - first)
    return [Dyad("PR", pin, pin, step / abs(step))] if abs(step) > SAME_SOLUTION * moved.size else []


def slotted(moved: Displacements, direction: complex) -> list[Dyad]:
    """Return the slots of a given direction, in the first position, over a fixed pin in three positions."""
    return as_slots(guided(moved.inverse(), direction))


def as_slots(guides: list[Dyad]) -> list[Dyad]:
    """Return the slots of the body that guides in the motion of the ground as the body sees it are."""
    return [Dyad("RP", one.ground, one.body, one.direction) for one in guides]


def on_the_curve(moved: Displacements, lines: int) -> list[Dyad]:
    """Return the cranks for four positions on parallel lines across the circle-point curve, up to three on each.

    The curve is the cubic in b on which the three equations, linear in (1, a), have a common solution. The lines cover
    three times the size of the positions to both sides.
    """
    size, T = moved.size, moved.bilinear()
    along = size * np.exp(2j * np.pi * np.arange(4) / 4)  # four values on a circle give the cubic along a line
    found = []
    for height in np.linspace(-3, 3, lines) * size:
        pins = np.stack((np.ones(4), _C * along - _S * height, _S * along + _C * height))
        values = np.linalg.det(np.einsum("il,kij->lkj", pins, T))
        cubic = (np.fft.fft(values) / size ** np.arange(4)).real
        for s in np.roots(cubic[::-1]):
            if abs(s.imag) <= SAME_SOLUTION * size and abs(s) <= FAR * size:
                found += pivot_of(moved, complex(_C * s.real - _S * height, _S * s.real + _C * height))
    return _distinct(found, size)


def five(moved: Displacements) -> list[Dyad]:
    """Return the cranks for five positions: up to four, or some where the body moves on a circle without turning.

    Of the four equations in (1, ax, ay) x (1, bx, by), each times 1, bx and bx^2, by is an eigenvalue: they are as many
    as their monomials, Sylvester's form of the resultant. Newton's method removes what rounding leaves. Where two
    solutions are close, rounding may hide one of them in some directions of the axes: several are tried. It also moves
    those by far more than the last digits: a crank is one if it keeps its length, whatever the last step was, and two
    are the same if one halfway between them keeps its length as well.
    """
    size, found = moved.size, list[Dyad]()

    def holds(a: complex, b: complex) -> bool:
        return misses(moved, Dyad("RR", a, b)) <= ROUNDING_OF_FEW * (size + abs(a) + abs(b))

    if np.abs(moved.z - 1).max() <= ROUNDING:  # every pin has the same radius
        every = (one for pin in _around(size) for one in pivot_of(moved, complex(pin)))
        return [one for one in every if holds(one.ground, one.body)]
    for turn in np.exp(1j * np.arange(1, 4)):
        T = Displacements(moved.d / (size * turn), moved.z).bilinear()
        constant, factor = np.zeros((12, 12)), np.zeros((12, 12))
        for power in range(3):
            rows, first = slice(4 * power, 4 * power + 4), 3 * power
            constant[rows, first : first + 3] = T[:, 0]
            constant[rows, first + 3 : first + 6] = T[:, 1]
            factor[rows, first : first + 3] = T[:, 2]
        values, vectors = eig(constant, -factor)
        with np.errstate(all="ignore"):
            starts = np.stack((*(vectors[[1, 2, 3]] / vectors[0]), values), axis=-1)
        for start in starts[np.isfinite(starts).all(axis=1)]:
            for a, b in _polished(T, start.real):
                pivot, pin = a * size * turn, b * size * turn
                if holds(pivot, pin) and not any(holds((pivot + k.ground) / 2, (pin + k.body) / 2) for k in found):
                    found.append(Dyad("RR", pivot, pin))
    return _distinct(found, size)


def _polished(T: Floats, x: Floats) -> list[tuple[complex, complex]]:
    """Return the best that Newton's method makes of a solution; none if it leads far away."""
    for _ in range(20):
        a, b = np.array([1.0, *x[:2]]), np.array([1.0, *x[2:]])
        gap = np.einsum("kij,i,j->k", T, b, a)
        slope = np.hstack((np.einsum("kij,i->kj", T, b)[:, 1:], np.einsum("kij,j->ki", T, a)[:, 1:]))
        step = np.linalg.lstsq(slope, gap, rcond=None)[0]
        x = x - step
        if not np.abs(x).max() < FAR:
            return []
        if np.abs(step).max() <= ROUNDING_OF_FEW * np.abs(x).max():
            break
    return [(complex(*x[:2]), complex(*x[2:]))]


def guided_through_four(moved: Displacements) -> list[Dyad]:
    """Return the pins that move along a straight guide in four positions, and in all further ones: one at most.

    Three differences of places are parallel: two circles in b, which also meet in the pole of the first of them, which
    is left out.
    """
    (d0, d1, d2), (v0, v1, v2) = moved.d[:3], moved.z[:3] - 1
    # Im(conj(d0 + v0 b) (dk + vk b)) = quadratic |b|^2 + linear . (bx, by) + constant
    circles = []
    for d, v in ((d1, v1), (d2, v2)):
        linear = d0.conjugate() * v - d.conjugate() * v0
        circles.append([(v0.conjugate() * v).imag, linear.imag, linear.real, (d0.conjugate() * d).imag])
    one, other = np.array(circles)
    _, x, y, constant = other[0] * one - one[0] * other
    normal = complex(x, y)
    if abs(normal) == 0:
        return []
    foot, along = -constant * normal / abs(normal) ** 2, 1j * normal / abs(normal)
    circle = one if abs(one[0]) >= abs(other[0]) else other
    x, y = circle[1:3]
    quadratic = [
        circle[0],
        2 * circle[0] * (foot * along.conjugate()).real + x * along.real + y * along.imag,
        circle[0] * abs(foot) ** 2 + x * foot.real + y * foot.imag + circle[3],
    ]
    found = []
    for t in np.roots(quadratic):
        b = complex(foot + t.real * along)
        steps = moved.of_point(b)[1:] - b
        if (
            abs(t.imag) <= SAME_SOLUTION * moved.size
            and np.abs(steps).min() > SAME_SOLUTION * moved.size
            and abs(b) < FAR * moved.size
        ):
            e = complex(steps[0] / abs(steps[0]))
            if np.abs((e.conjugate() * steps).imag).max() <= RESIDUAL * (moved.size + abs(b)):
                found.append(Dyad("PR", b, b, e))
    return found


def nearest(moved: Displacements) -> list[Dyad]:
    """Return cranks that miss more than five positions by least squares of their lengths, each a local best.

    They start from those that fit five of the positions exactly, and from cranks that fit three.
    """
    n, size = len(moved.d) + 1, moved.size
    starts: list[Dyad] = []
    for shift in range(min(n - 1, 8)):
        some = (np.linspace(0, n - 2, 4) + shift).round().astype(int) % (n - 1)
        if len(set(some)) == 4:
            starts += five(Displacements(moved.d[some], moved.z[some]))
    ends = Displacements(moved.d[[(n - 1) // 2, n - 2]], moved.z[[(n - 1) // 2, n - 2]])
    starts += [one for pivot in _around(size) for one in pin_of(ends, complex(pivot)) if abs(one.body) < FAR * size]

    turns = np.concatenate(([1.0], moved.z))

    def crank(x: Floats) -> Complexes:
        return moved.of_point(complex(x[2], x[3])) - complex(x[0], x[1])

    def gaps(x: Floats) -> Floats:
        return np.asarray(np.abs(crank(x)) - x[4])

    def slopes(x: Floats) -> Floats:
        along = crank(x)
        along /= np.maximum(np.abs(along), np.finfo(float).tiny)  # without length it has no direction
        turned = along * turns.conj()
        return np.stack((-along.real, -along.imag, turned.real, turned.imag, np.full(n, -1.0)), axis=1)

    found = []
    for one in starts:
        start = [one.ground.real, one.ground.imag, one.body.real, one.body.imag, one.length]
        best = least_squares(
            gaps, start, slopes, x_scale=size, xtol=ROUNDING, ftol=ROUNDING, gtol=ROUNDING, max_nfev=200
        ).x
        if np.abs(best).max() < FAR * size:
            found.append(Dyad("RR", complex(*best[:2]), complex(*best[2:4])))
    return sorted(_distinct(found, size, 1e-3), key=lambda dyad: misses(moved, dyad))


def misses(moved: Displacements, dyad: Dyad) -> float:
    """Return how much a dyad must be stretched or left to go through all positions [m]."""
    if dyad.kind == "RP":
        return misses(moved.inverse(), Dyad("PR", dyad.ground, dyad.ground, dyad.direction))
    places = moved.of_point(dyad.body)
    if dyad.kind == "PR":
        return float(np.abs((dyad.direction.conjugate() * (places - dyad.ground)).imag).max())
    lengths = np.abs(places - dyad.ground)
    return float(np.ptp(lengths) / 2)


def _around(size: float) -> Complexes:
    return np.asarray(np.exp(2j * np.pi * np.arange(6) / 6) * size)


def _meeting(rows: Floats) -> list[Floats]:
    """Return the point (x, y) of two lines c + p x + q y = 0, unless they are parallel."""
    point, _, _, sizes = np.linalg.lstsq(rows[:, 1:], -rows[:, 0], rcond=None)
    return [np.asarray(point)] if sizes[1] > ROUNDING * sizes[0] else []


def _distinct(dyads: list[Dyad], size: float, within: float = SAME_SOLUTION) -> list[Dyad]:
    """Leave out those found before, and cranks without a length."""
    kept: list[Dyad] = []
    for one in dyads:
        near = within * (size + abs(one.ground) + abs(one.body))
        if one.length > near and all(abs(one.ground - k.ground) + abs(one.body - k.body) > near for k in kept):
            kept.append(one)
    return kept
