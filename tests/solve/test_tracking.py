"""Tracking of general groups: kernels and LAPACK's elimination lead to the same poses for any samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, OTHERS, build

import structkin as sk
from structkin.bench.groups import platforms
from structkin.examples import path
from structkin.groups import General
from structkin.kernels.symbols import Graph
from structkin.plan.status import Status
from structkin.solve import compile_plan
from structkin.solve import engine as running
from structkin.solve.tracking import fill, group_solvers, stepping
from structkin.solve.tracking.direct import Direct
from structkin.solve.tracking.group_solvers import Kernels, group_solver_of
from structkin.solve.tracking.input_path import InputPath, path_length
from structkin.solve.tracking.intervals import Intervals
from structkin.solve.tracking.solved_lanes import Poses, go_straight, reach, step

seeds = st.integers(0, 10**6)


def driven(m: Any, angles: Any, engine: str = "python") -> Any:
    """The motion over given values of the one driver."""
    (id,) = m.drivers
    return m.solve(drivers={id: angles}, engine=engine)


def general_of(m: Any) -> Any:
    (found,) = [item for item in compile_plan(m).steps if isinstance(item.kind, General)]
    return found


def three_platforms() -> Any:
    return platforms(1, 1)


@pytest.mark.full
@settings(max_examples=6, deadline=None, derandomize=True)
@given(seed=seeds)
def test_kernels_and_lapack_track_alike(seed):
    check_both_solvers(seed, 60)


@pytest.mark.full
@settings(phases=[Phase.explicit], deadline=None)
@given(seed=seeds)
@example(seed=2604)
def test_the_way_back_behind_a_gap_ends_at_the_next_one(seed):
    # That is a sample before the motion is resumed: a long step of one solver passed over it, and the motion went on.
    check_both_solvers(seed, 400)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(seed=seeds)
def test_kernels_and_lapack_track_alike_for_long(seed):
    check_both_solvers(seed, 400)


def check_both_solvers(seed: int, samples: int) -> None:
    """Random walks of the drivers: the same statuses, and the same poses to rounding."""
    m = build(seed, 1, menu=OTHERS, first=DRIVEN).mechanism()
    assume(compile_plan(m).tracked)
    rng = np.random.default_rng(seed)
    path = np.cumsum(rng.normal(0, 0.02, (len(m.drivers), samples)), axis=1)
    values = {
        id: drive.start + path[k] * (1.0 if drive.kind == "angle" else 0.5)
        for k, (id, drive) in enumerate(m.drivers.items())
    }
    kernels = m.solve(drivers=values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "group_solver_of", lambda form, known, compiled: Direct(form, known))
        direct = m.solve(drivers=values)
    # Beyond a limit, one may resume the motion a sample before the other, where the step barely converges.
    differ = np.flatnonzero(kernels.status != direct.status)
    lost = (kernels.status == Status.OUT_OF_REACH) & (direct.status == Status.OUT_OF_REACH)
    assert len(differ) <= samples // 200 and (lost[differ - 1] | lost[np.minimum(differ + 1, samples - 1)]).all()
    ok = kernels.ok & direct.ok
    sigma = float(np.sqrt(np.min(np.abs(kernels.lanes.least), initial=1.0)))
    tolerance = 1e-13 * max(1.0, kernels.size) / max(sigma, 1e-6)
    np.testing.assert_allclose(kernels.lanes.x[0][:, ok], direct.lanes.x[0][:, ok], rtol=0, atol=tolerance)


@settings(max_examples=15, deadline=None)
@given(seed=seeds, count=st.sampled_from([1, 2]))
def test_one_call_takes_the_same_steps_as_single_calls(seed, count):
    """One call over many continuation points ends or stops where single steps by LAPACK's elimination do."""
    item = general_of(platforms(count))
    kernels, direct = group_solver_of(item.kind, item.known), Direct(item.kind, item.known)
    rng, rows = np.random.default_rng(seed), Direct(item.kind, item.known)
    places = np.array(item.start[: 2 * item.kind.rows.links])
    origins, units = places[0::2], places[1::2]
    s = rows.join(np.stack((origins.real, origins.imag), axis=1)[:, :, None], np.angle(units)[:, None])
    turn = np.cumsum(rng.uniform(-1.4, 1.4, 12))
    h = np.concatenate((np.array([[0.15], [0.0]]), 0.15 * np.stack((np.cos(turn), np.sin(turn)))), axis=1)
    s, change, side = kernels.newton(h[:, :1], s)
    assert change[0] < 1e-8
    found, sides = kernels.steps(h, s[:, 0], float(np.sign(side[0])), 0.0)
    pose = Poses(h[:, :1], s, direct.newton(h[:, :1], s, 1)[2])
    for k in range(12):
        good, pose = step(direct, pose, h[:, k + 1 : k + 2])
        assert good[0] == (k < len(sides))
        if not good[0]:
            break
        np.testing.assert_allclose(found[:, k], pose.s[:, 0], atol=1e-12)
    none, nothing = direct.steps(h, s[:, 0], 1.0, 0.0)
    assert none.shape == (len(s), 0) and not len(nothing)


def test_steps_stop_after_a_doubtful_one_and_before_a_limit():
    item = general_of(three_platforms())
    solver = group_solver_of(item.kind, item.known)
    places = np.array(item.start[:2])
    origin = np.array([[[places[0].real], [places[0].imag]]])
    s = Direct(item.kind, item.known).join(origin, np.angle(places[1:])[:, None])
    h = np.array([[0.15], [0.0]]) + np.array([[0.0], [-0.1]]) * np.arange(80)
    s, _, side = solver.newton(h[:, :1], s)
    start = float(np.sign(side[0]))
    poses, sides = solver.steps(h, s[:, 0], start, 0.0)
    # The foot of the first leg goes down until the legs are stretched.
    assert 0 < len(sides) < 79 and (start * sides > 0).all() and poses.shape == (4, len(sides))
    doubtful = float(np.sort(np.abs(sides))[len(sides) // 2])
    stopped = solver.steps(h, s[:, 0], start, doubtful)[1]
    assert (np.abs(stopped[:-1]) > doubtful).all() and abs(stopped[-1]) <= doubtful
    # A singular matrix at the start gives no pose and no error.
    flat = np.zeros(4)
    assert len(solver.steps(h, flat, 1.0, 0.0)[1]) == 0
    assert np.isinf(solver.newton(h[:, :1], flat[:, None])[1]).all()


def uneven(rng: Any, n: int) -> Any:
    """Angles that are sampled unevenly, with stops, changes of speed and reversals."""
    return np.cumsum(rng.choice([0.0, 0.001, 0.02, 0.3, -0.05], n))


@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_uneven_samples_lie_where_even_ones_do(seed):
    """Samples in between do not change the pose."""
    angles = uneven(np.random.default_rng(seed), 400)
    m = three_platforms()
    motion, alone = driven(m, angles), driven(m, np.linspace(0, angles[-1], 50))
    assert motion.ok.all()
    assert motion.residual().max() < 1e-12
    np.testing.assert_allclose(motion.lanes.x[0][:, -1], alone.lanes.x[0][:, -1], atol=1e-12)


@pytest.mark.full
@pytest.mark.compiled
def test_engines_track_alike():
    angles = uneven(np.random.default_rng(5), 3000)
    m = three_platforms()
    a, b = driven(m, angles, "python"), driven(m, angles, "compiled")
    np.testing.assert_allclose(a.lanes.x, b.lanes.x, rtol=0, atol=1e-13)
    assert a.lanes.least == pytest.approx(b.lanes.least, nan_ok=True)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_limits_and_gaps_are_statuses(engine):
    """A crank that is too long for part of the turn, and missing values."""
    source = three_platforms().source_dict
    long = sk.Mechanism.from_dict({**source, "lengths": {"A-F": 1.1}})
    motion = driven(long, np.linspace(0, 4 * np.pi, 2000), engine)
    assert set(motion.status.tolist()) == {Status.OK, Status.OUT_OF_REACH}
    assert np.isnan(motion.lanes.x[:, -4:, ~motion.ok]).all()
    assert motion.residual()[motion.ok].max() < 1e-12
    # No value before one second, and from four on.
    laws = {"motor": {"joint": "A", "law": "0.5*t + 0*sqrt(t - 1) + 0*sqrt(4 - t)"}}
    gaps = sk.Mechanism.from_dict({**source, "drivers": laws}).solve(t=np.linspace(0, 5, 2001), engine=engine)
    assert np.flatnonzero(gaps.status == Status.NO_INPUT).tolist() == [*range(400), *range(1601, 2001)]
    whole = driven(three_platforms(), 0.5 * gaps.t, engine)
    np.testing.assert_allclose(gaps.lanes.x[0][:, gaps.ok], whole.lanes.x[0][:, gaps.ok], atol=1e-12)


@pytest.mark.full
def test_a_long_gap_takes_few_steps():
    """A driver that turns around far out of reach: the samples beyond the limit are not tried one by one."""
    hoist = sk.load(path("tipper_hoist")).source_dict
    mechanism = sk.Mechanism.from_dict({**hoist, "points": {**hoist["points"], "B": [14900, 140]}})
    motion = mechanism.solve(4000, budget=1)
    assert set(motion.status.tolist()) == {Status.OK, Status.OUT_OF_REACH}
    assert (motion.status == mechanism.solve(4000, method="global").status).all()
    (interval,) = mechanism.limits("cylinder").intervals
    values = mechanism.drivers["cylinder"].law(motion.t)[0]
    assert (motion.ok == (values < interval.high.value)).all()


@pytest.mark.full
def test_samples_within_a_gap_are_found_where_the_driver_comes_back():
    hoist = sk.load(path("tipper_hoist")).source_dict
    mechanism = sk.Mechanism.from_dict({**hoist, "points": {**hoist["points"], "B": [14900, 140]}})
    limit = mechanism.limits("cylinder").intervals[0].high.value
    u = np.linspace(0, 1, 400)
    for amplitude, periods in ((3e-4, 3), (3e-3, 5), (2e-2, 7)):
        values = limit + amplitude * (0.3 - np.cos(2 * np.pi * periods * u) + 0.5 * np.sin(2 * np.pi * u))
        motion = mechanism.solve(drivers={"cylinder": values})
        assert (motion.ok == (values < limit)).all()


def test_a_lane_takes_two_steps_of_newtons_method(monkeypatch):
    """The curves between continuation points are so accurate that two steps close nearly all lanes of a triad."""
    lanes, steps = [], []
    close, write = Kernels._close, group_solvers._write

    def closing(self: Any, h: Any, guess: Any, *rest: Any) -> None:
        lanes.append(guess.shape[1])
        close(self, h, guess, *rest)

    def writing(terms: Any, *arrays: Any) -> None:
        if len(arrays[-1]) < 4 and arrays[0].shape[1] > 1000:  # the results of a step of Newton's method
            steps.append(arrays[0].shape[1])
        write(terms, *arrays)

    monkeypatch.setattr(Kernels, "_close", closing)
    monkeypatch.setattr(group_solvers, "_write", writing)
    motion = driven(three_platforms(), np.radians(np.arange(20 * 360)))
    assert motion.ok.all() and sum(lanes) >= len(motion) - 1
    assert sum(steps) == 2 * sum(lanes)


def test_lanes_that_stray_from_their_curve_are_reached_by_steps(monkeypatch):
    """Wrong curves cost time but change no result."""
    m, angles = three_platforms(), np.radians(np.arange(720))
    right = driven(m, angles)
    curves, asked = fill._curves, []

    def wrong(*arguments: Any) -> Any:
        found = curves(*arguments)
        asked.append(found.shape[2])
        return found + 0.3 * (len(asked) == 1)

    monkeypatch.setattr(fill, "_curves", wrong)
    found = driven(m, angles)
    assert len(asked) > 1 and found.ok.all()
    np.testing.assert_allclose(found.lanes.x, right.lanes.x, atol=1e-13)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_lanes_between_continuation_points_report_how_they_closed(engine):
    """Compiled and not: which lanes are closed near their curves, and the extremes of the roots."""
    item = general_of(three_platforms())
    solver = group_solver_of(item.kind, item.known, compiled=engine == "compiled")
    assert isinstance(solver, Kernels)
    motion = driven(three_platforms(), np.linspace(0, 1.0, 41))
    pose = motion.lanes.x[0][-4:]
    h = 0.15 * np.stack((np.cos(np.linspace(0, 1, 41)), np.sin(np.linspace(0, 1, 41))))
    count = np.array([20, 20])
    curves = np.zeros((6, 4, 2))
    curves[0], curves[1] = pose[:, [0, 20]], pose[:, [20, 40]] - pose[:, [0, 20]]
    intervals = Intervals(count, np.array([0.0, 20.0]), np.full(2, 1 / 20), curves)
    out = np.empty((4, 40))
    path = np.arange(40.0)
    found = solver.between(tuple(h[:, :40]), path, intervals, out, each=True)
    np.testing.assert_allclose(out, pose[:, :40], atol=1e-13)
    assert found.good and found.closed.all()
    assert (found.least, found.most) == (found.lanes[1].min(), found.lanes[1].max())
    curves[0, 0, 1] += 0.1
    far = solver.between(tuple(h[:, :40]), path, intervals, out, each=True)
    assert not far.good and far.closed.tolist() == [True] * 20 + [False] * 20


def test_the_path_length_of_inputs():
    rng = np.random.default_rng(3)
    rows = list(rng.normal(size=(3, 40_000)))
    path = path_length(rows, [(2, 2.0), (1, 0.5)], 40_000)
    steps = np.hypot(np.diff(rows[0]), np.diff(rows[1])) / 2.0 + np.abs(np.diff(rows[2])) / 0.5
    np.testing.assert_allclose(path, np.append(0.0, np.cumsum(steps)), rtol=1e-13)
    rows[2][17] = np.nan
    assert np.flatnonzero(np.isnan(path_length(rows, [(2, 2.0), (1, 0.5)], 40_000)))[0] == 17
    assert path_length([], [], 3).tolist() == [0.0, 0.0, 0.0]


def test_an_input_path_numbers_the_lanes_that_have_inputs():
    item = general_of(three_platforms())
    solver = group_solver_of(item.kind, item.known)
    x, y = np.linspace(0, 1, 50), np.zeros(50)
    x[20:23] = np.nan
    path = InputPath(solver, [x, y], 50)
    assert len(path.lanes) == 47 and path.end_of_run(3) == 19 and path.beginning_of_run(30) == 20
    points = path.points(0, 100)
    assert points[-1] == 19 and (np.diff(points) > 0).all()
    between = np.diff(np.append(0.0, path.length[points])) / path.spacing
    assert (between < 1.15).all() and (between[:-1] > 0.85).all()
    np.testing.assert_array_equal(path.part(20, 25)[0], x[23:28])


def test_a_step_too_large_is_divided():
    item = general_of(three_platforms())
    solver = group_solver_of(item.kind, item.known)
    motion = driven(three_platforms(), np.array([0.0, 2.5]))
    h = 0.15 * np.array([[1.0, np.cos(2.5)], [0.0, np.sin(2.5)]])
    pose = motion.lanes.x[0][-4:]
    start = Poses(h[:, :1], pose[:, :1], solver.newton(h[:, :1], pose[:, :1], 1)[2])
    found = reach(solver, start, h[:, 1:])
    assert isinstance(found, Poses)
    np.testing.assert_allclose(found.s[:, 0], pose[:, 1], atol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=seeds)
def test_signs_and_orders_change_no_digit(seed):
    """Formulas with signs moved from products into sums give the same value to the last digit."""
    rng = np.random.default_rng(seed)
    graph = Graph()
    names = ["x", "y", "z"]
    values = dict(zip(names, rng.normal(size=3).tolist(), strict=True))
    symbols: list[Any] = [graph.load(name) for name in names]
    numbers = list(values.values())
    for _ in range(25):
        i, j = rng.integers(len(symbols), size=2)
        op = rng.choice(["+", "-", "*", "/", "neg"])
        if op == "neg":
            symbols.append(-symbols[i])
            numbers.append(-numbers[i])
        elif op != "/" or numbers[j] != 0:
            symbols.append(eval(f"a {op} b", {"a": symbols[i], "b": symbols[j]}))
            numbers.append(eval(f"a {op} b", {"a": numbers[i], "b": numbers[j]}))
        if not np.isfinite(numbers[-1]) or abs(numbers[-1]) > 1e100:
            break
    wanted = [(s, x) for s, x in zip(symbols, numbers, strict=True) if not isinstance(s, float | int)]
    scope: dict[str, Any] = dict(values)
    exec("\n".join(graph.lines([s for s, _ in wanted])), scope)
    for s, x in wanted:
        assert scope[graph.name(s)] == x or (np.isnan(x) and np.isnan(scope[graph.name(s)]))


def test_one_engine_for_all(monkeypatch):
    """A plan that wants Numba has its general groups compiled, too; one with too many terms runs in NumPy."""
    plan = replace(compile_plan(three_platforms()), engine="compiled")
    assert running.compiles_group(plan, group_solver_of(*_form(plan)).kernel, 1)
    large = replace(compile_plan(platforms(9)), engine="compiled")
    assert not running.compiles_group(large, group_solver_of(*_form(large)).kernel, 10**9)


def _form(plan: Any) -> tuple[Any, Any]:
    (item,) = [step for step in plan.steps if isinstance(step.kind, General)]
    return item.kind, item.known


def test_the_head_of_a_plan_holds_no_uninitialised_number():
    """The closed forms before a tracked group are swept alone, and searched for change points."""
    whole = compile_plan(sk.load(path("stephenson_iii_triad")))
    head = replace(whole, steps=whole.steps[: whole.followed[0]])
    assert not whole.leaves_rows and head.leaves_rows and not head.tracked
    assert np.isnan(running.Lanes.empty(head, 3).x).all()


def test_whether_a_way_back_arrives_does_not_hang_on_the_others(monkeypatch):
    """Each lane goes its straight way in steps of its own; all once took as many as the farthest of them."""
    calls: list[Any] = []

    def noted(solver: Any, poses: Poses, h: Any, longest: Any) -> Any:
        found = go_straight(solver, poses, h, longest)
        calls.append((solver, poses, h, longest, found))
        return found

    monkeypatch.setattr(stepping, "go_straight", noted)
    linkages = sk.Linkages.random(60, 12, seed=12, triads=0.1, sliders=0.2)
    for k in (1, 26):
        linkages.mechanism(k).solve(drivers={"motor": np.linspace(0, 2 * np.pi, 200)})
    arrived = 0
    for solver, poses, h, longest, found in calls:
        for lane in range(h.shape[1] if found is None else found[0] + 1):
            alone = go_straight(solver, poses.take([lane]), h[:, [lane]], longest[[lane]])
            assert (alone is not None) == (found is not None and lane == found[0])
        if found is not None:
            arrived += 1
            np.testing.assert_allclose(alone[1].s, found[1].s, rtol=0, atol=1e-10)
    assert arrived and len(calls) > arrived


#: The joints of two linkages with a triad, of which the first and the third are fixed, their bars, and the sample
#: before a gap.
FIRST_STEPS = [
    (
        [(0.7712, 0.2031), (0.8375, 0.078), (0.1178, 0.0882), (0.6167, 0.4036), (0.7371, 0.7809), (0.4133, 0.1125)],
        [(0, 1), (0, 4), (1, 3), (2, 5), (3, 4), (3, 5), (4, 5)],
        1,
    ),
    (
        [(0.8278, 0.1098), (0.9328, 0.0163), (0.4535, 0.204), (0.8953, 0.0455), (0.2231, 0.3767), (0.4529, 0.422)],
        [(0, 1), (0, 5), (1, 3), (2, 4), (3, 4), (3, 5), (4, 5)],
        0,
    ),
]


@pytest.mark.parametrize(("places", "bars", "before"), FIRST_STEPS)
def test_a_gap_within_the_first_steps_is_seen(places, bars, before):
    """A step was taken over it, status ok: the sketch is a lane too, and between it and the first sample is no way."""
    adjacency = np.zeros((1, 6, 6), int)
    adjacency[0, [a for a, _ in bars], [b for _, b in bars]] = 1
    linkage = sk.Linkages.of(adjacency | adjacency.swapaxes(1, 2), [places], [[1, 0, 1, 0, 0, 0]], (0, 1))
    fine, coarse = (np.arange(0, 5, step) * 2 * np.pi / 99 for step in (0.01, 1.0))
    status = [
        linkage.mechanism(0).solve(drivers={"motor": (z, np.ones_like(z), np.zeros_like(z))}).status
        for z in (fine, coarse)
    ]
    lost = np.flatnonzero(status[0]) / 100
    assert before < lost.min() < lost.max() < before + 1
    assert np.flatnonzero(status[1]).tolist() == [before + 1]
