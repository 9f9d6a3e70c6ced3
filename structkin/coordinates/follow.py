"""Following a mechanism along its drivers by a global method, on the branch of the sketch.

Stations a short way apart are walked to one by one: extrapolated from the curve through the two before, closed by the
Newton-Raphson method, and accepted where it stays near the extrapolation and the determinants of all diagonal blocks
keep their signs. A sign may change where the poses around it lie on one smooth curve: a change point. The samples
between two stations start from the quintic through both, so that they are closed together, each by its own
Newton-Raphson method, in an iteration or two. Where the way cannot be walked in however small steps, the samples are
out of reach, up to where the drivers come back near solved ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.curve import Curve, Pose
from structkin.coordinates.newton import (
    CONSISTENT,
    SINGULAR,
    Outcome,
    Scaled,
    close,
    nearest_pose,
    newton_raphson,
)
from structkin.coordinates.smooth import bridge, changes_smoothly
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: First and longest way between two stations [rad, or parts of the mechanism's size].
FIRST, LONGEST = 0.1, 0.35
#: Largest change of a scaled coordinate in one step, and largest departure of the pose from its extrapolation.
TURN, DEPARTURE = 0.7, 0.05
#: Halvings of the way to a sample before it is given up.
HALVINGS = 12
#: Samples that are tried from the sketch.
TRIALS = 24
#: How near the drivers of a sample behind a gap have to come to solved ones.
HOP = 0.1
#: How near they have to come for the straight way from there to be tried.
REACH = 2.0
#: Samples behind a gap that are tried at each of these distances.
HOPS = 8
#: A station that took fewer iterations than this lets the next one be further off.
EASE = 3
#: A station whose weakest block has a smaller singular value than this has its neighbours looked at.
WEAK = 0.05
#: Samples skipped at most around a singular one.
SKIP = 3


@dataclass(frozen=True)
class Failure:
    """Why the walk stopped before a sample: how Newton's method ended there, and the rows that do not close.

    `links` are those of the diagonal block that was nearest to singular at the last pose. A sample that the walk went
    past and that is singular itself, as at a change point, is told as well, with the links of its own weakest block.
    """

    sample: int
    outcome: Outcome
    rows: tuple[str, ...]
    links: tuple[str, ...] = ()


@dataclass
class Follower:
    """The state of a run over all stations of a schedule; `z` (f, n) are the drivers' values.

    `units` (f, 1) are theirs, `angular` (f, 1) tells which are angles, `wanted` (n,) which stations are samples.
    """

    scaled: Scaled
    z: Floats
    units: Floats
    angular: NDArray[np.bool_]
    wanted: NDArray[np.bool_]
    progress: Callable[[float], None] | None = None
    stations: int = 0
    failures: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepare the results: predictions and solutions q (n, lanes), which lanes are solved, how many iterations."""
        n, lanes = self.scaled.coordinates.n, self.z.shape[1]
        self.q = np.full((n, lanes), np.nan)
        self.solved = np.zeros(lanes, bool)
        self.iterations = np.zeros(lanes, np.int32)
        self.status = np.full(lanes, Status.OUT_OF_REACH, np.int8)
        #: Samples that may be singular: beside weak stations, and where a determinant has changed its sign.
        self.suspect = np.zeros(lanes, bool)
        self.reached: Pose | None = None
        self.systems: list[Scaled] = []
        self.system_of = np.full(lanes, -1, np.intp)
        self.lanes = np.flatnonzero(np.isfinite(self.z).all(axis=0))
        step = np.sqrt(np.sum((np.diff(self.z[:, self.lanes], axis=1) / self.units) ** 2, axis=0))
        self.way = np.concatenate(([0.0], np.cumsum(step)))
        self._ends = np.append(np.flatnonzero(self._breaks()), len(self.lanes) - 1)

    def _breaks(self) -> NDArray[np.bool_]:
        """Return after which lanes a station has to stand: before missing ones, and where a driver turns back."""
        breaks = np.diff(self.lanes) > 1
        steps = np.diff(self.z[:, self.lanes], axis=1)
        turns = np.any(steps[:, 1:] * steps[:, :-1] < 0, axis=0)
        breaks[1:] |= turns
        return breaks

    # --- stations -----------------------------------------------------------------------------------------

    def run(self) -> None:
        """Walk all stations."""
        k, pose = self._begin()
        before: Curve | None = None
        stride = FIRST
        while pose is not None and k < len(self.lanes) - 1:
            if self.progress is not None:
                self.progress(0.5 * k / len(self.lanes))
            if self.lanes[k + 1] != self.lanes[k] + 1:
                k, pose, before = self._resume(k, Status.OUT_OF_REACH)
                continue
            target = max(k + 1, int(np.searchsorted(self.way, self.way[k] + stride, side="right")) - 1)
            target = min(target, int(self._ends[np.searchsorted(self._ends, k + 1)]))
            found = self._try(pose, before, self._at(target))
            if found is None and target > k + 1:
                stride = 0.5 * min(stride, self.way[target] - self.way[k])
                continue
            if found is None:
                found = self._walk(pose, self._at(target))
            if found is None:
                target, found = self._pass_singular(k, pose, before)
            if found is None:
                k, pose, before = self._resume(k, self._tell(k + 1, pose))
                continue
            before = self._between(k, target, pose, found)
            stride = min(LONGEST, 2 * stride) if found.iterations < EASE else stride
            k, pose = target, found

    def _at(self, k: int) -> Floats:
        return self.z[:, [self.lanes[k]]]

    def _keep(self, k: int, pose: Pose) -> None:
        lane = self.lanes[k]
        self.q[:, lane] = pose.q[:, 0]
        self.solved[lane], self.status[lane] = True, Status.OK
        self.iterations[lane] = pose.iterations
        self.suspect[lane] |= pose.strength < WEAK
        self._note(np.array([lane]), pose.scaled)
        self.stations += 1

    def _note(self, lanes: Ints, scaled: Scaled) -> None:
        if not self.systems or self.systems[-1] is not scaled:
            self.systems.append(scaled)
        self.system_of[lanes] = len(self.systems) - 1

    def _between(self, first: int, last: int, a: Pose, b: Pose) -> Curve:
        """Keep the station b, and predict the wanted lanes between it and a."""
        curve = Curve(a, b)
        if min(a.strength, b.strength) < WEAK or not np.array_equal(a.signs, b.signs):
            self.suspect[self.lanes[first] : self.lanes[last] + 1] = True
        between = self.lanes[first + 1 : last]
        between = between[self.wanted[between]]
        if len(between):
            self.q[:, between] = curve.near(self.z[:, between], self.units)
            self.status[between] = Status.OK
            self._note(between, a.scaled)
        self._keep(last, b)
        return curve

    def _begin(self) -> tuple[int, Pose | None]:
        """Close the mechanism from the sketch, at the first sample where that succeeds."""
        self.status[self.lanes] = Status.NOT_CONVERGED
        start = self.scaled.coordinates.start()
        singular: list[tuple[int, Pose]] = []
        for k in range(min(len(self.lanes), TRIALS)):
            z = self._at(k)
            scaled = self.scaled.choose(start, z) if self.scaled.redundant else self.scaled
            found = close(scaled, start, z, 30)
            if not found.converged[0]:
                found = close(scaled, nearest_pose(scaled, start, z), z, 30)
            pose = Pose(scaled, z, found.q, int(found.iterations[0]))
            turned = np.max(np.abs(found.q - start) / scaled.coordinates.column_units[:, None])
            if found.converged[0] and turned < 0.5 * np.pi and self._agrees(pose):
                if pose.strength >= SINGULAR:
                    return self._start(k, pose, [j for j, _ in singular])
                singular.append((k, pose))
                continue
            if k == 0:
                run = newton_raphson(scaled.coordinates, start, z)
                self.failures.append(Failure(int(self.lanes[0]), run.outcome, run.rows))
        return self._start(*singular[0], []) if singular else (0, None)

    def _start(self, k: int, pose: Pose, singular: list[int]) -> tuple[int, Pose]:
        """Keep the first station; singular samples before it are predicted from it, to be looked at with the others."""
        for j in singular:
            lane = self.lanes[j]
            self.q[:, [lane]], self.status[lane] = pose.taylor(self._at(j)), Status.OK
            self.suspect[lane] = True
            self._note(np.array([lane]), pose.scaled)
        self._keep(k, pose)
        self.iterations[self.lanes[k]] = min(pose.iterations, EASE)
        return k, pose

    @staticmethod
    def _agrees(pose: Pose) -> bool:
        """Tell whether redundant rows, if there are any, are met as well."""
        return not pose.scaled.redundant or float(pose.scaled.gap(pose.q, pose.z)[0]) < CONSISTENT

    def _try(self, pose: Pose, before: Curve | None, z: Floats) -> Pose | None:
        """Take one step to other values of the drivers; None where it is not safe."""
        guess = self._predict(pose, before, z)
        if not np.isfinite(guess).all():
            return None
        found = close(pose.scaled, guess, z)
        if not found.converged[0]:
            return None
        unit = pose.scaled.coordinates.column_units[:, None]
        departure, turned = (np.max(np.abs(found.q - x) / unit) for x in (guess, pose.q))
        if departure > DEPARTURE or departure > 0.3 * turned + 1e-6 or turned > TURN:
            return None
        scaled = pose.scaled.choose(found.q, z) if pose.scaled.redundant else pose.scaled
        new = Pose(scaled, z, found.q, int(found.iterations[0]))
        if not self._agrees(new) or new.strength < SINGULAR:
            return None  # from a singular pose there is no way on: it is stepped over
        flipped = np.flatnonzero(new.signs != pose.signs)
        if len(flipped) and not changes_smoothly(Curve(pose, new), flipped, self.units):
            return None
        return new

    def _predict(self, pose: Pose, before: Curve | None, z: Floats) -> Floats:
        """Extrapolate the curve so far where the drivers go straight on, else expand in their values."""
        with np.errstate(all="ignore"):
            if before is not None and before.b is pose:
                s, beside = before.part(z, self.units)
                straight = np.max(np.abs(beside / self.units)) < 1e-9
                if straight and 1.0 < s[0] < 2.6:
                    return before.at(s)
            return pose.taylor(z)

    def _walk(self, pose: Pose, z: Floats) -> Pose | None:
        """Walk straight to other values in steps that shrink where a trial fails."""
        start, done, step = pose, 0.0, 0.5
        while done < 1.0:
            end = min(1.0, done + step)
            found = self._try(pose, None, z if end == 1.0 else start.z + end * (z - start.z))
            if found is not None:
                pose, done, step = found, end, 2 * step
                continue
            step *= 0.5
            if step < 0.5**HALVINGS:
                self.reached = pose
                return None
        return pose

    # --- what cannot be walked through --------------------------------------------------------------------

    def _pass_singular(self, k: int, pose: Pose, before: Curve | None) -> tuple[int, Pose | None]:
        """Step over a singular sample to one behind it that lies on the same smooth curve."""
        last = int(self._ends[np.searchsorted(self._ends, k + 1)])
        for target in range(k + 2, min(k + SKIP, last) + 1):
            found = self._try(pose, before, self._at(target))
            if found is not None:
                return target, found
        return k + 1, None

    def _tell(self, k: int, pose: Pose) -> Status:
        """Find out why the sample cannot be reached from the pose; a singular one keeps its position."""
        lane, z = self.lanes[k], self._at(k)
        pose = self.reached or pose
        run = newton_raphson(pose.scaled.coordinates, pose.q[:, 0], z[:, 0], limit=60)
        sigma = float(pose.scaled.smallest_singular_value(pose.q, pose.z)[0])
        self.failures.append(Failure(int(lane), run.outcome, run.rows, pose.weakest_links))
        if run.outcome is Outcome.NO_SOLUTION:
            return Status.OUT_OF_REACH
        if run.outcome is Outcome.SINGULAR_POSE and run.smallest_singular_value < SINGULAR:
            self.q[:, lane] = run.q
            self.solved[lane] = self.suspect[lane] = True
            self._note(np.array([lane]), pose.scaled)
        # Near a limit position the singular value falls like the square root of the way that is left.
        return Status.OUT_OF_REACH if sigma < 0.2 else Status.NOT_CONVERGED

    def _resume(self, k: int, why: Status) -> tuple[int, Pose | None, Curve | None]:
        """Take the motion up again where the drivers come back near solved samples; creep back into the gap."""
        from scipy.spatial import cKDTree

        later = np.arange(k + 1, len(self.lanes))
        self.status[self.lanes[later]] = why
        singular = self.solved[self.lanes[later]]
        self.status[self.lanes[later[singular]]] = Status.SINGULAR
        solved = np.flatnonzero(self.solved[self.lanes] & (self.status[self.lanes] == Status.OK))
        if not len(later) or not len(solved) or not len(self.z):
            return len(self.lanes), None, None
        places = self._places()
        found_at = cKDTree(places[self.lanes[solved]]).query(places[self.lanes[later]])
        distance, nearest = (np.asarray(x) for x in found_at)
        for j in _candidates(distance):
            lane, near = int(later[j]), self.lanes[solved[int(nearest[j])]]
            z, known = self._at(lane), self.z[:, [near]]
            # A driven angle that is whole turns on is the same pose.
            known = np.where(self.angular, known + 2 * np.pi * np.round((z - known) / (2 * np.pi)), known)
            pose = Pose(self.systems[self.system_of[near]], known, self.q[:, [near]])
            found = self._try(pose, None, z) or self._walk(pose, z)
            if found is None:
                continue
            self._keep(lane, found)
            self._creep_back(lane, k, found)
            return lane, found, None
        return len(self.lanes), None, None

    def _places(self) -> Floats:
        """Return the drivers' values as places in one space (lanes, ...): angles as points of a circle."""
        angular = self.angular[:, 0]
        angles, lengths = self.z[angular], self.z[~angular] / self.units[~angular]
        return np.concatenate((np.cos(angles), np.sin(angles), lengths)).T

    def _creep_back(self, lane: int, stop: int, pose: Pose) -> None:
        """Solve the samples of a gap backwards from its end, as far as they can be walked to."""
        for back in range(lane - 1, stop, -1):
            earlier = self._try(pose, None, self._at(back)) or self._walk(pose, self._at(back))
            if earlier is None:
                return
            self._keep(back, earlier)
            pose = earlier

    # --- samples between the stations ---------------------------------------------------------------------

    def again(self, lane: int) -> bool:
        """Walk to a sample between stations that its prediction did not close; tell whether it is solved."""
        known = np.flatnonzero(self.solved & (self.status == Status.OK))
        near = int(known[np.argmin(np.abs(known - lane))])
        pose = Pose(self.systems[self.system_of[near]], self.z[:, [near]], self.q[:, [near]])
        z = self.z[:, [lane]]
        found = self._try(pose, None, z) or self._walk(pose, z)
        if found is not None:
            self.q[:, lane], self.iterations[lane] = found.q[:, 0], found.iterations
            self.solved[lane], self.status[lane] = True, Status.OK
            return True
        k = int(np.searchsorted(self.lanes, lane))
        predicted = self.q[:, [lane]].copy()
        self.status[lane] = self._tell(k, pose)
        sigma = pose.scaled.smallest_singular_value(predicted, z)[0]
        if sigma < 1e-4 or self.solved[lane]:
            smooth = bridge(pose, predicted, z, self._direction(lane))
            if smooth is not None or self.solved[lane]:
                self.q[:, lane] = self.q[:, lane] if smooth is None else smooth
                self.solved[lane], self.status[lane] = True, Status.SINGULAR
        return False

    def mend(self, lane: int) -> None:
        """Look at a sample that may be singular: if so, its position is that of the smooth motion around it."""
        known = np.flatnonzero(self.solved & (self.status == Status.OK))
        known = known[known != lane]
        if not len(known):
            return
        near = int(known[np.argmin(np.abs(known - lane))])
        pose = Pose(self.systems[self.system_of[near]], self.z[:, [near]], self.q[:, [near]])
        z, q = self.z[:, [lane]], self.q[:, [lane]]
        smooth = bridge(pose, q, z, self._direction(lane))
        # Close to a singular pose Newton's method leaves an error, and with it a singular value, that it has not.
        place = q if smooth is None else smooth[:, None]
        if pose.scaled.smallest_singular_value(place, z)[0] < SINGULAR:
            self.q[:, lane], self.status[lane] = place[:, 0], Status.SINGULAR
            if not any(told.sample == lane and told.outcome is Outcome.SINGULAR_POSE for told in self.failures):
                links = Pose(pose.scaled, z, place).weakest_links
                self.failures.append(Failure(lane, Outcome.SINGULAR_POSE, (), links))

    def _direction(self, lane: int) -> Floats:
        """Return the way of the drivers (f, 1) at a sample, of unit length."""
        first, last = max(lane - 1, 0), min(lane + 1, self.z.shape[1] - 1)
        step = (self.z[:, [last]] - self.z[:, [first]]) / self.units
        length = float(np.sqrt(np.sum(step**2)))
        return step * self.units / length if length else 0.0 * step


def _candidates(distance: Floats) -> Ints:
    """Return samples behind a gap to try: those whose drivers are very near solved ones, then some at a walk's length.

    Distances are those of all samples behind the gap to the nearest solved one.
    """
    found = []
    for reach in (HOP, REACH):
        inside = np.flatnonzero(distance < reach)
        found.append(inside[np.unique(np.linspace(0, len(inside) - 1, min(len(inside), HOPS)).astype(np.intp))])
    return np.concatenate(found)
