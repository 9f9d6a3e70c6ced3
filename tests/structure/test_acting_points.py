"""Slots, contacts and distances that act at one point, against the rank of velocity equations in the sketch."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import structkin as sk
from structkin import Driver, InputError, Joint, Topology, TopologyArrays
from structkin.structure import fingerprint, isomorphic

Data = dict[str, dict[str, Any]]


def rod(*points: str, kind: str = "S") -> Topology:
    """A rod with three slots of the ground at these points."""
    joints = tuple(Joint(f"s{k}", kind, ("rod", "ground"), (point, "")) for k, point in enumerate(points))
    return Topology(("ground", "rod"), "ground", joints)


@pytest.mark.parametrize("kind", ["S", "C"])
def test_three_slots_at_one_point_leave_the_turn_about_it(kind: str) -> None:
    assert rod("P", "P", "Q", kind=kind).structure().is_solvable
    structure = rod("P", "P", "P", kind=kind).structure()
    assert (structure.mobility, structure.under) == (1, ("rod",))
    assert [(one.id, one.loop) for one in structure.over] == [("s2", ("s0", "s1", "s2"))]


@pytest.mark.parametrize("ends", [("A", "A", "A"), ("A", "A", "B")])
def test_three_cylinders_from_one_point_leave_the_turn_about_it(ends: tuple[str, ...]) -> None:
    drivers = tuple(Driver(f"d{k}", "distance", ("ground", "plate"), at=(end, f"P{k}")) for k, end in enumerate(ends))
    structure = Topology(("ground", "plate"), "ground", (), drivers).structure()
    assert structure.missing_drivers == (len(set(ends)) == 1)


def test_a_circular_slot_pulls_towards_its_centre() -> None:
    """Three of them about one centre leave the turn about it, too."""
    for centres in (("A", "A", "A"), ("A", "A", "B")):
        joints = tuple(Joint(f"s{k}", "S", ("plate", "ground"), (f"P{k}", centre)) for k, centre in enumerate(centres))
        assert Topology(("ground", "plate"), "ground", joints).structure().mobility == (len(set(centres)) == 1)


def test_structures_with_other_points_are_different() -> None:
    assert isomorphic(rod("P", "P", "Q"), rod("B", "A", "A"))
    assert fingerprint(rod("P", "P", "Q")) == fingerprint(rod("B", "A", "A"))
    for other in (rod("P", "P", "P"), rod("P", "Q", "R")):
        assert not isomorphic(rod("P", "P", "Q"), other)
        assert fingerprint(rod("P", "P", "Q")) != fingerprint(other)


def test_arrays_and_tables_keep_the_points() -> None:
    for topology in (rod("P", "P", "Q"), rod("P", "P", "P")):
        arrays = TopologyArrays.from_topology(topology)
        assert arrays.to_topology() == topology == arrays.driven_at([]).to_topology()
    table = {"links": [0, 1], "ground": 0, "joints": [{"id": "s", "kind": "S", "links": [0, 1], "at": ["", "P"]}]}
    assert Topology.from_dict(table).joints[0].at == ("", "P")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "G"}, "does not act at a point"),
        ({"at": ["P"]}, "name one point of each end"),
        ({"at": ["P", "P"]}, "name one point of each end"),
        ({"at": ["@P", ""]}, "name the points without @"),
        ({"at": 3}, "expected a list"),
        ({"at": [True, ""]}, "True is not a name"),
    ],
)
def test_bad_points_are_named(change: dict[str, Any], message: str) -> None:
    joint = {"id": "s", "kind": "S", "links": [0, 1], "at": ["P", ""], **change}
    with pytest.raises(InputError, match=message):
        Topology.from_dict({"links": [0, 1], "ground": 0, "joints": [joint]})


@pytest.mark.parametrize(("kinds", "at"), [("RG", [0, -1]), ("RS", [0, 3]), ("RS", [0, 0]), ("RS", [1, -1])])
def test_bad_points_in_arrays_are_named(kinds: str, at: list[int]) -> None:
    with pytest.raises(InputError, match=r"J1: (does not act at a point|acts at no points)"):
        TopologyArrays(2, kinds, [[0, 1], [0, 1]], joint_at=[[-1, -1], at], point_names=["P"])


# --- random mechanisms ---------------------------------------------------------------------------------------------


def drawn(seed: int) -> tuple[Data, dict[str, list[str]]]:
    """Return a random mechanism with pins of several links, slots and cylinders, and the links at each point."""
    draw = random.Random(seed)
    links = ["ground", *(f"link{k}" for k in range(draw.randint(1, 5)))]
    holders: dict[str, list[str]] = {}
    sets = [[link] for link in links for _ in range(draw.randint(1, 2))]
    sets += [draw.sample(links, min(len(links), draw.choice((2, 2, 3, 4)))) for _ in range(draw.randint(0, len(links)))]
    for k, held in enumerate(sets):
        holders[f"P{k}"] = held
    points = {point: (draw.uniform(0, 10), draw.uniform(0, 10)) for point in holders}
    joints: dict[str, Any] = {}
    for k in range(draw.randint(0, 2 * len(links))):
        link = draw.choice(links)
        free = [point for point in points if link not in holders[point]]
        used = [point for point in free if any(joint["pin"] == point for joint in joints.values())]
        if not free:
            continue
        pin = draw.choice(used if used and draw.random() < 0.6 else free)
        line: dict[str, Any] = {"axis": (draw.uniform(-1, 1), draw.uniform(-1, 1))}
        if draw.random() < 0.25:
            line = {"center": draw.choice([point for point in points if link in holders[point]])}
        on = {"on": draw.choice(holders[pin])} if draw.random() < 0.6 else {}
        joints[f"slot{k}"] = {"type": "pin-in-slot", "pin": pin, "slot": link, **line, **on}
    drivers: dict[str, Any] = {}
    for a, b in (draw.sample(list(points), 2) for _ in range(draw.randint(0, 3))):
        if not set(holders[a]) & set(holders[b]):
            drivers["-".join(sorted((a, b)))] = {"between": [a, b], "law": "1 + t"}
    held_by = {link: [point for point in points if link in holders[point]] for link in links}
    return {"points": points, "links": held_by, "joints": joints, "drivers": drivers}, holders


def velocity_rows(data: Data, holders: Mapping[str, list[str]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the velocity equations of the joints, and of the drivers, in the sketch."""
    moving = [link for link in data["links"] if link != "ground"]
    places = {point: np.array(place) for point, place in data["points"].items()}

    def velocity(link: str, point: str) -> NDArray[np.float64]:
        found = np.zeros((2, 3 * len(moving)))
        if link in moving:
            x, y = places[point]
            found[:, 3 * moving.index(link) :][:, :3] = [[1, 0, -y], [0, 1, x]]
        return found

    joints: list[Any] = [velocity(a, point) - velocity(b, point) for point, (a, *more) in holders.items() for b in more]
    for joint in data["joints"].values():
        pin = joint["pin"]
        across = (
            places[pin] - places[joint["center"]] if "center" in joint else np.array(joint["axis"]) @ [[0, 1], [-1, 0]]
        )
        joints.append(across @ (velocity(joint.get("on", holders[pin][0]), pin) - velocity(joint["slot"], pin)))
    drivers: list[Any] = []
    for driver in data["drivers"].values():
        a, b = driver["between"]
        drivers.append((places[a] - places[b]) @ (velocity(holders[a][0], a) - velocity(holders[b][0], b)))
    empty = np.zeros((0, 3 * len(moving)))
    return np.vstack([empty, *joints]), np.vstack([empty, *drivers])


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_random_mechanisms_have_the_rank_of_their_velocity_equations(first: int) -> None:
    checked = 0
    for seed in range(first, first + 100):
        data, holders = drawn(seed)
        try:
            topology = sk.Mechanism(**data).topology
        except InputError:
            continue  # nothing joins the ground
        if any(joint.kind == "F" for joint in topology.joints):
            continue  # an idle link rides with another
        structure = topology.structure()
        joints, drivers = velocity_rows(data, holders)
        rank, whole = (int(np.linalg.matrix_rank(rows, tol=1e-9)) for rows in (joints, np.vstack([joints, drivers])))
        assert structure.mobility == joints.shape[1] - rank, seed
        assert structure.missing_drivers == joints.shape[1] - whole, seed
        assert len(structure.over) == len(joints) + len(drivers) - whole, seed
        checked += 1
    assert checked > 20
