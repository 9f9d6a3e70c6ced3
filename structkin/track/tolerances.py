"""The tolerances of all trackers in one table, each with its reason.

Lengths are in parts of the size and angles in radians; a singular value is that of the Jacobian with its rows and
columns scaled alike; a discriminant is the square of a sine.
"""

from __future__ import annotations

# --- a pose is closed -----------------------------------------------------------------------------------------

#: Newton's last step: what is left after it is below rounding, as convergence is quadratic.
CLOSED = 1e-8
#: Steps of Newton's method from a prediction along a tangent, and from a curve through two poses.
ITERATIONS, ITERATIONS_ON_CURVE = 6, 3

# --- a pose is on the branch of the one before ----------------------------------------------------------------

#: Largest turn of a link in a step, and largest departure of the corrected pose from the predicted one. Along a tangent
#: the departure grows with the square of the step: a third of a radian departs by half its square, and other branches
#: that are nearer than that are distinguished by their determinants.
TURN, DEPARTURE = 0.35, 0.12
#: The same where the prediction is of second order, or along a curve of the fifth: steps may be twice as long, and
#: depart by less.
TURN_ON_CURVE, DEPARTURE_ON_CURVE = 0.7, 0.05
#: Largest departure of a lane between two continuation points from the curve through them: two steps of Newton's method
#: close it from there.
BETWEEN = 0.02
#: Largest change of a coordinate and of a link in a general group between two evaluations of a simulation, whose
#: integrator asks for nearby poses: there is no prediction to compare with.
SIMULATED_STEP, SIMULATED_TURN = 0.3, 0.3

# --- steps ----------------------------------------------------------------------------------------------------

#: Halvings of the path to a sample before it counts as failed, and where a limit position is approached to rounding:
#: the path left is then the square of the distance left to the pose.
HALVINGS, FINEST = 12, 44
#: Near a limit position the smallest singular value is below this: it falls like the square root of the path left.
NEAR_LIMIT = 0.2
#: Inputs this near to the path of earlier ones have come back to it: behind a limit, and where inputs were missing.
COME_BACK, ACROSS = 0.1, 1.0
#: Steps of inputs on the straight way to them: with longer ones it would depend on the order of the prediction whether
#: a motion is resumed.
RETURN = 0.025
#: Places of the path, as far apart as stations, at which a mechanism is tried from the sketch before it counts as
#: unsolvable: as many as in a turn of a crank.
TRIALS = 64

# --- singular poses -------------------------------------------------------------------------------------------

#: Smallest singular value of a regular pose: below it rates have lost half their digits.
SINGULAR = 1e-7
#: Below the first the tangent of a pose is not reliable; above the second it leads through a change point.
FLAT, REGULAR = 1e-3, 1e-2
#: With a smaller one a general group may be at a change point, and is expanded around it.
NARROW = 1e-2
#: With a smaller one the poses around are examined, and factors are those of the pose itself, not of a step before.
WEAK = 0.05

# --- discriminants --------------------------------------------------------------------------------------------

#: A squared sine within this of zero is a limit position: its rates have lost half the digits or more.
LIMIT = 1e-13
#: One rule for all methods, by the lengths that a pose lacks to be flat, in parts of the mechanism's size: within the
#: first it is a change point, and the motion passes it smoothly; beyond the second it is none, and the motion keeps its
#: branch. Between them nobody can tell rounding from a difference that is meant: the branch is not certified.
FLAT_WITHIN, NEVER_FLAT = 1e-12, 1e-8
#: A double zero of a discriminant that leaves less than this is a change point: a dyad of two equal links that lacks a
#: part e of its length to be flat has a squared sine of about 4 e.
DOUBLE_ZERO = 4 * FLAT_WITHIN
#: A sine below this may be near a change point: there L has lost four digits or more.
GUARD = 0.06
