"""A motion as named columns, each with its unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics import Motion
from structkin.kinematics.status import Status
from structkin.model.units import Units
from structkin.show.measures import OF_LINK, OF_POINT, driver_quantity, measures_of
from structkin.show.style import group_label

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Column:
    """Values (n,) of one quantity of one part: "x" of point "P" in "mm"."""

    part: str
    quantity: str
    unit: str
    values: Floats

    @property
    def name(self) -> str:
        """The head of the column, such as "P.x"; the time is "t" alone."""
        return f"{self.part}.{self.quantity}" if self.part else self.quantity


def time_column(motion: Motion) -> Column:
    """Return the times [s], NaN where they are not known."""
    return Column("", "t", "s", motion.t)


def driver_columns(motion: Motion, units: Units | None = None) -> Iterator[Column]:
    """Yield the value of each driver."""
    measures = measures_of(motion.mechanism, units)
    for id, values in motion.drivers.items():
        quantity = driver_quantity(motion.mechanism, id)
        yield Column(id, "value", measures.unit(quantity), values[0] / measures.size(quantity))


def point_columns(motion: Motion, units: Units | None = None) -> Iterator[Column]:
    """Yield x, y, vx, vy, ax, ay of every point that is on a link."""
    measures = measures_of(motion.mechanism, units)
    held = {point for link in motion.mechanism.links.values() for point in link.local}
    for point in motion.mechanism.places:
        if point in held:
            of = (motion.position(point), motion.velocity(point), motion.acceleration(point))
            for head, quantity, values in zip(("", "v", "a"), OF_POINT, of, strict=True):
                for k, axis in enumerate("xy"):
                    yield Column(point, head + axis, measures.unit(quantity), values[:, k] / measures.size(quantity))


def link_columns(motion: Motion, units: Units | None = None) -> Iterator[Column]:
    """Yield angle, omega, alpha of every moving link."""
    measures = measures_of(motion.mechanism, units)
    for link in motion.mechanism.topology.moving_links:
        of = (motion.angle(link), motion.omega(link), motion.alpha(link))
        for quantity, values in zip(OF_LINK, of, strict=True):
            yield Column(link, quantity, measures.unit(quantity), values / measures.size(quantity))


def all_columns(motion: Motion, units: Units | None = None) -> list[Column]:
    """Return time, drivers, points and links, in this order."""
    return [
        time_column(motion),
        *driver_columns(motion, units),
        *point_columns(motion, units),
        *link_columns(motion, units),
    ]


def status_words(motion: Motion) -> list[str]:
    """Return how each sample ended, in words."""
    words = [status.words for status in Status]
    return [words[code] for code in motion.status.tolist()]


def failed_groups(motion: Motion) -> list[str]:
    """Return the group where each sample stopped, such as "2 RRR: coupler + rocker"; empty where it is ok."""
    labels = ["", *(group_label(group) for group in motion.structure.groups)]
    return [labels[index + 1] for index in motion.failed_group.tolist()]
