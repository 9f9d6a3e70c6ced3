"""Kernels of general groups: Newton's method, the step along the tangent, and rates, over lanes side by side.

All arrays are (rows, n) and contiguous. The formulas are those of `group_rows`, written out for NumPy or for Numba as
those of the closed forms are, and kept in the same store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import Rows
from structkin.kinematics.kernels.calls import Calls
from structkin.kinematics.kernels.group_rows import Formulas, formulas
from structkin.kinematics.kernels.kernel import Kernel
from structkin.kinematics.kernels.symbols import Graph, Term

Floats = NDArray[np.float64]

#: More terms than this are slower than LAPACK's elimination; more than COMPILED take a minute to compile.
MOST, COMPILED = 6000, 1000
#: Steps of Newton's method on all lanes of a block; then only those that are not done yet go on.
TOGETHER = 2
#: Steps of Newton's method for lanes between two stations.
ITERATIONS = 6
#: Compilers give up to find out whether rows overlap where there are more pairs of them than this. Rows then go through
#: buffers of one width, which they know.
CHECKS, WIDTH = 170, 256

#: Smallest scaled singular value of a regular pose, and how much larger a triangle's diagonal may be than that.
SINGULAR, MARGIN = 1e-7, 1000.0

_HEAD = '''"""Written by structkin from the rows of a general group{more}."""

{imports}
'''
_NUMPY = "import numpy as np\nfrom numpy import add, divide, multiply, negative, sqrt, subtract"
_NUMBA = "from math import sqrt\n\nimport numpy as np\nfrom numba import njit"
DECORATOR = '@njit(cache=True, nogil=True, error_model="numpy")'
_ARGUMENTS = {"newton": "h, s, c, t, r", "ahead": "h, s, d, c, t", "rates": "h, s, d, e, c, v, w"}


@dataclass(frozen=True)
class GroupKernel:
    """The kernels of a group, and the constants of its own.

    Where the side is larger than `clear`, the smallest singular value is not near zero. `terms` is how many operations
    a step of Newton's method has.
    """

    kernel: Kernel
    constants: Floats
    clear: float
    terms: int

    def newton(self, h: Floats, s: Floats, iterations: int, *, numba: bool) -> tuple[Floats, Floats, Floats]:
        """Run Newton's method from poses s (4 links, n) at inputs h.

        Return the poses, the last step (n,) relative to the size, infinite where it failed, and the side (n,).
        """
        n = s.shape[1]
        found, found_rest = np.empty_like(s), np.empty((2, n))
        if not n:
            return found, found_rest[0], found_rest[1]
        going: Any = None
        for k in range(iterations):
            t, r = np.empty_like(s), np.empty((2, s.shape[1]))
            self.kernel.call("newton", h, s, self.constants, t, r, numba=numba)
            # Quadratic convergence: what is left after a step of 1e-8 is below rounding.
            left = r[0] >= 1e-16
            if going is None:
                found, found_rest = t, r
            else:
                found[:, going], found_rest[:, going] = t, r
            if k + 1 == iterations or not left.any():
                break
            s = t
            if k + 1 >= TOGETHER:
                place = np.flatnonzero(left)
                going = place if going is None else going[place]
                h, s = h[:, place], t[:, place]
        change = np.sqrt(found_rest[0])
        return found, np.where(np.isfinite(change), change, np.inf), found_rest[1]

    def between(
        self, h: Floats, u: Floats, count: NDArray[np.intp], cubics: Floats, size: float
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Close lanes from cubics (4, rows, intervals) between stations, by compiled code.

        `u` (n,) is how far each lane is in its interval, `count` (intervals,) how many there are in each. Return the
        poses, the last step and the side (n,), and how far they are from the cubics (n,).
        """
        t, r = np.empty((cubics.shape[1], len(u))), np.empty((3, len(u)))
        self.kernel.call("between", h, u, count, cubics, 1 / size, self.constants, t, r, numba=True)
        change = np.sqrt(r[0])
        return t, np.where(np.isfinite(change), change, np.inf), r[1], np.sqrt(r[2])

    def ahead(self, h: Floats, s: Floats, d: Floats, *, numba: bool) -> Floats:
        """Return poses moved along their tangents by changes d of the inputs."""
        t = np.empty_like(s)
        self.kernel.call("ahead", h, s, d, self.constants, t, numba=numba)
        return t

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats, *, numba: bool) -> tuple[Floats, Floats]:
        """Return first and second rates of poses by those of the inputs."""
        v, w = np.empty_like(s), np.empty_like(s)
        self.kernel.call("rates", h, s, d, e, self.constants, v, w, numba=numba)
        return v, w


@lru_cache(maxsize=256)
def group_kernel(rows: Rows, known: tuple[complex | float | None, ...]) -> GroupKernel | None:
    """Return the kernels of a group; `known` holds the constants among its inputs, None for those that move.

    None where it has no such formulas, or too many.
    """
    found = formulas(rows, known)
    if found is None:
        return None
    terms = len(found.graph.below(found.corrected))
    if terms > MOST:
        return None
    kernel = Kernel("Group", _source(found, numba=False), _source(found, numba=True))
    return GroupKernel(kernel, np.array(found.constants), MARGIN * SINGULAR, terms)


def _source(found: Formulas, *, numba: bool) -> str:
    results = {
        "newton": (("t", found.corrected), ("r", (found.change, found.side))),
        "ahead": (("t", found.ahead),),
        "rates": (("v", found.first), ("w", found.second)),
    }
    write = _loop if numba else _calls
    head = _HEAD.format(
        more=", compiled once and then read from the cache" if numba else "", imports=_NUMBA if numba else _NUMPY
    )
    lines = [head]
    if numba:
        lines += ["", *_between(found)]
    for name, outs in results.items():
        names = [f"{letter}{k}" for letter, terms in outs for k in range(len(terms))]
        terms = [term for _, part in outs for term in part]
        lines += ["", *write(name, found.graph, terms, names)]
    return "\n".join(lines) + "\n"


def _rows(names: Iterable[str]) -> list[str]:
    """Return the rows that loads and results stand for; those of constants are numbers."""
    return [f"    {name}_ = {name[0]}[{name[1:]}]" for name in names]


def _split(graph: Graph, terms: Sequence[Term]) -> tuple[list[str], list[str]]:
    loads = graph.loads(terms)
    constants = [f"    {name} = c[{name[1:]}]" for name in loads if name.startswith("c")]
    return [name for name in loads if not name.startswith("c")], constants


def _loop(name: str, graph: Graph, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
    loads, constants = _split(graph, terms)
    far = len(outs) * (len(loads) + len(outs)) > CHECKS
    body = [f"{load} = " + (f"x[{k * WIDTH} + i]" if far else f"{load}_[i]") for k, load in enumerate(loads)]
    body += graph.lines(terms)
    stores = [f"y[{k * WIDTH} + i]" for k in range(len(outs))] if far else [f"{out}_[i]" for out in outs]
    body += [f"{store} = {graph.name(term)}" for store, term in zip(stores, terms, strict=True)]
    head = [
        DECORATOR,
        f"def {name}({_ARGUMENTS[name]}):",
        *constants,
        *_rows(loads),
        *_rows(outs),
    ]

    def copied(line: str) -> tuple[str, str]:
        return "        for i in range(n):", "            " + line

    if not far:
        return [*head, f"    for i in range({outs[0]}_.size):", *("        " + line for line in body), ""]
    return [
        *head,
        f"    x, y = np.empty({len(loads) * WIDTH}), np.empty({len(outs) * WIDTH})",
        f"    for low in range(0, {outs[0]}_.size, {WIDTH}):",
        f"        n = min({WIDTH}, {outs[0]}_.size - low)",
        *(line for k, load in enumerate(loads) for line in copied(f"x[{k * WIDTH} + i] = {load}_[low + i]")),
        "        for i in range(n):",
        *("            " + line for line in body),
        *(line for k, out in enumerate(outs) for line in copied(f"{out}_[low + i] = y[{k * WIDTH} + i]")),
        "",
    ]


def _between(found: Formulas) -> list[str]:
    """Return the kernel that closes lanes from cubics `p` (4, rows, intervals) between stations.

    Lane after lane, `count` of them belong to an interval, and `u` is how far they are in it. `r` takes the square of
    the last step, the side, and the square of the way from the cubic.
    """
    graph, rows = found.graph, len(found.corrected)
    terms = [*found.corrected, found.change, found.side]
    loads, constants = _split(graph, terms)
    inputs, poses = [name for name in loads if name[0] == "h"], [name for name in loads if name[0] == "s"]
    body = [f"{name} = {name}_[at + i]" for name in inputs]
    body += [f"{name} = x[{int(name[1:]) * WIDTH} + i]" for name in poses]
    body += graph.lines(terms)
    body += [f"y[{k * WIDTH} + i] = {graph.name(term)}" for k, term in enumerate(terms)]
    rest = ["        for low in range(0, count[j], WIDTH):", "            n = min(WIDTH, count[j] - low)"]
    for k in range(rows):
        rest += [
            f"            a, b, c_, d = p[0, {k}, j], p[1, {k}, j], p[2, {k}, j], p[3, {k}, j]",
            "            for i in range(n):",
            f"                g[{k * WIDTH} + i] = ((d * u[at + i] + c_) * u[at + i] + b) * u[at + i] + a",
            f"                x[{k * WIDTH} + i] = g[{k * WIDTH} + i]",
        ]
    rest += [f"            for step in range({ITERATIONS}):", "                for i in range(n):"]
    rest += ["                    " + line for line in body]
    rest += [
        "                left = 0",
        "                for i in range(n):",
        f"                    left += not (y[{rows * WIDTH} + i] < 1e-16)",
        f"                if left == 0 or step == {ITERATIONS - 1}:",
        "                    break",
    ]
    for k in range(rows):
        rest += ["                for i in range(n):", f"                    x[{k * WIDTH} + i] = y[{k * WIDTH} + i]"]
    # The poses before the last step are needed no more: their first row takes the squares of the ways.
    rest += ["            for i in range(n):", "                x[i] = 0.0"]
    for k in range(rows):
        weight = " * weight" if k % 4 < 2 else ""
        rest += [
            "            for i in range(n):",
            f"                gap = (y[{k * WIDTH} + i] - g[{k * WIDTH} + i]){weight}",
            "                x[i] += gap * gap",
        ]
    results = [(f"t{k}_", "y", k) for k in range(rows)] + [("r0_", "y", rows), ("r1_", "y", rows + 1), ("r2_", "x", 0)]
    for out, buffer, k in results:
        rest += ["            for i in range(n):", f"                {out}[at + i] = {buffer}[{k * WIDTH} + i]"]
    return [
        DECORATOR,
        "def between(h, u, count, p, weight, c, t, r):",
        *constants,
        *_rows([*inputs, *(f"t{k}" for k in range(rows)), "r0", "r1", "r2"]),
        f"    x, y, g = np.empty({rows * WIDTH}), np.empty({(rows + 2) * WIDTH}), np.empty({rows * WIDTH})",
        "    at = 0",
        "    for j in range(count.size):",
        *(line.replace("WIDTH", str(WIDTH)) for line in rest),
        "            at += n",
        "",
    ]


def _calls(name: str, graph: Graph, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
    loads, constants = _split(graph, terms)
    calls = Calls(graph, [[(term, f"{out}_") for term, out in zip(terms, outs, strict=True)]])
    buffers = [f"    {''.join(f'b{k}, ' for k in range(calls.buffers))}= np.empty(({calls.buffers}, {outs[0]}_.size))"]
    return [
        f"def {name}({_ARGUMENTS[name]}):",
        *constants,
        *_rows(loads),
        *_rows(outs),
        *(buffers if calls.buffers else []),
        *("    " + line for line in calls.lines),
        "",
    ]
