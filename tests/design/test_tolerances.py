"""Tolerances against the closed form of a slider-crank, by another road: its own derivatives, corners and draws."""

from __future__ import annotations

import io
import itertools
import json
import re

import numpy as np
import pytest

import structkin as sk
from structkin import examples
from structkin.design.tolerance_file import read_tolerances

R, L, E = 0.05, 0.15, 0.01
ANGLES = np.linspace(0, 2 * np.pi, 25)


def press(**sections):
    given = {
        "title": "Press",
        "points": {"A": (0, 0), "B": (0.03, 0.04), "C": (0.18, E), "S": (0.1, 0.03)},
        "links": {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C", "S"], "ram": ["C"]},
        "joints": {"guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [1, 0]}},
        "drivers": {"motor": {"joint": "A", "speed": 1.0}},
        "lengths": {"A-B": R, "B-C": L},
    }
    return sk.Mechanism(**{**given, **sections})


def place(q, r=R, l=L, y=0.0, offset=0j):
    """The ram's x: the pin at r + offset in the crank's frame turned by q, the shaft at height y, the guide at E."""
    pin = (r + offset) * np.exp(1j * q)
    return pin.real + np.sqrt(l**2 - (y + pin.imag - E) ** 2)


def slopes(q):
    """The derivatives of the place by r, l, y and the two components of the offset, by hand."""
    s = R * np.sin(q) - E
    w = np.sqrt(L**2 - s**2)
    return np.stack((np.cos(q) - s * np.sin(q) / w, L / w, -s / w, -np.sin(q) - s * np.cos(q) / w), axis=1)


TOLERANCES = {"lengths.A-B": 1e-4, "lengths.B-C": (-1e-4, 3e-4), "points.A.y": {"sigma": 4e-5}}
LOW, HIGH = np.array([-1e-4, -1e-4, -12e-5]), np.array([1e-4, 3e-4, 12e-5])


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_linear_analysis_is_that_of_the_closed_form(distribution):
    found = press().tolerances(
        TOLERANCES, ["x.C"], clearances={"B": 5e-5}, distribution=distribution, drivers={"motor": ANGLES}, variants=64
    )
    spread, by = found["x.C"], slopes(ANGLES)
    own, pin = by[:, :3], np.hypot(by[:, 0], by[:, 3])
    sigma = np.array([1e-4 / 3, 2e-4 / 3, 4e-5]) if distribution == "normal" else np.array([1e-4, 2e-4, 0]) / np.sqrt(3)
    sigma[2] = 4e-5
    np.testing.assert_allclose(spread.nominal, place(ANGLES), atol=1e-15)
    np.testing.assert_allclose(spread.slopes, np.column_stack((own, pin)), atol=1e-11)
    np.testing.assert_allclose(spread.mean, place(ANGLES) + own @ (0.5 * (LOW + HIGH)), atol=1e-14)
    variances = np.column_stack(((own * sigma) ** 2, (pin * 5e-5 / 2) ** 2))
    np.testing.assert_allclose(spread.sigma, np.sqrt(variances.sum(axis=1)), rtol=1e-9)
    np.testing.assert_allclose(spread.shares, variances / variances.sum(axis=1, keepdims=True), atol=1e-9)
    least = np.minimum(own * LOW, own * HIGH).sum(axis=1) - pin * 5e-5
    most = np.maximum(own * LOW, own * HIGH).sum(axis=1) + pin * 5e-5
    np.testing.assert_allclose(spread.linear_worst - spread.nominal[:, None], np.stack((least, most), 1), atol=1e-14)
    np.testing.assert_allclose(spread.rss - spread.mean[:, None], 3 * spread.sigma[:, None] * [-1, 1], atol=1e-18)


def test_the_worst_case_is_the_extreme_of_all_corners_of_the_closed_form():
    """Without clearance every corner is tried; with it, every direction of the offset in steps of a degree."""
    found = press().tolerances(TOLERANCES, ["x.C"], drivers={"motor": ANGLES}, variants=64)["x.C"]
    corners = [place(ANGLES, R + a, L + b, c) for a, b, c in itertools.product(*zip(LOW, HIGH, strict=True))]
    np.testing.assert_allclose(found.worst, np.stack((np.min(corners, 0), np.max(corners, 0)), 1), atol=1e-13)
    found = press().tolerances({}, ["x.C"], clearances={"B": 1e-4}, drivers={"motor": ANGLES}, variants=64)["x.C"]
    around = [place(ANGLES, offset=1e-4 * np.exp(1j * way)) for way in np.radians(np.arange(360.0))]
    np.testing.assert_allclose(found.worst, np.stack((np.min(around, 0), np.max(around, 0)), 1), atol=2e-8)
    assert (found.worst[:, 0] <= np.min(around, 0) + 1e-8).all() and (
        found.worst[:, 1] >= np.max(around, 0) - 1e-8
    ).all()


def test_a_hole_moves_with_its_point():
    """The shaft rises and its pin has play: the ram sees both, as the sum of squares of two."""
    both = press().tolerances({"points.A.y": 1e-4}, ["x.C"], clearances={"A": 3e-5}, drivers={"motor": ANGLES},
                              variants=1024)["x.C"]  # fmt: skip
    by = slopes(ANGLES)[:, 2]
    np.testing.assert_allclose(both.slopes[:, 0], by, atol=1e-11)
    steep = np.hypot(1.0, by)  # an offset of the shaft along the guide moves the ram as far
    np.testing.assert_allclose(both.sigma, np.hypot(by * 1e-4 / 3, steep * 1.5e-5), rtol=1e-9)
    np.testing.assert_allclose(both.drawn_sigma, both.sigma, rtol=0.02)


@pytest.mark.parametrize("plan", ["sobol", "random"])
def test_monte_carlo_is_that_of_draws_from_the_closed_form(plan):
    q, n = np.array([0.4, 2.0, 4.0]), 1 << 14
    found = press().tolerances(
        TOLERANCES, ["x.C"], clearances={"B": 5e-5}, plan=plan, drivers={"motor": q}, variants=np.int64(n)
    )["x.C"]
    draw = np.random.default_rng(5)
    r, l, y = draw.normal([R, L + 1e-4, 0], [1e-4 / 3, 2e-4 / 3, 4e-5], (200_000, 3)).T
    offset = 5e-5 * np.sqrt(draw.random(200_000)) * np.exp(2j * np.pi * draw.random(200_000))
    x = place(q[:, None], r, l, y, offset)
    np.testing.assert_allclose(found.drawn_mean, x.mean(axis=1), atol=3e-6 if plan == "random" else 5e-7)
    np.testing.assert_allclose(found.drawn_sigma, x.std(axis=1), rtol=0.02)
    np.testing.assert_allclose(found.drawn_sigma, found.sigma, rtol=0.02)
    ends = np.quantile(x, [0.0013499, 0.9986501], axis=1).T
    np.testing.assert_allclose(found.drawn - found.nominal[:, None], ends - found.nominal[:, None], rtol=0.1)
    assert (found.lost == 0).all()


def test_uniform_deviations_stay_within_the_worst_case_and_nearly_reach_it():
    spread = press().tolerances(
        {"lengths.A-B": 1e-4, "lengths.B-C": 1e-4}, ["range.x.C"], distribution="uniform", samples=73, variants=2048
    )["range.x.C"]
    assert spread.worst[0, 0] <= spread.extremes[0, 0] < spread.extremes[0, 1] <= spread.worst[0, 1]
    assert np.ptp(spread.extremes[0]) > 0.97 * np.ptp(spread.worst[0])


@pytest.mark.parametrize(
    "measure", ["max.y.S", "min.y.S", "range.x.C", "peak.omega.rod", "mean.speed.S", "max.angle.rod"]
)
def test_slopes_of_measures_are_differences_of_solved_variants(measure):
    names, h = ["lengths.A-B", "points.S.y"], 1e-6
    spread = press().tolerances(dict.fromkeys(names, 1e-5), [measure], samples=61, variants=16)[measure]
    keys = {"lengths.A-B": R + h * np.array([1, -1, 0, 0]), "points.S.y": 0.03 + h * np.array([0, 0, 1, -1])}
    found = sk.study(press(), {**keys, "lengths.B-C": [L] * 4}, measures=[measure], samples=61).dataset[measure].values
    np.testing.assert_allclose(spread.slopes[0], (found[::2] - found[1::2]) / (2 * h), atol=2e-6)


def test_what_to_tighten_is_told_with_its_gain():
    found = press().tolerances({"lengths.A-B": 3e-4, "lengths.B-C": 1e-4}, ["range.x.C"], samples=73, variants=64)
    spread = found["range.x.C"]
    assert spread.tighten == "lengths.A-B"
    halved = press().tolerances({"lengths.A-B": 1.5e-4, "lengths.B-C": 1e-4}, ["range.x.C"], samples=73, variants=64)
    assert np.isclose(halved["range.x.C"].sigma[0], (1 - spread.gain) * spread.sigma[0], rtol=1e-9)
    assert "Tighten lengths.A-B first" in str(found)


def test_how_far_samples_miss_an_extreme_is_told_in_the_units_of_the_file():
    """The judge is the closed form of the stroke: crank and rod in line, and folded."""
    true = 1000 * (np.sqrt((L + R) ** 2 - E**2) - np.sqrt((L - R) ** 2 - E**2))
    m = sk.Mechanism.from_dict({**press().source_dict, "units": {"length": "mm"}, "points": {
        name: [1000 * x for x in place] for name, place in press().source_dict["points"].items()
    }, "lengths": {"A-B": 1000 * R, "B-C": 1000 * L}})  # fmt: skip
    found = m.tolerances({"lengths.A-B": 1e-4}, {"depth": "range.x.C"}, samples=73, variants=64)
    (note,) = found.notes
    told = re.fullmatch(r"depth is that of 73 samples, which miss its true value by about (\S+) mm", note)
    assert told is not None and float(told[1]) == pytest.approx(true - 1000 * found["depth"].nominal[0], rel=0.1)
    # Of the place at each sample nothing is missed.
    assert m.tolerances({"lengths.A-B": 1e-4}, ["x.C", "mean.x.C"], samples=73, variants=64).notes == ()


def test_variants_without_a_pose_are_counted_and_a_corner_is_named():
    """The rod of 50.2 mm less tolerances is too short for the crank and the offset of 0 where the crank stands up."""
    m = press(points={"A": (0, 0), "B": (0.0, 0.05), "C": (0.004, 0), "S": (0.001, 0.03)}, lengths={"A-B": 0.05,
              "B-C": 0.0502})  # fmt: skip
    found = m.tolerances(
        {"lengths.B-C": 4e-4}, {"x": "x.C"}, distribution="uniform", drivers={"motor": [1.2, np.pi / 2]}, variants=1024
    )
    assert abs(found.lost["out of reach"] - 256) <= 2 and found["x"].lost[1] == found.lost["out of reach"]
    assert found["x"].lost[0] == 0 and np.isnan(found["x"].worst[1]).any() and not np.isnan(found["x"].worst[0]).any()
    assert any("256 of 1024 variants" in note or "out of reach" in note for note in found.notes)
    assert any("a corner of the tolerances has no good pose" in note for note in found.notes)


def test_an_extreme_is_unknown_where_the_mechanism_itself_has_no_pose_at_some_samples():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.4, 0.3), "C": (1.5, 1.3), "D": (3.1, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    assert not m.solve(samples=41).ok.all()
    found = m.tolerances({"lengths.B-C": 1e-4}, ["max.angle.rocker", "angle.rocker"], samples=41, variants=16)
    assert "7 of 41 samples of the mechanism itself have no good pose" in str(found)
    assert np.isnan(found["max.angle.rocker"].worst).all()
    assert np.isfinite(found["angle.rocker"].worst).any()


def test_a_dimension_without_effect_and_a_flat_optimum_are_sentences():
    found = press().tolerances(
        {"lengths.A-B": 1e-4, "points.S.x": 1e-4}, ["x.C"], drivers={"motor": [0.5]}, variants=64
    )
    assert found.notes == ("without effect: points.S.x",)
    straight = press(points={"A": (0, 0), "B": (0.03, 0.04), "C": (0.17, 0), "S": (0.1, 0.03)})
    flat = straight.tolerances(
        {"points.A.y": 1e-3}, ["x.C"], drivers={"motor": [0.0]}, variants=256, distribution="uniform"
    )
    assert any("go beyond the corners" in note for note in flat.notes), flat.notes


def test_axes_other_numbers_of_joints_and_general_groups_are_drawn_one_by_one():
    q, tilt = [0.5], 0.003
    found = press().tolerances({"joints.guide.axis": tilt}, ["y.C"], drivers={"motor": q}, variants=32, plan="random")
    spread = found["y.C"]
    x = place(0.5)
    # The guide turns about the place of C in the sketch.
    corner = [
        press(joints={"guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "C",
                                "axis": [np.cos(a), np.sin(a)]}}).solve(drivers={"motor": q}).position("C")[0, 1]
        for a in (-tilt, tilt)
    ]  # fmt: skip
    np.testing.assert_allclose(np.sort(spread.worst[0]), np.sort(corner), atol=1e-14)
    assert np.isclose(abs(spread.slopes[0, 0]), abs(x - 0.18), rtol=0.01)
    triad = sk.load(examples.path("stephenson_iii_triad"))
    pair = next(iter(triad.source_dict["lengths"])) if triad.source_dict.get("lengths") else "A-B"
    link = next(name for name in triad.topology.moving_links)
    found = triad.tolerances({f"lengths.{pair}": 1e-5}, [f"omega.{link}", f"angle.{link}"], samples=5, variants=8)
    assert np.isfinite(found[f"angle.{link}"].sigma).all()


def test_every_mistake_is_listed_at_once():
    with pytest.raises(sk.InputError) as caught:
        press().tolerances(
            {"lengths.A-B": 0.0, "lengths.B-C": (2e-4, -1e-4), "points.A.y": float("nan"), "points.S.x": {"std": 1}},
            ["y.C", "max.z.C", "max.acceleration.C"], clearances={"S": 1e-5, "B": -1e-5}, variants=0, seed=-1,
            drivers={"engine": [0.0]},
        )  # fmt: skip
    keys = [problem.key for problem in caught.value.problems]
    assert keys[:4] == [f"parameters.{name}" for name in ("lengths.A-B", "lengths.B-C", "points.A.y", "points.S.x")]
    assert keys[4:] == [
        "clearances.S", "clearances.B", "measures.max.z.C", "measures.max.acceleration.C", "variants", "seed",
        "drivers.engine",
    ]  # fmt: skip
    with pytest.raises(sk.InputError, match=r"parameters.lengths.A-Q.*no link has these"):
        press().tolerances({"lengths.A-Q": 1e-4}, ["y.C"])
    with pytest.raises(sk.InputError, match=r"parameters.drivers.motor.speed: the values of this driver are given"):
        press().tolerances({"drivers.motor.speed": 0.1}, ["omega.rod"], drivers={"motor": [0.0]})
    with pytest.raises(sk.InputError, match=r"is named twice"):
        press().tolerances({"lengths.A-B": 1e-4, "lengths.B-A": 1e-4}, ["y.C"])
    with pytest.raises(sk.InputError, match=r"not greater than zero"):
        press().tolerances({"lengths.A-B": 0.06}, ["y.C"])
    with pytest.raises(sk.InputError, match=r"measures: there are none(.|\n)*there are none, and no clearances"):
        press().tolerances({}, [])


def test_outputs_hold_the_same_numbers():
    m = press(units={"length": "mm"}, points={"A": (0, 0), "B": (30, 40), "C": (180, 10), "S": (100, 30)},
              lengths={"A-B": 50, "B-C": 150})  # fmt: skip
    found = m.tolerances(TOLERANCES, ["x.C", "range.x.C"], clearances={"B": 5e-5}, samples=25, variants=64)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["measures"]["x.C"]["sigma"] == found["x.C"].sigma.tolist()
    out = io.StringIO()
    found.write_csv(out)
    lines = out.getvalue().splitlines()
    assert len(lines) == 1 + 25 + 1 and lines[-1].startswith("range.x.C,mm,,")
    assert float(lines[1].split(",")[3]) == pytest.approx(found["x.C"].nominal[0] * 1e3)
    figure = found.plot()
    assert len(figure.axes) == 4 and "deviation [mm]" in figure.axes[0].get_ylabel()
    text = str(found)
    assert "x.C = " in text and " mm at t = " in text and "clearance.B" in text and "±0.05 mm" in text


def test_memory_and_result_do_not_depend_on_the_parts(monkeypatch):
    whole = press().tolerances(TOLERANCES, ["x.C"], clearances={"B": 5e-5}, samples=9, variants=1000, seed=3)["x.C"]
    monkeypatch.setattr("structkin.design.tolerances.MANY", 64)
    parts = press().tolerances(TOLERANCES, ["x.C"], clearances={"B": 5e-5}, samples=9, variants=1000, seed=3)["x.C"]
    for what in ("drawn", "extremes", "worst", "drawn_mean", "drawn_sigma"):
        np.testing.assert_allclose(getattr(parts, what), getattr(whole, what), rtol=1e-10)


def of_clearance(
    pin: str, measures: list[str], links: dict[str, list[str]], order: str, **more: object
) -> list[object]:
    """Return the motion, and the largest changes that a clearance of a pin makes to measures, for links in an order."""
    m = sk.Mechanism(links={name: links[name] for name in order.split()}, **more)
    found = m.tolerances({}, measures, clearances={pin: 1e-4}, samples=5, variants=64)
    return [m.solve(5), *(found[measure].effects[:, 0] for measure in measures)]


@pytest.mark.parametrize("order", ["ground crank rod ram", "ground crank ram rod"])
def test_the_clearance_of_a_pin_on_the_line_of_its_guide_leaves_the_guide(order: str) -> None:
    """A pin e off makes the rod longer by e at most, and turns it by e / l cos(phi): by its closed form."""
    motion, x, y, turn = of_clearance(
        "C", ["x.T", "y.T", "angle.rod"],
        {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "ram": ["C", "T"]}, order,
        points={"A": (0, 0), "B": (0.03, 0.04), "C": (0.18, 0), "T": (0.22, 0.01)},
        joints={"guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    rod = motion.position("C") - motion.position("B")
    np.testing.assert_allclose(x, 1e-4 * np.hypot(*rod.T) / rod[:, 0], rtol=1e-9)
    np.testing.assert_allclose(turn, 1e-4 / rod[:, 0], rtol=1e-9)
    assert np.abs(y).max() < 1e-15


@pytest.mark.parametrize("order", ["ground crank arm", "ground arm crank"])
def test_the_clearance_of_a_pin_at_the_end_of_a_slot_leaves_the_slot(order: str) -> None:
    motion, turn = of_clearance(
        "B", ["angle.arm"], {"ground": ["A", "O"], "crank": ["A", "B"], "arm": ["B", "E"]}, order,
        points={"A": (0, 0), "O": (0.9, 0.55), "B": (0.3, 0.4), "E": (1.5, 0.7)},
        joints={"s": {"type": "pin-in-slot", "pin": "O", "slot": "arm", "along": ["B", "E"]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    np.testing.assert_allclose(turn, 1e-4 / np.hypot(*(motion.position("B") - motion.position("O")).T), rtol=1e-9)


@pytest.mark.parametrize("order", ["ground wheel disc", "wheel ground disc"])
def test_the_clearance_of_a_shaft_leaves_the_teeth(order: str) -> None:
    _, turn = of_clearance(
        "O", ["angle.disc"], {"ground": ["O", "Q"], "wheel": ["O", "W"], "disc": ["Q", "V"]}, order,
        points={"O": (0, 0), "Q": (3, 0), "W": (1, 0), "V": (3, 1)},
        joints={"mesh": {"type": "gear", "links": ["wheel", "disc"], "radii": [1, 2]}},
        drivers={"motor": {"joint": "O", "speed": 1.0}},
    )  # fmt: skip
    assert np.isfinite(turn).all()


@pytest.mark.parametrize("order", ["ground plate crank rocker", "ground crank plate rocker"])
def test_the_clearance_of_a_driven_pin_between_moving_links(order: str) -> None:
    """Of all pins of a four-bar it is the same; the driven one was a traceback where the plate was named first."""
    given = {
        "points": {"A": (0, 0), "B": (0.2, 0.35), "C": (1.3, 0.72), "D": (1, 0), "P": (0.5, 1)}, "duration": 3,
        "drivers": {"j": {"joint": "B", "links": ["crank", "plate"], "law": "-0.72+0.1*sin(t)"}},
    }  # fmt: skip
    links = {"ground": ["A", "D"], "plate": ["B", "C", "P"], "crank": ["A", "B"], "rocker": ["D", "C"]}
    turns = [of_clearance(pin, ["angle.rocker"], links, order, **given)[1] for pin in "ABCD"]
    for turn in turns:
        np.testing.assert_allclose(turn, turns[0], rtol=1e-9)


def test_all_dimensions_are_shown_in_the_units_of_the_file() -> None:
    m = sk.Mechanism.from_dict({
        "units": {"length": "in", "angle": "deg"}, "points": {"A": [0, 0], "B": [2, 3], "C": [9, 2]},
        "links": {"ground": ["A"], "k": ["A", "B"], "rod": ["B", "C"], "ram": {"points": ["C"], "mass": 1}},
        "joints": {"g": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [1, 0.1]}},
        "drivers": {"motor": {"joint": "A", "speed": "60 rpm"}},
    })  # fmt: skip
    given = {"drivers.motor.speed": np.pi / 30, "joints.g.axis": np.radians(0.5), "lengths.A-B": 0.0254 / 8,
             "links.ram.mass": 0.01}  # fmt: skip
    text = str(m.tolerances(given, ["max.speed.C"], samples=5, variants=64))
    for line in ("drivers.motor.speed", "±6 deg/s"), ("joints.g.axis", "±0.5 deg"), ("lengths.A-B", "±0.125 in"):
        assert re.search(rf"{line[0]} +{re.escape(line[1])} ", text)
    assert re.search(r"links.ram.mass +±0.01 kg ", text) and "m/s" not in text
    with pytest.raises(sk.InputError, match=r"parameters\.drivers\.motor\.law\.0: is part of a law"):
        m.with_drivers({"motor": {"joint": "A", "law": "0.1*t"}}).tolerances({"drivers.motor.law.0": 0.1}, ["x.C"])


def test_wrong_tolerances_of_a_file_are_told_as_they_stand_there_with_all_others(tmp_path) -> None:
    (tmp_path / "press.toml").write_text(examples.path("slider_crank_offset").read_text(encoding="utf-8"))
    file = tmp_path / "t.toml"
    file.write_text(
        'mechanism = "press.toml"\n[tolerances]\n"lengths.A-B" = -0.1\n"lengths.B-C" = 1000\n[clearances]\nZ = 1\n'
        '[measures]\nb = "max.speed.Q"\n'
    )
    with pytest.raises(sk.InputError) as caught:
        read_tolerances(file)
    found = {problem.key: problem.message for problem in caught.value.problems}
    assert found.keys() == {"tolerances.lengths.A-B", "tolerances.lengths.B-C", "clearances.Z", "measures.b"}
    assert "found the number -0.1" in found["tolerances.lengths.A-B"]


def lever_angles(y, count):
    """Angles of a lever to the left of its pivot D, in (0, 2 pi), by trigonometry; y is the height of C as drawn."""
    B, C, D = -20j, 20 + y * 1j, 100 + 80j
    rod, lever = abs(C - B), abs(C - D)
    far = D - 20 * np.exp(1j * (np.linspace(0, 2 * np.pi, count) - np.pi / 2))  # from the crank's pin to D
    at_D = np.arccos((lever**2 + np.abs(far) ** 2 - rod**2) / (2 * lever * np.abs(far)))
    return (np.angle(-far) - at_D) % (2 * np.pi)


@pytest.mark.parametrize("reducer", ["max", "mean", "min", "peak", ""])
def test_angles_of_variants_drawn_on_both_sides_of_180_degrees_do_not_differ_by_a_turn(reducer):
    lever = sk.Mechanism(
        "Lever drawn to the left",
        units={"length": "mm"},
        points={"A": (0, 0), "B": (0, -20), "C": (20, 80), "D": (100, 80)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "lever": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    reduced = {"max": np.max, "mean": np.mean, "min": np.min, "peak": np.max, "": np.asarray}[reducer]
    name = f"{reducer}.angle.lever".lstrip(".")
    wanted = [reduced(lever_angles(y, 25)) for y in (79.9, 80.0, 80.1)]
    found = lever.tolerances({"points.C.y": 1e-4}, [name], samples=25, variants=256)[name]
    np.testing.assert_allclose(found.nominal, np.ravel(wanted[1]), atol=1e-12)
    np.testing.assert_allclose(found.worst, np.sort(np.stack((wanted[0], wanted[2]), -1)).reshape(-1, 2), atol=1e-12)
    np.testing.assert_allclose(found.drawn_mean, found.nominal, atol=1e-5)
    np.testing.assert_allclose(found.drawn_sigma, found.sigma, rtol=0.02)
    variants = sk.study(lever, {"points.C.y": [0.0799, 0.08, 0.0801]}, measures=[name], samples=25)
    np.testing.assert_allclose(variants.dataset[name], wanted, atol=1e-12)


@pytest.mark.parametrize("measure", ["x.C", "y.C", "speed.C", "angle.ram", "omega.ram"])
def test_rounding_is_no_effect(measure):
    """As drawn, the places of B and S say nothing of the ram, which neither leaves its guide nor turns."""
    name = "points.B.x" if measure == "x.C" else "points.S.x"
    m = press(points={"A": (0, 0), "B": (0.03, 0.04), "C": (0.18, E), "S": (0.1, 0.03)}, lengths={})
    found = m.tolerances({name: 1e-4}, [measure], samples=1, variants=64)
    assert found.notes == (f"without effect: {name}",)
    assert (found[measure].slopes == 0).all() and found[measure].tighten == ""
    assert "Tighten" not in str(found)
    # A place at the origin has no size of its own.
    there = press(points={"A": (-0.18, -E), "B": (0.03 - 0.18, 0.04 - E), "C": (0, 0), "S": (0.1, 0.03)}, lengths={})
    found = there.tolerances({"points.B.x": 1e-4}, ["x.C"], samples=1, variants=64)
    assert found.notes == ("without effect: points.B.x",)


def test_a_speed_has_no_derivatives_at_rest():
    """At the dead centre crank and rod are in one line; a deviation of either sign makes the ram move there."""
    t = np.arcsin(E / (R + L)) - np.arctan2(0.04, 0.03) + np.array([0.0, 1.0]) + 2 * np.pi
    found = press().tolerances({"lengths.B-C": 1e-4}, ["speed.C"], t=t, variants=64)
    speed = found["speed.C"]
    assert speed.nominal[0] < 1e-12 < speed.nominal[1]
    assert np.isnan(speed.slopes[0]).all() and np.isnan(speed.worst[0]).all() and np.isfinite(speed.worst[1]).all()
    assert found.notes == ("speed.C: no derivatives at 1 of 2 numbers, at rest or next to a flat pose",)


def test_a_note_names_what_changes_the_start_of_a_driver_with_a_speed():
    h, t = 1e-6, np.array([0.4])
    q = np.arctan2(0.04, 0.03) + t
    sides = [place(q, y=y) for y in (h, -h)], [place(np.arctan2(0.04 - y, 0.03) + t, y=y) for y in (h, -h)]
    by_law, by_speed = ((high - low) / (2 * h) for high, low in sides)
    for law, slope, count in (({"law": f"{q[0] - 0.4} + t"}, by_law, 0), ({"speed": 1.0}, by_speed, 1)):
        m = press(drivers={"motor": {"joint": "A", **law}})
        found = m.tolerances({"points.A.y": 1e-4, "lengths.A-B": 1e-4}, ["x.C"], t=t, variants=64)
        np.testing.assert_allclose(found["x.C"].slopes[:, 0], slope, rtol=1e-6)
        assert len(found.notes) == count and all("points.A.y also changes the value" in note for note in found.notes)


def test_a_note_says_that_another_speed_leaves_the_times_as_they_are():
    found = press().tolerances({"drivers.motor.speed": 0.01}, ["range.x.C"], samples=25, variants=64)
    assert any("at another speed they are another part of the cycle" in note for note in found.notes)
