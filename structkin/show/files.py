"""Files that are either written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from structkin.errors import InputError, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Picture formats by suffix, with the metadata to leave out so that equal pictures give equal files.
FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}

DPI = 150


@contextmanager
def whole_file(path: str | Path, mode: str = "w", **options: Any) -> Iterator[IO[Any]]:
    """Open a file for writing that appears under its name only when it is complete.

    It is written under a temporary name in the same folder and then renamed: a reader sees either the old or the new
    file. `mode` is "w" or "wb". Devices and pipes are written directly. Raises `InputError` if the file cannot be
    written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "a.txt")) as file:
    ...         print(file.write("x"), Path(folder, "a.txt").exists())
    ...     print(os.listdir(folder))
    1 False
    ['a.txt']
    """
    target = check_target(path)
    if target.exists() and not target.is_file():
        with target.open(mode, **options) as file:
            yield file
        return
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open(mode.replace("w", "x"), **options) as file:
            yield file
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError([Problem(str(path), f"cannot be written: {error.strerror or error}")], "output") from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def check_target(path: str | Path, key: str = "") -> Path:
    """Return the path with links resolved; `InputError` says why it cannot be written, under a key or the path."""
    target = Path(os.path.realpath(Path(path).expanduser()))
    folder = target.parent

    def refuse(message: str, hint: str) -> InputError:
        return InputError([Problem(key or str(path), message, hint)], "output")

    if not str(path) or target.is_dir():
        raise refuse("is a folder, not a file", "add a file name")
    if not folder.is_dir():
        raise refuse(f"there is no folder '{folder}'", "create it first, or choose another")
    if target.exists():
        if not os.access(target, os.W_OK):
            raise refuse("the file is write-protected", "choose another name")
        if not target.is_file():
            return target
    if not os.access(folder, os.W_OK | os.X_OK):
        raise refuse(f"the folder '{folder}' is write-protected", "choose another")
    return target


def picture_format(path: str | Path) -> str:
    """Return the suffix of a picture's path; `InputError` unless it is one of `FORMATS`.

    >>> picture_format("four_bar.SVG")
    '.svg'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        found = f"'{suffix}' is not a picture format" if suffix else "the name has no suffix"
        raise InputError([Problem(str(path), found, f"use {', '.join(FORMATS)}")], "output")
    return suffix


def check_table(path: str | Path) -> None:
    """Raise `InputError` if the name of a table, which is written as CSV, does not end in .csv.

    Pipes and devices may have any name.

    >>> check_table("motion.csv")
    """
    target = Path(path)
    if target.suffix.lower() != ".csv" and (target.is_file() or not target.exists()):
        found = f"'{target.suffix}' is not a table format" if target.suffix else "the name has no suffix"
        raise InputError([Problem(str(path), found, "use .csv")], "output")


@contextmanager
def table_file(target: str | Path | IO[str]) -> Iterator[IO[str]]:
    """Open the target of a table: an open text file is used as it is, a path must end in .csv (see `whole_file`)."""
    if not isinstance(target, str | Path):
        yield target
        return
    check_table(target)
    with whole_file(target, encoding="utf-8", newline="") as file:
        yield file


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix; equal figures give equal files.

    Raises `InputError` for another suffix, or if the file cannot be written.
    """
    import matplotlib as mpl

    suffix = picture_format(path)
    with (
        whole_file(path, "wb") as file,
        mpl.rc_context({"svg.hashsalt": "structkin"}),
    ):
        figure.savefig(file, format=suffix[1:], dpi=DPI, metadata=FORMATS[suffix])
