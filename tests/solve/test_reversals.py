"""Drivers that reverse at, just before or just beyond a flat pose: the motion retraces its path at any samples."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few
from hypothesis import example, given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.model.laws import MonotoneTable
from structkin.plan.status import Status
from structkin.solve.schedule import turning_points

PINS = {"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)}
LINKS = {"ground": ["A", "D"], "a": ["A", "B"], "b": ["B", "C"], "c": ["D", "C"]}


def wiper(law: str) -> sk.Mechanism:
    """A parallelogram; its coupler stays parallel to the ground."""
    return sk.Mechanism(points=PINS, links=LINKS, drivers={"m": {"joint": "A", "law": law}}, units={"angle": "deg"})


def isosceles(law: str) -> sk.Mechanism:
    """A slider-crank of equal lengths: the slider is at 2 cos of the crank's angle."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (np.sqrt(0.5), np.sqrt(0.5)), "C": (np.sqrt(2), 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": (1, 0)}},
        lengths={"A-B": 1, "B-C": 1},
        drivers={"m": {"joint": "A", "law": law}},
        units={"angle": "deg"},
    )


def check(middle: float, swing: float, speed: float, samples: int, *, method: str = "topological") -> None:
    law = f"{middle!r} + {swing!r}*sin({speed!r}*t)"
    motion = wiper(law).solve(samples, duration=20, method=method)
    assert motion.ok.all()
    assert np.max(np.abs(motion.angle("b"))) < 1e-7
    motion = isosceles(law).solve(samples, duration=20, method=method)
    assert motion.ok.all()
    assert motion.position("C")[:, 0] == pytest.approx(2 * np.cos(motion.drivers["m"][0]), abs=1e-7)


cases = given(
    st.sampled_from([45.0, 90.0, -60.0]),
    st.sampled_from([90.0, 45.0, 0.1, 1.0, 1e-3, 2.0, 7.0]) | st.floats(0.01, 10),
    st.sampled_from([1.0, 1.3, 7.0]) | st.floats(0.2, 8),
    st.integers(2, 400),
)


@pytest.mark.full
@settings(max_examples=8, deadline=None)
@example(90.0, 90.0, 1.0, 50)
@example(90.0, 0.1, 1.0, 130)
@example(90.0, 1.0, 1.0, 41)
@example(90.0, 1e-4, 7.0, 361)
# The motion ends between a flat pose and the turning point behind it.
@example(45.0, 0.25, 4.6328125, 2)
@cases
def test_laws_that_reverse_near_a_flat_pose(middle: float, beyond: float, speed: float, samples: int) -> None:
    check(middle, 90.0 if beyond in (90.0, 45.0) else abs(middle) + beyond, speed, samples)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@cases
def test_many_laws_that_reverse_near_a_flat_pose(middle: float, beyond: float, speed: float, samples: int) -> None:
    check(middle, 90.0 if beyond in (90.0, 45.0) else abs(middle) + beyond, speed, samples)


@pytest.mark.parametrize("samples", [41, 100, 361])
@pytest.mark.parametrize("law", ["180 - 90*abs(sin(t))", "180.5 - 90*abs(sin(1.7*t))", "90*abs(sin(t))"])
def test_laws_with_corners(law: str, samples: int) -> None:
    motion = wiper(law).solve(samples, duration=20)
    assert motion.ok.all() and np.max(np.abs(motion.angle("b"))) < 1e-7


@pytest.mark.parametrize("back", [-1, 1])
@pytest.mark.parametrize("samples", [9, 14, 17, 32, 34])
def test_laws_that_rest_at_a_flat_pose(back: int, samples: int) -> None:
    """The sample before the rest may be nearer to the place where it begins than the first one that rests."""
    law = f"180 - 120*max(0, 1 - t/8)**3 + {back}*80*max(0, (t - 12)/8)**3"
    motion = wiper(law).solve(samples, duration=20)
    assert motion.ok.all()
    assert np.max(np.abs(motion.angle("b"))) < 1e-7
    # A pin rests on the pivot of its slot, whose link has turned by half as much as the crank.
    slot = {"type": "pin-in-slot", "pin": "B", "slot": "swing", "along": ["D", "E"]}
    swing = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "D": (1, 0), "E": (2, -1)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "swing": ["D", "E"]},
        joints={"slot": slot},
        drivers={"m": {"joint": "A", "law": f"180 + {law}"}},
        units={"angle": "deg"},
    )
    motion = swing.solve(samples, duration=20)
    assert motion.ok.all()
    assert np.max(np.abs(np.exp(1j * (motion.angle("swing") - 0.5 * motion.drivers["m"][0])) + 1j)) < 1e-7


def driven_at_the_coupler(pin: complex, ground: float, law: str) -> sk.Mechanism:
    """A parallelogram driven between crank and coupler: the coupler stays level."""
    points = {"A": 0j, "B": pin, "C": pin + ground, "D": complex(ground)}
    places = {name: (z.real, z.imag) for name, z in points.items()}
    return sk.Mechanism(points=places, links=LINKS, drivers={"m": {"joint": "B", "law": law}})


@pytest.mark.parametrize("power", [1, 5, 7])
@pytest.mark.parametrize("samples", [2, 32, 50])
def test_laws_that_are_slow_at_a_flat_pose(power: int, samples: int) -> None:
    """The outer pins move by the square of what is left to the flat pose: by rounding, on either side of it."""
    pin = 0.5 + 0.8j
    law = f"{float(np.angle(-pin.conjugate()))!r}*(1 - t/10)**{power} - pi"
    motion = driven_at_the_coupler(pin, 1.7, law).solve(samples, duration=20)
    assert motion.ok.all()
    assert np.max(np.abs(motion.angle("b"))) < 1e-6


@pytest.mark.parametrize("samples", [2, 6, 40])
@pytest.mark.parametrize("ground", [1.1, 1.01, 0.95, 1.001])
def test_a_length_between_driven_links_that_is_short_in_the_flat_pose(ground: float, samples: int) -> None:
    """The discriminant has as many poles on a circle around the flat pose as zeros, where that length is zero."""
    motion = driven_at_the_coupler(1j, ground, "-pi/2 - t").solve(samples, duration=3.1)
    assert motion.ok.all()
    assert np.max(np.abs(motion.angle("b"))) < 1e-6
    assert np.max(np.abs(motion.acceleration("C")[:, 1] + motion.position("C")[:, 1])) < 1e-5


@pytest.mark.parametrize("top", [180.0, 180.1, 181.0, 184.0])
@pytest.mark.parametrize("step", [0.9, 1.04, 3.0, 17.0])
def test_values_that_reverse_near_a_flat_pose(top: float, step: float) -> None:
    """The discriminant touches zero on both sides of the turning point; at one of them no sample is the nearest."""
    down = np.arange(top, 90, -step)
    values = np.radians(np.concatenate((down[::-1], down[1:], down[::-1][1:])))
    motion = wiper("90").solve(drivers={"m": values})
    assert motion.ok.all() and np.max(np.abs(motion.angle("b"))) < 1e-7


@pytest.mark.parametrize("beyond", [1e-13, 2e-11, 1e-10, 4e-10, 1e-9])
@pytest.mark.parametrize("samples", [2, 50])
def test_values_that_reverse_just_behind_a_flat_pose(beyond: float, samples: int) -> None:
    """The flat pose is passed there and back within a billionth: these are two change points, not one found twice."""
    there = np.linspace(np.pi / 2, np.pi + beyond, samples)
    motion = wiper("90").solve(drivers={"m": np.concatenate((there, there[-2::-1]))})
    assert motion.ok.all() and np.max(np.abs(motion.angle("b"))) < 1e-7


@pytest.mark.parametrize("beyond", [0.0, 1e-12, 1e-11, 3e-11, -1e-11])
def test_values_that_reverse_at_a_flat_pose_far_from_the_origin(beyond: float) -> None:
    """A sketch a thousand sizes away says the lengths, and where they are flat, to fewer digits, on each way others."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        origin, turn, start = rng.uniform(-1500, 1500, 2) @ (1, 1j), np.exp(6j * rng.random()), rng.uniform(0.4, 2.6)
        places = origin + turn * np.array([0, np.exp(1j * start), 2 + np.exp(1j * start), 2])
        points = {name: (z.real, z.imag) for name, z in zip("ABCD", places.tolist(), strict=True)}
        m = sk.Mechanism(points=points, links=LINKS, drivers={"m": {"joint": "A", "links": ["ground", "a"]}})
        drawn = np.angle(places[1] - places[0]) - start
        motion = m.solve(drivers={"m": drawn + np.linspace(np.pi + beyond, rng.uniform(0.3, 2.8), 3 + seed)})
        assert motion.ok[1:].all()
        coupler = (motion.position("C") - motion.position("B")) @ (1, 1j)
        np.testing.assert_allclose(coupler[1:], 2 * turn, atol=1e-9)


@pytest.mark.parametrize("beside", [1e-6, 1e-3, -1e-6])
def test_uneven_samples_beside_a_flat_pose_of_a_curved_slot(beside: float) -> None:
    """The rocker of a parallelogram is an arc about D, a general group: its pin stays abreast of the crank's."""
    start, first = np.exp(1j * np.array([0.6, 3.5]))
    slotted = sk.Mechanism.from_dict({
        "points": {"A": [0, 0], "B": [start.real, start.imag], "C": [2 + start.real, start.imag]},
        "links": {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"]},
        "joints": {"track": {
            "type": "pin-in-slot", "pin": "C", "slot": "ground", "start": [2 + first.real, first.imag],
            "axis": [-first.imag, first.real], "segments": [{"turn": 6.2, "radius": 1.0}],
        }},
        "drivers": {"m": {"joint": "A"}},
    })  # fmt: skip
    motion = slotted.solve(drivers={"m": np.array([0.6, 2.0, np.pi + beside, 3.38, 3.4])})
    away = motion.position("C") - motion.position("B") - [2, 0]
    assert motion.ok.all() and np.max(np.abs(away)) < 1e-7


@pytest.mark.parametrize("samples", [60, 100, 130])
def test_a_table_and_a_driver_between_moving_links(samples: int) -> None:
    rows = [[k / 4, 90 + 90 * np.sin(k / 4)] for k in range(81)]
    table = sk.Mechanism(
        points=PINS, links=LINKS, drivers={"m": {"joint": "A", "table": rows}}, units={"angle": "deg"}
    ).solve(samples)
    between = sk.Mechanism(points=PINS, links=LINKS, drivers={"m": {"joint": "B", "law": "-pi/2-pi/2*sin(t)"}}).solve(
        samples, duration=20
    )
    for motion in (table, between):
        assert motion.ok.all() and np.max(np.abs(motion.angle("b"))) < 1e-7


def test_variants_that_reverse_at_a_flat_pose() -> None:
    many = wiper("90 + 90*sin(t)").solve_many(100, duration=20, lengths={"A-B": [1, 0.9, 0.8], "C-D": [1, 0.9, 0.8]})
    assert many.ok.all() and np.max(np.abs(many.angle("b"))) < 1e-7


def test_turning_points_of_a_rest_and_of_unknown_times() -> None:
    """A law that rests and then reverses turns where its rest begins; one that goes on does not turn."""
    rest = MonotoneTable((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 1.0, 0.0))
    found = [turning_points(rest, t, rest(t)[1]) for t in (np.array([0.0, 3.0]), np.array([0.0, 0.3, 3.0]))]
    assert [len(one) for one in found] == [1, 1] and found[0] * 3 == pytest.approx(1, abs=1e-6)
    further = MonotoneTable((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 1.0, 2.0))
    assert not len(turning_points(further, np.array([0.0, 3.0]), np.ones(2)))
    unknown = np.full(3, np.nan)
    assert not len(turning_points(rest, unknown, unknown))


@pytest.mark.parametrize("samples", [2, 6, 40])
@pytest.mark.parametrize("joint, law", [("B", "-pi/2 - t"), ("C", "pi/2 - t")])
def test_a_length_between_driven_links_that_becomes_zero(joint: str, law: str, samples: int) -> None:
    """Its square tells no more than half the digits of how near the pins come: the branch behind is not certified."""
    pins = {"A": (0, 0), "B": (0, 1), "C": (1, 1), "D": (1, 0)}
    motion = sk.Mechanism(points=pins, links=LINKS, drivers={"m": {"joint": joint, "law": law}}).solve(
        samples, duration=3.02
    )
    before = motion.t < 0.5 * np.pi
    assert motion.ok[before].all()
    assert (motion.position("C") - motion.position("B"))[before] == pytest.approx(np.tile([1.0, 0.0], (sum(before), 1)))
    assert all(status == Status.UNCERTIFIED for status in motion.status[~before])


@pytest.mark.parametrize("samples", [2, 3, 7, 31])
@pytest.mark.parametrize("back", [-1, 1])
@pytest.mark.parametrize("start", [1.7, -0.8, 2.6])
def test_pins_that_touch_and_rest_together(start: float, back: int, samples: int) -> None:
    """Geared cranks bring the pins of two equal rods together, from and to the same side: four zeros in one place."""

    def pins(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        B = np.exp(1j * angle)
        return B, 2 - B.conj(), 1 + 1j * (B.imag + np.sqrt(2.5**2 - (1 - B.real) ** 2))

    places = dict(zip("BEC", pins(np.array(start)), strict=True))
    five = sk.Mechanism(
        points={"A": (0, 0), "D": (2, 0), **{pin: (float(z.real), float(z.imag)) for pin, z in places.items()}},
        links={"ground": ["A", "D"], "a": ["A", "B"], "e": ["D", "E"], "b": ["B", "C"], "c": ["C", "E"]},
        joints={"gear": {"type": "gear", "links": ["a", "e"], "ratio": -1.0, "carrier": "ground"}},
        drivers={"m": {"joint": "A", "law": f"{start}*(max(0, 1 - t/0.4)**3 + {back}*0.4*max(0, (t - 0.6)/0.4)**3)"}},
        duration=1,
    )
    motion = five.solve(samples)
    C = motion.position("C") @ (1, 1j)
    assert motion.ok[np.abs(motion.drivers["m"][0]) > 0.01].all()
    assert C[motion.ok] == pytest.approx(pins(motion.drivers["m"][0])[2][motion.ok], abs=1e-6)


@pytest.mark.parametrize("method", ["topological", "global"])
@pytest.mark.parametrize("samples", [2, 5, 361])
@pytest.mark.parametrize("short", few([0.0, 1e-14, 1e-12, 1e-6]))
@pytest.mark.parametrize("power", ["cos(t)", "2*(t/pi - 1)**4 - 1"])
def test_a_slide_that_reverses_smoothly_at_its_dead_point(power: str, short: float, samples: int, method: str) -> None:
    """A trammel's bar, one end driven to the end of its way and back: in time it might as well swing on."""
    middle, swing = 0.8 - 0.5 * short, 0.2 - 0.5 * short
    trammel = sk.Mechanism(
        points={"A": (0.6, 0), "B": (0, 0.8), "O": (0, 0), "P": (1, 0), "Q": (0, 1), "S": (3, 0), "T": (4, 0)},
        links={"ground": ["O", "P", "Q", "S"], "bar": ["A", "B"], "other": ["S", "T"]},
        joints={
            "x": {"type": "pin-in-slot", "pin": "A", "slot": "ground", "along": ["O", "P"]},
            "y": {"type": "pin-in-slot", "pin": "B", "slot": "ground", "along": ["O", "Q"]},
        },
        drivers={
            "m": {"joint": "x", "law": f"{middle - 0.6!r} - {swing!r}*({power})"},
            "other": {"joint": "S", "speed": 1},
        },
    )
    motion = trammel.solve(samples, duration=2 * np.pi, method=method)
    x, y, ok = motion.position("A")[:, 0], motion.position("B")[:, 1], motion.ok
    assert ok[x < 1 - 1e-4].all() or samples == 2
    assert y[ok] == pytest.approx(np.sqrt(np.maximum((1 - x) * (1 + x), 0))[ok], abs=1e-6)


@pytest.mark.parametrize("beside", [1e-4, 1e-6])
@pytest.mark.parametrize("course", ["- 0.6*(t - 1)**4", "- 1e-6*t"])
def test_digits_beside_a_flat_pose_while_another_part_moves_quickly(course: str, beside: float) -> None:
    """Circles around a part that moves slowly are as large as without the other part, and keep the digits of L."""
    motion = sk.Mechanism(
        points=PINS | {"S": (3, 0), "T": (4, 0)},
        links=LINKS | {"ground": ["A", "D", "S"], "other": ["S", "T"]},
        drivers={
            "m": {"joint": "A", "law": f"{np.pi - beside!r} {course}"},
            "other": {"joint": "S", "speed": 1.4},
        },
    ).solve(91, duration=2)
    u = np.exp(1j * motion.drivers["m"][0])
    assert motion.ok.all()
    assert motion.position("C") @ (1, 1j) == pytest.approx(2 + u, abs=1e-12)
    assert motion.K("C")[:, :, 0] @ (1, 1j) == pytest.approx(1j * u, abs=1e-10)
    assert motion.L("C")[:, :, 0, 0] @ (1, 1j) == pytest.approx(-u, abs=1e-9)


@pytest.mark.parametrize("speed", [1.3, 0.01])
@pytest.mark.parametrize("beyond", [0.0, 1e-12, 1e-9, 1e-6, 1e-5, -1e-9])
def test_a_law_that_reverses_beside_a_flat_pose_while_another_part_moves(beyond: float, speed: float) -> None:
    """The path of all drivers is nearly straight there, or turns slowly: that of the parallelogram's turns back."""
    mechanism = sk.Mechanism(
        points=PINS | {"U": (0, -3), "V": (1, -3)},
        links=LINKS | {"ground": ["A", "D", "U"], "fan": ["U", "V"]},
        drivers={
            "fan": {"joint": "U", "speed": speed},
            "m": {"joint": "A", "law": f"pi/2 - (pi/2 + {beyond!r})*(1 - cos(t))/2"},
        },
    )
    motion = mechanism.solve(361, duration=2 * np.pi)
    assert motion.ok.all()
    assert np.max(np.abs(motion.angle("b"))) < 1e-7


def test_a_law_that_reverses_beside_a_truss() -> None:
    """No driver moves the flat truss: along the path of none there is nothing to look for."""
    mechanism = sk.Mechanism(
        points=PINS | {"U": (0, -3), "V": (2, -3), "W": (1, -2.9)},
        links=LINKS | {"ground": ["A", "D", "U", "V"], "left": ["U", "W"], "right": ["V", "W"]},
        drivers={"m": {"joint": "A", "law": "pi/2 - 3*sin(t)"}},
    )
    motion = mechanism.solve(7, duration=6)
    assert motion.ok.all()
    assert np.max(np.abs(motion.angle("b"))) < 1e-7


@pytest.mark.parametrize("samples", [361, 721])
@pytest.mark.parametrize("power", [2, 4, 6])
def test_samples_within_rounding_of_where_a_law_reverses_at_the_pivot_of_a_slot(power: int, samples: int) -> None:
    """The crank is as long as the ground, so the arm turns by half its angle; the pin only touches the pivot."""
    motion = sk.Mechanism(
        points={"A": (0, 0), "O": (1, 0), "B": (0, 1), "E": (-1, 2)},
        links={"ground": ["A", "O"], "crank": ["A", "B"], "arm": ["O", "E"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "along": ["O", "E"]}},
        drivers={"m": {"joint": "A", "law": f"pi/2*(1 - t/3)**{power}"}},
    ).solve(samples, duration=2 * np.pi)
    assert motion.ok.all()
    assert motion.angle("arm") == pytest.approx(0.75 * np.pi + 0.5 * (motion.drivers["m"][0] - np.pi / 2), abs=1e-7)


def test_a_circle_of_another_part_does_not_put_a_triad_into_another_assembly() -> None:
    """Beside the flat pose of a slider-crank, Newton's method on its circle found a platform's other assembly."""
    start, lever = np.exp(1j), np.exp(1j) - 4j
    places = {"A": 0, "B": start, "C": 2 * start.real, "P": -4j, "Q": lever, "R": lever + 0.7, "S": 2 - 4.5j,
              "T": lever + 2 - 0.5j, "U": 3 - 3.6j, "V": lever + 3 + 0.4j}  # fmt: skip
    motion = sk.Mechanism(
        points={name: (np.real(place), np.imag(place)) for name, place in places.items()},
        links={"ground": ["A", "P", "S", "U"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"],
               "lever": ["P", "Q"], "bar": ["Q", "R"], "platform": ["R", "T", "V"], "left": ["S", "T"],
               "right": ["U", "V"]},
        lengths={"A-B": 1, "B-C": 1},
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"m": {"joint": "A", "links": ["ground", "crank"], "law": "1 + 0.5508435665334723*(1 - cos(t))/2"},
                 "fast": {"joint": "P", "links": ["ground", "lever"], "law": "1 + 9*t"}},
    ).solve(121, duration=2 * np.pi)  # fmt: skip
    turn = motion.drivers["fast"][0]
    assert motion.ok.all()
    assert motion.position("T") == pytest.approx(np.stack((2 + np.cos(turn), np.sin(turn) - 4.5), axis=1), abs=1e-9)
