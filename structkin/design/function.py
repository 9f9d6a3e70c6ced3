"""Four-bars whose rocker turns as a function of the crank: function generation.

Crank angle phi and rocker angle psi are measured from the line A D of the ground pivots to the links. With the ground
d, crank a, coupler b and rocker c the loop closes if (Freudenstein 1955)

    K1 cos(psi) - K2 cos(phi) + K3 = cos(phi - psi),  K1 = d/a,  K2 = d/c,  K3 = (a^2 - b^2 + c^2 + d^2) / (2 a c):

three pairs of angles give K, linearly. If only turns are given and the angles from which they count are free, the
rocker seen from the crank is a body in n positions, and the coupler a crank that guides it (`dyads`): a curve of them
for four pairs, up to three for five, the nearest ones beyond. One more dyad is always there, the ground itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import pi, tau

import numpy as np

from structkin.branches.limits.transmission import acute
from structkin.checked import checked
from structkin.design import dyads
from structkin.design.candidates import Candidate, Candidates
from structkin.design.dyads import Displacements
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import VISIBLE
from structkin.types import Floats

#: Lines across the curve of four pairs; samples over the interval.
LINES, SAMPLES = 60, 181


@dataclass(frozen=True)
class Angles:
    """What the rocker is to do: angles of both [rad] in n precision points, and over the interval (181,)."""

    phi: Floats
    psi: Floats
    over_phi: Floats
    over_psi: Floats

    @classmethod
    def of(
        cls, function: Callable[[float], float], interval: tuple[float, float], input: tuple[float, float],
        output: tuple[float, float], points: int,
    ) -> Angles:  # fmt: skip
        """Return the angles for y = function(x) over an interval, with precision points at Chebyshev's spacing.

        x from the first to the last of the interval turns the crank over the range `input`, and y the rocker over
        `output`, both linearly.

        >>> from math import log10
        >>> wish = Angles.of(log10, (1, 2), (pi / 6, pi / 2), (pi / 3, 5 * pi / 6), 3)
        >>> freudenstein(wish.phi, wish.psi).round(6).tolist()
        [0.339587, 0.113349, 0.79416]
        """
        first, last = interval
        spacing = np.cos((2 * np.arange(points)[::-1] + 1) * pi / (2 * points))
        x = (first + last) / 2 + (last - first) / 2 * spacing
        over = np.linspace(first, last, SAMPLES)
        y, ends, over_y = (np.array([_value(function, float(one)) for one in some]) for some in (x, interval, over))

        def scaled(value: Floats, begin: float, end: float, to: tuple[float, float]) -> Floats:
            return to[0] + (value - begin) / (end - begin) * (to[1] - to[0])

        if ends[0] == ends[1]:
            problem = Problem("function", "has the same value at both ends of the interval", "choose other ends")
            raise InputError([problem], "synthesise_function")
        return cls(
            scaled(x, first, last, input), scaled(y, ends[0], ends[1], output),
            scaled(over, first, last, input), scaled(over_y, ends[0], ends[1], output),
        )  # fmt: skip


def _value(function: Callable[[float], float], x: float) -> float:
    """Return y(x); raise `InputError` where it is no finite number."""
    try:
        y = float(function(x))
        why = f"is {y:g}"
    except (ArithmeticError, TypeError, ValueError) as error:
        y, why = np.nan, str(error)
    if not np.isfinite(y):
        problem = Problem("function", f"has no value at x = {x:.6g}: {why}", "it needs a finite number everywhere")
        raise InputError([problem], "synthesise_function")
    return y


@checked
def synthesise_function(
    function: Callable[[float], float], *, interval: tuple[float, float], input: tuple[float, float],
    output: tuple[float, float], points: int = 3, count: int = 10,
) -> Candidates:  # fmt: skip
    """Find four-bars whose rocker turns as a function y(x) of the crank.

    From the first to the last x of the `interval` the crank turns linearly over the range `input` [rad], and y turns
    the rocker over the range `output` [rad]; both angles are measured from the ground, the line of the pivots, which is
    1 m long. The function is met in as many precision points, at Chebyshev's spacing: three (Freudenstein's equation)
    for these angles themselves, four and five if the angles from which the turns count are free, so that only the turns
    are met; more by least squares. Best are those without `defects`, then those with the smaller error, which is the
    largest over the interval. At most `count` candidates are returned. Raises `InputError`.

    >>> from math import log10, pi
    >>> import structkin as sk
    >>> found = sk.synthesise_function(log10, interval=(1, 2), input=(pi / 6, pi / 2), output=(pi / 3, 5 * pi / 6))
    >>> round(found[0].error * 180 / pi, 3), round(found[0].lengths["crank"], 3)
    (0.071, 2.945)
    """
    problems = []
    for name, pair in (("interval", interval), ("input", input), ("output", output)):
        if not np.isfinite(pair).all() or pair[0] == pair[1]:
            message = "both ends are the same" if pair[0] == pair[1] else "has an end that is not finite"
            problems.append(Problem(name, message, "give two ends, such as (0.5, 1.5)"))
        elif name != "interval" and abs(pair[1] - pair[0]) >= tau:
            problems.append(Problem(name, "is a whole turn or more", "angles are in rad"))
    if not 3 <= points <= 100:
        problems.append(Problem("points", f"{points} is not between 3 and 100", "three to five are met exactly"))
    if not 1 <= count <= 100:
        problems.append(Problem("count", f"{count} is not between 1 and 100", "such as 10"))
    raise_problems(problems, "synthesise_function")
    found = generators(Angles.of(function, interval, input, output, points), count)
    sound = any(not one.defects for one in found)
    return Candidates(tuple(found), () if sound else ("No four-bar was found that moves over the whole interval.",))


def freudenstein(phi: Floats, psi: Floats) -> Floats:
    """Return K1, K2, K3 for three pairs of angles [rad]; raises `LinAlgError` where they determine none."""
    return np.linalg.solve(np.stack((np.cos(psi), -np.cos(phi), np.ones(3)), axis=1), np.cos(phi - psi))


def generators(wish: Angles, count: int) -> list[Candidate]:
    """Return up to `count` four-bars, the best first; see `synthesise_function`."""
    tried = [one for pins in _pins(wish) for one in _tried(wish, *pins)]
    return sorted(tried, key=lambda one: (len(one.defects), one.error, -np.nan_to_num(one.transmission)))[:count]


def _pins(wish: Angles) -> Iterator[tuple[complex, complex]]:
    """Yield both pins of couplers in the first precision point, with the pivots at 0 and 1."""
    phi, psi = wish.phi, wish.psi
    if len(phi) == 3:
        try:
            K1, K2, _ = freudenstein(phi, psi)
        except np.linalg.LinAlgError:
            return
        if min(abs(K1), abs(K2)) * dyads.FAR > 1:
            yield complex(np.exp(1j * phi[0]) / K1), complex(1 + np.exp(1j * psi[0]) / K2)
        return
    turned = np.exp(-1j * (phi - phi[0]))
    moved = Displacements.of(np.stack((turned.real, turned.imag, psi - (phi - phi[0])), axis=1))
    find = {4: lambda of: dyads.on_the_curve(of, LINES), 5: dyads.five}.get(len(phi), dyads.nearest)
    for dyad in find(moved):
        if abs(dyad.ground) + abs(dyad.body - 1) > 1e-3:  # the other one is the ground
            yield dyad.ground, dyad.body


def _tried(wish: Angles, crank: complex, rocker: complex) -> Iterator[Candidate]:
    begin = float(np.angle(crank) - wish.phi[0])
    phi = wish.over_phi + begin
    first, last = np.degrees(phi[[0, -1]]).tolist()
    places = {"A": 0j, "B": crank, "C": rocker, "D": 1 + 0j}
    values = np.concatenate((wish.phi + begin, phi))
    order = np.argsort(values if last > first else -values, kind="stable")
    try:
        mechanism = Mechanism(
            f"Function generator with {len(wish.phi)} precision points",
            points={name: (place.real, place.imag) for name, place in places.items()},
            links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
            drivers={"motor": {"joint": "A", "law": f"{first!r} + {last - first!r}*t"}}, duration=1,
            units={"angle": "deg"},
        )  # fmt: skip
        motion = mechanism.solve(drivers={"motor": values[order]})
    except InputError:  # pins that coincide, or following the motion takes more steps than the budget allows
        return
    n, least, every = len(wish.phi), np.nan, np.array([*mechanism.points.values()])
    off = np.full(n + len(phi), np.inf)
    defects: tuple[str, ...] = ("The motion does not cover the interval.",)
    if motion.ok.all():
        off = motion.angle("rocker")[np.argsort(order)] - np.concatenate((wish.psi, wish.over_psi))
        off = off - (off[0] if n <= 5 else (off[n:].max() + off[n:].min()) / 2)
        least = float(acute(motion.transmission_angle("C")).min())
        every = np.concatenate([motion.position(name) for name in places])
        wrong = np.flatnonzero(np.abs(off[:n]) > VISIBLE)
        defects = (f"In point {wrong[0] + 1} the linkage is on another branch.",) if n <= 5 and len(wrong) else ()
    lengths = {"crank": abs(crank), "coupler": abs(rocker - crank), "rocker": abs(rocker - 1), "ground": 1.0}
    wish_points = np.stack((wish.phi, wish.psi), axis=1)
    yield Candidate(
        "four-bar", mechanism, "C", wish_points, np.abs(off[n:]), wish.over_phi - wish.over_phi[0], least, lengths,
        float(np.ptp(every, axis=0).max()), defects=defects, unit="rad",
    )  # fmt: skip
