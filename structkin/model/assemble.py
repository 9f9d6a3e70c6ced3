"""The passes that turn a description into a mechanism, in order; each adds to one draft.

Links that only spin about a pin of another moving link, such as a roller on its follower, ride with that link. Nothing
determines their angle, and nothing depends on it: left free, they would stop every motion of the rest.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.slot import Slot
from structkin.model.document import read_document
from structkin.model.draft import Draft
from structkin.model.drivers import make_drivers
from structkin.model.entry import SECTIONS, misplaced
from structkin.model.initial import make_initial
from structkin.model.joints import check_use, make_joints
from structkin.model.links import bore, make_links
from structkin.model.loads import make_forces
from structkin.model.mechanism import GROUND
from structkin.model.parts import Link
from structkin.model.topology import Joint, Topology, acting_at, pin_of
from structkin.model.written_pose import read_pose
from structkin.model.written_tables import with_tables
from structkin.numerical_tolerances import EQUAL_DATA, ROUNDING_OF_FEW
from structkin.types import Floats

# --- links that only spin ------------------------------------------------------------------------------------------


def riders(draft: Draft, topology: Topology) -> tuple[dict[str, Any], list[str]]:
    """Return entries of [joints] by which idle links ride with others, and a note on each.

    These are idle links without inertia, of a single point or on a pin that others share or that slides: rollers, for
    instance. An arm on a pin of its own, or of the ground, is not idle but not yet driven; and so are all where other
    links can still move, but for links of a single point on a pin in a slot or at a cam.
    """
    sliding = {pin_of(end) for joint in topology.joints for end in joint.links}
    sliding |= {pin for joint in topology.joints for _, pin in _touched(draft, joint.id)}

    def is_point(link: str) -> bool:
        return len(draft.links[link].local) == 1

    found = [
        (link, carrier, pin)
        for link, carrier, pin in _idle(draft, topology)
        if is_point(link) or pin in sliding or (carrier != GROUND and len(draft.holders.get(pin, ())) > 2)
    ]
    if found and not (topology.drivers and _determined(topology, found)):
        found = [one for one in found if is_point(one[0]) and one[2] in sliding]
    taken = {*draft.points, *draft.joints, *draft.drivers, *draft.forces.loads}
    entries: dict[str, Any] = {}
    notes = []
    for link, carrier, pin in found:
        id = f"{link} rides"
        while id in taken:
            id += " again"
        entries[id] = {"type": "fastened", "links": [carrier, link], "at": pin}
        notes.append(
            f"links.{link}: nothing determines its angle about {pin}, and it moves nothing: it rides with {carrier}"
        )
    return entries, notes


def _determined(topology: Topology, riders: Sequence[tuple[str, str, str]]) -> bool:
    """Return whether the drivers determine every link once these links ride, each with its carrier."""
    from structkin.structure import decompose

    more = (Joint(f"{link} rides", "F", (carrier, link)) for link, carrier, _ in riders)
    return not decompose(replace(topology, joints=(*topology.joints, *more))).under


def _idle(draft: Draft, topology: Topology) -> Iterator[tuple[str, str, str]]:
    """Yield each idle link with the link that carries it and the pin; the ground carries what is pinned to it."""
    uses: dict[str, set[str]] = {}
    slides = [(one.joint, one.links) if one.kind == "slide" else (one.id, one.links) for one in topology.drivers]
    for id, ends in (*((joint.id, joint.links) for joint in topology.joints), *slides):
        for end in ends:
            uses.setdefault(end, set()).add(str(id))
    along = {id for id, joint in draft.joints.items() if joint.kind == "S"}  # friction along a slot turns no link
    loads = [load for load in draft.forces.loads.values() if getattr(load, "joint", None) not in along]
    named = set(_words([*loads, list(draft.initial_data)]))
    for joint in topology.joints:
        if joint.kind != "R":
            continue
        idle = [
            link
            for link in joint.links
            if link != GROUND
            and all(id == joint.id or (link, joint.id) in _touched(draft, id) for id in uses[link])
            and _is_light(draft, link, joint.id, named)
        ]
        carrier = GROUND if GROUND in joint.links else next((link for link in joint.links if link not in idle), None)
        if carrier is not None:
            yield from ((link, carrier, joint.id) for link in idle)


def _touched(draft: Draft, id: str) -> list[tuple[str, str]]:
    """Return the link that a joint touches only at a point, in a slot or along a cam, with the name of the point."""
    joint = draft.joints.get(id)
    if isinstance(joint, Cam):
        link, place = joint.follower, joint.touch if joint.normal is None else None
    elif isinstance(joint, Slot | CircularSlot | CurveSlot):
        link, place = joint.slider, joint.point
    else:
        return []
    return [(link, point) for point, local in draft.links[link].local.items() if local == place]


def _is_light(draft: Draft, link: str, pin: str, named: set[str]) -> bool:
    """Return whether a link resists no rotation about its pin, and no load or initial state names it."""
    body = draft.links[link]
    is_heavy = bool(body.inertia) or (bool(body.mass) and body.center != body.local[pin])
    return not is_heavy and not named & {link, *(point for point in body.local if point != pin)}


def _words(value: Any) -> Iterator[str]:
    """Yield the names in loads."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _words(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _words(getattr(value, field.name))


# --- the passes ----------------------------------------------------------------------------------------------------


def attributes(data: Any, source: str, folder: Path | None, origin: complex = 0j) -> dict[str, Any]:
    """Return the attributes of the mechanism that is described; raise `InputError` that lists every error.

    Its places are those from an `origin` [m] in the file.
    """
    try:
        draft, topology = assemble(data, folder, origin)
    except InputError as error:  # too many errors to go on
        raise InputError(error.problems, source or "mechanism", more=True) from None
    added, notes = ({}, []) if topology is None else riders(draft, topology)
    if added:
        draft, topology = assemble(with_joints(data, added), folder, origin)
        draft.remarks += notes
    # Fails only where a file was there a moment ago.
    kept = None if topology is None else draft.attempt("", with_tables, data, draft)
    if topology is None or kept is None:
        raise InputError(draft.problems, source or draft.title or "mechanism", more=not draft.is_checked)
    return {
        "title": draft.title,
        "units": draft.units,
        "topology": topology,
        "places": MappingProxyType(draft.points),
        "links": MappingProxyType(draft.links),
        "joints": draft.pairs,
        "drivers": MappingProxyType(draft.coordinates),
        "forces": draft.forces,
        "initial": MappingProxyType(draft.initial),
        "initial_data": MappingProxyType(draft.initial_data),
        "duration": draft.duration,
        "remarks": tuple(draft.remarks),
        "_source_dict": plain({name: value for name, value in kept.items() if name != "pose"}),
        "_source": source,
        "_folder": folder,
        "_pose": draft.pose,
        "_added": added,
    }


def plain(data: Any) -> Any:
    """Return a deep copy in dicts, lists and plain numbers."""
    if isinstance(data, Mapping):
        return {name: plain(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    return data.tolist() if isinstance(data, np.generic | np.ndarray) else data


def with_joints(data: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return data of a mechanism with more entries of [joints]."""
    return {**data, "joints": {**data.get("joints", {}), **entries}}


def assemble(data: Any, folder: Path | None, origin: complex = 0j) -> tuple[Draft, Topology | None]:
    """Return the draft, and its topology if the draft has no problems."""
    draft = read_document(data, folder, origin)
    make_links(draft)
    match_lengths(draft)
    make_joints(draft)
    bore(draft)
    make_drivers(draft)
    make_forces(draft)
    make_initial(draft)
    check_use(draft)
    if isinstance(data, Mapping):
        draft.pose = read_pose(draft, data.get("pose"))
    if draft.problems:
        draft.problems = sorted(map(_hinted, draft.problems), key=_section)
        return draft, None
    try:
        topology = Topology(
            links=tuple(draft.link_entries),
            ground=GROUND,
            joints=tuple(
                Joint(id, joint.kind, joint.links, _at(draft, id, joint.links)) for id, joint in draft.joints.items()
            ),
            drivers=tuple(draft.drivers.values()),
            title=draft.title,
        )
    except InputError as error:
        draft.problems += error.problems
        return draft, None
    return draft, topology


def _at(draft: Draft, id: str, ends: tuple[str, ...]) -> tuple[str, ...]:
    """Return the points at which a joint acts; a pin has no entry."""
    points = draft.joint_entries[id].at_ends if id in draft.joint_entries else ()
    return acting_at(ends, points) if points else ()


def _hinted(problem: Problem) -> Problem:
    """Add a hint to a top-level key that TOML read as part of the section above it."""
    section, _, name = problem.key.partition(".")
    if section in SECTIONS and name in SECTIONS:
        return Problem(problem.key, problem.message, misplaced(name))
    return problem


def _section(problem: Problem) -> int:
    """Order errors like the sections of a file; within a section they keep their order."""
    section = problem.key.split(".")[0]
    return SECTIONS.index(section) if section in SECTIONS else -1


# --- lengths that are meant to be equal, such as those of a parallelogram --------------------------------------

# Whether a parallelogram passes smoothly through its flat poses, or close to them in one assembly mode, depends on the
# last digits of its lengths. A file written by a program holds such lengths with rounding errors, and no one makes a
# bar to 1e-9 of its length. So such small differences are ignored; larger ones are kept exactly.


#: The most pairs of pins that are compared, without those of the link that has the most: it takes seconds.
MOST_PAIRS = 100_000


def match_lengths(draft: Draft) -> None:
    """Scale links so that pin distances nearly equal to those on the ground or an earlier link become equal.

    The remarks list the changes.
    """
    places = list(draft.points.values())
    size = max((abs(place - places[0]) for place in places), default=0.0)
    pins = {name: [p for p in link.points if len(draft.holders.get(p, ())) > 1] for name, link in draft.links.items()}
    count = sum(sorted(len(own) * (len(own) - 1) // 2 for own in pins.values())[:-1])
    if count > MOST_PAIRS:
        message = (
            f"links are pinned to others at several points: {count:,} pairs of them; at most {MOST_PAIRS:,} are read"
        )
        draft.fault("links", message, "two links with two common points are one")
        return
    pairs = _pairs(draft.links, pins, size)
    known: list[tuple[float, str]] = []
    for name in sorted(draft.links, key=lambda name: name != GROUND):
        link = draft.links[name]
        if name != GROUND:
            ratio, remark = _ratio(_lengths(link, pairs[name]), known, size)
            if remark:
                link = replace(link, local=MappingProxyType({p: ratio * z for p, z in link.local.items()}))
                draft.links[name] = link
                draft.remarks.append(f"links.{name}: {remark}: they are treated as equal")
        for length in _lengths(link, pairs[name]):
            insort(known, length)


def _lengths(link: Link, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, str]]:
    """Return the distances [m] between pairs of a link's pins, and their names."""
    return [(abs(link.local[b] - link.local[a]), f"{a}-{b}") for a, b in pairs]


def _pairs(
    links: Mapping[str, Link], pins: Mapping[str, Sequence[str]], size: float
) -> dict[str, Sequence[tuple[str, str]]]:
    """Return pairs of each link's pins; of the link with the most pins only those that another link's length is near.

    The ground of a long chain has a pin for each of its links: all its pairs would be too many.
    """
    most = max(pins, key=lambda name: len(pins[name]), default=GROUND)
    pairs: dict[str, Sequence[tuple[str, str]]] = {
        name: list(combinations(own, 2)) for name, own in pins.items() if name != most
    }
    lengths = np.unique([length for name, own in pairs.items() for length, _ in _lengths(links[name], own)])
    pairs[most] = _near(links[most], pins[most], lengths, size) if len(lengths) else ()
    return pairs


def _near(link: Link, pins: Sequence[str], lengths: Floats, size: float) -> list[tuple[str, str]]:
    """Return the pairs of pins whose distance [m] is near one of the sorted `lengths`, in the order of the pins.

    "Near" is far enough that scaling all links by nearly 1 leaves out none that counts as equal.
    """
    z = np.array([link.local[pin] for pin in pins])
    if np.ptp(z.imag) > np.ptp(z.real):
        z = -1j * z
    order = np.argsort(z.real, kind="stable")
    z, near, found = z[order], 10 * (EQUAL_DATA * lengths + ROUNDING_OF_FEW * size), []
    ends = np.searchsorted(z.real, z.real + lengths[-1] + near[-1], "right")
    for i, end in enumerate(ends):
        apart = np.abs(z[i + 1 : end] - z[i])
        above = np.searchsorted(lengths, apart).clip(max=len(lengths) - 1)
        below = (above - 1).clip(min=0)
        close = (np.abs(lengths[above] - apart) <= near[above]) | (np.abs(lengths[below] - apart) <= near[below])
        found += [sorted((order[i], j)) for j in order[i + 1 : end][close]]
    return [(pins[a], pins[b]) for a, b in sorted(found)]


def _ratio(lengths: list[tuple[float, str]], known: list[tuple[float, str]], size: float) -> tuple[float, str]:
    """Return the factor to scale a link by, and the reason; 1 if one of its lengths is exactly known already."""
    ratio, remark = 1.0, ""
    for length, pair in lengths:
        at = bisect_left(known, (length, ""))
        beside = known[max(at - 1, 0) : at + 1]
        if not beside:
            continue
        other, which = min(beside, key=lambda item: abs(item[0] - length))
        gap = abs(other - length)
        if gap <= ROUNDING_OF_FEW * size:
            return 1.0, ""
        if gap <= EQUAL_DATA * other and not remark:
            ratio, remark = other / length, f"{pair} and {which} differ by {gap / other:.0e} of their length"
    return ratio, remark
