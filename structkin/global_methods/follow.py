"""Following a mechanism over the samples of a schedule: stations are tracked, the samples between them predicted.

The samples between two stations start from the quintic through both, so that they close together, each by its own
Newton-Raphson iterations, in one or two of them. Where the path cannot be followed even in small steps, the samples are
out of reach, up to where the groups know their pose again (`resume`). Turns of a single driver that only repeat the
first one need no stations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structkin.global_methods.between import miss
from structkin.global_methods.branch_tracker import BranchTracker, Failure
from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.diagnosis import Outcome, nearest_pose, newton_raphson, open_links
from structkin.global_methods.gaps import pass_singular
from structkin.global_methods.newton import close
from structkin.global_methods.resume import follow_groups, resume
from structkin.global_methods.turns import Turns
from structkin.numerical_tolerances import SINGULAR
from structkin.plan.status import Status
from structkin.track.contour import is_undecided
from structkin.types import Floats, Indices

#: First and largest distance between two stations [rad, or parts of the mechanism's size].
FIRST, LONGEST = 0.1, 0.35
#: After a station that took fewer iterations than this the next one is further away.
EASE = 3
#: A pose that is further from the sketch may be in another mode [parts of the size or rad].
BESIDE = 0.3
#: Most samples tried while the mechanism is singular.
SINGULAR_STARTS = 24


def follow(tracker: BranchTracker, progress: Callable[[float], None] | None = None) -> None:
    """Track to all stations; every sample then has a prediction, or a status that says why not."""
    lengths = _path_lengths(tracker)
    ends = _ends(tracker)
    # From the last but one end on, a single driven angle turns steadily.
    steady = int(np.append(0, ends)[-2]) if tracker.turning else -1
    turns: Turns | None = None
    k, pose = _begin(tracker)
    before: Curve | None = None
    stride = FIRST
    last = len(tracker.lanes) - 1
    while pose is not None and k < last:
        if k == steady:
            turns = Turns(tracker, pose, float(np.sign(tracker.at(last) - tracker.at(k))[0, 0]))
        if progress is not None:
            progress(k / last)
        if tracker.lanes[k + 1] != tracker.lanes[k] + 1:
            k, pose = resume(tracker, k, Status.OUT_OF_REACH, across=True)
            before = turns = None
            continue
        end = int(ends[np.searchsorted(ends, k + 1)])
        target = min(max(k + 1, int(np.searchsorted(lengths, lengths[k] + stride, side="right")) - 1), end)
        if turns is not None and turns.ends_before(target) and turns.repeat(k, pose, before):
            return
        found = tracker.step(pose, tracker.at(target), before)
        way: list[Curve] = []
        if found is None and target > k + 1:
            stride = 0.5 * min(stride, lengths[target] - lengths[k])
            continue
        undecided = found is None and is_undecided(tracker.misses)
        if found is None and not undecided:
            way = tracker.track_to(pose, tracker.at(target))
            found = way[-1].b if way else None
            undecided = is_undecided(tracker.misses)
        if found is None and not undecided:
            target, found = pass_singular(tracker, k, end, pose, before)
        if found is None:
            place, proved = follow_groups(tracker, k)
            if proved is not None:
                k, pose, before, turns = place, proved, None, None
                continue
        if undecided:
            lane = int(tracker.lanes[k + 1])
            tracker.failures.append(Failure(lane, Outcome.SINGULAR_POSE, (), (tracker.reached or pose).weakest_links))
            k, pose = resume(tracker, k, Status.UNCERTIFIED)
            before = turns = None
            continue
        if found is None:
            k, pose = resume(tracker, k, miss(tracker, k + 1, pose))
            before = turns = None
            continue
        # Of several steps there are no samples in between.
        way = way or [Curve(pose, found)]
        before = way[-1]
        tracker.predict(tracker.lanes[k + 1 : target], before, tracker.values[:, k + 1 : target])
        tracker.keep(target, found)
        if turns is not None:
            turns.curves += way
        stride = min(LONGEST, 2 * stride) if found.iterations < EASE else stride
        k, pose = target, found


def _path_lengths(tracker: BranchTracker) -> Floats:
    """Return the path length of the drivers from the first sample to each [rad, or parts of the mechanism's size]."""
    step = np.diff(tracker.values, axis=1) / tracker.units
    length = np.abs(step[0]) if len(step) == 1 else np.sqrt(np.sum(step**2, axis=0))
    return np.concatenate(([0.0], np.cumsum(length)))


def _ends(tracker: BranchTracker) -> Indices:
    """Return the places that need a station: those near others, before gaps, where a driver reverses, at the end."""
    breaks = np.diff(tracker.lanes) > 1
    for step in np.diff(tracker.values, axis=1):
        moving = np.flatnonzero(step)
        breaks[moving[1:]] |= step[moving[1:]] * step[moving[:-1]] < 0
    if tracker.near is not None:
        breaks |= np.isin(tracker.lanes[:-1], tracker.near)
    return np.append(np.flatnonzero(breaks), len(tracker.lanes) - 1)


def _begin(tracker: BranchTracker) -> tuple[int, Pose | None]:
    """Close the mechanism from the sketch, at the first sample; where that fails, the motion begins behind a gap."""
    tracker.status[tracker.lanes] = Status.NOT_CONVERGED
    start = tracker.scaled.coordinates.start()
    singular: list[tuple[int, Pose]] = []
    for k in range(min(len(tracker.lanes), SINGULAR_STARTS)):
        z = tracker.at(k)
        scaled = tracker.scaled.choose(start, z) if tracker.scaled.redundant else tracker.scaled
        found = close(scaled, start, z, 30)
        if not found.converged[0]:
            found = close(scaled, nearest_pose(scaled, start, z), z, 30)
        pose = Pose(scaled, z, found.q, int(found.iterations[0]))
        turned = np.max(np.abs(found.q - start) / scaled.coordinates.column_units[:, None])
        if not (found.converged[0] and turned < BESIDE and tracker.agrees(pose)):
            break
        if pose.strength >= SINGULAR:
            return _start(tracker, k, pose, [j for j, _ in singular])
        singular.append((k, pose))
    if singular or not len(tracker.lanes):
        return _start(tracker, *singular[0], []) if singular else (0, None)
    run = newton_raphson(scaled.coordinates, start, z)
    links = open_links(scaled, start, z) or pose.weakest_links
    tracker.failures.append(Failure(int(tracker.lanes[0]), run.outcome, run.rows, links))
    outside = run.outcome is Outcome.NO_SOLUTION
    return resume(tracker, -1, Status.OUT_OF_REACH if outside else Status.NOT_CONVERGED, across=True)


def _start(tracker: BranchTracker, k: int, pose: Pose, singular: list[int]) -> tuple[int, Pose]:
    """Keep the first station; singular samples before it are predicted from it, to be checked with the others."""
    for j in singular:
        lane = tracker.lanes[j]
        tracker.q[:, [lane]], tracker.status[lane] = pose.taylor(tracker.at(j)), Status.OK
        tracker.suspect[lane] = True
        tracker.note(int(lane), pose.scaled)
    tracker.keep(k, pose)
    return k, pose
