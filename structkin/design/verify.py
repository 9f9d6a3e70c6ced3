"""From dimensions to a candidate: a mechanism is built and solved, and what its whole motion shows is measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.branches.limits.transmission import acute
from structkin.design.any_topology import AnyLinkage
from structkin.design.candidates import Candidate
from structkin.design.loops import FourBars, Kind
from structkin.design.paths import SAMPLES, Wish
from structkin.design.refine import Lanes
from structkin.errors import InputError
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import VISIBLE


def mechanism_of(kind: Kind, one: Lanes, wish: Wish) -> Mechanism:
    """Return a linkage as a mechanism in the pose of the first point, whose motor turns at 1 rad/s past all of them."""
    first = one.theta[:1]
    if isinstance(kind, AnyLinkage):
        turn = float(one.theta[-1, 0] - one.theta[0, 0])
        return kind.built(*one, turn, 2 * np.pi if wish.closed else abs(turn))
    (B, C), (P, _) = kind.pins(one.x, one.mode, first), kind.traced(one.x, one.mode, first)
    places: dict[str, Any] = {name: pin[:, 0, 0].tolist() for name, pin in (("B", B), ("C", C), ("P", P))}
    places |= {name: one.x[rows, 0].tolist() for name, rows in zip("AD", kind.pivots, strict=False)}
    turn = float(one.theta[-1, 0] - one.theta[0, 0])
    sections: dict[str, Any] = {
        "points": dict(sorted(places.items())),
        "drivers": {"motor": {"joint": "A", "speed": float(np.sign(turn))}},
        "duration": 2 * np.pi if wish.closed else abs(turn),
        "units": {"angle": "deg"},
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
    """Return a linkage as a candidate; None if a sample of its motion is not ok, or takes too many steps.

    None as well where a turn of the crank does not bring a general group back to its pose, though the path is closed.
    """
    turns = one.theta[:, 0] - one.theta[0, 0]
    times = np.abs(turns)
    try:
        mechanism = mechanism_of(kind, one, wish)
        t = np.union1d(times, np.linspace(0, float(mechanism.duration or 0), SAMPLES))
        motion = mechanism.solve(t=t)
    except InputError:
        return None
    if not motion.ok.all():
        return None
    point = kind.point if isinstance(kind, AnyLinkage) else "P"
    places = motion.position(point)[np.searchsorted(t, times)]
    every = np.stack([motion.position(name) for name in mechanism.points])
    if wish.closed and np.abs(every[:, -1] - every[:, 0]).max() > VISIBLE * wish.size:
        return None
    dyads = sorted({motion.plan.steps[k].group for k in motion.plan.with_root})
    angles = [float(acute(motion.transmission_angle(group)).min()) for group in dyads]
    return Candidate(
        kind.name, mechanism, point, wish.points.T.copy(), np.linalg.norm(places - wish.points.T, axis=1), turns,
        min(angles, default=np.nan if motion.plan.followed else np.pi / 2), _lengths(kind, mechanism),
        float(np.ptp(every, axis=(0, 1)).max()), cognate,
    )  # fmt: skip


def _lengths(kind: Kind, mechanism: Mechanism) -> dict[str, float]:
    if isinstance(kind, AnyLinkage):
        return kind.named_lengths(mechanism)
    A, B, C = (mechanism.places[name] for name in "ABC")
    lengths = {"crank": abs(B - A), "coupler" if kind is FourBars else "rod": abs(C - B)}
    if kind is FourBars:
        D = mechanism.places["D"]
        lengths |= {"rocker": abs(D - C), "ground": abs(D - A)}
    return lengths
