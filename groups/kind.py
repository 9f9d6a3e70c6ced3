"""The interface of a kind of structural group: pure functions of arrays.

Conventions, the same for every kind:

- A vector is an array (2, n), a scalar an array (n,) or a float; n lanes are time samples or variants.
- `h` is the tuple of known inputs, `phi` the tuple of unknowns; derivatives come in tuples of the same layout.
- The constraints Phi(h, phi) = 0 are at most quadratic. Then every derivative, of any order, obeys one linear
  system, Phi_phi dphi = -Phi_h dh + g: a velocity has g = 0, a second derivative along v and w (an acceleration has
  v = w) has g = `convective`, the bilinear term -(d2 Phi)(v, w). So K costs one `linear` solve per driver and L one
  per pair of drivers (Saura et al., eqs. 2, 3, 7 and 15 corrected: the sign of L).
- No branches on data, no arctan2, hypot, abs or clip: the functions accept complex steps.

Two numbers describe how a group closes. `discriminant(h)` is a discriminant: if it is negative, the group cannot close;
if it is zero, the group is singular (a limit position); otherwise `position(h, root)` takes root =
+-sqrt(discriminant), whose sign is the assembly mode.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
#: A tuple of inputs or unknowns: vectors (2, n) and scalars (n,) or float.
Values = tuple[Any, ...]


class Relation(Protocol):
    """Inputs, unknowns and the constraints between them, with a closed-form solution."""

    #: `position` gives the poses directly, without path following.
    closed_form: ClassVar[Literal[True]]
    #: Number of assembly modes.
    modes: int

    def discriminant(self, h: Values) -> Array | None:
        """Return a function (n,) that is zero where the relation is singular, or None if it never is.

        With two modes it is a dimensionless discriminant, negative where the group cannot close. With one mode it is
        signed, and the group cannot close where its sign differs from that in the sketch.
        """

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return root = +-sqrt(discriminant) of a given pose (n,), or the discriminant of a kind with one mode.

        Its sign is the mode, its size the distance from a change of mode.
        """

    def position(self, h: Values, root: Any) -> Values:
        """Return the unknowns; `root` is +-sqrt(discriminant), its sign the assembly mode."""

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve Phi_phi dphi = -Phi_h dh + g for the unknowns' derivatives."""

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return g = -(d2 Phi)(v, w), symmetric in its two directions."""

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the constraints Phi(h, phi), zero at a solution."""


class TwoModes(Relation, Protocol):
    """A relation with two modes, which meet where its discriminant is zero."""

    #: The scalar inputs, by their places, by whose product the discriminant is divided, and the root of it in
    #: `position` multiplied by the root of this product.
    divisors: tuple[int, ...]

    def clearance(self, h: Values, dh: Values) -> Array:
        """Return a length (n,): how far the inputs are from a pose where the modes meet, less how far dh may move them.

        Where it is positive, the discriminant has no zero between h and h + dh. With dh = 0 it says how nearly flat the
        group is: where it is negative, lengths would have to change by so much for the group to close. It serves real
        numbers only.
        """


class Kind(Relation, Protocol):
    """One kind of structural group: a relation with a name in the catalogue."""

    name: str
    aliases: tuple[str, ...]
    #: Names of the inputs and unknowns; a name in lower case is a scalar, in upper case a vector.
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Explicit:
    """Base of relations with one solution that always exists."""

    closed_form: ClassVar[Literal[True]] = True
    modes = 1

    def discriminant(self, h: Values) -> Array | None:
        """Return None: they are never singular."""
        return None

    def mode_indicator(self, h: Values, phi: Values) -> Array:
        """Return 1: there is one mode."""
        return np.ones(1)


def dot(a: Any, b: Any) -> Any:
    """Return the scalar product of two vectors (2, n)."""
    return a[0] * b[0] + a[1] * b[1]


def cross(a: Any, b: Any) -> Any:
    """Return the z component of the vector product of two vectors (2, n)."""
    return a[0] * b[1] - a[1] * b[0]


def turned(a: Any) -> Any:
    """Return the vector (2, n) rotated by 90 degrees counter-clockwise."""
    return np.stack((-a[1], a[0]))


def times(a: Any, b: Any) -> Any:
    """Return the product of two vectors (2, n) as complex numbers: a rotated and scaled by b."""
    return np.stack((a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]))


def over(a: Any, b: Any) -> Any:
    """Return the quotient a / b of two vectors (2, n) as complex numbers."""
    size = dot(b, b)
    per = 1.0 / size
    return np.stack(((a[0] * b[0] + a[1] * b[1]) * per, (a[1] * b[0] - a[0] * b[1]) * per))


def solve2(p: Any, q: Any, r: Any, s: Any) -> Any:
    """Solve p.x = r, q.x = s for the vector x (2, n)."""
    # One division: it costs as much as the rest, and the determinant is the same for rates of all orders.
    per = 1.0 / cross(p, q)
    return np.stack(((r * q[1] - s * p[1]) * per, (p[0] * s - q[0] * r) * per))
