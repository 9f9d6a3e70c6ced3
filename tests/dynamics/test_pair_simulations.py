"""Simulations of geared, rolling, cam-driven and Geneva mechanisms: energy, inertia, and inverse dynamics."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cam_samples import eccentric
from cases import few
from geneva_samples import geneva
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, DYADS, GEARED
from test_multipliers import reactions_do_the_work_of_the_multipliers
from test_simulate import efforts_come_back

import structkin as sk
from structkin.examples import path

sys.path.insert(0, str(Path(__file__).parents[1] / "global_methods"))
from coordinate_samples import KINDS, cam_file, circular_slot, train

sys.path.pop(0)


def let_go(plain: dict[str, Any], speed: float = 1.0, **more: Any) -> sk.Mechanism:
    """The mechanism with masses on all links and free drivers, under gravity alone."""
    data = json.loads(json.dumps(plain))
    for name, points in list(data["links"].items()):
        if name != "ground":
            entry = dict(points) if isinstance(points, dict) else {"points": points}
            place = np.mean([data["points"][point] for point in entry["points"]], axis=0)
            data["links"][name] = {**entry, "mass": "1 kg", "center": place.tolist(), "inertia": 0.05}
    for driver in data["drivers"].values():
        for key in ("speed", "law", "table", "csv"):
            driver.pop(key, None)
        driver.update(more)
    data["initial"] = {id: {"speed": speed} for id in data["drivers"]}
    return sk.Mechanism.from_dict({**data, "forces": {"gravity": [0, -9.81]}})


def assert_conserves(m: sk.Mechanism, end: float, tolerance: float = 3e-8, **how: Any) -> sk.Simulation:
    r = m.simulate(end, samples=11, **how)
    assert not r.stopped and np.ptp(r.kinetic_energy) > 0
    assert np.abs(r.energy - r.energy[0]).max() < tolerance * max(1.0, np.ptp(r.kinetic_energy))
    assert r.violation.max() < 1e-12
    return r


@pytest.mark.parametrize(
    "name", ["geared_five_bar", "planetary_train", "rack_and_pinion", "rolling_lift_bridge", "wafer_arm"]
)
def test_geared_and_rolling_examples(name: str) -> None:
    assert_conserves(let_go(sk.load(path(name)).source_dict), 0.5)


@pytest.mark.parametrize(("kind", "contact"), few(KINDS, 1))
def test_cams_by_their_law(kind: str, contact: str) -> None:
    """Between segments the third derivative jumps: what a longer step across costs hangs on where its stages are."""
    assert_conserves(let_go(cam_file(kind, contact, np.random.default_rng(2)), 3.0), 0.4, rtol=1e-10)


def test_a_cam_by_its_profile() -> None:
    """A few fixed steps: the third derivative of the spline jumps at each row of the table."""
    r = assert_conserves(let_go(eccentric("roller", "translating").source_dict), 0.06, integrator="rk4", step=3e-3)
    force = r.forces().reaction("cam", "follower")
    normal = r.cam("cam").normal
    assert np.abs(force[:, 0] * normal[:, 1] - force[:, 1] * normal[:, 0]).max() < 1e-9 * np.abs(force).max()


def test_a_geneva_wheel_advances_by_steps() -> None:
    """The wheel is set in motion and stopped without loss; crank and wheel exchange their energy by its law."""
    m = let_go(geneva(4).source_dict, 8.0)
    r = assert_conserves(m, 0.8, tolerance=1e-6)
    assert np.abs(np.ptp(r.angle("wheel"))) > 1.0
    assert np.ptp(r.omega("crank")) > 0.1


def test_a_circular_slot() -> None:
    assert_conserves(let_go(circular_slot("in the ground").source_dict), 0.5)


def test_two_gears_are_one_inertia() -> None:
    """I_1 + I_2 / r^2 turns with one angular acceleration: T on 0.05 + 0.05 / 0.37^2, masses on their pins."""
    data = train().source_dict
    for link, pin in (("first", "A"), ("second", "B")):
        data["links"][link] = {"points": data["links"][link], "mass": 1, "center": data["points"][pin], "inertia": 0.05}
    data["drivers"] = {"motor": {"joint": "A", "torque": 0.5}}
    r = sk.Mechanism.from_dict(data).simulate(2.0, samples=5)
    alpha = 0.5 / (0.05 + 0.05 / 0.37**2)
    np.testing.assert_allclose(r.alpha("first"), alpha, rtol=1e-12)
    np.testing.assert_allclose(r.angle("first")[-1] - r.angle("first")[0], 0.5 * alpha * 4, rtol=1e-8)
    # The teeth carry what turns the second gear: F r_2 = I_2 alpha_2, with r_2 = 3 x 0.37 / 1.37.
    force = r.forces().reaction("mesh", "second")
    radius = 3 * 0.37 / 1.37
    np.testing.assert_allclose(np.hypot(*force.T), 0.05 * alpha / 0.37 / radius, rtol=1e-9)


@pytest.mark.parametrize("name", ["geared_five_bar", "planetary_train", "cam_lever_press", "geneva"])
def test_inverse_dynamics_returns_what_was_applied(name: str) -> None:
    m = let_go(sk.load(path(name)).source_dict, torque="1.5 + sin(3*t)")
    r = m.simulate(0.4, samples=21)
    assert not r.stopped
    back = r.forces()
    for id in m.drivers:
        np.testing.assert_allclose(back.driver(id), 1.5 + np.sin(3 * r.t), atol=1e-9)


@settings(max_examples=5, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6))
@example(262143)  # a group that counts an unwrapped angle after its directions
def test_random_geared_mechanisms(seed: int) -> None:
    efforts_come_back(seed, menu=(*GEARED, *GEARED, *DYADS, *DRIVEN))


# --- with multipliers -----------------------------------------------------------------------------------------

CARTESIAN = ("natural", "reference-point", "fully-cartesian")


def assert_same(m: sk.Mechanism, end: float, family: str, tolerance: float = 1e-6, **how: Any) -> None:
    """The equations with multipliers give the poses of the reduced equations, whole turns included."""
    reduced = m.simulate(end, samples=5)
    r = m.simulate(end, samples=5, formulation="multipliers", coordinates=family, **how)
    assert not r.stopped and not reduced.stopped
    for link in m.topology.moving_links:
        np.testing.assert_allclose(r.angle(link), reduced.angle(link), atol=tolerance)
        np.testing.assert_allclose(r.position(0j, link), reduced.position(0j, link), atol=tolerance * r.size)


@pytest.mark.parametrize("family", CARTESIAN)
@pytest.mark.parametrize(
    "name", ["geared_five_bar", "planetary_train", "rack_and_pinion", "rolling_lift_bridge", "wafer_arm"]
)
def test_multipliers_of_geared_and_rolling_examples(name: str, family: str) -> None:
    assert_same(let_go(sk.load(path(name)).source_dict), 0.3, family)


@pytest.mark.parametrize("family", few(CARTESIAN, 1))
def test_multipliers_of_cams_and_geneva_wheels(family: str) -> None:
    for kind, contact in KINDS[::4]:
        assert_same(let_go(cam_file(kind, contact, np.random.default_rng(2)), 3.0), 0.2, family)
    assert_same(let_go(geneva(4).source_dict, 8.0), 0.15, family, 1e-5)


@pytest.mark.parametrize("family", few(CARTESIAN, 1))
def test_multipliers_that_begin_whole_turns_away(family: str) -> None:
    for plain, value in ((train().source_dict, 20.0), (geneva(4).source_dict, 15.0)):
        data = let_go(plain).source_dict
        data["initial"] = {"motor": {"value": value, "speed": 4.0}}
        assert_same(sk.Mechanism.from_dict(data), 0.2, family)


@pytest.mark.parametrize("family", CARTESIAN)
@pytest.mark.parametrize("name", ["geared_five_bar", "cam_lever_press"])
def test_forces_do_the_work_of_the_multipliers(name: str, family: str) -> None:
    """The multiplier of a gear is a moment on three links; its reactions are still forces between two."""
    g = let_go(sk.load(path(name)).source_dict).simulate([0.0, 1e-3], formulation="multipliers", coordinates=family)
    reactions_do_the_work_of_the_multipliers(g)
    assert g.joints.not_unique == ()
