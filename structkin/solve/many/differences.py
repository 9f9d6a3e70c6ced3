"""The differences between variants in a call of `solve_many`: checked, errors kept for each variant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.flaw import LARGEST, Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import Number, number_of, own_value, with_numbers
from structkin.model.topology import suggest
from structkin.solve.many.variants import Variants
from structkin.types import Flags, Floats


@dataclass
class Differences:
    """Lengths and complex places [m] of all variants, other numbers (v,), and driver values (orders, v, n).

    `counts` are the numbers of variants, `problems` the errors of single ones, by their numbers. These variants have
    the mechanism's own values, so that arrays stay complete.
    """

    mechanism: Mechanism
    lengths: dict[frozenset[str], Variants] = field(default_factory=dict)
    places: dict[str, Variants] = field(default_factory=dict)
    rows: dict[str, Floats] = field(default_factory=dict)
    numbers: dict[Number, Floats] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of variants: all values have as many."""
        return next(iter(self.counts.values()))

    def faults_of(self, part: slice) -> dict[int, InputError]:
        """Return the errors of some variants, by their numbers."""
        title = self.mechanism.title
        return {k: InputError(found, title) for k, found in self.problems.items() if part.start <= k < part.stop}

    def drivers_of(self, k: int, drivers: Mapping[str, Any]) -> dict[str, Any]:
        """Return the driver values of a variant: its own row where there are rows."""
        return {id: tuple(self.rows[id][:, k]) if id in self.rows else given for id, given in drivers.items()}

    @property
    def speeds(self) -> dict[str, Floats]:
        """The speeds of drivers that differ (v,) [rad/s or m/s]."""
        return {str(number.path[1]): values for number, values in self.numbers.items() if number.is_speed}

    def variant(self, k: int) -> Mechanism:
        """Return the mechanism with the numbers of variant k; `InputError` where it cannot be built."""
        if k in self.problems:
            raise InputError(self.problems[k], self.mechanism.title)
        values = {number: float(own[k]) for number, own in self.numbers.items()}
        for pair, length in self.lengths.items():
            values[number_of(self.mechanism, f"lengths.{'-'.join(sorted(pair))}")] = float(length.values[1 + k])
        for name, places in self.places.items():
            place = places.values[1 + k]
            for part, value in (("x", place.real), ("y", place.imag)):
                values[Number(f"points.{name}.{part}", ("points", name, "xy".index(part)), "length")] = float(value)
        return with_numbers(self.mechanism, values)

    def check(self, key: str, values: Floats, own: Any, faults: Mapping[str, Flags]) -> None:
        """Note the errors of variants: their numbers become the mechanism's `own`. Each message has its places (v,)."""
        self.counts[key] = len(values)
        for message, bad in faults.items():
            values[bad] = own
            for k in np.flatnonzero(bad).tolist():
                self.problems.setdefault(k, []).append(Problem(key, message))


def read_differences(
    mechanism: Mechanism,
    parameters: Mapping[str, Any],
    lengths: Mapping[str, Any],
    points: Mapping[str, Any],
    drivers: Mapping[str, Any],
    *,
    all_may_fail: bool = False,
) -> Differences:
    """Return the differences.

    Raises `InputError` that lists wrong names and shapes, or where no variant has valid values, unless `all_may_fail`.
    """
    found = Differences(mechanism)
    problems: list[Problem] = []
    keys = [(f"lengths.{name}", str(name), given) for name, given in lengths.items()]
    keys += [(key, key[8:], given) for key, given in parameters.items() if key.startswith("lengths.")]
    for key, name, given in keys:
        pair = frozenset(name.split("-"))
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
    for key, given in parameters.items():
        if not key.startswith("lengths."):
            try:
                _read_number(found, key, given)
            except Flaw as flaw:
                problems.append(Problem(key, flaw.message, flaw.hint))
    problems += [
        Problem(f"drivers.{id}", "has values as well as a speed", "give one of them")
        for id in found.speeds
        if id in drivers
    ]
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
            Problem(
                "variants", "nothing differs", "give parameters or lengths (v,), points (v, 2) or driver values (v, n)"
            )
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
    for number in found.numbers:
        _find_refused(found, number)
    if len(found.problems) == found.count and not all_may_fail:
        problems = [Problem(f"variant 0: {one.key}", one.message, one.hint) for one in found.problems[0]]
        problems.append(Problem("variants", "none has valid values"))
        raise InputError(problems, mechanism.title)
    return found


def _read_number(found: Differences, key: str, given: Any) -> None:
    """Add a number of the mechanism by its key; raise `Flaw`."""
    mechanism, number, values = found.mechanism, number_of(found.mechanism, key), _numbers(given, 1)
    if values is None:
        raise Flaw("expected numbers (v,), in SI")
    if number.path[0] != "points":
        if number in found.numbers:
            raise Flaw("is given twice", "delete one")
        own = own_value(mechanism, number)
        found.check(key, values, own, {"expected a finite number": ~(np.abs(values) <= LARGEST)})
        found.numbers[number] = values
        return
    name, part = str(number.path[1]), int(number.path[2])
    if name in found.places and f"points.{name}" in found.counts:
        raise Flaw("is given twice", "delete one")
    place = mechanism.places[name]
    found.check(key, values, (place.real, place.imag)[part], {"expected a finite place": ~(np.abs(values) <= LARGEST)})
    known = found.places.setdefault(name, Variants(np.full(1 + len(values), place)))
    if len(known.values) == 1 + len(values):  # else the numbers of variants differ, which is reported
        (known.values.imag if part else known.values.real)[1:] = values


def _find_refused(found: Differences, number: Number) -> None:
    """Note the variants whose value of a number no mechanism can have, such as a negative mass.

    The values that a mechanism can have lie together: their least and largest are sought by halving.
    """
    values = found.numbers[number]
    own = own_value(found.mechanism, number)
    for side in (np.unique(values[values > own]), np.unique(values[values < own])[::-1]):
        least, low, high = None, 0, len(side)
        while low < high:
            middle = (low + high) // 2 if least is not None else high - 1
            try:
                with_numbers(found.mechanism, {number: float(side[middle])})
                low = middle + 1
            except InputError as error:
                least, high = error.problems[0], middle
        if least is not None:
            bad = values >= side[low] if side[low] > own else values <= side[low]
            found.check(number.key, values, own, {least.message: bad})


def _numbers(given: Any, ndim: int) -> Floats | None:
    """Return real numbers as a new array with this many dimensions, NaN where they are masked; None if they are not."""
    try:
        values = np.ma.asanyarray(given)
    except ValueError:
        return None
    if values.dtype.kind not in "iuf" or values.ndim != ndim or not values.size:
        return None
    return np.array(values.astype(np.float64).filled(np.nan))
