"""Vectors of the explicit scheme in three forms: read in the plane, read in space, or shared.

All forms answer to +, -, a factor, `dot` and `cross`, so that the scheme is written once.

- `PlaneVector`, for models whose axes are all parallel: lengths at angles, and a part along the axis. A product of
  lengths at two angles is the cosine of their difference, so that what a textbook writes comes out without any
  trigonometric simplification.
- `SpaceVector`: a column in each body's own axes. A product brings the columns of two bodies together by the joints
  between them only.
- `GroundVector`: three components in ground axes, each an intermediate quantity with a name of its own.

For each form, the frames of the bodies: how what is fixed in a body turns with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp

from structkin.numerical_tolerances import ROUNDING
from structkin.symbolic.explicit.geometry import Geometry, turn_about
from structkin.symbolic.explicit.parameters import Symbols, exact_vector, tidy
from structkin.symbolic.tree import Tree
from structkin.types import Floats

ZERO = sp.Integer(0)


def _merge(a: Mapping[Any, Any], b: Mapping[Any, Any], sign: int) -> dict[Any, Any]:
    total = dict(a)
    for key, value in b.items():
        total[key] = total[key] + sign * value if key in total else sign * value
    return total


@dataclass(frozen=True)
class PlaneVector:
    """Lengths at absolute angles in the plane, and a part along its normal."""

    parts: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    normal: sp.Expr = ZERO

    def __add__(self, other: PlaneVector) -> PlaneVector:
        """Return the sum."""
        return PlaneVector(_merge(self.parts, other.parts, 1), self.normal + other.normal)

    def __sub__(self, other: PlaneVector) -> PlaneVector:
        """Return the difference."""
        return PlaneVector(_merge(self.parts, other.parts, -1), self.normal - other.normal)

    def __mul__(self, factor: sp.Expr) -> PlaneVector:
        """Return a multiple."""
        return PlaneVector({angle: factor * size for angle, size in self.parts.items()}, factor * self.normal)

    def dot(self, other: PlaneVector) -> sp.Expr:
        """Return the scalar product: cosines of differences of angles."""
        total = self.normal * other.normal
        for angle, size in self.parts.items():
            for angle2, size2 in other.parts.items():
                total += size * size2 * sp.cos(angle2 - angle)
        return total

    def cross(self, other: PlaneVector) -> PlaneVector:
        """Return the vector product."""
        quarter = sp.pi / 2
        turned = {angle + quarter: self.normal * size for angle, size in other.parts.items() if self.normal != 0}
        back = {angle + quarter: other.normal * size for angle, size in self.parts.items() if other.normal != 0}
        normal = ZERO
        for angle, size in self.parts.items():
            for angle2, size2 in other.parts.items():
                normal += size * size2 * sp.sin(angle2 - angle)
        return PlaneVector(_merge(turned, back, -1), normal)

    def is_zero(self) -> bool:
        """Whether nothing is left of it."""
        return self.normal == 0 and all(size == 0 for size in self.parts.values())


@dataclass(frozen=True)
class SpaceVector:
    """A column in the axes of each body of a few; `between(a, b)` turns columns of body b into the axes of a."""

    between: Callable[[int, int], sp.Matrix]
    parts: Mapping[int, sp.Matrix] = field(default_factory=dict)

    def __add__(self, other: SpaceVector) -> SpaceVector:
        """Return the sum."""
        return SpaceVector(self.between, _merge(self.parts, other.parts, 1))

    def __sub__(self, other: SpaceVector) -> SpaceVector:
        """Return the difference."""
        return SpaceVector(self.between, _merge(self.parts, other.parts, -1))

    def __mul__(self, factor: sp.Expr) -> SpaceVector:
        """Return a multiple."""
        return SpaceVector(self.between, {body: column * factor for body, column in self.parts.items()})

    def dot(self, other: SpaceVector) -> sp.Expr:
        """Return the scalar product, body by body."""
        total = ZERO
        for a, left in self.parts.items():
            for b, right in other.parts.items():
                total += (left.T * self.between(a, b) * right)[0]
        return total

    def cross(self, other: SpaceVector) -> SpaceVector:
        """Return the vector product, each in the axes of the body further out."""
        total = SpaceVector(self.between)
        for a, left in self.parts.items():
            for b, right in other.parts.items():
                at = max(a, b)
                column = (self.between(at, a) * left).cross(self.between(at, b) * right)
                total += SpaceVector(self.between, {at: column})
        return total

    def seen_from(self, body: int) -> SpaceVector:
        """Return the same vector as one column in the axes of a body."""
        column = sp.zeros(3, 1)
        for a, part in self.parts.items():
            column += self.between(body, a) * part
        return SpaceVector(self.between, {body: column.applyfunc(sp.expand)})

    def is_zero(self) -> bool:
        """Whether nothing is left of it."""
        return all(column.is_zero_matrix for column in self.parts.values())


@dataclass(frozen=True)
class GroundVector:
    """Three components in ground axes."""

    x: sp.Expr = ZERO
    y: sp.Expr = ZERO
    z: sp.Expr = ZERO

    def __add__(self, other: GroundVector) -> GroundVector:
        """Return the sum."""
        return GroundVector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: GroundVector) -> GroundVector:
        """Return the difference."""
        return GroundVector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor: sp.Expr) -> GroundVector:
        """Return a multiple."""
        return GroundVector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: GroundVector) -> sp.Expr:
        """Return the scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: GroundVector) -> GroundVector:
        """Return the vector product."""
        return GroundVector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def is_zero(self) -> bool:
        """Whether nothing is left of it."""
        return all(part == 0 for part in (self.x, self.y, self.z))


PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass
class Steps:
    """Intermediate quantities in the order in which they are computed, each with the body that it belongs to."""

    symbols: Symbols
    done: list[tuple[sp.Symbol, sp.Expr, str]] = field(default_factory=list)

    def define(self, name: str, value: sp.Expr, body: str) -> sp.Expr:
        """Return a symbol for a value; the value itself if it is a number, a symbol already, or minus one."""
        value = sp.sympify(value)
        if value.is_number or value.is_Atom or (-value).is_Atom:
            return value
        symbol = self.symbols.new(name)
        self.done.append((symbol, value, body))
        return symbol


class Form:
    """Frames of a tree's bodies, and vectors and tensors fixed in them; entry -1 is the ground."""

    #: whether quantities have names, so that sums over bodies are built from the tips inwards
    shares = False

    def __init__(self, tree: Tree, geometry: Geometry, steps: Steps) -> None:
        """Begin at the ground."""
        self.tree, self.geometry, self.steps = tree, geometry, steps
        self.owners = {-1: "ground", **{n: body.name for n, body in enumerate(tree.bodies)}}
        # The angle by which an entry has turned from its base about one axis: turns about parallel axes add up.
        self.base: dict[int, int] = {}
        self.axis: dict[int, Floats] = {}
        self.angle: dict[int, sp.Expr] = {-1: sp.Integer(0)}

    @property
    def none(self) -> Any:
        """The zero vector."""
        return self.unit(-1, np.zeros(3))

    def turn(self, entry: int, q: sp.Expr) -> None:
        """Set the frame of an entry, turned by q about its axis from its parent's."""
        body = self.tree.bodies[entry]
        parent, axis = body.parent, body.rotation
        before = self.axis.get(parent)
        if not axis.any():
            self.base[entry], self.angle[entry] = self.base.get(parent, parent), self.angle[parent]
            self.axis[entry] = np.zeros(3) if before is None else before
        elif before is None or not before.any():
            self.base[entry], self.axis[entry], self.angle[entry] = self.base.get(parent, parent), axis, q
        elif np.linalg.norm(np.cross(axis, before)) < ROUNDING:
            sign = 1 if axis @ before > 0 else -1
            self.base[entry], self.axis[entry] = self.base[parent], before
            self.angle[entry] = self.angle[parent] + sign * q
        else:
            self.base[entry], self.axis[entry], self.angle[entry] = parent, axis, q

    def fixed(self, entry: int, label: str, value: Floats, meaning: str) -> Any:
        """Return a vector (3,) [m] fixed in a body, in symbols."""
        return self.placed(entry, self.geometry.column(self.owners[entry], label, value, meaning))

    def unit(self, entry: int, value: Floats) -> Any:
        """Return a vector (3,) of plain numbers fixed in a body."""
        return self.placed(entry, exact_vector(value))

    def placed(self, entry: int, column: sp.Matrix) -> Any:
        """Return a vector fixed in a body from its column in the body's axes."""
        raise NotImplementedError

    def inertia(self, entry: int, vector: Any) -> Any:
        """Return the inertia tensor of a body times a vector."""
        raise NotImplementedError

    def seen_from(self, entry: int, vector: Any) -> Any:
        """Return a vector in the axes of an entry if the form has such."""
        return vector

    def name(self, label: str, vector: Any, body: str) -> Any:
        """Return a vector whose components have names of their own if the form shares quantities."""
        return vector

    def tensor(self, entry: int) -> sp.Matrix:
        """Return the inertia tensor (3, 3) of a body about its centre in its own axes, in symbols."""
        body, plane = self.tree.bodies[entry], self.geometry.plane
        if plane is not None:
            n, value = exact_vector(plane.n), float(plane.n @ body.inertia @ plane.n)
            what = f"moment of inertia of {body.name}"
            return n * n.T * self.geometry.moment(body.name, f"I_{body.name}", value, what)
        largest = np.abs(body.inertia).max()
        tensor = sp.zeros(3, 3)
        for i, j in PAIRS:
            value = float(body.inertia[i, j])
            if abs(value) > ROUNDING * largest:
                axes = "xyz"[i] + "xyz"[j]
                symbol = self.geometry.moment(
                    body.name, f"I_{body.name}_{axes}", value, f"inertia {axes} of {body.name}"
                )
                tensor[i, j] = tensor[j, i] = symbol
        return tensor


class PlaneForm(Form):
    """Bodies in a plane: each has turned by one angle."""

    def turn(self, entry: int, q: sp.Expr) -> None:
        """Add the angle to the parent's, about the normal of the plane."""
        plane = self.geometry.plane
        assert plane is not None
        body = self.tree.bodies[entry]
        self.angle[entry] = self.angle[body.parent] + round(float(body.rotation @ plane.n)) * q

    def fixed(self, entry: int, label: str, value: Floats, meaning: str) -> PlaneVector:
        """Return a length at an angle."""
        size, angle, height = self.geometry.polar(self.owners[entry], label, value, meaning)
        return PlaneVector({self.angle[entry] + angle: size} if size != 0 else {}, height)

    def unit(self, entry: int, value: Floats) -> PlaneVector:
        """Return a vector of plain numbers."""
        plane = self.geometry.plane
        assert plane is not None
        x, y, n = exact_vector((value @ plane.e1, value @ plane.e2, value @ plane.n))
        parts = {self.angle[entry]: x, self.angle[entry] + sp.pi / 2: y}
        return PlaneVector({angle: size for angle, size in parts.items() if size != 0}, n)

    def inertia(self, entry: int, vector: PlaneVector) -> PlaneVector:
        """Return the moment of inertia times the part along the normal."""
        return PlaneVector({}, self.tensor(entry).trace() * vector.normal)


class SpaceForm(Form):
    """Bodies in space: columns in body axes."""

    def __init__(self, tree: Tree, geometry: Geometry, steps: Steps) -> None:
        """Begin at the ground."""
        super().__init__(tree, geometry, steps)
        self._known: dict[tuple[int, int], sp.Matrix] = {}

    def placed(self, entry: int, column: sp.Matrix) -> SpaceVector:
        """Return a vector fixed in a body."""
        return SpaceVector(self.between, {entry: column} if not column.is_zero_matrix else {})

    def inertia(self, entry: int, vector: SpaceVector) -> SpaceVector:
        """Return the tensor times a vector, in the axes of the body."""
        (column,) = vector.seen_from(entry).parts.values()
        return SpaceVector(self.between, {entry: self.tensor(entry) * column})

    def seen_from(self, entry: int, vector: SpaceVector) -> SpaceVector:
        """Return the vector as one column in the axes of an entry."""
        seen = vector.seen_from(entry)
        return SpaceVector(self.between, {entry: seen.parts[entry].applyfunc(tidy)})

    def between(self, a: int, b: int) -> sp.Matrix:
        """Return the matrix (3, 3) that turns a column in the axes of body b into the axes of a."""
        if (a, b) not in self._known:
            up, down = self._path(a), self._path(b)
            shared = set(up) & set(down)
            there = [n for n in reversed(up) if n not in shared]
            back = [n for n in reversed(down) if n not in shared]
            self._known[a, b] = self._along(there).T * self._along(back)
        return self._known[a, b]

    def _path(self, entry: int) -> list[int]:
        path = []
        while entry >= 0:
            path.append(entry)
            entry = self.tree.bodies[entry].parent
        return path

    def _along(self, entries: list[int]) -> sp.Matrix:
        """Return the rotation along entries outwards: turns about parallel axes in a row are one."""
        turns: list[tuple[Floats, sp.Expr]] = []
        for n in entries:
            axis, q = self.tree.bodies[n].rotation, self.angle[n]
            if not axis.any():
                continue
            if turns and np.linalg.norm(np.cross(axis, turns[-1][0])) < ROUNDING:
                before, angle = turns[-1]
                turns[-1] = (before, angle + (q if axis @ before > 0 else -q))
            else:
                turns.append((axis, q))
        matrix = sp.eye(3)
        for axis, angle in turns:
            matrix = matrix * turn_about(exact_vector(axis), sp.cos(angle), sp.sin(angle))
        return matrix

    def turn(self, entry: int, q: sp.Expr) -> None:
        """Remember the angle of the entry."""
        self.angle[entry] = q


class GroundForm(Form):
    """Any tree: components in ground axes, each step with a name, nothing expanded."""

    shares = True

    def __init__(self, tree: Tree, geometry: Geometry, steps: Steps) -> None:
        """Begin at the ground."""
        super().__init__(tree, geometry, steps)
        self.matrix: dict[int, sp.Matrix] = {-1: sp.eye(3)}
        self._tensors: dict[int, sp.Matrix] = {}

    def turn(self, entry: int, q: sp.Expr) -> None:
        """Set the rotation matrix of the entry: of its base, turned by the sum of the angles since."""
        super().turn(entry, q)
        body = self.tree.bodies[entry]
        if not body.rotation.any():
            self.matrix[entry] = self.matrix[body.parent]
            return
        label = body.name
        angle = self.steps.define(f"theta_{label}", self.angle[entry], label)
        self.angle[entry] = angle
        cosine = self.steps.define(f"c_{label}", sp.cos(angle), label)
        sine = self.steps.define(f"s_{label}", sp.sin(angle), label)
        matrix = self.matrix[self.base[entry]] * turn_about(exact_vector(self.axis[entry]), cosine, sine)
        self.matrix[entry] = sp.Matrix(
            3, 3, lambda i, j: self.steps.define(f"R_{label}_{i + 1}{j + 1}", matrix[i, j], label)
        )

    def placed(self, entry: int, column: sp.Matrix) -> GroundVector:
        """Return a vector fixed in a body."""
        return GroundVector(*(self.matrix[entry] * column))

    def inertia(self, entry: int, vector: GroundVector) -> GroundVector:
        """Return the tensor in ground axes times a vector."""
        name = self.tree.bodies[entry].name
        if entry not in self._tensors:
            turned = self.matrix[entry] * self.tensor(entry) * self.matrix[entry].T
            tensor = sp.zeros(3, 3)
            for i, j in PAIRS:
                axes = "xyz"[i] + "xyz"[j]
                tensor[i, j] = tensor[j, i] = self.steps.define(f"J_{name}_{axes}", turned[i, j], name)
            self._tensors[entry] = tensor
        return GroundVector(*(self._tensors[entry] * sp.Matrix([vector.x, vector.y, vector.z])))

    def name(self, label: str, vector: GroundVector, body: str) -> GroundVector:
        """Return a vector of named components."""
        parts = zip("xyz", (vector.x, vector.y, vector.z), strict=True)
        return GroundVector(*(self.steps.define(f"{label}_{axis}", part, body) for axis, part in parts))
