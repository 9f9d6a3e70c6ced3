"""What the page shows of a motion: trails and the first view; the card of an empty page; names of downloads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import eventually
from studio_page import Studio, served

import structkin as sk
from structkin.examples import path

pytestmark = pytest.mark.full


def trails(studio: Studio) -> list[list[complex]]:
    """Return the pieces of the trails, in the file's unit."""
    drawn = (one.get_attribute("d") for one in studio.page.locator(".st-paths path").all())
    numbers = ([float(part) for part in re.findall(r"-?[\d.]+(?:e-?\d+)?", d)] for d in drawn)
    return [[complex(*place) for place in zip(one[::2], one[1::2], strict=True)] for one in numbers]


def test_a_trail_is_the_path_of_the_point_and_has_a_gap_where_the_pose_jumps(browser: Any):
    motion = sk.load(path("crank_rocker")).solve(samples=2001)
    curve = 1e3 * motion.position("P") @ [1, 1j]
    with served(path("crank_rocker")) as address:
        studio = Studio(browser, address)
        value = studio.page.get_by_label("motor, value")
        for typed in ("200", "90"):
            value.fill(typed)
            value.press("Enter")
            studio.at_rest()
        studio.page.get_by_label("Time").evaluate(
            "(e) => { e.value = 0.8 * e.max; e.dispatchEvent(new Event('input', {bubbles: true})); }"
        )
        studio.at_rest()
        found = [place for piece in trails(studio) for place in np.linspace(piece[:-1], piece[1:], 9).ravel()]
        assert len(found) > 100 and max(np.abs(curve - place).min() for place in found) < 0.2
        # another assembly is no place that this one passes
        before = len(trails(studio))
        studio.press("Assemblies")
        studio.page.locator(".st-ghost path").first.wait_for()
        studio.page.locator(".st-ghost path").first.dispatch_event("pointerdown")
        studio.at_rest()
        assert len(trails(studio)) == before
        assert not studio.errors


def test_the_card_of_an_empty_page_is_not_in_the_way_of_a_path(browser: Any, tmp_path: Path):
    with served(tmp_path / "new.toml") as address:
        studio = Studio(browser, address)
        studio.page.locator(".st-begin").wait_for()
        studio.press("For a path")
        for place in ((300, 150), (400, 160), (500, 250), (560, 120)):
            studio.page.mouse.click(*place)
        studio.page.get_by_text("4 points").wait_for()
        assert not studio.page.locator(".st-begin").count() and not studio.errors


def test_the_first_view_holds_the_motion_and_stays_where_it_was_moved(browser: Any):
    with served(path("triple_rocker")) as address:
        studio = Studio(browser, address)

        def is_seen() -> bool:
            box = studio.page.locator(".st-scene > svg").bounding_box()
            motion = sk.load(path("triple_rocker")).solve(samples=37)
            places = np.concatenate([motion.position(name)[motion.ok] for name in motion.mechanism.places]) * 1e3
            pixels = np.array([studio.pixel(x, y) for x, y in places.tolist()])
            low, size = np.array([box["x"], box["y"]]), np.array([box["width"], box["height"]])
            return bool(((pixels > low) & (pixels < low + size)).all())

        assert eventually(studio.page, is_seen)
        for _ in range(4):
            studio.press("Zoom in")
        assert not is_seen()
        studio.press("Show all")
        studio.at_rest()
        assert is_seen() and not studio.errors


def test_report_and_worksheet_are_saved_under_two_names(browser: Any):
    with served(path("crank_rocker")) as address:
        studio, names = Studio(browser, address), []
        for export in ("report.html", "mechanism-worksheet.html"):
            with studio.page.expect_download() as download:
                studio.page.get_by_label("Export").select_option(export)
            names.append(download.value.suggested_filename)
        assert names == ["crank-rocker.html", "crank-rocker-worksheet.html"] and not studio.errors
