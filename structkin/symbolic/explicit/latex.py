"""Equations as LaTeX to read: what is given, the steps body by body, then one equation of motion a coordinate."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import sympy as sp
from sympy.printing.latex import LatexPrinter

from structkin.model.harmless import latex as harmless
from structkin.model.harmless import latex_number, told_apart
from structkin.symbolic.explicit.parameters import spelled

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations_of_motion import Equations

#: Width [pt] after which a line of an equation is broken at its next sum: that of the page, and something to spare.
LINE = 484 - 20
#: The same within a root or an arc tangent.
INSIDE = LINE - 80
#: Width of what is seen of LaTeX [pt], in 10 pt type: the rest are letters.
SEEN = {
    "+": 12.2, "-": 12.2, "=": 13.4, "(": 4.6, ")": 4.6, ",": 4.5, "&": 0.0, " ": 0.0, r"\,": 1.7, r"\quad": 10.0,
    r"\sin": 14.0, r"\cos": 15.5, r"\tan": 17.0, r"\sqrt": 8.5, r"\operatorname": 3.0,
}  # fmt: skip
GREEK = {"alpha", "beta", "gamma", "lambda", "omega", "phi", "theta"}
#: The characters of text that pdfLaTeX prints with the fonts of the document.
KNOWN = {*map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180))} - set("ĦħĸĿŀŉŦŧſ")


def latex(equations: Equations, *, document: bool) -> str:
    """Return the equations as a document or a fragment; it needs `amsmath` and `longtable`."""
    names = _Names(equations)
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
    """Return plain text for LaTeX: letters that pdfLaTeX has no font for are spelled, others given by their code."""
    return harmless("".join(char if char in KNOWN else _coded(spelled(char)) for char in text))


def _coded(text: str) -> str:
    return "".join(char if char in KNOWN else f"U+{ord(char):04X}" for char in text)


def symbol_name(name: str) -> str:
    r"""Return the LaTeX of a symbol: what follows its first underscore is an index.

    >>> symbol_name("l_rod"), symbol_name("qd_A"), symbol_name("phi_arm_B"), symbol_name("g")
    ('l_{\\mathrm{rod}}', '\\dot{q}_{\\mathrm{A}}', '\\varphi_{\\mathrm{arm,B}}', 'g')
    """
    letter, _, index = name.partition("_")
    dots = {
        "qd": r"\dot{q}",
        "qdd": r"\ddot{q}",
        "vd": r"\dot{v}",
        "ud": r"\dot{u}",
        "phi": r"\varphi",
        "l0": "l^0",
        "q0": "q^0",
        "det": r"\Delta",
    }
    if letter in dots:
        letter = dots[letter]
    elif letter in GREEK:
        letter = "\\" + letter
    elif len(letter) > 1:
        number = re.fullmatch(r"([A-Za-z])(\d+)", letter)
        letter = f"{number[1]}_{{{number[2]}}}" if number and not index else rf"\mathrm{{{letter}}}"
    return rf"{letter}_{{\mathrm{{{index.replace('_', ',')}}}}}" if index else letter


class _Names:
    """The LaTeX of all symbols, and other symbols that sort as a reader writes products: m g l, not g l m."""

    def __init__(self, equations: Equations) -> None:
        symbols = {s for m in equations.outputs.values() for s in m.free_symbols}
        for symbol, value, _ in equations.steps:
            symbols |= {symbol, *value.free_symbols}
        symbols |= {*equations.q, *equations.qd}
        joints, bodies = (joint for joint, _ in equations.coordinates), (body for *_, body in equations.steps)
        #: How the names of joints and bodies, and what is said of parameters, are written.
        self.words = told_apart([*joints, *bodies, *(p.meaning for p in equations.parameters.values())], escaped)
        self.ordered = {s: sp.Symbol(f"{_rank(s.name)}{s.name}", real=True) for s in symbols}
        self.printer = _Latex(
            {
                "symbol_names": {o: symbol_name(s.name) for s, o in self.ordered.items()},
                "full_prec": False,
                "mul_symbol": r" \, ",
            }
        )

    def __call__(self, value: sp.Expr) -> str:
        return str(self.printer.doprint(sp.sympify(value).xreplace(self.ordered)))

    def is_sum(self, value: sp.Expr) -> bool:
        """Whether a value is printed as a sum; SymPy multiplies -(a + b) out when symbols are replaced."""
        return bool(value.xreplace(self.ordered).is_Add)


def _rank(name: str) -> str:
    """Return a letter that sorts a symbol: masses and stiffnesses, gravity, inertia, lengths, the rest, coordinates."""
    letter = name.partition("_")[0]
    ranks = {"m": "A", "k": "A", "d": "A", "g": "B", "I": "C", "l": "D", "s": "D", "q": "Y", "qd": "Z"}
    return ranks.get(letter, "E")


class _Latex(LatexPrinter):  # type: ignore[misc]  # SymPy has no types
    """What is within a root or an arc tangent and too wide for a line is set in lines of its own."""

    def _print_atan2(self, expr: sp.Expr) -> str:
        y, x = map(self._print, expr.args)
        if _width(y) + _width(x) <= INSIDE:
            return rf"\operatorname{{atan2}}\left({y},\, {x}\right)"
        lines = [*self._broken(expr.args[0], ","), *self._broken(expr.args[1])]
        return rf"\operatorname{{atan2}}\left({_aligned(lines)}\right)"

    def _print_Pow(self, expr: sp.Expr) -> str:
        if expr.exp == sp.Rational(1, 2) and _width(self._print(expr.base)) > INSIDE:
            return rf"\sqrt{{{_aligned(self._broken(expr.base))}}}"
        return str(super()._print_Pow(expr))

    def _broken(self, expr: sp.Expr, tail: str = "") -> list[str]:
        return _lines("& ", [self._print(term) for term in _terms(expr)], tail, INSIDE)


def _aligned(lines: list[str]) -> str:
    return "\\begin{aligned}" + " \\\\ ".join(lines) + "\\end{aligned}"


def _given(equations: Equations, names: _Names) -> str:
    """Return the tables of coordinates and parameters."""
    coordinates = ", ".join(
        f"${names(s)}$ ({names.words[joint]})" for s, (joint, _) in zip(equations.q, equations.coordinates, strict=True)
    )
    lines = [f"Coordinates (joint): {coordinates}."]
    if equations.parameters:
        rows = (
            f"${symbol_name(name)}$ & {latex_number(p.value, 6)} & {_unit(p.unit)} & {names.words[p.meaning]} \\\\"
            for name, p in equations.parameters.items()
        )
        lines += ["", "\\begin{longtable}{llll}", *rows, "\\end{longtable}"]
    return "\n".join(lines)


def _unit(unit: str) -> str:
    return "$\\mathrm{" + unit.replace(" ", "\\,") + "}$"


def _steps(equations: Equations, names: _Names) -> str:
    blocks = []
    for body, group in groupby(equations.steps, key=lambda step: step[2]):
        heads = [(f"{names(symbol)} &= ", value) for symbol, value, _ in group]
        room = LINE - max(_width(head) for head, _ in heads)
        lines = [line for head, value in heads for line in _lines(head, _texts(value, names, room), "", room)]
        blocks.append(f"{names.words[body]}:\n\\begin{{align*}}\n" + " \\\\\n".join(lines) + "\n\\end{align*}")
    return "\n".join(blocks)


def _motion(equations: Equations, names: _Names) -> str:
    """Return M qdd + h - f = W lambda row by row."""
    lines = []
    accelerations = [sp.Symbol(f"qdd_{s.name[2:]}", real=True) for s in equations.q]
    for i in range(equations.q.rows):
        left = [t for j, a in enumerate(accelerations) for t in _products(equations.M[i, j], a, names)]
        left += [t for e in (equations.h[i], -equations.f[i]) for t in _texts(e, names)]
        left, right = left or ["0"], _forces(equations, i, names)
        if right == ["0"] or _width(_sum(left)) + _width(_sum(right)) <= LINE:
            lines += _lines("& ", left, f" = {_sum(right)}")
        else:
            lines += _lines("& ", left, "") + _lines("&\\quad = ", right, "")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _forces(equations: Equations, i: int, names: _Names) -> list[str]:
    """Return the terms of row i of W lambda."""
    symbols = [sp.Symbol(f"lambda_{k + 1}") for k in range(equations.W.cols)]
    return [t for k, symbol in enumerate(symbols) for t in _products(equations.W[i, k], symbol, names)] or ["0"]


def _products(factor: sp.Expr, symbol: sp.Symbol, names: _Names) -> list[str]:
    """Return the LaTeX of a factor times a symbol: one term, or several where the factor is too wide for a line."""
    if factor == 0:
        return []
    whole = _term(factor, symbol, names)
    terms = _terms(sp.expand_mul(factor, deep=False)) if _width(whole) > LINE else [factor]
    return [whole] if len(terms) == 1 else [text for term in terms for text in _products(term, symbol, names)]


def _term(factor: sp.Expr, symbol: sp.Symbol, names: _Names) -> str:
    """Return the LaTeX of a factor, in parentheses if it is a sum, times a symbol."""
    text, name = names(factor), symbol_name(symbol.name)
    if factor in (1, -1):
        return name if factor == 1 else f"- {name}"
    return rf"\left({text}\right) {name}" if names.is_sum(factor) else rf"{text} \, {name}"


def _closure(equations: Equations, names: _Names) -> str:
    lines = []
    for value in equations.Phi:
        lines += _lines("& ", _texts(value, names), " = 0")
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _texts(value: sp.Expr, names: _Names, room: float = LINE) -> list[str]:
    """Return the LaTeX of the terms of a sum; a term that is too wide for a line is multiplied out."""
    texts = []
    for term in _terms(value):
        text = names(term)
        several = _terms(sp.expand_mul(term, deep=False)) if _width(text) > room else [term]
        texts += [text] if len(several) == 1 else [t for one in several for t in _texts(one, names, room)]
    return texts


def _terms(value: sp.Expr) -> list[sp.Expr]:
    """Return the terms of a sum in the order in which SymPy prints them; a factor -1 before a sum is taken in."""
    value = sp.sympify(value)
    if value.is_Mul and value.args[0] == -1 and len(value.args) == 2:
        value = sp.Add(*(-term for term in sp.Add.make_args(value.args[1])))
    return [] if value == 0 else list(value.as_ordered_terms())


def _sum(terms: list[str]) -> str:
    text = terms[0]
    for term in terms[1:]:
        text += f" {term}" if term.startswith("-") else f" + {term}"
    return text


def _lines(head: str, terms: list[str], tail: str, room: float = LINE) -> list[str]:
    """Return a sum as lines of `align*`, broken before a sign where a line grows wider than the room after the head."""
    rows: list[list[str]] = [[]]
    terms = terms or ["0"]
    for n, term in enumerate(terms, 1):
        end = _width(tail) if n == len(terms) else 0.0
        if rows[-1] and _width(_sum(["\\quad +", *rows[-1], term])) + end > room:
            rows.append([])
        rows[-1].append(term)
    texts = [_sum(row) for row in rows]
    for n in range(1, len(texts)):
        texts[n] = "\\quad " + (texts[n] if texts[n].startswith("-") else "+ " + texts[n])
    texts = [head + texts[0], *("&" + text for text in texts[1:])]
    texts[-1] += tail
    return texts


def _width(text: str) -> float:
    """Return about how wide a formula is [pt]; indices and powers are smaller, of a fraction the wider part counts."""
    tokens = re.findall(r"\\[A-Za-z]+|\\.|.", re.sub(r"\\(left|right|mathrm|dot|ddot)(?![A-Za-z])", "", text))
    place = 0

    def argument(letter: float) -> float:
        nonlocal place
        while tokens[place] == " ":
            place += 1
        place += 1
        if tokens[place - 1] != "{":
            return SEEN.get(tokens[place - 1], letter)
        return several(letter)

    def several(letter: float) -> float:
        """Return the width up to the end of a group."""
        nonlocal place
        total = 0.0
        while place < len(tokens) and tokens[place] != "}":
            token = tokens[place]
            if token in "_^":
                place += 1
                total += argument(3.9)
            elif token == r"\frac":
                place += 1
                total += max(argument(letter), argument(letter)) + 2.4
            elif token == "{":
                total += argument(letter)
            else:
                place += 1
                total += SEEN.get(token, letter)
        place += 1
        return total

    return several(5.4)
