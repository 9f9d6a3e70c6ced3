"""Pages in Debian's headless Chromium, which record everything that goes wrong in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

#: How long a page is waited for [ms]: other work may be running on this machine.
PATIENCE = 120_000


@dataclass
class Opened:
    """A page that was opened from disk, with its errors and every request except for itself."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def open_file(browser: Any, file: Path, **options: Any) -> Opened:
    """Open a page from disk; console errors and warnings, exceptions and requests are recorded."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
    context.set_default_timeout(PATIENCE)
    opened = Opened(context.new_page())
    opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.page.on("console", lambda m: opened.errors.append(m.text) if m.type in ("error", "warning") else None)
    opened.page.on("request", lambda r: opened.requests.append(r.url))
    opened.page.goto(file.as_uri())
    opened.requests[:] = [url for url in opened.requests if url != file.as_uri() and not url.startswith("data:")]
    return opened


def settle(page: Any) -> None:
    """Let the page draw what it was last told."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")


def eventually(page: Any, holds: Callable[[], bool], seconds: float = 60) -> bool:
    """Return whether something holds soon, on a slow machine too."""
    for _ in range(int(20 * seconds)):
        if holds():
            return True
        page.wait_for_timeout(50)
    return holds()


def pins(page: Any) -> dict[str, list[float]]:
    """Return the centres of the drawn pins, in mechanism units, from the browser's layout."""
    return page.evaluate(
        """() => {
            const scene = document.querySelector(".sk-scene");
            const back = scene.querySelector(".sk-world").getScreenCTM().inverse();
            const found = {};
            for (const pin of scene.querySelectorAll("circle[data-id^='pin:']")) {
                const box = pin.getBoundingClientRect();
                const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(back);
                found[pin.getAttribute("data-id").slice(4)] = [at.x, at.y];
            }
            return found;
        }"""
    )
