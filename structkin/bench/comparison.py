"""What was measured, and what follows from it: crossings, growth, ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations

from structkin.bench.measure import Measured, crossing, exponent

#: Sizes from which on the growth of the global methods is told.
LARGE = 70
#: Methods in the order of the paper.
ORDER = ("II", "III", "III-tensors", "I", "IV", "IV-b")


@dataclass
class Comparison:
    """What was measured: whole motions, the same work at all sizes, several drivers, threads, shares of the time."""

    motions: list[Measured] = field(default_factory=list)
    scaling: list[Measured] = field(default_factory=list)
    drivers: list[Measured] = field(default_factory=list)
    threads: dict[int, float] = field(default_factory=dict)
    #: By method, then by number of dyads.
    shares: dict[str, dict[int, Mapping[str, float]]] = field(default_factory=dict)

    def families(self) -> list[str]:
        """Return the families of lengths that were measured."""
        return list(dict.fromkeys(one.family for one in self.motions))

    def curves(self, family: str) -> dict[str, list[Measured]]:
        """Return the motions of a family by method and engine, sizes in order."""
        found: dict[str, list[Measured]] = {}
        for one in sorted(self.motions, key=lambda one: (ORDER.index(one.method), one.engine, one.dyads)):
            if one.family == family:
                found.setdefault(f"{one.method} ({one.engine})", []).append(one)
        return found

    def crossings(self, family: str) -> list[str]:
        """Return in words from which number of constraints on one method is faster than another."""
        lines = []
        for (name, one), (other_name, other) in permutations(self.curves(family).items(), 2):
            common = sorted({m.constraints for m in one} & {m.constraints for m in other})
            times = [[m.best for m in curve if m.constraints in common] for curve in (one, other)]
            at = crossing([float(c) for c in common], *times) if len(common) > 1 else None
            if at is not None:
                lines.append(f"{name} is faster than {other_name} from {at:.0f} constraints on")
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
                lines.append(f"{method} ({engine}): time ~ dyads^{p:.2f} {ends}")
        return lines

    def ratios(self, family: str) -> list[str]:
        """Return in words, for each size and engine, how much longer the global methods take than the topological."""
        lines = []
        motions = [one for one in self.motions if one.family == family]
        for dyads, engine in dict.fromkeys((one.dyads, one.engine) for one in motions):
            here = {one.method: one.best for one in motions if one.dyads == dyads and one.engine == engine}
            # Dense and sparse factorisations have no engines: they stand beside both.
            here |= {one.method: one.best for one in motions if one.dyads == dyads and one.method in ("I", "IV")}
            names = [name for name in ("II", "IV-b", "IV", "I") if name in here]
            if names[0] == "II" and len(names) > 1:
                parts = " : ".join(_figure(here[name] / here["II"]) for name in names)
                lines.append(f"{dyads} dyads, {engine}: {' : '.join(names)} = {parts}")
        return lines

    def against_two(self) -> list[str]:
        """Return in words what K and L cost beside method II, for several drivers."""
        base = {(one.engine, one.drivers): one.best for one in self.drivers if one.method == "II"}
        return [
            f"{one.method} ({one.engine}), {one.drivers} driver{'s' if one.drivers > 1 else ''}: "
            f"{one.best / base[one.engine, one.drivers]:.2f} times II"
            for one in self.drivers
            if one.method != "II" and (one.engine, one.drivers) in base
        ]

    def over_bare(self, family: str) -> list[str]:
        """Return in words how long the global methods take beside their bare calls, and Newton's iterations."""
        lines = []
        for name, curve in self.curves(family).items():
            found = [one for one in curve if not math.isnan(one.bare)]
            if found:
                parts = ", ".join(f"{one.over_bare:.2f}" for one in found)
                sizes = ", ".join(str(one.dyads) for one in found)
                most = max(one.most for one in found)
                lines.append(f"{name}: {parts} times its bare calls at {sizes} dyads; {most} iterations at most")
        return lines


def _figure(x: float) -> str:
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"
