"""The symbols of gears, racks, belts and rolling bodies: pitch circles and pitch lines, with a spoke that turns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from structkin.joints.turn_coupling import TurnCoupling
from structkin.show.pose import Path, Pose
from structkin.show.style import GROUND
from structkin.show.symbols import BAR, SLOT, Pen

#: Pitch circles and lines are drawn as dash-dotted lines, as on any drawing of gears.
PITCH = (0, (7.0, 2.0, 1.5, 2.0))

#: Under links and slots, over the paths.
WHEEL = SLOT - 0.7


def circles(pose: Pose, mesh: TurnCoupling) -> list[tuple[str, complex, float]]:
    """Return link, centre and radius of each circle of a mesh, in units of the picture."""
    found = zip(mesh.links, mesh.centers, mesh.radii, strict=True)
    return [
        (link, pose.at(link, center), radius / pose.scale)
        for link, center, radius in found
        if center is not None and radius is not None
    ]


def extent(pose: Pose, mesh: TurnCoupling) -> Path:
    """Return places around all that is drawn of a mesh."""
    around = np.array([1, 1j, -1, -1j])
    parts = [center + radius * around for _, center, radius in circles(pose, mesh)]
    if mesh.line is not None:
        parts.append(np.array([pose.at(mesh.links[1], end) for end in mesh.line]))
    return np.concatenate([np.zeros(0, np.complex128), *parts])


def draw_mesh(pen: Pen, pose: Pose, mesh: TurnCoupling, colour: Callable[[str], str], ground: str) -> None:
    """Draw the wheels of a mesh, and what goes over or under them; nothing where a place is not known."""
    wheels = circles(pose, mesh)
    if not np.isfinite(extent(pose, mesh)).all():
        return
    toothed = mesh.type in ("gear", "rack")
    largest = max((radius for _, _, radius in wheels), default=0.0)
    for link, center, radius in wheels:
        # a ring is hollow
        hollow = mesh.type != "belt" and (mesh.ratio or 0.0) > 0 and radius == largest
        _wheel(pen, center, radius, f"wheel:{mesh.id}:{link}", colour(link), toothed, hollow)
        if link != ground:
            _spoke(pen, center, radius, pose.frames[link][1], f"spoke:{mesh.id}:{link}", colour(link))
    if mesh.type == "belt" and mesh.ratio is not None:
        (_, a, r), (_, b, s) = wheels
        _belt(pen, a, r, b, s, mesh.ratio < 0, f"belt:{mesh.id}")
    if mesh.line is not None:
        link = mesh.links[1]
        a, b = (pose.at(link, end) for end in mesh.line)
        side = _away(wheels[0][1], a, b)
        if toothed:
            _rack(pen, a, b, side, f"rack:{mesh.id}", colour(link))
        elif link == ground:
            pen.hatching(a, b, side, f"track:{mesh.id}")
        else:
            pen.line([a, b], f"track:{mesh.id}", color=colour(link), linewidth=2.0, zorder=WHEEL)


def _away(center: complex, a: complex, b: complex) -> complex:
    """Return the unit vector square to a line, away from a centre."""
    along = (b - a) / abs(b - a)
    return 1j * along if ((center - a) / along).imag < 0 else -1j * along


def _wheel(pen: Pen, center: complex, radius: float, gid: str, colour: str, toothed: bool, hollow: bool) -> None:
    pen.circle(
        center,
        radius / pen.u,
        gid,
        facecolor="none" if hollow else colour + "12",
        edgecolor=colour,
        linewidth=1.4,
        linestyle=PITCH if toothed else "-",
        zorder=WHEEL,
    )


def _spoke(pen: Pen, center: complex, radius: float, direction: complex, gid: str, colour: str) -> None:
    """Draw the outer part of a radius along the link's direction, so that its turn can be seen."""
    along = direction / abs(direction)
    pen.line([center + 0.72 * radius * along, center + radius * along], gid, color=colour, linewidth=2.2, zorder=WHEEL)


def _belt(pen: Pen, a: complex, r: float, b: complex, s: float, crossed: bool, gid: str) -> None:
    """Draw the two strands that touch both circles."""
    along = (b - a) / abs(b - a)
    other = -s if crossed else s
    cosine = (r - other) / abs(b - a)
    for side in (1j, -1j):
        normal = along * (cosine + side * np.sqrt(max(1 - cosine**2, 0.0)))
        pen.line([a + r * normal, b + other * normal], gid, color=GROUND, linewidth=1.8, zorder=BAR - 0.5)


def _rack(pen: Pen, a: complex, b: complex, side: complex, gid: str, colour: str) -> None:
    """Draw the pitch line of a rack, and the bar behind it."""
    depth = 0.7 * pen.u * side
    pen.line([a, b], gid, color=colour, linewidth=1.4, zorder=WHEEL, linestyle=PITCH)
    pen.line([a, a + depth, b + depth, b], gid, color=colour, linewidth=2.2, zorder=WHEEL)
