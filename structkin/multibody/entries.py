"""The entries of a file of bodies in space, one pydantic model each; numbers are converted to SI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import PlainValidator

from structkin.model.entry import Entry
from structkin.model.fields import Anything, Flag, Name, Names, one_of, scalar
from structkin.model.fields import Radius as Length
from structkin.model.schema import SizedEntry, SpringKeys
from structkin.multibody.fields import Axes, BoxSize, Direction, Refs, Spot, TwoBodies, TwoSpots

SHAPES = ("rod", "cylinder", "box", "sphere")
FRAMES = one_of("global", "local")


class BodyEntry(Entry):
    """A rigid body: mass, centre of mass and inertia about it, or a uniform shape; point masses are added to both.

    `inertia` has the three principal moments or the six elements xx, yy, zz, xy, xz, yz of the tensor, in the
    directions of `axes`, which are those of the ground unless given.
    """

    layout: ClassVar[str] = "a table { ... }"
    sample: ClassVar[str] = '{ shape = "rod", points = ["A", "B"], mass = 0.5 }'

    points: Names = ()
    mass: Annotated[float, scalar("mass", sign="positive")] | None = None
    center: Spot | None = None
    inertia: Anything = None
    axes: Axes | None = None
    shape: Annotated[str, PlainValidator(one_of(*SHAPES))] | None = None
    between: TwoSpots | None = None
    radius: Length | None = None
    size: BoxSize | None = None
    density: Anything = None
    point_masses: Anything = None


class SpatialJointEntry(Entry):
    """A joint of two bodies, in the drawn pose; `start` and `speed` are its coordinates and their rates at time 0."""

    sample: ClassVar[str] = '{ type = "revolute", bodies = ["ground", "crank"], at = "A", axis = [0, 0, 1] }'

    type: Name
    bodies: TwoBodies
    at: Spot | None = None
    axis: Direction | None = None
    along: TwoSpots | None = None
    second: Direction | None = None
    pitch: Annotated[float, scalar("length")] | None = None
    start: Anything = None
    speed: Anything = None
    cut: Flag = False


class SpatialForceEntry(SizedEntry):
    """A force at a point of a body: a vector, or a magnitude along `direction`; in global or body axes."""

    sample: ClassVar[str] = '{ type = "force", at = "rod.B", value = [0, 0, -100] }'

    type: Name
    at: Spot
    on: Name | None = None
    direction: Direction | None = None
    frame: Annotated[str, PlainValidator(FRAMES)] = "global"


class SpatialMomentEntry(SizedEntry):
    """A moment on a body: a vector, or a magnitude along `direction`; in global or body axes."""

    sample: ClassVar[str] = '{ type = "moment", on = "rod", value = [0, 0, 5] }'

    type: Name
    on: Name
    direction: Direction | None = None
    frame: Annotated[str, PlainValidator(FRAMES)] = "global"


class SpatialSpringEntry(SpringKeys):
    """A spring and damper between two points; the free length defaults to the drawn distance."""

    sample: ClassVar[str] = '{ type = "spring", between = ["rod.B", "ground.C"], stiffness = 500 }'

    breaks_at: Annotated[float, scalar("force", sign="positive")] | None = None


class JointLoadEntry(Entry):
    """A spring, a damper and an actuator along one coordinate of a joint."""

    sample: ClassVar[str] = '{ type = "joint", joint = "A", stiffness = 3, damping = 0.1 }'

    type: Name
    joint: Name
    coordinate: Anything = 1
    stiffness: Anything = 0
    damping: Anything = 0
    rest: Anything = 0
    actuator: Anything = None


class StopEntry(Entry):
    """A stop of one coordinate of a joint: it pushes back outside [lower, upper]."""

    sample: ClassVar[str] = '{ type = "stop", joint = "A", lower = -30, upper = 30, stiffness = 1e4 }'

    type: Name
    joint: Name
    coordinate: Anything = 1
    lower: Anything = None
    upper: Anything = None
    stiffness: Anything
    damping: Anything = 0


class SensorEntry(Entry):
    """A quantity to record besides the poses."""

    sample: ClassVar[str] = '{ type = "position", of = "rod.B" }'

    type: Name
    of: Refs = ()


#: The values of `type` in [forces], with the entry of each.
LOAD_TYPES: Mapping[str, type[Entry]] = {
    "force": SpatialForceEntry,
    "moment": SpatialMomentEntry,
    "spring": SpatialSpringEntry,
    "joint": JointLoadEntry,
    "stop": StopEntry,
}
