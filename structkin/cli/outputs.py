"""What commands write: options that name files and folders, checked before the work; tables to a file or stdout."""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from structkin.errors import InputError, Problem

#: The name by which a table goes to stdout.
STDOUT = Path("-")


def check_targets(
    source: Path | None,
    tables: Mapping[str, Path | None],
    pictures: Mapping[str, Path | None],
    *,
    as_json: bool = False,
) -> None:
    """Refuse outputs that would overwrite each other or the mechanism file, and names of another format.

    It is called before the work, so that nothing is written where something cannot be.
    """
    from structkin.show.files import check_table, picture_format

    taken = {} if source is None else {source.resolve(): "the mechanism file"}
    problems: list[Problem] = []
    for option, path in (*tables.items(), *pictures.items()):
        if path is None:
            continue
        if path == STDOUT and option in tables:
            if as_json:
                problems.append(Problem(option, "'-' is stdout, to which --json prints", "name a file"))
            continue
        try:
            (picture_format if option in pictures else check_table)(path)
        except InputError as error:
            problems += error.problems
        if path.is_file() or not path.exists():
            if path.resolve() in taken:
                problems.append(Problem(option, f"would overwrite {taken[path.resolve()]}", "give another name"))
            taken[path.resolve()] = f"what {option} writes"
    if problems:
        raise InputError(problems, "output")


def table_target(path: Path) -> Path | IO[str]:
    """Return what a table is written to: stdout for "-"."""
    return sys.stdout if path == STDOUT else path


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of the same keys as CSV, to stdout for "-"; `InputError` where they cannot be written."""
    from structkin.show.files import table_file

    with table_file(table_target(path)) as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def check_folder(folder: Path | None) -> Path | None:
    """Return the folder of an option --to; `InputError` where it cannot be one.

    It is the callback of the option, called before the work.
    """
    if folder is not None:
        stands = next(path for path in (folder, *folder.parents) if path.exists() or path == path.parent)
        found = "'-' is stdout, not a folder" if folder == STDOUT else f"'{stands}' is not a folder"
        if folder == STDOUT or not stands.is_dir():
            raise InputError([Problem("--to", found, "name a folder that can be made")], "output")
    return folder


def make_folder(folder: Path) -> None:
    """Make the folder of an option --to unless it is there; `InputError` where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = Problem("--to", f"{folder}: {error.strerror}", "name a folder that can be made")
        raise InputError([problem], "output") from None
