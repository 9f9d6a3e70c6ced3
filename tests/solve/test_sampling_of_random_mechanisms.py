"""Poses and statuses at common times depend neither on the number of samples nor on a driver that moves nothing else.

Random mechanisms run through wide ranges of their drivers, past limits and gaps; the families of flat poses past these.
A sample that has a pose is out of reach where a gap lies between it and the sample before. So a sample out of reach
means that the motion ended within the step before it; in all other runs it ends there, too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from branch_families import FAMILIES, OFFS, UnfitError, _off, _placed, mechanism
from cases import few
from random_mechanisms import GEARED, OTHERS, build

import structkin as sk

#: Intervals between samples: seven numbers of samples with five common times.
INTERVALS, COMMON = (4, 8, 12, 20, 28, 60, 100), 4
#: Poses of one branch, in parts of the size: next to limits they are known to half the digits.
SAME = 1e-6


def widely_driven(seed: int) -> dict[str, Any]:
    """A random mechanism whose drivers run at constant speeds through up to a turn, or a fifth of its size."""
    rng, menu = np.random.default_rng(seed), (None, OTHERS, None, OTHERS, GEARED)[seed % 5]
    data = build(seed, int(rng.integers(0, 4)) if menu is None else int(rng.integers(1, 3)), menu=menu).data
    m, length = sk.Mechanism.from_dict(data), 1e-3 if data.get("units", {}).get("length") == "mm" else 1.0
    for id, driver in data["drivers"].items():
        for key in ("speed", "law", "table", "start"):
            driver.pop(key, None)
        far = 2 * np.pi if m.drivers[id].kind == "angle" else 0.2 * m.size / length
        driver["speed"] = float(rng.uniform(-1, 1)) * far / data["duration"]
    return data


def past_flat_poses(seed: int) -> dict[str, Any]:
    """A mechanism of a family of flat poses, exact or nearly so, whose drivers run at constant speeds for a second."""
    rng, family = np.random.default_rng(seed), list(FAMILIES.values())[seed % len(FAMILIES)]
    while True:
        try:
            draft = family(rng)
            off = float(rng.choice(OFFS)) if draft.loose and rng.random() < 0.5 else 0.0
            draft = _placed(_off(draft, rng, off), rng)
            speeds = rng.uniform(-8.0, 8.0, len(draft.drivers)) * draft.unit
            return {**mechanism(draft, speeds.tolist()).source_dict, "title": family.__name__, "duration": 1.0}
        except UnfitError:
            continue


def with_an_idle_crank(data: dict[str, Any], seed: int) -> dict[str, Any]:
    """The mechanism beside which a crank of the ground turns freely."""
    (x, y), *others = data["points"].values()
    far = max((abs(complex(*other) - complex(x, y)) for other in others), default=1.0)
    # With lengths of its own: nearly equal ones are taken as equal.
    x, y = x + 0.37 * far, y - 0.29 * far
    points = data["points"] | {"idle pivot": [x, y], "idle end": [x + 0.23 * far, y + 0.11 * far]}
    links = data["links"] | {
        "ground": [*data["links"]["ground"], "idle pivot"],
        "idle": ["idle pivot", "idle end"],
    }
    speed = float(np.random.default_rng(seed).choice([0.01, 1.0, 30.0])) / data.get("duration", 1.0)
    drivers = data["drivers"] | {"idle motor": {"joint": "idle pivot", "speed": speed}}
    return data | {"points": points, "links": links, "drivers": drivers}


@dataclass(frozen=True)
class Run:
    """Places (places, n, 2) on links in parts of the size, statuses (n,) of samples, and their `places` on one grid."""

    X: Any
    status: Any
    places: Any

    @classmethod
    def of(cls, m: sk.Mechanism, intervals: int, method: str, data: dict[str, Any], size: float) -> Run:
        motion = m.solve(intervals + 1, method=method)
        places = [motion.position(place, link=link) for link in data["links"] for place in (0j, complex(size))]
        grid = np.arange(intervals + 1) * (np.lcm.reduce(INTERVALS) // intervals)
        return cls(np.stack(places) / size, motion.status, grid)

    @property
    def common(self) -> Run:
        """The samples at the common times."""
        at = slice(None, None, (len(self.places) - 1) // COMMON)
        return Run(self.X[:, at], self.status[at], self.places[at])

    def lost(self, behind: int) -> Any:
        """The stretches (low, high) from the sample before one out of reach to the sample `behind` it, or itself.

        Seen from behind, the end of a motion may be hidden where its branch is not certified.
        """
        places = np.concatenate(([-1], self.places, [np.inf]))
        ended = (sk.Status.OUT_OF_REACH, sk.Status.UNCERTIFIED)[: 1 + behind]
        at = np.flatnonzero(np.isin(self.status, ended)) + 1
        return np.stack((places[at - 1], places[at + behind]), axis=1)


def faults(data: dict[str, Any], seed: int, method: str) -> tuple[list[str], Counter[str]]:
    """What differs at the common times between numbers of samples, with the crank and without."""
    runs, size = [], sk.Mechanism.from_dict(data).size
    for idle in (False, True):
        m = sk.Mechanism.from_dict(with_an_idle_crank(data, seed) if idle else data)
        runs += [(f"{n} intervals{' beside a crank' * idle}", Run.of(m, n, method, data, size)) for n in INTERVALS]
    found, first = [], runs[0][1].common
    for name, run in runs:
        here = run.common
        both = (here.status == 0) & (first.status == 0)
        gap = np.max(np.abs(here.X - first.X)[:, both], initial=0.0)
        either = (here.status == sk.Status.OUT_OF_REACH) | (first.status == sk.Status.OUT_OF_REACH)
        if method == "global":  # it may have the pose behind one that groups do not certify (accuracy.md)
            known = (sk.Status.OK, sk.Status.UNCERTIFIED)
            either |= np.isin(here.status, known) & np.isin(first.status, known)
        alone = [step.tolist() for step in run.lost(0) if not all(_overlap(step, other.lost(1)) for _, other in runs)]
        if gap > SAME or not ((here.status == first.status) | either).all() or alone:
            statuses = f"{first.status.tolist()} -> {here.status.tolist()}"
            found.append(f"{data.get('title', '')} {seed}, {method}, {name}: {gap:.1e}, {statuses}, gaps {alone}")
    return found, Counter(mechanisms=1, **{sk.Status(s).name: 1 for s in set(first.status.tolist())})


def _overlap(step: Any, others: Any) -> bool:
    return bool(((others[:, 0] < step[1]) & (step[0] < others[:, 1])).any())


MAKE = {make.__name__: make for make in (widely_driven, past_flat_poses)}


def check(make: Any, seeds: range, method: str) -> Counter[str]:
    found, seen = [], Counter[str]()
    for seed in seeds:
        wrong, met = faults(make(seed), seed, method)
        found, seen = found + wrong, seen + met
    assert not found, "\n".join(found)
    return seen


@pytest.mark.parametrize(("make", "count", "method"), few([
    ("widely_driven", 5, "topological"), ("widely_driven", 2, "global"),
    ("past_flat_poses", 8, "topological"), ("past_flat_poses", 8, "global"),
], 1))  # fmt: skip
def test_common_times_of_different_samples(make, count, method):
    seen = check(MAKE[make], range(count), method)
    assert seen["OK"] == count and seen["OUT_OF_REACH"] > count // 20


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize(("make", "method", "size"), [
    ("widely_driven", "topological", 25), ("past_flat_poses", "topological", 25), ("widely_driven", "global", 5),
    ("past_flat_poses", "global", 5),
])  # fmt: skip
def test_common_times_of_different_samples_of_many(make, method, size, block, record_property):
    for name, count in check(MAKE[make], range(1000 + block * size, 1000 + (block + 1) * size), method).items():
        record_property(name, count)
