"""Rigid links and guides in the arrays of `solve_batch`; the second road is closed form, or bars in their place."""

import numpy as np
import pytest
from test_batch import TURN, arrays, begun_one_by_one, compare, compiled, four_bar

import structkin as sk

NONE = (np.nan, -1)


def test_a_slider_crank_moves_as_its_closed_form():
    r, rod, off = 1.0, 3.0, 0.4
    start = np.sqrt(rod**2 - off**2) + r
    bars = [(0, 1), (1, 2)]
    given = arrays(bars, [(0, 0), (r, 0), (start, off)], [0])
    batch = sk.solve_batch(*given, TURN, slides=[[NONE, NONE, (0.0, -1)]])
    x = r * np.cos(TURN) + np.sqrt(rod**2 - (off - r * np.sin(TURN)) ** 2)
    np.testing.assert_allclose(batch.position[0, 2], [x, off + 0 * x], atol=1e-12)
    assert compare(batch) == {sk.Status.OK}


def random_links(count, joints, seed):
    """Return linkages of dyads of bars, guides and rigid links of two joints or more, numbered at random."""
    rng = np.random.default_rng(seed)
    bars, fixed = np.zeros((count, joints, joints), int), np.zeros((count, joints), int)
    bodies, slides = np.full((count, joints), -1), np.full((count, joints, 2), NONE)
    points = rng.random((count, joints, 2))
    points[:, 1] = points[:, 0] + 0.1 * (points[:, 1] - 0.5)
    for k in range(count):
        fixed[k, [0, 2]], number, new = 1, 0, 3
        if rng.random() < 0.3:  # the crank, with one more joint
            bodies[k, [0, 1, 3]], number, new = 0, 1, 4
        else:
            bars[k, 0, 1] = 1
        while new < joints:
            q, new = new, new + 1
            one = rng.choice([j for j in range(q) if not fixed[k, j]])
            ends = [one, rng.choice([j for j in range(q) if j != one])]
            if rng.random() < 0.2:
                slides[k, q, 0], ends = 3 * rng.random(), [one]
            for end in ends:
                if rng.random() < 0.5 and bodies[k, end] < 0 and bodies[k, q] < 0:
                    more = range(new, min(new + rng.integers(3), joints))
                    bodies[k, [end, q, *more]], number, new = number, number + 1, new + len(more)
                else:
                    bars[k, end, q] = 1
    order, k = np.argsort(rng.random((count, joints)), axis=1), np.arange(count)[:, None]
    bars = (bars + bars.swapaxes(1, 2))[k[..., None], order[:, :, None], order[:, None, :]]
    number = np.argsort(order, axis=1)
    return sk.Linkages.of(bars, points[k, order], fixed[k, order], number[:, :2],
                          bodies=bodies[k, order], slides=slides[k, order])  # fmt: skip


def slider_crank(rod, off=0.0, at=0.7):
    """Return the arrays of a slider-crank with a crank of 1, drawn at an angle; the pin is at `off` above the crank."""
    B = np.cos(at), np.sin(at)
    return arrays([(0, 1), (1, 2)], [(0, 0), B, (B[0] + np.sqrt(rod**2 - (off - B[1]) ** 2), off)], [0])


SLIDER = {"slides": [[NONE, NONE, (0.0, -1)]]}


def with_guides(count, joints, seed):
    return sk.Linkages.random(count, joints, seed=seed, sliders=0.4)


@pytest.mark.compiled
@pytest.mark.parametrize("draw", [with_guides, random_links])
@pytest.mark.parametrize(
    ("count", "seeds"),
    [
        pytest.param(12, [1], marks=pytest.mark.full),
        pytest.param(20, range(2, 4), marks=pytest.mark.full),
        pytest.param(20, range(100, 600), marks=pytest.mark.slow),
    ],
)
def test_guides_and_rigid_links_are_solved_in_the_loop_with_the_digits_of_solve(draw, count, seeds, monkeypatch):
    compiled(monkeypatch)
    alone = []
    for seed in seeds:
        batch = sk.solve_batch(draw(count, 5 + seed % 16, seed), angles=TURN)
        own = type(batch)._alone
        with monkeypatch.context() as patch:
            patch.setattr(type(batch), "_alone", lambda self, k, *rest, own=own: alone.append(k) or own(self, k, *rest))
            _ = batch.status
        compare(batch, np.flatnonzero(~(batch.status == sk.Status.BAD_INPUT).all(axis=1)).tolist())
    assert len(alone) <= 0.02 * count * len(seeds)


@pytest.mark.full
@pytest.mark.compiled
def test_a_short_pose_between_two_gaps_of_one_dyad_is_found(monkeypatch):
    """The first gap of the dyad continues those of others, in which the sample before lies: the pose ends it."""
    compiled(monkeypatch)
    linkages = random_links(20, 19, 254).take(slice(10, 11))
    compare(sk.solve_batch(linkages, angles=TURN))
    angles = np.linspace(*TURN[-2:], 2001)
    fine = linkages.mechanism(0).solve(drivers={"motor": (angles, angles**0, 0 * angles)})
    assert np.flatnonzero(np.diff(fine.ok)).tolist() == [1625, 1722, 1945]
    assert sk.solve_batch(linkages, angles=TURN).status[0, -2:].tolist() == [sk.Status.OUT_OF_REACH] * 2


@pytest.mark.full
@pytest.mark.compiled
def test_rigid_links_that_begin_one_by_one_go_on_in_the_loop(monkeypatch):
    alone, batch = [], sk.solve_batch(random_links(20, 7, 2), angles=TURN)
    begun_one_by_one(monkeypatch, alone)
    _ = batch.status
    assert alone[:2] == [0, 1] and len(alone) < 6
    compare(batch, np.flatnonzero(~(batch.status == sk.Status.BAD_INPUT).all(axis=1)).tolist())


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("angles", [np.linspace(0.5, 3, 60), np.linspace(0, 2 * np.pi, 37), np.sin(TURN[:90])])
def test_guides_at_other_samples(angles, monkeypatch):
    compiled(monkeypatch)
    compare(sk.solve_batch(sk.Linkages.random(4, 7, seed=3, sliders=0.5), angles=angles))


@pytest.mark.full
@pytest.mark.compiled
@pytest.mark.parametrize("over", [0.0, 1e-13, 1e-10, 1e-5, -1e-5])
def test_a_rod_as_long_as_the_crank_is_flat_once_a_turn_as_solve_has_it(over, monkeypatch):
    """With equal lengths the rod is square to the guide where the crank is, and passes through: a change point."""
    compiled(monkeypatch)
    batch = sk.solve_batch(*slider_crank(1.0 + over), TURN, **SLIDER)
    compare(batch)
    if over == 0.0:
        np.testing.assert_allclose(batch.position[0, 2, 0], 2 * np.cos(0.7 + TURN), atol=1e-9)


@pytest.mark.full
@pytest.mark.compiled
def test_gaps_of_a_rod_between_two_samples_are_found(monkeypatch):
    """The rod is out of reach for a part of a step, where the crank is farthest from the guide, between two samples."""
    compiled(monkeypatch)
    found = set()
    for over in 1e-5 * np.arange(1, 9):
        batch = sk.solve_batch(*slider_crank(1.2 - over, off=-0.2), TURN + 1e-3, **SLIDER)
        found |= compare(batch)
    assert sk.Status.OUT_OF_REACH in found


def test_a_guide_on_a_turning_link():
    """Whitworth: the crank's pin slides along a lever that turns about joint 2; joint 3 is the lever's end."""
    places = [(0, 0.5), (0, 1.5), (0, 0), (0, -0.8)]
    batch = sk.solve_batch(*arrays([(0, 1)], places, [0, 2]), TURN, bodies=[[-1, -1, 7, 7]],
                           slides=[[NONE, (np.pi / 2, 7), NONE, NONE]])  # fmt: skip
    pin = batch.position[0, 1]
    np.testing.assert_allclose(batch.position[0, 3], -0.8 * pin / np.hypot(*pin), atol=1e-12)
    assert compare(batch) == {sk.Status.OK}


def test_a_rigid_link_moves_as_three_bars():
    bars, places, fixed, motor = four_bar()
    top = places[0, 1] + (0.5, 1.5)
    more = np.concatenate((places, [[top]]), axis=1), np.pad(fixed, ((0, 0), (0, 1))), motor
    rigid = sk.solve_batch(np.pad(bars, ((0, 0), (0, 1), (0, 1))), *more, TURN, bodies=[[-1, 3, 3, -1, 3]])
    joined = np.pad(bars, ((0, 0), (0, 1), (0, 1)))
    for end in (1, 2):
        joined[0, 4, end] = joined[0, end, 4] = 1
    as_bars = sk.solve_batch(joined, *more, TURN)
    assert rigid.ok.all() and as_bars.ok.all()
    for name in ("position", "velocity", "acceleration"):
        np.testing.assert_allclose(getattr(rigid, name), getattr(as_bars, name), atol=1e-11)
    assert rigid.linkages.mechanism(0).links["body_3"].points == ("J1", "J2", "J4")


def test_the_crank_may_be_a_rigid_link():
    bars, places, fixed, motor = four_bar()
    places = np.concatenate((places, [[(0.2, -0.6)]]), axis=1)
    given = np.pad(bars, ((0, 0), (0, 1), (0, 1)))
    given[0, 0, 1] = given[0, 1, 0] = 0
    batch = sk.solve_batch(given, places, np.pad(fixed, ((0, 0), (0, 1))), motor, TURN, bodies=[[0, 0, -1, -1, 0]])
    turned = np.exp(1j * TURN) * (0.2 - 0.6j)
    np.testing.assert_allclose(batch.position[0, 4], [turned.real, turned.imag], atol=1e-12)
    assert compare(batch) == {sk.Status.OK}


def test_linkages_with_and_without_rigid_links_are_mixed():
    """Where a guide or link is missing, a linkage is one of bars; what cannot move is the fault of that one."""
    bars, places, fixed, motor = (np.repeat(one, 3, axis=0) if np.ndim(one) > 1 else one for one in four_bar())
    body = np.full((3, 4), -1)
    body[2, 2:] = 0  # the rocker is a link of two points, and the coupler is missing
    bars = bars.copy()
    bars[2, 1, 2] = bars[2, 2, 1] = 0
    slides = np.full((3, 4, 2), np.nan)
    slides[1, 2] = 0.3, -1  # and a guide besides: it stands
    batch = sk.solve_batch(bars, places, fixed, motor, TURN, bodies=body, slides=slides)
    plain = sk.solve_batch(bars[:1], places[:1], fixed[:1], motor, TURN)
    np.testing.assert_array_equal(batch.position[0], plain.position[0])
    assert list(batch.faults) == [1, 2] and batch.ok[0].all()
    with pytest.raises(sk.InputError, match="dyads of bars alone"):
        batch.linkages.save("nowhere")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bodies": [[0, 0, 0]]}, ["bodies: has the shape"]),
        ({"bodies": [[0, -2, 0.5, 1e30]]}, ["bodies: is no number"]),
        ({"slides": [[NONE, NONE, (np.inf, -1), NONE]]}, ["slides: is not finite"]),
        ({"slides": [[NONE, NONE, (0, 2), NONE]]}, ["slides: has a carrier that is no rigid link"]),
        ({"bodies": [[-1, -1, 2, 2]], "slides": [[NONE, NONE, (0, 2), NONE]]}, ["slides: is at a joint of its own"]),
        ({"slides": [[NONE, NONE, NONE, (0, -1)]], "bodies": "zzz"}, ["bodies: expected an array of real numbers"]),
        ({"slides": np.full((1, 4, 2), 1j)}, ["joints, 2); found complex numbers"]),
        ({"slides": [[(0, -1), NONE, NONE, NONE]]}, ["slides: is at a fixed joint"]),
    ],
)
def test_faults_of_the_arrays_are_one_error(change, words):
    with pytest.raises(sk.InputError) as caught:
        sk.solve_batch(*four_bar(), TURN, **change)
    assert len(caught.value.problems) == len(words) and all(word in str(caught.value) for word in words)
    with pytest.raises(sk.InputError, match="leave it out"):
        sk.solve_batch(sk.Linkages.random(2, 5), angles=TURN, **change)
