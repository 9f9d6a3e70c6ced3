"""Measured data beside a motion: how far a mechanism that was built moves as its model says.

A table holds time, or the value of the driver, and measured quantities: a video tracker exports x and y of marked
points. The model is solved at exactly these times or driver values, so that nothing is interpolated. Only the search
for the lag, the shift along the time or the driver that fits best, uses a spline through a dense motion.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.checked import checked
from structkin.errors import Problem, raise_problems
from structkin.joints.sliding import Sliding
from structkin.model.flaw import Flaw, short
from structkin.model.mechanism import GROUND
from structkin.model.tables import Column, lines_above, read_table, titles_of
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.numerical_tolerances import VISIBLE
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.model.mechanism import Mechanism
    from structkin.solve.motion import Motion

#: The largest lag that is looked for, as a part of the measured range, and the samples and shifts of the search.
REACH, DENSE, SHIFTS = 0.25, 2001, 401

#: Fewer samples than this tell no lag, and one that explains them leaves at most this part of their variance.
FEWEST, LEFT = 5, 0.25


@checked
@dataclass(frozen=True)
class MeasuredColumn:
    """One measured quantity, such as "P.x": measured and modelled values (n,), in m or rad.

    `residual` (n,) is measured minus model, of an angle within half a turn; NaN where the model has no pose.
    """

    name: str
    kind: str
    measured: Floats
    model: Floats
    residual: Floats

    @property
    def rms(self) -> float:
        """Root mean square of the residual [m or rad]; NaN if no sample has a pose."""
        found = self.residual[np.isfinite(self.residual)]
        return float(np.sqrt(np.mean(found**2))) if len(found) else math.nan

    @property
    def largest(self) -> float:
        """Largest residual [m or rad], without its sign; NaN if no sample has a pose."""
        found = self.residual[np.isfinite(self.residual)]
        return float(np.abs(found).max()) if len(found) else math.nan


@checked
@dataclass(frozen=True)
class MeasuredComparison:
    """Measured data beside a motion of the model, as `Mechanism.compare_measured` returns it.

    `x` (n,) are times [s] if `x_kind` is "time", or values of the driver `against` [rad or m], by "angle" or "length".
    `lag`, in the unit of `x`, is by how much the measured motion comes later than that of the model, measured(x) =
    model(x - lag) + offset with an offset for each quantity, such as the error of a sensor's zero, and `remaining` the
    root mean square of each residual at this lag, the offset among it. If no lag explains the data, it is NaN,
    `remaining` is empty, and `no_lag` says why. `left_out` has the titles of the columns that are not compared.
    """

    title: str
    units: Units
    against: str
    x_kind: str
    x: Floats
    columns: tuple[MeasuredColumn, ...]
    lag: float
    remaining: Mapping[str, float]
    no_lag: str = ""
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show the counts."""
        return f"<MeasuredComparison: {len(self.columns)} quantities at {len(self.x)} samples>"

    @property
    def missing(self) -> int:
        """The number of samples at which the model has no pose."""
        return int(np.isnan(self.columns[0].residual).sum())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data in the file's units, times in s; None for what is not known."""

        def plain(values: Any, kind: str) -> list[float | None]:
            scaled = np.atleast_1d(values) / self.units.scale(kind)
            return [float(value) if math.isfinite(value) else None for value in scaled]

        return {
            "title": self.title,
            "against": self.against,
            "x": plain(self.x, self.x_kind),
            "missing": self.missing,
            "lag": plain(self.lag, self.x_kind)[0],
            "no_lag": self.no_lag or None,
            "left_out": list(self.left_out),
            "quantities": [
                {
                    "name": one.name,
                    **{part: plain(getattr(one, part), one.kind) for part in ("measured", "model", "residual")},
                    **{part: plain(getattr(one, part), one.kind)[0] for part in ("rms", "largest")},
                    "rms_without_lag": plain(self.remaining.get(one.name, math.nan), one.kind)[0],
                }
                for one in self.columns
            ],
        }

    def plot(self) -> Figure:
        """Draw the measured values over those of the model, and the residuals below."""
        from structkin.show import plot_measured

        return plot_measured(self)


def compare_measured(
    mechanism: Mechanism, path: Path, columns: Mapping[str, Column] | None, budget: float | None
) -> MeasuredComparison:
    """Read measured data and compare; see `Mechanism.compare_measured`."""
    known = _quantities(mechanism)
    column, against = _chosen(mechanism, path, columns, known)
    kind = "time" if against == "t" else mechanism.drivers[against].quantity
    read: dict[str, Floats] = {}
    problems = []
    for name in column:
        if name == against:
            continue
        try:
            pair = read_table(str(path), None, (column[against], column[name]), (kind, known[name][0]), mechanism.units)
        except Flaw as flaw:
            problems += flaw.problems(name)
            continue
        x, read[name] = np.array(pair).T
    raise_problems(problems, str(path))
    x = x * mechanism.units.scale(kind)
    motion = _motion(mechanism, against, x, budget)
    found = []
    for name, values in read.items():
        quantity, of = known[name]
        measured = values * mechanism.units.scale(quantity)
        model = np.where(motion.ok, of(motion), np.nan)
        found.append(MeasuredColumn(name, quantity, measured, model, _apart(measured - model, quantity)))
    said = mechanism.title, mechanism.units, against, kind, x, tuple(found)
    left_out = _left_out(path, column)
    try:
        return MeasuredComparison(*said, *_lag(mechanism, against, x, found, known, budget), left_out=left_out)
    except Flaw as flaw:
        return MeasuredComparison(*said, math.nan, {}, str(flaw), left_out)


#: The kind of a quantity, and what gives its values (n,) [m or rad] from a motion.
Quantity = tuple[str, Callable[["Motion"], Floats]]


def _quantities(m: Mechanism) -> dict[str, Quantity]:
    """Return what may be measured: x and y of points, angles of links, travels of joints that slide."""
    held = dict.fromkeys(point for link in m.links.values() for point in link.local)
    found = {f"{point}.{'xy'[k]}": _coordinate(point, k) for point in held for k in range(2)}
    found |= {f"{link}.angle": _angle(link) for link in m.topology.moving_links}
    sliding = m.joints.of(Sliding)
    slides = [joint.id for joint in m.topology.joints if joint.kind in "PS"]
    return found | {f"{id}.travel": _travel(id, sliding[id].measure) for id in slides}


def _coordinate(point: str, k: int) -> Quantity:
    return "length", lambda motion: motion.position(point)[:, k]


def _angle(link: str) -> Quantity:
    return "angle", lambda motion: motion.angle(link)


def _travel(joint: str, measure: str) -> Quantity:
    return measure, lambda motion: motion.travel(joint)


def _chosen(
    m: Mechanism, path: Path, columns: Mapping[str, Column] | None, known: Mapping[str, Quantity]
) -> tuple[dict[str, Column], str]:
    """Return the column of each quantity and of what they are measured against, and the name of the latter.

    Titles that are names need not be given; those that are `given` come first. A number that is no title is the number
    of a column, from 1.
    """
    given = {name: str(column) for name, column in (columns or {}).items()}
    try:
        titles = titles_of(path)
    except Flaw as flaw:
        raise flaw.error(str(path)) from None
    named = {
        re.sub(r"[\[(][^\[\]()]*[\])]$", "", title).rstrip(): title for title in titles if title not in given.values()
    }
    wanted = {name: title for name, title in named.items() if name in known or name == "t" or name in m.drivers}
    wanted |= {name.removesuffix(".value"): title for name, title in named.items()
               if name.endswith(".value") and name.removesuffix(".value") in m.drivers}  # fmt: skip
    if "t" in given or not m.drivers.keys().isdisjoint(given):
        wanted = {name: title for name, title in wanted.items() if name != "t" and name not in m.drivers}
    elif "t" in wanted:
        wanted = {name: title for name, title in wanted.items() if name not in m.drivers}
    wanted |= given
    others = [title for title in titles if title not in wanted.values()]
    problems = [
        Problem(name, "is no quantity of the mechanism", suggest(name, ["t", *m.drivers, *known]))
        for name in wanted
        if name not in known and name != "t" and name not in m.drivers
    ]
    problems += [
        Problem(name, f"no line of '{path}' has the title '{short(title)}'", suggest(title, titles))
        for name, title in wanted.items()
        if title not in titles and not (title.isdecimal() and int(title))
    ]
    against = [name for name in wanted if name == "t" or name in m.drivers]
    if len(against) != 1 and not problems:
        what = "has no column" if not against else f"has the columns {', '.join(against)}"
        hint = _named(["t", *m.drivers], others)
        problems.append(Problem("", f"{what} that the others are measured against", hint))
    if len(wanted) == len(against) and not problems:
        ground = m.links[GROUND].local
        hint = _named(sorted(known, key=lambda name: name[:-2] in ground), others)
        problems.append(Problem("", "no column is a quantity of the mechanism", hint))
    if against and against[0] != "t" and len(m.drivers) > 1:
        problems.append(Problem(against[0], "is one of several drivers", "measure against time: t"))
    raise_problems(problems, str(path))
    return {name: title if title in titles else int(title) for name, title in wanted.items()}, against[0]


def _left_out(path: Path, chosen: Mapping[str, Column]) -> tuple[str, ...]:
    """Return the other titles in the line of those chosen; none where a column is chosen by its number."""
    taken = set(chosen.values())
    line = next((cells for cells in lines_above(path) if taken <= {*cells}), [])
    return tuple(title for title in line if title not in taken)


def _named(names: Sequence[str], titles: Sequence[str]) -> str:
    """Return how a column is named, from the command line and from Python."""
    name, title = names[0], next(iter(titles), "x1")
    shown, others = (", ".join(all_[:most]) + (", ..." if len(all_) > most else "")
                     for all_, most in ((names, 3), ([*map(repr, titles)], 12)))  # fmt: skip
    return (
        f"name one of {shown}; other titles in the file are {others or 'none'}: "
        f"say which is meant, such as --column {shlex.quote(f'{name}={title}')}, or in Python "
        f"columns={{{name!r}: {title!r}}}"
    )


def _motion(m: Mechanism, against: str, x: Floats, budget: float | None) -> Motion:
    if against == "t":
        return m.solve(t=x, budget=budget)
    return m.solve(drivers={against: x}, budget=budget)


def _apart(difference: Floats, kind: str) -> Floats:
    """Return differences; those of angles within half a turn."""
    return np.remainder(difference + math.pi, 2 * math.pi) - math.pi if kind == "angle" else difference


def _about_mean(values: Floats, kind: str) -> Floats:
    """Return values less their mean; those of angles, on the circle."""
    mean = np.angle(np.mean(np.exp(1j * values))) if kind == "angle" else np.mean(values)
    return _apart(values - mean, kind)


def _lag(
    m: Mechanism, against: str, x: Floats, columns: Sequence[MeasuredColumn], known: Mapping[str, Quantity],
    budget: float | None,
) -> tuple[float, dict[str, float]]:  # fmt: skip
    """Return the shift along x at which the squares of all residuals, each by its range, are least, and their RMS.

    Squares are about the mean of each residual: a constant offset would otherwise be taken for a shift. Raises `Flaw`
    if no shift explains the data: if the least squares lie at the end of the search, or are not much less than those
    of the measured values about their means; or if all do, as where a wheel turns at constant speed.
    """
    from scipy.interpolate import CubicSpline
    from scipy.optimize import minimize_scalar

    low, high = float(x.min()), float(x.max())
    reach = REACH * (high - low)
    if len(x) < FEWEST or reach == 0:
        raise Flaw(f"fewer than {FEWEST} samples tell no lag")
    grid = np.linspace(low - reach, high + reach, DENSE)
    dense = _motion(m, against, grid, budget)
    sound = np.flatnonzero(dense.ok)
    runs = np.split(sound, np.flatnonzero(np.diff(sound) > 1) + 1)
    run = max(runs, key=len)
    splines = []
    for one in columns if len(run) >= 4 else ():
        values = known[one.name][1](dense)[run]
        splines.append(CubicSpline(grid[run], np.unwrap(values) if one.kind == "angle" else values, extrapolate=False))

    def residuals(lag: float) -> list[Floats]:
        return [_apart(one.measured - f(x - lag), one.kind) for one, f in zip(columns, splines, strict=True)]

    def squares(parts: Sequence[Floats]) -> float:
        total = 0.0
        for one, apart in zip(columns, parts, strict=True):
            there = apart[np.isfinite(apart)]
            if 2 * len(there) < len(x):
                return math.inf
            total += float(np.mean(_about_mean(there, one.kind) ** 2)) / (float(np.ptp(one.measured)) or 1.0) ** 2
        return total

    def badness(lag: float) -> float:
        return squares(residuals(lag))

    shifts = sorted(np.linspace(-reach, reach, SHIFTS), key=abs)
    found = [badness(shift) for shift in shifts] if splines else [math.inf]
    best, least = shifts[int(np.argmin(found))], min(found)
    if not math.isfinite(least):
        raise Flaw("the model has too few poses to look for a lag")
    scatter = squares([one.measured for one in columns])
    if least <= LEFT * scatter and max(filter(math.isfinite, found)) <= 2 * max(least, VISIBLE**2 * scatter):
        raise Flaw(
            "a lag and a constant offset cannot be told apart in these data",
            "measure a quantity whose rate changes, such as x of a point",
        )
    step = 2 * reach / (SHIFTS - 1)
    if abs(best) + step > reach or not math.isfinite(badness(best - step) + badness(best + step)):
        kind = "time" if against == "t" else m.drivers[against].quantity
        unit = "s" if kind == "time" else getattr(m.units, kind)
        ends = f"{reach / m.units.scale(kind):.4g} {unit} to each side"
        raise Flaw(
            f"no lag explains the data: the residuals are least at the end of the search, {ends}",
            "measure over a longer range, or correct a known lag in the table",
        )
    lag = float(minimize_scalar(badness, bounds=(best - step, best + step), options={"xatol": VISIBLE * step}).x)
    if badness(lag) > LEFT * scatter:
        raise Flaw("no lag explains the data: none makes the residuals much smaller than the data scatter")
    left = zip(columns, residuals(lag), strict=True)
    return lag, {one.name: float(np.sqrt(np.nanmean(apart**2))) for one, apart in left}
