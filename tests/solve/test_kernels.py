"""Kernels give the results of the group functions to the last digit: in both dialects, all blocks and every status.

Compiled drivers have a separate sine: the kernels compared here follow NumPy's drivers.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pytest
from cases import few
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_mechanisms import build

import structkin as sk
from structkin.examples import names, path
from structkin.groups import RRR, General
from structkin.kernels import choice, store
from structkin.kernels.kernel_plan import Job, kernel_plan_of
from structkin.kernels.store import Kernel
from structkin.kernels.text import Text
from structkin.solve import compile_plan
from structkin.solve import compiled_run as running
from structkin.solve.call import make_schedule
from structkin.solve.coefficients import Coefficients
from structkin.solve.sweep import sweep_between

#: Few mechanisms, as every kind takes seconds to compile; the dialect of NumPy is tested on all.
COMPILED = ("stephenson_iii_triad", "crank_rocker")


def solved(m, engine, monkeypatch, samples=None, t=None):
    """Return lanes and the columns of K and L by the group functions ("functions"), or by kernels of an engine."""
    monkeypatch.setattr(choice, "SMALL", np.inf if engine == "functions" else 0)
    plan = replace(compile_plan(m), engine="compiled" if engine == "compiled" else "python")
    schedule = make_schedule(m, samples, t, None, None)
    if plan.tracked and not schedule.is_fine:
        schedule = schedule.fine()[0]
    lanes, _ = sweep_between(plan, schedule)
    return lanes, columns(plan, lanes)


def columns(plan, lanes):
    """Return each column of K and entry of L as an array (rows, n), zero in the slots that do not move."""
    found, drivers = Coefficients(plan, lanes), sorted({item.driver for item in plan.drivers})
    result = {}
    for pair in [*((id,) for id in drivers), *combinations_with_replacement(drivers, 2)]:
        whole = result[pair] = np.zeros(lanes.x.shape[1:])
        for slot, value in found.column(*pair).items():
            whole[plan.rows(slot)] = value
    return result


def assert_same(a, b):
    for one, other in ((a[0].x, b[0].x), (a[0].least, b[0].least)):
        np.testing.assert_array_equal(one, other)
    # Without a pose, a derivative that is zero in any pose may be NaN or zero; users see NaN.
    known = a[0].status == 0
    for one, other in zip(a[1].values(), b[1].values(), strict=True):
        np.testing.assert_array_equal(one[:, known], other[:, known])
    np.testing.assert_array_equal(a[0].status, b[0].status)
    np.testing.assert_array_equal(a[0].group, b[0].group)


def assert_close(a, b):
    """General groups: compiled code between continuation points has a different order of operations.

    Rounding grows with the inverse of the smallest singular value that was met, the root of the discriminant.
    """
    met = a[0].least[(a[0].least > 0) & (a[0].least < 1)]
    grown = 1e-13 / np.sqrt(met.min(initial=1.0))
    for one, other in zip(a[0].x, b[0].x, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=grown * max(1.0, np.nanmax(np.abs(one))))
    np.testing.assert_array_equal(a[0].status, b[0].status)


def compare(m, monkeypatch):
    """Return what compares results. K and L, which magnify rounding, are the same digits in the same poses."""
    plan = compile_plan(m)
    if not any(isinstance(step.kind, General) for step in plan.steps):
        return assert_same

    def same_coefficients(a, b):
        assert_close(a, b)
        monkeypatch.setattr(choice, "SMALL", np.inf)
        assert_same((b[0], columns(replace(plan, engine="python"), b[0])), b)

    return same_coefficients


@pytest.mark.parametrize("name", names())
def test_kernels_of_numpy(name, monkeypatch):
    m = sk.load(path(name))
    assert_same(solved(m, "functions", monkeypatch), solved(m, "python", monkeypatch))


@pytest.mark.compiled
@pytest.mark.parametrize("name", few(reversed(COMPILED), 1))
def test_kernels_of_numba(name, monkeypatch):
    m = sk.load(path(name))
    compare(m, monkeypatch)(solved(m, "functions", monkeypatch), solved(m, "compiled", monkeypatch))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 6))
def test_random_mechanisms(seed, elements):
    m = build(seed, elements).mechanism()
    with pytest.MonkeyPatch.context() as patch:
        assert_same(solved(m, "functions", patch, 25), solved(m, "python", patch, 25))


@pytest.mark.slow
@example(seed=23983, elements=4)
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 10**6), elements=st.integers(1, 6))
def test_random_mechanisms_compiled(seed, elements):
    m = build(seed, elements).mechanism()
    with pytest.MonkeyPatch.context() as patch:
        compare(m, patch)(solved(m, "functions", patch, 25), solved(m, "compiled", patch, 25))


def four_bar(coupler=3.0, rocker=2.5, crank=1.0):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2.5, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": crank, "B-C": coupler, "C-D": rocker},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


@pytest.mark.parametrize("engine", few(["python", "compiled"], 1))
@pytest.mark.parametrize(
    ("sizes", "samples"),
    few(
        [
            ((3.0, 1.0), 361),  # a parallelogram: the mode changes twice a turn
            ((1.5, 1.0), 361),  # a crank that cannot turn fully: part of the turn is out of reach
            ((3.0, 1.0), 3),  # samples at the flat poses themselves
        ]
    ),
)
def test_modes_and_statuses(engine, sizes, samples, monkeypatch):
    m = four_bar(*sizes)
    reference = solved(m, "functions", monkeypatch, samples)
    assert_same(reference, solved(m, engine, monkeypatch, samples))
    assert (reference[0].status != 0).any() == (sizes == (1.5, 1.0))


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_blocks_and_threads(engine, monkeypatch):
    m = four_bar(1.5)
    reference = solved(m, "functions", monkeypatch, 1001)
    monkeypatch.setattr(running, "BLOCKS", {True: 97, False: 97})
    monkeypatch.setattr(running, "SHARE", 1)
    monkeypatch.setenv("STRUCTKIN_THREADS", "3")
    assert_same(reference, solved(m, engine, monkeypatch, 1001))


def test_missing_values(monkeypatch):
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2.5, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "law": "sqrt(t - 1)"}},
    )
    t = np.linspace(0, 3, 50)
    reference = solved(m, "functions", monkeypatch, t=t)
    assert (reference[0].status == sk.Status.NO_INPUT).any()
    assert_same(reference, solved(m, "python", monkeypatch, t=t))


class Branching(RRR):
    """A dyad whose function branches on its data."""

    def position(self, h, root):
        if np.any(root < -1):
            raise AssertionError
        return super().position(h, root)


class WithState(RRR):
    """A dyad that holds something other than numbers."""

    def __init__(self):
        self.table = np.arange(3)


@pytest.mark.parametrize("kind", [Branching(), WithState()])
def test_functions_that_cannot_be_traced_run_directly(kind, monkeypatch):
    m = sk.load(path("jansen_leg"))
    plan = compile_plan(m)
    steps = list(plan.steps)
    steps[2] = replace(steps[2], kind=kind)
    schedule = make_schedule(m, 50, None, None, None)
    monkeypatch.setattr(choice, "SMALL", 0)
    mixed = replace(plan, steps=tuple(steps), engine="python")
    assert not kernel_plan_of(mixed).is_whole and kernel_plan_of(mixed).runs
    reference, _ = sweep_between(replace(plan, engine="python"), schedule)
    lanes, _ = sweep_between(mixed, schedule)
    np.testing.assert_array_equal(lanes.x, reference.x)
    assert_same((lanes, columns(mixed, lanes)), (reference, columns(plan, reference)))


def test_small_jobs_import_no_numba():
    code = (
        "import sys, structkin as sk; from structkin.examples import path\n"
        "sk.load(path('crank_rocker')).solve(50000).K('C')\n"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_choice_is_by_the_work(monkeypatch):
    plan = compile_plan(four_bar())
    assert choice.choose(plan, 1000) is None
    monkeypatch.setattr(Kernel, "is_ready", lambda *_: False)
    monkeypatch.setattr(Kernel, "is_stored", lambda *_: False)
    monkeypatch.setattr(choice, "has_numba", lambda: False)
    assert choice.choose(plan, 10**9) == Job(kernel_plan_of(plan), compiled=False)
    monkeypatch.setattr(choice, "has_numba", lambda: True)
    assert choice.choose(plan, 10**9) == Job(kernel_plan_of(plan), compiled=True)
    assert choice.choose(plan, 10**5) == Job(kernel_plan_of(plan), compiled=False)
    assert not choice.choose(replace(plan, engine="python"), 10**9).compiled
    assert choice.choose(replace(plan, engine="compiled"), 1).compiled


def test_bad_engines(monkeypatch):
    with pytest.raises(sk.InputError, match="'fortran' is unknown"):
        four_bar().solve(engine="fortran")
    monkeypatch.setattr(choice, "has_numba", lambda: False)
    with pytest.raises(sk.InputError, match="'numba' is called 'compiled' now"):
        four_bar().solve(engine="numba")
    with pytest.raises(sk.InputError, match="'numpy' is called 'python' now"):
        four_bar().simulate(1, engine="numpy")
    with pytest.raises(sk.InputError, match="Numba, which compiles, is not installed or does not fit"):
        four_bar().solve(engine="compiled")


SOURCE = '''"""A kernel."""
from numba import njit


@njit(cache=True, nogil=True)
def solve(x):
    return x + {}
'''


@pytest.mark.compiled
def test_the_store_follows_the_source(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTKIN_CACHE", str(tmp_path / "new" / "folder"))
    assert not Kernel("Sum", SOURCE.format(1)).is_stored("solve")
    assert store.load("Sum", SOURCE.format(1)).solve(1.0) == 2.0
    assert store.load("Sum", SOURCE.format(2)).solve(1.0) == 3.0
    assert Kernel("Sum", SOURCE.format(1)).is_stored("solve")
    assert not Kernel("Sum", SOURCE.format(3)).is_stored("solve")
    (module,) = (tmp_path / "new" / "folder").glob(f"{store.module_name('Sum', SOURCE.format(1))}.py")
    module.write_text("broken")
    store.load.cache_clear()
    assert store.load("Sum", SOURCE.format(1)).solve(1.0) == 2.0


def more(x):
    return x + 1.0


@pytest.mark.compiled
def test_what_another_process_has_compiled_is_known_to_be_stored(tmp_path, monkeypatch, caplog):
    """It was not found: simulations of a new process ran in plain Python for 20 s before they went on compiled."""
    monkeypatch.setenv("STRUCTKIN_CACHE", str(tmp_path))
    caplog.set_level("INFO", "structkin")
    first, later = (Text("sums", "sums of a test", [more]) for _ in range(2))
    assert not first.is_stored("more")
    first.announce("more")
    assert first.compiled["more"](1.0) == 2.0 and caplog.text.count("sums of a test") == 1
    assert not later.is_loaded and later.is_stored("more") and not later.is_stored("ore")
    later.announce("more")
    assert caplog.text.count("sums of a test") == 1


@pytest.mark.compiled
def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("not a folder")
    monkeypatch.setenv("STRUCTKIN_CACHE", str(file))
    assert store.load("Sum", SOURCE.format(4)).solve(1.0) == 5.0
    assert not Kernel("Sum", SOURCE.format(4)).is_stored("solve")


@pytest.mark.compiled
def test_a_first_compilation_is_logged(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("STRUCTKIN_CACHE", str(tmp_path))
    with caplog.at_level(logging.INFO, logger="structkin"):
        Kernel("Sum", SOURCE.format(5)).call("solve", 1.0)
        Kernel("Sum", SOURCE.format(5)).call("solve", 1.0)
    assert [record.message for record in caplog.records] == ["compiling the solve of Sum, once on this machine"]


@pytest.mark.compiled
def test_processes_share_the_store(tmp_path):
    code = f"from structkin.kernels import store; print(store.load('Sum', {SOURCE.format(6)!r}).solve(1.0))"
    env = {**os.environ, "STRUCTKIN_CACHE": str(tmp_path)}
    running = [subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in running] == [b"7.0"] * 3


@pytest.mark.compiled
@pytest.mark.parametrize("name", few(["crank_rocker", "excavator", "five_bar_two_drivers"], 1))
def test_compiled_drivers(name):
    """Angles in both senses, lengths and missing values: the same numbers on both roads."""
    m = sk.load(path(name))
    t = np.linspace(0, 3, 500)
    laws = {id: np.stack(drive.law(t)) if drive.law else drive.start + 0 * t for id, drive in m.drivers.items()}
    given = {id: tuple(z[:3]) if z.ndim == 2 else (z, 0 * z, 0 * z) for id, z in laws.items()}
    one, other = (m.solve(drivers=given, engine=engine) for engine in ("compiled", "python"))
    np.testing.assert_array_equal(one.status, other.status)
    compared = one.ok if name == "excavator" else slice(None)
    np.testing.assert_array_equal(one.lanes.x[..., compared], other.lanes.x[..., compared])


@pytest.mark.compiled
def test_compiled_drivers_without_values():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "law": "log(t - 1)"}},
    )
    one, other = (m.solve(t=np.linspace(0, 3, 50), engine=engine) for engine in ("compiled", "python"))
    np.testing.assert_array_equal(one.status, other.status)
    np.testing.assert_allclose(one.position("B"), other.position("B"), atol=1e-14)
    assert 10 < one.ok.sum() < 50
