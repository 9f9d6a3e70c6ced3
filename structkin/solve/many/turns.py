"""The turns of links along the samples of many variants, and across the gaps of their motions."""

from __future__ import annotations

import numpy as np

from structkin.numerical_tolerances import SAME_POSE, WHOLE
from structkin.solve.change_points.beside_gaps import TO_A_GAP
from structkin.solve.motion.followed import UNKNOWN
from structkin.solve.motion.turning import wrapped
from structkin.types import Flags, Floats


def turns_along_samples(angle: Floats, behind: Flags, z: Floats, reach: Floats, *, turning: bool) -> Floats:
    """Return the turns (v, n) of a link from its `angle` (v, n) at samples; NaN where they do not tell.

    Samples are close; `behind` (v, n) are those that follow a gap, and z (v, n) is the only driver that moves. As in
    `Motion.angle`, behind a gap the link has turned by the shorter rotation across it, unless the way back from the
    first sample leads there, by a driver that is `turning`: the samples tell that of a whole turn. Between the samples
    beside a gap and its ends the link may turn by `reach` (v, n); so they tell the shorter rotation if it is short.

    >>> angle, behind = np.array([[0.1, 0.2, np.nan, 0.9, 1.0]]), np.array([[False, False, True, True, False]])
    >>> z = np.arange(5.0)[None]
    >>> turns_along_samples(angle, behind, z, np.full((1, 5), 0.1), turning=False).round(3).tolist()
    [[0.1, 0.2, nan, 0.9, 1.0]]
    >>> turns_along_samples(angle, behind, z, np.full((1, 5), 1.0), turning=False).round(3).tolist()
    [[0.1, 0.2, nan, nan, nan]]
    """
    turn, sure, across = _onwards(angle, behind, reach)
    z = np.abs(z - z[:, :1])
    grows = np.asarray((np.diff(z) > 0).all(axis=1))
    if turning:
        # The way back begins at the last sample, which is the first one.
        whole = np.abs(z[:, -1] - 2 * np.pi) < WHOLE * 2 * np.pi
        closes = whole & (np.abs(wrapped(angle[:, -1] - angle[:, 0])) < SAME_POSE)
        shifted = np.concatenate((np.zeros((len(angle), 1), bool), behind[:, :0:-1]), axis=1)
        back, _, lost = _onwards(angle[:, ::-1], shifted, reach[:, ::-1])
        first = turn[:, :1] + wrapped(angle[:, -1:] - angle[:, :1])
        known = closes[:, None] & ~lost[:, ::-1] & across & (z > np.pi)
        turn = np.where(known, back[:, ::-1] - back[:, :1] + first, turn)
        # Without samples of the whole turn the way back is not known.
        sure = np.where(z > np.pi, known | ~across | (sure & closes[:, None]), sure)
        grows &= (z[:, -1] < 2 * np.pi) | whole
    sure &= np.isfinite(angle[:, :1]) & (grows[:, None] | ~across)
    return np.where(sure, turn, np.nan)


def _onwards(angle: Floats, behind: Flags, reach: Floats) -> tuple[Floats, Flags, Flags]:
    """Return turns (v, n) by the shorter rotations across gaps, whether they are sure, and whether there was a gap."""
    known = np.isfinite(angle)
    latest = np.maximum.accumulate(np.where(known, np.arange(angle.shape[1]), 0), axis=1)
    turn = np.unwrap(np.take_along_axis(angle, latest, axis=1), axis=1)
    before = np.concatenate((latest[:, :1], latest[:, :-1]), axis=1)
    far = np.abs(wrapped(angle - np.take_along_axis(angle, before, axis=1)))
    far += reach + np.take_along_axis(reach, before, axis=1)
    gone = np.concatenate((np.zeros((len(angle), 1), bool), ~known[:, :-1]), axis=1)
    ends = known & (behind | gone)
    ends[:, 0] = False
    unsure = ends & ~(far < UNKNOWN)
    turn[~known] = np.nan
    return turn, ~np.logical_or.accumulate(unsure, axis=1), np.logical_or.accumulate(ends, axis=1)


def ways_to_gaps(vector: Floats, rate: Floats, steps: Floats) -> Floats:
    """Return how far a vector (v, n, 2) may go on at most from each sample to the end of a gap beside it (v, n).

    Towards it vectors move like a root: at most twice as far as at the rate beside the gap, its derivative (v, n, 2) by
    the driver, in a whole one of the driver's `steps` (v, n - 1), and `TO_A_GAP` times as far as from the sample
    before. NaN without such a sample.
    """
    way = np.linalg.norm(np.diff(vector, axis=1), axis=-1)
    none = np.full((len(vector), 1), np.nan)
    # Only on one side of a sample beside a gap the step is known.
    step = np.fmax(np.concatenate((none, way), axis=1), np.concatenate((way, none), axis=1))
    speed = np.linalg.norm(rate, axis=-1)
    longest = np.maximum(np.concatenate((steps[:, :1], steps), axis=1), np.concatenate((steps, steps[:, -1:]), axis=1))
    return np.asarray(np.maximum(TO_A_GAP * step, 2.0 * speed * longest))
