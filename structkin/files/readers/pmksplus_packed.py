"""PMKS+: addresses of the second generation, sections separated by full stops, numbers in base 64.

    flags.decimals.integers.units.joint.joint..link.link..force..active and a check character

Numbers are thousandths; those that begin with 0 are negative.
"""

from __future__ import annotations

from structkin.files.readers.address import query
from structkin.files.readers.imported import Imported
from structkin.files.readers.jointed import USUAL_RPM
from structkin.files.readers.pmksplus import PlusJoint, build
from structkin.model.flaw import Flaw, short

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"

#: The check character is the digit for the length modulo this number.
CHECKS = 62

#: What an input is, in the flags of a joint.
PRISMATIC, INPUT, GROUND, WELDED = 1, 2, 4, 8

LENGTHS = ("in", "cm", "m")


def read(text: str) -> Imported:
    """Return the mechanism of an address, or of what follows its question mark.

    >>> found = read("0P.TY.K,0.101.MA,A,0,0,0.GB,B,Fe,0,0..YRAB,AB,Fe,Fe,0,0,c5cae9,A,B,,...JAB")
    >>> found.points, found.links, found.drivers["input A"]["speed"]
    ({'A': [0.0, 0.0], 'B': [1.0, 0.0]}, {'ground': ['A'], 'AB': ['A', 'B']}, '-20.0 rpm')
    """
    found = Imported()
    packed = query(text)
    if not packed or DIGITS[(len(packed) - 1) % CHECKS] != packed[-1]:
        raise Flaw(
            "the address is damaged: its last character does not match its length", "copy the whole address again"
        )
    head, *rest = packed[:-1].split("..")
    tokens = head.split(".")
    if len(tokens) < 5 or not rest:
        raise Flaw("the address has no joints or no links", "it looks like 0P.TY.K,0.101.MA,A,...")
    flags, decimals, integers, units = tokens[:4]
    joints = [_joint(found, joint) for joint in tokens[4:]]
    members = dict(_link(link) for link in rest[0].split(".") if link.startswith("Y"))
    if found.problems:
        return found
    rpm = abs(_integer(found, "speed", integers.partition(",")[0])) or USUAL_RPM
    clockwise = _integer(found, "flags", flags) % 2 == 1
    length = _integer(found, "units", units[:1])
    found.length = LENGTHS[length] if 0 <= length < len(LENGTHS) else "cm"
    speeds = decimals.split(",")[1:2]
    linear = _decimal(found, "linear speed", speeds[0]) if speeds else None
    build(found, joints, members, -float(rpm) if clockwise else float(rpm), linear)
    found.notes.append(f"lengths are read as {found.length}; masses and forces are left out")
    return found


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


def _joint(found: Imported, text: str) -> PlusJoint:
    cells = text.split(",")
    id = cells[0][1:]
    if len(cells) < 5 or not id:
        found.fault(f"joint '{short(text)}'", "expected flags and id, name, x, y, angle")
        return PlusJoint(id, 0, 0, False, False, False)
    flags = _integer(found, f"joint {id}", cells[0][0])
    x, y, angle = (_decimal(found, f"joint {id}", cell) for cell in cells[2:5])
    tail = cells[5:8]
    slot = (tail[0], tail[1], tail[2]) if len(tail) == 3 and all(tail) else None
    prismatic, ground, driven, welded = (bool(flags & bit) for bit in (PRISMATIC, GROUND, INPUT, WELDED))
    return PlusJoint(id, x, y, prismatic, ground, driven, welded, angle, slot)


def _link(text: str) -> tuple[str, list[str]]:
    """Return the id of a link and those of its joints, which end at an empty cell."""
    cells = text.split(",")
    joints = cells[7:]
    return cells[0][2:], joints[: joints.index("")] if "" in joints else joints
