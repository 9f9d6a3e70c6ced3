"""Circuits of a mechanism with one driver: the curves on which its poses lie, and the limits where they turn back."""

from structkin.branches.circuits.by_closed_forms import Branch, BranchPoint, Circuits

__all__ = ["Branch", "BranchPoint", "Circuits"]
