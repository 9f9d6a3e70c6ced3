"""The equations of a general group: what `general.py` solves, and what kernels and homotopies are written from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.rows.affine import Affine
from structkin.rows.equations import Form
from structkin.rows.row import Row
from structkin.rows.windings import Winding

from .kind import Array


@dataclass(frozen=True)
class Rows:
    """The rows of a group, in slots and numbers.

    The first slots are O and U of each of the `links` unknown links, the origin and the unit direction; then come the
    `vectors` vector inputs. Numbers are scalar inputs and the counted angles of links that gears turn: `scalars` and
    `angle_numbers` tell which, `angles` of which links. `row_sizes` are what rows are divided by, so that all are
    lengths and their derivatives of the order of one. `unit` marks the vector inputs that are unit vectors,
    `scalar_sizes` are the sizes of the scalar inputs. `size` [m] makes angles and lengths comparable.
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
        """Number of scalar rows: three a link, and more where joints are redundant."""
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
        """What ties the unknowns of a link: (U.U - 1) / 2 of each, then U x E(theta) of each angle."""
        units = [Affine.slot(2 * link + 1) for link in range(self.links)]
        angles = zip(self.angles, self.angle_numbers, strict=True)
        return (
            *(Row.half_square(U).plus(-0.5) for U in units),
            *(Winding.tie(units[link], Row.sum_of({number: 1.0})) for link, number in angles),
        )

    def input_size(self, j: int) -> float:
        """Return the size of an input, which makes inputs comparable."""
        if j >= self.vectors:
            return self.scalar_sizes[j - self.vectors]
        return 1.0 if self.is_unit(j) else self.size

    def units(self) -> Array:
        """Return the size of each variable of the rows (2 slots + numbers,): lengths are compared with lengths."""
        numbers = np.ones(self.numbers)
        numbers[list(self.scalars)] = self.scalar_sizes
        slots = [*(self.size, 1.0) * self.links, *map(self.input_size, range(self.vectors))]
        return np.concatenate((np.repeat(slots, 2), numbers))

    def is_unit(self, j: int) -> bool:
        """Return whether an input is a unit vector."""
        return j < len(self.unit) and self.unit[j]

    @property
    def equations(self) -> int:
        """Number of residuals: the rows, then one a unit direction, then one an angle."""
        return self.count + self.links + len(self.angles)
