"""What all entries of [joints] have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from structkin.joints.pair import Pair
from structkin.model.draft import Draft
from structkin.model.entry import Entry
from structkin.model.fields import Axis, Line, Name, Stroke, TwoPoints
from structkin.model.topology import Joint

#: A joint of a mechanism, or of a topology if errors in its links leave it without geometry.
AnyJoint = Joint | Pair


class JointEntry(Entry):
    """An entry of [joints]: its keys are fields; `make` creates the joint from it and the sketch.

    Entries of lower `order` are made first: a cam needs the joints of its shaft and its follower, a rack its guide.
    """

    order: ClassVar[int] = 0

    type: Name

    @property
    def at_ends(self) -> tuple[str, ...]:
        """The point of each end at which the joint acts, "" for none; see `Joint.at`."""
        return ()

    def prepare(self, draft: Draft, id: str) -> None:
        """Set exact dimensions of links that a sketch can only give rounded, before any joint is made."""

    @abstractmethod
    def make(self, draft: Draft, id: str) -> AnyJoint | None:
        """Return the joint, without geometry if its links have errors; None if it has errors itself; raise `Flaw`."""


class SlidingEntry(JointEntry):
    """An entry of a joint whose line may have ends, given as travels from the sketch or as two points."""

    stroke: Stroke = None
    ends: TwoPoints | None = None


class LineEntry(SlidingEntry):
    """An entry of a joint along a line: by a direction in the sketch, or by two points."""

    axis: Axis | None = None
    along: Line | None = None
