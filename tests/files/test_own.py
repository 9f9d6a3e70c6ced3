"""structkin's files: a written file reads back as the same mechanism, bit for bit, and looks handwritten."""

from __future__ import annotations

import json
import math
import os
import pickle
import shutil
import tomllib

import numpy as np
import pytest
from cases import few
from hypothesis import given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, DYADS, GEARED, OTHERS, build
from same import assert_same, assert_solves_alike

import structkin as sk
from structkin.examples import names, path
from structkin.files.writers.own import own_sections
from structkin.files.writers.toml_text import WIDTH, toml_text


def again(mechanism, folder, suffix=".toml"):
    mechanism.save(folder / f"again{suffix}")
    return sk.load(folder / f"again{suffix}")


@pytest.mark.parametrize("name", few(names(), 16))
def test_examples_come_back(name, tmp_path):
    mechanism = sk.load(path(name))
    for suffix in (".toml", ".json"):
        found = again(mechanism, tmp_path, suffix)
        assert_same(mechanism, found)
    assert_solves_alike(mechanism, found)
    text = (tmp_path / "again.toml").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= WIDTH + 20
    # Written again, the text is the same.
    found.save(tmp_path / "third.toml")
    assert (tmp_path / "third.toml").read_text(encoding="utf-8") == text


def comes_back(tmp_path_factory, seed, menu):
    mechanism = build(seed, menu=menu).mechanism()
    found = again(mechanism, tmp_path_factory.mktemp("own"))
    assert_same(mechanism, found)
    assert_solves_alike(mechanism, found, 3)


MENUS = st.sampled_from([None, DRIVEN, DYADS, GEARED, OTHERS])


@pytest.mark.full
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), MENUS)
def test_random_mechanisms_come_back(tmp_path_factory, seed, menu):
    comes_back(tmp_path_factory, seed, menu)


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), MENUS)
def test_more_random_mechanisms_come_back(tmp_path_factory, seed, menu):
    comes_back(tmp_path_factory, seed, menu)


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_any_data_come_back_from_toml(data):
    found = tomllib.loads(toml_text(data))
    # As text, 1 differs from 1.0 and -0.0 from 0.0.
    assert json.dumps(found, sort_keys=True) == json.dumps(data, sort_keys=True)


def test_a_mechanism_made_in_python_comes_back(tmp_path):
    third = np.float64(1) / 3
    mechanism = (
        sk.Builder('Say "all"\n\tof it: é')
        .units(length="mm", angle="deg", mass="g")
        .points({"left foot": (0, 0), "B": (np.float32(0.1), third * 100), "C": [300, math.pi * 30]})
        .points(D=(np.int64(400), 0), E=(-50.0, -0.0), F=(120, 10))
        .links(ground=["left foot", "D", "E"], crank=("left foot", "B"), rocker={"points": ["D", "C"], "mass": 1e-17})
        .links(coupler={"points": ["B", "C", "F"], "shape": "plate", "density": "40 kg/m^2", "point_masses": {"F": 2}})
        .length("B", "C", "12.5 in")
        .drive("motor", joint="left foot", table=np.array([[0, 0], [1, 90.1], [2, third]]))
        .gravity(0, "-9.81 m/s^2")
        .spring("s", between=["F", "E"], stiffness=500, damping="2 N s/m", actuator="5*sin(t) # N"[:8])
        .force("f", type="friction", joint="D", coefficient=0.1, radius="5 mm")
        .force("m", type="moment", on="rocker", table=[[0, 0], [1, 5], [2, 1e-300]])
        .force("t", type="torsion", links=["crank", "coupler"], stiffness=3)
        .force("c", type="contact", links=["coupler", "ground"], center="F", radius=4, along=["left foot", "E"],
               stiffness=1e8, restitution=0.8)
        .duration("2 s")
        .build()
    )  # fmt: skip
    for suffix in (".toml", ".json"):
        found = again(mechanism, tmp_path, suffix)
        assert_same(mechanism, found)
        assert_solves_alike(mechanism, found)
    free = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0.2)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1, "shape": "rod", "inertia": None}},
        drivers={"swing": {"joint": "A", "torque": "0.1*t"}},
    ).with_initial({"swing": {"value": 0.1 + 0.2, "speed": "60 rpm"}})
    assert_same(free, again(free, tmp_path))
    assert free.simulate(0.1, samples=3).position("B").tobytes() == (
        again(free, tmp_path).simulate(0.1, samples=3).position("B").tobytes()
    )


def test_csv_tables_are_written_out(tmp_path):
    source = tmp_path / "a"
    source.mkdir()
    (source / "law.csv").write_text("t, angle\n0, 0\n1, 33.3\n2; 10\n".replace(";", ","), encoding="utf-8")
    (source / "cam.csv").write_text("0;30\n90;32.1\n180;40\n270;32\n", encoding="utf-8")
    (source / "m.toml").write_text(
        'units = { length = "mm", angle = "deg" }\n[points]\nA = [0, 0]\nQ = [0, 40]\nT = [0, 90]\n'
        '[links]\nground = ["A"]\ndisc = ["A"]\nlift = ["Q", "T"]\n[joints]\n'
        'guide = { type = "prismatic", links = ["lift", "ground"], at = "T", axis = [0, 1] }\n'
        'touch = { type = "cam", cam = "disc", follower = "lift", at = "Q", radius = 8, csv = "cam.csv" }\n'
        '[drivers]\nmotor = { joint = "A", csv = "law.csv" }\n'
        '[forces]\npush = { type = "moment", on = "disc", csv = "law.csv" }\n',
        encoding="utf-8",
    )
    mechanism = sk.load(source / "m.toml")
    (tmp_path / "b").mkdir()
    mechanism.save(tmp_path / "b" / "m.toml")
    found = sk.load(tmp_path / "b" / "m.toml")
    assert_same(mechanism, found)
    assert_solves_alike(mechanism, found)
    shutil.rmtree(source)  # the mechanism keeps what it was built with
    for same in (pickle.loads(pickle.dumps(mechanism)), sk.Mechanism.from_dict(mechanism.source_dict)):
        same.save(tmp_path / "b" / "n.toml")
        assert (tmp_path / "b" / "n.toml").read_bytes() == (tmp_path / "b" / "m.toml").read_bytes()


@pytest.mark.parametrize("name", ["platform_3rpr", "geared_five_bar", "rack_and_pinion", "scotch_yoke", "excavator"])
def test_an_assembly_comes_back_with_its_pose(name, tmp_path):
    for assembly in list(sk.load(path(name)).assemblies(limit=3))[:3]:
        mechanism = assembly.mechanism()
        found = again(mechanism, tmp_path)
        assert_same(mechanism, found)
        assert_solves_alike(mechanism, found, 3)
        assert_same(mechanism.with_initial({}), again(found, tmp_path, ".json"))


def test_a_bad_pose_is_refused():
    data = own_sections(sk.load(path("crank_rocker")).assembly().mechanism())
    data["pose"]["points"]["Q"] = data["pose"]["points"].pop("P")
    data["pose"]["links"]["crank"]["direction"] = [1, 1]
    data["pose"]["links"]["rocker"] = {"at": [0, 0]}
    with pytest.raises(sk.InputError) as error:
        sk.Mechanism.from_dict(data)
    assert {problem.key for problem in error.value.problems} == {
        "pose.points.Q", "pose.points", "pose.links.crank", "pose.links.rocker",
    }  # fmt: skip
    for wrong in (3, {"points": {}}, {"points": 1, "links": {}, "drivers": {}}):
        with pytest.raises(sk.InputError, match="pose"):
            sk.Mechanism.from_dict({**data, "pose": wrong})


def test_the_layout_looks_handwritten(tmp_path):
    mechanism = sk.load(path("cam_lever_press"))
    mechanism.save(tmp_path / "x.toml")
    written = (tmp_path / "x.toml").read_text(encoding="utf-8")
    assert (
        written
        == """\
title = "Cam, flat-faced lever and ram"
units = { length = "mm", angle = "deg" }

[points]
A = [0, 0]
B = [-90, 40]
F = [-45, 40]
G = [55, 40]
C = [90, 40]
D = [80, 130]

[links]
ground = ["A", "B"]
cam    = ["A"]
lever  = ["B", "C", "F", "G"]
rod    = ["C", "D"]
ram    = ["D"]

[joints]
guide = { type = "prismatic", links = ["ram", "ground"], at = "D", axis = [0, 1] }

[joints.contact]
type = "cam"
cam = "cam"
follower = "lever"
face = ["F", "G"]
law = [
  { motion = "modified sine", over = 150, to = 12 },
  { motion = "dwell", over = 30 },
  { motion = "4-5-6-7", over = 150, to = 0 },
  { motion = "dwell", over = 30 },
]

[drivers]
motor = { joint = "A", speed = "60 rpm" }
"""
    )


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(sk.InputError, match=r"law: a Python function cannot be written to a file; write a number"):
        toml_text({"law": math.sin})
    with pytest.raises(sk.InputError, match="unpaired surrogate"):
        toml_text({"title": "\ud800"})
    mechanism = sk.load(path("crank_rocker"))
    with pytest.raises(sk.InputError, match=r"'.doc' is not a format to write; use .toml, .json"):
        mechanism.save(tmp_path / "x.doc")
    with pytest.raises(sk.InputError, match="there is no folder"):
        mechanism.save(tmp_path / "none" / "x.toml")
    assert not os.listdir(tmp_path)
