r"""LaTeX tables: the groups in solve order, and the motion of every driver, point and link at the samples."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from structkin.files.writers.sheets import structure_sheet
from structkin.model.harmless import latex, latex_number
from structkin.model.mechanism import Mechanism
from structkin.show.columns import Column, all_columns, status_words
from structkin.show.files import whole_file
from structkin.solve import Motion

#: Digits of a number.
DIGITS = 6
#: Width of the text of an `article` and of a character [pt], and the space beside a column: normal and in small type.
PAGE, NORMAL, SMALL = 345.0, (5.0, 12.0), (4.25, 6.0)
SMALLER = r"\footnotesize\setlength{\tabcolsep}{3pt}"


#: The characters that pdfLaTeX prints with its usual fonts.
_KNOWN = {"\n", *map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180))} - set("ĦħĸĿŀŉŦŧſ")


def write_latex(mechanism: Mechanism, path: Path, motion: Motion) -> tuple[str, ...]:
    r"""Write tables to be read by \input; return a note on letters for which pdfLaTeX has no font."""
    text = latex_tables(motion)
    others = " ".join(letter for letter in dict.fromkeys(text) if letter not in _KNOWN)
    notes = (f"not for pdfLaTeX but LuaLaTeX or XeLaTeX, with a font that has these letters: {others}",) * bool(others)
    text = "".join(f"% {note}\n" for note in notes) + text
    with whole_file(path) as file:
        file.write(text)
    return notes


def latex_tables(motion: Motion) -> str:
    """Return the tables of a motion, in the units of the file."""
    title = motion.mechanism.title or "mechanism"
    structure = structure_sheet(motion)
    parts = [
        "% \\usepackage{array,booktabs,longtable}\n",
        table(f"{title}: structural groups in solve order", structure.heads, zip(*structure.columns, strict=True)),
    ]
    columns = all_columns(motion)
    time, others = columns[0], columns[1:]
    if not motion.ok.all():
        rows = zip(time.values.tolist(), status_words(motion), strict=True)
        parts.append(table(f"{title}: status of the samples", [_head(time), "status"], rows))
    fixed = []
    for part, of in groupby(others, key=lambda column: column.part):
        shown = [time, *of]
        if len(time.values) > 1 and all((column.values == column.values[0]).all() for column in shown[1:]):
            values = [f"{one.quantity} = {one.values[0]:.{DIGITS}g} {one.unit}" for one in shown[1:] if one.values[0]]
            fixed.append((part, ", ".join(values) or "all are zero"))
            continue
        rows = zip(*(column.values.tolist() for column in shown), strict=True)
        parts.append(table(f"{title}: motion of {part}", [_head(column) for column in shown], rows))
    if fixed:
        parts.append(table(f"{title}: what stands still", ["part", "values other than zero"], fixed))
    return "\n".join(parts)


def _head(column: Column) -> str:
    return f"{column.quantity} [{column.unit}]"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Return a table that may span several pages; numbers are right-aligned.

    One that is wider than a page is set in smaller type, with its words wrapped; one of numbers alone becomes several,
    each with the first column.

    >>> print(table("Path of P_1", ["t [s]", "name"], [(0.5, "a&b")]))
    \begin{longtable}{rl}
      \caption{Path of P\_1}\\
      \toprule
      t {[}s{]} & name \\
      \midrule
      \endhead
      $0.5$ & a\&b \\
      \bottomrule
    \end{longtable}
    <BLANKLINE>
    """
    lines = list(rows)
    columns = [[head, *(line[k] for line in lines)] for k, head in enumerate(heads)]
    if _width(columns, NORMAL) <= PAGE:
        return _longtable(caption, columns)
    if any(map(_is_text, columns)):
        return _small(_longtable(caption, columns, _wrapped(columns)))
    parts, first, rest = [], columns[0], columns[1:]
    while rest:
        most = max(k for k in range(1, len(rest) + 1) if k == 1 or _width([first, *rest[:k]], SMALL) <= PAGE)
        parts.append(_small(_longtable(caption, [first, *rest[:most]])))
        rest = rest[most:]
    return "\n".join(parts)


def _longtable(caption: str, columns: Sequence[Sequence[Any]], kinds: str = "") -> str:
    kinds = kinds or "".join("l" if _is_text(column) else "r" for column in columns)
    head = " & ".join(_head_cell(column[0]) for column in columns) + r" \\"
    body = [" & ".join(map(cell, line)) + r" \\" for line in zip(*(column[1:] for column in columns), strict=True)]
    inside = [rf"\caption{{{latex(caption)}}}\\", r"\toprule", head, r"\midrule", r"\endhead", *body, r"\bottomrule"]
    return "\n".join([rf"\begin{{longtable}}{{{kinds}}}", *(f"  {line}" for line in inside), r"\end{longtable}", ""])


def _small(table: str) -> str:
    return f"\\begingroup{SMALLER}\n{table}\\endgroup\n"


def _is_text(column: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in column[1:])


def _seen(value: Any) -> int:
    """Return about how many characters of a cell are seen."""
    text = cell(value)
    return len(value) if isinstance(value, str) else len(text.replace(r" \cdot ", "").strip("$")) - text.count("{")


def _width(columns: Sequence[Sequence[Any]], size: tuple[float, float]) -> float:
    """Return about how wide the columns are [pt]."""
    letter, space = size
    return sum(space + letter * max(map(_seen, column)) for column in columns)


def _wrapped(columns: Sequence[Sequence[Any]]) -> str:
    """Return the columns in small type; those of text are wrapped, each at least as wide as its longest word."""
    texts = [column for column in columns if _is_text(column)]
    least = [max(len(word) for value in column for word in str(value or "").split(" ")) for column in texts]
    more = [max(map(_seen, column)) - least[k] for k, column in enumerate(texts)]
    letter, space = SMALL
    free = PAGE - _width([column for column in columns if not _is_text(column)], SMALL)
    free -= sum(space + letter * length for length in least)
    part = min(1.0, max(0.0, free) / (letter * (sum(more) or 1)))
    widths = iter([letter * (length + part * extra) for length, extra in zip(least, more, strict=True)])
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{next(widths):.0f}pt}}" if _is_text(column) else "r" for column in columns
    )


def _head_cell(head: str) -> str:
    r"""Return a column heading, with powers of units as superscripts.

    >>> print(_head_cell("ax [mm/s^2]"))
    ax {[}mm/s\textsuperscript{2}{]}
    """
    return re.sub(r"\\textasciicircum\{\}(\d)", r"\\textsuperscript{\1}", latex(head))


def cell(value: Any) -> str:
    r"""Return the text of a table cell, empty if the value is not known.

    >>> [cell(x) for x in (-0.25, 1.5e-9, float("nan"), 3, None)]
    ['$-0.25$', '$1.5 \\cdot 10^{-9}$', '', '$3$', '']
    """
    if isinstance(value, str):
        return latex(value)
    if value is None or not math.isfinite(value):
        return ""
    return latex_number(value, DIGITS)
