"""Finding a mechanism in a browser: the wish is drawn, candidates appear while the search goes on, and one is taken."""

from __future__ import annotations

import math
import threading
from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, opened

import structkin as sk

FOUR_BAR = """title = "Crank-rocker"
units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [20, 0], C = [50, 70], D = [80, 0], P = [30, 50] }
drivers = { motor = { joint = "A", speed = "10 rpm" } }
[links]
ground = ["A", "D"]
crank = ["A", "B"]
coupler = ["B", "C", "P"]
rocker = ["C", "D"]
"""
#: Corners of a loop that a four-bar comes close to.
LOOP = [(40 + 30 * math.cos(k * math.pi / 12), 60 + 12 * math.sin(k * math.pi / 12)) for k in range(24)]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches take few steps."""
    whole = sk.synthesise
    monkeypatch.setattr(sk, "synthesise", lambda **given: whole(**{**given, "budget": 400}))


def text(studio: Studio) -> str:
    return studio.page.get_by_label("What was found", exact=True).inner_text()


def searched(studio: Studio) -> None:
    """Wait until a search has ended."""
    found = studio.page.get_by_label("What was found", exact=True)
    found.locator("button", has_text="Close").or_(found.locator("button", has_text="Discard")).wait_for()


def title(studio: Studio) -> str:
    return studio.page.get_by_label("Title").input_value()


def load_table(studio: Studio, content: str) -> None:
    file = {"name": "path.csv", "mimeType": "text/csv", "buffer": content.encode()}
    studio.page.get_by_label("Table of points").set_input_files(file)


def test_a_path_drawn_by_hand_finds_linkages_one_of_which_becomes_the_drawing(
    browser: Any, tmp_path: Path, short: None
):
    with opened(browser, tmp_path, FOUR_BAR) as (studio, _):
        studio.press("For a path")
        studio.at_rest()
        studio.pull(*(studio.pixel(*place) for place in [*LOOP, LOOP[0]]))
        studio.see("wish", "32 points")
        assert studio.page.get_by_label("closed: the crank makes whole turns").is_checked()
        assert studio.page.locator(".st-canvas .st-wish circle").count() == 32
        studio.press("Find")
        searched(studio)
        card = studio.page.locator("button.st-card").first
        assert "four-bar" in card.inner_text() and "transmission" in card.inner_text() and "off by" in card.inner_text()
        assert eventually(studio.page, lambda: "circuit" in card.inner_text())
        card.click()
        assert eventually(studio.page, lambda: title(studio) == "Four-bar")
        assert card.get_attribute("aria-pressed") == "true"
        studio.see("status", "ready to drive")
        # the wish stays, and so does what was found; one step of undo brings the old drawing back
        assert studio.page.locator(".st-canvas .st-wish circle").count() == 32
        studio.press("Undo")
        assert eventually(studio.page, lambda: title(studio) == "Crank-rocker") and card.is_visible()


@pytest.mark.full
def test_while_a_search_goes_on_the_page_moves_and_stop_ends_it(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A search that has shown one candidate, and goes on until it is stopped."""
    whole, stopped = sk.synthesise, threading.Event()

    def endless(**given: Any) -> Any:
        given["watch"](whole(**{**given, "budget": 400})[:1])
        try:
            while not stopped.wait(0.01):
                given["progress"](0.5)
        finally:
            stopped.set()

    monkeypatch.setattr(sk, "synthesise", endless)
    with opened(browser, tmp_path, FOUR_BAR) as (studio, _):
        studio.press("For a path")
        load_table(studio, "x,y\n20,50\n40,60\n60,55\n70,40\n")
        studio.see("wish", "4 points")
        studio.press("Find")
        studio.page.get_by_text("1 found so far").wait_for()
        assert studio.page.locator("progress").get_attribute("value") is not None
        studio.press("Drive")
        slider = studio.page.get_by_label("motor, value")
        slider.fill("90")
        slider.press("Enter")
        studio.at_rest()
        assert studio.place("B") == pytest.approx(studio.pixel(0, 20), abs=1.5)
        studio.press("Stop")
        studio.page.get_by_text("1 linkage, stopped").wait_for()
        assert stopped.wait(60)
        studio.page.locator("button.st-card").click()
        assert eventually(studio.page, lambda: title(studio) == "Four-bar")


@pytest.mark.full
def test_points_are_clicked_dragged_removed_and_loaded(browser: Any, tmp_path: Path, short: None):
    with opened(browser, tmp_path, FOUR_BAR) as (studio, _):
        studio.press("For a path")
        studio.at_rest()
        studio.page.get_by_label("Snap to grid").uncheck()
        for place in ((10, 45), (30, 62), (55, 55), (70, 35)):
            studio.page.mouse.click(*studio.pixel(*place))
        studio.see("wish", "4 points")
        dots = studio.page.locator(".st-canvas .st-wish circle")
        studio.pull(studio.pixel(30, 62), studio.pixel(30, 80))
        assert float(dots.nth(1).get_attribute("cy")) == pytest.approx(80, abs=1)
        studio.page.mouse.click(*studio.pixel(10, 45))
        assert studio.page.get_by_label("closed: the crank makes whole turns").is_checked()
        studio.press("Remove last")
        studio.see("wish", "3 points")
        studio.press("Clear")
        assert studio.page.get_by_role("button", name="Find", exact=True).is_disabled()
        load_table(studio, "x [cm],y [cm],angle [deg]\n1,4.5,0\n3,6.2,20\n5.5,5.5,40\n7,3.5,60\n")
        studio.see("wish", "4 points, with angles of the crank")
        assert float(dots.nth(3).get_attribute("cx")) == pytest.approx(70)
        load_table(studio, "nothing")
        studio.page.get_by_text("expected two columns").wait_for()
        # what is wrong with the wish is a sentence
        load_table(studio, "x,y\n0,0\n1,1\n1,1\n2,0\n3,0\n")
        studio.see("wish", "5 points")  # not 4: the panel still shows the table before, until this one is read
        studio.press("Find")
        studio.page.get_by_text("point 2 repeats point 1").wait_for()


@pytest.mark.full
def test_given_pivots_and_a_region_are_kept(browser: Any, tmp_path: Path, short: None):
    with opened(browser, tmp_path, FOUR_BAR) as (studio, _):
        studio.press("For a path")
        load_table(studio, "x,y\n20,50\n40,60\n60,55\n70,40\n")
        studio.see("wish", "4 points")
        studio.press("Region of pivots")
        studio.at_rest()
        studio.pull(studio.pixel(-30, -20), studio.pixel(110, 25))
        studio.page.get_by_label("pivot 1").select_option("D")
        studio.press("Find")
        searched(studio)
        studio.page.locator("button.st-card").first.click()
        assert eventually(studio.page, lambda: title(studio) == "Four-bar")
        places = studio_points(studio)
        assert min(math.dist(places[name], (80, 0)) for name in "AD") < 1e-3
        assert all(-31 < places[name][0] < 111 and -21 < places[name][1] < 26 for name in "AD")


def studio_points(studio: Studio) -> dict[str, tuple[float, float]]:
    """Return the places of points in Edit."""
    studio.press("Edit")
    studio.at_rest()
    return {name: (float(x), float(y)) for name, (x, y) in studio.sketch().items()}


@pytest.mark.full
def test_positions_are_placed_and_carried_through(browser: Any, tmp_path: Path):
    with opened(browser, tmp_path, FOUR_BAR) as (studio, _):
        studio.press("For positions")
        studio.at_rest()
        for x, y, angle in ((0, 40, 0), (40, 70, 30), (80, 75, 60)):
            px, py = studio.pixel(x, y)
            turn = math.radians(angle)
            studio.pull((px, py), (px + 70 * math.cos(turn), py - 70 * math.sin(turn)))
        assert studio.page.locator(".st-position").count() == 3
        load_table(studio, "x,y\n1,2\n3,4\n")
        studio.page.get_by_text("needs a column angle").wait_for()
        assert studio.page.locator(".st-position").count() == 3
        third = studio.page.get_by_role("group", name="Position 3").get_by_role("textbox")
        assert float(third.nth(2).input_value()) == pytest.approx(60, abs=2)
        third.nth(0).fill("85")
        third.nth(0).press("Enter")
        studio.press("Find")
        searched(studio)
        card = studio.page.locator("button.st-card").first
        assert "exact" in card.inner_text()
        card.click()
        assert eventually(studio.page, lambda: title(studio).startswith("Four-bar"))
        assert studio_points(studio)["P"] == pytest.approx((0, 40), abs=2)


@pytest.mark.full
def test_numbers_of_the_drawing_are_improved_accepted_undone_and_discarded(browser: Any, tmp_path: Path):
    with opened(browser, tmp_path, FOUR_BAR) as (studio, file):
        studio.press("Better numbers")
        studio.page.get_by_label("May change").select_option("lengths.A-B")
        studio.page.get_by_label("joint or link").select_option("rocker")
        studio.page.get_by_label("stroke", exact=True).fill("40")
        lowest = studio.page.get_by_label("lengths.A-B, lowest")
        lowest.fill("25")
        studio.press("Improve")
        studio.page.get_by_text("is not between 25 mm and 28 mm").wait_for()
        lowest.fill("10")
        studio.press("Improve")
        studio.page.get_by_text("As drawn").wait_for()
        better = studio.page.locator("button.st-card")
        assert "lengths.A-B: 20 →" in better.inner_text()
        better.click()
        length = studio.saved(file)["lengths"]["A-B"]
        turns = [math.radians(5 * k) for k in range(73)]
        swing = sk.load(file).solve(drivers={"motor": turns}).angle("rocker")
        assert math.degrees(max(swing) - min(swing)) == pytest.approx(40, abs=1e-3) and length != 20
        studio.press("Undo")
        studio.at_rest()
        studio.press("Discard")
        assert studio.page.get_by_label("What was found", exact=True).count() == 0
        studio.page.keyboard.press("Control+s")
        assert eventually(studio.page, lambda: "lengths" not in sk.load(file).source_dict)


@pytest.mark.full
def test_the_peak_of_an_effort_at_rest_becomes_less(browser: Any, tmp_path: Path):
    loaded = FOUR_BAR.replace('["C", "D"]', '{ points = ["C", "D"], shape = "rod", mass = 2 }')

    def peak(m: sk.Mechanism) -> float:
        return float(abs(m.solve(73).forces(static=True).driver("motor")).max())

    with opened(browser, tmp_path, f"{loaded}[forces]\ngravity = [0, -9.81]\n") as (studio, file):
        before = peak(sk.load(file))
        studio.press("Better numbers")
        studio.page.get_by_label("May change").select_option("lengths.C-D")
        studio.page.get_by_label("What should become better").select_option("effort")
        studio.page.locator(".st-field:has(> span:text-is('driver')) select").select_option("motor")
        for box in ("at rest", "its largest value alone counts"):
            studio.page.get_by_label(box, exact=True).check()
        studio.press("Improve")
        studio.page.get_by_text("As drawn").wait_for()
        studio.page.locator("button.st-card").click()
        studio.saved(file)
        assert peak(sk.load(file)) < 0.95 * before
