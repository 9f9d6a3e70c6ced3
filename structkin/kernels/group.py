"""The kernels of a general group: the formulas of `group_rows` for Numba, and plain for NumPy or single lanes.

Compiled, they are kept in the same store as those of the closed forms.

Arrays are (rows, n) and contiguous, except in `rates`, which reads and writes rows of the lanes `low` to `high` of the
whole array x[order, row, lane]: `inputs` are the rows of the inputs, `first` is the first row of the pose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import ModuleType

import numpy as np

from structkin.groups import Rows
from structkin.kernels.group_rows import Formulas, formulas
from structkin.kernels.store import Kernel, plain
from structkin.kernels.symbols import Graph, Term
from structkin.numerical_tolerances import BETWEEN, CLOSED, DEPARTURE, ITERATIONS, SINGULAR, TURN
from structkin.types import Floats

# --- sources -------------------------------------------------------------------------------------------------------

#: Compilers do not check whether rows overlap for more pairs than this. Rows are then copied through buffers of one
#: width, which do not overlap.
CHECKS, WIDTH = 170, 256
#: Padding after a row of such a buffer, a multiple of the unrolled vector length.
SPARE = 32

_HEAD = '''"""Written by structkin from the rows of a general group{more}."""

{imports}
'''
_NUMBA = "from math import sqrt\n\nimport numpy as np\nfrom numba import njit"
DECORATOR = '@njit(cache=True, nogil=True, error_model="numpy")'
_ARGUMENTS = {
    "newton": "h, s, c, t, r",
    "ahead": "h, s, d, c, t",
    "rates": "x, inputs, first, low, high, c",
}
_IN_X = {
    "h": "x[0, inputs[{k}], low:high]",
    "d": "x[1, inputs[{k}], low:high]",
    "e": "x[2, inputs[{k}], low:high]",
    "s": "x[0, first + {k}, low:high]",
    "v": "x[1, first + {k}, low:high]",
    "w": "x[2, first + {k}, low:high]",
}
_OVER = "        for i in range(n):"
#: Names of the coefficients of a curve, by powers.
_POWERS = (("a", ""), ("a", "_"), ("b", ""), ("c", "_"), ("d", ""), ("e", ""))
_OWN = dict.fromkeys("hsdtr", "{letter}[{k}]")


def numba_source(found: Formulas) -> str:
    """Return the module of kernels for Numba."""
    lines = [_HEAD.format(more=", compiled once and then read from the cache", imports=_NUMBA)]
    lines += ["", *_between(found), "", DECORATOR, *_steps(found)]
    for name, outs, terms in _results(found):
        lines += ["", *_loop(name, found.graph, terms, outs)]
    return "\n".join(lines) + "\n"


def plain_source(found: Formulas, library: str) -> str:
    """Return the module of functions of numbers, with the square root of `math`, or of arrays (n,), with NumPy's.

    For few lanes plain Python is faster than NumPy.
    """
    graph = found.graph
    lines = [_HEAD.format(more=f", for {library}", imports=f"from {library} import sqrt"), "", *_steps(found)]
    for name, letters, terms in (
        ("newton", "hs", [*found.corrected, found.change, found.determinant]),
        ("ahead", "hsd", found.ahead),
        ("rates", "hsde", [*found.first, *found.second]),
    ):
        lines += ["", f"def {name}({', '.join(letters)}, c):"]
        lines += [f"    {load} = {load[0]}[{load[1:]}]" for load in graph.loads(terms)]
        lines += _indented(graph.lines(terms) if library == "math" else graph.lines_of_arrays(terms))
        lines += [f"    return {', '.join(map(graph.name, terms))}"]
    return "\n".join(lines) + "\n"


def _results(found: Formulas) -> Iterable[tuple[str, list[str], list[Term]]]:
    """Yield the name, the results' names and their terms of the kernels."""
    kernels = {
        "newton": (("t", found.corrected), ("r", (found.change, found.determinant))),
        "ahead": (("t", found.ahead),),
        "rates": (("v", found.first), ("w", found.second)),
    }
    for name, outs in kernels.items():
        names = [f"{letter}{k}" for letter, terms in outs for k in range(len(terms))]
        yield name, names, [term for _, terms in outs for term in terms]


def _indented(lines: Iterable[str], depth: int = 1) -> list[str]:
    return ["    " * depth + line for line in lines]


def _rows(names: Iterable[str], places: Mapping[str, str] = _OWN) -> list[str]:
    """Return the assignments of the rows for loads and results."""
    return [f"    {name}_ = {places[name[0]].format(letter=name[0], k=name[1:])}" for name in names]


def _split(graph: Graph, terms: Sequence[Term]) -> tuple[list[str], list[str]]:
    """Return the names that are read from rows, and the lines that read constants."""
    loads = graph.loads(terms)
    constants = [f"    {name} = c[{name[1:]}]" for name in loads if name.startswith("c")]
    return [name for name in loads if not name.startswith("c")], constants


def _loop(name: str, graph: Graph, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
    """Return a kernel of Numba: one loop over the lanes."""
    loads, constants = _split(graph, terms)
    places = _IN_X if name == "rates" else _OWN
    far = len(outs) * (len(loads) + len(outs)) > CHECKS
    body = [f"{load} = " + (f"p[{k * WIDTH} + i]" if far else f"{load}_[i]") for k, load in enumerate(loads)]
    body += graph.lines(terms)
    stores = [f"q[{k * WIDTH} + i]" for k in range(len(outs))] if far else [f"{out}_[i]" for out in outs]
    body += [f"{store} = {graph.name(term)}" for store, term in zip(stores, terms, strict=True)]
    head = [
        DECORATOR,
        f"def {name}({_ARGUMENTS[name]}):",
        *constants,
        *_rows(loads, places),
        *_rows(outs, places),
    ]

    if not far:
        return [*head, f"    for i in range({outs[0]}_.size):", *_indented(body, 2), ""]
    return [
        *head,
        f"    p, q = np.empty({len(loads) * WIDTH}), np.empty({len(outs) * WIDTH})",
        f"    for at in range(0, {outs[0]}_.size, {WIDTH}):",
        f"        n = min({WIDTH}, {outs[0]}_.size - at)",
        *(
            line
            for k, load in enumerate(loads)
            for line in (_OVER, f"            p[{k * WIDTH} + i] = {load}_[at + i]")
        ),
        _OVER,
        *_indented(body, 3),
        *(line for k, out in enumerate(outs) for line in (_OVER, f"            {out}_[at + i] = q[{k * WIDTH} + i]")),
        "",
    ]


def _between(found: Formulas) -> list[str]:
    """Return the kernel that closes lanes from curves `p` (6, rows, intervals) between points.

    Lane after lane, `count` of them belong to an interval, which begins at `begin` on the `lengths` and is 1 /
    `inverse` long. The poses go into `t`; `r`, if it has room, takes the square of the last step, the determinant, and
    a bound of the square of the distance from the curve: the largest number of steps times the sum of their squares.
    `h` and `t` are rows. It returns how many lanes are not closed near their curves, and the least and the largest
    determinant.
    """
    graph, rows = found.graph, len(found.corrected)
    terms = [*found.corrected, found.change, found.determinant]
    loads, constants = _split(graph, terms)
    inputs = [name for name in loads if name[0] == "h"]

    def x(row: int) -> str:
        return f"x[{row * (WIDTH + SPARE)} + i]"

    change, determinant, far, along = range(rows, rows + 4)
    # The buffer takes the corrected poses in the places of those before.
    body = [f"{name} = {name}_[low + i]" for name in inputs]
    body += [f"{name} = {x(int(name[1:]))}" for name in loads if name[0] == "s"]
    body += graph.lines(terms)
    body += [f"{x(k)} = {graph.name(term)}" for k, term in enumerate(terms)]
    body += [f"{x(far)} += {graph.name(found.change)}"]
    # Slices have indices that begin with zero: those that may be negative take vectors apart.
    views = [
        f"v{k} = x[{k * (WIDTH + SPARE)} + done:{k * (WIDTH + SPARE)} + done + size]" for k in [*range(rows), along]
    ]
    curves = [f"u = (v{along}[i] - begin_) * inverse_"]
    curves += [f"g{k} = ((((e{k} * u + d{k}) * u + c{k}_) * u + b{k}) * u + a{k}_) * u + a{k}" for k in range(rows)]
    # Directions are brought near unit vectors, by a step of Newton's method for one over the root.
    for k in range(2, rows, 4):
        one, two = f"g{k}", f"g{k + 1}"
        curves += [f"u = 1.5 - 0.5 * ({one} * {one} + {two} * {two})", f"{one} *= u", f"{two} *= u"]
    curves += [f"v{k}[i] = g{k}" for k in range(rows)]
    powers = [f"{name}{k}{more} = p[{q}, {k}, j]" for k in range(rows) for q, (name, more) in enumerate(_POWERS)]
    stores = [*((f"t{k}", k) for k in range(rows))], [("r0", change), ("r1", determinant), ("r2", far)]

    return [
        DECORATOR,
        "def between(h, lengths, count, begin, inverse, p, c, t, r):",
        *constants,
        *_rows([*inputs, *(f"t{k}" for k in range(rows)), "r0", "r1", "r2"]),
        f"    x = np.empty({(rows + 4) * (WIDTH + SPARE)})",
        "    j, left, bad = 0, count[0], 0",
        "    least0 = least1 = least2 = least3 = np.inf",
        "    most0 = most1 = most2 = most3 = -np.inf",
        f"    for low in range(0, lengths.size, {WIDTH}):",
        f"        n, done = min({WIDTH}, lengths.size - low), 0",
        "        for i in range(n):",
        f"            {x(along)} = lengths[low + i]",
        "        while done < n:",
        "            while left == 0:",
        "                j += 1",
        "                left = count[j]",
        "            part = min(left, n - done)",
        "            begin_, inverse_ = begin[j], inverse[j]",
        # A few lanes more than there are, which the next interval overwrites: whole vectors take no remainder.
        f"            size = (part + {SPARE - 1}) // {SPARE} * {SPARE}",
        *_indented([*powers, *views], 3),
        "            for i in range(size):",
        *_indented(curves, 4),
        "            done += part",
        "            left -= part",
        "        for i in range(n):",
        f"            {x(far)} = 0.0",
        f"        for step in range({ITERATIONS}):",
        "            for i in range(n):",
        *_indented(body, 4),
        "            open_ = 0",
        "            for i in range(n):",
        f"                open_ += not ({x(change)} < {CLOSED**2!r})",
        "            if open_ == 0:",
        "                break",
        *(line for name, k in stores[0] for line in (_OVER, f"            {name}_[low + i] = {x(k)}")),
        _OVER,
        f"            {x(far)} *= {ITERATIONS}.0",
        _OVER,
        f"            bad += not ({x(change)} < {CLOSED**2!r} and {x(far)} < {BETWEEN**2!r})",
        # Minima and maxima side by side: each waits for its own last comparison only.
        "        for i in range(0, n - 3, 4):",
        *(
            f"            {name}{k} = x[{determinant * (WIDTH + SPARE)} + i + {k}] "
            f"if x[{determinant * (WIDTH + SPARE)} + i + {k}] {sign} {name}{k} else {name}{k}"
            for k in range(4)
            for name, sign in (("least", "<"), ("most", ">"))
        ),
        "        for i in range(n - n % 4, n):",
        f"            least0, most0 = min(least0, {x(determinant)}), max(most0, {x(determinant)})",
        "        if r.shape[1]:",
        *(line for name, k in stores[1] for line in ("    " + _OVER, f"                {name}_[low + i] = {x(k)}")),
        "    return bad, min(least0, least1, least2, least3), max(most0, most1, most2, most3)",
        "",
    ]


def _steps(found: Formulas) -> list[str]:
    """Return the function that takes one lane through the inputs `h` from the pose in the first place of `t`.

    `t` and `determinants` take the poses and determinants, `start` is the sign of the first determinant; it stops
    behind a determinant that is not larger than `doubtful`, and before a pose that is not accepted. It returns how many
    places are filled.
    """
    graph, rows = found.graph, len(found.corrected)
    terms = [*found.corrected, found.change, found.determinant]
    loads, constants = _split(graph, [*terms, *found.ahead])
    moving = [int(name[1:]) for name in loads if name[0] == "h"]
    poses = range(rows)
    before, here = [f"h{k} = h{k}_[j - 1]" for k in moving], [f"h{k} = h{k}_[j]" for k in moving]
    changes = [f"{name} = h{name[1:]}_[j] - h{name[1:]}_[j - 1]" for name in loads if name[0] == "d"]
    tests: list[str] = []
    for k in range(0, rows, 4):
        apart = [f"(s{j} - g{j})" for j in range(k, k + 4)]
        turned = [f"(s{j} - t{j}_[j - 1])" for j in (k + 2, k + 3)]
        tests += [f"abs({gap}) * weight < {DEPARTURE!r}" for gap in apart[:2]]
        tests += [f"{apart[2]} * {apart[2]} + {apart[3]} * {apart[3]} < {DEPARTURE**2!r}"]
        tests += [f"{turned[0]} * {turned[0]} + {turned[1]} * {turned[1]} < {(TURN + DEPARTURE) ** 2!r}"]
    return [
        "def steps(h, start, weight, doubtful, c, t, determinants):",
        *constants,
        *_rows([*(f"h{k}" for k in moving), *(f"t{k}" for k in poses)]),
        "    for j in range(1, len(determinants)):",
        *_indented([*before, *changes, *(f"s{k} = t{k}_[j - 1]" for k in poses), *graph.lines(found.ahead)], 2),
        *_indented([f"g{k} = {graph.name(term)}" for k, term in enumerate(found.ahead)], 2),
        *_indented([*here, *(f"s{k} = g{k}" for k in poses)], 2),
        f"        for _ in range({ITERATIONS}):",
        *_indented(graph.lines(terms), 3),
        *_indented([f"s{k} = {graph.name(term)}" for k, term in enumerate(found.corrected)], 3),
        f"            if {graph.name(found.change)} < {CLOSED**2!r}:",
        "                break",
        f"        if not ({graph.name(found.change)} < {CLOSED**2!r} "
        f"and start * {graph.name(found.determinant)} > 0.0):",
        "            return j",
        f"        if not ({' and '.join(tests)}):",
        "            return j",
        *_indented([f"t{k}_[j] = s{k}" for k in poses], 2),
        f"        determinants[j] = {graph.name(found.determinant)}",
        f"        if not start * {graph.name(found.determinant)} > doubtful:",
        "            return j + 1",
        "    return len(determinants)",
        "",
    ]


# --- kernels -------------------------------------------------------------------------------------------------------

#: With more terms than this LAPACK's elimination is faster; more than COMPILED take a minute to compile.
MOST, COMPILED = 6000, 1000
#: How much larger the diagonal of a triangle may be than the smallest singular value.
MARGIN = 1000.0


@dataclass(frozen=True)
class GroupKernel:
    """The functions of a group, each kind written when it is first called; `terms` are the operations of a Newton step.

    If the determinant is larger than `regular_determinant`, the smallest singular value is not near zero.
    """

    formulas: Formulas
    terms: int
    regular_determinant = MARGIN * SINGULAR

    @cached_property
    def constants(self) -> Floats:
        """The constants that all functions take."""
        return np.array(self.formulas.constants)

    @cached_property
    def compiled(self) -> Kernel:
        """The functions as Numba compiles them."""
        return Kernel("Group", numba_source(self.formulas))

    @cached_property
    def numbers(self) -> ModuleType:
        """The functions of numbers, for single lanes."""
        return plain("Group", plain_source(self.formulas, "math"))

    @cached_property
    def arrays(self) -> ModuleType:
        """The functions of arrays (n,)."""
        return plain("Group", plain_source(self.formulas, "numpy"))


@lru_cache(maxsize=256)
def group_kernel(rows: Rows, known: tuple[complex | float | None, ...]) -> GroupKernel | None:
    """Return the kernels of a group; `known` holds the constants among its inputs, None for variable ones.

    Return None if it has no such formulas, or too many.
    """
    found = formulas(rows, known)
    terms = 0 if found is None else len(found.graph.below(found.corrected))
    return None if found is None or terms > MOST else GroupKernel(found, terms)
