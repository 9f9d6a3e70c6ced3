"""What carries a cam and its follower."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from structkin.joints.entry import AnyJoint


def mountings(
    joints: Iterable[AnyJoint], links: Iterable[str], cam: str, follower: str
) -> Iterator[tuple[str, AnyJoint, AnyJoint]]:
    """Yield each of the links that carries the cam by a pin and the follower by a pin or a guide, with these joints.

    A pin may join a link that the cam is fastened to in its place.

    >>> from structkin.model.topology import Joint
    >>> joints = [Joint("A", "R", ("0", "disc")), Joint("g", "P", ("lifter", "0")), Joint("c", "C", ("disc", "lifter"))]
    >>> [(link, shaft.id, guide.id) for link, shaft, guide in mountings(joints, ("0", "disc"), "disc", "lifter")]
    [('0', 'A', 'g')]
    """
    joints = list(joints)
    cams = {cam, *(end for joint in joints if joint.kind == "F" and cam in joint.links for end in joint.links)}
    for link in links:
        shafts = [joint for joint in joints if joint.kind == "R" and link in joint.links and cams & set(joint.links)]
        guides = [joint for joint in joints if joint.kind in "RP" and {link, follower} <= set(joint.links)]
        if link not in (*cams, follower) and shafts and guides:
            yield link, shafts[0], guides[0]
