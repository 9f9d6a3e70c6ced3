"""Continuation of a general group along its lanes: predictor, Newton, and smaller steps where they are needed.

Between two lanes the inputs move in a straight line. A pose is accepted when Newton's method converges close to its
prediction, no link turns far and the sign of det Phi_phi stays: the assembly mode is kept, never jumped.

Lanes are not walked one by one. Continuation points a short way apart are (`walk`); and where the inputs come back near
places that were walked before, as in every turn of a crank but the first, many points are closed at once from there,
and kept as far as each is also what a step from the one before it leads to (`predict`). The lanes between two start
from a curve through their poses, tangents and curvatures and run through Newton's method together (`fill`). Where the
way to a lane cannot be walked in however small steps, the group has met a limit position: that lane is out of reach,
and so are those behind it, up to where the inputs come back near solved ones and the pose can be walked to from there
(`resume`). Through a change point lanes are continued analytically (`structkin.track.continuation`), which certifies
that it is none of these.
"""

from structkin.solve.tracking.state import unpacked
from structkin.solve.tracking.tracker import track

__all__ = ["track", "unpacked"]
