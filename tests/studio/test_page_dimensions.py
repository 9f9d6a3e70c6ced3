"""Dimensions on the drawing in a browser: shown for what is selected, and typed by a double click."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, middle, opened

TWO_BARS = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [60, 20], C = [80, 70] }
links = { ground = ["A"], link1 = ["A", "B"], link2 = ["B", "C"] }
"""


@pytest.fixture
def drawn(browser: Any, tmp_path: Path) -> Any:
    with opened(browser, tmp_path, TWO_BARS) as (studio, _):
        studio.press("Edit")
        yield studio


def dimension(studio: Studio, name: str) -> Any:
    return studio.page.locator(f"[data-dimension='{name}'] text")


def type_in(studio: Studio, name: str, text: str) -> None:
    dimension(studio, name).dblclick()
    field = studio.page.get_by_label(name, exact=True)
    field.fill(text)
    field.press("Enter")
    studio.at_rest()


def places(studio: Studio) -> dict[str, complex]:
    return {name: complex(*map(float, at)) for name, at in studio.sketch().items()}


def test_lengths_and_angles_are_typed_on_the_drawing(drawn: Any):
    studio = drawn
    assert studio.page.locator("[data-dimension]").count() == 0
    studio.page.mouse.click(*middle(studio.point("A"), studio.point("B")))
    assert dimension(studio, "length A–B").text_content() == "63.246"
    view = studio.pixel(0, 0)
    type_in(studio, "length A–B", "5 cm")
    found = places(studio)
    assert abs(found["B"] - found["A"]) == pytest.approx(50) and studio.pixel(0, 0) == view
    type_in(studio, "angle A–B", "90")
    assert places(studio)["B"] == pytest.approx(50j) and dimension(studio, "angle A–B").text_content() == "90°"
    # a given length stays in view when nothing is selected
    studio.page.keyboard.press("Escape")
    assert eventually(studio.page, lambda: studio.page.locator("[data-dimension]").count() == 1)
    assert "st-locked" in studio.page.locator("[data-dimension]").get_attribute("class")


@pytest.mark.full
def test_a_dimension_that_is_no_number_is_refused_and_escape_keeps_the_old_one(drawn: Any):
    studio = drawn
    studio.page.get_by_label("Dimensions").check()
    assert eventually(studio.page, lambda: studio.page.locator("[data-dimension]").count() == 4)
    before = places(studio)
    type_in(studio, "length B–C", "long")
    studio.page.get_by_text("a length must be a positive number").wait_for()
    dimension(studio, "length B–C").dblclick()
    field = studio.page.get_by_label("length B–C", exact=True)
    field.fill("7")
    field.press("Escape")
    studio.at_rest()
    assert places(studio) == before
    type_in(studio, "angle B–C", "1,5 rad")
    moved = places(studio)
    assert moved["C"] - moved["B"] == pytest.approx(abs(20 + 50j) * complex(math.cos(1.5), math.sin(1.5)))
    studio.press("Undo")
    assert eventually(studio.page, lambda: places(studio) == before)
    studio.press("Drive")
    assert eventually(studio.page, lambda: studio.page.locator("[data-dimension]").count() == 0)


@pytest.mark.full
def test_selected_points_are_aligned(drawn: Any):
    studio = drawn
    studio.page.mouse.click(*studio.point("B"))
    studio.page.keyboard.down("Shift")
    studio.page.mouse.click(*studio.point("C"))
    studio.page.keyboard.up("Shift")
    studio.see("several", "B, C")
    studio.press("Align ―")
    assert eventually(studio.page, lambda: places(studio)["C"] == 80 + 20j)
