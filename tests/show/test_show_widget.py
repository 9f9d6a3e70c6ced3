"""The view in a notebook: the module has the form that anywidget needs, and moves in a browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cases import few
from pages import open_file, pins, settle
from show_samples import crank_rocker, loose

import structkin as sk
from structkin.examples import path

#: What anywidget does: it imports the text of the module, and passes a model with `get` to the `render` of its default.
HOST = """
const state = JSON.parse(document.getElementById("state").textContent);
const url = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
const { default: module } = await import(url);
document.head.append(Object.assign(document.createElement("style"), { textContent: state._css }));
const el = document.getElementById("cell");
globalThis.remove = await module.render({ model: { get: (name) => state[name], on() {}, off() {} }, el });
"""


def page_with(widget: Any, folder: Path) -> Path:
    """Write a page that holds a widget as a notebook does."""
    state = {name: value for name, value in widget.get_state().items() if name in ("_esm", "_css", "view")}
    data = json.dumps(state, allow_nan=False).replace("<", "\\u003c")
    file = folder / "notebook.html"
    file.write_text(
        '<!doctype html><link rel="icon" href="data:,"><div id="cell"></div>'
        f'<script type="application/json" id="state">{data}</script><script type="module">{HOST}</script>',
        encoding="utf-8",
    )
    return file


def test_its_words_are_short():
    """They held the drawing with all its numbers."""
    assert repr(sk.load(path("crank_rocker")).solve(samples=31).widget()) == "<Widget of 'Crank-rocker'>"


@pytest.mark.parametrize("name", few(["crank_rocker", "excavator"], 1))
def test_it_moves_in_a_browser(name: str, browser: Any, tmp_path: Path):
    motion = sk.load(path(name)).solve(samples=31)
    opened = open_file(browser, page_with(motion.widget(), tmp_path))
    page, unit = opened.page, motion.mechanism.units.scale("length")
    slider = page.get_by_role("slider", name="Sample of the motion")
    for sample in (0, 11, 30):
        slider.fill(str(sample))
        found = pins(page)
        assert found
        for point, place in found.items():
            assert place == pytest.approx(motion.position(point)[sample] / unit, abs=2e-3 * motion.size / unit)
    assert (
        page.locator(".sk-traces path").count() == sum(point["trace"] for point in motion.widget().view["points"]) > 0
    )
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("document.querySelector('input[type=range]').valueAsNumber > 3")
    page.evaluate("remove()")
    settle(page)
    assert page.locator("#cell").inner_html() == ""
    assert not opened.errors and all(url.startswith("blob:") for url in opened.requests)


def test_it_shows_the_motion_of_the_drivers_or_rests():
    m = crank_rocker()
    assert m.widget().view == m.solve().widget().view
    assert loose().widget().view["samples"]["n"] == 1
    traced = [point["name"] for point in m.solve(5).widget(trace=["B"]).view["points"] if point["trace"]]
    assert traced == ["B"]
    with pytest.raises(sk.InputError, match="nowhere: is not a point"):
        m.solve(5).widget(trace=["nowhere"])


def test_one_clear_error_without_anywidget():
    code = """
import sys
sys.modules["anywidget"] = None
import structkin as sk
arm = sk.Mechanism("Arm", points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "bar": ["A", "B"]})
try:
    arm.widget()
except sk.InputError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == (
        'Arm: 1 error\n  - widget: needs anywidget, which is not installed; pip install "structkin[notebook]"\n'
    )
