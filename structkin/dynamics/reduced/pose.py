"""One pose of a simulated mechanism: slots, K, and the roots of its dyads with their slopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.numerical_tolerances import COMPLEX_STEP
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.derivatives import Part
from structkin.solve.engine import Lanes
from structkin.types import Floats

#: A coordinate that moves the links faster than this, made dimensionless by the mechanism's size, is at a dead point.
RATE_LIMIT = 1e4
#: Step of the differences for the curvature of roots [rad or parts of the size].
DIFFERENCE = 1e-5


class NoPoseError(Exception):
    """The mechanism cannot reach a pose, or its coordinates do not determine its motion there."""

    def __init__(self, t: float, status: Status, group: int) -> None:
        """Keep when, why and where."""
        self.t, self.status, self.group = t, status, group
        super().__init__(t)


class NearlyFlatError(NoPoseError):
    """The lengths do not tell on which branch the motion goes on: no smaller step does."""

    def __init__(self, t: float, group: int) -> None:
        """Keep when and where."""
        super().__init__(t, Status.UNCERTIFIED, group)


class BlownUpError(NoPoseError):
    """The state or its rate is no longer finite."""

    words = "the motion has diverged; try a smaller step, or check the loads"

    def __init__(self, t: float) -> None:
        """Keep when."""
        super().__init__(t, Status.NOT_CONVERGED, -1)


@dataclass(frozen=True)
class Pose:
    """Coordinates q (f,), slots x (rows,), and K (f, rows) of the slots.

    `roots` (k,) are those of the steps that have two modes, and `slopes` (f, k) theirs where they are known already;
    `smooth`: all this comes from a series, in which the steps `flat` pass a flat pose.
    """

    q: Floats
    x: Floats
    K: Floats
    roots: Floats
    smooth: bool = False
    flat: frozenset[int] = frozenset()
    slopes: Floats | None = None


def lanes_of(x: Floats, rates: Floats | None = None) -> Lanes:
    """Return the slots (rows,) of one pose, with their rates (rows,) if given, as lanes."""
    both = x[None, :, None] if rates is None else np.stack((x, rates))[:, :, None]
    return Lanes.solved(both)


def roots_at(plan: Plan, steps: Sequence[int], x: NDArray[Any]) -> NDArray[Any]:
    """Return the roots (k, n) of steps with two modes at slots (rows, n), which may be complex."""
    part, roots = Part(plan, x), []
    for k in steps:
        step = plan.steps[k]
        assert step.kind.closed_form
        root = step.kind.mode_indicator(part.inputs(step), part.outputs(step))
        roots.append(np.broadcast_to(root, x.shape[1:]))
    return np.array(roots).reshape(len(steps), x.shape[1])


def slopes_at(plan: Plan, steps: Sequence[int], x: Floats, K: Floats) -> Floats:
    """Return the slopes (f, k) of the roots of steps along K (f, rows) of the slots, by complex steps."""
    return np.ascontiguousarray(roots_at(plan, steps, x[:, None] + 1j * COMPLEX_STEP * K.T).imag.T / COMPLEX_STEP)


def curvatures_at(plan: Plan, steps: Sequence[int], x: Floats, K: Floats, L: Floats) -> Floats:
    """Return the second derivatives (k,) of the roots of steps along the path x + K s + L s^2 / 2 of slots (rows,)."""
    places = ((x + s * (K + 0.5 * s * L), (K + s * L)[None]) for s in (DIFFERENCE, -DIFFERENCE))
    ahead, behind = (slopes_at(plan, steps, *place)[0] for place in places)
    return np.asarray((ahead - behind) / (2 * DIFFERENCE))


def general_steps(plan: Plan) -> list[int]:
    """Return the steps without a closed form that have as many rows as unknowns: their determinant has a sign."""
    kinds = [(k, step.kind) for k, step in enumerate(plan.steps)]
    return [k for k, kind in kinds if not kind.closed_form and kind.rows.count == 3 * kind.rows.links]


def orientation(plan: Plan, steps: Sequence[int], x: Floats) -> tuple[Floats, Floats]:
    """Return signs of determinants and least singular values, both (k,), of general groups at slots (rows,)."""
    part, signs, sizes = Part(plan, x[:, None]), [], []
    for k in steps:
        step = plan.steps[k]
        assert not step.kind.closed_form
        matrix = step.kind.jacobian(part.inputs(step), part.outputs(step))[0]
        values = np.linalg.svd(matrix, compute_uv=False)
        signs.append(float(np.linalg.slogdet(matrix)[0]))
        sizes.append(float(values[-1]))
    return np.array(signs), np.array(sizes)
