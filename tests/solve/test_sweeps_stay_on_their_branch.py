"""A sweep never leaves its branch: families of mechanisms that pass flat poses, against a judge that shares no code.

Where the judge's walk comes, every sample must be solved, and lie where the walk is. Where the walk ends at a pose that
is neither flat nor clearly not, the methods must not contradict each other; behind a limit they may resume differently.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from branch_families import FAMILIES, Case, Draft, case, circle, known
from branch_judge import GREY, Linkage, Slide, Turn, Walk
from cases import few

#: Parts of the size: a pose, and a pose beside a flat one, whose digits are halved.
POSE, BESIDE_FLAT = 1e-8, 1e-6
SEEDS, BLOCK, BLOCKS = 3, 50, 14
METHODS = "topological", "topological-kl", "global"


def places(one: Case, motion: Any) -> Any:
    """All points (n, points), in parts of the size, in the judge's order."""
    found = [motion.position(name) @ (1, 1j) for name in one.walk.system.names]
    return np.stack(found, axis=1) / one.size


def faults(one: Case, count: int, methods: Any = METHODS) -> list[str]:
    """What is wrong with the sweeps of a case in about `count` samples."""
    X, sure, near = one.judged(count)
    allowed = np.where(near, BESIDE_FLAT, POSE)
    found, ends = [], {}
    for method in methods:
        motion = one.motion(count, method=method)
        with np.errstate(invalid="ignore"):
            gap = np.max(np.abs(places(one, motion) - X / one.size), axis=1)
        name = f"{one.family} {one.seed}, off by {one.off:g}, {method}, {len(sure)} samples:"
        wrong = motion.ok & sure & (gap > allowed)
        lost = ~motion.ok & sure & ~near
        if wrong.any():
            found.append(f"{name} {wrong.sum()} wrong by up to {gap[wrong].max():.2g}, from {np.argmax(wrong)}")
        if lost.any():
            found.append(f"{name} {lost.sum()} lost, from {np.argmax(lost)}")
        ends[method] = places(one, motion), motion.ok
    (A, ok), *others = ends.values()
    for B, too in others:
        both = ok & too & ~sure & (one.walk.end != "limit")
        if both.any() and np.max(np.abs(A - B)[both]) > BESIDE_FLAT:
            found.append(f"{one.family} {one.seed}, off by {one.off:g}, {count}: the methods contradict each other")
    return found


# --- the judge itself -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", few(["parallelogram", "parallelogram_in_triad", "parallelogram_behind_triad",
                                    "chained_parallelograms", "nested_parallelograms", "three_legs", "gripper",
                                    "pantograph", "carried_four_bar"], 1))  # fmt: skip
def test_the_judge_keeps_parallelograms_parallel(family):
    passed = 0
    for seed in range(5):
        one = case(family, seed, off=0.0)
        X, sure, _ = one.judged(150)
        at = {name: X[sure, k] for k, name in enumerate(one.walk.system.names)}
        passed += len(one.walk.flats)
        for p, q, *other in one.draft.level:
            r, s = other or (p, q)
            kept = at[r] - at[s] if other else one.draft.points[p] - one.draft.points[q]
            np.testing.assert_allclose(at[p] - at[q], kept, atol=1e-7 * one.size)
    assert passed > 1 or family == "three_legs"


@pytest.mark.parametrize("family", few(["change_point_four_bar", "antiparallelogram", "kite", "narrow_four_bar",
                                    "narrow_slot"]))  # fmt: skip
def test_the_judge_changes_the_mode_of_a_dyad_at_each_flat_pose_and_nowhere_else(family):
    """Rod and rocker are flat where their pins are as far apart as their sum or difference, a slot at its offset."""
    for seed in range(5):
        one = case(family, seed, off=0.0)
        X, sure, near = one.judged(400)
        change = one.samples(400)[2][:, 0]
        at = {name: X[:, k] for k, name in enumerate(one.walk.system.names)}
        sketch, lengths = one.draft.points, one.walk.system.linkage.lengths
        a, d = abs(sketch["B"] - sketch["A"]), abs(sketch["D"] - sketch["A"])
        z = np.angle((sketch["B"] - sketch["A"]) / (sketch["D"] - sketch["A"])) + change
        if family == "narrow_slot":
            line = at["Q"] - at["P"]
            ends = [abs(((at["P"] - at["D"])[0] * line[0].conjugate()).imag / line[0])]
            mode = np.sign(((at["B"] - at["D"]) * line.conj()).real)
        else:
            b, c = lengths["B", "C"], lengths["D", "C"]
            ends = [b + c, abs(b - c)]
            mode = np.sign(((at["C"] - at["B"]) * (at["D"] - at["B"]).conj()).imag)
        apart = {0.0: abs(d - a), np.pi: d + a}
        flat = [place for place, far in apart.items() if min(abs(far - end) for end in ends) < 1e-12 * one.size]
        turns = sum(np.floor((z - place) / (2 * np.pi)) for place in flat)
        passed = np.cumsum(np.abs(np.diff(turns, prepend=turns[0])))
        clear = sure & ~near
        assert flat
        np.testing.assert_array_equal(mode[clear], mode[0] * (-1.0) ** passed[clear])


def test_the_judge_keeps_the_piston_of_equal_rods_on_its_branch():
    """It is at twice the height of the crank over the guide, or stays at the pivot."""
    for seed in range(5):
        one = case("equal_rods", seed, off=0.0)
        X, sure, _ = one.judged(300)
        A, B, C, P, Q = (X[:, one.walk.system.names.index(name)] for name in "ABCPQ")
        u = (Q[0] - P[0]) / abs(Q[0] - P[0])
        truth = A + 2 * ((B - A) * np.conj(u)).real * u
        assert sure.sum() > 290
        np.testing.assert_allclose(C[sure], truth[sure], atol=1e-7 * one.size)


@pytest.mark.parametrize("height", [1e-11, 1e-9, -1e-9, -1e-7, 1e-6, -1e-6, 1e-4, -1e-4, 1e-3, -1e-3])
def test_the_judge_ends_where_a_parallelogram_does_not_close_and_does_not_judge_behind_what_is_nearly_flat(height):
    """Crank 1, rod 2 + h, rocker 1, ground 2: flat or apart where the crank lies along the ground."""
    points = {"A": 0j, "B": 1j, "C": circle(1j, 2, 2 + height, 1, 1.0), "D": 2 + 0j}
    walk = Walk(
        Linkage(points, "AD", (Turn("A", ("B",), (1.0,)),), ("BC", "DC"), [0.0], {("B", "C"): 2 + height}),
        [[0.0], [np.pi / 2 + 0.3], [-0.5]],
    )
    # At the crank angle pi pins are 3 apart, rod and rocker 3 + h: closed for h >= 0, but the coupler turns over.
    sure = walk.at([0, 1], [np.pi / 2 + 0.2, 0.1])[1]
    if height < 0:
        assert walk.end and walk.ended[0] == 0
        reach = np.arccos((5 - (3 + height) ** 2) / 4) - np.pi / 2
        assert walk.ended[1] == pytest.approx(reach, abs=3e-5)
    assert sure.all() == (height > GREY[1]) and sure.any() == (height > GREY[1])


# --- the cases that were found ----------------------------------------------------------------------------------------


def one_crank(points: dict[str, complex], links: dict[str, str], crank: str, **more: Any) -> Draft:
    """A mechanism whose first link after the ground is driven at its first point."""
    pivot, pin = links[crank]
    return Draft(
        points=points,
        ground=tuple(links["ground"]),
        links={name: list(held) for name, held in links.items()},
        driven=(Turn(pivot, (pin,), (1.0,)),),
        drivers={"m": {"joint": pivot}},
        bodies=[name for name in links if name not in ("ground", crank)],
        **more,
    )


def narrow_change_point() -> Case:
    points = {"A": 0j, "B": 0.5403023058681398 - 0.8414709848078965j, "D": 1.0625 + 0j,
              "C": -0.06199128598458992 + 0.03382820930411534j}  # fmt: skip
    links = {"ground": "AD", "crank": "AB", "rod": "BC", "rock": "CD"}
    lengths = {("A", "B"): 1.0, ("B", "C"): 1.0625, ("C", "D"): 1.125, ("A", "D"): 1.0625}
    return known("narrow_change_point", one_crank(points, links, "crank", lengths=lengths), [[0], [8 * np.pi]])


def parallel_gripper() -> Case:
    points = {"A": 0j, "B": 2.4 + 2.6j, "C": 4.2 + 2.6j, "D": 3.1 + 1.388j, "E": 4.9 + 1.388j, "F": 7.5 + 1.388j}
    points |= {name: points[like].conjugate() for name, like in zip("GHIJK", "BCDEF", strict=True)}
    links = {"ground": "BCGH", "AD": "AD", "AI": "AI", "AL": "A", "BD": "BD", "CE": "CE", "DEF": "DEF", "GI": "GI",
             "HJ": "HJ", "IJK": "IJK"}  # fmt: skip
    draft = Draft(
        points=points,
        ground="BCGH",
        links={name: list(held) for name, held in links.items()},
        driven=(Slide(("A",), 1.0, (1.0,)),),
        drivers={"m": {"joint": "guide"}},
        bodies=("AD", "AI", "BD", "CE", "DEF", "GI", "HJ", "IJK"),
        joints={"guide": {"type": "prismatic", "links": ["ground", "AL"], "at": "A", "axis": [1.0, 0.0]}},
        level=(("E", "D"), ("F", "D"), ("J", "I"), ("K", "I")),
    )
    return known("parallel_gripper", draft, [[0], [5]])


def dyad_behind_triad() -> Case:
    points = {"G": -0.3 + 0.3j, "F": -0.3 + 1j, "A": 0j, "B": -1.4 + 0.4j, "C": 0.4 - 0.4j, "D": 0.8 + 0j,
              "E": -1.3 + 0j, "S": 0.5 - 0.3j, "H": -0.2 + 0.1j, "U": -0.5 - 0.2j}  # fmt: skip
    links = {"ground": "GADH", "drive": "GF", "rod": "FE", "left": "AB", "plate": "BCE", "right": "DCS", "cup": "SU",
             "last": "HU"}  # fmt: skip
    return known(
        "dyad_behind_triad", one_crank(points, links, "drive", level=(("U", "S"),)), [[0], [-4.630796326794897]]
    )


def triad_parallelogram() -> Case:
    points = {"G": 0j, "F": -0.3 - 0.4j, "A": 0.4 + 0.4j, "D": 0.9 - 1.3j, "B": -0.5 + 0.7j, "C": -1j, "E": 0.4 + 1.2j}
    links = {"ground": "GAD", "drive": "GF", "rod": "FE", "left": "AB", "plate": "BCE", "right": "DC"}
    level = (("C", "B"), ("E", "B"))
    return known("triad_parallelogram", one_crank(points, links, "drive", level=level), [[0], [2 * np.pi]])


def platform_three_legs() -> Case:
    points = {"A0": 0j, "B0": 1j, "A1": 1 + 0.2j, "B1": 1 + 1.2j, "A2": 0.4 - 0.5j, "B2": 0.4 + 0.5j}
    draft = Draft(
        points=points,
        ground=("A0", "A1", "A2"),
        links={
            "ground": ["A0", "A1", "A2"], "plate": ["B0", "B1", "B2"], "l0": ["A0", "B0"], "l1": ["A1", "B1"],
            "l2": ["A2", "B2"],
        },
        driven=(Turn("A0", ("B0",), (1.0,)),),
        drivers={"m": {"joint": "A0"}},
        bodies=("plate", "l1", "l2"),
        level=(("B1", "B0"), ("B2", "B0")),
    )  # fmt: skip
    return known("platform_three_legs", draft, [[0], [6.2]])


def two_drivers_bend() -> Case:
    A = 0.955336489125606 + 0.29552020666133955j
    points = {"O": 0j, "A": A, "B": 2 * A, "C": 2 * A + 0.5, "D": A + 0.5}
    draft = Draft(
        points=points,
        ground=("O",),
        links={"ground": ["O"], "arm": ["O", "A", "B"], "fore": ["B", "C"], "s1": ["A", "D"], "s2": ["D", "C"]},
        driven=(Turn("O", ("A", "B"), (1.0, 0.0)), Turn("B", ("C",), (0.0, 1.0))),
        drivers={"m1": {"links": ["ground", "arm"]}, "m2": {"links": ["ground", "fore"]}},
        bodies=("s1", "s2"),
        level=(("D", "A", "C", "B"),),
    )
    return known("two_drivers_bend", draft, [[0, 0], [0.2, 0.51], [0.51, 0.7]])


FOUND = {
    one.__name__: one
    for one in (
        narrow_change_point, parallel_gripper, dyad_behind_triad, triad_parallelogram, platform_three_legs,
        two_drivers_bend,
    )
}  # fmt: skip


@pytest.mark.parametrize("count", few([2, 37, 91, 361], 1, 2))
@pytest.mark.parametrize("name", FOUND)
def test_cases_found_by_an_independent_trial(name, count):
    """All were passed on the wrong branch, status ok, or lost behind a change point, at some numbers of samples."""
    one = FOUND[name]()
    assert not one.walk.end and one.judged(count)[1].all()
    assert not faults(one, count)


def test_a_way_that_turns_back_beside_a_fold():
    """The expansion of the second order there led to a branch beyond the fold: 455 of 963 samples, status ok."""
    assert not faults(case("parallelogram_in_triad", 1595), 963)


@pytest.mark.full
@pytest.mark.parametrize("count", [2121, 8485])
def test_a_way_that_turns_back_just_behind_a_flat_pose(count):
    """Few of many samples between a far regular pose and this one: the path through all seemed smooth, and went on."""
    assert not faults(case("parallelogram_in_triad", 1648), count)


# --- the families -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", few(FAMILIES, 3, 6))
def test_sweeps_stay_on_their_branch(family):
    found = []
    for seed in range(SEEDS):
        one = case(family, seed)
        rng = np.random.default_rng(seed)
        found += faults(one, int(rng.choice([2, 5, 12])), METHODS[:1])
        found += faults(one, int(rng.integers(20, 200)))
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("family", FAMILIES)
def test_thousands_of_sweeps_stay_on_their_branch(family, block, record_property):
    found, seen = [], Counter[str]()
    for seed in range(1000 + block * BLOCK, 1000 + (block + 1) * BLOCK):
        one = case(family, seed)
        seen += Counter(cases=1, exact=int(one.off == 0), flats=len(one.walk.flats), ended=int(bool(one.walk.end)))
        rng = np.random.default_rng(seed)
        found += faults(one, int(rng.choice([2, 3, 5, 12])))
        found += faults(one, int(20 * 500.0 ** rng.random() ** 2))
    for name, count in seen.items():
        record_property(name, count)
    assert not found, "\n".join(found)
