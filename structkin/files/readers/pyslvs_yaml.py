"""Pyslvs projects: YAML with an expression and its inputs."""

from __future__ import annotations

import re
from typing import Any

from structkin.files.readers.imported import Imported, listed
from structkin.files.readers.pyslvs import read_expression
from structkin.model.flaw import Flaw, describe

#: What a project contains besides its mechanism: names and colours, and results of synthesis.
OTHERS = ("storage", "collection", "triangle", "algorithm", "path")


def read(text: str) -> Imported:
    """Return the mechanism of a .pyslvs file in YAML, with the extra `structkin[pyslvs]`.

    >>> found = read('mechanism: "M[J[R, P[0, 0], L[ground, a]], J[R, P[3, 4], L[a]]]"\\ninput:\\n- [0, 1]')
    >>> found.links["a"], list(found.drivers)
    (['Point0', 'Point1'], ['input Point0'])
    """
    data = _load(text)
    if not isinstance(data, dict) or not isinstance(data.get("mechanism"), str):
        raise Flaw("the file has no Pyslvs mechanism", 'it is YAML with mechanism: "M[...]"')
    pairs = []
    problems = Imported()
    given = data.get("input") or []
    for item in given if isinstance(given, list) else [given]:
        if isinstance(item, list) and len(item) >= 2 and all(map(_is_index, item[:2])):
            pairs.append((int(item[0]), int(item[1])))
        else:
            problems.fault("input", f"expected pairs of points, found {describe(item)}")
    found = read_expression(data["mechanism"], pairs)
    found.problems += problems.problems
    left = [name for name in OTHERS if data.get(name) not in (None, "", "null", "~", [], {})]
    if left:
        found.notes.append(f"these parts of the project are left out: {listed(left)}")
    return found


def _is_index(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\d{1,6}", value) is not None


def _load(text: str) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise Flaw("reading .pyslvs files needs PyYAML", 'install it: pip install "structkin[pyslvs]"') from None
    try:
        # in C it takes a fortieth of the time; a base loader makes no dates, numbers or objects
        return yaml.load(text, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise Flaw(f"{line}the file cannot be read as YAML") from None
    except RecursionError:
        raise Flaw("the file cannot be read as YAML: it is nested too deeply") from None
