"""Redundant joints: the smallest forces of the whole part, against a KKT system from scratch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from absolute import JointForceSystem
from cases import blocks, few
from redundant import KINDS, MAKE, redundant
from test_multipliers import reactions_do_the_work_of_the_multipliers

import structkin as sk
from structkin.dynamics import Kinetostatics
from structkin.global_methods.families import FAMILIES
from structkin.joints.guide import Guide
from structkin.solve.special_geometry import compile_plan

NEAR = 1e-9


def agree(motion: sk.Motion, forces: Kinetostatics, samples: Iterable[int] | None = None) -> int:
    """Compare reactions and moments of all joints with the KKT system's; return the number of samples with a pose."""
    guides = motion.mechanism.joints.of(Guide)
    good = [k for k in samples or range(len(motion)) if motion.ok[k]]
    for k in good:
        expected = JointForceSystem(motion, k).solve()
        scale = max(np.max(np.abs(value)) for value in expected.values())
        for key, value in expected.items():
            if isinstance(key, str):
                found = forces.driver(key)
            elif key[1] == "moment":
                found = forces.reaction_moment(key[0], guides[key[0]].slider)
            else:
                found = forces.reaction(*key)
            assert np.max(np.abs(found[k] - value)) < NEAR * scale, (key, found[k], value)
    return len(good)


def built(seed: int, **options: Any) -> sk.Mechanism | None:
    """A random mechanism; None where the redundant joints are not found to be consistent: a sketch next to a limit."""
    m = redundant(seed, **options)
    try:
        compile_plan(m)
    except sk.StructureError:
        assert KINDS[seed % len(KINDS)] == "cylinder"
        return None
    return m


def check_driven(seed: int) -> None:
    m = built(seed)
    if m is None:
        return
    motion = m.solve(samples=5)
    forces = motion.forces()
    assert motion.structure.over and agree(motion, forces)
    assert all(forces.unique(id) for id in m.drivers)


def check_simulated(seed: int) -> None:
    m = built(seed, driven=seed % 2 == 1)
    if m is None:
        return
    family = tuple(FAMILIES)[seed % len(FAMILIES)]
    r = m.simulate(0.05, samples=3, formulation="multipliers", coordinates=family)
    assert r.redundant and agree(r, r.forces())
    reactions_do_the_work_of_the_multipliers(r)


@pytest.mark.parametrize("seed", few(range(24), 2, 8))
def test_random_redundant_mechanisms(seed: int) -> None:
    check_driven(seed)
    check_simulated(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(24, 324)))
def test_many_random_redundant_mechanisms(seeds: range) -> None:
    for seed in seeds:
        check_driven(seed)
        check_simulated(seed)


def plate_on_cranks(angle: float = 0.7, **more: Any) -> sk.Mechanism:
    """Shafts (0,0), (1,0), (.5,.8): regular at every angle, although any two cranks with the plate have flat poses."""
    arm, shafts = 0.3 * np.array([np.cos(angle), np.sin(angle)]), np.array([(0, 0), (1, 0), (0.5, 0.8)])
    pins = shafts + arm
    return sk.Mechanism(
        points={f"A{i}": tuple(p) for i, p in enumerate(shafts)} | {f"B{i}": tuple(p) for i, p in enumerate(pins)},
        links={
            "ground": ["A0", "A1", "A2"],
            "plate": {
                "points": ["B0", "B1", "B2"],
                "mass": 6,
                "center": np.add(arm, [0.5, 0.3]).tolist(),
                "inertia": 0.2,
            },
            **{f"crank{i}": [f"A{i}", f"B{i}"] for i in range(3)},
        },
        drivers={"motor": {"joint": "A0", **more}},
        forces={"gravity": [0, -9.81]},
    )


def test_a_plate_on_three_cranks_is_regular_at_the_flat_poses_of_two() -> None:
    """Solved by groups, its force once grew to 2.25e6 N at 1e-5 rad, and the motor's torque was lost at 0."""
    angles = [0.7, 0.1, 1e-3, 1e-5, 1e-9, 0.0, -1e-5]
    motion = plate_on_cranks().solve(drivers={"motor": angles})
    assert motion.ok.all()
    forces = motion.forces(static=True)
    np.testing.assert_allclose(forces.driver("motor"), 6 * 9.81 * 0.3 * np.cos(angles), rtol=1e-12, atol=1e-12)
    assert forces.driver("motor")[5] == pytest.approx(17.658, rel=1e-12)
    for k in range(3):
        assert np.max(np.hypot(*forces.reaction(f"B{k}", "plate").T)) < 1.1 * 6 * 9.81
    assert agree(forces.motion, forces) == len(angles)


@pytest.mark.parametrize("seed", few(range(12), 4))
def test_cranks_next_to_flat_poses(seed: int) -> None:
    """With rates, where two of the three to five shafts are nearly in line with their cranks."""
    rng = np.random.default_rng([seed, 9])
    m = redundant(seed, driven=False, kind="cranks")
    start = m.drivers["motor"].start
    shafts = [name for name in m.points if name.startswith("A")]
    a, b = rng.choice(shafts, 2, replace=False)
    flat = start + np.angle((m.places[b] - m.places[a]) / np.exp(1j * start))
    near = flat - np.sign(flat - start) * np.array([0.1, 0.01, 1e-3])
    values = np.concatenate((np.linspace(start, near[0], 400)[:-1], near))
    motion = m.solve(drivers={"motor": (values, rng.uniform(-2, 2, 402), rng.uniform(-2, 2, 402))})
    assert agree(motion, motion.forces(), samples=range(399, 402)) == 3


@pytest.mark.parametrize("family", FAMILIES)
def test_forces_next_to_a_flat_pose(family: str) -> None:
    """They were 14,919 N once, and are 10 N."""
    data = plate_on_cranks().source_dict
    m = sk.Mechanism.from_dict({**data, "initial": {"motor": {"value": 2e-3, "speed": 0.1}}})
    r = m.simulate(0.01, samples=3, formulation="multipliers", coordinates=family)
    assert agree(r, r.forces()) == 3


def test_forces_out_of_reach_of_redundant_ones_are_unique() -> None:
    """A table on three cranks carries a pendulum, and its first crank is driven through a separate four-bar."""
    data = plate_on_cranks(law="0.7+0.1*sin(t)").source_dict
    data["points"] |= {"P": (1.2, -0.4), "M": (-1, 0), "N": (-1.2, 0.3)}
    data["links"]["plate"]["points"] = [*data["links"]["plate"]["points"]]
    data["links"] |= {"bob": {"points": ["B1", "P"], "shape": "rod", "mass": 1}}
    data["drivers"]["swing"] = {"links": ["plate", "bob"], "law": "0.3*t"}
    data["links"]["ground"] = [*data["links"]["ground"], "M"]
    data["links"] |= {"lever": ["M", "N"], "bar": ["N", "B0"]}
    m = sk.Mechanism.from_dict({**data, "duration": 2})
    forces = m.solve(samples=5).forces()
    assert {id: forces.unique(id) for id in ("M", "N", "motor", "swing")} == dict.fromkeys(
        ("M", "N", "motor", "swing"), True
    )
    # the pin B1 of crank, plate and bob: the force on the bob is unique, how crank and plate share it is not
    bob = 9.81 + forces.motion.acceleration("B1")
    assert not forces.unique("B1") and bob.shape == (5, 2)
    assert [forces.unique_force("B1", link) for link in ("bob", "plate")] == [True, False]
    assert agree(forces.motion, forces) == 5


def parallelogram_of_rods(base: float, crank: tuple[float, float], law: str, **more: Any) -> sk.Mechanism:
    """A crank, coupler and follower of 1 kg each."""
    (x, y), rod = crank, {"shape": "rod", "mass": 1}
    return sk.Mechanism(
        points={"A": (0, 0), "D": (base, 0), "B": (x, y), "C": (base + x, y)},
        links={"ground": ["A", "D"], "a": {"points": ["A", "B"], **rod}, "b": {"points": ["B", "C"], **rod},
               "c": {"points": ["D", "C"], **rod}},
        drivers={"motor": {"joint": "A", "law": law}},
        **more,
    )  # fmt: skip


def test_efforts_are_right_at_a_flat_pose_that_carries_no_load() -> None:
    """A parallelogram folded flat: its pins' forces are not determined, the torque is 9.81 N m by virtual work."""
    m = parallelogram_of_rods(1, (0.3, 0.4), "1 - t", forces={"gravity": [0, -9.81]})
    motion = m.solve(t=[0.0, 1.0, 2.0])
    for static in (False, True):
        forces = motion.forces(static=static)
        np.testing.assert_allclose(forces.driver("motor"), 9.81 * np.cos([1, 0, 1]), rtol=1e-12)
        assert np.isnan(forces.reaction("B", "b")[1]).all() and np.isfinite(forces.reaction("B", "b")[[0, 2]]).all()


def test_a_flat_pose_that_carries_its_loads_leaves_the_forces_open() -> None:
    """Rods that turn without gravity pull along the flat parallelogram only: its pins had forces of rounding, 3.9 N."""
    m = parallelogram_of_rods(2, (0, 1), "pi/2 + t")
    forces = m.solve(t=[0.0, np.pi / 2, np.pi / 2 + 1e-4]).forces()
    assert np.isnan(forces.reaction("B", "b")[1]).all() and np.isnan(forces.reaction("D", "c")[1]).all()
    # The coupler is pulled in by 1 N, half of it by each crank, as both of its ends move alike.
    assert np.hypot(*forces.reaction("B", "b")[2]) == pytest.approx(0.5, rel=1e-3)
    assert forces.driver("motor") == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_crank_far_smaller_than_its_frame_is_no_flat_pose() -> None:
    """A crank of 10 nm in a frame of 100 m: statics of a guide that holds 9.81 N on the crank's pin, by moments."""
    r = 1e-8
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (0.6 * r, 0.8 * r), "B": (1, 0), "Z": (100, 0)},
        links={"ground": ["O", "Z"], "crank": ["O", "A"], "rod": {"points": ["A", "B"], "point_masses": {"A": 1}},
               "slide": ["B"]},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "at": "B", "axis": [1, 0]}},
        drivers={"push": {"joint": "guide", "speed": 0}},
        forces={"gravity": [0, -9.81]},
    )  # fmt: skip
    forces = m.solve(t=[0.0]).forces()
    # The force of the crank lies along it, and that of the guide and the driver along the rod, as good as level.
    assert forces.reaction("O", "crank")[0] == pytest.approx([9.81 * 0.75, 9.81], rel=1e-6)
    assert forces.driver("push") == pytest.approx([-9.81 * 0.75], rel=1e-6)


@pytest.mark.parametrize("of", ["A1", "B1"])
@pytest.mark.parametrize("free", [False, True])
def test_a_cylinder_on_a_pin(of: str, free: bool) -> None:
    """Forces on the links of a pin sum to the cylinder's force, on the ground as elsewhere."""
    data = plate_on_cranks().source_dict
    shift = 0.02 if of == "A1" else -0.02
    data["drivers"] = {"ram": {"between": [of, "B0" if of == "A1" else "A0"]}}
    length = sk.Mechanism.from_dict(data).drivers["ram"].start
    entry = {"force": 40} if free else {"law": f"{length!r} + {shift!r}*sin(t)"}
    data["drivers"]["ram"] |= entry
    m = sk.Mechanism.from_dict(data)
    r = m.simulate(0.02, samples=3, formulation="multipliers", coordinates="reference-point")
    forces, (first, second) = r.forces(), m.drivers["ram"].ends
    span = r.position(second[1]) - r.position(first[1])
    push = -r.efforts["ram"][:, None] * span / np.hypot(*span.T)[:, None]
    links = m.topology.joint(of).links
    np.testing.assert_allclose(sum(forces.reaction(of, link) for link in links), push, rtol=1e-9)
    if free:
        np.testing.assert_allclose(r.efforts["ram"], 40)


def test_every_random_kind_is_redundant() -> None:
    for seed, kind in enumerate(MAKE):
        assert redundant(seed, kind=kind).solve(samples=2).structure.over
