"""One assembly of a whole mechanism: a pose at given driver values, its modes, and its certificate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.branches.assemblies.choices import is_certified
from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.parts import SketchPose
from structkin.model.units import Units
from structkin.solve import Motion
from structkin.solve.strokes import ends_passed
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.branches.assemblies.listing import Assemblies
    from structkin.model.mechanism import Mechanism


@checked
@dataclass(frozen=True)
class Assembly:
    """One way to assemble a mechanism at given driver values; see `Mechanism.assemblies`.

    `modes[g]` are the modes of group g: () where it has no choice, (1,) or (-1,) for a dyad, else the number of the
    mode from 1, or of the whole turn of what drives wheels. `alpha` is the largest of the groups' Smale certificates:
    below 0.1577 it is proved that a true solution exists; NaN where a group is singular. `singular` are the indices of
    these groups, `multiplicity` how many solutions coincide. `unlisted` are the indices of groups whose modes are only
    searched for, not enumerated. `motion` is the pose as a motion of one sample, `place` its index where that was
    counted, else `listing` can count it.
    """

    motion: Motion
    modes: tuple[tuple[int, ...], ...]
    alpha: float
    multiplicity: int
    singular: tuple[int, ...]
    unlisted: tuple[int, ...] = ()
    place: int | None = field(default=None, compare=False)
    listing: Assemblies | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return index, modes and certificate."""
        # A repr must not start a search.
        name = "of the sketch" if self.place is None else self.place
        return f"<Assembly {name}: {self.label}; {self.verdict}>"

    @cached_property
    def index(self) -> int | None:
        """Its place among all assemblies; None where that is beyond their limit."""
        return self.listing.index_of(self) if self.place is None and self.listing is not None else self.place

    @property
    def label(self) -> str:
        """The modes in words, of the groups that have a choice, counted from 1.

        `group 2: +` is a dyad's mode +1, `group 3: #2` the second mode of a larger group.
        """
        groups = self.motion.structure.groups
        parts = []
        for group, modes in zip(groups, self.modes, strict=True):
            if modes:
                words = [f"#{mode}" if group.index in self._numbered else "-+"[mode > 0] for mode in modes]
                parts.append(f"group {group.index + 1}: {' '.join(words)}")
        return ", ".join(parts) or "no choice"

    @cached_property
    def _numbered(self) -> frozenset[int]:
        return frozenset(step.group for step in self.motion.plan.steps if step.goes_from_lane_to_lane)

    @property
    def certified(self) -> bool:
        """Whether every group's mode is proved to be near a unique regular solution."""
        return is_certified(self.alpha)

    @property
    def verdict(self) -> str:
        """Certified, or why not; and which strokes are exceeded."""
        if self.singular:
            groups = ", ".join(str(group + 1) for group in self.singular)
            return f"singular in group {groups}: {self.multiplicity} solutions coincide"
        words = "certified" if self.certified else "not certified"
        if self.unlisted:
            words += f"; the modes of group {', '.join(str(group + 1) for group in self.unlisted)} are not all known"
        beyond = ends_passed(self.motion.strokes, self.motion.beyond, slice(0, 1))
        return f"{words}; {beyond}" if beyond else words

    @property
    def residual(self) -> float:
        """The largest closure error of a joint or driver: a length relative to the mechanism's size, or an angle."""
        return float(self.motion.residual()[0])

    @property
    def _points(self) -> list[str]:
        m = self.motion.mechanism
        return [point for point in m.places if any(point in link.local for link in m.links.values())]

    @property
    def drivers(self) -> dict[str, float]:
        """The drivers' values [rad or m]."""
        return {id: float(z[0, 0]) for id, z in self.motion.drivers.items()}

    def position(self, point: str | complex, link: str | None = None) -> Floats:
        """Return the place (2,) [m] of a point, or of a place `x + yj` [m] in a link's frame."""
        return np.asarray(self.motion.position(point, link)[0])

    def angle(self, link: str) -> float:
        """Return the angle [rad] of a link, in (-pi, pi]."""
        return float(self.motion.angle(link)[0])

    def distance(self, other: Assembly | None = None) -> float:
        """Return how far the points are from those of another assembly, or of the sketch [m], root mean square."""
        m = self.motion.mechanism
        if other is not None and not isinstance(other, Assembly):
            raise InputError([Problem("other", f"{other!r} is not an assembly")], m.title)
        names = self._points
        mine = np.array([self.position(name) for name in names])
        if other is None:
            theirs = np.array([(m.places[name].real, m.places[name].imag) for name in names])
        else:
            theirs = np.array([other.position(name) for name in names])
        return math.sqrt(float(np.mean(np.sum((mine - theirs) ** 2, axis=1)))) if names else 0.0

    def mechanism(self) -> Mechanism:
        """Return the mechanism with this assembly as its sketch: `solve` starts from it and stays in its modes.

        Dimensions, laws and the zero of every travel stay those of this mechanism.
        """
        m, motion = self.motion.mechanism, self.motion
        frames = {}
        for name, link in m.links.items():
            origin, tip = (complex(*motion.position(place, name)[0]) for place in (0j, 1 + 0j))
            frames[name] = (
                (origin, (tip - origin) / abs(tip - origin))
                if name != m.topology.ground
                else (
                    link.origin,
                    link.direction,
                )
            )
        points = {name: complex(*self.position(name)) for name in self._points}
        return m.posed(SketchPose(points, frames, self.drivers))

    def to_dict(self, units: Units | None = None) -> dict[str, Any]:
        """Return plain data for JSON: modes, certificate, points and angles of links; in SI unless units are given."""
        m, units = self.motion.mechanism, units or Units()
        return {
            "index": self.index,
            "modes": [list(modes) for modes in self.modes],
            "unlisted": list(self.unlisted),
            "alpha": self.alpha if math.isfinite(self.alpha) else None,
            "certified": self.certified,
            "multiplicity": self.multiplicity,
            "singular": list(self.singular),
            "residual": self.residual,
            "points": {name: (self.position(name) / units.length_scale).tolist() for name in self._points},
            "angles": {name: self.angle(name) / units.angle_scale for name in m.links},
        }
