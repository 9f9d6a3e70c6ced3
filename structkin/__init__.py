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

from structkin.errors import InputError, PoseError, Problem, StructkinError, StructureError
from structkin.kinematics import Motion, Motions, Status, solve, solve_many
from structkin.model import Builder, Driver, Joint, Mechanism, Topology, load
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
    "Driver",
    "Group",
    "InputChoice",
    "InputError",
    "InputRanking",
    "Joint",
    "KinematicStructure",
    "Mechanism",
    "Motion",
    "Motions",
    "PoseError",
    "Problem",
    "Status",
    "StructkinError",
    "StructureArrays",
    "StructureError",
    "Topology",
    "TopologyArrays",
    "decompose",
    "decompose_arrays",
    "fingerprint",
    "isomorphic",
    "load",
    "rank_inputs",
    "solve",
    "solve_many",
]
