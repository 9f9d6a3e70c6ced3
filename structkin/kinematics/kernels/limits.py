"""How far a pose of a general group may be from where it is looked for: what tracking and its kernels go by."""

from __future__ import annotations

#: Largest turn of a link in one step [rad], and largest departure of the corrected pose from the predicted one.
TURN, DEPARTURE = 0.35, 0.12
#: How near a lane between two stations has to be to the curve through them.
BETWEEN = 0.02
#: Steps of Newton's method for a station, and for lanes between two stations.
ITERATIONS = 6
#: Square of the last step: what is left after a step of 1e-8 is below rounding, as convergence is quadratic.
CLOSED = 1e-16
