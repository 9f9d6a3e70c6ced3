"""Candidates: a sequence that is filtered, sorted, explained and saved; and the command that prints them."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.design.points_file import read_points

POINTS = [(0, 0), (0.01, 0.002), (0.02, 0.002), (0.03, 0)]


@pytest.fixture(scope="module")
def found():
    return sk.synthesise(path=POINTS, count=6)


def test_they_are_a_sequence(found):
    assert (
        len(found) == 6 and found[-1] is list(found)[5] and type(found[1:3]) is sk.Candidates and len(found[1:3]) == 2
    )
    good = found.where(lambda one: one.kind == "four-bar")
    assert {one.kind for one in good} == {"four-bar"} and len(good) < 6
    angles = [one.transmission for one in found.sorted("transmission")]
    assert angles == sorted(angles, reverse=True)
    sizes = [one.extent for one in found.sorted("extent")]
    assert sizes == sorted(sizes)
    with pytest.raises(sk.InputError, match="'zzz' is unknown"):
        found.sorted("zzz")


def test_the_best_comes_first(found):
    """All are exact: the transmission angle decides."""
    assert max(one.rms for one in found) < 1e-9 * 0.03
    angles = [one.transmission for one in found]
    assert angles == sorted(angles, reverse=True)


def test_they_are_distinct(found):
    for k, one in enumerate(found):
        for other in found[:k]:
            if one.kind == other.kind:
                a, b = (np.array([*each.mechanism.points.values()]) for each in (one, other))
                assert np.abs(a - b).max() > 1e-4


def test_measures_are_those_of_the_motion(found):
    for one in found:
        motion = one.mechanism.solve(samples=721)
        angle = motion.transmission_angle("C")
        assert np.minimum(angle, np.pi - angle).min() == pytest.approx(one.transmission, rel=1e-3)
        places = motion.position(one.point)
        assert np.hypot(*(places[0] - POINTS[0])) < 1e-9 and np.hypot(*(places[-1] - POINTS[-1])) < 1e-9
        lengths = one.lengths.values()
        assert one.proportion == max(lengths) / min(lengths)
        words = one.explain()
        assert one.kind in words or "four-bar" in one.kind
        assert "P passes the 4 points in order" in words and f"{np.degrees(one.transmission):.1f} deg" in words


def test_saved_files_are_the_mechanisms(found, tmp_path):
    written = found[:2].save(tmp_path / "new", unit="mm")
    assert [file.name for file in written] == ["01.toml", "01.png", "02.toml", "02.png", "candidates.csv"]
    again = sk.load(written[0])
    assert (again.units.length, again.units.angle) == ("mm", "deg")
    np.testing.assert_allclose(again.solve().position("P"), found[0].mechanism.solve().position("P"), atol=1e-12)
    rows = list(csv.DictReader(written[-1].read_text(encoding="utf-8").splitlines()))
    assert float(rows[1]["extent [mm]"]) == pytest.approx(1e3 * found[1].extent)
    with pytest.raises(sk.InputError, match="unit: 'inch' is not a unit of length"):
        found.save(tmp_path, unit="inch")
    with pytest.raises(sk.InputError, match="folder"):
        found.save(written[0] / "below")


def run(*words):
    return CliRunner().invoke(app, ["synthesise", *map(str, words)])


def table(tmp_path, text):
    file = tmp_path / "path.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_command_prints_and_writes(tmp_path):
    file = table(tmp_path, "x [mm],y [mm]\n0,0\n10,2\n20,2\n30,0\n")
    done = run(file, "--count", 2, "--kind", "four-bar", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "error [mm]" in done.output and "written:" in done.output
    motion = sk.load(tmp_path / "out" / "01.toml").solve()
    np.testing.assert_allclose(motion.position("P")[[0, -1]], [(0, 0), (0.03, 0)], atol=1e-9)


@pytest.mark.full
def test_the_command_reads_angles_and_pivots(tmp_path):
    text = "angle x y\n30 3 3\n45 2.759 3.363\n60 2.372 3.663\n75 1.89 3.862\n90 1.355 3.943\n"
    options = ("--unit", "cm", "--angle-unit", "deg", "--pivot", "0,0", "--kind", "four-bar", "--count", 1, "--json")
    done = run(table(tmp_path, text), *options)
    (one,) = json.loads(done.output)["candidates"]
    assert one["error"] < 1e-4 and abs(abs(one["turns"][-1]) - np.pi / 3) < 1e-9


@pytest.mark.parametrize(
    ("head", "unit", "angle_unit", "size"),
    [
        ("x [mm],y [mm],angle [deg]\n", None, None, np.pi / 180),
        ("x [mm],y [mm],angle [deg]\n", "mm", "rad", np.pi / 180),
        ("x,y,angle\n", "mm", "deg", np.pi / 180),
        ("x,y,angle\nmm,mm,deg\n", "mm", "deg", np.pi / 180),
        ("x,y,angle\ncm,cm,rad\nA,B,C\n", "mm", "deg", 1),
    ],
)
def test_angles_are_converted_once(tmp_path, head, unit, angle_unit, size):
    """A line of units was heeded, and then the option once more."""
    file = table(tmp_path, head + "0,0,0\n1,0,30\n2,1,60\n")
    points, angles, length = read_points(file, unit, angle_unit)
    np.testing.assert_allclose(angles, np.multiply([0, 30, 60], size))
    np.testing.assert_allclose(points[1], [10 if "cm" in head else 1, 0])
    assert length == "mm"


@pytest.mark.parametrize(
    "text, options, words",
    [
        ("x,y\n0,0\n1,0\n2,1\n", [], "--unit: is missing"),
        ("0,0\n1,0\n2,1\n", [], "--unit: is missing"),
        ("x [mm],y [mm],angle\n0,0,0\n1,0,1\n2,1,2\n", [], "--angle-unit: is missing"),
        ("x,y\n0,0\n1,0\n2,1\n", ["--unit", "parsec"], "'parsec' is not a unit of length"),
        ("x,y\n0,0\n1,0\n2,1\n", ["--unit", "mm", "--pivot", "1"], "'1' is not X,Y"),
        ("x,y\n0,0\n1,0\n", ["--unit", "mm"], "path: has 2 points"),
        ("x,y\n0,0\n1,zzz\n2,1\n", ["--unit", "mm"], "line 3: 'zzz' is not a number"),
        ("x,y\n0,0\n1,0\n2,1\n", ["--unit", "mm", "--kind", "gear", "--count", "0"], "count: 0 is not"),
    ],
)  # fmt: skip
def test_the_command_refuses(tmp_path, text, options, words):
    done = run(table(tmp_path, text), *options)
    assert done.exit_code != 0 and words in str(done.exception)
    assert isinstance(done.exception, sk.InputError)
