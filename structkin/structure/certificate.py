"""The rank certificate: are the equations of each block independent at random geometry?

An orientation only counts equations, and counts can mislead: two links that share two floating pins have a
perfect orientation, but one equation too many. If the rows of every block have full rank on the block's own
columns, so has the whole block-triangular system, and the decomposition is proven.

A matrix whose entries are polynomials in the dimensions has its generic rank at a random point with probability
1 - O(size / PRIME). Arithmetic modulo a prime is exact, so full rank is a proof. The seed is fixed: the same topology
always gets the same geometry.
"""

from __future__ import annotations

import numpy as np

from structkin.structure.eliminate import PRIME, eliminate
from structkin.structure.joint_rows import GROUND, Rows
from structkin.structure.shapes import Shapes, shapes_of, spread
from structkin.types import Flags, Ints

#: Blocks with more columns are eliminated as sparse matrices.
DENSE = 120
#: Entries of one batch of dense blocks.
BATCH = 4_000_000


def coefficients(rows: Rows, seed: int = 0) -> Ints:
    """Return the coefficients (m, 3) of each row on the twist (v_x, v_y, omega) of its first end.

    On its second end they have the other sign; a pin takes the first two. A bar along d through p holds
    d . (v + omega x p), an orientation row holds omega.

    >>> from structkin.model.topology import Driver, Joint, Topology
    >>> from structkin.structure.joint_rows import rows_of
    >>> crank = Topology(("0", "1"), "0", (Joint("A", "R", ("0", "1")),), (Driver("d", "angle", ("0", "1")),))
    >>> coefficients(rows_of(crank))[2].tolist()
    [0, 0, 1]
    """
    draw = np.random.default_rng([seed, 20_13])
    m = len(rows.item)
    n_places = int(max(rows.place.max(), rows.toward.max())) + 1 if m else 0
    points = draw.integers(1, PRIME, size=(n_places, 2))
    axes = draw.integers(1, PRIME, size=(int(rows.axis.max()) + 1 if m else 0, 2))
    along = axes[rows.axis]
    along = np.where(rows.across[:, None], np.stack([PRIME - along[:, 1], along[:, 0]], axis=1), along)
    point = points[rows.place]
    between = rows.toward >= 0
    along[between] = (points[rows.toward[between]] - point[between]) % PRIME
    moment = (along[:, 1] * point[:, 0] % PRIME - along[:, 0] * point[:, 1] % PRIME) % PRIME
    result = np.stack([along[:, 0], along[:, 1], moment], axis=1)
    result[rows.turns] = (0, 0, 1)
    return result


def deficient_blocks(rows: Rows, values: Ints, owner: Ints, block: Ints, shapes: Shapes | None = None) -> Flags:
    """Return for each block (k,) whether its owned rows are linearly dependent on the block's own columns.

    `values` (m, 3) are the coefficients, `owner` (m,) and `block` (n,) the orientation and its components. The
    generic rank is the same for all blocks of one shape, so only one of each is eliminated.
    """
    shapes = shapes_of(rows, owner, block) if shapes is None else shapes
    result = np.zeros(shapes.count, dtype=np.bool_)
    examples = shapes.example
    if not len(examples):
        return result
    height, size = np.diff(shapes.row_start)[examples], np.diff(shapes.vertex_start)[examples]
    vertex = shapes.vertex[spread(shapes.vertex_start[examples], size)]
    width = np.bincount(np.repeat(np.arange(len(examples)), size), weights=rows.capacity[vertex]).astype(np.int64)
    first_column = np.cumsum(width) - width
    offset = np.zeros(len(block), dtype=np.int64)  # of the vertices in question
    offset[vertex] = np.cumsum(rows.capacity[vertex]) - rows.capacity[vertex] - np.repeat(first_column, size)

    deficient = np.zeros(len(examples), dtype=np.bool_)
    shape = width * (int(height.max()) + 1) + height
    for one in np.unique(shape):
        members = np.flatnonzero(shape == one)
        h, w = int(height[members[0]]), int(width[members[0]])
        if w > DENSE:
            for member in members.tolist():
                home = int(examples[member])
                lines = [_entries(rows, values, r, block, home, offset) for r in shapes.rows_of(home)]
                deficient[member] = len(eliminate(lines, range(w))[0]) < h
            continue
        step = max(1, BATCH // (h * w))
        for at in range(0, len(members), step):
            part = examples[members[at : at + step]]
            chosen = shapes.row[(shapes.row_start[part][:, None] + np.arange(h)).ravel()]
            matrix = np.zeros((len(part) * h, w), dtype=np.int64)
            for side, sign in ((0, 1), (1, -1)):
                end = rows.ends[chosen, side]
                inside = (end != GROUND) & (block[end] == np.repeat(part, h))
                for k in range(3):
                    fits = np.flatnonzero(inside & (rows.capacity[end] > k))
                    matrix[fits, offset[end[fits]] + k] = sign * values[chosen[fits], k] % PRIME
            deficient[members[at : at + step]] = batched_rank(matrix.reshape(len(part), h, w)) < h
    has_rows = shapes.shape >= 0
    result[has_rows] = deficient[shapes.shape[has_rows]]
    return result


def _entries(rows: Rows, values: Ints, row: int, block: Ints, member: int, offset: Ints) -> dict[int, int]:
    entries: dict[int, int] = {}
    for side, sign in ((0, 1), (1, -1)):
        vertex = int(rows.ends[row, side])
        if vertex != GROUND and block[vertex] == member:
            for k in range(int(rows.capacity[vertex])):
                value = sign * int(values[row, k]) % PRIME
                if value:
                    entries[int(offset[vertex]) + k] = value
    return entries


def batched_rank(matrices: Ints) -> Ints:
    """Return the rank (b,) modulo PRIME of each matrix (b, h, w); the matrices are overwritten.

    Division-free elimination of all matrices in parallel: row := pivot * row - entry * pivot row.

    >>> batched_rank(np.array([[[1, 2], [2, 4]], [[0, 1], [1, 0]]])).tolist()
    [1, 2]
    """
    count, height, width = matrices.shape
    rank = np.zeros(count, dtype=np.int64)
    index = np.arange(height)
    for column in range(width):
        candidate = (matrices[:, :, column] != 0) & (index >= rank[:, None])
        live = np.flatnonzero(candidate.any(axis=1))
        if not len(live):
            continue
        chosen = candidate[live].argmax(axis=1)
        at = rank[live]
        pivot = matrices[live, chosen, column:]
        matrices[live, chosen, column:] = matrices[live, at, column:]
        matrices[live, at, column:] = pivot
        part = matrices[live, :, column:]
        reduced = (part * pivot[:, None, :1] - part[:, :, :1] * pivot[:, None, :]) % PRIME
        below = index > at[:, None]
        matrices[live, :, column:] = np.where(below[:, :, None], reduced, part)
        rank[live] += 1
    return rank
