"""`structkin synthesise`: linkages for the points of a path, for positions of a body, or for a function."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from structkin.cli.options import Json, budget_of
from structkin.cli.outputs import check_folder
from structkin.cli.terminal import print_json, print_table, progress, say
from structkin.design.candidates import NAMED, Candidates
from structkin.design.function import synthesise_function
from structkin.design.loops import KINDS
from structkin.design.nine_points import synthesise_nine_points
from structkin.design.points_file import read_points
from structkin.design.positions import KINDS as BODY_KINDS
from structkin.design.positions import synthesise_positions
from structkin.design.synthesise import BUDGET
from structkin.design.synthesise import synthesise as find
from structkin.errors import InputError, Problem, raise_problems, together
from structkin.model.expression import Expression
from structkin.model.file import SUFFIXES
from structkin.model.flaw import Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.units import Units
from structkin.types import Floats


def synthesise(
    context: typer.Context,
    path: Annotated[
        Path | None,
        typer.Argument(
            help="CSV with the columns x, y and, if timed or with --positions, angle.",
            metavar="PATH.csv",
            show_default=False,
        ),
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Unit of length of table and files, such as mm, unless the titles say it.")
    ] = None,
    angle_unit: Annotated[
        str | None, typer.Option(help="Unit of the angles of the table, such as deg, unless the title says it.")
    ] = None,
    positions: Annotated[
        bool, typer.Option("--positions", help="The rows are positions of a body, its origin and its angle.")
    ] = False,
    nine_points: Annotated[
        bool, typer.Option("--nine-points", help="The path has nine points, passed in any order, on any branch.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--mechanism", help="Fit this mechanism, such as a six-bar, in place of --kind.", metavar="FILE"),
    ] = None,
    point: Annotated[str | None, typer.Option(help="The point of --mechanism that draws the path.")] = None,
    closed: Annotated[bool, typer.Option("--closed", help="The path is closed; the crank makes whole turns.")] = False,
    pivot: Annotated[
        list[str] | None, typer.Option(help="A ground pivot that is given; may be repeated once.", metavar="X,Y")
    ] = None,
    region: Annotated[
        str | None, typer.Option(help="Two corners between which all ground pivots lie.", metavar="X,Y,X,Y")
    ] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option(help="A pin of the body, in its first position; may be repeated once.", metavar="X,Y"),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(help="Turn a rocker by a formula of t, such as log(t), instead of a table.", metavar="FORMULA"),
    ] = None,
    interval: Annotated[str | None, typer.Option(help="Ends of t for --function.", metavar="A,B")] = None,
    crank: Annotated[
        str | None, typer.Option(help="Angles [deg] of the crank at the ends of the interval.", metavar="A,B")
    ] = None,
    rocker: Annotated[
        str | None, typer.Option(help="Angles [deg] of the rocker for both ends of the function.", metavar="A,B")
    ] = None,
    points: Annotated[int, typer.Option(help="Precision points of the function: 3 to 5, more by least squares.")] = 3,
    longest: Annotated[
        float | None, typer.Option(help="No link is longer, in the unit of the table; default: 20 times the path.")
    ] = None,
    transmission: Annotated[float, typer.Option(help="No transmission angle is smaller [deg].")] = 1.0,
    kind: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join((*BODY_KINDS, *NAMED))}; may be repeated.")
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
    """Find linkages for the points of a path, for positions of a body, or for a function."""
    wish = (
        "function" if function is not None else "positions" if positions else "nine_points" if nine_points else "path"
    )
    _check_options(context, wish)
    length = unit or "m"
    if function is not None:
        formula, *ends = together(
            "command", partial(_formula, function), partial(_pair, "--interval", interval),
            partial(_pair, "--crank", crank), partial(_pair, "--rocker", rocker),
        )  # fmt: skip
        phi, psi = (tuple(np.radians(pair).tolist()) for pair in ends[1:])
        try:
            found = synthesise_function(formula, interval=ends[0], input=phi, output=psi, points=points, count=count)
        except InputError as error:
            names = {"interval": "--interval", "input": "--crank", "output": "--rocker"}
            raise InputError(
                [
                    replace(one, key=names[one.key], hint=f"such as {names[one.key]} 30,90")
                    if one.key in names
                    else one
                    for one in error.problems
                ],
                "command",
            ) from None
        about = function
    else:
        if path is None:
            raise InputError([Problem("PATH.csv", "is missing", "name a table, or give --function")], "command")
        if path.suffix.lower() in SUFFIXES:
            hint = (
                "give the points as a table, such as path.csv; --mechanism FILE names a mechanism that shall pass them"
            )
            raise InputError([Problem("", f"a {path.suffix} file holds a mechanism, not a table", hint)], str(path))
        places = [(name, text) for name, given in (("--pivot", pivot), ("--pin", pin)) for text in given or ()]
        (table, angles, length), steps, corners, *pairs = together(
            str(path), partial(read_points, path, unit, angle_unit), partial(budget_of, budget),
            partial(_corners, region), *(partial(_pair, *one) for one in places),
        )  # fmt: skip
        scale = Units(length=length).length_scale
        pivots, pins = np.split(scale * np.reshape(pairs, (-1, 2)), [len(pivot or ())])
        about = f"{len(table)} {'positions' if positions else 'points'}"
        if positions:
            if angles is None:
                problem = Problem("angle", "there is no column of this title", "positions have x, y and angle")
                raise InputError([problem], str(path))
            found = synthesise_positions(
                np.column_stack((table * scale, angles)), pivots=pivots if len(pivots) else None,
                pins=pins if len(pins) else None, kinds=kind or BODY_KINDS, count=count, seed=seed,
            )  # fmt: skip
        elif nine_points and angles is not None:
            problem = Problem("angle", "nine points are passed at any angle", "leave the column out")
            raise InputError([problem], str(path))
        elif nine_points:
            with progress("searching") as report:
                found = synthesise_nine_points(table * scale, count=count, seed=seed, budget=steps, progress=report)
        else:
            mechanism = None if file is None else Mechanism.load(file)
            with progress("fitting") as report:
                found = find(
                    path=table * scale, closed=closed, timing=angles, pivots=pivots,
                    region=None if corners is None else corners * scale,
                    longest=None if longest is None else longest * scale, transmission=float(np.radians(transmission)),
                    kinds=kind or tuple(KINDS), mechanism=mechanism, point=point, count=count, seed=seed,
                    unit=length, budget=steps, progress=report,
                )  # fmt: skip
    written = () if folder is None else found.save(folder, unit=length)
    if as_json:
        print_json({"notes": list(found.notes), "candidates": [one.to_dict() for one in found]})
    else:
        if found:
            print_table(f"{about}: linkages, the best first", _rows(found, length), left=2)
            lines = [f"{k}: {defect}" for k, one in enumerate(found, 1) for defect in one.defects]
        say(*(lines if found else ()), *found.notes, *(f"written: {file}" for file in written))
    if not found:
        raise typer.Exit(1)


#: The options that belong to some wishes only.
_BELONGS = {
    "path": {"positions", "path", "nine_points"}, "unit": {"path", "positions", "nine_points"},
    "angle_unit": {"path", "positions"}, "nine_points": {"nine_points"}, "file": {"path"}, "point": {"path"},
    "closed": {"path"}, "pivot": {"path", "positions"}, "pin": {"positions"}, "interval": {"function"},
    "crank": {"function"}, "rocker": {"function"}, "points": {"function"}, "longest": {"path"},
    "transmission": {"path"}, "kind": {"path", "positions"}, "seed": {"path", "positions", "nine_points"},
    "budget": {"path", "nine_points"},
    "positions": {"positions"}, "region": {"path"},
}  # fmt: skip


def _check_options(context: typer.Context, wish: str) -> None:
    """Raise `InputError` that lists the options that do not belong to a wish, and those that a function lacks."""
    given = [name for name in _BELONGS if getattr(context.get_parameter_source(name), "name", "DEFAULT") != "DEFAULT"]
    words = {"path": "PATH.csv", "file": "--mechanism"}
    what = {"path": "a path", "positions": "positions", "function": "a function", "nine_points": "nine points"}
    names = {name: words.get(name, f"--{name.replace('_', '-')}") for name in _BELONGS}
    problems = [
        Problem(names[name], f"does not belong to {what[wish]}", "leave it out")
        for name in given
        if wish not in _BELONGS[name]
    ]
    if wish == "function":
        missing = [name for name in ("interval", "crank", "rocker") if name not in given]
        problems += [Problem(names[name], "is missing", f"such as {names[name]} 30,90") for name in missing]
    raise_problems(problems, "command")


def _formula(text: str) -> Callable[[float], float]:
    """Return a function from a formula of t; `InputError` where it is none."""
    try:
        formula = Expression(text)
    except Flaw as flaw:
        raise InputError([Problem("--function", flaw.message, flaw.hint)], "command") from None
    return lambda t: float(formula(np.array([t]))[0][0])


def _rows(found: Candidates, unit: str) -> list[tuple[str, ...]]:
    scale = Units(length=unit).length_scale
    angular = any(one.unit == "rad" for one in found)
    size, wrong = (np.pi / 180, "deg") if angular else (scale, unit)
    head = ("", "kind", f"error [{wrong}]", f"rms [{wrong}]", "transmission [deg]", "proportion", f"extent [{unit}]")
    rows: list[tuple[str, ...]] = [head]
    for k, one in enumerate(found, 1):
        kind = f"{one.kind}{', cognate' * one.cognate}"
        least = "-" if np.isnan(one.transmission) else f"{np.degrees(one.transmission):.1f}"
        errors = (f"{one.error / size:.3g}", f"{one.rms / size:.3g}")
        rows.append((str(k), kind, *errors, least, f"{one.proportion:.3g}", f"{one.extent / scale:.4g}"))
    return rows


def _pair(option: str, text: str | None) -> tuple[float, float]:
    """Return two numbers; `InputError` where an option has others."""
    x, y = _numbers(option, text or "", "X,Y")
    return x, y


def _corners(text: str | None) -> Floats | None:
    """Return two corners (2, 2); None if there are none, `InputError` where `--region` has others."""
    return None if text is None else np.reshape(_numbers("--region", text, "X,Y,X,Y"), (2, 2))


def _numbers(option: str, text: str, sample: str) -> list[float]:
    """Return as many numbers as a sample has, between commas; `InputError` where an option has others."""
    with suppress(ValueError):
        if len(found := [float(part) for part in text.split(",")]) == sample.count(",") + 1:
            return found
    hint = f"such as {option} {','.join(str(10 * k) for k in range(1, sample.count(',') + 2))}"
    raise InputError([Problem(option, f"'{text}' is not {sample}", hint)], "command")
