"""PMKS, text or address: joints with the links that they join, their type, place, angle and flags.

A text has one joint per line; an address (?mech=...) separates them by |. Cells are separated by commas or blanks.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from structkin.files.readers.address import blanks, is_address, query
from structkin.files.readers.imported import Imported, listed
from structkin.files.readers.jointed import USUAL_RPM, PlainJoint, add_joints, drive, note_usual_speed
from structkin.model.flaw import Flaw, short
from structkin.model.mechanism import GROUND

TYPES = ("R", "P", "RP", "G")

#: What follows the place of a joint: four flags in one word, or a word such as True, which says that it is driven.
_FLAGS = re.compile(r"[tf+-]{1,4}|true|false", re.IGNORECASE)


def read(text: str) -> Imported:
    """Return the mechanism of a PMKS text file, or of an address.

    >>> found = read("ground,input,R,0,0,0,tfft\\ninput rod,R,1,0\\nrod,slider,R,4,0\\ngnd,slider,P,4,0,0")
    >>> found.links["rod"], found.joints["guide of P3"]["axis"], found.drivers["input P1"]["joint"]
    (['P2', 'P3'], [1.0, 0.0], 'P1')
    >>> read("https://a.b/pmks.html?set=s-5&mech=ground,a,R,0,0,tfft|a,R,1,0,tfff|").drivers["input P1"]["speed"]
    '-5.0 rpm'
    """
    found = Imported()
    joints: list[PlainJoint] = []
    driven: list[PlainJoint] = []
    settings: dict[str, str] = {}
    for count, line in enumerate(_lines(text), 1):
        setting = re.fullmatch(r"(\w+)\s*=\s*(\S+)", line)
        if setting is not None:
            name, value = setting.groups()
            settings.update({value[0]: value[1:]} if name == "set" else {name: value})
            continue
        cells = [cell for cell in re.split(r"[,\s]+", line) if cell]
        joint, driving = _joint(found, count, cells, len(joints) + 1) if cells else (None, False)
        if joint is not None:
            joints.append(joint)
            if driving:
                driven.append(joint)
    if not joints and not found.problems:
        raise Flaw("the file has no joints", "a line of PMKS looks like ground,input,R,0,0,0,tfft")
    index = int(found.number("d", settings.pop("d"))) if "d" in settings else -1
    speed = found.number("s", settings.pop("s")) if "s" in settings else None
    if 0 <= index < len(joints):
        driven = [joints[index]]
    elif index >= len(joints):
        found.notes.append(f"d = {index} drives nothing: joints are counted from 0 to {len(joints) - 1}")
    if not driven:
        driven = [joint for joint in joints if {GROUND, "input"} <= set(joint.links)][:1]
    names = add_joints(found, joints, "", [joint.label for joint in driven])
    for joint in driven:
        drive(found, joint, names.get(joint.label), f"{USUAL_RPM if speed is None else speed} rpm")
    if not driven:
        found.notes.append("no joint is driven")
    if speed is None:
        note_usual_speed(found, "PMKS text")
    if settings:
        left = listed(f"{name} = {value}" for name, value in settings.items())
        found.notes.append(f"settings of PMKS that have no effect here: {left}")
    return found


def _lines(text: str) -> list[str]:
    """Return the lines of a text, or what they are in an address: `set` has several settings, such as s20 and e5.

    >>> _lines("?set=s20|e5&mech=ground%20a%20R%200%200|")
    ['set=s20', 'set=e5', 'ground a R 0 0', '']
    """
    lines = []
    is_one = is_address(text) or "\n" not in text.strip()
    whole = query(text)
    if is_one and not re.search(r"[,\s]|%2[0C]", whole, re.IGNORECASE):  # else a + is one of the flags
        whole = blanks(whole)
    for part in unquote(whole).split("&") if is_one else re.split(r"[\r\n]", text):
        name, mark, value = part.partition("=")
        lead = f"{name.strip()}=" if mark and name.strip() != "mech" else ""
        lines += [f"{lead}{one.strip()}" for one in re.split(r"[|\r\n]", value if mark else part)]
    return lines


def _joint(found: Imported, count: int, cells: list[str], number: int) -> tuple[PlainJoint | None, bool]:
    """Return the joint of a line, and whether it is driven; record an error and return None if there is none."""
    # As in PMKS, the last word that is a type is the type: links may be named r or P.
    at = max((k for k, cell in enumerate(cells) if cell.upper() in TYPES), default=0)
    if not at or len(cells) < at + 3:
        line = short(",".join(cells))
        found.fault(f"line {count}", f"'{line}' is not a joint", "such as ground,input,R,0,0,0,tfft: links, type, x, y")
        return None, False
    x, y = (found.number(f"line {count}", cell) for cell in cells[at + 1 : at + 3])
    rest, angle = cells[at + 3 :], 0.0
    if rest and not _FLAGS.fullmatch(rest[0]):
        angle = found.number(f"line {count}", rest.pop(0))
    odd = [cell for cell in rest if not _FLAGS.fullmatch(cell)]
    if odd:
        found.fault(f"line {count}", f"'{short(odd[0])}' is not understood", "after x, y and the angle come flags")
    links = tuple(dict.fromkeys(GROUND if cell.lower() in (GROUND, "gnd") else cell for cell in cells[:at]))
    return PlainJoint(f"P{number}", x, y, cells[at].upper(), angle, links), _is_driven(rest)


def _is_driven(flags: list[str]) -> bool:
    """Return what the flags say: the fourth one, or the only word.

    >>> _is_driven(["tfft"]), _is_driven(["+--+"]), _is_driven(["True"]), _is_driven(["tfff"]), _is_driven([])
    (True, True, True, False, False)
    """
    words = [flag.lower() for flag in flags]
    letters = "".join(word[0] if word in ("true", "false") else word for word in words)
    return words == ["true"] or letters[3:4] in ("t", "+")
