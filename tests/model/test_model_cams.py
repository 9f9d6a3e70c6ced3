"""Cams in a file: what is built, and the problems reported; each with key, message and hint."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import numpy as np
import pytest

from structkin import Builder, InputError, Mechanism
from structkin.cli import main
from structkin.joints.law_cam import face_cut

ROLLER: dict[str, Any] = {
    "units": {"length": "mm", "angle": "deg"},
    "points": {"A": [0, 0], "Q": [5, 50], "F": [25, 50], "T": [5, 90], "B": [80, 20]},
    "links": {"ground": ["A", "B"], "disc": ["A"], "lifter": ["Q", "T", "F"], "lever": ["B"]},
    "joints": {
        "guide": {"type": "prismatic", "links": ["lifter", "ground"], "axis": [0, 1]},
        "cam": {
            "type": "cam", "cam": "disc", "follower": "lifter", "at": "Q", "radius": 10,
            "law": [
                {"motion": "cycloidal", "over": 180, "to": 20}, {"motion": "3-4-5", "over": 180, "to": 0},
            ],
        },
    },
    "drivers": {"motor": {"joint": "A", "speed": "60 rpm"}, "rest": {"joint": "B", "speed": 0}},
}  # fmt: skip


def changed(**cam: Any) -> dict[str, Any]:
    """The file with other keys of its cam; None deletes one."""
    data = copy.deepcopy(ROLLER)
    entry = data["joints"]["cam"]
    for key, value in cam.items():
        if value is None:
            entry.pop(key)
        else:
            entry[key] = value
    return data


def test_what_is_built():
    cam = Mechanism.from_dict(changed()).joints["cam"]
    assert (cam.contact, cam.moves.kind, cam.carrier, cam.joint) == ("roller", "translating", "ground", "guide")
    assert cam.base_radius == pytest.approx(np.hypot(5, 50) * 1e-3 - 0.01)
    assert cam.offset == pytest.approx(-0.005)
    assert cam.lift(np.pi) == pytest.approx(0.02)
    started = Mechanism.from_dict(changed(start=90, base=30)).joints["cam"]
    assert started.base_radius == pytest.approx(0.03)
    assert started.phase == pytest.approx(np.pi / 2)
    assert Mechanism.from_dict(changed(radius=None, contact="knife-edge")).joints["cam"].radius == 0
    flat = Mechanism.from_dict(changed(radius=None, contact="flat")).joints["cam"]
    assert flat.base_radius == pytest.approx(0.05) and flat.moves.face == pytest.approx(1j)
    slanted = Mechanism.from_dict({**changed(radius=None, at=None, face=["Q", "F"])})
    assert slanted.joints["cam"].contact == "flat"


SEGMENT = {"motion": "cycloidal", "over": 180, "to": 20}
BACK = {"motion": "cycloidal", "over": 180, "to": 0}
TABLE = [[0, 40], [90, 45], [180, 50], [270, 45]]

CASES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "no link": ({"cam": "disk"}, "joints.cam.cam", "'disk' is not in [links]", "did you mean 'disc'?"),
    "no follower": ({"follower": "lifted"}, "joints.cam.follower", "'lifted' is not in [links]", "'lifter'"),
    "no point": ({"at": "R"}, "joints.cam.at", "'R' is not in [points]", "known"),
    "own follower": ({"cam": "lifter"}, "joints.cam", "its own follower", "two links"),
    "point of another": ({"at": "B"}, "joints.cam", "'B' is not a point of the follower", "it has Q, T, F"),
    "nothing touches": ({"radius": None}, "joints.cam", "does not say what touches", "knife-edge"),
    "unknown contact": ({"contact": "rolling"}, "joints.cam", "the contact 'rolling' is unknown", "roller"),
    "roller without radius": ({"radius": None, "contact": "roller"}, "joints.cam", "but no radius", "radius = 10"),
    "edge with radius": ({"contact": "knife-edge"}, "joints.cam", "has the radius of a roller", "delete"),
    "roller with face": ({"face": ["Q", "F"]}, "joints.cam", "has a flat face, but", "delete"),
    "roller nowhere": ({"at": None}, "joints.cam", "'at' is missing: the roller's centre", 'at = "Q"'),
    "flat nowhere": ({"at": None, "radius": None, "contact": "flat"}, "joints.cam", "neither 'at' nor 'face'", "face"),
    "negative radius": ({"radius": -1}, "joints.cam.radius", "greater than zero", ""),
    "zero base": ({"base": 0}, "joints.cam.base", "greater than zero", ""),
    "small base": ({"base": 1, "radius": 1}, "joints.cam", "cannot reach the base circle", "increase base"),
    "direction": ({"direction": "left"}, "joints.cam.direction", "the direction 'left' is unknown", "known"),
    "unknown key": ({"follwer": "x"}, "joints.cam", "unknown key 'follwer'", "did you mean 'follower'?"),
    "no law": ({"law": None}, "joints.cam", "neither a law nor a profile", "law = ["),
    "law and profile": ({"profile": TABLE}, "joints.cam", "has law and profile", "one of"),
    "law is text": ({"law": "cycloidal"}, "joints.cam.law", "expected a list of segments", "cycloidal"),
    "segment is text": ({"law": ["cycloidal", BACK]}, "joints.cam.law", "segment 1: expected a table", "motion"),
    "segment key": ({"law": [{**SEGMENT, "form": 1}, BACK]}, "joints.cam.law", "unknown key 'form'", "known"),
    "segment lacks": ({"law": [{"motion": "dwell"}, BACK]}, "joints.cam.law", "segment 1: 'over' is missing", "over"),
    "motion": ({"law": [{**SEGMENT, "motion": "harmonc"}, BACK]}, "joints.cam.law", "unknown", "'harmonic'"),
    "motion is a number": ({"law": [{**SEGMENT, "motion": 3}, BACK]}, "joints.cam.law", "name of a motion", "such as"),
    "dwell that moves": ({"law": [{**SEGMENT, "motion": "dwell"}, BACK]}, "joints.cam.law", "a dwell has", "'to'"),
    "angle for a lift": ({"law": [{**SEGMENT, "to": "9 deg"}, BACK]}, "joints.cam.law", "is not a length", "15 mm"),
    "not a turn": ({"law": [SEGMENT, {**BACK, "over": 170}]}, "joints.cam.law", "10 deg missing", "dwell"),
    "does not close": ({"law": [SEGMENT, {**BACK, "to": 3}]}, "joints.cam.law", "do not end at lift 0", "to = 0"),
    "no carrier": ({"carrier": "lever"}, "joints.cam", "'lever' does not carry", "ground"),
    "center of a law": ({"center": "A"}, "joints.cam", "center, which belongs to a profile", "shaft"),
    "start of a profile": ({"law": None, "profile": TABLE, "start": 3}, "joints.cam", "which belong", "delete"),
    "few rows": ({"law": None, "profile": TABLE[:3]}, "joints.cam.profile", "at least 4 rows", "spline"),
    "row": ({"law": None, "profile": [*TABLE, [300]]}, "joints.cam.profile", "row 5: expected [angle, radius]", ""),
    "turns back": ({"law": None, "profile": [*TABLE, [200, 40]]}, "joints.cam.profile", "row 5: the angle", "increase"),
    "two turns": ({"law": None, "profile": [*TABLE, [400, 40]]}, "joints.cam.profile", "more than one turn", "closed"),
    "no radius": ({"law": None, "profile": [*TABLE[:3], [270, 0]]}, "joints.cam.profile", "not greater than zero", ""),
    "rows as text": ({"law": None, "profile": "round"}, "joints.cam.profile", "expected the rows", "such as"),
    "no file": ({"law": None, "csv": "none.csv"}, "joints.cam.csv", "there is no file", ""),
    "center": ({"law": None, "profile": TABLE, "center": "Q"}, "joints.cam.profile", "'Q' is not a point", "A"),
    "hollow under a face": (
        {"law": None, "profile": [[0, 4], [90, 2], [180, 4], [270, 2]], "face": ["Q", "F"], "at": None, "radius": None},
        "joints.cam.profile", "not convex", "knife edge",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_problem_is_reported_alone(case):
    change, key, words, hint = CASES[case]
    with pytest.raises(InputError) as error:
        Mechanism.from_dict(changed(**change))
    [problem] = error.value.problems
    assert problem.key == key
    assert words in problem.message, problem.message
    assert hint in (problem.hint or ""), problem.hint


def test_many_problems_are_reported_at_once():
    data = changed(direction="left", law=[{**SEGMENT, "motion": "x"}, {**BACK, "over": -1}])
    data["joints"]["cam"]["radius"] = "ten"
    with pytest.raises(InputError) as error:
        Mechanism.from_dict(data)
    text = str(error.value)
    for words in (
        "the direction 'left'", "radius: expected a number", "segment 1: the motion 'x' is unknown",
        "segment 2: the angle -1 deg of a cycloidal is not greater",
    ):  # fmt: skip
        assert words in text
    rows = [[0, 40], [90, -1], [80, 20], [400, 3]]
    with pytest.raises(InputError) as error:
        Mechanism.from_dict(changed(law=None, profile=rows))
    assert [problem.key for problem in error.value.problems] == ["joints.cam.profile"] * 3
    rows = [[0, 40], [90, "x"], [80], 7]
    with pytest.raises(InputError, match="5 errors") as error:
        Mechanism.from_dict(changed(law=None, profile=rows, start=3, carrier="rod"))
    assert [f"row {k}:" in str(error.value) for k in (1, 2, 3, 4)] == [False, True, True, True]
    segment = {"motion": 5, "over": "9 mm", "to": "x", "from": 1}
    with pytest.raises(InputError, match="6 errors"):
        Mechanism.from_dict(changed(law=[segment, {}]))
    with pytest.raises(InputError, match="found an empty list"):
        Mechanism.from_dict(changed(law=[]))


def test_slots_straight_or_circular():
    def messages(**slot):
        data = copy.deepcopy(ROLLER)
        data["joints"] = {"slot": {"type": "pin-in-slot", "pin": "Q", "slot": "ground", **slot}}
        with pytest.raises(InputError) as error:
            Mechanism.from_dict(data)
        return [str(problem) for problem in error.value.problems if problem.key.startswith("joints")]

    assert re.search("has axis and center", *messages(center="A", axis=[1, 0]))
    assert re.search("'T' is not a point of 'ground'", *messages(center="T"))
    assert re.search(r"'X' is not in \[points\]", *messages(center="X"))
    assert re.search("this slot has no radius", *messages(radius=3, axis=[1, 0]))


def test_a_contact_cannot_be_driven():
    data = changed()
    data["drivers"]["rest"] = {"joint": "cam", "speed": 1}
    with pytest.raises(InputError, match="cannot be driven; drive the cam's shaft"):
        Mechanism.from_dict(data)


def test_the_builder_takes_the_same_keys():
    entry = {key: value for key, value in ROLLER["joints"]["cam"].items() if key not in ("type", "cam", "follower")}
    b = Builder().units(**ROLLER["units"]).points(ROLLER["points"]).links(ROLLER["links"])
    b.prismatic("guide", links=["lifter", "ground"], axis=[0, 1]).cam("cam", cam="disc", follower="lifter", **entry)
    b.drive("motor", joint="A", speed="60 rpm").drive("rest", joint="B", speed=0)
    assert b.to_dict() == {"title": "", **ROLLER}
    b = Builder().points(A=(0, 0), P=(-1, 0), B=(np.sqrt(2), 0)).links(ground=["A", "B"], crank=["A", "P"], wheel=["B"])
    b.geneva("step", crank="crank", pin="P", wheel="wheel", slots=4).slot("way", pin="P", slot="ground", center="A")
    assert b.build().joints["step"].radius == pytest.approx(1.0)
    assert b.build().joints["way"].radius == pytest.approx(1.0)


def test_odd_cams_are_noted_by_check(tmp_path, capsys, monkeypatch):
    law = [{"motion": "uniform", "over": 300, "to": 20}, {"motion": "harmonic", "over": 60, "to": 0}]
    data = changed(base=6, radius=20, law=law)
    (tmp_path / "odd.json").write_text(json.dumps(data))
    monkeypatch.setattr("sys.argv", ["structkin", "check", str(tmp_path / "odd.json")])
    with pytest.raises(SystemExit) as left:
        main()
    said = capsys.readouterr().out
    assert not left.value.code
    for words in ("velocity of the law jumps", "undercut around", "pressure angle reaches", "every sample"):
        assert words in said


def lifted(to, **cam):
    """The remarks on the cam with the lift `to`, in mm."""
    law = [{"motion": "cycloidal", "over": 180, "to": to}, {"motion": "cycloidal", "over": 180, "to": 0}]
    return Mechanism.from_dict(changed(law=law, **cam)).joints["cam"].remarks


def test_undercutting_is_found_wherever_the_follower_comes_from():
    """A lift of -80 mm carries the roller past the shaft; the pitch curve is nowhere more curved than the roller."""
    cut, shaft, _ = lifted(-80)
    assert "undercut at 297.5 deg, by the follower at 153 deg, 0.00989 m deep" in cut
    assert "the roller runs over the cam's shaft" in shaft
    # small rollers and edges: the profile crosses itself between the samples
    for touch in ({"radius": 0.1}, {"radius": 1e-4}, {"radius": None, "contact": "knife-edge"}):
        (message,) = (remark for remark in lifted(-80, **touch) if "undercut" in remark)
        assert "by the follower at" in message
    assert any("face runs over the cam's shaft" in remark for remark in lifted(-80, radius=None, contact="flat"))
    assert lifted(-20) == lifted(20) == ()
    assert not any("undercut" in remark for remark in lifted(-40))


def test_a_face_that_cuts_where_it_touches_elsewhere():
    """The tangents of a circle clear it; those of a circle half its size cut into it."""
    normals = np.exp(1j * np.linspace(0, 2 * np.pi, 361))
    assert face_cut(normals, normals, np.ones(361)) is None
    assert face_cut(normals, normals, np.full(361, 0.5)).depth == pytest.approx(0.5)
