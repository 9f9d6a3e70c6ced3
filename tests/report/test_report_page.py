"""Reports in a browser: they open from disk without an error or a request, move, and can be stepped through."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from pages import Opened, eventually, open_file, pins

import structkin as sk
from structkin.examples import path
from structkin.report.modes import others

#: One of each kind: a dyad, cylinders with forces, a triad and three drivers, gears, springs, a cam.
NAMES = ("crank_rocker", "excavator", "platform_3rrr", "planetary_train", "one_cylinder_engine", "cam_lever_press")
SAMPLES = 61


def opened_report(browser: Any, mechanism: sk.Mechanism, folder: Path, **options: Any) -> Opened:
    file = folder / "report.html"
    mechanism.report(file, samples=SAMPLES, **options)
    return open_file(browser, file)


@pytest.fixture
def four_bar(browser: Any, tmp_path: Path) -> Opened:
    return opened_report(browser, sk.load(path("crank_rocker")), tmp_path)


@pytest.mark.parametrize("name", few(NAMES, 1, 2))
def test_a_report_moves_and_can_be_stepped_through_without_errors_or_requests(name: str, browser: Any, tmp_path: Path):
    m = sk.load(path(name))
    motion, unit = m.solve(samples=SAMPLES), m.units.scale("length")
    opened = opened_report(browser, m, tmp_path)
    page = opened.page
    slider = page.get_by_role("slider", name="Sample of the motion")
    for sample in (0, 23, 60):
        slider.fill(str(sample))
        found = pins(page)
        assert found
        for point, place in found.items():
            assert place == pytest.approx(motion.position(point)[sample] / unit, abs=2e-3 * motion.size / unit)
    groups = m.structure().groups
    for k in range(len(groups)):
        assert page.get_by_text(f"Step {k + 1} of {len(groups)}").is_visible()
        if k + 1 < len(groups):
            page.get_by_role("button", name="Next").click()
    for box in page.get_by_role("checkbox").all():
        box.check()
    for select in page.get_by_label("Centrodes of").all():
        select.select_option(index=1)
    slider.fill("7")
    assert page.pdf().startswith(b"%PDF")
    assert not opened.errors and not opened.requests


@pytest.mark.full
def test_a_comparison_of_formulations_is_shown_on_the_page_and_on_paper(browser: Any, tmp_path: Path):
    m = sk.Mechanism(
        "Pendulum", points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -9.81)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "mass": 1, "shape": "rod"}},
        drivers={"a": {"joint": "A"}},
    )  # fmt: skip
    found = m.compare(3, simulate=0.1, methods=["multipliers"], coordinates=["natural"])
    opened = opened_report(browser, m, tmp_path, motion=m.simulate(0.1, samples=3), comparison=found)
    part = opened.page.locator("#comparison")
    assert part.get_by_role("row").count() == 3 and "all formulations agree" in part.inner_text()
    size = part.locator("img").evaluate("picture => [picture.complete, picture.naturalWidth, picture.clientWidth]")
    assert size[0] and size[1] > 500 and size[2] > 500
    assert opened.page.get_by_role("link", name="Formulations").is_visible()
    assert opened.page.pdf().startswith(b"%PDF")
    assert not opened.errors and not opened.requests


@pytest.mark.full
def test_a_whole_report_is_small(tmp_path: Path):
    for name in ("excavator", "platform_3rrr", "jansen_leg"):
        file = tmp_path / f"{name}.html"
        page = sk.load(path(name)).report(file)
        assert file.stat().st_size < 2_000_000
        assert repr(page).startswith("<report of '") and len(repr(page)) < 80


@pytest.mark.full
def test_the_circles_of_a_dyad_pass_through_its_pin_and_follow_the_slider(four_bar: Opened):
    page = four_bar.page
    page.get_by_role("button", name="Next").click()
    for sample in ("0", "33"):
        page.get_by_role("slider", name="Sample of the motion").fill(sample)
        C = np.array(pins(page)["C"])
        marks = page.locator("#steps .sk-steps circle.sk-locus").all()
        circles = [[float(mark.get_attribute(key)) for key in ("cx", "cy", "r")] for mark in marks]
        assert len(circles) == 2
        for x, y, r in circles:
            assert np.hypot(*(C - (x, y))) == pytest.approx(r, rel=1e-3)
    assert page.locator("#steps .sk-steps .sk-ghost > *").count() > 0


@pytest.mark.full
def test_the_other_modes_of_a_triad_follow_the_slider(browser: Any, tmp_path: Path):
    m = sk.load(path("platform_3rrr"))
    page = opened_report(browser, m, tmp_path, without=["limits"]).page
    motion = m.solve(samples=SAMPLES)
    page.locator("#steps .sk-order button").nth(3).click()
    for sample in (0, 23):
        page.get_by_role("slider", name="Sample of the motion").fill(str(sample))
        count = len(others(motion, motion.structure.groups[3], sample)[0])
        assert page.locator("#steps .sk-steps .sk-ghost [data-id='link:plate']:visible").count() == count > 0
        assert f"{count} other assembly modes in this pose" in page.locator("#steps .sk-why").inner_text()


@pytest.mark.full
def test_points_and_links_can_be_compared_in_one_plot(four_bar: Opened):
    motion = sk.load(path("crank_rocker")).solve(samples=SAMPLES)
    part = four_bar.page.locator(".sk-compare")
    part.get_by_label("Quantity").select_option("magnitude of velocity")
    for box in part.get_by_role("checkbox").all():
        box.check()
    keys = dict(text.split() for text in part.locator(".sk-key").all_inner_texts())
    speeds = {name: 1e3 * np.hypot(*motion.velocity(name)[0]) for name in ("P", "B", "C")}
    assert {name: float(text) for name, text in keys.items()} == pytest.approx(speeds, rel=1e-3)
    part.get_by_label("Quantity").select_option("angular velocity")
    assert part.get_by_role("checkbox").count() == 3
    assert not four_bar.errors


@pytest.mark.full
def test_centrodes_of_two_moving_links_touch_at_their_centre(four_bar: Opened):
    page = four_bar.page
    page.get_by_label("Instant centres").check()
    page.get_by_label("Centres relative to").select_option("crank")
    page.get_by_label("Centrodes of").select_option("rocker")
    page.get_by_role("slider", name="Sample of the motion").fill("20")
    curves = [page.locator(f"[data-centrode={name}]").get_attribute("d") for name in ("fixed", "moving")]
    places = [np.array([at.split() for at in re.split("[ML]", d)[1:]], float) for d in curves]
    np.testing.assert_allclose(places[0][20], places[1][20], atol=1e-6)
    assert page.locator("[data-centre=rocker]").is_visible()


@pytest.mark.full
def test_a_click_on_a_plot_moves_the_mechanism(four_bar: Opened):
    page = four_bar.page
    plot = page.locator("#plots .u-over").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 20)
    assert int(page.get_by_role("slider", name="Sample of the motion").input_value()) == pytest.approx(30, abs=1)


def test_keys_move_the_slider_and_play(four_bar: Opened):
    page = four_bar.page
    slider = page.get_by_role("slider", name="Sample of the motion")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == "1"
    page.get_by_role("button", name="Play").focus()
    page.keyboard.press("Enter")
    assert eventually(page, lambda: int(slider.input_value()) > 1)


def test_the_csv_holds_the_motion(four_bar: Opened):
    motion = sk.load(path("crank_rocker")).solve(samples=SAMPLES)
    with four_bar.page.expect_download() as download:
        four_bar.page.get_by_role("button", name="Motion as CSV").click()
    assert download.value.suggested_filename == "crank-rocker-motion.csv"
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    table = {head: (unit, values) for head, unit, *values in zip(*rows, strict=True)}
    assert table["P.x"][0] == "mm" and table["P.ay"][0] == "mm/s²" and table["rocker.omega"][0] == "deg/s"
    for head, values in (
        ("t", motion.t),
        ("P.x", 1e3 * motion.position("P")[:, 0]),
        ("P.ay", 1e3 * motion.acceleration("P")[:, 1]),
        ("rocker.omega", np.degrees(motion.omega("rocker"))),
    ):
        found = np.array(table[head][1], float)
        np.testing.assert_allclose(found, values, rtol=1e-4, atol=1e-5 * np.abs(values).max())


def test_a_sample_without_a_pose_shows_the_reason(browser: Any, tmp_path: Path):
    m = sk.Mechanism(
        "Part turn",
        points={"A": [0, 0], "B": [1, 3], "C": [4, 4], "D": [5, 0]},
        links={"ground": ["A", "D"], "left": ["A", "B"], "coupler": ["B", "C"], "right": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(samples=SAMPLES)
    bad = int(np.argmin(motion.ok))
    assert not motion.ok[bad]
    opened = opened_report(browser, m, tmp_path)
    opened.page.get_by_role("slider", name="Sample of the motion").fill(str(bad))
    assert "out of reach" in opened.page.get_by_role("status").first.inner_text()
    assert not opened.errors


def test_without_drivers_there_is_a_drawing_with_the_problem(browser: Any, tmp_path: Path):
    m = sk.Mechanism("Bar", points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "bar": ["A", "B"]})
    opened = opened_report(browser, m, tmp_path)
    assert "one driver is missing" in opened.page.locator("header").inner_text()
    assert pins(opened.page)["A"] == pytest.approx([0, 0], abs=0.01)
    assert opened.page.get_by_role("slider").count() == 0 and not opened.errors


#: Mechanisms in which no point moves.
WHEEL = {"points": {"A": [0, 0]}, "links": {"ground": ["A"], "wheel": ["A"]}}
GEARS = {
    "points": {"A": [0, 0], "B": [60, 0]},
    "links": {"ground": ["A", "B"], "pinion": ["A"], "wheel": ["B"]},
    "joints": {"mesh": {"type": "gear", "links": ["pinion", "wheel"], "teeth": [20, 40]}},
}


def still(sections: dict[str, Any], **driver: Any) -> sk.Mechanism:
    return sk.Mechanism.from_dict({"title": "Still points", **sections, "drivers": {"motor": {"joint": "A", **driver}}})


@pytest.mark.parametrize("sections", few([WHEEL, GEARS], 1), ids=["wheel", "gears"])
def test_where_no_point_moves_the_links_are_plotted(sections: dict[str, Any], browser: Any, tmp_path: Path):
    m = still(sections, speed="60 rpm")
    opened = opened_report(browser, m, tmp_path)
    titles = opened.page.locator("#plots > .sk-columns .sk-plot-title").all_inner_texts()
    assert [title.partition(" [")[0].strip() for title in titles] == [
        "angle", "angular velocity", "angular acceleration", "K, by the driver", "L = dK/dz"
    ]  # fmt: skip
    assert opened.page.get_by_label("Point", exact=True).count() == 0
    assert opened.page.get_by_label("Velocities").count() == 0
    for box in opened.page.locator("#motion circle[data-id^='pin:']").all():
        assert box.bounding_box()["width"] > 3
    assert pins(opened.page)["A"] == pytest.approx([0, 0], abs=0.01)
    quantities = opened.page.get_by_label("Quantity")
    for name in quantities.locator("option").all_inner_texts():
        quantities.select_option(name)
        assert opened.page.locator(".sk-compare .sk-canvas").count() == 1
    assert not opened.errors


@pytest.mark.parametrize(
    ("m", "values"),
    few([(still(WHEEL), [0.0, 0.1, 0.2]), (still(WHEEL), [0.0]), (still(GEARS, speed=1), [0.0])], 1),
    ids=["no speed", "one sample", "gears, one sample"],
)
def test_little_to_plot_is_no_error(m: sk.Mechanism, values: list[float], browser: Any, tmp_path: Path):
    opened = opened_report(browser, m, tmp_path, motion=m.solve(drivers={"motor": values}))
    assert opened.page.locator("#plots").count() == int(len(values) > 1)
    assert not opened.errors


def test_if_all_samples_are_out_of_reach_the_page_says_so(browser: Any, tmp_path: Path):
    m = sk.Mechanism(
        "Part turn",
        points={"A": [0, 0], "B": [1, 3], "C": [4, 4], "D": [5, 0]},
        links={"ground": ["A", "D"], "left": ["A", "B"], "coupler": ["B", "C"], "right": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(drivers={"motor": np.linspace(-2.5, -2.2, 5)})
    assert not motion.ok.any()
    opened = opened_report(browser, m, tmp_path, motion=motion)
    text = opened.page.locator("#plots").inner_text()
    assert "no sample has a pose" in text and "speeds of the drivers" not in text
    assert not opened.errors


def dug() -> sk.Mechanism:
    """Return the excavator with a digging force."""
    data = sk.load(path("excavator")).source_dict
    digging = {"type": "force", "at": "T", "on": "bucket", "value": ["20 kN", "5 kN"]}
    return sk.Mechanism.from_dict({**data, "forces": {**data["forces"], "digging": digging}})


@pytest.mark.full
def test_arrows_have_a_scale_and_applied_forces_are_drawn(browser: Any, tmp_path: Path):
    m = dug()
    opened = opened_report(browser, m, tmp_path, without=["limits"])
    page, k = opened.page, 20
    for layer in ("Velocities", "Accelerations", "Forces"):
        page.get_by_label(layer, exact=True).check()
    page.get_by_role("slider", name="Sample of the motion").fill(str(k))
    legend = [text.strip() for text in page.locator(".sk-legend span").all_inner_texts()]
    assert [text.partition(":")[0] for text in legend] == [
        "velocity", "acceleration", "force of a joint or cylinder on a link",
        "applied force, force of a spring, weight",
    ]  # fmt: skip
    motion = m.solve(samples=SAMPLES)
    forces = motion.forces()
    # the arrows in the picture are to the scale of the legend
    scale = float(page.locator(".sk-legend .sk-applied").get_attribute("data-scale"))
    length = float(page.locator(".sk-legend .sk-applied svg").get_attribute("width")) - 2
    for arrow, force in (
        ("digging bucket", 1e3 * np.hypot(20, 5)),
        ("weight boom", 1500 * 9.81),
        ("bucket_cylinder arm", abs(forces.driver("bucket_cylinder")[k])),
        ("B boom_barrel", np.hypot(*forces.reaction("B", "boom_barrel")[k])),
    ):
        d = page.locator(f"#motion [data-arrow='{arrow}'] path").evaluate_all(
            "all => all.map((p) => p.getAttribute('d'))"
        )
        start, tip = (np.array(re.split("[MLZ]", part)[1].split(), float) for part in d)
        assert np.hypot(*(tip - start)) == pytest.approx(force / scale * length, rel=1e-3)
    assert not opened.errors


@pytest.mark.full
def test_the_speed_is_given_once_compared_with_real_time(browser: Any, tmp_path: Path):
    page = opened_report(browser, sk.load(path("excavator")), tmp_path, without=["limits"]).page
    speeds = page.get_by_label("Speed").locator("option").all_inner_texts()
    assert "real time" in speeds and "2.4 times real time" in speeds
    text = page.locator(".sk-player").inner_text()
    assert "time lapse" not in text and "×" not in text


@pytest.mark.full
def test_centrodes_are_cut_off_and_the_page_says_so(four_bar: Opened):
    page = four_bar.page
    page.get_by_label("Centrodes of").select_option("coupler")
    x, y, r = (float(page.locator(".sk-sight").get_attribute(key)) for key in ("cx", "cy", "r"))
    assert page.get_by_text("drawn within the circle").is_visible()
    d = page.locator("[data-centrode=fixed]").get_attribute("d")
    # no line leads from one far place to another through the picture
    for piece in d.split("M")[1:]:
        at = np.array([place.split() for place in piece.split("L")], float)
        far = np.hypot(*(at - (x, y)).T) > r
        jumps = np.hypot(*np.diff(at, axis=0).T)
        assert not (jumps[far[1:] | far[:-1]] > r).any()
    page.get_by_label("Centrodes of").select_option("")
    assert not page.get_by_text("drawn within the circle").count() and not four_bar.errors


@pytest.mark.full
@pytest.mark.parametrize("late", few([False, True], 1, 0), ids=["", "plots drawn late"])
def test_a_phone_need_not_scroll_sideways(browser: Any, tmp_path: Path, late: bool):
    file = tmp_path / "report.html"
    dug().report(file, samples=SAMPLES, worksheet="hardest")
    page = browser.new_context(viewport={"width": 390, "height": 800}).new_page()
    if late:
        page.add_init_script("window.ResizeObserver = class { observe() {} disconnect() {} }")
    page.goto(file.as_uri())
    page.locator(".sk-compare").wait_for()
    for width in (390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
