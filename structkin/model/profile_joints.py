"""Cams with a profile in a file: the table, outline or CSV file that tells their shape."""

from __future__ import annotations

import cmath
import math
from itertools import pairwise
from typing import Any

import numpy as np

from structkin.groups.periodic import TURN
from structkin.model.cam_laws import spline
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw, describe
from structkin.model.parts import Link
from structkin.model.profile_cams import ProfileCam
from structkin.model.schema import CamEntry, pair, vector
from structkin.model.tables import read_table

_ROWS = "such as [[0, 30], [90, 32], [180, 40], [270, 32]]"


def make_profile_cam(draft: Draft, id: str, entry: CamEntry, contact: str) -> ProfileCam | None:
    """Return the cam of an entry with a profile, an outline or a CSV table; None where its mistakes hinder."""
    cam, follower = draft.links[entry.cam], draft.links[entry.follower]
    center = entry.center or draft.link_entries[entry.cam].points[0]
    if center not in cam.local:
        raise Flaw(f"the center '{center}' is not a point of the cam '{entry.cam}'", f"it has {', '.join(cam.points)}")
    angles, radii = _table(draft, entry, cam, cam.local[center])
    function = spline(np.array(angles), np.array(radii))
    if float(np.min(function(np.linspace(0.0, TURN, 361)))) <= 0:
        raise Flaw("the curve through the profile passes through the cam's center", "give more rows")
    place = follower.local[entry.at if entry.at is not None else (entry.face or ("",))[0]]
    normal = None
    if entry.face is not None:
        along = follower.local[entry.face[1]] - place
        if not along:
            raise Flaw(f"the points '{entry.face[0]}' and '{entry.face[1]}' of the face coincide")
        middle = follower.direction.conjugate() * (cam.origin + cam.direction * cam.local[center] - follower.origin)
        normal = 1j * along / abs(along)
        normal *= math.copysign(1.0, ((place - middle) / normal).real)
    made = ProfileCam(
        id, cam.name, follower.name, contact, function, cam.local[center], place, normal, entry.radius or 0.0
    )
    if not made.met.is_single_valued:
        what = "is not convex: a flat face bridges it" if normal is not None else "is too hollow for the roller"
        raise Flaw(f"the profile {what}", "take a knife edge or a smaller roller" if normal is not None else "")
    return made


def _table(draft: Draft, entry: CamEntry, cam: Link, centre: complex) -> tuple[list[float], list[float]]:
    """Return rising polar angles [rad] within a turn and radii [m]."""
    rows: list[tuple[float, float]] = []
    if entry.outline is not None:
        for place in _list(entry.outline, "outline", "such as [[30, 0], [0, 32], [-40, 0], [0, -32]]"):
            seen = (vector(place, "length", draft.units) - cam.origin) * cam.direction.conjugate() - centre
            rows.append((cmath.phase(seen), abs(seen)))
    elif entry.profile is not None:
        for k, row in enumerate(_list(entry.profile, "profile", _ROWS), 1):
            try:
                angle, radius = pair(row, "[angle, radius]")
                rows.append((draft.units.quantity(angle, "angle"), draft.units.quantity(radius, "length")))
            except Flaw as flaw:
                raise Flaw(f"row {k}: {flaw.message}", flaw.hint) from None
    else:
        assert entry.csv is not None
        scales = draft.units.scale("angle"), draft.units.scale("length")
        rows = [(a * scales[0], r * scales[1]) for a, r in read_table(entry.csv, draft.folder)]
    if len(rows) > 1 and abs(abs(rows[-1][0] - rows[0][0]) - TURN) < 1e-9 and rows[-1][1] == rows[0][1]:
        rows.pop()  # the first row again, a turn later
    if len(rows) < 4:
        raise Flaw(f"a profile needs at least 4 rows, found {len(rows)}", "a periodic spline goes through them")
    if entry.outline is not None and _unwrapped(rows)[-1][0] < rows[0][0]:
        rows.reverse()
    rows = _unwrapped(rows) if entry.outline is not None else rows
    for k, (before, after) in enumerate(pairwise(rows), 2):
        if after[0] <= before[0]:
            raise Flaw(f"row {k}: the profile turns back, seen from its center", "its angles rise all round the cam")
    if rows[-1][0] - rows[0][0] >= TURN:
        raise Flaw("the profile goes round more than once", "angles rise by less than a turn; the curve closes itself")
    if min(radius for _, radius in rows) <= 0:
        raise Flaw("a radius of the profile is not greater than zero")
    return [angle for angle, _ in rows], [radius for _, radius in rows]


def _unwrapped(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    angles = np.unwrap([angle for angle, _ in rows])
    return [(float(angle), radius) for angle, (_, radius) in zip(angles, rows, strict=True)]


def _list(value: Any, name: str, hint: str) -> list[Any]:
    if not isinstance(value, list | tuple | np.ndarray):
        raise Flaw(f"expected the rows of the {name}, found {describe(value)}", hint)
    return list(value)
