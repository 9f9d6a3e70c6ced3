"""Random mechanisms: the structure they were built from, and motions confirmed by four checks.

The checks: the contents of the file (`by_the_file`), all equations at once (`whole_system`), differences in time,
and a path towards the samples reported as out of reach.
"""

from __future__ import annotations

import copy
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from by_the_file import File, gaps
from cases import few
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_mechanisms import (
    DRIVEN,
    DYADS,
    OTHERS,
    Case,
    build,
    class_iv,
    driven_r,
    held_platform,
    ram_r,
    rrr,
    triad,
)
from whole_system import WholeSystem, solve_whole, unknowns_of

import structkin as sk
from structkin import Status
from structkin.joints.turn_coupling import TurnCoupling

seeds = st.integers(0, 2**31 - 1)
elements = st.integers(0, 5)
quiet = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],  # a smaller seed is not a smaller mechanism
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}

#: Steps of the differences, relative to the duration; samples of a motion.
STEP, SAMPLES = 1e-3, 7


# --- structure ------------------------------------------------------------------------------------------------


def check_structure(case: Case) -> None:
    """decompose() returns the groups that were built, with their names, in an order that can be solved."""
    mechanism = case.mechanism()
    structure = mechanism.structure()
    assert structure.is_solvable
    assert structure.mobility == len(mechanism.drivers) == mechanism.topology.mobility_count
    index = {frozenset(group.links): group.index for group in structure.groups}
    assert sorted(map(sorted, index)) == sorted(sorted(built.links) for built in case.groups)
    assert [group.index for group in structure.groups] == list(range(len(case.groups)))
    for built in case.groups:
        group = structure.groups[index[built.links]]
        assert (group.kind, group.class_, group.order) == (built.kind, built.class_, built.order)
        assert frozenset(group.drivers) == built.drivers
        assert frozenset(map(frozenset, group.composite_links)) == built.composites
        before = {index[case.groups[k].links] for k in built.depends}
        assert set(group.depends_on) == before
        assert all(k < group.index for k in before)
        assert group.level == 1 + max((structure.groups[k].level for k in before), default=-1)
    owner = {link: group.index for group in structure.groups for link in group.links}
    column = np.array([owner[link] if link != "ground" else -1 for link in structure.topology.links])
    for k, group in enumerate(structure.groups):
        assert set(np.flatnonzero(structure.kinstr[:, k] == 1)) == set(np.flatnonzero(column == k)), group
        assert np.all(column[structure.kinstr[:, k] == -1] < k)


@settings(max_examples=40, **quiet)
@given(seed=seeds, elements=elements)
def test_decomposes_into_the_groups_it_was_built_from(seed, elements):
    check_structure(build(seed, elements))


# --- motion ---------------------------------------------------------------------------------------------------


def check_motion(case: Case, *, samples: int = SAMPLES) -> Counter[str]:
    """Every ok sample passes all checks; the others are out of reach. Return counts of what occurred."""
    mechanism, T, h = case.mechanism(), case.duration, STEP * case.duration
    centers = np.linspace(0, T, samples)
    offsets = np.array([-6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6])
    t = np.concatenate([c + h * offsets if 0 < k < samples - 1 else [c] for k, c in enumerate(centers)])
    place = np.searchsorted(t, centers - 0.5 * h)
    motion = mechanism.solve(t=t)
    seen = Counter(mechanisms=1, samples=len(t), tracked=int(motion.plan.tracked))
    for status in Status:
        seen[status.words] += int(np.sum(motion.status == status))
    assert np.all(np.isfinite(motion.residual()[motion.ok]))
    assert np.max(motion.residual()[motion.ok], initial=0.0) <= 1e-12
    for rule, gap in gaps(case.data, motion).items():
        assert np.max(gap) <= 1e-12, rule
    for id, drive in mechanism.drivers.items():
        np.testing.assert_array_equal(motion.drivers[id], np.stack(drive.law(t)))
    _check_failures_are_named(motion)
    seen += _check_whole_system(case, motion, place[motion.ok[place]])
    seen += _check_differences(motion, place[1:-1], offsets, h)
    seen += _check_out_of_reach(motion)
    return seen


def _check_failures_are_named(motion: Any) -> None:
    """A failed sample names its group; groups that do not depend on it keep their numbers, its own links have none."""
    groups = motion.structure.groups
    for part, status, k in motion.outcomes():
        if status == Status.OK:
            assert k == -1
        if status in (Status.OK, Status.UNCERTIFIED) or np.isfinite(motion.lanes.x[0, :, part.start]).all():
            continue  # behind a gap between two samples there is a pose
        # a link of the group may be known even so: its pin is known, or its guide gives its angle
        rates = [
            motion.velocity(0j, link=link)[part].sum(axis=1) + motion.omega(link)[part] for link in groups[k].links
        ]
        poses = [
            motion.position(0j, link=link)[part].sum(axis=1) + motion.angle(link)[part] for link in groups[k].links
        ]
        assert np.all(np.isnan(np.sum(rates, axis=0))), status
        assert np.all(np.isnan(np.sum(poses, axis=0)) == (status != Status.SINGULAR)), status
        upstream, new = set(groups[k].depends_on), set(groups[k].depends_on)
        while new:
            new = {j for i in new for j in groups[i].depends_on} - upstream
            upstream |= new
        for j in upstream:
            for link in groups[j].links:
                assert np.all(np.isfinite(motion.acceleration(0j, link=link)[part])), (status, link)


def _check_whole_system(case: Case, motion: Any, samples: Any) -> Counter[str]:
    if not len(samples):
        return Counter()
    whole = solve_whole(motion.mechanism, motion, samples, seed=case.seed)
    assert whole.converged.all()
    near = np.maximum(1.0, 1e-3 / whole.clarity)  # digits lost near a limit position
    worst = whole.compare(motion, samples)
    assert np.all(worst["position"] <= 1e-10 * near)
    assert np.all(worst["velocity"] <= 1e-8 * near**2)
    assert np.all(worst["acceleration"] <= 1e-7 * near**3)
    first, second = whole.compare_coefficients(motion, samples)
    assert np.all(first <= 1e-8 * near**2)
    assert np.all(second <= 1e-7 * near**3)
    return Counter({"whole-system samples": len(samples), "of them near a limit": int(np.sum(near > 1))})


def _check_differences(motion: Any, centers: Any, offsets: Any, h: float) -> Counter[str]:
    """Velocities and accelerations against sixth-order differences of positions in time.

    The difference of two step sizes estimates the error, which is large only near a limit position.
    """
    system, seen = WholeSystem(motion.mechanism), Counter()
    unit = np.tile([system.size, system.size, 1.0], len(system.moving))[:, None]
    q, qd, qdd = (unknowns_of(system, motion, order) / unit for order in range(3))
    zero = int(np.flatnonzero(offsets == 0)[0])
    for center in centers:
        lanes = center - zero + np.arange(len(offsets))
        if not motion.ok[lanes].all():
            continue
        x = {int(k): q[:, lane] for k, lane in zip(offsets, lanes, strict=True)}
        mid = lanes[zero]
        first, second = (_differences(x, k, h) for k in (1, 2))
        for name, exact, one, two, floor in (
            ("velocity", qd[:, mid], first[0], second[0], 1.0),
            ("acceleration", qdd[:, mid], first[1], second[1], 1.0),
        ):
            order = 1 if name == "velocity" else 2
            scale = max(np.max(np.abs(exact)), floor / (h / STEP) ** order)
            error = np.max(np.abs(one - two)) / scale
            assert np.max(np.abs(one - exact)) / scale <= 1e-7 + 3 * error, (name, center)
            seen["differences"] += 1
            seen["sharp differences"] += int(error < 1e-7)
    return seen


def _differences(x: dict[int, Any], k: int, h: float) -> tuple[Any, Any]:
    """First and second derivative from samples k h apart, of sixth order."""
    odd = [x[j * k] - x[-j * k] for j in (1, 2, 3)]
    even = [x[j * k] + x[-j * k] - 2 * x[0] for j in (1, 2, 3)]
    h = k * h
    return (45 * odd[0] - 9 * odd[1] + odd[2]) / (60 * h), (270 * even[0] - 27 * even[1] + 2 * even[2]) / (180 * h * h)


def _check_out_of_reach(motion: Any) -> Counter[str]:
    """No path leads to the first sample after the last good one, nor to the very first from the sketch."""
    mechanism, seen = motion.mechanism, Counter()
    system = WholeSystem(mechanism)
    bad = [int(lane) for lane in np.flatnonzero(~motion.ok) if lane == 0 or motion.ok[lane - 1]][:2]
    for lane in bad:
        end = np.array([motion.drivers[id][0, lane] for id in system.drivers])
        if motion.status[lane] == Status.SINGULAR:
            seen["singular, not followed"] += 1
            continue
        if lane:
            q = unknowns_of(system, motion, 0)[:, [lane - 1]]
            times = np.linspace(motion.t[lane - 1], motion.t[lane], 41)[1:]
            path = np.array([mechanism.drivers[id].law(times)[0] for id in system.drivers]).T
        else:
            q = system.sketch()
            start = np.array([mechanism.drivers[id].start for id in system.drivers])
            turns = np.array(
                [
                    mechanism.drivers[id].kind == "angle" and not mechanism.joints.of(TurnCoupling)
                    for id in system.drivers
                ]
            )
            span = end - start
            span = np.where(turns, np.remainder(span + np.pi, 2 * np.pi) - np.pi, span)
            path = start + np.linspace(0, 1, 101 if mechanism.joints.of(TurnCoupling) else 41)[1:, None] * span
        assert system.follow(q, path) is None, (Status(motion.status[lane]).words, lane)
        seen["paths to a limit"] += 1
    return seen


@settings(max_examples=15, **quiet)
@given(seed=seeds, elements=elements)
def test_motion_passes_every_check(seed, elements):
    check_motion(build(seed, elements))


def test_lanes_between_continuation_points_are_closed_to_rounding():
    """A single step of 1e-9 from a cubic does not close its directions: residuals were once 4e-11."""
    check_motion(build(10_000_440, 2))


@pytest.mark.parametrize("element", few(sorted({*DRIVEN, *DYADS, *OTHERS}, key=lambda f: f.__name__), 4))
def test_every_element_alone_on_a_driven_link(element):
    for seed in range(3):
        case = build(1000 + seed, 1, menu=(element,))
        check_structure(case)
        check_motion(case)


# --- assembly modes -------------------------------------------------------------------------------------------


def check_path(case: Case) -> Counter[str]:
    """Following all equations from the sketch in small steps leads to the same assembly mode at every sample."""
    mechanism, seen = case.mechanism(), Counter(mechanisms=1)
    system = WholeSystem(mechanism)
    t = np.linspace(0, case.duration, 8)
    motion = mechanism.solve(t=t)
    z = np.array([motion.drivers[id][0] for id in system.drivers])
    start = np.array([mechanism.drivers[id].start for id in system.drivers])
    # where there are gears, a whole turn before the first sample counts
    turns = np.array(
        [mechanism.drivers[id].kind == "angle" and not mechanism.joints.of(TurnCoupling) for id in system.drivers]
    )
    span = np.where(turns, np.remainder(z[:, 0] - start + np.pi, 2 * np.pi) - np.pi, z[:, 0] - start)
    theirs = unknowns_of(system, motion, 0)
    q: Any = system.sketch()
    for lane in range(len(t)):
        if lane:
            times = np.linspace(t[lane - 1], t[lane], 10)[1:]
            path = np.array([mechanism.drivers[id].law(times)[0] for id in system.drivers]).T
        else:
            path = z[:, 0] - span + np.linspace(0, 1, 100 if mechanism.joints.of(TurnCoupling) else 10)[1:, None] * span
        q = system.follow(q, path)
        if q is None:
            seen["paths that met a limit"] += 1
            break
        assert motion.ok[lane], (lane, motion.report)
        gap = (q[:, 0] - theirs[:, lane]) / np.tile([system.size, system.size, 1.0], len(system.moving))
        gap[2::3] = np.remainder(gap[2::3] + np.pi, 2 * np.pi) - np.pi
        assert np.max(np.abs(gap)) < 1e-6, (lane, "another assembly mode")
        for link, turn in motion.plan.turns.items():
            if link in system.column:
                # whole turns are followed, too
                k = system.column[link] + 2
                counted = turn.const.real + sum(
                    f.real * motion.lanes.x[0, motion.plan.rows(s), lane] for s, f in turn.terms
                )
                assert np.max(np.abs(counted - (q[k, 0] - system.sketch()[k, 0]))) < 1e-6, (lane, link)
        seen["samples reached"] += 1
    return seen


def check_there_and_back(case: Case) -> Counter[str]:
    """Driven out and back, also beyond limits, a mechanism returns to where it was: same poses, same gaps."""
    mechanism = case.mechanism()
    span = np.linspace(0, 1, 40)
    out = {}
    for id, drive in mechanism.drivers.items():
        value = drive.law(np.array([0.0, 0.37 * case.duration]))[0]
        far = value[0] + (6.0 if drive.kind == "angle" else 4.0) * (value[1] - value[0])
        out[id] = np.concatenate((value[0] + span * (far - value[0]), (value[0] + span * (far - value[0]))[::-1]))
    motion = mechanism.solve(drivers=out)
    system = WholeSystem(mechanism)
    q = unknowns_of(system, motion, 0) / np.tile([system.size, system.size, 1.0], len(system.moving))[:, None]
    gap = q - q[:, ::-1]
    gap[2::3] = np.remainder(gap[2::3] + np.pi, 2 * np.pi) - np.pi
    ok = motion.ok
    seen = Counter(mechanisms=1, samples=len(ok), ok=int(ok.sum()), with_gaps=int(0 < ok.sum() < len(ok)))
    first = ok & ok[::-1]
    assert np.max(np.abs(gap[:, first]), initial=0.0) < 1e-6, "came back in another assembly mode"
    assert np.array_equal(ok, ok[::-1]), motion.report
    return seen


@settings(max_examples=4, **quiet)
@given(seed=seeds)
def test_paths_from_the_sketch_stay_in_its_assembly_mode(seed):
    check_path(build(seed, 1, menu=OTHERS))


@settings(max_examples=20, **quiet)
@given(seed=seeds, elements=st.integers(0, 3))
def test_driven_out_and_back_the_pose_is_the_same(seed, elements):
    check_there_and_back(build(seed, elements))


# --- rounded sketches -----------------------------------------------------------------------------------------


def check_rounded_sketch(case: Case) -> Counter[str]:
    """With all lengths given, the sketch only picks the assembly mode: a rounded sketch gives the same motion.

    For mechanisms of pins alone.
    """
    if "joints" in case.data:
        return Counter(skipped=1)
    mechanism, file = case.mechanism(), File(case.data)
    drivers = copy.deepcopy(case.data["drivers"])
    for id, driver in drivers.items():
        if "speed" in driver:
            # a speed starts from the sketch as it is drawn
            unit = file.angle if mechanism.drivers[id].kind == "angle" else file.length
            driver["law"] = f"{mechanism.drivers[id].start / unit!r} + {driver.pop('speed') / unit!r}*t"
    points = {name: complex(*place) for name, place in case.data["points"].items()}
    shared = {name for name in points if sum(name in held for held in case.data["links"].values()) > 1}
    used = shared | {p for driver in case.data["drivers"].values() for p in driver.get("between", ())}
    lengths = {}
    rng = np.random.default_rng(case.seed)
    for held in case.data["links"].values():
        for k, a in enumerate(held):
            for b in held[:k]:
                lengths.setdefault(f"{a}-{b}", abs(points[a] - points[b]))
        flat = any(
            abs(np.imag((points[a] - points[b]) * np.conj(points[a] - points[c])))
            < 0.1 * abs(points[a] - points[b]) * abs(points[a] - points[c])
            for a in held for b in held for c in held if len({a, b, c}) == 3
        )  # fmt: skip
        if flat:
            return Counter(skipped=1)
    typical = min(lengths.values(), default=1.0)
    ground = case.data["links"]["ground"]
    rounded = {}
    for name, place in points.items():
        moved = place if name in ground else place + 0.02 * typical * complex(*rng.uniform(-1, 1, 2))
        rounded[name] = [moved.real, moved.imag]
    exact = mechanism.solve(samples=13)
    data = {**case.data, "drivers": drivers, "points": rounded, "lengths": lengths}
    again = sk.Mechanism.from_dict(data).solve(samples=13)
    assert np.array_equal(exact.ok, again.ok)
    system = WholeSystem(exact.mechanism)
    for name in used:
        gap = np.abs(exact.position(name) - again.position(name))[exact.ok]
        q = unknowns_of(system, exact, 0)[:, exact.ok]
        clarity = np.linalg.svd(system.jacobian(q), compute_uv=False)[:, -1:] if exact.ok.any() else np.ones((0, 1))
        assert np.all(gap <= 1e-10 * system.size * np.maximum(1.0, 3e-3 / clarity) ** 2), name
    return Counter(mechanisms=1, tracked=int(exact.plan.tracked), ok=int(exact.ok.sum()))


PINNED = (driven_r, ram_r, rrr, triad, class_iv, held_platform)


@settings(max_examples=15, **quiet)
@given(seed=seeds)
def test_a_rounded_sketch_with_lengths_is_the_same_mechanism(seed):
    check_rounded_sketch(build(seed, 1, menu=PINNED, first=(driven_r, ram_r)))


# --- sampling -------------------------------------------------------------------------------------------------


def check_sampling(case: Case) -> Counter[str]:
    """12 and 360 intervals give the same poses at common times."""
    mechanism = case.mechanism()
    coarse, fine = mechanism.solve(samples=13), mechanism.solve(samples=361)
    every = np.arange(0, 361, 30)
    np.testing.assert_allclose(coarse.t, fine.t[every], rtol=1e-14, atol=1e-14 * case.duration)
    system = WholeSystem(mechanism)
    a, b = (unknowns_of(system, motion, 0) for motion in (coarse, fine))
    gap = (a - b[:, every]) / np.tile([system.size, system.size, 1.0], len(system.moving))[:, None]
    gap[2::3] = np.remainder(gap[2::3] + np.pi, 2 * np.pi) - np.pi
    both = coarse.ok & fine.ok[every]
    clarity = np.linalg.svd(system.jacobian(a[:, both]), compute_uv=False)[:, -1] if both.any() else np.ones(0)
    assert np.all(np.max(np.abs(gap[:, both]), axis=0) <= 1e-10 * np.maximum(1.0, 1e-3 / clarity))
    # A sample of few is out of reach where a gap lies between it and the one before, unless that one lies in this gap.
    ways = (fine.ok[low : high + 1] for low, high in pairwise(every))
    ends = [way[np.argmax(way) :].all() for way in ways]
    assert np.array_equal(coarse.ok, fine.ok[every] & [True, *ends]), (coarse.report, fine.report)
    return Counter(mechanisms=1, tracked=int(coarse.plan.tracked), common=int(both.sum()), ok=int(coarse.ok.sum()))


@settings(max_examples=12, **quiet)
@given(seed=seeds)
def test_tracked_groups_do_not_depend_on_the_sampling(seed):
    check_sampling(build(seed, 1, menu=OTHERS))


#: A crank that leaves the reach of a triad and re-enters it from the other side.
ROUND_TRIP: dict[str, Any] = {
    "duration": 0.4,
    "points": {
        "A": [-425.0, 54.0],
        "B": [-202.0, -179.0],
        "C": [-1615.0, -868.0],
        "O": [-11.0, 150.0],
        "S": [-585.0, -337.0],
        "D": [-863.0, -1093.0],
    },
    "links": {
        "crank": ["D", "C", "O"],
        "upper": ["C", "A"],
        "plate": ["A", "S", "B"],
        "lower": ["B", "D"],
        "slide": ["S"],
        "ground": ["O"],
    },
    "joints": {"rail": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1.856, -0.137]}},
    "drivers": {"motor": {"links": ["crank", "ground"], "speed": -5 * np.pi}},
}


def test_a_full_turn_through_a_gap_returns_to_its_start():
    check_sampling(Case(ROUND_TRIP, (), 0.4, 0))
    motion = sk.Mechanism.from_dict(ROUND_TRIP).solve(samples=361)
    assert motion.plan.tracked
    assert 0 < motion.ok.sum() < 361
    assert motion.ok[0]
    assert motion.ok[-1]
    for link in ("upper", "plate", "lower", "slide"):
        np.testing.assert_allclose(motion.position(0j, link=link)[-1], motion.position(0j, link=link)[0], atol=1e-8)
    runs = [status for _, status, _ in motion.outcomes()]
    assert runs == [Status.OK, Status.OUT_OF_REACH, Status.OK]


# --- thousands ------------------------------------------------------------------------------------------------

BATCHES, BATCH = 20, 100


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_many_random_mechanisms(batch, record_property):
    seen = Counter()
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        case = build(10_000_000 + seed, seed % 6)
        try:
            check_structure(case)
            seen += check_motion(case)
        except Exception as error:
            raise AssertionError(f"build({case.seed}, {seed % 6}): {error}") from error
    assert seen["sharp differences"] > 0.8 * seen["differences"]
    for name, count in sorted(seen.items()):
        record_property(name, count)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "count", "menu", "first"),
    [
        (check_sampling, 100, OTHERS, DRIVEN),
        (check_path, 150, OTHERS, DRIVEN),
        (check_there_and_back, 400, None, DRIVEN),
        (check_rounded_sketch, 400, PINNED, (driven_r, ram_r)),
    ],
    ids=["sampling", "path", "there and back", "rounded sketch"],
)
def test_many_more(check, count, menu, first, record_property):
    seen = Counter()
    for seed in range(count):
        try:
            seen += check(build(20_000_000 + seed, 1 + seed % 2, menu=menu, first=first))
        except Exception as error:
            raise AssertionError(f"build({20_000_000 + seed}, {1 + seed % 2}): {error}") from error
    for name, number in sorted(seen.items()):
        record_property(name, number)
