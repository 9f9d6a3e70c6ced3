"""What commands write: the names of files and folders, checked before the work begins; tables to a file or stdout."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import typer

from structkin.cli.terminal import check_stdout, console, print_json, progress, say
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.show.animation import animation_format
from structkin.show.files import (
    check_table,
    check_target,
    picture_format,
    save_figure,
    write_table,
)

if TYPE_CHECKING:
    from rich.table import Table

#: The file name that sends a table to stdout.
STDOUT = Path("-")


@dataclass(frozen=True)
class Outputs:
    """The tables, pictures and animations that a command is asked to write, and whether it prints JSON.

    Made before the work begins, so that nothing is written if something cannot be: raises `InputError` for outputs
    that would overwrite each other or the `source`, for names with the wrong suffix, and for what cannot be written.
    """

    source: Path | None
    tables: Mapping[str, Path | None] = field(default_factory=dict)
    pictures: Mapping[str, Path | None] = field(default_factory=dict)
    as_json: bool = False
    animations: Mapping[str, Path | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the names."""
        taken = {} if self.source is None else {os.path.realpath(self.source): "the mechanism file"}
        problems: list[Problem] = []
        checks = {
            **dict.fromkeys(self.tables, check_table),
            **dict.fromkeys(self.pictures, picture_format),
            **dict.fromkeys(self.animations, animation_format),
        }
        for option, check_name in checks.items():
            path = self._path(option)
            if path is None:
                continue
            if path == STDOUT and option in self.tables:
                check_stdout(option)
                if self.as_json:
                    problems.append(Problem(option, "'-' is stdout, which --json uses", "name a file"))
                continue
            for check in (check_name, partial(check_target, key=option)):
                problems += problems_of(check, path)
            # Unlike a path, `os.path` says of a name that is too long that it does not exist.
            if os.path.isfile(path) or not os.path.exists(path):
                target = os.path.realpath(path)
                if target in taken:
                    problems.append(Problem(option, f"would overwrite {taken[target]}", "give another name"))
                taken[target] = f"what {option} writes"
        raise_problems(problems, "output")

    def _path(self, option: str) -> Path | None:
        return self.tables.get(option) or self.pictures.get(option) or self.animations.get(option)

    def deliver(
        self,
        makers: Mapping[str, Callable[..., Any]],
        data: Callable[[], dict[str, Any]],
        table: Callable[[], Table | str],
        lines: Iterable[str] = (),
        *,
        ok: bool = True,
    ) -> None:
        """Write the requested files, then print the data, or the table or sentence, some lines and the names of files.

        The maker of a picture or an animation returns it; the maker of a table writes to the path or open file it is
        given. A result that is not `ok` then ends the command with exit code 1.
        """
        written = []
        for option, make in makers.items():
            path, size = self._path(option), ""
            if path is None:
                continue
            if option in self.tables:
                make(sys.stdout if path == STDOUT else path)
            elif option in self.pictures:
                save_figure(make(), path)
            else:
                film = make()
                with progress("drawing") as report:
                    film.save(path, progress=report)
                size = f", {len(film)} frame{'' if len(film) == 1 else 's'}"
            written.append(f"{path}{size}")
        if self.as_json:
            print_json(data())
        elif STDOUT not in self.tables.values():
            console().print(table())
            say(*lines, *(f"written: {path}" for path in written))
        if not ok:
            raise typer.Exit(1)


def check_output(option: str, path: Path, source: Path, what: str = "the mechanism file") -> None:
    """Raise `InputError` where what an option writes would overwrite the `source`, or cannot be written."""
    if os.path.realpath(path) == os.path.realpath(source):
        raise InputError([Problem(option, f"would overwrite {what}", "give another name")], "output")
    check_target(path, option)


def write_rows(path: Path | IO[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with the same keys as CSV, to stdout for "-"; `InputError` if they cannot be written."""
    write_table(sys.stdout if path == STDOUT else path, rows[0], (row.values() for row in rows))


def check_folder(folder: Path | None) -> Path | None:
    """Return the folder of an option `--to`; `InputError` if it cannot be created and written.

    This is the callback of the option, called before the work begins: what it creates to find out, it removes.
    """
    if folder is None:
        return None
    # Unlike a path, `os.path` says of a name that is too long that it does not exist.
    new = [path for path in (folder, *folder.parents) if not os.path.exists(path)]
    stands = new[-1].parent if new else folder
    if folder == STDOUT or not stands.is_dir():
        found = "'-' is stdout, not a folder" if folder == STDOUT else f"'{stands}' is not a folder"
        raise InputError([Problem("--to", found, "name a folder that can be created")], "output")
    try:
        make_folder(folder)
        # Permissions do not tell for all users and file systems.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _refused(folder, error) from None
    finally:
        for path in new:
            with suppress(OSError):
                path.rmdir()
    return folder


def make_folder(folder: Path) -> None:
    """Create the folder of an option `--to` unless it exists; `InputError` if it cannot be created."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None


def _refused(folder: Path, error: OSError) -> InputError:
    problem = Problem("--to", f"{folder}: {error.strerror}", "name a folder that can be created and written")
    return InputError([problem], "output")
