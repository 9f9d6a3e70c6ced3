"""Pictures and tables of mechanisms, structures and motions.

Each function is imported on first use: the rest of structkin needs no matplotlib. `__init__.pyi` lists them.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

from structkin.checked import checked
from structkin.show.backend import load_matplotlib

_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import a function on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.startswith(("animate", "draw_", "plot_", "save_figure")):
        load_matplotlib()
    found = globals()[name] = checked(_public(name))
    return found


def __dir__() -> list[str]:
    """List all names, including those not imported yet."""
    return sorted({*globals(), *__all__})
