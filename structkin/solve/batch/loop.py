"""The compiled loop over a table of linkages: their cranks and dyads, each over all stations.

Its formulas are those of the groups, traced once; it is compiled once, not for each linkage.

The loop also certifies that no dyad passes a change point or a gap between two stations, by the rules of
`solve.change_points`: where a discriminant is not even, clearance decides, over the interval or over parts of it.
Linkages for which this proves nothing are doubtful, and solved one by one.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Sequence
from functools import cache
from types import ModuleType

from structkin.groups import RRR
from structkin.groups.kind import dot
from structkin.kernels import store
from structkin.kernels.symbols import Graph, Term
from structkin.kernels.tracing import COMPLEX, FLOAT, VECTOR, Signature, Trace, trace
from structkin.plan.plan import Register, Step
from structkin.plan.relations import Combine
from structkin.plan.status import Status
from structkin.track.tolerances import LIMIT

NAME = "Linkages"
#: An interval that clearance does not decide is divided into so many parts, and each part again, so often.
PARTS, DEPTH = 8, 4


@cache
def loop() -> ModuleType:
    """Return the module of the loop, compiled at its first call and kept."""
    if not store.is_stored(NAME, source(), "solve"):
        store.log.info("compiling the loop over linkages, once on this machine")
    return store.load(NAME, source())


def _traced(relation: RRR | Combine, of: Signature) -> Trace:
    found = trace(Step(relation, (Register(0),), (0,), 1, 0), of)
    assert found is not None
    return found


@cache
def source() -> str:
    """Return the source of the loop."""
    dyad = _traced(RRR(), Signature(RRR, None, VECTOR * 2 + FLOAT * 2, (2,)))
    crank = _traced(Combine(0j, (1j,)), Signature(Combine, (COMPLEX, (COMPLEX,)), VECTOR, (2,)))
    # Clearance has no derivatives and compares lengths: its own text is compiled.
    own = [f"{_JIT}\n{textwrap.dedent(inspect.getsource(text))}" for text in (dot, RRR.clearance)]
    parts = [_HEAD, *own]
    rows = _rows("o")
    parts += [f"{_JIT}\ndef crank({', '.join([*_rows('h', 1), *rows, *_constants(crank)])}):"]
    parts += _loop(crank.graph, [term for order in crank.orders for term in order], rows)
    inputs = [*_rows("h", 2), *rows, "discriminant", "mode", *_constants(dyad)]
    parts += [f"{_JIT}\ndef dyad({', '.join(inputs)}):"]
    parts += _loop(dyad.graph, [term for order in dyad.orders for term in order], rows, dyad.discriminant)
    names = {"inputs": ("one", "two"), "outputs": ("q",), "pin": ("pin",)}
    places = {name: _places("x", joints) for name, joints in names.items()}
    places |= {f"near_{name}": _places("near", joints) for name, joints in names.items()}
    circle = ", ".join(f"circle[{order}, {c}]" for order in range(3) for c in range(2))
    lost, gap = int(Status.OUT_OF_REACH), int(Status.UNCERTIFIED)
    numbers = {"lost": lost, "gap": gap, "limit": repr(LIMIT), "parts": PARTS, "depth": DEPTH}
    return "\n".join(parts) + _SOLVE.format(**places, **numbers, circle=circle)


def _places(array: str, joints: Sequence[str]) -> str:
    """Return the rows of joints in an array (3, b, joints, 2, n)."""
    return ", ".join(f"{array}[{order}, b, {joint}, {c}]" for order in range(3) for joint in joints for c in range(2))


def _rows(letter: str, operands: int = 0) -> list[str]:
    """Return the names of rows by order, operand and component; outputs have no operand."""
    if not operands:
        return [f"{letter}{order}_{c}_" for order in range(3) for c in range(2)]
    return [f"{letter}{order}_{j}_{c}_" for order in range(3) for j in range(operands) for c in range(2)]


def _constants(of: Trace) -> list[str]:
    return [f"c{k}" for k in range(of.constants)]


def _loop(graph: Graph, terms: Sequence[Term], rows: Sequence[str], discriminant: Term = None) -> Iterable[str]:
    """Yield a loop over lanes that stores terms in rows; the root is taken from the discriminant, which is stored."""
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


_JIT = '\n\n@njit(cache=True, nogil=True, error_model="numpy", inline="never")'

_HEAD = '''"""Written by structkin from the formulas of dyads and cranks, compiled once and then read from the cache."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy", inline="never")
def suspect(discriminant, steep):
    """Return in how many lanes the dyad does not close or is singular, and in how many intervals a zero may hide."""
    bad, open_, n = 0, 0, discriminant.size
    for i in range(n):
        bad += discriminant[i] <= LIMIT  # of a lane that is lost already it is not a number
    for i in range(n - 1):
        a, b = discriminant[i], discriminant[i + 1]
        open_ += (a >= 0.0) & (b >= 0.0) & ((a >= steep * b) | (b >= steep * a))
    return bad, open_


@njit(cache=True, nogil=True, error_model="numpy", inline="never")
def flag(discriminant, steep, flagged, flags, s):
    """Note the intervals in which a zero may hide: next to it, the discriminant is steep on one side at least."""
    last = -1
    for i in range(discriminant.size - 1):
        a, b = discriminant[i], discriminant[i + 1]
        if a >= 0.0 and b >= 0.0 and (a >= steep * b or b >= steep * a):
            for at in range(max(i - 1, last + 1), min(i + 2, discriminant.size - 1)):
                last = at
                if discriminant[at] >= 0.0 and discriminant[at + 1] >= 0.0:
                    flagged[flags, 0], flagged[flags, 1] = s, at
                    flags += 1
    return flags
'''.replace("LIMIT", repr(LIMIT))

_SOLVE = '''


@njit(cache=True, nogil=True, error_model="numpy", inline="never")
def decide(x, b, k, angles, speed, dyads, halves, flagged, flags, hull):
    """Decide in which flagged intervals (dyad, interval, 1 if clear) the modes of a dyad cannot meet, by clearance.

    The vector between the ends is taken as the cubic with its values and rates at both stations. It lies within the
    four corners of its Bezier polygon, and these are off a line by no more than its extent squared by its distance.
    `hull` (10, 4 flags) is scratch: the ends, the half squares, and how far the ends are off, at each corner.
    """
    for at in range(flags):
        s, i = flagged[at, 0], flagged[at, 1]
        one, two = dyads[k, s, 1], dyads[k, s, 2]
        third = (angles[i + 1] - angles[i]) / (3.0 * speed)
        c = 4 * at
        longest, shortest = 0.0, 0.0
        for axis in range(2):
            start = x[0, b, two, axis, i] - x[0, b, one, axis, i]
            end = x[0, b, two, axis, i + 1] - x[0, b, one, axis, i + 1]
            hull[axis, c : c + 4] = 0.0
            hull[2 + axis, c], hull[2 + axis, c + 3] = start, end
            hull[2 + axis, c + 1] = start + third * (x[1, b, two, axis, i] - x[1, b, one, axis, i])
            hull[2 + axis, c + 2] = end - third * (x[1, b, two, axis, i + 1] - x[1, b, one, axis, i + 1])
            widest = max(max(start, end), max(hull[2 + axis, c + 1], hull[2 + axis, c + 2]))
            least = min(min(start, end), min(hull[2 + axis, c + 1], hull[2 + axis, c + 2]))
            longest += (widest - least) * (widest - least)
            shortest += start * start
        hull[4, c : c + 4], hull[5, c : c + 4] = halves[k, s, 0], halves[k, s, 1]
        hull[6:10, c : c + 4] = 0.0
        hull[8, c : c + 4] = 0.5 * longest / sqrt(shortest)
    used = hull[:, : 4 * flags]
    short = clearance(None, (used[0:2], used[2:4], used[4], used[5]), (used[6:8], used[8:10], 0.0, 0.0))
    for at in range(flags):
        c = 4 * at
        flagged[at, 2] = short[c] > 0.0 and short[c + 1] > 0.0 and short[c + 2] > 0.0 and short[c + 3] > 0.0


@njit(cache=True, nogil=True, error_model="numpy", inline="never")
def is_near(x, b, one, two, i, half, apart, discriminant, flat):
    """Return whether a dyad lacks less than a length to close at a station, unless it passes a limit position there."""
    if discriminant[i] < -{limit} and 0 < i < discriminant.size - 1:
        before, after = discriminant[i - 1], discriminant[i + 1]
        if max(before, after) > 10.0 * flat and min(before, after) < -10.0 * flat:
            return False
    A, B = x[0, b, one, :, i : i + 1], x[0, b, two, :, i : i + 1]
    still = np.zeros((2, 1))
    return not clearance(None, (A, B, half[0], half[1]), (still, still, 0.0, 0.0))[0] < -apart


@njit(cache=True, nogil=True, error_model="numpy")
def search(k, s, start, end, dyads, counts, halves, flat, modes, points, fixed, motor, near, hull):
    """Return what is between two angles: 0 no zero of a dyad's discriminant, 1 a gap, 2 what is not decided."""
    size, joints = {parts} + 1, points.shape[1]
    waiting, flagged = np.empty(({parts} * ({depth} + 1), 3)), np.empty(({parts}, 3), np.int32)
    circle, angles, discriminant = np.zeros((3, 2, size)), np.empty(size), np.empty(size)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = start, end, 0.0
    count, tried, found, b = 1, 0, 0, 0
    for j in range(joints):
        if fixed[k, j]:
            near[0, 0, j, 0], near[0, 0, j, 1], near[1:, 0, j] = points[k, j, 0], points[k, j, 1], 0.0
    pivot, pin = motor[k, 0], motor[k, 1]
    while count:
        count -= 1
        tried += 1
        start, step, level = waiting[count, 0], (waiting[count, 1] - waiting[count, 0]) / {parts}, waiting[count, 2]
        if level > {depth} or tried > {parts} * {depth}:
            return 2
        for i in range(size):
            angles[i] = start + i * step
            circle[0, 0, i], circle[0, 1, i] = cos(angles[i]), sin(angles[i])
        circle[1, 0], circle[1, 1] = -circle[0, 1], circle[0, 0]
        crank({circle}, {near_pin}, points[k, pivot, 0], points[k, pivot, 1],
              points[k, pin, 0] - points[k, pivot, 0], points[k, pin, 1] - points[k, pivot, 1])
        for at in range(s + 1):
            q, one, two = dyads[k, at, 0], dyads[k, at, 1], dyads[k, at, 2]
            dyad({near_inputs}, {near_outputs}, discriminant, modes[k, at], halves[k, at, 0], halves[k, at, 1])
        flags = 0
        for i in range(size):
            if discriminant[i] < -flat[k, s]:
                found = 1
            elif discriminant[i] <= {limit}:
                return 2
            elif i and discriminant[i] > {limit} and discriminant[i - 1] > {limit}:
                flagged[flags, 0], flagged[flags, 1] = s, i - 1
                flags += 1
        if flags:
            decide(near, 0, k, angles, 1.0, dyads, halves, flagged, flags, hull)
        for at in range(flags):
            if not flagged[at, 2]:
                waiting[count, 0], waiting[count, 1] = angles[flagged[at, 1]], angles[flagged[at, 1] + 1]
                waiting[count, 2] = level + 1.0
                count += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def solve(x, status, doubtful, angles, speed, circle, first, low, high, dyads, counts, halves, flat, apart, modes, ways,
          points, fixed, motor, near, discriminant, flagged, hull, hull_near, steep, edge, guard):
    """Solve linkages from `low` to `high` into places from `first` on."""
    n, joints = circle.shape[2], points.shape[1]
    for k in range(low, high):
        b, flags = k - first, 0
        status[b] = 0
        doubtful[b] = False
        if ways[k] != 0:
            continue
        for j in range(joints):
            if fixed[k, j]:
                x[0, b, j, 0], x[0, b, j, 1] = points[k, j, 0], points[k, j, 1]
                x[1, b, j], x[2, b, j] = 0.0, 0.0
        pivot, pin = motor[k, 0], motor[k, 1]
        crank({circle}, {pin}, points[k, pivot, 0], points[k, pivot, 1], points[k, pin, 0] - points[k, pivot, 0],
              points[k, pin, 1] - points[k, pivot, 1])
        for s in range(counts[k]):
            q, one, two = dyads[k, s, 0], dyads[k, s, 1], dyads[k, s, 2]
            dyad({inputs}, {outputs}, discriminant, modes[k, s], halves[k, s, 0], halves[k, s, 1])
            bad, open_ = suspect(discriminant, steep)
            if bad:
                for i in range(n):
                    if discriminant[i] <= {limit}:
                        if discriminant[i] > -flat[k, s] and is_near(x, b, one, two, i, halves[k, s], apart[k],
                                                                     discriminant, flat[k, s]):
                            doubtful[b] = True
                        elif status[b, i] == 0:
                            status[b, i] = {lost}
            for i in range(edge):
                if -{limit} < discriminant[i] < guard or -{limit} < discriminant[n - 1 - i] < guard:
                    doubtful[b] = True
            if open_:
                flags = flag(discriminant, steep, flagged, flags, s)
        if flags and not doubtful[b]:
            decide(x, b, k, angles, speed, dyads, halves, flagged, flags, hull)
            for at in range(flags):
                if flagged[at, 2]:
                    continue
                s, i = flagged[at, 0], flagged[at, 1]
                found = search(k, s, angles[i], angles[i + 1], dyads, counts, halves, flat, modes, points, fixed, motor,
                               near, hull_near)
                if found == 2:
                    doubtful[b] = True
                    break
                if found == 1 and status[b, i + 1] == 0:
                    status[b, i + 1] = {gap}
'''
