"""Rolling contacts: a circle on a line, or on another circle, without slip."""

from __future__ import annotations

from structkin.joints.rolling import RollingOnCircle, RollingOnLine
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.geometry import unit_direction
from structkin.model.joint_schema import RollingEntry
from structkin.model.joints import SLOPPY
from structkin.model.mesh_geometry import beside, into_frame, points_of


def make_rolling(draft: Draft, id: str, entry: RollingEntry) -> RollingOnLine | RollingOnCircle:
    """Return a rolling contact."""
    if entry.along is not None and (entry.centers or entry.radii or entry.internal is not None):
        raise Flaw("has 'along' beside what two circles need", "a line: radius, along; circles: radii, centers")
    if entry.along is not None:
        return _on_line(draft, id, entry, entry.along)
    if entry.centers is not None and entry.radii is not None:
        if entry.radius is not None or entry.center is not None:
            raise Flaw("has 'radius' or 'center' beside 'radii' and 'centers'", "two circles need the latter")
        return _on_circle(draft, id, entry, entry.centers, entry.radii)
    raise Flaw("does not say what it rolls on", 'give along = ["P", "Q"], or centers = ["C", "O"] and radii = [10, 30]')


def _on_line(draft: Draft, id: str, entry: RollingEntry, along: tuple[str, str]) -> RollingOnLine:
    wheel, base = (draft.links[link] for link in entry.links)
    for point in along:
        if point not in base.local:
            raise Flaw(f"'{point}' of along is not on '{base.name}'", points_of(draft, base.name))
    center = entry.center or wheel.points[0]
    if center not in wheel.local:
        raise Flaw(f"the centre '{center}' is not on '{wheel.name}'", points_of(draft, wheel.name))
    place = draft.points[center]
    side, distance = beside(draft, along, place)
    radius = distance if entry.radius is None else entry.radius
    if abs(radius - distance) > SLOPPY * radius:
        raise Flaw(
            f"in the sketch the centre '{center}' is {draft.show_length(distance)} from the line, not its radius "
            f"{draft.show_length(radius)}",
            "draw the circle on its line",
        )
    p, q = base.local[along[0]], base.local[along[1]]
    way = unit_direction(base.local, *along)
    above = (side * (base.direction * way).conjugate()).imag < 0
    offset = radius if above else -radius
    start = ((into_frame(base, place) - p) * way.conjugate()).real
    # A circle above its line that turns counter-clockwise rolls backwards.
    return RollingOnLine(
        id, links=entry.links, centers=(wheel.local[center], None), radii=(radius, None), guide=id, lever=-offset,
        line=(p, q), carrier=base.name, slider=wheel.name, origin=p, direction=way, point=wheel.local[center],
        offset=offset, start=start, at=place,
    )  # fmt: skip


def _on_circle(
    draft: Draft, id: str, entry: RollingEntry, centers: tuple[str, str], radii: tuple[float, float]
) -> RollingOnCircle:
    ends = [draft.links[link] for link in entry.links]
    for link, point in zip(ends, centers, strict=True):
        if point not in link.local:
            raise Flaw(f"the centre '{point}' is not on '{link.name}'", points_of(draft, link.name))
    sign = 1.0 if entry.internal else -1.0
    if entry.internal and radii[0] == radii[1]:
        raise Flaw("circles of one size cannot roll inside each other", "leave internal out, or check radii")
    mesh = RollingOnCircle(
        id, links=entry.links, centers=(ends[0].local[centers[0]], ends[1].local[centers[1]]), radii=radii,
        ratio=sign * radii[1] / radii[0],
    )  # fmt: skip
    distance = abs(draft.points[centers[0]] - draft.points[centers[1]])
    if abs(distance - mesh.reach) > SLOPPY * mesh.reach:
        raise Flaw(
            f"in the sketch the centres are {draft.show_length(distance)} apart, not {draft.show_length(mesh.reach)}",
            "internal = true for a circle inside the other; else draw the circles in touch",
        )
    return mesh
