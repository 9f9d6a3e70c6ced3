"""The coordinates of drivers as functions of the links' frames, with gradients: they give z, z', z'' for any motion.

A frame is O + c U of a link as complex numbers: origin O [m], direction U. A driver's coordinate z(X) is an angle, a
travel or a distance; an effort on it does the work effort * dz, so that dz/dX transfers it to the frames.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.families import Coordinates
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.rows.matrix import Matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class DriverRows:
    """The drivers' coordinates of one set of frames X (4 links,): O_x, O_y, U_x, U_y of every link of `links`."""

    def __init__(self, mechanism: Mechanism, links: Sequence[str], drivers: Sequence[str]) -> None:
        """Look up the links of the drivers."""
        self._mechanism = mechanism
        self._index = {link: k for k, link in enumerate(links)}
        self._drives = [mechanism.drivers[id] for id in drivers]
        pairs = [(k, column) for k, drive in enumerate(self._drives) for column in self._columns(drive)]
        #: Rows and columns of dz/dX.
        self.pattern: tuple[Ints, Ints] = (
            np.array([row for row, _ in pairs], np.intp),
            np.array([column for _, column in pairs], np.intp),
        )

    def _ends(self, drive: DriverCoordinate) -> tuple[str, str]:
        """Return the two links whose frames a coordinate depends on."""
        if drive.kind == "slide":
            guide = self._mechanism.joints.of(Guide)[drive.joint or ""]
            return guide.carrier, guide.slider
        if drive.kind == "distance":
            assert drive.ends is not None
            return drive.ends[0][0], drive.ends[1][0]
        return drive.links

    def _columns(self, drive: DriverCoordinate) -> list[int]:
        first, second = (self._index.get(link) for link in self._ends(drive))
        return [4 * k + part for k in (first, second) if k is not None for part in range(4)]

    def _frames(self, drive: DriverCoordinate, X: Floats, ground: complex) -> list[tuple[complex, complex]]:
        """Return (O, U) of the two links; the ground's direction is 1, and its rates are 0."""
        found = []
        for link in self._ends(drive):
            k = self._index.get(link)
            if k is None:
                found.append((0j, ground))
            else:
                found.append((complex(X[4 * k], X[4 * k + 1]), complex(X[4 * k + 2], X[4 * k + 3])))
        return found

    def values(self, X: Floats, turns: Floats) -> Floats:
        """Return z (f,) [rad or m]; `turns` (links,) since the sketch give the whole turns of angles."""
        out = np.empty(len(self._drives))
        for k, drive in enumerate(self._drives):
            first, second = self._frames(drive, X, 1 + 0j)
            if drive.kind == "angle":
                angle = float(np.angle(second[1] / first[1]))
                begin, end = (turns[self._index[link]] if link in self._index else 0.0 for link in drive.links)
                out[k] = angle + 2 * np.pi * round((drive.start + end - begin - angle) / (2 * np.pi))
            elif drive.kind == "slide":
                along, way = self._line(drive, first, second)
                out[k] = (along.conjugate() * way).real - self._mechanism.joints.of(Guide)[drive.joint or ""].start
            else:
                out[k] = abs(self._way(drive, first, second))
        return out

    def rates(self, X: Floats, dX: Floats, ddX: Floats) -> tuple[Floats, Floats]:
        """Return z' and z'' (f,) of the frames and their rates."""
        first, second = np.empty(len(self._drives)), np.empty(len(self._drives))
        for k, drive in enumerate(self._drives):
            a, b = self._frames(drive, X, 1 + 0j)
            da, db = self._frames(drive, dX, 0j)
            dda, ddb = self._frames(drive, ddX, 0j)
            if drive.kind == "angle":
                turns = [_turning(*link) for link in ((b[1], db[1], ddb[1]), (a[1], da[1], dda[1]))]
                first[k], second[k] = (up - down for up, down in zip(*turns, strict=True))
            elif drive.kind == "slide":
                (d, w), (dd, dw), (ddd, ddw) = (self._line(drive, *x) for x in ((a, b), (da, db), (dda, ddb)))
                first[k] = (dd.conjugate() * w + d.conjugate() * dw).real
                second[k] = (ddd.conjugate() * w + 2 * dd.conjugate() * dw + d.conjugate() * ddw).real
            else:
                w, dw, ddw = (self._way(drive, *x) for x in ((a, b), (da, db), (dda, ddb)))
                along = w.conjugate() / abs(w)
                first[k] = (along * dw).real
                second[k] = (along * ddw).real + (abs(dw) ** 2 - first[k] ** 2) / abs(w)
        return first, second

    def gradient(self, X: Floats) -> Floats:
        """Return the entries of dz/dX in the order of `pattern`."""
        out: list[float] = []
        for drive in self._drives:
            first, second = self._frames(drive, X, 1 + 0j)
            for link, (O, U) in zip(self._ends(drive), self._slopes(drive, first, second), strict=True):
                if link in self._index:
                    out += [O.real, O.imag, U.real, U.imag]
        return np.array(out)

    def _slopes(
        self, drive: DriverCoordinate, first: tuple[complex, complex], second: tuple[complex, complex]
    ) -> list[tuple[complex, complex]]:
        """Return dz/dO and dz/dU of both links as complex numbers whose parts are the slopes in x and y."""
        if drive.kind == "angle":
            return [(0j, -1j * first[1] / abs(first[1]) ** 2), (0j, 1j * second[1] / abs(second[1]) ** 2)]
        if drive.kind == "slide":
            guide = self._mechanism.joints.of(Guide)[drive.joint or ""]
            along, way = self._line(drive, first, second)
            turn = guide.direction.conjugate() * way - along * guide.origin.conjugate()
            return [(-along, turn), (along, along * guide.point.conjugate())]
        way = self._way(drive, first, second)
        along = way / abs(way)
        near, far = self._places(drive)
        return [(-along, -along * near.conjugate()), (along, along * far.conjugate())]

    def _line(
        self, drive: DriverCoordinate, first: tuple[complex, complex], second: tuple[complex, complex]
    ) -> tuple[complex, complex]:
        """Return the direction of the guide and the vector from its origin to the slider's point, or their rates."""
        guide = self._mechanism.joints.of(Guide)[drive.joint or ""]
        way = second[0] + second[1] * guide.point - first[0] - first[1] * guide.origin
        return first[1] * guide.direction, way

    def _places(self, drive: DriverCoordinate) -> tuple[complex, complex]:
        assert drive.ends is not None
        (a, p), (b, q) = drive.ends
        return self._mechanism.links[a].local[p], self._mechanism.links[b].local[q]

    def _way(self, drive: DriverCoordinate, first: tuple[complex, complex], second: tuple[complex, complex]) -> complex:
        near, far = self._places(drive)
        return second[0] + second[1] * far - first[0] - first[1] * near


def _turning(U: complex, dU: complex, ddU: complex) -> tuple[float, float]:
    """Return the angular velocity and acceleration of a direction, whatever its length."""
    square = abs(U) ** 2
    omega = (U.conjugate() * dU).imag / square
    stretch = (U.conjugate() * dU).real / square
    return omega, (U.conjugate() * ddU).imag / square - 2 * omega * stretch


class CoordinateDrivers:
    """The Jacobian z_q = z_X X_q of drivers in the coordinates of a family, scaled, in a fixed pattern."""

    def __init__(self, mechanism: Mechanism, coordinates: Coordinates, drivers: Sequence[str]) -> None:
        """Join the entries of z_X with those of X_q."""
        self._rows = DriverRows(mechanism, coordinates.links, drivers)
        X_rows, X_columns, _ = coordinates.frame_map(coordinates.start())
        by_row: list[list[int]] = [[] for _ in range(4 * len(coordinates.links))]
        for e, row in enumerate(X_rows.tolist()):
            by_row[row].append(e)
        rows, columns = self._rows.pattern
        terms = [(k, e) for k, column in enumerate(columns.tolist()) for e in by_row[column]]
        self._first, self._second = (np.array([term[k] for term in terms], np.intp) for k in (0, 1))
        code = rows[self._first] * coordinates.n + X_columns[self._second]
        code, out = np.unique(code, return_inverse=True)
        self.pattern: tuple[Ints, Ints] = (code // coordinates.n, code % coordinates.n)
        self._gather = Matrix.summing(out, len(code))
        units = np.array([1.0 if mechanism.drivers[id].kind == "angle" else coordinates.size for id in drivers])
        self._scale = coordinates.column_units[self.pattern[1]] / units[self.pattern[0]]

    def entries(self, X: Floats, frame_map: Floats) -> Floats:
        """Return the scaled entries at the frames X (4 links,), for the entries of X_q."""
        slopes = self._rows.gradient(X)
        return np.asarray(self._scale * (self._gather @ (slopes[self._first] * frame_map[self._second])))
