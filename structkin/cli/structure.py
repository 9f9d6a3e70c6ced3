"""`structkin structure FILE`: mobility, groups in solve order, KinStr, and what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import check_targets
from structkin.cli.terminal import console, print_json
from structkin.kinematics import determines_all, structure_of
from structkin.model import Mechanism


def structure(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the link graph and the order of the groups.", metavar="PICTURE")
    ] = None,
    matrices: Annotated[
        Path | None, typer.Option(help="Draw the adjacency matrix and KinStr.", metavar="PICTURE")
    ] = None,
) -> None:
    """Find the structural groups and the order in which they are solved."""
    mechanism = Mechanism.load(file)
    check_targets(file, {}, {"--plot": plot, "--matrices": matrices})
    found = structure_of(mechanism)
    if plot is not None:
        from structkin.show.files import save_figure
        from structkin.show.structure_graph import draw_structure

        save_figure(draw_structure(found, mechanism=mechanism), plot)
    if matrices is not None:
        from structkin.show.files import save_figure
        from structkin.show.matrices import draw_matrices

        save_figure(draw_matrices(found), matrices)
    if as_json:
        print_json(found.to_dict())
    else:
        from structkin.show.terminal import groups_table

        terminal = console()
        terminal.print(groups_table(found))
        terminal.print(found.explain(), markup=False, highlight=False, soft_wrap=True)
        for picture in (plot, matrices):
            if picture is not None:
                terminal.print(f"drawn: {picture}", markup=False, highlight=False)
    if not determines_all(found):
        raise typer.Exit(1)
