"""How an output goes to and fro: its ends, and the time ratio of its two strokes (quick return)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np

from structkin.errors import InputError, Problem
from structkin.joints.guide import Guide
from structkin.joints.sliding import Sliding
from structkin.model.topology import suggest
from structkin.numerical_tolerances import HALF_DIGITS, ROOT, ROUNDING, SAME_POSE
from structkin.solve.motion.motion import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.types import Flags, Floats

#: Where an output turns back, or a rest begins or ends, an interval is divided into so many parts, so often.
PARTS, ROUNDS = 16, 6

#: A rest that is a smaller part of the cycle is that of an output which turns back gently.
SHORTEST_REST = 1e-3

#: A coordinate (n,) with its rate and second rate.
Output = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Swing:
    """How an output goes to and fro over a whole cycle: `low` and `high` [rad or m], and times [s].

    `forth` is the time in which its coordinate grows, `back` that in which it falls, `rest` that in which it stands;
    `turns` are the times at which it turns back, the last one the end of the cycle if it does where the cycle begins.
    """

    low: float
    high: float
    forth: float
    back: float
    rest: float
    turns: tuple[float, ...] = ()

    @property
    def ratio(self) -> float:
        """The time ratio: the time of the slower of the two directions over that of the faster."""
        return max(self.forth, self.back) / min(self.forth, self.back)

    @property
    def words(self) -> str:
        """Time ratio and times in words."""
        rest = f", {self.rest:.5g} s at rest" if self.rest else ""
        return f"time ratio {self.ratio:.6g} ({self.forth:.5g} s forth, {self.back:.5g} s back{rest})"


def swing(motion: Motion, output: str) -> Swing:
    """Return how an output goes to and fro over a cycle; see `Motion.swing`."""
    m = motion.mechanism

    def refuse(message: str, hint: str) -> InputError:
        return InputError([Problem(output, message, hint)], m.title or "swing")

    if len(motion) < 3:
        raise refuse("fewer than three samples do not show where it turns back", "give more samples")
    if not (np.diff(motion.t) > 0).all():
        raise refuse("the samples have no times that grow", "solve over time")
    if not motion.regular.all():
        raise refuse("some samples are not ok", "solve over a range in which all are")
    link, joint = _found(motion, output)
    if link is None and joint is None:
        known = [*m.topology.moving_links, *m.joints.of(Sliding)]
        raise refuse("is neither a moving link nor a joint that slides", suggest(output, known))
    read = partial(_angle, link=link) if link is not None else partial(_travel, joint=str(joint))
    t, (x, v, a) = motion.t, read(motion)
    if not np.isfinite([x, v, a]).all():
        raise refuse("its rates are not known at every sample", "give the drivers rates and second rates, or laws")
    usual = max(float(np.ptp(x)), SAME_POSE), max(float(np.max(np.abs(v))), SAME_POSE)
    if not motion.counted and not motion.thirds:
        t, x, v, a = _refined(motion, read, usual[0], (t, x, v, a))
    ends, (forth, back, rest) = _strokes(t, v, a)
    if min(forth, back) <= 0:
        raise refuse("never turns back", "a time ratio is that of an output that goes to and fro, over a whole cycle")
    same = [abs(part[-1] - part[0]) <= SAME_POSE * size for part, size in zip((x, v), usual, strict=True)]
    if not same[0] or not (same[1] or _begins_again(motion)):
        raise refuse("does not come back to where it began", "solve over a whole cycle, in which it swings")
    from scipy.interpolate import CubicHermiteSpline

    extremes = np.append(CubicHermiteSpline(t, x, v)(ends), x)
    return Swing(float(extremes.min()), float(extremes.max()), forth, back, rest, tuple(ends))


def ratio_slopes(motion: Motion, output: str, names: Sequence[str]) -> Floats:
    """Return the derivatives (p,) of the time ratio by parameters of these names, at the same times.

    Where the rate v is zero, dt/dp = -(dv/dp) / a. The time forth is longer by that of its end, where a < 0, and
    shorter by that of its beginning. Raises `InputError` where drivers are given by values, and where the rate jumps.
    """
    own = swing(motion, output)
    if motion.thirds or motion.counted:
        message = "its time ratio has derivatives only where drivers have laws"
        raise InputError([Problem(output, message, "give them laws in the file")], motion.mechanism.title)
    link, joint = _found(motion, output)
    at = solve_groups(motion.mechanism, t=np.array([motion.t[0], *own.turns]))
    if link is not None:
        (_, v, a), pace = _angle(at, link), motion.omega(link)
        by = at.sensitivity(link, to=names, kind="link", order=1)
    else:
        (_, v, a), pace = _travel(at, str(joint)), _travel(motion, str(joint))[1]
        by = at.travel_sensitivity(str(joint), to=names, order=1)
    if (np.abs(v[1:]) > HALF_DIGITS * np.max(np.abs(pace))).any():
        message = "its rate jumps where it turns back: derivatives of its time ratio come from a rate that passes zero"
        raise InputError([Problem(output, message, "give the cam a smooth law")], motion.mechanism.title)
    forth = (np.sign(a) * by.T / a)[:, 1:].sum(axis=1)
    high, low, sign = (own.forth, own.back, 1.0) if own.forth >= own.back else (own.back, own.forth, -1.0)
    return np.asarray(sign * forth * (1 / low + high / low**2))


def _found(motion: Motion, output: str) -> tuple[str | None, str | None]:
    """Return the link whose angle is an output, or the joint whose travel it is."""
    m = motion.mechanism
    guides = {
        link: id
        for id, joint in m.joints.of(Guide).items()
        if joint.turn is not None and m.topology.ground in joint.links
        for link in joint.links
    }
    if output in m.links and output != m.topology.ground and output not in guides:
        return output, None
    joint = guides.get(output, output)
    return None, joint if joint in m.joints.of(Sliding) else None


def _begins_again(motion: Motion) -> bool:
    """Return whether all links end as they began, driven as fast.

    Then a rate that differs jumps there, as that of a follower in uniform motion does.
    """
    m = motion.mechanism
    angles = [motion.angle(link)[[0, -1]] for link in m.topology.moving_links]
    others = [z[[0, -1]] for id, (z, *_) in motion.drivers.items() if m.drivers[id].kind != "angle"]
    rates = [(dz[[0, -1]], np.max(np.abs(dz))) for _, dz, _ in motion.drivers.values()]
    return (
        all(abs(math.remainder(end - begin, 2 * math.pi)) <= SAME_POSE for begin, end in angles)
        and all(abs(end - begin) <= SAME_POSE * motion.size for begin, end in others)
        and all(abs(end - begin) <= SAME_POSE * size for (begin, end), size in rates)
    )


def _angle(motion: Motion, link: str) -> Output:
    """Return the angle (n,) of a link with its rates."""
    return motion.angle(link), motion.omega(link), motion.alpha(link)


def _refined(
    motion: Motion, read: Callable[[Motion], Output], size: float, found: tuple[Floats, Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return times, coordinates, rates and accelerations (n,), with more of them where the rate becomes zero."""
    for _ in range(ROUNDS):
        t, x, v, a = found
        still = _still(v)
        k = np.flatnonzero((v[1:] * v[:-1] < 0) & ~(still[1:] & still[:-1]) | (still[1:] != still[:-1]))
        k = k[t[k + 1] - t[k] > HALF_DIGITS * (t[-1] - t[0])]
        if not len(k):
            break
        times = np.unique(np.append(t[0], np.linspace(t[k], t[k + 1], PARTS + 1)))
        again = solve_groups(motion.mechanism, t=times)
        xs, vs, as_ = read(again)
        known = np.isin(times, t)
        if not (np.abs(xs[known] - x[np.isin(t, times)]) < SAME_POSE * size).all():
            break  # the mechanism alone does not say which branch this motion is on
        every, first = np.unique(np.append(t, times), return_index=True)
        x, v, a = (np.append(*both)[first] for both in ((x, xs), (v, vs), (a, as_)))
        found = every, x, v, a
    return found


def _travel(motion: Motion, joint: str) -> Output:
    """Return the travel (n,) of a joint with its rates."""
    sliding = motion.mechanism.joints.of(Sliding)[joint]
    if not isinstance(sliding, Guide):
        raise InputError([Problem(joint, "is a curved slot", "name a link that swings")], motion.mechanism.title)
    frames = motion._frames
    along, vector = frames.direction_and_vector(sliding)
    D, W = ([frames.value(vector, order) for order in range(3)] for vector in (along, vector))

    def dot(i: int, j: int) -> Floats:
        return np.asarray(np.sum(D[i] * W[j], axis=1))

    return motion.travel(joint), dot(1, 0) + dot(0, 1), dot(2, 0) + 2 * dot(1, 1) + dot(0, 2)


def _still(v: Floats) -> Flags:
    """Return where a rate (n,) is zero but for rounding."""
    return np.asarray(np.abs(v) <= ROUNDING * np.max(np.abs(v)))


def _strokes(t: Floats, v: Floats, a: Floats) -> tuple[list[float], tuple[float, float, float]]:
    """Return when a rate changes its sign, and the times in which it is positive, negative and zero.

    A change where the cycle begins is at its end.
    """
    from scipy.interpolate import CubicHermiteSpline
    from scipy.optimize import brentq

    rate, times = CubicHermiteSpline(t, v, a), t.tolist()
    cycle = times[-1] - times[0]
    sign = np.where(_still(v), 0, np.sign(v)).astype(int).tolist()
    parts: list[tuple[int, float, float]] = []
    for first, last, begin, end in zip(sign, sign[1:], times, times[1:], strict=False):
        edge = end
        if first * last < 0:
            edge = float(brentq(lambda at: float(rate(at)), begin, end, xtol=ROOT * cycle))
        parts += [(first or last, begin, edge), (last, edge, end)]
    runs = []
    for way, run in groupby(parts, lambda part: part[0]):
        spans = [*run]
        runs.append((way, spans[0][1], spans[-1][2]))
    if len(runs) > 1 and runs[0][0] == runs[-1][0]:  # after the last one the cycle begins again
        way, begin, _ = runs.pop()
        runs[0] = way, begin - cycle, runs[0][2]
    spent = {1: 0.0, -1: 0.0, 0: 0.0}
    ends: list[float] = []
    for k, (way, begin, end) in enumerate(runs):
        before, after = runs[k - 1][0], runs[(k + 1) % len(runs)][0]
        short = way == 0 and end - begin < SHORTEST_REST * cycle
        for one in (before, after) if short else (way, way):
            spent[one] += (end - begin) / 2
        if before * (after if short else way) < 0:
            middle = (begin + end) / 2 if short else begin
            ends.append(middle if middle > times[0] else middle + cycle)
    return sorted(ends), (spent[1], spent[-1], spent[0])
