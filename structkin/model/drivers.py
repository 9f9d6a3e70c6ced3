"""Fourth pass: the coordinate and the law of each driver."""

from __future__ import annotations

import cmath
import math
from itertools import pairwise
from typing import Any

import numpy as np

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.pair import Pair
from structkin.model.draft import Draft
from structkin.model.expression import Expression
from structkin.model.fields import pair
from structkin.model.flaw import MOST, Flaw, describe, number
from structkin.model.laws import ConstantSpeed, ExpressionLaw, TableLaw
from structkin.model.mechanism import GROUND
from structkin.model.parts import DriverCoordinate, Law
from structkin.model.schema import DriverEntry
from structkin.model.stroke import check_stroke, read_stroke
from structkin.model.tables import WITHOUT_CSV, read_table
from structkin.model.topology import JOINT_KINDS, Driver, Joint, acting_at, suggest
from structkin.numerical_tolerances import NEAREST_TIME, ROUNDING

Ends = tuple[tuple[str, str], tuple[str, str]]

_RATE = {"angle": "angular speed", "slide": "speed", "distance": "speed"}


def make_drivers(draft: Draft) -> None:
    """Fill `drivers` and `coordinates`."""
    taken: dict[object, str] = {}
    for id, entry in draft.driver_entries.items():
        key = f"drivers.{id}"
        made = draft.attempt(key, _target, draft, id, entry)
        driver, ends = made if made is not None else (None, None)
        start = _start(draft, driver, ends) if driver is not None else None
        kind = driver.kind if driver is not None else "distance" if _is_between(entry) else None
        law = _law(draft, key, entry, kind, start or 0.0)
        stroke = draft.attempt(f"{key}.stroke", _stroke, draft, driver, entry.stroke, start)
        if driver is None:
            draft.unread.add(key)
            continue
        what = _coordinate(driver, ends)
        if what in taken:
            draft.fault(key, f"drives the same coordinate as '{taken[what]}'", "delete one of these drivers")
        taken.setdefault(what, id)
        draft.drivers[id] = driver
        if start is not None:
            draft.coordinates[id] = DriverCoordinate(
                id, driver.kind, driver.links, driver.joint, start, law, ends, stroke
            )


def _is_between(entry: DriverEntry) -> bool:
    """Return whether a driver is a cylinder even where its points are wrong, so that its law is checked with them."""
    return entry.between is not None and entry.joint is None and entry.links is None


def _coordinate(driver: Driver, ends: Ends | None) -> object:
    # Points, links and joints may have the same names.
    if ends is not None:
        return driver.kind, frozenset((ends[0][1], ends[1][1]))
    return driver.kind, driver.joint if driver.kind == "slide" else frozenset(driver.links)


def _target(draft: Draft, id: str, entry: DriverEntry) -> tuple[Driver, Ends | None] | None:
    key = f"drivers.{id}"
    if entry.between is not None:
        if entry.joint is not None or entry.links is not None:
            raise Flaw("has 'between' as well as 'joint' or 'links'", "a driver has only one of them")
        return _distance(draft, key, id, entry.between)
    if entry.links is not None and not two_links(draft, key, entry.links):
        return None
    if entry.joint is not None:
        return _at_joint(draft, key, id, entry.joint, entry.links)
    if entry.links is not None:
        pins = [j.id for j in draft.joints.values() if j.kind == "R" and set(entry.links) <= set(j.links)]
        return Driver(id, "angle", entry.links, pins[0] if pins else None), None
    if any(problem.key.startswith(f"{key}.") or problem.key == key for problem in draft.problems):
        return None
    raise Flaw("does not say what it drives", 'give joint = "A", or links = ["a", "b"], or between = ["E", "F"]')


def _at_joint(draft: Draft, key: str, id: str, name: str, links: tuple[str, str] | None) -> tuple[Driver, None] | None:
    joint = draft.joints.get(name)
    if joint is None:
        held = draft.holders.get(name, [])
        if draft.excused("joints", name) or draft.excused("points", name) or not draft.whole("links"):
            return None
        if len(held) == 1 and name in draft.points:
            hint = "name it in a second link, or name a joint of [joints]"
            draft.fault(f"{key}.joint", f"'{name}' is a point of one link only ({held[0]}), not a joint", hint)
        elif len(held) > 1 and name in draft.points:
            message = f"'{name}' is not a joint: its links ({', '.join(held)}) are fastened together"
            draft.fault(f"{key}.joint", message, "drive a joint that can move")
        elif name in draft.link_entries:
            on = [joint.id for joint in draft.joints.values() if name in joint.links]
            hint = f"its joints: {', '.join(on)}" if on else "it has no joint"
            draft.fault(f"{key}.joint", f"'{name}' is a link, not a joint", hint)
        else:
            draft.fault(f"{key}.joint", f"there is no joint '{name}'", suggest(name, draft.joints))
        return None
    if isinstance(joint, CircularSlot | CurveSlot):
        raise Flaw(f"a curved slot ('{name}') cannot be driven", 'drive a distance: between = ["E", "F"]')
    if joint.kind in "GK":
        what = JOINT_KINDS[joint.kind].name
        raise Flaw(f"a {what} ('{name}') cannot be driven", 'drive the angle of a link: links = ["ground", "wheel"]')
    if joint.kind == "C":
        raise Flaw(f"a cam contact ('{name}') cannot be driven", "drive the cam's shaft")
    if joint.kind == "F":
        raise Flaw(f"a fastened joint ('{name}') cannot be driven", "drive a joint that can move")
    if links is not None and not set(links) <= set(joint.links):
        if joint.kind == "R" and {draft.bearer(link, name) for link in links} <= set(joint.links):
            return Driver(id, "angle", links), None  # of links fastened to those on the pin
        raise Flaw(f"the joint '{name}' does not join {links[0]} and {links[1]}", f"it joins {', '.join(joint.links)}")
    if joint.kind in "PS":
        natural = _natural(joint)
        if links is not None and links != natural:
            raise Flaw(
                f"the travel of '{name}' is that of {natural[1]} relative to {natural[0]}",
                f'write links = ["{natural[0]}", "{natural[1]}"], or delete links and reverse the axis',
            )
        return Driver(id, "slide", natural, name), None
    return Driver(id, "angle", links or ends_at_pin(joint), name), None


def two_links(draft: Draft, key: str, links: tuple[str, str], where: str = "links") -> bool:
    """Return whether the two links of a key are known; record an error for each that is not. `Flaw` if they are one."""
    known = [draft.has_link(f"{key}.{where}", link) for link in dict.fromkeys(links)]
    if links[0] == links[1]:
        raise Flaw(f"acts between '{links[0]}' and itself", "name two different links")
    return all(known)


def ends_at_pin(joint: Joint | Pair) -> tuple[str, str]:
    """Return the two links (from, to) of a pin whose relative rotation counts. `Flaw` if it joins more."""
    if len(joint.links) > 2:
        hint = f'add links = ["{joint.links[0]}", "{joint.links[1]}"]: from, to'
        raise Flaw(f"the pin '{joint.id}' joins {len(joint.links)} links: {', '.join(joint.links)}", hint)
    return _natural(joint)


def _natural(joint: Joint | Pair) -> tuple[str, str]:
    """Return (from, to): first the ground, or else the first listed link; of a slot, first the slotted link."""
    first, second = joint.links[0], joint.links[1]
    if joint.kind == "S":
        return second, first
    return (second, first) if second == GROUND else (first, second)


def _distance(draft: Draft, key: str, id: str, points: tuple[str, str]) -> tuple[Driver, Ends] | None:
    if points[0] == points[1]:
        raise Flaw(f"names the point '{points[0]}' twice", "name two points of different links")
    if not draft.has_points(f"{key}.between", points):
        return None
    held = [draft.holders.get(point, []) for point in points]
    if not all(held):
        return None  # reported by `check_use`
    common = [link for link in held[0] if link in held[1]]
    if common:
        raise Flaw(
            f"'{points[0]}' and '{points[1]}' are both on '{common[0]}': their distance is constant",
            "choose another point",
        )
    if draft.points[points[0]] == draft.points[points[1]]:
        raise Flaw(f"'{points[0]}' and '{points[1]}' coincide in the sketch", "draw them apart")
    names = [draft.link_of(point) or "" for point in points]
    ends = [f"@{point}" if point in draft.joints else name for point, name in zip(points, names, strict=True)]
    driver = Driver(id, "distance", (ends[0], ends[1]), at=acting_at(ends, points))
    return driver, ((names[0], points[0]), (names[1], points[1]))


def _start(draft: Draft, driver: Driver, ends: Ends | None) -> float | None:
    """Return the coordinate in the sketch [rad or m], or None if a link has no geometry."""
    if driver.kind == "slide":
        return 0.0
    if ends is not None:
        return abs(draft.points[ends[1][1]] - draft.points[ends[0][1]])
    first, second = (draft.links.get(link) for link in driver.links)
    if first is None or second is None:
        return None
    angle = cmath.phase(second.direction * first.direction.conjugate())
    return math.pi if angle <= -math.pi else angle


def _stroke(draft: Draft, driver: Driver | None, value: Any, start: float | None) -> tuple[float, float] | None:
    """Return the smallest and the largest length [m] of a cylinder; raise `Flaw`."""
    if value is None or driver is None:
        return None
    if driver.kind == "slide":
        raise Flaw("the stroke of a slide belongs to its joint", f"write it in joints.{driver.joint}.stroke")
    if driver.kind == "angle":
        raise Flaw("an angle driver has no stroke", 'only a cylinder has one: between = ["E", "F"]')
    stroke = read_stroke(draft.units, value, "length")
    if stroke[0] < 0:
        raise Flaw(
            f"expected distances that are not negative, found {value}", "give the smallest and the largest distance"
        )
    return check_stroke(draft.units, stroke, "length", start or 0.0)


def _law(draft: Draft, key: str, entry: DriverEntry, kind: str | None, start: float) -> Law | None:
    given = [name for name in ("speed", "law", "table", "csv") if getattr(entry, name) is not None]
    if len(given) > 1:
        draft.fault(key, f"has {' and '.join(given)}", "give at most one of speed, law, table, csv")
    if entry.columns is not None and entry.csv is None:
        draft.fault(f"{key}.columns", *WITHOUT_CSV)
    law: Law | None = None
    for name in given:
        law = draft.attempt(f"{key}.{name}", _one, draft, name, entry, kind, start)
    return law


def _one(draft: Draft, name: str, entry: DriverEntry, kind: str | None, start: float) -> Law | None:
    value, quantity = getattr(entry, name), "angle" if kind == "angle" else "length"
    scale = 1.0 if kind is None else draft.units.scale(quantity)
    if name == "speed":
        if kind is None:
            _any_speed(draft, value)
            return None
        return ConstantSpeed(start, draft.units.quantity(value, _RATE[kind]))
    if name == "law":
        if not isinstance(value, str):
            value = repr(number(value))
        return ExpressionLaw(Expression(value), scale)
    if name == "csv":
        kinds = None if kind is None else ("time", quantity)
        rows = read_table(value, draft.folder, entry.columns, kinds, draft.units)
    else:
        rows = table_rows(value)
    times, values = check_rows(rows, 3, "values are interpolated by a cubic spline")
    return TableLaw(times, tuple(scale * x for x in values))


def _any_speed(draft: Draft, value: Any) -> None:
    """Check a speed whose kind is unknown because of an error reported elsewhere."""
    try:
        draft.units.quantity(value, "speed")
    except Flaw:
        draft.units.quantity(value, "angular speed")


def table_rows(value: Any) -> list[tuple[float, float]]:
    """Return the rows [time, value] of a table in the file; raise `Flaw` with the first rows that are none."""
    if isinstance(value, str):
        raise Flaw(f"expected rows [time, value], found {describe(value)}", 'for a file write csv = "..."')
    if not isinstance(value, list | tuple | np.ndarray) or getattr(value, "ndim", 1) == 0:
        raise Flaw(f"expected rows [time, value], found {describe(value)}", "such as [[0, 0], [1, 10], [2, 0]]")
    rows, flaws = [], []
    for i, row in enumerate(value, 1):
        try:
            t, x = pair(row, "[time, value]", "such as [0, 10]")
            rows.append((number(t), number(x)))
        except Flaw as flaw:
            flaws.append(Flaw(f"row {i}: {flaw.message}", flaw.hint))
    if flaws:
        raise Flaw(flaws[0].message, flaws[0].hint, flaws[1:MOST])
    return rows


def check_rows(
    rows: list[tuple[float, float]], fewest: int, reason: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return times and values of a table; raise `Flaw`, with the reason, if it has fewer rows, or for their times.

    >>> check_rows([(0, 1), (1, 3), (2, 4)], 3, "a driver's table is a spline")
    ((0, 1, 2), (1, 3, 4))
    """
    if len(rows) < fewest:
        raise Flaw(f"a table needs at least {fewest} rows, found {len(rows)}", reason)
    least = max(NEAREST_TIME, ROUNDING * (rows[-1][0] - rows[0][0]))
    for i, (before, after) in enumerate(pairwise(rows), 2):
        if after[0] <= before[0]:
            raise Flaw(f"row {i}: the time {after[0]:g} s does not come after {before[0]:g} s", "sort the rows by time")
        if after[0] - before[0] < least:
            gap = f"row {i}: the time {after[0]:g} s is only {after[0] - before[0]:.3g} s after the previous row"
            raise Flaw(gap, f"leave at least {least:.1g} s, or rounding spoils the rates")
    times, values = zip(*rows, strict=True)
    return times, values
