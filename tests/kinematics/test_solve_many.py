"""Variants solved together are the mechanisms built and solved one by one."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk
from structkin.examples import names, path


def rebuilt(m, lengths, points, k):
    """Return variant k as a mechanism of its own; lengths and places go into the file in its unit."""
    data, scale = m.source_dict, m.units.length_scale
    data["lengths"] = {
        name: value
        for name, value in data.get("lengths", {}).items()
        if frozenset(name.split("-")) not in {frozenset(other.split("-")) for other in lengths}
    } | {name: float(values[k] / scale) for name, values in lengths.items()}
    for name, places in points.items():
        data["points"][name] = (places[k] / scale).tolist()
    return sk.Mechanism.from_dict(data, folder=m._folder)


@pytest.mark.parametrize("name", names())
def test_every_link_of_every_example(name):
    m = sk.load(path(name))
    rng = np.random.default_rng(5)
    lengths = {
        f"{a}-{b}": abs(m.links[link].local[a] - m.links[link].local[b]) * (1 + 0.01 * rng.uniform(-1, 1, 3))
        for link in m.links
        if link != "ground" and len(m.links[link].points) == 2
        for a, b in [m.links[link].points]
    }
    if not lengths:
        pytest.skip("no link of two points")
    samples = 40
    motions = sk.solve_many(m, samples, lengths=lengths)
    assert motions.status.shape == (3, samples)
    for k in range(3):
        one = rebuilt(m, lengths, {}, k).solve(samples)
        np.testing.assert_array_equal(motions.status[k], one.status)
        size, ok = one.size, one.ok
        for point in m.points:
            np.testing.assert_allclose(
                motions.position(point)[k], one.position(point), atol=1e-11 * size, err_msg=point
            )
            fast = np.abs(one.velocity(point)[ok]).max(initial=1.0) + np.abs(one.acceleration(point)[ok]).max(
                initial=1.0
            )
            np.testing.assert_allclose(motions.acceleration(point)[k], one.acceleration(point), atol=1e-8 * fast)
        for link in m.links:
            np.testing.assert_allclose(motions.omega(link)[k], one.omega(link), atol=1e-9, rtol=1e-9)


CRANK_ROCKER = {
    "points": {"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0), "P": (2, 4)},
    "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["C", "D"]},
    "drivers": {"motor": {"joint": "A", "speed": 1.0}},
}


@pytest.mark.parametrize("engine", ["numpy", "numba"])
def test_points_and_lengths(engine):
    m = sk.Mechanism(**CRANK_ROCKER)
    points = {"D": np.array([[5.0, 0.1], [4.8, -0.2]]), "P": np.array([[2.0, 4.0], [2.5, 3.0]])}
    lengths = {"A-B": np.array([0.9, 1.1]), "C-P": np.array([2.0, 2.5]), "B-P": np.array([4.0, 4.2])}
    motions = sk.solve_many(m, 60, points=points, lengths=lengths, engine=engine)
    for k in range(2):
        one = rebuilt(m, lengths, points, k).solve(60)
        assert one.ok.all() and motions.ok[k].all()
        for point in m.points:
            np.testing.assert_allclose(motions.position(point)[k], one.position(point), atol=1e-12)
            np.testing.assert_allclose(motions.velocity(point)[k], one.velocity(point), atol=1e-12)
        for link in m.links:
            np.testing.assert_allclose(motions.angle(link)[k], one.angle(link), atol=1e-12)
            np.testing.assert_allclose(motions.alpha(link)[k], one.alpha(link), atol=1e-11)


def test_a_slide():
    m = sk.load(path("slider_crank_offset"))
    lengths = {"A-B": np.array([0.05, 0.04])}
    motions = sk.solve_many(m, 11, lengths=lengths)
    np.testing.assert_allclose(motions.position("T")[0], m.solve(11).position("T"), atol=1e-14)
    np.testing.assert_allclose(motions.position("T")[1], rebuilt(m, lengths, {}, 1).solve(11).position("T"), atol=1e-14)


def test_drivers_of_each_variant():
    m = sk.Mechanism(**CRANK_ROCKER)
    angles = np.linspace(0, 1, 12).reshape(3, 4)
    motions = sk.solve_many(m, drivers={"motor": (angles, np.ones_like(angles))})
    assert np.isnan(motions.t).all() and len(motions) == 3
    for k in range(3):
        one = m.solve(drivers={"motor": (angles[k], np.ones(4))})
        np.testing.assert_allclose(motions.position("P")[k], one.position("P"), atol=1e-14)
        np.testing.assert_allclose(motions.velocity("P")[k], one.velocity("P"), atol=1e-14)
    shared = sk.solve_many(m, lengths={"A-B": [1.0, 1.0]}, drivers={"motor": angles[1]})
    np.testing.assert_array_equal(shared.position("P")[1], shared.position("P")[0])


def test_a_variant_out_of_reach_says_so():
    motions = sk.solve_many(sk.Mechanism(**CRANK_ROCKER), 90, lengths={"C-D": [3.0, 1.0, 4.0]})
    assert motions.ok[0].all() and motions.ok[2].all() and not motions.ok[1].all()
    lost = motions.status[1] == sk.Status.OUT_OF_REACH
    assert (motions.failed_group[1][lost] == 1).all() and np.isnan(motions.position("C")[1][lost]).all()
    assert "3 variants, 90 samples" in repr(motions)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "nothing differs"),
        ({"lengths": {"A-C": [1.0]}}, "no link has these two points"),
        ({"lengths": {"A-B": [1.0, -1.0]}}, "expected positive lengths"),
        ({"lengths": {"A-B": "long"}, "points": {"Q": [[0, 0]]}}, "is not a point"),
        ({"lengths": {"A-B": [1.0, 1.1]}, "points": {"P": [[0, 0]]}}, "numbers of variants differ"),
        ({"points": {"P": [[0, 0, 0]]}}, r"expected places \(v, 2\)"),
        ({"lengths": {"B-P": [4.0, 90.0], "C-P": [2.0, 2.0]}}, "variant 1 would be built otherwise|cannot close"),
    ],
)
def test_bad_input(options, words):
    with pytest.raises(sk.InputError, match=words):
        sk.solve_many(sk.Mechanism(**CRANK_ROCKER), 5, **options)


def test_names_of_the_result():
    motions = sk.solve_many(sk.Mechanism(**CRANK_ROCKER), 5, lengths={"A-B": [1.0]})
    with pytest.raises(sk.InputError, match="Q"):
        motions.position("Q")
    with pytest.raises(sk.InputError, match="is not a link"):
        motions.angle("cranc")


def test_variants_of_a_triad_are_followed_each_from_its_own_sketch():
    m = sk.load(path("stephenson_iii_triad"))
    name = next(f"{a}-{b}" for link in m.links.values() if len(link.points) == 2 for a, b in [link.points])
    a, b = name.split("-")
    own = next(abs(link.local[a] - link.local[b]) for link in m.links.values() if {a, b} <= set(link.local))
    lengths = {name: own * np.array([0.98, 1.0, 1.03])}
    (motor,) = m.drives
    angles = m.drives[motor].start + np.linspace(0, [[0.5], [1.0], [1.5]], 21, axis=-1)[:, 0]
    motions = sk.solve_many(m, lengths=lengths, drivers={motor: (angles, np.ones_like(angles))})
    assert len(motions) == 3 and len(motions.motions) == 3 and "3 variants, 21 samples" in repr(motions)
    for k in range(3):
        one = rebuilt(m, lengths, {}, k).solve(drivers={motor: (angles[k], np.ones(21))})
        assert one.ok.all() and one.residual().max() < 1e-13
        for point in m.points:
            np.testing.assert_allclose(motions.position(point)[k], one.position(point), atol=1e-13 * one.size)


def test_places_of_gears():
    m = sk.load(path("geared_five_bar"))
    places = {"P": np.array([[0.04, 0.1], [0.045, 0.11]])}
    motions = sk.solve_many(m, 9, points=places)
    assert motions.ok.all()
    for k in range(2):
        one = rebuilt(m, {}, places, k).solve(9)
        np.testing.assert_allclose(motions.position("P")[k], one.position("P"), atol=1e-13)


def test_variants_that_cannot_be_built_are_named():
    m = sk.load(path("stephenson_iii_triad"))
    link = next(link for link in m.links.values() if len(link.points) >= 3 and link.name != "ground")
    a, b, c = link.points[:3]
    span = abs(link.local[b] - link.local[a])
    with pytest.raises(sk.InputError, match="variant 1: "):
        sk.solve_many(m, 5, lengths={f"{a}-{c}": [span, 9 * span], f"{b}-{c}": [span, span]})


PARALLELOGRAM = {
    "points": {"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0), "E": (4, 1), "F": (4, 0)},
    "links": {
        "ground": ["A", "D", "F"],
        "crank": ["A", "B"],
        "coupler": ["B", "C"],
        "rocker": ["D", "C"],
        "second": ["C", "E"],
        "third": ["F", "E"],
    },
    "drivers": {"motor": {"joint": "A", "speed": 1.0}},
}
EQUAL_RODS = {
    "points": {"A": (0, 0), "B": (0.6, 0.8), "C": (1.2, 0)},
    "links": {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C"]},
    "joints": {"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}},
    "drivers": {"motor": {"joint": "A", "speed": 1.0}},
}


@pytest.mark.parametrize("samples", [2, 8, 73, 361])
def test_flat_poses(samples):
    """A row of parallelograms keeps its motion through flat poses, whatever the samples and the other variants."""
    m = sk.Mechanism(**PARALLELOGRAM)
    lengths = {"A-B": np.array([1.0, 1.2, 1.0, 0.8]), "E-F": np.array([1.0, 1.0, 1.1, 0.9])}
    motions = m.solve_many(samples, lengths=lengths)
    np.testing.assert_allclose(motions.angle("coupler")[0], 0.0, atol=1e-9)
    np.testing.assert_allclose(motions.angle("second")[0], 0.0, atol=1e-9)
    for k in range(4):
        one = rebuilt(m, lengths, {}, k).solve(samples)
        np.testing.assert_array_equal(motions.status[k], one.status)
        np.testing.assert_array_equal(motions.failed_group[k], one.failed_group)
        for link in m.links:
            np.testing.assert_allclose(motions.omega(link)[k], one.omega(link), atol=1e-9)
            np.testing.assert_allclose(motions.alpha(link)[k], one.alpha(link), atol=1e-8)


def test_equal_rods():
    """With the rod as long as the crank the slide goes on through the crank's pivot: x = 2 cos(angle)."""
    lengths = {"A-B": np.array([1.0, 0.9, 1.0]), "B-C": np.array([1.0, 1.0, 1.1])}
    m = sk.Mechanism(**EQUAL_RODS)
    motions = m.solve_many(200, lengths=lengths)
    angle = np.arctan2(0.8, 0.6) + np.linspace(0, 2 * np.pi, 200)
    assert motions.ok.all()
    np.testing.assert_allclose(motions.position("C")[0, :, 0], 2 * np.cos(angle), atol=1e-9)
    np.testing.assert_allclose(motions.position("C")[1], rebuilt(m, lengths, {}, 1).solve(200).position("C"), atol=1e-9)


def test_flat_poses_with_own_values():
    m = sk.Mechanism(**PARALLELOGRAM)
    turn = np.linspace(np.pi / 2, 5 * np.pi / 2, 181)
    motions = m.solve_many(drivers={"motor": np.stack((turn, turn[::-1]))})
    assert motions.ok.all()
    np.testing.assert_allclose(motions.angle("second"), 0.0, atol=1e-9)


def test_few_variants_are_solved_alone():
    """Limits between samples and narrow margins are no change points."""
    m, rng = sk.Mechanism(**CRANK_ROCKER), np.random.default_rng(3)
    lengths = {"A-B": rng.uniform(0.5, 3.0, 300), "B-C": rng.uniform(2.0, 5.0, 300)}
    motions = m.solve_many(100, lengths=lengths)
    assert 0.2 < motions.ok.mean() < 0.95 and len(motions.alone) < 10
