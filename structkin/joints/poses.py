"""Poses of links, from which closure errors of joints are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.model.parts import Link
from structkin.types import Complexes, Floats


@dataclass(frozen=True)
class Poses:
    """The origin and the unit direction of every link at n samples; lengths in m, `size` is the mechanism's."""

    links: Mapping[str, Link]
    joints: Mapping[str, Any]
    frames: Mapping[str, tuple[Complexes, Complexes]]
    size: float

    @cached_property
    def holders(self) -> Mapping[str, list[str]]:
        """The links that have each point."""
        found: dict[str, list[str]] = {}
        for name, link in self.links.items():
            for point in link.local:
                found.setdefault(point, []).append(name)
        return found

    def at(self, link: str, place: complex | str | Complexes) -> Complexes:
        """Return the global position (n,) of a named point of a link, or of positions in its frame."""
        origin, direction = self.frames[link]
        local: Any = self.links[link].local[place] if isinstance(place, str) else place
        return np.asarray(origin + direction * local)

    def drawn(self, link: str, local: complex) -> complex:
        """Return the position in the sketch of a point given in a link's frame."""
        return self.links[link].origin + self.links[link].direction * local

    def along(self, link: str, local: complex = 1 + 0j) -> Complexes:
        """Return a direction (n,) fixed in a link."""
        return self.frames[link][1] * local

    def turned(self, link: str) -> Floats:
        """Return the rotation (n,) of a link from the sketch, modulo full turns."""
        return np.angle(self.frames[link][1] / self.links[link].direction)
