"""What a mechanism was made from: points, lengths, links with their masses, joints, drivers and loads, as written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from structkin.model.mechanism import Mechanism

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

    >>> _words({"points": ["A", "B"], "mass": 0.6, "center": [28, 20.5]})
    'points A, B; mass 0.6; center 28, 20.5'
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
    return f"{value:.6g}" if isinstance(value, float) else str(value)
