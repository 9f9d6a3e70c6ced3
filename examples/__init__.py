"""Mechanisms that come with structkin: `names()` lists the files, `path(name)` finds one for `structkin.load`.

`scalable_four_bar(dyads)` makes one of any size.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.topology import suggest

if TYPE_CHECKING:
    from structkin.model import Mechanism

__all__ = ["names", "path", "scalable_four_bar"]


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


@checked
def scalable_four_bar(dyads: int = 3) -> Mechanism:
    """Return the scalable four-bar of Saura et al. (S2, Fig. 3): a crank and a chain of `dyads` RRR dyads.

    The crank A-C0 measures 2 m and turns at 1 rad/s; all other links measure 6 m. Dyad j joins C(j-1) with D(j) =
    (6j, 0) on the ground. Raises `InputError` unless there are 1 to 1000 dyads.

    >>> m = scalable_four_bar(17)
    >>> len(m.links), len(m.structure().groups), m.structure().mobility
    (36, 18, 1)
    """
    from structkin.bench import mechanism

    if not 1 <= dyads <= 1000:
        raise InputError([Problem("dyads", f"{dyads} is not a number of dyads", "give 1 to 1000")], "examples")
    return mechanism.scalable_four_bar(dyads)


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
