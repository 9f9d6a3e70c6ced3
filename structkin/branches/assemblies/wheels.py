"""Whole turns of links that drive wheels: how many of them lead to different poses.

A link of which only the direction is known may have made further whole turns. The wheels that it drives then have other
angles, unless their ratios are whole numbers: with a ratio 1 : 2 there are two poses, and all repeat after two turns.
Turns of several links can move a wheel equally: then their counts are different names of one pose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from structkin.groups import Turn, kind
from structkin.numerical_tolerances import WHOLE
from structkin.plan.plan import Plan, Register, Step
from structkin.plan.relations import Sum

#: More turns than this are not listed.
MOST = 60

#: How far the wheel of each step, by its index, moves in one turn, in whole turns.
Rates = Mapping[int, Fraction]


@dataclass(frozen=True)
class Repeats:
    """The whole turns after which all poses repeat.

    `slots` are those of counted turns in the order of the steps. Poses repeat where their counts differ by whole
    multiples of `rows`, integers for each slot: row k is zero after its place k, where it has the number of turns that
    lead to different poses at given counts before. One more row is that of the `driver`, if it is asked for.
    """

    slots: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]

    def of(self, slot: int) -> int | None:
        """Return the number of turns in a slot that lead to different poses; None if it is not known."""
        if slot not in self.slots:
            return None
        k = self.slots.index(slot)
        return self.rows[k][k]

    @property
    def driver(self) -> tuple[int, ...] | None:
        """The counts, and last the turns of the driver, after which poses repeat."""
        return self.rows[-1] if len(self.rows) > len(self.slots) else None

    def least(self, counts: Mapping[int, int]) -> dict[int, int]:
        """Return the least counts that are not negative, by slot, of the pose that has these.

        >>> Repeats((4, 6), ((2, 0), (-1, 1))).least({4: 0, 6: 1})
        {4: 1, 6: 0}
        """
        found = _reduced([counts[slot] for slot in self.slots], self.rows)
        return dict(zip(self.slots, found, strict=True))


def whole_turns(plan: Plan, index: int) -> int | None:
    """Return the number of turns counted by step `index` that lead to different poses; None if more than 60.

    It is 1 for steps that count no turns.
    """
    step = plan.steps[index]
    return known_repeats(plan).of(step.outputs[0]) if isinstance(step.kind, Turn) else 1


def known_repeats(plan: Plan) -> Repeats:
    """Return the turns after which poses repeat, without those of which more than 60 would be different."""
    known = {slot: rates for slot, rates in _counted(plan).items() if rates is not None}
    return Repeats(tuple(known), _triangular(list(known.values())))


def repeats(plan: Plan, driver: str | None = None) -> Repeats | None:
    """Return the turns after which poses repeat, also those of an angle driver; None if more than 60 for any."""
    every = _counted(plan)
    rates = list(every.values())
    if driver is not None:
        slots = [item.register for item in plan.drivers if item.driver == driver and not item.angular]
        rates.append(_rates(slots, 0, plan.steps))
    known = [each for each in rates if each is not None]
    return Repeats(tuple(every), _triangular(known)) if len(known) == len(rates) else None


def _counted(plan: Plan) -> dict[int, Rates | None]:
    """Return how the wheels move with each counted turn, by its slot; None for more than 60 different poses."""
    turns = ((k, step.outputs[0]) for k, step in enumerate(plan.steps) if isinstance(step.kind, Turn))
    return {slot: _rates([slot], k + 1, plan.steps) for k, slot in turns}


def _rates(slots: Iterable[int], first: int, steps: tuple[Step, ...]) -> Rates | None:
    # How far each scalar moves in one turn, in whole turns.
    rates, wheels = dict.fromkeys(slots, 1.0), dict[int, float]()
    for index, later in enumerate(steps[first:], first):
        moved = [rates.get(x.index, 0.0) if isinstance(x, Register) else 0.0 for x in later.inputs]
        if not any(moved):
            continue
        if isinstance(later.kind, Sum):
            total = sum(factor * rate for factor, rate in zip(later.kind.factors, moved, strict=True))
            rates[later.outputs[0]] = total
        elif isinstance(later.kind, type(kind("R-G"))):
            wheels[index] = sum(moved)
        else:
            # A rack moves on with every turn, and what a larger group does with it is not known here.
            return None
    for turns in range(1, MOST + 1):
        if all(abs(turns * rate - round(turns * rate)) < WHOLE * turns for rate in wheels.values()):
            return {index: Fraction(round(turns * rate), turns) for index, rate in wheels.items()}
    return None


def _triangular(columns: Sequence[Rates]) -> tuple[tuple[int, ...], ...]:
    """Return a triangular basis of the counts with which all wheels make whole turns, from the rates of each count.

    Wheel by wheel: of the counts so far, those are kept with which this wheel makes whole turns, too.
    """
    n = len(columns)
    rows = [[int(i == k) for i in range(n)] for k in range(n)]
    for wheel in sorted({wheel for rates in columns for wheel in rates}):
        own = [rates.get(wheel, Fraction(0)) for rates in columns]
        whole = math.lcm(*(rate.denominator for rate in own))
        # The rows before move the wheel by multiples of `step` parts of a turn; `by` moves it by one.
        step, by, kept = whole, [0] * n, list[list[int]]()
        for row in rows:
            parts = int(whole * sum(rate * count for rate, count in zip(own, row, strict=True)))
            common = math.gcd(step, parts)
            kept.append(_sum(step // common, row, -parts // common, by))
            inverse = pow(parts // common, -1, step // common)
            step, by = common, _sum(inverse, row, (common - inverse * parts) // step, by)
        rows = []
        for k, row in enumerate(kept):
            rows.append([*_reduced(row[:k], rows), *row[k:]])
    return tuple(map(tuple, rows))


def _sum(a: int, first: Sequence[int], b: int, second: Sequence[int]) -> list[int]:
    return [a * x + b * y for x, y in zip(first, second, strict=True)]


def _reduced(counts: Sequence[int], rows: Sequence[Sequence[int]]) -> list[int]:
    """Return counts less multiples of rows, so that none is negative or as large as the row's own."""
    found = list(counts)
    for k in reversed(range(len(found))):
        found[: k + 1] = _sum(1, found[: k + 1], -(found[k] // rows[k][k]), rows[k][: k + 1])
    return found
