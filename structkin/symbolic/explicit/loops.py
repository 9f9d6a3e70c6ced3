"""Planar loops solved for their dependent coordinates: v = H(u), with the assembly mode as a sign (S4).

The loop equation is the sum of the vectors around the loop, lengths at angles, closed by a pin that is cut. It leaves
two coordinates v of a loop dependent. With the terms that turn with an unknown angle alpha gathered in A e^(i alpha),

    two angles (four-bar)                     d + A e^(i alpha) + B e^(i beta) = 0
    an angle and a slide (crank-slider)       d + s E + A e^(i alpha) = 0
    a slide that turns with the angle         d + (A + s E) e^(i alpha) = 0      (four-bar transmission: u two angles)
    two slides (Scotch yoke, trammel)         d + s E + r F = 0

where d, A, B and the unit vectors E, F depend on u only. The last is linear, the others have one square root each.

Angles are sums of the arguments of d, A, B and of a triangle. That of a triangle keeps to one side of 0; that of a sum
of vectors is taken from the vector that is longer than all others together, if there is one, and so is continuous over
any number of turns of u. Otherwise it is within half a turn of the drawn pose: it depends on the past, not on u.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from structkin.symbolic.explicit.forms import PlaneVector, Steps

ZERO = sp.Integer(0)
#: Lengths in the plane, each at an angle.
Vectors = list[tuple[sp.Expr, sp.Expr]]


@dataclass(frozen=True)
class Terms:
    """The loop equation by unknown angle: the terms without one, those with each, and the coefficients of slides.

    `fixed[angle]` and `sliding[angle]` are the terms that turn with `angle`, seen from it; the angle is a sum of
    dependent coordinates, 0 for terms that turn with none.
    """

    fixed: dict[sp.Expr, Vectors]
    sliding: dict[sp.Expr, dict[sp.Symbol, Vectors]]


def terms_of(gap: PlaneVector, v: tuple[sp.Symbol, ...]) -> Terms:
    """Sort the vectors around a loop by the dependent coordinates with which they turn and slide."""
    fixed: dict[sp.Expr, Vectors] = {}
    sliding: dict[sp.Expr, dict[sp.Symbol, Vectors]] = {}
    for angle, length in gap.parts.items():
        turn = sp.Add(*(sp.expand(angle).coeff(k) * k for k in v))
        rest = sp.expand(angle - turn)
        constant = sp.expand(length)
        for k in v:
            slope = constant.coeff(k)
            if slope != 0:
                sliding.setdefault(turn, {}).setdefault(k, []).append((slope, rest))
                constant = constant - slope * k
        if constant != 0:
            fixed.setdefault(turn, []).append((constant, rest))
    return Terms(fixed, sliding)


def _area(one: Vectors, two: Vectors) -> sp.Expr:
    """Return the vector product of two sums of vectors."""
    return sum((a * b * sp.sin(beta - alpha) for a, alpha in one for b, beta in two), ZERO)


class ClosedForm:
    """H of one loop as steps: `solve` returns the expressions of v in terms of u and the steps it defines.

    `loop` is the name of the loop, `mode` the symbol of the assembly, +1 or -1, `values` those of the parameters.
    Angles are 0 in the drawn pose but for full turns. `counts_turns` says whether they are continuous in u.
    """

    def __init__(self, loop: str, steps: Steps, mode: sp.Symbol, values: Mapping[sp.Symbol, Any]) -> None:
        """Keep where intermediate quantities are named."""
        self.loop, self.steps, self.mode, self.values = loop, steps, mode, values
        self.counts_turns = True

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
        if not angles and slides == set(v):
            return self._two_slides(terms, v)
        if len(angles) == 1 and len(slides) == 1 and len(terms.sliding) == 1:
            (angle,), (slide,) = angles, slides
            coefficients = [abs(angle.coeff(k)) for k in v if k != slide]
            if coefficients == [1] and angle.coeff(slide) == 0:
                return self._angle_and_slide(terms, angle, slide)
        return None

    def _seen(self, name: str, vectors: Vectors, angle: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """Return the components of a sum of vectors along a direction and across it."""
        along = sum((size * sp.cos(rest - angle) for size, rest in vectors), ZERO)
        across = sum((size * sp.sin(rest - angle) for size, rest in vectors), ZERO)
        return self.define(f"{name}_x", along), self.define(f"{name}_y", across)

    def _polar(self, name: str, vectors: Vectors) -> tuple[sp.Expr, sp.Expr]:
        """Return the square and the argument of a sum of vectors."""
        angle, sign = self._leading(vectors)
        x, y = self._seen(name, vectors, angle)
        turned = sp.pi * (1 - sign) / 2
        return x**2 + y**2, angle + turned + (sp.atan2(sign * y, sign * x) if y != 0 or not angle else ZERO)

    def _leading(self, vectors: Vectors) -> tuple[sp.Expr, int]:
        """Return the angle and the sign of the vector that is longer than all others together, (0, 1) if none is."""
        sizes = [size.subs(self.values) for size, _ in vectors]
        if vectors and all(size.is_number for size in sizes):
            longest = max(range(len(sizes)), key=lambda k: abs(sizes[k]))
            if 2 * abs(sizes[longest]) > sum(map(abs, sizes)):
                return vectors[longest][1], 1 if sizes[longest] > 0 else -1
        self.counts_turns = False
        return ZERO, 1

    def _two_angles(
        self, terms: Terms, angles: list[sp.Expr], v: tuple[sp.Symbol, sp.Symbol]
    ) -> dict[sp.Symbol, sp.Expr] | None:
        matrix = sp.Matrix([[angle.coeff(k) for k in v] for angle in angles])
        if matrix.det() == 0:
            return None
        lines = terms.fixed.get(ZERO, []), *(terms.fixed[angle] for angle in angles)
        (d, to_d), (A, to_A), (B, to_B) = (self._polar(*pair) for pair in zip("dab", lines, strict=True))
        # the triangle of d, A, B: conj(d) A e^(i alpha) = -k + i w, conj(d) B e^(i beta) = -n - i w
        k, n = self.define("k", (d + A - B) / 2), self.define("n", (d + B - A) / 2)
        w = self.define("w", self.mode * sp.sqrt(d * A - k**2))
        found = sp.Matrix([sp.atan2(w, -k) + to_d - to_A, sp.atan2(-w, -n) + to_d - to_B])
        inverse = matrix.inv()
        if any(sum(entry != 0 for entry in inverse.row(i)) > 1 for i in (0, 1)):
            found = sp.Matrix([self.define("alpha", found[0]), self.define("beta", found[1])])
        return dict(zip(v, inverse * found, strict=True))

    def _two_slides(self, terms: Terms, v: tuple[sp.Symbol, sp.Symbol]) -> dict[sp.Symbol, sp.Expr] | None:
        """Return both slides by Cramer's rule: only angles between the vectors enter."""
        E, F = (terms.sliding[ZERO][k] for k in v)
        area = self.define("a", _area(E, F))
        if area == 0:
            return None
        d = terms.fixed.get(ZERO, [])
        return dict(zip(v, (_area(F, d) / area, _area(d, E) / area), strict=True))

    def _angle_and_slide(self, terms: Terms, angle: sp.Expr, slide: sp.Symbol) -> dict[sp.Symbol, sp.Expr] | None:
        ((guide, slides),) = terms.sliding.items()
        base = slides[slide][0][1]
        turns = [sp.expand(rest - base) for _, rest in slides[slide]]
        if not all(turn.is_number for turn in turns):
            return None
        E_x, E_y = (
            sum(size * f(t) for (size, _), t in zip(slides[slide], turns, strict=True)) for f in (sp.cos, sp.sin)
        )
        d, A = terms.fixed.get(ZERO, []), terms.fixed.get(angle, [])
        near, far = (A, d) if guide == angle else (d, A)
        size, to_far = self._polar("a", far)
        # near + s E = E (n + s + i m), as long as far
        x, y = self._seen("e", near, base)
        n, m = self.define("n", E_x * x + E_y * y), self.define("m", E_x * y - E_y * x)
        root = self.define("w", sp.sqrt(size - m**2))
        to_moved = base + sp.atan2(E_y, E_x) + sp.atan2(self.mode * m, root) + sp.pi * (1 - self.mode) / 2
        turn = to_far - to_moved if guide == angle else to_moved - to_far
        (other,) = (k for k in angle.free_symbols)
        return {slide: self.mode * root - n, other: angle.coeff(other) * (turn + sp.pi)}
