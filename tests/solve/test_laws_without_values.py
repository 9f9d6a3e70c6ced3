"""Laws that have no value at some times, or an infinite one: only these samples get a status."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import names, path
from structkin.global_methods.methods import METHODS
from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva

NO_INPUT = sk.Status.NO_INPUT


def bar(law):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "bar": ["A", "B"]},
        drivers={"motor": {"joint": "A", "law": law}},
        duration=2,
    )


def crank_rocker(law):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "law": law}},
        duration=2,
    )


def triad(law):
    data = sk.load(path("stephenson_iii_triad")).source_dict
    (motor,) = data["drivers"].values()
    motor = {name: value for name, value in motor.items() if name not in ("speed", "law", "table")}
    return sk.Mechanism.from_dict({**data, "drivers": {"motor": {**motor, "law": law}}, "duration": 2})


LAWS = {
    "1/t": [0],
    "1/(t - 1)": [4],
    "1/(t - 2)": [8],
    "log(t - 1)": [0, 1, 2, 3, 4],
    "sqrt(t - 1)": [0, 1, 2, 3],
    "sqrt(1 - t)": [5, 6, 7, 8],
    "1 + 0/((t - 0.5)*(t - 1.5))": [2, 6],
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("make", [bar, crank_rocker])
def test_only_the_samples_without_a_value_are_lost(make, law):
    m = make(law)
    motions = [m.solve(samples=9, method=method) for method in METHODS]
    for motion in motions:
        assert np.flatnonzero(motion.status == NO_INPUT).tolist() == LAWS[law]
        assert motion.ok.sum() == 9 - len(LAWS[law])
        assert np.isfinite(motion.position("B")[motion.ok]).all()
        assert np.isnan(motion.position("B")[~motion.ok]).all()
        for point in m.points:
            assert motion.position(point) == pytest.approx(motions[0].position(point), abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("law", ["90 + 5/(t - 1)", "90 + 20*log(t - 1)", "90 + 30*sqrt(1 - t)"])
def test_tracked_groups_continue_afterwards(law):
    m = triad(law)
    motions = [m.solve(samples=9, method=method) for method in ("topological", "global", "global-sparse")]
    for motion in motions:
        assert (motion.ok | (motion.status == NO_INPUT)).all() and motion.ok.sum() >= 4
        for point in m.points:
            assert motion.position(point) == pytest.approx(motions[0].position(point), abs=1e-9, nan_ok=True)


def test_an_infinite_rate_leaves_the_position():
    motion = crank_rocker("sqrt(t - 1)").solve(samples=9)
    assert motion.status[4] == sk.Status.OK and np.isfinite(motion.position("C")[4]).all()
    assert np.isnan(motion.velocity("C")[4]).all() and np.isfinite(motion.velocity("C")[5]).all()


@pytest.mark.parametrize("words", [["solve"], ["check"], ["solve", "--method", "global"]])
def test_no_warning_leaks_from_a_command(words, tmp_path):
    file = tmp_path / "log.toml"
    text = path("crank_rocker").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("motor")]
    text = text.replace(line, 'motor = { joint = "A", law = "log(t - 1)" }')
    file.write_text(text.replace("[points]", "duration = 2\n\n[points]") if "duration" not in text else text, "utf-8")
    result = CliRunner().invoke(app, [words[0], str(file), *words[1:]])
    assert "Warning" not in result.output and not isinstance(result.exception, Warning), result.exception
    assert result.exit_code in (0, 1)


@pytest.mark.parametrize("name", names())
def test_reading_such_a_motion_leaks_no_warning(name):
    """At t = 0 no driver has a value, at t = 1 all are as drawn: the guides of the Rapson slide are parallel."""
    data = sk.load(path(name)).source_dict
    for driver in data["drivers"].values():
        for key in ("speed", "law", "table", "csv"):
            driver.pop(key, None)
        driver["law"] = "log(t)"
    motion = sk.Mechanism.from_dict({**data, "duration": 1.0}, folder=path(name).parent).solve(11)
    assert motion.status[0] == NO_INPUT and np.isnan(motion.residual()[0])
    assert (motion.residual()[motion.ok] < 1e-9).all()
    for link in motion.mechanism.links.values():
        assert not np.isinf(motion.angle(link.name)).any()
        for point in link.points:
            assert not np.isinf(motion.position(point)).any()
    for cam in motion.mechanism.joints.of(Cam):
        assert np.isnan(motion.cam(cam).pressure_angle[0])
    for geneva in motion.mechanism.joints.of(Geneva):
        assert np.isnan(motion.geneva(geneva).steps[0])


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_parallel_guides_meet_nowhere(engine):
    m = sk.load(path("rapson_slide"))
    (motor,) = m.drivers
    motion = m.solve(drivers={motor: np.array([0.2, 0.0])}, engine=engine)
    assert motion.status[1] == sk.Status.SINGULAR
    pin = next(point for point in m.points if np.isnan(motion.position(point)[1]).all())
    assert np.isfinite(motion.position(pin)[0]).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_group_that_stops_where_another_driver_has_no_value(method):
    """Three legs pass a limit while a wheel beside them has no value after 0.5 s: once a traceback of the search."""
    feet, tips = ((0, 0), (0.4, 0), (0.2, 0.35)), ((0.15, 0.1), (0.25, 0.1), (0.235, 0.19))
    points = {f"A{k}": foot for k, foot in enumerate(feet)} | {f"P{k}": tip for k, tip in enumerate(tips)}
    links = {"ground": ["O"], "plate": ["P0", "P1", "P2"], "wheel": ["O", "X"]}
    joints, drivers = {}, {"wheel": {"joint": "O", "law": "sqrt(0.5 - t)"}}
    for k in range(3):
        links |= {f"slide{k}": [f"A{k}"], f"leg{k}": [f"A{k}", f"P{k}"]}
        joints[f"rail{k}"] = {"type": "prismatic", "links": [f"slide{k}", "ground"], "at": f"A{k}", "axis": [1, 0]}
        drivers[f"drive{k}"] = {"joint": f"rail{k}", "law": "0.3*sin(6*t)" if k == 0 else "0"}
    m = sk.Mechanism(
        points={**points, "O": (2, 0), "X": (3, 0)}, links=links, joints=joints, drivers=drivers, duration=1
    )
    motion = m.solve(41, method=method)
    assert (motion.status[motion.t > 0.5] == NO_INPUT).all()
    before = motion.t <= 0.5
    assert not (motion.status[before] == NO_INPUT).any()
    assert motion.residual()[motion.ok].max() < 1e-9
