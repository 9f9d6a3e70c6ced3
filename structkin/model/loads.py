"""Fifth pass: loads on the links, the circles and lines in contact, and efforts of free coordinates."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from structkin.model.collector import Collector
from structkin.model.draft import Draft
from structkin.model.drivers import check_rows, ends_at_pin, table_rows, two_links
from structkin.model.expression import Expression
from structkin.model.fields import numbers, pair
from structkin.model.flaw import Flaw, number
from structkin.model.forces import (
    AppliedForce,
    AppliedMoment,
    Contact,
    Disc,
    Forces,
    Friction,
    Line,
    Load,
    Spring,
    Torsion,
)
from structkin.model.geometry import unit_direction
from structkin.model.initial import prescribed
from structkin.model.laws import ConstantSpeed, ExpressionLaw, MonotoneTable, ScaledLaw
from structkin.model.mechanism import GROUND
from structkin.model.parts import Law, Link
from structkin.model.schema import (
    ContactEntry,
    ForceEntry,
    FrictionEntry,
    MomentEntry,
    SizedEntry,
    SpringEntry,
    TorsionEntry,
)
from structkin.model.stroke import shown
from structkin.model.tables import WITHOUT_CSV, read_table
from structkin.model.topology import JOINT_KINDS, suggest
from structkin.model.units import Units
from structkin.numerical_tolerances import EQUAL_DATA, LEAST_POSITIVE, ROUNDING, WHOLE
from structkin.rows.periodic import TURN

#: Rate at which friction has reached 76 % of its limit, unless given [m/s or rad/s].
TRANSITION = 1e-2


def between(draft: Draft, key: str, value: Any, low: float, high: float, what: str) -> float | None:
    """Return a number from `low` to `high`; record an error and return None otherwise."""
    size = draft.attempt(key, number, value)
    if size is not None and not low <= size <= high:
        draft.fault(key, f"expected {what}, found {value}")
        return None
    return size


# --- circles and lines in contact ----------------------------------------------------------------------------------


def usual_loss(restitution: float) -> float:
    """Return the loss of Lankarani and Nikravesh: accurate for a restitution near 1, too small below.

    H. M. Lankarani, P. E. Nikravesh, A contact force model with hysteresis damping for impact analysis of multibody
    systems, J. Mech. Design 112 (1990) 369-376: they use the indentation rate without damping.
    """
    return 0.75 * (1 - restitution**2)


def exact_loss(restitution: float) -> float:
    """Return the loss c that gives exactly this restitution e: ln((1 + c) / (1 - c e)) = c (1 + e).

    From m v dv = -K d^n (1 + c v / v0) dd over a whole impact, for any m, K, n and v0. For small e the root is so close
    to 1 / e that 1 - c e is lost in rounding; so the unknown is x = -ln(1 - c e), which is at most (1 + e) / e.

    >>> exact_loss(1.0), round(exact_loss(0.5), 6), round(usual_loss(0.5), 6)
    (0.0, 1.432751, 0.5625)
    """
    from scipy.optimize import brentq

    e = restitution
    if e > 1 - EQUAL_DATA:
        return 1.5 * (1 - e)

    def loss(x: float) -> float:
        return -math.expm1(-x) / e

    # The larger root; the other one is x = 0.
    least = -math.log1p(-e * (1 - e) / 2)
    x = brentq(lambda x: math.log1p(loss(x)) + x - loss(x) * (1 + e), least, (1 + e) / e)
    return loss(float(x))


#: Loss by restitution, for each model of damping.
LOSSES: Mapping[str, Callable[[float], float]] = {"lankarani-nikravesh": usual_loss, "exact": exact_loss}


def make_contact(draft: Draft, id: str, entry: ContactEntry) -> Contact | None:
    """Return a contact; None if there are errors."""
    key = f"forces.{id}"
    found = len(draft.problems)
    if entry.stiffness is None:
        draft.fault(key, "has no stiffness", "in N/m^1.5, such as stiffness = 1e8")
    given = 1 if entry.stiffness is None else entry.stiffness
    stiffness = between(draft, f"{key}.stiffness", given, LEAST_POSITIVE, 1e300, "a positive number")
    exponent = between(draft, f"{key}.exponent", entry.exponent, 1, 3, "a number from 1 to 3")
    restitution = between(draft, f"{key}.restitution", entry.restitution, 0, 1, "a number from 0 to 1")
    friction = between(draft, f"{key}.friction", entry.friction, 0, 1e3, "a coefficient that is not negative")
    slow = TRANSITION if entry.transition is None else entry.transition
    transition = draft.quantity(f"{key}.transition", slow, "speed", "positive")
    shapes = draft.attempt(key, contact_shapes, draft, key, entry)
    if shapes is None or len(draft.problems) > found:
        return None
    if entry.model == "exact" and restitution is not None and restitution < 0.01:
        raise Flaw("this model cannot give so small a restitution", "give restitution = 0.01 or more")
    loss = None if restitution is None else LOSSES[entry.model](restitution)
    numbers = (stiffness, exponent, loss, friction, transition)
    return Contact(id, *shapes, *(float(one or 0.0) for one in numbers))


def contact_shapes(draft: Draft, key: str, entry: ContactEntry) -> tuple[Disc, Disc | Line] | None:
    """Return the circle of the first link and the circle or line of the second; None if there are errors.

    Raises `Flaw` if the entry describes neither a circle on a line nor two circles.
    """
    on_line = [name for name in ("center", "radius", "along") if getattr(entry, name) is not None]
    circles = [name for name in ("centers", "radii") if getattr(entry, name) is not None]
    if on_line and circles:
        raise Flaw(f"says twice which shapes touch: {' and '.join(on_line + circles)}", "give one of the two")
    if not (on_line or circles) or (circles and len(circles) < 2) or (on_line and entry.center is None):
        raise Flaw("does not say which shapes touch", f"such as {entry.sample}; or centers and radii of two circles")
    return _two_circles(draft, key, entry) if circles else _circle_on_line(draft, key, entry)


def _circle_on_line(draft: Draft, key: str, entry: ContactEntry) -> tuple[Disc, Line] | None:
    center = entry.center or ""
    if entry.along is None:
        raise Flaw("has a circle, but no line", 'add along = ["Q", "R"], two points of the other link')
    if entry.internal is not None:
        raise Flaw("'internal' is for two circles", "delete it")
    p, q = entry.along
    known = draft.has_points(f"{key}.along", (p, q)), draft.has_point(f"{key}.center", center)
    if not all(known):
        return None
    if p == q:
        raise Flaw(f"the line names the point '{p}' twice", "name two points")
    line = _contact_carrier(draft, key, (p, q), None if entry.links is None else entry.links[1])
    first = _contact_carrier(draft, key, (center,), None if entry.links is None else entry.links[0], other=line)
    if line is None or first is None:
        return None
    _apart(first, line)
    a, b = draft.points[p], draft.points[q]
    size = abs(b - a)
    side = ((b - a).conjugate() * (draft.points[center] - a)).imag / size if size else 0.0
    if abs(side) <= ROUNDING * size:
        raise Flaw(f"in the sketch the circle's centre '{center}' lies on the line", "draw it on the free side")
    local = draft.links[line].local
    normal = (1j if side > 0 else -1j) * unit_direction(local, p, q)
    return Disc(first, draft.links[first].local[center], entry.radius or 0.0), Line(line, local[p], normal)


def _two_circles(draft: Draft, key: str, entry: ContactEntry) -> tuple[Disc, Disc] | None:
    assert entry.centers is not None
    c, d = entry.centers
    sizes = [draft.quantity(f"{key}.radii", r, "length") for r in pair(entry.radii, "two radii", "such as [20, 40]")]
    if not draft.has_points(f"{key}.centers", (c, d)) or None in sizes:
        return None
    r, s = (float(size or 0.0) for size in sizes)
    if min(r, s) < 0 or max(r, s) == 0:
        raise Flaw("expected two radii that are not negative, and not both zero", "for a bore write internal = true")
    if entry.internal and not r < s:
        raise Flaw("the first circle is not smaller than the bore around it", "the second radius is that of the bore")
    ends = entry.links or (None, None)
    second = _contact_carrier(draft, key, (d,), ends[1])
    first = _contact_carrier(draft, key, (c,), ends[0], other=second)
    if first is None or second is None:
        return None
    _apart(first, second)
    bore = -s if entry.internal else s
    return Disc(first, draft.links[first].local[c], r), Disc(second, draft.links[second].local[d], bore)


def _apart(first: str, second: str) -> None:
    if first == second:
        raise Flaw(f"both shapes are on '{first}'", 'name the links in contact: links = ["a", "b"]')


def _contact_carrier(
    draft: Draft, key: str, points: tuple[str, ...], named: str | None, other: str | None = None
) -> str | None:
    """Return the link that has the points: the named one, or the first other than `other`; None if excused."""
    held = [link for link in draft.link_entries if all(link in draft.holders.get(point, []) for point in points)]
    if named is not None:
        if not draft.has_link(f"{key}.links", named):
            return None
        if named not in held:
            raise Flaw(f"'{named}' does not have {_listed(points)}", f"on it: {', '.join(held) or 'no link'}")
        return named if named in draft.links else None
    # A line is usually on the ground, a circle on a moving link.
    ordered = sorted(held, key=lambda link: (link == other, (link == GROUND) == (len(points) == 1)))
    if not ordered:
        if draft.whole("links"):
            raise Flaw(f"no link has {_listed(points)}", "add them to a link")
        return None
    if len(points) == 1:
        hint = "links = [first, second] names another, such as {}"
        _chosen(draft, key, points[0], [link for link in ordered if link != other], ordered[:1], hint)
    return ordered[0] if ordered[0] in draft.links else None


def _listed(points: tuple[str, ...]) -> str:
    return f"the point '{points[0]}'" if len(points) == 1 else f"both points '{points[0]}' and '{points[1]}'"


# --- loads ---------------------------------------------------------------------------------------------------------
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
        _chosen(draft, key, point, draft.holders[point], [link], "to load another, give {} a point of its own there")
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
    _chosen(draft, key, entry.at, held, moving[:1], 'on = "{}" names another')
    return _moving(draft, moving[0] if moving else GROUND) if held else None  # `check_use` reports a point on no link


def _chosen(draft: Draft, key: str, point: str, held: Sequence[str], chosen: Sequence[str], remedy: str) -> None:
    """Note which of the moving links at a pin a load acts on, where nothing says it; the remedy names another."""
    others = [link for link in held if link not in (GROUND, *chosen)]
    if others and chosen and chosen[0] != GROUND:
        links = f"{', '.join([*chosen, *others[:-1]])} and {others[-1]}"
        draft.remarks.append(
            f"{key}: {links} share the pin {point}: it acts on {chosen[0]}; {remedy.format(others[0])}"
        )


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
    known = two_links(draft, key, links, "on" if entry.links is None else "links")
    return AppliedMoment(id, links, size) if known and size is not None else None


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
        return links if two_links(draft, key, links) else None
    joint = draft.joints.get(name)
    if joint is None:
        if draft.excused("joints", name) or draft.excused("points", name) or not draft.whole("links"):
            return None
        raise Flaw(f"there is no joint '{name}'", suggest(name, draft.joints))
    if joint.kind != "R":
        raise Flaw(f"'{name}' is not a revolute joint", "name a revolute joint")
    if links is None:
        return ends_at_pin(joint)
    if not set(links) <= set(joint.links):
        raise Flaw(f"the joint '{name}' does not join {links[0]} and {links[1]}", f"it joins {', '.join(joint.links)}")
    return links if two_links(draft, key, links) else None


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
