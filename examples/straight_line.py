"""How straight is a straight line? Peaucellier's linkage against Hoeken's, over the same length of line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import structkin as sk
from structkin.examples import path

Floats = NDArray[np.float64]


def peaucellier(samples: int = 721) -> tuple[Floats, Floats]:
    """Return the travel of Q along its line and its deviation from it (n,) [m]: x = (a^2 - b^2) / (2 r) = 5 cm."""
    q = sk.load(path("peaucellier")).solve(samples).position("Q")
    return q[:, 1], q[:, 0] - 0.050


def hoeken(samples: int = 721) -> tuple[Floats, Floats]:
    """Return the way of P along its line and its deviation from it (n,) [m], while the crank is within 90 degrees."""
    motion = sk.load(path("hoeken_straight_line")).solve(samples)
    x, y = motion.position("P")[np.cos(motion.angle("crank")) <= 0].T
    order = np.argsort(x)
    return x[order] - 0.040, y[order] - 0.080


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for axes, name, (way, deviation) in ((left, "Peaucellier", peaucellier()), (right, "Hoeken", hoeken())):
        print(f"{name}: {1e3 * np.ptp(way):.1f} mm of line, straight to {1e3 * np.max(np.abs(deviation)):.1e} mm")
        axes.plot(1e3 * way, 1e3 * deviation)
        axes.set(title=name, xlabel="distance along the line [mm]", ylabel="deviation [mm]")
    figure.savefig("straight_line.png")
