"""Links that only spin about a pin ride with the link that carries them, with a note; whatever could swing does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.global_methods.methods import METHODS


def slotted(**roller: Any) -> sk.Mechanism:
    """A slider-crank whose slider is a pin in a slot, with a roller on this pin, from a textbook on mobility."""
    points = {"A": (0, 0), "B": (1, 0), "P": (-3, 1), "Q": (3, 1), "C": (2.5, 1), "R": (2.5, 1.2)}
    links = {
        "ground": ["A", "P", "Q"],
        "crank": ["A", "B"],
        "rod": ["B", "C"],
        **({"roller": roller} if roller else {}),
    }
    return sk.Mechanism(
        points={name: place for name, place in points.items() if name != "R" or "R" in roller.get("points", ())},
        links=links,
        joints={"slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "along": ["P", "Q"]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("points", few([["C"], ["C", "R"]], 1))
def test_a_roller_in_a_slot_rides_with_the_rod(points, method):
    """The pin is where the circle about B meets the slot, with the roller and without it."""
    m = slotted(points=points)
    (note,) = m.remarks
    assert note.startswith("links.roller: nothing determines its angle about C") and note.endswith("rides with rod")
    assert m.structure().mobility == 1 and not m.structure().diagnostics
    motion = m.solve(t=np.linspace(0, 3, 9), method=method)
    t = motion.t
    expected = np.cos(t) + np.sqrt(1.5**2 + 1 - (1 - np.sin(t)) ** 2)
    np.testing.assert_allclose(motion.position("C"), np.column_stack((expected, np.ones(9))), atol=1e-12)
    np.testing.assert_allclose(motion.omega("roller"), motion.omega("rod"), atol=1e-12)
    assert str(m.limits("motor")) == str(slotted().limits("motor"))


SLOTS = {
    "straight": {"along": ["P", "Q"]},
    "circular": {"center": "P"},
    "curved": {"through": [[-3, 1], [0, 1.1], [2.5, 1], [4, 1.2]]},
    "segments": {"start": "P", "axis": [1, 0], "segments": [{"length": 4}, {"turn": -0.5, "radius": 12}]},
}


@pytest.mark.parametrize("friction", few([0.0, 0.1], 1))
@pytest.mark.parametrize("points", [["C"], ["C", "R"]])
@pytest.mark.parametrize("shape", SLOTS)
def test_a_roller_on_which_the_slot_acts_rides_too(shape, points, friction):
    """The slot touches it at its pin: the motion is that without the roller."""
    data = slotted(points=points).source_dict
    slot = {"type": "pin-in-slot", "pin": "C", "slot": "ground", **SLOTS[shape]}
    if shape == "segments":
        data["points"]["C"] = (2.5, 1 - (12 - np.sqrt(144 - 1.5**2)))
    data["joints"] = {"slot": {**slot, "on": "roller"}}
    if friction:
        data["forces"] = {"rubs": {"type": "friction", "joint": "slot", "limit": friction}}
    m = sk.Mechanism.from_dict(data)
    assert [note.endswith("it rides with rod") for note in m.remarks] == [True]
    bare = {**data, "joints": {"slot": slot}, "links": {k: v for k, v in data["links"].items() if k != "roller"}}
    bare["points"] = {name: place for name, place in data["points"].items() if name != "R"}
    plain = sk.Mechanism.from_dict(bare).solve(t=[0.0, 0.3, 0.6])
    motion = m.solve(t=[0.0, 0.3, 0.6])
    assert motion.ok.all()
    np.testing.assert_allclose(motion.position("C"), plain.position("C"), atol=1e-12)
    np.testing.assert_allclose(motion.acceleration("C"), plain.acceleration("C"), atol=1e-9)


@pytest.mark.parametrize("points", [["G"], ["G", "H"]])
def test_a_roller_on_the_ground_in_a_moving_slot_stands_still(points):
    places = {"O": (0, 0), "A": (1, 0), "B": (3, 0), "G": (2, 0), "H": (2, 0.1)}
    m = sk.Mechanism(
        points={name: place for name, place in places.items() if name != "H" or "H" in points},
        links={"ground": ["O", "G"], "crank": ["O", "A"], "rod": ["A", "B"], "roller": points},
        joints={"slot": {"type": "pin-in-slot", "pin": "G", "on": "roller", "slot": "rod", "along": ["A", "B"]}},
        drivers={"motor": {"joint": "O", "speed": 1.0}},
    )
    motion = m.solve(37, duration=6)
    a = motion.position("A")
    assert motion.ok.all() and (motion.omega("roller") == 0).all()
    np.testing.assert_allclose(np.tan(motion.angle("rod")), -a[:, 1] / (2 - a[:, 0]), atol=1e-12)


@pytest.mark.parametrize("at", few(["X", "A", "B", "D"], 1))
@pytest.mark.parametrize("cranks", [1, 3])
def test_a_disc_of_one_point_rides_on_its_pin(at, cranks):
    """On a bare point of the ground or on any pin; a third crank, which is redundant, changes nothing."""
    points = {"A": (0, 0), "B": (0, 1), "C": (1, 1), "D": (1, 0), "E": (2, 0), "F": (2, 1), "X": (9, 9)}
    links = {"ground": ["A", "D", "X"], "a": ["A", "B"], "b": ["B", "C"], "c": ["C", "D"], "disc": [at]}
    if cranks == 3:
        links |= {"ground": ["A", "D", "E", "X"], "b": ["B", "C", "F"], "d": ["E", "F"]}
    m = sk.Mechanism(
        points={name: place for name, place in points.items() if cranks == 3 or name not in "EF"},
        links=links,
        drivers={"motor": {"joint": "A", "links": ["ground", "a"], "speed": 1.0}},
    )
    assert [note.endswith(f"it rides with {'a' if at == 'B' else 'ground'}") for note in m.remarks] == [True]
    motion = m.solve(t=[0.0, 0.5])
    assert motion.ok.all() and np.allclose(motion.omega("disc"), at == "B")


def test_a_second_crank_on_a_pin_of_the_ground_is_not_idle():
    points = {"A": (0, 0), "B": (0, 1), "C": (1, 0)}
    links = {"ground": ["A"], "p": ["A", "B"], "q": ["A", "C"]}
    drivers = {"motor": {"joint": "A", "links": ["ground", "p"], "speed": 1.0}}
    m = sk.Mechanism(points=points, links=links, drivers=drivers)
    assert not m.remarks
    with pytest.raises(sk.StructureError, match="link q can still move"):
        m.solve(3)


def test_a_roller_at_a_cam_rides_with_its_arm():
    """A round cam about its centre: the arm stands still."""
    m = sk.Mechanism(
        points={"O": (0, 0), "K": (-2, 1), "F": (0, 0.6)},
        links={"ground": ["O", "K"], "disc": ["O"], "arm": ["K", "F"], "roller": ["F"]},
        joints={"cam": {"type": "cam", "cam": "disc", "follower": "roller", "at": "F", "radius": 0.1,
                        "profile": [[k, 0.5] for k in np.linspace(0, 6, 40)]}},
        drivers={"motor": {"joint": "O", "speed": 1.0}},
    )  # fmt: skip
    assert [note.endswith("it rides with arm") for note in m.remarks] == [True]
    np.testing.assert_allclose(m.solve(9, duration=6).position("F"), [[0, 0.6]] * 9, atol=1e-12)


def test_a_roller_with_a_mass_at_its_pin_loads_the_motor_as_a_point_mass():
    forces = slotted(points=["C"], mass=2.0).solve(t=[0.0, 0.5, 1.0]).forces()
    motion = forces.motion
    power = 2.0 * np.sum(motion.acceleration("C") * motion.velocity("C"), axis=1)  # the motor turns at 1 rad/s
    np.testing.assert_allclose(forces.driver("motor"), power, rtol=1e-9)


def test_all_ways_to_read_it_again_agree(tmp_path: Path):
    m = slotted(points=["C"])
    m.save(tmp_path / "m.toml")
    loaded = sk.load(tmp_path / "m.toml")
    assert loaded.remarks == m.remarks and "rides" not in (tmp_path / "m.toml").read_text()
    motions = m.solve_many(5, points={"B": [(1, 0), (1.1, 0)]}, duration=1.0)
    for k, place in enumerate([(1, 0), (1.1, 0)]):
        data = m.source_dict
        data["points"]["B"] = place
        expected = sk.Mechanism.from_dict(data).solve(5, duration=1.0).position("C")
        np.testing.assert_allclose(motions.position("C")[k], expected, atol=1e-12)
    assembly = next(iter(m.assemblies()))
    assert assembly.mechanism().solve(t=[0.0]).ok.all()
    turned = m.with_drivers({"spin": {"joint": "C", "links": ["rod", "roller"], "speed": 2.0}})
    assert not turned.remarks
    motion = turned.solve(t=[0.0, 0.4])
    np.testing.assert_allclose(motion.omega("roller") - motion.omega("rod"), 2.0, atol=1e-12)


def test_a_roller_rides_without_drivers_too():
    data = slotted(points=["C"]).source_dict
    del data["drivers"]
    m = sk.Mechanism.from_dict(data)
    assert len(m.remarks) == 1 and m.structure().mobility == 1
    data["joints"] = {}
    assert not sk.Mechanism.from_dict(data).remarks  # a block whose guide is not yet drawn


def arm(count: int, driven: int, **last: Any) -> sk.Mechanism:
    """A chain of links, of which the first few are driven."""
    points = {f"P{k}": (k, 0.1 * k) for k in range(count + 1)}
    links: dict[str, Any] = {"ground": ["P0"]} | {f"arm{k}": [f"P{k}", f"P{k + 1}"] for k in range(count)}
    links[f"arm{count - 1}"] = {"points": links[f"arm{count - 1}"], **last}
    drivers = {f"motor{k}": {"joint": f"P{k}", "speed": 1.0} for k in range(driven)}
    return sk.Mechanism(points=points, links=links, drivers=drivers)


def test_an_arm_without_its_motor_is_not_idle():
    """Its pin is its own: the motor has been forgotten, and nothing is fastened."""
    for short in (arm(3, 2), arm(3, 1), arm(3, 0), arm(2, 0)):
        assert not short.remarks and short.structure().mobility == len(short.links) - 1
    with pytest.raises(sk.StructureError, match="drive P2"):
        arm(3, 2).solve(3)
    with pytest.raises(sk.StructureError, match="drivers are missing"):
        arm(3, 1).solve(3, duration=1.0)


@pytest.mark.parametrize("inertial", [{"mass": 1.0, "center": (1.5, 0.15)}, {"inertia": 0.1}])
def test_what_has_inertia_swings(inertial):
    m = arm(2, 1, **inertial)
    assert not m.remarks
    with pytest.raises(sk.StructureError, match=r"spins idly about P1.*drive P1, or fasten it"):
        m.solve(3)


def test_what_a_load_or_a_start_names_is_not_idle():
    data = arm(2, 1).source_dict
    for more in (
        {"forces": {"push": {"type": "force", "at": "P2", "value": [0, 1]}}},
        {"forces": {"twist": {"type": "moment", "on": "arm1", "value": 1.0}}},
        {"initial": {"arm1": {"omega": 1.0}}},
        {"drivers": {**data["drivers"], "elbow": {"joint": "P1"}}},
    ):
        assert not sk.Mechanism.from_dict({**data, **more}).remarks
