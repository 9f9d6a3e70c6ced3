"""The motions of many linkages of different topologies, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.checked import checked, unchecked
from structkin.errors import InputError, Problem
from structkin.model.frozen import read_only
from structkin.plan.status import Status
from structkin.solve.batch.linkages import MOTOR, Linkages
from structkin.solve.batch.motor import Motor
from structkin.solve.batch.order import Way
from structkin.solve.batch.runner import Runner
from structkin.solve.batch.table import Table
from structkin.types import Floats

#: Bytes of the buffer of a block, if none is given: it stays in the caches.
BYTES = 1 << 20
#: Linkages whose structure is found at a time.
PART = 1024

_WHY = {
    Way.MOTOR_PIN_FIXED: ("motor", "the crank pin is a fixed joint", "free it, or name the other end"),
    Way.MOTOR_PIVOT_FREE: ("motor", "the pivot is not a fixed joint", "fix it"),
    Way.MOTOR_WITHOUT_BAR: ("motor", "no bar joins the pivot and the crank pin", "add it to adjacency"),
    Way.LOOSE_JOINT: ("adjacency", "a joint that is not fixed is on no bar", "fix it, or add two bars"),
    Way.TOO_FEW_BARS: ("adjacency", "there are too few bars: joints can move though the motor stands", "add bars"),
}


@checked
@dataclass(frozen=True, repr=False)
class BatchBlock:
    """The motions of linkages `first`, `first` + 1, ... of a batch.

    `position` [m], `velocity` [m/s] and `acceleration` [m/s^2] are (b, joints, 2, n), views of a buffer that the next
    block uses again; `status` (b, n) is a `Status` for each sample, as its integer. `faults` says by their numbers why
    linkages cannot be solved.
    """

    first: int
    position: Floats
    velocity: Floats
    acceleration: Floats
    status: NDArray[np.int8]
    faults: Mapping[int, InputError]

    def __repr__(self) -> str:
        """Return which linkages these are."""
        return f"<BatchBlock: linkages {self.first} to {self.first + len(self) - 1}>"

    def __len__(self) -> int:
        """Return the number of linkages."""
        return len(self.status)

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether samples are regular (b, n)."""
        return np.asarray(self.status == Status.OK)


@checked
@dataclass(frozen=True, repr=False)
class Batch:
    """The motions of m linkages at the same n angles of their cranks; see `solve_batch`.

    Nothing is solved before it is asked for. `blocks` yields some linkages after the others, all in one buffer; the
    arrays of all of them are kept.
    """

    linkages: Linkages
    angles: Floats
    speed: float

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Batch: {len(self)} linkages of {self.linkages.points.shape[1]} joints, {len(self.angles)} angles>"

    def __len__(self) -> int:
        """Return the number of linkages."""
        return len(self.linkages)

    def __iter__(self) -> Iterator[BatchBlock]:
        """Yield all blocks."""
        return self.blocks()

    @property
    def position(self) -> Floats:
        """The paths (m, joints, 2, n) [m] of all joints, NaN where there is no pose."""
        return self._whole.position

    @property
    def velocity(self) -> Floats:
        """The velocities (m, joints, 2, n) [m/s] of all joints."""
        return self._whole.velocity

    @property
    def acceleration(self) -> Floats:
        """The accelerations (m, joints, 2, n) [m/s^2] of all joints."""
        return self._whole.acceleration

    @property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each linkage and angle (m, n), as its integer."""
        return self._whole.status

    @property
    def ok(self) -> NDArray[np.bool_]:
        """Whether samples are regular (m, n)."""
        return self._whole.ok

    @property
    def faults(self) -> Mapping[int, InputError]:
        """Why linkages cannot be solved, by their numbers: their samples are `BAD_INPUT`."""
        return self._whole.faults

    def blocks(self, out: NDArray[Any] | None = None) -> Iterator[BatchBlock]:
        """Yield the motions of all linkages, some after the others, in one buffer that each block uses again.

        `out` (3, b, joints, 2, n) is the buffer, of b linkages at a time; without it, one that stays in the caches.
        Raises `InputError` where it is another array.
        """
        rest = (self.linkages.points.shape[1], 2, len(self.angles))
        if out is None:
            out = np.empty((3, max(1, BYTES // (48 * rest[0] * rest[2])), *rest))
        buffer = np.asarray(out)
        fits = buffer is out and buffer.dtype == np.float64 and buffer.flags.c_contiguous and buffer.flags.writeable
        if not fits or buffer.ndim != 5 or not buffer.shape[1] or buffer.shape != (3, buffer.shape[1], *rest):
            wanted = f"(3, b, {', '.join(map(str, rest))})"
            message = f"{buffer.dtype} of the shape {buffer.shape} is not an array float64 of the shape {wanted}"
            raise InputError([Problem("out", message, f"np.empty({wanted}) makes one")], "blocks")
        return self._blocks(buffer)

    @cached_property
    def _whole(self) -> BatchBlock:
        out = np.empty((3, len(self), self.linkages.points.shape[1], 2, len(self.angles)))
        (block,) = self._blocks(out)
        position, velocity, acceleration = map(read_only, out)
        return BatchBlock(0, position, velocity, acceleration, read_only(block.status), block.faults)

    @cached_property
    def _motor(self) -> Motor:
        return Motor.of(self.angles, self.speed)

    def _blocks(self, out: Floats) -> Iterator[BatchBlock]:
        count, size = len(self), min(out.shape[1], len(self))
        runner = Runner.of(self._motor, out.shape[2], size, count)
        statuses = np.empty((size, out.shape[-1]), np.int8)
        for start in range(0, count, max(PART, size)):
            table = Table.of(self.linkages.take(slice(start, start + max(PART, size))))
            for low in range(0, len(table.ways), size):
                high = min(low + size, len(table.ways))
                status, faults = statuses[: high - low], dict[int, InputError]()
                for k in runner.run(table, low, high, out, status).tolist():
                    number = start + low + k
                    try:
                        status[k] = self._alone(number, table.ways[low + k], out[:, k])
                    except InputError as error:
                        out[:, k], status[k] = np.nan, Status.BAD_INPUT
                        faults[number] = InputError(error.problems, f"linkage {number}")
                position, velocity, acceleration = out[:, : high - low]
                block = BatchBlock.__new__(BatchBlock)
                unchecked(block.__init__)(start + low, position, velocity, acceleration, status, faults)
                yield block

    def _alone(self, k: int, way: int, out: Floats) -> NDArray[np.int8]:
        """Solve a linkage into `out` (3, joints, 2, n) as a mechanism; return its status, or raise its `InputError`."""
        if way in _WHY:
            raise InputError([Problem(*_WHY[Way(way)])])
        zeros = np.zeros(len(self.angles))
        motion = self.linkages.mechanism(k).solve(drivers={MOTOR: (self.angles, zeros + self.speed, zeros)})
        for j in range(out.shape[1]):
            for order, values in enumerate((motion.position, motion.velocity, motion.acceleration)):
                out[order, j] = values(f"J{j}").T
        return motion.status


@checked
def solve_batch(
    adjacency: Any,
    points: ArrayLike | None = None,
    fixed: Any = None,
    motor: ArrayLike | None = None,
    angles: ArrayLike = (),
    speed: float = 1.0,
    *,
    bodies: Any = None,
    slides: Any = None,
) -> Batch:
    """Return the motions of m linkages of bars and pins, all of different topologies, at the same angles.

    `adjacency` (m, joints, joints) says which joints a bar joins, `points` (m, joints, 2) [m] where they are in the
    sketch, `fixed` (m, joints) which of them are fixed to the ground, and `motor` (m, 2), or (2,) for all, the pivot
    and the pin of each crank. `Linkages` hold all four. `angles` (n,) [rad] are those by which the cranks have turned
    from the sketch, and `speed` [rad/s] is the rate at which they turn.

    Statuses and digits are those of `Mechanism.solve` for each `Linkages.mechanism`. Linkages of dyads take
    microseconds: structure, order of solution and certificate of the branch are found in the loop, which Numba compiles
    once. Others, with triads and larger groups or redundant bars, are solved one by one, in some ten milliseconds each,
    and so are those that pass a change point or come close to one. What is wrong with the structure of one linkage is
    its status, `BAD_INPUT`; `Batch.faults` says why.

    Raises `InputError` for arrays that do not fit: shapes, adjacency that is not symmetric, values that are not finite,
    a motor that is no pair of joints.

    >>> import structkin as sk
    >>> bars = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]  # a four-bar
    >>> places = [(0, 0), (1, 0), (3, 2), (4, 0)]
    >>> batch = sk.solve_batch([bars], [places], [[1, 0, 0, 1]], (0, 1), np.linspace(0, 2 * np.pi, 100))
    >>> batch.position.shape, batch.velocity[0, 1, :, 0].tolist(), bool(batch.ok.all())
    ((1, 4, 2, 100), [0.0, 1.0], True)
    """
    problems = []
    turned = np.asarray(angles)
    if turned.dtype.kind not in "iuf" or turned.ndim != 1 or not turned.size or not np.isfinite(turned).all():
        problems.append(
            Problem("angles", "expected finite angles (n,) [rad]", "such as np.linspace(0, 2 * np.pi, 200)")
        )
    if not np.isfinite(speed):
        problems.append(Problem("speed", f"{speed} is not finite", "such as 1.0 [rad/s]"))
    given = {"points": points, "fixed": fixed, "motor": motor}
    more = {"bodies": bodies, "slides": slides}
    if isinstance(adjacency, Linkages):
        problems += [Problem(key, "is one of the arrays of the linkages", "leave it out") for key, one in
                     {**given, **more}.items() if one is not None]  # fmt: skip
        linkages: Linkages | None = adjacency
    else:
        problems += [Problem(key, "is missing", "give four arrays, or Linkages") for key in given if given[key] is None]
        linkages = None
        if not problems:
            assert points is not None and motor is not None
            linkages = Linkages.of(adjacency, points, fixed, motor, **more)
    if problems:
        raise InputError(problems, "solve_batch")
    assert linkages is not None
    return Batch(linkages, read_only(np.array(turned, np.float64)), float(speed))
