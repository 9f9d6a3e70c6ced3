"""Random geometry modulo a prime: the numbers that a rank certificate needs.

A matrix whose entries are polynomials in the dimensions has, at a random point, its generic rank with
probability 1 - O(size / PRIME); modulo a prime the arithmetic is exact, so that a full rank found is a proof.
The seed is fixed: the same topology always meets the same geometry.
"""

from __future__ import annotations

import numpy as np

from structkin.structure.rows import IntArray, Rows

#: 2^31 - 1: the product of two residues fits an int64.
PRIME = 2_147_483_647


def coefficients(rows: Rows, seed: int = 0) -> IntArray:
    """Return the coefficients (m, 3) of each row on the twist (v_x, v_y, omega) of its first end.

    On its second end they have the other sign; a pin takes the first two. A bar along d through p holds
    d . (v + omega x p), an orientation row holds omega.

    >>> from structkin.model.topology import Driver, Joint, Topology
    >>> from structkin.structure.rows import rows_of
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
