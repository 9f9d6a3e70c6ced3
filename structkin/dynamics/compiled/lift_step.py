"""The lift of a cam as code: a function of the angle between two directions, given by pieces or by a profile.

`source` writes steps from formulas; a lift also reads the pieces, which are packed like those of a curve.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from structkin.groups.cam import Lift, seen
from structkin.groups.profile_follower import STEPS, ProfileFollower
from structkin.kernels.symbols import Graph, rate, vector_of
from structkin.plan.plan import Step
from structkin.rows.jet import Jet
from structkin.rows.periodic import TURN, Follow, Piecewise
from structkin.types import Floats


class Pieces(NamedTuple):
    """Two functions with the same breaks, as those of a closed curve, and a table (n,), (n, 2)."""

    x: Piecewise
    y: Piecewise
    table: tuple[Floats, Floats]
    closed: bool = True


def law_of(step: Step) -> Follow | None:
    """Return the law by which a cam lifts its follower; None for other steps, and for functions of other kinds."""
    if not isinstance(step.kind, Lift):
        return None
    law = Follow(step.kind.function)
    while isinstance(inner := law.function, Follow):
        gain, shift = law.gain * inner.gain, law.shift + law.gain * inner.shift
        phase = inner.sense * law.phase + inner.phase
        law = Follow(inner.function, gain, shift, inner.sense * law.sense, phase)
    return law if isinstance(_pieces(law), Piecewise) else None


def _pieces(law: Follow) -> Any:
    return law.function.profile if isinstance(law.function, ProfileFollower) else law.function


def pieces_of(law: Follow) -> Pieces:
    """Return the function of a law and its derivative, with the contacts by the angle of a profile."""
    x: Piecewise = _pieces(law)
    powers = np.arange(x.polynomials.shape[1])
    a, w, p = x.waves.T
    slopes = np.roll(powers * x.polynomials, -1, axis=1)
    y = Piecewise(x.breaks, slopes, np.column_stack((a * w, w, p + 0.5 * np.pi)))
    angles, contacts = law.function.contacts if isinstance(law.function, ProfileFollower) else np.zeros((2, 1))
    return Pieces(x, y, (angles, np.column_stack((contacts, contacts))))


def lift_step(step: Step, law: Follow) -> tuple[list[str], tuple[float, ...]]:
    """Return the code of a step, and its constants."""
    graph, numbers = Graph(), [float(law.sense), law.phase, law.gain, law.shift]
    directions, slots = [], list[tuple[str, str]]()
    for j, known in enumerate(step.known):
        names = [f"h0_{j}_{c}" for c in range(2)]
        if known is None:
            slots += [(f"_{j}_{c}", f"r{j} + {c}") for c in range(2)]
        else:
            names = [f"c{len(numbers) + c}" for c in range(2)]
            numbers += [known.real, known.imag]
        directions.append(vector_of(*map(graph.load, names)))
    x, y = seen(*directions)
    square = x * x + y * y

    def turn(letter: str) -> Any:
        """Return the rate of the angle where the directions have rates of these names."""
        rates = {f"h0{name}": graph.load(letter + name) for name, _ in slots}
        return (x * rate(graph, y, rates) - y * rate(graph, x, rates)) / square

    first, along = turn("h1"), turn("v")
    pace = {f"h{order}{name}": graph.load(f"h{order + 1}{name}") for name, _ in slots for order in range(2)}
    second = rate(graph, first, pace)
    function = ["f0, _, f1, _, f2, _ = curve_at(mem, r3, angle)"]
    if isinstance(law.function, ProfileFollower):
        function = [*_profile(law.function, graph, numbers)]
    lines = [f"c{k} = constants[{k}]" for k in range(len(numbers))]
    lines += [f"r{j} = rows[{j}]" for j in range(4)]
    lines += [f"h{order}{name} = x{order}[{row}]" for order in range(3) for name, row in slots]
    lines += graph.lines([x, y, first, second])
    x, y, first, second = map(graph.name, (x, y, first, second))
    lines += [f"turned, turned2, angle = {first}, {second}, c0 * atan2({y}, {x}) + c1"]
    fixed, inner = graph.lines_around([along], [f"v{name}" for name, _ in slots])
    lines += [
        *fixed,
        *function,
        "slope = c2 * c0 * f1",
        "x0[r2] = c2 * f0 + c3",
        "x1[r2] = slope * turned",
        "x2[r2] = slope * turned2 + c2 * f2 * turned * turned",
        "for q in range(begin, end):",
        "    column = columns[moved[q]]",
        *(f"    v{name} = column[{row}]" for name, row in slots),
        *(f"    {line}" for line in inner),
        f"    column[r2] = slope * {graph.name(along)}",
        "return 1",
    ]
    return lines, tuple(numbers)


class _Place(NamedTuple):
    real: Any
    imag: Any


def _profile(follower: ProfileFollower, graph: Graph, numbers: list[float]) -> Iterator[str]:
    """Return the code of a follower's position by the angle, and two derivatives; add its constants to the numbers.

    The contact follows by Newton's method from a table, its derivatives from those of the equation.
    """
    R = [f"R{order}" for order in range(4)]

    def named(value: Any) -> Any:
        parts = [value.real, value.imag] if isinstance(value, complex) else [value]
        loads = [graph.load(f"c{len(numbers) + k}") for k in range(len(parts))]
        numbers.extend(parts)
        return _Place(*loads) if len(loads) == 2 else loads[0]

    changes: dict[str, Any] = {"profile": lambda u, order=0: graph.load(R[order]), "radius": named(follower.radius)}
    for name in ("centre", "shaft", "touch", "direction", "hinge", "normal"):
        place = getattr(follower, name)
        changes[name] = None if place is None else named(place)
    begin, near = map(named, follower.start)
    gap, place = (
        jet.parts[0] for jet in replace(follower, **changes).equation(Jet([graph.load("u")]), Jet([graph.load("a")]))
    )

    def along(term: Any, du: Any, da: float) -> Any:
        return rate(graph, term, {"u": du, "a": da, **{R[k]: graph.load(R[k + 1]) * du for k in range(3)}})

    slope = along(gap, 1.0, 0.0)
    moved = -(along(gap, 0.0, 1.0) / slope)
    first = along(place, moved, 1.0)
    second = along(first, moved, 1.0)
    read = "R0, R1, _, R2, _, R3 = curve_at(mem, r3, u)"
    yield f"a = angle - {TURN!r} * floor((angle - {graph.name(begin)}) / {TURN!r})"
    yield "u = between(mem, r3, a)"
    yield f"for step_ in range({STEPS}):"
    newton = [read, *graph.lines([gap, slope]), f"u = u - {graph.name(gap)} / {graph.name(slope)}"]
    yield from ("    " + line for line in newton)
    yield from (read, *graph.lines([place, first, second]))
    yield f"f0, f1, f2 = {', '.join(map(graph.name, (place, first, second)))}"
    if follower.hinge is not None:
        yield f"f0 = f0 - {TURN!r} * floor((f0 - {graph.name(near)}) / {TURN!r} + 0.5)"
