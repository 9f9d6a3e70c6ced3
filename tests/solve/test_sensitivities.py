"""Derivatives of motions by the numbers of the file, against formulas by complex steps and differences of motions.

The formulas are written out here and share nothing with the package. The differences are of order eight, over the
motions of mechanisms that are built here from their files (or by `solve_many`), one for each value.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import blocks, few
from random_mechanisms import DYADS, GEARED, OTHERS, build

import structkin as sk
from structkin.design import effort
from structkin.examples import path
from structkin.solve.sensitivity.parameters import read_parameters

#: Weights of the differences of order eight, and their step as a part of the parameter's reach.
WEIGHTS, STEP = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}, 1e-3
#: Near a limit derivatives grow, and only short steps are good; where a rate hardly changes, these drown in rounding.
STEPS = (1e-4, 1e-5, 1e-3)


# --- closed forms ---------------------------------------------------------------------------------------------


def four_bar(p: dict[str, Any], z: Any) -> tuple[Any, ...]:
    """C of a four-bar A (0, 0), B, C, D (d, 0) with lengths a, b, c: two circles; analytic in all numbers."""
    bx, by = p["a"] * np.cos(z), p["a"] * np.sin(z)
    wx, wy = p["d"] - bx, -by
    square = wx * wx + wy * wy
    along = 0.5 + (p["b"] ** 2 - p["c"] ** 2) / (2 * square)
    across = np.sqrt(p["b"] ** 2 / square - along**2)
    return bx + along * wx - across * wy, by + along * wy + across * wx


def slider_crank(p: dict[str, Any], z: Any) -> tuple[Any, ...]:
    """C of a slider-crank with lengths a, b; C runs at the height e along an axis at the angle f."""
    bx, by = p["a"] * np.cos(z - p["f"]), p["a"] * np.sin(z - p["f"])
    x = bx + np.sqrt(p["b"] ** 2 - (p["e"] - by) ** 2)
    return x * np.cos(p["f"]) - p["e"] * np.sin(p["f"]), x * np.sin(p["f"]) + p["e"] * np.cos(p["f"])


def by_complex_step(formula: Callable[..., Any], p: dict[str, Any], name: str, z: Any, t: Any = None) -> Any:
    """The derivative of a point (n, 2) by a number."""
    found = formula({**p, name: p[name] + 1e-40j}, z)
    return np.stack([part.imag / 1e-40 for part in found], axis=1)


FOUR = {"a": 1.0, "b": 3.5, "c": 3.0, "d": 4.0}
DRIVEN = {"motor": {"joint": "A", "law": "0.4 + 2*t"}}


def made_four_bar() -> sk.Mechanism:
    B, C = (complex(*xy) for xy in ((np.cos(0.4), np.sin(0.4)), four_bar(FOUR, 0.4)))
    return sk.Mechanism(
        points={"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (4, 0)}, drivers=DRIVEN, duration=3.0,
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    )  # fmt: skip


@pytest.mark.parametrize(("name", "key"), [("lengths.A-B", "a"), ("lengths.C-B", "b"), ("lengths.C-D", "c")])
def test_lengths_of_a_four_bar_agree_with_its_formula(name: str, key: str) -> None:
    motion = made_four_bar().solve(50)
    z = motion.drivers["motor"][0]
    wanted = by_complex_step(four_bar, FOUR, key, z)
    found = motion.sensitivity("C", to=[name])[..., 0]
    assert np.abs(found - wanted).max() <= 1e-11 * np.abs(wanted).max()
    # The rate is 2 rad/s: a difference of the formula's derivative, of order eight as well.
    rate = sum(
        w * (by_complex_step(four_bar, FOUR, key, z + k * 0.02) - by_complex_step(four_bar, FOUR, key, z - k * 0.02))
        for k, w in WEIGHTS.items()
    ) * (2 / 0.02)
    found = motion.sensitivity("C", to=[name], order=1)[..., 0]
    assert np.abs(found - rate).max() <= 1e-8 * np.abs(rate).max()


def test_a_coordinate_of_the_sketch_changes_every_length_at_its_point() -> None:
    """D moves along x: the ground and the rocker, whose length is that of the sketch, change with it."""
    motion = made_four_bar().solve(50)
    z, (x, y) = motion.drivers["motor"][0], four_bar(FOUR, 0.4)
    by_d, by_c = (by_complex_step(four_bar, FOUR, key, z) for key in "dc")
    wanted = by_d + by_c * (FOUR["d"] - x) / np.hypot(FOUR["d"] - x, y)
    assert np.abs(motion.sensitivity("C", to=["points.D.x"])[..., 0] - wanted).max() <= 1e-11 * np.abs(wanted).max()


def test_numbers_of_an_axis_are_refused_with_what_to_write():
    motion = sk.load(path("slider_crank_offset")).solve(2)
    with pytest.raises(sk.InputError, match=r"an axis turns as a whole; write joints\.guide\.axis"):
        motion.sensitivity("C", to=["joints.guide.axis.0"])
    with pytest.raises(sk.InputError, match="joint groove_in has no axis in the file"):
        sk.load(path("oldham_coupling")).solve(2).sensitivity("C", to=["joints.groove_in.axis"])


@pytest.mark.parametrize(("name", "key"), [("lengths.A-B", "a"), ("lengths.B-C", "b"), ("joints.guide.axis", "f")])
def test_numbers_of_a_slider_crank_agree_with_its_formula(name: str, key: str) -> None:
    p = {"a": 1.0, "b": 3.0, "e": 0.0, "f": 0.3}
    x, y = slider_crank(p, 0.4)
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (np.cos(0.4), np.sin(0.4)), "C": (x, y)}, drivers=DRIVEN, duration=3.0,
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "at": "C",
                          "axis": [np.cos(0.3), np.sin(0.3)]}},
    )  # fmt: skip
    motion = m.solve(50)
    if key == "f":
        # The line keeps going through the sketched C, so its height over A changes as the axis turns.
        p = {**p, "x": x, "y": y}

        def formula(q: dict[str, Any], z: Any) -> Any:
            return slider_crank({**q, "e": q["y"] * np.cos(q["f"]) - q["x"] * np.sin(q["f"])}, z)
    else:
        formula = slider_crank
    wanted = by_complex_step(formula, p, key, motion.drivers["motor"][0])
    assert np.abs(motion.sensitivity("C", to=[name])[..., 0] - wanted).max() <= 1e-11 * np.abs(wanted).max()


def test_a_gear_ratio_turns_the_wheel_and_no_centre() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (3, 0), "P": (3, 1)}, drivers={"motor": {"joint": "A", "speed": 2.0}},
        links={"ground": ["A", "B"], "one": ["A"], "two": ["B", "P"]}, duration=1.0,
        joints={"mesh": {"type": "gear", "links": ["one", "two"], "teeth": [20, 40]}},
    )  # fmt: skip
    motion = m.solve(5)
    # t_2 = t_1 / r with r = -2, so dt_2/dr = -t_1 / r^2.
    assert np.allclose(motion.sensitivity("two", to=["joints.mesh.ratio"])[:, 0], -2 * motion.t / 4, atol=1e-12)
    assert np.allclose(motion.sensitivity("two", to=["drivers.motor.speed"], order=1)[:, 0], -0.5, atol=1e-12)


@pytest.mark.parametrize("k", range(4))
def test_numbers_of_a_formula_are_parameters(k: int) -> None:
    """The crank at -0.5 + 0.8 sin(1.5 t)**2 degrees: rocker and its rate by each number, by the formula's own."""
    numbers, t = [0.5, 20.0, 1.5, 2.0], np.linspace(0.1, 1.9, 7)
    data = made_four_bar().source_dict
    data["units"], data["drivers"]["motor"]["law"] = {"angle": "deg"}, " (-0.5 +\n 20*sin(1.5*t)**2)"
    motion = sk.Mechanism.from_dict(data).solve(t=t)

    def law(values: list[Any], t: Any) -> Any:
        a, b, c, d = values
        return (-a + b * np.sin(c * t) ** d) * np.pi / 180

    moved = [number + (1e-30j if n == k else 0) for n, number in enumerate(numbers)]
    name = f"drivers.motor.law.{k}"
    wanted = [(four_bar(FOUR, law(moved, t))[x].imag / 1e-30) for x in (0, 1)]
    found = motion.sensitivity("C", to=[name])[..., 0]
    assert np.abs(found - np.transpose(wanted)).max() <= 1e-11 * np.abs(wanted).max()
    rate, h = motion.sensitivity("C", to=[name], order=1)[..., 0], 1e-4
    later = [four_bar(FOUR, law(moved, t + side * h))[0].imag / 1e-30 for side in (-1, 1)]
    assert np.abs(rate[:, 0] - (later[1] - later[0]) / (2 * h)).max() <= 1e-6 * np.abs(rate).max()


# --- differences of motions -----------------------------------------------------------------------------------


def numbers(motion: Any, m: sk.Mechanism, order: int) -> Any:
    """Places of all points and angles of all links (n, many), or their rates."""
    places = [(motion.velocity if order else motion.position)(point) for point in m.places]
    angles = [(motion.omega if order else motion.angle)(link)[..., None] for link in m.topology.moving_links]
    return np.concatenate([*places, *angles], axis=-1)


def found(motion: sk.Motion, name: str, order: int) -> Any:
    m = motion.mechanism
    places = [motion.sensitivity(point, to=[name], order=order, kind="point")[..., 0] for point in m.places]
    angles = [motion.sensitivity(link, to=[name], order=order, kind="link") for link in m.topology.moving_links]
    return np.concatenate([*places, *angles], axis=-1)


def agrees(m: sk.Mechanism, t: Any, name: str, solved: Callable[[Any], Any], reach: float, step: float = STEP) -> float:
    """The largest error relative to the largest derivative, or to a small one; `solved` is given changes (8,)."""
    motion, worst = m.solve(t=t), 0.0
    assert motion.ok.all()
    h = reach * step
    motions = solved(h * np.array([*WEIGHTS, *(-k for k in WEIGHTS)]))
    for order in (0, 1):
        values = np.stack([numbers(each, m, order) for each in motions])
        if order == 0:  # a link that is drawn at half a turn may be drawn at minus that in a variant
            angles = values[..., -len(m.topology.moving_links) :]
            angles -= 2 * np.pi * np.round((angles - angles[0]) / (2 * np.pi))
        wanted = sum(w * (values[k] - values[k + 4]) for k, w in enumerate(WEIGHTS.values())) / h
        mine = found(motion, name, order)
        worst = max(worst, np.abs(mine - wanted).max() / max(np.abs(wanted).max(), 0.01 * m.size / reach))
    return float(worst)


def edited(m: sk.Mechanism, place: tuple[Any, ...], change: float) -> sk.Mechanism:
    """The mechanism with a number of its file changed, in the file's unit."""
    data = copy.deepcopy(m.source_dict)
    entry = data
    for key in place[:-1]:
        entry = entry[key]
    entry[place[-1]] += change
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize(
    ("example", "name", "scale"),
    few(
        [
            ("cam_lever_press", "joints.contact.law.0.to", np.pi / 180),
            ("garage_door", "joints.track.start.1", 1e-3),
            ("cam_lever_press", "points.F.y", 1e-3),
            ("cam_roller_follower", "joints.contact.law.0.to", 1e-3),
            ("cam_roller_follower", "joints.contact.radius", 1e-3),
            ("cam_roller_follower", "points.Q.x", 1e-3),
            ("rack_and_pinion", "points.TL.x", 1e-3),
            ("rack_and_pinion", "points.O.y", 1e-3),
            ("geared_five_bar", "points.B.x", 1e-3),
            ("rolling_lift_bridge", "joints.heel.radius", 1.0),
            ("rolling_lift_bridge", "points.E.y", 1.0),
            ("whitworth_shaper", "points.B.x", 1e-3),
            ("stephenson_iii_triad", "points.E.y", 1e-3),
            ("eight_bar_double_triad", "points.B.x", 1e-3),
            ("elliptic_trammel", "points.P.x", 1e-3),
            ("platform_3rpr", "points.B2.x", 1e-2),
            ("wafer_arm", "points.E.y", 1e-3),
        ],
        4,
    ),
)
def test_examples_agree_with_differences_of_their_motions(example: str, name: str, scale: float) -> None:
    m = sk.load(path(example))
    whole = m.solve(9).t
    t = whole[2:-2:2] + 0.013 * whole[-1]
    keys = [int(key) if key.isdigit() else key for key in name.split(".")]
    if keys[0] == "points":
        keys[-1] = "xy".index(str(keys[-1]))
    near = 0.02 * m.size

    def solved(changes: Any) -> list[sk.Motion]:
        return [edited(m, tuple(keys), change / scale).solve(t=t) for change in changes]

    assert agrees(m, t, name, solved, near) <= 3e-8


def drawn_to_the_left(example: str, a: str, b: str) -> sk.Mechanism:
    """An example, turned until b lies exactly to the left of a: an angle of pi there, of -pi next to it."""
    m = sk.load(path(example))
    turn = -abs(m.places[b] - m.places[a]) / (m.places[b] - m.places[a])
    data = {key: value for key, value in m.source_dict.items() if key != "forces"}

    def turned(xy: Any) -> list[float]:
        place = turn * complex(*xy)
        return [place.real, place.imag]

    data["points"] = {name: turned(xy) for name, xy in data["points"].items()}
    data["points"][b][1] = data["points"][a][1]
    for entry in data.get("joints", {}).values():
        if "axis" in entry:
            entry["axis"] = turned(entry["axis"])
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize(
    ("example", "a", "b"),
    few([("crank_rocker", "A", "B"), ("geared_five_bar", "A", "B"), ("cam_lever_press", "B", "C"),
         ("geneva", "A", "P")], 2),
)  # fmt: skip
def test_a_link_at_pi_in_the_sketch_is_no_turn_away_from_the_next(example: str, a: str, b: str) -> None:
    """Drivers, wheels, followers of cams and Geneva cranks start at the angle of a link in the sketch."""
    m = drawn_to_the_left(example, a, b)
    t = m.solve(9).t[1:-1] * 0.97
    motion, name, h = m.solve(t=t), f"points.{b}.y", 1e-4 * m.size
    scale = m.units.length_scale
    motions = [edited(m, ("points", b, 1), k * h / scale).solve(t=t) for k in (*WEIGHTS, *(-k for k in WEIGHTS))]
    for point in m.places:
        values = [each.position(point) for each in motions]
        wanted = sum(w * (values[k] - values[k + 4]) for k, w in enumerate(WEIGHTS.values())) / h
        mine = motion.sensitivity(point, to=[name], kind="point")[..., 0]
        assert np.nanmax(np.abs(mine - wanted)) <= 1e-9 * max(1.0, np.nanmax(np.abs(wanted))), point


@pytest.mark.full
def test_a_wheel_at_pi_whose_turns_a_general_group_counts_is_no_turn_away_from_the_next() -> None:
    """A triad with gears counts the turns of N1, from pi or from -pi: derivatives were 1e3 times too large."""
    m = build(1, 2, menu=GEARED).mechanism()
    turn = -1 / m.links["N1"].direction
    data = m.source_dict
    for place in (data["points"], *data.get("joints", {}).values()):
        for key, xy in [item for item in place.items() if place is data["points"] or item[0] in ("axis", "at")]:
            if not isinstance(xy, str):
                turned = turn * complex(*xy)
                place[key] = [turned.real, turned.imag]
    a, b = [*m.links["N1"].points][:2]
    data["points"][b][1] = data["points"][a][1]
    m = sk.Mechanism.from_dict(data)
    motion, h, scale = m.solve(5), 1e-4 * m.size, m.units.length_scale
    motions = [edited(m, ("points", b, 1), k * h / scale).solve(5) for k in (*WEIGHTS, *(-k for k in WEIGHTS))]
    for point in m.places:
        values = [each.position(point) for each in motions]
        wanted = sum(w * (values[k] - values[k + 4]) for k, w in enumerate(WEIGHTS.values())) / h
        mine = motion.sensitivity(point, to=[f"points.{b}.y"], kind="point")[..., 0]
        assert np.nanmax(np.abs(mine - wanted)) <= 1e-9 * max(1.0, np.nanmax(np.abs(wanted))), point


def test_a_pin_next_to_a_jump_of_its_slots_curvature_is_still_on_its_line() -> None:
    """The panel's upper roller runs up a straight piece, so it moves by as much as the panel grows, up to the bend."""
    m = sk.load(path("garage_door"))
    motion = m.solve(t=[1.525, 1.55, 1.575, 1.6])
    assert (motion.position("Q")[:, 1] > 2.09).all() and (motion.position("Q")[:, 1] < 2.1).all()
    by = motion.sensitivity("Q", to=["lengths.P-Q"])[..., 0]
    np.testing.assert_allclose(by, np.tile((0.0, 1.0), (4, 1)), atol=1e-10)
    # The panel stays upright, so nothing but its weight is lifted, whatever its length.
    np.testing.assert_allclose(effort("opener").jacobian(motion, ["lengths.P-Q"]), 0.0, atol=1e-6)


def test_a_pin_beside_a_jump_of_its_slots_curvature_is_on_its_piece_alone() -> None:
    """On the bend the roller is on two circles, around the lower one and around the centre of the bend."""
    m = sk.load(path("garage_door"))
    off = np.array([-1e-4, -1e-6, -1e-9, 1e-9, 1e-6, 1e-4])
    motion = m.solve(t=12 / np.pi * np.arccos(1 - (0.1 + off) / 1.15))
    by = motion.sensitivity("Q", to=["lengths.P-Q"])[..., 0]
    Q, P, centre = motion.position("Q"), motion.position("P"), np.array([0.3, 2.1])
    on_arc = np.linalg.solve(np.stack((Q - P, Q - centre), axis=1), np.tile([[1.9], [0.0]], (6, 1, 1)))[..., 0]
    np.testing.assert_allclose(by, np.where(off[:, None] > 0, on_arc, (0.0, 1.0)), rtol=0, atol=2e-12)


class _Variant:
    """One variant of many, read like a motion."""

    def __init__(self, motions: Any, k: int) -> None:
        self.motions, self.k = motions, k

    def __getattr__(self, quantity: str) -> Any:
        return lambda what: getattr(self.motions, quantity)(what)[self.k]


def check_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    case = build(seed, int(rng.integers(1, 4)), menu=(None, GEARED, OTHERS, DYADS)[seed % 4])
    m = case.mechanism()
    t = np.linspace(0, case.duration, 5)[1:-1]
    if not m.solve(t=t).ok.all():
        return
    long = [link.points[:2] for link in m.links.values() if len(link.points) > 1]
    point = str(rng.choice(list(m.places)))
    names = [f"points.{point}.{rng.choice(['x', 'y'])}"]
    if long:
        a, b = long[int(rng.integers(len(long)))]
        names.append(f"lengths.{a}-{b}")
    for name in names:
        section, key, *axis = name.split(".")

        def solved(changes: Any, section: str = section, key: str = key, axis: Any = axis) -> list[Any]:
            if section == "lengths":
                a, b = (m.places[end] for end in key.split("-"))
                motions = m.solve_many(t=t, lengths={key: abs(a - b) + changes})
            else:
                place = m.places[key]
                moved = place + changes * (1 if axis == ["x"] else 1j)
                motions = m.solve_many(t=t, points={key: np.stack((moved.real, moved.imag), axis=1)})
            assert motions.ok.all(), motions.report

            return [_Variant(motions, k) for k in range(len(changes))]

        ends = [abs(m.places[q] - m.places[p]) for link in m.links.values() for p in link.points for q in link.points]
        reach = min(end for end in [*ends, m.size] if end > 0)
        assert any(agrees(m, t, name, solved, reach, step) <= 1e-7 for step in STEPS), (seed, name)


@pytest.mark.parametrize("seed", few(range(40), 4, 12))
def test_random_mechanisms_agree_with_differences_of_their_motions(seed: int) -> None:
    check_random(seed)


@pytest.mark.parametrize("seed", few([1529, 2617, 1185], 1))
def test_variants_have_the_equations_of_the_mechanism(seed: int) -> None:
    """A term of a sum vanishes with the numbers of the file and not near them, or equal vectors differ by rounding."""
    check_random(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(1000, 4000)))
def test_many_random_mechanisms_agree_with_differences_of_their_motions(seeds: range) -> None:
    for seed in seeds:
        check_random(seed)


# --- the sweep back, samples without a regular pose, errors ---------------------------------------------------


def test_a_gradient_is_the_sum_of_weights_times_sensitivities() -> None:
    m = sk.load(path("watt_six_bar"))
    motion = m.solve(40)
    names = [f"points.{point}.{axis}" for point in m.places for axis in "xy"]
    rng = np.random.default_rng(1)
    of_point, of_link = rng.normal(size=(40, 2)), rng.normal(size=40)
    link = m.topology.moving_links[-1]
    wanted = np.einsum("nk,nkp->p", of_point, motion.sensitivity("F", to=names))
    wanted += of_link @ motion.sensitivity(link, to=names)
    got = motion.gradient({"F": of_point, link: of_link}, to=names)
    assert np.abs(got - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_samples_out_of_reach_and_at_a_limit_have_none() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (3, 2), "D": (4, 0)}, drivers={"motor": {"joint": "A", "speed": 1.0}},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "rocker": ["C", "D"]},
    )  # fmt: skip
    motion = m.solve(t=np.linspace(0, 6, 30))
    assert not motion.ok.all()
    by = motion.sensitivity("C", to=["lengths.A-B", "points.D.x"])
    assert (np.isfinite(by).all(axis=(1, 2)) == motion.ok).all()
    assert np.isfinite(motion.sensitivity("B", to=["lengths.A-B"])).all()
    some = np.where(motion.ok[:, None], 1.0, 0.0) * np.ones(2)
    wanted = by[motion.ok].sum(axis=(0, 1))
    assert np.allclose(motion.gradient({"C": some}, to=["lengths.A-B", "points.D.x"]), wanted, rtol=1e-12)
    assert np.isnan(motion.gradient({"C": np.ones((30, 2))}, to=["lengths.A-B"])).all()


def test_change_points_have_no_derivatives_by_lengths() -> None:
    """A parallelogram that opens up no longer passes its flat pose."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (3, 1), "D": (3, 0)}, drivers={"motor": {"joint": "A", "speed": 1.0}},
        links={"ground": ["A", "D"], "one": ["A", "B"], "rod": ["B", "C"], "two": ["C", "D"]},
    )  # fmt: skip
    motion = m.solve(t=np.array([0.0, 0.5 * np.pi, 1.0]))
    by = motion.sensitivity("C", to=["lengths.B-C"])
    assert np.isnan(by[1]).all()
    assert np.isfinite(by[[0, 2]]).all()


def test_all_wrong_names_are_listed_at_once() -> None:
    motion = made_four_bar().solve(3)
    names = [
        "lengths.A-C",
        "points.Q.x",
        "points.A.z",
        "lengths.A-B",
        "lengths.B-A",
        "joints.x.axis",
        "mass",
        "drivers.motor.law",
        "drivers.motor.law.2",
    ]
    with pytest.raises(sk.InputError) as caught:
        motion.sensitivity("C", to=names)
    keys = [problem.key for problem in caught.value.problems]
    assert keys == [name for name in names if name != "lengths.A-B"]
    assert "named twice" in str(caught.value)
    for wrong in ({"order": 2}, {"to": []}):
        with pytest.raises(sk.InputError):
            motion.sensitivity("C", **{"to": ["lengths.A-B"], **wrong})
    with pytest.raises(sk.InputError, match="expected those of a point"):
        motion.gradient({"C": np.ones(3)}, to=["lengths.A-B"])


@pytest.mark.parametrize("geared", [False, True])
def test_lengths_that_are_named_together_are_held(geared: bool) -> None:
    """By itself a length moves a point along its line; with another one of the same point it turns a triangle."""
    if geared:  # built one by one, for its gears
        data = sk.load(path("geared_five_bar")).source_dict
        data["points"]["E"], data["links"]["left_rod"] = [20, 60], ["B", "P", "E"]
    else:
        data = made_four_bar().source_dict
        data["points"]["P"], data["points"]["E"] = [2, 3], [3, 3]
        data["links"]["coupler"] = ["B", "P", "E", "C"]
    m, (a, b, c) = sk.Mechanism.from_dict(data), "BPE"
    t, first, second = m.solve(5).t[1:-1], f"{a}-{b}", f"{b}-{c}"
    base = {pair: abs(m.places[pair[0]] - m.places[pair[2]]) for pair in (first, second)}
    scale, h = m.units.length_scale, 1e-4 * m.size

    def moved(change: float) -> Any:
        data = m.source_dict
        data["lengths"] = {
            **data.get("lengths", {}),
            first: (base[first] + change) / scale,
            second: base[second] / scale,
        }
        return sk.Mechanism.from_dict(data).solve(t=t).position(c)

    wanted = (8 * (moved(h) - moved(-h)) - moved(2 * h) + moved(-2 * h)) / (12 * h)
    names = [f"lengths.{first}", f"lengths.{second}"]
    assert np.abs(m.solve(t=t).sensitivity(c, to=names)[..., 0] - wanted).max() < 1e-8
    alone = m.solve(t=t).sensitivity(c, to=names[:1])[..., 0]
    assert np.abs(alone - wanted).max() > 0.1


def test_a_length_that_the_others_fix_is_an_error() -> None:
    m = sk.load(path("stephenson_iii_triad"))
    names = [f"lengths.{a}-{b}" for a, b in itertools.combinations("BCPM", 2)]
    with pytest.raises(sk.InputError, match="the other lengths make it"):
        m.solve(3).sensitivity("M", to=names)
    assert m.solve(3).sensitivity("M", to=names[:5]).shape == (3, 2, 5)


def test_redundant_joints_leave_no_dimension_that_varies_alone() -> None:
    motion = sk.load(path("planetary_train")).solve(4)
    with pytest.raises(sk.InputError, match="redundant"):
        motion.sensitivity("P1", to=["points.P1.x"])
    assert np.isfinite(motion.sensitivity("P1", to=["drivers.motor.speed"])).all()


def test_names_with_dots_are_told_apart() -> None:
    """Of joints "guide" and "guide.2" the first that fits was taken, and the number sought in the wrong one."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0.2), "C": (3, 0), "D": (2, 1)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C", "D"], "block": ["D"]},
        joints={
            "guide": {"type": "prismatic", "links": ["ground", "slide"], "at": "C", "axis": [1, 0]},
            "guide.2": {"type": "prismatic", "links": ["slide", "block"], "at": "D", "axis": [0, 1]},
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}, "lift": {"joint": "guide.2", "speed": 0.1}},
    )
    [first], [second] = (read_parameters(m, [name]) for name in ("joints.guide.axis", "joints.guide.2.axis"))
    assert (first.path[1], second.path[1]) == ("guide", "guide.2")
    assert second.value == pytest.approx(np.pi / 2)


# --- second derivatives ---------------------------------------------------------------------------------------


def second_of(formula: Callable[..., Any], p: dict[str, Any], one: str, other: str, z: Any) -> Any:
    """The second derivative of a point (n, 2): differences of order eight of complex steps."""
    h = 1e-2 * abs(p[other])
    ends = [
        weight * (by_complex_step(formula, {**p, other: p[other] + k * h}, one, z)
                  - by_complex_step(formula, {**p, other: p[other] - k * h}, one, z))
        for k, weight in WEIGHTS.items()
    ]  # fmt: skip
    return sum(ends) / h


def test_second_derivatives_of_a_four_bar_are_those_of_its_formula() -> None:
    keys = {"a": "lengths.A-B", "b": "lengths.B-C", "c": "lengths.C-D", "d": "points.D.x"}
    motion = made_four_bar().solve(25)
    found = motion.second_sensitivity("C", to=[*keys.values()])
    assert found.shape == (25, 2, 4, 4)
    z = motion.drivers["motor"][0]
    for (j, one), (k, other) in itertools.product(enumerate(keys), repeat=2):
        own = second_of(four_bar, FOUR, one, other, z)
        assert np.abs(found[..., j, k] - own).max() < 1e-8 * np.abs(found).max()
    # Of the coupler's angle, plain second differences of its formula.
    h, ends = 1e-3, []
    for side in (1, 0, -1):
        p = {**FOUR, "a": FOUR["a"] + side * h}
        x, y = four_bar(p, z)
        ends.append(np.unwrap(np.arctan2(y - p["a"] * np.sin(z), x - p["a"] * np.cos(z))))
    turned = motion.second_sensitivity("coupler", to=["lengths.A-B"])
    assert turned.shape == (25, 1, 1)
    assert np.abs(turned[:, 0, 0] - (ends[0] - 2 * ends[1] + ends[2]) / h**2).max() < 1e-5


def test_second_derivatives_refuse_unknown_names() -> None:
    with pytest.raises(sk.InputError, match=r"lengths\.A-Q"):
        made_four_bar().solve(5).second_sensitivity("C", to=["lengths.A-Q"])


@pytest.mark.parametrize("name", few(["eight_bar_double_triad", "platform_3rpr", "stephenson_iii_triad"], 1))
def test_derivatives_of_groups_without_a_closed_form_are_those_at_the_origin_wherever_they_are_drawn(name: str) -> None:
    drawn = sk.load(path(name))
    data = copy.deepcopy(drawn.source_dict)
    # Ten thousand sizes away, in the unit of the file.
    away = 1e4 * drawn.size / drawn.units.length_scale * np.array((0.6, -0.8))
    for point, place in data["points"].items():
        data["points"][point] = (away + place).tolist()
    here, there = drawn.solve(samples=13), sk.Mechanism(**data).solve(samples=13)
    point, link = [*drawn.points][-1], [*drawn.links][-1]
    numbers = [f"points.{name}.{x}" for name in [*drawn.points][:4] for x in "xy"]
    for what in (point, link):
        own, found = (motion.sensitivity(what, to=numbers) for motion in (here, there))
        assert np.abs(found - own).max() < 1e-9 * np.abs(own).max()
        own, found = (motion.sensitivity(what, to=numbers, order=1) for motion in (here, there))
        assert np.abs(found - own).max() < 1e-8 * np.abs(own).max()
    own, found = (motion.second_sensitivity(point, to=numbers[:3]) for motion in (here, there))
    assert np.abs(found - own).max() < 1e-6 * np.abs(own).max()
    weights = {point: np.ones((13, 2)), link: np.ones(13)}
    own, found = (motion.gradient(weights, to=numbers) for motion in (here, there))
    assert np.abs(found - own).max() < 1e-9 * np.abs(own).max()
