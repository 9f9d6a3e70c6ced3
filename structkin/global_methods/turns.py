"""Turns of a single driver that repeat the first: the curves of one turn predict all the others.

Phi(q, z) = 0 with one driven angle z repeats after a turn of z. If the tracker from q(z_0) reaches the same pose at z_0
plus some whole turns, then by the uniqueness of the branch it continues as before: coordinates that are angles have
turned by a constant, all others repeat. So do counted turns: the rows of gears are linear in them, and those of cams
and Geneva wheels repeat with each whole turn. If the pose is a different one, as after the first turn of a mechanism
with a change point or a gear, the end of the next turn is checked. Samples predicted in this way are closed by the
Newton-Raphson method like all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from structkin.global_methods.branch_tracker import BranchTracker
from structkin.global_methods.curve import Curve, Pose, whole_turns
from structkin.numerical_tolerances import SAME_SOLVED


@dataclass
class Turns:
    """The tracker since its first pose: its curves so far, and after how many turns to look for a repetition."""

    tracker: BranchTracker
    first: Pose
    direction: float
    count: int = 1
    curves: list[Curve] = field(default_factory=list)

    @property
    def _whole_turn(self) -> float:
        return 2 * np.pi * self.count * self.direction

    def ends_before(self, target: int) -> bool:
        """Return whether the driver has completed the whole turns at a place."""
        return bool(self.direction * (self.tracker.at(target) - self.first.z - self._whole_turn)[0, 0] > 0)

    def repeat(self, k: int, pose: Pose, before: Curve | None) -> bool:
        """Track to the end of the whole turns; predict all samples after the place k if the first pose recurs."""
        way = self.tracker.go(pose, self.first.z + self._whole_turn, before)
        shift = whole_turns(self.first, way[-1].b, SAME_SOLVED) if way else None
        if shift is None:
            self.count += 1
            return False
        number, gone = np.divmod((self.tracker.values[0, k + 1 :] - self.first.z[0, 0]) / self._whole_turn, 1.0)
        curves = [*self.curves, *way]
        starts = [(curve.a.z - self.first.z)[0, 0] / self._whole_turn for curve in curves]
        which = np.searchsorted(starts, gone, side="right").astype(np.min_scalar_type(len(starts)))
        # Group the lanes by curve: small numbers are sorted in one pass.
        ends = np.cumsum(np.bincount(which, minlength=len(starts) + 1))
        for curve, here in zip(curves, np.split(np.argsort(which, kind="stable"), ends[1:-1]), strict=True):
            z = self.first.z + gone[here] * self._whole_turn
            self.tracker.predict(
                self.tracker.lanes[k + 1 + here], curve, z, shift * number[here] if shift.any() else 0.0
            )
        return True
