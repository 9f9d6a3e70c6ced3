"""The motions of many linkages of different topologies, block by block."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import MOST_BYTES, in_memory, too_large
from structkin.checked import checked
from structkin.compiled import has_numba
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.arguments import unmasked
from structkin.model.frozen import read_only
from structkin.model.mechanism import Mechanism
from structkin.plan.status import Status
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.mechanisms import Mechanisms, case_of
from structkin.solve.batch.motor import Motor, poses_on_the_way
from structkin.solve.batch.order import Way
from structkin.solve.batch.runner import BYTES, PART, Runner, takes_triads
from structkin.solve.batch.share import Share, chunked
from structkin.solve.batch.table import Table
from structkin.solve.study.cluster import done_by, faults_of
from structkin.solve.study.store import LEFT, LOST
from structkin.types import Floats

if TYPE_CHECKING:
    from xarray import Dataset

#: Bytes that a task of a cluster returns.
TASK = 1 << 24
#: Why a linkage is lost.
ENDED = InputError([Problem("client", "its chunk ended every worker it was given to", "solve it without client")])

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


#: The fields of a block, in order.
FIELDS = tuple(field.name for field in fields(BatchBlock))


@checked
@dataclass(frozen=True, repr=False)
class Batch:
    """The motions of m `linkages`, or mechanisms, at the same n angles of their cranks; see `solve_batch`.

    Nothing is solved before it is asked for. `blocks` yields some linkages after the others, all in one buffer; the
    arrays of all of them are kept.
    """

    linkages: Linkages | Mechanisms
    angles: Floats
    speed: float
    client: Any = None
    one_by_one: bool = True

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Batch: {len(self)} linkages of {self.linkages.joints} joints, {len(self.angles)} angles>"

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
        rest = (self.linkages.joints, 2, len(self.angles))
        if out is None:
            return self._parts()
        buffer = np.asarray(out)
        fits = buffer is out and buffer.dtype == np.float64 and buffer.flags.c_contiguous and buffer.flags.writeable
        if not fits or buffer.ndim != 5 or not buffer.shape[1] or buffer.shape != (3, buffer.shape[1], *rest):
            wanted = f"(3, b, {', '.join(map(str, rest))})"
            message = f"{buffer.dtype} of the shape {buffer.shape} is not an array float64 of the shape {wanted}"
            raise InputError([Problem("out", message, f"np.empty({wanted}) makes one")], "blocks")
        return self._blocks(buffer)

    def _parts(self, share: Share | None = None) -> Iterator[BatchBlock]:
        """Yield the blocks in a buffer of their own; the linkages are all, or a chunk of those of a `share`."""
        joints, n = self.linkages.joints, len(self.angles)
        size = (BYTES if self.client is None else TASK) // (48 * joints * n)
        return self._blocks(np.empty((3, max(1, size), joints, 2, n)), share)

    def save(
        self, to: str | Path, *, keep: int | str = -1, workers: int = 1,
        progress: Callable[[float], None] | None = None,
    ) -> Dataset:  # fmt: skip
        """Make a data set: a zarr store, chunk by chunk, and return it as an `xarray.Dataset`.

        It holds the `path` of one joint as float32, (m, 2, n) [m], `keep` is its number, by default the last; or with
        "all" those of all, (m, joints, 2, n). Beside it are `status` (m, n), the arrays of the linkages, and the
        coordinate `angle` (n,) [rad]. The same call after an interruption goes on with the chunks that are not
        finished; another data set is not overwritten. `workers` are processes that share the chunks; the client does,
        if the batch has one. `progress` is called with the fraction that is finished. `Linkages.load` reads the arrays.

        Raises `InputError` for the name of the store, the number of the joint, and mechanisms: they have no arrays.
        """
        from structkin.solve.batch.data_set import save

        return save(self, to, keep, workers, progress)

    @cached_property
    def _whole(self) -> BatchBlock:
        shape = 3, len(self), self.linkages.joints, 2, len(self.angles)
        what = f"the motions of {len(self):,} linkages at {len(self.angles):,} angles"
        problem = too_large("linkages", what, 8.0 * math.prod(shape), "iterate over the blocks, or save a data set")
        if 8 * math.prod(shape) > MOST_BYTES:
            raise InputError([problem], "batch")
        with in_memory(lambda: problem, "batch"):
            out = np.empty(shape)
        status, faults = np.empty((len(self), len(self.angles)), np.int8), dict[int, InputError]()
        for block in self._blocks(out):
            status[block.first : block.first + len(block)] = block.status
            faults.update(block.faults)
        position, velocity, acceleration = map(read_only, out)
        return BatchBlock(0, position, velocity, acceleration, read_only(status), dict(sorted(faults.items())))

    @cached_property
    def _motor(self) -> Motor:
        return Motor.of(self.angles, self.speed)

    @cached_property
    def _share(self) -> Share:
        """What is done with all linkages, so with any chunk of them."""
        triads = takes_triads(self._motor, self.linkages, must=not self.one_by_one)
        return Share(self.angles, self.speed, len(self), triads, self.one_by_one)

    def _blocks(self, out: Floats, share: Share | None = None) -> Iterator[BatchBlock]:
        if self.client is not None:
            yield from self._by_client(out)
            return
        count, size = len(self), min(out.shape[1], len(self))
        beyond = isinstance(self.linkages, Linkages) and self.linkages.go_beyond_bars
        how = share or self._share
        runner = Runner.of(
            self._motor, out.shape[2], size, how.total,
            beyond_bars=beyond, triads=how.triads, must=not how.one_by_one,
        )  # fmt: skip
        statuses = np.empty((size, out.shape[-1]), np.int8)
        whole = *out[:, :size], statuses
        at_once = max(PART // out.shape[2], size)
        for start in range(0, count, at_once):
            part = self.linkages.take(slice(start, start + at_once))
            table = None
            if isinstance(part, Linkages):
                table = Table.of(part, rigid=runner.compiled, triads=how.triads)
            for low in range(0, len(part), size):
                high = min(low + size, len(part))
                found = whole if high - low == size else (*out[:, : high - low], statuses[: high - low])
                status, faults = found[3], dict[int, InputError]()
                some = range(high - low) if table is None else runner.run(table, low, low, high, out, status)
                left = deque[int](some) if len(some) else None
                while left:
                    k, begun = int(left.popleft()), time.thread_time()
                    number, way = start + low + k, Way.ALONE if table is None else table.ways[low + k]
                    if not (how.one_by_one or way in _WHY):
                        out[:, k], status[k] = np.nan, LEFT
                        continue
                    try:
                        status[k] = self._alone(number, way, out[:, k])
                    except InputError as error:
                        out[:, k], status[k] = np.nan, Status.BAD_INPUT
                        faults[number] = InputError(error.problems, f"linkage {number}")
                    if table is not None and runner.alone(time.thread_time() - begun):
                        table = Table.of(table.linkages, rigid=True)
                        left = deque(runner.run(table, low, low + k + 1, high, out, status))
                yield _block(start + low, *found, faults)

    def _by_client(self, out: Floats) -> Iterator[BatchBlock]:
        """Yield the blocks that the client's workers solve, as they come; in a buffer of all, each at its place."""
        count, (_, held, joints, _, n) = len(self), out.shape
        size = max(1, min(held, count, TASK // (48 * joints * n)))
        share, chunks = self._share, chunked(self.linkages, size)
        for number, rows in done_by(self.client, share, chunks):
            first, found = number * size, min(size, count - number * size)
            place = out[:, first : first + found] if held >= count else out[:, :found]
            if rows is None:
                place[:], status, reasons = np.nan, np.full((found, n), LOST, np.int8), [ENDED] * found
            else:
                place[:], status, reasons = np.moveaxis(rows["motions"], 1, 0), rows["status"], rows["faults"].tolist()
            faults = {
                first + k: InputError(one.problems, f"linkage {first + k}") for k, one in enumerate(reasons) if one
            }
            yield _block(first, *place, status, faults)

    def _alone(self, k: int, way: int, out: Floats) -> NDArray[np.int8]:
        """Solve a linkage into `out` (3, joints, 2, n) as a mechanism; return its status, or raise its `InputError`."""
        if way in _WHY:
            raise InputError([Problem(*_WHY[Way(way)])])
        case, zeros = case_of(self.linkages, k), np.zeros(len(self.angles))
        motion = case.mechanism.solve(drivers={case.driver: (case.start + self.angles, zeros + self.speed, zeros)})
        out[:, len(case.points) :] = np.nan
        for j, point in enumerate(case.points):
            for order, values in enumerate((motion.position, motion.velocity, motion.acceleration)):
                out[order, j] = values(point).T
        return motion.status


def _block(*values: Any) -> BatchBlock:
    """Return a block of its fields, which need no check."""
    block = BatchBlock.__new__(BatchBlock)
    vars(block).update(zip(FIELDS, values, strict=True))
    return block


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
    one_by_one: bool = True,
    client: Any = None,
) -> Batch:
    """Return the motions of m linkages, all of different topologies, at the same angles of their cranks.

    `adjacency` (m, joints, joints) says which joints a bar joins, `points` (m, joints, 2) [m] where they are in the
    sketch, `fixed` (m, joints) which of them are fixed to the ground, and `motor` (m, 2), or (2,) for all, the pivot
    and the pin of each crank. `bodies` and `slides` add rigid links of several joints, and guides. `Linkages` hold all
    six, and say more of them. Or `adjacency` is a list of mechanisms with one crank each: their points are the joints,
    in the order of the file, and NaN follows where others have more. `angles` (n,) [rad] are those by which the cranks
    have turned from the sketch, and `speed` [rad/s] is the rate at which they turn.

    Statuses and digits are those of `Mechanism.solve` for each `Linkages.mechanism`. Linkages of dyads, with bars,
    rigid links and guides on the ground, take microseconds: structure, order of solution and certificate of the branch
    are found in the loop, which Numba compiles once, as soon as that takes less time than to solve them one by one.
    So are those with triads, three bars and a triangle of bars, if there are a hundred or more and the crank turns once
    or more, up to the end of the turn (without `endpoint=False`): in a tenth of a millisecond for each triad, and a few
    where it meets gaps, with the digits of `Mechanism.solve` to rounding. Others, with larger groups, guides on rigid
    links or redundant bars, are always solved one by one, each in some ten milliseconds to a second, and so are those
    that pass a change point or come close to one, and those with triads of which it cannot be proven where they go on
    behind a gap. What is wrong with the structure of one linkage is its status, `BAD_INPUT`; `Batch.faults` says why.

    Without `one_by_one` these are left out: their samples are NaN, with the status -3 (left). The loop then takes all
    triads that it can, and is compiled whatever the number of linkages.

    With a `client` of a Dask cluster (`distributed.Client`), its workers solve them, to the same last bit. Linkages
    whose task ended every worker have the status -2 (lost).

    Raises `InputError` for arrays that do not fit: shapes, adjacency that is not symmetric, values that are not finite,
    a motor that is no pair of joints; for angles so far away that the way there does not fit into memory; and for a
    client that is none, or whose workers have another structkin.

    >>> import structkin as sk
    >>> bars = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]  # a four-bar
    >>> places = [(0, 0), (1, 0), (3, 2), (4, 0)]
    >>> batch = sk.solve_batch([bars], [places], [[1, 0, 0, 1]], (0, 1), np.linspace(0, 2 * np.pi, 100))
    >>> batch.position.shape, batch.velocity[0, 1, :, 0].tolist(), bool(batch.ok.all())
    ((1, 4, 2, 100), [0.0, 1.0], True)
    """
    problems = []
    turned = unmasked(angles)
    if turned.dtype.kind not in "iuf" or turned.ndim != 1 or not turned.size or not np.isfinite(turned).all():
        problems.append(
            Problem("angles", "expected finite real angles (n,) [rad]", "such as np.linspace(0, 2 * np.pi, 200)")
        )
    if not np.isfinite(speed):
        problems.append(Problem("speed", f"{speed} is not finite", "such as 1.0 [rad/s]"))
    poses = 0.0 if problems else poses_on_the_way(np.array(turned, np.float64), speed)
    if client is not None:
        problems += faults_of(client)
    if not (one_by_one or has_numba()):
        message = "without Numba, all linkages are solved one by one"
        problems.append(Problem("one_by_one", message, "leave it out, or: pip install numba"))
    given = {"points": points, "fixed": fixed, "motor": motor}
    more = {"bodies": bodies, "slides": slides}
    source: Linkages | Mechanisms | None = adjacency if isinstance(adjacency, Linkages) else None
    if isinstance(adjacency, (list, tuple)) and any(isinstance(one, Mechanism) for one in adjacency):
        source = Mechanisms.of(adjacency)
        if not one_by_one:
            problems.append(Problem("one_by_one", "mechanisms are always solved one by one", "leave it out"))
    if source is not None:
        problems += [Problem(key, "is one of the arrays of the linkages", "leave it out") for key, one in
                     {**given, **more}.items() if one is not None]  # fmt: skip
    else:
        problems += [Problem(key, "is missing", "give four arrays, or Linkages") for key in given if given[key] is None]
        if points is not None and fixed is not None and motor is not None:
            try:
                source = Linkages.of(adjacency, points, fixed, motor, **more)
            except InputError as error:
                problems += error.problems
    joints = 0 if source is None else source.joints
    if 48 * joints * poses > MOST_BYTES:
        what = f"the motion of one linkage at {turned.size:,} angles, followed through {poses:.3g} poses,"
        problems.append(too_large("angles", what, 48.0 * joints * poses, "give fewer, or solve in parts"))
    raise_problems(problems, "solve_batch")
    assert source is not None
    return Batch(source, read_only(np.array(turned, np.float64)), float(speed), client, one_by_one)
