"""What acts on a mechanism and how it starts: plain data for dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Spring:
    """A spring and damper between two points, each as (link, point name).

    `stiffness` [N/m], `free_length` [m], `damping` [N s/m].
    """

    id: str
    ends: tuple[tuple[str, str], tuple[str, str]]
    stiffness: float
    free_length: float
    damping: float


@dataclass(frozen=True, slots=True)
class Forces:
    """Gravity [m/s^2] as x + iy, and springs by id."""

    gravity: complex = 0j
    springs: Mapping[str, Spring] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class InitialState:
    """Start of a free coordinate [rad or m]; None means the sketch. Its rate [rad/s or m/s]."""

    value: float | None = None
    speed: float = 0.0
