"""Change points and gaps where what moves a dyad turns back, and is at both stations where it was; turns past them."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from cases import few

from structkin.model.mechanism import Mechanism
from structkin.plan.status import Status


def toggle(samples: int, lacks: float) -> Mechanism:
    """Return a slider-crank whose slider pushes a toggle, sampled evenly to both sides of the slider's dead point.

    There, at the crank angle 0, the slider is 4 m from the shaft; the toggle's far pin is `lacks` nearer to it than the
    1 m by which its links of 2 and 1 m differ.
    """
    step = 2 * math.pi / (samples - 1)
    angle = -(round(1 / step) + 0.5) * step
    B = (math.cos(angle), math.sin(angle))
    slider, far = B[0] + math.sqrt(9 - B[1] ** 2), 5 - lacks
    d = far - slider
    x = (d * d + 3) / (2 * d)
    return Mechanism(
        points={"A": (0, 0), "B": B, "C": (slider, 0), "E": (slider + x, math.sqrt(4 - x * x)), "F": (far, 0)},
        links={
            "ground": ["A", "F"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"], "u": ["C", "E"],
            "v": ["E", "F"],
        },
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": (1, 0)}},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=2 * math.pi,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["topological", "global"])
@pytest.mark.parametrize("samples", [181, 361])
def test_a_gap_at_the_dead_point_of_what_pushes_a_toggle_is_found(samples: int, method: str) -> None:
    m = toggle(samples, 1e-5)
    motion = m.solve(samples, method=method)
    behind = round(1 / (2 * math.pi / (samples - 1))) + 1
    assert np.flatnonzero(motion.status).tolist() == [behind]
    assert motion.status[behind] == Status.OUT_OF_REACH
    # At the dead point the pins are 0.99999 m apart.
    start = m.drivers["motor"].start
    assert m.solve(drivers={"motor": [start, 0.0]}).status[1] == Status.OUT_OF_REACH


@pytest.mark.parametrize("samples", [181, 361])
def test_a_toggle_that_is_just_flat_at_a_dead_point_goes_over(samples: int) -> None:
    m = toggle(samples, 0.0)
    motion = m.solve(samples)
    # Two flat poses, folded at the crank angle 0 and stretched at pi; the pin E is above the line in between.
    angle = m.drivers["motor"].start + motion.t
    assert motion.ok.all()
    np.testing.assert_array_equal(motion.position("E")[:, 1] > 0, (angle < 0) | (angle > math.pi))


@pytest.mark.parametrize("samples", [37, 181, 361])
def test_a_parallelogram_driven_by_its_inner_angle_stays_one(samples: int) -> None:
    B = np.array([0.5 * math.cos(1), 0.5 * math.sin(1)])
    m = Mechanism(
        points={"A": (0, 0), "B": B, "C": (B[0] + 1, B[1]), "D": (1, 0)},
        links={"ground": ["A", "D"], "left": ["A", "B"], "coupler": ["B", "C"], "right": ["D", "C"]},
        drivers={"motor": {"links": ["coupler", "right"], "speed": 1.0}}, duration=6.0,
    )  # fmt: skip
    motion = m.solve(samples)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.position("C") - motion.position("B"), [[1, 0]] * samples, atol=1e-9)


@pytest.mark.parametrize(("h", "samples"), few([(2.0**-10, 37), (2.0**-10, 361), (2.0**-25, 37), (2.0**-31, 361)]))
def test_turns_of_a_slotted_arm_that_passes_its_pivot_closely_are_counted(h: float, samples: int) -> None:
    """The slot passes the pivot D at h, which the crank's pin comes as near as: arm = angle of DB - atan2(h, s)."""
    B, D = np.array([math.cos(-0.26), math.sin(-0.26)]), np.array([1 + h, 0.0])
    W = B - D
    arm = math.atan2(W[1], W[0]) - math.asin(h / math.hypot(*W))
    u = np.array([math.cos(arm), math.sin(arm)])
    P = D + h * np.array([-u[1], u[0]])
    m = Mechanism(
        points={"A": (0, 0), "B": B, "D": D, "P": P, "Q": P + 2 * u},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "arm": ["D", "P", "Q"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "along": ["P", "Q"]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=4 * math.pi,
    )  # fmt: skip
    angle = np.linspace(0, 4 * math.pi, samples) - 0.26
    pin = np.exp(1j * angle) - D[0]
    # The direction from D to the pin stays on the left; s changes its sign at each passage of the crank angle 0.
    side = np.where((angle > 0) & (angle < 2 * math.pi), -1, 1)
    s = side * np.sqrt(np.maximum(np.abs(pin) ** 2 - h * h, 0))
    expected = np.angle(-pin) - np.arctan2(h, s)
    expected -= expected[0]
    for method in ("topological", "global"):
        np.testing.assert_allclose(m.solve(samples, method=method).turn("arm"), expected, atol=1e-6)


@pytest.mark.parametrize("samples", [2, 3])
def test_samples_in_one_pose_count_the_turns_of_the_smooth_motion(samples: int) -> None:
    """A kite on a crank as long as its base: its tip lies along half the crank's angle, and rods turn half as often."""
    B = np.exp(0.4j)
    tip = np.exp(0.2j) * (math.cos(0.2) + math.sqrt(4 - math.sin(0.2) ** 2))
    m = Mechanism(
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (tip.real, tip.imag), "D": (1, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "rock": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=4 * math.pi * (samples - 1),
    )  # fmt: skip
    np.testing.assert_allclose(m.solve(samples).turn("rod"), 2 * math.pi * np.arange(samples), atol=1e-9)


@pytest.mark.parametrize("samples", [37, 121, 361])
def test_a_slotted_arm_square_to_a_slider_at_its_dead_point_touches_its_flat_pose(samples: int) -> None:
    """The slider turns back where it is nearest to the arm's pivot: four zeros in one, and the arm keeps its side."""
    step = math.radians(1)
    angle = np.linspace(0, 2 * math.pi, samples) - 57.5 * step
    slider = np.cos(angle) + np.sqrt(9 - np.sin(angle) ** 2)
    pin = slider - (4 + 0.4j)
    arm = np.angle(pin) - np.arcsin(np.minimum(0.4 / np.abs(pin), 1))
    u = np.exp(1j * arm[0])
    P, Q = (complex(4, 0.4) + 0.4j * u + far * u for far in (0, 2))
    B = np.exp(1j * angle[0])
    m = Mechanism(
        points={
            "A": (0, 0), "B": (B.real, B.imag), "C": (slider[0], 0), "F": (4, 0.4), "P": (P.real, P.imag),
            "Q": (Q.real, Q.imag),
        },
        links={"ground": ["A", "F"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"], "arm": ["F", "P", "Q"]},
        joints={
            "guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": (1, 0)},
            "slot": {"type": "pin-in-slot", "pin": "C", "slot": "arm", "along": ["P", "Q"]},
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=2 * math.pi,
    )  # fmt: skip
    motion = m.solve(samples)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.turn("arm"), arm - arm[0], atol=1e-7)


PUSHED = {
    "points": {
        "C": (4, 0), "P": (5, 0.6), "Q": (6, 0.7), "R": (5.6, 1.5), "U": (6.5, -0.5), "V": (4.6, 2.6), "A": (0, 0),
        "B": (1, 0),
    },
    "links": {
        "ground": ["U", "V"], "slider": ["C"], "a": ["C", "P"], "plate": ["P", "Q", "R"], "b": ["U", "Q"],
        "c": ["V", "R"],
    },
    "joints": {"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": (1, 0)}},
}  # fmt: skip


@cache
def pushed_triad() -> tuple[Mechanism, float]:
    """Return a plate on three legs, of which a slider moves one, and how far that can be pushed [m]."""
    points = {name: place for name, place in PUSHED["points"].items() if name not in "AB"}
    m = Mechanism(points=points, links=PUSHED["links"], joints=PUSHED["joints"], drivers={"push": {"joint": "guide"}})
    return m, m.limits().upper.value


def plate(slider: np.ndarray) -> np.ndarray:
    """Return the pin P (n, 2) of that plate for travels of the slider, without the crank."""
    m, _ = pushed_triad()
    way = np.concatenate((np.linspace(0, slider[0], 40), slider))
    return m.solve(drivers={"push": way}).position("P")[40:]


def pushed_by_a_crank(lacks: float, first: float) -> Mechanism:
    """Return that triad with a slider-crank, at a crank angle `first`, whose slider goes `lacks` too far at angle 0."""
    m, most = pushed_triad()
    B = (math.cos(first), math.sin(first))
    travel = most + lacks + B[0] + math.sqrt(9 - B[1] ** 2) - 4
    moved = m.solve(drivers={"push": np.linspace(0, travel, 40)})
    assert moved.ok.all()
    A = most + lacks
    points = {name: tuple(moved.position(name)[-1]) for name in "CPQRUV"} | {"A": (A, 0), "B": (A + B[0], B[1])}
    links = PUSHED["links"] | {"ground": ["U", "V", "A"], "crank": ["A", "B"], "rod": ["B", "C"]}
    return Mechanism(
        points=points, links=links, joints=PUSHED["joints"], drivers={"motor": {"joint": "A", "speed": 1.0}}
    )


#: Places of the dead point among the samples: in the middle of an interval, the first, one between, the last.
PLACES = [(0, 3), (0, 5), (3, 5), (0, 37), (9, 37), (35, 37), (30, 181), (90, 361)]


ROADS = [("topological", "python"), ("topological", "compiled"), ("topological-kl", "auto"), ("global", "auto")]


@pytest.mark.parametrize(("method", "engine"), ROADS)
@pytest.mark.parametrize(("interval", "samples"), few(PLACES, 3))
@pytest.mark.parametrize("lacks", few([1e-8, 1e-5], 1))
def test_a_gap_at_the_dead_point_of_what_pushes_a_triad_is_found(
    lacks: float, interval: int, samples: int, method: str, engine: str
) -> None:
    """Samples lay evenly on both sides, where the slider is in one place: the motion went on, status ok."""
    if engine == "compiled":
        pytest.importorskip("numba")
    angle = (np.arange(samples) - interval - 0.5) * min(0.4 / (samples - 1), math.radians(4))
    m = pushed_by_a_crank(lacks, angle[0])
    most = pushed_triad()[1]
    slider = np.cos(angle) + np.sqrt(9 - np.sin(angle) ** 2) - 4 + most + lacks
    motion = m.solve(drivers={"motor": angle}, method=method, engine=engine)
    reached = slider <= most
    passed = np.append(False, reached[:-1] & (angle[:-1] < 0) & (angle[1:] > 0))
    np.testing.assert_array_equal(motion.ok, reached & ~passed)
    assert set(motion.status.tolist()) == {Status.OK, Status.OUT_OF_REACH}
    # Behind the gap the pose is that to which the reversed slider leads.
    np.testing.assert_allclose(motion.position("P")[motion.ok], plate(slider[motion.ok]), atol=1e-8)


@pytest.mark.parametrize("off", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("samples", [5, 101, pytest.param(3001, marks=pytest.mark.full)])
def test_a_triad_that_is_just_flat_at_a_dead_point_goes_over(samples: int, off: float) -> None:
    """Between samples it came back; where a hundred or more were nearly flat, rounding decided.

    Before the dead point P is where the slider alone puts it, and behind it on the other branch, as on a smooth way.
    """
    step = 0.6 / (samples - 1)
    angle = (np.arange(samples) - samples // 2 - off) * step
    motion = pushed_by_a_crank(0.0, angle[0]).solve(t=angle - angle[0])
    assert set(motion.status.tolist()) <= {Status.OK, Status.SINGULAR}
    slider = np.cos(angle) + np.sqrt(9 - np.sin(angle) ** 2) - 4 + pushed_triad()[1]
    side = np.abs(angle) > 0.05
    away = np.hypot(*(motion.position("P")[side] - plate(slider[side])).T)
    np.testing.assert_array_equal(away > 1e-3, angle[side] > 0)
    np.testing.assert_array_less(away[angle[side] < 0], 1e-8)
