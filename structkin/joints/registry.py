"""The kinds of joints a file may list, by the value of their key `type`."""

from __future__ import annotations

from structkin.joints.belt import BeltEntry
from structkin.joints.cam_entry import CamEntry
from structkin.joints.entry import JointEntry
from structkin.joints.fastened import FastenedEntry
from structkin.joints.gear import GearEntry
from structkin.joints.geneva import GenevaEntry
from structkin.joints.prismatic import PrismaticEntry
from structkin.joints.rack import RackEntry
from structkin.joints.rolling import RollingEntry
from structkin.joints.slot import SlotEntry

JOINT_TYPES: dict[str, type[JointEntry]] = {
    "prismatic": PrismaticEntry,
    "pin-in-slot": SlotEntry,
    "cam": CamEntry,
    "geneva": GenevaEntry,
    "gear": GearEntry,
    "belt": BeltEntry,
    "rack": RackEntry,
    "rolling": RollingEntry,
    "fastened": FastenedEntry,
}
