"""The compiled loop over a table of linkages: their cranks and dyads, each over all stations.

Its formulas are those of the groups, traced once; it is compiled once, not for each linkage. Linkages with guides
or rigid links have a loop of their own, so that nobody waits for formulas that are not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from types import FunctionType
from typing import Any

from structkin.groups import RRP, RRR
from structkin.groups.kind import cross, dot
from structkin.kernels import store
from structkin.kernels.symbols import Graph, Term
from structkin.kernels.text import Text
from structkin.kernels.tracing import COMPLEX, FLOAT, VECTOR, Signature, Trace, trace
from structkin.plan.plan import Register, Step
from structkin.plan.relations import Combine
from structkin.solve.batch import loop_at
from structkin.solve.batch.order import GUIDE


def _traced(relation: RRR | RRP | Combine, of: Signature) -> Trace:
    found = trace(Step(relation, (Register(0),), (0,), 1, 0), of)
    assert found is not None
    return found


@cache
def _formulas(*, beyond_bars: bool) -> str:
    """Return the source of the cranks and dyads."""
    crank = _traced(Combine(0j, (1j,)), Signature(Combine, (COMPLEX, (COMPLEX,)), VECTOR, (2,)))
    dyad = _traced(RRR(), Signature(RRR, None, VECTOR * 2 + FLOAT * 2, (2,)))
    parts = [_HEAD, _JIT, "def crank(circle, x, b, pivot, pin, points):"]
    parts += [f"    c{k} = points[pivot, {k}]" for k in range(2)]
    parts += [f"    c{k + 2} = points[pin, {k}] - points[pivot, {k}]" for k in range(2)]
    parts += _rows("h", ["circle[{order}, {c}]"])
    parts += _loop(crank.graph, [term for order in crank.orders for term in order], "pin")
    if not beyond_bars:
        return "\n".join([*parts, *_dyad("dyad", dyad, ("one", "two")), ""])
    slider = _traced(RRP(), Signature(RRP, None, VECTOR + FLOAT + COMPLEX * 2 + FLOAT, (2,)))
    parts += [*_dyad("bars", dyad, ("one", "two")), *_dyad("slider", slider, ("one",)), _JIT, _CHOICE]
    return "\n".join(parts)


def _dyad(name: str, found: Trace, ends: Sequence[str]) -> Iterator[str]:
    """Yield the function of a kind of dyad."""
    yield from (_JIT, f"def {name}(x, b, one, two, q, discriminant, mode, constants):")
    yield from (f"    c{k} = constants[{k}]" for k in range(found.constants))
    yield from _rows("h", [f"x[{{order}}, b, {joint}, {{c}}]" for joint in ends])
    yield from _loop(found.graph, [term for order in found.orders for term in order], "q", found.discriminant)


def _text(*, beyond_bars: bool) -> Text:
    # Clearance has no derivatives and compares lengths: its own text is compiled.
    clearances: list[Any] = [dot, RRR.clearance]
    if beyond_bars:
        own = RRP.clearance
        clearances += [cross, FunctionType(own.__code__, own.__globals__, loop_at.clearance_of_guide.__name__)]

    def formulas() -> dict[str, Any]:
        module = store.load("linkages", _formulas(beyond_bars=beyond_bars))
        return {"crank": module.crank, "dyad": module.dyad, "BEYOND_BARS": beyond_bars}

    return Text(
        "linkages", "loop over linkages", (loop_at, *clearances), formulas, lambda: [_formulas(beyond_bars=beyond_bars)]
    )


#: The loop for linkages of bars, and that for linkages with guides and rigid links.
LOOP, LOOP_BEYOND_BARS = _text(beyond_bars=False), _text(beyond_bars=True)


def _rows(letter: str, arrays: Sequence[str]) -> Iterator[str]:
    """Yield lines that name the rows of arrays by order, operand and component."""
    for order in range(3):
        for j, array in enumerate(arrays):
            yield from (f"    {letter}{order}_{j}_{c}_ = {array.format(order=order, c=c)}" for c in range(2))


def _loop(graph: Graph, terms: Sequence[Term], joint: str, discriminant: Term = None) -> Iterator[str]:
    """Yield a loop over lanes that stores terms in rows; the root is taken from the discriminant, which is stored."""
    rows = [f"o{k}_" for k in range(6)]
    yield from (f"    {row} = x[{k // 2}, b, {joint}, {k % 2}]" for k, row in enumerate(rows))
    wanted = [term for term in (discriminant, *terms) if term is not None]
    yield f"    for i in range({rows[0]}.size):"
    loads = [name for name in dict.fromkeys(graph.loads(wanted)) if not name.startswith("c") and name != "root"]
    yield from (f"        {name} = {name}_[i]" for name in loads)
    first = [] if discriminant is None else graph.below([discriminant])
    if discriminant is not None:
        yield from (f"        {line}" for line in graph.lines([discriminant]))
        yield f"        discriminant[i] = {graph.name(discriminant)}"
        yield f"        root = mode * sqrt({graph.name(discriminant)})"
    done = {symbol.index for symbol in first}
    rest = [symbol for symbol in graph.below(terms) if symbol.index not in done and symbol.op != "load"]
    yield from (f"        {line}" for line in graph.lines_of(rest))
    yield from (f"        {row}[i] = {graph.name(term)}" for row, term in zip(rows, terms, strict=True))


#: The dyads of linkages with guides: what is in place of a second end says which it is.
_CHOICE = f"""def dyad(x, b, one, two, q, discriminant, mode, constants):
    if two == {GUIDE}:
        slider(x, b, one, two, q, discriminant, mode, constants)
        x[1:, b, q] += 0.0  # as after `crank`
    else:
        bars(x, b, one, two, q, discriminant, mode, constants)
"""

_JIT = '\n\n@njit(cache=True, nogil=True, error_model="numpy")'

_HEAD = '''"""Written by structkin from the formulas of dyads and cranks, compiled once and then read from the cache."""

from __future__ import annotations

from math import cos, sin, sqrt

from numba import njit'''
