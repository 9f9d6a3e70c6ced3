"""The coordinates of drivers and joints as functions of slots, with gradients: they give z, z', z'' for any motion.

The slots are those of a plan, or the frames of all links (an origin and a direction for each). A coordinate is read
from two expressions a and b of slots. An effort on it does the work effort * dz, so that its gradient transfers it to
the slots.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.slot_map import SlotMap
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.plan.plan import Plan
from structkin.rows.affine import FIXED, Affine, Frame, frames_in_slots

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """How a coordinate is read: of a `kind`, from two expressions of slots.

    An "angle" leads from the direction a to b, a "slide" is a . b of a direction and a vector, a "distance" is |b|.
    """

    kind: str
    first: Affine
    second: Affine


def lines(mechanism: Mechanism, frames: Mapping[str, Frame], drives: Iterable[DriverCoordinate]) -> list[Line]:
    """Return the lines of drives in the slots of the links' frames."""
    found = []
    frames = {**frames, mechanism.topology.ground: FIXED}
    for drive in drives:
        if drive.kind == "angle":
            first, second = (frames[link].direction for link in drive.links)
        elif drive.kind == "slide":
            guide = mechanism.joints.of(Guide)[drive.joint or ""]
            carrier, slider = frames[guide.carrier], frames[guide.slider]
            first = carrier.direction * guide.direction
            second = slider.point(guide.point) - carrier.point(guide.origin)
        else:
            assert drive.ends is not None
            near, far = (frames[link].point(mechanism.links[link].local[point]) for link, point in drive.ends)
            first, second = FIXED.direction, far - near
        found.append(Line(drive.kind, first, second))
    return found


class DriverCoordinates:
    """The coordinates (c,) of drives at slots x (rows,)."""

    def __init__(
        self,
        mechanism: Mechanism,
        drives: Iterable[DriverCoordinate],
        frames: Mapping[str, Frame],
        offsets: Sequence[int],
    ) -> None:
        """Write the expressions of the slots; `offsets` are their first rows, then the number of rows."""
        self._drives = list(drives)
        self._guides = mechanism.joints.of(Guide)
        read = lines(mechanism, frames, self._drives)
        self._first = SlotMap(offsets, [line.first for line in read])
        self._second = SlotMap(offsets, [line.second for line in read])
        kinds = np.array([line.kind for line in read], np.str_)[:, None]
        self._angles, self._distances = kinds == "angle", kinds == "distance"

    @classmethod
    def of_plan(cls, mechanism: Mechanism, drives: Iterable[DriverCoordinate], plan: Plan) -> DriverCoordinates:
        """Return those of the slots of a plan."""
        return cls(mechanism, drives, plan.frames, plan.offsets)

    @classmethod
    def of_frames(
        cls, mechanism: Mechanism, links: Sequence[str], drives: Iterable[DriverCoordinate]
    ) -> DriverCoordinates:
        """Return those whose slots X (4 links,) are O_x, O_y, U_x, U_y of every link of `links`."""
        return cls(mechanism, drives, frames_in_slots(links), range(0, 4 * len(links) + 1, 2))

    def values(self, x: Floats, turns: Mapping[str, float]) -> Floats:
        """Return z (c,) [rad or m]; `turns` of the links since the sketch give the whole turns of angles."""
        a, b = ((part.value(x) @ (1, 1j)).tolist() for part in (self._first, self._second))
        out = np.empty(len(self._drives))
        for k, drive in enumerate(self._drives):
            if drive.kind == "angle":
                angle = float(np.angle(b[k] / a[k]))
                begin, end = (turns.get(link, 0.0) for link in drive.links)
                out[k] = angle + 2 * np.pi * round((drive.start + end - begin - angle) / (2 * np.pi))
            elif drive.kind == "slide":
                out[k] = (a[k].conjugate() * b[k]).real - self._guides[drive.joint or ""].start
            else:
                out[k] = abs(b[k])
        return out

    def rates(self, x: Floats, rates: Floats) -> Floats:
        """Return the rates (c,) or (c, k) for rates (rows,) or (rows, k) of the slots."""
        by_a, by_b = self._slopes(self._first.value(x), self._second.value(x))
        da, db = self._first.rate(rates), self._second.rate(rates)
        return np.asarray(np.einsum("ci,ci...->c...", by_a, da) + np.einsum("ci,ci...->c...", by_b, db))

    def second_rates(self, x: Floats, rates: Floats, seconds: Floats) -> Floats:
        """Return z'' (c,) for the slots' first and second rates (rows,)."""
        a, b, da, db = self._first.value(x), self._second.value(x), self._first.rate(rates), self._second.rate(rates)
        with np.errstate(invalid="ignore", divide="ignore"):
            length = np.linalg.norm(b, axis=1)
            growing = (np.sum(db * db, axis=1) - (np.sum(b * db, axis=1) / length) ** 2) / length
            turning = _convective(b, db) - _convective(a, da)
        sliding = 2 * np.sum(da * db, axis=1)
        bent = np.where(self._angles[:, 0], turning, np.where(self._distances[:, 0], growing, sliding))
        return np.asarray(self.rates(x, seconds) + bent)

    def gradient(self, x: Floats) -> Floats:
        """Return dz/dx (c, rows)."""
        by_a, by_b = self._slopes(self._first.value(x), self._second.value(x))
        along_a, along_b = (
            np.einsum("ci,cir->cr", by, part.matrix) for by, part in ((by_a, self._first), (by_b, self._second))
        )
        return np.asarray(along_a + along_b)

    @property
    def pattern(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and columns of the entries of dz/dx that may differ from zero."""
        rows, columns = np.nonzero((np.abs(self._first.matrix) + np.abs(self._second.matrix)).any(axis=1))
        return rows, columns

    def _slopes(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return dz/da and dz/db (c, 2); a distance grows along b itself."""
        with np.errstate(invalid="ignore", divide="ignore"):
            along = b / np.linalg.norm(b, axis=1, keepdims=True)
            by_a = np.where(self._angles, -_turning(a), np.where(self._distances, 0.0, b))
            by_b = np.where(self._angles, _turning(b), np.where(self._distances, along, a))
        return by_a, by_b


def _turning(U: Floats) -> Floats:
    """Return the gradient of the angles of vectors U (c, 2), whatever their length."""
    return np.asarray(np.stack((-U[:, 1], U[:, 0]), axis=1) / np.sum(U * U, axis=1, keepdims=True))


def _convective(U: Floats, dU: Floats) -> Floats:
    """Return the second rates (c,) of the angles of vectors U where U'' is zero."""
    turning = np.sum(_turning(U) * dU, axis=1)
    return np.asarray(-2 * turning * np.sum(U * dU, axis=1) / np.sum(U * U, axis=1))
