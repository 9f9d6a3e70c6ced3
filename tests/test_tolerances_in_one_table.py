"""Numerical tolerances stand in one table; a small number elsewhere is none, and says what it is."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = Path("structkin/numerical_tolerances.py")
#: How many small numbers each file holds that are no tolerances: units, steps and settings of studies, seconds.
OTHERS = {
    "structkin/bench/dynamics/measured_runs.py": 4,  # the settings that are compared, and an error that is aimed at
    "structkin/cli/studies.py": 2,  # steps
    "structkin/cli/warm_up.py": 1,  # a duration
    "structkin/dynamics/integrators/steps.py": 1,  # the step of a difference
    "structkin/global_methods/sweeps.py": 1,  # seconds
    "structkin/kernels/choice.py": 2,  # seconds
    "structkin/model/mechanism.py": 2,  # a public signature
    "structkin/model/units.py": 1,  # a unit
    "structkin/multibody/model.py": 1,  # a public signature
    "structkin/spatial/checks.py": 1,  # the largest number below zero
    "structkin/studies/baumgarte.py": 1,  # a range of steps
    "structkin/studies/cartesian.py": 6,  # the paper's tolerance, and others around it
    "structkin/studies/pictures.py": 1,  # a colour
    "structkin/studies/jumps.py": 2,  # steps
    "structkin/studies/small_steps.py": 1,  # a step
    "structkin/symbolic/explicit/parameters.py": 1,  # how near to a fraction a float is
}


@cache
def small() -> list[tuple[Path, int]]:
    """Return the files and lines of all float literals below 1e-5 outside the table."""
    found = []
    for file in sorted([*(ROOT / "structkin").rglob("*.py"), *(ROOT / "groups").rglob("*.py")]):
        path = file.relative_to(ROOT)
        if path.parts[1] in ("groups", "examples") or "node_modules" in path.parts or path == TABLE:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < 1e-5:
                found.append((path, node.lineno))
    return found


def test_small_numbers_stand_in_the_table():
    assert sum(OTHERS.values()) <= 30
    assert Counter(path.as_posix() for path, _ in small()) == OTHERS


def test_a_small_number_elsewhere_has_its_reason_beside_it():
    for path, line in small():
        before, own = (ROOT / path).read_text(encoding="utf-8").splitlines()[line - 2 : line]
        assert "#" in own or before.lstrip().startswith("#") or "#" in before, f"{path}:{line}"


def test_every_tolerance_of_the_table_is_used_and_has_a_reason():
    lines = (ROOT / TABLE).read_text(encoding="utf-8").splitlines()
    text = "\n".join(
        file.read_text(encoding="utf-8")
        for folder in ("structkin", "groups", "tests")
        for file in (ROOT / folder).rglob("*.py")
        if file != ROOT / TABLE and "node_modules" not in file.parts
    )
    words = set(re.findall(r"\w+", text))
    for node in ast.parse("\n".join(lines)).body:
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            names = [one.id for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
            assert lines[node.lineno - 2].startswith("#:") or "=" in lines[node.lineno - 2], names
            assert words.issuperset(names), names
