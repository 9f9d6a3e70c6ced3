"""Models that no method can simulate: each ends with a clear error or a status, and none runs forever."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.errors import InputError
from structkin.examples import spatial

METHODS = [pytest.param("simulate", id="minimal"), pytest.param("small_steps", id="small-steps")]


def hinge(**forces):
    """A rod on a hinge."""
    return sk.SpatialModel.build(
        "Rod",
        points={"O": [0, 0, 0], "A": [1, 0, 0]},
        bodies={"rod": {"points": ["O", "A"], "shape": "cylinder", "radius": 0.05, "mass": 1}},
        joints={"O": {"type": "revolute", "bodies": ["ground", "rod"], "at": "O", "axis": [0, 1, 0]}},
        forces={"gravity": [0, 0, -9.81], **forces},
    )


def test_a_law_that_is_not_finite_at_the_start_is_refused_or_ends_the_run():
    model = hinge(odd={"type": "joint", "joint": "O", "actuator": "abs(t) / t"})
    with pytest.raises(InputError, match="the law of a load is not finite"):
        model.simulate(1.0)
    motion = model.small_steps(0.01)
    assert "a force is not finite" in motion.status and np.isfinite(motion.position("rod")).all()


def test_a_law_that_overflows_ends_the_run():
    model = hinge(odd={"type": "joint", "joint": "O", "actuator": "1 / (0.5 - t)**3"})
    motion = model.simulate(1.0, 101, budget=100)
    assert motion.status.startswith("stopped") and 0.3 < motion.t[-1] <= 0.5 and np.isfinite(motion.q).all()


def test_the_budget_ends_an_endless_run():
    model = hinge(stiff={"type": "joint", "joint": "O", "stiffness": 1e12, "rest": 1})
    motion = model.simulate(1.0, 11, budget=50)
    assert motion.status.endswith("the budget is spent; budget=None (--budget none) removes the limit")
    assert motion.steps <= 200 and len(motion.t) == 1
    with pytest.raises(InputError, match="budget"):
        model.simulate(1.0, 11, budget=-1)
    with pytest.raises(InputError, match=r"1,000,000,000 samples of 1 body exceed the budget"):
        model.simulate(1.0, 10**9)


@pytest.mark.full
@pytest.mark.parametrize(("name", "duration"), [("bricard", 1e6), ("double_pendulum", 1e9), ("rssr_four_bar", 1e12)])
def test_a_duration_beyond_the_budget_is_told_after_two_thousand_steps(name, duration):
    motion = sk.SpatialModel.load(spatial.path(name)).simulate(duration)
    assert motion.steps == 2000 and motion.status.startswith("stopped at t =")
    assert f"the way to {duration:.6g} s would take some" in motion.status and "a shorter duration" in motion.status


@pytest.mark.full
def test_a_duration_within_the_budget_takes_more_than_two_thousand_steps():
    motion = hinge().simulate(300.0, 3)
    assert motion.status == "ok" and motion.steps > 2000


@pytest.mark.full
def test_radau_takes_few_steps_where_dampers_are_stiff():
    model = hinge(bearing={"type": "joint", "joint": "O", "damping": 1e4, "stiffness": 1e3, "rest": 1})
    stiff = model.simulate(2.0, 11, 1e-8, integrator="Radau", budget=60)
    same = model.simulate(2.0, 11, 1e-8, budget=None)
    assert stiff.status == "ok" and stiff.steps < same.steps / 20
    assert stiff.q == pytest.approx(same.q, abs=1e-6)


@pytest.mark.full
def test_radau_takes_hundreds_of_jacobians_with_coordinates_that_change_nothing():
    """The work, and the angle of a governor: differences over ever larger steps ended in a ValueError at 3.44 s."""
    model = sk.SpatialModel.load(spatial.path("governor"))
    one, other = (model.simulate(3.6, 3, rtol, integrator="Radau") for rtol in (1e-9, 1e-8))
    assert one.status == other.status == "ok"
    assert one.position("slider.S") == pytest.approx(other.position("slider.S"), abs=1e-6)


@pytest.mark.parametrize("loops", few(["explicit", "multipliers"], 1))
def test_radau_agrees_on_loops(loops):
    model = sk.SpatialModel.load(spatial.path("rssr_four_bar"))
    one, other = (model.simulate(0.3, 7, loops=loops, integrator=name) for name in ("Radau", "DOP853"))
    assert one.position("rocker.C") == pytest.approx(other.position("rocker.C"), abs=1e-8)
    assert one.closure.max() < 1e-9


def test_a_start_with_huge_values_is_refused():
    with pytest.raises(InputError, match="exceeds 1e\\+12 in SI"):
        sk.SpatialModel.build(
            points={"O": [0, 0, 0]}, units={"length": "m"},
            bodies={"ball": {"shape": "sphere", "radius": 1, "mass": 1, "center": [1e13, 0, 0]}},
        ).small_steps(1.0)  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_progress_rises_to_the_end(method):
    seen: list[float] = []
    getattr(hinge(), method)(0.3, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0


@pytest.mark.parametrize(
    ("key", "value"),
    [("duration", 0), ("duration", "1"), ("duration", np.nan), ("samples", 1), ("samples", 2.5), ("samples", True),
     ("rtol", 0), ("rtol", None), ("loops", "cut"), ("loops", 3), ("integrator", "Euler")],
)  # fmt: skip
def test_invalid_arguments_are_refused(key, value):
    with pytest.raises(InputError, match=f"{key}: .* is (not an?|unknown)"):
        hinge().simulate(**{"duration": 1.0, key: value})


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_is_none_is_refused(method):
    with pytest.raises(InputError, match=r"1 error; .*\n  - progress: 3 is not a function"):
        getattr(hinge(), method)(0.1, progress=3)
    with pytest.raises(InputError, match="user: 4 is not a function"):
        hinge().small_steps(0.1, user=4)


@pytest.mark.parametrize("method", METHODS)
def test_a_motion_has_a_short_name_and_points_to_unknown_ones(method):
    motion = getattr(hinge(), method)(0.1)
    assert repr(motion) == f"<{type(motion).__name__} 'Rod': {len(motion.t)} samples, t to 0.1 s>"
    for name in (3, None, "rod.", "rod.B", "A"):
        with pytest.raises(InputError, match=f"Rod: 1 error\n  - {name}: is no body, and no point of one"):
            motion.position(name)
    assert (motion.position("rod.A") != motion.position("rod")).any()


def test_a_body_that_nothing_holds_back_is_named():
    """A thin rod on a ball joint may spin about itself; the pendulum beside it is in order."""
    model = sk.SpatialModel.build(
        points={"O": [0, 0, 0], "A": [1, 0, 0], "B": [0, 1, 0]},
        bodies={
            "pendulum": {"points": ["O", "B"], "shape": "rod", "mass": 1},
            "needle": {"points": ["O", "A"], "shape": "rod", "mass": 1},
        },
        joints={
            "P": {"type": "revolute", "bodies": ["ground", "pendulum"], "at": "O", "axis": [0, 0, 1]},
            "S": {"type": "spherical", "bodies": ["ground", "needle"], "at": "O"},
        },
    )
    with pytest.raises(InputError, match="not positive definite: give body 'needle' mass and inertia"):
        model.simulate(1.0)


def test_steps_too_many_or_too_short_are_refused():
    for duration, step, expected in (
        (0.0, 1e-5, "duration: 0.0 is not a positive number"),
        (1.0, -1e-5, "step: -1e-05 is not a positive number"),
        (1.0, 1e-300, "step: 1e-300 s is too short"),
        (1e-300, 1e-5, "step: 1e-300 s is too short"),
        (1e300, 1e-5, "step: 1e\\+305 steps are too many"),
        (1e4, 1e-5, "step: 1,000,000,000 steps of 1 body exceed the budget"),
    ):
        with pytest.raises(InputError, match=expected):
            hinge().small_steps(duration, step)
    one = hinge().small_steps(1e-5, 1e-3)
    assert one.t.tolist() == [0, 1e-5] and one.step == 1e-5


def test_an_unstable_step_is_refused_with_the_largest_stable_one():
    model = hinge(spring={"type": "joint", "joint": "O", "stiffness": 1e5})
    with pytest.raises(InputError, match="is unstable with these joints, springs and dampers") as refused:
        model.small_steps(0.1, 3e-3, stiffness=1e6, damping=0)
    largest = float(re.search(r"step is (\S+) s", str(refused.value))[1])
    with pytest.raises(InputError, match="unstable"):
        model.small_steps(0.1, largest * 1.01, stiffness=1e6, damping=0)
    assert model.small_steps(200 * largest, largest * 0.99, stiffness=1e6, damping=0).status == "ok"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joint", [{}, {"float": {"type": "free", "bodies": ["ground", "ball"]}}])
def test_a_free_body_falls(method, joint):
    """A body without a joint, and one with a free joint."""
    ball = {"shape": "sphere", "radius": 0.1, "mass": 2, "center": [0, 0, 1]}
    model = sk.SpatialModel.build(bodies={"ball": ball}, joints=joint, forces={"gravity": [0, 0, -10]})
    motion = getattr(model, method)(1.0)
    assert motion.status == "ok" and motion.position("ball")[-1] == pytest.approx([0, 0, -4], abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("axis", "spin"), [([0, 0, 1], 1.0), ([1, 0, 0], 0.0)])
def test_a_body_with_two_joints_to_the_ground(method, axis, spin):
    """A door turns on two hinges of one axis, and stands still on hinges about different axes."""
    door = {"points": ["A", "B"], "shape": "cylinder", "radius": 0.05, "mass": 1}
    joint = {"type": "revolute", "bodies": ["ground", "door"]}
    speed = {"speed": spin} if spin else {}
    model = sk.SpatialModel.build(
        points={"A": [0, 0, 0], "B": [0, 0, 1]}, bodies={"door": door}, forces={"gravity": [0, 0, -10]},
        joints={"A": {**joint, "at": "A", "axis": [0, 0, 1], **speed}, "B": {**joint, "at": "B", "axis": axis}},
    )  # fmt: skip
    motion = getattr(model, method)(0.5)
    assert motion.status == "ok" and motion.closure.max() < 1e-5
    assert motion.angular_velocity("door")[-1] == pytest.approx([0, 0, spin], abs=1e-5)


def test_a_loop_at_the_end_of_its_reach_changes_its_coordinates_or_fails():
    """The crank of a triple rocker swings to the poses where it cannot turn on: all roads turn back there."""
    pin = {"type": "revolute", "axis": [0, 0, 1]}
    places = {"A": [0, 0, 0], "B": [0, 1, 0], "C": [0.7, 1.5, 0], "D": [0.8, 0, 0]}
    rods = {"crank": "AB", "coupler": "BC", "rocker": "CD"}
    model = sk.SpatialModel.build(
        points=places,
        bodies={
            "ground": ["A", "D"],
            **{
                name: {"points": [*ends], "shape": "cylinder", "radius": 0.03, "mass": 1} for name, ends in rods.items()
            },
        },
        joints={
            "A": {**pin, "bodies": ["ground", "crank"], "at": "A"},
            "B": {**pin, "bodies": ["crank", "coupler"], "at": "B"},
            "C": {**pin, "bodies": ["coupler", "rocker"], "at": "C", "cut": True},
            "D": {**pin, "bodies": ["ground", "rocker"], "at": "D"},
        },
        forces={"gravity": [0, -9.81, 0]},
    )
    explicit, other = (model.simulate(2.0, 41, loops=loops) for loops in ("explicit", "multipliers"))
    small = model.small_steps(2.0, 1e-5, record=5000)
    assert explicit.status == other.status == small.status == "ok" and explicit.closure.max() < 1e-9
    for point in ("crank.B", "rocker.C"):
        assert explicit.position(point) == pytest.approx(other.position(point), abs=1e-6)
        assert explicit.position(point) == pytest.approx(small.position(point), abs=5e-3)
    pytest.importorskip("sympy")
    reduced = model.equations(loops="explicit", independent=["A"]).function()
    for turn in np.linspace(-np.pi, np.pi, 25):
        a = np.hypot(places["D"][0] - np.cos(np.pi / 2 + turn), np.sin(np.pi / 2 + turn))
        b, c = (np.subtract(places[p], places[q]) for p, q in ("BC", "CD"))
        reaches = abs(np.linalg.norm(b) - np.linalg.norm(c)) < a < np.linalg.norm(b) + np.linalg.norm(c)
        if reaches:
            assert np.isfinite(reduced(0.0, [turn], [1.0])[0]).all()
        else:
            with pytest.raises((ValueError, InputError)):
                reduced(0.0, [turn], [1.0])


NUMBERS = [0, -1, 1e-12, 1e-6, 1e6, 1e12, 1e300, 5e-324, np.nan, np.inf]
FACTORS = [-1, 1e-9, 1e-3, 1e3, 1e9]


def numbers_of(data, place=()):
    """Yield the place of every number of a file."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            yield from numbers_of(value, (*place, key))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield (*place, key)


@pytest.mark.parametrize("name", spatial.names())
def test_other_numbers_in_a_file_give_a_motion_a_status_or_an_input_error(name):
    """Some of thousands of such files that were tried."""
    rng = np.random.default_rng(len(name))
    text = spatial.path(name).read_text(encoding="utf-8")
    for trial in range(12):
        data = tomllib.loads(text)
        places = list(numbers_of(data))
        *path, key = places[rng.integers(len(places))]
        entry = data
        for one in path:
            entry = entry[one]
        entry[key] = float(rng.choice(NUMBERS) if trial % 2 else entry[key] * rng.choice(FACTORS))
        try:
            model = sk.SpatialModel.build(**{name: part for name, part in data.items() if name != "format"})
        except InputError:
            continue
        for run in (lambda m: m.simulate(0.005, 3, budget=30), lambda m: m.small_steps(0.001)):
            with suppress(InputError):
                motion = run(model)
                assert np.isfinite(motion.energy).all() and np.isfinite(motion.closure).all(), (entry, key)
                assert motion.status == "ok" or " " in motion.status
