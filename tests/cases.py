"""Which of many cases of a test are part of the fast run, and how the slow ones are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def few(cases: Iterable[Any], kept: int = 2, full: int | None = None) -> list[Any]:
    """Return the values of a parametrised test: `kept` of them, from the first to the last, stay in the fast run.

    Of the others all are marked full, or as many as given, and the rest slow.
    """
    values = list(cases)
    fast = _spread(range(len(values)), kept)
    rest = [k for k in range(len(values)) if k not in fast]
    more = rest if full is None else _spread(rest, full)
    marked = {k: pytest.mark.full if k in more else pytest.mark.slow for k in rest}
    return [_marked(value, marked[k]) if k in marked else value for k, value in enumerate(values)]


def _spread(values: Sequence[int], count: int) -> set[int]:
    count = min(count, len(values))
    return {values[round(k * (len(values) - 1) / max(count - 1, 1))] for k in range(count)}


def blocks(seeds: range, size: int = 50) -> list[range]:
    """Return the blocks of seeds of a slow test: pytest would need half a minute to collect each seed as a test."""
    return [seeds[first : first + size] for first in range(0, len(seeds), size)]


def _marked(value: Any, mark: pytest.MarkDecorator) -> Any:
    if isinstance(value, type(pytest.param())):
        return pytest.param(*value.values, marks=(*value.marks, mark), id=value.id)
    parts = value if isinstance(value, tuple) else (value,)
    return pytest.param(*parts, marks=mark)
