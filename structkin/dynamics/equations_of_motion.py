"""Equations of motion as a run takes them: what all kinds share, and what most leave to the integrator."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from structkin.dynamics.contacts import note
from structkin.dynamics.user_loads import UserLoad
from structkin.model.forces import Contact
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Plan
from structkin.solve.engine import Lanes
from structkin.types import Floats


class EquationsOfMotion(ABC):
    """Equations of motion in a state y: coordinates, then their rates."""

    #: The plan of the motion.
    plan: Plan
    #: The arrays of the text of the equations.
    mem: Any

    def __init__(self, mechanism: Mechanism, users: Sequence[UserLoad]) -> None:
        """Note which drivers are free, and the contacts."""
        self.mechanism, self.users, self.order = mechanism, tuple(users), tuple(mechanism.drivers)
        #: The mechanism at the place at which it is drawn.
        self.drawn = mechanism
        laws = [drive.law for drive in mechanism.drivers.values()]
        self.free = np.array([k for k, law in enumerate(laws) if law is None], dtype=np.intp)
        self.prescribed = [(k, law) for k, law in enumerate(laws) if law is not None]
        self.contacts = [id for id, load in mechanism.forces.loads.items() if isinstance(load, Contact)]
        #: The impact speeds of the contacts that touch, and the turns of the links at the start.
        self.impacts: dict[str, float] = {}
        self.begun: dict[str, float] = {}
        self._evaluations = 0

    @property
    def evaluations(self) -> int:
        """How often they were evaluated."""
        return self._evaluations

    @abstractmethod
    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""

    @abstractmethod
    def preserved(self) -> AbstractContextManager[None]:
        """Continue afterwards from the state of the solvers before, whatever is evaluated within.

        Outputs are evaluated within it: they must not change the motion, not even by rounding.
        """

    @property
    @abstractmethod
    def measures(self) -> Floats:
        """The scales of the coordinates of the state (f,): a radian, or the mechanism's size [m]."""

    def energies(self, t: float, y: Floats) -> tuple[float, float] | None:
        """Return the kinetic energy [J] and its rate [W], if a jump in them indicates a step that was too large."""
        return None

    def advance(
        self, method: str, start: float, end: float, begin: int, count: int, last: int, y: Floats, *limits: float
    ) -> tuple[int, Floats]:
        """Take as many of the steps `begin` to `last` as possible at once, among `count` equal ones."""
        return begin, y

    # --- between steps ------------------------------------------------------------------------------------

    #: Whether the last `accept` changed what is integrated, so that multistep methods have to restart.
    needs_restart = False

    def longest_step(self, t: float, y: Floats) -> float:
        """Return the longest step [s] from a state within which all poses are found, and no lift is passed over."""
        return math.inf

    def passes(self, t: float, y: Floats, step: float) -> bool:
        """Return whether the step [s] to a state, from where `longest_step` was asked last, passes over a lift."""
        return False

    def verify(self, t: float, y: Floats) -> None:
        """Raise `NoPoseError` where a step to a state has left its branch, or may have."""
        return None

    def project(self, t: float, y: Floats) -> Floats:
        """Return the corrected state at the end of a step."""
        return y

    def change(self, t: float, y: Floats, *, stuck: bool = False) -> Floats | None:
        """Return the state in other coordinates, if these describe the motion better from here; None if not.

        `stuck`: a step from here has reached no pose.
        """
        return None

    def struck(self, t: float, y: Floats, jumps: Mapping[str, float]) -> Floats:
        """Return the state behind jumps of the rates of prescribed drivers, by their ids.

        Second rates are linear in those of the drivers. So an impulse changes the rates by what the jumps, as second
        rates, change the second rates: M dv + Phi_q^T dp = 0 and Phi_q dv = dnu, the law of impact of ideal joints.
        """
        half, drivers = len(y) // 2, [self.order[k] for k, _ in self.prescribed]
        with self.preserved():
            before = self(t, y)
            jolt = [0.0] * (len(self.mem.jolt) - len(drivers)) + [jumps.get(id, 0.0) for id in drivers]
            self.mem.put(jolt=jolt)
            after = self(t, y)
        return np.concatenate((y[:half], y[half:] + after[half:] - before[half:]))

    def accept(self, t: float, y: Floats) -> None:
        """Continue from the projected end of a step: only this changes what is counted from step to step."""
        self.remember(t, y)

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        if self.contacts:
            note(self.touches(t, y), self.impacts)
            self.mem.put(met=[self.impacts.get(id, np.nan) for id in self.contacts])

    @abstractmethod
    def touch(self, t: float, y: Floats) -> None:
        """Write how bodies touch, and how fast joints with friction move, at a state."""

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        self.touch(t, y)
        return dict(zip(self.contacts, map(tuple, np.transpose(self.mem.touches).tolist()), strict=True))

    def slips(self, t: float, y: Floats) -> Floats:
        """Return the rate (k,) of each joint with friction, in parts of its transition."""
        if len(self.mem.slips):
            self.touch(t, y)
        return np.array(self.mem.slips)

    def constraint_violation(self, t: float, y: Floats) -> str:
        """Return which joint has come apart, in words; empty where none has."""
        return ""

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if the stabilisation makes a method unstable at this step, else an empty string."""
        return ""

    # --- what is recorded ---------------------------------------------------------------------------------

    @abstractmethod
    def recorded(self, t: float, y: Floats) -> Any:
        """Return everything at a time and state that is recorded, projected."""

    @abstractmethod
    def motion_of(
        self, kept: Sequence[Any], drivers: Mapping[str, Floats]
    ) -> tuple[Sequence[str], Plan, Lanes, dict[str, Any]]:
        """Return the links whose turns were recorded, the motion as slots, and what else a `Simulation` has."""
