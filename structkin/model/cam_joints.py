"""Cams of a file: which shaft and which joint a cam with a law has, and where its follower stands at the lift 0."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from structkin.errors import InputError
from structkin.groups.periodic import Follow
from structkin.model.cam_laws import CamLaw, Segment, flaws_of
from structkin.model.cams import Cam, Follower
from structkin.model.draft import GROUND, Draft
from structkin.model.flaw import Flaw, describe
from structkin.model.joint_schema import CamEntry
from structkin.model.parts import Link
from structkin.model.profile_joints import make_profile_cam, profile_rows
from structkin.model.topology import Joint, suggest

CONTACTS = ("roller", "knife-edge", "flat")
DIRECTIONS = {"counter-clockwise": 1, "clockwise": -1}

_SEGMENT = '{ motion = "cycloidal", over = 120, to = 20 }'


def make_cam(draft: Draft, id: str, entry: CamEntry) -> Joint | None:
    """Return the joint of a cam and put its geometry into `draft.cams`; None where its links are not known.

    Every mistake is told: what is wrong with one key does not hide what is wrong with another.
    """
    key = f"joints.{id}"
    known = [draft.has_link(f"{key}.{name}", getattr(entry, name)) for name in ("cam", "follower")]
    carried = entry.carrier is None or draft.has_link(f"{key}.carrier", entry.carrier)
    points = [point for point in (entry.at, *(entry.face or ())) if point is not None]
    placed = [draft.has_point(f"{key}.{'face' if point != entry.at else 'at'}", point) for point in points]
    # A radius that cannot be read is told already; it must not be missed as well.
    broken = any(problem.key.startswith(f"{key}.") for problem in draft.problems)
    told = len(draft.problems)
    contact = None if broken else draft.attempt(key, _contact, entry)
    sense = draft.attempt(f"{key}.direction", _sense, entry.direction or "counter-clockwise")
    given = _sources(entry)
    for flaw in _odd(entry, given):
        draft.fault(key, flaw.message, flaw.hint)
    if entry.cam == entry.follower:
        draft.fault(key, f"the cam '{entry.cam}' is its own follower", "name two links")
    for point, there in zip(points, placed, strict=True):
        if there and known[1] and entry.follower not in draft.holders.get(point, []):
            message = f"'{point}' is not a point of the follower '{entry.follower}'"
            draft.fault(key, message, _points_of(draft, entry.follower))
    whole = all(known) and entry.cam != entry.follower
    joint = Joint(id, "C", (entry.cam, entry.follower)) if whole else None
    tables = {}
    for name in given:
        if name != "law":
            tables[name] = draft.attempt(f"{key}.{name}", profile_rows, draft, f"{key}.{name}", entry, name)
    mounted = None
    if "law" in given:
        mounted = draft.attempt(key, _joints_of, draft, entry) if whole and carried else None
        law = _law(draft, key, entry, None if mounted is None else mounted[2].kind == "R")
    if joint is None or contact is None or sense is None or len(given) != 1 or len(draft.problems) > told:
        return joint
    if mounted is None:
        if entry.cam in draft.links and entry.follower in draft.links:
            (name, rows), *_ = tables.items()
            assert rows is not None
            own = f"{key}.{name}"
            cam = draft.attempt(own, make_profile_cam, draft, own, id, entry, contact, rows)
            if cam is not None:
                draft.profiles[id] = cam
        return joint
    # Links with mistakes of their own are missing here.
    if law is not None and all(link in draft.links for link in (entry.cam, entry.follower, mounted[0])):
        draft.cams[id] = _cam(draft, id, entry, contact, sense, mounted, law)
    return joint


def _sources(entry: CamEntry) -> list[str]:
    return [name for name in ("law", "profile", "outline", "csv") if getattr(entry, name) is not None]


def _odd(entry: CamEntry, given: list[str]) -> Iterator[Flaw]:
    """Yield what does not fit together: a cam has either a law or one profile, and keys that belong to it."""
    if not given:
        yield Flaw("has neither a law nor a profile", f"law = [{_SEGMENT}, ...], or profile = [[0, 30], [90, 32], ...]")
    elif len(given) > 1:
        yield Flaw(f"has {' and '.join(given)}", "a cam has one of law, profile, outline, csv")
    elif given != ["law"]:
        stray = [name for name in ("base", "start", "direction", "carrier") if getattr(entry, name) is not None]
        if stray:
            verb = "belongs" if len(stray) == 1 else "belong"
            yield Flaw(f"has {' and '.join(stray)}, which {verb} to a law", "a profile says where it is by itself")
        if entry.contact == "flat" and entry.face is None and entry.at is not None:
            yield Flaw("a flat face on a profile needs two points", 'face = ["F", "G"]')
    elif entry.center is not None:
        yield Flaw("has a center, which belongs to a profile", "a law turns about the cam's shaft")


def _contact(entry: CamEntry) -> str:
    """Return the kind of contact, given or told by what is given beside it."""
    contact = entry.contact
    if contact is None:
        contact = "roller" if entry.radius is not None else "flat" if entry.face is not None else None
    if contact is None:
        raise Flaw(
            "does not say what touches the cam", "radius = 10 of a roller, face = [...], or contact = 'knife-edge'"
        )
    if contact not in CONTACTS:
        raise Flaw(f"the contact '{contact}' is unknown", suggest(contact, CONTACTS))
    if contact == "roller" and entry.radius is None:
        raise Flaw("has a roller without a radius", "such as radius = 10")
    if contact != "roller" and entry.radius is not None:
        raise Flaw(f"has the radius of a roller, but its contact is {contact}", "delete one of the two")
    if contact != "flat" and entry.face is not None:
        raise Flaw(f"has a flat face, but its contact is {contact}", "delete one of the two")
    if contact != "flat" and entry.at is None:
        where = "the roller's centre" if contact == "roller" else "the edge"
        raise Flaw(f"'at' is missing: {where}, a point of the follower", 'such as at = "Q"')
    if contact == "flat" and (entry.at is None) == (entry.face is None):
        what = "neither 'at' nor 'face'" if entry.at is None else "'at' beside 'face'"
        raise Flaw(
            f"has {what}", 'face = ["F", "G"] are two points of it; at = "F" is one, the face square to the stroke'
        )
    return contact


def _sense(direction: str) -> int:
    if direction not in DIRECTIONS:
        raise Flaw(f"the direction '{direction}' is unknown", suggest(direction, DIRECTIONS))
    return DIRECTIONS[direction]


def _points_of(draft: Draft, link: str) -> str:
    return f"it has {', '.join(draft.link_entries[link].points)}"


def _joints_of(draft: Draft, entry: CamEntry) -> tuple[str, Joint, Joint]:
    """Return the carrier, its pin with the cam, and its joint with the follower."""
    found = []
    for link in draft.link_entries if entry.carrier is None else (entry.carrier,):
        pins = [j for j in draft.joints.values() if j.kind == "R" and {link, entry.cam} <= set(j.links)]
        guides = [j for j in draft.joints.values() if j.kind in "RP" and {link, entry.follower} <= set(j.links)]
        if link not in (entry.cam, entry.follower) and pins and guides:
            found.append((link, pins[0], guides[0]))
    grounded = [item for item in found if item[0] == GROUND]
    if grounded or len(found) == 1:
        return (grounded or found)[0]
    if found:
        names = ", ".join(item[0] for item in found)
        raise Flaw(f"both {names} carry the cam and its follower", f'add carrier = "{found[0][0]}"')
    who = f"'{entry.carrier}' does not carry" if entry.carrier else "no link carries"
    raise Flaw(
        f"{who} both the cam '{entry.cam}' by a pin and the follower '{entry.follower}' by a pin or a prismatic joint",
        "a law needs one link, mostly the ground, that has both joints",
    )


def _law(draft: Draft, key: str, entry: CamEntry, angular: bool | None) -> CamLaw | None:
    """Return the law of an entry; `angular` tells whether its lift is an angle, None that this is not known."""
    rows = entry.law
    if not isinstance(rows, list | tuple) or not rows:
        found = "an empty list" if isinstance(rows, list | tuple) else describe(rows)
        draft.fault(f"{key}.law", f"expected a list of segments, found {found}", f"such as [{_SEGMENT}]")
        return None
    segments = []
    for k, row in enumerate(rows, 1):
        flaws, segment = _segment(draft, row, angular)
        for flaw in flaws:
            draft.fault(f"{key}.law", f"segment {k}: {flaw.message}", flaw.hint)
        segments += [] if segment is None else [segment]
    if len(segments) < len(rows):
        return None
    try:
        return CamLaw(segments)
    except InputError as error:
        for problem in error.problems:
            draft.fault(f"{key}.law", f"its segments {problem.message}", problem.hint)
        return None


def _segment(draft: Draft, row: Any, angular: bool | None) -> tuple[list[Flaw], Segment | None]:
    """Return everything that is wrong with a segment, and the segment where nothing is."""
    if not isinstance(row, Mapping):
        return [Flaw(f"expected a table {{ ... }}, found {describe(row)}", f"such as {_SEGMENT}")], None
    names = ("motion", "over", "to")
    flaws = [Flaw(f"unknown key '{name}'", suggest(str(name), names)) for name in row if name not in names]
    flaws += [Flaw(f"'{name}' is missing", f"such as {_SEGMENT}") for name in names[:2] if name not in row]
    # What is missing or cannot be read is told once; the rest is checked beside something that fits.
    fields: dict[str, Any] = {"motion": row.get("motion", "dwell"), "over": 1.0, "to": None if "to" not in row else 0.0}
    kinds = ["angle" if angular else "length"] if angular is not None else ["length", "angle"]
    for name, quantities in (("over", ["angle"]), ("to", kinds)):
        if name in row:
            try:
                fields[name] = _any_quantity(draft, row[name], quantities)
            except Flaw as flaw:
                flaws.append(flaw)
    if "motion" in row:
        flaws += flaws_of(**fields)
    elif fields["over"] <= 0:
        flaws.append(Flaw(f"the angle {row['over']} is not greater than zero"))
    return flaws, None if flaws else Segment(**fields)


def _any_quantity(draft: Draft, value: Any, kinds: Sequence[str]) -> float:
    """Return a value in SI, of the first kind that it fits."""
    for kind in kinds[:-1]:
        try:
            return draft.units.quantity(value, kind)
        except Flaw:
            continue
    return draft.units.quantity(value, kinds[-1])


def _cam(
    draft: Draft, id: str, entry: CamEntry, contact: str, sense: int, joints: tuple[str, Joint, Joint], law: CamLaw
) -> Cam:
    """Place the follower at the lift 0 and tell what its joint does then."""
    carrier, shaft, guide = joints
    cam, follower, base = (draft.links[name] for name in (entry.cam, entry.follower, carrier))
    pivot = base.local[shaft.id]
    drawn = _drawn(draft, entry, guide, follower, base, pivot)
    start = entry.start or 0.0
    phase = start - sense * cmath.phase(cam.direction / base.direction)
    lift = float(law(start))
    radius = entry.radius or 0.0
    # What the follower has to go back from the sketch to stand at the lift 0.
    back = -lift
    if entry.base is not None:
        back = _onto_base(drawn, pivot, entry.base + radius) * drawn.sense
    moves = _moved(drawn, back)
    if drawn.hinge is None:
        way = _guide_sense(draft, guide.id, follower.name, drawn.direction)
        follow = Follow(law.function, way, way * back, sense, phase)
    else:
        turn = cmath.phase(follower.direction / base.direction) + drawn.sense * back
        follow = Follow(law.function, drawn.sense, turn, sense, phase)
    touch = follower.local[_reference(entry)]
    normal = None if drawn.face is None else drawn.face * base.direction / follower.direction
    made = Cam(
        id, cam.name, follower.name, carrier, guide.id, contact, law, moves, sense, phase, cam.local[shaft.id], pivot,
        follow, touch, normal, radius,
    )  # fmt: skip
    if not made.base_radius > 1e-9 * abs(moves.place - pivot):
        raise Flaw(
            f"the base circle has the radius {draft.show_length(made.base_radius)}",
            "draw the follower farther from the cam's shaft, or give base = 20",
        )
    return made


def _reference(entry: CamEntry) -> str:
    """Return the point of the follower that is followed: the roller's centre, the edge, or one of the face."""
    return entry.at if entry.at is not None else (entry.face or ("",))[0]


def _drawn(draft: Draft, entry: CamEntry, guide: Joint, follower: Link, base: Link, pivot: complex) -> Follower:
    """Return the follower as it stands in the sketch, in the frame of the carrier; it lifts away from the shaft."""

    def seen(place: complex) -> complex:
        return base.direction.conjugate() * (follower.origin + follower.direction * place - base.origin)

    place = seen(follower.local[_reference(entry)])
    face = None
    if entry.face is not None:
        along = seen(follower.local[entry.face[1]]) - place
        if along == 0:
            raise Flaw(f"the points '{entry.face[0]}' and '{entry.face[1]}' of the face coincide")
        face = 1j * along / abs(along)
        face *= math.copysign(1.0, ((place - pivot) / face).real)
    if guide.kind == "R":
        hinge = base.local[guide.id]
        drawn = Follower(place, 0j, hinge, 1, face)
        if entry.contact == "flat" and face is None:
            raise Flaw("an oscillating flat face needs two points", 'face = ["F", "G"]')
        contact = place if face is None else pivot + face * ((place - pivot) / face).real
        normal = face if face is not None else (place - pivot) / (abs(place - pivot) or 1.0)
        sense = normal.conjugate() * 1j * (contact - hinge)
        if abs(sense.real) <= 1e-9 * abs(contact - hinge):
            raise Flaw("in the sketch the follower moves along the cam's profile, not away from it", "move its pivot")
        return replace(drawn, sense=1 if sense.real > 0 else -1)
    line = draft.guides.get(guide.id)
    if line is None:
        raise Flaw(f"the guide '{guide.id}' of the follower has mistakes of its own", "correct them first")
    direction = line.direction if line.slider == follower.name else line.direction / (line.turn or 1)
    towards = ((place - pivot if face is None else face) / direction).real
    if abs(towards) < 1e-9 * abs(place - pivot):
        raise Flaw(
            "in the sketch the follower stands beside the cam's shaft: no side to lift to", "move it along its guide"
        )
    direction *= math.copysign(1.0, towards)
    if entry.contact == "flat" and face is None:
        face = direction
    return Follower(place, direction, None, 1, face)


def _guide_sense(draft: Draft, guide: str, follower: str, direction: complex) -> int:
    """Return +1 where the travel of the guide grows with the lift, -1 where it falls."""
    line = draft.guides[guide]
    if line.slider == follower:
        return 1 if (direction / line.direction).real > 0 else -1
    return -1 if (direction * (line.turn or 1) / line.direction).real > 0 else 1


def _moved(drawn: Follower, lift: float) -> Follower:
    """Return the follower after a lift."""
    if drawn.hinge is None:
        return replace(drawn, place=drawn.place + drawn.direction * lift)
    turn = cmath.exp(1j * drawn.sense * lift)
    face = None if drawn.face is None else drawn.face * turn
    return replace(drawn, place=drawn.hinge + (drawn.place - drawn.hinge) * turn, face=face)


def _onto_base(drawn: Follower, pivot: complex, reach: float) -> float:
    """Return the travel, or the turn counter-clockwise, from the sketch to a distance from the shaft."""
    way = drawn.place - pivot
    small = Flaw("the follower cannot reach the base circle", "enlarge base, or draw the follower nearer to the shaft")
    if drawn.hinge is None:
        if drawn.face is not None:
            return (reach - (way / drawn.face).real) / (drawn.direction / drawn.face).real
        along = way / drawn.direction
        if reach <= abs(along.imag):
            raise small
        return math.sqrt(reach**2 - along.imag**2) - along.real
    arm, beyond = drawn.place - drawn.hinge, drawn.hinge - pivot
    if drawn.face is not None:
        # (arm + beyond e^-i turn) / face has the real part `reach`.
        spoke, wanted = beyond / drawn.face, reach - (arm / drawn.face).real
        spoke = spoke.conjugate()
    else:
        # |beyond + arm e^i turn| = reach.
        spoke, wanted = beyond.conjugate() * arm, 0.5 * (reach**2 - abs(beyond) ** 2 - abs(arm) ** 2)
    if abs(wanted) > abs(spoke):
        raise small
    half = math.acos(wanted / abs(spoke))
    turns = [math.remainder(side * half - cmath.phase(spoke), 2 * math.pi) for side in (1, -1)]
    return min(turns, key=abs)
