"""Settings and fixtures of the whole suite."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

# Each worker has a separate core: threads of the linear algebra would only compete for cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


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
