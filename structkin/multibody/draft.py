"""A model in space under construction: what has been read so far, and every error found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from structkin.model.collector import Collector
from structkin.model.topology import suggest
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND, Body, Load, Sensor
from structkin.types import Floats


@dataclass
class SpatialDraft(Collector):
    """Points, bodies, joints, loads and sensors made so far, in SI."""

    points: dict[str, Floats] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)  # body -> its points
    bodies: dict[str, Body] = field(default_factory=dict)
    joints: dict[str, SpatialJoint] = field(default_factory=dict)
    loads: dict[str, Load] = field(default_factory=dict)
    sensors: dict[str, Sensor] = field(default_factory=dict)

    def has_fault(self, key: str) -> bool:
        """Return whether a value of this entry has an error: what follows from it is not checked."""
        return any(problem.key.startswith(f"{key}.") for problem in self.problems)

    def faulty(self, *keys: str) -> bool:
        """Return whether one of these values has an error itself: it is not missing."""
        return any(problem.key in keys for problem in self.problems)

    def given(self, section: str, made: Iterable[str]) -> list[str]:
        """Return the names in a section: of what was made, and of what could not be read."""
        unread = sorted(key.partition(".")[2] for key in self.unread if key.startswith(f"{section}."))
        return [*made, *unread]

    def spot(self, key: str, spot: str | Floats) -> Floats | None:
        """Return the place (3,) of a point in [points], or the coordinates themselves; None if the point is unknown."""
        if not isinstance(spot, str):
            return spot
        if spot not in self.points and not self.excused("points", spot):
            self.fault(key, f"point '{spot}' is not in [points]", suggest(spot, self.given("points", self.points)))
        return self.points.get(spot)

    def has_body(self, key: str, name: str) -> bool:
        """Return whether a body is known and has no errors; record an error if it is unknown."""
        if name in self.bodies or name == GROUND:
            return True
        if not self.excused("bodies", name):
            self.fault(key, f"body '{name}' is not in [bodies]", suggest(name, [GROUND, *self.held]))
        return False

    def end(self, key: str, text: str) -> tuple[str, str] | None:
        """Return (body, point) of "body.point", or of a point that one body alone has; None after an error."""
        body, dot, point = text.partition(".")
        if not dot:
            point = text
            bodies = [name for name, points in self.held.items() if text in points]
            if len(bodies) != 1:
                if text not in self.points:
                    self.spot(key, text)
                    return None
                hint = ", ".join(f'"{name}.{text}"' for name in bodies) or f'such as "{GROUND}.{text}"'
                found = "is on no body" if not bodies else f"is on {len(bodies)} bodies"
                self.fault(key, f"the point '{text}' {found}", f"name the body as well: {hint}")
                return None
            (body,) = bodies
        known = self.has_body(key, body)
        if self.spot(key, point) is None or not known:
            return None
        return body, point
