"""`structkin structure --matrices`, `explain` and `inputs`: printed output, written files, and the exit code."""

from __future__ import annotations

import json

import pytest
from commands import called as structkin

import structkin as sk
from structkin.cli.explain import lines_of
from structkin.examples import names, path
from structkin.structure import decompose


@pytest.fixture
def undriven(tmp_path):
    data = sk.load(path("crank_rocker")).source_dict
    del data["drivers"]
    file = tmp_path / "undriven.json"
    file.write_text(json.dumps(data))
    return file


def test_matrices_are_drawn(tmp_path):
    picture = tmp_path / "matrices.svg"
    run = structkin("structure", path("crank_rocker"), "--matrices", picture)
    assert run.exit_code == 0
    assert f"written: {picture}" in run.stdout.replace("\n", "") and picture.stat().st_size > 1000
    assert structkin("structure", path("crank_rocker"), "--json", "--matrices", picture).stdout.startswith("{")


def test_explain_gives_reasons():
    run = structkin("explain", path("crank_rocker"))
    assert run.exit_code == 0
    assert run.stdout.splitlines() == [
        "1. crank: driven R at A by motor",
        "   needs A on the ground; the angle that motor gives. Its link has 3 unknowns; A gives 2, motor gives 1.",
        "   phi = (x_B, y_B), h = (x_A, y_A, motor)",
        "2. coupler + rocker: RRR dyad from B (group 1) and D (ground)",
        "   needs B on crank from group 1; D on the ground. Its 2 links have 6 unknowns; "
        "B gives 2, C gives 2, D gives 2.",
        "   phi = (x_C, y_C), h = (x_B, y_B, x_D, y_D)",
    ]


@pytest.mark.parametrize("name", names())
def test_equations_are_explained_for_every_group_of_the_examples(name):
    """Where equations are listed by joint, they add up; otherwise the sentence is a general one."""
    structure = sk.load(path(name)).structure()
    # a planetary train also reports its redundant meshes
    lines, explained = (
        [x for x in text if x[0] != "!"] for text in (lines_of(structure), structure.explain().splitlines())
    )
    assert lines[::3] == explained
    for group, line in zip(structure.groups, lines[1::3], strict=True):
        if group.links:
            given = [int(part.split()[-1].rstrip(".")) for part in line.split("unknowns; ")[1].split(", ")]
            assert sum(given) == 3 * len(group.links)


def test_explain_of_a_pin_and_of_a_redundant_group():
    driven_pin = sk.Topology.from_dict(
        {
            "links": ["0", "1", "2"],
            "ground": "0",
            "joints": [{"id": "A", "kind": "R", "links": ["1", "2"]}],
            "drivers": [
                {"id": "p", "kind": "distance", "links": ["0", "@A"]},
                {"id": "q", "kind": "distance", "links": ["0", "@A"]},
                {"id": "a", "kind": "angle", "links": ["0", "1"]},
                {"id": "b", "kind": "angle", "links": ["0", "2"]},
            ],
        }
    )
    said = "\n".join(lines_of(decompose(driven_pin)))
    assert "needs the distance that p gives; the distance that q gives. Two equations fix the two coordinates" in said
    wedge = sk.Topology.from_adjacency([["", "P:a", "P:c"], ["P:a", "", "P:b"], ["P:c", "P:b", ""]], drivers=["a"])
    lines = lines_of(decompose(wedge))
    assert any("as many independent equations" in line for line in lines)
    assert lines[-1].startswith("! joints.b: joint b repeats")


def test_explain_of_an_unsolvable_mechanism(undriven):
    run = structkin("explain", undriven)
    assert run.exit_code == 1 and run.stdout.startswith("! links crank, coupler, rocker")


def test_inputs_are_ranked_and_drawn(undriven, tmp_path):
    picture = tmp_path / "inputs.png"
    run = structkin("inputs", undriven, "--plot", picture)
    assert run.exit_code == 0 and picture.stat().st_size > 1000
    lines = [line for line in run.stdout.splitlines() if line.startswith("│")]
    assert [line.split("│")[2].strip() for line in lines] == ["A", "D", "B", "C"]
    assert "4 of 4 combinations fix every link" in run.stdout and "*" not in run.stdout


def test_existing_inputs_are_marked():
    run = structkin("inputs", path("stephenson_iii_triad"))
    assert "E *" in run.stdout and "* the mechanism's own drivers" in run.stdout


def test_all_inputs():
    short, long = (structkin("inputs", path("jansen_leg"), *options) for options in ((), ("--all",)))
    assert "1 more choice is not shown" in short.stdout and "not shown" not in long.stdout
    assert long.stdout.count("\n│") == 13


def test_inputs_as_data():
    data = json.loads(structkin("inputs", path("five_bar_two_drivers"), "--json").stdout)
    assert {"title", "mobility", "inputs", "candidates", "possible", "tried", "complete", "choices"} <= set(data)
    assert data["inputs"] == 2 and data["choices"][0]["own"] is True
    assert [driver["joint"] for driver in data["choices"][0]["drivers"]] == ["A", "E"]


def test_inputs_in_addition_to_a_kept_one():
    file = path("five_bar_two_drivers")
    [first, *_] = sk.load(file).drivers
    data = json.loads(structkin("inputs", file, "--keep", first, "--json").stdout)
    assert data["inputs"] == 1 and {choice["drivers"][0]["id"] for choice in data["choices"]} == {first}
    assert isinstance(structkin("inputs", file, "--keep", "nobody").exception, sk.InputError)


def test_a_truncated_list_is_reported():
    run = structkin("inputs", path("excavator"), "--limit", "10")
    assert run.exit_code == 0 and "search limited: 220 are possible" in run.stdout


def test_nothing_to_drive(tmp_path):
    file = tmp_path / "triangle.toml"
    file.write_text(
        "[points]\nA = [0, 0]\nB = [1, 1]\nC = [2, 0]\n"
        '[links]\nground = ["A", "C"]\nleft = ["A", "B"]\nright = ["B", "C"]\n'
    )
    run = structkin("inputs", file)
    assert run.exit_code == 1 and "nothing is left to drive" in run.stdout


def test_own_drivers_that_move_by_special_dimensions_are_no_failure(tmp_path):
    """A parallelogram with a third crank: by topology alone nothing is left to drive."""
    cranks = {name: [pin, end] for name, pin, end in ("aAD", "bBE", "cCF")}
    points = {name: [2 * k, height] for height, row in enumerate(("ABC", "DEF")) for k, name in enumerate(row)}
    links = {"ground": list("ABC"), **cranks, "bar": list("DEF")}
    sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "A", "speed": 1}}).save(tmp_path / "m.toml")
    run = structkin("inputs", tmp_path / "m.toml")
    assert run.exit_code == 0 and "moves by special dimensions, and its own drivers move it" in run.stdout
