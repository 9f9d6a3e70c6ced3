"""Limit positions: how far a driver goes, why a motion ends, and what can be reached."""

from structkin.kinematics.limits.passages import Passage
from structkin.kinematics.limits.result import Interval, Limit, Limits
from structkin.kinematics.limits.search import limits
from structkin.kinematics.limits.sheets import Circuits, Meeting, Sheet, circuits

__all__ = ["Circuits", "Interval", "Limit", "Limits", "Meeting", "Passage", "Sheet", "circuits", "limits"]
