"""Text files: read with plain words for what goes wrong; CSV tables of time and value."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from structkin.model.flaw import Flaw, number


def read_text(path: Path) -> str:
    """Return the text of a file; raise `Flaw` if it is missing, a directory, binary or empty.

    >>> read_text(Path("no_such_file.csv"))
    Traceback (most recent call last):
    structkin.model.flaw.Flaw: there is no file 'no_such_file.csv'
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise Flaw(f"there is no file '{path}'", _alike(path)) from None
    except IsADirectoryError:
        raise Flaw(f"'{path}' is a folder", "name a file in it") from None
    except (OSError, ValueError) as error:
        raise Flaw(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if b"\0" in raw[:4096]:
        raise Flaw("the file is binary, not text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Flaw(f"the file is not text in UTF-8 (line {line})", "save it as UTF-8") from None
    if not text.strip():
        raise Flaw("the file is empty")
    return text


def _alike(path: Path) -> str:
    try:
        names = sorted(other.name for other in path.parent.iterdir())
    except OSError:
        return f"there is no folder '{path.parent}'"
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean '{path.parent / close[0]}'?" if close else ""


def read_table(name: str, folder: Path | None) -> list[tuple[float, float]]:
    """Return the rows (time, value) of a CSV file; commas, semicolons, tabs or spaces; one line of titles may lead.

    A relative name starts at `folder`. Raises `Flaw` with the line.
    """
    rows: list[tuple[float, float]] = []
    first = True
    for count, line in enumerate(read_text((folder or Path()) / name).splitlines(), 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        cells = [cell.strip() for cell in (re.split(r"[,;\t]", text) if re.search(r"[,;\t]", text) else text.split())]
        title = first and not any(_is_number(cell) for cell in cells)
        first = False
        if title:
            continue
        if len(cells) != 2:
            raise Flaw(f"line {count}: expected two columns, time and value, found {len(cells)}", f"in '{name}'")
        for cell in cells:
            if not _is_number(cell):
                raise Flaw(f"line {count}: '{cell}' is not a number", f"in '{name}'")
        rows.append((number(float(cells[0])), number(float(cells[1]))))
    return rows


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
