"""A judge of branches: the whole mechanism is walked from its sketch in natural coordinates, each step certified.

It shares no code with structkin. The unknowns x are the coordinates of the points that no driver determines, and every
row is of second degree in them, lengths in parts of the size:

    bar      (|P - Q|^2 - L^2) / 2                                     one row
    plate    R - P - g (Q - P), g a complex constant                   two rows for each point beyond two
    slot     (Q - P) x (X - P), the pin X on the line through P and Q  one row

So F(y) = F(x) + J d + F''[d, d] / 2 exactly, with d = y - x, and F'' is constant with a norm M. A step follows the
Taylor series x~ of the motion at its start. If at every place s' of the step

    M |F(x~(s'))| <= s_low^2 / 2,    s_low a lower bound of the smallest singular value of J there,

then one and only one pose lies within s_low / M of each place of the series (Kantorovich's theorem), and the motion is
that pose. Steps keep a margin of two. Between the places that are tested, the change of J bounds the singular value.
Rows may be redundant: uniqueness holds with the same bound, and a pose must close all rows.

Where the singular value falls below `FLAT`, the poses before tell whether the motion goes straight on: a curve of the
fourth degree through them is continued to the other side. A pose there within `STRAIGHT` of it belongs to the same
motion: where branches pass each other, or end, at a height c, the curve is wrong by about c / t at a distance t. So a
pose is passed straight if it is flat to about 1e-13 of the size. Else the walk ends: at a limit, or at a pose that it
cannot judge. Corners of the path in a flat zone are passed on the line before them, and approached again on the line
behind them: branches that pass each other straight are functions of the driver values, whatever the path. Where the
pins of a dyad meet they are not, and the walk ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: The walk changes to a jump below this singular value, and a corner in the flat zone is passed by this distance.
FLAT, CLEAR = 2e-5, 1e-3
#: Poses beside a corner on two segments that are further apart than this part of the size are no function of its driver
#: values: the links have turned about pins that meet there.
TURNED = 0.05
#: Largest departure behind a flat pose from the curve through the poses before it.
STRAIGHT = 1e-7
#: Heights between these count neither as flat nor as passed, by the rule of the package (docs/theory.md).
GREY = 3e-13, 3e-8
MARGIN = 0.25
UNPREPARED = "flat from its start"
#: How far a leg must reach before a flat pose, in parts of the distance of its last node from it.
REACH = 8.0
#: Nodes of a leg.
MOST = 800
#: Steps follow a Taylor polynomial of this degree.
ORDER = 5
POWERS = np.arange(ORDER + 1)
FACTORIALS = np.array([1.0, 1.0, 2.0, 6.0, 24.0, 120.0])
PARTS = np.arange(1, 9) / 8


@dataclass(frozen=True)
class Turn:
    """Points that turn about the pivot with the drivers: by the sum of weight times change of value."""

    pivot: str
    points: tuple[str, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Slide:
    """Points that are pushed along a direction by a driver."""

    points: tuple[str, ...]
    along: complex
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Linkage:
    """A mechanism as plain numbers: `driven` in the order in which each is determined, `bodies` what remains."""

    points: Mapping[str, complex]
    ground: Sequence[str]
    driven: Sequence[Turn | Slide]
    bodies: Sequence[Sequence[str]]
    start: Sequence[float]
    lengths: Mapping[tuple[str, str], float] = field(default_factory=dict)
    slots: Sequence[tuple[str, str, str]] = ()

    @property
    def size(self) -> float:
        places = np.array(list(self.points.values()))
        return float(max(np.ptp(places.real), np.ptp(places.imag)))


class System:
    """The rows of a linkage and their Jacobian; points are complex, the unknown ones first; lanes come first."""

    def __init__(self, linkage: Linkage):
        self.linkage, size = linkage, linkage.size
        self.at = {name: place / size for name, place in linkage.points.items()}
        known = [*linkage.ground, *(name for one in linkage.driven for name in one.points)]
        self.unknown = [name for name in linkage.points if name not in known]
        self.names = [*self.unknown, *known]
        index = {name: k for k, name in enumerate(self.names)}
        self.n = 2 * len(self.unknown)
        lengths = {frozenset(pair): length / size for pair, length in linkage.lengths.items()}
        bars, plates = [], []
        for body in linkage.bodies:
            if len(body) < 2:
                continue
            p, q = max(((p, q) for p in body for q in body), key=lambda pq: abs(self.at[pq[0]] - self.at[pq[1]]))
            bars.append((index[p], index[q], lengths.get(frozenset((p, q)), abs(self.at[p] - self.at[q]))))
            for r in body:
                if r not in (p, q):
                    g = (self.at[r] - self.at[p]) / (self.at[q] - self.at[p])
                    plates.append((index[r], index[p], index[q], g))
        self.bars = [np.array(column) for column in zip(*bars, strict=True)] if bars else [np.zeros(0, int)] * 3
        self.plates = plates
        self.slots = [tuple(index[name] for name in slot) for slot in linkage.slots]
        self.lever = {
            name: lengths.get(frozenset((one.pivot, name)), abs(self.at[name] - self.at[one.pivot]))
            * (self.at[name] - self.at[one.pivot])
            / abs(self.at[name] - self.at[one.pivot])
            for one in linkage.driven
            if isinstance(one, Turn)
            for name in one.points
        }
        self.m = len(self.bars[0]) + 2 * len(plates) + len(self.slots)
        if self.m < self.n:
            raise ValueError(f"{self.m} rows for {self.n} unknowns")
        self._constant = np.zeros((self.m, 2 * len(self.names)))
        row = len(self.bars[0])
        for r, p, q, g in plates:
            for point, factor in ((r, 1), (p, g - 1), (q, -g)):
                a, b = complex(factor).real, complex(factor).imag
                self._constant[row : row + 2, 2 * point : 2 * point + 2] += [[a, -b], [b, a]]
            row += 2
        hessians = np.stack(
            [self.jacobian(e)[:, : self.n] - self.jacobian(0 * e)[:, : self.n] for e in self._unit_points()], axis=2
        )
        norms = np.linalg.norm(hessians, 2, axis=(1, 2))
        values, vectors = np.linalg.eigh(hessians)
        total = np.sum(np.einsum("mij,mj,mkj->mik", vectors, np.abs(values), vectors), axis=0)
        self.M = float(min(np.linalg.norm(norms), np.linalg.norm(total, 2)))
        self.hessians = hessians

    def _unit_points(self) -> list[Any]:
        units = []
        for k in range(self.n):
            point = np.zeros(len(self.names), complex)
            point[k // 2] = 1j if k % 2 else 1
            units.append(point)
        return units

    def known(self, z: Any) -> Any:
        """Places of the known points at driver values (..., drivers)."""
        change = np.asarray(z, float) - np.asarray(self.linkage.start)
        lanes = change.shape[:-1]
        places = {name: np.full(lanes, self.at[name], complex) for name in self.linkage.ground}
        for one in self.linkage.driven:
            amount = change @ np.asarray(one.weights)
            for name in one.points:
                if isinstance(one, Turn):
                    places[name] = places[one.pivot] + self.lever[name] * np.exp(1j * amount)
                else:
                    places[name] = self.at[name] + one.along * amount / self.linkage.size
        return np.stack(list(places.values()), axis=-1)

    def known_series(self, z: Any, w: Any) -> Any:
        """Taylor coefficients (ORDER + 1, points) of the known points while the driver values change at the rates w."""
        change = np.asarray(z, float) - np.asarray(self.linkage.start)
        still = np.zeros(ORDER + 1, complex)
        series = {}
        for name in self.linkage.ground:
            series[name] = still.copy()
            series[name][0] = self.at[name]
        for one in self.linkage.driven:
            weights = np.asarray(one.weights)
            amount, rate = float(change @ weights), float(np.asarray(w) @ weights)
            for name in one.points:
                if isinstance(one, Turn):
                    series[name] = (
                        series[one.pivot] + self.lever[name] * np.exp(1j * amount) * (1j * rate) ** POWERS / FACTORIALS
                    )
                else:
                    series[name] = still.copy()
                    series[name][:2] = (
                        self.at[name] + one.along * amount / self.linkage.size,
                        one.along * rate / self.linkage.size,
                    )
        return np.stack(list(series.values()), axis=-1)

    def series(self, X: Any, K: Any, inverse: Any, J: Any) -> Any:
        """Taylor coefficients (ORDER + 1, n) of the unknowns: J X_n + sum of F''[X_i, X_{n-i}] / 2 = 0 for each n."""
        n = self.n
        full = np.zeros((ORDER + 1, len(self.names)), complex)
        full[0] = X
        full[:, n // 2 :] = K
        out = np.zeros((ORDER + 1, n))
        out[0, 0::2], out[0, 1::2] = X[: n // 2].real, X[: n // 2].imag
        p, q, _ = self.bars
        for k in range(1, ORDER + 1):
            right = J[:, n:] @ np.stack((K[k].real, K[k].imag), axis=-1).ravel()
            if k > 1:
                one, other = full[1:k], full[k - 1 : 0 : -1]
                d, e = one[:, p] - one[:, q], other[:, p] - other[:, q]
                right[: len(p)] += 0.5 * np.sum(d.real * e.real + d.imag * e.imag, axis=0)
                for row, (x, a, b) in enumerate(self.slots, self.m - len(self.slots)):
                    right[row] += np.sum(((one[:, b] - one[:, a]).conj() * (other[:, x] - other[:, a])).imag)
            out[k] = -(inverse @ right)
            full[k, : n // 2] = out[k, 0::2] + 1j * out[k, 1::2]
        return out

    def places(self, x: Any, z: Any) -> Any:
        """All points, from the unknowns and the driver values."""
        return np.concatenate((x[..., 0::2] + 1j * x[..., 1::2], self.known(z)), axis=-1)

    def rows(self, X: Any) -> Any:
        p, q, length = self.bars
        d = X[..., p] - X[..., q]
        parts = [0.5 * (d.real**2 + d.imag**2 - length**2)]
        for r, a, b, g in self.plates:
            gap = X[..., r] - X[..., a] - g * (X[..., b] - X[..., a])
            parts.append(np.stack((gap.real, gap.imag), axis=-1))
        for x, a, b in self.slots:
            parts.append(((X[..., b] - X[..., a]).conj() * (X[..., x] - X[..., a])).imag[..., None])
        return np.concatenate(parts, axis=-1)

    def jacobian(self, X: Any) -> Any:
        J = np.broadcast_to(self._constant, (*X.shape[:-1], *self._constant.shape)).copy()
        p, q, _ = self.bars
        d, row = X[..., p] - X[..., q], np.arange(len(p))
        J[..., row, 2 * p], J[..., row, 2 * p + 1] = d.real, d.imag
        J[..., row, 2 * q], J[..., row, 2 * q + 1] = -d.real, -d.imag
        for k, (x, a, b) in enumerate(self.slots, self.m - len(self.slots)):
            line, arm = X[..., b] - X[..., a], X[..., x] - X[..., a]
            for point, turned in ((x, 1j * line), (b, -1j * arm), (a, 1j * (arm - line))):
                J[..., k, 2 * point], J[..., k, 2 * point + 1] = turned.real, turned.imag
        return J

    def correct(self, x: Any, z: Any, steps: int = 6) -> tuple[Any, Any]:
        """Newton's method, lanes of poses at once: the poses and how far the last step led."""
        last = np.zeros(x.shape[:-1])
        known = self.known(z)
        for _ in range(steps):
            X = np.concatenate((x[..., 0::2] + 1j * x[..., 1::2], known), axis=-1)
            F, J = self.rows(X), self.jacobian(X)[..., : self.n]
            if self.m == self.n:
                step = np.linalg.solve(J, F[..., None])[..., 0]
            else:
                step = (np.linalg.pinv(J) @ F[..., None])[..., 0]
            x = x - step
            last = np.linalg.norm(step, axis=-1)
            if np.all(last < 1e-13):
                break
        return x, last


@dataclass
class Piece:
    """The motion between two nodes of a segment: a series in sign (s - s0); or a jump, where it is None."""

    low: float
    high: float
    s0: float
    series: Any
    sign: float = 1.0


@dataclass
class Leg:
    """What a walk along a straight line of driver values gave: its nodes in order, its pieces, how it ended."""

    start: Any
    w: Any
    nodes: list[tuple[float, Any, float]] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    grey: float | None = None
    end: str = ""
    #: The distance to a flat pose from the last node before it.
    left: float = 0.0


class Walk:
    """The motion along a path of straight lines between corners of driver values, from the sketch.

    `end` is empty, or says why the walk ended, at `ended = (segment, distance)`. Behind `grey` the branch is not
    judged: a flat pose was neither flat to rounding nor clearly passed.
    """

    def __init__(self, linkage: Linkage, corners: Any):
        self.system = System(linkage)
        self.unit = np.array(
            [
                linkage.size if any(isinstance(one, Slide) and one.weights[k] for one in linkage.driven) else 1.0
                for k in range(len(linkage.start))
            ]
        )
        self.corners = np.asarray(corners, float).reshape(len(corners), -1)
        self.legs: list[Leg] = []
        self.end, self.ended = "", (len(self.corners), 0.0)
        self.grey = (len(self.corners), 0.0)
        self.flats: list[tuple[int, float, float]] = []
        self.narrowest = np.inf
        x = np.array([[self.system.at[p].real, self.system.at[p].imag] for p in self.system.unknown]).ravel()
        place = np.asarray(linkage.start, float)
        x, last = self.system.correct(x, place, 30)
        if not last < 1e-10:
            raise ValueError("the sketch does not close")
        if np.max(np.abs(place - self.corners[0])) > 1e-12:
            raise ValueError("the path does not start at the sketch")
        for k in range(len(self.corners) - 1):
            x, place = self._segment(k, x, place)
            if self.end:
                break

    def _segment(self, k: int, x: Any, place: Any) -> tuple[Any, Any]:
        a, b = self.corners[k], self.corners[k + 1]
        length = float(np.linalg.norm((b - a) / self.unit))
        w = (b - a) / (length or 1.0)
        if length == 0:
            self.legs.append(Leg(a, w))
            return x, place
        back = Leg(a, w)
        entry = 0.0
        if np.max(np.abs(place - a)) > 0:
            # The corner lies in a flat zone: from behind it to a place on the segment that lies clear of it.
            off = float(np.linalg.norm((place - a) / self.unit))
            for factor in (1.0, 2.0, 4.0, 8.0):
                entry = min(off * factor, length)
                goal = a + (b - a) * (entry / length)
                over = self._leg(place, goal, x)
                if not over.end and over.nodes[-1][0] <= np.linalg.norm((goal - place) / self.unit) * (1 + 1e-12):
                    break
            else:
                # A segment within the flat zone, as far as can be told: its poses are not judged.
                self.legs.append(Leg(a, w))
                if entry < length:
                    self.end, self.ended = "no way around a corner", (k, 0.0)
                return x, place
            x = over.nodes[-1][1]
            back = self._leg(goal, a, x, stop=True)
            if np.max(np.abs(back.nodes[-1][1] - self._before(k))) > TURNED * self.system.linkage.size:
                self.legs.append(Leg(a, w))
                self.end, self.ended = "turned at a corner", (k, 0.0)
                return x, place
            place = goal
        leg = self._leg(place, b, x) if entry < length else Leg(a, w, [(0.0, x, 1.0)])
        shift = entry
        if leg.end == UNPREPARED and entry == 0:
            # A flat pose just behind the corner: from a place before it on the same line.
            shift = -max(CLEAR, REACH * leg.left)
            before = place + (b - a) * (shift / length)
            lead = self._leg(place, before, x, stop=True)
            if not lead.end and lead.nodes[-1][0] >= -shift * (1 - 1e-12):
                leg = self._leg(before, b, lead.nodes[-1][1])
            else:
                shift = 0.0
        pieces = [
            Piece(shift + p.low, shift + p.high, shift + p.s0, p.series) for p in leg.pieces if shift + p.high > 0
        ]
        nodes = [(shift + s, x, sigma) for s, x, sigma in leg.nodes]
        for p in back.pieces:
            pieces.append(Piece(shift - p.high, shift - p.low, shift - p.s0, p.series, -1.0))
        nodes = [(shift - s, x, sigma) for s, x, sigma in back.nodes[:0:-1]] + nodes
        if nodes[0][0] > 0:
            pieces.append(Piece(0.0, nodes[0][0], 0.0, None))
        whole = Leg(a, w, nodes, sorted(pieces, key=lambda p: p.low), None, leg.end)
        self.legs.append(whole)
        if leg.grey is not None:
            self.grey = min(self.grey, (k, shift + leg.grey))
        s, x, _ = nodes[-1]
        if leg.end:
            self.end, self.ended = leg.end, (k, s)
            return x, place
        self.flats += [(k, p.low, p.high) for p in whole.pieces if p.series is None]
        return x, b if s <= length else a + (b - a) * (s / length)

    def _before(self, k: int) -> Any:
        """The last pose before segment k that is clear of the flat zone around its corner."""
        lengths = np.linalg.norm(np.diff(self.corners[: k + 1], axis=0) / self.unit, axis=1)
        legs = list(zip(self.legs, lengths, strict=True))[::-1]
        return next(x for leg, length in legs for s, x, _ in leg.nodes[::-1] if s <= length)

    def _leg(self, a: Any, b: Any, x: Any, stop: bool = False) -> Leg:
        """Walk straight from a to b; beyond b where b lies in a flat zone, or up to the zone if `stop`."""
        system, M, n = self.system, self.system.M, self.system.n
        length = float(np.linalg.norm((b - a) / self.unit))
        w = (b - a) / (length or 1.0)
        leg = Leg(a, w)
        if length == 0:
            leg.nodes.append((0.0, x, 1.0))
            return leg
        s, h, falling = 0.0, 0.05, False
        goal = length
        while True:
            z = a + s * w
            X = system.places(x, z)
            J = system.jacobian(X)
            U, S, Vt = np.linalg.svd(J[:, :n], full_matrices=False)
            sigma = float(S[-1])
            series = system.series(X, system.known_series(z, w), (Vt.T / S) @ U.T, J) if sigma > FLAT else None
            if leg.nodes:
                if falling and sigma > leg.nodes[-1][2]:
                    self._note(leg, U[:, -1], Vt[-1])
                falling = sigma < leg.nodes[-1][2]
            leg.nodes.append((s, x, sigma))
            if sigma < FLAT:
                if stop or not self._cross(leg, a, w):
                    return leg
                s, x, _ = leg.nodes.pop()
                if s > goal:
                    goal = s + max(CLEAR, REACH * leg.left)
                h = 2 * sigma
                falling = False
                continue
            if s >= goal * (1 - 1e-15):
                return leg
            if len(leg.nodes) > 1:
                h *= min(max(sigma / leg.nodes[-2][2], 0.2), 1.5)
            h = min(h * 1.3, goal - s)
            while True:
                if h < 1e-13 or len(leg.nodes) > MOST:
                    leg.end = "steps without end"
                    return leg
                # Between two places the smallest singular value falls by less than half the change of the Jacobian.
                part = h * PARTS
                X = system.places(part[:, None] ** POWERS @ series, z + part[:, None] * w)
                Js = system.jacobian(X)[..., :n]
                drop = float(np.max(np.linalg.norm(np.diff(Js, axis=0, prepend=J[None, :, :n]), axis=(1, 2))))
                lows = np.linalg.svd(Js, compute_uv=False)[:, -1] - 0.6 * drop
                worst = np.linalg.norm(system.rows(X), axis=1)
                if sigma > 0.7 * drop and np.min(lows) > 0.2 * sigma and np.all(M * worst <= MARGIN * lows**2):
                    break
                h *= 0.6
            new, last = system.correct(h**POWERS @ series, z + h * w)
            if not last < 1e-9 or (
                self.system.m > n and np.linalg.norm(system.rows(system.places(new, z + h * w))) > 1e-11
            ):
                leg.end = "the rows do not close"
                return leg
            leg.pieces.append(Piece(s, s + h, s, series))
            s, x = (goal if h == goal - s else s + h), new

    def _note(self, leg: Leg, u: Any, v: Any) -> None:
        """A smallest singular value has been passed: how high branches pass each other there."""
        sigma = leg.nodes[-1][2]
        self.narrowest = min(self.narrowest, sigma)
        curvature = abs(u @ (self.system.hessians @ v @ v))
        if sigma < 1e-2 and curvature > 1e-6 and GREY[0] < sigma**2 / (2 * curvature) < GREY[1] and leg.grey is None:
            leg.grey = leg.nodes[-1][0]

    def _cross(self, leg: Leg, a: Any, w: Any) -> bool:
        """Pass a flat pose straight, to twice the singular value `FLAT` behind it, or end the leg."""
        leg.end = "limit"
        if len(leg.nodes) < 2:
            leg.end = UNPREPARED
            return False
        (s1, _, sigma1), (s2, _, sigma2) = leg.nodes[-2:]
        if sigma1 <= sigma2:
            leg.end = "flat all along"
            return False
        leg.left = left = sigma2 * (s2 - s1) / (sigma1 - sigma2)
        to = s2 + left * (1 + 2 * FLAT / sigma2)
        # At distances that grow geometrically: others would magnify rounding.
        places = s2 + left * (1 - np.array([1.0, 1.6, 2.5, 4.0, 6.5]))
        before = [piece for piece in leg.pieces if piece.series is not None]
        if not before or places[-1] < max((p.high for p in leg.pieces if p.series is None), default=0.0):
            leg.end = UNPREPARED
            return False
        guess = _curve(places, self._poses(leg, places), to)
        try:
            new, last = self.system.correct(guess, a + to * w, 10)
        except np.linalg.LinAlgError:
            return False
        S = np.linalg.svd(self.system.jacobian(self.system.places(new, a + to * w))[:, : self.system.n])[1]
        gap = float(np.linalg.norm(new - guess))
        if not last < 1e-10 or gap > 1e-3 * self.system.M or S[-1] < FLAT or S[-1] > 6 * FLAT:
            return False
        if gap > STRAIGHT:
            leg.end = f"flat, but not to rounding: {gap * left:.1e}"
            return False
        leg.end = ""
        leg.pieces.append(Piece(s2, to, s2, None))
        leg.nodes.append((to, new, float(S[-1])))
        return True

    # --- poses at samples ---------------------------------------------------------------------------------------------

    def at(self, segment: Any, s: Any) -> tuple[Any, Any, Any]:
        """Places (n, points) on segments, NaN where the walk does not come; where they are sure; where nearly flat."""
        order = list(zip(np.asarray(segment).tolist(), np.asarray(s, float).tolist(), strict=True))
        segment, s = np.asarray(segment), np.asarray(s, float)
        judged = np.array([k < len(self.legs) and bool(self.legs[k].nodes) for k in segment])
        reached = judged & np.array([not self.end or place < self.ended for place in order])
        sure = reached & np.array([place <= self.grey for place in order])
        X = np.full((len(s), len(self.system.names)), np.nan, complex)
        near = np.zeros(len(s), bool)
        for k in np.unique(segment[reached]):
            lanes = np.flatnonzero(reached & (segment == k))
            leg = self.legs[k]
            z = leg.start + s[lanes, None] * leg.w
            X[lanes] = self.system.places(self._poses(leg, s[lanes]), z) * self.system.linkage.size
            places, _, sigma = zip(*self.legs[k].nodes, strict=True)
            near[lanes] = np.interp(s[lanes], places, sigma) < CLEAR
        return X, sure, near

    def first(self, below: float) -> tuple[int, float]:
        """The first place on the path where the smallest singular value is below this; 0: the first jump."""
        for k, leg in enumerate(self.legs):
            low = [s for s, _, sigma in leg.nodes if sigma < below] + [p.low for p in leg.pieces if p.series is None]
            if low:
                return k, min(low)
        return len(self.corners), 0.0

    def _poses(self, leg: Leg, s: Any) -> Any:
        z = leg.start + s[:, None] * leg.w
        x = np.empty((len(s), self.system.n))
        if not leg.pieces:
            x[:] = leg.nodes[-1][1]
            return x
        lows = np.array([piece.low for piece in leg.pieces])
        which = np.clip(np.searchsorted(lows, s, side="right") - 1, 0, None)
        jumped = np.zeros(len(s), bool)
        for lane, k in enumerate(which):
            piece = leg.pieces[k]
            if piece.series is None:
                jumped[lane] = True
                x[lane] = self._within(leg, piece, s[lane])
            else:
                x[lane] = (piece.sign * (s[lane] - piece.s0)) ** POWERS @ piece.series
        lanes = ~jumped
        if lanes.any():
            x[lanes], last = self.system.correct(x[lanes], z[lanes], 8)
            assert np.all(last < 1e-9), "a certified pose is not found"
        return x

    def _within(self, leg: Leg, piece: Piece, s: float) -> Any:
        """The pose in a flat zone, from poses on both sides of it."""
        wide = (piece.high - piece.low) * np.array([0.01, 0.6, 1.5, 3.0])
        at = np.concatenate((piece.low - wide, piece.high + wide))
        at = at[[any(p.series is not None and p.low <= one < p.high for p in leg.pieces) for one in at]]
        if len(at) < 3:
            return np.full(self.system.n, np.nan)
        return _curve(at, self._poses(leg, at), s)


def _curve(at: Any, poses: Any, s: float) -> Any:
    """The polynomial through poses at places, at s."""
    total = 0.0
    for k, (sk, x) in enumerate(zip(at, poses, strict=True)):
        others = np.delete(at, k)
        total = total + x * np.prod((s - others) / (sk - others))
    return total


def along(corners: Any, count: int, unit: Any = 1.0) -> tuple[Any, Any, Any]:
    """About `count` samples on a path, every corner among them: segments, distances along them, and driver values."""
    corners = np.asarray(corners, float).reshape(len(corners), -1)
    lengths = np.linalg.norm(np.diff(corners, axis=0) / unit, axis=1)
    segment, distance, values = [0], [0.0], [corners[0]]
    for k, length in enumerate(lengths):
        steps = max(1, round((count - 1) * length / lengths.sum()))
        part = np.arange(1, steps + 1) / steps
        segment += [k] * steps
        distance += list(part * length)
        values += list(corners[k] + part[:, None] * (corners[k + 1] - corners[k]))
    return np.array(segment), np.array(distance), np.array(values)
