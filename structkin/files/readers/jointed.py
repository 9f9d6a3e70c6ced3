"""Formats that list joints with the links they join: PMKS, PMKS+, Pyslvs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from structkin.files.readers.imported import Imported, bounded
from structkin.model.mechanism import GROUND

#: Revolutions per minute if a file gives no speed.
USUAL_RPM = 10.0


@dataclass(frozen=True)
class PlainJoint:
    """A joint: R a pin, P a guide, RP a pin in a slot. The first link carries the guide or slot, at `angle` [deg].

    `line` names two other joints through which the guide passes; the angle is then ignored.
    """

    label: str
    x: float
    y: float
    kind: str
    angle: float
    links: tuple[str, ...]
    line: tuple[str, str] | None = None


def add_joints(found: Imported, joints: Sequence[PlainJoint], key: str, driven: Collection[str] = ()) -> dict[str, str]:
    """Add joints and their links, and return the name of each: of its point, or of its guide.

    A pin in a slot cannot be driven: where `driven` has its label, the pin sits on a block of its own in the slot.
    Links that are pinned to the ground at two places are parts of it.
    """
    bounded(len(joints) + sum(len(joint.links) for joint in joints))
    for joint in joints:
        for link in joint.links:
            if link != GROUND and link not in found.links:
                found.links[link] = []
    joints = [part for joint in joints for part in _parts(found, joint, joint.label in driven)]
    pins, slides = [one for one in joints if one.kind == "R"], [one for one in joints if one.kind != "R"]
    points = {joint.label: _add_point(found, joint, joint.links) for joint in pins if joint.links}
    found.ground_bars()
    guides: list[PlainJoint] = []
    for joint in (*pins, *slides):
        where, links = f"{key} {joint.label}".strip(), found.bodies(joint.links)
        if joint.kind not in ("R", "P", "RP"):
            found.fault(where, f"joints of the type '{joint.kind}' are not understood", "known: R, P, RP")
        elif not links:
            found.notes.append(f"{where} is on no link and is left out")
        elif joint.kind != "R" and len(set(joint.links)) < len(joint.links):
            found.fault(where, "joins a link to itself")
        elif joint.kind != "R" and len(links) == 1:
            points[joint.label] = _add_point(found, joint, links)
        elif joint.kind != "R":
            guides.append(replace(joint, links=links))
            points[joint.label] = _point_of_slide(found, guides[-1])
    return {**points, **{joint.label: _add_slide(found, joint, points) for joint in guides}}


def _parts(found: Imported, joint: PlainJoint, driven: bool) -> list[PlainJoint]:
    if joint.kind != "RP" or not driven or len(joint.links) < 2:
        return [joint]
    carrier, *riders = joint.links
    block = found.link(f"block {joint.label}", ())
    return [replace(joint, kind="R", links=(*riders, block)), replace(joint, kind="P", links=(carrier, block))]


def _add_point(found: Imported, joint: PlainJoint, links: Sequence[str]) -> str:
    name = found.unique(joint.label)
    found.points[name] = [joint.x, joint.y]
    for link in links:
        if name not in found.links[link]:
            found.links[link].append(name)
    return name


def _point_of_slide(found: Imported, joint: PlainJoint) -> str:
    """Return the point that slides: a pin that is already here, such as one in the middle of a block, or a new one."""
    carrier, *sliders = joint.links
    here = (
        point
        for point in found.links[sliders[0]]
        if joint.kind == "P" and found.points[point] == [joint.x, joint.y] and point not in found.links[carrier]
    )
    return next(here, None) or _add_point(found, joint, sliders)


def _add_slide(found: Imported, joint: PlainJoint, points: Mapping[str, str]) -> str:
    carrier, *sliders = joint.links
    at = points[joint.label]
    line = None if joint.line is None else [points.get(end, end) for end in joint.line]
    direction = {"axis": axis(joint.angle)} if line is None else {"along": line}
    for slider in sliders[1:] if joint.kind == "P" else ():
        fastening = found.unique(f"fastening of {slider}")
        found.joints[fastening] = {"type": "fastened", "links": [sliders[0], slider]}
    name = found.unique(f"{'guide' if joint.kind == 'P' else 'slot'} of {at}")
    if joint.kind == "P":
        found.joints[name] = {"type": "prismatic", "links": [carrier, sliders[0]], "at": at, **direction}
    else:
        found.joints[name] = {"type": "pin-in-slot", "pin": at, "slot": carrier, **direction}
    return name


def axis(angle: float) -> list[float]:
    """Return the unit vector at an angle [deg]; exact along the axes.

    >>> axis(90.0), axis(-180.0)
    ([0.0, 1.0], [-1.0, 0.0])
    """
    quarter, rest = divmod(angle, 90)
    if rest == 0:
        x, y = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter) % 4]
        return [x, y]
    return [math.cos(math.radians(angle)), math.sin(math.radians(angle))]


def drive(found: Imported, joint: PlainJoint, name: str | None, speed: str, *, slide: str = "") -> None:
    """Add a driver to a joint: a pin runs at `speed`, a slide at `slide`, each a quantity with its unit."""
    bodies = found.bodies(joint.links)
    if name is None or len(bodies) < 2:
        found.notes.append(f"the input at {joint.label} drives nothing: there is no joint")
        return
    driver = found.unique(f"input {joint.label}")
    if joint.kind == "R":
        links = sorted(bodies, key=lambda link: link != GROUND)[:2]
        if len(bodies) > 2:
            found.notes.append(f"{joint.label} joins {len(bodies)} links: {links[1]} is driven against {links[0]}")
        found.drivers[driver] = {"joint": name, "links": links, "speed": speed}
    else:
        usual = "-1 mm/s" if speed.startswith("-") else "1 mm/s"
        found.drivers[driver] = {"joint": name, "speed": slide or usual}
        found.duration = 1.0
        how = "" if slide else f" at {usual}, as the file gives no speed"
        found.notes.append(f"the guide {joint.label} is driven{how}; the time range is set to 1 s")


def note_usual_speed(found: Imported, source: str) -> None:
    """Note that a source gives no speed, if an input turns: the notes on guides say it themselves."""
    if any("rpm" in driver["speed"] for driver in found.drivers.values()):
        found.notes.append(f"{source} gives no speed: the input turns at {USUAL_RPM:g} rpm")
