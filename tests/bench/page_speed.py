"""What the studio's page takes, in Debian's Chromium on this machine, which should do nothing else meanwhile.

    python tests/bench/page_speed.py

Poses a second while a Jansen leg plays and while an excavator's bucket is dragged, the time from the pointer to the
picture, and that from a click to the state that answers it, are wall time. Of a drawing of 200 links in a row, whose
names cover each other, it is the processor time of the page's script: for a pose while it plays, for a step of a drag,
and for a nudge with the change that comes back; and that of the studio for it.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from structkin import load
from structkin.examples import path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in (".", "studio")]

from pages import CHROMIUM, eventually  # noqa: E402 - found in the folders above
from studio_page import COUNT, Studio, ladder, served  # noqa: E402 - likewise

#: Keeps in `window.took` the time [ms] from each edit to the frame that shows its answer.
TOOK = """const send = WebSocket.prototype.send;
window.took = [];
WebSocket.prototype.send = function (text) {
    const from = performance.now();
    if (JSON.parse(text).type === "edit")
        this.addEventListener("message", () => requestAnimationFrame(() =>
            window.took.push(performance.now() - from)), {once: true});
    return send.call(this, text);
};"""


#: Records when the pointer moves, when this is sent, when the pose arrives, and when it is drawn.
TRACE = """
window.poses = [];
const waiting = new Map();
let moved = 0;
for (const name of ["pointermove", "pointerrawupdate"])
  addEventListener(name, (event) => (moved = event.timeStamp), true);
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  const message = JSON.parse(text);
  if (message.type === "drag") waiting.set(message.seq, moved);
  if (!this.traced) {
    this.traced = true;
    this.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (message.type !== "pose") return;
      const from = waiting.get(message.seq);
      const frames = JSON.stringify(message.frames);
      requestAnimationFrame(() => setTimeout(() => window.poses.push([from, performance.now(), frames])));
    });
  }
  return send.call(this, text);
};
"""


def poses_a_second(browser: Any) -> float:
    with served(path("jansen_leg")) as address:
        studio = Studio(browser, address)
        studio.play()
        studio.page.evaluate(COUNT, "foot")
        studio.page.wait_for_timeout(5000)
        return studio.page.evaluate("window.poses") / 5


def clicks(browser: Any) -> list[float]:
    """Return how long a Jansen leg takes [ms] to answer each of twelve clicks that change the ground."""
    with served(path("jansen_leg")) as address:
        studio = Studio(browser, address, script=TOOK)
        studio.press("Ground")
        for _ in range(12):
            studio.page.mouse.click(*studio.point("U"))
            studio.at_rest()
        return studio.page.evaluate("window.took")


def drags(browser: Any) -> tuple[float, float]:
    """Return poses a second while an excavator's bucket is dragged, and the median from pointer to picture [ms]."""
    m = load(path("excavator"))
    bucket = m.links[list(m.links)[-1]]
    name = next(point for point in bucket.points if len([k for k in m.links.values() if point in k.points]) > 1)
    with served(path("excavator")) as address:
        studio = Studio(browser, address, script=TRACE)
        x, y = studio.place(name)
        studio.page.evaluate("window.poses.length = 0")
        studio.page.mouse.move(x, y)
        studio.page.mouse.down()
        for k in range(150):
            studio.page.mouse.move(x - 25 + 25 * math.cos(k / 12), y + 25 * math.sin(k / 12))
            studio.page.wait_for_timeout(4)
        studio.page.mouse.up()
        studio.at_rest()
        poses = studio.page.evaluate("window.poses")
    distinct = len({frames for _, _, frames in poses})
    rate = distinct / (poses[-1][1] - poses[0][1]) * 1e3
    return rate, median(shown - moved for moved, shown, _ in poses if moved)


def large(browser: Any, folder: Path) -> tuple[float, float, float, float]:
    """Return the times [ms] of the page's script for a pose, a step of a drag and a nudge, and of the studio for it."""
    file = folder / "ladder.toml"
    file.write_text(ladder(200, row=101), encoding="utf-8")
    with served(file) as address:
        studio = Studio(browser, address)
        studio.at_rest()
        tools = studio.context.new_cdp_session(studio.page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})

        def spent() -> float:
            found = tools.send("Performance.getMetrics")["metrics"]
            return 1000 * next(one["value"] for one in found if one["name"] == "ScriptDuration")

        studio.page.evaluate(COUNT, "crank")
        studio.play()
        assert eventually(studio.page, lambda: studio.page.evaluate("window.poses") > 3)
        before, begun = studio.page.evaluate("window.poses"), spent()
        assert eventually(studio.page, lambda: studio.page.evaluate("window.poses") > before + 20)
        pose = (spent() - begun) / (studio.page.evaluate("window.poses") - before)
        studio.press("Edit")
        (x, y), begun = studio.point("B50"), spent()
        studio.page.mouse.move(x, y)
        studio.page.mouse.down()
        for k in range(20):
            studio.page.mouse.move(x + k / 2, y - k / 4)
            studio.page.wait_for_timeout(16)
        studio.page.mouse.up()
        studio.at_rest()
        step = (spent() - begun) / 20
        studio.page.mouse.click(*studio.point("B5"))
        nudges, own = [], []
        for _ in range(5):
            begun, process = spent(), time.process_time()
            studio.page.keyboard.press("ArrowRight")
            studio.at_rest()
            nudges.append(spent() - begun)
            own.append(1000 * (time.process_time() - process))
        return pose, step, min(nudges), min(own)


def main() -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        print(f"Jansen leg: {poses_a_second(browser):.0f} poses a second")
        took = sorted(clicks(browser))
        print(
            f"Jansen leg: a click is answered in {took[0]:.0f} to {took[-1]:.0f} ms, median {took[len(took) // 2]:.0f}"
        )
        rate, late = drags(browser)
        print(f"excavator: {rate:.0f} poses a second, {late:.1f} ms from pointer to picture (median)")
        pose, step, nudge, own = large(browser, Path(folder))
        print(f"200 links: {pose:.1f} ms of script a pose, {step:.1f} a step of a drag, {nudge:.0f} a nudge")
        print(f"200 links: {own:.0f} ms of the studio's process a nudge")
        browser.close()


if __name__ == "__main__":
    main()
