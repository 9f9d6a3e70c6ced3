"""A synthetic gait: markers of a walking leg, designed by hand, not measured.

The ball of the foot rests while the foot is on the ground, the foot turns as heel and toe lift, the hip rises over the
standing leg, and the knee is where thigh and shank meet in front. The numbers resemble slow walking of the person of
`structkin.studies.gait.BODY`, and hip and trunk sway so that the ground reaction stays under the foot.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from structkin.studies.markers import Markers
from structkin.types import Complexes, Floats

#: Duration [s] and length [m] of a stride, and the fraction of it during which the foot is on the ground.
PERIOD, STRIDE, STANCE = 1.0, 1.25, 0.6

#: Lengths [m] of trunk (to the rib marker), thigh, shank and foot: Flores & Lankarani, Tab. 2.
TRUNK, THIGH, SHANK, FOOT = 0.2575, 0.3141, 0.4081, 0.1221

#: How far [m] the ball of the foot rests ahead of the hip's place at first contact.
AHEAD = 0.39

#: Fore-and-aft and vertical motion of the hip [m] and pitch of the trunk [deg], twice a stride: amplitude and phase.
SURGE, RISE, NOD = (0.009, -0.02), (0.018, 0.125), (1.7, 0.32)

#: Phase of the stride from contact to contact; ball of the foot forward (part of the stride) and up [m]; angle of the
#: foot from ankle to ball [deg].
KEYS = np.array(
    [
        (0.00, -0.004, 0.095, -7.0),
        (0.07, 0.000, 0.036, -29.0),
        (0.25, 0.000, 0.035, -29.5),
        (0.40, 0.000, 0.035, -31.0),
        (0.50, 0.000, 0.035, -48.0),
        (0.60, 0.010, 0.040, -84.0),
        (0.66, 0.070, 0.080, -99.0),
        (0.73, 0.240, 0.105, -90.0),
        (0.80, 0.500, 0.080, -62.0),
        (0.87, 0.770, 0.065, -28.0),
        (0.94, 0.955, 0.098, -6.0),
        (1.00, 0.996, 0.095, -7.0),
    ]
)


def synthetic_markers(
    rate: float = 70.0, strides: float = 2.0, noise: float = 0.0015, seed: int = 1, start: float = STANCE
) -> Markers:
    """Return markers of the right leg, ribs, hip, knee, ankle and ball ("mt5") of the foot.

    `rate` [Hz], `strides` their number, `noise` the standard deviation [m] of every coordinate; `start` is the phase of
    the first sample, by default where the foot leaves the ground.

    >>> markers = synthetic_markers(noise=0.0)
    >>> leg = markers.places["knee"] - markers.places["hip"]
    >>> len(markers.t), np.hypot(*leg.T).round(6)[:2].tolist()
    (141, [0.3141, 0.3141])
    """
    t = np.arange(round(strides * PERIOD * rate) + 1) / rate
    phase = start + t / PERIOD
    hip = STRIDE * (phase - start) + _sway(phase, SURGE) + 1j * (0.783 + _sway(phase, RISE))
    ball, angle = _foot(phase)
    ankle = ball - FOOT * np.exp(1j * angle) - STRIDE * start
    knee = _knee(hip, ankle)
    trunk = np.radians(92.0 + _sway(phase, NOD))
    rng = np.random.default_rng(seed)
    exact = {"ribcage": hip + TRUNK * np.exp(1j * trunk), "hip": hip, "knee": knee, "ankle": ankle}
    exact["mt5"] = ankle + FOOT * np.exp(1j * angle)
    places = {
        name: np.column_stack((z.real, z.imag)) + noise * rng.normal(size=(len(t), 2)) for name, z in exact.items()
    }
    return Markers(t, MappingProxyType(places))


def _sway(phase: Floats, sway: tuple[float, float]) -> Floats:
    size, begin = sway
    return size * np.sin(4 * np.pi * (phase - begin))


def _foot(phase: Floats) -> tuple[Complexes, Floats]:
    """Return the ball of the foot x + iy [m] and the foot's angle [rad]: through the keys, stride after stride."""
    from scipy.interpolate import PchipInterpolator

    # Between equal keys this interpolation is constant, as the foot on the ground must be; the low pass smooths it.
    first, last = int(np.floor(phase[0])) - 1, int(np.ceil(phase[-1])) + 1
    keys = np.concatenate([KEYS[:-1] + np.array((k, k, 0, 0)) for k in range(first, last + 1)])
    x, y, angle = PchipInterpolator(keys[:, 0], keys[:, 1:])(phase).T
    return AHEAD + STRIDE * x + 1j * y, np.radians(angle)


def _knee(hip: Complexes, ankle: Complexes) -> Complexes:
    """Return where thigh and shank meet, in front of the line from hip to ankle."""
    vector = ankle - hip
    reach = np.abs(vector)
    along = (reach**2 + THIGH**2 - SHANK**2) / (2 * reach)
    return np.asarray(hip + (along + 1j * np.sqrt(THIGH**2 - along**2)) * vector / reach)
