"""Names and titles in generated texts: what is left of them ends no comment, no string and no formula."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

from structkin.errors import printable

#: The signs that mean nothing in a comment or a docstring of C and Python, in any combination.
SIGNS = frozenset(" .,:;()'-=/%&#<>|~^@!$`{}[]+_")

#: The signs that mean something in LaTeX, and how they are written there.
LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\symbol{34}", "[": "{[}", "]": "{]}",
}  # fmt: skip


def plain(text: str) -> str:
    r"""Return a text for a comment or docstring of C or Python: signs that are not in `SIGNS` become "_".

    >>> print(plain('3-RRR, "left" *\\ /*'))
    3-RRR, _left_ __ /_
    """
    return "".join(char if char in SIGNS or unicodedata.category(char)[0] in "LMN" else "_" for char in text)


def latex(text: str) -> str:
    r"""Return a text for LaTeX, with its control characters escaped first.

    >>> print(latex("50 % of $x_1$"))
    50 \% of \$x\_1\$
    """
    return "".join(LATEX.get(char, char) for char in printable(text)).replace("--", "-{}-")


def latex_number(value: float, digits: int) -> str:
    r"""Return a number for LaTeX, with at most so many digits.

    >>> latex_number(-0.25, 6), latex_number(1.5e-9, 6)
    ('$-0.25$', '$1.5 \\cdot 10^{-9}$')
    """
    mantissa, _, power = f"{value:.{digits}g}".partition("e")
    return f"${mantissa} \\cdot 10^{{{int(power)}}}$" if power else f"${mantissa}$"


def told_apart(texts: Iterable[str], written: Callable[[str], str]) -> dict[str, str]:
    """Return how each text is written; those that would become the same are numbered.

    >>> told_apart(["a*", "b", "a?", "a*"], plain)
    {'a*': 'a_', 'b': 'b', 'a?': 'a_ (2)'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in dict.fromkeys(texts):
        name = base = written(text)
        number = 1
        while name in taken:
            number += 1
            name = f"{base} ({number})"
        taken.add(name)
        found[text] = name
    return found
