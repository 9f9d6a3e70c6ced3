"""Around a change point through complex poses, where nothing is singular.

At a change point a dyad is singular, and close to it precision is lost: at an angle phi away, position, K and L lose
factors of 1/phi, 1/phi^2 and 1/phi^3. But the motion itself is smooth there: an analytic function of the drivers, whose
value is the mean of its values on a surrounding circle of complex driver values (Cauchy). On that circle, some tenths
of a radian wide, every group is regular, and the usual closed forms hold.

The root of a dyad's discriminant needs care. The discriminant has a double zero inside, at s0, and its smooth root is
(s - s0) times a root without zero. The logarithm of the discriminant on the circle gives the number of zeros, their
centre and their distance (argument principle): two separate zeros are not a change point, but two limit positions or a
near miss. A Laurent series without negative powers certifies the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General, Turn
from structkin.plan.plan import Plan, Step
from structkin.solve.derivatives import Derivatives, Part, quadratic
from structkin.solve.engine import Lanes
from structkin.solve.tracking import unpacked
from structkin.track.contour import ITERATIONS, NODES, UNIT, is_analytic, powers
from structkin.track.tolerances import CLOSED, DOUBLE_ZERO

Floats = NDArray[np.float64]

#: Radii that are tried, in radians of the drivers or parts of the size.
RADII = (0.4, 0.2, 0.1, 0.05, 0.025)

#: The sign of the smooth root's slope at its zero, or of the root where there is none (s0 is NaN): (step, s0) -> (c,).
Signs = Callable[[int, Floats], Floats]


@dataclass(frozen=True)
class Contours:
    """Complex poses `x` (rows, c, NODES) on c circles; `zeros[step]` (c,) is where a root is zero, NaN where it is not.

    Steps before `until` (c,) are certified, the others are not valid; `radius` (c,) is that of the circle.
    """

    x: NDArray[np.complex128]
    zeros: dict[int, Floats]
    until: NDArray[np.intp]
    radius: Floats

    def over(self, other: Contours | None) -> Contours:
        """Return these circles where they are certified for more steps than others, else the others."""
        if other is None:
            return self
        mine = self.until > other.until
        zeros = {step: np.where(mine, s0, other.zeros[step]) for step, s0 in self.zeros.items()}
        x = np.where(mine[:, None], self.x, other.x)
        return Contours(x, zeros, np.maximum(self.until, other.until), np.where(mine, self.radius, other.radius))


def solve_on_contours(
    plan: Plan,
    nodes: Mapping[str, NDArray[Any]],
    radius: float,
    signs: Signs,
    near: Floats,
    steps: int | None = None,
    given: Mapping[int, tuple[Any, ...]] | None = None,
) -> Contours:
    """Solve the poses at any analytic driver values on circles, (c, NODES) for each driver.

    `near` (rows, c) holds slots near the circles' centres, from which Newton's method closes general groups, and which
    decide whole turns; `given` are the unknowns, over all nodes, of steps that are already solved, and `steps` is the
    number of steps to solve (default: all).
    """
    count, s = near.shape[1], radius * UNIT
    x = np.full((plan.offsets[-1], count, NODES), np.nan, np.complex128)
    flat = x.reshape(len(x), -1)
    plan.drive(x, nodes)
    until, zeros = np.full(count, len(plan.steps)), {}
    part = Part(plan, flat)
    with np.errstate(all="ignore"):
        for index, step in enumerate(plan.steps[:steps]):
            h, root = part.inputs(step), None
            if given and index in given:
                phi = given[index]
            elif not step.kind.closed_form:
                phi = _close_general(plan, step, step.kind, h, near)
            else:
                if step.kind.modes == 2:
                    found = step.kind.discriminant(h)
                    assert found is not None
                    discriminant = np.broadcast_to(found, flat.shape[1:]).reshape(count, NODES)
                    root, zeros[index], fine = _smooth_root(discriminant, s, partial(signs, index))
                    until = np.minimum(until, np.where(fine, until, index))
                    root = root.ravel()
                elif isinstance(step.kind, Turn):
                    (root,) = _around(plan, step, near)
                phi = step.kind.position(h, root)
            # A point at the origin has no size; the points that it is found from have one.
            size = max(float(np.fmax.reduce(np.abs(v), axis=None, initial=0.0)) for v in (*h, *phi))
            for slot, value in zip(step.outputs, phi, strict=True):
                rows = plan.rows(slot)
                flat[rows] = value
                certain = is_analytic(powers(x[rows]), size).all(axis=0)
                until = np.minimum(until, np.where(certain, until, index))
    return Contours(x, zeros, until, np.full(count, radius))


def _smooth_root(discriminant: Any, s: Any, signs: Callable[[Floats], Floats]) -> tuple[Any, Floats, NDArray[np.bool_]]:
    """Return the smooth root on circles (c, NODES), its zero (c,), NaN where it has none, and which are reliable."""
    turns = np.angle(np.roll(discriminant, -1, axis=1) / discriminant)
    zeros = np.sum(turns, axis=1) / (2 * np.pi)
    double = np.abs(zeros - 2) < 0.5
    # The logarithm after division by the zeros, made continuous around the circle.
    rest = discriminant / np.where(double[:, None], s**2, 1.0)
    angle = np.concatenate((np.zeros((len(rest), 1)), np.cumsum(np.angle(rest[:, 1:] / rest[:, :-1]), axis=1)), axis=1)
    log = powers(np.log(np.abs(rest)) + 1j * (angle + np.angle(rest[:, :1])))
    radius = np.abs(s[0])
    # log(1 - a/s) + log(1 - b/s) = -(a + b)/s - (a^2 + b^2)/(2 s^2) - ...
    centre = -0.5 * radius * log[:, -1].real
    spread = -(radius**2) * log[:, -2].real - centre**2
    slope = np.exp(np.sum(log[:, :8] * (centre[:, None] / radius) ** np.arange(8), axis=1)).real
    is_double = double & (np.abs(spread * slope) < DOUBLE_ZERO) & (np.abs(centre) < 0.5 * radius)
    zero = np.where(is_double, centre, np.nan)
    straight = np.where(is_double[:, None], s - np.where(is_double, centre, 0.0)[:, None], 1.0)
    rest = discriminant / straight**2
    root = np.sqrt(rest)
    # The principal root jumps where the rest crosses the negative axis: neighbours are made to agree.
    agree = np.where((root[:, 1:] * root[:, :-1].conj()).real < 0, -1.0, 1.0)
    root[:, 1:] *= np.cumprod(agree, axis=1)
    at = np.mean(root, axis=1)
    # Imaginary at the real place: out of reach there.
    real = np.abs(at.imag) < 1e-3 * np.abs(at.real)
    certain = (is_double | (np.abs(zeros) < 0.5)) & (np.max(np.abs(turns), axis=1) < 2.5) & real
    root *= (signs(zero) * np.sign(at.real))[:, None]
    return root * straight, zero, certain


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
        rate, bend = (lanes.x[order, rows][:, at] for order in (1, 2))
        if not item.angular:
            first[item.register], second[item.register] = rate[0], bend[0]
            continue
        real, E = lanes.x[0, rows][:, at], found.x[rows]
        turned = np.stack((-E[1], E[0]))
        speed, change = (real[0] * dE[1] - real[1] * dE[0] for dE in (rate, bend))
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
