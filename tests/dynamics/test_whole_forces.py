"""Joint forces against the whole-system check, link by link and joint by joint, from separate geometry and rates."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import blocks, few
from geneva_samples import geneva
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import burdened
from random_mechanisms import DRIVEN, DYADS, GEARED, build
from whole_forces import ForceCheck
from whole_system import solve_whole

import structkin as sk
from structkin.examples import names, path

sys.path.insert(0, str(Path(__file__).parents[1] / "global_methods"))
sys.path.insert(0, str(Path(__file__).parents[1] / "joints"))
from coordinate_samples import KINDS, SLOTS, cam_file, circular_slot
from test_fastened import PARTS, six_bar

del sys.path[:2]

MENUS = (None, (*GEARED, *GEARED, *DYADS, *DRIVEN))


def force_check(plain: dict[str, Any], seed: int) -> tuple[ForceCheck, Any] | None:
    """The force check of a mechanism with masses under gravity, and the factor that relaxes it near a limit."""
    data = burdened(json.loads(json.dumps(plain)), seed).source_dict
    m = sk.Mechanism.from_dict({**data, "forces": {"gravity": [3.0, -8.0]}})
    motion = m.solve(7)
    forces = motion.forces()
    samples = np.flatnonzero(motion.ok & np.isfinite(forces.unknowns).all(axis=1))
    if not len(samples):
        return None
    whole = solve_whole(m, motion, samples)
    assert whole.converged.all()
    return ForceCheck(whole, forces, samples), np.maximum(1.0, 1e-3 / whole.clarity) ** 2


def check(plain: dict[str, Any], seed: int = 0) -> None:
    found = force_check(plain, seed)
    if found is not None:
        checker, near = found
        for law, gap in checker.gaps().items():
            assert np.all(gap <= 1e-10 * near), (law, gap)


@pytest.mark.parametrize("name", few(names(), 8))
def test_examples(name: str) -> None:
    data = sk.load(path(name)).source_dict
    check({**data, "duration": data.get("duration", 1.0)}, 1)


@pytest.mark.full
@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(0, 4), menu=st.sampled_from(MENUS))
def test_random_mechanisms(seed: int, elements: int, menu: Any) -> None:
    check(build(seed, elements, menu=menu).data, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(3000)))
def test_many_random_mechanisms(seeds: range) -> None:
    for seed in seeds:
        check(build(30_000_000 + seed, seed % 6, menu=MENUS[seed % 2]).data, seed)


@pytest.mark.parametrize(("kind", "contact"), KINDS)
def test_cams(kind: str, contact: str) -> None:
    check(cam_file(kind, contact, np.random.default_rng(3)))


def test_geneva_wheels_and_circular_slots() -> None:
    for m in (geneva(4, 1 + 0.4j), *map(circular_slot, SLOTS)):
        check(m.source_dict)


@pytest.mark.parametrize("parts", PARTS)
def test_links_that_are_fastened(parts: str) -> None:
    check(six_bar(parts).source_dict)


def test_the_check_finds_a_turned_force() -> None:
    """A force in a slot or between two gears that is turned by 1e-7 rad is found."""
    for name, joint, law in (("scotch_yoke", "slot", "square to its line"), ("geared_five_bar", "mesh", "tangent")):
        found = force_check(sk.load(path(name)).source_dict, 1)
        assert found is not None
        checker, _ = found
        for (id, end), (F, place, M) in checker.on.items():
            if id == joint:
                checker.on[id, end] = F + 1e-7 * np.stack((-F[:, 1], F[:, 0]), axis=1), place, M
        assert any(law in key and np.max(gap) > 1e-9 for key, gap in checker.gaps().items()), name
