"""Work is counted, not timed: it depends neither on the order in a file nor on repeated turns."""

import sys
from itertools import permutations

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.bench.mechanism import scalable_four_bar
from structkin.examples import path
from structkin.solve.change_points import kept


def calls_of(run):
    """How many functions a run calls."""
    counted = [0]

    def count(_frame, event, _argument):
        counted[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted[0]


def three_cranks(plate):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (0.5, 0.8), "D": (0.6, 0.8), "E": (1.6, 0.8), "F": (1.1, 1.6)},
        links={"ground": ["A", "B", "C"], "one": ["A", "D"], "two": ["B", "E"], "three": ["C", "F"], "plate": plate},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


# Past the first flat pose; the whole turn takes a minute.
@pytest.mark.full
@pytest.mark.parametrize("duration", few([2.5, None], 1, 0))
def test_the_order_of_a_links_points_does_not_matter(duration):
    """The plate on three cranks is one group with a redundant link, whose branch is chosen before it is followed."""
    mechanisms = [three_cranks(list(plate)) for plate in permutations("DEF")]
    for m in mechanisms:
        assert m.solve(721, duration=duration).ok.all()
    spent = [calls_of(lambda m=m: m.solve(721, duration=duration)) for m in mechanisms]
    assert max(spent) < 1.5 * min(spent), spent


@pytest.mark.full
def test_turns_of_a_gear_train_that_repeat_are_followed_once():
    """A global method once followed each of a thousand turns."""
    m = sk.load(path("planetary_train"))
    stations = []
    for turns in (30, 1000):
        motion = m.solve(drivers={"motor": np.linspace(0, 2 * np.pi * turns, 1 + 8 * turns)}, method="global")
        assert motion.ok.all()
        stations.append(motion.statistics.stations)
        plain = m.solve(drivers={"motor": motion.drivers["motor"][0]})
        for link in m.links:
            np.testing.assert_allclose(motion.angle(link), plain.angle(link), atol=1e-9)
    assert stations[1] <= stations[0] + 10, stations


def chain_of_parallelograms(count, directions):
    """Each rocker turns as the crank does; a dyad is flat whenever the crank points along its base."""
    source = np.random.default_rng(1)
    ways, pins = np.exp(1j * source.uniform(0, np.pi, directions)), [0j]
    for k in range(count):
        pins.append(pins[-1] + source.uniform(2, 4) * ways[k % directions])
    tips = [pin + np.exp(0.3j) for pin in pins]
    places = {f"{name}{k}": (z.real, z.imag) for name, row in (("D", pins), ("C", tips)) for k, z in enumerate(row)}
    links = {"ground": [f"D{k}" for k in range(count + 1)]} | {f"r{k}": [f"D{k}", f"C{k}"] for k in range(count + 1)}
    links |= {f"c{k}": [f"C{k - 1}", f"C{k}"] for k in range(1, count + 1)}
    return sk.Mechanism(points=places, links=links, drivers={"motor": {"joint": "D0", "speed": 1.0}})


@pytest.mark.full
def test_work_for_a_chain_that_passes_flat_poses_grows_with_its_length():
    """Each change of a mode solved the whole chain again, from its first dyad."""
    spent = []
    for count in (30, 60):
        m = chain_of_parallelograms(count, 3)
        motion = m.solve(181)
        assert motion.ok.all()
        np.testing.assert_allclose(
            motion.angle(f"r{count}"), motion.angle("r0") + motion.angle(f"r{count}")[0] - motion.angle("r0")[0],
            atol=1e-9,
        )  # fmt: skip
        spent.append(calls_of(lambda m=m: m.solve(181)))
    assert spent[1] < 2.5 * spent[0], spent


@pytest.mark.full
def test_a_long_chain_that_turns_fast_in_places_is_decided_by_its_poses():
    """The rockers of 400 unequal dyads jump within a few degrees; circles of complex poses took 47 million calls."""
    m = scalable_four_bar(400, seed=1)
    m.solve(2)
    spent = calls_of(lambda: m.solve(361))
    motion = m.solve(361)
    assert motion.ok.all() and spent < 2_000_000, spent
    C = np.asarray(motion.position("C0"))
    for j in range(1, 401):
        D, tip = np.array([6.0 * j, 0.0]), np.asarray(motion.position(f"C{j}"))
        for base, link in ((C, f"coupler{j}"), (D, f"rocker{j}")):
            length = np.linalg.norm(tip - base, axis=1)
            np.testing.assert_allclose(length, length[0], rtol=1e-12, err_msg=link)
        side = (D - C)[:, 0] * (tip - C)[:, 1] - (D - C)[:, 1] * (tip - C)[:, 0]
        assert (np.sign(side) == np.sign(side[0])).all()
        C = tip


def test_what_is_kept_of_a_search_is_its_own_and_forgotten_without_a_trace(monkeypatch):
    """A view of one circle kept those that were solved with it: a linkage of 20 joints needed 100 MiB."""
    m, seen, make_room = chain_of_parallelograms(12, 3), [], kept.Kept.make_room

    def counted(self):
        circles = [circle for circle in self.used.values() if circle.solved]
        assert all(circle.x.base is None and circle.sound.base is None for circle in circles)
        make_room(self)
        seen.append((len(circles), len(self.used)))

    monkeypatch.setattr(kept.Kept, "make_room", counted)
    whole = m.solve(91)
    assert max(seen)[0] > 0 and max(used for _, used in seen) > 0
    seen.clear()
    monkeypatch.setattr(kept, "MOST", 0)
    again = m.solve(91)
    assert max(seen)[0] > 0 and not any(used for _, used in seen)
    for link in m.links:
        np.testing.assert_array_equal(whole.angle(link), again.angle(link), link)


def test_the_work_of_a_search_on_circles_is_counted():
    with pytest.raises(sk.InputError, match="far more steps than usual"):
        chain_of_parallelograms(20, 20).solve(361, budget=10)
