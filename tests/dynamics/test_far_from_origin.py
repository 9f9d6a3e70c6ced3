"""Simulations with multipliers of mechanisms that are drawn far from the origin: as if they were drawn at it."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few

import structkin as sk

FAMILIES = ["natural", "reference-point", "fully-cartesian", "relative"]
AWAY = np.array((1.8e5, -2.4e5))


def at(place, **changes):
    """A four-bar with a pinion on its rocker, and a spring to the ground, drawn from a place on."""

    def moved(x, y):
        return (float(x + place[0]), float(y + place[1]))

    return sk.Mechanism(**{
        "points": {"A": moved(0, 0), "B": moved(0.1, 0.05), "C": moved(0.4, 0.3), "D": moved(0.5, 0),
                   "E": moved(0.62, 0), "F": moved(0.65, 0.02), "S": moved(0.2, 0.6)},
        "links": {"ground": ["A", "D", "E", "S"], "crank": {"points": ["A", "B"], "mass": 1, "shape": "rod"},
                  "coupler": {"points": ["B", "C"], "mass": 2, "shape": "rod"},
                  "rocker": {"points": ["D", "C"], "mass": 1.5, "shape": "rod"},
                  "pinion": {"points": ["E", "F"], "mass": 0.4, "center": moved(0.63, 0.01), "inertia": 1e-3}},
        "joints": {"mesh": {"type": "gear", "links": ["rocker", "pinion"], "teeth": [40, 20]}},
        "drivers": {"swing": {"joint": "A"}},
        "initial": {"swing": {"speed": 3}},
        "forces": {"gravity": [0, -9.81],
                   "return": {"type": "spring", "between": ["S", "C"], "stiffness": 30, "free_length": 0.2}},
    } | changes)  # fmt: skip


def wind(place):
    """A force on C that grows with its distance from S, as read from the state."""

    def load(t, state):
        away = state.position("C") - np.array((0.2, 0.6)) - place
        return [sk.Force("C", 5.0 * away - 0.3 * state.velocity("C"), "coupler"), sk.Moment("rocker", 0.1)]

    return load


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "options",
    few([{}, {"integrator": "BDF", "rtol": 1e-7}, {"stabilisation": "baumgarte", "alpha": 20.0, "beta": 20.0}]),
)
def test_multipliers_simulate_alike_wherever_a_mechanism_is_drawn(family, options):
    options |= {"samples": 9, "formulation": "multipliers", "coordinates": family}
    m = at(AWAY)
    known, found = at((0, 0)).simulate(0.4, **options), m.simulate(0.4, **options)
    assert not found.stopped and found.mechanism.places == m.places
    # Places, and so lengths, are known to 6e-11 m there; BDF is off by 1e-5 here and there.
    most = 1e-5 if "rtol" in options else 1e-8
    for point in m.points:
        assert np.abs(found.position(point) - AWAY - known.position(point)).max() < most
        assert np.abs(found.velocity(point) - known.velocity(point)).max() < 100 * most
    assert np.abs(found.turn("pinion") - known.turn("pinion")).max() < 100 * most
    exact = at((0, 0)).simulate(0.4, samples=9, rtol=1e-11, atol=1e-12)
    assert np.abs(found.position("C") - AWAY - exact.position("C")).max() < most


@pytest.mark.parametrize("family", few(FAMILIES))
def test_functions_of_users_see_where_it_is_drawn(family):
    known = at((0, 0)).simulate(0.3, samples=4, loads=[wind((0, 0))], rtol=1e-11, atol=1e-12)
    m = at(AWAY)
    found = m.simulate(0.3, samples=4, loads=[wind(AWAY)], formulation="multipliers", coordinates=family)
    assert np.abs(found.position("C") - AWAY - known.position("C")).max() < 1e-8
    assert np.abs(found.forces().driver("swing")).max() < 1e-4


def test_a_free_driver_and_given_places_are_those_of_the_drawing():
    """The initial places of points are met there, and a driver that is set free keeps its value."""
    place = (AWAY[0] + 0.11, AWAY[1] + 0.02)
    runs = []
    for away in ((0.0, 0.0), AWAY):
        m = at(away, initial={"B": {"position": [float(0.11 + away[0]), float(0.02 + away[1])]}})
        runs.append(m.simulate(0.2, samples=3, formulation="multipliers"))
    assert place == pytest.approx(runs[1].position("B")[0], abs=1e-2)
    assert np.abs(runs[1].position("C") - AWAY - runs[0].position("C")).max() < 1e-7
    driven = {"drivers": {"swing": {"joint": "A", "speed": 2}}, "initial": None}
    freed = [
        at(away, **driven).simulate(0.2, samples=3, free=["swing"], formulation="multipliers")
        for away in ((0, 0), AWAY)
    ]
    assert np.abs(freed[1].position("C") - AWAY - freed[0].position("C")).max() < 1e-8
