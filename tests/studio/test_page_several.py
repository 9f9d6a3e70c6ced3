"""Several points in a browser: selected by a frame and with Shift, moved by arrows, copied, mirrored; and sliders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import COUNT, Studio, ladder, opened, served

TWO_BARS = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [60, 20], C = [0, 50], D = [80, 70] }
links = { ground = ["A"], link1 = ["A", "B"], link2 = ["C", "D"] }
"""


@pytest.fixture
def drawn(browser: Any, tmp_path: Path) -> Any:
    with opened(browser, tmp_path, TWO_BARS) as (studio, file):
        studio.press("Edit")
        yield studio, file


def places(studio: Studio) -> dict[str, list[float]]:
    studio.at_rest()
    return {name: [float(part) for part in at] for name, at in studio.sketch().items()}


def frame(studio: Studio, *corners: tuple[float, float]) -> None:
    studio.page.keyboard.down("Shift")
    studio.pull(*(studio.pixel(*corner) for corner in corners))
    studio.page.keyboard.up("Shift")


@pytest.mark.full
def test_a_frame_selects_and_a_drag_moves_all_of_it(drawn: Any):
    studio, file = drawn
    frame(studio, (-10, 40), (95, 80))
    studio.see("several", "C, D")
    before = places(studio)
    x, y = studio.point("C")
    studio.pull((x, y), (x + 90, y + 45))
    after = places(studio)
    moves = {name: [a - b for a, b in zip(after[name], before[name], strict=True)] for name in before}
    assert moves["C"] == pytest.approx(moves["D"]) and moves["C"][0] > 1 and moves["A"] == moves["B"] == [0, 0]
    studio.press("Undo")
    assert places(studio) == before
    assert studio.saved(file)["points"]["C"] == [0, 50]


@pytest.mark.full
def test_shift_adds_points_and_links_and_takes_them_away(drawn: Any):
    studio, _ = drawn
    studio.page.mouse.click(*studio.point("A"))
    studio.page.keyboard.down("Shift")
    studio.page.mouse.click(*studio.point("D"))
    studio.see("several", "A, D")
    (x, y), (u, v) = studio.point("A"), studio.point("B")
    studio.page.mouse.click((x + u) / 2, (y + v) / 2)
    studio.see("several", "A, D, B")
    studio.page.mouse.click(*studio.point("D"))
    studio.see("several", "A, B")
    studio.page.keyboard.up("Shift")
    studio.page.keyboard.press("Escape")
    studio.page.locator("[data-panel='several']").wait_for(state="detached")


@pytest.mark.full
def test_the_arrows_move_what_is_selected_and_otherwise_the_view(drawn: Any):
    studio, _ = drawn
    studio.page.mouse.click(*studio.point("D"))
    before, view = places(studio), studio.pixel(0, 0)
    for _ in range(3):
        studio.page.keyboard.press("ArrowRight")
    studio.page.keyboard.press("ArrowUp")
    assert eventually(studio.page, lambda: places(studio)["D"][1] > before["D"][1])
    x, y = (a - b for a, b in zip(places(studio)["D"], before["D"], strict=True))
    assert x == pytest.approx(3 * y) and studio.pixel(0, 0) == view
    studio.press("Undo")
    assert places(studio) == before  # one change
    studio.page.keyboard.press("Escape")
    studio.page.locator(".st-scene > svg").focus()
    studio.page.keyboard.press("ArrowRight")
    assert eventually(studio.page, lambda: studio.pixel(0, 0) != view) and places(studio) == before


@pytest.mark.full
def test_copies_are_pasted_mirrored_turned_and_deleted(drawn: Any):
    studio, file = drawn
    frame(studio, (-10, -10), (95, 30))
    studio.see("several", "A, B")
    studio.page.keyboard.press("Control+c")
    studio.page.keyboard.press("Control+v")
    studio.see("several", "E, F")
    before = places(studio)
    studio.press("Mirror ↔")
    assert eventually(studio.page, lambda: places(studio)["E"][0] == pytest.approx(before["F"][0]))
    turn = studio.page.get_by_label("turn by")
    turn.fill("180")
    turn.press("Enter")
    assert eventually(studio.page, lambda: places(studio)["E"] == pytest.approx([before["E"][0], before["F"][1]]))
    data = studio.saved(file)
    assert data["links"]["link3"] == ["E", "F"] and data["links"]["ground"] == ["A", "E"]
    studio.see("several", "E, F")
    studio.page.evaluate("document.activeElement?.blur()")
    studio.page.keyboard.press("Control+d")
    studio.see("several", "G, H")
    studio.page.keyboard.press("Delete")
    studio.page.locator("[data-panel='several']").wait_for(state="detached")
    assert set(places(studio)) == set("ABCDEF")


def test_the_slider_tool_makes_a_block_on_a_guide(browser: Any, tmp_path: Path):
    file = tmp_path / "crank.toml"
    file.write_text(TWO_BARS.replace("C = [0, 50], D = [80, 70]", "C = [140, 0]").replace('["C", "D"]', '["B", "C"]'))
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Slider")
        x, y = studio.point("C")
        studio.pull((x, y), (x + 60, y))
        studio.see("status", "Mobility 1")
        joint = {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": [1, 0]}
        assert studio.saved(file)["joints"] == {"guide": joint}
        assert not studio.errors


@pytest.mark.full
def test_a_drawing_of_200_links_plays_and_is_edited(browser: Any, tmp_path: Path):
    """What it takes is measured by `tests/bench/page_speed.py`."""
    file = tmp_path / "ladder.toml"
    file.write_text(ladder(200))
    with served(file) as address:
        studio = Studio(browser, address)
        studio.page.evaluate(COUNT, "crank")
        studio.play()
        assert eventually(studio.page, lambda: studio.page.evaluate("window.poses") > 3)
        studio.press("Edit")
        studio.page.mouse.click(*studio.point("B5"))
        before = studio.sketch()
        studio.page.keyboard.press("ArrowRight")
        studio.at_rest()
        moved = [name for name, place in studio.sketch().items() if place != before[name]]
        assert moved == ["B5"] and not studio.errors


@pytest.mark.full
def test_the_page_has_a_heading_that_is_read_aloud(drawn: Any):
    studio, _ = drawn
    heading = studio.page.get_by_role("heading", level=1)
    assert heading.count() == 1 and "structkin studio" in heading.inner_text()
