"""Instant centres of links relative to the ground and to each other.

A link moves as v(z) = u + i w z. Two links a, b have the same velocity at their relative instant centre
z = (u_b - u_a) / (i (w_a - w_b)), which is the pole of one relative to the other.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from structkin.numerical_tolerances import NEGLIGIBLE, VISIBLE
from structkin.report.numbers import plain
from structkin.report.rates import shown_links
from structkin.solve import Motion
from structkin.types import Complexes, Floats

#: Centres farther away than this, in sizes of the mechanism, are out of sight.
FAR = 50
#: The most pairs of moving links whose centres a page contains, the links of interest first.
MOST_PAIRS = 45


def centres(motion: Motion) -> dict[str, Any] | None:
    """Return the instant centres that move: {"pairs": [{"link", "base", "x", "y"}], "left_out": pairs not given}.

    The base is the ground or another moving link. With one driver the centres follow from K, whatever the driver's
    speed; with several, from the velocities. A centre is None where the two links do not rotate relative to each other.
    Returns None if no centre moves.
    """
    m = motion.mechanism
    unit = m.units.scale("length")
    links, ground = shown_links(motion), m.topology.ground
    twists = {link: _twist(motion, link) for link in links}
    twists[ground] = (np.zeros(len(motion), complex), np.zeros(len(motion)))
    pairs = [(ground, link) for link in links] + list(combinations(links, 2))
    moving = {pair: z for pair in pairs if _moves(motion, z := _centre(motion, *pair, twists), pair[0])}
    given = sum(base == ground for base, _ in moving) + MOST_PAIRS
    found = [
        {"link": link, "base": base}
        | {axis: plain(z, unit, motion.size) for axis, z in zip("xy", (centre.real, centre.imag), strict=True)}
        for (base, link), centre in list(moving.items())[:given]
    ]
    return {"pairs": found, "left_out": max(0, len(moving) - given)} if found else None


def centres_relative_to(motion: Motion, base: str) -> dict[str, complex]:
    """Return the instant centre [m] of each moving link relative to a base, at the first sample of a motion.

    Those at pins are among them; those at infinity, and those that the rates do not tell, are not.
    """
    m = motion.mechanism
    twists = {link: _twist(motion, link) for link in m.topology.moving_links}
    twists[m.topology.ground] = (np.zeros(len(motion), complex), np.zeros(len(motion)))
    found = {link: complex(_centre(motion, base, link, twists)[0]) for link in twists if link != base}
    return {link: z for link, z in found.items() if np.isfinite(z)}


def _twist(motion: Motion, link: str) -> tuple[Complexes, Floats]:
    """Return u and w (n,) of a link, per unit rate of a single driver, else per second."""
    m = motion.mechanism
    if len(m.drivers) == 1 and m.links[link].local:
        point = next(iter(m.links[link].local))
        place, v, w = motion.position(point), motion.K(point, kind="point")[:, :, 0], motion.K(link, kind="link")[:, 0]
    else:
        place, v, w = motion.position(0j, link), motion.velocity(0j, link), motion.omega(link)
    return v @ [1, 1j] - 1j * w * (place @ [1, 1j]), w


def _centre(motion: Motion, base: str, link: str, twists: dict[str, tuple[Complexes, Floats]]) -> Complexes:
    """Return the places (n,) [m] at which two links have the same velocity; NaN where they are far away."""
    (u, w), (v, turn) = twists[base], twists[link]
    with np.errstate(all="ignore"):
        centre = np.asarray((v - u) / (1j * (w - turn)))
        near = np.abs(centre - motion.poses.frames[link][0]) < FAR * motion.size
    return np.where(near & (np.abs(w - turn) > NEGLIGIBLE), centre, np.nan)


def _moves(motion: Motion, centre: Complexes, base: str) -> bool:
    """Return whether a centre moves on its base, unlike a pin that joins the two links."""
    origin, direction = motion.poses.frames[base]
    local = ((centre - origin) * np.conj(direction))[np.isfinite(centre)]
    return (
        bool(np.ptp(np.stack((local.real, local.imag)), axis=1).max() > VISIBLE * motion.size) if len(local) else False
    )
