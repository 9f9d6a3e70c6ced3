"""structkin: planar mechanisms, from their topology to structural groups and motion.

>>> import structkin as sk
>>> m = sk.Mechanism(
...     "Four-bar",
...     points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
...     drivers={"motor": {"joint": "A", "speed": 1.0}},
... )
>>> [group.kind for group in m.structure().groups]
['driven R', 'RRR']
>>> m.solve(samples=5).position("C").shape
(5, 2)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from structkin.coordinates import (
        Comparison,
        Coordinates,
        NewtonRun,
        Outcome,
        Statistics,
        compare,
        constraints,
        newton_raphson,
    )
    from structkin.dynamics import Force, Kinetostatics, Moment, Simulation, simulate
    from structkin.errors import InputError, PoseError, Problem, StructkinError, StructureError
    from structkin.kinematics import Motion, Motions, Status, solve, solve_many
    from structkin.model import Builder, Driver, Joint, Mechanism, Topology, load
    from structkin.model.cam_laws import CamLaw
    from structkin.structure import (
        Group,
        KinematicStructure,
        StructureArrays,
        TopologyArrays,
        decompose,
        decompose_arrays,
    )
    from structkin.structure.compare import fingerprint, isomorphic
    from structkin.structure.inputs import InputChoice, InputRanking, rank_inputs

__version__ = "0.1.0"

__all__ = [
    "Builder",
    "CamLaw",
    "Comparison",
    "Coordinates",
    "Driver",
    "Force",
    "Group",
    "InputChoice",
    "InputError",
    "InputRanking",
    "Joint",
    "KinematicStructure",
    "Kinetostatics",
    "Mechanism",
    "Moment",
    "Motion",
    "Motions",
    "NewtonRun",
    "Outcome",
    "PoseError",
    "Problem",
    "Simulation",
    "Statistics",
    "Status",
    "StructkinError",
    "StructureArrays",
    "StructureError",
    "Topology",
    "TopologyArrays",
    "compare",
    "constraints",
    "decompose",
    "decompose_arrays",
    "fingerprint",
    "isomorphic",
    "load",
    "newton_raphson",
    "rank_inputs",
    "simulate",
    "solve",
    "solve_many",
]

#: Where the names are. Each is imported when it is first asked for: `structkin --help` needs none of them.
_HOMES = {
    "coordinates": (
        "Comparison",
        "Coordinates",
        "NewtonRun",
        "Outcome",
        "Statistics",
        "compare",
        "constraints",
        "newton_raphson",
    ),
    "dynamics": ("Force", "Kinetostatics", "Moment", "Simulation", "simulate"),
    "errors": ("InputError", "PoseError", "Problem", "StructkinError", "StructureError"),
    "kinematics": ("Motion", "Motions", "Status", "solve", "solve_many"),
    "model": ("Builder", "Driver", "Joint", "Mechanism", "Topology", "load"),
    "model.cam_laws": ("CamLaw",),
    "structure": ("Group", "KinematicStructure", "StructureArrays", "TopologyArrays", "decompose", "decompose_arrays"),
    "structure.compare": ("fingerprint", "isomorphic"),
    "structure.inputs": ("InputChoice", "InputRanking", "rank_inputs"),
}
_PARTS = ("coordinates", "dynamics", "errors", "examples", "kinematics", "model", "show", "structure")


def __getattr__(name: str) -> Any:
    """Import a name, or a part of the package, when it is first asked for."""
    if name in _PARTS:
        return import_module(f"structkin.{name}")
    for home, names in _HOMES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"structkin.{home}"), name)
            return found
    raise AttributeError(f"module 'structkin' has no attribute '{name}'")


def __dir__() -> list[str]:
    """List all names, those among them that are not imported yet."""
    return sorted({*globals(), *__all__, *_PARTS})
