"""The joints of a mechanism: one class and one file per kind.

The input is an entry of [joints] and the sketch; the output is an immutable joint with its geometry.
"""

from structkin.joints.belt import Belt
from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.fastened import Fastened
from structkin.joints.gear import Gear
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.pair import Joints, Pair
from structkin.joints.prismatic import Prismatic
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.rack import Rack
from structkin.joints.revolute import Revolute
from structkin.joints.rolling import RollingOnCircle, RollingOnLine
from structkin.joints.sliding import Sliding
from structkin.joints.slot import Slot
from structkin.joints.turn_coupling import TurnCoupling

__all__ = [
    "Belt",
    "Cam",
    "CircularSlot",
    "CurveSlot",
    "Fastened",
    "Gear",
    "Geneva",
    "Guide",
    "Joints",
    "LawCam",
    "Pair",
    "Prismatic",
    "ProfileCam",
    "Rack",
    "Revolute",
    "RollingOnCircle",
    "RollingOnLine",
    "Sliding",
    "Slot",
    "TurnCoupling",
]
