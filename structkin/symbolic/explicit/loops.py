"""Planar loops solved for their dependent coordinates: v = H(u), with the assembly mode as a sign (S4).

The loop equation is the sum of the vectors around the loop, lengths at angles, closed by a pin that is cut. It leaves
two coordinates v of a loop dependent. With the terms that turn with an unknown angle alpha gathered in A e^(i alpha),

    two angles (four-bar)                     d + A e^(i alpha) + B e^(i beta) = 0
    an angle and a slide (crank-slider)       d + s E + A e^(i alpha) = 0
    a slide that turns with the angle         d + (A + s E) e^(i alpha) = 0      (four-bar transmission: u two angles)

where d, A, B and the unit vector E depend on u only. Each is solved in closed form with one square root.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from structkin.symbolic.explicit.forms import Steps
from structkin.symbolic.explicit.vectors import PlaneVector


@dataclass(frozen=True)
class Complex:
    """A vector of the plane as x + iy."""

    x: sp.Expr
    y: sp.Expr

    def __add__(self, other: Complex) -> Complex:
        """Return the sum."""
        return Complex(self.x + other.x, self.y + other.y)

    def __mul__(self, other: Complex) -> Complex:
        """Return the product."""
        return Complex(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    @property
    def conjugate(self) -> Complex:
        """x - iy."""
        return Complex(self.x, -self.y)

    @property
    def square(self) -> sp.Expr:
        """Its length squared."""
        return self.x**2 + self.y**2

    def scaled(self, factor: sp.Expr) -> Complex:
        """Return a real multiple."""
        return Complex(factor * self.x, factor * self.y)


@dataclass(frozen=True)
class Terms:
    """The loop equation by unknown angle: the terms without one, those with each, and the coefficients of slides.

    `fixed[angle]` and `sliding[angle]` are the sums of the terms that turn with `angle`, seen from it; the angle is a
    sum of dependent coordinates, 0 for terms that turn with none.
    """

    fixed: dict[sp.Expr, Complex]
    sliding: dict[sp.Expr, dict[sp.Symbol, Complex]]


def terms_of(gap: PlaneVector, v: tuple[sp.Symbol, ...]) -> Terms:
    """Sort the vectors around a loop by the dependent coordinates with which they turn and slide."""
    fixed: dict[sp.Expr, Complex] = {}
    sliding: dict[sp.Expr, dict[sp.Symbol, Complex]] = {}
    zero = Complex(sp.Integer(0), sp.Integer(0))
    for angle, length in gap.parts.items():
        turn = sp.Add(*(sp.expand(angle).coeff(k) * k for k in v))
        rest = sp.expand(angle - turn)
        way = Complex(sp.cos(rest), sp.sin(rest))
        size = sp.expand(length)
        constant = size
        for k in v:
            slope = size.coeff(k)
            if slope != 0:
                slides = sliding.setdefault(turn, {})
                slides[k] = slides.get(k, zero) + way.scaled(slope)
                constant = constant - slope * k
        if constant != 0:
            fixed[turn] = fixed.get(turn, zero) + way.scaled(constant)
    return Terms(fixed, sliding)


class ClosedForm:
    """H of one loop as steps: `solve` returns the expressions of v in terms of u and the steps it defines.

    `loop` is the name of the loop, `mode` the symbol of the assembly, +1 or -1.
    """

    def __init__(self, loop: str, steps: Steps, mode: sp.Symbol) -> None:
        """Keep where intermediate quantities are named."""
        self.loop, self.steps, self.mode = loop, steps, mode

    def define(self, name: str, value: sp.Expr) -> sp.Expr:
        """Return the symbol of an intermediate quantity."""
        letter, _, axis = name.partition("_")
        label = f"{letter}_{self.loop}_{axis}" if axis else f"{letter}_{self.loop}"
        return self.steps.define(label, value, f"loop {self.loop}")

    def solve(self, gap: PlaneVector, v: tuple[sp.Symbol, sp.Symbol]) -> dict[sp.Symbol, sp.Expr] | None:
        """Return the dependent coordinates, None if they are not of a kind with a closed form."""
        terms = terms_of(gap, v)
        angles = [a for a in {*terms.fixed, *terms.sliding} if a != 0]
        slides = {k for found in terms.sliding.values() for k in found}
        if len(angles) == 2 and not slides:
            return self._two_angles(terms, sorted(angles, key=sp.default_sort_key), v)
        if len(angles) == 1 and len(slides) == 1 and len(terms.sliding) == 1:
            (angle,), (slide,) = angles, slides
            coefficients = [abs(angle.coeff(k)) for k in v if k != slide]
            if coefficients == [1] and angle.coeff(slide) == 0:
                return self._angle_and_slide(terms, angle, slide)
        return None

    def _named(self, name: str, value: Complex) -> Complex:
        return Complex(self.define(f"{name}_x", value.x), self.define(f"{name}_y", value.y))

    def _two_angles(
        self, terms: Terms, angles: list[sp.Expr], v: tuple[sp.Symbol, sp.Symbol]
    ) -> dict[sp.Symbol, sp.Expr] | None:
        alpha, beta = angles
        matrix = sp.Matrix([[angle.coeff(k) for k in v] for angle in angles])
        if matrix.det() == 0:
            return None
        zero = Complex(sp.Integer(0), sp.Integer(0))
        d = self._named("d", terms.fixed.get(sp.Integer(0), zero))
        A, B = self._named("a", terms.fixed[alpha]), self._named("b", terms.fixed[beta])
        P = self._named("p", d.conjugate * A)
        size = self.define("P", P.square)
        k = self.define("k", (d.square + A.square - B.square) / 2)
        root = self.define("w", self.mode * sp.sqrt(size - k**2))
        # e^(i alpha) = conj(P) (-k + i root) / |P|^2
        turn = P.conjugate * Complex(-k, root)
        cosine, sine = self.define("c", turn.x / size), self.define("s", turn.y / size)
        end = d + A * Complex(cosine, sine)
        other = (end * B.conjugate).scaled(sp.Integer(-1))
        found = sp.Matrix([sp.atan2(sine, cosine), sp.atan2(other.y, other.x)])
        inverse = matrix.inv()
        if any(sum(entry != 0 for entry in inverse.row(i)) > 1 for i in (0, 1)):
            found = sp.Matrix([self.define("alpha", found[0]), self.define("beta", found[1])])
        return {k: self._wrapped(value) for k, value in zip(v, inverse * found, strict=True)}

    def _angle_and_slide(self, terms: Terms, angle: sp.Expr, slide: sp.Symbol) -> dict[sp.Symbol, sp.Expr]:
        zero = Complex(sp.Integer(0), sp.Integer(0))
        ((guide, slides),) = terms.sliding.items()
        E = self._named("e", slides[slide])
        d = self._named("d", terms.fixed.get(sp.Integer(0), zero))
        A = self._named("a", terms.fixed.get(angle, zero))
        near, far = (A, d) if guide == angle else (d, A)
        # |near + s E| = |far|
        along = self.define("n", near.x * E.x + near.y * E.y)
        across = self.define("m", near.y * E.x - near.x * E.y)
        root = sp.sqrt(far.square - across**2)
        s = self.define("s", -along + self.mode * root)
        moved = near + E.scaled(s)
        turn = (d * moved.conjugate if guide == angle else moved * A.conjugate).scaled(sp.Integer(-1))
        (other,) = (k for k in angle.free_symbols)
        return {slide: s, other: angle.coeff(other) * sp.atan2(turn.y, turn.x)}

    def _wrapped(self, value: sp.Expr) -> sp.Expr:
        """Return an angle within half a turn of the drawn pose."""
        return sp.atan2(sp.sin(value), sp.cos(value)) if value.is_Add else value
