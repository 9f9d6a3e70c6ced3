"""Forces through higher pairs: by virtual work, link by link, and by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cam_samples import eccentric
from cases import blocks
from geneva_samples import geneva
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import burdened, loaded
from random_mechanisms import DRIVEN, DYADS, GEARED
from test_kinetostatics import agree, check

import structkin as sk
from structkin.examples import path
from structkin.joints.cam import Cam

sys.path.insert(0, str(Path(__file__).parents[1] / "global_methods"))
from coordinate_samples import KINDS, SLOTS, cam_file, circular_slot

sys.path.pop(0)

MIXED = (*GEARED, *GEARED, *DYADS, *DRIVEN)


# --- two methods ------------------------------------------------------------------------------------------------


@pytest.mark.full
@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 4))
def test_random_geared_mechanisms(seed: int, elements: int) -> None:
    check(loaded(seed, elements, menu=MIXED), samples=7)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(2000)))
def test_many_random_geared_mechanisms(seeds: range) -> None:
    for seed in seeds:
        check(loaded(seed, 1 + seed % 5, menu=MIXED), samples=5)


@pytest.mark.parametrize(("kind", "contact"), KINDS)
def test_cams_by_their_law(kind: str, contact: str) -> None:
    for seed in range(2):
        check(burdened(cam_file(kind, contact, np.random.default_rng(seed)), seed), samples=13)


@pytest.mark.parametrize(("kind", "contact"), KINDS)
def test_cams_by_their_profile(kind: str, contact: str) -> None:
    check(burdened(json.loads(json.dumps(eccentric(contact, kind).source_dict)), 1), samples=13)


@pytest.mark.parametrize("where", SLOTS)
def test_circular_slots(where: str) -> None:
    check(burdened(json.loads(json.dumps(circular_slot(where).source_dict)), 2), samples=13)


@pytest.mark.parametrize("slots", [3, 4, 6])
def test_geneva_wheels(slots: int) -> None:
    check(burdened(json.loads(json.dumps(geneva(slots, 1 + 0.4j).source_dict)), 3), samples=29)


@pytest.mark.parametrize(
    "name",
    ["geared_five_bar", "planetary_train", "rack_and_pinion", "rolling_lift_bridge", "wafer_arm", "geneva",
     "cam_lever_press", "cam_roller_follower"],
)  # fmt: skip
def test_examples(name: str) -> None:
    check(burdened(json.loads(json.dumps(sk.load(path(name)).source_dict)), 4), samples=17)


# --- by hand --------------------------------------------------------------------------------------------------


def train(kind: str, **sizes: Any) -> sk.Mechanism:
    """Two wheels on the ground at (0, 0) and (0.3, 0); 6 N m on the second, the first drives."""
    return sk.Mechanism(
        points={"A": (0, 0), "P": (0.05, 0), "B": (0.3, 0), "Q": (0.3, 0.1)},
        links={"ground": ["A", "B"], "first": ["A", "P"], "second": ["B", "Q"]},
        joints={"mesh": {"type": kind, "links": ["first", "second"], **sizes}},
        drivers={"motor": {"joint": "A", "speed": 2.0}},
        forces={"load": {"type": "moment", "links": ["ground", "second"], "value": 6.0}},
    )


def test_a_pair_of_gears() -> None:
    """r = -2: radii 0.1 and 0.2, 6 N m on the second are 30 N at the pitch point, and 3 N m on the first."""
    r = train("gear", teeth=[20, 40]).solve(5).forces()
    agree(r.driver("motor"), np.full(5, 3.0))
    agree(r.reaction_place("mesh", "first"), np.tile([0.1, 0.0], (5, 1)))
    agree(r.reaction("mesh", "second"), np.tile([0.0, 30.0], (5, 1)))
    agree(r.reaction("A", "first"), np.tile([0.0, 30.0], (5, 1)))
    agree(r.reaction("B", "second"), np.tile([0.0, -30.0], (5, 1)))
    agree(r.reaction_moment("mesh", "second"), np.zeros(5))
    assert r.unique("mesh")


def test_a_gear_inside_a_ring() -> None:
    """r = 2: radii 0.3 and 0.6, the pitch point is at -0.3."""
    r = train("gear", teeth=[20, 40], internal=True).solve(3).forces()
    agree(r.driver("motor"), np.full(3, -3.0))
    agree(r.reaction_place("mesh", "first"), np.tile([-0.3, 0.0], (3, 1)))
    agree(r.reaction("mesh", "second"), np.tile([0.0, 10.0], (3, 1)))


@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt(crossed: bool) -> None:
    """The spans pull with the difference of their tensions, half of it more in one and half of it less in the other."""
    a, b = 0.05, 0.1
    r = train("belt", radii=[a, b], crossed=crossed).solve(3).forces()
    sign = -1.0 if crossed else 1.0
    agree(r.driver("motor"), np.full(3, -sign * 3.0))
    difference = 6.0 / b
    # The directions of the spans from the first pulley to the second, mirrored in the line of centres.
    sine = (a + b if crossed else a - b) / 0.3
    spans = np.array([[np.sqrt(1 - sine**2), -sine], [np.sqrt(1 - sine**2), sine]])
    pull = 0.5 * difference * (spans[0] - spans[1])
    force = r.reaction("mesh", "first")
    assert np.abs(np.abs(force[:, 1]) - np.abs(pull[1])).max() < 1e-9 and np.abs(force[:, 0]).max() < 1e-9
    agree(r.reaction_moment("mesh", "second"), np.full(3, -6.0))
    agree(r.reaction_moment("mesh", "first"), np.full(3, sign * 3.0))
    agree(r.reaction_place("mesh", "second"), np.tile([0.3, 0.0], (3, 1)))


def test_equal_pulleys_feel_a_moment_alone() -> None:
    r = train("belt", radii=[0.1, 0.1]).solve(3).forces()
    agree(r.reaction("mesh", "first"), np.zeros((3, 2)))
    agree(r.driver("motor"), np.full(3, -6.0))


def test_a_rack() -> None:
    """12 N on the rack are 12 N at the pitch line, and 12 x 0.1 N m on the pinion."""
    m = sk.Mechanism(
        points={"A": (0, 0.1), "P": (0, 0.2), "R": (0, 0), "S": (1, 0)},
        links={"ground": ["A"], "pinion": ["A", "P"], "rack": ["R", "S"]},
        joints={"guide": {"type": "prismatic", "links": ["rack", "ground"], "axis": [1, 0]},
                "mesh": {"type": "rack", "links": ["pinion", "rack"], "along": ["R", "S"]}},
        drivers={"motor": {"joint": "A", "speed": -1.0}},
        forces={"load": {"type": "force", "at": "S", "on": "rack", "value": [12, 0]}},
    )  # fmt: skip
    r = m.solve(4, duration=0.5).forces()
    agree(r.driver("motor"), np.full(4, -1.2))
    agree(r.reaction("mesh", "rack"), np.tile([-12.0, 0.0], (4, 1)))
    agree(r.reaction_place("mesh", "rack"), np.zeros((4, 2)))


def test_a_wheel_on_a_slope_is_held_by_its_contact() -> None:
    """A disc rolls down a slope of 30 degrees, held by a torque at its centre: normal force and friction by hand."""
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    centre = (2 * c - 0.5 * s, 2 * s + 0.5 * c)
    m = sk.Mechanism(
        points={"P": (0, 0), "Q": (5 * c, 5 * s), "C": centre},
        links={"ground": ["P", "Q"], "wheel": {"points": ["C"], "mass": 2, "center": centre}},
        joints={"roll": {"type": "rolling", "links": ["wheel", "ground"], "radius": 0.5, "along": ["P", "Q"]}},
        drivers={"motor": {"links": ["ground", "wheel"], "speed": 0.0}},
        forces={"gravity": (0, -10)},
    )  # fmt: skip
    r = m.solve(t=[0.0]).forces()
    agree(r.reaction("roll", "wheel"), [[0.0, 20.0]])
    agree(r.reaction_place("roll", "wheel"), [[2 * c, 2 * s]])
    agree(r.contact_force("roll"), [20 * c])
    with pytest.raises(sk.InputError, match="is not a cam or a rolling contact"):
        r.contact_force("motor")
    agree(r.driver("motor"), [-20 * 0.5 * s])


@pytest.mark.parametrize(("internal", "down"), [(False, True), (True, True), (False, False)])
def test_circles_that_roll_press_on_each_other(internal: bool, down: bool) -> None:
    """A wheel on top of a drum, or at the bottom of a ring, presses with its weight; below a drum it would fall off."""
    at = (0, 1.4 if down else -1.4) if not internal else (0, -0.6)
    m = sk.Mechanism(
        points={"O": (0, 0), "C": at},
        links={"ground": ["O"], "wheel": {"points": ["C"], "mass": 3, "center": at}},
        joints={"roll": {"type": "rolling", "links": ["wheel", "ground"], "centers": ["C", "O"], "radii": [0.4, 1.0],
                         "internal": internal}},
        drivers={"motor": {"links": ["ground", "wheel"], "speed": 0.0}},
        forces={"gravity": (0, -10)},
    )  # fmt: skip
    r = m.solve(t=[0.0]).forces()
    agree(r.contact_force("roll"), [30.0 if down else -30.0])
    agree(r.reaction("roll", "wheel"), [[0.0, 30.0]])
    agree(r.reaction_place("roll", "wheel"), [[0.0, -1.0 if internal or not down else 1.0]])


def test_a_translating_roller_follower() -> None:
    """The cam pushes the follower along its normal: the torque is the load times the ratio of their speeds."""
    m = sk.load(path("cam_roller_follower"))
    data = json.loads(json.dumps(m.source_dict))
    data.pop("forces", None)
    cam = next(iter(m.joints.of(Cam).values()))
    touch = next(p for p, local in m.links[cam.follower].local.items() if local == cam.touch)
    data["forces"] = {"load": {"type": "force", "at": touch, "on": cam.follower, "value": [0, -100]}}
    motion = sk.Mechanism.from_dict(data).solve(37)
    r, id = motion.forces(static=True), next(iter(m.drivers))
    ok = motion.ok
    agree((r.driver(id) * motion.drivers[id][1])[ok], 100 * motion.velocity(touch, cam.follower)[ok, 1])
    force = r.reaction(cam.id, cam.follower)[ok]
    normal = motion.cam(cam.id).normal[ok]
    agree(force[:, 0] * normal[:, 1], force[:, 1] * normal[:, 0])
    agree(r.contact_force(cam.id)[ok], np.sum(force * normal, axis=1))
    assert (r.contact_force(cam.id)[ok] > 0).all()


def test_a_locked_geneva_wheel_rests_on_its_crank() -> None:
    """8 N m on the locked wheel go through the crank's shaft, 1 m away, and do not reach the motor."""
    data = geneva(4).source_dict
    data["forces"] = {"load": {"type": "moment", "links": ["ground", "wheel"], "value": 8.0}}
    motion = sk.Mechanism.from_dict(data).solve(41)
    r = motion.forces(static=True)
    engaged = motion.geneva("step").engaged
    assert engaged.any() and not engaged.all()
    agree(r.driver("motor")[~engaged], np.zeros((~engaged).sum()))
    agree(np.hypot(*r.reaction("step", "wheel")[~engaged].T), np.full((~engaged).sum(), 8.0))
    agree(r.driver("motor"), -8.0 * motion.omega("wheel"))


def test_a_circular_slot_pushes_along_its_radius() -> None:
    motion = circular_slot("in the ground").solve(9)
    m = motion.mechanism
    data = json.loads(json.dumps(m.source_dict))
    data["forces"] = {"load": {"type": "force", "at": "P", "on": "rod", "value": [3, -4]}}
    motion = sk.Mechanism.from_dict(data).solve(9)
    r = motion.forces(static=True)
    arm = motion.position("C") - motion.position("D")
    force = r.reaction("slot", "rod")
    agree(force[:, 0] * arm[:, 1], force[:, 1] * arm[:, 0])
    agree(r.reaction_place("slot", "rod"), motion.position("C"))
