"""Coordinates chosen by conditioning: ordinary mechanisms run to the end from any initial choice.

The checks share nothing with the reduced equations: the same motion with multipliers, and the Jacobian of the pins in
the Cartesian coordinates of all links, written here.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flat import ROD
from scipy.integrate import solve_ivp

import structkin as sk
from structkin.dynamics.reduced import smooth_poses as poses_module
from structkin.dynamics.reduced.partition import GOOD, LIMIT, exchanges
from structkin.dynamics.reduced.smooth_poses import Poses


def loops(points: dict[str, Any], links: dict[str, list[str]], ground: list[str]) -> sk.Mechanism:
    """Rods of 1 kg under gravity, released at rest in the sketch; the free coordinates are chosen by `simulate`."""
    return sk.Mechanism(
        points=points,
        links={"ground": ground, **{name: {"points": ends, **ROD} for name, ends in links.items()}},
        forces={"gravity": (0, -9.81)},
    )


def five_bar(points: dict[str, Any]) -> sk.Mechanism:
    return loops(points, {"ab": ["A", "B"], "bc": ["B", "C"], "cd": ["C", "D"], "de": ["D", "E"]}, ["A", "E"])


def random_five_bar(seed: int) -> sk.Mechanism:
    rng = np.random.default_rng(seed)
    places = np.array([(0, 0), (-0.3, 1), (0.6, 1.6), (1.4, 0.8), (1, 0)]) + rng.uniform(-0.3, 0.3, (5, 2))
    return five_bar(dict(zip("ABCDE", places.tolist(), strict=True)))


def random_mechanism(seed: int) -> sk.Mechanism:
    """A loop of four to seven links, of mobility one to four, with up to two dyads attached."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 8))
    angles = np.sort(rng.uniform(0.2, 2 * np.pi - 0.2, count - 1) + np.linspace(0, 0.1, count - 1))
    radii = rng.uniform(0.6, 1.4, count)
    places = np.concatenate(([radii[0]], radii[1:] * np.exp(1j * angles)))
    points = {f"P{k}": [place.real, place.imag] for k, place in enumerate(places)}
    links = {f"bar{k}": [f"P{k}", f"P{k + 1}"] for k in range(count - 1)}
    ground = ["P0", f"P{count - 1}"]
    for k in range(int(rng.integers(0, 3))):
        # Two more bars, from a pin of the mechanism to a pin at the ground.
        start, middle, end = f"P{rng.integers(1, count - 1)}", f"M{k}", f"G{k}"
        points |= {middle: rng.uniform(-1.5, 1.5, 2).tolist(), end: rng.uniform(-1.5, 1.5, 2).tolist()}
        links |= {f"near{k}": [start, middle], f"far{k}": [middle, end]}
        ground = [*ground, end]
    return loops(points, links, ground)


# --- checks -------------------------------------------------------------------------------------------------


def regularity(m: sk.Mechanism, r: sk.Motion, sample: int = -1) -> float:
    """The smallest singular value of the Jacobian of all pins, by (x, y, phi) of each link, relative to the largest."""
    names = [link for link in m.links if link != "ground"]
    size = float(np.ptp([abs(place) for place in m.places.values()])) or 1.0
    rows = []
    for pin in m.points:
        at = [link for link in m.links if pin in m.links[link].points]
        for first, second in pairwise(at):
            row = np.zeros((2, 3 * len(names)))
            for link, sign in ((first, 1.0), (second, -1.0)):
                if link != "ground":
                    k = 3 * names.index(link)
                    arm = (r.position(pin, link) - r.position(0j, link))[sample] / size
                    row[:, k : k + 3] = sign * np.array([[1, 0, -arm[1]], [0, 1, arm[0]]])
            rows.append(row)
    values = np.linalg.svd(np.concatenate(rows), compute_uv=False)
    return float(values[-1] / values[0])


def is_singular(m: sk.Mechanism, stopped: str) -> bool:
    """Whether the pose at which a simulation stopped is singular: it is reached with multipliers."""
    found = re.match(r"t = (\S+) s", stopped)
    assert found
    reference = m.simulate([0, float(found[1])], formulation="multipliers", rtol=1e-11, atol=1e-12)
    return bool(reference.stopped) or regularity(m, reference) < 1e-8


class Counted:
    """Counts poses and series while it is active."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.poses = self.series = 0
        positions, expand = Poses._positions, poses_module.expand

        def counted_positions(*arguments: Any) -> Any:
            self.poses += 1
            return positions(*arguments)

        def counted_expand(*arguments: Any) -> Any:
            self.series += 1
            return expand(*arguments)

        monkeypatch.setattr(Poses, "_positions", counted_positions)
        monkeypatch.setattr(poses_module, "expand", counted_expand)

    def run(self, m: sk.Mechanism, **options: Any) -> tuple[sk.Simulation, float, float]:
        """Simulate 2 s, and return poses and series per stage."""
        self.poses = self.series = 0
        r = m.simulate(2.0, samples=21, engine="python", **options)
        stages = r.integration.evaluations
        return r, self.poses / stages, self.series / stages


def drift(r: sk.Simulation) -> float:
    """The largest change of the energy, relative to the largest kinetic energy."""
    return float(np.max(np.abs(r.energy - r.energy[0])) / np.max(r.kinetic_energy))


# --- tests --------------------------------------------------------------------------------------------------


def test_the_five_bar_that_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stopped at 0.7016 s, where the angles of both cranks do not determine its motion, and others do."""
    m = five_bar({"A": (0, 0), "B": (-0.3, 1), "C": (0.6, 1.6), "D": (1.4, 0.8), "E": (1, 0)})
    r, poses, series = Counted(monkeypatch).run(m, rtol=1e-11, atol=1e-12)
    reference = m.simulate(2.0, samples=21, formulation="multipliers", rtol=1e-12, atol=1e-12)
    assert not r.stopped and drift(r) < 1e-9
    assert r.position("C") == pytest.approx(reference.position("C"), abs=1e-7)
    for id in r.drivers:
        assert r.drivers[id] == pytest.approx(reference.drivers[id], rel=1e-6, abs=1e-5)
    assert poses < 1.2 and series < 0.05


def check(seeds: range, make: Any, run: Any) -> None:
    compared = 0
    for seed in seeds:
        try:
            m = make(seed)
            r = run(m, rtol=1e-11, atol=1e-12)
        except sk.InputError:
            continue  # a sketch without a clear assembly mode
        compared += 1
        if drift(r) > 1e-9:
            # An error of the steps and of the interpolants at outputs, not of the equations: it follows the tolerance.
            r = run(m, rtol=1e-12, atol=1e-13)
        assert not r.stopped or is_singular(m, r.stopped), (seed, r.stopped)
        assert drift(r) < 1e-9, (seed, drift(r))
        assert np.max(r.violation) < 1e-11, seed
    assert compared > 0.9 * len(seeds)


def test_random_five_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, costs = Counted(monkeypatch), []

    def run(m: sk.Mechanism, **options: Any) -> sk.Simulation:
        r, *cost = counted.run(m, **options)
        costs.append(cost)
        return r

    check(range(1), random_five_bar, run)
    poses, series = np.median(costs, axis=0)
    assert poses < 1.2 and series < 0.05


@pytest.mark.full
def test_a_dyad_that_is_nearly_flat() -> None:
    """Poses had a series across, K along other directions had none; closed forms were not tried."""
    m = random_mechanism(652)
    r = m.simulate(0.7, samples=3, rtol=1e-9, atol=1e-10)
    reference = m.simulate(0.7, samples=3, formulation="multipliers", rtol=1e-10, atol=1e-11)
    assert not r.stopped and drift(r) < 1e-8
    for point in m.points:
        assert r.position(point) == pytest.approx(reference.position(point), abs=1e-7)


@pytest.mark.full
def test_a_motion_that_comes_back_to_an_older_flat_pose() -> None:
    """Four newer series were kept, and an output near the flat pose of a fifth ended the run with a StopIteration."""
    check(range(200, 201), random_mechanism, lambda m, **options: m.simulate(2.0, samples=21, **options))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_random_mechanisms_of_one_to_four_freedoms(first: int) -> None:
    """As users run them: with the engine that the estimated work calls for."""
    check(range(first, first + 50), random_mechanism, lambda m, **options: m.simulate(2.0, samples=21, **options))


def test_a_choice_of_the_largest_volume() -> None:
    """After the exchanges no joint moves faster than a coordinate by more than a fraction of the limit."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        c, f = int(rng.integers(4, 12)), int(rng.integers(1, 5))
        rates = np.concatenate((np.eye(f), rng.normal(size=(c, f)) * 10 ** rng.uniform(-1, 3, (c, 1))))
        found = exchanges(rates, LIMIT)
        assert bool(found) == bool(np.max(np.abs(rates)) > LIMIT)
        chosen = rates[[found.get(k, k) for k in range(f)]]
        if found:
            assert np.max(np.abs(rates @ np.linalg.inv(chosen))) < GOOD * LIMIT + 1e-9


def on_a_circular_slot(*points: str) -> sk.Mechanism:
    """A turning disc in a circular slot of the ground, which has these points beside the centre C of the slot."""
    places = {"H": (0, -0.3), "K": (-1.5, 0.2)}
    P = (float(np.cos(2.4)), -float(np.sin(2.4)))
    return sk.Mechanism(
        points={"C": (0, 0), "P": P, **{name: places[name] for name in points}},
        links={"ground": ["C", *points], "disc": {"points": ["P"], "mass": 1, "center": P, "inertia": 0.3}},
        joints={"slot": {"type": "pin-in-slot", "pin": "P", "slot": "ground", "on": "disc", "center": "C"}},
        drivers={"far": {"between": ["H", "P"]}, "turn": {"links": ["ground", "disc"]}},
        forces={"gravity": (0, -10)},
    )


def test_a_pin_whose_place_is_measured_from_one_point_only() -> None:
    """Where the pin is nearest to H, no other coordinate can replace the distance: the message says what helps."""
    s = on_a_circular_slot("H").simulate(1.0, samples=11)
    only = "H is the only point of ground to measure the place of its pin from: give ground another one"
    assert "the coordinates are singular" in s.stopped and only in s.stopped
    helped = on_a_circular_slot("H", "K").simulate(1.0, samples=11)
    other = on_a_circular_slot("H").simulate(1.0, samples=11, formulation="multipliers")
    assert not helped.stopped and not other.stopped
    assert helped.position("P") == pytest.approx(other.position("P"), abs=1e-6)


def pearl(slot: dict[str, Any], points: dict[str, Any], **more: Any) -> sk.Mechanism:
    """A pearl on a curved slot of the ground, which has all other points; nothing drives it."""
    return sk.Mechanism(
        points=points,
        links={
            "ground": [name for name in points if name != "P"],
            "pearl": {"points": ["P"], "mass": 1, "inertia": 0.2},
        },
        joints={"wire": {"type": "pin-in-slot", "pin": "P", "slot": "ground", **slot}},
        **more,
    )


BEND = {
    "start": [0, 1],
    "axis": [1, 0],
    "segments": [{"length": 1}, {"turn": -np.pi / 2, "radius": 0.5}, {"length": 3}],
}


def test_a_link_in_a_curved_slot_alone_needs_no_driver() -> None:
    """Its coordinates are its angle and the distance of its pin from a point of the slotted link."""
    ring = pearl({"center": "O"}, {"O": (0, 0), "X": (2, 0.3), "P": (0.6, -0.8)}, forces={"gravity": (0, -9.81)})
    ranking = ring.rank_inputs()
    assert ranking.inputs == ranking.candidates == 2 and ranking[0].is_complete
    s = ring.simulate(2.0, samples=41)
    assert list(s.mechanism.drivers) == ["X to P free", "ground pearl free"] and not s.stopped
    # A pendulum of a metre.
    found = solve_ivp(lambda t, y: (y[1], -9.81 * np.sin(y[0])), (0, 2), (np.arctan2(0.6, 0.8), 0),
                      rtol=1e-11, atol=1e-12, t_eval=s.t)  # fmt: skip
    assert s.position("P") == pytest.approx(np.stack((np.sin(found.y[0]), -np.cos(found.y[0])), axis=1), abs=1e-7)


@pytest.mark.full
def test_a_pearl_on_a_bent_wire_whose_distances_are_both_at_rest() -> None:
    """Where its normal leads through X and Y no distance from these is a coordinate: the message says what helps."""
    points = {"X": (0, 0), "Y": (3, 0), "P": (0.5, 1)}
    start = {"P": {"velocity": [1, 0]}}
    s = pearl(BEND, points, initial=start).simulate(2.5, samples=26)
    assert (
        "the points X, Y of ground, to measure the place of its pin from, are in line: give ground another" in s.stopped
    )
    beside = pearl(BEND, {**points, "Y": (3, 0.7)}, initial=start).simulate(2.5, samples=26)
    assert not beside.stopped
    # Nothing slows it down: it is at the end of 1 m, a quarter of a circle of 0.5 m, and the rest of its way.
    down = 2.5 - 0.5 - np.pi / 4
    assert beside.position("P")[-1] == pytest.approx((1.5, 0.5 - down), abs=1e-7)
