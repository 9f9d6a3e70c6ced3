"""What a synthesis returns: mechanisms that do nearly what was wished, verified, the best first.

And the six-bars and the five-bar that have a name, as linkages to be fitted.

Six-bars with one driven crank A-B and two dyads: a four-bar A-B-C-D, and a second dyad E-F-G whose pins E and G are on
two of its links. P is on the link E-F, which is the output. The fifth six-bar, Stephenson's second, has no crank on the
ground from which all groups are dyads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from structkin.checked import checked
from structkin.design.any_topology import AnyLinkage
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.model.units import FILE_UNITS, Units
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: What candidates can be sorted by, and whether less is better.
MEASURES = {"error": True, "rms": True, "transmission": False, "proportion": True, "extent": True}


@checked
@dataclass(frozen=True, eq=False)
class Candidate:
    """A mechanism that does nearly what was wished; every number is from a solution of its whole motion.

    `kind` is one of the kinds, or the title of a given mechanism; `point` is the name of the tracer. The motor of
    `mechanism` turns at 1 rad/s, so that `mechanism.solve()` is the motion past the points, or a whole turn for a
    closed path.

    `distances` (n,) [m] are those of the points from the tracer where the crank has turned by `turns` (n,) [rad] from
    the first point. The turns rise or fall from point to point: the points are passed in their order, on one branch,
    without a sample that is not ok. `error` is the largest distance, `rms` their root mean square. `transmission` [rad]
    is the smallest transmission angle of the dyads over the motion, pi/2 at best, NaN if it cannot be followed or there
    are only groups that have none, such as triads; `lengths` [m] are those between pins, `proportion` the longest of
    them by the shortest; `extent` [m] is that of the linkage with its path, width or height. A `cognate` draws the
    curve of another four-bar of the list.

    For positions, `point` is the origin of the body, the distances include what a wrong angle makes of the size of the
    positions, and `defects` may say that they are not passed in order, or not on one branch. For a function the
    distances are those of the rocker's angle from it, and `unit` is "rad".
    """

    kind: str
    mechanism: Mechanism
    point: str
    points: Floats = field(repr=False)
    distances: Floats = field(repr=False)
    turns: Floats = field(repr=False)
    transmission: float
    lengths: Mapping[str, float]
    extent: float
    cognate: bool = False
    defects: tuple[str, ...] = ()
    unit: str = "m"

    def __repr__(self) -> str:
        """Show kind, error and transmission angle."""
        least = "" if np.isnan(self.transmission) else f", transmission angle {np.degrees(self.transmission):.0f} deg"
        return f"<Candidate {self.kind}: error {self.error:.3g} {self.unit}{least}>"

    @property
    def error(self) -> float:
        """The largest distance of a point from the tracer [m]."""
        return float(self.distances.max())

    @property
    def rms(self) -> float:
        """The root mean square of the distances [m]."""
        return float(np.sqrt(np.mean(self.distances**2)))

    @property
    def proportion(self) -> float:
        """The longest length by the shortest."""
        return max(self.lengths.values()) / min(self.lengths.values())

    def explain(self) -> str:
        """Return sentences: what it is, how well it does, and what to look at before it is built."""
        words = [loop.words for loop in self.mechanism.four_bars()]
        words += [loop.words for loop in self.mechanism.slider_cranks()]
        turn = abs(np.degrees(self.turns[-1] - self.turns[0]))
        lengths = ", ".join(f"{name} {length:.4g} m" for name, length in self.lengths.items())
        least = np.degrees(self.transmission)
        warning = ": it may jam; 30 to 40 deg is usual" if least < 30 else ""
        if self.unit == "m":
            done = (
                f"{self.point} passes the {len(self.points)} points in order, on one branch, while the crank turns "
                f"{turn:.1f} deg; it is at most {self.error:.3g} m away from them, {self.rms:.3g} m root mean square."
            )
        else:
            done = (
                f"While the crank turns {turn:.1f} deg, the rocker is at most {np.degrees(self.error):.3g} deg away "
                "from the function."
            )
        return "\n".join(
            [
                *words,
                *(self.defects or (done,)),
                *([] if np.isnan(least) else [f"The transmission angle is at least {least:.1f} deg{warning}."]),
                f"Lengths: {lengths}; the longest is {self.proportion:.3g} times the shortest.",
                *(["It is a cognate: another four-bar draws the same curve."] if self.cognate else []),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as plain data, in m and rad."""
        return {
            "kind": self.kind, "point": self.point, "error": self.error, "rms": self.rms,
            "transmission": _known(self.transmission), "proportion": self.proportion, "extent": self.extent,
            "lengths": dict(self.lengths), "turns": self.turns.tolist(), "cognate": self.cognate,
            "defects": list(self.defects), "unit": self.unit,
            "explanation": self.explain(),
        }  # fmt: skip

    def plot(self) -> Figure:
        """Draw the mechanism at the first point with the path of the tracer and the given points."""
        from structkin.show import draw_schematic

        trace = [self.point] if self.unit == "m" else []
        figure = draw_schematic(self.mechanism, motion=self.mechanism.solve(), trace=trace)
        if self.unit == "m":
            x, y = self.points.T / self.mechanism.units.length_scale
            figure.axes[0].plot(x, y, "x", color="black", markersize=4, zorder=10)
        return figure


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """A sequence of candidates, the best first; a slice is one, too. `notes` say what was not found, and why.

    They are in the order of `rms`, those with less than 1e-9 of the path's size in that of their transmission angles.
    """

    found: tuple[Candidate, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show the number and the best."""
        return f"<Candidates: {len(self)}{f', the best {self.found[0]!r}' if self.found else ''}>"

    def __len__(self) -> int:
        """Return their number."""
        return len(self.found)

    def __iter__(self) -> Iterator[Candidate]:
        """Yield the candidates."""
        return iter(self.found)

    @overload
    def __getitem__(self, index: int) -> Candidate: ...

    @overload
    def __getitem__(self, index: slice) -> Candidates: ...

    def __getitem__(self, index: int | slice) -> Candidate | Candidates:
        """Return one, or some."""
        return replace(self, found=self.found[index]) if isinstance(index, slice) else self.found[index]

    def where(self, test: Callable[[Candidate], Any]) -> Candidates:
        """Return those that pass a test, such as `lambda c: c.transmission > 0.6 and c.proportion < 5`."""
        return replace(self, found=tuple(one for one in self.found if test(one)))

    def sorted(self, by: Literal["error", "rms", "transmission", "proportion", "extent"]) -> Candidates:
        """Return them in the order of a measure, the best first: the largest transmission angle, or the least."""
        sign = 1 if MEASURES[by] else -1

        def rank(one: Candidate) -> float:
            known = _known(getattr(one, by))
            return np.inf if known is None else sign * known

        return replace(self, found=tuple(sorted(self.found, key=rank)))

    def explain(self) -> str:
        """Return the notes and the explanation of each candidate."""
        return "\n\n".join([*self.notes, *(f"{k}. {one.explain()}" for k, one in enumerate(self.found, 1))])

    def save(self, folder: str | Path, *, unit: str = "m") -> tuple[Path, ...]:
        """Write a mechanism file and a picture of each candidate, 01.toml, 01.png and so on, and candidates.csv.

        `unit` is the unit of length of the files. Returns what was written; raises `InputError` for an unknown unit and
        for a folder that cannot be written.
        """
        from structkin.show.files import save_figure, write_table

        folder = Path(folder)
        if unit not in FILE_UNITS["length"]:
            known = ", ".join(FILE_UNITS["length"])
            raise InputError([Problem("unit", f"'{unit}' is not a unit of length", f"known: {known}")], "save")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            message = f"{folder}: {getattr(error, 'strerror', None) or error}"
            problem = Problem("folder", message, "name a folder that can be created")
            raise InputError([problem], "save") from None
        written = []
        for k, one in enumerate(self.found, 1):
            own = replace(one, mechanism=in_unit(one.mechanism, unit))
            own.mechanism.save(folder / f"{k:02d}.toml")
            save_figure(own.plot(), folder / f"{k:02d}.png")
            written += [folder / f"{k:02d}.toml", folder / f"{k:02d}.png"]
        angular, scale = any(one.unit == "rad" for one in self.found), Units(length=unit).length_scale
        wrong, size = ("deg", np.pi / 180) if angular else (unit, scale)
        heads = ("number", "kind", f"error [{wrong}]", f"rms [{wrong}]", "transmission angle [deg]", "proportion",
                 f"extent [{unit}]", "cognate", "defects")  # fmt: skip
        rows = [
            (k, one.kind, one.error / size, one.rms / size, _known(np.degrees(one.transmission)), one.proportion,
             one.extent / scale, one.cognate, "; ".join(one.defects))
            for k, one in enumerate(self.found, 1)
        ]  # fmt: skip
        write_table(folder / "candidates.csv", heads, rows)
        return (*written, folder / "candidates.csv")


def _known(value: float) -> float | None:
    """Return a number; None for that of a motion that cannot be followed, which is NaN."""
    return None if np.isnan(value) else float(value)


def in_unit(mechanism: Mechanism, unit: str) -> Mechanism:
    """Return a mechanism of points in metres with its file in another unit of length."""
    data, scale = mechanism.source_dict, Units(length=unit).length_scale
    data["units"] = {**data.get("units", {}), "length": unit}
    data["points"] = {name: [x / scale for x in place] for name, place in data["points"].items()}
    return Mechanism.from_dict(data)


# --- linkages with a name ---------------------------------------------------------------------------------------------

#: The links with the pins E and G.
SIX_BARS = {
    "Watt I": ("coupler", "rocker"),
    "Watt II": ("rocker", "ground"),
    "Stephenson I": ("crank", "rocker"),
    "Stephenson III": ("coupler", "ground"),
}
GEARED = "geared five-bar"
NAMED = (*SIX_BARS, GEARED)


@cache
def named(kind: str) -> AnyLinkage:
    """Return a six-bar, or the five-bar whose cranks have equal gears; its drawing only shows the topology."""
    points = {"A": (0.0, 0.0), "B": (1.0, 0.5), "C": (3.0, 2.0), "D": (4.0, 0.0)}
    drivers = {"motor": {"joint": "A", "speed": 1.0}}
    if kind == GEARED:
        links = {"ground": ["A", "D"], "left": ["A", "B"], "right": ["D", "C"], "rod": ["B", "P"], "other": ["P", "C"]}
        mesh = {"type": "gear", "links": ["left", "right"], "ratio": -1.0}
        points["P"] = (2.0, 4.0)
        return AnyLinkage(Mechanism(kind, points=points, links=links, joints={"mesh": mesh}, drivers=drivers), "P")
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]}
    for pin, link in zip("EG", SIX_BARS[kind], strict=True):
        links[link].append(pin)
    points |= {"E": (2.0, 3.5), "F": (4.0, 5.0), "G": (5.0, 2.0), "P": (3.0, 6.0)}
    links |= {"link": ["E", "F", "P"], "output": ["F", "G"]}
    return AnyLinkage(Mechanism(kind, points=points, links=links, drivers=drivers), "P")
