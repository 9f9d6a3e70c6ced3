"""Random mechanisms under loads of all kinds that have a counterpart in space: minimal coordinates agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import released

import structkin as sk


def freed(seed: int) -> sk.Mechanism:
    """A random mechanism with all drivers free, a coil on a pin, and no load without a counterpart in space."""
    data = released(seed, share=1.0).source_dict
    for entry in data["drivers"].values():
        if "between" in entry:
            del entry["force"]
    loads = data["forces"]
    for id in ("r", "q"):
        loads.pop(id, None)
    loads.get("s", {}).pop("actuator", None)
    joints = sk.Mechanism.from_dict(data).topology.joints
    pins = [list(joint.links) for joint in joints if joint.kind == "R" and len(joint.links) == 2]
    if pins:
        loads["c"] |= {"links": pins[-1], "free_angle": float(np.random.default_rng([seed, 5]).uniform(-9, 9))}
    else:
        del loads["c"]
    return sk.Mechanism.from_dict(data)


def agrees(seed: int) -> None:
    m = freed(seed)
    plane = m.simulate(0.1, samples=6, rtol=1e-10, atol=1e-12)
    space = m.to_spatial().simulate(0.1, 6, 1e-10)
    assert space.status == "ok" and not plane.stopped
    places = {name: complex(link.center) for name, link in m.links.items() if link.mass}
    scale = max(1.0, *(np.abs(plane.acceleration(c, name)[0]).max() for name, c in places.items()))
    for name, c in places.items():
        assert np.abs(space.position(name)[:, :2] - plane.position(c, name)).max() < 1e-7 * max(1.0, m.size)
        assert np.abs(space.acceleration(name)[0, :2] - plane.acceleration(c, name)[0]).max() < 1e-8 * scale


@settings(max_examples=1, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_in_space(seed: int) -> None:
    agrees(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(0, 1000, 50))
def test_a_thousand_random_mechanisms_in_space(block: int) -> None:
    for seed in range(block, block + 50):
        agrees(seed)


def test_a_damper_acts_where_its_ends_meet_in_space_too() -> None:
    """In the first sample as just after it, and as in the plane: c w on a rod with the moment of inertia 1 kg m^2."""
    rod = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "S": (1, 0)}, drivers={"swing": {"joint": "A"}},
        links={"ground": ["A", "S"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}},
        initial={"swing": {"speed": 1.5}}, forces={"damper": {"type": "spring", "between": ["S", "B"], "damping": 2}},
    )  # fmt: skip
    space = rod.to_spatial().simulate(0.2, samples=3).angular_acceleration("rod")[:, 2]
    assert space[0] == pytest.approx(-2 * 1.5) and space == pytest.approx(rod.simulate(0.2, samples=3).alpha("rod"))
