"""Fifth pass: what acts on the links, efforts of free coordinates, and initial values."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from structkin.model.contact_shapes import LOSSES, contact_shapes
from structkin.model.draft import GROUND, Draft
from structkin.model.flaw import Flaw, describe, number
from structkin.model.force_schema import (
    ContactEntry,
    ForceEntry,
    FrictionEntry,
    MomentEntry,
    SpringEntry,
    TorsionEntry,
)
from structkin.model.forces import (
    AppliedForce,
    AppliedMoment,
    Contact,
    Forces,
    Friction,
    InitialLink,
    InitialPoint,
    InitialState,
    Load,
    Spring,
    Torsion,
)
from structkin.model.laws import ScaledLaw
from structkin.model.parts import Law, Link
from structkin.model.schema import pair
from structkin.model.signals import constant, formula, one_way, signal, sized
from structkin.model.topology import suggest

#: Rate at which friction has reached 76 % of its limit, unless given [m/s or rad/s].
TRANSITION = 1e-2


def make_forces(draft: Draft) -> None:
    """Fill `forces` and `initial`."""
    loads: dict[str, Load] = {}
    for id, entry in draft.force_entries.items():
        load = draft.attempt(f"forces.{id}", _MAKERS[type(entry)], draft, id, entry)
        if load is not None:
            loads[id] = load
    efforts = _efforts(draft)
    draft.forces = Forces(draft.forces.gravity, MappingProxyType(loads), MappingProxyType(efforts))
    for id, value in draft.initial_entries.items():
        key = f"initial.{id}"
        state = draft.attempt(key, _state, draft, id, value)
        if isinstance(state, InitialState):
            draft.initial[id] = state
        elif state is not None:
            draft.initial_data[id] = state


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
            return None  # told by `check_use`
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
    return Torsion(id, links, entry.stiffness, free, entry.damping, actuator)


def _force(draft: Draft, id: str, entry: ForceEntry) -> AppliedForce | None:
    key = f"forces.{id}"
    x, y = _components(draft, entry)
    link = _carrier(draft, key, entry)
    if link is None:
        return None
    at = entry.at
    place = link.local[at] if isinstance(at, str) else link.direction.conjugate() * (at - link.origin)
    return AppliedForce(id, link.name, place, x, y, entry.frame == "local")


def _components(draft: Draft, entry: ForceEntry) -> tuple[Law, Law]:
    way = one_way(entry)
    if entry.direction is not None:
        size = sized(entry, "force", draft.units, draft.folder)
        return ScaledLaw(size, entry.direction.real), ScaledLaw(size, entry.direction.imag)
    if way in ("table", "csv"):
        raise Flaw(f"has a {way}, but no direction", "a table gives the size: add direction = [x, y]")
    x, y = pair(getattr(entry, way), "two components [x, y]")
    if way == "law":
        return formula(x), formula(y)
    return constant(draft.units.quantity(x, "force")), constant(draft.units.quantity(y, "force"))


def _carrier(draft: Draft, key: str, entry: ForceEntry) -> Link | None:
    """Return the link that a force acts on."""
    if entry.on is not None and not draft.has_link(f"{key}.on", entry.on):
        return None
    if not isinstance(entry.at, str):
        if entry.on is None:
            raise Flaw("acts at a place [x, y] of the sketch, but on no link", 'add on = "...", or name a point')
        return _moving(draft, entry.on)
    if not draft.has_point(f"{key}.at", entry.at):
        return None
    held = draft.holders.get(entry.at, [])
    if entry.on is not None:
        if entry.on not in held:
            raise Flaw(f"the point '{entry.at}' is not on '{entry.on}'", f"it is on {', '.join(held) or 'no link'}")
        return _moving(draft, entry.on)
    moving = [link for link in held if link != GROUND]
    return _moving(draft, moving[0] if moving else GROUND) if held else None  # `check_use` tells of no link


def _moving(draft: Draft, name: str) -> Link | None:
    if name == GROUND:
        raise Flaw("acts on the ground, which does not move", "name a point of a moving link")
    return draft.links.get(name)


def _moment(draft: Draft, id: str, entry: MomentEntry) -> AppliedMoment | None:
    key = f"forces.{id}"
    size = sized(entry, "moment", draft.units, draft.folder)
    if (entry.on is None) == (entry.links is None):
        raise Flaw("acts on no link" if entry.on is None else "has both 'on' and 'links'", 'give one: on = "crank"')
    links = entry.links or (GROUND, entry.on or "")
    if links[1] == GROUND and entry.links is None:
        raise Flaw("acts on the ground, which does not move", "name a moving link")
    return AppliedMoment(id, links, size) if _two_links(draft, key, links) else None


def _friction(draft: Draft, id: str, entry: FrictionEntry) -> Friction | None:
    key = f"forces.{id}"
    joint = draft.joints.get(entry.joint)
    if joint is None:
        if draft.excused("joints", entry.joint) or draft.excused("points", entry.joint) or not draft.whole("links"):
            return None
        raise Flaw(f"there is no joint '{entry.joint}'", suggest(entry.joint, draft.joints))
    turning = joint.kind == "R"
    if (entry.limit is None) == (entry.coefficient is None):
        found = "has no limit" if entry.limit is None else "has both a limit and a coefficient"
        raise Flaw(found, f"such as limit = {'0.5 (N m)' if turning else '12 (N)'}, or a coefficient")
    by_coefficient = [name for name in ("normal", "radius") if getattr(entry, name) is not None]
    if entry.limit is not None and by_coefficient:
        raise Flaw(f"has a limit, which needs no {by_coefficient[0]}", "delete one of them")
    if entry.coefficient is not None and turning == (entry.radius is None):
        raise Flaw("a pin has a radius" if turning else "a guide has no radius", "it is the arm of friction at a pin")
    links: tuple[str, str] | None = (joint.links[0], joint.links[1])
    if turning:
        links = _turning(draft, key, entry.joint, entry.links)
    elif entry.links is not None:
        raise Flaw("names links, but the guide tells them", "delete links")
    transition = entry.transition if entry.transition is not None else TRANSITION
    smooth = _positive(draft, f"{key}.transition", transition, "angular speed" if turning else "speed")
    if entry.limit is not None:
        limit = _positive(draft, f"{key}.limit", entry.limit, "moment" if turning else "force")
        return None if links is None or not limit or not smooth else Friction(id, entry.joint, links, limit, smooth)
    coefficient = _between(
        draft, f"{key}.coefficient", entry.coefficient, 1e-12, 1e3, "a coefficient greater than zero"
    )
    normal = 0.0 if entry.normal is None else _positive(draft, f"{key}.normal", entry.normal, "force")
    if links is None or not smooth or coefficient is None or normal is None:
        return None
    arm = entry.radius or 1.0
    if normal:
        return Friction(id, entry.joint, links, coefficient * normal * arm, smooth)
    return Friction(id, entry.joint, links, 0.0, smooth, coefficient, arm)


def _positive(draft: Draft, key: str, value: Any, kind: str) -> float | None:
    size = draft.attempt(key, draft.units.quantity, value, kind)
    if size is not None and size <= 0:
        draft.fault(key, f"expected a {kind} greater than zero, found {value}")
        return None
    return size


def _between(draft: Draft, key: str, value: Any, low: float, high: float, what: str) -> float | None:
    size = draft.attempt(key, number, value)
    if size is not None and not low <= size <= high:
        draft.fault(key, f"expected {what}, found {value}")
        return None
    return size


def _contact(draft: Draft, id: str, entry: ContactEntry) -> Contact | None:
    key = f"forces.{id}"
    found = len(draft.problems)
    if entry.stiffness is None:
        draft.fault(key, "has no stiffness", "in N/m^1.5, such as stiffness = 1e8")
    stiffness = _between(draft, f"{key}.stiffness", entry.stiffness or 1, 1e-300, 1e300, "a positive number")
    exponent = _between(draft, f"{key}.exponent", entry.exponent, 1, 3, "a number from 1 to 3")
    restitution = _between(draft, f"{key}.restitution", entry.restitution, 0, 1, "a number from 0 to 1")
    friction = _between(draft, f"{key}.friction", entry.friction, 0, 1e3, "a coefficient that is not negative")
    transition = _positive(draft, f"{key}.transition", entry.transition or TRANSITION, "speed")
    shapes = draft.attempt(key, contact_shapes, draft, key, entry)
    if shapes is None or len(draft.problems) > found:
        return None
    if entry.model == "exact" and restitution is not None and restitution < 0.01:
        raise Flaw("no damping gives so small a restitution", "0.01 or more with this model")
    loss = None if restitution is None else LOSSES[entry.model](restitution)
    numbers = (stiffness, exponent, loss, friction, transition)
    return Contact(id, *shapes, *(float(one or 0.0) for one in numbers))


_MAKERS: Mapping[type, Callable[..., Load | None]] = {
    SpringEntry: _spring,
    TorsionEntry: _torsion,
    ForceEntry: _force,
    MomentEntry: _moment,
    FrictionEntry: _friction,
    ContactEntry: _contact,
}


def _actuator(draft: Draft, key: str, value: Any, kind: str) -> Law | None:
    return None if value is None else draft.attempt(f"{key}.actuator", signal, value, kind, draft.units, draft.folder)


def _turning(draft: Draft, key: str, name: str | None, links: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return the links (from, to) that turn against each other at a pin, or of their own."""
    if name is None:
        if links is None:
            raise Flaw("acts between no links", 'give joint = "A", or links = ["a", "b"]')
        return links if _two_links(draft, key, links) else None
    joint = draft.joints.get(name)
    if joint is None:
        if draft.excused("joints", name) or draft.excused("points", name) or not draft.whole("links"):
            return None
        raise Flaw(f"there is no joint '{name}'", suggest(name, draft.joints))
    if joint.kind != "R":
        raise Flaw(f"the links at '{name}' do not turn about it", "name a revolute joint")
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


# --- efforts and initial values -----------------------------------------------------------------------------


def _efforts(draft: Draft) -> dict[str, Law]:
    """Return the torques and forces of free coordinates."""
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
                draft.fault(key, f"the driver's coordinate is {_COORDINATE[driver.kind]}", f"give a {right}")
            elif _prescribed(entry):
                draft.fault(key, "the motion of the driver is given, so its effort is a result", "delete one of them")
            elif law is not None:
                efforts[id] = law
    return efforts


_COORDINATE = {"angle": "an angle", "slide": "a travel", "distance": "a distance"}


def _prescribed(entry: Any) -> bool:
    return any(getattr(entry, name) is not None for name in ("speed", "law", "table", "csv"))


def _state(draft: Draft, id: str, value: Any) -> InitialState | InitialPoint | InitialLink | None:
    """Return the start of a driver, or else of a point or a link."""
    if id not in draft.driver_entries:
        if draft.excused("drivers", id) or draft.excused("points", id) or draft.excused("links", id):
            return None
        if id in draft.points and not (id in draft.link_entries and isinstance(value, Mapping) and _LINK & set(value)):
            return _point_state(draft, value)
        if id in draft.link_entries:
            return _link_state(draft, id, value)
        known = [*draft.driver_entries, *draft.points, *draft.link_entries]
        raise Flaw(f"there is no driver '{id}', and no point or link", suggest(id, known))
    if _prescribed(draft.driver_entries[id]):
        raise Flaw("the driver has a law, which gives its initial value", "only free coordinates have initial values")
    driver = draft.drivers.get(id)
    if driver is None:
        return None
    given = _entries(value, ("value", "speed"), 'such as { value = 0, speed = "1 rad/s" }')
    angle = driver.kind == "angle"
    start = None if "value" not in given else draft.units.quantity(given["value"], "angle" if angle else "length")
    speed = draft.units.quantity(given.get("speed", 0.0), "angular speed" if angle else "speed")
    return InitialState(start, speed, "speed" not in given)


_LINK = {"angle", "omega"}


def _entries(value: Any, known: Sequence[str], sample: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Flaw(f"expected a table, found {describe(value)}", sample)
    unknown = [str(key) for key in value if key not in known]
    if unknown:
        raise Flaw(f"unknown key '{unknown[0]}'", suggest(unknown[0], known))
    return value


def _point_state(draft: Draft, value: Any) -> InitialPoint:
    given = dict(_entries(value, ("x", "y", "vx", "vy", "position", "velocity"), "such as { velocity = [0, 4] }"))
    for whole, parts, kind in (("position", "x y", "length"), ("velocity", "vx vy", "speed")):
        if whole in given:
            if any(part in given for part in parts.split()):
                raise Flaw(f"has a {whole} and a part of it", "give one of them")
            both = pair(given.pop(whole), f"a {whole} [x, y]")
            given |= dict(zip(parts.split(), both, strict=True))
        for part in parts.split():
            if part in given:
                given[part] = draft.units.quantity(given[part], kind)
    return InitialPoint(**given)


def _link_state(draft: Draft, id: str, value: Any) -> InitialLink:
    if id == GROUND:
        raise Flaw("the ground does not move", "give the start of a moving link")
    given = _entries(value, ("angle", "omega"), 'such as { angle = 30, omega = "1 rad/s" }')
    kinds = {"angle": "angle", "omega": "angular speed"}
    return InitialLink(**{name: draft.units.quantity(size, kinds[name]) for name, size in given.items()})
