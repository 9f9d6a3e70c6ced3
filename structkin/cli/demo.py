"""`structkin demo`: a real mechanism from structure to pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import show
from structkin.cli.outputs import check_folder, make_folder
from structkin.cli.terminal import console, say
from structkin.examples import path
from structkin.model import Mechanism


def demo(
    name: Annotated[str, typer.Argument(help="Name of an example; see `structkin examples`.")] = "jansen_leg",
    folder: Annotated[
        Path,
        typer.Option("--to", help="Folder for the pictures and the table.", metavar="FOLDER", callback=check_folder),
    ] = Path("structkin-demo"),
) -> None:
    """Decompose a real mechanism, solve a full cycle, and draw it."""
    mechanism = Mechanism.load(path(name.removesuffix(".toml")))
    structure = mechanism.structure()
    motion = mechanism.solve()
    console().print(show.groups_table(structure))
    say(structure.explain())
    console().print(show.summary_table(motion))
    make_folder(folder)
    pictures = {
        "mechanism.png": show.draw_schematic(mechanism, motion=motion, structure=structure),
        "structure.png": show.draw_structure(structure, mechanism=mechanism),
        "motion.png": show.plot_motion(motion),
    }
    for file, figure in pictures.items():
        show.save_figure(figure, folder / file)
    show.write_csv(motion, folder / "motion.csv")
    say(*(f"written: {folder / file}" for file in (*pictures, "motion.csv")))
    if not motion.ok.all():
        raise typer.Exit(1)
