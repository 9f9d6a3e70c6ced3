"""What is known along a driver's path before the rest is searched: modes and whole turns as functions of the place.

A wheel has another angle after each turn of the link that drives it, so the turns of a dyad's link have to be counted
from the sketch, through change points too. Groups that do not depend on it are followed first; then it is a function of
the driver alone, and the groups after it are closed forms again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.types import Floats


@dataclass(frozen=True)
class Known:
    """Modes and turns of some steps over the coordinate z = `scale` p of a driver, which starts at `start`.

    `modes` are those at the start; `mode_changes[step]` are the places, in order, where a step's mode changes;
    `turns[step]` are places and the turns there, close enough to distinguish whole turns. Where all of them repeat
    after a `period` of z, they are known over one period from the start, and `gains[step]` is the growth of a turn in
    it.
    """

    start: float
    modes: Mapping[int, int] = field(default_factory=dict)
    mode_changes: Mapping[int, Floats] = field(default_factory=dict)
    turns: Mapping[int, tuple[Floats, Floats]] = field(default_factory=dict)
    gains: Mapping[int, float] = field(default_factory=dict)
    period: float | None = None
    scale: float = 1.0

    def _place(self, p: Any) -> tuple[Floats, Floats]:
        """Return the place z (n,) in the first period, and by how many periods it was shifted."""
        z = np.asarray(np.real(p), np.float64) * self.scale
        if self.period is None:
            return z, np.zeros_like(z)
        rounds = np.floor((z - self.start) / self.period)
        return z - rounds * self.period, rounds

    def mode(self, step: int, p: Any) -> Any:
        """Return the mode of a step (n,) at parameters p (n,)."""
        mode_changes = self.mode_changes[step]
        passed = np.searchsorted(mode_changes, self._place(p)[0]) - np.searchsorted(mode_changes, self.start)
        return self.modes[step] * np.where(passed % 2, -1, 1)

    def turn(self, step: int, p: Any) -> Floats:
        """Return turns (n,) near those of a step at parameters p (n,)."""
        z, rounds = self._place(p)
        return np.asarray(np.interp(z, *self.turns[step]) + self.gains.get(step, 0.0) * rounds)
