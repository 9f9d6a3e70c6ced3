"""Files that are either written whole or not at all."""

from __future__ import annotations

import codecs
import csv
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from structkin.errors import InputError, Problem

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Picture formats by suffix, with the metadata to leave out so that equal pictures give equal files.
FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}

DPI = 150

#: The end of a draft's name, after that of its file.
_DRAFT = re.compile(r"[0-9a-f]{8}\.tmp")
#: How much of a file shows its line ends [bytes].
_SHOWN = 2**16


@contextmanager
def whole_file(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file for writing that appears under its name only when it is complete.

    It is written under a temporary name in the same folder and then renamed: a reader sees either the old or the new
    file. `mode` is "w", text in UTF-8, or "wb". A file that is replaced hands on its permissions, its owner and group
    where the system allows it, and, to text, its line ends and its byte order mark; a new text has "\\n". What a
    process that was killed has left of the same file is removed. Devices and pipes are written directly. Raises
    `InputError` if the file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "a.txt")) as file:
    ...         print(file.write("x"), Path(folder, "a.txt").exists())
    ...     print(os.listdir(folder))
    1 False
    ['a.txt']
    """
    target = check_target(path)
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    if target.exists() and not target.is_file():
        try:
            with target.open(mode, **text) as file:
                yield file
        except BrokenPipeError:  # nobody reads it any more: the command line ends without a word
            raise
        except OSError as error:
            raise _unwritten(path, error) from error
        return
    draft = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    try:
        _remove_drafts(target)
        old = target.stat() if target.exists() else None
        mark = ""
        if old is not None and text:
            text["newline"], mark = _line_ends(target)
        # nobody else may read what replaces a private file, not even while it is written
        number = os.open(
            draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666 if old is None else 0o600
        )
        with os.fdopen(number, mode, **text) as file:
            _lock(number)
            if mark:
                file.write(mark)
            yield file
            if old is not None:
                _hand_on(old, number)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise _unwritten(path, error) from error
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _unwritten(path: str | Path, error: OSError) -> InputError:
    return InputError([Problem(str(path), f"cannot be written: {error.strerror or error}")], "output")


def _line_ends(target: Path) -> tuple[str, str]:
    """Return the line end of a text file, and its byte order mark or an empty text."""
    try:
        with target.open("rb") as file:
            start = file.read(_SHOWN)
    except OSError:  # it may be written, but not read
        return "\n", ""
    windows = 2 * start.count(b"\r\n") > start.count(b"\n")
    return "\r\n" if windows else "\n", "\ufeff" if start.startswith(codecs.BOM_UTF8) else ""


def _hand_on(old: os.stat_result, number: int) -> None:
    """Give an open file the owner, the group and the permissions of an old one, as far as the system allows it."""
    if sys.platform == "win32":
        return  # permissions are those of the folder
    mode = stat.S_IMODE(old.st_mode) & 0o777
    try:
        os.fchown(number, -1, old.st_gid)
    except OSError:
        # what its group was allowed is not given to another one
        mode = mode & 0o707 | (mode & 0o007) << 3
    with suppress(OSError):
        os.fchown(number, old.st_uid, -1)
    with suppress(OSError):
        os.fchmod(number, mode)


def _remove_drafts(target: Path) -> None:
    """Remove the drafts of a file that processes of this user have left: those that are open are locked."""
    start = f".{target.name[:100]}."
    with suppress(OSError):
        for draft in os.scandir(target.parent):
            name = draft.name
            if not name.startswith(start) or not _DRAFT.fullmatch(name[len(start) :]):
                continue
            if sys.platform == "win32":
                with suppress(OSError):  # it is open
                    os.unlink(draft)
            elif draft.is_file(follow_symlinks=False) and draft.stat(follow_symlinks=False).st_uid == os.getuid():
                number = os.open(draft, os.O_RDWR | os.O_NOFOLLOW)
                try:
                    if _lock(number):
                        os.unlink(draft)
                finally:
                    os.close(number)


def _lock(number: int) -> bool:
    """Lock an open draft until it is closed; return False if another one has it, or if there are no locks here."""
    if sys.platform != "win32":
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def check_target(path: str | Path, key: str = "") -> Path:
    """Return the path with links resolved; `InputError` says why it cannot be written, under a key or the path."""
    try:
        return _target(path, key)
    except (OSError, ValueError, RuntimeError) as error:  # no name of a file, or none that may be asked for
        message = f"cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError([Problem(key or str(path), message, "choose another name")], "output") from None


def _target(path: str | Path, key: str) -> Path:
    target = Path(os.path.realpath(Path(path).expanduser()))
    if target.is_symlink():  # resolved, only links that lead back to themselves are left
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    folder = target.parent

    def refuse(message: str, hint: str) -> InputError:
        return InputError([Problem(key or str(path), message, hint)], "output")

    if str(path) in ("", "."):  # of an empty name, `Path` makes a dot
        raise refuse("the name is empty, or that of this folder", "give the name of a file")
    if target.is_dir():
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
    # Unlike a path, `os.path` says of a name that is too long that it does not exist.
    if target.suffix.lower() != ".csv" and (os.path.isfile(target) or not os.path.exists(target)):
        found = f"'{target.suffix}' is not a table format" if target.suffix else "the name has no suffix"
        raise InputError([Problem(str(path), found, "use .csv")], "output")


def table_writer(file: IO[str]) -> Any:
    """Return a `csv.writer` for lines that end in "\\n", as the file translates them."""
    return csv.writer(file, lineterminator="\n")


def write_table(target: str | Path | IO[str], heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    """Write a table as CSV to an open file, or to a path, which must end in .csv (see `whole_file`).

    Numbers have all their digits, None is empty.
    """
    if isinstance(target, str | Path):
        check_table(target)
    with whole_file(target) if isinstance(target, str | Path) else nullcontext(target) as file:
        writer = table_writer(file)
        writer.writerow(map(heading, heads))
        writer.writerows(rows)


def heading(name: str) -> str:
    """Return the heading of a column, after an apostrophe where a spreadsheet would take it for a formula.

    >>> heading("B.x"), heading("=1+1.x")
    ('B.x', "'=1+1.x")
    """
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF, by the suffix; equal figures give equal files.

    Raises `InputError` for another suffix, or if the file cannot be written.
    """
    suffix = picture_format(path)
    with whole_file(path, "w" if suffix == ".svg" else "wb") as file:
        write_figure(figure, file, suffix)


def write_figure(figure: Figure, file: IO[Any], suffix: str) -> None:
    """Write a figure to an open file, of text for .svg, in the format of the suffix; see `save_figure`."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "structkin"}):
        figure.savefig(file, format=suffix[1:], dpi=DPI, metadata=FORMATS[suffix])
