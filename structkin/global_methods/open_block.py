"""Which part of a mechanism does not close: its diagonal blocks are closed one after another, as its groups would be.

All equations together spread a gap that cannot be closed over every joint before it; block by block it stays where it
belongs.
"""

from __future__ import annotations

import numpy as np

from structkin.global_methods.scaled import Scaled
from structkin.numerical_tolerances import LAST_DIGIT, OPEN_ROW
from structkin.types import Floats, Indices


def open_links(scaled: Scaled, q: Floats, z: Floats) -> tuple[str, ...]:
    """Return the links at the open rows of the first diagonal block that does not close from q (n, 1) at z (f, 1).

    Empty where all blocks close one after another, or where the system has no such blocks.
    """
    from scipy.optimize import least_squares

    blocks, labels = scaled.blocks, scaled.coordinates.rows
    if blocks is None:
        return ()
    q, unit = q.copy(), scaled.coordinates.column_units
    for block in blocks.blocks:
        rows = block.rows if scaled.chosen is None else scaled.chosen[block.rows]
        columns = block.columns

        def phi(x: Floats, rows: Indices = rows, columns: Indices = columns) -> Floats:
            q[columns, 0] = x * unit[columns]
            return np.asarray(scaled.all_rows(q, z)[0][rows, 0])

        start = q[columns, 0] / unit[columns]
        if np.max(np.abs(phi(start))) > OPEN_ROW:
            found = least_squares(phi, start, method="lm", xtol=LAST_DIGIT, ftol=LAST_DIGIT, gtol=LAST_DIGIT)
            gaps = np.abs(phi(found.x))
            if not gaps.max() <= OPEN_ROW:
                wide = rows[gaps > 0.1 * gaps.max()]
                return tuple(dict.fromkeys(link for row in wide.tolist() for link in labels[row].links))
    return ()
