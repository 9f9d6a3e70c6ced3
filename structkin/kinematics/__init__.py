"""Positions, velocities and accelerations, group by group."""

from structkin.kinematics.compile import determines_all
from structkin.kinematics.many import Motions, solve_many
from structkin.kinematics.motion import Motion
from structkin.kinematics.plan import Plan
from structkin.kinematics.solve import solve_groups
from structkin.kinematics.special_geometry import compile_plan, structure_of
from structkin.kinematics.status import Status

__all__ = [
    "Motion",
    "Motions",
    "Plan",
    "Status",
    "compile_plan",
    "determines_all",
    "solve_groups",
    "solve_many",
    "structure_of",
]
