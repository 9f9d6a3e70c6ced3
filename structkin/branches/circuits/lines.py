"""Lines of inputs along which the modes of a group are looked for: the driver alone, or an arc of the groups before.

A line has a parameter s in which everything is analytic. On an arc from fold to fold the poses have a square root of
the driver at either end; p = low + (high - low) (1 - cos s) / 2 removes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from structkin.branches.limits.plan_equations import System
from structkin.branches.limits.trace import Arc
from structkin.numerical_tolerances import HALF_DIGITS, SOLVED_POSE
from structkin.rows.periodic import TURN
from structkin.types import Floats

#: Pieces that a line is cut into at first.
PIECES = 6
#: A pose that is found is this close to the expected one.
ASTRAY = 0.05


class Line(Protocol):
    """A line of inputs."""

    def places(self, s: Floats) -> Floats:
        """Return the parameter p of the drivers' path (n,)."""

    def rows(self, s: Floats) -> Floats:
        """Return the slots (r, n) that are known at s (n,), NaN where there is no pose."""

    @property
    def edges(self) -> Floats:
        """The ends of the line, and places between them."""


@dataclass(frozen=True)
class Free:
    """The range of the driver: the first `steps` of the plan have one pose each."""

    system: System
    steps: int
    whole: tuple[float, float] | None
    start: float

    @property
    def edges(self) -> Floats:
        """The range, or a full turn from somewhere."""
        # Symmetric mechanisms have folds at round values: edges avoid them.
        low, high = self.whole or (self.start + 0.123, self.start + 0.123 + TURN)
        return np.linspace(low, high, 2 * PIECES + 1)

    def places(self, s: Floats) -> Floats:
        """Return s itself."""
        return s

    def rows(self, s: Floats) -> Floats:
        """Return the slots of the drivers, and those of the first steps."""
        plan = self.system.plan
        rows = np.full((plan.offsets[-1], len(s)), np.nan)
        plan.drive(rows, self.system.path(s))
        with np.errstate(all="ignore"):
            for step in plan.steps[: self.steps]:
                kind, h = step.kind, plan.inputs(step, rows)
                assert kind.closed_form
                discriminant = kind.discriminant(h)
                root = np.zeros(len(s)) if discriminant is None else np.sqrt(np.asarray(discriminant) * step.mode)
                for slot, value in zip(step.outputs, kind.position(h, root), strict=True):
                    rows[plan.rows(slot)] = value
        return rows


@dataclass(frozen=True)
class OnArc:
    """An arc of a curve of poses of the steps of `system`."""

    system: System
    arc: Arc

    @property
    def _ends(self) -> tuple[float, float]:
        low, high = sorted((float(self.arc.poses[0, -1]), float(self.arc.poses[-1, -1])))
        return low, high

    @property
    def edges(self) -> Floats:
        """From end to end."""
        low, high = self._ends
        return np.linspace(low, high, 2 * PIECES + 1) if self._endless else np.linspace(0, np.pi, PIECES + 1)

    @property
    def _endless(self) -> bool:
        return self.arc.ends[0] is None and self.arc.ends[1] is None

    def places(self, s: Floats) -> Floats:
        """Return p on the arc."""
        low, high = self._ends
        return s if self._endless else low + 0.5 * (high - low) * (1 - np.cos(s))

    @cached_property
    def _guess(self) -> Any:
        from scipy.interpolate import CubicSpline

        low, high = self._ends
        p = self.arc.poses[:, -1]
        s = p if self._endless else np.arccos(np.clip(1 - 2 * (p - low) / ((high - low) or 1.0), -1, 1))
        order = np.argsort(s)
        s, poses = s[order], self.arc.poses[order]
        kept = np.append(True, np.diff(s) > HALF_DIGITS)
        # If only one is left the arc is a point.
        s, poses = (s[kept], poses[kept]) if kept.sum() > 1 else (s[[0, -1]] + [0, 1], poses[[0, -1]])
        return CubicSpline(s, poses)

    def rows(self, s: Floats) -> Floats:
        """Return the slots of the steps, closed by Newton's method at the driver's values."""
        guess = self._guess(s)
        guess[:, -1] = self.places(s)
        y, change = self.system.closed(guess)
        with np.errstate(all="ignore"):
            size = np.abs(guess).max(axis=1)
            good = (change < SOLVED_POSE * size) & (np.abs(y - guess).max(axis=1) < ASTRAY * np.maximum(1.0, size))
        return np.asarray(self.system.rows(np.where(good[:, None], y, np.nan).T))
