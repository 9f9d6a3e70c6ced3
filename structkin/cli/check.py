"""`structkin check FILE`: everything that is wrong or odd, with keys and hints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.terminal import console
from structkin.errors import InputError, Problem
from structkin.kinematics import determines_all
from structkin.model import Mechanism, load
from structkin.structure import KinematicStructure


def check(file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)]) -> None:
    """Check a mechanism: the file, its structure, and a run over its range."""
    from rich.text import Text

    mechanism = load(file)
    terminal = console()
    terminal.print(Text(f"{mechanism.title or file}: {_counts(mechanism)}"))
    structure = mechanism.structure()
    odd = (*_odd_units(mechanism), *_odd_cams(mechanism), *mechanism.remarks)
    for note in (*odd, *(structure.diagnostics if determines_all(structure) else ())):
        terminal.print(Text(f"  note: {note}"), soft_wrap=True)
    remarks = _remarks(mechanism, structure)
    for remark in remarks:
        terminal.print(Text(f"  {remark}"), soft_wrap=True)
    if remarks:
        raise typer.Exit(1)
    terminal.print("no mistakes; every sample of the range is ok")


def _counts(mechanism: Mechanism) -> str:
    structure = mechanism.structure()
    counted = (
        (len(mechanism.topology.moving_links), "moving link"),
        (len(mechanism.topology.joints), "joint"),
        (len(mechanism.drives), "driver"),
        (len(structure.groups), "group"),
    )
    parts = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counted]
    return ", ".join([*parts[:-1], structure.mobility_in_words, parts[-1]])


def _odd_units(mechanism: Mechanism) -> list[Problem]:
    """Return the bare speeds in a file whose units are not SI: they are easily taken for the file's units."""
    notes = []
    for id, entry in mechanism.source_dict.get("drivers", {}).items():
        angular = mechanism.drives[id].kind == "angle"
        own, si = (mechanism.units.angle, "rad") if angular else (mechanism.units.length, "m")
        speed = entry.get("speed")
        if isinstance(speed, int | float) and own != si:
            hint = f'write "{speed} {own}/s" if you mean that'
            notes.append(Problem(f"drivers.{id}.speed", f"{speed} is in {si}/s", hint))
    return notes


def _odd_cams(mechanism: Mechanism) -> list[Problem]:
    """Return what is odd about cams: jumps of their laws, undercutting, large pressure angles."""
    return [Problem(f"joints.{id}", remark) for id, cam in mechanism.cams.items() for remark in cam.remarks]


def _remarks(mechanism: Mechanism, structure: KinematicStructure) -> list[Problem]:
    """Return what keeps the mechanism from running: in the structure, else in a run over the default range."""
    if not determines_all(structure):
        return list(structure.diagnostics)
    try:
        motion = mechanism.solve()
    except InputError as error:
        return list(error.problems)
    rest = "the rest of the sweep is right; " if motion.ok.any() else ""
    lines = motion.report.splitlines()[1:]
    return [Problem("", line, f"{rest}change the range, or the lengths") for line in lines]
