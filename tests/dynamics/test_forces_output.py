"""Forces as tables, files and pictures, and the command that writes them."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin import show
from structkin.cli import main
from structkin.examples import path
from structkin.report import content
from structkin.show.motion_plot import mean


def run(capsys: Any, monkeypatch: Any, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["structkin", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


def test_the_command_writes_a_table_and_a_picture(capsys: Any, monkeypatch: Any, tmp_path: Path) -> None:
    table, picture = tmp_path / "f.csv", tmp_path / "f.png"
    file = str(path("excavator"))
    code, out, _ = run(
        capsys, monkeypatch, "forces", file, "--samples", "13", "--csv", str(table), "--plot", str(picture)
    )
    assert code == 0
    assert "driver boom_cylinder" in out and "power balance error" in out
    assert picture.stat().st_size > 20_000
    heads, units, *rows = list(csv.reader(table.read_text(encoding="utf-8").splitlines()))
    forces = sk.load(file).solve(samples=13).forces()
    assert len(rows) == 13
    for head, unit, values in (
        ("boom_cylinder.effort", "N", forces.driver("boom_cylinder")),
        ("M on bucket.Fy", "N", forces.reaction("M", "bucket")[:, 1]),
        ("arm_bore on arm_rod.M", "N m", forces.reaction_moment("arm_bore", "arm_rod")),
        ("ground.M", "N m", forces.shaking_moment),
    ):
        column = heads.index(head)
        assert units[column] == unit
        assert [float(row[column]) for row in rows] == values.tolist()


def test_a_force_that_is_zero_is_largest_nowhere(capsys: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """The moment of a vertical guide above the shaft of its cam is rounding: it had an instant beside it."""
    file = tmp_path / "valve.toml"
    file.write_text(
        """
title = "Valve"
duration = 0.06
units = { length = "mm", angle = "deg", mass = "g" }
[points]
A = [0, 0]
Q = [0, 35]
[links]
ground = ["A"]
disc = ["A"]
valve = { points = ["Q"], mass = 150 }
[joints]
guide = { type = "prismatic", links = ["valve", "ground"], at = "Q", axis = [0, 1] }
[joints.contact]
type = "cam"
cam = "disc"
follower = "valve"
at = "Q"
radius = 10
law = [{ motion = "3-4-5", over = 180, to = 9 }, { motion = "3-4-5", over = 180, to = 0 }]
[drivers]
motor = { joint = "A", speed = "1000 rpm" }
""",
        encoding="utf-8",
    )
    _, out, _ = run(capsys, monkeypatch, "forces", str(file), "--samples", "13")
    line = next(line for line in out.splitlines() if "on the ground, moment" in line)
    assert [cell.strip() for cell in line.split("│")[2:5]] == ["0 N m", "0 N m", "-"]
    assert " s" in next(line for line in out.splitlines() if "contact on valve" in line)


def test_json_and_statics(capsys: Any, monkeypatch: Any) -> None:
    code, out, _ = run(capsys, monkeypatch, "forces", str(path("excavator")), "--samples", "5", "--static", "--json")
    assert code == 0
    data = json.loads(out)
    forces = sk.load(path("excavator")).solve(samples=5).forces(static=True)
    assert data["drivers"]["arm_cylinder"]["effort"] == forces.driver("arm_cylinder").tolist()
    assert data["drivers"]["arm_cylinder"]["power"] == [0.0] * 5
    assert data["ground"]["Fy"] == forces.shaking_force[:, 1].tolist()
    assert set(data["unique"].values()) == {True}
    np.testing.assert_allclose(forces.shaking_force[:, 1], -9.81 * sum(body.mass for body in forces.bodies))


def test_bad_input_exits_with_2_and_samples_without_pose_with_1(capsys: Any, monkeypatch: Any, tmp_path: Path) -> None:
    text = path("excavator").read_text(encoding="utf-8").replace(', shape = "rod", mass = 20', ", mass = 20")
    file = tmp_path / "a.toml"
    file.write_text(text, encoding="utf-8")
    code, _, err = run(capsys, monkeypatch, "forces", str(file))
    assert code == 2
    assert "links.rocker: has a mass, but no centre of mass" in err
    assert run(capsys, monkeypatch, "forces", str(file), "--csv", str(file))[0] == 2
    file.write_text(
        '[points]\nA=[0,0]\nB=[1,1]\nC=[3,1.5]\nD=[3,0]\n[links]\nground=["A","D"]\ncrank=["A","B"]\n'
        'coupler={points=["B","C"],shape="rod",mass=1}\nrocker=["C","D"]\n[drivers]\nm={joint="A",speed=1}\n'
    )
    code, out, _ = run(capsys, monkeypatch, "forces", str(file), "--samples", "73", "--plot", str(tmp_path / "a.svg"))
    assert code == 1
    assert "out of reach" in out


def test_frames_and_redundant_joints() -> None:
    beam = {"points": ["P", "Q", "R"], "mass": 6, "center": [2, 1], "inertia": 1}
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (4, 0), "P": (0, 1), "Q": (2, 1), "R": (4, 1)},
        links={"ground": ["A", "B", "C"], "one": ["A", "P"], "two": ["B", "Q"], "three": ["C", "R"], "beam": beam},
        drivers={"motor": {"joint": "A", "law": "pi/2 + 0.4*sin(t)"}},
        duration=1,
    )
    forces = m.solve(samples=7).forces()
    frame = show.forces_to_dataframe(forces)
    assert forces.to_dataframe(units="file").equals(frame)
    assert frame["motor.effort"].tolist() == forces.driver("motor").tolist()
    assert frame.attrs["units"]["ground.Fx"] == "N"
    assert show.forces_to_dict(forces)["unique"]["Q"] is False
    table = show.forces_table(forces)
    assert "not unique" in str(table.caption)
    labels = [text.get_text() for ax in forces.plot().axes for text in ax.get_legend().get_texts()]
    assert "Q (not unique)" in labels and "motor" in labels


def wedge_lift() -> sk.Mechanism:
    """A wedge of 2 kg under a table of 10 kg, on three guides (c14): the guides share a moment, their forces are given.

    With the slope of the face at 15 deg the face carries W / cos, the mast W tan, the floor all weight.
    """
    slope = (np.cos(np.pi / 12), np.sin(np.pi / 12))
    return sk.Mechanism(
        points={"P": (0, 0), "Q": (0.1, 0.05)},
        links={"ground": [], "wedge": {"points": ["P"], "mass": 2}, "table": {"points": ["Q"], "mass": 10}},
        joints={
            "floor": {"type": "prismatic", "links": ["ground", "wedge"], "at": "P", "axis": (1, 0)},
            "face": {"type": "prismatic", "links": ["wedge", "table"], "at": "Q", "axis": slope},
            "mast": {"type": "prismatic", "links": ["ground", "table"], "at": "Q", "axis": (0, 1)},
        },
        drivers={"screw": {"joint": "floor", "law": "-0.04*t"}},
        forces={"gravity": (0, -9.81)},
        duration=1,
    )


def test_only_the_moment_is_starred_where_the_force_is_unique() -> None:
    m = wedge_lift()
    forces = m.solve(samples=5).forces()
    sizes = {"floor": 12 * 9.81, "face": 98.1 / np.cos(np.pi / 12), "mast": 98.1 * np.tan(np.pi / 12)}
    for joint, link in (("floor", "wedge"), ("face", "table"), ("mast", "table")):
        assert np.hypot(*forces.reaction(joint, link).T) == pytest.approx(np.full(5, sizes[joint]), rel=1e-9)
        assert forces.unique_force(joint, link) and not forces.unique_moment(joint, link)
        assert not forces.unique(joint)
    cells = [[str(cell) for cell in column.cells] for column in show.forces_table(forces).columns]
    starred = {name for name, mean_ in zip(cells[0], cells[1], strict=True) if mean_.endswith("*")}
    assert starred == {"floor on wedge, moment", "face on table, moment", "mast on table, moment"}
    labels = [text.get_text() for ax in forces.plot().axes for text in ax.get_legend().get_texts()]
    assert not any("not unique" in label for label in labels)
    page = m.report(without=["limits"])
    assert "their forces are not unique" not in page


@pytest.mark.parametrize("gravity", [0.0, -9.81])
def test_a_rotor_without_power_has_no_power_balance(gravity: float) -> None:
    """A balanced rotor at constant speed: all powers are rounding errors, whatever their ratio."""
    m = sk.Mechanism(
        points={"A": (0.1, 0.2), "B": (0.4, 0.3)},
        links={"ground": ["A"], "rotor": {"points": ["A", "B"], "mass": 3, "center": (0.1, 0.2), "inertia": 0.7}},
        drivers={"motor": {"joint": "A", "speed": 10}},
        forces={"gravity": (0, gravity)},
    )
    assert "power balance" not in str(show.forces_table(m.solve(samples=37).forces()).caption)
    data = m.source_dict
    data["links"]["rotor"]["center"] = (0.1001, 0.2)
    beside = sk.Mechanism.from_dict({**data, "forces": {"gravity": (0, -9.81)}})
    assert "power balance error" in str(show.forces_table(beside.solve(samples=37).forces()).caption)


def test_means_are_those_over_time() -> None:
    """Inertia does no work in a full turn, though the sample that closes it is listed twice."""
    motion = sk.load(path("one_cylinder_engine")).solve(samples=37)
    values = motion.forces().driver("motor")
    assert abs(values.mean()) > 1
    np.testing.assert_allclose(mean(motion, values), np.trapezoid(values, motion.t) / np.ptp(motion.t), rtol=1e-12)
    values[3] = np.nan
    kept = np.delete(np.arange(36), [2, 3])
    middles = 0.5 * (values[:-1] + values[1:])
    np.testing.assert_allclose(mean(motion, values), middles[kept].mean(), rtol=1e-12)
    assert mean(motion, np.where(np.arange(37) == 5, 2.0, np.nan)) == 2.0


def test_the_mean_torque_of_a_cam_without_losses_is_zero() -> None:
    data = sk.load(path("cam_roller_follower")).source_dict
    follower = {"points": ["Q", "T"], "mass": 1.0, "shape": "rod"}
    data |= {"links": data["links"] | {"follower": follower}, "forces": {"gravity": [0, -9.81]}}
    forces = sk.Mechanism.from_dict(data).solve(samples=121).forces()
    torque = forces.driver("motor")
    assert np.trapezoid(torque, forces.t) != 0.0 < np.abs(torque).max()
    assert mean(forces.motion, torque) == 0.0
    table = content(forces.motion.mechanism, forces.motion, without=["limits"])["forces"]["table"]
    assert {row[0]: row[-1] for row in table}["driver motor"] == 0.0


def test_a_picture_without_known_forces() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    texts = [text.get_text() for ax in m.solve(samples=5).forces().plot().axes for text in ax.texts]
    assert texts == []
    lost = m.solve(drivers={"motor": (np.zeros(3), np.full(3, np.nan), np.zeros(3))})
    texts = [text.get_text() for ax in lost.forces().plot().axes for text in ax.texts]
    assert all("unknown" in text for text in texts) and texts


def test_check_names_a_mass_that_forces_would_refuse(capsys: Any, monkeypatch: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    text = path("excavator").read_text(encoding="utf-8")
    file.write_text(text.replace(', shape = "rod", mass = 20', ", mass = 20"), encoding="utf-8")
    code, out, _ = run(capsys, monkeypatch, "check", str(file))
    assert code == 0 and "note: links.rocker: has a mass, but no centre of mass" in out


def test_large_forces_use_kilo_units_and_equal_curves_stay_distinct() -> None:
    forces = sk.load(path("excavator")).solve(samples=31).forces()
    axes = show.plot_forces(forces).axes
    assert [ax.get_ylabel().partition(" [")[2] for ax in axes] == ["kN]", "kN]", "kN]", "kN m]"]
    lines = {str(line.get_label()): line for line in axes[1].lines}
    np.testing.assert_allclose(lines["A"].get_ydata(), np.hypot(*forces.reaction("A", "boom").T) / 1e3)
    assert lines["B"].get_linestyle() == "-" and lines["C"].get_linestyle() == "--"


def test_tables_and_pictures_have_thousands_where_the_report_has_them(capsys: Any, monkeypatch: Any) -> None:
    """All in kN where one is from 1000 N on, and never with a power of ten; the numbers are those of the forces."""
    m = sk.load(path("excavator"))
    forces = m.solve(samples=13).forces()
    table = {row[0]: row for row in content(m, forces.motion, without=["limits", "steps"])["forces"]["table"]}
    _, out, _ = run(capsys, monkeypatch, "forces", str(path("excavator")), "--samples", "13")
    rows = {cells[0]: cells[1:3] for line in out.splitlines() if len(cells := line.strip("│ ").split(" │ ")) == 4}
    assert not any("e+" in cell for cells in rows.values() for cell in cells)
    for name, cells in ((name.strip(), cells) for name, cells in rows.items() if "moment" not in name):
        _, largest, unit, *_ = table[name]
        value, word = cells[1].split(maxsplit=1)
        assert word == unit.partition(",")[0]
        assert float(value) == pytest.approx(largest, rel=1e-4)
        assert word == "kN"
    heavy = sk.Mechanism(
        "Drum", points={"A": [0, 0]}, drivers={"turn": {"joint": "A", "torque": 2500.0}},
        links={"ground": ["A"], "drum": {"points": ["A"], "mass": 100, "center": [0, 0], "inertia": 50}},
    )  # fmt: skip
    picture = show.plot_simulation(heavy.simulate(1.0, samples=3))
    assert "energy [kJ]" in [ax.get_ylabel() for ax in picture.axes]
    texts = [text.get_text() for text in picture.texts] + [picture.get_suptitle()]
    assert any("turn 2.5 kN m" in text for text in texts)


def test_shades_are_named() -> None:
    data = sk.load(path("triple_rocker")).source_dict
    data["drivers"]["motor"] = {"joint": "A", "law": "150*sin(2*pi*t)"}
    motion = sk.Mechanism.from_dict({**data, "duration": 1}).solve(samples=9)
    [legend] = motion.forces().plot().legends
    assert sum(int(text.get_text().split("(")[1].split()[0]) for text in legend.get_texts()) == (~motion.ok).sum()
    assert not sk.load(path("crank_rocker")).solve(samples=3).forces().plot().legends


VALVE = """
title = "Valve"
duration = 2
[units]
length = "mm"
angle = "deg"
[points]
A = [0, 0]
B = [10, 0]
Q = [0, 40]
R = [0, 90]
F = [0, 130]
[links]
ground = ["A", "F"]
disc = { points = ["A", "B"], mass = 2, center = [0, 0], inertia = 0.01 }
valve = { points = ["Q", "R"], mass = 0.5, center = [0, 60], inertia = 1e-4 }
[joints.guide]
type = "prismatic"
links = ["valve", "ground"]
at = "Q"
axis = [0, 1]
[joints.lobe]
type = "cam"
cam = "disc"
follower = "valve"
at = "Q"
radius = 10
law = [{ motion = "cycloidal", over = 120, to = 12 }, { motion = "dwell", over = 60 },
       { motion = "cycloidal", over = 120, to = 0 }, { motion = "dwell", over = 60 }]
[drivers]
motor = { joint = "A", speed = "900 rpm" }
[forces]
gravity = [0, -9.81]
spring = { type = "spring", between = ["R", "F"], stiffness = "1 N/mm", free_length = 60 }
"""


def floats(forces: sk.Kinetostatics) -> tuple[np.ndarray, np.ndarray]:
    """Where the valve would leave its cam, and the push [N] along its guide, by Newton's law for the valve alone."""
    motion = forces.motion
    pressed = 1e3 * (0.06 - (0.13 - motion.position("R")[:, 1]))
    push = 0.5 * (motion.acceleration("Q", "valve")[:, 1] + 9.81) + pressed
    return push < 0, push


def test_a_cam_that_would_have_to_pull_is_a_note_of_its_forces() -> None:
    m = sk.Mechanism.from_dict(tomllib.loads(VALVE))
    forces = m.solve(samples=61, duration=2 / 15).forces()
    apart, _ = floats(forces)
    note = f"lobe: the contact force pulls at {apart.sum()} samples; the links would separate there"
    assert 5 < apart.sum() < 55 and forces.notes == (note,)
    assert show.forces_to_dict(forces)["notes"] == [note] and note in repr(forces)
    assert str(show.forces_table(forces).caption).count("pulls") == 1
    assert content(m, forces.motion, without=["limits", "steps"])["forces"]["notes"].count(note) == 1

    free = m.simulate(0.03, samples=11, free=["motor"])
    assert free.notes == free.forces().notes and f"at {floats(free.forces())[0].sum()} samples" in free.notes[0]
    assert str(show.simulation_table(free).caption).count(free.notes[0]) == 1
    assert show.simulation_to_dict(free)["notes"] == [*free.notes]


def test_pictures_draw_a_contact_force_that_pulls_as_negative() -> None:
    forces = sk.Mechanism.from_dict(tomllib.loads(VALVE)).solve(samples=61, duration=2 / 15).forces()
    apart, push = floats(forces)
    ax = show.plot_forces(forces).axes[1]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["A", "guide", "lobe (negative: pulls)"]
    drawn = np.asarray(ax.lines[2].get_ydata())
    assert ((drawn < 0) == apart).all() and (np.abs(drawn) >= np.abs(push) * (1 - 1e-9)).all()
    panels = content(forces.motion.mechanism, forces.motion, without=["limits", "steps"])["forces"]["panels"]
    curves = {curve["name"]: curve["values"] for panel in panels for curve in panel["curves"]}
    np.testing.assert_allclose(curves[names[2]], drawn, rtol=1e-4, atol=1e-3)


def test_the_lines_of_a_legend_show_a_whole_dash_of_each_curve() -> None:
    ax = show.plot_forces(sk.load(path("toggle_press")).solve(samples=31).forces()).axes[1]
    lines = ax.get_legend().get_lines()
    dashed = [line for line in lines if line.get_linestyle() == "--"]
    assert dashed
    for line in dashed:
        _, (dash, gap) = line._dash_pattern
        assert np.ptp(line.get_xdata()) > dash + gap + dash


@pytest.fixture
def micro_rod() -> Any:
    """A rod of 10 micrometres and a picogram that a motor turns steadily: the torque is that of the weight alone."""
    m = sk.Mechanism.from_dict(
        {
            "units": {"length": "um", "angle": "deg"},
            "points": {"A": [0, 0], "B": [10, 0]},
            "links": {"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1e-15}},
            "drivers": {"motor": {"joint": "A", "speed": "60 rpm"}},
            "forces": {"gravity": [0, -9.81]},
        }
    )
    return m.solve(samples=37)


def test_forces_of_a_tiny_mechanism_are_no_zeros(micro_rod: Any) -> None:
    """They were far below a billionth of a newton, which was taken for a rounding error in every mechanism."""
    torque = 1e-15 * 9.81 * 5e-6
    rows = [[str(cell) for cell in column.cells] for column in show.forces_table(micro_rod.forces()).columns]
    driver = dict(zip(rows[0], rows[2], strict=True))["driver motor"].split()
    assert float(driver[0]) == pytest.approx(torque, rel=1e-4) and driver[1:] == ["N", "m"]
    figure = show.plot_forces(micro_rod.forces())
    [line] = figure.axes[0].lines
    low, high = figure.axes[0].get_ylim()
    assert max(line.get_ydata()) == pytest.approx(torque) and high - low < 3 * torque
    found = content(micro_rod.mechanism, micro_rod)["forces"]
    assert [panel["title"] for panel in found["panels"]][:2] == ["driver torque", "joint reaction"]
    assert "power" in [panel["title"] for panel in found["panels"]]


def test_a_power_of_ten_is_clear_of_the_legend(micro_rod: Any) -> None:
    figure = show.plot_forces(micro_rod.forces())
    figure.draw_without_rendering()
    for ax in figure.axes:
        power = ax.yaxis.get_offset_text()
        assert power.get_text().startswith("1e")
        assert not any(power.get_window_extent().overlaps(legend.get_window_extent()) for legend in figure.legends)
        assert not ax.get_legend() or not power.get_window_extent().overlaps(ax.get_legend().get_window_extent())


def test_a_body_that_falls_freely_needs_no_force() -> None:
    """The rounding errors of its zeros were the largest forces of the page."""
    m = sk.load(path("garage_door"))
    found = content(m, m.simulate(0.1, free=["opener"]))["forces"]
    assert all(row[1] == 0 for row in found["table"]) and not found["panels"][:-2]
