"""A circle that rolls without slip on a line, or on another circle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from structkin.joints.guide import Guide
from structkin.joints.lines import SLOPPY, into_frame
from structkin.joints.pair import Poses
from structkin.joints.row_writer import RowWriter
from structkin.joints.turn_coupling import CouplingEntry, TurnCoupling, beside, points_of
from structkin.model.draft import Draft
from structkin.model.fields import Flag, Name, Radii, Radius, TwoPoints
from structkin.model.flaw import Flaw
from structkin.model.geometry import unit_direction
from structkin.rows.trig_rows import TrigRow
from structkin.types import Complexes, Floats


@dataclass(frozen=True, kw_only=True)
class RollingOnLine(TurnCoupling, Guide):
    """A circle of the first link that rolls on a line of the second: its centre runs parallel to the line."""

    kind: ClassVar[str] = "K"
    type: ClassVar[str] = "rolling"
    presses: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("tangent", "normal")

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield the error of the centre's distance from the line, and the slip as an angle."""
        yield from Guide.gaps(self, poses)
        yield from super().gaps(poses)

    def write(self, w: RowWriter) -> None:
        """Write that the centre keeps its distance from the line, and its travel as a function of the rotation."""
        self.write_across(w, "across the line")
        self.write_travel(w, self)


@dataclass(frozen=True, kw_only=True)
class RollingOnCircle(TurnCoupling):
    """A circle of the first link that rolls on one of the second."""

    kind: ClassVar[str] = "K"
    type: ClassVar[str] = "rolling"
    presses: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("tangent", "normal")

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield the error of the centre distance, and the slip as an angle of the first circle."""
        yield np.abs(np.abs(self._centres_vector(poses)[0]) - self.reach) / poses.size
        yield from super().gaps(poses)

    def carrier_turned(self, poses: Poses) -> Floats:
        """Return the rotation (n,) of the line of centres from the sketch, modulo full turns."""
        vector, drawn = self._centres_vector(poses)
        return np.angle(vector / drawn)

    def _centres_vector(self, poses: Poses) -> tuple[Complexes, complex]:
        """Return the vector (n,) from the first centre to the second, and that in the sketch."""
        (first, second), (a, b) = self.links, self.centers
        assert b is not None
        return poses.at(second, b) - poses.at(first, a), poses.drawn(second, b) - poses.drawn(first, a)

    def write(self, w: RowWriter) -> None:
        """Write C_2 - C_1 - R E(s) = 0 with the line of centres as carrier: (1 - r) s = t_1 - r t_2.

        E(s) is the unit vector rotated by s from the sketch.
        """
        assert self.ratio is not None
        first, second = self.links
        a, b = self.centers
        assert b is not None
        vector = w.point(second, b) - w.point(first, a)
        drawn = w.drawn(second, b) - w.drawn(first, a)
        turn = w.turns({first: 1 / (1 - self.ratio), second: -self.ratio / (1 - self.ratio)})
        for name, row in zip("xy", TrigRow.along(vector * (abs(drawn) / drawn), self.reach, turn), strict=True):
            w.add(self.id, f"line of centres, {name}", self.links, w.size, row)


class RollingEntry(CouplingEntry):
    """A circle of the first link that rolls on a line or on a circle of the second without slip."""

    sample: ClassVar[str] = '{ type = "rolling", links = ["wheel", "ground"], radius = 30, along = ["P", "Q"] }'

    radius: Radius | None = None
    along: TwoPoints | None = None
    center: Name | None = None
    radii: Radii | None = None
    centers: TwoPoints | None = None
    internal: Flag | None = None

    def couple(self, draft: Draft, id: str) -> RollingOnLine | RollingOnCircle:
        """Return a rolling contact."""
        if self.along is not None and (self.centers or self.radii or self.internal is not None):
            raise Flaw(
                "has 'along' as well as keys for two circles",
                "a line needs radius and along; circles, radii and centers",
            )
        if self.along is not None:
            return self._on_line(draft, id, self.along)
        if self.centers is not None and self.radii is not None:
            if self.radius is not None or self.center is not None:
                raise Flaw(
                    "has 'radius' or 'center' as well as 'radii' and 'centers'", "for two circles delete the former"
                )
            return self._on_circle(draft, id, self.centers, self.radii)
        raise Flaw(
            "does not say what it rolls on", 'give along = ["P", "Q"], or centers = ["C", "O"] and radii = [10, 30]'
        )

    def _on_line(self, draft: Draft, id: str, along: tuple[str, str]) -> RollingOnLine:
        wheel, base = (draft.links[link] for link in self.links)
        for point in along:
            if point not in base.local:
                raise Flaw(f"the point '{point}' of along is not on '{base.name}'", points_of(draft, base.name))
        center = self.center or wheel.points[0]
        if center not in wheel.local:
            raise Flaw(f"the centre '{center}' is not on '{wheel.name}'", points_of(draft, wheel.name))
        place = draft.points[center]
        side, distance = beside(draft, along, place)
        radius = distance if self.radius is None else self.radius
        if abs(radius - distance) > SLOPPY * radius:
            raise Flaw(
                f"in the sketch the centre '{center}' is {draft.show_length(distance)} from the line, the radius is "
                f"{draft.show_length(radius)}",
                "draw the circle on its line",
            )
        p, q = base.local[along[0]], base.local[along[1]]
        unit = unit_direction(base.local, *along)
        above = (side * (base.direction * unit).conjugate()).imag < 0
        offset = radius if above else -radius
        start = ((into_frame(base, place) - p) * unit.conjugate()).real
        # A circle above its line that rotates counter-clockwise rolls backwards.
        return RollingOnLine(
            id, links=self.links, centers=(wheel.local[center], None), radii=(radius, None), guide=id, lever=-offset,
            line=(p, q), carrier=base.name, slider=wheel.name, origin=p, direction=unit, point=wheel.local[center],
            offset=offset, start=start, at=place,
        )  # fmt: skip

    def _on_circle(
        self, draft: Draft, id: str, centers: tuple[str, str], radii: tuple[float, float]
    ) -> RollingOnCircle:
        ends = [draft.links[link] for link in self.links]
        for link, point in zip(ends, centers, strict=True):
            if point not in link.local:
                raise Flaw(f"the centre '{point}' is not on '{link.name}'", points_of(draft, link.name))
        sign = 1.0 if self.internal else -1.0
        if self.internal and radii[0] == radii[1]:
            raise Flaw("circles of equal size cannot roll inside each other", "delete internal, or check radii")
        mesh = RollingOnCircle(
            id, links=self.links, centers=(ends[0].local[centers[0]], ends[1].local[centers[1]]), radii=radii,
            ratio=sign * radii[1] / radii[0],
        )  # fmt: skip
        distance = abs(draft.points[centers[0]] - draft.points[centers[1]])
        if abs(distance - mesh.reach) > SLOPPY * mesh.reach:
            raise Flaw(
                f"in the sketch the centres are {draft.show_length(distance)} apart, "
                f"not {draft.show_length(mesh.reach)}",
                "draw the circles in contact; internal = true puts one inside the other",
            )
        return mesh
