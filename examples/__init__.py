"""Mechanism files that come with structkin: `names()` lists them, `path(name)` finds one for `structkin.load`."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from structkin.errors import InputError, Problem
from structkin.model.topology import suggest

__all__ = ["names", "path"]


def names() -> tuple[str, ...]:
    """Return the names of the mechanism files, in alphabetical order.

    >>> "crank_rocker" in names()
    True
    """
    return names_in(_folder())


def path(name: str) -> Path:
    """Return the file of an example; raise `InputError` if there is none of that name.

    >>> path("crank_rocker").name
    'crank_rocker.toml'
    """
    return path_in(_folder(), name)


def names_in(folder: Path) -> tuple[str, ...]:
    """Return the names of the files of a folder of examples, in alphabetical order."""
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.suffix == ".toml"))


def path_in(folder: Path, name: str) -> Path:
    """Return the file of an example in a folder; raise `InputError` if there is none of that name."""
    if name not in names_in(folder):
        raise InputError([Problem(name, "is not an example", suggest(name, names_in(folder)))], "examples")
    return folder / f"{name}.toml"


def _folder() -> Path:
    return Path(str(files(__name__)))
