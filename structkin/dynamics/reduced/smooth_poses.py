"""Successive poses of a mechanism, with K and z'^T L z', along one smooth motion: through change points too.

Each dyad's root, the signed sine that is zero where it is singular, is a smooth function of the coordinates. So the
pose at new coordinates is the one whose roots continue those of the last pose, along a path short enough for their
slopes to predict them. A root changes its sign only in a certified series of poses around a flat pose (`Series`); where
a path leads past one, it is taken in parts until it meets it.

At a change point (the flat pose of a parallelogram) K and L of the groups are 0/0, and close to it they lose their
precision; but along any smooth path of the drivers the pose is an analytic function of the path length s. Its power
series comes from poses on a circle of complex s, where every group is regular
(`structkin.solve.change_points.contours`), by one Fourier transform; its first two derivatives are K and z'^T L z'
along that path.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from structkin.dynamics.reduced.pose import (
    NoPoseError,
    Pose,
    curvatures_at,
    general_steps,
    lanes_of,
    orientation,
    roots_at,
    slopes_at,
)
from structkin.dynamics.slot_map import Counted
from structkin.numerical_tolerances import (
    FLAT_DISCRIMINANT,
    GUARD,
    NARROW,
    NEVER_FLAT,
    SAME_SOLVED,
    SIMULATED_STEP,
    SIMULATED_TURN,
)
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.change_points.contours import RADII, Signs, solve_on_contours
from structkin.solve.coefficients import Coefficients
from structkin.solve.engine import Lanes, positions, step_inputs
from structkin.track.contour import POWERS, UNIT, is_analytic, powers
from structkin.types import Complexes, Floats, Indices

#: The part of the radius in which a series represents the pose: the omitted powers are below rounding there.
VALID = 0.3


@dataclass(frozen=True)
class Series:
    """Slots (rows,) as power series of the distance s from a `place` (f,) along each of c `directions` (c, f).

    `powers` (c, rows, POWERS) are the coefficients times powers of the radius, `nodes` (rows, c, NODES) the complex
    slots on the circles. The steps `flat` pass a flat pose inside a circle.
    """

    place: Floats
    directions: Floats
    radius: float
    powers: Floats
    nodes: Complexes
    flat: frozenset[int]

    def place_of(self, q: Floats) -> float:
        """Return the distance of some coordinates along the only direction."""
        return float((q - self.place)[0] / self.directions[0, 0])

    def holds(self, q: Floats, part: float = VALID) -> bool:
        """Return whether coordinates lie in the inner part of the circle."""
        return abs(self.place_of(q)) <= part * self.radius

    def at(self, s: float) -> tuple[Floats, Floats, Floats]:
        """Return value and the first two derivatives by s (rows, c) at a distance s from the place."""
        n = np.arange(POWERS)
        power = (s / self.radius) ** n
        first, second = np.zeros(POWERS), np.zeros(POWERS)
        first[1:] = n[1:] * power[:-1] / self.radius
        second[2:] = n[2:] * n[1:-1] * power[:-2] / self.radius**2
        value, one, two = np.moveaxis(self.powers @ np.stack((power, first, second), axis=1), 2, 0)
        return value.T, one.T, two.T


def expand(
    plan: Plan, order: Sequence[str], q: Floats, directions: Floats, signs: Signs, near: Floats
) -> Series | None:
    """Return the series of a pose along directions (c, f) from coordinates q (f,), None where no circle is reliable.

    `signs` distinguishes the smooth roots, as for `solve_on_contours`; `near` (rows,) are slots nearby.
    """
    around = np.repeat(near[:, None], len(directions), axis=1)
    for radius in RADII:
        nodes = q[:, None, None] + directions.T[:, :, None] * (radius * UNIT)
        with np.errstate(all="ignore"):
            contours = solve_on_contours(plan, dict(zip(order, nodes, strict=True)), radius, signs, around)
            if not (contours.until == len(plan.steps)).all():
                continue
            found = powers(contours.x)
        if is_analytic(found, np.max(np.abs(contours.x))).all():
            flat = frozenset(step for step, zeros in contours.zeros.items() if np.isfinite(zeros.flat).any())
            return Series(q, directions, radius, np.moveaxis(found[..., :POWERS].real, 1, 0), contours.x, flat)
    return None


#: A root below this may be zero in the neighbourhood of a pose.
NEAR = 0.3


def base(roots: Floats, slopes: Floats, lengths: Floats) -> tuple[Floats | None, float]:
    """Return a direction (f,) across all nearby flat poses of groups, and how far others may deviate from it.

    `roots` (k,) are those of the groups, `slopes` (f, k) theirs by the coordinates, whose scales are `lengths` (f,).
    Without flat poses nearby there is no direction, and others are free.

    >>> base(np.array([0.1, 0.9]), np.array([[0.5, 1.0], [0.0, 2.0]]), np.ones(2))
    (array([1., 0.]), 0.5)
    >>> base(np.array([0.8]), np.array([[0.5], [0.0]]), np.ones(2))
    (None, 1.0)
    """
    normals = (slopes[:, np.abs(roots) < NEAR] * lengths[:, None]).T
    normals = normals[np.linalg.norm(normals, axis=1) > 0]
    if not len(normals):
        return None, 1.0
    direction, lean = across(normals)
    return direction * lengths, lean


def across(normals: Floats) -> tuple[Floats, float]:
    """Return a unit direction (f,) across all surfaces with normals (k, f), and how far others may deviate from it.

    Flat poses of two groups may be oblique: the sum or the difference of their normals crosses both.

    >>> direction, lean = across(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> np.abs(direction).round(3).tolist(), round(lean, 3)
    ([0.707, 0.707], 0.354)
    """
    units = normals / np.linalg.norm(normals, axis=1)[:, None]
    trials = [a + sign * b for a in units for b in units for sign in (1, -1)]
    trials = [direction / np.linalg.norm(direction) for direction in trials if np.linalg.norm(direction) > 0.1]
    least = [float(np.min(np.abs(units @ direction))) for direction in trials]
    best = int(np.argmax(least))
    return trials[best], 0.5 * least[best]


#: How often a step is halved before it fails.
HALVINGS = 10
#: How far a root may be from its prediction by the slope at either end of a step, relative to its size or change: a
#: step over a flat pose agrees with one of the two at most, if the root has kept its sign.
STRAY = 0.5
#: Within this distance of a place where no series of a general group was found, none is tried [rad or parts of size].
IN_VAIN = 3e-3
#: The last pose must lie on a new series if it is within this part of its radius, to this part of the largest slot.
REACH, MEETS = 0.6, 1e-5
#: A root goes straight to zero, as at a flat pose, where |r r''| / r'^2 is below this: it is 1 at a dead point.
STRAIGHT = 0.5
#: Where no series was found, one is tried again once the root is this part of its value then.
CLOSER = 0.25


class Poses:
    """Follows a mechanism from pose to pose."""

    def __init__(self, plan: Plan, order: Sequence[str], lengths: Floats, counted: Counted) -> None:
        """Prepare; `lengths` (f,) are the scales of the coordinates."""
        self.plan, self.order, self.lengths = plan, tuple(order), lengths
        self._counted, self.turns = counted, np.zeros(0)
        #: The last pose; `turns` (k,) are those of the counted links there.
        self.last: Pose | None = None
        self.steps, self._general = list(plan.with_root), general_steps(plan)
        # After origins and directions of its links a general group has the angles that it counts.
        groups = [(step.outputs, 2 * step.kind.rows.links) for step in plan.steps if not step.kind.closed_form]
        units = [slot for outputs, count in groups for slot in outputs[1:count:2]]
        self._unit = [row for slot in units for row in (plan.rows(slot).start, plan.rows(slot).start + 1)]
        self._start: tuple[Floats, Floats] | None = None
        #: Of the last pose, once they are needed: slopes of the roots, their rates, signs of the general groups.
        self._slopes: Floats | None = None
        self._slope_rates: dict[int, float] = {}
        self._signs: Floats | None = None
        #: The series around poses nearby; only of mechanisms with one coordinate.
        self.series: list[Series] = []
        #: Sizes of roots where no series was found, kept until they have grown; the place of a general group without
        #: one.
        self._refused: dict[int, float] = {}
        self._in_vain: Floats | None = None

    @property
    def follows(self) -> bool:
        """Whether poses are followed in short parts: their branch, or the turns of links, depend on the path."""
        return bool(self.steps or self.plan.tracked or self._counted.any)

    def aside(self) -> Poses:
        """Return poses that continue from the last one and leave these unchanged."""
        found = copy(self)
        found.series, found._refused = list(self.series), dict(self._refused)
        return found

    def start(self, x: Floats, z: Floats, turns: Floats) -> None:
        """Begin at a known regular pose: slots (rows,), drivers' values (f,), turns (k,) of the counted links."""
        self._start, self.turns = (x, z), turns
        self.last, self.series, self._refused, self._in_vain = None, [], {}, None

    def resume(self, q: Floats, x: Floats, roots: Floats, turns: Floats) -> None:
        """Continue from coordinates (f,) on the same motion reached elsewhere, with slots (rows,) and roots.

        `turns` (k,) are those of the counted links there.
        """
        assert self.last is not None
        self.turns = turns.copy()
        if np.array_equal(q, self.last.q):
            return
        series = next((one for one in self.series if one.holds(q)), None)
        if series is not None:
            self._keep(self._from_series(series, q))
            return
        pose = self.regular(q, x.copy(), roots.copy())
        if pose is not None:
            self._keep(pose)

    def foresee(self, q: Floats, k: int) -> bool:
        """Expand around coordinates (1,) ahead, where root k is zero; return whether the last pose is on it."""
        assert self.last is not None
        if not self._is_straight(k):
            return False
        found = self._expanded(q)
        if found is not None and self.series[-1].holds(self.last.q, REACH):
            return True
        if found is not None:
            self.series.pop()
        return False

    def at(self, t: float, q: Floats, rates: Floats) -> tuple[Pose, Floats]:
        """Return the pose at coordinates q (f,), and z'^T L z' of the slots (rows,) at their rates (f,).

        Raises `NoPoseError` where there is none.
        """
        before, turns = self.last, self.turns
        try:
            pose = self.reach(t, q)
        except NoPoseError:
            # On the way it may have come next to a dead point, from where the way back is as hard to find.
            if before is not None and self.last is not before:
                self.turns = turns
                self._keep(before)
            raise
        found = self._convective_smooth(q, rates) if pose.smooth else self.convective(pose, rates)
        if found is not None:
            return pose, found
        # Only nearly flat: away from the direction across, no series of K exists any longer.
        regular = (
            self.regular(q, pose.x, pose.roots) if np.min(pose.roots**2, initial=np.inf) > FLAT_DISCRIMINANT else None
        )
        if regular is None:
            raise NoPoseError(t, Status.SINGULAR, -1)
        self._keep(regular)
        return regular, self.convective(regular, rates)

    def reach(self, t: float, q: Floats) -> Pose:
        """Return the pose at coordinates q (f,) alone; raises `NoPoseError` where there is none.

        The last pose is then the one where the way to it ends.
        """
        if self.last is None:
            assert self._start is not None
            x, z = self._start
            first = self.regular(z, x, roots_at(self.plan, self.steps, x[:, None])[:, 0])
            if first is None:
                raise NoPoseError(t, Status.SINGULAR, -1)
            self._keep(first)
        self._go(t, q, HALVINGS)
        assert self.last is not None
        return self.last

    def circle(self) -> Complexes | None:
        """Return complex slots (rows, nodes) around the last pose, if its K and L come from these; None elsewhere."""
        if self.last is None or not self.last.smooth:
            return None
        series = self.expand(self.last.q, self._directions(self.last.q)[:1])
        return None if series is None else series.nodes[:, 0]

    # --- from pose to pose --------------------------------------------------------------------------------

    def _go(self, t: float, q: Floats, halvings: int) -> None:
        """Make q the last pose, in several parts where necessary."""
        assert self.last is not None
        if np.array_equal(q, self.last.q):
            return
        found = self._hop(t, q)
        if isinstance(found, Pose) and halvings and self._counted.far(self.last.x, found.x):
            found = Status.NOT_CONVERGED, -1
        if isinstance(found, Pose):
            self._keep(found)
            return
        if not halvings:
            raise NoPoseError(t, *found)
        self._go(t, 0.5 * (self.last.q + q), halvings - 1)
        self._go(t, q, halvings - 1)

    def _keep(self, pose: Pose) -> None:
        self.last, self.turns = pose, self._counted.turns(pose.x, self.turns)
        self._slopes, self._slope_rates, self._signs = pose.slopes, {}, None
        if not pose.smooth:
            # Kept while trial steps enter and leave it; far from it, the branch may be another.
            self.series = [one for one in self.series if one.holds(pose.q, 1.0)]
            if self._refused:
                self._refused = {k: size for k, size in self._refused.items() if abs(pose.roots[k]) < 2 * GUARD}

    def _hop(self, t: float, q: Floats) -> Pose | tuple[Status, int]:
        """Return the pose at q, or why it cannot be found from here."""
        assert self.last is not None
        last, step = self.last, q - self.last.q
        is_long = np.max(np.abs(step) / self.lengths, initial=0.0) > SIMULATED_STEP
        if self.follows and is_long:
            return Status.NOT_CONVERGED, -1
        for one in self.series:
            if one.holds(q):
                return self._from_series(one, q)
        expected = self.expected(step)
        modes = np.where(expected < 0, -1, 1)
        turned = modes != np.where(last.roots < 0, -1, 1)
        if (turned & ~(last.smooth & (np.abs(last.roots) < 2 * GUARD))).any():
            return Status.SINGULAR, self.plan.steps[self.steps[int(np.argmax(turned))]].group
        found = self._closed(q, modes, expected)
        if isinstance(found, Pose) and not found.flat.issuperset(self.steps[k] for k in np.flatnonzero(turned)):
            # A root that is never quite zero leads to zero as well, by its slope.
            return Status.SINGULAR, self.plan.steps[self.steps[int(np.argmax(turned))]].group
        return found

    def expected(self, step: Floats) -> Floats:
        """Return the roots (k,) predicted by their slopes for a displacement (f,) from the last pose."""
        assert self.last is not None
        return np.asarray(self.last.roots + step @ self.slopes)

    @property
    def slopes(self) -> Floats:
        """The slopes (f, k) of the roots at the last pose."""
        assert self.last is not None
        if self._slopes is None:
            self._slopes = slopes_at(self.plan, self.steps, self.last.x, self.last.K)
        return self._slopes

    def _is_straight(self, k: int) -> bool:
        """Return whether root k goes straight to zero from the last pose, across the poses where it is flat.

        To second order: at a dead point the square of a root is linear, r r'' = -r'^2; where a group is nearly flat but
        never quite, r r'' = r'^2 at some distance and more closer by. In both cases there is no series.
        """
        last = self.last
        assert last is not None
        normal = self.slopes[:, k] * self.lengths
        size = float(np.linalg.norm(normal))
        if k not in self._slope_rates:
            along = normal / (size or 1.0) * self.lengths
            found = curvatures_at(self.plan, self.steps, last.x, along @ last.K, self.convective(last, along))
            self._slope_rates[k] = float(found[k])
        return bool(abs(last.roots[k] * self._slope_rates[k]) < STRAIGHT * size**2)

    # --- regular poses ------------------------------------------------------------------------------------

    def _closed(self, q: Floats, modes: Indices, expected: Floats) -> Pose | tuple[Status, int]:
        """Return the pose in these modes from closed forms, or from a series where a group is nearly singular."""
        assert self.last is not None
        lanes = self._positions(q, self.last.x, modes)
        least = lanes.least[list(self.steps)]
        status = Status(int(lanes.status[0]))
        flat = self.steps[int(np.argmin(least))] if self.steps else 0
        if status in (Status.OK, Status.SINGULAR) and np.min(least, initial=np.inf) < GUARD**2:
            flat_pose = self._across(q, np.sqrt(np.maximum(least, 0.0)))
            if flat_pose is not None:
                return flat_pose
            if not lanes.least[flat] > FLAT_DISCRIMINANT or self._may_be_flat(lanes, flat):
                return Status.SINGULAR, self.plan.steps[flat].group
        if status != Status.OK:
            return status, int(lanes.group[0])
        x = lanes.x[0, :, 0]
        turn = np.abs(x - self.last.x)[self._unit]
        if not np.isfinite(x).all() or np.max(turn, initial=0.0) > SIMULATED_TURN:
            return Status.NOT_CONVERGED, -1
        roots = np.asarray(modes * np.sqrt(least), dtype=np.float64)
        if not self._continues(roots, expected - self.last.roots):
            return Status.SINGULAR, self.plan.steps[flat].group
        pose: Pose | tuple[Status, int] = self._turned(q, x) or self.regular(q, x, roots) or (Status.SINGULAR, -1)
        if isinstance(pose, Pose) and not pose.smooth:
            slopes = slopes_at(self.plan, self.steps, pose.x, pose.K)
            if not self._continues(roots, (q - self.last.q) @ slopes):
                return Status.SINGULAR, self.plan.steps[flat].group
            return replace(pose, slopes=slopes)
        return pose

    def _may_be_flat(self, lanes: Lanes, index: int) -> bool:
        """Return whether a group is so near a flat pose that rounding may keep it from one: its branch is not known."""
        step = self.plan.steps[index]
        h = step_inputs(self.plan, lanes, step, 0)
        return bool(np.min(self.plan.from_flat(step, h)) < NEVER_FLAT)

    def _across(self, q: Floats, sizes: Floats) -> Pose | None:
        """Return the pose at q from a series, where roots of these sizes (k,) are small because a flat pose is near."""
        assert self.last is not None
        small = [int(k) for k in np.flatnonzero(sizes < GUARD) if sizes[k] < CLOSER * self._refused.get(int(k), np.inf)]
        if not self.last.smooth:
            small = [k for k in small if self._is_straight(k)]
        pose = self._expanded(q) if small else None
        if pose is None:
            self._refused.update((k, float(sizes[k])) for k in small)
        return pose

    def _turned(self, q: Floats, x: Floats) -> Pose | tuple[Status, int] | None:
        """Return the pose from a series, or why there is none, where a general group is or has been singular.

        There Newton's method may find any branch. A series around the last pose before it gives the smooth one.
        """
        assert self.last is not None
        if not self._general:
            return None
        signs, sizes = orientation(self.plan, self._general, x)
        if self._signs is None:
            self._signs = orientation(self.plan, self._general, self.last.x)[0]
        turned = signs != self._signs
        if not turned.any() and np.min(sizes) > NARROW:
            return None
        tried = self._in_vain is not None and np.max(np.abs(self.last.q - self._in_vain) / self.lengths) < IN_VAIN
        if len(q) == 1 and not tried:
            series = self.expand(self.last.q, self._directions(self.last.q))
            if series is None:
                self._in_vain = self.last.q
            elif series.holds(q):
                self.series.append(series)
                return self._from_series(series, q)
        if not turned.any():
            return None
        return Status.SINGULAR, self.plan.steps[self._general[int(np.argmax(turned))]].group

    def _positions(self, q: Floats, near: Floats, modes: Indices) -> Lanes:
        lanes = Lanes.empty(self.plan, 1, orders=1)
        values = {id: q[k : k + 1] for k, id in enumerate(self.order)}
        mode = dict(zip(self.steps, modes.tolist(), strict=True))
        steps = self.plan.steps
        positions(self.plan, len(steps), lanes, values, lambda k: mode.get(k, steps[k].mode), near[:, None])
        return lanes

    def regular(self, z: Floats, x: Floats, roots: Floats) -> Pose | None:
        """Return a regular pose with its K by the drivers, None where K is not finite."""
        K = Coefficients(self.plan, lanes_of(x)).slots(self.order)[:, :, 0]
        return Pose(z, x, K, roots) if np.isfinite(K).all() else None

    def convective(self, pose: Pose, rates: Floats) -> Floats:
        """Return z'^T L z' of the slots (rows,) at a regular pose."""
        return np.asarray(Coefficients(self.plan, lanes_of(pose.x, rates @ pose.K)).convective_slots()[:, 0])

    def _continues(self, roots: Floats, change: Floats) -> bool:
        """Return whether roots (k,) agree with their change since the last pose by their slopes at either end."""
        assert self.last is not None
        last = self.last.roots
        size = np.maximum(np.abs(roots) + np.abs(last), np.abs(change))
        return bool((np.abs(roots - last - change) <= STRAY * size + SAME_SOLVED).all())

    # --- poses from series --------------------------------------------------------------------------------

    def _expanded(self, q: Floats) -> Pose | None:
        """Return the pose at q from a new series around it, None where there is none."""
        assert self.last is not None
        directions = self._directions(q)
        series = self.expand(q, directions)
        if series is None:
            return None
        if len(q) == 1:
            if series.holds(self.last.q, REACH):
                value = series.at(series.place_of(self.last.q))[0][:, 0]
                if not np.allclose(value, self.last.x, rtol=0, atol=MEETS * np.max(np.abs(value))):
                    return None
            self.series.append(series)
            return self._from_series(series, q)
        value, first, _ = series.at(0.0)
        K = np.linalg.lstsq(directions, first.T, rcond=None)[0]
        return self._smooth(q, value[:, 0], np.asarray(K, dtype=np.float64), series)

    def expand(self, q: Floats, directions: Floats) -> Series | None:
        """Return the series around q along directions (c, f) whose roots continue those of the last pose."""
        assert self.last is not None
        last, slopes = self.last, self.slopes
        expected = dict(zip(self.steps, self.expected(q - last.q).tolist(), strict=True))
        slope = dict(zip(self.steps, (directions @ slopes).T, strict=True))

        def signs(step: int, s0: Floats) -> Floats:
            """A root that passes through zero has the sign of its slope, another one its own."""
            return np.where(np.isnan(s0), 1.0 if expected[step] >= 0 else -1.0, np.where(slope[step] < 0, -1.0, 1.0))

        return expand(self.plan, self.order, q, directions, signs, last.x)

    def _directions(self, q: Floats) -> Floats:
        """Return directions (c, f) that determine K at q, none of them along the poses where a group is flat."""
        unit = np.diag(self.lengths)
        if len(q) == 1:
            return unit
        base, lean = self._base(q)
        return unit if base is None else np.vstack((base, base + lean * unit))

    def _base(self, q: Floats) -> tuple[Floats | None, float]:
        assert self.last is not None
        return base(self.expected(q - self.last.q), self.slopes, self.lengths)

    def _from_series(self, series: Series, q: Floats) -> Pose:
        value, first, _ = series.at(series.place_of(q))
        return self._smooth(q, value[:, 0], first.T / series.directions, series)

    def _smooth(self, q: Floats, x: Floats, K: Floats, series: Series) -> Pose:
        return Pose(q, x, K, roots_at(self.plan, self.steps, x[:, None])[:, 0], True, series.flat)

    def _convective_smooth(self, q: Floats, rates: Floats) -> Floats | None:
        """Return z'^T L z' of the slots at a pose from a series, None where other directions have none."""
        if len(q) == 1:
            series = next(one for one in self.series if one.holds(q))
            _, _, second = series.at(series.place_of(q))
            return np.asarray(second[:, 0] * (rates[0] / series.directions[0, 0]) ** 2)
        size = float(np.linalg.norm(rates / self.lengths))
        if not size:
            return np.zeros(self.last.K.shape[1] if self.last else 0)
        along, (base, lean) = rates / size, self._base(q)
        directions = along[None] if base is None else np.stack((base, base + lean * along, base - lean * along))
        series_or_none = self.expand(q, directions)
        if series_or_none is None:
            return None
        _, _, second = series_or_none.at(0.0)
        if base is None:
            return np.asarray(second[:, 0] * size**2)
        # The second derivative is a quadratic form of the direction: three directions determine it along the rates.
        return np.asarray((second[:, 1] + second[:, 2] - 2 * second[:, 0]) * (size**2 / (2 * lean**2)))
