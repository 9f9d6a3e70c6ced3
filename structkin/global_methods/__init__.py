"""All equations of a mechanism at once: Newton's method over a motion, dense, sparse or block by block; comparisons."""

from structkin.global_methods.compare import Comparison, MethodRun
from structkin.global_methods.diagnosis import NewtonRun, Outcome, newton_raphson
from structkin.global_methods.solve import Statistics, solve_globally

__all__ = [
    "Comparison",
    "MethodRun",
    "NewtonRun",
    "Outcome",
    "Statistics",
    "newton_raphson",
    "solve_globally",
]
