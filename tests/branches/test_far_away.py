"""Mechanisms drawn far from the origin have the limits, assemblies and circuits that they have at it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path

LOOP: dict[str, Any] = {
    "points": {"A": [0, 0], "B": [0.05, 0.1], "C": [0.2, 0.2], "D": [0.3, 0.12], "E": [0.35, 0], "F": [0.12, 0.25],
               "G": [0.3, 0.25]},
    "links": {"ground": ["A", "E"], "l1": ["A", "B"], "l2": ["B", "C", "F"], "l3": ["C", "D", "G"], "l4": ["D", "E"]},
    "drivers": {"ram": {"between": ["F", "G"]}, "sw": {"links": ["l2", "l4"]}},
}  # fmt: skip
#: Mechanisms whose places in the file are those of points and centres of mass alone, and a driver of each.
MOVED = {
    "loop": (LOOP, "ram"),
    **{name: (sk.load(path(name)).source_dict, driver) for name, driver in
       (("platform_3rpr", "left"), ("tipper_hoist", "cylinder"), ("excavator", "boom_cylinder"),
        ("toggle_press", "cylinder"), ("stephenson_iii_triad", "motor"), ("elliptic_trammel", "motor"))},
}  # fmt: skip


def moved(data: dict[str, Any], sizes: float) -> sk.Mechanism:
    """Return the mechanism of a file so many of its sizes away."""
    other, points = copy.deepcopy(data), np.array(list(data["points"].values()), float)
    x, y = np.array((1.0, -2.0)) * sizes * np.ptp(points, axis=0).sum()
    bodies = [link for link in other["links"].values() if isinstance(link, dict) and "center" in link]
    other["points"] = {name: [at[0] + x, at[1] + y] for name, at in other["points"].items()}
    for body in bodies:
        body["center"] = [body["center"][0] + x, body["center"][1] + y]
    return sk.Mechanism.from_dict(other)


@pytest.mark.parametrize("name", few(sorted(MOVED)))
def test_limits_assemblies_and_circuits_are_those_at_the_origin(name):
    data, driver = MOVED[name]
    here = moved(data, 0)
    limits, found, circuits = here.limits(driver), here.assemblies(), here.circuits(driver)
    places = [{point: one.position(point) for point in here.points} for one in found]
    for sizes in (20, 1e3, 1e5):
        there = moved(data, sizes)
        other, again = there.limits(driver), there.assemblies()
        assert other.mechanism is there and other.turns_fully == limits.turns_fully
        for one, two in ((limits.lower, other.lower), (limits.upper, other.upper)):
            assert (one is None) == (two is None)
            if one is not None and two is not None:
                assert one.kind == two.kind and one.value == pytest.approx(two.value, rel=1e-11 * sizes, abs=1e-11)
        assert len(list(again)) == len(places) and again.complete == found.complete
        way = next(iter(there.points.values())) - next(iter(here.points.values()))
        for one, expected in zip(again, places, strict=True):
            for point, place in expected.items():
                assert np.abs(one.position(point) - way - place).max() < 1e-10 * sizes * here.size, point
        traced = there.circuits(driver)
        assert (len(traced), len(traced.branches)) == (len(circuits), len(circuits.branches))


def test_a_pose_far_away_in_place_of_the_sketch_has_its_limits_too():
    data, driver = MOVED["tipper_hoist"]
    here, there = (moved(data, sizes).assemblies()[1].mechanism() for sizes in (0, 1e3))
    limits, other = here.limits(driver), there.limits(driver)
    assert limits.lower is not None and other.lower is not None
    assert limits.lower.kind == other.lower.kind
    assert limits.lower.value == pytest.approx(other.lower.value, rel=1e-8)


@pytest.mark.parametrize("coordinates", ["natural", "reference-point", "fully-cartesian", "relative"])
@pytest.mark.parametrize("name", few(["loop", "platform_3rpr", "toggle_press", "stephenson_iii_triad"], 1))
def test_global_methods_find_what_groups_find(name, coordinates):
    data, driver = MOVED[name]
    there = moved(data, 1e4)
    start = {id: drive.start for id, drive in there.drivers.items()}
    values = {id: np.full(9, value) for id, value in start.items()}
    values[driver] = start[driver] + np.linspace(0, 0.02, 9) * (
        1.0 if there.drivers[driver].kind == "angle" else there.size
    )
    groups = there.solve(drivers=values)
    found = there.solve(drivers=values, method="global", coordinates=coordinates)
    np.testing.assert_array_equal(found.status, groups.status)
    assert found.ok.all()
    for point in there.points:
        assert np.abs(found.position(point) - groups.position(point)).max() < 1e-7 * there.size


def test_three_parallelograms_in_a_row_keep_their_branch_behind_a_sample_in_their_flat_pose():
    """In natural coordinates, 500 sizes away, all equations at once went on along another branch, all ok."""
    x, y, angle = 4000.0, -8000.0, 0.9
    points, links = dict[str, tuple[float, float]](), {"ground": [f"A{k}" for k in range(4)]}
    for k in range(4):
        points |= {f"A{k}": (x + 2 * k, y), f"B{k}": (x + 2 * k + np.cos(angle), y + np.sin(angle))}
        links[f"crank{k}"] = [f"A{k}", f"B{k}"]
    links |= {f"rod{k}": [f"B{k}", f"B{k + 1}"] for k in range(3)}
    lengths = {**{f"A{k}-B{k}": 1.0 for k in range(4)}, **{f"B{k}-B{k + 1}": 2.0 for k in range(3)}}
    m = sk.Mechanism(points=points, links=links, lengths=lengths, drivers={"motor": {"joint": "A0"}})
    start = m.drivers["motor"].start
    values = np.concatenate((np.linspace(start, 0, 12), np.linspace(0, -1.2, 12)[1:]))
    found = m.solve(drivers={"motor": values}, method="global")
    assert np.flatnonzero(~found.ok).tolist() == [11]
    for k in range(4):
        away = np.column_stack((x + 2 * k + np.cos(values), y + np.sin(values)))
        assert np.abs(found.position(f"B{k}") - away)[found.ok].max() < 1e-10
