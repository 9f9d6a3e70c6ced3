"""Cams of every kind: random ones as files, sketched by hand from base circle, law and start; and an eccentric."""

from __future__ import annotations

from typing import Any

import numpy as np

import structkin as sk

MOTIONS = ("harmonic", "cycloidal", "modified sine", "modified trapezoid", "3-4-5", "4-5-6-7")
KINDS = [(kind, contact) for kind in ("translating", "oscillating") for contact in ("roller", "knife-edge", "flat")]


def xy(z: complex) -> list[float]:
    return [float(z.real), float(z.imag)]


def cam_file(kind: str, contact: str, rng: np.random.Generator, **cam: Any) -> dict[str, Any]:
    """A cam on the ground with a follower; base circle about 1, lift about 0.4, at a random place in the plane."""
    rise = float(rng.uniform(0.2, 0.4)) * (0.5 if kind == "oscillating" else 1.0)
    parts = rng.uniform(0.6, 1.0, 4)
    parts = (360 * parts / parts.sum()).tolist()
    first, second = rng.choice(MOTIONS, 2).tolist()
    law = [
        {"motion": first, "over": parts[0], "to": rise},
        {"motion": "dwell", "over": parts[1]},
        {"motion": second, "over": parts[2], "to": 0.0},
        {"motion": "dwell", "over": parts[3]},
    ]
    if kind == "oscillating":
        for segment in law:
            if "to" in segment:
                segment["to"] = float(np.degrees(segment["to"]))
    turn = np.exp(1j * rng.uniform(0, 2 * np.pi))
    shaft = complex(*rng.uniform(-1, 1, 2))

    def put(z: complex) -> list[float]:
        return xy(shaft + turn * z)

    offset = float(rng.uniform(-0.3, 0.3))
    reach = float(rng.uniform(1.0, 1.3))
    points: dict[str, list[float]] = {"A": put(0j), "M": put(0.3 + 0.2j)}
    links: dict[str, Any] = {"ground": ["A"], "disc": ["A", "M"]}
    joints: dict[str, Any] = {}
    entry: dict[str, Any] = {"type": "cam", "cam": "disc", "follower": "follower", "law": law}
    if contact == "roller":
        entry |= {"at": "Q", "radius": 0.2}
        reach += 0.2
    elif contact == "knife-edge":
        entry |= {"at": "Q", "contact": "knife-edge"}
    else:
        entry["face"] = ["Q", "F"]
    tilt = np.exp(1j * rng.uniform(-0.2, 0.2)) if contact == "flat" else 1.0
    if kind == "translating":
        points |= {"Q": put(offset + 1j * reach), "F": put(offset + 1j * reach + 0.5 * tilt), "T": put(offset + 3j)}
        links["follower"] = ["Q", "T", "F"]
        order = ["follower", "ground"] if rng.random() < 0.5 else ["ground", "follower"]
        axis = xy(turn * 1j * (1 if rng.random() < 0.5 else -1))
        joints["guide"] = {"type": "prismatic", "links": order, "axis": axis}
    else:
        points |= {"B": put(2.5 + 0.4j), "Q": put(offset + 1j * reach), "F": put(offset + 1j * reach + 0.5 * tilt)}
        links["ground"] = ["A", "B"]
        links["follower"] = ["B", "Q", "F"]
    # the sketch is at the start of the law; its lift is within the law's
    joints["cam"] = {**entry, **cam}
    if rng.random() < 0.5:
        joints["cam"]["direction"] = "clockwise"
    if rng.random() < 0.5:
        joints["cam"]["base"] = float(rng.uniform(0.9, 1.2))
    if rng.random() < 0.5:
        joints["cam"]["start"] = float(rng.uniform(0, 360))
    return {
        "title": f"{kind} {contact}",
        "units": {"angle": "deg"},
        "points": points,
        "links": links,
        "joints": joints,
        "drivers": {"motor": {"joint": "A", "speed": 1.0}},
    }


def eccentric(contact: str, kind: str = "translating", offset: float = 0.2, **entry: Any) -> sk.Mechanism:
    """An eccentric circle of radius 1, 0.3 off its shaft, as a table: the follower moves as in a four-bar."""
    u = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    e = 0.3
    rows = np.stack((u, e * np.cos(u) + np.sqrt(1 - (e * np.sin(u)) ** 2)), axis=1)
    touch = {"roller": {"at": "Q", "radius": 0.4}, "knife-edge": {"at": "Q", "contact": "knife-edge"}}
    reach = {"roller": 1.35, "knife-edge": 0.95, "flat": 1.0}[contact]
    points: dict[str, Any] = {
        "A": (0, 0),
        "M": (0.3, 0),
        "Q": (offset, reach),
        "F": (offset + 1, reach),
        "T": (offset, 3),
    }
    links: dict[str, Any] = {"ground": ["A"], "disc": ["A", "M"], "follower": ["Q", "T", "F"]}
    joints: dict[str, Any] = {"guide": {"type": "prismatic", "links": ["follower", "ground"], "axis": [0, 1]}}
    if kind == "oscillating":
        points["B"] = (3, 0.5)
        links |= {"ground": ["A", "B"], "follower": ["B", "Q", "F"]}
        points.pop("T")
        joints = {}
    cam = {"type": "cam", "cam": "disc", "follower": "follower", **(touch.get(contact) or {"face": ["Q", "F"]})}
    joints["cam"] = {**cam, **(entry or {"profile": rows.tolist()})}
    return sk.Mechanism(
        "eccentric", points=points, links=links, joints=joints, drivers={"motor": {"joint": "A", "speed": 1.0}}
    )
