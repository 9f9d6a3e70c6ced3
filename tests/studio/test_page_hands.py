"""The studio by keyboard alone, and by fingers on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, served

TWO_BARS = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [60, 20], C = [80, 70] }
links = { ground = ["A"], link1 = ["A", "B"], link2 = ["B", "C"] }
drivers = { motor = { joint = "A", speed = "30 rpm" } }
"""


@pytest.mark.full
def test_links_are_drawn_and_grounded_by_keyboard(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("New")
        studio.at_rest()
        page = studio.page
        page.locator(".st-scene > svg").focus()
        page.keyboard.press("l")
        view = studio.pixel(0, 0)
        page.keyboard.press("Enter")
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        studio.at_rest()
        found = {name: [float(part) for part in at] for name, at in studio.sketch().items()}
        x, y = (b - a for a, b in zip(found["A"], found["B"], strict=True))
        assert x == pytest.approx(3 * y) and y > 0 and studio.pixel(0, 0) == view
        # a second one from its end, where the cross still is, given up; then the first point, where the cross begins
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("Enter")
        studio.at_rest()
        assert set(studio.sketch()) == {"A", "B"}
        assert "st-fixed" in page.locator("circle[data-point='A']").get_attribute("class")
        assert not studio.errors


class Fingers:
    """Touches of a page, as the browser's own protocol sends them."""

    def __init__(self, studio: Studio) -> None:
        self.send = studio.page.context.new_cdp_session(studio.page).send

    def put(self, kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        self.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    def drag(self, *places: tuple[float, float]) -> None:
        self.put("Start", places[0])
        (x, y), (u, v) = places[0], places[-1]
        for k in range(1, 9):
            self.put("Move", (x + (u - x) * k / 8, y + (v - y) * k / 8))
        self.put("End")


@pytest.fixture
def phone(browser: Any, tmp_path: Path) -> Any:
    file = tmp_path / "bars.toml"
    file.write_text(TWO_BARS)
    with served(file) as address:
        context = browser.new_context(viewport={"width": 390, "height": 780}, has_touch=True, is_mobile=True)
        studio = Studio(browser, address, context=context)
        yield studio, Fingers(studio)
        assert not studio.errors


def test_a_finger_drives_edits_and_draws(phone: Any):
    studio, fingers = phone
    before = studio.place("B")
    # a finger is wide: it takes hold beside the point
    fingers.drag((before[0] + 14, before[1] - 8), (before[0] - 60, before[1] - 90))
    assert eventually(studio.page, lambda: studio.place("B")[0] < before[0] - 20)
    studio.press("Edit")
    x, y = studio.point("C")
    fingers.drag((x + 12, y + 10), (x + 60, y + 40))
    assert eventually(studio.page, lambda: studio.point("C")[0] > x + 25)
    studio.press("Link")
    count = len(studio.sketch())
    fingers.drag(studio.point("C"), (x - 60, y - 60))
    assert eventually(studio.page, lambda: len(studio.sketch()) == count + 1)


@pytest.mark.full
def test_two_fingers_zoom_and_move_the_view_and_change_nothing(phone: Any):
    studio, fingers = phone
    studio.press("Edit")
    studio.press("Link")
    studio.at_rest()  # the tools of editing take another height
    before, size = studio.sketch(), studio.pixel(50, 0)[0] - studio.pixel(0, 0)[0]
    x, y = studio.pixel(30, 30)
    fingers.put("Start", (x - 20, y))
    fingers.put("Start", (x - 20, y), (x + 20, y))
    for k in range(1, 9):
        fingers.put("Move", (x - 20 - 5 * k, y + 5 * k), (x + 20 + 5 * k, y + 5 * k))
    fingers.put("End")
    assert eventually(studio.page, lambda: studio.pixel(50, 0)[0] - studio.pixel(0, 0)[0] > 2.5 * size)
    assert studio.pixel(30, 30) == pytest.approx((x, y + 40), abs=3)
    studio.at_rest()
    assert studio.sketch() == before
