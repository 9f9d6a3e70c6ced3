"""The model: bodies, joints, loads and sensors in space, in SI, all drawn in one pose.

Every vector and tensor of the model is given in ground axes and in the drawn pose: the axes of every body are parallel
to those of the ground there, and a joint has the coordinates 0. Nothing else has to be said about frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from structkin.budget import DEFAULT
from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.parts import Law
from structkin.model.topology import suggest
from structkin.multibody.joint import SpatialJoint
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.spatial.small_step_motion import SmallStepMotion
    from structkin.symbolic.explicit.equations_of_motion import Equations
    from structkin.symbolic.explicit.own import ExplicitLoop
    from structkin.symbolic.motion import TreeMotion

GROUND = "ground"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], centre of mass (3,) [m], inertia about it (3, 3) [kg m^2], and named points (3,) [m].

    The inertia of a thin rod or of point masses is singular. `outline` holds polylines (n, 3) [m] for pictures only.
    """

    name: str
    mass: float
    center: Floats
    inertia: Floats
    points: Mapping[str, Floats] = field(default_factory=dict)
    outline: tuple[Floats, ...] = ()


@dataclass(frozen=True, eq=False)
class Force:
    """A force on a body at a point (3,): three components [N] as laws of time, in ground axes or the body's."""

    name: str
    body: str
    point: Floats
    components: tuple[Law, Law, Law]
    follows: bool = False


@dataclass(frozen=True, eq=False)
class Torque:
    """A torque on a body: three components [N m] as laws of time, in ground axes or, if it follows, the body's."""

    name: str
    body: str
    components: tuple[Law, Law, Law]
    follows: bool = False


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring and damper between points of two bodies.

    It pulls with stiffness (l - length) + damping dl/dt [N] where l is the distance of the points, until this pull
    first exceeds `breaks_at` [N]; from then on it carries nothing.
    """

    name: str
    bodies: tuple[str, str]
    points: tuple[Floats, Floats]
    stiffness: float
    damping: float
    length: float
    breaks_at: float | None = None


@dataclass(frozen=True, eq=False)
class JointLoad:
    """A spring, a damper and a law along one coordinate q of a joint.

    The effort on the coordinate is effort(t) - stiffness (q - rest) - damping dq/dt [N or N m].
    """

    name: str
    joint: str
    coordinate: int = 0
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    effort: Law | None = None


@dataclass(frozen=True, eq=False)
class Stop:
    """A stop of one coordinate q of a joint: outside [lower, upper] a spring and a damper push it back.

    The damper never pulls: a stop only pushes.
    """

    name: str
    joint: str
    lower: float
    upper: float
    stiffness: float
    damping: float = 0.0
    coordinate: int = 0


@dataclass(frozen=True, eq=False)
class Sensor:
    """What is recorded besides the poses: `quantity` of `of`.

    position, velocity, acceleration: of a point ("rod.tip"), (3,) in ground axes; distance: of two points ("rod.tip",
    "ground.A"); angle, rate: of a joint's coordinates; force, moment: what a joint exerts on its second body, (3,) in
    ground axes; multipliers: of a joint at which a loop is cut; kinetic_energy: of a body, potential_energy: of a body
    or a load, both of the whole model where `of` is empty.
    """

    name: str
    quantity: str
    of: tuple[str, ...]


Load = Force | Torque | Spring | JointLoad | Stop


@checked
@dataclass(frozen=True, eq=False)
class SpatialModel:
    """Rigid bodies, joints, loads and sensors in space, with what can be asked of them; frozen.

    `load` reads a file, `build` takes its sections, `Mechanism.to_spatial` converts a planar mechanism. `gravity` (3,)
    is in m/s^2. A body without a path of joints to the ground moves freely. `points` (3,) [m] are fixed to the ground.
    `duration` [s] is the time for which the model is meant to run.

    >>> stone = SpatialModel.build(
    ...     points={"O": (0, 0, 0), "P": (0, 0, -1)}, forces={"gravity": (0, 0, -10)},
    ...     bodies={"ground": [], "stone": {"points": ["O", "P"], "shape": "cylinder", "radius": 0.1, "mass": 2}})
    >>> motion = stone.simulate(2.0, samples=3)
    >>> motion.t.tolist(), motion.position("stone.P")[:, 2].round(6).tolist()
    ([0.0, 1.0, 2.0], [-1.0, -6.0, -21.0])
    """

    name: str
    bodies: Mapping[str, Body]
    joints: Mapping[str, SpatialJoint]
    loads: Mapping[str, Load] = field(default_factory=dict)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    gravity: Floats = field(default_factory=lambda: np.zeros(3))
    points: Mapping[str, Floats] = field(default_factory=dict)
    duration: float | None = None

    def place(self, name: str) -> tuple[str, Floats]:
        """Return the body and the drawn place (3,) [m] of a point "body.point" or "ground.point"; or `InputError`.

        >>> SpatialModel("", {}, {}, points={"A": np.ones(3)}).place("ground.A")
        ('ground', array([1., 1., 1.]))
        """
        body, _, point = name.partition(".")
        points = {GROUND: self.points, **{id: one.points for id, one in self.bodies.items()}}
        if point not in points.get(body, ()):
            known = [f"{id}.{one}" for id in points for one in points[id]]
            raise InputError([Problem(name, "is not a point of a body", suggest(name, known))], self.name or "model")
        return body, points[body][point]

    @classmethod
    def load(cls, path: str | Path) -> SpatialModel:
        """Return the model of a .toml or .json file; raise `InputError` that lists every error.

        >>> from structkin.examples import spatial
        >>> SpatialModel.load(spatial.path("spinning_top"))
        <SpatialModel 'Spinning top': 1 body, 1 joint>
        """
        from structkin.multibody import file

        return file.load(path)

    @classmethod
    def build(
        cls,
        title: str = "",
        *,
        units: Mapping[str, str] | None = None,
        points: Mapping[str, Any] | None = None,
        bodies: Mapping[str, Any] | None = None,
        joints: Mapping[str, Any] | None = None,
        forces: Mapping[str, Any] | None = None,
        sensors: Mapping[str, Any] | None = None,
        duration: float | str | None = None,
    ) -> SpatialModel:
        """Return the model of the sections of a file, word for word; numbers are in SI unless `units` says otherwise.

        Raises `InputError` that lists every error.

        >>> SpatialModel.build(
        ...     "Pendulum", points={"O": (0, 0, 0), "P": (1, 0, 0)}, forces={"gravity": (0, 0, -9.81)},
        ...     bodies={"rod": {"shape": "rod", "points": ["O", "P"], "mass": 1}},
        ...     joints={"O": {"type": "revolute", "bodies": ["ground", "rod"], "at": "O", "axis": (0, 1, 0)}})
        <SpatialModel 'Pendulum': 1 body, 1 joint>
        """
        sections = {
            "title": title, "units": units, "points": points, "bodies": bodies, "joints": joints, "forces": forces,
            "sensors": sensors, "duration": duration,
        }  # fmt: skip
        from structkin.multibody import file

        return file.from_dict({name: value for name, value in sections.items() if value is not None})

    def small_steps(
        self,
        duration: float | None = None,
        step: float = 1e-5,
        *,
        record: int | None = None,
        stiffness: float | Mapping[str, tuple[float, float]] | None = None,
        damping: float | Mapping[str, float] | None = None,
        user: Callable[..., None] | None = None,
        budget: float | None = DEFAULT,
        progress: Callable[[float], None] | None = None,
    ) -> SmallStepMotion:
        """Return the motion by small steps with stiff joints; see `structkin.spatial.small_steps`.

        The duration [s] is the model's unless given.
        """
        from structkin.spatial import small_steps

        return small_steps(
            self, self._time(duration), step, record=record, stiffness=stiffness, damping=damping, user=user,
            budget=budget, progress=progress,
        )  # fmt: skip

    def simulate(
        self,
        duration: float | None = None,
        samples: int = 361,
        rtol: float = 1e-9,  # `RTOL`, written out for those who read the signature
        *,
        loops: Literal["explicit", "multipliers"] = "explicit",
        integrator: str = "DOP853",
        budget: float | None = DEFAULT,
        progress: Callable[[float], None] | None = None,
    ) -> TreeMotion:
        """Return the motion in minimal coordinates; see `structkin.symbolic.simulate`.

        The duration [s] is the model's unless given.
        """
        from structkin.symbolic import simulate

        return simulate(
            self,
            self._time(duration),
            samples,
            rtol,
            loops=loops,
            integrator=integrator,
            budget=budget,
            progress=progress,
        )

    def equations(
        self,
        *,
        numbers: bool = False,
        shared: bool | None = None,
        loops: str = "multipliers",
        independent: Sequence[str] = (),
        ratios: Mapping[str, tuple[str, float]] | None = None,
        solved: Sequence[ExplicitLoop] = (),
    ) -> Equations:
        """Return the equations of motion in minimal coordinates; see `structkin.symbolic.equations` (needs SymPy)."""
        from structkin.symbolic import equations

        return equations(
            self, numbers=numbers, shared=shared, loops=loops, independent=independent, ratios=ratios, solved=solved
        )

    def plot(self) -> Figure:
        """Return a figure of the bodies as drawn; squares are joints at the ground."""
        from structkin.show.space import draw_space

        return draw_space(self)

    def _time(self, duration: float | None) -> float:
        found = self.duration if duration is None else duration
        if found is None:
            hint = "give one, or write it in the file, such as duration = 2"
            raise InputError(
                [Problem("duration", "the model does not say how long it runs", hint)], self.name or "model"
            )
        return found

    def __repr__(self) -> str:
        """Show the name and the counts."""
        bodies, joints = len(self.bodies), len(self.joints)
        counts = f"{bodies} bod{'y' if bodies == 1 else 'ies'}, {joints} joint{'' if joints == 1 else 's'}"
        return f"<SpatialModel {self.name!r}: {counts}>"
