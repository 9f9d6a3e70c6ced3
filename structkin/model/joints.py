"""Third pass: pins from shared points, and the joints of the file."""

from __future__ import annotations

from structkin.joints.fastened import bodies
from structkin.joints.prismatic import PrismaticEntry
from structkin.joints.revolute import Revolute
from structkin.model.draft import Draft
from structkin.model.mechanism import GROUND
from structkin.model.topology import suggest


def make_joints(draft: Draft) -> None:
    """Make the pins, in the order of the points, and the joints of the file."""
    draft.bodies.update(bodies(draft.joint_entries.values()))
    for point in draft.points:
        held = draft.one_each_body(draft.holders.get(point, []))
        if len(held) > 1:
            draft.joints[point] = Revolute(point, held)
    for id, entry in draft.joint_entries.items():
        draft.unread.add(f"joints.{id}")  # until it is made
        entry.prepare(draft, id)
    for id, entry in sorted(draft.joint_entries.items(), key=lambda item: item[1].order):
        made = draft.attempt(f"joints.{id}", entry.make, draft, id)
        if made is not None:
            draft.joints.setdefault(id, made)
            draft.unread.discard(f"joints.{id}")


def check_use(draft: Draft) -> None:
    """Record errors for points on no link, and for a ground that is joined to nothing."""
    if not draft.whole("links"):
        return
    located = {entry.at for entry in draft.joint_entries.values() if isinstance(entry, PrismaticEntry)}
    located |= draft.bored
    for point in draft.points:
        if point not in draft.holders and point not in located:
            unknown = [
                name for entry in draft.link_entries.values() for name in entry.points if name not in draft.points
            ]
            close = suggest(point, unknown) if unknown else ""
            draft.fault(
                f"points.{point}",
                "the point is on no link",
                close if close.startswith("did") else "add it to a link, or delete it",
            )
    if GROUND not in draft.link_entries or not draft.whole("joints") or not draft.whole("drivers"):
        return
    ends = [end for joint in draft.joints.values() for end in joint.links]
    ends += [end for driver in draft.drivers.values() for end in driver.links]
    on_ground = {f"@{point}" for point, held in draft.holders.items() if GROUND in held}
    if len(draft.link_entries) > 1 and not any(end == GROUND or end in on_ground for end in ends):
        draft.fault(
            "links.ground", "no joint connects the ground to a moving link", "name a ground point in another link"
        )
