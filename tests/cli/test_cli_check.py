"""`structkin check` of mechanisms that only a simulation moves, and of structures that cannot be solved."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app

SWING = {
    "duration": 0.5,
    "points": {"A": [0, 0], "B": [1, 0]},
    "links": {"ground": ["A"], "bar": {"points": ["A", "B"], "shape": "rod", "mass": 2}},
    "drivers": {"swing": {"joint": "A"}},
    "forces": {"gravity": [0, -9.81]},
}


@pytest.fixture
def check(tmp_path):
    def checked(data):
        sk.Mechanism.from_dict(data).save(tmp_path / "it.toml")
        return CliRunner().invoke(app, ["check", str(tmp_path / "it.toml")])

    return checked


@pytest.mark.parametrize("change", [{}, {"duration": None}])
def test_a_driver_without_a_law_is_a_remark(check, change):
    run = check({name: value for name, value in (SWING | change).items() if value is not None})
    assert run.exit_code == 0
    assert "note: drivers.swing: has neither speed nor law; `structkin simulate` lets masses" in run.stdout
    assert "no errors; `structkin simulate` can start" in run.stdout


def test_a_check_starts_a_simulation_and_does_not_run_it(check, monkeypatch):
    """A pendulum of an endless duration: at a millionth of it, 1e9 s took ten thousand steps, and 1e12 s longer."""
    steps = []
    simulate = sk.Mechanism.simulate

    def counted(*args, **options):
        run = simulate(*args, **options)
        steps.append(run.integration.steps)
        return run

    monkeypatch.setattr(sk.Mechanism, "simulate", counted)
    for duration in (0.5, 1e9, 1e15):
        assert "`structkin simulate` can start" in check({**SWING, "duration": duration}).stdout
    assert max(steps) <= 100 and len(steps) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"links": {"ground": ["A"], "bar": ["A", "B"]}}, "drivers.swing: the free coordinate moves no mass"),
        (
            {"links": {"ground": ["A"], "bar": {"points": ["A", "B"], "mass": 2}}},
            "  links.bar: has a mass, but no centre of mass",
        ),
    ],
)
def test_what_keeps_a_simulation_from_starting_is_an_error(check, change, said):
    run = check(SWING | change)
    assert run.exit_code == 1 and run.stdout.count(said) == 1 and "no errors" not in run.stdout


def test_solve_names_the_verb_that_moves_a_free_driver():
    m = sk.Mechanism.from_dict(SWING)
    with pytest.raises(
        sk.InputError,
        match=r"let `simulate` or `report --simulate SECONDS` move it freely",
    ):
        m.solve()


@pytest.mark.parametrize(
    ("law", "calls"),
    [
        ("30*sin(360*t)", ["sin(360 * t)"]),
        ("cos(t - 90) + tan(0.1*sin(45*t))", ["cos(t - 90)", "sin(45 * t)"]),
        ("30*sin(2*pi*t) + cos(360*t*pi/180) + sin(2*t) + sin(0.5)", []),
    ],
)
@pytest.mark.parametrize("of", ["law", "load"])
def test_arguments_in_degrees_are_noted_in_laws_and_loads(law: str, calls: list[str], of: str, tmp_path: Path) -> None:
    """The law of an angle is in degrees there, but the arguments of its functions are not."""
    load = {"type": "force", "on": "bar", "at": "sin(", "direction": [0, 1], "law": law if of == "load" else "0"}
    for unit, noted in (("deg", calls), ("rad", [])):
        m = sk.Mechanism(
            "Swing", duration=1, units={"angle": unit}, points={"A": (0, 0), "sin(": (1, 0)}, forces={"load": load},
            links={"ground": ["A"], "bar": ["A", "sin("]},
            drivers={"motor": {"joint": "A", "law": law if of == "law" else "0"}},
        )  # fmt: skip
        m.save(tmp_path / "m.toml")
        done = CliRunner().invoke(app, ["check", str(tmp_path / "m.toml")])
        key = "drivers.motor.law" if of == "law" else "forces.load.law"
        lines = [line.strip() for line in done.output.splitlines() if "degrees" in line]
        assert [line.partition(" looks")[0] for line in lines] == [f"note: {key}: {call}" for call in noted]
        assert done.exit_code == 0


@pytest.mark.parametrize(
    ("law", "noted"),
    [("2*pi*t", True), ("0.5*sin(t)", True), ("360*t", False), ("30 + 0.2*t", False), ("20*sin(2*pi*t)", False)],
)
def test_a_law_in_radians_is_noted_in_a_file_in_degrees(check, law: str, noted: bool) -> None:
    """2 pi and half a radian are usual angles, 6.28 and half a degree are not."""
    for unit, expected in (("deg", noted), ("rad", False)):
        units = {"units": {"angle": unit}, "drivers": {"swing": {"joint": "A", "law": law}}, "duration": 1}
        run = check(SWING | units)
        assert ("looks like an angle in radians" in run.stdout) == expected and run.exit_code == 0


def test_a_link_that_names_one_point_is_noted(check) -> None:
    """The crank of this four-bar forgot its second pin: three links can move, and the note says why."""
    four_bar = {
        "points": {"A": [0, 0], "B": [1, 0], "C": [3, 2], "D": [3, 0]},
        "links": {"ground": ["A", "D"], "crank": ["A"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        "drivers": {"motor": {"joint": "A", "speed": 1}},
    }
    run = check(four_bar)
    assert "note: links.crank: has no point but A, and one joint; name its other points" in " ".join(run.stdout.split())


CRANK_ROCKER = {
    "units": {"length": "mm", "angle": "deg"},
    "points": {"A": [0, 0], "B": [15.2, 0], "C": [42.3, 30.29], "D": [45.72, 0], "P": [20.5, 35.4]},
    "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["C", "D"]},
    "drivers": {"motor": {"joint": "A", "speed": "60 rpm"}},
}
LINKS = CRANK_ROCKER["links"]


@pytest.mark.parametrize(
    ("change", "notes"),
    [
        ({}, []),
        ({"links": {**LINKS, "rocker": ["C"]}}, ["links.rocker: has no point but C, and one joint"]),
        ({"links": {**LINKS, "ground": ["A"]}}, ["links.rocker: D is on no other link"]),
        (
            {"links": {**LINKS, "extra": ["Q", "R"]}, "points": {**CRANK_ROCKER["points"], "Q": [1, 2], "R": [3, 4]}},
            ["links.extra: Q and R are on no other link"],
        ),
        ({"links": {**LINKS, "rocker": ["C", "E"]}, "points": {**CRANK_ROCKER["points"], "E": [46, 0]}},
         ["links.rocker: E is on no other link"]),
        ({"links": {**LINKS, "rocker2": ["D", "C"]}}, ["links.rocker2: has the same points as rocker"]),
        ({"drivers": {"motor": {"joint": "A", "speed": 60}}},
         ['drivers.motor.speed: 60 is in rad/s; write "60 rpm" or "60 deg/s"']),
        ({"drivers": {"motor": {"joint": "A"}}, "initial": {"motor": {"speed": 2}, "rocker": {"angle": 90}}},
         ['initial.motor.speed: 2 is in rad/s; write "2 rpm" or "2 deg/s"']),
        ({"drivers": {"motor": {"joint": "A"}}, "initial": {"rocker": {"omega": 2.5}}},
         ['initial.rocker.omega: 2.5 is in rad/s; write "2.5 rpm" or "2.5 deg/s"']),
        ({"drivers": {"motor": {"joint": "A"}}, "initial": {"P": {"velocity": [0, 4]}}},
         ['initial.P.velocity: 4 is in m/s; write "4 mm/s" if you mean that']),
        ({"drivers": {"motor": {"joint": "A"}}, "initial": {"P": {"vx": 3}}},
         ['initial.P.vx: 3 is in m/s; write "3 mm/s" if you mean that']),
        ({"points": {**CRANK_ROCKER["points"], "B": [0.0152, 0]}},
         ["points.B: is 0.0152 mm from the origin", "0.0152 m is 15.2 mm"]),
        ({"points": {**CRANK_ROCKER["points"], "B": [1.52, 0]}}, []),
    ],
)  # fmt: skip
def test_what_looks_odd_is_noted(check, change, notes):
    said = check(CRANK_ROCKER | change).stdout
    assert [note for note in notes if note not in said] == []
    others = ("rocker2" in said) + ("moves no mass" in said)
    assert said.count("  note: ") == (1 + others if notes else 0)


@pytest.mark.parametrize("name", sk.examples.names())
def test_no_example_has_such_a_note(name):
    from structkin.cli import check as module

    m = sk.load(sk.examples.path(name))
    assert module._odd_points(m) + module._lone_points(m, m.structure()) + module._twins(m) == []
