"""The rows of drivers, each written once: for the general group, and for all families of coordinates.

| row | equation | source |
|---|---|---|
| revolute (pinned: one link is the ground) | r_i + A_i s_i - r_j - A_j s_j | S0 Tab. 1; S1 eq. 47 |
| translation, across | d x (P_j - P_i) - e | S0 Tab. 1; S1 eqs. 66-67 |
| translation, orientation | u.v - cos, or u x v - sin, of a constant angle; as angles: S1 eq. 65 | S0 Tab. 1 (5), (6) |
| translation-revolute: a slot (roller: the ground's, along an axis) | d x (P_j - P_i) - e | S0 Tab. 1 (7), (3) |
| circular slot of centre M: a link without mass from M to the pin | (P - M).(P - M) - r^2 | |
| curved slot | signed distance of P from the nearest place of the curve, in the frame of its link | |
| links that are fastened | P_j - P_i, two rows, and the orientation of a translation | |
| angular driver | u.v - cos z and u x v - sin z; as angles: phi_j - phi_i - z | S0 Tab. 1; S1 eq. 79 |
| slide driver | d . (P_j - P_i) - start - z | |
| linear driver of a distance | (F - E).(F - E) / 2 - z^2 / 2 | |
| gear, belt | t_1 - r t_2 + (r - 1) t_c = 0, turns since the sketch, carrier c (Willis) | |
| rack; rolling on a line | d . (P_j - P_i) - start - lever (t_1 - t_2) = 0 | |
| rolling on a line | d x (P_j - P_i) - e = 0 | |
| rolling on a circle, two rows | C_2 - C_1 - R E(s) = 0, (1 - r) s = t_1 - r t_2: the line of centres carries | |
| cam by its law, translating | d . (P_j - P_i) - start - f(angle of the cam) = 0 | |
| cam by its law, oscillating | angle of the follower - f(angle of the cam) = 0, both seen from the carrier | |
| cam by its profile, roller or edge | length of T - C - f(direction of T - C seen from the cam) = 0 | |
| cam by its profile, flat face | n . (T - C) - f(direction of n seen from the cam) = 0 | |
| Geneva wheel | t_w - t_c + g(x_0 + t_k - t_c) - g(x_0) = 0, crank k, wheel w, x_0 from the line of centres | |

S0: Roupa, Goncalves, Tavares da Silva, "Dynamic analysis of planar multibody systems with fully Cartesian coordinates"
(Tab. 1, its right-hand sides corrected); S1: Flores, Lankarani, "Formulation for planar multibody dynamics" (eqs. 22
to 87, corrected: nu = +z', gamma = +z'' of a driver). Turns are counted: a driver that has gone round twice has turned
a gear with it twice. E(s) is the unit vector that has turned by s since the sketch.
"""

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
    along, way, links = w.line(drive.joint)
    row = Row.dot(along, way).plus(-w.mechanism.joints.of(Guide)[drive.joint].start)
    w.driven(drive, "travel", links, w.size, row, "value")


def _distance(w: RowWriter, drive: DriverCoordinate) -> None:
    assert drive.ends is not None
    (E, first), (F, second) = (w.end(*end) for end in drive.ends)
    w.driven(drive, "distance", (first, second), w.size**2, Row.half_square(F - E), "half square")


#: Who writes the row of a driver of a kind.
DRIVERS: Mapping[str, Callable[[RowWriter, DriverCoordinate], None]] = {
    "angle": _angle,
    "slide": _slide,
    "distance": _distance,
}
