"""Reading text files, with clear errors, and CSV tables of time and value."""

from __future__ import annotations

import difflib
import re
import stat
from pathlib import Path

from structkin.model.flaw import Flaw, decimal_comma, number, short

#: The largest file that is read, in bytes: about a million table rows.
LARGEST_FILE = 32 * 2**20


def read_text(path: Path, fallback: str | None = None) -> str:
    """Return the text of a file; raise `Flaw` if it is missing, not a regular file, too large, binary or empty.

    `fallback` is the encoding to try for a file that is not UTF-8. Pipes and devices are not read: they may block
    forever or never end.

    >>> read_text(Path("no_such_file.csv"))
    Traceback (most recent call last):
    structkin.model.flaw.Flaw: there is no file 'no_such_file.csv'
    """
    try:
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise Flaw(f"'{path}' is a pipe or a device", "save its contents to a file first")
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise Flaw(f"there is no file '{path}'", _alike(path)) from None
    except IsADirectoryError:
        raise Flaw(f"'{path}' is a folder", "name a file in it") from None
    except Flaw:
        raise
    except (OSError, ValueError) as error:
        raise Flaw(f"'{path}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(raw) > LARGEST_FILE:
        raise Flaw(f"'{path}' is larger than {LARGEST_FILE >> 20} MiB", "use a smaller file")
    if b"\0" in raw[:4096]:
        raise Flaw("the file is binary, not text", "use a text file in UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if fallback is not None:
            return raw.decode(fallback, errors="replace")
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
    """Return the rows (time, value) of a CSV file; commas, semicolons, tabs or spaces separate; the header is optional.

    A relative name starts at `folder` and may lead out of it: the file is the user's, and only numbers are read.
    Raises `Flaw` with the line number.
    """
    rows: list[tuple[float, float]] = []
    first = True
    for count, line in enumerate(read_text((folder or Path()) / name).splitlines(), 1):
        text = line.split("#")[0].strip()
        if not text:
            continue
        cells = _cells(text)
        title = first and not any(_is_number(cell) or decimal_comma(cell) for cell in cells)
        first = False
        if title:
            continue
        if len(cells) != 2:
            message = f"line {count}: expected two columns, time and value, found {len(cells)}"
            comma = decimal_comma(text)
            raise Flaw(message, f"if these are decimal commas, {comma}" if comma else f"in '{name}'")
        for cell in cells:
            if not _is_number(cell):
                raise Flaw(f"line {count}: '{short(cell)}' is not a number", decimal_comma(cell) or f"in '{name}'")
        rows.append((number(float(cells[0])), number(float(cells[1]))))
    return rows


def _cells(text: str) -> list[str]:
    """Return the cells of a line: separated by semicolons or tabs, else by commas, else by spaces.

    >>> _cells("0,5; 1,2"), _cells("0.5, 1.2"), _cells("0.5 1.2")
    (['0,5', '1,2'], ['0.5', '1.2'], ['0.5', '1.2'])
    """
    for parting in (r"[;\t]", ","):
        if re.search(parting, text):
            return [cell.strip() for cell in re.split(parting, text)]
    return text.split()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
