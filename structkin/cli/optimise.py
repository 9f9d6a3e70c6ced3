"""`structkin optimise FILE`: better numbers for a wish, from one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structkin import show
from structkin.cli.options import Json
from structkin.cli.outputs import Outputs, check_output
from structkin.cli.terminal import progress
from structkin.design.optimise import Optimum
from structkin.errors import InputError, Problem
from structkin.model.file import SUFFIXES
from structkin.model.mechanism import Mechanism
from structkin.show.interest import points_of_interest
from structkin.show.terminal import text_table
from structkin.solve.sensitivity.parameters import read_parameters

if TYPE_CHECKING:
    from rich.table import Table


def optimise(
    file: Annotated[
        Path,
        typer.Argument(
            help="File of an optimisation, .toml or .json: mechanism, parameters, objective, limits.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    to: Annotated[
        Path | None, typer.Option("--to", "-o", help="Write the best mechanism as a file.", metavar="MECHANISM")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the best mechanism with the paths of its points.", metavar="PICTURE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find numbers of a mechanism with which its motion or its forces are as wished."""
    from structkin.design.optimise_file import read_optimisation

    mechanism, options = read_optimisation(file)
    if to is not None and to.suffix not in SUFFIXES:
        problem = Problem("--to", f"'{to}' does not end in {' or '.join(SUFFIXES)}", "such as best.toml")
        raise InputError([problem], str(file))
    if to is not None:
        check_output("--to", to, file)
    outputs = Outputs(file, {}, {"--plot": plot}, as_json)
    with progress("trying variants") as report:
        best = mechanism.optimise(**options, progress=report)
    if to is not None:
        best.mechanism.save(to)
    outputs.deliver(
        {
            "--plot": lambda: show.draw_schematic(
                best.mechanism, motion=best.motion, trace=points_of_interest(best.mechanism)
            )
        },
        lambda: _data(best),
        lambda: _table(mechanism, best),
        [f"written: {to}"] if to is not None else [],
        ok=best.met,
    )


def _table(mechanism: Mechanism, best: Optimum) -> Table:
    """Return the parameters before and after, in the units of the file."""
    rows = [
        (one.name, f"{one.value / one.scale:.6g}", f"{best.values[one.name] / one.scale:.6g}")
        for one in read_parameters(mechanism, best.values)
    ]
    title = f"{mechanism.title or 'Mechanism'}: {best.start:.6g} to {best.value:.6g}, {len(best.history)} variants"
    heads = ("in the units of the file", "before", "best")
    return text_table(title, f"{best.words}.", heads, rows, heads[1:])


def _data(best: Optimum) -> dict[str, Any]:
    """Return the result as plain data, in SI."""
    history = [None if value != value else value for value in best.history.tolist()]
    return {
        "values": dict(best.values), "value": best.value, "start": best.start, "met": best.met, "words": best.words,
        "history": history,
    }  # fmt: skip
