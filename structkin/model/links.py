"""Second pass: which links have which points, and the exact geometry of every link."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from structkin.model.draft import GROUND, Draft
from structkin.model.geometry import frame, place
from structkin.model.masses import MassProperties, mass_properties
from structkin.model.parts import Link
from structkin.model.topology import suggest


def make_links(draft: Draft) -> None:
    """Fill `holders` and `links`."""
    _check_ground(draft)
    sound = [name for name in draft.link_entries if _check_points(draft, name)]
    _check_lengths(draft)
    given: dict[str, list[frozenset[str]]] = {}
    for pair in draft.lengths:
        for name in _common(draft, tuple(pair)):
            given.setdefault(name, []).append(pair)
    for name in sound:
        link = draft.attempt(f"links.{name}", _link, draft, name, given.get(name, []))
        if link is not None:
            draft.links[name] = link


def _check_ground(draft: Draft) -> None:
    if "links" in draft.unread:
        return
    if draft.whole("links") and not [name for name in draft.link_entries if name != GROUND]:
        draft.fault("links", "there is no moving link", 'such as crank = ["A", "B"]')
    if GROUND not in draft.link_entries and not draft.excused("links", GROUND):
        close = suggest(GROUND, draft.link_entries)
        hint = close if close.startswith("did") else 'name the fixed link: ground = ["A", "D"]'
        draft.fault("links", "there is no link 'ground'", hint)
        draft.unread.add(f"links.{GROUND}")  # its pins are not missed as well


def _check_points(draft: Draft, name: str) -> bool:
    key = f"links.{name}"
    points = draft.link_entries[name].points
    sound = True
    if not points and name != GROUND:
        draft.fault(key, "the link has no point", "a moving link needs at least one")
        sound = False
    seen: set[str] = set()
    for point in points:
        if point in seen:
            draft.fault(key, f"names the point '{point}' twice", "delete one")
            sound = False
            continue
        seen.add(point)
        sound = draft.has_point(key, point) and sound
        draft.holders.setdefault(point, []).append(name)
    return sound


def _common(draft: Draft, points: Sequence[str]) -> list[str]:
    first, *others = points
    return [
        name for name in draft.holders.get(first, ()) if all(name in draft.holders.get(other, ()) for other in others)
    ]


def _check_lengths(draft: Draft) -> None:
    if not draft.whole("links"):
        return
    for pair in draft.lengths:
        if not _common(draft, tuple(pair)):
            a, b = sorted(pair, key=list(draft.points).index)
            links = ", ".join(f"'{end}' is on {' and '.join(draft.holders.get(end, ['no link']))}" for end in (a, b))
            draft.fault(f"lengths.{a}-{b}", "no link has both points, so their distance is not fixed", links)


def _link(draft: Draft, name: str, given: Sequence[frozenset[str]]) -> Link:
    entry = draft.link_entries[name]
    origin, direction = frame([draft.points[point] for point in entry.points])
    if name == GROUND:
        origin, direction = 0j, 1 + 0j
    local = {point: direction.conjugate() * (draft.points[point] - origin) for point in entry.points}
    if name != GROUND and len(entry.points) > 1:
        # on the x axis to the last bit, as the frame is defined by it
        local[entry.points[1]] = abs(draft.points[entry.points[1]] - origin) + 0j
    if given:
        local = place(entry.points, local, {pair: draft.lengths[pair] for pair in given}, draft.show_length)
    center = None if entry.center is None else direction.conjugate() * (entry.center - origin)
    inertial = mass_properties(draft, name, local, center) or MassProperties()
    return Link(
        name=name,
        points=entry.points,
        local=MappingProxyType(local),
        origin=origin,
        direction=direction,
        mass=inertial.mass,
        center=inertial.center,
        inertia=inertial.inertia,
    )
