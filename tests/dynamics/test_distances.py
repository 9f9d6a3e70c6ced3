"""Distances as free coordinates: they have no rate at zero and turn back where others do not.

Trammels and blocks have closed forms; other mechanisms are compared with the same motion in equations with multipliers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk


def trammel(**parts: Any) -> sk.Mechanism:
    """A bar of 1 kg on two pins in crossed slots (c27): it turns at a constant rate, its kinetic energy is constant.

    The pin P is 1 m from Q. At P = (0.8, 0) the bar's angle is pi - arcsin 0.6, and dP/dt = 1 turns it by 1 / 0.6.
    """
    return sk.Mechanism(
        points={"O": (0, 0), "X": (1, 0), "Y": (0, 1), "P": (0.8, 0), "Q": (0, 0.6), "T": (1.6, -0.6)},
        links={
            "ground": ["O", "X", "Y"],
            "bar": {"points": ["P", "Q", "T"], "mass": 1, "center": (0.4, 0.3), "inertia": 0.05},
        },
        joints={
            "sx": {"type": "pin-in-slot", "pin": "P", "slot": "ground", "along": ["O", "X"]},
            "sy": {"type": "pin-in-slot", "pin": "Q", "slot": "ground", "along": ["O", "Y"]},
        },
        **parts,
    )


@pytest.mark.parametrize(
    "driver", few([{"between": ["O", "P"]}, {"between": ["O", "Q"]}, {"joint": "sx"}, {"joint": "sy"}], 2)
)
@pytest.mark.parametrize("call", [{}, {"integrator": "LSODA"}, {"integrator": "rk4", "step": 0.01}])
def test_a_trammel_turns_for_ever(driver: dict[str, Any], call: dict[str, Any]) -> None:
    """It stopped at 0.386 s, where the pin turns back, and again where it passes the crossing."""
    speed = -4 / 3 if "Q" in driver.get("between", ()) or driver.get("joint") == "sy" else 1.0
    m = trammel(drivers={"q": driver}, initial={"q": {"speed": speed}})
    r = m.simulate(3.0, samples=61, engine="python", **call)
    turned = math.pi - math.asin(0.6) + r.t / 0.6
    assert not r.stopped
    assert r.angle("bar") == pytest.approx(turned, abs=1e-6)
    assert r.energy == pytest.approx(np.full(61, r.energy[0]), rel=1e-8)
    place = {"O": np.abs(np.cos(turned)), "P": -np.cos(turned), "Q": np.sin(turned)}
    own = place["O"] if driver.get("between") == ["O", "P"] else None
    own = np.abs(place["Q"]) if driver.get("between") == ["O", "Q"] else own
    own = place["P"] - 0.8 if driver.get("joint") == "sx" else own
    own = place["Q"] - 0.6 if driver.get("joint") == "sy" else own
    assert r.drivers["q"][0] == pytest.approx(own, abs=1e-6)


@pytest.mark.compiled
def test_compiled_equations_leave_a_distance_as_well() -> None:
    m = trammel(drivers={"q": {"between": ["O", "P"]}}, initial={"q": {"speed": 1.0}})
    r = m.simulate(3.0, samples=31, engine="compiled", integrator="rk4", step=0.005)
    assert not r.stopped
    assert r.angle("bar") == pytest.approx(math.pi - math.asin(0.6) + r.t / 0.6, abs=1e-7)


@pytest.mark.parametrize("aside", few([0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.05], 3))
@pytest.mark.parametrize(
    "call", [{}, {"integrator": "LSODA"}, {"integrator": "Radau"}, {"integrator": "rk4", "step": 1e-2}]
)
def test_a_block_passes_the_point_that_its_distance_is_measured_from(aside: float, call: dict[str, Any]) -> None:
    """At 1 m/s, at some distance beside the point (c28): its distance turned back, and time stood still."""
    m = sk.Mechanism(
        points={"O": (0, aside), "S": (-1, 0)},
        links={"ground": ["O"], "block": {"points": ["S"], "mass": 1}},
        joints={"rail": {"type": "prismatic", "links": ["ground", "block"], "at": "S", "axis": (1, 0)}},
        drivers={"gap": {"between": ["O", "S"]}},
        initial={"S": {"velocity": (1, 0)}},
    )
    r = m.simulate(2.0, samples=41, engine="python", max_steps=5000, **call)
    assert not r.stopped
    assert r.position("S")[:, 0] == pytest.approx(r.t - 1, abs=1e-5)
    assert r.drivers["gap"][0] == pytest.approx(np.hypot(r.t - 1, aside), abs=1e-5)
    assert np.isfinite(r.drivers["gap"]).all()


def test_a_distance_has_rates_at_zero() -> None:
    """At the point itself, on either side of it: the rate is the speed, the second rate the acceleration along it."""
    m = sk.Mechanism(
        points={"O": (0, 0), "S": (-1, 0)},
        links={"ground": ["O"], "block": {"points": ["S"], "mass": 2}},
        joints={"rail": {"type": "prismatic", "links": ["ground", "block"], "at": "S", "axis": (1, 0)}},
        drivers={"gap": {"between": ["O", "S"]}},
        forces={"push": {"type": "force", "at": "S", "value": (1, 0)}},
        initial={"gap": {"speed": -0.75}},
    )
    r = m.simulate([0.0, 0.5, 1.0, 1.5], engine="python", integrator="rk4", step=0.05)
    assert r.position("S")[2, 0] == pytest.approx(0, abs=1e-15)
    x, side = -1 + 0.75 * r.t + 0.25 * r.t**2, np.sign(r.drivers["gap"][1])
    assert side[[0, 1, 3]].tolist() == [-1, -1, 1]
    assert r.drivers["gap"] * side == pytest.approx(np.array([x, 0.75 + 0.5 * r.t, np.full(4, 0.5)]), abs=1e-12)


def bar_on_slots(seed: int) -> tuple[sk.Mechanism, dict[str, Any]]:
    """A bar under gravity on two pins in slots of the ground, straight or circular, with its possible coordinates."""
    rng = np.random.default_rng(seed)
    points = {"O": (-1.2, 0.3), "X": (1.3, -0.2), "P": (0.1, 0.0), "Q": (0.5, 0.8), "T": (0.9, -0.3)}
    points = {name: tuple((np.array(place) + rng.uniform(-0.1, 0.1, 2)).tolist()) for name, place in points.items()}
    slots: dict[str, Any] = {}
    for pin, center in (("P", "O"), ("Q", "X")):
        turn = rng.uniform(0, math.pi)
        straight = {"axis": (math.cos(turn), math.sin(turn))}
        slots[f"slot {pin}"] = {
            "type": "pin-in-slot", "pin": pin, "slot": "ground",
            **(straight if rng.random() < 0.5 else {"center": center}),
        }  # fmt: skip
    parts: dict[str, Any] = {
        "points": points,
        "links": {
            "ground": ["O", "X"],
            "bar": {"points": ["P", "Q", "T"], "mass": 1, "center": points["T"], "inertia": 0.1},
        },
        "joints": slots,
        "forces": {"gravity": (0, -9.81)},
    }
    drivers: list[dict[str, Any]] = [{"between": ["O", "Q"]}, {"between": ["X", "P"]}, {"links": ["ground", "bar"]}]
    drivers += [{"joint": slot} for slot, entry in slots.items() if "axis" in entry]
    return sk.Mechanism(**parts, drivers={"q": drivers[rng.integers(len(drivers))]}), parts


@pytest.mark.parametrize("seed", few(range(8), 2))
def test_bars_on_slots_in_any_coordinate(seed: int) -> None:
    """The same motion with multipliers."""
    m, _ = bar_on_slots(seed)
    r = m.simulate(1.0, samples=21, engine="python", rtol=1e-10, atol=1e-11)
    reference = m.simulate(1.0, samples=21, engine="python", formulation="multipliers", rtol=1e-10, atol=1e-11)
    assert not r.stopped and not reference.stopped
    for point in ("P", "Q", "T"):
        assert r.position(point) == pytest.approx(reference.position(point), abs=1e-6)
    assert r.drivers["q"][0] == pytest.approx(reference.drivers["q"][0], abs=1e-6)
    assert r.energy == pytest.approx(np.full(21, r.energy[0]), abs=1e-7 * np.max(r.kinetic_energy))


# --- where no driver is given -------------------------------------------------------------------------------


def rolling_disc() -> sk.Mechanism:
    """A disc of 2 kg and 0.1 m that rolls down a slope of 3 in 5, touching nothing else."""
    return sk.Mechanism(
        points={"O": (0, 0), "X": (4, -3), "C": (0.06, 0.08)},
        links={"ground": ["O", "X"], "disc": {"points": ["C"], "mass": 2, "inertia": 0.01}},
        joints={"roll": {"type": "rolling", "links": ["disc", "ground"], "along": ["O", "X"], "radius": 0.1}},
        forces={"gravity": (0, -10)},
    )


def test_a_disc_rolls_without_a_driver() -> None:
    """g sin(slope) / (1 + J / m r^2) = 6 / 1.5 along the slope; "connect it to a known link" was all that was said."""
    r = rolling_disc().simulate(1.0, samples=5)
    assert r.position("C") == pytest.approx(np.array([0.06, 0.08]) + 2 * r.t[:, None] ** 2 * [0.8, -0.6], abs=1e-9)
    assert list(r.drivers) == ["ground disc free"]
    assert r.angle("disc") == pytest.approx(-2 * r.t**2 / 0.1, abs=1e-8)
    with pytest.raises(sk.InputError, match=r'drive its angle, links = \["ground", "disc"\]'):
        rolling_disc().solve(t=[0.0])


def test_inputs_name_angles_and_travels_of_links_without_a_pivot() -> None:
    [choice] = rolling_disc().rank_inputs()
    assert [(one.kind, one.links) for one in choice.drivers] == [("angle", ("ground", "disc"))]
    choices = trammel().rank_inputs()
    found = {one.kind + (one.joint or "") for choice in choices for one in choice.drivers}
    assert found == {"slidesx", "slidesy", "angle"}
    r = trammel(initial={"bar": {"omega": 1 / 0.6}}).simulate(3.0, samples=7, engine="python")
    assert r.angle("bar")[-1] == pytest.approx(math.pi - math.asin(0.6) + 5, abs=1e-6)


def test_a_free_rod_in_a_slot_needs_a_travel_and_an_angle() -> None:
    """Without friction, a pendulum on a pin in a level slot: its centre falls straight, momentum along x is kept."""
    m = sk.Mechanism(
        points={"P": (0, 0), "Q": (0.6, 0.8)},
        links={"ground": [], "rod": {"points": ["P", "Q"], "shape": "rod", "mass": 3}},
        joints={"slot": {"type": "pin-in-slot", "pin": "P", "slot": "ground", "axis": (1, 0)}},
        forces={"gravity": (0, -10)},
    )
    r = m.simulate(2.0, samples=41, engine="python")
    assert sorted(r.drivers) == ["ground rod free", "slot free"]
    middle = 0.5 * (r.position("P") + r.position("Q"))
    assert middle[:, 0] == pytest.approx(np.full(41, 0.3), abs=1e-7)
    assert r.energy == pytest.approx(np.full(41, 3 * 10 * 0.4), rel=1e-8)


def test_a_curved_slot_cannot_be_an_input() -> None:
    _, parts = bar_on_slots(0)
    curved = {"type": "pin-in-slot", "pin": "P", "slot": "ground", "center": "O"}
    straight = {"type": "pin-in-slot", "pin": "Q", "slot": "ground", "axis": (1, 0)}
    m = sk.Mechanism(**{**parts, "joints": {"arc": curved, "line": straight}})
    found = {one.joint for choice in m.rank_inputs() for one in choice.drivers}
    assert found == {"line", None}
    with pytest.raises(sk.InputError, match=r"a curved slot \('arc'\) cannot be driven"):
        sk.Mechanism(**{**parts, "joints": {"arc": curved, "line": straight}}, drivers={"q": {"joint": "arc"}})


# --- where time stands still --------------------------------------------------------------------------------


@pytest.mark.full
def test_a_run_whose_time_stands_still_ends() -> None:
    """A block falls to a centre that pulls with k / x^2: from rest at 1 m it is there after pi / (2 sqrt(2 k))."""
    m = sk.Mechanism(
        points={"S": (1, 0)},
        links={"ground": [], "block": {"points": ["S"], "mass": 1}},
        joints={"rail": {"type": "prismatic", "links": ["ground", "block"], "at": "S", "axis": (1, 0)}},
        drivers={"x": {"joint": "rail"}},
    )

    def pull(t: Any, state: sk.Motion) -> Any:
        x = float(state.position("S")[0, 0])
        return [sk.Force("S", (-0.1 / (x * abs(x)), 0.0))]

    r = m.simulate(10.0, loads=[pull], integrator="LSODA", max_steps=10_000)
    assert "time stands still: the last 1000 steps advanced it by" in r.stopped
    assert float(r.stopped.split()[2]) == pytest.approx(math.pi / (2 * math.sqrt(0.2)), rel=1e-4)
    assert r.integration.steps < 3000


def test_a_pin_stays_on_its_side_of_the_nearest_point() -> None:
    """A disc in a curved track passes the point nearest to H, from which its place is measured.

    Newton's method jumped to the place at the same distance on the other side, in one step and without a word: 85 % of
    the energy was lost.
    """
    track = [(math.cos(x), 1.3 * math.sin(x)) for x in np.linspace(-3.0, -0.1, 21).tolist()]
    P = track[10]
    m = sk.Mechanism(
        points={"C": (0, 0.2), "H": (0.3, -0.4), "P": P},
        links={
            "ground": ["C"],
            "plate": {"points": ["C", "H"], "mass": 2, "center": (0, 0), "inertia": 0.7051125150390551},
            "disc": {"points": ["P"], "mass": 1, "center": P, "inertia": 0.1},
        },
        joints={"slot": {"type": "pin-in-slot", "pin": "P", "slot": "plate", "on": "disc", "through": track}},
        drivers={"plate": {"joint": "C"}, "far": {"between": ["C", "P"]}, "turn": {"links": ["ground", "disc"]}},
        forces={"gravity": (0, -5)},
        initial={"plate": {"speed": 0.09995450541030003}, "far": {"speed": -0.7372690770617422}, "turn": {"speed": 1}},
    )
    r = m.simulate(0.06, samples=13, engine="python")
    assert not r.stopped
    assert r.energy == pytest.approx(np.full(13, r.energy[0]), rel=1e-6)
