"""The equations of a general group: solved by `general.py`, and the basis of kernels and homotopies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.rows.affine import Affine
from structkin.rows.equations import Form
from structkin.rows.row import Row
from structkin.rows.trig_rows import TrigRow

from .kind import Array


@dataclass(frozen=True)
class Rows:
    """The rows of a group, in slots and numbers.

    The first slots are O and U of each of the `links` unknown links, the origin and the unit direction, followed by the
    `vectors` vector inputs. Numbers are scalar inputs and the counted angles of geared links: `scalars` and
    `angle_numbers` are their indices, `angles` the links. `row_sizes` are the divisors of the rows, so that all are
    lengths and their derivatives are of order one. `unit` marks the vector inputs that are unit vectors, `scalar_sizes`
    are the scales of the scalar inputs. `size` [m] makes angles and lengths comparable.
    """

    links: int
    vectors: int
    forms: tuple[Form, ...]
    row_sizes: tuple[float, ...]
    unit: tuple[bool, ...] = ()
    scalars: tuple[int, ...] = ()
    scalar_sizes: tuple[float, ...] = ()
    angles: tuple[int, ...] = ()
    angle_numbers: tuple[int, ...] = ()
    size: float = 1.0

    @property
    def count(self) -> int:
        """Number of scalar rows: three per link, and more if joints are redundant."""
        return len(self.forms)

    @property
    def slots(self) -> int:
        """Number of slots."""
        return 2 * self.links + self.vectors

    @property
    def numbers(self) -> int:
        """Number of scalar inputs and angles."""
        return len(self.scalars) + len(self.angles)

    @property
    def ties(self) -> tuple[Form, ...]:
        """Constraints between the unknowns of a link: (U.U - 1) / 2 for each, then U x E(theta) for each angle."""
        units = [Affine.slot(2 * link + 1) for link in range(self.links)]
        angles = zip(self.angles, self.angle_numbers, strict=True)
        return (
            *(Row.half_square(U).plus(-0.5) for U in units),
            *(TrigRow.tie(units[link], Row.sum_of({number: 1.0})) for link, number in angles),
        )

    def input_size(self, j: int) -> float:
        """Return the scale of an input, which makes inputs comparable."""
        if j >= self.vectors:
            return self.scalar_sizes[j - self.vectors]
        return 1.0 if self.is_unit(j) else self.size

    def units(self) -> Array:
        """Return the scale of each variable of the rows (2 slots + numbers,)."""
        numbers = np.ones(self.numbers)
        numbers[list(self.scalars)] = self.scalar_sizes
        slots = [*(self.size, 1.0) * self.links, *map(self.input_size, range(self.vectors))]
        return np.concatenate((np.repeat(slots, 2), numbers))

    def is_unit(self, j: int) -> bool:
        """Return whether an input is a unit vector."""
        return j < len(self.unit) and self.unit[j]

    @property
    def equations(self) -> int:
        """Number of residuals: the rows, one per unit direction, and one per angle."""
        return self.count + self.links + len(self.angles)
