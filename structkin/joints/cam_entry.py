"""Cam entries of a file: the contact, the shaft and follower joint of a cam, and its law or profile.

A law is read segment by segment, with every error. From the sketch follow the follower's pose at lift 0 and its
direction of lift.

A profile is given by the table, outline or CSV file that defines its shape. A follower has to reach the profile in some
position of both. The distance of the roller's centre (or the edge) from the cam's shaft has to equal that of some point
of the curve on which it runs; the distance of a face has to equal that of some tangent of the profile.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from structkin.errors import InputError
from structkin.joints.cam import Cam
from structkin.joints.cam_keys import CamKeys, sketched_mountings
from structkin.joints.cam_laws import CamLaw, Segment, flaws_of
from structkin.joints.entry import AnyJoint
from structkin.joints.guide import Guide
from structkin.joints.law_cam import Follower, LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.splines import spline
from structkin.model.draft import Draft
from structkin.model.fields import pair
from structkin.model.flaw import Flaw, describe
from structkin.model.mechanism import GROUND
from structkin.model.parts import Link
from structkin.model.tables import read_table
from structkin.model.topology import Joint, suggest
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.rows.periodic import TURN, Follow

# --- profiles ---------------------------------------------------------------------------------------------------------

#: A follower has to miss by this fraction of the largest distance: more than extremes between samples can hide.
MARGIN = 1e-5


def require_reach(draft: Draft, made: ProfileCam) -> None:
    """Raise `Flaw` if the link that carries the cam's shaft always keeps the follower away from the profile.

    The distance of the roller's centre from the shaft is limited by its pin and its arm, or is at least that of the
    line along which it moves. A face on a pin is at a fixed distance h from it; a tangent of the profile at distance H
    from the shaft, which is D from the pin, can be at H - D to H + D. A face on a guide reaches any profile.
    """
    mounted = next(sketched_mountings(draft, draft.links, made.cam, made.follower), None)
    if mounted is None or (mounted[2].kind == "P" and (made.normal is not None or not isinstance(mounted[2], Guide))):
        return
    carrier, shaft, guide = mounted
    base, cam, follower = (draft.links[name] for name in (carrier, made.cam, made.follower))
    angles = np.linspace(0.0, TURN, 3601)
    away = made.contact_distance(angles)
    axes = np.exp(1j * angles)
    beside = cam.local[shaft.id] - made.centre
    if made.normal is None:
        away, what = np.abs(away * axes - beside), "the roller's centre" if made.radius else "the edge"
    else:
        away, what = away - (beside * axes.conj()).real, "the face"
    least, most = float(away.min()), float(away.max())
    if isinstance(guide, Guide):
        line = guide
        direction = line.direction if line.slider == made.follower else line.direction / (line.turn or 1)
        place = (follower.origin + follower.direction * made.touch - base.origin) / base.direction
        low, high = abs(((place - base.local[shaft.id]) / direction).imag), math.inf
    else:
        far, arm = abs(base.local[guide.id] - base.local[shaft.id]), made.touch - follower.local[guide.id]
        if made.normal is None:
            low, high = abs(far - abs(arm)), far + abs(arm)
        else:
            h = (arm * made.normal.conjugate()).real
            low, high = h - far, h + far
    if low <= most + MARGIN * abs(most) and high >= least - MARGIN * abs(most):
        return
    ends = [draft.show_length(length) for length in (low, high, least, most)]
    can = f"{ends[0]} to {ends[1]}" if math.isfinite(high) else f"{ends[0]} or more"
    raise Flaw(
        f"the follower can never reach the profile: {what} can be {can} from the cam's shaft, "
        f"but the profile needs {ends[2]} to {ends[3]}",
        "draw the follower where it touches the cam",
    )


#: Rows of a profile: angle [rad] and radius [m]; rows of an outline: positions [m] in the sketch.
Rows = list[tuple[float, float]]


def make_profile_cam(draft: Draft, key: str, id: str, entry: CamKeys, contact: str, rows: Rows) -> ProfileCam | None:
    """Return the cam of an entry with a profile, an outline or a CSV table; None if there are errors."""
    cam, follower = draft.links[entry.cam], draft.links[entry.follower]
    center = entry.center or draft.link_entries[entry.cam].points[0]
    if center not in cam.local:
        raise Flaw(f"the center '{center}' is not a point of the cam '{entry.cam}'", f"it has {', '.join(cam.points)}")
    rows = _table(entry, rows, cam, cam.local[center])
    flaws = list(_flaws(rows))
    for flaw in flaws:
        draft.fault(key, flaw.message, flaw.hint)
    if flaws:
        return None
    angles, radii = (np.array(column) for column in zip(*rows, strict=True))
    function = spline(angles, radii)
    if float(np.min(function(np.linspace(0.0, TURN, 361)))) <= 0:
        raise Flaw("the curve through the profile reaches the cam's center", "give more rows")
    place = follower.local[entry.at if entry.at is not None else (entry.face or ("",))[0]]
    normal = None
    if entry.face is not None:
        along = follower.local[entry.face[1]] - place
        if not along:
            raise Flaw(f"the face points '{entry.face[0]}' and '{entry.face[1]}' coincide", "move one of them")
        middle = follower.direction.conjugate() * (cam.origin + cam.direction * cam.local[center] - follower.origin)
        normal = 1j * along / abs(along)
        normal *= math.copysign(1.0, ((place - middle) / normal).real)
    made = ProfileCam(
        id, links=(cam.name, follower.name), contact=contact, function=function, centre=cam.local[center], touch=place,
        normal=normal, radius=entry.radius or 0.0,
    )  # fmt: skip
    if not made.contact_distance.is_single_valued:
        what = (
            "is not convex, so a flat face cannot follow it" if normal is not None else "is too concave for the roller"
        )
        raise Flaw(
            f"the profile {what}", "use a knife edge or a roller" if normal is not None else "use a smaller roller"
        )
    require_reach(draft, made)
    return made


def profile_rows(draft: Draft, key: str, entry: CamKeys, name: str) -> Rows | None:
    """Return the rows of a profile, an outline or a CSV table in SI; None if some rows have errors."""
    if name == "csv":
        assert entry.csv is not None
        scales = draft.units.scale("angle"), draft.units.scale("length")
        found = read_table(entry.csv, draft.folder, entry.columns, ("angle", "length"), draft.units)
        return [(a * scales[0], r * scales[1]) for a, r in found]
    given, words, kind, example = (
        (entry.outline, "[x, y]", "length", "such as [[30, 0], [0, 32], [-40, 0], [0, -32]]")
        if name == "outline"
        else (entry.profile, "[angle, radius]", "angle", "such as [[0, 30], [90, 32], [180, 40], [270, 32]]")
    )
    if not isinstance(given, list | tuple | np.ndarray):
        raise Flaw(f"expected the rows of the {name}, found {describe(given)}", example)
    there = draft.units.origin if name == "outline" else 0j
    rows: Rows = []
    for k, row in enumerate(given, 1):
        try:
            first, second = pair(row, words)
            rows.append(
                (draft.units.quantity(first, kind) - there.real, draft.units.quantity(second, "length") - there.imag)
            )
        except Flaw as flaw:
            draft.fault(key, f"row {k}: {flaw.message}", flaw.hint)
    return rows if len(rows) == len(given) else None


def _table(entry: CamKeys, rows: Rows, cam: Link, centre: complex) -> Rows:
    """Return increasing polar angles [rad] within one turn and radii [m]."""
    rows = list(rows)
    if entry.outline is not None:
        seen = [(complex(*row) - cam.origin) * cam.direction.conjugate() - centre for row in rows]
        rows = [(cmath.phase(place), abs(place)) for place in seen]
    if len(rows) > 1 and abs(abs(rows[-1][0] - rows[0][0]) - TURN) < EQUAL_DATA and rows[-1][1] == rows[0][1]:
        rows.pop()  # the first row again, a turn later
    if entry.outline is None or not rows:
        return rows
    if _unwrapped(rows)[-1][0] < rows[0][0]:
        rows.reverse()
    return _unwrapped(rows)


def _flaws(rows: Rows) -> Iterator[Flaw]:
    """Yield all errors in a table of rows."""
    if len(rows) < 4:
        yield Flaw(f"a profile needs at least 4 rows, found {len(rows)}", "they are joined by a periodic spline")
    for k, (before, after) in enumerate(pairwise(rows), 2):
        if after[0] <= before[0]:
            yield Flaw(f"row {k}: the angle about the center does not increase", "angles must increase around the cam")
    if rows and rows[-1][0] - rows[0][0] >= TURN:
        yield Flaw(
            "the profile covers more than one turn", "the angles must span less than a turn; the curve is closed"
        )
    for k, (_, radius) in enumerate(rows, 1):
        if radius <= 0:
            yield Flaw(f"row {k}: the radius is not greater than zero", "it is the distance from the cam's center")


def _unwrapped(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    angles = np.unwrap([angle for angle, _ in rows])
    return [(float(angle), radius) for angle, (_, radius) in zip(angles, rows, strict=True)]


# --- the law, segment by segment -----------------------------------------------------------------------------------

#: How a segment is written.
SEGMENT = '{ motion = "cycloidal", over = 120, to = 20 }'


def read_law(draft: Draft, key: str, entry: CamKeys, angular: bool | None) -> CamLaw | None:
    """Return the law of an entry; `angular`: whether its lift is an angle, None if unknown."""
    rows = entry.law
    if not isinstance(rows, list | tuple) or not rows:
        found = "an empty list" if isinstance(rows, list | tuple) else describe(rows)
        draft.fault(f"{key}.law", f"expected a list of segments, found {found}", f"such as [{SEGMENT}]")
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
    """Return the errors of a segment, and the segment if there are none."""
    if not isinstance(row, Mapping):
        return [Flaw(f"expected a table {{ ... }}, found {describe(row)}", f"such as {SEGMENT}")], None
    names = ("motion", "over", "to")
    flaws = [Flaw(f"unknown key '{name}'", suggest(str(name), names)) for name in row if name not in names]
    flaws += [Flaw(f"'{name}' is missing", f"such as {SEGMENT}") for name in names[:2] if name not in row]
    # A missing or unreadable field is reported once; the others are checked with a valid value in its place.
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
    """Return a value in SI, as the first kind of quantity that it fits."""
    for kind in kinds[:-1]:
        try:
            return draft.units.quantity(value, kind)
        except Flaw:
            continue
    return draft.units.quantity(value, kinds[-1])


# --- from the sketch to the geometry -------------------------------------------------------------------------------


def place_cam(
    draft: Draft,
    id: str,
    entry: CamKeys,
    contact: str,
    sense: int,
    joints: tuple[str, AnyJoint, AnyJoint],
    law: CamLaw,
) -> LawCam:
    """Return the cam with its follower placed at lift 0; raise `Flaw` for invalid dimensions."""
    carrier, shaft, guide = joints
    cam, follower, base = (draft.links[name] for name in (entry.cam, entry.follower, carrier))
    pivot = base.local[shaft.id]
    drawn = _drawn(draft, entry, guide, follower, base, pivot)
    start = entry.start or 0.0
    phase = start - sense * cmath.phase(cam.direction / base.direction)
    lift = float(law(start))
    radius = entry.radius or 0.0
    # The travel of the follower from the sketch to lift 0.
    back = -lift
    if entry.base is not None:
        back = _onto_base(drawn, pivot, entry.base + radius) * drawn.sense
    moves = _moved(drawn, back)
    if drawn.hinge is None:
        lift_sense = _guide_sense(draft, guide.id, follower.name, drawn.direction)
        follow = Follow(law.function, lift_sense, lift_sense * back, sense, phase)
    else:
        turn = cmath.phase(follower.direction / base.direction) + drawn.sense * back
        follow = Follow(law.function, drawn.sense, turn, sense, phase)
    touch = follower.local[_reference(entry)]
    normal = None if drawn.face is None else drawn.face * base.direction / follower.direction
    made = LawCam(
        id, links=(cam.name, follower.name), carrier=carrier, joint=guide.id, contact=contact, law=law, moves=moves,
        sense=sense, phase=phase, centre=cam.local[shaft.id], pivot=pivot, follow=follow, touch=touch, normal=normal,
        radius=radius,
    )  # fmt: skip
    if not made.base_radius > EQUAL_DATA * abs(moves.place - pivot):
        raise Flaw(
            f"the base circle has a radius of {draft.show_length(made.base_radius)}, which is not positive",
            "draw the follower farther from the cam's shaft, or give base = 20",
        )
    return made


def _reference(entry: CamKeys) -> str:
    """Return the reference point of the follower: the roller's centre, the edge, or a point of the face."""
    return entry.at if entry.at is not None else (entry.face or ("",))[0]


def _drawn(draft: Draft, entry: CamKeys, guide: AnyJoint, follower: Link, base: Link, pivot: complex) -> Follower:
    """Return the follower as sketched, in the frame of the carrier; it lifts away from the shaft."""

    def seen(place: complex) -> complex:
        return base.direction.conjugate() * (follower.origin + follower.direction * place - base.origin)

    place = seen(follower.local[_reference(entry)])
    face = None
    if entry.face is not None:
        along = seen(follower.local[entry.face[1]]) - place
        if along == 0:
            raise Flaw(f"the face points '{entry.face[0]}' and '{entry.face[1]}' coincide", "move one of them")
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
        if abs(sense.real) <= EQUAL_DATA * abs(contact - hinge):
            raise Flaw("in the sketch the follower moves along the cam's profile, not away from it", "move its pin")
        return replace(drawn, sense=1 if sense.real > 0 else -1)
    line = draft.joints.get(guide.id)
    if not isinstance(line, Guide):
        raise Flaw(f"the follower's guide '{guide.id}' has errors", "correct them first")
    direction = line.direction if line.slider == follower.name else line.direction / (line.turn or 1)
    towards = ((place - pivot if face is None else face) / direction).real
    if abs(towards) < EQUAL_DATA * abs(place - pivot):
        raise Flaw(
            "in the sketch the follower is level with the cam's shaft: its lift has no direction",
            "move it along its guide",
        )
    direction *= math.copysign(1.0, towards)
    if entry.contact == "flat" and face is None:
        face = direction
    return Follower(place, direction, None, 1, face)


def _guide_sense(draft: Draft, guide: str, follower: str, direction: complex) -> int:
    """Return +1 if the travel of the guide increases with the lift, -1 if it decreases."""
    line = draft.joints[guide]
    assert isinstance(line, Guide)
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
    """Return the travel, or counter-clockwise rotation, from the sketch to a distance from the shaft."""
    vector = drawn.place - pivot
    small = Flaw("the follower cannot reach the base circle", "increase base, or draw the follower nearer to the shaft")
    if drawn.hinge is None:
        if drawn.face is not None:
            return (reach - (vector / drawn.face).real) / (drawn.direction / drawn.face).real
        along = vector / drawn.direction
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


# --- entries -------------------------------------------------------------------------------------------------------

CONTACTS = ("roller", "knife-edge", "flat")
DIRECTIONS = {"counter-clockwise": 1, "clockwise": -1}


class CamEntry(CamKeys):
    """A cam entry of a file."""

    def make(self, draft: Draft, id: str) -> Joint | Cam | None:
        """Return a cam; None if its links are unknown. An error in one key does not hide errors in others."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.{name}", getattr(self, name)) for name in ("cam", "follower")]
        carried = self.carrier is None or draft.has_link(f"{key}.carrier", self.carrier)
        points = [point for point in (self.at, *(self.face or ())) if point is not None]
        placed = [draft.has_point(f"{key}.{'face' if point != self.at else 'at'}", point) for point in points]
        # An unreadable radius has been reported already; it must not be reported as missing as well.
        broken = any(problem.key.startswith(f"{key}.") for problem in draft.problems)
        errors_before = len(draft.problems)
        contact = None if broken else draft.attempt(key, _contact, self)
        sense = draft.attempt(f"{key}.direction", _sense, self.direction or "counter-clockwise")
        given = _sources(self)
        for flaw in _odd(self, given):
            draft.fault(key, flaw.message, flaw.hint)
        if self.cam == self.follower:
            draft.fault(key, f"the cam '{self.cam}' is its own follower", "name two links")
        for point, there in zip(points, placed, strict=True):
            if there and known[1] and self.follower not in draft.holders.get(point, []):
                message = f"'{point}' is not a point of the follower '{self.follower}'"
                draft.fault(key, message, _points_of(draft, self.follower))
        whole = all(known) and self.cam != self.follower
        joint = Joint(id, "C", (self.cam, self.follower)) if whole else None
        tables = {}
        for name in given:
            if name != "law":
                tables[name] = draft.attempt(f"{key}.{name}", profile_rows, draft, f"{key}.{name}", self, name)
        mounted = None
        if "law" in given:
            mounted = draft.attempt(key, _joints_of, draft, self) if whole and carried else None
            law = read_law(draft, key, self, None if mounted is None else mounted[2].kind == "R")
        if joint is None or contact is None or sense is None or len(given) != 1 or len(draft.problems) > errors_before:
            return joint
        if mounted is None:
            if self.cam in draft.links and self.follower in draft.links:
                (name, rows), *_ = tables.items()
                assert rows is not None
                own = f"{key}.{name}"
                cam = draft.attempt(own, make_profile_cam, draft, own, id, self, contact, rows)
                return joint if cam is None else cam
            return joint
        # Links that have errors are missing here.
        if law is not None and all(link in draft.links for link in (self.cam, self.follower, mounted[0])):
            return place_cam(draft, id, self, contact, sense, mounted, law)
        return joint


def _sources(entry: CamKeys) -> list[str]:
    return [name for name in ("law", "profile", "outline", "csv") if getattr(entry, name) is not None]


def _odd(entry: CamKeys, given: list[str]) -> Iterator[Flaw]:
    """Yield what does not fit together: a cam has either a law or one profile, and keys that belong to it."""
    if not given:
        yield Flaw("has neither a law nor a profile", f"law = [{SEGMENT}, ...], or profile = [[0, 30], [90, 32], ...]")
    elif len(given) > 1:
        yield Flaw(f"has {' and '.join(given)}", "a cam has one of law, profile, outline, csv")
    elif given != ["law"]:
        stray = [name for name in ("base", "start", "direction", "carrier") if getattr(entry, name) is not None]
        if stray:
            verb = "belongs" if len(stray) == 1 else "belong"
            yield Flaw(f"has {' and '.join(stray)}, which {verb} to a law", "delete it: this cam has a profile")
        if entry.contact == "flat" and entry.face is None and entry.at is not None:
            yield Flaw("a flat face on a profile needs two points", 'face = ["F", "G"]')
    elif entry.columns is not None:
        yield Flaw("has columns, which belong to a csv", "delete them: this cam has a law")
    elif entry.center is not None:
        yield Flaw("has a center, which belongs to a profile", "delete it: a law turns about the cam's shaft")


def _contact(entry: CamKeys) -> str:
    """Return the kind of contact, given or implied by other keys."""
    contact = entry.contact
    if contact is None:
        contact = "roller" if entry.radius is not None else "flat" if entry.face is not None else None
    if contact is None:
        raise Flaw(
            "does not say what touches the cam", 'give radius = 10, or face = ["F", "G"], or contact = "knife-edge"'
        )
    if contact not in CONTACTS:
        raise Flaw(f"the contact '{contact}' is unknown", suggest(contact, CONTACTS))
    if contact == "roller" and entry.radius is None:
        raise Flaw("has a roller, but no radius", "such as radius = 10")
    if contact != "roller" and entry.radius is not None:
        raise Flaw(f"has the radius of a roller, but its contact is {contact}", "delete one of the two")
    if contact != "flat" and entry.face is not None:
        raise Flaw(f"has a flat face, but its contact is {contact}", "delete one of the two")
    if contact != "flat" and entry.at is None:
        where = "the roller's centre" if contact == "roller" else "the edge"
        raise Flaw(f"'at' is missing: {where}, a point of the follower", 'such as at = "Q"')
    if contact == "flat" and (entry.at is None) == (entry.face is None):
        what = "neither 'at' nor 'face'" if entry.at is None else "both 'at' and 'face'"
        raise Flaw(
            f"has {what}", 'give two points, face = ["F", "G"], or one, at = "F", for a face normal to the stroke'
        )
    return contact


def _sense(direction: str) -> int:
    if direction not in DIRECTIONS:
        raise Flaw(f"the direction '{direction}' is unknown", suggest(direction, DIRECTIONS))
    return DIRECTIONS[direction]


def _points_of(draft: Draft, link: str) -> str:
    return f"it has {', '.join(draft.link_entries[link].points)}"


def _joints_of(draft: Draft, entry: CamKeys) -> tuple[str, AnyJoint, AnyJoint]:
    """Return the carrier, its pin to the cam, and its joint to the follower."""
    links = draft.link_entries if entry.carrier is None else (entry.carrier,)
    found = list(sketched_mountings(draft, links, entry.cam, entry.follower))
    grounded = [item for item in found if item[0] == GROUND]
    if grounded or len(found) == 1:
        return (grounded or found)[0]
    if found:
        names = ", ".join(item[0] for item in found)
        raise Flaw(f"both {names} carry the cam and its follower", f'add carrier = "{found[0][0]}"')
    who = f"'{entry.carrier}' does not carry" if entry.carrier else "no link carries"
    raise Flaw(
        f"{who} both the cam '{entry.cam}' by a pin and the follower '{entry.follower}' by a pin or a prismatic joint",
        "a law needs one link, usually the ground, with both joints",
    )
