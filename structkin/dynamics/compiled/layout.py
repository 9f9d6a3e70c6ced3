"""Two arrays that hold all others: what a compiled function takes in is short, and so is the time to compile it.

`I` holds integers, `D` numbers. Each part has a number here: `I[2 k]` is where part k begins, and `I[2 k + 1]` how long
it is. The text of this module becomes part of the compiled one.

S steps, n rows of slots, f coordinates (the free ones first, then the prescribed ones), e expressions of slots.
"""

from __future__ import annotations

from typing import Any

# Integers: the address of each step's function (S,), first rows of its operands (S, .), its mode in the sketch (S,);
STEP, ROWS, MODE = 0, 1, 2
# the coordinates that move step s, moved[ptr[s] : ptr[s + 1]], increasing; the rows that a coordinate moves, likewise;
MOVED_PTR, MOVED, REACHED_PTR, REACHED = 3, 4, 5, 6
# drivers' slots: row, coordinate, whether it is an angle, sign (., 4);
DRIVERS = 7
# the pattern of the mass matrix W in compressed rows;
MASS_PTR, MASS_ROW = 8, 9
# laws: form, first line; the law of each coordinate's motion and effort (f,), -1 for none;
LAW_FORM, LAW_PTR, MOTION, EFFORT = 10, 11, 12, 13
# expressions: terms, and the row of each; loads as indices of expressions and laws, see `forces`;
TERM_PTR, TERM_ROW, SPRINGS, TORSIONS, PUSHES, MOMENTS, FRICTIONS = 14, 15, 16, 17, 18, 19, 20
# joints' coordinates: kind and two expressions (., 3), and terms and rows of these, see `conditioning`;
JOINTS, JOINT_PTR, JOINT_ROW = 21, 22, 23
# evaluations so far, how many past rates a multistep method knows, number of free coordinates;
COUNT, KNOWN, FREE = 24, 25, 26
# steps with two modes; whether the pose is from a series; whether modes or general groups are followed, or turns are
# counted; whether nothing is known here.
TWO, SMOOTH, FOLLOWED, ASIDE = 27, 28, 29, 30
# links whose turns are counted: terms of their directions, and the row of each; torsion springs: terms of their turns,
# and of each what it is (0 a driver's value, 1 a row of the slots, 2 a counted turn) and its index (., 2).
COUNTED_PTR, COUNTED_ROW, TURN_PTR, TURN_TERM = 31, 32, 33, 34

# Numbers: constants of each step (S, .), values of W, weights (n,), largest rate of a row that is not steep (1,);
CONSTANTS, MASS, WEIGHT, STEEP = 35, 36, 37, 38
# laws: factor, lines of five numbers; expressions: constants (e, 2), factors (., 2); sizes of loads;
LAW_SCALE, LAW_DATA, CONST, FACTOR, SPRING_SIZES, TORSION_SIZES, FRICTION_SIZES = 39, 40, 41, 42, 43, 44, 45
# joints' coordinates: constants (., 2) and factors (., 2) of expressions, unit of each coordinate;
JOINT_CONST, JOINT_FACTOR, JOINT_UNIT = 46, 47, 48
# drivers' values, rates, second rates (3, f); slots' places, rates, and second rates at z_f'' = 0 (3, n); K (f, n);
Z, X, K = 49, 50, 51
# signed roots of the steps' margins and their rates (2, S) at a time (1,); the same of the evaluation that goes on;
ROOTS, CLOCK, NEW_ROOTS = 52, 53, 54
# turns of the links counted (k,), likewise;
TURNED, NEW_TURNED = 55, 56
# places, rates of expressions and forces on them (3, e, 2); forces on rows and W K of a coordinate (2, n);
PLACES, LOAD = 57, 58
# K_f^T W K_f and then its factor (f, f), its right-hand side (f,), a stack for formulas (., 3);
MATRIX, RIGHT, STACK = 59, 60, 61
# kinetic energy, power, largest kinetic energy, step of the past (4,); efforts (f,);
ENERGY, EFFORTS = 62, 63
# stages of a step (8, 2 free), past states and rates (8, 2 free); second rates of the free coordinates (free,);
STAGES, PAST, SECOND = 64, 65, 66
# series of one coordinate: for each its place, way, radius, and the powers of its slots' rows and the roots of TWO;
# weights of the powers (3, .).
SERIES, POWERS = 67, 68
# coordinates at the last evaluation, what makes them comparable (f,); slots' places at the last evaluation (n,);
LAST, MEASURES, KEPT = 69, 70, 71
# below these sizes roots that go to zero are looked at (S,); from this rate of a joint on others are looked at (1,).
LOOK, UNEVEN = 72, 73
# directions that are counted: constants (k, 2), factors (., 2), angles in the sketch (k,); factors of the terms of
# torsion springs.
COUNTED_CONST, COUNTED_FACTOR, DRAWN, TURN_FACTOR = 74, 75, 76, 77
PARTS = 78


def ints(I: Any, part: int) -> Any:
    """Return a part of the integers."""
    return I[I[2 * part] : I[2 * part] + I[2 * part + 1]]


def numbers(I: Any, D: Any, part: int) -> Any:
    """Return a part of the numbers."""
    return D[I[2 * part] : I[2 * part] + I[2 * part + 1]]
