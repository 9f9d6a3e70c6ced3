r"""LaTeX tables: the groups in solve order, and the motion of every driver, point and link at the samples."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from structkin.files.writers.sheets import structure_sheet
from structkin.model.mechanism import Mechanism
from structkin.show.columns import Column, all_columns, status_words
from structkin.show.files import whole_file
from structkin.solve import Motion

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "[": "{[}", "]": "{]}",
}  # fmt: skip

#: Digits of a number.
DIGITS = 6


def write_latex(mechanism: Mechanism, path: Path, motion: Motion) -> tuple[()]:
    r"""Write tables to be read by \input."""
    text = latex_tables(motion)
    with whole_file(path, encoding="utf-8", newline="\n") as file:
        file.write(text)
    return ()


def latex_tables(motion: Motion) -> str:
    """Return the tables of a motion, in the units of the file."""
    title = motion.mechanism.title or "mechanism"
    structure = structure_sheet(motion)
    parts = [
        "% \\usepackage{booktabs,longtable}\n",
        table(f"{title}: structural groups in solve order", structure.heads, zip(*structure.columns, strict=True)),
    ]
    columns = all_columns(motion)
    time, others = columns[0], columns[1:]
    bad = [] if motion.ok.all() else [("status", status_words(motion))]
    for part, of in groupby(others, key=lambda column: column.part):
        shown = [time, *of]
        heads = [_head(column) for column in shown] + [head for head, _ in bad]
        rows = zip(*(column.values.tolist() for column in shown), *(words for _, words in bad), strict=True)
        parts.append(table(f"{title}: motion of {part}", heads, rows))
    return "\n".join(parts)


def _head(column: Column) -> str:
    return f"{column.quantity} [{column.unit}]"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Return a table that may span several pages; numbers are right-aligned.

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
    kinds = "".join("l" if any(isinstance(row[k], str) for row in lines) else "r" for k in range(len(heads)))
    body = [" & ".join(cell(value) for value in row) + r" \\" for row in lines]
    head = " & ".join(map(_head_cell, heads)) + r" \\"
    inside = [rf"\caption{{{escaped(caption)}}}\\", r"\toprule", head, r"\midrule", r"\endhead", *body, r"\bottomrule"]
    return "\n".join([rf"\begin{{longtable}}{{{kinds}}}", *(f"  {line}" for line in inside), r"\end{longtable}", ""])


def _head_cell(head: str) -> str:
    r"""Return a column heading, with powers of units as superscripts.

    >>> print(_head_cell("ax [mm/s^2]"))
    ax {[}mm/s\textsuperscript{2}{]}
    """
    return re.sub(r"\\textasciicircum\{\}(\d)", r"\\textsuperscript{\1}", escaped(head))


def escaped(text: str) -> str:
    r"""Return text escaped for LaTeX.

    >>> print(escaped("50 % of $x_1$"))
    50 \% of \$x\_1\$
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in text).replace("--", "-{}-")


def cell(value: Any) -> str:
    r"""Return the text of a table cell, empty if the value is not known.

    >>> [cell(x) for x in (-0.25, 1.5e-9, float("nan"), 3, None)]
    ['$-0.25$', '$1.5 \\cdot 10^{-9}$', '', '$3$', '']
    """
    if isinstance(value, str):
        return escaped(value)
    if value is None or not math.isfinite(value):
        return ""
    mantissa, _, power = f"{value:.{DIGITS}g}".partition("e")
    return f"${mantissa} \\cdot 10^{{{int(power)}}}$" if power else f"${mantissa}$"
