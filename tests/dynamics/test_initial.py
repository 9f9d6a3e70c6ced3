"""A consistent start from partial data: completed, met exactly, or corrected with a note."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.dynamics import initial
from structkin.dynamics.initial import initial_conditions
from structkin.examples import path


def four_bar(**initial: Any) -> sk.Mechanism:
    return sk.Mechanism(
        "Four-bar",
        units={"angle": "deg"},
        points={"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0), "P": (1.5, 2.5)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "coupler": {"points": ["B", "C", "P"], "mass": 2, "center": [1.5, 1.8], "inertia": 0.5},
            "rocker": {"points": ["C", "D"], "shape": "rod", "mass": 1},
        },
        drivers={"turn": {"joint": "A"}},
        forces={"gravity": [0, -9.81]},
        initial=initial,
    )


def test_a_coordinate_alone_is_as_before() -> None:
    r = four_bar(turn={"value": 80, "speed": "2 rad/s"}).simulate(0.1, samples=3)
    assert r.angle("crank")[0] == pytest.approx(np.radians(80), abs=1e-15)
    assert r.omega("crank")[0] == pytest.approx(2, abs=1e-15)
    assert r.corrections == ()


def test_a_link_that_is_no_coordinate_defines_the_start() -> None:
    """The crank's angle and speed follow from those of the rocker."""
    r = four_bar(rocker={"angle": -85, "omega": "1.5 rad/s"}).simulate(0.1, samples=3)
    assert np.exp(1j * r.angle("rocker")[0]) == pytest.approx(np.exp(-1j * np.radians(85)), abs=1e-10)
    assert r.omega("rocker")[0] == pytest.approx(1.5, rel=1e-12)
    assert r.violation[0] < 1e-15
    assert r.corrections == ()


def test_the_velocity_of_a_point_defines_the_start() -> None:
    """Its x component alone is enough; both, if they do not fit the path, are met as well as possible, with a note."""
    turn = {"value": 60}
    one = initial_conditions(four_bar(turn=turn, P={"vx": -2.0}))
    K = four_bar().solve(drivers={"turn": [np.radians(60)]}).K("P")[0, :, 0]
    assert one.speeds["turn"] == pytest.approx(-2 / K[0], rel=1e-12)
    assert one.corrections == ()
    both = initial_conditions(four_bar(turn=turn, P={"velocity": [-2.0, 5.0]}))
    best = float(K @ [-2, 5] / (K @ K))
    assert both.speeds["turn"] == pytest.approx(best, rel=1e-12)
    assert [str(one).split(":")[0] for one in both.corrections] == ["initial.P.vx", "initial.P.vy"]
    assert [one.taken for one in both.corrections] == pytest.approx((K * best).tolist())
    assert [one.given for one in both.corrections] == [-2.0, 5.0]


def test_contradictory_values_are_met_by_least_squares() -> None:
    """A coordinate and a link disagree: both are corrected, by least squares."""
    found = initial_conditions(
        four_bar(turn={"value": 90, "speed": "1 rad/s"}, crank={"angle": 94, "omega": "2 rad/s"})
    )
    assert found.values["turn"] == pytest.approx(np.radians(92), abs=1e-9)
    assert found.speeds["turn"] == pytest.approx(1.5, abs=1e-12)
    assert [one.key for one in found.corrections] == [
        "initial.turn.value", "initial.turn.speed", "initial.crank.angle", "initial.crank.omega",
    ]  # fmt: skip


def five_bar(**initial: Any) -> sk.Mechanism:
    return sk.Mechanism(
        points={"A": (0, 0), "B": (-1, 1.5), "C": (1, 3), "D": (3, 1.5), "E": (2, 0)},
        links={
            "ground": ["A", "E"],
            **{f"bar{a}{b}": {"points": [a, b], "shape": "rod", "mass": 1} for a, b in ("AB", "BC", "CD", "DE")},
        },
        drivers={"left": {"joint": "A"}, "right": {"joint": "E"}},
        forces={"gravity": [0, -9.81]},
        initial=initial,
    )


def test_less_than_the_mobility_is_completed_by_the_smallest_change() -> None:
    m = five_bar(C={"x": 1.1, "vy": 0.5})
    found, plain = initial_conditions(m), initial_conditions(five_bar())
    motion = m.solve(drivers={id: ([found.values[id]], [found.speeds[id]], [0.0]) for id in found.values})
    assert motion.position("C")[0, 0] == pytest.approx(1.1, abs=1e-10)
    assert motion.velocity("C")[0, 1] == pytest.approx(0.5, abs=1e-12)
    assert found.corrections == ()
    # the speeds have no component that the given value does not need: they lie along its gradient
    K = motion.K("C", drivers=["left", "right"])[0, 1]
    speeds = np.array([found.speeds[id] for id in ("left", "right")])
    assert abs(K[0] * speeds[1] - K[1] * speeds[0]) < 1e-12
    assert list(plain.speeds.values()) == [0.0, 0.0]


def test_exactly_the_mobility_is_met() -> None:
    m = five_bar(C={"position": [0.9, 3.05], "velocity": [0.3, -0.7]})
    r = m.simulate(0.05, samples=3)
    assert r.position("C")[0] == pytest.approx([0.9, 3.05], abs=1e-10)
    assert r.velocity("C")[0] == pytest.approx([0.3, -0.7], abs=1e-12)
    assert r.corrections == ()
    again = m.simulate(0.05, samples=3, formulation="multipliers", coordinates="natural")
    assert again.velocity("C")[0] == pytest.approx([0.3, -0.7], abs=1e-12)


def test_a_position_out_of_reach_is_approached_as_closely_as_possible() -> None:
    arm = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"swing": {"joint": "A"}},
        initial={"B": {"position": [3, 4]}},
    )
    found = initial_conditions(arm)
    assert found.values["swing"] == pytest.approx(np.arctan2(4, 3), abs=1e-7)
    assert len(found.corrections) == 2
    r = arm.simulate(0.1, samples=2)
    assert r.corrections == found.corrections


def with_free_drivers(example: str, **initial: Any) -> sk.Mechanism:
    data = tomllib.loads(path(example).read_text(encoding="utf-8"))
    for driver in data["drivers"].values():
        del driver["law"]
    return sk.Mechanism.from_dict(data | {"initial": initial})


def test_at_a_border_of_reach_few_poses_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Q runs on the line x = 5 cm, up to where the rhombus folds flat: 3.2 cm cos(motor / 2) = OP = 5 cm - 3 cm."""
    tried = []
    motion = initial._Start.motion

    def counted(*args: Any) -> Any:
        tried.append(args)
        return motion(*args)

    monkeypatch.setattr(initial._Start, "motion", counted)
    found = initial_conditions(with_free_drivers("peaucellier", Q={"position": [5, 9]}))
    assert found.values["motor"] == pytest.approx(2 * np.arccos(2 / 3.2), abs=1e-6)
    assert [one.key for one in found.corrections] == ["initial.Q.y"]
    assert len(tried) < 100


def test_motors_do_not_wind_up_on_the_way_to_a_place_out_of_reach() -> None:
    """The plate comes nearer to the place, as it can with every motor within half a turn of the sketch."""
    m = with_free_drivers("platform_3rrr", M={"position": [-400, -300]})
    found, far = initial_conditions(m).values, np.array([-0.4, -0.3])
    there = m.solve(drivers={id: [value] for id, value in found.items()}).position("M")[0]
    assert np.linalg.norm(there - far) < np.linalg.norm(np.array(m.points["M"]) - far)
    assert all(abs(value - m.drivers[id].start) < np.pi for id, value in found.items())


def test_missing_drivers_and_moving_ones() -> None:
    """`simulate` chooses the coordinates; the part of the velocity that a moving motor causes is subtracted."""
    arm = {"ground": ["A"], "upper": ["A", "B"], "lower": {"points": ["B", "C"], "shape": "rod", "mass": 1}}
    points = {"A": (0, 0), "B": (1, 0), "C": (2, 0)}
    m = sk.Mechanism(
        points=points, links=arm, drivers={"motor": {"joint": "A", "speed": 2}}, initial={"C": {"vy": 7.0}}
    )
    r = m.simulate(0.1, samples=2)
    assert r.velocity("C")[0, 1] == pytest.approx(7, rel=1e-12)
    assert r.omega("upper")[0] == 2 and r.omega("lower")[0] == pytest.approx(5)


@pytest.mark.parametrize(
    ("initial", "key", "found"),
    [
        ({"Q": {"vx": 1}}, "initial.Q", "'Q' is not a driver, point or link"),
        ({"P": {"speed": 1}}, "initial.P", "unknown key 'speed'"),
        ({"P": {"vx": "1 rad/s"}}, "initial.P", "not a speed"),
        ({"P": {"vx": 1, "velocity": [1, 2]}}, "initial.P", "a velocity and a component of it"),
        ({"P": {"velocity": 3}}, "initial.P", "expected a velocity"),
        ({"P": 3}, "initial.P", "expected a table"),
        ({"rocker": {"angl": 3}}, "initial.rocker", "did you mean 'angle'"),
        ({"ground": {"omega": 3}}, "initial.ground", "does not move"),
        ({"rocker": {"angle": 400}}, "initial.rocker", "how a link is turned, not how often"),
        ({"rocker": {"angle": "-361 deg"}}, "initial.rocker", "whole turns are in the value of a driver"),
    ],
)
def test_bad_initial_values(initial: dict[str, Any], key: str, found: str) -> None:
    with pytest.raises(sk.InputError, match=found) as caught:
        four_bar(**initial)
    assert caught.value.problems[0].key == key


@pytest.mark.parametrize("id", ["P", "rocker", "turn"])
def test_every_unknown_key_of_an_initial_value_is_named(id: str) -> None:
    with pytest.raises(sk.InputError) as caught:
        four_bar(**{id: {"velo": 1, "posi": 2}})
    assert [(problem.key, problem.message) for problem in caught.value.problems] == [
        (f"initial.{id}", "unknown key 'velo'"), (f"initial.{id}", "unknown key 'posi'"),
    ]  # fmt: skip


@pytest.mark.parametrize("mode", [0, 1])
def test_a_simulation_begins_in_the_assembly_that_it_is_given(mode: int) -> None:
    """Also where `simulate` chooses the coordinates: the pose stays when drivers are replaced."""
    bars = {name: {"points": list(name), "shape": "rod", "mass": 1} for name in ("AB", "BC", "CD")}
    points = {"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)}
    driven = sk.Mechanism(points=points, links={"ground": ["A", "D"], **bars}, drivers={"m": {"joint": "A"}})
    chosen = list(driven.assemblies(drivers={"m": np.pi / 2}))[mode].mechanism()
    data = driven.source_dict
    del data["drivers"]
    free = sk.Mechanism.from_dict(data).posed(chosen._pose)
    for m in (chosen, free):
        r = m.simulate(0.1, samples=3)
        assert r.position("C")[0] == pytest.approx(chosen.points["C"], abs=1e-12)


def chain(*massless: str, **more: Any) -> sk.Mechanism:
    """Rods in a row that hang from A, of 1 kg each unless massless."""
    points = {name: (k, 0) for k, name in enumerate("ABCD")}
    links: dict[str, Any] = {"ground": ["A"]}
    for name, ends in (("a", "AB"), ("b", "BC"), ("c", "CD")):
        links[name] = list(ends) if name in massless else {"points": list(ends), "shape": "rod", "mass": 1}
    links |= more
    drivers = {"x": {"joint": "A"}, "y": {"joint": "B"}, "z": {"joint": "C"}}
    return sk.Mechanism(points=points, links=links, drivers=drivers, forces={"gravity": [0, -9.81]})


def test_only_the_coordinate_that_moves_no_mass_is_named():
    """The last rod is massless: its own angle moves nothing; those before it move a rod each."""
    with pytest.raises(sk.InputError) as error:
        chain("c").simulate(0.1)
    assert [problem.key for problem in error.value.problems] == ["drivers.z"]


def test_only_the_coordinates_of_a_motion_without_mass_are_named():
    """Three massless rods in a row to a mass in their end, which two of them could hold; the pendulum is not blamed."""
    m = chain("a", "b", "c", c={"points": ["C", "D"], "mass": 1, "center": [3, 0]})
    data = m.source_dict
    data["points"] |= {"E": (0, 1), "F": (1, 1)}
    data["links"] |= {"ground": ["A", "E"], "bob": {"points": ["E", "F"], "shape": "rod", "mass": 1}}
    data["drivers"]["w"] = {"joint": "E"}
    with pytest.raises(sk.InputError) as error:
        sk.Mechanism.from_dict(data).simulate(0.1)
    (problem,) = error.value.problems
    assert problem.message == "a combined motion of the free coordinates x, y, z moves no mass"


@pytest.mark.parametrize("target", [(1.5, 2.0), (-3.0, 1.0), (0.5, -4.0), (40.0, 1.0)])
def test_an_arm_starts_as_near_as_it_gets_to_a_place_out_of_its_reach(target):
    """It is stretched towards it. Linear equations stop before, where their rank is lost."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.6, 0.8), "C": (1.4, 0.2)},
        links={
            "ground": ["A"],
            "upper": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "fore": {"points": ["B", "C"], "shape": "rod", "mass": 1},
        },
        drivers={"shoulder": {"joint": "A"}, "elbow": {"joint": "B"}},
        initial={"C": {"position": target}},
    )
    run = m.simulate([0, 1e-6])
    assert run.position("C")[0] == pytest.approx(np.array(target) * 2 / np.hypot(*target), abs=1e-4)
    assert np.hypot(*(run.position("C")[0] - target)) == pytest.approx(np.hypot(*target) - 2, abs=1e-9)
    assert len(run.corrections) == 2
