"""The equations that close loops, the same in both schemes, and their signs.

    M qdd + h = f + W lambda,   Phi(q) = 0,   W = Phi_q^T,   W^T qdd = gamma = -(W^T)' qd      (S4, equation 4)

A joint that is cut joins a first and a second body. Its rows of Phi are components of the gap d from the joint's point
on the first body to that on the second, and cosines u . w between an axis u of the first body and w of the second. So
a multiplier of a gap is the force on the second body along that axis, and minus the force on the first.

A gap in all directions is written along x, y, z: fixed in the ground in the explicit scheme, which makes the equations
shorter, and in the first body in the recursive scheme, so that the joints that carry both bodies do not enter.
"""

from __future__ import annotations

#: For each kind: axes along which the points do not part; pairs of axes, one of the first body and one of the second,
#: that stay at right angles. a, b, c is the joint's triad, x, y, z that of the ground as drawn. A screw has no
#: rows: how often it has turned does not follow from the pose of its bodies.
ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fixed": ("xyz", ("ab", "ac", "bc")),
    "revolute": ("xyz", ("ab", "ac")),
    "prismatic": ("bc", ("ab", "ac", "bc")),
    "cylindrical": ("bc", ("ab", "ac")),
    "universal": ("xyz", ("ab",)),
    "planar": ("a", ("ab", "ac")),
    "spherical": ("xyz", ()),
    "free": ("", ()),
}
