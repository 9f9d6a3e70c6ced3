"""What is drawn over a pose on request: velocities, accelerations, instant centres, and forces at rest.

And what is plotted beside the drawing: points, links and driver efforts over the motion by the drivers' laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from structkin.errors import InputError
from structkin.model import Mechanism
from structkin.model.mechanism import GROUND
from structkin.report.centres import centres_relative_to
from structkin.report.joint_forces import arrows_of, forces
from structkin.report.rates import plots, rates
from structkin.show.quantities import measures_of
from structkin.show.view import samples
from structkin.studio.document import refuse
from structkin.studio.driving import Driving

LAYERS = ("velocity", "acceleration", "centres", "forces")


@dataclass(frozen=True)
class Layers:
    """The layers that are wanted, and the link relative to which instant centres are shown."""

    names: frozenset[str] = frozenset()
    base: str = GROUND

    @classmethod
    def read(cls, names: Any, base: Any) -> Layers:
        """Return what a message wants; raise `InputError` if it names other layers."""
        if not isinstance(names, list) or not all(isinstance(name, str) and name in LAYERS for name in names):
            raise refuse("", f"layers are a list of {', '.join(LAYERS)}")
        if not isinstance(base, str):
            raise refuse("", "instant centres are relative to a link")
        return cls(frozenset(names), base)

    def of(self, driving: Driving) -> dict[str, Any]:
        """Return what is wanted of a pose, in the file's units, forces in N; null where it is not known.

        `rates` are vx, vy, ax, ay of points; `centres` x, y of links; `forces` as the report's, `failure` if there are
        none.
        """
        found: dict[str, Any] = {}
        if self.names & {"velocity", "acceleration"}:
            found["rates"] = _rates(driving)
        if "centres" in self.names:
            found["centres"] = _centres(driving, self.base)
        if "forces" in self.names:
            try:
                found["forces"] = [_first(arrow) for arrow in arrows_of(driving.motion.forces())]
            except InputError as error:
                found["failure"] = "; ".join(str(problem) for problem in error.problems)
        return found


def _rates(driving: Driving) -> dict[str, Any] | None:
    motion = driving.moving
    if motion is None:
        return None
    # a unit that suits one pose would not suit the next
    measures = measures_of(motion.mechanism)
    found = rates(motion, measures)
    if found is None:
        return None
    return {
        "points": {name: [*_first(values).values()] for name, values in found["points"].items()},
        "units": [measures.pretty("speed"), measures.pretty("acceleration")],
    }


def _centres(driving: Driving, base: str) -> dict[str, list[float]]:
    m = driving.mechanism
    scale = m.units.length_scale
    if base not in m.links:
        return {}
    found = centres_relative_to(driving.moving or driving.motion, base)
    return {link: [z.real / scale, z.imag / scale] for link, z in found.items()}


def _first(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of the only sample."""
    return {
        key: one[0] if isinstance(one, Sequence) and not isinstance(one, str) else one for key, one in values.items()
    }


# --- courses ----------------------------------------------------------------------------------------------------------

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
