"""The editor in a browser: what is drawn, selected and changed is what the file contains."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from cases import few
from pages import eventually
from studio_page import PMKS, Studio, middle, served

import structkin as sk
from structkin.examples import path
from structkin.studio import commands, server


def shorter_crank(folder: Path) -> Path:
    """Return a file whose crank is sketched with 40 mm and given as 30 mm."""
    file = folder / "short.toml"
    text = path("crank_rocker").read_text()
    assert '"A-B" = 40' in text
    file.write_text(text.replace('"A-B" = 40', '"A-B" = 30'))
    return file


def drawn_ends(studio: Studio, link: str) -> list[tuple[float, float]]:
    """Return the first and last drawn places of a link, on the screen."""
    return studio.page.evaluate(
        """id => {
            const path = document.querySelector(`.sk-shapes [data-id="${id}"]`);
            const to = path.getScreenCTM();
            return [0, path.getTotalLength()].map((s) => {
                const at = path.getPointAtLength(s).matrixTransform(to);
                return [at.x, at.y];
            });
        }""",
        f"link:{link}",
    )


@pytest.mark.full
def test_the_sketch_is_drawn_on_its_handles_and_the_motion_with_exact_lengths(browser: Any, tmp_path: Path):
    with served(shorter_crank(tmp_path)) as address:
        studio = Studio(browser, address)
        a, b = drawn_ends(studio, "crank")
        scale = studio.pixel(1, 0)[0] - studio.pixel(0, 0)[0]
        assert ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 == pytest.approx(30 * scale, rel=1e-3)
        assert b == pytest.approx(studio.place("B"), abs=0.5)
        studio.press("Edit")
        for name in "ABCDP":
            assert studio.place(name) == pytest.approx(studio.point(name), abs=0.5)
        assert drawn_ends(studio, "crank")[1] == pytest.approx(studio.point("B"), abs=0.5)
        studio.page.mouse.click(*middle(studio.point("A"), studio.point("B")))
        assert studio.page.get_by_label("A–B").input_value() == "30"
        studio.see("selection", "40 mm in the sketch")
        studio.press("Drive")
        studio.press("Use this pose as the sketch")
        studio.page.get_by_text("in the sketch;").wait_for(state="detached")
        assert not studio.errors


def test_a_tracer_point_is_selected_where_it_is_drawn(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        sketched, (x, y), (cx, cy) = studio.place("P"), studio.place("B"), studio.place("A")
        studio.pull((x, y), (cx + (y - cy), cy - (x - cx)))
        assert studio.place("P") != pytest.approx(sketched, abs=20)
        heading = studio.page.locator("[data-panel='selection'] h2")
        studio.page.mouse.click(*studio.place("P"))
        studio.page.get_by_role("heading", name="Point P").wait_for()
        studio.page.mouse.click(*studio.place("C"))
        studio.page.get_by_role("heading", name="Point C").wait_for()
        studio.page.mouse.click(*sketched)
        assert eventually(studio.page, lambda: not heading.count() or "Point" not in heading.inner_text())
        assert not studio.errors


#: Presses the mouse on a point that moves, but lets the page know of it only when the point has gone far away.
LATE = """async ([name, far]) => {
    const circle = document.querySelector(`circle[data-id='pin:${name}']`);
    const frame = () => new Promise(requestAnimationFrame);
    const middle = () => {
        const box = circle.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    };
    for (const start = middle().join(); middle().join() === start; ) await frame();
    const [x, y] = middle();
    await frame();
    const press = new PointerEvent("pointerdown", {clientX: x, clientY: y, button: 0, bubbles: true, pointerId: 1});
    while (Math.hypot(middle()[0] - x, middle()[1] - y) < far) await frame();
    const scene = document.querySelector(".st-scene > svg");
    scene.setPointerCapture = () => {};  // a pointer that the browser does not know
    scene.dispatchEvent(press);
}"""


@pytest.mark.full
def test_a_click_means_what_was_drawn_when_it_was_made(browser: Any):
    """Poses that arrive between a click and its handling, as on a busy machine, do not move its target away."""
    with served() as address:
        studio = Studio(browser, address)
        studio.press("Play motor")
        studio.page.evaluate(LATE, ["B", 40])
        studio.page.get_by_role("heading", name="Point B").wait_for()
        studio.page.get_by_role("button", name="Play motor").wait_for()  # it has stopped
        assert not studio.errors


@pytest.mark.full
def test_the_drawing_and_the_modes_are_used_with_keys(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        drawing = studio.page.locator(".st-scene > svg")
        pressed = studio.page.locator(".st-modes [aria-pressed=true]")
        studio.page.mouse.click(*studio.pixel(0, 50))
        assert drawing.evaluate("svg => getComputedStyle(svg).outlineStyle") == "none"
        studio.page.get_by_label("Export").focus()
        studio.page.keyboard.press("Tab")
        assert drawing.evaluate("svg => document.activeElement === svg")
        assert drawing.evaluate("svg => getComputedStyle(svg).outlineStyle") == "solid"
        before = studio.pixel(0, 0)
        studio.page.keyboard.press("ArrowRight")
        assert eventually(
            studio.page, lambda: studio.pixel(0, 0) == pytest.approx((before[0] - 40, before[1]), abs=0.1)
        )
        for key, name in (("Enter", "A"), ("Enter", "B"), ("Shift+Enter", "A"), ("Shift+Enter", "P")):
            studio.page.keyboard.press(key)
            studio.page.get_by_role("heading", name=f"Point {name}").wait_for()
        for button, shown in (("Drive", "Edit"), ("Drive", "Drive"), ("Edit", "Edit")):
            studio.page.get_by_role("button", name=button, exact=True).focus()
            studio.page.keyboard.press("Space")
            pressed.get_by_text(shown).wait_for()
        assert not studio.errors


@pytest.mark.full
@pytest.mark.parametrize(
    ("start", "end", "guide"),
    [
        ("B", (8, 9), {"slot": "link2", "axis": [0.3162, 0.9487]}),
        ("B", (10, 15), {"slot": "link2", "axis": [0.3162, 0.9487]}),
        ("E", (2, -9), {"slot": "link2", "along": ["C", "D"]}),
        ("B", (15, 5), {"slot": "ground", "axis": [1, 0]}),
    ],
)
def test_a_slider_that_ends_on_a_link_slides_in_it(browser: Any, tmp_path: Path, start: str, end: Any, guide: Any):
    file = tmp_path / "slot.toml"
    file.write_text('[points]\nA = [-10, 0]\nB = [-5, 5]\nC = [0, -15]\nD = [10, 15]\nE = [5, 0]\n[links]\n'
                    'ground = ["A", "C"]\nlink1 = ["A", "B"]\nlink2 = ["C", "D"]\nlink3 = ["A", "E"]\n')  # fmt: skip
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Slider")
        studio.page.get_by_label("Pin in a slot").check()
        studio.pull(studio.point(start), studio.pixel(*end))
        studio.page.locator(".st-dirty").wait_for()
        studio.page.keyboard.press("Control+s")
        studio.page.get_by_text("Saved slot.toml").wait_for()
        joint = {"type": "pin-in-slot", "pin": start, **guide}
        assert sk.load(file).source_dict["joints"] == {"pin in slot": joint}
        assert not studio.errors


@pytest.mark.full
def test_a_typed_coordinate_that_a_lock_forbids_is_refused_with_its_name(browser: Any, tmp_path: Path):
    file = tmp_path / "slider.toml"
    file.write_bytes(path("slider_crank_offset").read_bytes())
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.page.mouse.click(*studio.point("B"))
        x = studio.page.locator("[data-panel='selection'] .st-field").filter(has_text="x").last.locator("input")
        x.fill("-1")
        x.press("Enter")
        studio.page.get_by_text("A-B = 50 mm and B-C = 145 mm and B-S = 72.5 mm would not hold").wait_for()
        assert x.input_value() == "25" and not studio.page.locator(".st-dirty").count()
        assert not studio.errors


@pytest.mark.full
def test_an_infinite_speed_is_refused_and_the_old_one_stays(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("motor")
        speed = studio.page.locator("[data-panel='selection'] .st-field").filter(has_text="speed").locator("input")
        assert speed.input_value() == "60 rpm"
        speed.fill("1e999")
        speed.press("Enter")
        studio.page.get_by_text("drivers.motor.speed: must be a finite number").wait_for()
        assert eventually(studio.page, lambda: speed.input_value() == "60 rpm")
        assert not studio.errors


def test_a_fault_is_shown_and_the_next_change_works(browser: Any, monkeypatch: pytest.MonkeyPatch):
    told = threading.Event()

    def slow_and_broken(*_: Any) -> Any:
        told.wait(60)  # until the page has said that it works, however busy this machine is
        raise ValueError("out of order")

    monkeypatch.setattr(server, "PATIENCE", 0.1)
    with served() as address:
        studio = Studio(browser, address)
        studio.press("motor")
        speed = studio.page.locator("[data-panel='selection'] .st-field").filter(has_text="speed").locator("input")
        with monkeypatch.context() as patch:
            patch.setattr(commands.Put, "apply", slow_and_broken)
            speed.fill("30 rpm")
            speed.press("Enter")
            studio.page.get_by_text("Still working").wait_for()
            told.set()
            studio.page.get_by_text("a fault of the studio: ValueError: out of order").wait_for()
        assert eventually(studio.page, lambda: speed.input_value() == "60 rpm")
        speed.fill("45 rpm")
        speed.press("Enter")
        studio.page.locator(".st-dirty").wait_for()
        assert speed.input_value() == "45 rpm" and not studio.errors


@pytest.mark.full
def test_a_shared_text_does_not_outlive_its_mechanism(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        box = studio.page.get_by_role("dialog", name="Share")
        studio.page.mouse.click(*studio.place("P"))
        studio.press("Share")
        box.wait_for()
        studio.page.keyboard.press("Delete")
        box.wait_for(state="detached")
        studio.press("Share")
        box.wait_for()
        studio.press("New")
        box.wait_for(state="detached")
        assert not studio.errors


@pytest.mark.full
@pytest.mark.parametrize("size", [(1000, 650), (320, 640)])
def test_what_is_said_about_a_file_does_not_lie_on_the_mechanism(browser: Any, tmp_path: Path, size: tuple[int, int]):
    other = tmp_path / "bar.txt"
    other.write_bytes(PMKS)
    width, height = size
    with served() as address:
        context = browser.new_context(viewport={"width": width, "height": height})
        studio = Studio(browser, address, context=context)
        drawing, hint = studio.page.locator(".st-scene"), studio.page.locator(".st-welcome")
        assert (hint.bounding_box()["y"] >= drawing.bounding_box()["y"]) == (width > 760)
        for name in "ABCDP":
            x, y = studio.place(name)
            assert studio.page.evaluate("([x, y]) => !!document.elementFromPoint(x, y).closest('.st-scene')", [x, y])
        studio.page.locator("input[accept*=linkage2]").set_input_files(other)
        studio.page.get_by_text("How the file was read").wait_for()
        notes, close = studio.page.locator(".st-notes").bounding_box(), studio.page.get_by_role("button", name="Close")
        assert hint.count() == 0
        assert notes["y"] + notes["height"] <= drawing.bounding_box()["y"] + 0.5
        assert close.bounding_box()["y"] + close.bounding_box()["height"] <= notes["y"] + notes["height"]
        close.click()
        studio.page.locator(".st-notes").wait_for(state="detached")
        assert not studio.errors


TWO_CRANKS = """units = {{ length = "mm", angle = "{angle}" }}
points = {{ A = [0, 0], B = [5, 0], C = [-20, 20], D = [0, 18] }}
links = {{ ground = ["A", "C"], link1 = ["A", "B"], link2 = ["C", "D"] }}
"""


def clicked(studio: Studio, kind: str) -> list[tuple[float, float]]:
    """Return the places of the links and points that a joint of the two cranks asks for."""
    first, second = (middle(studio.point(a), studio.point(b)) for a, b in ("AB", "CD"))
    places = {"cam": [first, second, studio.point("D")], "pin-in-slot": [studio.point("B"), second],
              "geneva": [first, studio.point("B"), second]}  # fmt: skip
    return places.get(kind, [first, second])


@pytest.mark.parametrize("kind", few(["cam", "pin-in-slot", "gear", "belt"], 1))
@pytest.mark.parametrize("angle", few(["deg", "rad"], 1, 0))
def test_a_new_joint_of_two_cranks_is_valid(browser: Any, tmp_path: Path, kind: str, angle: str):
    file = tmp_path / "cranks.toml"
    file.write_text(TWO_CRANKS.format(angle=angle))
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.new_joint(kind, *clicked(studio, kind))
        studio.page.locator("[data-panel='selection'] h2").get_by_text("Joint").wait_for()
        studio.see("status", "Mobility 1")
        studio.see("status", "one driver is missing")
        assert studio.page.locator(".st-problem").count() == 1
        assert not studio.errors


@pytest.mark.full
@pytest.mark.parametrize(("kind", "words"), few([("geneva", "the pin 'B' is 5 mm"), ("rolling", "from the line"),
                                                 ("rack", "by a prismatic joint")], 1))  # fmt: skip
def test_a_new_joint_that_does_not_fit_leaves_the_drawing(browser: Any, tmp_path: Path, kind: str, words: str):
    file = tmp_path / "cranks.toml"
    file.write_text(TWO_CRANKS.format(angle="deg"))
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.new_joint(kind, *clicked(studio, kind))
        studio.page.locator(".st-note").get_by_text(words).wait_for()
        studio.see("status", "Mobility 2")
        assert studio.page.locator(".sk-shapes [data-id='link:link1']").count()
        assert not studio.page.locator(".st-dirty").count()
        assert not studio.errors
