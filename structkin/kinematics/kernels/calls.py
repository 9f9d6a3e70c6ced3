"""The calls of NumPy's functions that compute terms over a block, with a buffer for each value while it is needed."""

from __future__ import annotations

from collections.abc import Sequence

from structkin.kinematics.kernels.symbols import Graph, Symbol, Term

_CALLS = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}


class Calls:
    """`lines` store each term in the array of its name; `buffers` of one block's length are needed for it.

    With `ahead` what is made of constants alone is not computed among them, but by the lines `before`, for all steps at
    once: the calls read the item s of lists of the names `constants`, with "_" behind. Both these items and `numbers`
    (`number_name`) are to be arrays without dimensions: a call takes three times as long to get a number ready.

    >>> graph = Graph()
    >>> x, c = graph.load("x"), graph.load("c0")
    >>> Calls(graph, [(x + c * c) * x], ["out"]).lines
    ['t2 = c0 * c0', 'add(x_, t2, b0)', 'multiply(b0, x_, out)']
    >>> calls = Calls(graph, [2.0 * x + c * c], ["out"], ahead=True)
    >>> calls.lines, calls.before, calls.constants, calls.numbers
    (['multiply(k2_0, x_, b0)', 'add(b0, t2_[s], out)'], ['t2 = c0 * c0'], ['t2'], ['2.0'])
    """

    def __init__(self, graph: Graph, terms: Sequence[Term], outs: Sequence[str], *, ahead: bool = False) -> None:
        """Write the calls."""
        self.lines: list[str] = []
        self.before: list[str] = []
        self.constants: list[str] = []
        self.numbers: list[str] = []
        self.buffers = 0
        self._ahead = ahead
        self._graph, self._free = graph, list[str]()
        self._names: dict[int, str] = {}
        symbols = graph.below(terms)
        self._wide = self._arrays(symbols)
        self._last = {a.index: s.index for s in symbols for a in s.args if isinstance(a, Symbol)}
        own: dict[int, str] = {}
        for term, out in zip(terms, outs, strict=True):
            if isinstance(term, Symbol) and term.index in self._wide and term.op != "load":
                own.setdefault(term.index, out)
        for symbol in symbols:
            self._compute(symbol, own.get(symbol.index))
        for term, out in zip(terms, outs, strict=True):
            if not isinstance(term, Symbol) or own.get(term.index) != out:
                self.lines.append(f"{out}[:] = {self._name(term)}")

    @staticmethod
    def _arrays(symbols: Sequence[Symbol]) -> set[int]:
        """Return which symbols differ from lane to lane: all that are not made of a step's constants alone."""
        wide: set[int] = set()
        for s in symbols:
            below = any(isinstance(a, Symbol) and a.index in wide for a in s.args)
            if below or (s.op == "load" and not str(s.args[0]).startswith("c")):
                wide.add(s.index)
        return wide

    def _name(self, term: Term) -> str:
        """Return the name of an operand of a call."""
        if isinstance(term, Symbol) and (term.index in self._wide or not self._ahead):
            return self._names[term.index]
        name = self._graph.name(term)
        if not self._ahead:
            return name
        found = self.constants if isinstance(term, Symbol) else self.numbers
        if name not in found:
            found.append(name)
        return f"{name}_[s]" if isinstance(term, Symbol) else number_name(name)

    def _compute(self, symbol: Symbol, own: str | None) -> None:
        if symbol.op == "load":
            self._names[symbol.index] = self._graph.name(symbol) + ("_" if symbol.index in self._wide else "")
        elif symbol.index not in self._wide:
            self._names[symbol.index] = self._graph.name(symbol)
            (self.before if self._ahead else self.lines).extend(self._graph.lines_of([symbol]))
        else:
            names = [self._name(a) for a in symbol.args]
            done = [a for a in symbol.args if isinstance(a, Symbol) and self._last[a.index] == symbol.index]
            # An operand that is needed no more may be overwritten where it stands.
            self._free += {name for a in done if (name := self._name(a)).startswith("b")}
            out = own or self._buffer()
            self._names[symbol.index] = out
            self.lines.append(f"{_CALLS.get(symbol.op, symbol.op)}({', '.join([*names, out])})")

    def _buffer(self) -> str:
        if self._free:
            return self._free.pop()
        self.buffers += 1
        return f"b{self.buffers - 1}"


def number_name(number: str) -> str:
    """Return the name of the array that holds a number."""
    return "k" + number.replace(".", "_").replace("-", "m").replace("+", "p")
