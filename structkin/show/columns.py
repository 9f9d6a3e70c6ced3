"""A motion as named columns, each with its unit: a data frame, CSV, JSON.

For velocity coefficients K and their derivatives L lengths are in the file's unit and angles in radians, so that K of a
point by an angle is a lever arm, and K of a link by an angle is a ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from structkin.errors import StructkinError
from structkin.model.units import Units
from structkin.plan.status import Status
from structkin.show.files import write_table
from structkin.show.interest import points_on_links
from structkin.show.quantities import OF_LINK, OF_POINT, measures_of, per
from structkin.show.style import group_label
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import PartKind
from structkin.types import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Coefficient:
    """K by one driver or L by two `drivers`: values (k, n), k = 2 for x and y of a point, k = 1 for an angle.

    `usual` is a typical magnitude: values far below it are rounding errors.
    """

    letter: str
    drivers: tuple[str, ...]
    unit: str
    values: Floats
    usual: float

    @property
    def by(self) -> str:
        """The drivers as a suffix of a column's name, such as ".motor"."""
        return "".join(f".{driver}" for driver in self.drivers)


def coefficients_of(motion: Motion, name: str, kind: PartKind, units: Units | None = None) -> Iterator[Coefficient]:
    """Yield K of a point or link by each driver, then L by each pair of drivers."""
    m, measures = motion.mechanism, measures_of(motion.mechanism, units)
    length, unit = measures.size("length"), measures.unit("length")
    drivers = list(m.drivers)
    angular = [m.drivers[id].quantity == "angle" for id in drivers]
    sizes = [1.0 if one else length for one in angular]
    words = ["rad" if one else unit for one in angular]
    own, top, count, travel = (1.0, "rad", 1, 1.0) if kind == "link" else (length, unit, 2, motion.size / length)
    travels = [1.0 if one else motion.size / length for one in angular]
    K = motion.K(name, kind=kind).reshape(len(motion), count, len(drivers))
    L = motion.L(name, kind=kind).reshape(len(motion), count, len(drivers), len(drivers))
    for i, id in enumerate(drivers):
        yield Coefficient("K", (id,), per(top, words[i]), K[:, :, i].T * (sizes[i] / own), travel / travels[i])
    for i, id in enumerate(drivers):
        for j in range(i, len(drivers)):
            values = L[:, :, i, j].T * (sizes[i] * sizes[j] / own)
            usual = travel / (travels[i] * travels[j])
            yield Coefficient("L", (id, drivers[j]), per(top, words[i], words[j]), values, usual)


@dataclass(frozen=True)
class Column:
    """Values (n,) of one quantity of one part: "x" of point "P" in "mm"."""

    part: str
    quantity: str
    unit: str
    values: Floats

    @property
    def name(self) -> str:
        """The heading of the column, such as "P.x"; the time is just "t"."""
        return f"{self.part}.{self.quantity}" if self.part else self.quantity


def time_column(motion: Motion) -> Column:
    """Return the times [s], NaN where unknown."""
    return Column("", "t", "s", motion.t)


def driver_columns(motion: Motion, units: Units | None = None) -> Iterator[Column]:
    """Yield the value of each driver."""
    measures = measures_of(motion.mechanism, units)
    for id, values in motion.drivers.items():
        quantity = motion.mechanism.drivers[id].quantity
        yield Column(id, "value", measures.unit(quantity), values[0] / measures.size(quantity))


def point_columns(motion: Motion, units: Units | None = None) -> Iterator[Column]:
    """Yield x, y, vx, vy, ax, ay of every point on a link."""
    measures = measures_of(motion.mechanism, units)
    for point in points_on_links(motion.mechanism):
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


def coefficient_columns(
    motion: Motion, names: Iterable[str], kind: PartKind, units: Units | None = None
) -> Iterator[Column]:
    """Yield K and L of points or links: Kx, Ky and Lx, Ly of a point, K and L of a link, each by its drivers."""
    for name in names:
        for found in coefficients_of(motion, name, kind, units):
            for axis, values in zip("xy" if len(found.values) > 1 else ("",), found.values, strict=True):
                yield Column(name, f"{found.letter}{axis}{found.by}", found.unit.replace("²", "^2"), values)


def all_coefficients(motion: Motion, units: Units | None = None) -> Iterator[Column]:
    """Yield K and L of the points that are on a link, and of the moving links."""
    yield from coefficient_columns(motion, points_on_links(motion.mechanism), "point", units)
    yield from coefficient_columns(motion, motion.mechanism.topology.moving_links, "link", units)


def all_columns(motion: Motion, units: Units | None = None, *, kl: bool = False) -> list[Column]:
    """Return time, drivers, points and links, in this order, then with `kl` K and L of the points and links."""
    return [
        time_column(motion),
        *driver_columns(motion, units),
        *point_columns(motion, units),
        *link_columns(motion, units),
        *(all_coefficients(motion, units) if kl else ()),
    ]


def status_words(motion: Motion) -> list[str]:
    """Return the status of each sample in words."""
    words = [status.words for status in Status]
    return [words[code] for code in motion.status.tolist()]


def failed_groups(motion: Motion) -> list[str]:
    """Return the group at which each sample failed, such as "2 RRR: coupler + rocker"; empty if it is ok."""
    labels = ["", *(group_label(group) for group in motion.structure.groups)]
    return [labels[index + 1] for index in motion.failed_group.tolist()]


def to_dataframe(motion: Motion, units: Units | None = None) -> pd.DataFrame:
    """Return a data frame with one row per sample and the columns of `write_csv`, in the file's or the given units.

    The names of the units are in `attrs["units"]`. Raises `StructkinError` if pandas is not installed.
    """
    return frame_of(all_columns(motion, units), motion)


def frame_of(columns: Sequence[Column], motion: Motion, words: Sequence[str] | None = None) -> pd.DataFrame:
    """Return columns of a motion as a data frame, with the status of each sample, or the given `words`."""
    try:
        import pandas as pd
    except ImportError:
        message = 'a data frame needs pandas, which is not installed: pip install "structkin[pandas]"'
        raise StructkinError(message) from None
    frame = pd.DataFrame({column.name: column.values for column in columns})
    frame["status"] = words or status_words(motion)
    frame["group"] = failed_groups(motion)
    frame.attrs["units"] = {column.name: column.unit for column in columns}
    return frame


def write_csv(motion: Motion, target: str | Path | IO[str], units: Units | None = None, *, kl: bool = False) -> None:
    """Write a motion as CSV: names in the first line, units in the second, then one line per sample.

    Numbers are written with all their digits, in the units of the file or in those given; unknown values are empty.
    Columns: t; the value of each driver; x, y, vx, vy, ax, ay of each point; angle, omega, alpha of each moving link;
    with `kl` their K and L; the status in words and the group at which a sample failed. A name that a spreadsheet would
    take for a formula, such as "=1", follows an apostrophe. `target` is a path that ends in .csv, or an open file.
    Raises `InputError` for another suffix, or if the file cannot be written; no partial file is left.
    """
    write_columns(all_columns(motion, units, kl=kl), motion, target)


def write_columns(
    columns: Sequence[Column], motion: Motion, target: str | Path | IO[str], words: Sequence[str] | None = None
) -> None:
    """Write columns of a motion as CSV, with the status of each sample, or the given `words`."""
    heads = [*(column.name for column in columns), "status", "group"]
    units = [*(column.unit for column in columns), "", ""]
    cells = [plain_values(column.values) for column in columns]
    lines = zip(*cells, words or status_words(motion), failed_groups(motion), strict=True)
    write_table(target, heads, chain([units], lines))


def motion_to_dict(motion: Motion, units: Units | None = None, *, kl: bool = False) -> dict[str, Any]:
    """Return a motion as plain data for JSON, in the units of the file or in those given; NaN becomes None.

    `group` holds the index of the group at which a sample failed, or None. With `kl`, K and L of points and links are
    included.
    """
    points, links = list(point_columns(motion, units)), list(link_columns(motion, units))
    if kl:
        points += coefficient_columns(motion, dict.fromkeys(column.part for column in points), "point", units)
        links += coefficient_columns(motion, dict.fromkeys(column.part for column in links), "link", units)
    measures = measures_of(motion.mechanism, units)
    return {
        "title": motion.mechanism.title,
        "units": {"length": measures.units.length, "angle": measures.units.angle, "time": "s"},
        "samples": len(motion),
        "ok": int(motion.ok.sum()),
        "t": plain_values(motion.t),
        "drivers": nested(driver_columns(motion, units)),
        "points": nested(points),
        "links": nested(links),
        "status": status_words(motion),
        "group": [index if index >= 0 else None for index in motion.failed_group.tolist()],
    }


def nested(columns: Iterable[Column]) -> dict[str, dict[str, list[float | None]]]:
    """Return columns as plain data: by part, then by quantity."""
    result: dict[str, dict[str, list[float | None]]] = {}
    for column in columns:
        result.setdefault(column.part, {})[column.quantity] = plain_values(column.values)
    return result


def plain_values(values: Floats) -> list[float | None]:
    """Return values as a list, NaN as None."""
    return [value if math.isfinite(value) else None for value in values.tolist()]
