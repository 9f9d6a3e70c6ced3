"""The plan as one system of equations: all groups together, with the parameter of the drivers' path as an unknown.

Its Jacobian is block triangular, one block per step, and comes from the steps' residuals by complex steps, for any kind
of group in the plan. At a limit the block of one group is singular; with the parameter among the unknowns the curve of
poses is smooth there and can be followed through.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from structkin.branches.assemblies.wheels import Repeats
from structkin.branches.limits.poses import Path
from structkin.budget import charge
from structkin.groups import Turn
from structkin.groups.solve_lanes import solve_lanes
from structkin.numerical_tolerances import COMPLEX_STEP, ROUNDING, SAME_SOLVED
from structkin.plan.plan import Plan, Register
from structkin.plan.relations import Sum
from structkin.rows.periodic import TURN
from structkin.solve.strokes import Stroke, Value
from structkin.types import Flags, Floats, Indices

#: Steps of Newton's method at one parameter.
ITERATIONS = 12


@dataclass(frozen=True)
class System:
    """The equations of all steps in the unknowns y = (slots that steps solve, p), scaled; `size` [m] scales lengths.

    `angular`: p is an angle or a fraction of a path, so its size does not measure how far away poses are. The curve
    of poses ends where one of the `strokes` does. `repeats` are the whole turns after which poses repeat; where they
    are known, poses that differ by so many are one.
    """

    plan: Plan
    path: Path
    size: float
    pose: Floats
    angular: bool = True
    strokes: tuple[Stroke, ...] = ()
    repeats: Repeats | None = None

    def room(self, stroke: Stroke, y: Any) -> Any:
        """Return how far inside a stroke a pose y (m,) is, zero at its ends; y may be complex."""
        return stroke.room(*self._values(y))[0]

    def stroke_words(self, stroke: Stroke, y: Floats) -> str:
        """Return which end of a stroke a pose y (m,) has reached, in words."""
        return stroke.end_words(*self._values(y))

    def _values(self, y: Any) -> tuple[Value, Mapping[str, Any]]:
        """Return the values (2, 1) of expressions of slots, and those of the drivers (1,), at a pose y (m,)."""
        rows = self.rows(y[:, None])
        return lambda part: part.components(lambda slot: rows[self.plan.rows(slot)]), self.path(y[-1:])

    @cached_property
    def _unknown(self) -> Indices:
        """Rows of the slots that steps solve for."""
        parts = [np.arange(self.plan.offsets[-1])[self.plan.rows(s)] for step in self.plan.steps for s in step.outputs]
        return np.concatenate(parts)

    @cached_property
    def _turns(self) -> dict[int, float]:
        """The units of the slots that hold turns, angles of drivers, and weighted sums that contain some of these."""
        turns = {item.register: 1.0 for item in self.plan.drivers if not item.angular} if self.angular else {}
        for step in self.plan.steps:
            if isinstance(step.kind, Turn):
                turns |= dict.fromkeys(step.outputs, 1.0)
            elif isinstance(step.kind, Sum):
                factors = zip(step.kind.factors, step.inputs, strict=True)
                parts = [abs(a) * turns[x.index] for a, x in factors if isinstance(x, Register) and x.index in turns]
                turns |= dict.fromkeys(step.outputs, max(parts)) if parts else {}
        return turns

    @cached_property
    def scale(self) -> Floats:
        """The unit of each unknown: one for directions; the size for lengths and half squares."""
        scale = []
        for step in self.plan.steps:
            for slot in step.outputs:
                value = self.pose[self.plan.rows(slot)]
                if slot in self._turns:
                    scale.append(self._turns[slot])
                elif len(value) == 1:
                    scale.append(max(abs(value[0]), 1e-3 * self.size))
                else:
                    is_direction = abs(np.hypot(*value) - 1) < SAME_SOLVED
                    scale += [1.0 if is_direction else self.size] * 2
        return np.array([*scale, 1.0])

    @cached_property
    def _periods(self) -> tuple[tuple[int, Floats], ...]:
        """The changes (m,) of the unknowns after which poses repeat, each with the place of its own count.

        A change of counts before goes with it; that of p comes last, if poses are periodic in it.
        """
        if self.repeats is None:
            return ()
        # A plan that is cut short has the first of the counted turns.
        slots = [slot for step in self.plan.steps for slot in step.outputs]
        starts = dict(zip(slots, accumulate((self.plan.widths[slot] for slot in slots), initial=0), strict=False))
        places = [starts[slot] for slot in self.repeats.slots if slot in starts]
        rows = list(zip(places, self.repeats.rows, strict=False))
        if self.repeats.driver is not None:
            rows.append((len(self.scale) - 1, self.repeats.driver))
        periods = []
        for own, row in rows:
            period = np.zeros(len(self.scale))
            period[own] = 1.0  # a turn of the parameter is as many of the driver as its row says
            period[places] = row[: len(places)]
            periods.append((own, TURN * period / self.scale))
        return tuple(periods)

    @cached_property
    def _dependent(self) -> Flags:
        """Which unknowns (m,) are sums of turns: where turns repeat, they do not tell poses apart."""
        slots = [(slot, step) for step in self.plan.steps for slot in step.outputs]
        sums = [
            self.repeats is not None and slot in self._turns and not isinstance(step.kind, Turn)
            for slot, step in slots
            for _ in range(self.plan.widths[slot])
        ]
        return np.array([*sums, False])

    def apart(self, one: Floats, other: Floats) -> Floats:
        """Return one pose (m,) less another, up to turns after which poses repeat."""
        gap = one - other
        between = gap[..., -1].copy()
        for own, period in reversed(self._periods):
            gap = gap - np.round(gap[..., own] / period[own])[..., None] * period
        gap[..., -1] = between
        return np.where(self._dependent, 0.0, gap)

    def shifted(self, y: Floats, p: float) -> Floats:
        """Return a pose y (m,) shifted by whole turns of the parameter, next to p."""
        period = np.append(np.zeros(len(y) - 1), TURN)
        if self.repeats is not None and self.repeats.driver is not None:
            _, period = self._periods[-1]
        return np.asarray(y + np.round((p - y[-1]) / TURN) * period)

    @cached_property
    def places(self) -> Flags:
        """Which unknowns are components of vectors."""
        widths = [self.plan.widths[slot] for step in self.plan.steps for slot in step.outputs]
        return np.array([width == 2 for width in widths for _ in range(width)])

    def reach(self, y: Floats) -> float:
        """Return how far away the farthest place of a pose is, in sizes; half squares of lengths do not count."""
        return float(np.max(np.abs(y[:-1][self.places]), initial=0.0))

    def pack(self, rows: Floats, p: float) -> Floats:
        """Return the unknowns (m,) of a pose given by its slots (r,)."""
        return np.append(rows[self._unknown], p) / self.scale

    def rows(self, y: Any) -> Any:
        """Return the slots (r, n) of unknowns (m, n)."""
        y = y * self.scale[:, None]
        rows = np.empty((self.plan.offsets[-1], y.shape[1]), y.dtype)
        rows[self._unknown] = y[:-1]
        self.plan.drive(rows, self.path(y[-1]))
        return rows

    def equations(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the residuals (r,) of all steps and their derivatives (r, m) by the unknowns (m,)."""
        charge(1.0)
        values, J = self._all_equations(y[None])
        return values[0], J[0]

    def _all_equations(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the residuals (n, r) at unknowns y (n, m), and their derivatives (n, r, m)."""
        n, m = y.shape
        # One complex step per column, all in one pass over the plan.
        rows = self.rows((y[:, :, None] + 1j * COMPLEX_STEP * np.eye(m)).transpose(1, 0, 2).reshape(m, n * m))
        parts = []
        for step in self.plan.steps:
            for part in step.kind.residual(self.plan.inputs(step, rows), self.plan.outputs(step, rows)):
                parts += [np.broadcast_to(row, n * m) for row in (part if np.ndim(part) == 2 else (part,))]
        values = np.stack(parts).reshape(-1, n, m).transpose(1, 0, 2)
        slopes = values.imag / COMPLEX_STEP
        # Each equation is scaled by its largest derivative.
        size = np.abs(slopes).max(axis=2)
        size[size == 0] = 1.0
        return values[:, :, 0].real / size, slopes / size[:, :, None]

    def closed(self, y: Floats) -> tuple[Floats, Floats]:
        """Return poses (n, m) closed by Newton's method at given parameters, and their last changes (n,)."""
        change = np.full(len(y), np.inf)
        with np.errstate(all="ignore"):
            for _ in range(ITERATIONS):
                charge(1.0)
                values, J = self._all_equations(y)
                step = solve_lanes(J[:, :, :-1], -values)
                y = np.concatenate((y[:, :-1] + step, y[:, -1:]), axis=1)
                change = np.abs(step).max(axis=1)
                if (change < ROUNDING).all():
                    break
        return y, change

    def stuck(self, direction: Floats) -> int:
        """Return the step that is singular where the curve has this direction (m,) with the drivers at rest."""
        y, at = np.abs(direction[:-1]), 0
        for index, step in enumerate(self.plan.steps):
            width = sum(self.plan.widths[slot] for slot in step.outputs)
            if y[at : at + width].max() > 1e-4 * y.max():
                return index
            at += width
        return len(self.plan.steps) - 1
