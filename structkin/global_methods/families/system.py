"""The interface of every family of coordinates for the solvers and for dynamics, and what all families share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import numpy as np

from structkin.checked import Rows, checked
from structkin.errors import InputError
from structkin.model.mechanism import Mechanism
from structkin.types import Floats, Indices

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.multiplier_equations import Multipliers


#: Arrays (..., lanes) with a row for each coordinate, for each driver, and four for each moving link.
PerCoordinate = Annotated[Any, Rows("n")]
PerDriver = Annotated[Any, Rows("drivers")]
PerLink = Annotated[Any, Rows("links", 4)]


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a row: the joint, driver or link it belongs to, the equation, and the links that it connects."""

    of: str
    equation: str
    links: tuple[str, ...]

    def __str__(self) -> str:
        """Return the row in words."""
        return f"{self.of} ({self.equation})"


class Coordinates(Protocol):
    """Phi(q, t) = 0 of a mechanism in one family of coordinates, over lanes.

    Coordinates q are (n, lanes), in SI; the drivers' coordinates z and their rates are (drivers, lanes) in the order of
    `drivers`: a driver's law, which may be a cubic spline through a table, makes Phi a function of time (a guiding
    constraint, S1 eqs. 79-87). The entries of Phi_q come in the fixed order of `pattern` = (rows, columns). Everything
    is evaluated by array operations over rows and lanes, and takes complex steps.

        Phi_q v = nu = -Phi_t                                             (S1 eq. 44)
        Phi_q a = gamma = -(Phi_q v)_q v - 2 Phi_qt v - Phi_tt            (S1 eq. 45; Phi_qt = 0 in all rows here)

    `frames` maps q to the places of the moving `links`: O_x, O_y, U_x, U_y of each, where O is the origin [m] of the
    link's frame and U its unit direction, so that a point of the link at (c1, c2) is O + c1 U + c2 U~ (S0 eq. 3).
    With these frames X(q), dX/dq = `frame_map` transfers a mass matrix M_X, constant for a rigid body, and forces F_X:
    M = X_q^T M_X X_q, Q = X_q^T F_X.

    A direction does not contain whole turns, which gears multiply. The links `turned` are those whose turns since the
    sketch, including whole turns, appear in rows; `turns` gives them. In natural and fully Cartesian coordinates these
    turns are additional coordinates, coupled to the directions; else they are sums of the angles.
    """

    family: str
    links: tuple[str, ...]
    drivers: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[Label, ...]
    turned: tuple[str, ...]
    pattern: tuple[Indices, Indices]
    #: The largest extent of the sketch [m].
    size: float
    #: The size of a change of each coordinate and of each row, which makes them comparable.
    column_units: Floats
    row_units: Floats

    @property
    def n(self) -> int:
        """Number of coordinates."""

    @property
    def m(self) -> int:
        """Number of rows: n, and more where joints are redundant; fewer where a driver is left free."""

    def evaluate(self, q: PerCoordinate, z: PerDriver) -> tuple[Any, Any]:
        """Return Phi (m, lanes) and the entries of Phi_q (entries, lanes), which share most of their work."""

    def phi(self, q: PerCoordinate, z: PerDriver) -> Any:
        """Return Phi (m, lanes)."""

    def jacobian(self, q: PerCoordinate, z: PerDriver) -> Any:
        """Return the entries of Phi_q (entries, lanes)."""

    def nu(self, z: PerDriver, dz: PerDriver) -> Any:
        """Return the right-hand side of the velocities (m, lanes)."""

    def gamma(self, q: PerCoordinate, v: PerCoordinate, z: PerDriver, dz: PerDriver, ddz: PerDriver) -> Any:
        """Return the right-hand side of the accelerations (m, lanes)."""

    def start(self) -> Floats:
        """Return the coordinates (n, 1) of the sketch, where exact lengths may still leave gaps."""

    def arrays(self) -> dict[str, Any]:
        """Return rows and frames as parts of `ConstrainedMemory`; without the rows where some are curves."""

    def frames(self, q: PerCoordinate) -> Any:
        """Return O_x, O_y, U_x, U_y of every moving link (4 links, lanes)."""

    def from_frames(self, X: PerLink, turns: Mapping[str, Floats] | None = None) -> Any:
        """Return the coordinates (n, lanes) of given frames (4 links, lanes).

        `turns` are those of links since the sketch (lanes,): frames alone leave whole turns of the links `turned` open.
        """

    def turns(self, q: PerCoordinate) -> Any:
        """Return how far the links `turned` have turned since the sketch (turned, lanes)."""

    def turn_rates(self, v: PerCoordinate) -> Any:
        """Return the first rates of `turns`, or the second ones from second rates of the coordinates."""

    def angles(self, q: PerCoordinate) -> Floats:
        """Return angles (links, lanes) of the moving links, with whole turns; NaN where coordinates have none."""

    def frame_rates(self, q: PerCoordinate, v: PerCoordinate) -> Any:
        """Return the first rates of `frames`."""

    def frame_seconds(self, q: PerCoordinate, v: PerCoordinate, a: PerCoordinate) -> Any:
        """Return the second rates of `frames`."""

    def frame_map(self, q: PerCoordinate) -> tuple[Indices, Indices, Any]:
        """Return rows, columns and entries (entries, lanes) of d(frames)/dq."""

    def mass(self, q: PerCoordinate) -> tuple[Indices, Indices, Any]:
        """Return rows, columns and entries (entries, lanes) of the mass matrix M."""

    def forces(self, q: PerCoordinate, v: PerCoordinate, t: float = 0.0) -> Any:
        """Return Q (n, lanes) in M q'' + Phi_q^T lambda = Q, at a time."""


# --- what all families share ------------------------------------------------------------------------------------------


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
