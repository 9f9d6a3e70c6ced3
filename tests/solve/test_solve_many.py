"""Variants solved together agree with mechanisms built and solved one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import names, path


def rebuilt(m, lengths, points, k):
    """Return variant k as a separate mechanism; lengths and positions go into the file in its unit."""
    data, scale = m.source_dict, m.units.length_scale
    data["lengths"] = {
        name: value
        for name, value in data.get("lengths", {}).items()
        if frozenset(name.split("-")) not in {frozenset(other.split("-")) for other in lengths}
    } | {name: float(values[k] / scale) for name, values in lengths.items()}
    for name, places in points.items():
        data["points"][name] = (places[k] / scale).tolist()
    return sk.Mechanism.from_dict(data, folder=m._folder)


@pytest.mark.parametrize("name", few(names(), 8))
def test_every_link_of_every_example(name):
    m = sk.load(path(name))
    rng = np.random.default_rng(5)
    moving = [link for name, link in m.links.items() if name != "ground" and len(link.points) > 1]
    bars = [link for link in moving if len(link.points) == 2] or moving  # else two points of each plate
    lengths = {
        f"{a}-{b}": abs(link.local[a] - link.local[b]) * (1 + 0.01 * rng.uniform(-1, 1, 3))
        for link in bars
        for a, b in [link.points[:2]]
    }
    samples = 40
    motions = m.solve_many(samples, lengths=lengths)
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


@pytest.mark.parametrize("engine", few(["python", "compiled"], 1))
def test_points_and_lengths(engine):
    m = sk.Mechanism(**CRANK_ROCKER)
    points = {"D": np.array([[5.0, 0.1], [4.8, -0.2]]), "P": np.array([[2.0, 4.0], [2.5, 3.0]])}
    lengths = {"A-B": np.array([0.9, 1.1]), "C-P": np.array([2.0, 2.5]), "B-P": np.array([4.0, 4.2])}
    motions = m.solve_many(60, points=points, lengths=lengths, engine=engine)
    for k in range(2):
        one = rebuilt(m, lengths, points, k).solve(60)
        assert one.ok.all() and motions.ok[k].all()
        for point in m.points:
            np.testing.assert_allclose(motions.position(point)[k], one.position(point), atol=1e-12)
            np.testing.assert_allclose(motions.velocity(point)[k], one.velocity(point), atol=1e-12)
        for link in m.links:
            np.testing.assert_allclose(motions.angle(link)[k], one.angle(link), atol=1e-12)
            np.testing.assert_allclose(motions.alpha(link)[k], one.alpha(link), atol=1e-11)


@pytest.mark.parametrize("driver", [{"joint": "A", "speed": 1.0}, {"between": ["F", "B"], "speed": -0.1}])
def test_every_variant_starts_at_its_own_sketch(driver):
    """The crank is sketched elsewhere in each variant: at a constant speed its angle is that sketch's, plus w t."""
    data = {**CRANK_ROCKER, "points": {**CRANK_ROCKER["points"], "F": (0, 3)}, "drivers": {"motor": driver}}
    m = sk.Mechanism(**{**data, "links": {**data["links"], "ground": ["A", "D", "F"]}})
    drawn = np.linspace(-0.5, 0.5, 7)
    places = np.stack((np.cos(drawn), np.sin(drawn)), axis=1)
    for samples in (2, 30):
        motions = m.solve_many(samples, points={"B": places}, duration=2.0)
        t = motions.t
        if "joint" in driver:
            np.testing.assert_allclose(motions.angle("crank"), drawn[:, None] + t, atol=1e-12)
        else:
            start = np.hypot(places[:, 0], places[:, 1] - 3)
            reached = np.linalg.norm(motions.position("B") - [0, 3], axis=2)
            np.testing.assert_allclose(reached, start[:, None] - 0.1 * t, atol=1e-12)
        for k in range(7):
            one = rebuilt(m, {}, {"B": places}, k).solve(samples, duration=2.0)
            assert k not in motions.motions and one.ok.all()
            for point in m.points:
                np.testing.assert_allclose(motions.position(point)[k], one.position(point), atol=1e-12)
                np.testing.assert_allclose(motions.velocity(point)[k], one.velocity(point), atol=1e-12)


def test_one_length_for_all_variants():
    m, rods = sk.Mechanism(**CRANK_ROCKER), [3.9, 4.0, 4.1]
    same = m.solve_many(5, lengths={"A-B": [1.1] * 3, "B-C": rods}).position("C")
    for one in (1.1, np.array(1.1)):
        found = m.solve_many(5, lengths={"A-B": one, "B-C": rods})
        np.testing.assert_array_equal(found.position("C"), same)


def test_a_slide():
    m = sk.load(path("slider_crank_offset"))
    lengths = {"A-B": np.array([0.05, 0.04])}
    motions = m.solve_many(11, lengths=lengths)
    np.testing.assert_allclose(motions.position("T")[0], m.solve(11).position("T"), atol=1e-14)
    np.testing.assert_allclose(motions.position("T")[1], rebuilt(m, lengths, {}, 1).solve(11).position("T"), atol=1e-14)


def test_drivers_of_each_variant():
    m = sk.Mechanism(**CRANK_ROCKER)
    angles = np.linspace(0, 1, 12).reshape(3, 4)
    motions = m.solve_many(drivers={"motor": (angles, np.ones_like(angles))})
    assert np.isnan(motions.t).all() and len(motions) == 3
    for k in range(3):
        one = m.solve(drivers={"motor": (angles[k], np.ones(4))})
        np.testing.assert_allclose(motions.position("P")[k], one.position("P"), atol=1e-14)
        np.testing.assert_allclose(motions.velocity("P")[k], one.velocity("P"), atol=1e-14)
    shared = m.solve_many(lengths={"A-B": [1.0, 1.0]}, drivers={"motor": angles[1]})
    np.testing.assert_array_equal(shared.position("P")[1], shared.position("P")[0])


def test_a_variant_out_of_reach_is_reported():
    motions = sk.Mechanism(**CRANK_ROCKER).solve_many(90, lengths={"C-D": [3.0, 1.0, 4.0]})
    assert motions.ok[0].all() and motions.ok[2].all() and not motions.ok[1].all()
    lost = motions.status[1] == sk.Status.OUT_OF_REACH
    assert (motions.failed_group[1][lost] == 1).all() and np.isnan(motions.position("C")[1][lost]).all()
    assert "3 variants, 90 samples" in repr(motions)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "nothing differs"),
        ({"lengths": {"A-C": [1.0]}}, "no link has these two points"),
        ({"lengths": {"A-B": [1.0], "B-A": [2.0]}}, "given twice"),
        ({"lengths": {"A-B": [[1.0, -1.0]]}}, r"expected real lengths \(v,\)"),
        ({"lengths": {"A-B": [1 + 0j, 2]}}, r"expected real lengths \(v,\)"),
        ({"lengths": {"A-B": 1.0}}, "nothing differs"),
        ({"lengths": {"A-B": -1.0, "B-C": [4.0]}}, "lengths.A-B: expected a finite length"),
        ({"lengths": {"A-B": "long"}, "points": {"Q": [[0, 0]]}}, "is not a point"),
        ({"lengths": {"A-B": [1.0, 1.1]}, "points": {"P": [[0, 0]]}}, "numbers of variants differ"),
        ({"points": {"P": [[0, 0, 0]]}}, r"expected real places \(v, 2\)"),
        ({"lengths": {"A-B": [-1.0, np.nan]}}, "none has valid values"),
    ],
)
def test_bad_input(options, words):
    with pytest.raises(sk.InputError, match=words):
        sk.Mechanism(**CRANK_ROCKER).solve_many(5, **options)


def test_names_of_the_result():
    motions = sk.Mechanism(**CRANK_ROCKER).solve_many(5, lengths={"A-B": [1.0]})
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
    (motor,) = m.drivers
    angles = m.drivers[motor].start + np.linspace(0, [[0.5], [1.0], [1.5]], 21, axis=-1)[:, 0]
    motions = m.solve_many(lengths=lengths, drivers={motor: (angles, np.ones_like(angles))})
    assert len(motions) == 3 and len(motions.motions) == 3 and "3 variants, 21 samples" in repr(motions)
    for k in range(3):
        one = rebuilt(m, lengths, {}, k).solve(drivers={motor: (angles[k], np.ones(21))})
        assert one.ok.all() and one.residual().max() < 1e-13
        for point in m.points:
            np.testing.assert_allclose(motions.position(point)[k], one.position(point), atol=1e-13 * one.size)


def test_places_of_gears():
    m = sk.load(path("geared_five_bar"))
    places = {"P": np.array([[0.04, 0.1], [0.045, 0.11]])}
    motions = m.solve_many(9, points=places)
    assert motions.ok.all()
    for k in range(2):
        one = rebuilt(m, {}, places, k).solve(9)
        np.testing.assert_allclose(motions.position("P")[k], one.position("P"), atol=1e-13)


def test_one_triangle_of_ten_thousand_cannot_close():
    m = sk.Mechanism(**CRANK_ROCKER)
    lengths = {"B-P": np.full(10_000, 4.0), "C-P": np.linspace(2.0, 2.5, 10_000)}
    lengths["B-P"][7] = 90.0
    motions = m.solve_many(5, lengths=lengths)
    assert list(motions.faults) == [7] and "cannot close" in str(motions.faults[7])
    sound = np.delete(np.arange(10_000), 7)
    assert motions.ok[sound].all() and (motions.status[7] == sk.Status.BAD_INPUT).all()
    assert (motions.failed_group[7] == -1).all()
    for values in (motions.position("D"), motions.velocity("P"), motions.angle("ground"), motions.omega("coupler")):
        assert np.isnan(values[7]).all() and np.isfinite(values[sound]).all()
    report = motions.report.splitlines()
    assert report[:2] == ["9999 of 10000 variants ok at all samples", "bad input: 1 variant"]
    assert report[2].startswith("variant 7: links.coupler: the triangle") and len(report) == 3


def test_variants_of_different_construction_are_solved_alone():
    """Three lengths of a triangle that differ by less than rounding lie on a line: it is then built differently."""
    m = sk.Mechanism(**CRANK_ROCKER)
    lengths = {"B-P": np.array([4.0, 4.0, 5.5]), "C-P": np.array([2.0, 1.0, 1.5]), "B-C": np.array([3.0, 3.0, 4.0])}
    motions = m.solve_many(30, lengths=lengths)
    assert sorted(motions.motions) == [1, 2] and motions.ok.all() and not motions.faults
    for k in range(3):
        one = rebuilt(m, lengths, {}, k).solve(30)
        np.testing.assert_allclose(motions.position("P")[k], one.position("P"), atol=1e-12)


@pytest.mark.parametrize("name", ["crank_rocker", "stephenson_iii_triad"])
@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf, -np.inf, 1e200, 5e-324, 1e-200, 1e60])
def test_an_invalid_length(name, wrong):
    """Whether variants are lanes of one plan or separate mechanisms, the others are not affected."""
    m = sk.load(path(name))
    link = next(link for link in m.links.values() if len(link.points) == 2 and link.name != "ground")
    a, b = link.points
    own = abs(link.local[a] - link.local[b])
    motions = m.solve_many(7, lengths={f"{a}-{b}": [own, wrong, own]})
    alone = m.solve_many(7, lengths={f"{a}-{b}": [own]})
    for k in (0, 2):
        assert motions.ok[k].all()
        np.testing.assert_array_equal(motions.position(b)[k], alone.position(b)[0])
    assert not motions.ok[1].all()
    assert set(motions.faults) <= {1}
    if not 0 < wrong <= 1e100:
        assert "greater than zero" in motions.report
    if 0 < wrong < 1e-100:
        assert f"lengths.{a}-{b}: the length is too small to compute with" in motions.report


WILD = np.array([0.0, -1.0, np.nan, np.inf, 1e-300, 1e99, 1e12, 1e-12, 1e-8, 0.5, 2.0])


@pytest.mark.parametrize("name", [name if name == "crank_rocker" else pytest.param(name, marks=pytest.mark.slow)
                                  for name in names()])  # fmt: skip
def test_extreme_lengths(name):
    """A variant with an extreme length has a status and changes no number of the others."""
    m, rng = sk.load(path(name)), np.random.default_rng(7)
    pairs = [(link, a, b) for link in m.links.values() for a, b in combinations(link.points, 2)]
    for _ in range(4):
        lengths = {}
        for link, a, b in (pairs[k] for k in rng.choice(len(pairs), min(3, len(pairs)), replace=False)):
            factors = 1 + 0.01 * rng.uniform(-1, 1, 8)
            factors[:4] = np.where(rng.random(4) < 0.4, rng.choice(WILD, 4), factors[:4])
            lengths[f"{a}-{b}"] = abs(link.local[b] - link.local[a]) * factors
        motions = m.solve_many(5, lengths=lengths, duration=1.0)
        sound = m.solve_many(5, lengths={pair: values[4:] for pair, values in lengths.items()}, duration=1.0)
        np.testing.assert_array_equal(motions.status[4:], sound.status)
        for link in m.links:
            np.testing.assert_array_equal(motions.angle(link)[4:], sound.angle(link))
            np.testing.assert_array_equal(motions.alpha(link)[4:], sound.alpha(link))
        assert ((motions.status == sk.Status.BAD_INPUT).all(axis=1) == np.isin(range(8), list(motions.faults))).all()


def test_a_panel_of_no_length_to_speak_of_cannot_be_solved():
    """The square of its size is beyond the range of numbers."""
    motions = sk.load(path("garage_door")).solve_many(5, lengths={"P-Q": [1.9, 1.9e-160, 1.9e-300]}, duration=1.0)
    assert (motions.status[0] == sk.Status.OK).all() and (motions.status[1:] == sk.Status.BAD_INPUT).all()


def test_invalid_positions_and_driver_values():
    m = sk.Mechanism(**CRANK_ROCKER)
    places = np.array([[2.0, 4.0], [np.nan, 4.0], [2.0, np.inf], [2.5, 4.0]])
    angles = np.linspace(0, 1, 12).reshape(4, 3)
    angles[3, 1] = np.nan
    rates = np.full((4, 3), np.nan)  # unknown rates are allowed
    masked = np.ma.masked_greater(angles, 0.5)
    motions = m.solve_many(points={"P": places}, drivers={"motor": (angles, rates)})
    assert sorted(motions.faults) == [1, 2, 3] and motions.ok[0].all()
    assert np.isfinite(motions.position("P")[0]).all() and np.isnan(motions.velocity("P")).all()
    assert sorted(m.solve_many(drivers={"motor": masked}).faults) == [2, 3]
    first = m.solve_many(points={"P": places[::-1]}, drivers={"motor": angles[::-1]})
    assert sorted(first.faults) == [0, 1, 2]
    np.testing.assert_array_equal(first.position("P")[3], motions.position("P")[0])


def test_no_variant_can_be_built():
    """Names are checked and shapes kept even if nothing was solved."""
    m = sk.load(path("stephenson_iii_triad"))
    link = next(link for link in m.links.values() if len(link.points) >= 3 and link.name != "ground")
    a, b, c = link.points[:3]
    span = abs(link.local[b] - link.local[a])
    motions = m.solve_many(4, lengths={f"{a}-{c}": [9 * span, 9 * span], f"{b}-{c}": [span, span]})
    assert len(motions.faults) == 2 and (motions.status == sk.Status.BAD_INPUT).all()
    assert motions.position(a).shape == (2, 4, 2) and np.isnan(motions.position(a)).all()
    assert motions.angle(link.name).shape == (2, 4)
    with pytest.raises(sk.InputError, match="no link has a point 'nowhere'"):
        motions.position("nowhere")
    with pytest.raises(sk.InputError, match="is not a link"):
        motions.omega("nothing")


def test_a_variant_that_does_not_move():
    """A third crank of another length makes a parallelogram immobile."""
    data = PARALLELOGRAM | {
        "points": {"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0), "E": (1, 1), "F": (1, 0)},
        "links": {
            "ground": ["A", "D", "F"],
            "crank": ["A", "B"],
            "coupler": ["B", "C", "E"],
            "rocker": ["D", "C"],
            "third": ["F", "E"],
        },
    }
    motions = sk.Mechanism(**data).solve_many(9, lengths={"E-F": [1.0, 1.1, 1.0]})
    assert motions.ok[[0, 2]].all() and list(motions.faults) == [1]
    assert "fix" in str(motions.faults[1])


def test_many_faults_are_counted():
    motions = sk.Mechanism(**CRANK_ROCKER).solve_many(3, lengths={"A-B": np.linspace(-1.0, 1.2, 23)})
    assert motions.report.splitlines()[0] == "12 of 23 variants ok at all samples"
    assert motions.report.endswith("... and 1 more invalid variants")


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


@pytest.mark.parametrize("samples", few([2, 8, 73, 361]))
def test_flat_poses(samples):
    """A row of parallelograms keeps its motion through flat poses, for any samples and any other variants."""
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
    """With the rod as long as the crank the slide passes through the crank's pivot: x = 2 cos(angle)."""
    lengths = {"A-B": np.array([1.0, 0.9, 1.0]), "B-C": np.array([1.0, 1.0, 1.1])}
    m = sk.Mechanism(**EQUAL_RODS)
    motions = m.solve_many(200, lengths=lengths)
    angle = np.arctan2(0.8, 0.6) + np.linspace(0, 2 * np.pi, 200)
    assert motions.ok.all()
    np.testing.assert_allclose(motions.position("C")[0, :, 0], 2 * np.cos(angle), atol=1e-9)
    np.testing.assert_allclose(motions.position("C")[1], rebuilt(m, lengths, {}, 1).solve(200).position("C"), atol=1e-9)


def test_flat_poses_with_driver_values_of_each_variant():
    m = sk.Mechanism(**PARALLELOGRAM)
    turn = np.linspace(np.pi / 2, 5 * np.pi / 2, 181)
    motions = m.solve_many(drivers={"motor": np.stack((turn, turn[::-1]))})
    assert motions.ok.all()
    np.testing.assert_allclose(motions.angle("second"), 0.0, atol=1e-9)


def test_a_result_that_does_not_fit_into_memory(monkeypatch):
    m = sk.load(path("crank_rocker"))
    lengths = {"A-B": np.linspace(0.039, 0.04, 100_000)}
    m.solve(3)
    with monkeypatch.context() as patch:
        # Before the variants are checked one by one.
        patch.setattr("structkin.solve.many.solve_many._complete", None)
        with pytest.raises(
            sk.InputError, match=r"100,000 variants at 1,000,000 samples would take .* GiB of memory; .*: solve"
        ):
            m.solve_many(1_000_000, lengths=lengths)

    def empty(*_):
        raise MemoryError

    monkeypatch.setattr("structkin.solve.engine.Lanes.empty", empty)
    with pytest.raises(sk.InputError, match=r"variants: 100,000 variants at 900 samples would .*: solve fewer"):
        m.solve_many(900, lengths=lengths)


def test_few_variants_are_solved_alone():
    """Limits between samples, and discriminants that nearly touch zero, are not change points."""
    m, rng = sk.Mechanism(**CRANK_ROCKER), np.random.default_rng(3)
    lengths = {"A-B": rng.uniform(0.5, 3.0, 300), "B-C": rng.uniform(2.0, 5.0, 300)}
    motions = m.solve_many(100, lengths=lengths)
    assert 0.2 < motions.ok.mean() < 0.95 and len(motions.motions) < 10


@pytest.mark.parametrize("count", [9, 60_000])
@pytest.mark.parametrize("own_values", [False, True])
def test_a_variant_does_not_depend_on_the_others_nor_on_the_samples(count, own_values):
    """An exact parallelogram flips its mode at each flat pose, also between two far samples and among many variants."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.02, 0.03464), "C": (0.1339, 0.0725), "D": (0.1, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    couplers = np.random.default_rng(0).uniform(0.08, 0.12, count)
    couplers[7] = 0.1
    lengths = {"A-B": np.full(count, 0.04), "B-C": couplers, "C-D": np.where(couplers == 0.1, 0.04, 0.07)}
    angles = np.array([1.0, 4.0, 7.0])
    motions = m.solve_many(
        lengths=lengths, drivers={"motor": np.tile(angles, (count, 1)) if own_values else angles}, engine="python"
    )
    tip = np.stack((0.1 + 0.04 * np.cos(angles), 0.04 * np.sin(angles)), axis=1)
    np.testing.assert_allclose(motions.position("C")[7], tip, atol=1e-12)


def test_a_path_without_end_is_refused_as_by_solve():
    m = sk.load(path("crank_rocker"))
    with pytest.raises(sk.InputError, match="give a shorter range"):
        m.solve_many(lengths={"B-C": [0.041, 0.042]}, drivers={"motor": np.array([0.0, 1e9])})


def test_a_path_without_end_of_one_variant_leaves_the_others():
    m = sk.load(path("crank_rocker"))
    motions = m.solve_many(lengths={"B-C": [0.041, 0.042]}, drivers={"motor": np.array([[0.0, 1e9], [1.0, 2.0]])})
    assert "give a shorter range" in str(motions.faults[0]) and list(motions.faults) == [0]
    alone = m.solve_many(lengths={"B-C": [0.042]}, drivers={"motor": np.array([1.0, 2.0])})
    np.testing.assert_array_equal(motions.status[1], alone.status[0])


def test_a_fast_variant_is_solved_alone():
    """Followed together with the others, its way would have spent the budget of all."""
    m = sk.load(path("crank_rocker"))
    speeds = {"drivers.motor.speed": [2e5, 6.0, 6.1]}
    motions = m.solve_many(37, duration=1.0, parameters=speeds)
    alone = m.with_drivers({"motor": {"joint": "A", "speed": 2e5}}).solve(37, duration=1.0)
    assert motions.ok.all() and not motions.faults
    np.testing.assert_array_equal(motions.position("C")[0], alone.position("C"))
    np.testing.assert_array_equal(
        motions.position("C")[1:],
        m.solve_many(37, duration=1.0, parameters={"drivers.motor.speed": [6.0, 6.1]}).position("C"),
    )


def test_every_mistake_is_one_error():
    """The engine was named alone, then the budget, then what differs, and what is kept last."""
    bad = {
        "samples": 0, "lengths": {"B-Z": [0.12]}, "points": {"Q": [(0, 0)]}, "parameters": {"foo.bar": [1.0]},
        "drivers": {"mtr": [1.0]}, "keep": ["Z"], "engine": "fast", "budget": -1, "duration": -1,
    }  # fmt: skip
    with pytest.raises(sk.InputError) as error:
        sk.load(path("crank_rocker")).solve_many(**bad)
    keys = ["lengths.B-Z", "points.Q", "foo.bar", "engine", "budget", "keep.Z", "drivers.mtr", "samples", "duration"]
    assert [problem.key for problem in error.value.problems] == keys
