"""Mass, centre of mass, inertia and outline of a body, from numbers or a uniform shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from structkin.model.flaw import Flaw, describe
from structkin.model.links import IN_LINE
from structkin.multibody.draft import SpatialDraft
from structkin.multibody.entries import BodyEntry
from structkin.multibody.fields import any_square_to, items_of
from structkin.multibody.model import Body
from structkin.numerical_tolerances import ROUNDED_DATA
from structkin.types import Floats


class Solid(NamedTuple):
    """A uniform shape: volume (or length), centre, inertia per mass, outline as polylines."""

    volume: float
    center: Floats
    gyration: Floats
    outline: tuple[Floats, ...]


def make_body(draft: SpatialDraft, key: str, name: str, entry: BodyEntry) -> Body | None:
    """Return the body, or None after an error."""
    found = len(draft.problems)
    for point in entry.points:
        draft.spot(f"{key}.points", point)
    points = {point: draft.points[point] for point in entry.points if point in draft.points}
    body = None
    if not draft.faulty(f"{key}.shape"):
        body = draft.attempt(key, (_shaped if entry.shape else _numbers), draft, key, name, entry)
    extra = _point_masses(draft, key, entry)
    if body is None or len(draft.problems) > found:
        return None
    mass, center, inertia = _together([(body.mass, body.center, body.inertia), *extra])
    return Body(name, mass, center, inertia, points, body.outline)


def _numbers(draft: SpatialDraft, key: str, name: str, entry: BodyEntry) -> Body | None:
    for what in ("between", "radius", "size", "density"):
        if getattr(entry, what) is not None:
            draft.fault(key, f"has '{what}', but no shape", 'add shape = "rod", "cylinder", "box" or "sphere"')
    if entry.mass is None and entry.point_masses is not None and (entry.center, entry.inertia) == (None, None):
        return Body(name, 0.0, np.zeros(3), np.zeros((3, 3)))
    needed = ("mass", "center", "inertia")
    missing = [what for what in needed if getattr(entry, what) is None and not draft.faulty(f"{key}.{what}")]
    if missing:
        hint = "give mass, center and inertia, or a shape with a mass"
        draft.fault(key, f"has no {' and no '.join(missing)}", hint)
    center = None if entry.center is None else draft.spot(f"{key}.center", entry.center)
    inertia = None if entry.inertia is None else draft.attempt(f"{key}.inertia", _inertia, entry.inertia, draft)
    if center is None or inertia is None or entry.mass is None:
        return None
    axes = np.eye(3) if entry.axes is None else entry.axes
    return Body(name, entry.mass, center, axes @ inertia @ axes.T)


def _inertia(value: Any, draft: SpatialDraft) -> Floats:
    """Return the tensor (3, 3) from three principal moments or six elements; raise `Flaw` if no body can have it."""
    items = items_of(value, (3, 6), "three principal moments, or the six elements [xx, yy, zz, xy, xz, yz]")
    xx, yy, zz, xy, xz, yz = [draft.units.quantity(item, "inertia") for item in [*items, 0, 0, 0][:6]]
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    low, middle, high = np.linalg.eigvalsh(tensor)
    if low < -ROUNDED_DATA * abs(high):
        raise Flaw(f"has the negative principal moment {low:.4g} kg m^2", "the tensor of a body is never negative")
    if low + middle < high * (1 - ROUNDED_DATA):
        found = f"{low:.4g} + {middle:.4g} < {high:.4g}"
        raise Flaw(f"no body has these principal moments: {found}", "each is at most the sum of the other two")
    return tensor


def _shaped(draft: SpatialDraft, key: str, name: str, entry: BodyEntry) -> Body | None:
    assert entry.shape is not None
    if entry.inertia is not None:
        words = f"has a shape and an inertia: a uniform {entry.shape} determines it"
        draft.fault(key, words, "delete one of them")
    if (entry.mass is None) == (entry.density is None) and not draft.faulty(f"{key}.mass"):
        found = "neither a mass nor a density" if entry.mass is None else "both a mass and a density"
        draft.fault(key, f"the {entry.shape} has {found}", "give one of them")
    solid = None
    if not draft.has_fault(key):
        solid = (_long if entry.shape in ("rod", "cylinder") else _compact)(draft, key, entry)
    if solid is None:
        return None
    mass = entry.mass
    if mass is None and entry.density is not None:
        kind = "mass per length" if entry.shape == "rod" else "density"
        density = draft.quantity(f"{key}.density", entry.density, kind, "positive")
        if density is None:
            return None
        mass = density * solid.volume
    if mass is None:
        return None
    return Body(name, mass, solid.center, mass * solid.gyration, {}, solid.outline)


def _long(draft: SpatialDraft, key: str, entry: BodyEntry) -> Solid | None:
    """Return a rod or a cylinder between two points."""
    _refuse(draft, key, entry, ("center", "axes", "size", *(("radius",) if entry.shape == "rod" else ())))
    between = entry.between or _outermost(draft, entry.points)
    if between is None:
        raise Flaw(f"does not say where the {entry.shape} begins and ends", 'add between = ["A", "B"]')
    if entry.shape == "cylinder" and entry.radius is None:
        raise Flaw("the cylinder has no radius", "add one")
    first, second = (draft.spot(f"{key}.between", spot) for spot in between)
    if first is None or second is None:
        return None
    length = float(np.linalg.norm(second - first))
    if length == 0:
        raise Flaw(f"the {entry.shape} begins and ends at the same place", "name two points that are apart")
    axis, radius = (second - first) / length, entry.radius or 0.0
    across = length**2 / 12 + radius**2 / 4
    gyration = across * np.eye(3) + (radius**2 / 2 - across) * np.outer(axis, axis)
    volume = length * (np.pi * radius**2 if radius else 1.0)
    b = any_square_to(axis)
    c = np.cross(axis, b)
    sides = [np.array([first + radius * n, second + radius * n]) for n in ((b, c, -b, -c) if radius else (b,))]
    rings = [_circle(end, radius * b, radius * c) for end in (first, second)] if radius else []
    return Solid(volume, (first + second) / 2, gyration, (*sides, *rings))


def _outermost(draft: SpatialDraft, points: Sequence[str]) -> tuple[str, str] | None:
    """Return the ends of a body along its first two points: the outermost of those in line with them."""
    if len(points) < 2:
        return None
    first, second = points[:2]
    if not all(point in draft.points for point in points):
        return first, second
    vectors = {point: draft.points[point] - draft.points[first] for point in points}
    axis = vectors[second] / (np.linalg.norm(vectors[second]) or 1.0)
    size = max(np.linalg.norm(vector) for vector in vectors.values())
    along = {p: axis @ v for p, v in vectors.items() if np.linalg.norm(np.cross(axis, v)) <= IN_LINE * size}
    return min(along, key=along.__getitem__), max(along, key=along.__getitem__)


def _compact(draft: SpatialDraft, key: str, entry: BodyEntry) -> Solid | None:
    """Return a box or a sphere about its centre."""
    box = entry.shape == "box"
    _refuse(draft, key, entry, ("between", "radius") if box else ("between", "size", "axes"))
    if entry.center is None:
        raise Flaw(f"the {entry.shape} has no center", "add center = [x, y, z], or the name of a point")
    if box and entry.size is None:
        raise Flaw("the box has no size", "add size = [a, b, c]")
    if not box and entry.radius is None:
        raise Flaw("the sphere has no radius", "add one")
    center = draft.spot(f"{key}.center", entry.center)
    if center is None:
        return None
    axes = np.eye(3) if entry.axes is None else entry.axes
    if entry.size is not None:
        square = np.square(entry.size)
        gyration = axes @ np.diag((square.sum() - square) / 12) @ axes.T
        return Solid(float(np.prod(entry.size)), center, gyration, _box(center, axes * (np.array(entry.size) / 2)))
    radius = entry.radius or 0.0
    a, b, c = radius * np.eye(3)
    rings = tuple(_circle(center, u, v) for u, v in ((a, b), (b, c), (c, a)))
    return Solid(4 / 3 * np.pi * radius**3, center, 0.4 * radius**2 * np.eye(3), rings)


def _refuse(draft: SpatialDraft, key: str, entry: BodyEntry, keys: tuple[str, ...]) -> None:
    for what in keys:
        if getattr(entry, what) is not None:
            draft.fault(key, f"a {entry.shape} has no '{what}'", "delete it, or choose another shape")


def _circle(center: Floats, a: Floats, b: Floats) -> Floats:
    turn = np.linspace(0, 2 * np.pi, 25)[:, None]
    return np.asarray(center + np.cos(turn) * a + np.sin(turn) * b)


def _box(center: Floats, half: Floats) -> tuple[Floats, ...]:
    """Return two faces and the four edges between them; the columns of `half` (3, 3) are half the edges."""
    face = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1], [1, 1]])
    low, high = (center + np.column_stack([face, np.full(5, side)]) @ half.T for side in (-1.0, 1.0))
    return low, high, *(np.array([low[i], high[i]]) for i in range(4))


def _point_masses(draft: SpatialDraft, key: str, entry: BodyEntry) -> list[tuple[float, Floats, Floats]]:
    if entry.point_masses is None:
        return []
    key = f"{key}.point_masses"
    if not isinstance(entry.point_masses, Mapping) or not entry.point_masses:
        found = describe(entry.point_masses) if entry.point_masses else "an empty table"
        draft.fault(key, f"expected a table of points, found {found}", "such as { P = 0.5 }")
        return []
    masses = []
    for point, value in entry.point_masses.items():
        mass = draft.quantity(f"{key}.{point}", value, "mass", "positive")
        place = draft.spot(key, str(point))
        if mass is not None and place is not None:
            masses.append((mass, place, np.zeros((3, 3))))
    return masses


def _together(parts: list[tuple[float, Floats, Floats]]) -> tuple[float, Floats, Floats]:
    """Combine masses, centres and inertias about them by the parallel axis theorem."""
    if len(parts) == 1:
        return parts[0]
    mass = sum(m for m, _, _ in parts)
    center = sum(m * c for m, c, _ in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, tensor in parts:
        arm = c - center
        inertia += tensor + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, np.asarray(center), inertia
