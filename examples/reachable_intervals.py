"""How far a crank can turn as its coupler grows: exact limits of many four-bars, drawn as a map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

import structkin as sk
from structkin.examples import path

Floats = NDArray[np.float64]


def intervals(couplers: Floats) -> list[tuple[float, float, float]]:
    """Return (coupler [m], low [rad], high [rad]) of the triple rocker's interval for each length of its coupler.

    A crank that turns fully goes from -pi to pi.
    """
    data = sk.load(path("triple_rocker")).source_dict
    found = []
    for coupler in couplers:
        data["lengths"]["B-C"] = 1e3 * float(coupler)
        limits = sk.Mechanism.from_dict(data).limits("motor")
        low, high = (end.value if end else sign * math.pi for end, sign in ((limits.lower, -1), (limits.upper, 1)))
        found.append((float(coupler), low, high) if not limits.failure else (float(coupler), math.nan, math.nan))
    return found


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    coupler, low, high = np.array(intervals(np.linspace(0.035, 0.1, 131))).T
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.fill_between(1e3 * coupler, np.degrees(low), np.degrees(high), alpha=0.4)
    axes.set(xlabel="coupler [mm]", ylabel="crank angle [deg]", title="What a four-bar of 60, 70 and 95 mm can reach")
    figure.savefig("reachable_intervals.png")
