"""How far cams, and pins in curved slots, may go in one step of a simulation.

While a follower dwells, nothing else may move, so that the steps of an integrator grow without bound. A step from one
dwell to the next shows it nothing of the lift between them, and its error estimate is zero. So a step that passes a
place where the speed or the acceleration of a follower is largest or least is at most half as long as that hump or
hollow is wide; and so is one that leads a pin from a straight part of its slot over a bend.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from structkin.dynamics.slot_map import SlotMap
from structkin.joints.cam import Cam
from structkin.joints.curve_slot import CurveSlot
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import EQUAL_DATA, WHOLE
from structkin.rows.affine import FIXED, Affine, Frame
from structkin.rows.periodic import TURN
from structkin.rows.plane_curve import PlaneCurve
from structkin.solve.narrow_cams import Humps
from structkin.types import Floats


class Dwells:
    """The cams and curved slots of a mechanism, at slots x (rows,)."""

    def __init__(self, mechanism: Mechanism, frames: Mapping[str, Frame], offsets: Sequence[int]) -> None:
        """Write what is read in the slots of the links' frames; `offsets` are their first rows, then their number."""
        frames, joints = {**frames, mechanism.topology.ground: FIXED}, mechanism.joints
        read: list[tuple[Affine, Affine]] = []
        #: The humps of a follower's speed and acceleration by an angle, or of a curve's curvature by its parameter.
        self._humps: list[tuple[list[Humps], PlaneCurve | None]] = []
        for cam in joints.of(Cam).values():
            lift, ends = cam.by_angle
            flat = EQUAL_DATA * float(np.max(np.abs(lift(ends))))
            read.append(cam.angle_between(frames))
            self._humps.append(([Humps.of(partial(lift, order=order), ends, flat) for order in (1, 2)], None))
        for slot in joints.of(CurveSlot).values():
            read.append(slot.direction_and_vector(frames, (0j, 1 + 0j)))
            curve = slot.curve
            self._humps.append(([Humps.of(curve.curvatures, curve.x.breaks, EQUAL_DATA / curve.length)], curve))
        self._begun: list[tuple[float, float]] = []
        self._first, self._second = (SlotMap(offsets, [pair[k] for pair in read]) for k in (0, 1))

    def __bool__(self) -> bool:
        """Return whether there are any."""
        return bool(self._humps)

    def longest_step(self, x: Floats, rates: Floats) -> float:
        """Return the longest step [s] that passes over no lift or bend at these rates (rows,) of slots; note them."""
        self._begun = self._read(x, rates)
        steps = [self._room(k, place, rate) / abs(rate) for k, (place, rate) in enumerate(self._begun) if rate]
        return min(steps, default=math.inf)

    def passes(self, x: Floats, rates: Floats, step: float) -> bool:
        """Return whether a step [s] from the slots that were noted passes over a lift or bend, as its rates grow."""
        for k, ((first, before), (last, after)) in enumerate(zip(self._begun, self._read(x, rates), strict=True)):
            way = 0.5 * (before + after) * step
            way += math.remainder(last - first - way, TURN)
            if abs(way) > (1 + WHOLE) * self._room(k, first, way):
                return True
        return False

    def _room(self, k: int, place: float, way: float) -> float:
        """Return how far from a place, up or down, a step may lead."""
        return min(one.ahead(place, math.copysign(1.0, way)) for one in self._humps[k][0])

    def _read(self, x: Floats, rates: Floats) -> list[tuple[float, float]]:
        """Return the angles of cams, and the parameters of pins on their curves, with their rates; NaN without."""
        found, slots = [], np.stack((x, rates), axis=1)
        pairs = zip(self._first.series(slots), self._second.series(slots), self._humps, strict=True)
        for (a, da), (b, db), (_, curve) in pairs:
            if not a or not b:
                found.append((math.nan, math.nan))
            elif curve is None:
                found.append((cmath.phase(b / a), (db / b - da / a).imag))
            else:
                found.append(_along(curve, b / a, (db - b * da / a) / a))
        return found


def _along(curve: PlaneCurve, place: complex, rate: complex) -> tuple[float, float]:
    """Return the parameter of the nearest point of a curve, and its rate."""
    u = curve.foot(np.array(place.real), np.array(place.imag))
    tx, ty = curve.at(u, 2)[1]
    return float(u), float((rate.real * tx + rate.imag * ty) / (tx * tx + ty * ty))
