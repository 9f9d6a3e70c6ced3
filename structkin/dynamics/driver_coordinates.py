"""The coordinates of drivers and joints as functions of slots, with gradients: they give z, z', z'' for any motion.

The slots are those of a plan, or the frames of all links (an origin and a direction for each). A coordinate is read
from two expressions a and b of slots. An effort on it does the work effort * dz, so that its gradient transfers it to
the slots.

Efforts of free coordinates in the file are torques of angles, and forces of travels and distances.
"""

from __future__ import annotations

import cmath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from structkin.dynamics.load_table import uncovered
from structkin.dynamics.slot_map import SlotMap
from structkin.errors import InputError, Problem
from structkin.joints.guide import Guide
from structkin.model.laws import at_time
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.plan.plan import Plan
from structkin.rows.affine import FIXED, Affine, Frame, frames_in_slots
from structkin.types import Floats, Indices


def given_efforts(mechanism: Mechanism, drivers: Sequence[str], t: float) -> Floats:
    """Return the efforts (f,) [N m or N] of these drivers at a time, zero where the file gives none.

    Raises `InputError` where one has no value: outside its table, or where its formula has none.

    >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "arm": ["A", "B"]},
    ...                 drivers={"swing": {"joint": "A", "torque": "2*t"}})
    >>> given_efforts(arm, ["swing"], 3.0).tolist()
    [6.0]
    """
    efforts = np.zeros(len(drivers))
    for k, id in enumerate(drivers):
        law = mechanism.forces.efforts.get(id)
        if law is None:
            continue
        efforts[k] = at_time(law, t)[0]
        if not np.isfinite(efforts[k]):
            hint = "" if law.span is None else uncovered(law.span)
            problem = Problem(f"drivers.{id}", f"its effort has no value at t = {t:.6g} s", hint)
            raise InputError([problem], mechanism.title or "simulate")
    return efforts


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
        self._angles, self._distances = (
            np.array([k for k, line in enumerate(read) if line.kind == kind], np.intp) for kind in ("angle", "distance")
        )

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
        out = np.empty(len(self._drives))
        pairs = zip(self._first.series(x[:, None]), self._second.series(x[:, None]), strict=True)
        for k, (drive, ((a,), (b,))) in enumerate(zip(self._drives, pairs, strict=True)):
            if drive.kind == "angle":
                angle = cmath.phase(b / a)
                begin, end = (turns.get(link, 0.0) for link in drive.links)
                out[k] = angle + 2 * np.pi * round((drive.start + end - begin - angle) / (2 * np.pi))
            elif drive.kind == "slide":
                out[k] = (a.conjugate() * b).real - self._guides[drive.joint or ""].start
            else:
                out[k] = abs(b)
        return out

    def distances(self, x: Floats) -> Floats:
        """Return the distances (c,) [m]; infinity for the other coordinates."""
        found = np.full(len(self._drives), np.inf)
        found[self._distances] = np.hypot(*self._second.value(x)[self._distances].T)
        return found

    def rates(self, x: Floats, rates: Floats) -> Floats:
        """Return the rates (c,) or (c, k) for rates (rows,) or (rows, k) of the slots."""
        by_a, by_b = self._slopes(self._first.value(x), self._second.value(x))
        da, db = self._first.rate(rates), self._second.rate(rates)
        return np.asarray(np.einsum("ci,ci...->c...", by_a, da) + np.einsum("ci,ci...->c...", by_b, db))

    def both_rates(self, x: Floats, rates: Floats, seconds: Floats) -> tuple[Floats, Floats]:
        """Return z' and z'' (c,) for the slots' first and second rates (rows,)."""
        first, second = np.empty(len(self._drives)), np.empty(len(self._drives))
        orders = np.stack((x, rates, seconds), axis=1)
        pairs = zip(self._first.series(orders), self._second.series(orders), strict=True)
        # For few drivers, complex numbers take less time than arrays.
        for k, (drive, (a, b)) in enumerate(zip(self._drives, pairs, strict=True)):
            if drive.kind == "angle":
                (down, slower), (up, faster) = _turning_rates(*a), _turning_rates(*b)
                first[k], second[k] = up - down, faster - slower
            elif drive.kind == "slide":
                first[k] = (a[1].conjugate() * b[0] + a[0].conjugate() * b[1]).real
                second[k] = (a[2].conjugate() * b[0] + 2 * a[1].conjugate() * b[1] + a[0].conjugate() * b[2]).real
            else:
                # A distance that is zero grows from there.
                along = next((v.conjugate() / abs(v) for v in b if v), 0j)
                first[k] = (along * b[1]).real
                second[k] = (along * b[2]).real
                if b[0]:
                    second[k] += (abs(b[1]) ** 2 - first[k] ** 2) / abs(b[0])
        return first, second

    def gradient(self, x: Floats) -> Floats:
        """Return dz/dx (c, rows)."""
        by_a, by_b = self._slopes(self._first.value(x), self._second.value(x))
        return np.asarray((by_a[:, None] @ self._first.matrix + by_b[:, None] @ self._second.matrix)[:, 0])

    @property
    def pattern(self) -> tuple[Indices, Indices]:
        """Rows and columns of the entries of dz/dx that may differ from zero."""
        rows, columns = np.nonzero((np.abs(self._first.matrix) + np.abs(self._second.matrix)).any(axis=1))
        return rows, columns

    def _slopes(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return dz/da and dz/db (c, 2); a distance grows along b itself."""
        by_a, by_b = b.copy(), a.copy()
        if len(k := self._angles):
            by_a[k], by_b[k] = -_turning(a[k]), _turning(b[k])
        if len(k := self._distances):
            with np.errstate(invalid="ignore", divide="ignore"):
                by_a[k], by_b[k] = 0.0, b[k] / np.sqrt(np.sum(b[k] * b[k], axis=1, keepdims=True))
        return by_a, by_b


def _turning(U: Floats) -> Floats:
    """Return the gradient of the angles of vectors U (c, 2), whatever their length."""
    return np.asarray(np.stack((-U[:, 1], U[:, 0]), axis=1) / np.sum(U * U, axis=1, keepdims=True))


def _turning_rates(U: complex, dU: complex, ddU: complex) -> tuple[float, float]:
    """Return the angular velocity and acceleration of a direction, whatever its length."""
    square = abs(U) ** 2
    turning = U.conjugate() * dU / square
    return turning.imag, (U.conjugate() * ddU).imag / square - 2 * turning.imag * turning.real
