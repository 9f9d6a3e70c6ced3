"""Writing the modules of the equations, once for all, and of the formulas of each kind of step.

Each is written twice from one text: to be compiled, on flat arrays, and as it stands for plain Python, on lists. Both
do the same operations in the same order, so that they give the same numbers to the last bit.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from structkin.dynamics import forces
from structkin.dynamics.compiled import (
    conditioning,
    curves_at,
    equations,
    laws_at,
    loads_at,
    masses_at,
    roots_at,
    runs,
    series_at,
    turns_at,
)
from structkin.dynamics.compiled.differentiate import derivative
from structkin.dynamics.compiled.memory import Arrays, Memory, flattened
from structkin.dynamics.compiled.roots_at import CLEAR
from structkin.dynamics.integrators import steps
from structkin.kernels.group_rows import Formulas
from structkin.kernels.tracing import SCALAR, VECTOR, Signature, Trace
from structkin.track.tolerances import SIMULATED_TURN

_EQUATIONS = '''"""The equations of motion, written by structkin, compiled once and then read from the cache."""

from __future__ import annotations

from math import acos, asin, atan, atan2, cos, cosh, exp, inf, isfinite, log, nan, pi, sin, sinh, sqrt, tan, tanh

import numpy as np
'''

#: The import by which the reduced equations call the steps of a plan.
_CALLING = "from structkin.dynamics.compiled.calling import call_step"

_STEP = '''"""Written by structkin from the formulas of {name}, compiled once and then read from the cache."""

from __future__ import annotations

from math import cos, exp, floor, inf, sin, sqrt
'''
_NUMBA = "from numba import carray, cfunc, njit"
_NJIT = '@njit(cache=True, nogil=True, error_model="numpy")'
_CFUNC = (
    '@cfunc("int64(CPointer(int64), CPointer(float64), int64, int64, int64, float64)", cache=True, error_model="numpy")'
)

#: The arrays that a step works with.
ARRAYS = (
    "x, columns, moved, rows, constants = mem.x, mem.K, mem.moved, mem.rows[s], mem.constants[s]",
    "x0, x1, x2 = x[0], x[1], x[2]",
)


#: The modules whose text makes up that of the equations.
_PARTS = (laws_at, turns_at, forces, loads_at, masses_at, series_at, conditioning, equations, steps, runs)

#: Functions of a module that the compiled module replaces by its own.
_OWN = {steps: ("rate",), forces: ("size_at", "turn_between", "choose")}

#: How plain Python runs a step.
_PLAIN = """
def run_step(mem, s, begin, end, dt):
    return mem.functions[s](mem, s, begin, end, dt)


def apply_functions(mem, t, load):
    if mem.apply is not None:
        mem.apply(mem, t, load)
"""


@cache
def equations_source() -> str:
    """Return the source of the module of the equations."""
    # The text of the import is part of the source, so that a change to it recompiles.
    text = Path(laws_at.__file__).with_name("calling.py").read_text(encoding="utf-8")
    return "\n".join([module_source(Memory, _PARTS, _CALLING), *(f"# {line}" for line in text.splitlines()), ""])


@cache
def plain_equations() -> dict[str, Any]:
    """Return the functions of the equations as plain Python."""
    text = "\n".join((module_source(None, _PARTS), _PLAIN))
    names = plain_module(text)
    for function in ("evaluate", "act", "form", "sum_up"):
        names[function] = _finite(names[function])
    return names


def plain_module(source: str) -> dict[str, Any]:
    """Return the names of a module of plain Python."""
    names: dict[str, Any] = {}
    exec(compile(source, "<equations of motion>", "exec"), names)
    return names


def _finite(function: Callable[..., bool]) -> Callable[..., bool]:
    """Return False where compiled code goes on with what is infinite or not a number, and ends likewise."""

    def run(*args: Any) -> bool:
        try:
            return function(*args)
        except (ArithmeticError, ValueError):
            return False

    return run


@lru_cache(maxsize=512)
def plain_step(source: str) -> Callable[..., int]:
    """Return the function of a kind of step as plain Python."""
    function: Callable[..., int] = plain_module(source)["formulas"]
    return function


def module_source(memory: type[Arrays] | None, parts: Sequence[Any], imports: str = "") -> str:
    """Return the source of a module made of the text of others, with the arrays of `memory`, or for plain Python."""
    lines = [_EQUATIONS, _NUMBA if memory else "", imports, *(line for module in parts for line in _constants(module))]
    for module in parts:
        lines += _texts(module, memory)
    return "\n".join([*lines, ""])


def step_source(of: Signature, trace: Trace) -> tuple[str, str]:
    """Return the sources of a kind of step, see `compiled_and_plain`."""
    return compiled_and_plain(of.relation.__name__, _Kind(of, trace).lines())


def group_source(found: Formulas, widths: Sequence[int], regular: float) -> tuple[str, str]:
    """Return the sources of a general group, see `compiled_and_plain`; `widths` are those of its moving inputs.

    It is regular where its determinant is larger than `regular`.
    """
    return compiled_and_plain("a general group", group_lines(found, widths, regular))


def compiled_and_plain(name: str, body: Iterable[str]) -> tuple[str, str]:
    """Return the source of a step's module to be compiled, and that for plain Python."""
    text = "\n".join(["def formulas(mem, s, begin, end, dt):", *("    " + line for line in body)])
    head = _STEP.format(name=name)
    parts = (roots_at, curves_at)
    shared = [line for module in parts for line in _constants(module)]
    compiled, plain = (
        "\n".join([*shared, *(line for module in parts for line in _texts(module, memory))])
        for memory in (Memory, None)
    )
    lines = [head, _NUMBA, compiled, "", "", _NJIT, flattened(text, Memory)]
    lines += ["", "", _CFUNC, "def step(integers, numbers, s, begin, end, dt):"]
    lines += ["    lengths = carray(integers, 2)"]
    lines += ["    I, D = carray(integers, lengths[0]), carray(numbers, lengths[1])"]
    lines += ["    return formulas(I, D, s, begin, end, dt)", ""]
    return "\n".join(lines), "\n".join((head, plain, "", "", text, ""))


def _constants(module: Any) -> Iterator[str]:
    return (f"{name} = {value!r}" for name, value in vars(module).items() if name.isupper())


def _texts(module: Any, memory: type[Arrays] | None) -> Iterator[str]:
    """Yield the functions of a module, to be compiled with the arrays of `memory`, or as they stand."""
    for name, one in vars(module).items():
        if inspect.isfunction(one) and one.__module__ == module.__name__ and name not in _OWN.get(module, ()):
            text = inspect.getsource(one)
            yield from ("", "", _NJIT, flattened(text, memory)) if memory else ("", "", text)


class _Kind:
    """The code of a kind of step for step s: pose, rates and columns of K.

    It returns 0 where it cannot decide.
    """

    def __init__(self, of: Signature, trace: Trace) -> None:
        self.of, self.trace, self.graph = of, trace, trace.graph

    def lines(self) -> Iterator[str]:
        trace, graph = self.trace, self.graph
        yield from ARRAYS
        yield from (f"c{k} = constants[{k}]" for k in range(trace.constants))
        yield from (f"r{j} = rows[{j}]" for j in range(len(self.of.operands) + len(self.of.widths)))
        for order in range(3):
            yield from (f"h{order}_{name} = x{order}[{row}]" for name, row in self._inputs())
        if trace.discriminant is not None:
            yield from self._root()
        yield from graph.lines([term for order in trace.orders for term in order])
        for order, terms in enumerate(trace.orders):
            for (_, row), term in zip(self._outputs(), terms, strict=True):
                yield f"x{order}[{row}] = {graph.name(term)}"
        for (name, _), term in zip(self._outputs(), trace.orders[0], strict=True):
            yield f"f_{name} = {graph.name(term)}"
        fixed, inner = graph.lines_around(trace.first, [f"v_{name}" for name, _ in self._inputs()])
        yield from fixed
        yield "for q in range(begin, end):"
        yield "    column = columns[moved[q]]"
        inner = [f"v_{name} = column[{row}]" for name, row in self._inputs()] + inner
        for (_, row), term in zip(self._outputs(), trace.first, strict=True):
            inner.append(f"column[{row}] = {graph.name(term)}")
        yield from ("    " + line for line in inner)
        yield "return 1"

    def _root(self) -> Iterator[str]:
        graph, discriminant = self.graph, self.trace.discriminant
        yield from graph.lines([discriminant])
        name = graph.name(discriminant)
        if self.trace.one_mode:
            yield from (f"signed = mem.mode[s] * {name}", f"if not signed > {CLEAR!r}:", "    return 0")
            yield "root = sqrt(signed)"
            return
        yield from (f"root = follow_root(mem, s, {name}, dt)", "if root == 0.0:", "    return 0")
        rate = derivative(graph, discriminant, {f"h0_{one}": graph.load(f"h1_{one}") for one, _ in self._inputs()})
        yield from graph.lines([rate])
        yield f"mem.new_roots[0][s], mem.new_roots[1][s] = root, 0.5 * {graph.name(rate)} / root"

    def _inputs(self) -> Iterator[tuple[str, str]]:
        for j, letter in enumerate(self.of.operands):
            for c in range({VECTOR: 2, SCALAR: 1}.get(letter, 0)):
                yield f"{j}_{c}", f"r{j} + {c}"

    def _outputs(self) -> Iterator[tuple[str, str]]:
        shift = len(self.of.operands)
        for j, width in enumerate(self.of.widths):
            for c in range(width):
                yield f"{j}_{c}", f"r{shift + j} + {c}"


#: Steps of Newton's method of a general group.
ITERATIONS = 10


def group_lines(found: Formulas, widths: Sequence[int], regular: float) -> Iterator[str]:
    """Yield the code of a general group: Newton's method from the last pose, then rates and columns of K."""
    graph, m = found.graph, len(found.first)
    inputs = [f"r{j} + {c}" for j, width in enumerate(widths) for c in range(width)]
    outputs = [f"r{len(widths) + k // 2} + {k % 2}" for k in range(m)]
    yield from ARRAYS
    yield "kept = mem.kept"
    yield from (f"c{k} = constants[{k}]" for k in range(len(found.constants)))
    yield from (f"r{j} = rows[{j}]" for j in range(len(widths) + m // 2))
    for letter, order in (("h", 0), ("d", 1), ("e", 2)):
        yield from (f"{letter}{k} = x{order}[{row}]" for k, row in enumerate(inputs))
    yield from (f"s{k} = kept[{row}]" for k, row in enumerate(outputs))
    curves = list[str]()
    for k, place in enumerate(found.places):
        yield from (f"g{k} = rows[{len(widths) + m // 2 + k}]", f"mem.new_feet[g{k}] = mem.feet[g{k}]")
        known = ", ".join(f"q{k}_{j}" for j in range(6))
        curves += [*graph.lines(place), f"{known} = on_curve(mem, g{k}, {', '.join(map(graph.name, place))})"]
    yield "done = False"
    yield f"for step_ in range({ITERATIONS}):"
    terms = [*found.corrected, found.change, found.determinant]
    inner = curves + graph.lines(terms)
    # After a step of 1e-8 the error is below rounding: the convergence is quadratic.
    inner += [f"if not abs({graph.name(found.determinant)}) > {regular!r}:", "    return 0"]
    inner += [f"done = {graph.name(found.change)} < 1e-16"]
    inner += [", ".join(f"s{k}" for k in range(m)) + " = " + ", ".join(map(graph.name, found.corrected))]
    inner += ["if done:", "    break"]
    yield from ("    " + line for line in inner)
    yield from ("if not done:", "    return 0")
    for k in range(2, m, 4):
        turned = (f"abs(s{j} - kept[{outputs[j]}]) < {SIMULATED_TURN}" for j in (k, k + 1))
        yield f"if not ({' and '.join(turned)}):"
        yield "    return 0"
    yield from (*curves, *graph.lines([*found.first, *found.second]))
    for k, row in enumerate(outputs):
        yield f"x0[{row}] = s{k}"
        yield f"x1[{row}] = {graph.name(found.first[k])}"
        yield f"x2[{row}] = {graph.name(found.second[k])}"
    _, inner = graph.lines_around(found.first, [f"d{k}" for k in range(len(inputs))])
    yield "for q in range(begin, end):"
    yield "    column = columns[moved[q]]"
    inner = [f"d{k} = column[{row}]" for k, row in enumerate(inputs)] + inner
    inner += [f"column[{row}] = {graph.name(term)}" for row, term in zip(outputs, found.first, strict=True)]
    yield from ("    " + line for line in inner)
    yield "return 1"
