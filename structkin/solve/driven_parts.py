"""How large the part of a mechanism is that a driver moves: what is drawn around it says nothing about its steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from structkin.model.mechanism import GROUND, Mechanism

_found: WeakKeyDictionary[Mechanism, Mapping[str, float]] = WeakKeyDictionary()


def extents(mechanism: Mechanism) -> Mapping[str, float]:
    """Return the extent [m] of the part of a mechanism that each driver moves.

    Parts are joined by joints and drivers between moving links; the ground parts them. A part has the points of its
    links, and those points of the ground that its joints and drivers name. A single point is as large as everything.

    >>> import structkin as sk
    >>> frame = {"ground": ["A", "F"], "ram": ["B", "C"]}
    >>> guide = {"type": "prismatic", "links": ["ram", "ground"], "along": ["B", "C"], "at": "A"}
    >>> points = {"F": (90, 0), "A": (0, 0), "B": (1, 0), "C": (3, 0)}
    >>> extents(sk.Mechanism(points=points, links=frame, joints={"guide": guide}, drivers={"feed": {"joint": "guide"}}))
    {'feed': 3.0}
    """
    if mechanism not in _found:
        _found[mechanism] = _extents(mechanism)
    return _found[mechanism]


def _extents(mechanism: Mechanism) -> dict[str, float]:
    topology = mechanism.topology
    parts, items = dict[str, set[str]](), dict[str, list[str]]()
    for item in (*topology.joints, *topology.drivers):
        items[item.id] = [link for link in _links(mechanism, item.links) if link != GROUND]
        own = {id(part): part for part in (parts.setdefault(link, {link}) for link in items[item.id])}
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
    whole, found = _extent(mechanism, mechanism.places) or 1.0, dict[str, float]()
    for driver in topology.drivers:
        own_points = points[id(parts[items[driver.id][0]])] if items[driver.id] else set[str]()
        found[driver.id] = _extent(mechanism, [point for point in mechanism.places if point in own_points]) or whole
    return found


def _links(mechanism: Mechanism, ends: tuple[str, ...]) -> Iterator[str]:
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


def _extent(mechanism: Mechanism, points: Iterable[str]) -> float:
    """Return the largest distance of points from the first of them [m]."""
    places = np.array([mechanism.places[point] for point in points], complex)
    return float(np.max(np.abs(places - places[:1]), initial=0.0))
