"""Limit positions: how far a driver goes, why a motion ends, and what can be reached."""

from structkin.kinematics.limits.branches import Branch, BranchPoint, Circuits, circuits
from structkin.kinematics.limits.passages import Passage
from structkin.kinematics.limits.result import Interval, Limit, Limits
from structkin.kinematics.limits.search import limits

__all__ = ["Branch", "BranchPoint", "Circuits", "Interval", "Limit", "Limits", "Passage", "circuits", "limits"]
