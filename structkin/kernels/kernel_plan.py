"""A plan as run by kernels, written from traces: runs of steps that share a kernel, and the steps without one.

A kernel runs all steps of a run, one after the other, over the lanes from `low` to `high`. `rows[s]` holds the first
row of each input and output of step s (-1 for a constant), `constants[s]` its constants. For Numba the formulas are in
loops over the lanes; for NumPy they are calls on whole blocks, into reused buffers. Both do the same operations in the
same order, with identical results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.kernels.store import Kernel
from structkin.kernels.symbols import Term
from structkin.kernels.tracing import SCALAR, VECTOR, Signature, Trace, signature, trace
from structkin.numerical_tolerances import LIMIT
from structkin.plan.plan import Plan, Register, Step
from structkin.plan.status import Status, mark
from structkin.types import Floats, Ints

#: The arguments of the kernels for both engines.
SOLVE = "x, low, high, rows, constants, modes, lane_modes, at, groups, status, group, least, discriminant, root_"
COEFFICIENTS = "x, K, L, low, high, at, rows, constants, groups, status, group, singular"


def module_source(of: Signature, trace: Trace, *, compiled: bool) -> str:
    """Return the source of the module of a kind of step: `solve`, `place`, `first` and `both`.

    `solve` computes positions, velocities and accelerations, `place` positions alone; `first` the columns of K and
    `both` K and the lower half of L, into their lanes from `at` on.
    """
    return "\n".join((_Numba if compiled else _NumPy)(of, trace).module())


class _Writer:
    """What both engines share: which rows are read and written, in which order."""

    head: str
    decorator: Sequence[str] = ()

    def __init__(self, of: Signature, trace: Trace) -> None:
        self.of, self.trace, self.graph = of, trace, trace.graph

    def module(self) -> Iterable[str]:
        """Yield the lines of the module."""
        yield from self.head.format(name=self.of.relation.__name__).splitlines()
        yield from self._kernel("solve", SOLVE, self._solve_body(3))
        yield from self._kernel("place", SOLVE, self._solve_body(1))
        yield from self._kernel("first", COEFFICIENTS, self._first_body())
        yield from self._kernel("both", COEFFICIENTS, self._both_body())

    def _kernel(self, name: str, arguments: str, body: Sequence[str]) -> Iterable[str]:
        yield from ("", "", *self.decorator, f"def {name}({arguments}):", "    n = high - low")
        yield from _indented(self._steps(body))

    # --- position, velocity, acceleration -----------------------------------------------------------------

    def _solve_body(self, orders: int) -> list[str]:
        trace, outs = self.trace, [name for order in range(orders) for name in self._names(f"o{order}")]
        terms = [term for order in trace.orders[:orders] for term in order]
        body = [line for order in range(orders) for line in self._rows(f"x[{order}]", f"h{order}", inputs=True)]
        body += [line for order in range(orders) for line in self._rows(f"x[{order}]", f"o{order}", inputs=False)]
        if trace.discriminant is None:
            return body + self._formulas(terms, outs)
        width = sum(self.of.widths)
        sign = "modes[s] * " if trace.one_mode else ""
        return body + self._with_discriminant(sign, terms, outs) + self._without_pose(outs[:width], outs[width:])

    # --- K and L ------------------------------------------------------------------------------------------

    def _first_body(self) -> list[str]:
        body = [*self._pose(), "for a in range(K.shape[0]):"]
        inner = self._rows("K[a]", "v", inputs=True) + self._rows("K[a]", "o", inputs=False)
        inner += self._formulas(self.trace.first, self._names("o")) + self._blanks(self._names("o"))
        return body + _indented(inner)

    def _both_body(self) -> list[str]:
        pose = self._pose()
        outs = self._names("o") + self._names("p")
        inner = self._rows("K[a]", "v", inputs=True) + self._rows("L[a, a]", "h2", inputs=True)
        inner += self._rows("K[a]", "o", inputs=False) + self._rows("L[a, a]", "p", inputs=False)
        inner += self._formulas([*self.trace.first, *self.trace.square], outs) + self._blanks(outs)
        inner += self._rows("K[a]", "fv", inputs=False)
        mixed = self._rows("K[b]", "w", inputs=True) + self._rows("L[a, b]", "h2", inputs=True)
        mixed += self._rows("K[b]", "fw", inputs=False) + self._rows("L[a, b]", "p", inputs=False)
        mixed += self._formulas(self.trace.second, self._names("p")) + self._blanks(self._names("p"))
        inner += ["for b in range(a):", *_indented(mixed)]
        return [*pose, "for a in range(K.shape[0]):", *_indented(inner)]

    def _pose(self) -> list[str]:
        return self._rows("x[0]", "h0", inputs=True) + self._rows("x[0]", "f", inputs=False)

    # --- shared -------------------------------------------------------------------------------------------

    def _names(self, letter: str) -> list[str]:
        return [f"{letter}_{j}_{c}" for j, width in enumerate(self.of.widths) for c in range(width)]

    def _rows(self, array: str, letter: str, *, inputs: bool) -> list[str]:
        """Return the lines that define the rows of inputs or outputs as arrays over the block's lanes."""
        widths = {VECTOR: 2, SCALAR: 1}
        sizes = [widths.get(kind, 0) for kind in self.of.operands] if inputs else self.of.widths
        shift = 0 if inputs else len(self.of.operands)
        lanes = "low:high" if array.startswith("x") else "at:at + n"
        place = f"{array[:-1]}, {{}}, {lanes}]"
        return [line for j, size in enumerate(sizes) for line in self._operand(place, f"{letter}_{j}", shift + j, size)]

    def _steps(self, body: Sequence[str]) -> Iterable[str]:
        """Yield the loop over the steps around a body, and the lines before it."""
        raise NotImplementedError

    def _operand(self, place: str, name: str, column: int, size: int) -> Iterable[str]:
        """Yield the lines that name the rows of one operand; they replace the braces of `place`."""
        raise NotImplementedError

    def _with_discriminant(self, sign: str, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
        """Return the lines that compute discriminants and roots, mark lanes without a root, and store the terms."""
        raise NotImplementedError

    def _formulas(self, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
        """Return the lines that store each term in its output."""
        raise NotImplementedError

    def _without_pose(self, poses: Sequence[str], rates: Sequence[str]) -> list[str]:
        """Return the lines that blank the outputs of lanes without a pose, and the rates of singular lanes."""
        raise NotImplementedError

    def _blanks(self, outs: Sequence[str]) -> list[str]:
        """Return the lines that blank the coefficients of lanes in which the group is singular."""
        raise NotImplementedError


class _Numba(_Writer):
    """Loops over the lanes."""

    head = f'''"""Written by structkin from the formulas of {{name}}, compiled once and then read from the cache."""

from math import cos, exp, inf, nan, sin, sqrt

from numba import njit


@njit(nogil=True, error_model="numpy")
def mark(status, group, lane, outcome, at):
    known = status[lane]
    if known == {int(Status.OK)} or (known == {int(Status.SINGULAR)} and outcome != {int(Status.SINGULAR)}):
        status[lane] = outcome
        group[lane] = at
'''
    decorator = ('@njit(cache=True, nogil=True, error_model="numpy")',)

    def _steps(self, body: Sequence[str]) -> Iterable[str]:
        yield "for s in range(rows.shape[0]):"
        yield from _indented([f"c{k} = constants[s, {k}]" for k in range(self.trace.constants)])
        yield from _indented(body)

    def _operand(self, place: str, name: str, column: int, size: int) -> Iterable[str]:
        yield from (f"{name}_{c}_ = {place.format(f'rows[s, {column}] + {c}')}" for c in range(size))

    def _with_discriminant(self, sign: str, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
        discriminant = self.trace.discriminant
        lines = self._loop([discriminant], [f"discriminant[i] = {sign}{self.graph.name(discriminant)}"])
        lines += ["bad = 0", "low0 = low1 = low2 = low3 = inf"]
        lines += ["for i in range(n):", f"    bad += not (discriminant[i] > {LIMIT!r})"]
        # Four independent minima, so that comparisons do not wait for each other.
        lines += ["for i in range(0, n - 3, 4):"]
        lines += [f"    low{k} = discriminant[i + {k}] if discriminant[i + {k}] < low{k} else low{k}" for k in range(4)]
        lines += ["for i in range(n - n % 4, n):", "    low0 = discriminant[i] if discriminant[i] < low0 else low0"]
        lines += ["least[at + s] = min(least[at + s], low0, low1, low2, low3)"]
        lines += ["if lane_modes[s, 0] == 0:", *self._loop([], ["root_[i] = modes[s] * sqrt(discriminant[i])"], "    ")]
        lines += ["else:", *self._loop([], ["root_[i] = lane_modes[s, low + i] * sqrt(discriminant[i])"], "    ")]
        marks = [
            f"if discriminant[i] < {-LIMIT!r}:",
            f"    mark(status, group, low + i, {int(Status.OUT_OF_REACH)}, groups[s])",
            f"elif discriminant[i] <= {LIMIT!r}:",
            f"    mark(status, group, low + i, {int(Status.SINGULAR)}, groups[s])",
            "    if discriminant[i] < 0.0:",
            "        root_[i] = 0.0",
        ]
        return [*lines, "if bad:", *self._loop([], marks, "    "), *self._formulas(terms, outs)]

    def _formulas(self, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
        stores = [f"{name}_[i] = {self.graph.name(term)}" for name, term in zip(outs, terms, strict=True)]
        return self._loop(terms, stores)

    def _without_pose(self, poses: Sequence[str], rates: Sequence[str]) -> list[str]:
        lost = [f"if discriminant[i] < {-LIMIT!r}:", *_indented(f"{name}_[i] = nan" for name in poses)]
        singular = (
            [f"if discriminant[i] <= {LIMIT!r}:", *_indented(f"{name}_[i] = nan" for name in rates)] if rates else []
        )
        return ["if bad:", *self._loop([], lost + singular, "    ")]

    def _blanks(self, outs: Sequence[str]) -> list[str]:
        where = f"if status[low + i] == {int(Status.SINGULAR)} and group[low + i] == groups[s]:"
        return ["if singular:", *self._loop([], [where, *_indented(f"{name}_[i] = nan" for name in outs)], "    ")]

    def _loop(self, terms: Sequence[Term], tail: Sequence[str], discriminant: str = "") -> list[str]:
        """Return a loop over lanes that computes the terms and ends with these lines."""
        loads = [name for name in self.graph.loads(terms) if not name.startswith("c")]
        inner = [f"{name} = {name}_[i]" for name in loads] + self.graph.lines(terms) + list(tail)
        return [discriminant + line for line in ("for i in range(n):", *_indented(inner))]


class _NumPy(_Writer):
    """The same formulas on whole blocks of lanes: a row is read where a formula names it, and stored where it ends."""

    head = '''"""Written by structkin from the formulas of {name}."""

from numpy import cos, exp, minimum, nan, sin, sqrt

from structkin.kernels.kernel_plan import ill_conditioned
'''

    def __init__(self, of: Signature, trace: Trace) -> None:
        super().__init__(of, trace)
        self._places: dict[str, str] = {}

    def _steps(self, body: Sequence[str]) -> Iterable[str]:
        yield "for s, (row, c) in enumerate(zip(rows.tolist(), constants.tolist(), strict=True)):"
        yield from _indented([f"c{k} = c[{k}]" for k in range(self.trace.constants)])
        yield from _indented(body)

    def _operand(self, place: str, name: str, column: int, size: int) -> Iterable[str]:
        for c in range(size):
            self._places[f"{name}_{c}"] = place.format(f"row[{column}] + {c}" if c else f"row[{column}]")
        return ()

    def _with_discriminant(self, sign: str, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
        return [
            *self._computed([self.trace.discriminant]),
            f"discriminant[:] = {sign}{self.graph.name(self.trace.discriminant)}",
            "low0 = minimum.reduce(discriminant)",
            f"bad = not low0 > {LIMIT!r}",
            "if bad:",
            "    low0 = ill_conditioned(discriminant, root_, status[low:high], group[low:high], groups[s])",
            "else:",
            "    sqrt(discriminant, root_)",
            "least[at + s] = min(least[at + s], low0)",
            "root = root_ * (lane_modes[s, low:high] if lane_modes[s, 0] != 0 else modes[s])",
            *self._formulas(terms, outs),
        ]

    def _formulas(self, terms: Sequence[Term], outs: Sequence[str]) -> list[str]:
        stores = zip(outs, terms, strict=True)
        return [*self._computed(terms), *(f"{self._places[out]} = {self.graph.name(term)}" for out, term in stores)]

    def _without_pose(self, poses: Sequence[str], rates: Sequence[str]) -> list[str]:
        lines = [f"where = discriminant < {-LIMIT!r}", *self._blanked(poses)]
        lines += [f"where = discriminant <= {LIMIT!r}", *self._blanked(rates)]
        return ["if bad:", *_indented(lines)]

    def _blanks(self, outs: Sequence[str]) -> list[str]:
        where = f"where = (status[low:high] == {int(Status.SINGULAR)}) & (group[low:high] == groups[s])"
        return ["if singular:", *_indented([where, *self._blanked(outs)])]

    def _blanked(self, outs: Sequence[str]) -> list[str]:
        return [f"{self._places[out]}[where] = nan" for out in outs]

    def _computed(self, terms: Sequence[Term]) -> list[str]:
        """Return the lines that read the rows of the terms, and compute them."""
        loads = [name for name in self.graph.loads(terms) if name in self._places]
        return [*(f"{name} = {self._places[name]}" for name in loads), *self.graph.lines_of_arrays(terms)]


def ill_conditioned(
    discriminant: Floats, root: Floats, status: NDArray[np.int8], group: NDArray[np.int32], at: int
) -> float:
    """Compute roots in a kernel of NumPy, mark lanes with bad discriminants, and return the least of these."""
    singular = (discriminant <= LIMIT) & (discriminant >= -LIMIT)
    np.sqrt(np.where(singular, np.maximum(discriminant, 0.0), discriminant), out=root)
    mark(status, group, singular, Status.SINGULAR, at)
    mark(status, group, discriminant < -LIMIT, Status.OUT_OF_REACH, at)
    return float(np.fmin.reduce(discriminant, initial=np.inf))


def _indented(lines: Iterable[str]) -> list[str]:
    return ["    " + line for line in lines]


_kernels: dict[Signature, Kernel | None] = {}


def kernel_of(step: Step, of: Signature) -> Kernel | None:
    """Return the kernel of a step; None if its functions cannot be traced."""
    if of not in _kernels:
        found = trace(step, of)
        sources = () if found is None else [module_source(of, found, compiled=compiled) for compiled in (True, False)]
        _kernels[of] = Kernel(of.relation.__name__, *sources) if sources else None
    return _kernels[of]


@dataclass(frozen=True)
class Run:
    """Neighbouring steps with one kernel: `first` is the first of them.

    `rows` (steps, operands) is the first row of each input and output, -1 for a constant; `constants` (steps, m).
    """

    kernel: Kernel
    first: int
    rows: Ints
    constants: Floats
    modes: Floats
    groups: NDArray[np.int32]

    def lane_modes(self, modes: Callable[[int], Any], n: int) -> tuple[Floats, NDArray[np.int8]]:
        """Return the mode of each step, and those of its lanes (steps, n), or zeros (steps, 1) if all are equal."""
        found = [modes(self.first + s) for s in range(len(self.modes))]
        if not any(isinstance(mode, np.ndarray) and mode.ndim for mode in found):
            return np.array(found, np.float64), np.zeros((len(found), 1), np.int8)
        # The sign of a kind with one mode is always that of the sketch.
        return self.modes, np.stack([np.broadcast_to(mode, n) for mode in found]).astype(np.int8)


@dataclass(frozen=True)
class KernelPlan:
    """The plan cut into stages.

    A stage is a list of runs and of indices of steps without a kernel, computed block by block, or the index of a step
    that proceeds from lane to lane.
    """

    plan: Plan

    @cached_property
    def stages(self) -> tuple[tuple[Run | int, ...] | int, ...]:
        """The stages; the first is always one of blocks."""
        stages: list[tuple[Run | int, ...] | int] = []
        items: list[Run | int] = []
        for item in self._items():
            if isinstance(item, int) and self.plan.steps[item].goes_from_lane_to_lane:
                stages += [tuple(items), item]
                items = []
            else:
                items.append(item)
        return (*stages, tuple(items))

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs."""
        blocks = (stage for stage in self.stages if not isinstance(stage, int))
        return tuple(item for stage in blocks for item in stage if isinstance(item, Run))

    @property
    def is_whole(self) -> bool:
        """Whether every step has a kernel."""
        return sum(len(run.modes) for run in self.runs) == len(self.plan.steps)

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that the plan needs."""
        return tuple(dict.fromkeys(run.kernel for run in self.runs))

    def _items(self) -> Iterator[Run | int]:
        pending: list[tuple[int, Kernel, tuple[float, ...]]] = []
        for index, step in enumerate(self.plan.steps):
            found = None if step.goes_from_lane_to_lane else signature(self.plan, step)
            kernel = None if found is None else kernel_of(step, found[0])
            if pending and (kernel is None or kernel != pending[0][1]):
                yield self._run(pending)
                pending = []
            if kernel is None or found is None:
                yield index
            else:
                pending.append((index, kernel, found[1]))
        if pending:
            yield self._run(pending)

    def _run(self, pending: list[tuple[int, Kernel, tuple[float, ...]]]) -> Run:
        steps = [self.plan.steps[index] for index, _, _ in pending]
        offsets = self.plan.offsets
        rows = [
            [offsets[x.index] if isinstance(x, Register) else -1 for x in step.inputs]
            + [offsets[k] for k in step.outputs]
            for step in steps
        ]
        return Run(
            pending[0][1],
            pending[0][0],
            np.array(rows, np.int64),
            np.array([constants for _, _, constants in pending], np.float64).reshape(len(pending), -1),
            np.array([step.mode for step in steps], np.float64),
            np.array([step.group for step in steps], np.int32),
        )


def kernel_plan_of(plan: Plan) -> KernelPlan:
    """Return the plan cut into runs of steps that share a kernel; it is kept with the plan."""
    found: KernelPlan = vars(plan).setdefault("kernel_plan", KernelPlan(plan))
    return found


@dataclass(frozen=True)
class Job:
    """A kernel plan, and whether its kernels are compiled."""

    kernel_plan: KernelPlan
    compiled: bool
