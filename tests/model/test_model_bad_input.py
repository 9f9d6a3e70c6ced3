"""Ways of getting the file wrong: each gives its message, key and hint, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_samples import CRANK_ROCKER_TOML, DELETE, EVERYTHING, patched

from structkin import Builder, Mechanism, load
from structkin.errors import InputError
from structkin.examples import path as example

Case = tuple[dict[str, Any], str, str, str]  # patch, key, part of the message, part of the hint

CASES: dict[str, Case] = {
    # sections
    "unknown section": ({"point": {}}, "point", "unknown section", "did you mean 'points'?"),
    "section of another program": ({"loads": {}}, "loads", "unknown section", "did you mean 'forces'?"),
    "no points": ({"points": DELETE}, "points", "missing", "A = [0, 0]"),
    "no links": ({"links": DELETE}, "links", "missing", "ground"),
    "points as a list": ({"points": [[0, 0]]}, "points", "expected a table, found a list", "A = [0, 0]"),
    "links as text": ({"links": "A-B"}, "links", "found the text 'A-B'", "ground"),
    "joints as a list": ({"joints": []}, "joints", "found a list", "prismatic"),
    "drivers as a number": ({"drivers": 3}, "drivers", "found the number 3", "motor"),
    "forces as text": ({"forces": "gravity"}, "forces", "found the text", "gravity"),
    "units as text": ({"units": "mm", "lengths": DELETE}, "units", "found the text 'mm'", 'length = "mm"'),
    "title as a number": ({"title": 5}, "title", "expected text, found the number 5", ""),
    "newer format": ({"format": 2}, "format", "the file has format 2; this structkin reads formats up to 1", "newer"),
    "format as text": ({"format": "1"}, "format", "expected a format number, found the text '1'", "format = 1"),
    "format zero": ({"format": 0}, "format", "expected a format number, found the number 0", "format = 1"),
    # units
    "unknown unit": ({"units.length": "millimetre"}, "units.length", "'millimetre' is not a unit of length", "mm"),
    "angle as unit of length": ({"units.length": "deg"}, "units.length", "not a unit of length", "known: m, mm"),
    "unit as a number": ({"units.angle": 1}, "units.angle", "expected the name of a unit", "rad"),
    "unknown kind of unit": ({"units.lenght": "mm"}, "units", "unknown key 'lenght'", "did you mean 'length'?"),
    "unit of force": ({"units.force": "kN"}, "units", "unknown key 'force'", "in SI"),
    # points
    "NaN": ({"points.A": [0, float("nan")]}, "points.A", "expected a finite number, found nan", ""),
    "infinity": ({"points.A": [float("inf"), 0]}, "points.A", "expected a finite number, found inf", ""),
    "huge integer": ({"points.A": [10**400, 0]}, "points.A", "found a huge number", ""),
    "text without unit": ({"points.A": ["0", 0]}, "points.A", "'0' has no unit", "without quotes"),
    "text for a number": ({"points.A": ["left", 0]}, "points.A", "found the text 'left'", "15 mm"),
    "truth value": ({"points.A": [True, 0]}, "points.A", "expected a number, found true", ""),
    "three coordinates": ({"points.A": [0, 0, 0]}, "points.A", "two numbers [x, y], found a list of 3", ""),
    "a number for a point": ({"points.A": 0}, "points.A", "two numbers [x, y], found the number 0", ""),
    "a table for a point": ({"points.A": {"x": 0, "y": 0}}, "points.A", "found a table", ""),
    "mass for a coordinate": ({"points.A": ["1 kg", 0]}, "points.A", "'1 kg' is not a length", "15 mm"),
    "unknown unit in a quantity": ({"points.A": ["1 mmm", 0]}, "points.A", "unit 'mmm' is unknown", "'mm'"),
    "unknown unit of mass": (
        {"links.boom": {"points": ["F", "E"], "shape": "rod", "mass": "0.8 tons"}},
        "links.boom.mass",
        "the unit 'tons' is unknown",
        "known for mass: kg, g, t, lb",
    ),
    "point on no link": ({"points.Z": [1, 1]}, "points.Z", "the point is on no link", "add it to a link"),
    "reserved name": ({"points.ground": [1, 1], "links.crank": ["A", "B", "ground"]}, "points.ground", "reserved", ""),
    "name with -": ({"points.Z-1": [1, 1], "links.boom": ["F", "Z-1"]}, "points.Z-1", "cannot contain '-'", "Z_1"),
    "name with @": ({"drivers.@m": {"joint": "D"}}, "drivers.@m", "cannot contain '@'", "_m"),
    "empty name": ({"drivers.": {"joint": "D"}}, "drivers.", "the name is empty", ""),
    "name with a blank": ({"drivers.m ": {"joint": "D"}}, "drivers.m ", "begin or end with a space", ""),
    # links
    "no ground": ({"links.ground": DELETE}, "links", "there is no link 'ground'", "it is the fixed link"),
    "no ground, but a rod": (
        {"links.ground": DELETE, "links.rod": ["D", "F"]},
        "links",
        "there is no link 'ground'",
        "it is the fixed link",
    ),
    "Ground": (
        {"links.ground": DELETE, "links.Ground": ["A", "D", "F"]},
        "links",
        "no link 'ground'",
        "write 'Ground' in lower case",
    ),
    "unknown point": ({"links.rocker": ["C", "D", "Dd"]}, "links.rocker", "'Dd' is not in [points]", "mean 'D'?"),
    "point twice": ({"links.crank": ["A", "B", "A"]}, "links.crank", "names the point 'A' twice", "delete"),
    "link without points": ({"links.boom": []}, "links.boom", "the link has no point", "at least one"),
    "points as text": ({"links.boom": "F"}, "links.boom", "expected a list of points", '["A", "B"]'),
    "points by number": ({"links.boom": ["F", 1]}, "links.boom.points", "in quotes, found the number 1", ""),
    "points missing": ({"links.coupler": {"mass": 1}}, "links.coupler", "'points' is missing", "points ="),
    "unknown key of a link": ({"links.coupler.mas": 1}, "links.coupler", "unknown key 'mas'", "did you mean 'mass'?"),
    "negative mass": ({"links.coupler.mass": -1}, "links.coupler.mass", "not negative, found -1", ""),
    "mass in metres": ({"links.coupler.mass": "1 m"}, "links.coupler.mass", "'1 m' is not a mass", "250 g"),
    "inertia in kg": ({"links.coupler.inertia": "1 kg"}, "links.coupler.inertia", "is not an inertia", "kg m^2"),
    "zero length": ({"points.B": [0, 0], "lengths": DELETE}, "links.crank", "so the link has no direction", "move one"),
    # lengths
    "length of an unknown point": ({"lengths.A-X": 1}, "lengths.A-X", "'X' is not in [points]", "known: A"),
    "length without -": ({"lengths.AB": 1}, "lengths.AB", "with '-' between them", '"A-B" = 15'),
    "length of one point": ({"lengths.A-A": 1}, "lengths.A-A", "names the same point twice", ""),
    "negative length": ({"lengths.A-B": -15}, "lengths.A-B", "greater than zero, found -15", ""),
    "length zero": ({"lengths.A-B": 0}, "lengths.A-B", "greater than zero, found 0", ""),
    "length given twice": ({"lengths.B-A": 15}, "lengths.B-A", "given twice", "delete one"),
    "length between links": (
        {"lengths.A-C": 15},
        "lengths.A-C",
        "no link has both points",
        "'A' is on ground and crank",
    ),
    "triangle that cannot close": (
        {"lengths.B-E": 1, "lengths.C-E": 1},
        "links.coupler",
        "the triangle B, C, E cannot close: 1 mm and 1 mm",
        "C-E",
    ),
    "lengths that contradict": (
        {
            "points.G": [60, 60],
            "links.coupler.points": ["B", "C", "E", "G"],
            "lengths.B-E": 85,
            "lengths.C-E": 30,
            "lengths.B-G": 72,
            "lengths.C-G": 36,
            "lengths.E-G": 30,
        },
        "links.coupler",
        "but the other lengths make it",
        "delete one of these lengths",
    ),
    "length as text": ({"lengths.A-B": "long"}, "lengths.A-B", "found the text 'long'", "15 mm"),
    # joints
    "gear": ({"joints.mesh": {"type": "gear", "links": ["crank", "arm"]}}, "joints.mesh", "has no ratio", "teeth"),
    "revolute": ({"joints.pin": {"type": "revolute"}}, "joints.pin.type", "are not listed here", "in both links"),
    "unknown type": ({"joints.guide.type": "prizmatic"}, "joints.guide.type", "is unknown", "mean 'prismatic'?"),
    "no type": ({"joints.guide.type": DELETE}, "joints.guide", "'type' is missing", "prismatic"),
    "joint as a list": ({"joints.guide": ["block"]}, "joints.guide", "expected a table", "prismatic"),
    "joint of an unknown link": (
        {"joints.guide.links": ["blok", "ground"]},
        "joints.guide.links",
        "link 'blok' is not",
        "mean 'block'?",
    ),
    "joint of one link": (
        {"joints.guide.links": ["block"]},
        "joints.guide.links",
        "two link names, found a list of 1",
        "",
    ),
    "joint of a link with itself": ({"joints.guide.links": ["arm", "arm"]}, "joints.guide", "to itself", "two links"),
    "links by number": ({"joints.guide.links": 2}, "joints.guide.links", "two link names, found the number 2", ""),
    "axis and along": ({"joints.guide.along": ["A", "D"]}, "joints.guide", "both an axis and along", "keep one"),
    "no direction": ({"joints.guide.axis": DELETE}, "joints.guide", "has no direction", "axis = [1, 0]"),
    "zero axis": ({"joints.guide.axis": [0, 0]}, "joints.guide.axis", "is not a direction", "[1, 0]"),
    "axis as text": ({"joints.guide.axis": "x"}, "joints.guide.axis", "a direction [x, y], found the text 'x'", ""),
    "along as a direction": (
        {"joints.guide.axis": DELETE, "joints.guide.along": [1, 0]},
        "joints.guide.along",
        "point names in quotes, found the number 1",
        "a direction is written as an axis",
    ),
    "along with equal points": (
        {"joints.guide.axis": DELETE, "joints.guide.along": ["A", "A"]},
        "joints.guide.along",
        "'A' twice",
        "two points",
    ),
    "along two links": (
        {"joints.guide.axis": DELETE, "joints.guide.along": ["A", "C"]},
        "joints.guide.along",
        "not both on block or on ground",
        "'C' is on coupler, rocker",
    ),
    "at an unknown point": ({"joints.guide.at": "X"}, "joints.guide.at", "point 'X' is not in [points]", "known"),
    "slot of its own pin": ({"joints.slot.slot": "crank"}, "joints.slot", "is a point of 'crank'", "another link"),
    "pin not on the link": ({"joints.slot.on": "rocker"}, "joints.slot", "not on the link 'rocker'", "crank, coupler"),
    "pin far from its slot": (
        {"joints.slot.axis": DELETE, "joints.slot.along": ["O", "Q"]},
        "joints.slot",
        "mm from the line O-Q",
        "axis",
    ),
    "pin missing": ({"joints.slot.pin": DELETE}, "joints.slot", "'pin' is missing", 'pin = "B"'),
    # drivers
    "driver of an unknown joint": (
        {"drivers.motor.joint": "Z"},
        "drivers.motor.joint",
        "there is no joint 'Z'",
        "known",
    ),
    "driver at a point of one link": (
        {"drivers.motor.joint": "Q"},
        "drivers.motor.joint",
        "of one link only (arm)",
        "name it in a second link",
    ),
    "driver of nothing": ({"drivers.motor.joint": DELETE}, "drivers.motor", "does not say what it drives", "between"),
    "driver of two things": (
        {"drivers.motor.between": ["A", "E"]},
        "drivers.motor",
        "as well as 'joint'",
        "one of them",
    ),
    "driver of the ground with itself": (
        {"drivers.free.links": ["ground", "ground"], "initial": DELETE},
        "drivers.free",
        "and itself",
        "different links",
    ),
    "driver of a link that is not at its joint": (
        {"drivers.motor.links": ["ground", "rocker"]},
        "drivers.motor",
        "does not join ground and rocker",
        "ground, crank",
    ),
    "two drivers on one joint": (
        {"drivers.second": {"joint": "A"}},
        "drivers.second",
        "same coordinate as 'motor'",
        "delete",
    ),
    "driver on a pin of three links": (
        {"links.strut": ["C", "Q"], "drivers.motor.joint": "C"},
        "drivers.motor",
        "joins 3 links",
        'links = ["coupler"',
    ),
    "travel the other way": (
        {"drivers.motor": {"joint": "guide", "links": ["block", "ground"]}},
        "drivers.motor",
        "block relative to ground",
        "axis",
    ),
    "distance on one link": ({"drivers.ram.between": ["C", "D"]}, "drivers.ram", "both on 'rocker'", ""),
    "distance of a point from itself": ({"drivers.ram.between": ["C", "C"]}, "drivers.ram", "'C' twice", "two points"),
    "distance of an unknown point": ({"drivers.ram.between": ["D", "EE"]}, "drivers.ram.between", "'EE' is not", "'E'"),
    "distance of zero": (
        {"points.Q": [80, 60], "drivers.ram.between": ["Q", "E"]},
        "drivers.ram",
        "coincide in the sketch",
        "apart",
    ),
    "linear speed of an angle": (
        {"drivers.motor.speed": "10 mm/s"},
        "drivers.motor.speed",
        "is not an angular speed",
        "60 rpm",
    ),
    "angular speed of a length": ({"drivers.ram.speed": "60 rpm"}, "drivers.ram.speed", "is not a speed", "10 mm/s"),
    "speed as a list": ({"drivers.ram.speed": [1]}, "drivers.ram.speed", "found a list", "10 mm/s"),
    "speed and law": ({"drivers.motor.law": "t"}, "drivers.motor", "has speed and law", "one of speed"),
    "unknown key of a driver": ({"drivers.motor.sped": 1}, "drivers.motor", "unknown key 'sped'", "'speed'"),
    "joint by number": ({"drivers.motor.joint": 1}, "drivers.motor.joint", "a name in quotes, found the number 1", ""),
    "import in a law": (
        {"drivers.free.law": "__import__('os')", "initial": DELETE},
        "drivers.free.law",
        "'__import__'",
        "",
    ),
    "table of two rows": (
        {"drivers.free.table": [[0, 0], [1, 1]], "initial": DELETE},
        "drivers.free.table",
        "at least 3 rows",
        "spline",
    ),
    "table that goes back": (
        {"drivers.free.table": [[0, 0], [2, 1], [1, 1]], "initial": DELETE},
        "drivers.free.table",
        "row 3: the time 1 s",
        "",
    ),
    "table with text": (
        {"drivers.free.table": [[0, 0], [2, "1"], [3, 1]], "initial": DELETE},
        "drivers.free.table",
        "row 2: expected a",
        "",
    ),
    "table as a number": (
        {"drivers.free.table": 3, "initial": DELETE},
        "drivers.free.table",
        "expected rows",
        "[[0, 0]",
    ),
    "missing csv": ({"drivers.free.csv": "no_such.csv", "initial": DELETE}, "drivers.free.csv", "there is no file", ""),
    "name taken": ({"drivers.B": {"joint": "D"}}, "drivers.B", "already used in [points]", "need different names"),
    # the rest
    "gravity as a number": ({"forces.gravity": -9.81}, "forces.gravity", "two numbers [x, y]", ""),
    "spring of an unknown point": (
        {"forces.spring.between": ["B", "X"]},
        "forces.spring.between",
        "'X' is not",
        "known",
    ),
    "negative stiffness": ({"forces.spring.stiffness": -5}, "forces.spring.stiffness", "not negative", ""),
    "stiffness in N": ({"forces.spring.stiffness": "5 N"}, "forces.spring.stiffness", "is not a stiffness", "3 N/mm"),
    "force without a type": (
        {"forces.rub": {"at": "P"}},
        "forces.rub",
        "a table with a type",
        "known: spring, torsion",
    ),
    "unknown force": ({"forces.rub": {"type": "magnet"}}, "forces.rub.type", "'magnet' is unknown", "contact"),
    "force without type": ({"forces.rub": 3}, "forces.rub", "a table with a type", "spring"),
    "start of an unknown driver": (
        {"initial.fre": {"value": 1}},
        "initial.fre",
        "'fre' is not a driver, point or link",
        "'free'",
    ),
    "start of a driver with a law": (
        {"initial.motor": {"value": 1}},
        "initial.motor",
        "is prescribed",
        "drivers without a motion",
    ),
    "start as a number": ({"initial.free": 3}, "initial.free", "expected a table, found the number 3", "value"),
    "negative duration": ({"duration": -1}, "duration", "greater than zero", ""),
    "duration in metres": ({"duration": "1 m"}, "duration", "is not a time", "2 s"),
}


def problems_of(data: dict[str, Any]) -> tuple[Any, ...]:
    with pytest.raises(InputError) as caught:
        Mechanism.from_dict(data)
    return caught.value.problems


def test_the_sample_itself_is_right() -> None:
    assert len(Mechanism.from_dict(EVERYTHING).links) == 7


def test_a_file_may_name_its_format() -> None:
    assert len(Mechanism.from_dict(patched({"format": 1})).links) == 7


def test_there_are_more_than_fifty() -> None:
    assert len(CASES) > 100


@pytest.mark.parametrize("name", CASES)
def test_each_problem_is_reported_once_and_alone(name: str) -> None:
    patch, key, message, hint = CASES[name]
    problems = problems_of(patched(patch))
    assert [problem.key for problem in problems] == [key], [str(problem) for problem in problems]
    assert message in problems[0].message
    assert hint in problems[0].hint


def test_all_problems_at_once() -> None:
    patch = {
        "points.Z": [0, 0],
        "links.coupler.mas": 1,
        "links.arm": ["O", "Q", "X"],
        "lengths.A-B": 0,
        "joints.guide.axis": [0, 0],
        "drivers.motor.joint": "K",
        "drivers.ram.speed": "1 kg",
        "duration": "long",
    }
    assert [problem.key for problem in problems_of(patched(patch))] == [
        "points.Z",
        "links.coupler",
        "links.arm",
        "lengths.A-B",
        "joints.guide.axis",
        "drivers.motor.joint",
        "drivers.ram.speed",
        "duration",
    ]


def test_checks_that_were_left_out_are_announced() -> None:
    links = {"ground": ["A", "D"], "crank": ["A", "Q"]}
    points = {"A": (0, 0), "B": (1, 0), "D": (3, 0)}
    with pytest.raises(InputError, match=r"2 errors; more may appear when these are corrected\n") as found:
        Mechanism(points=points, links=links)
    assert found.value.more
    links["crank"] = ["A", "B"]
    with pytest.raises(InputError, match=r"1 error\n.*points\.D") as found:
        Mechanism(points=points, links={**links, "ground": ["A"]})
    assert not found.value.more


def test_a_joint_of_a_misspelt_type_is_read_as_the_type_that_is_meant() -> None:
    points = {"A": (0, 0), "B": (1, 0)}
    joint = {"type": "prismatc", "links": ["bar", "ground"], "axis": [0, 0]}
    with pytest.raises(InputError) as found:
        Mechanism(points=points, links={"ground": ["A"], "bar": ["B"]}, joints={"j": joint})
    assert [problem.key for problem in found.value.problems] == ["joints.j.type", "joints.j.axis"]


def test_a_section_that_cannot_be_read_causes_no_other_problems() -> None:
    assert [str(problem) for problem in problems_of({**EVERYTHING, "points": 3})] == [
        "points: expected a table, found the number 3; write points = { A = [0, 0] }"
    ]


@pytest.mark.parametrize(
    "law",
    [
        "",
        "x + 1",
        "t.real",
        "[t]",
        "sin",
        "sin(t, 2)",
        "t^2",
        "9**9**9",
        "t**1000",
        "1/0",
        "'a'",
        "lambda: t",
        "sin(x=t)",
        "t if t else 1",
        "open('f')",
        "(" * 300 + "t",
        "-" * 900 + "t",
        "1" * 1001,
        "+".join("t" * 400),
        "9" * 900,
        "1j*t",
        "True",
        "t = 2",
        "sqrt(-1)",
        "max(t)",
        "().__class__",
        "t\0",
        "a" * 300,
        "nan",
        "1e999*t",
    ],
)
def test_laws_that_are_refused(law: str) -> None:
    (problem,) = problems_of(patched({"drivers.motor": {"joint": "A", "law": law}}))
    assert problem.key == "drivers.motor.law"
    assert len(problem.message) < 200


def test_a_top_level_key_below_a_section() -> None:
    """TOML reads it as part of the section above."""
    for path in ("forces.duration", "drivers.motor.title"):
        (problem,) = problems_of(patched({path: 2}))
        assert problem.key == path.removesuffix(".title")
        assert "above the first [section]" in problem.hint


def test_the_speed_of_an_unknown_joint_is_still_read() -> None:
    keys = [problem.key for problem in problems_of(patched({"drivers.motor": {"joint": "K", "speed": "fast"}}))]
    assert keys == ["drivers.motor.joint", "drivers.motor.speed"]


def test_no_joint_at_the_ground() -> None:
    data = {"points": {"A": [0, 0], "B": [1, 0]}, "links": {"ground": [], "bar": ["A", "B"]}}
    assert "no joint connects the ground" in str(problems_of(data)[0])


def test_only_the_ground() -> None:
    assert "there is no moving link" in str(problems_of({"points": {"A": [0, 0]}, "links": {"ground": ["A"]}})[0])


def test_names_that_are_not_text() -> None:
    data = {"points": {1: [0, 0], "B": [1, 0]}, "links": {"ground": ["B"], "bar": ["B", "1"]}}
    assert [problem.key for problem in problems_of(data)] == ["points.1"]  # type: ignore[comparison-overlap]  # keys need not be text


def test_a_description_that_is_not_a_table() -> None:
    assert "[1, 2] is not a mapping" in str(problems_of([1, 2])[0])  # type: ignore[arg-type]  # not a table


def test_the_builder_names_what_is_given_twice() -> None:
    with pytest.raises(InputError, match="is given twice"):
        Builder("b").points(A=(0, 0), B=(1, 0)).points(A=(2, 0)).links(ground=["A"], bar=["A", "B"]).build()


# files


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.toml", b"", "the file is empty"),
        ("blank.json", b" \n", "the file is empty"),
        ("binary.toml", b"\x7fELF\x00\x01", "the file is binary"),
        ("latin.toml", b'title = "x"\n# \xe9\n', "not text in UTF-8 (line 2)"),
        (
            "syntax.toml",
            b'title = "x"\n[points]\nA = [0, 0\nB = [1, 0]\n',
            "line 3: the bracket [ is not closed",
        ),
        ("quotes.toml", b"title = crank\n", "line 1: text without quotes: title = crank"),
        ("end.toml", b'title = "x"\n[points', "line 2"),
        ("twice.toml", b"[points]\nA = [0, 0]\nA = [1, 0]\n", "line 3: a key or section is given twice: A = [1, 0]"),
        ("section.toml", b"[points]\nA = [0, 0]\n[points]\nB = [1, 0]\n", "line 3: a key or section is given twice"),
        ("syntax.json", b'{"title": "x",\n "points": }', "line 2: expecting value"),
        ("twice.json", b'{"points": {"A": [0, 0], "A": [1, 0]}}', "the key 'A' is given twice"),
        ("list.json", b"[1, 2]", "expected a table of sections, found a list"),
        ("deep.json", b"[" * 100_000, "nested too deep"),
        ("suffix.yaml", b"title: x", "a .yaml file (data, YAML) has no mechanism that can be read"),
        ("none", b"title = 'x'", "expected a .toml or .json file"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(path)
    assert message in caught.value.problems[0].message
    assert caught.value.source == str(path)


def test_a_missing_file_names_a_similar_one(tmp_path: Path) -> None:
    (tmp_path / "four_bar.toml").write_text("x")
    with pytest.raises(InputError, match=r"did you mean .*four_bar\.toml"):
        load(tmp_path / "fourbar.toml")


def test_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no folder"):
        load(tmp_path / "nowhere" / "four_bar.toml")


def test_a_folder_instead_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("t,x\n0,0\n1,one\n2,0\n", "line 3: 'one' is not a number"),
        ("0,0\n1,1\n1,2\n", "row 3: the time 1 s does not come after"),
        ("0,0\n1,1\n", "at least 3 rows"),
        ("0,0,0\n", "line 1: expected two columns"),
        ("0,0\n1,nan\n2,0\n", "expected a finite number, found nan"),
        ("", "the file is empty"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "law.csv").write_text(content)
    (tmp_path / "m.toml").write_text(CRANK_ROCKER_TOML.replace('speed = "60 rpm"', 'csv = "law.csv"'))
    with pytest.raises(InputError) as caught:
        load(tmp_path / "m.toml")
    (problem,) = caught.value.problems
    assert problem.key == "drivers.motor.csv"
    assert message in problem.message


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ('csv = "law.csv"', ["line 2: 'one' is not a number", "line 4: 'x' is not a number"]),
        ("table = [[0, 0], [1], [2, 1], [3, inf]]", ["row 2: expected [time, value]", "row 4: expected a finite"]),
    ],
)
def test_every_wrong_row_of_a_table_is_named(tmp_path: Path, law: str, words: list[str]) -> None:
    (tmp_path / "law.csv").write_text("0,0\n1,one\n2,0\nx,0\n")
    (tmp_path / "m.toml").write_text(CRANK_ROCKER_TOML.replace('speed = "60 rpm"', law))
    with pytest.raises(InputError) as caught:
        load(tmp_path / "m.toml")
    for problem, start in zip(caught.value.problems, words, strict=True):
        assert problem.message.startswith(start)


# any input gives either a mechanism or a list of problems

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["A", "B", "crank", "ground", "t", "", "1 mm"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["A", "x", "links", "type"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def paths(data: dict[str, Any], head: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    own = [(*head, key) for key in data]
    return own + [path for key, value in data.items() if isinstance(value, dict) for path in paths(value, (*head, key))]


@given(st.lists(st.tuples(st.sampled_from(paths(EVERYTHING)), JUNK), min_size=1, max_size=3))
@settings(deadline=None, max_examples=100)
def test_junk_anywhere_is_reported_and_never_a_crash(changes: list[tuple[tuple[str, ...], Any]]) -> None:
    data = json.loads(json.dumps(EVERYTHING))
    for path, value in changes:
        table = data
        for key in path[:-1]:
            table = table.get(key) if isinstance(table, dict) else None
        if isinstance(table, dict):
            table[path[-1]] = value
    try:
        Mechanism.from_dict(data)
    except InputError as error:
        assert error.problems
        assert all(problem.message for problem in error.problems)


def test_numpy_values_are_numbers() -> None:
    m = Mechanism(
        points={"A": np.zeros(2), "B": (np.float32(1), np.int64(2))}, links={"ground": ("A",), "bar": ("A", "B")}
    )
    assert m.points["B"].tolist() == [1, 2]
    assert m.source_dict["points"]["B"] == [1.0, 2]


def test_control_characters_in_names_do_not_reach_the_terminal() -> None:
    problems = problems_of({"points": {"A\x1b[31m": [0, 0]}, "links": {"ground": ["A\x1b[31m"], "c\nx": ["A\x1b[31m"]}})
    messages = "".join(str(problem) for problem in problems)
    assert "links.c\\nx" in messages and "A\\x1b[31m" in messages
    assert messages.isprintable()


def test_texts_and_names_that_could_not_be_read_back_are_refused(tmp_path: Path) -> None:
    """Both by the words of a file: what `save` writes, `load` reads."""
    data = load(example("crank_rocker")).source_dict
    long = "x" * 20_000
    for change, said in (
        ({"title": long}, "a text in 'title' has 20,000 characters; at most 10,000 are read"),
        ({"notes": [long]}, "a text in 'notes' has 20,000 characters; at most 10,000 are read"),
        ({"points": data["points"] | {"x" * 201: (0, 0)}}, f"the name '{'x' * 57}...' has more than 200 characters"),
    ):
        file = tmp_path / "a.json"
        file.write_text(json.dumps(data | change))
        for read, source in ((load, file), (Mechanism.from_dict, data | change)):
            with pytest.raises(InputError) as error:
                read(source)
            assert list(map(str, error.value.problems)) == [said]


@pytest.mark.parametrize("junk", [np.array([1.0, 2.0]), np.array("x"), np.array(1.0)], ids=["list", "text", "number"])
def test_arrays_in_the_place_of_other_values_are_refused(junk: Any) -> None:
    data = load(example("cam_roller_follower")).source_dict
    (cam,) = (joint for joint in data["joints"].values() if "law" in joint)
    cam["law"][0]["motion"] = junk
    with pytest.raises(InputError, match="expected the name of a motion"):
        Mechanism.from_dict(data)
    if not junk.ndim:
        for changes in ({"points": {"A": junk}}, {"drivers": {"motor": {"joint": "A", "table": junk}}}):
            rocker = load(example("crank_rocker")).source_dict
            wrong = {section: rocker[section] | entries for section, entries in changes.items()}
            with pytest.raises(InputError, match=r"expected (two numbers|rows)"):
                Mechanism.from_dict(rocker | wrong)


@pytest.mark.parametrize(("speed", "said"), [("0", "'0' has no unit"), ("60 rpm", "'60 rpm' is not a speed")])
def test_the_speed_of_a_cylinder_is_read_with_its_wrong_points(speed: str, said: str) -> None:
    """The hint was that of a motor, and a speed of a motor no mistake, as the driver could be of any kind."""
    rocker = load(example("crank_rocker")).source_dict
    drivers = {"ram": {"between": ["A", "B"], "speed": speed}}
    with pytest.raises(InputError) as error:
        Mechanism.from_dict(rocker | {"drivers": drivers})
    first, second = error.value.problems
    assert first.key == "drivers.ram" and "their distance is constant" in first.message
    assert second.key == "drivers.ram.speed" and second.message == said and "10 mm/s" in second.hint
