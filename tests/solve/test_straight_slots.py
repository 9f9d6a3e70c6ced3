"""Single links with a pin in a straight slot, by hand: their positions, their limits and the reasons for these."""

import math

import numpy as np
import pytest

import structkin as sk


def lifted_slot():
    """A slide with a level slot lifts the pin of a lever of length 2 about the origin."""
    return sk.Mechanism(
        points={"O": (0, 0), "B": (1.2, 1.6), "P": (-1, 1.6), "Q": (3, 1.6), "H": (5, 0)},
        links={"ground": ["O", "H"], "lever": ["O", "B"], "slide": ["P", "Q"]},
        joints={
            "guide": {"type": "prismatic", "links": ["slide", "ground"], "at": "P", "axis": [0, 1]},
            "slot": {"type": "pin-in-slot", "pin": "B", "slot": "slide", "along": ["P", "Q"]},
        },
        drivers={"lift": {"joint": "guide", "speed": 0.1}},
    )


def test_a_lever_lifted_by_a_slot():
    m = lifted_slot()
    travel = np.linspace(-1.6, 0.39, 50)
    motion = m.solve(drivers={"lift": (travel, np.ones(50), np.zeros(50))})
    assert motion.ok.all() and not motion.plan.tracked
    angle = np.arcsin((1.6 + travel) / 2)
    np.testing.assert_allclose(motion.angle("lever"), angle, atol=1e-13)
    np.testing.assert_allclose(motion.omega("lever"), 1 / (2 * np.cos(angle)), rtol=1e-12)
    np.testing.assert_allclose(motion.K("lever")[:, 0], motion.omega("lever"), rtol=1e-12)
    found = m.limits()
    assert (found.lower.value, found.upper.value) == (pytest.approx(-3.6, abs=1e-12), pytest.approx(0.4, abs=1e-12))
    assert found.upper.kind == "square" and found.upper.why == "lever perpendicular to the guide of its pin"
    assert len(m.circuits()) == 1 and len(list(m.assemblies())) == 2


def test_a_slotted_arm_on_a_crank_and_where_its_pin_meets_the_shaft():
    """Crank 1 about A, arm about O at the distance d: angle(arm) = angle of B - O; at d = 1 the pin meets the shaft."""
    for d in (2.0, 0.5):
        m = sk.Mechanism(
            points={"O": (0, -d), "A": (0, 0), "B": (1, 0), "E": (2, 2 * d - d)},
            links={"ground": ["O", "A"], "crank": ["A", "B"], "arm": ["O", "E"]},
            joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "along": ["O", "E"]}},
            drivers={"motor": {"joint": "A", "speed": 1}},
        )
        motion = m.solve(samples=181)
        B = np.exp(1j * motion.drivers["motor"][0])
        turn = np.angle((B + 1j * d) * np.exp(-1j * motion.angle("arm")))
        assert motion.ok.all() and not motion.plan.tracked
        np.testing.assert_allclose(turn, 0, atol=1e-12)
        assert m.limits().turns_fully
        # Quick return, or a Whitworth drive whose arm turns with the crank.
        swing = np.ptp(motion.angle("arm"))
        assert swing == pytest.approx(2 * math.asin(0.5), abs=1e-3) if d > 1 else swing > 6.28


def test_a_guided_link_whose_slot_takes_a_known_pin():
    """The scotch yoke as a link on a guide with a slot for the crank's pin: x = cos z."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "P": (1, -2), "Q": (1, 2)},
        links={"ground": ["A"], "crank": ["A", "B"], "yoke": ["P", "Q"]},
        joints={
            "guide": {"type": "prismatic", "links": ["yoke", "ground"], "at": "P", "axis": [1, 0]},
            "slot": {"type": "pin-in-slot", "pin": "B", "slot": "yoke", "along": ["P", "Q"]},
        },
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    motion = m.solve(samples=73)
    assert motion.ok.all() and not motion.plan.tracked
    z = motion.drivers["motor"][0]
    np.testing.assert_allclose(motion.position("P")[:, 0], np.cos(z), atol=1e-14)
    np.testing.assert_allclose(motion.acceleration("P")[:, 0], -np.cos(z), atol=1e-13)
    np.testing.assert_allclose(motion.jerk("P")[:, 0], np.sin(z), atol=1e-12)
