"""Gaps of two groups between two samples: one gap where they overlap, two where there is a pose between them.

The judge knows the gaps: of four-bars on one crank by the law of cosines, of chains of two by their closed forms at a
quarter of a million places. A sample is ok if it closes, and no gap lies between it and the sample before but one in
which that lies.
"""

from __future__ import annotations

import cmath
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cases import blocks, few

import structkin as sk
from structkin.model.mechanism import Mechanism

#: A gap of a four-bar: its middle and half its width [rad], distance and direction of the pivot, rod and rocker.
Gap = tuple[float, float, float, float, float, float]
#: Places of a turn at which a chain is examined, and the shortest stretch [places] that is.
PLACES, SHORTEST = 1 << 18, 128


def gap(middle: float, half: float, ground: float, other: float, *, far: bool) -> Gap:
    """Return the gap of a four-bar with a crank of 1 m around the crank angle at which pivot and pin are far, or near.

    Rod and rocker are as long together (apart) as these are at its ends; their difference (sum) is the `other` length.
    """
    edge = abs(cmath.rect(1.0, math.pi - half if far else half) - ground)
    most, least = (edge, other) if far else (other, edge)
    return middle, half, ground, middle + math.pi * far, (most + least) / 2, (most - least) / 2


def pin(A: Any, D: Any, rod: float, rocker: float, mode: float) -> Any:
    """Return the pin between rod and rocker as a complex number; NaN where they do not close."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(D - A)
        along = (apart**2 + rod**2 - rocker**2) / (2 * apart)
        return A + (D - A) / apart * (along + 1j * mode * np.sqrt(rod**2 - along**2))


def on_one_crank(gaps: list[Gap], start: float) -> Mechanism:
    """Return four-bars with these gaps on one crank, sketched at a crank angle."""
    A = cmath.rect(1.0, start)
    points, links = {"O": 0j, "A": A}, {"ground": ["O"], "crank": ["O", "A"]}
    for k, (_, _, ground, direction, rod, rocker) in enumerate(gaps):
        D = cmath.rect(ground, direction)
        points |= {f"D{k}": D, f"B{k}": complex(pin(A, D, rod, rocker, (-1) ** k))}
        links["ground"].append(f"D{k}")
        links |= {f"rod{k}": ["A", f"B{k}"], f"rocker{k}": [f"B{k}", f"D{k}"]}
    return made(points, links)


def made(points: dict[str, complex], links: dict[str, list[str]]) -> Mechanism:
    places = {name: (at.real, at.imag) for name, at in points.items()}
    return Mechanism(points=places, links=links, drivers={"motor": {"joint": "O"}})


def sound(gaps: list[Gap], z: Any) -> Any:
    """Return which samples (n,) at these crank angles are ok."""
    low, high = np.min(z) - 7, np.max(z) + 7
    ends = [
        (middle + 2 * math.pi * k - half, middle + 2 * math.pi * k + half)
        for middle, half, *_ in gaps
        for k in range(math.floor((low - middle) / 6.28), math.ceil((high - middle) / 6.28))
    ]
    merged: list[list[float]] = []
    for first, last in sorted(ends):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(last, merged[-1][1])
        else:
            merged.append([first, last])
    begin, end = np.transpose(merged)
    ok = ~((begin[:, None] < z) & (z < end[:, None])).any(axis=0)
    for k, (a, b) in enumerate(pairwise(z), 1):
        ok[k] &= not ((begin > min(a, b)) & (end < max(a, b))).any()
    return ok


CRAFTED = [
    # The sample before lies in the first gap: they overlap, one is within the other, there is a pose between them.
    ([(1.00, 0.10), (1.12, 0.06)], True),
    ([(1.00, 0.10), (1.05, 0.01)], True),
    ([(1.00, 0.10), (1.14, 0.03)], False),
    ([(1.00, 0.10), (1.1405, 0.04)], False),
    ([(1.00, 0.02), (1.08, 0.03), (1.14, 0.04)], False),
    ([(1.00, 0.10), (1.09, 0.01), (1.13, 0.04)], True),
]


@pytest.mark.parametrize(("where", "goes_on"), CRAFTED)
def test_the_sample_behind_two_gaps_is_ok_if_they_are_one(where, goes_on):
    gaps = [gap(middle, half, 2.0 + 0.3 * k, 0.4, far=True) for k, (middle, half) in enumerate(where)]
    m = on_one_crank(gaps, 0.0)
    for between in ([], [0.3], [0.3, 0.6, 0.8]):
        for end in (1.2, 1.3, 1.9):
            z = np.array([0.0, *between, 1.0, end, end + 0.1])
            expected = sound(gaps, z)
            assert expected[-2] == goes_on
            np.testing.assert_array_equal(m.solve(drivers={"motor": z}).ok, expected)


def drawn(rng: Any) -> tuple[list[Gap], Mechanism, float]:
    """Return two or three four-bars on one crank with gaps beside each other, and a crank angle at which they close."""
    place, width = rng.uniform(0, 2 * math.pi), 10 ** rng.uniform(-3, -0.3)
    gaps = []
    for _ in range(rng.integers(2, 4)):
        ground, half, far = rng.uniform(1.3, 3), 10 ** rng.uniform(-3, -0.5), bool(rng.random() < 0.5)
        other = rng.uniform(0, 0.8) * (ground - 1) if far else ground + rng.uniform(1.2, 3)
        gaps.append(gap(place + rng.uniform(-1.5, 1.5) * width, half, ground, other, far=far))
    while True:
        start = float(rng.uniform(0, 2 * math.pi))
        if all(abs(math.remainder(start - middle, 2 * math.pi)) > half + 0.05 for middle, half, *_ in gaps):
            return gaps, on_one_crank(gaps, start), start


def sweeps(rng: Any, start: float) -> list[Any]:
    """Return the crank angles of a coarse and a fine sweep."""
    counts = int(rng.integers(4, 40)), int(rng.integers(20, 400))
    return [start + np.linspace(0, rng.choice([-1, 1]) * rng.uniform(3, 13), count) for count in counts]


@pytest.mark.parametrize(
    ("seeds", "method"),
    [
        ([12, 14, 71, 195, 252, 272], "topological"),
        pytest.param([12, 14, 71, 195, 272], "global", marks=pytest.mark.full),
        *few([(block, "topological") for block in blocks(range(1000, 3000))], 0, 1),
    ],
)
def test_gaps_of_four_bars_on_one_crank(seeds, method):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        gaps, m, start = drawn(rng)
        for z in sweeps(rng, start):
            found = m.solve(drivers={"motor": z}, method=method).ok
            np.testing.assert_array_equal(found, sound(gaps, z), err_msg=f"{seed}, {len(z)} samples")


def chain(rng: Any) -> tuple[Mechanism, float, Any] | None:
    """Return a four-bar that pushes a dyad, which is flat beside a gap, a start, and where they close (PLACES,)."""
    ground, half, far = rng.uniform(1.3, 3), 10 ** rng.uniform(-2.5, -0.3), bool(rng.random() < 0.5)
    other = rng.uniform(0, 0.8) * (ground - 1) if far else ground + rng.uniform(1.2, 3)
    middle, _, _, direction, rod, rocker = gap(rng.uniform(0, 6.28), half, ground, other, far=far)
    D, mode = cmath.rect(ground, direction), rng.choice([-1, 1])
    F, second = D + cmath.rect(rng.uniform(1, 3), rng.uniform(0, 6.28)), rng.choice([-1, 1])
    beside = middle + rng.choice([-1, 1]) * half * (1 + 10 ** rng.uniform(-2.5, 0.5))
    edge = abs(complex(pin(cmath.rect(1.0, beside), D, rod, rocker, mode)) - F)
    most, least = (edge, rng.uniform(0, 0.8) * edge) if rng.random() < 0.5 else (edge + rng.uniform(0.5, 3), edge)
    lengths = (most + least) / 2, (most - least) / 2

    def close(places: Any) -> Any:
        B = pin(np.exp(2j * math.pi * places / PLACES), D, rod, rocker, mode)
        return np.array((np.isfinite(B), np.isfinite(pin(B, F, *lengths, second))))

    both = close(np.arange(PLACES))
    at, closes = np.flatnonzero((both != np.roll(both, 1, axis=1)).any(axis=0)), both[1]
    ends = np.flatnonzero(closes != np.roll(closes, 1))
    if not len(ends) or np.min(np.diff(np.append(ends, ends[0] + PLACES))) < SHORTEST:
        return None
    # Beside an end of either gap there is nothing shorter.
    window = np.linspace(-SHORTEST, SHORTEST, 1 << 16)
    for end in at.tolist():
        coarse = closes[np.arange(end - SHORTEST, end + SHORTEST + 1) % PLACES]
        if np.diff(close(end + window)[1]).sum() != np.diff(coarse).sum():
            return None
    runs = np.split(np.arange(ends[0], ends[0] + PLACES), ends[1:] - ends[0])
    run = max((run for run in runs if closes[run[0] % PLACES]), key=len)
    start = 2 * math.pi * float(run[len(run) // 2]) / PLACES
    A = cmath.rect(1.0, start)
    B = complex(pin(A, D, rod, rocker, mode))
    points = {"O": 0j, "A": A, "B": B, "D": D, "C": complex(pin(B, F, *lengths, second)), "F": F}
    links = {"ground": "ODF", "crank": "OA", "rod": "AB", "rocker": "BD", "bar": "BC", "arm": "CF"}
    return made(points, {name: list(on) for name, on in links.items()}), start, closes


def judged(closes: Any, z: Any) -> tuple[Any, Any]:
    """Return which samples (n,) of a chain are ok, and of which that is sure."""
    at = np.round(z * PLACES / (2 * math.pi)).astype(int)
    around = closes[(at[:, None] + np.arange(-3, 4)) % PLACES]
    ok, sure = around.all(axis=1), around.all(axis=1) | ~around.any(axis=1)
    for k, (a, b) in enumerate(pairwise(at), 1):
        way = closes[np.arange(a, b + np.sign(b - a), np.sign(b - a)) % PLACES]
        ok[k] &= bool(way[np.argmax(way) :].all())
    sure[1:] &= sure[:-1]
    return ok, sure


@pytest.mark.parametrize("seeds", [[28, 84], *few(blocks(range(1000, 1600)), 0, 1)])
def test_gaps_of_a_dyad_beside_that_of_what_moves_it(seeds):
    tried = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        while (one := chain(rng)) is None:
            pass
        m, start, closes = one
        for z in sweeps(rng, start):
            ok, sure = judged(closes, z)
            found = m.solve(drivers={"motor": z}).ok
            np.testing.assert_array_equal(found[sure], ok[sure], err_msg=f"{seed}, {len(z)} samples")
            tried += int(sure.sum())
    assert tried > 20


def test_at_uneven_angles_a_pose_between_two_gaps_is_not_overlooked() -> None:
    """The angle before the gap is a fortieth of that with the gap: nothing there says how fast the inputs move."""
    linkages = sk.Linkages.random(6000, 10, seed=141133399)
    angles = np.cumsum([0.0, *[0.002, 0.085] * 72])
    for number, sample in ((2739, 54), (2760, 30), (4396, 10), (5203, 134)):
        linkage, lead = linkages.take(slice(number, number + 1)), np.linspace(0.0, angles[sample - 1], 200)
        between = np.linspace(angles[sample - 1], angles[sample], 4001)
        lost = np.isnan(sk.solve_batch(linkage, angles=np.append(lead, between[1:])).position[0, :, 0, 199:]).any(
            axis=0
        )
        assert np.count_nonzero(lost[:-1] & ~lost[1:]) == 2
        alone = linkage.mechanism(0).solve(drivers={"motor": angles}).status
        for status in (alone, sk.solve_batch(linkage, angles=angles).status[0]):
            assert status[sample] == sk.Status.OUT_OF_REACH and status[sample + 1] == sk.Status.OK
