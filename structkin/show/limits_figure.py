"""Reachable intervals of drivers and branches of circuits, as bars and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from structkin.branches.circuits import Circuits
from structkin.branches.limits import Interval, Limit, Limits
from structkin.branches.limits.result import driver_size, driver_unit
from structkin.errors import InputError, Problem
from structkin.numerical_tolerances import ROUNDING, SAME_SOLVED, VISIBLE, WHOLE
from structkin.rows.periodic import TURN
from structkin.show.letters import legible
from structkin.show.quantities import pretty
from structkin.show.style import DRIVER, NORMAL, SMALL, group_colour, new_figure, plain, tint
from structkin.show.terminal import text_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

    from structkin.model.mechanism import Mechanism

#: Width of a label as a fraction of the range, and the height of a row of labels.
LABEL, RISE = 0.14, 0.75

#: Colours of ends, and of change points, which the motion passes.
END, PASSED = "#B2182B", "#333333"


def limits_table(found: Sequence[Limits]) -> Table:
    """Return a table of the range of each driver and what ends it."""
    mechanism = found[0].mechanism
    lines = [f"passes a change point at {item.words(point.value)}: {item.place(point)}"
             for item in found for point in item.change_points]  # fmt: skip
    lines += [f"{item.driver}: {item.failure}" for item in found if item.failure]
    rows = []
    for item in found:
        ends = [end for end in (item.lower, item.upper) if end is not None]
        low, high = (item.words(end.value) if end else "" for end in (item.lower, item.upper))
        why = _reasons(item)
        if item.failure:
            low = high = "-"
        elif not ends:
            low, why = "turns fully", []
        rows.append((item.driver, low, high, "\n".join(why), "\n".join(_span(item, part) for part in item.intervals)))
    title = f"{mechanism.title or 'Mechanism'}: how far do the drivers go?"
    heads = ("driver", "from", "to", "what ends it", "in these assembly modes")
    return text_table(title, "\n".join(lines), heads, rows, figures=("from", "to"))


def _reasons(item: Limits) -> list[str]:
    """Return what ends the motion, one line for each end."""
    places = {name: item.place(end) for name, end in (("from", item.lower), ("to", item.upper)) if end is not None}
    if len(places) == 2 and places["from"] == places["to"]:
        return [f"both: {places['to']}"]
    return [f"{name}: {place}" for name, place in places.items()]


def _span(item: Limits, interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        turns = "full turn" if interval.turns == 1 else f"{interval.turns} full turns"
        return turns if interval.is_full_turn else "open"
    return f"{item.words(interval.low.value)} to {item.words(interval.high.value)}"


@legible
def draw_limits(*found: Limits) -> Figure:
    """Draw the reachable intervals of each driver as bars, the sketch's interval dark, with what ends them.

    Raises `InputError` where there are none.
    """
    if not found:
        raise InputError([Problem("found", "there are no limits to draw", "give those of a driver, m.limits()")])
    figure, heights = new_figure(7.5, 0.0), []
    axes = figure.subplots(len(found), 1, squeeze=False)[:, 0]
    for at, item in zip(axes, found, strict=True):
        scale = driver_size(item.mechanism, item.driver)
        low, high = _frame_of(at, item.mechanism, item.driver, item.intervals)
        for part in item.intervals:
            own = _holds(item, part, low, high)
            for a, b in _pieces(part, low, high):
                colour = group_colour(0) if own else tint(group_colour(0), 0.45)
                at.barh(0, (b - a) / scale, left=a / scale, height=0.5, color=colour)
        levels = _mark_all(at, _unique(item), low, high, scale)
        start = _within(item.start, low, high)
        at.plot([start / scale], [0], "o", color="white", mec=DRIVER, mew=1.8, ms=7, zorder=4)
        at.set_title(plain(item.report.splitlines()[0]), loc="left", fontsize=NORMAL)
        at.set_yticks([])
        heights.append(1.7 + RISE * (levels - 1))
        at.set_ylim(-0.45, heights[-1] - 0.45)
        at.set_xlabel(f"{at.get_xlabel()}; circle: the sketch", fontsize=SMALL)
    axes[0].get_gridspec().set_height_ratios(heights)
    figure.set_figheight(0.4 + 0.75 * len(found) + 0.35 * sum(heights))
    return figure


@legible
def draw_circuits(found: Circuits) -> Figure:
    """Draw every branch as a bar over the driver's range, coloured by circuit; lines join ends that meet.

    Lines that would lie on each other, as where two pairs of branches meet at one value, are drawn side by side.
    """
    from matplotlib.transforms import offset_copy

    figure = new_figure(7.5, 1.2 + 0.32 * len(found.branches))
    at = figure.subplots()
    scale = driver_size(found.mechanism, found.driver)
    low, high = _frame_of(at, found.mechanism, found.driver, [branch.interval for branch in found.branches])
    order = [k for circuit in range(len(found)) for k in found.circuit(circuit)]
    place = {k: row for row, k in enumerate(order)}
    for k, branch in enumerate(found.branches):
        for a, b in _pieces(branch.interval, low, high):
            at.barh(place[k], (b - a) / scale, left=a / scale, height=0.6, color=group_colour(branch.circuit))
    drawn: list[tuple[float, list[int], int]] = []
    for point in found.branch_points:
        value, rows = _within(point.limit.value, low, high), [place[k] for k in point.branches]
        beside = [
            shift for other, taken, shift in drawn
            if abs(other - value) <= VISIBLE * (high - low) and max(min(taken), min(rows)) < min(max(taken), max(rows))
        ]  # fmt: skip
        shift = next(k for k in range(len(beside) + 1) if k not in beside)
        drawn.append((value, rows, shift))
        moved = offset_copy(at.transData, figure, x=5 * shift, units="points")
        style = ":" if point.limit.change_point else "-"
        at.plot(
            [value / scale] * len(rows), rows, style, color=END, lw=1.6, marker="o", ms=3, zorder=3, transform=moved
        )
    names = {k: found.words(k).partition("; ")[2] or f"branch {k + 1}" for k in order}
    labels = [f"{names[k]}{' *' if k == found.home else ''}" for k in order]
    at.set_yticks(range(len(order)), [plain(label) for label in labels], fontsize=SMALL)
    at.invert_yaxis()
    star = "; * the branch of the sketch" if found.home is not None else ""
    at.set_title(plain(f"{found.report.splitlines()[0]}{star}"), loc="left", fontsize=NORMAL)
    return figure


def _turns(mechanism: Mechanism, driver: str) -> bool:
    return mechanism.drivers[driver].kind == "angle"


def _frame_of(at: Axes, mechanism: Mechanism, driver: str, intervals: Sequence[Interval]) -> tuple[float, float]:
    """Set up the axis of a driver; return its range in SI."""
    scale, unit = driver_size(mechanism, driver), pretty(driver_unit(mechanism, driver))
    if _turns(mechanism, driver):
        turns = max((part.turns for part in intervals), default=1)
        low, high = 0.0, TURN * turns
        # About a dozen ticks: every 30 degrees, or tenth of a turn, over one turn; or whole radians.
        if unit in ("deg", "rev"):
            step = TURN / (12 if unit == "deg" else 10) if turns == 1 else TURN / 4 * math.ceil(turns / 3)
        else:
            step = math.ceil(high / 12)
        at.set_xticks([k * step / scale for k in range(math.floor(high / step + WHOLE) + 1)])
    else:
        ends = [end.value for part in intervals for end in (part.low, part.high) if end is not None]
        low, high = (min(ends), max(ends)) if ends else (mechanism.drivers[driver].start,) * 2
    room = 0.04 * (high - low) or 1.0
    at.set_xlim((low - room) / scale, (high + room) / scale)
    at.set_xlabel(plain(f"{driver} [{unit}]"), fontsize=SMALL)
    at.tick_params(labelsize=SMALL)
    at.spines[["top", "right", "left"]].set_visible(False)
    return low, high


def _pieces(part: Interval, low: float, high: float) -> list[tuple[float, float]]:
    """Return an interval, cut where a full turn ends."""
    if part.low is None or part.high is None:
        return [(low, high)]
    a, b = part.low.value, part.high.value
    period = _period(low, high)
    if period is None:
        return [(a, b)]
    shift = period * math.floor((a - low) / period)
    a, b = a - shift, b - shift
    return [(a, b)] if b <= high + ROUNDING * abs(high) else [(a, high), (low, min(b - period, high))]


def _within(value: float, low: float, high: float) -> float:
    period = _period(low, high)
    return low + (value - low) % period if period else value


def _period(low: float, high: float) -> float | None:
    """Return the length of an axis of whole turns, which wraps around; None for any other axis."""
    turns = high / TURN
    return high if low == 0.0 and high > 0.0 and abs(turns - round(turns)) < ROUNDING else None


def _holds(item: Limits, part: Interval, low: float, high: float) -> bool:
    start = _within(item.start, low, high)
    return any(a - SAME_SOLVED <= start <= b + SAME_SOLVED for a, b in _pieces(part, low, high)) and not item.failure


def _unique(item: Limits) -> list[Limit]:
    points: dict[float, Limit] = {}
    for part in item.intervals:
        for end in (part.low, part.high):
            if end is not None and end.kind != "range":
                key = end.value % (TURN * part.turns) if _turns(item.mechanism, item.driver) else end.value
                points.setdefault(round(key, 9), end)
    return list(points.values())


def _mark_all(at: Any, limits: Sequence[Limit], low: float, high: float, scale: float) -> int:
    """Draw ends and change points with their values and kinds; labels that would overlap are stacked."""
    taken: list[float] = []
    for limit in sorted(limits, key=lambda limit: _within(limit.value, low, high)):
        part = (_within(limit.value, low, high) - low) / (high - low)
        # Labels near the ends are aligned inwards.
        left = part - (0.0 if part < 0.1 else LABEL if part > 0.9 else 0.5 * LABEL)
        level = next((k for k, right in enumerate(taken) if right <= left), len(taken))
        taken[level : level + 1] = [left + LABEL]
        _mark(at, limit, (low + part * (high - low)) / scale, part, 0.42 + RISE * level)
    return max(len(taken), 1)


def _mark(at: Any, limit: Limit, x: float, part: float, height: float) -> None:
    colour = PASSED if limit.change_point else END
    at.plot([x, x], [-0.3, height - 0.06], color=colour, lw=2, ls=":" if limit.change_point else "-", zorder=3)
    words = f"{x:.5g}\n{'change point' if limit.change_point else limit.kind}"
    side = "right" if part > 0.9 else "left" if part < 0.1 else "center"
    at.annotate(words, (x, height), ha=side, va="bottom", fontsize=SMALL, color=colour)
