"""Studies: plans, measures against whole motions, stores that go on, the same bits from any number of workers."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.dynamics.inverse.kinetostatics import effort_of_variants
from structkin.solve.compiled_run import cores
from structkin.solve.study.measures import efforts
from structkin.solve.study.store import ZarrStore

FOUR_BAR = {
    "title": "Crank-rocker",
    "points": {"A": (0, 0), "B": (0.02, 0.03464), "C": (0.1339, 0.0725), "D": (0.1, 0)},
    "links": {
        "ground": ["A", "D"],
        "crank": ["A", "B"],
        "coupler": {"points": ["B", "C"], "shape": "rod", "mass": 0.5},
        "rocker": ["D", "C"],
    },
    "drivers": {"motor": {"joint": "A", "speed": 6.0}},
    "forces": {"gravity": (0, -9.81)},
}
BOUNDS = {"lengths.B-C": (0.06, 0.16), "lengths.C-D": (0.06, 0.16)}
MEASURES = ["range.angle.rocker", "max.speed.C", "min.transmission.C", "mean.omega.rocker", "min.x.C"]


def four_bar():
    return sk.Mechanism(**FOUR_BAR)


def highest(motions):
    return motions.position("C")[..., 1].max(axis=1)


def test_a_transmission_angle_beyond_a_right_angle_is_folded():
    """By the law of cosines it is widest where the crank lies along the ground: there it transmits worst here."""
    a, b, c, d = 0.03, 0.08, 0.065, 0.11
    widest = np.arccos((b**2 + c**2 - (d + a) ** 2) / (2 * b * c))
    narrowest = np.arccos((b**2 + c**2 - (d - a) ** 2) / (2 * b * c))
    assert np.pi - widest < narrowest < np.pi / 2 < widest
    m = sk.Mechanism(**{**FOUR_BAR, "lengths": {"A-B": a, "B-C": b, "C-D": c}})
    found = sk.study(
        m, {"points.D.x": [d]}, measures=["min.transmission.C", "transmission.C"], drivers={"motor": [0.0, 0.5, np.pi]}
    )
    np.testing.assert_allclose(found.dataset["min.transmission.C"], np.pi - widest, rtol=1e-12)
    np.testing.assert_allclose(found.dataset["transmission.C"][0, [0, 2]], [narrowest, np.pi - widest], rtol=1e-12)


def test_measures_are_those_of_each_motion():
    found = sk.study(
        four_bar(), BOUNDS, plan="random", variants=12, seed=3, samples=25,
        measures={**dict(zip("abcde", MEASURES, strict=True)), "path": "path.C", "top": highest,
                  "torque": "peak.effort.motor"},
    )  # fmt: skip
    data = found.dataset
    assert data.sizes == {"variant": 12, "sample": 25, "xy": 2} and data["c"].attrs["units"] == "rad"
    assert data["torque"].attrs["units"] == "N m"
    lost = 0
    for k in range(12):
        one = found.variant(k).solve(samples=25)
        np.testing.assert_array_equal(found.motion(k).position("C"), one.position("C"))
        np.testing.assert_array_equal(data["path"][k], one.position("C"))
        assert data["reached"][k] == one.ok.mean()
        if not one.ok.all():
            lost += 1
            assert data["status"][k] == one.status[~one.ok][0] and np.isnan(data["a"][k])
            continue
        assert data["status"][k] == sk.Status.OK
        assert data["a"][k] == pytest.approx(np.ptp(one.angle("rocker")), abs=1e-12)
        assert data["b"][k] == pytest.approx(np.linalg.norm(one.velocity("C"), axis=1).max(), abs=1e-12)
        assert data["c"][k] == pytest.approx(one.transmission_angle("C").min(), abs=1e-12)
        assert data["d"][k] == pytest.approx(one.omega("rocker").mean(), abs=1e-12)
        assert data["e"][k] == one.position("C")[:, 0].min()
        assert data["top"][k] == one.position("C")[:, 1].max()
        assert data["torque"][k] == pytest.approx(np.abs(one.forces().driver("motor")).max(), rel=1e-9)
    assert 0 < lost < 12


@pytest.mark.parametrize(
    ("change", "together"),
    [
        ({}, True),
        (
            {
                "forces": {
                    "gravity": (0, -9.81),
                    "push": {"type": "force", "on": "rocker", "at": "C", "value": [5, 1]},
                }
            },
            False,
        ),
        ({"drivers": {"motor": {"joint": "A", "law": "1 + cos(3*t)"}}, "duration": 2.0}, False),
    ],
)
def test_efforts(change, together):
    """By the power of all variants at once where that is the whole balance, else variant by variant."""
    m = sk.Mechanism(**{**FOUR_BAR, **change})
    motions = m.solve_many(16, lengths={"B-C": [0.11, 0.09, 0.12]})
    assert (effort_of_variants(motions.together) is not None) == together
    found = efforts(motions, "motor")
    for k in range(3):
        wanted = motions.motion(k).forces().driver("motor")
        np.testing.assert_allclose(found[k], wanted, rtol=1e-9, atol=1e-12)
    heavy = m.solve_many(16, parameters={"links.coupler.mass": [0.5, 1.0]})
    assert effort_of_variants(heavy.together) is None
    np.testing.assert_array_equal(efforts(heavy, "motor")[1], heavy.motion(1).forces().driver("motor"))


def lost(motions):
    """A whole number for a variant that is ok, a part for others."""
    return [0 if ok.all() else 1 - ok.mean() for ok in motions.ok]


def rows_of(one, more):
    """Return a measure with other rows where there is more than one variant, as in no trial."""
    return lambda motions: [one if len(motions) == 1 else more] * len(motions)


@pytest.mark.parametrize("stored", [False, True])
def test_a_measure_keeps_its_digits_though_the_first_variant_has_a_whole_number(stored, tmp_path):
    values, to = {"lengths.B-C": [0.115, 0.16, 0.03] * 16}, tmp_path / "a.zarr" if stored else None
    measures = {"lost": lost, "ok": lambda motions: motions.ok.all(axis=1), "z": lambda motions: motions.ok[:, 0] * 1j}
    found = sk.study(four_bar(), values, samples=37, measures=measures, to=to).dataset
    np.testing.assert_allclose(found["lost"].values[:3], [0, 9 / 37, 17 / 37], rtol=1e-12)
    assert found["ok"].values[:3].tolist() == [1.0, 0.0, 0.0] and found["z"].dtype == complex
    assert found["lost"].dtype == found["ok"].dtype == np.float64 and found["status"].dtype == np.int8


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (
            rows_of([1.0], [1.0, 2.0]),
            r"rows of the shape \(2,\) for some variants, \(1,\) for others; return rows of one",
        ),
        (rows_of(1.0, [1.0]), r"the shape \(1,\) for some variants, \(\) for others"),
        (rows_of([1.0, 2.0], [1.0]), r"the shape \(1,\) for some variants, \(2,\) for others"),
        (rows_of(1.0, "lost"), "returned text for some variants, numbers for others; return the same for all"),
        (rows_of(1.0, 1j), "returned complex numbers for some variants, numbers for others"),
        (rows_of(1.0, None), "returned values of the type object for some variants"),
        (rows_of("ok", "lost"), "returned text; return numbers"),
        (rows_of(1, 2**53 + 1), r"whole numbers beyond 2\*\*53, which lose digits as floats"),
        (lambda motions: [[1] * (1 + k % 2) for k in range(len(motions))], "rows of different shapes"),
    ],
)
def test_rows_unlike_those_of_other_variants_are_refused(measure, words, stored, tmp_path):
    """They were cut to the width of the first ones in a store, spread over wider ones, and text was cut."""
    values, to = {"lengths.B-C": np.linspace(0.11, 0.12, 32)}, tmp_path / "a.zarr" if stored else None
    with pytest.raises(sk.InputError, match=rf"measures\.own: returned .*{words}|measures\.own: {words}"):
        sk.study(four_bar(), values, samples=5, measures={"own": measure}, to=to)
    assert not stored or not to.exists() or (sk.Study.open(to).dataset["status"] == -1).all()


def wide(motions):
    """A measure that is the same function whatever it returns."""
    return np.ones((len(motions), int(os.environ["WIDTH_OF_ROWS"])))


def test_a_store_of_rows_of_another_shape_does_not_go_on(tmp_path, monkeypatch):
    options = {"samples": 5, "measures": {"own": wide}, "to": tmp_path / "a.zarr"}
    monkeypatch.setenv("WIDTH_OF_ROWS", "1")
    sk.study(four_bar(), {"lengths.B-C": [0.11, 0.12]}, **options)
    monkeypatch.setenv("WIDTH_OF_ROWS", "2")
    with pytest.raises(sk.InputError, match=r"another study: measures\.own differs"):
        sk.study(four_bar(), {"lengths.B-C": [0.11, 0.12]}, **options)


def test_the_values_of_a_table_are_in_the_store(tmp_path, monkeypatch):
    """Its file was read again wherever the store was opened, and another one of its name was taken for it."""

    def write(folder, middle):
        folder.mkdir(exist_ok=True)
        (folder / "angle.csv").write_text(f"0,0\n0.5,{middle}\n1,0\n", encoding="utf-8")

    def run(mechanism, **more):
        return sk.study(mechanism, {"lengths.B-C": [0.11, 0.12]}, measures=["peak.omega.rocker"], samples=9, **more)

    here, there = tmp_path / "here", tmp_path / "there"
    write(here, 0.5)
    write(there, 0.9)
    data = FOUR_BAR | {"drivers": {"motor": {"joint": "A", "csv": "angle.csv"}}, "duration": 1.0}
    (here / "m.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    m = sk.load("here/m.json")
    peak = run(m, to="a.zarr").dataset["peak.omega.rocker"].values
    for folder in (there, here / ".."):
        monkeypatch.chdir(folder)
        np.testing.assert_array_equal(run(m).dataset["peak.omega.rocker"], peak)
        found = sk.Study.open(tmp_path / "a.zarr").motion(1).omega("rocker")
        assert np.abs(found).max() == pytest.approx(peak[1], rel=1e-12)
    write(here, 0.4)
    with pytest.raises(sk.InputError, match="another study: mechanism differs"):
        run(sk.load("here/m.json"), to="a.zarr")
    np.testing.assert_array_equal(run(m, to="a.zarr").dataset["peak.omega.rocker"], peak)


def test_plans():
    m, options = four_bar(), {"samples": 5, "measures": ["range.angle.rocker"]}
    grid = sk.study(m, {"lengths.B-C": [0.11, 0.12, 0.13], "points.D.x": [0.1, 0.11]}, plan="grid", **options)
    assert grid.dataset["lengths.B-C"].values.tolist() == [0.11, 0.11, 0.12, 0.12, 0.13, 0.13]
    assert grid.dataset["points.D.x"].values.tolist() == [0.1, 0.11] * 3
    listed = sk.study(m, {"lengths.B-C": [0.11, 0.13], "drivers.motor.speed": [1.0, -2.0]}, **options)
    assert listed.dataset["drivers.motor.speed"].values.tolist() == [1.0, -2.0]
    for plan in ("random", "sobol"):
        one, same, other = (
            sk.study(m, BOUNDS, plan=plan, variants=100, seed=seed, **options).dataset["lengths.B-C"].values
            for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one, same)
        assert (one != other).any() and one.min() >= 0.06 and one.max() < 0.16
        if plan == "sobol":  # 64 points have one in each of 64 equal parts
            assert len(set(((one[:64] - 0.06) / 0.1 * 64).astype(int))) == 64


def test_best():
    found = sk.study(four_bar(), BOUNDS, plan="sobol", variants=64, samples=37, measures=MEASURES)
    values = found.dataset["min.transmission.C"].values
    assert found.best("min.transmission.C", 3, largest=True)[0] == np.nanargmax(values)
    assert found.best("min.transmission.C")[0] == np.nanargmin(values)
    assert len(found.best("min.transmission.C", 1000)) == np.isfinite(values).sum()
    with pytest.raises(sk.InputError, match="is not a measure of one number"):
        found.best("min.transmission.D")
    with pytest.raises(sk.InputError, match="there is no variant 64 of 64"):
        found.variant(64)


def infinite(motions):
    """A value that is infinite for one half of the variants."""
    values = motions.position("C")[:, 0, 0]
    return np.where(values < 0.1339, -np.inf, values)


def test_the_best_have_finite_values_and_there_is_at_least_one():
    """Infinite ones came first, and a count of -1 left out the last."""
    values = {"lengths.B-C": np.linspace(0.11, 0.13, 16)}
    measures = {"own": infinite, "z": lambda motions: 1j * motions.ok.sum(axis=1)}
    found = sk.study(four_bar(), values, samples=5, measures=measures)
    own = found.dataset["own"].values
    finite = np.flatnonzero(np.isfinite(own))
    assert 0 < len(finite) < 16
    assert found.best("own", 12).tolist() == sorted(finite, key=lambda k: own[k])
    assert found.best("own", 2, largest=True).tolist() == sorted(finite, key=lambda k: -own[k])[:2]
    for count in (0, -1):
        with pytest.raises(sk.InputError, match=f"count: {count} is not a positive whole number"):
            found.best("own", count)
    for call in (found.best, found.plot):  # complex numbers have no order: their imaginary parts were dropped
        with pytest.raises(sk.InputError, match=r"z: is not a measure of one number; known: "):
            call("z")


def test_every_mistake_is_listed_before_anything_runs(tmp_path):
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0), "P": (2, 4)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["C", "D"]},
        lengths={"B-C": 4.2, "B-P": 4.1},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    calls = []
    with pytest.raises(sk.InputError) as error:
        sk.study(
            m, {"lengths.A-C": (1, 2), "lengths.A-B": (2, 1), "links.crank.mass": (1, 2), "points.D.x": (1, np.nan),
                "points.D.y": (0, 1, 2)},
            plan="sobol", samples=0, workers=0, to=tmp_path / "study", engine="fast", budget=-1,
            measures={"status": "path.C", "a": "path.Q", "b": "most.angle.rocker", "c": "max.angle.bar",
                      "d": "min.transmission.A", "e": 3, "f": lambda some: calls.append(1)},
        )  # fmt: skip
    keys = [problem.key for problem in error.value.problems]
    assert keys == [
        "measures.status", "measures.a", "measures.b", "measures.c", "measures.d", "measures.e",
        "lengths.A-C", "links.crank.mass", "lengths.A-B", "points.D.x", "points.D.y", "variants",
        "samples", "engine", "budget", "workers", "to",
    ]  # fmt: skip
    assert not calls
    for options, words in (
        ({"parameters": {}}, "there are none"),
        ({"parameters": {"points.D.x": [1, 2], "points.D.y": [1]}}, "the numbers of values differ"),
        ({"parameters": {"points.D.x": [1, 2]}, "variants": 2}, "leave it out"),
        ({"parameters": {"points.D.x": np.ones(10**5), "points.D.y": np.ones(10**5)}, "plan": "grid"}, "at most"),
        ({"parameters": {"points.D.x": (1, 2)}, "plan": "random", "variants": 10**7}, "too much for memory"),
    ):
        with pytest.raises(sk.InputError, match=words):
            sk.study(m, **options, measures=["path.C"])


@pytest.mark.parametrize("options", [{}, {"plan": "grid"}, {"plan": "sobol", "variants": 4}])
def test_masked_values_are_no_numbers(options):
    """The study was that of the numbers behind the mask."""
    values = np.ma.array([0.11, 0.12], mask=[False, True])
    with pytest.raises(sk.InputError, match=r"lengths\.B-C: expected finite real numbers"):
        sk.study(four_bar(), {"lengths.B-C": values}, measures=["path.C"], **options)


def test_complex_values_are_refused():
    """Their imaginary parts were dropped."""
    with pytest.raises(sk.InputError, match=r"lengths\.B-C: expected finite real numbers"):
        sk.study(four_bar(), {"lengths.B-C": [0.11 + 1j, 0.12]}, measures=["path.C"])


@pytest.mark.parametrize("values", [["0.11", "0.12"], [True, False], np.array([1, 2], "m8[s]")])
def test_text_truth_and_times_are_no_numbers(values):
    """A study over booleans had lengths of 1 and 0 m."""
    with pytest.raises(sk.InputError, match=r"lengths\.B-C: expected finite real numbers"):
        sk.study(four_bar(), {"lengths.B-C": values}, measures=["path.C"])


def test_numbers_of_numpy_are_those_of_python(tmp_path):
    """A count of NumPy ended with an AttributeError, a budget with a TypeError."""
    bounds, options = {"lengths.B-C": (0.11, 0.12)}, {"plan": "sobol", "measures": ["path.C"], "samples": 3}
    found = sk.study(four_bar(), bounds, variants=5, budget=900, to=tmp_path / "a.zarr", **options)
    again = sk.study(
        four_bar(), bounds, variants=np.int64(5), budget=np.float32(900), to=tmp_path / "a.zarr", **options
    )
    np.testing.assert_array_equal(again.dataset["path.C"], found.dataset["path.C"])


@pytest.mark.parametrize("stored", [False, True])
def test_a_measure_with_the_name_of_a_dimension_stays_one(stored, tmp_path):
    """It was a coordinate, and in no table, no picture and no choice of the best."""
    measures = {"a": lambda motions: np.ones((len(motions), 4)), "a_0": lambda motions: 1.0 * np.arange(len(motions))}
    to = tmp_path / "a.zarr" if stored else None
    found = sk.study(four_bar(), {"lengths.B-C": [0.11, 0.12]}, measures=measures, samples=3, to=to)
    assert found.dataset["a"].dims == ("variant", "a_0_") and found.dataset["a_0"].dims == ("variant",)
    assert len(found.best("a_0", 2)) == 2


def test_a_length_that_others_fix():
    """Four points in a plate: five distances fix the sixth."""
    corners = {"B": (0, 0), "C": (4, 0), "P": (1, 2), "Q": (3, 2)}
    m = sk.Mechanism(
        points={"A": (-1, 0), "D": (5, -3), **corners},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "plate": list(corners), "rocker": ["C", "D"]},
        lengths={"B-C": 4, "B-P": 5**0.5, "C-P": 13**0.5, "B-Q": 13**0.5, "C-Q": 5**0.5, "P-Q": 2},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    with pytest.raises(sk.InputError, match=r"lengths\.P-Q: is fixed by others: the length 'P-Q' is 2"):
        sk.study(m, {"lengths.P-Q": (1.9, 2.1)}, plan="random", variants=3, measures=["path.Q"])


def test_variants_that_fail_are_those_of_the_study():
    bounds = {"lengths.B-C": np.array([-1.0, 0.12, -2.0])}
    found = sk.study(four_bar(), bounds, samples=5, measures=["range.angle.rocker"])
    assert found.dataset["status"].values.tolist() == [sk.Status.BAD_INPUT, sk.Status.OK, sk.Status.BAD_INPUT]
    found = sk.study(four_bar(), {"lengths.B-C": [-1.0, -2.0]}, samples=5, measures=["range.angle.rocker"])
    assert (found.dataset["status"] == sk.Status.BAD_INPUT).all() and found.dataset["reached"].sum() == 0


SCRIPT = """
import sys, structkin as sk
m = sk.Mechanism(**{FOUR_BAR!r})
def progress(part):
    print(part, flush=True)
if __name__ == "__main__":
    sk.study(m, {BOUNDS!r}, plan="sobol", variants=1600, samples=100, measures={MEASURES!r} + ["path.C"],
             to=sys.argv[1], progress=progress)
"""


@pytest.mark.parametrize("wait", few([1, 0, 3], 0, 2))
def test_a_killed_study_goes_on_without_loss(tmp_path, wait):
    """Killed after some chunks, at any moment: the store is then that of a study that was not."""
    m, path = four_bar(), tmp_path / "study.zarr"
    script = SCRIPT.format(FOUR_BAR=FOUR_BAR, BOUNDS=BOUNDS, MEASURES=MEASURES)
    run = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    for _ in range(wait):
        run.stdout.readline()
    if not wait:
        time.sleep(1)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    run.stdout.close()
    options = {"plan": "sobol", "variants": 1600, "samples": 100, "measures": [*MEASURES, "path.C"]}
    before = path.exists() and sk.Study.open(path).dataset["status"].values
    parts = []
    again = sk.study(m, BOUNDS, **options, to=path, progress=parts.append)
    assert wait == 0 or (len(parts) < 16 and (before == -1).any() and (before != -1).any())
    whole = sk.study(m, BOUNDS, **options)
    for name in whole.dataset.variables:
        np.testing.assert_array_equal(again.dataset[name], whole.dataset[name])
    parts.clear()
    sk.study(m, BOUNDS, **options, to=path, progress=parts.append)
    assert not parts  # nothing is done twice


def test_a_store_of_another_study_is_refused(tmp_path):
    m, path = four_bar(), tmp_path / "study.zarr"
    options = {"plan": "random", "variants": 20, "samples": 10, "measures": {"top": highest}}
    sk.study(m, BOUNDS, **options, to=path)
    stored = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    for other, words in (
        ({"seed": 1}, "parameters differs"),
        ({"samples": 11}, "samples differs"),
        ({"measures": {"top": lambda own: own.position("C")[..., 1].max(axis=1)}}, "measures differs"),
    ):
        with pytest.raises(sk.InputError, match=f"another study: {words}"):
            sk.study(m, BOUNDS, **{**options, **other}, to=path)
    (tmp_path / "other.zarr").mkdir()
    with pytest.raises(sk.InputError, match="is not the store of a study"):
        sk.study(m, BOUNDS, **options, to=tmp_path / "other.zarr")
    assert stored == {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    opened = sk.Study.open(path)
    assert len(opened) == 20 and opened.parameters == tuple(BOUNDS)
    np.testing.assert_array_equal(opened.variant(3).places["B"], m.places["B"])


def test_what_is_opened_is_a_store(tmp_path):
    """It was "to" that was wrong, and a new name the hint."""
    with pytest.raises(sk.InputError, match=r"path: there is no folder '.*none\.zarr'; give the folder of a store"):
        sk.Study.open(tmp_path / "none.zarr")
    with pytest.raises(sk.InputError, match=r"path: .* is not the store of a study; give the folder of a store"):
        sk.Study.open(tmp_path)


def test_a_store_may_have_the_suffix_only(tmp_path):
    """Its name did not end in .zarr, it said."""
    sk.study(four_bar(), {"lengths.B-C": [0.11]}, samples=5, measures=["max.y.C"], to=tmp_path / ".zarr")
    assert len(sk.Study.open(tmp_path / ".zarr")) == 1


@pytest.mark.parametrize("name", [".", "..", "../a", "a/b", "__a", "zarr.json", ".zattrs", "ä" * 200])
def test_a_name_that_no_folder_of_a_store_can_have_is_refused(tmp_path, name):
    """The name "." ended in a traceback of zarr, "zarr.json" in that of a file that is there already."""
    with pytest.raises(sk.InputError, match="cannot be the name of an array in a store"):
        sk.study(four_bar(), BOUNDS, plan="random", variants=2, measures={name: "path.C"}, to=tmp_path / "a.zarr")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0", "\x1b[31mred", "a\nb", "\u202e"])
def test_a_name_that_would_control_the_terminal_is_refused(name):
    with pytest.raises(sk.InputError, match="cannot be the name of a measure"):
        sk.study(four_bar(), BOUNDS, plan="random", variants=2, measures={name: "path.C"})


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_what_others_left_beside_a_store_is_not_followed(tmp_path):
    """The unfinished store had a name that can be guessed; a link of that name ended in an OSError."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "keep").write_text("x")
    for name in (".a.zarr.unfinished", ".a.zarr.01234567.unfinished"):
        (tmp_path / name).symlink_to(victim)
    options = {"plan": "random", "variants": 2, "samples": 5, "measures": ["path.C"]}
    sk.study(four_bar(), BOUNDS, **options, to=tmp_path / "a.zarr")
    assert (victim / "keep").read_text() == "x" and not (tmp_path / "a.zarr").is_symlink()
    (tmp_path / "b.zarr").symlink_to(tmp_path / "none")
    with pytest.raises(sk.InputError, match="cannot be written"):
        sk.study(four_bar(), BOUNDS, **options, to=tmp_path / "b.zarr")


@pytest.mark.full
def test_workers_give_the_same_bits(tmp_path):
    """There are never more than cores: a thousand took half a minute to start."""
    m = four_bar()
    options = {"plan": "random", "variants": 200, "samples": 50, "measures": {"top": highest, "path": "path.C"}}
    one = sk.study(m, BOUNDS, **options)
    two = sk.study(m, BOUNDS, **options, workers=10**6, to=tmp_path / "study.zarr")
    for name in one.dataset.variables:
        np.testing.assert_array_equal(one.dataset[name], two.dataset[name])
    with pytest.raises(sk.InputError, match=r"measures\.f: is a function that cannot be sent"):
        sk.study(m, BOUNDS, **{**options, "measures": {"f": lambda own: own.ok.sum(axis=1)}}, workers=2)


def test_a_function_of_a_notebook_is_not_sent_to_another_process():
    """The study ended with "a worker process was ended, perhaps for lack of memory"."""
    script = """
import structkin as sk
def top(motions):
    return motions.t
m = sk.load(sk.examples.path("crank_rocker"))
sk.study(m, {"lengths.B-C": [0.11, 0.12]}, samples=2, measures={"top": top}, workers=2)
"""
    command = [sys.executable, "-c", script]
    found = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert "measures.top: is a function that cannot be sent to another process; define it in a module" in found.stderr


def slow_but_one(motions):
    """Measure the first chunk at once, and each other one for minutes."""
    if len(motions) > 1:
        try:
            open(os.environ["MEASURED_AT_ONCE"], "x").close()
        except FileExistsError:
            time.sleep(300)
    return highest(motions)


@pytest.mark.skipif(os.name == "nt" or cores() < 2, reason="no signals of this kind, or no second worker")
@pytest.mark.parametrize("all_hear", [False, True])
def test_ctrl_c_waits_for_no_worker_and_what_is_finished_stays(all_hear, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("MEASURED_AT_ONCE", str(tmp_path / "measured"))
    store = tmp_path / "a.zarr"
    options = {"plan": "random", "variants": 64, "samples": 5, "measures": {"top": slow_but_one}, "to": store}
    heard = []

    def interrupt(part):
        for process in multiprocessing.active_children() if all_hear else ():
            os.kill(process.pid, signal.SIGINT)
        heard.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            sk.study(four_bar(), BOUNDS, **options, workers=2, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - heard[0] < 30 and not multiprocessing.active_children()
    assert sum(map(ZarrStore(store).has, range(16))) == 1 and not capfd.readouterr().err
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    whole = sk.study(four_bar(), BOUNDS, **options).dataset["top"]
    np.testing.assert_array_equal(whole, sk.study(four_bar(), BOUNDS, **options | {"to": None}).dataset["top"])


KILLED = """
import os, signal, time
from structkin.solve.study.work import processes
if __name__ == "__main__":
    with processes(2) as submit:
        assert submit(os.getpid).result() != os.getpid()
        submit(time.sleep, 300)
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="no signal that ends a process at once")
def test_workers_end_with_the_process_that_started_them():
    """They lived on for ever, and who read what the process prints waited for ever."""
    killed = subprocess.run([sys.executable, "-c", KILLED], check=False, capture_output=True, timeout=60)
    assert killed.returncode == -signal.SIGKILL


def wider(motions):
    """Wider rows where there is more than one variant."""
    return np.ones((len(motions), min(len(motions), 2)))


@pytest.mark.skipif(cores() < 2, reason="no second worker")
def test_rows_of_another_shape_are_refused_by_workers_too():
    with pytest.raises(sk.InputError, match=r"measures\.wide: returned rows of the shape \(2,\)"):
        sk.study(four_bar(), BOUNDS, plan="random", variants=64, samples=5, measures={"wide": wider}, workers=2)


def deadly(motions):
    """End the process that measures more than one variant."""
    if len(motions) > 1:
        os._exit(1)
    return highest(motions)


@pytest.mark.skipif(cores() < 2, reason="no second worker")
def test_the_end_of_a_worker_promises_no_store_where_there_is_none():
    """It said that what was finished is kept in the store, of a study in memory."""
    with pytest.raises(sk.InputError, match=r"was ended, .*; where there is a store, what was finished is kept"):
        sk.study(four_bar(), BOUNDS, plan="random", variants=64, samples=5, measures={"top": deadly}, workers=2)


def test_a_full_disk_is_said_and_what_is_finished_stays(tmp_path, monkeypatch):
    options = {"plan": "random", "variants": 64, "samples": 5, "measures": ["path.C"], "to": tmp_path / "a.zarr"}
    write, left = ZarrStore.write, iter(range(3))

    def full(self, chunk, part, rows):
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, chunk, part, rows)

    monkeypatch.setattr(ZarrStore, "write", full)
    with pytest.raises(sk.InputError, match=r"a.zarr' cannot be written: No space left on device"):
        sk.study(four_bar(), BOUNDS, **options)
    monkeypatch.undo()
    assert sum(map(ZarrStore(tmp_path / "a.zarr").has, range(16))) == 3
    wanted = sk.study(four_bar(), BOUNDS, **options | {"to": None}).dataset["path.C"]
    np.testing.assert_array_equal(sk.study(four_bar(), BOUNDS, **options).dataset["path.C"], wanted)
