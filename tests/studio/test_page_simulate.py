"""Simulate from here, in a browser: start, pull, stop, reset."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, served

PENDULUM = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [100, 0] }
drivers = { swing = { joint = "A", speed = "10 rpm" } }
[links]
ground = ["A"]
rod = { points = ["A", "B"], point_masses = { B = 1 } }
[forces]
gravity = [0, -9.81]
"""

#: Holds back the second state of a page, which completes the first, until `window.complete` is called.
HOLD = """window.WebSocket = class extends window.WebSocket {
    set onmessage(hear) {
        let states = 0;
        super.onmessage = (event) => {
            if (JSON.parse(event.data).type === "state" && ++states === 2) window.complete = () => hear(event);
            else hear(event);
        };
    }
};"""


def angle(studio: Studio) -> float:
    return float(studio.page.get_by_label("swing, value").input_value())


def test_a_pendulum_falls_from_the_pose_that_is_shown_stops_and_is_put_back(browser: Any, tmp_path: Path):
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM)
    with served(file) as address:
        studio = Studio(browser, address)
        field = studio.page.get_by_label("swing, value")
        field.fill("-30")
        field.press("Enter")
        studio.at_rest()
        studio.page.get_by_label("Forces at rest").check()
        arrows = studio.page.locator(".st-canvas [data-arrow]")
        assert eventually(studio.page, lambda: arrows.count() > 0)
        effort = studio.page.get_by_title("Effort that holds this pose at rest")
        effort.wait_for()
        studio.press("Simulate")
        studio.page.get_by_role("button", name="Stop").wait_for()
        # they would stay where and as they were, while the mechanism moves on
        assert eventually(studio.page, lambda: arrows.count() == 0) and effort.count() == 0
        heights, angles = [], []
        for _ in range(40):
            heights.append(studio.page.locator("circle:is([data-id='pin:B'], [data-id='point:B'])").bounding_box()["y"])
            angles.append(angle(studio))
            studio.page.wait_for_timeout(30)
        assert max(angles) - min(angles) > 20  # the panel says how it swings
        # it swings from -30 to -150 degrees, and through the lowest place
        top, bottom = studio.pixel(0, -50)[1], studio.pixel(0, -100)[1]
        assert (
            min(heights) > top - 12 and max(heights) < bottom + 12 and max(heights) - min(heights) > (bottom - top) / 4
        )
        if studio.page.get_by_role("button", name="Stop").count():
            studio.press("Stop")
        studio.at_rest()
        assert -151 < angle(studio) < -29
        # drawn where the driver says: the mechanism stands there
        turn = math.radians(angle(studio))
        assert studio.place("B") == pytest.approx(studio.pixel(100 * math.cos(turn), 100 * math.sin(turn)), abs=1.5)
        studio.press("Reset")
        assert eventually(studio.page, lambda: angle(studio) == pytest.approx(-30, abs=1e-3))
        assert not studio.errors


@pytest.mark.full
def test_without_masses_there_is_nothing_to_simulate_and_a_change_ends_it(browser: Any, tmp_path: Path):
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Simulate")
        studio.page.get_by_role("button", name="Stop").wait_for()
        studio.page.get_by_label("Gravity").uncheck()
        studio.page.get_by_role("button", name="Simulate").wait_for()
        assert studio.page.get_by_role("button", name="Reset").count() == 0
        before = angle(studio)
        studio.at_rest()
        assert angle(studio) == before and not studio.errors


def test_the_pointer_pulls_at_a_link_while_the_simulation_goes_on(browser: Any, tmp_path: Path):
    """Held by the pointer at its end, the pendulum hangs a little below it; let go, it falls."""
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.page.get_by_label("Speed").select_option("0.1")
        studio.press("Simulate")
        studio.page.get_by_role("button", name="Stop").wait_for()
        end = "circle:is([data-id='pin:B'], [data-id='point:B'])"

        def height() -> float:
            """Return how high the end is over the pivot, in parts of the rod."""
            box = studio.page.locator(end).bounding_box()
            top, bottom = studio.pixel(0, 100)[1], studio.pixel(0, -100)[1]
            return 1 - 2 * (box["y"] + box["height"] / 2 - top) / (bottom - top)

        def grabbed() -> bool:
            """Press where the end was last seen, which it may have left by then."""
            studio.page.mouse.up()
            box = studio.page.locator(end).bounding_box()
            studio.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            studio.page.mouse.down()
            return eventually(studio.page, lambda: studio.page.locator(".st-canvas .st-rubber").count() == 1, 0.5)

        assert eventually(studio.page, grabbed)
        studio.page.get_by_label("Speed").select_option("1")
        studio.page.mouse.move(*studio.pixel(70, 70), steps=4)
        # it would hang at -1; the pull is ten times its weight at the distance of its length
        assert eventually(studio.page, lambda: 0.4 < height() < 0.75)
        studio.page.wait_for_timeout(1500)
        assert 0.4 < height() < 0.75
        studio.page.mouse.up()
        assert eventually(studio.page, lambda: height() < 0)
        assert studio.page.get_by_role("button", name="Stop").count() and not studio.page.locator(".st-rubber").count()
        studio.press("Stop")
        studio.at_rest()
        studio.press("Reset")
        assert eventually(studio.page, lambda: angle(studio) == pytest.approx(0, abs=1e-3))
        assert not studio.errors


def test_a_state_that_only_completes_the_one_before_does_not_stop_it(browser: Any, tmp_path: Path):
    file = tmp_path / "pendulum.toml"
    file.write_text(PENDULUM.replace("drivers =", "#"))
    with served(file) as address:
        studio = Studio(browser, address, HOLD)
        studio.page.wait_for_function("() => window.complete")
        studio.press("Simulate")
        stop = studio.page.get_by_role("button", name="Stop")
        stop.wait_for()
        studio.page.evaluate("() => window.complete()")
        studio.page.wait_for_timeout(100)
        assert stop.count() == 1 and not studio.errors
