"""What is asked of an array library beyond the Array API: which one it is, no derivatives, and a loop.

No library is imported here: arrays bring theirs with them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.errors import Problem

HINT = 'arrays of NumPy, of JAX (pip install "structkin[jax]"), of PyTorch (pip install "structkin[torch]"), or CuPy'


@dataclass(frozen=True)
class Library:
    """An array library: its functions `xp`, its name, and an array of it whose type and device new arrays get."""

    name: str
    xp: Any
    like: Any

    def array(self, value: Any) -> Any:
        """Return numbers of Python or NumPy as an array like the others."""
        where = {"device": self.like.device} if self.name == "torch" else {}
        # PyTorch would share the memory of a NumPy array.
        return self.xp.asarray(np.array(value) if type(value) is np.ndarray else value, dtype=self.like.dtype, **where)

    @property
    def coarse(self) -> float:
        """The rounding of its numbers, in that of float64."""
        return float(self.xp.finfo(self.like.dtype).eps) / float(np.finfo(np.float64).eps)

    def held(self, value: Any) -> Any:
        """Return an array with the same values and no derivatives, or a number as it is."""
        if type(value) is float:
            return value
        if self.name == "jax":
            return sys.modules["jax"].lax.stop_gradient(value)
        return value.detach() if self.name == "torch" else value

    def loop(self, count: int, body: Callable[[Any, Any], Any], state: Any) -> Any:
        """Return a tuple of arrays after `state = body(k, state)` for k = 0, 1, ..."""
        if self.name == "jax":
            return sys.modules["jax"].lax.fori_loop(0, count, body, state)
        for k in range(count):
            state = body(k, state)
        return state


def in_one_library(given: Mapping[str, Any], problems: list[Problem]) -> tuple[Library | None, dict[str, Any]]:
    """Return the library of some arrays, and all as arrays of it: numbers, lists and NumPy arrays are taken into it.

    Adds a problem for each that is not of real numbers, or of a second library, and leaves it out.
    """
    arrays: dict[str, Any] = {}
    found: dict[str, Library] = {}
    for key, value in given.items():
        try:
            name, xp = _library(value)
            arrays[key] = value if name != "numpy" else _numbers(value)
        except (TypeError, ValueError):
            problems.append(Problem(key, "expected an array of real numbers", HINT))
            continue
        if name != "numpy" and not _is_real(arrays[key]):
            text = f"expected float64 or float32, found {arrays[key].dtype}"
            problems.append(Problem(key, text, "convert it"))
            del arrays[key]
            continue
        found.setdefault(name, Library(name, xp, arrays[key]))
    foreign = [name for name in found if name != "numpy"]
    if len(foreign) > 1:
        problems.append(Problem("arguments", f"are arrays of {' and '.join(foreign)}", "give arrays of one library"))
    if len(foreign) > 1 or not found:
        return None, {}
    library = found[foreign[0] if foreign else "numpy"]
    return library, {key: library.array(x) if isinstance(x, np.ndarray) else x for key, x in arrays.items()}


def _library(value: Any) -> tuple[str, Any]:
    name = type(value).__module__.partition(".")[0]
    if name == "torch":
        # Its functions follow the Array API, but its arrays do not say so.
        return name, sys.modules["torch"]
    if isinstance(value, np.ndarray) or not hasattr(value, "__array_namespace__"):
        return "numpy", np
    return {"jaxlib": "jax"}.get(name, name), value.__array_namespace__()


def _numbers(value: Any) -> Any:
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "iuf":
        raise TypeError
    return numbers if _is_real(numbers) else numbers.astype(np.float64)


def _is_real(array: Any) -> bool:
    return str(array.dtype).rpartition(".")[2] in ("float64", "float32")
