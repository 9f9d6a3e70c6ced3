"""Which of many cases of a test are part of the fast run, and how the slow ones are told apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few(cases: Iterable[Any], kept: int = 2) -> list[Any]:
    """Return the values of a parametrised test: `kept` of them, from the first to the last, stay in the fast run."""
    values = list(cases)
    fast = {round(k * (len(values) - 1) / max(kept - 1, 1)) for k in range(kept)}
    return [value if k in fast else _full(value) for k, value in enumerate(values)]


def blocks(seeds: range, size: int = 50) -> list[range]:
    """Return the blocks of seeds of a slow test: pytest would need half a minute to collect each seed as a test."""
    return [seeds[first : first + size] for first in range(0, len(seeds), size)]


def _full(value: Any) -> Any:
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, marks=(*value.marks, pytest.mark.full), id=value.id)
    parts = value if isinstance(value, tuple) else (value,)
    return pytest.param(*parts, marks=pytest.mark.full)
