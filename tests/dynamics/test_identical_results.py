"""Identical calls give identical results, to the last digit: under load, and whatever is already compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.examples import names, path


def released(name: str) -> sk.Mechanism:
    """An example with masses and gravity whose drivers have no law but an initial speed."""
    m = sk.load(path(name))
    data = m.source_dict
    for link, entry in data["links"].items():
        if link != "ground":
            body = entry if isinstance(entry, dict) else {"points": entry}
            if body.get("points") and not {"mass", "shape", "density", "point_masses"} & set(body):
                center = data["points"][body["points"][0]]
                data["links"][link] = {"center": center, **body, "mass": 1.0, "inertia": 0.01}
    for id, entry in data["drivers"].items():
        for key in ("speed", "law", "table", "csv"):
            entry.pop(key, None)
        data.setdefault("initial", {})[id] = {"speed": "0.2 m/s" if m.drivers[id].kind != "angle" else "1 rad/s"}
    data["forces"] = {**data.get("forces", {}), "gravity": [0, -9.81]}
    return sk.Mechanism.from_dict(data, folder=path(name).parent)


@contextmanager
def other_work() -> Iterator[None]:
    """Keep all cores busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def everything(r: sk.Simulation) -> list[Any]:
    return [r.lanes.x, *(part for z in r.drivers.values() for part in z), *r.efforts.values()]


@pytest.mark.parametrize("beside", [nullcontext, pytest.param(other_work, marks=pytest.mark.full)])
def test_each_example_twice_once_beside_other_work(beside: Callable[[], AbstractContextManager[None]]) -> None:
    calls = [(name, released(name)) for name in names()]
    found = {name: m.simulate(0.02, samples=3) for name, m in calls}
    with beside():
        for name, m in calls:
            again = m.simulate(0.02, samples=3)
            assert again.stopped == found[name].stopped, name
            for first, second in zip(everything(found[name]), everything(again), strict=True):
                np.testing.assert_array_equal(second, first, err_msg=name)
            assert again.integration.evaluations == found[name].integration.evaluations, name


SCRIPT = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import structkin as sk
from flat import windows
r = windows(2).simulate(40, samples=401, rtol=1e-10, engine=sys.argv[2])
print("numba" in sys.modules, hashlib.sha256(r.lanes.x.tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_cold_and_warm_cache(tmp_path: Path) -> None:
    """A run of 40 s is not worth compiling, but goes on compiled where that was done before."""
    found = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), engine],
            check=True, capture_output=True, text=True, env={**os.environ, "STRUCTKIN_CACHE": str(tmp_path)},
        ).stdout.split()
        for engine in ("auto", "compiled", "auto")
    ]  # fmt: skip
    assert [compiled for compiled, _ in found] == ["False", "True", "True"]
    assert len({digest for _, digest in found}) == 1
