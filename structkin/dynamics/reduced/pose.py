"""One pose of a simulated mechanism: slots, K, and the roots of its dyads with their slopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.derivatives import Part

Floats = NDArray[np.float64]

#: Imaginary step for slopes.
TINY = 1e-30


class NoPoseError(Exception):
    """The mechanism cannot reach a pose, or its coordinates do not determine its motion there."""

    def __init__(self, t: float, status: Status, group: int) -> None:
        """Keep when, why and where."""
        self.t, self.status, self.group = t, status, group
        super().__init__(t)


class BlownUpError(NoPoseError):
    """The state or its rate is no longer finite."""

    words = "the motion has diverged; try a smaller step, or check the loads"

    def __init__(self, t: float) -> None:
        """Keep when."""
        super().__init__(t, Status.NOT_CONVERGED, -1)


@dataclass(frozen=True)
class Pose:
    """Coordinates q (f,), slots x (rows,), and K (f, rows) of the slots.

    `roots` (k,) are those of the steps that have two modes; `smooth`: all this comes from a series.
    """

    q: Floats
    x: Floats
    K: Floats
    roots: Floats
    smooth: bool = False


def roots_at(plan: Plan, steps: Sequence[int], x: Floats) -> Floats:
    """Return the roots (k,) of steps at slots (rows,)."""
    return np.array([one[0] for one in _sides(plan, steps, x[:, None])], dtype=np.float64)


def slopes_at(plan: Plan, steps: Sequence[int], x: Floats, K: Floats) -> Floats:
    """Return the slopes (f, k) of the roots of steps along K (f, rows) of the slots, by complex steps."""
    columns = [one.imag / TINY for one in _sides(plan, steps, x[:, None] + 1j * TINY * K.T)]
    return np.stack([np.broadcast_to(one, len(K)) for one in columns], axis=1) if columns else np.zeros((len(K), 0))


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
        phi = part.outputs(step)
        m = step.kind.rows.links
        O, U = np.stack(phi[0 : 2 * m : 2]), np.stack(phi[1 : 2 * m : 2])
        matrix = step.kind.jacobian(part.inputs(step), O, U)[0]
        values = np.linalg.svd(matrix, compute_uv=False)
        signs.append(float(np.linalg.slogdet(matrix)[0]))
        sizes.append(float(values[-1]))
    return np.array(signs), np.array(sizes)


def _sides(plan: Plan, steps: Sequence[int], x: NDArray[Any]) -> list[NDArray[Any]]:
    part, sides = Part(plan, x), []
    for k in steps:
        step = plan.steps[k]
        assert step.kind.closed_form
        sides.append(step.kind.mode_indicator(part.inputs(step), part.outputs(step)))
    return sides
