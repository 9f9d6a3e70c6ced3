"""Many linkages of different topologies in one call: `solve_batch`, and where their arrays come from."""

import tracemalloc

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path as example
from structkin.kernels.text import Text
from structkin.solve.batch import batch as batch_module
from structkin.solve.batch import runner
from structkin.solve.batch.batch import Batch
from structkin.solve.batch.motor import Motor

TURN = np.linspace(0, 2 * np.pi, 200)
#: Bars of a four-bar of joints 0 to 3, and of a triad of which no joint is on two known ones.
FOUR_BAR = [(0, 1), (1, 2), (2, 3)]
TRIAD = [(0, 1), (1, 2), (3, 4), (5, 6), (2, 4), (4, 6), (6, 2)]


def arrays(bars, places, fixed, motor=(0, 1)):
    adjacency = np.zeros((1, len(places), len(places)))
    for a, b in bars:
        adjacency[0, a, b] = adjacency[0, b, a] = 1
    return adjacency, np.array([places], float), np.isin(np.arange(len(places)), fixed)[None], motor


def four_bar(crank=1.0, coupler=3.0, rocker=2.5, ground=3.5, at=0.7):
    """Return the arrays of a four-bar, drawn with its crank at an angle."""
    B = crank * np.array([np.cos(at), np.sin(at)])
    across = np.array([ground, 0]) - B
    d = np.hypot(*across)
    along = (coupler**2 - rocker**2 + d**2) / (2 * d)
    C = B + (along * across + np.sqrt(coupler**2 - along**2) * np.array([-across[1], across[0]])) / d
    return arrays(FOUR_BAR, [(0, 0), B, C, (ground, 0)], [0, 3])


def scattered(count, joints, seed):
    """Return linkages of dyads with joints anywhere, numbered at random: most do not turn fully."""
    rng, made = np.random.default_rng(seed), sk.Linkages.random(count, joints, seed=seed)
    order = np.argsort(rng.random((count, joints)), axis=1)
    k = np.arange(count)[:, None]
    adjacency = made.adjacency[k[..., None], order[:, :, None], order[:, None, :]]
    number = np.argsort(order, axis=1)
    return sk.Linkages.of(adjacency, made.points[k, order], made.fixed[k, order], number[:, :2])


def compiled(monkeypatch):
    monkeypatch.setattr(runner, "COMPILING", 0.0)
    monkeypatch.setattr(runner, "FEW_TRIADS", 0)


def one_by_one(monkeypatch):
    monkeypatch.setattr(runner, "has_numba", lambda: False)


def test_arrays_of_any_layout_are_those_for_which_the_loops_are_compiled():
    """A pair for all linkages, as the documentation writes it, once made Numba compile the loops again."""
    adjacency, places, fixed, motor = arrays(FOUR_BAR, [(0, 0), (1, 1), (3, 2), (4, 0)], [0, 3])
    many = [np.asfortranarray(np.repeat(one, 3, axis=0)) for one in (adjacency, places, fixed)]
    bodies, slides = np.asfortranarray(np.full((3, 4), -1)), np.asfortranarray(np.full((3, 4, 2), np.nan))
    made = sk.Linkages.of(*many, motor, bodies=bodies, slides=slides)
    assert all(one.flags.c_contiguous for one in made.arrays.values())
    single = sk.Linkages.of(*many[:1], many[1].astype(np.float32), many[2], motor)  # without a warning
    np.testing.assert_array_equal(single.points, made.points)


def compare(batch, some=None):
    """Check that linkages of a batch have the statuses and the digits of `Mechanism.solve`; return the statuses."""
    n, joints = len(batch.angles), range(batch.linkages.points.shape[1])
    for k in range(len(batch)) if some is None else some:
        drivers = {"motor": (batch.angles, np.full(n, batch.speed), np.zeros(n))}
        motion = batch.linkages.mechanism(k).solve(drivers=drivers)
        np.testing.assert_array_equal(batch.status[k], motion.status, str(k))
        for name in ("position", "velocity", "acceleration"):
            own = [getattr(motion, name)(f"J{j}").T for j in joints]
            np.testing.assert_array_equal(getattr(batch, name)[k], own, f"{name} {k}")
            found, wanted = (np.nan_to_num(values) for values in (getattr(batch, name)[k], own))
            np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted), f"{name} {k}: the sign of a zero")
    return set(batch.status.ravel().tolist())


@pytest.mark.parametrize("road", [pytest.param(compiled, marks=pytest.mark.compiled), one_by_one])
@pytest.mark.parametrize("joints", [5, 9])
def test_statuses_and_digits_are_those_of_solve(joints, road, monkeypatch):
    road(monkeypatch)
    found = compare(sk.solve_batch(scattered(12, joints, seed=joints), angles=TURN, speed=2.0))
    assert found == {sk.Status.OK, sk.Status.OUT_OF_REACH}


@pytest.mark.compiled
@pytest.mark.parametrize(("seed", "k"), [(20, 3808), (22, 888), (30, 2649)])
def test_dyads_whose_ends_keep_their_distance_are_decided_however_flat_they_are(seed, k, monkeypatch):
    """On one link, drawn within 1e-8 of flat, they were left to be solved alone."""
    compiled(monkeypatch)
    batch = sk.solve_batch(sk.Linkages.random(4000, 20, seed=seed).take(slice(k, k + 1)), angles=TURN)
    monkeypatch.setattr(sk.Batch, "_alone", None)
    compare(batch)


@pytest.mark.compiled
@pytest.mark.parametrize(("k", "sample"), few([(3399, -1), (1484, -1), (6345, -2)], 1))
def test_a_pose_between_two_gaps_is_seen_though_it_is_soon_over(k, sample, monkeypatch):
    """Within one of 199 intervals a gap ends, and another one begins and ends: the sample is behind both.

    There is a pose between them in a tenth and in a hundredth of the interval; or there is the gap in a seventieth.
    """
    compiled(monkeypatch)
    batch = sk.solve_batch(sk.Linkages.random(10_000, 20, seed=7020).take(slice(k, k + 1)), angles=TURN)
    compare(batch)
    assert batch.status[0, sample] == sk.Status.OUT_OF_REACH


@pytest.mark.compiled
@pytest.mark.parametrize("crank", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_zeros_of_rates_have_the_sign_that_solve_gives_them(crank, monkeypatch):
    """A crank along an axis had a velocity of -0 in the loop, and of 0 one by one."""
    compiled(monkeypatch)
    a, b = crank
    given = arrays([(0, 1), (1, 2), (2, 3)], [(0, 0), crank, (3 + a, 2 + b), (4, 0)], [0, 3])
    compare(sk.solve_batch(*given, np.linspace(0, 2 * np.pi, 9)))


@pytest.mark.compiled
def test_zeros_of_rates_on_a_grid_have_the_sign_that_solve_gives_them(monkeypatch):
    """A pin of a dyad that stands still for a moment had a velocity of -0 in the loop."""
    compiled(monkeypatch)
    random = sk.Linkages.random(40, 6, seed=5)
    batch = sk.solve_batch(
        random.adjacency, np.round(6 * random.points) / 6, random.fixed, random.motor, np.linspace(0, 2 * np.pi, 25)
    )
    compare(batch, [k for k in range(40) if k not in batch.faults])


@pytest.mark.compiled
@pytest.mark.parametrize("end", [0.3, 0.1 + 0.2])
def test_a_bar_whose_ends_coincide_to_rounding_is_a_fault(end, monkeypatch):
    """It was solved, by rounding, if its ends differed in the last digit."""
    compiled(monkeypatch)
    given = arrays([(0, 1), (1, 2), (2, 3)], [(0, 0), (0.3, 0.4), (end, 0.4), (1, 0)], [0, 3])
    batch = sk.solve_batch(*given, TURN)
    assert (batch.status == sk.Status.BAD_INPUT).all()
    assert "coincide" in str(batch.faults[0])


@pytest.mark.compiled
@pytest.mark.parametrize("angles", [np.linspace(-0.3, 1.4, 40), np.linspace(0.4, -2, 60), np.array([0.5])])
def test_a_range_about_the_sketch_is_solved_in_the_loop(angles, monkeypatch):
    """The crank turns back at one end of it: two thirds of linkages of 20 joints were left to be solved alone."""
    compiled(monkeypatch)
    batch = sk.solve_batch(sk.Linkages.random(100, 20, seed=3), angles=angles)
    monkeypatch.setattr(sk.Batch, "_alone", None)
    compare(batch, range(0, 100, 10))


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("seed", "k", "angles"),
    few([(26, 55, [1, -0.5]), (8, 43, np.linspace(-0.5, 1, 5)), (1, 50, np.linspace(0, 2 * np.pi, 7))], 1),
)
def test_a_pose_between_two_gaps_counts_where_samples_are_far_apart(seed, k, angles, monkeypatch):
    """The samples on both sides have none near by: the second one was said to follow only the gap of the first."""
    compiled(monkeypatch)
    compare(sk.solve_batch(sk.Linkages.random(60, 10, seed=seed).take(slice(k, k + 1)), angles=angles))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "angles",
    [
        np.linspace(0.5, 3, 60),  # begins away from the sketch, and is no whole turn
        np.linspace(0, 2 * np.pi, 37),  # in steps that are divided
        np.linspace(-1, 1, 90) ** 3,  # uneven
        np.sin(np.linspace(0, 4, 90)),  # turns back
        np.array([0.3]),
    ],
)
def test_all_kinds_of_samples_are_those_of_solve(angles, monkeypatch):
    compiled(monkeypatch)
    compare(sk.solve_batch(scattered(6, 6, seed=1), angles=angles))


@pytest.mark.compiled
def test_gaps_between_two_samples_are_found(monkeypatch):
    """A rocker that is out of reach for a part of the step between two samples."""
    compiled(monkeypatch)
    found = set()
    for over in 1e-5 * np.arange(1, 9):
        # Out of reach where the crank is on the line of the ground, pointing away: at half a turn, between two samples.
        batch = sk.solve_batch(*four_bar(1.0, 2.5, 2.0 - over, 3.5), TURN - 0.7)
        found |= compare(batch)
    assert sk.Status.OUT_OF_REACH in found


@pytest.mark.compiled
def test_a_narrow_gap_where_the_ends_of_a_dyad_nearly_meet_is_decided_in_the_loop(monkeypatch):
    """The crank's pin passes the rocker's pivot at 2e-5, nearer than the difference 1e-4 of the bars, between samples.

    The squared sine is -2.4e-9 there: within what 1e-8 of the size may make of it, though 8e-5 is lacking.
    """
    compiled(monkeypatch)
    batch = sk.solve_batch(*four_bar(1.0, 2.0, 2.0001, 1.00002), TURN - 0.69)
    compare(batch)
    assert np.flatnonzero(batch.status[0]).tolist() == [199] and batch.status[0, 199] == sk.Status.OUT_OF_REACH
    monkeypatch.setattr(type(batch), "_alone", None)
    assert (sk.solve_batch(batch.linkages, angles=batch.angles).status == batch.status).all()


@pytest.mark.compiled
@pytest.mark.parametrize(("finer", "middle"), [(8, 0.0), (32, 1 / 16)])
def test_a_limit_position_next_to_a_part_of_an_interval_is_decided_in_the_loop(finer, middle, monkeypatch):
    """Parts into which an interval was divided lay 1e-9 inside of the ends of a gap: as little may be rounding."""
    compiled(monkeypatch)
    step = TURN[1]
    reach = np.sqrt(1.0 + 3.5**2 - 7.0 * np.cos(np.pi - (step / finer + 1e-9)))
    batch = sk.solve_batch(*four_bar(1.0, 2.5, reach - 2.5, 3.5), TURN - 0.7 - middle * step)
    compare(batch)
    assert np.flatnonzero(batch.status[0]).tolist() == [100] and batch.status[0, 100] == sk.Status.OUT_OF_REACH
    monkeypatch.setattr(type(batch), "_alone", None)
    assert (sk.solve_batch(batch.linkages, angles=batch.angles).status == batch.status).all()


@pytest.mark.compiled
def test_a_linkage_drawn_just_inside_of_its_reach_is_decided_in_the_loop(monkeypatch):
    """It lacks 1e-8 of being flat in the sketch, where it comes to after a turn: a limit position, no change point."""
    compiled(monkeypatch)
    at = np.arccos((1.0 + 3.5**2 - 3.9**2) / 7.0) - 1e-8
    batch = sk.solve_batch(*four_bar(1.0, 2.0, 1.9, 3.5, at), TURN)
    assert compare(batch) == {sk.Status.OK, sk.Status.OUT_OF_REACH} and batch.ok[0, [0, -1]].all()
    monkeypatch.setattr(type(batch), "_alone", None)
    assert (sk.solve_batch(batch.linkages, angles=batch.angles).status == batch.status).all()


@pytest.mark.compiled
@pytest.mark.parametrize("ground", [3.0, 3.0 + 1e-13, 3.0 + 1e-10, 3.0 + 1e-5, 3.0 - 1e-5])
def test_a_change_point_is_passed_as_solve_passes_it(ground, monkeypatch):
    """A parallelogram, and some that nearly are one: the first two pass their flat poses smoothly."""
    compiled(monkeypatch)
    batch = sk.solve_batch(*four_bar(1.0, 3.0, 1.0, ground), TURN)
    compare(batch)
    if ground < 3.0 + 1e-12 and ground >= 3.0:
        rocker = batch.position[0, 2] - batch.position[0, 3]
        crank = batch.position[0, 1] - batch.position[0, 0]
        assert batch.ok.all() and np.abs(rocker - crank).max() < 1e-9


@pytest.mark.compiled
@pytest.mark.parametrize("before", [1e-3, 1e-5])
def test_a_change_point_beside_the_gap_of_an_earlier_dyad_is_passed_as_solve_passes_it(before, monkeypatch):
    """A parallelogram on a rocker, flat where the crank is this far `before` its limit [rad], between two samples.

    Its coupler never turns: behind the gap the loop had it crossed, status ok.
    """
    compiled(monkeypatch)
    crank, coupler, rocker, ground, start = 1.5, 1.2, 1.3, 2.2, 0.3
    limit = np.arccos((crank**2 + ground**2 - (coupler + rocker) ** 2) / (2 * crank * ground))
    flat, drawn = (four_bar(crank, coupler, rocker, ground, at)[1][0] for at in (limit - before, start))
    across = 1.1 * (flat[2] - flat[3]) / rocker
    bars, places = [*FOUR_BAR, (2, 4), (4, 5)], [*drawn, drawn[2] + across, drawn[3] + across]
    batch = sk.solve_batch(*arrays(bars, places, [0, 3, 5]), TURN[:160])
    assert compare(batch) == {sk.Status.OK, sk.Status.OUT_OF_REACH}
    moved = (batch.position[0, 4] - batch.position[0, 2]).T[batch.ok[0]]
    np.testing.assert_allclose(moved, np.broadcast_to(across, moved.shape), atol=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize(("joints", "those"), few([(7, [796, 1141, 2177, 3603]), (20, [558])], 1))
def test_what_was_hard_to_decide_among_thousands_is_decided_in_the_loop(joints, those, monkeypatch):
    """Bars on both ends of a link behind gaps have the same sine at all angles: no clearance proves that none is flat.

    Among those of 20 joints one is drawn with a sine of 3.5e-6, and comes back to this limit position:
    parts of the last interval were too long.
    """
    compiled(monkeypatch)
    linkages = sk.Linkages.random(4000, joints, seed=joints)
    some = (getattr(linkages, name)[those] for name in NAMES)
    batch = sk.solve_batch(*some, angles=TURN)
    compare(batch)
    monkeypatch.setattr(type(batch), "_alone", None)
    assert (sk.solve_batch(batch.linkages, angles=batch.angles).status == batch.status).all()


@pytest.mark.compiled
def test_bars_keep_their_lengths_and_rates_are_those_of_the_paths(monkeypatch):
    """The second road: distances, and differences of positions a small time apart."""
    compiled(monkeypatch)
    linkages, h = sk.Linkages.random(40, 12, seed=4, turning=True), 1e-4
    batches = [sk.solve_batch(linkages, angles=TURN[:60] + shift, speed=3.0) for shift in (-h, 0.0, h)]
    before, here, after = (batch.position for batch in batches)
    assert all(batch.ok.all() for batch in batches)
    k, a, b = np.nonzero(linkages.adjacency)
    lengths = np.linalg.norm(linkages.points[k, a] - linkages.points[k, b], axis=-1)
    np.testing.assert_allclose(np.linalg.norm(here[k, a] - here[k, b], axis=1), lengths[:, None] + 0 * TURN[:60], 1e-9)
    v, acceleration = batches[1].velocity, batches[1].acceleration
    scale = np.abs(v).max(axis=(1, 2, 3), keepdims=True)
    np.testing.assert_allclose((after - before) * 3 / (2 * h) / scale, v / scale, atol=1e-5)
    largest = np.abs(acceleration).max(axis=(1, 2, 3), keepdims=True)
    np.testing.assert_allclose((after - 2 * here + before) * 9 / h**2 / largest, acceleration / largest, atol=1e-4)


def test_what_the_loop_cannot_take_is_solved_alone():
    places = [(0, 0), (0.3, 0.1), (1.4, 0.9), (3, -0.2), (2.6, 1), (1.5, 3), (1.9, 1.8)]
    batch = sk.solve_batch(*arrays(TRIAD, places, [0, 3, 5]), TURN[:50])
    assert sk.Status.OK in compare(batch) and not batch.faults
    assert batch.linkages.mechanism(0).structure().groups[-1].kind != "RRR"


@pytest.mark.compiled
def test_what_the_loop_does_not_decide_can_be_left_out(monkeypatch):
    compiled(monkeypatch)
    triad = arrays(TRIAD, [(0, 0), (0.3, 0.1), (1.4, 0.9), (3, -0.2), (2.6, 1), (1.5, 3), (1.9, 1.8)], [0, 3, 5])
    some = sk.Linkages.random(3, 7, seed=1)
    parts = [[getattr(some, name)[:2], np.reshape(one, getattr(some, name)[:1].shape), getattr(some, name)[2:]]
             for name, one in zip(NAMES, triad, strict=True)]  # fmt: skip
    adjacency, points, fixed, motor = map(np.concatenate, parts)
    adjacency[3, 6], adjacency[3, :, 6], fixed[3, 6] = 0, 0, 0  # a fault
    linkages = sk.Linkages.of(adjacency, points, fixed, motor)
    whole, quick = (sk.solve_batch(linkages, angles=TURN[:50], one_by_one=each) for each in (True, False))
    assert whole.ok[2].any() and (quick.status[2] == -3).all() and np.isnan(quick.position[2]).all()
    others = [0, 1, 3]
    for name in ("status", "position", "velocity", "acceleration"):
        np.testing.assert_array_equal(getattr(quick, name)[others], getattr(whole, name)[others])
    assert list(quick.faults) == list(whole.faults) == [3]
    alone = sk.solve_batch(linkages.take(np.flatnonzero(quick.status[:, 0] == -3)), angles=TURN[:50])
    np.testing.assert_array_equal(alone.position, whole.position[2:3])


def test_linkages_that_are_all_solved_one_by_one_cannot_be_left_out(monkeypatch):
    mechanism = sk.load(example("crank_rocker"))
    with pytest.raises(sk.InputError, match="one_by_one: mechanisms are always solved one by one; leave it out"):
        sk.solve_batch([mechanism], angles=TURN[:5], one_by_one=False)
    monkeypatch.setattr(batch_module, "has_numba", lambda: False)
    with pytest.raises(sk.InputError, match="one_by_one: without Numba, all linkages are solved one by one"):
        sk.solve_batch(*four_bar(), TURN, one_by_one=False)


@pytest.mark.parametrize("numbers", [[5], [-6], [0.5]])
def test_numbers_of_linkages_that_are_not_there_are_refused(numbers):
    with pytest.raises(sk.InputError, match="part: does not fit these linkages; give numbers from 0 to 4, or a slice"):
        scattered(5, 4, seed=1).take(numbers)


def test_the_fault_of_one_linkage_is_its_status():
    good = four_bar()
    wrong = {
        "crank pin is a fixed joint": {"fixed": [[1, 1, 0, 1]]},
        "pivot is not a fixed joint": {"fixed": [[0, 0, 0, 1]]},
        "no bar joins": {"motor": [[0, 2]]},
        "too few bars": {"adjacency": arrays(FOUR_BAR[:2], good[1][0], [])[0]},
        "errors; more may": {"points": np.where(np.eye(4)[2][:, None], good[1][0][1], good[1][0])[None]},
    }
    many = [np.concatenate([np.reshape({**dict(zip(NAMES, good, strict=True)), **change}[name], np.shape(good[at])
            if name != "motor" else (1, 2)) for change in ({}, *wrong.values(), {})])
            for at, name in enumerate(NAMES)]  # fmt: skip
    batch = sk.solve_batch(*many, TURN)
    assert batch.ok[[0, -1]].all() and (batch.status[1:-1] == sk.Status.BAD_INPUT).all()
    assert np.isnan(batch.position[1:-1]).all() and list(batch.faults) == [1, 2, 3, 4, 5]
    for k, words in enumerate(list(wrong)[:4], 1):
        assert words in str(batch.faults[k]) and f"linkage {k}" in str(batch.faults[k])


NAMES = ("adjacency", "points", "fixed", "motor")


def test_a_joint_on_no_bar_is_a_fault_unless_it_is_fixed():
    bars, places, fixed, motor = four_bar()
    more = np.pad(bars, ((0, 0), (0, 1), (0, 1))), np.pad(places, ((0, 0), (0, 1), (0, 0)))
    loose, held = (
        sk.solve_batch(*more, np.pad(fixed, ((0, 0), (0, 1)), constant_values=v), motor, TURN) for v in (0, 1)
    )
    assert "on no bar" in str(loose.faults[0]) and held.ok.all()
    np.testing.assert_array_equal(held.position[:, :4], sk.solve_batch(bars, places, fixed, motor, TURN).position)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"adjacency": np.triu(four_bar()[0])}, ["adjacency: is not symmetric"]),
        ({"adjacency": four_bar()[0] * 2}, ["adjacency: is not 0 or 1"]),
        ({"adjacency": four_bar()[0] + np.eye(4)}, ["adjacency: joins a joint to itself"]),
        ({"points": np.full((1, 4, 2), np.nan), "fixed": [[1, 0, 0, 2]]}, ["points: is not finite", "fixed: is not 0"]),
        ({"points": np.zeros((1, 3, 2)), "fixed": [1, 0, 0, 1]}, ["points: has the shape", "fixed: expected"]),
        ({"motor": [[0, -1]]}, ["motor: is no joint"]),
        ({"motor": [[0, 1, 2, 3]]}, ["motor: has the shape (1, 4), not (1, 2)"]),
        ({"motor": [[1, 1]]}, ["motor: has its pivot as its crank pin"]),
        ({"motor": None, "points": None}, ["motor: is missing", "points: is missing"]),
        ({"angles": [np.nan], "speed": np.inf}, ["angles: expected finite", "speed: inf"]),
        ({"angles": [np.nan], "motor": [[1, 1]]}, ["angles: expected finite", "motor: has its pivot as its crank pin"]),
    ],
)
def test_faults_of_the_arrays_are_one_error(change, words):
    given = {**dict(zip(NAMES, four_bar(), strict=True)), "angles": TURN, **change}
    with pytest.raises(sk.InputError) as caught:
        sk.solve_batch(**given)
    assert len(caught.value.problems) == len(words) and all(word in str(caught.value) for word in words)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("key", "at", "words"),
    [
        ("adjacency", (0, 0, 1), "adjacency: is not 0 or 1"),
        ("points", (0, 2, 0), "points: is not finite"),
        ("fixed", (0, 3), "fixed: is not 0 or 1"),
        ("motor", (0,), "motor: is no joint"),
        ("bodies", (0, 0), "bodies: is no number"),
        ("angles", (3,), "angles: expected finite real angles"),
    ],
)
def test_what_is_masked_is_not_a_number(key, at, words):
    """The numbers behind the masks were solved."""
    given = dict(zip(("adjacency", "points", "fixed", "motor"), four_bar(), strict=True))
    given |= {"bodies": np.full((1, 4), -1), "angles": TURN[:5]}
    given[key] = np.ma.array(given[key])
    given[key][at] = np.ma.masked
    with pytest.raises(sk.InputError, match=words):
        sk.solve_batch(**given)


def test_blocks_use_one_buffer_and_are_the_whole(monkeypatch):
    compiled(monkeypatch)
    batch = sk.solve_batch(scattered(50, 6, seed=9), angles=TURN)
    out, first = np.empty((3, 16, 6, 2, 200)), 0
    for block in batch.blocks(out):
        assert block.first == first and block.position.base is not None and np.shares_memory(block.position, out)
        for name in ("position", "velocity", "acceleration", "status"):
            np.testing.assert_array_equal(getattr(block, name), getattr(batch, name)[first : first + len(block)])
        first += len(block)
    assert first == 50 and sum(len(block) for block in batch) == 50
    with pytest.raises(sk.InputError, match=r"not an array float64"):
        batch.blocks(np.empty((3, 16, 6, 200, 2)))
    assert not batch.position.flags.writeable and not batch.status.flags.writeable


@pytest.mark.compiled
def test_the_way_between_few_samples_takes_no_memory(monkeypatch):
    """All linkages of a block were followed at once through all poses between: 4,000 through twenty turns took 2 GB."""
    compiled(monkeypatch)
    linkages = sk.Linkages.random(300, 10, seed=1, turning=True)
    batch = sk.solve_batch(linkages, angles=[0.0, 40 * np.pi])
    _ = sk.solve_batch(linkages.take(slice(1)), angles=batch.angles).position
    tracemalloc.start()
    try:
        position = batch.position
        assert tracemalloc.get_traced_memory()[1] < 4e7
    finally:
        tracemalloc.stop()
    assert batch.ok.all()
    np.testing.assert_allclose(position, np.stack((linkages.points, linkages.points), axis=3), atol=1e-12)


@pytest.mark.compiled
def test_linkages_that_are_followed_some_at_a_time_are_those_of_solve(monkeypatch):
    compiled(monkeypatch)
    monkeypatch.setattr(runner, "BYTES", 1 << 17)
    batch = sk.solve_batch(scattered(40, 6, seed=9), angles=np.linspace(0, 4 * np.pi, 5))
    assert not batch.ok.all()
    compare(batch)


def begun_one_by_one(monkeypatch, alone):
    """Nothing is stored, and after the second linkage it is clear that compiling pays; `alone` gets who is alone."""
    monkeypatch.setattr(runner, "LEAST", 0.0)
    monkeypatch.setattr(runner, "SURE", 0.0)
    monkeypatch.setattr(runner, "COMPILING", 1e-9)
    monkeypatch.setattr(Text, "is_stored", lambda self, name: False)
    own = Batch._alone
    monkeypatch.setattr(Batch, "_alone", lambda self, k, *rest: alone.append(k) or own(self, k, *rest))


@pytest.mark.compiled
@pytest.mark.parametrize("angles", [TURN, np.linspace(0.5, 3, 60)])
def test_linkages_that_begin_one_by_one_go_on_in_the_loop(angles, monkeypatch):
    alone, batch = [], sk.solve_batch(scattered(7, 6, seed=9), angles=angles)
    begun_one_by_one(monkeypatch, alone)
    _ = batch.status
    assert alone[:2] == [0, 1] and len(alone) < 7
    blocks = [[block.first, block.position.copy()] for block in batch.blocks(np.empty((3, 3, 6, 2, len(angles))))]
    for first, position in blocks:
        np.testing.assert_array_equal(position, batch.position[first : first + len(position)])
    compare(batch)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("count", "seconds", "solved"),
    [
        (10, 0.7, None),  # few: to compile takes longer
        (100, 0.7, 4),  # of 20 joints anywhere
        (1000, 0.012, None),  # of 20 joints that turn fully
        (3000, 0.012, 168),
        (5000, 0.0, 0),  # so many take longer anyhow
    ],
)
def test_the_loop_is_compiled_where_one_by_one_takes_longer(count, seconds, solved, monkeypatch):
    """A hundred linkages of 20 joints took a minute one by one, and 20 s to compile the loop: 2,000 were too few."""
    monkeypatch.setattr(Text, "is_stored", lambda self, name: False)
    some = runner.Runner.of(Motor.of(TURN, 1.0), 6, 1, count, beyond_bars=False)
    done = 0
    while not some.compiled and done < count:
        # The first one, which loads what all need, says nothing.
        assert some.alone(seconds if done else 9.0) == some.compiled
        done += 1
    assert done == (count if solved is None else solved)


def test_what_does_not_fit_into_memory_is_refused():
    for count, joints in ((10**9, 20), (10**6, 10**5), (1, 10**6)):
        with pytest.raises(sk.InputError, match=r"count: .* would take .* GiB of memory; .*: make them in parts"):
            sk.Linkages.random(count, joints)
    linkages = sk.Linkages.random(10_000, 6)
    with pytest.raises(sk.InputError, match=r"would take .* GiB of memory; .*: iterate over the blocks"):
        _ = sk.solve_batch(linkages, angles=np.linspace(0, 1, 10**6)).position
    with pytest.raises(sk.InputError, match=r"angles: .* followed through .* poses, would take .* GiB of memory"):
        sk.solve_batch(linkages, angles=[0.0, 1e18])


@pytest.mark.full
def test_random_linkages_turn_fully_if_asked_and_repeat_with_their_seed():
    first, again, other = (sk.Linkages.random(200, 9, seed=seed, turning=True) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.points, again.points)
    assert not np.array_equal(first.points, other.points)
    assert sk.solve_batch(first, angles=TURN).ok.all()
    assert not sk.solve_batch(sk.Linkages.random(50, 9, seed=5), angles=TURN).ok.all()
    with pytest.raises(sk.InputError, match="4 errors"):
        sk.Linkages.random(0, 3, seed=-1, triads=2.0)


@pytest.mark.compiled
def test_every_one_of_thousands_turns_fully(monkeypatch):
    """The ends of a dyad may nearly meet between the angles at which it is chosen: one in 4,000 did not turn fully."""
    compiled(monkeypatch)
    for block in sk.solve_batch(sk.Linkages.random(4000, 10, seed=10, turning=True), angles=TURN[::5]):
        assert block.ok.all()


def test_random_linkages_have_triads_if_asked():
    linkages = sk.Linkages.random(40, 9, seed=2, triads=0.5)
    found = [[group.kind for group in linkages.mechanism(k).structure().groups] for k in range(40)]
    assert {kind for kinds in found for kind in kinds} == {"driven R", "RRR", "class III order 3"}
    plain = sk.Linkages.random(40, 9, seed=2).adjacency
    assert np.mean(["class III order 3" in kinds for kinds in found]) > 0.3 and plain.sum() != linkages.adjacency.sum()
    compare(sk.solve_batch(linkages, angles=0.05 * TURN[:20]), range(3))


def test_arrays_of_link_are_read_and_written(tmp_path):
    """LInK's solver takes the motor as (0, 1), and finds each later joint from two before it; short ones are padded."""
    linkages = scattered(5, 7, seed=2)
    linkages.save(tmp_path / "data")
    read = sk.Linkages.load(tmp_path / "data")
    assert (read.motor == (0, 1)).all()
    before = np.tril(np.ones((7, 7)), -1)
    assert ((read.adjacency * before).sum(axis=2)[:, 2:][~read.fixed[:, 2:]] == 2).all()
    own, other = (sk.solve_batch(one, angles=TURN[:20]) for one in (linkages, read))
    for k in range(5):
        place = [np.flatnonzero((read.points[k] == point).all(axis=1))[0] for point in linkages.points[k]]
        np.testing.assert_allclose(other.position[k, place], own.position[k], rtol=1e-6, atol=1e-6)
    raw = [np.load(tmp_path / "data" / f"{name}.npy") for name in ("connectivity", "x0", "node_types")]
    assert [array.shape for array in raw] == [(5, 7, 7), (5, 7, 2), (5, 7, 1)]
    for name, array, pad in zip(("connectivity", "x0", "node_types"), raw, (((0, 2), (0, 2)), ((0, 2), (0, 0)),
                                ((0, 2), (0, 0))), strict=True):  # fmt: skip
        np.save(tmp_path / f"{name}.npy", np.pad(array, ((0, 0), *pad)))
    padded = sk.solve_batch(sk.Linkages.load(tmp_path), angles=TURN[:20])
    np.testing.assert_array_equal(padded.position[:, :7], other.position)
    with pytest.raises(sk.InputError, match="3 errors"):
        sk.Linkages.load(tmp_path / "nowhere")


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("seed", "k"),
    [
        pytest.param(288, 6, id="a gap between two stations, behind a dyad near its limit position"),
        pytest.param(166, 8, id="the same in the last interval"),
        pytest.param(169, 1, id="a gap that ends behind the beginning of another one"),
    ],
)
def test_what_an_earlier_dyad_moves_abruptly_may_have_a_gap_between_two_stations(seed, k, monkeypatch):
    """Its discriminants at the stations are even: two of these gaps were passed, status ok; one motion ended early."""
    compiled(monkeypatch)
    compare(sk.solve_batch(scattered(20, 4 + seed % 17, seed=seed).take(slice(k, k + 1)), angles=TURN))


@pytest.mark.compiled
@pytest.mark.parametrize(
    "seeds", [pytest.param(range(1000, 1003), marks=pytest.mark.full), pytest.param(range(500), marks=pytest.mark.slow)]
)
def test_hundreds_and_ten_thousand_random_linkages_have_the_digits_of_solve(seeds, monkeypatch):
    compiled(monkeypatch)
    for seed in seeds:
        compare(sk.solve_batch(scattered(20, 4 + seed % 17, seed=seed), angles=TURN))
