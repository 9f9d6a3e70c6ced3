"""Loading matplotlib, which refuses to be imported where MPLBACKEND names no backend."""

from __future__ import annotations

import os
from importlib import import_module

from structkin.errors import InputError, Problem


def load_matplotlib() -> None:
    """Import matplotlib; `InputError` where the environment names a backend that there is not."""
    try:
        import_module("matplotlib")
    except ValueError:
        name = os.environ.get("MPLBACKEND")
        hint = "unset it, or choose one, such as Agg for files or TkAgg for windows"
        raise InputError(
            [Problem("MPLBACKEND", f"{name!r} is not a backend of matplotlib", hint)], "pictures"
        ) from None
