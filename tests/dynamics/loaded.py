"""Random mechanisms with random masses and loads, and plain sums over their links to check forces with."""

from __future__ import annotations

from typing import Any

import numpy as np
from random_mechanisms import Menu, build

import structkin as sk


def loaded(seed: int, elements: int = 3, menu: Menu | None = None) -> sk.Mechanism:
    """A random mechanism in which every link has a mass and every kind of load acts."""
    return burdened(build(seed, elements, menu=menu).data, seed)


def released(seed: int, fastest: float = 0.1, menu: Menu | None = None, share: float = 0.6) -> sk.Mechanism:
    """A loaded random mechanism with a share of its drivers free, with efforts and initial speeds."""
    data = loaded(seed, menu=menu).source_dict
    rng = np.random.default_rng([seed, 3])
    ids = list(data["drivers"])
    for id in [id for id in ids if rng.random() < share] or ids[:1]:
        entry = data["drivers"][id]
        for key in ("speed", "law", "table", "csv"):
            entry.pop(key, None)
        angle = "between" not in entry and entry.get("joint") not in data.get("joints", {})
        entry["torque" if angle else "force"] = "1.5 + t"
        data.setdefault("initial", {})[id] = {"speed": float(rng.uniform(-fastest, fastest))}
    return sk.Mechanism.from_dict(data)


def burdened(plain_data: dict[str, Any], seed: int) -> sk.Mechanism:
    """A mechanism with masses and loads of every kind added."""
    data = named(plain_data)
    rng = np.random.default_rng([seed, 7])
    scale = data.get("units", {}).get("length", "m")
    for name, points in list(data["links"].items()):
        entry = dict(points) if isinstance(points, dict) else {"points": points}
        if name == "ground" or not entry["points"]:
            continue
        place = np.mean([data["points"][point] for point in entry["points"]], axis=0)
        entry.pop("shape", None)  # it would define centre and inertia
        entry["mass"] = f"{rng.uniform(0.5, 3)} kg"
        entry["center"] = (place + rng.uniform(-0.3, 0.3, 2) * np.linalg.norm(place)).tolist()
        entry["inertia"] = rng.uniform(0.01, 0.2)
        data["links"][name] = entry
    plain = sk.Mechanism.from_dict(data)
    moving = [link for link in plain.links.values() if link.name != "ground"]
    one, two = (moving[int(k)] for k in rng.integers(len(moving), size=2))
    forces: dict[str, Any] = {
        "gravity": rng.uniform(-10, 10, 2).tolist(),
        "f": {"type": "force", "at": one.points[-1], "on": one.name, "law": ["3 + t", "sin(t)"]},
        "g": {"type": "force", "at": two.points[0], "on": two.name, "value": [1, -2], "frame": "local"},
        "m": {"type": "moment", "links": [one.name, "ground"], "law": "2*cos(t)"},
        "c": {"type": "torsion", "links": ["ground", two.name], "stiffness": 2, "damping": 0.3, "actuator": "t"},
    }
    a, b = one.points[0], moving[-1].points[-1]
    if plain.places[a] != plain.places[b]:
        sizes = {"stiffness": 30, "free_length": f"0.1 {scale}", "damping": 0.5, "actuator": "1 + t"}
        forces["s"] = {"type": "spring", "between": [a, b], **sizes}
    for joint in plain.topology.joints:
        if joint.kind in "PS":
            forces["r"] = {"type": "friction", "joint": joint.id, "limit": 2, "transition": 0.1}
    pin = next((joint for joint in plain.topology.joints if joint.kind == "R"), None)
    if pin is not None:
        links = list(pin.links[:2])
        forces["q"] = {"type": "friction", "joint": pin.id, "links": links, "limit": 0.5, "transition": 1}
    return sk.Mechanism.from_dict({**data, "forces": forces})


def named(data: dict[str, Any]) -> dict[str, Any]:
    """The same mechanism with link names that are not point names."""
    name = {link: link if link == "ground" else f"{link} link" for link in data["links"]}
    data["links"] = {name[link]: entry for link, entry in data["links"].items()}
    for entry in (*data.get("joints", {}).values(), *data["drivers"].values()):
        if "links" in entry:
            entry["links"] = [name[link] for link in entry["links"]]
        for key in ("slot", "on", "carrier", "cam", "follower", "crank", "wheel"):
            if key in entry:
                entry[key] = name[entry[key]]
    return data


def turned(v: Any) -> Any:
    return np.stack((-v[:, 1], v[:, 0]), axis=1)


def cross(a: Any, b: Any) -> Any:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def virtual_work(r: Any) -> Any:
    """Driver efforts (n, f) as K^T times all applied and inertia forces (K of a point and of each link's angle)."""
    motion = r.motion
    m, n = motion.mechanism, len(motion)
    total = np.zeros((n, len(m.drivers)))
    for body in r.bodies:
        name = body.link
        first = m.links[name].points[0]
        KO = motion.K(first)
        Kt = motion.K(name)
        O = motion.position(first, name)
        c = motion.position(body.center, name)
        Kc = KO + turned(c - O)[:, :, None] * Kt[:, None, :]
        a = motion.acceleration(body.center, name)
        force = r.applied.force[name] - body.mass * a
        moment = r.applied.moment[name] - cross(c - O, r.applied.force[name]) - body.inertia * motion.alpha(name)
        total -= np.einsum("nif,ni->nf", Kc, force) + Kt * moment[:, None]
    return total


def on_link(r: Any, name: str) -> Any:
    """Force and moment (3, n) about the origin of a link's frame from all joints and drivers, as a user reads them.

    A slot or cylinder on a shared pin acts on the pin, which passes it on.
    """
    motion, m = r.motion, r.motion.mechanism
    total = np.zeros((3, len(motion)))

    def push(at: Any, force: Any) -> None:
        total[:2] += force.T
        total[2] += cross(at - motion.position(0j, name), force)

    for joint in m.topology.joints:
        if name in joint.links:
            push(r.reaction_place(joint.id, name), r.reaction(joint.id, name))
            total[2] += r.reaction_moment(joint.id, name)
    for driver in m.topology.drivers:
        if name not in driver.links:
            continue
        drive, effort = m.drivers[driver.id], r.driver(driver.id)
        sign = 1.0 if name == driver.links[1] else -1.0
        if drive.kind == "angle":
            total[2] += sign * effort
        elif drive.kind == "slide":
            guide = m.joints[drive.joint]
            u = motion.position(guide.direction, guide.carrier) - motion.position(0j, guide.carrier)
            sign = 1.0 if name == guide.slider else -1.0
            point, link = guide.point, guide.slider
            if getattr(guide, "on_slider", False):  # the line is the rod's: it is pushed at its bush
                point, link = guide.bearing_place(m.links)
            push(motion.position(point, link), sign * effort[:, None] * u)
        else:
            (a, p), (b, q) = drive.ends
            ends = motion.position(p, a), motion.position(q, b)
            u = (ends[1] - ends[0]) / np.hypot(*(ends[1] - ends[0]).T)[:, None]
            push(ends[1] if sign > 0 else ends[0], sign * effort[:, None] * u)
    return total
