"""Gaps that a wheel on a rocker or a coupler, or the hump of a cam, takes a dyad through between two samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import few

from structkin.model.mechanism import Mechanism
from structkin.plan.status import Status, behind_gaps

#: Crank, coupler, rocker and ground of a four-bar [m]; the distance of the wheel's pin from its axis.
CRANK, COUPLER, ROCKER, GROUND, PIN = 1.0, 3.0, 2.5, 3.5, 0.5


def angles(crank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the angles of coupler and rocker, by the law of cosines."""
    x, y = GROUND - CRANK * np.cos(crank), -CRANK * np.sin(crank)
    f = np.hypot(x, y)
    coupler = np.arctan2(y, x) + np.arccos((COUPLER**2 + f**2 - ROCKER**2) / (2 * COUPLER * f))
    return coupler, np.arctan2(COUPLER * np.sin(coupler) - y, COUPLER * np.cos(coupler) - x)


def wheel_angle(on: str, ratio: float, crank: np.ndarray) -> np.ndarray:
    """Return the angle of a wheel, but for a constant, that turns `ratio` times as far as rocker or coupler."""
    coupler, rocker = (np.unwrap(angle) for angle in angles(crank))
    return ratio * rocker if on == "rocker" else rocker + ratio * (coupler - rocker)


def pushed(on: str, ratio: float, lacks: float, phase: float, start: float) -> Mechanism:
    """Return a four-bar with a wheel whose pin pushes a dyad of 1.5 and 2 m, at its farthest by `lacks` too far."""
    coupler = float(angles(np.array(start))[0])
    E = (10.0, 0.0) if on == "rocker" else (GROUND, 0.0)
    B = (CRANK * math.cos(start), CRANK * math.sin(start))
    P, F = (E[0] + PIN * math.cos(phase), PIN * math.sin(phase)), (E[0] + 3 + lacks, 0.0)
    far = math.dist(P, F)
    x = (1.5**2 - 2**2 + far**2) / (2 * far)
    u = ((F[0] - P[0]) / far, (F[1] - P[1]) / far)
    h = math.sqrt(1.5**2 - x * x)
    points = {
        "A": (0, 0), "B": B, "C": (B[0] + COUPLER * math.cos(coupler), B[1] + COUPLER * math.sin(coupler)),
        "D": (GROUND, 0), "P": P, "Q": (P[0] + x * u[0] - h * u[1], P[1] + x * u[1] + h * u[0]), "F": F,
    }  # fmt: skip
    links = {
        "ground": ["A", "D", "F"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"],
        "wheel": ["D", "P"], "rod": ["P", "Q"], "arm": ["Q", "F"],
    }  # fmt: skip
    if on == "rocker":
        points["E"] = E
        links |= {"wheel": ["E", "P"], "ground": ["A", "D", "F", "E"]}
    carrier = "ground" if on == "rocker" else "rocker"
    return Mechanism(
        points=points, links=links,
        lengths={"A-B": CRANK, "B-C": COUPLER, "C-D": ROCKER, "P-Q": 1.5, "Q-F": 2.0},
        joints={"mesh": {"type": "gear", "links": [on, "wheel"], "ratio": 1 / ratio, "carrier": carrier}},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=2 * math.pi,
    )  # fmt: skip


def out_of_reach(inside: np.ndarray, passed: np.ndarray, samples: int) -> np.ndarray:
    """Return which samples are in a gap, or follow one that begins behind the sample before.

    At evenly many places from sample to sample the pose is `inside` a gap; between two places another one is `passed`.
    """
    parts = (len(inside) - 1) // (samples - 1)
    begins = ~inside[:-1] & (inside[1:] | passed)
    return inside[::parts] | np.append(False, begins.reshape(samples - 1, parts).any(axis=1))


METHODS = ["topological", pytest.param("global", marks=pytest.mark.full)]
CASES = [
    ("rocker", 87.15506571686983, 1.4828949836604673e-05, 0.6881647343364365, 1.480816494222706, 181),
    ("coupler", -98.13863811577193, 3.787055971556033e-05, 0.7058913634213095, 4.905418457773718, 37),
    ("coupler", 87.73468420343741, 6.639177490924373e-07, 5.157314467443772, 3.925599530277309, 37),
    ("rocker", 30.0, 1e-4, 0.3, 0.4, 5),
    ("coupler", -98.13863811577193, 3.787055971556033e-05, 0.7058913634213095, 4.905418457773718, 361),
    ("rocker", 97.30650723480838, 0.007255828909536176, 4.215754092144816, 1.0063249747535434, 37),
]


@pytest.mark.parametrize(("on", "ratio", "lacks", "phase", "start", "samples"), few(CASES, 4))
@pytest.mark.parametrize("method", METHODS)
def test_gaps_behind_a_wheel_on_a_moved_link_are_found(
    on: str, ratio: float, lacks: float, phase: float, start: float, samples: int, method: str
) -> None:
    crank = np.linspace(start, start + 2 * np.pi, (20_000 // (samples - 1)) * (samples - 1) + 1)
    turn = wheel_angle(on, ratio, crank)
    x = (turn - turn[0] + phase - np.pi) / (2 * np.pi)
    far = 3 + lacks
    half = math.pi - math.acos((far**2 + PIN**2 - 3.5**2) / (2 * PIN * far))
    inside = np.abs(x - np.round(x)) < half / (2 * math.pi)
    passed = np.ceil(np.minimum(x[:-1], x[1:])) <= np.floor(np.maximum(x[:-1], x[1:]))
    motion = pushed(on, ratio, lacks, phase, start).solve(samples, method=method)
    np.testing.assert_array_equal(motion.status == Status.OUT_OF_REACH, out_of_reach(inside, passed, samples))
    assert np.isin(motion.status, (Status.OK, Status.OUT_OF_REACH)).all()


def lobed(width: float, lacks: float, at: float, motion: str, stays: float) -> Mechanism:
    """Return a cam whose lobe lifts the pin of a dyad by 0.3 m, `lacks` too far; angles in degrees.

    The links of 2 and 1 m are folded where the pins are 1 m apart.
    """
    first = at - width - stays / 2
    dwells = [{"motion": "dwell", "over": over} for over in (first, stays, 360 - first - 2 * width - stays)]
    rise, fall = ({"motion": motion, "over": width, "to": to} for to in (0.3, 0.0))
    low, high = 1.2, 1.2 + 0.3 + 1.0 - lacks
    far = high - low
    x = (far**2 + 3) / (2 * far)
    return Mechanism(
        points={
            "A": (0, 0), "M": (0.3, 0.2), "P": (0, low), "T": (0, low + 0.5), "Q": (math.sqrt(4 - x * x), low + x),
            "F": (0, high),
        },
        links={
            "ground": ["A", "F"], "disc": ["A", "M"], "follower": ["P", "T"], "rod": ["P", "Q"], "arm": ["Q", "F"],
        },
        lengths={"P-Q": 2.0, "Q-F": 1.0}, units={"angle": "deg"},
        joints={
            "guide": {"type": "prismatic", "links": ["follower", "ground"], "axis": [0, 1]},
            "cam": {
                "type": "cam", "cam": "disc", "follower": "follower", "contact": "knife-edge", "at": "P", "start": 0.0,
                "law": [dwells[0], rise, *([dwells[1]] if stays else []), fall, dwells[2]],
            },
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}}, duration=2 * math.pi,
    )  # fmt: skip


LOBES = [
    (0.05, 1e-6, 184.6, "harmonic", 0.0, 37),
    (0.5, 1e-4, 74.71, "3-4-5", 0.0, 3601),
    (5.0, 1e-2, 301.3, "cycloidal", 1.5, 5),
    (1.0, 1e-4, 120.43, "cycloidal", 0.0, 361),
    (0.1, 1e-2, 77.7, "uniform", 0.03, 181),
    (2.5, 1e-6, 200.2, "cycloidal", 0.0, 2),
]


@pytest.mark.parametrize(("width", "lacks", "at", "motion", "stays", "samples"), few(LOBES, 3))
@pytest.mark.parametrize("method", METHODS)
def test_gaps_that_a_narrow_lobe_of_a_cam_makes_are_found(
    width: float, lacks: float, at: float, motion: str, stays: float, samples: int, method: str
) -> None:
    m = lobed(width, lacks, at, motion, stays)
    first, last = math.radians(at - stays / 2 - width), math.radians(at + stays / 2 + width)
    # By symmetry the follower is too high around the middle of its lobe.
    x = np.linspace(first, math.radians(at), 200_001)
    begin = x[np.argmax(m.joints["cam"].lift(x) > 0.3 - lacks)]
    end = first + last - begin
    samples_at = np.linspace(0, 2 * np.pi, samples)
    inside = (samples_at > begin) & (samples_at < end)
    wanted = inside | np.append(False, (samples_at[:-1] <= begin) & (samples_at[1:] >= end))
    solved = m.solve(samples, method=method)
    np.testing.assert_array_equal(solved.status == Status.OUT_OF_REACH, wanted)
    assert np.isin(solved.status, (Status.OK, Status.OUT_OF_REACH)).all() and wanted.any()


def test_a_sample_follows_a_gap_that_is_not_the_one_of_the_sample_before() -> None:
    out = int(Status.OUT_OF_REACH)

    def behind(status: list[int], kept: list[int], posed: list[int]) -> list[int]:
        found = behind_gaps(np.array(status, np.int8), np.array(kept), np.array(posed, np.intp))
        return [k for _, samples, _ in found for k in samples.tolist()]

    # The gap of the sample before ends, and another one begins; or its own is all there is.
    assert behind([0, out, 0, out, 0], [0, 1, 4], []) == [2]
    assert behind([0, out, out, 0, 0], [0, 1, 4], []) == []
    # Both only follow a gap.
    assert behind([0, out, out, 0, 0], [0, 1, 4], [1, 2]) == [2]
