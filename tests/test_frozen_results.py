"""Results do not change through the arrays that they hand out, and can be sent to other processes at any time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path


def arrays(noun: object) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays that an object's attributes and properties hold."""
    found = {}
    for name in (name for name in dir(noun) if not name.startswith("_")):
        value = getattr(noun, name)
        for key, item in value.items() if isinstance(value, Mapping) else [("", value)]:
            if isinstance(item, np.ndarray):
                found[f"{name}.{key}"] = item
    return found


def swing() -> sk.Simulation:
    arm = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 3}},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": [0, -9.81]},
    )
    return arm.simulate(0.2, samples=5)


@pytest.mark.parametrize("made", ["motion", "forces", "simulation", "variants", "points"])
def test_what_is_handed_out_does_not_change_the_result(made: str) -> None:
    m = sk.load(path("crank_rocker"))
    noun: Any = {
        "motion": lambda: m.solve(5),
        "forces": lambda: sk.load(path("one_cylinder_engine")).solve(5).forces(),
        "simulation": swing,
        "variants": lambda: m.solve_many(5, lengths={"B-C": [0.04, 0.042]}),
        "points": lambda: m,
    }[made]()
    before = {name: array.copy() for name, array in arrays(noun).items()}
    assert before
    for array in arrays(noun).values():
        if array.flags.writeable:
            array[...] = 0
    for name, array in arrays(noun).items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)


def test_a_load_of_the_user_cannot_change_the_times() -> None:
    def load(t: np.ndarray[Any, Any], motion: sk.Motion) -> list[sk.Force]:
        t -= t[0] + 0.01
        return []

    with pytest.raises(sk.InputError, match=r"load.* raised ValueError: .*read-only"):
        sk.load(path("one_cylinder_engine")).solve(5).forces(loads=[load])


def test_times_given_by_the_user_stay_the_users() -> None:
    t = np.linspace(0, 1, 5)
    motion = sk.load(path("crank_rocker")).solve(t=t)
    t *= 2
    assert motion.t[-1] == 1


@pytest.mark.parametrize("shown", ["residual", "schematic", "_repr_html_", "forces"])
def test_results_can_be_pickled_and_copied_after_they_were_shown(shown: str) -> None:
    motion = sk.load(path("one_cylinder_engine")).solve(5)
    getattr(motion, shown)()
    for same in (pickle.loads(pickle.dumps(motion)), copy.deepcopy(motion)):
        np.testing.assert_array_equal(same.position("B"), motion.position("B"))


def test_variants_and_assemblies_can_be_pickled() -> None:
    m = sk.load(path("crank_rocker"))
    many = m.solve_many(3, lengths={"B-C": [0.04, 0.042]})
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(many)).position("P"), many.position("P"))
    assembly = m.assemblies()[0]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(assembly)).position("P"), assembly.position("P"))


def test_a_loop_over_variants_computes_each_quantity_once() -> None:
    """Every call computed all variants anew: a loop over a hundred thousand took hours."""
    m = sk.load(path("crank_rocker"))
    many = m.solve_many(4, lengths={"B-C": [0.12, -1.0, 0.121]})
    C, angle, ok = many.position("C"), many.angle("rocker"), many.ok
    for k in range(3):
        assert many.position("C")[k].base is C and many.angle("rocker")[k].base is angle and many.ok[k].base is ok
    assert not (C.flags.writeable or angle.flags.writeable or many.status.flags.writeable)
    expected = C.copy()
    for point in m.points:
        many.position(point), many.velocity(point)
    assert len(many._recent) < 2 * len(m.points)  # a few are kept, not all
    np.testing.assert_array_equal(many.position("C"), expected)
