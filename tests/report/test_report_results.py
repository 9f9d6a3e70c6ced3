"""The head of a report: the results first, who made it and when, the gap of what cannot be assembled; worksheets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import open_file
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import path
from structkin.report import content
from structkin.report.gap import gap_of
from structkin.report.worksheet import contents


def model(page: str) -> Any:
    return json.loads(page.split('id="model">')[1].split("</script>", maxsplit=1)[0])["view"]


def test_ranges_efforts_and_limits_are_those_of_motion_forces_and_limits() -> None:
    m = sk.load(path("excavator"))
    motion = m.solve(samples=25)
    forces = motion.forces()
    drivers, outputs = content(m, motion)["results"]["tables"]
    assert drivers["heads"][:4] == ["driver", "in this motion", "limits, the others held", "largest effort"]
    assert [row[0] for row in drivers["rows"]] == list(m.drivers)
    assert drivers["heads"][-2:] == ["largest power", "least power"]
    for id, course, reach, effort, *_, most, least in drivers["rows"]:
        duty = forces.duty(id)
        assert [f"{end / 1e3:.4g} kW" for end in (duty.power.max(), duty.power.min())] == [most, least]
        found, push = m.limits(id), forces.driver(id)
        assert course == f"{motion.drivers[id][0].min():.4g} to {motion.drivers[id][0].max():.4g} m"
        assert reach == f"{found.lower.value:.4g} to {found.upper.value:.4g} m"
        largest = int(np.argmax(np.abs(push)))
        assert effort == f"{push[largest] / 1e3:.4g} kN, push, at t = {motion.t[largest]:.4g} s"
    rows = {row[0]: row for row in outputs["rows"]}
    x, y = motion.position("T").T
    places = [float(word) for word in re.findall(r"-?[\d.]+", rows["T"][1])]
    assert places == pytest.approx([x.min(), x.max(), y.min(), y.max()], rel=5e-4)  # four digits
    assert rows["T"][2] == f"{np.hypot(*motion.velocity('T').T).max():.4g} m/s"
    facts = dict(content(m, motion, without=["limits"])["results"]["facts"])
    sizes = {
        f"{one.id} on {link}": np.hypot(*forces.reaction(one.id, link).T)
        for one in m.topology.joints for link in one.links if link != "ground"
    }  # fmt: skip
    joint, size = max(sizes.items(), key=lambda item: item[1].max())
    words = f"{size.max() / 1e3:.4g} kN, at t = {motion.t[size.argmax()]:.4g} s: {joint}"
    assert facts["largest joint force"] == words
    worst = np.degrees(min(np.min(np.pi / 2 - abs(motion.transmission_angle(k) - np.pi / 2)) for k in (0, 1, 3)))
    assert facts["worst transmission"].startswith(f"{worst:.4g} deg from a dead position")


def test_the_results_are_above_everything_else(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "r.html"
    sk.load(path("crank_rocker")).report(file, samples=31, author="Jane Doe", date="2 May 2031", source="cr.toml")
    opened = open_file(browser, file)
    first = opened.page.locator("main > section").first
    assert first.get_attribute("id") == "results" and "turns fully" in first.inner_text()
    order = opened.page.locator("main > section").evaluate_all("all => all.map(({ id }) => id)")
    assert order.index("limits") < order.index("plots") < order.index("groups")
    head = opened.page.locator("header").inner_text()
    assert "Jane Doe · 2 May 2031 · cr.toml · structkin" in head
    assert not opened.errors


def test_the_date_is_that_of_making_or_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    m, options = sk.load(path("toggle_press")), {"samples": 5, "without": ["limits", "steps"]}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert model(m.report(**options))["summary"]["date"] == "1970-01-02"
    assert m.report(**options, worksheet=1) == m.report(**options, worksheet=1)
    assert model(m.report(**options, date=""))["summary"]["date"] == ""
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert model(m.report(**options))["summary"]["date"].startswith("20")


#: A four-bar of ground 100 with one bar longer than all others together, and the gap that is left.
LONG = [((40, 30, 20), 10), ((200, 30, 20), 50), ((40, 200, 20), 40), ((10, 30, 160), 20)]


@pytest.mark.parametrize(("lengths", "gap"), LONG)
def test_the_gap_of_a_four_bar_is_what_the_longest_bar_exceeds_the_others_by(lengths: Any, gap: float) -> None:
    m = open_four_bar(*lengths)
    found = gap_of(m)
    places = places_of(m, found["frames"])
    (p, q), names = found["ends"], ("A-B", "B-C", "D-C")
    assert np.hypot(q[0] - p[0], q[1] - p[1]) == pytest.approx(gap)
    assert found["words"] == f"a gap of {gap:g} mm at C"
    for link, name, length in zip(("crank", "coupler", "rocker"), names, lengths, strict=True):
        a, b = (places[link, point] for point in name.split("-"))
        assert abs(a - b) == pytest.approx(length)
    assert places["crank", "B"] == pytest.approx(places["coupler", "B"], abs=1e-3)
    assert places["crank", "A"] == pytest.approx(0, abs=1e-3) and places["rocker", "D"] == pytest.approx(100, abs=1e-3)
    assert [places["coupler", "C"], places["rocker", "C"]] == pytest.approx([complex(*p), complex(*q)], abs=1e-3)


def test_the_gap_of_a_slider_crank_is_what_its_offset_exceeds_crank_and_rod_by() -> None:
    m = sk.Mechanism(
        "Press", units={"length": "mm"}, points={"A": (0, 0), "B": (20, 20), "C": (60, 60)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "at": "C", "axis": [1, 0]}},
        lengths={"A-B": 20, "B-C": 30}, drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip
    found = gap_of(m)
    (p, q), places = found["ends"], places_of(m, found["frames"])
    assert found["words"] == "a gap of 10 mm at C" and [*p, *q] == pytest.approx([0, 50, 0, 60])
    assert places["slide", "C"] == pytest.approx(60j, abs=1e-3) and places["rod", "B"] == pytest.approx(20j, abs=1e-3)


def test_what_cannot_be_assembled_is_said_as_check_says_it_and_drawn(browser: Any, tmp_path: Path) -> None:
    m, file = open_four_bar(40, 30, 20), tmp_path / "r.html"
    m.report(file, samples=11)
    m.save(tmp_path / "m.toml")
    [said] = [line.strip() for line in CliRunner().invoke(app, ["check", str(tmp_path / "m.toml")]).output.splitlines()
              if "cannot be assembled" in line]  # fmt: skip
    opened = open_file(browser, file)
    assert said in opened.page.locator("header").inner_text().replace("\u00a0", " ")
    assert opened.page.locator("path.sk-gap").get_attribute("d") == "M70 0L80 0"
    assert opened.page.get_by_text("a gap of 10 mm at C").is_visible()
    assert opened.page.locator("main > section").evaluate_all("all => all.map(({ id }) => id)") == ["motion", "inputs"]
    assert opened.page.pdf().startswith(b"%PDF") and not opened.errors
    assert gap_of(sk.load(path("crank_rocker"))) is None


def open_four_bar(*lengths: float) -> sk.Mechanism:
    return sk.Mechanism(
        "Open", units={"length": "mm"}, points={"A": (0, 0), "B": (20, 34), "C": (130, 70), "D": (100, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        lengths=dict(zip(("A-B", "B-C", "C-D"), lengths, strict=True)),
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip


def places_of(m: sk.Mechanism, frames: Any) -> dict[tuple[str, str], complex]:
    """Return where the points of links are [mm], from frames as the page has them."""
    return {
        (link, point): complex(at["x"][0], at["y"][0]) + np.exp(1j * at["angle"][0]) * 1e3 * local
        for link, at in frames.items()
        for point, local in m.links[link].local.items()
    }


@pytest.mark.full
def test_the_worksheet_of_a_report_is_that_of_the_forces(browser: Any, tmp_path: Path) -> None:
    m, file = sk.load(path("one_cylinder_engine")), tmp_path / "r.html"
    motion = m.solve(samples=41)
    forces = motion.forces()
    sizes = np.array([np.hypot(*forces.reaction(*on).T) for on in (("O", "crank"), ("A", "rod"), ("B", "piston"))])
    hardest = int(sizes.max(axis=0).argmax())
    without = ["limits", "steps", "centres"]
    assert model(m.report(motion=motion, without=without, worksheet="hardest"))["worksheet"]["html"].count("<svg") == 3
    page = m.report(file, motion=motion, without=without, worksheet=hardest)
    assert page == m.report(motion=motion, without=without, worksheet="hardest")
    assert model(page)["worksheet"]["html"] == contents(forces.equilibrium(hardest))
    opened = open_file(browser, file)
    section = opened.page.locator("#worksheet")
    assert section.locator("svg").count() == 3 and section.locator("math").count() > 30
    assert section.locator("svg").first.bounding_box()["width"] > 100
    assert not opened.errors and not opened.requests


def test_a_worksheet_without_forces_is_named_and_a_wrong_pose_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    m, without = sk.load(path("crank_rocker")), ["limits", "steps"]
    assert m.report(samples=5, without=without, worksheet="hardest").missing == (
        "No worksheet: the mechanism has neither masses nor loads",
    )
    for wrong, message in (("softest", "'softest' is no pose"), (9, "there is no sample 9")):
        with pytest.raises(sk.InputError, match=message):
            sk.load(path("one_cylinder_engine")).report(samples=5, without=without, worksheet=wrong)
    with pytest.raises(sk.InputError, match="there is no sample -99; there are 5"):
        m.report(samples=5, without=without, worksheet=-99)
    run = ["report", str(path("one_cylinder_engine")), "--samples", "9", "--without", "limits", "-o", "e.html"]
    done = CliRunner().invoke(app, [*run, "--worksheet", "10 ms", "--author", "A. B."])
    assert done.exit_code == 0 and "t = 0.01 s" in Path("e.html").read_text(encoding="utf-8")
    refused = CliRunner().invoke(app, [*run, "--worksheet", "1 s"])
    assert "the motion is known from 0 to 0.04 s, not at 1 s" in str(refused.exception)


def test_the_pins_of_a_cylinder_count_among_the_joint_forces() -> None:
    """A bar of 2 m held by a cylinder near its pivot: by hand 2 m 100 N / (0.5 m sin 45 deg), more than there."""
    m = sk.Mechanism(
        "Boom", points={"A": (0, 0), "B": (0.5, 0), "C": (0, -0.5), "T": (2, 0)},
        links={"ground": ["A", "C"], "boom": ["A", "B", "T"]},
        drivers={"ram": {"between": ["C", "B"], "law": "sqrt(0.5) + 0*t"}},
        forces={"load": {"type": "force", "at": "T", "value": [0, -100]}},
    )  # fmt: skip
    facts = dict(content(m, m.solve(t=[0.0, 1.0]), without=["limits"])["results"]["facts"])
    assert facts["largest joint force"].startswith(f"{200 / 0.5 / np.sin(np.pi / 4):.4g} N")
    assert facts["largest joint force"].endswith("C and B, pins of ram")


def test_each_kind_of_quantity_has_one_unit_in_a_report() -> None:
    """W of the engine moves at 9.4 m/s and C at 14.1 m/s: 9425 mm/s beside 14.14 m/s is not read at a glance."""
    m = sk.load(path("one_cylinder_engine"))
    motion = m.solve(samples=73)
    found = content(m, motion, without=["limits"])
    units = found["plots"]["units"]
    assert (units["length"], units["speed"], units["acceleration"]) == ("mm", "m/s", "m/s²")
    speeds = {name: np.hypot(*motion.velocity(name).T).max() for name in ("W", "C")}
    rows = {row[0]: row for row in found["results"]["tables"][1]["rows"]}
    assert {name: rows[name][2] for name in speeds} == {name: f"{v:.4g} m/s" for name, v in speeds.items()}
    assert {row[0]: row[5] for row in found["ranges"]["points"]}["W"] == pytest.approx(speeds["W"], rel=1e-5)
    assert max(map(abs, found["rates"]["points"]["W"]["vx"])) == pytest.approx(speeds["W"], rel=1e-5)
    forces = [row[2].partition(",")[0] for row in found["forces"]["table"]]
    panels = {panel["unit"] for panel in found["forces"]["panels"]} - {"W", "kW", "J", "kJ"}
    assert set(forces) == panels == {"kN", "N m"}


def test_speeds_are_in_metres_beside_large_accelerations() -> None:
    """At 5 Hz, a crank of 40 mm has 1.26 m/s and 39.5 m/s²: not 1257 mm/s beside 39.5 m/s²."""
    data = sk.load(path("crank_rocker")).source_dict
    data["drivers"]["motor"]["speed"] = "300 rpm"
    m = sk.Mechanism.from_dict(data)
    found = content(m, m.solve(samples=37), without=["limits"])
    assert (found["plots"]["units"]["speed"], found["plots"]["units"]["acceleration"]) == ("m/s", "m/s²")
    rows = {row[0]: row for row in found["ranges"]["points"]}
    assert rows["B"][5] == pytest.approx(0.04 * 10 * np.pi, rel=1e-5)
    assert rows["B"][7] == pytest.approx(0.04 * (10 * np.pi) ** 2, rel=1e-5)


def test_slow_motion_keeps_the_unit_of_the_file() -> None:
    found = content(sk.load(path("crank_rocker")), sk.load(path("crank_rocker")).solve(samples=37))
    assert (found["plots"]["units"]["speed"], found["plots"]["units"]["acceleration"]) == ("mm/s", "mm/s²")


def test_micrometres_have_one_name_on_a_page_and_in_a_plot() -> None:
    """Positions had µm, their coefficients K and L, and the travel of a driver beside its limits, had um."""
    m = sk.Mechanism.from_dict(
        {
            "units": {"length": "um", "angle": "deg"},
            "points": {"A": [0, 0], "B": [30, 40], "C": [90, 0]},
            "links": {"ground": ["A"], "rod": ["B", "C"], "crank": ["A", "B"], "block": ["C"]},
            "joints": {"rail": {"type": "prismatic", "links": ["block", "ground"], "at": "C", "axis": [1, 0]}},
            "drivers": {"feed": {"joint": "rail", "law": "2*t"}},
            "duration": 1,
        }
    )
    motion = m.solve(samples=5)
    found = content(m, motion)
    assert found["coefficients"]["units"] == {"point": ["1"], "point_pairs": ["1/µm"],
                                              "link": ["rad/µm"], "link_pairs": ["rad/µm²"]}  # fmt: skip
    [row] = found["results"]["tables"][0]["rows"]
    assert row[1] == "0 to 2 µm" and row[2].endswith(" µm")
    labels = [ax.get_ylabel() for ax in motion.plot("crank", kl=True).axes]
    assert any("rad/µm" in label for label in labels) and not any("um" in label for label in labels)
    assert "µm" in m.limits().plot().axes[0].get_xlabel()
