"""From a plan and driver values to a motion: positions, velocities and accelerations, K and L, group by group."""

from structkin.solve.motion import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan, structure_of

__all__ = ["Motion", "compile_plan", "solve_groups", "structure_of"]
