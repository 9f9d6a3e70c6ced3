"""Links that only spin about a pin of another moving link, such as a roller on its follower: they ride with that link.

Nothing determines their angle, and nothing depends on it: left free, they would stop every motion of the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from structkin.model.draft import GROUND, Draft
from structkin.model.topology import Topology


def riders(draft: Draft, topology: Topology) -> tuple[dict[str, Any], list[str]]:
    """Return entries of [joints] by which idle links ride with others, and a note on each.

    These are idle links without inertia, of a single point or on a pin that others share or that slides: rollers, for
    instance. An arm on a pin of its own is not idle but not yet driven; and so are all where more drivers are missing,
    but for links of a single point on a pin in a slot or at a cam.
    """
    touched = {end for joint in topology.joints for end in joint.links}

    def slides(pin: str) -> bool:
        return f"@{pin}" in touched

    found = [
        one
        for one in _idle(draft, topology)
        if len(draft.links[one[0]].local) == 1 or slides(one[2]) or len(draft.holders.get(one[2], ())) > 2
    ]
    if not topology.drivers or topology.mobility_count - len(topology.drivers) != len(found):
        found = [one for one in found if len(draft.links[one[0]].local) == 1 and slides(one[2])]
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


def _idle(draft: Draft, topology: Topology) -> Iterator[tuple[str, str, str]]:
    """Yield each idle link with the link that carries it and the pin."""
    ends = Counter(end for joint in topology.joints for end in joint.links)
    ends.update(end for driver in topology.drivers for end in driver.links)
    named = set(_words([*draft.forces.loads.values(), list(draft.initial_data)]))
    for joint in topology.joints:
        if joint.kind != "R" or GROUND in joint.links:
            continue
        idle = [link for link in joint.links if ends[link] == 1 and _is_light(draft, link, joint.id, named)]
        carrier = next((link for link in joint.links if link not in idle), None)
        if carrier is not None:
            yield from ((link, carrier, joint.id) for link in idle)


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
