"""PMKS, JSON: joints with their links, and which of them is driven."""

from __future__ import annotations

from typing import Any

from structkin.files.readers.imported import Imported, tables
from structkin.files.readers.jointed import USUAL_RPM, PlainJoint, add_joints, drive
from structkin.model.file import parse_data
from structkin.model.flaw import describe


def read(text: str) -> Imported:
    """Return the mechanism of a .pmks file.

    >>> found = read('''{"Joints": [
    ...   {"X": 0, "Y": 0, "TypeOfJoint": "R", "Links": ["ground", "input"]},
    ...   {"X": 1, "Y": 0, "TypeOfJoint": "R", "Links": ["input"]}], "DrivingIndex": 0, "InputSpeed": 6}''')
    >>> found.links, found.drivers["input P1"]["speed"]
    ({'ground': ['P1'], 'input': ['P1', 'P2']}, '6.0 rpm')
    """
    data = parse_data(text, ".json")
    found = Imported(title=data["Name"] if isinstance(data.get("Name"), str) else "")
    joints = []
    for k, item in enumerate(tables(found, "Joints", data.get("Joints"))):
        key = f"Joints[{k}]"
        links: Any = item.get("Links")
        if not isinstance(links, list) or not all(isinstance(link, str) and link.strip() for link in links):
            found.fault(f"{key}.Links", f"expected names of links, found {describe(links)}")
            continue
        x, y, angle = (found.number(f"{key}.{name}", item.get(name, usual)) for name, usual in _NUMBERS)
        joints.append(
            PlainJoint(
                f"P{k + 1}", x, y, found.text(f"{key}.TypeOfJoint", item.get("TypeOfJoint")), angle, tuple(links)
            )
        )
    if not joints and not found.problems:
        found.fault("Joints", "the file has no joints")
    index = data.get("DrivingIndex")
    driven = joints[index : index + 1] if isinstance(index, int) and index >= 0 else []
    names = add_joints(found, joints, "", [joint.label for joint in driven]) if not found.problems else {}
    speed = found.number("InputSpeed", data.get("InputSpeed", USUAL_RPM)) if driven else 0.0
    for joint in driven:
        drive(found, joint, names.get(joint.label), f"{speed!r} rpm")
    if not driven:
        found.notes.append("no joint is driven")
    return found


_NUMBERS = (("X", None), ("Y", None), ("Angle", 0.0))
