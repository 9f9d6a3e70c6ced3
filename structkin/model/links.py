"""Second pass: the points of each link, and its exact geometry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from structkin.model.draft import Draft
from structkin.model.flaw import Flaw, describe
from structkin.model.geometry import frame, place
from structkin.model.mechanism import GROUND
from structkin.model.parts import Link
from structkin.model.schema import LinkEntry
from structkin.model.topology import suggest
from structkin.numerical_tolerances import ROUNDING

#: Points this near to the line of a rod are on it, relative to its length.
IN_LINE = 1e-3


def make_links(draft: Draft) -> None:
    """Fill `holders` and `links`."""
    _check_ground(draft)
    sound = [name for name in draft.link_entries if _check_points(draft, name)]
    _check_lengths(draft)
    given: dict[str, list[frozenset[str]]] = {}
    for pair in draft.lengths:
        for name in _common(draft, tuple(pair)):
            given.setdefault(name, []).append(pair)
    for name in sound:
        link = draft.attempt(f"links.{name}", _link, draft, name, given.get(name, []))
        if link is not None:
            draft.links[name] = link


def _holes(draft: Draft, name: str) -> dict[str, str]:
    """Return the holes of a link that are bored beside their points: by point, the point of the sketch that says where.

    The frame of the link, its lengths and masses are those of its points.
    """
    given, key = draft.link_entries[name].holes, f"links.{name}.holes"
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        draft.fault(key, f"expected a table of points, found {describe(given)}", 'such as { B = "B1" }')
        return {}
    found = {}
    for point, hole in given.items():
        if point not in draft.link_entries[name].points:
            hint = suggest(str(point), draft.link_entries[name].points)
            draft.fault(f"{key}.{point}", "is not a point of the link", hint)
        elif not isinstance(hole, str):
            draft.fault(f"{key}.{point}", f"expected the name of a point, found {describe(hole)}", 'such as "B1"')
        elif draft.has_point(f"{key}.{point}", hole):
            found[str(point)] = hole
    draft.bored.update(found.values())
    return found


def bore(draft: Draft) -> None:
    """Move the pins of links into their holes: guides, slots, wheels and cams, which are made before, stay."""
    for name, holes in draft.holes.items():
        if name in draft.links:
            link = draft.links[name]
            moved = {point: draft.pin_on(link, point) for point in holes}
            draft.links[name] = replace(link, local=MappingProxyType({**link.local, **moved}))


def _check_ground(draft: Draft) -> None:
    if "links" in draft.unread:
        return
    if draft.whole("links") and not [name for name in draft.link_entries if name != GROUND]:
        draft.fault("links", "there is no moving link", 'such as crank = ["A", "B"]')
    if GROUND not in draft.link_entries and not draft.excused("links", GROUND):
        same = [name for name in draft.link_entries if name.casefold() == GROUND]
        what = 'it is the fixed link, with the points that do not move: ground = ["A", "D"]'
        hint = f"write '{same[0]}' in lower case" if same else what
        draft.fault("links", "there is no link 'ground'", hint)
        draft.unread.add(f"links.{GROUND}")  # its missing pins are not reported as well


def _check_points(draft: Draft, name: str) -> bool:
    key = f"links.{name}"
    points = draft.link_entries[name].points
    sound = True
    if not points and name != GROUND:
        draft.fault(key, "the link has no points", "a moving link needs at least one")
        sound = False
    seen: set[str] = set()
    for point in points:
        if point in seen:
            draft.fault(key, f"names the point '{point}' twice", "delete one")
            sound = False
            continue
        seen.add(point)
        sound = draft.has_point(key, point) and sound
        draft.holders.setdefault(point, []).append(name)
    return sound


def _common(draft: Draft, points: Sequence[str]) -> list[str]:
    first, *others = points
    return [
        name for name in draft.holders.get(first, ()) if all(name in draft.holders.get(other, ()) for other in others)
    ]


def _check_lengths(draft: Draft) -> None:
    if not draft.whole("links"):
        return
    for pair in draft.lengths:
        if not _common(draft, tuple(pair)):
            a, b = sorted(pair, key=list(draft.points).index)
            links = ", ".join(f"'{end}' is on {' and '.join(draft.holders.get(end, ['no link']))}" for end in (a, b))
            draft.fault(f"lengths.{a}-{b}", "no link has both points, so their distance is not constant", links)


def _link(draft: Draft, name: str, given: Sequence[frozenset[str]]) -> Link:
    entry = draft.link_entries[name]
    # The axes of the ground are those of the sketch, wherever its points are.
    places = [draft.points[point] for point in entry.points]
    origin, direction = (0j, 1 + 0j) if name == GROUND else frame(places)
    local = {point: direction.conjugate() * (draft.points[point] - origin) for point in entry.points}
    if name != GROUND and len(entry.points) > 1:
        # exactly on the x axis, which it defines
        local[entry.points[1]] = abs(draft.points[entry.points[1]] - origin) + 0j
    if given:
        local = place(entry.points, local, {pair: draft.lengths[pair] for pair in given}, draft.show_length)
    center = None if entry.center is None else direction.conjugate() * (entry.center - origin)
    inertial = mass_properties(draft, name, local, center) or MassProperties()
    for point, hole in _holes(draft, name).items():
        offset = direction.conjugate() * (draft.points[hole] - draft.points[point])
        draft.holes.setdefault(name, {})[point] = offset
    return Link(
        name=name,
        points=entry.points,
        local=MappingProxyType(local),
        origin=origin,
        direction=direction,
        mass=inertial.mass,
        center=inertial.center,
        inertia=inertial.inertia,
    )


# --- mass, centre of mass and inertia of a link -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass [kg], centre of mass in the link's frame [m], moment of inertia about it [kg m^2]; None if not given."""

    mass: float | None = None
    center: complex | None = None
    inertia: float | None = None


def mass_properties(
    draft: Draft, name: str, local: Mapping[str, complex], center: complex | None
) -> MassProperties | None:
    """Return the mass properties of a link with these points in its frame; None if there are errors.

    `center` is the given centre of mass in the link's frame.
    """
    entry, key = draft.link_entries[name], f"links.{name}"
    found = len(draft.problems)
    if name == GROUND and (entry.shape, entry.density, entry.point_masses) != (None, None, None):
        draft.fault(key, "the ground does not move, so it has no mass properties", "delete them")
    own = draft.attempt(key, _own, draft, key, entry, local, center)
    points = _point_masses(draft, key, entry, local)
    if own is None or len(draft.problems) > found:
        return None
    return draft.attempt(key, _together, own, points) if points else own


def _own(
    draft: Draft, key: str, entry: LinkEntry, local: Mapping[str, complex], center: complex | None
) -> MassProperties:
    if entry.shape is None:
        if entry.density is not None:
            raise Flaw("has a density, but no shape", 'add shape = "rod" or shape = "plate"')
        if center is None and entry.mass is not None and len(local) == 1:
            center = next(iter(local.values()))
        return MassProperties(entry.mass, center, entry.inertia)
    given = [what for what in ("center", "inertia") if getattr(entry, what) is not None]
    if given:
        raise Flaw(f"has a shape and {' and '.join(given)}", f"a uniform {entry.shape} determines them: delete one")
    if any(problem.key in (f"{key}.mass", f"{key}.density") for problem in draft.problems):
        return MassProperties()
    if (entry.mass is None) == (entry.density is None):
        found = "neither a mass nor a density" if entry.mass is None else "both a mass and a density"
        raise Flaw(f"the {entry.shape} has {found}", "give one of them")
    places = [local[point] for point in entry.points]
    size, center, gyration = _rod(places) if entry.shape == "rod" else _plate(places)
    if entry.shape == "rod" and (beside := [p for p in entry.points if not _on_rod(places, local[p])]):
        first, second = entry.points[:2]
        be = "is" if len(beside) == 1 else "are"
        draft.remarks.append(f"{key}: the rod runs through {first} and {second}; {', '.join(beside)} {be} not on it")
    mass = entry.mass
    if mass is None:
        kind = "mass per length" if entry.shape == "rod" else "mass per area"
        density = draft.quantity(f"{key}.density", entry.density, kind, "not negative")
        mass = (density or 0.0) * size
    return MassProperties(mass, center, mass * gyration)


def _rod(places: Sequence[complex]) -> tuple[float, complex, float]:
    """Return length, centre and squared radius of gyration of a rod through all points in line with the first two.

    >>> _rod([0j, 2 + 0j, 5 + 0j, 1 + 1j])
    (5.0, (2.5+0j), 2.0833333333333335)
    """
    if len(places) < 2:
        raise Flaw("a rod needs two points", "it runs through the link's first two points")
    # The first two points are on the x axis of the link's frame.
    on = [place.real for place in places if _on_rod(places, place)]
    length = max(on) - min(on)
    return length, 0.5 * (min(on) + max(on)) + 0j, length**2 / 12


def _on_rod(places: Sequence[complex], place: complex) -> bool:
    """Return whether a place of the link's frame is in line with the first two points, as far as sketches are exact."""
    return abs(place.imag) <= IN_LINE * max(map(abs, places))


def _plate(places: Sequence[complex]) -> tuple[float, complex, float]:
    """Return area, centre and squared radius of gyration of a polygon.

    >>> area, center, gyration = _plate([0j, 2 + 0j, 2 + 3j, 3j])
    >>> area, center, round(gyration, 12)
    (6.0, (1+1.5j), 1.083333333333)
    """
    if len(places) < 3:
        raise Flaw("a plate needs at least three points", "list its corners in order around it")
    edges = list(pairwise([*places, places[0]]))
    if any(_cross_each_other(edges[i], edges[j]) for j in range(len(edges)) for i in range(j - 1)):
        raise Flaw("the edges of the plate cross each other", "list its corners in order around it")
    start = places[0]
    area, first, second = 0.0, 0j, 0.0
    for p, q in edges:
        a, b = p - start, q - start
        twice = (a.conjugate() * b).imag
        area += twice / 2
        first += twice * (a + b) / 6
        second += twice * (abs(a) ** 2 + (a.conjugate() * b).real + abs(b) ** 2) / 12
    if abs(area) <= ROUNDING * max(abs(q - p) for p, q in edges) ** 2:
        raise Flaw("the corners of the plate lie on one line", 'for a slender link write shape = "rod"')
    center = first / area
    return abs(area), start + center, second / area - abs(center) ** 2


def _cross_each_other(one: tuple[complex, complex], two: tuple[complex, complex]) -> bool:
    def side(a: complex, b: complex, c: complex) -> float:
        return ((b - a).conjugate() * (c - a)).imag

    (a, b), (c, d) = one, two
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _point_masses(
    draft: Draft, key: str, entry: LinkEntry, local: Mapping[str, complex]
) -> list[tuple[float, complex]]:
    value = entry.point_masses
    if value is None:
        return []
    key = f"{key}.point_masses"
    if not isinstance(value, Mapping):
        draft.fault(key, f"expected a table of points, found {describe(value)}", "such as { P = 0.5 }")
        return []
    result = []
    for point, size in value.items():
        mass = draft.quantity(f"{key}.{point}", size, "mass", "not negative")
        if point not in local:
            draft.fault(f"{key}.{point}", "is not a point of the link", suggest(str(point), local))
        elif mass is not None:
            result.append((mass, local[point]))
    return result


def _together(own: MassProperties, points: Sequence[tuple[float, complex]]) -> MassProperties:
    """Combine a link's own mass and its point masses, by the parallel axis theorem."""
    if own.mass and own.center is None:
        raise Flaw("has a mass and point masses, but no center", "give center = [x, y], or a shape")
    parts = [*points, (own.mass or 0.0, own.center or 0j)]
    mass = sum(part for part, _ in parts)
    if mass == 0:
        return MassProperties(0.0, own.center or points[0][1], own.inertia)
    center = sum(part * place for part, place in parts) / mass
    spread = sum(part * abs(place - center) ** 2 for part, place in parts)
    return MassProperties(mass, center, (own.inertia or 0.0) + spread)
