"""Third pass: pins from shared points, and the guides of prismatic joints and slots."""

from __future__ import annotations

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.pair import Pair
from structkin.joints.prismatic import Prismatic
from structkin.joints.revolute import Revolute
from structkin.joints.slot import Slot
from structkin.model.cam_joints import make_cam
from structkin.model.draft import GROUND, Draft
from structkin.model.flaw import Flaw
from structkin.model.geneva_joints import make_geneva, size_pins
from structkin.model.geometry import TINY, unit_direction
from structkin.model.joint_schema import CamEntry, GenevaEntry, PrismaticEntry, SlotEntry
from structkin.model.parts import Link
from structkin.model.topology import Joint, suggest

#: How far beside its slot a pin may be sketched, in lengths of the slot.
SLOPPY = 0.1


def make_joints(draft: Draft) -> None:
    """Make the pins, in the order of the points, and the joints of the file but those that couple turns."""
    for point in draft.points:
        held = draft.holders.get(point, [])
        if len(held) > 1:
            draft.joints[point] = Revolute(point, tuple(held))
    size_pins(draft)
    # A cam looks at the joints of its shaft and of its follower: it comes last.
    for id, entry in sorted(draft.joint_entries.items(), key=lambda item: isinstance(item[1], CamEntry)):
        key = f"joints.{id}"
        draft.unread.add(key)  # until it is made
        made: Joint | Pair | None
        if isinstance(entry, PrismaticEntry):
            made = draft.attempt(key, _prismatic, draft, id, entry)
        elif isinstance(entry, CamEntry):
            made = draft.attempt(key, make_cam, draft, id, entry)
        elif isinstance(entry, GenevaEntry):
            made = draft.attempt(key, make_geneva, draft, id, entry)
        elif isinstance(entry, SlotEntry):
            made = draft.attempt(key, _slot, draft, id, entry)
        else:
            continue  # made by `make_meshes`
        if made is not None:
            draft.joints.setdefault(id, made)
            draft.unread.discard(key)


def _prismatic(draft: Draft, id: str, entry: PrismaticEntry) -> Joint | Prismatic | None:
    key = f"joints.{id}"
    known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(entry.links)]
    if entry.links[0] == entry.links[1]:
        raise Flaw(f"joins the link '{entry.links[0]}' to itself", "name two links")
    if isinstance(entry.at, str):
        known.append(draft.has_point(f"{key}.at", entry.at))
    holders = list(entry.links)
    known.append(_check_line(draft, key, entry, holders))
    if not all(known):
        return None
    carrier, slider = entry.links if entry.links[1] != GROUND else (entry.links[1], entry.links[0])
    if carrier not in draft.links or slider not in draft.links:
        return Joint(id, "P", entry.links)  # their own mistakes are told already
    return _made_prismatic(draft, id, entry, draft.links[carrier], draft.links[slider])


def _made_prismatic(draft: Draft, id: str, entry: PrismaticEntry, carrier: Link, slider: Link) -> Prismatic:
    at = entry.at if entry.at is not None else slider.points[0]
    place = draft.points[at] if isinstance(at, str) else at

    def on(link: Link) -> complex:
        """Place of the reference point in the frame of a link: exact if the link has it."""
        exact = link.local.get(at) if isinstance(at, str) else None
        return _into(link, place) if exact is None else exact

    turn = slider.direction * carrier.direction.conjugate()
    turn /= abs(turn)
    point, origin, offset, start = on(slider), on(carrier), 0.0, 0.0
    if entry.axis is not None:
        direction = carrier.direction.conjugate() * entry.axis
    else:
        assert entry.along is not None
        p, q = entry.along
        if p in carrier.local and q in carrier.local:
            direction = unit_direction(carrier.local, p, q)
            # the line goes through P; the slider's point runs beside it as far as it is sketched
            step = direction.conjugate() * (origin - carrier.local[p])
            origin = carrier.local[p]
            offset = step.imag if abs(step.imag) > 1e-9 * abs(step) else 0.0
            start = step.real
        else:
            direction = turn * unit_direction(slider.local, p, q)
            point, origin = slider.local[p], _into(carrier, draft.points[p])
    return Prismatic(
        id, entry.links, carrier=carrier.name, slider=slider.name, origin=origin, direction=direction / abs(direction),
        point=point, offset=offset, start=start, turn=turn, at=place,
    )  # fmt: skip


def _slot(draft: Draft, id: str, entry: SlotEntry) -> Joint | Slot | CircularSlot | None:
    key = f"joints.{id}"
    known = [draft.has_link(f"{key}.slot", entry.slot), draft.has_point(f"{key}.pin", entry.pin)]
    if entry.on is not None:
        known.append(draft.has_link(f"{key}.on", entry.on))
    known.append(_check_curve(draft, key, entry))
    if not all(known):
        return None
    held = draft.holders.get(entry.pin, [])
    if entry.slot in held:
        raise Flaw(
            f"the pin '{entry.pin}' is a point of '{entry.slot}', whose slot it slides in", "it is on other links"
        )
    if entry.on is not None and entry.on not in held:
        raise Flaw(f"the pin '{entry.pin}' is not on the link '{entry.on}'", _held(held))
    if not held:
        return None  # told by `check_use`
    slider = entry.on or (GROUND if GROUND in held else held[0])
    end = f"@{entry.pin}" if entry.on is None and len(held) > 1 else slider
    links = end, entry.slot
    if entry.slot not in draft.links or slider not in draft.links:
        return Joint(id, "S", links)
    carrier, place = draft.links[entry.slot], draft.points[entry.pin]
    point, there = draft.links[slider].local[entry.pin], _into(carrier, place)
    if entry.center is not None:
        center = carrier.local[entry.center]
        radius = abs(there - center) if entry.radius is None else entry.radius
        if radius <= TINY * abs(center) or radius == 0:
            raise Flaw(f"in the sketch the pin '{entry.pin}' is at the centre of its slot", "give radius = 50")
        return CircularSlot(id, links, carrier=carrier.name, slider=slider, center=center, point=point, radius=radius)
    if entry.axis is not None:
        direction = carrier.direction.conjugate() * entry.axis
        return Slot(
            id, links, carrier=carrier.name, slider=slider, origin=there, direction=direction, point=point, at=place
        )
    assert entry.along is not None
    p, q = entry.along
    direction = unit_direction(carrier.local, p, q)
    step = direction.conjugate() * (there - carrier.local[p])
    size = abs(carrier.local[q] - carrier.local[p])
    if abs(step.imag) > SLOPPY * size:
        raise Flaw(
            f"in the sketch the pin '{entry.pin}' is {draft.show_length(abs(step.imag))} beside the line {p}-{q}",
            "draw it on the line, or give the slot an axis instead",
        )
    # the pin runs on the line P-Q itself: a rounded sketch does not shift the slot
    return Slot(
        id, links, carrier=carrier.name, slider=slider, origin=carrier.local[p], direction=direction, point=point,
        start=step.real, at=place,
    )  # fmt: skip


def _check_curve(draft: Draft, key: str, entry: SlotEntry) -> bool:
    """Tell whether the middle line of a slot can be made, straight or circular; complain if not."""
    if entry.center is None:
        if entry.radius is not None:
            draft.fault(f"{key}.radius", "a straight slot has no radius", 'give the center of a circular one: "M"')
        return _check_line(draft, key, entry, [entry.slot])
    if entry.axis is not None or entry.along is not None:
        draft.fault(key, "has a center beside an axis or along", "a slot is circular or straight")
        return False
    if not draft.has_point(f"{key}.center", entry.center):
        return False
    if entry.slot in draft.link_entries and entry.slot not in draft.holders.get(entry.center, []):
        held = _held(draft.holders.get(entry.center, []))
        draft.fault(f"{key}.center", f"'{entry.center}' is not a point of '{entry.slot}'", f"it {held}")
        return False
    return True


def _check_line(draft: Draft, key: str, entry: PrismaticEntry | SlotEntry, holders: list[str]) -> bool:
    """Tell whether the line of a guide can be made; complain if not."""
    if (entry.axis is None) == (entry.along is None):
        if entry.axis is not None:
            draft.fault(key, "has both an axis and along", "keep one")
        elif not any(problem.key in (f"{key}.axis", f"{key}.along") for problem in draft.problems):
            draft.fault(key, "has no direction", 'give axis = [1, 0], or along = ["P", "Q"]')
        return False
    if entry.along is None:
        return True
    p, q = entry.along
    if p == q:
        draft.fault(f"{key}.along", f"names the point '{p}' twice", "name two points of one link")
        return False
    if not draft.has_points(f"{key}.along", entry.along):
        return False
    links = [link for link in holders if p in _points(draft, link) and q in _points(draft, link)]
    if not links:
        if all(link in draft.link_entries for link in holders):
            draft.fault(
                f"{key}.along",
                f"'{p}' and '{q}' are not both on {' or on '.join(holders)}",
                f"{_where(draft, entry.along)}",
            )
        return False
    if abs(draft.points[p] - draft.points[q]) <= TINY * (abs(draft.points[p]) + abs(draft.points[q])):
        draft.fault(f"{key}.along", f"'{p}' and '{q}' coincide in the sketch: no direction")
        return False
    return True


def _points(draft: Draft, link: str) -> tuple[str, ...]:
    entry = draft.link_entries.get(link)
    return () if entry is None else entry.points


def _where(draft: Draft, points: tuple[str, ...]) -> str:
    return "; ".join(f"'{point}' {_held(draft.holders.get(point, []))}" for point in points)


def _held(held: list[str]) -> str:
    return f"is on {', '.join(held)}" if held else "is on no link"


def _into(link: Link, place: complex) -> complex:
    """Return a place of the sketch in the frame of a link."""
    return link.direction.conjugate() * (place - link.origin)


def check_use(draft: Draft) -> None:
    """Complain of points on no link, and of a ground that holds nothing."""
    if not draft.whole("links"):
        return
    located = {entry.at for entry in draft.joint_entries.values() if isinstance(entry, PrismaticEntry)}
    for point in draft.points:
        if point not in draft.holders and point not in located:
            unknown = [
                name for entry in draft.link_entries.values() for name in entry.points if name not in draft.points
            ]
            close = suggest(point, unknown) if unknown else ""
            draft.fault(
                f"points.{point}",
                "the point is on no link",
                close if close.startswith("did") else "add it to a link, or delete it",
            )
    if GROUND not in draft.link_entries or not draft.whole("joints") or not draft.whole("drivers"):
        return
    ends = [end for joint in draft.joints.values() for end in joint.links]
    ends += [end for driver in draft.drivers.values() for end in driver.links]
    on_ground = {f"@{point}" for point, held in draft.holders.items() if GROUND in held}
    if len(draft.link_entries) > 1 and not any(end == GROUND or end in on_ground for end in ends):
        draft.fault(
            "links.ground", "no joint joins the ground to a moving link", "name a point of the ground in another link"
        )
