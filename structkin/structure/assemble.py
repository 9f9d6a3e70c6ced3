"""From verified blocks to named groups in solve order, all groups at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.model.topology import fasten
from structkin.structure.arrays import KINDS, R
from structkin.structure.blocks import digraph, levels, solve_order
from structkin.structure.eliminate import PRIME, eliminate, solve_back
from structkin.structure.joint_rows import DRIVER, GROUND, Rows
from structkin.structure.naming import Connection, Name, name_of
from structkin.structure.repair import System
from structkin.structure.shapes import Shapes, spread
from structkin.structure.structure_arrays import Outside, StructureArrays
from structkin.types import Flags, Ints

#: The carrier of a pin that has none; also different from the ground.
_NOBODY = -2


def assemble(rows: Rows, values: Ints, owner: Ints, loose: Flags, shapes: Shapes, **facts: Any) -> StructureArrays:
    """Return the groups of all blocks that are not loose, in solve order; `facts` are data of the whole structure."""
    block, n_bodies = shapes.block, rows.n_bodies
    height, first_vertex = np.diff(shapes.row_start), shapes.vertex[shapes.vertex_start[:-1]]
    carrier = _carriers(rows, owner, shapes, loose, first_vertex)
    carried = first_vertex >= n_bodies
    carried[carried] = carrier[first_vertex[carried] - n_bodies] != _NOBODY
    chosen = np.flatnonzero(~loose[first_vertex] & ~carried)  # the blocks that are groups
    number = np.full(shapes.count, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))

    # the group that knows the other end of a row: a pin carried by a body is known with the body
    row = shapes.row[spread(shapes.row_start[chosen], height[chosen])]
    own = owner[row]
    end = np.where(rows.ends[row, 0] == own, rows.ends[row, 1], rows.ends[row, 0])
    outer = (end == GROUND) | (block[end] != block[own])
    group, end, item = np.repeat(np.arange(len(chosen)), height[chosen]), end[outer], rows.item[row]
    riding = end >= n_bodies
    with_body = carrier[end[riding] - n_bodies]
    end[riding] = np.where(with_body == _NOBODY, end[riding], with_body)
    feeder = np.where(end == GROUND, -1, number[block[end]])

    need = np.unique(group[outer][feeder >= 0] * len(chosen) + feeder[feeder >= 0])
    after, before = (need // len(chosen), need % len(chosen)) if len(need) else (need, need)
    after, before = after[after != before], before[after != before]
    graph = digraph(len(chosen), before, after)
    order = solve_order(graph, first_vertex[chosen])
    index = np.empty(len(chosen), dtype=np.int64)
    index[order] = np.arange(len(chosen))

    group, feeder = index[group], np.where(feeder < 0, -1, index[feeder]) if len(chosen) else feeder
    by_group = np.argsort(group[outer], kind="stable")
    outside = Outside(*(one[by_group] for one in (group[outer], item[outer], end, feeder)))
    after, before = index[after], index[before]
    by_group = np.lexsort((before, after))
    need_start, need = np.searchsorted(after[by_group], np.arange(len(chosen) + 1)), before[by_group]
    by_group = np.argsort(group, kind="stable")
    group, item = group[by_group], item[by_group]
    fresh = np.ones(len(item), dtype=np.bool_)
    fresh[1:] = (item[1:] != item[:-1]) | (group[1:] != group[:-1])

    number[chosen] = index
    home = np.where(loose, -1, number[block])
    body = np.flatnonzero(home[:n_bodies] >= 0)
    body = body[np.argsort(home[body], kind="stable")]
    group_of = np.full(n_bodies + 1, -1, dtype=np.int64)
    group_of[rows.link_of(np.arange(n_bodies))] = home[:n_bodies]
    shape_name, names, composite = _names(rows, System(rows, values), owner, shapes, chosen)
    return StructureArrays(
        **facts,
        topology=rows.topology,
        group_of=group_of,
        level=levels(graph)[order],
        name_of=shape_name[shapes.shape[chosen[order]]],
        names=names,
        link_start=np.searchsorted(home[body], np.arange(len(chosen) + 1)),
        link=rows.link_of(body),
        need_start=need_start,
        need=need,
        item_start=np.searchsorted(group[fresh], np.arange(len(chosen) + 1)),
        item=item[fresh],
        composite=composite,
        _outside=outside,
        _pin_group=home[n_bodies:],
        _rows=rows,
        _on_pin=_links_on_pins(rows, owner, block),
    )


def _carriers(rows: Rows, owner: Ints, shapes: Shapes, loose: Flags, first_vertex: Ints) -> Ints:
    """Return the body (or GROUND) that carries each pin: a pin of one known body is not an unknown.

    Two cylinders from one body to a pin do not carry it: that pin is a separate group.
    """
    n = rows.n_bodies
    carrier = np.full(rows.n_vertices - n, _NOBODY, dtype=np.int64)
    alone = np.flatnonzero((np.diff(shapes.vertex_start) == 1) & (first_vertex >= n) & ~loose[first_vertex])
    pair = shapes.row[shapes.row_start[alone][:, None] + np.arange(2)]  # not loose: it owns two rows
    pin = first_vertex[alone][:, None]
    other = np.where(rows.ends[pair, 0] == pin, rows.ends[pair, 1], rows.ends[pair, 0])
    rides = (other[:, 0] == other[:, 1]) & (rows.kind[pair] == R).all(axis=1)
    carrier[pin[rides, 0] - n] = other[rides, 0]
    return carrier


def _links_on_pins(rows: Rows, owner: Ints, block: Ints) -> tuple[Ints, Ints]:
    """Return the bodies of a pin's own group that are joined by the pin: start (pins + 1,) and the bodies."""
    n = rows.n_bodies
    body, pin = rows.ends[:, 0], rows.ends[:, 1]
    inside = np.flatnonzero((pin >= n) & (owner >= 0) & (rows.kind == R) & (body != GROUND))
    inside = inside[block[body[inside]] == block[pin[inside]]]
    inside = inside[np.argsort(pin[inside], kind="stable")]
    return np.searchsorted(pin[inside] - n, np.arange(rows.n_vertices - n + 1)), body[inside]


def _names(
    rows: Rows, system: System, owner: Ints, shapes: Shapes, chosen: Ints
) -> tuple[Ints, tuple[Name, ...], Ints]:
    """Return the name of each shape (s,), the names, and `composite` (links,); each shape is examined once."""
    found: dict[Name, int] = {}
    name = np.full(len(shapes.example), -1, dtype=np.int64)
    composite = np.full(rows.n_bodies + 1, -1, dtype=np.int64)
    is_group = np.zeros(shapes.count, dtype=np.bool_)
    is_group[chosen] = True
    for shape in np.unique(shapes.shape[chosen]).tolist():
        example = int(shapes.example[shape])
        vertices = shapes.vertices_of(example)
        one, clusters = _describe(rows, system, owner, shapes, example, vertices)
        name[shape] = found.setdefault(one, len(found))
        if not clusters:
            continue
        members = shapes.members[shape]
        members = members[is_group[members]]
        first = int(shapes.vertex_start[example])
        place = {int(shapes.alike[first + k]): k for k in range(len(vertices))}
        for cluster in clusters:
            at = np.array([place[vertex] for vertex in cluster])
            links = rows.link_of(shapes.alike[shapes.vertex_start[members][:, None] + at])
            composite[links] = links.min(axis=1, keepdims=True)
    return name, tuple(found), composite


def _describe(
    rows: Rows, system: System, owner: Ints, shapes: Shapes, block: int, vertices: Sequence[int]
) -> tuple[Name, list[list[int]]]:
    """Return the name of a block and its composite links."""
    inside = set(vertices)
    bodies = [v for v in vertices if v < rows.n_bodies]
    owned = []
    for row in shapes.rows_of(block):
        first, second = system.ends(row)
        other = second if first == int(owner[row]) else first
        kind = int(rows.kind[row])
        letter = "driver" if kind == DRIVER else KINDS[kind]
        owned.append(_Row(row, int(rows.item[row]), letter, (first, second), other in inside, int(owner[row])))
    inner = [one.row for one in owned if one.inner]
    clusters = _rigid_clusters(system, vertices, inner, rows.n_bodies) or _fastened(one for one in owned if one.inner)
    node = {v: v for v in bodies}
    for cluster in clusters:
        node.update(dict.fromkeys(cluster, cluster[0]))
    return name_of(sorted(set(node.values())), _connections(owned, node, vertices[len(bodies) :])), clusters


@dataclass(frozen=True, slots=True)
class _Row:
    row: int
    item: int
    kind: str
    ends: tuple[int, int]
    inner: bool
    owner: int


def _connections(owned: Sequence[_Row], node: dict[int, int], pins: Sequence[int]) -> list[Connection]:
    """Return the joints and drivers of a block between its contracted links; `node` maps bodies to these."""
    on_pin: dict[int, dict[int, int]] = {v: {} for v in pins}
    rest = []
    for one in owned:
        body, pin = one.ends  # if one end is a pin, it is the second
        if one.kind == "R" and body in node and pin in on_pin:
            on_pin[pin][node[body]] = on_pin[pin].get(node[body], 0) + 1
        else:
            rest.append(one)
    connections = []
    where: dict[int, tuple[int, ...]] = {v: (n,) for v, n in node.items()}
    for pin, attached in on_pin.items():
        where[pin] = tuple(sorted(attached))
        if len(attached) > 1:
            count = sum(min(2, rows) for rows in attached.values()) - 2
            connections.append(Connection("R", where[pin], count))
        elif node and sum(attached.values()) < 2:
            connections.append(Connection("R", where[pin], 0))  # irregular: no textbook name
    grouped: dict[tuple[int, tuple[int, ...]], int] = {}
    for one in rest:
        joined = where[one.owner]
        if one.inner:
            first, second = one.ends
            joined = tuple(sorted({*where[first], *where[second]}))
            if len(joined) == 1:
                continue  # inside one composite link
        grouped[one.item, joined] = grouped.get((one.item, joined), 0) + 1
    kinds = {one.item: one.kind for one in rest}
    return connections + [Connection(kinds[item], joined, count) for (item, joined), count in grouped.items()]


def _fastened(inner: Iterable[_Row]) -> list[list[int]]:
    """Return the clusters of links fastened together within a group, from its inner rows."""
    body: dict[int, int] = {}
    for one in inner:
        if one.kind == "F":
            fasten(body, one.ends)
    clusters: dict[int, list[int]] = {}
    for link in sorted(body):
        clusters.setdefault(body[link], []).append(link)
    return list(clusters.values())


def _rigid_clusters(system: System, vertices: Sequence[int], inner: Sequence[int], n_bodies: int) -> list[list[int]]:
    """Return the clusters of two or more links that move as one in every motion the inner rows allow.

    A hydraulic cylinder is two links with a driven length: rigid in itself, it acts as one link of its group. Only with
    this contraction is an excavator's boom the dyad that engineers see.

    `vertices` are those of one group, `inner` the rows between two of them. Links belong together if their twists agree
    in a random motion of the group released from its surroundings. A cluster of the whole group does not count unless
    its links are fastened: nothing would be left to classify.
    """
    bodies = [v for v in vertices if v < n_bodies]
    if len(bodies) < 3:
        return []
    columns = system.columns(vertices)
    pivots = eliminate([system.entries(r) for r in inner], frozenset(columns))[0]
    bound = {column for column, _ in pivots}
    draw = np.random.default_rng([len(columns), 19_70])
    motion = {c: int(draw.integers(1, PRIME)) for c in columns if c not in bound}
    solve_back(pivots, motion)
    clusters: dict[tuple[int, ...], list[int]] = {}
    for body in bodies:
        clusters.setdefault(tuple(motion[c] for c in system.columns([body])), []).append(body)
    return [cluster for cluster in clusters.values() if 1 < len(cluster) < len(bodies)]
