"""PMKS+: what follows the selected part in an address, entries that begin with a letter and are separated by commas.

Read are gears (G1~ and JSON in base 64) and numbers that thousandths would round (PJid~field~number). The others do not
change the motion; a note names them.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from structkin.files.readers.imported import GROUND, Imported, listed, tables
from structkin.files.readers.pmksplus import PlusJoint
from structkin.model.flaw import describe, short

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
