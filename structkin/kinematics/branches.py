"""The branches of a motion that cross at a change point: every choice of smooth roots that closes the mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.circles import RADII, Circles, go_around
from structkin.kinematics.engine import Around
from structkin.kinematics.schedule import Schedule
from structkin.kinematics.smoothing import replaced, ways_at

if TYPE_CHECKING:
    from structkin.kinematics.motion import Motion

Floats = NDArray[np.float64]

#: More branches than this are not listed: a row of n flat dyads has up to two to the power of n.
MOST = 64


def branches_at(motion: Motion, sample: int) -> tuple[Motion, ...]:
    """Return the branches that cross at a sample as motions of one sample, the one that the motion keeps first."""
    found: list[Motion] = []
    pending: list[dict[int, int]] = [{}]
    while pending and len(found) < MOST:
        slopes = pending.pop()
        circles = _around(motion, sample, slopes)
        touched = [step for step, s0 in circles.touch.items() if np.isfinite(s0[0]) and step < circles.until[0]]
        for k, step in enumerate(touched):
            if step not in slopes:
                before = {other: slopes.get(other, 1) for other in touched[:k]}
                pending.append({**before, step: -1})
        if touched and circles.until[0] == len(motion.plan.steps):
            found.append(_branch(motion, sample, circles))
    around = motion.lanes.around
    if not found and motion.ok[sample] and around is not None and sample in around.at:
        # The roots of a general group are not told apart here: only the branch that the motion keeps is known.
        return (_one(motion, sample),)
    if motion.ok[sample]:
        found.sort(key=lambda branch: _apart(motion, sample, branch))
    return tuple(found)


def _around(motion: Motion, sample: int, slopes: dict[int, int]) -> Circles:
    schedule = Schedule(motion.mechanism, motion.t, motion.drivers)
    ways, _ = ways_at(schedule, np.array([sample]))
    speed = max(abs(float(way[0])) / schedule.unit(id) for id, way in ways.items())
    lines = {id: way / speed for id, way in ways.items()}
    values = {id: z[0, [sample]] for id, z in motion.drivers.items()}

    def signs(step: int, s0: Floats) -> Floats:
        mode = motion.plan.steps[step].mode
        return np.where(np.isnan(s0), mode, slopes.get(step, 1)).astype(float)

    result: Circles | None = None
    for radius in RADII:
        result = go_around(motion.plan, values, lines, radius, signs, motion.lanes.x[0][:, [sample]]).over(result)
        if result.until[0] == len(motion.plan.steps):
            break
    assert result is not None
    return result


def _branch(motion: Motion, sample: int, circles: Circles) -> Motion:
    branch = _one(motion, sample)
    around = Around(np.array([0]), circles.x[:, 0])
    return replace(branch, lanes=replaced(motion.plan, replace(branch.lanes, around=around)))


def _one(motion: Motion, sample: int) -> Motion:
    """Return the motion at one sample."""
    one = np.array([sample])
    return replace(
        motion,
        t=motion.t[one],
        drivers={id: z[:, one] for id, z in motion.drivers.items()},
        lanes=motion.lanes.take(one),
        thirds={id: z[one] for id, z in motion.thirds.items()},
    )


def _apart(motion: Motion, sample: int, branch: Motion) -> float:
    """Return how far the tangents of the links differ from those of the motion."""
    links = motion.mechanism.topology.moving_links
    return float(sum(np.abs(motion.K(link)[sample] - branch.K(link)[0]).sum() for link in links))
