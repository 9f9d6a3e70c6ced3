"""Sixth pass: initial values of free coordinates, points and links."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from structkin.model.draft import Draft
from structkin.model.fields import numbers
from structkin.model.flaw import Flaw, describe
from structkin.model.forces import InitialLink, InitialPoint, InitialState
from structkin.model.mechanism import GROUND
from structkin.model.topology import suggest
from structkin.numerical_tolerances import ROUNDING_OF_ONE


def make_initial(draft: Draft) -> None:
    """Fill `initial` and `initial_data`."""
    for id, value in draft.initial_entries.items():
        state = draft.attempt(f"initial.{id}", _state, draft, id, value)
        if isinstance(state, InitialState):
            draft.initial[id] = state
        elif state is not None:
            draft.initial_data[id] = state


def prescribed(entry: Any) -> bool:
    """Return whether the motion of a driver is prescribed."""
    return any(getattr(entry, name) is not None for name in ("speed", "law", "table", "csv"))


def _state(draft: Draft, id: str, value: Any) -> InitialState | InitialPoint | InitialLink | None:
    """Return the initial state of a driver, or else of a point or a link."""
    if id not in draft.driver_entries:
        if draft.excused("drivers", id) or draft.excused("points", id) or draft.excused("links", id):
            return None
        if id in draft.points and not (id in draft.link_entries and isinstance(value, Mapping) and _LINK & set(value)):
            return _point_state(draft, value)
        if id in draft.link_entries:
            return _link_state(draft, id, value)
        known = [*draft.driver_entries, *draft.points, *draft.link_entries]
        raise Flaw(f"'{id}' is not a driver, point or link", suggest(id, known))
    if prescribed(draft.driver_entries[id]):
        raise Flaw("the motion of this driver is prescribed", "only drivers without a motion have initial values")
    driver = draft.drivers.get(id)
    if driver is None:
        return None
    given = _entries(value, ("value", "speed"), 'such as { value = 0, speed = "1 rad/s" }')
    angle = driver.kind == "angle"
    start = None if "value" not in given else draft.units.quantity(given["value"], "angle" if angle else "length")
    speed = draft.units.quantity(given.get("speed", 0.0), "angular speed" if angle else "speed")
    return InitialState(start, speed, "speed" not in given)


_LINK = {"angle", "omega"}

#: The largest angle of a link [rad]: a whole turn, and what rounding adds.
LARGEST = 2 * math.pi * (1 + ROUNDING_OF_ONE)


def _entries(value: Any, known: Sequence[str], sample: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Flaw(f"expected a table, found {describe(value)}", sample)
    unknown = [Flaw(f"unknown key '{key}'", suggest(str(key), known)) for key in value if key not in known]
    if unknown:
        raise Flaw(unknown[0].message, unknown[0].hint, unknown[1:])
    return value


def _point_state(draft: Draft, value: Any) -> InitialPoint:
    given = dict(_entries(value, ("x", "y", "vx", "vy", "position", "velocity"), "such as { velocity = [0, 4] }"))
    for whole, parts, kind in (("position", "x y", "length"), ("velocity", "vx vy", "speed")):
        if whole in given:
            if any(part in given for part in parts.split()):
                raise Flaw(f"has a {whole} and a component of it", "give one of them")
            both = numbers(given.pop(whole), f"a {whole} [x, y]", "[0, 4]")
            given |= dict(zip(parts.split(), both, strict=True))
        for part in parts.split():
            if part in given:
                given[part] = draft.units.quantity(given[part], kind)
    return InitialPoint(**given)


def _link_state(draft: Draft, id: str, value: Any) -> InitialLink:
    if id == GROUND:
        raise Flaw("the ground does not move", "give the initial state of a moving link")
    given = _entries(value, ("angle", "omega"), 'such as { angle = 30, omega = "1 rad/s" }')
    kinds = {"angle": "angle", "omega": "angular speed"}
    state = InitialLink(**{name: draft.units.quantity(size, kinds[name]) for name, size in given.items()})
    if state.angle is not None and abs(state.angle) > LARGEST:
        raise Flaw(
            "an angle of more than one turn: a pose says how a link is turned, not how often",
            "give it within one turn; whole turns are in the value of a driver",
        )
    return state
