"""What a mechanism was made from: points, lengths, links with their masses, joints, drivers and loads, as written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from structkin.model.mechanism import Mechanism
from structkin.model.units import decimal

#: The sections of a mechanism file that are shown, in this order, with their titles.
_TITLES = {
    "points": "Points of the sketch",
    "lengths": "Exact lengths",
    "links": "Links",
    "joints": "Joints beside pins",
    "drivers": "Drivers",
    "forces": "Loads",
    "initial": "Initial values",
}

#: A number in a text with more decimals than are shown.
_LONG = re.compile(r"(?<![\w.])\d*\.\d{7,}(?:[eE][-+]?\d+)?")

#: Rows of a list that are shown, such as those of a table; the number of the others is said.
MOST = 6


def inputs(mechanism: Mechanism) -> list[dict[str, Any]]:
    """Return a table for each section: its title, and rows of a name and what is given, in the units of the file."""
    units = mechanism.units
    in_units = {"points": f" [{units.length}]", "lengths": f" [{units.length}]"}
    return [
        {"title": title + in_units.get(name, ""), "rows": [[key, _words(value)] for key, value in entries.items()]}
        for name, title in _TITLES.items()
        if (entries := mechanism.source_dict.get(name))
    ]


def _words(value: Any) -> str:
    """Return a value in words.

    >>> _words({"points": ["A", "B"], "mass": 0.6, "center": [28, 20.5], "speed": "1.5707963267948966 rad/s"})
    'points A, B; mass 0.6; center 28, 20.5; speed 1.5708 rad/s'
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{key} {_words(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        nested = any(isinstance(part, list | tuple | Mapping) for part in value)
        parts = [f"({_words(part)})" if isinstance(part, list | tuple | Mapping) else _words(part) for part in value]
        more = len(parts) - MOST if nested else 0
        return ", ".join(parts if more <= 0 else [*parts[:MOST], f"and {more} more"])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return decimal(value, 6)
    return _LONG.sub(lambda number: decimal(float(number[0]), 6), str(value))
