"""Turns of a single driver that repeat the first: the curves of one turn predict all the others.

Phi(q, z) = 0 with one driven angle z comes back to itself after a turn of z. If the walk from q(z_0) arrives at z_0
and some whole turns at the same pose, then by the uniqueness of the branch it goes on as it did before: coordinates
that are angles have turned by a constant, all others repeat. So do counted turns: the rows of gears are linear in
them, and those of cams and Geneva wheels repeat with each whole turn. Where the pose is another one, as after the first
turn of a mechanism with a change point or a gear, the next turn's end is looked at. The samples that are predicted so
are closed by the Newton-Raphson method like all others.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.walk import Walk
from structkin.track.tolerances import WEAK

Floats = NDArray[np.float64]

#: Scaled coordinates that agree so far are the same.
SAME = 1e-9
#: Cells of a period for each of its curves: most lie in one curve, so that samples need not look for theirs.
CELLS = 64


@dataclass(frozen=True)
class Turns:
    """The walk since its first pose: its curves so far, and the value of the driver at which to look for a repetition.

    `shift` (n, 1) is the turn of each coordinate in a repetition, once there is one.
    """

    walk: Walk
    first: Pose
    direction: float
    count: int = 1
    curves: list[Curve] = field(default_factory=list)
    shift: Floats | None = None

    @property
    def _end(self) -> Floats:
        return self.first.z + 2 * np.pi * self.count * self.direction

    def ends_before(self, target: int) -> bool:
        """Tell whether the driver has made the whole turns at a place."""
        return bool(self.direction * (self.walk.at(target) - self._end)[0, 0] > 0)

    def closed(self, pose: Pose, before: Curve | None) -> Turns | None:
        """Walk to the end of the whole turns: return the turns with their shift where the pose is the first one."""
        last = self.walk.step(pose, before, self._end) or self.walk.walk(pose, self._end)
        if last is None:
            return None
        coordinates = last.scaled.coordinates
        size = np.max(coordinates.column_units)
        gap = np.abs(coordinates.frames(last.q) - coordinates.frames(self.first.q)).reshape(-1, 2, 2)
        # Where all links lie as they did, coordinates that differ are angles.
        moved = last.q - self.first.q
        shift = 2 * np.pi * np.round(moved / (2 * np.pi))
        open = np.abs(moved - shift) / coordinates.column_units[:, None]
        if max(np.max(gap[:, 0]) / size, np.max(gap[:, 1]), np.max(open)) > SAME:
            return replace(self, count=self.count + 1)
        return replace(self, curves=[*self.curves, Curve(pose, last)], shift=shift)

    def predict(self, k: int) -> None:
        """Predict all samples behind the place k."""
        walk, lanes = self.walk, self.walk.lanes[k + 1 :]
        period = 2 * np.pi * self.count * self.direction
        gone = (walk.values[0, k + 1 :] - self.first.z[0, 0]) / period
        number = np.floor(gone)
        gone -= number
        starts = np.array([curve.a.z[0, 0] - self.first.z[0, 0] for curve in self.curves]) / period
        which = _curves_at(starts, gone)
        # The lanes of each curve together: small numbers are sorted in one pass.
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(starts)))
        assert self.shift is not None
        turns = bool(self.shift.any())
        for curve, here in zip(self.curves, np.split(order, ends[:-1]), strict=True):
            if curve.doubtful(WEAK):
                walk.suspect[lanes[here]] = True
            z = self.first.z + gone[here] * period
            walk.predict(lanes[here], curve, z, self.shift * number[here] if turns else None)


def _curves_at(starts: Floats, gone: Floats) -> NDArray[np.unsignedinteger]:
    """Return in which curve each part of a period lies; `starts` (curves,) ascend from 0."""
    count = CELLS * len(starts)
    edges = np.searchsorted(starts, np.arange(count + 2) / count, side="right") - 1
    cell = (gone * count).astype(np.intp)
    found = edges.astype(np.min_scalar_type(len(starts)))[cell]
    unsure = np.flatnonzero((edges[1:] != edges[:-1])[cell])
    found[unsure] = np.searchsorted(starts, gone[unsure], side="right") - 1
    return found
