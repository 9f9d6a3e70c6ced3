"""What guides a walking person: one closed stride of both legs from a record of one leg.

Two assumptions give the other leg. It moves like the measured one half a stride later, so the stride must be periodic:
a record is folded into one period. And trunk and hip must move alike in both halves of the stride, since both legs hang
from them. Markers of one side do not: the pelvis rotates, and carries the hip marker forwards while its own leg swings
and backwards while it stands. That rotation does not move the midpoint of the hips or the spine, so the mean of both
halves is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from structkin.errors import InputError, Problem
from structkin.studies.markers import Markers
from structkin.types import Complexes, Floats

#: The ends of each segment among the markers, upper end first, of the trunk lower end first.
ENDS = {
    "hat": ("hip", "ribcage"), "thigh": ("hip", "knee"), "shank": ("knee", "ankle"), "foot": ("ankle", "mt5"),
    "upper arm": ("shoulder", "elbow"), "forearm": ("elbow", "wrist"),
}  # fmt: skip

#: Points of the splines in a stride, and beyond each of its ends, where a spline has no neighbours.
POINTS, BEYOND = 160, 16


def direction(markers: Markers, segment: str) -> Complexes:
    """Return the vector x + iy (n,) [m] from the first end of a segment to the second."""
    first, second = ENDS[segment]
    return np.asarray((markers.places[second] - markers.places[first]) @ (1, 1j))


@dataclass(frozen=True)
class Guides:
    """Values (n,) of the nine guided coordinates at times t (n,) [s], from before a stride to beyond its end.

    `uneven` is the largest deviation [m] of the trunk's markers from the mean of both half strides. The guided place x
    is that of the record less `origin` [m]; `speed` [m/s] is that of walking.
    """

    t: Floats
    values: Mapping[str, Floats]
    uneven: Mapping[str, float]
    speed: float
    origin: float


def guides(markers: Markers, period: float) -> Guides:
    """Return a closed stride of `period` [s] that starts with the record.

    The record should already be smoothed. Raises `InputError` if it is shorter than one and a half strides.
    """
    t = markers.t - markers.t[0]
    if t[-1] < 1.5 * period * (1 - 1e-3):
        found = f"the record lasts {t[-1]:.3g} s, one and a half strides {1.5 * period:.3g} s"
        raise InputError([Problem("t", found, "the end of a stride must overlap its beginning")], "gait")
    z = {name: place @ (1, 1j) for name, place in markers.places.items()}
    early = t + period <= t[-1]
    speed = float(np.mean(np.interp(t[early] + period, t, z["hip"].real) - z["hip"].real[early])) / period
    s = period * np.arange(-BEYOND, POINTS + BEYOND + 1) / POINTS
    courses = {name: folded(t, place - speed * t, period) for name, place in z.items()}
    places = {name: course(s) for name, course in courses.items()}
    later = {name: course(s + period / 2) for name, course in courses.items()}
    trunk = {name: 0.5 * (places[name] + later[name]) for name in ENDS["hat"]}
    pitch = _angle(trunk, "hat")
    values = {"x": speed * s + (trunk["hip"] - trunk["hip"][BEYOND]).real, "y": trunk["hip"].imag, "pitch": pitch}
    for side, leg in (("right", places | trunk), ("left", later | trunk)):
        thigh, shank, foot = (_angle(leg, name) for name in ("thigh", "shank", "foot"))
        values |= {f"{side}_hip": thigh - pitch, f"{side}_knee": shank - thigh, f"{side}_ankle": foot - shank}
    uneven = {name: float(np.max(np.abs(places[name] - trunk[name]))) for name in trunk}
    return Guides(s, values, uneven, speed, float(trunk["hip"][BEYOND].real))


def _angle(places: Mapping[str, Complexes], segment: str) -> Floats:
    first, second = ENDS[segment]
    return np.unwrap(np.angle(places[second] - places[first]))


def folded(t: Floats, values: Complexes, period: float) -> Callable[[Floats], Complexes]:
    """Return the periodic mean g of a record f of values (n,) at times t (n,) from zero, longer than one period.

    g(s) = sum_k w(s + k p) f(s + k p) / sum_k w(s + k p) over all repeats in the record, w(t) = sin^4(pi t / t_n). The
    weight and its first three derivatives vanish at both ends, so that g is as smooth as the spline f, and the ends of
    the record, where a filter has data on one side only, hardly count.

    >>> t = np.linspace(0, 1.6, 81)
    >>> course = folded(t, np.exp(2j * np.pi * t), 1.0)
    >>> bool(np.allclose(course(np.array([-0.9, 0.1, 7.1])), np.exp(0.2j * np.pi), atol=1e-5))
    True
    """
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(t, values)

    def course(times: Floats) -> Complexes:
        total, weights = np.zeros(len(times), dtype=np.complex128), np.zeros(len(times))
        for k in range(int(t[-1] / period) + 1):
            at = times % period + k * period
            weight = np.where(at < t[-1], np.sin(np.pi * at / t[-1]) ** 4, 0.0)
            total += weight * spline(np.minimum(at, t[-1]))
            weights += weight
        return total / weights

    return course
