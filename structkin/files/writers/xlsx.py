"""A workbook: the mechanism, its structure, motion, K and L, and forces, each on a sheet."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from structkin.errors import InputError, Problem, raise_problems
from structkin.files.extras import needs
from structkin.files.writers.sheets import Sheet, sheets_of
from structkin.model.mechanism import Mechanism
from structkin.show.files import whole_file
from structkin.solve import Motion

#: The size limits of an Excel sheet.
ROWS, COLUMNS = 1_048_576, 16_384


def write_xlsx(mechanism: Mechanism, path: Path, motion: Motion) -> tuple[()]:
    """Write a workbook; raise `InputError` if the motion has too many columns or openpyxl is not installed."""
    with needs("openpyxl", "xlsx", ".xlsx"):
        from openpyxl import Workbook
    sheets = sheets_of(motion)
    problems = [
        _too_large(sheet.title, len(sheet.heads), COLUMNS, "columns", "write CSV")
        for sheet in sheets
        if len(sheet.heads) > COLUMNS
    ]
    raise_problems(problems, _source(mechanism))
    book = Workbook()
    del book["Sheet"]
    for sheet in sheets:
        _add(book, sheet)
    data = _archived(book)
    with whole_file(path, "wb") as file:
        file.write(data)
    return ()


def check_rows(mechanism: Mechanism, samples: int) -> None:
    """Raise `InputError` if so many samples do not fit below the heading of a sheet, or openpyxl is not installed."""
    with needs("openpyxl", "xlsx", ".xlsx"):
        import_module("openpyxl")
    if samples + 1 > ROWS:
        problem = _too_large("motion", samples + 1, ROWS, "rows", "ask for fewer samples")
        raise InputError([problem], _source(mechanism))


def _too_large(sheet: str, count: int, most: int, what: str, hint: str) -> Problem:
    return Problem(sheet, f"has {count:,} {what}, but a sheet holds {most:,}", hint)


def _source(mechanism: Mechanism) -> str:
    return f"{mechanism.title or 'mechanism'}, as XLSX"


def _archived(book: Any) -> bytes:
    """Return the file of a workbook.

    openpyxl writes sheets to files in the folder for temporary ones, and leaves them there if it is killed; to a full
    disk it writes again when its objects are freed. In memory, neither can happen.
    """
    from openpyxl.worksheet._writer import WorksheetWriter
    from openpyxl.writer.excel import ExcelWriter

    data = BytesIO()
    archive = ZipFile(data, "w", ZIP_DEFLATED)

    class Writer(ExcelWriter):
        def write_worksheet(self, ws: Any) -> None:
            """Write a sheet without drawings."""
            sheet = BytesIO()
            writer: Any = WorksheetWriter(ws, sheet)
            writer.write()
            ws._rels = writer._rels
            archive.writestr(ws.path[1:], sheet.getvalue())
            self.manifest.append(ws)

    Writer(book, archive).save()
    return data.getvalue()


def _add(book: Any, sheet: Sheet) -> None:
    from openpyxl.styles import Font

    page = book.create_sheet(sheet.title)
    for column, (head, values) in enumerate(zip(sheet.heads, sheet.columns, strict=True), 1):
        for row, value in enumerate((head, *values), 1):
            if value is None:
                continue
            cell = page.cell(row, column, value)
            if isinstance(value, str):
                cell.data_type = "s"  # a name that begins with "=" is no formula
        page.cell(1, column).font = Font(bold=True)
        shown = max([len(head), *(len(value) for value in values if isinstance(value, str))])
        page.column_dimensions[page.cell(1, column).column_letter].width = min(max(shown + 2, 12), 50)
    page.freeze_panes = "B2"
