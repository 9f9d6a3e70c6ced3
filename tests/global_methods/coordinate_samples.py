"""Mechanisms for the global methods, and their frames from a topological motion."""

import cmath
import sys
from pathlib import Path

import numpy as np

import structkin as sk
from structkin.examples import names

sys.path.insert(0, str(Path(__file__).parents[1] / "solve"))
from cam_samples import KINDS, cam_file, eccentric
from geneva_samples import geneva, geneva_linkage
from random_mechanisms import DRIVEN, DYADS, GEARED, build

sys.path.pop(0)

__all__ = [
    "EXAMPLES", "FAMILIES", "KINDS", "METHODS", "MIXED", "SLOTS", "build", "cam_file", "circular_slot", "dense",
    "distinct", "eccentric", "four_bar", "frames_of", "geneva", "geneva_linkage", "scalable", "slider_crank",
    "three_cranks", "train",
]  # fmt: skip

#: The families, and methods that together use every linear solver.
FAMILIES = ("natural", "reference-point", "fully-cartesian", "relative")
METHODS = ("global", "global-sparse", "global-triangular")


EXAMPLES = names()
#: Elements of random mechanisms with gears, belts, racks and rolling among them.
MIXED = (*GEARED, *GEARED, *DYADS, *DRIVEN)


def xy(z):
    return [z.real, z.imag]


def four_bar(crank, coupler, rocker, base, angle, *, side=1):
    B, D = cmath.rect(crank, angle), complex(base)
    d = abs(D - B)
    x = (d * d + coupler**2 - rocker**2) / (2 * d)
    C = B + (D - B) / d * (x + side * 1j * (coupler**2 - x * x) ** 0.5)
    return sk.Mechanism(
        "Four-bar",
        points={"A": [0, 0], "B": xy(B), "C": xy(C), "D": xy(D)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        lengths={"A-B": crank, "B-C": coupler, "C-D": rocker},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def slider_crank(crank, rod, angle=0.8):
    B = cmath.rect(crank, angle)
    C = B.real + (rod**2 - B.imag**2) ** 0.5
    return sk.Mechanism(
        "Slider-crank",
        points={"A": [0, 0], "B": xy(B), "C": [C, 0]},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "axis": [1, 0]}},
        lengths={"A-B": crank, "B-C": rod},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def three_cranks():
    """A parallelogram with a third crank: one link is redundant but consistent."""
    return sk.Mechanism(
        "Three cranks",
        points={"A": [0, 0], "B": [0.5, 1], "C": [2.5, 1], "D": [2, 0], "E": [4, 0], "F": [4.5, 1]},
        links={"ground": ["A", "D", "E"], "first": ["A", "B"], "second": ["D", "C"], "third": ["E", "F"],
               "bar": ["B", "C", "F"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip


#: The position of a circular slot: its pin on a link, shared by two links, on a slide, or in a larger group.
SLOTS = ("in the ground", "in the crank", "in the link that is found", "of a shared pin", "on a slide", "of a platform")


def circular_slot(where):
    """A crank that drives a part guided by a circular slot."""
    places = {"A": [0, 0], "B": [1, 0.5], "C": [2.8, 2], "D": [4, 0], "P": [2, 1.8], "E": [3, 3], "F": [6, 2.5]}
    links = {"ground": ["A", "D"], "crank": ["A", "B"]}
    more = {}
    if where in ("in the ground", "of a shared pin"):
        slot, pin, center, links["rod"] = "ground", "C", "D", ["B", "C", "P"]
        if where == "of a shared pin":
            links |= {"push": ["C", "F"], "slide": ["F"]}
            more = {"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}}
    elif where == "of a platform":
        slot, pin, center = "ground", "C", "D"
        links |= {"rod": ["B", "P"], "plate": ["P", "C", "E"]}
        more = {"other": {"type": "pin-in-slot", "pin": "E", "slot": "ground", "axis": [1, 0.2]}}
    elif where == "on a slide":
        slot, pin, center, links["slide"] = "crank", "C", "B", ["C", "P"]
        more = {"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0.3]}}
    else:
        links["rocker"] = ["D", "C", "P"]
        slot, pin, center = ("crank", "C", "B") if where == "in the crank" else ("rocker", "B", "C")
    used = {point for held in links.values() for point in held}
    return sk.Mechanism(
        f"Circular slot {where}",
        points={name: place for name, place in places.items() if name in used},
        links=links,
        joints={"slot": {"type": "pin-in-slot", "pin": pin, "slot": slot, "center": center}, **more},
        drivers={"motor": {"joint": "A", "law": "0.4636476 + 0.3*sin(t)"}},
        duration=6.0,
    )


def scalable(k):
    """The four-bar with k dyads of Saura et al., sec. 4: crank 2, all other lengths 6."""
    points = {"A": [0, 0], "B": xy(cmath.rect(2, 0.9))}
    links = {"ground": ["A"], "crank": ["A", "B"]}
    before = cmath.rect(2, 0.9)
    for j in range(1, k + 1):
        D = complex(6 * j)
        d = abs(D - before)
        C = before + (D - before) / d * (d / 2 + 1j * (36 - d * d / 4) ** 0.5)
        points |= {f"D{j}": xy(D), f"C{j}": xy(C)}
        links["ground"].append(f"D{j}")
        links |= {f"coupler{j}": [f"C{j - 1}" if j > 1 else "B", f"C{j}"], f"rocker{j}": [f"C{j}", f"D{j}"]}
        before = C
    return sk.Mechanism("Scalable", points=points, links=links, drivers={"motor": {"joint": "A", "speed": 1.0}})


def frames_of(coordinates, motion, order=0):
    """O and U of the links (4 links, samples), or their rates, from a motion."""
    at = (motion.position, motion.velocity, motion.acceleration)[order]
    parts = []
    for link in coordinates.links:
        O, tip = at(0j, link=link), at(1 + 0j, link=link)
        parts += [O.T, (tip - O).T]
    return np.concatenate(parts)


def dense(coordinates, entries):
    """The Jacobian (lanes, m, n) of entries at the pattern."""
    matrices = np.zeros((entries.shape[1], coordinates.m, coordinates.n), entries.dtype)
    matrices[:, coordinates.pattern[0], coordinates.pattern[1]] = entries.T
    return matrices


def distinct(motion, other):
    """The largest difference of two motions at samples ok in both: positions, velocities, accelerations, relative."""
    both = motion.ok & other.ok
    size = motion.size
    gaps, fastest = [], 0.0
    for order in range(3):
        mine, theirs = (
            np.concatenate([
                (x.position, x.velocity, x.acceleration)[order](place, link=link).T[:, both]
                for link in x.mechanism.topology.moving_links
                for place in (0j, complex(size))
            ])
            for x in (motion, other)
        )  # fmt: skip
        if not mine.size:
            gaps.append(np.zeros(0))
            continue
        # Links that only slide at a steady speed have no acceleration except rounding of their v^2.
        least = 1e-3 * max(np.abs(mine).max(), fastest**2 / size)
        scale = size if order == 0 else np.maximum(np.abs(mine).max(axis=0), least)
        fastest = np.abs(mine).max() if order == 1 else 0.0
        gaps.append(np.abs(mine - theirs).max(axis=0) / np.where(scale, scale, 1.0))
    return gaps


def train(ratio=-0.37):
    """Two gears on the ground."""
    return sk.Mechanism(
        points={"A": (0, 0), "P": (1, 0), "B": (3, 0), "Q": (3, 1)},
        links={"ground": ["A", "B"], "first": ["A", "P"], "second": ["B", "Q"]},
        joints={"mesh": {"type": "gear", "links": ["first", "second"], "ratio": ratio}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
