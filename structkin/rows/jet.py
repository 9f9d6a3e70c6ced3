"""Automatic differentiation along up to three directions at once, for relations that are not polynomials.

A jet is a value with its mixed derivatives along k directions: `parts[mask]` is the derivative along the directions
whose bits are set. Products follow Leibniz's rule, functions of a jet Faa di Bruno's formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import mul
from typing import Any

import numpy as np

from structkin.rows.periodic import Function, angle_of, derivatives


class Jet:
    """A scalar (n,) with its mixed derivatives along k directions, 2^k parts.

    >>> x = Jet((3.0, 1.0, 1.0, 0.0))   # x itself, twice along the same direction
    >>> (x * x).parts
    (9.0, 6.0, 6.0, 2.0)
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        """Store value and derivatives in the order of the masks 0, 1, 2, 3, ..."""
        self.parts = tuple(parts)

    def __add__(self, other: Jet) -> Jet:
        """Return the sum."""
        return Jet([a + b for a, b in zip(self.parts, other.parts, strict=True)])

    def __sub__(self, other: Jet) -> Jet:
        """Return the difference."""
        return Jet([a - b for a, b in zip(self.parts, other.parts, strict=True)])

    def __mul__(self, other: Jet) -> Jet:
        """Return the product."""
        return Jet(product(mul, self.parts, other.parts))

    def of(self, derivatives: Sequence[Any]) -> Jet:
        """Return a function of this jet from its value and derivatives at `parts[0]`."""
        parts = []
        for mask in range(len(self.parts)):
            total: Any = 0.0 if mask else derivatives[0]
            for blocks in _partitions(mask):
                product = derivatives[len(blocks)]
                for block in blocks:
                    product = product * self.parts[block]
                total = total + product
            parts.append(total)
        return Jet(parts)

    def follow(self, function: Function) -> Jet:
        """Return a function of this angle."""
        count = len(self.parts).bit_length()
        return self.of(derivatives(function, self.parts[0], count))


def product(form: Callable[[Any, Any], Any], a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Return a bilinear form with its derivatives along k directions, by Leibniz's rule.

    Both factors have the same layout: part `mask` is the derivative along the directions whose bits are set.

    >>> product(mul, (3.0, 1.0), (2.0, 5.0))
    [6.0, 17.0]
    """
    return [sum(form(a[sub], b[mask ^ sub]) for sub in _subsets(mask)) for mask in range(len(a))]


Vector = tuple[Jet, Jet]


def vector(parts: Sequence[Any]) -> Vector:
    """Return the two components of vectors (2, n), given with their derivatives."""
    return Jet([part[0] for part in parts]), Jet([part[1] for part in parts])


def seen_from(a: Vector, b: Vector) -> Vector:
    """Return a times the conjugate of b, as complex numbers: the vector a relative to the direction b."""
    return a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]


def length(a: Vector) -> Jet:
    """Return the length of a vector."""
    square = a[0] * a[0] + a[1] * a[1]
    x = square.parts[0]
    r = np.sqrt(x)
    return square.of((r, 0.5 / r, -0.25 / (r * x), 0.375 / (r * x * x)))


def angle(a: Vector) -> Jet:
    """Return the angle of a vector; its value is in (-pi, pi]."""
    x, y = a[0].parts[0], a[1].parts[0]
    square = x * x + y * y
    # Relative to its own value the vector is (1, 0), and the angle is arctan(q) at q = 0.
    here = tuple(Jet((part / square, *(0.0,) * (len(a[0].parts) - 1))) for part in (x, y))
    along, across = seen_from(a, (here[0], here[1]))
    q = across * along.of((1.0, -1.0, 2.0, -6.0))
    return q.of((angle_of(np.stack(np.broadcast_arrays(x, y))), 1.0, 0.0, -2.0))


@cache
def _subsets(mask: int) -> tuple[int, ...]:
    return tuple(sub for sub in range(mask + 1) if sub & mask == sub)


@cache
def _partitions(mask: int) -> tuple[tuple[int, ...], ...]:
    """Return the ways to divide the bits of a mask into blocks."""

    def divide(rest: int) -> Iterator[tuple[int, ...]]:
        if not rest:
            yield ()
            return
        lowest = rest & -rest
        for block in _subsets(rest):
            if block & lowest:
                for others in divide(rest ^ block):
                    yield (block, *others)

    return tuple(divide(mask)) if mask else ()
