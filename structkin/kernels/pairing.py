"""Which operations can share one call, because they do the same to both rows of arrays.

Formulas for points and vectors do most operations twice, for x and for y. Two operations form a pair, one operation on
arrays of two rows, if each of their operands is such a pair. (A common number or row would be possible, too; but NumPy
takes longer to broadcast it over two rows than for two calls.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from structkin.kernels.symbols import Symbol, Term

#: The index of one operation, or those of the two whose results are the rows of an array.
Unit = tuple[int, ...]


def row_of(name: str) -> tuple[str, int]:
    """Return the vector of a coordinate's name and its row; the row is -1 if the name is not that of a coordinate.

    >>> row_of("h0_1_0"), row_of("o0_2_1_"), row_of("discriminant")
    (('h0_1', 0), ('o0_2', 1), ('discriminant', -1))
    """
    head, _, row = name.rstrip("_").rpartition("_")
    return (head, int(row)) if row in ("0", "1") else (name, -1)


class Pairing:
    """The units of symbols that vary over lanes.

    `vectors` are names of arrays of two rows, which are read or, by symbol, written (`own`).

    >>> from structkin.kernels.symbols import Graph
    >>> graph = Graph()
    >>> x, y = graph.load("h_0"), graph.load("h_1")
    >>> square = x * x + y * y
    >>> Pairing(graph.below([square]), {}, {"h"}).ordered([square])
    [(0, 1), (2, 3), (4,)]
    """

    def __init__(self, symbols: Sequence[Symbol], own: Mapping[int, str], vectors: Collection[str]) -> None:
        """Find the pairs, from the operands upwards."""
        self.symbols = {s.index: s for s in symbols}
        self.unit: dict[int, Unit] = {index: (index,) for index in self.symbols}
        self._rows = {index: row_of(name) for index, name in own.items() if row_of(name)[0] in vectors}
        self._results = {place: index for index, place in self._rows.items()}
        loads = {row_of(str(s.args[0])): s.index for s in symbols if s.op == "load"}
        for vector in vectors:
            if (vector, 0) in loads and (vector, 1) in loads:
                self._join(loads[vector, 0], loads[vector, 1])
        waiting: dict[tuple[str, tuple[int, ...]], int] = {}
        for symbol in symbols:
            mates = [self._mate(a) for a in symbol.args] if symbol.op != "load" else []
            if len({row for _, row in mates}) != 1 or (row := mates[0][1]) < 0:
                continue
            other = waiting.pop((symbol.op, tuple(mate for mate, _ in mates)), None)
            if other is None or not self._join(*((symbol.index, other) if row == 0 else (other, symbol.index))):
                waiting[symbol.op, tuple(a.index for a in symbol.args)] = symbol.index

    def below(self, unit: Unit) -> list[int]:
        """Return the symbols of the operands of a unit."""
        operands = (a for index in unit for a in self.symbols[index].args if isinstance(a, Symbol))
        return [a.index for a in operands if a.index in self.symbols]

    def ordered(self, terms: Iterable[Term]) -> list[Unit]:
        """Return the units that terms need, each after its operands."""
        found = self._order(term.index for term in terms if isinstance(term, Symbol))
        assert found is not None, "pairs are only joined where an order is left"
        return found

    def _mate(self, term: Term) -> tuple[int, int]:
        """Return the other row of a term's array, and the row index of the term; -1 if it has none."""
        if isinstance(term, Symbol) and term.index in self.symbols:
            unit = self.unit[term.index]
            if len(unit) == 2:
                row = unit.index(term.index)
                return unit[1 - row], row
            # Rows of a result form a pair, even if they were computed one by one.
            vector, row = self._rows.get(term.index, ("", -1))
            if (vector, 1 - row) in self._results:
                return self._results[vector, 1 - row], row
        return -1, -1

    def _written_together(self, first: int, second: int) -> bool:
        """Return whether neither is a result, or both are the rows of one."""
        (one, row), (other, other_row) = (self._rows.get(index, ("", index)) for index in (first, second))
        return one == other and (not one or (row, other_row) == (0, 1))

    def _join(self, first: int, second: int) -> bool:
        """Join two symbols into a unit, if allowed and if an order of computation still exists."""
        if not self._written_together(first, second):
            return False
        self.unit[first] = self.unit[second] = (first, second)
        if self._order(self.symbols) is None:
            self.unit |= {first: (first,), second: (second,)}
        return len(self.unit[first]) == 2

    def _order(self, symbols: Iterable[int]) -> list[Unit] | None:
        """Return the units that symbols need, each after its operands; None if they depend on each other cyclically."""
        order: list[Unit] = []
        done: dict[Unit, bool] = {}
        waiting = [(index, False) for index in reversed(list(symbols)) if index in self.symbols]
        while waiting:
            index, left = waiting.pop()
            unit = self.unit[index]
            if left:
                done[unit] = True
                order.append(unit)
            elif unit not in done:
                done[unit] = False
                waiting.append((index, True))
                waiting += [(below, False) for below in reversed(self.below(unit))]
            elif not done[unit]:
                return None
        return order
