"""The unknown forces of joints and drivers: which bodies each acts on, and which group it belongs to.

A column is one unknown. By virtual work the forces that it exerts on the bodies are the transpose of a row of its joint
or driver (`structkin.rows`); it is scaled to a unit force, or to a unit moment where it is a pure moment. A row of
gears or cams couples the turns of three links, and its moments are not the force between two of them: such pairs have a
line of action (`pair_forces`).

Bodies are the moving links, and pins ("@B") of more than two links or with a slot or a cylinder on them: these have no
mass and two equations, on the ground as elsewhere. Forces are found in reverse group order: what the last group needs
from its neighbours is known first (Saura et al., eq. 8, transposed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from structkin.dynamics.inverse.pair_forces import action_of, as_pairs, place_of
from structkin.global_methods.families.rows import Writer, solve_places
from structkin.joints.prismatic import Prismatic
from structkin.model.mechanism import Mechanism
from structkin.model.topology import Joint, pin_of
from structkin.plan.general_rows import write_driver
from structkin.rows.affine import FIXED, Affine, frames_in_slots
from structkin.rows.equations import Equations
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import cross
from structkin.structure import KinematicStructure
from structkin.types import Floats

#: The number of a link's turn among its variables: x, y, the x and y of its direction, its turn.
TURN = 4
#: The load of each body: force [N], and moment [N m] about the origin of the link's frame or the pin, (3, n).
OnBodies = Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Column:
    """One unknown of the joint or driver `id`: its row, or a part of its force, and the bodies that it acts on."""

    id: str
    part: str
    bodies: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """All columns, and the group of each body; pins on the ground come before all groups, at -1.

    Columns follow `rows`, then `turns`, which are moments between two links, then those with a line of action. The
    variables of the rows are x, y of each body, of a link x, y of its direction as well, then the turns of `turned`.
    """

    mechanism: Mechanism
    body_group: Mapping[str, int]
    columns: tuple[Column, ...]
    rows: Equations
    turns: tuple[tuple[str, str], ...]
    turned: tuple[str, ...]

    @cached_property
    def variables(self) -> tuple[tuple[str, int], ...]:
        """The body of each variable of the rows, and which one it is."""
        places = [(body, k) for body in self.body_group for k in range(4 if pin_of(body) is None else 2)]
        return (*places, *((link, TURN) for link in self.turned))

    def group(self, column: Column) -> int:
        """Return the group that a column belongs to: the last one of its bodies'."""
        return max(self.body_group[body] for body in column.bodies)


def make_columns(mechanism: Mechanism, structure: KinematicStructure) -> Columns:
    """Return the unknown forces of a mechanism."""
    ground, groups = mechanism.topology.ground, _body_groups(mechanism, structure)
    links = mechanism.topology.moving_links
    pins = [pin for body in groups if (pin := pin_of(body)) is not None]
    places = {pin: Affine.slot(2 * len(links) + k) for k, pin in enumerate(pins)}
    w = Writer(
        mechanism, solve_places(mechanism, structure), {ground: FIXED, **frames_in_slots(links)}, angles=True,
        size=mechanism.size, pins=places,
    )  # fmt: skip
    for joint in mechanism.topology.joints:
        if not (pair := mechanism.joints[joint.id]).parts:
            pair.write(w)
    for drive in mechanism.drivers.values():
        write_driver(w, drive)
    units = [*([w.size, w.size, 1.0, 1.0] * len(links)), *([w.size] * 2 * len(pins)), *([1.0] * len(w.turned))]
    rows = Equations([row.form for row in w.rows], np.array(units), len(w.turned))
    found = Columns(mechanism, groups, (), rows, tuple(turn.links for turn in w.oriented), tuple(w.turned))
    acting: list[dict[str, None]] = [{} for _ in w.rows]
    for row, k in zip(rows.rows.tolist(), rows.columns.tolist(), strict=True):
        acting[row][found.variables[k][0]] = None
    columns = [Column(row.of, row.equation, tuple(bodies)) for row, bodies in zip(w.rows, acting, strict=True)]
    pairs = [(pair.id, part, pair.links) for pair in mechanism.joints.values() for part in pair.parts]
    parts = [*((turn.of, turn.equation, turn.links) for turn in w.oriented), *pairs]
    columns += [Column(id, part, tuple(x for x in ends if x != ground)) for id, part, ends in parts]
    return replace(found, columns=tuple(columns))


def _body_groups(mechanism: Mechanism, structure: KinematicStructure) -> dict[str, int]:
    """Return the group of each body: the links, then the pins."""
    topology = mechanism.topology
    group = {link: item.index for item in structure.groups for link in item.links}
    # A link at rest that needs no group comes last.
    links = {link: group.get(link, len(structure.groups)) for link in topology.moving_links}
    ends = [end for joint in topology.joints for end in joint.links]
    ends += [end for driver in topology.drivers for end in driver.links]
    attached = {pin_of(end) for end in ends}
    places = {**links, topology.ground: -1}

    def of_pin(pin: Joint) -> int:
        own = [item.index for item in structure.groups if pin.id in item.pins]
        return min([*own, *(places[link] for link in pin.links)])

    held = [joint for joint in topology.joints if joint.kind == "R"]
    pins = {f"@{pin.id}": of_pin(pin) for pin in held if pin.id in attached or len(pin.links) > 2}
    return links | dict(sorted(pins.items()))


# --- along a motion -----------------------------------------------------------------------------------------


def unit_wrenches(motion: Motion, columns: Columns) -> Sequence[OnBodies]:
    """Return the loads that a unit of each column exerts on its bodies; see `on_end` for the ground."""
    found = [{body: np.zeros((3, len(motion))) for body in column.bodies} for column in columns.columns]
    turns = columns.rows.count
    pairs = turns + len(columns.turns)
    _transpose(motion, columns, found[:turns])
    for column, acting in zip(columns.columns, found[:turns], strict=False):
        if column.part == "travel":
            _to_bearing(motion, column, acting)
    for acting, ends in zip(found[turns:pairs], columns.turns, strict=True):
        for sign, link in zip((-1.0, 1.0), ends, strict=True):
            if link in acting:
                acting[link][2] = sign
    for column, acting in zip(columns.columns[pairs:], found[pairs:], strict=True):
        action, second = action_of(motion, column.id, column.part), motion.mechanism.joints[column.id].links[1]
        force, point = as_pairs(action.force), as_pairs(action.point)
        for link in acting:
            moment = cross(point - motion.position(0j, link), force) + action.couple
            acting[link][:] = (1.0 if link == second else -1.0) * np.concatenate((force.T, moment[None]))
    return found


def _transpose(motion: Motion, columns: Columns, found: Sequence[OnBodies]) -> None:
    """Write the loads that units of the rows exert on bodies."""
    x = np.concatenate([np.zeros((0, len(motion))), *(_place(motion, body) for body in columns.body_group)])
    x = np.concatenate([x, *(motion.turn(link)[None] for link in columns.turned)])
    rows = columns.rows
    for row, k, entry in zip(rows.rows.tolist(), rows.columns.tolist(), rows.jacobian(x), strict=True):
        body, part = columns.variables[k]
        # A force on a direction U has the moment U x force.
        arm = x[k - 1] if part == 3 else -x[k + 1] if part == 2 else 1.0
        found[row][body][min(part, 2)] += arm * entry
    for acting in found:
        size = np.max([np.hypot(x, y) for x, y, _ in acting.values()], axis=0)
        if not (size > 0).any():
            size = np.max([np.abs(moment) for _, _, moment in acting.values()], axis=0)
        for body in acting:
            with np.errstate(invalid="ignore", divide="ignore"):
                acting[body][:] /= size


def _to_bearing(motion: Motion, column: Column, acting: OnBodies) -> None:
    """Let the effort along a guide act at its bearing; the row of the travel has it at the slider's point."""
    joint = motion.mechanism.drivers[column.id].joint or ""
    way = effort_place(motion, joint) - motion.position(*motion.mechanism.joints[joint].place)
    for wrench in acting.values():
        wrench[2] += cross(way, wrench[:2].T)


def effort_place(motion: Motion, joint: str) -> Floats:
    """Return where the effort along a guide or slot acts (n, 2): as friction, whatever the order of the links."""
    guide = motion.mechanism.joints[joint]
    if isinstance(guide, Prismatic):
        return motion.position(*guide.bearing_place(motion.mechanism.links))
    return motion.position(*guide.place)


def _place(motion: Motion, body: str) -> Floats:
    """Return the place of a pin (2, n), or of a link with its direction (4, n)."""
    origin = _origin(motion, body)
    return (origin if pin_of(body) else np.concatenate((origin, motion.position(1 + 0j, body) - origin), axis=1)).T


def _origin(motion: Motion, body: str) -> Floats:
    pin = pin_of(body)
    return motion.position(0j, body) if pin is None else motion.position(pin)


def on_end(motion: Motion, acting: OnBodies, end: str) -> Floats:
    """Return the part of a column (3, n) on a body or the ground; there the moment is about the global origin."""
    total = np.zeros((3, len(motion)))
    if end != motion.mechanism.topology.ground:
        return acting.get(end, total)
    for body, wrench in acting.items():
        total[:2] -= wrench[:2]
        total[2] -= moment_about(motion, wrench, body, np.zeros((1, 2)))
    return total


def moment_about(motion: Motion, wrench: Floats, end: str, place: Floats) -> Floats:
    """Return the moment (n,) of a load (3, n) of a body or the ground about a place (n, 2)."""
    origin = np.zeros((1, 2)) if end == motion.mechanism.topology.ground else _origin(motion, end)
    return np.asarray(wrench[2] - cross(place - origin, wrench[:2].T))


def weights(motion: Motion, columns: Columns, units: Sequence[OnBodies]) -> Floats:
    """Return the square root (columns, n) of the share of a unit of each column in the sum that is minimised.

    For redundant joints that sum is |F|^2 + (M / s)^2 over the joints, s the mechanism's size, with the force F [N] of
    a joint on its links and the moment M [N m] about its point of action. The two links of a joint count half each, and
    so does each link of a pin with more links, by its own load whatever their order. Efforts count 1; they are unique,
    so that the least sum does not depend on them.
    """
    joints, ends = motion.mechanism.joints, {joint.id: joint.links for joint in motion.mechanism.topology.joints}
    squares = np.ones((len(units), len(motion)))
    for k, column in enumerate(columns.columns):
        if column.id in ends:
            wrenches = {end: on_end(motion, units[k], end) for end in ends[column.id]}
            squares[k] = sum(0.5 * (x**2 + y**2) for x, y, _ in wrenches.values())
            for end, wrench in wrenches.items() if joints[column.id].has_moment else ():
                moment = moment_about(motion, wrench, end, place_of(motion, column.id, end))
                squares[k] += 0.5 * (moment / motion.size) ** 2
    return np.sqrt(squares)
