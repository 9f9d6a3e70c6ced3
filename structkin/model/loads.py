"""Fifth pass: loads on the links, and efforts of free coordinates."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from structkin.model.collector import Collector
from structkin.model.contact_shapes import make_contact
from structkin.model.draft import GROUND, Draft
from structkin.model.drivers import check_rows, table_rows
from structkin.model.expression import Expression
from structkin.model.fields import numbers
from structkin.model.flaw import Flaw, number
from structkin.model.force_schema import (
    ContactEntry,
    ForceEntry,
    FrictionEntry,
    MomentEntry,
    SizedEntry,
    SpringEntry,
    TorsionEntry,
)
from structkin.model.forces import AppliedForce, AppliedMoment, Forces, Friction, Load, Spring, Torsion
from structkin.model.initial import prescribed
from structkin.model.laws import ConstantSpeed, ExpressionLaw, MonotoneTable, ScaledLaw
from structkin.model.parts import Law, Link
from structkin.model.sizes import TRANSITION, between
from structkin.model.stroke import shown
from structkin.model.tables import WITHOUT_CSV, read_table
from structkin.model.topology import JOINT_KINDS, suggest
from structkin.model.units import Units
from structkin.numerical_tolerances import ROUNDING, WHOLE

TURN = 2 * math.pi
#: Half a turn, and a rounding error.
HALF_TURN = math.pi * (1 + WHOLE)


def make_forces(draft: Draft) -> None:
    """Fill `forces`."""
    loads: dict[str, Load] = {}
    for id, entry in draft.force_entries.items():
        load = draft.attempt(f"forces.{id}", _MAKERS[type(entry)], draft, id, entry)
        if load is not None:
            loads[id] = load
    efforts = _efforts(draft)
    draft.forces = Forces(draft.forces.gravity, MappingProxyType(loads), MappingProxyType(efforts))


# --- loads --------------------------------------------------------------------------------------------------


def _spring(draft: Draft, id: str, entry: SpringEntry) -> Spring | None:
    key = f"forces.{id}"
    actuator = _actuator(draft, key, entry.actuator, "force")
    a, b = entry.between
    if not draft.has_points(f"{key}.between", (a, b)):
        return None
    if a == b:
        raise Flaw(f"names the point '{a}' twice", "name two points")
    ends = []
    for point in (a, b):
        link = draft.link_of(point)
        if link is None:
            return None  # reported by `check_use`
        ends.append((link, point))
    free = abs(draft.points[b] - draft.points[a]) if entry.free_length is None else entry.free_length
    return Spring(id, (ends[0], ends[1]), entry.stiffness, free, entry.damping, actuator)


def _torsion(draft: Draft, id: str, entry: TorsionEntry) -> Torsion | None:
    key = f"forces.{id}"
    actuator = _actuator(draft, key, entry.actuator, "moment")
    links = _turning(draft, key, entry.joint, entry.links)
    if links is None or any(link not in draft.links for link in links):
        return None
    first, second = (draft.links[link] for link in links)
    sketch = cmath.phase(second.direction * first.direction.conjugate())
    free = sketch if entry.free_angle is None else entry.free_angle
    if abs(free - sketch) > HALF_TURN:
        said, drawn, near = (
            shown(draft.units, angle, "angle") for angle in (free, sketch, sketch + math.remainder(free - sketch, TURN))
        )
        draft.remarks.append(
            f"{key}.free_angle: {said} is more than half a turn from the {drawn} of the sketch, so the spring is wound "
            f"up by whole turns; {near} is the same direction within half a turn"
        )
    return Torsion(id, links, entry.stiffness, free, entry.damping, actuator)


def _force(draft: Draft, id: str, entry: ForceEntry) -> AppliedForce | None:
    key = f"forces.{id}"
    components = _components(draft, key, entry)
    link = _carrier(draft, key, entry)
    if link is None or components is None:
        return None
    at = entry.at
    place = link.local[at] if isinstance(at, str) else link.direction.conjugate() * (at - link.origin)
    return AppliedForce(id, link.name, place, *components, entry.frame == "local")


def _components(draft: Draft, key: str, entry: ForceEntry) -> tuple[Law, Law] | None:
    form = form_of(entry)
    if entry.direction is not None:
        size = sized(draft, key, entry, "force")
        if size is None:
            return None
        return ScaledLaw(size, entry.direction.real), ScaledLaw(size, entry.direction.imag)
    if form in ("table", "csv"):
        raise Flaw(f"has a {form}, but no direction", "a table gives the magnitude: add direction = [x, y]")
    return draft.attempt(f"{key}.{form}", _two_laws, getattr(entry, form), form, draft.units)


def _two_laws(value: Any, form: str, units: Units) -> tuple[Law, Law]:
    x, y = numbers(value, "two components [x, y]", "[0, -100]; or give a direction = [x, y] as well")
    if form == "law":
        return formula(x), formula(y)
    return constant(units.quantity(x, "force")), constant(units.quantity(y, "force"))


def _carrier(draft: Draft, key: str, entry: ForceEntry) -> Link | None:
    """Return the link that a force acts on."""
    if entry.on is not None and not draft.has_link(f"{key}.on", entry.on):
        return None
    if not isinstance(entry.at, str):
        if entry.on is None:
            raise Flaw("acts at a position [x, y], but names no link", 'add on = "crank", or name a point')
        return _moving(draft, entry.on)
    if not draft.has_point(f"{key}.at", entry.at):
        return None
    held = draft.holders.get(entry.at, [])
    if entry.on is not None:
        if entry.on not in held:
            raise Flaw(f"the point '{entry.at}' is not on '{entry.on}'", f"it is on {', '.join(held) or 'no link'}")
        return _moving(draft, entry.on)
    moving = [link for link in held if link != GROUND]
    return _moving(draft, moving[0] if moving else GROUND) if held else None  # `check_use` reports a point on no link


def _moving(draft: Draft, name: str) -> Link | None:
    if name == GROUND:
        raise Flaw("acts on the ground, which does not move", "name a point of a moving link")
    return draft.links.get(name)


def _moment(draft: Draft, id: str, entry: MomentEntry) -> AppliedMoment | None:
    key = f"forces.{id}"
    size = sized(draft, key, entry, "moment")
    if (entry.on is None) == (entry.links is None):
        raise Flaw("acts on no link" if entry.on is None else "has both 'on' and 'links'", 'give one: on = "crank"')
    links = entry.links or (GROUND, entry.on or "")
    if links[1] == GROUND and entry.links is None:
        raise Flaw("acts on the ground, which does not move", "name a moving link")
    return AppliedMoment(id, links, size) if _two_links(draft, key, links) and size is not None else None


def _friction(draft: Draft, id: str, entry: FrictionEntry) -> Friction | None:
    key = f"forces.{id}"
    joint = draft.joints.get(entry.joint)
    if joint is None:
        if draft.excused("joints", entry.joint) or draft.excused("points", entry.joint) or not draft.whole("links"):
            return None
        raise Flaw(f"there is no joint '{entry.joint}'", suggest(entry.joint, draft.joints))
    if joint.kind not in "RPS":
        hint = "name a revolute joint, a prismatic joint or a slot"
        raise Flaw(f"'{entry.joint}' ({JOINT_KINDS[joint.kind].name}) cannot have this friction", hint)
    turning = joint.kind == "R"
    if (entry.limit is None) == (entry.coefficient is None):
        found = "has no limit" if entry.limit is None else "has both a limit and a coefficient"
        raise Flaw(found, f"such as limit = {'0.5 (N m)' if turning else '12 (N)'}, or a coefficient")
    by_coefficient = [name for name in ("normal", "radius") if getattr(entry, name) is not None]
    if entry.limit is not None and by_coefficient:
        raise Flaw(f"has both a limit and {by_coefficient[0]}", "delete one of them")
    if entry.coefficient is not None and turning == (entry.radius is None):
        found = "has a coefficient at a pin, but no radius" if turning else "has a radius, but acts along a guide"
        raise Flaw(found, "the radius is the lever arm of friction at a pin")
    links: tuple[str, str] | None = (joint.links[0], joint.links[1])
    if turning:
        links = _turning(draft, key, entry.joint, entry.links)
    elif entry.links is not None:
        raise Flaw("names links, but the guide already determines them", "delete links")
    transition = entry.transition if entry.transition is not None else TRANSITION
    smooth = draft.quantity(f"{key}.transition", transition, "angular speed" if turning else "speed", "positive")
    if entry.limit is not None:
        limit = draft.quantity(f"{key}.limit", entry.limit, "moment" if turning else "force", "positive")
        return None if links is None or not limit or not smooth else Friction(id, entry.joint, links, limit, smooth)
    coefficient = between(
        draft, f"{key}.coefficient", entry.coefficient, ROUNDING, 1e3, "a coefficient greater than zero"
    )
    normal = 0.0 if entry.normal is None else draft.quantity(f"{key}.normal", entry.normal, "force", "positive")
    if links is None or not smooth or coefficient is None or normal is None:
        return None
    arm = entry.radius or 1.0
    if normal:
        return Friction(id, entry.joint, links, coefficient * normal * arm, smooth)
    return Friction(id, entry.joint, links, 0.0, smooth, coefficient, arm)


_MAKERS: Mapping[type, Callable[..., Load | None]] = {
    SpringEntry: _spring,
    TorsionEntry: _torsion,
    ForceEntry: _force,
    MomentEntry: _moment,
    FrictionEntry: _friction,
    ContactEntry: make_contact,
}


def _actuator(draft: Draft, key: str, value: Any, kind: str) -> Law | None:
    return None if value is None else draft.attempt(f"{key}.actuator", signal, value, kind, draft.units, draft.folder)


def _turning(draft: Draft, key: str, name: str | None, links: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return the links (from, to) whose relative rotation counts, from a pin or from `links`."""
    if name is None:
        if links is None:
            raise Flaw("does not say between which links it acts", 'give joint = "A", or links = ["a", "b"]')
        return links if _two_links(draft, key, links) else None
    joint = draft.joints.get(name)
    if joint is None:
        if draft.excused("joints", name) or draft.excused("points", name) or not draft.whole("links"):
            return None
        raise Flaw(f"there is no joint '{name}'", suggest(name, draft.joints))
    if joint.kind != "R":
        raise Flaw(f"'{name}' is not a revolute joint", "name a revolute joint")
    if links is None:
        if len(joint.links) > 2:
            hint = f'add links = ["{joint.links[0]}", "{joint.links[1]}"]: from, to'
            raise Flaw(f"the pin '{name}' joins {len(joint.links)} links: {', '.join(joint.links)}", hint)
        first, second = joint.links
        return (second, first) if second == GROUND else (first, second)
    if not set(links) <= set(joint.links):
        raise Flaw(f"the joint '{name}' does not join {links[0]} and {links[1]}", f"it joins {', '.join(joint.links)}")
    return links if _two_links(draft, key, links) else None


def _two_links(draft: Draft, key: str, links: tuple[str, str]) -> bool:
    known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(links)]
    if links[0] == links[1]:
        raise Flaw(f"acts between '{links[0]}' and itself", "name two different links")
    return all(known)


# --- efforts -----------------------------------------------------------------------------


def _efforts(draft: Draft) -> dict[str, Law]:
    """Return the torques and forces on free coordinates."""
    efforts: dict[str, Law] = {}
    for id, entry in draft.driver_entries.items():
        driver = draft.drivers.get(id)
        for name, kind in (("torque", "moment"), ("force", "force")):
            value, key = getattr(entry, name), f"drivers.{id}.{name}"
            if value is None:
                continue
            law = draft.attempt(key, signal, value, kind, draft.units, draft.folder)
            if driver is not None and (driver.kind == "angle") != (name == "torque"):
                right = "torque" if driver.kind == "angle" else "force"
                draft.fault(key, f"the driver's coordinate is {_COORDINATE[driver.kind]}", f"use the key '{right}'")
            elif prescribed(entry):
                draft.fault(key, "the driver's motion is prescribed, so its effort is a result", "delete one of them")
            elif law is not None:
                efforts[id] = law
    return efforts


_COORDINATE = {"angle": "an angle", "slide": "a travel", "distance": "a distance"}


# --- sizes of forces and moments: constants, formulas of t, tables ------------------------------------------


def constant(value: float) -> Law:
    """Return a constant law.

    >>> import numpy as np
    >>> constant(3.0)(np.zeros(2))[0].tolist()
    [3.0, 3.0]
    """
    return ConstantSpeed(value, 0.0)


def formula(value: Any) -> Law:
    """Return the law of a formula of t, in SI; raise `Flaw`."""
    return ExpressionLaw(Expression(value if isinstance(value, str) else repr(number(value))))


def signal(value: Any, kind: str, units: Units, folder: Path | None = None) -> Law:
    """Return the law of a number, a quantity with its unit, a formula of t, a table or a CSV file; raise `Flaw`.

    >>> import numpy as np
    >>> [float(signal(x, "force", Units())(np.array([2.0]))[0][0]) for x in (5, "5 kN", "5e2*t")]
    [5.0, 5000.0, 1000.0]
    """
    if isinstance(value, str) and value.endswith(".csv"):
        return _monotone(read_table(value, folder, None, ("time", kind), units))
    if isinstance(value, list | tuple | np.ndarray):
        return _monotone(table_rows(value))
    if isinstance(value, str) and not re.fullmatch(r"\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?+\s*[A-Za-zµ°].*", value):
        return formula(value)
    return constant(units.quantity(value, kind))


def sized(draft: Collector, key: str, entry: SizedEntry, kind: str) -> Law | None:
    """Return the magnitude of an entry from its value, law, table or csv, or None after recording an error.

    Raises `Flaw` unless it has exactly one of them.
    """
    form = form_of(entry)
    if entry.columns is not None and form != "csv":
        draft.fault(f"{key}.columns", *WITHOUT_CSV)
    return draft.attempt(f"{key}.{form}", _law, entry, form, kind, draft.units, draft.folder)


def _law(entry: SizedEntry, form: str, kind: str, units: Units, folder: Path | None) -> Law:
    value = getattr(entry, form)
    if form == "value":
        return constant(units.quantity(value, kind))
    if form == "law":
        return formula(value)
    if form == "csv":
        return _monotone(read_table(value, folder, entry.columns, ("time", kind), units))
    return _monotone(table_rows(value))


def _monotone(rows: list[tuple[float, float]]) -> Law:
    return MonotoneTable(*check_rows(rows, 2, "a load or effort follows a monotone cubic from row to row"))


def form_of(entry: SizedEntry) -> str:
    """Return which of the four keys an entry uses; raise `Flaw` unless it is exactly one."""
    given = [name for name in ("value", "law", "table", "csv") if getattr(entry, name) is not None]
    if len(given) != 1:
        found = f"has {' and '.join(given)}" if given else "has no magnitude"
        raise Flaw(found, "give one of value, law, table, csv")
    return given[0]
