"""`structkin structure FILE`: mobility, groups in solve order, KinStr, and structural errors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.cli.options import File, Json, opened
from structkin.cli.outputs import Outputs
from structkin.plan.compile import determines_all


def structure(
    file: File,
    as_json: Json = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the link graph and the order of the groups.", metavar="PICTURE")
    ] = None,
    matrices: Annotated[
        Path | None, typer.Option(help="Draw the adjacency matrix and KinStr.", metavar="PICTURE")
    ] = None,
) -> None:
    """Find the structural groups and the order in which they are solved."""
    mechanism = opened(file)
    outputs = Outputs(file, pictures={"--plot": plot, "--matrices": matrices}, as_json=as_json)
    found = mechanism.structure()
    outputs.deliver(
        {
            "--plot": lambda: show.draw_structure(found, mechanism=mechanism),
            "--matrices": lambda: show.draw_matrices(found),
        },
        found.to_dict,
        lambda: show.groups_table(found),
        [found.explain()],
    )
    if not determines_all(found):
        raise typer.Exit(1)
