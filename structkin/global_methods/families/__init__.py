"""Families of coordinates: from a mechanism to Phi, its Jacobian, and their rates, one file per family."""

from structkin.global_methods.families.make import FAMILIES, constraints
from structkin.global_methods.families.system import Coordinates

__all__ = ["FAMILIES", "Coordinates", "constraints"]
