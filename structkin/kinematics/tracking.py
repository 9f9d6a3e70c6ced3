"""Continuation of a general group along its lanes: predictor, Newton, and smaller steps where they are needed.

Between two lanes the inputs move in a straight line. A pose is accepted when Newton's method converges close to its
prediction, no link turns far and the sign of det Phi_phi stays: the assembly mode is kept, never jumped.

Lanes are not walked one by one. Stations a short way apart are; the lanes between two stations start from the
interpolated pose and run through Newton's method together. Where the way to a lane cannot be walked in however small
steps, the group has met a limit position: that lane is out of reach, and so are those behind it, up to where the
inputs come back near solved ones and the pose can be walked to from there. Through a change point the lanes are
continued by circles of complex inputs (`hop`), which certify that it is none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.hop import hop
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]
Inputs = tuple[Any, ...]

#: Largest turn of a link in one step [rad], and largest departure of the corrected pose from the predicted one.
TURN, DEPARTURE = 0.35, 0.12
#: Way of the inputs between two stations, relative to the group's size.
STRIDE = 0.15
#: Halvings of the way to a lane before it is given up.
HALVINGS = 12
#: Lanes that are tried from the sketch before the group is given up.
TRIALS = 24
#: How near the inputs of a lane behind a gap have to come to solved ones, relative to the group's size.
HOP = 0.1
#: A pose with a smaller singular value does not tell the way on; one with a larger one does, through a change point.
FLAT, REGULAR = 1e-3, 1e-2
#: Lanes back among which such a regular one is looked for, and how many of these are tried.
BACK, TRIES = 60, 4
#: Smallest scaled singular value of a regular pose.
SINGULAR = 1e-7


@dataclass(frozen=True)
class _Poses:
    """Solved lanes: the inputs, origins (m, 2, n), angles (m, n), and the sign of the determinant (n,)."""

    h: Inputs
    origins: Floats
    angles: Floats
    sign: Floats

    def take(self, lanes: Any) -> _Poses:
        return _Poses(_lanes(self.h, lanes), self.origins[..., lanes], self.angles[..., lanes], self.sign[lanes])


def _lanes(h: Inputs, lanes: Any) -> Inputs:
    """Return the inputs at some lanes; constants stay as they are."""
    return tuple(x[..., lanes] if np.ndim(x) and np.shape(x)[-1] > 1 else x for x in h)


def track(
    form: General, h: Inputs, origins: Floats, angles: Floats, n: int, progress: Callable[[float], None] | None = None
) -> tuple[tuple[Floats, ...], NDArray[np.int8], Floats]:
    """Follow a general group over n lanes from a starting pose.

    `h` are its inputs over the lanes, `origins` (m, 2, 1) and `angles` (m, 1) the pose in the sketch. Returns the
    unknowns, (2, n) or (n,) and NaN where there is no pose, a status (n,), and the smallest singular value (n,).
    """
    wide = tuple(np.broadcast_to(x, (*np.shape(x)[:-1], n)) for x in map(np.atleast_1d, h))
    tracker = _Tracker(form, wide, n)
    tracker.run(origins, angles, progress)
    phi = form.unknowns(tracker.origins, tracker.angles)
    sigma = form.smallest_singular_value(h, phi)
    tracker.status[(tracker.status == Status.OK) & (sigma < SINGULAR)] = Status.SINGULAR
    return phi, tracker.status, sigma


def unpacked(form: General, phi: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Return the origins (m, 2, n) and the angles (m, n) of a general group's unknowns, whole turns as they have them.

    >>> from structkin.groups.general import Rows
    >>> geared = General(Rows(links=1, vectors=0, scalars=0, turns=((0, 0, 1.0),)))
    >>> O, theta = unpacked(geared, (np.zeros((2, 1)), np.array([[0.0], [1.0]]), np.array([2.5 * np.pi])))
    >>> (theta / np.pi).tolist()
    [[2.5]]
    """
    m = form.rows.links
    O, U = np.stack(phi[0 : 2 * m : 2]), np.stack(phi[1 : 2 * m : 2])
    theta = np.arctan2(U[:, 1], U[:, 0])
    theta[list(form.rows.angles)] = np.reshape(phi[2 * m :], (-1, theta.shape[-1]))
    return O, theta


class _Tracker:
    """The state of a run over all lanes."""

    def __init__(self, form: General, h: Inputs, n: int) -> None:
        m = form.rows.links
        self.form, self.h = form, h
        self.origins, self.angles = np.full((m, 2, n), np.nan), np.full((m, n), np.nan)
        self.status = np.full(n, Status.OUT_OF_REACH, np.int8)
        finite = np.all([np.isfinite(x).reshape(-1, n).all(axis=0) for x in h], axis=0) if h else np.ones(n, bool)
        # Lanes whose inputs are missing belong to an earlier group's failure.
        self.lanes = np.flatnonzero(finite)
        self.way = self._way()

    def _way(self) -> Floats:
        """Return how far the inputs have moved along the lanes, relative to the group's size."""
        if len(self.lanes) < 2:
            return np.zeros(1)
        total = np.zeros(len(self.lanes) - 1)
        for j, x in enumerate(self.h):
            scale = 1.0 if j < len(self.form.rows.unit) and self.form.rows.unit[j] else self.form.rows.size
            step = np.diff(x[..., self.lanes], axis=-1).reshape(-1, len(total))
            total += np.sqrt(np.sum(step**2, axis=0)) / scale
        return np.concatenate(([0.0], np.cumsum(total)))

    def run(self, origins: Floats, angles: Floats, progress: Callable[[float], None] | None) -> None:
        k, pose = self._begin(origins, angles)
        while pose is not None and k < len(self.lanes) - 1:
            if progress is not None:
                progress(k / len(self.lanes))
            if self.lanes[k + 1] != self.lanes[k] + 1:
                # Lanes without inputs lie between: what is behind them is not the next step of this motion.
                k, pose = self._resume(k, Status.OUT_OF_REACH)
                continue
            station = max(k + 1, int(np.searchsorted(self.way, self.way[k] + STRIDE, side="right")) - 1)
            station = min(station, self._end_of_run(k))
            flat = self._sigma(pose)[0] < FLAT
            found = Status.OUT_OF_REACH if flat else _reach(self.form, pose, self._at(station))
            if isinstance(found, _Poses):
                self._keep(station, found)
                self._fill(k, station, pose, found)
                k, pose = station, found
                continue
            k, pose = self._creep(k, station, pose)
            if k < station:
                k, pose = self._resume(k, found)

    def _end_of_run(self, k: int) -> int:
        """Return the last lane that follows lane k without a gap."""
        ends = np.append(np.flatnonzero(np.diff(self.lanes) > 1), len(self.lanes) - 1)
        return int(ends[np.searchsorted(ends, k)])

    def _at(self, k: Any) -> Inputs:
        lanes = self.lanes[k]
        return _lanes(self.h, slice(lanes, lanes + 1) if np.ndim(lanes) == 0 else lanes)

    def _keep(self, k: Any, poses: _Poses) -> None:
        lanes = np.atleast_1d(self.lanes[k])
        self.origins[..., lanes], self.angles[..., lanes] = poses.origins, poses.angles
        self.status[lanes] = Status.OK

    def _begin(self, origins: Floats, angles: Floats) -> tuple[int, _Poses | None]:
        """Close the group from the sketch, at the first lane where that succeeds."""
        self.status[self.lanes] = Status.NOT_CONVERGED
        if len(self.lanes):
            pose = _assemble(self.form, self._at(0), origins, angles)
            if pose is not None:
                self._keep(0, pose)
                return 0, pose
        for k in range(len(self.lanes)):
            h = self._at(k)
            O, theta, step = self.form.newton(h, origins, angles, iterations=30)
            # A link that turned far has left the neighbourhood of the sketch: this may be another assembly mode.
            if step[0] < 1e-8 and np.max(np.abs(theta - angles)) < 0.5 * np.pi:
                pose = _Poses(h, O, theta, _sign(self.form, h, O, theta))
                self._keep(k, pose)
                return k, pose
            if k >= TRIALS:
                break
        return 0, None

    def _fill(self, first: int, last: int, start: _Poses, end: _Poses) -> None:
        """Solve the lanes between two stations together; those that stray are walked to."""
        between = np.arange(first + 1, last)
        if not len(between):
            return
        s = (self.way[between] - self.way[first]) / (self.way[last] - self.way[first])
        O = start.origins + s * (end.origins - start.origins)
        theta = start.angles + s * (end.angles - start.angles)
        near = start.take(np.zeros(len(between), np.intp))
        good, poses = _correct(self.form, near, self._at(between), O, theta)
        self._keep(between[good], poses.take(good))
        if not good.all():
            for k in between[~good]:
                before = self._solved(k - 1)
                found = _reach(self.form, before, self._at(k))
                if isinstance(found, _Poses):
                    self._keep(k, found)
                else:
                    self.status[self.lanes[k]] = found

    def _solved(self, k: int) -> _Poses:
        """Return the last solved lane up to k."""
        while self.status[self.lanes[k]] != Status.OK:
            k -= 1
        h = self._at(k)
        O, theta = (x[..., self.lanes[k], None] for x in (self.origins, self.angles))
        return _Poses(h, O, theta, _sign(self.form, h, O, theta))

    def _creep(self, first: int, last: int, pose: _Poses) -> tuple[int, _Poses]:
        """Walk lane by lane towards a station that could not be reached; stop at the first lane that cannot."""
        for k in range(first + 1, last + 1):
            found = self._next(pose, k)
            if not isinstance(found, _Poses):
                return k - 1, pose
            self._keep(k, found)
            pose = found
        return last, pose

    def _next(self, pose: _Poses, k: int) -> _Poses | Status:
        """Go on to a lane; through a change point where its neighbour does not tell the way."""
        if self._sigma(pose)[0] < FLAT:
            return self._hop(k) or _reach(self.form, pose, self._at(k))
        found = _reach(self.form, pose, self._at(k))
        return found if isinstance(found, _Poses) else self._hop(k) or found

    def _hop(self, k: int) -> _Poses | None:
        """Return the pose of a lane as the analytic continuation of one before it that is regular."""
        before = np.arange(max(k - BACK, 0), k)
        gaps = np.flatnonzero(np.diff(np.append(self.lanes[before], self.lanes[k])) > 1)
        before = before[gaps[-1] + 1 if len(gaps) else 0 :]
        before = before[self.status[self.lanes[before]] == Status.OK]
        lanes, h = self.lanes[before], self._at(k)
        sigma = self._sigma(_Poses(self._at(before), self.origins[..., lanes], self.angles[..., lanes], lanes))
        for j in np.flatnonzero(sigma > REGULAR)[::-1][:TRIES]:
            lane = lanes[j]
            found = hop(self.form, self._at(before[j]), h, self.origins[..., [lane]], self.angles[..., [lane]])
            if found is not None:
                return _Poses(h, *found, _sign(self.form, h, *found))
        return None

    def _sigma(self, poses: _Poses) -> Floats:
        return self.form.smallest_singular_value(poses.h, self.form.unknowns(poses.origins, poses.angles))

    def _resume(self, k: int, why: Status) -> tuple[int, _Poses | None]:
        """Take the motion up again behind a gap, where the inputs come back to a neighbourhood that is solved.

        That is the pose that driving back would lead to; from there the lanes in the gap are crept to backwards.
        """
        from scipy.spatial import cKDTree

        later = np.arange(k + 1, len(self.lanes))
        self.status[self.lanes[later]] = why
        solved = np.flatnonzero(self.status[self.lanes] == Status.OK)
        if not len(later):
            return len(self.lanes), None
        distance, nearest = cKDTree(self._places(solved)).query(self._places(later))
        close = np.flatnonzero(np.asarray(distance) < HOP)
        if not len(close):
            return len(self.lanes), None
        near = solved[np.asarray(nearest)[close]]
        O, theta = self.origins[..., self.lanes[near]], self.angles[..., self.lanes[near]]
        h = self._at(near)
        good, poses = _step(self.form, _Poses(h, O, theta, _sign(self.form, h, O, theta)), self._at(later[close]))
        if not good.any():
            return len(self.lanes), None
        lane, found = int(later[close][np.argmax(good)]), poses.take(np.array([np.argmax(good)]))
        self._keep(lane, found)
        pose = found
        for back in range(lane - 1, k, -1):
            earlier = _reach(self.form, pose, self._at(back))
            if not isinstance(earlier, _Poses):
                break
            self._keep(back, earlier)
            pose = earlier
        return lane, found

    def _places(self, k: NDArray[np.intp]) -> Floats:
        """Return the inputs of lanes as places in one space, in parts of the group's size (lanes, inputs)."""
        parts = []
        for j, x in enumerate(self.h):
            scale = 1.0 if j < len(self.form.rows.unit) and self.form.rows.unit[j] else self.form.rows.size
            parts.append(x[..., self.lanes[k]].reshape(-1, len(k)) / scale)
        return np.concatenate(parts).T if parts else np.zeros((len(k), 1))


def _sign(form: General, h: Inputs, O: Floats, theta: Floats) -> Floats:
    if form.rows.count > 3 * form.rows.links:
        # Redundant rows have no determinant; their poses are told apart by small steps alone.
        return np.ones(theta.shape[-1])
    U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    return np.asarray(np.linalg.slogdet(form.jacobian(h, O, U))[0])


def _assemble(form: General, h: Inputs, O: Floats, theta: Floats) -> _Poses | None:
    """Close the gaps that exact lengths leave in a sketch little by little, so that its assembly mode is kept.

    The rows are brought from what they are in the sketch to zero; None where that way meets a singular pose.
    """
    if form.rows.count > 3 * form.rows.links:
        return None
    gaps, sign = form.gaps(h, O, theta), _sign(form, h, O, theta)
    closed, step = 0.0, 1.0
    while closed < 1.0:
        end = min(1.0, closed + step)
        O1, theta1, change = form.newton(h, O, theta, left=(1.0 - end) * gaps)
        near = max(np.max(np.abs(O1 - O)) / form.rows.size, np.max(np.abs(theta1 - theta))) < TURN
        if change[0] < 1e-8 and near and _sign(form, h, O1, theta1)[0] == sign[0]:
            O, theta, closed, step = O1, theta1, end, 2 * step
            continue
        step *= 0.5
        if step < 0.5**HALVINGS:
            return None
    return _Poses(h, O, theta, sign)


def _predict(form: General, poses: _Poses, h: Inputs) -> tuple[Floats, Floats]:
    """Return origins and angles of the poses moved along their tangent to new inputs."""
    dh = tuple(b - a for a, b in zip(poses.h, h, strict=True))
    phi = form.unknowns(poses.origins, poses.angles)
    rates = np.stack(form.linear(poses.h, phi, dh, (0.0,) * form.rows.equations)[: len(poses.origins) * 2])
    dO, dU = rates[0::2], rates[1::2]
    return poses.origins + dO, poses.angles - np.sin(poses.angles) * dU[:, 0] + np.cos(poses.angles) * dU[:, 1]


def _correct(form: General, near: _Poses, h: Inputs, O: Floats, theta: Floats) -> tuple[NDArray[np.bool_], _Poses]:
    """Correct predicted poses by Newton's method; return which lanes are acceptable, and all of them."""
    O1, theta1, change = form.newton(h, O, theta, iterations=6)
    departure = np.maximum(np.max(np.abs(O1 - O), axis=(0, 1)) / form.rows.size, np.max(np.abs(theta1 - theta), axis=0))
    good = (change < 1e-8) & (departure < DEPARTURE) & (np.max(np.abs(theta1 - near.angles), axis=0) < TURN + DEPARTURE)
    sign = np.zeros(len(good))
    if good.any():
        sign[good] = _sign(form, _lanes(h, good), O1[..., good], theta1[..., good])
    return good & (sign == near.sign), _Poses(h, O1, theta1, sign)


def _step(form: General, poses: _Poses, h: Inputs) -> tuple[NDArray[np.bool_], _Poses]:
    """Take one step to new inputs in every lane; return which lanes were accepted, and the new poses."""
    O, theta = _predict(form, poses, h)
    return _correct(form, poses, h, O, theta)


def _reach(form: General, start: _Poses, target: Inputs) -> _Poses | Status:
    """Walk one lane to other inputs; the step shrinks where a trial fails and grows with success."""
    pose, done, step, smallest = start, 0.0, 1.0, 0.5**HALVINGS
    while done < 1.0:
        end = min(1.0, done + step)
        good, found = _step(form, pose, _between(form, start.h, target, end))
        if good[0]:
            pose, done, step = found, end, 2 * step
            continue
        step *= 0.5
        if step < smallest:
            sigma = form.smallest_singular_value(pose.h, form.unknowns(pose.origins, pose.angles))[0]
            # Near a limit position the singular value falls like the square root of the way that is left.
            return Status.OUT_OF_REACH if sigma < 0.2 else Status.NOT_CONVERGED
    return pose


def _between(form: General, h0: Inputs, h1: Inputs, s: float) -> Inputs:
    if s == 1.0:
        return h1
    mixed = [a + s * (b - a) for a, b in zip(h0, h1, strict=True)]
    for j, unit in enumerate(form.rows.unit):
        if unit:
            mixed[j] = mixed[j] / np.sqrt(np.sum(mixed[j] ** 2, axis=0))
    return tuple(mixed)
