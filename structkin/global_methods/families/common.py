"""What all families of coordinates share: their size, and masses and forces from those on the frames of the links."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.checked import checked
from structkin.errors import InputError
from structkin.global_methods.families.system import Label, PerCoordinate
from structkin.model.mechanism import Mechanism
from structkin.types import Indices

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.multiplier_equations import Multipliers


@checked
class CommonCoordinates:
    """Coordinates of a mechanism whose links have masses: M q'' + Phi_q^T lambda = Q."""

    mechanism: Mechanism
    rows: tuple[Label, ...]

    def __repr__(self: Any) -> str:
        """Return family and size."""
        return f"<Coordinates {self.family}: {self.n} coordinates, {self.m} rows>"

    @property
    def m(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @cached_property
    def _dynamics(self: Any) -> Multipliers:
        """The equations of motion; turns of links are counted from the sketch."""
        from structkin.dynamics.friction import pressed
        from structkin.dynamics.multipliers.multiplier_equations import Multipliers
        from structkin.dynamics.multipliers.stabilisation import Feedback

        if problems := pressed(self.mechanism):
            raise InputError(problems, self.mechanism.title or "mechanism")
        equations = Multipliers(self.mechanism, self.family, Feedback(0.0, 0.0))
        start = self.start()[:, 0]
        equations.begin(0.0, np.concatenate((start, np.zeros_like(start))), dict.fromkeys(self.links, 0.0))
        return equations

    def mass(self: Any, q: PerCoordinate) -> tuple[Indices, Indices, Any]:
        """Return rows, columns and entries (entries, lanes) of M = X_q^T M_X X_q.

        Raises `InputError` where a link has a mass but no centre of mass, and for friction by a coefficient.
        """
        masses = self._dynamics.masses
        entries = [masses.entries(lane) for lane in self.frame_map(np.asarray(q))[2].T]
        return *masses.pattern, np.stack(entries, axis=1)

    def forces(self, q: PerCoordinate, v: PerCoordinate, t: float = 0.0) -> Any:
        """Return Q (n, lanes): weight, loads and efforts of drivers, less the forces M_X X'' that velocities cause.

        Loads have their values at the time t [s]; a contact has met nothing yet. Raises `InputError` as `mass` does,
        where a load has no value, and for friction by a coefficient, which depends on the multipliers.
        """
        states = zip(np.asarray(q).T, np.asarray(v).T, strict=True)
        return np.stack([self._dynamics.forces(t, np.concatenate(state)) for state in states], axis=1)
