"""PMKS, text: one joint per line, with the links that it joins, its type, place, angle and flags."""

from __future__ import annotations

import re

from structkin.files.readers.imported import Imported
from structkin.files.readers.jointed import USUAL_RPM, PlainJoint, add_joints, drive, note_usual_speed
from structkin.model.flaw import Flaw, short

TYPES = ("R", "P", "RP", "G")


def read(text: str) -> Imported:
    """Return the mechanism of a PMKS text file.

    >>> found = read("ground,input,R,0,0,0,tfft\\ninput,rod,R,1,0\\nrod,slider,R,4,0\\nground,slider,P,4,0,0")
    >>> found.links["rod"], found.joints["guide of P3"]["axis"], found.drivers["input P1"]["joint"]
    (['P2', 'P3'], [1.0, 0.0], 'P1')
    """
    found = Imported()
    joints: list[PlainJoint] = []
    driven: list[PlainJoint] = []
    index: int | None = None
    for count, line in enumerate(text.replace("\r", "\n").split("\n"), 1):
        cells = [cell.strip() for cell in line.removeprefix("mech=").strip().split(",")]
        setting = re.fullmatch(r"([de])\s*=\s*(\S+)", line.strip())
        if setting is not None and setting[1] == "d":
            index = int(found.number(f"line {count}", setting[2]))
        if setting is not None or not any(cells):
            continue
        joint = _joint(found, count, cells, len(joints) + 1)
        if joint is not None:
            joints.append(joint)
            if "t" in cells[-1][3:4] and re.fullmatch("[tf]+", cells[-1]):
                driven.append(joint)
    if not joints and not found.problems:
        raise Flaw("the file has no joints", "a line of PMKS looks like ground,input,R,0,0,0,tfft")
    if index is not None and 0 <= index < len(joints):
        driven = [joints[index]]
    elif not driven:
        driven = [joint for joint in joints if {"ground", "input"} <= set(joint.links)][:1]
    names = add_joints(found, joints, "")
    for joint in driven:
        drive(found, joint, names.get(joint.label), f"{USUAL_RPM} rpm")
    note_usual_speed(found, "PMKS text")
    return found


def _joint(found: Imported, count: int, cells: list[str], number: int) -> PlainJoint | None:
    """Return the joint of a line; record an error and return None if there is none."""
    at = next((k for k, cell in enumerate(cells) if cell.upper() in TYPES), None)
    if at is None or at == 0 or len(cells) < at + 3:
        line = short(",".join(cells))
        found.fault(f"line {count}", f"'{line}' is not a joint", "such as ground,input,R,0,0,0,tfft: links, type, x, y")
        return None
    x, y = (found.number(f"line {count}", cell) for cell in cells[at + 1 : at + 3])
    angle = 0.0
    if len(cells) > at + 3 and not re.fullmatch("[tf]*", cells[at + 3]):
        angle = found.number(f"line {count}", cells[at + 3])
    links = tuple(dict.fromkeys(filter(None, cells[:at])))
    return PlainJoint(f"P{number}", x, y, cells[at].upper(), angle, links)
