"""Families whose frames are linear in the coordinates: fully Cartesian and natural.

Their rows are quadratic, except those of higher pairs; counted turns are coordinates after all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.checked import checked
from structkin.global_methods.families.rows import Writer
from structkin.global_methods.families.system import CommonCoordinates, Label, PerCoordinate, PerDriver, PerLink
from structkin.global_methods.families.terms import DriverTerms, Weights
from structkin.rows.equations import Equations
from structkin.rows.lane_matrix import Matrix, affine_map
from structkin.types import Floats, Indices


@dataclass(frozen=True, slots=True)
class Variable:
    """A slot of two coordinates: its name, its unit (a length [m], or 1) and its value in the sketch.

    It is the point `local` of a link, or the link's direction where `local` is None.
    """

    name: str
    unit: float
    sketch: complex
    link: str
    local: complex | None = None


@checked
class PolynomialCoordinates(CommonCoordinates):
    """Coordinates in which the rows of lower pairs are quadratic; see `structkin.global_methods.Coordinates`."""

    def __init__(
        self, family: str, links: Sequence[str], variables: Sequence[Variable], writer: Writer, drivers: Sequence[str]
    ) -> None:
        """Take the written rows and make the arrays."""
        self.mechanism = writer.mechanism
        self.family, self.links, self.drivers = family, tuple(links), tuple(drivers)
        self.turned, self.size = tuple(writer.turned), writer.size
        turns = len(self.turned)
        self.names = (*(f"{v.name}.{axis}" for v in variables for axis in "xy"), *(f"{x}.turn" for x in self.turned))
        self.column_units = np.append(np.repeat([v.unit for v in variables], 2), np.ones(turns)).astype(float)
        sketch = np.array([v.sketch for v in variables], complex)
        self._sketch = np.append(np.stack((sketch.real, sketch.imag), axis=1).reshape(-1), np.zeros(turns))
        self._variables = tuple(variables)
        self._frame_of = [writer.frames[link] for link in links]
        self._drawn = tuple(writer.mechanism.links[link].direction for link in self.turned)
        self._equations = Equations([row.form for row in writer.rows], self.column_units, turns)
        self._split(writer)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.names)

    def _split(self, writer: Writer) -> None:
        """Put the rows that hold in every sample first, then those that switch between two forms."""
        pairs = np.array([(dot, cross) for dot, cross, _ in writer.switches], np.intp).reshape(-1, 2)
        switched = set(pairs.ravel().tolist())
        kept = [k for k in range(len(writer.rows)) if k not in switched]
        place = {k: new for new, k in enumerate(kept)}
        equations, ordinary = self._equations, len(kept)
        self._kept = np.array(kept, np.intp)
        self._pairs = pairs
        self._who = np.array([self.drivers.index(id) for _, _, id in writer.switches], np.intp)
        self._plain = np.flatnonzero(~np.isin(equations.rows, pairs))
        renumber = np.zeros(len(writer.rows), np.intp)
        renumber[self._kept] = np.arange(ordinary)
        rows = [renumber[equations.rows[self._plain]]]
        columns = [equations.columns[self._plain]]
        picked: list[tuple[int, int, int]] = []
        nothing = len(equations.rows)
        for number, (dot, cross) in enumerate(pairs.tolist()):
            found = [
                {int(equations.columns[e]): int(e) for e in np.flatnonzero(equations.rows == k)} for k in (dot, cross)
            ]
            used = sorted(found[0] | found[1])
            rows.append(np.full(len(used), ordinary + number))
            columns.append(np.array(used, np.intp))
            picked += [(number, found[0].get(c, nothing), found[1].get(c, nothing)) for c in used]
        self._picked = np.array(picked, np.intp).reshape(-1, 3).T
        self.pattern = np.concatenate(rows), np.concatenate(columns)
        of = [writer.rows[k] for k in (*kept, *(dot for dot, _ in pairs.tolist()))]
        self.rows = tuple(
            Label(row.of, "angle, dot or cross" if k >= ordinary else row.equation, row.links)
            for k, row in enumerate(of)
        )
        self.row_units = np.array([row.unit for row in of])
        driven = [type(d)(place[d.row], d.driver, d.form, d.sign) for d in writer.driven_rows]
        self._terms = DriverTerms.gather(driven, self.drivers, len(of))

    # --- the rows -----------------------------------------------------------------------------------------

    def evaluate(self, q: PerCoordinate, z: PerDriver) -> tuple[Any, Any]:
        """Return Phi (m, n lanes) and the entries of Phi_q (entries, n lanes)."""
        entries = self._equations.jacobian(q)
        phi = self._equations.phi(q, entries)
        if len(self._who):
            weights, angles = Weights.at(z[self._who]), z[self._who]
            rows = weights.phi(phi[self._pairs[:, 0]], phi[self._pairs[:, 1]], angles)
            phi = np.concatenate((phi[self._kept], rows))
            entries = self._in_force(entries, weights)
        self._terms.subtract(phi, z)
        return phi, entries

    def _in_force(self, entries: Any, weights: Weights) -> Any:
        """Return the entries of ordinary rows, then those of the active rows."""
        padded = np.concatenate((entries, np.zeros_like(entries[:1])))
        row, dot, cross = self._picked
        switched = weights.dot[row] * padded[dot] + weights.cross[row] * padded[cross]
        return np.concatenate((entries[self._plain], switched))

    def phi(self, q: PerCoordinate, z: PerDriver) -> Any:
        """Return Phi(q, z) (m, lanes)."""
        return self.evaluate(q, z)[0]

    def jacobian(self, q: PerCoordinate, z: PerDriver) -> Any:
        """Return the entries of Phi_q (entries, lanes)."""
        entries = self._equations.jacobian(q)
        return self._in_force(entries, Weights.at(z[self._who])) if len(self._who) else entries

    def nu(self, z: PerDriver, dz: PerDriver) -> Any:
        """Return nu = -Phi_t (m, lanes)."""
        out = self._terms.nu(z, dz)
        if len(self._who):
            angles = z[self._who]
            out[len(self._kept) :] = Weights.at(angles).nu(angles, dz[self._who])
        return out

    def gamma(self, q: PerCoordinate, v: PerCoordinate, z: PerDriver, dz: PerDriver, ddz: PerDriver) -> Any:
        """Return gamma = -(Phi_q v)_q v - Phi_tt (m, lanes)."""
        second = self._equations.second_derivative(q, v, v)
        out = self._terms.gamma(z, dz, ddz)
        if not len(self._who):
            return out - second
        angles, weights = z[self._who], Weights.at(z[self._who])
        moving = weights.dot * second[self._pairs[:, 0]] + weights.cross * second[self._pairs[:, 1]]
        rows = weights.gamma(angles, dz[self._who], ddz[self._who]) - moving
        return np.concatenate((out[: len(self._kept)] - second[self._kept], rows))

    def arrays(self) -> dict[str, Any]:
        """Return rows and frames as arrays; without the rows where some are curves."""
        rows, turned = self._equations.arrays(), [self.links.index(link) for link in self.turned]
        frames = {"turned": turned, "turned_zero": -np.angle(np.array(self._drawn, complex))}
        if rows is None:
            return frames
        place = np.full((self._equations.count, 3), -1)
        place[self._kept, 0] = np.arange(len(self._kept))
        for number, (pair, driver) in enumerate(zip(self._pairs, self._who, strict=True)):
            for is_cross, row in enumerate(pair):
                place[row] = len(self._kept) + number, driver, is_cross
        entry = {key: e for e, key in enumerate(zip(*(part.tolist() for part in self.pattern), strict=True))}
        of_row = place[self._equations.rows, 0].tolist()
        entries = [entry[key] for key in zip(of_row, self._equations.columns.tolist(), strict=True)]
        return {
            **rows,
            **frames,
            "entry_place": entries,
            "row_place": place[:, 0],
            "row_driver": place[:, 1],
            "row_crosses": place[:, 2],
            **self._terms.arrays(),
        }

    # --- links and coordinates ----------------------------------------------------------------------------

    @cached_property
    def _frames(self) -> tuple[Matrix, Floats]:
        """Frames as a linear map: X = R q + X_0."""
        vectors = [vector for frame in self._frame_of for vector in (frame.origin, frame.direction)]
        matrix, constant = affine_map(vectors, self.n)
        return matrix, constant[:, None]

    def start(self) -> Floats:
        """Return the coordinates (n, 1) of the sketch."""
        return self._sketch[:, None].copy()

    def frames(self, q: PerCoordinate) -> Any:
        """Return O_x, O_y, U_x, U_y of every moving link (4 links, lanes)."""
        matrix, constant = self._frames
        return matrix @ q + constant

    def turns(self, q: PerCoordinate) -> Any:
        """Return how far the links `turned` have turned since the sketch (turned, lanes)."""
        return q[self.n - len(self.turned) :]

    def angles(self, q: PerCoordinate) -> Floats:
        """Return the angles (links, lanes) of the links `turned`, with whole turns; NaN for the others."""
        out = np.full((len(self.links), q.shape[1]), np.nan)
        drawn = np.angle(self._drawn)[:, None] if self.turned else np.zeros((0, 1))
        out[[self.links.index(link) for link in self.turned]] = self.turns(q) + drawn
        return out

    def turn_rates(self, v: PerCoordinate) -> Any:
        """Return the first rates of `turns`, or the second ones from second rates of the coordinates."""
        return v[self.n - len(self.turned) :]

    def from_frames(self, X: PerLink, turns: Mapping[str, Floats] | None = None) -> Any:
        """Return the coordinates (n, lanes) of given frames (4 links, lanes); `turns` give whole turns."""
        parts = []
        for variable in self._variables:
            Ox, Oy, Ux, Uy = X[4 * self.links.index(variable.link) :][:4]
            if variable.local is None:
                parts += [Ux, Uy]
            else:
                c, d = variable.local.real, variable.local.imag
                parts += [Ox + c * Ux - d * Uy, Oy + d * Ux + c * Uy]
        for link, drawn in zip(self.turned, self._drawn, strict=True):
            if turns is not None and link in turns:
                parts.append(turns[link])
            else:
                Ux, Uy = X[4 * self.links.index(link) + 2 :][:2]
                parts.append(np.angle((Ux + 1j * Uy) * np.conj(drawn)))
        return np.stack(parts)

    def frame_rates(self, q: PerCoordinate, v: PerCoordinate) -> Any:
        """Return the first rates of `frames`."""
        return self._frames[0] @ v

    def frame_seconds(self, q: PerCoordinate, v: PerCoordinate, a: PerCoordinate) -> Any:
        """Return the second rates of `frames`."""
        return self._frames[0] @ a

    def frame_map(self, q: PerCoordinate) -> tuple[Indices, Indices, Any]:
        """Return rows, columns and entries (entries, lanes) of d(frames)/dq, which transfers forces and masses to q."""
        matrix = self._frames[0]
        entries = np.broadcast_to(matrix.factors[:, None], (len(matrix.factors), q.shape[1]))
        return matrix.rows, matrix.columns, entries
