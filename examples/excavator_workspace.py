"""Where can the tip of an excavator's bucket go? All three cylinders are swept, in a single call of `solve`."""

from __future__ import annotations

import numpy as np

import structkin as sk
from structkin.examples import path

#: Travel of the boom and arm cylinders from the sketch [m], and length of the bucket cylinder [m].
BOOM, ARM, BUCKET = (-0.5, 0.5), (-0.6, 0.4), (1.40, 1.95)


def sweep(boom: int = 31, arm: int = 31, bucket: int = 9) -> sk.Motion:
    """Return all poses on a grid with this many lengths of each cylinder."""
    grid = np.meshgrid(np.linspace(*BOOM, boom), np.linspace(*ARM, arm), np.linspace(*BUCKET, bucket), indexing="ij")
    cylinders = ("boom_cylinder", "arm_cylinder", "bucket_cylinder")
    values = {name: axis.ravel() for name, axis in zip(cylinders, grid, strict=True)}
    return sk.load(path("excavator")).solve(drivers=values)


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    from structkin.show import draw_schematic

    motion = sweep()
    print(motion.report)
    x, y = motion.position("T")[motion.ok].T
    print(f"reach {x.max():.2f} m, depth {-y.min():.2f} m, height {y.max():.2f} m")
    figure, axes = plt.subplots(figsize=(11, 10), layout="constrained")
    axes.plot(x, y, ".", color="tan", markersize=1)
    draw_schematic(motion.mechanism, ax=axes)
    figure.savefig("excavator_workspace.png")
