"""Equations as LaTeX to read: what is given, the steps body by body, then one equation of motion a coordinate."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import sympy as sp

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations import Equations

#: Characters of LaTeX after which a line of an equation is broken at its next sum.
LINE = 110
GREEK = {"phi", "theta", "omega", "alpha", "lambda"}
ESCAPES = {c: rf"\{c}" for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\^{}"}


def latex(equations: Equations, *, document: bool) -> str:
    """Return the equations as a document or a fragment; it needs `amsmath` and `longtable`."""
    names = _names(equations)
    parts = [f"\\section*{{{escaped(equations.name)}}}", _given(equations, names)]
    if equations.steps:
        parts += ["Intermediate quantities:", _steps(equations, names)]
    parts += ["Equations of motion:", _motion(equations, names)]
    if equations.W.cols:
        parts += ["Equations of closure, with the multipliers $\\lambda$ of their forces:", _closure(equations, names)]
    body = "\n\n".join(parts) + "\n"
    if not document:
        return body
    return f"""\\documentclass{{article}}
\\usepackage[T1]{{fontenc}}
\\usepackage[utf8]{{inputenc}}
\\usepackage[margin=2cm]{{geometry}}
\\usepackage{{amsmath, longtable}}
\\allowdisplaybreaks
\\begin{{document}}
{body}\\end{{document}}
"""


def escaped(text: str) -> str:
    """Return plain text for LaTeX."""
    return "".join(ESCAPES.get(char, char) for char in text)


def symbol_name(name: str) -> str:
    r"""Return the LaTeX of a symbol: what follows its first underscore is an index.

    >>> symbol_name("l_rod"), symbol_name("qd_A"), symbol_name("phi_arm_B"), symbol_name("g")
    ('l_{\\mathrm{rod}}', '\\dot{q}_{\\mathrm{A}}', '\\varphi_{\\mathrm{arm,B}}', 'g')
    """
    letter, _, index = name.partition("_")
    dots = {"qd": r"\dot{q}", "qdd": r"\ddot{q}", "vd": r"\dot{v}", "ud": r"\dot{u}", "phi": r"\varphi", "l0": "l^0"}
    if letter in dots:
        letter = dots[letter]
    elif letter in GREEK:
        letter = "\\" + letter
    elif len(letter) > 1:
        number = re.fullmatch(r"([A-Za-z])(\d+)", letter)
        letter = f"{number[1]}_{{{number[2]}}}" if number and not index else rf"\mathrm{{{letter}}}"
    return rf"{letter}_{{\mathrm{{{index.replace('_', ',')}}}}}" if index else letter


def _names(equations: Equations) -> dict[sp.Symbol, str]:
    symbols = {s for m in equations.outputs.values() for s in m.free_symbols}
    for symbol, value, _ in equations.steps:
        symbols |= {symbol, *value.free_symbols}
    symbols |= {*equations.q, *equations.qd, *_accelerations(equations)}
    return {s: symbol_name(s.name) for s in symbols}


def _accelerations(equations: Equations) -> list[sp.Symbol]:
    return [sp.Symbol(f"qdd_{s.name[2:]}", real=True) for s in equations.q]


def _printed(value: sp.Expr, names: dict[sp.Symbol, str]) -> str:
    text: str = sp.latex(value, symbol_names=names, fold_short_frac=False, full_prec=False)
    return text


def _given(equations: Equations, names: dict[sp.Symbol, str]) -> str:
    """Return the tables of coordinates and parameters."""
    coordinates = ", ".join(
        f"${names[s]}$ ({escaped(joint)})" for s, (joint, _) in zip(equations.q, equations.coordinates, strict=True)
    )
    lines = [f"Coordinates (joint): {coordinates}."]
    if equations.parameters:
        rows = (
            f"${symbol_name(name)}$ & {_figure(p.value)} & {_unit(p.unit)} & {escaped(p.meaning)} \\\\"
            for name, p in equations.parameters.items()
        )
        lines += ["", "\\begin{longtable}{llll}", *rows, "\\end{longtable}"]
    return "\n".join(lines)


def _figure(value: float) -> str:
    mantissa, _, power = f"{value:.6g}".partition("e")
    return f"${mantissa} \\cdot 10^{{{int(power)}}}$" if power else f"${mantissa}$"


def _unit(unit: str) -> str:
    return "$\\mathrm{" + unit.replace(" ", "\\,") + "}$"


def _steps(equations: Equations, names: dict[sp.Symbol, str]) -> str:
    blocks = []
    for body, group in groupby(equations.steps, key=lambda step: step[2]):
        lines = [line for symbol, value, _ in group for line in _broken(f"{names[symbol]} &= ", value, names, "")]
        blocks.append(f"% {escaped(body)}\n\\begin{{align*}}\n" + " \\\\\n".join(lines) + "\n\\end{align*}")
    return "\n".join(blocks)


def _motion(equations: Equations, names: dict[sp.Symbol, str]) -> str:
    """Return M qdd + h - f = W lambda row by row."""
    lines = []
    accelerations = _accelerations(equations)
    for i in range(equations.q.rows):
        terms = [_term(equations.M[i, j], a, names) for j, a in enumerate(accelerations) if equations.M[i, j] != 0]
        terms += [(t, _printed(t, names)) for e in (equations.h[i], -equations.f[i]) for t in _terms(e)]
        right = _forces(equations, i, names)
        lines += _lines("", [text for _, text in terms], f" &= {right}")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _forces(equations: Equations, i: int, names: dict[sp.Symbol, str]) -> str:
    """Return row i of W lambda."""
    terms = [
        _term(equations.W[i, k], sp.Symbol(f"lambda_{k + 1}"), names)[1]
        for k in range(equations.W.cols)
        if equations.W[i, k] != 0
    ]
    return _sum(terms) if terms else "0"


def _term(factor: sp.Expr, symbol: sp.Symbol, names: dict[sp.Symbol, str]) -> tuple[sp.Expr, str]:
    """Return the LaTeX of a factor, in parentheses if it is a sum, times a symbol."""
    text, name = _printed(factor, names), symbol_name(symbol.name)
    if factor == 1:
        return factor, name
    if factor == -1:
        return factor, f"- {name}"
    return factor, rf"\left({text}\right) {name}" if factor.is_Add else rf"{text} \, {name}"


def _closure(equations: Equations, names: dict[sp.Symbol, str]) -> str:
    lines = []
    for value in equations.Phi:
        lines += _lines("", [_printed(t, names) for t in _terms(value)], " &= 0")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _terms(value: sp.Expr) -> list[sp.Expr]:
    """Return the terms of a sum in the order in which SymPy prints them; a factor -1 before a sum is taken in."""
    value = sp.sympify(value)
    if value.is_Mul and value.args[0] == -1 and len(value.args) == 2:
        value = sp.Add(*(-term for term in sp.Add.make_args(value.args[1])))
    return [] if value == 0 else list(value.as_ordered_terms())


def _broken(head: str, value: sp.Expr, names: dict[sp.Symbol, str], tail: str) -> list[str]:
    return _lines(head, [_printed(t, names) for t in _terms(value)] or ["0"], tail)


def _sum(terms: list[str]) -> str:
    text = terms[0]
    for term in terms[1:]:
        text += f" {term}" if term.startswith("-") else f" + {term}"
    return text


def _lines(head: str, terms: list[str], tail: str) -> list[str]:
    """Return a sum as lines of `align*`, broken before a sign where a line grows long."""
    rows: list[list[str]] = [[]]
    for term in terms or ["0"]:
        if rows[-1] and _width(_sum([*rows[-1], term])) > LINE:
            rows.append([])
        rows[-1].append(term)
    texts = [_sum(row) for row in rows]
    for n in range(1, len(texts)):
        texts[n] = "\\quad " + (texts[n] if texts[n].startswith("-") else "+ " + texts[n])
    mark = "" if "&" in head else "& "
    texts = [head + texts[0], *((mark if head == "" else "&") + text for text in texts[1:])]
    if head == "" and len(texts) > 1:
        texts[0] = "& " + texts[0]
        tail = tail.replace(" &=", " =")
    texts[-1] += tail
    return texts


def _width(text: str) -> int:
    """Return about how many characters are seen of a formula."""
    return len(re.sub(r"\\(mathrm|left|right|cdot|dot|ddot|,)|[{}_^\\ ]", "", text))
