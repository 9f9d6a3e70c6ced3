"""Positions, velocities and accelerations, group by group."""

from structkin.kinematics.compile import compile_plan
from structkin.kinematics.motion import Motion
from structkin.kinematics.plan import Plan
from structkin.kinematics.solve import solve
from structkin.kinematics.status import Status

__all__ = ["Motion", "Plan", "Status", "compile_plan", "solve"]
