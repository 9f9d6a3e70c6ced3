"""What kind of pose: regular, dead point, change point with its branches, redundant."""

import numpy as np
import pytest
from cases import few
from three_cranks import three_cranks
from windows import windows

import structkin as sk
from structkin.examples import names, path
from structkin.joints.geneva import Geneva


def four_bar(A, B, C, D, **more):
    return sk.Mechanism(
        points={"A": A, "B": B, "C": C, "D": D},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
        **more,
    )


def parallelogram():
    return four_bar((0, 0), (0, 1), (2, 1), (2, 0))


@pytest.mark.full
@pytest.mark.parametrize(("count", "said"), [(3, "8 branches"), (7, "64 or more branches")])
def test_of_a_row_of_parallelograms_the_branches_are_counted_as_far_as_they_are_listed(count, said):
    tip, pivots = np.array([np.cos(0.7), np.sin(0.7)]), [(2.0 + k, 0.0) for k in range(count)]
    points = {"A": (0, 0), "B": tip} | {f"D{k}": pivot for k, pivot in enumerate(pivots)}
    points |= {f"C{k}": pivot + tip for k, pivot in enumerate(pivots)}
    links = {"ground": ["A", *(f"D{k}" for k in range(count))], "crank": ["A", "B"]}
    links |= {f"rod{k}": ["B", f"C{k}"] for k in range(count)}
    links |= {f"rocker{k}": [f"D{k}", f"C{k}"] for k in range(count)}
    m = sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "A"}})
    found = m.solve(drivers={"motor": np.linspace(0.7, np.pi, 10)}).classify(9)
    assert found.words.startswith(f"change point: {said} cross") and len(found.branches) == min(2**count, 64)
    for k in range(count):
        np.testing.assert_allclose(found.branches[0].K(f"rocker{k}"), 1, atol=1e-9)


@pytest.mark.parametrize("name", few(names(), 12))
def test_examples_are_regular(name):
    m = sk.load(path(name))
    motion = m.solve(5)
    if m.joints.of(Geneva):
        with pytest.raises(sk.InputError, match="cannot be classified"):
            motion.classify(2)
        return
    found = motion.classify(2)
    assert found.kind == ("redundant" if m.structure().over else "regular")
    assert 1e-3 < found.sigma < 1 and not found.branches and not found.coordinates


def test_a_dead_point_names_a_usable_coordinate():
    """The crank of a rocker-crank at its limit: coupler and rocker are aligned, and the rocker can drive."""
    m = four_bar((0, 0), (3, 1), (4, 3), (5, 0))
    a, b, c, d = np.sqrt(10), np.sqrt(5), np.sqrt(10), 5.0
    limit = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    found = m.solve(drivers={"motor": [1.0, limit]}).classify(1)
    assert found.kind == "dead point" and found.sigma < 1e-6
    assert found.coordinates in (("B",), ("C",), ("D",))
    assert "motor cannot drive" in found.words


def test_a_slider_at_its_dead_centre_is_driven_by_the_crank():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0.5), "C": (4, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}},
        drivers={"push": {"joint": "guide"}},
    )
    reach = abs(1 + 0.5j) + abs(3 - 0.5j) - 4
    found = m.solve(drivers={"push": [0.0, reach]}).classify(1)
    assert found.kind == "dead point" and found.coordinates[0] in ("A", "B", "C")


def test_the_driver_that_still_works_is_kept():
    """Two separate four-bars: the first motor is at its limit, the second is not."""
    m = sk.Mechanism(
        points={
            "A": (0, 0), "B": (3, 1), "C": (4, 3), "D": (5, 0),
            "E": (9, 0), "F": (9, 1), "G": (13, 2), "H": (12, 0),
        },
        links={
            "ground": ["A", "D", "E", "H"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"],
            "crank2": ["E", "F"], "coupler2": ["F", "G"], "rocker2": ["H", "G"],
        },
        drivers={"motor": {"joint": "A"}, "motor2": {"joint": "E"}},
    )  # fmt: skip
    a, b, c, d = np.sqrt(10), np.sqrt(5), np.sqrt(10), 5.0
    limit = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))
    found = m.solve(drivers={"motor": [1.0, limit], "motor2": [1.5, 1.4]}).classify(1)
    assert found.kind == "dead point" and found.coordinates[0] == "motor2" and len(found.coordinates) == 2
    assert found.coordinates[1] in ("B", "C", "D")


@pytest.mark.parametrize("short, long", [(1.0, 2.0), (0.7, 3.1), (2.0, 2.5)])
def test_both_branches_of_a_flat_parallelogram(short, long):
    """The parallelogram keeps its ratio 1; the antiparallelogram passes with (a - d) / (a + d), and its inverse."""
    m = four_bar((0, 0), (0, short), (long, short), (long, 0))
    motion = m.solve(9)
    for sample, ratio in ((2, -(long - short) / (long + short)), (6, -(long + short) / (long - short))):
        found = motion.classify(sample)
        assert found.kind == "change point" and found.sigma < 1e-9 and len(found.branches) == 2
        keeps, other = found.branches
        np.testing.assert_allclose(keeps.K("rocker")[0], 1, atol=1e-12)
        np.testing.assert_allclose(keeps.L("rocker")[0], 0, atol=1e-10)
        np.testing.assert_allclose(other.K("rocker")[0], ratio, atol=1e-11)
        # By symmetry the ratio is at an extreme where the bars are in line.
        np.testing.assert_allclose(other.L("rocker")[0], 0, atol=1e-9)
        np.testing.assert_allclose(other.position("C"), keeps.position("C"), atol=1e-12)
        np.testing.assert_allclose(other.omega("rocker"), ratio, atol=1e-11)


def test_the_other_branch_on_request():
    """With its modes kept, a parallelogram turns into an antiparallelogram at each flat pose, and back at the next."""
    motion = parallelogram().solve(361, branch="mode")
    smooth = parallelogram().solve(361)
    assert motion.ok.all()
    W, V = motion.position("D") - motion.position("B"), motion.position("C") - motion.position("B")
    side = W[:, 0] * V[:, 1] - W[:, 1] * V[:, 0]
    assert np.all(side > -1e-12)
    np.testing.assert_allclose(motion.position("C")[:91], smooth.position("C")[:91], atol=1e-12)
    other = smooth.classify(90).branches[1]
    np.testing.assert_allclose(motion.K("rocker")[91], other.K("rocker")[0], atol=1e-3)
    # Four bars: the closure of the antiparallelogram: the product of the half-angle tangents is constant.
    z, y = motion.angle("crank")[91:270], motion.angle("rocker")[91:270]
    product = np.tan((z - np.pi) / 2) / np.tan((y - np.pi) / 2)
    np.testing.assert_allclose(product, product[0], rtol=1e-8)
    with pytest.raises(sk.InputError, match="known: smooth, mode"):
        parallelogram().solve(9, branch="other")


def test_redundant_joints_are_named():
    found = three_cranks().solve(7).classify(1)
    assert found.kind == "redundant" and "constraints of F" in found.words


def test_a_sample_without_a_pose_has_no_class():
    m = four_bar((0, 0), (3, 1), (4, 3), (5, 0))
    motion = m.solve(37)
    lost = int(np.flatnonzero(~motion.ok)[0])
    assert motion.classify(lost) is None and motion.classify(0).kind == "regular"
    with pytest.raises(sk.InputError, match="no sample 37 of 37"):
        motion.classify(37)


@pytest.mark.parametrize("count", [2, 3])
def test_branches_along_which_a_dyad_stays_flat(count):
    """Where a square folds on its ground, its second crank rests; so does the next square, flat, along that branch."""
    m = windows(count)
    found = m.solve(drivers={"motor": np.array([np.pi])}).classify(0)
    rates = [tuple(float(branch.K(f"crank{k}")[0, 0]) for k in range(count + 1)) for branch in found.branches]
    np.testing.assert_allclose(rates, [(1,) * (count + 1), (1,) * count + (0,)], atol=1e-9)
    assert found.words.count("stays flat") == count - 1
    # Near the pose there is an assembly for each of them.
    nearby = m.assemblies(drivers={"motor": np.pi + 1e-3})
    assert len(list(nearby)) == len(found.branches) + found.words.count("stays flat")


def test_the_other_mode_of_a_dyad_whose_outer_pins_coincide_is_no_branch_of_the_pose():
    """A kite with b sin(phi) = tan(z / 2) (a + b cos(phi)): where it folds, C = (3, 0) and C = (-1, 0) are two poses.

    Through each passes the motion, and the rotation of coupler and rocker about B = D with the crank at rest.
    """
    rod, turn = np.cos(0.5) + np.sqrt(4 - np.sin(0.5) ** 2), np.array((np.cos(0.5), np.sin(0.5)))
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (np.cos(1), np.sin(1)), "C": rod * turn, "D": (1, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        lengths={"A-B": 1, "A-D": 1, "B-C": 2, "C-D": 2}, drivers={"m": {"joint": "A", "speed": 1}},
    )  # fmt: skip
    motion = m.solve(drivers={"m": (np.array([0.5, 0.0]), np.ones(2), np.zeros(2))})
    found = motion.classify(1)
    (branch,) = found.branches
    np.testing.assert_allclose(branch.position("C")[0], (3, 0), atol=1e-12)
    np.testing.assert_allclose(branch.K("rocker")[0], (1 + 2) / (2 * 2), atol=1e-9)
    assert "branch of group 2, RRR (coupler + rocker) the drivers stay at rest" in found.words


def test_one_branch_is_not_said_to_cross():
    """Three equal cranks: D-E and E-F could each fold into an antiparallelogram, but not both at once."""
    motion = three_cranks().solve(drivers={"motor": np.linspace(np.arctan2(2, 1), np.pi, 11)})
    found = motion.classify(10)
    assert found.kind == "change point" and len(found.branches) == 1
    assert found.words.endswith("but only one branch passes")


@pytest.mark.parametrize("method", ["global", "global-sparse", "global-triangular"])
@pytest.mark.parametrize("samples", few([9, 73], 1))
def test_a_global_motion_reports_the_branches_of_its_change_points(method, samples):
    """It stops there; the crossing roots are found group by group."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    motion, by_groups = m.solve(samples, method=method), m.solve(samples)
    for sample in (samples // 4, 3 * (samples // 4)):
        found, known = motion.classify(sample), by_groups.classify(sample)
        assert found.kind == "change point" and found.words == known.words and len(found.branches) == 2
        for mine, theirs in zip(found.branches, known.branches, strict=True):
            assert mine.K("rocker") == pytest.approx(theirs.K("rocker"), abs=1e-9)
    assert motion.classify(1).kind == by_groups.classify(1).kind == "regular"
