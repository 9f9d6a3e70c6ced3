"""Reading text files, with clear errors, and two columns of CSV tables as people have them."""

from __future__ import annotations

import codecs
import csv
import difflib
import math
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from structkin.model.flaw import MOST, Flaw, decimal_comma, number, short
from structkin.model.topology import suggest
from structkin.model.units import QUANTITIES, Dimension, Units, unit

#: A column by its title, or by its number from 1.
Column = str | int

#: The largest file that is read, in bytes: about a million table rows.
LARGEST_FILE = 32 * 2**20

#: How files that people take for text begin.
_BINARY = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"RIFF": "a picture or a video",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "an archive, such as an Excel workbook or a Word document",
}


#: What to do with a file that is no text, or empty, where a mechanism or the like is read.
BEGUN = "give a text file, .toml or .json; `structkin examples` lists mechanisms to begin with"


def read_text(path: Path, fallback: str | None = None, remedy: str = BEGUN) -> str:
    """Return the text of a file; raise `Flaw` if it is missing, not a regular file, too large, binary or empty.

    A file in UTF-16 begins with its mark, or has a zero in every second byte. `fallback` is the encoding to try for one
    that is not UTF-8, `remedy` what to do with an office document or an empty one. Pipes and devices are not read: they
    may block forever or never end.

    >>> read_text(Path("no_such_file.csv"))
    Traceback (most recent call last):
    structkin.model.flaw.Flaw: there is no file 'no_such_file.csv'; correct the name, or write its folder before it
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
    wide = _wide(raw[:4096])
    if kind := next((kind for start, kind in _BINARY.items() if raw.startswith(start)), ""):
        hint = remedy if kind.startswith("an archive") else "name the text file that it was made from"
        raise Flaw(f"the file is {kind}, not text", hint)
    if b"\0" in raw[:4096] and not wide:
        raise Flaw("the file is binary, not text", "use a text file in UTF-8")
    try:
        text = raw.decode(wide or "utf-8-sig")
    except UnicodeDecodeError as error:
        if fallback is not None and not wide:
            return raw.decode(fallback, errors="replace")
        line = raw[: error.start].count(b"\n") + 1
        raise Flaw(f"the file is not text in UTF-8 (line {line})", "save it as UTF-8") from None
    if not text.strip():
        raise Flaw("the file is empty", remedy)
    return text


def _wide(start: bytes) -> str:
    """Return the encoding of a file in UTF-16, by how it begins; an empty text for any other."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Latin letters and digits have a zero beside each.
    even, odd = any(start[::2]), any(start[1::2])
    return "" if even == odd or 0 not in start else "utf-16-le" if even else "utf-16-be"


def _alike(path: Path) -> str:
    try:
        names = sorted(other.name for other in path.parent.iterdir())
    except OSError:
        return f"there is no folder '{path.parent}'"
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean '{path.parent / close[0]}'?" if close else "correct the name, or write its folder before it"


#: What may separate cells, in order of preference; a blank stands for any number of blanks.
SEPARATORS = (";", "\t", "|", ",", " ")

#: What is said of columns beside anything but a file.
WITHOUT_CSV = ("chooses columns of a file, but there is no csv", 'write csv = "data.csv", or delete columns')

#: The separators with which numbers may have decimal commas.
WITH_COMMAS = (";", "\t", "|")

#: What stands in the place of a unit where there is none.
NO_UNIT = ("", "-", "1")

#: What to do with a file that is no text, or empty, where a table is read.
SHEET = "save the sheet as CSV"

#: How many lines at the end of a file show how its cells are separated, and how many above the numbers their units.
SHOWN = 50

#: The encoding of old Windows programs, for titles in a file that is not UTF-8.
WINDOWS = "cp1252"

#: How units are spelt in the titles of tables, beside their symbols; in any case of letters.
_SPELT = {
    **dict.fromkeys(("inch", "inches"), "in"), **dict.fromkeys(("foot", "feet"), "ft"),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters"), "mm"),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters"), "cm"),
    **dict.fromkeys(("degree", "degrees"), "deg"), **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("minute", "minutes"), "min"), **dict.fromkeys(("hour", "hours"), "h"),
    **dict.fromkeys(("newton", "newtons"), "N"), **dict.fromkeys(("n.m", "n-m"), "N m"),
}  # fmt: skip

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_IN_BRACKETS = re.compile(r".*([\[(])([^\[\]()]+)[\])]")
_BEHIND = re.compile(r".*\S(?:\s*[/,]\s*|\s+in\s+)([^\s/,]+)")
_NUMBERS_ONLY = re.compile(r"[\s\d.,;eE+-]+")
#: A cell of a line that only separates others, and one such as 100 Hz or a date with its time.
_RULE = re.compile(r"(?:[^\w°\[\]()]|_)*")
_VALUE = re.compile(r"[+-]?\d\S*\s+[^\s\[\]()]+")


def read_table(
    name: str,
    folder: Path | None,
    columns: tuple[Column, Column] | None = None,
    kinds: tuple[str, str] | None = None,
    units: Units | None = None,
) -> list[tuple[float, float]]:
    """Return two columns of a CSV file: its only ones, such as time and value, or those of these titles or numbers.

    Semicolons, tabs, bars, commas or blanks separate cells, perhaps in quotes. The numbers begin after any preamble
    and titles. If any line above them says units of the two quantities `kinds`, they are converted to those of `units`.
    A relative name starts at `folder` and may lead out of it: the file is the user's, and only numbers are read. Raises
    `Flaw` with the line number.
    """
    raw = read_text((folder or Path()) / name, WINDOWS, SHEET).splitlines()
    separator = _separator(raw[-SHOWN:])
    lines = list(_lines(raw, separator))
    if not lines:
        raise Flaw("the file has no numbers", f"in '{name}'")
    head = 0 if columns is None else _titles(lines, columns, name)
    table = _Table(name, separator, *_places(lines, head, columns))
    start = next((k for k in range(head, len(lines)) if table.flaw(lines[k]) is None), len(lines))
    if start == len(lines):  # which line is meant as the first one of numbers?
        lines, start = [next(filter(table.has_number, lines[head:]), lines[-1])], 0
    while start > head and table.has_number(lines[start - 1]):
        start -= 1
        if not head:
            break  # further up are other values, without titles between
    rows = table.rows(lines[start:])
    if kinds is None or start == 0:
        return rows
    first, second = table.scales(lines[max(0, start - SHOWN) : start], kinds, units or Units())
    return [(first * x, second * y) for x, y in rows] if (first, second) != (1, 1) else rows


def titles_of(path: Path) -> list[str]:
    """Return the texts above the numbers of a CSV file, among them the titles of its columns; raise `Flaw`."""
    return list(dict.fromkeys(cell for cells in lines_above(path) for cell in cells))


def lines_above(path: Path) -> list[list[str]]:
    """Return the cells that are not empty of each line above the numbers of a CSV file; raise `Flaw`."""
    raw = read_text(path, WINDOWS, SHEET).splitlines()
    found = []
    for line in _lines(raw, _separator(raw[-SHOWN:])):
        if len(line.cells) > 1 and all(_is_number(cell, comma=True) for cell in line.cells):
            break
        found.append([cell for cell in line.cells if cell])
    return found


def names_columns(cells: Sequence[str]) -> bool:
    """Return whether a line names columns: two texts or more, not all of which are numbers or units.

    >>> names_columns(["time", "lift"]), names_columns(["mm", "deg"]), names_columns(["Lift of the valve"])
    (True, False, False)
    """
    texts = [cell for cell in cells if not _is_number(cell, comma=True)]
    return len(texts) > 1 and any(_unit(text) is None and text not in NO_UNIT for text in texts)


class _Line(NamedTuple):
    """The cells of a line of a file, and its number."""

    at: int
    cells: Sequence[str]


def _lines(raw: Sequence[str], separator: str) -> Iterator[_Line]:
    """Yield the lines that are not empty, without comments and separators at their end."""
    reader = csv.reader(map(_without_comment, raw), delimiter=separator, skipinitialspace=True, strict=True)
    count = 1
    try:
        for cells in reader:
            whole = [cell.strip() for cell in cells]
            while whole and not whole[-1]:
                whole.pop()
            if whole:
                yield _Line(count, whole)
            count = reader.line_num + 1
    except csv.Error as error:
        raise Flaw(f"line {count}: {error}", "a cell in quotes ends with a quote and a separator") from None


def _without_comment(line: str) -> str:
    """Return a line without what follows a #, unless that is in a title.

    >>> [_without_comment(line) for line in ("# note", "0;1 # top", "Motor #1;s")]
    ['', '0;1 ', 'Motor #1;s']
    """
    data, comment, _ = line.partition("#")
    return line if comment and data.strip() and not _NUMBERS_ONLY.fullmatch(data) else data


def _separator(raw: Sequence[str]) -> str:
    """Return the separator with which most lines have two numbers; the first of several.

    >>> _separator(["0,5; 1,2"]), _separator(["0.5, 1.2"]), _separator(["0.5  1.2"])
    (';', ',', ' ')
    """

    def fitting(separator: str) -> int:
        # what is in quotes has no part in this
        lines = [_without_comment(line).split(separator) for line in raw]
        comma = separator in WITH_COMMAS
        return sum(sum(_is_number(cell.strip(' "'), comma) for cell in cells) > 1 for cells in lines)

    best = max(SEPARATORS, key=fitting)
    return best if fitting(best) else next((one for one in SEPARATORS if any(one in line for line in raw)), ",")


def _is_number(cell: str, comma: bool) -> bool:
    return _NUMBER.fullmatch(cell) is not None or (comma and _COMMA.fullmatch(cell) is not None)


def _titles(lines: Sequence[_Line], columns: tuple[Column, Column], name: str) -> int:
    """Return how many lines there are up to the titles of the columns; 0 if both columns are numbers."""
    wanted = [column for column in columns if isinstance(column, str)]
    if not wanted:
        return 0
    for k, line in enumerate(lines):
        if set(wanted) <= set(line.cells):
            twice = [title for title in wanted if line.cells.count(title) > 1]
            if twice:
                message = f"line {line.at}: the title '{short(twice[0])}' is there twice"
                raise Flaw(message, "give the number of the column")
            return k + 1
    known = dict.fromkeys(cell for line in lines for cell in line.cells if not _is_number(cell, comma=True))
    for missing in wanted:
        if missing not in known:
            raise Flaw(f"no line of '{name}' has the title '{short(missing)}'", suggest(missing, known))
    titles = " and ".join(f"'{short(title)}'" for title in wanted)
    raise Flaw(f"no line of '{name}' has both titles, {titles}", "write the titles in one line, or give numbers")


def _places(lines: Sequence[_Line], head: int, columns: tuple[Column, Column] | None) -> tuple[int, int, bool]:
    """Return the places of the two columns in a line, and whether a line has only these."""
    if columns is None:
        return 0, 1, True
    first, second = (
        lines[head - 1].cells.index(column) if isinstance(column, str) else column - 1 for column in columns
    )
    if first == second:
        raise Flaw(f"the columns {columns[0]!r} and {columns[1]!r} are the same", "give two columns")
    return first, second, False


@dataclass(frozen=True)
class _Table:
    """Where the numbers of a table are: in two places of a line, or in its `only` two cells."""

    name: str
    separator: str
    first: int
    second: int
    only: bool

    def cells(self, line: _Line) -> list[str]:
        """Return the two cells of a line."""
        return [line.cells[k] if k < len(line.cells) else "" for k in (self.first, self.second)]

    def has_number(self, line: _Line) -> bool:
        """Return whether a number is in a column of the table: then a line is neither titles nor units."""
        return any(_is_number(cell, comma=True) for cell in (line.cells if self.only else self.cells(line)))

    def flaw(self, line: _Line) -> Flaw | None:
        """Return why a line is not one of the table; None if it is."""
        where = f"line {line.at}: "
        if self.only and len(line.cells) != 2:
            comma = "" if self.separator in WITH_COMMAS else decimal_comma(self.separator.join(line.cells))
            hint = f"if these are decimal commas, {comma}" if comma else f"in '{self.name}'"
            hint += "; keep two, or write columns = [1, 2] beside csv" if len(line.cells) > 2 else ""
            return Flaw(f"{where}expected two columns, time and value, found {len(line.cells)}", hint)
        for k, cell in zip((self.first, self.second), self.cells(line), strict=True):
            if not cell:
                return Flaw(f"{where}column {k + 1} is empty", f"in '{self.name}'")
            if not _is_number(cell, self.separator in WITH_COMMAS):
                return Flaw(f"{where}'{short(cell)}' is not a number", decimal_comma(cell) or f"in '{self.name}'")
        return None

    def rows(self, lines: Sequence[_Line]) -> list[tuple[float, float]]:
        """Return the numbers of lines; raise `Flaw` with the first lines that do not have two finite ones."""
        found = []
        marks: set[str] = set()
        if flaws := [flaw for line in lines if (flaw := self.flaw(line))][:MOST]:
            raise Flaw(flaws[0].message, flaws[0].hint, flaws[1:])
        for line in lines:
            cells = self.cells(line)
            marks.update(mark for mark in ",." if mark in cells[0] or mark in cells[1])
            if len(marks) > 1:
                message = f"line {line.at}: some numbers have a decimal comma, others a decimal point"
                raise Flaw(message, f"in '{self.name}': write decimal points")
            try:
                first, second = (number(float(cell.replace(",", "."))) for cell in cells)
            except Flaw as flaw:
                raise Flaw(f"line {line.at}: {flaw.message}", f"in '{self.name}'") from None
            found.append((first, second))
        return found

    def titles(self, header: Sequence[_Line]) -> Iterator[tuple[_Line, bool]]:
        """Yield the lines that may have titles or units, from below, and whether one line of other values is between.

        Lines that only separate others are left out, and those with a number or a date.
        """
        values = 0
        for line in reversed(header):
            cells = self.cells(line)
            if self.has_number(line):
                values += all(cells)
                if values > 1:  # another table
                    return
            elif not all(map(_RULE.fullmatch, cells)) and not any(map(_VALUE.fullmatch, cells)):
                yield line, values > 0

    def scales(self, header: Sequence[_Line], kinds: tuple[str, str], units: Units) -> list[float]:
        """Return the sizes of the columns' units in those of a mechanism file; 1 for those that are not said.

        A line has units, or titles that end in [mm], (mm), /mm or in mm. For each column the lowest line that says a
        unit counts; lines that say different ones are refused. What stands for a unit right above the numbers, or
        beside a unit, and is none is refused: a column would be read in the unit of the mechanism file.
        """
        said: dict[int, tuple[float, str, int]] = {}
        doubts: dict[int, Flaw] = {}
        nearest = True
        for line, other in self.titles(header):
            if other and said:
                break
            cells = self.cells(line)
            of_units = _are_units(cells, kinds, units) and (nearest or not self.only or len(line.cells) <= 2)
            if not of_units and not nearest and (other or len(line.cells) == 1):
                continue  # titles of other values, or of the whole
            texts = cells if of_units else [_in_title(cell) for cell in cells]
            sizes = [_size(text, kind, units) for text, kind in zip(texts, kinds, strict=True)]
            unknown = [k for k in (0, 1) if sizes[k] is None and texts[k] not in NO_UNIT]
            for k in unknown:
                known = f"in '{self.name}'; such as {QUANTITIES[kinds[k]][1].split(maxsplit=1)[1]}"
                flaw = Flaw(f"line {line.at}: '{short(texts[k])}' is no unit of {kinds[k]}", known)
                if sizes[1 - k] is not None and (nearest or not of_units):
                    raise flaw
                if nearest or of_units or (cells[k].endswith("]") and _unit(texts[k]) is not None):
                    doubts.setdefault(k, flaw)
            nearest = False
            if unknown and of_units:
                continue  # perhaps titles, one of which is spelt like a unit
            for k, size in enumerate(sizes):
                if size is None:
                    continue
                before, text, at = said.setdefault(k, (size, texts[k], line.at))
                if not math.isclose(size, before):
                    message = f"line {line.at} says '{short(texts[k])}', line {at} '{short(text)}' for the same column"
                    raise Flaw(message, f"in '{self.name}': keep the unit that the numbers have")
        for k, flaw in doubts.items():
            if k not in said:
                raise flaw
        return [said[k][0] if k in said else 1.0 for k in (0, 1)]


def _are_units(cells: Sequence[str], kinds: tuple[str, str], units: Units) -> bool:
    """Return whether the first cell that says something is a unit of its column."""
    first, second = (_size(cell, kind, units) is not None for cell, kind in zip(cells, kinds, strict=True))
    return first or (second and cells[0] in NO_UNIT)


def _in_title(title: str) -> str:
    """Return the unit at the end of a title, or an empty text.

    >>> [_in_title(title) for title in ("lift [mm]", "lift (inch)", "x(t)", "lift (measured)")]
    ['mm', 'inch', '', '']
    >>> [_in_title(title) for title in ("lift/mm", "lift in mm", "lift, mm", "left/right", "x/t")]
    ['mm', 'mm', 'mm', '', '']

    Single letters but in square brackets are units of time, length and force only: x(t) is not in tonnes.
    """
    match = _IN_BRACKETS.fullmatch(title)
    if match is not None and match[1] == "[":
        return match[2]
    found = match[2] if match else behind[1] if (behind := _BEHIND.fullmatch(title)) else ""
    return found if found and _unit(found) is not None and found not in "gt" else ""


def _unit(text: str) -> tuple[float, Dimension] | None:
    """Return the SI size and the dimension of a unit; None if the text is none."""
    try:
        return unit(_SPELT.get(text.casefold(), text))
    except Flaw:
        return None


def _size(text: str, kind: str, units: Units) -> float | None:
    """Return the size of a unit of a quantity in that of a mechanism file; None if the text is none."""
    found = _unit(text)
    return found[0] / units.scale(kind) if found is not None and found[1] == QUANTITIES[kind][0] else None
