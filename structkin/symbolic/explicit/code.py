"""Equations as Python and C: assignments in the order of the steps, common subexpressions computed once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.printing.c import C99CodePrinter
from sympy.printing.pycode import PythonCodePrinter

from structkin.model.harmless import plain, told_apart

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations_of_motion import Equations

#: outputs that are vectors
COLUMNS = ("h", "f", "Phi", "gamma")
Assignment = tuple[sp.Symbol, sp.Expr]

FUNCTIONS = (
    "acos", "asin", "atan", "atan2", "copysign", "cos", "cosh", "exp", "log", "nan", "pi", "sin", "sinh", "sqrt", "tan",
    "tanh",
)  # fmt: skip


class _Python(PythonCodePrinter):  # type: ignore[misc]  # SymPy has no types
    def __init__(self) -> None:
        super().__init__({"fully_qualified_modules": False})

    def _print_Float(self, expr: sp.Float) -> str:
        return repr(float(expr))


class _C(C99CodePrinter):  # type: ignore[misc]  # SymPy has no types
    def __init__(self) -> None:
        super().__init__({"precision": 17, "math_macros": {}})

    def _print_NumberSymbol(self, expr: Any) -> str:
        return repr(float(expr))

    def _print_Pow(self, expr: sp.Pow) -> str:
        base, power = expr.as_base_exp()
        if base.is_Symbol and power in (2, 3):
            return "*".join([self._print(base)] * int(power))
        return str(super()._print_Pow(expr))


def assignments(equations: Equations) -> tuple[list[tuple[str, list[Assignment]]], dict[str, sp.Matrix]]:
    """Return blocks of assignments, each with its body's name, and the matrices in terms of them.

    Steps already share what there is to share; equations that are written out get common subexpressions x0, x1, ...
    """
    blocks = [
        (body, [(symbol, value) for symbol, value, _ in group])
        for body, group in groupby(equations.steps, key=lambda step: step[2])
    ]
    outputs = equations.outputs
    if len(blocks) > len(equations.q):
        return blocks, outputs
    taken = {str(s) for m in outputs.values() for s in m.free_symbols} | {str(s) for s, _, _ in equations.steps}
    fresh = (sp.Symbol(f"x{n}", real=True) for n in range(10**6) if f"x{n}" not in taken)
    shared, reduced = sp.cse([sp.Matrix(m) for m in outputs.values()], symbols=fresh, order="none")
    blocks.append(("common subexpressions", shared))
    return [b for b in blocks if b[1]], dict(zip(outputs, reduced, strict=True))


def python(equations: Equations) -> str:
    """Return the text of a Python module with the function `equations`."""
    printer = _Python()
    blocks, outputs = assignments(equations)
    unknown = equations.q.rows
    words = told_apart((name for name, _ in blocks), plain)
    body = []
    for name, lines in blocks:
        body.append(f"    # {words[name]}")
        body += [f"    {symbol} = {printer.doprint(value)}" for symbol, value in lines]
    for name, matrix in outputs.items():
        body += _array(printer, name, matrix)
    text = "\n".join(body)
    used = [name for name in FUNCTIONS if re.search(rf"(?<![\w.]){name}\b", text)]
    imports = f"from math import {', '.join(used)}\n\n" if used else ""
    constants = "".join(f"    {name}: float = {p.value!r},\n" for name, p in equations.parameters.items())
    closed = ", with Phi(q) = 0 and W^T qdd = gamma" if equations.W.cols else ""
    return f'''"""Equations of motion of {plain(equations.name)}: {_form(equations)}{closed}.

q is {_coordinates(equations)}.
"""

{imports}import numpy as np


def equations(
    t: float,
    q: np.ndarray,
    qd: np.ndarray,
{"    *," + chr(10) if constants else ""}{constants}) -> tuple[np.ndarray, ...]:
    """Return {", ".join(f"{n} {_shape(n, m)}" for n, m in outputs.items())} at a time and state, in SI."""
    {_unpacked(equations.q, "q")}
    {_unpacked(equations.qd, "qd")}
{text}
    return {", ".join(outputs)}


def accelerations(t: float, q: np.ndarray, qd: np.ndarray, **parameters: float) -> np.ndarray:
    """Return qdd ({unknown},) at a time and state."""
{_solve(equations)}
'''


def _solve(equations: Equations) -> str:
    if not equations.W.cols:
        return "    M, h, f = equations(t, q, qd, **parameters)\n    return np.linalg.solve(M, f - h)"
    return """    M, h, f, W, Phi, gamma = equations(t, q, qd, **parameters)
    n, r = W.shape
    system = np.block([[M, -W], [W.T, np.zeros((r, r))]])
    return np.linalg.lstsq(system, np.concatenate([f - h, gamma]), rcond=None)[0][:n]"""


def _array(printer: _Python, name: str, matrix: sp.Matrix) -> Iterable[str]:
    """Return the lines of a NumPy array, one row or entry a line."""
    yield f"    {name} = np.array(["
    for i in range(matrix.rows):
        row = [printer.doprint(matrix[i, j]) for j in range(matrix.cols)]
        yield f"        {row[0]}," if name in COLUMNS else f"        [{', '.join(row)}],"
    yield "    ], dtype=float)"


def _unpacked(symbols: sp.Matrix, name: str) -> str:
    return f"{', '.join(map(str, symbols))}{',' if len(symbols) == 1 else ''} = {name}"


def c(equations: Equations) -> str:
    """Return the text of a C99 file with the function `equations`; matrices are stored row by row."""
    printer = _C()
    blocks, outputs = assignments(equations)
    lines = [f"const double {name} = p->{name};" for name in equations.parameters]
    for array, symbols in (("q", equations.q), ("qd", equations.qd)):
        lines += [f"const double {symbol} = {array}[{n}];" for n, symbol in enumerate(symbols)]
    words = told_apart([*(name for name, _ in blocks), *(p.meaning for p in equations.parameters.values())], plain)
    for name, assigned in blocks:
        lines.append(f"/* {words[name]} */")
        lines += [f"const double {symbol} = {_line(printer, value)};" for symbol, value in assigned]
    for name, matrix in outputs.items():
        lines += [f"{name}[{n}] = {_line(printer, value)};" for n, value in enumerate(matrix)]
    # A symbol that no expression needs is not worth a warning of the compiler.
    text = "\n".join(lines)
    idle = [s for s in ("t", *equations.parameters, *map(str, [*equations.q, *equations.qd])) if _idle(s, text)]
    lines += [f"(void){name};" for name in idle]
    if not equations.parameters:
        lines.append("(void)p;")
    members = "\n".join(
        f"    double {name}; /* {words[p.meaning]} [{p.unit}] */" for name, p in equations.parameters.items()
    )
    values = "\n".join(f"    .{name} = {p.value!r}," for name, p in equations.parameters.items())
    results = ", ".join(f"double *{name}" for name in outputs)
    return f"""/* Equations of motion of {plain(equations.name)}: {_form(equations)}.
   q is {_coordinates(equations)}. Matrices are stored row by row:
   {", ".join(f"{n} {_shape(n, m)}" for n, m in outputs.items())}. */
#include <math.h>

typedef struct {{
{members or "    double unused;"}
}} parameters;

const parameters defaults = {{
{values or "    .unused = 0.0,"}
}};

void equations(double t, const double *q, const double *qd, const parameters *p, {results})
{{
{chr(10).join("    " + line for line in lines)}
}}
"""


def _line(printer: _C, value: sp.Expr) -> str:
    return " ".join(str(printer.doprint(value)).split())


def _idle(name: str, text: str) -> bool:
    """Whether a name is defined but not used in the text of a function."""
    return len(re.findall(rf"(?<![\w>.]){re.escape(name)}\b", text)) < (1 if name == "t" else 2)


def _form(equations: Equations) -> str:
    return "M qdd + h = f + W lambda" if equations.W.cols else "M qdd + h = f"


def _shape(name: str, matrix: sp.Matrix) -> str:
    return f"({matrix.rows},)" if name in COLUMNS else f"({matrix.rows}, {matrix.cols})"


def _coordinates(equations: Equations) -> str:
    names = ", ".join(f"{s}" for s in equations.q)
    q, qd = (", ".join(map(repr, row)) for row in equations.start.tolist())
    return f"{names}; at time 0 it is {q}, and qd {qd}" if equations.start.any() else names
