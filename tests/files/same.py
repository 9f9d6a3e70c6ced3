"""Whether two mechanisms are the same in every number, bit for bit."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

import structkin as sk

ATTRIBUTES = (
    "title", "units", "topology", "places", "links", "joints", "drivers", "forces", "initial", "initial_data",
    "duration", "remarks",
)  # fmt: skip


def plain(thing: Any) -> Any:
    """Return a thing as nested tuples, its floats as their bits."""
    if isinstance(thing, bool | int | str | None):
        return thing
    if isinstance(thing, float | np.floating):
        return struct.pack("<d", thing)
    if isinstance(thing, complex):
        return plain(thing.real), plain(thing.imag)
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, thing.tobytes()
    if isinstance(thing, Mapping):
        return tuple((plain(name), plain(value)) for name, value in thing.items())
    if isinstance(thing, tuple | list):
        return tuple(map(plain, thing))
    if dataclasses.is_dataclass(thing):
        return type(thing).__name__, *((field.name, plain(getattr(thing, field.name))) for field in fields_of(thing))
    return (type(thing).__name__, *((name, plain(value)) for name, value in kept(thing)))


def fields_of(thing: Any) -> tuple[Any, ...]:
    return dataclasses.fields(thing)


def kept(thing: Any) -> list[tuple[str, Any]]:
    """Return the attributes of an object of another class; syntax trees of formulas are compared by their text."""
    slots = [name for cls in type(thing).__mro__ for name in getattr(cls, "__slots__", ())]
    held = {**{name: getattr(thing, name) for name in slots if hasattr(thing, name)}, **getattr(thing, "__dict__", {})}
    return [(name, value) for name, value in held.items() if name != "_tree"]


def assert_same(one: sk.Mechanism, other: sk.Mechanism) -> None:
    for name in ATTRIBUTES:
        assert plain(getattr(one, name)) == plain(getattr(other, name)), name


def assert_solves_alike(one: sk.Mechanism, other: sk.Mechanism, samples: int = 7) -> None:
    """The structures are equal, and so are the motions, bit for bit; or both are refused for the same reasons."""
    assert one.structure().to_dict() == other.structure().to_dict()
    try:
        first = one.solve(samples)
    except sk.InputError as error:
        try:
            other.solve(samples)
        except sk.InputError as same:
            assert same.problems == error.problems
            return
        raise
    second = other.solve(samples)
    assert first.status.tobytes() == second.status.tobytes() and first.t.tobytes() == second.t.tobytes()
    for link in one.links:
        for place in (0j, 1 + 0j):
            for of in ("position", "velocity", "acceleration"):
                assert getattr(first, of)(place, link).tobytes() == getattr(second, of)(place, link).tobytes()
