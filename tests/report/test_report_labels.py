"""Labels and readouts of plots: whole, each once, and as fine as the numbers."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from pages import open_file, settle

import structkin as sk
from structkin.examples import path

#: Record each text that is drawn on a canvas, and what it covers in pixels.
RECORD = """
    window.drawn = [];
    const old = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        const width = this.measureText(text).width, at = new DOMPoint(x, y).matrixTransform(this.getTransform());
        const left = at.x - width * { right: 1, center: 0.5 }[this.textAlign];
        window.drawn.push({ text, left, right: left + width, y: Math.round(at.y), canvas: this.canvas });
        return old.apply(this, arguments);
    };
"""
LABELS = """() => [...document.querySelectorAll(".sk-plot")].map((plot) => {
    const canvas = plot.querySelector("canvas");
    const own = window.drawn.filter((label) => label.canvas === canvas).map(({ canvas, ...label }) => label);
    return [plot.querySelector(".sk-plot-title").innerText, canvas.width, own];
})"""


def lift(low: float, stroke: float, omega: float) -> sk.Mechanism:
    """Return a boom on a cylinder, in mm, for two turns of its law."""
    data = {
        "title": "Lift",
        "units": {"length": "mm"},
        "duration": 4 * 3.141592653589793 / omega,
        "points": {"A": [0, 0], "B": [700, -900], "C": [1500, 700]},
        "links": {"ground": ["A", "B"], "boom": ["A", "C"]},
        "drivers": {"cylinder": {"between": ["B", "C"], "law": f"{low} + {stroke}*sin({omega}*t)"}},
    }
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize("width", few([320, 1200], 1))
@pytest.mark.parametrize(
    "m",
    few([lift(1800, 20, 6.28), lift(1800, 0.01, 6.28), lift(1800, 20, 628.3), lift(1800, 20, 25000)], 1, 1),
    ids=["", "short stroke", "fast", "very fast"],
)
def test_labels_of_axes_are_whole_and_no_two_are_alike(m: sk.Mechanism, width: int, browser: Any, tmp_path: Path):
    file = tmp_path / "report.html"
    m.report(file, samples=61, without=["limits"])
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.add_init_script(RECORD)
    page.goto(file.as_uri())
    page.locator(".sk-compare .sk-canvas canvas").wait_for()
    settle(page)
    plots = page.evaluate(LABELS)
    assert len(plots) > 10
    for title, edge, labels in plots:
        rows: dict[int, list[Any]] = {}
        for label in labels:
            assert label["left"] >= 0 and label["right"] <= edge, (title, label)
            rows.setdefault(label["y"], []).append(label)
        # the labels of the x axis share a line, each of the y axis has its own
        for row in rows.values():
            row.sort(key=lambda label: label["left"])
            for a, b in pairwise(row):
                assert a["text"] != b["text"] and a["right"] < b["left"], (title, a, b)
        own = [row[0]["text"] for row in rows.values() if len(row) == 1 and "[" not in row[0]["text"]]
        assert len(set(own)) == len(own), (title, own)


@pytest.mark.full
@pytest.mark.parametrize("name", few(["excavator", "jansen_leg", "platform_3rrr"], 1, 1))
def test_names_are_whole_on_a_narrow_screen(name: str, browser: Any, tmp_path: Path):
    file = tmp_path / "report.html"
    sk.load(path(name)).report(file, samples=61, without=["limits"])
    page = browser.new_context(viewport={"width": 320, "height": 900}).new_page()
    page.goto(file.as_uri())
    for sample in ("0", "20", "40"):
        page.get_by_role("slider", name="Sample of the motion").fill(sample)
        settle(page)
        stage = page.locator("#motion .sk-scene").bounding_box()
        texts = page.locator("#motion .sk-names > text").all()
        assert texts
        for text in texts:
            box = text.bounding_box()
            assert box["x"] >= stage["x"] and box["x"] + box["width"] <= stage["x"] + stage["width"]


@pytest.mark.parametrize(("stroke", "digits"), few([(600, 4), (20, 6)], 1), ids=["wide", "narrow"])
def test_readouts_have_four_significant_digits_or_more_where_a_curve_is_flat(
    stroke: float, digits: int, browser: Any, tmp_path: Path
):
    """A stroke of 20 mm changes K by less than a part in 100: two more digits show the change as finely."""
    m = lift(1500, stroke, 6.28)
    file = tmp_path / "report.html"
    m.report(file, samples=61, without=["limits"])
    page = browser.new_page()
    page.goto(file.as_uri())
    K = m.solve(samples=61).K("boom")[:, 0] / 1e3
    assert (abs(K).max() > 100 * np.ptp(K)) == (digits == 6)
    plot = page.locator("#plots .sk-columns > div").nth(1).locator(".sk-plot", has_text="K, by the driver")
    text = plot.locator(".sk-key b").inner_text()
    assert float(text) == pytest.approx(K[0], rel=5.1 * 10.0**-digits)
    assert len(re.sub(r"e.*|[^\d]", "", text).lstrip("0")) == digits


def test_numbers_of_sentences_and_tables_have_four_digits(browser: Any, tmp_path: Path):
    """Names of sections aside; on the excavator no range is a small part of its values."""
    file = tmp_path / "report.html"
    sk.load(path("excavator")).report(file, samples=61, without=["centres", "coefficients", "steps"])
    page = open_file(browser, file).page
    for section in ("limits", "transmission", "tables"):
        numbers = re.findall(r"\d+\.\d+", page.locator(f"#{section}").inner_text())
        assert len(numbers) > 3
        assert all(len(one.replace(".", "").lstrip("0")) <= 4 for one in numbers), (section, numbers)


@pytest.mark.full
def test_the_ends_of_a_short_range_are_told_apart(browser: Any, tmp_path: Path):
    """A point that rises by 4 um at 700 mm: both ends in the table, to a tenth of the rise."""
    m = lift(1800, 0.005, 6.28)
    file = tmp_path / "report.html"
    m.report(file, samples=61, without=["limits", "steps"])
    page = open_file(browser, file).page
    row = page.locator("#tables tr").filter(has=page.get_by_role("rowheader", name="C", exact=True)).first
    y = 1e3 * m.solve(samples=61).position("C")[:, 1]
    low, high = (float(text) for text in row.locator("td").all_inner_texts()[2:4])
    assert [low, high] == pytest.approx([y.min(), y.max()], abs=0.1 * np.ptp(y))
