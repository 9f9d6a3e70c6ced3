"""The studio in a browser: draw, drive, change the driver, undo, save and reload."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import eventually
from studio_page import PMKS, Studio, middle, served

import structkin as sk
from structkin.examples import path
from structkin.studio.run import new_session

RUN = [sys.executable, "-c", "from structkin.cli import main; main()", "studio", "--no-browser"]


@contextmanager
def commanded(file: Path) -> Iterator[str]:
    """Serve a studio as the command does, in a separate interpreter."""
    with subprocess.Popen([*RUN, str(file)], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield running.stdout.readline().split()[-1]
        finally:
            running.kill()


@pytest.mark.full
def test_a_newcomer_drags_the_crank_of_the_example(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.see("status", "Mobility 1")
        assert "token" not in studio.page.url
        (x, y), (cx, cy), before = studio.place("B"), studio.place("A"), studio.place("C")
        studio.pull((x, y), (cx + (y - cy), cy - (x - cx)))
        assert studio.place("C") != pytest.approx(before, abs=5)
        studio.press("Assemblies")
        studio.page.locator(".st-ghost").nth(1).wait_for()
        studio.press("Limits")
        studio.see("searches", "motor turns fully")
        studio.press("Best input")
        studio.page.locator(".st-ranking td").get_by_text("D").click()
        studio.see("groups", "rocker: driven R at D")
        assert not studio.errors
        assert all(url.startswith(address.partition("?")[0]) for url in studio.requests)


def test_a_six_bar_is_drawn_driven_changed_undone_saved_and_found_again(browser: Any, tmp_path: Path):
    file = tmp_path / "six_bar.toml"
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Link")
        box = studio.page.locator(".sk-scene > svg").bounding_box()

        def at(x: float, y: float) -> tuple[float, float]:
            return box["x"] + x * box["width"], box["y"] + y * box["height"]

        studio.pull(at(0.2, 0.8), at(0.25, 0.6))  # A-B crank
        studio.pull(studio.point("B"), at(0.5, 0.35))  # B-C coupler
        studio.pull(studio.point("C"), at(0.55, 0.8))  # C-D rocker
        studio.pull(studio.point("C"), at(0.8, 0.45))  # C-E second coupler
        studio.pull(studio.point("E"), at(0.85, 0.8))  # E-F second rocker
        studio.press("Ground")
        for name in "ADF":
            studio.page.mouse.click(*studio.point(name))
        studio.see("status", "one driver is missing")
        studio.press("Driver")
        studio.page.mouse.click(*studio.point("A"))
        studio.see("status", "ready to drive")
        assert studio.panel("groups").count("RRR dyad") == 2
        studio.press("Drive")
        (x, y), (cx, cy), before = studio.place("B"), studio.place("A"), studio.place("E")
        studio.pull((x, y), (cx + (y - cy), cy - (x - cx)))
        assert eventually(studio.page, lambda: studio.place("E") != pytest.approx(before, abs=3))
        studio.press("Driver")
        studio.page.mouse.click(*studio.point("F"))
        studio.see("groups", "driven R at F")
        studio.page.keyboard.press("Control+z")
        studio.see("groups", "driven R at A")
        studio.page.keyboard.press("Control+s")
        studio.page.get_by_text("Saved six_bar.toml").wait_for()
        saved = sk.load(file)
        assert [group.kind for group in saved.structure().groups] == ["driven R", "RRR", "RRR"]
        places = studio.sketch()
        studio.page.reload()
        studio.page.wait_for_selector(".st-page")
        studio.press("Edit")
        assert studio.sketch() == places
        assert not studio.errors
    with served(file) as address:
        again = Studio(browser, address)
        again.see("groups", "driven R at A")
        again.press("Edit")
        assert again.sketch() == places
        assert sk.load(file).source_dict == saved.source_dict


@pytest.mark.full
def test_unsaved_changes_are_offered_again(browser: Any, tmp_path: Path):
    file = tmp_path / "kept.toml"
    file.write_bytes(path("crank_rocker").read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with served(file, port) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.pull(studio.point("P"), (500, 200))
        studio.page.locator(".st-dirty").wait_for()
        moved = studio.sketch()
        kept = studio.page.evaluate("Object.entries(localStorage).map(([k, v]) => [k, v])")
        assert kept and "token" not in str(kept) and str(tmp_path) not in str(kept)
        assert not studio.errors
        studio.page.close()
    with served(file, port) as address:
        again = Studio(browser, address, context=studio.context)
        again.press("Restore")
        again.press("Edit")
        again.page.locator(".st-dirty").wait_for()
        assert again.sketch() == moved
        again.press("Undo")
        again.page.locator(".st-dirty").wait_for(state="detached")
        assert file.read_bytes() == path("crank_rocker").read_bytes()


def test_problems_are_shown_with_a_remedy_and_nothing_is_lost(browser: Any, tmp_path: Path):
    file = tmp_path / "bar.toml"
    file.write_bytes(path("crank_rocker").read_bytes())
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Delete driver motor")
        studio.see("status", "one driver is missing")
        studio.see("status", "Moves freely")
        studio.press("Edit")
        crank, rocker = (middle(studio.point(a), studio.point(b)) for a, b in ("AB", "CD"))
        studio.new_joint("fastened", crank, rocker)
        studio.page.get_by_label("links 2").select_option("crank")
        studio.see("status", "names the link 'crank' twice")
        assert studio.page.locator("circle[data-point]").count() == 5
        studio.press("Delete")
        studio.see("status", "Mobility 1")
        assert not studio.errors


@pytest.mark.full
def test_a_sketch_that_does_not_close_is_not_ready_to_drive(browser: Any, tmp_path: Path):
    file = tmp_path / "short.toml"
    file.write_text(path("triple_rocker").read_text().replace('"B-C" = 50', '"B-C" = 10').replace("= 70", "= 10"))
    with served(file) as address:
        studio = Studio(browser, address)
        studio.see("status", "does not close")
        studio.see("status", "cannot be assembled: the longest link, 95 mm")
        assert studio.page.get_by_text("ready to drive").count() == 0
        assert not studio.errors


@pytest.mark.full
def test_what_cannot_be_a_length_is_refused_and_the_old_value_stays(browser: Any, tmp_path: Path):
    file = tmp_path / "bar.toml"
    file.write_bytes(path("crank_rocker").read_bytes())
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.page.mouse.click(*studio.point("B"))
        name = studio.page.get_by_label("Name")
        name.fill("A")
        name.press("Enter")
        studio.page.get_by_text("the name is already taken").wait_for()
        assert name.input_value() == "B"
        name.fill("B2")
        name.press("Enter")
        studio.page.get_by_role("heading", name="Point B2").wait_for()
        studio.press("Undo")
        studio.page.mouse.click(*middle(studio.point("A"), studio.point("B")))
        length = studio.page.get_by_label("A–B")
        before = length.input_value()
        for text in ("abc", "-3", "0", "", "1 s", "1e400"):
            length.fill(text)
            length.press("Enter")
            studio.page.get_by_text("a length must be a positive number").wait_for()
            assert length.input_value() == before
        length.fill("2,5 cm")
        length.press("Enter")
        studio.page.wait_for_function("() => document.querySelector('.st-row input').value === '25'")
        angle = studio.page.locator("[data-panel='selection'] .st-field").filter(has_text="angle").locator("input")
        angle.fill("0.5 rev")
        angle.press("Enter")
        studio.page.wait_for_function("() => [...document.querySelectorAll('input')].some((i) => i.value === '180')")
        assert not studio.errors


@pytest.mark.full
def test_a_typed_length_that_leads_out_of_view_shows_all(browser: Any, tmp_path: Path):
    file = tmp_path / "bar.toml"
    file.write_bytes(path("crank_rocker").read_bytes())
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Edit")
        studio.page.mouse.click(*middle(studio.point("A"), studio.point("B")))
        for text in ("41", "2 m"):
            before = studio.pixel(0, 0), studio.pixel(1, 0)
            length = studio.page.get_by_label("A–B")
            length.fill(text)
            length.press("Enter")
            shown = "41" if text == "41" else "2000"
            studio.page.wait_for_function(f"() => document.querySelector('.st-row input').value === '{shown}'")
            studio.at_rest()
            assert ((studio.pixel(0, 0), studio.pixel(1, 0)) == before) == (text == "41")
        box = studio.page.locator(".sk-scene > svg").bounding_box()
        for name in "ABCDP":
            x, y = studio.point(name)
            assert box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"]
        assert not studio.errors


@pytest.mark.full
def test_what_is_shared_or_exported_says_what_it_is(browser: Any, tmp_path: Path):
    file = tmp_path / "bar.toml"
    file.write_bytes(path("crank_rocker").read_bytes())
    with served(file) as address:
        studio = Studio(browser, address)
        studio.press("Share")
        text = studio.page.get_by_label("Text").input_value()
        command = studio.page.get_by_label("Command").input_value()
        assert command == f'structkin studio --shared "{text}"' and "token" not in text
        assert new_session(None, text).history.now.data["title"] == sk.load(file).title
        studio.press("Close")
        title = studio.page.get_by_label("Title")
        for given, name in (("../Kurbel: Übung 3?", "kurbel-übung-3.toml"), ("CON", "mechanism-con.toml"),
                            ("", "mechanism.toml")):  # fmt: skip
            title.fill(given)
            title.press("Enter")
            assert eventually(studio.page, lambda name=name: exported(studio) == name)
        assert not studio.errors


def exported(studio: Studio) -> str:
    """Export the mechanism as a file; return the name that the browser suggests."""
    with studio.page.expect_download() as download:
        studio.page.get_by_label("Export").select_option("mechanism.toml")
    return download.value.suggested_filename


@pytest.mark.full
def test_a_loose_link_units_and_play_work_together(browser: Any, tmp_path: Path):
    other = tmp_path / "bar.txt"
    other.write_bytes(PMKS)
    with served() as address:
        studio = Studio(browser, address)
        studio.press("Link")
        studio.pull((150, 150), (200, 250))
        studio.see("status", "Not connected to the ground")
        studio.press("Drive")
        (x, y), (cx, cy) = studio.place("B"), studio.place("A")
        before, where = studio.place("C"), studio.page.locator(".st-here")
        studio.pull((x, y), (cx + (y - cy), cy - (x - cx)))
        assert studio.place("C") != pytest.approx(before, abs=5)
        shown = where.inner_text()
        studio.press("Play motor")
        studio.page.wait_for_function("text => document.querySelector('.st-here').innerText !== text", arg=shown)
        studio.page.keyboard.press("Control+z")
        studio.page.get_by_text("Stopped; press again to undo").wait_for()
        assert studio.page.get_by_role("button", name="Play motor", exact=True).count() == 1
        studio.press("Use this pose as the sketch")
        studio.press("Edit")
        studio.page.locator("[data-panel='units']").get_by_label("length").select_option("cm")
        studio.page.locator(".st-scale").get_by_text("cm").wait_for()
        studio.page.locator("input[accept*=linkage2]").set_input_files(other)
        studio.page.get_by_text("a file of PMKS+").wait_for()
        assert not studio.errors


@pytest.mark.full
def test_points_snap_to_the_grid_that_is_shown(browser: Any, tmp_path: Path):
    with served(tmp_path / "new.toml") as address:
        studio = Studio(browser, address)
        studio.press("Link")

        def squares() -> float:
            """Return the length of the sides of the squares of the grid, from its lines."""
            lines = studio.page.locator(".st-grid path").first.get_attribute("d").split("M")[1:3]
            return float(lines[1].split()[0]) - float(lines[0].split()[0])

        def off_grid(name: str) -> float:
            """Return how far a point is from the grid, in squares."""
            parts = np.array(studio.sketch()[name], float) / squares()
            return float(np.abs(parts - np.round(parts)).max())

        def aside(name: str, x: float, y: float) -> tuple[float, float]:
            at = studio.point(name)
            return at[0] + x, at[1] + y

        studio.pull((311, 307), (517, 415))
        studio.page.locator("circle[data-point='B']").wait_for()
        assert off_grid("A") < 1e-9 and off_grid("B") < 1e-9
        studio.press("Move")
        before, size = studio.sketch()["B"], squares()
        studio.pull(studio.point("B"), aside("B", 2, 1))  # a click, or nearly so
        assert studio.sketch()["B"] == before
        studio.page.mouse.move(*studio.point("B"))
        studio.page.mouse.wheel(0, -700)
        assert eventually(studio.page, lambda: squares() < size)
        studio.pull(studio.point("B"), aside("B", 47, -39))
        assert studio.sketch()["B"] != before and off_grid("B") < 1e-9
        for key in ("Shift", "Alt"):
            studio.page.keyboard.down(key)
            studio.pull(studio.point("B"), aside("B", 37, -29))
            studio.page.keyboard.up(key)
            assert off_grid("B") > 0.01
        studio.pull(studio.point("B"), aside("B", 31, 23))
        assert off_grid("B") < 1e-9
        studio.page.keyboard.press("n")
        assert not studio.page.get_by_label("Snap to grid").is_checked()
        studio.pull(studio.point("B"), aside("B", 37, -29))
        assert off_grid("B") > 0.01
        assert not studio.errors


def test_a_page_from_elsewhere_in_the_same_browser_cannot_read_or_write(browser: Any, tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_bytes(path("crank_rocker").read_bytes())
    hostile = tmp_path / "hostile.html"
    hostile.write_text("<title>hostile</title>", encoding="utf-8")
    with served(file) as address:
        studio = Studio(browser, address)
        home, _, token = address.partition("?token=")
        page = studio.context.new_page()
        page.goto(hostile.as_uri())
        found = page.evaluate(
            """async ([home, token]) => {
                const read = (url, options) => fetch(url, options).then((r) => r.text(), () => "refused");
                const socket = (url) => new Promise((done) => {
                    const one = new WebSocket(url);
                    one.onopen = () => done("open");
                    one.onerror = () => done("refused");
                });
                const ws = home.replace("http", "ws") + "ws?token=" + token;
                return [await read(home), await read(home + "export/mechanism.toml?token=" + token),
                        await read(home + "export/mechanism.toml", { method: "POST", body: "x" }), await socket(ws),
                        await socket(ws.replace("127.0.0.1", "localhost"))];
            }""",
            [home, token],
        )
        assert found == ["refused"] * 5
        assert file.read_bytes() == path("crank_rocker").read_bytes()


@pytest.mark.full
def test_ten_links_are_dragged_by_the_pointer(browser: Any):
    m = sk.load(path("excavator"))
    bucket = m.links[list(m.links)[-1]]
    name = next(point for point in bucket.points if len([k for k in m.links.values() if point in k.points]) > 1)
    with commanded(path("excavator")) as address:
        studio = Studio(browser, address)
        x, y = studio.place(name)
        studio.pull((x, y), (x - 40, y + 10), (x - 25, y))
        assert studio.place(name) == pytest.approx((x - 25, y), abs=3)
        assert not studio.errors
