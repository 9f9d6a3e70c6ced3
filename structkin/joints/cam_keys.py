"""The keys of a cam in a file."""

from __future__ import annotations

from typing import Annotated, ClassVar

from structkin.joints.entry import JointEntry
from structkin.model.fields import Anything, Columns, Name, Radius, TwoPoints, scalar


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
