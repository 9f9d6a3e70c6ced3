"""From a topology to its kinematic structure: the steps in order.

Orientation, strongly connected blocks, rank certificate, repair if it fails, order, names: each step is one file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from structkin.checked import checked
from structkin.structure.arrays import TopologyArrays
from structkin.structure.assemble import assemble
from structkin.structure.blocks import components
from structkin.structure.certificate import coefficients, deficient_blocks
from structkin.structure.diagnostics import describe_redundancies, free_parts
from structkin.structure.joint_rows import Rows, rows_of
from structkin.structure.orient import orient
from structkin.structure.parts import FreePart
from structkin.structure.repair import free_motion, redundancies
from structkin.structure.shapes import Shapes, shapes_of
from structkin.structure.structure_arrays import StructureArrays
from structkin.types import Flags, Ints


class Stopwatch:
    """Processor time [s] per step: `with watch("blocks"): ...`."""

    def __init__(self) -> None:
        """Start without steps."""
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Add the time spent in this context to a step."""
        began = time.process_time()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + time.process_time() - began


@dataclass(frozen=True)
class Partition:
    """A verified decomposition of the rows, before groups are named.

    `owner` (m,) is the vertex of each row (-1: redundant), `block` (n,) the component of each vertex, numbered so that
    dependencies have smaller numbers; `loose` (n,) marks vertices that no group determines, `circuits` the rows that
    each redundant row repeats; `values` (m, 3) the geometry at which this was verified; `shapes` which blocks are
    alike.
    """

    owner: Ints
    block: Ints
    loose: Flags
    circuits: dict[int, list[int]]
    values: Ints
    shapes: Shapes


@checked
def decompose_arrays(topology: TopologyArrays, *, drivers_first: bool = False) -> StructureArrays:
    """Return the kinematic structure of array topologies as arrays: for large ones, without an object per link.

    The algorithm, order and results are those of `decompose`.

    >>> four_bar = TopologyArrays(4, "RRRR", [[0, 1], [1, 2], [2, 3], [3, 0]]).driven_at([0])
    >>> found = decompose_arrays(four_bar)
    >>> found.group_of.tolist(), found.level.tolist(), found.kinds
    ([-1, 0, 1, 1], [0, 1], {'RRR': 1, 'driven R': 1})
    >>> found.groups()[1].depends_on
    (0,)
    """
    watch = Stopwatch()
    with watch("building"):
        rows = rows_of(topology)
    part = partition(rows, _priority(rows, drivers_first), watch)
    joint_rows = rows.item < rows.n_joints
    if drivers_first:
        # The basis that prefers drivers may omit joint rows that the joints alone would need.
        alone = partition(rows, _priority(rows, False), watch)
        joint_rank = int(np.count_nonzero(joint_rows & (alone.owner >= 0)))
    else:
        joint_rank = int(np.count_nonzero(joint_rows & (part.owner >= 0)))
    total = int(rows.capacity.sum())
    under = held = np.zeros(0, dtype=np.int64)
    parts: tuple[FreePart, ...] = ()
    with watch("repair"):
        over = describe_redundancies(rows, part.circuits)
        if part.loose.any():
            motion = free_motion(rows, part.values, part.owner, part.block, part.loose)
            moves = (motion != 0).any(axis=1)[: rows.n_bodies]
            bodies = part.loose[: rows.n_bodies]
            under = rows.link_of(np.flatnonzero(bodies & moves))
            held = rows.link_of(np.flatnonzero(bodies & ~moves))
            parts = free_parts(rows, part.values, part.owner, part.loose, motion)
    with watch("naming"):
        return assemble(
            rows,
            part.values,
            part.owner,
            part.loose,
            part.shapes,
            mobility=total - joint_rank,
            missing_drivers=total - int(np.count_nonzero(part.owner >= 0)),
            over=rows.item[np.array(list(part.circuits), dtype=np.int64)],
            under=under,
            held=held,
            redundancies=over,
            free_parts=parts,
            seconds=watch.seconds,
        )


def partition(rows: Rows, priority: Ints, watch: Stopwatch | None = None) -> Partition:
    """Return owners and blocks on a basis of the rows, verified by rank.

    If a block fails its certificate, the random geometry is drawn once more: an unlucky draw is practically impossible,
    but cheap to rule out.
    """
    watch = Stopwatch() if watch is None else watch
    active = np.ones(len(rows.item), dtype=np.bool_)
    with watch("orientation"):
        orientation = orient(rows.capacity, rows.ends, active)
        owner = orientation.owner
    with watch("blocks"):
        block = components(rows.n_vertices, owner, rows.ends)
    with watch("certificate"):
        shapes = shapes_of(rows, owner, block)
        values = coefficients(rows)
        suspect = deficient_blocks(rows, values, owner, block, shapes)
        if suspect.any():
            again = coefficients(rows, seed=1)
            second = deficient_blocks(rows, again, owner, block, shapes)
            if second.sum() < suspect.sum():
                values, suspect = again, second
    circuits: dict[int, list[int]] = {}
    with watch("repair"):
        if suspect.any() or (owner < 0).any():
            circuits = redundancies(rows, values, owner, block, suspect, active, priority)
        if circuits:
            active[list(circuits)] = False
            orientation = orient(rows.capacity, rows.ends, active)
            owner = orientation.owner
            block = components(rows.n_vertices, owner, rows.ends)
            shapes = shapes_of(rows, owner, block)
    return Partition(owner, block, orientation.loose, circuits, values, shapes)


def _priority(rows: Rows, drivers_first: bool) -> Ints:
    """Return the priority of each row: rows with larger numbers are dropped first."""
    number = np.arange(len(rows.item), dtype=np.int64)
    if drivers_first:
        number = np.where(rows.item < rows.n_joints, number + len(number), number)
    return number
