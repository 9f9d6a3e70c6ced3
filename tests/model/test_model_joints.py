"""Pins, guides, slots and what drivers drive."""

from __future__ import annotations

import cmath
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin import Mechanism
from structkin.joints.guide import Guide
from structkin.model import Driver, Joint, Link

POINTS = {"O": [0, 0], "A": [1, 1], "B": [4, 2], "E": [2, 2], "F": [0, 3]}
LINKS = {"ground": ["O", "F"], "crank": ["O", "A"], "rod": ["A", "B"], "block": ["B"], "arm": ["F", "E"]}


def build(joints: dict[str, Any] | None = None, drivers: dict[str, Any] | None = None, **sections: Any) -> Mechanism:
    return Mechanism(**{"points": POINTS, "links": LINKS, "joints": joints, "drivers": drivers, **sections})


def in_sketch(link: Link, place: complex) -> complex:
    return link.origin + link.direction * place


def check(m: Mechanism, guide: Guide) -> None:
    """A guide agrees with the sketch: its point lies at (start, offset) of its line, it turns with the links."""
    carrier, slider = m.links[guide.carrier], m.links[guide.slider]
    assert abs(guide.direction) == pytest.approx(1)
    step = in_sketch(slider, guide.point) - in_sketch(carrier, guide.origin)
    along = step / (carrier.direction * guide.direction)
    # an offset this small beside the distance is one that was meant to be zero
    meant = 1e-9 * abs(step) if guide.offset == 0 else 0.0
    assert abs(along - complex(guide.start, guide.offset)) < 1e-12 * max(1.0, abs(step)) + meant
    if guide.turn is not None:
        assert guide.turn == pytest.approx(slider.direction / carrier.direction)


def prismatic(**entry: Any) -> tuple[Mechanism, Guide]:
    m = build({"g": {"type": "prismatic", **entry}})
    guide = m.joints["g"]
    check(m, guide)
    return m, guide


def test_pins_are_points_of_several_links() -> None:
    m = build(points={**POINTS, "Z": [5, 5]}, links={**LINKS, "strut": ["A", "Z"]})
    assert [joint for joint in m.topology.joints if joint.kind == "R"] == [
        Joint("O", "R", ("ground", "crank")),
        Joint("A", "R", ("crank", "rod", "strut")),
        Joint("B", "R", ("rod", "block")),
        Joint("F", "R", ("ground", "arm")),
    ]


def test_a_guide_on_the_ground() -> None:
    m, guide = prismatic(links=["block", "ground"], at="B", axis=[3, 0])
    assert (guide.carrier, guide.slider, guide.origin, guide.direction) == ("ground", "block", 4 + 2j, 1)
    assert (guide.point, guide.offset, guide.start, guide.turn, guide.at) == (0, 0, 0, 1, 4 + 2j)
    assert m.topology.joint("g") == Joint("g", "P", ("block", "ground"))


@pytest.mark.parametrize("links", [["block", "ground"], ["ground", "block"]])
def test_the_ground_carries_in_any_order(links: list[str]) -> None:
    m = build({"g": {"type": "prismatic", "links": links, "axis": [0, 1]}}, {"s": {"joint": "g", "speed": 1}})
    assert (m.joints["g"].carrier, m.joints["g"].slider) == ("ground", "block")
    assert m.topology.drivers == (Driver("s", "slide", ("ground", "block"), "g"),)
    assert m.drivers["s"].start == 0


def test_between_moving_links_the_first_carries() -> None:
    m, guide = prismatic(links=["arm", "rod"], axis=[0, 1])
    assert (guide.carrier, guide.slider) == ("arm", "rod")
    assert m.links["arm"].direction * guide.direction == pytest.approx(1j)
    assert guide.at == 1 + 1j  # the first point of the slider


def test_along_two_points_of_the_carrier() -> None:
    _, guide = prismatic(links=["arm", "block"], along=["F", "E"])
    assert (guide.origin, guide.direction) == (0, 1)
    # B lies at 4 + 2i, the line runs from 3i along (2 - i)/sqrt(5)
    assert complex(guide.start, guide.offset) == pytest.approx((4 - 1j) * (2 + 1j) / math.sqrt(5))


def test_along_two_points_of_the_slider() -> None:
    m, guide = prismatic(links=["ground", "arm"], along=["F", "E"])
    assert guide.direction == pytest.approx(m.links["arm"].direction)
    assert (guide.point, guide.origin, guide.offset, guide.start) == (0, 3j, 0, 0)


def test_at_a_place_or_at_a_point_of_the_carrier() -> None:
    _, guide = prismatic(links=["block", "ground"], at=[2, 2], axis=[1, 0])
    assert (guide.origin, guide.point, guide.at) == (2 + 2j, -2, 2 + 2j)
    _, guide = prismatic(links=["block", "ground"], at="F", axis=[1, 0])
    assert (guide.origin, guide.point) == (3j, -4 + 1j)


def test_a_point_that_only_places_a_guide_is_of_use() -> None:
    m = build(
        {"g": {"type": "prismatic", "links": ["block", "ground"], "at": "Z", "axis": [1, 0]}},
        points={**POINTS, "Z": [9, 9]},
    )
    assert m.joints["g"].at == 9 + 9j


def test_exact_lengths_reach_the_guide_and_not_its_line() -> None:
    m = build({"g": {"type": "prismatic", "links": ["rod", "ground"], "at": "B", "axis": [1, 0]}}, lengths={"A-B": 3})
    assert m.joints["g"].point == 3
    assert m.joints["g"].origin == 4 + 2j


def test_a_slot_holds_the_pin_of_a_joint() -> None:
    m = build({"s": {"type": "pin-in-slot", "pin": "A", "slot": "arm", "axis": [0, 1]}})
    assert m.topology.joint("s") == Joint("s", "S", ("@A", "arm"))
    guide = m.joints["s"]
    assert (guide.carrier, guide.slider, guide.turn, guide.at) == ("arm", "crank", None, 1 + 1j)
    check(m, guide)


def test_a_slot_holds_the_pin_of_a_link() -> None:
    m = build({"s": {"type": "pin-in-slot", "pin": "A", "on": "rod", "slot": "arm", "axis": [0, 1]}})
    assert m.topology.joint("s").links == ("rod", "arm")
    alone = build(
        {"s": {"type": "pin-in-slot", "pin": "E", "slot": "crank", "along": ["O", "A"]}},
    )
    assert alone.topology.joint("s").links == ("arm", "crank")
    check(alone, alone.joints["s"])
    assert alone.joints["s"].start == pytest.approx(math.sqrt(8))


def test_a_rounded_sketch_does_not_shift_a_slot() -> None:
    m = build(
        {"s": {"type": "pin-in-slot", "pin": "E", "slot": "crank", "along": ["O", "A"]}},
        points={**POINTS, "E": [2, 2.02]},
    )
    assert m.joints["s"].offset == 0


def test_drivers_of_angles() -> None:
    m = build(
        drivers={
            "ground first": {"joint": "O"},
            "listed first": {"joint": "A"},
            "as said": {"joint": "B", "links": ["block", "rod"]},
            "no joint": {"links": ["rod", "arm"]},
            "joint found": {"links": ["arm", "ground"]},
        }
    )
    assert m.topology.drivers == (
        Driver("ground first", "angle", ("ground", "crank"), "O"),
        Driver("listed first", "angle", ("crank", "rod"), "A"),
        Driver("as said", "angle", ("block", "rod"), "B"),
        Driver("no joint", "angle", ("rod", "arm"), None),
        Driver("joint found", "angle", ("arm", "ground"), "F"),
    )
    angle = {name: cmath.phase(link.direction) for name, link in m.links.items()}
    assert list(m.drivers) == [driver.id for driver in m.topology.drivers]
    for drive in m.drivers.values():
        assert drive.start == pytest.approx(angle[drive.links[1]] - angle[drive.links[0]])


def test_a_driver_at_a_pin_of_three_links() -> None:
    m = build(
        drivers={"m": {"joint": "A", "links": ["strut", "rod"]}},
        points={**POINTS, "Z": [5, 5]},
        links={**LINKS, "strut": ["A", "Z"]},
    )
    assert m.topology.drivers[0].links == ("strut", "rod")


def test_a_driven_distance_attaches_to_pins() -> None:
    m = build(drivers={"ram": {"between": ["F", "A"], "speed": "10 mm/s"}, "other": {"between": ["E", "B"]}})
    assert [driver.links for driver in m.topology.drivers] == [("@F", "@A"), ("arm", "@B")]
    assert m.drivers["ram"].ends == (("ground", "F"), ("crank", "A"))
    assert m.drivers["ram"].start == pytest.approx(math.sqrt(5))


def test_a_platform_may_be_held_by_driven_distances_alone() -> None:
    m = Mechanism(
        points={"A": [0, 0], "B": [4, 0], "P": [1, 2], "Q": [3, 2]},
        links={"ground": ["A", "B"], "plate": ["P", "Q"]},
        drivers={"a": {"between": ["A", "P"]}, "b": {"between": ["B", "Q"]}, "c": {"between": ["A", "Q"]}},
    )
    assert m.topology.mobility_count == 3


def test_angles_in_the_sketch_are_wrapped() -> None:
    m = Mechanism(
        points={"A": [0, 0], "B": [-1, 0], "C": [-1, -1e-300]},
        links={"ground": ["A"], "up": ["A", "B"], "down": ["A", "C"]},
        drivers={"u": {"joint": "A", "links": ["ground", "up"]}, "d": {"joint": "A", "links": ["ground", "down"]}},
    )
    assert m.drivers["u"].start == m.drivers["d"].start == math.pi


PLACES = st.complex_numbers(max_magnitude=3, allow_nan=False)


@given(st.lists(PLACES, min_size=4, max_size=4), PLACES, st.booleans(), st.sampled_from(["O", "A", "B", "C"]))
@settings(deadline=None, max_examples=30)
def test_every_guide_agrees_with_the_sketch(z: list[complex], axis: complex, along: bool, at: str) -> None:
    """With sketched lengths: for any links, line and reference point."""
    if min(abs(z[0] - z[1]), abs(z[2] - z[3]), abs(axis)) < 0.1:
        return
    line = {"along": ["O", "A"]} if along else {"axis": [axis.real, axis.imag]}
    m = Mechanism(
        points={n: [p.real, p.imag] for n, p in zip("OABC", z, strict=True)},
        links={"ground": ["O"], "a": ["O", "A"], "b": ["B", "C"]},
        joints={
            "ab": {"type": "prismatic", "links": ["a", "b"], "at": at, **line},
            "ba": {"type": "prismatic", "links": ["b", "a"], "at": at, **line},
            "slot": {"type": "pin-in-slot", "pin": "C", "slot": "a", "axis": [axis.real, axis.imag]},
        },
    )
    for guide in m.joints.of(Guide).values():
        check(m, guide)
