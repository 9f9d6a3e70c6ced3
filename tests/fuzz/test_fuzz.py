"""Damaged files through every call: each ends in a result or a list of problems, soon and without a warning."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from guard import Guard, little_memory
from mutations import mutated

import structkin as sk
from structkin.examples import names, path
from structkin.solve.study.study_file import read_study

EXAMPLES = {name: path(name).read_text(encoding="utf-8") for name in names()}
#: Files of the long set, and its number of tests.
FILES, PARTS = 20_000, 40

#: A good study.
STUDY = """
samples = 9
plan = "sobol"
variants = 16
seed = 3
duration = "2 s"
[mechanism]
units = { length = "mm", angle = "deg" }
points = { A = [0, 0], B = [20, 34.64], C = [133.9, 72.5], D = [100, 0] }
links = { ground = ["A", "D"], crank = ["A", "B"], coupler = ["B", "C"], rocker = ["D", "C"] }
drivers = { motor = { joint = "A", speed = "60 rpm" } }
[parameters]
"lengths.B-C" = [60, 160]
"lengths.C-D" = ["6 cm", "16 cm"]
"drivers.motor.speed" = [1, 2]
[measures]
swing = "range.angle.rocker"
transmission = "min.transmission.C"
[best]
measure = "transmission"
largest = true
count = 3
"""


def go_through(seeds: range, folder: Path, *, timed: bool) -> list[str]:
    """Return the faults for the files that these seeds damage."""
    for table in path(names()[0]).parent.glob("*.csv"):
        shutil.copy(table, folder)
    faults: list[str] = []
    for seed in seeds:
        source = random.Random(seed)
        name = source.choice(sorted(EXAMPLES))
        file = folder / "damaged.toml"
        file.write_bytes(mutated(EXAMPLES[name], source).encode())
        guard = Guard(f"{name}, seed {seed}", timed)
        _through(guard, file)
        faults += guard.faults
    return faults


def _through(guard: Guard, file: Path) -> None:
    mechanism = guard("load", lambda: sk.load(file))
    if mechanism is None:
        return
    guard("structure", mechanism.structure)
    motion = guard("solve", lambda: mechanism.solve(13))
    if motion is not None:
        guard("report", lambda: motion.report)
        guard("forces", motion.forces)
    for driver in mechanism.drivers:
        guard(f"limits of {driver}", lambda driver=driver: mechanism.limits(driver))
    guard("simulate", lambda: mechanism.simulate(0.1))


def test_damaged_files_give_a_result_or_problems(tmp_path):
    assert go_through(range(40), tmp_path, timed=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_damaged_files_finish_soon(part, tmp_path):
    count = FILES // PARTS
    with little_memory():
        assert go_through(range(part * count, (part + 1) * count), tmp_path, timed=True) == []


def studied(seeds: range, folder: Path) -> list[str]:
    """Return the faults of the studies that these seeds damage; each variant has its own time."""
    file, guard = folder / "study.toml", Guard(timed=False)
    for guard.where in map(str, seeds):
        file.write_bytes(mutated(STUDY, random.Random(int(guard.where))).encode())
        found = guard("read", lambda: read_study(file))
        if found is not None:
            result = guard("run", lambda found=found: sk.study(found.mechanism, **found.options, budget=100))
            if result is not None and found.best:
                guard("best", lambda found=found, result=result: result.best(found.best, found.count))
    return guard.faults


def test_damaged_studies_give_a_result_or_problems(tmp_path):
    assert studied(range(40), tmp_path) == []


@pytest.mark.slow
def test_many_damaged_studies_give_a_result_or_problems(tmp_path):
    with little_memory():
        assert studied(range(3000), tmp_path) == []
