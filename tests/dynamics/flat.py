"""Mechanisms with change points and dead points, and their motion from equations in one coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import structkin as sk

ROD = {"shape": "rod", "mass": 1}


def windows(count: int, speed: float = -1.0) -> sk.Mechanism:
    """The N-four-bar of the IFToMM benchmark A02: rods of 1 m and 1 kg, upright, the first tip at `-speed` m/s."""
    points: dict[str, Any] = {}
    links: dict[str, Any] = {"ground": [f"A{i}" for i in range(count + 1)]}
    for i in range(count + 1):
        points |= {f"A{i}": (i, 0), f"B{i}": (i, 1)}
        links[f"crank{i}"] = {"points": [f"A{i}", f"B{i}"], **ROD}
    for i in range(count):
        links[f"bar{i}"] = {"points": [f"B{i}", f"B{i + 1}"], **ROD}
    return sk.Mechanism(
        points=points,
        links=links,
        drivers={"motor": {"joint": "A0"}},
        forces={"gravity": (0, -9.81)},
        initial={"motor": {"speed": speed}},
    )


def windows_angle(count: int, t: Any, speed: float = -1.0, angle: float = np.pi / 2) -> Any:
    """The angle (n,) of all cranks: ((N + 1) / 3 + N) theta'' = -g ((N + 1) / 2 + N) cos(theta)."""
    return _integrated(_windows_second(count), [angle, speed], t).y[0]


def flat_times(count: int, number: int) -> list[float]:
    """The first times at which the cranks of the windows lie flat: at the angles 0, -pi, -2 pi, ..."""
    found = _integrated(_windows_second(count), [np.pi / 2, -1.0], (0, 20.5), events=lambda _, x: np.sin(x[0]))
    return list(found.t_events[0][:number])


def _windows_second(count: int) -> Any:
    a = 9.81 * ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
    return lambda x: -a * np.cos(x[0])


def slider_crank(coordinate: str = "crank") -> sk.Mechanism:
    """Two rods of 1 m and 1 kg, a slider without mass, at 45 degrees with -4 m/s (Roupa et al., fig. 3)."""
    half = np.sqrt(0.5)
    joint, speed = ("A", 2 / half) if coordinate == "crank" else ("guide", -4.0)
    return sk.Mechanism(
        points={"A": (0, 0), "B": (half, half), "C": (2 * half, 0)},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], **ROD},
            "rod": {"points": ["B", "C"], **ROD},
            "slide": ["C"],
        },
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}},
        drivers={coordinate: {"joint": joint}},
        forces={"gravity": (0, -9.81)},
        initial={coordinate: {"speed": speed}},
    )


def slider_crank_angle(t: Any) -> Any:
    """The crank's angle (n,): T = theta'^2 (1/3 + 1/12 + 9/4 sin^2 + 1/4 cos^2) / 2, V = g sin(theta)."""

    def second(x: Any) -> float:
        s, c = np.sin(x[0]), np.cos(x[0])
        inertia, slope = 1 / 3 + 1 / 12 + 2.25 * s * s + 0.25 * c * c, 4 * s * c
        return float((-9.81 * c - 0.5 * slope * x[1] ** 2) / inertia)

    return _integrated(second, [np.pi / 4, 2 / np.sqrt(0.5)], t).y[0]


def crank_rocker(coordinate: str, base: str | None = None, speed: float = 9.0) -> sk.Mechanism:
    """A crank-rocker with its crank or its rocker as coordinate, on the ground or on an arm that turns."""
    points: dict[str, Any] = {"A": (0, 0), "B": (0.4, 0.3), "C": (1.5, 1.3), "D": (2, 0)}
    links: dict[str, Any] = {
        "ground": ["A", "D"],
        "crank": {"points": ["A", "B"], **ROD},
        "coupler": {"points": ["B", "C"], **ROD},
        "rocker": {"points": ["D", "C"], **ROD},
    }
    drivers: dict[str, Any] = {}
    initial: dict[str, Any] = {coordinate: {"speed": speed}}
    if base is not None:
        points["O"] = (-1, 0)
        links |= {"ground": ["O"], "arm": {"points": ["O", "A", "D"], "mass": 2, "center": [0.5, 0.2], "inertia": 0.7}}
        drivers["turn"] = {"joint": "O"} if base == "free" else {"joint": "O", "law": base}
    drivers[coordinate] = {"links": ["ground" if base is None else "arm", coordinate]}
    return sk.Mechanism(points=points, links=links, drivers=drivers, forces={"gravity": (0, -9.81)}, initial=initial)


def rocker_speed() -> float:
    """The rocker's speed [rad/s] where the crank starts at 9 rad/s."""
    motion = crank_rocker("crank").solve(drivers={"crank": ([np.arctan2(0.3, 0.4)], [9.0])})
    return float(motion.omega("rocker")[0])


def _integrated(second: Any, start: list[float], t: Any, **more: Any) -> Any:
    call: dict[str, Any] = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "t_eval": t, **more}
    return solve_ivp(lambda _, x: [x[1], second(x)], (t[0], t[-1]), start, **call)
