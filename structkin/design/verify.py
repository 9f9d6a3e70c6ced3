"""From dimensions to a candidate: a mechanism is built and solved, and what its whole motion shows is measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.branches.limits.transmission import acute
from structkin.design.candidates import Candidate
from structkin.design.loops import FourBars, Kind, pins, traced
from structkin.design.paths import SAMPLES, Wish
from structkin.design.refine import Lanes
from structkin.errors import InputError
from structkin.model.mechanism import Mechanism


def mechanism_of(kind: Kind, one: Lanes, wish: Wish) -> Mechanism:
    """Return a linkage as a mechanism in the pose of the first point, whose motor turns at 1 rad/s past all of them."""
    first = one.theta[:1]
    (B, C), (P, _) = pins(kind, one.x, one.mode, first), traced(kind, one.x, one.mode, first)
    places: dict[str, Any] = {name: pin[:, 0, 0].tolist() for name, pin in (("B", B), ("C", C), ("P", P))}
    places |= {name: one.x[rows, 0].tolist() for name, rows in zip("AD", kind.pivots, strict=False)}
    turn = float(one.theta[-1, 0] - one.theta[0, 0])
    sections: dict[str, Any] = {
        "points": dict(sorted(places.items())),
        "drivers": {"motor": {"joint": "A", "speed": float(np.sign(turn))}},
        "duration": 2 * np.pi if wish.closed else abs(turn),
    }
    coupler = {"coupler" if kind is FourBars else "rod": ["B", "C", "P"]}
    if kind is FourBars:
        links = {"ground": ["A", "D"], "crank": ["A", "B"], **coupler, "rocker": ["C", "D"]}
        return Mechanism("Four-bar", links=links, **sections)
    axis = [float(np.cos(one.x[2, 0])), float(np.sin(one.x[2, 0]))]
    guide = {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": axis}
    links = {"ground": ["A"], "crank": ["A", "B"], **coupler, "slider": ["C"]}
    return Mechanism("Slider-crank", links=links, joints={"guide": guide}, **sections)


def verified(kind: Kind, one: Lanes, wish: Wish, *, cognate: bool = False) -> Candidate | None:
    """Return a linkage as a candidate; None if a sample of its motion is not ok, or takes too many steps."""
    mechanism = mechanism_of(kind, one, wish)
    turns = one.theta[:, 0] - one.theta[0, 0]
    times = np.abs(turns)
    t = np.union1d(times, np.linspace(0, float(mechanism.duration or 0), SAMPLES))
    try:
        motion = mechanism.solve(t=t)
    except InputError:
        return None
    if not motion.ok.all():
        return None
    places = motion.position("P")[np.searchsorted(t, times)]
    every = np.concatenate([motion.position(name) for name in mechanism.points])
    A, B, C = (mechanism.points[name] for name in "ABC")
    lengths = {"crank": B - A, "coupler" if kind is FourBars else "rod": C - B}
    if kind is FourBars:
        D = mechanism.points["D"]
        lengths |= {"rocker": D - C, "ground": D - A}
    return Candidate(
        kind.name, mechanism, "P", wish.points.T.copy(), np.linalg.norm(places - wish.points.T, axis=1), turns,
        float(acute(motion.transmission_angle("C")).min()),
        {name: float(np.hypot(*length)) for name, length in lengths.items()},
        float(np.ptp(every, axis=0).max()), cognate,
    )  # fmt: skip
