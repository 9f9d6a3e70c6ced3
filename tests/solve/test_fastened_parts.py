"""Random mechanisms with one link cut into two or three parts that are fastened to each other."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest
from cases import few
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_mechanisms import DYADS, GEARED, OTHERS, Case, build

import structkin as sk
from structkin.global_methods.methods import FAMILIES

#: The keys of [joints] that name one link.
NAMED = ("on", "slot", "carrier")


def in_parts(case: Case, rng: np.random.Generator) -> sk.Mechanism:
    """The mechanism with a random link cut; the part that keeps its name keeps its frame, by its first two points."""
    data: dict[str, Any] = {"joints": {}, **copy.deepcopy(case.data)}
    link = str(rng.choice([name for name, points in data["links"].items() if points]))
    points = data["links"].pop(link)
    names = [link, *(f"part {k} of {link}" for k in range(int(rng.integers(1, 3))))]
    held: dict[str, list[str]] = dict.fromkeys(names, points[:1]) | {link: points[:2]}

    def hold(name: str, *new: str) -> None:
        held[name] = list(dict.fromkeys((*held[name], *new)))

    for point in points[int(rng.integers(3)) :]:
        hold(names[int(rng.integers(len(names)))], point)
    racks = any(joint["type"] == "rack" for joint in data["joints"].values())
    for joint in data["joints"].values():
        # travel belongs to the link that is not the ground; a rack and its guide join the same links
        name = link if racks or link == "ground" else names[int(rng.integers(len(names)))]
        keys = [key for key in NAMED if joint.get(key) == link]
        joint.update(dict.fromkeys(keys, name))
        if keys or link in joint.get("links", ()):
            words = [word for value in joint.values() for word in (value if isinstance(value, list) else [value])]
            hold(name, *(point for point in points if point in words))
        if "links" in joint:
            joint["links"] = [name if end == link else end for end in joint["links"]]
    for driver in case.mechanism().topology.drivers:
        if driver.kind == "angle" and link in driver.links:
            data["drivers"][driver.id].pop("joint", None)
            data["drivers"][driver.id]["links"] = list(driver.links)
    data["links"] |= {name: held[name] for name in rng.permutation(names).tolist()}
    data["joints"]["weld"] = {"type": "fastened", "links": rng.permutation(names).tolist()}
    return sk.Mechanism.from_dict(data)


def check(case: Case, **options: Any) -> None:
    """Every point of the parts moves as in the uncut mechanism."""
    whole, parts = case.mechanism(), in_parts(case, np.random.default_rng(case.seed))
    assert parts.structure().is_solvable
    assert parts.topology.mobility_count == whole.topology.mobility_count
    t = np.linspace(0, case.duration, 7)
    expected, motion = whole.solve(t=t), parts.solve(t=t, **options)
    np.testing.assert_array_equal(motion.ok, expected.ok)
    ok = expected.ok
    np.testing.assert_allclose(motion.residual()[ok], 0, atol=1e-9)
    for point in set(whole.places) - set(whole.links):
        for what in ("position", "velocity", "acceleration", "K", "L"):
            wanted = getattr(expected, what)(point)[ok]
            size = 1 + np.max(np.abs(wanted), initial=0)
            np.testing.assert_allclose(getattr(motion, what)(point)[ok], wanted, atol=1e-7 * size)


@pytest.mark.parametrize(
    "menu", few([pytest.param(menu) for menu in (DYADS, OTHERS, GEARED)], 1), ids=["dyads", "others", "geared"]
)
@settings(
    max_examples=2, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
@given(seed=st.integers(0, 2**31 - 1))
def test_parts_move_as_the_whole(seed, menu):
    check(build(seed, 2, menu=menu))


@pytest.mark.parametrize(("seed", "family"), few(itertools.product(range(3), FAMILIES), 5))
def test_parts_move_as_the_whole_by_global_methods(seed, family):
    check(build(seed, 2, menu=DYADS + OTHERS), method="global", coordinates=family)
