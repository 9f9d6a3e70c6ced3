"""Derivatives of what a motion measures by central differences of variants, each of them solved; second derivatives.

The differences are of order six, as those of the plan's constants (`structkin.solve.sensitivity.varied_plan`). Of first
derivatives, which are exact to rounding, they give the second ones to some 1e-10 of their size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from structkin.joints.curve_slot import CurveSlot
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import HALF_DIGITS, ROUNDING_OF_FEW
from structkin.solve.motion.moving_frames import PartKind
from structkin.solve.sensitivity.parameters import Parameter, held_lengths, read_parameters, varied
from structkin.solve.sensitivity.sensitivity import point_or_link
from structkin.solve.sensitivity.varied_plan import FINE, OFFSETS, WEIGHTS
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.solve.motion.motion import Motion

#: The weights of order four, of the same values: differences are good where both orders agree to half the digits. Else
#: steps are made shorter by this factor, so often; orders that nearly agreed, and now agree no better, leave rounding.
FOURTH, SHORTER, TRIES, NOISE = (2 / 3, -2 / 3, -1 / 12, 1 / 12, 0.0, 0.0), 8.0, 6, 1e-3
#: How much shorter the steps are where slots are made of pieces: at a jump of curvature first derivatives have a bend.
NEAR = 1 / 64


def _reach(mechanism: Mechanism, parameter: Parameter) -> float:
    return NEAR * parameter.reach if mechanism.joints.of(CurveSlot) else parameter.reach


def slope_by_variants(
    motion: Motion,
    held: Mapping[Parameter, float],
    parameter: Parameter,
    values: Callable[[Motion], Floats],
    offsets: Sequence[int] = OFFSETS,
    weights: Sequence[float] = WEIGHTS,
    step: float | None = None,
) -> Floats:
    """Return the derivative by a parameter of values (...) of a motion, from variants at so many steps beside it.

    Without a `step` it is as long as is good: near a limit position values bend, or are not known beyond it. Times and
    drivers' values are held. Raises `InputError` where a variant cannot be built.
    """
    given = {id: tuple(motion.drivers[id]) for id in motion.thirds} or None
    t = motion.t if np.isfinite(motion.t).all() else None

    def beside(step: float) -> list[Floats]:
        places = [parameter.value + offset * step for offset in offsets]
        variants = [varied(motion.mechanism, {**held, parameter: place}) for place in places]
        return [values(variant.solve(t=t, drivers=given)) for variant in variants]

    if step is not None:
        return _weighted(beside(step), weights, step)
    step, best, least = _reach(motion.mechanism, parameter) / FINE, np.zeros(()), np.inf
    for tried in range(TRIES):
        found = beside(step)
        slope, rough = (_weighted(found, one, step) for one in (WEIGHTS, FOURTH))
        size = max(np.abs(slope).max(initial=0.0), ROUNDING_OF_FEW / step * np.abs(found).max(initial=0.0))
        off = np.abs(slope - rough).max(initial=0.0) / size if size > 0 else 0.0
        if off < least or not tried:
            best, least = slope, off
        if least < HALF_DIGITS or least < min(off, NOISE):
            break
        step /= SHORTER
    return best


def _weighted(values: Sequence[Floats], weights: Sequence[float], step: float) -> Floats:
    parts = (weight / step * value for weight, value in zip(weights, values, strict=True))
    return np.asarray(sum(parts, start=np.zeros(())))


def second_sensitivity(
    motion: Motion, name: str | complex, link: str | None, kind: PartKind | None, names: Sequence[str]
) -> Floats:
    """Return the second derivatives of a point or link; see `Motion.second_sensitivity`."""
    point_or_link(motion, name, link, kind, names, 0)  # raises what is wrong with the names
    parameters = read_parameters(motion.mechanism, names)
    held = held_lengths(parameters)

    def first(variant: Motion) -> Floats:
        return point_or_link(variant, name, link, kind, names, 0)

    found = np.stack([slope_by_variants(motion, held, parameter, first) for parameter in parameters], axis=-1)
    return np.asarray(0.5 * (found + np.swapaxes(found, -1, -2)))
