"""`structkin synthesise PATH`: from the points of a path to linkages that pass them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from structkin.cli.options import Json, budget_of
from structkin.cli.outputs import check_folder
from structkin.cli.terminal import print_json, print_table, progress, say
from structkin.design.candidates import Candidates
from structkin.design.loops import KINDS
from structkin.design.synthesise import BUDGET
from structkin.design.synthesise import synthesise as find
from structkin.errors import InputError, Problem
from structkin.model.flaw import Flaw
from structkin.model.tables import read_table, titles_of
from structkin.model.units import Units
from structkin.types import Floats

#: The title of a column, with or without its unit.
_TITLE = re.compile(r"(x|y|angle)\s*(?:[\[(].+[\])])?", re.IGNORECASE)


def synthesise(
    path: Annotated[
        Path,
        typer.Argument(help="CSV with the columns x, y and, if timed, angle.", metavar="PATH.csv", show_default=False),
    ],
    unit: Annotated[
        str | None, typer.Option(help="Unit of length of table and files, such as mm, unless the titles say it.")
    ] = None,
    angle_unit: Annotated[
        str | None, typer.Option(help="Unit of the crank angles, such as deg, unless the title says it.")
    ] = None,
    closed: Annotated[bool, typer.Option("--closed", help="The path is closed; the crank makes whole turns.")] = False,
    pivot: Annotated[
        list[str] | None, typer.Option(help="A ground pivot that is given; may be repeated once.", metavar="X,Y")
    ] = None,
    longest: Annotated[
        float | None, typer.Option(help="No link is longer, in the unit of the table; default: 20 times the path.")
    ] = None,
    transmission: Annotated[float, typer.Option(help="No transmission angle is smaller [deg].")] = 1.0,
    kind: Annotated[
        list[str] | None, typer.Option(help=f"{' or '.join(KINDS)}; may be repeated. Default: all.")
    ] = None,
    count: Annotated[int, typer.Option(help="Number of candidates.")] = 10,
    seed: Annotated[int, typer.Option(help="Start of the random numbers.")] = 0,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--to", "-o", help="Write each candidate as a file and a picture.", metavar="FOLDER", callback=check_folder
        ),
    ] = None,
    budget: Annotated[
        str, typer.Option(metavar="STEPS", help="Solver steps allowed; the best so far is kept. none: no limit.")
    ] = f"{BUDGET:g}",
    as_json: Json = False,
) -> None:
    """Find linkages whose tracer passes the points of a path."""
    points, timing, length = _table(path, unit, angle_unit)
    scale = Units(length=length).length_scale
    pivots = np.reshape([_place(text) for text in pivot or ()], (-1, 2)) * scale
    steps = budget_of(budget)
    with progress("fitting") as report:
        found = find(
            path=points * scale, closed=closed, timing=timing, pivots=pivots,
            longest=None if longest is None else longest * scale, transmission=float(np.radians(transmission)),
            kinds=kind or tuple(KINDS), count=count, seed=seed, budget=steps, progress=report,
        )  # fmt: skip
    written = () if folder is None else found.save(folder, unit=length)
    if as_json:
        print_json({"notes": list(found.notes), "candidates": [one.to_dict() for one in found]})
    else:
        if found:
            print_table(f"{len(points)} points: linkages, the best first", _rows(found, length), left=2)
        say(*found.notes, *(f"written: {file}" for file in written))
    if not found:
        raise typer.Exit(1)


def _rows(found: Candidates, unit: str) -> list[tuple[str, ...]]:
    scale = Units(length=unit).length_scale
    head = ("", "kind", f"error [{unit}]", f"rms [{unit}]", "transmission [deg]", "proportion", f"extent [{unit}]")
    return [
        head,
        *(
            (
                str(k), f"{one.kind}{', cognate' * one.cognate}", f"{one.error / scale:.3g}", f"{one.rms / scale:.3g}",
                f"{np.degrees(one.transmission):.1f}", f"{one.proportion:.3g}", f"{one.extent / scale:.4g}",
            )
            for k, one in enumerate(found, 1)
        ),
    ]  # fmt: skip


def _table(path: Path, unit: str | None, angle_unit: str | None) -> tuple[Floats, Floats | None, str]:
    """Return points (n, 2), angles (n,) [rad] or None, and the unit of length; `InputError` lists every error."""
    problems: list[Problem] = []
    for option, kind, given in (("--unit", "length", unit), ("--angle-unit", "angle", angle_unit)):
        try:
            Units(**{kind: given or ("m" if kind == "length" else "rad")})
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
    if problems:
        raise InputError(problems, str(path))
    length = unit or _unit_of(titles["x"])
    units = Units(length=length, angle="rad")
    try:
        columns = (titles["x"], titles["y"]) if {"x", "y"} <= titles.keys() else None
        points = np.array(read_table(path.name, path.parent, columns, ("length", "length"), units))
        timing = None
        if "angle" in titles:
            both = (titles["x"], titles["angle"])
            timing = np.array(read_table(path.name, path.parent, both, ("length", "angle"), units))[:, 1]
            timing *= 1.0 if says["angle"] else Units(angle=angle_unit or "rad").angle_scale
    except Flaw as flaw:
        raise InputError([Problem("", flaw.message, flaw.hint)], str(path)) from None
    return points, timing, length


def _unit_of(title: str) -> str:
    """Return the unit in a title, such as "x [mm]"; `InputError` if it is no unit of length."""
    unit = re.split(r"[\[(]", title.rstrip()[:-1])[-1].strip()
    try:
        return Units(length=unit).length
    except Flaw as flaw:
        raise InputError([Problem(title, flaw.message, flaw.hint)], "path") from None


def _place(text: str) -> tuple[float, float]:
    try:
        x, y = map(float, text.split(","))
    except ValueError:
        raise InputError([Problem("--pivot", f"'{text}' is not X,Y", "such as --pivot 10,20")], "command") from None
    return x, y
