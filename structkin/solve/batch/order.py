"""The order in which the joints of many linkages are found: the crank pin, then dyads, one after another.

A linkage has 2 f unknowns, the coordinates of its f joints that are not fixed, and an equation for each of its bars and
guides and one for its motor; a bar between two fixed joints is a part of the ground. With a joint of two bars whose
other ends are known, the joint is known, and so it is with one such bar and a guide on the ground. Where every joint is
found in this way and nothing is left over, these are its structural groups. Numba compiles this once; without it, it
runs as it is.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.compiled import kept
from structkin.types import Indices


class Way(IntEnum):
    """How a linkage is solved, or why it cannot be."""

    DYADS = 0
    #: By `Mechanism.solve`: joints are left that no dyad finds, or there are redundant bars or guides.
    ALONE = 1
    MOTOR_PIN_FIXED = 2
    MOTOR_PIVOT_FREE = 3
    MOTOR_WITHOUT_BAR = 4
    LOOSE_JOINT = 5
    TOO_FEW_BARS = 6
    #: In the loop as well: dyads, and triads of bars.
    TRIADS = 7


_DYADS, _ALONE, _TRIADS = int(Way.DYADS), int(Way.ALONE), int(Way.TRIADS)
_PIN_FIXED, _PIVOT_FREE, _NO_BAR = int(Way.MOTOR_PIN_FIXED), int(Way.MOTOR_PIVOT_FREE), int(Way.MOTOR_WITHOUT_BAR)
_LOOSE, _TOO_FEW = int(Way.LOOSE_JOINT), int(Way.TOO_FEW_BARS)
#: In place of the other end of a second bar: a guide on the ground.
GUIDE = -1
#: In place of the end of a first bar: the joint is the first of a triad, or one of the two that follow it.
TRIAD, OF_TRIAD = -1, -2


def _order(
    adjacency: Any,
    fixed: Any,
    guided: Any,
    motor: Any,
    dyads: Any,
    counts: Any,
    ways: Any,
    known: Any,
    near: Any,
    ends: Any,
    joined: Any,
) -> None:
    """Fill `dyads` (m, joints, 3), joint and the other ends of its two bars, their `counts` (m,) and `ways` (m,).

    The three joints of a triad follow each other, with `TRIAD` or `OF_TRIAD` and the other end of its bar.

    Scratch (joints + 1,): the `known` joints in the order in which they are found; at how many bars whose other end is
    known, and guides, a joint is `near` them, 2 where it is known itself; the other end of the first of these; and the
    joints that are `joined` to one.
    """
    count, joints, _ = adjacency.shape
    for k in range(count):
        pivot, pin = motor[k, 0], motor[k, 1]
        if fixed[k, pin]:
            ways[k] = _PIN_FIXED
            continue
        if not fixed[k, pivot]:
            ways[k] = _PIVOT_FREE
            continue
        if not adjacency[k, pivot, pin]:
            ways[k] = _NO_BAR
            continue
        found, guides = 0, 0
        for q in range(joints):
            near[q] = 0
            if guided[k, q]:
                near[q], ends[q] = 1, GUIDE
                guides += 1
            if fixed[k, q]:
                near[q] = 2
                known[found] = q
                found += 1
        free = joints - found
        near[pin] = 2
        known[found] = pin
        found += 1
        entries, grounded, dyad, at, triads = 0, 0, 0, 0, 0
        while at < found:
            one, bars = known[at], 0
            at += 1
            # Listed first, without a branch that a processor cannot predict.
            for q in range(joints):
                joined[bars] = q
                bars += adjacency[k, one, q]
            entries += bars
            for j in range(bars):
                q = joined[j]
                if fixed[k, one] and fixed[k, q]:
                    grounded += 1
                elif near[q] == 0:
                    near[q] = 1
                    ends[q] = one
                elif near[q] == 1:
                    near[q] = 2
                    known[found] = q
                    found += 1
                    dyads[k, dyad, 0] = q
                    is_second = ends[q] == GUIDE or one < ends[q]
                    dyads[k, dyad, 1] = one if is_second else ends[q]
                    dyads[k, dyad, 2] = ends[q] if is_second else one
                    dyad += 1
            if at == found < joints:
                # No dyad is left. A triad is three joints, each on a known bar and on one to each of the others.
                for q in range(joints):
                    for r in range(q + 1, joints if near[q] == 1 and ends[q] >= 0 else 0):
                        if near[r] != 1 or ends[r] < 0 or ends[r] == ends[q] or not adjacency[k, q, r]:
                            continue
                        for t in range(r + 1, joints if near[q] == 1 else 0):
                            is_third = near[t] == 1 and ends[t] >= 0 and ends[t] != ends[q] and ends[t] != ends[r]
                            if is_third and adjacency[k, q, t] and adjacency[k, r, t]:
                                for i in range(3):
                                    joint = q if i == 0 else r if i == 1 else t
                                    near[joint] = 2
                                    known[found] = joint
                                    found += 1
                                    dyads[k, dyad, 0], dyads[k, dyad, 2] = joint, ends[joint]
                                    dyads[k, dyad, 1] = TRIAD if i == 0 else OF_TRIAD
                                    dyad += 1
                                triads += 1
                                break
        loose = False
        for q in range(joints):
            if near[q] < 2:
                bars = 0
                for one in range(joints):
                    bars += adjacency[k, q, one]
                entries += bars
                loose = loose or bars == 0
        unknowns, equations = 2 * free, (entries - grounded) // 2 + guides + 1
        counts[k] = dyad
        if loose:
            ways[k] = _LOOSE
        elif equations < unknowns:
            ways[k] = _TOO_FEW
        elif found == joints and equations == unknowns:
            ways[k] = _TRIADS if triads else _DYADS
        else:
            ways[k] = _ALONE


order = kept(_order, error_model="numpy", nogil=True)


def ordered(
    adjacency: NDArray[np.bool_], fixed: NDArray[np.bool_], guided: NDArray[np.bool_], motor: Indices
) -> tuple[Indices, Indices, NDArray[np.int8]]:
    """Return the dyads (m, joints, 3) of linkages, joint and other ends of its bars, their counts and ways (m,).

    A joint that is `guided` (m, joints) on the ground has `GUIDE` for the end of a second bar.
    """
    m, joints = fixed.shape
    dyads, counts, ways = np.zeros((m, joints, 3), np.int64), np.zeros(m, np.int64), np.zeros(m, np.int8)
    order(adjacency, fixed, guided, motor, dyads, counts, ways, *np.zeros((4, joints + 1), np.int32))
    return dyads, counts, ways
