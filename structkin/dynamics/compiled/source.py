"""Writing the modules that are compiled: the equations once for all, and the formulas of each kind of step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from structkin.dynamics.compiled import equations, forces, laws_at, layout, runs, series_at
from structkin.dynamics.poses import STRAY
from structkin.kinematics.kernels.symbols import Graph, Symbol, Term
from structkin.kinematics.kernels.tracing import SCALAR, VECTOR, Signature, Trace
from structkin.kinematics.smoothing import GUARD

#: The margin of a group with one mode is larger, or `Reduced` looks at the pose.
CLEAR = 1e-6

_EQUATIONS = '''"""The equations of motion, written by structkin, compiled once and then read from the cache."""

from __future__ import annotations

from math import acos, asin, atan, atan2, cos, cosh, exp, inf, isfinite, log, nan, pi, sin, sinh, sqrt, tan, tanh

import numpy as np
from numba import njit

from structkin.dynamics.compiled.calling import call_step
'''

_STEP = '''"""Written by structkin from the formulas of {name}, compiled once and then read from the cache."""

from __future__ import annotations

from math import cos, exp, sin, sqrt

from numba import carray, cfunc, njit
'''
_NJIT = '@njit(cache=True, nogil=True, error_model="numpy")'
_CFUNC = (
    '@cfunc("int64(CPointer(int64), CPointer(float64), int64, int64, int64, float64)", cache=True, error_model="numpy")'
)


@cache
def equations_source() -> str:
    """Return the source of the module of the equations."""
    lines = [_EQUATIONS, *(line for module in (layout, series_at, equations, runs) for line in _constants(module))]
    for module in (layout, laws_at, forces, series_at, equations, runs):
        lines += _texts(module)
    # What it imports is part of it.
    calling = Path(layout.__file__).with_name("calling.py").read_text(encoding="utf-8")
    return "\n".join([*lines, "", *(f"# {line}" for line in calling.splitlines()), ""])


def step_source(of: Signature, trace: Trace) -> str:
    """Return the source of the module of a kind of step."""
    lines = [_STEP.format(name=of.relation.__name__), *_constants(layout), *_texts(layout)]
    lines += ["", "", _NJIT, "def formulas(I, D, s, begin, end, dt):"]
    lines += ["    " + line for line in _Kind(of, trace).lines()]
    lines += ["", "", _CFUNC, "def step(integers, numbers_, s, begin, end, dt):"]
    lines += [f"    last = {2 * layout.CONSTANTS - 2}", "    I = carray(integers, 2)"]
    lines += ["    I = carray(integers, I[last] + I[last + 1])", f"    last = {2 * layout.PARTS - 2}"]
    lines += ["    D = carray(numbers_, I[last] + I[last + 1])", "    return formulas(I, D, s, begin, end, dt)"]
    return "\n".join([*lines, ""])


def _constants(module: Any) -> Iterator[str]:
    return (f"{name} = {value!r}" for name, value in vars(module).items() if name.isupper())


def _texts(module: Any) -> Iterator[str]:
    """Yield the functions of a module, each to be compiled."""
    for one in vars(module).values():
        if inspect.isfunction(one) and one.__module__ == module.__name__:
            text = inspect.getsource(one).rstrip()
            yield from ("", "", _NJIT, text)


class _Kind:
    """What a kind of step does with step s: pose, rates and columns of K.

    It returns 0 where that is not clear.
    """

    def __init__(self, of: Signature, trace: Trace) -> None:
        self.of, self.trace, self.graph = of, trace, trace.graph

    def lines(self) -> Iterator[str]:
        trace, graph = self.trace, self.graph
        yield from ("x = numbers(I, D, X).reshape(3, -1)", "columns = numbers(I, D, K).reshape(-1, x.shape[1])")
        yield "moved, steps = ints(I, MOVED), I[2 * MODE + 1]"
        yield "rows, constants = ints(I, ROWS).reshape(steps, -1), numbers(I, D, CONSTANTS).reshape(steps, -1)"
        yield from (f"c{k} = constants[s, {k}]" for k in range(trace.constants))
        yield from (f"r{j} = rows[s, {j}]" for j in range(len(self.of.operands) + len(self.of.widths)))
        for order in range(3):
            yield from (f"h{order}_{name} = x[{order}, {row}]" for name, row in self._inputs())
        if trace.margin is not None:
            yield from self._root()
        yield from graph.lines([term for order in trace.orders for term in order])
        for order, terms in enumerate(trace.orders):
            for (_, row), term in zip(self._outputs(), terms, strict=True):
                yield f"x[{order}, {row}] = {graph.name(term)}"
        # What the columns have in common with the rates is computed once: the compiler sees that it is the same.
        for (name, _), term in zip(self._outputs(), trace.orders[0], strict=True):
            yield f"f_{name} = {graph.name(term)}"
        yield "for q in range(begin, end):"
        yield "    a = moved[q]"
        inner = [f"v_{name} = columns[a, {row}]" for name, row in self._inputs()] + graph.lines(trace.first)
        for (_, row), term in zip(self._outputs(), trace.first, strict=True):
            inner.append(f"columns[a, {row}] = {graph.name(term)}")
        yield from ("    " + line for line in inner)
        yield "return 1"

    def _root(self) -> Iterator[str]:
        graph, margin = self.graph, self.trace.margin
        yield from graph.lines([margin])
        name = graph.name(margin)
        if self.trace.one_mode:
            yield from (f"signed = ints(I, MODE)[s] * {name}", f"if not signed > {CLEAR!r}:", "    return 0")
            yield "root = sqrt(signed)"
            return
        yield from (f"if not {name} > {GUARD**2!r}:", "    return 0")
        yield "old, new = numbers(I, D, ROOTS).reshape(2, -1), numbers(I, D, NEW_ROOTS).reshape(2, -1)"
        # Its sign is where its slope leads, as in `structkin.dynamics.poses`: it changes next to a flat pose only.
        yield from ("last, expected, root = old[0, s], old[0, s] + old[1, s] * dt, sqrt(" + name + ")",)
        yield from ("if expected < 0.0:", "    root = -root")
        yield f"if root * last < 0.0 and (ints(I, SMOOTH)[0] == 0 or abs(last) > {2 * GUARD!r}):"
        yield "    return 0"
        yield f"if abs(root - expected) > 1e-9 + {STRAY!r} * max(abs(root) + abs(last), abs(expected - last)):"
        yield "    return 0"
        rate = derivative(graph, margin, {f"h0_{one}": graph.load(f"h1_{one}") for one, _ in self._inputs()})
        yield from graph.lines([rate])
        yield f"new[0, s], new[1, s] = root, 0.5 * {graph.name(rate)} / root"

    def _inputs(self) -> Iterator[tuple[str, str]]:
        for j, letter in enumerate(self.of.operands):
            for c in range({VECTOR: 2, SCALAR: 1}.get(letter, 0)):
                yield f"{j}_{c}", f"r{j} + {c}"

    def _outputs(self) -> Iterator[tuple[str, str]]:
        shift = len(self.of.operands)
        for j, width in enumerate(self.of.widths):
            for c in range(width):
                yield f"{j}_{c}", f"r{shift + j} + {c}"


_RULES: Mapping[str, Callable[..., Term]] = {
    "add": lambda a, b, da, db: da + db,
    "sub": lambda a, b, da, db: da - db,
    "mul": lambda a, b, da, db: da * b + a * db,
    "div": lambda a, b, da, db: (da - a / b * db) / b,
}


def derivative(graph: Graph, term: Term, rates: Mapping[str, Term]) -> Term:
    """Return the rate of an expression of values with these rates; those of others are zero.

    >>> import numpy as np
    >>> graph = Graph()
    >>> x = graph.load("x")
    >>> rate = derivative(graph, np.sqrt(x * x * x), {"x": graph.load("dx")})
    >>> values = {"x": 4.0, "dx": 2.0, "sqrt": np.sqrt}
    >>> exec("; ".join(graph.lines([rate])), values)
    >>> float(values[graph.name(rate)])
    6.0
    """
    found: dict[int, Term] = {}

    def of(one: Term) -> Term:
        return found[one.index] if isinstance(one, Symbol) else 0.0

    for symbol in graph.below([term]):
        args = symbol.args
        if symbol.op == "load":
            found[symbol.index] = rates.get(str(args[0]), 0.0)
        elif symbol.op in _RULES:
            da, db = of(args[0]), of(args[1])
            still = not isinstance(da, Symbol) and not isinstance(db, Symbol) and da == db == 0
            found[symbol.index] = 0.0 if still else _RULES[symbol.op](*args, da, db)
        else:
            found[symbol.index] = _slope(symbol, args[0]) * of(args[0]) if isinstance(of(args[0]), Symbol) else 0.0
    return of(term)


def _slope(symbol: Symbol, u: Term) -> Term:
    """Return the derivative of a function of one argument."""
    match symbol.op:
        case "neg":
            return -1.0
        case "sqrt":
            return 0.5 / symbol
        case "exp":
            return symbol
        case "sin":
            return u.cos()
        case "cos":
            return -u.sin()
    raise TypeError(f"no derivative of {symbol.op}")
