"""The web view in a browser: it shows the given poses, and makes no request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import Opened, eventually, open_file, pins, settle
from small_view import small_view

import structkin as sk
from structkin import web
from structkin.examples import path


@pytest.fixture(scope="module")
def motion() -> sk.Motion:
    return sk.load(path("crank_rocker")).solve(samples=61)


@pytest.fixture
def opened(browser: Any, motion: sk.Motion, tmp_path: Path) -> Opened:
    file = tmp_path / "page.html"
    file.write_text(web.page({"view": small_view(motion)}, "A < B"), encoding="utf-8")
    return open_file(browser, file)


def test_the_slider_moves_the_drawing_to_the_poses_of_the_motion(opened: Opened, motion: sk.Motion):
    slider = opened.page.locator("input[type=range]")
    for sample in (0, 17, 44, 60):
        slider.fill(str(sample))
        for name, place in pins(opened.page).items():
            assert place == pytest.approx(1e3 * motion.position(name)[sample], abs=0.1)
    assert opened.page.locator("output").inner_text().startswith("t = 1 s")
    assert not opened.errors and not opened.requests


@pytest.mark.full
def test_it_plays_and_pauses(opened: Opened):
    slider = opened.page.locator("input[type=range]")
    opened.page.get_by_role("button", name="Play").click()
    assert eventually(opened.page, lambda: int(slider.input_value()) > 1)
    opened.page.get_by_role("button", name="Pause").click()
    settle(opened.page)
    at = slider.input_value()
    opened.page.wait_for_timeout(150)
    assert slider.input_value() == at


def test_zoom_keeps_the_point_under_the_pointer_and_show_all_resets(opened: Opened):
    page = opened.page
    before = page.locator("[data-id='pin:C']").bounding_box()
    middle = (before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    page.mouse.move(*middle)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    after = page.locator("[data-id='pin:C']").bounding_box()
    assert after["width"] > 1.3 * before["width"]
    assert (after["x"] + after["width"] / 2, after["y"] + after["height"] / 2) == pytest.approx(middle, abs=1.0)
    page.get_by_role("button", name="Show all").click()
    assert page.locator("[data-id='pin:C']").bounding_box() == pytest.approx(before, abs=0.01)


def test_a_part_without_a_pose_is_hidden(browser: Any, motion: sk.Motion, tmp_path: Path):
    view = small_view(motion)
    for values in view["samples"]["frames"]["coupler"].values():
        values[30] = None
    file = tmp_path / "page.html"
    file.write_text(web.page({"view": view}, "gap"), encoding="utf-8")
    page = open_file(browser, file).page
    links = [page.locator(f"[data-id='link:{name}']") for name in ("coupler", "crank")]
    page.locator("input[type=range]").fill("30")
    assert [link.evaluate("link => link.style.display") for link in links] == ["none", ""]
    page.locator("input[type=range]").fill("31")
    assert [link.evaluate("link => link.style.display") for link in links] == ["", ""]


def test_a_page_holds_only_json_numbers_and_nothing_that_ends_its_script():
    with pytest.raises(ValueError, match="not JSON compliant"):
        web.page({"view": {"x": float(np.nan)}}, "t")
    text = web.page({"view": {"title": "</script><script>alert(1)</script>"}}, "t")
    assert "<script>alert" not in text
    data = text.split('id="model">')[1].split("</script>")[0]
    assert json.loads(data)["view"]["title"].startswith("</script>")


def test_the_bundle_is_small_and_names_no_address():
    for host, most in ("structkin", 140_000), ("widget", 50_000):
        texts = web.script(host), web.styles(host)
        assert sum(len(text.encode()) for text in texts) < most
        for text in texts:
            assert "</script" not in text and "sourceMappingURL" not in text
