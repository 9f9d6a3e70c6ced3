"""structkin: planar mechanisms, from their topology to structural groups and motion.

>>> import structkin as sk
>>> m = sk.Mechanism(
...     "Four-bar",
...     points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
...     drivers={"motor": {"joint": "A", "speed": 1.0}},
... )
>>> [group.kind for group in m.structure().groups]
['driven R', 'RRR']
>>> m.solve(samples=5).position("C").shape
(5, 2)
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from structkin.version import __version__ as __version__

if TYPE_CHECKING:
    from structkin.api import *  # noqa: F403 - for type checkers: all public names

_PARTS = ("branches", "dynamics", "errors", "examples", "global_methods", "model", "show", "solve", "structure")


def __getattr__(name: str) -> Any:
    """Import a part of the package or the public names on first use: `structkin --help` needs none of them."""
    if name in _PARTS:
        return import_module(f"structkin.{name}")
    names = _names()
    if name == "__all__":
        return sorted(names)
    if name not in names:
        raise AttributeError(f"module 'structkin' has no attribute '{name}'")
    return names[name]


def __dir__() -> list[str]:
    """List all names, including those not imported yet."""
    return sorted({*globals(), *_names(), *_PARTS})


def _names() -> dict[str, Any]:
    api = import_module("structkin.api")
    return {
        name: thing
        for name, thing in vars(api).items()
        if not name.startswith("_") and not isinstance(thing, ModuleType)
    }
