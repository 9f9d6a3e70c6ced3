"""What all entries of [joints] have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from structkin.joints.pair import Pair
from structkin.model.draft import Draft
from structkin.model.entry import Entry
from structkin.model.fields import Name
from structkin.model.topology import Joint

#: A joint of a mechanism, or that of a topology where mistakes of its links leave it without geometry.
AnyJoint = Joint | Pair


class JointEntry(Entry):
    """An entry of [joints]: its keys are fields, and `make` is the way from it and the sketch to the joint.

    Entries of a lower `order` are made first: a cam looks at the joints of its shaft and of its follower, a rack at
    its guide.
    """

    order: ClassVar[int] = 0

    type: Name

    def prepare(self, draft: Draft, id: str) -> None:
        """Change links to sizes that a sketch can only round, before any joint is made."""

    @abstractmethod
    def make(self, draft: Draft, id: str) -> AnyJoint | None:
        """Return the joint, without geometry where its links have mistakes; None after complaints; raise `Flaw`."""
