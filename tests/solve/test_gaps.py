"""Behind a gap, where no pose exists, one rule says where a motion goes on: for all methods and at any samples."""

import sys

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.plan.status import Status
from structkin.solve.engine import Lanes
from structkin.solve.solve_groups import mark_gaps, solve_groups
from structkin.solve.sweep import sweep_between

METHODS = "topological", "topological-kl", "global"
SAMPLES = 13, 37, 91, 181, 361, 721


def platform(points, lengths=None, **fan):
    """A plate PQR on the legs B-P, F-Q and G-R, driven by the crank O-B; `fan` turns by itself beside it."""
    drivers = {"m": {"joint": "O", "speed": 1.0}}
    links = {"ground": ["O", "F", "G"], "crank": ["O", "B"], "plate": ["P", "Q", "R"], "a": ["B", "P"], "b": ["F", "Q"],
             "c": ["G", "R"]}  # fmt: skip
    if fan:
        points = {**points, "X": (10, 0), "Y": (11, 0)}
        links |= {"ground": ["O", "F", "G", "X"], "fan": ["X", "Y"]}
        drivers["fan"] = {"joint": "X", **fan}
    return sk.Mechanism(points=points, links=links, drivers=drivers, lengths=lengths or {}, duration=2 * np.pi)


SWING = {"O": (0, 0), "B": (0, 1.2), "P": (0.6, 3.0), "F": (5, -0.5), "Q": (3.4, 3.2), "G": (2, 7), "R": (2.0, 4.8)}


@pytest.mark.parametrize("samples", few([37, 361], 1))
def test_a_driver_that_does_not_move_a_group_does_not_count(samples):
    """Where it did not come back as well, the group was lost for the rest of the turn: 30 of 361 samples."""
    interval = platform(SWING).limits("m").intervals[0]
    first, last = interval.low.value, interval.high.value
    for speed in (0.0, 0.5, 2.0, 2.123):
        m = platform(SWING, speed=speed)
        for method in METHODS:
            motion = m.solve(samples, method=method)
            z = motion.drivers["m"][0]
            reached = np.any([(first < z + turn) & (z + turn < last) for turn in (-2 * np.pi, 0, 2 * np.pi)], axis=0)
            np.testing.assert_array_equal(motion.ok, reached)
            assert 0 < motion.ok.sum() < samples and set(motion.status) == {Status.OK, Status.OUT_OF_REACH}


# Random platforms whose exact lengths do not close in the pose of their sketch.
OPEN = [
    ({"O": (-0.732, -0.194), "F": (-0.593, -0.475), "G": (0.501, -0.439), "P": (-0.03, 0.961), "Q": (0.923, 0.45),
      "R": (0.082, -0.446), "B": (-1.275, 0.558)}, {"B-P": 1.1270291588964596, "F-Q": 1.189010790558847}),
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(("points", "lengths"), OPEN)
def test_a_group_that_is_open_in_the_sketch_begins_at_the_same_place_at_any_samples(points, lengths):
    """It began at up to 24 samples next to the sketch: 58 % of them were ok at 13 to 181 samples, at 361 none."""
    m = platform(points, lengths)
    fine = m.solve(7201)
    ends = fine.t[np.flatnonzero(np.diff(fine.ok))]
    assert len(ends) == 2 and fine.residual()[fine.ok].max() < 1e-12
    for samples in SAMPLES:
        for method in METHODS:
            motion = m.solve(samples, method=method)
            near = np.min(np.abs(motion.t[:, None] - ends), axis=1) < 1e-3
            np.testing.assert_array_equal(motion.ok | near, ((motion.t > ends[0]) & (motion.t < ends[1])) | near)
            both = motion.ok & fine.ok[:: 7200 // (samples - 1)]
            place = fine.position("P")[:: 7200 // (samples - 1)]
            np.testing.assert_allclose(motion.position("P")[both], place[both], atol=1e-8)


def rocked_parallelogram(before: float, limit: float = np.nan, start: float = 0.3):
    """A parallelogram on the rocker of a four-bar, flat where the crank is this far `before` its limit [rad].

    With a `limit` shortly before half a turn [rad] the gap of the four-bar is as narrow.
    """
    a, b, c, d = 1.5, 1.2, 1.3, 2.2
    if np.isnan(limit):
        limit = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    else:
        a = 1.0
        c = np.sqrt(a * a + d * d - 2 * a * d * np.cos(limit)) - b

    def rocker(angle):
        B = a * np.exp(1j * angle)
        r = abs(d - B)
        along = (r * r + b * b - c * c) / (2 * r)
        return B, B + (d - B) / r * complex(along, np.sqrt(b * b - along**2)) - d

    across = 1.1 * np.exp(1j * np.angle(rocker(limit - before)[1]))
    B, arm = rocker(start)
    E = d + 0.8 * arm / c
    points = {"A": 0j, "B": B, "C": d + arm, "D": d + 0j, "E": E, "F": E + across, "G": d + across}
    return sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in points.items()},
        links={"ground": ["A", "D", "G"], "crank": ["A", "B"], "rod": ["B", "C"], "rocker": ["D", "C", "E"],
               "bar": ["E", "F"], "arm": ["G", "F"]},
        lengths={"D-E": 0.8, "G-F": 0.8, "E-F": 1.1, "D-G": 1.1},
        drivers={"motor": {"joint": "A", "speed": 1}},
    ), across, limit  # fmt: skip


@pytest.mark.parametrize("method", few(METHODS, 1, 1))
@pytest.mark.parametrize("before", few([1e-3, 1e-5], 1))
def test_a_change_point_beside_the_gap_of_an_earlier_dyad_is_passed(before, method):
    """Where no sample lay between both, it was not seen, and the parallelogram went on crossed behind the gap."""
    m, across, limit = rocked_parallelogram(before)
    seen = []
    for parts in (1, 2, 3, 5, 7, 15, 25, 1000):
        motion = m.solve(4 * parts + 1, duration=8.0, method=method)
        moved = (motion.position("F") - motion.position("E")) @ (1, 1j)
        first = motion.drivers["motor"][0] < limit
        np.testing.assert_allclose(moved[first], across, atol=1e-12)
        seen.append((motion.position("F")[::parts], motion.status[::parts]))
    for places, status in seen[1:]:
        np.testing.assert_allclose(places, seen[0][0], atol=1e-9)
        np.testing.assert_array_equal(status, seen[0][1])
    assert seen[0][1].tolist() == [0, 1, 1, 0, 1]


@pytest.mark.parametrize("method", few(METHODS, 1))
@pytest.mark.parametrize(("half", "before"), few([(0.001, 1e-4), (0.005, 1e-3)], 1))
def test_a_change_point_beside_a_gap_between_two_stations_is_passed(half, before, method):
    """Where no sample lay in the gap, it was not seen, and the parallelogram went on crossed behind: off by 0.2."""
    m, across, _ = rocked_parallelogram(before, np.pi - half, start=2.0)
    for samples in (30, 63, 201):
        motion = m.solve(samples, duration=2.0, method=method)
        moved = (motion.position("F") - motion.position("E")) @ (1, 1j)
        np.testing.assert_allclose(moved[motion.ok], across, atol=1e-9)
        # Of a gap between two samples the second says that it is there.
        lost = np.flatnonzero(~motion.ok)
        assert 1 <= len(lost) <= 2 and (motion.status[lost] == sk.Status.OUT_OF_REACH).all()
        assert abs(motion.drivers["motor"][0][lost[0]] - np.pi) < 2.0 / (samples - 1) + half


@pytest.mark.parametrize("samples", [63, 201])
def test_a_gap_between_two_stations_counts_where_another_group_is_lost(samples):
    """Where the rod is out of reach, its status hides that of the four-bar: its gap is there all the same."""
    m, across, _ = rocked_parallelogram(1e-3, np.pi - 0.005, start=2.0)
    lost = sk.Mechanism(
        points={**m.source_dict["points"], "X": (0.6, 2.2), "Y": (2.5, 0)},
        links={**m.source_dict["links"], "ground": ["A", "D", "G", "Y"], "a rod": ["B", "X"], "an arm": ["X", "Y"]},
        lengths={**m.source_dict["lengths"], "B-X": 1.8, "X-Y": 1.65},
        drivers=m.source_dict["drivers"],
    )
    motion = lost.solve(samples, duration=2.0)
    places = motion.position("F") - motion.position("E")
    behind = np.isfinite(places[:, 0]) & (motion.status == Status.OUT_OF_REACH)
    assert np.isnan(motion.position("X")[behind]).any() and behind[motion.drivers["motor"][0] > 3.2].any()
    known = np.isfinite(places[:, 0])
    np.testing.assert_allclose(places[known] @ (1, 1j), across, atol=1e-9)


def test_stations_are_added_only_beside_gaps_of_what_a_group_depends_on(monkeypatch):
    """Behind a gap of another chain all stations were taken for beside one: 12 sweeps of up to 2,342 stations."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 1.5), "D": (3.2, 0), "E": (1.6, -2.2), "F": (2.6, -1.2),
                "G": (3.4, -2.4), "H": (4.6, -1)},
        links={"ground": ["A", "D", "F", "H"], "crank": ["A", "B"], "a": ["B", "C"], "b": ["C", "D"], "c": ["B", "E"],
               "d": ["E", "F"], "e": ["E", "G"], "f": ["G", "H"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip
    swept = []

    def counted(plan, schedule, *rest, **options):
        swept.append(len(schedule))
        return sweep_between(plan, schedule, *rest, **options)

    monkeypatch.setattr(sys.modules[solve_groups.__module__], "sweep_between", counted)
    motion = m.solve(361)
    # By the triangle inequality, with the distance of the crank pin from each pivot.
    B = np.exp(1j * motion.drivers["motor"][0])
    closed = (abs(B - 3.2) < abs(1 + 1.5j) + abs(1.2 - 1.5j), abs(B - 2.6 + 1.2j) < abs(0.6 - 2.2j) + abs(1 + 1j))
    np.testing.assert_array_equal(motion.ok, closed[0] & closed[1])
    assert np.isfinite(motion.position("G")[closed[1]]).all() and sum(swept) <= 2 * 361


def four_bar(miss):
    """Crank 1, coupler 2, rocker 1 - miss, ground 2: nearly a parallelogram, which does not close flat."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (np.cos(0.7), np.sin(0.7)), "C": (2 + np.cos(0.7), np.sin(0.7)), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": 1, "B-C": 2, "C-D": 1 - miss, "A-D": 2},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


@pytest.mark.parametrize("samples", few([2, 5, 37, 90, 361, 1000], 2))
@pytest.mark.parametrize("miss", [1e-3, 1e-4, 1e-5, 1e-7])
def test_a_gap_of_a_dyad_is_seen_between_samples(miss, samples):
    """Crank and ground span 3 at the angle pi, and 1 at 0: coupler and rocker close at less than 3 - miss and 1 + miss.

    Those were passed, status ok, where no sample lay in them.
    """
    motions = [four_bar(miss).solve(samples, method=method) for method in METHODS]
    z = motions[0].drivers["motor"][0]
    far = np.sqrt(5 - 4 * np.cos(z))
    out = (far > 3 - miss) | (far < 1 + miss)
    passed = np.floor(z / np.pi)
    behind = ~out & np.append(False, (np.diff(passed) > 0) & ~out[:-1])
    for motion in motions:
        np.testing.assert_array_equal(motion.status, np.where(out | behind, Status.OUT_OF_REACH, Status.OK))
    one, other = (motions[k].position("C")[motions[0].ok] for k in (0, 2))
    np.testing.assert_allclose(one, other, atol=1e-8)


#: A motion that meets a gap of 9 ms between two limits, from t = 0.5801 to 0.5888 of its turn.
NARROW = {"O": (-0.34505735, -0.87255946), "B": (-0.74948765, -0.94862774), "F": (0.94098513, 0.01177438),
          "G": (0.03818885, 0.8275685), "P": (-0.97559403, -0.31612267), "Q": (0.72165846, -0.27276088),
          "R": (0.58002541, 0.70964923)}  # fmt: skip


@pytest.mark.parametrize("samples", few([53, 91, 92, 181], 1))
def test_a_gap_of_a_triad_is_seen_between_samples(samples):
    """At 53 and 91 samples none lies in it, and the motion went on behind it, status ok."""
    links = {"ground": ["O", "F", "G"], "crank": ["O", "B"], "plate": ["Q", "P", "R"], "a": ["F", "Q"],
             "b": ["B", "P"], "c": ["G", "R"]}  # fmt: skip
    m = sk.Mechanism(points=NARROW, links=links, drivers={"m": {"joint": "O", "speed": 2 * np.pi}})
    fine = m.solve(t=np.linspace(0.57, 0.6, 3001))
    low, high = fine.t[np.flatnonzero(~fine.ok)[[0, -1]]]
    for method in METHODS:
        motion = m.solve(samples, duration=1.0, method=method)
        inside = (low <= motion.t) & (motion.t <= high)
        first = int(np.argmax(motion.t > high))
        expected = np.where(inside, Status.OUT_OF_REACH, Status.OK)
        expected[first] = Status.OK if inside.any() else Status.OUT_OF_REACH
        np.testing.assert_array_equal(motion.status, expected)


@pytest.mark.parametrize("samples", few([37, 73, 109, 253, 397], 2))
def test_a_triad_whose_limit_lies_just_before_the_gap_of_the_dyad_that_moves_it(samples):
    """At up to 109 samples none lay between both: the motion went on behind the dyad's gap as if the triad had none."""
    m = sk.Mechanism(
        points={"A": (0.366347, 0.199295), "B": (0.701109, 0.173321), "D": (0.088558, 0.653192),
                "C": (0.389597, 0.187336), "P": (0.658849, 0.026378), "Q": (0.491314, 0.852536),
                "R": (0.515817, 0.453328)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "arm": ["D", "C"],
               "plate": ["P", "Q", "R"], "a": ["A", "Q"], "b": ["D", "R"], "c": ["C", "P"]},
        drivers={"m": {"joint": "A", "links": ["ground", "crank"], "speed": 1.0}},
    )  # fmt: skip
    limit = m.limits("m").intervals[0].high.value - m.drivers["m"].start
    motion = m.solve(samples)
    z, dyad = motion.t, np.isfinite(motion.position("C")[:, 0])
    # Behind it the triad comes back to where it has been shortly after half a turn.
    begins = float(z[(z > limit) & motion.ok][0])
    assert limit < z[~dyad][0] < limit + 0.16 and 3.85 < begins < 3.9 + 2 * np.pi / (samples - 1)
    np.testing.assert_array_equal(motion.ok[z < begins], z[z < begins] < limit)


def test_a_path_that_cuts_through_a_hole_between_two_samples_and_comes_back_around_it():
    """E runs on a circle of radius 1, and the rod to F is 0.5 long: F cannot come nearer than 0.5 to the centre.

    The way from sample 16 to 17 is a chord through this hole, with both ends outside; then F returns to sample 16 on
    free ways. Both were ok.
    """
    A, D, offset = 0j, 1.1 + 0.2j, 0.7 - 0.9j
    F = offset + 0.9j
    E = offset + np.exp(1j * (np.pi / 2 + np.arccos((1 + 0.9**2 - 0.5**2) / (2 * 0.9))))
    B = E - offset
    points = {"S": F + 0.3, "A": A, "D": D, "B": B, "C": D + B, "E": E, "F": F}
    m = sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in points.items()},
        links={"ground": ["A", "D"], "across": ["S"], "up": ["F"], "rod": ["F", "E"], "left": ["A", "B"],
               "plate": ["B", "C", "E"], "right": ["D", "C"]},
        joints={"x": {"type": "prismatic", "links": ["ground", "across"], "at": "S", "axis": [1, 0]},
                "y": {"type": "prismatic", "links": ["across", "up"], "at": "F", "axis": [0, 1]}},
        drivers={"east": {"joint": "x"}, "north": {"joint": "y"}},
    )  # fmt: skip
    chord = 0.03
    k0 = offset + 1j * (0.5 - 0.7 * chord**2 / 4) - chord / 2
    k1, k2 = k0 + chord, k0 + chord * (0.5 + 0.2j)
    assert abs((k0 + k1) / 2 - offset) < 0.5 < min(abs(k0 - offset), abs(k1 - offset))
    path = np.array([*np.linspace(F, k0, 17), k1, k2, *np.linspace(k0 + 0.05j * chord, F, 6)])
    for way, places in ((path, [16, 17]), (path[::-1], [7, 8])):
        values = {"east": (way - F).real + m.drivers["east"].start, "north": (way - F).imag + m.drivers["north"].start}
        for method in METHODS:
            motion = m.solve(drivers=values, method=method)
            assert motion.ok.sum() > 12 and not motion.ok[places].all()


def test_samples_far_apart_say_that_a_gap_lies_between_them():
    """A crank that does not turn fully, half a turn on: the poses are those of the mode, and the path is not."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2 * np.cos(0.3), 2 * np.sin(0.3)), "C": (2.5, 1.1), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": 2, "B-C": 1.5, "C-D": 1.2, "A-D": 2},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    for method in METHODS:
        motion = m.solve(drivers={"motor": [0.3, 0.3 + 4 * np.pi, 0.4 + 4 * np.pi]}, method=method)
        assert motion.status.tolist() == [Status.OK, Status.OUT_OF_REACH, Status.OK]
        assert "stops at" in motion.report and "resumes at" in motion.report


@pytest.mark.parametrize("why", [Status.OUT_OF_REACH, Status.UNCERTIFIED, Status.NOT_CONVERGED])
def test_a_stretch_between_samples_that_was_not_followed_is_reported_behind_it(why):
    """Where it was not converged, the samples on both sides were ok. A gap ends the motion, else nothing is proved."""
    status, group = np.zeros(9, np.int8), np.full(9, -1, np.int32)
    status[[4, 5]], group[[4, 5]] = why, 2
    kept = np.array([0, 3, 6, 8])
    lanes = Lanes(np.zeros((1, 0, 4)), np.zeros(4, np.int8), np.full(4, -1, np.int32), np.zeros(0))
    mark_gaps(status, group, kept, lanes)
    outcome = Status.OUT_OF_REACH if why == Status.OUT_OF_REACH else Status.UNCERTIFIED
    assert lanes.status.tolist() == [0, 0, outcome, 0] and lanes.group.tolist() == [-1, -1, 2, -1]


@pytest.mark.parametrize("samples", few([73, 721], 1))
def test_three_cranks_whose_pins_meet_on_the_way_are_followed(samples):
    """Steps were divided until rounding decided the dyad's mode there, and the third crank was not followed.

    The line between the outer pins of crank and rocker reverses where these meet: it turns by half a turn in no time.
    """
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (0.5, 0.8), "D": (0.6, 0.8), "E": (1.6, 0.8), "F": (1.1, 1.6)},
        links={"ground": ["A", "B", "C"], "one": ["A", "D"], "two": ["B", "E"], "three": ["C", "F"],
               "plate": ["D", "E", "F"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve(samples)
    assert motion.ok.all()
    for point in "EF":
        level = motion.position(point) - motion.position("D")
        np.testing.assert_allclose(level, np.subtract(m.points[point], m.points["D"]) + 0 * level, atol=1e-12)


@pytest.mark.parametrize("samples", [92, 361])
def test_closed_forms_behind_a_stretch_that_is_not_certified(samples):
    """The plate's legs fold flat far from the origin, and it returns; `rocker` has passed a flat pose in between."""
    m = sk.Mechanism(
        points={
            "A": (-115.10881988901608, 566.8233980526237), "T": (-115.18176375261095, 567.8207341006857),
            "W": (-113.2677325745898, 567.3790652099271), "P": (-113.65726247130593, 569.3705389112388),
            "D": (-112.79349397876179, 567.8932248842091), "E": (-114.99600928610862, 568.2556398169578),
            "B": (-111.8426216017423, 567.2962265531607), "F": (-113.56684189276984, 568.4867526574243),
            "K": (-115.76935720011667, 568.849167590173), "G": (-115.33611103236177, 568.23072815831),
            "H": (-111.14301322191938, 569.3292606212136), "C": (-112.25990228937113, 569.4438210666557),
        },
        links={"ground": ["A", "W", "D", "F", "H"], "crank": ["A", "T"], "wheel": ["W", "P"], "rod": ["P", "G"],
               "left": ["D", "E", "B"], "right": ["F", "K"], "plate": ["E", "K", "G"], "coupler": ["B", "C"],
               "rocker": ["H", "C"]},
        joints={"mesh": {"type": "gear", "carrier": "ground", "centers": ["A", "W"], "links": ["crank", "wheel"],
                         "teeth": [12, 24]}},
        drivers={"motor": {"joint": "A", "links": ["ground", "crank"]}},
    )  # fmt: skip
    values = {"motor": np.linspace(0.94, -24.19, samples)}
    motion, whole = m.solve(drivers=values), m.solve(drivers=values, method="global")
    lost = np.argmin(motion.ok)
    assert whole.ok.all() and lost > 10 and (motion.status[lost:] == sk.Status.UNCERTIFIED).all()
    for point in "KC":
        np.testing.assert_allclose(motion.position(point)[:lost], whole.position(point)[:lost], atol=1e-8)


def test_a_pose_soon_before_a_limit_position_is_certified():
    """A whole turn back is the sketch again, soon after which a triad has a limit position.

    On the way there steps were shortened twice, once in either half of an interval. Each half's circle felt the limit
    position a little, as lengths that just miss a flat pose would show around the same place.
    """
    m = sk.Linkages.random(1500, 15, seed=15, triads=0.05).mechanism(375)
    motion = m.solve(drivers={"motor": np.linspace(0, -2 * np.pi, 151)})
    assert motion.ok[[0, *range(135, 151)]].all() and not motion.ok[1:135].any()
    for point in m.points:
        np.testing.assert_allclose(motion.position(point)[[0, -1]], [m.points[point]] * 2, atol=1e-10)
