"""Curved slots: along an arc and a line they are circular and straight slots; others against roots found by scipy."""

from __future__ import annotations

import itertools
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from cases import few
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq
from solve.whole_system import solve_whole

import structkin as sk
from structkin.examples import path
from structkin.global_methods.methods import FAMILIES
from structkin.joints import slot
from structkin.joints.splines import open_spline, spline
from structkin.rows.periodic import TURN
from structkin.rows.plane_curve import PlaneCurve

POINTS = {"A": (0, 0), "B": (1, 0.5), "C": (2.8, 2.0), "D": (4, 0), "E": (6.0, 2.5), "P": (2.0, 1.8)}
MASSES = {"mass": 2.0, "center": (1.8, 1.5), "inertia": 0.4}
COUPLER = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": {"points": ["B", "C", "P"], **MASSES}}
METHODS = [
    {"engine": "python"},
    {"method": "topological-kl"},
    *({"method": "global", "coordinates": family} for family in FAMILIES),
]

#: An arc about D, to both sides of C, and a line through C.
RADIUS = abs(complex(-1.2, 2.0))
BEHIND = complex(-1.2, 2.0) / RADIUS * np.exp(-1.2j)
ALONG = complex(1.0, 0.3) / abs(complex(1.0, 0.3))


def place(z):
    return [complex(z).real, complex(z).imag]


ARC = {"start": place(4 + RADIUS * BEHIND), "axis": place(1j * BEHIND), "segments": [{"turn": 2.4, "radius": RADIUS}]}
LINE = {"start": place(2.8 + 2j - 3 * ALONG), "axis": place(ALONG), "segments": [{"length": 2}, {"length": 4}]}
SAME = {"arc": (ARC, {"center": "D"}), "line": (LINE, {"axis": [1.0, 0.3]})}

#: Unevenly spaced points of a wavy curve through C.
T = np.array([-1.2, -1.0, -0.7, -0.5, -0.2, 0.0, 0.1, 0.4, 0.6, 0.9, 1.1])
WAVY = 4 + complex(-1.2, 2.0) * np.exp(1j * T) * (1 + 0.05 * np.sin(4 * T))
SPLINE = {"through": [place(z) for z in WAVY]}
WINDING = {"through": [place(2.8 + 2j + ALONG * (2j * t + 0.1 * np.sin(4 * t))) for t in T]}


def built(slot, links=COUPLER, joints=None, pin="C", on="ground", **more):
    held = {name for link in links.values() for name in (link["points"] if isinstance(link, dict) else link)}
    return sk.Mechanism(
        points={name: at for name, at in POINTS.items() if name in held},
        links=links,
        joints={"slot": {"type": "pin-in-slot", "pin": pin, "slot": on, **slot}, **(joints or {})},
        drivers={"motor": {"joint": "A", "law": "0.4636476 + 0.3*sin(t)"}},
        duration=6.0,
        **more,
    )


@pytest.mark.parametrize(("shape", "options"), few(itertools.product(SAME, METHODS), 7))
def test_an_arc_is_a_circular_slot_and_a_line_a_straight_one(shape, options):
    curved, simple = (built(slot) for slot in SAME[shape])
    a, b = curved.solve(samples=60, **options), simple.solve(samples=60)
    assert a.ok.all() and a.residual().max() < 1e-14
    for quantity in ("position", "velocity", "acceleration", "jerk", "K", "L"):
        for point in "BCP":
            found, expected = getattr(a, quantity)(point), getattr(b, quantity)(point)
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("shape", SAME)
def test_forces_are_those_of_the_simple_slot(shape):
    a, b = (built(slot).solve(samples=20).forces() for slot in SAME[shape])
    for joint, link in (("slot", "coupler"), ("B", "coupler")):
        np.testing.assert_allclose(a.reaction(joint, link), b.reaction(joint, link), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(a.driver("motor"), b.driver("motor"), rtol=1e-9, atol=1e-9)


CASES = {
    "slot in the driven crank, pin on a rocker": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "rocker": ["D", "C", "P"]}, "C", "crank", {},
    ),
    "slot in the link that is found, pin on the crank": (
        {"ground": ["A", "D"], "crank": ["A", "C"], "rocker": ["D", "E", "P"]}, "C", "rocker", {},
    ),
    "pin on a slide": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "slide": ["C", "P"]}, "C", "crank",
        {"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0.3]}},
    ),
    "in a larger group": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "P"], "plate": ["P", "C", "E"]}, "C", "ground",
        {"other": {"type": "pin-in-slot", "pin": "E", "slot": "ground", "axis": [1, 0.2]}},
    ),
    "on a pin that two links share": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "push": ["C", "E"], "slide": ["E"]}, "C",
        "ground", {"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}},
    ),
    "on a pin that a second slot leads": (
        {"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["C", "P"], "push": ["C", "E"], "slide": ["E"],
         "other": ["P"]}, "C", "crank",
        {"second": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "axis": [1, 0.1]},
         "guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]},
         "other": {"type": "prismatic", "links": ["other", "ground"], "axis": [1, 0.1]}},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "options"), few(itertools.product(CASES, METHODS), 7, 12))
def test_a_spline_by_newton_on_the_whole_system(case, options):
    links, pin, on, joints = CASES[case]
    m = built(WINDING, links, joints, pin, on)
    motion, samples = m.solve(samples=60, **options), np.arange(0, 60, 7)
    assert motion.ok.all() and motion.residual().max() < 1e-13
    whole = solve_whole(m, motion, samples)
    assert whole.converged.all()
    for quantity, worst in whole.compare(motion, samples).items():
        assert np.max(worst) < 1e-10, quantity
    # the jerk, by differences of fourth order
    h = 1e-3
    away = m.solve(t=np.array([2.0 + k * h for k in (-2, -1, 0, 1, 2)]), **options)
    a = away.acceleration(pin)
    expected = (a[0] - 8 * a[1] + 8 * a[3] - a[4]) / (12 * h)
    np.testing.assert_allclose(away.jerk(pin)[2], expected, rtol=1e-6, atol=1e-7)


def test_a_spline_by_its_roots():
    """Scipy's natural quintic spline of the chords meets the circle about B."""
    motion = built(SPLINE).solve(samples=25)
    u = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(WAVY)))))
    curve = make_interp_spline(u, np.stack((WAVY.real, WAVY.imag), axis=1), bc_type=([(3, 0.0), (4, 0.0)],) * 2, k=5)
    reach, near = np.hypot(1.8, 1.5), u[5]
    for b, c in zip(motion.position("B"), motion.position("C"), strict=True):
        near = brentq(lambda s, b=b: np.hypot(*(curve(s) - b)) - reach, near - 0.3, near + 0.3, xtol=1e-14)
        np.testing.assert_allclose(c, curve(near), atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_at_the_border_of_a_line_and_an_arc_the_arc_applies_by_every_method(seed):
    """Acceleration jumps there, and the pin begins there: rounding of its pose must not decide on the side."""
    rng = np.random.default_rng(seed)
    turn, shift, length = np.exp(2j * np.pi * rng.random()), complex(*rng.uniform(-1, 1, 2)), rng.uniform(1, 3)
    points = {name: place(shift + turn * complex(*POINTS[name])) for name in "ABCDP"}
    before = shift + turn * (complex(*POINTS["C"]) - length * ALONG)
    segments = [{"length": length}, {"turn": 1.0, "radius": 2.0}]
    slot = {"type": "pin-in-slot", "pin": "C", "slot": "ground", "start": place(before), "axis": place(turn * ALONG)}
    drivers = {"motor": {"joint": "A", "speed": 1.0 - 2 * (seed % 2)}}
    m = sk.Mechanism(
        points=points, links=COUPLER, joints={"slot": {**slot, "segments": segments}}, drivers=drivers, duration=0.1
    )
    # The normal acceleration of a pin at speed v on the arc, of radius 2 to its left.
    motion = m.solve(3)
    v, a = (complex(*rate[0]) for rate in (motion.velocity("C"), motion.acceleration("C")))
    assert abs((a / (turn * ALONG)).imag - abs(v) ** 2 / 2) < 1e-12
    for options in METHODS:
        other = m.solve(3, **options)
        np.testing.assert_allclose(other.acceleration("C"), motion.acceleration("C"), atol=1e-11)


@pytest.mark.full
def test_a_pin_goes_round_a_closed_slot():
    """An arm turns in a slot of two lines and two half circles; a block on it carries the pin."""
    m = sk.Mechanism(
        points={"O": (0, 0), "Q": (1.0, 0.6), "R": (2.0, 1.2)},
        links={"ground": ["O"], "arm": ["O", "R"], "block": {"points": ["Q"], "mass": 1.5, "inertia": 0.1}},
        joints={
            "track": {
                "type": "pin-in-slot", "pin": "Q", "slot": "ground", "start": [0, -0.6], "axis": [1, 0], "closed": True,
                "segments": [{"length": 1}, {"turn": np.pi, "radius": 0.6}, {"length": 2},
                             {"turn": np.pi, "radius": 0.6}, {"length": 1}],
            },
            "guide": {"type": "prismatic", "links": ["block", "arm"], "along": ["O", "R"], "at": "Q"},
        },
        drivers={"motor": {"joint": "O", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve(samples=91)
    x, y = motion.position("Q").T
    assert motion.ok.all() and m.limits("motor").turns_fully
    np.testing.assert_allclose(np.hypot(np.maximum(np.abs(x) - 1, 0), y), 0.6, atol=1e-13)
    np.testing.assert_allclose(motion.position("Q")[-1], motion.position("Q")[0], atol=1e-12)
    assert len(m.joints["track"].remarks) == 4
    power = np.sum(1.5 * motion.velocity("Q") * motion.acceleration("Q"), axis=1)
    np.testing.assert_allclose(motion.forces().driver_power("motor"), power, atol=1e-9)


@pytest.mark.parametrize("sense", [1, -1])
@pytest.mark.parametrize("options", [{}, {"method": "global"}])
def test_the_travel_along_a_closed_slot_goes_on_from_lap_to_lap(sense, options):
    """Each quarter of a turn is a quarter of the slot, however far apart the samples are, and on the way back too."""
    radius, line = 0.1, 0.2
    half = [{"length": line}, {"turn": sense * np.pi, "radius": radius}]
    track = {"start": (-line / 2, -sense * radius), "axis": (1, 0), "segments": [*half, *half], "closed": True}
    m = sk.Mechanism(
        points={"O": (0, 0), "X": (1, 0), "P": (line / 2 + radius, 0)},
        links={"ground": ["O"], "crank": ["O", "X"], "pin": ["P"]},
        joints={
            "arm": {"type": "pin-in-slot", "pin": "P", "slot": "crank", "along": ["O", "X"], "on": "pin"},
            "track": {"type": "pin-in-slot", "pin": "P", "slot": "ground", "on": "pin", **track},
        },
        drivers={"motor": {"joint": "O", "speed": 1}, "level": {"links": ["ground", "pin"], "law": "0"}},
    )
    quarters = np.array([0, 1, 2, 3, 5, 7, 8, 18, 17, 4, -6])
    motion = m.solve(drivers={"motor": quarters * np.pi / 2, "level": np.zeros(len(quarters))}, **options)
    whole = sense * (2 * line + 2 * np.pi * radius)
    assert motion.travel("track") == pytest.approx(quarters * whole / 4, abs=1e-12)


def test_limits_are_where_the_link_is_normal_to_the_slot():
    m = built(SPLINE)
    limits = m.limits("motor")
    u = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(WAVY)))))
    curve = make_interp_spline(u, np.stack((WAVY.real, WAVY.imag), axis=1), bc_type=([(3, 0.0), (4, 0.0)],) * 2, k=5)
    motion = m.solve(t=np.zeros(1), drivers={"motor": limits.upper.value - 1e-8})
    (b,), (c,) = motion.position("B"), motion.position("C")
    s = u[-1] * np.linspace(0, 1, 20001)
    tangent = curve(s[np.argmin(np.hypot(*(curve(s) - c).T))], 1)
    assert abs(np.dot(tangent, c - b)) < 2e-3 * np.hypot(*tangent) * np.hypot(*(c - b))


def test_the_slot_ends_like_a_straight_one():
    curved = {"start": place(2.8 + 2j - 0.02 * ALONG), "axis": place(ALONG), "segments": [{"length": 0.1}]}
    a, b = built(curved), built({"axis": [1.0, 0.3], "stroke": [-0.02, 0.08]})
    one, other = (m.solve(samples=40) for m in (a, b))
    assert 0 < one.ok.sum() < 40
    assert one.report == other.report
    np.testing.assert_allclose(one.travel("slot"), other.travel("slot"), atol=1e-12)
    for end in ("lower", "upper"):
        assert getattr(a.limits("motor"), end).value == pytest.approx(getattr(b.limits("motor"), end).value, abs=1e-10)


@pytest.mark.parametrize("samples", [25, 49])
def test_what_a_motion_costs_hardly_depends_on_its_samples(samples, monkeypatch):
    """The rollers of the door are in slots along lines and arcs; such slots took 12 s for 25 samples."""
    calls, foot = [], PlaneCurve.foot
    monkeypatch.setattr(PlaneCurve, "foot", lambda *given: calls.append(1) or foot(*given))
    assert sk.load(path("garage_door")).solve(samples).ok.all()
    assert 0 < len(calls) <= 1000


@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_it_swings_freely(formulation):
    links = {**COUPLER, "crank": {"points": ["A", "B"], "mass": 1.0, "center": (0.5, 0.25), "inertia": 0.2}}
    m = sk.Mechanism(
        points={name: POINTS[name] for name in "ABCDP"},
        links=links,
        joints={"slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", **SPLINE}},
        drivers={"motor": {"joint": "A"}},
        initial={"motor": {"speed": 0.4}},
    )
    run = m.simulate(1.0, samples=6, formulation=formulation)
    energy = sum(
        body.mass * np.sum(run.velocity(body.center, name) ** 2, axis=1) + body.inertia * run.omega(name) ** 2
        for name, body in run.mechanism.links.items() if name != "ground"
    )  # fmt: skip
    np.testing.assert_allclose(energy, energy[0], rtol=1e-6)


def test_assemblies_report_that_there_may_be_more():
    found = built(SPLINE).assemblies()
    assert len(list(found)) == 2
    assert "it has curved slots: its modes are not enumerated" in str(found.report)


FAULTS = {
    "has axis and through": {"axis": [1, 0], **SPLINE},
    "segments need a start and an axis": {"segments": [{"length": 2}]},
    r"segments\[2\]: expected a line with a length, or an arc": {**LINE, "segments": [{"length": 2}, {"turn": 1}]},
    r"segments\[1\]: unknown key 'lenght'": {**LINE, "segments": [{"lenght": 2}]},
    r"segments\[1\].radius: expected a length greater than zero": {**LINE, "segments": [{"turn": 1, "radius": -1}]},
    "expected a list of segments, found the number 3": {**LINE, "segments": 3},
    "the closed slot ends 6 m from its start, after turning by 0 deg": {**LINE, "closed": True},
    "crosses itself near": {**LINE, "segments": [{"length": 6}, {"turn": 4, "radius": 0.5}, {"length": 2}]},
    "at least 3 points, found 2": {"through": [[0, 0], [1, 1]]},
    "at least 4 points, found 3": {"through": [[0, 0], [1, 1], [3, 1]], "closed": True},
    "points 2 and 3 coincide": {"through": [[2, 2], [3, 2.1], [3, 2.1], [4, 2]]},
    r"through\[2\]: 'C' is not a point of 'ground'": {"through": [[2, 2], "C", [4, 2]]},
    r"through\[1\]: expected two numbers": {"through": [[2], [3, 2], [4, 2]]},
    "expected a list of points, found the text": {"through": "A"},
    "the pin 'C' is 2.* from its slot": {"through": ["A", [1, -0.1], "D"]},
    r"segments\[1\]: the segment is 2 m long, the longest of the slot 1e\+30 m": {
        **LINE,
        "segments": [{"length": 2}, {"length": 1e30}],
    },
    r"through\[2\]: the chord to the next point is 1e-07 m long": {"through": [[2, 2], [3, 2], [3, 2.0000001], [4, 2]]},
    "slot.stroke: a curved slot ends where its curve ends": {"stroke": [-1, 1], **SPLINE},
    "the sketch is outside this stroke": {**LINE, "segments": [{"length": 2}]},
    "slot.closed: this slot has no closed": {"axis": [1, 0], "closed": True},
    "slot.start: this slot has no start": {"start": [1, 0], **SPLINE},
    "slot.radius: this slot has no radius": {"radius": 1.0, **SPLINE},
}


@pytest.mark.parametrize("message", FAULTS)
def test_bad_slots(message):
    with pytest.raises(sk.InputError, match=message):
        built(FAULTS[message])


@pytest.mark.parametrize("options", METHODS)
def test_no_sample_has_a_value_of_the_driver(options):
    """The rows of the curve took apart an array without samples: "cannot reshape array of size 0"."""
    for law, solved in (("sqrt(-1 - t)", 0), ("0.4636476 + 0.1*t + 0*sqrt(0.5 - t)", 1)):
        m = built(SPLINE).with_drivers({"motor": {"joint": "A", "law": law}})
        status = m.solve(4, duration=2, **options).status.tolist()
        assert status == [sk.Status.OK] * solved + [sk.Status.NO_INPUT] * (4 - solved)


# --- slots that cross themselves, and others ----------------------------------------------------------------------


def tracked(places, **more):
    """A crank, and a rod whose end runs in a slot through places; the middle one is where it is drawn."""
    B = places[len(places) // 2]
    A = B - 0.08j
    return sk.Mechanism(**{
        "points": {"O": place(A - 0.06), "A": place(A), "B": place(B)},
        "links": {"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"]},
        "joints": {"track": {"type": "pin-in-slot", "pin": "B", "slot": "ground",
                             "through": [place(z) for z in places], **more}},
        "drivers": {"m": {"joint": "O"}},
    })  # fmt: skip


def straight(count, digits, slope):
    x = np.linspace(0.0, 0.3, count)
    return np.round(x, 8) + 1j * np.round(slope * x + 0.1, digits)


@pytest.mark.parametrize(("count", "digits"), [(8, 6), (15, 6), (15, 7), (30, 7), (30, 9)])
def test_a_straight_track_that_is_rounded_does_not_cross_itself(count, digits):
    for slope in (0.0, 0.1, -0.37, 0.7, 1.9):
        tracked(straight(count, digits, slope))
    # The other way round as well.
    tracked(1j * straight(count, digits, 0.4)[::-1])


@pytest.mark.parametrize("count", [101, 501, 1001, 2001])
def test_a_curve_with_an_inflection_does_not_cross_itself_however_finely_it_is_given(count):
    x = np.linspace(-0.1, 0.2, count)
    tracemalloc.start()
    for y in (0.1 + 4 * (x - 0.05) ** 3, 0.1 + 0.02 * np.sin(30 * (x - 0.05)), 0.1 + 2 * (x - 0.05) ** 2):
        tracked(x + 1j * y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all chords beside all took 2 GB for 2,000 points


def cross(z, closed):
    """Whether one of the chords between points crosses another, in exact numbers."""
    P = [(Fraction(each.real), Fraction(each.imag)) for each in z.tolist()]

    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return any(
        side(*P[i : i + 2], P[j]) * side(*P[i : i + 2], P[j + 1]) < 0
        and side(*P[j : j + 2], P[i]) * side(*P[j : j + 2], P[i + 1]) < 0
        for i, j in itertools.combinations(range(len(P) - 1), 2)
        if j - i > 1 and not (closed and j - i == len(P) - 2)
    )


def test_slots_that_cross_themselves_are_those_whose_chords_do_in_exact_numbers(monkeypatch):
    monkeypatch.setattr(slot, "CHORDS", 60)
    rng, crossed = np.random.default_rng(3), 0
    for k in range(60):
        count, closed = int(rng.integers(4, 9)), bool(k % 2)
        places = np.cumsum(rng.normal(size=count) + 1j * rng.normal(size=count) + rng.choice(3))
        chords = np.abs(np.diff(places, append=places[:1]) if closed else np.diff(places))
        u = np.concatenate(([0.0], np.cumsum(chords))) * (TURN / chords.sum())
        u[-1] = TURN
        parts = (spline(u[:-1], x) if closed else open_spline(u, x) for x in (places.real, places.imag))
        curve = PlaneCurve(*parts, closed)
        found = any(True for _ in slot._crossings(curve))
        assert found == cross(curve.places(60), closed)
        crossed += found
    assert 10 < crossed < 50
