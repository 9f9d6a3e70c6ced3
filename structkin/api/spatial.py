"""The public model of bodies and joints in space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from structkin.api.verb import public
from structkin.budget import DEFAULT
from structkin.dynamics.initial import initial_conditions
from structkin.dynamics.start import with_coordinates, with_turns
from structkin.errors import InputError, Problem
from structkin.multibody import file, model
from structkin.multibody.planar import PlanarState, spatial_model
from structkin.solve.solve_groups import solve_groups

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.api.mechanism import Mechanism
    from structkin.spatial.elements import Damping, Stiffness
    from structkin.spatial.motion import SmallStepMotion
    from structkin.symbolic.explicit.equations import Equations
    from structkin.symbolic.motion import TreeMotion
    from structkin.symbolic.system import Loops


class SpatialModel(model.SpatialModel):
    """Rigid bodies, joints, loads and sensors in space, with what can be asked of them; frozen.

    `load` reads a file, `build` takes its sections, `Mechanism.to_spatial` converts a planar mechanism.
    """

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the model of a .toml or .json file; raise `InputError` that lists every error.

        >>> from structkin.examples import spatial
        >>> SpatialModel.load(spatial.path("spinning_top"))
        <SpatialModel 'Spinning top': 1 body, 1 joint>
        """
        return public(cls, file.load(path))

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
    ) -> Self:
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
        return public(cls, file.from_dict({name: value for name, value in sections.items() if value is not None}))

    def small_steps(
        self,
        duration: float | None = None,
        step: float = 1e-5,
        *,
        record: int | None = None,
        stiffness: Stiffness = None,
        damping: Damping = None,
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
        rtol: float = 1e-9,
        *,
        loops: Loops = "explicit",
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
    ) -> Equations:
        """Return the equations of motion in minimal coordinates; see `structkin.symbolic.equations` (needs SymPy)."""
        from structkin.symbolic import equations

        return equations(self, numbers=numbers, shared=shared, loops=loops, independent=independent, ratios=ratios)

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


def to_spatial(mechanism: Mechanism, *, drivers: str = "refuse") -> SpatialModel:
    """Return a planar mechanism as a model in space: in the plane z = 0, in its state at time 0.

    Revolute, prismatic and fastened joints, straight and circular slots, masses, gravity, springs, forces, moments and
    efforts are carried over. The start is that of `simulate`. A driver with a law is refused, or with `drivers="free"`
    becomes a free coordinate that starts with the value and the rate of its law. Strokes are limits that only a motion
    checks; they are left out. Raises `InputError` that lists all that has no counterpart in space.

    >>> import structkin as sk
    >>> from structkin.examples import path
    >>> sk.load(path("andrews_squeezer")).to_spatial(drivers="free")
    <SpatialModel "Andrews' squeezer": 7 bodies, 10 joints>
    """
    title = mechanism.title or "mechanism"
    if drivers not in ("refuse", "free"):
        raise InputError([Problem("drivers", f"'{drivers}' is unknown", "known: refuse, free")], title)
    laws = {id: drive.law for id, drive in mechanism.drivers.items() if drive.law is not None}
    if laws and drivers == "refuse":
        hint = 'drivers="free" lets it move freely, from the value and the rate of its law'
        message = "a driver with a law has no counterpart in space"
        raise InputError([Problem(f"drivers.{id}", message, hint) for id in laws], title)
    whole = with_coordinates(mechanism)
    found = initial_conditions(whole)
    start = {id: ([value], [found.speeds[id]], [0.0]) for id, value in found.values.items()}
    for id, law in laws.items():
        value, rate, _ = law(np.zeros(1))
        start[id] = ([float(value[0])], [float(rate[0])], [0.0])
    motion = solve_groups(whole, drivers=start)
    _, turns = with_turns(motion)
    states = {}
    for link in whole.links:
        place, velocity = (reader(0j, link)[0] for reader in (motion.position, motion.velocity))
        angle, omega = float(motion.angle(link)[0]), float(motion.omega(link)[0])
        states[link] = PlanarState(complex(*place), complex(np.exp(1j * angle)), complex(*velocity), omega, turns[link])
    if not all(np.isfinite([s.origin, s.direction, s.velocity, s.omega]).all() for s in states.values()):
        raise InputError([Problem("initial", "there is no regular pose at time 0", "see `structkin check`")], title)
    return public(SpatialModel, spatial_model(whole, states))
