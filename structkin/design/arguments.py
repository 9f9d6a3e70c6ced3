"""What the ways of synthesis ask of arguments that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.errors import InputError, Problem
from structkin.model.flaw import LARGEST
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.model.units import decimal
from structkin.solve.sensitivity.parameters import Parameter, read_parameters
from structkin.types import Floats


def wrong_choice(kinds: Sequence[str], known: Iterable[str], count: int, seed: int) -> list[Problem]:
    """Return what is wrong with the kinds of linkages, their number, and the start of the random numbers."""
    known = tuple(known)
    unknown = [name for name in dict.fromkeys(kinds) if name not in known]
    problems = [Problem("kinds", f"'{name}' is unknown", suggest(name, known)) for name in unknown]
    twice = [name for name in dict.fromkeys(kinds) if list(kinds).count(name) > 1]
    problems += [Problem("kinds", f"'{name}' is named twice", "name it once") for name in twice]
    if not kinds:
        problems.append(Problem("kinds", "names no kind", f"known: {', '.join(known)}"))
    if not 1 <= count <= 100:
        problems.append(Problem("count", f"{count} is not between 1 and 100", "such as 10"))
    if seed < 0:
        problems.append(Problem("seed", f"{seed} is negative", "such as 0"))
    return problems


def parameters_of(mechanism: Mechanism, names: Iterable[str]) -> tuple[tuple[Parameter, ...], list[Problem]]:
    """Return the parameters of these names that there are, and what is wrong with the others."""
    names = [*names]
    try:
        return read_parameters(mechanism, names), []
    except InputError as error:
        wrong = {one.key for one in error.problems}
        good = [name for name in names if name not in wrong] if names else []
        problems = [replace(one, key=f"parameters.{one.key}" if names else "parameters") for one in error.problems]
        return (read_parameters(mechanism, good) if good else ()), problems


def bounds_of(
    mechanism: Mechanism, parameters: Sequence[Parameter], given: Mapping[str, Any]
) -> tuple[Floats, list[Problem]]:
    """Return the bounds (2, p) of parameters in SI, and all that are none around the start, in units of the file."""
    bounds, problems = [], []
    for parameter in parameters:
        key, pair = f"parameters.{parameter.name}", np.asarray(given[parameter.name], object)
        try:
            low, high = (float(bound) for bound in pair.ravel().tolist())
        except (TypeError, ValueError):
            problems.append(Problem(key, f"expected two bounds, found {given[parameter.name]!r}", "such as (0.1, 0.2)"))
            continue
        unit = mechanism.units.name(parameter.quantity)
        least, most, own = (
            f"{decimal(value / parameter.scale, 6)} {unit}".strip() for value in (low, high, parameter.value)
        )
        if not low < high:
            message = f"the bounds {least} and {most} are reversed, equal or not numbers"
            problems.append(Problem(key, message, "give the lower one first"))
        elif parameter.section == "lengths" and low <= 0:
            problems.append(Problem(key, f"the lower bound {least} of a length is not greater than zero", "raise it"))
        elif not low <= parameter.value <= high:
            message = f"the mechanism has {own}, which is not between {least} and {most}"
            problems.append(Problem(key, message, "widen the bounds, or begin with another number"))
        bounds.append((low, high))
    return np.array(bounds, float).reshape(-1, 2).T, problems


def usable(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which numbers are finite, and small enough to compute with."""
    return np.asarray(np.abs(values) <= np.float64(LARGEST))


def one_or_two(name: str, values: ArrayLike | None) -> tuple[NDArray[Any], list[Problem]]:
    """Return at most two places (n, 2) [m], and what is wrong with them."""
    places = np.asarray(np.empty((0, 2)) if values is None else values)
    if places.shape not in ((0, 2), (1, 2), (2, 2)) or places.dtype.kind not in "iuf":
        return places, [Problem(name, f"have the shape {places.shape}", "give one or two places (x, y) [m]")]
    if not usable(places).all():
        return places, [Problem(name, f"are not finite, or beyond {LARGEST:g}", "such as [(0, 0), (0.1, 0)]")]
    if len(places) == 2 and (places[0] == places[1]).all():
        return places, [Problem(name, "are the same place", "give two places, or one")]
    return places, []
