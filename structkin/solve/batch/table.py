"""The table of a part of the linkages: in which order their dyads are solved, with lengths and assembly modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RRR
from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, NEVER_FLAT
from structkin.plan.closing import half_square
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.order import Way
from structkin.types import Floats

#: A dyad that is drawn flatter than this is left to `Mechanism.solve`, which refuses it, or says that it always is.
DRAWN = 1.01 * max(DETERMINED, DOUBLE_ZERO**0.5)


@dataclass(frozen=True)
class Table:
    """The dyads of m linkages, `counts` (m,) of each, in an order in which they can be solved.

    `dyads` (m, joints, 3) are the joint and the other ends of its two bars, `halves` (m, joints, 2) the half squares of
    their lengths [m^2], `modes` (m, joints) the assembly modes, and `ways` (m,) is how each linkage is solved. With a
    discriminant above -`flat` (m, joints) a dyad may lack less than a length `apart` (m,) [m], of `NEVER_FLAT`.
    """

    linkages: Linkages
    dyads: NDArray[np.int32]
    counts: NDArray[np.int32]
    halves: Floats
    flat: Floats
    apart: Floats
    modes: Floats
    ways: NDArray[np.int8]

    @classmethod
    def of(cls, linkages: Linkages) -> Table:
        """Return the table of some linkages."""
        m, joints = linkages.fixed.shape
        dyads, counts, ways = linkages.ordered()
        halves, (flat, modes) = np.ones((m, joints, 2)), np.ones((2, m, joints))
        k, s = np.nonzero((np.arange(joints) < counts[:, None]) & (ways == Way.DYADS)[:, None])
        q, one, two = dyads[k, s].T
        places = linkages.places
        C, A, B = (places[k, joint] for joint in (q, one, two))
        # Of complex arrays the absolute value may be rounded in another way than that of a number.
        l1, l2 = (half_square(np.hypot((C - end).real, (C - end).imag)) for end in (A, B))
        h = (_vector(A), _vector(B), l1, l2)
        with np.errstate(all="ignore"):
            indicator = RRR().mode_indicator(h, (_vector(C),))
        halves[k, s, 0], halves[k, s, 1] = l1, l2
        # Copied with the joints first, in which NumPy finds extrema five times as fast.
        apart = NEVER_FLAT * np.ptp(linkages.points.transpose(1, 2, 0).copy(), axis=0).sum(axis=0)
        with np.errstate(divide="ignore"):
            # The slope of the discriminant by the distance of the ends is at most 4 / b, b the shorter bar.
            flat[k, s] = 8 * apart[k] / np.sqrt(2 * np.minimum(l1, l2))
        modes[k, s] = np.where(indicator > 0, 1.0, -1.0)
        ways[k[~(np.abs(indicator) > DRAWN)]] = Way.ALONE
        return cls(linkages, dyads, counts, halves, flat, apart, modes, ways)


def _vector(z: NDArray[np.complex128]) -> Floats:
    return np.stack((z.real, z.imag))
