"""From a topology to its scalar equations: vertices with capacities, rows between two of them.

This is the basis of all other steps. A *vertex* is a moving link (capacity 3: x, y, angle) or the pin of
a revolute joint that is shared by three or more ends or to which something else is attached (capacity 2: x, y). A
*row* is one scalar equation between two vertices, or one vertex and the ground:

    R   two bars through the pin              G, C, S   one bar
    P   one orientation row and one bar       K         two bars through the contact
    F   one orientation row and two bars, for each link beyond the first
    drivers: angle one orientation row; slide one bar along its guide; distance one bar

Coding a pin of k links as k - 1 pairs would connect links that are only neighbours on the pin, and merge dyads
into larger groups: hence the vertices of capacity 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from structkin.errors import Problem, raise_problems
from structkin.model.topology import JOINT_KINDS, Topology
from structkin.structure.arrays import ANGLE, KINDS, SLIDE, F, Numbered, R, TopologyArrays
from structkin.types import Flags, Ints

GROUND = -1

#: The kind of a driver's row in `Rows.kind`; that of a joint's row is an index into "RPGCSKF".
DRIVER = len(KINDS)

#: For each kind: the number of rows, and whether the first constrains orientations; a driver has one row.
HEIGHT = np.array([*(len(kind.equations) for kind in JOINT_KINDS.values()), 1])
ORIENTS = np.array([*(kind.equations[0] == "orientation" for kind in JOINT_KINDS.values()), False])
GUIDES = np.array([*("guide" in kind.equations for kind in JOINT_KINDS.values()), False])

__all__ = ["DRIVER", "GROUND", "Rows", "rows_of"]


@dataclass(frozen=True)
class Rows:
    """Vertices and rows of a topology, as integer arrays (n vertices, m rows).

    Bodies come first among the vertices, in the user's order; joints come first among the rows, in the
    user's order, then the drivers. `item` numbers the joints and, after them, the drivers. The joints on pin k
    are `pin_joint[pin_start[k]:pin_start[k + 1]]`.

    The last five arrays define the position of a row in *any* geometry: a bar passes through `place` and is directed
    along the vector `axis` (rotated by 90 degrees if `across`), or towards the place `toward` if this is not -1. Rows
    at one point share their place, rows of one guide their axis.
    """

    topology: TopologyArrays
    capacity: Ints
    pin_start: Ints
    pin_joint: Ints
    ends: Ints
    item: Ints
    kind: Ints
    turns: Flags
    place: Ints
    axis: Ints
    across: Flags
    toward: Ints

    @property
    def n_vertices(self) -> int:
        """Number of bodies and pins."""
        return len(self.capacity)

    @property
    def n_bodies(self) -> int:
        """Number of moving links."""
        return self.topology.n_links - 1

    @property
    def n_joints(self) -> int:
        """Number of joints: items before the drivers."""
        return self.topology.n_joints

    @cached_property
    def bodies(self) -> Sequence[str]:
        """The names of the moving links, in the user's order."""
        names, ground = self.topology.link_names, self.topology.ground
        if isinstance(names, Numbered):
            return Numbered("", len(names), skip=ground)
        return (*names[:ground], *names[ground + 1 :])

    @cached_property
    def pins(self) -> tuple[tuple[str, ...], ...]:
        """The joints on each pin that is a vertex."""
        names, start, joints = self.topology.joint_names, self.pin_start.tolist(), self.pin_joint.tolist()
        return tuple(tuple(names[j] for j in joints[a:b]) for a, b in pairwise(start))

    @cached_property
    def items(self) -> Sequence[str]:
        """The names of the joints, then of the drivers."""
        return (*self.topology.joint_names, *self.topology.driver_names)

    def link_of(self, body: Ints) -> Ints:
        """Return the link number of each body; that of the ground for -1."""
        ground = self.topology.ground
        return np.where(body == GROUND, ground, body + (body >= ground))


def rows_of(topology: Topology | TopologyArrays) -> Rows:
    """Return the rows of a topology.

    Raises `InputError` for invalid attachments: a prismatic joint, gear or rolling contact on a pin (a pin has no
    orientation), a joint or a driver between a pin and itself.

    >>> from structkin.model.topology import Driver, Joint
    >>> crank = Topology(("0", "1"), "0", (Joint("A", "R", ("0", "1")),), (Driver("d", "angle", ("0", "1")),))
    >>> rows = rows_of(crank)
    >>> rows.capacity.tolist(), rows.ends.tolist(), rows.turns.tolist()
    ([3], [[-1, 0], [-1, 0], [-1, 0]], [False, False, True])
    """
    t = topology if isinstance(topology, TopologyArrays) else TopologyArrays.from_topology(topology)
    problems: list[Problem] = []
    n_bodies, n_joints = t.n_links - 1, t.n_joints
    kind, start, ends = t.joint_kind, t.joint_start, t.joint_ends
    joint_of = np.repeat(np.arange(n_joints), np.diff(start))
    pin_of_joint, n_pins = _pins(t, joint_of, problems)

    def vertex(end: Ints) -> Ints:
        link = np.where(end == t.ground, GROUND, end - (end > t.ground))
        if not n_joints:
            return link
        return np.where(end < 0, n_bodies + pin_of_joint[np.where(end < 0, ~end, 0)], link)

    _refuse(t, joint_of, vertex(t.driver_ends), problems)
    raise_problems(problems, t.title or "topology")

    # a unit: all rows of one joint between the same two vertices; a pin with a vertex has one per link on it, and
    # fastened links have one each with the first
    pinned = pin_of_joint >= 0
    first = np.zeros(len(ends), dtype=np.bool_)
    first[start[:-1]] = True
    begins_unit = np.where(kind[joint_of] == F, ~first, first)
    head = np.flatnonzero(np.where(pinned[joint_of], ends >= 0, begins_unit))
    joint = joint_of[head]
    a = vertex(ends[head])
    second = np.where(kind[joint] == F, start[joint], head + 1)
    b = np.where(pinned[joint], n_bodies + pin_of_joint[joint], vertex(ends[np.minimum(second, len(ends) - 1)]))

    a = np.concatenate([a, vertex(t.driver_ends[:, 0])])
    b = np.concatenate([b, vertex(t.driver_ends[:, 1])])
    item = np.concatenate([joint, n_joints + np.arange(t.n_drivers)])
    code = np.concatenate([kind[joint], np.full(t.n_drivers, DRIVER)])
    what = np.concatenate([np.full(len(joint), -1), t.driver_kind])
    place, toward = _places(t, item, np.stack([a, b], axis=1) - n_bodies, pin_of_joint, n_pins)

    # and its rows: bars, or an orientation row followed by bars; for a guide the bar across it
    unit = np.repeat(np.arange(len(item)), HEIGHT[code])
    m = len(unit)
    begins = np.ones(m, dtype=np.bool_)
    begins[1:] = unit[1:] != unit[:-1]
    turns = (ORIENTS[code[unit]] & begins) | (what[unit] == ANGLE)
    across = GUIDES[code[unit]] & ~begins
    place, axis, toward = place[unit], np.arange(m), toward[unit]
    slides = np.flatnonzero(what[unit] == SLIDE)
    if len(slides):
        # The last row of a prismatic joint or slot is the bar across its line; the driver's is the one along it.
        bar = np.zeros(n_joints, dtype=np.int64)
        of_joint = np.flatnonzero(item[unit] < n_joints)
        bar[item[unit[of_joint]]] = of_joint
        along = bar[t.driver_joint[item[unit[slides]] - n_joints]]
        place[slides], axis[slides], across[slides] = place[along], axis[along], ~across[along]
    place[turns] = axis[turns] = 0
    pin_joint = np.flatnonzero(pinned)
    pin_joint = pin_joint[np.argsort(pin_of_joint[pin_joint], kind="stable")]
    return Rows(
        topology=t,
        capacity=np.repeat(np.array([3, 2]), [n_bodies, n_pins]),
        pin_start=np.searchsorted(pin_of_joint[pin_joint], np.arange(n_pins + 1)),
        pin_joint=pin_joint,
        ends=np.stack([a[unit], b[unit]], axis=1),
        item=item[unit],
        kind=code[unit],
        turns=turns,
        place=place,
        axis=axis,
        across=across,
        toward=toward,
    )


def _pins(t: TopologyArrays, joint_of: Ints, problems: list[Problem]) -> tuple[Ints, int]:
    """Merge revolute joints attached to each other; number the pins that need a vertex, -1 for other joints."""
    n_joints, kind, ends = t.n_joints, t.joint_kind, t.joint_ends
    revolute = kind == R
    home = np.arange(n_joints)
    parent: dict[int, int] = {}

    def root(joint: int) -> int:
        while parent.get(joint, joint) != joint:
            parent[joint] = parent.get(parent[joint], parent[joint])
            joint = parent[joint]
        return joint

    wanted = np.zeros(n_joints, dtype=np.bool_)
    if len(ends):
        wanted[~ends[(ends < 0) & ~revolute[joint_of]]] = True
    wanted[~t.driver_ends[t.driver_ends < 0]] = True
    tied = np.flatnonzero((ends < 0) & revolute[joint_of]) if len(ends) else ends
    for joint, other in zip(joint_of[tied].tolist(), (~ends[tied]).tolist(), strict=True):
        if root(joint) == root(other):
            key, name = f"joints.{t.joint_names[joint]}", t.joint_names[other]
            problems.append(Problem(key, f"'@{name}' attaches the joint to its own pin", "remove this end"))
        else:
            parent[root(joint)] = root(other)
    for joint in parent:
        home[joint] = root(joint)
    count = np.bincount(home[joint_of[(ends >= 0) & revolute[joint_of]]], minlength=n_joints)
    shared = np.zeros(n_joints, dtype=np.bool_)
    shared[home[wanted]] = True
    chosen = np.flatnonzero(revolute & ((count[home] >= 3) | shared[home]))
    homes, at, inverse = np.unique(home[chosen], return_index=True, return_inverse=True)
    rank = np.empty(len(homes), dtype=np.int64)
    rank[np.argsort(at)] = np.arange(len(homes))  # numbered in the order of their first joints
    number = np.full(n_joints, -1, dtype=np.int64)
    number[chosen] = rank[inverse]
    return number, len(homes)


def _places(t: TopologyArrays, item: Ints, pins: Ints, pin_of_joint: Ints, n_pins: int) -> tuple[Ints, Ints]:
    """Return the place (u,) through which the bars of each unit pass, and that towards which they are directed, or -1.

    `item` (u,) are the joints and drivers, `pins` (u, 2) the pins among their ends, negative for links. Pins with a
    vertex are the first places. All joints and drivers at a point share its place, whatever links they act on.
    """
    number = np.concatenate([pin_of_joint, np.full(len(t.point_names) + t.n_drivers, -1)])
    number[number < 0] = n_pins + np.arange(np.count_nonzero(number < 0))
    named = np.concatenate([t.joint_at, t.driver_at])[item]
    at = np.where(pins >= 0, pins, np.where(named >= 0, number[named], -1))
    own = number[np.where(item < t.n_joints, item, item + len(t.point_names))]
    place = np.where(at[:, 0] >= 0, at[:, 0], np.where(at[:, 1] >= 0, at[:, 1], own))
    return place, np.where((at >= 0).all(axis=1) & (at[:, 1] != place), at[:, 1], -1)


def _refuse(t: TopologyArrays, joint_of: Ints, driver_ends: Ints, problems: list[Problem]) -> None:
    """Collect invalid attachments to a pin."""
    pairs = np.flatnonzero((t.joint_ends < 0) & (t.joint_kind[joint_of] != R)) if t.n_joints else t.joint_ends
    on_pin: dict[int, list[int]] = {}
    for joint, end in zip(joint_of[pairs].tolist(), t.joint_ends[pairs].tolist(), strict=True):
        on_pin.setdefault(joint, []).append(end)
    for joint, found in on_pin.items():
        kind = JOINT_KINDS[KINDS[t.joint_kind[joint]]]
        if not kind.on_pin or len(found) > 1:
            hint = "one end has to be a link" if kind.on_pin else "join two links, or use a pin-in-slot joint"
            text = f"a {kind.name} joint cannot act on the pin '@{t.joint_names[~found[0]]}'"
            problems.append(Problem(f"joints.{t.joint_names[joint]}", text, hint))
    for k in np.flatnonzero(driver_ends[:, 0] == driver_ends[:, 1]).tolist():
        text = "drives a pin against itself"
        problems.append(Problem(f"drivers.{t.driver_names[k]}", text, "name two different pins"))
