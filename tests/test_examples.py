"""Every example is a test: its file loads, its groups, closure and rates are right, and a known number agrees."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from solve.whole_system import solve_whole

import structkin as sk
from structkin.examples import crank_rocker, excavator_workspace, names, path, reachable_intervals, straight_line
from structkin.joints.cam import Cam
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.geneva import Geneva
from structkin.plan.compile import determines_all

ROOT = Path(__file__).resolve().parents[1]

#: Kinds of the groups in solve order, with their links.
GROUPS = {
    "andrews_squeezer": "driven R: K1; RRR: K2 K3; RRR: K4 K5; RRR: K6 K7",
    "cam_lever_press": "driven R: cam; R-C: lever; RRP: rod ram",
    "cam_roller_follower": "driven R: cam; P-C: follower",
    "crank_rocker": "driven R: crank; RRR: coupler rocker",
    "eight_bar_double_triad": "driven R: crank; class III order 4: leg1 leg2 leg3 leg4 left right",
    "elliptic_trammel": "general: bar horizontal vertical",
    "excavator": "RRR: boom boom_barrel boom_rod; RRR: arm arm_barrel arm_rod; driven R: rocker; RRR: link bucket",
    "five_bar_two_drivers": "driven R: left_crank; driven R: right_crank; RRR: left_rod right_rod",
    "garage_door": "driven P: roller; R-S: panel",
    "geared_five_bar": "driven R: left_crank; R-G: right_crank; RRR: left_rod right_rod",
    "geneva": "driven R: crank; R-C: wheel",
    "hoeken_straight_line": "driven R: crank; RRR: coupler rocker",
    "jansen_leg": "driven R: crank; RRR: j upper; RRR: k c; RRR: f foot",
    "klann_leg": "driven R: crank; RRR: rod lower; RRR: leg upper",
    "one_cylinder_engine": "driven R: crank; RRP: rod piston",
    "oldham_coupling": "driven R: input; RPP: disc output",
    "peaucellier": "driven R: crank; RRR: upper near_up; RRR: lower near_lo; RRR: far_up far_lo",
    "platform_3rpr": "general: plate",
    "platform_3rrr": "driven R: arm1; driven R: arm2; driven R: arm3; class III order 3: fore1 fore2 fore3 plate",
    "planetary_train": "driven R: sun; gear train: arm planet_1; R-G: planet_2; R-G: planet_3",
    "rack_and_pinion": "driven R: pinion; P-G: rack; RRR: left_rod left_arm; RRR: right_rod right_arm",
    "rapson_slide": "driven R: tiller; PRP: block crosshead",
    "rolling_lift_bridge": "driven K: leaf",
    "scotch_yoke": "driven R: crank; RPP: block yoke",
    "slider_crank_offset": "driven R: crank; RRP: rod piston",
    "stephenson_iii_triad": "driven R: crank; class III order 3: rod plate left right",
    "tipper_hoist": "general: body plate link",
    "toggle_press": "driven R: upper; RRP: lower ram",
    "triple_rocker": "driven R: crank; RRR: coupler rocker",
    "v_engine": "driven R: crank; RRP: right_rod right_piston; RRP: left_rod left_piston",
    "wafer_arm": "driven R: upper; R-G: forearm; R-G: hand",
    "watt_six_bar": "driven R: crank; RRR: bar rocker; RRR: link output",
    "whitworth_shaper": "driven R: crank; RPR: block lever; RRP: rod ram",
}

every_example = pytest.mark.parametrize("name", names())


@cache
def full(name: str) -> sk.Motion:
    """The motion over the declared range."""
    return sk.load(path(name)).solve(samples=361)


def sketch(name: str) -> dict[str, complex]:
    """The points as written in the file, in its own unit of length."""
    data = tomllib.loads(path(name).read_text(encoding="utf-8"))
    return {point: complex(*place) for point, place in data["points"].items()}


def at(motion: sk.Motion, point: str) -> Any:
    """The path of a point (n,) as x + iy, in the file's unit of length."""
    return motion.position(point) @ (1, 1j) / motion.mechanism.units.length_scale


def meet(a: Any, ra: float, b: Any, rb: float, side: int) -> Any:
    """The intersection of the circles about a and b: left of the line from a to b for side = 1, else right of it."""
    base = np.abs(b - a)
    x = (ra**2 - rb**2 + base**2) / (2 * base)
    return a + (x + 1j * side * np.sqrt(ra**2 - x**2)) * (b - a) / base


def side(a: complex, b: complex, c: complex) -> int:
    """The side of the line from a to b on which c lies in the sketch."""
    return 1 if ((b - a).conjugate() * (c - a)).imag > 0 else -1


def carried(a: Any, b: Any, points: dict[str, complex], link: str) -> Any:
    """The position of the third point of a link, given the first two: `link` names all three."""
    p, q, r = (points[name] for name in link)
    return a + (b - a) * (r - p) / (q - p)


def close(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    """Compare, relative to the largest expected number."""
    assert np.max(np.abs(found - expected)) <= tolerance * np.max(np.abs(expected))


# --- every example ------------------------------------------------------------------------------------------


def test_all_examples_are_known():
    assert set(names()) == set(GROUPS)


@every_example
def test_groups(name):
    structure = sk.load(path(name)).structure()
    assert determines_all(structure)  # joints may be redundant, as in a gear with three planets
    assert "; ".join(f"{group.kind}: {' '.join(group.links)}" for group in structure.groups) == GROUPS[name]


@every_example
def test_closes_over_its_declared_range(name):
    motion = full(name)
    assert len(motion) == 361
    assert motion.ok.all(), motion.report
    assert np.max(motion.residual()) <= 1e-12


@pytest.mark.parametrize("name", [name for name in names() if sk.load(path(name)).duration is None])
def test_full_cycles_close(name):
    motion = full(name)
    for point in motion.mechanism.points:
        span = at(motion, point)
        assert abs(span[-1] - span[0]) <= 1e-11 * np.max(np.abs(span) + 1e-9)


def far_from_jumps(mechanism: sk.Mechanism, t: Any, distance: float) -> Any:
    """Times at least this far from any jump in the jerk of a cam or Geneva wheel or in a slot's curvature."""
    motion = mechanism.solve(t=np.concatenate((t, t - distance, t + distance)))
    same = np.ones(len(t), dtype=bool)
    for cam in mechanism.joints.of(Cam):
        law = mechanism.joints[cam].law.function
        piece = np.searchsorted(law.breaks, motion.cam(cam).angle % (2 * np.pi), side="right").reshape(3, -1)
        same &= (piece == piece[0]).all(axis=0)
    for id, slot in mechanism.joints.of(CurveSlot).items():
        ends = slot.curve.travel(slot.curve.x.breaks) - slot.start
        piece = np.searchsorted(ends, motion.travel(id), side="right").reshape(3, -1)
        same &= (piece == piece[0]).all(axis=0)
    for wheel in mechanism.joints.of(Geneva):
        phase = motion.geneva(wheel).engaged.reshape(3, -1)
        same &= (phase == phase[0]).all(axis=0)
    assert same.sum() > 15
    return same


@every_example
def test_rates_agree_with_differences_of_sixth_order(name):
    mechanism = sk.load(path(name))
    duration = full(name).t[-1]
    h, stencil = duration / 1000, np.arange(-3, 4)
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / (60 * h)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / (180 * h * h)
    centers = np.linspace(0.013, 0.987, 23) * duration
    centers = centers[far_from_jumps(mechanism, centers, 4 * h)]
    motion = mechanism.solve(t=(centers[:, None] + h * stencil).ravel(), strict=True)

    def compare(values: Any, rates: Any, seconds: Any, least: float) -> float:
        x, v, a = (part.reshape(len(centers), 7, -1).transpose(1, 0, 2) for part in (values, rates, seconds))
        assert np.max(np.abs(np.tensordot(first, x, 1) - v[3])) <= 3e-9 * speed
        assert np.max(np.abs(np.tensordot(second, x, 1) - a[3])) <= 3e-9 * max(np.max(np.abs(a)), least)

    speed = max(np.max(np.abs(motion.velocity(point))) for point in mechanism.points)
    pull = max(np.max(np.abs(motion.acceleration(point))) for point in mechanism.points)
    for point in mechanism.points:
        compare(motion.position(point), motion.velocity(point), motion.acceleration(point), pull)
    speed = max(np.max(np.abs(motion.omega(link))) for link in mechanism.links)
    for link in mechanism.links:
        compare(motion.angle(link), motion.omega(link), motion.alpha(link), speed**2)


@every_example
def test_agrees_with_newton_on_the_whole_system(name):
    """All joints and drivers at once, by a check that shares no code with the groups."""
    motion, samples = full(name), np.arange(0, 361, 12)
    whole = solve_whole(motion.mechanism, motion, samples)
    assert whole.converged.all()
    worst = whole.compare(motion, samples)
    assert np.max(worst["position"]) <= 1e-12
    assert np.max(worst["velocity"]) <= 1e-11
    assert np.max(worst["acceleration"]) <= 1e-10
    first, second = whole.compare_coefficients(motion, samples)
    assert np.max(first) <= 1e-11
    assert np.max(second) <= 1e-10


@every_example
def test_the_file_describes_itself(name):
    text = path(name).read_text(encoding="utf-8")
    head = text.split("\ntitle")[0]
    assert all(line.startswith("#") or not line for line in head.splitlines())
    assert "Look at:" in head
    assert "Dimensions" in head
    assert sk.load(path(name)).title


@every_example
def test_the_gallery_shows_it(name):
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    section = re.split(rf"\(img/{name}\.(?:png|webp|gif)\)", text)
    assert len(section) == 2, "one picture each"
    title = sk.load(path(name)).title
    assert f"\n## {title}\n" in section[0]
    for group in sk.load(path(name)).structure().groups:
        assert group.kind in section[1].split("\n## ")[0] or group.kind in section[0].split("\n## ")[-1]


def test_the_gallery_shows_nothing_else():
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    diagrams = {f"{name}_{cam}" for name in names() for cam in sk.load(path(name)).joints.of(Cam)}
    diagrams |= {f"{name}_{what}" for name in names() for what in ("assemblies", "forces")}
    assert sorted(set(re.findall(r"img/(\w+)\.(?:png|webp|gif)", text)) - diagrams) == list(names())


@every_example
def test_same_mechanism_from_json(name, tmp_path):
    data = tomllib.loads(path(name).read_text(encoding="utf-8"))
    file = tmp_path / f"{name}.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    motion = sk.load(file).solve(samples=1)
    for point in motion.mechanism.points:
        assert np.max(np.abs(motion.position(point)[0] - full(name).position(point)[0])) <= 1e-13 * motion.size


def test_an_unknown_example_is_reported_with_a_hint():
    with pytest.raises(sk.InputError, match="jansen_leg"):
        path("jansen_log")


# --- four-bars and six-bars ---------------------------------------------------------------------------------


def test_crank_rocker_by_freudenstein():
    a, b, c, d = 40, 120, 80, 100
    motion = full("crank_rocker")
    theta = motion.angle("crank")
    k1, k2, k3 = d / a, d / c, (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
    p = (1 - k2) * np.cos(theta) - k1 + k3
    q = -2 * np.sin(theta)
    r = k1 - (1 + k2) * np.cos(theta) + k3
    phi = 2 * np.arctan2(-q - np.sqrt(q**2 - 4 * p * r), 2 * p)
    close(np.exp(1j * motion.angle("rocker")), np.exp(1j * phi))
    # at the ends of the swing crank and coupler are aligned
    ends = [np.arccos((c**2 + d**2 - (b + s * a) ** 2) / (2 * c * d)) for s in (1, -1)]
    assert np.ptp(motion.angle("rocker")) == pytest.approx(ends[0] - ends[1], rel=1e-4)
    close(np.abs(at(motion, "P") - at(motion, "B")), 70)
    close(np.abs(at(motion, "P") - at(motion, "C")), 90)


def test_hoeken_is_straight_for_half_a_turn():
    motion = full("hoeken_straight_line")
    crank = 20 * np.exp(1j * motion.angle("crank"))
    b = meet(crank, 50, 40, 50, 1)
    close(at(motion, "P"), crank + 2 * (b - crank))
    assert at(motion, "P")[0] == pytest.approx(40 + 80j, rel=1e-14)
    half = crank.real <= 0
    assert np.max(np.abs(at(motion, "P").imag[half] - 80)) < 0.2
    assert np.ptp(at(motion, "P").real[half]) == pytest.approx(4 * 20, rel=0.01)


def test_watt_six_bar_by_two_four_bars():
    motion = full("watt_six_bar")
    s = sketch("watt_six_bar")
    b = 40 * np.exp(1j * motion.angle("crank"))
    c = meet(b, 120, 100, 80, side(s["B"], s["D"], s["C"]))
    e = meet(100, 100, c, 143, side(s["D"], s["C"], s["E"]))
    f = meet(e, 50, 160 - 30j, 40, side(s["E"], s["G"], s["F"]))
    for point, place in {"B": b, "C": c, "E": e, "F": f}.items():
        close(at(motion, point), place)
    assert np.degrees(np.ptp(motion.angle("rocker"))) == pytest.approx(73.8, abs=0.1)
    assert np.degrees(np.ptp(motion.angle("output"))) == pytest.approx(185.7, abs=0.1)


def test_stephenson_triad_inversely_from_its_four_bar():
    """The plate is placed by the angle of a rocker; then the rod must have its length."""
    motion, s = full("stephenson_iii_triad"), sketch("stephenson_iii_triad")
    b = abs(s["B"]) * np.exp(1j * motion.angle("left"))
    c = meet(b, abs(s["C"] - s["B"]), s["D"], abs(s["C"] - s["D"]), side(s["B"], s["D"], s["C"]))
    p, m = carried(b, c, s, "BCP"), carried(b, c, s, "BCM")
    for point, place in {"B": b, "C": c, "P": p, "M": m}.items():
        close(at(motion, point), place)
    f = s["E"] + 30 * np.exp(1j * motion.angle("crank"))
    close(np.abs(p - f), abs(s["P"] - s["F"]))


def test_platform_on_cylinders_has_the_published_angles():
    """The six platform angles of the case, and along the motion the three lengths."""
    m, motion = sk.load(path("platform_3rpr")), full("platform_3rpr")
    angles = np.degrees([item.angle("plate") for item in m.assemblies()])
    assert angles == pytest.approx((-56.55, -2.71, 14.06, 33.56, 57.41, 122.21), abs=0.006)
    for pivot, corner, drive in (("A1", "B1", "left"), ("A2", "B2", "right"), ("A3", "B3", "top")):
        close(np.abs(at(motion, corner) - at(motion, pivot)), 100 * motion.drivers[drive][0])


def test_platform_on_arms_by_its_inverse_kinematics():
    """Given the plate, each arm follows from two circles."""
    motion, s = full("platform_3rrr"), sketch("platform_3rrr")
    for k in "123":
        elbow = meet(s[f"A{k}"], 80, at(motion, f"C{k}"), 150, side(s[f"A{k}"], s[f"C{k}"], s[f"B{k}"]))
        close(at(motion, f"B{k}"), elbow)
    close(np.abs(at(motion, "C1") - at(motion, "M")), 90)


def test_double_triad_inversely_from_its_plates():
    """Each plate with its two legs is a four-bar: placed by the angles of two legs, both give the same pin C."""
    motion, s = full("eight_bar_double_triad"), sketch("eight_bar_double_triad")
    a = s["O"] + 8 * np.exp(1j * motion.angle("crank"))
    p = a + abs(s["P"] - s["A"]) * np.exp(1j * motion.angle("leg1"))
    q = meet(p, abs(s["Q"] - s["P"]), s["B"], abs(s["Q"] - s["B"]), side(s["P"], s["B"], s["Q"]))
    r = s["D"] + abs(s["R"] - s["D"]) * np.exp(1j * motion.angle("leg3"))
    e = meet(r, abs(s["S"] - s["R"]), s["E"], abs(s["S"] - s["E"]), side(s["R"], s["E"], s["S"]))
    for point, place in {"P": p, "Q": q, "R": r, "S": e}.items():
        close(at(motion, point), place)
    close(carried(p, q, s, "PQC"), carried(r, e, s, "RSC"))


def test_tipper_inversely_from_its_body():
    """The body is placed by its angle; then the cylinder must have its length."""
    motion, s = full("tipper_hoist"), sketch("tipper_hoist")
    b = s["B"] * np.exp(1j * (motion.angle("body") - motion.angle("body")[0]))
    b *= at(motion, "B")[0] / s["B"]  # the law starts slightly off the sketch
    c = meet(b, abs(s["C"] - s["B"]), s["D"], abs(s["C"] - s["D"]), side(s["B"], s["D"], s["C"]))
    close(at(motion, "C"), c)
    g = carried(b, c, s, "BCG")
    close(np.abs(g - s["F"]), 1150 - 213 * np.cos(2 * np.pi * motion.t / 20))
    assert np.degrees(np.ptp(motion.angle("body"))) == pytest.approx(45.3, abs=0.1)


# --- legs ---------------------------------------------------------------------------------------------------


def test_jansen_leg_by_circles():
    """Jansen's holy numbers (strandbeest.com), joint by joint."""
    motion = full("jansen_leg")
    pivot = -38 - 7.8j
    crank = 15 * np.exp(1j * motion.angle("crank"))
    upper = meet(crank, 50, pivot, 41.5, -1)
    outer = meet(upper, 55.8, pivot, 40.1, -1)
    lower = meet(crank, 61.9, pivot, 39.3, 1)
    knee = meet(outer, 39.4, lower, 36.7, -1)
    foot = meet(lower, 49, knee, 65.7, 1)
    for point, place in {"M": crank, "U": upper, "V": outer, "W": lower, "Y": knee, "P": foot}.items():
        close(at(motion, point), place)
    assert np.ptp(at(motion, "P").real) == pytest.approx(67.9, abs=0.05)
    assert np.ptp(at(motion, "P").imag) == pytest.approx(22.46, abs=0.05)


def test_klann_leg_by_circles():
    """US Patent 6,260,862, Table 1."""
    motion, s = full("klann_leg"), sketch("klann_leg")
    m = s["O"] + 0.268 * np.exp(1j * motion.angle("crank"))
    e = meet(m, abs(s["E"] - s["M"]), s["B"], abs(s["E"] - s["B"]), side(s["M"], s["B"], s["E"]))
    k = carried(m, e, s, "MEK")
    h = meet(k, abs(s["H"] - s["K"]), s["A"], abs(s["H"] - s["A"]), side(s["K"], s["A"], s["H"]))
    for point, place in {"E": e, "K": k, "H": h, "P": carried(k, h, s, "KHP")}.items():
        assert np.max(np.abs(at(motion, point) - place)) < 1e-12
    assert np.ptp(at(motion, "P").real) == pytest.approx(1.0088, abs=2e-4)
    assert np.ptp(at(motion, "P").imag) == pytest.approx(0.5274, abs=2e-4)
    # while the foot is down, it stays within 6 % of the stride for half a turn
    assert np.count_nonzero(at(motion, "P").imag < 0.02) >= 0.45 * len(motion)


# --- straight lines and sliders -----------------------------------------------------------------------------


def test_peaucellier_line_is_straight():
    motion = full("peaucellier")
    p, q = at(motion, "P"), at(motion, "Q")
    a, b, r = 5, 3, 1.6
    close(q.real, (a**2 - b**2) / (2 * r))
    close(np.abs(p) * np.abs(q), a**2 - b**2)
    # Q = (a^2 - b^2) P / |P|^2, and P is at half the crank's angle, seen from O
    half = np.radians(95) * np.sin(2 * np.pi * motion.t) / 2
    close(q, 5 * (1 + 1j * np.tan(half)))
    assert np.ptp(q.imag) > 10


def test_slider_crank_stroke():
    r, rod, e = 50, 145, 24
    motion = full("slider_crank_offset")
    theta = motion.angle("crank")
    close(at(motion, "C").real, r * np.cos(theta) + np.sqrt(rod**2 - (e - r * np.sin(theta)) ** 2))
    close(at(motion, "C").imag, e)
    ends = np.array([np.arcsin(e / (rod + r)), np.pi + np.arcsin(e / (rod - r))])
    zero = np.zeros(2)
    dead = motion.mechanism.solve(drivers={"motor": (ends, zero + 1, zero)})
    assert np.max(np.abs(dead.velocity("C"))) < 1e-15
    stroke = np.sqrt((rod + r) ** 2 - e**2) - np.sqrt((rod - r) ** 2 - e**2)
    assert -np.diff(at(dead, "C").real)[0] == pytest.approx(stroke, rel=1e-13)
    close(at(motion, "S"), (at(motion, "B") + at(motion, "C")) / 2)
    close(motion.travel("guide"), motion.position("C")[:, 0] - 0.16871)


def test_whitworth_time_ratio_is_two():
    motion = full("whitworth_shaper")
    b = 50j + 100 * np.exp(1j * motion.angle("crank"))
    lever = b / np.abs(b)
    e = -80 * lever
    close(at(motion, "E"), e)
    close(at(motion, "F"), e.real + np.sqrt(170**2 - e.imag**2))
    beta = np.arcsin(50 / 100)
    ends = np.array([-beta, np.pi + beta])
    zero = np.zeros(2)
    dead = motion.mechanism.solve(drivers={"motor": (ends, zero + 1, zero)})
    assert np.max(np.abs(dead.velocity("F"))) < 1e-15
    close(at(dead, "F").real, np.array([90.0, 250.0]))
    fine = motion.mechanism.solve(t=(np.arange(3600) + 0.5) / 1800)
    forth = np.count_nonzero(fine.velocity("F")[:, 0] > 0)
    assert forth / (3600 - forth) == pytest.approx((np.pi + 2 * beta) / (np.pi - 2 * beta), rel=1e-12)
    assert forth == 2400
    assert np.ptp(motion.angle("lever")) == pytest.approx(2 * np.pi, rel=1e-13)


def test_v_engine_pistons_are_a_quarter_turn_apart():
    motion = full("v_engine")
    theta = motion.angle("crank")
    for point, bank in (("C1", np.pi / 4), ("C2", 3 * np.pi / 4)):
        x = theta - bank
        close(at(motion, point), np.exp(1j * bank) * (40 * np.cos(x) + np.sqrt(130**2 - (40 * np.sin(x)) ** 2)))
    right, left = np.abs(at(motion, "C1")), np.abs(at(motion, "C2"))
    close(left[90:], right[:-90])
    assert [len(joint.links) for joint in motion.mechanism.topology.joints if joint.id == "B"] == [3]


def test_scotch_yoke_is_a_cosine():
    motion = full("scotch_yoke")
    close(at(motion, "T"), 90 + 30 * np.cos(motion.angle("crank")))
    close(motion.velocity("T")[:, 0], -0.03 * 2 * np.pi * np.sin(motion.angle("crank")))


def test_oldham_shafts_turn_alike():
    motion = full("oldham_coupling")
    close(motion.omega("output"), 2 * np.pi)
    close(np.abs(at(motion, "C") - 5), 5)
    turns = np.unwrap(np.angle(at(motion, "C") - 5))
    assert turns[-1] - turns[0] == pytest.approx(4 * np.pi)


def test_rapson_slide_is_a_tangent():
    motion = full("rapson_slide")
    rudder = np.radians(35) * np.sin(2 * np.pi * motion.t / 10)
    close(at(motion, "B"), 600j - 600 * np.tan(rudder))
    close(motion.travel("guide"), 0.6 * np.tan(rudder))


def test_trammel_draws_an_ellipse():
    motion = full("elliptic_trammel")
    angle = motion.angle("bar")
    close(at(motion, "P"), -150 * np.cos(angle) - 50j * np.sin(angle))
    close(at(motion, "U"), -100 * np.cos(angle))
    close(at(motion, "V"), 100j * np.sin(angle))
    close(motion.omega("bar"), 2 * np.pi)


def test_toggle_press_by_the_law_of_cosines():
    motion = full("toggle_press")
    d = 470 - 70 * np.cos(np.pi * motion.t)
    foot, top = -550 + 400j, 600j
    base = abs(top - foot)
    # at A: between the line to the cylinder's foot and the upper link
    corner = np.arccos((250**2 + base**2 - d**2) / (2 * 250 * base))
    tilt = corner - np.arccos((top - foot).imag / base)  # of the link, from straight down towards the foot
    knee = top + 250 * np.exp(1j * (-np.pi / 2 + tilt))
    ram = 600 - 500 * np.cos(tilt)
    close(at(motion, "B"), knee)
    close(at(motion, "C"), 1j * ram)
    # gain: d(ram) = 500 sin(tilt) d(tilt), and d d(d) = 250 base sin(corner) d(tilt)
    moving = slice(1, 180)
    ratio = motion.velocity("C")[moving, 1] / motion.drivers["cylinder"][1][moving]
    expected = 500 * np.sin(tilt) / (250 * base * np.sin(corner) / d)
    close(ratio, expected[moving], 1e-11)
    gain = np.abs(1 / expected)
    assert gain[0] == pytest.approx(2 / 3)
    assert np.max(gain) == pytest.approx(10.16, abs=0.01)


def test_engine_gives_the_work_of_its_gas():
    """In two turns the crank takes the gas work minus the seal's friction; the frame feels only the masses."""
    motion = sk.load(path("one_cylinder_engine")).solve(samples=14401)
    forces = motion.forces()
    v = motion.velocity("C")[:, 1]
    gas = motion.mechanism.forces.springs["gas"].actuator
    given = np.trapezoid(gas(motion.t)[0] * v - 40 * np.tanh(v / 0.2) * v, motion.t)
    taken = -np.trapezoid(forces.driver("motor") * 100 * np.pi, motion.t)
    assert taken == pytest.approx(given, rel=1e-6)
    momentum = sum(body.mass * motion.acceleration(body.center, body.link) for body in forces.bodies)
    weight = 9.81 * sum(body.mass for body in forces.bodies)
    close(forces.shaking_force, -momentum - [0, weight], 1e-10)


# --- several drivers ----------------------------------------------------------------------------------------


def test_five_bar_by_circles():
    motion = full("five_bar_two_drivers")
    assert motion.structure.mobility == 2
    assert motion.t[-1] == pytest.approx(2.0, rel=1e-14)
    b = 30 * np.exp(1j * (np.pi / 2 + 2 * np.pi * motion.t))
    d = 100 + 30 * np.exp(1j * (np.pi / 2 - 3 * np.pi * motion.t))
    close(at(motion, "C"), meet(b, 100, d, 100, 1), 1e-11)


def test_excavator_by_trigonometry():
    """Every angle by the law of cosines from the lengths of the cylinders, from the machine to the tip."""
    motion, s = full("excavator"), sketch("excavator")
    turn = 2 * np.pi * motion.t / 12
    boom_cylinder = abs(s["C"] - s["B"]) + 0.225 * (np.cos(turn) - 1)
    arm_cylinder = abs(s["F"] - s["E"]) + 0.25 * np.sin(turn)
    bucket_cylinder = 1.65 + 0.2 * np.sin(2 * turn)

    def corner(a: Any, b: Any, opposite: Any) -> Any:
        return np.arccos((a**2 + b**2 - opposite**2) / (2 * a * b))

    def swung(pivot: str, fixed: str, moving: str, cylinder: Any) -> Any:
        """The rotation of a link about its pivot from the sketch, for this length of its cylinder."""
        a, b = abs(s[fixed] - s[pivot]), abs(s[moving] - s[pivot])
        sense = side(s[pivot], s[fixed], s[moving])
        return sense * (corner(a, b, cylinder) - corner(a, b, abs(s[moving] - s[fixed])))

    boom = swung("A", "B", "C", boom_cylinder)
    arm = swung("D", "E", "F", arm_cylinder)
    rocker = swung("L", "H", "K", bucket_cylinder)
    turned = np.exp(1j * boom)
    d = s["A"] + (s["D"] - s["A"]) * turned
    turned = turned * np.exp(1j * arm)
    g, rocker_foot = (d + (s[point] - s["D"]) * turned for point in "GL")
    k = rocker_foot + (s["K"] - s["L"]) * turned * np.exp(1j * rocker)
    m = meet(k, abs(s["M"] - s["K"]), g, abs(s["M"] - s["G"]), side(s["K"], s["G"], s["M"]))
    places = {"D": d, "G": g, "L": rocker_foot, "K": k, "M": m, "T": carried(g, m, s, "GMT")}
    for point, place in places.items():
        close(at(motion, point), place, 1e-11)
    close(motion.travel("boom_bore"), boom_cylinder - boom_cylinder[0], 1e-11)
    assert motion.structure.mobility == 3
    assert [group.composite_links for group in motion.structure.groups[:2]] == [
        (("boom_barrel", "boom_rod"),),
        (("arm_barrel", "arm_rod"),),
    ]


# --- gears --------------------------------------------------------------------------------------------------


def test_geared_five_bar_by_circles():
    motion, points = full("geared_five_bar"), sketch("geared_five_bar")
    turn = 2 * np.pi * motion.t
    b = points["A"] + (points["B"] - points["A"]) * np.exp(1j * turn)
    c = points["D"] + (points["C"] - points["D"]) * np.exp(-0.5j * turn)
    B, P, C = points["B"], points["P"], points["C"]
    close(at(motion, "P"), meet(b, abs(P - B), c, abs(P - C), side(B, C, P)))
    x = at(motion, "P")
    assert abs(x[-1] - x[0]) < 1e-10 < 1 < abs(x[180] - x[0])


def test_planetary_train_by_willis_equation():
    """(n_sun - n_arm) / (n_ring - n_arm) = -z_ring / z_sun; points of the planets draw hypotrochoids of the ring."""
    motion = full("planetary_train")
    w = 2 * np.pi
    arm = w / (1 + 60 / 24)
    close(motion.omega("arm"), arm)
    for k in (1, 2, 3):
        close(motion.omega(f"planet_{k}"), arm * (1 - 60 / 18))
        start = sketch("planetary_train")
        p, q = start[f"P{k}"], start[f"Q{k}"]
        close(
            at(motion, f"Q{k}"), p * np.exp(1j * arm * motion.t) + (q - p) * np.exp(1j * arm * (1 - 60 / 18) * motion.t)
        )
    close(motion.K("arm")[:, 0], 24 / 84)
    redundant = {one.id for one in motion.structure.over}
    assert redundant == {"ring_2", "ring_3"} and motion.structure.topology.mobility_count == -1


def test_steering_rack_travels_radius_times_angle():
    motion, points = full("rack_and_pinion"), sketch("rack_and_pinion")
    angle = np.deg2rad(120) * np.sin(np.pi * motion.t / 2)
    close(1000 * motion.travel("guide"), 20 * angle)
    for a, k, t in (("AL", "KL", "TL"), ("AR", "KR", "TR")):
        rod, arm = abs(points[a] - points[t]), abs(points[a] - points[k])
        found = meet(points[t] + 20 * angle, rod, points[k], arm, side(points[t], points[k], points[a]))
        close(at(motion, a), found)


def test_wafer_arm_is_straight():
    motion = full("wafer_arm")
    angle = np.deg2rad(60 - 45 * np.sin(np.pi * motion.t / 2))
    close(at(motion, "W"), 400 * np.cos(angle))
    assert np.max(np.abs(motion.omega("hand"))) < 1e-14 and np.max(np.abs(motion.angle("hand"))) < 1e-14


def test_rolling_bridge_draws_trochoids():
    motion, points = full("rolling_lift_bridge"), sketch("rolling_lift_bridge")
    pull = 3.9269908169872414 * (1 - np.cos(np.pi * motion.t / 30))
    turn = pull / 7.5
    assert np.rad2deg(turn.max()) == pytest.approx(60)
    for point in ("T", "W"):
        close(at(motion, point), points["C"] - pull + (points[point] - points["C"]) * np.exp(1j * turn), 1e-11)
    contact = motion.velocity("C")[:, 0] + 7.5 * motion.omega("leaf")
    assert np.max(np.abs(contact)) < 1e-13


# --- cams ---------------------------------------------------------------------------------------------------


def test_cam_follower_by_the_formulas_of_its_motions():
    motion = full("cam_roller_follower")
    cam, on = motion.mechanism.joints["contact"], motion.cam("contact")
    x = 2 * np.pi * motion.t
    b = 2 * np.pi / 3
    u, v = x / b, (x - np.pi) / b
    rise = 25 * (u - np.sin(2 * np.pi * u) / (2 * np.pi))
    fall = 25 * (1 - 10 * v**3 + 15 * v**4 - 6 * v**5)
    lift = np.select([u < 1, x < np.pi, v < 1], [rise, 25, fall], 0)
    close(at(motion, "Q"), 10 + 1j * (np.sqrt(50**2 - 10**2) + lift))
    rate = np.select([u < 1, x < np.pi, v < 1], [1 - np.cos(2 * np.pi * u), 0, -30 * v**2 * (1 - v) ** 2], 0) * 25 / b
    close(motion.velocity("Q")[:, 1], 2 * np.pi * rate / 1000)
    assert np.max(np.abs(cam.lift(np.linspace(0, 2, 9999), 2))) == pytest.approx(2 * np.pi * 0.025 / b**2, rel=1e-6)
    assert np.max(np.abs(cam.lift(np.linspace(3.2, 5.2, 9999), 2))) == pytest.approx(
        10 / np.sqrt(3) * 0.025 / b**2, rel=1e-6
    )
    # Norton, eq. 8.31d
    pressure = np.arctan((rate - 10) / (lift + np.sqrt(50**2 - 10**2)))
    close(on.pressure_angle, pressure)
    assert np.degrees(np.abs(pressure)).max() < 30


def test_cam_lever_press_by_trigonometry():
    motion = full("cam_lever_press")
    lift = motion.mechanism.joints["contact"].lift(2 * np.pi * motion.t)
    c = -90 + 40j + 180 * np.exp(1j * lift)
    rod = abs(80 + 130j - (90 + 40j))
    close(at(motion, "D"), 80 + 1j * (c.imag + np.sqrt(rod**2 - (80 - c.real) ** 2)))
    dwell = (motion.t > 150 / 360) & (motion.t < 0.5)
    assert np.max(np.abs(motion.velocity("D")[dwell])) == 0
    radius = motion.cam("contact").curvature_radius
    assert radius.min() == pytest.approx(0.0396, abs=5e-5)


def test_geneva_wheel_by_its_pin():
    motion = full("geneva")
    g = motion.geneva("step")
    pin = 60 * np.sin(np.pi / 4) * np.exp(1j * motion.angle("crank")) - 60
    # a slot points to the pin while it is engaged; the wheel, drawn locked, has slots at 45 degrees
    to_slot = np.angle(pin * np.exp(-1j * motion.angle("wheel"))) - np.pi / 4
    assert np.max(np.abs(np.sin(2 * to_slot)[g.engaged])) < 1e-13
    assert np.count_nonzero(g.engaged) in (90, 91)
    assert motion.angle("wheel")[[0, -1]] == pytest.approx([0, -np.pi / 2], abs=1e-15)
    # on the line of centres
    middle = motion.mechanism.solve(drivers={"motor": ([2 * np.pi], [1.0], [0.0])})
    assert middle.omega("wheel")[0] == pytest.approx(-1 / (np.sqrt(2) - 1), rel=1e-12)


def test_garage_door_by_two_circles():
    """The upper roller is 1.9 m from the lower one: above it, on the circle of the bend, or under the ceiling."""
    motion = full("garage_door")
    p, q = at(motion, "P"), at(motion, "Q")
    bent, over = p.imag > 200, p.imag >= 2400 - np.sqrt(1900**2 - 300**2)
    expected = p + 1900j
    expected[bent & ~over] = meet(p[bent & ~over], 1900, 300 + 2100j, 300, 1)
    expected[over] = np.sqrt(1900**2 - (2400 - p[over].imag) ** 2) + 2400j
    close(q, expected)
    # at both ends the door is at rest, and its rod of 60 kg moves or turns by the acceleration of the opener alone
    force, a = motion.forces().driver("opener"), 1.15 * (np.pi / 12) ** 2
    assert force[[0, -1]] == pytest.approx([60 * (9.81 + a), 30 * (9.81 - 2 / 3 * a)], rel=1e-12)


# --- Andrews' squeezer --------------------------------------------------------------------------------------

#: Consistent initial values of the IVP Test Set (F. Mazzia, C. Magherini), problem "andrews".
ANDREWS = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}


def test_andrews_initial_angles():
    angle = {link: full("andrews_squeezer").angle(link)[0] for link in ("K1", "K2", "K3", "K4", "K5", "K6", "K7")}
    quarter = np.pi / 2
    q = ANDREWS
    expected = {
        "K1": q["beta"],
        "K2": q["beta"] + q["theta"],
        "K3": q["gamma"] - quarter,
        "K4": q["phi"] + q["delta"] - quarter,
        "K5": q["delta"],
        "K6": q["omega"] + q["epsilon"],
        "K7": q["epsilon"] - quarter,
    }
    for link, value in expected.items():
        assert angle[link] == pytest.approx(value, abs=1e-13)


def test_andrews_moves_by_its_published_constraints():
    """The six closure equations of the problem, Hairer & Wanner II, p. 533, at every sample of the turn."""
    motion = full("andrews_squeezer")
    quarter = np.pi / 2
    beta, delta = motion.angle("K1"), motion.angle("K5")
    theta, gamma = motion.angle("K2") - beta, motion.angle("K3") + quarter
    phi, epsilon = motion.angle("K4") + quarter - delta, motion.angle("K7") + quarter
    omega = motion.angle("K6") - epsilon
    a, b = -0.06934 - 0.00227j, -0.03635 + 0.03273j
    tip = 0.007 * np.exp(1j * beta) - 0.028 * np.exp(1j * (beta + theta))
    gaps = (
        b + 0.035 * (np.sin(gamma) - 1j * np.cos(gamma)) - tip,
        a + 0.04 * np.exp(1j * delta) + 0.02 * (np.sin(phi + delta) - 1j * np.cos(phi + delta)) - tip,
        a + 0.04 * (np.sin(epsilon) - 1j * np.cos(epsilon)) + 0.02 * np.exp(1j * (omega + epsilon)) - tip,
    )
    assert max(np.max(np.abs(gap)) for gap in gaps) < 1e-15
    assert beta[-1] - beta[0] == pytest.approx(2 * np.pi, rel=1e-14)


def test_andrews_masses():
    """Masses, inertias, and the centers' places in the frames of the links, from the problem's lengths."""
    links = sk.load(path("andrews_squeezer")).links
    expected = {
        "K1": 0.00092,
        "K2": 0.028 - 0.0115,
        "K3": 0.01874 + 0.01043j,
        "K4": 0.02 - 0.01421,
        "K5": 0.02308 + 0.00916j,
        "K6": 0.02 - 0.01421,
        "K7": 0.01228 - 0.00449j,
    }
    for link, place in expected.items():
        assert links[link].center == pytest.approx(place, abs=1e-15)
    assert links["K3"].local["D"] == pytest.approx(0.018 + 0.02j, abs=1e-15)
    masses = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498]
    inertias = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
    assert [links[name].mass for name in expected] == masses
    assert [links[name].inertia for name in expected] == inertias


# --- scripts ------------------------------------------------------------------------------------------------


def test_crank_rocker_script(capsys):
    motion = crank_rocker.solve()
    assert motion.ok.all()
    assert "RRR" in capsys.readouterr().out


def test_triple_rocker_stops_where_coupler_and_rocker_align():
    found = sk.load(path("triple_rocker")).limits()
    assert found.upper.value == pytest.approx(np.arccos(-71 / 456), abs=1e-12)
    assert found.lower.value == pytest.approx(-np.arccos(-71 / 456), abs=1e-12)


def test_reachable_intervals_script():
    (short, *ends), full_turn = reachable_intervals.intervals(np.array([0.05, 0.09]))
    assert short == 0.05
    assert ends == pytest.approx([-np.arccos(-71 / 456), np.arccos(-71 / 456)], abs=1e-12)
    # 60 + 95 < 70 + 90, and the crank is the shortest bar
    assert full_turn[1:] == pytest.approx([-np.pi, np.pi])


def test_straight_line_script():
    span, deviation = straight_line.peaucellier(samples=181)
    assert np.max(np.abs(deviation)) <= 1e-12 * 0.05
    assert np.ptp(span) == pytest.approx(0.1 * np.tan(np.radians(47.5)), rel=1e-12)
    span, deviation = straight_line.hoeken(samples=361)
    assert 1e-4 < np.max(np.abs(deviation)) < 2e-4
    assert all(a < b for a, b in pairwise(span))


def test_excavator_workspace_script():
    motion = excavator_workspace.sweep(5, 4, 3)
    assert len(motion) == 60
    assert motion.ok.all()
    tip = motion.position("T")
    assert np.ptp(tip, axis=0).min() > 5
    # the cylinders of arm and bucket alone determine the distance of the tip from the boom's foot
    reach = np.hypot(*(tip - motion.position("A")).T).reshape(5, 12)
    close(reach, np.broadcast_to(reach[0], reach.shape))
