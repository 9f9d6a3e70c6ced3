"""An independent check: all joints and drivers of a mechanism at once, by Newton's method.

It shares no code with the solver by groups. The unknowns are x, y and theta of every moving link, and the rows

    R         the pin's position on each further link minus that on the first     two rows a pair
    P         orientation, and distance from the guide                            two rows
    gears     turn_1 - turn_c = ratio (turn_2 - turn_c), up to a tooth            one row
    racks     travel = lever (turn_1 - turn_2), up to a turn                      one row
    rolling   as a rack and a line; as gears on the line of centres, and |A - B|  two rows
    fastened  pose of each further link on the first                              three rows a link
    slot      distance from the line, or from the centre of a circular slot       one row
    curve     the pin's and the curve's distances from the tangent at its foot    one row
    cam       the follower's travel or angle minus its law of the cam's angle     one row
    Geneva    the pin's distance from a slot, or the angle of the locked wheel    one row
    drivers   angle(second) - angle(first) - z;  travel - z;  |F - E| - z         one row

are evaluated on second-order jets: a value with its first and second derivative along one direction of the unknowns.
One evaluation along every unit direction is the Jacobian; one along the velocities is the convective term of the
accelerations. All are exact, and no derivative is written by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

TURN = 2 * np.pi


@dataclass(frozen=True)
class Jet:
    """A number f with its derivatives f' and f'' along a line in the space of unknowns."""

    f: Any
    d: Any = 0.0
    dd: Any = 0.0

    def __add__(self, other: Any) -> Jet:
        o = _jet(other)
        return Jet(self.f + o.f, self.d + o.d, self.dd + o.dd)

    def __sub__(self, other: Any) -> Jet:
        o = _jet(other)
        return Jet(self.f - o.f, self.d - o.d, self.dd - o.dd)

    def __mul__(self, other: Any) -> Jet:
        o = _jet(other)
        return Jet(self.f * o.f, self.d * o.f + self.f * o.d, self.dd * o.f + 2 * self.d * o.d + self.f * o.dd)

    def map(self, f: Any, f1: Any, f2: Any, f3: Any = None) -> Jet:
        """The function with this value and these derivatives at self; the third is for jets of third order."""
        return Jet(f, f1 * self.d, f1 * self.dd + f2 * self.d**2)

    def cos(self) -> Jet:
        c, s = np.cos(self.f), np.sin(self.f)
        return self.map(c, -s, -c)

    def sin(self) -> Jet:
        c, s = np.cos(self.f), np.sin(self.f)
        return self.map(s, c, -s)

    def sqrt(self) -> Jet:
        r = np.sqrt(self.f)
        return self.map(r, 0.5 / r, -0.25 / r**3)

    def inverse(self) -> Jet:
        r = 1 / self.f
        return self.map(r, -(r**2), 2 * r**3, -6 * r**4)

    def wrapped(self, turn: float = TURN) -> Jet:
        """The angle between plus and minus half a turn."""
        return Jet(np.remainder(self.f + turn / 2, turn) - turn / 2, self.d, self.dd)

    def where(self, condition: Any, other: Jet) -> Jet:
        """This number where a condition holds, else the other."""
        return Jet(*(np.where(condition, *ab) for ab in ((self.f, other.f), (self.d, other.d), (self.dd, other.dd))))


def direction(v: Vec) -> Jet:
    """The angle of a vector: relative to its present direction, it is the arctangent of a slope that is zero."""
    x, y = v.x.f, v.y.f
    slope = (v.y * x - v.x * y) * (v.x * x + v.y * y).inverse()
    return slope.map(np.arctan2(y, x), 1.0, 0.0, -2.0)


def _jet(value: Any) -> Jet:
    return value if isinstance(value, Jet) else Jet(value)


@dataclass(frozen=True)
class Vec:
    """A plane vector of jets."""

    x: Jet
    y: Jet

    def __add__(self, o: Vec) -> Vec:
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: Vec) -> Vec:
        return Vec(self.x - o.x, self.y - o.y)

    def dot(self, o: Vec) -> Jet:
        return self.x * o.x + self.y * o.y

    def cross(self, o: Vec) -> Jet:
        return self.x * o.y - self.y * o.x


class Pose:
    """The poses of all links as jets, given their unknowns q (3 m, ...) and a direction of these."""

    def __init__(self, system: WholeSystem, q: Any, direction: Any) -> None:
        self._system, self._q, self._direction = system, q, direction

    def _unknown(self, link: str, k: int) -> Jet:
        if link not in self._system.column:
            return Jet(0.0)
        row = self._system.column[link] + k
        return Jet(self._q[row], self._direction[row])

    def angle(self, link: str) -> Jet:
        return self._unknown(link, 2)

    def vector(self, link: str, local: complex) -> Vec:
        """A vector fixed in a link."""
        c, s = self.angle(link).cos(), self.angle(link).sin()
        return Vec(c * local.real - s * local.imag, s * local.real + c * local.imag)

    def point(self, link: str, local: complex) -> Vec:
        """A point fixed in a link."""
        return Vec(self._unknown(link, 0), self._unknown(link, 1)) + self.vector(link, local)


@dataclass
class WholeSystem:
    """The equations of a mechanism; `column[link]` is the first of its three unknowns."""

    mechanism: Any

    def __post_init__(self) -> None:
        m = self.mechanism
        self.moving = [link for link in m.links if link != m.topology.ground]
        self.column = {link: 3 * k for k, link in enumerate(self.moving)}
        self.drivers = list(m.drivers)
        places = list(m.places.values())
        self.size = max(abs(a - b) for a in places for b in places) or 1.0

    # --- equations ----------------------------------------------------------------------------------------

    def rows(self, pose: Pose) -> list[tuple[Jet, float, frozenset[str]]]:
        """All rows in order, each with its unit (1 for angles, the size for lengths) and its links; drivers last."""
        m, out = self.mechanism, []

        def add(row: Jet, unit: float, *links: str) -> None:
            out.append((row, unit, frozenset(links)))

        for joint in m.topology.joints:
            if joint.kind != "R":
                assert any(hasattr(m.joints[joint.id], name) for name in GEOMETRY), (
                    f"a {joint.kind} joint without geometry"
                )
                continue
            first = joint.links[0]
            for other in joint.links[1:]:
                gap = pose.point(other, m.links[other].local[joint.id]) - pose.point(
                    first, m.links[first].local[joint.id]
                )
                add(gap.x, self.size, first, other)
                add(gap.y, self.size, first, other)
        for guide in _having(m, "turn"):
            along, span = self._line(pose, guide)
            add(along.cross(span) - guide.offset, self.size, guide.carrier, guide.slider)
            if guide.turn is not None:
                row = pose.angle(guide.slider) - pose.angle(guide.carrier) - np.angle(guide.turn)
                add(row.wrapped(), 1.0, guide.carrier, guide.slider)
        for mesh in _having(m, "lever"):
            if mesh.guide is not None:
                along, span = self._line(pose, m.joints[mesh.guide])
                row = along.dot(span) - m.joints[mesh.guide].start - mesh.shift
                row = row - (self._turn(pose, mesh.links[0]) - self._turn(pose, mesh.links[1])) * mesh.lever
                add(row.wrapped(TURN * abs(mesh.lever)), self.size, *mesh.links, m.joints[mesh.guide].carrier,
                    m.joints[mesh.guide].slider)  # fmt: skip
                continue
            if mesh.arm is None:
                reach = pose.point(mesh.links[1], mesh.centers[1]) - pose.point(mesh.links[0], mesh.centers[0])
                sketch = [
                    m.links[a].origin + m.links[a].direction * c for a, c in zip(mesh.links, mesh.centers, strict=True)
                ]
                first, second = mesh.radii
                add(reach.dot(reach).sqrt() - abs(first - second if mesh.ratio > 0 else first + second), self.size,
                    *mesh.links)  # fmt: skip
                carrier = direction(reach) - np.angle(sketch[1] - sketch[0])
            else:
                carrier = self._turn(pose, mesh.arm)
            row = self._turn(pose, mesh.links[0]) - carrier - (self._turn(pose, mesh.links[1]) - carrier) * mesh.ratio
            teeth = Fraction(mesh.ratio).limit_denominator(1000)
            assert abs(teeth - mesh.ratio) < 1e-15 * abs(mesh.ratio), "a ratio of whole numbers of teeth"
            add(row.wrapped(TURN / teeth.denominator), 1.0, *mesh.links, *([mesh.arm] if mesh.arm else []))
        for one in _having(m, "seats"):
            first = one.links[0]
            for link, seat in zip(one.links[1:], one.seats[1:], strict=True):
                gap = pose.point(link, 0j) - pose.point(first, seat.origin)
                add(gap.x, self.size, first, link)
                add(gap.y, self.size, first, link)
                row = pose.angle(link) - pose.angle(first) - np.angle(seat.direction)
                add(row.wrapped(), 1.0, first, link)
        cam_rows(self, pose, add)
        curve_rows(self, pose, add)
        for id in self.drivers:
            drive = m.drivers[id]
            if drive.kind == "angle":
                first, second = drive.links
                add(pose.angle(second) - pose.angle(first), 1.0, first, second)
            elif drive.kind == "slide":
                guide = m.joints[drive.joint]
                along, span = self._line(pose, guide)
                add(along.dot(span) - guide.start, self.size, guide.carrier, guide.slider)
            else:
                (a, e), (b, f) = drive.ends
                reach = pose.point(b, m.links[b].local[f]) - pose.point(a, m.links[a].local[e])
                add(reach.dot(reach).sqrt(), self.size, a, b)
        return out

    def _turn(self, pose: Pose, link: str) -> Jet:
        return pose.angle(link) - np.angle(self.mechanism.links[link].direction)

    @staticmethod
    def _line(pose: Pose, guide: Any) -> tuple[Vec, Vec]:
        span = pose.point(guide.slider, guide.point) - pose.point(guide.carrier, guide.origin)
        return pose.vector(guide.carrier, guide.direction), span

    def values(self, q: Any, z: Any) -> Any:
        """Phi(q, z), scaled (rows, n), at q (3 m, n) and driver values z (drivers, n)."""
        rows = self.rows(Pose(self, q, np.zeros_like(q)))
        out = np.stack([np.broadcast_to(row.f, q.shape[1:]) / unit for row, unit, _ in rows])
        for k, id in enumerate(self.drivers):
            place = len(rows) - len(self.drivers) + k
            gap = out[place] - z[k] / rows[place][1]
            out[place] = np.remainder(gap + np.pi, TURN) - np.pi if self.mechanism.drivers[id].kind == "angle" else gap
        return out

    def jacobian(self, q: Any) -> Any:
        """The scaled Jacobian (n, rows, 3 m): unknowns in units of the size and of a radian."""
        count, n = q.shape
        unit = np.tile([self.size, self.size, 1.0], count // 3)
        directions = (np.eye(count) * unit)[:, :, None]
        lanes = np.broadcast_to(q[:, None, :], (count, count, n))
        rows = self.rows(Pose(self, lanes, np.broadcast_to(directions, (count, count, n))))
        columns = [np.broadcast_to(row.d, (count, n)) / unit for row, unit, _ in rows]
        return np.moveaxis(np.stack(columns), -1, 0)

    # --- solving ------------------------------------------------------------------------------------------

    @property
    def _unit(self) -> Any:
        return np.tile([self.size, self.size, 1.0], len(self.moving))[:, None]

    def newton(self, q: Any, z: Any, *, iterations: int = 25) -> tuple[Any, Any]:
        """Solve Phi(q, z) = 0 for all lanes from a start; return q and whether each lane converged (n,)."""
        q, step = np.array(q), np.full(q.shape[1], np.inf)
        for _ in range(iterations):
            dq = _solve(self.jacobian(q), -self.values(q, z))
            dq = np.where(np.isfinite(dq), dq, np.inf)
            previous, step = step, np.max(np.abs(dq), axis=0)
            q = q + np.where(step < 1e3, dq, 0.0) * self._unit
            if np.all((step < 1e-12) | (step > 1e3) | ((step < 1e-9) & (step > 0.3 * previous))):
                break
        gap = np.max(np.abs(self.values(q, z)), axis=0)
        return q, (step < 1e-8) & (gap < 1e-11)

    def velocities(self, q: Any, rates: Any) -> Any:
        """Solve Phi_q qd = -Phi_t."""
        J = self.jacobian(q)
        return _solve(J, self._driver_terms(rates, J.shape[1])) * self._unit

    def accelerations(self, q: Any, qd: Any, second_rates: Any) -> Any:
        """Solve Phi_q qdd = -(Phi_q qd)_q qd - Phi_tt."""
        rows = self.rows(Pose(self, q, qd))
        convective = np.stack([np.broadcast_to(row.dd, q.shape[1:]) / unit for row, unit, _ in rows])
        J = self.jacobian(q)
        return _solve(J, self._driver_terms(second_rates, J.shape[1]) - convective) * self._unit

    def coefficients(self, q: Any) -> tuple[Any, Any]:
        """K (f, 3 m, n) and L (f, f, 3 m, n): Phi_q K_j = e_j, row of driver j, and Phi_q L_jk = -(Phi_q K_j)_q K_k.

        The right-hand side is a quarter of what the second derivatives along K_j + K_k and K_j - K_k differ by.
        """
        J, count, n = self.jacobian(q), len(self.drivers), q.shape[1]

        def bend(v: Any) -> Any:
            return np.stack([np.broadcast_to(row.dd, n) / unit for row, unit, _ in self.rows(Pose(self, q, v))])

        units = np.broadcast_to(np.eye(count)[:, :, None], (count, count, n))
        K = np.array([_solve(J, self._driver_terms(unit, J.shape[1])) * self._unit for unit in units])
        K, L = K.reshape(count, *q.shape), np.empty((count, count, *q.shape))
        for j in range(count):
            for k in range(j + 1):
                L[j, k] = L[k, j] = _solve(J, (bend(K[j] - K[k]) - bend(K[j] + K[k])) / 4) * self._unit
        return K, L

    def of_point(self, q: Any, K: Any, L: Any, link: str, local: complex) -> tuple[Any, Any]:
        """K (n, 2, f) and L (n, 2, f, f) of a point of a link, from those of the unknowns."""

        def along(v: Any) -> tuple[Any, Any]:
            at = Pose(self, q, v).point(link, local)
            pairs = (at.x.d, at.y.d), (at.x.dd, at.y.dd)
            return tuple(np.stack([np.broadcast_to(x, q.shape[1]) for x in pair], axis=-1) for pair in pairs)

        bends = [
            [along(L[j, k])[0] + (along(a + b)[1] - along(a - b)[1]) / 4 for k, b in enumerate(K)]
            for j, a in enumerate(K)
        ]
        return np.moveaxis([along(v)[0] for v in K], 0, -1), np.moveaxis(bends, (0, 1), (-2, -1))

    def _driver_terms(self, rates: Any, count: int) -> Any:
        units = [1.0 if self.mechanism.drivers[id].kind == "angle" else self.size for id in self.drivers]
        terms = np.zeros((count, rates.shape[1]))
        if self.drivers:
            terms[count - len(self.drivers) :] = rates / np.array(units)[:, None]
        return terms

    # --- poses --------------------------------------------------------------------------------------------

    def sketch(self) -> Any:
        """The unknowns in the sketch (3 m, 1)."""
        links = [self.mechanism.links[name] for name in self.moving]
        return np.array([x for a in links for x in (a.origin.real, a.origin.imag, np.angle(a.direction))])[:, None]

    def clarity(self, q: Any, groups: Sequence[frozenset[str]]) -> Any:
        """The smallest singular value of each group's rows and columns (groups, n).

        The groups come in solve order; a row belongs to the last group that has one of its links.
        """
        J = self.jacobian(q)
        owner = {link: k for k, links in enumerate(groups) for link in links}
        found = [links for _, _, links in self.rows(Pose(self, q, np.zeros_like(q)))]
        last = np.array([max(owner.get(link, -1) for link in links) for links in found])
        out = []
        for k, links in enumerate(groups):
            columns = [self.column[link] + j for link in sorted(links) for j in range(3)]
            own = J[:, last == k][:, :, columns]
            assert own.shape[1] == own.shape[2], f"group {sorted(links)} has {own.shape[1]} rows"
            out.append(np.linalg.svd(own, compute_uv=False)[:, -1])
        return np.array(out)

    def follow(self, q: Any, path: Any, *, closest: float = 1e-6) -> Any | None:
        """Follow the drivers' values path (steps, drivers) from the pose q; None where a limit ends the path.

        Steps are small: Newton's method must stay close to where it starts, and the determinant keeps its sign.
        """
        sign = np.linalg.slogdet(self.jacobian(q))[0][0]
        for z in path:
            new, good = self.newton(q, np.array(z)[:, None], iterations=8)
            close = np.max(np.abs(new - q) / self._unit) < 0.2
            if not (good[0] and close):
                return None
            J = self.jacobian(new)
            if np.linalg.slogdet(J)[0][0] != sign or np.linalg.svd(J, compute_uv=False)[0, -1] < closest:
                return None
            q = new
        return q


#: The attribute that identifies each kind of joint: lines, wheels, cams, Geneva wheels, circular slots, links fastened,
#: curved slots.
GEOMETRY = ("turn", "lever", "contact", "slots", "center", "seats", "curve")


def _having(mechanism: Any, attribute: str) -> list[Any]:
    """Return the joints that have an attribute: their geometry, read by no class of the package."""
    return [joint for joint in mechanism.joints.values() if hasattr(joint, attribute)]


def cam_rows(system: WholeSystem, pose: Pose, add: Callable[..., None]) -> None:
    """Add the rows of cams with a law, Geneva wheels and circular slots.

    A cam is checked by the angle of its link and the travel or angle of its follower's joint; a Geneva wheel by its pin
    on the middle line of a slot, or by its locked angle; a circular slot by a distance.
    """
    m, size = system.mechanism, system.size
    for arc in _having(m, "center"):
        span = pose.point(arc.slider, arc.point) - pose.point(arc.carrier, arc.center)
        add(span.dot(span).sqrt() - arc.radius, size, arc.carrier, arc.slider)
    for cam in _having(m, "contact"):
        angle = pose.angle(cam.cam) - pose.angle(cam.carrier)
        f = angle.map(*(cam.follow(angle.f, order) for order in range(4)))
        ends = cam.cam, cam.follower, cam.carrier
        if hasattr(m.joints[cam.joint], "turn"):
            guide = m.joints[cam.joint]
            along, span = system._line(pose, guide)
            add(along.dot(span) - guide.start - f, size, *ends)
        else:
            add((pose.angle(cam.follower) - pose.angle(cam.carrier) - f).wrapped(), 1.0, *ends)
    for g in _having(m, "slots"):
        pivot = m.links[g.wheel].local[g.pivot]
        span = pose.point(g.crank, m.links[g.crank].local[g.pin]) - pose.point(g.wheel, pivot)
        reach, turn = np.hypot(span.x.f, span.y.f), 2 * np.pi / g.slots
        # Beyond the mouth of the slots the wheel is locked: halfway between two slots on the line of centres.
        inside = reach <= g.distance * np.cos(np.pi / g.slots) * (1 + 1e-9)
        wheel, base = pose.angle(g.wheel), pose.angle(g.carrier)
        towards = np.arctan2(span.y.f, span.x.f) - wheel.f - g.slot
        slot = g.slot + turn * np.round(towards / turn)
        c, s = (wheel + slot).cos(), (wheel + slot).sin()
        across = c * span.y - s * span.x
        centres = m.links[g.carrier].local[g.pivot] - m.links[g.carrier].local[_shaft(m, g)]
        locked = (wheel - base - (np.angle(-centres) + turn / 2 - g.slot)).wrapped(turn)
        add(across.where(inside, locked * size), size, g.crank, g.wheel, g.carrier)


def curve_rows(system: WholeSystem, pose: Pose, add: Callable[..., None]) -> None:
    """Add the rows of curved slots: in axes along tangent and normal of the pin's foot the curve is y = f(x)."""
    for slot in _having(system.mechanism, "curve"):
        span, axis = pose.point(slot.slider, slot.point) - pose.point(slot.carrier, 0j), pose.vector(slot.carrier, 1)
        x, y = axis.dot(span), axis.cross(span)
        there = x.f + 1j * y.f
        table = np.linspace(0.0, TURN, 4001)
        u = table[np.argmin(np.abs(_on_curve(slot.curve, table, 0) - there[..., None]), axis=-1)]
        for _ in range(6):
            c, d, dd = (_on_curve(slot.curve, u, order) for order in range(3))
            u = u - (np.conj(d) * (c - there)).real / (np.conj(d) * d + np.conj(dd) * (c - there)).real
        c, d, dd, ddd = (_on_curve(slot.curve, u, order) for order in range(4))
        tangent, speed = d / np.abs(d), np.abs(d)
        along = (x - c.real) * tangent.real + (y - c.imag) * tangent.imag
        distance = (y - c.imag) * tangent.real - (x - c.real) * tangent.imag
        second, third = np.conj(tangent) * dd, np.conj(tangent) * ddd
        jerk = (third.imag * speed - 3 * second.imag * second.real) / speed**4
        bend = along.map(0.0, 0.0, second.imag / speed**2, jerk)
        add(distance - bend, system.size, slot.carrier, slot.slider)


def _on_curve(curve: Any, u: Any, order: int) -> Any:
    """Return x + iy (n,) at u, or its derivative, from the coefficients: polynomials and waves of each piece."""
    u = np.remainder(u, TURN) if curve.closed else u
    piece = np.clip(np.searchsorted(curve.x.breaks, u, side="right") - 1, 0, len(curve.x.breaks) - 2)
    t, found = u - curve.x.breaks[piece], []
    for f in (curve.x, curve.y):
        powers = np.arange(order, f.polynomials.shape[1])
        factors = np.array([np.prod(np.arange(p - order + 1, p + 1)) for p in powers])
        a, w, p = np.moveaxis(f.waves[piece], -1, 0)
        wave = a * ((1j * w) ** order * np.exp(1j * (w * t + p))).imag
        found.append(
            wave + np.sum(f.polynomials[piece][..., order:] * factors * t[..., None] ** (powers - order), axis=-1)
        )
    return found[0] + 1j * found[1]


def _shaft(m: Any, g: Any) -> str:
    pins = [joint.id for joint in m.topology.joints if {g.crank, g.carrier} <= set(joint.links)]
    return pins[0]


def _solve(J: Any, rhs: Any) -> Any:
    """Solve lane by lane; NaN where a Jacobian is singular. Redundant rows that agree are met by least squares."""
    if J.shape[1] > J.shape[2]:
        J, rhs = np.swapaxes(J, 1, 2) @ J, np.einsum("nrc,rn->cn", J, rhs)
    try:
        return np.linalg.solve(J, rhs.T[..., None])[..., 0].T
    except np.linalg.LinAlgError:
        out = np.full(rhs.shape, np.nan)
        for lane in range(rhs.shape[1]):
            try:
                out[:, lane] = np.linalg.solve(J[lane], rhs[:, lane])
            except np.linalg.LinAlgError:
                continue
        return out


@dataclass(frozen=True)
class Whole:
    """The whole-system solution at some samples of a motion: unknowns and rates, each (3 m, n)."""

    system: WholeSystem
    q: Any
    qd: Any
    qdd: Any
    converged: Any
    clarity: Any

    def compare(self, motion: Any, samples: Any) -> dict[str, Any]:
        """The largest difference of positions, velocities, accelerations a sample, relative to the largest there is."""
        size = self.system.size
        worst = {}
        for order, mine in enumerate((self.q, self.qd, self.qdd)):
            theirs = unknowns_of(self.system, motion, order)[:, samples]
            unit = np.tile([size, size, 1.0], len(self.system.moving))[:, None]
            gap = (mine - theirs) / unit
            if order == 0:
                gap[2::3] = np.remainder(gap[2::3] + np.pi, TURN) - np.pi
                scale: Any = 1.0
            else:
                scale = np.maximum(np.max(np.abs(mine / unit), axis=0), 1e-3)
            worst[("position", "velocity", "acceleration")[order]] = np.max(np.abs(gap) / scale, axis=0)
        return worst

    def compare_coefficients(self, motion: Any, samples: Any) -> tuple[Any, Any]:
        """The largest differences (n,) of K and L of all points and links, relative to the largest there are."""
        system, m, n = self.system, self.system.mechanism, self.q.shape[1]
        K, L = system.coefficients(self.q)
        unit = np.tile([system.size, system.size, 1.0], len(system.moving))[:, None]
        most = np.maximum(np.max(np.abs(K / unit), axis=(0, 1)), 1e-3)
        sizes = most, np.maximum(np.max(np.abs(L / unit), axis=(0, 1, 2)), most**2)
        mine = {
            name: (system.of_point(self.q, K, L, link, m.links[link].local[name]), system.size)
            for name in m.points
            if name not in m.links and (link := m.link_of(name)) in system.column
        }
        for link, row in system.column.items():
            if link not in m.points:
                angle = np.moveaxis(K[:, row + 2], 0, -1), np.moveaxis(L[:, :, row + 2], (0, 1), (-2, -1))
                mine[link] = angle, 1.0
        worst = np.zeros((2, n))
        for name, (found, size) in mine.items():
            for k, theirs in enumerate((motion.K(name), motion.L(name))):
                gap = np.abs(theirs[samples] - found[k]).reshape(n, -1).max(axis=1, initial=0.0)
                worst[k] = np.maximum(worst[k], gap / size / sizes[k])
        return worst[0], worst[1]


def unknowns_of(system: WholeSystem, motion: Any, order: int) -> Any:
    """The unknowns, or their first or second rates, as a motion has them (3 m, n)."""
    place = (motion.position, motion.velocity, motion.acceleration)[order]
    turn = (motion.angle, motion.omega, motion.alpha)[order]
    return np.concatenate([np.vstack((place(0j, link=link).T, turn(link))) for link in system.moving])


def solve_whole(mechanism: Any, motion: Any, samples: Any = None, *, seed: int = 0, nudge: float = 1e-3) -> Whole:
    """Solve the ok samples of a motion again, from its positions moved by `nudge` at random.

    Nearer to a singular pose the nudge is smaller, so that the nearest solution stays the nearest.
    """
    system = WholeSystem(mechanism)
    samples = np.flatnonzero(motion.ok) if samples is None else np.asarray(samples)
    laws = np.zeros((len(system.drivers), 3, len(samples)))
    for k, id in enumerate(system.drivers):
        laws[k] = motion.drivers[id][:, samples]
    q = unknowns_of(system, motion, 0)[:, samples]
    clarity = np.linalg.svd(system.jacobian(q), compute_uv=False)[:, -1] if len(samples) else np.zeros(0)
    noise = np.random.default_rng(seed).uniform(-1, 1, q.shape) * system._unit
    q, good = system.newton(q + noise * np.minimum(nudge, nudge * 20 * clarity), laws[:, 0])
    qd = system.velocities(q, laws[:, 1])
    return Whole(system, q, qd, system.accelerations(q, qd, laws[:, 2]), good, clarity)
