"""Commands on a mechanism without drivers: it stands still, and each says so or shows its one pose."""

import json

import numpy as np
import pytest
from cases import few
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.errors import InputError
from structkin.files import FORMATS
from structkin.report import content
from structkin.show.view import motion_of
from structkin.studio.document import Document
from structkin.studio.history import History
from structkin.studio.session import Session

TRUSS = {
    "points": {"A": [0, 0], "B": [1.2, 1], "C": [3, 0]},
    "links": {"ground": ["A", "C"], "l0": ["A", "B"], "l1": ["B", "C"]},
}
#: Nearly stretched, so that its discriminant looks as if it were at a change point.
FLAT = {**TRUSS, "points": {"A": [0, 0], "B": [0.06, 1], "C": [-0.1, -1]}}
FOUR_BAR = {
    "points": {"A": [0, 0], "B": [1, 0.2], "C": [3, 2], "D": [4, 0]},
    "links": {"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "rocker": ["C", "D"]},
}


@pytest.fixture
def run(tmp_path):
    def command(name, data, *words):
        sk.Mechanism.from_dict(data).save(tmp_path / "still.toml")
        result = CliRunner().invoke(app, [name, str(tmp_path / "still.toml"), *map(str, words)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return command


@pytest.mark.parametrize("branch", ["smooth", "mode"])
def test_a_dyad_near_its_limit_position_is_solved(branch, run):
    m = sk.Mechanism.from_dict(FLAT)
    motion = m.solve(branch=branch)
    assert motion.ok.sum() == 361 and motion.residual().max() < 1e-14
    assert motion.position("B")[7] == pytest.approx([0.06, 1], abs=1e-13) and not motion.velocity("B").any()
    assert "every sample of the range is ok" in run("check", FLAT).output


def test_variants_of_it_are_solved_together():
    motions = sk.Mechanism.from_dict(FLAT).solve_many(3, points={"B": np.array([[0.06, 1], [0.07, 1]])})
    assert motions.ok.all() and motions.position("B")[1, 2] == pytest.approx([0.07, 1], abs=1e-13)


def test_a_triad_near_a_singular_pose_is_named():
    """The lines of its three rods almost meet at one point. A crank beside it changes nothing."""
    points = {"A": [0, 0], "B": [4, 0], "C": [2, 3], "P": [1, 1], "Q": [3, 1], "R": [2 + 1e-7, 2]}
    links = {"ground": ["A", "B", "C"], "plate": ["P", "Q", "R"], "a": ["A", "P"], "b": ["B", "Q"], "c": ["C", "R"]}
    with pytest.raises(InputError, match=r"plate \+ a \+ b \+ c is drawn in a singular position"):
        sk.Mechanism(points=points, links=links).solve(5)
    with pytest.raises(InputError, match=r"plate \+ a \+ b \+ c is drawn in a singular position"):
        sk.Mechanism(
            points={**points, "D": [4.5, 0.5]}, links={**links, "crank": ["B", "D"]},
            drivers={"motor": {"links": ["ground", "crank"], "speed": 1.0}}, duration=1.0,
        ).solve(5)  # fmt: skip


def test_there_is_nothing_to_follow(run, tmp_path):
    for data, loop in ((TRUSS, ""), (FOUR_BAR, "crank does not turn fully")):
        for words in ((), ("--circuits",)):
            result = run("limits", data, *words)
            assert result.exit_code == 0 and result.output.startswith("no drivers: nothing to follow\n")
            assert loop in result.output
        assert json.loads(run("limits", data, "--json").output)["limits"] == []
        with pytest.raises(InputError, match="--plot: there are no drivers"):
            run("limits", data, "--plot", tmp_path / "x.svg")
    with pytest.raises(InputError, match="driver: the mechanism has no driver, so there is nothing to follow"):
        sk.Mechanism.from_dict(TRUSS).limits()


def test_the_report_shows_the_groups_and_the_pose(run, tmp_path):
    assert run("report", TRUSS, "-o", tmp_path / "a.html", "--samples", 3).exit_code == 0
    m = sk.Mechanism.from_dict(TRUSS)
    data = content(m, motion_of(m, 3))
    assert data["summary"]["ok"] and data["summary"]["status"] == ["3 of 3 samples ok"]
    assert {"steps", "ranges", "transmission"} <= set(data) and len(data["groups"]) == 1


@pytest.mark.parametrize("suffix", few(FORMATS, 4))
def test_every_format_holds_it(suffix, run, tmp_path):
    target = tmp_path / f"copy{suffix}"
    assert run("convert", TRUSS, target).exit_code == 0 and target.stat().st_size


def test_nothing_is_free_to_move(run):
    with pytest.raises(InputError, match="drivers: there are none: nothing is free to move"):
        run("simulate", TRUSS, "--duration", 1)


@pytest.mark.parametrize(
    "words",
    few(
        [
            "structure",
            "explain",
            "solve",
            "solve --kl --schematic s.svg --plot p.svg --csv c.csv",
            "solve --kl --json",
            "assemblies",
            "forces --plot p.svg",
            "compare --method global --coordinates natural",
            "animate -o a.html",
        ],
        4,
    ),
)
def test_other_commands_run(words, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *more = words.split()
    assert run(name, FLAT, *more).exit_code == 0


def test_the_studio_shows_it():
    session = Session(History(Document(FLAT)))
    *_, state = session.handle({"type": "hello", "protocol": 1})
    assert state["type"] == "state" and state["scene"] and not state["problems"]
    for kind in ("limits", "ranking", "efforts", "assemblies", "scene"):
        for answer in session.handle({"type": kind}):
            assert (answer() if callable(answer) else answer)["type"] == kind
