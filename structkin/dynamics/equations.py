"""What the run of a simulation asks of equations of motion."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Equations(Protocol):
    """Equations of motion in a state y: coordinates, then their rates."""

    #: The contacts by name, and the speeds at which those that touch have met.
    contacts: list[str]
    impacts: dict[str, float]

    @property
    def evaluations(self) -> int:
        """How often they were evaluated."""

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""

    def recorded(self, t: float, y: Floats) -> Any:
        """Return everything at a time and state that is kept, settled; the equations are left as they were."""

    def energies(self, t: float, y: Floats) -> tuple[float, float] | None:
        """Return the kinetic energy [J] and its rate [W], where their jump tells of a step that was too large."""

    @property
    def measures(self) -> Floats:
        """What makes the coordinates of the state comparable (f,): a radian, or the mechanism's size [m]."""

    # --- between steps

    @property
    def renewed(self) -> bool:
        """Whether the last `accept` changed what is integrated, so that multistep methods have to begin anew."""

    def settle(self, t: float, y: Floats) -> Floats:
        """Return the state that a step's end is taken for."""

    def change(self, t: float, y: Floats, *, stuck: bool = False) -> Floats | None:
        """Return the state in other coordinates, if these tell the motion better from here on; None if not.

        `stuck`: a step from here has come to no pose.
        """

    def accept(self, t: float, y: Floats) -> None:
        """Go on from the settled end of a step: only here is changed what is counted from step to step."""

    def remember(self, t: float, y: Floats) -> None:
        """Note the speeds at which bodies met that touch at the end of a step."""

    def depths(self, t: float, y: Floats) -> Floats:
        """Return how deep the bodies of each contact overlap (c,) [m] that have not met yet; -inf of others."""

    def come_apart(self, t: float, y: Floats) -> str:
        """Return in words which joint has come apart; empty where none has."""

    def strained(self, method: str, h: float) -> str:
        """Return in words that the stabilisation asks more than a method bears at a step; empty where it does not."""
