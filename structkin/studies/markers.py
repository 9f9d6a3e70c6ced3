"""Measured markers: read from a user's file, smoothed without lag, and divided into strides."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import Flaw, decimal_comma
from structkin.model.tables import SHEET, read_text
from structkin.model.topology import suggest
from structkin.types import Floats, Indices

#: Units of length that a file of markers may have [m].
LENGTHS: Mapping[str, float] = MappingProxyType({"m": 1.0, "cm": 0.01, "mm": 0.001})

#: Columns of a force plate: the force of the ground [N], and where it acts.
PLATE = ("force_x", "force_y", "cop_x")

#: Two passes of a second-order Butterworth filter have -3 dB at this fraction of its analogue cut-off.
TWO_PASSES = float(np.sqrt(2) - 1) ** 0.25


@dataclass(frozen=True)
class Markers:
    """Places (n, 2) [m] of markers by name, at evenly spaced times t (n,) [s]; x forward, y up.

    `force` (n, 2) [N] is that of the ground on the foot of the markers, and `moment` (n,) [N m] its moment about x = 0
    on the ground, both as a force plate measured them; None without.
    """

    t: Floats
    places: Mapping[str, Floats]
    force: Floats | None = None
    moment: Floats | None = None

    @property
    def rate(self) -> float:
        """Samples per second [Hz]."""
        return (len(self.t) - 1) / float(self.t[-1] - self.t[0])


def read_markers(
    path: str | Path,
    names: Sequence[str] | Callable[[Sequence[str]], Sequence[str]],
    unit: str = "m",
    beside: Sequence[str] = (),
) -> Markers:
    """Read markers from CSV: columns `t` or `t_s` [s], and `name_x`, `name_y` in `unit` for each name.

    The names may be a function of the columns. Markers that are named in `beside` may be there and are not read.
    A force plate adds `force_x`, `force_y` [N] and the centre of pressure `cop_x` in `unit`, which may be empty where
    there is no load. A column `frame` may number the samples; lines that begin with # are comments.

    Raises `InputError`, which lists every column that is missing or not understood, and says where a cell is not a
    number or the times are not evenly spaced.
    """
    source = str(path)
    if unit not in LENGTHS:
        raise InputError([Problem("unit", f"'{unit}' is unknown", suggest(unit, LENGTHS))], source)
    try:
        text = read_text(Path(path), remedy=SHEET)
    except Flaw as flaw:
        raise InputError([Problem("", flaw.message, flaw.hint)], source) from None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    reader = csv.DictReader(lines)
    head = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = head
    time = next((name for name in ("t", "t_s") if name in head), None)
    if callable(names):
        names = names(head)
    wanted, others = ([f"{name}_{axis}" for name in of for axis in "xy"] for of in (names, beside))
    problems = [Problem(one, "there is no such column", suggest(one, head)) for one in wanted if one not in head]
    plate = [one for one in PLATE if one in head]
    if plate:
        hint = f"a force plate gives {', '.join(PLATE)}"
        problems += [Problem(one, "there is no such column", hint) for one in PLATE if one not in head]
    used = {time, "frame", *wanted, *others, *PLATE}
    problems += [
        Problem(one or "column", "is not understood", f"known: t, frame, {', '.join([*wanted, *PLATE])}; leave it out")
        for one in head
        if one not in used
    ]
    if time is None:
        problems.insert(0, Problem("t", "there is no column of times", "name it t or t_s, in seconds"))
    if time is None or problems:
        raise InputError(problems, source)
    rows = list(reader)
    if plate:
        for row in rows:  # without load there is no centre of pressure
            if not (row["cop_x"] or "").strip() and (row["force_y"] or "").strip() in ("0", "0.0"):
                row["cop_x"] = "0"
    table = {one: _numbers(rows, one, problems) for one in (time, *wanted, *plate)}
    if not problems:
        problems += _uneven(table[time])
    raise_problems(problems, source)
    scale = LENGTHS[unit]
    places = {name: scale * np.column_stack((table[f"{name}_x"], table[f"{name}_y"])) for name in names}
    force = moment = None
    if plate:
        force = np.column_stack((table["force_x"], table["force_y"]))
        moment = scale * table["cop_x"] * table["force_y"]
    t = table[time]
    return Markers(np.linspace(t[0], t[-1], len(t)), MappingProxyType(places), force, moment)


def _numbers(rows: Sequence[Mapping[str, str]], column: str, problems: list[Problem]) -> Floats:
    found = np.full(len(rows), np.nan)
    for k, row in enumerate(rows):
        with suppress(TypeError, ValueError):  # a line may be short, or have text in a cell
            found[k] = float(row[column])
        if not np.isfinite(found[k]):
            hint = decimal_comma(str(row[column])) or "fill the gaps first, or cut the record"
            problems.append(Problem(f"{column}, sample {k + 1}", f"{row[column]!r} is not a number", hint))
            break
    return found


def _uneven(t: Floats) -> list[Problem]:
    if len(t) < 20:
        return [Problem("t", f"{len(t)} samples are too few", "a stride has some dozens")]
    steps = np.diff(t)
    mean = (t[-1] - t[0]) / (len(t) - 1)
    # Times are often rounded to a millisecond: they count as even within a tenth of the step.
    if not mean > 0 or np.max(np.abs(t - t[0] - mean * np.arange(len(t)))) > 0.1 * mean:
        worst = int(np.argmax(np.abs(steps - mean)))
        return [Problem("t", f"the times are not evenly spaced, see sample {worst + 2}", "resample the record")]
    return []


def low_pass(markers: Markers, cutoff: float = 6.0) -> Markers:
    """Return the markers low-passed at `cutoff` [Hz] by a Butterworth filter, run forwards and backwards for no lag.

    Measured forces are not filtered.

    Each pass is of second order, with its cut-off raised so that both together have -3 dB at `cutoff` (D. A. Winter,
    Biomechanics and Motor Control of Human Movement, 2009, sec. 3.4.4.2). Raises `InputError` for a cut-off that the
    sampling does not allow.
    """
    from scipy.signal import butter, sosfiltfilt

    rate = markers.rate
    if not 0 < cutoff < rate / 2:
        found = f"{cutoff:g} Hz is not between 0 and {rate / 2:.3g} Hz"
        raise InputError([Problem("cutoff", found, "the upper end is half the sampling rate")], "low_pass")
    corrected = rate / np.pi * np.arctan(np.tan(np.pi * cutoff / rate) / TWO_PASSES)
    filter_ = butter(2, corrected, fs=rate, output="sos")
    places = {name: np.asarray(sosfiltfilt(filter_, place, axis=0)) for name, place in markers.places.items()}
    return Markers(markers.t, MappingProxyType(places), markers.force, markers.moment)


@dataclass(frozen=True, slots=True)
class Strides:
    """Times [s] at which a foot touches the ground and leaves it, and the time from contact to contact."""

    contacts: tuple[float, ...]
    lifts: tuple[float, ...]
    period: float


def strides(markers: Markers, hip: str = "hip", heel: str = "ankle", toe: str = "mt5") -> Strides:
    """Find the strides of a foot from its place relative to the hip.

    It touches the ground where the heel is farthest in front of the hip, and leaves it where the toe is farthest behind
    (J. A. Zeni, J. G. Richards, J. S. Higginson, Gait & Posture 27 (2008) 710-714).
    Raises `InputError` if the record does not contain a whole stride.
    """
    from scipy.signal import argrelmax

    x = {name: markers.places[name][:, 0] for name in (hip, heel, toe)}
    apart = max(3, int(0.2 * markers.rate))
    contacts = _times(markers.t, argrelmax(x[heel] - x[hip], order=apart)[0], x[heel] - x[hip])
    lifts = _times(markers.t, argrelmax(x[hip] - x[toe], order=apart)[0], x[hip] - x[toe])
    gaps = [*np.diff(contacts), *np.diff(lifts)]
    if not gaps or not contacts or not lifts:
        hint = "the record needs a contact and a lift of the foot, one of them twice; x must point forward"
        raise InputError([Problem("t", "there is no whole stride", hint)], "strides")
    return Strides(contacts, lifts, float(np.mean(gaps)))


def _times(t: Floats, peaks: Indices, values: Floats) -> tuple[float, ...]:
    """Return the times of peaks, by the parabola through each and its neighbours."""
    found = []
    for k in peaks:
        before, here, after = values[k - 1 : k + 2]
        second = before - 2 * here + after
        found.append(float(t[k] + (0.5 * (before - after) / second if second else 0.0) * (t[1] - t[0])))
    return tuple(found)
