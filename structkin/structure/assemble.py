"""From proven blocks to named groups in solve order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from structkin.model.topology import Topology
from structkin.structure.blocks import solve_order
from structkin.structure.composite import rigid_clusters
from structkin.structure.naming import Connection, name_of
from structkin.structure.repair import System
from structkin.structure.result import Group
from structkin.structure.rows import GROUND, BoolArray, IntArray, Rows


@dataclass(slots=True)
class _Block:
    vertices: list[int] = field(default_factory=list)
    owned: list[int] = field(default_factory=list)
    needs: set[int] = field(default_factory=set)


def build_groups(
    topology: Topology, rows: Rows, system: System, owner: IntArray, block: IntArray, loose: BoolArray
) -> tuple[Group, ...]:
    """Return the groups of all blocks that are not loose, in solve order."""
    return _Assembly(topology, rows, system, owner, block, loose).groups()


class _Assembly:
    def __init__(
        self, topology: Topology, rows: Rows, system: System, owner: IntArray, block: IntArray, loose: BoolArray
    ) -> None:
        self.topology = topology
        self.rows = rows
        self.system = system
        self.n_bodies = len(rows.bodies)
        self.item: list[int] = rows.item.tolist()
        kinds = [joint.kind for joint in topology.joints] + ["driver"] * len(topology.drivers)
        self.kind = [kinds[item] for item in self.item]
        self.owner: list[int] = owner.tolist()
        other = np.where(rows.ends[:, 0] == owner, rows.ends[:, 1], rows.ends[:, 0])
        inner = (other != GROUND) & (block[other] == block[owner])
        self.other: list[int] = other.tolist()
        self.inner: list[bool] = inner.tolist()
        self.home: list[int] = block.tolist()
        self.blocks: dict[int, _Block] = {}
        for vertex in np.flatnonzero(~loose).tolist():
            self.blocks.setdefault(self.home[vertex], _Block()).vertices.append(vertex)
        settled = np.flatnonzero((owner >= 0) & ~loose[owner]) if len(owner) else owner
        for row in settled.tolist():
            self.blocks[self.home[self.owner[row]]].owned.append(row)
        self.carrier: dict[int, int] = {}
        self._carry_pins()
        self.links_on_pin: dict[int, list[int]] = {}
        for row in np.flatnonzero((rows.ends[:, 1] >= self.n_bodies) & (owner >= 0)).tolist():
            body, pin = system.ends(row)
            if self.kind[row] == "R" and body != GROUND and self.home[body] == self.home[pin]:
                self.links_on_pin.setdefault(pin, []).append(body)
        for number, one in self.blocks.items():
            feeders = {self._feeder(row) for row in one.owned if not self.inner[row]}
            one.needs = {feeder for feeder in feeders if feeder is not None and feeder != number}

    def _carry_pins(self) -> None:
        """Let a pin of one known body ride with it: nothing is solved for it.

        Two cylinders from one body to a pin do not carry it so: there the pin is a group of its own.
        """
        for number in [n for n, one in self.blocks.items() if one.vertices[0] >= self.n_bodies]:
            one = self.blocks[number]
            others = {self.other[row] for row in one.owned}
            pinned = all(self.kind[row] == "R" for row in one.owned)
            if len(one.vertices) == 1 and len(others) == 1 and pinned:
                self.carrier[one.vertices[0]] = others.pop()
                del self.blocks[number]

    def _feeder(self, row: int) -> int | None:
        """Return the block that knows the other end of a row; None for the ground."""
        end = self.other[row]
        end = self.carrier.get(end, end)
        return None if end == GROUND else self.home[end]

    def _known_at(self, row: int) -> list[int]:
        """Return the bodies (or GROUND) that know the other end of a row: on a group's own pin, its links there."""
        end = self.other[row]
        end = self.carrier.get(end, end)
        return [end] if end < self.n_bodies else self.links_on_pin.get(end, [])

    def groups(self) -> tuple[Group, ...]:
        needs = {number: one.needs for number, one in self.blocks.items()}
        key = {number: one.vertices[0] for number, one in self.blocks.items()}
        order = solve_order(needs, key)
        index = {number: at for at, number in enumerate(order)}
        level: dict[int, int] = {}
        for number in order:
            level[number] = 1 + max((level[need] for need in needs[number]), default=-1)
        return tuple(self._group(number, index, level[number]) for number in order)

    def _group(self, number: int, index: dict[int, int], level: int) -> Group:
        one, rows = self.blocks[number], self.rows
        bodies = [v for v in one.vertices if v < self.n_bodies]
        clusters: list[list[int]] = []
        if len(bodies) > 2:
            inner = [row for row in one.owned if self.inner[row]]
            clusters = rigid_clusters(self.system, one.vertices, inner, self.n_bodies)
        nodes, connections = self._contract(one, clusters)
        name = name_of(nodes, connections)
        items = sorted({self.item[row] for row in one.owned})
        exterior: dict[tuple[int, int | None], None] = {}
        known: set[int] = set()
        for row in one.owned:
            if not self.inner[row]:
                feeder = self._feeder(row)
                exterior[self.item[row], None if feeder is None else index[feeder]] = None
                known.update(self._known_at(row))
        return Group(
            index=index[number],
            kind=name.kind,
            links=tuple(rows.bodies[v] for v in bodies),
            joints=tuple(rows.items[i] for i in items if i < rows.n_joints),
            drivers=tuple(rows.items[i] for i in items if i >= rows.n_joints),
            class_=name.class_,
            order=name.order,
            signature=name.signature,
            composite_links=tuple(tuple(rows.bodies[v] for v in cluster) for cluster in clusters),
            level=level,
            depends_on=tuple(sorted(index[need] for need in one.needs)),
            pins=tuple(id for v in one.vertices[len(bodies) :] for id in rows.pins[v - self.n_bodies]),
            exterior=tuple((rows.items[i], feeder) for i, feeder in exterior),
            known=tuple(self.topology.ground if v == GROUND else rows.bodies[v] for v in sorted(known)),
        )

    def _contract(self, one: _Block, clusters: Sequence[Sequence[int]]) -> tuple[list[int], list[Connection]]:
        """Return the contracted links of a block, and its joints and drivers between them."""
        node = {v: v for v in one.vertices if v < self.n_bodies}
        for cluster in clusters:
            node.update(dict.fromkeys(cluster, cluster[0]))
        nodes = sorted(set(node.values()))
        on_pin: dict[int, dict[int, int]] = {v: {} for v in one.vertices if v >= self.n_bodies}
        rest = []
        for row in one.owned:
            body, pin = self.system.ends(row)  # where a pin is an end, it is the second
            if self.kind[row] == "R" and body in node and pin in on_pin:
                on_pin[pin][node[body]] = on_pin[pin].get(node[body], 0) + 1
            else:
                rest.append(row)
        connections = []
        where: dict[int, tuple[int, ...]] = {v: (n,) for v, n in node.items()}
        for pin, attached in on_pin.items():
            where[pin] = tuple(sorted(attached))
            if len(attached) > 1:
                count = sum(min(2, rows) for rows in attached.values()) - 2
                connections.append(Connection("R", where[pin], count))
            elif nodes and sum(attached.values()) < 2:
                connections.append(Connection("R", where[pin], 0))  # irregular: no textbook name
        grouped: dict[tuple[int, tuple[int, ...]], int] = {}
        for row in rest:
            joined = where[self.owner[row]]
            if self.inner[row]:
                joined = tuple(sorted({*joined, *where[self.other[row]]}))
                if len(joined) == 1:
                    continue  # inside one composite link
            grouped[self.item[row], joined] = grouped.get((self.item[row], joined), 0) + 1
        kinds = {self.item[row]: self.kind[row] for row in rest}
        connections += [Connection(kinds[item], joined, count) for (item, joined), count in grouped.items()]
        return nodes, connections
