"""Counterweights and springs: force balance by Berkof and Lowen, gravity balance of an arm, all in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few
from scipy.optimize import minimize_scalar

import structkin as sk
from structkin import design
from structkin.solve.sensitivity.parameters import read_parameters, varied

G = 9.81


def lamp(**spring):
    return sk.Mechanism(
        points={"A": (0, 0), "T": (0.4, 0.1), "H": (0, 0.1), "S": (0.1, 0.025)},
        links={"ground": ["A", "H"], "arm": {"points": ["A", "T", "S"], "point_masses": {"T": 1.2}}},
        forces={"gravity": (0, -G), "spring": {"type": "spring", "between": ["H", "S"], **spring}},
        drivers={"lift": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip


def four_bar(units=None, **coupler):
    scale = 1000 if units else 1
    links = {
        "ground": ["A", "D"],
        "crank": {"points": ["A", "B"], "mass": 1.0, "center": [0.01 * scale, 0.02 * scale], "inertia": 1e-3},
        "coupler": {"points": ["B", "C"], "mass": 0.5, "center": [0.07 * scale, 0.06 * scale], "inertia": 2e-4,
                    **coupler},
        "rocker": {"points": ["D", "C"], "mass": 1.5, "center": [0.11 * scale, 0.03 * scale], "inertia": 2e-3},
    }  # fmt: skip
    points = {"A": (0, 0), "B": (0.02, 0.03464), "C": (0.1339, 0.0725), "D": (0.1, 0)}
    return sk.Mechanism(
        points={name: (x * scale, y * scale) for name, (x, y) in points.items()}, links=links,
        drivers={"motor": {"joint": "A", "speed": 20.0}}, **({"units": {"length": "mm"}} if units else {}),
    )  # fmt: skip


def test_a_spring_without_free_length_carries_an_arm_in_every_pose():
    """The moment of the spring is k |AH| |AS| sin, that of the weight m g |AT| sin, of the angle to the vertical."""
    m = lamp(stiffness=300, free_length=0.02)
    angles = np.radians(np.linspace(-40, 60, 21))
    best = m.optimise(
        {"forces.spring.stiffness": (50, 2000), "forces.spring.free_length": (0, 0.1)},
        design.effort("lift", static=True), drivers={"lift": angles},
    )  # fmt: skip
    wanted = 1.2 * G * np.hypot(0.4, 0.1) / (0.1 * np.hypot(0.1, 0.025))
    assert best.values["forces.spring.stiffness"] == pytest.approx(wanted, rel=1e-6)
    assert best.values["forces.spring.free_length"] == pytest.approx(0, abs=1e-7)
    assert best.value < 1e-10 * best.start
    assert np.abs(best.motion.forces(static=True).driver("lift")).max() < 1e-5
    assert best.mechanism.source_dict["forces"]["spring"]["stiffness"] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("units", few([None, "mm"], 1))
def test_counterweights_of_a_four_bar_balance_its_shaking_force(units):
    """Berkof & Lowen (1969): two counterweights are enough; then the total centre of mass does not move."""
    m = four_bar(units)
    names = [f"links.{link}.center.{k}" for link in ("crank", "rocker") for k in (0, 1)]
    best = m.optimise(dict.fromkeys(names, (-0.3, 0.3)), design.shaking_force(), samples=25)
    assert best.value < 1e-16 * best.start
    total = sum(
        link.mass * best.motion.position(link.center, name) for name, link in best.mechanism.links.items() if link.mass
    )
    assert np.ptp(total, axis=0).max() < 1e-9
    # m_2 r_2 = m_3 r' / b * a turned half round, with r' = the distance of the coupler's centre from C, by hand.
    a, b = (complex(*m.points[q]) - complex(*m.points[p]) for p, q in (("A", "B"), ("B", "C")))
    s = 0.5 * (complex(0.07, 0.06) - complex(*m.points["B"])) / b
    crank = complex(best.values[names[0]], best.values[names[1]])
    assert crank == pytest.approx(-a * (0.5 - s), abs=1e-8)


def test_a_point_mass_that_is_not_there_yet_can_grow_and_its_place_is_found():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.1, 0), "K": (-0.03, 0.01)}, forces={"gravity": (0, -G)},
        links={"ground": ["A"], "arm": {"points": ["A", "B", "K"], "point_masses": {"B": 2.0, "K": 0.0}}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    best = m.optimise(
        {"links.arm.point_masses.K": (0, 20), "points.K.y": (-0.02, 0.02)}, design.effort("motor"), samples=13
    )
    assert best.values["links.arm.point_masses.K"] == pytest.approx(0.2 / 0.03, rel=1e-6)
    assert best.values["points.K.y"] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("measure", [design.effort("motor"), design.shaking_force(), design.shaking_moment()])
def test_derivatives_are_differences_of_variants(measure):
    m = four_bar()
    motion = m.solve(9)
    names = ["links.coupler.mass", "links.rocker.center.1", "links.crank.inertia", "lengths.B-C", "points.D.x"]
    slopes = measure.jacobian(motion, names)
    own = read_parameters(m, names)
    held = {one: one.value for one in own if one.section == "lengths"}
    for k, one in enumerate(own):
        h = 1e-5 * one.reach
        ends = [measure.values(varied(m, {**held, one: one.value + side * h}).solve(t=motion.t)) for side in (1, -1)]
        wanted = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(slopes[:, k], wanted, atol=1e-6 * max(np.abs(wanted).max(), 1e-3))


def test_derivatives_by_numbers_in_which_forces_bend():
    """An arm at 2 rad/s: its effort is M tanh(2 / v0) by friction, and -B x F n by a force F n, n = (a, b) / |a, b|."""
    arm = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "arm": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 2.0}},
        forces={"rub": {"type": "friction", "joint": "A", "limit": 3.0, "transition": 1.5},
                "push": {"type": "force", "at": "B", "direction": [3, 4], "value": 10}},
    )  # fmt: skip
    q = np.linspace(0, 1, 5)
    names = ["forces.rub.transition", "forces.push.direction.0"]
    by = design.effort("motor").jacobian(arm.solve(t=q / 2), names)
    np.testing.assert_allclose(by[:, 0], -3 * 2 / 1.5**2 / np.cosh(2 / 1.5) ** 2, rtol=1e-10)
    # d(n_x, n_y) / da = (b^2, -a b) / |n|^3
    np.testing.assert_allclose(by[:, 1], -10 * (np.cos(q) * -12 - np.sin(q) * 16) / 125, rtol=1e-10)


def test_derivatives_where_friction_has_a_coefficient():
    """A cylinder at the angle p to a level guide pulls a weight W on it: its force is W u / (cos p + u sin p)."""
    x, h, v, m, mu = 0.8, 0.6, 0.5, 4.0, 0.3
    sled = sk.Mechanism(
        points={"D": (0, h), "C": (x, 0)}, links={"ground": ["D"], "sled": {"points": ["C"], "mass": m}},
        joints={"rail": {"type": "prismatic", "links": ["ground", "sled"], "at": "C", "axis": [1, 0]}},
        drivers={"pull": {"between": ["D", "C"]}},
        forces={"gravity": (0, -G), "rub": {"type": "friction", "joint": "rail", "coefficient": mu}},
    )  # fmt: skip
    # A length at which the sled moves towards the cylinder at the constant speed v.
    pull = ([1.0], [-x * v], [v**2 * h**2])
    measure = design.effort("pull")
    motion = sled.solve(drivers={"pull": pull})
    assert measure.values(motion) == pytest.approx(-m * G * mu / (x + mu * h))
    by = measure.jacobian(motion, ["forces.rub.coefficient", "links.sled.mass"])
    wanted = [-m * G * x / (x + mu * h) ** 2, -G * mu / (x + mu * h)]
    np.testing.assert_allclose(by[0], wanted, rtol=1e-9)


def test_masses_and_loads_move_nothing_and_unknown_ones_are_listed():
    motion = four_bar().solve(5)
    assert not motion.sensitivity("C", to=["links.crank.mass", "links.rocker.center.0"]).any()
    with pytest.raises(sk.InputError) as caught:
        motion.sensitivity("C", to=["links.crank.weight", "forces.spring.stiffness", "links.crank.points.0"])
    assert [problem.key for problem in caught.value.problems] == [
        "links.crank.weight", "forces.spring.stiffness", "links.crank.points.0"
    ]  # fmt: skip
    with pytest.raises(sk.InputError, match="is not a driver"):
        four_bar().optimise({"links.crank.mass": (0, 5)}, design.effort("engine"), samples=5)
    values = {"motor": np.array([0.0, 0.5])}
    with pytest.raises(sk.InputError, match="rates"):
        four_bar().optimise({"links.crank.mass": (0, 5)}, design.effort("motor"), drivers=values)


def test_the_peak_of_a_torque_is_kept_by_limits():
    """The smallest counterweight that keeps the peak: m g r - M g s = T for a single arm."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.1, 0), "K": (-0.05, 0)}, forces={"gravity": (0, -G)},
        links={"ground": ["A"], "arm": {"points": ["A", "B", "K"], "point_masses": {"B": 2.0, "K": 3.9}}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    weight = design.Measure(
        "the counterweight",
        lambda motion: np.array([motion.mechanism.source_dict["links"]["arm"]["point_masses"]["K"]]),
        lambda motion, names: np.ones((1, 1)),
    )
    best = m.optimise(
        {"links.arm.point_masses.K": (0, 20)}, weight, limits=[design.effort("motor").between(-0.5, 0.5)], samples=25
    )
    assert best.met and best.values["links.arm.point_masses.K"] == pytest.approx((0.2 - 0.5 / G) / 0.05, rel=1e-5)


@pytest.mark.full
@pytest.mark.parametrize("name, low, high", [("links.piston.mass", 0.1, 6.0), ("points.A.x", -0.04, 0.04)])
def test_the_peak_of_an_engines_torque_is_least_where_a_scan_says(name, low, high):
    """Two samples are equally high at the best mass; at the best throw the highest one has no slope."""
    m = sk.load(sk.examples.path("one_cylinder_engine"))
    best = m.optimise({name: (low, high)}, design.effort("motor").peak(), samples=73)
    own, t = read_parameters(m, [name])[0], m.solve(73).t

    def peak(value):
        return np.abs(varied(m, {own: value}).solve(t=t).forces().driver("motor")).max()

    values = np.linspace(low, high, 11)
    k = int(np.argmin([peak(value) for value in values]))
    scanned = minimize_scalar(peak, bounds=(values[k - 1], values[k + 1]), method="bounded", options={"xatol": 1e-8})
    assert best.met and best.value == pytest.approx(scanned.fun**2, rel=1e-7)
    assert best.values[name] == pytest.approx(scanned.x, rel=1e-5)
    assert best.value == np.abs(best.motion.forces().driver("motor")).max() ** 2 < 0.9999 * best.start


@pytest.mark.full
def test_a_peak_is_weighed_beside_squares_and_within_limits():
    """A motor holds a moment of -t: t^2 + 9 (t - 1)^2 is least at 0.9; within limits t is 0.5."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)}, forces={"push": {"type": "moment", "on": "arm", "value": -2.0}},
        links={"ground": ["A"], "arm": {"points": ["A", "B"]}}, drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    torque = design.effort("motor")
    slack = design.Measure(
        "the rest",
        lambda motion: torque.values(motion)[:1] - 1.0,
        lambda motion, names: torque.jacobian(motion, names)[:1],
    )
    given = {"parameters": {"forces.push.value": (-9, 9)}, "samples": 5}
    best = m.optimise(objective=[torque.peak(), slack.times(3)], **given)
    assert best.values["forces.push.value"] == pytest.approx(-0.9, abs=1e-6)
    best = m.optimise(objective=torque.peak(), limits=[torque.between(low=0.5)], **given)
    assert best.met and best.values["forces.push.value"] == pytest.approx(-0.5, abs=1e-5)
