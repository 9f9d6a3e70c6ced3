"""Following a mechanism over the samples of a schedule: stations are walked to, the samples between them predicted.

The samples between two stations start from the quintic through both, so that they close together, each by its own
Newton-Raphson iterations, in one or two of them. Where the path cannot be followed even in small steps, the samples are
out of reach, up to where the drivers return near solved ones. Turns of a single driver that only repeat the first one
need no stations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.between import miss
from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.diagnosis import Outcome, nearest_pose, newton_raphson
from structkin.global_methods.gaps import pass_singular
from structkin.global_methods.newton import close
from structkin.global_methods.open_block import open_links
from structkin.global_methods.resume import resume
from structkin.global_methods.turns import Turns
from structkin.global_methods.walk import Failure, Walk
from structkin.plan.status import Status
from structkin.track.tolerances import SINGULAR, TRIALS

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: First and largest distance between two stations [rad, or parts of the mechanism's size].
FIRST, LONGEST = 0.1, 0.35
#: After a station that took fewer iterations than this the next one is further away.
EASE = 3


def follow(walk: Walk, progress: Callable[[float], None] | None = None) -> None:
    """Walk to all stations; every sample then has a prediction, or a status that says why not."""
    ways = _ways(walk)
    ends = _ends(walk)
    # From the last but one end on, a single driven angle turns steadily.
    steady = int(np.append(0, ends)[-2]) if walk.turning else -1
    turns: Turns | None = None
    k, pose = _begin(walk)
    before: Curve | None = None
    stride = FIRST
    last = len(walk.lanes) - 1
    while pose is not None and k < last:
        if k == steady:
            turns = Turns(walk, pose, float(np.sign(walk.at(last) - walk.at(k))[0, 0]))
        if progress is not None:
            progress(k / last)
        if walk.lanes[k + 1] != walk.lanes[k] + 1:
            k, pose = resume(walk, k, Status.OUT_OF_REACH, across=True)
            before = turns = None
            continue
        end = int(ends[np.searchsorted(ends, k + 1)])
        target = min(max(k + 1, int(np.searchsorted(ways, ways[k] + stride, side="right")) - 1), end)
        if turns is not None and turns.ends_before(target) and turns.repeat(k, pose, before):
            return
        found = walk.step(pose, walk.at(target), before)
        if found is None and target > k + 1:
            stride = 0.5 * min(stride, ways[target] - ways[k])
            continue
        if found is None:
            found = walk.walk(pose, walk.at(target))
        if found is None:
            target, found = pass_singular(walk, k, end, pose, before)
        if found is None:
            k, pose = resume(walk, k, miss(walk, k + 1, pose))
            before = turns = None
            continue
        before = Curve(pose, found)
        walk.predict(walk.lanes[k + 1 : target], before, walk.values[:, k + 1 : target])
        walk.keep(target, found)
        if turns is not None:
            turns.curves.append(before)
        stride = min(LONGEST, 2 * stride) if found.iterations < EASE else stride
        k, pose = target, found


def _ways(walk: Walk) -> Floats:
    """Return the path length of the drivers from the first sample to each [rad, or parts of the mechanism's size]."""
    step = np.diff(walk.values, axis=1) / walk.units
    length = np.abs(step[0]) if len(step) == 1 else np.sqrt(np.sum(step**2, axis=0))
    return np.concatenate(([0.0], np.cumsum(length)))


def _ends(walk: Walk) -> Ints:
    """Return the places that need a station: before missing samples, where a driver reverses, at the end."""
    breaks = np.diff(walk.lanes) > 1
    for step in np.diff(walk.values, axis=1):
        moving = np.flatnonzero(step)
        breaks[moving[1:]] |= step[moving[1:]] * step[moving[:-1]] < 0
    return np.append(np.flatnonzero(breaks), len(walk.lanes) - 1)


def _begin(walk: Walk) -> tuple[int, Pose | None]:
    """Close the mechanism from the sketch, at the first sample where that succeeds."""
    walk.status[walk.lanes] = Status.NOT_CONVERGED
    start = walk.scaled.coordinates.start()
    singular: list[tuple[int, Pose]] = []
    for k in range(min(len(walk.lanes), TRIALS)):
        z = walk.at(k)
        scaled = walk.scaled.choose(start, z) if walk.scaled.redundant else walk.scaled
        found = close(scaled, start, z, 30)
        if not found.converged[0]:
            found = close(scaled, nearest_pose(scaled, start, z), z, 30)
        pose = Pose(scaled, z, found.q, int(found.iterations[0]))
        turned = np.max(np.abs(found.q - start) / scaled.coordinates.column_units[:, None])
        if found.converged[0] and turned < 0.5 * np.pi and walk.agrees(pose):
            if pose.strength >= SINGULAR:
                return _start(walk, k, pose, [j for j, _ in singular])
            singular.append((k, pose))
            continue
        if k == 0:
            run = newton_raphson(scaled.coordinates, start, z)
            links = open_links(scaled, start, z) or Pose(scaled, z, start).weakest_links
            walk.failures.append(Failure(int(walk.lanes[0]), run.outcome, run.rows, links))
            if run.outcome is Outcome.NO_SOLUTION:
                walk.status[walk.lanes] = Status.OUT_OF_REACH
    return _start(walk, *singular[0], []) if singular else (0, None)


def _start(walk: Walk, k: int, pose: Pose, singular: list[int]) -> tuple[int, Pose]:
    """Keep the first station; singular samples before it are predicted from it, to be checked with the others."""
    for j in singular:
        lane = walk.lanes[j]
        walk.q[:, [lane]], walk.status[lane] = pose.taylor(walk.at(j)), Status.OK
        walk.suspect[lane] = True
        walk.note(int(lane), pose.scaled)
    walk.keep(k, pose)
    return k, pose
