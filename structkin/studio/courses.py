"""What is plotted beside the drawing: points, links and driver efforts over the motion by the drivers' laws."""

from __future__ import annotations

from typing import Any

from structkin.model import Mechanism
from structkin.report.joint_forces import forces
from structkin.report.rates import plots, rates
from structkin.show.view import samples

#: Samples of a plot.
SAMPLES = 181


def courses(mechanism: Mechanism) -> dict[str, Any]:
    """Return the courses as in a report: `plots`, `rates`, `efforts` and joint forces, and the samples without frames.

    Raises `InputError` if there is no motion.

    >>> from structkin.examples import path
    >>> found = courses(Mechanism.load(path("crank_rocker")))
    >>> found["plots"]["points"], found["samples"]["n"], found["efforts"]
    (['P', 'B', 'C'], 181, [])
    """
    motion = mechanism.solve(SAMPLES)
    found = forces(motion) or {"panels": [], "notes": []}
    return {
        "plots": plots(motion),
        "rates": rates(motion),
        "efforts": found["panels"],
        "notes": found["notes"],
        "samples": {**samples(mechanism, motion), "frames": {}},
    }
