"""The symbols of masses, lengths and stiffnesses, with their values; numbers and laws of time as SymPy writes them.

Expressions are made tidy by a few cheap rules: `sympy.simplify` takes minutes and varies.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from structkin.errors import InputError, Problem
from structkin.model.expression import parse
from structkin.model.laws import ConstantSpeed, ExpressionLaw, ScaledLaw, TableLaw
from structkin.model.parts import Law
from structkin.model.tape import CONSTANTS
from structkin.numerical_tolerances import ROUNDING_OF_FEW

#: A float this near to a fraction of at most this denominator is that fraction.
NEAR, LARGEST_DENOMINATOR = 4e-16, 50
# Names that a symbol must not take: words of C and Python, and what the generated functions use themselves.
RESERVED = {"t", "q", "qd", "M", "h", "f", "W", "gamma", "Phi", "np", "p", "math", "pi"}


def spelled(text: str) -> str:
    """Return text without accents, and with Greek letters by their names; other letters stay.

    >>> spelled("Δφ of é")
    'Deltaphi of e'
    """
    letters = []
    for char in unicodedata.normalize("NFD", text):
        greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(char, ""))
        if greek:
            letters.append(greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize())
        elif not unicodedata.combining(char):
            letters.append(char)
    return "".join(letters)


@dataclass(frozen=True)
class Parameter:
    """A constant of the model: its symbol, value in SI, unit, and what it is."""

    symbol: sp.Symbol
    value: float
    unit: str
    meaning: str


class Symbols:
    """Gives every quantity a symbol of its own, readable and valid in Python and C; numbers instead if asked."""

    def __init__(self, numbers: bool) -> None:
        """Begin without symbols; with `numbers` every constant is its value."""
        self.numbers = numbers
        self.parameters: dict[str, Parameter] = {}
        self._taken: set[str] = set(RESERVED)

    def new(self, name: str, **assumptions: Any) -> sp.Symbol:
        """Return a symbol with a name like this that no other has.

        >>> symbols = Symbols(numbers=False)
        >>> symbols.new("m_left arm"), symbols.new("m_left-arm")
        (m_left_arm, m_left_arm_2)
        """
        base = re.sub(r"\W", "_", spelled(name), flags=re.ASCII)
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name)
        return sp.Symbol(name, real=True, **assumptions)

    def constant(self, name: str, value: float, unit: str, meaning: str, *, positive: bool = False) -> sp.Expr:
        """Return the symbol of a constant, 0 if it is 0; its value where numbers are asked for."""
        if value == 0:
            return sp.Integer(0)
        if self.numbers:
            return exact(value)
        symbol = self.new(name, **({"positive": True} if positive else {}))
        self.parameters[symbol.name] = Parameter(symbol, float(value), unit, meaning)
        return symbol


def exact(value: float) -> sp.Expr:
    """Return a number as a simple fraction or its square root if it is one to rounding, else as a float.

    >>> exact(0.5), exact(-(2**0.5) / 2), exact(9.81)
    (1/2, -sqrt(2)/2, 9.81000000000000)
    """
    value = float(value)
    fraction = _simple(value)
    if fraction is not None:
        return fraction
    square = _simple(value * value)
    return sp.Float(value) if square is None else sp.sqrt(square) * (1 if value > 0 else -1)


def exact_vector(values: Any) -> sp.Matrix:
    """Return a vector (3,) as a column of such numbers; parts far below the largest are rounding and count as 0."""
    size = max(abs(float(v)) for v in values)
    return sp.Matrix([exact(v) if abs(v) > ROUNDING_OF_FEW * size else 0 for v in map(float, values)])


def _simple(value: float) -> sp.Expr | None:
    fraction = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    if abs(float(fraction) - value) <= NEAR * abs(value):
        return sp.Rational(fraction.numerator, fraction.denominator)
    return None


# --- laws of time -----------------------------------------------------------------------------------------------------

t = sp.Symbol("t", real=True)

OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": sp.Abs, "min": sp.Min, "max": sp.Max}


def expression_of(law: Law, where: str) -> sp.Expr:
    """Return a law as an expression of t; `where` names it in the `InputError` for a law of an unknown kind.

    A table becomes the cubics of its spline, without a value outside its times.

    >>> from structkin.model.laws import ConstantSpeed
    >>> expression_of(ConstantSpeed(1.0, 0.5), "forces.push")
    t/2 + 1
    """
    match law:
        case ConstantSpeed(start=start, speed=speed):
            return exact(start) + exact(speed) * t
        case ScaledLaw(law=inner, factor=factor):
            return exact(factor) * expression_of(inner, where)
        case ExpressionLaw(expression=formula, scale=scale):
            return exact(scale) * _walk(parse(formula.text), where)
        case TableLaw():
            return _cubics(law)
        case _:
            hint = "use a number, a formula or a table"
            raise InputError([Problem(where, f"a law of the kind {type(law).__name__} has no formula", hint)])


def _walk(node: ast.expr, where: str) -> sp.Expr:
    match node:
        case ast.Constant(value=int() | float() as value):
            return sp.Integer(value) if isinstance(value, int) else exact(value)
        case ast.Name(id="t"):
            return t
        case ast.Name(id="pi"):
            return sp.pi
        case ast.Name(id=name):
            return sp.Float(CONSTANTS[name])
        case ast.UnaryOp(op=op, operand=operand):
            return -_walk(operand, where) if isinstance(op, ast.USub) else _walk(operand, where)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_walk(left, where), _walk(right, where))
        case ast.Call(func=ast.Name(id=name), args=args):
            function = FUNCTIONS.get(name) or getattr(sp, name, None)
            if function is not None:
                return function(*(_walk(a, where) for a in args))
    raise InputError([Problem(where, f"'{ast.unparse(node)}' has no SymPy form")])


def _cubics(law: TableLaw) -> sp.Expr:
    pieces: list[Any] = [(sp.nan, sp.Or(t < law.times[0], t > law.times[-1]))]
    for start, end, powers in zip(law.times, law.times[1:], law.pieces.c.T, strict=False):
        cubic = sum(sp.Float(float(c)) * (t - exact(start)) ** (3 - n) for n, c in enumerate(powers))
        pieces.append((cubic, t <= exact(end)))
    return sp.Piecewise(*pieces[:-1], (pieces[-1][0], True))


# --- expressions as a reader would write them -------------------------------------------------------------------------

#: operations above which an expression is not collected, and below which factors are factored
LONG, SHORT = 400, 30


def tidy(expression: sp.Expr) -> sp.Expr:
    """Return the expression with products multiplied out, cos^2 + sin^2 gathered, and like terms collected.

    >>> x, y, m = sp.symbols("x y m")
    >>> tidy(m * sp.cos(x) ** 2 + m * sp.sin(x) ** 2 + y * sp.cos(x) ** 2)
    m + y*cos(x)**2
    """
    expression = sp.expand(expression)
    for angle in sorted({a.args[0] for a in expression.atoms(sp.sin, sp.cos)}, key=sp.default_sort_key):
        sine, cosine = sp.sin(angle), sp.cos(angle)
        choices = [expression]
        for kept, gone in ((sine, cosine), (cosine, sine)):
            if expression.has(gone):
                choices.append(_replaced(expression, gone, 1 - kept**2))
        expression = min(choices, key=_size)
    return expression


def collected(expression: sp.Expr, rates: list[sp.Symbol]) -> sp.Expr:
    """Return a tidy expression with a common factor in front, or the terms of each product of rates together."""
    expression = tidy(expression)
    if not expression.is_Add:
        return expression
    candidates = [expression, sp.factor_terms(expression)]
    if _size(expression) <= LONG:
        candidates += [_by_function(expression), sp.factor_terms(_by_function(expression))]
        if rates and expression.is_polynomial(*rates):
            terms = sp.Poly(expression, *rates).terms()
            products = (sp.Mul(*(r**n for r, n in zip(rates, powers, strict=True))) for powers, _ in terms)
            candidates.append(sp.Add(*(p * _by_function(tidy(c)) for p, (_, c) in zip(products, terms, strict=True))))
    return min(candidates, key=lambda e: (_size(e), sp.default_sort_key(e)))


def _by_function(expression: sp.Expr) -> sp.Expr:
    """Return the terms of each sine and cosine together, their factors factored."""
    functions = sorted(expression.atoms(sp.sin, sp.cos), key=sp.default_sort_key)
    if not functions or not expression.is_Add:
        return sp.factor_terms(expression)
    parts = sp.collect(expression, functions, evaluate=False)
    return sp.Add(*(key * (sp.factor(c) if _size(c) < SHORT else sp.factor_terms(c)) for key, c in parts.items()))


def _replaced(expression: sp.Expr, gone: sp.Expr, square: sp.Expr) -> sp.Expr:
    """Return the expression with even powers of a function replaced by those of the other one."""
    terms = []
    for term in sp.Add.make_args(expression):
        power = sp.degree(term, gone) if term.has(gone) and term.is_polynomial(gone) else 0
        if power >= 2:
            terms.append(term / gone ** (power - power % 2) * square ** (power // 2))
        else:
            terms.append(term)
    return sp.expand(sp.Add(*terms))


def _size(expression: sp.Expr) -> int:
    return int(expression.count_ops())
