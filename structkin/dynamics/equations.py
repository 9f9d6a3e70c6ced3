"""What the run of a simulation requires of equations of motion."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from structkin.types import Floats


class Equations(Protocol):
    """Equations of motion in a state y: coordinates, then their rates."""

    #: The contacts by name, and the impact speeds of those that touch.
    contacts: list[str]
    impacts: dict[str, float]

    @property
    def evaluations(self) -> int:
        """How often they were evaluated."""

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""

    def preserved(self) -> AbstractContextManager[None]:
        """Continue afterwards from the state of the solvers before, whatever is evaluated within.

        Outputs are evaluated within it: they must not change the motion, not even by rounding.
        """

    def recorded(self, t: float, y: Floats) -> Any:
        """Return everything at a time and state that is recorded, projected."""

    def energies(self, t: float, y: Floats) -> tuple[float, float] | None:
        """Return the kinetic energy [J] and its rate [W], if a jump in them indicates a step that was too large."""

    @property
    def measures(self) -> Floats:
        """The scales of the coordinates of the state (f,): a radian, or the mechanism's size [m]."""

    # --- between steps

    @property
    def needs_restart(self) -> bool:
        """Whether the last `accept` changed what is integrated, so that multistep methods have to restart."""

    def verify(self, t: float, y: Floats) -> None:
        """Raise `NoPoseError` where a step to a state has left its branch, or may have."""

    def project(self, t: float, y: Floats) -> Floats:
        """Return the corrected state at the end of a step."""

    def change(self, t: float, y: Floats, *, stuck: bool = False) -> Floats | None:
        """Return the state in other coordinates, if these describe the motion better from here; None if not.

        `stuck`: a step from here has reached no pose.
        """

    def accept(self, t: float, y: Floats) -> None:
        """Continue from the projected end of a step: only this changes what is counted from step to step."""

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""

    def slips(self, t: float, y: Floats) -> Floats:
        """Return the rate (k,) of each joint with friction, in parts of its transition."""

    def constraint_violation(self, t: float, y: Floats) -> str:
        """Return which joint has come apart, in words; empty where none has."""

    def gain_warning(self, method: str, h: float) -> str:
        """Return a message if the stabilisation makes a method unstable at this step, else an empty string."""
