"""Derivatives of a motion by the numbers of its mechanism; see `Motion.sensitivity`.

They take one sweep back through the groups. At a pose, each step of a plan solves Phi(h, phi, c) = 0 for its unknowns
phi, given inputs h from earlier steps and constants c that vary with the parameters p. So along any of them

    Phi_phi dphi = -Phi_h dh - Phi_c dc

is the linear system of the group's velocity. Derivatives of one output by many parameters need it transposed only: with
a = d(output)/d(phi) of a step, lambda solves Phi_phi^T lambda = a, and adds -Phi_h^T lambda to a of the steps before,
-Phi_c^T lambda to d(output)/dc. Going through the steps in reverse order, this gives d(output)/dc of all constants,
whatever the number of parameters; d(output)/dp = d(output)/dc dc/dp. (Source: the adjoint method, such as Haug, Wehage
& Barman, Design sensitivity analysis of planar mechanism and machine dynamics, 1981; the groups make the matrix block
triangular.) Drivers are inputs with d(register)/dz of their own.

The functions are those of `structkin.groups.kind`. Of a closed form, the columns of dphi/dh are its `linear` along the
unit vectors, for all steps of a kind at once; a general group transposes its own matrix (`General.transposed`). They
accept complex poses, so a rate follows by a complex step along the velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.errors import InputError, Problem, raise_problems, together
from structkin.groups import General, Relation
from structkin.groups.kind import Explicit, Values, dot, turned
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.guide import Guide
from structkin.numerical_tolerances import COMPLEX_STEP
from structkin.plan.plan import Register
from structkin.rows.affine import Affine
from structkin.solve.derivatives import Derivatives
from structkin.solve.many.record import Products
from structkin.solve.many.variants import Variants
from structkin.solve.motion.moving_frames import PartKind
from structkin.solve.near_plan import near_plan
from structkin.solve.sensitivity.parameters import read_parameters
from structkin.solve.sensitivity.varied_plan import OFFSETS, VariedPlan, VariedStep, operands, varied_plan, weight
from structkin.types import Flags, Floats

if TYPE_CHECKING:
    from structkin.solve.motion.motion import Motion

# --- one sweep back through the groups -----------------------------------------------------------------------------

Array = NDArray[Any]

#: The derivatives of functions of vectors by these; see `Sweep.run`.
Weights = Callable[[Sequence[Array], slice], Sequence[Array]]


#: Samples that are swept at a time: their numbers stay in cache.
BLOCK = 2048


@dataclass(frozen=True)
class Discriminant(Explicit):
    """The discriminant of a relation as a number of its own: zero where its two modes meet, negative out of reach."""

    of: Relation

    def position(self, h: Values, root: Any) -> Values:
        """Return the discriminant."""
        return (self.of.discriminant(h),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return its derivative, by a complex step."""
        moved: Any = self.of.discriminant(tuple(x + 1j * COMPLEX_STEP * dx for x, dx in zip(h, dh, strict=True)))
        return (moved.imag / COMPLEX_STEP + g[0],)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the number less the discriminant."""
        return (phi[0] - self.position(h, None)[0],)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Sweeps a plan back from `outputs`: vectors as expressions, or the discriminants of steps by their indices."""

    varied: VariedPlan
    outputs: tuple[Affine | int, ...]

    def run(self, x: Array, dz: Mapping[str, Array], weights: Weights, *, together: bool = False) -> Array:
        """Return the derivatives (q, n, p) of q functions of the outputs; with `together` their sums (q, 1, p).

        `x` (rows, n) are the registers of the mechanism's own plan, `dz[id]` (p, n) the derivatives of the drivers'
        coordinates; `weights` returns the derivatives of the functions by each output (2, q, n) or (1, q, n), from the
        values of all (2, n) or (1, n) at the samples of a slice.
        """
        found = []
        for start in range(0, x.shape[1], BLOCK):
            part = slice(start, min(start + BLOCK, x.shape[1]))
            moved = {id: values[:, part] for id, values in dz.items()}
            block = _Block(self, self._registers(x[:, part]), moved)
            y = [block.x[self.rows[len(self.varied.own) + k]] for k in range(len(self.outputs))]
            found.append(block.run(weights(y, part), together))
        return sum(found[1:], start=found[0]) if together else np.concatenate(found, axis=1)

    @cached_property
    def steps(self) -> tuple[VariedStep, ...]:
        """The steps of the plan, and those that form the outputs."""
        made = []
        for register, output in enumerate(self.outputs, len(self.varied.own)):
            if isinstance(output, Affine):
                made.append(VariedStep(Products(), operands(output), (register,)))
            else:
                step = self.varied.steps[output]
                made.append(VariedStep(Discriminant(step.kind), step.inputs, (register,)))
        return (*self.varied.steps, *made)

    @cached_property
    def rows(self) -> tuple[slice, ...]:
        """The rows of each register."""
        widths = (*self.varied.plan.widths, *(2 if isinstance(output, Affine) else 1 for output in self.outputs))
        ends = np.cumsum(widths).tolist()
        return tuple(slice(end - width, end) for end, width in zip(ends, widths, strict=True))

    @cached_property
    def moved(self) -> frozenset[int]:
        """The registers that a parameter moves."""
        moved = set()
        for item in self.varied.plan.drivers:
            if item.driver in self.varied.starts or item.driver in self.varied.laws:
                moved.add(item.register)
        for step in self.steps:
            if step.rows or step.others or any(self.varies(item, moved) for item in step.inputs):
                moved.update(step.outputs)
        return frozenset(moved)

    @staticmethod
    def varies(item: Any, moved: Any) -> bool:
        """Return whether an input varies with a parameter."""
        return bool(item.index in moved) if isinstance(item, Register) else isinstance(item, Variants)

    @cached_property
    def alike(self) -> tuple[tuple[int, ...], ...]:
        """The steps with a closed form that a parameter moves, those of one kind and with the same inputs together."""
        found: dict[Any, list[int]] = {}
        for k, step in enumerate(self.steps):
            if step.kind.closed_form and not isinstance(step.kind, Products) and self.moved.issuperset(step.outputs):
                kind = step.kind if vars(step.kind) else type(step.kind)
                form = tuple((self.is_vector(item), self.varies(item, self.moved)) for item in step.inputs)
                found.setdefault((kind, form, bool(step.others)), []).append(k)
        return tuple(map(tuple, found.values()))

    def slope(self, item: Variants) -> Floats:
        """Return the derivatives (p,) of a constant by the parameters."""
        known = self.varied.slopes.get(id(item))
        return self.varied.slope(item.values) if known is None else known

    def is_vector(self, item: Any) -> bool:
        """Return whether an input is a vector."""
        if isinstance(item, Register):
            rows = self.rows[item.index]
            return bool(rows.stop - rows.start == 2)
        return isinstance(item.own if isinstance(item, Variants) else item, complex)

    def _registers(self, x: Array) -> Array:
        """Return all registers (rows, n), from those of the mechanism's own plan."""
        plan, size, offsets = self.varied.plan, self.rows[-1].stop, self.varied.offsets
        own = np.empty((size, x.shape[1]), x.dtype)
        known = [k for k, register in enumerate(self.varied.own) if register >= 0]
        mine = np.concatenate([np.arange(size)[self.rows[k]] for k in known]) if known else np.zeros(0, np.intp)
        there = [offsets[self.varied.own[k]] + row for k in known for row in range(plan.widths[k])]
        own[mine] = x[there]
        for step in self.steps:
            (out,) = step.outputs[:1]
            if out >= len(self.varied.own) or self.varied.own[out] < 0:
                h = tuple(self.value(item, own) for item in step.inputs)
                own[self.rows[out]] = step.kind.position(h, None)[0]
        return own

    def value(self, item: Any, x: Array) -> Any:
        """Return an input (2, n) or (n,), of registers x (rows, n); a constant (2, 1) or as it is."""
        if isinstance(item, Register):
            rows = self.rows[item.index]
            return x[rows] if rows.stop - rows.start == 2 else x[rows.start]
        number = item.own if isinstance(item, Variants) else item
        return np.array([[number.real], [number.imag]]) if self.is_vector(item) else number


class _Block:
    """The sweep over a block of samples: registers x (rows, n), and q functions of the outputs there."""

    def __init__(self, sweep: Sweep, x: Array, dz: Mapping[str, Array]) -> None:
        self.sweep, self.x, self.dz = sweep, x, dz
        self.n, self.q, self.varied = x.shape[1], 1, sweep.varied
        self.slopes: dict[int, Array] = {}
        self.responses: dict[int, Array] = {}
        #: d(function)/d(register) by row (q, n), and by the real and imaginary parts of the constants that vary.
        self.adjoint: dict[int, Array] = {}
        self.constants: list[tuple[Array, Floats]] = []
        self.direct: list[tuple[int, Array]] = []

    def run(self, weights: Sequence[Array], together: bool) -> Array:
        sweep, self.q = self.sweep, weights[0].shape[1]
        with np.errstate(all="ignore"):
            for steps in sweep.alike:
                self._linearise(steps)
            for k, weight in enumerate(weights):
                self.adjoint[len(sweep.varied.own) + k] = weight
            for k in reversed(range(len(sweep.steps))):
                step = sweep.steps[k]
                if sweep.moved.issuperset(step.outputs) and not self.adjoint.keys().isdisjoint(step.outputs):
                    if isinstance(step.kind, Products):
                        self._back_sum(step)
                    elif step.kind.closed_form:
                        self._back(k, step)
                    else:
                        self._back_general(step)
            return self._by_parameters(together)

    # --- closed forms -----------------------------------------------------------------------------------------

    def _linearise(self, steps: tuple[int, ...]) -> None:
        """Form dphi/dh (outputs, columns, n) of all steps of a kind, by `linear` along the unit vectors."""
        sweep, n, count = self.sweep, self.n, len(steps)
        first = sweep.steps[steps[0]]
        h = tuple(self._beside([sweep.value(sweep.steps[k].inputs[i], self.x) for k in steps], sweep.is_vector(item))
                  for i, item in enumerate(first.inputs))  # fmt: skip
        phi = tuple(
            self._beside([sweep.value(Register(sweep.steps[k].outputs[i]), self.x) for k in steps],
                         sweep.is_vector(Register(out)))
            for i, out in enumerate(first.outputs)
        )  # fmt: skip
        columns = [
            (i, part)
            for i, item in enumerate(first.inputs)
            if sweep.varies(item, sweep.moved)
            for part in range(2 if sweep.is_vector(item) else 1)
        ]
        dh: list[Any] = []
        for i, item in enumerate(first.inputs):
            unit = np.zeros((2 if sweep.is_vector(item) else 1, len(columns), 1))
            for column, (j, part) in enumerate(columns):
                if i == j:
                    unit[part, column] = 1.0
            dh.append(unit if sweep.is_vector(item) else unit[0])
        if columns:
            found = first.kind.linear(h, phi, tuple(dh), (0.0,) * 4)
            self._keep(self.slopes, steps, found, len(columns), count, n)
        if first.others:
            still = tuple(0.0 * value for value in h)
            widths = [2 if np.ndim(part) == 3 else 1 for part in first.kind.residual(h, phi)]
            units = np.split(np.eye(sum(widths))[:, :, None], np.cumsum(widths)[:-1])
            g = tuple(unit if len(unit) == 2 else unit[0] for unit in units)
            self._keep(self.responses, steps, first.kind.linear(h, phi, still, g), sum(widths), count, n)

    def _beside(self, values: list[Any], is_vector: bool) -> Any:
        """Return a value of all steps, one after the other: (2, 1, steps n) or (1, steps n)."""
        shape = (2, self.n) if is_vector else (self.n,)
        return np.concatenate([np.broadcast_to(value, shape) for value in values], axis=-1)[..., None, :]

    def _keep(
        self, into: dict[int, Array], steps: tuple[int, ...], found: Any, columns: int, count: int, n: int
    ) -> None:
        parts = [part for value in found for part in (value if np.ndim(value) == 3 else (value,))]
        J = np.stack([np.broadcast_to(part, (columns, count * n)) for part in parts]).reshape(-1, columns, count, n)
        for k, step in enumerate(steps):
            into[step] = J[:, :, k]

    def _back_sum(self, step: VariedStep) -> None:
        """Go back through a + b c + d e + ...: the transpose of a product by a number is that by its conjugate."""
        a, (const, *factors) = self._of(step.outputs[0]), step.inputs
        if self.sweep.varies(const, self.sweep.moved):
            self._add(const, a)
        for pair in zip(factors[::2], factors[1::2], strict=True):
            for item, other in (pair, pair[::-1]):
                if self.sweep.varies(item, self.sweep.moved):
                    x, y = self.sweep.value(other, self.x)
                    self._add(item, np.stack((x * a[0] + y * a[1], x * a[1] - y * a[0])))

    def _back(self, k: int, step: VariedStep) -> None:
        a = np.concatenate([self._of(out) for out in step.outputs])
        if k in self.slopes:
            J = self.slopes[k]
            into = J[0][:, None] * a[0]
            for row in range(1, len(a)):
                into += J[row][:, None] * a[row]
            column = 0
            for item in step.inputs:
                if self.sweep.varies(item, self.sweep.moved):
                    width = 2 if self.sweep.is_vector(item) else 1
                    self._add(item, into[column : column + width])
                    column += width
        if step.others:
            response = self.responses[k]
            h = tuple(self.sweep.value(item, self.x) for item in step.inputs)
            phi = tuple(self.sweep.value(Register(out), self.x) for out in step.outputs)
            back = (response[:, :, None] * a[:, None]).sum(axis=0)
            for variant, kind in step.others:
                p, factor = weight(self.varied.parameters, variant)
                gap = np.concatenate([np.atleast_2d(part) for part in kind.residual(h, phi)])
                self.direct.append((p, -factor * (back * gap[:, None]).sum(axis=0)))

    def _of(self, register: int) -> Array:
        rows = self.sweep.rows[register]
        found = self.adjoint.get(register)
        return np.zeros((rows.stop - rows.start, self.q, self.n)) if found is None else found

    def _add(self, item: Any, value: Array) -> None:
        """Add to what an input does to the functions (1 or 2, q, n)."""
        if isinstance(item, Register):
            known = self.adjoint.get(item.index)
            self.adjoint[item.index] = value if known is None else known + value
            return
        slope = self.sweep.slope(item)
        self.constants.append((value[0], slope.real))
        if len(value) == 2:
            self.constants.append((value[1], slope.imag))

    # --- general groups ---------------------------------------------------------------------------------------

    def _back_general(self, step: VariedStep) -> None:
        kind: General = step.kind
        h = tuple(self.sweep.value(item, self.x) for item in step.inputs)
        phi = tuple(self.sweep.value(Register(out), self.x) for out in step.outputs)
        inputs, rows = kind.transposed(h, phi, tuple(self._of(out) for out in step.outputs), np.isfinite(phi[0][0]))
        for item, value in zip(step.inputs, inputs, strict=True):
            if self.sweep.varies(item, self.sweep.moved):
                self._add(item, value)
        if step.rows:
            x = kind.variables(h, phi)
            slopes = step.equations.phi(x, step.equations.jacobian(x))
            for moved, slope in zip(step.rows, slopes, strict=True):
                self.direct.append((moved.parameter, -moved.weight * rows[moved.row] * slope))

    # --- by the parameters ------------------------------------------------------------------------------------

    def _by_parameters(self, together: bool) -> Array:
        count, n = len(self.varied.parameters), self.n
        found = np.zeros((self.q, 1 if together else n, count), self.x.dtype)
        if self.constants:
            slopes = np.stack([slope for _, slope in self.constants])
            if together:
                by = np.stack([value.sum(axis=-1) for value, _ in self.constants])
                found[:, 0] += by.T @ slopes
            else:
                by = np.stack([value for value, _ in self.constants])
                found += (by.reshape(len(by), -1).T @ slopes).reshape(self.q, n, count)
        for p, value in self.direct:
            found[:, :, p] += value.sum(axis=-1, keepdims=True) if together else value
        for item in self.varied.plan.drivers:
            if item.register in self.adjoint and item.driver in self.dz:
                value, a = self.x[self.sweep.rows[item.register]], self.adjoint[item.register]
                back = (item.slope(value)[:, None] * a).sum(axis=0) if item.angular else a[0]
                moved = back[:, None] * self.dz[item.driver]
                moved = np.moveaxis(moved, 1, -1)
                found += moved.sum(axis=1, keepdims=True) if together else moved
        return found


# --- derivatives of a motion ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The derivatives of quantities of a motion by p parameters.

    `x` (3, rows, n) are the registers of the motion, places in them as the mechanism of the varied plan has them.
    """

    motion: Motion
    varied: VariedPlan
    x: Floats

    @classmethod
    def of(cls, motion: Motion, names: Sequence[str]) -> Sensitivity:
        """Return the derivatives by parameters of these names."""
        mechanism = motion.mechanism
        if motion.statistics is not None or motion.counted:
            hint = "solve it by groups: mechanism.solve(...)"
            raise InputError([Problem("motion", "was not solved by groups", hint)], mechanism.title)
        moved, _, shift = near_plan(mechanism, motion.plan)
        x = motion.lanes.x if moved is mechanism else motion.lanes.x - shift[:, None] * np.eye(3, 1)[:, :, None]
        return cls(motion, varied_plan(moved, read_parameters(moved, names)), x)

    def point(self, name: str | complex, link: str | None, order: int) -> Floats:
        """Return those of a point (n, 2, p), or of its velocity (order 1)."""
        own = self.motion._frames.place(name, link)
        found = self._along((self._place(name, link),), _of_point, order)
        return self._known(np.moveaxis(found, 0, 1), own)

    def angle(self, link: str, order: int) -> Floats:
        """Return those of the angle of a link (n, p), or of its angular velocity."""
        own = self.motion._frames.frame(link).direction
        return self._known(self._along((self.varied.frames[link].direction,), _of_angle, order)[0], own)

    def travel(self, joint: str, order: int) -> Floats:
        """Return those of the travel of a joint (n, p), or of its rate; `InputError` for other curved slots."""
        frames, sliding = self.motion._frames, self.motion._frames.sliding(joint)
        if not isinstance(sliding, Guide | CircularSlot):
            raise frames.unknown(joint, "a prismatic joint, or a straight or circular slot", ())
        point, origin, unit, start = self.varied.line(joint)
        carrier, slider = (self.varied.frames[link] for link in (sliding.carrier, sliding.slider))
        vectors = carrier.direction * unit, slider.point(point) - carrier.point(origin)
        found = self._along(vectors, _of_travel if isinstance(sliding, Guide) else _of_arc, order)[0]
        if order == 0 and isinstance(start, Variants):
            found -= self.varied.slope(start.values)
        return self._known(found, *sliding.direction_and_vector(self.motion.plan.frames))

    def gradient(self, weights: Mapping[str, ArrayLike]) -> Floats:
        """Return that of a sum of weights (p,): weights (n, 2) of points, (n,) of links' angles; see the motion."""
        mechanism, n = self.motion.mechanism, len(self.motion)
        outputs: list[Affine] = []
        given: list[tuple[bool, Floats]] = []
        problems: list[Problem] = []
        used: list[Affine] = []
        for name, values in weights.items():
            turning, own = self.motion._frames.point_or_link(name)
            weight = np.asarray(values, float)
            if weight.shape != ((n, 2) if turning is None else (n,)):
                what = "a point (n, 2)" if turning is None else "a link (n,)"
                problems.append(
                    Problem(f"weights.{name}", f"expected those of {what}, found {weight.shape}", f"n = {n}")
                )
                continue
            outputs.append(self._place(name, None) if turning is None else self.varied.frames[turning].direction)
            given.append((turning is None, weight))
            used.append(own)
        if not weights:
            problems.append(Problem("weights", "names no point or link", 'such as {"P": weights}'))
        raise_problems(problems, mechanism.title)
        # A sample without weight counts as none, whether it has a pose or not.
        rows = np.flatnonzero(np.logical_or.reduce([(w != 0).reshape(n, -1).any(axis=1) for _, w in given]))
        if self._unknown(*used)[rows].any():
            return np.full(len(self.varied.parameters), np.nan)

        def by_outputs(y: Sequence[Array], part: slice) -> list[Array]:
            found = []
            for (is_point, weight), value in zip(given, y, strict=True):
                own = weight[rows[part]]
                found.append(own.T[:, None] if is_point else own * _of_angle([value], part)[0])
            return found

        sweep = Sweep(self.varied, tuple(outputs))
        if not len(rows):
            return np.zeros(len(self.varied.parameters))
        dz = {id: values[:, rows] for id, values in self._of_drivers(0).items()}
        return np.asarray(sweep.run(self.x[0][:, rows], dz, by_outputs, together=True)[0, 0])

    def closing(self) -> Floats:
        """Return the derivatives (k, n, p) of the discriminants of the k steps that have two modes."""
        roots = [k for k, step in enumerate(self.varied.steps) if step.kind.closed_form and step.kind.modes == 2]
        x, dz = self.x[0], self._of_drivers(0)
        found = [Sweep(self.varied, (k,)).run(x, dz, _of_number)[0] for k in roots]
        return np.stack(found) if found else np.zeros((0, len(self.motion), len(self.varied.parameters)))

    # --- how they are found -----------------------------------------------------------------------------------

    def _along(self, outputs: tuple[Affine, ...], weights: Weights, order: int) -> Floats:
        """Return the derivatives (q, n, p) of functions of some vectors, or of their rates by a complex step."""
        x, sweep = self.x, Sweep(self.varied, outputs)
        if order not in (0, 1):
            problem = Problem("order", f"expected 0 or 1, found {order}", "1 gives the derivatives of rates")
            raise InputError([problem], self.motion.mechanism.title)
        if order == 0:
            return np.asarray(sweep.run(x[0], self._of_drivers(0), weights))
        dz, rates = self._of_drivers(0), self._of_drivers(1)
        moved = {id: dz[id] + 1j * COMPLEX_STEP * rates[id] for id in dz}
        return np.asarray(sweep.run(x[0] + 1j * COMPLEX_STEP * x[1], moved, weights).imag / COMPLEX_STEP)

    def _place(self, point: str | complex, link: str | None) -> Affine:
        """Return a point as an expression whose numbers vary."""
        varied, mechanism = self.varied, self.motion.mechanism
        if not isinstance(point, str):
            return varied.frames[str(link)].point(point)
        if link is None and point in varied.pins:
            return varied.pins[point]
        link = mechanism.link_of(point) if link is None else link
        return varied.frames[link].point(varied.local(link, point))

    def _of_drivers(self, order: int) -> dict[str, Floats]:
        """Return the derivatives (p, n) of the coordinates of drivers, or of their rates, at the same times."""
        found: dict[str, Floats] = {}
        motion, varied = self.motion, self.varied
        count, n = len(varied.parameters), len(motion)
        for id, z in varied.starts.items():
            if id not in motion.thirds:
                found[id] = np.repeat(varied.slope(z)[:, None] if order == 0 else np.zeros((count, 1)), n, axis=1)
        for id, laws in varied.laws.items():
            if id not in motion.thirds:
                values = np.broadcast_to(motion.drivers[id][order], (1 + count * len(OFFSETS), n)).copy()
                for k, law in laws.items():
                    values[k] = law(motion.t)[order]
                found[id] = found.get(id, 0.0) + varied.slope(values)
        return found

    def _known(self, found: Floats, *expressions: Affine) -> Floats:
        """Return derivatives (n, ...), NaN at samples where the pose is not regular."""
        found[self._unknown(*expressions)] = np.nan
        return found

    def _unknown(self, *expressions: Affine) -> Flags:
        """Return the samples (n,) at which the pose of expressions is unknown, not regular, or next to a flat one."""
        lanes, n = self.motion.lanes, len(self.motion)
        unknown = np.zeros(n, bool)
        irregular = Derivatives(self.motion.plan, lanes).irregular
        for expression in expressions:
            for register, _ in expression.terms:
                mask = irregular[register]
                if mask is not None:
                    unknown |= mask
        if lanes.around is not None and any(expression.terms for expression in expressions):
            unknown[lanes.around.at] = True
        return unknown


def _of_point(y: Sequence[Array], part: slice) -> list[Array]:
    return [np.broadcast_to(np.eye(2)[:, :, None], (2, 2, y[0].shape[1]))]


def _of_number(y: Sequence[Array], part: slice) -> list[Array]:
    return [np.ones((1, 1, y[0].shape[1]))]


def _of_angle(y: Sequence[Array], part: slice) -> list[Array]:
    """Return the derivative U x dU of an angle by its unit vector."""
    return [turned(y[0])[:, None]]


def _of_travel(y: Sequence[Array], part: slice) -> list[Array]:
    """Return those of D . W."""
    along, vector = y
    return [vector[:, None], along[:, None]]


def _of_arc(y: Sequence[Array], part: slice) -> list[Array]:
    """Return those of the angle from D to W, which is a quarter turn less than that to turned(W)."""
    along, vector = y
    return [-turned(along)[:, None] / dot(along, along), turned(vector)[:, None] / dot(vector, vector)]


def point_or_link(
    motion: Motion, name: str | complex, link: str | None, kind: PartKind | None, names: Sequence[str], order: int
) -> Floats:
    """Return the derivatives of a point or link; see `Motion.sensitivity`."""
    found: Sensitivity
    (turning, _), found = together(
        motion.mechanism.title,
        lambda: motion._frames.point_or_link(name, link, kind),
        lambda: Sensitivity.of(motion, names),
    )
    return found.point(name, link, order) if turning is None else found.angle(turning, order)
