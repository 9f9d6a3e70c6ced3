"""The compiled equations of motion: the same numbers as those of NumPy, and whole runs at a fixed step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import loaded

import structkin as sk
from structkin.dynamics.compiled.machine import Machine
from structkin.dynamics.compiled.packing import packed
from structkin.dynamics.pose import NoPoseError
from structkin.dynamics.start import initial_state, start

pytest.importorskip("numba")


def freed(seed: int) -> sk.Mechanism:
    """A random mechanism with masses and loads of all kinds; some of its drivers are free."""
    data = loaded(seed).source_dict
    rng = np.random.default_rng([seed, 3])
    ids = list(data["drivers"])
    for id in [id for id in ids if rng.random() < 0.6] or ids[:1]:
        entry = data["drivers"][id]
        for key in ("speed", "law", "table", "csv"):
            entry.pop(key, None)
        angle = "between" not in entry and entry.get("joint") not in data.get("joints", {})
        entry["torque" if angle else "force"] = "1.5 + t"
        data.setdefault("initial", {})[id] = {"speed": float(rng.uniform(-1, 1))}
    return sk.Mechanism.from_dict(data)


def agree(seed: int) -> bool:
    """Compare all numbers at some instants of a motion; tell whether there were any."""
    m = freed(seed)
    try:
        equations, compiled = start(m, 0.0, ()), start(m, 0.0, ())
    except sk.InputError:
        return False
    arrays = packed(compiled)
    if arrays is None:
        return False
    machine, y = Machine(compiled, arrays), np.array(initial_state(m, equations))
    for k in range(4):
        t = 1e-3 * k
        try:
            expected = equations.at(t, y)
        except NoPoseError:
            with pytest.raises(NoPoseError):
                machine.at(t, y)
            return k > 0
        if k == 0:
            machine.by_equations(t, y)
        found = machine.at(t, y)
        # Sums of large terms that cancel are as exact as the terms.
        size = np.max(np.abs(expected.x), axis=(1, 2), keepdims=True)
        np.testing.assert_allclose(found.x / size, expected.x / size, atol=1e-11)
        np.testing.assert_allclose(found.z, expected.z, rtol=1e-10, atol=1e-10 * np.max(np.abs(expected.z)))
        scale = np.max(np.abs(expected.effort))
        np.testing.assert_allclose(found.effort / scale, expected.effort / scale, atol=1e-9)
        np.testing.assert_allclose(found.kinetic, expected.kinetic, rtol=1e-11)
        np.testing.assert_allclose(machine.rate(t, y), equations(t, y), rtol=1e-10, atol=1e-10)
        y = y + 1e-3 * equations(t, y)
    assert machine.handed_over <= 3
    return True


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_as_by_numpy(seed: int) -> None:
    agree(seed)


@pytest.mark.slow
def test_many_random_mechanisms_as_by_numpy() -> None:
    assert sum(map(agree, range(1000))) > 300
