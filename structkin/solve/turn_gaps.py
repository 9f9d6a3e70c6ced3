"""Turns of links behind a gap in a motion: known again where the drivers have come back.

Where a dyad cannot close, the motion has ended. Behind such a gap a closed form knows its pose again, but not how often
a link has turned on the way there, as there is none; a wheel that it drives could stand at any tooth. Driven back, the
motion comes again to where it was, and there its turns are those that they were.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.plan.plan import Plan, Slot, Step

Floats = NDArray[np.float64]

#: Drivers are back where they are nearer to where they were than this many of their largest steps.
STEPS = 2


def over_gaps(turns: Floats, ways: Sequence[Floats]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return turns (n,) along lanes, and which of them are not known as they lie behind a gap.

    `ways` are the drivers' values (n,) along the lanes. Where these have a gap themselves, the turns have taken the
    shorter way across it, if each driver has moved by less than half a turn.

    >>> z = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.4, 0.3, 0.2, 0.1])
    >>> turns, behind = over_gaps(np.array([0.0, 1.0, np.nan, np.nan, 2.0, 2.5, 2.0, np.nan, np.nan, 7.28]), [z])
    >>> np.flatnonzero(behind).tolist(), round(float(turns[-1]), 2)
    ([4, 5, 6], 1.0)
    """
    found, behind = np.array(turns), np.zeros(len(turns), bool)
    good = np.flatnonzero(np.isfinite(turns))
    cuts = np.flatnonzero(np.diff(good) > 1) + 1
    if not len(cuts):
        return found, behind
    z = np.stack(ways, axis=1) if ways else np.zeros((len(turns), 1))
    step = STEPS * np.nanmax(np.abs(np.diff(z, axis=0)), axis=0, initial=0.0)
    places = z / np.where(step > 0, step, 1.0)
    for run in np.split(good, cuts)[1:]:
        known = good[(good < run[0]) & ~behind[good]]
        if np.isnan(z[known[-1] : run[0]]).any() and np.all(np.abs(z[run[0]] - z[known[-1]]) < np.pi):
            continue
        back = _nearest(places[known], places[run])
        if back is None:
            behind[run] = True
        else:
            old, new = known[back[0]], run[back[1]]
            found[run] += 2 * np.pi * np.round((found[old] - found[new]) / (2 * np.pi))
    return found, behind


def paths_of(plan: Plan, step: Step, x: Floats, *, angles: bool = False) -> list[Floats]:
    """Return the values (n,) of the drivers that move a step, or only those of angles, from solved slots x (r, n).

    Of an angle they are counted along the lanes, which lie close together.
    """
    movers = frozenset[str]().union(*(plan.movers[item.index] for item in step.inputs if isinstance(item, Slot)))
    found: dict[str, Floats] = {}
    for item in plan.drivers:
        rows = x[plan.rows(item.slot)]
        if item.driver in movers and item.angular:
            angle, good = np.arctan2(rows[1], rows[0]), np.isfinite(rows[0])
            angle[good] = np.unwrap(angle[good])
            found[item.driver] = angle
        elif item.driver in movers and not angles:
            found.setdefault(item.driver, rows[0])
    return list(found.values())


def places_of(plan: Plan, x: Floats, size: float) -> list[Floats]:
    """Return where all drivers are, as places in one space (n,): directions of angles, lengths in parts of a size."""
    return [row if item.angular else row / size for item in plan.drivers for row in x[plan.rows(item.slot)]]


def _nearest(old: Floats, new: Floats) -> tuple[int, int] | None:
    """Return the places (n, k) of two sets that are nearest to each other; None where they are farther than one."""
    from scipy.spatial import cKDTree

    distance, index = (np.asarray(x) for x in cKDTree(old).query(new, distance_upper_bound=1.0))
    k = int(np.argmin(distance))
    return (int(index[k]), k) if np.isfinite(distance[k]) else None
