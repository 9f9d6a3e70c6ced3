"""A loop that cannot be assembled: its links in line, as near to closing as they come, and the gap that is left."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from structkin.branches.four_bar import FourBar, SliderCrank, open_loops
from structkin.joints.guide import Guide
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.stroke import shown
from structkin.report.modes import Frames
from structkin.report.numbers import plain
from structkin.report.solution_steps import plain_frames
from structkin.types import Complexes

#: Frames of the links of a loop, and both ends of the gap [m].
Open = tuple[Frames, tuple[complex, complex]]


def gap_of(mechanism: Mechanism) -> dict[str, Any] | None:
    """Return the first loop that cannot be assembled: frames of its links, both ends of the gap, and words for it.

    None if every four-bar and slider-crank can be assembled.
    """
    for loop in open_loops(mechanism):
        frames, (p, q) = _four_bar(mechanism, loop) if isinstance(loop, FourBar) else _slider_crank(mechanism, loop)
        unit = mechanism.units.scale("length")
        return {
            "frames": plain_frames(mechanism, frames),
            "ends": [plain([end.real, end.imag], unit, mechanism.size) for end in (p, q)],
            "words": f"a gap of {shown(mechanism.units, abs(q - p), 'length')} at {loop.joints[2]}",
        }
    return None


def _four_bar(mechanism: Mechanism, loop: FourBar) -> Open:
    """Return the four links along the line of the fixed pivots, each one of both ways, so that the gap is smallest."""
    a, b, c, d = loop.joints
    ground, *lengths = loop.lengths
    foot, other = _place(mechanism, GROUND, a), _place(mechanism, GROUND, d)
    along = (other - foot) / ground

    def gap(ways: tuple[int, ...]) -> float:
        first, second, third = np.multiply(ways, lengths)
        return abs(float(first + second - third) - ground)

    ways = min(product((1, -1), repeat=3), key=gap)
    first, second, third = (way * length * along for way, length in zip(ways, lengths, strict=True))
    knee = foot + first
    places = [((a, foot), (b, knee)), ((b, knee), (c, knee + second)), ((d, other), (c, other + third))]
    frames = {link: _frame(mechanism, link, *ends) for link, ends in zip(loop.links, places, strict=True)}
    return {GROUND: _still(mechanism, GROUND), **frames}, (knee + second, other + third)


def _slider_crank(mechanism: Mechanism, loop: SliderCrank) -> Open:
    """Return crank and rod in line, perpendicular to the guide, and the slider at the foot of the perpendicular."""
    a, b, c, guide = loop.joints
    crank, rod, slider = loop.links
    own, joint = mechanism.links[slider], mechanism.joints.of(Guide)[guide]
    foot, pin = _place(mechanism, GROUND, a), _place(mechanism, slider, c)
    line = mechanism.links[joint.carrier].direction * joint.direction
    target = pin + ((foot - pin) / line).real * line
    along = (target - foot) / abs(target - foot)
    knee, tip = foot + loop.crank * along, foot + (loop.crank + loop.rod) * along
    frames = {
        GROUND: _still(mechanism, GROUND),
        crank: _frame(mechanism, crank, (a, foot), (b, knee)),
        rod: _frame(mechanism, rod, (b, knee), (c, tip)),
        slider: (np.array([own.origin + target - pin]), np.array([own.direction])),
    }
    return frames, (tip, target)


def _place(mechanism: Mechanism, link: str, point: str) -> complex:
    """Return where a point of a link is in the sketch [m]."""
    own = mechanism.links[link]
    return own.origin + own.direction * own.local[point]


def _still(mechanism: Mechanism, link: str) -> tuple[Complexes, Complexes]:
    own = mechanism.links[link]
    return np.array([own.origin]), np.array([own.direction])


def _frame(
    mechanism: Mechanism, link: str, tail: tuple[str, complex], tip: tuple[str, complex]
) -> tuple[Complexes, Complexes]:
    """Return the frame of a link with two of its points at two places."""
    local = mechanism.links[link].local
    direction = (tip[1] - tail[1]) / (local[tip[0]] - local[tail[0]])
    return np.array([tail[1] - direction * local[tail[0]]]), np.array([direction])
