"""Mechanisms that are drawn far from the origin are analysed as if they were drawn at it.

The equations of assemblies, limits, circuits, global methods, multipliers and sensitivities contain places, and
products of places. Where these are many times as large as the mechanism, its dimensions are lost in their last digits.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from structkin.model.assemble import attributes
from structkin.model.mechanism import GROUND, Mechanism
from structkin.types import Floats

#: A mechanism is far away if the middle of its points is farther from the origin than so many times its size.
FAR = 8.0
#: What was moved, as long as what was drawn is known.
_moved: WeakKeyDictionary[Mechanism, Mechanism] = WeakKeyDictionary()


def near(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism with places from the middle of its points, if that is far from the origin; else itself.

    >>> import structkin as sk
    >>> from structkin.examples import path
    >>> m = sk.load(path("crank_rocker"))
    >>> near(m) is m, near(seen_from(m, 1e5 + 0j)).points["A"].round(3).tolist()
    (True, [-0.06, -0.041])
    """
    places = np.array(list(mechanism.places.values()))
    middle = complex(np.mean(places)) if len(places) else 0j
    if abs(middle) <= FAR * mechanism.size:
        return mechanism
    if mechanism not in _moved:
        moved = seen_from(mechanism, middle)
        # Drivers that were put in place of those of the file are not in it.
        _moved[mechanism] = moved if moved.topology == mechanism.topology else mechanism
    return _moved[mechanism]


def seen_from(mechanism: Mechanism, origin: complex) -> Mechanism:
    """Return the same mechanism with its places counted from another origin [m]; `source_dict` is still the file's."""
    file = mechanism._source_dict, mechanism._source, mechanism._folder
    other = mechanism.with_parts(attributes(*file, mechanism.units.origin + origin))
    if (pose := mechanism._pose) is None:
        return other
    places = {name: place - origin for name, place in pose.points.items()}
    frames = {name: (at if name == GROUND else at - origin, way) for name, (at, way) in pose.frames.items()}
    return other.posed(replace(pose, points=places, frames=frames))


def put_back(X: Floats, moved: Mechanism, drawn: Mechanism) -> None:
    """Count the origins in frames X (4 links, n) of a moved mechanism from the origin of the one that was drawn."""
    if moved is not drawn:
        way = moved.units.origin - drawn.units.origin
        X[0::4] += way.real
        X[1::4] += way.imag
