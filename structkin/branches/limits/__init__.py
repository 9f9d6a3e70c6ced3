"""Limit positions: how far a driver goes, why a motion ends, and what can be reached."""

from structkin.branches.limits.passages import Passage
from structkin.branches.limits.result import Interval, Limit, Limits

__all__ = ["Interval", "Limit", "Limits", "Passage"]
