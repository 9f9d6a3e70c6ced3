"""A figure that shows itself: below the cell of a notebook, or in a window."""

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
    """A matplotlib figure that pyplot does not keep: it is freed when unused, and opens a window only in `show`."""

    def show(self, warn: bool = True) -> None:
        """Open the figure in a window, and wait until it is closed; in a notebook, show it below the cell.

        This is `matplotlib.pyplot.show`, which in interactive mode does not wait. If the backend has no windows, as on
        a machine without a screen, a line on stderr says so unless `warn` is false.
        """
        import matplotlib.pyplot as plt

        backend = mpl.get_backend()
        why = f"matplotlib's backend '{backend}' has no windows"
        if backend.lower() not in _NO_WINDOWS:
            try:
                if not any(plt.figure(number) is self for number in plt.get_fignums()):
                    # This hands the figure to pyplot in every version of matplotlib.
                    plt.figure(FigureClass=cast("type[Figure]", lambda **_: self))
                return plt.show()
            except ImportError as error:
                why = str(error)
        if not _displayed(self) and warn:
            hint = 'save it, figure.savefig("figure.png"), or choose another backend (MPLBACKEND=TkAgg) on a screen'
            sys.stderr.write(f"the figure cannot be shown: {why}; {hint}\n")

    def draw(self, renderer: RendererBase) -> None:
        """Draw the figure; `structkin.show.letters` has warned of letters that are drawn as boxes."""
        with quietly():
            super().draw(renderer)

    def _repr_png_(self) -> bytes:
        """Return the PNG that a notebook shows."""
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()


def _displayed(figure: Picture) -> bool:
    """Show a figure below the cell of a notebook; return whether there is a notebook."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if not hasattr(shell, "kernel"):
        return False
    ipython.display.display(figure)
    return True
