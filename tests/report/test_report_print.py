"""Reports on paper: every step is there, and nothing is cut at the edge of a page, on A4 and on Letter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cases import few
from pages import open_file, settle

import structkin as sk
from structkin.examples import path

#: Width of a page between margins of 14 mm, in CSS pixels.
WIDTHS = {"A4": round((210 - 28) / 25.4 * 96), "Letter": round((215.9 - 28) / 25.4 * 96)}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("print") / "report.html"
    sk.load(path("excavator")).report(file, samples=31, without=["coefficients"])
    return file


@pytest.mark.parametrize("paper", few(WIDTHS, 1))
def test_nothing_is_cut_and_every_step_is_printed(paper: str, report: Path, browser: Any) -> None:
    page = open_file(browser, report).page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": WIDTHS[paper], "height": 900})
    settle(page)
    cut = page.evaluate(
        """width => [...document.querySelectorAll(".sk-report td, .sk-report th, .sk-report p, .sk-report svg")]
            .filter(one => one.checkVisibility({ visibilityProperty: true }))
            .filter(one => one.getBoundingClientRect().right > width + 0.5).map(one => one.outerHTML.slice(0, 80))""",
        WIDTHS[paper],
    )
    assert cut == []
    groups = sk.load(path("excavator")).structure().groups
    steps = page.locator(".sk-printed figure")
    assert [steps.nth(k).is_visible() for k in range(steps.count())] == [True] * len(groups)
    assert not page.locator(".sk-stepper").is_visible()
    # each drawing is fitted to its frame: the pins of its group are inside
    inside = page.evaluate(
        """() => [...document.querySelectorAll(".sk-printed .sk-scene")].map(scene => {
            const frame = scene.getBoundingClientRect();
            const rings = [...scene.querySelectorAll("[data-ring]")].map(ring => ring.getBoundingClientRect());
            return rings.length > 0 && rings.every(ring => ring.left >= frame.left && ring.right <= frame.right
                && ring.top >= frame.top && ring.bottom <= frame.bottom);
        })"""
    )
    assert inside == [True] * len(groups)


@pytest.mark.full
def test_what_is_only_clicked_is_not_printed(report: Path, tmp_path: Path, browser: Any) -> None:
    """The names chosen in select boxes stay, as plain text: they say what is plotted."""
    full = tmp_path / "report.html"
    sk.load(path("excavator")).report(full, samples=31, without=["limits"])
    for file, boxes in ((report, 2), (full, 3)):
        page = open_file(browser, file).page
        hint = page.get_by_text("Click a plot to move the mechanism to that sample.")
        assert hint.is_visible()
        page.emulate_media(media="print")
        settle(page)
        assert not hint.is_visible()
        shown = page.locator("select:visible")
        styles = shown.evaluate_all("all => all.map(getComputedStyle).map(s => [s.appearance, s.borderTopWidth])")
        assert styles == [["none", "0px"]] * boxes
        assert not page.locator("button:not(.sk-link):visible, input:visible").count()


@pytest.mark.full
def test_the_paper_is_the_readers_choice(report: Path, browser: Any) -> None:
    """A page of a fixed size is cut or shrunk on any other paper."""
    page = open_file(browser, report).page
    for paper, (width, height) in {"A4": (595, 842), "Letter": (612, 792)}.items():
        pdf = page.pdf(format=paper, prefer_css_page_size=True)
        assert f"/MediaBox [0 0 {width}".encode() in pdf and f"{height}".encode() in pdf, paper


@pytest.mark.full
def test_bars_of_limits_stand_at_one_height(report: Path, browser: Any) -> None:
    page = open_file(browser, report).page
    for width in (1280, 1000):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        boxes = [page.locator("#limits svg").nth(k).bounding_box() for k in range(3)]
        rows = {round(box["x"]): [] for box in boxes}
        assert len(rows) == 3
        assert max(box["y"] for box in boxes) - min(box["y"] for box in boxes) < 1


@pytest.mark.full
def test_the_steps_for_paper_are_not_on_the_screen(report: Path, browser: Any) -> None:
    page = open_file(browser, report).page
    assert not page.locator(".sk-printed").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.full
def test_no_line_ends_between_a_number_and_its_unit(report: Path, browser: Any) -> None:
    page = open_file(browser, report).page
    words = " ".join(page.locator("#results :is(td, dd), #limits :is(h3, li)").all_text_contents())
    assert re.search("[0-9]\u00a0kN", words) and re.search("t\u00a0=\u00a0[0-9]", words)
    assert not re.search("[0-9] (kN|m|s|kW)\\b|N m\\b|t = ", words)


@pytest.mark.full
def test_pages_before_the_last_are_not_half_empty(tmp_path: Path, browser: Any) -> None:
    """The steps of the crank-rocker follow its tables on one page: it had five, the fourth half empty."""
    file = tmp_path / "report.html"
    sk.load(path("crank_rocker")).report(file, samples=31)
    page = open_file(browser, file).page
    settle(page)
    assert len(re.findall(rb"/Type /Page\b", page.pdf(format="A4"))) == 4
