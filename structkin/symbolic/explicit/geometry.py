"""Lengths and angles of the bodies as symbols: equal ones of one body share a symbol."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from structkin.numerical_tolerances import ROUNDING
from structkin.symbolic.explicit.parameters import Symbols, exact_vector
from structkin.symbolic.tree import Tree
from structkin.types import Floats


@dataclass(frozen=True)
class Plane:
    """The plane of a model whose axes are all parallel: its unit normal n and axes e1, e2 with e1 x e2 = n, (3,)."""

    n: Floats
    e1: Floats
    e2: Floats


def plane_of(tree: Tree) -> Plane | None:
    """Return the plane in which all bodies move, None for a model in space.

    All axes of rotation have to be parallel to its normal, all translations at right angles to it. The axis of gravity
    or of a load does not count: what is parallel to the normal does no work.
    """
    turns = [b.rotation for b in tree.bodies if b.rotation.any()]
    if not turns:
        return None
    n = turns[0] if turns[0][np.argmax(np.abs(turns[0]))] > 0 else -turns[0]
    if any(np.linalg.norm(np.cross(n, a)) > ROUNDING for a in turns):
        return None
    if any(
        abs(b.translation @ n) > ROUNDING * np.linalg.norm(b.translation) for b in tree.bodies if b.translation.any()
    ):
        return None
    # x, y for an axis z, and in turn; any axis at right angles to an oblique one
    e1 = np.roll(n, 1) if np.count_nonzero(n) == 1 else np.cross(np.roll(n, 1), n)
    e1 = e1 / np.linalg.norm(e1)
    return Plane(n, e1, np.cross(n, e1))


@dataclass
class Geometry:
    """Gives the vectors fixed in bodies as expressions of symbols, each body's own.

    Lengths that are rounding beside the `size` of the model [m] count as 0.
    """

    symbols: Symbols
    plane: Plane | None
    size: float
    _lengths: dict[tuple[str, int], list[tuple[float, sp.Expr]]] = field(default_factory=dict)

    def polar(self, owner: str, label: str, value: Floats, meaning: str) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
        """Return length, angle and height of a vector in the plane of the model."""
        plane = self.plane
        assert plane is not None
        x, y, z = map(float, self._clean(np.array([plane.e1, plane.e2, plane.n]) @ value))
        height = self._known(owner, 2, f"{label}_z", z, "m", f"{meaning}, height over the plane")
        length, angle = math.hypot(x, y), math.atan2(y, x)
        if length == 0:
            return sp.Integer(0), sp.Integer(0), height
        quarters = round(angle / (math.pi / 2))
        size = self._known(owner, 0, label, length, "m", meaning)
        if abs(angle - quarters * math.pi / 2) < ROUNDING:
            return size, quarters * sp.pi / 2, height
        for known, symbol in self._lengths.get((owner, 1), []):
            if abs(math.remainder(known - angle, 2 * math.pi)) < ROUNDING:
                return size, symbol, height
            if abs(abs(math.remainder(known - angle, 2 * math.pi)) - math.pi) < ROUNDING:
                return -size, symbol, height
        name = f"phi_{label[2:]}" if self._lengths.get((owner, 1)) else f"phi_{owner}"
        return size, self._known(owner, 1, name, angle, "rad", f"{meaning}, angle in the drawn pose"), height

    def column(self, owner: str, label: str, value: Floats, meaning: str) -> sp.Matrix:
        """Return a vector as a column in ground axes of the drawn pose."""
        if self.plane is not None:
            size, angle, height = self.polar(owner, label, value, meaning)
            e1, e2, n = (exact_vector(e) for e in (self.plane.e1, self.plane.e2, self.plane.n))
            return e1 * (size * sp.cos(angle)) + e2 * (size * sp.sin(angle)) + n * height
        value = self._clean(value)
        single = np.count_nonzero(value) == 1
        return sp.Matrix(
            [
                self._known(owner, 0, label if single else f"{label}_{axis}", float(part), "m", meaning)
                for axis, part in zip("xyz", value, strict=True)
            ]
        )

    def moment(self, owner: str, name: str, value: float, meaning: str, unit: str = "kg m^2") -> sp.Expr:
        """Return the symbol of a moment or product of inertia, or a pitch; equal ones of one body are one symbol."""
        return self._known(owner, 3, name, value, unit, meaning)

    def _known(self, owner: str, kind: int, name: str, value: float, unit: str, meaning: str) -> sp.Expr:
        """Return the symbol of a quantity of a body, the one it has if an equal one was met before."""
        if value == 0:
            return sp.Integer(0)
        known = self._lengths.setdefault((owner, kind), [])
        for other, symbol in known:
            if kind != 1 and abs(abs(other) - abs(value)) <= ROUNDING * abs(value):
                return symbol if other * value > 0 else -symbol
        if kind == 1:
            symbol = self.symbols.constant(name, value, unit, meaning)
            known.append((value, symbol))
        else:
            symbol = self.symbols.constant(name, abs(value), unit, meaning, positive=True)
            known.append((abs(value), symbol))
            symbol = symbol if value > 0 else -symbol
        return symbol

    def _clean(self, value: Floats) -> Floats:
        """Return a vector [m] without parts that are rounding."""
        cleaned: Floats = np.where(np.abs(value) > ROUNDING * self.size, value, 0.0)
        return cleaned


def size_of(tree: Tree) -> float:
    """Return the extent [m] of the joints and centres of mass of a tree."""
    places = np.array(
        [place for n, b in enumerate(tree.bodies) for place in (tree.joints[n], tree.joints[n] + b.center)]
    )
    return float(np.ptp(places, axis=0).max())


def turn_about(axis: sp.Matrix, cosine: sp.Expr, sine: sp.Expr) -> sp.Matrix:
    """Return the matrix (3, 3) of a rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    tilde = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    outer = axis * axis.T
    return outer + (sp.eye(3) - outer) * cosine + tilde * sine
