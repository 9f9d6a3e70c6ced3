"""Dimensions for a kinematic chain: a sketch in which it is assembled and far from a singular pose.

The layout of its picture is shaken, so that no loop is a parallelogram, and a driven link is made short, as a crank. Of
many such sketches the best is that in which the least singular value of the velocity equations of joints and drivers is
greatest: there the drivers move every link, and small errors stay small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from structkin.errors import Problem, raise_problems
from structkin.model.topology import Driver, Topology, pin_of
from structkin.structure.chain_layout import layout
from structkin.structure.kinematic_chains import MOST
from structkin.types import Floats

#: Sketches that are compared, the size of their shakes, and the lengths of driven links in them; sides are 1 to 2.4.
TRIES, SHAKE, SHORT = 24, 0.15, (1.0, 0.5)


def sketch(topology: Topology) -> dict[str, tuple[float, float]]:
    """Return the places (x, y) of the joints, see `Topology.sketch`."""
    raise_problems(list(_problems(topology)), topology.title or "topology")
    laid_out = layout(topology)
    random = np.random.default_rng(0)
    best, most = laid_out, -1.0
    for _ in range(TRIES):
        for short in SHORT:
            shakes = SHAKE * random.standard_normal((len(laid_out), 2))
            places = {id: at + complex(*shake) for (id, at), shake in zip(laid_out.items(), shakes, strict=True)}
            for driver in topology.drivers:
                _shorten(topology, driver, places, short)
            if (least := _least_singular_value(topology, places)) > most:
                best, most = places, least
    return {id: (round(place.real, 3), round(place.imag, 3)) for id, place in best.items()}


def _problems(topology: Topology) -> Iterator[Problem]:
    if len(topology.links) > MOST:
        yield Problem("links", f"{len(topology.links)} links have no clear sketch", f"at most {MOST}")
    for joint in topology.joints:
        if joint.kind != "R" or any(map(pin_of, joint.links)):
            yield Problem(f"joints.{joint.id}", "is not a revolute joint between links", "give the points yourself")
    for driver in topology.drivers:
        if driver.kind != "angle":
            yield Problem(f"drivers.{driver.id}", "does not drive an angle", "give the points yourself")
    ends = Counter(end for joint in topology.joints for end in joint.links)
    for link in topology.links:
        if ends[link] < 2:
            yield Problem(f"links.{link}", "has fewer than two joints: not a closed chain", "give the points yourself")
    reached = {topology.ground}
    for _ in topology.links:
        reached.update(end for joint in topology.joints if reached & set(joint.links) for end in joint.links)
    for link in topology.links:
        if link not in reached and ends[link] >= 2:
            yield Problem(f"links.{link}", "is not connected with the ground", "give the points yourself")


def _shorten(topology: Topology, driver: Driver, places: dict[str, complex], short: float) -> None:
    """Move the joints of a driven link, of two that with fewer joints, towards the driven joint."""
    shared = [joint.id for joint in topology.joints if set(driver.links) <= set(joint.links)]
    own = {
        link: [joint.id for joint in topology.joints if link in joint.links]
        for link in driver.links
        if link != topology.ground
    }
    if shared:
        centre = places[shared[0]]
        for id in min(own.values(), key=len):
            places[id] = centre + short * (places[id] - centre)


def _least_singular_value(topology: Topology, places: dict[str, complex]) -> float:
    """Return the least singular value of the velocity equations, the unknowns v_x, v_y, omega of each moving link."""
    column = {link: 3 * k for k, link in enumerate(topology.moving_links)}
    rows: list[Floats] = []

    def equation(terms: dict[str, tuple[float, float, float]]) -> None:
        row = np.zeros(3 * len(column))
        for link, factors in terms.items():
            if link in column:
                row[column[link] : column[link] + 3] = factors
        rows.append(row)

    for joint in topology.joints:
        first, *others = joint.links
        x, y = places[joint.id].real, places[joint.id].imag
        for other in others:
            equation({first: (1, 0, -y), other: (-1, 0, y)})
            equation({first: (0, 1, x), other: (0, -1, -x)})
    for driver in topology.drivers:
        start, end = driver.links
        equation({start: (0, 0, -1), end: (0, 0, 1)})
    return float(np.linalg.svd(np.array(rows), compute_uv=False)[-1])
