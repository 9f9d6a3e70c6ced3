"""Random mechanisms with redundant joints: tables on parallel cranks, scissor lifts, slides and trammels."""

from __future__ import annotations

from typing import Any

import numpy as np

import structkin as sk


def redundant(seed: int, *, driven: bool = True, kind: str = "") -> sk.Mechanism:
    """A random mechanism; its driver moves a little around the sketch by a law, or is free and starts with a speed."""
    rng = np.random.default_rng([seed, 5])
    data = MAKE[kind or KINDS[seed % len(KINDS)]](rng)
    for name, entry in data["links"].items():
        if name != "ground":
            points = [data["points"][point] for point in entry]
            center = np.mean(points, axis=0) + rng.uniform(-0.2, 0.2, 2)
            data["links"][name] = {"points": entry, "mass": rng.uniform(0.5, 3), "inertia": rng.uniform(0.01, 0.2),
                                   "center": center.tolist()}  # fmt: skip
    (id,) = data["drivers"]
    speed = float(rng.uniform(0.2, 1))
    if driven:
        start = sk.Mechanism(**data).drivers[id].start
        data["drivers"][id]["law"] = f"{start!r} + 0.05*sin({speed!r}*t)"
    else:
        data["initial"] = {id: {"speed": 0.1 * speed}}
    return sk.Mechanism(**data, forces={"gravity": rng.uniform(-10, 10, 2).tolist()}, duration=6)


def cranks(rng: Any, n: int | None = None) -> dict[str, Any]:
    """A plate on three to five parallel cranks."""
    n = n or int(rng.integers(3, 6))
    pivots, angle = rng.uniform(-1, 1, (n, 2)), rng.uniform(-3, 3)
    arm = rng.uniform(0.2, 0.6) * np.array([np.cos(angle), np.sin(angle)])
    points = {f"A{i}": tuple(p) for i, p in enumerate(pivots)} | {f"B{i}": tuple(p + arm) for i, p in enumerate(pivots)}
    links = {"ground": [f"A{i}" for i in range(n)], "plate": [f"B{i}" for i in range(n)]}
    links |= {f"crank{i}": [f"A{i}", f"B{i}"] for i in range(n)}
    return {"points": points, "links": links, "drivers": {"motor": {"joint": "A0"}}}


def bars(rng: Any) -> dict[str, Any]:
    """The same with a truss instead of a plate: pins of three links."""
    data = cranks(rng, 3)
    del data["links"]["plate"]
    data["links"] |= {f"bar{i}": [f"B{i}", f"B{(i + 1) % 3}"] for i in range(3)}
    return data


def lift(rng: Any) -> dict[str, Any]:
    """A scissor lift whose platform runs in a vertical guide as well, driven by its lower roller."""
    a, h = rng.uniform(0.5, 1), rng.uniform(0.3, 1)
    points = {"A": (0, 0), "B": (a, 0), "C": (0, h), "D": (a, h), "M": (a / 2, h / 2), "G": (a / 3, h)}
    links = {"ground": ["A"], "up": ["A", "M", "D"], "down": ["B", "M", "C"], "foot": ["B"], "platform": ["C", "G"]}
    joints = {
        "rail": {"type": "prismatic", "links": ["foot", "ground"], "at": "B", "axis": [1, 0]},
        "top": {"type": "pin-in-slot", "pin": "D", "slot": "platform", "axis": [1, 0]},
        "guide": {"type": "prismatic", "links": ["platform", "ground"], "at": "G", "axis": [0, 1]},
    }
    return {"points": points, "links": links, "joints": joints, "drivers": {"screw": {"joint": "rail"}}}


def slides(rng: Any) -> dict[str, Any]:
    """A slider-crank whose slider runs in two or three parallel guides."""
    n, r = int(rng.integers(2, 4)), rng.uniform(0.3, 0.5)
    angle, length = rng.uniform(0.3, 2.8), rng.uniform(0.8, 1.5)
    x = r * np.cos(angle) + np.sqrt(length**2 - (r * np.sin(angle)) ** 2)
    points = {"O": (0, 0), "P": (r * np.cos(angle), r * np.sin(angle)), "Q": (x, 0)}
    points |= {f"S{i}": (x + 0.3 * i, rng.uniform(-0.3, 0.3)) for i in range(n)}
    slider = ["Q", *(f"S{i}" for i in range(n))]
    links = {"ground": ["O"], "crank": ["O", "P"], "rod": ["P", "Q"], "slider": slider}
    joints = {
        f"guide{i}": {"type": "prismatic", "links": ["slider", "ground"], "at": f"S{i}", "axis": [1, 0]}
        for i in range(n)
    }
    return {"points": points, "links": links, "joints": joints, "drivers": {"motor": {"joint": "O"}}}


def trammel(rng: Any) -> dict[str, Any]:
    """A bar on two crossed slides, with its middle also held by a crank (Cardan)."""
    length, angle = rng.uniform(0.5, 1.5), rng.uniform(0.3, 1.2)
    p, q = np.array([length * np.cos(angle), 0]), np.array([0, length * np.sin(angle)])
    points = {"O": (0, 0), "P": tuple(p), "Q": tuple(q), "M": tuple((p + q) / 2)}
    links = {"ground": ["O"], "bar": ["P", "M", "Q"], "crank": ["O", "M"], "across": ["P"], "upright": ["Q"]}
    joints = {
        "x": {"type": "prismatic", "links": ["across", "ground"], "at": "P", "axis": [1, 0]},
        "y": {"type": "prismatic", "links": ["upright", "ground"], "at": "Q", "axis": [0, 1]},
    }
    return {"points": points, "links": links, "joints": joints, "drivers": {"motor": {"joint": "O"}}}


def cylinder(rng: Any) -> dict[str, Any]:
    """Parallel cranks, moved by a cylinder between two of their pins, one of them on the ground."""
    data = cranks(rng)
    return {**data, "drivers": {"ram": {"between": ["A1", "B0"]}}}


MAKE = {"cranks": cranks, "bars": bars, "lift": lift, "slides": slides, "trammel": trammel, "cylinder": cylinder}
KINDS = tuple(MAKE)
