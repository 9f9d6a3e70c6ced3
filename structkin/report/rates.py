"""What a report plots and draws as arrows: rates of points and links, K and L."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.report.numbers import places, plain
from structkin.show.columns import coefficients_of
from structkin.show.interest import moving_points, output_links, points_of_interest
from structkin.show.motion_plot import abscissa
from structkin.show.quantities import Measures, largest, pretty
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import PartKind

#: The most points and links whose rates are given, those of interest first.
MOST = 40
#: The most points and links whose K and L are given: L has a column for each pair of drivers.
MOST_KL = 8

#: Units of length whose rates are given in metres instead, where the largest has this many of them or more.
SMALL, LARGE = ("um", "mm", "cm", "dm"), 1e4


def in_one_unit(motion: Motion) -> Measures:
    """Return the units of a report: those of the file, but speeds and accelerations in metres if they are large there.

    So a table has not mm/s in one place and m/s or m/s² in another.
    """
    units = motion.mechanism.units
    if units.length not in SMALL:
        return Measures(units)
    every = (rate(name) for name in shown_points(motion) for rate in (motion.velocity, motion.acceleration))
    are_large = any(largest(np.hypot(*rate.T)) >= LARGE * units.scale("length") for rate in every)
    return Measures(units, frozenset(("speed", "acceleration") if are_large else ()))


def rates(motion: Motion, measures: Measures | None = None) -> dict[str, Any] | None:
    """Return the velocity and acceleration of points and links, in a report's units or others; None if none is known.

    >>> from structkin import load
    >>> from structkin.examples import path
    >>> motion = load(path("one_cylinder_engine")).solve(t=[0.002])
    >>> for measures in (None, Measures(motion.mechanism.units)):  # that is in millimetres
    ...     rates(motion, measures)["points"]["A"]["vx"]
    [-10.9289]
    [-10928.9]
    """
    measures = measures or in_one_unit(motion)
    points, links = shown_points(motion), shown_links(motion)
    speed, acceleration = measures.size("speed"), measures.size("acceleration")
    found: dict[str, Any] = {"points": {}, "links": {}}
    # links as well: there may be no point that moves
    if not any(np.isfinite(rate).any() for rate in [*map(motion.velocity, points), *map(motion.omega, links)]):
        return None
    for name in points:
        v, a = motion.velocity(name), motion.acceleration(name)
        usual = max(largest(a), largest(v) ** 2 / motion.size)
        found["points"][name] = {
            f"{head}{axis}": plain(values[:, k], size, usual)
            for head, values, size, usual in (("v", v, speed, largest(v)), ("a", a, acceleration, usual))
            for k, axis in enumerate("xy")
        }
    usual = usual_omega(motion)
    for name in links:
        found["links"][name] = {
            "omega": plain(motion.omega(name), measures.size("omega"), usual),
            "alpha": plain(motion.alpha(name), measures.size("alpha"), 100.0 * usual**2),
        }
    found["left_out"] = left_out(motion)
    return found


def usual_omega(motion: Motion) -> float:
    """Return the largest angular velocity w [rad/s] of a link.

    Angular velocities below 1e-12 w, and angular accelerations below 1e-10 w^2, are rounding errors.
    """
    return max((largest(motion.omega(link)) for link in motion.mechanism.topology.moving_links), default=0.0)


def plots(motion: Motion) -> dict[str, Any]:
    """Return what all plots share: x axis, units, places of points, angles of links, and names in order of interest."""
    m, measures = motion.mechanism, in_one_unit(motion)
    along = abscissa(motion, measures)
    name, _, unit = along.name.strip().partition(" [")
    points = [*points_of_interest(m), *shown_points(motion)]
    links = [*output_links(m, motion.structure), *shown_links(motion)]
    return {
        "x": {"name": name.replace(r"\$", "$"), "unit": unit.rstrip("]"), "values": plain(along.values)},
        "units": {quantity: measures.pretty(quantity)
                  for quantity in ("length", "speed", "acceleration", "angle", "omega", "alpha")},
        "angles": {link: plain(motion.angle(link), measures.size("angle"), usual=1.0) for link in shown_links(motion)},
        "places": {
            point: [places(values, measures.size("length"), motion.size) for values in motion.position(point).T]
            for point in m.places
            if any(point in body.local for body in m.links.values())
        },
        "points": list(dict.fromkeys(points)),
        "links": list(dict.fromkeys(links)),
    }  # fmt: skip


def coefficients(motion: Motion) -> dict[str, Any] | None:
    """Return K and L of points and links; None without drivers.

    Lengths are in the file's unit and angles in radians: K of a point is then a lever arm, that of a link a ratio.
    """
    m = motion.mechanism
    drivers = list(m.drivers)
    if not drivers or not motion.regular.any():
        return None
    points = list(dict.fromkeys([*points_of_interest(m), *shown_points(motion)]))
    links = list(dict.fromkeys([*output_links(m, motion.structure), *shown_links(motion)]))
    kinds: tuple[tuple[PartKind, list[str]], ...] = (("point", points[:MOST_KL]), ("link", links[:MOST_KL]))
    found: dict[str, Any] = {"drivers": drivers, "units": {}, "points": {}, "links": {}}
    found["left_out"] = [*points[MOST_KL:], *links[MOST_KL:]]
    for kind, names in kinds:
        for name in names:
            every = list(coefficients_of(motion, name, kind))
            for letter, key in (("K", kind), ("L", f"{kind}_pairs")):
                found["units"][key] = [pretty(one.unit) for one in every if one.letter == letter]
            found["pairs"] = [list(one.drivers) for one in every if one.letter == "L"]
            # near a change point all K and L are far above their usual size, and so are their rounding errors;
            # those of L, as those of angular accelerations, are larger
            times = {
                letter: more * max(1.0, *(largest(one.values) / one.usual for one in every if one.letter == letter))
                for letter, more in (("K", 1.0), ("L", 100.0))
            }
            found[f"{kind}s"][name] = {
                letter: [
                    [plain(row, usual=times[letter] * one.usual) for row in one.values]
                    for one in every
                    if one.letter == letter
                ]
                for letter in "KL"
            }
    return found


def left_out(motion: Motion) -> list[str]:
    """Return the moving points and links whose rates a report does not contain."""
    m = motion.mechanism
    names = ((moving_points(m), shown_points(motion)), (m.topology.moving_links, shown_links(motion)))
    return [name for every, shown in names for name in every if name not in shown]


def shown_points(motion: Motion) -> list[str]:
    """Return the points whose rates a report contains."""
    m = motion.mechanism
    return list(dict.fromkeys([*points_of_interest(m), *moving_points(m)]))[:MOST]


def shown_links(motion: Motion) -> list[str]:
    """Return the links whose rates a report contains."""
    m = motion.mechanism
    return list(dict.fromkeys([*output_links(m, motion.structure), *m.topology.moving_links]))[:MOST]
