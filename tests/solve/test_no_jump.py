"""No branch jump: neighbouring samples of a sweep lie on one branch, or the sweep says where it stopped.

Between two neighbouring samples that are ok, their velocities and accelerations say how the links move. Where they
disagree, the path between them is refined: all equations of the mechanism are followed in smaller steps by an
independent solver, which has to arrive at the second sample.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from cases import few
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, OTHERS, Case, build
from whole_system import WholeSystem, unknowns_of

#: Largest step of a driver between samples [rad], or in parts of the size.
STEP = 0.04
#: How far a link's motion over one step may deviate from the rates [rad, or parts of the size].
LEFT = 1e-3
#: Steps of the check over one step, and samples that show its obstacle: a pose far away or near a limit.
FINER, FINEST = (10, 40), (40, 160, 640, 2560, 10240)
BATCH, BATCHES = 100, 25


def random_path(mechanism: Any, rng: Any, corners: int = 4) -> tuple[Any, Any]:
    """A random walk of all drivers in straight lines, from the sketch: values and steps per sample (drivers, n).

    Each corner comes twice: with the step that leads to it, and with the one that leaves it.
    """
    size = WholeSystem(mechanism).size
    unit = np.array([1.0 if drive.kind == "angle" else size for drive in mechanism.drivers.values()])
    start = np.array([drive.start for drive in mechanism.drivers.values()])
    reach = np.where([drive.kind == "angle" for drive in mechanism.drivers.values()], 2.5, 0.6)
    values, steps, place = [], [], start
    for _ in range(corners):
        end = start + reach * unit * rng.uniform(-1, 1, len(unit))
        count = int(np.ceil(np.max(np.abs(end - place) / unit) / STEP)) + 1
        values.append(place + np.linspace(0, 1, count + 1)[:, None] * (end - place))
        steps.append(np.broadcast_to((end - place) / count, (count + 1, len(unit))))
        place = end
    return np.concatenate(values).T, np.concatenate(steps).T


def check_sweep(case: Case) -> Counter[str]:
    """Sweep a mechanism by a random walk of its drivers and test each pair of neighbours."""
    mechanism = case.mechanism()
    system = WholeSystem(mechanism)
    z, rates = random_path(mechanism, np.random.default_rng(case.seed))
    given = {id: (z[k], rates[k], np.zeros(z.shape[1])) for k, id in enumerate(system.drivers)}
    motion = mechanism.solve(drivers=given)
    unit = np.tile([system.size, system.size, 1.0], len(system.moving))[:, None]
    q, v, a = (unknowns_of(system, motion, order) for order in range(3))
    moved = np.any(np.diff(z, axis=1) != 0, axis=0)
    with np.errstate(all="ignore"):
        guess = 0.5 * (v[:, 1:] + v[:, :-1]) + (a[:, :-1] - a[:, 1:]) / 12
        gap = np.max(np.abs(_wrapped(np.diff(q, axis=1) - np.where(moved, guess, 0.0)) / unit), axis=0)
    pairs = motion.ok[1:] & motion.ok[:-1]
    seen = Counter(sweeps=1, pairs=int(pairs.sum()), stopped=int(not motion.ok.all()), tracked=int(motion.plan.tracked))
    for k in np.flatnonzero(pairs & ~(gap < LEFT)):
        seen["refined"] += 1
        end = None
        for finer in FINER:
            path = z[:, [k]] + np.linspace(0, 1, finer + 1)[1:] * (z[:, [k + 1]] - z[:, [k]])
            end = system.follow(q[:, [k]], path.T, closest=1e-9) if end is None else end
        if end is None:
            # A limit, a change point or a far pose lies between: finer samples have to show it.
            seen["barred"] += 1
            assert _explained(system, z[:, : k + 2], q[:, [k + 1]], unit), (k, "passes an obstacle")
            continue
        assert np.max(np.abs(_wrapped(end - q[:, [k + 1]]) / unit)) < 1e-6, (k, "jumps to another branch")
    return seen


def _explained(system: WholeSystem, z: Any, end: Any, unit: Any) -> bool:
    """Whether finer samples of the last step show a stop, or a curve to its end without jump or kink.

    With a quarter of the step, second differences of a smooth curve shrink to a sixteenth, of a kink to a quarter.
    Samples are denser towards both ends, quadratically: a curve near a limit bends like a square root there.
    """
    before = 0.0
    for count in FINEST:
        path = z[:, [-2]] + np.sin(np.linspace(0, np.pi / 2, count + 1)[1:]) ** 2 * (z[:, [-1]] - z[:, [-2]])
        values = np.hstack((z[:, :-1], path))
        motion = system.mechanism.solve(drivers=dict(zip(system.drivers, values, strict=True)))
        if not motion.ok[z.shape[1] - 2 :].all():
            return True
        q = unknowns_of(system, motion, 0)[:, z.shape[1] - 2 :]
        assert np.max(np.abs(_wrapped(q[:, [-1]] - end) / unit)) < 1e-6, "fewer samples lead elsewhere"
        curvature = _curvature(q / unit)
        if curvature < before / 6 or curvature < 1e-9:
            return True
        before = curvature
    return False


def _curvature(q: Any) -> float:
    """The largest second difference, places as arctangents: a path to infinity is smooth, one past it jumps."""
    places = np.arctan(q.reshape(-1, 3, q.shape[1])[:, :2])
    return float(max(np.max(np.abs(np.diff(x, 2, axis=-1))) for x in (places, q[2::3])))


def _wrapped(q: Any) -> Any:
    q[2::3] = np.remainder(q[2::3] + np.pi, 2 * np.pi) - np.pi
    return q


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 3))
def test_dyads_and_driven_links(seed, elements):
    check_sweep(build(seed, elements))


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_triads_and_general_groups(seed):
    check_sweep(build(seed, 1, menu=OTHERS))


@pytest.mark.full
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 3), menu=st.sampled_from([None, OTHERS]))
@example(seed=149, elements=1, menu=OTHERS)  # a link turns by half a radian within 1e-4 of a step
def test_more_of_all_groups(seed, elements, menu):
    check_sweep(build(seed, 1 if menu else elements, menu=menu))


def test_the_check_takes_a_path_to_infinity_as_smooth_and_one_past_it_as_a_jump():
    def curvature(end, count):
        x = np.linspace(-1.0, end, count)
        return _curvature(np.stack((1 / x, -2 / x, 0 * x)))

    assert curvature(-1e-4, 100) < 1e-3 and curvature(-1e-4, 400) < curvature(-1e-4, 100) / 6
    assert curvature(1.0, 100) > 1 and curvature(1.0, 400) > 1


@pytest.mark.parametrize("seed, elements, menu", few([
    # Sliders that run off by thousands of sizes between parallel guides.
    (30_005_779, 2, None), (30_005_870, 3, None), (30_006_177, 1, OTHERS),
    # A sample very close to a limit.
    (30_008_420, 3, None),
    # Class IV: once resumed a turn later.
    (30_000_468, 1, OTHERS), (30_000_918, 1, OTHERS),
], 1))  # fmt: skip
def test_sweeps_that_were_hard_to_check(seed, elements, menu):
    check_sweep(build(seed, elements, menu=menu, first=DRIVEN))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_many_sweeps(batch, record_property):
    seen: Counter[str] = Counter()
    jumps = []
    for k in range(batch * BATCH, (batch + 1) * BATCH):
        case = build(30_000_000 + k, 1 + k % 3) if k % 3 else build(30_000_000 + k, 1, menu=OTHERS, first=DRIVEN)
        try:
            seen += check_sweep(case)
        except AssertionError as error:
            jumps.append((k, str(error)))
    for name, count in sorted(seen.items()):
        record_property(name, count)
    assert not jumps
