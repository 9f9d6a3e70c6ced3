"""The mechanism file: TOML or JSON, which reads back as the same mechanism, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from structkin.errors import Problem, raise_problems
from structkin.files.writers.toml_text import toml_text
from structkin.model.entry import SECTIONS
from structkin.model.flaw import Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.tables import read_table
from structkin.model.written_pose import pose_section
from structkin.show.files import whole_file

#: The keys whose value may be the name of a CSV file, besides `csv` itself.
SIGNALS = ("actuator", "torque", "force")

#: Sections that a file has even if they are empty.
NEEDED = ("points", "links")

_HEAD = ("title", "format", "notes", "units", "duration")


def write_own(mechanism: Mechanism, path: Path) -> tuple[()]:
    """Write a mechanism as .toml or .json; raise `InputError`, and leave no partial file, if it cannot be written."""
    data = own_sections(mechanism)
    toml = toml_text(data)  # JSON holds no more
    text = toml if path.suffix.lower() == ".toml" else json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    with whole_file(path) as file:
        file.write(text)
    return ()


def own_sections(mechanism: Mechanism) -> dict[str, Any]:
    """Return the sections that a mechanism was built from, in the order of a file, with the rows of its CSV tables.

    A mechanism in another assembly has its pose as well.

    >>> arm = Mechanism("Arm", points={"A": (0, 0), "B": (1, 0)}, links={"ground": ("A",), "bar": ("A", "B")})
    >>> own_sections(arm)
    {'title': 'Arm', 'points': {'A': [0, 0], 'B': [1, 0]}, 'links': {'ground': ['A'], 'bar': ['A', 'B']}}
    """
    source = mechanism.source_dict
    if mechanism._pose is not None:
        kinds = {id: drive.kind for id, drive in mechanism.drivers.items()}
        source["pose"] = pose_section(mechanism._pose, kinds)
    order = dict.fromkeys((*_HEAD, *SECTIONS))
    data = {name: source[name] for name in order if source.get(name) not in (None, "", {}, [], ()) or name in NEEDED}
    problems: list[Problem] = []
    for section in ("joints", "drivers", "forces"):
        for name, entry in data.get(section, {}).items():
            if isinstance(entry, dict):
                try:
                    data[section][name] = _with_rows(mechanism, section, name, entry)
                except Flaw as flaw:
                    problems.append(Problem(f"{section}.{name}", flaw.message, flaw.hint))
    raise_problems(problems, mechanism.title or "mechanism")
    return data


def _with_rows(mechanism: Mechanism, section: str, id: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the rows of a CSV table instead of its file name, which only its own folder can resolve."""

    def rows(name: str, kinds: tuple[str, str], columns: Any = None) -> list[list[float]]:
        return [list(row) for row in read_table(name, mechanism._folder, columns, kinds, mechanism.units)]

    result: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "csv" and value is not None:
            kinds = _kinds(mechanism, section, id, entry)
            result["profile" if section == "joints" else "table"] = rows(value, kinds, entry.get("columns"))
        elif key in SIGNALS and isinstance(value, str) and value.endswith(".csv"):
            moment = key == "torque" or entry.get("type") == "torsion"
            result[key] = rows(value, ("time", "moment" if moment else "force"))
        elif key != "columns":
            result[key] = value
    return result


def _kinds(mechanism: Mechanism, section: str, id: str, entry: dict[str, Any]) -> tuple[str, str]:
    """Return the quantities of the columns of an entry's CSV file."""
    if section == "joints":
        return "angle", "length"
    if section == "forces":
        return "time", str(entry["type"])
    return "time", mechanism.drivers[id].quantity
