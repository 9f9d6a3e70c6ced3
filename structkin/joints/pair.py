"""What all joints of a mechanism have in common, and the mapping that contains them.

Their closure errors are computed from poses of links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from structkin.model.parts import Link
from structkin.types import Complexes, Floats

if TYPE_CHECKING:
    from structkin.joints.row_writer import RowWriter
    from structkin.model.parts import Link
    from structkin.types import Floats


@dataclass(frozen=True)
class Poses:
    """The origin and the unit direction of every link at n samples; lengths in m, `size` is the mechanism's."""

    links: Mapping[str, Link]
    joints: Mapping[str, Any]
    frames: Mapping[str, tuple[Complexes, Complexes]]
    size: float

    @cached_property
    def holders(self) -> Mapping[str, list[str]]:
        """The links that have each point."""
        found: dict[str, list[str]] = {}
        for name, link in self.links.items():
            for point in link.local:
                found.setdefault(point, []).append(name)
        return found

    def at(self, link: str, place: complex | str | Complexes) -> Complexes:
        """Return the global position (n,) of a named point of a link, or of positions in its frame."""
        origin, direction = self.frames[link]
        local: Any = self.links[link].local[place] if isinstance(place, str) else place
        return np.asarray(origin + direction * local)

    def drawn(self, link: str, local: complex) -> complex:
        """Return the position in the sketch of a point given in a link's frame."""
        return self.links[link].origin + self.links[link].direction * local

    def along(self, link: str, local: complex = 1 + 0j) -> Complexes:
        """Return a direction (n,) fixed in a link."""
        return self.frames[link][1] * local

    def turned(self, link: str) -> Floats:
        """Return the rotation (n,) of a link from the sketch, modulo full turns."""
        return np.angle(self.frames[link][1] / self.links[link].direction)


@dataclass(frozen=True, eq=False)
class Pair:
    """A kinematic pair with its geometry: the joint of a mechanism; that of its topology has the same id and links.

    Lengths are in m, angles in rad, plane vectors are x + iy. Each kind of joint is one file, which defines:

    1. its `kind`: the letter in a topology, whose structural equations are in `JOINT_KINDS`;
    2. its geometry, as the frozen fields of its class;
    3. its entry in a file, a `JointEntry` with the keys as fields, listed in `registry.JOINT_TYPES`;
    4. how it is made: `JointEntry.make`, from the entry and the sketch;
    5. `posed`: what a new sketch changes in it;
    6. `counts_turns`: whether full turns of its links matter, as they do for gears;
    7. `presses`: whether its links separate when the force reverses; `has_moment`: whether it transmits a moment about
       the `place` of its force;
    8. its rows: `write`, once for groups, all families of coordinates, homotopies and forces;
    9. its `gaps`: its closure errors, computed from link poses and not from its rows;
    10. if a point runs along a line (`Sliding`): its travel, and the stroke that limits the travel.

    A pair whose rows couple the rotations of more than two links also names the `parts` of its force; their lines of
    action are registered in `dynamics/inverse/pair_forces.py`. Symbols are registered in `show/joint_symbols.py`.
    """

    kind: ClassVar[str]
    counts_turns: ClassVar[bool] = False
    presses: ClassVar[bool] = False
    has_moment: ClassVar[bool] = False
    parts: ClassVar[tuple[str, ...]] = ()

    id: str
    links: tuple[str, ...]

    @property
    def place(self) -> tuple[str | complex, str | None]:
        """Where its force acts if no line of action is registered: a point name, or a position in a link's frame."""
        raise NotImplementedError

    def write(self, w: RowWriter) -> None:
        """Write the rows that are zero when the joint is closed."""
        raise NotImplementedError

    def gaps(self, poses: Poses) -> Iterable[Floats]:
        """Return the closure errors (n,): lengths relative to the size of the mechanism, angles in rad.

        They verify solutions, so they do not use the rows that were solved.
        """
        raise NotImplementedError

    def posed(self, before: Mapping[str, Link], after: Mapping[str, Link], joints: Mapping[str, Pair]) -> Self:
        """Return the joint in another sketch: that of the links `after` instead of `before`."""
        return self


T = TypeVar("T")


class Joints(Mapping[str, Pair]):
    """All joints of a mechanism by their ids, pins included, in the order of its topology.

    >>> from structkin.joints.revolute import Revolute
    >>> joints = Joints([Revolute("A", ("ground", "crank"))])
    >>> joints["A"].links, list(joints.of(Revolute))
    (('ground', 'crank'), ['A'])
    """

    def __init__(self, joints: Iterable[Pair]) -> None:
        """Store these joints."""
        self._joints = {joint.id: joint for joint in joints}
        self._of: dict[type, Mapping[str, Any]] = {}

    def __getitem__(self, id: str) -> Pair:
        """Return the joint with this id."""
        return self._joints[id]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._joints)

    def __len__(self) -> int:
        """Return the number of joints."""
        return len(self._joints)

    def __repr__(self) -> str:
        """Show the kinds and ids."""
        return f"<Joints: {', '.join(f'{type(joint).__name__} {id}' for id, joint in self.items())}>"

    def of(self, kind: type[T]) -> Mapping[str, T]:
        """Return the joints of a class or its subclasses, by id."""
        if kind not in self._of:
            found = {id: joint for id, joint in self._joints.items() if isinstance(joint, kind)}
            self._of[kind] = MappingProxyType(found)
        return self._of[kind]
