"""Plots beside the drawing: of what is selected, with a line at the pose that is shown; a press on one sets it."""

from __future__ import annotations

from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, served

import structkin as sk
from structkin.examples import path


def plotted(studio: Studio, title: str) -> Any:
    return studio.page.locator(".st-plots .sk-plot", has_text=title).first


def value(studio: Studio, title: str, curve: str) -> float:
    text = plotted(studio, title).locator(".sk-key", has_text=curve).locator("b").first.inner_text()
    return float(text.replace("−", "-")) if text != "–" else float("nan")


def to_start(studio: Studio) -> None:
    box = plotted(studio, "driver force").locator(".u-over").bounding_box()
    studio.page.mouse.click(box["x"], box["y"] + 20)
    studio.at_rest()


@pytest.mark.full
def test_a_press_on_a_plot_moves_the_mechanism_there_and_the_line_follows_it(browser: Any):
    m = sk.load(path("crank_rocker"))
    with served(path("crank_rocker")) as address:
        studio = Studio(browser, address)
        studio.press("Plots")
        plotted(studio, "velocity").locator("canvas").wait_for()
        studio.page.mouse.click(*studio.place("C"))
        box = plotted(studio, "velocity").locator(".u-over").bounding_box()
        studio.page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 30)
        end = float(studio.page.get_by_label("Time").get_attribute("max"))
        time = studio.page.get_by_label("Time")
        assert eventually(studio.page, lambda: abs(float(time.input_value()) - 0.3 * end) < 0.02 * end)
        studio.at_rest()
        # the samples of the plot are 2 degrees apart, and the time has a thousand steps
        motion = m.solve(t=[round(180 * float(time.input_value()) / end) * end / 180])
        assert value(studio, "velocity", "x") == pytest.approx(1e3 * motion.velocity("C")[0][0], rel=1e-3)
        line = plotted(studio, "velocity").locator(".sk-now")
        before = line.bounding_box()["x"]
        studio.pull(studio.place("B"), studio.place("D"))
        assert eventually(studio.page, lambda: line.bounding_box()["x"] != before)
        assert not studio.errors


@pytest.mark.full
def test_links_and_driver_efforts_are_plotted_and_a_change_plots_anew(browser: Any):
    m = sk.load(path("excavator"))
    with served(path("excavator")) as address:
        studio = Studio(browser, address)
        studio.press("Plots")
        choice = studio.page.locator(".st-plots select")
        choice.select_option("Link bucket")
        plotted(studio, "angular velocity").locator("canvas").wait_for()
        studio.see("selection", "bucket")
        choice.select_option("Forces and energy")
        plotted(studio, "driver force").locator("canvas").wait_for()
        to_start(studio)
        motion = m.solve(181)
        found = motion.forces()
        driver = next(iter(m.drivers))
        assert value(studio, "driver force", driver) == pytest.approx(found.driver(driver)[0] / 1e3, rel=2e-3)
        studio.page.get_by_label("Gravity").uncheck()
        studio.at_rest()
        to_start(studio)
        assert eventually(studio.page, lambda: abs(value(studio, "driver force", driver)) < 20)
        studio.page.get_by_label("Close the plots").click()
        assert studio.page.locator(".st-plots").count() == 0 and not studio.errors


@pytest.mark.full
def test_without_drivers_it_says_what_a_plot_needs(browser: Any):
    with served(path("crank_rocker")) as address:
        studio = Studio(browser, address)
        studio.press("Plots")
        studio.press("Delete driver motor")
        studio.page.locator(".st-plots", has_text="where drivers determine it").wait_for()
        assert not studio.errors


#: Keeps the numbers beside the axes of canvases, which are right-aligned where the axis is upright.
BESIDE = """const old = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
    if (this.textAlign === "right") (this.canvas.beside ??= new Set()).add(text);
    return old.call(this, text, ...at);
};"""


@pytest.mark.full
def test_an_upright_axis_has_two_numbers_or_more(browser: Any):
    """One alone, such as 0, is no scale."""
    with served(path("excavator")) as address:
        studio = Studio(browser, address, BESIDE)
        studio.press("Plots")
        for choice in ("Point T", "Link bucket", "Link boom", "Forces and energy"):
            studio.page.locator(".st-plots select").select_option(choice)
            assert eventually(studio.page, lambda: studio.page.locator(".st-plots canvas").count() > 2)
            counts = studio.page.locator(".st-plots canvas").evaluate_all("all => all.map((one) => one.beside?.size)")
            assert all(count > 1 for count in counts), (choice, counts)
        assert not studio.errors
