"""`structkin optimise`, and `structkin synthesise` for positions and functions: against Python, and errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from commands import called as run
from crank_rocker_text import CRANK_ROCKER

import structkin as sk
from structkin import design
from structkin.design.optimise_file import read_optimisation
from structkin.design.points_file import read_points
from structkin.examples import path
from structkin.solve.sensitivity.parameters import read_parameters

LENGTHS = {"A-B": 0.042, "B-C": 0.118, "C-D": 0.083}
FOUR_BAR = (
    CRANK_ROCKER
    + """
[mechanism.forces]
gravity = [0, -9.81]
spring = { type = "spring", between = ["D", "P"], stiffness = "0.2 N/mm", free_length = 100 }
"""
)
BOUNDS = """
[parameters]
"lengths.A-B" = [10, "20 cm"]
"lengths.B-C" = [50, 200]
"lengths.C-D" = [50, 200]
"""


def written(file, text):
    file.write_text(text, encoding="utf-8")
    return file


def other():
    data = four_bar().source_dict
    data["lengths"] = {pair: 1e3 * length for pair, length in LENGTHS.items()}
    return sk.Mechanism.from_dict(data)


def four_bar():
    import tomllib

    return sk.Mechanism.from_dict(tomllib.loads(FOUR_BAR)["mechanism"])


@pytest.mark.parametrize("how", ["places", "csv"])
def test_lengths_are_found_from_a_path_in_a_file(tmp_path, how):
    places = other().solve(25).position("P") * 1e3
    wish = "\n[[objective]]\nmeasure = 'path'\npoint = 'P'\nweight = 1000\n"
    if how == "csv":
        rows = "\n".join(f"{x / 10:.17g},{y / 10:.17g}" for x, y in places)
        written(tmp_path / "path.csv", f"x [cm],y [cm]\n{rows}\n")
        wish += "csv = 'path.csv'\n"
    else:
        wish += f"places = {places.tolist()}\n"
    found = run("optimise", written(tmp_path / "a.toml", FOUR_BAR + BOUNDS + wish), "-o", tmp_path / "best.toml",
                "--plot", tmp_path / "best.png")  # fmt: skip
    assert found.exit_code == 0, found.output
    assert "lengths.A-B" in found.output and "no small change improves it." in found.output
    best = sk.load(tmp_path / "best.toml")
    for pair, length in LENGTHS.items():
        a, b = pair.split("-")
        link = next(link for link in best.links.values() if a in link.local and b in link.local)
        assert abs(link.local[b] - link.local[a]) == pytest.approx(length, rel=1e-7)
    assert (tmp_path / "best.png").stat().st_size > 1000


@pytest.mark.full
def test_strokes_limits_and_forces_are_those_of_python(tmp_path):
    text = (
        FOUR_BAR
        + '[parameters]\n"lengths.C-D" = [50, 200]\n"forces.spring.stiffness" = [100, 400]\n'
        + """
[[objective]]
measure = "stroke"
of = "rocker"
wanted = 60
[[objective]]
measure = "effort"
driver = "motor"
static = true
weight = 0.1
peak = true
[[limits]]
measure = "transmission"
least = 35
[[limits]]
measure = "stroke"
of = "rocker"
high = 65
"""
    )
    found = run("optimise", written(tmp_path / "a.toml", f"samples = 25\nevaluations = 60\n{text}"), "--json")
    limits = [
        design.closing().between(low=np.sin(np.radians(35)) ** 2), design.stroke("rocker").between(high=np.radians(65))
    ]  # fmt: skip
    wish = [design.stroke("rocker", np.radians(60)), design.effort("motor", static=True).times(0.1).peak()]
    own = four_bar().optimise(
        {"lengths.C-D": (0.05, 0.2), "forces.spring.stiffness": (100, 400)}, wish, limits=limits, samples=25,
        evaluations=60,
    )  # fmt: skip
    data = json.loads(found.output)
    assert data["values"] == pytest.approx(dict(own.values), rel=1e-6)
    assert data["met"] == own.met and data["start"] == pytest.approx(own.start)
    assert found.exit_code == (0 if own.met else 1)


def test_values_at_given_angles(tmp_path):
    angles = [0, 40, 80, 120]
    wanted = np.degrees(other().solve(drivers={"motor": np.radians(angles)}).angle("rocker")).tolist()
    wish = f"\n[at]\nmotor = {angles}\n[[objective]]\nmeasure = 'angle'\nlink = 'rocker'\nvalues = {wanted}\n"
    found = run("optimise", written(tmp_path / "a.toml", FOUR_BAR + BOUNDS + wish), "--json")
    assert found.exit_code == 0 and json.loads(found.output)["value"] < 1e-18


def test_every_mistake_of_a_file_is_listed(tmp_path):
    text = (
        """
samples = 0
step = 3
[parameters]
"lengths.A-X" = [1, 2]
"lengths.A-B" = 3
"points.D.x" = ["1 kg", 2]
[at]
engine = [1]
[[objective]]
measure = "beauty"
[[objective]]
measure = "path"
point = "Q"
[[objective]]
measure = "path"
point = "P"
places = 3
[[objective]]
measure = "transmission"
[[objective]]
measure = "stroke"
of = "rocker"
low = 3
[[objective]]
measure = "dwell"
of = "rocker"
first = 0.5
[[limits]]
measure = "stroke"
of = "rocker"
[[limits]]
measure = "effort"
driver = "motor"
static = 1
[[limits]]
measure = "transmission"
least = 120
[[objective]]
measure = "stroke"
of = "rocker"
wanted = 30
[[objective]]
measure = "stroke"
of = "rocker"
wanted = 40
[[limits]]
measure = "stroke"
of = "rocker"
low = 50
[[limits]]
measure = "stroke"
of = "rocker"
high = 40
"""
        + FOUR_BAR
    )
    found = str(run("optimise", written(tmp_path / "a.toml", text)).exception)
    for key in ("samples", "step", "parameters.lengths.A-X", "parameters.lengths.A-B", "parameters.points.D.x",
                "at.engine", *(f"objective.{k}" for k in range(6)), "limits.0", "limits.1", "limits.2"):  # fmt: skip
        assert f"- {key}: " in found, (key, found)
    # Wishes that contradict each other are in the same list, in the units of the file.
    assert "- the stroke of rocker, less the wanted one: has two aims that differ" in found
    assert "- the stroke of rocker: at least 50 deg and at most 40 deg contradict each other" in found
    assert "120 is more than a right angle" in found
    short = str(run("optimise", written(tmp_path / "a.toml", "samples = 3")).exception)
    assert all(f"- {key}: is missing" in short for key in ("mechanism", "parameters", "objective"))
    good = FOUR_BAR + BOUNDS + "\n[[objective]]\nmeasure = 'stroke'\nof = 'rocker'\n"
    wrong = run("optimise", written(tmp_path / "a.toml", good), "-o", tmp_path / "a.dxf")
    assert "does not end in .toml" in str(wrong.exception)


def test_a_transmission_angle_above_a_right_angle_is_refused(tmp_path):
    """40 in a file in radians was taken for 90 degrees, which no linkage has."""
    wish = BOUNDS + "\n[[objective]]\nmeasure = 'stroke'\nof = 'rocker'\n[[limits]]\nmeasure = 'transmission'\n"
    file = written(tmp_path / "a.toml", FOUR_BAR.replace(', angle = "deg"', "") + wish + "least = 40\n")
    found = run("optimise", file).exception
    assert "limits.0: the number 40 is more than a right angle" in str(found)
    assert "unit of angles is rad" in str(found)


@pytest.mark.parametrize("command", ["optimise", "study", "tolerances"])
def test_a_mechanism_in_the_place_of_a_job_is_one_mistake(command):
    (problem,) = run(command, path("crank_rocker")).exception.problems
    assert f"`structkin {command}` needs a file that says what to do with it" in problem.message
    assert 'mechanism = "crank_rocker.toml"' in problem.hint


def test_a_bad_cell_is_named_together_with_the_missing_unit(tmp_path):
    first, second = run("synthesise", written(tmp_path / "a.csv", "x,y\n0,0\n1,b\n2,2\n")).exception.problems
    assert first.key == "--unit" and "'b' is not a number" in second.message


def test_every_wrong_cell_column_and_option_is_named(tmp_path):
    """Other columns were taken for x and y, of two columns the last, and of several mistakes one was named."""

    def refused(text, *words):
        return run("synthesise", written(tmp_path / "a.csv", text), *words).exception

    other = refused("a,b\n0,0\n1,2\n2,0\n", "--unit", "mm", "--pivot", "1", "--pivot", "a,b", "--region", "1")
    assert [one.key for one in other.problems] == ["", "--region", "--pivot", "--pivot"]
    assert "no columns are x and y; there are 'a', 'b'" in other.problems[0].message
    (twice,) = refused("x [mm],x [cm],y [mm]\n0,0,0\n1,2,3\n").problems
    assert twice.message == "several columns are x: 'x [mm]', 'x [cm]'"
    cells = refused("x,y\n10,a\n20,\n30,0\n5,b\n", "--unit", "mm").problems
    assert [one.message for one in cells] == [
        "line 2: 'a' is not a number", "line 3: column 2 is empty", "line 5: 'b' is not a number"
    ]  # fmt: skip
    unit = refused("x [foo],y [mm]\n0,0\n1,z\n2,2\n")
    assert unit.source.endswith("a.csv") and "'x [foo]': 'foo' is not a unit of length" in unit.problems[0].message
    assert "'z' is not a number" in unit.problems[1].message
    ends = run("synthesise", "--function", "t(", "--interval", "1", "--crank", "1,a", "--rocker", "1").exception
    assert [one.key for one in ends.problems] == ["--function", "--interval", "--crank", "--rocker"]
    same = run("synthesise", "--function", "t", "--interval", "1,2", "--crank", "30,30", "--rocker", "0,400").exception
    assert [(one.key, one.message) for one in same.problems] == [
        ("--crank", "both ends are the same"), ("--rocker", "is a whole turn or more")
    ]  # fmt: skip
    kinds = refused("x,y\n0,0\n1,2\n2,0\n", "--unit", "mm", *("--kind", "four-bar") * 2)
    assert "kinds: 'four-bar' is named twice" in str(kinds)


@pytest.mark.parametrize("head", ["x/mm;y/mm", "Path of the foot\nx in mm;y in mm", "Path of the foot", "mm;mm"])
def test_titles_are_read_as_before(tmp_path, head):
    points, angles, length = read_points(written(tmp_path / "a.csv", f"{head}\n0;1\n2,5;3\n"), "mm", None)
    assert points.tolist() == [[0, 1], [2.5, 3]] and angles is None and length == "mm"


def test_a_mechanism_in_the_place_of_a_table_of_points_is_named():
    (problem,) = run("synthesise", path("crank_rocker")).exception.problems
    assert "holds a mechanism, not a table" in problem.message


POSITIONS = "x [mm],y [mm],angle [deg]\n0,0,0\n250,300,40\n700,350,85\n"


def test_positions_of_a_table_are_passed(tmp_path):
    file = written(tmp_path / "a.csv", POSITIONS)
    found = run("synthesise", file, "--positions", "--pivot", "730,60", "--pivot=-60,540", "-o", tmp_path / "out")
    assert found.exit_code == 0, found.output
    assert "3 positions: linkages" in found.output and "would have to be taken apart" in found.output
    assert "nan" not in found.output
    rows = (tmp_path / "out" / "candidates.csv").read_text(encoding="utf-8").splitlines()
    assert rows[2].split(",")[4] == ""
    own = sk.synthesise_positions(
        [(0, 0, 0), (0.25, 0.3, np.radians(40)), (0.7, 0.35, np.radians(85))], pivots=[(0.73, 0.06), (-0.06, 0.54)]
    )
    best = sk.load(tmp_path / "out" / "01.toml").solve()
    np.testing.assert_allclose(best.position("C")[0], own[0].mechanism.solve().position("C")[0], atol=1e-9)
    pins = ("--pin", "100,200", "--pin=-200,300")
    data = json.loads(run("synthesise", file, "--positions", *pins, "--count", 2, "--json").output)
    assert len(data["candidates"]) == 2 and data["candidates"][0]["error"] < 1e-9


def test_an_option_is_given_once(tmp_path):
    """Of two folders one would not be written; both names are of one option, and what may be repeated still may."""
    file, twice = written(tmp_path / "a.csv", POSITIONS), ("-o", tmp_path / "A", "--to", tmp_path / "B")
    wrong = run("synthesise", file, "--positions", *twice, "--seed", 1, "--seed=2", "--pivot", "1,2", "--pivot", "3,4")
    problems = str(wrong.exception)
    assert "--to: is given 2 times" in problems and "--to or -o once" in problems and "--seed: is given" in problems
    assert "--pivot" not in problems and not (tmp_path / "A").exists() and not (tmp_path / "B").exists()
    assert "--to: is given 2 times" in str(run("studies", "pendulum", "--to", tmp_path, "--to", tmp_path).exception)
    assert run("examples", "--help").exit_code == run("synthesise", "--json", "--json", "--help").exit_code == 0


def test_a_motion_that_cannot_be_followed_has_no_transmission_angle():
    """It comes last by that measure, plain data have None, and no sentence has a number that is none."""
    found = sk.synthesise_positions(
        [(0, 0, 0), (0.25, 0.3, np.radians(40)), (0.7, 0.35, np.radians(85))], pivots=[(0.73, 0.06), (-0.06, 0.54)]
    )
    lame = [one for one in found if np.isnan(one.transmission)]
    assert lame and found.sorted("transmission")[len(found) - 1] in lame
    assert lame[0].to_dict()["transmission"] is None and "nan" not in found.explain()
    assert "nan" not in repr(lame[0])


def test_a_function_is_generated(tmp_path):
    words = ("--interval", "1,2", "--crank", "30,90", "--rocker", "60,150")
    found = run("synthesise", "--function", "log(t)/log(10)", *words, "-o", tmp_path / "out")
    assert found.exit_code == 0 and "error [deg]" in found.output and "0.0713" in found.output, found.output
    assert (tmp_path / "out" / "01.png").stat().st_size > 1000
    found = run("synthesise", "--function", "t", "--interval", "0,1", "--crank", "0,60", "--rocker", "0,60", "--json")
    assert found.exit_code in (0, 1)


@pytest.mark.parametrize(
    "words, expected",
    [
        (["PATH", "--positions", "--closed", "--points", "4"], ["--closed: does not belong to positions", "--points"]),
        (["PATH", "--pin", "1,2"], ["--pin: does not belong to a path"]),
        (["PATH", "--function", "t"], ["PATH.csv: does not belong to a", "--interval: is missing"]),
        (["--function", "q", "--interval", "1,2", "--crank", "1,2", "--rocker", "1,2"], ["--function: "]),
        (["--function", "t", "--interval", "1;2", "--crank", "1,2", "--rocker", "1,2"], ["--interval: "]),
        (["--unit", "mm"], ["PATH.csv: is missing"]),
        (["PLAIN", "--positions"], ["angle: there is no column of this title"]),
        (["PATH", "--positions", "--pivot", "1"], ["--pivot: '1' is not X,Y"]),
        (["PATH", "--region", "1,2,x"], ["--region: '1,2,x' is not X,Y,X,Y"]),
        (["PATH", "--region=1,2,1,4"], ["region: has no width or no height"]),
        (["PLAIN", "--transmission", "120"], ["transmission: 2.0944 rad (120 deg) is not between 0 and a right"]),
        (["PATH", "--longest", "-5"], ["longest: -5 mm is not a positive length"]),
    ],
)  # fmt: skip
def test_wrong_words_are_refused(tmp_path, words, expected):
    files = {
        "PATH": written(tmp_path / "a.csv", POSITIONS),
        "PLAIN": written(tmp_path / "b.csv", "x [m],y [m]\n0,0\n1,1\n"),
    }
    found = run("synthesise", *(files.get(word, word) for word in words))
    assert isinstance(found.exception, sk.InputError), found.output
    assert all(text in str(found.exception) for text in expected), found.exception


def test_a_path_is_fitted_by_the_mechanism_of_a_file(tmp_path, monkeypatch):
    from structkin.design.any_topology import AnyLinkage

    monkeypatch.setattr(AnyLinkage, "stages", ((120, 20), (60, 40)))
    file = written(tmp_path / "m.toml", FOUR_BAR.partition("[mechanism.forces]")[0].replace("mechanism.", ""))
    file.write_text(file.read_text(encoding="utf-8").replace("[mechanism]\n", ""), encoding="utf-8")
    table = written(tmp_path / "path.csv", "x [mm],y [mm]\n0,0\n10,2\n20,2\n30,0\n")
    found = run("synthesise", table, "--mechanism", file, "--point", "P", "--count", 2, "--json")
    best = json.loads(found.stdout)["candidates"][0]
    assert found.exit_code == 0 and best["kind"] == "Crank-rocker" and best["error"] < 1e-9
    wrong = run("synthesise", table, "--mechanism", file)
    assert "point: is missing" in str(wrong.exception)


def test_what_was_not_found_is_said_in_the_unit_of_the_table(tmp_path):
    table = written(tmp_path / "path.csv", "x [mm],y [mm]\n0,0\n10,2\n20,2\n30,0\n")
    found = run("synthesise", table, "--kind", "slider-crank", "--pivot", "0,0", "--pivot", "10,0", "--longest", "50")
    assert found.exit_code == 1 and "no link longer than 50 mm" in " ".join(found.output.split())


def test_nine_points_from_a_table(tmp_path):
    x, y = [0.25, 0.52, 0.8, 1.2, 1.4, 1.1, 0.7, 0.2, 0.02], [0, 0.1, 0.7, 1, 1.3, 1.48, 1.4, 1, 0.4]
    rows = "\n".join(f"{a},{b}" for a, b in zip(x, y, strict=True))
    table = written(tmp_path / "nine.csv", f"x,y\n{rows}\n")
    found = run("synthesise", table, "--nine-points", "--unit", "m", "--count", 3, "--json")
    assert found.exit_code == 0 and all(one["error"] < 1e-10 for one in json.loads(found.stdout)["candidates"])
    timed = written(tmp_path / "timed.csv", "x,y,angle\n0,0,0\n1,0,1\n0,1,2\n")
    wrong = run("synthesise", timed, "--nine-points", "--unit", "m", "--angle-unit", "rad")
    assert "--angle-unit: does not belong to nine points" in str(wrong.exception)
    plain = written(tmp_path / "plain.csv", "x [m],y [m],angle [rad]\n0,0,0\n1,0,1\n0,1,2\n")
    assert "passed at any angle" in str(run("synthesise", plain, "--nine-points").exception)


@pytest.mark.full
def test_a_file_may_wish_for_size_places_and_grashofs_condition(tmp_path):
    text = 'samples = 25\n[[objective]]\nmeasure = "extent"\npoints = ["P"]\n[[limits]]\nmeasure = "grashof"\n'
    text += 'pins = ["A", "B", "C", "D"]\nlow = "5 mm"\n'
    text += '[[limits]]\nmeasure = "coordinate"\npoint = "C"\naxis = "y"\nlow = 20\n'
    file = written(tmp_path / "wish.toml", text + BOUNDS + FOUR_BAR)
    found = run("optimise", file, "--json")
    assert found.exit_code == 0
    limits = [
        design.grashof([*"ABCD"]).between(low=0.005), design.coordinate("C", "y").between(low=0.02),
    ]  # fmt: skip
    bounds = {"lengths.A-B": (0.01, 0.2), "lengths.B-C": (0.05, 0.2), "lengths.C-D": (0.05, 0.2)}
    own = four_bar().optimise(bounds, design.extent(["P"]), limits=limits, samples=25)
    values = json.loads(found.stdout)["values"]
    assert values == pytest.approx(dict(own.values)) and own.met
    wrong = text.replace('axis = "y"', 'axis = "z"').replace('"D"]', '"Q"]').replace('["P"]', '"P"')
    problems = str(run("optimise", written(tmp_path / "wrong.toml", wrong + BOUNDS + FOUR_BAR)).exception)
    assert all(words in problems for words in ("'axis' is x or y", "'Q' is not a point", "'points' is a list"))


def test_a_range_of_a_driver_in_a_file_is_in_its_units(tmp_path):
    wish = "[[objective]]\nmeasure = 'range'\ndriver = 'motor'\nwanted = 90\n"
    _, options = read_optimisation(written(tmp_path / "a.toml", wish + BOUNDS + FOUR_BAR))
    (measure,) = options["objective"]
    assert measure.kind == "range" and measure.of == "motor" and measure.wanted == pytest.approx(np.pi / 2)
    wrong = wish.replace("'motor'", "'moter'") + "[[limits]]\nmeasure = 'range'\ndriver = 'motor'\nlow = 'x'\n"
    found = str(run("optimise", written(tmp_path / "a.toml", wrong + BOUNDS + FOUR_BAR)).exception)
    assert "objective.0" in found and "did you mean 'motor'?" in found and "limits.0" in found


def test_a_time_ratio_of_a_file_is_that_of_python(tmp_path):
    text = FOUR_BAR + BOUNDS + "\n[[objective]]\nmeasure = 'time_ratio'\nof = 'rocker'\nwanted = 1.1\n"
    found = run("optimise", written(tmp_path / "a.toml", f"samples = 49\n{text}"), "--json")
    bounds = {"lengths.A-B": (0.01, 0.2), "lengths.B-C": (0.05, 0.2), "lengths.C-D": (0.05, 0.2)}
    own = four_bar().optimise(bounds, design.time_ratio("rocker", 1.1), samples=49)
    assert json.loads(found.stdout)["values"] == pytest.approx(dict(own.values))
    assert own.motion.swing("rocker").ratio == pytest.approx(1.1, rel=1e-7)


def test_bounds_are_in_the_unit_of_what_they_bound(tmp_path):
    """The value of a driver's table is an angle, as an axis is; a coordinate of a slot's curve is a length."""
    table = FOUR_BAR.replace('speed = "60 rpm"', "table = [[0, 60], [1, 120], [2, 60]]")
    door = f'mechanism = "{path("garage_door")}"\n'
    cases = [
        (table, "rocker", "drivers.motor.table.1.1", '[100, "2.5 rad"]', (np.radians(100), 2.5), 120),
        (door, "panel", "joints.track.start.1", '[1800, "1.9 m"]', (1.8, 1.9), 1850),
        (door, "panel", "joints.rail.axis", '["1.5 rad", 95]', (1.5, np.radians(95)), 90),
    ]
    for head, link, name, bounds, expected, own in cases:
        text = f'{head}[parameters]\n"{name}" = {bounds}\n[[objective]]\nmeasure = "stroke"\nof = "{link}"\n'
        m, options = read_optimisation(written(tmp_path / "a.toml", text))
        (parameter,) = read_parameters(m, [name])
        assert options["parameters"][name] == pytest.approx(expected, rel=1e-12)
        assert parameter.value / parameter.scale == pytest.approx(own, rel=1e-12)
