"""Points of a path, and positions of a body, in a table: the columns x, y and angle, with their units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import Flaw, short
from structkin.model.tables import lines_above, names_columns, read_table
from structkin.model.units import Units, check_file_unit
from structkin.types import Floats

#: The title of a column, with or without its unit.
_TITLE = re.compile(r"(x|y|angle)\s*(?:[\[(].+[\])]|(?:[/,]|in\s).+)?", re.IGNORECASE)


def read_points(path: Path, unit: str | None, angle_unit: str | None) -> tuple[Floats, Floats | None, str]:
    """Return points (n, 2), angles (n,) [rad] or None, and the unit of length; `InputError` lists every error."""
    problems: list[Problem] = []
    for option, kind, given in (("--unit", "length", unit), ("--angle-unit", "angle", angle_unit)):
        try:
            check_file_unit(kind, given or ("m" if kind == "length" else "rad"))
        except Flaw as flaw:
            problems.append(Problem(option, flaw.message, flaw.hint))
    try:
        titles = _titles(lines_above(path), problems)
    except Flaw as flaw:
        raise InputError([*problems, Problem("", flaw.message, flaw.hint)], str(path)) from None
    says = {name: title.rstrip().endswith(("]", ")")) for name, title in titles.items()}
    if unit is None and not (says.get("x") and says.get("y")):
        problems.append(Problem("--unit", "is missing: the titles do not say the unit of x and y", "such as --unit mm"))
    if "angle" in titles and angle_unit is None and not says["angle"]:
        hint = "such as --angle-unit deg"
        problems.append(Problem("--angle-unit", "is missing: the title does not say the unit of the angles", hint))
    length = unit or "m"
    if unit is None and says.get("x"):
        try:
            length = Units(length=re.split(r"[\[(]", titles["x"].rstrip()[:-1])[-1].strip()).length
        except Flaw as flaw:
            problems.append(Problem("", f"the title '{titles['x']}': {flaw.message}", flaw.hint))
            length = ""
    # Without a unit the cells are read all the same, so that what is wrong with them is said in the same breath.
    units = Units() if problems else Units(length=length, angle=angle_unit or "rad")
    points, timing = np.empty((0, 2)), None
    try:
        columns = (titles["x"], titles["y"]) if titles else None
        points = np.array(read_table(path.name, path.parent, columns, ("length", "length") if length else None, units))
        if "angle" in titles and not problems:
            both = (titles["x"], titles["angle"])
            timing = np.array(read_table(path.name, path.parent, both, ("length", "angle"), units))[:, 1]
            timing *= units.angle_scale
    except Flaw as flaw:
        problems += flaw.problems("")
    raise_problems(problems, str(path))
    return points, timing, length


def _titles(above: Sequence[Sequence[str]], problems: list[Problem]) -> dict[str, str]:
    """Return the titles of x, y and perhaps angle in the lowest line that has the first two; none without titles."""
    for cells in reversed(above):
        found = [(match[1].lower(), title) for title in cells if (match := _TITLE.fullmatch(title))]
        titles = dict(reversed(found))
        if {"x", "y"} <= titles.keys():
            for name in titles:
                same = dict.fromkeys(f"'{title}'" for own, title in found if own == name)
                if len(same) > 1:
                    problems.append(Problem("", f"several columns are {name}: {', '.join(same)}", "keep one of them"))
            return titles
    if named := next(filter(names_columns, reversed(above)), None):
        columns = ", ".join(f"'{short(title)}'" for title in named)
        problems.append(
            Problem("", f"no columns are x and y; there are {columns}", "such as the titles x [mm], y [mm]")
        )
    return {}
