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
from structkin.solve.motion.moving_frames import PartKind
from structkin.solve.sensitivity.parameters import Parameter, held_lengths, read_parameters, varied
from structkin.solve.sensitivity.sensitivity import point_or_link
from structkin.solve.sensitivity.varied_plan import FINE, OFFSETS, WEIGHTS
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.solve.motion.motion import Motion

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

    Times and drivers' values are held. Raises `InputError` where a variant cannot be built.
    """
    step = _reach(motion.mechanism, parameter) / FINE if step is None else step
    given = {id: tuple(motion.drivers[id]) for id in motion.thirds} or None
    t = motion.t if np.isfinite(motion.t).all() else None
    total = np.zeros(())
    for offset, weight in zip(offsets, weights, strict=True):
        variant = varied(motion.mechanism, {**held, parameter: parameter.value + offset * step})
        total = total + weight / step * values(variant.solve(t=t, drivers=given))
    return total


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
