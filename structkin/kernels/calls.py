"""The NumPy calls that compute terms over a block, with a buffer for each value while it is needed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from structkin.kernels.pairing import Pairing, Unit, row_of
from structkin.kernels.symbols import Graph, Symbol, Term

_CALLS = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}


@dataclass(frozen=True)
class _Place:
    """The name of a value's array, and of its rows."""

    whole: str
    rows: tuple[str, ...]
    is_buffer: bool = False

    @classmethod
    def vector(cls, name: str) -> _Place:
        return cls(f"{name}_p", (f"{name}_0_", f"{name}_1_"))


class Calls:
    """`stages` are the calls that leave the terms of each stage in the arrays of their names.

    `vectors` are names of arrays of two rows: `h_p` contains `h_0_` and `h_1_`. If both rows undergo the same
    operation, one call does it: with few lanes, calls dominate the time. For the same reason calls contain no number
    literals, which NumPy would convert to an array each time: `numbers` has arrays for them. Symbols computed from a
    step's constants (c0, c1, ...) alone are in `narrow`, to be computed first; `read` are those used by the calls.

    A block of lanes needs `buffers` of one row, `b0`, `b1`..., and `doubles` of two: `p0` has the rows `p0_0`, `p0_1`.

    >>> graph = Graph()
    >>> x, y, c = (graph.load(name) for name in ("h_0", "h_1", "c0"))
    >>> calls = Calls(graph, [[(2.0 * (x * x + y * y) + c * c, "out")]], {"h"})
    >>> calls.stages
    [['multiply(h_p, h_p, p0)', 'add(p0_0, p0_1, b0)', 'multiply(k2_0, b0, b0)', 'add(b0, t7, out)']]
    >>> graph.lines_of(calls.narrow), calls.read, calls.numbers
    (['t7 = c0 * c0'], {'t7'}, {'k2_0': '2.0'})
    """

    def __init__(
        self, graph: Graph, stages: Sequence[Sequence[tuple[Term, str]]], vectors: Collection[str] = ()
    ) -> None:
        """Write the calls."""
        self.buffers = self.doubles = 0
        self.stages: list[list[str]] = []
        self.read: set[str] = set()
        self.numbers: dict[str, str] = {}
        terms = [[term for term, _ in stage] for stage in stages]
        symbols = graph.below(term for stage in terms for term in stage)
        self._graph, self._wide = graph, _wide(symbols)
        self.narrow = [s for s in symbols if s.index not in self._wide and s.op != "load"]
        self._own = self._results(stages)
        self._pairing = Pairing([s for s in symbols if s.index in self._wide], self._own, vectors)
        self._places: dict[Unit, _Place] = {}
        self._free: dict[int, list[_Place]] = {1: [], 2: []}
        order = self._pairing.ordered(term for stage in terms for term in stage)
        self._last = {unit: at for at, reader in enumerate(order) for unit in self._operands(reader)}
        done = 0
        for k, stage in enumerate(stages):
            upto = len(self._pairing.ordered(term for before in terms[: k + 1] for term in before))
            lines = [line for at in range(done, upto) for line in self._compute(at, order[at])]
            copies = [(out, self._name(term)) for term, out in stage]
            self.stages.append(lines + [f"{out}[:] = {name}" for out, name in copies if name != out])
            done = upto

    @property
    def lines(self) -> list[str]:
        """All calls, preceded by the symbols of constants and numbers alone."""
        numbers = [f"{array} = np.array({number})" for array, number in self.numbers.items()]
        return numbers + self._graph.lines_of(self.narrow) + [line for stage in self.stages for line in stage]

    def _results(self, stages: Sequence[Sequence[tuple[Term, str]]]) -> dict[int, str]:
        """Return the arrays of results, by symbol, except for values read by a later stage, which may be changed."""
        own: dict[int, str] = {}
        later: set[int] = set()
        for stage in reversed(stages):
            for term, out in stage:
                if isinstance(term, Symbol) and term.index in self._wide - later and term.op != "load":
                    own.setdefault(term.index, out)
            later |= {s.index for s in self._graph.below(term for term, _ in stage)}
        return own

    def _operands(self, unit: Unit) -> set[Unit]:
        return {self._pairing.unit[index] for index in self._pairing.below(unit)}

    def _name(self, term: Term) -> str:
        """Return the name of the row or the number of a term."""
        if isinstance(term, Symbol) and term.index in self._wide:
            unit = self._pairing.unit[term.index]
            return self._places[unit].rows[unit.index(term.index)]
        name = self._graph.name(term)
        if isinstance(term, Symbol):
            self.read.add(name)
            return name
        array = "k" + re.sub(r"\W", "_", name.replace("-", "m"))
        self.numbers[array] = name
        return array

    def _compute(self, at: int, unit: Unit) -> list[str]:
        first = self._pairing.symbols[unit[0]]
        if first.op == "load":
            name = self._graph.name(first)
            self._places[unit] = _Place.vector(row_of(name)[0]) if len(unit) == 2 else _Place(f"{name}_", (f"{name}_",))
            return []
        names = [(self._whole if len(unit) == 2 else self._name)(a) for a in first.args]
        done = [below for below in self._operands(unit) if self._last[below] == at and self._places[below].is_buffer]
        # An operand that is no longer needed may be overwritten in place.
        for below in done:
            self._free[len(below)].append(self._places[below])
        out = self._places[unit] = self._result(unit)
        return [f"{_CALLS.get(first.op, first.op)}({', '.join([*names, out.whole])})"]

    def _whole(self, first: Symbol) -> str:
        """Return the name of the array of two rows whose first row is this term."""
        unit = self._pairing.unit[first.index]
        return (self._places[unit] if len(unit) == 2 else _Place.vector(row_of(self._own[first.index])[0])).whole

    def _result(self, unit: Unit) -> _Place:
        rows, own = len(unit), self._own.get(unit[0])
        if own is not None:
            return _Place(own, (own,)) if rows == 1 else _Place.vector(row_of(own)[0])
        if self._free[rows]:
            return self._free[rows].pop()
        if rows == 1:
            self.buffers += 1
            return _Place(name := f"b{self.buffers - 1}", (name,), is_buffer=True)
        self.doubles += 1
        return _Place(name := f"p{self.doubles - 1}", (f"{name}_0", f"{name}_1"), is_buffer=True)


def _wide(symbols: Sequence[Symbol]) -> set[int]:
    """Return which symbols vary over lanes: all that do not depend on a step's constants alone."""
    wide: set[int] = set()
    for s in symbols:
        below = any(isinstance(a, Symbol) and a.index in wide for a in s.args)
        if below or (s.op == "load" and not str(s.args[0]).startswith("c")):
            wide.add(s.index)
    return wide
