"""Mechanisms that are immobile by topology, or have redundant joints, and still move."""

import cmath
import json
import math
from pathlib import Path

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path


def three_cranks(middle=(2.0, 0.0)):
    return sk.Mechanism(
        "Three-crank parallelogram",
        points={"A": (0, 0), "B": (1, 2), "C": (5, 2), "D": (4, 0), "E": middle, "F": (3, 2)},
        links={
            "ground": ["A", "D", "E"], "left": ["A", "B"], "coupler": ["B", "C", "F"],
            "right": ["D", "C"], "middle": ["E", "F"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip


def scissor_lift(stages, mast=True):
    """Stages of equal bars, a platform on a pin and a slot, and a vertical mast that is redundant."""
    width, height = 2.0, 1.0
    points = {f"L{k}": (0, k * height) for k in range(stages + 1)}
    points |= {f"R{k}": (width, k * height) for k in range(stages + 1)}
    points |= {f"M{k}": (width / 2, (k + 0.5) * height) for k in range(stages)}
    points |= {"X": (3, 0), "Y": (3, stages * height)}
    links = {"ground": ["L0", "X"]}
    for k in range(stages):
        links[f"up{k}"] = [f"L{k}", f"M{k}", f"R{k + 1}"]
        links[f"down{k}"] = [f"R{k}", f"M{k}", f"L{k + 1}"]
    pinned, guided = f"L{stages}", f"R{stages}"
    links["platform"] = [pinned, "Y"]
    joints = {
        "foot": {"type": "pin-in-slot", "pin": "R0", "on": "down0", "slot": "ground", "along": ["L0", "X"]},
        "top": {
            "type": "pin-in-slot", "pin": guided, "on": f"up{stages - 1}", "slot": "platform", "along": [pinned, "Y"],
        },
    }  # fmt: skip
    if mast:
        joints["mast"] = {"type": "prismatic", "links": ["platform", "ground"], "at": pinned, "axis": [0, 1]}
    start = float(np.arctan2(height, width))
    return sk.Mechanism(
        "Scissor lift",
        points=points,
        links=links,
        joints=joints,
        drivers={"motor": {"joint": "L0", "law": f"{start!r} + 0.2*sin(t)"}},
        duration=6.0,
    )


@pytest.mark.parametrize("seed", few(range(12), 1, 4))
def test_a_plate_on_three_cranks_in_a_line_never_turns(seed):
    """Driven by the last or the middle one: one of three was lost where all bars are in line."""
    rng = np.random.default_rng(seed)
    shafts = np.append(0, np.sort(rng.uniform(0.5, 5, 2)))
    pins = shafts + rng.uniform(0.4, 2) * np.exp(2j * np.pi * rng.random())
    m = sk.Mechanism(
        points={f"{name}{k}": (z.real, z.imag) for name, at in (("A", shafts), ("B", pins)) for k, z in enumerate(at)},
        links={
            "ground": ["A0", "A1", "A2"],
            "plate": ["B0", "B1", "B2"],
            **{f"l{k}": [f"A{k}", f"B{k}"] for k in range(3)},
        },
        drivers={"m": {"joint": f"A{rng.integers(1, 3)}", "speed": 1}},
    )
    motion = m.solve(int(rng.choice([13, 37, 91, 361])), duration=2 * np.pi * rng.uniform(1, 4))
    assert motion.ok.all()
    np.testing.assert_allclose(motion.angle("plate"), motion.angle("plate")[0], atol=1e-8)


def test_three_cranks_turn_together_through_the_flat_poses():
    m = three_cranks()
    structure = m.structure()
    assert [item.kind for item in structure.over] == ["joint"] and not structure.under
    assert "repeats what" in structure.diagnostics[0].message
    assert structure.mobility_in_words == "mobility 0 by the joints alone, 1 by special dimensions"
    assert not m.topology.mobility_count and not m.topology.structure().moves_specially
    motion = m.solve(73)
    assert motion.ok.all() and np.max(motion.residual()) < 1e-12
    np.testing.assert_allclose(motion.angle("middle"), motion.angle("left"), atol=1e-12)
    np.testing.assert_allclose(motion.omega("middle"), 1, atol=1e-9)
    np.testing.assert_allclose(motion.alpha("middle"), 0, atol=1e-9)


def test_a_third_crank_that_does_not_fit_makes_a_structure():
    m = three_cranks(middle=(2.0, 0.3))
    assert any(item.kind == "driver" for item in m.structure().over)
    with pytest.raises(sk.StructureError, match="special dimensions"):
        m.solve()


def test_a_wedge_moves_in_every_geometry():
    m = sk.Mechanism(
        points={"P": (0, 0), "Q": (1, 1)},
        links={"ground": [], "wedge": ["P"], "follower": ["Q"]},
        joints={
            "base": {"type": "prismatic", "links": ["wedge", "ground"], "at": "P", "axis": [1, 0]},
            "slope": {"type": "prismatic", "links": ["follower", "wedge"], "at": "Q", "axis": [1, 0.3]},
            "shaft": {"type": "prismatic", "links": ["follower", "ground"], "at": "Q", "axis": [0, 1]},
        },
        drivers={"push": {"joint": "base", "law": "t + t**2"}},
    )
    motion = m.solve(21, duration=1)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.position("Q")[:, 1], 1 - 0.3 * (motion.t + motion.t**2), atol=1e-12)
    np.testing.assert_allclose(motion.acceleration("Q")[:, 1], -0.6, atol=1e-9)


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_a_scissor_lift_with_a_mast_rises_straight(stages):
    m = scissor_lift(stages)
    assert {item.id for item in m.structure().over} == {"mast"}
    motion = m.solve(73)
    assert motion.ok.all() and np.max(motion.residual()) < 1e-12
    top = motion.position(f"L{stages}")
    np.testing.assert_allclose(top[:, 0], 0, atol=1e-12)
    np.testing.assert_allclose(top[:, 1], stages * np.sqrt(5) * np.sin(motion.angle("up0")), atol=1e-12)
    free = scissor_lift(stages, mast=False).solve(73)
    np.testing.assert_allclose(motion.acceleration(f"L{stages}"), free.acceleration(f"L{stages}"), atol=1e-9)


def test_the_lift_and_the_cranks_are_those_of_the_catalogue():
    """The catalogue gives no lengths for its lift of three stages; this geometry has its topology, and moves."""
    entries = json.loads((Path(__file__).parents[1] / "data" / "catalogue.json").read_text())["mechanisms"]
    topologies = {entry["name"]: sk.Topology.from_dict(entry) for entry in entries}
    lift = topologies["scissor_lift_3_stages_guided_platform"]
    assert sk.isomorphic(scissor_lift(3), lift)
    cranks = topologies["double_parallelogram_five_link"]
    assert sk.isomorphic(three_cranks(), cranks)


def test_a_driver_too_many_is_not_excused():
    """Two motors on a four-bar follow no special geometry: they contradict each other at the next step."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 2), "C": (5, 3), "D": (4, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"one": {"joint": "A", "speed": 1.0}, "two": {"joint": "D", "speed": 1.0}},
    )
    with pytest.raises(sk.StructureError, match="driver two repeats"):
        m.solve()


def test_a_cylinder_too_many_is_named():
    """It was once a traceback: the plan of the special geometry took half a revolute joint for a guide."""
    data = sk.load(path("crank_rocker")).source_dict
    data["drivers"]["ram"] = {"between": ["B", "D"], "speed": "1 m/s"}
    m = sk.Mechanism.from_dict(data)
    (problem,) = m.structure().diagnostics
    assert problem.key == "drivers.ram" and "repeats what A, B, D, motor already fix" in problem.message
    with pytest.raises(sk.StructureError, match="driver ram repeats"):
        m.solve()


@pytest.mark.parametrize("before", [0.1, 0.019, 1e-3, 1e-5])
def test_joints_that_agree_are_found_to_agree_next_to_a_limit(before):
    """A four-bar with its frame drawn as a bar, at these angles before its crank ends, by the law of cosines."""
    ground, crank, coupler, rocker = 4.0, 2.0, 1.5, 2.5
    end = math.acos((ground**2 + crank**2 - (coupler + rocker) ** 2) / (2 * ground * crank))
    B = crank * cmath.exp(1j * (end - before))
    gap = abs(ground - B)
    along = (coupler**2 - rocker**2 + gap**2) / (2 * gap)
    C = B + (ground - B) / gap * (along + 1j * math.sqrt(coupler**2 - along**2))
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (ground, 0)},
        links={
            "ground": ["A", "D"], "frame": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"],
        },
        drivers={"motor": {"joint": "A", "links": ["ground", "crank"], "law": f"{end - before!r} - t"}},
    )  # fmt: skip
    assert m.structure().over
    motion = m.solve(t=[0.0, 0.1, 0.5])
    assert motion.ok.all() and motion.residual().max() < 1e-12
    np.testing.assert_allclose(motion.angle("frame"), 0, atol=1e-12)
    assert m.limits("motor").upper.value == pytest.approx(end, abs=1e-9)


def test_mechanisms_of_one_topology_share_their_structure_and_no_other_ones_do():
    """Candidates and variants are decomposed once; what special dimensions change is not shared."""
    first, other = three_cranks(), three_cranks(middle=(3.0, 0.0))
    assert first.structure() is three_cranks(middle=(2.0, 1e-12)).structure()
    assert first.structure() != other.structure() and other.structure().over != first.structure().over
    lift = scissor_lift(1)
    assert lift.structure() is scissor_lift(1).structure() and lift.structure() != scissor_lift(2).structure()
