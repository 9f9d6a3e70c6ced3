"""Masses and loads by hand, in a browser: drawn, set in forms, and what they need of the driver."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, middle, opened, served

import structkin as sk

ROCKER = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [30, 52], C = [150, 90], D = [120, 0], S = [200, 120] }
links = { ground = ["A", "D", "S"], crank = ["A", "B"], coupler = ["B", "C"], rocker = ["D", "C"] }
drivers = { motor = { joint = "A", speed = "30 rpm" } }
"""
CAM = """units = { length = "mm", angle = "deg" }
points = { O = [0, 0], R = [0, 30] }
links = { ground = ["O"], disc = ["O"], lifter = ["R"] }
drivers = { motor = { joint = "O", speed = "30 rpm" } }
[joints]
guide = { type = "prismatic", links = ["lifter", "ground"], at = "R", axis = [0, 1] }
cam = { type = "cam", cam = "disc", follower = "lifter", at = "R", radius = 5, law = [
    { motion = "3-4-5", over = 180, to = 10 }, { motion = "3-4-5", over = 180, to = 0 } ] }
"""


@pytest.fixture
def drawn(browser: Any, tmp_path: Path) -> Any:
    with opened(browser, tmp_path, ROCKER) as drawn:
        yield drawn


def fill(studio: Studio, label: str, text: str) -> None:
    field = studio.page.locator("[data-panel='selection']").get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    studio.at_rest()


def new_load(studio: Studio, kind: str, *places: tuple[float, float]) -> None:
    studio.page.get_by_label("New load").select_option(kind)
    for place in places:
        studio.page.mouse.click(*place)
    studio.press("Add")
    studio.at_rest()


def test_masses_springs_and_forces_are_made_by_hand_and_held_by_the_driver(drawn: Any):
    studio, file = drawn
    studio.press("Edit")
    studio.page.mouse.click(*middle(studio.point("D"), studio.point("C")))
    studio.page.get_by_text("Mass", exact=True).click()
    studio.page.get_by_label("shape").select_option("rod")
    studio.at_rest()
    studio.page.get_by_label("material").select_option("steel")
    studio.at_rest()
    studio.page.get_by_label("Gravity").check()
    studio.at_rest()
    new_load(studio, "spring", studio.point("C"), studio.point("S"))
    fill(studio, "free_length", "20")
    new_load(studio, "damper", studio.point("C"), studio.point("S"))
    new_load(studio, "force", studio.point("C"))
    fill(studio, "value x", "-20 N")
    for shape in ("spring:spring", "spring:damper"):
        assert studio.page.locator(f"[data-id='{shape}']").count() == 1
    assert studio.page.locator(".st-mass [d]").count() and studio.page.locator(".st-force [d]").count()
    studio.press("Drive")
    studio.page.get_by_title("Effort that holds this pose at rest").wait_for()
    shown = studio.page.get_by_title("Effort that holds this pose at rest").inner_text().replace("−", "-")
    data = studio.saved(file)
    # steel, 20 mm by 5 mm: 7850 kg/m^3 of 1e-4 m^2
    assert data["links"]["rocker"] == {"points": ["D", "C"], "shape": "rod", "density": 0.785}
    assert data["forces"]["gravity"] == [0, -9.81] and data["forces"]["force"]["value"] == ["-20 N", "-100 N"]
    # by virtual work: the powers of all loads at a unit speed of the crank, by differences of poses
    m, h = sk.load(file), 1e-5
    a, b = (m.solve(drivers={"motor": [math.atan2(52, 30) + step]}) for step in (-h, h))

    def rate(of: Any) -> Any:
        return (of(b) - of(a)) / (2 * h)

    length = math.hypot(0.03, 0.09)
    weight = 0.785 * length * -9.81 * rate(lambda one: one.position("C")[0][1]) / 2
    spring = -1000 * (math.hypot(0.05, 0.03) - 0.02) * rate(lambda one: math.dist(one.position("C")[0], (0.2, 0.12)))
    force = -20 * rate(lambda one: one.position("C")[0][0]) - 100 * rate(lambda one: one.position("C")[0][1])
    assert shown.endswith(" N m") and float(shown.split()[0]) == pytest.approx(-(weight + spring + force), rel=6e-3)


@pytest.mark.full
def test_a_drawn_load_is_selected_changed_and_deleted_and_gravity_is_taken_away(drawn: Any):
    studio, file = drawn
    studio.press("Edit")
    new_load(studio, "force", studio.point("B"))
    studio.page.keyboard.press("Escape")
    box = studio.page.locator(".st-force .st-hold").bounding_box()
    studio.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    studio.see("selection", "Load force")
    fill(studio, "Name", "push")
    studio.page.get_by_label("Gravity").check()
    studio.at_rest()
    studio.page.get_by_label("Gravity").uncheck()
    assert set(studio.saved(file)["forces"]) == {"push"}
    studio.page.keyboard.press("Escape")
    studio.page.get_by_text("push (force)").click()
    studio.page.keyboard.press("Delete")
    new_load(studio, "torsion spring", studio.point("D"))
    studio.page.keyboard.press("Escape")
    x, y = studio.point("D")
    studio.page.mouse.click(x - 14, y)
    studio.see("selection", "Load torsion spring")
    studio.page.keyboard.press("Delete")
    assert eventually(studio.page, lambda: not studio.page.locator(".st-force").count())
    assert "forces" not in studio.saved(file)


@pytest.mark.full
def test_the_law_of_a_cam_is_a_table(browser: Any, tmp_path: Path):
    file = tmp_path / "cam.toml"
    file.write_text(CAM)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.page.mouse.click(*studio.pixel(-10, -15))
        studio.see("selection", "Joint cam")
        table = studio.page.get_by_role("table", name="law")

        def type_in(cell: str, text: str) -> None:
            table.get_by_label(f"law {cell}").fill(text)
            table.get_by_label(f"law {cell}").press("Enter")
            studio.at_rest()

        assert studio.page.get_by_label("Lift over the turn of the cam").count() == 1
        table.get_by_role("button", name="Add a row").click()
        studio.at_rest()
        studio.see("status", "540 deg, not the cam's full turn")
        table.get_by_label("law 3 motion").select_option("dwell")
        studio.at_rest()
        assert table.get_by_label("law 3 to").count() == 0
        type_in("3 over", "20")
        type_in("1 over", "160")
        type_in("1 to", "1.2 cm")
        studio.see("status", "ready to drive")
        assert studio.saved(file)["joints"]["cam"]["law"] == [
            {"motion": "3-4-5", "over": 160, "to": "1.2 cm"},
            {"motion": "3-4-5", "over": 180, "to": 0},
            {"motion": "dwell", "over": 20},
        ]
        assert not studio.errors


#: Names and texts of loads that cover each other on the screen, by more than their margins.
COVERED = """() => {
    const boxes = (which) => [...document.querySelectorAll(`.st-canvas ${which}`)]
        .filter((one) => one.style.display !== "none").map((one) => [one.textContent, one.getBoundingClientRect()]);
    return boxes(".sk-names > text").flatMap(([name, a]) => boxes(".st-loads text")
        .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2)
        .map(([text]) => [name, text]));
}"""


def test_names_keep_clear_of_the_texts_of_loads(browser: Any, tmp_path: Path):
    """The texts of two arrows and of an arc lie where the names of E and F would be."""
    text = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [30, 52], C = [150, 90], D = [120, 0], E = [150, 52], F = [100, 168], P = [90, 130] }
[links]
ground = ["A", "D"]
crank = ["A", "B"]
coupler = ["B", "C", "P", "F"]
rocker = ["D", "C", "E"]
[drivers]
motor = { joint = "A", speed = "30 rpm" }
[forces]
push = { type = "force", on = "rocker", at = "C", value = [0, 20] }
load = { type = "force", on = "coupler", at = "P", value = [0, -20] }
brake = { type = "moment", on = "rocker", value = 3 }
down = { type = "force", on = "crank", at = "B", value = [-1, -1] }
"""
    with opened(browser, tmp_path, text) as (studio, _):
        for mode in ("Edit", "Drive"):
            studio.press(mode)
            studio.at_rest()
            assert studio.page.locator(".st-canvas .st-loads text").count() == 4
            assert eventually(studio.page, lambda: studio.page.evaluate(COVERED) == [], 5)
