"""The motion as a function of parameters and driver values, for any array library; see `functional`.

Its formulas run on arrays of any library, with derivatives that are never NaN. A library differentiates both sides of
`where`: a side that is not taken must be finite, too. So where a step has no pose, it gets the inputs that it has in
the sketch, and what comes of them is replaced by NaN at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.numerical_tolerances import BETWEEN, CLOSED, DEPARTURE, LIMIT, SAME_SOLVED, SINGULAR
from structkin.plan.status import Status
from structkin.solve.functional.formulas import Closed, Followed, Formulas, formulas_of
from structkin.solve.functional.libraries import Library, in_one_library
from structkin.solve.sensitivity.parameters import Parameter, read_parameters
from structkin.types import Floats

# --- running the formulas ------------------------------------------------------------------------------------------

#: Steps of Newton's method from one station of the path to the next, and in the sketch.
STEPS, FIRST = 2, 12
#: Those that close a pose, and those that give it its derivatives. Started from a solution, k of them have the
#: derivatives of the implicit function up to order 2^k - 1: each doubles the number of correct terms of its series.
CLOSING, DERIVED = 2, 2

#: The values that a step reads, where they are right; elsewhere those of the sketch.
Read = Callable[[Any], dict[str, Any]]
#: Closes a general group, given its number, what it reads, and where the steps before it have a pose: its pose, and
#: where that is right.
Close = Callable[[int, Followed, Read, Any], tuple[list[Any], Any]]


@dataclass(frozen=True)
class Sketch:
    """The mechanism in its sketch: parameters, driver values, registers, constants, and signs of determinants."""

    p: tuple[float, ...]
    z: Mapping[str, float]
    rows: tuple[float, ...]
    numbers: tuple[float, ...]
    signs: tuple[float, ...]


def sketch_of(formulas: Formulas, p: Sequence[float], z: Mapping[str, float]) -> Sketch | None:
    """Return the sketch of formulas, from parameters and driver values; None if it is not a regular pose."""
    one = np.zeros(1)
    run = Run(formulas, Library("numpy", np, one), None)
    signs: list[float] = []

    def close(k: int, step: Followed, read: Read, reached: Any) -> tuple[list[Any], Any]:
        pose, changes, determinant = run.newton(step, read(reached), [one + x for x in step.start], FIRST)
        signs.append(float(np.sign(determinant[0])))
        return pose, (changes[-1] < CLOSED**2) & (np.abs(determinant) > SINGULAR)

    with np.errstate(all="ignore"):
        numbers = run.numbers([one + value for value in p])
        rows, status = run.solve(numbers, {id: one + x for id, x in z.items()}, one.astype(np.int8), close)
    if status[0] != Status.OK:
        return None
    return Sketch(tuple(p), dict(z), _numbers(rows), _numbers(numbers), tuple(signs))


def is_followed(first: Any, last: Any, side: Any, coarse: float = 1.0) -> Any:
    """Return where a general group is still on its branch: by the squares of Newton's first and last step, and `side`.

    That is its determinant, positive on the side of singular poses from which it comes.
    """
    return (first < DEPARTURE**2) & (last < BETWEEN**2) & is_regular(side, coarse)


def is_regular(side: Any, coarse: float = 1.0) -> Any:
    """Return where a determinant is positive, by more than the rounding of numbers that are so much coarser."""
    return side > SINGULAR * coarse**0.5


def _numbers(values: Sequence[Any]) -> tuple[float, ...]:
    return tuple(float(np.ravel(value)[0]) for value in values)


@dataclass(frozen=True)
class Run:
    """Formulas on the arrays of a library; without a sketch, which `sketch_of` finds, nothing is replaced."""

    formulas: Formulas
    library: Library
    sketch: Sketch | None

    def results(self, p: Sequence[Any], z: Mapping[str, Any], steps: int) -> dict[str, Any]:
        """Return points, links and status at parameters and driver values (...), which are broadcast."""
        formulas, library, xp, sketch = self.formulas, self.library, self.library.xp, self.sketch
        assert sketch is not None
        zero = xp.zeros_like(sum([*p, *z.values()]))
        present = zero == 0.0
        valid = self._holds(p, present)
        for value in z.values():
            present = present & xp.isfinite(value)
        p = [xp.where(valid, value, own) for value, own in zip(p, sketch.p, strict=True)]
        z = {id: xp.where(present, value, sketch.z[id]) for id, value in z.items()}
        status = xp.where(present, self._none(zero), int(Status.NO_INPUT))
        status = xp.where(valid, status, int(Status.BAD_INPUT))
        close = self._closing(p, z, zero, steps) if formulas.followed else None
        rows, status = self.solve(self.numbers(p), z, status, close)
        values = {f"p{k}": value for k, value in enumerate(p)} | {f"z{id}": value for id, value in z.items()}
        values |= {f"x{row}": value for row, value in enumerate(rows)}
        outputs = [zero + value for value in formulas.outputs.at(values, xp)]
        first = len(outputs) - 3 * len(formulas.strokes)
        for travel, least, largest in zip(*(outputs[first + k :: 3] for k in range(3)), strict=True):
            beyond = (status == int(Status.OK)) & ((travel < least) | (travel > largest))
            status = xp.where(beyond, int(Status.BEYOND_STROKE), status)
        solved = (status == int(Status.OK)) | (status == int(Status.BEYOND_STROKE))
        limit = status == int(Status.SINGULAR)
        outputs = [xp.where(solved, x, xp.where(limit, library.held(x), xp.nan)) for x in outputs[:first]]
        vectors = [xp.stack([x, y], axis=-1) for x, y in zip(outputs[::2], outputs[1::2], strict=True)]
        points = len(formulas.points)
        return {
            "points": dict(zip(formulas.points, vectors[:points], strict=True)),
            "links": dict(zip(formulas.links, vectors[points:], strict=True)),
            "status": status,
        }

    def numbers(self, p: Sequence[Any]) -> list[Any]:
        """Return the constants at parameters."""
        return self.formulas.numbers.at({f"p{k}": value for k, value in enumerate(p)}, self.library.xp)

    def solve(
        self, numbers: Sequence[Any], z: Mapping[str, Any], status: Any, close: Close | None
    ) -> tuple[list[Any], Any]:
        """Return all registers row by row, and the status after all steps; `close` closes the general groups."""
        xp, k = self.library.xp, 0
        x: list[Any] = [0.0] * self.formulas.rows
        for row, number in zip(self.formulas.held, numbers, strict=False):
            x[row] = number
        for id, row, sign in self.formulas.drivers:
            x[row : row + 1 + (sign != 0)] = [xp.cos(z[id]), sign * xp.sin(z[id])] if sign else [z[id]]
        for step in self.formulas.steps:
            if isinstance(step, Closed):
                pose, status = self._closed(step, x, status)
            else:
                assert close is not None
                reached = (status == int(Status.OK)) | (status == int(Status.SINGULAR))
                pose, right = close(k, step, partial(self._values, step, x, numbers), reached)
                status = self._marked(status, ~right, Status.NOT_CONVERGED)
                k += 1
            x[step.first : step.first + len(pose)] = pose
        return x, status

    def newton(
        self, step: Followed, values: Mapping[str, Any], pose: list[Any], count: int
    ) -> tuple[list[Any], list[Any], Any]:
        """Return a pose after steps of Newton's method, the square of each step, and the last determinant."""
        changes, determinant = [], None
        for _ in range(count):
            known = {**values, **{f"s{j}": value for j, value in enumerate(pose)}}
            *pose, change, determinant = step.step.at(known, self.library.xp)
            changes.append(change)
        return pose, changes, determinant

    # --- steps ------------------------------------------------------------------------------------------------

    def _closed(self, step: Closed, x: Sequence[Any], status: Any) -> tuple[list[Any], Any]:
        xp = self.library.xp
        values = {name: x[item] if isinstance(item, int) else item for name, item in step.inputs.items()}
        if step.discriminant is None:
            return step.pose.at(values, xp), status
        (found,) = step.discriminant.at(values, xp)
        if type(found) is float:
            # It is that of the sketch for all parameters and driver values.
            root = step.mode * math.sqrt(step.sign * found)
            return step.pose.at({**values, "root": root}, xp), status
        limit = LIMIT * self.library.coarse
        found = step.sign * found
        regular = found > limit
        # In a limit position the pose is known, but has no derivatives.
        known = {name: self.library.held(x) for name, x in values.items()}
        known["root"] = step.mode * xp.sqrt(xp.where(found > 0.0, self.library.held(found), 0.0))
        drawn = step.pose.at(known, xp)
        singular = (found >= -limit) & ~regular
        for part in drawn:
            singular = singular & xp.isfinite(part)
        for name, row in step.inputs.items():
            if isinstance(row, int):
                values[name] = self._kept(regular, x[row], row)
        (found,) = step.discriminant.at(values, xp)
        pose = step.pose.at({**values, "root": step.mode * xp.sqrt(step.sign * found)}, xp)
        status = self._marked(status, singular, Status.SINGULAR)
        status = self._marked(status, ~regular & ~singular, Status.OUT_OF_REACH)
        return [xp.where(singular, limit, part) for limit, part in zip(drawn, pose, strict=True)], status

    def _values(self, step: Followed, x: Sequence[Any], numbers: Sequence[Any], where: Any) -> dict[str, Any]:
        """Return what a general group reads: its inputs and constants, where they are right."""
        values = {name: self._kept(where, x[row], row) for name, row in step.inputs.items()}
        for j in range(step.constants, step.constants + step.count):
            values[f"c{j - step.constants}"] = self._kept(where, numbers[j], j, number=True)
        return values

    def _kept(self, where: Any, value: Any, at: int, *, number: bool = False) -> Any:
        """Return a register, or a constant, where it is right, and elsewhere that of the sketch."""
        if self.sketch is None or type(value) is float:
            return value
        own = self.sketch.numbers if number else self.sketch.rows
        return self.library.xp.where(where, value, own[at])

    def _marked(self, status: Any, where: Any, outcome: Status) -> Any:
        """Return the status with an outcome marked, unless an earlier step has stopped there."""
        worse = where & (status == int(Status.OK))
        if outcome != Status.SINGULAR:
            worse = worse | (where & (status == int(Status.SINGULAR)))
        return self.library.xp.where(worse, int(outcome), status)

    def _none(self, zero: Any) -> Any:
        return self.library.xp.zeros_like(zero, dtype=self.library.xp.int8)

    def _holds(self, p: Sequence[Any], valid: Any) -> Any:
        """Return where the formulas hold: parameters are finite, and every comparison is decided as in the sketch."""
        for value in p:
            valid = valid & self.library.xp.isfinite(value)
        terms = self.formulas.conditions.at({f"p{k}": value for k, value in enumerate(p)}, self.library.xp)
        for sign, a, b in zip(self.formulas.signs, terms[::2], terms[1::2], strict=True):
            valid = valid & (a < b if sign == "<" else a <= b)
        return valid

    # --- general groups ---------------------------------------------------------------------------------------

    def _closing(self, p: Sequence[Any], z: Mapping[str, Any], zero: Any, steps: int) -> Close:
        """Return how general groups are closed at parameters and driver values: near poses followed from the sketch."""
        assert self.sketch is not None
        held, signs = self.library.held, self.sketch.signs
        poses, followed = self._follow([*map(held, p)], {id: held(x) for id, x in z.items()}, zero, steps)

        def close(k: int, step: Followed, read: Read, reached: Any) -> tuple[list[Any], Any]:
            right = reached & followed[k]
            values = {name: held(value) for name, value in read(right).items()}
            pose, changes, determinant = self.newton(step, values, self._started(step, poses[k], right), CLOSING)
            right = right & (changes[-1] < CLOSED**2 * self.library.coarse)
            right = right & is_regular(signs[k] * determinant, self.library.coarse)
            pose, *_ = self.newton(step, read(right), self._started(step, pose, right), DERIVED)
            return pose, right

        return close

    def _started(self, step: Followed, pose: Sequence[Any], right: Any) -> list[Any]:
        """Return a pose without derivatives where it is right, and elsewhere that of the sketch."""
        rows = range(step.first, step.first + step.width)
        return [self.library.held(self._kept(right, x, row)) for x, row in zip(pose, rows, strict=True)]

    def _follow(self, p: Sequence[Any], z: Mapping[str, Any], zero: Any, steps: int) -> tuple[Any, Any]:
        """Return the poses of the general groups, followed from the sketch, and where they were not lost."""
        groups, sketch = self.formulas.followed, self.sketch
        assert sketch is not None
        begin = [[zero + x for x in sketch.rows[step.first : step.first + step.width]] for step in groups]

        def body(k: Any, state: Any) -> Any:
            known, before, right = state
            found: list[tuple[list[Any], Any]] = []

            def close(k: int, step: Followed, read: Read, reached: Any) -> tuple[list[Any], Any]:
                ahead = [2.0 * x - y for x, y in zip(known[k], before[k], strict=True)]
                pose, changes, determinant = self.newton(step, read(reached), ahead, STEPS)
                side = sketch.signs[k] * determinant
                fits = right[k] & reached & is_followed(changes[0], changes[-1], side, self.library.coarse)
                found.append((self._started(step, pose, fits), fits))
                return found[-1]

            t = self.library.array(k + 1) / steps
            at = [own + t * (value - own) for own, value in zip(sketch.p, p, strict=True)]
            moved = {id: sketch.z[id] + t * (value - sketch.z[id]) for id, value in z.items()}
            self.solve(self.numbers(at), moved, self._none(zero), close)
            return [pose for pose, _ in found], known, [fits for _, fits in found]

        known, _, right = self.library.loop(steps, body, (begin, begin, [zero == 0.0 for _ in groups]))
        return known, right


# --- the function --------------------------------------------------------------------------------------------------

#: Samples at which the function is compared with `Mechanism.solve`.
SAMPLES = 37


@checked
def functional(mechanism: Mechanism, parameters: Sequence[str] = (), *, steps: int = 128) -> Functional:
    """Return the motion as a pure function f(parameters, drivers) of NumPy, JAX, PyTorch or CuPy arrays.

    `parameters` are names of numbers that may vary, as those of `Motion.sensitivity`: lengths, coordinates of points,
    the axis or radius of a joint. The function takes their values (..., p) in this order and `{driver: values}`, both
    in SI and radians, and returns a dictionary:

    - `points`: the place (..., 2) [m] of each point,
    - `links`: the unit vector (..., 2) of each moving link, the cosine and the sine of `Motion.angle`,
    - `status`: a `Status` (...) as its integer.

    The shapes (...) of parameters without their last axis and of driver values are broadcast. The arrays are those of
    the library of the arguments, which brings `jit`, `vmap`, derivatives and the GPU with it. Velocities are
    derivatives along the drivers' values, and accelerations those of velocities.

    Each pose is found on its own, in the assembly modes of the mechanism's sketch, whatever the parameters. A group
    without a closed form is followed from there to the pose, straight through parameters and driver values in so many
    `steps`, and by Newton's method; its derivatives, up to the third, are those of the implicit function theorem, as
    the last steps of Newton's method start from the pose itself.

    The status is that of each pose alone. Gaps between samples are not looked for: a pose that closes is ok here, also
    behind a gap, where `Mechanism.solve` says that the motion does not lead to it.

    Where there is no pose, or the branch of a group is lost on the way, all values are NaN; in a limit position they
    are the pose. In both cases all derivatives are zero, and `status` tells: do not take them for those of a minimum.
    `BAD_INPUT` are parameters for which the mechanism would be built in another way, such as a length that is not
    positive. Regular poses next to these have finite derivatives, which grow like the inverse of the distance.

    Raises `InputError` for mechanisms with a group that is more than a formula, and says which: cams, Geneva wheels,
    curved slots, redundant joints; and for numbers that are none of the above.

    >>> import numpy as np, structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0)},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}},
    ... )
    >>> f = sk.functional(m, parameters=["lengths.A-B", "lengths.B-C"])
    >>> found = f(f.values, {"motor": np.linspace(0, 1, 5)})
    >>> found["points"]["C"].shape, found["status"].tolist()
    ((5, 2), [0, 0, 0, 0, 0])
    """
    if steps < 1:
        raise InputError([Problem("steps", f"expected at least 1, found {steps}")], mechanism.title)
    if not mechanism.drivers:
        raise InputError([Problem("drivers", "there are none: nothing moves", "add a driver")], mechanism.title)
    found = read_parameters(mechanism, parameters) if len(parameters) else ()
    formulas = formulas_of(mechanism, found)
    starts = {id: drive.start for id, drive in mechanism.drivers.items()}
    sketch = sketch_of(formulas, [parameter.value for parameter in found], starts)
    if sketch is None:
        text = "is not a regular pose, so that it does not show the modes"
        raise InputError([Problem("sketch", text, "draw the mechanism where it can move both ways")], mechanism.title)
    made = Functional(mechanism, found, formulas, sketch, steps)
    if all(drive.law is not None for drive in mechanism.drivers.values()):
        _compare(made)
    return made


def _compare(made: Functional) -> None:
    """Raise `InputError` where the mechanism's own motion leads to other poses than the modes of the sketch."""
    mechanism = made.mechanism
    motion = mechanism.solve(samples=SAMPLES)
    found = made(made.values, {id: z[0] for id, z in motion.drivers.items()})
    both = (motion.status == Status.OK) & (found["status"] == Status.OK)
    for point, places in found["points"].items():
        if np.any(np.abs(places - motion.position(point))[both] > SAME_SOLVED * mechanism.size):
            text = "change along the motion, at a change point: poses on their own would keep those of the sketch"
            raise InputError([Problem("assembly modes", text, "solve it with Mechanism.solve")], mechanism.title)


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Functional:
    """The motion of a mechanism as a pure function of its p parameters and its drivers; see `functional`."""

    mechanism: Mechanism
    _parameters: tuple[Parameter, ...]
    _formulas: Formulas
    _sketch: Sketch
    _steps: int

    def __repr__(self) -> str:
        """Return the names of parameters and drivers."""
        names = ", ".join((*self.names, *self.mechanism.drivers))
        return f"<Functional of {self.mechanism.title or 'a mechanism'!r}: {names}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(parameter.name for parameter in self._parameters)

    @property
    def values(self) -> Floats:
        """The parameters (p,) of the mechanism itself, in SI and radians."""
        return np.array([parameter.value for parameter in self._parameters])

    def __call__(self, parameters: Any, drivers: Mapping[str, Any]) -> dict[str, Any]:
        """Return points, links and status at parameters (..., p) and values (...) of all drivers; see `functional`.

        Raises `InputError` that lists all arguments of other shapes, types or names.
        """
        library, p, z = self._read(parameters, drivers)
        with np.errstate(all="ignore"):
            return Run(self._formulas, library, self._sketch).results(p, z, self._steps)

    def _read(self, parameters: Any, drivers: Any) -> tuple[Library, list[Any], dict[str, Any]]:
        """Return the arguments as arrays of one library: one for each parameter and each driver."""
        own, p = self.mechanism.drivers, len(self._parameters)
        ids = drivers if isinstance(drivers, Mapping) else {}
        problems = []
        if not isinstance(drivers, Mapping):
            problems.append(
                Problem("drivers", "is not a mapping", f"give {{{', '.join(f'{id!r}: ...' for id in own)}}}")
            )
        else:
            problems += [
                Problem(f"drivers.{id}", "has no values", "give those of every driver") for id in own if id not in ids
            ]
        problems += [Problem(f"drivers.{id}", "is not a driver", suggest(str(id), own)) for id in ids if id not in own]
        given = {f"drivers.{id}": ids[id] for id in own if id in ids}
        library, arrays = in_one_library({"parameters": parameters, **given}, problems)
        numbers = arrays.pop("parameters", None)
        shapes = {key: tuple(value.shape) for key, value in arrays.items()}
        if numbers is not None and tuple(numbers.shape)[-1:] != (p,):
            text = f"has the shape {tuple(numbers.shape)}, not (..., {p})"
            problems.append(
                Problem("parameters", text, f"the last axis is that of {', '.join(self.names) or 'no parameters'}")
            )
        elif numbers is not None:
            shapes["parameters[..., k]"] = tuple(numbers.shape)[:-1]
        try:
            np.broadcast_shapes(*shapes.values())
        except ValueError:
            text = ", ".join(f"{key}: {shape}" for key, shape in shapes.items())
            problems.append(Problem("arguments", f"their shapes do not fit each other ({text})", "they are broadcast"))
        if problems or library is None:
            raise InputError(problems, self.mechanism.title)
        return library, [numbers[..., k] for k in range(p)], {id: arrays[f"drivers.{id}"] for id in own}
