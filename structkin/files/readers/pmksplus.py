"""PMKS+: addresses that hold a mechanism as lists of joints and links (?j=...&l=...&s=...), of the first generation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from structkin.files.readers.address import query
from structkin.files.readers.imported import GROUND, Imported, listed
from structkin.files.readers.jointed import USUAL_RPM, PlainJoint, add_joints, drive, note_usual_speed
from structkin.model.flaw import Flaw


@dataclass(frozen=True)
class PlusJoint:
    """A joint of PMKS+; `angle` is in radians, `slot` is the link and the two joints that a guide lies on, if any."""

    id: str
    x: float
    y: float
    prismatic: bool
    ground: bool
    input: bool
    welded: bool = False
    angle: float = 0.0
    slot: tuple[str, str, str] | None = None


def read(text: str) -> Imported:
    """Return the mechanism of an address, or of what follows its question mark.

    >>> joints = "A,0,0,AB,R,t,0,0,t,%0AB,1,1,AB|BC,R,f,0,0,f,%0AC,4,0,BC|CD,R,f,0,0,f,%0AD,4,0,CD,P,t,0,0,f"
    >>> found = read(f"?j={joints}&s=15")
    >>> found.links["BC"], found.joints["guide of C"]["links"], found.drivers["input A"]["speed"]
    (['B', 'C'], ['ground', 'CD'], '15.0 rpm')
    """
    found = Imported()
    parts = {}
    for part in query(text).split("&"):
        name, _, value = part.partition("=")
        parts[name] = unquote(value)
    joints: list[PlusJoint] = []
    members: dict[str, list[str]] = {}
    for count, line in enumerate(_lines(parts.get("j", "")), 1):
        cells = [cell.strip() for cell in line.split(",")]
        key = f"j, line {count}"
        if len(cells) < 6 or not cells[0]:
            found.fault(key, f"expected a joint such as A,0,0,AB,R,t,0,0,t, found {len(cells)} values")
            continue
        x, y, angle = (found.number(key, cell or "0") for cell in (cells[1], cells[2], [*cells, "0"][6]))
        for link in cells[3].split("|"):
            members.setdefault(link.strip(), []).append(cells[0])
        flags = [cells[k][:1] == "t" if k < len(cells) else False for k in (5, 8)]
        joints.append(PlusJoint(cells[0], x, y, cells[4] == "P", flags[0], flags[1], angle=angle))
    if not joints and not found.problems:
        raise Flaw("the address has no joints")
    settings = [cell.strip() for cell in parts.get("s", "").split(",")]
    speed = found.number("s", settings[0]) if settings[0] else USUAL_RPM
    if settings[1:2] in (["t"], ["true"]):
        speed = -speed
    found.length = next((unit for unit in ("cm", "m", "in") if unit in settings), "cm")
    build(found, joints, {link: own for link, own in members.items() if link}, speed)
    if not settings[0]:
        note_usual_speed(found, "the address")
    given = {line.split(",")[0].strip() for line in _lines(parts.get("l", ""))}
    if given - set(members):
        found.notes.append(f"links without joints are left out: {listed(sorted(given - set(members)))}")
    left_out = "; masses and forces are left out" if parts.get("l") or parts.get("f") else ""
    found.notes.append(f"lengths are read as {found.length}{left_out}")
    return found


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip(" ,")]


def build(
    found: Imported,
    joints: Sequence[PlusJoint],
    members: Mapping[str, Sequence[str]],
    rpm: float,
    linear: float | None = None,
) -> None:
    """Add joints, and links by the ids of their joints; inputs turn at `rpm`, or slide at `linear` units per second."""
    known = [joint.id for joint in joints]
    for id in {id for id in known if known.count(id) > 1} if len(known) != len(set(known)) else ():
        found.fault(f"joint {id}", "the id is given twice")
    for link, own in members.items():
        missing = [id for id in own if id not in known]
        if missing:
            found.fault(f"link {link}", f"names the joints {listed(missing)}, which the address does not have")
    if found.problems:
        return
    names_of = {link: found.unique(link, ()) for link in members}
    held: dict[str, list[str]] = {id: [] for id in known}
    for link, own in members.items():
        for id in own:
            held[id].append(names_of[link])
    plain = [_plain(joint, held[joint.id], names_of) for joint in joints]
    names = add_joints(found, plain, "joint")
    for joint, one in zip(joints, plain, strict=True):
        if joint.welded and len(one.links) > 1 and joint.id in names:
            found.joints[found.unique(f"weld {joint.id}")] = {"type": "fastened", "links": list(one.links)}
        if joint.input:
            slide = "" if linear is None else f"{linear!r} {found.length}/s"
            drive(found, one, names.get(joint.id), f"{rpm!r} rpm", slide=slide)


def _plain(joint: PlusJoint, links: Sequence[str], names_of: Mapping[str, str]) -> PlainJoint:
    own = list(dict.fromkeys(links))
    carrier = names_of.get(joint.slot[0]) if joint.slot is not None else None
    if joint.ground:
        own.insert(0, GROUND)
    elif carrier is not None:
        own = [carrier, *(link for link in own if link != carrier)]
    slides = joint.prismatic and len(own) > 1
    line = joint.slot[1:] if joint.slot is not None and carrier is not None else None
    return PlainJoint(joint.id, joint.x, joint.y, "P" if slides else "R", math.degrees(joint.angle), tuple(own), line)
