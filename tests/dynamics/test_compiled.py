"""The compiled equations of motion: the same numbers as with NumPy, also over whole runs at a fixed step."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from cam_samples import KINDS, eccentric
from flat import slider_crank, slider_crank_angle, windows, windows_angle
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import burdened, released
from test_contacts import ball, pair

import structkin as sk
from structkin.bench.dynamics.cases import four_bar as conservative_four_bar
from structkin.dynamics.compiled.curves_at import on_curve
from structkin.dynamics.compiled.memory import Lists, Memory
from structkin.dynamics.compiled.packing import Laws, curve_parts, packed
from structkin.dynamics.compiled.source import compiled_equations, plain_equations
from structkin.dynamics.reduced import reduced_equations
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.reduced.reduced_equations import Instant, Reduced
from structkin.dynamics.simulate import expected_evaluations
from structkin.dynamics.start import initial_state, start, with_coordinates
from structkin.groups import General
from structkin.joints.splines import open_spline, spline
from structkin.model.expression import Expression
from structkin.model.laws import ExpressionLaw, ScaledLaw, TableLaw
from structkin.model.tape import FUNCTIONS
from structkin.rows.jet import Jet
from structkin.rows.plane_curve import PlaneCurve

pytestmark = pytest.mark.compiled


def four_bar(speed: float = 4.0) -> sk.Mechanism:
    rod = {"shape": "rod", "mass": 1}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 2), "C": (4.6, 5.8), "D": (6, 0)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], **rod},
            "coupler": {"points": ["B", "C"], **rod},
            "rocker": {"points": ["C", "D"], **rod},
        },
        drivers={"q": {"joint": "A", "torque": "2*sin(t)"}},
        forces={
            "gravity": (0, -9.81),
            "s": {"type": "spring", "between": ["B", "D"], "stiffness": 3, "free_length": 5, "damping": 0.4},
            "c": {"type": "torsion", "links": ["ground", "rocker"], "stiffness": 2, "damping": 0.3},
        },
        initial={"q": {"speed": speed}},
    )


def careful(equations: Reduced, t: float, y: Any) -> Instant:
    """Everything at a state, with pose, K and z'^T L z' from the groups and not from the text."""
    equations._machine.mem.put(aside=1)
    return equations.at(t, y)


def agree(seed: int, *, groups: bool = False) -> bool:
    """Compare all numbers at some instants of a motion; return whether there were any.

    General groups take long to compile, as each is compiled separately.
    """
    m = released(seed, 1)
    try:
        equations, compiled = start(m, 0.0, (), engine="python"), start(m, 0.0, (), engine="compiled")
    except sk.InputError:
        return False
    if not groups and any(isinstance(step.kind, General) for step in compiled.plan.steps):
        return False
    y, roots = np.array(initial_state(m, equations)), []
    try:
        compiled.at(0.0, y)
    except NoPoseError:
        with pytest.raises(NoPoseError):
            equations.at(0.0, y)
        return False
    for k in range(4):
        t = 1e-3 * k
        try:
            expected = careful(equations, t, y)
        except NoPoseError:
            with pytest.raises(NoPoseError):
                compiled.at(t, y)
            return k > 0
        found = compiled.at(t, y)
        # Sums of large terms that cancel are only as exact as the terms.
        size = np.max(np.abs(expected.x), axis=(1, 2), keepdims=True)
        np.testing.assert_allclose(found.x / size, expected.x / size, atol=1e-11)
        np.testing.assert_allclose(found.z, expected.z, rtol=1e-10, atol=1e-10 * np.max(np.abs(expected.z)))
        scale = np.max(np.abs(expected.effort))
        np.testing.assert_allclose(found.effort / scale, expected.effort / scale, atol=1e-9)
        np.testing.assert_allclose(found.kinetic, expected.kinetic, rtol=1e-11)
        np.testing.assert_allclose(compiled(t, y), equations(t, y), rtol=1e-10, atol=1e-10)
        assert equations.poses.last is not None
        roots.append(equations.poses.last.roots)
        y = y + 1e-3 * equations(t, y)
    # A path on which a group turns far is left to the NumPy equations.
    assert compiled.handed_over <= 3 or np.max(np.abs(np.diff(roots, axis=0))) > 0.03
    return True


@settings(max_examples=1, deadline=None, derandomize=True, database=None)  # each compiles its kinds of steps
@given(st.integers(0, 10**6))
def test_random_mechanisms_match_numpy(seed: int) -> None:
    agree(seed)


@pytest.mark.full
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_more_random_mechanisms_match_numpy(seed: int) -> None:
    agree(seed)


@pytest.mark.slow
def test_many_random_mechanisms_match_numpy() -> None:
    assert sum(map(agree, range(1000))) > 300


@pytest.mark.slow
def test_general_groups_match_numpy() -> None:
    assert sum(agree(seed, groups=True) for seed in range(20)) > 12


# --- laws ---------------------------------------------------------------------------------------------------


def law_at(law: Any, t: float) -> tuple[float, float, float]:
    """Value, rate and second rate of a law by the compiled functions; those of plain Python are the same."""
    laws = Laws()
    number = laws.add(law)
    mem = Memory(laws.parts())
    found = tuple(compiled_equations()["law_at"](mem.I, mem.D, number, t))
    with suppress(ArithmeticError, ValueError):
        np.testing.assert_array_equal(plain_equations()["law_at"](Lists(mem), number, t), found)
    return found


ATOMS = st.sampled_from(["t", "2", "0.5", "pi", "(t + 2)", "1.25"])
ONE = st.sampled_from([*FUNCTIONS])


@st.composite
def formulas(draw: Any, depth: int = 0) -> str:
    if depth > 2 or draw(st.booleans()):
        return str(draw(ATOMS))
    a = draw(formulas(depth + 1))
    match draw(st.integers(0, 4)):
        case 0:
            return f"{draw(ONE)}({a})"
        case 1:
            return f"{draw(st.sampled_from(['min', 'max']))}({a}, {draw(formulas(depth + 1))})"
        case 2:
            return f"({a})**{draw(st.sampled_from(['2', '-1', '0.5', '3', '(t + 1)']))}"
        case 3:
            return f"-({a})"
        case _:
            return f"({a} {draw(st.sampled_from('+-*/'))} {draw(formulas(depth + 1))})"


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(formulas(), st.floats(0.1, 3.0))
def test_formulas_have_the_values_and_rates_of_the_model(text: str, t: float) -> None:
    try:
        expected = [float(np.asarray(x).item()) for x in Expression(text)(np.array([t]))]
    except ValueError:
        return  # not a formula: a constant part is not finite
    if not np.isfinite(expected).all() or max(map(abs, expected)) > 1e12:
        return
    found = law_at(ExpressionLaw(Expression(text), 2.0), t)
    np.testing.assert_allclose(np.array(found) / 2, expected, rtol=1e-9, atol=1e-9)


def test_tables_and_scaled_laws() -> None:
    times = (0.0, 0.4, 1.0, 1.7, 2.0)
    law = TableLaw(times, (0.0, 1.0, 0.5, -1.0, 2.0))
    for t in (0.0, 0.4, 0.7, 1.99, 2.0, 2.0 + 4e-16, -1e-13):
        expected = [float(x[0]) for x in law(np.array([t]))]
        np.testing.assert_allclose(law_at(ScaledLaw(law, -3.0), t), np.multiply(-3.0, expected), rtol=1e-12, atol=1e-12)
    assert np.isnan(law_at(law, 2.001)).all() and np.isnan(law_at(law, -0.001)).all()


# --- runs ---------------------------------------------------------------------------------------------------


def chain(count: int) -> sk.Mechanism:
    """An open chain with a branch in its middle; all links are free."""
    names = [f"P{k}" for k in range(count + 1)]
    rod = {"shape": "rod", "mass": 1.0}
    turns = np.cumsum(np.random.default_rng(count).uniform(-0.8, 0.8, count))
    places = np.concatenate(([0j], np.cumsum(0.3 * np.exp(1j * turns))))
    at = {name: (z.real, z.imag) for name, z in zip(names, places, strict=True)}
    middle = at[names[count // 2]]
    bars = {f"bar{k}": {"points": names[k : k + 2], **rod} for k in range(count)}
    return sk.Mechanism(
        points={**at, "Q": (middle[0], middle[1] + 0.4)},
        links={"ground": ["P0"], **bars, "twig": {"points": [names[count // 2], "Q"], **rod}},
        forces={"gravity": (0, -9.81)},
    )


@pytest.mark.full
def test_a_chain_of_many_links_costs_no_more_terms_than_links() -> None:
    m = with_coordinates(chain(24))
    equations, compiled = start(m, 0.0, (), engine="python"), start(m, 0.0, (), engine="compiled")
    assert len(packed(compiled).mem.mass_row) <= 4 * len(m.links)
    y = np.array(initial_state(m, equations))
    y[len(y) // 2 :] = np.linspace(-1, 1, len(y) // 2)
    expected = careful(equations, 0.0, y).z[equations.free, 2]
    for _ in range(2):
        np.testing.assert_allclose(compiled(0.0, y)[len(y) // 2 :], expected, rtol=1e-10, atol=1e-9)
    assert compiled.handed_over == 1
    runs = [
        m.simulate(0.1, samples=3, engine="compiled", formulation=how, rtol=1e-9) for how in ("reduced", "multipliers")
    ]
    for name in ("P24", "Q"):
        np.testing.assert_allclose(runs[0].position(name), runs[1].position(name), atol=1e-7)


def both(m: sk.Mechanism, t: Any, **options: Any) -> tuple[sk.Simulation, sk.Simulation]:
    return m.simulate(t, engine="python", **options), m.simulate(t, engine="compiled", **options)


@pytest.mark.parametrize("name", ["euler", "rk2", "rk4", "abm4", "gear4"])
def test_runs_at_a_fixed_step_match_numpy(name: str) -> None:
    plain, fast = both(four_bar(), [0, 0.3, 0.6], integrator=name, step=0.02)
    np.testing.assert_allclose(fast.lanes.x, plain.lanes.x, rtol=1e-9, atol=1e-9)
    for id, effort in plain.efforts.items():
        np.testing.assert_allclose(fast.efforts[id], effort, atol=1e-9)
    assert fast.integration.steps == plain.integration.steps


def test_adaptive_runs_match_numpy() -> None:
    plain, fast = both(four_bar(), [0, 0.3, 0.6], rtol=1e-8)
    assert np.max(np.abs(fast.position("C") - plain.position("C"))) < 1e-12
    assert fast.integration.steps == plain.integration.steps


def test_through_change_points_with_k_and_l_there() -> None:
    """The windows of benchmark A02 with a five-stage integrator, also at an output close to the flat pose."""
    t = np.linspace(0, 3, 61)
    r = windows(5).simulate(t, integrator="rk4", step=5e-3, engine="compiled")
    exact = windows_angle(5, t)
    for k in range(6):
        np.testing.assert_allclose(np.unwrap(r.angle(f"crank{k}")), exact, atol=2e-7)
    assert r.lanes.around is not None and r.ok.all()
    np.testing.assert_allclose(r.K("B4")[:, :, 0], np.stack((-np.sin(exact), np.cos(exact)), axis=1), atol=1e-6)
    np.testing.assert_allclose(r.L("B4")[:, :, 0, 0], -np.stack((np.cos(exact), np.sin(exact)), axis=1), atol=1e-6)


def test_through_dead_points() -> None:
    """The slider drives: the coordinate changes at the ends of its travel, and changes back later."""
    data = slider_crank().source_dict
    data |= {"drivers": {"travel": {"joint": "guide"}}, "initial": {"travel": {"speed": -4.0}}}
    t = np.linspace(0, 2, 21)
    r = sk.Mechanism.from_dict(data).simulate(t, rtol=1e-10, engine="compiled")
    assert np.max(np.abs(np.unwrap(r.angle("crank")) - slider_crank_angle(t))) < 1e-7


@pytest.mark.parametrize("options", [{}, {"integrator": "rk4", "step": 5e-3}, {"integrator": "gear4", "step": 5e-3}])
@pytest.mark.parametrize("make", [four_bar, lambda: windows(2), lambda: ball(restitution=0.5)])
def test_a_run_goes_on_compiled_without_changing_a_bit(
    make: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where bodies meet, and through flat poses."""
    m, switched = make(), []
    alone = [m.simulate(1.2, samples=13, engine=engine, **options) for engine in ("python", "compiled")]
    compile_ = reduced_equations.Machine._compile
    monkeypatch.setattr(
        reduced_equations.Machine, "_compile", lambda self, mem: (switched.append(mem.count), compile_(self, mem))
    )
    for name in ("LOADED", "STORED", "NEW"):
        monkeypatch.setattr(reduced_equations, name, 2e-3)
    both = m.simulate(1.2, samples=13, **options)
    assert switched and 0 < switched[0] < both.integration.evaluations
    for one in alone:
        assert np.array_equal(one.lanes.x, both.lanes.x, equal_nan=True)
        assert one.integration.evaluations == both.integration.evaluations


def test_the_work_with_multipliers_is_estimated() -> None:
    m = four_bar()
    equations = start(m, 0.0, ())
    y = np.array(initial_state(m, equations))
    expected = expected_evaluations(equations, y, np.array([0.0, 4.0]), "DOP853", None, 1e-9, 1000)
    found = m.simulate(4.0, samples=2, engine="python").integration.evaluations
    assert 0.3 < expected / found < 3


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_failed_path_leaves_no_trace(engine: str) -> None:
    """The text does not reach beyond the flat pose of the windows: it then stays at the last pose reached."""
    equations = start(windows(2), 0.0, (), engine=engine)
    equations.at(0.0, np.array([0.5, -1.0]))
    assert equations.handed_over == 1
    mem, parts = equations._machine.mem, ("kept", "roots", "last")
    before = [np.array(getattr(mem, part)) for part in parts]
    assert not equations._machine("evaluate", 0.1, np.array([-0.5, -1.0]), 1)
    for part, values in zip(parts, before, strict=True):
        np.testing.assert_array_equal(getattr(mem, part), values)


def test_small_simulations_never_import_numba() -> None:
    code = """
import sys, structkin as sk
rod = {"points": ["A", "B"], "point_masses": {"B": 1}}
m = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "rod": rod},
                 drivers={"q": {"joint": "A"}}, forces={"gravity": [0, -9.81]})
m.simulate(0.1, samples=3)
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_users_functions_run_as_plain_python() -> None:
    def push(t: Any, state: sk.Motion) -> Any:
        return [sk.Force("C", (1.0, 0.0))]

    plain, fast = both(four_bar(), [0, 0.02], loads=[push])
    np.testing.assert_array_equal(fast.lanes.x, plain.lanes.x)


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(sk.InputError, match="engine"):
        four_bar().simulate(1.0, engine="fortran")


def test_a_step_that_is_too_large_stops_as_with_numpy() -> None:
    plain, fast = both(four_bar(speed=30), 10.0, integrator="euler", step=0.02)
    assert plain.stopped and plain.stopped == fast.stopped


def test_max_steps_counts_as_with_numpy() -> None:
    plain, fast = both(four_bar(), [0, 0.1, 0.2], integrator="rk4", step=1e-3, max_steps=150)
    assert plain.stopped == fast.stopped and len(plain) == len(fast) == 2
    assert plain.integration.steps == fast.integration.steps


@pytest.mark.slow
def test_a_million_steps_keep_the_joints_closed() -> None:
    m = conservative_four_bar()
    r = m.simulate([0, 500.0, 1000.0], integrator="rk4", step=1e-3, max_steps=2_000_000, engine="compiled")
    assert not r.stopped and r.integration.steps == 1_000_000
    assert np.max(r.violation) <= 1e-12
    assert np.ptp(r.energy) < 1e-4 * np.max(np.abs(r.energy))


@pytest.mark.parametrize("method", ["rk4", "abm4", "gear4"])
def test_chunks_of_compiled_steps_do_not_change_the_motion(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code returns after a number of steps; the motion does not depend on that number by a single bit."""
    found = []
    for turn in (10**12, 100):
        monkeypatch.setattr("structkin.dynamics.reduced.reduced_equations.TURN", turn)
        for m in (four_bar(), windows(2)):
            r = m.simulate(1.5, samples=2, integrator=method, step=1e-3, engine="compiled")
            found.append((r.stopped, r.integration.steps, r.lanes.x))
    for one, other in zip(found[:2], found[2:], strict=True):
        assert one[:2] == other[:2] and np.array_equal(one[2], other[2])


def test_a_long_compiled_interval_can_be_interrupted() -> None:
    """Five minutes of steps between two outputs: an interrupt once took effect only at their end."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    four_bar().simulate(0.01, samples=2, integrator="rk4", step=1e-3, engine="compiled")
    before = signal.signal(signal.SIGPROF, interrupt)
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, 1.0)
    try:
        with pytest.raises(KeyboardInterrupt):
            four_bar().simulate(30.0, samples=2, integrator="rk4", step=1e-6, engine="compiled", max_steps=10**9)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    assert time.process_time() - began < 20


@pytest.mark.parametrize("restitution", [1.0, 0.6])
def test_a_pin_that_bounces_in_its_bore(restitution: float) -> None:
    """Contacts, the speeds at which bodies meet and the steps that end there, with both engines."""
    first, second = (
        pair(True, restitution=restitution, friction=0.2, transition=0.01).simulate(0.3, samples=7, engine=engine)
        for engine in ("python", "compiled")
    )
    for point in ("P", "Q"):
        np.testing.assert_allclose(second.velocity(point), first.velocity(point), atol=1e-6)
    np.testing.assert_allclose(second.impacts["hit"], first.impacts["hit"], rtol=1e-6)
    assert np.ptp(first.velocity("P")[:, 0]) > 1


# --- curves -------------------------------------------------------------------------------------------------


def wedge() -> sk.Mechanism:
    """A wedge with a curved face pushes a roller lever, which lifts a ram."""
    return sk.Mechanism(
        points={"W": (0, 0), "Q": (0.04, 0.04), "H": (-0.06, 0.06), "T": (0.06, 0.07), "S": (0.075, 0.13)},
        links={
            "ground": ["H"],
            "wedge": {"points": ["W"], "mass": 3},
            "lever": {"points": ["H", "Q", "T"], "shape": "plate", "mass": 1},
            "rod": {"points": ["T", "S"], "shape": "rod", "mass": 0.3},
            "ram": {"points": ["S"], "mass": 2},
        },
        joints={
            "ways": {"type": "prismatic", "links": ["wedge", "ground"], "at": "W", "axis": [1, 0]},
            "face": {
                "type": "pin-in-slot", "pin": "Q", "slot": "wedge",
                "through": [[-0.06, 0.02], [-0.02, 0.024], [0.04, 0.04], [0.09, 0.062], [0.14, 0.07]],
            },
            "guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "S", "axis": [0, 1]},
        },
        drivers={"push": {"joint": "ways"}},
        forces={"gravity": (0, -9.81)},
    )  # fmt: skip


@pytest.mark.parametrize("closed", [False, True])
def test_curves_are_those_of_the_rows(closed: bool) -> None:
    """Distances with two derivatives against the jets of the rows; feet are followed, also beyond open ends."""
    x, y = np.array([[0.0, 1.0, 1.6, 0.7, -0.4], [0.0, 0.3, 1.1, 1.9, 1.2]])
    u = np.linspace(0, 2 * np.pi, 5 + closed)
    curve = PlaneCurve(*(spline(u[:-1], part) if closed else open_spline(u, part) for part in (x, y)), closed=closed)
    lists, axes = Lists(Memory(curve_parts([curve]))), ((1.0, 0.0), (0.0, 1.0))
    for k, at in enumerate(np.linspace(0.0 if closed else -0.3, 6.5, 60)):
        (x, y), (tx, ty) = (part.ravel() for part in curve.at(np.array([at]), 2))
        away = 0.02 * np.sin(5 * k) / np.hypot(tx, ty)
        place = float(x - away * ty), float(y + away * tx)
        d, *found = on_curve(lists, 0, *place)
        pairs = [(axes[0], axes[0]), (axes[0], axes[1]), (axes[1], axes[1])]
        jets = [
            curve.distance(tuple(Jet([np.array([z]) for z in part]) for part in zip(place, a, b, (0, 0), strict=True)))
            for a, b in pairs
        ]
        expected = [float(part[0]) for part in (*jets[1].parts[:3], *(jet.parts[3] for jet in jets))]
        np.testing.assert_allclose([d, *found], expected, rtol=1e-9, atol=1e-9)
        assert lists.new_feet[0] % (2 * np.pi) == pytest.approx(float(curve.foot(*place)) % (2 * np.pi), abs=1e-9)


@pytest.mark.full
def test_a_slot_along_a_curve_is_compiled_like_the_rest() -> None:
    """The motion of the equations with multipliers; no pose is left to the general elimination."""
    plain, fast = both(wedge(), [0, 0.1, 0.2, 0.3])
    other = wedge().simulate([0, 0.1, 0.2, 0.3], formulation="multipliers", rtol=1e-10)
    np.testing.assert_array_equal(fast.lanes.x, plain.lanes.x)
    for point in "WQTS":
        np.testing.assert_allclose(plain.position(point), other.position(point), atol=1e-7)
    assert all(packed(start(wedge(), 0.0, ())).kinds)


@pytest.mark.full
def test_cams_are_compiled_like_the_rest() -> None:
    """A valve on a cam that an arm carries, and a lever tilted by the arm: the motion with multipliers."""
    law = [
        {"motion": "cycloidal", "over": 2.0, "to": 0.2},
        {"motion": "dwell", "over": 1.0},
        {"motion": "3-4-5", "over": 2.0, "to": 0.0},
        {"motion": "dwell", "over": 2 * np.pi - 5},
    ]
    rod, cam = {"shape": "rod", "mass": 0.3}, {"type": "cam", "law": law, "start": 1.0}
    m = sk.Mechanism(
        points={
            "A": (0, 0), "B": (1, 0), "Q": (1, 0.6), "T": (1, 1.5), "F": (-0.5, 0.4), "G": (0.5, 0.4), "H": (-0.9, 0.4),
        },
        links={
            "ground": ["A", "H"],
            "arm": {"points": ["A", "B"], **rod},
            "disc": {"points": ["B"], "mass": 1, "center": (1, 0.1), "inertia": 0.1},
            "valve": {"points": ["Q", "T"], **rod},
            "lever": {"points": ["H", "F", "G"], **rod},
        },
        joints={
            "guide": {"type": "prismatic", "links": ["valve", "arm"], "at": "T", "axis": (0, 1)},
            "lift": {**cam, "cam": "disc", "follower": "valve", "at": "Q", "radius": 0.1},
            "tilt": {**cam, "cam": "arm", "follower": "lever", "face": ["F", "G"]},
        },
        drivers={"q": {"joint": "A"}, "p": {"joint": "B"}},
        forces={"gravity": (0, -9.81)},
        initial={"q": {"speed": -1.0}, "p": {"speed": 3.0}},
    )  # fmt: skip
    plain, fast = both(m, [0, 0.3, 0.6, 0.9], rtol=1e-10)
    other = m.simulate([0, 0.3, 0.6, 0.9], formulation="multipliers", rtol=1e-10)
    np.testing.assert_array_equal(fast.lanes.x, plain.lanes.x)
    for point in "QTG":
        np.testing.assert_allclose(plain.acceleration(point), other.acceleration(point), atol=1e-6)
    assert all(packed(start(m, 0.0, ())).kinds)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "contact"), KINDS)
def test_profiles_of_cams_are_compiled_like_the_rest(kind: str, contact: str) -> None:
    """An eccentric given by radii, whose shaft begins a turn and a half away: the motion with multipliers."""
    data = burdened(json.loads(json.dumps(eccentric(contact, kind).source_dict)), 1).source_dict
    data["drivers"] = {"motor": {"joint": "A"}}
    m = sk.Mechanism(**data, initial={"motor": {"value": 9.0, "speed": -2.0}})
    plain, fast = both(m, [0, 0.3, 0.6, 0.9], rtol=1e-10)
    other = m.simulate([0, 0.3, 0.6, 0.9], formulation="multipliers", rtol=1e-10)
    np.testing.assert_array_equal(fast.lanes.x, plain.lanes.x)
    np.testing.assert_allclose(plain.acceleration("Q"), other.acceleration("Q"), atol=1e-6)
    assert all(packed(start(m, 0.0, ())).kinds)


@pytest.mark.parametrize("law", ["sqrt(t)", "t**0.5", "5*(0.1 - t)**0.5", "asin(1 - t)", "t*log(t + 1e-9)"])
def test_a_load_is_used_where_only_its_rate_is_infinite(law: str) -> None:
    """A bar under a force: plain Python refused sqrt(t) at t = 0, and (0.1 - t)**0.5 became complex after 0.1 s."""
    push = {"type": "force", "on": "bar", "at": "B", "direction": [0, 1], "law": law}
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)}, forces={"push": push},
        links={"ground": ["A"], "bar": {"points": ["A", "B"], "shape": "rod", "mass": 2}},
        drivers={"swing": {"joint": "A"}},
    )  # fmt: skip
    plain, fast = (m.simulate(0.2, samples=5, engine=engine) for engine in ("python", "compiled"))
    assert plain.stopped == fast.stopped and ("no value" in plain.stopped) == law.startswith("5")
    np.testing.assert_array_equal(plain.lanes.x, fast.lanes.x)
