"""Settings and fixtures of the whole suite."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from structkin.compiled import has_numba

# Each worker has a separate core: threads of the linear algebra would only compete for cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Workers and commands that tests start would compile the whole package and all tests anew, each of them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def compiles(item: pytest.Item) -> bool:
    """Return whether a test is marked so, has the engine "compiled" as a parameter or in one, or is in space."""
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    engines = [value.get("engine") if isinstance(value, dict) else value for value in parameters]
    return (
        item.get_closest_marker("compiled") is not None
        or "compiled" in map(str, engines)
        or "spatial" in item.path.parts
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what compiles, skipped without Numba: one of two workers gets it, and compiles for both."""
    items.sort(key=compiles, reverse=True)
    if not has_numba():
        for item in filter(compiles, items):
            item.add_marker(pytest.mark.skip(reason="Numba is not installed"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let no collection of garbage visit the million objects that are pytest's: each visit takes most of a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's headless Chromium; see `pages.py`. A test without it is skipped, but not in `.ci/run`."""
    from pages import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def timed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let comparisons time each method once, not up to seven times: for tests of what they find."""
    for name in ("LEAST", "MOST"):
        monkeypatch.setattr(f"structkin.global_methods.measure.{name}", 1)
