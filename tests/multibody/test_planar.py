"""Planar mechanisms as models in space: masses, energy, rates and poses are those of the plane."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin import examples
from structkin.errors import InputError
from structkin.examples import path
from structkin.multibody.spanning_tree import paths
from structkin.multibody.start import Loops, body_poses, with_start

EXAMPLES = [
    "andrews_squeezer",
    "crank_rocker",
    "slider_crank_offset",
    "whitworth_shaper",
    "scotch_yoke",
    "oldham_coupling",
]


def with_masses(name):
    """The example with a mass on every link, so that it can be simulated."""
    data = sk.load(path(name)).source_dict
    for link, entry in data["links"].items():
        if link != "ground":
            points = entry["points"] if isinstance(entry, dict) else entry
            place = data["points"][points[0]]
            data["links"][link] = {
                "points": points,
                "mass": 2.5,
                "center": [place[0] + 0.2, place[1] + 0.1],
                "inertia": 0.3,
            }
    data.setdefault("forces", {})["gravity"] = [0.3, -9.81]
    return sk.Mechanism.from_dict(data)


def twists(model):
    """The angular velocity and the velocity of the centre of mass of every body at time 0, by the tree."""
    found, _ = paths(list(model.bodies), model.joints)
    rates = {}
    for body, chain in found.items():
        w, v, x = np.zeros(3), np.zeros(3), model.bodies[body].center if body in model.bodies else np.zeros(3)
        for joint, sense in chain:
            for motion, rate in zip(joint.motions, joint.rates, strict=True):
                w = w + sense * rate * motion.rotation
                v = v + sense * rate * (motion.translation + np.cross(motion.rotation, x - joint.at))
        rates[body] = w, v
    return rates


@pytest.mark.parametrize("name", EXAMPLES)
def test_masses_energy_and_rates_are_those_of_the_plane(name):
    m = with_masses(name)
    model = m.to_spatial(drivers="free")
    assert sum(body.mass for body in model.bodies.values()) == pytest.approx(2.5 * (len(m.links) - 1))
    motion = m.solve(t=[0.0])
    kinetic = potential = 0.0
    for body, (w, v) in twists(model).items():
        if body not in m.links or body == "ground":
            continue
        held = model.bodies[body]
        assert w == pytest.approx([0, 0, motion.omega(body)[0]], abs=1e-9)
        assert held.center[:2] == pytest.approx(motion.position(m.links[body].center, body)[0], abs=1e-9)
        kinetic += held.mass * v @ v / 2 + w @ held.inertia @ w / 2
        potential -= held.mass * model.gravity @ held.center
    plane = [0.5 * 2.5 * sum(motion.velocity(link.center, id)[0] ** 2) + 0.15 * motion.omega(id)[0] ** 2
             for id, link in m.links.items() if id != "ground"]  # fmt: skip
    assert kinetic == pytest.approx(sum(plane))
    height = sum(motion.position(link.center, id)[0] @ [0.3, -9.81] for id, link in m.links.items() if id != "ground")
    assert potential == pytest.approx(-2.5 * height)
    loops = Loops(list(model.bodies), model.joints)
    matrix, gaps = loops._linear({id: j.start for id, j in model.joints.items()})
    rates = np.array([model.joints[id].rates[n] / loops._unit(id, n) for id, n in loops.columns])
    assert np.abs(gaps).max() < 1e-9 and np.abs(matrix @ rates).max() < 1e-9 * max(1, np.abs(rates).max())


@pytest.mark.parametrize("name", ["crank_rocker", "slider_crank_offset", "andrews_squeezer"])
def test_poses_elsewhere_are_those_of_the_plane(name):
    m = sk.load(path(name))
    (joint,) = (driver.joint for driver in m.topology.drivers)
    model = m.to_spatial(drivers="free")
    (driver,) = m.drivers
    begin, turn = m.solve(t=[0.0]).drivers[driver][0, 0], 0.3
    given = {id: (turn,) if id == joint else None for id in model.joints}
    joints = with_start(list(model.bodies), model.joints, given, dict.fromkeys(model.joints))
    poses = body_poses(paths(list(model.bodies), joints)[0], {id: j.start for id, j in joints.items()})
    after = m.solve(drivers={driver: np.linspace(begin, begin + turn, 10)})
    for id, link in m.links.items():
        for point in link.points if id != "ground" else ():
            place = poses[id] @ [*model.bodies[id].points[point], 1]
            assert place[:2] == pytest.approx(after.position(point)[-1], abs=1e-9)


def held_by_a_spring(**spring):
    """An arm whose tip is on the hook of its spring in the sketch."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "H": (1, 0)},
        links={"ground": ["A", "H"], "arm": {"points": ["A", "B"], "mass": 1, "shape": "rod"}},
        forces={"gravity": [0, -9.81], "hook": {"type": "spring", "between": ["H", "B"], "stiffness": 100, **spring}},
        drivers={"swing": {"joint": "A"}},
    )


def test_a_spring_whose_ends_meet_has_a_force_only_without_a_free_length():
    """In the plane it was refused; in space it silently had none, and its printed equations divided by zero."""
    preloaded, m = held_by_a_spring(free_length=0.2), held_by_a_spring(free_length=0)
    for call in (preloaded.to_spatial, lambda: preloaded.simulate(0.1, samples=3)):
        with pytest.raises(sk.InputError, match=r"forces\.hook: its ends meet .*, where its force has no direction"):
            call()
    flat, space = m.simulate(0.1, samples=5), m.to_spatial().simulate(0.1, 5)
    assert space.position("arm.B")[:, :2] == pytest.approx(flat.position("B"), abs=1e-7)


def test_parts_without_a_counterpart_are_refused_with_the_reason():
    with pytest.raises(sk.InputError, match="a driver with a law has no counterpart in space"):
        sk.load(path("crank_rocker")).to_spatial()
    for example, joint in (
        ("geared_five_bar", "gear mesh"), ("rack_and_pinion", "rack"), ("wafer_arm", "belt"),
        ("geneva", "Geneva wheel"), ("garage_door", "curved slot"),
    ):  # fmt: skip
        with pytest.raises(
            sk.InputError, match=rf"joints.*: a {joint} has no counterpart in space; revolute, prismatic"
        ):
            sk.load(path(example)).to_spatial(drivers="free")
    with pytest.raises(sk.InputError, match="drivers: 'driven' is unknown; known: refuse, free"):
        sk.load(path("crank_rocker")).to_spatial(drivers="driven")


def test_loads_are_those_of_the_plane():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (1, 1), "D": (1, 0)},
        links={"ground": ["A", "D"], "a": {"points": ["A", "B"], "mass": 1, "shape": "rod"}, "b": ["B", "C"],
               "c": ["C", "D"]},
        drivers={"q": {"joint": "A", "torque": 4}},
        forces={
            "coil": {"type": "spring", "between": ["B", "D"], "stiffness": 3, "free_length": 1},
            "drum": {"type": "torsion", "joint": "D", "stiffness": 2, "free_angle": 0.4},
            "push": {"type": "force", "at": "B", "on": "a", "value": [5, 7], "frame": "local"},
            "twist": {"type": "moment", "links": ["a", "c"], "value": 3},
        },
    )  # fmt: skip
    loads = m.to_spatial().loads
    zero = np.zeros(1)
    pushes = [loads["push"], loads["push across"]]
    push = sum(np.array([part(zero)[0][0] for part in load.components]) for load in pushes)
    assert push == pytest.approx([-7, 5, 0])  # the link's x axis leads from A up to B
    assert all(load.follows for load in pushes)
    assert [float(loads[id].components[2](zero)[0][0]) for id in ("twist", "twist reaction")] == [3, -3]
    assert loads["drum"].rest == pytest.approx(0.4 - np.pi / 2) or loads["drum"].rest == pytest.approx(0.4 + np.pi / 2)
    assert float(loads["q"].effort(zero)[0][0]) == 4 and loads["coil"].length == 1


def pushed(frame, rows, **more):
    """A rod on a pin, pushed at its end by a force from a table."""
    push = {"type": "force", "at": "B", "on": "rod", "direction": [0, 1], "table": rows, "frame": frame}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.5, 0.3)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "mass": 1, "shape": "rod"}},
        drivers={"q": {"joint": "A"}},
        forces={"push": push, **more},
    )


@pytest.mark.parametrize("frame", ["global", "local"])
def test_tables_of_loads_keep_their_ends_and_short_rows(frame):
    """In the body's axes both were lost: runs ended with the table, and a blow of 20 microseconds was passed over."""
    model = pushed(frame, [[0, 1], [1, 2], [2, 0]]).to_spatial()
    with pytest.raises(sk.InputError, match="ends before 3 s"):
        model.simulate(3)
    with pytest.raises(sk.InputError, match="its table covers 0 to 2 s"):
        model.small_steps(3, 1e-3)
    blown = pushed(frame, [[0, 0], [1, 0], [1.00001, 2e4], [1.00002, 0], [5, 0]])
    plane = blown.simulate(2, samples=3).drivers["q"][0]
    space = blown.to_spatial().simulate(2, samples=3).q[:, 0]
    assert plane[2] > 0.8 and space - space[0] == pytest.approx(plane - plane[0], rel=1e-7)


def test_a_load_in_axes_of_the_body_has_equations_and_names_stay_apart():
    twist = {"type": "moment", "links": ["ground", "rod"], "value": 3}
    other = {"type": "force", "at": "B", "on": "rod", "value": [1, 2]}
    model = pushed("local", [[0, 1], [1, 2], [2, 0]], **{"twist": twist, "push across": other}).to_spatial()
    assert list(model.loads) == ["push", "push across'", "twist", "push across"]
    assert "begin{cases}" in model.equations().latex()  # the cubics of the table


@pytest.mark.parametrize("joint", "ABD")
@pytest.mark.parametrize("start", few([2.5, 8.0, -5.0], 1))
def test_coils_are_wound_by_the_whole_turns_of_the_start(joint, start):
    """From more than half a turn beyond the sketch, coils had lost whole turns."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.1, 0.3), "C": (0.9, 0.7), "D": (1, 0)},
        links={"ground": ["A", "D"], "crank": {"points": ["A", "B"], "mass": 1, "shape": "rod"},
               "coupler": {"points": ["B", "C"], "mass": 2, "shape": "rod"},
               "rocker": {"points": ["C", "D"], "mass": 1, "shape": "rod"}},
        drivers={"crank": {"joint": "A"}},
        forces={"coil": {"type": "torsion", "joint": joint, "stiffness": 3, "free_angle": 0.4, "damping": 0.1}},
        initial={"crank": {"value": start, "speed": 2}},
    )  # fmt: skip
    plane, space = m.simulate(0.5, samples=11, rtol=1e-10), m.to_spatial().simulate(0.5, 11, 1e-10)
    assert space.position("rocker.C")[:, :2] == pytest.approx(plane.position("C"), abs=1e-8)


def test_second_parts_take_no_name_of_another_part():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (1, 1), "A 2": (-1, 1)},
        links={"ground": ["A"], "a": ["A", "B"], "b": ["A", "A 2"], "c": ["A 2", "C"]},
        drivers={"q": {"joint": "A", "links": ["ground", "a"]}, "r": {"joint": "A", "links": ["ground", "b"]},
                 "s": {"joint": "A 2"}},
    )  # fmt: skip
    assert set(m.to_spatial().joints) == {"A", "A 2'", "A 2"}


def test_the_examples_that_do_not_convert_are_those_of_the_page():
    page = (Path(__file__).parents[2] / "docs" / "space.md").read_text(encoding="utf-8")
    listed = page[page.index("Ten do not convert") :]
    refused = []
    for name in examples.names():
        try:
            sk.load(path(name)).to_spatial(drivers="free")
        except InputError:
            refused.append(name)
    assert len(refused) == 10 and set(re.findall(r"`(\w+)`", listed)) == set(refused)
    assert f"{len(examples.names())} planar" in page
