"""Rows of cams for the general group, as indices."""

from __future__ import annotations

from dataclasses import dataclass

from structkin.rows.periodic import Function


@dataclass(frozen=True, eq=False)
class CamRow:
    """One row: indices into the points and directions of the group, -1 where its form has none."""

    form: str
    function: Function
    b: int
    a: int = -1
    d: int = -1
    e: int = -1
    i: int = -1
    j: int = -1
