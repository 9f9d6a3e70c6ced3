"""From a topology to its kinematic structure: the steps in order.

Orientation, strongly connected blocks, rank certificate, where it fails repair, order, names: each step is a file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.model.topology import Topology
from structkin.structure.assemble import build_groups
from structkin.structure.blocks import components
from structkin.structure.certificate import deficient_blocks
from structkin.structure.diagnostics import describe_redundancies, free_parts
from structkin.structure.geometry import coefficients
from structkin.structure.orient import orient
from structkin.structure.repair import System, free_motion, redundancies
from structkin.structure.result import KinematicStructure
from structkin.structure.rows import BoolArray, IntArray, Rows, rows_of


@dataclass(frozen=True)
class Partition:
    """A proven decomposition of the rows, before it has words.

    `owner` (m,) is the vertex of each row (-1: redundant), `block` (n,) the component of each vertex,
    numbered so that dependencies have smaller numbers; `loose` (n,) marks what no group determines, `circuits` the
    rows that each redundant row repeats; `values` (m, 3) the geometry at which all this was proven.
    """

    owner: IntArray
    block: IntArray
    loose: BoolArray
    circuits: dict[int, list[int]]
    values: IntArray


def decompose(topology: Topology, *, drivers_first: bool = False) -> KinematicStructure:
    """Return the kinematic structure of a topology.

    Where equations are redundant, those named are the last in the user's order, drivers after all joints; with
    `drivers_first` before them: then the drivers hold and joints are called redundant, which is the reading of a
    mechanism that moves only by special dimensions. Everything not redundant is decomposed; what has too few
    equations is reported as still moving.

    Raises `InputError` for attachments without a meaning (a gear on a pin).

    With independent equations the groups are unique and minimal: Servatius, Shai, Whiteley (2010), "Combinatorial
    characterization of the Assur graphs from engineering", European J. Combinatorics 31.

    >>> t = Topology.from_adjacency(
    ...     [["", "R:A", "", "R:D"], ["R:A", "", "R:B", ""], ["", "R:B", "", "R:C"], ["R:D", "", "R:C", ""]],
    ...     names=["ground", "crank", "coupler", "rocker"], ground="ground", drivers=["A"])
    >>> structure = decompose(t)
    >>> [(group.kind, group.links, group.level) for group in structure.groups]
    [('driven R', ('crank',), 0), ('RRR', ('coupler', 'rocker'), 1)]
    >>> structure.mobility, structure.is_solvable
    (1, True)
    """
    rows = rows_of(topology)
    part = partition(rows, _priority(rows, drivers_first))
    joint_rows = rows.item < rows.n_joints
    if drivers_first:
        # The basis that prefers drivers may leave joint rows out that the joints alone would need.
        alone = partition(rows, _priority(rows, False))
        joint_rank = int(np.count_nonzero(joint_rows & (alone.owner >= 0)))
    else:
        joint_rank = int(np.count_nonzero(joint_rows & (part.owner >= 0)))
    total = int(rows.capacity.sum())
    motion = free_motion(rows, part.values, part.owner, part.block, part.loose) if part.loose.any() else None
    moves: list[bool] = [] if motion is None else (motion != 0).any(axis=1).tolist()
    bodies = [] if motion is None else [b for b in range(len(rows.bodies)) if part.loose[b]]
    groups = build_groups(topology, rows, System(rows, part.values), part.owner, part.block, part.loose)
    return KinematicStructure(
        topology=topology,
        mobility=total - joint_rank,
        groups=groups,
        over=describe_redundancies(topology, rows, part.circuits),
        under=tuple(rows.bodies[b] for b in bodies if moves[b]),
        missing_drivers=total - int(np.count_nonzero(part.owner >= 0)),
        free_parts=() if motion is None else free_parts(topology, rows, part.values, part.owner, part.loose, motion),
        held=tuple(rows.bodies[b] for b in bodies if not moves[b]),
    )


def partition(rows: Rows, priority: IntArray) -> Partition:
    """Return owners and blocks on a basis of the rows, proven by rank.

    If a block fails its certificate, the geometry is drawn once more: an unlucky draw is as good as impossible,
    and yet costs nothing to rule out.
    """
    active = np.ones(len(rows.item), dtype=np.bool_)
    orientation = orient(rows.capacity, rows.ends, active)
    owner = orientation.owner
    block = components(rows.n_vertices, owner, rows.ends)
    values = coefficients(rows)
    suspect = deficient_blocks(rows, values, owner, block)
    if suspect.any():
        again = coefficients(rows, seed=1)
        second = deficient_blocks(rows, again, owner, block)
        if second.sum() < suspect.sum():
            values, suspect = again, second
    circuits: dict[int, list[int]] = {}
    if suspect.any() or (owner < 0).any():
        circuits = redundancies(rows, values, owner, block, suspect, active, priority)
    if circuits:
        active[list(circuits)] = False
        orientation = orient(rows.capacity, rows.ends, active)
        owner = orientation.owner
        block = components(rows.n_vertices, owner, rows.ends)
    return Partition(owner, block, orientation.loose, circuits, values)


def _priority(rows: Rows, drivers_first: bool) -> IntArray:
    """Return the rank of each row: a row of larger number gives way."""
    number = np.arange(len(rows.item), dtype=np.int64)
    if drivers_first:
        number = np.where(rows.item < rows.n_joints, number + len(number), number)
    return number
