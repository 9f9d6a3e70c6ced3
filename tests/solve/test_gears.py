"""Gears, racks, belts and rolling: textbook formulas, and random geared mechanisms against every check."""

import numpy as np
import pytest
from cases import blocks, few
from hypothesis import given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, DYADS, GEARED, build
from test_coefficients import assert_describes_the_motion
from test_random_mechanisms import check_motion, check_path, check_structure, check_there_and_back, quiet

import structkin as sk
from structkin.examples import path
from structkin.joints.guide import Guide
from structkin.model.parts import SketchPose
from structkin.plan.plan import Register
from structkin.solve import compile_plan
from structkin.solve.call import default_range

seeds = st.integers(0, 2**31 - 1)
MIXED = (*GEARED, *GEARED, *DYADS, *DRIVEN)


def describe(case):
    """K and L describe the motion, if there is one: a law may begin whole turns away, beyond a limit."""
    motion = case.mechanism().solve(7)
    if motion.ok.any():
        assert_describes_the_motion(motion)


# --- random mechanisms ----------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("element", few(sorted({*GEARED}, key=lambda f: f.__name__), 2, 0))
def test_every_element_on_driven_links(element):
    seen = 0
    for seed in range(8):
        case = build(3000 + seed, 3, menu=(element, element, *DRIVEN))
        check_structure(case)
        check_motion(case)
        seen += any(
            joint["type"] in ("gear", "belt", "rack", "rolling") for joint in case.data.get("joints", {}).values()
        )
    assert seen >= 1


@pytest.mark.parametrize("elements", few(range(1, 6), 1, 1))
@settings(max_examples=4, **quiet)
@given(seed=seeds)
def test_random_geared_mechanisms(elements, seed):
    case = build(seed, elements, menu=MIXED)
    check_structure(case)
    check_motion(case)
    describe(case)


@pytest.mark.full
@settings(max_examples=3, **quiet)
@given(seed=seeds)
def test_paths_from_the_sketch_lead_to_the_same_pose(seed):
    check_path(build(seed, 3, menu=MIXED))


@pytest.mark.full
@settings(max_examples=20, **quiet)
@given(seed=seeds)
def test_driven_out_and_back_the_pose_is_the_same(seed):
    check_there_and_back(build(seed, 3, menu=MIXED))


# --- another pose as the sketch ---------------------------------------------------------------------------------


def posed_at(motion, k):
    """The mechanism with sample k of a motion as its sketch."""
    m = motion.mechanism
    frames = {}
    for name, link in m.links.items():
        origin, tip = (complex(*motion.position(place, name)[k]) for place in (0j, 1 + 0j))
        frames[name] = (link.origin, link.direction) if name == "ground" else (origin, tip - origin)
    held = [point for point in m.points if any(point in link.local for link in m.links.values())]
    points = {name: complex(*motion.position(name)[k]) for name in held}
    return m.posed(SketchPose(points, frames, {id: float(z[0, k]) for id, z in motion.drivers.items()}))


def check_posed(m, t, method="topological"):
    """A motion restarted from one of its own poses is the rest of the original motion."""
    whole = m.solve(t=t)
    good = int(np.argmin(np.append(whole.ok, False)))
    if good < 3:
        return 0
    k = good // 2
    rest = posed_at(whole, k).solve(drivers={id: z[0, k:good] for id, z in whole.drivers.items()}, method=method)
    assert rest.ok.all()
    for name in m.links:
        for place in (0j, 1 + 0j):
            one, other = rest.position(place, name), whole.position(place, name)[k:good]
            np.testing.assert_allclose(one, other, atol=1e-8 * whole.size)
    for joint in m.joints.of(Guide):
        np.testing.assert_allclose(rest.travel(joint), whole.travel(joint)[k:good], atol=1e-8 * whole.size)
    assert rest.residual().max() < 1e-8
    return 1


@pytest.mark.parametrize("method", ["topological", "global"])
@pytest.mark.parametrize("name", ["rack_and_pinion", "planetary_train", "geared_five_bar", "rolling_lift_bridge"])
def test_examples_can_be_posed(name, method):
    m = sk.load(path(name))
    start, end = default_range(m) if m.duration is None else (0.0, m.duration)
    assert check_posed(m, np.linspace(start, 0.7 * end, 31), method)


@settings(max_examples=6, **quiet)
@given(seed=seeds)
def test_random_geared_mechanisms_can_be_posed(seed):
    case = build(seed, 3, menu=MIXED)
    check_posed(case.mechanism(), np.linspace(0, case.duration, 15))


# --- whole turns ----------------------------------------------------------------------------------------------


def train(ratio):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (3, 0), "C": (4, 0), "D": (1, 0)},
        links={"ground": ["A", "B"], "small": ["A", "D"], "large": ["B", "C"]},
        joints={"mesh": {"type": "gear", "links": ["large", "small"], "ratio": ratio}},
        drivers={"motor": {"joint": "A", "speed": 2.0}},
    )


def test_whole_turns_count_however_far_the_samples_are_apart():
    m = train(-1 / np.sqrt(7))
    z = np.array([0.0, 100.0, -3.0, 500.0])
    motion = m.solve(drivers={"motor": z})
    np.testing.assert_allclose(motion.angle("large"), -z / np.sqrt(7), atol=1e-10)
    alone = m.solve(drivers={"motor": [100.0]})
    np.testing.assert_allclose(alone.position("C")[0], motion.position("C")[1], atol=1e-12)


def test_turns_after_a_dyad_are_those_of_the_path():
    """The rocker of a crank-rocker returns to its angle; a coupler that turns with its crank does not."""
    points = {"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (0.5, 0.3), "E": (0, 5), "F": (0.3, 5)}
    double_crank = sk.Mechanism(
        points=points,
        links={
            "ground": ["A", "D", "E"],
            "crank": ["A", "B"],
            "coupler": ["B", "C"],
            "follower": ["D", "C"],
            "wheel": ["E", "F"],
        },
        joints={"mesh": {"type": "gear", "links": ["wheel", "follower"], "ratio": -0.3}},
        lengths={"A-B": 2.5, "D-C": 2.6, "B-C": 2.2},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    turns = 2 * np.pi * np.arange(6)
    motion = double_crank.solve(t=turns)
    assert motion.ok.all() and motion.plan.tracked
    np.testing.assert_allclose(motion.angle("wheel") - motion.angle("wheel")[0], -0.3 * turns, atol=1e-9)
    np.testing.assert_allclose(motion.angle("follower") - motion.angle("follower")[0], turns, atol=1e-9)


def parallel_crank(shaft, pin, shift):
    """Points, links and driver of a parallelogram whose follower is the bar from shaft to pin."""
    points = {"A": shaft, "B": pin, "M": (shaft[0] + shift, shaft[1]), "N": (pin[0] + shift, pin[1])}
    links = {"ground": ["A", "M"], "crank": ["M", "N"], "coupler": ["N", "B"], "follower": ["A", "B"]}
    return points, links, {"motor": {"joint": "M", "speed": 1.0}}


def test_a_turn_is_counted_through_change_points():
    """The follower of a parallelogram turns with its crank, through its flat poses, and so does a wheel on it."""
    points, links, drivers = parallel_crank((0, 0), (0.6, 0.8), 4.0)
    points |= {"E": (0, 5), "F": (0.3, 5)}
    m = sk.Mechanism(
        points=points,
        links={**links, "ground": ["A", "M", "E"], "wheel": ["E", "F"]},
        joints={"mesh": {"type": "gear", "links": ["wheel", "follower"], "ratio": -0.3}},
        drivers=drivers,
    )
    # flat poses hit exactly, and missed by little or by much
    z = np.unique(np.concatenate([k * np.pi + np.array([-0.3, -1e-2, -1e-9, 0, 1e-6, 0.05]) for k in range(1, 6)]))
    motion = m.solve(drivers={"motor": (z, np.ones_like(z), np.zeros_like(z))})
    assert motion.ok.all() and motion.plan.tracked and motion.lanes.around is not None
    np.testing.assert_allclose(motion.angle("wheel") - motion.angle("wheel")[0], -0.3 * (z - z[0]), atol=1e-10)
    np.testing.assert_allclose(motion.omega("wheel"), -0.3, rtol=1e-10)
    np.testing.assert_allclose(motion.alpha("wheel"), 0.0, atol=1e-9)
    np.testing.assert_allclose(motion.K("wheel")[:, 0], -0.3, rtol=1e-10)
    np.testing.assert_allclose(motion.L("wheel"), 0.0, atol=1e-9)


@pytest.mark.full
def test_a_law_that_begins_a_turn_away_beyond_a_limit_is_out_of_reach():
    """A general group there would be in its sketched pose, while the driven link was a turn further."""
    case = build(25373, 3, menu=MIXED)
    m = case.mechanism()
    motion = m.solve(7)
    assert not motion.ok.any()
    assert "between the sketch and the first sample G1 stops at 4.259593 rad" in motion.report
    (passage,) = motion.limits
    assert passage.sample == -1 and passage.drivers["G1"] == pytest.approx(4.259593, abs=1e-6)
    # A turn less is near the sketch.
    t = np.linspace(0, case.duration, 50)
    laws = {id: drive.law(t)[0] for id, drive in m.drivers.items()}
    motion = m.solve(drivers=laws | {"G1": laws["G1"] - 2 * np.pi})
    assert motion.ok.all()
    turns = {link: motion._frames.scalar(motion.plan.turns[link]) for link in ("R4", "J1")}
    start = m.drivers["G1"].start
    np.testing.assert_allclose(turns["J1"] - turns["R4"], motion.drivers["G1"][0] - start, atol=1e-10)


def test_beyond_a_gap_a_turn_is_not_known():
    """A crank that cannot turn fully, with a wheel on its rocker: a turn later, the motion has ended."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 2), "C": (1.5, 2.3), "D": (3.2, 0), "E": (6, 0), "F": (6.5, 0)},
        links={"ground": ["A", "D", "E"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"],
               "wheel": ["E", "F"]},
        joints={"mesh": {"type": "gear", "links": ["wheel", "rocker"], "ratio": -2.5}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    limits = m.limits()
    low, high = limits.lower.value, limits.upper.value
    assert high - low < 2 * np.pi
    far = np.linspace(limits.start, limits.start + 2 * np.pi, 200)
    motion = m.solve(drivers={"motor": np.concatenate((far, far[::-1]))})
    z = motion.drivers["motor"][0]
    assert (motion.ok == (z < high)).all()
    back = motion.position("F")[::-1]
    np.testing.assert_allclose(motion.position("F")[motion.ok], back[motion.ok], atol=1e-10)


def test_a_general_group_with_gears_beyond_change_points():
    """A car pushed by the follower of a parallelogram moves like one pushed by the crank."""
    points = {"P": (-5, 0), "Q": (5, 0), "C": (0, 1), "E": (0.5, 1)}
    links = {"wheel": ["C", "E"], "rod": ["B", "E"]}
    roll = {"roll": {"type": "rolling", "links": ["wheel", "ground"], "radius": 1, "along": ["P", "Q"]}}
    shaft, pin = (-2, 2), (-1.8, 2.5)
    own, bars, drivers = parallel_crank(shaft, pin, 4.0)
    ground = {"ground": ["P", "Q", "A"]}
    direct = sk.Mechanism(
        points={**points, "A": shaft, "B": pin},
        links={**links, **ground, "crank": ["A", "B"]},
        joints=roll,
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    behind = sk.Mechanism(
        points={**points, **own},
        links={**links, **bars, "ground": [*ground["ground"], "M"]},
        joints=roll,
        drivers=drivers,
    )
    z = np.sort(np.concatenate((np.linspace(1.2, 7.5, 40), [np.pi, 2 * np.pi])))
    one, other = (m.solve(drivers={"motor": (z, np.ones_like(z), np.zeros_like(z))}) for m in (direct, behind))
    assert one.ok.all() and other.ok.all() and other.lanes.around is not None
    for read in ("position", "velocity", "acceleration", "K", "L"):
        np.testing.assert_allclose(getattr(one, read)("E"), getattr(other, read)("E"), atol=1e-9)
    np.testing.assert_allclose(one.angle("wheel"), other.angle("wheel"), atol=1e-10)


def test_ratios_that_leave_rotations_undetermined_are_reported():
    lock = sk.Mechanism(
        points={"O": (0, 0), "P": (0.3, 0)},
        links={"ground": ["O"], "arm": ["O", "P"], "wheel": ["P"]},
        joints={"belt": {"type": "belt", "links": ["wheel", "ground"], "radii": [0.05, 0.05]}},
        drivers={"motor": {"links": ["ground", "wheel"], "speed": 1}},
    )
    with pytest.raises(sk.StructureError, match="couplings belt do not determine the rotations of arm, wheel"):
        lock.solve()


def test_planets_that_do_not_fit_are_a_structure():
    places = 0.3 * np.exp(2j * np.pi * np.arange(3) / 3)
    pins = [f"P{k}" for k in range(3)]
    links = {"ground": ["O"], "sun": ["O"], "arm": ["O", *pins], **{f"planet{k}": [pins[k]] for k in range(3)}}
    for last, moves in ((46, True), (47, False)):
        joints = {}
        for k in range(3):
            ring = last if k == 2 else 46
            joints[f"s{k}"] = {"type": "gear", "links": ["sun", f"planet{k}"], "teeth": [20, 13]}
            joints[f"r{k}"] = {"type": "gear", "links": [f"planet{k}", "ground"], "teeth": [13, ring], "internal": True}
        m = sk.Mechanism(
            points={"O": (0, 0), **{pin: (z.real, z.imag) for pin, z in zip(pins, places, strict=True)}},
            links=links,
            joints=joints,
            drivers={"motor": {"links": ["ground", "sun"], "speed": 1}},
        )
        if moves:
            assert {one.id for one in m.structure().over} == {"r1", "r2"}
            np.testing.assert_allclose(m.solve(4).omega("arm"), 20 / 66, rtol=1e-13)
        else:
            with pytest.raises(sk.StructureError, match="only by special dimensions"):
                m.solve()


@pytest.mark.parametrize("seed", [824, 949])
def test_the_jacobian_of_a_group_that_rolls_is_the_derivative_of_its_rows(seed):
    """Its entries depend on the turns: without them a determinant once changed sign away from singular poses."""
    plan = compile_plan(sk.Mechanism.from_dict(build(seed, 1 + seed % 5, menu=MIXED).data))
    rolling = [step for step in plan.steps if not step.kind.closed_form and step.kind.rows.angles]
    assert rolling
    for step in rolling:
        form = step.kind
        m, size, rng = form.rows.links, form.rows.size, np.random.default_rng(seed)
        h = tuple(
            rng.normal(size=(2, 1)) if isinstance(x, Register) and plan.widths[x.index] == 2 else rng.normal(size=1)
            for x in step.inputs
        )
        pose = rng.normal(size=(m, 3, 1)) * [[size], [size], [1.0]]
        J = form.jacobian(h, form.unknowns(pose[:, :2], pose[:, 2]))[0]
        for k in range(3 * m):
            d = np.zeros((3 * m, 1), complex)
            d[k] = 1e-20j
            d = d.reshape(m, 3, 1)
            moved = form.gaps(h, pose[:, :2] + d[:, :2], pose[:, 2] + d[:, 2] / size)
            np.testing.assert_allclose(J[:, k], moved.imag[:, 0] / 1e-20, atol=1e-12)


def test_a_group_that_rolls_turns_as_a_whole_with_its_base():
    m = sk.Mechanism.from_dict(build(949, 5, menu=MIXED).data)
    start, n = {id: drive.start for id, drive in m.drivers.items()}, 37
    drivers = {"E3": start["E3"] - np.linspace(0, 2 * np.pi, n), "C1": np.full(n, start["C1"])}
    assert m.solve(drivers=drivers).ok.all()


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(3000)))
def test_thousands_of_random_geared_mechanisms(seeds):
    for seed in seeds:
        case = build(seed, 1 + seed % 5, menu=MIXED)
        check_structure(case)
        check_motion(case)
        describe(case)
