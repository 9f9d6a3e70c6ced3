"""Gears and belts: their ratio, the carrier of their centres, and their radii."""

from __future__ import annotations

from collections.abc import Iterator

from structkin.joints.belt import Belt
from structkin.joints.gear import Gear
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.joint_schema import BeltEntry, GearEntry, WheelsEntry
from structkin.model.mesh_geometry import APART, points_of, shared_pins
from structkin.model.parts import Link

#: How far sizes that say the same may differ: pitch radii are often rounded in a file.
AGREE = 1e-3


def make_wheels(draft: Draft, id: str, entry: GearEntry | BeltEntry) -> Gear | Belt | None:
    """Return two gears or pulleys; None where what they need has mistakes of its own."""
    belt = isinstance(entry, BeltEntry)
    flag = entry.crossed if isinstance(entry, BeltEntry) else entry.internal
    name = "crossed" if belt else "internal"
    # The two turn in one sense under an open belt, and where one gear runs inside the other.
    same = flag is None if belt else False
    if flag is not None:
        same = flag != belt
    elif entry.ratio is not None:
        same = entry.ratio > 0
    ratio = _ratio(entry, same)
    if ((ratio if entry.ratio is None else entry.ratio) > 0) != same:
        hint = "of gears it is negative, inside an internal gear positive; open belts positive, crossed ones negative"
        raise Flaw(f"the ratio {entry.ratio or ratio:g} contradicts {name} = {str(flag).lower()}", hint)
    held = _held(draft, f"joints.{id}", entry)
    if held is None:
        return None
    carrier, *pins = held
    ends = [draft.links[link].local[pin] for link, pin in zip(entry.links, pins, strict=True)]
    distance = abs(carrier.local[pins[1]] - carrier.local[pins[0]])
    radii = _belt_radii(draft, entry, distance, ratio) if belt else _gear_radii(draft, entry, distance, ratio)
    made = Belt if belt else Gear
    return made(id, links=entry.links, centers=(ends[0], ends[1]), radii=radii, ratio=ratio, arm=carrier.name)


def _ratio(entry: WheelsEntry, same: bool) -> float:
    """Return omega_1 / omega_2 seen from the carrier: what is given more than once has to agree."""
    sign = 1.0 if same else -1.0
    found = {}
    if entry.teeth is not None:
        found["teeth"] = sign * entry.teeth[1] / entry.teeth[0]
    if entry.ratio is not None:
        found["ratio"] = entry.ratio
    if entry.radii is not None:
        found["radii"] = sign * entry.radii[1] / entry.radii[0]
    if not found:
        raise Flaw("has no ratio", "give teeth = [20, 40], or radii = [10, 20], or ratio = -2 (omega_1 / omega_2)")
    first = next(iter(found))
    for other, value in found.items():
        if abs(abs(value) - abs(found[first])) > AGREE * abs(value):
            raise Flaw(
                f"{first} and {other} contradict each other: omega_1 / omega_2 is {found[first]:g} or {value:g}",
                "keep one of them; radius and teeth of a gear go with the inverse of its speed",
            )
    return found[first]


def _held(draft: Draft, key: str, entry: WheelsEntry) -> tuple[Link, str, str] | None:
    """Return the carrier and the pins of the two links on it."""
    first, second = entry.links
    name = entry.carrier
    found = [*_carriers(draft, first, second, name)]
    if name is not None and not found:
        for link in entry.links:
            if not shared_pins(draft, name, link):
                draft.fault(key, f"no pin joins '{link}' to its carrier '{name}'", "name a point in both links")
        return None
    if entry.centers is not None:
        for link, point in zip(entry.links, entry.centers, strict=True):
            if point not in draft.links[link].local:
                draft.fault(f"{key}.centers", f"the point '{point}' is not on '{link}'", points_of(draft, link))
                return None
        found = [one for one in found if one[1:] == entry.centers]
    apart = [one for one in found if draft.points[one[1]] != draft.points[one[2]]]
    if found and not apart and (name is not None or entry.centers is not None):
        hint = "a bevel differential is drawn as one of spur gears: two planets between the suns"
        raise Flaw(f"its centres coincide on '{found[0][0]}': two wheels on one axis cannot mesh", hint)
    found = apart
    if len(found) == 1:
        carrier, a, b = found[0]
        return None if carrier not in draft.links else (draft.links[carrier], a, b)
    if found:
        names = list(dict.fromkeys(one[0] for one in found))
        if len(names) > 1:
            raise Flaw(f"has {len(names)} possible carriers: {', '.join(names)}", f'add carrier = "{names[0]}"')
        raise Flaw(f"its centres on '{names[0]}' are not clear", f'add centers = ["{found[0][1]}", "{found[0][2]}"]')
    if draft.whole("links"):
        raise Flaw(
            f"no link holds both centres: there is no carrier of '{first}' and '{second}'",
            "pin both to one link (or the ground) at their centres, in two points",
        )
    return None


def _carriers(draft: Draft, first: str, second: str, name: str | None) -> Iterator[tuple[str, str, str]]:
    """Yield links that may be the carrier (all, or the one named), each with its pins to the two links."""
    for link in draft.link_entries:
        if link not in (first, second) and name in (None, link):
            for a in shared_pins(draft, link, first):
                yield from ((link, a, b) for b in shared_pins(draft, link, second))


def _gear_radii(draft: Draft, entry: WheelsEntry, distance: float, ratio: float) -> tuple[float, float]:
    """Return the pitch radii that fit the distance of the centres."""
    if entry.radii is not None:
        first, second = entry.radii
        wanted = abs(first - second) if ratio > 0 else first + second
        if abs(wanted - distance) > APART * (first + second):
            word = "differ by" if ratio > 0 else "add up to"
            raise Flaw(
                f"the pitch radii {word} {draft.show_length(wanted)}, but the centres are "
                f"{draft.show_length(distance)} apart",
                "internal = true for a gear inside a ring" if ratio < 0 else "check radii and sketch",
            )
    if ratio == 1:
        raise Flaw("an internal pair of ratio 1 cannot have its centres apart", "two equal gears run outside")
    # r_2 / r_1 = |ratio|, and distance = r_1 + r_2, or their difference
    first = distance / abs(1 - ratio)
    return first, first * abs(ratio)


def _belt_radii(draft: Draft, entry: WheelsEntry, distance: float, ratio: float) -> tuple[float, float]:
    """Return the radii of pulleys; ones that are not given are drawn a quarter of the distance large."""
    if entry.radii is None:
        large = 0.25 * distance
        return (large / abs(ratio), large) if abs(ratio) > 1 else (large, large * abs(ratio))
    first, second = entry.radii
    least = abs(first - second) if ratio > 0 else first + second
    if distance <= least:
        raise Flaw(
            f"a belt over pulleys of these radii needs centres more than {draft.show_length(least)} apart; "
            f"they are {draft.show_length(distance)} apart",
            "check radii and sketch",
        )
    return entry.radii
