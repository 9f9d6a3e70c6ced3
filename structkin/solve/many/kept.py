"""Results of variants of which only some points and links are kept, and measures of their motions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.arguments import unmasked
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.solve.many.motions import Motions

#: What is kept of a point and of a link.
OF_POINT, OF_LINK = ("position", "velocity", "acceleration"), ("angle", "omega", "alpha")
#: What the values of a measure are, by the kind of their type.
WORDS = {**dict.fromkeys("biuf", "numbers"), "c": "complex numbers", "U": "text", "S": "bytes"}
#: What to do about rows of several shapes.
ONE_SHAPE = "return rows of one shape for all variants, with NaN where there is nothing"


@dataclass(frozen=True)
class Kept:
    """Status and group of all variants and samples (v, n), and the quantities (v, n, ...) of some points and links."""

    mechanism: Mechanism
    status: NDArray[np.int8]
    failed_group: NDArray[np.int32]
    values: dict[tuple[str, str], Floats] = field(default_factory=dict)

    def of(self, quantity: str, name: str) -> Floats:
        """Return a quantity (v, n, ...) of a point or link; `InputError` where it was not kept."""
        if (quantity, name) not in self.values:
            kept = ", ".join(dict.fromkeys(name for _, name in self.values)) or "nothing"
            raise InputError([Problem(name, "was not kept", f"kept: {kept}")], self.mechanism.title)
        return self.values[quantity, name]


def quantities(mechanism: Mechanism, names: Iterable[str]) -> list[tuple[str, str]]:
    """Return what is kept of points and links; `InputError` lists the names that are neither."""
    names = list(names)
    known = (*mechanism.places, *mechanism.links)
    if unknown := [name for name in names if name not in known]:
        problems = [Problem(f"keep.{name}", "is not a point or link", suggest(name, known)) for name in unknown]
        raise InputError(problems, mechanism.title)
    of_points = [(what, name) for name in names if name in mechanism.places for what in OF_POINT]
    return of_points + [(what, name) for name in names if name in mechanism.links for what in OF_LINK]


def measured(motions: Motions, measures: Mapping[str, Callable[[Motions], Any]]) -> dict[str, NDArray[Any]]:
    """Return measures (v, ...) of motions; `InputError` where one has not a row for each variant."""
    found, problems = {}, []
    for name, measure in measures.items():
        rows = measure(motions)
        try:
            found[name] = unmasked(rows)
        except ValueError:
            message = "returned rows of different shapes"
            problems.append(Problem(f"measures.{name}", message, ONE_SHAPE))
            continue
        if found[name].shape[:1] != (len(motions),):
            message = f"returned the shape {found[name].shape}, not ({len(motions)}, ...)"
            problems.append(Problem(f"measures.{name}", message, "return a row for each variant"))
    raise_problems(problems, motions.mechanism.title)
    return found


def unlike(name: str, rows: NDArray[Any], others: tuple[int, ...], dtype: np.dtype[Any]) -> list[Problem]:
    """Return the problem with rows of a measure where those of other variants have another shape or other values.

    Numbers are no other values than numbers, whatever their types.
    """
    key, shape = f"measures.{name}", rows.shape[1:]
    if shape != others:
        message = f"returned rows of the shape {shape} for some variants, {others} for others"
        return [Problem(key, message, ONE_SHAPE)]
    found, wanted = words_of(rows.dtype), words_of(dtype)
    if found != wanted:
        return [Problem(key, f"returned {found} for some variants, {wanted} for others", "return the same for all")]
    return []


def words_of(dtype: np.dtype[Any]) -> str:
    """Return what values of a type are."""
    return WORDS.get(dtype.kind, f"values of the type {dtype}")


def inexact(name: str, rows: NDArray[Any]) -> list[Problem]:
    """Return the problem with rows of a measure that lose digits as floats: whole numbers beyond 2**53."""
    if rows.dtype.kind in "iu" and ((rows > 2**53) | (rows < -(2**53))).any():
        message = "returned whole numbers beyond 2**53, which lose digits as floats"
        return [Problem(f"measures.{name}", message, "return smaller ones, or floats")]
    return []


def widened(name: str, found: NDArray[Any], rows: NDArray[Any], title: str) -> NDArray[Any]:
    """Return what was found of a measure, in a type that holds further rows too; `InputError` where there is none."""
    problems = unlike(name, rows, found.shape[1:], found.dtype)
    if not problems and rows.dtype != found.dtype:
        dtype = np.result_type(found.dtype, rows.dtype)
        if dtype.kind == "f":
            problems = (inexact(name, found) + inexact(name, rows))[:1]
        found = found.astype(dtype)
    raise_problems(problems, title)
    return found


def reduce(
    mechanism: Mechanism,
    shape: tuple[int, int],
    parts: Iterator[tuple[slice, Motions]],
    keep: Sequence[tuple[str, str]],
    measures: Mapping[str, Callable[[Motions], Any]],
) -> tuple[Kept, dict[str, NDArray[Any]], dict[int, InputError]]:
    """Return what is kept of the parts of variants over samples (v, n), their measures, and errors by variant."""
    kept = Kept(mechanism, np.empty(shape, np.int8), np.empty(shape, np.int32))
    kept.values.update({key: np.empty((*shape, 2) if key[0] in OF_POINT else shape) for key in keep})
    found: dict[str, NDArray[Any]] = {}
    faults: dict[int, InputError] = {}
    for part, motions in parts:
        kept.status[part], kept.failed_group[part] = motions.status, motions.failed_group
        for (quantity, name), values in kept.values.items():
            values[part] = getattr(motions, quantity)(name)
        for name, own in measured(motions, measures).items():
            if name not in found:
                found[name] = np.zeros((shape[0], *own.shape[1:]), own.dtype)
            found[name] = widened(name, found[name], own, mechanism.title)
            found[name][part] = own
        faults.update({part.start + k: error for k, error in motions.faults.items()})
    return kept, found, faults
