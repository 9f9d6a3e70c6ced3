"""From a topology to its scalar equations: vertices with capacities, rows between two of them.

The step that everything else stands on. A *vertex* is a moving link (capacity 3: x, y, angle) or the pin of
a revolute joint that three or more ends share, or that something else attaches to (capacity 2: x, y). A
*row* is one scalar equation between two vertices, or one vertex and the ground:

    R   two bars through the pin              G, C, S   one bar
    P   one orientation row and one bar       K         two bars through the contact
    drivers: angle one orientation row; slide one bar along its guide; distance one bar

Coding a pin of k links as k - 1 pairs would tie links to each other that are only neighbours on the pin,
and merge dyads into larger groups: hence the vertices of capacity 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.model.topology import JOINT_NAMES, Topology, pin_of

GROUND = -1

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """Vertices and rows of a topology, as integer arrays (n vertices, m rows).

    Bodies come first among the vertices, in the user's order; joints come first among the rows, in the
    user's order, then the drivers. `item` numbers the joints and, after them, the drivers.

    The last five arrays tell how a row lies in *any* geometry: a bar passes through `place` and is directed
    along the vector `axis` (turned by a quarter if `across`), or towards the place `toward` where this is
    not -1. Rows of one pin share their place, the rows of one guide their axis.
    """

    bodies: tuple[str, ...]
    pins: tuple[tuple[str, ...], ...]
    items: tuple[str, ...]
    n_joints: int
    capacity: IntArray
    ends: IntArray
    item: IntArray
    turns: BoolArray
    place: IntArray
    axis: IntArray
    across: BoolArray
    toward: IntArray

    @property
    def n_vertices(self) -> int:
        """Bodies and pins."""
        return len(self.capacity)


def rows_of(topology: Topology) -> Rows:
    """Return the rows of a topology.

    Raises `InputError` for attachments without a meaning: a prismatic joint, gear or rolling contact on a
    pin (a pin has no orientation), a joint or a driver between a pin and itself.

    >>> from structkin.model.topology import Driver, Joint
    >>> crank = Topology(("0", "1"), "0", (Joint("A", "R", ("0", "1")),), (Driver("d", "angle", ("0", "1")),))
    >>> rows = rows_of(crank)
    >>> rows.capacity.tolist(), rows.ends.tolist(), rows.turns.tolist()
    ([3], [[-1, 0], [-1, 0], [-1, 0]], [False, False, True])
    """
    return _Builder(topology).build()


class _Builder:
    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.problems: list[Problem] = []
        self.bodies = topology.moving_links
        self.vertex = {name: index for index, name in enumerate(self.bodies)}
        self.vertex[topology.ground] = GROUND
        self.n_places = 0
        self.n_axes = 0
        self.axis_of: dict[str, tuple[int, int]] = {}
        # one list a field of Rows: end, end, item, turns, place, axis, across, toward
        self.rows: list[tuple[int, int, int, bool, int, int, bool, int]] = []
        self._find_pins()

    def build(self) -> Rows:
        joints, drivers = self.topology.joints, self.topology.drivers
        for item, joint in enumerate(joints):
            if joint.kind == "R":
                self._revolute(item, joint.id, joint.links)
            else:
                self._pair(item, joint.id, joint.kind, joint.links)
        for item, driver in enumerate(drivers, start=len(joints)):
            self._driver(item, driver.id, driver.kind, driver.links, driver.joint)
        if self.problems:
            raise InputError(self.problems, self.topology.title or "topology")
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * 8
        integers = [np.array(columns[k], dtype=np.int64) for k in (0, 1, 2, 4, 5, 7)]
        flags = [np.array(columns[k], dtype=np.bool_) for k in (3, 6)]
        return Rows(
            bodies=self.bodies,
            pins=tuple(tuple(ids) for ids in self.pins),
            items=tuple(joint.id for joint in joints) + tuple(driver.id for driver in drivers),
            n_joints=len(joints),
            capacity=np.array([3] * len(self.bodies) + [2] * len(self.pins), dtype=np.int64),
            ends=np.stack(integers[:2], axis=1),
            item=integers[2],
            turns=flags[0],
            place=integers[3],
            axis=integers[4],
            across=flags[1],
            toward=integers[5],
        )

    # pins -------------------------------------------------------------------------------------------------

    def _find_pins(self) -> None:
        """Unite revolute joints attached to each other; give a vertex to every pin that needs one."""
        topology = self.topology
        parent = {joint.id: joint.id for joint in topology.joints if joint.kind == "R"}

        def root(id: str) -> str:
            while parent[id] != id:
                parent[id] = parent[parent[id]]
                id = parent[id]
            return id

        wanted: set[str] = set()
        for joint in topology.joints:
            for end in joint.links:
                other = pin_of(end)
                if other is None:
                    continue
                if joint.kind != "R":
                    wanted.add(other)
                elif root(joint.id) == root(other):
                    self.problems.append(
                        Problem(f"joints.{joint.id}", f"'{end}' attaches the joint to its own pin", "remove this end")
                    )
                else:
                    parent[root(joint.id)] = root(other)
        for driver in topology.drivers:
            wanted.update(pin for pin in map(pin_of, driver.links) if pin is not None)
        shared = {root(id) for id in wanted}
        count: dict[str, int] = {}
        for joint in topology.joints:
            if joint.kind == "R":
                home = root(joint.id)
                count[home] = count.get(home, 0) + sum(pin_of(end) is None for end in joint.links)
        self.pins: list[list[str]] = []
        self.pin_vertex: dict[str, int] = {}
        self.pin_place: dict[int, int] = {}
        number: dict[str, int] = {}
        for joint in topology.joints:
            if joint.kind != "R":
                continue
            home = root(joint.id)
            if count[home] < 3 and home not in shared:
                continue
            if home not in number:
                number[home] = len(self.bodies) + len(self.pins)
                self.pins.append([])
                self.pin_place[number[home]] = self._new_place()
            self.pin_vertex[joint.id] = number[home]
            self.pins[number[home] - len(self.bodies)].append(joint.id)

    def _end(self, name: str) -> int:
        pin = pin_of(name)
        return self.vertex[name] if pin is None else self.pin_vertex[pin]

    # rows -------------------------------------------------------------------------------------------------

    def _new_place(self) -> int:
        self.n_places += 1
        return self.n_places - 1

    def _new_axis(self) -> int:
        self.n_axes += 1
        return self.n_axes - 1

    def _bar(self, a: int, b: int, item: int, place: int, axis: int, across: bool = False, toward: int = -1) -> None:
        self.rows.append((a, b, item, False, place, axis, across, toward))

    def _turn(self, a: int, b: int, item: int) -> None:
        self.rows.append((a, b, item, True, 0, 0, False, -1))

    def _point(self, a: int, b: int, item: int, place: int) -> None:
        """Two bars through one point."""
        self._bar(a, b, item, place, self._new_axis())
        self._bar(a, b, item, place, self._new_axis())

    def _revolute(self, item: int, id: str, links: tuple[str, ...]) -> None:
        pin = self.pin_vertex.get(id)
        if pin is None:
            if all(pin_of(link) is None for link in links):  # else a circle of attachments, already a problem
                a, b = (self.vertex[link] for link in links)
                self._point(a, b, item, self._new_place())
            return
        for end in links:
            if pin_of(end) is None:
                self._point(self.vertex[end], pin, item, self.pin_place[pin])

    def _pair(self, item: int, id: str, kind: str, links: tuple[str, ...]) -> None:
        on_pin = [end for end in links if pin_of(end) is not None]
        if on_pin and (kind not in "CS" or len(on_pin) > 1):
            hint = "join two links, or use a pin-in-slot joint" if kind not in "CS" else "one end is a link"
            self.problems.append(
                Problem(f"joints.{id}", f"a {JOINT_NAMES[kind]} joint cannot act on the pin '{on_pin[0]}'", hint)
            )
            return
        a, b = (self._end(end) for end in links)
        place = self.pin_place[self._end(on_pin[0])] if on_pin else self._new_place()
        if kind == "P":
            self.axis_of[id] = (self._new_axis(), place)
            self._turn(a, b, item)
            self._bar(a, b, item, place, self.axis_of[id][0], across=True)
        elif kind == "K":
            self._point(a, b, item, place)
        else:
            self._bar(a, b, item, place, self._new_axis())

    def _driver(self, item: int, id: str, kind: str, links: tuple[str, str], joint: str | None) -> None:
        a, b = (self._end(end) for end in links)
        if a == b:
            self.problems.append(Problem(f"drivers.{id}", "drives a pin against itself", "name two different pins"))
        elif kind == "angle":
            self._turn(a, b, item)
        elif kind == "slide" and joint is not None:
            axis, place = self.axis_of[joint]
            self._bar(a, b, item, place, axis)
        else:
            places = [self.pin_place[v] for v in (a, b) if v in self.pin_place]
            toward = places[1] if len(places) == 2 else -1
            self._bar(a, b, item, places[0] if places else self._new_place(), self._new_axis(), toward=toward)
