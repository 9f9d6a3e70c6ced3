"""Inverse dynamics: every number by two methods, and textbook cases by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import blocks
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import cross, loaded, on_link, virtual_work

import structkin as sk


def agree(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    a, b = np.asarray(a), np.asarray(b)
    good = np.isfinite(a) & np.isfinite(b)
    assert good.any()
    assert np.max(np.abs(a - b)[good], initial=0) <= tolerance * max(1.0, np.max(np.abs(b[good]), initial=0))


def check(m: sk.Mechanism, samples: int = 9) -> None:
    motion = m.solve(samples=samples)
    r = motion.forces()
    good = motion.ok & np.isfinite(r.unknowns).all(axis=1)
    assert good.sum() == motion.ok.sum()
    if not good.any():
        return
    efforts = np.stack([r.driver(id) for id in m.drivers], axis=1)
    scale = max(1.0, np.nanmax(np.abs(r.unknowns)))
    agree(efforts[good] / scale, virtual_work(r)[good] / scale)
    equilibrium(r, good, scale)
    # the frame carries all loads applied to moving links, minus their inertia forces
    force = sum(r.applied.force.values())
    moment = sum(r.applied.moment[link] + cross(motion.position(0j, link), r.applied.force[link]) for link in m.links)
    for body in r.bodies:
        push = body.mass * motion.acceleration(body.center, body.link)
        force = force - push
        moment = moment - cross(motion.position(body.center, body.link), push) - body.inertia * motion.alpha(body.link)
    agree(r.shaking_force[good] / scale, force[good] / scale)
    agree(r.shaking_moment[good] / scale, moment[good] / scale)
    power = sum(r.driver_power(id) for id in m.drivers) + r.applied_power
    agree(power[good] / scale, r.kinetic_power[good] / scale)


def equilibrium(r: Any, good: Any, scale: float) -> None:
    """Newton and Euler for every link about its centre, from the reactions as a user reads them."""
    motion = r.motion
    for body in r.bodies:
        name, applied = body.link, r.applied
        c, O = motion.position(body.center, name), motion.position(0j, name)
        x, y, moment = on_link(r, name)
        force = np.stack((x, y), axis=1) + applied.force[name]
        moment = moment + applied.moment[name] - cross(c - O, force)
        left = force - body.mass * motion.acceleration(body.center, name)
        rest = moment - body.inertia * motion.alpha(name)
        assert np.max(np.abs(left[good])) < 1e-9 * scale, name
        assert np.max(np.abs(rest[good])) < 1e-9 * scale, name


@settings(max_examples=10, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_by_virtual_work_and_link_by_link(seed: int) -> None:
    check(loaded(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(2000)))
def test_many_random_mechanisms(seeds: range) -> None:
    for seed in seeds:
        check(loaded(seed, elements=5), samples=5)


# --- textbook cases by hand ---------------------------------------------------------------------------------


def slider_crank(**more: Any) -> sk.Mechanism:
    """Crank 0.1 m, rod 0.3 m, piston on the x axis; 50 rad/s, starting at the inner dead centre."""
    links = {"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"], **more.pop("links", {})}
    return sk.Mechanism(
        "Slider-crank",
        points={"O": (0, 0), "A": (0.06, 0.08), "B": (0.06 + np.sqrt(0.09 - 0.0064), 0)},
        links=links,
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
        drivers={"motor": {"joint": "O", "speed": 50}},
        **more,
    )


def crank_kinematics(theta: Any, omega: float = 50, r: float = 0.1, rod: float = 0.3) -> Any:
    """Angle of the rod and its two rates, position of the piston and its two rates, from the closed form."""
    phi = -np.arcsin(r * np.sin(theta) / rod)
    rate = -r * omega * np.cos(theta) / (rod * np.cos(phi))
    second = (r * omega**2 * np.sin(theta) + rod * rate**2 * np.sin(phi)) / (rod * np.cos(phi))
    x = r * np.cos(theta) + rod * np.cos(phi)
    v = -r * omega * np.sin(theta) - rod * rate * np.sin(phi)
    a = -r * omega**2 * np.cos(theta) - rod * (rate**2 * np.cos(phi) + second * np.sin(phi))
    return phi, rate, second, x, v, a


def test_gas_force_on_a_piston_without_masses() -> None:
    """The rod is a two-force member: it carries P / cos(phi), the wall P tan(phi), and the torque is P dx/dtheta."""
    m = slider_crank(forces={"gas": {"type": "force", "at": "B", "on": "piston", "value": [-800, 0]}})
    r = m.solve(samples=37).forces()
    theta = r.motion.angle("crank")
    phi, _, _, _, v, _ = crank_kinematics(theta)
    agree(r.driver("motor"), 800 * v / 50, 1e-12)
    agree(r.reaction("B", "piston"), np.stack((np.full(37, 800.0), 800 * np.tan(phi)), axis=1), 1e-12)
    agree(r.reaction("guide", "piston")[:, 1], -800 * np.tan(phi), 1e-12)
    agree(np.hypot(*r.reaction("A", "rod").T), 800 / np.cos(phi), 1e-12)
    agree(r.reaction("A", "rod"), -r.reaction("A", "crank"), 0)
    agree(r.reaction_moment("guide", "piston"), 0 * phi, 1e-12)
    # the only external force is the gas force; the cylinder head, outside the machine, takes its reaction
    agree(r.shaking_force, np.broadcast_to([-800.0, 0.0], (37, 2)), 1e-12)
    agree(r.shaking_moment, 0 * phi, 1e-9)


def test_slider_crank_with_uniform_rods() -> None:
    """Dynamic force analysis of the R-RRT mechanism, dyad first: moments on the rod about A give the wall's force."""
    m = slider_crank(
        links={
            "crank": {"points": ["O", "A"], "shape": "rod", "mass": 1.5},
            "rod": {"points": ["A", "B"], "shape": "rod", "mass": 2.0},
            "piston": {"points": ["B"], "mass": 0.7},
        },
        forces={"gravity": [0, -9.81]},
    )
    r = m.solve(samples=73).forces()
    theta, g, omega = r.motion.angle("crank"), 9.81, 50
    phi, _, second, _, _, a = crank_kinematics(theta)
    ax = -0.1 * omega**2 * np.cos(theta)
    ay = -0.1 * omega**2 * np.sin(theta)
    cx, cy = (ax + a) / 2, ay / 2  # the middle of the rod moves as the mean of its ends
    bx = -0.7 * a  # on the rod at B, from the piston
    inertia = 2.0 * 0.3**2 / 12
    dx, dy = 0.3 * np.cos(phi), 0.3 * np.sin(phi)
    # about A: I alpha + (d/2) x m (c'' - g) = d x F_B, with F_B = (bx, by)
    by = (inertia * second + 0.5 * (dx * 2.0 * (cy + g) - dy * 2.0 * cx) + dy * bx) / dx
    agree(r.reaction("B", "rod"), np.stack((bx, by), axis=1), 1e-11)
    agree(r.reaction("guide", "piston")[:, 1], by + 0.7 * g, 1e-11)
    fx, fy = 2.0 * cx - bx, 2.0 * (cy + g) - by
    agree(r.reaction("A", "rod"), np.stack((fx, fy), axis=1), 1e-11)
    px, py = 0.1 * np.cos(theta), 0.1 * np.sin(theta)
    torque = px * fy - py * fx + 0.5 * px * 1.5 * g
    agree(r.driver("motor"), torque, 1e-11)
    agree(r.reaction("O", "crank")[:, 0], fx + 1.5 * ax / 2, 1e-11)


def test_a_rod_held_at_an_angle() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 2, "point_masses": {"B": 1}}},
        drivers={"motor": {"joint": "A", "law": "t"}},
        forces={"gravity": [0, -10], "wind": {"type": "force", "at": "B", "frame": "local", "value": [0, 3]}},
    )
    angle = np.linspace(0, 6, 9)
    r = m.solve(drivers={"motor": angle}).forces(static=True)
    agree(r.driver("motor"), (2 * 0.5 + 1) * 10 * np.cos(angle) - 3, 1e-12)
    wind = 3 * np.stack((-np.sin(angle), np.cos(angle)), axis=1)
    agree(r.reaction("A", "arm"), np.array([0, 30]) - wind, 1e-12)
    # turning steadily, the pin pulls inwards as well: (2/2 + 1) w^2
    moving = m.solve(drivers={"motor": (angle, 0 * angle + 4, 0 * angle)}).forces()
    inwards = -2 * 16 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    agree(moving.reaction("A", "arm"), np.array([0, 30]) - wind + inwards, 1e-12)
    agree(moving.driver("motor"), r.driver("motor"), 1e-12)


def test_a_cylinder_pushes_its_ends_apart() -> None:
    """A beam on a pin, held level by a strut: T sin(45 deg) 1 m = 100 N 2 m."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 0), "D": (0, -1)},
        links={"ground": ["A", "D"], "beam": ["A", "B", "C"]},
        drivers={"strut": {"between": ["D", "B"], "law": str(np.sqrt(2))}},
        forces={"load": {"type": "force", "at": "C", "value": [0, -100]}},
    )
    r = m.solve(t=[0]).forces(static=True)
    assert r.driver("strut")[0] == pytest.approx(200 * np.sqrt(2))
    agree(r.reaction("A", "beam"), [[-200, -100]], 1e-12)
    agree(r.shaking_force, [[0, -100]], 1e-12)


def test_spring_torsion_and_friction_by_hand() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "S": (3, 0)},
        links={"ground": ["A", "S"], "arm": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 0.5}},
        forces={
            "spring": {"type": "spring", "between": ["S", "B"], "stiffness": 10, "free_length": 1.5,
                       "damping": 2, "actuator": "4*t"},
            "coil": {"type": "torsion", "joint": "A", "stiffness": 3, "free_angle": 0.2, "damping": 0.4, "actuator": 7},
            "rub": {"type": "friction", "joint": "A", "limit": 6, "transition": 0.25},
        },
    )  # fmt: skip
    t = np.linspace(0, 14, 15)
    r = m.solve(t=t).forces()
    a = 0.5 * t
    length = np.sqrt(10 - 6 * np.cos(a))
    slope = 3 * np.sin(a) / length  # dl/da
    pull = 10 * (length - 1.5) + 2 * slope * 0.5 + 4 * t
    coil = -3 * (a - 0.2) - 0.4 * 0.5 + 7
    agree(r.driver("motor"), pull * slope - coil + 6 * np.tanh(2), 1e-12)


def test_the_same_friction_in_a_guide_on_a_moving_link() -> None:
    """A block driven along an arm that turns: friction takes its size times the sliding speed."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": ["A"], "block": ["B"]},
        joints={"guide": {"type": "prismatic", "links": ["arm", "block"], "axis": [1, 0]}},
        drivers={"turn": {"joint": "A", "speed": 3}, "push": {"joint": "guide", "law": "0.5*t"}},
        forces={"rub": {"type": "friction", "joint": "guide", "limit": 6, "transition": 0.001}},
    )
    r = m.solve(t=[0, 0.4, 1.1]).forces()
    agree(r.driver("push"), [6, 6, 6], 1e-12)
    agree(r.driver("turn"), [0, 0, 0], 1e-12)
    agree(r.applied_power, [-3, -3, -3], 1e-12)


def test_a_function_of_the_user_is_one_more_load() -> None:
    m = slider_crank()

    def drag(t: Any, state: sk.Motion) -> list[Any]:
        return [
            sk.Force("B", -2 * state.velocity("B"), "piston"),
            sk.Force(0.1 + 0j, [0, 5], link="rod"),
            sk.Moment("rod", np.sin(t), against="crank"),
        ]

    motion = m.solve(samples=37)
    r = motion.forces(loads=[drag])
    phi, rate, _, _, v, _ = crank_kinematics(motion.angle("crank"))
    lift = 5 * (0.1 * np.cos(motion.angle("crank")) * 50 + 0.1 * rate * np.cos(phi))
    agree(50 * r.driver("motor"), 2 * v * v - lift - np.sin(motion.t) * (rate - 50), 1e-11)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (sk.Force("Z", [1, 0]), "'Z' is not a point of a link"),
        (sk.Force("B", [1, 0], link="crank"), "'B' is not a point of crank"),
        (sk.Force(1j, [1, 0]), "Force at a place does not say on which link"),
        (sk.Moment("krank", 1), "did you mean 'crank'"),
        ([1, 2], "expected Force or Moment, found list"),
    ],
)
def test_invalid_results_of_a_user_function(item: Any, message: str) -> None:
    with pytest.raises(sk.InputError, match=message):
        slider_crank().solve(samples=3).forces(loads=[lambda t, state: [item]])


# --- redundant joints, limits, bad input ---------------------------------------------------------------------


def test_redundant_joints_are_flagged_and_the_torque_is_unique() -> None:
    """Three parallel cranks carry a beam: how they share its load along the beam is not determined."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (4, 0), "P": (0, 1), "Q": (2, 1), "R": (4, 1)},
        links={
            "ground": ["A", "B", "C"],
            "one": ["A", "P"],
            "two": ["B", "Q"],
            "three": ["C", "R"],
            "beam": {"points": ["P", "Q", "R"], "mass": 6, "center": [2, 1], "inertia": 1},
        },
        drivers={"motor": {"joint": "A", "law": "pi/2 + 0.4*sin(t)"}},
        forces={"gravity": [0, -10]},
        duration=3,
    )
    r = m.solve(samples=7).forces()
    assert r.unique("motor")
    flags = {joint.id: r.unique(joint.id) for joint in m.topology.joints}
    assert flags == {"A": False, "B": False, "C": False, "P": False, "Q": False, "R": False}
    check(m)


def test_a_slot_on_a_pin_of_three_links() -> None:
    """The pin passes on the slot's force: the forces on its links sum to that of the slot on the pin."""
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (0, 2), "B": (1, 2), "C": (3, 2), "D": (3, 0), "E": (1.5, 3)},
        links={
            "ground": ["O", "A", "D"],
            "crank": ["A", "B"],
            "coupler": ["B", "C"],
            "rocker": {"points": ["C", "D"], "mass": 2, "center": [3, 1]},
            "arm": {"points": ["O", "E"], "mass": 3, "center": [1, 2], "inertia": 0.5},
        },
        joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "axis": [1, 2]}},
        drivers={"motor": {"joint": "A", "law": "0.5*sin(t)"}},
        forces={"gravity": [0, -10]},
    )
    r = m.solve(t=np.linspace(0, 3, 7)).forces()
    agree(r.reaction("B", "crank") + r.reaction("B", "coupler"), r.reaction("slot", "@B"), 1e-12)
    agree(r.reaction("slot", "@B"), -r.reaction("slot", "arm"), 0)
    for link in ("crank", "coupler"):  # names of links on the pin were refused
        agree(r.reaction("slot", link), r.reaction("slot", "@B"), 0)
        agree(r.reaction_place("slot", link), r.motion.position("B"), 1e-12)
        assert not r.reaction_moment("slot", link).any() and r.unique_force("slot", link)
    with pytest.raises(sk.InputError, match="rocker: is not a link of the joint 'slot'"):
        r.reaction("slot", "rocker")


def test_samples_without_a_pose_have_no_forces() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (3, 1.5), "D": (3, 0)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "coupler": ["B", "C"],
            "rocker": ["C", "D"],
        },
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    motion = m.solve(samples=73)
    assert 0 < motion.ok.sum() < 73
    torque = motion.forces().driver("motor")
    assert (np.isfinite(torque) == motion.ok).all()


def test_bad_calls() -> None:
    m = slider_crank(links={"rod": {"points": ["A", "B"], "mass": 3}, "crank": {"points": ["O", "A"], "mass": 3}})
    with pytest.raises(sk.InputError) as caught:
        m.solve(samples=3).forces()
    assert [problem.key for problem in caught.value.problems] == ["links.crank", "links.rod"]
    assert "no centre" in caught.value.problems[0].message
    poses = slider_crank().solve(drivers={"motor": [0.5, 1.0]})
    with pytest.raises(sk.InputError, match=r"drivers.motor: its rates are not known.*static=True"):
        poses.forces()
    r = poses.forces(static=True)
    for ask, message in (
        (lambda: r.driver("moter"), "moter: is not a driver; did you mean 'motor'"),
        (lambda: r.reaction("Z", "rod"), "Z: is not a joint"),
        (lambda: r.reaction("A", "piston"), "piston: is not a link of the joint 'A'"),
        (lambda: r.unique("Z"), "Z: is not a joint or driver"),
    ):
        with pytest.raises(sk.InputError, match=message):
            ask()


def test_many_samples_are_solved_in_parts() -> None:
    m = slider_crank(forces={"gas": {"type": "force", "at": "B", "on": "piston", "value": [-800, 0]}})
    r = m.solve(samples=60_001).forces()
    agree(r.driver("motor"), 16 * r.motion.velocity("B")[:, 0], 1e-11)
