"""Pass over the joints that couple turns: gears, belts, racks and rolling contacts, with their sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.geometry import TINY
from structkin.model.joints import SLOPPY
from structkin.model.parts import Guide, Link, Mesh
from structkin.model.schema import BeltEntry, GearEntry, MeshEntry, RackEntry, RollingEntry
from structkin.model.topology import Joint

#: How far sizes that say the same may differ: pitch radii are often rounded in a file.
AGREE = 1e-3
#: How far the sum of two pitch radii may miss the sketched distance of the centres.
APART = 0.01


def make_meshes(draft: Draft) -> None:
    """Fill `meshes`, with their joints and the guide of a contact that rolls on a line."""
    for id, entry in draft.joint_entries.items():
        if not isinstance(entry, MeshEntry):
            continue
        key = f"joints.{id}"
        mesh = draft.attempt(key, _mesh, draft, id, entry)
        if mesh is not None:
            draft.joints.setdefault(id, Joint(id, "K" if mesh.type == "rolling" else "G", mesh.links))
            draft.meshes[id] = mesh
            draft.unread.discard(key)


def _mesh(draft: Draft, id: str, entry: MeshEntry) -> Mesh | None:
    key = f"joints.{id}"
    known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(entry.links)]
    if entry.links[0] == entry.links[1]:
        raise Flaw(f"joins the link '{entry.links[0]}' to itself", "name two links")
    carrier = getattr(entry, "carrier", None)
    if carrier is not None:
        known.append(draft.has_link(f"{key}.carrier", carrier))
        if carrier in entry.links:
            raise Flaw(f"the carrier '{carrier}' is one of the two links", "it is the link that holds both centres")
    points = [*(getattr(entry, "along", None) or ()), *(getattr(entry, "centers", None) or ())]
    points += [point for point in (getattr(entry, "center", None),) if point is not None]
    known += [draft.has_point(key, point) for point in dict.fromkeys(points)]
    unread = any(problem.key.startswith(f"{key}.") for problem in draft.problems)
    if unread or not all(known) or any(link not in draft.links for link in entry.links):
        return None
    makers: Mapping[type[Any], Callable[..., Mesh | None]] = {
        GearEntry: _wheels,
        BeltEntry: _wheels,
        RackEntry: _rack,
        RollingEntry: _rolling,
    }
    return makers[type(entry)](draft, id, entry)


# --- gears and belts ------------------------------------------------------------------------------------------


def _wheels(draft: Draft, id: str, entry: GearEntry | BeltEntry) -> Mesh | None:
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
    kind = "belt" if belt else "gear"
    return Mesh(id, kind, entry.links, (ends[0], ends[1]), radii, ratio=ratio, carrier=carrier.name)


def _ratio(entry: GearEntry | BeltEntry, same: bool) -> float:
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


def _held(draft: Draft, key: str, entry: GearEntry | BeltEntry) -> tuple[Link, str, str] | None:
    """Return the carrier and the pins of the two links on it."""
    first, second = entry.links
    name = entry.carrier
    found = [*_carriers(draft, first, second, name)]
    if name is not None and not found:
        for link in entry.links:
            if not _shared(draft, name, link):
                draft.fault(key, f"no pin joins '{link}' to its carrier '{name}'", "name a point in both links")
        return None
    if entry.centers is not None:
        for link, point in zip(entry.links, entry.centers, strict=True):
            if point not in draft.links[link].local:
                draft.fault(f"{key}.centers", f"the point '{point}' is not on '{link}'", _points_of(draft, link))
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


def _shared(draft: Draft, one: str, other: str) -> list[str]:
    """Return the pins that join two links."""
    mine = draft.link_entries[one].points
    return [point for point in mine if point in draft.link_entries[other].points]


def _carriers(draft: Draft, first: str, second: str, name: str | None) -> Iterator[tuple[str, str, str]]:
    """Yield links that may be the carrier (all, or the one named), each with its pins to the two links."""
    for link in draft.link_entries:
        if link not in (first, second) and name in (None, link):
            for a in _shared(draft, link, first):
                yield from ((link, a, b) for b in _shared(draft, link, second))


def _points_of(draft: Draft, link: str) -> str:
    return f"its points: {', '.join(draft.links[link].local)}"


def _gear_radii(draft: Draft, entry: GearEntry | BeltEntry, distance: float, ratio: float) -> tuple[float, float]:
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


def _belt_radii(draft: Draft, entry: GearEntry | BeltEntry, distance: float, ratio: float) -> tuple[float, float]:
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


# --- racks ----------------------------------------------------------------------------------------------------


def _rack(draft: Draft, id: str, entry: RackEntry) -> Mesh | None:
    pinion, rack = (draft.links[link] for link in entry.links)
    ways = [
        (joint, link)
        for joint in draft.joints.values()
        if joint.kind == "P" and rack.name in joint.links
        for link in joint.links
        if link != rack.name and link != pinion.name
    ]
    found = [
        (joint.id, link, pin)
        for joint, link in ways
        if link in draft.link_entries and entry.carrier in (None, link)
        for pin in _shared(draft, link, pinion.name)
        if entry.center in (None, pin)
    ]
    if not found:
        entries = {f"joints.{name}": other for name, other in draft.joint_entries.items()}
        lost = [key for key in draft.unread if key.split(".")[0] == "joints"]
        if not draft.whole("links") or any(not isinstance(entries.get(key), MeshEntry) for key in lost):
            return None
        name = entry.carrier or "one link"
        raise Flaw(
            f"{name} has to hold '{pinion.name}' by a pin, and '{rack.name}' by a prismatic joint",
            "add the missing joint; carrier and center choose between several",
        )
    if len(found) > 1:
        shown = "; ".join(f"{link} (center {pin})" for _, link, pin in found)
        raise Flaw(f"has {len(found)} possible carriers: {shown}", "add carrier, center, or both")
    guide, carrier, center = draft.guides.get(found[0][0]), draft.links.get(found[0][1]), found[0][2]
    if guide is None or carrier is None:
        return None
    along = guide.direction * draft.links[guide.carrier].direction
    place = draft.points[center]
    side, radius = _pitch_line(draft, entry, rack, place, along)
    # The pinion's lowest point, on the side of the rack, moves along the line: travel = lever times turn.
    lever = radius * (1j * side * along.conjugate()).real
    lever = lever if guide.slider == rack.name else -lever
    foot = place + radius * side
    reach = [((draft.points[point] - foot) * along.conjugate()).real for point in rack.points]
    first, last = min(-2 * radius, *reach), max(2 * radius, *reach)
    line = (_into(rack, foot + first * along), _into(rack, foot + last * along))
    ends = (pinion.local[center], None)
    return Mesh(
        id, "rack", entry.links, ends, (radius, None), carrier=carrier.name, guide=guide.joint, lever=lever, line=line
    )


def _pitch_line(draft: Draft, entry: RackEntry, rack: Link, place: complex, along: complex) -> tuple[complex, float]:
    """Return the unit direction from the pinion's centre to the pitch line, and the pitch radius."""
    if entry.along is not None:
        for point in entry.along:
            if point not in rack.local:
                raise Flaw(f"'{point}' of along is not on the rack '{rack.name}'", _points_of(draft, rack.name))
        side, distance = _beside(draft, entry.along, place)
        if abs((side * along.conjugate()).real) > 1e-3:
            raise Flaw("the pitch line is not parallel to the guide of the rack", "check along, and axis of the guide")
        side = 1j * along * (1 if (side * along.conjugate()).imag > 0 else -1)
        if entry.radius is not None and abs(entry.radius - distance) > APART * distance:
            raise Flaw(
                f"the pitch radius {draft.show_length(entry.radius)} contradicts the sketch: the pitch line is "
                f"{draft.show_length(distance)} from the centre",
                "leave one of radius and along out",
            )
        return side, entry.radius or distance
    if entry.radius is None:
        raise Flaw("has no pitch radius", "give radius, or along = two points of the rack on its pitch line")
    across = ((draft.points[rack.points[0]] - place) * along.conjugate()).imag
    if abs(across) < 1e-6 * entry.radius:
        raise Flaw(
            f"it is not clear on which side of the pinion '{rack.name}' runs: its first point is level with the centre",
            "give along = two points of the rack on its pitch line",
        )
    return 1j * along * (1 if across > 0 else -1), entry.radius


def _beside(draft: Draft, along: tuple[str, str], place: complex) -> tuple[complex, float]:
    """Return unit direction and distance from a place to the line of two points in the sketch."""
    p, q = (draft.points[point] for point in along)
    if abs(q - p) <= TINY * (abs(p) + abs(q)):
        raise Flaw(f"'{along[0]}' and '{along[1]}' coincide in the sketch: no direction", "name two points of the line")
    way = (q - p) / abs(q - p)
    height = ((place - p) * way.conjugate()).imag
    if abs(height) <= TINY * abs(q - p):
        raise Flaw(f"the centre lies on the line {along[0]}-{along[1]} in the sketch", "draw it beside the line")
    return -1j * way if height > 0 else 1j * way, abs(height)


# --- rolling --------------------------------------------------------------------------------------------------


def _rolling(draft: Draft, id: str, entry: RollingEntry) -> Mesh | None:
    if entry.along is not None and (entry.centers or entry.radii or entry.internal is not None):
        raise Flaw("has 'along' beside what two circles need", "a line: radius, along; circles: radii, centers")
    if entry.along is not None:
        return _on_line(draft, id, entry, entry.along)
    if entry.centers is not None and entry.radii is not None:
        if entry.radius is not None or entry.center is not None:
            raise Flaw("has 'radius' or 'center' beside 'radii' and 'centers'", "two circles need the latter")
        return _on_circle(draft, id, entry, entry.centers, entry.radii)
    raise Flaw("does not say what it rolls on", 'give along = ["P", "Q"], or centers = ["C", "O"] and radii = [10, 30]')


def _on_line(draft: Draft, id: str, entry: RollingEntry, along: tuple[str, str]) -> Mesh:
    wheel, base = (draft.links[link] for link in entry.links)
    for point in along:
        if point not in base.local:
            raise Flaw(f"'{point}' of along is not on '{base.name}'", _points_of(draft, base.name))
    center = entry.center or wheel.points[0]
    if center not in wheel.local:
        raise Flaw(f"the centre '{center}' is not on '{wheel.name}'", _points_of(draft, wheel.name))
    place = draft.points[center]
    side, distance = _beside(draft, along, place)
    radius = distance if entry.radius is None else entry.radius
    if abs(radius - distance) > SLOPPY * radius:
        raise Flaw(
            f"in the sketch the centre '{center}' is {draft.show_length(distance)} from the line, not its radius "
            f"{draft.show_length(radius)}",
            "draw the circle on its line",
        )
    p, q = base.local[along[0]], base.local[along[1]]
    way = (q - p) / abs(q - p)
    above = (side * (base.direction * way).conjugate()).imag < 0
    offset = radius if above else -radius
    start = ((_into(base, place) - p) * way.conjugate()).real
    draft.guides[id] = Guide(id, base.name, wheel.name, p, way, wheel.local[center], offset, start, None, at=place)
    # A circle above its line that turns counter-clockwise rolls backwards.
    centers = (wheel.local[center], None)
    return Mesh(id, "rolling", entry.links, centers, (radius, None), guide=id, lever=-offset, line=(p, q))


def _on_circle(
    draft: Draft, id: str, entry: RollingEntry, centers: tuple[str, str], radii: tuple[float, float]
) -> Mesh:
    ends = [draft.links[link] for link in entry.links]
    for link, point in zip(ends, centers, strict=True):
        if point not in link.local:
            raise Flaw(f"the centre '{point}' is not on '{link.name}'", _points_of(draft, link.name))
    sign = 1.0 if entry.internal else -1.0
    if entry.internal and radii[0] == radii[1]:
        raise Flaw("circles of one size cannot roll inside each other", "leave internal out, or check radii")
    mesh = Mesh(
        id, "rolling", entry.links, (ends[0].local[centers[0]], ends[1].local[centers[1]]), radii,
        ratio=sign * radii[1] / radii[0],
    )  # fmt: skip
    distance = abs(draft.points[centers[0]] - draft.points[centers[1]])
    if abs(distance - mesh.reach) > SLOPPY * mesh.reach:
        raise Flaw(
            f"in the sketch the centres are {draft.show_length(distance)} apart, not {draft.show_length(mesh.reach)}",
            "internal = true for a circle inside the other; else draw the circles in touch",
        )
    return mesh


def _into(link: Link, place: complex) -> complex:
    """Return a place of the sketch in the frame of a link."""
    return link.direction.conjugate() * (place - link.origin)
