"""Drivers along slots: the travel of a pin in a straight slot, on the ground, on a moving link, at a shared pin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import structkin as sk

LAW = "0.15*sin(2*t)"


def on_the_ground() -> sk.Mechanism:
    """A crank and a rod whose end runs in a slot of the ground."""
    return sk.Mechanism(
        points={"A": (1, 0), "B": (1.5, 0.8), "C": (2.2, 0.1)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": {"points": ["B", "C"], "shape": "rod", "mass": 2}},
        joints={"slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "axis": (0.6, 0.8)}},
        drivers={"feed": {"joint": "slot", "law": LAW}},
        forces={"gravity": (0, -9.81)},
    )


def on_an_arm() -> sk.Mechanism:
    """A crank pin in the slot of a swinging arm."""
    return sk.Mechanism(
        points={"O": (0, 0), "A": (1, 0), "B": (1.5, 0.8), "E": (3, 1.6)},
        links={"ground": ["O", "A"], "crank": ["A", "B"], "arm": {"points": ["O", "E"], "shape": "rod", "mass": 2}},
        joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "along": ["O", "E"]}},
        drivers={"feed": {"joint": "slot", "law": LAW}},
        forces={"gravity": (0, -9.81)},
    )


def at_a_shared_pin() -> sk.Mechanism:
    """Two rods on one pin in a slot of the ground: the pin is placed before any link."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.5, 1), "P": (1.5, 0), "C": (2.5, 1), "D": (3, 0)},
        links={
            "ground": ["A", "D"],
            "first": ["A", "B"],
            "near": {"points": ["B", "P"], "shape": "rod", "mass": 2},
            "far": ["P", "C"],
            "last": ["C", "D"],
        },
        joints={"slot": {"type": "pin-in-slot", "pin": "P", "slot": "ground", "axis": (0.8, 0.6)}},
        drivers={"feed": {"joint": "slot", "law": LAW}},
        forces={"gravity": (0, -9.81)},
    )


@pytest.mark.parametrize("make", [on_the_ground, on_an_arm, at_a_shared_pin])
def test_the_pin_moves_along_its_slot(make: Callable[[], sk.Mechanism]) -> None:
    m = make()
    r = m.solve(21, duration=3.0)
    z = 0.15 * np.sin(2 * r.t)
    assert r.ok.all() and r.drivers["feed"][0] == pytest.approx(z, abs=1e-14)
    if make is on_an_arm:
        assert np.hypot(*r.position("B").T) == pytest.approx(1.7 + z, abs=1e-12)
        # |OB|^2 = 1 + |AB|^2 + 2 |AB| cos(crank), by the law of cosines
        a = np.hypot(0.5, 0.8)
        assert np.cos(r.angle("crank")) == pytest.approx(((1.7 + z) ** 2 - 1 - a**2) / (2 * a), abs=1e-12)
    else:
        pin, axis = ("C", (0.6, 0.8)) if make is on_the_ground else ("P", (0.8, 0.6))
        assert r.position(pin) == pytest.approx(np.array(m.points[pin]) + np.outer(z, axis), abs=1e-12)
        assert r.acceleration(pin) == pytest.approx(np.outer(-4 * z, axis), abs=1e-10)
    for coordinates in ("natural", "reference-point", "fully-cartesian", "relative"):
        other = m.solve(21, duration=3.0, method="global", coordinates=coordinates)
        assert other.ok.all()
        for link in m.links:
            assert other.angle(link) == pytest.approx(r.angle(link), abs=1e-10)
            assert other.alpha(link) == pytest.approx(r.alpha(link), abs=1e-8)
    f = r.forces()
    assert f.driver_power("feed") + f.applied_power == pytest.approx(f.kinetic_power, abs=1e-9)


@pytest.mark.parametrize(("make", "count"), [(on_the_ground, 2), (on_an_arm, 2), (at_a_shared_pin, 4)])
def test_assemblies_at_a_travel(make: Callable[[], sk.Mechanism], count: int) -> None:
    """One dyad, one triangle, two dyads: each closes in two ways."""
    assert len(list(make().assemblies(drivers={"feed": 0.1}))) == count


def test_limits_of_a_travel() -> None:
    """The arm's slot reaches from |OA| - |AB| to |OA| + |AB|."""
    limits = on_an_arm().limits()
    a = np.hypot(0.5, 0.8)
    assert (limits.lower.value, limits.upper.value) == pytest.approx((1 - a - 1.7, 1 + a - 1.7), abs=1e-9)


def test_a_topology_with_a_driven_slot() -> None:
    data = {
        "links": ["g", "a"], "ground": "g", "joints": [
            {"id": "s", "kind": "S", "links": ["a", "g"]}, {"id": "u", "kind": "S", "links": ["a", "g"]}],
        "drivers": [{"id": "d", "joint": "s"}],
    }  # fmt: skip
    topology = sk.Topology.from_dict(data)
    assert topology.drivers == (sk.Driver("d", "slide", ("a", "g"), "s"),)
    assert [group.links for group in topology.structure().groups] == [("a",)]
    data["drivers"] = [{"id": "d", "joint": "s"}, {"id": "e", "joint": "u"}]
    assert [one.id for one in sk.Topology.from_dict(data).structure().over] == ["e"]
