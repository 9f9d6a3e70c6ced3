"""Quantities that have to lie in a range."""

from __future__ import annotations

from typing import Any

from structkin.model.draft import Draft
from structkin.model.flaw import number

#: Rate at which friction has reached 76 % of its limit, unless given [m/s or rad/s].
TRANSITION = 1e-2


def between(draft: Draft, key: str, value: Any, low: float, high: float, what: str) -> float | None:
    """Return a number from `low` to `high`; record an error and return None otherwise."""
    size = draft.attempt(key, number, value)
    if size is not None and not low <= size <= high:
        draft.fault(key, f"expected {what}, found {value}")
        return None
    return size
