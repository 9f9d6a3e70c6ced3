"""What stands around a part of a mechanism, however large, does not change what becomes of its samples."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.solve.schedule import Schedule
from structkin.solve.special_geometry import compile_plan

POINTS = {
    "M": (0.517, -0.22), "V": (0.31, -0.103), "T": (0.572, -0.344), "G": (0.493, -0.128), "E": (0.09, 0.532),
    "F": (0.077, 0.335), "far": (900.0, 300.0), "tip": (950.0, 300.0),
}  # fmt: skip
#: The ram is drawn in, into a gap of the platform on its two legs, and pushed out again, beyond where it was.
START, SHORT, LONG = 0.1974, 0.09, 0.5


def platform(ground: tuple[str, ...], links: dict[str, Any], drivers: dict[str, Any]) -> sk.Mechanism:
    """A platform on two legs and a ram, and what else there is."""
    legs = {"one": ["M", "T"], "two": ["V", "G"], "plate": ["T", "G", "E"]}
    links = {"ground": ["M", "V", "F", *ground], **legs, **links}
    used = {point for names in links.values() for point in names}
    table = [[0.0, START], [0.5, SHORT], [0.75, 0.5 * (START + SHORT)], [1.0, LONG]]
    return sk.Mechanism(
        points={name: place for name, place in POINTS.items() if name in used},
        links=links,
        drivers={"ram": {"between": ["F", "E"], "table": table}, **drivers},
    )


@pytest.mark.parametrize("count", [3, 5])
def test_what_stands_far_away_changes_no_status(count: int) -> None:
    """With the steps of a mechanism of 900 m, three samples led to no place at which the platform is known again."""
    alone = platform((), {}, {}).solve(count)
    assert alone.ok[[0, -1]].all() and not alone.ok.all(), alone.report
    crank = {"crank": ["far", "tip"]}, {"motor": {"joint": "far", "speed": 0.0}}
    for others in ((("far",), {}, {}), (("far",), *crank)):
        found = platform(*others).solve(count)
        assert np.array_equal(found.status, alone.status), (others, found.report)
        np.testing.assert_allclose(found.position("E"), alone.position("E"), atol=1e-12)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_a_narrow_escape_is_one_in_a_large_frame_too(far: float) -> None:
    """The rod and the rocker lack 1e-7 m to be in line; as a part of the frame, that is flat, or not certified."""
    points = {"A": (0, 0), "B": (0, 1), "C": (1.6, 2.1), "D": (4, 0), "F": (far, 0)}
    found = []
    for frame in (["A", "D"], ["A", "D", "F"]):
        m = sk.Mechanism(
            points={name: place for name, place in points.items() if name != "F" or "F" in frame},
            links={"ground": frame, "crank": ["A", "B"], "rod": ["B", "C"], "rocker": ["D", "C"]},
            lengths={"B-C": 2.5 + 1e-7, "C-D": 2.5},
            drivers={"motor": {"joint": "A", "speed": 6.0}},
        )
        found.append(m.solve(41, duration=1.1))
    assert found[1].ok.all(), found[1].report
    # The pins B, C and D of a dyad keep their sense.
    b, c, d = (found[1].position(pin) for pin in "BCD")
    sense = (c - b)[:, 0] * (d - b)[:, 1] - (c - b)[:, 1] * (d - b)[:, 0]
    assert (sense < 0.0).all()
    np.testing.assert_allclose(c, found[0].position("C"), atol=1e-9)


def test_a_ram_between_shared_pins_is_measured_by_its_part() -> None:
    """Its ends are pins of two links each, not links."""
    sizes = []
    for far in (2.0, 900.0):
        m = sk.Mechanism(
            points={"A": (0, 0), "B": (0, 1), "C": (2, 1.5), "D": (2, 0), "E": (1, 2.5), "far": (far, 0)},
            links={
                "ground": ["A", "D", "far"], "crank": ["A", "B"], "rocker": ["D", "C"], "one": ["B", "E"],
                "two": ["C", "E"],
            },
            drivers={"ram": {"between": ["B", "C"], "speed": 0.1}, "motor": {"joint": "A", "speed": 0.1}},
        )  # fmt: skip
        assert {driver.id: driver.links for driver in m.topology.drivers}["ram"] == ("@B", "@C")
        sizes.append(Schedule(m, np.zeros(0), {}).unit("ram"))
    assert sizes[0] == sizes[1] < 3.0


def test_a_pin_on_two_rams_is_measured_by_its_part() -> None:
    """It is no link: how far the rams are from a flat pose was told in sizes of the whole drawing."""
    sizes = []
    for far in (6.0, 900.0):
        m = sk.Mechanism(
            points={"A": (0, 0), "B": (4, 0), "C": (2, 1), "E": (4, 2), "G": (0, 2), "H": (6, 0), "far": (far, 0)},
            links={
                "ground": ["A", "B", "H", "far"], "one": ["C", "E"], "two": ["C", "G"], "right": ["E", "H"],
                "left": ["G", "A"],
            },
            drivers={"a": {"between": ["A", "C"], "speed": 0.0}, "b": {"between": ["B", "C"], "speed": 0.0}},
        )  # fmt: skip
        pin = m.structure().groups[0]
        assert pin.kind == "pin" and not pin.links
        sizes.append(compile_plan(m).sizes[pin.index])
    # As wide as from A to H, and as high as E.
    assert sizes == [8.0, 8.0]


def test_steps_do_not_depend_on_which_point_is_named_first() -> None:
    """They were measured from the first point: half as long where that lies in the middle."""
    points = {"A": (0, 0), "B": (1, 0), "C": (2, 0)}
    sizes = set()
    for order in permutations(points):
        m = sk.Mechanism(
            points={name: points[name] for name in order},
            links={"ground": ["A", "B"], "ram": ["B", "C"]},
            joints={"guide": {"type": "prismatic", "links": ["ram", "ground"], "along": ["B", "C"], "at": "A"}},
            drivers={"push": {"joint": "guide", "speed": 0.1}},
        )
        sizes.add(Schedule(m, np.zeros(0), {}).unit("push"))
    assert sizes == {2.0}
