"""Plans of studies: which values the parameters of all variants have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.arguments import unmasked
from structkin.model.flaw import Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import number_of, own_value, with_numbers
from structkin.numerical_tolerances import NUDGE
from structkin.types import Floats

PLANS = ("list", "grid", "random", "sobol")
#: The most variants of a study.
MOST = 100_000_000


def planned(
    mechanism: Mechanism, parameters: Mapping[str, Any], plan: str, variants: int | None, seed: int
) -> tuple[dict[str, Floats], list[Problem]]:
    """Return the values (v,) of the parameters by a plan, and every problem with them."""
    problems = [Problem(key, message, hint) for key in parameters for message, hint in fixed(mechanism, key)]
    if seed < 0:
        problems.append(Problem("seed", f"{seed} is negative", "give 0 or more"))
    if not parameters:
        problems.append(Problem("parameters", "there are none", 'such as {"lengths.A-B": (0.1, 0.2)}'))
    by_bounds = plan in ("random", "sobol")
    values: dict[str, Floats] = {}
    for key, given in parameters.items():
        found = _read(given)
        if found is None:
            problems.append(Problem(key, "expected finite real numbers (v,), in SI"))
        elif by_bounds and len(found) != 2:
            problems.append(Problem(key, f"expected the bounds (low, high), found {len(found)} numbers"))
        elif by_bounds and not found[0] < found[1]:
            problems.append(Problem(key, "the bounds are reversed or equal", "give the lower first"))
        else:
            values[key] = found
    if by_bounds and (variants is None or variants < 1):
        problems.append(Problem("variants", f"{variants!r} is not a positive whole number", "how many to draw"))
    if not by_bounds and variants is not None:
        problems.append(Problem("variants", f"a {plan} has as many variants as its values say", "leave it out"))
    if plan == "list" and len(lengths := {len(own) for own in values.values()}) > 1:
        problems.append(Problem("parameters", f"the numbers of values differ: {sorted(lengths)}", "or plan='grid'"))
    count = int(variants or 1) if by_bounds else math.prod(map(len, values.values())) if plan == "grid" else 1
    problems += too_many(count, "a study")
    return ({}, problems) if problems else (_drawn(values, plan, count, seed), [])


def number_of_variants(count: int) -> str:
    """Return a number of variants in words."""
    return f"{count:,} variant{'' if count == 1 else 's'}"


def too_many(count: int, what: str) -> list[Problem]:
    """Return the problem with more variants than a study, or the like, may have."""
    return (
        [Problem("variants", f"{count:,} are more than {what} may have", f"at most {MOST:,}")] if count > MOST else []
    )


def _drawn(values: dict[str, Floats], plan: str, count: int, seed: int) -> dict[str, Floats]:
    """Return the values (v,) of all parameters."""
    if plan == "list":
        return values
    if plan == "grid":
        # The last parameter changes fastest.
        return {key: own.ravel() for key, own in zip(values, np.meshgrid(*values.values(), indexing="ij"), strict=True)}
    low, high = np.array(list(values.values())).T
    if plan == "random":
        unit = np.random.default_rng(seed).random((count, len(low)))
    else:
        from scipy.stats import qmc

        unit = qmc.Sobol(len(low), rng=seed).random_base2((count - 1).bit_length())[:count]
    return {key: low[k] + (high[k] - low[k]) * unit[:, k] for k, key in enumerate(values)}


def _read(given: Any) -> Floats | None:
    """Return finite numbers as an array (v,); None if they are not."""
    try:
        array = unmasked(given)
        if array.dtype.kind not in "iufO":  # NumPy would take text, truth values and times for numbers
            return None
        values = np.atleast_1d(np.asarray(array, np.float64))
    except (TypeError, ValueError):
        return None
    return values if values.ndim == 1 and len(values) and np.isfinite(values).all() else None


def fixed(mechanism: Mechanism, key: str) -> list[tuple[str, str]]:
    """Return why a number cannot differ: the mechanism has none of this key, or others fix it."""
    try:
        number = number_of(mechanism, key)
        own = own_value(mechanism, number)
        if key.startswith("lengths."):
            with_numbers(mechanism, {number: own * (1 + NUDGE)})
    except Flaw as flaw:
        return [(flaw.message, flaw.hint)]
    except InputError as error:
        return [(f"is fixed by others: {error.problems[0].message}", error.problems[0].hint)]
    return []
