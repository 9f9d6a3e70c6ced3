"""The compiled loop over a table of linkages: their cranks and dyads, each over all stations.

Its formulas are those of the groups, traced once; it is compiled once, not for each linkage. Linkages with guides
or rigid links have a loop of their own, so that nobody waits for formulas that are not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import Any

from structkin.groups import RRP, RRR, Rows
from structkin.kernels import store
from structkin.kernels.group_rows import Formulas, formulas
from structkin.kernels.symbols import Graph, Term
from structkin.kernels.text import WITHOUT_COUNTS, Text
from structkin.kernels.tracing import COMPLEX, FLOAT, VECTOR, Signature, Trace, trace
from structkin.plan.closing import half_square
from structkin.plan.plan import Register, Step
from structkin.plan.relations import Combine
from structkin.rows.affine import Affine
from structkin.rows.row import Row
from structkin.solve.batch import clear_at, loop_at, pose_at, triad_at, triad_path_at
from structkin.solve.batch.order import GUIDE


def _traced(relation: RRR | RRP | Combine, of: Signature) -> Trace:
    found = trace(Step(relation, (Register(0),), (0,), 1, 0), of)
    assert found is not None
    return found


#: The functions that `solve` calls for every dyad.
SHORT = {one.__name__ for one in (*(loop_at.run_of, loop_at.lose, loop_at.has_some, loop_at.judge, clear_at.suspect),
                                  *(clear_at.may_hide, clear_at.inherit, clear_at.is_rigid))}  # fmt: skip
#: The functions without accelerations.
AT_RATES = "_with_rates"


@cache
def _formulas(*, beyond_bars: bool) -> str:
    """Return the source of the cranks and dyads."""
    crank = _traced(Combine(0j, (1j,)), Signature(Combine, (COMPLEX, (COMPLEX,)), VECTOR, (2,)))
    parts = [_HEAD, _JIT, "def crank(circle, x, b, k, motor, points):"]
    parts += ["    pivot, pin = motor[k, 0], motor[k, 1]"]
    parts += [f"    c{c} = points[k, pivot, {c}]" for c in range(2)]
    parts += [f"    c{c + 2} = points[k, pin, {c}] - points[k, pivot, {c}]" for c in range(2)]
    parts += _loop(crank.graph, [term for order in crank.orders for term in order], "pin", ["circle[{order}, {c}, i]"])
    conditions = {}
    if beyond_bars:
        found = _traced(RRP(), Signature(RRP, None, VECTOR + FLOAT + COMPLEX * 2 + FLOAT, (2,)))
        parts += _dyad("slider", found, ("one",))
        conditions["slider"] = f"two == {GUIDE}"
    for name, (fixed, ends) in _TWO_BARS.items():
        found = _traced(RRR(), Signature(RRR, None, ends + FLOAT * 2, (2,)))
        parts += _dyad(name, found, ("one", "two"), fixed)
        conditions[name] = f"fixed[k, {fixed}]" if fixed else ""
    return "\n".join([*parts, *_choice(conditions), ""])


#: The functions of dyads of two bars: which end is fixed, so that there is less to read and to compute, and what both
#: ends are.
_TWO_BARS = {"bars_one": ("one", COMPLEX + VECTOR), "bars_two": ("two", VECTOR + COMPLEX), "bars": ("", VECTOR * 2)}
#: The arguments of all functions of dyads.
_ARGUMENTS = "x, b, one, two, q, discriminant, mode, constants, fixed, k, s, low, high"


def _dyad(name: str, found: Trace, ends: Sequence[str], fixed: str = "") -> Iterator[str]:
    """Yield the functions of a kind of dyad, with its accelerations and without; one of its ends may be fixed.

    The place of that is its first constant.
    """
    for more, orders in (("", found.orders), (AT_RATES, found.orders[:2])):
        yield from (_JIT, f"def {name}{more}({_ARGUMENTS}):")
        place_of = [f"x[0, b, {fixed}, {c}, low]" for c in range(2)] if fixed else []
        given = [*place_of, *(f"constants[k, s, {c}]" for c in range(found.constants - len(place_of)))]
        yield from (f"    c{c} = {value}" for c, value in enumerate(given))
        operands = [f"x[{{order}}, b, {joint}, {{c}}, i]" for joint in ends]
        place, *rates = orders
        # Apart they take a seventh less time: the processor works at more stations at once, and the compiler compares
        # fewer addresses before it takes several.
        yield from _loop(found.graph, place, "q", operands, discriminant=found.discriminant)
        yield from _loop(found.graph, [term for order in rates for term in order], "q", operands, given=place)


def _choice(conditions: Mapping[str, str]) -> Iterator[str]:
    """Yield the functions of all dyads: they call the first function whose condition holds, or that without one."""
    for more in ("", AT_RATES):
        yield from (_JIT, f"def dyad{more}({_ARGUMENTS}):")
        for name, condition in conditions.items():
            call = f"return {name}{more}({_ARGUMENTS})"
            yield f"    if {condition}:\n        {call}" if condition else f"    {call}"


#: Lengths of a triad's bars, where its second and third joint are from the first, and its size: all different.
_BARS, _ARMS, _SIZE = (3.0, 5.0, 7.0), (0j, 2.5 + 0j, 1.25 + 1.75j), 11.0


@cache
def triad_formulas() -> Formulas:
    """Return the formulas of a triad: one link on three bars, whose other ends are the inputs."""
    origin, direction = Affine.slot(0), Affine.slot(1)
    rows = [
        Row.half_square((origin + direction * arm if arm else origin) - Affine.slot(2 + j)).plus(-half_square(length))
        for j, (arm, length) in enumerate(zip(_ARMS, _BARS, strict=True))
    ]
    found = formulas(Rows(1, 3, tuple(rows), _BARS, (False,) * 3, size=_SIZE), (None,) * 3)
    assert found is not None
    return found


@cache
def triad_source() -> str:
    """Return the source of what `triad_at` does with one pose."""
    found = triad_formulas()
    jacobian = {f"J[{i}, {j}]": row.get(j, 0.0) for i, row in enumerate(found.jacobian) for j in range(3)}
    corrected = {f"y[0, {6 + k}]": term for k, term in enumerate(found.corrected)}
    both = (found.first, found.second)
    rates = {f"y[{1 + order}, {6 + k}]": term for order, terms in enumerate(both) for k, term in enumerate(terms)}
    parts = [_HEAD, *_pose("newton(y, c)", found.graph, corrected, (found.change, found.determinant))]
    parts += [*_pose("rates(y, c)", found.graph, rates), *_pose("slopes(y, c, J)", found.graph, jacobian)]
    return "\n".join([*parts, ""])


def _pose(head: str, graph: Graph, stored: Mapping[str, Term], returned: Sequence[Term] = ()) -> Iterator[str]:
    """Yield a function that computes terms of a pose y (3, 10) and constants c, and stores or returns them."""
    terms, places = [*stored.values(), *returned], {"h": "y[0, {}]", "d": "y[1, {}]", "e": "y[2, {}]", "c": "c[{}]"}
    yield from (_JIT, f"def {head}:")
    for name in dict.fromkeys(graph.loads(terms)):
        number = int(name[1:])
        yield f"    {name} = {f'y[0, {6 + number}]' if name[0] == 's' else places[name[0]].format(number)}"
    yield from (f"    {line}" for line in graph.lines(terms))
    yield from (f"    {place} = {graph.name(term)}" for place, term in stored.items())
    if returned:
        yield f"    return {', '.join(map(graph.name, returned))}"


def _text(*, beyond_bars: bool, triads: bool = False) -> Text:
    # Clearance has no derivatives and compares lengths: its own text is compiled.
    clearances: list[Any] = [RRR.clearance]
    if beyond_bars:
        guided = RRP.clearance
        clearances.append(FunctionType(guided.__code__, guided.__globals__, clear_at.clearance_of_guide.__name__))

    def own() -> dict[str, Any]:
        module = store.load("linkages", _formulas(beyond_bars=beyond_bars))
        found = {"crank": module.crank, "dyad": module.dyad, "BEYOND_BARS": beyond_bars}
        found["dyad_between"] = module.dyad if triads else vars(module)[f"dyad{AT_RATES}"]
        if triads:
            pose = store.load("triads", triad_source())
            found |= {"newton": pose.newton, "rates": pose.rates, "slopes": pose.slopes, "TRIADS": True}
        return found

    def sources() -> list[str]:
        return [_formulas(beyond_bars=beyond_bars), *([triad_source()] if triads else [])]

    parts = (clear_at, pose_at, loop_at, *([triad_at, triad_path_at] if triads else []), *clearances)
    return Text("linkages", "loop over linkages", parts, own, sources, counts=False, inlined=SHORT)


#: The loop for linkages of bars, that for linkages with guides and rigid links, and that for those with triads too.
LOOP, LOOP_BEYOND_BARS = _text(beyond_bars=False), _text(beyond_bars=True)
LOOP_WITH_TRIADS = _text(beyond_bars=True, triads=True)


def _loop(
    graph: Graph,
    terms: Sequence[Term],
    joint: str,
    operands: Sequence[str],
    *,
    discriminant: Term = None,
    given: Sequence[Term] = (),
) -> Iterator[str]:
    """Yield a loop over lanes that stores terms for a joint, behind those that are given.

    The root is that of the discriminant, which is stored.
    """
    wanted = [term for term in (discriminant, *terms) if term is not None]
    # Numba counts a negative place from the end, and then not several at once: these cannot be negative.
    yield "    for i in range(" + ("x.shape[4]):" if joint == "pin" else "uint64(low), uint64(high)):")
    places = [f"x[{k // 2}, b, {joint}, {k % 2}, i]" for k in range(len(given) + len(terms))]
    yield from (f"        {graph.name(term)} = {place}" for term, place in zip(given, places, strict=False))
    read = [graph.name(symbol) for symbol in graph.below(wanted, given) if symbol.op == "load"]
    for name in (name for name in read if not name.startswith("c") and name != "root"):
        order, j, c = (int(digit) for digit in name[1:].split("_"))
        yield f"        {name} = {operands[j].format(order=order, c=c)}"
    first = [] if discriminant is None else graph.below([discriminant])
    if discriminant is not None:
        yield from (f"        {line}" for line in graph.lines([discriminant]))
        yield f"        discriminant[i] = {graph.name(discriminant)}"
        yield f"        root = mode * sqrt({graph.name(discriminant)})"
    done = {symbol.index for symbol in first}
    rest = [symbol for symbol in graph.below(terms, given) if symbol.index not in done and symbol.op != "load"]
    yield from (f"        {line}" for line in graph.lines_of(rest))
    # Rates have no -0, as in `solve`.
    for k, term in enumerate(terms, len(given)):
        yield f"        {places[k]} = {graph.name(term)}{' + 0.0' if k > 1 else ''}"


_JIT = f'\n\n@njit(cache=True, nogil=True, error_model="numpy", **{WITHOUT_COUNTS})'

_HEAD = '''"""Written by structkin from the formulas of dyads and cranks, compiled once and then read from the cache."""

from __future__ import annotations

from math import cos, sin, sqrt

from numpy import uint64

from numba import njit'''
