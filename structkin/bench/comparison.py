"""The measurements, and what follows from them: crossings, growth, ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from structkin.bench.compared_methods import with_engine
from structkin.bench.measure import Timing, crossing, exponent

#: Sizes from which the growth of the global methods is reported.
LARGE = 70
#: Methods in the order of the paper.
ORDER = ("II", "III", "III-tensors", "I", "IV", "IV-b")


@dataclass
class MethodComparison:
    """The measurements: whole motions, the same work at all sizes, several drivers, threads, shares of the time."""

    motions: list[Timing] = field(default_factory=list)
    scaling: list[Timing] = field(default_factory=list)
    drivers: list[Timing] = field(default_factory=list)
    #: Global methods over motions of a few turns, where continuation along the first turn dominates.
    short: list[Timing] = field(default_factory=list)
    #: Wall time [s] of one thread and of two, by number of dyads.
    threads: dict[int, tuple[float, float]] = field(default_factory=dict)
    #: By method, then by number of dyads.
    shares: dict[str, dict[int, Mapping[str, float]]] = field(default_factory=dict)

    def families(self) -> list[str]:
        """Return the families of lengths that were measured."""
        return list(dict.fromkeys(one.family for one in self.motions))

    def curves(self, family: str) -> dict[str, list[Timing]]:
        """Return the motions of a family by method and engine, sizes in order."""
        found: dict[str, list[Timing]] = {}
        for one in sorted(self.motions, key=lambda one: (ORDER.index(one.method), one.engine, one.dyads)):
            if one.family == family:
                found.setdefault(with_engine(one.method, one.engine), []).append(one)
        return found

    def crossings(self, family: str) -> list[str]:
        """Return in words the number of constraints from which one method is faster than another."""
        lines = []
        for (name, one), (other_name, other) in permutations(self.curves(family).items(), 2):
            at = overtaking(one, other)
            if at is not None:
                lines.append(f"{name} is faster than {other_name}: from {at[0]:.0f} constraints on")
        return lines

    def exponents(self) -> list[str]:
        """Return in words how the time of the same work grows with the number of dyads."""
        lines = []
        for method, engine in dict.fromkeys((one.method, one.engine) for one in self.scaling):
            least = LARGE if method in ("I", "IV", "IV-b") else 0
            found = [one for one in self.scaling if (one.method, one.engine) == (method, engine)]
            found = [one for one in found if one.dyads >= least]
            if len(found) > 1:
                p = 1 + exponent([float(one.dyads) for one in found], [one.nanoseconds for one in found])
                ends = f"from {found[0].dyads} to {found[-1].dyads} dyads"
                lines.append(f"{with_engine(method, engine)}: time ~ dyads^{p:.2f} {ends}")
        return lines


def figure(x: float) -> str:
    """Return a number with three significant digits."""
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def overtaking(one: Sequence[Timing], other: Sequence[Timing]) -> tuple[float, float] | None:
    """Return the number of constraints from which the first of two curves is the lower one, and its time there."""
    common = sorted({m.constraints for m in one} & {m.constraints for m in other})
    mine, theirs = ([m.best for m in curve if m.constraints in common] for curve in (one, other))
    at = crossing([float(c) for c in common], mine, theirs) if len(common) > 1 else None
    return None if at is None else (at, float(np.exp(np.interp(np.log(at), np.log(common), np.log(mine)))))
