"""Paths of mechanisms with general groups, by `Mechanism.solve`: those of a given one with other dimensions."""

from __future__ import annotations

import numpy as np

import structkin as sk


def given(name: str) -> tuple[sk.Mechanism, str]:
    """Return a mechanism whose structure has a general group, and its tracer."""
    m = sk.load(sk.examples.path(name))
    if name != "stephenson_iii_triad":
        return m, "C"
    # The plate is the coupler of a four-bar: only its rod has a tracer with a curve of higher order.
    data = m.source_dict
    data["points"]["T"] = [-30, 170]
    data["links"]["rod"] = ["F", "P", "T"]
    return sk.Mechanism.from_dict(data), "T"


def known_triad(name: str, seed: int, closed: bool, spread: float, count: int = 64) -> np.ndarray:
    """Return untimed points (count, 2) of a whole turn or an arc of 60 to 250 deg, without noise.

    Every pin is moved by up to `spread` of its distance to the next one on its link.
    """
    m, tracer = given(name)
    (motor,) = m.drivers
    rng = np.random.default_rng([seed, closed])
    while True:
        other = m.source_dict
        scale = m.units.length_scale
        for pin, place in m.places.items():
            near = min(abs(place - m.places[q]) for link in m.links.values() if pin in link.points
                       for q in link.points if q != pin)  # fmt: skip
            other["points"][pin] = ((m.points[pin] + spread * near * rng.uniform(-1, 1, 2)) / scale).tolist()
        span = 2 * np.pi if closed else np.radians(rng.uniform(60, 250))
        first = rng.uniform(0, 2 * np.pi)
        turns = np.linspace(0, 2 * np.pi, count, endpoint=False) if closed else first + np.linspace(0, span, count)
        try:
            variant = sk.Mechanism.from_dict(other)
            start = variant.drivers[motor].start
            ways = np.linspace(0, 2 * np.pi if closed else first + span, 361)
            motion = variant.solve(drivers={motor: start + ways})
            if motion.ok.all() and (not closed or np.ptp(motion.position(tracer)[[0, -1]], axis=0).max() < 1e-9):
                return variant.solve(drivers={motor: start + turns}).position(tracer)
        except sk.InputError:
            continue
