"""The scalable four-bar of Saura et al., sec. 4 and Fig. 3: a crank and as many dyads as wanted.

Dyad j joins the pin C_(j-1) of the one before (the crank's end for the first) with the ground at D_j = (6j, 0). As
published the crank measures 2 and all else 6, so that every dyad after the first closes a rhombus. The variant has
unequal lengths. With several drivers, D_1, D_2, ... are themselves the ends of small cranks.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from structkin.groups import RRR
from structkin.model import Mechanism

CRANK, LENGTH, SMALL_CRANK = 2.0, 6.0, 0.1
#: Speeds of the drivers [rad/s]; the first is the paper's.
SPEEDS = (1.0, 0.7, 1.3, 0.9)
#: Unequal lengths differ by this fraction, and every rocker stays between these directions [rad] over the whole turn:
#: otherwise a long chain would come to a pose that it cannot reach.
SPREAD, LOW, HIGH = 0.05, 1.0, 2.75
#: After so many refused draws a dyad's lengths are drawn from half as far around those of a parallelogram, whose rocker
#: swings as the one before: where that swings all the way between these directions, few others fit.
REFUSED = 20


def scalable_four_bar(dyads: int, drivers: int = 1, *, seed: int | None = None) -> Mechanism:
    """Return the mechanism with `dyads` dyads [m]; lengths are those published, or random where a seed is given.

    >>> m = scalable_four_bar(3)
    >>> len(m.links), m.links["coupler2"].local["C2"], m.structure().groups[3].kind
    (8, (6+0j), 'RRR')
    """
    ends = _ends(dyads, drivers)
    rng = None if seed is None else np.random.default_rng(seed)
    pins, lengths = _chain(ends, rng)
    points = {"A": (0.0, 0.0), "C0": pins[0]}
    links: dict[str, list[str]] = {"ground": ["A"], "crank": ["A", "C0"]}
    motors = {"motor": {"joint": "A", "speed": SPEEDS[0]}}
    for j in range(1, dyads + 1):
        points |= {f"C{j}": pins[j], f"D{j}": tuple(ends[j][:, 0])}
        links |= {f"coupler{j}": [f"C{j - 1}", f"C{j}"], f"rocker{j}": [f"C{j}", f"D{j}"]}
        if j < drivers:
            points[f"E{j}"] = (LENGTH * j, 0.0)
            links[f"crank{j}"] = [f"E{j}", f"D{j}"]
            motors[f"motor{j}"] = {"joint": f"E{j}", "speed": SPEEDS[j % len(SPEEDS)]}
        links["ground"].append(f"E{j}" if j < drivers else f"D{j}")
    exact = {f"C{j - 1}-C{j}": pair[0] for j, pair in enumerate(lengths, 1)}
    exact |= {f"C{j}-D{j}": pair[1] for j, pair in enumerate(lengths, 1)}
    return Mechanism(f"Scalable four-bar, {dyads} dyads", points=points, links=links, lengths=exact, drivers=motors)


def _ends(dyads: int, drivers: int) -> list[np.ndarray]:
    """Return the places (2, n) of the crank's end and of D_1, D_2, ... over poses of all cranks."""
    turn = np.linspace(0.0, 2 * np.pi, 360, endpoint=False) if drivers == 1 else np.arange(1500) * 0.35
    circle = [np.stack((np.cos(speed * turn), np.sin(speed * turn))) for speed in SPEEDS]
    ends = [CRANK * circle[0]]
    for j in range(1, dyads + 1):
        center = np.array([[LENGTH * j], [0.0]])
        ends.append(center + SMALL_CRANK * circle[j % len(SPEEDS)] if j < drivers else center)
    return ends


def _chain(
    ends: list[np.ndarray], rng: np.random.Generator | None
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the pins C_0, C_1, ... in the first pose and the two lengths of each dyad."""
    dyad, C = RRR(), ends[0]
    pins, lengths, alike = [(float(C[0, 0]), float(C[1, 0]))], [], (0.0, 0.0)
    for D in ends[1:]:
        for draw in count():
            far = 0.5 ** (draw // REFUSED)
            a, b = (0.0, 0.0) if rng is None else far * rng.uniform(-SPREAD, SPREAD, 2) + (1 - far) * np.array(alike)
            pair = LENGTH * (1 + float(a)), LENGTH * (1 + float(b))
            h = (C, D, 0.5 * pair[0] ** 2, 0.5 * pair[1] ** 2)
            with np.errstate(invalid="ignore"):
                # The published chain lies above the ground: each pin is left of the line from the last one to D.
                (tip,) = dyad.position(h, np.sqrt(np.asarray(dyad.discriminant(h))))
            rocker = np.arctan2(tip[1] - D[1], tip[0] - D[0])
            if rng is None or (rocker.min() > LOW and rocker.max() < HIGH):
                break
        C = tip
        pins.append((float(C[0, 0]), float(C[1, 0])))
        lengths.append(pair)
        alike = 0.0, float(b)
    return pins, lengths
