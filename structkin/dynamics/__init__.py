"""Dynamics: the forces that a motion needs, and the motion that forces cause."""

from structkin.dynamics.bodies import Body, mass_table
from structkin.dynamics.initial import Correction, InitialConditions, initial_conditions
from structkin.dynamics.inverse.kinetostatics import Kinetostatics
from structkin.dynamics.matrices import LinkTerms, ReducedEquations
from structkin.dynamics.simulate import simulate
from structkin.dynamics.simulation import Integration, Simulation
from structkin.dynamics.user_loads import Force, Moment, UserLoad

__all__ = [
    "Body",
    "Correction",
    "Force",
    "InitialConditions",
    "Integration",
    "Kinetostatics",
    "LinkTerms",
    "Moment",
    "ReducedEquations",
    "Simulation",
    "UserLoad",
    "initial_conditions",
    "mass_table",
    "simulate",
]
