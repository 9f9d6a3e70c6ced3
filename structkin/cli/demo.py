"""`structkin demo`: a real mechanism end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.outputs import check_folder, make_folder
from structkin.cli.terminal import console
from structkin.kinematics import solve_groups, structure_of
from structkin.model import Mechanism


def demo(
    name: Annotated[str, typer.Argument(help="Which example; see `structkin examples`.")] = "jansen_leg",
    folder: Annotated[
        Path, typer.Option("--to", help="Folder for the pictures and the table.", callback=check_folder)
    ] = Path("structkin-demo"),
) -> None:
    """Decompose a real mechanism, solve a full cycle, and draw it."""
    from structkin.examples import path
    from structkin.show.files import save_figure
    from structkin.show.motion_plot import plot_motion
    from structkin.show.schematic import draw_schematic
    from structkin.show.structure_graph import draw_structure
    from structkin.show.table import write_csv
    from structkin.show.terminal import groups_table, summary_table

    mechanism = Mechanism.load(path(name.removesuffix(".toml")))
    structure = structure_of(mechanism)
    motion = solve_groups(mechanism)
    terminal = console()
    terminal.print(groups_table(structure))
    terminal.print(structure.explain(), markup=False, highlight=False)
    terminal.print(summary_table(motion))
    make_folder(folder)
    save_figure(draw_schematic(mechanism, motion=motion, structure=structure), folder / "mechanism.png")
    save_figure(draw_structure(structure, mechanism=mechanism), folder / "structure.png")
    save_figure(plot_motion(motion), folder / "motion.png")
    write_csv(motion, folder / "motion.csv")
    for file in ("mechanism.png", "structure.png", "motion.png", "motion.csv"):
        terminal.print(f"written: {folder / file}", markup=False, highlight=False)
    if not motion.ok.all():
        raise typer.Exit(1)
