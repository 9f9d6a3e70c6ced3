"""What a measure of one's own is: the store of a study goes on with the same one, and with no other."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import ModuleType

import numpy as np
import pytest
from test_study import four_bar

import structkin as sk
from structkin.solve.study.identity import digest_of_measure

FACTOR = 1.0


def factor():
    return FACTOR


def scaled(motions, point="C", *, by=factor):
    return by() * motions.position(point)[..., 1].max(axis=1)


def of_point(point):
    return lambda motions: max(motions.position(point)[..., 1].max(axis=1) for _ in range(1))


@dataclass
class Top:
    """A measure that keeps what it has found: that is not another one before it has measured anything."""

    point: str
    found: list = field(default_factory=list)

    def __call__(self, motions):
        self.found.append(scaled(motions, self.point))
        return self.found[-1]

    def side(self, motions):
        return self(motions)


def test_the_store_of_another_measure_does_not_go_on(tmp_path):
    """It went on with the numbers of the first one, as its name and its code are the same."""
    options = {"samples": 5, "to": tmp_path / "a.zarr"}
    first = sk.study(four_bar(), {"lengths.B-C": [0.11, 0.12]}, measures={"top": Top("C")}, **options)
    again = sk.study(four_bar(), {"lengths.B-C": [0.11, 0.12]}, measures={"top": Top("C")}, **options)
    np.testing.assert_array_equal(again.dataset["top"], first.dataset["top"])
    with pytest.raises(sk.InputError, match="another study: measures differs"):
        sk.study(four_bar(), {"lengths.B-C": [0.11, 0.12]}, measures={"top": Top("B")}, **options)


def test_measures_differ_in_all_that_they_are_made_of(monkeypatch):
    one_of_each = [
        scaled, partial(scaled, point="B"), partial(scaled, point="D"), of_point("C"), of_point("B"), Top("C"),
        Top("B"), Top("C").side, partial(scaled, by=math.sin), partial(scaled, by=math.cos), np.arange(3.0),
        np.arange(3.0, 6.0), {"a", "b"}, {"a", "c"}, lru_cache(scaled), lru_cache(factor),
    ]  # fmt: skip
    before = [digest_of_measure(one) for one in one_of_each]
    assert len(set(before)) == len(before)
    monkeypatch.setitem(globals(), "FACTOR", 2.0)  # scaled has the function that reads it as a default
    after = [digest_of_measure(one) for one in one_of_each]
    same = [k for k, pair in enumerate(zip(before, after, strict=True)) if pair[0] == pair[1]]
    assert same == [3, 4, 10, 11, 12, 13]
    monkeypatch.undo()
    monkeypatch.setitem(globals(), "scaled", lambda motions, point: motions.ok[:, 0] * 1.0)
    assert digest_of_measure(Top("C")) != before[5]  # a function that a method calls
    loop = [1]
    loop.append(loop)
    assert digest_of_measure(loop) == digest_of_measure(loop)
    assert digest_of_measure(threading.Lock()) == digest_of_measure(threading.Lock())  # it cannot be seen


def test_functions_of_a_module_within_a_package_are_followed():
    """The store went on with the numbers of a function before its change."""

    def digest(factor):
        package, within = ModuleType("own"), ModuleType("own.within")
        exec(f"def scaled(k):\n    return {factor} * k", vars(within))
        package.within, within.package = within, package
        names = {"__name__": "__main__", "own": package}
        return digest_of_measure(eval("lambda motions: own.within.scaled(motions.t)", names))

    assert digest(2) == digest(2) != digest(3)


DIGEST = """
import functools, re, sys, threading
import numpy as np
sys.path.insert(0, FOLDER)
import helper
from structkin.solve.study.identity import digest_of_measure

NAMES, TABLE, LOCK, WORD = {"P", "Q", "R", "S"}, np.linspace(0, 1, 5), threading.RLock(), re.compile("a+")

class Own:
    __slots__ = ("names", "again")
    def __init__(self):
        self.names, self.again = frozenset(NAMES), self
    def __call__(self, motions):
        return [name for name in self.names if name in {"P", "Q", "X"}]

@functools.lru_cache
def cached(k):
    with LOCK:
        return cached(k - 1) + TABLE.sum() if WORD.match("a") and k else len(__file__)

def measure(motions, *, more=Own()):
    def inner(k):
        return [cached(k), helper.twice(k), *more(motions), np.hypot(k, 1)]
    return inner(3)

one = digest_of_measure(functools.partial(measure, more=Own()))
for _ in range(100):
    measure(None)
assert digest_of_measure(functools.partial(measure, more=Own())) == one
print(one)
"""


def test_a_measure_is_the_same_in_another_process_and_folder(tmp_path):
    """Whatever the order of sets, the folder, the numbers of lines, and how often the code ran."""

    def found(name, seed, factor=2):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helper.py").write_text(f"def twice(k):\n    return {factor} * k\n", encoding="utf-8")
        script = "\n" * seed + DIGEST.replace("FOLDER", repr(str(folder)))
        (folder / "script.py").write_text(script, encoding="utf-8")
        environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, str(folder / "script.py")]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout

    first = found("a", 1)
    assert found("a longer name", 2) == first and len(first) == 65
    assert found("b", 1, factor=3) != first
