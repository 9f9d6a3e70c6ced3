"""Paths of known six-bars, by the law of cosines: a committed generator, apart from what finds them again."""

from __future__ import annotations

import numpy as np

import structkin as sk

#: The smallest transmission angle of both dyads.
LEAST = np.radians(20)
#: The links that carry the pins E and G of the second dyad, the second beside a ternary link or on the ground.
KINDS = {
    "Watt I": ("coupler", "rocker"),
    "Watt II": ("rocker", "ground"),
    "Stephenson I": ("crank", "rocker"),
    "Stephenson III": ("coupler", "ground"),
}


def mechanism(kind: str) -> sk.Mechanism:
    """Return a six-bar of a kind with a tracer P on the first link of its second dyad; its dimensions do not matter."""
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]}
    first, second = KINDS[kind]
    links[first].append("E")
    links[second].append("G")
    return sk.Mechanism(
        kind,
        points={
            **{"A": (0, 0), "B": (1, 0.5), "C": (3, 2), "D": (4, 0)},
            **{"E": (2, 3.5), "F": (4, 5), "G": (5, 2), "P": (3, 6)},
        },
        links={**links, "link": ["E", "F", "P"], "output": ["F", "G"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip


def known_six_bar(kind: str, seed: int, closed: bool) -> np.ndarray:
    """Return 64 untimed points (64, 2) without noise, of a whole turn or an arc of 40 to 300 deg.

    All distances between pins of a link are log-uniform in 0.3 to 3, the tracer is within 2 of the middle of its link,
    transmission angles are at least 20 deg. Half of all run backwards.
    """
    rng = np.random.default_rng([seed, closed, list(KINDS).index(kind)])
    while True:
        ground, crank, coupler, rocker, link, output = np.exp(rng.uniform(np.log(0.3), np.log(3), 6))
        ends = np.exp(rng.uniform(np.log(0.3), np.log(3), 2) + 2j * np.pi * rng.uniform(size=2))
        tracer = link / 2 + 2 * np.sqrt(rng.uniform()) * np.exp(2j * np.pi * rng.uniform())
        sides, start = rng.choice([-1, 1], 2), rng.uniform(0, 2 * np.pi)
        span, back = np.radians(rng.uniform(40, 300)), int(rng.choice([-1, 1]))
        at = np.arange(64) * np.pi / 32 if closed else np.linspace(0, span, 64)
        turn = start + np.concatenate((np.linspace(0, 2 * np.pi if closed else span, 721), at))
        A, D = np.zeros(len(turn)), np.full(len(turn), ground + 0j)
        B = crank * np.exp(1j * turn)
        C, first = _apex(B, D, coupler, rocker, sides[0])
        lines = {"ground": (A, D), "crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
        E, G = (a + z * (b - a) / abs(b - a) for z, (a, b) in zip(ends, map(lines.get, KINDS[kind]), strict=True))
        F, second = _apex(E, G, link, output, sides[1])
        if not max(np.abs(first).max(), np.abs(second).max()) < np.cos(LEAST):
            continue
        P = (E + tracer * (F - E) / link)[721:][::back]
        P = P * np.exp(2j * np.pi * rng.uniform()) + complex(*rng.normal(size=2))
        return np.stack((P.real, P.imag), axis=1)


def _apex(one: np.ndarray, other: np.ndarray, a: float, b: float, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return where two links a and b from two places meet, and the cosine of the angle between them."""
    far = np.abs(other - one)
    along = (far**2 + a**2 - b**2) / (2 * far)
    high = side * np.sqrt(np.maximum(a**2 - along**2, 0))
    return one + (along + 1j * high) * (other - one) / far, (a**2 + b**2 - far**2) / (2 * a * b)
