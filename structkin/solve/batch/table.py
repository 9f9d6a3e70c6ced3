"""The table of a part of the linkages: in which order their dyads are solved, with constants and assembly modes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RRP, RRR
from structkin.kernels.text import Text
from structkin.plan.closing import half_square
from structkin.solve.batch import clear_at, rigid_at, table_at
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.order import GUIDE, TRIAD, Way
from structkin.types import Complexes, Floats, Indices

RIGID = Text("rigid_links", "order of linkages with rigid links", (rigid_at,))
#: Of modes, where vectors are complex numbers, the text is that of the group.
INDICATOR = (clear_at.dot, clear_at.cross, RRR.mode_indicator)
DYADS = Text("dyads", "constants of dyads", (table_at, half_square, *INDICATOR))


@dataclass(frozen=True)
class Table:
    """The dyads of m linkages, `counts` (m,) of each, in an order in which they can be solved.

    `dyads` (m, joints, 3) are the joint and the other ends of its two bars, `constants` (m, joints, 2) the half squares
    of their lengths [m^2], `modes` (m, joints) the assembly modes, and `ways` (m,) is how each linkage is solved. With
    a discriminant above -`flat` (m, joints) a dyad may lack less than a length `apart` (m,) [m], of `NEVER_FLAT`. Where
    linkages have guides, `constants` (m, joints, 6) of a bar and a guide are the half square of its length, a point of
    the guide [m], its direction, and 0: the other inputs of `RRP`. Rigid links have sums of `terms` (m, terms, 3)
    besides; see `order_of_links`.
    The `constants` of the three joints of a triad begin with the half square of the length of each one's bar; those of
    the first have the size of the group then, the distance of the second joint, and the place of the third one where
    the first is the origin and the second on the x axis.
    """

    linkages: Linkages
    dyads: Indices
    counts: Indices
    constants: Floats
    terms: Floats
    flat: Floats
    apart: Floats
    modes: Floats
    ways: NDArray[np.int8]

    @classmethod
    def of(cls, linkages: Linkages, *, rigid: bool, triads: bool = False) -> Table:
        """Return the table of some linkages; those with rigid links are left to `Mechanism.solve` unless `rigid`.

        So are those with triads, unless `triads` are wanted.
        """
        m, joints = linkages.fixed.shape
        dyads, counts, ways = linkages.ordered()
        if not triads:
            ways[ways == Way.TRIADS] = Way.ALONE
        has_triads = bool((ways == Way.TRIADS).any())
        constants = np.zeros((m, joints, 6 if linkages.go_beyond_bars or has_triads else 2))
        apart, (flat, modes) = np.zeros(m), np.ones((2, m, joints))
        table = cls(linkages, dyads, counts, constants, np.zeros((1, 0, 3)), flat, apart, modes, ways)
        arms = np.empty((0, 0, 2), complex)
        if rigid and linkages.bodies is not None:
            table, arms = table._with_links()
        # Without the loop linkages take so long that nothing is worth compiling.
        functions = DYADS.compiled if rigid else DYADS.plain()
        with np.errstate(all="ignore"):
            filled = constants, apart, flat, modes, ways
            functions["fill"](table.dyads, table.counts, linkages.points, linkages.motor, arms, *filled)
            if linkages.guides.any():
                functions["set_modes"](*table._of_guides(arms), *filled[1:])
            if has_triads:
                table._of_triads()
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

    def _of_guides(self, arms: Complexes) -> tuple[Floats, Floats, Indices]:
        """Fill in the constants of dyads of a bar and a guide on the ground.

        Return the indicators of their modes, half squares of their bars, and which (2, d) they are.
        """
        assert self.linkages.slides is not None
        is_dyad = np.arange(self.linkages.joints) < self.counts[:, None]
        is_dyad &= np.isin(self.ways, (Way.DYADS, Way.TRIADS))[:, None] & (self.dyads[..., 1] >= 0)
        k, s = np.nonzero(is_dyad & (self.dyads[..., 2] == GUIDE))
        places = self.linkages.places
        q, one, _ = self.dyads[k, s].T
        A, C = _vector(places[k, one]), _vector(places[k, q])
        # In arrays a cosine may be rounded in another way than as a number.
        turns = self.linkages.slides[k, q, 0].tolist()
        D = np.array([[*map(math.cos, turns)], [*map(math.sin, turns)]])
        D = D / np.hypot(*D)
        half = _half_square(places[k, q] - places[k, one] if not len(arms) else arms[k, s, 0])
        indicators = RRP().mode_indicator((A, half, C, D, 0.0), (C,))
        self.constants[k, s, 0] = half
        self.constants[k, s, 1:3], self.constants[k, s, 3:5] = C.T, D.T
        return indicators, half, np.stack((k, s))

    def _of_triads(self) -> None:
        """Fill in the constants of triads."""
        is_first = self.dyads[..., 1] == TRIAD
        is_first &= (np.arange(self.linkages.joints) < self.counts[:, None]) & (self.ways == Way.TRIADS)[:, None]
        k, s = np.nonzero(is_first)
        places, joints = self.linkages.places, self.linkages.joints
        own = [self.dyads[k, s + j, 0] for j in range(3)]
        ends = [self.dyads[k, s + j, 2] for j in range(3)]
        z, A = (np.array([places[k, joint] for joint in some]) for some in (own, ends))
        for j in range(3):
            self.constants[k, s + j, 0] = _half_square(z[j] - A[j])
        # The size of the group is the longest of the bars that `plan.general_rows` keeps: the first one at each joint.
        size = np.zeros(len(k))
        for j in range(3):
            beside = np.array([ends[j], own[j - 1], own[j - 2]])
            first = np.argmin(joints * np.minimum(beside, own[j]) + np.maximum(beside, own[j]), axis=0)
            size = np.maximum(size, np.abs(places[k, beside[first, np.arange(len(k))]] - z[j]))
        base = np.abs(z[1] - z[0])
        arm = (z[2] - z[0]) * base / (z[1] - z[0])
        self.constants[k, s, 2:] = np.stack((size, base, arm.real, arm.imag), axis=1)


def _half_square(arm: Complexes) -> Floats:
    # Of complex arrays the absolute value may be rounded in another way than that of a number.
    return np.asarray(half_square(np.hypot(arm.real, arm.imag)))


def _vector(z: NDArray[np.complex128]) -> Floats:
    return np.stack((z.real, z.imag))
