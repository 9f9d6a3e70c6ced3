"""Measured data beside the model: residuals against circles in closed form, tables of a tracker, mistakes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.errors import InputError

T = np.linspace(0.0, 3.0, 61)


@pytest.fixture
def crank() -> sk.Mechanism:
    """A crank of 50 mm at 2 rad/s: its end is at 50 mm (cos 2t, sin 2t)."""
    return sk.Mechanism(
        "Crank",
        units={"length": "mm", "angle": "deg"},
        points={"A": (0, 0), "B": (50, 0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 2.0}},
    )


def table(path: Path, head: str, *columns: np.ndarray) -> Path:
    rows = [";".join(f"{value:.12g}" for value in row) for row in np.transpose(columns)]
    path.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return path


def test_the_lag_and_the_residuals_are_those_of_shifted_circles(crank: sk.Mechanism, tmp_path: Path) -> None:
    late = 0.08
    data = table(
        tmp_path / "m.csv",
        "t;B.x;B.y;crank.angle",
        T,
        50 * np.cos(2 * (T - late)),
        50 * np.sin(2 * (T - late)),
        np.degrees(2 * (T - late)),
    )
    found = crank.compare_measured(data)
    assert found.against == "t" and found.missing == 0
    by_name = {one.name: one for one in found.columns}
    expected = 0.05 * (np.cos(2 * (T - late)) - np.cos(2 * T))
    np.testing.assert_allclose(by_name["B.x"].residual, expected, atol=1e-12)
    np.testing.assert_allclose(by_name["crank.angle"].residual, -2 * late, atol=1e-11)
    assert by_name["B.x"].rms == pytest.approx(math.sqrt(np.mean(expected**2)), rel=1e-9)
    assert found.lag == pytest.approx(late, abs=1e-4)
    assert found.remaining["B.x"] < 2e-5


def test_a_table_of_a_tracker(crank: sk.Mechanism, tmp_path: Path) -> None:
    data = table(tmp_path / "tracker.csv", "mass A\nframe;t;x [m];y [m]", np.arange(61), T, 0.05 * np.cos(2 * T), T)
    found = crank.compare_measured(data, columns={"t": "t", "B.x": "x [m]"})
    assert found.columns[0].largest < 1e-12
    assert abs(found.lag) < 1e-6


def test_against_the_value_of_the_driver(crank: sk.Mechanism, tmp_path: Path) -> None:
    phi = np.linspace(0.0, 300.0, 40)
    data = table(tmp_path / "m.csv", "motor [deg];B.y [mm]", phi, 50 * np.sin(np.radians(phi - 3)))
    found = crank.compare_measured(data)
    assert (found.against, found.x_kind) == ("motor", "angle")
    assert math.degrees(found.lag) == pytest.approx(3.0, abs=1e-3)


def test_samples_without_a_pose_do_not_count(tmp_path: Path) -> None:
    m = sk.load(sk.examples.path("triple_rocker"))
    id = next(iter(m.drivers))
    limits = m.limits(id)
    values = np.linspace(limits.upper.value - 0.2, limits.upper.value + 0.1, 7)
    point = next(point for point in m.links[m.topology.moving_links[0]].local)
    data = table(tmp_path / "m.csv", f"{id} [rad];{point}.x", values, np.zeros(7))
    found = m.compare_measured(data)
    assert 0 < found.missing < 7
    assert math.isfinite(found.columns[0].rms)


@pytest.mark.parametrize(
    ("head", "columns", "message"),
    [
        ("t;q", None, "no column is a quantity of the mechanism"),
        ("q;B.x", None, "has no column that the others are measured against"),
        ("t;q", {"t": "t", "Q.x": "q"}, "Q.x: is no quantity of the mechanism"),
        ("t;q", {"t": "t", "B.x": "x"}, "no line of"),
        ("time;q", {"B.x": "q"}, "that the others are measured against"),
        ("frame time;q", {"B.x": "q"}, "--column 't=frame time', or in Python columns={'t': 'frame time'}"),
        ("t;q r", None, "--column 'B.x=q r', or in Python columns={'B.x': 'q r'}"),
        ("t;q [kg]", {"t": "t", "B.x": "q [kg]"}, "'kg' is no unit of length"),
    ],
)
def test_mistakes(crank: sk.Mechanism, tmp_path: Path, head: str, columns: dict[str, str] | None, message: str) -> None:
    with pytest.raises(InputError) as caught:
        crank.compare_measured(table(tmp_path / "m.csv", head, T, T), columns=columns)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("head", "columns", "said"),
    [
        ("t;x;y", {"t": "t", "B.x": "x", "B.y": "z"}, ["B.y: no line of 'm.csv' has the title 'z'"]),
        ("t;x;y", {"t": "t", "B.x": "u", "B.y": "y"}, ["B.x: no line of 'm.csv' has the title 'u'"]),
        ("t;x;y", {"t": "time", "B.x": "x", "B.y": "y"}, ["t: no line of 'm.csv' has the title 'time'"]),
        ("T;x;y", {"motor": "phi", "B.x": "x"}, ["motor: no line of 'm.csv' has the title 'phi'"]),
        ("t;x;y", {"t": "0", "B.x": "z"}, ["t: no line of 'm.csv' has the title '0'", "B.x: no line of 'm.csv' has"]),
        ("x\nt;q;y", {"B.x": "x", "B.y": "y"}, ["B.x: no line of 'm.csv' has both titles, 't' and 'x'"]),
        ("t\ns;x;y", {"B.x": "x"}, ["B.x: no line of 'm.csv' has both titles, 't' and 'x'"]),
    ],
)
def test_what_lacks_is_named(
    crank: sk.Mechanism, tmp_path: Path, monkeypatch, head: str, columns: dict[str, str], said: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table(Path("m.csv"), head, T, T, T)
    with pytest.raises(InputError) as caught:
        crank.compare_measured("m.csv", columns=columns)
    found = [str(problem) for problem in caught.value.problems]
    assert len(found) == len(said) and all(map(str.startswith, found, said)), found


@pytest.mark.parametrize("head", ["", "t;x;x\n", "recorded on Monday\n"])
def test_columns_by_their_numbers(crank: sk.Mechanism, tmp_path: Path, head: str) -> None:
    data = table(tmp_path / "m.csv", head + "0;50;0", T, 50 * np.cos(2 * T), T)
    found = crank.compare_measured(data, columns={"t": 1, "B.x": "2"})
    assert found.columns[0].largest < 1e-12


def test_a_number_above_the_titles_hides_none(crank: sk.Mechanism, tmp_path: Path) -> None:
    data = table(tmp_path / "m.csv", "1000\nt;B.x;q", T, 50 * np.cos(2 * T), T)
    assert crank.compare_measured(data).columns[0].largest < 1e-12


@pytest.mark.parametrize(
    ("head", "given", "names"),
    [
        ("t;px;B.y", {"B.x": "px"}, ["B.x", "B.y"]),
        ("t;B.x;B.y", {"t": "t"}, ["B.x", "B.y"]),
        ("t;B.x;B.y", {"B.x": "B.y", "B.y": "B.x"}, ["B.x", "B.y"]),
        ("t;B.x;B.y", {"B.y": "B.x"}, ["B.y"]),
        ("frame;motor;B.y", {"t": "frame"}, ["B.y"]),
    ],
)
def test_titles_that_are_names_need_not_be_given(
    crank: sk.Mechanism, tmp_path: Path, head: str, given: dict[str, str], names: list[str]
) -> None:
    data = table(tmp_path / "m.csv", head, T, 50 * np.cos(2 * T), 50 * np.sin(2 * T))
    found = crank.compare_measured(data, columns=given)
    assert found.against == "t"
    assert sorted(one.name for one in found.columns) == names


@pytest.mark.parametrize(
    ("t", "x", "y", "said"),
    [
        # A quarter of 0.8 s is looked through.
        (T / 3.75, 50 * np.cos(2 * (T / 3.75 - 0.3)), 50 * np.sin(2 * (T / 3.75 - 0.3)), "end of the search, 0.2 s"),
        (T, 50 * np.cos(2 * T), -50 * np.sin(2 * T), "no lag explains the data"),
        (T, np.random.default_rng(5).normal(0, 50, 61), np.random.default_rng(6).normal(0, 50, 61), "much smaller"),
        (T[:3], 50 * np.cos(2 * T[:3]), 50 * np.sin(2 * T[:3]), "fewer than 5 samples"),
    ],
    ids=["long", "mirrored", "noise", "three samples"],
)
def test_a_lag_that_explains_nothing_is_none(
    crank: sk.Mechanism, tmp_path: Path, t: np.ndarray, x: np.ndarray, y: np.ndarray, said: str
) -> None:
    found = crank.compare_measured(table(tmp_path / "m.csv", "t;B.x;B.y", t, x, y))
    assert math.isnan(found.lag) and not found.remaining
    assert said in found.no_lag and found.to_dict()["lag"] is None
    assert found.columns[0].rms == pytest.approx(1e-3 * math.sqrt(np.mean((x - 50 * np.cos(2 * t)) ** 2)), abs=1e-12)


def test_noise_hides_no_lag_and_no_agreement(crank: sk.Mechanism, tmp_path: Path) -> None:
    noise = np.random.default_rng(3).normal(0, 1, (2, 61))
    for late in (0.0, 0.3):
        x, y = 50 * np.cos(2 * (T - late)) + noise[0], 50 * np.sin(2 * (T - late)) + noise[1]
        found = crank.compare_measured(table(tmp_path / "m.csv", "t;B.x;B.y", T, x, y))
        assert found.lag == pytest.approx(late, abs=0.01)
        assert found.remaining["B.x"] == pytest.approx(1e-3, rel=0.3) and not found.no_lag


@pytest.mark.parametrize("late", [0.0, 0.08, -0.31])
@pytest.mark.parametrize(
    "columns", [["B.x"], ["B.y"], ["B.x", "B.y"], ["B.x", "crank.angle"], ["B.x", "B.y", "crank.angle"]]
)
@pytest.mark.parametrize("turn", [0.7, 2.0])
def test_an_offset_is_no_lag(crank: sk.Mechanism, tmp_path: Path, columns: list[str], late: float, turn: float) -> None:
    """Sensors whose zero is wrong by 4 mm and 200 deg, over two thirds of a turn and over two turns."""
    t = T * turn
    phi = 2 * (t - late)
    values = {"B.x": 50 * np.cos(phi) + 4, "B.y": 50 * np.sin(phi) - 3, "crank.angle": np.degrees(phi) + 200}
    data = table(tmp_path / "m.csv", ";".join(["t", *columns]), t, *(values[name] for name in columns))
    found = crank.compare_measured(data)
    assert found.lag == pytest.approx(late, abs=1e-6)
    assert found.remaining[columns[0]] == pytest.approx(4e-3 if columns[0] == "B.x" else 3e-3, abs=1e-6)


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_a_wheel_at_constant_speed_tells_no_lag_from_an_offset(
    crank: sk.Mechanism, tmp_path: Path, noise: float
) -> None:
    angle = np.degrees(2 * T) + 3 + np.random.default_rng(1).normal(0, noise, 61)
    found = crank.compare_measured(table(tmp_path / "m.csv", "t;crank.angle", T, angle))
    assert math.isnan(found.lag) and "a lag and a constant offset cannot be told apart" in found.no_lag


def test_the_axes_of_a_picture_name_their_quantities(crank: sk.Mechanism, tmp_path: Path) -> None:
    x, y, angle = 50 * np.cos(2 * T), 50 * np.sin(2 * T), np.degrees(2 * T)
    both = crank.compare_measured(table(tmp_path / "m.csv", "t;B.x;B.y;crank.angle", T, x, y, angle))
    assert [ax.get_ylabel() for ax in both.plot().axes][::2] == ["position [mm]", "crank.angle [deg]"]


def test_the_command_prints_and_draws(crank: sk.Mechanism, tmp_path: Path) -> None:
    crank.save(tmp_path / "crank.toml")
    data = table(tmp_path / "m.csv", "time;x;angle", T, 50 * np.cos(2 * T) + 2, np.degrees(2 * T))
    words = ["compare", str(tmp_path / "crank.toml"), "--measured", str(data), "--to", str(tmp_path / "m.png")]
    words += ["--column", "t=time", "--column", "B.x=x", "--column", "crank.angle=angle"]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0
    assert "2 mm" in run.output and "Lag of the measured motion" in run.output
    assert (tmp_path / "m.png").stat().st_size > 5000
    assert '"against": "t"' in CliRunner().invoke(app, [*words[:4], *words[6:], "--json"]).output


def test_the_travel_in_a_circular_slot_is_an_angle(tmp_path: Path) -> None:
    slot = {"type": "pin-in-slot", "pin": "P", "on": "pin"}
    m = sk.Mechanism(
        units={"length": "mm", "angle": "deg"},
        points={"O": (0, 0), "X": (90, 0), "P": (50, 0)},
        links={"ground": ["O"], "crank": ["O", "X"], "pin": ["P"]},
        joints={
            "arm": {**slot, "slot": "crank", "along": ["O", "X"]},
            "track": {**slot, "slot": "ground", "center": "O"},
        },
        drivers={"motor": {"joint": "O", "speed": 2.0}, "level": {"links": ["ground", "pin"], "law": "0"}},
    )
    data = table(tmp_path / "m.csv", "t;track.travel", T, np.degrees(2 * T) + 3)
    (found,) = m.compare_measured(data).columns
    assert found.kind == "angle"
    np.testing.assert_allclose(found.residual, np.radians(3), atol=1e-12)


def test_every_cell_that_is_no_number_is_named(crank: sk.Mechanism, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("t,B.x\n0,1\n0.1,\n0.2,2\n0.3,x\n")
    with pytest.raises(InputError) as caught:
        crank.compare_measured(tmp_path / "m.csv")
    assert [(one.key, one.message) for one in caught.value.problems] == [
        ("B.x", "line 3: column 2 is empty"), ("B.x", "line 5: 'x' is not a number"),
    ]  # fmt: skip


def test_columns_that_are_not_compared_are_named(crank: sk.Mechanism, tmp_path: Path) -> None:
    """A misspelt title was passed over without a word."""
    x, y = 50 * np.cos(2 * T), 50 * np.sin(2 * T)
    data = table(tmp_path / "m.csv", "Test of 3 May\nt [s];B.x;b.y;frame\ns;mm;mm;", T, x, y, T)
    found = crank.compare_measured(data)
    assert [one.name for one in found.columns] == ["B.x"]
    assert found.left_out == ("b.y", "frame") and found.to_dict()["left_out"] == ["b.y", "frame"]
    assert crank.compare_measured(table(tmp_path / "all.csv", "t;B.x;B.y", T, x, y)).left_out == ()
    file = tmp_path / "crank.toml"
    crank.save(file)
    shown = CliRunner().invoke(app, ["compare", str(file), "--measured", str(data)]).stdout
    assert "Columns left out: 'b.y', 'frame'." in " ".join(shown.split())


def test_options_of_other_comparisons_are_refused(crank: sk.Mechanism, tmp_path: Path) -> None:
    data, file = table(tmp_path / "m.csv", "t;B.x", T, 50 * np.cos(2 * T)), tmp_path / "crank.toml"
    crank.save(file)
    words = ["--samples", "9", "--simulate", "2", "--method", "foo", "--memory"]
    error = CliRunner().invoke(app, ["compare", str(file), "--measured", str(data), *words]).exception
    assert isinstance(error, InputError)
    assert [problem.key for problem in error.problems] == ["--samples", "--simulate", "--method", "--memory"]
