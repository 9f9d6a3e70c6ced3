"""Masses, forces and efforts in the file: what is read from them, and every way of getting them wrong."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_samples import patched

from structkin import Builder, Mechanism
from structkin.errors import InputError
from structkin.model.forces import AppliedForce, AppliedMoment, Friction, Spring, Torsion

Case = tuple[dict[str, Any], str, str, str]
FORCE = {"type": "force", "at": "E", "value": [1, 2]}
MOMENT = {"type": "moment", "on": "crank", "value": 3}
TORSION = {"type": "torsion", "joint": "A"}
FRICTION = {"type": "friction", "joint": "guide", "limit": 5}

CASES: dict[str, Case] = {
    # masses
    "unknown shape": ({"links.rocker": {"points": ["C", "D"], "shape": "disc"}}, "links.rocker.shape", "'rod' or", ""),
    "density alone": ({"links.coupler.density": 1}, "links.coupler", "no shape", "rod"),
    "rod without mass": ({"links.rocker": {"points": ["C", "D"], "shape": "rod"}}, "links.rocker", "neither", "one"),
    "rod with both": ({"links.coupler.shape": "rod", "links.coupler.density": 1}, "links.coupler", "both", "one"),
    "rod with a centre": (
        {"links.coupler.shape": "rod", "links.coupler.center": [1, 1]},
        "links.coupler",
        "shape and center",
        "delete",
    ),
    "rod of a point": ({"links.block": {"points": ["E"], "shape": "rod", "mass": 1}}, "links.block", "two points", ""),
    "plate of two points": (
        {"links.rocker": {"points": ["C", "D"], "shape": "plate", "mass": 1}},
        "links.rocker",
        "three points",
        "corners",
    ),
    "flat plate": (
        {
            "points.E": [50, 15],
            "links.coupler": {"points": ["B", "C", "E"], "shape": "plate", "density": 1},
            "joints.guide.axis": [2, 1],
        },
        "links.coupler",
        "on one line",
        "rod",
    ),
    "density of a rod in kg": (
        {"links.rocker": {"points": ["C", "D"], "shape": "rod", "density": "1 kg"}},
        "links.rocker.density",
        "not a mass per length",
        "kg/m",
    ),
    "negative density": (
        {"links.rocker": {"points": ["C", "D"], "shape": "rod", "density": -1}},
        "links.rocker.density",
        "not negative",
        "",
    ),
    "point mass elsewhere": (
        {"links.rocker": {"points": ["C", "D"], "point_masses": {"B": 1}}},
        "links.rocker.point_masses.B",
        "not a point of the link",
        "C, D",
    ),
    "point mass as a number": (
        {"links.coupler.point_masses": 3},
        "links.coupler.point_masses",
        "expected a table",
        "P = 0.5",
    ),
    "negative point mass": (
        {"links.rocker": {"points": ["C", "D"], "point_masses": {"C": -1}}},
        "links.rocker.point_masses.C",
        "not negative",
        "",
    ),
    "point mass beside a mass": ({"links.coupler.point_masses": {"B": 1}}, "links.coupler", "no center", "center"),
    "mass of the ground": (
        {"links.ground": {"points": ["A", "D", "F"], "point_masses": {"A": 1}}},
        "links.ground",
        "does not move",
        "delete",
    ),
    # forces
    "force without size": ({"forces.f": {"type": "force", "at": "E"}}, "forces.f", "no magnitude", "value, law"),
    "force with two sizes": ({"forces.f": {**FORCE, "law": ["t", "t"]}}, "forces.f", "value and law", "one of"),
    "force as a number": ({"forces.f": {**FORCE, "value": 3}}, "forces.f.value", "two components", ""),
    "force in kg": ({"forces.f": {**FORCE, "value": ["3 kg", 0]}}, "forces.f.value", "'3 kg' is not a force", "250 N"),
    "force at an unknown point": ({"forces.f": {**FORCE, "at": "Z"}}, "forces.f.at", "'Z' is not in", ""),
    "force on another link": ({"forces.f": {**FORCE, "on": "rocker"}}, "forces.f", "not on 'rocker'", "coupler, block"),
    "force on the ground": ({"forces.f": {**FORCE, "at": "F", "on": "ground"}}, "forces.f", "does not move", ""),
    "force on no link": ({"forces.f": {**FORCE, "at": [1, 1]}}, "forces.f", "names no link", "add on"),
    "axes of a force": ({"forces.f": {**FORCE, "frame": "link"}}, "forces.f.frame", "'global' or 'local'", ""),
    "table without direction": (
        {"forces.f": {"type": "force", "at": "E", "table": [[0, 0], [1, 1], [2, 0]]}},
        "forces.f",
        "no direction",
        "direction",
    ),
    "formula of a force": (
        {"forces.f": {"type": "force", "at": "E", "law": ["x", 0]}},
        "forces.f.law",
        "'x' is unknown",
        "",
    ),
    "moment on nothing": ({"forces.m": {"type": "moment", "value": 1}}, "forces.m", "on no link", "crank"),
    "moment on the ground": ({"forces.m": {**MOMENT, "on": "ground"}}, "forces.m", "does not move", "moving"),
    "moment on an unknown link": ({"forces.m": {**MOMENT, "on": "krank"}}, "forces.m.on", "'krank' is not in", "crank"),
    "moment between unknown links": (
        {"forces.m": {"type": "moment", "links": ["ground", "krank"], "value": 3}},
        "forces.m.links",
        "'krank' is not in",
        "crank",
    ),
    "moment twice": ({"forces.m": {**MOMENT, "links": ["crank", "rocker"]}}, "forces.m", "both", "one"),
    "formula along a direction": (
        {"forces.f": {"type": "force", "at": "E", "direction": [1, 0], "law": "x"}},
        "forces.f.law",
        "'x' is unknown",
        "",
    ),
    "unit of a force": (
        {"forces.f": {"type": "force", "at": "E", "direction": [1, 0], "value": "3 kg"}},
        "forces.f.value",
        "not a force",
        "250 N",
    ),
    "table of one row": (
        {"forces.f": {"type": "force", "at": "E", "direction": [1, 0], "table": [[0, 1]]}},
        "forces.f.table",
        "at least 2 rows, found 1",
        "monotone cubic",
    ),
    "table of a moment": (
        {"forces.m": {"type": "moment", "on": "crank", "table": [[0, 1], [0, 2]]}},
        "forces.m.table",
        "does not come after",
        "sort",
    ),
    "missing csv": (
        {"forces.m": {"type": "moment", "on": "crank", "csv": "none.csv"}},
        "forces.m.csv",
        "there is no file",
        "",
    ),
    "moment in N": ({"forces.m": {**MOMENT, "value": "3 N"}}, "forces.m.value", "not a moment", "5 N m"),
    "torsion at a slide": ({"forces.s": {**TORSION, "joint": "guide"}}, "forces.s", "not a revolute joint", "revolute"),
    "torsion at no joint": ({"forces.s": {**TORSION, "joint": "K"}}, "forces.s", "no joint 'K'", ""),
    "torsion of one link": (
        {"forces.s": {"type": "torsion", "links": ["crank", "crank"]}},
        "forces.s",
        "itself",
        "two",
    ),
    "torsion of nothing": ({"forces.s": {"type": "torsion"}}, "forces.s", "between which links", "joint"),
    "torsion at a pin of three": (
        {"forces.s": {**TORSION, "joint": "F"}, "links.rocker": ["C", "D", "F"]},
        "forces.s",
        "joins 3 links",
        "from, to",
    ),
    "torsional stiffness": (
        {"forces.s": {**TORSION, "stiffness": "3 N/m"}},
        "forces.s.stiffness",
        "torsional",
        "N m/rad",
    ),
    "actuator": ({"forces.spring.actuator": "5 kg"}, "forces.spring.actuator", "not a force", "250 N"),
    "friction without limit": ({"forces.r": {"type": "friction", "joint": "guide"}}, "forces.r", "no limit", "12"),
    "negative friction": ({"forces.r": {**FRICTION, "limit": -1}}, "forces.r.limit", "greater than zero", ""),
    "sudden friction": ({"forces.r": {**FRICTION, "transition": 0}}, "forces.r.transition", "greater than zero", ""),
    "friction at no joint": ({"forces.r": {**FRICTION, "joint": "gide"}}, "forces.r", "no joint 'gide'", "guide"),
    "friction of a pin in N": (
        {"forces.r": {**FRICTION, "joint": "A", "limit": "3 N"}},
        "forces.r.limit",
        "not a moment",
        "",
    ),
    "friction on a guide's links": (
        {"forces.r": {**FRICTION, "links": ["block", "ground"]}},
        "forces.r",
        "guide already determines",
        "",
    ),
    "impact": ({"forces.c": {"type": "impact"}}, "forces.c.type", "unknown", "contact"),
    # efforts
    "torque on a distance": (
        {"drivers.ram": {"between": ["D", "E"], "torque": 3}},
        "drivers.ram.torque",
        "a distance",
        "force",
    ),
    "force on an angle": ({"drivers.free.force": 3}, "drivers.free.force", "an angle", "torque"),
    "torque of a speed": ({"drivers.motor.torque": 3}, "drivers.motor.torque", "is a result", "delete"),
    "torque in N": ({"drivers.free.torque": "3 N"}, "drivers.free.torque", "not a moment", "5 N m"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_problem_is_reported_once_and_alone(name: str) -> None:
    patch, key, message, hint = CASES[name]
    with pytest.raises(InputError) as caught:
        Mechanism.from_dict(patched(patch))
    problems = caught.value.problems
    assert [problem.key for problem in problems] == [key], [str(problem) for problem in problems]
    assert message in problems[0].message
    assert hint in problems[0].hint


def link(**entry: Any) -> Any:
    """A link from (1, 1) along +y in a sketch, so its frame is rotated."""
    places = {"A": [1, 1], "B": [1, 3], "C": [-2, 3], "D": [-2, 1]}
    return Mechanism(
        points={point: places[point] for point in entry["points"]},
        links={"ground": ["A"], "bar": entry},
        drivers={"motor": {"joint": "A", "speed": 1}},
    ).links["bar"]


def test_a_uniform_rod() -> None:
    rod = link(points=["A", "B"], shape="rod", density=3)
    assert (rod.mass, rod.center, rod.inertia) == pytest.approx((6, 1, 6 * 4 / 12))
    assert link(points=["A", "B"], shape="rod", mass=6).inertia == pytest.approx(2)


@pytest.mark.parametrize("order", ["ABC", "ACB", "BCA", "CBA", "BAC", "CAB"])
def test_a_rod_spans_its_points_in_any_order(order: str) -> None:
    """A bar of 0.85 m with a pin at 0.42 m, on a slope and rounded to 0.1 mm: centre 0.425 m, inertia m L^2 / 12."""
    places = {"A": (1, 1), "B": (1.2520, 1.3360), "C": (1.5100, 1.6800)}
    m = Mechanism(
        points=places,
        links={"ground": ["A"], "bar": {"points": list(order), "shape": "rod", "density": 4}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    bar = m.links["bar"]
    assert bar.center is not None
    assert bar.origin + bar.direction * bar.center == pytest.approx(1.255 + 1.34j, abs=1e-4)
    assert (bar.mass, bar.inertia) == pytest.approx((4 * 0.85, 4 * 0.85**3 / 12), rel=1e-4)
    assert not m.remarks


def test_points_beside_a_rod_are_named() -> None:
    m = Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (1, 1), "D": (3, -1)},
        links={"ground": ["A"], "bar": {"points": ["A", "B", "C", "D"], "shape": "rod", "mass": 6}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    assert m.remarks == ("links.bar: the rod runs through A and B; C, D are not on it",)
    assert (m.links["bar"].center, m.links["bar"].inertia) == (1, 2)


@pytest.mark.parametrize(
    ("drawn", "free", "near"),
    [(-175, 190, -170), (-175, 175, -185), (10, 400, 40), (179, -179, 181), (-175, -10, None), (0, 180, None)],
)
def test_a_spring_wound_by_whole_turns_is_named(drawn: float, free: float, near: float | None) -> None:
    turn = math.radians(drawn)
    m = Mechanism(
        units={"angle": "deg"},
        points={"A": (0, 0), "B": (math.cos(turn), math.sin(turn))},
        links={"ground": ["A"], "arm": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
        forces={"coil": {"type": "torsion", "joint": "A", "stiffness": 2, "free_angle": free}},
    )
    sketch = m.solve(t=[0.0]).forces(static=True)
    assert sketch.driver("motor")[0] == pytest.approx(2 * math.radians(drawn - free), abs=1e-9)
    if near is None:
        assert not m.remarks
    else:
        assert m.remarks[0].startswith(f"forces.coil.free_angle: {free} deg is more than half a turn from the {drawn}")
        assert f"; {near} deg is the same direction" in m.remarks[0]


@pytest.mark.parametrize("order", ["ABCD", "ADCB", "BCDA"])
def test_a_uniform_plate_is_a_rectangle(order: str) -> None:
    plate = link(points=list(order), shape="plate", density="5 kg/m^2")
    assert plate.mass == pytest.approx(5 * 2 * 3)
    centre = plate.origin + plate.direction * plate.center
    assert centre == pytest.approx(-0.5 + 2j)
    assert plate.inertia == pytest.approx(30 * (2**2 + 3**2) / 12)


def test_a_plate_against_a_sum_over_its_area() -> None:
    """An L-shaped plate, cut into small squares."""
    m = Mechanism(
        points={"A": [0, 0], "B": [4, 0], "C": [4, 1], "D": [1, 1], "E": [1, 3], "F": [0, 3]},
        links={"ground": ["A"], "plate": {"points": list("ABCDEF"), "shape": "plate", "density": 2}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    h = 1 / 64
    x, y = np.meshgrid(np.arange(h / 2, 4, h), np.arange(h / 2, 3, h))
    z = (x + 1j * y)[(x < 1) | (y < 1)]
    mass, centre = 2 * h * h * z.size, z.mean()
    inertia = 2 * h * h * np.sum(np.abs(z - centre) ** 2) + mass * h * h / 6
    plate = m.links["plate"]
    assert (plate.mass, plate.center, plate.inertia) == (
        pytest.approx(mass), pytest.approx(centre), pytest.approx(inertia))  # fmt: skip


def test_point_masses_by_steiner() -> None:
    both = link(points=["A", "B", "C"], shape="rod", mass=3, point_masses={"B": 1, "C": "500 g"})
    # in the frame: A 0, B 2, C 2 + 3j, the rod's centre 1
    centre = (3 * 1 + 2 + 0.5 * (2 + 3j)) / 4.5
    spread = 3 * abs(1 - centre) ** 2 + abs(2 - centre) ** 2 + 0.5 * abs(2 + 3j - centre) ** 2
    assert both.mass == pytest.approx(4.5)
    assert both.center == pytest.approx(centre)
    assert both.inertia == pytest.approx(3 * 4 / 12 + spread)
    bob = link(points=["A", "B"], point_masses={"B": 2})
    assert (bob.mass, bob.center, bob.inertia) == (2, 2, 0)


def test_a_link_of_one_point_has_its_mass_there() -> None:
    m = Mechanism.from_dict(patched({"links.block": {"points": ["E"], "mass": 2}}))
    assert (m.links["block"].mass, m.links["block"].center) == (2, 0)


def test_loads_in_si() -> None:
    patch = {
        "forces.push": {"type": "force", "at": "E", "on": "block", "value": ["1 kN", 2]},
        "forces.wave": {"type": "force", "at": [80, 50], "on": "coupler", "frame": "local", "law": ["3*t", "-t**2"]},
        "forces.gas": {"type": "force", "at": "C", "direction": [3, 4], "table": [[0, 0], [1, 5], [2, 10]]},
        "forces.brake": {"type": "moment", "links": ["crank", "coupler"], "law": "2*t"},
        "forces.coil": {"type": "torsion", "joint": "A", "stiffness": "3 N m/rad", "free_angle": "30 deg"},
        "forces.drag": {"type": "friction", "joint": "guide", "limit": 4, "transition": "1 mm/s"},
        "forces.rub": {"type": "friction", "joint": "A", "limit": "3 Nmm"},
        "drivers.free.torque": "4*t",
        "forces.spring.actuator": "2 kN",
    }
    m = Mechanism.from_dict(patched(patch))
    loads, t = m.forces.loads, np.array([2.0])

    def at(law: Any) -> float:
        return float(law(t)[0][0])

    assert list(loads) == ["spring", "push", "wave", "gas", "brake", "coil", "drag", "rub"]
    push, wave, gas, brake, coil, drag, rub, spring = (
        loads[id] for id in ("push", "wave", "gas", "brake", "coil", "drag", "rub", "spring"))  # fmt: skip
    assert isinstance(push, AppliedForce) and isinstance(wave, AppliedForce) and isinstance(gas, AppliedForce)
    assert (push.link, push.place, at(push.x), at(push.y), push.local) == ("block", 0, 1000, 2, False)
    coupler = m.links["coupler"]
    assert coupler.origin + coupler.direction * wave.place == pytest.approx(0.08 + 0.05j)
    assert (at(wave.x), at(wave.y), wave.local) == (6, -4, True)
    assert (gas.link, at(gas.x), at(gas.y)) == ("coupler", pytest.approx(6), pytest.approx(8))
    assert isinstance(brake, AppliedMoment) and brake.links == ("crank", "coupler") and at(brake.size) == 4
    assert isinstance(coil, Torsion) and coil.links == ("ground", "crank")
    assert (coil.stiffness, coil.free_angle) == (3, pytest.approx(math.pi / 6))
    assert isinstance(drag, Friction) and (drag.limit, drag.transition) == (4, 1e-3)
    assert isinstance(rub, Friction) and rub.links == ("ground", "crank") and rub.limit == pytest.approx(3e-3)
    assert isinstance(spring, Spring) and spring.actuator is not None and at(spring.actuator) == 2000
    assert at(m.forces.efforts["free"]) == 8


def test_an_actuator_by_table(tmp_path: Path) -> None:
    (tmp_path / "push.csv").write_text("t, f\n0, 1\n1, 2\n2, 5\n")
    for actuator in ([[0, 1], [1, 2], [2, 5]], "push.csv"):
        m = Mechanism.from_dict(patched({"forces.spring.actuator": actuator}), folder=tmp_path)
        law = m.forces.springs["spring"].actuator
        assert law is not None
        assert law(np.array([2.0]))[0][0] == pytest.approx(5)


def test_a_load_may_have_two_rows() -> None:
    """Monotone cubics need no more: from one row to the other they are a straight line."""
    force = {"type": "force", "at": "E", "direction": [0, 1], "table": [[0, 0], [0.5, 3]]}
    m = Mechanism.from_dict(patched({"forces.f": force, "drivers.free.torque": [[0, 1], [2, 5]]}))
    load = m.forces.loads["f"]
    assert isinstance(load, AppliedForce) and load.y(np.array([0.25]))[0][0] == pytest.approx(1.5)
    assert m.forces.efforts["free"](np.array([0.5]))[0][0] == pytest.approx(2)


def test_the_builder_gives_the_same() -> None:
    m = (
        Builder()
        .points(A=(0, 0), B=(1, 0))
        .links(ground=["A"], bar={"points": ["A", "B"], "shape": "rod", "mass": 2})
        .drive("swing", joint="A", torque="5*sin(t)")
        .force("push", type="force", at="B", value=[0, -3])
        .build()
    )
    assert m.links["bar"].inertia == pytest.approx(2 / 12)
    assert list(m.forces.efforts) == ["swing"]
    assert list(m.forces.loads) == ["push"]


def six_bar(**load: Any) -> Mechanism:
    pins_of = {"ground": "ADF", "crank": "AB", "rod": "BC", "rocker": "CD", "strut": "CE", "out": "EF"}
    return Mechanism(
        points={"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (3, 0), "E": (5, 4), "F": (6, 0)},
        links={name: list(pins) for name, pins in pins_of.items()},
        drivers={"motor": {"joint": "A", "speed": 1}},
        forces={"load": load},
    )


@pytest.mark.parametrize(
    ("load", "remark"),
    [
        (
            {"type": "force", "at": "C", "value": [0, -5]},
            'rod, rocker and strut share the pin C: it acts on rod; on = "rocker" names another',
        ),
        (
            {"type": "spring", "between": ["F", "E"], "stiffness": 9},
            "strut and out share the pin E: it acts on strut; to load another, give out a point of its own there",
        ),
        (
            {"type": "contact", "center": "B", "radius": 0.1, "along": ["D", "F"], "stiffness": 1e6},
            "crank and rod share the pin B: it acts on crank; links = [first, second] names another, such as rod",
        ),
        ({"type": "force", "at": "C", "on": "rocker", "value": [0, -5]}, ""),
        ({"type": "force", "at": "D", "value": [0, -5]}, ""),
        ({"type": "spring", "between": ["A", "D"], "stiffness": 9}, ""),
    ],
)
def test_the_link_that_takes_a_load_at_a_shared_pin_is_named(load: dict[str, Any], remark: str) -> None:
    assert six_bar(**load).remarks == ((f"forces.load: {remark}",) if remark else ())


def test_which_link_takes_a_load_changes_the_force_in_the_pin_but_not_the_effort() -> None:
    """What the note on a shared pin leaves open: the difference at C is the load itself, from rod to rocker."""
    pulls = [{"type": "force", "at": "C", "value": [0, -5], "on": link} for link in ("rod", "rocker")]
    first, second = (six_bar(**pull).solve(t=[0.3]).forces(static=True) for pull in pulls)
    assert first.driver("motor") == pytest.approx(second.driver("motor"), abs=1e-12)
    assert first.reaction("C", "rod") - second.reaction("C", "rod") == pytest.approx(np.array([[0, 5]]), abs=1e-9)
