"""Compiled code that is cached on disk."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from commands import called

import structkin as sk
from structkin import compiled
from structkin.errors import InputError
from structkin.examples import path
from structkin.kernels import store

OUTER = """
from structkin.compiled import kept
from inner import inner
def outer(x):
    return inner(x) + 1
outer = kept(outer, error_model="numpy")
print(outer(1.0))
"""
INNER = """
from structkin.compiled import kept
def inner(x):
    return {} * x
inner = kept(inner, error_model="numpy")
"""


@pytest.mark.full
def test_a_cached_function_follows_the_functions_it_calls(tmp_path):
    """Numba alone would run the old inner function, as the file of the outer one has not changed."""
    pytest.importorskip("numba")
    store, package = tmp_path / "store", tmp_path / "parts"
    package.mkdir()
    (package / "outer.py").write_text(OUTER, encoding="utf-8")
    for factor in (2, 3):
        (package / "inner.py").write_text(INNER.format(factor), encoding="utf-8")
        run = subprocess.run(
            [sys.executable, "-B", str(package / "outer.py")], check=True, capture_output=True, text=True,
            env={**os.environ, "STRUCTKIN_CACHE": str(store)},
        )  # fmt: skip
        assert float(run.stdout) == factor + 1
    assert len(list(store.iterdir())) == 2 and all(any(folder.rglob("*.nbi")) for folder in store.iterdir())
    assert not list(package.rglob("*.nbi"))


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    numba = pytest.importorskip("numba")
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("STRUCTKIN_CACHE", str(tmp_path / "file"))
    compiled.package_folder.cache_clear()
    before = numba.config.CACHE_DIR
    assert compiled.kept(lambda x: x + 1.0)(1.0) == 2.0 and before == numba.config.CACHE_DIR
    compiled.package_folder.cache_clear()


BOTH = """
import sys
from structkin.compiled import kept
from structkin.kernels import store
def half(x):
    return x / 2
half = kept(half, error_model="numpy")
double = store.load("D", "from numba import njit\\n@njit(cache=True, )\\ndef double(x):\\n    return 2 * x\\n").double
print(half(3.0), double(3.0), sum(sum(f.stats.cache_hits.values()) for f in (half, double) if hasattr(f, "stats")))
"""

ATTACKS = {
    "nothing": lambda data: data,
    "emptied": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "random": lambda data: random.Random(len(data)).randbytes(len(data)),
    "one bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


def run_both(store, folder):
    """Return the two results, and how many functions were read from the store."""
    script = folder / "both.py"
    script.write_text(BOTH, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-B", str(script)], capture_output=True, text=True, check=False,
        env={**os.environ, "STRUCTKIN_CACHE": str(store)},
    )  # fmt: skip
    assert run.returncode == 0 and not run.stderr, run.stderr[-2000:]
    half, double, hits = run.stdout.split()
    assert (half, double) == ("1.5", "6.0")
    return int(hits)


@pytest.mark.full
def test_damaged_files_of_the_store_are_made_anew(tmp_path):
    pytest.importorskip("numba")
    store = tmp_path / "store"
    assert run_both(store, tmp_path) == 0 and run_both(store, tmp_path) == 2
    for name, attack in ATTACKS.items():
        for file in [file for file in store.rglob("*") if file.is_file()]:
            file.write_bytes(attack(file.read_bytes()))
        assert run_both(store, tmp_path) == (2 if name == "nothing" else 0), name
    assert run_both(store, tmp_path) == 2


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="no permissions of this kind here")
def test_a_store_that_others_may_write_to_is_not_used(tmp_path):
    pytest.importorskip("numba")
    store = tmp_path / "store"
    assert run_both(store, tmp_path) == 0 and store.stat().st_mode & 0o777 == 0o700
    store.chmod(0o777)
    before = {file: file.stat().st_mtime_ns for file in store.rglob("*")}
    assert run_both(store, tmp_path) == 0
    assert {file: file.stat().st_mtime_ns for file in store.rglob("*")} == before
    store.chmod(0o700)
    if os.getuid() == 0:
        os.chown(store, 12345, 23456)
        assert run_both(store, tmp_path) == 0


def test_several_threads_may_iterate_over_assemblies():
    found = sk.load(path("stephenson_iii_triad")).assemblies()
    with ThreadPoolExecutor(8) as pool:
        listed = list(pool.map(lambda _: [assembly.place for assembly in found], range(8)))
    count = len([*sk.load(path("stephenson_iii_triad")).assemblies()])
    assert listed == [list(range(count))] * 8 and count > 1


@pytest.mark.parametrize(("needed", "fits"), [("numpy<99,>=1.22", True), ("numpy<1.20", False), ("numpy", True)])
def test_a_numba_that_does_not_know_this_numpy_is_as_good_as_none(needed, fits, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr("importlib.metadata.requires", lambda name: [needed, "llvmlite>=0.40"])
    compiled.has_numba.cache_clear()
    try:
        assert compiled.has_numba() == fits
    finally:
        compiled.has_numba.cache_clear()


@pytest.mark.slow
def test_warm_up_compiles_what_the_examples_need(tmp_path):
    pytest.importorskip("numba")
    environment = {**os.environ, "STRUCTKIN_CACHE": str(tmp_path / "store")}
    run = subprocess.run(
        [sys.executable, "-m", "structkin", "warm-up"], check=True, capture_output=True, text=True, env=environment
    )
    assert "compiled, and kept in" in run.stdout.replace("\n", " ")
    code = (
        "import logging, structkin as sk; from structkin.examples import path; logging.basicConfig(level='INFO')\n"
        "from structkin.bench.dynamics.cases import chain\n"
        "sk.load(path('one_cylinder_engine')).solve(20, engine='compiled').K('A')\n"
        "chain(1).simulate(1e-3, samples=3, engine='compiled')\n"
        "import numpy as np; many = sk.Linkages.random(300, 6, triads=1.0)\n"
        "sk.solve_batch(many.adjacency, many.points, many.fixed, (0, 1), np.linspace(0, 2 * np.pi, 9)).status"
    )
    later = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert "compiling" not in later.stderr


def test_warm_up_says_where_it_cannot_keep_anything(tmp_path):
    pytest.importorskip("numba")
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "structkin", "warm-up"], check=False, capture_output=True, text=True,
        env={**os.environ, "STRUCTKIN_CACHE": str(tmp_path / "file")},
    )  # fmt: skip
    assert run.returncode == 2 and "cannot be used" in run.stderr and "Traceback" not in run.stderr


def test_warm_up_does_not_compile_for_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    """It compiled for minutes, and then said that the code was kept there."""
    pytest.importorskip("numba")
    monkeypatch.setenv("STRUCTKIN_CACHE", str(tmp_path))
    may = os.access  # no bits of a folder keep root from writing into it
    monkeypatch.setattr(os, "access", lambda folder, mode: mode != os.W_OK and may(folder, mode))
    error = called("warm-up").exception
    assert isinstance(error, InputError) and "cannot be used: Permission denied" in str(error)
    assert not list(tmp_path.iterdir())


def test_a_user_without_a_home_compiles_for_the_process(tmp_path, monkeypatch):
    """In a container that runs as a bare number there is no home; every compiled job ended in a traceback."""
    pytest.importorskip("numba")
    monkeypatch.delenv("STRUCTKIN_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(compiled.Path, "home", homeless)
    source = "from numba import njit\n@njit(cache=True, )\ndef triple(x):\n    return 3 * x\n"
    triple = store.Kernel("Homeless", source)
    assert not triple.is_stored("triple") and triple.call("triple", 2.0) == 6.0
    assert compiled.folder_of("anything") is None
    assert "cannot be used" in str(called("warm-up").exception)
