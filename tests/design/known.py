"""Paths of known four-bars, by the law of cosines: a committed generator, apart from what finds them again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: The smallest transmission angle.
LEAST = np.radians(20)


class Known(NamedTuple):
    """Points (64, 2) of a four-bar with these lengths and this tracer z = (P - B) / (C - B) * coupler."""

    points: np.ndarray
    ground: float
    crank: float
    coupler: float
    rocker: float
    tracer: complex
    side: int


def drawn(crank_angle, ground, crank, coupler, rocker, tracer, side):
    """Return the places (n,) of the tracer, the pivots at 0 and `ground`; C left of BD for the side +1."""
    B = crank * np.exp(1j * crank_angle)
    across = ground - B
    far = np.abs(across)
    along = (far**2 + coupler**2 - rocker**2) / (2 * far)
    unit = (along + 1j * side * np.sqrt(coupler**2 - along**2)) * across / far / coupler
    return B + tracer * unit


def known(seed: int, closed: bool) -> Known:
    """Return a random target of 64 untimed points without noise, a whole turn or an arc of 40 to 300 deg.

    Lengths are log-uniform in 0.3 to 3, the tracer is within 2 of the coupler's middle, transmission angles are at
    least 20 deg. Half of the whole turns are sampled at random crank angles, half evenly; half of all run backwards.
    """
    rng = np.random.default_rng(seed)
    while True:
        ground, crank, coupler, rocker = np.exp(rng.uniform(np.log(0.3), np.log(3), 4)).tolist()
        tracer = coupler / 2 + 2 * np.sqrt(rng.uniform()) * np.exp(2j * np.pi * rng.uniform())
        side, start, span = int(rng.choice([-1, 1])), rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(40, 300))
        turn = np.linspace(0, 2 * np.pi if closed else span, 721)
        diagonal = np.abs(ground - crank * np.exp(1j * (start + turn)))
        cosine = (coupler**2 + rocker**2 - diagonal**2) / (2 * coupler * rocker)
        if np.abs(cosine).max() > np.cos(LEAST):
            continue
        at = np.linspace(0, span, 64)
        if closed:
            even = rng.uniform() < 0.5
            at = np.arange(64) * np.pi / 32 if even else np.sort(rng.uniform(0, 2 * np.pi, 64))
        places = drawn(start + at, ground, crank, coupler, rocker, tracer, side)[:: int(rng.choice([-1, 1]))]
        places = places * np.exp(1j * rng.uniform(0, 2 * np.pi)) + complex(*rng.normal(size=2))
        points = np.stack((places.real, places.imag), axis=1)
        return Known(points, ground, crank, coupler, rocker, tracer, side)
