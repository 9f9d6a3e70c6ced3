"""The structure in words: the solve order, and its problems, each with a hint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from structkin.errors import Problem
from structkin.model.topology import Driver, Topology, pin_of
from structkin.structure.arrays import TopologyArrays
from structkin.structure.decompose import decompose_arrays
from structkin.structure.parts import FreePart, Group, Redundancy

if TYPE_CHECKING:
    from structkin.structure.result import KinematicStructure


#: In a loop of more links than this no brace is looked for: each takes a decomposition.
MOST_BRACES = 50


def diagnose(structure: KinematicStructure) -> tuple[Problem, ...]:
    """Return the problems of a structure, redundant constraints first."""
    problems = []
    for one in structure.over:
        if one.kind == "driver":
            rigid = structure.mobility <= 0
            alone = sum(each.kind == "driver" for each in structure.over) == 1
            hint = f"remove driver {one.id}, or drive something that can still move"
            if rigid:
                hint = "the joints alone leave no mobility: the mechanism can move only by special dimensions"
                hint += "" if alone else ", with fewer drivers"
            braces = _braces(structure.topology, one) if rigid or alone else []
            others = {each.id for each in structure.topology.drivers} - {one.id}
            if not rigid and others.intersection(one.loop):
                # The drivers may be too many themselves: a bar that holds up others is no brace.
                braces = [link for link in braces if not _leaves_ends(structure.topology, link)]
            elif len(braces) == 1:
                what = "the mechanism" if rigid else "a part of the mechanism"
                text = f"link {braces[0]} makes {what} rigid: {one.message}"
                problems.append(Problem(f"links.{braces[0]}", text, "remove it"))
                continue
            if braces:
                which = "link" if len(braces) == 1 else "one of the links"
                hint += f", or without {which} {', '.join(braces)}"
        else:
            hint = (
                f"release a constraint in the loop {', '.join(one.loop)}, or keep it if the dimensions are compatible"
            )
        problems.append(Problem(f"{one.kind}s.{one.id}", one.message, hint))
    for part in structure.free_parts:
        problems.append(_free(part, structure.topology.ground))
    own = _held_by_own_joints(structure)
    if own:
        held = {joint.id for joint in structure.topology.joints if set(own).intersection(joint.links)}
        spare = dict.fromkeys(one.id for one in structure.over if one.kind == "joint" and one.id in held)
        be, their, belong = ("is", "its", "belongs") if len(own) == 1 else ("are", "their", "belong")
        count = "counts" if len(spare) == 1 else "count"
        text = f"{_links(own)} {', '.join(own)} {be} fixed by {their} own joints, but {belong} to no group"
        text += f": {' and '.join(spare)} {count} as redundant"
        hint = f"list {' and '.join(spare)} before the other joints of the loop"
        problems.append(Problem(_key(own), text, hint))
    through = [link for link in structure.held if link not in own]
    if through:
        be = "is" if len(through) == 1 else "are"
        fixed = "fixed only by the orientation, or a point, of links that can still move"
        text = f"{_links(through)} {', '.join(through)} {be} {fixed}"
        problems.append(Problem(_key(through), text, "drive those links first"))
    return tuple(problems)


def _braces(topology: Topology, driver: Redundancy) -> list[str]:
    """Return the bars of a redundant driver's loop without any one of which the drivers would determine the rest."""
    barred = {topology.ground, *(end for one in topology.drivers for end in one.links)}
    barred |= {end for joint in topology.joints if joint.kind != "R" for end in joint.links}
    ends = dict.fromkeys(end for joint in topology.joints if joint.id in driver.loop for end in joint.links)
    links = [end for end in ends if end not in barred and pin_of(end) is None]
    if len(links) > MOST_BRACES:
        return []
    return [
        link
        for link in links
        if decompose_arrays(_cut(topology, {*topology.links} - {link}, topology.drivers)).is_solvable
    ]


def _leaves_ends(topology: Topology, link: str) -> bool:
    """Return whether a link holds another that has only one joint more: without it the other would hang loose."""
    near = {end for joint in topology.joints if link in joint.links for end in joint.links} - {link, topology.ground}
    kept = [joint for joint in topology.joints if len({*joint.links} - {link}) > 1]
    return any(sum(other in joint.links for joint in kept) < 2 for other in near)


def _cut(topology: Topology, kept: set[str], drivers: Iterable[Driver]) -> TopologyArrays:
    """Return a topology of these links, with the joints and drivers between them."""
    kept |= {f"@{joint.id}" for joint in topology.joints if joint.kind == "R" and kept.issuperset(joint.links)}
    cut = [replace(joint, links=tuple(end for end in joint.links if end in kept)) for joint in topology.joints]
    joints = {joint.id: joint for joint in cut if len(joint.links) > 1}
    left = [d for d in drivers if kept.issuperset(d.links) and (d.joint is None or d.joint in joints)]
    links = tuple(link for link in topology.links if link in kept)
    rest = replace(topology, links=links, joints=tuple(joints.values()), drivers=tuple(left))
    return TopologyArrays.from_topology(rest)


def _held_by_own_joints(structure: KinematicStructure) -> tuple[str, ...]:
    """Return the held links that are fixed by their joints to each other and to known links.

    Some of these joints count as redundant because others precede them in the user's order, so that a link depends on
    links that can still move; without those links it would belong to a group. A redundant driver does not count: joints
    always precede drivers.
    """
    if not structure.held:
        return ()
    topology = structure.topology
    kept = {topology.ground, *structure.held, *(link for group in structure.groups for link in group.links)}
    spare = {one.id for one in structure.over if one.kind == "driver"}
    rest = _cut(topology, kept, (driver for driver in topology.drivers if driver.id not in spare))
    home = dict(zip(rest.link_names, decompose_arrays(rest).group_of.tolist(), strict=True))
    return tuple(link for link in structure.held if home[link] >= 0)


def _free(part: FreePart, ground: str) -> Problem:
    key = _key(part.links)
    if part.idle:
        at = part.candidates[:1]  # none if it is alone on the pin of other links
        text = f"link {part.links[0]} spins idly{''.join(f' about {id}' for id in at)} and moves nothing else"
        return Problem(key, text, ", or ".join([*(f"drive {id}" for id in at), "fasten it to a link there"]))

    drivers = "one driver is" if part.missing == 1 else f"{part.missing} drivers are"
    text = f"{_links(part.links)} {', '.join(part.links)} can still move: {drivers} missing"
    hint = "connect it to a known link"
    if part.missing == 1 and not part.candidates:
        hint = f'drive its angle, links = ["{ground}", "{part.links[0]}"], or connect it to a known link'
    if part.candidates:
        only = len(part.candidates) == 1
        hint = f"drive joint {part.candidates[0]}" if only else f"drive one of the joints {', '.join(part.candidates)}"
    if part.missing > 1 and part.candidates:
        hint = f"drive {part.missing} of the joints {', '.join(part.candidates)}"
    return Problem(key, text, hint)


def _key(links: Sequence[str]) -> str:
    """Return the key of a link; none for several, which the message names."""
    return f"links.{links[0]}" if len(links) == 1 else ""


def _links(names: Sequence[str]) -> str:
    return "link" if len(names) == 1 else "links"


def explain(structure: KinematicStructure) -> str:
    """Return the solve order in words, one line per group, then one line per problem."""
    lines = [f"{group.index + 1}. {sentence(structure, group)}" for group in structure.groups]
    lines += [f"! {problem}" for problem in structure.diagnostics]
    return "\n".join(lines)


def sentence(structure: KinematicStructure, group: Group) -> str:
    """Return a group in words: its links, its kind, and what it is solved from."""
    drivers = set(group.drivers)
    outer = [(id, feeder) for id, feeder in group.exterior if id not in drivers]
    by = f" by {' and '.join(group.drivers)}" if group.drivers else ""
    who = " + ".join(group.links) if group.links else f"pin {group.pins[0]}"
    if group.class_ == "I":
        return f"{who}: {group.kind} at {group.joints[0]}{_on(outer)}{by}"
    what = f"{group.kind} dyad" if group.class_ == "II" else f"{group.kind} group"
    if group.kind in ("pin", "fastened"):
        what = group.kind
    source = [f"{id} ({'ground' if feeder is None else f'group {feeder + 1}'})" for id, feeder in outer]
    text = f"{who}: {what}"
    if source:
        text += f" {'by' if group.kind == 'fastened' else 'from'} {' and '.join(source)}"
    if group.composite_links:
        joined = "; ".join(" + ".join(links) for links in group.composite_links)
        text += f", with {joined} as one link"
    return text + (f", driven{by}" if by else "")


def _on(outer: Sequence[tuple[str, int | None]]) -> str:
    feeder = outer[0][1] if outer else None
    return "" if feeder is None else f" (group {feeder + 1})"
