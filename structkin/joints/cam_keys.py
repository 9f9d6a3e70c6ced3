"""The keys of a cam in a file, and what carries the cam and its follower."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar

from structkin.joints.entry import AnyJoint, JointEntry
from structkin.model.draft import Draft
from structkin.model.fields import Anything, Columns, Name, Radius, TwoPoints, scalar


def mountings(
    joints: Iterable[AnyJoint], links: Iterable[str], cam: str, follower: str
) -> Iterator[tuple[str, AnyJoint, AnyJoint]]:
    """Yield each link that carries the cam on a pin and the follower on a pin or guide, with these joints.

    Instead of the cam or follower itself, a pin may join a link fastened to it.

    >>> from structkin.model.topology import Joint
    >>> joints = [Joint("A", "R", ("0", "disc")), Joint("g", "P", ("lifter", "0")), Joint("c", "C", ("disc", "lifter"))]
    >>> [(link, shaft.id, guide.id) for link, shaft, guide in mountings(joints, ("0", "disc"), "disc", "lifter")]
    [('0', 'A', 'g')]
    """
    joints = list(joints)
    cams, followers = _with_fastened(joints, cam), _with_fastened(joints, follower)
    for link in links:
        held = [joint for joint in joints if link in joint.links]
        shafts = [joint for joint in held if joint.kind == "R" and cams & set(joint.links)]
        guides = [
            joint
            for joint in held
            if (joint.kind == "R" and followers & set(joint.links)) or (joint.kind == "P" and follower in joint.links)
        ]
        if link not in cams | followers and shafts and guides:
            yield link, shafts[0], guides[0]


def sketched_mountings(
    draft: Draft, links: Iterable[str], cam: str, follower: str
) -> Iterator[tuple[str, AnyJoint, AnyJoint]]:
    """Yield those whose pins are points of the cam and the follower themselves."""
    for link, shaft, guide in mountings(draft.joints.values(), links, cam, follower):
        if cam in draft.holders[shaft.id] and (guide.kind == "P" or follower in draft.holders[guide.id]):
            yield link, shaft, guide


def _with_fastened(joints: Iterable[AnyJoint], link: str) -> set[str]:
    """Return a link and those fastened to it."""
    return {link, *(end for joint in joints if joint.kind == "F" and link in joint.links for end in joint.links)}


class CamKeys(JointEntry):
    """A cam with a law or a profile; whether its lifts are lengths or angles depends on the follower's joint."""

    sample: ClassVar[str] = (
        '{ type = "cam", cam = "disc", follower = "lifter", at = "Q", radius = 10, '
        'law = [{ motion = "cycloidal", over = 180, to = 20 }, { motion = "cycloidal", over = 180, to = 0 }] }'
    )

    order: ClassVar[int] = 1

    cam: Name
    follower: Name
    law: Anything = None
    profile: Anything = None
    outline: Anything = None
    csv: Name | None = None
    columns: Columns | None = None
    center: Name | None = None
    at: Name | None = None
    face: TwoPoints | None = None
    contact: Name | None = None
    radius: Radius | None = None
    base: Radius | None = None
    start: Annotated[float, scalar("angle")] | None = None
    direction: Name | None = None
    carrier: Name | None = None

    @property
    def at_ends(self) -> tuple[str, ...]:
        """The point of the follower that is the centre of its roller, or its edge."""
        return "", self.at or ""
