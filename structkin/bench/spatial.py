"""The pace of small steps in space (S3): body-steps a second, beside the bounds of arithmetic and memory here."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from structkin.bench.clock import fastest
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND, Body, SpatialModel
from structkin.spatial.elements import elements_of
from structkin.spatial.loop_arrays import Packed, pack, solids_of
from structkin.spatial.run import small_steps
from structkin.types import Floats

#: The step [s] and the bodies of the mechanisms; body-steps of a run, and how many runs are made.
STEP, BODIES, WORK, RUNS = 1e-5, 24, 2_400_000, 5
X, Y, Z = np.eye(3)
GRAVITY = np.array([0.0, 0.0, -9.81])


@dataclass(frozen=True)
class Pace:
    """Small steps of one mechanism: processor time, operations and bytes a body-step, and the bounds for each.

    `flops` counts additions, multiplications and divisions; `bytes` is everything that a step reads and writes.
    `peak` [1/s] is the rate of multiply-adds in independent chains, two operations each, `copied` [bytes/s] that of
    copying as many bytes.
    """

    case: str
    bodies: int
    joints: int
    steps: int
    seconds: float
    flops: float
    bytes: float
    peak: float
    copied: float

    @property
    def pace(self) -> float:
        """Body-steps a second."""
        return self.bodies * self.steps / self.seconds

    @property
    def arithmetic(self) -> float:
        """The share of the bound of arithmetic that is reached."""
        return self.flops * self.pace / self.peak

    @property
    def memory(self) -> float:
        """The share of the bound of memory that is reached."""
        return self.bytes * self.pace / self.copied

    @property
    def real_time(self) -> float:
        """Simulated time over processor time."""
        return STEP * self.steps / self.seconds


def rod(name: str, start: Floats, end: Floats) -> Body:
    """Return a uniform rod of 1 kg, a tenth as thick as it is long."""
    along = (end - start) / np.linalg.norm(end - start)
    square = float(np.sum((end - start) ** 2))
    inertia = square * (np.eye(3) * (1 / 12 + 0.0025 / 4) + np.outer(along, along) * (0.0025 / 4 - 1 / 12))
    return Body(name, 1.0, (start + end) / 2, inertia)


def chain(count: int = BODIES) -> SpatialModel:
    """Return rods hinged one to another, with hinges across each other in turn, the first at the ground."""
    bodies = [rod(f"rod{i}", i * X, (i + 1) * X) for i in range(count)]
    names = [GROUND, *(body.name for body in bodies)]
    joints = [
        SpatialJoint(f"j{i}", "revolute", (names[i], names[i + 1]), i * X, (Y, Z)[i % 2], X) for i in range(count)
    ]
    return SpatialModel("chain", {b.name: b for b in bodies}, {j.name: j for j in joints}, gravity=GRAVITY)


def net(rows: int = 3, columns: int = 4) -> SpatialModel:
    """Return a net of rods with ball joints at its knots, 2 rows x columns of them, hung up along its first edge."""
    bodies: list[Body] = []
    joints: list[SpatialJoint] = []
    at: dict[tuple[int, int], str] = {(0, k): GROUND for k in range(columns + 1)}
    for i in range(rows):
        for k in range(columns):
            for name, end in ((f"down{i}{k}", (i + 1, k)), (f"right{i}{k}", (i + 1, k + 1))):
                start = (i, k) if name.startswith("down") else (i + 1, k)
                places = [np.array([float(b), -float(a), 0.0]) for a, b in (start, end)]
                bodies.append(rod(name, *places))
                for knot, place in zip((start, end), places, strict=True):
                    if knot in at:
                        pair = (at[knot], name)
                        joints.append(SpatialJoint(f"k{len(joints)}", "spherical", pair, place, Z, X))
                    at.setdefault(knot, name)
    return SpatialModel("net", {b.name: b for b in bodies}, {j.name: j for j in joints}, gravity=GRAVITY)


def measure(model: SpatialModel, work: int = WORK, runs: int = RUNS) -> Pace:
    """Return the pace of small steps of a model; the fastest of several runs counts, compilation does not."""
    count = len(model.bodies)
    steps = work // count
    small_steps(model, STEP, STEP)
    _, seconds = fastest(lambda: small_steps(model, steps * STEP, STEP, record=steps, budget=None), runs)
    packed = packed_of(model)
    arrays: list[Any] = [*packed.machine, *packed.memory, packed.memory.state]  # the state is read and written
    size = sum(array.nbytes for array in arrays)
    flops = operations(packed)
    return Pace(model.name, count, len(model.joints), steps, seconds, flops / count, size / count, peak(), copied(size))


def packed_of(model: SpatialModel) -> Packed:
    """Return the arrays of a model."""
    return pack(model, solids_of(model), elements_of(model, STEP, None, None), STEP)


# --- the number of operations: the loop itself, run as Python on numbers that count ---------------------------------


class Counted(float):
    """A number that counts what is done with it."""

    done = 0


def _counting(name: str) -> Callable[[Counted, Any], Counted]:
    made = getattr(float, name)

    def operate(self: Counted, other: Any) -> Counted:
        Counted.done += 1
        return Counted(made(self, float(other)))

    return operate


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv"):
    setattr(Counted, f"__{_name}__", _counting(f"__{_name}__"))


def operations(packed: Packed) -> int:
    """Return the operations of one step of all bodies."""
    import numba

    from structkin import spatial
    from structkin.spatial import kernel, vectors

    config: Any = numba.config
    compiling = config.DISABLE_JIT
    config.DISABLE_JIT = 1
    del sys.modules[vectors.__name__]  # both are read once more, as functions of Python
    try:
        loop = runpy.run_path(kernel.__file__)
    finally:
        config.DISABLE_JIT = compiling
        sys.modules[vectors.__name__] = vectors
        spatial.vectors = vectors
    machine = loop["Machine"](*map(_counted, packed.machine))
    memory = loop["Memory"](*map(_counted, packed.memory))
    Counted.done = 0
    loop["add_loads"](machine, memory, np.zeros((1, 0)), 0, 0)
    loop["accelerate"](machine, memory)
    loop["move"](memory, Counted(packed.step))
    return Counted.done


def _counted(array: Any) -> Any:
    if array.dtype != float:
        return array
    found = np.empty(array.shape, dtype=object)
    found.ravel()[:] = [Counted(x) for x in array.ravel()]
    return found


# --- the bounds -----------------------------------------------------------------------------------------------------


@cache
def peak(rounds: int = 5_000_000) -> float:
    """Return the operations a second of multiply-adds in 16 independent chains, on one core."""
    from numba import njit

    chains = range(16)
    lines = [
        "def work(rounds, a, b):",
        *(f"    x{k} = {k}.0" for k in chains),
        "    for _ in range(rounds):",
        *(f"        x{k} = x{k} * a + b" for k in chains),
        "    return " + " + ".join(f"x{k}" for k in chains),
    ]
    loop: dict[str, Any] = {}
    exec("\n".join(lines), loop)
    work = njit(fastmath={"contract"})(loop["work"])
    work(1, 0.5, 1.0)
    return 2 * 16 * rounds / fastest(lambda: work(rounds, 0.5, 1.0), RUNS)[1]


@cache
def copied(size: int, total: int = 2_000_000_000) -> float:
    """Return the bytes a second of copying so many bytes again and again, on one core: read and written."""
    from numba import njit

    def copy(source: Floats, target: Floats, rounds: int) -> None:
        for k in range(rounds):
            for i in range(len(source)):
                target[i] = source[i]
            source[k % len(source)] += 1.0

    work: Any = njit(copy)
    source = np.ones(max(1, size // 16))
    target = np.empty_like(source)
    work(source, target, 1)
    rounds = max(1, total // (16 * len(source)))
    return 16 * len(source) * rounds / fastest(lambda: work(source, target, rounds), RUNS)[1]
