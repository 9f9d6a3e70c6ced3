"""What is drawn over a pose in a browser: velocities, accelerations, instant centres, and forces at rest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import eventually
from studio_page import Studio, opened, served

import structkin as sk

PRESS = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [30, 52], C = [150, 90], D = [120, 0] }
drivers = { motor = { joint = "A", speed = "30 rpm" } }
[links]
ground = ["A", "D"]
crank = ["A", "B"]
coupler = ["B", "C"]
rocker = { points = ["D", "C"], mass = 2, center = [135, 45] }
[forces]
gravity = [0, -10]
push = { type = "force", at = "C", value = [-20, 5] }
"""


#: The contrast of an arrow with the ground behind it, by WCAG 2, with the brightness that a filter adds.
BRIGHTNESS = """arrow => {
    const parts = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const light = (rgb) => rgb.map((one) => Math.min(one, 255) / 255)
        .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
        .reduce((sum, one, k) => sum + one * [0.2126, 0.7152, 0.0722][k], 0.05);
    const more = Number((getComputedStyle(arrow).filter.match(/brightness\\(([\\d.]+)\\)/) ?? [0, 1])[1]);
    let behind = arrow;
    while (/rgba\\(.*, 0\\)/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    const [a, b] = [parts(getComputedStyle(arrow.querySelector("path")).stroke).map((one) => one * more),
                    parts(getComputedStyle(behind).backgroundColor)].map(light);
    return Math.max(a, b) / Math.min(a, b);
}"""


@pytest.fixture
def press(browser: Any, tmp_path: Path) -> Any:
    with opened(browser, tmp_path, PRESS) as (studio, file):
        yield studio, sk.load(file)


def show(studio: Studio, label: str) -> None:
    studio.page.get_by_label(label, exact=True).check()
    studio.at_rest()


def way(studio: Studio, layer: str, name: str) -> np.ndarray:
    """Return an arrow in the plane's axes [pixels], from its start to its tip."""
    arrow = studio.page.locator(f".{layer} [data-arrow='{name}'] path")
    arrow.first.wait_for(state="attached")  # forces are found once a pose is at rest
    line, head = arrow.all()
    x, y = re.findall(r"-?[\d.]+(?:e-\d+)?", line.get_attribute("d"))[:2]
    u, v = re.findall(r"-?[\d.]+(?:e-\d+)?", head.get_attribute("d"))[:2]
    return np.array([float(u) - float(x), float(y) - float(v)])


def test_velocities_and_accelerations_are_those_of_the_laws_at_the_time(press: Any):
    studio, m = press
    show(studio, "Velocities")
    show(studio, "Accelerations")
    studio.page.get_by_label("Time").evaluate(
        "(e) => { e.value = 0.8; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    assert eventually(studio.page, lambda: studio.page.get_by_label("Time").input_value() == "0.8")
    studio.at_rest()
    motion = m.solve(t=[0.8])
    for layer, rate in (("sk-velocity", motion.velocity), ("sk-acceleration", motion.acceleration)):
        b, c = (way(studio, layer, name) for name in "BC")
        # of one scale, in their directions
        assert np.linalg.norm(c) / np.linalg.norm(b) == pytest.approx(
            np.linalg.norm(rate("C")) / np.linalg.norm(rate("B")), rel=0.02
        )
        for arrow, name in ((b, "B"), (c, "C")):
            assert arrow / np.linalg.norm(arrow) == pytest.approx(rate(name)[0] / np.linalg.norm(rate(name)), abs=0.02)
    studio.page.locator(".sk-legend [data-scale]").first.wait_for()
    studio.press("Edit")
    assert eventually(studio.page, lambda: not studio.page.locator(".sk-velocity [data-arrow]").count())


@pytest.mark.full
def test_the_instant_centre_of_the_coupler_is_where_crank_and_rocker_meet(press: Any):
    studio, _ = press
    show(studio, "Instant centres")
    studio.pull(studio.place("B"), (studio.place("B")[0] + 70, studio.place("B")[1] - 60))
    for name in ("Zoom out",) * 4:
        studio.press(name)
    studio.at_rest()
    a, b, c, d = (np.array(studio.place(name)) for name in "ABCD")
    s, _ = np.linalg.solve(np.column_stack((b - a, c - d)), d - a)
    box = studio.page.locator("[data-centre='coupler'] circle").bounding_box()
    assert [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2] == pytest.approx(a + s * (b - a), abs=1.5)
    studio.page.get_by_label("Centres relative to").select_option("coupler")
    studio.at_rest()
    box = studio.page.locator("[data-centre='crank'] circle").bounding_box()
    assert [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2] == pytest.approx(b, abs=1.5)


@pytest.mark.full
def test_the_forces_at_rest_balance_a_two_force_link(press: Any):
    studio, _ = press
    show(studio, "Forces at rest")
    # the coupler has no mass: the force on it is along it; the weight is 20 N, downwards, the push 20.6 N
    b, c = (np.array(studio.place(name)) for name in "BC")
    along = (c - b) * [1, -1] / np.linalg.norm(c - b)
    arrow = way(studio, "sk-force", "B coupler")
    assert abs(along @ arrow) == pytest.approx(np.linalg.norm(arrow), rel=1e-3)
    weight, push = way(studio, "sk-applied", "weight rocker"), way(studio, "sk-applied", "push coupler")
    assert weight == pytest.approx([0, -np.linalg.norm(push) * 20 / np.hypot(20, 5)], abs=0.5)


@pytest.mark.full
def test_arrows_and_their_legend_stand_out_in_the_dark(browser: Any, tmp_path: Path):
    """They had the colours for paper: dark blue, red and purple."""
    file = tmp_path / "drawn.toml"
    file.write_text(PRESS)
    with served(file) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        studio = Studio(browser, address, context=context)
        for label in ("Velocities", "Accelerations", "Forces at rest"):
            show(studio, label)
        for layer in ("sk-velocity", "sk-acceleration", "sk-force", "sk-applied"):
            for arrow in (f".st-canvas .{layer} [data-arrow]", f".sk-legend .{layer} svg"):
                studio.page.locator(arrow).first.wait_for(state="attached")
                found = studio.page.locator(arrow).first.evaluate(BRIGHTNESS)
                assert found > 3, (arrow, found)


@pytest.mark.full
def test_without_a_speed_it_says_that_velocities_are_not_known(press: Any):
    studio, _ = press
    show(studio, "Velocities")
    studio.press("Delete driver motor")
    studio.see("layers", "are not known")
    assert not studio.page.locator(".sk-velocity [data-arrow]").count()
