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
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.suffix == ".toml"))


def path(name: str) -> Path:
    """Return the file of an example; raise `InputError` if there is none of that name.

    >>> path("crank_rocker").name
    'crank_rocker.toml'
    """
    if name not in names():
        raise InputError([Problem(name, "is not an example", suggest(name, names()))], "examples")
    return _folder() / f"{name}.toml"


def _folder() -> Path:
    return Path(str(files(__name__)))
