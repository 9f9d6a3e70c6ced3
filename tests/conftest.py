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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without Numba, skip what compiles: those marked so, with "compiled" as a parameter, or in space."""
    if has_numba():
        return
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if (
            item.get_closest_marker("compiled")
            or "compiled" in map(str, parameters.values())
            or "spatial" in item.path.parts
        ):
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
