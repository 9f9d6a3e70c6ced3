"""Triads beside close branches: no sample is on another branch than the one before, at any number of samples."""

import numpy as np
import pytest
from cases import few

import structkin as sk

#: A motion turns a sharp corner at t = 0.02 (smallest singular value 0.01): a long step on goes to another branch whose
#: determinant has the same sign.
CORNER = {
    "points": {"O": (-0.5105, 0.1223), "B": (-0.475, 0.3759), "F": (0.9725, -0.7593), "G": (0.5086, -0.7104),
               "P": (-0.6254, 0.847), "Q": (0.5712, -0.9578), "R": (0.7731, -0.5405)},
}  # fmt: skip
#: A motion meets a gap of 9 ms between two limits.
GAP = {
    "points": {"O": (-0.34505735, -0.87255946), "B": (-0.74948765, -0.94862774), "F": (0.94098513, 0.01177438),
               "G": (0.03818885, 0.8275685), "P": (-0.97559403, -0.31612267), "Q": (0.72165846, -0.27276088),
               "R": (0.58002541, 0.70964923)},
    "plate": "QPR", "legs": ("FQ", "BP", "GR"),
}  # fmt: skip


def platform(points, plate="PQR", legs=("BP", "FQ", "GR")):
    links = {
        "ground": ["O", "F", "G"],
        "crank": ["O", "B"],
        "plate": list(plate),
        **dict(zip("abc", map(list, legs), strict=True)),
    }
    return sk.Mechanism(points=points, links=links, drivers={"m": {"joint": "O", "speed": 2 * np.pi}})


def followed(m, end, steps):
    """Return the plate's place and rotation up to a time, by Newton's method in tiny steps: an independent road."""
    O, B, F, G, P, Q, R = (m.places[name] for name in "OBFGPQR")
    middle, arms = (P + Q + R) / 3, [abs(P - B), abs(Q - F), abs(R - G)]
    local, x = [P - middle, Q - middle, R - middle], np.array([middle.real, middle.imag, 0.0])
    for t in np.linspace(0, end, steps + 1):
        bases = [O + (B - O) * np.exp(2j * np.pi * t), F, G]
        for _ in range(4):
            turned = [place * np.exp(1j * x[2]) for place in local]
            legs = [complex(*x[:2]) + one - base for one, base in zip(turned, bases, strict=True)]
            gaps = [(abs(leg) ** 2 - arm**2) / 2 for leg, arm in zip(legs, arms, strict=True)]
            J = [(leg.real, leg.imag, (leg.conjugate() * 1j * one).real) for leg, one in zip(legs, turned, strict=True)]
            x = x - np.linalg.solve(J, gaps)
    return complex(*x[:2]) + local[0] * np.exp(1j * x[2])


@pytest.mark.parametrize("engine", few(["python", "compiled"], 1))
@pytest.mark.parametrize("samples", few([91, 361, 2001], 1))
def test_a_sharp_corner(samples, engine):
    m = platform(**CORNER)
    motion = m.solve(samples, duration=1.0, engine=engine)
    lost = int(np.argmin(motion.ok))
    assert motion.t[lost] == pytest.approx(0.2355402, abs=1.1 / (samples - 1))
    k = int(np.argmin(np.abs(motion.t - 0.2)))
    assert complex(*motion.position("P")[k]) == pytest.approx(followed(m, motion.t[k], 4000), abs=1e-9)
    other = m.solve(samples, duration=1.0, method="global")
    np.testing.assert_array_equal(motion.status[: lost + 1], other.status[: lost + 1])
    np.testing.assert_allclose(motion.position("P")[:lost], other.position("P")[:lost], atol=1e-9)


@pytest.mark.parametrize("samples", few([181, 361, 901, 1801]))
def test_a_gap_between_two_limits(samples):
    """Analytic continuation around the gap ends on a branch that does not pass through the pose before it."""
    m = platform(**GAP)
    motion, other = (m.solve(samples, duration=1.0, method=method) for method in ("topological", "global"))
    gap = (motion.t > 0.58) & (motion.t < 0.589)
    assert not motion.ok[gap & (motion.t > 0.5805) & (motion.t < 0.5875)].any() and motion.ok[~gap].all()
    np.testing.assert_array_equal(motion.status, other.status)
    np.testing.assert_allclose(motion.position("P"), other.position("P"), atol=1e-8)
