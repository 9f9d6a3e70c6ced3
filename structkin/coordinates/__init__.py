"""Whole mechanisms in one family of coordinates: Phi, its Jacobian, and the global solvers."""

from structkin.coordinates.make import FAMILIES, coordinates
from structkin.coordinates.system import Coordinates

__all__ = ["FAMILIES", "Coordinates", "coordinates"]
