"""Compiled code that is cached on disk."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from structkin import compiled

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
