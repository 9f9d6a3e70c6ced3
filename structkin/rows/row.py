"""One row of a joint or driver: products of affine vectors, numbers, and a constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from structkin.rows.affine import Affine

#: w, a and b of Re(w conj(a) b).
Product = tuple[complex, Affine, Affine]


@dataclass(frozen=True)
class Row:
    """sum of Re(w conj(a) b) + sum of factor * number + constant, zero when the joint is closed.

    The slots of a and b are plane vectors; numbers are counted rotations and scalar inputs, by index. If a row
    `is_aligned`, a and b of its only product are not only parallel but have the same direction.

    >>> Row.dot(Affine.slot(0), Affine.slot(1)).products[0][0]
    1.0
    """

    products: tuple[Product, ...] = ()
    numbers: tuple[tuple[int, float], ...] = ()
    constant: float = 0.0
    is_aligned: bool = False

    @classmethod
    def part(cls, vector: Affine, axis: int) -> Row:
        """Return the x (0) or y (1) component of a vector as a row."""
        return cls(((-1j if axis else 1.0, Affine(1.0), vector),))

    @classmethod
    def dot(cls, a: Affine, b: Affine) -> Row:
        """Return a . b, the real part of conj(a) b."""
        return cls(((1.0, a, b),))

    @classmethod
    def cross(cls, a: Affine, b: Affine) -> Row:
        """Return a x b, the imaginary part of conj(a) b: the real part of -i conj(a) b."""
        return cls(((-1j, a, b),))

    @classmethod
    def aligned(cls, a: Affine, b: Affine) -> Row:
        """Return a x b of directions that are equal, not only parallel."""
        return replace(cls.cross(a, b), is_aligned=True)

    @classmethod
    def half_square(cls, a: Affine) -> Row:
        """Return half the square of the length of a."""
        return cls(((0.5, a, a),))

    @classmethod
    def sum_of(cls, terms: Mapping[int, float], constant: float = 0.0) -> Row:
        """Return a sum of factor * number and a constant."""
        return cls(numbers=tuple(terms.items()), constant=constant)

    def __add__(self, other: Row) -> Row:
        """Return the sum of two rows."""
        terms = dict(self.numbers)
        for number, factor in other.numbers:
            terms[number] = terms.get(number, 0.0) + factor
        return Row(self.products + other.products, tuple(terms.items()), self.constant + other.constant)

    def plus(self, constant: float) -> Row:
        """Return the row with a constant added."""
        return replace(self, constant=self.constant + constant)

    def times(self, factor: float) -> Row:
        """Return the row multiplied by a number."""
        products = tuple((factor * w, a, b) for w, a, b in self.products)
        return Row(products, tuple((k, factor * x) for k, x in self.numbers), factor * self.constant)
