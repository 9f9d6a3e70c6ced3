"""Variants solved individually: each is built from the file with its own dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from structkin.model.mechanism import Mechanism
from structkin.solve.many.differences import Differences
from structkin.solve.motion import Motion
from structkin.solve.solve_groups import solve_groups


def solve_variant(found: Differences, drivers: Mapping[str, Any], options: Mapping[str, Any], k: int) -> Motion:
    """Build variant `k` with its own lengths, places and driver values, and solve it as `solve` does.

    Raises `InputError` where it cannot be built, or does not move like the mechanism.
    """
    mechanism = found.mechanism
    data, scale = mechanism.source_dict, mechanism.units.length_scale
    given = data.get("lengths", {}).items()
    data["lengths"] = {name: value for name, value in given if frozenset(name.split("-")) not in found.lengths}
    for pair, numbers in found.lengths.items():
        data["lengths"]["-".join(sorted(pair))] = float(numbers.values[1 + k]) / scale
    for name, numbers in found.places.items():
        place = numbers.values[1 + k] / scale
        data["points"][name] = [float(place.real), float(place.imag)]
    variant = Mechanism.from_dict(data, folder=mechanism._folder)
    if mechanism._pose is not None:
        variant = variant.posed(mechanism._pose)
    return solve_groups(variant, drivers=found.drivers_of(k, drivers) or None, **options)
