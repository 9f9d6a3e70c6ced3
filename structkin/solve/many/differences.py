"""The differences between variants in a call of `solve_many`: checked, errors kept for each variant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.flaw import LARGEST
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.solve.many.variants import Variants
from structkin.types import Flags, Floats


@dataclass
class Differences:
    """Lengths and complex places [m] of all variants, and individual driver values (orders, v, n).

    `counts` are the numbers of variants, `faults` the errors of single ones, by their numbers. These variants have the
    mechanism's own values, so that arrays stay complete.
    """

    mechanism: Mechanism
    lengths: dict[frozenset[str], Variants] = field(default_factory=dict)
    places: dict[str, Variants] = field(default_factory=dict)
    rows: dict[str, Floats] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of variants: all values have as many."""
        return next(iter(self.counts.values()))

    @property
    def faults(self) -> dict[int, InputError]:
        """The errors of single variants, by their numbers."""
        return {k: InputError(found, self.mechanism.title) for k, found in self.problems.items()}

    def drivers_of(self, k: int, drivers: Mapping[str, Any]) -> dict[str, Any]:
        """Return the driver values of a variant: its own row where there are rows."""
        return {id: tuple(self.rows[id][:, k]) if id in self.rows else given for id, given in drivers.items()}

    def check(self, key: str, values: Floats, own: Any, faults: Mapping[str, Flags]) -> None:
        """Note the errors of variants: their numbers become the mechanism's `own`. Each message has its places (v,)."""
        self.counts[key] = len(values)
        for message, bad in faults.items():
            values[bad] = own
            for k in np.flatnonzero(bad).tolist():
                self.problems.setdefault(k, []).append(Problem(key, message))


def read_differences(
    mechanism: Mechanism, lengths: Mapping[str, Any], points: Mapping[str, Any], drivers: Mapping[str, Any]
) -> Differences:
    """Return the differences.

    Raises `InputError` that lists wrong names and shapes, or where no variant has valid values.
    """
    found = Differences(mechanism)
    problems: list[Problem] = []
    for name, given in lengths.items():
        key, pair = f"lengths.{name}", frozenset(str(name).split("-"))
        alone = _numbers(given, 0)  # one number for all variants
        values = _numbers(given, 1) if alone is None else alone.reshape(1)
        link = next((link for link in mechanism.links.values() if len(pair) == 2 and pair <= set(link.points)), None)
        if link is None:
            problems.append(Problem(key, "no link has these two points", 'name two points of a link: "A-B"'))
        elif pair in found.lengths:
            problems.append(Problem(key, "the length between these points is given twice", "delete one"))
        elif values is None:
            problems.append(Problem(key, "expected lengths (v,) [m], or one number for all variants"))
        else:
            a, b = (link.local[point] for point in pair)
            faults = {
                "expected a finite length greater than zero": ~((values > 0) & (values <= LARGEST)),
                "the length is too small to compute with": (values > 0) & (values <= mechanism.size / LARGEST),
            }
            if alone is None:
                found.check(key, values, abs(b - a), faults)
            else:
                problems += [Problem(key, message) for message, bad in faults.items() if bad[0]]
            found.lengths[pair] = Variants(np.concatenate(([abs(b - a)], values)))
    for name, given in points.items():
        key, values = f"points.{name}", _numbers(given, 2)
        if name not in mechanism.places:
            problems.append(Problem(key, "is not a point of this mechanism", suggest(str(name), mechanism.places)))
        elif values is None or values.shape[1] != 2:
            problems.append(Problem(key, "expected places (v, 2) [m]"))
        else:
            own, bad = mechanism.places[name], np.any(~(np.abs(values) <= LARGEST), axis=1)
            found.check(key, values, (own.real, own.imag), {"expected a finite place": bad})
            found.places[name] = Variants(np.concatenate(([own], values[:, 0] + 1j * values[:, 1])))
    for id, given in drivers.items():
        parts = [_numbers(part, 2) for part in (given if isinstance(given, tuple) else (given,))]
        rows = [part for part in parts if part is not None]
        if rows and len(rows) == len(parts) <= 3 and all(part.shape == rows[0].shape for part in rows):
            bad = np.any(~np.isfinite(rows[0]), axis=1)
            start = mechanism.drivers[id].start if id in mechanism.drivers else 0.0
            found.check(f"drivers.{id}", rows[0], start, {"contains values that are not finite": bad})
            found.rows[id] = np.stack(rows)
    if not found.counts and not problems:
        problems.append(
            Problem("variants", "nothing differs", "give lengths (v,), points (v, 2) or driver values (v, n)")
        )
    if len(set(found.counts.values())) > 1:
        found_counts = ", ".join(f"{key}: {count}" for key, count in found.counts.items())
        problems.append(
            Problem("variants", f"numbers of variants differ ({found_counts})", "give one value per variant")
        )
    if problems:
        raise InputError(problems, mechanism.title)
    for pair, numbers in found.lengths.items():
        values = numbers.values
        found.lengths[pair] = Variants(np.append(values[0], np.broadcast_to(values[1:], found.count)))
    if len(found.problems) == found.count:
        problems = [Problem(f"variant 0: {one.key}", one.message, one.hint) for one in found.problems[0]]
        problems.append(Problem("variants", "none has valid values"))
        raise InputError(problems, mechanism.title)
    return found


def _numbers(given: Any, ndim: int) -> Floats | None:
    """Return real numbers as a new array with this many dimensions, NaN where they are masked; None if they are not."""
    try:
        values = np.ma.asanyarray(given)
    except ValueError:
        return None
    if values.dtype.kind not in "iuf" or values.ndim != ndim or not values.size:
        return None
    return np.array(values.astype(np.float64).filled(np.nan))
