"""The branches of a motion that cross at a change point: every combination of smooth roots that closes the mechanism.

A dyad that is flat has two smooth roots through zero; a general group that is singular has the tangents that its
second-order conditions leave (`structkin.track.tangents`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import ROUNDING_OF_FEW, SAME_POSE
from structkin.plan.plan import Step
from structkin.solve.change_points.contours import RADII, Contours, solve_on_contours
from structkin.solve.change_points.smoothing import displacements_at, replaced
from structkin.solve.derivatives import Part
from structkin.solve.engine import ContourPoses
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.tracking import unpacked
from structkin.track.contour import UNIT
from structkin.track.tangents import ZERO, Tangents, closed_on, tangents
from structkin.types import Complexes, Floats

#: More branches than this are not listed: a row of n flat dyads has up to two to the power of n.
MOST = 64
#: Smaller circles: a branch that moves many times faster than the drivers soon meets its next limit.
SMALL = (0.01, 0.004, 0.0015)


@dataclass(frozen=True)
class Crossing:
    """The branches that cross at a sample as motions of one sample, the one that the motion follows first.

    `resting` are groups with a branch along which the drivers are at rest, `unclear` those with infinitely many
    tangents to the second order, `flat` dyads with a branch along which they stay flat, their inputs at rest: their
    rates are undetermined there, and it is not among the branches.
    """

    branches: tuple[Motion, ...]
    resting: tuple[int, ...] = ()
    unclear: tuple[int, ...] = ()
    flat: tuple[int, ...] = ()


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
    steps, pending = motion.plan.steps, [_Choice()]
    while pending and len(found) < MOST:
        choice = pending.pop()
        tried = _around(motion, sample, choice)
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
                others = range(1, len(tried.found[step].directions))
                pending += [replace(before, numbers={**before.numbers, step: number}) for number in others]
            elif step not in tried.found and step not in choice.slopes:
                pending.append(replace(before, slopes={**before.slopes, step: -1}))
        if touched and tried.contours.until[0] == len(steps):
            branch = _branch(motion, sample, tried.contours)
            turned = _group_elsewhere(motion, sample, branch)
            if turned is None:
                found.append(branch)
            else:
                resting.add(turned)
    around = motion.lanes.around
    if not found and motion.regular[sample] and around is not None and sample in around.at:
        found.append(_one(motion, sample))
    if motion.regular[sample]:
        found.sort(key=lambda branch: _apart(motion, sample, branch))
    return Crossing(tuple(found), *(tuple(sorted(groups)) for groups in (resting, unclear, flat)))


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
    displacements, _ = displacements_at(schedule, np.array([sample]))
    speed = max(abs(float(displacement[0])) / schedule.unit(id) for id, displacement in displacements.items())
    plan, near = motion.plan, motion.lanes.x[0][:, [sample]]

    def signs(step: int, s0: Floats) -> Floats:
        mode = plan.steps[step].mode
        return np.where(np.isnan(s0), mode, choice.slopes.get(step, 1)).astype(float)

    result: _Tried | None = None
    for radius in (*RADII, *SMALL):
        s = radius * UNIT
        nodes = {
            id: z[0, [sample]][:, None] + displacements[id][:, None] / speed * s for id, z in motion.drivers.items()
        }
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
