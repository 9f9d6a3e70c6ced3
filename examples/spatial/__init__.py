"""Files of bodies in space that come with structkin: `names()` lists them, `path(name)` finds one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from structkin.examples import names_in, path_in

__all__ = ["names", "path"]


def names() -> tuple[str, ...]:
    """Return the names of the files, in alphabetical order.

    >>> "spinning_top" in names()
    True
    """
    return names_in(_folder())


def path(name: str) -> Path:
    """Return the file of an example; raise `InputError` where there is none of that name.

    >>> path("spinning_top").name
    'spinning_top.toml'
    """
    return path_in(_folder(), name)


def _folder() -> Path:
    return Path(str(files(__name__)))
