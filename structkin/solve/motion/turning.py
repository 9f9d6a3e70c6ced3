"""How far links turn: given exactly by drivers and gears, whatever happens between two samples; else counted.

An angle driver sets angle(second) - angle(first) = z, and a prismatic joint makes its links turn together. So the turns
of links joined in this way differ by sums of drivers' values, which include whole turns; a link that gears turn has its
turn among the slots of the plan. In each remaining set one link is counted from sample to sample, or from step to step
of a simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from structkin.joints.fastened import Fastened
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.rows.affine import Affine
from structkin.types import Floats


def wrapped(angle: Floats) -> Floats:
    """Return angles between minus half a turn and half a turn.

    >>> wrapped(np.array([0.5, 2 * np.pi + 0.5])).round(6).tolist()
    [0.5, 0.5]
    """
    return angle - 2 * np.pi * np.round(angle / (2 * np.pi))


def wound(angle: Floats, turn: Floats) -> Floats:
    """Return angles (..., n) with the whole turns of `turn`, from the first finite sample on.

    >>> wound(np.array([0.0, -3.0]), np.array([5.0, 5.0 + 3 * np.pi + 0.1])).round(3).tolist()
    [0.0, 9.566]
    """
    return angle + 2 * np.pi * laps(angle, turn)


def laps(angle: Floats, turn: Floats) -> Floats:
    """Return how many whole turns (..., n) `turn` is ahead of angles, from the first finite sample on."""
    whole = turn - angle
    start = whole[..., :1]
    if not np.isfinite(start).all():
        start = np.take_along_axis(whole, np.argmax(np.isfinite(whole), axis=-1, keepdims=True), axis=-1)
    return np.asarray(np.round((whole - start) / (2 * np.pi)))


#: A driver and the factor of its value.
Term = tuple[str, float]


@dataclass(frozen=True)
class Turning:
    """The turn of a link since the sketch [rad].

    It is `constant` + sum of factors times drivers' values + a sum of scalar slots + the turn of the link `counted`,
    where there is one.
    """

    constant: float
    drivers: tuple[Term, ...]
    slots: Affine
    counted: str | None


def turnings(mechanism: Mechanism, turns: Mapping[str, Affine]) -> dict[str, Turning]:
    """Return how every link turns, where the plan has the `turns` of some links as sums of scalar slots.

    >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0], "C": [2, 0]}, drivers={"a": {"joint": "A"}},
    ...                 links={"ground": ["A"], "upper": ["A", "B"], "lower": ["B", "C"]})
    >>> found = turnings(arm, {})
    >>> found["upper"].drivers, found["upper"].counted, found["lower"].counted
    ((('a', 1.0),), None, 'lower')
    """
    found: dict[str, Turning] = {}
    neighbours = _neighbours(mechanism)
    ground = mechanism.topology.ground
    # A link with known turn represents all links that drivers couple to it: the ground first, then those turned by
    # gears.
    for link in (ground, *(one for one in mechanism.links if one in turns), *mechanism.links):
        if link in found:
            continue
        is_known = link == ground or link in turns
        found[link] = Turning(
            0.0, (), Affine() if link == ground else turns.get(link, Affine()), None if is_known else link
        )
        waiting = [link]
        while waiting:
            here = waiting.pop()
            for other, driver, sign in neighbours.get(here, ()):
                if other not in found:
                    found[other] = _beyond(found[here], mechanism, driver, sign)
                    waiting.append(other)
    return found


def _neighbours(mechanism: Mechanism) -> dict[str, list[tuple[str, str | None, float]]]:
    """Return for each link those that turn with it, or relative to it by a driver: (link, driver, sign)."""
    found: dict[str, list[tuple[str, str | None, float]]] = {}
    for first, second, driver in _ties(mechanism):
        found.setdefault(first, []).append((second, driver, 1.0))
        found.setdefault(second, []).append((first, driver, -1.0))
    return found


def _ties(mechanism: Mechanism) -> Iterator[tuple[str, str, str | None]]:
    for drive in mechanism.drivers.values():
        if drive.kind == "angle":
            yield *drive.links, drive.id
    for guide in mechanism.joints.of(Guide).values():
        if guide.turn is not None:
            yield guide.carrier, guide.slider, None
    for fastened in mechanism.joints.of(Fastened).values():
        yield from ((fastened.links[0], other, None) for other in fastened.links[1:])


def _beyond(here: Turning, mechanism: Mechanism, driver: str | None, sign: float) -> Turning:
    if driver is None:
        return here
    constant = here.constant - sign * mechanism.drivers[driver].start
    return Turning(constant, (*here.drivers, (driver, sign)), here.slots, here.counted)
