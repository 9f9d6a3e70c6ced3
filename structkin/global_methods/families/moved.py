"""Masses and forces in every family of coordinates, from those on the frames of the links."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.checked import checked
from structkin.global_methods.families.system import PerCoordinate
from structkin.model.mechanism import Mechanism
from structkin.types import Indices

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.terms import GlobalTerms


@checked
class Moved:
    """Coordinates of a mechanism whose links have masses: M q'' + Phi_q^T lambda = Q."""

    mechanism: Mechanism

    @cached_property
    def _masses_and_forces(self: Any) -> GlobalTerms:
        from structkin.dynamics.multipliers.terms import GlobalTerms

        return GlobalTerms(self.mechanism, self)

    def mass(self, q: PerCoordinate) -> tuple[Indices, Indices, Any]:
        """Return rows, columns and entries (entries, lanes) of M = X_q^T M_X X_q.

        Raises `InputError` where a link has a mass but no centre of mass.
        """
        return self._masses_and_forces.mass(np.asarray(q))

    def forces(self, q: PerCoordinate, v: PerCoordinate, t: float = 0.0) -> Any:
        """Return Q (n, lanes): weight, loads and efforts of drivers, less the forces M_X X'' that velocities cause.

        Loads have their values at the time t [s]; a contact has met nothing yet. Raises `InputError` as `mass` does,
        where a load has no value, and for friction by a coefficient, which depends on the multipliers.
        """
        return self._masses_and_forces.forces(np.asarray(q), np.asarray(v), t)
