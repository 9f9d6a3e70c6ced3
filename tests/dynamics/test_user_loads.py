"""Faulty user functions and tables of loads are named in a message, never by a traceback."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk


def arm(**changes: Any) -> sk.Mechanism:
    data: dict[str, Any] = {
        "title": "Arm",
        "points": {"A": (0, 0), "B": (1, 0)},
        "links": {"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}},
        "drivers": {"swing": {"joint": "A"}},
        "forces": {"gravity": (0, -9.81)},
    }
    return sk.Mechanism(**{**data, **changes})


def wind(result: Any) -> Any:
    """A user function that returns this."""

    def wind(t: Any, state: sk.Motion) -> Any:
        return result(t) if callable(result) else result

    return wind


BAD = {
    "nothing": (None, "returned NoneType", "return a list"),
    "a force alone": (sk.Force("B", [0, 1]), "returned Force", "return a list"),
    "a number": ([3.0], "expected Force or Moment, found float", "list of them"),
    "three components": ([sk.Force("B", [0, 1, 2])], r"shape \(3,\)", r"expected \(2,\) or \(n, 2\)"),
    "a moment with two": ([sk.Moment("rod", [1.0, 2.0])], r"shape \(2,\)", r"expected a number or \(n,\)"),
    "no vector": ([sk.Force("B", None)], r"is NaN|not a number|shape \(\)", ""),
    "text": ([sk.Moment("rod", "much")], "not a number: str", "N or N m"),
    "no place": ([sk.Force(None, [0, 1], "rod")], "point of a Force is of type NoneType", "or a place"),  # type: ignore[arg-type]  # bad on purpose
    "another link": ([sk.Force("B", [0, 1], "road")], "'road' is not a link", "did you mean 'rod'"),
    "nan": ([sk.Moment("rod", np.nan)], "the Moment on 'rod' is NaN at t = 0 s", ""),
    "infinite": ([sk.Moment("rod", np.inf)], "the Moment on 'rod' is inf at t = 0 s", ""),
    "half infinite": ([sk.Force("B", [1, -np.inf])], "the Force on 'rod' is -inf at t = 0 s", ""),
    "huge": ([sk.Force("B", [1, 1e300])], r"the Force on 'rod' is 1e\+300 at t = 0 s", ""),
    "half nan": ([sk.Force("B", [np.nan, 1])], "the Force on 'rod' is NaN at t = 0 s", ""),
}


@pytest.mark.parametrize("case", BAD)
def test_messages_name_the_function_and_the_time(case: str) -> None:
    result, message, hint = BAD[case]
    driven = arm(drivers={"swing": {"joint": "A", "speed": 1}}).solve(t=np.linspace(0, 1, 3))
    for call in (
        lambda: driven.forces(loads=[wind(result)]),
        lambda: arm().simulate(1.0, loads=[wind(result)]),
        lambda: arm().simulate(1.0, loads=[wind(result)], formulation="multipliers"),
    ):
        with pytest.raises(sk.InputError, match=message) as caught:
            call()
        assert caught.value.problems[0].key == "loads, wind"
        assert len(caught.value.problems) == 1
        assert "t = 0 s" in caught.value.problems[0].message
        assert hint.split("(")[0].rstrip("\\") in str(caught.value)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"integrator": "LSODA"},
    {"integrator": "Radau"},
    {"integrator": "rk4", "step": 0.01},
    {"formulation": "multipliers"},
    {"formulation": "multipliers", "stabilisation": "partitioning"},
    {"formulation": "multipliers", "integrator": "milne"},
    {"formulation": "multipliers", "integrator": "rk4", "step": 0.01},
]


@pytest.mark.parametrize("options", few(OPTIONS, 3))
@pytest.mark.parametrize("late", [False, True])
def test_loads_that_raise_or_have_no_end(options: dict[str, Any], late: bool) -> None:
    """With multipliers an infinite load once never returned; the reduced equations blamed a driver."""

    def broken(t: Any, state: sk.Motion) -> Any:
        yield sk.Moment("rod", 1.0)
        if not late or t[0] > 0.5:
            yield sk.Moment("rod", {}["size"])

    def endless(t: Any, state: sk.Motion) -> Any:
        return [sk.Moment("rod", np.where((t > 0.5) | (not late), np.inf, 1.0))]

    for load, words in ((broken, "loads, broken: raised KeyError: 'size' at t = "),
                        (endless, "loads, endless: the Moment on 'rod' is inf at t = ")):  # fmt: skip
        if late:
            r = arm().simulate(1.0, samples=11, loads=[load], **options)
            assert words + "0.5" in r.stopped and r.t[-1] == (0.5 if "step" in options else 0.4)
        else:
            with pytest.raises(sk.InputError) as caught:
                arm().simulate(1.0, samples=11, loads=[load], **options)
            assert str(caught.value.problems[0]) == words + "0 s"


def test_an_error_inside_a_function_keeps_its_cause() -> None:
    def push(t: Any, state: sk.Motion) -> Any:
        return [sk.Force("B", state.velocity("Z"))]

    motion = arm(drivers={"swing": {"joint": "A", "speed": 1}}).solve(t=[0.0, 2.0])
    with pytest.raises(sk.InputError, match=r"loads, push: raised InputError: .*Z.* from t = 0 s to t = 2 s") as caught:
        motion.forces(loads=[push])
    assert isinstance(caught.value.__cause__, sk.InputError)


@pytest.mark.parametrize("loads", [3, [3], wind([])])
def test_loads_are_a_list_of_functions(loads: Any) -> None:
    motion = arm(drivers={"swing": {"joint": "A", "speed": 1}}).solve(t=[0.0])
    for call in (lambda: motion.forces(loads=loads), lambda: arm().simulate(1.0, loads=loads)):
        with pytest.raises(sk.InputError, match=r"loads: .*; give a list of functions"):
            call()


@pytest.mark.parametrize("engine", ["auto", "compiled"])
@pytest.mark.parametrize("options", OPTIONS)
def test_a_spring_whose_force_has_no_direction_is_named(options: dict[str, Any], engine: str) -> None:
    """Its ends coincide at the start: the accelerations are NaN."""
    spring = {"type": "spring", "between": ["S", "B"], "stiffness": 10, "free_length": 0.1}
    m = arm(points={"A": (0, 0), "B": (1, 0), "S": (1, 0)}, forces={"spring": spring},
            links={"ground": ["A", "S"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}})  # fmt: skip
    with pytest.raises(
        sk.InputError, match=r"forces\.spring: its ends meet at t = 0 s, where its force has no direction"
    ):
        m.simulate(1.0, engine=engine, **options)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_spring_without_free_length_has_no_force_at_no_length(engine: str) -> None:
    """Its ends coincide at the start, and the force grows with their distance: the rod falls and swings about there."""
    spring = {"type": "spring", "between": ["S", "B"], "stiffness": 1000, "free_length": 0}
    m = arm(points={"A": (0, 0), "B": (1, 0), "S": (1, 0)}, forces={"gravity": (0, -9.81), "spring": spring},
            links={"ground": ["A", "S"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}})  # fmt: skip
    r = m.simulate(0.5, samples=51, engine=engine)
    assert not r.stopped and abs(r.energy - r.energy[0]).max() < 1e-7
    at_rest = arm(**{**m.source_dict, "drivers": {"swing": {"joint": "A", "speed": 0}}}).solve(t=[0.0])
    assert at_rest.forces().driver("swing") == pytest.approx(3 * 9.81 / 2)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_damper_acts_where_its_ends_meet(engine: str) -> None:
    """There as just before and after, along their velocity: of a rod of 1 m it takes c w in the first sample, too."""
    between = {"type": "spring", "between": ["S", "B"], "damping": 2}
    world = {"points": {"A": (0, 0), "B": (1, 0), "S": (1, 0)},
             "links": {"ground": ["A", "S"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}}}  # fmt: skip
    driven = arm(**world, forces={"spring": between}, drivers={"swing": {"joint": "A", "speed": 1.5}})
    torque = driven.solve(t=[0.0, 1e-6, 1.0]).forces().driver("swing")
    assert torque[0] == pytest.approx(2 * 1.5) and torque[:2] == pytest.approx(2 * 1.5)
    assert torque[2] == pytest.approx(2 * 1.5 * np.cos(0.75) ** 2)  # a chord turns by half the angle
    thrown = arm(**world, forces={"spring": between}, initial={"swing": {"speed": 1.5}})
    r = thrown.simulate(0.1, samples=3, engine=engine)
    assert r.alpha("rod")[0] == pytest.approx(-2 * 1.5 / 1.0)  # the moment of inertia is 1 kg m^2


def test_forces_name_the_samples_at_which_a_spring_has_no_direction() -> None:
    """A force that is not zero where the ends meet; with as much pull as push, all is known."""
    world = {"points": {"A": (0, 0), "B": (1, 0), "S": (1, 0)}, "links": {"ground": ["A", "S"], "rod": ["A", "B"]},
             "drivers": {"swing": {"joint": "A", "speed": 1}}}  # fmt: skip
    spring = {"type": "spring", "between": ["S", "B"]}
    for entry in ({"stiffness": 10, "free_length": 0.1}, {"actuator": "1 + t"}, {"stiffness": 10, "actuator": 2}):
        forces = arm(**world, forces={"spring": spring | entry}).solve(t=[0.0, 1.0]).forces()
        assert np.isnan(forces.driver("swing")).tolist() == [True, False]
        assert forces.notes == (
            "spring: its ends meet at 1 sample, where its force has no direction; forces are NaN there",
        )
    balanced = {"stiffness": 10, "free_length": 0.1, "actuator": 1}
    forces = arm(**world, forces={"spring": spring | balanced}).solve(t=[0.0, 1.0]).forces()
    assert forces.notes == () and forces.driver("swing") == pytest.approx([0.0, 10 * np.sin(1.0)])


def test_a_load_that_ends_stops_the_simulation_and_is_named() -> None:
    def late(t: Any) -> Any:
        return [sk.Moment("rod", np.where(t < 0.5, 1.0, np.nan))]

    r = arm().simulate(1.0, samples=101, loads=[wind(late)])
    assert "loads, wind: the Moment on 'rod' is NaN at t = 0.5" in r.stopped
    assert r.stopped.startswith("t = 0.5 s: ") and r.t[-1] == 0.49


def test_tables_that_end_are_named() -> None:
    push = {"type": "force", "at": "B", "direction": [0, 1], "table": [[0, 0], [0.2, 1], [0.4, 0], [0.5, 1]]}
    m = arm(forces={"push": push})
    for options in OPTIONS[:4]:
        r = m.simulate(1.0, samples=101, **options)
        assert "forces.push: has no value at t = 0.5" in r.stopped
        assert "its table covers 0 s to 0.5 s" in r.stopped
        assert r.t[-1] >= (0.49 if "step" in options else 0.5)
    driven = arm(forces={"push": push}, drivers={"swing": {"joint": "A", "speed": 1}})
    with pytest.raises(sk.InputError, match=r"forces.push: has no value at t = 0.75 s"):
        driven.solve(t=[0, 0.25, 0.75]).forces()
    torque = arm(drivers={"swing": {"joint": "A", "torque": [[0, 0], [0.2, 1], [0.4, 0], [0.5, 1]]}})
    for formulation in ("reduced", "multipliers"):
        r = torque.simulate(1.0, samples=101, formulation=formulation)
        assert "drivers.swing: its effort has no value at t = 0.5" in r.stopped
        assert r.stopped.startswith("t = 0.5 s: ") and r.t[-1] == 0.5


def test_a_law_of_time_needs_times() -> None:
    m = arm(forces={"beat": {"type": "moment", "on": "rod", "law": "sin(t)"}})
    poses = m.solve(drivers={"swing": [0.0, 1.0]})
    with pytest.raises(sk.InputError, match=r"forces.beat: has no value at sample 0; the motion has no times"):
        poses.forces(static=True)


def test_samples_without_a_pose_need_no_load() -> None:
    """Beyond the end of the driver's table the loads are not evaluated."""
    rows = [[0, 0], [0.2, 1], [0.4, 0], [0.5, 1]]
    push = {"type": "force", "at": "B", "direction": [0, 1], "table": rows}
    m = arm(forces={"push": push}, drivers={"swing": {"joint": "A", "table": rows}})
    found = m.solve(t=[0, 0.25, 0.75]).forces(
        loads=[wind(lambda t: [sk.Moment("rod", np.where(t < 0.6, 1.0, np.nan))])]
    )
    assert np.isfinite(found.driver("swing")).tolist() == [True, True, False]
    assert found.motion.ok.tolist() == [True, True, False]


@pytest.mark.parametrize("integrator", ["euler", "rk2", "rk4", "abm4", "gear4"])
def test_a_torque_that_grows_from_zero_is_not_an_energy_jump(integrator: str) -> None:
    """From rest the power begins with zero, and grows with the cube of time: J = 1 kg m^2, a'' = t, a = t^3 / 6."""
    m = arm(drivers={"swing": {"joint": "A", "torque": "t"}}, forces={})
    r = m.simulate(0.6, samples=4, integrator=integrator, step=0.01)
    assert not r.stopped
    assert r.angle("rod") == pytest.approx(r.t**3 / 6, abs=3e-3)


def test_loads_may_come_from_any_iterable() -> None:
    """A generator can be read only once: it was used up by the check of the argument."""
    drag = wind([sk.Force("B", [0.0, 5.0])])
    expected = arm().simulate(1.0, samples=3, loads=[drag])
    for loads in ((one for one in [drag]), iter([drag]), filter(None, [drag])):
        assert np.array_equal(arm().simulate(1.0, samples=3, loads=loads).angle("rod"), expected.angle("rod"))
    motion = arm(drivers={"swing": {"joint": "A", "speed": 1}}).solve(t=[0.0, 1.0])
    held = motion.forces(loads=iter([drag])).driver("swing")
    assert np.array_equal(held, motion.forces(loads=[drag]).driver("swing"))


@pytest.mark.parametrize("vector", [5, [5.0], [[5.0]]])
def test_a_force_has_two_components(vector: Any) -> None:
    """One number was taken for both of them in simulations."""
    for options in ({}, {"formulation": "multipliers"}):
        with pytest.raises(sk.InputError, match=r"the Force on 'rod' has a size of shape .* expected \(2,\)"):
            arm().simulate(1.0, loads=[wind([sk.Force("B", vector)])], **options)


@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_what_a_load_may_read(formulation: str) -> None:
    """The drivers' values and rates are known with every formulation; accelerations, which loads cause, are NaN."""
    seen: list[list[float]] = []

    def read(t: Any, state: sk.Motion) -> Any:
        z = state.drivers["swing"][:, 0]
        assert z[0] == pytest.approx(state.turn("rod")[0]) and z[1] == pytest.approx(state.omega("rod")[0])
        seen.append([*state.acceleration("B")[0], state.alpha("rod")[0]])
        return []

    arm(initial={"swing": {"value": 1, "speed": 2}}).simulate(0.1, samples=2, loads=[read], formulation=formulation)
    assert np.isnan(seen).all()
    with pytest.raises(sk.InputError, match="Force on 'rod' is NaN"):
        arm().simulate(0.1, loads=[lambda t, state: [sk.Force("B", state.acceleration("B"))]], formulation=formulation)


def test_arguments_are_checked_together() -> None:
    with pytest.raises(sk.InputError, match="more may appear") as caught:
        arm().simulate(t=np.timedelta64(1, "s"), integrator=["rk4"], progress=3, alpha="x", loads="abc")
    assert [problem.key for problem in caught.value.problems] == ["t", "integrator", "progress", "alpha", "loads"]
    with pytest.raises(sk.InputError) as caught:
        arm().simulate(
            engine="foo", integrator="rk5", t=-1, max_steps=0, rtol=1e-30, formulation="multipliers",
            stabilisation="bar", gains="baz", beta=-1, loads=[wind([]), wind([])],
        )  # fmt: skip
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["engine", "integrator", "rtol", "max_steps", "stabilisation", "beta", "gains", "t"]
    for item in (sk.Moment(["rod"], 1), sk.Force("B", [0, 1], ["rod"])):  # type: ignore[arg-type]  # bad on purpose
        with pytest.raises(sk.InputError, match="is not a link"):
            arm().simulate(1.0, loads=[wind([item])])
    assert expected_steps(arm(), max_steps=100) < expected_steps(arm(), max_steps=1000)


def expected_steps(m: sk.Mechanism, max_steps: int) -> int:
    """The evaluations of a simulation whose step is far too small."""
    r = m.simulate(1.0, samples=2, integrator="rk4", step=1e-12, max_steps=max_steps)
    assert f"{max_steps} steps taken" in r.stopped
    return r.integration.evaluations


def test_a_start_without_friction_looks_at_none() -> None:
    """Only methods of one step shorten steps where a joint reverses; the start was evaluated once more for them."""
    counts = {}
    for integrator in ("LSODA", "DOP853"):
        times = list[float]()
        arm().simulate(
            0.1, samples=2, integrator=integrator, loads=[lambda t, _, to=times: to.append(float(t[0])) or []]
        )
        counts[integrator] = times.count(0.0)
    assert counts["DOP853"] == counts["LSODA"]


STEPS = [[0, 0], [1.2, 0], [1.2001, 200], [1.2019, 200], [1.202, 0], [5, 0]]

#: Moments of some milliseconds, and their integrals [N m s].
BLOWS = [
    ({"law": "100*(1 + sign((t - 1.2)*(1.202 - t)))"}, 0.4),
    ({"law": "-1000*exp(-((t - 3)/0.01)**2)"}, -10 * np.sqrt(np.pi)),
    ({"table": STEPS}, 0.38),
]
SOLVERS: list[dict[str, Any]] = [{}, {"integrator": "Radau"}, {"integrator": "LSODA"}, {"formulation": "multipliers"}]


@pytest.mark.parametrize("options", few(SOLVERS, 2))
@pytest.mark.parametrize(("blow", "impulse"), BLOWS)
def test_no_step_passes_over_a_blow(blow: dict[str, Any], impulse: float, options: dict[str, Any]) -> None:
    """A flywheel of 1 kg m^2 that is at rest before and free after: nothing else keeps the steps short."""
    wheel = arm(forces={"blow": {"type": "moment", "on": "rod", **blow}})
    r = wheel.simulate(5.0, samples=3, **options)
    assert r.omega("rod")[-1] == pytest.approx(impulse, rel=1e-5)


def test_a_table_of_a_load_stays_between_its_rows() -> None:
    """A spline through a step of 40 N m swung to 3,900 N m."""
    push = {"type": "moment", "on": "rod", "table": [[0, 0], [0.499, 0], [0.501, 40], [1, 40]]}
    m = arm(forces={"push": push}, drivers={"swing": {"joint": "A", "speed": 0}})
    effort = -m.solve(t=np.linspace(0, 1, 1001)).forces().driver("swing")
    assert effort.min() == 0 and effort.max() == 40
    assert (np.diff(effort) >= 0).all()
