"""Work is counted, not timed: it depends neither on the order in a file nor on repeated turns."""

import sys
from itertools import permutations

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path


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
@pytest.mark.parametrize("duration", few([2.5, None], 1))
def test_the_order_of_a_links_points_does_not_matter(duration):
    """The plate on three cranks is one group with a redundant link, whose branch is chosen before it is followed."""
    mechanisms = [three_cranks(list(plate)) for plate in permutations("DEF")]
    for m in mechanisms:
        assert m.solve(721, duration=duration).ok.all()
    spent = [calls_of(lambda m=m: m.solve(721, duration=duration)) for m in mechanisms]
    assert max(spent) < 1.5 * min(spent), spent


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
