"""A leg or an arm alone, guided by its own markers (Flores & Lankarani, Figs. 36 and 38).

The uppermost marker's place x, y and the angle of the first segment follow splines through the markers, which are the
guiding constraints of eq. 84, and so do the angles of the joints below. The rest of the body is not needed: forces are
found from the free end upwards. A foot on the ground needs the force of a plate; without one its moments hold while it
is in the air.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics import Force, Kinetostatics, Moment
from structkin.errors import InputError, Problem
from structkin.model import Mechanism
from structkin.model.topology import suggest
from structkin.solve import Motion
from structkin.studies.gait import EXTENSION, GRAVITY, MARKERS, Segment
from structkin.studies.guides import ENDS, direction
from structkin.studies.markers import Markers
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Markers of an arm, from the shoulder down; those of a leg are the last of `MARKERS`.
ARM_MARKERS = ("shoulder", "elbow", "wrist")
#: Where a chain may begin.
TOPS = (*MARKERS[:-1], *ARM_MARKERS[:-1])


def chain_of(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the markers that a record with these columns must have: of the person, or of a limb from its first one.

    >>> chain_of(["t", "knee_x", "knee_y", "ankle_x"]), chain_of(["t", "elbow_x"])
    (('knee', 'ankle', 'mt5'), ('elbow', 'wrist'))
    """
    there = {name.removesuffix("_x").removesuffix("_y") for name in columns}
    return chain_from(next((name for name in TOPS if name in there), MARKERS[0]))


def chain_from(first: str) -> tuple[str, ...]:
    """Return the markers from this one of `TOPS` down; `InputError` for another.

    >>> chain_from("hip")
    ('hip', 'knee', 'ankle', 'mt5')
    """
    if first not in TOPS:
        raise InputError([Problem("from", f"'{first}' is no upper end", suggest(first, TOPS))], "gait")
    chain = MARKERS if first in MARKERS else ARM_MARKERS
    return chain[chain.index(first) :]


@dataclass(frozen=True)
class Limb:
    """A limb over the record: its mechanism, motion and forces. Drivers have the names of the markers at the joints."""

    mechanism: Mechanism
    motion: Motion
    forces: Kinetostatics

    @property
    def joints(self) -> list[str]:
        """The joints, from the upper end down."""
        return [id for id in self.mechanism.drivers if id not in ("x", "y")]

    def moments(self) -> dict[str, Floats]:
        """Return the moment (n,) [N m] at each joint, with the signs of `structkin.studies.gait.joint_moments`."""
        return {id: EXTENSION[id] * self.forces.driver(id) for id in self.joints}


def limb(markers: Markers, chain: Sequence[str], body: Mapping[str, Segment]) -> Limb:
    """Return a limb whose markers, smoothed, are named from its upper end down, under the force of a plate if any."""
    t = markers.t - markers.t[0]
    segments = [next(name for name, ends in ENDS.items() if ends == pair) for pair in pairwise(chain)]
    angles = np.unwrap([np.angle(direction(markers, name)) for name in segments], axis=1)
    ends = np.cumsum([0.0, *(body[name].length for name in segments)])
    at = [f"{name} marker" for name in chain]
    # The sketch hangs from the origin, so that the slides of rail and lift are x and y.
    points = {"R": (0.0, 0.0), **{name: (0.0, -end) for name, end in zip(at, ends, strict=True)}}
    links: dict[str, Any] = {"ground": [], "forward": ["R"], "up": [at[0]]}
    drivers: dict[str, Any] = {
        axis: {"joint": joint, "table": np.column_stack((t, markers.places[chain[0]][:, k])).tolist()}
        for k, (axis, joint) in enumerate((("x", "rail"), ("y", "lift")))
    }
    for k, (name, course) in enumerate(zip(segments, np.diff(angles, axis=0, prepend=0.0), strict=True)):
        center = (0.0, points[at[k]][1] - body[name].center)
        links[name] = {
            "points": at[k : k + 2], "mass": body[name].mass, "center": center, "inertia": body[name].inertia,
        }  # fmt: skip
        between = [segments[k - 1] if k else "up", name]
        drivers[chain[k]] = {"joint": at[k], "links": between, "table": np.column_stack((t, course)).tolist()}
    mechanism = Mechanism(
        "A limb",
        points=points,
        links=links,
        joints={
            "rail": {"type": "prismatic", "links": ["forward", "ground"], "at": "R", "axis": [1, 0]},
            "lift": {"type": "prismatic", "links": ["forward", "up"], "at": at[0], "axis": [0, 1]},
        },
        drivers=drivers,
        forces={"gravity": [0, -GRAVITY]},
    )
    motion = mechanism.solve(t=t)

    def plate(t: Floats, state: Motion) -> list[Force | Moment]:
        assert markers.force is not None and markers.moment is not None
        ankle, push = state.position(at[-2]), markers.force
        turn = markers.moment - ankle[:, 0] * push[:, 1] + ankle[:, 1] * push[:, 0]
        return [Force(at[-2], push, segments[-1]), Moment(segments[-1], turn)]

    return Limb(mechanism, motion, motion.forces(loads=[plate] if markers.force is not None else []))


def draw_limb(found: Limb) -> Figure:
    """Draw the limb in sixteen poses of the record, and the angle and the moment of each joint over time."""
    from structkin.show.style import PALETTE, SMALL, new_figure
    from structkin.studies.pictures import tidy

    motion, points = found.motion, [name for name in found.mechanism.places if name != "R"]
    figure = new_figure(10.0, 8.0)
    poses, angles, moments = figure.subplots(3, 1, height_ratios=(2, 1, 1))
    chain = np.stack([motion.position(name) for name in points])
    for k in range(0, len(motion), max(1, len(motion) // 16)):
        poses.plot(*chain[:, k].T, "o-", ms=3, color=PALETTE[0], linewidth=1)
    poses.set_aspect("equal")
    tidy(poses, " to ".join(name.removesuffix(" marker") for name in (points[0], points[-1])), "x [m]", "y [m]")
    for k, (name, values) in enumerate(found.moments().items()):
        angles.plot(motion.t, np.degrees(motion.drivers[name][0]), color=PALETTE[k], label=name)
        moments.plot(motion.t, values, color=PALETTE[k], label=name)
    tidy(angles, "angles of the joints; the first is that of its segment in the plane", "t [s]", "angle [deg]")
    tidy(moments, "moments, positive in extension", "t [s]", "moment [N m]")
    for axes in (angles, moments):
        axes.legend(fontsize=SMALL, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure
