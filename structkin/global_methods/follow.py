"""Following a mechanism over the samples of a schedule: stations are tracked, the samples between them predicted.

The samples between two stations start from the quintic through both, so that they close together, each by its own
Newton-Raphson iterations, in one or two of them. Turns of a single driver that only repeat the first one need no
stations; see `Turns`. Where a step fails, even a small one, the groups tell more: they may prove the way, and behind a
gap theirs is the rule. These equations close again the poses that the groups have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from structkin.global_methods.between import miss, pass_singular
from structkin.global_methods.branch_tracker import BranchTracker, Failure
from structkin.global_methods.curve import Curve, Pose, whole_turns
from structkin.global_methods.diagnosis import Outcome, nearest_pose, newton_raphson, open_links
from structkin.global_methods.newton import close
from structkin.numerical_tolerances import SAME_SOLVED, SINGULAR
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
#: A pose of the groups closes where it is, in parts of the size or radians.
SAME = 1e-5


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
        scaled = tracker.scaled.choose(start, z)
        found = close(scaled, start, z, 30)
        if not found.converged[0]:
            found = close(scaled, nearest_pose(scaled, start, z), z, 30)
        # Steps of Newton's method from a sketch far from closing may overflow.
        q = found.q if np.isfinite(found.q).all() else start
        pose = Pose(scaled, z, q, int(found.iterations[0]))
        turned = np.max(np.abs(q - start) / scaled.coordinates.column_units[:, None])
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


# --- turns that repeat the first -------------------------------------------------------------------------------------


@dataclass
class Turns:
    """The tracker since its first pose: its curves so far, and after how many turns to look for a repetition.

    Phi(q, z) = 0 with one driven angle z repeats after a turn of z. If the tracker from q(z_0) reaches the same pose at
    z_0 plus some whole turns, then by the uniqueness of the branch it continues as before: coordinates that are angles
    have turned by a constant, all others repeat. So do counted turns: the rows of gears are linear in them, and those
    of cams and Geneva wheels repeat with each whole turn. If the pose is a different one, as after the first turn of a
    mechanism with a change point or a gear, the end of the next turn is checked. Samples predicted in this way are
    closed by the Newton-Raphson method like all others.
    """

    tracker: BranchTracker
    first: Pose
    direction: float
    count: int = 1
    curves: list[Curve] = field(default_factory=list)

    @property
    def _whole_turn(self) -> float:
        return 2 * np.pi * self.count * self.direction

    def ends_before(self, target: int) -> bool:
        """Return whether the driver has completed the whole turns at a place."""
        return bool(self.direction * (self.tracker.at(target) - self.first.z - self._whole_turn)[0, 0] > 0)

    def repeat(self, k: int, pose: Pose, before: Curve | None) -> bool:
        """Track to the end of the whole turns; predict all samples after the place k if the first pose recurs."""
        way = self.tracker.go(pose, self.first.z + self._whole_turn, before)
        shift = whole_turns(self.first, way[-1].b, SAME_SOLVED) if way else None
        if shift is None:
            self.count += 1
            return False
        number, gone = np.divmod((self.tracker.values[0, k + 1 :] - self.first.z[0, 0]) / self._whole_turn, 1.0)
        curves = [*self.curves, *way]
        starts = [(curve.a.z - self.first.z)[0, 0] / self._whole_turn for curve in curves]
        which = np.searchsorted(starts, gone, side="right").astype(np.min_scalar_type(len(starts)))
        # Group the lanes by curve: small numbers are sorted in one pass.
        ends = np.cumsum(np.bincount(which, minlength=len(starts) + 1))
        for curve, here in zip(curves, np.split(np.argsort(which, kind="stable"), ends[1:-1]), strict=True):
            z = self.first.z + gone[here] * self._whole_turn
            self.tracker.predict(
                self.tracker.lanes[k + 1 + here], curve, z, shift * number[here] if shift.any() else 0.0
            )
        return True


# --- where a step fails ----------------------------------------------------------------------------------------------


def follow_groups(tracker: BranchTracker, k: int) -> tuple[int, Pose | None]:
    """Go on from the place k with the motion of the groups, where it is this motion and they have proved it.

    Pins that pass each other so close that all equations together are singular there leave a dyad its discriminant.
    Returns the first place behind k with a regular pose, and the pose; None where the groups have not proved the way.
    """
    status, q = tracker.by_groups
    proved = np.isin(status[tracker.lanes[k:]], (Status.OK, Status.SINGULAR))
    end = len(tracker.lanes) if proved.all() else k + int(np.argmin(proved))
    here = _closed(tracker, q[:, [tracker.lanes[k]]], tracker.at(k)) if k < end else None
    if here is None or not _is_same(here, tracker.pose(int(tracker.lanes[k]), tracker.at(k))):
        return k, None
    for place in k + 1 + np.flatnonzero(status[tracker.lanes[k + 1 : end]] == Status.OK):
        pose = _closed(tracker, q[:, [tracker.lanes[place]]], tracker.at(int(place)))
        if pose is not None:
            missed = tracker.lanes[k + 1 : place]
            tracker.q[:, missed], tracker.solved[missed], tracker.status[missed] = q[:, missed], True, Status.SINGULAR
            tracker.note(missed, pose.scaled)
            for lane in missed.tolist():
                links = Pose(pose.scaled, tracker.z[:, [lane]], q[:, [lane]]).weakest_links
                tracker.failures.append(Failure(lane, Outcome.SINGULAR_POSE, (), links))
            tracker.keep(int(place), pose)
            return int(place), pose
    return k, None


def resume(tracker: BranchTracker, k: int, why: Status, *, across: bool = False) -> tuple[int, Pose | None]:
    """Resume the motion behind the place k; return the place and its pose, the end and None if nowhere.

    The samples in between have the status of the groups; where these have a pose, the status `why`. So has the first
    sample, which is not the next step of this motion whatever its groups say; only behind a gap in the drivers' values
    (`across`) the motion may go on at once.
    """
    missed = tracker.lanes[k + 1 :]
    status, q = tracker.by_groups
    closed = np.isin(status[missed], (Status.OK, Status.SINGULAR))
    tracker.status[missed] = np.where(tracker.solved[missed], Status.SINGULAR, np.where(closed, why, status[missed]))
    for place in (k + 1 if across else k + 2) + np.flatnonzero(status[missed[not across :]] == Status.OK):
        pose = _closed(tracker, q[:, [tracker.lanes[place]]], tracker.at(int(place)))
        if pose is not None:
            tracker.keep(int(place), pose)
            return int(place), pose
    return len(tracker.lanes), None


def _closed(tracker: BranchTracker, q: np.ndarray, z: np.ndarray) -> Pose | None:
    """Return the regular pose at coordinates q (n, 1) and values z (f, 1) of the drivers; None where there is none."""
    scaled = tracker.scaled.choose(q, z)
    found = close(scaled, q, z)
    pose = Pose(scaled, z, found.q, int(found.iterations[0]))
    if not found.converged[0] or np.max(np.abs(found.q - q) / scaled.column_units, initial=0.0) > SAME:
        return None
    return pose if pose.strength >= SINGULAR and tracker.agrees(pose) else None


def _is_same(one: Pose, other: Pose) -> bool:
    """Return whether two poses are the same, with the turns that are counted."""
    turns = one.scaled.coordinates.turns(one.q) - one.scaled.coordinates.turns(other.q)
    return whole_turns(one, other, SAME) is not None and bool(np.max(np.abs(turns), initial=0.0) <= SAME)
