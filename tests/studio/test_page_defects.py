"""What made people stumble in the studio, each as it is seen in a browser."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pages import eventually
from studio_page import PMKS, Studio, middle, served

import structkin as sk
from structkin.examples import path
from structkin.studio import commands
from structkin.studio.run import new_session

pytestmark = pytest.mark.full

#: Two links that are not joined yet; link1 is neither level nor upright.
SLANTED = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [60, 20], C = [0, 50], D = [80, 70] }
links = { ground = ["A"], link1 = ["A", "B"], link2 = ["C", "D"] }
"""


def file_of(folder: Path, text: str) -> Path:
    file = folder / "drawn.toml"
    file.write_text(text)
    return file


def box_of(studio: Studio, selector: str) -> dict[str, float]:
    found: dict[str, float] = studio.page.locator(selector).first.bounding_box()
    return found


def overlap(a: dict[str, float], b: dict[str, float]) -> bool:
    return all(a[k] < b[k] + b[n] and b[k] < a[k] + a[n] for k, n in (("x", "width"), ("y", "height")))


def links_of(file: Path, studio: Studio) -> dict[str, list[str]]:
    """Save, and return the links of the file."""
    links: dict[str, list[str]] = studio.saved(file)["links"]
    return links


def drop(studio: Studio, name: str, data: bytes, kind: str = "", count: int = 1) -> None:
    """Drop a file on the drawing, or several with the same content."""
    studio.page.evaluate(
        """([name, data, type, count]) => {
            const held = new DataTransfer();
            for (let k = 0; k < count; k++) held.items.add(new File([Uint8Array.from(data)], name, {type}));
            const scene = document.querySelector(".st-scene");
            for (const event of ["dragover", "drop"])
                scene.dispatchEvent(new DragEvent(event, {dataTransfer: held, bubbles: true, cancelable: true}));
        }""",
        [name, list(data), kind, count],
    )


def test_the_greeting_leaves_the_offer_of_unsaved_work_free(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.pull(studio.point("P"), (500, 200))
        studio.page.locator(".st-dirty").wait_for()
        studio.page.close()
    port = int(address.split(":")[2].partition("/")[0])
    with served(port=port) as address:
        again = Studio(browser, address, context=studio.context)
        again.page.locator(".st-welcome").wait_for()
        assert not overlap(box_of(again, ".st-welcome"), box_of(again, ".st-kept"))
        assert not again.errors


def test_show_all_shows_what_was_drawn_since_new(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("New")
        for _ in range(3):
            studio.page.get_by_role("button", name="Zoom out").click()
        box = box_of(studio, ".sk-scene > svg")
        studio.pull((box["x"] + 40, box["y"] + 40), (box["x"] + box["width"] - 40, box["y"] + box["height"] - 40))
        studio.page.locator("circle[data-point='B']").wait_for()
        studio.page.get_by_role("button", name="Show all").click()
        for name in "AB":
            x, y = studio.point(name)
            assert box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"]
        assert not studio.errors


def test_pictures_have_the_paths_that_their_legend_names(browser: Any):
    """The paths are as large as those of the motion that the command writes."""
    with served() as address:
        studio = Studio(browser, address)
        (x, y), (cx, cy) = studio.place("B"), studio.place("A")
        studio.pull((x, y), (cx + (y - cy), cy - (x - cx)))
        files = {}
        for name in ("mechanism.svg", "mechanism.dxf"):
            with studio.page.expect_download() as download:
                studio.page.get_by_label("Export").select_option(name)
            files[name] = Path(download.value.path()).read_text()
        motion = sk.load(path("crank_rocker")).solve()
        want = motion.position("P").max(axis=0) - motion.position("P").min(axis=0)
        import ezdxf

        drawing = ezdxf.read(io.StringIO(files["mechanism.dxf"]))
        ways = [[point[:2] for point in line] for line in drawing.modelspace().query("LWPOLYLINE[layer=='PATHS']")]
        spans = [[max(part) - min(part) for part in zip(*way, strict=True)] for way in ways]
        assert any(span == pytest.approx([1e3 * part for part in want], rel=1e-3) for span in spans)
        lines = [one.get("d", "") for one in ElementTree.fromstring(files["mechanism.svg"]).iter()]
        assert "path of P" in files["mechanism.svg"] and any(line.count("L") > 100 for line in lines)
        assert not studio.errors


def test_a_picture_names_no_path_that_it_has_not(browser: Any):
    """Without its driver the mechanism has no motion, and the picture no paths."""
    with served() as address:
        studio = Studio(browser, address)
        studio.press("Delete driver motor")
        studio.see("status", "one driver is missing")
        with studio.page.expect_download() as download:
            studio.page.get_by_label("Export").select_option("mechanism.svg")
        assert "path of" not in Path(download.value.path()).read_text()


def test_notes_on_a_file_go_with_its_mechanism(browser: Any, tmp_path: Path):
    other = tmp_path / "bar.txt"
    other.write_bytes(PMKS)
    with served() as address:
        studio = Studio(browser, address)
        studio.page.locator("input[accept*=linkage2]").set_input_files(other)
        studio.page.get_by_text("How the file was read").wait_for()
        wrong = tmp_path / "wrong.txt"
        wrong.write_text("nothing")
        studio.page.locator("input[accept*=linkage2]").set_input_files(wrong)
        studio.page.locator(".st-bad").wait_for()
        assert studio.page.locator(".st-notes").count()  # the mechanism is still that of the first file
        studio.page.locator("input[accept*=linkage2]").set_input_files(path("crank_rocker"))
        studio.see("groups", "RRR dyad")
        assert not studio.page.locator(".st-notes").count()
        assert not studio.errors


def test_a_new_point_that_snaps_onto_a_link_belongs_to_it(browser: Any, tmp_path: Path):
    file = file_of(tmp_path, SLANTED)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Point")
        studio.at_rest()
        lines = studio.page.locator(".st-grid path").first.get_attribute("d").split("M")[1:3]
        step = float(lines[1].split()[0]) - float(lines[0].split()[0])
        # the line from A to B, of slope 1/3, goes through this crossing of the grid; the pointer is beside the line
        (x, y), (right, _) = studio.pixel(3 * step, step), studio.pixel(3.3 * step, step)
        studio.page.mouse.click(x, y + right - x)
        studio.page.locator("circle[data-point='E']").wait_for()
        assert [float(part) for part in studio.sketch()["E"]] == pytest.approx([3 * step, step])
        assert "E" in links_of(file, studio)["link1"]
        assert not studio.errors


def test_a_pivot_that_is_set_on_a_link_belongs_to_it(browser: Any, tmp_path: Path):
    file = file_of(tmp_path, SLANTED)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Ground")
        studio.page.keyboard.press("n")
        studio.page.mouse.click(*middle(studio.point("C"), studio.point("D")))
        studio.page.locator("circle[data-point='E']").wait_for()
        links = links_of(file, studio)
        assert "E" in links["link2"] and "E" in links["ground"]
        assert not studio.errors


@pytest.mark.parametrize("key", ["Shift", "Alt"])
def test_ends_join_while_the_grid_is_off(browser: Any, tmp_path: Path, key: str):
    file = file_of(tmp_path, SLANTED)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Link")
        (x, y), (u, v) = studio.point("B"), studio.point("D")
        studio.page.keyboard.down(key)
        studio.pull((x + 3, y - 2), (u - 2, v + 3))
        studio.page.keyboard.up(key)
        studio.page.locator(".st-dirty").wait_for()
        assert links_of(file, studio)["link3"] == ["B", "D"]
        studio.press("Move")
        (x, y), (u, v) = studio.point("C"), studio.point("A")
        studio.page.keyboard.down(key)
        studio.pull((x, y), (u + 3, v - 2))
        studio.page.keyboard.up(key)
        studio.page.locator("circle[data-point='C']").wait_for(state="detached")
        assert not studio.errors


def test_points_that_lie_on_each_other_are_named_and_joined(browser: Any, tmp_path: Path):
    file = file_of(tmp_path, SLANTED.replace("C = [0, 50]", "C = [60, 20]"))
    with served(file) as address:
        studio = Studio(browser, address)
        studio.see("status", "B and C lie on each other and are not joined")
        studio.press("Join them")
        studio.page.locator(".st-dirty").wait_for()
        assert links_of(file, studio)["link2"] == ["B", "D"]
        assert "lie on each other" not in studio.panel("status") and not studio.errors


def test_a_second_click_while_the_studio_works_undoes_nothing(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = file_of(tmp_path, SLANTED)
    plain, clicked = commands.Attach.apply, threading.Event()

    def slow(self: Any, document: Any) -> Any:
        clicked.wait(60)  # until the second click was answered, however busy this machine is
        return plain(self, document)

    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Ground")
        at = studio.point("C")
        monkeypatch.setattr(commands.Attach, "apply", slow)
        studio.page.mouse.click(*at)
        studio.page.locator(".st-busy").wait_for()
        assert studio.page.locator(".st-page").get_attribute("aria-busy") == "true"
        studio.page.mouse.click(*at)
        studio.page.get_by_text("the last change is still being made").wait_for()
        clicked.set()
        studio.page.locator(".st-busy").wait_for(state="detached")
        studio.at_rest()
        assert "C" in links_of(file, studio)["ground"]
        studio.page.mouse.click(*at)
        studio.page.locator(".st-fixed[data-point='C']").wait_for(state="detached")
        assert not studio.errors


def test_a_file_that_is_dropped_opens(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        drop(studio, "bar.txt", PMKS, count=2)
        studio.page.get_by_text("Drop one file at a time").wait_for()
        assert "Crank-rocker" in studio.page.title()
        drop(studio, "bar.txt", PMKS)
        studio.page.get_by_text("a file of PMKS+").wait_for()
        picture = bytes.fromhex(
            "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000"
            "050001a5f645400000000049454e44ae426082"
        )
        drop(studio, "photo.png", picture, "image/png")
        studio.page.locator(".st-backdrop").wait_for(state="attached")
        assert not studio.errors


def test_the_form_of_what_is_selected_is_in_view(browser: Any):
    context = browser.new_context(viewport={"width": 1280, "height": 420})
    with served() as address:
        studio = Studio(browser, address, context=context)
        studio.press("Edit")
        studio.page.locator("[data-panel='backdrop']").scroll_into_view_if_needed()
        studio.page.mouse.click(*studio.point("C"))
        panels = box_of(studio, ".st-panels")
        heading = studio.page.get_by_role("heading", name="Point C")
        heading.wait_for()
        at = heading.bounding_box()
        assert panels["y"] <= at["y"] and at["y"] + at["height"] <= panels["y"] + panels["height"]
        assert not studio.errors


def test_the_table_of_inputs_is_no_wider_than_its_panel(browser: Any, tmp_path: Path):
    text = path("crank_rocker").read_text()
    for name in ("crank", "coupler", "rocker"):
        text = text.replace(f"{name} ", f"{name}_of_the_very_long_named_mechanism ")
    file = file_of(tmp_path, text.replace("D = [100", "D_on_the_left_side_wall_of_the_machine = [100").replace(
        '"D"', '"D_on_the_left_side_wall_of_the_machine"').replace(
        '"C-D"', '"C-D_on_the_left_side_wall_of_the_machine"'))  # fmt: skip
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Best input")
        studio.page.locator(".st-ranking td").first.wait_for()
        table, panel = box_of(studio, ".st-ranking"), box_of(studio, ".st-panels")
        assert table["x"] + table["width"] <= panel["x"] + panel["width"]
        assert studio.page.evaluate("() => { const e = document.querySelector('.st-panels'); "
                                    "return e.scrollWidth <= e.clientWidth; }")  # fmt: skip
        assert not studio.errors


def test_an_angle_is_shown_within_a_turn(browser: Any):
    session = new_session(path("crank_rocker"))
    while not session.driving.turn("motor", 28.7).done:  # 1644.4 degrees
        pass
    with served(session) as address:
        studio = Studio(browser, address)
        studio.see("drivers", "204.4° + 4 turns")
        assert "1644" not in studio.panel("drivers") and not studio.errors


def test_no_control_is_the_raw_one_of_the_browser(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.page.get_by_role("button", name="Choose a picture …").wait_for()
        assert not studio.page.locator("input[type=file]:visible").count()


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_what_is_said_covers_no_button(browser: Any, tmp_path: Path, size: tuple[int, int]):
    with served() as address:
        studio = Studio(browser, address, context=browser.new_context(viewport={"width": size[0], "height": size[1]}))
        studio.press("Edit")
        (tmp_path / "wrong.txt").write_text("nothing")
        studio.page.locator("input[accept*=linkage2]").set_input_files(tmp_path / "wrong.txt")
        note = box_of(studio, ".st-bad")
        buttons = studio.page.locator("button:visible, .st-snap:visible").all()
        assert len(buttons) > 10
        for button in buttons:
            assert not overlap(note, button.bounding_box()), button.inner_text()
        assert not studio.errors


def test_the_grid_stays_as_it_was_chosen(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.page.get_by_label("Snap to grid").uncheck()
        studio.page.reload()
        studio.page.wait_for_selector(".st-page")
        studio.press("Edit")
        assert not studio.page.get_by_label("Snap to grid").is_checked()
        assert not studio.errors


def test_a_tab_takes_the_studio_back(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        other = Studio(browser, address, context=studio.context)
        studio.page.get_by_text("opened in another tab").wait_for()
        studio.press("Use it here")
        other.page.get_by_text("opened in another tab").wait_for()
        studio.page.locator(".st-closed").wait_for(state="detached")
        (x, y), (cx, cy), before = studio.place("B"), studio.place("A"), studio.place("C")
        studio.pull((x, y), (cx + (y - cy), cy - (x - cx)))
        assert studio.place("C") != pytest.approx(before, abs=5)
        assert not studio.errors


def test_a_missing_driver_makes_no_alarm_of_the_drawing(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("Delete driver motor")
        studio.see("status", "one driver is missing")
        colours = studio.page.evaluate(
            "() => [...document.querySelectorAll('.sk-shapes > *')].flatMap(e => [e.getAttribute('stroke'), "
            "e.getAttribute('fill')])"
        )
        assert "#7a8794" in colours and not any(str(one).upper().startswith("#CC0000") for one in colours)


@pytest.mark.parametrize("size", [(1280, 500), (390, 700)])
def test_play_is_in_view_and_works_from_edit(browser: Any, size: tuple[int, int]):
    with served(path("excavator")) as address:
        studio = Studio(browser, address, context=browser.new_context(viewport={"width": size[0], "height": size[1]}))
        studio.press("Edit")
        play = studio.page.locator(".st-player").get_by_role("button", name="Play", exact=True)
        at = play.bounding_box()
        assert at["y"] + at["height"] <= size[1] and at["x"] + at["width"] <= size[0]
        assert studio.page.evaluate("() => document.documentElement.scrollHeight <= innerHeight")
        before = studio.page.locator(".sk-shapes > *").evaluate_all("all => all.map(e => e.getAttribute('transform'))")
        play.click()
        assert eventually(studio.page, lambda: before != studio.page.locator(".sk-shapes > *").evaluate_all(
            "all => all.map(e => e.getAttribute('transform'))"))  # fmt: skip
        assert not studio.errors


def test_the_drawing_and_what_is_said_are_dark_in_the_dark(browser: Any):
    with served(path("jansen_leg")) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        studio = Studio(browser, address, context=context)
        drop(studio, "bar.txt", PMKS)
        studio.page.get_by_text("How the file was read").wait_for()
        light = """e => { const [r, g, b] = getComputedStyle(e).backgroundColor.match(/[\\d.]+/g).map(Number);
                         return (r + g + b) / 3; }"""
        for selector in (".sk-scene", ".st-notes"):
            assert studio.page.locator(selector).evaluate(light) < 60, selector
        studio.press("Undo")
        studio.see("groups", "RRR dyad")
        assert not studio.page.locator(".st-notes").count()  # they go with the file
        for link in ("crank", "j", "k", "upper", "c", "f", "foot"):  # lines stand out by three to one
            stroke = studio.page.locator(f"[data-id='link:{link}']").first.get_attribute("stroke")
            assert contrast(stroke, "#171e26") > 3, link
        assert not studio.errors


def contrast(a: str, b: str) -> float:
    """Return the contrast of two colours, by WCAG 2."""
    lights = []
    for colour in (a, b):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_a_page_that_loads_slowly_says_so(browser: Any):
    with served() as address:
        page = browser.new_context().new_page()
        held: list[Any] = []
        page.route("**/studio.*", lambda route, _: held.append(route))
        page.goto(address, wait_until="commit")
        page.get_by_text("The studio is loading").wait_for()
        assert eventually(page, lambda: len(held) == 2)
        for route in held:
            route.continue_()
        page.wait_for_selector(".st-page")
        packed = page.request.get(address.partition("?")[0] + "studio.js")
        assert packed.headers["content-encoding"] == "gzip"


def test_a_new_file_is_in_millimetres_and_says_what_to_fix_and_time_begins_at_its_start(browser: Any, tmp_path: Path):
    """It was in metres and radians; the slider of the time stood at its end while the time was 0 s."""
    file = tmp_path / "leg.toml"
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Link")
        studio.pull(studio.pixel(0, 0), studio.pixel(10, 20))
        studio.see("status", "no point stands still")
        studio.press("Ground")
        studio.page.mouse.click(*studio.point("A"))
        studio.at_rest()
        studio.press("Driver")
        studio.page.mouse.click(*studio.point("A"))
        studio.see("status", "ready to drive")
        assert studio.page.get_by_label("Time").input_value() == "0"
        # a click with a tool that draws selects the point
        studio.press("Link")
        studio.page.mouse.click(*studio.point("B"))
        studio.see("selection", "Point B")
        data = studio.saved(file)
        assert data["units"] == {"length": "mm", "angle": "deg"} and data["points"] == {"A": [0, 0], "B": [10, 20]}
        assert not studio.errors


def test_a_rod_has_a_mass_as_soon_as_it_is_one_and_keeps_it(browser: Any, tmp_path: Path):
    """The choice of a shape made a drawing of the mechanism: the link had no mass yet."""
    file = file_of(tmp_path, path("crank_rocker").read_text())
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.page.mouse.click(*middle(studio.point("D"), studio.point("C")))
        studio.page.get_by_text("Mass", exact=True).click()
        studio.page.get_by_label("shape").select_option("rod")
        studio.at_rest()
        studio.see("status", "ready to drive")
        density = studio.page.get_by_label("density")
        density.fill("")
        density.press("Enter")
        studio.page.get_by_text("neither a mass nor a density").wait_for()
        studio.see("status", "ready to drive")
        assert density.input_value() == "0.785"
        studio.page.get_by_label("shape").select_option("plate")
        studio.page.get_by_text("at least three").wait_for()
        assert studio.page.get_by_label("shape").input_value() == "rod"
        assert studio.saved(file)["links"]["rocker"] == {"points": ["D", "C"], "shape": "rod", "density": 0.785}
        assert not studio.errors


def test_a_cylinder_between_links_is_drawn_and_one_to_a_point_on_no_link_is_refused(browser: Any, tmp_path: Path):
    """It made the drawing no mechanism; and where it had no room to move, pressing play showed nothing."""
    text = """units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [60, 40], C = [100, -10], D = [30, 20], E = [50, 50], F = [20, -10], G = [10, 60] }
links = { ground = ["A", "F"], boom = ["A", "B", "D", "E"], arm = ["B", "C"] }
drivers = { lift = { between = ["F", "D"], speed = "3 mm/s" } }
"""
    file = file_of(tmp_path, text)
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Cylinder")
        studio.pull(studio.point("G"), studio.point("C"))
        studio.page.get_by_text("G is on no link yet").wait_for()
        studio.see("status", "Mobility 2")
        studio.pull(studio.point("E"), studio.point("C"))
        studio.see("status", "ready to drive")
        studio.page.locator(".st-player").get_by_role("button", name="Play", exact=True).click()
        studio.page.get_by_text("The motion turns back: ").wait_for()
        assert not studio.errors


def test_centres_at_one_place_share_a_name(browser: Any):
    """The instant centres of two links at one pin had their names on each other."""
    with served(path("jansen_leg")) as address:
        studio = Studio(browser, address)
        studio.page.get_by_label("Instant centres").check()
        studio.at_rest()
        names = studio.page.locator(".sk-centres text").all_text_contents()
        assert "c, upper" in names or "upper, c" in names
        assert not studio.errors


def test_a_wish_is_kept_over_a_reload(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("For a path")
        studio.at_rest()
        studio.page.get_by_label("Snap to grid").uncheck()
        for place in ((10, 45), (30, 62), (55, 55)):
            studio.page.mouse.click(*studio.pixel(*place))
        studio.see("wish", "3 points")
        studio.page.reload()
        studio.page.wait_for_selector(".st-page")
        studio.see("wish", "3 points")
        # the drawing has a size, and so dots, only after its first layout
        assert eventually(studio.page, lambda: studio.page.locator(".st-canvas .st-wish circle").count() == 3)
        assert not studio.errors
