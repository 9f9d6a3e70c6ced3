"""Whole mechanisms in one family of coordinates: Phi, its Jacobian, and the global solvers."""

from structkin.coordinates.compare import Comparison, MethodRun, compare
from structkin.coordinates.diagnosis import NewtonRun, Outcome, newton_raphson
from structkin.coordinates.make import FAMILIES, constraints
from structkin.coordinates.solve import Statistics, solve_globally
from structkin.coordinates.system import Coordinates

__all__ = [
    "FAMILIES",
    "Comparison",
    "Coordinates",
    "MethodRun",
    "NewtonRun",
    "Outcome",
    "Statistics",
    "compare",
    "constraints",
    "newton_raphson",
    "solve_globally",
]
