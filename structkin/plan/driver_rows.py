"""The rows of drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from structkin.joints.guide import Guide
from structkin.joints.row_writer import RowWriter
from structkin.model.parts import DriverCoordinate
from structkin.rows.row import Row


def write_driver(w: RowWriter, drive: DriverCoordinate) -> None:
    """Write the rows of a driver."""
    DRIVERS[drive.kind](w, drive)


def _angle(w: RowWriter, drive: DriverCoordinate) -> None:
    first, second = drive.links
    w.orient(drive.id, (first, second), 1 + 0j, drive.id)


def _slide(w: RowWriter, drive: DriverCoordinate) -> None:
    assert drive.joint is not None
    along, vector, links = w.line(drive.joint)
    row = Row.dot(along, vector).plus(-w.mechanism.joints.of(Guide)[drive.joint].start)
    w.driven(drive, "travel", links, w.size, row, "value")


def _distance(w: RowWriter, drive: DriverCoordinate) -> None:
    assert drive.ends is not None
    (E, first), (F, second) = (w.end(*end) for end in drive.ends)
    w.driven(drive, "distance", (first, second), w.size**2, Row.half_square(F - E), "half square")


#: The function that writes the rows of each kind of driver.
DRIVERS: Mapping[str, Callable[[RowWriter, DriverCoordinate], None]] = {
    "angle": _angle,
    "slide": _slide,
    "distance": _distance,
}
