"""The result of forward dynamics: a motion with its energies, efforts and the work of the integrator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from structkin.checked import checked
from structkin.dynamics.bodies import mass_table
from structkin.dynamics.contacts import contact_energy
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.initial import Correction
from structkin.dynamics.inverse.kinetostatics import Kinetostatics, kinetic_energy, kinetostatics
from structkin.dynamics.loads import turned_angle
from structkin.dynamics.user_loads import UserLoad
from structkin.global_methods.families.system import Coordinates
from structkin.joints.law_cam import LawCam
from structkin.model.forces import Contact, Spring, Torsion
from structkin.model.frozen import read_only
from structkin.plan.status import Status
from structkin.solve import Motion
from structkin.types import Floats


def simulation_of(
    equations: EquationsOfMotion,
    times: Floats,
    kept: Sequence[Any],
    integration: Integration,
    stopped: str,
    impacts: Mapping[str, Floats],
) -> Simulation:
    """Return the simulation of the instants that the equations recorded at the first of these times, at least one."""
    mechanism, order = equations.drawn, equations.order
    drivers = dict(zip(order, np.stack([one.z for one in kept], axis=-1), strict=True))
    links, plan, lanes, extra = equations.motion_of(kept, drivers)
    return Simulation(
        mechanism,
        plan,
        times[: len(kept)],
        drivers,
        lanes,
        efforts=dict(zip(order, np.stack([one.effort for one in kept], axis=-1), strict=True)),
        free=tuple(order[k] for k in equations.free),
        integration=integration,
        stopped=stopped,
        loads=equations.users,
        counted=dict(zip(links, np.stack([one.turns for one in kept], axis=1), strict=True)),
        impacts=impacts,
        **extra,
    )


@dataclass(frozen=True)
class Integration:
    """The cost of a simulation: steps, evaluations of the equations, wall time [s]; `hint`: what may reduce it."""

    steps: int
    evaluations: int
    seconds: float
    hint: str = ""


@checked
@dataclass(frozen=True, repr=False, kw_only=True)
class Simulation(Motion):
    """The motion caused by forces, at the requested times or until it stopped; see `Mechanism.simulate`.

    `efforts[driver]` (n,) is the torque or force of each driver [N m or N]: for a free coordinate the one in the file,
    for a prescribed one that which its motion needs. `stopped` says why it ended early, and is empty where it did not.
    `impacts` (n,) [m/s] are the impact speeds of the contacts that touch, NaN elsewhere. `corrections` are the data of
    [initial] that could not be met.

    A formulation with multipliers keeps its `coordinates` with the values q (n, coordinates), and the `multipliers` (n,
    rows), where -Phi_q^T lambda is the force of the `coordinates.rows` on q; `redundant` is the number of rows beyond
    the rank. Of a mechanism that is drawn far from the origin, q counts places from the middle of its points.
    """

    efforts: dict[str, Floats]
    free: tuple[str, ...]
    integration: Integration
    stopped: str = ""
    loads: tuple[UserLoad, ...] = ()
    impacts: Mapping[str, Floats] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    formulation: str = "reduced"
    coordinates: Coordinates | None = None
    q: Floats | None = None
    multipliers: Floats | None = None
    redundant: int = 0

    def __repr__(self) -> str:
        """Return title, samples and how it ended."""
        end = f"stopped at t = {self.t[-1]:.6g} s" if self.stopped else f"t to {self.t[-1]:.6g} s"
        return f"<Simulation of {self.mechanism.title or 'a mechanism'!r}: {len(self)} samples, {end}>"

    @cached_property
    def joints(self) -> Kinetostatics:
        """The reactions of joints, and which of them are unique: the forces of the motion under its own loads."""
        return self.forces()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What else there is to know: contacts that would have to pull, ends of strokes passed, cams that strike, very
        short steps.
        """
        notes = self.joints.notes if any(joint.presses for joint in self.mechanism.joints.values()) else ()
        if (self.status == Status.BEYOND_STROKE).any():
            notes += ("the end of a stroke exerts no force: add a contact to [forces] to stop the motion there",)
        notes += tuple(
            f"joints.{id}: the follower's speed jumps, as at the ends of uniform motion: such impacts are not known, "
            "and energy is not conserved there"
            for id, cam in self.mechanism.joints.of(LawCam).items()
            if cam.strikes
        )
        return (*notes, self.integration.hint) if self.integration.hint else notes

    @cached_property
    def kinetic_energy(self) -> Floats:
        """The kinetic energy (n,) [J]."""
        return read_only(kinetic_energy(self, mass_table(self.mechanism)))

    @cached_property
    def potential_energy(self) -> Floats:
        """The energy (n,) [J] of gravity, zero at the height of the origin, of springs and of pressed contacts."""
        total, forces = np.zeros(len(self)), self.mechanism.forces
        gravity, links = np.array((forces.gravity.real, forces.gravity.imag)), self.mechanism.links
        for body in mass_table(self.mechanism):
            total -= body.mass * (self.position(body.center, body.link) @ gravity)
        for load in forces.loads.values():
            if isinstance(load, Spring):
                first, second = (self.position(links[link].local[point], link) for link, point in load.ends)
                total += 0.5 * load.stiffness * (np.hypot(*(second - first).T) - load.free_length) ** 2
            elif isinstance(load, Torsion):
                total += 0.5 * load.stiffness * (turned_angle(self, load) - load.free_angle) ** 2
            elif isinstance(load, Contact):
                total += contact_energy(self, load)
        return read_only(total)

    @property
    def energy(self) -> Floats:
        """Kinetic and potential energy (n,) [J]; constant where no energy is supplied or lost."""
        return self.kinetic_energy + self.potential_energy

    def forces(self, *, static: bool = False, loads: Sequence[Callable[..., Any]] | None = None) -> Kinetostatics:
        """Return the forces of the motion, under the loads of the simulation or under other `loads`."""
        known = self.efforts if loads is None and not static else None
        return kinetostatics(self, static=static, loads=self.loads if loads is None else loads, known=known)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.simulation_table(self))

    @property
    def violation(self) -> Floats:
        """The largest closure error (n,) of a joint or driver, relative to the mechanism's size."""
        return self.residual()
