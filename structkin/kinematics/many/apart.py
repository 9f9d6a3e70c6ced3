"""Variants that are mechanisms of their own: built from the file with other dimensions, and solved one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, StructkinError
from structkin.kinematics.many.motions import Apart
from structkin.model.mechanism import Mechanism

Floats = NDArray[np.float64]

#: Variants that cannot be built are listed up to so many.
LISTED = 10


def build_variants(
    mechanism: Mechanism, count: int, lengths: Mapping[frozenset[str], Any], places: Mapping[str, Any]
) -> list[Mechanism]:
    """Build mechanisms with other lengths (v,) and complex places (v,) [m].

    Raises `InputError` with the numbers of those that cannot be built.
    """
    found: list[Mechanism] = []
    problems: list[Problem] = []
    for k in range(count):
        try:
            found.append(_variant(mechanism, lengths, places, k))
        except InputError as error:
            problems += [Problem(f"variant {k}: {one.key}", one.message, one.hint) for one in error.problems]
        if len(problems) > LISTED:
            break
    if problems:
        raise InputError(problems, mechanism.title)
    return found


def _variant(
    mechanism: Mechanism, lengths: Mapping[frozenset[str], Any], places: Mapping[str, Any], k: int
) -> Mechanism:
    data, scale = mechanism.source_dict, mechanism.units.length_scale
    kept = {name: value for name, value in data.get("lengths", {}).items() if frozenset(name.split("-")) not in lengths}
    data["lengths"] = kept | {"-".join(sorted(pair)): float(values[k]) / scale for pair, values in lengths.items()}
    for name, values in places.items():
        data["points"][name] = [float(values[k].real) / scale, float(values[k].imag) / scale]
    variant = Mechanism.from_dict(data, folder=mechanism._folder)
    return variant if mechanism._pose is None else variant.posed(mechanism._pose)


def solve_apart(
    mechanism: Mechanism,
    variants: Sequence[Mechanism],
    rows: Mapping[str, Floats],
    drivers: Mapping[str, Any],
    options: Mapping[str, Any],
    progress: Callable[[float], None] | None,
) -> Apart:
    """Solve variants as `solve` does; `rows` holds driver values (orders, v, n) that each has of its own."""
    motions = []
    for k, variant in enumerate(variants):
        own = {id: tuple(rows[id][:, k]) if id in rows else given for id, given in drivers.items()}
        try:
            motions.append(variant.solve(drivers=own or None, **options))
        except StructkinError as error:
            problem = Problem(f"variant {k}", str(error), "leave it out, or build it to see more")
            raise InputError([problem], mechanism.title) from error
        if progress is not None:
            progress((k + 1) / len(variants))
    return Apart(mechanism, motions[0].t, len(motions), tuple(motions))
