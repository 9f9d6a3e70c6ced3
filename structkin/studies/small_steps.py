"""Small steps (S3) beside the reduced equations: what stiffer joints and smaller steps bring, and what jumps cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.examples import path
from structkin.model import Mechanism
from structkin.model.file import load_data
from structkin.numerical_tolerances import REFERENCE, TIGHTEST
from structkin.spatial import small_steps
from structkin.spatial.elements import relative_stiffnesses
from structkin.types import Floats

#: Step [s] at which the error of the stiffest joints still falls.
STEP = 1e-6


@dataclass(frozen=True)
class Case:
    """A mechanism that moves under loads, for a duration [s]; the place of `tip` is compared.

    `frequencies` [1/s] are those at which the joints alone would vibrate: their stiffness is in proportion to the
    masses at each, and to the square.
    """

    name: str
    mechanism: Mechanism
    duration: float
    tip: tuple[str, str]
    frequencies: tuple[float, ...]


@dataclass(frozen=True)
class Deviation:
    """A run: how far the tip is at most from the exact place, in parts of its path's extent.

    `stiffness` [N/m] is that of the softest joint, `stepping` the part of `error` that half the step takes away, twice:
    what is left of it at this step.
    """

    case: str
    stiffness: float
    step: float
    error: float
    stepping: float


def four_bar() -> Case:
    """Return a four-bar that falls from its drawn pose while a torque drives its crank."""
    mechanism = Mechanism(
        "four-bar",
        points={"A": (0, 0), "B": (0, 0.2), "C": (0.5, 0.45), "D": (0.6, 0)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1.0},
            "coupler": {"points": ["B", "C"], "shape": "rod", "mass": 2.0},
            "rocker": {"points": ["C", "D"], "shape": "rod", "mass": 1.5},
        },
        drivers={"motor": {"joint": "A", "torque": 3.0}},
        forces={"gravity": [0, -9.81]},
    )
    return Case("four-bar", mechanism, 0.5, ("coupler", "C"), (2e3, 4e3, 8e3, 16e3, 32e3))


def slider_crank() -> Case:
    """Return a slider-crank that a torque drives from rest."""
    mechanism = Mechanism(
        "slider-crank",
        points={"A": (0, 0), "B": (0.05, 0.12), "C": (0.4, 0.0)},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1.0},
            "rod": {"points": ["B", "C"], "shape": "rod", "mass": 0.6},
            "piston": {"points": ["C"], "mass": 0.8, "center": (0.4, 0.0), "inertia": 1e-3},
        },
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "torque": 2.0}},
        forces={"gravity": [0, -9.81]},
    )
    return Case("slider-crank", mechanism, 0.5, ("piston", "C"), (4e3, 8e3, 16e3, 32e3, 64e3))


def andrews() -> Case:
    """Return Andrews' squeezer as the IVP Test Set starts it: at rest, with the torque 0.033 N m."""
    data: dict[str, Any] = load_data(path("andrews_squeezer"))
    data["drivers"] = {"motor": {"joint": "O", "torque": 0.033}}
    return Case("Andrews", Mechanism.from_dict(data), 0.03, ("K3", "D"), (4e4, 8e4, 16e4, 32e4))


def exact(case: Case, t: Floats) -> Floats:
    """Return the places (n, 2) of the tip by the reduced equations at the times t, evenly spaced."""
    run = case.mechanism.simulate(t, rtol=REFERENCE, atol=TIGHTEST)
    return np.asarray(run.position(case.tip[1]))


def convergence(case: Case, step: float = STEP, samples: int = 101) -> list[Deviation]:
    """Return how the error falls with the stiffness, with the share of the step in it."""
    model = case.mechanism.to_spatial()
    relative = relative_stiffnesses(model)
    t = np.linspace(0.0, case.duration, samples)
    right = exact(case, t)
    size = float(np.ptp(right, axis=0).max())
    name = ".".join(case.tip)

    def tip(frequency: float, step: float) -> Floats:
        steps = round(case.duration / step)
        stiffness = {joint: (k * frequency**2, c * frequency**2) for joint, (k, c) in relative.items()}
        motion = small_steps(
            model, case.duration, step, record=steps // (samples - 1), stiffness=stiffness, budget=None
        )
        return motion.position(name)[:, :2]

    found = []
    for frequency in case.frequencies:
        coarse, fine = tip(frequency, step), tip(frequency, step / 2)
        stepping = 2.0 * float(np.abs(coarse - fine).max()) / size
        error = float(np.abs(2.0 * fine - coarse - right).max()) / size
        softest = min(shift for shift, _ in relative.values()) * frequency**2
        found.append(Deviation(case.name, softest, step, error, stepping))
    return found
