"""The table of a part of the linkages: in which order their dyads are solved, with constants and assembly modes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RRP, RRR
from structkin.kernels.text import Text
from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, NEVER_FLAT
from structkin.plan.closing import half_square
from structkin.solve.batch import rigid_at
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.order import GUIDE, Way
from structkin.types import Complexes, Floats, Indices

RIGID = Text("rigid_links", "order of linkages with rigid links", (rigid_at,))
#: A dyad that is drawn flatter than this is left to `Mechanism.solve`, which refuses it, or says that it always is.
DRAWN = 1.01 * max(DETERMINED, DOUBLE_ZERO**0.5)


@dataclass(frozen=True)
class Table:
    """The dyads of m linkages, `counts` (m,) of each, in an order in which they can be solved.

    `dyads` (m, joints, 3) are the joint and the other ends of its two bars, `constants` (m, joints, 2) the half squares
    of their lengths [m^2], `modes` (m, joints) the assembly modes, and `ways` (m,) is how each linkage is solved. With
    a discriminant above -`flat` (m, joints) a dyad may lack less than a length `apart` (m,) [m], of `NEVER_FLAT`. Where
    linkages have guides, `constants` (m, joints, 6) of a bar and a guide are the half square of its length, a point of
    the guide [m], its direction, and 0: the other inputs of `RRP`. Rigid links have sums of `terms` (m, terms, 3)
    besides; see `order_of_links`.
    """

    linkages: Linkages
    dyads: NDArray[np.int32]
    counts: NDArray[np.int32]
    constants: Floats
    terms: Floats
    flat: Floats
    apart: Floats
    modes: Floats
    ways: NDArray[np.int8]

    @classmethod
    def of(cls, linkages: Linkages, *, rigid: bool) -> Table:
        """Return the table of some linkages; those with rigid links are left to `Mechanism.solve` unless `rigid`."""
        m, joints = linkages.fixed.shape
        dyads, counts, ways = linkages.ordered()
        # Copied with the joints first, in which NumPy finds extrema five times as fast.
        apart = NEVER_FLAT * np.ptp(linkages.points.transpose(1, 2, 0).copy(), axis=0).sum(axis=0)
        constants, (flat, modes) = np.zeros((m, joints, 6 if linkages.go_beyond_bars else 2)), np.ones((2, m, joints))
        table = cls(linkages, dyads, counts, constants, np.zeros((1, 0, 3)), flat, apart, modes, ways)
        arms: Complexes | None = None
        if rigid and linkages.bodies is not None:
            table, arms = table._with_links()
        is_dyad = (np.arange(joints) < counts[:, None]) & (ways == Way.DYADS)[:, None]
        for fill, which in ((table._of_bars, dyads[..., 2] > GUIDE), (table._of_guides, dyads[..., 2] == GUIDE)):
            k, s = np.nonzero(is_dyad & which)
            if len(k):
                fill(k, s, table._arms(k, s) if arms is None else arms[k, s].T)
        return table

    def _with_links(self) -> tuple[Table, Complexes]:
        """Return the table with those linkages whose rigid links are in dyads, and the arms (m, joints, 2) of dyads."""
        linkages, joints = self.linkages, self.linkages.joints
        assert linkages.bodies is not None
        arms = np.zeros((*self.modes.shape, 2), complex)
        k, s = np.nonzero(np.arange(joints) < self.counts[:, None])
        arms[k, s] = self._arms(k, s).T
        terms = np.zeros((len(linkages), rigid_at.TERMS * joints, 3))
        has_links = (linkages.bodies >= 0).any(axis=1) & (self.ways == Way.ALONE)
        some = np.flatnonzero(has_links & ~(linkages.guides & ~linkages.guided).any(axis=1))
        given = (linkages.adjacency, linkages.fixed, linkages.guided, linkages.bodies, linkages.motor, linkages.places)
        whole: list[NDArray[Any]] = [self.dyads, self.counts, self.ways, arms, self.constants, terms]
        filled = [array[some] for array in whole]
        rows = joints + 3
        vectors, factors = np.zeros((rows, joints + 1), np.int64), np.zeros((rows, joints + 1), complex)
        sums = np.zeros(rows, complex), np.zeros(rows, np.int64), vectors, factors
        RIGID.compiled["order_of_links"](
            *(array[some] for array in given), *filled, np.zeros((5, joints), np.int64), sums
        )
        for array, new in zip(whole, filled, strict=True):
            array[some] = new
        return replace(self, terms=terms), arms

    def _arms(self, k: Indices, s: Indices) -> Complexes:
        """Return the vectors (2, d) from the ends of dyads s of linkages k to their joints."""
        places = self.linkages.places
        q, one, two = self.dyads[k, s].T
        return np.stack((places[k, q] - places[k, one], places[k, q] - places[k, two]))

    def _of_bars(self, k: Indices, s: Indices, arms: Complexes) -> None:
        """Fill in dyads of two bars, dyads s of linkages k, whose `arms` (2, d) have the lengths of the bars."""
        places = self.linkages.places
        A, B, C = (_vector(places[k, joint]) for joint in self.dyads[k, s].T[[1, 2, 0]])
        l1, l2 = map(_half_square, arms)
        with np.errstate(all="ignore"):
            indicator = RRR().mode_indicator((A, B, l1, l2), (C,))
        self.constants[k, s, 0], self.constants[k, s, 1] = l1, l2
        self._in_modes(k, s, indicator, np.minimum(l1, l2))

    def _of_guides(self, k: Indices, s: Indices, arms: Complexes) -> None:
        """Fill in dyads of a bar and a guide on the ground, dyads s of linkages k; `arms` as in `_of_bars`."""
        assert self.linkages.slides is not None
        places = self.linkages.places
        q, one, _ = self.dyads[k, s].T
        A, C = _vector(places[k, one]), _vector(places[k, q])
        # In arrays a cosine may be rounded in another way than as a number.
        turns = self.linkages.slides[k, q, 0].tolist()
        D = np.array([[*map(math.cos, turns)], [*map(math.sin, turns)]])
        D = D / np.hypot(*D)
        half = _half_square(arms[0])
        with np.errstate(all="ignore"):
            indicator = RRP().mode_indicator((A, half, C, D, 0.0), (C,))
        self.constants[k, s, 0] = half
        self.constants[k, s, 1:3], self.constants[k, s, 3:5] = C.T, D.T
        self._in_modes(k, s, indicator, half)

    def _in_modes(self, k: Indices, s: Indices, indicator: Floats, shorter: Floats) -> None:
        """Set the modes of dyads by their indicators; `shorter` are half squares of their shorter bars."""
        with np.errstate(divide="ignore"):
            # The slope of the discriminant by the distance of the ends is at most 4 / b, b the shorter bar; by the
            # distance from a guide it is half of that.
            self.flat[k, s] = 8 * self.apart[k] / np.sqrt(2 * shorter)
        self.modes[k, s] = np.where(indicator > 0, 1.0, -1.0)
        self.ways[k[~(np.abs(indicator) > DRAWN)]] = Way.ALONE


def _half_square(arm: Complexes) -> Floats:
    # Of complex arrays the absolute value may be rounded in another way than that of a number.
    return np.asarray(half_square(np.hypot(arm.real, arm.imag)))


def _vector(z: NDArray[np.complex128]) -> Floats:
    return np.stack((z.real, z.imag))
