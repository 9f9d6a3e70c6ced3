"""`structkin equations FILE`: the equations of motion of bodies and joints in space, to read or to compile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.options import SpatialFile
from structkin.cli.terminal import check_stdout, progress, say
from structkin.errors import InputError, Problem
from structkin.multibody.model import SpatialModel
from structkin.show.files import check_target, whole_file

#: The languages, by the suffixes of their files.
SUFFIXES = {".tex": "latex", ".py": "python", ".c": "c"}


def equations(
    file: SpatialFile,
    latex: Annotated[bool, typer.Option("--latex", help="Write a LaTeX document (the default).")] = False,
    python: Annotated[bool, typer.Option("--python", help="Write a Python module that needs NumPy only.")] = False,
    c: Annotated[bool, typer.Option("--c", help="Write a C99 file.")] = False,
    loops: Annotated[
        str, typer.Option("--loops", help="Loops of the model: multipliers, or explicit: solved for coordinates.")
    ] = "multipliers",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; default: stdout.", metavar="FILE", show_default=False),
    ] = None,
) -> None:
    """Derive the equations of motion in minimal coordinates, as LaTeX, Python or C."""
    chosen = [name for name, wanted in (("latex", latex), ("python", python), ("c", c)) if wanted]
    if len(chosen) > 1:
        words = " and ".join(f"--{name}" for name in chosen)
        raise InputError([Problem("output", f"{words} name different languages", "give one of them")], "command")
    if output is not None and output.resolve() == file.resolve():
        raise InputError([Problem("--output", "would overwrite the model file", "give another name")], "output")
    if output is None:
        check_stdout("--output")
    else:
        chosen = [_language(output, chosen)]
    model = SpatialModel.load(file)
    with progress("deriving"):
        derived = model.equations(loops=loops)
        text: str = getattr(derived, (chosen or ["latex"])[0])()
    if output is None:
        typer.echo(text)
        return
    with whole_file(output) as target:
        target.write(text if text.endswith("\n") else text + "\n")
    say(f"written: {output}")


def _language(output: Path, chosen: list[str]) -> str:
    """Return the language of a file by its suffix; `InputError` if it is none, not the chosen one, or not writable."""
    known = {suffix: name for suffix, name in SUFFIXES.items() if name in chosen or not chosen}
    suffix, problems = output.suffix.lower(), list[Problem]()
    if suffix not in known:
        ends = " or ".join(known)
        problems.append(Problem("--output", f"'{output.name}' does not end in {ends}", "the suffix sets the language"))
    try:
        check_target(output, "--output")
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems, "output")
    return known[suffix]
