"""PMKS+: addresses of the second generation, sections separated by full stops, numbers in base 64.

    flags.decimals.integers.units.joint.joint..link.link..force..active.more and a check character *digest

Numbers are thousandths; those that begin with 0 are negative. The check character states the length. The digest, which
addresses have since 2026, is the 32-bit FNV-1a of all that precedes it: h <- 16777619 (h xor c) mod 2^32 for each
UTF-16 unit c, from h = 2166136261 (Fowler, Noll, Vo, Eastlake: The FNV Non-Cryptographic Hash Algorithm), in six digits
of base 62.

What follows the selected part are entries that begin with a letter and are separated by commas. Read are gears (G1~ and
JSON in base 64) and numbers that thousandths would round (PJid~field~number). The others do not change the motion; a
note names them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from structkin.files.readers.address import query
from structkin.files.readers.imported import Imported, listed, tables
from structkin.files.readers.jointed import USUAL_RPM
from structkin.files.readers.pmksplus import PlusJoint, PlusLink, build
from structkin.model.flaw import Flaw, describe, short
from structkin.model.mechanism import GROUND

# --- what follows the selected part --------------------------------------------------------------------------------

#: What an entry is, by its first letter, and where in it the id of its joint, link or force begins, if it has one.
KINDS = {
    **dict.fromkeys("JLF", ("locks", 1)),
    "H": ("lengths and angles that are held", 2),
    "K": ("colours", 2),
    "C": ("places of centres of mass", 2),
    "S": ("a synthesis of positions", None),
    "T": ("structural data", None),
}

_NUMBER = re.compile(r"P(?:([JLF])([^~]+)|([DI]))~(\d{1,2})~(.+)")


@dataclass
class More:
    """Numbers by kind, id and field; gears and meshes; and what is left out, by its kind."""

    numbers: dict[tuple[str, str, int], float] = field(default_factory=dict)
    gears: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    meshes: list[Mapping[str, Any]] = field(default_factory=list)
    left_out: dict[str, list[str]] = field(default_factory=dict)


def read_more(found: Imported, text: str, joints: set[str]) -> More:
    """Return what the entries say of the joints with these ids; record an error where they are not understood.

    >>> read_more(Imported(), "JA,PJB~0~0.12345,KJA~b", {"A", "B"})
    More(numbers={('J', 'B', 0): 0.12345}, gears={}, meshes=[], left_out={'locks': ['A'], 'colours': ['A']})
    """
    more = More()
    for entry in filter(None, text.split(",")):
        match = _NUMBER.fullmatch(entry)
        if match is not None:
            kind, id, setting, index, value = match.groups()
            if kind == "J" and id not in joints:
                found.fault(f"'{short(entry)}'", f"is a number of the joint {id}, which the address does not have")
            more.numbers[kind or setting, id or "", int(index)] = found.number(f"'{short(entry)}'", value)
        elif entry.startswith("G1~"):
            _read_gears(found, more, entry[3:], joints)
        else:
            kind, start = KINDS.get(entry[0], ("parts that are not understood", 0))
            more.left_out.setdefault(kind, []).append("" if start is None else entry[start:].partition("~")[0])
    return more


def _read_gears(found: Imported, more: More, payload: str, joints: set[str]) -> None:
    try:
        data = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        points = [(id, x, y) for id, x, y in data["points"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        found.fault("gears", "the gears of the address cannot be read", "copy the whole address again")
        return
    more.gears = {str(gear.get("id")): gear for gear in tables(found, "gears", data.get("gears"))}
    more.meshes = tables(found, "gears.meshes", data.get("meshes"))
    for id, *place in points:
        if id not in joints:
            found.fault("gears.points", f"places the joint {describe(id)}, which the address does not have")
        for k, number in enumerate(place):
            more.numbers["J", id, k] = found.number("gears.points", number)


def add_gears(
    found: Imported, more: More, joints: Sequence[PlusJoint], links: Mapping[str, str], points: Mapping[str, str]
) -> None:
    """Add the gear joints; `links` and `points` have the names of links and of points by their ids."""
    grounded = {joint.id for joint in joints if joint.ground}
    for k, mesh in enumerate(more.meshes):
        key = f"gears.meshes[{k}]"
        pair = [more.gears.get(str(mesh.get(end))) for end in ("gearAId", "gearBId")]
        if None in pair or mesh.get("kind") != "external":
            found.fault(key, "expected two gears of the address in external mesh")
            continue
        wheels = [gear for gear in pair if gear is not None]
        hosts, centers = ([str(gear.get(name)) for gear in wheels] for name in ("hostLinkId", "centerJointId"))
        if not all(host in links for host in hosts) or not all(center in points for center in centers):
            found.fault(key, "its gears are on links or joints that the address does not have")
            continue
        teeth = [found.number(f"{key}.teeth", gear.get("teeth")) for gear in wheels]
        modules = [found.number(f"{key}.module", gear.get("module")) for gear in wheels]
        entry: dict[str, Any] = {
            "type": "gear",
            "links": list(found.bodies(links[host] for host in hosts)),
            "teeth": [int(count) if count == int(count) else count for count in teeth],
            "radii": [module * count / 2 for module, count in zip(modules, teeth, strict=True)],
            "centers": [points[center] for center in centers],
        }
        if grounded.issuperset(centers):
            entry["carrier"] = GROUND
        found.joints[found.unique(f"gears {' '.join(entry['links'])}")] = entry


def note_left_out(found: Imported, more: More) -> None:
    """Note what of the address is left out."""
    for kind, which in more.left_out.items():
        names = listed(dict.fromkeys(filter(None, which)))
        found.notes.append(f"left out: {kind}{f' ({names})' if names else ''}")


# --- the address ---------------------------------------------------------------------------------------------------

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"

#: The check character is the digit for the length modulo this number, and the base of the digest.
CHECKS = 62

#: The digits of the digest.
WIDTH = 6

#: What a joint is, in its flags.
PRISMATIC, INPUT, ON_GROUND, WELDED = 1, 2, 4, 8

LENGTHS = ("in", "cm", "m")

#: What a link is: its own body, or a part welded into one. The letters also say which masses were computed.
BODIES, WELDED_PARTS = "YAMG0123", "Namg4567"

#: What a joint may end in: static and kinetic coefficient of friction and radius, in decimal with ~ for the point.
_FRICTION = re.compile(r"\d+(~\d+)?(e[+-]?\d+)?")


def read(text: str) -> Imported:
    """Return the mechanism of an address, or of what follows its question mark.

    >>> found = read("0P.TY.K,0.101.MA,A,0,0,0.GB,B,Fe,0,0..YRAB,AB,Fe,Fe,0,0,c5cae9,A,B,,...JAB")
    >>> found.points, found.links, found.drivers["input A"]["speed"]
    ({'A': [0.0, 0.0], 'B': [1.0, 0.0]}, {'ground': ['A'], 'AB': ['A', 'B']}, '-20.0 rpm')
    """
    found = Imported()
    tokens = checked(unquote(query(text))).split(".")
    if len(tokens) < 6 or "" not in tokens[4:]:
        raise Flaw("the address has no joints or no links", "it looks like 0P.TY.K,0.101.MA,A,...")
    flags, decimals, integers, units = tokens[:4]
    sections, rest = _sections(tokens[4:])
    more = read_more(found, rest, {row.split(",")[0][1:] for row in sections[0]})
    joints = [_joint(found, row, more) for row in sections[0]]
    links, owners = _links(found, sections[1])
    clockwise = _integer(found, "flags", flags) % 2 == 1
    rpm = more.numbers.get(("I", "", 0)) or float(_integer(found, "speed", integers.partition(",")[0]))
    speeds = decimals.split(",")[1:2]
    linear = more.numbers.get(("D", "", 1)) or (_decimal(found, "linear speed", speeds[0]) if speeds else 0.0)
    length = _integer(found, "units", units[:1])
    if found.problems:
        return found
    found.length = LENGTHS[length] if 0 <= length < len(LENGTHS) else "cm"
    sense = -1.0 if clockwise else 1.0
    names = build(found, joints, links, sense * (abs(rpm) or USUAL_RPM), sense * abs(linear), owners)
    add_gears(found, more, joints, *names)
    unknown = [*decimals.split(",")[2:], *integers.split(",")[2:], *filter(None, [flags[2:], units[3:]])]
    more.left_out |= {"settings that are not understood": unknown} if unknown else {}
    note_left_out(found, more)
    found.notes.append(f"lengths are read as {found.length}; masses and forces are left out")
    return found


def checked(packed: str) -> str:
    """Return what an address says, without its checks; raise `Flaw` if one of them fails.

    >>> checked("0P.TY.K,0.101..JAH")
    '0P.TY.K,0.101..JA'
    """
    body, mark, given = packed.rpartition("*")
    if not mark:
        body = packed
    elif given == digest(body.replace("+", " ")):
        body = body.replace("+", " ")  # a form has encoded the address
    elif given != digest(body):
        message = "the address is damaged: its last six characters are not the digest of the others"
        raise Flaw(message, "copy the whole address again")
    if not body or DIGITS[(len(body) - 1) % CHECKS] != body[-1]:
        what = "last character" if not mark else "character before the *"
        raise Flaw(f"the address is damaged: its {what} does not match its length", "copy the whole address again")
    return body[:-1]


def digest(text: str) -> str:
    """Return the FNV-1a digest of a text in six digits of base 62.

    >>> digest("")
    '2Maszd'
    """
    raw, value = text.encode("utf-16-be", "surrogatepass"), 2166136261
    for high, low in zip(raw[::2], raw[1::2], strict=True):
        value = (value ^ (256 * high + low)) * 16777619 % 2**32
    digits = ""
    for _ in range(WIDTH):
        value, digit = divmod(value, CHECKS)
        digits = DIGITS[digit] + digits
    return digits


def _sections(tokens: list[str]) -> tuple[list[list[str]], str]:
    """Return the joints, the links and the forces, each up to an empty token, and what follows the selected part."""
    sections: list[list[str]] = []
    for _ in range(3):
        end = tokens.index("") if "" in tokens else len(tokens)
        sections.append(tokens[:end])
        tokens = tokens[end + 1 :]
    return sections, ".".join(tokens[1:])


def _integer(found: Imported, key: str, text: str) -> int:
    """Return a number in base 64; record an error for other characters."""
    if not text or len(text) > 20 or not set(text) <= set(DIGITS):
        found.fault(key, f"'{short(text)}' is not a PMKS+ number")
        return 0
    value = 0
    for digit in text:
        value = 64 * value + DIGITS.index(digit)
    return -value if text[0] == "0" else value


def _decimal(found: Imported, key: str, text: str) -> float:
    return _integer(found, key, text) / 1000


def _joint(found: Imported, text: str, more: More) -> PlusJoint:
    cells = text.split(",")
    id, key = cells[0][1:], f"joint {cells[0][1:]}"
    if len(cells) < 5 or not id:
        found.fault(f"joint '{short(text)}'", "expected flags and id, name, x, y, angle")
        return PlusJoint(id, 0, 0, False, False, False)
    flags = _integer(found, key, cells[0][0])
    prismatic, driven, ground, welded = (bool(flags & bit) for bit in (PRISMATIC, INPUT, ON_GROUND, WELDED))
    tail, friction = cells[5:], None
    if len(tail) > 6 and all(_FRICTION.fullmatch(cell) for cell in tail[-3:]):
        _, kinetic, radius = (float(cell.replace("~", ".")) for cell in tail[-3:])
        more.left_out.setdefault("static coefficients of friction", []).append(id)
        tail, friction = tail[:-3], (kinetic, radius)
    slot = None
    if len(tail) > 2 and all(tail[:3]) and prismatic and not ground:
        slot = tail[0], tail[1], tail[2]
    elif any(tail[:3]):
        found.fault(key, "its slot is incomplete, or it is no slide, or on the ground as well")
    given = [*cells[2:5], *tail[3:4]]
    numbers = [_decimal(found, key, cell) if cell else 0.0 for cell in given] + [0.0]
    x, y, angle, speed = (more.numbers.get(("J", id, k), number) for k, number in enumerate(numbers[:4]))
    for name in filter(None, tail[5:]):  # after the mass of the slider
        if not (prismatic and name == "Fe"):  # a slide at which links are welded, as their bodies say already
            more.left_out.setdefault("names of mechanisms", []).append(name)
    return PlusJoint(id, x, y, prismatic, ground, driven, welded, angle, slot, cells[1], speed, friction)


def _links(found: Imported, rows: list[str]) -> tuple[list[PlusLink], Mapping[str, str]]:
    """Return the bodies, and the body of each link that is welded into one."""
    links: list[PlusLink] = []
    parts: dict[str, list[str]] = {}
    for row in rows:
        cells = row.split(",")
        what, id = cells[0][:1], cells[0][2:]
        if len(cells) < 8 or not id or what not in BODIES + WELDED_PARTS or cells[0][1] not in "RP":
            found.fault(f"link '{short(row)}'", "expected flags and id, name, mass, inertia, center, colour, joints")
            continue
        ids = cells[7:]
        end = ids.index("") if "" in ids else len(ids)
        parts[id] = [part for part in ids[end + 1 :] if part]
        if what in BODIES:
            links.append(PlusLink(id, ids[:end], cells[1], block=cells[0][1] == "P"))
    owners: dict[str, str] = {}
    waiting = [(link.id, part) for link in links for part in parts[link.id]]
    while waiting:
        body, part = waiting.pop()
        if owners.setdefault(part, body) != body:
            found.fault(f"link {part}", f"is welded into {owners[part]} and into {body}")
        waiting += [(body, inner) for inner in parts.pop(part, ())]
    loose = [id for row in rows if row[:1] in WELDED_PARTS and (id := row.split(",")[0][2:]) not in owners]
    if loose:
        found.notes.append(f"welded into no link, so left out: {listed(loose)}")
    return links, owners
