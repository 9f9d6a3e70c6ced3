"""PMKS+: addresses that hold a mechanism as lists of joints and links (?j=...&l=...&s=...), of the first generation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from structkin.files.readers.address import blanks, query
from structkin.files.readers.imported import Imported, bounded, listed
from structkin.files.readers.jointed import USUAL_RPM, PlainJoint, add_joints, drive, note_usual_speed
from structkin.model.flaw import Flaw
from structkin.model.mechanism import GROUND


@dataclass(frozen=True)
class PlusJoint:
    """A joint of PMKS+; `angle` is in radians, `slot` is the link and the two joints that a slide lies on, if any.

    A slide that is not welded is a pin in a slot; one that is welded does not turn against its slot. `speed` is that
    of this input alone, in rpm counter-clockwise or in units of length a second. `friction` is a coefficient and, of a
    pin, the radius at which it acts.
    """

    id: str
    x: float
    y: float
    prismatic: bool
    ground: bool
    input: bool
    welded: bool = False
    angle: float = 0.0
    slot: tuple[str, str, str] | None = None
    name: str = ""
    speed: float = 0.0
    friction: tuple[float, float] | None = None


@dataclass(frozen=True)
class PlusLink:
    """A link of PMKS+ with its joints.

    A block is the piece that older addresses put between a pin and its slot; a link without length is one as well.
    """

    id: str
    joints: Sequence[str]
    name: str = ""
    block: bool = False


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
        parts[name] = unquote(blanks(value))
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
        slides = cells[4] == "P"
        joints.append(PlusJoint(cells[0], x, y, slides, flags[0], flags[1], welded=slides, angle=angle))
    if not joints and not found.problems:
        raise Flaw("the address has no joints")
    settings = [cell.strip() for cell in parts.get("s", "").split(",")]
    speed = found.number("s", settings[0]) if settings[0] else USUAL_RPM
    if settings[1:2] in (["t"], ["true"]):
        speed = -speed
    found.length = next((unit for unit in ("cm", "m", "in") if unit in settings), "cm")
    build(found, joints, [PlusLink(link, own) for link, own in members.items() if link], speed)
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
    links: Sequence[PlusLink],
    rpm: float,
    linear: float = 0.0,
    owners: Mapping[str, str] | None = None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Add joints and links, and return the names of links and of points by their ids.

    Inputs without a speed of their own turn at `rpm`, or slide at `linear` units per second. `owners` has the ids of
    links that are welded into another, and its id.
    """
    bounded(len(joints) + sum(1 + len(link.joints) for link in links))
    known = {joint.id for joint in joints}
    for what, ids in (("joint", [joint.id for joint in joints]), ("link", [link.id for link in links])):
        for id in dict.fromkeys(id for id in ids if ids.count(id) > 1) if len(ids) != len(set(ids)) else ():
            found.fault(f"{what} {id}", "the id is given twice")
    owners = {**(owners or {}), **{link.id: link.id for link in links}}
    for where, named in (
        *((f"link {link.id}", link.joints) for link in links),
        *((f"the slot of {joint.id}", joint.slot[1:]) for joint in joints if joint.slot is not None),
    ):
        missing = [id for id in named if id not in known]
        if missing:
            found.fault(where, f"names the joints {listed(missing)}, which the address does not have")
    for joint in joints:
        if joint.slot is not None and joint.slot[0] not in owners:
            found.fault(f"the slot of {joint.id}", f"is in the link {joint.slot[0]}, which the address does not have")
    if found.problems:
        return {}, {}
    names: dict[str, str] = {}
    for link in links:
        names[link.id] = found.unique(link.name or link.id, names.values())
    labels: dict[str, str] = {}
    for joint in joints:
        labels[joint.id] = found.unique(joint.name or joint.id, labels.values())
    places = {joint.id: (joint.x, joint.y) for joint in joints}
    blocks = {
        link.id for link in links if link.block or len({places[id] for id in link.joints}) < len(link.joints) == 2
    }
    plain = []
    for joint in joints:
        held = [link for link in links if joint.id in link.joints]
        carrier = None if joint.slot is None else names[owners[joint.slot[0]]]
        in_block = any(link.id in blocks for link in held)
        plain.append(_plain(found, joint, [names[link.id] for link in held], in_block, labels, carrier))
    driven = [labels[joint.id] for joint in joints if joint.input]
    made = add_joints(found, plain, "joint", driven)
    for joint, one in zip(joints, plain, strict=True):
        bodies = [link for link in found.bodies(one.links) if link != GROUND]
        if joint.welded and one.kind == "R" and len(bodies) > 1:
            found.joints[found.unique(f"weld {one.label}")] = {"type": "fastened", "links": bodies}
        if joint.friction is not None:
            _rub(found, joint.friction, one, made.get(one.label))
        if joint.input:
            slide = joint.speed or linear
            drive(
                found, one, made.get(one.label), f"{joint.speed or rpm!r} rpm",
                slide=f"{slide!r} {found.length}/s" if slide else "",
            )  # fmt: skip
    return names, labels


def _rub(found: Imported, friction: tuple[float, float], joint: PlainJoint, name: str | None) -> None:
    """Add the friction of a joint between two links."""
    coefficient, radius = friction
    arm = {"radius": radius} if joint.kind == "R" else {}
    if name is None or len(found.bodies(joint.links)) != 2 or coefficient == 0 or 0 in arm.values():
        found.notes.append(f"the friction at {joint.label} is left out: it needs two links, a coefficient and a radius")
    else:
        found.forces[f"friction {joint.label}"] = {"type": "friction", "joint": name, "coefficient": coefficient, **arm}


def _plain(
    found: Imported,
    joint: PlusJoint,
    links: Sequence[str],
    in_block: bool,
    labels: Mapping[str, str],
    carrier: str | None,
) -> PlainJoint:
    label, base = labels[joint.id], GROUND if joint.ground else carrier
    kind, line = "R", None
    if joint.prismatic and base in links:
        found.notes.append(f"the slide {label} is in a slot of its own link and is left out")
    elif joint.prismatic and base is not None and links:
        kind = "P" if joint.welded or in_block else "RP"
        line = None if joint.slot is None else (labels[joint.slot[1]], labels[joint.slot[2]])
    elif joint.prismatic:
        found.notes.append(f"the slide {label} has no slot: it is read as a pin")
    own = tuple(dict.fromkeys([base, *links] if base is not None and base not in links else links))
    return PlainJoint(label, joint.x, joint.y, kind, math.degrees(joint.angle), own, line)
