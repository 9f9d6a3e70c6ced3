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

EXAMPLES = {name: path(name).read_text(encoding="utf-8") for name in names()}
#: Files of the long set, and its number of tests.
FILES, PARTS = 20_000, 40


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
