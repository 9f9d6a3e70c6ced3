"""A closed stride of both legs from a record of one: the assumptions, and both legs then carry the same load."""

from __future__ import annotations

import numpy as np
import pytest

from structkin.studies.gait import BODY, Gait, analyse, centres, fit, joint_moments, levers, walker
from structkin.studies.guides import folded, guides
from structkin.studies.markers import Markers, Strides, low_pass, strides
from structkin.studies.synthetic_gait import PERIOD, STANCE, synthetic_markers


def one_sided(size: float = 0.03, noise: float = 0.0) -> Markers:
    """Return markers of a leg whose hip moves with the pelvis, `size` [m] back and forth, its shoulder against it.

    The hip of the subject in Winter's appendix moves like this, by 3 cm.
    """
    made = synthetic_markers(noise=noise)
    phase = 2 * np.pi * (STANCE + made.t / PERIOD)
    places = dict(made.places)
    places["hip"] = places["hip"] + size * np.column_stack((np.sin(phase), 0.5 * np.cos(phase)))
    places["ribcage"] = places["ribcage"] - 0.3 * size * np.column_stack((np.sin(phase), 0 * phase))
    return low_pass(Markers(made.t, places))


@pytest.fixture(scope="module")
def turning() -> Gait:
    markers = one_sided()
    return analyse(markers, strides(markers), fit(BODY, markers))


def test_a_periodic_record_is_unchanged() -> None:
    t = np.linspace(0, 1.7, 120)
    wave = np.exp(2j * np.pi * t) + 0.3j * np.cos(6 * np.pi * t)
    s = np.linspace(-1, 3, 33)
    expected = np.exp(2j * np.pi * s) + 0.3j * np.cos(6 * np.pi * s)
    assert folded(t, wave, 1.0)(s) == pytest.approx(expected, abs=1e-4)


def test_a_record_that_does_not_close_is_closed_smoothly() -> None:
    """A ramp and a wave of another period: value, slope and curvature agree where strides and records end."""
    t = np.linspace(0, 1.6, 161)
    course = folded(t, 2 * t + np.exp(5j * t), 1.0)
    h = 1e-3
    for seam in (0.0, 0.6, 1.0):
        before, at, after = (course(seam + h * np.array(steps)) for steps in ((-2, -1, 0), (-1, 0, 1), (0, 1, 2)))
        bends = [(one[0] - 2 * one[1] + one[2]) / h**2 for one in (before, at, after)]
        assert bends[0] == pytest.approx(bends[2], abs=0.1 * abs(bends[1]) + 0.5)
    s = np.linspace(0, 1, 11)
    assert course(s + 1) == pytest.approx(course(s), abs=1e-12)


def test_markers_without_a_turn_are_followed() -> None:
    """Clean markers of an even gait: nothing is averaged away, and the person follows them."""
    made = synthetic_markers(noise=0)
    body = fit(BODY, made)
    mechanism = walker(made, Strides((0.4, 1.4), (0.0, 1.0), PERIOD), body)
    motion = mechanism.solve(t=made.t[:70])
    for link, path in centres(made, body).items():
        assert motion.position(mechanism.links[link].center, link) == pytest.approx(path[:70], abs=1e-4)
    assert guides(made, PERIOD).uneven == pytest.approx({"hip": 0, "ribcage": 0}, abs=1e-5)


def test_the_turn_with_the_pelvis_is_reported() -> None:
    markers = one_sided()
    assert guides(markers, strides(markers).period).uneven == pytest.approx({"hip": 0.03, "ribcage": 0.009}, abs=5e-4)


def test_both_legs_carry_the_same_half_a_stride_apart(turning: Gait) -> None:
    """Left and right once differed by a fifth or more, when the trunk followed the markers of one side."""
    moments = joint_moments(turning.forces)
    half = len(turning.motion) // 2
    for name in ("hip", "knee", "ankle"):
        right, left = moments[f"right_{name}"][:-1], moments[f"left_{name}"][:-1]
        assert np.roll(left, half) == pytest.approx(right, abs=1e-6 * np.max(np.abs(right)))


def test_both_feet_rest_during_stance(turning: Gait) -> None:
    """The left foot once slid by 38 mm, when the trunk followed the markers of one side."""
    stride = turning.motion.position("H")[-1, 0] - turning.motion.position("H")[0, 0]
    for side in ("right", "left"):
        ball = turning.motion.position(f"B_{side}")[turning.ground.shares[side] > 0.999, 0]
        # A stance that continues past the end of the stride is one stride further on.
        ball = (ball - ball[0] + stride / 2) % stride
        assert np.ptp(ball) < 2e-3


def test_noise_of_one_record_affects_both_legs_alike() -> None:
    markers = one_sided(noise=0.0015)
    moments = joint_moments(analyse(markers, strides(markers), fit(BODY, markers)).forces)
    for name in ("hip", "knee", "ankle"):
        for end in (np.min, np.max):
            assert end(moments[f"left_{name}"]) == pytest.approx(end(moments[f"right_{name}"]), rel=0.02)


def test_the_synthetic_gait_keeps_the_ground_force_under_the_foot() -> None:
    """Without noise: from 5 cm behind the ankle, at the heel, to 17 cm ahead of it, at the toes."""
    markers = low_pass(synthetic_markers(noise=0))
    gait = analyse(markers, strides(markers), fit(BODY, markers))
    for lever in levers(gait.motion, gait.ground).values():
        assert np.isfinite(lever).sum() > 0.3 * len(lever)
        assert np.nanmin(lever) > -0.05 and np.nanmax(lever) < 0.17
    assert gait.mass == pytest.approx(56.7, abs=2e-3)
    # the ankle balances exactly a force there
    k = int(np.nanargmax(levers(gait.motion, gait.ground)["right"]))
    lever, push = levers(gait.motion, gait.ground)["right"][k], gait.ground.force[k]
    height = gait.motion.position("A_right")[k, 1]
    assert joint_moments(gait.forces)["right_ankle"][k] == pytest.approx(lever * push[1] + height * push[0], abs=2.0)


def test_more_strides_reduce_noise() -> None:
    """All strides of a record count: five noisy ones bring the knee closer to the clean result than one and a half."""
    clean = guides(synthetic_markers(noise=0), PERIOD).values["right_knee"]
    errors = [
        np.std(guides(synthetic_markers(strides=count, noise=0.005), PERIOD).values["right_knee"] - clean)
        for count in (1.5, 5.0)
    ]
    assert errors[1] < 0.7 * errors[0]
