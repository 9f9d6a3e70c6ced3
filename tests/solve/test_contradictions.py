"""Redundant joints and drivers that contradict each other: no method returns a motion that leaves one of them open.

What is right follows from the parts: links of one body have no motion relative to each other, and two drivers of one
coordinate have to agree.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.global_methods.methods import METHODS

FOUR_BAR: dict[str, Any] = {
    "points": {"A": (0, 0), "B": (1, 2), "C": (5, 3), "D": (4, 0), "E": (2, 4), "F": (6, 2)},
    "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "E"], "rocker": ["D", "C", "F"]},
}
#: A boom that a cylinder lifts.
CRANE: dict[str, Any] = {
    "points": {"A": (0, 0), "P": (1, 1), "Q": (2, 2), "B": (3, 3), "D": (4, 0), "E": (3, 6)},
    "links": {"ground": ["A", "D"], "barrel": ["A", "P"], "rod": ["Q", "B"], "boom": ["D", "B", "E"]},
    "joints": {"guide": {"type": "prismatic", "links": ["barrel", "rod"], "at": "Q", "axis": [1, 1]}},
}


def welded(mechanism: dict[str, Any], one: str, other: str) -> dict[str, Any]:
    return {**mechanism, "joints": {**mechanism.get("joints", {}), "weld": {"type": "fastened", "links": [one, other]}}}


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "the travel of a cylinder whose parts are welded": {
        **welded(CRANE, "barrel", "rod"), "drivers": {"ram": {"joint": "guide", "speed": 1.0}},
    },
    "the length of the same cylinder": {
        **welded(CRANE, "barrel", "rod"), "drivers": {"ram": {"between": ["A", "B"], "speed": 1.0}},
    },
    "the angle between welded links": {
        **welded(FOUR_BAR, "crank", "coupler"), "drivers": {"ram": {"links": ["crank", "coupler"], "speed": 1.0}},
    },
    "a distance within welded links": {
        **welded(FOUR_BAR, "coupler", "rocker"), "drivers": {"ram": {"between": ["E", "F"], "speed": 0.1}},
    },
    "two drivers within a composite link": {
        **FOUR_BAR,
        "drivers": {"fold": {"joint": "C", "speed": 0.2}, "ram": {"between": ["E", "F"], "speed": 0.1}},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", few(CONTRADICTIONS))
def test_no_verb_moves_it(name):
    m = sk.Mechanism(**CONTRADICTIONS[name], duration=1.0)
    for method in METHODS:
        with pytest.raises(sk.StructureError, match="ram repeats"):
            m.solve(5, method=method)
    with pytest.raises(sk.StructureError, match="ram repeats"):
        m.solve_many(5, points={"A": [(0, 0), (0, 0.1)]})
    with pytest.raises(sk.StructureError, match="ram repeats"):
        m.limits("ram")


@pytest.mark.parametrize("name", few(CONTRADICTIONS, 3))
@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_no_simulation_moves_it(name, formulation):
    """With a pendulum that hangs from it and could swing."""
    data = CONTRADICTIONS[name]
    tip = "E"
    links = {**data["links"], "bob": {"points": [tip, "W"], "shape": "rod", "mass": 1.0}}
    drivers = {**data["drivers"], "swing": {"links": ["ground", "bob"]}}
    m = sk.Mechanism(**{**data, "points": {**data["points"], "W": (9, 9)}, "links": links, "drivers": drivers})
    with pytest.raises(sk.StructureError, match="ram repeats"):
        m.simulate(0.1, samples=3, formulation=formulation)


def bracket(**lengths: float) -> sk.Mechanism:
    """Three parts of a crank, fastened in a circle: `A-B` moves the second part away from where the third one is."""
    pairs = {"bolt": ["one", "two"], "weld": ["two", "three"], "key": ["three", "one"]}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (3, 0), "D": (3, 1), "E": (4, 2)},
        links={"ground": ["A"], "one": ["A", "B"], "two": ["B", "C"], "three": ["D", "E", "A"]},
        lengths=lengths,
        joints={id: {"type": "fastened", "links": links} for id, links in pairs.items()},
        drivers={"motor": {"joint": "A", "links": ["ground", "one"], "speed": 1.0}},
        duration=1.0,
    )


@pytest.mark.parametrize("method", METHODS)
def test_fastened_joints_in_a_circle_agree(method):
    assert bracket().solve(5, method=method).residual().max() < 1e-12
    with pytest.raises(sk.StructureError, match="do not agree"):
        bracket(**{"A-B": 2.0}).solve(5, method=method)


def test_fastened_joints_agree_in_each_variant():
    motions = bracket().solve_many(5, lengths={"A-B": [1.0, 2.0]})
    assert motions.ok.tolist() == [[True] * 5, [False] * 5]
    assert "do not agree" in str(motions.faults[1])


def test_fastened_joints_agree_where_nothing_is_driven():
    data = bracket(**{"A-B": 2.0}).source_dict
    data["joints"]["base"] = {"type": "fastened", "links": ["ground", "one"]}
    del data["drivers"]
    with pytest.raises(sk.StructureError, match="do not agree"):
        sk.Mechanism.from_dict(data).solve(t=[0.0])


@pytest.mark.parametrize(
    ("driver", "shift", "error"),
    [
        ({"joint": "A", "speed": 1.0}, 0.1, 2 * np.sin(0.05)),
        ({"between": ["A", "C"], "speed": 0.1}, 0.3 * sk.Mechanism(**FOUR_BAR).size, 0.3),
    ],
)
def test_the_residual_contains_the_drivers(driver, shift, error):
    """Their error: an angle, as the chord of the unit circle, or a length relative to the size."""
    motion = sk.Mechanism(**FOUR_BAR, drivers={"motor": driver}).solve(t=[0.0, 0.1])
    assert motion.residual().max() < 1e-12
    wrong = dataclasses.replace(motion, drivers={"motor": motion.drivers["motor"] + [[shift], [0], [0]]})
    np.testing.assert_allclose(wrong.residual(), error, rtol=1e-9)


@pytest.mark.parametrize("method", few(METHODS))
def test_joints_that_agree_only_around_the_sketch(method):
    """A follower is fastened to the frame by a bracket: the cam turns as long as it dwells, for one radian."""
    rise = [{"motion": "dwell", "over": 1.0}, {"motion": "cycloidal", "over": 2.0, "to": 0.4}]
    law = [*rise, {"motion": "cycloidal", "over": 2 * np.pi - 3.0, "to": 0}]
    lifter = {"cam": "cam", "follower": "lifter", "contact": "roller", "at": "U", "radius": 0.2, "law": law}
    m = sk.Mechanism(
        points={"A": (0, 0), "N": (0.5, 0.2), "U": (0, 2), "V": (0, 3)},
        links={"ground": ["A"], "cam": ["A", "N"], "lifter": ["U"], "bracket": ["U", "V"]},
        joints={
            "contact": {"type": "cam", **lifter},
            "guide": {"type": "prismatic", "links": ["lifter", "ground"], "at": "U", "axis": [0, 1]},
            "bolt": {"type": "fastened", "links": ["lifter", "bracket"]},
            "weld": {"type": "fastened", "links": ["bracket", "ground"]},
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    t = np.linspace(0, 2, 9)
    assert m.solve(t=t, method=method).ok.tolist() == (t <= 1).tolist()


@pytest.mark.parametrize("last", [False, True])
def test_a_rod_to_a_pin_of_the_frame_stays_at_rest(last):
    """Two rods between pins of the frame: nothing of them is left to solve, in whatever order the links are listed."""
    frame, rods = {"ground": ["A", "B", "K", "C"]}, {"one": ["A", "K"], "two": ["B", "K"], "crank": ["C", "D"]}
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (4, 0), "K": (1, 2), "C": (2, -1), "D": (3, -1)},
        links={**rods, **frame} if last else {**frame, **rods},
        drivers={"motor": {"joint": "C", "speed": 1.0}},
    )
    motion = m.solve(9)
    assert motion.ok.all() and motion.residual().max() < 1e-12
    np.testing.assert_allclose(motion.omega("one"), 0, atol=1e-12)


TRAIN: dict[str, Any] = {
    "points": {"A": (0, 0), "B": (3, 0), "C": (6, 0), "P": (0, 1)},
    "links": {"ground": ["A", "B", "C"], "first": ["A", "P"], "second": ["B"], "third": ["C"]},
    "drivers": {"motor": {"joint": "A", "speed": 1.0}},
}


def train(*more: tuple[str, str, str, float]) -> sk.Mechanism:
    """Three wheels in a row, of which the third turns with the first, and further wheels on the same shafts."""
    meshes = (("gear", "first", "second", -2.0), ("gear", "second", "third", -0.5), *more)
    joints = {f"mesh {k}": {"type": kind, "links": [a, b], "ratio": w} for k, (kind, a, b, w) in enumerate(meshes)}
    return sk.Mechanism(**TRAIN, joints=joints, duration=1.0)


@pytest.mark.parametrize("method", few(METHODS))
def test_wheels_that_mesh_twice(method):
    """They turn if the ratios agree, by any number of turns; else the train is locked."""
    for more in (("belt", "first", "third", 1.0), ("gear", "second", "first", -0.5)):
        motion = train(more).solve(5, duration=40.0, method=method)
        assert motion.ok.all() and motion.residual().max() < 1e-12
        np.testing.assert_allclose(motion.turn("third"), motion.t, atol=1e-9)
        np.testing.assert_allclose(motion.turn("second"), -motion.t / 2, atol=1e-9)
    for more in (("belt", "first", "third", 1.5), ("gear", "first", "second", -1.5)):
        with pytest.raises(sk.StructureError, match=r"repeats what .* mesh 2"):
            train(more).solve(5, method=method)


@pytest.mark.parametrize(
    "joint",
    [
        {"type": "prismatic", "links": ["coupler", "tab"], "axis": [1, 1]},
        {"type": "pin-in-slot", "pin": "Q", "slot": "coupler", "axis": [1, 2]},
        {"type": "fastened", "links": ["tab", "coupler"]},
    ],
)
def test_a_joint_between_welded_links_that_does_not_move(joint):
    """It repeats what the weld does, and changes nothing; driven, it contradicts the weld."""
    data = welded({**FOUR_BAR, "links": {**FOUR_BAR["links"], "tab": ["Q"]}}, "coupler", "tab")
    data |= {"points": {**FOUR_BAR["points"], "Q": (3, 3.5)}, "drivers": {"motor": {"joint": "A", "speed": 0.4}}}
    data["joints"]["more"] = joint
    motion = sk.Mechanism(**data).solve(7, duration=2.0)
    plain = sk.Mechanism(**FOUR_BAR, drivers=data["drivers"]).solve(7, duration=2.0)
    assert motion.ok.all() and motion.residual().max() < 1e-12
    np.testing.assert_allclose(motion.position("F"), plain.position("F"), atol=1e-12)
    np.testing.assert_allclose(motion.turn("tab"), plain.turn("coupler"), atol=1e-12)
    if joint["type"] != "fastened":
        data["drivers"] = {"ram": {"joint": "more", "speed": 0.1}}
        with pytest.raises(sk.StructureError, match="ram"):
            sk.Mechanism(**data).solve(7, duration=2.0)
