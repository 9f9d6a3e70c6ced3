"""A figure that shows itself: in a notebook where it stands, else in a window."""

from __future__ import annotations

import sys
from io import BytesIO
from typing import Any, cast

import matplotlib as mpl
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure

from structkin.show.letters import quietly

#: Backends that only write files (matplotlib's list; its name differs between versions).
_NO_WINDOWS = frozenset(("agg", "cairo", "pdf", "pgf", "ps", "svg", "template"))


class Picture(Figure):
    """A matplotlib figure that pyplot does not hold: it is gone with its last name, and has a window when asked."""

    def show(self, warn: bool = True) -> None:
        """Open the figure in a window, and wait until it is closed; in a notebook, show it below the cell.

        This is `matplotlib.pyplot.show`: in its interactive mode it does not wait. Where the backend has no windows,
        as on a machine without a screen, a line on stderr says so (not if `warn` is false).
        """
        import matplotlib.pyplot as plt

        backend = mpl.get_backend()
        why = f"matplotlib's backend '{backend}' has no windows"
        if backend.lower() not in _NO_WINDOWS:
            try:
                if not any(plt.figure(number) is self for number in plt.get_fignums()):
                    # The way to have a figure held by pyplot that any version of matplotlib knows.
                    plt.figure(FigureClass=cast("type[Figure]", lambda **_: self))
                return plt.show()
            except ImportError as error:
                why = str(error)
        if not _displayed(self) and warn:
            hint = 'save it, figure.savefig("figure.png"), or choose another backend (MPLBACKEND=TkAgg) on a screen'
            sys.stderr.write(f"the figure cannot be shown: {why}; {hint}\n")

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure; letters that no font has are boxes, told once by `structkin.show.letters`."""
        with quietly():
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        """Return the picture that a notebook shows."""
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def _displayed(figure: Picture) -> bool:
    """Show a figure below the cell of a notebook; tell whether there is one."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if not hasattr(shell, "kernel"):
        return False
    ipython.display.display(figure)
    return True
