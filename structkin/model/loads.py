"""Fifth pass: springs and initial values, checked lightly and kept for dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from structkin.model.draft import Draft
from structkin.model.flaw import Flaw, describe
from structkin.model.forces import Forces, InitialState, Spring
from structkin.model.schema import SpringEntry
from structkin.model.topology import suggest


def make_forces(draft: Draft) -> None:
    """Fill `forces` and `initial`."""
    springs: dict[str, Spring] = {}
    for id, entry in draft.spring_entries.items():
        key = f"forces.{id}"
        spring = draft.attempt(key, _spring, draft, id, entry)
        if spring is not None:
            springs[id] = spring
    draft.forces = Forces(draft.forces.gravity, MappingProxyType(springs))
    for id, value in draft.initial_entries.items():
        key = f"initial.{id}"
        state = draft.attempt(key, _state, draft, id, value)
        if state is not None:
            draft.initial[id] = state


def _spring(draft: Draft, id: str, entry: SpringEntry) -> Spring | None:
    key = f"forces.{id}"
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
    return Spring(id, (ends[0], ends[1]), entry.stiffness, free, entry.damping)


def _state(draft: Draft, id: str, value: Any) -> InitialState | None:
    if id not in draft.driver_entries:
        if draft.excused("drivers", id):
            return None
        raise Flaw(f"there is no driver '{id}'", suggest(id, draft.driver_entries))
    entry = draft.driver_entries[id]
    if any(getattr(entry, name) is not None for name in ("speed", "law", "table", "csv")):
        raise Flaw("the driver has a law, which gives its initial value", "only free coordinates have initial values")
    driver = draft.drivers.get(id)
    if driver is None:
        return None
    if not isinstance(value, Mapping):
        raise Flaw(f"expected a table, found {describe(value)}", 'such as { value = 0, speed = "1 rad/s" }')
    unknown = [str(key) for key in value if key not in ("value", "speed")]
    if unknown:
        raise Flaw(f"unknown key '{unknown[0]}'", suggest(unknown[0], ["value", "speed"]))
    angle = driver.kind == "angle"
    start = None if "value" not in value else draft.units.quantity(value["value"], "angle" if angle else "length")
    return InitialState(start, draft.units.quantity(value.get("speed", 0.0), "angular speed" if angle else "speed"))
