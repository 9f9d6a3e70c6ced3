"""The equations of a general group as rows of `structkin.rows`, in its inputs and unknowns as variables."""

from __future__ import annotations

import numpy as np

from structkin.rows.affine import Affine
from structkin.rows.curves import Curve
from structkin.rows.equations import Equations, Form
from structkin.rows.quadrics import Quadric
from structkin.rows.relations import ByLaw, DrivenAngle, FaceOnProfile, OnProfile, TurnByLaw
from structkin.rows.windings import Winding

from .cam_rows import CamRow
from .layout import Columns
from .rows import Rows


class _Forms:
    def __init__(self, rows: Rows) -> None:
        self.rows, self.at = rows, Columns(rows)

    def slot(self, source: int, part: int) -> Affine:
        return Affine.slot(self.rows.vectors + 2 * source + part if source >= 0 else -1 - source)

    def point(self, index: int) -> Affine:
        source, local = self.rows.points[index]
        return self.slot(source, 0) + self.slot(source, 1) * local if source >= 0 else self.slot(source, 0)

    def way(self, i: int, j: int) -> Affine:
        return self.point(j) - self.point(i)

    def direction(self, index: int) -> Affine:
        source, factor, _ = self.rows.directions[index]
        return self.slot(source, 1) * factor

    def scalar(self, index: int) -> dict[int, float]:
        return {self.at.scalars + index: -1.0} if index >= 0 else {}

    def turns(self, row: int) -> dict[int, float]:
        angles = self.rows.angles
        return {self.at.angles + angles.index(link): a for number, link, a in self.rows.turns if number == row}

    def parallel(self, i: int, j: int) -> Form:
        turner = self.rows.directions[i][2]
        if turner < 0:
            return Quadric.cross(self.direction(i), self.direction(j))
        return Curve.of(DrivenAngle(), self.direction(i), Affine.slot(turner), self.direction(j))

    def cam(self, row: CamRow) -> Form:
        b = self.direction(row.b)
        if row.form == "turn":
            return Curve.of(
                TurnByLaw(row.function), self.direction(row.d), self.direction(row.e), self.direction(row.a), b
            )
        way = self.way(row.i, row.j)
        if row.form == "travel":
            return Curve.of(ByLaw(row.function), self.direction(row.d), way, self.direction(row.a), b)
        if row.form == "radius":
            return Curve.of(OnProfile(row.function), way, b)
        return Curve.of(FaceOnProfile(row.function), self.direction(row.d), way, b)

    def all(self) -> list[Form]:
        rows, forms = self.rows, list[Form]()
        for i, j in rows.pins:
            forms += [Quadric.part(self.way(j, i), axis) for axis in (0, 1)]
        forms += [self.parallel(i, j) for i, j in rows.parallels]
        forms += [Quadric.cross(self.direction(d), self.way(i, j)).plus(-e) for d, i, j, e in rows.lines]
        for number, (d, i, j, start, scalar) in enumerate(rows.travels):
            terms = {**self.scalar(scalar), **self.turns(-1 - number)}
            forms.append(Quadric.dot(self.direction(d), self.way(i, j)).plus(-start).with_terms(terms))
        for i, j, scalar in rows.distances:
            forms.append(Quadric.dot(self.way(i, j), self.way(i, j)).times(0.5).with_terms(self.scalar(scalar)))
        for number, (start, scalar) in enumerate(rows.gears):
            forms.append(Quadric(constant=-start).with_terms({**self.scalar(scalar), **self.turns(number)}))
        return [*forms, *map(self.cam, rows.cams)]

    def ties(self) -> list[Form]:
        units = [self.slot(link, 1) for link in range(self.rows.links)]
        forms: list[Form] = [Quadric.dot(U, U).times(0.5).plus(-0.5) for U in units]
        forms += [Winding.tie(units[link], {self.at.angles + k: 1.0}) for k, link in enumerate(self.rows.angles)]
        return forms


def joint_rows(rows: Rows) -> Equations:
    """Return the rows of joints and drivers."""
    return Equations(_Forms(rows).all(), np.ones(Columns(rows).width))


def ties(rows: Rows) -> Equations:
    """Return what ties the unknowns of a link: (U.U - 1) / 2 of each, then U x E(theta) of each angle."""
    return Equations(_Forms(rows).ties(), np.ones(Columns(rows).width))
