"""What a search for limits returns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from structkin.checked import checked
from structkin.model.mechanism import Mechanism
from structkin.model.units import decimal
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.solve.special_geometry import structure_of
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Significant digits of a driver's values in words.
DIGITS = 7


@dataclass(frozen=True, slots=True)
class Limit:
    """A place of a driver where an interval ends: its value [rad or m], the group that ends it, and why.

    `kind` is "stretched" or "folded" (an RRR group in line), "square" (a rod perpendicular to its guide), "no travel",
    "parallel" (guides), "no length" (of a driven distance), "singular" (a general group), "stroke" (the end of that of
    a joint or driver, which is `joint`), "uncertified" (nobody can tell from the lengths whether the group becomes flat
    and changes its mode), "range" (the end of the requested range, or of the search where none was given; then `group`
    is None) or "lost" (several groups are singular at once; `group` is None).
    `change_point`: the motion can continue; the group only passes through its flat pose there, from one assembly mode
    into the other. `pose` are the slots of the plan there (r,), which `Limits.sensitivity` needs.
    """

    value: float
    kind: str
    group: int | None
    why: str
    change_point: bool = False
    joint: str | None = None
    pose: Floats | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of the driver in which a mechanism can be assembled; without ends a full turn.

    `turns` is the number of turns of the driver after which all poses repeat: one, unless there are wheels.
    """

    low: Limit | None
    high: Limit | None
    turns: int = 1

    @property
    def is_full_turn(self) -> bool:
        """Whether the driver turns fully."""
        return self.low is None and self.high is None

    def nearest(self, start: float) -> Interval:
        """Return the interval of an angle shifted by whole turns, its middle as near as possible to `start`.

        If it holds `start`, its ends are those that are reached from there.

        >>> ends = [Limit(math.radians(z), "folded", 0, "") for z in (261, 459)]
        >>> [round(math.degrees(end.value)) for end in (lambda it: (it.low, it.high))(Interval(*ends).nearest(0.95))]
        [-99, 99]
        """
        if self.low is None or self.high is None:
            return self
        period = 2 * math.pi * self.turns
        shift = period * round((start - 0.5 * (self.low.value + self.high.value)) / period)
        low, high = (replace(end, value=end.value + shift) for end in (self.low, self.high))
        return replace(self, low=low, high=high)

    @property
    def width(self) -> float:
        """How far the driver moves [rad or m]; where it turns fully, the turns after which all poses repeat."""
        full = 2 * math.pi * self.turns
        return full if self.low is None or self.high is None else self.high.value - self.low.value


@checked
@dataclass(frozen=True)
class Limits:
    """The range of a driver from the sketch, in the sketch's assembly modes; see `Mechanism.limits`.

    `lower` and `upper` are where the motion from the sketch ends, downwards and upwards; None where it turns without
    end. Their values are counted from that of the sketch, `start` [rad or m]. `change_points` are passed in between.
    `intervals` are all intervals of the driver in which the mechanism closes in the modes of the sketch, within the
    turn (or turns) after which all poses repeat, each as near as possible to `start`; with a group that has no closed
    form only the one around the sketch. `failure` says why the motion cannot start, if so. `drivers` are the values
    [rad or m] that were given.
    """

    mechanism: Mechanism
    driver: str
    start: float
    lower: Limit | None
    upper: Limit | None
    change_points: tuple[Limit, ...]
    intervals: tuple[Interval, ...]
    failure: str = ""
    drivers: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        """Return the report's first line."""
        return f"<Limits: {self.report.splitlines()[0]}>"

    @property
    def turns_fully(self) -> bool:
        """Whether the driver can turn without end."""
        return not self.failure and self.lower is None and self.upper is None

    @property
    def width(self) -> float:
        """How far the driver moves from end to end [rad or m]; infinite where it turns fully, 0 if it cannot start."""
        if self.failure:
            return 0.0
        return math.inf if self.lower is None or self.upper is None else self.upper.value - self.lower.value

    def sensitivity(self, *, to: Sequence[str]) -> Floats:
        """Return the derivatives (2, p) of the lower and the upper limit by numbers of the mechanism file, in SI.

        The names are those of `Motion.sensitivity`. The derivatives are exact, from the pose of the limit, where its
        group is singular: dz/dp = -(w F_c dc/dp) / (w F_z), with w F_y = 0 (W. J. F. Govaerts, Numerical Methods for
        Bifurcations of Dynamical Equilibria, SIAM 2000, sec. 3.3). NaN where there is no limit, where it is the end of
        a given range or is not certified, where several groups are singular at once, and where poses run off to
        infinity. Raises `InputError` for names as `Motion.sensitivity` does.

        >>> import math
        >>> import structkin as sk
        >>> m = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (3, 0)},
        ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        ...     lengths={"B-C": 1.5, "C-D": 2.5}, drivers={"motor": {"joint": "A", "speed": 1}})
        >>> found = m.limits()  # stretched: 4 + 9 - 12 cos z = (1.5 + 2.5)^2
        >>> by = found.sensitivity(to=["lengths.B-C"])[1, 0]
        >>> math.isclose(by, 2 * 4 / (12 * math.sin(found.upper.value)))
        True
        """
        from structkin.branches.limits.by_dimensions import slopes

        return slopes(self, to)

    def words(self, value: float) -> str:
        """Return a value of the driver in the file's unit."""
        return driver_words(self.mechanism, self.driver, value)

    @property
    def report(self) -> str:
        """How far the driver moves and what stops it, in words."""
        return "\n".join(report_lines(self))

    def place(self, limit: Limit) -> str:
        """Return group and reason of a limit."""
        if limit.group is None:
            return limit.why
        return f"{self._names[limit.group]}: {limit.why}"

    def plot(self) -> Figure:
        """Return a figure of the intervals and of what ends them."""
        from structkin import show

        return show.draw_limits(self)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.limits_table([self]))

    @property
    def _names(self) -> list[str]:
        return [group.label for group in structure_of(self.mechanism).groups]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, values in the file's units."""
        size = driver_size(self.mechanism, self.driver)
        return {
            "driver": self.driver,
            "unit": driver_unit(self.mechanism, self.driver),
            "start": self.start / size,
            "turns_fully": self.turns_fully,
            "lower": _limit(self.lower, size),
            "upper": _limit(self.upper, size),
            "change_points": [_limit(point, size) for point in self.change_points],
            "intervals": [
                {"low": _limit(item.low, size), "high": _limit(item.high, size), "turns": item.turns}
                for item in self.intervals
            ],
            "failure": self.failure or None,
        }


def report_lines(found: Limits, digits: int = DIGITS) -> list[str]:
    """Return how far a driver moves and what stops it, in words, with values of so many digits."""

    def at(limit: Limit) -> str:
        return driver_words(found.mechanism, found.driver, limit.value, digits)

    if found.failure:
        return [f"{found.driver}: {found.failure}"]
    if found.turns_fully:
        lines = [f"{found.driver} turns fully"]
    else:
        lower, upper = (at(end) if end else "no limit" for end in (found.lower, found.upper))
        lines = [f"{found.driver} moves from {lower} to {upper}"]
    lines += [f"  stops at {at(end)}: {found.place(end)}" for end in (found.lower, found.upper) if end is not None]
    return [*lines, *(f"  passes a change point at {at(point)}: {found.place(point)}" for point in found.change_points)]


def _limit(limit: Limit | None, size: float) -> dict[str, Any] | None:
    if limit is None:
        return None
    return {
        "value": limit.value / size,
        "kind": limit.kind,
        "group": limit.group,
        "why": limit.why,
        "change_point": limit.change_point,
        "joint": limit.joint,
    }


def driver_unit(mechanism: Mechanism, driver: str) -> str:
    """Return the unit of a driver's coordinate in the file."""
    return str(mechanism.units.angle if mechanism.drivers[driver].kind == "angle" else mechanism.units.length)


def driver_size(mechanism: Mechanism, driver: str) -> float:
    """Return the size in SI of the unit of a driver's coordinate."""
    return mechanism.units.scale(mechanism.drivers[driver].quantity)


def driver_words(mechanism: Mechanism, driver: str, value: float, digits: int = DIGITS) -> str:
    """Return a value of a driver in the file's unit."""
    shown = value / driver_size(mechanism, driver)
    return f"{decimal(shown if abs(shown) > NEGLIGIBLE else 0.0, digits)} {driver_unit(mechanism, driver)}"
