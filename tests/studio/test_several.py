"""Commands on several points: what is moved, turned, mirrored or copied moves as before."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin.errors import InputError
from structkin.examples import names, path
from structkin.model import Mechanism
from structkin.studio import commands
from structkin.studio.check import check
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile


def do(document: Document, **message: Any) -> Document:
    return commands.read(message).apply(document)


def example(name: str) -> Document:
    return MechanismFile(path(name)).read()


def travel(document: Document, point: str) -> Any:
    """Return the distances (n,) of a point [m] from its first place over the motion that `solve` finds."""
    places = Mechanism.from_dict(document.data).solve(samples=25).position(point)
    return np.hypot(*(places - places[0]).T)


@pytest.mark.parametrize("how", [{"turn": 90}, {"turn": -33}, {"to": [7, -4]}, {"turn": 20, "to": [1, 2]}])
@pytest.mark.parametrize(("name", "point"), [("jansen_leg", "P"), ("slider_crank_offset", "T"), ("crank_rocker", "P")])
def test_a_mechanism_that_is_moved_as_a_whole_moves_as_before(name: str, point: str, how: dict[str, Any]):
    """The driver's angle is counted from x, so that a turned mechanism starts elsewhere, but goes the same way."""
    before = example(name)
    after = do(before, op="transform", points=list(before.places), **how)
    a, b, c = list(before.places)[:3]
    kept = [(doc.place(b) - doc.place(a)) / (doc.place(c) - doc.place(a)) for doc in (before, after)]
    assert kept[0] == pytest.approx(kept[1], rel=1e-3)
    if "to" in how:
        assert after.place(a) == pytest.approx(complex(*how["to"]), abs=1e-3)
    found = check(after)
    assert found.solvable and not found.problems
    turned = cmath.phase((after.place(b) - after.place(a)) / (before.place(b) - before.place(a)))
    assert turned == pytest.approx(math.radians(how.get("turn", 0)), abs=1e-3)
    assert travel(after, point) == pytest.approx(travel(before, point), rel=0.02, abs=1e-3 * before.size)


def test_scale_takes_given_lengths_along_and_mirror_keeps_them():
    before = example("slider_crank_offset")
    points = list(before.places)
    larger = do(before, op="transform", points=points, scale=2)
    assert larger.data["lengths"] == {key: 2 * value for key, value in before.data["lengths"].items()}
    assert travel(larger, "C") == pytest.approx(2 * travel(before, "C"), rel=1e-3)
    other = do(before, op="transform", points=points, mirror="x")
    assert other.data["lengths"] == before.data["lengths"] and other.data["joints"]["guide"]["axis"] == [-1, 0]
    assert other.places["C"].imag == pytest.approx(before.places["C"].imag)
    assert max(z.real for z in other.places.values()) == pytest.approx(max(z.real for z in before.places.values()))


def test_what_a_lock_forbids_is_refused_with_its_name():
    with pytest.raises(InputError, match="C-D = 80 mm would not hold there"):
        do(example("crank_rocker"), op="transform", points=["A", "B", "C", "P"], to=[10, 10])
    for scale in (0, -1, math.inf):
        with pytest.raises(InputError):
            do(example("crank_rocker"), op="transform", points=["A"], scale=scale)


@pytest.mark.parametrize("name", ["crank_rocker", "slider_crank_offset", "jansen_leg", "excavator",
                                  "one_cylinder_engine", "geared_five_bar", "cam_lever_press",
                                  "planetary_train"])  # fmt: skip
def test_a_copy_moves_as_its_original(name: str):
    before = example(name)
    after = do(before, op="duplicate", points=list(before.places), by=[3 * before.size, 0])
    found, alone = check(after), check(before)
    assert found.solvable and len(found.problems) == 2 * len(alone.problems)
    assert found.structure is not None and alone.structure is not None
    assert found.structure.mobility == 2 * alone.structure.mobility
    m = Mechanism.from_dict(after.data)
    motion = m.solve(samples=13)
    new = [point for point in after.places if point not in before.places]
    for old, copy in zip(before.places, new, strict=True):
        if old in m.places and any(old in link.points for link in m.links.values()):
            gap = motion.position(copy) - motion.position(old)
            assert np.allclose(gap, gap[0], atol=1e-4 * before.size * m.units.length_scale), (old, copy)


def test_of_a_part_only_what_it_alone_has_is_copied():
    after = do(example("crank_rocker"), op="duplicate", points=["A", "B"], by=[0, -100])
    (copy,) = set(after.data["links"]) - {"ground", "crank", "coupler", "rocker"}
    a, b = after.data["links"][copy]
    assert a in after.data["links"]["ground"] and after.data["lengths"][f"{a}-{b}"] == 40
    assert after.data["drivers"]["motor2"] == {**after.data["drivers"]["motor"], "joint": a}


def test_several_points_are_deleted_with_what_depends_on_them():
    after = do(example("crank_rocker"), op="delete_points", points=["B", "C", "P"])
    assert set(after.data["points"]) <= {"A", "D"} and "drivers" not in after.data
    with pytest.raises(InputError, match="there is no such entry"):
        do(example("crank_rocker"), op="delete_points", points=["A", "Z"])


def test_a_slider_is_a_block_on_a_guide():
    document = Document({"points": {"A": [0, 0], "B": [3, 4], "C": [15, 0]},
                         "links": {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"]}})  # fmt: skip
    document = do(document, op="slide", point="C", slot="ground", axis=[1, 0])
    document = do(document, op="drive", joint="A")
    assert document.data["joints"] == {
        "guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": [1, 0]}
    }
    found = check(document)
    assert found.solvable and not found.problems
    # from x = 15 to where crank and rod overlap
    assert travel(document, "C").max() == pytest.approx(15 - (math.sqrt(160) - 5), rel=0.01)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_choice_of_points_is_changed_or_refused(data: st.DataObject):
    document = example(data.draw(st.sampled_from(names())))
    points = data.draw(st.lists(st.sampled_from(list(document.places)), min_size=1, max_size=6))
    message = data.draw(st.sampled_from([
        {"op": "transform", "turn": 30}, {"op": "transform", "scale": 0.5}, {"op": "transform", "mirror": "y"},
        {"op": "transform", "to": [1, 1]}, {"op": "duplicate", "by": [1, 1]}, {"op": "delete_points"},
    ]))  # fmt: skip
    try:
        after = do(document, points=points, **message)
    except InputError:
        return
    check(after)
    if message["op"] == "duplicate":
        assert len(after.places) == len(document.places) + len(set(points))


def test_points_are_aligned_with_the_first_and_given_lengths_hold():
    drawn = Document(
        {"points": {"A": [0, 1], "B": [3, 5], "C": [7, 9]}, "links": {"bar": ["A", "B"], "rod": ["B", "C"]}}
    )
    level = commands.read({"op": "align", "points": ["B", "A", "C"], "axis": "y"}).apply(drawn)
    assert level.places == {"A": 5j, "B": 3 + 5j, "C": 7 + 5j}
    upright = commands.read({"op": "align", "points": ["C", "A"], "axis": "x"}).apply(drawn)
    assert upright.places == {"A": 7 + 1j, "B": 3 + 5j, "C": 7 + 9j}
    locked = Document({**drawn.data, "lengths": {"A-B": 5}})
    for points in (["A", "B"], ["A", "C"], ["C", "B"]):
        command = commands.read({"op": "align", "points": points, "axis": "x"})
        if points == ["A", "C"]:
            assert command.apply(locked).places["C"] == 9j
            continue
        with pytest.raises(InputError, match="A-B = 5 m would not hold"):
            command.apply(locked)
