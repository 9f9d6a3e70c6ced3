"""Gaps and change points of a dyad on a wheel that turns many times as fast as the driver, at any number of samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import few

from structkin.examples import path
from structkin.model.mechanism import Mechanism
from structkin.plan.status import Status
from structkin.solve.call import make_schedule
from structkin.solve.fast_wheels import TIMES, shorter_steps


def whirl(ratio: float, far: float) -> Mechanism:
    """Return a dyad of 1.5 and 2 m between a pin, 0.5 m from the axis of a wheel at (2, 0), and a pivot at (far, 0)."""
    x = (1.5**2 - 2**2 + (far - 2.5) ** 2) / (2 * (far - 2.5))
    return Mechanism(
        points={
            "A": (0, 0), "K": (0, 0.5), "E": (2, 0), "B": (2.5, 0), "C": (2.5 + x, math.sqrt(1.5**2 - x * x)),
            "D": (far, 0),
        },
        links={
            "ground": ["A", "E", "D"], "crank": ["A", "K"], "wheel": ["E", "B"], "coupler": ["B", "C"],
            "rocker": ["C", "D"],
        },
        lengths={"B-C": 1.5, "C-D": 2.0},
        joints={"mesh": {"type": "gear", "links": ["crank", "wheel"], "ratio": 1 / ratio, "carrier": "ground"}},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=2 * math.pi,
    )  # fmt: skip


def gaps(ratio: float, far: float, samples: int) -> np.ndarray:
    """Return which samples are out of reach, or follow a gap that lies between two, from the law of cosines."""
    phi = np.abs(ratio) * np.linspace(0, 2 * np.pi, samples)
    half = math.pi - math.acos(((far - 2) ** 2 + 0.5**2 - 3.5**2) / (far - 2))
    inside = np.abs((phi % (2 * np.pi)) - np.pi) < half
    before, behind = ((phi[part] - np.pi) / (2 * np.pi) for part in (slice(-1), slice(1, None)))
    # A gap in which the sample before lies is that one's own.
    own = inside[:-1] & (np.ceil(before) == np.round(before))
    passed = np.append(False, np.ceil(before) + own <= np.floor(behind))
    return inside | passed


@pytest.mark.parametrize("samples", [3, 5, 37, 181, 361])
@pytest.mark.parametrize(("ratio", "far"), few([(-72.0, 5.05), (30.0, 5.0001), (-7.3, 5.003), (72.0, 5.0000001)], 2))
def test_gaps_that_a_wheel_passes_between_two_samples_are_found(ratio: float, far: float, samples: int) -> None:
    motion = whirl(ratio, far).solve(samples)
    np.testing.assert_array_equal(motion.status == Status.OUT_OF_REACH, gaps(ratio, far, samples))
    assert np.isin(motion.status, (Status.OK, Status.OUT_OF_REACH)).all()


@pytest.mark.full
@pytest.mark.parametrize("samples", [5, 37])
def test_a_global_method_finds_them_too(samples: int) -> None:
    motion = whirl(-30.0, 5.05).solve(samples, method="global")
    np.testing.assert_array_equal(motion.status == Status.OUT_OF_REACH, gaps(-30.0, 5.05, samples))


@pytest.mark.parametrize("samples", few([5, 37, 361, 721], 1))
def test_a_wheel_takes_its_dyad_over_the_flat_pose_each_time(samples: int) -> None:
    """At 180 degrees of the wheel the dyad is just flat: smooth, it goes over, and comes back with the next turn."""
    motion, closer = whirl(-72.0, 5.0).solve(samples), whirl(-72.0, 5.0).solve(20 * (samples - 1) + 1)
    assert motion.ok.all() and closer.ok.all()
    np.testing.assert_allclose(motion.position("C"), closer.position("C")[::20], atol=1e-7)
    turn = np.round(72 * motion.t / (2 * np.pi) - 1e-9).astype(int)
    clear = np.abs(72 * motion.t / (2 * np.pi) % 1 - 0.5) > 1e-3
    np.testing.assert_array_equal(np.sign(motion.position("C")[clear, 1]), (-1.0) ** turn[clear])


@pytest.mark.parametrize("method", ["topological", "global"])
@pytest.mark.parametrize("samples", [2, 3, 10])
@pytest.mark.parametrize("radius", [0.4, 0.2, 0.1])
def test_a_small_pinion_takes_a_parallelogram_over_its_flat_poses(radius: float, samples: int, method: str) -> None:
    """In the middle of its way the law is quicker than on average: longer steps of its path were not searched."""
    wiper = Mechanism(
        points={
            "A": (0, 0), "B": (0.6, 0.8), "C": (2.3, 0.8), "D": (1.7, 0), "T": (-6, -radius), "S": (6, -radius),
        },
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "rock": ["D", "C"], "rack": ["T", "S"]},
        joints={
            "guide": {"type": "prismatic", "links": ["rack", "ground"], "at": "T", "axis": (1, 0)},
            "mesh": {"type": "rack", "links": ["crank", "rack"], "along": ["T", "S"], "center": "A"},
        },
        drivers={"m": {"joint": "guide", "law": f"{7.4 * radius}*sin(2*pi*t/3)"}}, duration=3,
    )  # fmt: skip
    motion = wiper.solve(samples, method=method)
    assert motion.ok.all()
    assert motion.angle("crank") == pytest.approx(math.atan2(0.8, 0.6) + motion.drivers["m"][0] / radius, abs=1e-9)
    assert np.max(np.abs(motion.position("C") - motion.position("B") - (1.7, 0))) < 1e-7


def test_the_steps_of_drivers_are_as_short_as_their_quickest_wheels_need() -> None:
    m = Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (3, 0), "D": (3, 1), "G": (4, 0), "E": (6, 0), "F": (7, 0)},
        links={
            "ground": ["A", "C", "E"], "crank": ["A", "B"], "wheel": ["C", "D"], "keyed": ["C", "G"],
            "last": ["E", "F"],
        },
        joints={
            "key": {"type": "fastened", "links": ["wheel", "keyed"], "at": "C"},
            "first": {"type": "gear", "links": ["crank", "wheel"], "ratio": -0.2, "carrier": "ground"},
            "second": {"type": "gear", "links": ["keyed", "last"], "ratio": -0.25, "carrier": "ground"},
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve(9)
    times = np.ptp(motion.turn("last")) / np.ptp(motion.drivers["motor"][0])
    assert times == pytest.approx(20) and shorter_steps(m) == {"motor": pytest.approx(times / TIMES)}
    assert shorter_steps(Mechanism.load(path("planetary_train"))) == {}


def test_a_scan_is_one_whichever_driver_moves_far_from_sample_to_sample() -> None:
    drivers = {"motor": {"joint": "A"}, "arm": {"joint": "E", "links": ["ground", "arm"]}}
    m = Mechanism(
        points={"A": (0, 0), "K": (0, 0.5), "C": (2, 0), "B": (2.5, 0), "E": (5, 0), "F": (6, 0)},
        links={"ground": ["A", "C", "E"], "crank": ["A", "K"], "wheel": ["C", "B"], "arm": ["E", "F"]},
        joints={"mesh": {"type": "gear", "links": ["crank", "wheel"], "ratio": -0.02, "carrier": "ground"}},
        drivers=drivers,
    )
    near, far = np.linspace(0, 10, 5101), np.tile([0.0, 1.0], 2551)[:5101]
    for motor, arm, scan in ((near, far, True), (far, near, True), (4 * near, near, False)):
        zero = np.zeros(5101)
        values = {id: (z, zero, zero) for id, z in (("motor", motor), ("arm", arm))}
        assert make_schedule(m, None, None, values, None).is_scan is scan
