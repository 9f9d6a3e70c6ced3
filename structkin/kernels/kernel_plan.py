"""A plan as run by kernels: runs of steps that share a kernel, and the steps without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.kernels.kernel_source import module_source
from structkin.kernels.store import Kernel
from structkin.kernels.tracing import Signature, signature, trace
from structkin.plan.plan import Plan, Register, Step
from structkin.types import Floats, Ints

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
