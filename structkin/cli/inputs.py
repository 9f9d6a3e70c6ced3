"""`structkin inputs FILE`: which joint should drive, by the structure that each gives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import check_targets
from structkin.cli.terminal import console, print_json, progress
from structkin.model import Mechanism
from structkin.structure.inputs import LIMIT, rank_inputs


def inputs(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    all_: Annotated[bool, typer.Option("--all", help="List every choice, not only the first.")] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", help="A driver that stays; may be given several times. Default: all are replaced."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Combinations to try.", min=1)] = LIMIT,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the link graph for the first different structures.", metavar="PICTURE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
) -> None:
    """Rank the joints that could drive, the simplest structure first."""
    mechanism = Mechanism.load(file)
    check_targets(file, {}, {"--plot": plot})
    with progress("comparing inputs") as report:
        ranking = rank_inputs(mechanism, drivers=keep, limit=limit, progress=report)
    if plot is not None:
        from structkin.show.files import save_figure
        from structkin.show.inputs_figure import draw_inputs

        save_figure(draw_inputs(ranking, mechanism=mechanism), plot)
    if as_json:
        print_json({"title": mechanism.title, **ranking.to_dict()})
    else:
        from structkin.show.inputs_figure import MOST_LINES, inputs_table

        title = f"{mechanism.title or file}: which joint should drive?"
        terminal = console()
        terminal.print(inputs_table(ranking, title=title, most=None if all_ else MOST_LINES))
        if plot is not None:
            terminal.print(f"drawn: {plot}", markup=False, highlight=False)
    if not any(choice.is_complete for choice in ranking):
        raise typer.Exit(1)
