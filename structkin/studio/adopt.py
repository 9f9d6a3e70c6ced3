"""The current pose as the new sketch: points, axes and centres of mass move with their links.

Some entries of a mechanism file refer to the sketch, such as the zero of a travel or the mesh of two gears. If there
are any, the sketch is not replaced, because the motion would change.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping
from typing import Any

from structkin.errors import InputError, Problem
from structkin.model.flaw import Flaw
from structkin.studio.document import GROUND, Document
from structkin.studio.driving import Driving

#: Joints whose entries depend on the sketch only by an axis, and the keys that they may then have.
GUIDES = ("prismatic", "pin-in-slot")
KEYS = frozenset({"type", "links", "at", "axis", "along", "length", "pin", "slot"})
#: Digits of a coordinate that was computed.
DIGITS = 12

Move = Callable[[str, complex], complex]


def with_pose(document: Document, driving: Driving) -> Document:
    """Return the document with the pose of `driving` as its sketch; `InputError` names what refers to the old one."""
    m, frames = driving.mechanism, driving.frames
    problems = [*_fixed_joints(document), *_fixed_drivers(document, driving), *_fixed_forces(document)]
    if problems:
        raise InputError([Problem("", "the sketch stays, because other entries refer to it"), *problems], "studio")

    def moved(link: str, z: complex) -> complex:
        """Return where a place [m] of a link in the sketch is now."""
        if link not in frames:
            return z
        (x, y, angle), body = frames[link], m.links[link]
        return complex(x, y) + (z - body.origin) / body.direction * cmath.rect(1, angle)

    def turned(link: str, z: complex) -> complex:
        return moved(link, z) - moved(link, 0j)

    def change(data: dict[str, Any]) -> None:
        scale = document.units.length_scale
        for name in data["points"]:
            links = [link for link in document.holders(name) if link in m.links]
            if GROUND not in links and links:
                (x, y, angle), body = frames[links[0]], m.links[links[0]]
                data["points"][name] = _pair((complex(x, y) + body.local[name] * cmath.rect(1, angle)) / scale)
        for name, entry in data["links"].items():
            if isinstance(entry, Mapping) and isinstance(entry.get("center"), list) and name in m.links:
                at = [document.length(item) or 0.0 for item in entry["center"]]
                data["links"][name] = {**entry, "center": _pair(moved(name, complex(*at) * scale) / scale)}
        for entry in data.get("joints", {}).values():
            if isinstance(entry.get("axis"), list):
                link = entry.get("slot") or next(link for link in entry["links"] if link != GROUND)
                carrier = GROUND if GROUND in entry.get("links", ()) else link
                entry["axis"] = _pair(turned(carrier, complex(*entry["axis"])))

    return document.changed(change)


def _pair(z: complex) -> list[float]:
    return [float(f"{part:.{DIGITS}g}") for part in (z.real, z.imag)]


def _fixed_joints(document: Document) -> list[Problem]:
    return [
        _refers(f"joints.{name}")
        for name, entry in document.section("joints").items()
        if entry.get("type") not in GUIDES or not KEYS.issuperset(entry)
    ]


def _fixed_drivers(document: Document, driving: Driving) -> list[Problem]:
    """A travel is counted from the sketch; the angle of a pin is not."""
    return [
        _refers(f"drivers.{name}")
        for name, entry in document.section("drivers").items()
        if name in driving.own
        and driving.mechanism.drivers[name].kind == "slide"
        and not {"joint", "speed"} >= {*entry}
    ]


def _fixed_forces(document: Document) -> list[Problem]:
    names = [
        f"forces.{name}"
        for name, entry in document.section("forces").items()
        if name != "gravity" and not _moves_along(document, entry)
    ]
    return [_refers(name) for name in (*names, *(name for name in ("initial", "pose") if document.section(name)))]


def _moves_along(document: Document, entry: Mapping[str, Any]) -> bool:
    """Return whether a load is the same with another sketch.

    A load over time is not: time begins in the sketch. Nor is a free length or a place that the sketch gives, an angle
    whose turns are counted from it, a force in the axes of a link with one point, or the side of a line in contact.
    """
    kind = entry.get("type")
    if kind == "spring":
        has_length = "free_length" in entry or not entry.get("stiffness")
        return has_length and _is_steady(document, entry.get("actuator"), "force")
    if kind == "torsion":
        return not entry.get("stiffness") and _is_steady(document, entry.get("actuator"), "moment")
    if kind == "force" and isinstance(entry["at"], str):
        links = [entry["on"]] if "on" in entry else [name for name in document.holders(entry["at"]) if name != GROUND]
        has_axes = entry.get("frame") != "local" or all(len(document.members(link)) > 1 for link in links)
        return has_axes and "value" in entry
    return kind == "friction" or (kind == "moment" and "value" in entry) or (kind == "contact" and "along" not in entry)


def _is_steady(document: Document, value: Any, kind: str) -> bool:
    try:
        document.units.quantity(value or 0, kind)
    except Flaw:
        return False
    return True


def _refers(key: str) -> Problem:
    return Problem(key, "refers to the sketch")
