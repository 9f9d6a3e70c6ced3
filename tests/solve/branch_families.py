"""Families of mechanisms that pass flat poses, drawn at random, each also as plain numbers for the judge of branches.

A mechanism is drawn as points; a coordinate of a driver is its change from the sketch. `off` moves one joint of the
sketch by that part of the size, so that flat poses are missed by a height of that order. Paths run over full turns, or
reverse and bend at and beside the flat poses, which a first walk of the judge finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from branch_judge import GREY, Linkage, Slide, Turn, Walk, along

import structkin as sk

OFFS = (0.0, *(10.0**-k for k in range(12, 2, -1)))
#: Distances from a flat pose at which paths reverse and bend [rad].
BESIDE = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1)


class UnfitError(Exception):
    """The randomly drawn mechanism does not close, or begins near a flat pose."""


@dataclass(frozen=True)
class Draft:
    """A mechanism before it is scaled, rotated and mirrored; see `Linkage`."""

    points: Mapping[str, complex]
    ground: Sequence[str]
    links: Mapping[str, Sequence[str]]
    driven: Sequence[Turn | Slide]
    drivers: Mapping[str, Mapping[str, Any]]
    bodies: Sequence[str]
    lengths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    slots: Sequence[tuple[str, str, str]] = ()
    joints: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tracers: Mapping[str, str] = field(default_factory=dict)
    #: What holds in every pose on the branch: P - Q as in the sketch, (P, Q), or equal to R - S, (P, Q, R, S).
    level: Sequence[tuple[str, ...]] = ()
    #: The joint that `off` moves.
    loose: str = "C"
    #: Whether the width of a gap is the root of `off` times a small length: what counts as flat is not judged.
    narrow: bool = False
    reach: float = 2 * np.pi
    #: The direction of the first walk of the drivers, if it must meet the flat pose.
    way: Sequence[float] | None = None
    unit: float = 1.0


@dataclass(frozen=True)
class Case:
    """A mechanism, its linkage for the judge, and a path of changes of its driver values with corners (n, drivers)."""

    family: str
    seed: int
    off: float
    mechanism: sk.Mechanism
    corners: Any
    draft: Draft
    #: Whether the drivers run at constant speeds over one second.
    steady: bool
    #: Whether the samples begin at the first corner behind the sketch.
    late: bool
    #: The walk along the path.
    walk: Walk

    @property
    def size(self) -> float:
        return self.walk.system.linkage.size

    def samples(self, count: int) -> tuple[Any, Any, Any]:
        """Segments, distances along them and changes of the driver values (n, drivers), corners among them."""
        segment, distance, change = along(self.corners, count, self.walk.unit)
        first = int(np.argmax(segment > 0)) - 1 if self.late else 0
        return segment[first:], distance[first:], change[first:]

    def judged(self, count: int) -> tuple[Any, Any, Any]:
        """What `Walk.at` gives at the samples, with what `off` leaves open taken off what is sure."""
        segment, s, _ = self.samples(count)
        X, sure, near = self.walk.at(segment, s)
        until = (len(self.corners), 0.0)
        if GREY[0] < self.off < GREY[1]:
            until = self.walk.first(1e-2)
        elif self.draft.narrow and self.off > GREY[0]:
            until = self.walk.first(0.0)
        elif self.draft.narrow and len(self.draft.drivers) > 1:
            # Whether pins meet or pass each other in a flat zone around a corner, the walk cannot tell.
            lengths = np.linalg.norm(np.diff(self.corners, axis=0) / self.walk.unit, axis=1)
            until = min([(k, low) for k, low, high in self.walk.flats if high > lengths[k]], default=until)
        return X, sure & np.array([place <= until for place in zip(segment, s, strict=True)]), near

    def motion(self, count: int, **options: Any) -> Any:
        if self.steady:
            return self.mechanism.solve(len(self.samples(count)[0]), duration=1.0, **options)
        change = self.samples(count)[2]
        values = {id: one.start + change[:, k] for k, (id, one) in enumerate(self.mechanism.drivers.items())}
        return self.mechanism.solve(drivers=values, **options)


# --- parts --------------------------------------------------------------------------------------------------------


def circle(B: complex, D: complex, b: float, c: float, side: float) -> complex:
    """The joint of two bars on B and D."""
    r = abs(D - B)
    if r < 1e-12:
        raise UnfitError
    x = (r * r + b * b - c * c) / (2 * r)
    if b * b < x * x:
        raise UnfitError
    return B + (D - B) / r * complex(x, side * np.sqrt(b * b - x * x))


def arrow(rng: Any, low: float = 0.4, high: float = 2.0) -> complex:
    return complex(rng.uniform(low, high) * np.exp(1j * rng.uniform(0, 2 * np.pi)))


def side(rng: Any) -> float:
    return float(rng.choice((-1.0, 1.0)))


MOTOR = {"m": {"joint": "A"}}


def four_bar(a: float, b: float, c: float, d: float, rng: Any, **more: Any) -> Draft:
    """A four-bar by its lengths, crank at a random angle from the ground."""
    A, D = 0j, complex(d)
    B = complex(a * np.exp(1j * rng.uniform(0, 2 * np.pi)))
    return _four_bar(A, B, circle(B, D, b, c, side(rng)), D, **more)


def _four_bar(A: complex, B: complex, C: complex, D: complex, **more: Any) -> Draft:
    return Draft(
        points={"A": A, "B": B, "C": C, "D": D},
        ground=("A", "D"),
        links={"ground": ["A", "D"], "crank": ["A", "B"], "rod": ["B", "C"], "rock": ["D", "C"]},
        driven=(Turn("A", ("B",), (1.0,)),),
        drivers=MOTOR,
        bodies=("rod", "rock"),
        **{"tracers": {"T": "rod"}, **more},
    )


# --- the families -------------------------------------------------------------------------------------------------


def change_point_four_bar(rng: Any) -> Draft:
    """The shortest and the longest bar together are as long as the two others, in every order of the bars."""
    x, y, p = rng.uniform(0.4, 2.0, 3)
    q = x + y - p
    if q < 0.2:
        raise UnfitError
    pairs = [[x, y], [p, q]]
    rng.shuffle(pairs)
    first, second = (rng.permutation(pair) for pair in pairs)
    bars = np.array([first[0], second[0], second[1], first[1]])
    # ground + crank = rod + rock, ground + rod = crank + rock, or ground + rock = crank + rod
    order = rng.choice(3)
    a, b, c, d = bars[[[0, 1, 2, 3], [1, 0, 2, 3], [1, 2, 0, 3]][order]]
    return four_bar(a, b, c, d, rng)


def parallelogram(rng: Any) -> Draft:
    A, D, AB = 0j, arrow(rng), arrow(rng)
    return _four_bar(A, AB, D + AB, D, level=(("C", "B"),))


def antiparallelogram(rng: Any) -> Draft:
    """The bars of a parallelogram, assembled crossed."""
    a, b = rng.uniform(0.4, 2.0, 2)
    A, D = 0j, complex(b)
    B = complex(a * np.exp(1j * rng.uniform(0, 2 * np.pi)))
    n = (D - B) / abs(D - B)
    return _four_bar(A, B, B + n * n * D.conjugate(), D)


def kite(rng: Any) -> Draft:
    """Two pairs of equal neighbours: B comes to D, or C to A."""
    p, q = rng.uniform(0.4, 2.0, 2)
    return four_bar(*((p, q, q, p) if rng.random() < 0.5 else (p, p, q, q)), rng)


def narrow_four_bar(rng: Any) -> Draft:
    """Ground - crank = rock - rod is small beside the crank: all lengths are exact in binary."""
    g = 2.0 ** -rng.integers(0, 31) * side(rng)
    b = rng.integers(13, 40) / 16
    a, c, d = 1.0, b + g, 1.0 + g
    if min(c, d) <= 0.1:
        raise UnfitError
    draft = four_bar(a, b, c, d, rng)
    return replace(draft, lengths={("A", "B"): a, ("B", "C"): b, ("D", "C"): c, ("A", "D"): d}, narrow=True, tracers={})


def narrow_slot(rng: Any) -> Draft:
    """A pin on a crank drives a slot that passes its pivot at ground - crank: an inverted slider-crank."""
    g = 2.0 ** -rng.integers(0, 31)
    a, d = (1.0, 1.0 + g) if rng.random() < 0.5 else (1.0 + g, 1.0)
    A, D = 0j, complex(d)
    B = complex(a * np.exp(1j * rng.uniform(0, 2 * np.pi)))
    along_, sign = np.sqrt(abs(B - D) ** 2 - g * g), side(rng)
    # D + u (along - i sign g) = B, u the direction of the slot
    u = (B - D) / (along_ - 1j * sign * g)
    u = u / abs(u)
    foot = D - 1j * sign * g * u
    return Draft(
        points={"A": A, "B": B, "D": D, "P": foot + u, "Q": foot + 2 * u},
        ground=("A", "D"),
        links={"ground": ["A", "D"], "crank": ["A", "B"], "swing": ["D", "P", "Q"]},
        driven=(Turn("A", ("B",), (1.0,)),),
        drivers=MOTOR,
        bodies=("swing",),
        slots=(("B", "P", "Q"),),
        joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "swing", "along": ["P", "Q"]}},
        loose="A",
        narrow=True,
    )


def equal_rods(rng: Any) -> Draft:
    """A slider-crank whose rod is as long as its crank, its guide through the crank's pivot."""
    r = rng.uniform(0.5, 2.0)
    B = complex(r * np.exp(1j * rng.uniform(0, 2 * np.pi)))
    return Draft(
        points={"A": 0j, "B": B, "C": complex(2 * B.real), "P": complex(-3 * r), "Q": complex(3 * r)},
        ground=("A", "P", "Q"),
        links={"ground": ["A", "P", "Q"], "crank": ["A", "B"], "rod": ["B", "C"]},
        driven=(Turn("A", ("B",), (1.0,)),),
        drivers=MOTOR,
        bodies=("rod",),
        slots=(("C", "P", "Q"),),
        joints={"guide": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "along": ["P", "Q"]}},
        tracers={"T": "rod"},
        loose="B",
    )


def parallelogram_in_triad(rng: Any) -> Draft:
    """A parallelogram A-B-C-D with a plate for its coupler, driven through a rod on the plate (Stephenson III)."""
    A, D, AB, E, G = 0j, arrow(rng), arrow(rng), arrow(rng, 0.4, 2.5), arrow(rng, 0.5, 3)
    F = G + arrow(rng, 0.2, 1.0)
    return Draft(
        points={"A": A, "B": A + AB, "C": D + AB, "D": D, "E": E, "F": F, "G": G},
        ground=("A", "D", "G"),
        links={
            "ground": ["A", "D", "G"], "drive": ["G", "F"], "rod": ["F", "E"], "left": ["A", "B"],
            "plate": ["B", "C", "E"], "right": ["D", "C"],
        },
        driven=(Turn("G", ("F",), (1.0,)),),
        drivers={"m": {"joint": "G"}},
        bodies=("rod", "left", "plate", "right"),
        level=(("C", "B"), ("E", "B")),
        tracers={"T": "rod"},
    )  # fmt: skip


def parallelogram_behind_triad(rng: Any) -> Draft:
    """A parallelogram D-S-U-H as a dyad behind a triad, itself with or without a parallelogram."""
    draft = parallelogram_in_triad(rng)
    points = dict(draft.points)
    even = rng.random() < 0.3
    if not even:
        points["C"] = points["D"] + arrow(rng)
    S, H = points["D"] + arrow(rng), arrow(rng)
    points |= {"S": S, "H": H, "U": H + S - points["D"]}
    return replace(
        draft,
        points=points,
        ground=(*draft.ground, "H"),
        links={
            **draft.links, "ground": ["A", "D", "G", "H"], "right": ["D", "C", "S"], "cup": ["S", "U"],
            "last": ["H", "U"],
        },
        bodies=(*draft.bodies, "cup", "last"),
        level=(("U", "S"), *(draft.level if even else ())),
        tracers={"T": "cup"},
        loose="U",
    )  # fmt: skip


def chained_parallelograms(rng: Any) -> Draft:
    """Two parallelograms one behind the other, driven at the first crank."""
    A, D, H, AB, DS = 0j, arrow(rng), arrow(rng), arrow(rng), arrow(rng)
    return Draft(
        points={"A": A, "B": AB, "C": D + AB, "D": D, "S": D + DS, "H": H, "U": H + DS},
        ground=("A", "D", "H"),
        links={
            "ground": ["A", "D", "H"], "crank": ["A", "B"], "rod": ["B", "C"], "right": ["D", "C", "S"],
            "cup": ["S", "U"], "last": ["H", "U"],
        },
        driven=(Turn("A", ("B",), (1.0,)),),
        drivers=MOTOR,
        bodies=("rod", "right", "cup", "last"),
        level=(("C", "B"), ("U", "S")),
        tracers={"T": "cup"},
        loose=str(rng.choice(["C", "U"])),
    )  # fmt: skip


def nested_parallelograms(rng: Any) -> Draft:
    """Two parallelograms in one group: the drive's rod holds the coupler of the second."""
    draft = chained_parallelograms(rng)
    G = arrow(rng, 0.5, 3.0)
    points = {**draft.points, "V": arrow(rng), "G": G, "F": G + arrow(rng, 0.2, 1.0)}
    return replace(
        draft,
        points=points,
        ground=("A", "D", "H", "G"),
        links={
            **draft.links, "ground": ["A", "D", "H", "G"], "cup": ["S", "U", "V"], "drive": ["G", "F"],
            "bar": ["F", "V"],
        },
        driven=(Turn("G", ("F",), (1.0,)),),
        drivers={"m": {"joint": "G"}},
        bodies=("crank", "rod", "right", "cup", "last", "bar"),
        level=(("C", "B"), ("U", "S"), ("V", "S")),
        tracers={"T": "rod"},
    )  # fmt: skip


def three_legs(rng: Any) -> Draft:
    """A plate on three equal parallel legs: one bar more than needed."""
    A0, A1, A2, leg = 0j, arrow(rng), arrow(rng), arrow(rng)
    if min(abs(A1 - A2), abs((A1.conjugate() * A2).imag)) < 0.1:
        raise UnfitError
    return Draft(
        points={"A0": A0, "A1": A1, "A2": A2, "B0": A0 + leg, "B1": A1 + leg, "B2": A2 + leg},
        ground=("A0", "A1", "A2"),
        links={
            "ground": ["A0", "A1", "A2"], "plate": ["B0", "B1", "B2"], "l0": ["A0", "B0"], "l1": ["A1", "B1"],
            "l2": ["A2", "B2"],
        },
        driven=(Turn("A0", ("B0",), (1.0,)),),
        drivers={"m": {"joint": "A0"}},
        bodies=("plate", "l1", "l2"),
        level=(("B1", "B0"), ("B2", "B0")),
        loose="",
    )  # fmt: skip


def gripper(rng: Any) -> Draft:
    """Jaws on parallelograms B-D-E-C, pushed apart by a slide through a bar on D: alone, or with its mirror image."""
    A = 0j
    B = complex(rng.uniform(0.8, 2.0), rng.uniform(0.8, 2.0))
    D = B + arrow(rng, 0.5, 1.6)
    C = B + complex(rng.uniform(0.5, 1.5), rng.choice([0.0, rng.uniform(-0.5, 0.5)]))
    E = C + D - B
    if min(abs(D - A), abs(D.imag)) < 0.3:
        raise UnfitError
    half = {"B": B, "D": D, "C": C, "E": E}
    points, ground, bodies = {"A": A, **half}, ["B", "C"], ["push", "arm", "back", "jaw"]
    links = {"push": ["A", "D"], "arm": ["B", "D"], "back": ["C", "E"], "jaw": ["D", "E"]}
    level = [("E", "D")]
    if rng.random() < 0.5:
        points |= {f"{name}m": place.conjugate() for name, place in half.items()}
        ground += ["Bm", "Cm"]
        links |= {f"{link}m": [p if p == "A" else f"{p}m" for p in held] for link, held in links.items()}
        bodies += [f"{one}m" for one in bodies]
        level += [(f"{p}m", f"{q}m") for p, q in level]
    return Draft(
        points=points,
        ground=ground,
        links={"ground": ground, "slider": ["A"], **links},
        driven=(Slide(("A",), 1.0, (1.0,)),),
        drivers={"m": {"joint": "guide"}},
        bodies=bodies,
        joints={"guide": {"type": "prismatic", "links": ["ground", "slider"], "at": "A", "axis": 1.0}},
        level=level,
        tracers={"F": "jaw"},
        loose="E",
        reach=3.0,
    )


def pantograph(rng: Any) -> Draft:
    """Two driven arms O-A-B and B-C, and the parallelogram A-B-C-D between them."""
    A, AB, BC = arrow(rng), arrow(rng), arrow(rng)
    if rng.random() < 0.5:
        AB = A / abs(A) * abs(AB)
    B = A + AB
    relative = rng.random() < 0.3
    return Draft(
        points={"O": 0j, "A": A, "B": B, "C": B + BC, "D": A + BC},
        ground=("O",),
        links={"ground": ["O"], "arm": ["O", "A", "B"], "fore": ["B", "C"], "s1": ["A", "D"], "s2": ["D", "C"]},
        driven=(Turn("O", ("A", "B"), (1.0, 0.0)), Turn("B", ("C",), (float(relative), 1.0))),
        drivers={"m1": {"links": ["ground", "arm"]}, "m2": {"links": ["arm" if relative else "ground", "fore"]}},
        bodies=("s1", "s2"),
        level=(("D", "A", "C", "B"),),
        tracers={"T": "s2"},
        loose="D",
        reach=2.5,
    )


def carried_four_bar(rng: Any) -> Draft:
    """A four-bar with a change point on a driven arm; its crank is driven against the arm or the ground."""
    draft = FAMILIES[str(rng.choice(["parallelogram", "change_point_four_bar", "antiparallelogram", "kite"]))](rng)
    base = str(rng.choice(["arm", "ground"]))
    return replace(
        draft,
        points={**draft.points, "O": arrow(rng)},
        ground=("O",),
        links={**draft.links, "ground": ["O"], "arm": ["O", "A", "D"]},
        driven=(Turn("O", ("A", "D"), (1.0, 0.0)), Turn("A", ("B",), (float(base == "arm"), 1.0))),
        drivers={"m1": {"links": ["ground", "arm"]}, "m2": {"links": [base, "crank"]}},
        level=[("C", "B", "D", "A") for _ in draft.level],
        reach=5.0,
    )


def two_cranks(rng: Any) -> Draft:
    """Five bars with two driven cranks and equal rods: their pins meet on the way."""
    a, e, b = rng.uniform(0.5, 1.2), rng.uniform(0.5, 1.2), rng.uniform(0.8, 2.0)
    A, D = 0j, complex(rng.uniform(0.5, 1.3))
    M = circle(A, D, a, e, side(rng))
    change = rng.uniform(0.3, 1.5, 2) * rng.choice((-1.0, 1.0), 2)
    B, E = M * np.exp(-1j * change[0]), D + (M - D) * np.exp(-1j * change[1])
    return Draft(
        points={"A": A, "B": complex(B), "C": circle(complex(B), complex(E), b, b, side(rng)), "D": D, "E": complex(E)},
        ground=("A", "D"),
        links={"ground": ["A", "D"], "c1": ["A", "B"], "c2": ["D", "E"], "r1": ["B", "C"], "r2": ["C", "E"]},
        driven=(Turn("A", ("B",), (1.0, 0.0)), Turn("D", ("E",), (0.0, 1.0))),
        drivers={"m1": {"joint": "A"}, "m2": {"joint": "D"}},
        bodies=("r1", "r2"),
        tracers={"T": "r1"},
        loose="E",
        reach=2.0 * float(np.linalg.norm(change)),
        way=tuple(change / np.linalg.norm(change)),
        narrow=True,
    )


FAMILIES: dict[str, Callable[[Any], Draft]] = {
    one.__name__: one
    for one in (
        change_point_four_bar, parallelogram, antiparallelogram, kite, narrow_four_bar, narrow_slot, equal_rods,
        parallelogram_in_triad, parallelogram_behind_triad, chained_parallelograms, nested_parallelograms, three_legs,
        gripper, pantograph, carried_four_bar, two_cranks,
    )
}  # fmt: skip


# --- from a draft to a case -------------------------------------------------------------------------------------------


def case(family: str, seed: int, off: float | None = None) -> Case:
    """Return the case of a family with a seed: the first drawn mechanism that closes and has a path."""
    rng = np.random.default_rng((seed, *family.encode()))
    drawn = float(rng.choice(OFFS)) if rng.random() < 0.4 else 0.0
    for _ in range(1000):
        try:
            return _case(family, seed, rng, drawn if off is None else off)
        except UnfitError:
            continue
    raise AssertionError(f"no {family} with seed {seed}")


def _case(family: str, seed: int, rng: Any, off: float) -> Case:
    draft = FAMILIES[family](rng)
    if not draft.loose:
        off = 0.0
    draft = _off(draft, rng, off)
    if draft.tracers and rng.random() < 0.5:
        draft = _with_tracer(draft, rng)
    draft = _placed(draft, rng)
    still = mechanism(draft)
    # Pins that miss each other miss on, where the lengths that a moved joint has made unequal are taken as equal.
    if off < 1e-9 and not draft.narrow and any("treated as equal" in remark for remark in still.remarks):
        off = 0.0
    linkage = linkage_of(draft, still)
    corners, walk = _path(draft, linkage, rng)
    steady = len(corners) == 2 and rng.random() < 0.5
    # Without gears, a first sample is reached from the sketch by less than half a turn.
    late = len(corners) > 2 and bool(np.all(np.abs(corners[1]) < 3.0 * draft.unit)) and rng.random() < 0.3
    made = mechanism(draft, corners[-1]) if steady else still
    return Case(family, seed, off, made, corners, draft, steady, late, walk)


def known(family: str, draft: Draft, corners: Any) -> Case:
    """Return the case of a given mechanism and path; two corners are driven at constant speeds."""
    corners = np.asarray(corners, float).reshape(len(corners), -1)
    steady = len(corners) == 2
    made = mechanism(draft, corners[-1] if steady else None)
    return Case(family, 0, 0.0, made, corners, draft, steady, False, Walk(linkage_of(draft, made), corners))


def linkage_of(draft: Draft, still: sk.Mechanism) -> Linkage:
    """A draft as plain numbers. The package treats lengths that agree to 1e-9 as equal: they are as it states them."""
    lengths = {
        (p, q): abs(link.local[p] - link.local[q])
        for name, link in still.links.items()
        if name != "ground"
        for p, q in combinations(link.points, 2)
    }
    bodies = [draft.links[body] for body in draft.bodies]
    start = [0.0] * len(draft.drivers)
    return Linkage(draft.points, draft.ground, draft.driven, bodies, start, lengths, draft.slots)


def _off(draft: Draft, rng: Any, off: float) -> Draft:
    """A draft with its loose joint elsewhere, or with another rod where lengths are given."""
    if draft.lengths:
        return replace(draft, lengths={**draft.lengths, ("B", "C"): draft.lengths["B", "C"] + off * side(rng)})
    if not off:
        return draft
    return replace(draft, points={**draft.points, draft.loose: draft.points[draft.loose] + off * arrow(rng, 1.0, 1.0)})


def _with_tracer(draft: Draft, rng: Any) -> Draft:
    (name, link), *_ = draft.tracers.items()
    held, points = draft.links[link], dict(draft.points)
    points[name] = points[held[0]] + arrow(rng)
    return replace(draft, points=points, links={**draft.links, link: [*held, name]})


def _placed(draft: Draft, rng: Any) -> Draft:
    """Scaled by a power of two, rotated and mirrored; numbers exact in binary stay so if they are not rotated."""
    scale = 2.0 ** rng.integers(-7, 8)
    turned = scale * (np.exp(1j * rng.uniform(0, 2 * np.pi)) if rng.random() < 0.7 else 1.0)
    mirrored = rng.random() < 0.5

    def place(z: complex) -> complex:
        z = complex(turned * z)
        return z.conjugate() if mirrored else z

    def joint(one: Mapping[str, Any]) -> dict[str, Any]:
        if "axis" not in one:
            return dict(one)
        axis = place(one["axis"]) / scale
        return {**one, "axis": [axis.real, axis.imag]}

    driven = [replace(one, along=place(one.along) / scale) if isinstance(one, Slide) else one for one in draft.driven]
    return replace(
        draft,
        points={name: place(z) for name, z in draft.points.items()},
        lengths={bar: length * scale for bar, length in draft.lengths.items()},
        joints={name: joint(one) for name, one in draft.joints.items()},
        driven=driven,
        unit=scale if any(isinstance(one, Slide) for one in draft.driven) else 1.0,
        way=draft.way if draft.way is None or not mirrored else tuple(-one for one in draft.way),
    )


def mechanism(draft: Draft, speeds: Sequence[float] | None = None) -> sk.Mechanism:
    drivers = {
        id: {**one, "speed": float(speeds[k])} if speeds is not None else dict(one)
        for k, (id, one) in enumerate(draft.drivers.items())
    }
    return sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in draft.points.items()},
        links={name: list(held) for name, held in draft.links.items()},
        lengths={f"{p}-{q}": length for (p, q), length in draft.lengths.items()},
        joints=dict(draft.joints),
        drivers=drivers,
    )


def _path(draft: Draft, linkage: Linkage, rng: Any) -> tuple[Any, Walk]:
    """A path from the sketch: over turns, to and fro beside flat poses, or random corners."""
    count = len(draft.drivers)
    reach, origin = draft.reach * draft.unit, np.zeros(count)
    way = rng.normal(size=count)
    way = way / np.linalg.norm(way) if draft.way is None else np.array(draft.way)
    probe = np.array([origin, reach * way])
    walk = _walk(linkage, probe)
    kind = rng.random()
    flats = (
        [probe[0] + way * walk.unit * 0.5 * (low + high) for _, low, high in walk.flats]
        if count == 1
        else [way * 0.5 * (low + high) for _, low, high in walk.flats]
    )
    if kind < 0.4 or not flats:
        corners = probe * (rng.uniform(0.2, 3.0) if count == 1 and draft.unit == 1.0 and not walk.end else 1.0)
        if walk.end and walk.ended[1] > 0.2:
            # To the end and back, or beyond it.
            stop = way * walk.unit * walk.ended[1]
            corners = np.array([origin, stop * rng.choice([0.9, 0.999, 1.2]), -0.5 * reach * way])
    else:
        # Through the flat pose, by a hair or not quite; then on, back, or another way.
        places = [origin]
        for _ in range(int(rng.integers(1, 4))):
            flat = flats[int(rng.integers(len(flats)))]
            places.append(flat + way * walk.unit * float(rng.choice(BESIDE)) * side(rng))
            step = rng.normal(size=count)
            if rng.random() < 0.7:
                places.append(places[-1] + step / np.linalg.norm(step) * walk.unit * rng.choice([0.01, 0.3, 1.0, 3.0]))
        corners = np.array(places)
    corners = corners[np.r_[True, np.any(np.diff(corners, axis=0) != 0, axis=1)]]
    if len(corners) < 2:
        raise UnfitError
    return corners, _walk(linkage, corners)


def _walk(linkage: Linkage, corners: Any) -> Walk:
    try:
        walk = Walk(linkage, corners)
    except ValueError as error:
        raise UnfitError from error
    if walk.legs[0].nodes[0][2] < 1e-3 and walk.ended[0] == 0 and walk.ended[1] < 1e-3:
        raise UnfitError
    return walk
