"""Mechanisms that are solved together though each has another topology: one crank each, turned from the sketch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.solve.batch.linkages import MOTOR, Linkages


@dataclass(frozen=True)
class Mechanisms:
    """Several mechanisms, each with its points in the order of its file; shorter ones have rows of NaN after them."""

    items: tuple[Mechanism, ...]

    @classmethod
    def of(cls, given: Sequence[Any]) -> Mechanisms:
        """Return mechanisms that are checked to be some."""
        wrong = [k for k, one in enumerate(given) if not isinstance(one, Mechanism)]
        if wrong or not given:
            message = f"number {wrong[0]} is none" if given else "there is none"
            raise InputError([Problem("adjacency", f"expected mechanisms: {message}", "sk.load(...)")], "solve_batch")
        return cls(tuple(given))

    def __len__(self) -> int:
        """Return their number."""
        return len(self.items)

    @property
    def joints(self) -> int:
        """The most points that one has."""
        return max(len(one.places) for one in self.items)

    @property
    def arrays(self) -> dict[str, Any]:
        """What they are made of, by rows."""
        items = np.empty(len(self), object)
        items[:] = self.items
        return {"items": items}

    def take(self, part: slice) -> Mechanisms:
        """Return some of them."""
        return Mechanisms(self.items[part])

    def case(self, k: int) -> Case:
        """Return mechanism k; `InputError` where it has not one crank."""
        one = self.items[k]
        drives = list(one.drivers.items())
        if len(drives) != 1 or drives[0][1].kind != "angle":
            found = f"has {len(drives)} drivers" if len(drives) != 1 else f"'{drives[0][0]}' drives no angle"
            raise InputError([Problem("drivers", found, "solve_batch turns one crank; use `solve`")], one.title)
        return Case(one, drives[0][0], drives[0][1].start, tuple(one.places))


@dataclass(frozen=True)
class Case:
    """A mechanism, its driver and the angle [rad] of that in the sketch, and the points that are wanted."""

    mechanism: Mechanism
    driver: str
    start: float
    points: tuple[str, ...]


def case_of(source: Linkages | Mechanisms, k: int) -> Case:
    """Return number k of linkages or mechanisms."""
    if isinstance(source, Mechanisms):
        return source.case(k)
    return Case(source.mechanism(k), MOTOR, 0.0, tuple(f"J{j}" for j in range(source.joints)))
