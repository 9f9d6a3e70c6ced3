"""Whole mechanisms in one family of coordinates: Phi, its Jacobian, and the global solvers."""

from structkin.coordinates.make import FAMILIES, coordinates
from structkin.coordinates.newton import NewtonRun, Outcome, newton_raphson
from structkin.coordinates.solve import Statistics, solve_globally
from structkin.coordinates.system import Coordinates

__all__ = [
    "FAMILIES",
    "Coordinates",
    "NewtonRun",
    "Outcome",
    "Statistics",
    "coordinates",
    "newton_raphson",
    "solve_globally",
]
