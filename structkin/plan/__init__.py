"""From a mechanism and its structure to a plan: slots for known quantities, and steps for groups in solve order."""

from structkin.plan.compile import determines_all
from structkin.plan.plan import Plan
from structkin.plan.status import Status

__all__ = ["Plan", "Status", "determines_all"]
