"""Affine expressions of slots, such as all points and directions of solved links.

A slot is a vector that a step of the plan computes. With plane vectors as complex numbers, the points and directions
of a rigid link are affine in two of them, and so are their derivatives of every order and their coefficients K and L.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Affine:
    """const + sum of factor * slot, with complex factors.

    >>> point = Affine(1 + 0j) + Affine.slot(0) * 2j
    >>> point.at([3 + 0j])
    (1+6j)
    """

    const: complex = 0j
    terms: tuple[tuple[int, complex], ...] = ()

    @classmethod
    def slot(cls, index: int) -> Affine:
        """Return this slot as an expression."""
        return cls(0j, ((index, 1 + 0j),))

    def __add__(self, other: Affine) -> Affine:
        """Return the sum."""
        factors = dict(self.terms)
        for slot, factor in other.terms:
            factors[slot] = factors.get(slot, 0j) + factor
        return Affine(self.const + other.const, tuple((s, f) for s, f in factors.items() if f != 0))

    def __sub__(self, other: Affine) -> Affine:
        """Return the difference."""
        return self + other * -1

    def __mul__(self, factor: complex) -> Affine:
        """Return the expression rotated and scaled by a complex number."""
        if factor == 0:
            return Affine()
        return Affine(self.const * factor, tuple((s, f * factor) for s, f in self.terms))

    def at(self, slots: Sequence[complex]) -> complex:
        """Return the value for these values of the slots."""
        return self.const + sum(factor * slots[slot] for slot, factor in self.terms)

    def components(self, slot: Callable[[int], Any]) -> tuple[Any, Any]:
        """Return the components of the value, from those of the slots (2, ...), which may be complex numbers.

        >>> (Affine(1 + 0j) + Affine.slot(0) * 2j).components(lambda _: (3.0, 1.0))
        (-1.0, 6.0)
        """
        x: Any = 0.0
        y: Any = 0.0
        for place, (index, factor) in enumerate(self.terms):
            a, b = slot(index)
            # Most are not turned, and many not scaled.
            if factor.imag:
                a, b = factor.real * a - factor.imag * b, factor.imag * a + factor.real * b
            elif factor.real != 1.0:
                a, b = factor.real * a, factor.real * b
            x, y = (x + a, y + b) if place else (a, b)
        # A sum that begins with zero has no negative zero, whose angle would be -pi.
        return x + (0.0 + self.const.real), y + (0.0 + self.const.imag)

    @property
    def is_slot(self) -> bool:
        """Whether the expression is one slot, unchanged."""
        return self.const == 0 and len(self.terms) == 1 and self.terms[0][1] == 1


@dataclass(frozen=True, slots=True)
class Frame:
    """The pose of a link: its origin and its unit direction."""

    origin: Affine
    direction: Affine

    def point(self, local: complex) -> Affine:
        """Return the point with these coordinates in the frame."""
        return self.origin + self.direction * local


def frames_in_slots(links: Sequence[str]) -> dict[str, Frame]:
    """Return the frames of links whose origins and directions are the slots themselves, two for each link."""
    return {link: Frame(Affine.slot(2 * k), Affine.slot(2 * k + 1)) for k, link in enumerate(links)}


#: The frame of the ground.
FIXED = Frame(Affine(), Affine(1 + 0j))
