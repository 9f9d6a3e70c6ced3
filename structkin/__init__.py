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
from typing import Any

import lazy_loader

from structkin.version import __version__ as __version__

_PARTS = ("branches", "dynamics", "errors", "examples", "global_methods", "model", "show", "solve", "structure")
#: The public names are listed in `__init__.pyi`, each with its home, for editors and type checkers too.
_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import a part of the package or a public name on first use: `structkin --help` needs none of them."""
    if name in _PARTS:
        return import_module(f"structkin.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'structkin' has no attribute '{name}'")
    return _public(name)


def __dir__() -> list[str]:
    """List all names, including those not imported yet."""
    return sorted({*globals(), *__all__, *_PARTS})
