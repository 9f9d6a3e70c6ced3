"""Which coordinates depend on which: independent equations of closure, dependent coordinates, and their groups.

The equations that are kept are split into groups that are solved one after the other (block triangular form), as the
structural groups of a planar mechanism are. Solving the loops where they are met, so that what carries them sees
independent coordinates only, is the idea of constraint embedding (Jain 2012; Chignoli et al., arXiv 2311.13732). The
loop-constrained articulated-body algorithm and proxBBO (Sathya and Carpentier, ICRA 2026) reach O(n + m) with it, and
regularise dependent equations by proximal steps. Here dependent equations are left out by rank instead, which keeps
the closure of the loops exact; and the masses stay those of S4, with M_red = J^T M J.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import scipy.linalg
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from structkin.numerical_tolerances import HALF_DIGITS, LEAST_POSITIVE
from structkin.symbolic.closures_at import Rows
from structkin.symbolic.evaluating import Choice
from structkin.symbolic.passes import Bodies
from structkin.types import Flags, Floats, Ints

#: Rates B_vu above LARGE ask for other independent coordinates; they are changed if that brings them to BETTER of it.
LARGE, BETTER = 4.0, 0.5


def rank_of(A: Floats) -> int:
    """Return the rank of a matrix."""
    if not A.size:
        return 0
    values = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(values > HALF_DIGITS * max(values[0], LEAST_POSITIVE)))


def pattern_of(bodies: Bodies, rows: Rows) -> Flags:
    """Return (m, f) with True where a coordinate moves one body of a row's loop against the other."""
    n, f = bodies.parent.size, int(bodies.coordinate.max(initial=-1)) + 1
    pattern = np.zeros((rows.kind.size, f), dtype=bool)
    for k, pair in enumerate(rows.bodies):
        first, second = (set(bodies.path[i, : bodies.depth[i]]) if i < n else set() for i in pair)
        pattern[k, list(first ^ second)] = True
    return pattern


class Chooser:
    """Chooses independent equations and coordinates at a pose, of a Jacobian of known rank."""

    def __init__(self, pattern: Flags, units: Floats, scale: Floats, rank: int) -> None:
        """Keep what does not change: which coordinates a row depends on, units of rows and coordinates, the rank."""
        self.pattern, self.units, self.scale, self.rank = pattern, units, scale, rank
        self._groups: dict[tuple[int, ...], tuple[list[int], list[int], list[int]]] = {}

    def choose(self, W: Floats, v: Ints | None = None) -> Choice:
        """Return the best conditioned choice for W^T (m, f); its dependent coordinates are v (r,) if they are given."""
        A = self.without_units(W)
        dependent = self._pivots(A) if v is None else np.sort(v)
        rows, dependent, starts = self._ordered(self._pivots(A[:, dependent].T), dependent)
        u = np.setdiff1d(np.arange(W.shape[1]), dependent)
        return Choice(rows, dependent, u, np.array(starts), self.scale)

    def _pivots(self, A: Floats) -> Ints:
        """Return as many columns of A as its rank, in order, that are far from dependent."""
        pivots = scipy.linalg.qr(A, mode="r", pivoting=True)[1] if self.rank else np.zeros(0)
        return np.sort(pivots[: self.rank]).astype(np.int64)

    def without_units(self, W: Floats) -> Floats:
        """Return W^T (m, f) in units of rows and coordinates."""
        return np.asarray(W * self.scale / self.units[:, None])

    def largest_rate(self, W: Floats, choice: Choice) -> float:
        """Return the largest entry of B_vu, in units of the coordinates; infinite where Phi_v is singular."""
        A = self.without_units(W)
        try:
            B = np.linalg.solve(A[np.ix_(choice.rows, choice.v)], A[np.ix_(choice.rows, choice.u)])
        except np.linalg.LinAlgError:
            return np.inf
        return float(np.abs(B).max(initial=0.0))

    def better(self, W: Floats, choice: Choice) -> Choice | None:
        """Return other independent coordinates if those of a choice have become bad, else None."""
        now = self.largest_rate(W, choice)
        if now <= LARGE:
            return None
        other = self.choose(W)
        return other if self.largest_rate(W, other) <= BETTER * now else None

    def _ordered(self, rows: Ints, v: Ints) -> tuple[Ints, Ints, list[int]]:
        """Return rows and columns in an order that makes Phi_v block triangular, and the starts of the blocks."""
        key = (*rows, -1, *v)
        if key not in self._groups:
            pattern = self.pattern[np.ix_(rows, v)]
            column = maximum_bipartite_matching(csr_array(pattern.astype(np.int8)), perm_type="column")
            needs = nx.DiGraph()
            needs.add_nodes_from(range(len(rows)))
            row = np.argsort(column)
            needs.add_edges_from((int(row[j]), int(i)) for i, j in zip(*np.nonzero(pattern), strict=True))
            blocks = nx.condensation(needs)
            order = [sorted(blocks.nodes[g]["members"]) for g in nx.topological_sort(blocks)]
            numbers = [i for group in order for i in group]
            self._groups[key] = numbers, column[numbers].tolist(), np.cumsum([0, *map(len, order)]).tolist()
        numbers, columns, starts = self._groups[key]
        return rows[numbers], v[columns], starts
