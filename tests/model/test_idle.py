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
