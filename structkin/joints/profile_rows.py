"""Cams with a profile in a file: the table, outline or CSV file that defines their shape.

A follower has to reach the profile in some position of both. The distance of the roller's centre (or the edge) from the
cam's shaft has to equal that of some point of the curve on which it runs; the distance of a face has to equal that of
some tangent of the profile.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from structkin.joints.cam_keys import CamKeys, sketched_mountings
from structkin.joints.guide import Guide
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.splines import spline
from structkin.model.draft import Draft
from structkin.model.fields import pair
from structkin.model.flaw import Flaw, describe
from structkin.model.parts import Link
from structkin.model.tables import read_table
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.rows.periodic import TURN

#: A follower has to miss by this fraction of the largest distance: more than extremes between samples can hide.
MARGIN = 1e-5


def require_reach(draft: Draft, made: ProfileCam) -> None:
    """Raise `Flaw` if the link that carries the cam's shaft always keeps the follower away from the profile.

    The distance of the roller's centre from the shaft is limited by its pin and its arm, or is at least that of the
    line along which it moves. A face on a pin is at a fixed distance h from it; a tangent of the profile at distance H
    from the shaft, which is D from the pin, can be at H - D to H + D. A face on a guide reaches any profile.
    """
    mounted = next(sketched_mountings(draft, draft.links, made.cam, made.follower), None)
    if mounted is None or (mounted[2].kind == "P" and (made.normal is not None or not isinstance(mounted[2], Guide))):
        return
    carrier, shaft, guide = mounted
    base, cam, follower = (draft.links[name] for name in (carrier, made.cam, made.follower))
    angles = np.linspace(0.0, TURN, 3601)
    away = made.contact_distance(angles)
    axes = np.exp(1j * angles)
    beside = cam.local[shaft.id] - made.centre
    if made.normal is None:
        away, what = np.abs(away * axes - beside), "the roller's centre" if made.radius else "the edge"
    else:
        away, what = away - (beside * axes.conj()).real, "the face"
    least, most = float(away.min()), float(away.max())
    if isinstance(guide, Guide):
        line = guide
        direction = line.direction if line.slider == made.follower else line.direction / (line.turn or 1)
        place = (follower.origin + follower.direction * made.touch - base.origin) / base.direction
        low, high = abs(((place - base.local[shaft.id]) / direction).imag), math.inf
    else:
        far, arm = abs(base.local[guide.id] - base.local[shaft.id]), made.touch - follower.local[guide.id]
        if made.normal is None:
            low, high = abs(far - abs(arm)), far + abs(arm)
        else:
            h = (arm * made.normal.conjugate()).real
            low, high = h - far, h + far
    if low <= most + MARGIN * abs(most) and high >= least - MARGIN * abs(most):
        return
    ends = [draft.show_length(length) for length in (low, high, least, most)]
    can = f"{ends[0]} to {ends[1]}" if math.isfinite(high) else f"{ends[0]} or more"
    raise Flaw(
        f"the follower can never reach the profile: {what} can be {can} from the cam's shaft, "
        f"but the profile needs {ends[2]} to {ends[3]}",
        "draw the follower where it touches the cam",
    )


#: Rows of a profile: angle [rad] and radius [m]; rows of an outline: positions [m] in the sketch.
Rows = list[tuple[float, float]]


def make_profile_cam(draft: Draft, key: str, id: str, entry: CamKeys, contact: str, rows: Rows) -> ProfileCam | None:
    """Return the cam of an entry with a profile, an outline or a CSV table; None if there are errors."""
    cam, follower = draft.links[entry.cam], draft.links[entry.follower]
    center = entry.center or draft.link_entries[entry.cam].points[0]
    if center not in cam.local:
        raise Flaw(f"the center '{center}' is not a point of the cam '{entry.cam}'", f"it has {', '.join(cam.points)}")
    rows = _table(entry, rows, cam, cam.local[center])
    flaws = list(_flaws(rows))
    for flaw in flaws:
        draft.fault(key, flaw.message, flaw.hint)
    if flaws:
        return None
    angles, radii = (np.array(column) for column in zip(*rows, strict=True))
    function = spline(angles, radii)
    if float(np.min(function(np.linspace(0.0, TURN, 361)))) <= 0:
        raise Flaw("the curve through the profile reaches the cam's center", "give more rows")
    place = follower.local[entry.at if entry.at is not None else (entry.face or ("",))[0]]
    normal = None
    if entry.face is not None:
        along = follower.local[entry.face[1]] - place
        if not along:
            raise Flaw(f"the face points '{entry.face[0]}' and '{entry.face[1]}' coincide", "move one of them")
        middle = follower.direction.conjugate() * (cam.origin + cam.direction * cam.local[center] - follower.origin)
        normal = 1j * along / abs(along)
        normal *= math.copysign(1.0, ((place - middle) / normal).real)
    made = ProfileCam(
        id, links=(cam.name, follower.name), contact=contact, function=function, centre=cam.local[center], touch=place,
        normal=normal, radius=entry.radius or 0.0,
    )  # fmt: skip
    if not made.contact_distance.is_single_valued:
        what = (
            "is not convex, so a flat face cannot follow it" if normal is not None else "is too concave for the roller"
        )
        raise Flaw(
            f"the profile {what}", "use a knife edge or a roller" if normal is not None else "use a smaller roller"
        )
    require_reach(draft, made)
    return made


def profile_rows(draft: Draft, key: str, entry: CamKeys, name: str) -> Rows | None:
    """Return the rows of a profile, an outline or a CSV table in SI; None if some rows have errors."""
    if name == "csv":
        assert entry.csv is not None
        scales = draft.units.scale("angle"), draft.units.scale("length")
        found = read_table(entry.csv, draft.folder, entry.columns, ("angle", "length"), draft.units)
        return [(a * scales[0], r * scales[1]) for a, r in found]
    given, words, kind, example = (
        (entry.outline, "[x, y]", "length", "such as [[30, 0], [0, 32], [-40, 0], [0, -32]]")
        if name == "outline"
        else (entry.profile, "[angle, radius]", "angle", "such as [[0, 30], [90, 32], [180, 40], [270, 32]]")
    )
    if not isinstance(given, list | tuple | np.ndarray):
        raise Flaw(f"expected the rows of the {name}, found {describe(given)}", example)
    rows: Rows = []
    for k, row in enumerate(given, 1):
        try:
            first, second = pair(row, words)
            rows.append((draft.units.quantity(first, kind), draft.units.quantity(second, "length")))
        except Flaw as flaw:
            draft.fault(key, f"row {k}: {flaw.message}", flaw.hint)
    return rows if len(rows) == len(given) else None


def _table(entry: CamKeys, rows: Rows, cam: Link, centre: complex) -> Rows:
    """Return increasing polar angles [rad] within one turn and radii [m]."""
    rows = list(rows)
    if entry.outline is not None:
        seen = [(complex(*row) - cam.origin) * cam.direction.conjugate() - centre for row in rows]
        rows = [(cmath.phase(place), abs(place)) for place in seen]
    if len(rows) > 1 and abs(abs(rows[-1][0] - rows[0][0]) - TURN) < EQUAL_DATA and rows[-1][1] == rows[0][1]:
        rows.pop()  # the first row again, a turn later
    if entry.outline is None or not rows:
        return rows
    if _unwrapped(rows)[-1][0] < rows[0][0]:
        rows.reverse()
    return _unwrapped(rows)


def _flaws(rows: Rows) -> Iterator[Flaw]:
    """Yield all errors in a table of rows."""
    if len(rows) < 4:
        yield Flaw(f"a profile needs at least 4 rows, found {len(rows)}", "they are joined by a periodic spline")
    for k, (before, after) in enumerate(pairwise(rows), 2):
        if after[0] <= before[0]:
            yield Flaw(f"row {k}: the angle about the center does not increase", "angles must increase around the cam")
    if rows and rows[-1][0] - rows[0][0] >= TURN:
        yield Flaw(
            "the profile covers more than one turn", "the angles must span less than a turn; the curve is closed"
        )
    for k, (_, radius) in enumerate(rows, 1):
        if radius <= 0:
            yield Flaw(f"row {k}: the radius is not greater than zero", "it is the distance from the cam's center")


def _unwrapped(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    angles = np.unwrap([angle for angle, _ in rows])
    return [(float(angle), radius) for angle, (_, radius) in zip(angles, rows, strict=True)]
