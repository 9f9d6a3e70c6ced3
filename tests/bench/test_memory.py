"""A long sweep needs the memory of its result and 64 MiB more (beyond imports)."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cases import few

pytest.importorskip("resource")

CODE = """
import resource, sys
import numpy as np
import structkin as sk
from structkin.bench.groups import platforms
from structkin.bench.mechanism import scalable_four_bar

def peak():
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else 1024 * size

m, samples = {mechanism}, {samples}
m.solve(3000, duration=6.0).K("{point}")  # what is loaded when it is first needed
before = peak()
motion = m.solve(samples, duration=6.2 * {turns})
assert motion.ok.all()
lanes = motion.lanes
arrays = (lanes.x if lanes.x.base is None else lanes.x.base, lanes.status, lanes.group, motion.t)
result = sum(array.nbytes for array in (*arrays, *motion.drivers.values()))
print(result, peak() - before)
"""


@pytest.mark.parametrize(
    ("mechanism", "samples", "turns", "point"),
    few([("scalable_four_bar(17)", 100_000, 100, "C17"), ("platforms(1)", 500_000, 500, "P0_0")], 1),
)
def test_memory_of_a_long_sweep(mechanism, samples, turns, point):
    code = CODE.format(mechanism=mechanism, samples=samples, turns=turns, point=point)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    result, taken = map(int, found.stdout.split())
    assert result > 50 * 2**20
    assert taken < result + 64 * 2**20, f"{taken / 2**20:.0f} MiB for a result of {result / 2**20:.0f} MiB"
