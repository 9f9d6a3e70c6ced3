"""Solved lanes, and one step from these to other inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from structkin.budget import charge
from structkin.numerical_tolerances import (
    AT_LIMIT,
    CLOSED,
    DEPARTURE,
    HALVINGS,
    ITERATIONS,
    NEAR_LIMIT,
    SAME_POSE,
    TURN,
)
from structkin.plan.status import Status
from structkin.solve.tracking.direct import Direct, apart
from structkin.solve.tracking.group_solvers import GroupSolver, weights_of
from structkin.solve.tracking.input_path import Route, Straight, mixed
from structkin.track.continuation import Circle, continued
from structkin.track.contour import is_undecided
from structkin.track.steps import follow_straight
from structkin.types import Flags, Floats

#: For a pose that has moved far, allowed departures from the prediction grow by this part of its distance.
FAR = 0.1
#: A shorter step, to a limit position for instance, need not lead back.
SHORT = 0.05
#: Poses that move further than this, in sizes of the group, run off to infinity.
GONE = 1e4


#: A determinant that loses more than this part of itself along its tangent in a step must arrive as near to where the
#: tangent leads; its slope is a difference over this movement of the pose, in parts of the size or radians.
TREND, TRIAL = 0.5, 1e-5
#: Part of a way that tells how fast a pose moves at its beginning.
BEGINNING = 1e-3
#: With less than this part of the determinant before it, a pose is at the limit, or flat.
GONE_FLAT = 1e-3
#: How often a step is tried around through complex poses.
CROSSINGS = 16


#: The inputs (inputs, n) at parts (n,) of a way.
Way = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Poses:
    """Solved lanes: the inputs (inputs, n), the poses (rows, n), and their determinants (n,)."""

    h: Floats
    s: Floats
    determinant: Floats

    def take(self, lanes: Any) -> Poses:
        """Return some of them: a copy, or views for a slice."""
        if isinstance(lanes, slice):
            return Poses(self.h[:, lanes], self.s[:, lanes], self.determinant[lanes])
        return Poses(np.take(self.h, lanes, axis=1), np.take(self.s, lanes, axis=1), self.determinant[lanes])

    def beside(self, other: Poses) -> Poses:
        """Return these and other lanes."""
        return Poses(
            np.concatenate((self.h, other.h), axis=1),
            np.concatenate((self.s, other.s), axis=1),
            np.concatenate((self.determinant, other.determinant)),
        )

    def replaced(self, other: Poses, where: Flags) -> Poses:
        """Return these, or others in some lanes."""
        return Poses(
            np.where(where, other.h, self.h),
            np.where(where, other.s, self.s),
            np.where(where, other.determinant, self.determinant),
        )


def step(solver: GroupSolver, poses: Poses, h: Floats, far: float = 1.0) -> tuple[Flags, Poses]:
    """Take one step to new inputs in every lane; return which lanes were accepted, and the new poses.

    Places may depart from their prediction by a part of the size, times `far` where they are far away. The tangent at
    the new pose must lead back as well: near a limit position it is steep, and a prediction may end on another branch
    whose determinant has the same sign. So it may behind a flat pose, where branches cross: there the determinant does
    not follow its tangent, which leads to the other sign.
    """
    predicted = solver.ahead(poses.h, poses.s, h - poses.h)
    s, change, determinant = solver.newton(h, predicted, ITERATIONS)
    good = (
        (change < CLOSED) & (apart(solver.form, s, predicted) < far * DEPARTURE) & (determinant * poses.determinant > 0)
    )
    if far > 1.0:
        good &= apart(solver.form, s, predicted, origins=False) < DEPARTURE
    good &= apart(solver.form, s, poses.s, origins=False) < TURN + DEPARTURE
    if good.any():
        back = solver.ahead(h, s, poses.h - h)
        leads = apart(solver.form, back, poses.s) < far * DEPARTURE
        good &= leads if leads[good].all() else leads | (apart(solver.form, s, poses.s) < SHORT)
    if good.any():
        good &= _follows(solver, poses, Poses(h, s, determinant), predicted)
    return good, Poses(h, s, determinant)


def _follows(solver: GroupSolver, poses: Poses, found: Poses, predicted: Floats) -> Flags:
    """Return in which lanes the determinant follows its tangent in a step, as it does on one branch.

    The tangents of poses lead to the `predicted` ones.
    """
    before, expected = np.abs(poses.determinant), trend(solver, poses, found.h, predicted=predicted)
    after, expected = (np.sign(poses.determinant) * x for x in (found.determinant, expected))
    follows = (np.minimum(expected, after) > TREND * before) | (np.abs(after - expected) <= TREND * after)
    falling = np.flatnonzero(~follows & (after >= 0.0) & (after < expected))
    if len(falling):
        # Towards a limit position it falls faster and faster; behind a flat pose, on the other branch, it rises.
        back = trend(solver, found.take(falling), poses.h[:, falling]) * np.sign(poses.determinant[falling])
        follows[falling] = (back > 0.0) | (after[falling] < GONE_FLAT * before[falling])
    return np.asarray(follows)


def trend(
    solver: GroupSolver, poses: Poses, h: Floats, way: Way | None = None, predicted: Floats | None = None
) -> Floats:
    """Return the determinants (n,) at inputs h to which the tangents of those of poses lead.

    `way` gives the inputs at parts (n,) of the way there, which is straight without it. The tangents of the poses lead
    to the `predicted` ones, where these are known.
    """
    part, near = beside(solver, poses, h, way, predicted)
    return np.asarray(poses.determinant + (near.determinant - poses.determinant) / part)


def vanishes(solver: GroupSolver, poses: Poses, h: Floats, way: Way | None = None) -> Flags:
    """Return in which lanes the smallest singular value falls to zero by its tangent, on the way to inputs h.

    Towards a limit position it falls like a root, whose tangent reaches zero only as far again behind it: so the way
    passes over a gap or a flat pose, or is too long to know.
    """
    return np.asarray(vanishing(solver, poses, *beside(solver, poses, h, way)) <= 1.0)


def vanishing(solver: GroupSolver, poses: Poses, part: Floats, near: Poses) -> Floats:
    """Return at which part (n,) of a way the smallest singular value is zero by its tangent.

    That leads to the poses `near`, at another `part` (n,). Infinite where the value does not fall.
    """
    both, n = poses.beside(near), len(part)
    sigma = Direct(solver.form, solver.known).sigma(both.h, both.s)
    now, fall = sigma[:n], sigma[:n] - sigma[n:]
    return np.asarray(np.divide(part * now, fall, out=np.full(n, np.inf), where=fall > 0.0))


def beside(
    solver: GroupSolver, poses: Poses, h: Floats, way: Way | None = None, predicted: Floats | None = None
) -> tuple[Floats, Poses]:
    """Return at which part (n,) of the way to inputs h poses beside others are, and these.

    The way is straight, or given; the tangents of the poses lead to the `predicted` ones, where these are known.
    """
    if way:
        # At its end, where inputs turn back in between, the way may be where it began.
        first = np.full(h.shape[1], BEGINNING)
        moved = apart(solver.form, solver.ahead(poses.h, poses.s, way(first) - poses.h), poses.s) / BEGINNING
    else:
        predicted = solver.ahead(poses.h, poses.s, h - poses.h) if predicted is None else predicted
        moved = apart(solver.form, predicted, poses.s)
    part = np.minimum(TRIAL / np.where(moved > 0.0, moved, TRIAL), 1.0)
    there = way(part) if way else mixed(solver, poses.h, h, part)
    near = (
        solver.ahead(poses.h, poses.s, there - poses.h) if predicted is None else poses.s + part * (predicted - poses.s)
    )
    s, _, determinant = solver.newton(there, near, 1)
    return part, Poses(there, s, determinant)


def go_straight(solver: GroupSolver, poses: Poses, h: Floats, longest: Floats) -> tuple[int, Poses] | None:
    """Go the straight ways to new inputs in all lanes together; return the first lane that arrives, with its pose.

    Steps are no longer than a part of the way, the `longest` (n,); they shrink and grow as in `reach`.
    """
    lanes, start, now, arrived = np.arange(h.shape[1]), poses.h, poses, None
    done, length = np.zeros(len(lanes)), longest
    while len(lanes):
        end = np.minimum(done + length, 1.0)
        there = np.where(end == 1.0, h, mixed(solver, start, h, end))
        good, found = step(solver, now, there)
        tried = np.flatnonzero(good)
        if len(tried):
            before, behind = now.take(tried), found.take(tried)
            good[tried] = ~(vanishes(solver, before, behind.h) | vanishes(solver, behind, before.h))
        now = now.replaced(found, good)
        length = np.where(good, np.minimum(2.0 * length, longest), 0.5 * (end - done))
        done = np.where(good, end, done)
        some = np.flatnonzero(length >= 0.5**HALVINGS)
        if (done == 1.0).any():
            first = int(np.argmax(done))
            arrived = int(lanes[first]), now.take(slice(first, first + 1))
            some = some[some < first]
        lanes, start, h, now = lanes[some], start[:, some], h[:, some], now.take(some)
        done, length, longest = done[some], length[some], longest[some]
    return arrived


def reach(
    solver: GroupSolver,
    start: Poses,
    target: Floats,
    halvings: int = HALVINGS,
    route: Route | None = None,
    first: float = 1.0,
) -> Poses | Status:
    """Walk one lane to other inputs, the `first` step over this part; steps shrink where a trial fails, and grow again.

    The way is straight, or a given route: through a flat pose on that leads analytic continuation. Where guides become
    parallel a pose runs off to infinity: its steps then grow with the distance moved.
    """
    way, tries = route or Straight(solver, start.h, target), 0
    missed: list[tuple[float, float, float]] = []

    def gone(pose: Poses) -> float:
        return 0.0 if pose is start else float(apart(solver.form, pose.s, start.s)[0])

    def take(here: tuple[Poses, float], end: float) -> tuple[Poses, float] | None:
        nonlocal tries
        (pose, begin), h = here, target if end == 1.0 else way.at(end)
        charge(solver.form.rows.links / 4)
        far = max(1.0, FAR * gone(pose))
        good, found = step(solver, pose, h, far)

        def ahead(part: Floats) -> Floats:
            return way.at(begin + (end - begin) * float(part[0]))

        def back(part: Floats) -> Floats:
            return way.at(end - (end - begin) * float(part[0]))

        # On the way to infinity singular values fall with the distance.
        examined = route is not None and far == 1.0
        if good[0] and not (examined and (vanishes(solver, pose, h, ahead) | vanishes(solver, found, pose.h, back))[0]):
            return found.take(slice(None)), end
        if route is None or tries >= CROSSINGS:
            return None
        expected = trend(solver, pose, h, ahead)[0]
        if expected * np.sign(pose.determinant[0]) <= GONE_FLAT * abs(pose.determinant[0]):
            tries += 1
            crossed = _cross(solver, pose, h, way.circle(begin, end))
            if isinstance(crossed, Poses) and (end == 1.0 or not _is_flat(crossed, pose)):
                return crossed, end
            if isinstance(crossed, float):
                missed.append((begin, end, crossed))
        return None

    (pose, _), arrived = follow_straight(
        (start, 0.0), take, lambda _: 0.5**halvings, first=first, size=lambda here: abs(float(here[0].determinant[0]))
    )
    # Of parts beside each other both circles may feel a limit nearby: only one within another is around the same place.
    nested = ((a[2], b[2]) for a, b in combinations(missed, 2) if a[0] <= b[0] and b[1] <= a[1])
    if any(map(is_undecided, nested)):
        return Status.UNCERTIFIED
    if arrived:
        return pose
    if gone(pose) < GONE and np.max(np.abs(pose.h - target) * weights_of(solver)) < AT_LIMIT:
        return Poses(target, pose.s, pose.determinant)
    sigma = Direct(solver.form, solver.known).sigma(pose.h, pose.s)[0]
    return Status.OUT_OF_REACH if sigma < NEAR_LIMIT else Status.NOT_CONVERGED


def _cross(solver: GroupSolver, pose: Poses, h: Floats, circle: Circle) -> Poses | float | None:
    """Return the pose at inputs h to which that at the beginning of a part of a way leads around through complex poses.

    Where it is not certain, return what lengths miss a change point by; None where poses on the circle are not found.
    """
    charge(solver.form.rows.links)
    rows = Direct(solver.form, solver.known)
    beyond = continued(solver.form, rows.values(pose.h), circle, *rows.split(pose.s))
    if beyond is None or not beyond.certain:
        return None if beyond is None else beyond.missed
    s = rows.join(beyond.O, beyond.theta)
    closed, change, determinant = solver.newton(h, s, ITERATIONS)
    if change[0] < CLOSED and apart(solver.form, closed, s)[0] < SAME_POSE:
        return Poses(h, closed, determinant)
    # In a flat pose Newton's method has nothing to hold on to.
    return Poses(h, s, solver.newton(h, s, 1)[2])


def _is_flat(found: Poses, before: Poses) -> bool:
    """Return whether a pose is so close to a flat one that a step from there has no sure direction."""
    return bool(abs(found.determinant[0]) < GONE_FLAT * abs(before.determinant[0]))
