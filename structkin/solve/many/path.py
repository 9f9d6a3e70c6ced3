"""The paths of the drivers of all variants from the sketch over their samples, in the small steps of continuation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from structkin.budget import TOGETHER, charge
from structkin.model.laws import ConstantSpeed
from structkin.numerical_tolerances import WHOLE
from structkin.solve.schedule import EVEN, Schedule
from structkin.types import Floats, Indices


@dataclass(frozen=True)
class Path:
    """The drivers' values (v, n) or (1, n) at the stations of the variants, and the `parts` (n - 1,) between them.

    `samples` are the places of the samples among those at which `at` gives values.
    """

    values: Mapping[str, Floats]
    parts: Indices
    samples: Indices

    @classmethod
    def of(cls, schedule: Schedule, rows: Mapping[str, Floats], starts: Mapping[str, Floats], numbers: int) -> Path:
        """Return the paths over a schedule from the sketches of the variants.

        `rows` (orders, v, n) hold the values of drivers that differ, `starts` (v,) those in the sketches. The places of
        one variant, each of so many `numbers`, are charged to the budget. As in `solve`, the path of a scan is not
        followed.
        """
        drives, moved, charged = schedule.mechanism.drivers, shifts(schedule, starts), 0
        places = np.arange(len(schedule))
        values = {id: rows[id][0] if id in rows else z[:1] for id, z in schedule.drivers.items()}
        if not rows and not schedule.is_scan:
            fine, kept = schedule.fine(numbers)
            values = {id: z[:1, kept[0] :] for id, z in fine.drivers.items()}
            charged, places = len(fine) - kept[0], kept - kept[0]
        values = {id: own + moved[id][:, None] if id in moved and id not in rows else own for id, own in values.items()}
        if schedule.is_scan:
            return cls(values, np.ones(len(schedule) - 1, np.intp), places)
        parts = np.ones(charged or len(schedule), np.intp)
        for id, own in values.items():
            drawn = starts if schedule.mechanism._pose is None else {}
            start = drawn.get(id, np.full(len(own), drives[id].start))[:, None]
            if drives[id].kind == "angle":
                start = start + 2 * np.pi * np.round((own[:, :1] - start) / (2 * np.pi))
            count = max(len(own), len(start))
            ends = np.broadcast_to(start, (count, 1)), np.broadcast_to(own, (count, own.shape[1]))
            values[id] = np.concatenate(ends, axis=1)
            longest = np.nanmax(np.abs(np.diff(values[id])), axis=0, initial=0.0)
            counts = np.ceil(np.minimum(longest / schedule.step(id) * (1 - WHOLE), 2.0**40))
            parts = np.maximum(parts, counts.astype(np.intp))
        charge(float(parts.sum() - charged) * numbers / TOGETHER)
        return cls(values, parts, np.cumsum(parts)[places])

    @cached_property
    def is_sampled(self) -> bool:
        """Whether its places are the samples, of which the first is the sketch."""
        starts = all((own[:, 0] == own[:, 1]).all() for own in self.values.values())
        return starts and np.array_equal(self.samples, np.arange(1, self.count))

    @cached_property
    def is_even(self) -> bool:
        """Whether one driver moves through the samples of each variant in steps of nearly the same length."""
        if len(self.values) != 1 or not self.is_sampled:
            return False
        (z,) = self.values.values()
        steps = np.diff(z[:, 1:])
        least, most = steps.min(axis=1, initial=np.inf), steps.max(axis=1, initial=-np.inf)
        with np.errstate(all="ignore"):
            return bool(((least * most > 0) & (np.maximum(least / most, most / least) < EVEN)).all())

    @property
    def count(self) -> int:
        """The number of places along the path."""
        return int(self.parts.sum()) + 1 if self.values else 0

    def at(self, variants: Indices) -> dict[str, Floats]:
        """Return the drivers' values (variants, count) along the paths of some variants: straight between stations."""
        if self.is_sampled:
            return {
                id: np.broadcast_to(z[variants] if len(z) > 1 else z, (len(variants), self.count))
                for id, z in self.values.items()
            }
        first = np.repeat(np.arange(len(self.parts)), self.parts)
        part = (np.arange(len(first)) - np.repeat(np.cumsum(self.parts) - self.parts, self.parts)) / self.parts[first]
        found = {}
        for id, every in self.values.items():
            z = every[variants] if len(every) > 1 else every
            z = np.concatenate((z[:, first] + part * np.diff(z)[:, first], z[:, -1:]), axis=1)
            found[id] = np.broadcast_to(z, (len(variants), self.count))
        return found


def shifts(schedule: Schedule, starts: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return how far ahead of the mechanism's own the drivers of the variants are (v,) that have a speed.

    Their coordinates begin at the values in the sketches, `starts` (v,).
    """
    laws = {id: schedule.mechanism.drivers[id].law for id in starts if id not in schedule.by_values}
    return {id: starts[id] - law.start for id, law in laws.items() if isinstance(law, ConstantSpeed)}
