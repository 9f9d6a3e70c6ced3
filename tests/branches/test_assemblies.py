"""All assemblies of whole mechanisms: complete, lazy, usable, and reported where there are none or infinitely many."""

from __future__ import annotations

import copy
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import few
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from three_cranks import three_cranks

import structkin as sk
from structkin.examples import names, path
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.guide import Guide

sys.path.append(str(Path(__file__).parents[1] / "solve"))
from random_mechanisms import build


def four_bar(**changes):
    data = {
        "points": {"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)},
        "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        "drivers": {"motor": {"joint": "A", "speed": 1}},
    }
    return sk.Mechanism("Four-bar", **{**data, **changes})


def held(m):
    return [point for point in m.points if any(point in link.local for link in m.links.values())]


# --- every example ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", few(names(), 16))
def test_examples_have_their_sketch_and_can_be_used_in_every_assembly(name):
    m = sk.load(path(name))
    found = m.assemblies(limit=40)
    every = list(found)
    known = not m.joints.of(CurveSlot)  # the modes of a curved slot are not enumerated
    assert all(item.certified == known and item.residual <= 1e-12 * 50 for item in every)
    assert [item.index for item in every] == list(range(len(every)))
    assert found.nearest().distance() <= 0.03 * found.nearest().motion.size
    assert len({item.modes for item in every}) == len(every)
    for item in every[:6]:
        other = item.mechanism()
        motion = other.solve(drivers={id: [value] for id, value in item.drivers.items()})
        assert motion.regular.all()  # some may be beyond a stroke
        for point in held(m):
            assert motion.position(point)[0] == pytest.approx(item.position(point), abs=1e-9 * item.motion.size)
        for joint in m.joints.of(Guide):
            assert motion.travel(joint)[0] == pytest.approx(item.motion.travel(joint)[0], abs=1e-9 * item.motion.size)


#: Assemblies at the sketch's driver values, counted by hand or by the trusses' tables.
COUNTS = {
    "crank_rocker": 2,
    "jansen_leg": 8,
    "platform_3rpr": 6,
    "rapson_slide": 1,
    "v_engine": 4,
    "whitworth_shaper": 4,
}


@pytest.mark.parametrize("name", COUNTS)
def test_number_of_assemblies(name):
    assert len(list(sk.load(path(name)).assemblies())) == COUNTS[name]


def test_a_motion_stays_in_the_assembly_that_was_chosen():
    m = sk.load(path("jansen_leg"))
    chosen = m.assembly(4)
    motion = chosen.mechanism().solve(samples=61, strict=True)
    for point in held(m):
        assert motion.position(point)[0] == pytest.approx(chosen.position(point), abs=1e-9)
    # Half a cycle later it still is the assembly of the same modes.
    turned = {id: float(z[0, 30]) for id, z in motion.drivers.items()}
    same = next(item for item in m.assemblies(drivers=turned) if item.modes == chosen.modes)
    for point in held(m):
        assert same.position(point) == pytest.approx(motion.position(point)[30], abs=1e-9)


def test_motions_lead_to_the_eight_bar_assemblies():
    """Each assembly of the double triad, moved a little by continuation, is an assembly at the new crank angle."""
    m = sk.load(path("eight_bar_double_triad"))
    start = m.drivers["motor"].start
    after = list(m.assemblies(drivers={"motor": start + 0.05}))
    for item in m.assemblies():
        motion = item.mechanism().solve(drivers={"motor": np.linspace(start, start + 0.05, 9)})
        assert motion.ok.all()
        gaps = [max(np.abs(motion.position(p)[-1] - other.position(p)).max() for p in held(m)) for other in after]
        assert min(gaps) < 1e-10


# --- choosing -----------------------------------------------------------------------------------------------


def test_choose_by_sketch_index_and_condition():
    m = four_bar()
    assert m.assembly().position("C") == pytest.approx((3, 2))
    assert m.assembly(1).position("C") == pytest.approx((1.8, -1.6))
    below = m.assembly(where=lambda item: item.position("C")[1] < 0)
    assert below.index == 1 and below.modes == ((), (-1,))
    found = m.assemblies()
    assert found.nearest(below).index == 1
    assert found[1].angle("rocker") == pytest.approx(math.atan2(-1.6, -1.2))
    with pytest.raises(IndexError, match="2 assemblies"):
        found[2]
    with pytest.raises(IndexError, match="negative indices"):
        found[-1]


def test_an_assembly_has_a_pose_and_no_rates():
    for item in four_bar().assemblies():
        motion = item.motion
        assert np.isnan(motion.velocity("C")).all() and np.isnan(motion.alpha("rocker")).all()
        assert np.isfinite(motion.position("C")).all() and np.isfinite(motion.K("C")).all()


def test_the_modes_of_one_group():
    m = sk.load(path("jansen_leg"))
    chosen = m.assembly()
    before = dict(enumerate(chosen.modes[:3]))
    last = list(m.assemblies(modes=before))
    assert [item.modes[3] for item in last] == [(1,), (-1,)]
    assert all(item.modes[:3] == chosen.modes[:3] for item in last)
    assert [item.index for item in m.assemblies(modes=dict(enumerate(chosen.modes)))] == [0]
    with pytest.raises(sk.InputError, match="no group 9"):
        m.assemblies(modes={9: (1,)})
    with pytest.raises(sk.InputError, match="not a row of modes"):
        m.assemblies(modes={1: 1})


def test_a_missing_assembly_is_explained():
    m = four_bar()
    with pytest.raises(sk.PoseError, match="no assembly 5"):
        m.assembly(5)
    with pytest.raises(sk.PoseError, match="no assembly meets"):
        m.assembly(where=lambda item: item.position("C")[1] > 10)
    with pytest.raises(sk.InputError, match="combined with where"):
        m.assembly(0, where=lambda item: True)


def test_driver_values_and_times():
    m = four_bar()
    quarter = m.assembly(t=math.pi / 2)
    # The law is speed * t from the sketch's angle.
    assert quarter.drivers["motor"] == pytest.approx(m.drivers["motor"].start + math.pi / 2)
    given_value = m.assembly(drivers={"motor": quarter.drivers["motor"]})
    assert given_value.position("C") == pytest.approx(quarter.position("C"))
    assert math.isnan(given_value.motion.t[0]) and quarter.motion.t[0] == pytest.approx(math.pi / 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"drivers": {"moto": 1.0}}, "did you mean 'motor'"),
        ({"drivers": {"motor": [1.0, 2.0]}}, "takes one value"),
        ({"drivers": {"motor": math.nan}}, "not finite"),
        ({"drivers": {"motor": "x"}}, "expected real numbers"),
        ({"limit": 0}, "not a positive whole number"),
        ({"t": [0.0, 1.0]}, "is not a number"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(sk.InputError, match=words):
        four_bar().assemblies(**arguments)


# --- lazy ---------------------------------------------------------------------------------------------------


def chain(n):
    """A row of n four-bars, each driven by the rocker of the previous one: 2^n assemblies."""
    points, links = {"A0": (0.0, 0.0), "B0": (0.0, 1.0)}, {"ground": ["A0"], "bar0": ["A0", "B0"]}
    for k in range(1, n + 1):
        points |= {f"A{k}": (3.0 * k, 0.0), f"B{k}": (3.0 * k + 0.1, 1.1)}
        links["ground"] = [*links["ground"], f"A{k}"]
        links |= {f"rod{k}": [f"B{k - 1}", f"B{k}"], f"bar{k}": [f"A{k}", f"B{k}"]}
    return sk.Mechanism("Chain", points=points, links=links, drivers={"motor": {"joint": "A0", "speed": 1}})


def test_a_product_is_not_multiplied_out():
    m = chain(300)
    found = m.assemblies(limit=5)
    assert len(list(found)) == 5 and found.truncated
    assert "the search stopped at the limit" in found.report
    assert [item.index for item in found] == [0, 1, 2, 3, 4]
    first = next(iter(m.assemblies(limit=None)))
    assert first.residual < 1e-12


def test_the_limit_may_be_just_enough():
    found = four_bar().assemblies(limit=2)
    assert len(list(found)) == 2 and not found.truncated
    assert found.report == "2 assemblies"


# --- none, coinciding, infinitely many -------------------------------------------------------------------------------


def test_out_of_reach_names_the_group_and_the_distance():
    m = four_bar(lengths={"B-C": 3.16})
    near, far = (m_.assemblies().dead_ends for m_ in (four_bar(lengths={"B-C": 5.163}), four_bar(lengths={"B-C": 6.0})))
    assert list(m.assemblies()) and not m.assemblies().dead_ends
    assert near[0].group == far[0].group == 1
    assert 0 < near[0].gap < 0.05 < far[0].gap
    found = four_bar(lengths={"B-C": 6.0}).assemblies()
    assert not list(found)
    assert "group 2, RRR (coupler + rocker) does not close" in found.report
    with pytest.raises(sk.PoseError, match="0 assemblies"):
        found.nearest()


def test_a_dead_point_is_one_singular_assembly_of_two_modes():
    """The links of the dyad are aligned: both modes coincide."""
    m = four_bar(points={"A": (0, 0), "B": (0, 1), "C": (2, 1.01), "D": (5, 1)})
    m = sk.Mechanism.from_dict({**m.source_dict, "lengths": {"B-C": 2, "D-C": 3}})
    (item,) = m.assemblies()
    assert item.singular == (1,) and item.multiplicity == 2
    assert not item.certified and math.isnan(item.alpha) and "2 solutions coincide" in item.verdict
    assert item.motion.status[0] == sk.Status.SINGULAR


def test_coincident_pivots_leave_a_dyad_free():
    """A kite folded flat: the two pivots of a dyad with equal arms coincide."""
    m = four_bar(
        points={"A": (0, 0), "B": (2, 0), "C": (2.5, 1.9), "D": (2, 1)}, lengths={"A-B": 2, "B-C": 2, "D-C": 2}
    )
    found = m.assemblies(drivers={"motor": math.atan2(1, 2)})
    assert not found.endless
    list(found)
    other = four_bar(points={"A": (0, 0), "B": (0, 2), "C": (1.5, 2.9), "D": (2, 0)}, lengths={"B-C": 2, "D-C": 2})
    free = other.assemblies(drivers={"motor": 0.0})
    assert not list(free) and free.endless == (1,)
    assert "can move with its inputs held" in free.report


@pytest.mark.parametrize("z", [0.0, 2 * math.pi, 1e-12, 1e-8, 1e-7, 2e-6, 1e-5, 1e-3])
@pytest.mark.parametrize("longer", [0.0, 1e-9, -1e-6])
def test_pins_that_nearly_coincide_leave_a_dyad_free_or_give_poses_that_close(z, longer):
    """A kite whose short dyad has its pins within `z` of each other; its bars may differ a little."""
    lengths = {"A-B": 1, "A-D": 1, "B-C": 0.7, "D-C": 0.7 + longer}
    m = four_bar(points={"A": (0, 0), "B": (0.54, 0.84), "C": (1.31, 0.71), "D": (1, 0)}, lengths=lengths)
    found = m.assemblies(drivers={"motor": z})
    assert max((item.residual for item in found), default=0.0) < 1e-14
    apart = abs(2 * math.sin(z / 2))
    assert len(list(found)) == 2 * (apart > max(abs(longer), 1e-6))
    assert found.complete == (not found.endless)
    if abs(longer) < 1e-8 and apart < 1e-6:
        assert found.endless == (1,) or found.dead_ends[0].gap < 2e-9
    if longer == 0.0:
        assert found.endless == ((1,) if apart < 1e-6 else ())


def test_a_pin_on_the_pivot_of_a_slotted_arm_leaves_it_free():
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (0, 0.1), "B": (0.1, 0.1), "E": (0.3, 0.3)},
        links={"ground": ["O", "A"], "crank": ["A", "B"], "arm": ["O", "E"]},
        joints={"s": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "along": ["O", "E"]}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    found = m.assemblies(drivers={"motor": -math.pi / 2})
    assert not list(found) and found.endless == (1,) and not found.complete
    assert len(list(m.assemblies(drivers={"motor": -1.5}))) == 2


def test_the_free_modes_of_an_inversor_are_not_listed():
    """Peaucellier's cell: with both side pins in one place the last dyad turns about them."""
    P, far, side = 0.06 + 0.06 * np.exp(0.3j), 0.2, 0.12
    x = (far**2 - side**2 + abs(P) ** 2) / (2 * abs(P))
    u, y = P / abs(P), math.sqrt(far**2 - x**2)
    places = {"O": 0j, "E": 0.06 + 0j, "P": P, "V": u * (x + 1j * y), "W": u * (x - 1j * y), "Q": u * (2 * x - abs(P))}
    bars = {f"{a}{b}": [a, b] for a, b in ("EP", "OV", "OW", "VP", "WP", "VQ", "WQ")}
    m = sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in places.items()},
        links={"ground": ["O", "E"], **bars},
        drivers={"motor": {"joint": "E", "speed": 1}},
    )
    found = m.assemblies()
    assert len(list(found)) == 4 and found.endless == (3,) and not found.complete
    assert all(math.dist(item.position("V"), item.position("Q")) == pytest.approx(side) for item in found)


def test_parallel_guides_are_reported():
    """A carriage on the ground's guide and a slotted crank: perpendicular to each other, and parallel."""
    m = sk.Mechanism(
        points={"O": (0, 0), "P": (1, 2)},
        links={"ground": ["O"], "crank": ["O"], "block": ["P"], "carriage": ["P"]},
        joints={
            "slide": {"type": "prismatic", "links": ["block", "crank"], "at": "P", "axis": [1, 2]},
            "guide": {"type": "prismatic", "links": ["carriage", "ground"], "at": "P", "axis": [1, 0]},
        },
        drivers={"motor": {"joint": "O", "speed": 1}},
    )
    assert [group.kind for group in m.structure().groups] == ["driven R", "PRP"]
    start, slope = m.drivers["motor"].start, math.atan2(2, 1)
    assert len(list(m.assemblies())) == 1
    found = m.assemblies(drivers={"motor": start - slope})
    assert not list(found)
    assert "guides are parallel" in found.report
    # Beyond the parallel position the lines intersect again, on the other side.
    assert m.assembly(drivers={"motor": start - slope - 0.5}).residual < 1e-12


# --- a mechanism from an assembly -----------------------------------------------------------------------------


def test_the_mechanism_of_an_assembly_keeps_sizes_and_pickles():
    m = sk.load(path("excavator"))
    item = m.assembly(3)
    other = item.mechanism()
    assert {name: link.local for name, link in other.links.items()} == {
        name: link.local for name, link in m.links.items()
    }
    assert m.places != other.places and m.assembly().index != item.index
    assert other.assembly().modes == item.modes and other.assembly().distance() < 1e-9
    again = pickle.loads(pickle.dumps(other))
    assert again.places == other.places and {d: x.start for d, x in again.drivers.items()} == item.drivers
    assert copy.copy(other) is other
    assert other.source_dict == m.source_dict
    assert [group.kind for group in other.structure().groups] == [group.kind for group in m.structure().groups]


def test_plain_data():
    data = sk.load(path("platform_3rpr")).assemblies().to_dict()
    assert [item["modes"] for item in data["assemblies"]] == [[[k]] for k in range(1, 7)]
    assert all(item["certified"] and item["residual"] < 1e-12 for item in data["assemblies"])
    assert data["drivers"]["left"] == pytest.approx(0.1498) and not data["truncated"]


def test_repr():
    found = four_bar().assemblies()
    assert repr(found) == "<Assemblies of 'Four-bar': none computed so far>"
    assert repr(found[1]) == "<Assembly 1: group 2: -; certified>"


# --- wheels ---------------------------------------------------------------------------------------------------


def rocker_with_wheel(teeth):
    return sk.Mechanism(
        points={
            "A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0), "G": (4.5, 0), "H": (4.5, 0.6), "K": (6.5, 1.6),
            "L": (7, 0),
        },
        links={
            "ground": ["A", "D", "G", "L"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"],
            "wheel": ["G", "H"], "rod": ["H", "K"], "arm": ["L", "K"],
        },
        joints={"mesh": {"type": "gear", "links": ["rocker", "wheel"], "teeth": teeth}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip


@pytest.mark.parametrize(("teeth", "turns"), [([40, 20], 1), ([20, 40], 2), ([20, 60], 3), ([30, 40], 4)])
def test_whole_turns_of_a_rocker_with_a_wheel(teeth, turns):
    """With a ratio p : q the wheel has q angles for each mode of the four-bar."""
    m = rocker_with_wheel(teeth)
    every = list(m.assemblies())
    assert len(every) == 4 * turns and len({item.modes for item in every}) == len(every)
    start = m.assembly()
    assert start.distance() == pytest.approx(0, abs=1e-12)
    ratio = teeth[0] / teeth[1]
    wheels = set()
    for item in every:
        # External gears turn in opposite senses; the rocker's turns are counted from the sketch.
        turned = item.angle("rocker") - start.angle("rocker")
        wheel = start.angle("wheel") - ratio * turned
        steps = (item.angle("wheel") - wheel) / (2 * math.pi) * turns
        assert steps == pytest.approx(round(steps), abs=1e-9)
        wheels.add((item.modes[1], round(steps) % turns))
    assert len(wheels) == 2 * turns
    motion = every[-1].mechanism().solve(samples=13, strict=True)
    np.testing.assert_allclose(motion.position("H")[0], every[-1].position("H"), atol=1e-12)


def test_irrational_ratios_are_reported():
    data = rocker_with_wheel([20, 40]).source_dict
    data["joints"]["mesh"] = {"type": "gear", "links": ["rocker", "wheel"], "ratio": -math.sqrt(2)}
    found = sk.Mechanism(**data).assemblies()
    assert len(list(found)) == 4 and "whole turns more are not listed" in found.report


@pytest.mark.parametrize("rods", few(map(pytest.param, [(-2.3, 1.0), (-2.1, 1.0), (-1.7, 1.0), (-2.0, 0.8)])))
def test_a_geared_five_bar_driven_between_its_rods(rods):
    """Gears inside a group: its modes are the zeros of one function of the crank's angle."""
    data = copy.deepcopy(sk.load(path("geared_five_bar")).source_dict)
    data["drivers"] = {"motor": {"joint": "P", "links": ["left_rod", "right_rod"]}}
    del data["duration"]
    m, (angle, longer) = sk.Mechanism(**data), rods
    data["lengths"] = {"B-P": longer * abs(m.places["P"] - m.places["B"]) * 1e3}
    m = sk.Mechanism(**data)
    found = m.assemblies(drivers={"motor": angle})
    every = list(found)
    assert "not enumerated" in found.report and not any(item.certified for item in every)
    A, B, C, D, P = (m.places[name] for name in "ABCDP")
    left, right = longer * abs(P - B), abs(C - P)
    # P -> C is at the driver's angle to B -> P, so the distance from B to C is known.
    reach = abs(left + right * np.exp(1j * angle))
    turn = np.linspace(0, 4 * np.pi, 400_001)[:-1]
    gap = np.abs(D + (C - D) * np.exp(-0.5j * turn) - A - (B - A) * np.exp(1j * turn)) - reach
    assert len(every) == np.sum(gap * np.roll(gap, -1) < 0) > 0
    for item in every:
        B1, C1 = (complex(*item.position(name)) for name in "BC")
        assert abs(C1 - B1) == pytest.approx(reach, abs=1e-12)
        turned = ((C1 - D) / (C - D)) ** 2 * (B1 - A) / (B - A)
        assert turned == pytest.approx(1, abs=1e-9)
        assert item.mechanism().solve(drivers={"motor": [angle]}).ok.all()
    with pytest.raises(sk.InputError, match="circuits: it has gears, racks or rolling contacts: its modes"):
        m.circuits()


GEARED_PRESS = {
    "points": {"A": (0, 0), "B": (6, 0), "C": (1, 2), "D": (5, 2), "E": (2, 6), "F": (4, 6), "G": (3, 8)},
    "links": {
        "ground": ["A", "B"], "k1": ["A", "C"], "k2": ["B", "D"], "r1": ["C", "E"], "r2": ["D", "F"],
        "bar": ["E", "F", "G"], "ram": ["G"],
    },
    "joints": {
        "mesh": {"type": "gear", "links": ["k1", "k2"], "ratio": -2},
        "guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "G", "axis": [0, 1]},
    },
    "drivers": {"m": {"links": ["k1", "r1"], "speed": 0.1}},
}  # fmt: skip
GEARED_FIVE_BAR = {
    "points": {"A": (0, 0), "B": (9, 0), "C": (2, 3), "D": (8, 2.5), "E": (5, 9)},
    "links": {"ground": ["A", "B"], "k1": ["A", "C"], "k2": ["B", "D"], "r1": ["C", "E"], "r2": ["D", "E"]},
    "joints": {"g": {"type": "gear", "links": ["k1", "k2"], "ratio": -2}},
    "drivers": {"m": {"links": ["k1", "r1"], "speed": 1}},
}
DISC_CAM = {
    "points": {"A": (0, 0), "Q": (0, 0.04), "T": (0, 0.09)},
    "links": {"ground": ["A"], "disc": ["A"], "lifter": ["Q", "T"]},
    "joints": {
        "guide": {"type": "prismatic", "links": ["lifter", "ground"], "at": "Q", "axis": [0, 1]},
        "contact": {
            "type": "cam", "cam": "disc", "follower": "lifter", "at": "Q", "radius": 0.008,
            "profile": [[0, 0.03], [1, 0.033], [2, 0.038], [3, 0.04], [4, 0.038], [5, 0.033]],
        },
    },
    "drivers": {"motor": {"joint": "A", "speed": 1}},
}  # fmt: skip


@pytest.mark.parametrize(("parts", "count"), [(GEARED_PRESS, 8), (GEARED_FIVE_BAR, 4), (DISC_CAM, 2)])
def test_held_and_driven_angles_are_not_half_a_turn_off(parts, count):
    """Rows of parallel directions also vanish where one has turned around: no joint and no driver is satisfied there.

    The counts of the press and the five-bar are those of a scan of the rotation of k1, of which the driver makes one
    link with r1: 400,000 places in two turns. The cam's follower lies above or below the axis.
    """
    m = sk.Mechanism(**parts, duration=1)
    every = list(m.assemblies())
    assert len(every) == count
    for item in every:
        assert item.residual < 1e-9
        assert all(item.angle(link) == pytest.approx(0 if link == "ram" else np.pi / 2) for link in ("ram", "lifter")
                   if link in m.links)  # fmt: skip
        motion = item.mechanism().solve(samples=3)
        assert motion.ok.all()
        if "r1" in m.links:
            np.testing.assert_allclose(motion.angle("r1") - motion.angle("k1"), motion.drivers["m"][0], atol=1e-9)


# --- random mechanisms ----------------------------------------------------------------------------------------

quiet = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}


@settings(max_examples=10, **quiet)
@given(st.integers(0, 2**31 - 1), st.integers(1, 4))
def test_random_mechanisms(seed, elements):
    check_random(seed, elements)


@pytest.mark.slow
@settings(max_examples=2000, **quiet)
@given(st.integers(0, 2**31 - 1), st.integers(1, 5))
def test_many_random_mechanisms(seed, elements):
    check_random(seed, elements)


def check_random(seed, elements):
    """The sketch is among the assemblies, all close, and each yields a mechanism in its stated pose."""
    m = build(seed, elements).mechanism()
    found = m.assemblies(limit=60)
    every = list(found)
    size = every[0].motion.size
    assert found.truncated or found.nearest().distance() < 1e-6 * size
    assert max(item.residual for item in every) < 1e-10
    for item in every[:: max(len(every) // 3, 1)]:
        if item.certified:
            motion = item.mechanism().solve(drivers={id: [value] for id, value in item.drivers.items()})
            gaps = [np.max(np.abs(motion.position(point)[0] - item.position(point))) for point in held(m)]
            assert max(gaps) < 1e-7 * size


# --- redundant joints -----------------------------------------------------------------------------------------


def test_redundant_joints_leave_the_assemblies_that_satisfy_them():
    """A parallelogram with three cranks: crossed, the middle crank does not fit."""
    m = three_cranks()
    (item,) = m.assemblies()
    assert item.distance() < 1e-12 and item.residual < 1e-12 and item.certified
    assert [end.group for end in m.assemblies().dead_ends] == [2]


def test_wedges_have_one_assembly():
    m = sk.Mechanism(
        points={"P": (0, 0), "Q": (1, 1)},
        links={"ground": [], "wedge": ["P"], "follower": ["Q"]},
        joints={
            "base": {"type": "prismatic", "links": ["wedge", "ground"], "at": "P", "axis": [1, 0]},
            "slope": {"type": "prismatic", "links": ["follower", "wedge"], "at": "Q", "axis": [1, 0.3]},
            "shaft": {"type": "prismatic", "links": ["follower", "ground"], "at": "Q", "axis": [0, 1]},
        },
        drivers={"push": {"joint": "base", "law": "t + t**2"}},
    )
    (item,) = m.assemblies(t=0.5)
    assert item.position("Q") == pytest.approx((1, 1 - 0.3 * 0.75)) and item.certified


def test_a_follower_on_an_outline_is_taken_where_it_touches_in_the_sketch_and_it_is_said():
    """A round disc beside its shaft, with a roller on a lever, is a four-bar with two assemblies, each drawn here."""
    hinge, t = 80 + 30j, np.linspace(0, 2 * np.pi, 64, endpoint=False)
    way, length = hinge - 10, 70.0
    along = (50**2 - length**2 + abs(way) ** 2) / (2 * abs(way))
    beside = 1j * np.sqrt(50**2 - along**2)
    for side in (1, -1):
        at = 10 + way / abs(way) * (along + side * beside)
        m = sk.Mechanism(
            units={"length": "mm"},
            points={"A": (0, 0), "B": (80, 30), "Q": (at.real, at.imag)},
            links={"ground": ["A", "B"], "disc": ["A"], "lever": ["B", "Q"]},
            joints={"cam": {"type": "cam", "cam": "disc", "follower": "lever", "at": "Q", "radius": 10,
                            "outline": [[10 + 40 * np.cos(x), 40 * np.sin(x)] for x in t.tolist()]}},
            drivers={"motor": {"joint": "A", "speed": 1}},
        )  # fmt: skip
        found = m.assemblies()
        (one,) = found
        assert one.position("Q") * 1e3 == pytest.approx([at.real, at.imag], abs=1e-6)
        assert not found.complete and "touches the cam in the sketch" in found.report
