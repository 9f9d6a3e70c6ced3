"""The view of a mechanism in a notebook: the bundle of `structkin.web` as an anywidget."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from structkin import web
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.show.view import motion_of, view
from structkin.solve import Motion

if TYPE_CHECKING:
    from anywidget import AnyWidget


def widget(mechanism: Mechanism, motion: Motion | None = None, *, trace: Sequence[str] = ()) -> AnyWidget:
    """Return the view of a mechanism for a notebook: its drawing, and the bar that plays its motion.

    It shows the motion given, or that of `solve`; a mechanism whose drivers do not determine it stands still. The
    points `trace` of a motion leave their path (default: the points of interest, at most four). The widget holds all
    its data: it plays without Python, and makes no request. Raises `InputError` where anywidget is missing, and for
    points that are not there.
    """
    try:
        kind = _widget_class()
    except ImportError:
        hint = 'pip install "structkin[notebook]"'
        problem = Problem("widget", "needs anywidget, which is not installed", hint)
        raise InputError([problem], mechanism.title) from None
    return kind(view=view(mechanism, motion or motion_of(mechanism), trace=trace))


@cache
def _widget_class() -> type[AnyWidget]:
    from anywidget import AnyWidget
    from traitlets import Dict

    class MechanismWidget(AnyWidget):
        """The module exports `{ render({ model, el }) }`, as anywidget asks for; it reads the model's "view"."""

        _esm = web.script("widget")
        _css = web.styles("widget")
        view = Dict().tag(sync=True)

        def __repr__(self) -> str:
            """Return the mechanism: all that the view holds would fill pages."""
            return f"<Widget of {self.view.get('title') or 'a mechanism'!r}>"

    return MechanismWidget
