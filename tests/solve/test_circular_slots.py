"""A circular slot is a link without mass between its pin and its centre: both give the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk

POINTS = {"A": (0, 0), "B": (1, 0.5), "C": (2.8, 2.0), "D": (4, 0), "P": (2.0, 1.8), "E": (3.0, 3.0)}
DRIVERS = {"motor": {"joint": "A", "law": "0.4636476 + 0.3*sin(t)"}}


def pair(points, slotted, joints, with_link):
    """The mechanism with a slot, and with a link in its place."""
    common = {"points": points, "drivers": DRIVERS, "duration": 6.0}
    return sk.Mechanism("slot", links=slotted, joints=joints, **common), sk.Mechanism(
        "link",
        links={**slotted, "instead": with_link},
        joints={k: v for k, v in joints.items() if k != "slot"},
        **common,
    )


CASES = {
    "slot in the ground": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"]}, "ground", ["D", "C"], {},
    ),
    "slot in the driven crank, pin on a rocker": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "rocker": ["D", "C", "P"]}, "crank", ["B", "C"], {},
    ),
    "slot in the link that is found": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "rocker": ["D", "C", "P"]}, "rocker", ["C", "B"], {},
    ),
    "pin on a slide": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "slide": ["C", "P"]}, "crank", ["B", "C"],
        {"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0.3]}},
    ),
    "in a larger group": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "P"], "plate": ["P", "C", "E"]},
        "ground", ["D", "C"],
        {"other": {"type": "pin-in-slot", "pin": "E", "slot": "ground", "axis": [1, 0.2]}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_slot_is_a_link(case):
    links, slot, (center, pin), more = CASES[case]
    joints = {"slot": {"type": "pin-in-slot", "pin": pin, "slot": slot, "center": center}, **more}
    points = {name: place for name, place in POINTS.items() if any(name in held for held in links.values())}
    a, b = (m.solve(samples=80) for m in pair(points, links, joints, [center, pin]))
    assert a.ok.all() and b.ok.all()
    assert a.residual().max() < 1e-14
    for name in points:
        for order in ("position", "velocity", "acceleration", "K", "L"):
            np.testing.assert_allclose(getattr(a, order)(name), getattr(b, order)(name), rtol=1e-10, atol=1e-10)


def test_the_radius_may_be_given():
    m = sk.Mechanism(
        points={name: POINTS[name] for name in "ABCD"},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "center": "D", "radius": 2.4}},
        drivers=DRIVERS,
    )
    motion = m.solve(duration=6.0, samples=50)
    np.testing.assert_allclose(np.hypot(*(motion.position("C") - [4, 0]).T), 2.4, rtol=1e-14)
    assert [group.kind for group in m.structure().groups] == ["driven R", "R-S"]


def test_a_pin_that_two_links_share_may_run_in_a_slot():
    """The pin of two rods, one of them driven from the crank, the other pushing a slide."""
    m = sk.Mechanism(
        points={**{name: POINTS[name] for name in "ABCD"}, "E": (6.0, 2.5)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "push": ["C", "E"], "slide": ["E"]},
        joints={
            "slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "center": "D"},
            "guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]},
        },
        drivers=DRIVERS,
    )
    motion = m.solve(duration=6.0, samples=50)
    assert motion.ok.all() and motion.residual().max() < 1e-14
