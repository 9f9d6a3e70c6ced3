"""Descriptions that the tests of the model start from."""

from __future__ import annotations

import copy
from typing import Any

CRANK_ROCKER_TOML = """
title = "Crank-rocker"
units = { length = "mm", angle = "deg", mass = "kg" }

[points]
A = [0, 0]
B = [15.2, 0]
C = [42.3, 30.29]
D = [45.72, 0]
P = [20.5, 35.4]

[links]
ground  = ["A", "D"]
crank   = ["A", "B"]
coupler = { points = ["B", "C", "P"], mass = 0.6, center = [28, 20], inertia = 4.0e-4 }
rocker  = ["C", "D"]

[lengths]
"A-B" = 15

[drivers]
motor = { joint = "A", speed = "60 rpm" }

[forces]
gravity = [0, -9.81]
return = { type = "spring", between = ["P", "D"], stiffness = 500, free_length = 40, damping = 2 }
"""

#: One of everything, for tests of bad input; it is not meant to move.
EVERYTHING: dict[str, Any] = {
    "title": "Everything",
    "units": {"length": "mm", "angle": "deg"},
    "points": {
        "A": [0, 0],
        "B": [20, 0],
        "C": [80, 30],
        "D": [100, 0],
        "E": [80, 60],
        "F": [0, -50],
        "O": [0, -40],
        "Q": [50, -60],
    },
    "links": {
        "ground": ["A", "D", "F"],
        "crank": ["A", "B"],
        "coupler": {"points": ["B", "C", "E"], "mass": 1},
        "rocker": ["C", "D"],
        "block": ["E"],
        "arm": ["O", "Q"],
        "boom": ["F"],
    },
    "lengths": {"A-B": 20},
    "joints": {
        "guide": {"type": "prismatic", "links": ["block", "ground"], "at": "E", "axis": [1, 0]},
        "slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "axis": [0, 1]},
    },
    "drivers": {
        "motor": {"joint": "A", "speed": "60 rpm"},
        "ram": {"between": ["D", "E"], "speed": "10 mm/s"},
        "free": {"links": ["ground", "arm"]},
    },
    "forces": {"gravity": [0, -9.81], "spring": {"type": "spring", "between": ["B", "D"], "stiffness": "3 N/mm"}},
    "initial": {"free": {"value": 10, "speed": "1 rad/s"}},
    "duration": 2,
}

DELETE = object()


def patched(patch: dict[str, Any], base: dict[str, Any] = EVERYTHING) -> dict[str, Any]:
    """Return a copy of `base` with the values at dotted paths replaced, or deleted."""
    data = copy.deepcopy(base)
    for path, value in patch.items():
        *parents, last = path.split(".")
        table = data
        for parent in parents:
            table = table.setdefault(parent, {})
        if value is DELETE:
            del table[last]
        else:
            table[last] = value
    return data
