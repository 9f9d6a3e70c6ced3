"""Cam entries of a file: the contact, and the shaft and follower joint of a cam with a law."""

from __future__ import annotations

from collections.abc import Iterator

from structkin.joints.cam import Cam
from structkin.joints.cam_keys import CamKeys
from structkin.joints.cam_mountings import sketched_mountings
from structkin.joints.cam_placing import place_cam
from structkin.joints.cam_segments import SEGMENT, read_law
from structkin.joints.entry import AnyJoint
from structkin.joints.profile_rows import make_profile_cam, profile_rows
from structkin.model.draft import GROUND, Draft
from structkin.model.flaw import Flaw
from structkin.model.topology import Joint, suggest

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
