"""`structkin convert IN OUT`: a mechanism file, one of another program, or a matrix, in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin import files
from structkin.cli.options import USUAL, Budget, Duration, budget_of
from structkin.cli.outputs import check_output
from structkin.cli.terminal import progress, say
from structkin.errors import Problem
from structkin.files.writers import check_samples, format_of
from structkin.files.writers.matrix import write_matrix
from structkin.model import Mechanism
from structkin.model.topology import Topology
from structkin.plan.compile import determines_all


def _list(wanted: bool) -> None:
    if wanted:
        for suffix, one in files.FORMATS.items():
            say(f"{suffix:6} {one.name}")
        raise typer.Exit


def convert(
    file: Annotated[
        Path,
        typer.Argument(help="Mechanism file: .toml, .json, or one of another tool.", metavar="IN", show_default=False),
    ],
    output: Annotated[Path, typer.Argument(help="File to write.", metavar="OUT", show_default=False)],
    samples: Annotated[
        int | None, typer.Option(help="Samples of the motion; default: 361, for LaTeX tables 13.")
    ] = None,
    duration: Duration = None,
    budget: Budget = USUAL,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Write the adjacency matrix, as .csv, .json or .graphml.")
    ] = False,
    formats: Annotated[
        bool, typer.Option("--formats", callback=_list, is_eager=True, help="List the formats that OUT may have.")
    ] = False,
) -> None:
    """Convert a mechanism to another format, by the suffix of OUT."""
    chosen = format_of(output)
    check_output("OUT", output, file, "IN")
    mechanism = files.read_matrix(file) or Mechanism.load(file)
    notes = [] if isinstance(mechanism, Topology) else list(mechanism.remarks)
    if matrix or isinstance(mechanism, Topology):
        notes += write_matrix(mechanism, output)
        if samples is not None or duration is not None:
            notes.append("a matrix holds no motion: --samples and --duration have no effect")
        say(*(f"note: {note}" for note in notes), f"written: {output} (adjacency matrix)")
        return
    motion = None
    still = _what_keeps_still(mechanism)
    if chosen.motion == "needed" or (chosen.motion == "paths" and not still):
        count = chosen.samples if samples is None else samples
        check_samples(mechanism, output, count)
        with progress("solving") as report:
            motion = mechanism.solve(count, duration=duration, budget=budget_of(budget), progress=report)
    elif chosen.motion == "paths":
        notes.append(f"without the motion: {still[0]}")
    elif samples is not None or duration is not None:
        notes.append(f"{output.suffix} holds no motion: --samples and --duration have no effect")
    notes += files.write(mechanism, output, motion=motion)
    say(*(f"note: {note}" for note in notes), f"written: {output} ({chosen.name})")
    if motion is not None and not motion.ok.all():
        say(motion.report)
        raise typer.Exit(1)


def _what_keeps_still(mechanism: Mechanism) -> list[Problem]:
    """Return why the drivers do not determine a motion; nothing if they do."""
    structure = mechanism.structure()
    if not determines_all(structure):
        return list(structure.diagnostics)
    free = [id for id, drive in mechanism.drivers.items() if drive.law is None]
    return [Problem(f"drivers.{id}", "has no law", "add speed, law or table") for id in free]
