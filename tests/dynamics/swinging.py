"""Small mechanisms that swing under gravity."""

from __future__ import annotations

from typing import Any

import structkin as sk


def pendulum(**more: Any) -> sk.Mechanism:
    """Benchmark A01 of the IFToMM library: 1 kg at the end of a massless rod of 1 m, level and at rest."""
    return sk.Mechanism(
        "Pendulum",
        points={"A": (0, 0), "B": (-1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "point_masses": {"B": 1}}},
        forces={"gravity": (0, -9.81)},
        drivers={"swing": {"joint": "A"}},
        **more,
    )


def swinging_four_bar() -> sk.Mechanism:
    """A swinging four-bar with a spring: energy is kept."""
    rod = {"shape": "rod", "mass": 1}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, -0.3), "C": (0.5, -0.5), "D": (0.6, 0)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], **rod},
            "coupler": {"points": ["B", "C"], **rod},
            "rocker": {"points": ["C", "D"], **rod},
        },
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": [0, -9.81], "coil": {"type": "torsion", "joint": "D", "stiffness": 5}},
        initial={"swing": {"speed": 2}},
    )


def table_on_cranks() -> sk.Mechanism:
    """A table on three parallel cranks: one joint row too many."""
    beam = {"points": ["P", "Q", "R"], "mass": 6, "center": [2, -1], "inertia": 1}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (4, 0), "P": (0.6, -0.8), "Q": (2.6, -0.8), "R": (4.6, -0.8)},
        links={"ground": ["A", "B", "C"], "one": ["A", "P"], "two": ["B", "Q"], "three": ["C", "R"], "beam": beam},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": [0, -9.81]},
    )
