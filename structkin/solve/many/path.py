"""The paths of the drivers of all variants from the sketch over their samples, in the small steps of continuation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.budget import TOGETHER, charge
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import SEPARATE

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Path:
    """The drivers' values (v, n) or (1, n) at the stations of the variants, and the `parts` (n - 1,) between them."""

    values: Mapping[str, Floats]
    parts: NDArray[np.intp]

    @classmethod
    def of(cls, schedule: Schedule, rows: Mapping[str, Floats], numbers: int) -> Path:
        """Return the paths over a schedule; `rows` (orders, v, n) hold the values of drivers that differ.

        The places of one variant, each of so many `numbers`, are charged to the budget. As in `solve`, the path between
        more than `SEPARATE` samples is not followed.
        """
        if len(schedule) > SEPARATE:
            values = {id: rows[id][0] if id in rows else z[:1] for id, z in schedule.drivers.items()}
            return cls(values, np.ones(len(schedule) - 1, np.intp))
        if not rows:
            values = {id: z[:1] for id, z in schedule.fine(numbers)[0].drivers.items()}
            return cls(values, np.ones(max(len(z[0]) for z in values.values()) - 1 if values else 0, np.intp))
        values, parts = {}, np.ones(len(schedule), np.intp)
        for id, z in schedule.drivers.items():
            own = rows[id][0] if id in rows else z[:1]
            start = np.full((len(own), 1), schedule.mechanism.drivers[id].start)
            if schedule.mechanism.drivers[id].kind == "angle":
                start += 2 * np.pi * np.round((own[:, :1] - start) / (2 * np.pi))
            values[id] = np.concatenate((start, own), axis=1)
            longest = np.nanmax(np.abs(np.diff(values[id])), axis=0, initial=0.0)
            parts = np.maximum(parts, np.ceil(np.minimum(longest / schedule.step(id), 2.0**40)).astype(np.intp))
        charge(float(parts.sum()) * numbers / TOGETHER)
        return cls(values, parts)

    @property
    def count(self) -> int:
        """The number of places along the path."""
        return int(self.parts.sum()) + 1 if self.values else 0

    def at(self, variants: NDArray[np.intp]) -> dict[str, Floats]:
        """Return the drivers' values (variants, count) along the paths of some variants: straight between stations."""
        first = np.repeat(np.arange(len(self.parts)), self.parts)
        part = (np.arange(len(first)) - np.repeat(np.cumsum(self.parts) - self.parts, self.parts)) / self.parts[first]
        found = {}
        for id, every in self.values.items():
            z = every[variants] if len(every) > 1 else every
            z = np.concatenate((z[:, first] + part * np.diff(z)[:, first], z[:, -1:]), axis=1)
            found[id] = np.broadcast_to(z, (len(variants), self.count))
        return found
