"""Relations between a few vectors that are not bilinear: cams, Geneva wheels, driven angles of moving links.

    ByLaw        D . W - f(angle from B to A) = 0        a translating follower with a cam law
    TurnByLaw    angle from E to D - f(angle from B to A) = 0     an oscillating follower with a cam law
    OnProfile    |W| - f(angle from B to W) = 0          a roller or edge on the curve r = f
    FaceOnProfile   D x W - f(angle from B to D) = 0     a flat face on the curve with support function f
    OnCurve      d(W relative to B) = 0                  a pin on a curve, d its signed distance
    Stepped      t + f(s) = 0                            a Geneva wheel, of two rotations
    DrivenAngle  (A T) x B = 0                           B is A rotated by the unit vector T

A and B are directions of the cam and of the carrier; on a profile or a curve B is that of the link that has it. W leads
from the guide's line, the cam's centre or the origin of the slotted link to the follower's point or the pin. Products
of A and T are those of complex numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from structkin.rows.jet import Jet, Vector, angle, length, seen_from, vector
from structkin.rows.periodic import TURN, Function
from structkin.rows.plane_curve import PlaneCurve


class Relation(Protocol):
    """A scalar function of vectors."""

    def value(self, *vectors: Vector) -> Jet:
        """Return the row and its derivatives."""


def _dot(a: Vector, b: Vector) -> Jet:
    return a[0] * b[0] + a[1] * b[1]


def _cross(a: Vector, b: Vector) -> Jet:
    return a[0] * b[1] - a[1] * b[0]


@dataclass(frozen=True, eq=False)
class ByLaw:
    """The travel of a cam's follower with a cam law."""

    function: Function

    def value(self, *vectors: Vector) -> Jet:
        """Return D . W - f(angle from B to A)."""
        D, W, A, B = vectors
        return _dot(D, W) - angle(seen_from(A, B)).follow(self.function)


@dataclass(frozen=True, eq=False)
class TurnByLaw:
    """The angle of a cam's follower with a cam law."""

    function: Function

    def value(self, *vectors: Vector) -> Jet:
        """Return the angle from E to D minus f(angle from B to A), modulo full turns."""
        D, E, A, B = vectors
        gap = angle(seen_from(D, E)) - angle(seen_from(A, B)).follow(self.function)
        return Jet((gap.parts[0] - TURN * np.round(np.real(gap.parts[0]) / TURN), *gap.parts[1:]))


@dataclass(frozen=True, eq=False)
class OnProfile:
    """A roller or edge on a profile."""

    function: Function

    def value(self, *vectors: Vector) -> Jet:
        """Return |W| - f(angle from B to W)."""
        W, B = vectors
        return length(W) - angle(seen_from(W, B)).follow(self.function)


@dataclass(frozen=True, eq=False)
class FaceOnProfile:
    """A flat face on a profile."""

    function: Function

    def value(self, *vectors: Vector) -> Jet:
        """Return D x W - f(angle from B to D)."""
        D, W, B = vectors
        return _cross(D, W) - angle(seen_from(D, B)).follow(self.function)


@dataclass(frozen=True, eq=False)
class OnCurve:
    """A pin on a curve.

    With an `own` curve, two more vectors are the pin and the frame at the mechanism's own dimensions: the distance is
    that from the piece, at varied dimensions, on which this pin is.
    """

    curve: PlaneCurve
    own: PlaneCurve | None = None

    def value(self, *vectors: Vector) -> Jet:
        """Return the signed distance of W, relative to B, from the curve."""
        W, B, *others = vectors
        if self.own is None:
            return self.curve.distance(seen_from(W, B))
        x, y = seen_from(*others)
        return self.curve.distance(seen_from(W, B), self.own.stretch(x.parts[0], y.parts[0]))


@dataclass(frozen=True, eq=False)
class Stepped:
    """A Geneva wheel; the two rotations (s, t) are the components of the only vector."""

    function: Function

    def value(self, *vectors: Vector) -> Jet:
        """Return t + f(s)."""
        ((s, t),) = vectors
        return t + s.follow(self.function)


@dataclass(frozen=True)
class DrivenAngle:
    """A driven angle between two links that both move."""

    def value(self, *vectors: Vector) -> Jet:
        """Return (A T) x B."""
        A, T, B = vectors
        return _cross((A[0] * T[0] - A[1] * T[1], A[0] * T[1] + A[1] * T[0]), B)


def derivative(relation: Relation, *parts: Any) -> Any:
    """Return the derivative along all directions of the parts, each the vectors (k, 2, ...) or a rate of theirs.

    One part gives the value, two the first derivative, four the mixed second, eight the mixed third.
    """
    vectors = (vector([part[k] for part in parts]) for k in range(len(parts[0])))
    return relation.value(*vectors).parts[-1]
