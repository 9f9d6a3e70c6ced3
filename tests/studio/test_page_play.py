"""Play: the mechanism runs by the laws of its drivers, and each driver is set by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few
from pages import eventually
from studio_page import Studio, served

import structkin as sk
from structkin.examples import path


def time_of(studio: Studio) -> float:
    return float(studio.page.get_by_label("Time").input_value())


def set_slider(studio: Studio, label: str, value: float) -> None:
    studio.page.get_by_label(label, exact=True).evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


@pytest.mark.parametrize(
    ("name", "point"), few([("five_bar_two_drivers", "C"), ("excavator", "E"), ("jansen_leg", "P")], 1)
)
def test_at_a_time_all_drivers_are_where_their_laws_put_them(browser: Any, name: str, point: str):
    """The pose is that of `solve`, which knows nothing of the studio."""
    m = sk.load(path(name))
    with served(path(name)) as address:
        studio = Studio(browser, address)
        studio.play()
        assert eventually(studio.page, lambda: time_of(studio) > 0.05)
        studio.play("Pause")
        end = float(studio.page.get_by_label("Time").get_attribute("max"))
        for part in (0.7, 0.2):
            set_slider(studio, "Time", part * end)
            studio.at_rest()
            motion = m.solve(t=[time_of(studio)])
            want = studio.pixel(*(motion.position(point)[0] / m.units.length_scale))
            assert studio.place(point) == pytest.approx(want, abs=1)
        assert not studio.errors


@pytest.mark.full
def test_it_stops_goes_back_or_repeats_at_the_end(browser: Any):
    with served(path("peaucellier")) as address:  # swings for one second, and does not go on
        studio = Studio(browser, address)
        studio.page.get_by_label("At the end").select_option("stop")
        studio.play()
        studio.page.locator(".st-player").get_by_role("button", name="Play", exact=True).wait_for()
        assert eventually(studio.page, lambda: time_of(studio) == pytest.approx(1.0, abs=1e-6))
        studio.page.get_by_label("At the end").select_option("go back")
        studio.page.get_by_label("Speed").select_option("4×")
        studio.play()
        for _ in range(2):
            assert eventually(studio.page, lambda: time_of(studio) > 0.6)
            assert eventually(studio.page, lambda: time_of(studio) < 0.4)
        studio.play("Pause")
        assert not studio.errors


@pytest.mark.full
def test_frames_that_began_before_play_was_pressed_do_not_end_it(browser: Any):
    """A busy browser calls back with the time at which a frame began, which may lie before the press."""
    late = "const next = requestAnimationFrame; window.requestAnimationFrame = (call) => next((at) => call(at - 200));"
    with served(path("peaucellier")) as address:
        studio = Studio(browser, address, script=late)
        studio.page.get_by_label("At the end").select_option("stop")
        studio.play()
        assert eventually(studio.page, lambda: time_of(studio) == pytest.approx(1.0, abs=1e-6), seconds=20)
        assert not studio.errors


@pytest.mark.full
def test_a_crank_that_was_dragged_goes_on_from_there(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        (x, y), (cx, cy) = studio.place("B"), studio.place("A")
        studio.pull((x, y), (cx - 100, cy))  # from 60 to 180 degrees of 360, one turn a second
        assert time_of(studio) == pytest.approx(1 / 3, abs=0.02)
        studio.play()
        first = time_of(studio)
        assert first > 0.3 and eventually(studio.page, lambda: time_of(studio) != first)
        assert not studio.errors


@pytest.mark.full
def test_each_driver_has_a_slider_and_a_value(browser: Any):
    m = sk.load(path("five_bar_two_drivers"))
    first, second = m.drivers
    with served(path("five_bar_two_drivers")) as address:
        studio = Studio(browser, address)
        field = studio.page.get_by_label(f"{first}, value")
        other = studio.page.get_by_label(f"{second}, value").input_value()
        field.fill("1,5 rad")
        field.press("Enter")
        studio.at_rest()
        assert float(field.input_value()) == pytest.approx(np.degrees(1.5), abs=1e-3)
        assert studio.page.get_by_label(f"{second}, value").input_value() == other
        set_slider(studio, f"{first}, slider", 70)
        studio.at_rest()
        assert float(field.input_value()) == pytest.approx(70, abs=0.4)
        values = {id: [np.radians(float(studio.page.get_by_label(f"{id}, value").input_value()))] for id in m.drivers}
        motion = m.solve(drivers=values)
        want = studio.pixel(*(motion.position("C")[0] / m.units.length_scale))
        assert studio.place("C") == pytest.approx(want, abs=1)
        field.fill("fast")
        field.press("Enter")
        studio.page.get_by_text("a value must be a number").wait_for()
        field.fill("1e300")
        field.press("Enter")
        studio.page.get_by_text(f"{first}: must be a number from -1e12 to 1e12").wait_for()
        assert eventually(studio.page, lambda: float(field.input_value()) == pytest.approx(70, abs=0.4))
        assert not studio.errors


@pytest.mark.full
def test_the_points_whose_paths_are_drawn_are_chosen(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.page.mouse.click(*studio.place("C"))
        studio.page.get_by_label("Draw its path in Drive").check()
        studio.page.mouse.click(*studio.place("P"))
        studio.page.get_by_label("Draw its path in Drive").uncheck()
        studio.play()
        studio.page.locator(".st-paths path").first.wait_for(state="attached")
        studio.play("Pause")
        assert studio.page.locator(".st-paths > g").count() == 1
        at = studio.place("C")  # waits until C rests: the last poses that were under way still lengthen its path
        box = studio.page.locator(".st-paths > g").bounding_box()
        assert box["x"] - 3 <= at[0] <= box["x"] + box["width"] + 3
        assert not studio.errors


@pytest.mark.full
def test_without_a_speed_it_says_what_play_needs(browser: Any):
    with served(path("crank_rocker")) as address:
        studio = Studio(browser, address)
        studio.press("Delete driver motor")
        studio.page.get_by_text("No driver has a speed").wait_for()
        assert studio.page.locator(".st-player button").is_disabled() and not studio.errors


@pytest.mark.full
def test_the_value_of_a_cylinder_is_shown(browser: Any):
    m = sk.load(path("excavator"))
    first = next(iter(m.drivers))
    with served(path("excavator")) as address:
        studio = Studio(browser, address)
        start = m.drivers[first].start / m.units.length_scale
        shown = studio.page.locator(".st-driver", has_text=first).locator("output").inner_text()
        assert float(shown.split()[0].replace("−", "-")) == pytest.approx(start, abs=1e-3)
        assert not studio.errors
