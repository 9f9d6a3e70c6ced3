"""Frames, exact lengths and triangles."""

from __future__ import annotations

import cmath
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structkin import Mechanism
from structkin.errors import InputError
from structkin.model import Link
from structkin.model.flaw import Flaw
from structkin.model.geometry import frame, place


def pairs(lengths: dict[str, float]) -> dict[frozenset[str], float]:
    return {frozenset(key.split("-")): value for key, value in lengths.items()}


def ternary(lengths: dict[str, Any], points: tuple[str, ...] = ("A", "B", "P", "Q"), link: str = "bar") -> Link:
    places = {"A": [1, 1], "B": [1, 5], "P": [-1, 2], "Q": [3, 4]}
    links: dict[str, Any] = {"ground": ["A"], "bar": ["A"], link: list(points)}
    used = set(points) | {"A"}
    return Mechanism(points={k: v for k, v in places.items() if k in used}, links=links, lengths=lengths).links[link]


def test_the_frame_is_in_the_first_point_towards_the_second() -> None:
    link = ternary({})
    assert (link.origin, link.direction) == (1 + 1j, 1j)
    assert link.local == {"A": 0, "B": 4, "P": 1 + 2j, "Q": 3 - 2j}


def test_sketch_from_frame() -> None:
    link = ternary({})
    assert [link.origin + link.direction * link.local[p] for p in "ABPQ"] == [1 + 1j, 1 + 5j, -1 + 2j, 3 + 4j]


def test_the_first_two_points_set_the_frame_and_others_keep_their_position() -> None:
    assert ternary({"A-B": 7}).local == {"A": 0, "B": 7, "P": 1 + 2j, "Q": 3 - 2j}
    assert ternary({"B-A": 7}).local["B"] == 7


def test_one_length_keeps_the_direction() -> None:
    local = ternary({"A-P": 5}).local
    assert local["P"] == pytest.approx(5 * (1 + 2j) / abs(1 + 2j))
    moved = ternary({"A-B": 7, "B-P": 5}).local["P"]
    assert moved == pytest.approx(7 + 5 * (-3 + 2j) / abs(-3 + 2j))


def test_two_lengths_make_a_triangle_on_the_side_of_the_sketch() -> None:
    local = ternary({"A-B": 5, "A-P": 3, "B-P": 4, "A-Q": 3, "B-Q": 4}).local
    assert local["P"] == pytest.approx(1.8 + 2.4j)
    assert local["Q"] == pytest.approx(1.8 - 2.4j)


def test_more_lengths_must_agree() -> None:
    lengths = {"A-B": 5, "A-P": 3, "B-P": 4, "A-Q": 3, "B-Q": 4}
    assert ternary({**lengths, "P-Q": 4.8}).local["Q"] == pytest.approx(1.8 - 2.4j)
    with pytest.raises(InputError, match=r"is 4\.9 m, but the other lengths make it 4\.8 m"):
        ternary({**lengths, "P-Q": 4.9})


def test_the_order_of_points_does_not_hide_a_length() -> None:
    """P is listed before Q, but depends on it."""
    local = ternary({"P-Q": 2, "A-Q": 3, "B-Q": 4, "A-B": 5}).local
    assert local["Q"] == pytest.approx(1.8 - 2.4j)
    assert abs(local["P"] - local["Q"]) == pytest.approx(2)


def test_collinear_lengths_lie_on_the_line() -> None:
    local = place("ABP", {"A": 0, "B": 0.1, "P": 0.2 + 0.01j}, pairs({"A-B": 0.1, "A-P": 0.2, "B-P": 0.1}))
    assert local["P"] == 0.2


def test_a_triangle_drawn_flat_has_no_side() -> None:
    with pytest.raises(Flaw, match="is on the line through"):
        place("ABP", {"A": 0, "B": 1, "P": 2}, pairs({"A-P": 2, "B-P": 2}))


def test_a_length_from_a_coinciding_point_has_no_direction() -> None:
    with pytest.raises(Flaw, match="the length 'B-P' has no direction"):
        place("ABP", {"A": 0, "B": 1, "P": 1}, pairs({"B-P": 2}))


def test_the_ground_keeps_global_coordinates() -> None:
    link = ternary({"A-B": 7}, ("A", "B", "P"), "ground")
    assert (link.origin, link.direction) == (0, 1)
    assert link.local == {"A": 1 + 1j, "B": 1 + 8j, "P": -1 + 2j}


def test_a_length_holds_on_every_link_with_both_points() -> None:
    m = Mechanism(
        points={"A": [0, 0], "B": [2, 0]}, links={"ground": [], "a": ["A", "B"], "b": ["B", "A"]}, lengths={"A-B": 3},
        joints={"s": {"type": "prismatic", "links": ["a", "ground"], "axis": [1, 0]}},
    )  # fmt: skip
    assert m.links["a"].local["B"] == m.links["b"].local["A"] == 3
    assert m.places["B"] == 2


def test_a_link_of_one_point_is_parallel_to_the_axes() -> None:
    assert frame([2 + 1j]) == (2 + 1j, 1)
    assert frame([]) == (0, 1)


def test_the_centre_of_mass_is_in_the_frame() -> None:
    m = Mechanism(
        units={"length": "mm", "mass": "g"},
        points={"A": [10, 10], "B": [10, 50]},
        links={"ground": ["A"], "bar": {"points": ["A", "B"], "mass": 5, "center": [0, 20], "inertia": 4e-4}},
    )
    link = m.links["bar"]
    assert link.center == pytest.approx(0.01 + 0.01j)
    assert (link.mass, link.inertia) == (0.005, 4e-4)


plane = st.complex_numbers(max_magnitude=5, allow_nan=False)


@given(st.lists(plane, min_size=4, max_size=4), st.lists(plane, min_size=4, max_size=4), st.data())
@settings(deadline=None, max_examples=80)
def test_given_lengths_hold_and_sides_stay(true: list[complex], shift: list[complex], data: st.DataObject) -> None:
    """Lengths from an exact figure, drawn with an error: every given length holds, for any choice of lengths."""
    assume(all(abs(a - b) > 0.5 for a, b in itertools.combinations(true, 2)))
    names = "ABCD"
    sketch = {n: z + 0.02 * s / 5 for n, z, s in zip(names, true, shift, strict=True)}
    chosen = data.draw(st.lists(st.sampled_from(list(itertools.combinations(range(4), 2))), unique=True))
    given_ = {frozenset((names[i], names[j])): abs(true[i] - true[j]) for i, j in chosen}
    try:
        found = place(names, sketch, given_)
    except Flaw:
        # too many lengths: the last has to agree with positions that may be drawn on a wrong side or not given
        assert len(chosen) >= 2
        return
    for pair, length in given_.items():
        a, b = pair
        assert abs(found[a] - found[b]) == pytest.approx(length, rel=1e-8)


@given(st.floats(0.2, 3), st.floats(0.2, 3), st.floats(0, 2 * math.pi))
@settings(deadline=None)
def test_the_triangle_closes_or_is_refused(la: float, lb: float, angle: float) -> None:
    turn = cmath.exp(1j * angle)
    sketch = {"A": 0j, "B": turn, "P": turn * (0.5 + 1j)}
    lengths = {frozenset("AP"): la, frozenset("BP"): lb}
    if la + lb < 1 - 1e-6 or abs(la - lb) > 1 + 1e-6:
        with pytest.raises(Flaw, match="cannot close"):
            place("ABP", sketch, lengths)
    elif la + lb > 1 + 1e-6 and abs(la - lb) < 1 - 1e-6:
        found = place("ABP", sketch, lengths)
        assert abs(found["P"]) == pytest.approx(la)
        assert abs(found["P"] - turn) == pytest.approx(lb)
        assert np.imag(found["P"] / turn) > 0


@pytest.mark.parametrize("kind", ["rolling", "prismatic", "pin-in-slot"])
def test_lengths_that_bring_the_points_of_a_line_together(kind: str) -> None:
    """Distinct in the sketch, B and C coincide by their lengths from A: a line through them has no direction."""
    ends = {"slot": "bar", "pin": "W"} if kind == "pin-in-slot" else {"links": ["wheel", "bar"]}
    data: dict[str, Any] = {
        "points": {"A": (0, 0), "B": (1, 0), "C": (3, 0), "W": (2, 0 if kind == "pin-in-slot" else 1)},
        "links": {"ground": ["A"], "bar": ["A", "B", "C"], "wheel": ["W"]},
        "lengths": {"A-B": 2.0, "A-C": 2.0},
        "joints": {"line": {"type": kind, **ends, "along": ["B", "C"]}},
        "drivers": {"motor": {"joint": "A", "speed": 1.0}},
    }
    with pytest.raises(InputError, match=r"joints.line: the lengths make 'B' and 'C' coincide"):
        Mechanism(**data)


@pytest.mark.parametrize("size", [5e-324, 1e-101])
def test_a_length_too_small_to_compute_with(size: float) -> None:
    """Solving with the smallest number of all ended with a ZeroDivisionError."""
    with pytest.raises(InputError, match=rf"lengths.A-B: {size} is too small to compute with; the sketch measures 4 m"):
        ternary({"A-B": size})
    assert ternary({"A-B": 1e-99}, ("A", "B")).local["B"] == 1e-99


@pytest.mark.parametrize("pivots", [["A", "E"], ["A", "G", "E"], ["G", "A", "E"]])
@pytest.mark.parametrize("method", ["topological", "global"])
def test_two_motors_on_one_axis(pivots: list[str], method: str) -> None:
    """The ground needs no direction. C lies on circles about B and D, which turn on circles about the axis."""
    points = {"A": (0, 0), "E": (0, 0), "B": (-1, 1), "C": (0.2, 2.4), "D": (1, 1), "G": (3, 1)}
    m = Mechanism(
        points={name: place for name, place in points.items() if name != "G" or "G" in pivots},
        links={"ground": pivots, "left": ["A", "B"], "up": ["B", "C"], "down": ["C", "D"], "right": ["E", "D"]},
        drivers={"one": {"joint": "A", "speed": 1.0}, "two": {"joint": "E", "speed": 1.3}},
    )
    motion = m.solve(t=np.linspace(0, 1, 6), method=method)
    start = {name: complex(*place) for name, place in points.items()}
    B, D = start["B"] * np.exp(1j * motion.t), start["D"] * np.exp(1.3j * motion.t)
    r, s, gap = abs(start["C"] - start["B"]), abs(start["C"] - start["D"]), abs(D - B)
    along = (r**2 - s**2 + gap**2) / (2 * gap)
    C = B + (D - B) / gap * (along + 1j * np.sqrt(r**2 - along**2))
    np.testing.assert_allclose(motion.position("C") @ [1, 1j], C, atol=1e-12)
    assert not motion.angle("ground").any()
