"""`structkin examples`: list the mechanisms that come with structkin, or copy one to start from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.terminal import console, say
from structkin.errors import InputError, Problem, raise_problems
from structkin.examples import names, path, scalable_four_bar, spatial
from structkin.model import Mechanism
from structkin.multibody.model import SpatialModel
from structkin.show.files import whole_file

#: The example that is made, not copied: as long as asked for.
SCALABLE = "scalable_four_bar"


def examples(
    name: Annotated[
        str | None, typer.Argument(help="Example to copy; without a name, all are listed.", show_default=False)
    ] = None,
    folder: Annotated[Path, typer.Option("--to", help="Folder to copy it to.", metavar="FOLDER")] = Path(),
    dyads: Annotated[
        int | None,
        typer.Option(help=f"Number of dyads of {SCALABLE}, 1 to 1000; default: 3.", show_default=False),
    ] = None,
) -> None:
    """List the examples, or copy one: `structkin examples jansen_leg`."""
    plain = (name or "").removesuffix(".toml")
    problems = []
    if dyads is not None and plain != SCALABLE:
        hint = "leave it out, or name that example"
        problems.append(Problem("--dyads", f"only {SCALABLE} has a number of dyads", hint))
    if name is None and folder != Path():
        problems.append(Problem("--to", "there is no example to copy", "name one, such as jansen_leg"))
    raise_problems(problems, "examples")
    if name is None:
        _list()
        return
    in_space = plain in spatial.names()
    target = folder / f"{plain}.toml"
    made = scalable_four_bar(3 if dyads is None else dyads) if plain == SCALABLE else None
    source = None if made is not None else (spatial.path if in_space else path)(plain)
    if os.path.exists(target):
        raise InputError([Problem(str(target), "already exists", "choose another folder with --to")], "examples")
    if not os.path.isdir(folder):
        raise InputError([Problem(str(folder), "is not a folder", "create it first")], "examples")
    if source is not None:
        with whole_file(target, "wb") as file:
            file.write(source.read_bytes())
    elif made is not None:
        made.save(target)
    say(f"written: {target}; try: structkin {'spatial' if in_space else 'solve'} {target}")


def _list() -> None:
    from structkin.show.terminal import text_table

    mechanisms = [(name, Mechanism.load(path(name))) for name in names()]
    rows = [(name, one.title, ", ".join(group.kind for group in one.structure().groups)) for name, one in mechanisms]
    rows.append((SCALABLE, "Scalable four-bar, --dyads 1 to 1000", "driven R, RRR for each dyad"))
    console().print(text_table("Examples", "", ("name", "mechanism", "groups in solve order"), rows))
    models = [(name, SpatialModel.load(spatial.path(name))) for name in spatial.names()]
    rows = [(name, one.name, ", ".join(one.bodies)) for name, one in models]
    console().print(text_table("In space", "", ("name", "model", "bodies"), rows))
