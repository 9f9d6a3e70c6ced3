"""Strokes: poses beyond the hardware are reported with joint and end; the numbers do not change."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path

#: The sketch of the yoke has its crank at 45 deg: x and y of the pin [mm].
EVEN = 15 * 2**0.5
METHODS = ("topological", "topological-kl", "global", "global-triangular")


def yoke(slot=None, guide=None, **more):
    """A Scotch yoke of r = 30 mm: its pin is at r sin z in the slot, the yoke at r (cos z - cos 45 deg)."""
    return sk.Mechanism(
        "yoke", units={"length": "mm", "angle": "deg"},
        points={"A": (0, 0), "B": (EVEN, EVEN), "P": (EVEN, -20), "Q": (EVEN, 25), "T": (80, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "yoke": ["P", "Q", "T"]},
        joints={
            "slot": {"type": "pin-in-slot", "pin": "B", "slot": "yoke", "along": ["P", "Q"], **(slot or {})},
            "guide": {"type": "prismatic", "links": ["yoke", "ground"], "at": "T", "axis": [1, 0], **(guide or {})},
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}}, **more,
    )  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_pin_leaves_its_slot(method):
    free, motion = (yoke(slot).solve(samples=73, method=method) for slot in (None, {"ends": ["P", "Q"]}))
    y = 30e-3 * np.sin(motion.drivers["motor"][0])
    side = np.where(y > 25e-3, 1, np.where(y < -20e-3, -1, 0))
    assert set(side) == {-1, 0, 1}
    np.testing.assert_array_equal(motion.beyond("slot"), side)
    np.testing.assert_array_equal(motion.status, np.where(side, sk.Status.BEYOND_STROKE, sk.Status.OK))
    np.testing.assert_array_equal(motion.ok, side == 0)
    assert motion.regular.all() and free.ok.all()
    owner = next(group.index for group in motion.structure.groups if "slot" in group.joints)
    assert set(motion.failed_group[side != 0]) == {owner} and set(motion.failed_group[side == 0]) == {-1}
    for name in ("position", "acceleration", "K", "L"):
        np.testing.assert_array_equal(getattr(motion, name)("T"), getattr(free, name)("T"))


def test_the_end_of_a_stroke_belongs_to_it():
    """Samples exactly at the ends are ok: rounding does not exclude them."""
    motion = yoke(guide={"stroke": [-30 - EVEN, 30 - EVEN]}).solve(samples=361)
    assert motion.ok.all()
    motion = yoke(guide={"stroke": [-30 - EVEN, 30 - EVEN - 1e-6]}).solve(samples=361)
    np.testing.assert_array_equal(np.flatnonzero(~motion.ok), [315])


@pytest.mark.parametrize("given", ["stroke", "ends"])
def test_a_circular_slot_has_ends(given):
    """Its travel is the angle of the link that could replace it, against the link with the slot."""
    B, C = 1 + 0.5j, 2.8 + 2j
    arm = (B - C) / abs(B - C)
    ends = {"U": C + arm * np.exp(0.04j), "V": C + 2 * arm * np.exp(-0.1j)}
    places = {"A": 0j, "B": B, "C": C, "D": 4 + 0j}
    common = {"drivers": {"motor": {"joint": "A", "law": "0.4636476 + 0.3*sin(t)"}}, "duration": 6}
    drawn = {name: (z.real, z.imag) for name, z in {**places, **ends}.items()}
    slot = {"type": "pin-in-slot", "pin": "B", "slot": "rocker", "center": "C"}
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "rocker": ["D", "C", "U", "V"]}
    stroke = {"stroke": [-0.1, 0.04]} if given == "stroke" else {"ends": ["U", "V"]}
    motion = sk.Mechanism(points=drawn, links=links, joints={"slot": {**slot, **stroke}}, **common).solve(samples=61)
    other = sk.Mechanism(points=drawn, links={**links, "rod": ["C", "B"]}, **common).solve(samples=61)
    turned = other.turn("rod") - other.turn("rocker")
    np.testing.assert_allclose(motion.travel("slot"), turned, atol=1e-12)
    side = np.where(turned > 0.04, 1, np.where(turned < -0.1, -1, 0))
    assert set(side) == {-1, 0, 1}
    np.testing.assert_array_equal(motion.beyond("slot"), side)


def test_the_arc_of_a_slot_is_the_one_with_the_pin():
    """Two points bound two arcs: one of less and one of more than half a turn."""
    for angles, stroke in (
        ((60, -40), (-40, 60)),
        ((60, 100), (-260, 60)),
        ((-30, -90), (-30, 270)),
        ((0, 80), (0, 80)),
    ):
        p, q = np.exp(1j * np.radians(angles))
        m = sk.Mechanism(
            points={"A": (0, 0), "B": (1, 0), "P": (p.real, p.imag), "Q": (q.real, q.imag)},
            links={"ground": ["A", "P", "Q"], "arm": ["B"]},
            joints={
                "slot": {"type": "pin-in-slot", "pin": "B", "slot": "ground", "center": "A", "ends": ["P", "Q"]},
                "rail": {"type": "prismatic", "links": ["arm", "ground"], "axis": [0, 1]},
            },
        )
        np.testing.assert_allclose(np.degrees(m.joints["slot"].stroke), stroke, atol=1e-9)


BOOM = {
    "units": {"length": "mm"}, "duration": 10,
    "points": {"A": (0, 0), "B": (900, 300), "E": (200, -150), "F": (500, 250)},
    "links": {"ground": ["A", "E"], "boom": ["A", "B", "F"]},
    "drivers": {"ram": {"between": ["E", "F"], "speed": "20 mm/s", "stroke": [450, 630]}},
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_cylinder_is_too_long(method):
    motion = sk.Mechanism.from_dict(BOOM).solve(samples=101, method=method)
    length = np.hypot(*(motion.position("F") - motion.position("E")).T)
    np.testing.assert_array_equal(motion.ok, length < 0.63 + 1e-9)
    assert motion.ok[65] and not motion.ok[66] and motion.ok.sum() == 66
    assert "beyond stroke at group 1" in motion.report
    assert "ram past the upper end of its stroke, 630 mm" in motion.report


@pytest.mark.parametrize("method", METHODS)
def test_the_cylinders_of_an_excavator(method):
    """Boom and arm have two links and a slide each, the bucket a driven distance; the law of each gives its length."""
    data = sk.load(path("excavator")).source_dict
    data["joints"]["boom_bore"]["stroke"] = [-0.4, 0.5]
    data["joints"]["arm_bore"]["stroke"] = [-0.2, 0.2]
    data["drivers"]["bucket_cylinder"]["stroke"] = [1.5, 1.95]
    m = sk.Mechanism.from_dict(data)
    motion = m.solve(samples=61, method=method)
    z = {id: z[0] for id, z in motion.drivers.items()}
    boom, bucket = z["boom_cylinder"] < -0.4, z["bucket_cylinder"] < 1.5
    arm = np.sign(z["arm_cylinder"]) * (abs(z["arm_cylinder"]) > 0.2)
    for id, side in (("boom_bore", -1 * boom), ("arm_bore", arm), ("bucket_cylinder", -1 * bucket)):
        np.testing.assert_array_equal(motion.beyond(id), side)
    np.testing.assert_array_equal(motion.ok, ~boom & (arm == 0) & ~bucket)
    first = np.where(boom, 0, np.where(arm != 0, 1, 2))
    np.testing.assert_array_equal(motion.failed_group, np.where(motion.ok, -1, first))
    found = [m.limits(id) for id in m.drivers]
    ends = [(one.lower.value, one.upper.value) for one in found]
    np.testing.assert_allclose(ends, [(-0.4, 0.5), (-0.2, 0.2), (1.5, 1.95)], atol=1e-13)


def test_messages_use_the_units_of_the_file():
    motion = yoke({"ends": ["P", "Q"]}).solve(samples=9)
    file = io.StringIO()
    motion.to_csv(file)
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))[1:]
    assert [row["status"] for row in rows] == [sk.Status(code).words for code in motion.status]
    assert rows[1]["status"] == "beyond stroke" and rows[1]["group"] and rows[1]["T.x"]
    from structkin.show.columns import motion_to_dict

    data = json.loads(json.dumps(motion_to_dict(motion)))
    assert data["status"][1] == "beyond stroke" and data["ok"] == motion.ok.sum()
    with pytest.raises(sk.PoseError, match="slot past the upper end of its stroke"):
        motion.require_ok()


def test_forces_are_those_without_ends():
    """A stroke exerts no force: the efforts are the same, also beyond it."""
    data = sk.load(path("scotch_yoke")).source_dict
    free = sk.Mechanism.from_dict(data).solve(samples=25)
    data["joints"]["guide"]["stroke"] = [-50, 5]
    motion = sk.Mechanism.from_dict(data).solve(samples=25)
    assert not motion.ok.all()
    np.testing.assert_array_equal(motion.forces().driver("motor"), free.forces().driver("motor"))


@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_a_simulation_continues_beyond_a_stroke(formulation):
    """Under 1 N a slide of 1 kg is at t^2 / 2: it passes the end at 0.2 m without a force, with a report."""
    m = sk.Mechanism(
        points={"C": (0, 0)}, links={"ground": [], "slide": {"points": ["C"], "mass": 1}},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0], "stroke": [-0.1, 0.2]}},
        drivers={"x": {"joint": "guide", "force": 1}},
    )  # fmt: skip
    run = m.simulate(1.0, samples=11, formulation=formulation)
    np.testing.assert_allclose(run.travel("guide"), run.t**2 / 2, atol=1e-9)
    np.testing.assert_array_equal(run.ok, run.t < np.sqrt(0.4))
    assert not run.stopped and "guide past the upper end of its stroke, 0.2 m" in run.report


def test_each_variant_keeps_its_own_ends():
    """All variants solved at once give the samples of each solved by itself."""
    m = yoke({"ends": ["P", "Q"]}, {"stroke": [-55, 8]})
    lengths = np.array([20e-3, 24e-3, 30e-3, 33e-3])
    many = m.solve_many(samples=37, lengths={"A-B": lengths})
    for k, length in enumerate(lengths):
        data = m.source_dict
        data["lengths"] = {"A-B": 1e3 * length}
        one = sk.Mechanism.from_dict(data).solve(samples=37)
        np.testing.assert_array_equal(many.status[k], one.status)
        np.testing.assert_array_equal(many.failed_group[k], one.failed_group)
    assert "beyond stroke: 3 variants" in many.report
    many = m.solve_many(samples=37, points={"Q": np.array([[15e-3 * 2**0.5, y] for y in (25e-3, 22e-3, 21e-3)])})
    for k, stroke in enumerate(([-20 - EVEN, 25 - EVEN], [-20 - EVEN, 22 - EVEN])):
        np.testing.assert_array_equal(
            many.status[k], yoke({"stroke": stroke}, {"stroke": [-55, 8]}).solve(samples=37).status
        )
    assert (many.status[2] == sk.Status.BAD_INPUT).all() and "the sketch is outside this stroke" in str(many.faults[2])


def test_a_stroke_ends_the_interval_of_a_driver():
    """The pin is at its ends where 30 mm sin z = 25 mm, -20 mm; beyond dead centres the pin re-enters the slot."""
    found = yoke({"ends": ["P", "Q"]}).limits()
    up, down = np.arcsin(25 / 30), -np.arcsin(20 / 30)
    assert abs(found.upper.value - up) < 1e-14 and abs(found.lower.value - down) < 1e-14
    assert found.upper.kind == found.lower.kind == "stroke" and found.upper.joint == "slot"
    assert found.upper.why == "slot at the upper end of its stroke, 3.7868 mm"
    assert found.place(found.lower).startswith("group 2, P-S (yoke): slot at the lower end")
    other = next(item for item in found.intervals if item.low.value > 1)
    np.testing.assert_allclose(
        [other.low.value, other.high.value],
        [np.pi - up, np.pi - down],
        rtol=0,
        atol=1e-14,
    )
    assert found.to_dict()["upper"]["joint"] == "slot"


def test_touching_an_end_is_not_a_limit():
    found = yoke({"stroke": [-30 - EVEN, 30 - EVEN]}, {"stroke": [-30 - EVEN, 30 - EVEN]}).limits()
    assert found.turns_fully and not found.change_points


def test_the_first_of_stroke_and_fold_ends_the_motion():
    """A cylinder on a boom: its stroke within the triangle's inequalities, and beyond one of them."""
    found = sk.Mechanism.from_dict(BOOM).limits()
    assert (found.lower.value, found.upper.value) == (
        0.45,
        0.63,
    ) and found.lower.kind == found.upper.kind == "stroke"
    longer = sk.Mechanism.from_dict(BOOM | {"drivers": {"ram": {"between": ["E", "F"], "stroke": [450, 900]}}}).limits()
    assert longer.lower.kind == "stroke" and longer.upper.kind == "folded"
    assert abs(longer.upper.value - np.hypot(0.5, 0.25) - 0.25) < 1e-14


@pytest.mark.parametrize("stroke", [[-5, 8], [0, 12], [-9, 0], [-14.2, 15.6]])
def test_limits_of_a_general_group(stroke):
    """A triad whose third arm is a circular slot: at the limits found its pin is at an end of the slot."""
    data = sk.load(path("stephenson_iii_triad")).source_dict
    data["links"].pop("right")
    data["joints"] = {"slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "center": "D"}}
    free = sk.Mechanism.from_dict(data)
    data["joints"]["slot"]["stroke"] = stroke
    found = sk.Mechanism.from_dict(data).limits()
    ends = [found.lower.value, found.upper.value]
    at = np.degrees([free.solve(drivers={"motor": [end]}).travel("slot")[0] for end in ends])
    assert np.abs(at[:, None] - stroke).min(axis=1).max() < 1e-11
    within = np.degrees(free.solve(drivers={"motor": np.linspace(*ends, 400)[1:-1]}).travel("slot"))
    assert (within > stroke[0]).all() and (within < stroke[1]).all()


EXAMPLES = [("whitworth_shaper", "slot"), ("rapson_slide", "guide"), ("rack_and_pinion", "guide"),
            ("cam_lever_press", "guide")]  # fmt: skip


@pytest.mark.parametrize(("name", "joint"), EXAMPLES)
def test_limits_are_where_a_sweep_meets_the_ends(name, joint):
    """Swept up to the limits found, a slide is at an end of its stroke: after dyads, wheels and cams."""
    free = sk.load(path(name))
    data, travel = free.source_dict, free.solve(samples=100).travel(joint)
    stroke = np.array([0.7 * travel.min() - 0.1 * np.ptp(travel), 0.6 * travel.max() + 0.1 * np.ptp(travel)])
    data["joints"][joint]["stroke"] = list(stroke / free.units.length_scale)
    m = sk.Mechanism.from_dict(data)
    found = m.limits()
    np.testing.assert_array_equal(m.solve(samples=100).ok, (travel >= stroke[0]) & (travel <= stroke[1]))
    for end in (found.lower, found.upper):
        sweep = free.solve(drivers={found.driver: np.linspace(found.start, end.value, 100)})
        assert end.kind == "stroke" and np.abs(sweep.travel(joint)[-1] - stroke).min() < 1e-15


@pytest.mark.parametrize("method", METHODS[::2])
def test_a_report_says_where_a_stroke_ends(method):
    """Between its samples a motion stops and resumes where 30 mm sin z = 25 mm, whatever method has solved it."""
    motion = yoke({"stroke": [-30 - EVEN, 25 - EVEN]}).solve(samples=10, method=method)
    stops, resumes = motion.limits
    place = np.arcsin(25 / 30)
    assert abs(stops.drivers["motor"] - place) < 1e-12 and abs(resumes.drivers["motor"] - (np.pi - place)) < 1e-12
    assert (stops.limit.kind, stops.limit.joint, stops.resumes, resumes.resumes) == (
        "stroke",
        "slot",
        False,
        True,
    )
    assert "motor stops at 56.44269 deg (t = 0.1997126 s): slot at the upper end of its stroke" in motion.report


@pytest.mark.parametrize("method", METHODS[::2])
def test_a_sample_at_an_end_is_the_last_one(method):
    """At 630 mm, where a sample lies, the cylinder stops, and it moves again on the return."""
    ram = {"between": ["E", "F"], "stroke": [450, 630], "law": "630 + 10*sin(pi*t/5)"}
    data = BOOM | {"drivers": {"ram": ram}}
    motion = sk.Mechanism.from_dict(data).solve(samples=11, method=method)
    np.testing.assert_array_equal(np.flatnonzero(~motion.ok), [1, 2, 3, 4])
    assert [(one.sample, one.t, one.limit.kind) for one in motion.limits] == [(0, 0.0, "stroke"), (5, 5.0, "stroke")]


def test_limits_of_a_sketch_at_an_end():
    """A cylinder drawn at its shortest, and a slide drawn at the end of its guide."""
    found = sk.Mechanism.from_dict(BOOM | {"drivers": {"ram": {"between": ["E", "F"], "stroke": [500, 600]}}}).limits()
    np.testing.assert_allclose([found.lower.value, found.upper.value], [np.hypot(0.3, 0.4), 0.6], rtol=0, atol=1e-15)
    found = yoke(guide={"stroke": [0, 5]}).limits()
    up = np.arccos((EVEN + 5) / 30)
    np.testing.assert_allclose([found.lower.value, found.upper.value], [up, np.pi / 4], rtol=0, atol=1e-14)


def test_a_start_beyond_a_stroke_has_no_limits():
    found = sk.Mechanism.from_dict(BOOM).limits(drivers={"ram": 0.7})
    assert found.failure == "cannot start at ram = 700 mm: ram past the upper end of its stroke, 630 mm"
    assert found.width == 0


def test_an_assembly_reports_that_it_is_beyond_a_stroke():
    data = sk.load(path("slider_crank_offset")).source_dict
    data["joints"]["guide"]["stroke"] = [-60, 60]
    sketched, other = sk.Mechanism.from_dict(data).assemblies()
    assert sketched.verdict == "certified" and sketched.motion.ok[0]
    assert other.verdict.startswith("certified; guide past the lower end of its stroke") and not other.motion.ok[0]


def test_a_slot_is_drawn_between_its_ends():
    from structkin.show.drawing import scene_of
    from structkin.show.pose import sketch_poses
    from structkin.show.scene import Placing

    m = yoke({"ends": ["P", "Q"]}, {"stroke": [-50, 10]})
    for poses, k in ((sketch_poses(m), 0), (m.solve(samples=5).poses, 3)):
        # With symbols of size zero only the lines are left.
        shapes = {shape.id: shape for shape in scene_of(m, m.structure(), poses, 1e-12).shapes}
        placing = Placing(poses, 1e-3)
        for shape, ends in (
            (shapes["slot:slot"], [placing.poses.at("yoke", z)[k] / 1e-3 for z in (0j, 0.045 + 0j)]),
            (shapes["hatching:guide:guide"], [30, 90]),
        ):
            drawn = placing.of(shape.frame, shape.z[np.isfinite(shape.z)], k)
            for end in ends:
                assert np.min(np.abs(drawn - end)) < 1e-6
            assert np.ptp(drawn.real) + np.ptp(drawn.imag) < 1e-6 + abs(ends[1] - ends[0]) * np.sqrt(2)


MISTAKES = [
    ({"stroke": [10, -10]}, "joints.slot.stroke", "the stroke from 10 mm to -10 mm does not increase"),
    ({"stroke": [5, 10]}, "joints.slot.stroke", "the sketch is outside this stroke: it is at 0 mm, below 5 mm"),
    ({"stroke": [-5]}, "joints.slot.stroke", "expected [smallest, largest], found a list of 1"),
    ({"stroke": ["5 s", 9]}, "joints.slot.stroke", "'5 s' is not a length"),
    ({"stroke": [-5, 5], "ends": ["P", "Q"]}, "joints.slot", "has both a stroke and ends"),
    ({"ends": ["P", "A"]}, "joints.slot.ends", "'A' is not a point of 'yoke', which has the line"),
    ({"ends": ["P", "P"]}, "joints.slot.ends", "names the point 'P' twice"),
    ({"ends": ["P", "X"]}, "joints.slot.ends", "point 'X' is not in [points]"),
]


@pytest.mark.parametrize(("slot", "key", "message"), MISTAKES)
def test_an_invalid_stroke(slot, key, message):
    with pytest.raises(sk.InputError) as error:
        yoke(slot)
    (problem,) = error.value.problems
    assert problem.key == key and problem.message.startswith(message)
    if "the sketch" in message:
        assert problem.hint == "it is measured from the sketch in both directions: [-40, 60]"


def test_problems_of_strokes_are_reported_together():
    data = json.loads(json.dumps(BOOM))
    data["drivers"]["ram"]["stroke"] = [510, 600]
    data["links"]["sled"] = ["B"]
    data["points"]["R"] = [1000, 0]
    data["links"]["ground"].append("R")
    data["joints"] = {"rail": {"type": "prismatic", "links": ["sled", "ground"], "axis": [1, 0], "stroke": [3, 1]}}
    data["drivers"] |= {
        "push": {"joint": "rail", "stroke": [0, 10]}, "turn": {"links": ["ground", "boom"], "stroke": [0, 1]}
    }  # fmt: skip
    with pytest.raises(sk.InputError) as error:
        sk.Mechanism.from_dict(data)
    found = {problem.key: problem.message for problem in error.value.problems}
    assert found["drivers.ram.stroke"] == "the sketch is outside this stroke: it is at 500 mm, below 510 mm"
    assert found["drivers.push.stroke"] == "the stroke of a slide belongs to its joint"
    assert found["drivers.turn.stroke"] == "an angle driver has no stroke" and "joints.rail.stroke" in found
