"""The public names, each from the package where it lives; `structkin` itself hands them out."""

from structkin.dynamics import Force as Force
from structkin.dynamics import FormulationComparison as FormulationComparison
from structkin.dynamics import Kinetostatics as Kinetostatics
from structkin.dynamics import Moment as Moment
from structkin.dynamics import Simulation as Simulation
from structkin.errors import InputError as InputError
from structkin.errors import PoseError as PoseError
from structkin.errors import Problem as Problem
from structkin.errors import StructkinError as StructkinError
from structkin.errors import StructureError as StructureError
from structkin.global_methods import Comparison as Comparison
from structkin.global_methods import NewtonRun as NewtonRun
from structkin.global_methods import Outcome as Outcome
from structkin.global_methods import Statistics as Statistics
from structkin.global_methods import newton_raphson as newton_raphson
from structkin.global_methods.families import Coordinates as Coordinates
from structkin.joints.cam_laws import CamLaw as CamLaw
from structkin.model import Driver as Driver
from structkin.model import Joint as Joint
from structkin.model import Mechanism as Mechanism
from structkin.model import Topology as Topology
from structkin.model.builder import Builder as Builder
from structkin.multibody.model import SpatialModel as SpatialModel
from structkin.plan.status import Status as Status
from structkin.solve import Motion as Motion
from structkin.solve import Motions as Motions
from structkin.structure import Group as Group
from structkin.structure import InputChoice as InputChoice
from structkin.structure import InputRanking as InputRanking
from structkin.structure import KinematicStructure as KinematicStructure
from structkin.structure import StructureArrays as StructureArrays
from structkin.structure import TopologyArrays as TopologyArrays
from structkin.structure import decompose_arrays as decompose_arrays
from structkin.structure import fingerprint as fingerprint
from structkin.structure import isomorphic as isomorphic

load = Mechanism.load
