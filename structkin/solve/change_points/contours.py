"""Around a change point through complex poses, where nothing is singular.

At a change point a dyad is singular, and close to it precision is lost: at an angle phi away, position, K and L lose
factors of 1/phi, 1/phi^2 and 1/phi^3. But the motion itself is smooth there: an analytic function of the drivers, whose
value is the mean of its values on a surrounding circle of complex driver values (Cauchy). On that circle, some tenths
of a radian wide, every group is regular, and the usual closed forms hold.

The root of a dyad's discriminant needs care. At a change point the discriminant has a double zero inside, at s0, and
its smooth root is (s - s0) times a root without zero. The logarithm of the discriminant on the circle gives the number
of zeros and the middle of two (argument principle). The clearance of the dyad there, a length, says whether these are
one double zero, a change point, or two, at the ends of a gap or beside a near miss: flat within `FLAT_WITHIN` of the
size is a change point, beyond `NEVER_FLAT` never, and between nobody can tell (`structkin.numerical_tolerances`). A
Laurent series without negative powers certifies the poses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General, Turn
from structkin.numerical_tolerances import CLOSED, FLAT_WITHIN, NEVER_FLAT
from structkin.plan.plan import Plan, Register, Step
from structkin.solve.derivatives import Derivatives, Part, quadratic
from structkin.solve.engine import Lanes
from structkin.solve.tracking import unpacked
from structkin.track.contour import ITERATIONS, NODES, POWERS, UNIT, is_analytic, powers
from structkin.types import Complexes, Flags, Floats, Indices

#: Radii that are tried, in radians of the drivers or parts of the size.
RADII = (0.4, 0.2, 0.1, 0.05, 0.025)
#: Largest change of a discriminant's argument from one place of a circle to the next that counts its zeros.
STEEP = 2.5
#: Where one of the last powers of a discriminant's logarithm is larger than this, its zeros are not where they seem.
TAIL, ROUGH = 4, 1e-3
#: Four zeros are one if they are this much closer to each other than to the circle.
CLOSE = 0.01

#: The sign of the smooth root's slope at its zero, or of the root where there is none (s0 is NaN): (step, s0) -> (c,).
Signs = Callable[[int, Floats], Floats]


@dataclass(frozen=True)
class Zeros:
    """The zeros of a step's discriminant inside c circles.

    `count` (c,) is their number, NaN where it is not certain; `middle` (c,) is the place of one or the mean of two near
    the centre, NaN where there is none; `clearance` (c,) is that of the group in the middle of two, in sizes of the
    mechanism. Where all are four in one place, they `touch` (c,): the smooth root touches zero and keeps its sign.
    Beside other zeros near a circle the middle is `rough` (c,).
    """

    count: Floats
    middle: Floats
    clearance: Floats
    touch: Flags
    rough: Flags

    @classmethod
    def unknown(cls, count: int) -> Zeros:
        """Return those of some circles of which nothing is known."""
        number, middle, clearance = np.full((3, count), np.nan)
        return cls(number, middle, clearance, *np.zeros((2, count), bool))

    def take(self, k: int) -> Zeros:
        """Return those inside one of the circles."""
        return self.at(np.array([k]))

    def at(self, some: Indices | Flags) -> Zeros:
        """Return those inside some of the circles."""
        numbers = self.count[some], self.middle[some], self.clearance[some]
        return Zeros(*numbers, self.touch[some], self.rough[some])

    def put(self, other: Zeros, at: Indices) -> None:
        """Replace those inside some circles."""
        self.count[at], self.middle[at], self.clearance[at] = other.count, other.middle, other.clearance
        self.touch[at], self.rough[at] = other.touch, other.rough

    @property
    def flat(self) -> Floats:
        """The places (c,) of change points, NaN where there is none."""
        return np.where(np.abs(self.clearance) <= FLAT_WITHIN, self.middle, np.nan)


@dataclass(frozen=True)
class Contours:
    """Complex poses `x` (rows, c, NODES) on c circles, and the `zeros` of the discriminants of steps inside them.

    Steps before `until` (c,) are certified, the others are not valid; `radius` (c,) is that of the circle. Of the
    registers, those that are `sound` (registers, c) are certified: what another group does nearby does not matter.
    """

    x: Complexes
    zeros: dict[int, Zeros]
    until: Indices
    radius: Floats
    sound: Flags

    @classmethod
    def empty(cls, plan: Plan, nodes: Mapping[str, NDArray[Any]], radius: Floats) -> Contours:
        """Return circles of these radii (c,) on which only the drivers, at `nodes` (c, NODES), are known."""
        x = np.full((plan.offsets[-1], len(radius), NODES), np.nan, np.complex128)
        plan.drive(x, nodes)
        sound = np.ones((len(plan.widths), len(radius)), bool)
        return cls(x, {}, np.full(len(radius), len(plan.steps)), radius, sound)

    def put(self, other: Contours, at: Indices) -> Contours:
        """Return these circles, some of them replaced where others are certified for more steps."""
        better = other.until > self.until[at]
        at = at[better]
        self.x[:, at], self.sound[:, at] = other.x[:, better], other.sound[:, better]
        self.until[at], self.radius[at] = other.until[better], other.radius[better]
        for step, zeros in other.zeros.items():
            mine = self.zeros.setdefault(step, Zeros.unknown(len(self.until)))
            mine.put(zeros.at(better), at)
        return self


def solve_on_contours(
    plan: Plan,
    nodes: Mapping[str, NDArray[Any]],
    radius: Floats | float,
    signs: Signs,
    near: Floats,
    steps: int | None = None,
    given: Mapping[int, tuple[Any, ...]] | None = None,
) -> Contours:
    """Solve the poses at any analytic driver values on circles, (c, NODES) for each driver, of one radius or c radii.

    `near` (rows, c) holds slots near the circles' centres, from which Newton's method closes general groups, and which
    decide whole turns; `given` are the unknowns, over all nodes, of steps that are already solved, and `steps` is the
    number of steps to solve (default: all).
    """
    contours = Contours.empty(plan, nodes, np.full(near.shape[1], radius))
    return advance(plan, contours, range(len(plan.steps))[:steps], signs, near, given)


def advance(
    plan: Plan,
    contours: Contours,
    steps: Iterable[int],
    signs: Signs,
    near: Floats,
    given: Mapping[int, tuple[Any, ...]] | None = None,
) -> Contours:
    """Solve these steps, in order, on circles where what they depend on is solved, and return the circles."""
    x, until, zeros, sound = contours.x, contours.until, contours.zeros, contours.sound
    count, s = len(until), contours.radius[:, None] * UNIT
    flat = x.reshape(len(x), -1)
    part = Part(plan, flat)
    with np.errstate(all="ignore"):
        for index in steps:
            step = plan.steps[index]
            h, root = part.inputs(step), None
            good = np.array(sound[[item.index for item in step.inputs if isinstance(item, Register)]].all(axis=0))
            if given and index in given:
                phi = given[index]
            elif not step.kind.closed_form:
                phi = _close_general(plan, step, step.kind, h, near)
            else:
                if step.has_root:
                    root, zeros[index], fine = _smooth_root(plan, step, h, s, good, partial(signs, index))
                    good, root = good & fine, root.ravel()
                elif isinstance(step.kind, Turn):
                    (root,) = _around(plan, step, near)
                phi = step.kind.position(h, root)
            # A point at the origin has no size; the points that it is found from have one.
            size = reduce(np.fmax, (_largest(value, count) for value in (*h, *phi)))
            for slot, value in zip(step.outputs, phi, strict=True):
                rows = plan.rows(slot)
                flat[rows] = value
                good &= is_analytic(powers(x[rows]), size).all(axis=0)
            sound[list(step.outputs)] = good
            np.minimum(until, np.where(good, until, index), out=until)
    return contours


def _smooth_root(
    plan: Plan, step: Step, h: tuple[Any, ...], s: Any, good: Flags, signs: Callable[[Floats], Floats]
) -> tuple[Any, Zeros, Flags]:
    """Return the smooth root on circles (c, NODES), the zeros inside, and where the root is reliable (c,).

    `good` (c,) says on which circles the inputs are certified.
    """
    assert step.kind.closed_form
    found = step.kind.discriminant(h)
    assert found is not None
    # Where a varying length of a dyad has a complex zero, the discriminant has a pole, and poles count against zeros.
    divisor = _divisor(step, h, s)
    discriminant = divisor * np.broadcast_to(found, s.size).reshape(s.shape)
    turns = np.angle(np.roll(discriminant, -1, axis=1) / discriminant)
    clear = good & (np.max(np.abs(turns), axis=1) < STEEP)
    count = np.where(clear, np.round(np.sum(turns, axis=1) / (2 * np.pi)), np.nan)
    few = np.where((count == 1) | (count == 2), count, 0.0)
    log = _log(discriminant / s ** few[:, None])
    radius = np.abs(s[:, 0])
    # log(1 - a/s) + log(1 - b/s) = -(a + b)/s - ...
    middle = -radius * log[:, -1].real / few
    middle[~(np.abs(middle) < 0.5 * radius)] = np.nan
    clearance, double = np.full(len(s), np.nan), (few == 2) & np.isfinite(middle)
    if double.any():
        clearance[double] = _clearance(plan, step, h, middle, radius)[double]
    touch = count == 4
    if touch.any():
        mean, apart = _four(_log(discriminant / s**4), radius)
        # Rounding parts four zeros by its fourth root; on either side of them the root has one sign all the same.
        for place, within in ((mean - apart, NEVER_FLAT), (mean, FLAT_WITHIN), (mean + apart, NEVER_FLAT)):
            touch &= np.abs(_clearance(plan, step, h, place, radius)) <= within
        touch &= (apart < CLOSE * radius) & (np.abs(mean) < 0.5 * radius)
    # What is left of the last positive powers has been added to the negative ones.
    rough = np.max(np.abs(log[:, POWERS - TAIL : POWERS]), axis=1) > ROUGH
    zeros = Zeros(count, middle, clearance, touch, rough)
    zero = zeros.flat
    straight = np.where(np.isnan(zero)[:, None], 1.0, s - np.nan_to_num(zero)[:, None])
    rest = discriminant / straight**2
    root = np.sqrt(rest)
    # The principal root jumps where the rest crosses the negative axis: neighbours are made to agree.
    agree = np.where((root[:, 1:] * root[:, :-1].conj()).real < 0, -1.0, 1.0)
    root[:, 1:] *= np.cumprod(agree, axis=1)
    at = np.mean(root, axis=1)
    # Imaginary at the real place: out of reach there.
    real = np.abs(at.imag) < 1e-3 * np.abs(at.real)
    certain = (np.isfinite(zero) | (zeros.count == 0)) & real
    root *= (signs(zero) * np.sign(at.real))[:, None]
    return root * straight / np.sqrt(divisor), zeros, certain


def _divisor(step: Step, h: tuple[Any, ...], s: Any) -> Any:
    """Return the product of the varying lengths by which a step's discriminant is divided on circles, 1 if none is."""
    return reduce(np.multiply, (h[k].reshape(s.shape) for k in step.divisors), np.ones(1))


def _log(rest: Complexes) -> Complexes:
    """Return the powers of the logarithm of values (c, NODES) on circles, made continuous around each."""
    angle = np.concatenate((np.zeros((len(rest), 1)), np.cumsum(np.angle(rest[:, 1:] / rest[:, :-1]), axis=1)), axis=1)
    return powers(np.log(np.abs(rest)) + 1j * (angle + np.angle(rest[:, :1])))


def _four(log: Complexes, radius: Floats) -> tuple[Floats, Floats]:
    """Return the mean of four zeros inside each circle (c,), and about how far they are from it.

    The `log` of the discriminant over s^4 has powers -p_k / k of 1 / s, with p_k the sum of the k-th powers of the
    zeros; these give the sums of the powers of their distances from the mean.
    """
    p1, p2, p3, p4 = (-k * radius**k * log[:, -k].real for k in (1, 2, 3, 4))
    m = p1 / 4
    second, third = p2 - 4 * m**2, p3 - 3 * m * p2 + 8 * m**3
    fourth = p4 - 4 * m * p3 + 6 * m**2 * p2 - 12 * m**4
    return m, np.max([np.abs(each) ** (1 / k) for k, each in ((2, second), (3, third), (4, fourth))], axis=0)


def _largest(value: Any, count: int) -> Any:
    """Return the largest component of a vector or scalar on each of some circles (count,), or of a constant."""
    size = np.abs(value)
    return np.fmax.reduce(size.reshape(-1, count, NODES), axis=(0, 2)) if size.size > 2 else np.max(size)


def _clearance(plan: Plan, step: Step, h: tuple[Any, ...], place: Floats, radius: Floats) -> Floats:
    """Return the clearance (c,) of a step, in sizes, at real places inside circles, from its inputs on these."""
    power = (place / radius)[:, None] ** np.arange(POWERS)

    def there(value: Any) -> Any:
        if np.size(value) <= 2:
            return np.real(value)
        terms = powers(np.reshape(value, (*np.shape(value)[:-1], len(place), NODES)))[..., :POWERS]
        return np.sum(terms * power, axis=-1).real

    return np.asarray(plan.from_flat(step, tuple(there(value) for value in h)))


def _around(plan: Plan, step: Step, near: Floats) -> list[Any]:
    """Return values near a step's outputs, (2, c * NODES) or (c * NODES,), at all places of the circles."""
    values = [np.repeat(near[plan.rows(slot)], NODES, axis=1) for slot in step.outputs]
    return [value if len(value) == 2 else value[0] for value in values]


def _close_general(plan: Plan, step: Step, form: General, h: tuple[Any, ...], near: Floats) -> tuple[Any, ...]:
    O, theta = unpacked(form, _around(plan, step, near))
    O, theta, change = form.newton(h, O.astype(np.complex128), theta.astype(np.complex128), iterations=ITERATIONS)
    return form.unknowns(O, np.where(change < CLOSED, theta, np.nan))


def with_rates(plan: Plan, lanes: Lanes) -> Lanes:
    """Return the complex poses around some lanes with their velocities and accelerations, as lanes."""
    assert lanes.around is not None
    found, at = lanes.around, np.repeat(lanes.around.at, NODES)
    complex_lanes = found.lanes()
    derivatives = Derivatives(plan, complex_lanes)
    first: dict[int, Any] = {}
    second: dict[int, Any] = {}
    for item in plan.drivers:
        rows = plan.rows(item.register)
        rate, rate_change = (lanes.x[order, rows][:, at] for order in (1, 2))
        if not item.angular:
            first[item.register], second[item.register] = rate[0], rate_change[0]
            continue
        real, E = lanes.x[0, rows][:, at], found.x[rows]
        turned = np.stack((-E[1], E[0]))
        speed, change = (real[0] * dE[1] - real[1] * dE[0] for dE in (rate, rate_change))
        first[item.register] = speed * turned
        second[item.register] = change * turned - speed**2 * E
    v = derivatives.solve(first)
    a = derivatives.solve(second, quadratic(v, v))
    x = np.zeros((3, *found.x.shape), np.complex128)
    x[0] = found.x
    for order, field in ((1, v), (2, a)):
        for slot, value in field.items():
            x[order, plan.rows(slot)] = value
    return Lanes(x, complex_lanes.status, complex_lanes.group, complex_lanes.least)
