"""Mechanisms of any size: a mechanism drawn a million times smaller or larger has the same motion, digit by digit."""

import copy
import itertools

import numpy as np
import pytest
from cases import blocks, few
from coordinate_samples import FAMILIES, METHODS, MIXED, SLOTS, build, circular_slot

import structkin as sk

SCALES = (1e-9, 3e-7, 1e-4, 1e5, 1e7, 1e9)
#: Every method, the global ones in every family.
COMBINATIONS = (
    ("topological", None),
    ("topological-kl", None),
    *((method, family) for method in METHODS for family in FAMILIES),
)
SLIDES = ("prismatic", "pin-in-slot")


def scaled(data, factor):
    """The file of a mechanism with all its lengths multiplied."""
    data = copy.deepcopy(data)
    data["points"] = {name: [factor * float(x) for x in place] for name, place in data["points"].items()}
    joints = data.get("joints", {})
    for joint in joints.values():
        for key in ("at", "radius", "radii"):
            if key in joint and not isinstance(joint[key], str):
                joint[key] = (factor * np.array(joint[key])).tolist()
    for drive in data["drivers"].values():
        if "between" not in drive and joints.get(drive.get("joint"), {}).get("type") not in SLIDES:
            continue
        if "law" in drive:
            drive["law"] = f"{factor!r}*({drive['law']})"
        if "speed" in drive:
            drive["speed"] *= factor
        if "table" in drive:
            drive["table"] = [[t, factor * z] for t, z in drive["table"]]
    return data


def of_size_one(data):
    unit = 1.0 if data.get("units", {}).get("length", "m") == "m" else 1e-3
    places = np.array(list(data["points"].values()))
    return scaled(data, float(1 / (unit * np.ptp(places, axis=0).max())))


def rates_of(motion, size):
    """Frames of all links, their velocities and accelerations, lengths relative to the size."""
    found = []
    for part in (motion.position, motion.velocity, motion.acceleration):
        links = motion.mechanism.topology.moving_links
        found.append(np.concatenate([part(at, link=link).T / size for link in links for at in (0j, complex(size))]))
    return found


def check(data, factor, chosen, samples=31):
    method, family = chosen
    one, other = (
        sk.Mechanism.from_dict(part).solve(samples, method=method, coordinates=family, budget=50_000)
        for part in (data, scaled(data, factor))
    )
    np.testing.assert_array_equal(other.status, one.status)
    for mine, theirs in zip(rates_of(one, 1.0), rates_of(other, factor), strict=True):
        most = np.max(np.abs(mine[:, one.ok]), initial=1e-9)
        np.testing.assert_allclose(theirs[:, one.ok] / most, mine[:, one.ok] / most, atol=1e-8)


@pytest.mark.parametrize("chosen", COMBINATIONS, ids=lambda chosen: "-".join(map(str, chosen)))
@pytest.mark.parametrize("factor", few(SCALES, 1, 1))
def test_a_ram_and_a_circular_slot_of_any_size(factor, chosen):
    ram = {
        "points": {"A": [0, 0], "B": [1, 0.2], "C": [1.2, 1.1], "D": [2.4, 0.1], "E": [0.3, -0.6]},
        "links": {"ground": ["A", "D", "E"], "arm": ["A", "B"], "rod": ["B", "C"], "rocker": ["C", "D"]},
        "drivers": {"ram": {"between": ["E", "B"], "law": "1.063014581273465 + 0.1*sin(t)"}},
        "duration": 6.0,
    }
    check(ram, factor, chosen)
    check(circular_slot("of a platform").source_dict, factor, chosen)


@pytest.mark.parametrize(("factor", "where"), few(itertools.product([1e-9, 1e9], SLOTS), 4))
def test_circular_slots_of_any_size(factor, where):
    for family in FAMILIES:
        check(circular_slot(where).source_dict, factor, ("global", family))


def random_scale(seed):
    rng = np.random.default_rng([seed, 12])
    data = of_size_one(build(seed, 3, menu=MIXED if seed % 2 else None).data)
    check(data, float(10 ** rng.uniform(-9, 9)), COMBINATIONS[int(rng.integers(len(COMBINATIONS)))])


@pytest.mark.parametrize("seed", few(range(8), 3, 2))
def test_random_mechanisms_of_any_size(seed):
    random_scale(seed)


@pytest.mark.parametrize("seed", few([608, 758, 812, 936]))
def test_motions_are_resumed_alike_at_any_size(seed):
    """With angles as coordinates, the unit of a length driver was once 1 m even for smaller mechanisms."""
    random_scale(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(1000)))
def test_many_random_mechanisms_of_any_size(seeds):
    for seed in seeds:
        random_scale(seed)


@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
@pytest.mark.parametrize("factor", few([1e-9, 1e-3, 1e9]))
def test_simulations_of_any_size(factor, formulation):
    def mechanism(size):
        A, B, C = 0j, size * (1 + 0.5j), size * (2.8 + 0.1j)
        bars = [{"points": pair, "mass": 1.0, "center": [c.real, c.imag], "inertia": 0.1 * size**2}
                for pair, c in ((["A", "B"], (A + B) / 2), (["B", "C"], (B + C) / 2))]  # fmt: skip
        return sk.Mechanism(
            points={name: [z.real, z.imag] for name, z in {"A": A, "B": B, "C": C}.items()},
            links={"ground": ["A"], "crank": bars[0], "rod": bars[1], "slider": {"points": ["C"], "mass": 2.0}},
            joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "axis": [1, 0]}},
            drivers={"push": {"joint": "guide"}},
            forces={"gravity": [0, -9.81 * size]},
        )

    one, other = (mechanism(size).simulate(0.4, samples=5, formulation=formulation) for size in (1.0, factor))
    for mine, theirs in zip(rates_of(one, 1.0), rates_of(other, factor), strict=True):
        np.testing.assert_allclose(theirs, mine, atol=1e-7 * np.abs(mine).max())
