"""A motion checked against its file alone: lengths, shared points, guides and what the drivers mean.

Only names are taken from the parsed model: the sketch in the dict says what must stay constant.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

LENGTH = {"m": 1.0, "mm": 1e-3}
ANGLE = {"rad": 1.0, "deg": np.pi / 180}


class File:
    """The contents of a mechanism file in SI, with complex positions."""

    def __init__(self, data: dict[str, Any]) -> None:
        units = data.get("units", {})
        self.length, self.angle = LENGTH[units.get("length", "m")], ANGLE[units.get("angle", "rad")]
        self.data = data
        self.points = {name: complex(*place) * self.length for name, place in data["points"].items()}
        self.links = {
            name: entry if isinstance(entry, list) else entry["points"] for name, entry in data["links"].items()
        }
        places = list(self.points.values())
        self.size = max(abs(a - b) for a in places for b in places) or 1.0

    def holders(self, point: str) -> list[str]:
        """The links with this point, in the order of the file."""
        return [name for name, points in self.links.items() if point in points]

    def sketch_angle(self, link: str) -> float:
        """The angle of a link in the sketch: from its first point to its second; 0 for one point and the ground."""
        points = self.links[link]
        if link == "ground" or len(points) < 2:
            return 0.0
        return float(np.angle(self.points[points[1]] - self.points[points[0]]))

    def axis(self, joint: dict[str, Any]) -> complex:
        """The unit direction of a guide in the sketch."""
        if "along" in joint:
            p, q = joint["along"]
            step = self.points[q] - self.points[p]
        else:
            step = complex(*joint["axis"])
        return step / abs(step)

    def turn(self, motion: Any, link: str) -> Any:
        """How far a link has turned since the sketch, up to whole turns."""
        return motion.angle(link) - self.sketch_angle(link)

    def rack(self, joint: dict[str, Any]) -> tuple[tuple[str, dict[str, Any]], str]:
        """The carrier of a pinion, its guide of the rack, and the pinion's centre."""
        _, rack = joint["links"]
        ((base, guide),) = [
            (joint["carrier"], other)
            for other in self.data["joints"].values()
            if other["type"] == "prismatic" and set(other["links"]) == {joint["carrier"], rack}
        ]
        return (base, guide), joint["center"]

    def ends(self, driver: dict[str, Any]) -> tuple[str, str]:
        """From and to of an angle or slide driver: the ground, else the first listed, comes first."""
        if "links" in driver:
            return tuple(driver["links"])
        joint = self.data.get("joints", {}).get(driver["joint"])
        first, second = joint["links"] if joint else self.holders(driver["joint"])
        return (second, first) if second == "ground" else (first, second)


def gaps(data: dict[str, Any], motion: Any) -> dict[str, Any]:
    """The largest departure (n,) from each rule of the file, relative to its size."""
    file = File(data)
    out: dict[str, Any] = {}

    def at(point: str, link: str) -> Any:
        x, y = motion.position(point, link=link).T
        return x + 1j * y

    def note(rule: str, gap: Any) -> None:
        out[rule] = np.fmax(out.get(rule, 0.0), np.where(motion.ok, np.abs(gap), 0.0))

    def inside(link: str, point: str, of: str) -> Any:
        """A point of another link in this link's frame, which is parallel to the axes in the sketch."""
        base = file.links[link][0] if file.links[link] else None
        turn = np.exp(-1j * (motion.angle(link) - file.sketch_angle(link)))
        here, there = (0j, 0j) if base is None else (at(base, link), file.points[base])
        return (at(point, of) - here) * turn - (file.points[point] - there)

    for link, points in file.links.items():
        for point in points[1:]:
            wanted = file.points[point] - file.points[points[0]]
            turn = np.exp(1j * (motion.angle(link) - file.sketch_angle(link)))
            note("rigid", (at(point, link) - at(points[0], link) - wanted * turn) / file.size)
        if link == "ground":
            for point in points:
                note("ground", (at(point, link) - file.points[point]) / file.size)
    for point in file.points:
        held = file.holders(point)
        for link in held[1:]:
            note("pin", (at(point, link) - at(point, held[0])) / file.size)
    for joint in data.get("joints", {}).values():
        if joint["type"] == "prismatic":
            first, second = joint["links"]
            base, mover = (first, second) if second != "ground" else (second, first)
            note("guide", (file.axis(joint).conjugate() * inside(base, file.links[mover][0], mover)).imag / file.size)
            turned = motion.angle(first) - motion.angle(second)
            note("parallel", np.sin(0.5 * (turned - file.sketch_angle(first) + file.sketch_angle(second))))
        elif joint["type"] in ("gear", "belt"):
            note("mesh", _mesh(file, joint, motion))
        elif joint["type"] == "rack":
            pinion, rack = joint["links"]
            (base, guide), center = file.rack(joint)
            radius, line = joint["radius"] * file.length, file.axis(guide)
            travel = line.conjugate() * inside(base, file.links[rack][0], rack)
            side = (line.conjugate() * (file.points[file.links[rack][0]] - file.points[center])).imag
            # where the pinion turns counter-clockwise, its lowest point moves to the right
            turned = file.turn(motion, pinion) - file.turn(motion, base)
            note("rack", np.sin(0.5 * (travel.real / radius + np.sign(side) * turned)))
        elif joint["type"] == "rolling":
            wheel, base = joint["links"]
            centers = joint["centers"]
            (r1, r2), turns = (
                np.array(joint["radii"]) * file.length,
                [file.turn(motion, link) for link in (wheel, base)],
            )
            line = at(centers[0], wheel) - at(centers[1], base)
            reach = abs(r1 - r2) if joint.get("internal") else r1 + r2
            note("touch", (np.abs(line) - reach) / file.size)
            psi = np.angle(line / (file.points[centers[0]] - file.points[centers[1]]))
            # the arcs that have rolled off are equally long
            teeth = Fraction(r1 / r2).limit_denominator(1000)
            arcs = teeth * 1.0 * (turns[0] - psi) + (turns[1] - psi) * (-1 if joint.get("internal") else 1)
            note("arcs", np.sin(0.5 * arcs * teeth.denominator) / teeth.denominator)
        else:
            pin = joint["pin"]
            of = joint.get("on", file.holders(pin)[0])
            note("slot", (file.axis(joint).conjugate() * inside(joint["slot"], pin, of)).imag / file.size)
    for id, driver in data.get("drivers", {}).items():
        z = motion.drivers[id][0]
        if "between" in driver:
            e, f = driver["between"]
            note("distance", (np.abs(at(f, file.holders(f)[0]) - at(e, file.holders(e)[0])) - z) / file.size)
        elif driver.get("joint") in data.get("joints", {}):
            base, mover = file.ends(driver)
            joint = data["joints"][driver["joint"]]
            travel = (file.axis(joint).conjugate() * inside(base, file.links[mover][0], mover)).real
            note("travel", (travel - z) / file.size)
        else:
            first, second = file.ends(driver)
            note("angle", np.sin(0.5 * (motion.angle(second) - motion.angle(first) - z)))
    return out


def _mesh(file: File, joint: dict[str, Any], motion: Any) -> Any:
    """How far the teeth of two wheels are from meeting, as seen from their carrier."""
    first, second = joint["links"]
    carrier = file.turn(motion, joint["carrier"])
    a, b = file.turn(motion, first) - carrier, file.turn(motion, second) - carrier
    if "teeth" in joint:
        n1, n2 = joint["teeth"]
        sign = 1 if joint.get("internal") or (joint["type"] == "belt" and not joint.get("crossed")) else -1
        return np.sin(0.5 * (n1 * a - sign * n2 * b)) / (n1 + n2)
    ratio = Fraction(joint["ratio"]).limit_denominator(1000)
    return np.sin(0.5 * ratio.denominator * (a - joint["ratio"] * b)) / ratio.denominator
