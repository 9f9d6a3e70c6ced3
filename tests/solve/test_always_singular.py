"""Mechanisms that close but are singular: in every pose, or in the pose that is drawn. All verbs say the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.global_methods.methods import METHODS


def rail(link: str, at: str, axis: tuple[float, float] = (1, 0)) -> dict[str, Any]:
    return {"type": "prismatic", "links": [link, "ground"], "at": at, "axis": axis}


def gantry(**joints: Any) -> sk.Mechanism:
    """Two carriages on parallel rails, joined by a beam that is square to both in every pose."""
    return sk.Mechanism(
        "Gantry",
        points={"P": (0, 0), "Q": (0, 0.8), "S": (1, 0.8)},
        links={"ground": ["S"], "left": ["P"], "right": ["Q"], "beam": ["P", "Q"]},
        joints={"rail1": rail("left", "P"), "rail2": rail("right", "Q"), **joints},
        drivers={"feed": {"joint": "rail1", "law": "0.1*sin(2*pi*t)"}},
        duration=1.0,
    )


def slotted(height: float) -> sk.Mechanism:
    """A beam of length 0.8 from a carriage to a slot at this height; the sketch is rough."""
    return sk.Mechanism(
        points={"P": (0, 0), "Q": (0.1, height), "R": (-1, height), "S": (1, height)},
        links={"ground": ["R", "S"], "left": ["P"], "beam": ["P", "Q"]},
        lengths={"P-Q": 0.8},
        joints={
            "rail1": rail("left", "P"),
            "slot": {"type": "pin-in-slot", "pin": "Q", "slot": "ground", "along": ["R", "S"]},
        },
        drivers={"feed": {"joint": "rail1", "law": "0.1*sin(2*pi*t)"}},
        duration=1.0,
    )


def stretched() -> sk.Mechanism:
    """Two rods in line between two pins that a coupler in translation keeps at the distance of both lengths."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (4, 1), "D": (3, 0), "M": (2, 1)},
        links={
            "ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "other": ["D", "C"],
            "one": ["B", "M"], "two": ["M", "C"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
        duration=1.0,
    )  # fmt: skip


def parallel_guides() -> sk.Mechanism:
    """A block in a guide of a carriage that is parallel to the rail it slides on."""
    return sk.Mechanism(
        points={"P": (0, 0), "Q": (1, 0), "B": (2, 0)},
        links={"ground": [], "carriage": ["P", "Q"], "block": ["B"], "arm": ["B"]},
        joints={
            "rail1": rail("carriage", "P", (0, 1)),
            "guide": {"type": "prismatic", "links": ["block", "carriage"], "at": "B", "axis": [0, 1]},
            "rail2": rail("arm", "B", (0, 1)),
        },
        drivers={"feed": {"joint": "rail1", "speed": 0.1}},
        duration=1.0,
    )


FEET = ((0, 0), (0.4, 0), (0.2, 0.35))


def plate_on(
    carrier: dict[str, Any], tips: Any, leg: Callable[[int], tuple[Any, Any]], feet: Any = FEET
) -> sk.Mechanism:
    """A plate on a carrier that a driver moves, by three legs; `leg` returns the links and the joints of one."""
    points = {"E": (1, 0), **{f"A{k}": foot for k, foot in enumerate(feet)}}
    links: dict[str, Any] = {**carrier["links"], "carrier": ["A0", "E", "A1", "A2"], "plate": ["P0", "P1", "P2"]}
    joints = dict(carrier["joints"])
    for k, tip in enumerate(tips):
        points[f"P{k}"] = tip
        bars, ties = leg(k)
        links, joints = links | bars, joints | ties
    drivers = {"feed": {"joint": carrier["driven"], "law": "0.1*sin(2*pi*t)"}}
    return sk.Mechanism(points=points, links=links, joints=joints, drivers=drivers, duration=1.0)


CARRIAGE = {"links": {"ground": []}, "joints": {"rail": rail("carrier", "A0")}, "driven": "rail"}
CRANK = {"links": {"ground": ["E"]}, "joints": {}, "driven": "E"}


def rod(k: int) -> tuple[Any, Any]:
    return {f"leg{k}": [f"A{k}", f"P{k}"]}, {}


def slot(k: int) -> tuple[Any, Any]:
    return {}, {f"slot{k}": {"type": "pin-in-slot", "pin": f"P{k}", "slot": "carrier", "axis": [1, 0.5]}}


def slide(k: int) -> tuple[Any, Any]:
    joint = {"type": "prismatic", "links": [f"block{k}", "carrier"], "at": f"P{k}", "axis": [1, 0]}
    return {f"block{k}": [f"P{k}"]}, {f"slide{k}": joint}


def aside(*shifts: float) -> list[tuple[float, float]]:
    """The feet, each moved along itself by its part of a direction."""
    return [(x + 0.1 * shift, y + 0.2 * shift) for (x, y), shift in zip(FEET, shifts, strict=True)]


def wheel() -> sk.Mechanism:
    """A plate on three rods about one place of a crank: it turns about that place like a wheel."""
    return plate_on(CRANK, [(0.2, 0), (-0.1, 0.3), (0, -0.2)], rod, feet=[(0, 0)] * 3)


@pytest.mark.parametrize(
    ("make", "joints"),
    [
        (lambda: plate_on(CARRIAGE, aside(1, 1, 1), rod), "A0, A1, A2, P0, P1, P2"),  # on three parallel cranks
        (lambda: plate_on(CRANK, aside(1, 1, 1), rod), "A0, A1, A2, P0, P1, P2"),
        (lambda: plate_on(CRANK, aside(0, 1, 2), slot), "slot0, slot1, slot2"),
        (lambda: plate_on(CARRIAGE, aside(0, 1, 2), slide), "P0, P1, P2, slide0, slide1, slide2"),
        (wheel, "A0, A1, A2, P0, P1, P2"),
        (gantry, "P, Q, rail2"),
        (lambda: slotted(0.8), "P, slot"),
        (stretched, "B, C, M"),
        (parallel_guides, "guide, B, rail2"),
    ],
)
def test_it_is_singular_in_every_pose_for_every_verb(make: Callable[[], sk.Mechanism], joints: str):
    m = make()
    said = "closes, but is singular in every pose"
    for method in METHODS:
        with pytest.raises(sk.InputError, match=said) as error:
            m.solve(5, method=method)
        (problem,) = error.value.problems
        assert set(problem.key.split(", ")) == set(joints.split(", "))
        assert re.search(r"leave one of these joints out|leave out leg2, .* and drive A0$", problem.hint)
    (driver,) = m.drivers
    for verb in (lambda: m.limits(driver), lambda: list(m.assemblies())):
        with pytest.raises(sk.InputError, match=said):
            verb()


@pytest.mark.parametrize("end", [(0, 0.8), (0.4, 0.8)])
def test_a_beam_that_a_plate_on_three_legs_carries(end: tuple[float, float]):
    """The rails are on a plate that is a general group; only square to both the beam is singular."""
    m = sk.Mechanism(
        points={
            "A": (-5, -5), "B": (-4.6, -4), "C": (-4.1, -3.2), "D": (-1, -3), "E": (-0.5, -5), "F": (-3, -2.5),
            "G": (-4, -1), "P": (0, 0), "Q": end,
        },
        links={
            "ground": ["A", "E", "G"], "crank": ["A", "B"], "leg": ["B", "C"], "rocker": ["D", "E"], "bar": ["F", "G"],
            "plate": ["C", "D", "F"], "left": ["P"], "right": ["Q"], "beam": ["P", "Q"],
        },
        joints={f"rail{one}": {"type": "prismatic", "links": [one, "plate"], "at": at, "axis": [1, 0]}
                for one, at in (("left", "P"), ("right", "Q"))},
        drivers={"feed": {"joint": "railleft", "speed": 0.1}, "motor": {"joint": "A", "speed": 0.2}},
        duration=1.0,
    )  # fmt: skip
    if end[0]:
        assert m.solve(5).ok.all()
        return
    for verb in (lambda: m.solve(5), lambda: m.limits("feed"), lambda: list(m.assemblies())):
        with pytest.raises(sk.InputError, match=r"right \+ beam\) closes, but is singular in every pose"):
            verb()


def on_ground(count: int, **drivers: Any) -> sk.Mechanism:
    """A plate on equal parallel legs of the ground."""
    feet = [(0.0, 0.0), (1.0, 0.2), (0.4, -0.5), (2.0, 1.0)][:count]
    points = {f"A{k}": foot for k, foot in enumerate(feet)}
    points |= {f"P{k}": (x + 0.6, y + 0.8) for k, (x, y) in enumerate(feet)}
    links: dict[str, Any] = {"ground": [f"A{k}" for k in range(count)], "plate": [f"P{k}" for k in range(count)]}
    links |= {f"leg{k}": [f"A{k}", f"P{k}"] for k in range(count)}
    return sk.Mechanism(points=points, links=links, drivers=drivers, duration=1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: plate_on(CARRIAGE, aside(1, 1, 1), rod),
        lambda: plate_on(CRANK, aside(1, 1, 1), rod),
        lambda: plate_on(CRANK, aside(-2, -2, -2), rod),
        wheel,
        lambda: on_ground(3),
        lambda: on_ground(4),
        lambda: on_ground(3, turn={"links": ["ground", "plate"], "speed": 1.0}),
        lambda: on_ground(4, turn={"links": ["ground", "plate"], "speed": 1.0}),
    ],
)
def test_the_bar_that_is_named_can_go(make):
    """The hint helps, and the bar keeps its length then."""
    m = make()
    with pytest.raises(sk.InputError) as error:
        m.solve(5)
    (problem,) = error.value.problems
    found = re.fullmatch(r"leave out (\w+), which repeats .* do, and drive (\w+)(?: instead of (\w+))?", problem.hint)
    assert found, problem.hint
    bar, joint, driver = found.groups()
    data = m.source_dict
    ends = data["links"].pop(bar)
    assert driver is None or data["drivers"].pop(driver)
    data["drivers"] = {**data.get("drivers", {}), "new": {"joint": joint, "speed": 0.3}}
    motion = sk.Mechanism.from_dict(data).solve(9)
    assert motion.ok.all()
    apart = np.linalg.norm(motion.position(ends[1]) - motion.position(ends[0]), axis=1)
    np.testing.assert_allclose(apart, apart[0], atol=1e-12)
    assert np.ptp(motion.position("P0")) > 0.05


def test_a_plate_that_a_rod_moves_needs_a_bar_less():
    data = on_ground(3).source_dict
    data["points"] |= {"E": (-0.4, 1.7), "F": (-1.3, 0)}
    data["links"] |= {"ground": ["A0", "A1", "A2", "F"], "rod": ["P0", "E"], "crank": ["E", "F"]}
    data["drivers"] = {"m": {"joint": "F", "speed": 0.1}}
    with pytest.raises(sk.InputError) as error:
        sk.Mechanism.from_dict(data).solve(5)
    (problem,) = error.value.problems
    assert problem.hint == "leave out leg2, which repeats what the others do"
    del data["links"]["leg2"]
    motion = sk.Mechanism.from_dict(data).solve(9)
    apart = np.linalg.norm(motion.position("P2") - motion.position("A2"), axis=1)
    assert motion.ok.all() and np.ptp(motion.position("P0")) > 0.05
    np.testing.assert_allclose(apart, 1, atol=1e-12)


def test_two_drivers_of_a_plate_on_three_legs_are_too_many():
    both = {f"m{k}": {"joint": f"A{k}", "speed": 0.3} for k in range(2)}
    with pytest.raises(sk.StructureError, match="only by special dimensions, with fewer drivers"):
        on_ground(3, **both).solve(5)
    assert on_ground(3, m0=both["m0"]).solve(5).ok.all()


def test_legs_that_are_parallel_in_the_sketch_alone_are_drawn_otherwise():
    with pytest.raises(sk.InputError, match="draw it in another pose"):
        three_legs(*aside(1, 1, 1)).solve(5)


@pytest.mark.parametrize("make", [gantry, wheel])
def test_the_check_and_the_solver_say_so(make, tmp_path):
    make().save(tmp_path / "always.toml")
    for command in ("check", "solve", "limits", "assemblies"):
        result = CliRunner().invoke(app, [command, str(tmp_path / "always.toml")])
        assert result.exit_code, command
        assert "singular in every pose" in f"{result.output} {result.exception}", command


def test_a_longer_beam_moves():
    """Its carriages keep the other side of the right-angled triangle."""
    motion = slotted(0.6).solve(9)
    gap = motion.position("Q")[:, 0] - motion.position("P")[:, 0]
    np.testing.assert_allclose(gap, np.sqrt(0.8**2 - 0.6**2), atol=1e-12)


def three_legs(*tips: tuple[float, float]) -> sk.Mechanism:
    """A plate on three legs with driven slides."""
    feet = ((0, 0), (0.4, 0), (0.2, 0.35))
    points = {f"A{k}": foot for k, foot in enumerate(feet)} | {f"P{k}": tip for k, tip in enumerate(tips)}
    links: dict[str, Any] = {"ground": [], "plate": ["P0", "P1", "P2"]}
    for k in range(3):
        links |= {f"slide{k}": [f"A{k}"], f"leg{k}": [f"A{k}", f"P{k}"]}
    return sk.Mechanism(
        points=points,
        links=links,
        joints={f"rail{k}": rail(f"slide{k}", f"A{k}") for k in range(3)},
        drivers={f"drive{k}": {"joint": f"rail{k}", "speed": 0.01 * (k + 1)} for k in range(3)},
        duration=1.0,
    )


def test_a_plate_whose_legs_meet_in_a_point_is_named():
    """Lines of the legs through one point, or parallel: the plate can turn about it although the slides stand."""
    meeting, parallel = ((0.1, 0.1), (0.3, 0.1), (0.2, 0.275)), ((0.05, 0.1), (0.45, 0.1), (0.25, 0.45))
    for tips in (meeting, parallel):
        m = three_legs(*tips)
        for method in METHODS:
            with pytest.raises(sk.InputError, match=r"plate \+ leg0 \+ leg1 \+ leg2 is drawn in a singular position"):
                m.solve(5, method=method)
        with pytest.raises(sk.InputError, match=r"plate \+ leg0 \+ leg1 \+ leg2 is drawn in a singular position"):
            m.limits("drive0")
    assert three_legs((0.15, 0.1), (0.25, 0.1), (0.235, 0.19)).solve(t=[0.0, 0.1]).ok.all()


def test_equal_legs_on_feet_that_move_apart_are_singular_in_the_sketch_alone():
    """Beside the cranks above: where each foot has its own driver, the legs are parallel in one pose only."""
    m = three_legs(*aside(1, 1, 1))
    for verb in (lambda: m.solve(5), lambda: m.limits("drive0"), lambda: list(m.assemblies())):
        with pytest.raises(sk.InputError, match=r"plate \+ leg0 \+ leg1 \+ leg2 is drawn in a singular position"):
            verb()


def test_groups_that_are_folded_flat_together_are_all_named():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (3, 0), "D": (4, 0), "E": (2, 0), "F": (5, 0), "G": (7, 0)},
        links={
            "ground": ["A", "D", "G"], "crank": ["A", "B"], "coupler": ["B", "C", "E"], "rocker": ["C", "D"],
            "rod": ["E", "F"], "last": ["F", "G"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    for method in METHODS:
        with pytest.raises(sk.InputError, match="2 errors") as error:
            m.solve(5, method=method)
        assert [problem.key for problem in error.value.problems] == ["points.C", "points.F"]


def test_a_group_with_counted_turns_that_is_singular():
    """Two cranks geared 1:2, driven at a rod's pin: the rods are so long that the angle between them is 4e-11 rad."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (9, 15.5884572681199), "P": (40, 1e12), "C": (51.5, 22.5166604983954), "D": (90, 0)},
        links={"ground": ["A", "D"], "a": ["A", "B"], "b": ["B", "P"], "c": ["P", "C"], "d": ["D", "C"]},
        joints={"mesh": {"type": "gear", "links": ["a", "d"], "teeth": [20, 40]}},
        drivers={"motor": {"joint": "B", "speed": 6.0}},
    )
    with pytest.raises(sk.InputError, match=r"mesh: group 1, .* closes, but is singular in every pose"):
        m.solve(samples=3)


def carried(kind: str, **driver: Any) -> sk.Mechanism:
    """A beam in translation along two parallel rails or slots, with one driver."""
    joints = {"rail1": rail("left", "P"), "rail2": rail("right", "Q")}
    links: dict[str, list[str]] = {"ground": [], "left": ["P"], "right": ["Q"], "beam": ["P", "Q"]}
    if kind == "slots":
        joints = {f"rail{k}": {"type": "pin-in-slot", "pin": pin, "slot": "ground", "axis": [1, 0]}
                  for k, pin in ((1, "P"), (2, "Q"))}  # fmt: skip
        links = {"ground": [], "beam": ["P", "Q"]}
    points = {"P": (0, 0), "Q": (0.3, 0.8)}
    return sk.Mechanism(points=points, links=links, joints=joints, drivers={"f": driver}, duration=1.0)


def parallelogram(**driver: Any) -> sk.Mechanism:
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "A1": (0.3, 1), "B1": (1.3, 1)},
        links={"ground": ["A", "B"], "a": ["A", "A1"], "b": ["B", "B1"], "bar": ["A1", "B1"]},
        drivers={"f": driver},
    )


AT_REST: dict[str, tuple[Callable[[], sk.Mechanism], str]] = {
    "rails, the beam": (lambda: carried("rails", links=["ground", "beam"], law="0.1*sin(t)"), "rail1"),
    "rails, a pin": (lambda: carried("rails", joint="P", law="0.1*sin(t)"), "rail1"),
    "slots": (lambda: carried("slots", links=["ground", "beam"], speed=0.1), "rail1"),
    "the coupler of a parallelogram": (lambda: parallelogram(links=["ground", "bar"], speed=0.5), "A"),
    "between the cranks of a parallelogram": (lambda: parallelogram(links=["a", "b"], speed=0.5), "A"),
}


@pytest.mark.parametrize("name", AT_REST)
def test_a_driver_that_is_at_rest_however_the_mechanism_moves_is_named_with_one_that_moves_it(name: str) -> None:
    made, other = AT_REST[name]
    said = rf"drivers\.f: is at rest however the mechanism moves: every pose is singular; drive {other} instead"
    m = made()
    calls: list[Callable[[], Any]] = [m.solve, m.limits, m.assemblies]
    for call in (*calls, *(lambda method=method: m.solve(method=method) for method in METHODS)):
        with pytest.raises(sk.InputError, match=said):
            call()
    data = m.source_dict
    data["drivers"] = {"f": {"joint": other, "law": "0.1*sin(t)"}}
    assert sk.Mechanism(**data).solve(samples=11, duration=1.0).ok.all()
