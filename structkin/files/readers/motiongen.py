"""MotionGen (.motiongen): JSON of joints, links, slots, cylinders and actuators."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from structkin.files.readers.imported import Imported, bounded, listed, table, tables
from structkin.model.file import parse_data
from structkin.model.flaw import describe
from structkin.model.mechanism import GROUND

UNITS = ("mm", "cm", "m", "in", "ft", "dm", "km")


def read(text: str) -> Imported:
    """Return the mechanism of a .motiongen file; joints are named A, B, ... in the order of the file.

    >>> found = read('''{"mechanism": {"joints": [{"id": "p", "x": 0, "y": 0}, {"id": "q", "x": 1, "y": 0}], "links": [
    ...   {"jointIds": ["p"], "isGround": true}, {"jointIds": ["p", "q"], "isGround": false}], "actuators": [
    ...   {"type": "rotary", "at": "p", "from": "p", "to": "q", "velocity": 10}]}}''')
    >>> found.links, found.drivers["input A"]
    ({'ground': ['A'], 'L2': ['A', 'B']}, {'links': ['ground', 'L2'], 'speed': '10.0 rpm'})
    """
    data = parse_data(text, ".json")
    settings = data.get("settings")
    found = Imported()
    unit = settings.get("linearUnit") if isinstance(settings, Mapping) else None
    if isinstance(unit, str) and unit in UNITS:
        found.length = unit
    else:
        found.notes.append(f"the unit of length is {describe(unit)}: lengths are read as mm")
    mechanism = table(found, "mechanism", data.get("mechanism"))
    points = _points(found, mechanism)
    _links(found, mechanism, points)
    for kind in ("slots", "cylinders"):
        if mechanism.get(kind):
            found.fault(f"mechanism.{kind}", f"{kind} of MotionGen are not understood", "only pinned links are")
    for k, actuator in enumerate(tables(found, "mechanism.actuators", mechanism.get("actuators"))):
        _actuator(found, f"mechanism.actuators[{k}]", actuator, points)
    return found


def _points(found: Imported, mechanism: Mapping[str, Any]) -> dict[str, str]:
    points: dict[str, str] = {}
    for k, joint in enumerate(tables(found, "mechanism.joints", mechanism.get("joints"))):
        key, name = f"mechanism.joints[{k}]", found.unique(chr(65 + k % 26) + (str(k // 26) if k >= 26 else ""))
        found.points[name] = [found.number(f"{key}.{axis}", joint.get(axis)) for axis in "xy"]
        id = found.text(f"{key}.id", joint.get("id"))
        if id in points:
            found.fault(f"{key}.id", "this id is used twice")
        points[id] = name
        if joint.get("isWelded"):
            found.notes.append(f"{name} is welded in MotionGen: the links at it are fastened to each other")
            found.joints[f"weld {name}"] = {"type": "fastened", "links": [], "at": name}
    return points


def _links(found: Imported, mechanism: Mapping[str, Any], points: Mapping[str, str]) -> None:
    """Add the links."""
    rows = tables(found, "mechanism.links", mechanism.get("links"))
    bounded(sum(len(ids) for link in rows if isinstance(ids := link.get("jointIds"), list)))
    for k, link in enumerate(rows):
        key, ids = f"mechanism.links[{k}]", link.get("jointIds")
        if not isinstance(ids, list) or not all(isinstance(id, str) and id in points for id in ids):
            found.fault(f"{key}.jointIds", "expected ids of joints in the file")
            continue
        own = [points[id] for id in ids]
        if link.get("isGround"):
            found.links[GROUND] += [point for point in own if point not in found.links[GROUND]]
        elif own:
            found.link(f"L{k + 1}", own)
    if not found.links.keys() - {GROUND} and not found.problems:
        found.fault("mechanism.links", "the file has no moving link")
    found.ground_bars()
    for name, joint in list(found.joints.items()):
        joint["links"] = [link for link, own in found.links.items() if joint["at"] in own]
        if len(joint["links"]) < 2:
            del found.joints[name]
    used = {point for own in found.links.values() for point in own}
    loose = [point for point in found.points if point not in used]
    for point in loose:
        del found.points[point]
    if loose:
        found.notes.append(f"on no link, so left out: {listed(loose)}")


def _actuator(found: Imported, key: str, actuator: Mapping[str, Any], points: Mapping[str, str]) -> None:
    """Add a rotary actuator: at a joint, from the link of one joint to the link of another."""
    at, start, end = (points.get(found.text(f"{key}.{name}", actuator.get(name))) for name in ("at", "from", "to"))
    if actuator.get("type") != "rotary":
        found.fault(f"{key}.type", f"expected the text 'rotary', found {describe(actuator.get('type'))}")
        return
    held = {name: own for name, own in found.links.items() if at in own}
    driven = next((name for name, own in held.items() if end in own and end != at and name != GROUND), None)
    base = next((name for name, own in held.items() if start in own and name != driven), None)
    if at is None or driven is None or base is None:
        found.fault(key, "its joints 'at', 'from' and 'to' are not on two links with a common joint")
        return
    least, largest = (found.number(f"{key}.{name}", actuator.get(name, usual)) for name, usual in _RANGE)
    if abs(largest - least) != 360:
        found.notes.append(
            f"the input at {at} goes from {least:g} to {largest:g} deg in MotionGen; here it has no limits"
        )
    velocity = actuator.get("velocity", 10)
    name = found.unique(f"input {at}")
    values = velocity if isinstance(velocity, list) else [velocity]
    speeds = [found.number(f"{key}.velocity", value) for value in values]
    if not speeds or not all(speeds):
        found.fault(f"{key}.velocity", "expected speeds other than zero")
    elif len(set(speeds)) == 1:
        found.drivers[name] = {"links": [base, driven], "speed": f"{speeds[0]!r} rpm"}
    else:
        _profile(found, name, [base, driven], speeds)


_RANGE = (("min", 0.0), ("max", 360.0))


def _profile(found: Imported, name: str, links: list[str], speeds: list[float]) -> None:
    """Make the driver's law from speeds [rpm] at equal steps of one turn: the time at which it reaches each angle."""
    if min(speeds) * max(speeds) < 0:
        found.fault(name, "the speeds of the profile change sign")
        return
    step = 360 / len(speeds)
    ahead = 1 if speeds[0] > 0 else -1
    times = [0.0, *accumulate(step / (6 * abs(speed)) for speed in speeds)]
    start = found.angle(links[1]) - found.angle(links[0])
    found.drivers[name] = {"links": links, "table": [[t, start + ahead * step * k] for k, t in enumerate(times)]}
    found.notes.append(f"the speed of {name} varies over a turn: a spline passes through its {len(speeds)} angles")
