"""What all joints of a mechanism have in common, and the mapping that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar


@dataclass(frozen=True)
class Pair:
    """A kinematic pair with its geometry: the joint of a mechanism; that of its topology has the same id and links.

    `kind` is its letter in a topology. Lengths are in m, angles in rad, plane vectors are x + iy.
    """

    kind: ClassVar[str]

    id: str
    links: tuple[str, ...]


T = TypeVar("T")


class Joints(Mapping[str, Pair]):
    """All joints of a mechanism by their ids, pins included, in the order of its topology.

    >>> from structkin.joints.revolute import Revolute
    >>> joints = Joints([Revolute("A", ("ground", "crank"))])
    >>> joints["A"].links, list(joints.of(Revolute))
    (('ground', 'crank'), ['A'])
    """

    def __init__(self, joints: Iterable[Pair]) -> None:
        """Hold these joints."""
        self._joints = {joint.id: joint for joint in joints}
        self._of: dict[type, Mapping[str, Any]] = {}

    def __getitem__(self, id: str) -> Pair:
        """Return the joint with this id."""
        return self._joints[id]

    def __iter__(self) -> Iterator[str]:
        """Go through the ids."""
        return iter(self._joints)

    def __len__(self) -> int:
        """Return how many joints there are."""
        return len(self._joints)

    def __repr__(self) -> str:
        """Show the kinds and ids."""
        return f"<Joints: {', '.join(f'{type(joint).__name__} {id}' for id, joint in self.items())}>"

    def of(self, kind: type[T]) -> Mapping[str, T]:
        """Return the joints of a class or of those that inherit from it, by their ids."""
        if kind not in self._of:
            found = {id: joint for id, joint in self._joints.items() if isinstance(joint, kind)}
            self._of[kind] = MappingProxyType(found)
        return self._of[kind]
