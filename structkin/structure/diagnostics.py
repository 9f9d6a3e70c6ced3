"""Problems of a structure: redundant equations with their loops, and links that can still move."""

from __future__ import annotations

import numpy as np

from structkin.model.topology import DRIVER_KINDS, JOINT_KINDS
from structkin.structure.arrays import KINDS, R
from structkin.structure.eliminate import PRIME
from structkin.structure.joint_rows import GROUND, Rows
from structkin.structure.parts import FreePart, Redundancy
from structkin.types import Flags, Ints

#: What each kind of driver gives.
DRIVER_EQUATION = {"angle": "angle", "slide": "travel", "distance": "distance"}


def describe_redundancies(rows: Rows, circuits: dict[int, list[int]]) -> tuple[Redundancy, ...]:
    """Return a `Redundancy` for each redundant row, in row order."""
    result = []
    for row, circuit in circuits.items():
        item = int(rows.item[row])
        loop = tuple(rows.items[i] for i in sorted({int(rows.item[r]) for r in circuit}))
        is_joint = item < rows.n_joints
        equation = _equation(rows, row)
        others = [id for id in loop if id != rows.items[item]]
        ends = [_end_name(rows, int(v)) for v in rows.ends[row]]
        what = "orientation" if all(rows.turns[r] for r in circuit) else equation
        said = f"{'joint' if is_joint else 'driver'} {rows.items[item]} repeats "
        said += f"what {', '.join(others)} already {'fix' if len(others) > 1 else 'fixes'}" if others else "itself"
        said += f": the {what} between {' and '.join(ends)}"
        result.append(Redundancy(rows.items[item], "joint" if is_joint else "driver", equation, loop, said))
    return tuple(result)


def _equation(rows: Rows, row: int) -> str:
    item = int(rows.item[row])
    if item >= rows.n_joints:
        return DRIVER_EQUATION[DRIVER_KINDS[rows.topology.driver_kind[item - rows.n_joints]]]
    equations = JOINT_KINDS[KINDS[rows.topology.joint_kind[item]]].equations
    return equations[0] if rows.turns[row] else equations[-1]


def _end_name(rows: Rows, vertex: int) -> str:
    if vertex == GROUND:
        return rows.topology.link_names[rows.topology.ground]
    n = rows.n_bodies
    return rows.bodies[vertex] if vertex < n else f"pin {rows.pins[vertex - n][0]}"


def free_parts(rows: Rows, values: Ints, owner: Ints, loose: Flags, motion: Ints) -> tuple[FreePart, ...]:
    """Return the parts that can still move: links connected by rows among those that no group determines.

    `motion` (n, 3) is a random motion of all. A joint is a candidate for a driver if its coordinate changes in it:
    the driver's equation is then independent of all others.
    """
    topology = rows.topology
    parent = list(range(rows.n_vertices))

    def root(v: int) -> int:
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    moves: list[bool] = (motion != 0).any(axis=1).tolist()
    for row in np.flatnonzero(owner >= 0).tolist():
        a, b = (int(v) for v in rows.ends[row])
        if a != GROUND and b != GROUND and loose[a] and loose[b]:
            parent[root(a)] = root(b)
    freedom: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for v in np.flatnonzero(loose).tolist():
        freedom[root(v)] = freedom.get(root(v), 0) + int(rows.capacity[v])
        members.setdefault(root(v), []).append(v)
    for v in owner[owner >= 0].tolist():
        if loose[v]:
            freedom[root(v)] -= 1
    candidates = _candidates(rows, values, motion)
    joints_at: dict[int, list[int]] = {}
    for row in np.flatnonzero(owner >= 0).tolist():
        for v in rows.ends[row].tolist():
            if v != GROUND and loose[v]:
                joints_at.setdefault(root(v), []).append(int(rows.item[row]))
    parts = []
    for home, vertices in members.items():
        bodies = [v for v in vertices if v < rows.n_bodies and moves[v]]
        if not bodies:
            continue
        items = sorted(set(joints_at.get(home, [])))
        names = tuple(rows.bodies[v] for v in bodies)
        moving = set(rows.link_of(np.array(bodies)).tolist())
        own = tuple(rows.items[i] for i in items if i in candidates and moving.intersection(topology.ends_of(i)))
        idle = (
            len(bodies) == len(vertices) == 1
            and len(items) == 1
            and items[0] < rows.n_joints
            and int(topology.joint_kind[items[0]]) == R
            and topology.ground not in topology.ends_of(items[0])
        )
        parts.append((bodies[0], FreePart(names, freedom[home], own, idle)))
    return tuple(part for _, part in sorted(parts, key=lambda pair: pair[0]))


def _candidates(rows: Rows, values: Ints, motion: Ints) -> set[int]:
    """Return the joints (R by its angle, P by its travel) whose coordinate changes in the motion."""
    topology = rows.topology
    twist = np.zeros((topology.n_links, 3), dtype=np.int64)
    twist[rows.link_of(np.arange(rows.n_bodies))] = motion[: rows.n_bodies]
    ends, kind = topology.joint_ends, topology.joint_kind
    joint_of = np.repeat(np.arange(topology.n_joints), np.diff(topology.joint_start))
    links = np.flatnonzero((ends >= 0) & (kind[joint_of] == R)) if len(ends) else ends
    turn, joint = twist[ends[links], 2], joint_of[links]
    differs = np.flatnonzero((joint[1:] == joint[:-1]) & (turn[1:] != turn[:-1]))
    result = set(joint[differs].tolist())
    # the bar of a guide is directed across it, along (-t_y, t_x): t = (d_y, -d_x)
    bar = np.flatnonzero(rows.across & (rows.item < rows.n_joints))
    slide = rows.item[bar]
    first = topology.joint_start[slide]
    v = (twist[ends[first]] - twist[ends[first + 1]]) % PRIME
    travel = (values[bar, 1] * v[:, 0] % PRIME - values[bar, 0] * v[:, 1] % PRIME) % PRIME
    result.update(slide[travel != 0].tolist())
    return result
