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
        self.kinds = [joint.kind for joint in topology.joints] + ["driver"] * len(topology.drivers)
        self.home: list[int] = block.tolist()
        self.owner: list[int] = owner.tolist()
        self.blocks: dict[int, _Block] = {}
        for vertex in np.flatnonzero(~loose).tolist():
            self.blocks.setdefault(self.home[vertex], _Block()).vertices.append(vertex)
        for row, vertex in enumerate(self.owner):
            if vertex >= 0 and not loose[vertex]:
                self.blocks[self.home[vertex]].owned.append(row)
        self.carrier: dict[int, int] = {}
        self._carry_pins()
        for number, one in self.blocks.items():
            for row in one.owned:
                for end in system.ends[row]:
                    need = self._block_of(end)
                    if need not in (number, None):
                        one.needs.add(need)  # type: ignore[arg-type]

    def _carry_pins(self) -> None:
        """Let a pin of one known body ride with it: nothing is solved for it.

        Two cylinders from one body to a pin do not carry it so: there the pin is a group of its own.
        """
        for number in [n for n, one in self.blocks.items() if one.vertices[0] >= self.n_bodies]:
            one = self.blocks[number]
            pin = one.vertices[0]
            others = {end for row in one.owned for end in self.system.ends[row]} - {pin}
            pinned = all(self._kind(row) == "R" for row in one.owned)
            if len(one.vertices) == 1 and len(others) == 1 and pinned:
                self.carrier[pin] = others.pop()
                del self.blocks[number]

    def _block_of(self, end: int) -> int | None:
        """Return the block that knows an end; None for the ground."""
        end = self.carrier.get(end, end)
        return None if end == GROUND else self.home[end]

    def groups(self) -> tuple[Group, ...]:
        needs = {number: one.needs for number, one in self.blocks.items()}
        key = {number: min(one.vertices) for number, one in self.blocks.items()}
        order = solve_order(needs, key)
        index = {number: at for at, number in enumerate(order)}
        level: dict[int, int] = {}
        for number in order:
            level[number] = 1 + max((level[need] for need in needs[number]), default=-1)
        return tuple(self._group(number, index, level[number]) for number in order)

    def _group(self, number: int, index: dict[int, int], level: int) -> Group:
        one, rows = self.blocks[number], self.rows
        inside = set(one.vertices)
        inner = [r for r in one.owned if all(end in inside for end in self.system.ends[r])]
        clusters = rigid_clusters(self.system, one.vertices, inner, self.n_bodies)
        nodes, connections = self._contract(one, clusters)
        name = name_of(nodes, connections)
        items = sorted({self.item[r] for r in one.owned})
        exterior: dict[tuple[int, int | None], None] = {}
        known: set[int] = set()
        for r in one.owned:
            for end in self.system.ends[r]:
                if end not in inside:
                    feeder = self._block_of(end)
                    exterior[self.item[r], None if feeder is None else index[feeder]] = None
                    known.update(self._links_at(end))
        bodies = [v for v in one.vertices if v < self.n_bodies]
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
            pins=tuple(id for v in one.vertices if v >= self.n_bodies for id in rows.pins[v - self.n_bodies]),
            exterior=tuple((rows.items[i], feeder) for i, feeder in exterior),
            known=tuple(self.topology.ground if v == GROUND else rows.bodies[v] for v in sorted(known)),
        )

    def _links_at(self, end: int) -> list[int]:
        """Return the bodies (or GROUND) that know an end: itself, the carrier of a pin, the links of its group there."""
        end = self.carrier.get(end, end)
        if end < self.n_bodies:
            return [end]
        return [
            other
            for r in self.blocks[self.home[end]].owned
            if end in self.system.ends[r] and self._kind(r) == "R"
            for other in self.system.ends[r]
            if other not in (end, GROUND) and other < self.n_bodies and self.home[other] == self.home[end]
        ]

    def _kind(self, row: int) -> str:
        return self.kinds[self.item[row]]

    def _contract(self, one: _Block, clusters: Sequence[Sequence[int]]) -> tuple[list[int], list[Connection]]:
        """Return the contracted links of a block, and its joints and drivers between them."""
        node = {v: v for v in one.vertices if v < self.n_bodies}
        for cluster in clusters:
            node.update(dict.fromkeys(cluster, cluster[0]))
        nodes = sorted(set(node.values()))
        on_pin: dict[int, dict[int, int]] = {v: {} for v in one.vertices if v >= self.n_bodies}
        rest = []
        for row in one.owned:
            pin = next((end for end in self.system.ends[row] if end in on_pin), None)
            body = next((node[end] for end in self.system.ends[row] if end in node), None)
            if pin is None or body is None or self._kind(row) != "R":
                rest.append(row)
            else:
                on_pin[pin][body] = on_pin[pin].get(body, 0) + 1
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
            joined = tuple(sorted({n for end in self.system.ends[row] for n in where.get(end, ())}))
            if len(joined) == 1 and all(end in where for end in self.system.ends[row]):
                continue  # inside one composite link
            grouped[self.item[row], joined] = grouped.get((self.item[row], joined), 0) + 1
        connections += [Connection(self.kinds[i], joined, count) for (i, joined), count in grouped.items()]
        return nodes, connections
