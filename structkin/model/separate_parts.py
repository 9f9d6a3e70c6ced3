"""The parts of a mechanism that move independently of each other, joined only by the ground: each has its own size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from structkin.model.mechanism import GROUND, Mechanism

_found: WeakKeyDictionary[Mechanism, Mapping[str, tuple[str, ...]]] = WeakKeyDictionary()


def points_of_parts(mechanism: Mechanism) -> Mapping[str, tuple[str, ...]]:
    """Return the points of the part that each moving link belongs to, in the order of the file.

    Parts are held together by joints and drivers between moving links. A part has the points of its links, and those
    points of the ground that its joints and drivers name.

    >>> import structkin as sk
    >>> frame = {"ground": ["A", "F"], "ram": ["B", "C"]}
    >>> guide = {"type": "prismatic", "links": ["ram", "ground"], "along": ["B", "C"], "at": "A"}
    >>> points = {"F": (90, 0), "A": (0, 0), "B": (1, 0), "C": (3, 0)}
    >>> points_of_parts(sk.Mechanism(points=points, links=frame, joints={"guide": guide}))
    {'ram': ('A', 'B', 'C')}
    """
    if mechanism not in _found:
        _found[mechanism] = _points_of_parts(mechanism)
    return _found[mechanism]


def _points_of_parts(mechanism: Mechanism) -> dict[str, tuple[str, ...]]:
    topology = mechanism.topology
    parts, items = dict[str, set[str]](), dict[str, list[str]]()
    joined = [(joint.id, joint.links) for joint in topology.joints]
    for item, ends in (*joined, *((driver.id, driver.links) for driver in topology.drivers)):
        items[item] = [link for link in links_at(mechanism, ends) if link != GROUND]
        own = {id(part): part for part in (parts.setdefault(link, {link}) for link in items[item])}
        part, *others = sorted(own.values(), key=len, reverse=True) or [set[str]()]
        for other in others:
            part |= other
            parts.update(dict.fromkeys(other, part))
    named = {id: set(_names(entry)) for id, entry in mechanism.source_dict.get("joints", {}).items()}
    named |= {id: {point for _, point in drive.ends or ()} for id, drive in mechanism.drivers.items()}
    points = {id(part): {point for link in part for point in mechanism.links[link].points} for part in parts.values()}
    for item, links in items.items():
        if links and item in named:
            points[id(parts[links[0]])] |= named[item]
    order = {point: place for place, point in enumerate(mechanism.places)}
    in_order = {key: tuple(sorted(own & order.keys(), key=order.__getitem__)) for key, own in points.items()}
    return {link: in_order[id(part)] for link, part in parts.items()}


def links_at(mechanism: Mechanism, ends: tuple[str, ...]) -> Iterator[str]:
    """Yield the links at the ends of a joint or driver; those of a pin, "@J", are all that share it."""
    for end in ends:
        yield from mechanism.topology.joint(end[1:]).links if end.startswith("@") else (end,)


def _names(entry: Any) -> Iterator[str]:
    """Yield the texts in an entry of the file, among which are the points that it names."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, Mapping):
        for value in entry.values():
            yield from _names(value)
    elif isinstance(entry, list | tuple):
        for value in entry:
            yield from _names(value)
