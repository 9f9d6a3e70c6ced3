"""Random mechanisms whose links turn many times against torsion springs, and a chain of rods as their reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from loaded import released
from scipy.integrate import solve_ivp

import structkin as sk


@dataclass(frozen=True)
class Chain:
    """Uniform rods hung on each other at pins with torsion springs, and their initial state."""

    lengths: tuple[float, ...]
    masses: tuple[float, ...]
    angles: tuple[float, ...]
    speeds: tuple[float, ...]
    stiffness: tuple[float, ...]
    damping: tuple[float, ...]
    gravity: tuple[float, float]

    @classmethod
    def random(cls, rng: np.random.Generator) -> Chain:
        n = int(rng.integers(1, 3))

        def some(low: float, high: float) -> tuple[float, ...]:
            return tuple(rng.uniform(low, high, n).tolist())

        speeds = some(-30, 30)
        damping = some(0, 0.1) if rng.random() < 0.5 else (0.0,) * n
        gravity = (float(rng.uniform(-10, 10)), float(rng.uniform(-10, 10))) if rng.random() < 0.5 else (0.0, 0.0)
        return cls(some(0.5, 2), some(0.5, 2), some(-3, 3), speeds, some(0.01, 3), damping, gravity)

    def mechanism(self) -> sk.Mechanism:
        """The chain as a file would describe it: a driver at each pin between a rod and the one before."""
        places = np.cumsum([0, *(l * np.exp(1j * a) for l, a in zip(self.lengths, self.angles, strict=True))])
        n = len(self.lengths)
        links: dict[str, Any] = {"ground": ["P0"]}
        for k in range(n):
            links[f"rod{k}"] = {"points": [f"P{k}", f"P{k + 1}"], "mass": self.masses[k], "shape": "rod"}
        names = list(links)
        relative = np.diff([0.0, *self.speeds])
        return sk.Mechanism(
            points={f"P{k}": (p.real, p.imag) for k, p in enumerate(places)},
            links=links,
            drivers={f"z{k}": {"links": names[k : k + 2], "joint": f"P{k}"} for k in range(n)},
            initial={f"z{k}": {"speed": float(relative[k])} for k in range(n)},
            forces={
                "gravity": self.gravity,
                **{
                    f"s{k}": {
                        "type": "torsion",
                        "links": names[k : k + 2],
                        "stiffness": self.stiffness[k],
                        "damping": self.damping[k],
                    }
                    for k in range(n)
                },
            },
        )

    def turns(self, t: float, faster: float = 1.0) -> np.ndarray:
        """The turns (n,) of the rods at a time, by Lagrange's equations in their angles; `faster` scales the speeds."""
        n, m = len(self.lengths), np.array(self.masses)
        arm = np.tril(np.ones((n, n)), -1) * self.lengths + np.diag(self.lengths) / 2
        inertia = np.diag(m * np.square(self.lengths) / 12)
        both = np.einsum("k,ki,kj->ij", m, arm, arm)
        k, d, drawn = np.array(self.stiffness), np.array(self.damping), np.array(self.angles)

        def rate(_: float, y: np.ndarray) -> np.ndarray:
            theta, omega = y[:n], y[n:]
            apart = theta[:, None] - theta
            bend = np.diff(theta - drawn, prepend=0.0)
            torque = -k * bend - d * np.diff(omega, prepend=0.0)
            across = -np.sin(theta) * self.gravity[0] + np.cos(theta) * self.gravity[1]
            force = torque - np.append(torque[1:], 0.0) + (m @ arm) * across
            force = force - (both * np.sin(apart)) @ omega**2
            return np.concatenate((omega, np.linalg.solve(both * np.cos(apart) + inertia, force)))

        start = np.concatenate((drawn, faster * np.array(self.speeds)))
        found = solve_ivp(rate, (0, t), start, method="DOP853", rtol=1e-9, atol=1e-9)
        return np.asarray(found.y[:n, -1] - drawn)


def four_bar(rng: np.random.Generator) -> sk.Mechanism:
    """A drag link or a crank-rocker that turns fast, with a torsion spring between two links, or on a geared wheel."""
    drag = rng.random() < 0.5
    a, b, c, d = (2, 1.9, 2.1, 0.7) if drag else (0.7, 2, 1.9, 2.1)
    a, b, c, d = (float(x * rng.uniform(0.95, 1.05)) for x in (a, b, c, d))
    angle = float(rng.uniform(-np.pi, np.pi))
    B = a * np.exp(1j * angle)
    span = d - B
    along = (b**2 - c**2 + abs(span) ** 2) / (2 * abs(span))
    side = 1 if rng.random() < 0.5 else -1
    C = B + span / abs(span) * (along + side * 1j * np.sqrt(b**2 - along**2))
    bodies = {"crank": ("A", "B"), "coupler": ("B", "C"), "follower": ("C", "D")}
    links: dict[str, Any] = {"ground": ["A", "D", "W"] if drag else ["A", "D"]}
    for name, points in bodies.items():
        links[name] = {"points": list(points), "mass": float(rng.uniform(0.2, 2)), "shape": "rod"}
    points = {"A": (0, 0), "B": (B.real, B.imag), "C": (C.real, C.imag), "D": (d, 0)}
    joints = {}
    if drag:
        points |= {"W": (d, 3), "V": (d + 0.5, 3)}
        links["wheel"] = {"points": ["W", "V"], "mass": 0.3, "shape": "rod"}
        ratio = float(rng.choice([-3.0, -0.5, -1.0]))
        joints["mesh"] = {"type": "gear", "links": ["wheel", "follower"], "ratio": ratio}
    first, second = rng.permutation(list(links))[:2].tolist()
    coil = {"type": "torsion", "links": [first, second], "stiffness": float(rng.uniform(0.05, 2))}
    return sk.Mechanism(
        points=points,
        links=links,
        joints=joints,
        drivers={"motor": {"joint": "A", "torque": str(float(rng.uniform(-3, 3)))}},
        initial={"motor": {"value": angle + float(rng.uniform(-8, 8)), "speed": float(rng.uniform(-15, 15))}},
        forces={"coil": coil},
    )


def turning(seed: int) -> tuple[sk.Mechanism, Chain | None, float]:
    """A random mechanism, its equivalent chain, if any, and the simulated time [s]."""
    rng = np.random.default_rng([seed, 12])
    kind = seed % 4
    if kind < 2:
        chain = Chain.random(rng)
        return chain.mechanism(), chain, float(rng.uniform(0.3, 1))
    if kind == 2:
        return four_bar(rng), None, float(rng.uniform(0.2, 0.8))
    return released(seed, fastest=6.0), None, 0.3
