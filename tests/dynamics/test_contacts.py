"""Contact: balls bounce, never pull, lose the energy that the model predicts, and rub."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import structkin as sk
from structkin.dynamics.contacts import touch
from structkin.dynamics.loads import wrenches
from structkin.dynamics.simulation_run import meeting
from structkin.dynamics.wrench_sums import cross
from structkin.errors import InputError


def ball(speed: float = -2.0, gravity: float = 0.0, **contact: Any) -> sk.Mechanism:
    """A ball of 1 kg and 0.1 m that falls along a guide onto the ground's line, from 0.5 m above it."""
    floor = {"type": "contact", "center": "P", "radius": 0.1, "along": ["A", "B"], "stiffness": 1e6, **contact}
    return sk.Mechanism(
        "Ball",
        points={"A": (0, 0), "B": (1, 0), "P": (0, 0.6)},
        links={"ground": ["A", "B"], "ball": {"points": ["P"], "mass": 1}},
        joints={"guide": {"type": "prismatic", "links": ["ball", "ground"], "at": "P", "axis": [0, 1]}},
        drivers={"height": {"joint": "guide"}},
        forces={"gravity": [0, -gravity], "floor": floor},
        initial={"height": {"value": 0, "speed": speed}},
    )


def rebound(restitution: float) -> float:
    """The ratio of speeds that the damping produces: m v dv = -K d^n (1 + c v / v0) dd over the whole impact."""
    c = 0.75 * (1 - restitution**2)
    return 1.0 if c == 0 else float(brentq(lambda x: quad(lambda u: u / (1 + c * u), -x, 1)[0], 1e-3, 1))


@pytest.mark.parametrize("road", ["python", "compiled", "multipliers"])
def test_bodies_that_just_touch_at_the_start_are_in_contact(road: str) -> None:
    """A disc at rest on the line, its depth exactly 0: it sinks until K d^2.5 / 2.5 = m g d, and rises again."""
    m = sk.Mechanism(
        "Disc at rest",
        points={"A": (0, 0), "B": (1, 0), "P": (0, 0.125)},
        links={"ground": ["A", "B"], "disc": {"points": ["P"], "mass": 2}},
        joints={"y": {"type": "prismatic", "links": ["ground", "disc"], "at": "P", "axis": [0, 1]}},
        drivers={"up": {"joint": "y"}},
        forces={
            "gravity": (0, -9.81),
            "floor": {"type": "contact", "stiffness": 1e7, "center": "P", "radius": 0.125, "along": ["A", "B"]},
        },
    )
    options = {"formulation": road} if road == "multipliers" else {"engine": road}
    height = m.simulate(0.02, samples=201, rtol=1e-9, **options).drivers["up"][0]
    assert np.min(height) == pytest.approx(-((2.5 * 2 * 9.81 / 1e7) ** (2 / 3)), rel=1e-3)
    assert np.max(height) < 1e-8


@pytest.mark.parametrize("road", ["python", "compiled", "multipliers"])
def test_the_rounding_of_a_sliding_start_is_no_impact(road: str) -> None:
    """An eccentric disc below a sprung tappet: at its lowest place it slides along the face and does not approach.

    The cosine of a right angle is 6e-17, not 0: as an impact speed that made the contact rigid, and steps of 1e-11 s.
    """
    m = sk.Mechanism(
        "Eccentric and tappet",
        points={"A": (0, 0), "E": (0, -0.01), "L": (-0.03, 0.015), "R": (0.03, 0.015), "T": (0, 0.06), "S": (0, 0.1)},
        links={
            "ground": ["A", "S"],
            "cam": ["A", "E"],
            "tappet": {"points": ["L", "R", "T"], "mass": 0.2, "center": (0, 0.02)},
        },
        joints={"guide": {"type": "prismatic", "links": ["tappet", "ground"], "at": "T", "axis": [0, 1]}},
        drivers={"motor": {"joint": "A", "speed": 314.0}, "lift": {"joint": "guide"}},
        forces={
            "spring": {"type": "spring", "between": ["T", "S"], "stiffness": 1e4, "free_length": 0.05},
            "touch": {
                "type": "contact", "center": "E", "radius": 0.025, "along": ["L", "R"], "stiffness": 1e8,
                "exponent": 1, "restitution": 0.3,
            },
        },
    )  # fmt: skip
    options = {"formulation": road} if road == "multipliers" else {"engine": road}
    r = m.simulate(1e-4, samples=3, max_steps=2000, **options)
    assert r.stopped == ""
    assert r.impacts["touch"][0] == 0


@pytest.mark.parametrize("restitution", few([1.0, 0.9, 0.6, 0.0], 2))
@pytest.mark.parametrize("speed", [-0.5, -5.0])
def test_the_rebound_is_what_the_damping_gives_at_any_speed(restitution: float, speed: float) -> None:
    times = [0, 0.5 / -speed, 0.6 / -speed + 0.05]
    r = ball(speed, restitution=restitution).simulate(times, rtol=1e-11, atol=1e-13)
    assert not r.stopped
    assert r.velocity("P")[-1, 1] == pytest.approx(-speed * rebound(restitution), rel=1e-6)
    assert r.impacts["floor"][-1] != r.impacts["floor"][-1]  # they have separated


@pytest.mark.parametrize("restitution", few([1 - 1e-8, 0.99, 0.8, 0.4, 0.1, 0.03, 0.02, 0.015, 0.01], 3))
def test_the_exact_model_gives_the_restitution(restitution: float) -> None:
    m = ball(-3.0, restitution=restitution, model="exact", exponent=1 + restitution)
    r = m.simulate([0, 0.3], rtol=1e-10, atol=1e-12)
    assert r.velocity("P")[-1, 1] == pytest.approx(3 * restitution, rel=1e-5)


def test_an_elastic_impact_against_a_separate_integration() -> None:
    """Depth and duration agree with Hertz's formulas and with SciPy's integration."""
    t = 0.25 + np.linspace(0, 0.012, 25)
    r = ball().simulate(np.concatenate(([0], t)))
    own = solve_ivp(
        lambda t, y: [y[1], 1e6 * max(0.1 - y[0], 0) ** 1.5],
        (0.25, t[-1]),
        [0.1, -2],
        "DOP853",
        t,
        rtol=1e-11,
        atol=1e-13,
    )
    assert r.position("P")[1:, 1] == pytest.approx(own.y[0], abs=1e-8)
    deepest = (2.5 * 2**2 / (2 * 1e6)) ** 0.4
    assert 0.1 - own.y[0].min() == pytest.approx(deepest, rel=1e-2)
    assert r.energy == pytest.approx(np.full(26, 2.0), rel=1e-7)


def test_bounces_never_pull_and_energy_only_falls() -> None:
    r = ball(0.0, 9.81, restitution=0.7, stiffness=1e8).simulate(1.2, samples=2401)
    force = r.forces(static=False)
    load = r.mechanism.forces.loads["floor"]
    depth = touch(r, load).depth
    inside, outside = depth > 0, depth <= 0
    # the driver of the guide is free, so the ground alone pushes: it never pulls, and never acts at a distance
    push = r.acceleration("P")[:, 1] + 9.81
    assert np.min(push[inside]) >= -1e-6
    assert np.max(np.abs(push[outside])) < 1e-9
    assert np.max(np.diff(r.energy)) < 1e-6
    assert np.max(np.abs(force.driver("height"))) < 1e-9
    begins = np.flatnonzero(np.diff(inside.astype(int)) == 1)
    assert len(begins) == 2
    met = r.impacts["floor"][begins + 1]
    # from one bounce to the next the speed falls by the rebound ratio, apart from the weight's effect during the impact
    assert met[1:] / met[:-1] == pytest.approx(rebound(0.7), rel=2e-3)
    assert met[0] == pytest.approx(np.sqrt(2 * 9.81 * 0.5), rel=1e-8)


def test_fixed_steps_come_close() -> None:
    r = ball(-2.0, restitution=0.8).simulate([0, 0.35], integrator="rk4", step=2e-4)
    assert r.velocity("P")[-1, 1] == pytest.approx(2 * rebound(0.8), rel=1e-2)


def pair(internal: bool, **contact: Any) -> sk.Mechanism:
    """Two bodies on a rail: balls of 0.1 and 0.2 m that meet, or a pin of 0.1 m in a bore of 0.2 m."""
    x = 0.0 if internal else -1.0
    touch_ = {"type": "contact", "centers": ["P", "Q"], "radii": [0.1, 0.2], "stiffness": 1e7, **contact}
    return sk.Mechanism(
        "Two",
        points={"P": (x, 0.0), "Q": (0.0, 0.0)},
        links={"ground": [], "one": {"points": ["P"], "mass": 1}, "two": {"points": ["Q"], "mass": 3}},
        joints={
            "left": {"type": "prismatic", "links": ["one", "ground"], "at": "P", "axis": [1, 0]},
            "right": {"type": "prismatic", "links": ["two", "ground"], "at": "Q", "axis": [1, 0]},
        },
        drivers={"a": {"joint": "left"}, "b": {"joint": "right"}},
        forces={"hit": {**touch_, "internal": internal} if internal else touch_},
        initial={"a": {"speed": 2.0}},
    )


@pytest.mark.parametrize("internal", [False, True])
def test_two_bodies_exchange_momentum(internal: bool) -> None:
    """An elastic central impact: v1 = (m1 - m2) / (m1 + m2) v = -1, v2 = 2 m1 / (m1 + m2) v = 1 m/s."""
    end = 0.5 if not internal else 0.1
    r = pair(internal).simulate([0, end])
    assert r.velocity("P")[-1, 0] == pytest.approx(-1, rel=1e-5)
    assert r.velocity("Q")[-1, 0] == pytest.approx(1, rel=1e-5)
    assert r.energy[-1] == pytest.approx(r.energy[0], rel=1e-6)


def test_momentum_is_kept_with_losses() -> None:
    r = pair(False, restitution=0.5).simulate([0, 0.5])
    (u, v) = r.velocity("P")[-1, 0], r.velocity("Q")[-1, 0]
    assert u + 3 * v == pytest.approx(2, rel=1e-8)
    assert v - u == pytest.approx(2 * rebound(0.5), rel=1e-5)


def wheel(**contact: Any) -> sk.Mechanism:
    """A disc that is free to slide, to rise and to turn, on the ground's line."""
    floor = {"type": "contact", "center": "P", "radius": 0.1, "along": ["A", "B"], "stiffness": 1e7, **contact}
    depth = (9.81 * 2 / 1e7) ** (1 / 1.5)
    return sk.Mechanism(
        "Wheel",
        points={"A": (0, 0), "B": (1, 0), "F": (0, 0.1), "P": (0, 0.1), "R": (0.05, 0.1)},
        links={
            "ground": ["A", "B"], "slide": ["F"], "lift": ["P"],
            "wheel": {"points": ["P", "R"], "mass": 2, "center": [0, 0.1], "inertia": 0.01},
        },
        joints={
            "x": {"type": "prismatic", "links": ["ground", "slide"], "at": "F", "axis": [1, 0]},
            "y": {"type": "prismatic", "links": ["slide", "lift"], "at": "P", "axis": [0, 1]},
        },
        drivers={"forward": {"joint": "x"}, "up": {"joint": "y"}, "turn": {"links": ["ground", "wheel"]}},
        forces={"gravity": [0, -9.81], "floor": {**floor, "links": ["wheel", "ground"]}},
        initial={"turn": {"speed": -30}, "up": {"value": -depth}},
    )  # fmt: skip


HAMMER = {
    "points": {"A": (0, 0), "B": (0, -1), "Q": (0.9, -0.4359)},
    "links": {"ground": ["A", "Q"], "arm": {"points": ["A", "B"], "mass": 2, "center": [0, -1], "inertia": 0.01}},
    "drivers": {"a": {"joint": "A"}},
    "forces": {
        "c": {"type": "contact", "centers": ["B", "Q"], "radii": [0.02, 0.02], "stiffness": 1e7, "restitution": 0.5},
        "gravity": [0, -9.81],
    },
    "initial": {"a": {"speed": 15}},
}


@pytest.mark.parametrize(
    "options",
    few([{}, {"rtol": 1e-4, "atol": 1e-5}, {"integrator": "Radau", "rtol": 1e-6}, {"formulation": "multipliers"}]),
)
def test_no_step_passes_through_a_peg(options: dict[str, Any]) -> None:
    """An arm meets a peg, swings round and meets it from behind, faster than its steps are long.

    Its end is that of an integration of its own, stopped at each impact, with steps of 0.2 ms at most.
    """
    r = sk.Mechanism(**HAMMER).simulate(0.8, samples=801, **options)
    overlap = 0.04 - np.hypot(*(r.position("B") - r.position("Q")).T)
    assert r.turn("arm")[-1] == pytest.approx(-4.3667998, abs=1e-5 if "rtol" not in options else 5e-3)
    # the speeds are those of the samples in contact, and of no others
    assert np.array_equal(overlap > 0, np.isfinite(r.impacts["c"]))


def puck(x: float, **contact: Any) -> sk.Mechanism:
    """A puck of 50 mm slides along a rail at 1 m/s; a fixed one stands beside the rail."""
    return sk.Mechanism(
        points={"P": (0, 0), "Q": (x, 0.02)},
        links={"ground": ["Q"], "puck": {"points": ["P"], "mass": 1}},
        joints={"rail": {"type": "prismatic", "links": ["puck", "ground"], "at": "P", "axis": [1, 0]}},
        drivers={"x": {"joint": "rail"}},
        forces={"c": {"type": "contact", "centers": ["P", "Q"], "radii": [0.05, 0.05], "stiffness": 1e6, **contact}},
        initial={"x": {"speed": 1.0}},
    )


@pytest.mark.parametrize("x", few([0.2, 3.3, 5.0, 9.7], 2))
def test_a_body_that_moves_evenly_meets_what_stands_in_its_way(x: float) -> None:
    """Nothing else keeps the steps short: one of them spans most of the run."""
    r = puck(x).simulate(10, samples=3)
    assert r.position("P")[-1, 0] == pytest.approx(2 * (x - np.sqrt(0.1**2 - 0.02**2)) - 10, abs=0.02)
    assert r.velocity("P")[-1, 0] == pytest.approx(-1, rel=1e-5)
    # further from the rail than both radii, it never meets it
    m = puck(x)
    passed = sk.Mechanism.from_dict({**m.source_dict, "points": {"P": (0, 0), "Q": (x, 0.1 + 1e-6)}})
    assert passed.simulate(10, samples=3).position("P")[-1, 0] == pytest.approx(10, rel=1e-9)


def test_the_first_of_many_meetings_is_found() -> None:
    """Depths that rise above zero for short times, several in one step, by their closed form."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        times, width = np.sort(rng.uniform(0.02, 1, 3)), 10 ** rng.uniform(-3, -1)

        def touches(t: float, times: Any = times, width: float = width) -> Any:
            return np.array([width - np.abs(t - times), -np.sign(t - times)])

        found = meeting(touches, 0.0, 1.0, 1e-3, 1.0)
        first = np.min(times - width)
        if first > 0:
            assert found == pytest.approx(first, abs=1e-12)


def test_friction_drives_a_spinning_wheel() -> None:
    """While it slips, mu m g pushes it and mu m g r brakes it; friction opposes the sliding."""
    r = wheel(friction=0.3, transition=1e-3).simulate([0, 0.02, 0.04])
    assert r.velocity("P")[:, 0] == pytest.approx(0.3 * 9.81 * r.t, rel=1e-3)
    assert r.omega("wheel") == pytest.approx(-30 + 0.3 * 9.81 * 2 * 0.1 / 0.01 * r.t, rel=1e-3)
    assert wheel().simulate([0, 0.04]).velocity("P")[-1, 0] == pytest.approx(0, abs=1e-12)


def test_each_sample_of_a_driven_motion_knows_its_impact_speed() -> None:
    """A driven plunger dips into the line at 0.01 m/s: its damping uses that speed, whatever the samples."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "P": (0, 0.6)},
        links={"ground": ["A", "B"], "ball": ["P"]},
        joints={"guide": {"type": "prismatic", "links": ["ball", "ground"], "at": "P", "axis": [0, 1]}},
        drivers={"height": {"joint": "guide", "law": "-0.6 + 0.01*cos(t)"}},
        forces={"floor": {"type": "contact", "center": "P", "along": ["A", "B"], "stiffness": 1e6, "restitution": 0.5}},
        duration=10,
    )
    for samples, accuracy in ((17, 1e-3), (101, 1e-6), (2001, 1e-10)):
        r = m.solve(samples=samples)
        push = -r.forces().driver("height")
        depth, speed = -r.position("P")[:, 1], -r.velocity("P")[:, 1]
        expected = 1e6 * np.maximum(depth, 0) ** 1.5 * (1 + 0.75 * 0.75 * speed / 0.01)
        assert push == pytest.approx(expected, rel=accuracy, abs=1e-9)


def slider(**contact: Any) -> dict[str, Any]:
    return {
        "points": {"A": (0, 0), "B": (1, 0), "C": (3, 0), "W": (3.5, -1), "V": (3.5, 1)},
        "links": {"ground": ["A", "W", "V"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"]},
        "joints": {"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": [1, 0]}},
        "forces": {"stop": {"type": "contact", "center": "C", "along": ["W", "V"], "stiffness": 1e7, **contact}},
    }


@pytest.mark.parametrize(
    ("contact", "key", "found"),
    [
        ({"stiffness": None}, "forces.stop", "has no stiffness"),
        ({"stiffness": -1}, "forces.stop.stiffness", "a positive number"),
        ({"stiffness": 0}, "forces.stop.stiffness", "a positive number, found 0"),
        ({"stiffness": "5 N"}, "forces.stop.stiffness", "expected a number"),
        ({"restitution": 1.2}, "forces.stop.restitution", "from 0 to 1"),
        ({"exponent": 0}, "forces.stop.exponent", "from 1 to 3"),
        ({"friction": -0.1}, "forces.stop.friction", "not negative"),
        ({"transition": 0}, "forces.stop.transition", "a speed greater than zero, found 0"),
        ({"transition": "1 kg"}, "forces.stop.transition", "is not a speed"),
        ({"radius": -1}, "forces.stop.radius", "not negative"),
        ({"along": ["W", "Z"]}, "forces.stop.along", "'Z' is not in"),
        ({"along": ["W", "W"]}, "forces.stop", "twice"),
        ({"along": ["A", "C"]}, "forces.stop", "no link has both points"),
        ({"along": ["B", "A"], "center": "B"}, "forces.stop", "lies on the line"),
        ({"links": ["rod", "crank"]}, "forces.stop", "'crank' does not have both points"),
        ({"links": ["ground", "slider"]}, "forces.stop", "does not have"),
        ({"center": "W"}, "forces.stop", "both shapes are on 'ground'"),
        ({"restitution": 0, "model": "exact"}, "forces.stop", "so small a restitution"),
        ({"model": "hertz"}, "forces.stop.model", "'lankarani-nikravesh' or 'exact'"),
        ({"internal": True}, "forces.stop", "for two circles"),
        ({"along": None}, "forces.stop", "no line"),
        ({"center": None}, "forces.stop", "does not say which shapes touch"),
        ({"centers": ["C", "W"], "radii": [1, 2]}, "forces.stop", "says twice which shapes touch"),
        ({"center": None, "along": None, "centers": ["C", "W"]}, "forces.stop", "does not say which shapes touch"),
        ({"center": None, "along": None, "centers": ["C", "W"], "radii": [0, 0]}, "forces.stop", "not both zero"),
        ({"center": None, "along": None, "centers": ["C", "W"], "radii": 3}, "forces.stop", "two radii"),
        (
            {"center": None, "along": None, "centers": ["C", "W"], "radii": [3, 2], "internal": True},
            "forces.stop",
            "not smaller than the bore",
        ),
    ],
)
def test_bad_contacts(contact: dict[str, Any], key: str, found: str) -> None:
    data = slider(**contact)
    data["forces"]["stop"] = {name: value for name, value in data["forces"]["stop"].items() if value is not None}
    with pytest.raises(InputError, match=found) as caught:
        sk.Mechanism(**data).solve()
    assert caught.value.problems[0].key == key


@pytest.mark.parametrize("family", ["natural", "fully-cartesian", "reference-point"])
def test_contacts_with_multipliers(family: str) -> None:
    r = pair(False, restitution=0.5).simulate([0, 0.5], formulation="multipliers", coordinates=family)
    u, v = r.velocity("P")[-1, 0], r.velocity("Q")[-1, 0]
    assert u + 3 * v == pytest.approx(2, rel=1e-8)
    assert v - u == pytest.approx(2 * rebound(0.5), rel=1e-5)


def two_free_bodies(contact: dict[str, Any]) -> sk.Mechanism:
    """Two bodies that slide, rise and turn, each with three points."""
    points: dict[str, Any] = {}
    links: dict[str, Any] = {"ground": []}
    joints: dict[str, Any] = {}
    drivers: dict[str, Any] = {}
    for name in "ab":
        points |= {f"{name}0": (0, 0), f"{name}h": (0, 0), f"{name}1": (0.7, 0.2), f"{name}2": (-0.3, 0.5)}
        links |= {f"{name}x": [f"{name}h"], f"{name}y": [f"{name}0"], name: [f"{name}0", f"{name}1", f"{name}2"]}
        joints |= {
            f"j{name}x": {"type": "prismatic", "links": ["ground", f"{name}x"], "at": f"{name}h", "axis": [1, 0]},
            f"j{name}y": {"type": "prismatic", "links": [f"{name}x", f"{name}y"], "at": f"{name}0", "axis": [0, 1]},
        }
        drivers |= {f"x{name}": {"joint": f"j{name}x"}, f"y{name}": {"joint": f"j{name}y"}}
        drivers[f"t{name}"] = {"links": ["ground", name]}
    return sk.Mechanism(
        points=points, links=links, joints=joints, drivers=drivers, forces={"hit": {"type": "contact", **contact}}
    )


@pytest.mark.parametrize(
    "shapes",
    [
        {"center": "a1", "radius": 0.3, "along": ["b0", "b2"]},
        {"centers": ["a1", "b2"], "radii": [0.4, 0.5]},
        {"centers": ["a1", "b2"], "radii": [0.2, 0.6], "internal": True},
    ],
)
@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_signs_balance_and_power_at_random_states(shapes: dict[str, Any], friction: float) -> None:
    """Contact forces are opposite and collinear; elastic power changes the stored energy, friction dissipates."""
    m = two_free_bodies({**shapes, "links": ["a", "b"], "stiffness": 1e4, "friction": friction})
    rng = np.random.default_rng(5)
    n = 400
    drivers = {id: (rng.normal(0, 0.5, n), rng.normal(size=n), np.zeros(n)) for id in m.drivers}
    motion = m.solve(drivers=drivers)
    load = m.forces.loads["hit"]
    found, total = touch(motion, load), wrenches(motion, ())
    pressed = (found.depth > 0) & (found.depth < 0.3)
    assert 20 < pressed.sum() < n
    force = {link: total.force[link] for link in "ab"}
    assert force["a"] == pytest.approx(-force["b"], rel=1e-12, abs=1e-12)
    about_origin = sum(total.moment[link] + cross(motion.position(0j, link), total.force[link]) for link in ("a", "b"))
    assert about_origin == pytest.approx(np.zeros(n), abs=1e-8)
    push = np.sum(force["a"] * found.normal, axis=1)
    assert np.min(push) >= 0 and np.max(np.abs(push[found.depth <= 0]), initial=0.0) == 0
    elastic = -load.stiffness * np.maximum(found.depth, 0) ** 1.5 * found.speed
    rubbed = total.power() - elastic
    assert np.max(rubbed) < 1e-8 * np.max(np.abs(elastic))
    if not friction:
        assert rubbed == pytest.approx(np.zeros(n), abs=1e-8 * np.max(np.abs(elastic)))
    else:
        assert np.min(rubbed) < -1
        # the rate of the depth, by differences of the geometry
        h = 1e-6
        moved = {id: (z + h * v, v, a) for id, (z, v, a) in drivers.items()}
        rate = (touch(m.solve(drivers=moved), load).depth - found.depth) / h
        assert rate[pressed] == pytest.approx(found.speed[pressed], abs=1e-4)
