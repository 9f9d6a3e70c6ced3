"""`structkin explain FILE`: the solve order in words, and why each group can be solved at its place in it."""

from __future__ import annotations

import typer

from structkin.cli.options import File, opened
from structkin.cli.terminal import say
from structkin.plan.compile import determines_all
from structkin.structure import KinematicStructure
from structkin.structure.reasons import reason


def explain(file: File) -> None:
    """Explain in words in which order the groups are solved, and why."""
    structure = opened(file).structure()
    say(*lines_of(structure))
    if not determines_all(structure):
        raise typer.Exit(1)


def lines_of(structure: KinematicStructure) -> list[str]:
    """Return the sentences of `structure.explain()`, below each group its reason and its coordinates."""
    sentences = structure.explain().splitlines()
    lines = []
    for group, sentence in zip(structure.groups, sentences, strict=False):
        lines += [sentence, f"   {reason(structure, group)}", f"   {structure.coordinates[group.index]}"]
    return [*lines, *sentences[len(structure.groups) :]]
