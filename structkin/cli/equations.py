"""`structkin equations FILE`: the equations of motion of a mechanism, in the plane or in space, to read or compile."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from structkin.cli.options import File, opened
from structkin.cli.outputs import check_output
from structkin.cli.terminal import check_stdout, progress, say
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.model.file import SUFFIXES as FILES
from structkin.model.file import load_data
from structkin.multibody.model import SpatialModel
from structkin.show.files import whole_file

#: The languages, by the suffixes of their files.
SUFFIXES = {".tex": "latex", ".py": "python", ".c": "c"}


def equations(
    file: File,
    latex: Annotated[bool, typer.Option("--latex", help="Write a LaTeX document (the default).")] = False,
    python: Annotated[bool, typer.Option("--python", help="Write a Python module that needs NumPy only.")] = False,
    c: Annotated[bool, typer.Option("--c", help="Write a C99 file.")] = False,
    loops: Annotated[
        str | None,
        typer.Option(
            "--loops",
            help="Loops: explicit, solved for their coordinates; multipliers; auto: explicit where there is a formula "
            "(the default in the plane; in space multipliers).",
            show_default=False,
        ),
    ] = None,
    free: Annotated[
        list[str] | None,
        typer.Option(
            "--free", metavar="DRIVER", help="Drop the law of a driver of a planar mechanism.", show_default=False
        ),
    ] = None,
    independent: Annotated[
        list[str] | None,
        typer.Option(
            "--independent", metavar="JOINT", help="Keep the coordinate of a joint of loops.", show_default=False
        ),
    ] = None,
    ratios: Annotated[
        list[str] | None,
        typer.Option(
            "--ratios",
            metavar="B=2.5*A",
            help="Make the coordinate of joint B a multiple of that of A.",
            show_default=False,
        ),
    ] = None,
    shared: Annotated[
        bool | None,
        typer.Option(
            "--shared/--written-out",
            help="Name intermediate quantities, or write all out; default: by size.",
            show_default=False,
        ),
    ] = None,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="Write the values of parameters, not their symbols.")
    ] = False,
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
    if output is None:
        check_stdout("--output")
    else:
        chosen = [_language(output, chosen, file)]
    options: dict[str, Any] = {
        "independent": independent or [], "shared": shared, "numbers": numbers, "ratios": _ratios(ratios or []),
    }  # fmt: skip
    if loops is not None:
        options["loops"] = loops
    model: Any = None
    if file.suffix.lower() in FILES and "bodies" in load_data(file):
        if free:
            raise InputError([Problem("--free", "bodies in space have no drivers", "leave it out")], str(file))
        model = SpatialModel.load(file)
    else:
        model, options["free"] = opened(file), free or []
    with progress("deriving"):
        derived = model.equations(**options)
        text: str = getattr(derived, (chosen or ["latex"])[0])()
    if output is None:
        typer.echo(text)
        return
    with whole_file(output) as target:
        target.write(text if text.endswith("\n") else text + "\n")
    say(f"written: {output}")


def _ratios(given: list[str]) -> dict[str, tuple[str, float]]:
    """Return the ratios of arguments such as "B=2.5*A"; `InputError` lists every wrong one."""
    ratios: dict[str, tuple[str, float]] = {}
    problems = []
    for text in given:
        joint, _, product = text.partition("=")
        number, _, of = product.partition("*")
        try:
            ratio = (of.strip(), float(number))
        except ValueError:
            ratio = ("", 0.0)
        if not joint.strip() or not ratio[0]:
            problems.append(Problem("--ratios", f"'{text}' is not JOINT=NUMBER*JOINT", "such as --ratios B=2.5*A"))
        elif joint.strip() in ratios:
            problems.append(Problem("--ratios", f"'{joint.strip()}' is given twice", "give one ratio"))
        ratios[joint.strip()] = ratio
    raise_problems(problems, "command")
    return ratios


def _language(output: Path, chosen: list[str], source: Path) -> str:
    """Return the language of a file by its suffix; `InputError` if it is none, not the chosen one, or not writable."""
    known = {suffix: name for suffix, name in SUFFIXES.items() if name in chosen or not chosen}
    suffix, problems = output.suffix.lower(), list[Problem]()
    if suffix not in known:
        ends = " or ".join(known)
        problems.append(Problem("--output", f"'{output.name}' does not end in {ends}", "the suffix sets the language"))
    problems += problems_of(check_output, "--output", output, source, "the model file")
    raise_problems(problems, "output")
    return known[suffix]
