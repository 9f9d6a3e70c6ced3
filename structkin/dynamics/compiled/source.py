"""The text of the equations, once for all, and writing the module of each kind of step from its formulas.

Both run compiled, on flat arrays, and as plain Python, on lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from structkin.dynamics import load_formulas
from structkin.dynamics.compiled import curves_at, loads_at, memory, reduced_at, steps_at
from structkin.dynamics.compiled.lift_step import law_of, lift_step
from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.integrators import steps
from structkin.groups import Rows, Turn
from structkin.kernels import store
from structkin.kernels.group import MARGIN, MOST
from structkin.kernels.group_rows import Formulas, formulas
from structkin.kernels.store import Kernel
from structkin.kernels.symbols import rate
from structkin.kernels.text import WITHOUT_WRAPPERS, Text
from structkin.kernels.tracing import SCALAR, VECTOR, Signature, Trace, signature, trace
from structkin.model import formula_at
from structkin.numerical_tolerances import DETERMINED, SIMULATED_TURN, SINGULAR
from structkin.plan.plan import Plan, Register, Step

# --- the text ------------------------------------------------------------------------------------------------------

#: The arrays that a step works with.
ARRAYS = (
    "x, columns, moved, rows, constants = mem.x, mem.K, mem.moved, mem.rows[s], mem.constants[s]",
    "x0, x1, x2 = x[0], x[1], x[2]",
)


def memory_texts() -> Iterator[str]:
    """Yield the texts of the arrays that compiled code works on."""
    return (Path(memory.__file__).with_name(name).read_text(encoding="utf-8") for name in _MEMORY)


def _own() -> dict[str, Any]:
    """Return what compiled equations have in the place of what calls Python."""
    from structkin.dynamics.compiled.native_memory import run_step

    return {"run_step": run_step}


_MEMORY = ("memory.py", "native_memory.py")

#: The reduced equations, and what their steps share.
_PARTS = (load_formulas, formula_at, curves_at, loads_at, steps, reduced_at)
EQUATIONS = Text("equations", "equations of motion", _PARTS, _own, memory_texts, entries=True)
STEPS = Text("steps", "steps", (steps_at, curves_at), reads=memory_texts, entries=True)


@cache
def plain_equations() -> dict[str, Any]:
    """Return the functions of the equations as plain Python."""
    names = EQUATIONS.plain()
    names.update({"run_step": _run_step, "apply_functions": _apply_functions})
    for function in ("evaluate", "act", "form", "sum_up"):
        names[function] = _finite(names[function])
    return names


@cache
def compiled_equations() -> Mapping[str, Any]:
    """Return the compiled functions of the equations; they are compiled at the first call on this machine."""
    from structkin.dynamics.compiled.native_memory import Functions

    return Functions(EQUATIONS, Memory)


def _run_step(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
    done: int = mem.functions[s](mem, s, begin, end, dt)
    return done


def _apply_functions(mem: Any, t: float, load: Any) -> None:
    if mem.apply is not None:
        mem.apply(mem, t, load)


def _finite(function: Callable[..., bool]) -> Callable[..., bool]:
    """Return False where compiled code goes on with what is infinite or not a number, and ends likewise."""

    def run(*args: Any) -> bool:
        try:
            return function(*args)
        except (ArithmeticError, ValueError):
            return False

    return run


_STEP = '''"""Written by structkin from the formulas of {name}, compiled once and then read from the cache."""

from __future__ import annotations

from math import atan2, cos, exp, floor, inf, sin, sqrt

{imports}


{decorator}def formulas(mem, s, begin, end, dt):
'''

_PLAIN = """from structkin.dynamics.compiled.curves_at import between, curve_at, on_curve
from structkin.dynamics.compiled.steps_at import follow_root"""

#: What a compiled step has around it; a change to the text that it calls compiles it again.
_NATIVE = """from numba import cfunc, njit

from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.compiled.native_memory import memory_of
from structkin.dynamics.compiled.source import STEPS

memory = memory_of(Memory)
between, curve_at, follow_root, on_curve = (
    STEPS.compiled[name] for name in ("between", "curve_at", "follow_root", "on_curve")
)  # {digest}"""
_NJIT = f'@njit(cache=True, nogil=True, error_model="numpy", **{WITHOUT_WRAPPERS})\n'
_CFUNC = """

@cfunc("int64(CPointer(int64), CPointer(float64), int64, int64, int64, float64)", cache=True, error_model="numpy")
def step(integers, numbers, s, begin, end, dt):
    return formulas(memory(integers, numbers), s, begin, end, dt)
"""


@lru_cache(maxsize=512)
def plain_step(source: str) -> Callable[..., int]:
    """Return the function of a kind of step as plain Python."""
    function: Callable[..., int] = store.plain("step", source).formulas
    return function


def kind_of(plan: Plan, step: Step) -> tuple[Kernel, tuple[float, ...]] | None:
    """Return the kernel of a kind of step and its constants; None where its functions cannot be traced."""
    if not step.kind.closed_form:
        widths = tuple(plan.widths[item.index] for item in step.inputs if isinstance(item, Register))
        return _group(step.kind.rows, step.known, widths)
    if law := law_of(step):
        lines, numbers = lift_step(step, law)
        return _kernel("a cam's lift", (*ARRAYS, *lines)), numbers
    found = None if isinstance(step.kind, Turn) else signature(plan, step)
    kind = None if found is None else _closed_form(step, found[0])
    return None if kind is None or found is None else (kind, found[1])


@lru_cache(maxsize=256)
def _group(
    rows: Rows, known: tuple[complex | float | None, ...], widths: tuple[int, ...]
) -> tuple[Kernel, tuple[float, ...]] | None:
    found = formulas(rows, known, curves=True)
    if found is None or len(found.graph.below(found.corrected)) > MOST:
        return None
    return _kernel("a general group", group_lines(found, widths, MARGIN * SINGULAR)), found.constants


_closed_forms: dict[Signature, Kernel | None] = {}


def _closed_form(step: Step, of: Signature) -> Kernel | None:
    if of not in _closed_forms:
        found = trace(step, of)
        _closed_forms[of] = None if found is None else _kernel(of.relation.__name__, _Kind(of, found).lines())
    return _closed_forms[of]


def _kernel(name: str, body: Iterable[str]) -> Kernel:
    text = "".join(f"    {line}\n" for line in body)
    native = _STEP.format(name=name, imports=_NATIVE.format(digest=STEPS.digest), decorator=_NJIT)
    plain = _STEP.format(name=name, imports=_PLAIN, decorator="")
    return Kernel(f"dynamics_{name.rsplit(maxsplit=1)[-1]}", native + text + _CFUNC, plain + text)


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
            yield from (f"signed = mem.mode[s] * {name}", f"if not signed > {DETERMINED!r}:", "    return 0")
            yield "root = sqrt(signed)"
            return
        slope = rate(graph, discriminant, {f"h0_{one}": graph.load(f"h1_{one}") for one, _ in self._inputs()})
        yield from graph.lines([slope])
        yield from (f"root = follow_root(mem, s, {name}, {graph.name(slope)}, dt)", "if root == 0.0:", "    return 0")

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
    # Beyond a pose where it is singular, the determinant has the other sign: that is another branch.
    determinant = graph.name(found.determinant)
    yield from (f"if {determinant} * mem.roots[0][s] < 0.0:", "    return 0", f"mem.new_roots[0][s] = {determinant}")
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
