"""What kind of pose a sample is: regular, a dead point, a change point, redundant.

With Phi_q the Jacobian of all joints by all coordinates of the links, and Phi_phi that with the rows of the drivers:

- regular: Phi_phi has full rank;
- dead point: Phi_phi is singular, Phi_q has full rank: another coordinate would do as a driver;
- change point: Phi_q loses rank: branches of the motion cross, and no coordinate distinguishes them;
- redundant: regular, with joints that repeat the constraints of others.

At a change point each dyad that is flat has two smooth roots through zero, and a general group that is singular has the
tangents of its second-order conditions (`structkin.track.tangents`). Every combination of them that closes the
mechanism is a branch: a curve of poses with its own tangent, K and L.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.groups import General
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.model.arguments import index as whole_index
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import ROUNDING_OF_FEW, SAME_POSE, SINGULAR_AT_LIMIT
from structkin.plan.builder import PlanBuilder
from structkin.plan.general_rows import write_rows
from structkin.plan.known_state import KnownState
from structkin.plan.plan import Operand, Register, Step
from structkin.solve.change_points.contours import RADII, Contours, solve_on_contours
from structkin.solve.change_points.mode_changes import directions
from structkin.solve.change_points.smoothing import displacements_at, replaced
from structkin.solve.derivatives import Part
from structkin.solve.engine import ContourPoses
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import run_from_sketch
from structkin.solve.special_geometry import compile_plan
from structkin.solve.tracking import unpacked
from structkin.structure import KinematicStructure
from structkin.track.contour import UNIT
from structkin.track.tangents import ZERO, Tangents, closed_on, tangents
from structkin.types import Complexes, Floats

# --- all joints at once --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """The rows of all joints, or of all joints and drivers, as one group of all moving links."""

    links: tuple[str, ...]
    form: General
    inputs: tuple[Operand, ...]
    builder: PlanBuilder

    @classmethod
    def of(cls, mechanism: Mechanism, structure: KinematicStructure, *, drivers: bool) -> Whole:
        """Return the rows of all joints of a mechanism and, with `drivers`, those of its drivers."""
        links = tuple(mechanism.topology.moving_links)
        state = KnownState(mechanism, mechanism.topology, PlanBuilder(), mechanism.topology.ground, lambda *_: {})
        group = replace(structure.groups[0], links=links, drivers=tuple(mechanism.drivers) if drivers else ())
        form, inputs = write_rows(state, group, 0)
        return cls(links, form, inputs, state.builder)

    def jacobian(self, origins: Floats, angles: Floats, drivers: Mapping[str, float]) -> Floats:
        """Return the scaled Jacobian (rows, 3 m) at origins (m, 2) and angles (m,); columns dO_x, dO_y, size dtheta."""
        if not self.form.rows.count:
            return np.zeros((0, 3 * self.form.rows.links))
        values: dict[int, Any] = {}
        for item in self.builder.drivers.values():
            z = item.at(drivers[item.driver])
            values[item.register] = complex(*z) if item.angular else z
        for step in self.builder.steps:
            # The only steps here compute half the square of a driven distance.
            (distance,) = step.inputs
            assert isinstance(distance, Register)
            values[step.outputs[0]] = 0.5 * values[distance.index] ** 2
        h = tuple(self._operand(operand, values) for operand in self.inputs)
        return np.asarray(self.form.jacobian(h, self.form.unknowns(origins[:, :, None], angles[:, None]))[0])

    def _operand(self, operand: Operand, values: Mapping[int, Any]) -> Any:
        value = values[operand.index] if isinstance(operand, Register) else operand
        vector = isinstance(operand, complex) or (
            isinstance(operand, Register) and self.builder.widths[operand.index] == 2
        )
        return np.array([[np.real(value)], [np.imag(value)]]) if vector else np.array([np.real(value)])


# --- branches that cross -------------------------------------------------------------------------------------------

#: More branches than this are not listed: a row of n flat dyads has up to two to the power of n.
MOST = 64
#: Smaller circles: a branch that moves many times faster than the drivers soon meets its next limit.
SMALL = (0.01, 0.004, 0.0015)


@dataclass(frozen=True)
class Crossing:
    """The branches that cross at a sample as motions of one sample, the one that the motion follows first.

    `resting` are groups with a branch along which the drivers are at rest, `unclear` those with infinitely many
    tangents to the second order, `flat` dyads with a branch along which they stay flat, their inputs at rest: their
    rates are undetermined there, and it is not among the branches. `cut` if there may be more branches than `MOST`.
    """

    branches: tuple[Motion, ...]
    resting: tuple[int, ...] = ()
    unclear: tuple[int, ...] = ()
    flat: tuple[int, ...] = ()
    cut: bool = False


@dataclass
class _Choice:
    """What is chosen at each step: the sign of a dyad's smooth root, the number of a general group's tangent."""

    slopes: Mapping[int, int] = field(default_factory=dict)
    numbers: Mapping[int, int] = field(default_factory=dict)


@dataclass
class _Tried:
    """Circles of one choice, and the tangents of the general groups that are singular."""

    contours: Contours
    found: dict[int, Tangents]

    @property
    def touched(self) -> list[int]:
        """The steps that are flat or singular, in order, up to where the circles are reliable."""
        flat = [step for step, zeros in self.contours.zeros.items() if np.isfinite(zeros.flat[0])]
        singular = [step for step, tangents in self.found.items() if len(tangents.directions)]
        return sorted(step for step in (*flat, *singular) if step < self.contours.until[0])


def branches_at(motion: Motion, sample: int) -> Crossing:
    """Return the branches that cross at a sample."""
    found: list[Motion] = []
    resting, unclear, flat = set[int](), set[int](), set[int]()
    steps, order, pending = motion.plan.steps, count(), [(0.0, -1, _Choice())]
    while pending and len(found) < MOST:
        # What begins at a branch near the motion is tried first: it leads to the branch that the motion follows.
        _, _, choice = heappop(pending)
        tried, others = _around(motion, sample, choice), list[_Choice]()
        resting |= {steps[k].group for k, item in tried.found.items() if item.resting}
        unclear |= {steps[k].group for k, item in tried.found.items() if not item.isolated}
        flat |= {steps[k].group for k in _staying_flat(motion, tried.contours)}
        touched = tried.touched
        for k, step in enumerate(touched):
            before = _Choice(
                {other: choice.slopes.get(other, 1) for other in touched[:k] if other not in tried.found},
                {other: choice.numbers.get(other, 0) for other in touched[:k] if other in tried.found},
            )
            if step in tried.found and step not in choice.numbers:
                numbers = range(1, len(tried.found[step].directions))
                others += [replace(before, numbers={**before.numbers, step: number}) for number in numbers]
            elif step not in tried.found and step not in choice.slopes:
                others.append(replace(before, slopes={**before.slopes, step: -1}))
        away = 0.0
        if touched and tried.contours.until[0] == len(steps):
            branch = _branch(motion, sample, tried.contours)
            turned = _group_elsewhere(motion, sample, branch)
            if turned is None:
                found.append(branch)
                away = _apart(motion, sample, branch) if motion.regular[sample] else 0.0
            else:
                resting.add(turned)
        for other in others:
            heappush(pending, (away, next(order), other))
    around = motion.lanes.around
    if not found and motion.regular[sample] and around is not None and sample in around.at:
        found.append(_one(motion, sample))
    if motion.regular[sample]:
        found.sort(key=lambda branch: _apart(motion, sample, branch))
    groups = tuple(sorted(resting)), tuple(sorted(unclear)), tuple(sorted(flat))
    return Crossing(tuple(found), *groups, cut=bool(pending))


def _staying_flat(motion: Motion, contours: Contours) -> list[int]:
    """Return the step at which a circle ends, if it is a dyad whose discriminant is zero all around."""
    steps, index = motion.plan.steps, int(contours.until[0])
    form = steps[index].kind if index < len(steps) else None
    if form is None or not form.closed_form or form.modes == 1:
        return []
    discriminant = form.discriminant(Part(motion.plan, contours.x[:, 0]).inputs(steps[index]))
    return [index] if discriminant is not None and np.max(np.abs(discriminant)) < ROUNDING_OF_FEW else []


def _around(motion: Motion, sample: int, choice: _Choice) -> _Tried:
    schedule = Schedule(motion.mechanism, motion.t, motion.drivers)
    plan, near = motion.plan, motion.lanes.x[0][:, [sample]]
    lines = directions(plan, schedule, displacements_at(plan, schedule, np.array([sample])))

    def signs(step: int, s0: Floats) -> Floats:
        mode = plan.steps[step].mode
        return np.where(np.isnan(s0), mode, choice.slopes.get(step, 1)).astype(float)

    result: _Tried | None = None
    for radius in (*RADII, *SMALL):
        s = radius * UNIT
        nodes = {id: z[0, [sample]][:, None] + lines[id][:, None] * s for id, z in motion.drivers.items()}
        given: dict[int, tuple[Any, ...]] = {}
        found: dict[int, Tangents] = {}
        for index, step in enumerate(plan.steps):
            if not step.kind.closed_form and _is_singular(motion, step, step.kind, near):
                before = solve_on_contours(plan, nodes, radius, signs, near, steps=index, given=given)
                if before.until[0] < index:
                    break
                phi = _along(motion, step, step.kind, before, near, s, choice.numbers.get(index, 0), found, index)
                if phi is None:
                    break
                given[index] = phi
        tried = _Tried(solve_on_contours(plan, nodes, radius, signs, near, given=given), found)
        missing = [index for index in found if index not in given]
        if missing:
            tried.contours.until[:] = np.minimum(tried.contours.until, missing[0])
        if result is None or tried.contours.until[0] > result.contours.until[0]:
            result = tried
        if result.contours.until[0] == len(plan.steps):
            break
    assert result is not None
    return result


def _is_singular(motion: Motion, step: Step, form: General, near: Floats) -> bool:
    part = Part(motion.plan, near)
    return bool(form.smallest_singular_value(part.inputs(step), part.outputs(step))[0] < ZERO)


def _along(
    motion: Motion, step: Step, form: General, contours: Contours, near: Floats, s: Complexes,
    number: int, found: dict[int, Tangents], index: int,
) -> tuple[Any, ...] | None:  # fmt: skip
    """Return the unknowns of a general group on the circle, along one of its tangents, which are put into `found`."""
    h = Part(motion.plan, contours.x[:, 0]).inputs(step)
    O, theta = unpacked(form, Part(motion.plan, near).outputs(step))
    found[index] = tangents(form, h, s, O, theta)
    directions = found[index].directions
    return closed_on(form, h, s, O, theta, directions[number]) if number < len(directions) else None


def _branch(motion: Motion, sample: int, contours: Contours) -> Motion:
    branch = _one(motion, sample)
    lanes, around = branch.lanes, ContourPoses(np.array([0]), contours.x[:, 0])
    own = replace(lanes, x=lanes.x.copy(), status=lanes.status.copy(), group=lanes.group.copy(), around=around)
    return replace(branch, lanes=replaced(motion.plan, own))


def _group_elsewhere(motion: Motion, sample: int, branch: Motion) -> int | None:
    """Return the first group that a branch has in another pose; None if it passes through the motion's.

    Where the outer pins of a dyad coincide its root is zero as well, but its two modes are two poses, and between them
    it turns freely.
    """
    for group in motion.structure.groups:
        for link in group.links:
            moved = np.abs(branch.position(0j, link)[0] - motion.position(0j, link)[sample])
            turned = np.exp(1j * branch.angle(link)[0]) - np.exp(1j * motion.angle(link)[sample])
            if max(*moved / motion.size, abs(turned)) > SAME_POSE:
                return group.index
    return None


def _one(motion: Motion, sample: int) -> Motion:
    """Return the motion at one sample."""
    one = np.array([sample])
    return replace(
        motion,
        t=motion.t[one],
        drivers={id: z[:, one] for id, z in motion.drivers.items()},
        lanes=motion.lanes.take(one),
        thirds={id: z[one] for id, z in motion.thirds.items()},
        counted={link: turn[one] for link, turn in motion.counted.items()},
    )


def _apart(motion: Motion, sample: int, branch: Motion) -> float:
    """Return how far the tangents of the links differ from those of the motion."""
    links = motion.mechanism.topology.moving_links
    gaps = (motion.K(link, kind="link")[sample] - branch.K(link, kind="link")[0] for link in links)
    return float(sum(np.abs(gap).sum() for gap in gaps))


# --- kinds of poses ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PoseClass:
    """The kind of a pose, in words and numbers.

    `sigma` is the smallest singular value of the scaled Phi_phi. `coordinates` are joints whose relative motions can
    drive the mechanism at a dead point, one per driver; drivers that still work are among them. `branches` are those
    that cross at a change point, as motions of one sample with K, L and rates; the first is the one that the motion
    follows.
    """

    kind: Literal["regular", "dead point", "change point", "redundant"]
    words: str
    sigma: float
    coordinates: tuple[str, ...] = ()
    branches: tuple[Motion, ...] = ()


def classify(motion: Motion, sample: int) -> PoseClass | None:
    """Return the kind of pose at a sample; see `Motion.classify`."""
    m, structure = motion.mechanism, motion.structure
    sample = whole_index(sample, len(motion), "sample", m.title)
    if m.joints.of(Geneva):
        said = "poses of a mechanism with a Geneva wheel cannot be classified"
        raise InputError([Problem(f"joints.{id}", said, "without it they can") for id in m.joints.of(Geneva)], m.title)
    joints = Whole.of(m, structure, drivers=False)
    origins = np.stack([motion.position(0j, link=a)[sample] for a in joints.links])
    angles = np.array([np.angle(m.links[a].direction) + motion.turn(a)[sample] for a in joints.links])
    if not (np.isfinite(origins).all() and np.isfinite(angles).all()):
        return None
    z = {id: float(values[0, sample]) for id, values in motion.drivers.items()}
    Phi_q = joints.jacobian(origins, angles, z)
    Phi_phi = Whole.of(m, structure, drivers=True).jacobian(origins, angles, z)
    unknowns = Phi_q.shape[1]
    sigma = float(np.linalg.svd(Phi_phi, compute_uv=False)[unknowns - 1])
    if sigma > SINGULAR_AT_LIMIT:
        extra = len(Phi_phi) - unknowns
        if not extra:
            return PoseClass("regular", "regular: the drivers determine every link", sigma)
        names = ", ".join(dict.fromkeys(item.id for item in structure.over))
        return PoseClass("redundant", f"redundant: the other joints already impose the constraints of {names}", sigma)
    _, values, V = np.linalg.svd(Phi_q)
    rank = int(np.sum(values > SINGULAR_AT_LIMIT))
    if rank >= unknowns - len(m.drivers):
        found = _coordinates(motion, sample, joints, V[rank:].T)
        instead = [name for name in found if name not in m.drivers]
        lost = [id for id in m.drivers if id not in found]
        words = f"dead point: {', '.join(lost)} cannot drive the mechanism here; {', '.join(instead)} can"
        return PoseClass("dead point", words, sigma, found)
    crossing = branches_at(_by_groups(motion), sample)
    branches = crossing.branches
    further = (*crossing.resting, *crossing.flat, *crossing.unclear)
    words = "change point: branches cross, and the drivers do not decide between them"
    if len(branches) > 1:
        words = words.replace("branches", f"{len(branches)}{' or more' * crossing.cut} branches", 1)
    elif branches and not further:
        words = "change point: the equations of the joints lose rank, but only one branch passes"
    for group in crossing.resting:
        words += f"; on a further branch of {motion.group_name(group)} the drivers stay at rest"
    for group in crossing.flat:
        words += f"; on a further branch {motion.group_name(group)} stays flat, with undetermined rates"
    for group in crossing.unclear:
        words += f"; second-order conditions do not determine the tangents of {motion.group_name(group)}"
    return PoseClass("change point", words, sigma, (), branches)


def _by_groups(motion: Motion) -> Motion:
    """Return the motion group by group: a global method has no roots to distinguish."""
    if motion.statistics is None:
        return motion
    plan, schedule = compile_plan(motion.mechanism), Schedule(motion.mechanism, motion.t, motion.drivers)
    return replace(motion, plan=plan, lanes=run_from_sketch(plan, schedule), statistics=None)


def _coordinates(motion: Motion, sample: int, joints: Whole, tangents: Floats) -> tuple[str, ...]:
    """Return drivers that still work, and joints in place of the others: their rates along the tangents (3 m, f)."""
    m, size = motion.mechanism, joints.form.rows.size
    rates: dict[str, Floats] = {}
    place = {link: 3 * k for k, link in enumerate(joints.links)}

    def turn(link: str) -> Floats:
        return tangents[place[link] + 2] / size if link in place else np.zeros(tangents.shape[1])

    def moved(link: str, local: complex) -> tuple[complex, NDArray[Any]]:
        """Return a vector that is fixed in a link, and its rates."""
        origin, end = (complex(*motion.position(x, link=link)[sample]) for x in (0j, local))
        return end - origin, 1j * (end - origin) * turn(link)

    def point(link: str, local: complex) -> tuple[complex, NDArray[Any]]:
        arm, rate = moved(link, local)
        start = place.get(link)
        own = tangents[start] + 1j * tangents[start + 1] if start is not None else 0.0
        return arm + complex(*motion.position(0j, link=link)[sample]), rate + own

    def distance(ends: tuple[tuple[str, complex], tuple[str, complex]]) -> Floats:
        (a, da), (b, db) = (point(*end) for end in ends)
        return np.asarray(((b - a).conjugate() * (db - da)).real / abs(b - a) / size)

    def travel(joint: str) -> Floats:
        guide = m.joints.of(Guide)[joint]
        along, d_along = moved(guide.carrier, guide.direction)
        (a, da), (b, db) = point(guide.carrier, guide.origin), point(guide.slider, guide.point)
        return np.asarray((along.conjugate() * (db - da) + d_along.conj() * (b - a)).real / size)

    for id, drive in m.drivers.items():
        if drive.kind == "angle":
            rates[id] = turn(drive.links[1]) - turn(drive.links[0])
        elif drive.kind == "slide" and drive.joint is not None:
            rates[id] = travel(drive.joint)
        elif drive.ends is not None:
            (a, e), (b, f) = drive.ends
            rates[id] = distance(((a, m.links[a].local[e]), (b, m.links[b].local[f])))
    own = len(rates)
    for joint in m.topology.joints:
        if joint.kind == "R":
            first, *others = joint.links
            for other in others:
                rates.setdefault(joint.id, turn(other) - turn(first))
        elif joint.id in m.joints.of(Guide):
            rates.setdefault(joint.id, travel(joint.id))
    chosen: list[str] = []
    basis = np.zeros((0, tangents.shape[1]))
    names = list(rates)
    # Drivers that still work are kept; then the joint that moves most independently of those chosen.
    for pool in (names[:own], names[own:]):
        while len(chosen) < tangents.shape[1]:
            left = {name: rates[name] - basis.T @ (basis @ rates[name]) for name in pool if name not in chosen}
            best = max(left, key=lambda name: float(np.linalg.norm(left[name])), default=None)
            if best is None or np.linalg.norm(left[best]) < 1e-3:
                break
            chosen.append(best)
            basis = np.vstack((basis, left[best] / np.linalg.norm(left[best])))
    return tuple(chosen)
