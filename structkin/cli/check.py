"""`structkin check FILE`: everything that is wrong or odd, with keys and hints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.terminal import console
from structkin.errors import InputError, Problem
from structkin.model import Mechanism, load


def check(file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)]) -> None:
    """Check a mechanism: the file, its structure, and a run over its range."""
    from rich.text import Text

    mechanism = load(file)
    terminal = console()
    terminal.print(Text(f"{mechanism.title or file}: {_counts(mechanism)}"))
    remarks = _remarks(mechanism)
    for remark in remarks:
        terminal.print(Text(f"  {remark}"))
    if remarks:
        raise typer.Exit(1)
    terminal.print("no mistakes; every sample of the range is ok")


def _counts(mechanism: Mechanism) -> str:
    structure = mechanism.structure()
    parts = (
        f"{len(mechanism.topology.moving_links)} moving links",
        f"{len(mechanism.topology.joints)} joints",
        f"{len(mechanism.drives)} drivers",
        f"mobility {structure.mobility}",
        f"{len(structure.groups)} groups",
    )
    return ", ".join(parts)


def _remarks(mechanism: Mechanism) -> list[Problem]:
    """Return what is odd: in the structure, else in a run over the default range."""
    structure = mechanism.structure()
    if not structure.is_solvable:
        return list(structure.diagnostics)
    try:
        motion = mechanism.solve()
    except InputError as error:
        return list(error.problems)
    lines = motion.report.splitlines()[1:]
    return [Problem("", line, "the rest of the sweep is right; change the range, or the lengths") for line in lines]
