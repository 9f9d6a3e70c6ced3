"""Variants with other numbers of any kind: each has the digits of its own mechanism, read from its own file."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import names, path
from structkin.model.numbers import number_of, own_value
from structkin.solve.many.solve_many import PART

CRANK_ROCKER = {
    "units": {"length": "mm", "angle": "deg", "mass": "g"},
    "points": {"A": (0, 0), "B": (100, 0), "C": (400, 300), "D": (500, 0), "P": (200, 400), "F": (0, 600)},
    "links": {
        "ground": ["A", "D", "F"],
        "crank": ["A", "B"],
        "coupler": {"points": ["B", "C", "P"], "mass": 300, "center": (250, 200), "inertia": 4e-4},
        "rocker": ["C", "D"],
    },
    "drivers": {"motor": {"joint": "A", "speed": "60 rpm"}},
    "forces": {"gravity": (0, -9.81), "spring": {"type": "spring", "between": ["F", "P"], "stiffness": "2 N/mm"}},
}


def same(motions, k, one):
    """Assert that variant k has the digits of a motion of its own."""
    m = motions.mechanism
    np.testing.assert_array_equal(motions.status[k], one.status)
    for what in ("position", "velocity", "acceleration"):
        for point in m.points:
            np.testing.assert_array_equal(
                getattr(motions, what)(point)[k], getattr(one, what)(point), f"{what} {point}"
            )
    for what in ("omega", "alpha"):
        for link in m.links:
            np.testing.assert_allclose(
                getattr(motions, what)(link)[k], getattr(one, what)(link), rtol=1e-12, atol=1e-12
            )


def metres(value):
    return f"{float(value)!r} m"


@pytest.mark.parametrize("name", few(names(), 3, 10))
def test_lengths_give_the_digits_of_a_mechanism_of_its_own(name):
    m, rng = sk.load(path(name)), np.random.default_rng(5)
    links = [link for name, link in m.links.items() if name != "ground" and len(link.points) > 1]
    pairs = [link.points[:2] for link in links if len(link.points) == 2] or [link.points[:2] for link in links]
    own = {f"{a}-{b}": np.hypot(*np.subtract(m.points[a], m.points[b])) for a, b in pairs}
    lengths = {pair: length * rng.uniform(0.99, 1.01, 3) for pair, length in own.items()}
    motions = m.solve_many(30, lengths=lengths)
    for k in range(3):
        data = m.source_dict
        ends = {frozenset(pair.split("-")) for pair in lengths}
        kept = {pair: value for pair, value in data.get("lengths", {}).items() if set(pair.split("-")) not in ends}
        data["lengths"] = kept | {pair: metres(values[k]) for pair, values in lengths.items()}
        same(motions, k, sk.Mechanism.from_dict(data, folder=m._folder).solve(t=motions.t))


@pytest.mark.parametrize("name", few(["jansen_leg", "crank_rocker", "slider_crank_offset", "peaucellier"], 3))
@pytest.mark.parametrize("far", [0.01, 0.5])
def test_points_give_the_digits_of_a_mechanism_of_its_own(name, far):
    """Places so far from the sketch that some select other assembly modes, and that some are refused."""
    m, rng, several = sk.load(path(name)), np.random.default_rng(1), 0
    for point, place in list(m.points.items())[-3:]:
        places = place + far * m.size * rng.uniform(-1, 1, (4, 2))
        motions = m.solve_many(15, points={point: places})
        several += len(motions.motions) > 0
        for k in range(4):
            data = m.source_dict
            data["points"][point] = [metres(x) for x in places[k]]
            try:
                one = sk.Mechanism.from_dict(data).solve(t=motions.t)
            except sk.InputError as error:
                assert motions.faults[k].problems == error.problems
                assert (motions.status[k] == sk.Status.BAD_INPUT).all()
            else:
                same(motions, k, one)
    assert several or far < 0.1 or name == "slider_crank_offset"


@pytest.mark.parametrize("engine", ["python", pytest.param("compiled", marks=pytest.mark.compiled)])
def test_numbers_of_every_kind(engine):
    m = sk.Mechanism(**CRANK_ROCKER)
    given = {
        "lengths.A-B": [0.09, 0.11, 0.1],
        "points.D.x": [0.5, 0.49, 0.51],
        "drivers.motor.speed": [5.0, -7.0, 9.0],
        "links.coupler.mass": [0.2, 0.4, 0.5],
        "links.coupler.center.y": [0.2, 0.21, 0.22],
        "forces.spring.stiffness": [1500.0, 1800.0, 2500.0],
        "forces.gravity.y": [0.0, -9.81, -3.7],
    }
    motions = m.solve_many(40, parameters=given, engine=engine)
    assert not motions.motions and motions.ok.all()
    torques = []
    for k in range(3):
        data = m.source_dict
        data["lengths"] = {"A-B": metres(given["lengths.A-B"][k])}
        data["points"]["D"] = [metres(given["points.D.x"][k]), 0]
        data["drivers"]["motor"]["speed"] = given["drivers.motor.speed"][k]
        coupler = data["links"]["coupler"]
        coupler["mass"] = f"{given['links.coupler.mass'][k]} kg"
        coupler["center"] = [250, metres(given["links.coupler.center.y"][k])]
        data["forces"]["spring"]["stiffness"] = given["forces.spring.stiffness"][k]
        data["forces"]["gravity"] = [0, given["forces.gravity.y"][k]]
        one = sk.Mechanism.from_dict(data).solve(t=motions.t)
        same(motions, k, one)
        np.testing.assert_array_equal(motions.angle("crank")[k], one.angle("crank"))
        torques.append(motions.motion(k).forces().driver("motor"))
        np.testing.assert_array_equal(torques[-1], one.forces().driver("motor"))
    assert np.ptp(torques, axis=0).max() > 1


def test_numbers_of_joints_are_solved_one_by_one():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (4, 0.0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0],
                          "stroke": [-3, 1]}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip
    motions = m.solve_many(13, parameters={"joints.guide.stroke.0": [-3.0, -1.0]})
    assert motions.ok[0].all()
    # The piston is at cos(q) + 3 cos(b), sin(b) = sin(q) / 3, less 4 in the sketch.
    q = motions.t
    travel = np.cos(q) + np.sqrt(9 - np.sin(q) ** 2) - 4
    np.testing.assert_array_equal(motions.status[1] == sk.Status.BEYOND_STROKE, travel < -1 - 1e-9)


def test_a_value_that_no_mechanism_has_is_the_fault_of_its_variant():
    m = sk.Mechanism(**CRANK_ROCKER)
    masses = [0.3, -0.1, 0.2, np.nan, -0.2, 0.0]
    motions = m.solve_many(5, parameters={"links.coupler.mass": masses, "lengths.A-B": [0.1] * 5 + [-1.0]})
    assert sorted(motions.faults) == [1, 3, 4, 5]
    assert (motions.status[[1, 3, 4, 5]] == sk.Status.BAD_INPUT).all() and motions.ok[[0, 2]].all()
    assert "links.coupler.mass: expected a mass that is not negative" in str(motions.faults[1])
    with pytest.raises(sk.InputError, match="not negative"):
        motions.variant(1)
    with pytest.raises(sk.InputError, match="there is no variant 6 of 6"):
        motions.motion(6)


BAR = {
    "points": {"A": (0, 0), "B": (1, 0)},
    "links": {"ground": ["A"], "bar": {"points": ["A", "B"], "mass": 1.0}},
    "drivers": {"motor": {"joint": "A", "speed": 1.0}},
}


def gears():
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.06, 0), "P": (0.02, 0.01), "Q": (0.08, 0.01)},
        links={"ground": ["A", "B"], "w1": ["A", "P"], "w2": ["B", "Q"]},
        joints={"mesh": {"type": "gear", "links": ["w1", "w2"], "radii": [0.03, 0.03]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def cam():
    return sk.load(path("cam_roller_follower"))


def slider():
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 2.5)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def pushed():
    push = {"type": "force", "on": "bar", "at": "B", "value": 5.0, "direction": [1, 0]}
    return sk.Mechanism(**BAR, forces={"push": push})


def loaded():
    table = [[0, 0], [1, 5], [2, 0], [3, 1]]
    return sk.Mechanism(**BAR, forces={"load": {"type": "moment", "on": "bar", "table": table}})


@pytest.mark.parametrize(
    ("build", "given"),
    [
        (gears, {"joints.mesh.radii.0": [0.03, 0.02, 0.02], "joints.mesh.radii.1": [0.03, 0.04, 0.03]}),
        (gears, {"joints.mesh.radii.0": [0.03, 0.04, 0.04], "points.B.x": [0.06, 0.07, 0.06]}),
        (cam, {f"joints.contact.law.{k}.over": np.radians(own) for k, own in ((0, [120, 100, 90]), (1, [60, 80, 60]))}),
        (slider, {"joints.guide.axis.0": [1.0, 0.0, 0.0], "joints.guide.axis.1": [0.0, 1.0, 0.0]}),
        (pushed, {"forces.push.direction.0": [1.0, 0.0, 0.0], "forces.push.direction.1": [1.0, 1.0, 0.0]}),
        (loaded, {f"forces.load.table.{k}.0": [k, k + 10.0, k + 10.0 * (k < 2)] for k in range(4)}),
    ],
)  # fmt: skip
def test_numbers_that_belong_together_are_tried_together(build, given):
    """The second variant is sound, though one of its numbers alone is not; the third is not."""
    m = build()
    motions = m.solve_many(5, parameters=given)
    assert list(motions.faults) == [2] and (motions.status[2] == sk.Status.BAD_INPUT).all()
    assert (motions.status[:2] != sk.Status.BAD_INPUT).all()
    for k in range(2):
        same(motions, k, motions.variant(k).solve(t=motions.t))
        for key, values in given.items():
            variant = motions.variant(k)
            assert own_value(variant, number_of(variant, key)) == pytest.approx(values[k], abs=1e-15)
    with pytest.raises(sk.InputError):
        motions.variant(2)


def test_a_fault_names_the_value_of_its_own_variant():
    """All had the message of the least value that is refused."""
    m = sk.Mechanism(**BAR)
    masses = [1.0, -0.1, -0.5, -0.1]
    faults = m.solve_many(3, parameters={"links.bar.mass": masses}).faults
    assert list(faults) == [1, 2, 3]
    for k, fault in faults.items():
        with pytest.raises(sk.InputError) as alone:
            sk.Mechanism(
                **{**BAR, "links": {"ground": ["A"], "bar": {"points": ["A", "B"], "mass": f"{masses[k]} kg"}}}
            )
        assert fault.problems == alone.value.problems and f"found {masses[k]} kg" in str(fault)


def test_bad_keys_are_listed_together():
    m = sk.Mechanism(**CRANK_ROCKER)
    one = [1.0]
    bad = {
        "lengths.A-C": one, "links.crank.mass": one, "links.coupler.maß": one, "points.Q.x": one, "points.A.z": one,
        "duration": one, "drivers.motor.speed": "fast", "forces.spring.between.0": one, "": one, "links": one,
    }  # fmt: skip
    with pytest.raises(sk.InputError) as error:
        m.solve_many(5, parameters=bad)
    assert [problem.key for problem in error.value.problems] == list(bad)
    assert "link 'crank' has no mass in the mechanism; give it one first" in str(error.value)
    with pytest.raises(sk.InputError, match="values as well as a speed"):
        m.solve_many(parameters={"drivers.motor.speed": one}, drivers={"motor": [[1.0]]})
    with pytest.raises(sk.InputError, match="given twice"):
        m.solve_many(5, parameters={"points.D.x": one}, points={"D": [[0.5, 0.0]]})
    with pytest.raises(sk.InputError, match="numbers of variants differ"):
        m.solve_many(5, parameters={"points.D.x": one, "points.D.y": [0.0, 0.1]})


def test_lengths_that_are_nearly_equal():
    """A parallelogram whose bars differ by less than any bar is made to is one, in variants as in a file."""
    bars = {"A-B": 1.0, "B-C": 2.0, "C-D": 1.0}
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.6, 0.8), "C": (2.6, 0.8), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={**bars, "A-D": 2.0},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    lengths = [1.0, 1.0 + 3e-10, 1.0 + 1e-5]
    motions = m.solve_many(20, lengths={"C-D": lengths})
    for k, length in enumerate(lengths):
        data = m.source_dict
        data["lengths"]["C-D"] = length
        same(motions, k, sk.Mechanism.from_dict(data).solve(t=motions.t))
    np.testing.assert_allclose(motions.position("C")[1], motions.position("B")[1] + [2, 0], atol=1e-9)


def test_keep_and_measures_hold_what_the_whole_result_has():
    m = sk.Mechanism(**CRANK_ROCKER)
    rocker = np.random.default_rng(2).uniform(0.2, 0.5, 3000)
    rocker[50::300] = 0.15  # out of reach for a part of the turn: their angles are followed one by one
    rocker[7] = np.nan
    measures = {"top": lambda own: own.position("P")[..., 1].max(axis=1), "lost": lambda own: (~own.ok).sum(axis=1)}
    whole = m.solve_many(73, lengths={"C-D": rocker})
    tracemalloc.start()
    some = m.solve_many(73, lengths={"C-D": rocker}, keep=["P", "rocker"], measures=measures)
    alone = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    least = m.solve_many(73, lengths={"C-D": rocker}, measures=measures)
    assert tracemalloc.get_traced_memory()[1] < 2 * alone
    tracemalloc.stop()
    np.testing.assert_array_equal(some.status, whole.status)
    np.testing.assert_array_equal(some.failed_group, whole.failed_group)
    for what, name in (("position", "P"), ("acceleration", "P"), ("angle", "rocker"), ("alpha", "rocker")):
        np.testing.assert_array_equal(getattr(some, what)(name), getattr(whole, what)(name))
    np.testing.assert_array_equal(some.measures["top"], whole.position("P")[..., 1].max(axis=1))
    np.testing.assert_array_equal(least.measures["lost"], (~whole.ok).sum(axis=1))
    assert some.report == whole.report and list(some.faults) == [7]
    assert some.variant(2500).links["rocker"].local["D"].real == pytest.approx(rocker[2500])
    with pytest.raises(sk.InputError, match="C: was not kept; kept: P, rocker"):
        some.position("C")
    with pytest.raises(sk.InputError, match=r"keep\.Q: is not a point or link"):
        m.solve_many(5, lengths={"C-D": [0.3]}, keep=["Q"])
    with pytest.raises(sk.InputError, match="return a row for each variant"):
        m.solve_many(5, lengths={"C-D": [0.3, 0.31]}, measures={"one": lambda own: 1.0})


def test_a_measure_has_a_type_that_holds_the_rows_of_all_variants():
    """The type was that of the first thousands: 0 stood where a part was, and text was cut."""
    m, some = sk.Mechanism(**CRANK_ROCKER), PART // 37
    rocker = np.repeat([0.32, 0.1], [some, 5])

    def solve(measure):
        return m.solve_many(37, lengths={"C-D": rocker}, measures={"own": measure}).measures["own"]

    whole = m.solve_many(37, lengths={"C-D": rocker})
    wanted = [0 if ok.all() else 1 - ok.mean() for ok in whole.ok]
    assert 0 < wanted[-1] < 1 and wanted[0] == 0
    np.testing.assert_array_equal(solve(lambda own: [0 if ok.all() else 1 - ok.mean() for ok in own.ok]), wanted)
    assert solve(lambda own: own.ok.all(axis=1)).dtype == bool
    assert solve(lambda own: np.full(len(own), 2**60 + 1)).tolist() == [2**60 + 1] * len(rocker)
    assert solve(lambda own: ["ok" if ok.all() else "lost" for ok in own.ok])[[0, -1]].tolist() == ["ok", "lost"]
    for one, words in (
        ([1.0, 2.0], r"measures\.own: returned rows of the shape \(2,\) for some variants, \(\) for others"),
        ("lost", "returned text for some variants, numbers for others"),
        (0.5, r"returned whole numbers beyond 2\*\*53"),
    ):
        with pytest.raises(sk.InputError, match=words):
            solve(lambda own, one=one: [2**60 + 1 if len(own) == some else one] * len(own))


def test_masked_rows_of_a_measure_are_nan():
    measures = {"own": lambda own: np.ma.array([1, 2], mask=[False, True])}
    found = sk.Mechanism(**CRANK_ROCKER).solve_many(5, lengths={"C-D": [0.3, 0.31]}, measures=measures)
    np.testing.assert_array_equal(found.measures["own"], [1.0, np.nan])


def other_side(coupler, angle):
    """Return pin C of the crank-rocker that is assembled on the other side of the line through B and D."""
    B, D, rocker = 0.1 * np.exp(1j * angle), 0.5, np.hypot(0.1, 0.3)
    d = abs(D - B)
    along = (coupler**2 - rocker**2 + d**2) / (2 * d)
    return B + (along - 1j * np.sqrt(coupler**2 - along**2)) * (D - B) / d


def assembled_below(drivers=None):
    """Return the crank-rocker in its other assembly."""
    found = sk.Mechanism.from_dict(CRANK_ROCKER).assemblies(drivers=drivers)
    (below,) = (one.mechanism() for one in found if one.position("C")[1] < 0)
    return below


@pytest.mark.parametrize("at", [None, 2.0])
def test_variants_of_another_assembly_stay_in_it(at):
    """They were those of the sketch of the file, which is assembled in another mode; so were those of a study."""
    m = assembled_below(None if at is None else {"motor": at})
    couplers, speeds, t = [0.42, 0.44], [2.0, -3.0], np.linspace(0, 1, 9)
    motions = m.solve_many(t=t, parameters={"lengths.B-C": couplers, "drivers.motor.speed": speeds})
    for k, (coupler, speed) in enumerate(zip(couplers, speeds, strict=True)):
        x, y = motions.position("C")[k].T
        np.testing.assert_allclose(x + 1j * y, other_side(coupler, speed * t), rtol=0, atol=1e-12)
        same(motions, k, motions.variant(k).solve(t=t))


def test_points_of_another_assembly_move_in_the_sketch_of_the_file():
    """A coordinate that did not differ became that of the other pose."""
    m, t = assembled_below({"motor": 2.0}), np.linspace(0, 1, 9)
    for key, own in (("points.P.x", 0.2), ("points.C.y", 0.3), ("points.B.y", 0.0)):
        motions = m.solve_many(t=t, parameters={key: [own, own + 1e-6, own - 1e-6]})
        same(motions, 0, m.solve(t=t))
        same(motions, 1, motions.variant(1).solve(t=t))
        slope = (motions.position("P")[1] - motions.position("P")[2]) / 2e-6
        np.testing.assert_allclose(m.solve(t=t).sensitivity("P", to=[key])[..., 0], slope, atol=1e-6)


def test_a_law_begins_in_the_sketch_in_another_assembly_too():
    """Derivatives that are found mechanism by mechanism, as of this slot, took it to begin in the assembly's pose."""
    for one in sk.load(path("whitworth_shaper")).assemblies():
        m = one.mechanism()
        motions = m.solve_many(samples=5, points={"B": [(1e-6, 0.15), (-1e-6, 0.15)]})
        slope = (motions.position("T")[0] - motions.position("T")[1]) / 2e-6
        np.testing.assert_allclose(m.solve(samples=5).sensitivity("T", to=["points.B.x"])[..., 0], slope, atol=1e-6)


def test_the_store_of_a_study_holds_the_assembly(tmp_path):
    m, options = assembled_below(), {"samples": 5, "to": tmp_path / "a.zarr"}
    found = sk.study(m, {"lengths.B-C": [0.42, 0.44]}, measures=["path.C"], **options)
    again = sk.Study.open(tmp_path / "a.zarr")
    for one in (found, again):
        np.testing.assert_array_equal(one.motion(1).position("C"), found.dataset["path.C"][1])
    with pytest.raises(sk.InputError, match="another study: mechanism"):
        sk.study(sk.Mechanism.from_dict(CRANK_ROCKER), {"lengths.B-C": [0.42, 0.44]}, measures=["path.C"], **options)
