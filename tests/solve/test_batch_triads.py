"""Triads in the loop of `solve_batch`: statuses and digits of `Mechanism.solve`."""

import math
import re
from types import FunctionType

import numpy as np
import pytest
from test_batch import compiled

import structkin as sk
from structkin.kernels.store import plain
from structkin.kernels.text import Text
from structkin.numerical_tolerances import GUARD
from structkin.solve.batch.batch import Batch
from structkin.solve.batch.loop import LOOP_WITH_TRIADS, _formulas, triad_formulas, triad_source
from structkin.solve.batch.motor import Motor
from structkin.solve.batch.order import OF_TRIAD, TRIAD, Way
from structkin.solve.batch.pose_at import Stations
from structkin.solve.batch.runner import Runner, takes_triads
from structkin.solve.batch.table import Table
from structkin.solve.batch.triad_at import set_constants
from structkin.solve.change_points.search import STEEP
from structkin.solve.special_geometry import compile_plan

TURN = np.linspace(0, 2 * np.pi, 200)


def compare(linkages, angles=TURN):
    """Check those with triads against `Mechanism.solve`; return how many there are, and how many have no gap."""
    batch, given = sk.solve_batch(linkages, angles=angles), (angles, 1.0 + 0 * angles, 0 * angles)
    some, whole = np.flatnonzero(linkages.ordered()[2] == Way.TRIADS), 0
    for k in some.tolist():
        motion = linkages.mechanism(k).solve(drivers={"motor": given})
        np.testing.assert_array_equal(batch.status[k], motion.status, str(k))
        ok = motion.ok
        whole += bool(ok.all())
        for j in range(linkages.joints):
            # Beside a limit position a dyad magnifies rounding as it does the crank's steps: up to 1e-12 rad of these.
            away = np.abs(batch.position[k, j][:, ok].T - motion.position(f"J{j}")[ok])
            assert (away < 1e-9 + 1e-12 * np.abs(motion.velocity(f"J{j}")[ok])).all(), (k, j, away.max())
            for name in ("velocity", "acceleration"):
                own = getattr(motion, name)(f"J{j}")[ok]
                found = getattr(batch, name)[k, j][:, ok].T
                np.testing.assert_allclose(found, own, rtol=1e-5, atol=1e-5, err_msg=f"{name} {k}")
    return len(some), whole


def test_the_order_of_a_linkage_has_its_triads():
    linkages = sk.Linkages.random(16, 9, seed=2, triads=0.5)
    dyads, counts, ways = linkages.ordered()
    assert Way.TRIADS in ways and {*ways.tolist()} <= {Way.DYADS, Way.TRIADS, Way.ALONE}
    for k in np.flatnonzero(ways == Way.TRIADS).tolist():
        found = dyads[k, : counts[k]]
        first = np.flatnonzero(found[:, 1] == TRIAD)
        assert len(first) and (found[first + 1, 1] == OF_TRIAD).all() and (found[first + 2, 1] == OF_TRIAD).all()
        assert len({*found[:, 0].tolist()}) == counts[k] == (~linkages.fixed[k]).sum() - 1
        kinds = [group.kind for group in linkages.mechanism(k).structure().groups]
        assert kinds.count("class III order 3") == len(first)


def test_the_constants_of_a_triad_are_those_of_its_kernel():
    """The formulas are traced with three bars of 3, 5 and 7 m; the loop writes the constants of each triad itself."""
    c, constants = np.empty(11), np.zeros((3, 6))
    constants[:, 0] = np.square([3.0, 5.0, 7.0]) / 2
    constants[0, 2:] = 11.0, 2.5, 1.25, 1.75
    set_constants(c, constants)
    np.testing.assert_allclose(c, triad_formulas().constants, rtol=1e-15)


def test_a_crank_of_no_length_is_a_fault_with_triads_too(monkeypatch):
    """The loop turned it, status ok."""
    compiled(monkeypatch)
    linkages = sk.Linkages.random(300, 9, seed=5, triads=0.5).take([0])
    points, (pivot, pin) = np.array(linkages.points), linkages.motor[0]
    points[0, pin] = points[0, pivot]
    batch = sk.solve_batch(sk.Linkages(**{**linkages.arrays, "points": points}), angles=TURN)
    assert linkages.ordered()[2][0] == Way.TRIADS
    assert (batch.status[0] == sk.Status.BAD_INPUT).all() and "coincide" in str(batch.faults[0])


def test_the_size_of_a_triad_is_that_of_its_group():
    linkages = sk.Linkages.random(12, 9, seed=5, triads=0.5)
    table = Table.of(linkages, rigid=False, triads=True)
    for k in np.flatnonzero(table.ways == Way.TRIADS).tolist():
        sizes = table.constants[k, np.flatnonzero(table.dyads[k, : table.counts[k], 1] == TRIAD), 2]
        steps = compile_plan(linkages.mechanism(k)).steps
        wanted = [step.kind.rows.size for step in steps if not step.kind.closed_form]
        np.testing.assert_allclose(np.sort(sizes), np.sort(wanted), rtol=1e-12)


def plain_loop():
    """Return the functions of the loop as plain Python, with those that are written for it."""
    names = LOOP_WITH_TRIADS.plain() | {"TRIADS": True, "BEYOND_BARS": True}
    for name, text in (("triads", triad_source()), ("dyads", _formulas(beyond_bars=True))):
        written = vars(plain(f"plain {name}", re.sub(r"(?m)^@njit.*$|^from numba.*$", "", text)))
        names.update({name: one for name, one in written.items() if callable(one)})
        # As compiled, a root of a negative number is none.
        names["sqrt"] = written["sqrt"] = lambda x: math.sqrt(x) if x >= 0.0 else math.nan
    names["dyad_between"] = names["dyad"]
    for function in names.values():
        if isinstance(function, FunctionType):
            function.__globals__.update(names)
    return names


def plainly(linkages, k, angles):
    """Follow the first triad of a linkage in plain Python, its ends as `Mechanism.solve` says.

    Return whether it is proven, the motions (3, 3, 2, n) found, those of `solve`, and its motion.
    """
    table = Table.of(linkages, rigid=False, triads=True)
    s = int(np.flatnonzero(table.dyads[k, :, 1] == TRIAD)[0])
    joints, ends = table.dyads[k, s : s + 3, 0], table.dyads[k, s : s + 3, 2]
    motion = linkages.mechanism(k).solve(drivers={"motor": (angles, 1 + 0 * angles, 0 * angles)})
    x = np.array([[[one(f"J{j}").T for j in range(linkages.joints)]]
                  for one in (motion.position, motion.velocity, motion.acceleration)])  # fmt: skip
    wanted, determinants = x[:, 0, joints].copy(), np.empty(len(angles))
    x[:, 0, joints] = np.nan
    parted = np.zeros(len(angles), bool)
    given = table.constants[k, s : s + 3], linkages.points[k], determinants, np.empty((0, 21)), 0, 1, True, parted
    with np.errstate(all="ignore"):
        is_proven = plain_loop()["triad"](Stations(x, angles, 1.0), 0, joints, ends, *given)
    return is_proven, x[:, 0, joints], wanted, motion


def looped(linkages, k, angles):
    """Solve a linkage by the loop in plain Python; return whether it is doubtful, its statuses and its motions."""
    motor, table, n = Motor.of(angles, 1.0), Table.of(linkages, rigid=False, triads=True), len(angles)
    runner = Runner.of(motor, linkages.joints, 1, 1, beyond_bars=True)
    x, status, doubtful = np.empty((3, 1, linkages.joints, 2, n)), np.zeros((1, n), np.int8), np.zeros(1, bool)
    with np.errstate(all="ignore"):
        plain_loop()["solve"](
            *(x, status, doubtful, motor.angles, 1.0, motor.circle, k, k, k + 1),
            *(table.dyads, table.counts, table.constants, table.terms, table.flat, table.apart, table.modes),
            *(table.ways, linkages.points, linkages.fixed, linkages.motor, *runner.scratch),
            *(STEEP, motor.edges, motor.unseen, motor.is_finer, GUARD**2, motor.parts),
        )
    return bool(doubtful[0]), status[0], x[:, 0]


#: Uneven angles from 0.
UNEVEN = np.sort(7 * np.random.default_rng(1).random(90)) * (np.arange(90) > 0)


@pytest.mark.parametrize("angles", [TURN, -TURN, UNEVEN])
def test_a_triad_that_turns_fully_is_proven(angles):
    linkages = sk.Linkages.random(3, 6, seed=4, triads=1.0, turning=True)
    assert (linkages.ordered()[2] == Way.TRIADS).all()
    for k in range(3):
        is_proven, found, wanted, motion = plainly(linkages, k, angles)
        assert is_proven and motion.ok.all()
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_a_triad_passes_an_angle_that_is_given_twice():
    """As the first sample is where the motion is followed from the sketch by stations between the samples."""
    linkages = sk.Linkages.random(1, 6, seed=4, triads=1.0, turning=True)
    is_proven, found, wanted, motion = plainly(linkages, 0, np.sort(np.append(TURN, TURN[[0, 50]])))
    assert is_proven and motion.ok.all()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_a_triad_goes_on_behind_its_limit_positions_as_in_solve():
    linkages, met = sk.Linkages.random(6, 6, seed=7, triads=1.0), 0
    for k in range(6):
        is_known, found, wanted, motion = plainly(linkages, k, TURN)
        if is_known:
            np.testing.assert_array_equal(np.isnan(found[0, 0, 0]), ~motion.ok)
            np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)
            met += not motion.ok.all()
    assert met >= 2


@pytest.mark.compiled
def test_whether_the_loop_takes_triads_follows_from_the_call(monkeypatch):
    """Not from what is compiled: digits of the loop are those of `solve` to rounding."""
    linkages, motor = sk.Linkages.random(1500, 6, seed=5, triads=0.3), Motor.of(TURN, 1.0)
    for stored in (False, True):
        monkeypatch.setattr(Text, "is_stored", lambda self, name, stored=stored: stored)
        assert takes_triads(motor, linkages) and not takes_triads(motor, linkages.take(slice(50)))
        assert not takes_triads(Motor.of(TURN / 2, 1.0), linkages)


@pytest.mark.parametrize("k", [0, 2, 4, 7, 11])
def test_behind_a_gap_a_triad_goes_on_as_in_solve(k):
    """At gaps of its own, or where a dyad on which its bars stand has one."""
    angles, linkages = np.linspace(0, 2 * np.pi, 80), sk.Linkages.random(12, 9, seed=11, triads=0.4)
    is_doubtful, status, found = looped(linkages, k, angles)
    motion = linkages.mechanism(k).solve(drivers={"motor": (angles, 1 + 0 * angles, 0 * angles)})
    assert not is_doubtful and not motion.ok.all()
    np.testing.assert_array_equal(status, motion.status)
    for j in range(9):
        np.testing.assert_allclose(found[0, j][:, motion.ok].T, motion.position(f"J{j}")[motion.ok], rtol=0, atol=1e-11)


@pytest.mark.parametrize(("joints", "seed", "k"), [(8, 35, 29), (8, 38, 49), (12, 62, 13)])
def test_of_a_gap_between_two_samples_the_one_behind_tells(joints, seed, k):
    linkages = sk.Linkages.random(60, joints, seed=seed, triads=0.1, sliders=0.2)
    is_doubtful, status, found = looped(linkages, k, TURN)
    motion = linkages.mechanism(k).solve(drivers={"motor": TURN})
    assert not is_doubtful
    np.testing.assert_array_equal(status, motion.status)
    for j in range(joints):
        np.testing.assert_allclose(found[0, j][:, motion.ok].T, motion.position(f"J{j}")[motion.ok], rtol=0, atol=1e-10)


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize(("joints", "seed", "triads", "sliders", "samples", "turns", "some"), [
    # Triads and dyads stand on triads that have gaps.
    (12, 12, 0.1, 0.2, 200, 1, [1, 26, 38, 43, 55]),
    (9, 13, 0.3, 0.1, 200, 1, [4, 10, 25, 37, 47, 49]),
    # Stations lie between the samples: all with triads were solved one by one, as the first angle is given twice then.
    (10, 110, 0.15, 0.1, 40, 1, [2, 4, 6, 8, 9, 13, 17]),
    # So were those in which a dyad's gap begins where another one ends, as a triad was not followed in between.
    (12, 89, 0.1, 0.2, 100, 2, [13, 21, 42, 52, 53]),
    # And those with a gap of a triad between two samples, or with a way back that begins beside a limit position.
    (8, 35, 0.1, 0.2, 200, 1, [29, 53]),
    (12, 81, 0.1, 0.2, 200, 1, [25, 38, 57]),
])  # fmt: skip
def test_these_are_decided_in_the_loop(joints, seed, triads, sliders, samples, turns, some, monkeypatch):
    linkages = sk.Linkages.random(60, joints, seed=seed, triads=triads, sliders=sliders)
    compiled(monkeypatch)
    monkeypatch.setattr(Batch, "_alone", None)
    for k in some:
        assert compare(linkages.take(slice(k, k + 1)), np.linspace(0, 2 * np.pi * turns, samples))[0] == 1


def test_a_triad_is_followed_up_to_the_gap_of_its_inputs():
    """The inputs move like a root there: a straight way between samples left the triad's reach."""
    m = sk.Linkages.random(250, 20, seed=7004, triads=0.026, sliders=0.2).mechanism(152)
    fine = np.union1d(TURN[:9], np.linspace(TURN[6], TURN[7], 300))
    found, wanted = (m.solve(drivers={"motor": angles}) for angles in (TURN, fine))
    here = np.searchsorted(fine, TURN[:8])
    assert found.ok[:8].all() and wanted.ok[here].all() and not found.ok[8]
    for joint in m.points:
        np.testing.assert_allclose(found.position(joint)[:8], wanted.position(joint)[here], rtol=0, atol=1e-9)


def test_the_way_on_behind_a_gap_of_the_inputs_is_theirs():
    """They begin a hundredth of a step before a sample, and bend away from it like a root.

    A straight way to the next sample left the triad's reach, and halved five times theirs was not smooth yet.
    """
    angles, m = (
        np.linspace(0, 2 * np.pi, 100),
        sk.Linkages.random(2000, 20, seed=77, triads=0.05, sliders=0.2).mechanism(1534),
    )
    motion = m.solve(drivers={"motor": angles})
    assert motion.ok[[0, 98, 99]].all() and not motion.ok[97]
    for joint in m.points:
        np.testing.assert_allclose(motion.position(joint)[99], m.points[joint], rtol=0, atol=1e-9)


@pytest.mark.full
def test_between_two_samples_alone_between_gaps_another_one_is_found():
    """At both the discriminant is as good as the same, and there is no sample beside them that tells how it moves."""
    angles, linkages = np.linspace(0, 2 * np.pi, 100), sk.Linkages.random(2000, 20, seed=77, triads=0.05, sliders=0.2)
    is_doubtful, status, _ = looped(linkages, 1016, angles)
    fine = np.union1d(angles, np.linspace(angles[98], angles[99], 50))
    between = linkages.mechanism(1016).solve(drivers={"motor": fine}).ok[fine >= angles[98]]
    assert not is_doubtful and status[[97, 98, 99]].tolist() == [1, 0, 1]
    assert between[[0, -1]].all() and not between.all()


def test_what_hangs_on_the_stations_of_solve_is_left():
    """A sample behind a gap lies a tenth of the size from places between the last sample and the limit position."""
    linkages = sk.Linkages.random(40, 19, seed=149048, triads=0.3, sliders=0.2)
    assert looped(linkages, 17, np.linspace(0, 4 * np.pi, 200))[0]


@pytest.mark.full
def test_inputs_that_come_back_between_two_samples_alone_do_not_count():
    angles, linkages = np.linspace(0, 4 * np.pi, 200), sk.Linkages.random(40, 16, seed=277169, triads=0.1)
    is_doubtful, status, _ = looped(linkages, 15, angles)
    motion = linkages.mechanism(15).solve(drivers={"motor": angles})
    assert not is_doubtful
    np.testing.assert_array_equal(status, motion.status)


@pytest.mark.full
def test_a_gap_that_begins_where_that_of_a_triad_ends_is_located():
    """The triad closes there in one call and not in another: the search for a pose before it did not end."""
    m = sk.Linkages.random(20000, 20, seed=20, triads=0.026, sliders=0.2).mechanism(1082)
    assert m.solve(drivers={"motor": TURN}).ok.sum() == 5


@pytest.mark.full
@pytest.mark.parametrize(("k", "behind"), [(13233, 20), (25479, 191)])
def test_no_step_passes_over_a_gap_of_a_triad(k, behind):
    """One did, from a regular pose past one that was taken for flat, and so did one over lanes on both of its sides."""
    m = sk.Linkages.random(30000, 8, seed=79, triads=0.065, sliders=0.2).mechanism(k)
    motion = m.solve(drivers={"motor": TURN})
    assert np.flatnonzero(~motion.ok).tolist() == [behind]
    between = np.linspace(TURN[behind - 1], TURN[behind], 400)
    found = m.solve(drivers={"motor": np.concatenate((TURN[:behind], between, TURN[behind + 1 :]))})
    assert found.ok[behind - 1] and not found.ok[behind : behind + 400].all()


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize(("count", "seed", "k"), [(250, 7013, 94), (250, 7035, 129), (2000, 20, 552)])
def test_what_the_loop_and_solve_once_took_for_another_gap_is_the_same(count, seed, k, monkeypatch):
    """In one a triad has a gap between two samples; in one the way back to its poses takes short steps.

    In the third a gap begins within another one, which began behind a pose.
    """
    monkeypatch.setattr("structkin.solve.batch.runner.FEW_TRIADS", 0)
    assert compare(sk.Linkages.random(count, 20, seed=seed, triads=0.026, sliders=0.2).take(slice(k, k + 1)))[0] == 1


def test_triads_are_random_ones_that_turn_fully():
    linkages = sk.Linkages.random(12, 10, seed=3, triads=0.4, sliders=0.3, turning=True)
    assert (linkages.ordered()[2] == Way.TRIADS).sum() > 5
    assert sk.solve_batch(linkages.take(slice(4)), angles=TURN[::10]).ok.all()


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("turning", [False, True])
def test_mixed_linkages_with_triads_are_those_of_solve(turning, monkeypatch):
    compiled(monkeypatch)
    some, all_ok = compare(sk.Linkages.random(30, 12, seed=3, turning=turning, triads=0.06, sliders=0.2))
    assert some >= 8 and all_ok >= (some if turning else 0)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("turning", [False, True])
def test_thousands_of_mixed_linkages_are_those_of_solve(turning, monkeypatch):
    compiled(monkeypatch)
    some, _ = compare(sk.Linkages.random(2000, 20, seed=20, turning=turning, triads=0.026, sliders=0.2))
    assert some > 500
