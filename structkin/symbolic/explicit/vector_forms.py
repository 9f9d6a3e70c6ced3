"""Vectors of the explicit scheme in three forms: read in the plane, read in space, or shared.

All forms answer to +, -, a factor, `dot` and `cross`, so that the scheme is written once.

- `PlaneVector`, for models whose axes are all parallel: lengths at angles, and a part along the axis. A product of
  lengths at two angles is the cosine of their difference, so that what a textbook writes comes out without any
  trigonometric simplification.
- `SpaceVector`: a column in each body's own axes. A product brings the columns of two bodies together by the joints
  between them only.
- `GroundVector`: three components in ground axes, each an intermediate quantity with a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

ZERO = sp.Integer(0)


def _merge(a: Mapping[Any, Any], b: Mapping[Any, Any], sign: int) -> dict[Any, Any]:
    total = dict(a)
    for key, value in b.items():
        total[key] = total[key] + sign * value if key in total else sign * value
    return total


@dataclass(frozen=True)
class PlaneVector:
    """Lengths at absolute angles in the plane, and a part along its normal."""

    parts: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    normal: sp.Expr = ZERO

    def __add__(self, other: PlaneVector) -> PlaneVector:
        """Return the sum."""
        return PlaneVector(_merge(self.parts, other.parts, 1), self.normal + other.normal)

    def __sub__(self, other: PlaneVector) -> PlaneVector:
        """Return the difference."""
        return PlaneVector(_merge(self.parts, other.parts, -1), self.normal - other.normal)

    def __mul__(self, factor: sp.Expr) -> PlaneVector:
        """Return a multiple."""
        return PlaneVector({angle: factor * size for angle, size in self.parts.items()}, factor * self.normal)

    def dot(self, other: PlaneVector) -> sp.Expr:
        """Return the scalar product: cosines of differences of angles."""
        total = self.normal * other.normal
        for angle, size in self.parts.items():
            for angle2, size2 in other.parts.items():
                total += size * size2 * sp.cos(angle2 - angle)
        return total

    def cross(self, other: PlaneVector) -> PlaneVector:
        """Return the vector product."""
        quarter = sp.pi / 2
        turned = {angle + quarter: self.normal * size for angle, size in other.parts.items() if self.normal != 0}
        back = {angle + quarter: other.normal * size for angle, size in self.parts.items() if other.normal != 0}
        normal = ZERO
        for angle, size in self.parts.items():
            for angle2, size2 in other.parts.items():
                normal += size * size2 * sp.sin(angle2 - angle)
        return PlaneVector(_merge(turned, back, -1), normal)

    def is_zero(self) -> bool:
        """Whether nothing is left of it."""
        return self.normal == 0 and all(size == 0 for size in self.parts.values())


@dataclass(frozen=True)
class SpaceVector:
    """A column in the axes of each body of a few; `between(a, b)` turns columns of body b into the axes of a."""

    between: Callable[[int, int], sp.Matrix]
    parts: Mapping[int, sp.Matrix] = field(default_factory=dict)

    def __add__(self, other: SpaceVector) -> SpaceVector:
        """Return the sum."""
        return SpaceVector(self.between, _merge(self.parts, other.parts, 1))

    def __sub__(self, other: SpaceVector) -> SpaceVector:
        """Return the difference."""
        return SpaceVector(self.between, _merge(self.parts, other.parts, -1))

    def __mul__(self, factor: sp.Expr) -> SpaceVector:
        """Return a multiple."""
        return SpaceVector(self.between, {body: column * factor for body, column in self.parts.items()})

    def dot(self, other: SpaceVector) -> sp.Expr:
        """Return the scalar product, body by body."""
        total = ZERO
        for a, left in self.parts.items():
            for b, right in other.parts.items():
                total += (left.T * self.between(a, b) * right)[0]
        return total

    def cross(self, other: SpaceVector) -> SpaceVector:
        """Return the vector product, each in the axes of the body further out."""
        total = SpaceVector(self.between)
        for a, left in self.parts.items():
            for b, right in other.parts.items():
                at = max(a, b)
                column = (self.between(at, a) * left).cross(self.between(at, b) * right)
                total += SpaceVector(self.between, {at: column})
        return total

    def seen_from(self, body: int) -> SpaceVector:
        """Return the same vector as one column in the axes of a body."""
        column = sp.zeros(3, 1)
        for a, part in self.parts.items():
            column += self.between(body, a) * part
        return SpaceVector(self.between, {body: column.applyfunc(sp.expand)})

    def is_zero(self) -> bool:
        """Whether nothing is left of it."""
        return all(column.is_zero_matrix for column in self.parts.values())


@dataclass(frozen=True)
class GroundVector:
    """Three components in ground axes."""

    x: sp.Expr = ZERO
    y: sp.Expr = ZERO
    z: sp.Expr = ZERO

    def __add__(self, other: GroundVector) -> GroundVector:
        """Return the sum."""
        return GroundVector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: GroundVector) -> GroundVector:
        """Return the difference."""
        return GroundVector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: sp.Expr) -> GroundVector:
        """Return a multiple."""
        return GroundVector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: GroundVector) -> sp.Expr:
        """Return the scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: GroundVector) -> GroundVector:
        """Return the vector product."""
        return GroundVector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def is_zero(self) -> bool:
        """Whether nothing is left of it."""
        return all(part == 0 for part in (self.x, self.y, self.z))
