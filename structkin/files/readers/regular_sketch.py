"""Sketches in a dead centre, where the assembly mode is ambiguous: the sketch is moved a little."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.errors import InputError, StructureError
from structkin.model.mechanism import GROUND, Mechanism
from structkin.numerical_tolerances import LAST_DIGIT, ROUNDING_OF_FEW
from structkin.solve.special_geometry import compile_plan

#: The number of estimates tried, and their distance from the sketch as a fraction of the size.
TRIES, PART = 20, 0.05
#: Evaluations in each try: ten or so lead to a pose that is there.
EVALUATIONS = 50
#: The most evaluations of the equations in all tries, those for Jacobians included: they take seconds.
MOST = 3000
#: The drivers advance by this angle [rad].
AHEAD = math.radians(10)


class _SpentError(Exception):
    """All evaluations have been used."""


def with_regular_sketch(sections: Mapping[str, Any], source: str) -> tuple[dict[str, Any], str]:
    """Return sections whose sketch defines the assembly mode of every group, and a note if it was moved.

    They are unchanged, without a note, if the sketch already does so or if no such pose is found. A mechanism whose
    structure is not determined is left as it is. Raises `InputError` with the title `source` if the sections have
    errors.
    """
    data = dict(sections)
    mechanism = Mechanism.from_dict(data, source=source)
    try:
        compile_plan(mechanism)
    except StructureError:
        return data, ""
    except InputError:
        moved = _moved(mechanism, data)
        if moved is not None:
            return moved, (
                "drawn in a dead centre, from which it can move in two modes: one is chosen, and the sketch is "
                f"moved on by {math.degrees(AHEAD):g} deg of its input"
            )
    return data, ""


def _moved(mechanism: Mechanism, data: Mapping[str, Any]) -> dict[str, Any] | None:
    from scipy.optimize import least_squares

    from structkin.global_methods.families.make import constraints

    drives = list(mechanism.drivers.values())
    if any(drive.kind != "angle" or "speed" not in data["drivers"][drive.id] for drive in drives):
        return None  # travels count from the sketch
    coordinates = constraints(mechanism, "reference-point")
    z = np.array([[drive.start + math.copysign(AHEAD, _rate(drive.law))] for drive in drives])
    start = coordinates.start()[:, 0]
    random, count = np.random.default_rng(0), 0

    def gaps(q: Any) -> Any:
        nonlocal count
        count += 1
        if count > MOST:
            raise _SpentError
        return coordinates.phi(q[:, None], z)[:, 0] / coordinates.row_units

    for _ in range(TRIES):
        estimate = start + PART * coordinates.column_units * random.standard_normal(len(start))
        try:
            found = least_squares(
                gaps, estimate, xtol=LAST_DIGIT, ftol=LAST_DIGIT, gtol=LAST_DIGIT, x_scale=coordinates.column_units,
                max_nfev=EVALUATIONS,
            )  # fmt: skip
        except _SpentError:
            return None
        if np.abs(found.fun).max() > ROUNDING_OF_FEW:
            continue
        moved = _drawn(mechanism, data, coordinates.links, coordinates.frames(found.x[:, None])[:, 0])
        try:
            compile_plan(Mechanism.from_dict(moved))
        except InputError:
            continue
        return moved
    return None


def _rate(law: Any) -> float:
    rate = law(np.array([0.0]))[1][0]
    return float(rate)


def _drawn(mechanism: Mechanism, data: Mapping[str, Any], links: tuple[str, ...], frames: Any) -> dict[str, Any]:
    """Return the sections with the points placed by the frames of the links, and drivers that start as before."""
    points = dict(data["points"])
    for k, name in enumerate(links):
        origin, direction = (complex(*frames[4 * k + i : 4 * k + i + 2]) for i in (0, 2))
        for point, local in mechanism.links[name].local.items():
            if point not in mechanism.links[GROUND].local:
                place = (origin + direction * local) / mechanism.units.length_scale
                points[point] = [place.real, place.imag]
    drivers = {}
    for id, entry in data["drivers"].items():
        drive, scale = mechanism.drivers[id], mechanism.units.angle_scale
        rate = float(f"{_rate(drive.law) / scale:.15g}")
        law = f"{drive.start / scale!r} {'-' if rate < 0 else '+'} {abs(rate)!r}*t"
        drivers[id] = {**{key: value for key, value in entry.items() if key != "speed"}, "law": law}
    return {**data, "points": points, "drivers": drivers}
