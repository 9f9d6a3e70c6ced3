"""The worksheet: every link cut free, its equations with symbols and with numbers, and the system group by group.

Formulas are written in LaTeX; a page has them as MathML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from structkin.dynamics.inverse.equilibrium import COMPONENTS, Equation, Equilibrium, FreeBody, Part, Unknown
from structkin.errors import InputError, Problem
from structkin.model.harmless import latex
from structkin.model.topology import pin_of
from structkin.numerical_tolerances import ROUNDING_OF_ONE
from structkin.report.joint_forces import hardest
from structkin.show.files import whole_file
from structkin.show.free_bodies import instant, plot_each_body, plot_free_bodies
from structkin.show.motion_forces import forces_of
from structkin.solve import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Significant digits of numbers: enough to solve the equations as they are printed.
DIGITS = 7
#: Significant digits of the entries of a matrix, which has to fit on its line.
BRIEF = 4
#: Parts with more unknowns than this are too wide for a matrix.
WIDEST = 9
#: Terms on a line of a document.
PER_LINE = 5

#: A line of a document to write on.
_LINE = r"\rule[-1ex]{0.75\linewidth}{0.3pt}"
_SUMS = {"x": r"\sum F_{\mathrm{x}}", "y": r"\sum F_{\mathrm{y}}", "moment": r"\sum M"}
#: Rules of a worksheet, by itself or in a report.
STYLE = """
.worksheet section { border-top: 1px solid #ccc; padding: 1rem 0; break-inside: avoid; overflow: auto }
.worksheet section svg { float: left; width: 17rem; height: auto; margin-right: 1rem; background: #fff }
.worksheet h2, .worksheet h3 { margin: 0.3rem 0; break-after: avoid }
.worksheet .known { opacity: 0.8 } .worksheet .known math { margin-right: 1.2rem } .worksheet .equations { clear: left }
.worksheet .blank { border-bottom: 1px solid #999; line-height: 2.6 }
.worksheet p { margin: 0.5rem 0 } .worksheet td { padding: 0.15rem 0.8rem 0.15rem 0 }
@media print { .worksheet { font-size: 10px } .worksheet section { padding: 0.4rem 0 }
.worksheet section svg { width: 52mm } }
"""
_PAGE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
@page { margin: 15mm } @media print { body { max-width: none; margin: 0 } }
"""
#: The pose with the largest joint force of a motion.
HARDEST = "hardest"


def write_worksheet(found: Equilibrium, path: str | Path, *, solved: bool = True) -> None:
    """Write a worksheet as .html, or as .tex with its figure, a PDF, beside it; raises `InputError`."""
    target = check_sheet(path)
    if target.suffix.lower() != ".tex":
        with whole_file(target) as file:
            file.write(page(found, solved=solved))
        return
    picture = target.with_name(f"{target.stem}-bodies.pdf")
    with whole_file(target) as file, whole_file(picture, "wb") as drawn:
        plot_free_bodies(found).savefig(drawn, format="pdf", metadata={"CreationDate": None})
        file.write(document(found, picture.name, solved=solved))


def check_sheet(path: str | Path) -> Path:
    """Return the path of a worksheet; `InputError` for endings other than .html and .tex."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm", ".tex"):
        raise InputError([Problem(str(path), "is not the name of a page or a LaTeX file", "use .html or .tex")])
    return target


# --- formulas -----------------------------------------------------------------------------------------------


def symbolic(found: Equilibrium, equation: Equation) -> str:
    """Return an equation with symbols, in LaTeX."""
    body = found.body(equation.body)
    left = [_term(found, body, equation.direction, k, factor) for k, factor in equation.terms]
    return f"{_sum(left)}\n= {_sum(_known(body, equation.direction))}"


def numeric(found: Equilibrium, equation: Equation) -> str:
    """Return an equation with numbers for all but the unknowns, in LaTeX."""
    left = []
    for k, factor in equation.terms:
        size = "" if abs(abs(factor) - 1) < ROUNDING_OF_ONE else number(abs(factor)) + r"\,"
        left.append((factor < 0, size + _name(found.unknowns[k])))
    return f"{_sum(left)}\n= {number(equation.right)}"


def number(value: float, digits: int = DIGITS) -> str:
    r"""Return a number with so many digits.

    >>> number(-0.00001234), number(1250.0)
    ('-1.234\\cdot 10^{-5}', '1250')
    """
    mantissa, _, power = f"{value:.{digits}g}".partition("e")
    return rf"{mantissa}\cdot 10^{{{int(power)}}}" if power else mantissa


def _symbol(letter: str, mark: str) -> str:
    base = letter if len(letter) == 1 or letter[0] == "\\" else rf"\mathrm{{{_word(letter)}}}"
    return rf"{base}_{{\mathrm{{{_word(mark)}}}}}"


def _word(text: str) -> str:
    return latex(text).replace(" ", r"\ ")


def _name(unknown: Unknown) -> str:
    return _symbol(unknown.letter, unknown.mark)


def _angle(unknown: Unknown) -> str:
    return _symbol(r"\beta", unknown.id)


def _term(found: Equilibrium, body: FreeBody, direction: str, k: int, factor: float) -> tuple[bool, str]:
    """Return whether a term of the left-hand side is subtracted, and its text."""
    unknown = found.unknowns[k]
    along = found.force_on(body.name, k)
    if (direction != "moment" and abs(abs(factor) - 1) < ROUNDING_OF_ONE) or not along:
        return factor < 0, _name(unknown)
    opposite = (along.conjugate() * unknown.direction).real < 0
    if direction != "moment":
        function = r"\cos" if direction == "x" else r"\sin"
        return opposite, rf"{_name(unknown)}\,{function}{_angle(unknown)}"
    if unknown.part not in COMPONENTS:
        return False, rf"{_symbol('h', unknown.id)}\,{_name(unknown)}"
    axis = "y" if unknown.part[-1] == "x" else "x"
    arm = f"({_symbol(axis, unknown.id)} - {_symbol(axis, body.about_name)})"
    return opposite != (axis == "y"), rf"{arm}\,{_name(unknown)}"


def _known(body: FreeBody, direction: str) -> list[tuple[bool, str]]:
    """Return the terms of a right-hand side."""
    if direction == "moment":
        return [(False, r"I\,\alpha")] * bool(body.alpha) + [(True, _symbol("L", "M"))] * bool(body.load_moment)
    part = {"x": "real", "y": "imag"}[direction]
    terms = [
        (False, rf"m\,{_symbol('a', direction)}", body.acceleration),
        (True, rf"m\,{_symbol('g', direction)}", body.weight),
        (True, _symbol("L", direction), body.load),
    ]
    return [(negative, text) for negative, text, value in terms if getattr(value, part)]


def _sum(terms: Iterable[tuple[bool, str]]) -> str:
    # A long sum may be broken where a line ends.
    text = "\n".join(f"{'-' if negative else '+'} {term}" for negative, term in terms)
    return text.removeprefix("+ ") or "0"


def known_of(found: Equilibrium, body: FreeBody) -> list[str]:
    """Return what is known of a body, each a formula with its unit, in LaTeX."""
    lines: dict[str, None] = {}

    def tell(symbol: str, value: float, unit: str) -> None:
        lines[rf"{symbol} = {number(value)}\,\text{{{unit}}}"] = None

    def both(letter: str, value: complex, unit: str) -> None:
        tell(_symbol(letter, "x"), value.real, unit)
        tell(_symbol(letter, "y"), value.imag, unit)

    def place(name: str, value: complex) -> None:
        for axis, length in (("x", value.real), ("y", value.imag)):
            tell(_symbol(axis, name), length if abs(length) > ROUNDING_OF_ONE * motion.size else 0.0, "m")

    motion = found.motion
    place(body.about_name, body.about)
    terms = [(k, factor, one) for one in found.of_body[body.name] for k, factor in one.terms]
    for k, factor, equation in terms:
        unknown = found.unknowns[k]
        if unknown.part in COMPONENTS and equation.direction == "moment":
            place(unknown.id, complex(*motion.position(unknown.id)[0]))
        elif found.force_on(body.name, k) and equation.direction == "moment":
            tell(_symbol("h", unknown.id), factor, "m")
        elif found.force_on(body.name, k) and abs(abs(factor) - 1) >= ROUNDING_OF_ONE:
            angle = float(np.degrees(np.angle(unknown.direction)))
            lines[rf"{_angle(unknown)} = {{{number(angle)}}}^\circ"] = None
    if body.mass:
        tell("m", body.mass, "kg")
        both("a", body.acceleration, "m/s²")
        if body.weight:
            both("g", body.weight / body.mass, "m/s²")
    if body.inertia:
        tell("I", body.inertia, "kg m²")
        tell(r"\alpha", body.alpha, "rad/s²")
    if body.load:
        both("L", body.load, "N")
    if body.load_moment:
        tell(_symbol("L", "M"), body.load_moment, "N m")
    return list(lines)


# --- words --------------------------------------------------------------------------------------------------


def meaning(found: Equilibrium, unknown: Unknown) -> str:
    """Return what an unknown is, in words."""
    of = f"the driver {unknown.id}" if unknown.id in found.motion.mechanism.drivers else f"joint {unknown.id}"
    on = f"the pin {pin}" if (pin := pin_of(unknown.on)) else unknown.on
    if unknown.part in COMPONENTS:
        return f"{unknown.part[-1]} component of the force of {of} on {on}"
    kind = "force" if unknown.unit == "N" else "torque" if unknown.letter == "T" else "moment"
    return f"{kind} of {of} on {on}"


def _title(found: Equilibrium) -> str:
    return f"{found.motion.mechanism.title or 'Mechanism'}: worksheet"


def _of_part(found: Equilibrium, part: Part) -> str:
    groups = "; ".join(f"{' + '.join(group.links)} ({group.kind})" for group in part.groups) or "pins on the ground"
    n, m = len(part.equations), len(part.unknowns)
    counted = f"{n} equations for {m} unknowns" if n == m else (
        f"{n} equations for {m} unknowns: joints are redundant, and of all solutions the smallest is given"
    )  # fmt: skip
    return f"{groups}: {counted}"


def _matrix(found: Equilibrium, part: Part) -> str | None:
    """Return a part's system, in LaTeX: what earlier parts determine is on the right."""
    if not 0 < len(part.unknowns) <= WIDEST:
        return None
    own = found.matrix[np.ix_(part.equations, part.unknowns)]
    before = [k for k in range(len(found.unknowns)) if k < part.unknowns[0]]
    right = found.right[list(part.equations)] - found.matrix[np.ix_(part.equations, before)] @ found.values[before]

    def column(lines: Iterable[str]) -> str:
        return r"\begin{pmatrix}" + r"\\".join(lines) + r"\end{pmatrix}"

    rows = column(" & ".join(number(entry, BRIEF) for entry in (row + 0.0).tolist()) for row in own)
    unknowns = column(_name(found.unknowns[k]) for k in part.unknowns)
    return rf"{rows}{unknowns} = {column(number(float(value)) for value in right)}"


def _values(found: Equilibrium, part: Part, solved: bool) -> Iterator[tuple[str, str, str]]:
    """Yield the unknowns of a part: formula, meaning, and a mark where the motion alone does not determine it."""
    largest = max((abs(one.value) for one in found.unknowns), default=0.0)
    for k in part.unknowns:
        one = found.unknowns[k]
        shown = one.value if abs(one.value) > ROUNDING_OF_ONE * largest else 0.0
        value = number(shown) if solved else r"\ldots\ldots\ldots"
        formula = rf"{_name(one)} = {value}\,\text{{{one.unit}}}"
        yield formula, meaning(found, one), "" if one.unique else " *"


# --- the page and the document ------------------------------------------------------------------------------


def page(found: Equilibrium, *, solved: bool = True) -> str:
    """Return the worksheet as a page that opens from disk."""
    title = escape(_title(found))
    head = f"<meta charset='utf-8'><title>{title}</title><style>{_PAGE}</style>"
    return (
        f"<!doctype html><html lang='en'><head>{head}</head><body class='worksheet'>\n<h1>{title}</h1>\n"
        f"{contents(found, solved=solved)}\n</body></html>\n"
    )


def sheet_of(motion: Motion, at: int | str) -> dict[str, str]:
    """Return the worksheet of a motion at a sample or in its `HARDEST` pose, for a report, or why there is none.

    Raises `InputError` where there is no such sample, or it has no forces.
    """
    try:
        forces = forces_of(motion)
    except InputError as error:
        return {"failure": "; ".join(str(problem) for problem in error.problems)}
    if forces is None:
        return {"failure": "the mechanism has neither masses nor loads"}
    peak = hardest(forces)
    if peak is None:
        return {"failure": "no sample has forces"}
    return {"html": contents(forces.equilibrium(peak["sample"] if isinstance(at, str) else at))}


def contents(found: Equilibrium, *, solved: bool = True) -> str:
    """Return the worksheet without its title, in HTML for an element of the class "worksheet".

    One that is not `solved` has lines to write on in the place of equations and results.
    """
    from latex2mathml.converter import convert

    def formula(text: str) -> str:
        return "\n".join(map(convert, text.splitlines()))

    def heading(level: int, text: str) -> str:
        return f"<h{level}>{escape(text)}</h{level}>"

    parts = [f"<style>{STYLE}</style>", f"<p>{escape(_intro(found, solved))}</p>", heading(2, "Free bodies")]
    for body, figure in zip(found.bodies, plot_each_body(found), strict=True):
        name = heading(3, f"pin {pin}" if (pin := pin_of(body.name)) else body.name)
        known = "\n".join(convert(one) for one in known_of(found, body))
        lines = []
        for one in found.of_body[body.name]:
            both = f"{formula(symbolic(found, one))}<br>{formula(numeric(found, one))}" if solved else ""
            lines.append(f'<p class="{"" if solved else "blank"}">{formula(_SUMS[one.direction])}: {both}</p>')
        parts += ["<section>", _svg(figure), name, f'<div class="known">{known}</div>',
                  '<div class="equations">', *lines, "</div></section>"]  # fmt: skip
    parts.append(heading(2, "The system, group by group"))
    for k, part in enumerate(found.parts):
        parts.append(heading(3, f"{k + 1}. {_of_part(found, part)}"))
        if solved and (matrix := _matrix(found, part)):
            parts.append(f"<p>{convert(matrix)}</p>")
        rows = [f"<tr><td>{convert(value)}{mark}</td><td>{escape(words)}</td></tr>"
                for value, words, mark in _values(found, part, solved)]  # fmt: skip
        parts += ["<table>", *rows, "</table>"]
    return "\n".join(parts)


def document(found: Equilibrium, picture: str, *, solved: bool = True) -> str:
    """Return the worksheet as a LaTeX document that includes a picture of all free bodies."""
    lines = [
        r"\documentclass[a4paper]{article}", r"\usepackage[margin=20mm]{geometry}", r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}", r"\usepackage{amsmath,graphicx}", r"\setcounter{MaxMatrixCols}{20}",
        rf"\title{{{latex(_title(found))}}}", r"\date{}", r"\begin{document}", r"\maketitle",
        latex(_intro(found, solved)).replace("β", r"$\beta$"),
        r"\section*{Free bodies}", rf"\noindent\includegraphics[width=\linewidth]{{{picture}}}",
    ]  # fmt: skip
    for body in found.bodies:
        pin = pin_of(body.name)
        lines.append(rf"\subsection*{{{latex(f'pin {pin}' if pin else body.name)}}}")
        lines.append(rf"\noindent ${'$, $'.join(known_of(found, body))}$")
        rows = []
        for one in found.of_body[body.name]:
            both = rf"{_broken(symbolic(found, one))}\\ & {_broken(numeric(found, one))}" if solved else _LINE
            rows.append(rf"{_SUMS[one.direction]}:\quad & {both}")
        lines += [r"\begin{align*}", "\\\\[1ex]\n".join(rows), r"\end{align*}"]
    lines.append(r"\section*{The system, group by group}")
    for k, part in enumerate(found.parts):
        lines.append(rf"\subsection*{{{k + 1}. {latex(_of_part(found, part))}}}")
        if solved and (matrix := _matrix(found, part)):
            lines.append(rf"\resizebox{{\ifdim\width>\linewidth\linewidth\else\width\fi}}{{!}}{{${matrix}$}}")
        rows = [rf"\item ${value}$, {latex(words)}{mark}" for value, words, mark in _values(found, part, solved)]
        lines += [r"\begin{itemize}", *rows, r"\end{itemize}"]
    return "\n".join([*lines, r"\end{document}", ""])


def _broken(formula: str) -> str:
    """Return a formula that takes a new line of a LaTeX document after every few terms."""
    terms = formula.splitlines()
    return "\\\\ & \\quad ".join("\n".join(terms[k : k + PER_LINE]) for k in range(0, len(terms), PER_LINE))


def _intro(found: Equilibrium, solved: bool) -> str:
    still = "with inertia" if found.motion.lanes.x[1:].any() else "at rest"
    inclined = any(one.unit == "N" and one.part not in COMPONENTS for one in found.unknowns)
    return (
        f"Equilibrium of every link at {instant(found)}, {still}. Arrows show positive forces and moments; "
        "m g is the weight, L the resultant of all other loads. Moments are about the centre of mass, or about a point "
        "of a link without mass."
        + (" β is the angle of a force against the x axis, h its lever arm." if inclined else "")
        + ("" if solved else " Write down the equations of each link, and solve them in the order of the groups.")
    )


def _svg(figure: Figure) -> str:
    from matplotlib import rc_context

    text = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "worksheet"}):  # the same names each time
        figure.savefig(text, format="svg", metadata={"Date": None})
    return re.sub(r"^.*?(?=<svg)", "", text.getvalue(), count=1, flags=re.DOTALL)
