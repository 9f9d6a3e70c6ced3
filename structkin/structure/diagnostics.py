"""The structure in words: the solve order, redundant equations with their loop, links that still move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from structkin.errors import Problem
from structkin.model.topology import DRIVER_KINDS
from structkin.structure.array_codes import KINDS, R
from structkin.structure.eliminate import PRIME
from structkin.structure.result import FreePart, Group, KinematicStructure, Redundancy
from structkin.structure.rows import GROUND, BoolArray, IntArray, Rows

_DRIVER_EQUATION = {"angle": "angle", "slide": "travel", "distance": "distance"}
_JOINT_EQUATION = {"R": "position", "G": "mesh", "C": "contact", "S": "slot", "K": "rolling"}


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
        return _DRIVER_EQUATION[DRIVER_KINDS[rows.topology.driver_kind[item - rows.n_joints]]]
    kind = KINDS[rows.topology.joint_kind[item]]
    if kind == "P":
        return "orientation" if rows.turns[row] else "guide"
    return _JOINT_EQUATION[kind]


def _end_name(rows: Rows, vertex: int) -> str:
    if vertex == GROUND:
        return rows.topology.link_names[rows.topology.ground]
    n = rows.n_bodies
    return rows.bodies[vertex] if vertex < n else f"pin {rows.pins[vertex - n][0]}"


def free_parts(
    rows: Rows, values: IntArray, owner: IntArray, loose: BoolArray, motion: IntArray
) -> tuple[FreePart, ...]:
    """Return the parts that still move: links connected by rows among what no group determines.

    `motion` (n, 3) is a random motion of all. A joint is a candidate for a driver if its coordinate changes in it:
    then the driver's equation is independent of all others.
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


def _candidates(rows: Rows, values: IntArray, motion: IntArray) -> set[int]:
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
    bar = np.flatnonzero(rows.across)
    slide = rows.item[bar]
    first = topology.joint_start[slide]
    v = (twist[ends[first]] - twist[ends[first + 1]]) % PRIME
    travel = (values[bar, 1] * v[:, 0] % PRIME - values[bar, 0] * v[:, 1] % PRIME) % PRIME
    result.update(slide[travel != 0].tolist())
    return result


def diagnose(structure: KinematicStructure) -> tuple[Problem, ...]:
    """Return the problems of a structure, redundancies first."""
    problems = []
    for one in structure.over:
        if one.kind == "driver":
            hint = f"remove driver {one.id}, or drive something that still moves"
            if structure.mobility <= 0:
                hint = "the joints alone leave no mobility: if it moves, then only by special dimensions"
        else:
            hint = f"free one joint of the loop {', '.join(one.loop)}, or keep it if the dimensions agree"
        problems.append(Problem(f"{one.kind}s.{one.id}", one.message, hint))
    for part in structure.free_parts:
        problems.append(_free(part))
    own = _held_by_own_joints(structure)
    if own:
        spare = dict.fromkeys(one.id for one in structure.over if set(own).intersection(_links_of(structure, one)))
        stand, their, them = ("stands", "its", "it") if len(own) == 1 else ("stand", "their", "them")
        count = "counts" if len(spare) == 1 else "count"
        text = f"{_links(own)} {', '.join(own)} {stand} still by {their} own joints, but no group has {them}"
        text += f": {' and '.join(spare)} {count} as redundant"
        hint = f"list {' and '.join(spare)} before the other joints of the loop"
        problems.append(Problem(f"links.{own[0]}", text, hint))
    through = [link for link in structure.held if link not in own]
    if through:
        be = "is" if len(through) == 1 else "are"
        text = f"{_links(through)} {', '.join(through)} {be} held only through the orientation of links that still move"
        problems.append(Problem(f"links.{through[0]}", text, "drive those links first"))
    return tuple(problems)


def _held_by_own_joints(structure: KinematicStructure) -> tuple[str, ...]:
    """Return the held links that hold fast by their joints to each other and to what is known.

    Some of these joints are redundant in the whole, where others of the user's order come first, so that a link hangs
    on links that still move; without those links it belongs to a group.
    """
    from structkin.structure.decompose import decompose

    if not structure.held:
        return ()
    topology = structure.topology
    kept = {topology.ground, *structure.held, *(link for group in structure.groups for link in group.links)}
    kept |= {f"@{joint.id}" for joint in topology.joints if joint.kind == "R" and kept.issuperset(joint.links)}
    cut = [replace(joint, links=tuple(end for end in joint.links if end in kept)) for joint in topology.joints]
    joints = {joint.id: joint for joint in cut if len(joint.links) > 1}
    drivers = [d for d in topology.drivers if kept.issuperset(d.links) and (d.joint is None or d.joint in joints)]
    links = tuple(link for link in topology.links if link in kept)
    rest = decompose(replace(topology, links=links, joints=tuple(joints.values()), drivers=tuple(drivers)))
    return tuple(link for link in structure.held if rest.group_of(link) is not None)


def _links_of(structure: KinematicStructure, one: Redundancy) -> tuple[str, ...]:
    """Return the links of what a redundant equation belongs to."""
    items = structure.topology.joints if one.kind == "joint" else structure.topology.drivers
    return next(item.links for item in items if item.id == one.id)


def _free(part: FreePart) -> Problem:
    key = f"links.{part.links[0]}"
    if part.idle:
        at = part.candidates[:1]  # none where it hangs alone on the pin of other links
        text = f"link {part.links[0]} spins idly{''.join(f' about {id}' for id in at)} and moves nothing else"
        return Problem(key, text, "ignore its angle" + "".join(f", or drive {id}" for id in at))
    verb = "moves" if len(part.links) == 1 else "move"
    drivers = "one driver is" if part.missing == 1 else f"{part.missing} drivers are"
    text = f"{_links(part.links)} {', '.join(part.links)} still {verb}: {drivers} missing"
    hint = f"drive one of the joints {', '.join(part.candidates)}" if part.candidates else "join it to a known link"
    if part.missing > 1 and part.candidates:
        hint = f"drive {part.missing} of the joints {', '.join(part.candidates)}"
    return Problem(key, text, hint)


def _links(names: Sequence[str]) -> str:
    return "link" if len(names) == 1 else "links"


def explain(structure: KinematicStructure) -> str:
    """Return the solve order in words, one line a group, then one line a problem."""
    lines = [f"{group.index + 1}. {_sentence(structure, group)}" for group in structure.groups]
    lines += [f"! {problem}" for problem in structure.diagnostics]
    return "\n".join(lines)


def _sentence(structure: KinematicStructure, group: Group) -> str:
    drivers = set(group.drivers)
    outer = [(id, feeder) for id, feeder in group.exterior if id not in drivers]
    by = f" by {' and '.join(group.drivers)}" if group.drivers else ""
    who = " + ".join(group.links) if group.links else f"pin {group.pins[0]}"
    if group.class_ == "I":
        return f"{who}: {group.kind} at {group.joints[0]}{_on(outer)}{by}"
    what = f"{group.kind} dyad" if group.class_ == "II" else f"{group.kind} group"
    if group.kind == "pin":
        what = "pin"
    source = [f"{id} ({'ground' if feeder is None else f'group {feeder + 1}'})" for id, feeder in outer]
    text = f"{who}: {what}"
    if source:
        text += f" from {' and '.join(source)}"
    if group.composite_links:
        joined = "; ".join(" + ".join(links) for links in group.composite_links)
        text += f", with {joined} as one link"
    return text + (f", driven{by}" if by else "")


def _on(outer: Sequence[tuple[str, int | None]]) -> str:
    feeder = outer[0][1] if outer else None
    return "" if feeder is None else f" (group {feeder + 1})"
