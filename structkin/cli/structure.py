"""`structkin structure FILE`: mobility, groups in solve order, KinStr, and structural errors; of a matrix as well."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import files, show
from structkin.cli.options import File, Json, opened
from structkin.cli.outputs import Outputs
from structkin.errors import InputError, Problem
from structkin.files.writers.matrix import document
from structkin.plan.compile import determines_all


def structure(
    file: File,
    driver: Annotated[
        list[str] | None,
        typer.Option(help="Of a matrix: drive the joint A, or the one between two links.", metavar="A|0,1"),
    ] = None,
    ground: Annotated[
        str | None, typer.Option(help="Of a matrix: the fixed link, by name or number.", metavar="LINK")
    ] = None,
    as_json: Json = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the link graph and the order of the groups.", metavar="PICTURE")
    ] = None,
    matrices: Annotated[
        Path | None, typer.Option(help="Draw the adjacency matrix and KinStr.", metavar="PICTURE")
    ] = None,
) -> None:
    """Find the structural groups and the order in which they are solved.

    FILE may also be an adjacency matrix: .csv, .json or .graphml.
    """
    topology = files.read_matrix(file, drivers=driver or (), ground=ground)
    given = {"--driver": driver, "--ground": ground}
    if topology is None and any(given.values()):
        wrong = [
            Problem(option, "is for a matrix; this file names its own", "leave it out")
            for option in given
            if given[option]
        ]
        raise InputError(wrong, str(file))
    if topology is None:
        mechanism = opened(file)
        found = mechanism.structure()
    else:
        mechanism, found = None, topology.structure()
    outputs = Outputs(file, pictures={"--plot": plot, "--matrices": matrices}, as_json=as_json)
    outputs.deliver(
        {
            "--plot": lambda: show.draw_structure(found, mechanism=mechanism),
            "--matrices": lambda: show.draw_matrices(found),
        },
        lambda: {**found.to_dict(), "topology": document(found.topology)},
        lambda: show.groups_table(found),
        [found.explain()],
        ok=determines_all(found),
    )
