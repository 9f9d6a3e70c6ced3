"""The motion as a function of parameters and driver values, for any array library; see `functional`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.plan.status import Status
from structkin.solve.functional.formulas import Formulas, formulas_of
from structkin.solve.functional.libraries import Library, in_one_library
from structkin.solve.functional.run import Run, Sketch, sketch_of
from structkin.solve.sensitivity.parameters import Parameter, read_parameters
from structkin.types import Floats

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
