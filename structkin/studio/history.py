"""Undo and redo: the documents themselves, each as it was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from structkin.studio.document import Document

#: The number of documents that are kept.
MOST = 500


@dataclass(frozen=True)
class History:
    """The document `now`, those before it, and those undone.

    Changes of one `stroke`, such as a point that is dragged, count as one.

    >>> a, b, c = (Document({"title": title}) for title in "abc")
    >>> history = History(a).then(b).then(c)
    >>> history.undo().undo().now == a, history.undo().redo() == history
    (True, True)
    """

    now: Document
    past: tuple[Document, ...] = ()
    future: tuple[Document, ...] = ()
    stroke: int | None = None

    def then(self, document: Document, stroke: int | None = None) -> Self:
        """Return the history after a change."""
        if document == self.now:
            return self
        past = self.past if stroke is not None and stroke == self.stroke else (*self.past, self.now)[-MOST:]
        return replace(self, now=document, past=past, future=(), stroke=stroke)

    def undo(self) -> Self:
        """Return the history with the last change undone, if there is one."""
        if not self.past:
            return self
        return replace(self, now=self.past[-1], past=self.past[:-1], future=(self.now, *self.future), stroke=None)

    def redo(self) -> Self:
        """Return the history with the last undone change made again, if there is one."""
        if not self.future:
            return self
        return replace(self, now=self.future[0], past=(*self.past, self.now), future=self.future[1:], stroke=None)
