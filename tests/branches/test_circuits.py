"""Circuits and branches: known ones, and random ones against the curve of poses followed through its folds."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from test_limits import dyadic, four_bar, parallelogram, quiet, seeds

import structkin as sk
from structkin.branches.circuits.by_closed_forms import circuits
from structkin.branches.limits.poses import Poses
from structkin.branches.limits.search import Swept
from structkin.solve.engine import Lanes, sweep


def test_a_crank_rocker_has_two_circuits_and_a_triple_rocker_one():
    grashof = four_bar(1.0, 3.5, 3.0, 4.0).circuits()
    assert len(grashof) == 2 and [branch.interval.is_full_turn for branch in grashof.branches] == [True, True]
    other = four_bar(2.0, 1.5, 2.5, 3.2).circuits()
    assert len(other) == 1 and len(other.branches) == 2
    assert [point.branches for point in other.branch_points] == [(0, 1), (0, 1)]
    assert other.home == 0 and set(other.graph.edges()) == {(0, 1)}
    assert other.report.splitlines()[0] == "1 circuit of 2 branches over motor"
    assert other.to_dict()["branch_points"][0]["branches"] == [0, 1]


def test_a_grashof_double_rocker_driven_by_its_rocker_has_two_circuits_of_two_branches():
    """Its coupler turns fully; the driven rocker swings in two intervals, on either side of the ground."""
    found = four_bar(3.0, 1.0, 3.5, 4.0).circuits()
    assert len(found.branches) == 4 and len(found) == 2
    assert {len(found.circuit(k)) for k in range(2)} == {2}


def test_the_circuits_of_a_parallelogram_meet_at_its_change_points():
    found = parallelogram().circuits()
    assert len(found) == 1 and len(found.branches) == 4
    assert all(point.limit.change_point for point in found.branch_points)
    assert {frozenset(point.branches) for point in found.branch_points} == {
        frozenset((a, b)) for a in range(4) for b in range(4) if a < b
    }


def poses_of(mechanism, driver):
    call = Swept(mechanism, driver, None, None)
    return Poses(sk.solve.compile_plan(mechanism), call.path), call


def modes_of_branch(plan, poses, branch):
    two = [k for k in poses.closing if plan.steps[k].kind.modes == 2]
    return {k: step.mode for k, step in enumerate(plan.steps)} | {
        k: mode for k, (_, mode) in zip(two, branch.modes, strict=True)
    }


@settings(max_examples=5, **quiet)
@given(seeds)
def test_branches_meet_in_one_pose(seed):
    """Where two branches meet, poses on both come closer together as the distance to the limit falls."""
    mechanism, driver = dyadic(seed)
    poses, call = poses_of(mechanism, driver)
    assume(not poses.plan.tracked)
    try:
        found = circuits(mechanism, driver, most=64)
    except sk.InputError:
        assume(False)
    joined = set()
    for point in found.branch_points:
        branches = [found.branches[k] for k in point.branches]
        modes = [modes_of_branch(poses.plan, poses, branch) for branch in branches]
        gaps = []
        for part in (1e-5, 1e-9):
            near = [_just_inside(branch.interval, point.limit.value, part, call.whole is None) for branch in branches]
            slots = [poses.slots(np.array([p]), m) for p, m in zip(near, modes, strict=True)]
            gaps.append(max(float(np.max(np.abs(slots[0][k] - slots[1][k]))) for k in slots[0]))
        assert gaps[1] < 0.05 * gaps[0] or gaps[1] < 1e-7
        joined |= set(point.branches)
    # Every end of a group with two modes joins its branch to another.
    for k, branch in enumerate(found.branches):
        ends = [end for end in (branch.interval.low, branch.interval.high) if end is not None]
        if any(end.kind not in ("range", "parallel", "no length") for end in ends):
            assert k in joined


def _just_inside(interval, value, distance, periodic):
    low, high = interval.low.value, interval.high.value
    at_low = abs(math.remainder(value - low, 2 * math.pi) if periodic else value - low) < 1e-6
    return low + distance * (high - low) if at_low else high - distance * (high - low)


@pytest.mark.parametrize("name", ["watt_six_bar", "slider_crank_offset", "whitworth_shaper", "klann_leg"])
def test_no_branch_is_missed(name):
    """In a scan, each combination of modes closes exactly where there is a branch."""
    mechanism = sk.load(f"examples/{name}.toml")
    poses, call = poses_of(mechanism, None)
    plan, found = poses.plan, mechanism.circuits()
    two = [k for k in poses.closing if plan.steps[k].kind.modes == 2]
    angles = np.linspace(0, 2 * math.pi, 2000, endpoint=False)
    for signs in product((1, -1), repeat=len(two)):
        modes = {k: step.mode for k, step in enumerate(plan.steps)} | dict(zip(two, signs, strict=True))
        lanes = Lanes.empty(plan, len(angles), orders=1)
        sweep(plan, lanes, {id: z[None] for id, z in call.path(angles).items()}, modes.__getitem__)
        inside = np.zeros(len(angles), bool)
        for branch in found.branches:
            if tuple(mode for _, mode in branch.modes) == signs:
                low, high = branch.interval.low, branch.interval.high
                inside |= True if low is None else (angles - low.value) % (2 * math.pi) < high.value - low.value
        assert (inside == (lanes.status == 0)).all()


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(sk.InputError, match="no closed form"):
        circuits(sk.load("examples/stephenson_iii_triad.toml"))
    with pytest.raises(sk.InputError, match="more than 3 branches"):
        circuits(sk.load("examples/jansen_leg.toml"), most=3)


def test_a_branch_point_after_a_full_turn_has_one_value():
    """The flat pose of a parallelogram is at 0 for all branches, also for those that end there after a turn."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    found = m.circuits()
    assert {round(item.limit.value, 9) for item in found.branch_points} == {0.0, round(math.pi, 9)}
    assert "meet at 6.28" not in found.report and "meet at -0" not in found.report


def test_a_meeting_at_both_ends_of_a_full_turn_is_one_line():
    """A kite: where the crank lies along the ground, the other links fold over each other, at any angle."""
    kite = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1.5), "D": (1, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"B-C": 2, "C-D": 2}, drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip
    found = kite.circuits()
    (line,) = [line for line in found.report.splitlines() if "meet" in line]
    assert line.startswith("  branches 1 and 2 meet twice at 0 rad: coupler and rocker in line, folded")
    assert len(found.branch_points) == 2
