"""A four-bar in space as the contents of a file, and copies of it with other values."""

import copy

FOUR_BAR = {
    "units": {"length": "mm", "angle": "deg"},
    "points": {"A": [0, 0, 0], "B": [40, 0, 0], "C": [160, 60, 90], "D": [160, 60, 0]},
    "bodies": {
        "ground": ["A", "D"],
        "crank": {"points": ["A", "B"], "shape": "rod", "mass": 0.06},
        "coupler": {"points": ["B", "C"], "shape": "cylinder", "radius": 4, "density": 7850},
        "rocker": {"points": ["C", "D"], "mass": 1, "center": "C", "inertia": [2, 3, 4]},
    },
    "joints": {
        "A": {"type": "revolute", "bodies": ["ground", "crank"], "at": "A", "axis": [0, 0, 1]},
        "B": {"type": "spherical", "bodies": ["crank", "coupler"], "at": "B"},
        "C": {"type": "universal", "bodies": ["coupler", "rocker"], "at": "C", "axis": [1, 0, 0], "second": [0, 1, 0]},
        "D": {"type": "revolute", "bodies": ["ground", "rocker"], "at": "D", "axis": [0, 1, 0]},
    },
    "forces": {
        "gravity": [0, 0, -9.81],
        "pull": {"type": "force", "at": "rocker.C", "direction": [0, 2, 0], "law": "5*t"},
        "twist": {"type": "moment", "on": "crank", "value": [0, 0, "5 N m"], "frame": "local"},
        "coil": {"type": "spring", "between": ["crank.B", "ground.D"], "stiffness": "3 N/mm", "breaks_at": 40},
        "drum": {"type": "joint", "joint": "A", "stiffness": 3, "rest": 90, "actuator": "sin(t)"},
        "end": {"type": "stop", "joint": "D", "upper": 30, "stiffness": 1e4},
    },
    "sensors": {
        "C": {"type": "velocity", "of": "rocker.C"},
        "gap": {"type": "distance", "of": ["crank.B", "ground.D"]},
        "q": {"type": "angle", "of": "A"},
    },
}


def changed(**paths):
    data = copy.deepcopy(FOUR_BAR)
    for path, value in paths.items():
        *way, last = path.split("__")
        table = data
        for key in way:
            table = table[key]
        table[last] = value
    return data
