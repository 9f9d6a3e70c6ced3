"""The motion of a mechanism as one pure function, in the array library of its arguments."""

from structkin.solve.functional.function import Functional, functional

__all__ = ["Functional", "functional"]
