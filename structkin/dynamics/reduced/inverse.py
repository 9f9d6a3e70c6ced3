"""Inverse poses: which values of a driver give an angle of a group, on circles of complex angles.

Near a dead point the pose is no function of the driver's value, but both are analytic functions of an angle of the
group that is singular: of the one whose sine is its root, or of one of its links where it has no closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.circles import NODES, Signs, solve_around
from structkin.kinematics.derivatives import Part
from structkin.kinematics.plan import Plan
from structkin.kinematics.tracking import unpacked

Floats = NDArray[np.float64]
Nodes = NDArray[np.complex128]

#: Step of the differences that Newton's method takes as a slope [rad or parts of the size], and its iterations.
STEP, ITERATIONS = 1e-5, 12
#: Newton's method has arrived with a step below this, and is given up where the last one is above the second.
ARRIVED, MISSED = 1e-14, 1e-12


@dataclass(frozen=True)
class Chart:
    """What the coordinates q are: those of the drivers; or an angle of a `step` in place of the driver `index`.

    The angle is that of a `link` of a general group, by its number, or else the one whose sine is the root.
    """

    step: int | None = None
    index: int = -1
    link: int | None = None


@dataclass(frozen=True)
class Inverse:
    """Solves for a driver on circles (c, NODES) of the angle in its place; `near` (rows, c) are poses nearby."""

    plan: Plan
    order: tuple[str, ...]
    lengths: Floats
    chart: Chart
    radius: float
    signs: Signs
    near: Floats

    def by_root(self, nodes: Nodes, z: Floats) -> Nodes | None:
        """Return the drivers (f, c, NODES) at which the margin is the squared sine of the angles in `nodes`."""
        assert self.chart.step is not None
        step, index = self.plan.steps[self.chart.step], self.chart.index
        kind, length, apart = step.kind, self.lengths[index], STEP * self.lengths[index]
        assert not isinstance(kind, General)
        target, change = np.sin(nodes[index]) ** 2, np.inf
        nodes = nodes.copy()
        nodes[index] = z[index]
        for _ in range(ITERATIONS):
            part = self._beside(nodes, apart)
            if part is None:
                return None
            with np.errstate(all="ignore"):
                margin = np.reshape(np.asarray(kind.margin(part.inputs(step))), (3, *target.shape))
                by = (target - margin[0]) * (2 * apart / (margin[1] - margin[2]))
            change = np.max(np.abs(by)) / length
            if not change < 1:
                return None
            nodes[index] += by
            if change < ARRIVED:
                break
        return nodes if change < MISSED else None

    def by_link(self, nodes: Nodes, z: Floats) -> tuple[Nodes | None, tuple[Any, ...]]:
        """Return the drivers (f, c, NODES) at which a link of a general group has the angles in `nodes`, and the group.

        The rows of the group and the angle's own are solved together for its links and the driver: Newton's method.
        """
        assert self.chart.step is not None and self.chart.link is not None
        step, index = self.plan.steps[self.chart.step], self.chart.index
        form, length, apart = step.kind, self.lengths[index], STEP * self.lengths[index]
        assert isinstance(form, General)
        m, size, target, change = form.rows.links, form.rows.size, nodes[index].ravel(), np.inf
        if form.rows.count != 3 * m:
            return None, ()
        values = [np.repeat(self.near[self.plan.rows(slot)], NODES, axis=1) for slot in step.outputs]
        O, theta = (x.astype(np.complex128) for x in unpacked(form, [v if len(v) == 2 else v[0] for v in values]))
        if self.chart.link not in form.rows.angles:
            # Whole turns of a link that counts none do not matter.
            theta[self.chart.link] += 2 * np.pi * np.round((target.real - theta[self.chart.link].real) / (2 * np.pi))
        nodes = nodes.copy()
        nodes[index] = z[index]
        matrix = np.zeros((len(target), 3 * m + 1, 3 * m + 1), np.complex128)
        matrix[:, -1, 3 * self.chart.link + 2] = 1.0
        for _ in range(ITERATIONS):
            part = self._beside(nodes, apart)
            if part is None:
                return None, ()
            here, ahead, behind = self._thirds(part.inputs(step), len(target))
            U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
            matrix[:, :-1, :-1] = form.jacobian(here, O, U)
            matrix[:, :-1, -1] = ((form.gaps(ahead, O, theta) - form.gaps(behind, O, theta)) * (length / (2 * apart))).T
            right = np.vstack((-form.gaps(here, O, theta), size * (target - theta[self.chart.link])))
            try:
                x = np.linalg.solve(matrix, right.T[:, :, None])[:, :, 0].T
            except np.linalg.LinAlgError:
                return None, ()
            moved = x[:-1].reshape(m, 3, -1)
            O, theta = O + moved[:, :2], theta + moved[:, 2] / size
            nodes[index] += length * x[-1].reshape(nodes[index].shape)
            change = max(np.max(np.abs(x[:-1])) / size, np.max(np.abs(x[-1])))
            if not change < 2:
                return None, ()
            if change < ARRIVED:
                break
        return (nodes if change < MISSED else None), form.unknowns(O, theta)

    def _beside(self, nodes: Nodes, apart: float) -> Part | None:
        """Return the steps before the chart's at the nodes, and a little ahead of and behind them: 3 c circles."""
        step, count = self.chart.step, nodes.shape[1]
        beside = np.concatenate((nodes, nodes, nodes), axis=1)
        beside[self.chart.index, count : 2 * count] += apart
        beside[self.chart.index, 2 * count :] -= apart
        values = dict(zip(self.order, beside, strict=True))
        circles = solve_around(self.plan, values, self.radius, self._thrice, np.tile(self.near, (1, 3)), steps=step)
        certain = np.isfinite(beside).all() and (circles.until > (step or 0)).all()
        return Part(self.plan, circles.x.reshape(len(circles.x), -1)) if certain else None

    def _thrice(self, step: int, s0: Floats) -> Floats:
        return np.concatenate([self.signs(step, part) for part in np.split(s0, 3)])

    @staticmethod
    def _thirds(h: tuple[Any, ...], count: int) -> list[tuple[Any, ...]]:
        """Return inputs at the nodes, ahead and behind; constants stay as they are."""
        wide = [np.ndim(x) > 0 and np.shape(x)[-1] == 3 * count for x in h]
        return [
            tuple(x[..., k * count : (k + 1) * count] if many else x for x, many in zip(h, wide, strict=True))
            for k in range(3)
        ]
