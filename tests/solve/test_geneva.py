"""Geneva wheels: closed formulas, published peaks, phases, and angles counted over turns."""

from __future__ import annotations

import numpy as np
import pytest
from geneva_samples import geneva, geneva_linkage

import structkin as sk
from structkin import InputError
from structkin.rows.periodic import GenevaLaw


@pytest.mark.parametrize("slots", [3, 4, 5, 6, 8])
def test_the_engaged_wheel_follows_the_pin(slots):
    """Checked by trigonometry: the slot points from the wheel's shaft to the pin."""
    m = geneva(slots, np.exp(0.7j))
    half = np.pi / 2 - np.pi / slots
    z = np.pi + np.linspace(-0.999 * half, 0.999 * half, 101)  # the sketch is at x = pi
    one, zero = np.ones_like(z), np.zeros_like(z)
    start = m.drivers["motor"].start
    motion = m.solve(drivers={"motor": (start + z, one, zero)})
    x = z - np.pi
    assert np.allclose(motion.geneva("step").angle % (2 * np.pi), x % (2 * np.pi))
    assert motion.geneva("step").engaged.all()
    pin = np.sin(np.pi / slots) * np.exp(1j * x) - 1
    direction = pin / np.abs(pin)
    wheel_angle = np.unwrap(np.angle(-direction))
    np.testing.assert_allclose(
        motion.angle("wheel") - motion.angle("wheel")[50], wheel_angle - wheel_angle[50], atol=1e-13
    )
    # rates by differentiating direction x pin = 0 twice
    velocity = 1j * (pin + 1)
    omega = (np.conj(pin) * velocity).imag / np.abs(pin) ** 2
    np.testing.assert_allclose(motion.omega("wheel"), omega, atol=1e-13)
    alpha = ((np.conj(pin) * -(pin + 1)).imag - 2 * omega * (np.conj(pin) * velocity).real) / np.abs(pin) ** 2
    np.testing.assert_allclose(motion.alpha("wheel"), alpha, atol=1e-12)
    np.testing.assert_allclose(motion.K("wheel")[:, 0], omega, atol=1e-13)
    np.testing.assert_allclose(motion.L("wheel")[:, 0, 0], alpha, atol=1e-12)
    assert motion.residual().max() < 1e-14


@pytest.mark.parametrize("slots", [3, 4, 5, 6, 8, 12])
def test_published_peaks(slots):
    """The closed formulas of Shigley & Uicker, sec. 6: largest velocity, angle of the largest acceleration, entry."""
    law, k = GenevaLaw(slots), np.sin(np.pi / slots)
    x = np.linspace(-law.half, law.half, 200_001)
    assert np.max(law(x, 1)) == pytest.approx(k / (1 - k), rel=1e-12)
    m = (1 + k * k) / (4 * k)
    at = np.arccos(np.sqrt(m * m + 2) - m)
    assert abs(abs(x[np.argmax(np.abs(law(x, 2)))]) - at) < 1e-4
    assert abs(law(at, 3)) < 1e-12 * np.max(np.abs(law(x, 3)))
    assert law(-law.half, 2) == pytest.approx(np.tan(np.pi / slots), rel=1e-12)
    # shock-free entry: the wheel starts from rest
    assert abs(law(-law.half, 1)) < 1e-15
    if slots == 4:
        assert np.max(np.abs(law(x, 2))) == pytest.approx(5.407, abs=5e-4)


def test_phases_and_turns():
    motion = geneva(4).solve(t=np.linspace(0, 8 * np.pi, 4 * 360 + 1))
    g = motion.geneva("step")
    # 90 of 360 degrees of each turn, both ends included
    assert g.engaged.sum() == 4 * 91
    assert np.array_equal(np.flatnonzero(g.engaged)[[0, 90]], [135, 225])
    locked = ~g.engaged
    assert np.all(motion.omega("wheel")[locked] == 0) and np.all(motion.alpha("wheel")[locked] == 0)
    # a quarter turn backwards for each turn of the crank; the angle accumulates over the turns
    np.testing.assert_allclose(motion.angle("wheel")[::360], -np.pi / 2 * np.arange(5), atol=1e-14)
    assert g.steps[[0, 180, 359, 361, 1439]].tolist() == [1, 1, 1, 2, 4]
    assert np.all(np.diff(motion.angle("wheel")) <= 1e-15)
    # the same in reverse
    back = geneva(4, driver={"joint": "A", "speed": -1.0}).solve(t=np.linspace(0, 8 * np.pi, 4 * 360 + 1))
    np.testing.assert_allclose(back.angle("wheel"), -motion.angle("wheel"), atol=1e-13)


def test_the_pin_gets_its_exact_radius():
    data = geneva(4).source_dict
    data["points"]["P"] = [-0.707, 0.0]
    m = sk.Mechanism.from_dict(data)
    assert m.links["crank"].local["P"] == pytest.approx(np.sqrt(0.5), rel=1e-15)
    assert m.solve(samples=100).residual().max() < 1e-14


def test_a_wheel_on_a_moving_carrier_drives_a_linkage():
    motion = geneva_linkage().solve(samples=200, duration=2 * np.pi)
    ok = motion.ok
    assert ok.sum() > 100 and np.nanmax(motion.residual()[ok]) < 1e-13
    still = geneva(4)
    shift = still.drivers["motor"].start - motion.mechanism.drivers["motor"].start
    still = still.solve(drivers={"motor": motion.drivers["motor"][0] + shift})
    turned = [m.angle("wheel") - start for m, start in ((motion, motion.angle("arm")), (still, 0.0))]
    unit = [np.exp(1j * (angle - angle[0])) for angle in turned]
    np.testing.assert_allclose(unit[0][ok], unit[1][ok], atol=1e-12)


def test_bad_input_is_reported():
    assert "at least 3 slots" in messages_after(joints={"slots": 2})
    assert "4 slots need" in messages_after(points={"P": [-0.5, 0]})
    assert "is not a point of the crank" in messages_after(joints={"pin": "B"})
    assert "expected a whole number" in messages_after(joints={"slots": 4.5})
    assert "no link carries both" in messages_after(links={"wheel": ["P"], "ground": ["A", "B"]})
    assert "'rim' is not in [links]" in messages_after(joints={"wheel": "rim"})
    assert "has to be driven by its crank" in messages_after(
        drivers={"motor": {"links": ["ground", "wheel"], "speed": 1.0}}
    )
    away = {"points": {"P": [0.0, 0.7071]}, "drivers": {"ram": {"between": ["P", "B"], "speed": 1.0}}}
    assert "cannot be counted" in messages_after(**away)


def test_a_wheel_that_is_turned_twice_names_both_joints():
    data = geneva(4).source_dict
    data["joints"]["again"] = data["joints"]["step"]
    with pytest.raises(InputError, match=r"joints\.again: turns 'wheel' by 'crank', as 'step' does; delete one"):
        sk.Mechanism.from_dict(data).solve(samples=3)


def messages_after(points=None, joints=None, links=None, drivers=None):
    data = geneva(4).source_dict
    data["points"] |= points or {}
    data["joints"]["step"] |= joints or {}
    data["links"] |= links or {}
    data["drivers"] = drivers or data["drivers"]
    with pytest.raises(InputError) as error:
        sk.Mechanism.from_dict(data).solve(samples=3)
    return str(error.value)
