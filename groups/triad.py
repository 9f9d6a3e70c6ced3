"""Triads: a platform on three legs with two joints each (class III, order 3); six modes.

           P2                 O, U     origin and direction of the platform, U.U = 1
          /  \\                P, A     a corner in its frame, and a known point
        P1----P3              w        O + U P - A
        |      |
        A1     A3             leg      equation
                              RR       |w|^2 / 2 = lambda     a link between two pins
                              PR       D x w = e              a block on a known guide, pinned to the corner
                              RP       (U D) x w = e          a guide of the platform, in a block on a known pin

Each is a bilinear form of w with w, D or U D, written once and differentiated by Leibniz's rule. In isotropic
coordinates O is eliminated from the three (`platform.py`): this leaves a polynomial of degree six in U, whose roots are
all modes, real and complex. Source: see there; Assur's third class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from structkin.rows.affine import Affine
from structkin.rows.equations import Form
from structkin.rows.jet import product
from structkin.rows.row import Row

from .kind import Array, Values, cross, dot, times, turned
from .platform import platforms
from .rows import Rows

#: Newton steps from the roots of the polynomial, and from a pose near the wanted one.
POLISH, STEPS = 3, 8


class Triad:
    """A platform on three legs, the first of them RR.

    Six modes cannot be numbered by a sign: `position` takes as root a pose near the wanted one, and `poses` returns
    them all. Singular where the lines of action of the three legs meet in a point or are parallel.

    >>> A, P = (np.array(x, float)[:, :, None] for x in (((0, 0), (5, 0), (1, 3)), ((0, 0), (2, 0), (1, 1))))
    >>> w = [1 + turned(p) - a for p, a in zip(P, A)]
    >>> h = tuple(x for k in range(3) for x in (A[k], P[k], 0.5 * dot(w[k], w[k])))
    >>> O, U = Triad("RR", "RR", "RR").poses(h)
    >>> O.shape, bool(np.min(np.abs(O - 1).sum(axis=0) + np.abs(U - [[[0]], [[1]]]).sum(axis=0)) < 1e-12)
    ((2, 6, 1), True)
    """

    closed_form: ClassVar[Literal[True]] = True
    modes = 6
    outputs: tuple[str, ...] = ("O", "U")

    def __init__(self, *legs: Literal["RR", "PR", "RP"]) -> None:
        """Store the legs, exterior joint first."""
        self.legs = legs
        self.name = ", ".join(legs)
        self.aliases: tuple[str, ...] = (f"triad {self.name}",)
        names = [("A", "P", "l") if leg == "RR" else ("A", "P", "D", "e") for leg in legs]
        self.inputs: tuple[str, ...] = tuple(f"{x}{k + 1}" for k, leg in enumerate(names) for x in leg)

    def _split(self, h: Sequence[Any]) -> Iterator[tuple[str, Any, Any, Any, Any]]:
        """Yield the form, the point, the corner, the guide's direction and the constant of each leg."""
        k = 0
        for leg in self.legs:
            width = 3 if leg == "RR" else 4
            A, P, *D, e = h[k : k + width]
            yield leg, A, P, D[0] if D else None, e
            k += width

    def _gaps(self, h: Sequence[Sequence[Any]], O: Sequence[Any], U: Sequence[Any]) -> list[Any]:
        """Return the last part of each leg's equation; all arguments are given by their parts (see `product`)."""
        found = []
        for leg, A, P, D, e in self._split(h):
            w = [o + x - a for o, x, a in zip(O, product(times, U, P), A, strict=True)]
            if leg == "RR":
                form = 0.5 * product(dot, w, w)[-1]
            else:
                form = product(cross, D if leg == "PR" else product(times, U, D), w)[-1]
            found.append(form - e[-1])
        return found

    def _jacobian(self, h: Values, phi: Values) -> list[list[Any]]:
        """Return the columns of the Jacobian: derivatives in O, and in the angle of U."""
        O, U = phi
        still = [(x, 0.0 * x) for x in h]
        one = [np.stack((1 + 0 * O[0], 0 * O[0])), np.stack((0 * O[0], 1 + 0 * O[0])), 0 * O]
        return [self._gaps(still, (O, dO), (U, k // 2 * turned(U))) for k, dO in enumerate(one)]

    def discriminant(self, h: Values) -> Array:
        """Return the product of `mode_indicator` over all modes (n,): at its zeros, two real modes appear or vanish."""
        return np.asarray(np.prod(self.mode_indicator(beside(h), self.poses(h)), axis=0).real)

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return det Phi_phi, with rows and angle scaled by lengths: its sign changes where two modes meet."""
        legs = list(self._split(h))
        scale, corner = 1.0, legs[0][2]
        for leg, _, _, _, e in legs:
            scale = scale * np.sqrt(2 * e) if leg == "RR" else scale
        reach = sum(dot(P - corner, P - corner) for _, _, P, _, _ in legs)
        x, y, angle = self._jacobian(h, phi)
        return np.asarray(_determinant(x, y, angle) / (scale * np.sqrt(reach)))

    def poses(self, h: Values) -> Values:
        """Return O and U (2, 6, n) in all modes, with complex components where a mode is not real.

        NaN where a mode is at infinity, or the elimination cannot find it.
        """
        n = np.broadcast_shapes(*(np.shape(x)[-1:] for x in h))
        complexes = [np.broadcast_to(x[0] + 1j * x[1] if np.ndim(x) == 2 else x, n) for x in h]
        (_, A, P, _, square), *_ = legs = list(self._split(complexes))
        size, zero = np.sqrt(2 * square), np.zeros(n)
        M = []
        for leg, point, corner, D, e in legs:
            w = np.stack(((A - point) / size, 1 + zero, (corner - P) / size))
            if leg == "RR":
                form, level = w[:, None] * w.conj(), 2 * e / size**2
            else:
                other = np.stack((D, zero, zero) if leg == "PR" else (zero, zero, D))
                form = (w[:, None] * other.conj() - other[:, None] * w.conj()) / 2j
                level = e / size
            form[0, 0] -= level
            M.append(form)
        with np.errstate(all="ignore"):
            z, zb, u = platforms(np.array(M))
            O, Ob = A + size * z - u * P, A.conj() + size * zb - P.conj() / u
            near = _halves(O, Ob), _halves(u, 1 / u)
            return self._newton(beside(h), near, POLISH)

    def position(self, h: Values, root: Any) -> Values:
        """Return O and U of the mode whose pose is near `root`."""
        return self._newton(h, root, STEPS)

    def _newton(self, h: Values, phi: Values, steps: int) -> Values:
        still = tuple(0.0 * x for x in h)
        for _ in range(steps):
            gap = self.residual(h, phi)
            phi = tuple(x + dx for x, dx in zip(phi, self.linear(h, phi, still, tuple(-x for x in gap)), strict=True))
        return phi

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve for dO and dU; the part of dU along U is known: U.dU = g."""
        (O, U), along = phi, g[3] * phi[1]
        known = self._gaps(list(zip(h, dh, strict=True)), (O, 0.0 * O), (U, along))
        right = [a - b for a, b in zip(g, known, strict=False)]
        x, y, angle = self._jacobian(h, phi)
        per = 1.0 / _determinant(x, y, angle)
        turn = _determinant(x, y, right) * per
        return (
            np.stack((_determinant(right, y, angle) * per, _determinant(x, right, angle) * per)),
            along + turn * turned(U),
        )

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return minus the second derivatives of the legs and of the unit vector."""
        parts = [
            [(x, v, w, 0.0 * x) for x, v, w in zip(*each, strict=True)] for each in ((h, vh, wh), (phi, vphi, wphi))
        ]
        return (*(-x for x in self._gaps(parts[0], *parts[1])), -dot(vphi[1], wphi[1]))

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return minus the third derivatives of the legs along one direction."""
        parts = [
            [(x, v, v, 0.0 * x, v, 0.0 * x, 0.0 * x, 0.0 * x) for x, v in zip(*each, strict=True)]
            for each in ((h, vh), (phi, vphi))
        ]
        return (*(-x for x in self._gaps(parts[0], *parts[1])), 0.0 * phi[1][0])

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the equations of the legs, and (U.U - 1) / 2."""
        O, U = phi
        return (*self._gaps([(x,) for x in h], (O,), (U,)), 0.5 * (dot(U, U) - 1))


def _determinant(a: Sequence[Any], b: Sequence[Any], c: Sequence[Any]) -> Any:
    """Return the determinant of a matrix with these columns."""
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])


def _halves(z: Array, zb: Array) -> Array:
    """Return the components (2, ...) of a vector from both isotropic coordinates."""
    return np.stack((0.5 * (z + zb), -0.5j * (z - zb)))


def beside(h: Values) -> Values:
    """Return inputs with a mode axis, to broadcast with poses (2, modes, n)."""
    return tuple(x[:, None] if np.ndim(x) == 2 else x for x in h)


@dataclass(frozen=True)
class Recognised:
    """A general group recognized as a triad, and the triad's inputs: `sources[k]` (index, factor).

    An input is a factor times the group's input with this index, or the factor itself if the index is -1.
    """

    kind: Triad
    sources: tuple[tuple[int, complex | float], ...]

    def inputs(self, h: Values) -> Values:
        """Return the inputs of the triad from those of the group."""
        return tuple(_scaled(h, index, factor) for index, factor in self.sources)


def _scaled(h: Values, index: int, factor: complex | float) -> Any:
    if isinstance(factor, complex):
        vector = np.array([[factor.real], [factor.imag]])
        return vector if index < 0 else times(h[index], vector)
    return np.array([factor]) if index < 0 else factor * np.atleast_1d(h[index])


#: Index of an input and its factor; the factor itself if the index is -1.
Source = tuple[int, complex | float]


@lru_cache(maxsize=256)
def recognised(rows: Rows) -> Recognised | None:
    """Return a general group as a triad (one link held by distances and lines); None if it is not one."""
    if rows.links != 1 or rows.count != 3:
        return None
    legs = [_leg(form, rows) for form in rows.forms]
    if not any(leg is not None and leg[0] == "RR" for leg in legs):
        return None
    sources: list[Source] = []
    kinds: list[Literal["RR", "PR", "RP"]] = []
    for leg in sorted(legs, key=lambda leg: leg is not None and leg[0] != "RR"):
        if leg is None:
            return None
        kinds.append(leg[0])
        sources += leg[1]
    return Recognised(Triad(*kinds), tuple(sources))


def _leg(form: Form, rows: Rows) -> tuple[Literal["RR", "PR", "RP"], tuple[Source, ...]] | None:
    """Return the kind of leg of a row, and its known point, corner, direction and length; None if it is not a leg."""
    if not isinstance(form, Row) or len(form.products) != 1 or form.is_aligned:
        return None
    w, a, b = form.products[0]
    ends = _ends(b)
    if ends is None:
        return None
    sign, *places = ends
    if a == b:
        scalars = [rows.vectors + rows.scalars.index(number) for number, _ in form.numbers]
        length = (scalars[0], 1.0) if scalars else (-1, -0.5 * form.constant / w.real)
        return "RR", (*places, length)
    if w != -1j or form.numbers:
        return None
    # D x (P_j - P_i) = e is D x w = e if P_j is the corner, else D x w = -e.
    level = (-1, -sign * form.constant)
    if not a.terms:
        return "PR", (*places, (-1, a.const), level)
    ((slot, factor),) = a.terms
    return ("RP", (*places, (-1, factor), level)) if slot == 1 else ("PR", (*places, (slot - 2, factor), level))


def _ends(vector: Affine) -> tuple[float, Source, Source] | None:
    """Return the sign of the link's point in a difference of points, the known point and the corner; else None."""
    terms = dict(vector.terms)
    sign, corner = terms.pop(0, 0j).real, terms.pop(1, 0j)
    if abs(sign) != 1.0 or len(terms) + (vector.const != 0) > 1:
        return None
    known: Source = (-1, -sign * vector.const)
    for slot, factor in terms.items():
        known = slot - 2, -sign * factor
    return sign, known, (-1, sign * corner)
