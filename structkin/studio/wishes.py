"""What a search is for: a path, positions of a body, or better numbers of the drawing, each a message of the protocol.

`read` checks a message. Places and lengths are in the file's unit of length, angles in its unit of angle. What the
numbers mean, `synthesise`, `synthesise_positions` and `Mechanism.optimise` check themselves.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from structkin.studio.command import Name, Number, Place
from structkin.studio.document import Document, refuse
from structkin.studio.faults import refusal

#: Candidates of a search, and the steps that it may take: those of the command unless the page asks for fewer.
COUNT, BUDGET = 6, 500_000
#: The positions that are placed in the drawing, and the samples of a motion that is improved.
POSITIONS, SAMPLES = 5, 721
Kinds = Annotated[list[Name], Field(min_length=1, max_length=20)]
Seed = Annotated[int, Field(ge=0, le=2**31)]


class _Wish(BaseModel):
    """The base of all wishes: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class ForPath(_Wish):
    """Linkages with a point that passes points in order; `timing` are the turns of the crank at them."""

    aim: Literal["path"]
    points: Annotated[list[Place], Field(max_length=1000)]
    closed: bool = False
    timing: Annotated[list[Number], Field(max_length=1000)] | None = None
    kinds: Kinds
    pivots: Annotated[list[Name], Field(max_length=2)] = Field(default_factory=list)
    region: tuple[Place, Place] | None = None
    longest: Number | None = None
    transmission: Number | None = None
    seed: Seed = 0
    budget: Annotated[float, Field(gt=0, le=BUDGET)] = BUDGET

    def arguments(self, document: Document) -> dict[str, Any]:
        """Return the arguments of `synthesise`; raise `InputError` where a pivot is no point of the drawing."""
        size, turn = document.units.length_scale, document.units.angle_scale
        found: dict[str, Any] = {
            "path": size * np.array(self.points, float).reshape(-1, 2), "closed": self.closed, "kinds": self.kinds,
            "pivots": pivots_of(document, self.pivots), "count": COUNT, "seed": self.seed, "budget": self.budget,
            "unit": document.units.length,
        }  # fmt: skip
        found |= {} if self.timing is None else {"timing": turn * np.array(self.timing, float)}
        found |= {} if self.region is None else {"region": size * np.array(self.region, float)}
        found |= {} if self.longest is None else {"longest": size * self.longest}
        return found | ({} if self.transmission is None else {"transmission": turn * self.transmission})


class ForPositions(_Wish):
    """Linkages that carry a body through positions x, y, angle."""

    aim: Literal["positions"]
    positions: Annotated[list[tuple[Number, Number, Number]], Field(max_length=POSITIONS)]
    kinds: Kinds
    pivots: Annotated[list[Name], Field(max_length=2)] = Field(default_factory=list)
    seed: Seed = 0

    def arguments(self, document: Document) -> dict[str, Any]:
        """Return the arguments of `synthesise_positions`; raise `InputError` where a pivot is no point."""
        size, turn = document.units.length_scale, document.units.angle_scale
        positions = np.array(self.positions, float).reshape(-1, 3) * (size, size, turn)
        pivots = pivots_of(document, self.pivots)
        return {"positions": positions, "pivots": pivots, "kinds": self.kinds, "count": COUNT, "seed": self.seed}


class Better(_Wish):
    """Numbers of the drawing, with bounds, for which a measure becomes least.

    The measure, and the least transmission angle, are written as in a file of `structkin optimise`.
    """

    aim: Literal["better"]
    parameters: Annotated[dict[Name, Any], Field(max_length=50)]
    objective: Annotated[dict[Name, Any], Field(max_length=10)]
    transmission: Number | None = None
    samples: Annotated[int, Field(ge=2, le=SAMPLES)] | None = None
    evaluations: Annotated[int, Field(ge=2, le=500)] = 200

    def entries(self) -> dict[str, Any]:
        """Return the entries of a file of `structkin optimise`; raise `InputError` where one names another file."""
        if "csv" in self.objective:
            raise refuse("objective", "a file cannot be named here", "load the points into the drawing")
        least = {"measure": "transmission", "least": self.transmission}
        return {
            "parameters": self.parameters, "objective": [self.objective], "evaluations": self.evaluations,
            "limits": [] if self.transmission is None else [least],
            **({} if self.samples is None else {"samples": self.samples}),
        }  # fmt: skip


Wish = ForPath | ForPositions | Better
_READER: TypeAdapter[Wish] = TypeAdapter(Annotated[Wish, Field(discriminator="aim")])


def read(wish: Any) -> Wish:
    """Return the wish of a message; raise `InputError` if it is not one."""
    try:
        return _READER.validate_python(wish)
    except ValidationError as error:
        raise refusal(error) from None


def pivots_of(document: Document, names: list[str]) -> list[list[float]] | None:
    """Return the places [m] of points of the drawing, None if there are none."""
    places = [document.known_place(name) * document.units.length_scale for name in names]
    return [[place.real, place.imag] for place in places] or None
