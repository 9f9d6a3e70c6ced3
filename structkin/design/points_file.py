"""Points of a path, and positions of a body, in a table: the columns x, y and angle, with their units."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import Flaw
from structkin.model.tables import read_table, titles_of
from structkin.model.units import Units, check_file_unit
from structkin.types import Floats

#: The title of a column, with or without its unit.
_TITLE = re.compile(r"(x|y|angle)\s*(?:[\[(].+[\])])?", re.IGNORECASE)


def read_points(path: Path, unit: str | None, angle_unit: str | None) -> tuple[Floats, Floats | None, str]:
    """Return points (n, 2), angles (n,) [rad] or None, and the unit of length; `InputError` lists every error."""
    problems: list[Problem] = []
    for option, kind, given in (("--unit", "length", unit), ("--angle-unit", "angle", angle_unit)):
        try:
            check_file_unit(kind, given or ("m" if kind == "length" else "rad"))
        except Flaw as flaw:
            problems.append(Problem(option, flaw.message, flaw.hint))
    try:
        titles = {match[1].lower(): title for title in titles_of(path) if (match := _TITLE.fullmatch(title))}
    except Flaw as flaw:
        raise InputError([*problems, Problem("", flaw.message, flaw.hint)], str(path)) from None
    says = {name: title.rstrip().endswith(("]", ")")) for name, title in titles.items()}
    if unit is None and not (says.get("x") and says.get("y")):
        problems.append(Problem("--unit", "is missing: the titles do not say the unit of x and y", "such as --unit mm"))
    if "angle" in titles and angle_unit is None and not says["angle"]:
        hint = "such as --angle-unit deg"
        problems.append(Problem("--angle-unit", "is missing: the title does not say the unit of the angles", hint))
    # Without a unit the cells are read all the same, so that what is wrong with them is said in the same breath.
    length = "m" if problems else unit or _unit_of(titles["x"])
    units = Units(length=length, angle="rad" if problems else angle_unit or "rad")
    points, timing = np.empty((0, 2)), None
    try:
        columns = (titles["x"], titles["y"]) if {"x", "y"} <= titles.keys() else None
        points = np.array(read_table(path.name, path.parent, columns, ("length", "length"), units))
        if "angle" in titles and not problems:
            both = (titles["x"], titles["angle"])
            timing = np.array(read_table(path.name, path.parent, both, ("length", "angle"), units))[:, 1]
            timing *= units.angle_scale
    except Flaw as flaw:
        problems.append(Problem("", flaw.message, flaw.hint))
    raise_problems(problems, str(path))
    return points, timing, length


def _unit_of(title: str) -> str:
    """Return the unit in a title, such as "x [mm]"; `InputError` if it is no unit of length."""
    unit = re.split(r"[\[(]", title.rstrip()[:-1])[-1].strip()
    try:
        return Units(length=unit).length
    except Flaw as flaw:
        raise InputError([Problem(title, flaw.message, flaw.hint)], "path") from None
