"""All numerical tolerances of the package in one table, each with its reason.

Lengths are in parts of the size and angles in radians; a singular value is that of the Jacobian with its rows and
columns scaled alike; a discriminant is the square of a sine. A number has about 16 digits.
"""

from __future__ import annotations

# --- rounding -----------------------------------------------------------------------------------------------------

#: A few units in the last place: nothing nearer can be told apart, and solvers that are asked for it go on until
#: rounding ends them.
LAST_DIGIT = 1e-15
#: Rounding error of one sum, product or pivot, in parts of its largest term.
ROUNDING_OF_ONE = 1e-14
#: The same of a few operations: coefficients of a row, the last step of Newton's method on one equation.
ROUNDING_OF_FEW = 1e-13
#: The same of a long calculation, such as a pose: smaller values, in parts of the largest one of their kind, are noise.
ROUNDING = 1e-12
#: Square roots of rounding errors: where solutions meet, at limit positions and in singular poses, results have lost
#: half their digits.
HALF_DIGITS = 1e-7
#: The tolerance to which SciPy's bracketing solvers find a root.
ROOT = 1e-14
#: What the logarithm of a power of some 300 digits may be off by.
POWER_LOGARITHM = 1e-9
#: The imaginary step of a derivative: its square is below the rounding of any value.
COMPLEX_STEP = 1e-30
#: The least number that counts as positive, where a divisor must not be zero.
LEAST_POSITIVE = 1e-300

# --- data ---------------------------------------------------------------------------------------------------------

#: Lengths, places and angles that are given are equal if they differ by less: files and drawings have nine digits.
EQUAL_DATA = 1e-9
#: The same for values that are often rounded before they are written, such as curvatures and moments of inertia.
ROUNDED_DATA = 1e-6
#: A number of steps, turns or teeth this near to an integer, or to a simple fraction, is meant to be that one.
WHOLE = 1e-9
#: Below this sine (or discriminant) a sketch does not tell on which side something lies: it was drawn on the line.
DETERMINED = 1e-6
#: Shortest segment of a slot and shortest link of a general group, in parts of the longest: with shorter ones rounding
#: moves the pin, or the group counts as singular.
SHORTEST_SEGMENT, SHORTEST_LINK = 1e-6, 1e-8
#: Times of a table are at least this far apart [s].
NEAREST_TIME = 1e-15

# --- what is shown ------------------------------------------------------------------------------------------------

#: Values below this part of the largest one of their kind are shown, and taken, as zero: solved forces and rates carry
#: errors of this size.
NEGLIGIBLE = 1e-9
#: A difference that no reader of a page or drawing notices, in parts of the size or range.
VISIBLE = 1e-6
#: The least value on a logarithmic axis: smaller ones are rounding.
LEAST_DRAWN = 1e-17
#: Means below this part of the largest magnitude are errors of the trapezoidal rule.
QUADRATURE = 1e-7

# --- a pose is closed ---------------------------------------------------------------------------------------------

#: Newton's last step: what is left after it is below rounding, as convergence is quadratic.
CLOSED = 1e-8
#: The same for models in space and their projections, whose units are less alike.
CLOSED_IN_SPACE = 1e-9
#: The same where no other step follows and the result is used as it is: a loop of bodies, a point of a path.
CORRECTED = 1e-11
#: The last step, and the residual, of a pose that is solved by itself and then counted as found.
SOLVED_POSE = 1e-10
#: The largest residual of equations that hold, relative to their terms: redundant rows agree, data are met.
RESIDUAL = 1e-9
#: The same for explicit equations, tried at poses beside the drawn one.
EQUATIONS_HOLD = 1e-8
#: A joint in space is closed at the start if it is open by no more: places and angles are written with seven digits.
CLOSED_START = 1e-7
#: A row that is open by more cannot be closed: the mechanism does not exist there.
OPEN_ROW = 1e-6
#: Steps of Newton's method from a prediction along a tangent, and from a curve through two poses.
ITERATIONS, ITERATIONS_ON_CURVE = 6, 3

# --- two poses are the same ---------------------------------------------------------------------------------------

#: Poses closer than this are the same, also where they have lost half their digits.
SAME_POSE = 1e-6
#: The same for poses that are solved to rounding, and for places on a path.
SAME_SOLVED = 1e-9
#: The same for solutions of polynomial equations, which are worse conditioned than poses.
SAME_SOLUTION = 1e-8
#: Change points, and ends of intervals, closer than this on a path are one.
NEAREST = 1e-11
#: Inputs this close to a limit position, relative to the group's size, are at it: it is not known more precisely.
AT_LIMIT = 2e-13
#: The first coordinate of a unit vector below this: its point is at infinity.
AT_INFINITY = 1e-6

# --- a pose is on the branch of the one before --------------------------------------------------------------------

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

# --- steps --------------------------------------------------------------------------------------------------------

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
#: Steps, intervals and times are not shortened below this part of the whole: the search has failed there.
SHORTEST_PART = 1e-9
#: The same where a singular end or a change point is approached to rounding.
SHORTEST_STEP = 1e-13
#: Part of an interval, next to an end at infinity, in which discriminants have lost their digits.
LOST_AT_INFINITY = 1e-6
#: A step aside, in parts of an interval: far beyond rounding, and short against all else.
NUDGE = 1e-6
#: Steps of a fixed size are equal if they differ by less: the last one of an interval is divided anew.
SAME_STEP = 1e-6

# --- singular poses -----------------------------------------------------------------------------------------------

#: Smallest singular value of a regular pose: below it rates have lost half their digits.
SINGULAR = 1e-7
#: The same of a pose at a limit, where positions are known to half the digits.
SINGULAR_AT_LIMIT = 1e-6
#: Below the first the tangent of a pose is not reliable; above the second it leads through a change point.
FLAT, REGULAR = 1e-3, 1e-2
#: With a smaller one a general group may be at a change point, and is expanded around it.
NARROW = 1e-2
#: With a smaller one the poses around are examined, and factors are those of the pose itself, not of a step before.
WEAK = 0.05
#: Singular values below this part of the largest are zero: the rank of equations whose numbers are given.
RANK = 1e-9
#: The same of equations whose numbers are themselves solved, to more digits than data have.
RANK_OF_SOLVED = 1e-10
#: Least scale of rows and columns, relative to the mechanism's own units.
LEAST_SCALE = 1e-6

# --- discriminants ------------------------------------------------------------------------------------------------

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
#: A group in a simulation with a smaller discriminant and no series is flat: its rates are rounding.
FLAT_DISCRIMINANT = 1e-8

# --- polynomials and series ---------------------------------------------------------------------------------------

#: A polynomial whose coefficients cancel to this part of their terms is zero; with a leading coefficient below the
#: second, in parts of the largest, it is of a lower degree: the other roots come out as very large numbers.
VANISHED, NO_LEAD = 1e-11, 1e-16
#: Below this relative determinant the place of a platform does not follow from two legs alone.
DEPENDENT = 1e-6
#: A Chebyshev series of size one is resolved where its last coefficients are below the first; coefficients that stay
#: level below the second are the rounding of the function itself: halving would never end.
SERIES_RESOLVED, SERIES_LEVEL = 1e-13, 1e-10
#: The last coefficients of a smooth function: negative powers on a circle, inputs between two stations.
SMOOTH_SERIES = 1e-11
#: For the starts of circuits, which Newton's method improves: the last coefficients of a resolved piece, and its least
#: part of the whole.
SEEDS_RESOLVED, SEEDS_SMALLEST = 1e-8, 1e-8

# --- simulations --------------------------------------------------------------------------------------------------

#: Relative tolerance of an integrator, where none is given.
RTOL = 1e-9
#: Relative tolerance of a run that others are compared with, and the tightest one that rounding allows.
REFERENCE, TIGHTEST = 1e-12, 1e-13
#: A motion of less than this part of the largest inertia moves no mass.
NO_MASS = 1e-13
#: After an impact the first step is this part of the duration.
AFTER_IMPACT = 1e-7
#: The penalty of a violated row: rows weaker than its root are ignored.
PENALTY = 1e-6
#: The shortest step, and the shortest stable one that is recommended, of a motion by small steps [s].
SHORTEST_TIME = 1e-12
#: A time [s] in which nothing moves: a simulation of the start alone.
INSTANT = 1e-9

# --- methods agree ------------------------------------------------------------------------------------------------

#: Methods of solving agree where positions differ by less than this part of the size, and rates by less than this part
#: of the largest rate of the sample.
METHOD_POSITIONS, METHOD_RATES = 1e-10, 1e-8
#: Formulations agree where positions, speeds and joint forces differ by less than these parts of the size, of the
#: largest speed and of the largest force; and the relative tolerance with which they are compared.
FORMULATIONS_AGREE = (1e-7, 1e-6, 1e-5)
COMPARED_RTOL = 1e-10

# --- design -------------------------------------------------------------------------------------------------------

#: Part of the cost that a good step gains.
LITTLE_GAIN = 1e-8
#: A dimension whose share of the variance is below this has no effect.
NO_SHARE = 1e-20
