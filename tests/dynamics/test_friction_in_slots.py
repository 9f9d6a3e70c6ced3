"""Friction in circular and curved slots acts along their tangent at the pin: by hand, and by quadrature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import structkin as sk

MU = 0.25
KINDS = ("circle", "segments", "spline")


def slot_about(kind: str, centre: complex, pin: complex, low: float, high: float) -> dict[str, Any]:
    """An arc about the point C at `centre` through the pin, from one angle beside it to another."""
    if kind == "circle":
        return {"center": "C"}
    arm = pin - centre
    if kind == "segments":
        start = arm * np.exp(1j * low)
        axis, start = 1j * start / abs(start), centre + start
        return {
            "segments": [{"turn": high - low, "radius": abs(arm)}],
            "start": (start.real, start.imag),
            "axis": (axis.real, axis.imag),
        }
    places = centre + arm * np.exp(1j * np.linspace(low, high, 121))
    return {"through": [(z.real, z.imag) for z in places]}


def slotted_arm(kind: str, P: complex, A: complex, C: complex, moment: float, speed: float) -> sk.Mechanism:
    """A driven crank O-P whose pin runs in an arc about C of an arm, which turns about A under a moment."""
    slot = {"along": ["S", "T"]} if kind == "straight" else slot_about(kind, C, P, -1, 1)
    across = 1j * (P - C) / abs(P - C)
    places = {"P": P, "A": A, "C": C, "S": P - across, "T": P + across}
    return sk.Mechanism(
        points={"O": (0, 0), **{name: (z.real, z.imag) for name, z in places.items()}},
        links={"ground": ["O", "A"], "crank": ["O", "P"], "arm": ["A", "C", "S", "T"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "P", "slot": "arm", **slot}},
        drivers={"motor": {"joint": "O", "speed": speed}},
        forces={
            "load": {"type": "moment", "on": "arm", "value": moment},
            "rub": {"type": "friction", "joint": "slot", "transition": 1e-7, "coefficient": MU},
        },
    )


def cross(a: complex, b: complex) -> float:
    return (a.conjugate() * b).imag


@pytest.mark.parametrize("kind", KINDS)
def test_a_slotted_arm_by_hand(kind: str) -> None:
    """The slot is a massless rod C-P; across it acts mu N against the sliding: moments about A and O give N and T."""
    rng, tried = np.random.default_rng(1), 0
    for _ in range(8):
        P, A, C = (complex(*rng.normal(size=2)) * size for size in (1, 2, 2))
        moment, speed = rng.normal() * 10, rng.choice([-2.0, 2.0])
        n = (P - C) / abs(P - C)
        t = 1j * n
        turning = float((speed * 1j * P * n.conjugate()).real / ((1j * (C - A)) * n.conjugate()).real)
        sliding = float(((speed * 1j * P - turning * 1j * (P - A)) * t.conjugate()).real)
        # The force N n + F t on the crank's pin, F = -mu |N| sign(sliding).
        against = -MU * np.sign(sliding)
        found = [moment / (cross(P - A, n) + sign * against * cross(P - A, t)) for sign in (1, -1)]
        normal = [N for sign, N in zip((1, -1), found, strict=True) if np.sign(N) == sign]
        if len(normal) != 1:
            continue  # it locks
        N, tried = normal[0], tried + 1
        f = slotted_arm(kind, P, A, C, moment, speed).solve(t=[0.0]).forces()
        torque = -cross(P, N * n + against * abs(N) * t)
        assert f.driver("motor")[0] == pytest.approx(torque, rel=1e-11, abs=1e-11)
        assert np.hypot(*f.reaction("slot", "arm")[0]) == pytest.approx(abs(N), rel=1e-11)
        # The friction takes mu N v, and the driver provides it.
        assert f.applied_power[0] - moment * turning == pytest.approx(-MU * abs(N * sliding), rel=1e-10)
        assert f.driver_power("motor")[0] + f.applied_power[0] == pytest.approx(0, abs=1e-10)
    assert tried >= 6


@pytest.mark.parametrize("kind", KINDS)
def test_a_slot_of_a_large_radius_is_straight(kind: str) -> None:
    P, A = 1 + 0.5j, 3 - 0.4j
    far = P + 1e5 * np.exp(2j)
    if kind == "spline":  # whose whole length would have to be given
        far = P + 1e3 * np.exp(2j)
    curved, straight = (slotted_arm(k, P, A, far, 7, 2).solve(t=[0.0]).forces() for k in (kind, "straight"))
    assert curved.driver("motor")[0] == pytest.approx(straight.driver("motor")[0], rel=10 / abs(far))


F, R, MASS, G, OMEGA, FADING = 3.0, 2.0, 1.5, 10.0, 0.4, 1e-3
CENTRE, START = 0.3 + 0.1j, -2.2


def bead(kind: str, *, moving: bool = False) -> sk.Mechanism:
    """A turning disc whose centre slides down an arc: its slot is in the ground, or in a plate that turns about C."""
    P = CENTRE + R * np.exp(1j * START)
    carrier = "plate" if moving else "ground"
    plate = {"plate": {"points": ["C", "H"], "mass": 2, "center": (0, 0), "inertia": 50}} if moving else {}
    return sk.Mechanism(
        points={"H": (0, 0), "P": (P.real, P.imag), "C": (CENTRE.real, CENTRE.imag)},
        links={
            "ground": ["C"] if moving else ["H", "C"],
            **plate,
            "disc": {"points": ["P"], "mass": MASS, "center": (P.real, P.imag), "inertia": 0.3},
        },
        joints={
            "slot": {
                "type": "pin-in-slot", "pin": "P", "slot": carrier, "on": "disc",
                **slot_about(kind, CENTRE, P, -0.9, 1.9),
            },
        },
        drivers={
            "d": {"between": ["H", "P"]},
            "turn": {"links": ["ground", "disc"]},
            **({"plate": {"joint": "C"}} if moving else {}),
        },
        initial={"turn": {"speed": OMEGA}, **({"d": {"speed": 0.3}} if moving else {})},
        forces={"gravity": (0, -G), "rub": {"type": "friction", "joint": "slot", "limit": F, "transition": FADING}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        *((kind, {}) for kind in KINDS),
        *((kind, {"engine": "compiled"}) for kind in KINDS),
        ("circle", {"formulation": "multipliers"}),
        *(pytest.param(kind, {"formulation": "multipliers"}, marks=pytest.mark.full) for kind in KINDS[1:]),
    ],
    ids=str,
)
def test_a_bead_on_a_rough_arc_by_quadrature(kind: str, how: dict[str, Any]) -> None:
    """m R theta'' = -m g cos theta - F tanh(R theta' / v0); the disc turns on, as no moment acts on it."""

    def rate(t: float, y: Any) -> list[float]:
        return [y[1], (-G * np.cos(y[0]) - F / MASS * np.tanh(R * y[1] / FADING)) / R]

    end = 0.3
    y = solve_ivp(rate, (0, end), [START, 0.0], method="DOP853", rtol=1e-11, atol=1e-12).y[0, -1]
    exact = CENTRE + R * np.exp(1j * y)
    s = bead(kind).simulate(end, samples=2, rtol=1e-9, **how)
    assert not s.stopped
    assert s.position("P")[-1] == pytest.approx([exact.real, exact.imag], abs=1e-8)
    assert s.turn("disc")[-1] == pytest.approx(OMEGA * end, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_rough_slot_that_moves(kind: str) -> None:
    """What the friction takes is F times the path along the slot; both formulations agree."""
    m, end = bead(kind, moving=True), 0.25
    s = m.simulate(end, samples=2, rtol=1e-9)
    other = m.simulate(end, samples=2, rtol=1e-9, formulation="multipliers")
    assert not s.stopped and not other.stopped
    assert s.position("P")[-1] == pytest.approx(other.position("P")[-1], abs=1e-7)

    def seen(k: int) -> float:
        """The place in the slot, by the pin's direction in the plate."""
        z = (s.position("P")[k] - s.position("C")[k]) @ np.array([1, 1j])
        return float(np.angle(z * np.exp(-1j * s.turn("plate")[k])))

    slid = R * (seen(-1) - seen(0))
    assert slid > 0.1
    assert s.energy[0] - s.energy[-1] == pytest.approx(F * slid, rel=1e-8)
