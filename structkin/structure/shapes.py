"""Blocks that are the same except for the numbering of their vertices, joints and places.

A large mechanism consists of few kinds of blocks. Whatever depends only on the kind (the generic rank of a block's
rows, its composite links, its name) is computed once, on a representative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.structure.joint_rows import GROUND, Rows
from structkin.types import Ints

#: A block with more rows gets a separate shape: comparing it would cost more than it saves.
LARGEST_COMPARED = 64
#: Rounds of refinement before vertices are sorted.
ROUNDS = 3
#: Numbers in one batch of comparisons.
BATCH = 4_000_000


def spread(start: Ints, count: Ints) -> Ints:
    """Return the numbers start, start + 1, ... of many runs, concatenated.

    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(count) - count
    return np.repeat(start - before, count) + np.arange(int(count.sum()))


@dataclass(frozen=True)
class Shapes:
    """The blocks (k,) with their vertices and owned rows, both ascending, and their shapes.

    Block b has the vertices `vertex[vertex_start[b]:vertex_start[b + 1]]` and owns the rows
    `row[row_start[b]:row_start[b + 1]]`; `alike` lists its vertices so that equal positions in blocks of
    one shape correspond. `shape` (k,) is the shape of each block, -1 without rows; `example` (s,) is one block of each
    shape.
    """

    block: Ints
    vertex: Ints
    vertex_start: Ints
    alike: Ints
    row: Ints
    row_start: Ints
    shape: Ints
    example: Ints

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.row_start) - 1

    def rows_of(self, block: int) -> list[int]:
        """Return the rows that a block owns."""
        rows: list[int] = self.row[self.row_start[block] : self.row_start[block + 1]].tolist()
        return rows

    def vertices_of(self, block: int) -> list[int]:
        """Return the vertices of a block, ascending."""
        vertices: list[int] = self.vertex[self.vertex_start[block] : self.vertex_start[block + 1]].tolist()
        return vertices

    @cached_property
    def members(self) -> list[Ints]:
        """The blocks of each shape, ascending."""
        order = np.argsort(self.shape, kind="stable")
        return np.split(order, np.searchsorted(self.shape[order], np.arange(len(self.example))))[1:]


def shapes_of(rows: Rows, owner: Ints, block: Ints) -> Shapes:
    """Return the blocks and their shapes; `owner` (m,) and `block` (n,) are the orientation and its components.

    >>> from structkin.model.topology import Joint, Topology
    >>> from structkin.structure.joint_rows import rows_of
    >>> pairs = Topology(("0", "1", "2"), "0", (Joint("A", "R", ("0", "1")), Joint("B", "R", ("0", "2"))))
    >>> shapes = shapes_of(rows_of(pairs), np.array([0, 0, 1, 1]), np.array([0, 1]))
    >>> shapes.shape.tolist(), shapes.example.tolist()
    ([0, 0], [0])
    """
    count = int(block.max(initial=-1)) + 1
    vertex = np.argsort(block, kind="stable")
    vertex_start = np.searchsorted(block[vertex], np.arange(count + 1))
    owned = np.flatnonzero(owner >= 0)
    home = block[owner[owned]]
    order = np.argsort(home, kind="stable")
    row, home = owned[order], home[order]
    row_start = np.searchsorted(home, np.arange(count + 1))
    height, width = np.diff(row_start), np.diff(vertex_start)

    # in each block, vertices and rows are put into a canonical order as far as possible
    known = (rows.ends[row] != GROUND) & (block[rows.ends[row]] == home[:, None]) if len(row) else row.reshape(-1, 2)
    ends = np.where(known, rows.ends[row], -1)
    colour = _colours(rows, row, ends)
    alike = vertex[np.lexsort((colour[vertex], block[vertex]))]
    local = np.full(
        len(block) + 1, -1, dtype=np.int64
    )  # each vertex's index in its block; the last entry is for outside
    local[alike] = np.arange(len(alike)) - vertex_start[block[alike]]
    ends = np.sort(local[ends], axis=1)
    turns = rows.turns[row] + 2 * rows.across[row]
    order = np.lexsort((rows.item[row], turns, rows.kind[row], ends[:, 1], ends[:, 0], home))
    codes = [ends[order, 0], ends[order, 1], rows.kind[row[order]], turns[order]]
    plain = np.stack([code.astype(np.int16) for code in codes], axis=1)

    shape = np.full(count, -1, dtype=np.int64)
    large = np.flatnonzero(height > LARGEST_COMPARED)
    shape[large] = np.arange(len(large))
    examples = [large]
    found = len(large)
    size = np.where((height > 0) & (height <= LARGEST_COMPARED), height * (int(width.max(initial=0)) + 1) + width, 0)
    by_size = np.argsort(size, kind="stable")
    sizes, at = np.unique(size[by_size], return_index=True)
    for one, members in zip(sizes.tolist(), np.split(by_size, at)[1:], strict=True):
        if not one:
            continue
        h, w = int(height[members[0]]), int(width[members[0]])
        step = max(1, BATCH // (16 * h * h))
        lines = []
        for part in (members[k : k + step] for k in range(0, len(members), step)):
            chosen = row_start[part][:, None] + np.arange(h)
            said = [plain[chosen].reshape(len(part), 4 * h), _labels(rows, row[order[chosen]])]
            pins = rows.capacity[alike[vertex_start[part][:, None] + np.arange(w)]]
            lines.append(np.concatenate([*said, pins], axis=1).astype(np.int8))
        number, example = _same(np.concatenate(lines))
        shape[members] = found + number
        examples.append(members[example])
        found += len(example)
    return Shapes(block, vertex, vertex_start, alike, row, row_start, shape, np.concatenate(examples))


def _colours(rows: Rows, row: Ints, ends: Ints) -> Ints:
    """Return a 64-bit number (n,) for each vertex that depends on its surroundings in the block, not on numbering.

    `ends` (r, 2) are the ends of the block's rows `row`, -1 outside. Colours of neighbours are mixed in by the method
    of Weisfeiler and Leman; an accidental collision only makes the order less canonical.
    """
    n = rows.n_vertices
    colour = np.append(rows.capacity, 1) * _ODD[0]
    what = (rows.kind[row] * 4 + rows.turns[row] + 2 * rows.across[row] + 1) * _ODD[1]
    for _ in range(ROUNDS):
        new = colour * _ODD[2]
        for side in (0, 1):
            heard = _mix(what + colour[ends[:, 1 - side]])
            np.add.at(new, ends[:, side], heard)
        new[n] = _ODD[3]
        colour = _mix(new)
    result: Ints = colour[:n]
    return result


#: Odd numbers to mix bits; overflow of the products is intended.
_ODD = np.array([0x2545F4914F6CDD1D, 0x369DEA0F31A53F85, 0x5851F42D4C957F2D, 0x27BB2EE687B0B0FD], dtype=np.int64)


def _mix(x: Ints) -> Ints:
    x = (x ^ (x >> 31)) * _ODD[0]
    return np.asarray(x ^ (x >> 29))


def _labels(rows: Rows, chosen: Ints) -> Ints:
    """Return which of the rows `chosen` (b, h) of b blocks share joint, place and axis, flat (b, 4 h)."""
    turns = rows.turns[chosen]
    place, axis = (np.where(turns, -2, values[chosen]) for values in (rows.place, rows.axis))
    toward, item = rows.toward[chosen], rows.item[chosen]
    between = np.flatnonzero((toward >= 0).any(axis=1))
    far = np.full(chosen.shape, -1, dtype=np.int64)
    if len(between):
        known = np.concatenate([place[between], toward[between]], axis=1)
        far[between] = np.where(toward[between] < 0, -1, _first_like(toward[between], known))
    return np.concatenate([_first_like(item, item), _first_like(place, place), _first_like(axis, axis), far], axis=1)


def _first_like(values: Ints, known: Ints) -> Ints:
    """Return for each value (b, h) the first index in its line of `known` (b, k) with an equal value."""
    return np.asarray(np.argmax(values[:, :, None] == known[:, None, :], axis=2), dtype=np.int64)


def _same(codes: NDArray[np.int8]) -> tuple[Ints, Ints]:
    """Return a number (b,) for each line of `codes` (b, k), equal for equal lines, and the first line of each number.

    Lines are sorted by a 64-bit random hash, and the result is then verified on the lines themselves.
    """
    weights = np.asarray(np.random.default_rng(20_13).integers(1, 2**63, size=(1, codes.shape[1])), dtype=np.int64)
    mixed = np.zeros(len(codes), dtype=np.int64)
    for k in range(codes.shape[1]):
        mixed += codes[:, k].astype(np.int64) * weights[0, k]  # modulo 2^64: overflow is intended
    _, first, number = np.unique(mixed, return_index=True, return_inverse=True)
    if not np.array_equal(codes[first[number]], codes):  # hash collision: sort the lines
        _, first, number = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return number.ravel(), first
