"""The unknown forces of joints and drivers: where each acts, on which two bodies, and which group it belongs to.

A column is a unit force or unit moment on one body with its opposite on another. Bodies are the moving links, and pins
("@B") of more than two links or with a slot or a cylinder on them: these have no mass and two equations, on the ground
as elsewhere. The columns of a joint are the transpose of its constraints, so that forces obey the groups in reverse
order: what the last group needs from its neighbours is known first (Saura et al., eq. 8, transposed).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.inverse.pair_forces import action_of, moment_of_action
from structkin.dynamics.wrench_sums import cross
from structkin.joints.fastened import Fastened
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.model.topology import Joint, pin_of
from structkin.solve import Motion
from structkin.structure import KinematicStructure

Floats = NDArray[np.float64]

GLOBAL = {"x": (1.0, 0.0), "y": (0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Column:
    """One unknown of the joint or driver `id`, on the body `to` and, opposite, on `off`; None is the ground.

    `part` is "x", "y" (the force of a pin, or of fastened links), "normal" (a guide's force), "moment", "travel" or
    "distance" (an effort along the coordinate). `places` are where it acts, in the frames of off and to. A higher pair
    has `pair` set: its forces are those of `pair_forces.action_of`, a "belt" in N m on its first pulley.
    """

    id: str
    part: str
    off: str | None
    to: str | None
    places: tuple[complex, complex] = (0j, 0j)
    pair: bool = False

    def direction(self, motion: Motion) -> Floats | None:
        """Return the unit force (n, 2) on `to`, or None for a moment."""
        if self.part == "moment":
            return None
        if self.pair:
            return _pairs(action_of(motion, self.id, self.part).force)
        if self.part in GLOBAL:
            return np.broadcast_to(np.array(GLOBAL[self.part]), (len(motion), 2))
        if self.part == "distance":
            drive = motion.mechanism.drivers[self.id]
            assert drive.ends is not None
            (a, p), (b, q) = drive.ends
            way = motion.position(q, b) - motion.position(p, a)
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(way / np.hypot(way[:, 0], way[:, 1])[:, None])
        joint = motion.mechanism.drivers[self.id].joint if self.part == "travel" else self.id
        guide = motion.mechanism.joints.of(Guide)[joint or ""]
        turn = guide.direction if self.part == "travel" else 1j * guide.direction
        return motion.position(turn, guide.carrier) - motion.position(0j, guide.carrier)


@dataclass(frozen=True)
class Columns:
    """All columns, and the group of each body and column; pins on the ground come before all groups, at -1."""

    mechanism: Mechanism
    bodies: tuple[str, ...]
    columns: tuple[Column, ...]
    body_group: dict[str, int]

    def group(self, column: Column) -> int:
        """Return the group that a column belongs to: the last one of its bodies'."""
        return max(self.body_group[body] for body in (column.off, column.to) if body is not None)


def make_columns(mechanism: Mechanism, structure: KinematicStructure) -> Columns:
    """Return the unknown forces of a mechanism."""
    group = {link: item.index for item in structure.groups for link in item.links}
    # A link that stands still and needs no group of its own comes last.
    links = {link: group.get(link, len(structure.groups)) for link in mechanism.topology.moving_links}
    topology, ground = mechanism.topology, mechanism.topology.ground
    ends = [end for joint in topology.joints for end in joint.links]
    ends += [end for driver in topology.drivers for end in driver.links]
    attached = {pin for end in ends if (pin := pin_of(end)) is not None}
    places = {**links, ground: -1}
    pins = {
        f"@{joint.id}": _pin_group(structure, places, joint)
        for joint in topology.joints
        if joint.kind == "R" and (joint.id in attached or len(joint.links) > 2)
    }
    bodies = {**links, **dict(sorted(pins.items()))}

    def body(end: str) -> str | None:
        return None if end == ground else end

    columns: list[Column] = []
    for joint in topology.joints:
        if joint.kind == "R":
            columns += _pin_columns(mechanism, joint.id, joint.links, bodies)
            continue
        pair = mechanism.joints[joint.id]
        if isinstance(pair, Fastened):
            columns += _fastened_columns(pair, body)
            continue
        if pair.parts:
            off, to = map(body, pair.ends)
            columns += [Column(joint.id, part, off, to, pair=True) for part in pair.parts]
            continue
        guide = mechanism.joints.of(Guide)[joint.id]
        end = next((end for end in joint.links if pin_of(end) is not None), guide.slider)
        off, to = body(guide.carrier), body(end)
        columns.append(Column(joint.id, "normal", off, to))
        if joint.kind == "P":
            columns.append(Column(joint.id, "moment", off, to))
    columns += [_effort(mechanism, id, body) for id in mechanism.drivers]
    return Columns(mechanism, tuple(bodies), tuple(columns), bodies)


def _pin_group(structure: KinematicStructure, links: dict[str, int], pin: Joint) -> int:
    own = [item.index for item in structure.groups if pin.id in item.pins]
    return min([*own, *(links[link] for link in pin.links)])


def _pin_columns(mechanism: Mechanism, id: str, held: Sequence[str], bodies: dict[str, int]) -> list[Column]:
    """Return the forces of a pin: on each link but the first, or on each of them if the pin is a body itself."""
    ground = mechanism.topology.ground
    if f"@{id}" in bodies:
        base, at, others = f"@{id}", 0j, list(held)
    else:
        base = min(held, key=lambda link: -1 if link == ground else bodies[link])
        at, others = mechanism.links[base].local[id], [link for link in held if link != base]
    return [
        Column(
            id,
            part,
            None if base == ground else base,
            None if link == ground else link,
            (at, mechanism.links[link].local[id]),
        )
        for link in others
        for part in ("x", "y")
    ]


def _fastened_columns(joint: Fastened, body: Callable[[str], str | None]) -> list[Column]:
    """Return force and moment of the first of fastened links on each other one."""
    first, *others = joint.links
    return [
        Column(joint.id, part, body(first), body(link), (joint.place, joint.place_on(link)))
        for link in others
        for part in ("x", "y", "moment")
    ]


def _effort(mechanism: Mechanism, id: str, body: Any) -> Column:
    drive = mechanism.drivers[id]
    if drive.kind == "angle":
        return Column(id, "moment", *(body(link) for link in drive.links))
    if drive.kind == "slide":
        guide = mechanism.joints.of(Guide)[drive.joint or ""]
        return Column(id, "travel", body(guide.carrier), body(guide.slider))
    assert drive.ends is not None
    topology = next(driver for driver in mechanism.topology.drivers if driver.id == id)
    off, to = topology.links
    first, second = (mechanism.links[link].local[point] for link, point in drive.ends)
    return Column(id, "distance", body(off), body(to), (first, second))


def weight(motion: Motion, column: Column) -> Floats | float:
    """Return the root (n,) of what a unit of a column adds to the sum that redundant joints make least.

    The sum is that of |F|^2 + (M / s)^2 over the joints, s the mechanism's size, with the force F [N] that a joint puts
    on its links and the moment M [N m] about the place where that acts. The two links of a joint count half each, and
    so does each link of a pin that has more: by what each of them bears, whichever comes first. Efforts count alike;
    they are unique, so that the least sum does not depend on them.
    """
    if column.part == "belt":
        pulleys = motion.mechanism.joints.of(TurnCoupling)[column.id].links
        first, second = (moment_of_action(motion, column.id, link, column.part) / motion.size for link in pulleys)
        force = action_of(motion, column.id, column.part).force
        return np.sqrt(np.abs(force) ** 2 + 0.5 * (first**2 + second**2))
    if column.part == "moment":
        return 1.0 / motion.size
    on_pin = column.part in GLOBAL and column.off is not None and pin_of(column.off) is not None
    return float(np.sqrt(0.5)) if on_pin else 1.0


def unit_wrenches(motion: Motion, column: Column) -> tuple[Floats, Floats]:
    """Return the wrenches (3, n) that a unit of a column puts on its bodies off and to.

    A wrench is a force [N] and its moment [N m] about the origin of the body's frame, or about the pin.
    """
    if column.pair:
        return _pair_wrenches(motion, column)
    direction, n = column.direction(motion), len(motion)
    if direction is None:
        unit = np.stack((np.zeros(n), np.zeros(n), np.ones(n)))
        return -unit, unit
    if column.part in ("normal", "travel"):
        # The force acts on both bodies at the slider's point.
        guide = motion.mechanism.joints.of(Guide)[_joint(motion.mechanism, column)]
        there = motion.position(guide.point, guide.slider)
        arms = [there - _origin(motion, body, there) for body in (column.off, column.to)]
    else:
        arms = [_arm(motion, body, place) for body, place in zip((column.off, column.to), column.places, strict=True)]
    off, to = (np.concatenate((direction.T, cross(arm, direction)[None])) for arm in arms)
    return -off, to


def _pair_wrenches(motion: Motion, column: Column) -> tuple[Floats, Floats]:
    action = action_of(motion, column.id, column.part)
    force, point = _pairs(action.force), _pairs(action.point)
    arms = [point - _origin(motion, body, point) for body in (column.off, column.to)]
    off, to = (np.concatenate((force.T, (cross(arm, force) + action.couple)[None])) for arm in arms)
    return -off, to


def _pairs(z: NDArray[np.complex128]) -> Floats:
    return np.stack((z.real, z.imag), axis=1)


def _joint(mechanism: Mechanism, column: Column) -> str:
    return (mechanism.drivers[column.id].joint or "") if column.part == "travel" else column.id


def _origin(motion: Motion, body: str | None, there: Floats) -> Floats:
    if body is None:
        return np.zeros_like(there)
    return there if pin_of(body) is not None else motion.position(0j, body)


def _arm(motion: Motion, body: str | None, place: complex) -> Floats:
    if body is None:
        return np.broadcast_to(np.array((place.real, place.imag)), (len(motion), 2))
    if pin_of(body) is not None:
        return np.zeros((len(motion), 2))
    return motion.position(place, body) - motion.position(0j, body)
