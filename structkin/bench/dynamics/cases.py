"""The mechanisms of the comparison: uniform rods of 1 kg per metre, joined by pins, under gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structkin.bench.mechanism import scalable_four_bar
from structkin.model import Mechanism

GRAVITY = 9.81


def four_bar() -> Mechanism:
    """Return the four-bar 2/6/6/6, its crank upright and turning.

    >>> four_bar().structure().mobility
    1
    """
    points = {"A": (0, 0), "B": (0, 2), "C": (4.6, 5.8), "D": (6, 0)}
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]}
    lengths = {"A-B": 2, "B-C": 6, "C-D": 6, "A-D": 6}
    return _rods("four-bar", points, links, speed=4.0, lengths=lengths)


def windows(count: int) -> Mechanism:
    """Return the N-four-bar of the IFToMM benchmark A02: rods of 1 m, upright, the first tip at 1 m/s."""
    points: dict[str, Any] = {}
    links: dict[str, Sequence[str]] = {"ground": [f"A{i}" for i in range(count + 1)]}
    for i in range(count + 1):
        points |= {f"A{i}": (i, 0), f"B{i}": (i, 1)}
        links[f"crank{i}"] = [f"A{i}", f"B{i}"]
    for i in range(count):
        links[f"bar{i}"] = [f"B{i}", f"B{i + 1}"]
    return _rods(f"windows {count}", points, links, speed=-1.0)


def four_bars(count: int) -> Mechanism:
    """Return the scalable four-bar of Saura et al. with this many dyads; unequal lengths keep them from lying flat."""
    plain = scalable_four_bar(count, seed=1)
    points = {name: (place.real, place.imag) for name, place in plain.places.items()}
    links = {name: list(link.local) for name, link in plain.links.items()}
    joint = next(iter(plain.topology.drivers)).joint
    return _rods(f"{count} dyads", points, links, speed=1.0, joint=str(joint))


def chain(count: int) -> Mechanism:
    """Return a chain of this many rods hanging from the ground: as many degrees of freedom as rods."""
    points = {f"P{i}": (0.8 * i, -0.6 * i) for i in range(count + 1)}
    links: dict[str, Sequence[str]] = {"ground": ["P0"]}
    links |= {f"rod{i}": [f"P{i}", f"P{i + 1}"] for i in range(count)}
    drivers = {f"q{i}": {"joint": f"P{i}"} for i in range(count)}
    return _rods(f"chain of {count}", points, links, drivers=drivers)


def _rods(
    title: str,
    points: Mapping[str, Any],
    links: Mapping[str, Sequence[str]],
    *,
    speed: float = 0.0,
    joint: str = "",
    drivers: Mapping[str, Any] | None = None,
    lengths: Mapping[str, float] | None = None,
) -> Mechanism:
    """Return rods between points; the first one is a free coordinate with a speed unless drivers are given."""
    entries: dict[str, Any] = {"ground": links["ground"]}
    for name, ends in links.items():
        if name != "ground":
            a, b = (complex(*points[end]) for end in ends)
            entries[name] = {"points": ends, "shape": "rod", "mass": round(float(np.abs(b - a)), 12)}
    first = joint or next(iter(points))
    return Mechanism(
        title,
        points=points,
        links=entries,
        lengths=lengths,
        forces={"gravity": (0, -GRAVITY)},
        drivers=drivers or {"q": {"joint": first}},
        initial=None if drivers else {"q": {"speed": speed}},
    )
