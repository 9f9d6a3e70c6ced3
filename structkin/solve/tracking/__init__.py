"""Continuation of a general group along its lanes: predictor, Newton's method, and smaller steps where needed.

A pose is accepted when Newton's method converges close to its prediction, no link turns far and det Phi_phi keeps its
sign and follows its tangent: the assembly mode is kept, without jumps. Where the tangent leads through zero, the pose
is continued on a circle of complex places around the step (`structkin.track.continuation`), along the way that the
inputs take between the lanes (`input_path`): through a change point, past no limit.

Lanes are not followed one by one. Continuation points a short distance apart are (`stepping`); and where the inputs
return near places followed before, as in every turn of a crank after the first, many points are closed at once from
there, and kept as long as a step from the point before leads to each of them. The lanes between two points
start from a curve through their poses, tangents and curvatures and run through Newton's method together (`fill`). Where
a lane cannot be reached even in small steps, the group has met a limit position: that lane is out of reach, and so are
those after it, up to where the inputs come back to those of solved ones (`tracker`).
"""

from structkin.solve.tracking.state import unpacked
from structkin.solve.tracking.tracker import track

__all__ = ["track", "unpacked"]
