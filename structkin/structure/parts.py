"""The parts of a structure: groups, redundant equations, and links that can still move."""

from __future__ import annotations

from dataclasses import dataclass

from structkin.checked import checked


@checked
@dataclass(frozen=True, slots=True)
class Group:
    """A structural group: the smallest set of links that can be solved together from what is already known.

    `links`, `joints` and `drivers` are in the user's order; a joint belongs to the group if one of its equations does.
    `level` is the length of the longest path from the ground, `depends_on` the groups that own a link or pin used here.
    `composite_links` act as one link each; `class_`, `order` and `signature` are those of the group after this
    contraction, None if there is no such term. `kind` names the solver's case: "driven R", "driven P", a dyad's
    signature such as "RRP", "R-G" and the like for one link with a higher pair, "class III order 3", "pin" (a pin
    located by two higher pairs or distances, no link), "fastened" (a link fastened to a known one), or "general".

    `pins` are the shared pins that the group determines (ids of all joints on them), `exterior` its joints and drivers
    with one known end, each with the group that determines this end (None: the ground), `known` the links at those
    ends.
    """

    index: int
    kind: str
    links: tuple[str, ...]
    joints: tuple[str, ...]
    drivers: tuple[str, ...]
    class_: str | None
    order: int | None
    signature: str | None
    composite_links: tuple[tuple[str, ...], ...]
    level: int
    depends_on: tuple[int, ...]
    pins: tuple[str, ...] = ()
    exterior: tuple[tuple[str, int | None], ...] = ()
    known: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the group in words."""
        return f"<Group: {self.label}>"

    @property
    def label(self) -> str:
        """The group in words: its number, kind and links."""
        return f"group {self.index + 1}, {self.kind} ({' + '.join(self.links)})"


@dataclass(frozen=True, slots=True)
class Redundancy:
    """One scalar equation that follows from others.

    `id` is the joint or driver it belongs to, `kind` is "joint" or "driver", `equation` is the name of the equation,
    `loop` lists the joints and drivers (including this one) that together have one equation too many.
    """

    id: str
    kind: str
    equation: str
    loop: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class FreePart:
    """Links that can still move together: the number of `missing` drivers, and the joints that could be driven.

    `idle`: one link spins about its only joint and moves nothing else.
    """

    links: tuple[str, ...]
    missing: int
    candidates: tuple[str, ...]
    idle: bool
