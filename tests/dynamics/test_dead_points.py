"""Dead points in simulations: the coordinates change automatically, and the motion is that in good coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from flat import ROD, crank_rocker, rocker_speed
from scipy.integrate import solve_ivp

import structkin as sk
from structkin.dynamics.reduced.partitioned import Partitioned


@pytest.mark.parametrize(("base", "end"), [(None, 0.8), ("0.5*t", 0.4), ("free", 0.4)])
def test_a_rocker_swings_through_the_ends_of_its_stroke(base, end):
    """As the crank turns, the rocker's coordinate passes a dead point twice a turn."""
    t = np.linspace(0, end, 41)
    good = crank_rocker("crank", base).simulate(t, rtol=1e-12, atol=1e-12)
    found = crank_rocker("rocker", base, rocker_speed()).simulate(t, rtol=1e-12, atol=1e-12)
    assert not found.stopped and np.ptp(good.drivers["crank"][0]) > 0.9 * np.pi
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-9)
    assert found.velocity("C") == pytest.approx(good.velocity("C"), abs=1e-7)
    assert found.acceleration("C") == pytest.approx(good.acceleration("C"), abs=1e-6)
    swing = good.angle("rocker") - (good.angle("arm") if base is not None else 0)
    assert np.diff(found.drivers["rocker"][0]) == pytest.approx(np.diff(swing), abs=1e-9)
    assert found.violation.max() < 1e-14
    if base is not None:
        assert found.efforts["turn"] == pytest.approx(good.efforts["turn"], abs=1e-6)


def triad_rocker(joint: str, speed: float) -> sk.Mechanism:
    """A Stephenson III six-bar: driven at A, a four-bar and a dyad; driven at E, a triad, which swings."""
    points = {
        "A": (0, 0), "B": (0.025, 0.1), "C": (0.095, 0.115), "D": (0.15, 0.02), "E": (-0.09, 0.135),
        "F": (-0.06, 0.215), "P": (0.015, 0.115),
    }  # fmt: skip
    links = {name: {"points": list(ends), **ROD} for name, ends in {"left": "AB", "right": "DC", "rod": "FP"}.items()}
    links |= {"crank": {"points": ["E", "F"], **ROD}}
    links |= {"plate": {"points": ["B", "C", "P"], "mass": 1, "center": [0.045, 0.11], "inertia": 1e-3}}
    return sk.Mechanism(
        points=points,
        links={"ground": ["A", "D", "E"], **links},
        drivers={"q": {"joint": joint}},
        forces={"gravity": (0, -9.81)},
        initial={"q": {"speed": speed}},
    )


def test_a_triad_swings_through_its_dead_points():
    """A group without a closed form is singular there, but not when another joint is the coordinate."""
    m = triad_rocker("E", 6.0)
    left = m.solve(drivers={"q": ([m.drivers["q"].start], [6.0])}).omega("left")[0]
    t = np.linspace(0, 0.2, 21)
    found = m.simulate(t, rtol=1e-11, atol=1e-11)
    good = triad_rocker("A", float(left)).simulate(t, rtol=1e-11, atol=1e-11)
    assert "class III order 3" in [group.kind for group in m.structure().groups]
    turned = np.diff(found.angle("crank"))
    assert not found.stopped and turned[0] > 0 > turned[-1]
    assert found.position("P") == pytest.approx(good.position("P"), abs=1e-9)
    assert found.angle("crank") == pytest.approx(good.angle("crank"), abs=1e-9)


@pytest.mark.parametrize(("integrator", "bound"), [("rk4", 2e-5), ("abm4", 2e-5), ("gear4", 1e-4)])
def test_fixed_steps_pass_dead_points(integrator, bound):
    t = np.linspace(0, 0.5, 6)
    good = crank_rocker("crank").simulate(t)
    found = crank_rocker("rocker", None, rocker_speed()).simulate(t, integrator=integrator, step=2e-3)
    assert not found.stopped
    assert found.position("B") == pytest.approx(good.position("B"), abs=bound)


def test_efforts_of_a_free_coordinate_continue_at_its_dead_point():
    """A torque on the rocker has the same effect as a moment on the link, which needs no coordinate."""
    t, speed = np.linspace(0, 0.6, 13), rocker_speed()
    torque = crank_rocker("rocker", None, speed).source_dict
    torque["drivers"]["rocker"]["torque"] = "3 + 2*t"
    moment = crank_rocker("crank").source_dict
    moment["forces"]["push"] = {"type": "moment", "links": ["ground", "rocker"], "law": "3 + 2*t"}
    found = sk.Mechanism.from_dict(torque).simulate(t, rtol=1e-12, atol=1e-12)
    good = sk.Mechanism.from_dict(moment).simulate(t, rtol=1e-12, atol=1e-12)
    assert not found.stopped and np.ptp(good.drivers["crank"][0]) > 1.5 * np.pi
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-9)
    assert found.efforts["rocker"] == pytest.approx(3 + 2 * t)


def beside_a_dead_point(joint: str) -> sk.Mechanism:
    """A slider-crank with its crank 1e-6 rad from the dead point: the slider is almost at rest while the rods fall."""
    x, y = np.cos(1e-6), np.sin(1e-6)
    return sk.Mechanism(
        points={"A": (0, 0), "B": (x, y), "C": (x + np.sqrt(9 - y * y), 0)},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], **ROD},
            "rod": {"points": ["B", "C"], **ROD},
            "slide": ["C"],
        },
        joints={"guide": {"type": "prismatic", "links": ["ground", "slide"], "at": "C", "axis": [1, 0]}},
        drivers={"q": {"joint": joint}},
        forces={"gravity": (0, -9.81)},
    )


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("integrator", [{"integrator": "DOP853"}, {"integrator": "rk4", "step": 0.002}])
def test_a_start_beside_a_dead_point(integrator, engine):
    """The reduced equations cannot begin in the slider's travel, and say so; equations of all links can."""
    with pytest.raises(sk.InputError, match="t = 0 s: the coordinates are singular, with q free; at a dead point"):
        beside_a_dead_point("guide").simulate(0.2, engine=engine, **integrator)
    t = np.linspace(0, 0.2, 5)
    found = beside_a_dead_point("guide").simulate(t, formulation="multipliers", engine=engine, **integrator)
    good = beside_a_dead_point("A").simulate(t)
    assert not found.stopped and abs(good.angle("crank")[-1]) > 0.1
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-7)


def hanging(joint: str, initial: dict) -> sk.Mechanism:
    """A slider-crank above its slide: a crank of 0.4 m, a rod of 1 m, all links of 1 kg."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.24, -0.32), "C": (0, -0.32 - np.sqrt(1 - 0.24**2))},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], **ROD},
            "rod": {"points": ["B", "C"], **ROD},
            "slide": {"points": ["C"], "mass": 1},
        },
        joints={"guide": {"type": "prismatic", "links": ["ground", "slide"], "at": "C", "axis": [0, 1]}},
        drivers={"q": {"joint": joint}},
        forces={"gravity": (0, -9.81)},
        initial=initial,
    )


def hanging_angle(angle: float, speed: float, t: np.ndarray) -> np.ndarray:
    """The crank's angle (n,) by Lagrange's equation: M a'' + M' a'^2 / 2 + V' = 0, its derivatives by complex steps."""

    def places(a: complex) -> np.ndarray:
        """The middle of the crank, that of the rod, and the slide, x then y; then the angle of the rod."""
        x, y = 0.4 * np.cos(a), 0.4 * np.sin(a)
        down = np.sqrt(1 - x * x)
        return np.array([x / 2, y / 2, x / 2, y - down / 2, 0 * x, y - down, np.arcsin(x)])

    def inertia(a: float) -> float:
        by = places(a + 1e-30j).imag / 1e-30
        return float(by[:6] @ by[:6] + by[6] ** 2 / 12 + 0.4**2 / 12)

    def rate(_: float, s: np.ndarray) -> list[float]:
        a, h = s[0], 1e-3
        slope = (8 * (inertia(a + h) - inertia(a - h)) - inertia(a + 2 * h) + inertia(a - 2 * h)) / (12 * h)
        fall = 9.81 * float(np.sum(places(a + 1e-30j).imag[1:6:2])) / 1e-30
        return [s[1], -(0.5 * slope * s[1] ** 2 + fall) / inertia(a)]

    return solve_ivp(rate, (t[0], t[-1]), [angle, speed], "DOP853", t, rtol=1e-12, atol=1e-12).y[0]


@pytest.mark.parametrize("speed", [2.0, 0.0])
@pytest.mark.parametrize("angle", [np.pi / 2, -np.pi / 2])
def test_a_start_at_a_dead_point_by_the_angle_and_the_rate_of_a_link(angle, speed):
    """The slide's travel tells neither; with no rate, the crank rests there."""
    t = np.linspace(0, 1, 21)
    m = hanging("guide", {"crank": {"angle": angle, "omega": speed}})
    found = m.simulate(t, rtol=1e-11, atol=1e-12)
    assert not found.stopped and not found.corrections and list(found.drivers) == ["q"]
    assert found.angle("crank") == pytest.approx(hanging_angle(angle, speed, t), abs=1e-8)
    assert found.drivers["q"][0] == pytest.approx(found.travel("guide")) and found.omega("crank")[0] == speed
    assert abs(found.energy - found.energy[0]).max() < 1e-8


@pytest.mark.parametrize("family", ["natural", "reference-point", "fully-cartesian", "relative"])
def test_a_start_at_a_dead_point_with_multipliers(family):
    """It was found in the slide's travel, and the crank began 5e-5 rad from there."""
    t = np.linspace(0, 1, 21)
    m = hanging("guide", {"crank": {"angle": np.pi / 2, "omega": 2.0}})
    found = m.simulate(t, rtol=1e-11, atol=1e-12, formulation="multipliers", coordinates=family)
    assert not found.stopped and not found.corrections and found.violation.max() < 1e-13
    assert found.angle("crank") == pytest.approx(hanging_angle(np.pi / 2, 2.0, t), abs=1e-8)


@pytest.mark.parametrize("middle", [0.0, 1e3])
def test_a_start_at_a_dead_point_with_multipliers_and_whole_turns(middle):
    """A wheel on the crank's belt winds up a spring, here and far from the origin; the crank as coordinate agrees."""
    wheel, belt = {"points": ["W", "R"], **ROD}, {"type": "belt", "links": ["crank", "wheel"], "ratio": 0.4}
    spring, start = {"type": "torsion", "links": ["ground", "wheel"], "stiffness": 0.1}, np.pi / 2
    t, runs = np.linspace(0, 1, 5), []
    for joint, initial in (
        ("guide", {"crank": {"angle": start, "omega": 3}}),
        ("A", {"q": {"value": start, "speed": 3}}),
    ):
        data = hanging(joint, initial).source_dict
        data["points"] = {name: (x + middle, y - middle) for name, (x, y) in data["points"].items()}
        data["points"] |= {"W": (1 + middle, -middle), "R": (1.2 + middle, -middle)}
        data["links"] |= {"ground": ["A", "W"], "wheel": wheel}
        data["joints"]["belt"], data["forces"]["spring"] = belt, spring
        m = sk.Mechanism.from_dict(data)
        runs.append(m.simulate(t, rtol=1e-11, atol=1e-12, formulation="multipliers", coordinates="natural"))
    found, good = runs
    assert not found.corrections and np.ptp(good.angle("wheel")) > 2 * np.pi
    assert found.angle("wheel") == pytest.approx(good.angle("wheel"), abs=1e-8)


def test_joint_forces_at_a_dead_point_are_those_of_the_effort_that_is_known():
    """The equations leave the slide's effort open there: it was any number, and so were the forces of the joints."""
    found = hanging("guide", {"crank": {"angle": np.pi / 2, "omega": 2.0}}).simulate([0.0, 0.1]).forces()
    # With the crank upright and its rate w = 2 rad/s, C y'' is (0.4^2 - 0.4) w^2, B y'' is -0.4 w^2; nothing is pushed
    # aside, as no moment turns the crank.
    slide, pin = (0.4**2 - 0.4) * 2**2, -0.4 * 2**2
    assert found.driver("q")[0] == 0
    assert found.reaction("A", "crank")[0] == pytest.approx(
        [0, 3 * 9.81 + pin / 2 + (pin + slide) / 2 + slide], abs=1e-9
    )


@pytest.mark.parametrize("base", ["0.5*t", "free"])
def test_a_start_at_a_dead_point_of_one_of_several_coordinates(base):
    """The rocker stands still on its arm where the crank and the coupler are in line."""
    t, reach = np.linspace(0, 0.4, 9), 0.5 + np.hypot(1.1, 1.0)
    crank = float(np.arccos((reach**2 + 2**2 - (0.5**2 + 1.3**2)) / (2 * reach * 2)))
    arm = {"turn": {"value": 0.0, "speed": 0.5}} if base == "free" else {}
    starts = {"rocker": {"crank": {"angle": crank, "omega": 9.0}}, "crank": {"crank": {"value": crank, "speed": 8.5}}}
    found, good = (
        crank_rocker(name, base).with_initial({**start, **arm}).simulate(t, rtol=1e-11, atol=1e-11)
        for name, start in starts.items()
    )
    assert not found.stopped and abs(found.drivers["rocker"][1, 0]) < 1e-9
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-8)
    swing = good.angle("rocker") - good.angle("arm")
    assert np.diff(found.drivers["rocker"][0]) == pytest.approx(np.diff(swing), abs=1e-8)


def test_the_coordinates_do_not_flutter(monkeypatch):
    """Once a joint that turns fully with the crank has replaced the rocker, no further change is needed."""
    changes, change = [], Partitioned.change

    def counted(self, t, y, **options):
        changed = change(self, t, y, **options)
        if changed is not None:
            changes.append(t)
        return changed

    monkeypatch.setattr(Partitioned, "change", counted)
    found = crank_rocker("rocker", None, rocker_speed()).simulate(0.7, samples=71)
    turns = np.ptp(np.unwrap(found.angle("crank"))) / (2 * np.pi)
    assert not found.stopped and turns > 0.9 and len(changes) == 1
