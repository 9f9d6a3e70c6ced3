"""The table of a part of the linkages: in which order their dyads are solved, with constants and assembly modes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RRP, RRR
from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, NEVER_FLAT
from structkin.plan.closing import half_square
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.order import GUIDE, Way
from structkin.types import Floats, Indices

#: A dyad that is drawn flatter than this is left to `Mechanism.solve`, which refuses it, or says that it always is.
DRAWN = 1.01 * max(DETERMINED, DOUBLE_ZERO**0.5)


@dataclass(frozen=True)
class Table:
    """The dyads of m linkages, `counts` (m,) of each, in an order in which they can be solved.

    `dyads` (m, joints, 3) are the joint and the other ends of its two bars, `constants` (m, joints, 2) the half squares
    of their lengths [m^2], `modes` (m, joints) the assembly modes, and `ways` (m,) is how each linkage is solved. With
    a discriminant above -`flat` (m, joints) a dyad may lack less than a length `apart` (m,) [m], of `NEVER_FLAT`. Where
    linkages have guides, `constants` (m, joints, 6) of a bar and a guide are the half square of its length, a point of
    the guide [m], its direction, and 0: the other inputs of `RRP`.
    """

    linkages: Linkages
    dyads: NDArray[np.int32]
    counts: NDArray[np.int32]
    constants: Floats
    flat: Floats
    apart: Floats
    modes: Floats
    ways: NDArray[np.int8]

    @classmethod
    def of(cls, linkages: Linkages) -> Table:
        """Return the table of some linkages."""
        m, joints = linkages.fixed.shape
        dyads, counts, ways = linkages.ordered()
        # Copied with the joints first, in which NumPy finds extrema five times as fast.
        apart = NEVER_FLAT * np.ptp(linkages.points.transpose(1, 2, 0).copy(), axis=0).sum(axis=0)
        constants, (flat, modes) = np.zeros((m, joints, 6 if linkages.have_guides else 2)), np.ones((2, m, joints))
        table = cls(linkages, dyads, counts, constants, flat, apart, modes, ways)
        is_dyad = (np.arange(joints) < counts[:, None]) & (ways == Way.DYADS)[:, None]
        table._of_bars(*np.nonzero(is_dyad & (dyads[..., 2] != GUIDE)))
        if linkages.have_guides:
            table._of_guides(*np.nonzero(is_dyad & (dyads[..., 2] == GUIDE)))
        return table

    def _of_bars(self, k: Indices, s: Indices) -> None:
        """Fill in dyads of two bars, dyads s of linkages k."""
        q, one, two = self.dyads[k, s].T
        places = self.linkages.places
        C, A, B = (places[k, joint] for joint in (q, one, two))
        # Of complex arrays the absolute value may be rounded in another way than that of a number.
        l1, l2 = (half_square(np.hypot((C - end).real, (C - end).imag)) for end in (A, B))
        h = (_vector(A), _vector(B), l1, l2)
        with np.errstate(all="ignore"):
            indicator = RRR().mode_indicator(h, (_vector(C),))
        self.constants[k, s, 0], self.constants[k, s, 1] = l1, l2
        self._in_modes(k, s, indicator, np.minimum(l1, l2))

    def _of_guides(self, k: Indices, s: Indices) -> None:
        """Fill in dyads of a bar and a guide on the ground, dyads s of linkages k."""
        assert self.linkages.slides is not None
        q, one, _ = self.dyads[k, s].T
        places = self.linkages.places
        C, A = places[k, q], places[k, one]
        # In arrays a cosine may be rounded in another way than as a number.
        turns = self.linkages.slides[k, q, 0].tolist()
        D = np.array([[*map(math.cos, turns)], [*map(math.sin, turns)]])
        D = D / np.hypot(*D)
        half = half_square(np.hypot((C - A).real, (C - A).imag))
        with np.errstate(all="ignore"):
            indicator = RRP().mode_indicator((_vector(A), half, _vector(C), D, 0.0), (_vector(C),))
        self.constants[k, s, 0], self.constants[k, s, 1], self.constants[k, s, 2] = half, *_vector(C)
        self.constants[k, s, 3], self.constants[k, s, 4] = D
        self._in_modes(k, s, indicator, half)

    def _in_modes(self, k: Indices, s: Indices, indicator: Floats, shorter: Floats) -> None:
        """Set the modes of dyads by their indicators; `shorter` are half squares of their shorter bars."""
        with np.errstate(divide="ignore"):
            # The slope of the discriminant by the distance of the ends is at most 4 / b, b the shorter bar; by the
            # distance from a guide it is half of that.
            self.flat[k, s] = 8 * self.apart[k] / np.sqrt(2 * shorter)
        self.modes[k, s] = np.where(indicator > 0, 1.0, -1.0)
        self.ways[k[~(np.abs(indicator) > DRAWN)]] = Way.ALONE


def _vector(z: NDArray[np.complex128]) -> Floats:
    return np.stack((z.real, z.imag))
