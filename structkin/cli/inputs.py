"""`structkin inputs FILE`: the joints that could drive, ranked by the structure that each gives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.cli.options import File, Json, opened
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.errors import raise_problems, together
from structkin.model.topology import MOST_INPUTS, check_names

#: Choices that are listed unless `--all` is given.
MOST_LINES = 12


def inputs(
    file: File,
    all_: Annotated[bool, typer.Option("--all", help="List every choice, not only the first few.")] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", help="A driver to keep; may be repeated. Default: all are replaced."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Largest number of combinations to try.")] = MOST_INPUTS,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the link graphs of the simplest structures.", metavar="PICTURE")
    ] = None,
    as_json: Json = False,
) -> None:
    """Rank the joints that could drive, the simplest structure first."""
    mechanism = opened(file)
    outputs, _ = together(
        "command",
        lambda: Outputs(file, pictures={"--plot": plot}, as_json=as_json),
        lambda: raise_problems(check_names("--keep", keep or (), mechanism.drivers), "command"),
    )
    with progress("comparing inputs") as report:
        ranking = mechanism.rank_inputs(drivers=keep, limit=limit, progress=report)
    special = mechanism.structure().moves_specially
    note = "the ranking goes by topology alone; this mechanism moves by special dimensions, and its own drivers move it"
    title = f"{mechanism.title or file}: which joint should drive?"
    outputs.deliver(
        {"--plot": lambda: show.draw_inputs(ranking, mechanism=mechanism)},
        lambda: {"title": mechanism.title, **ranking.to_dict()},
        lambda: show.inputs_table(ranking, title=title, most=None if all_ else MOST_LINES),
        [note] if special else [],
        ok=special or any(choice.is_complete for choice in ranking),
    )
