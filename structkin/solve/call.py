"""The arguments of `solve`: its times and its drivers' values, checked, as a schedule.

A call that exceeds its budget is told the driver, its law, and what to do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import HINT, MOST_BYTES, TOGETHER, in_memory, too_large
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.numerical_tolerances import WHOLE
from structkin.solve.schedule import Schedule, known
from structkin.types import Floats


def law_words(mechanism: Mechanism, id: str, *, by_values: bool = False) -> str:
    """Return what moves a driver, as written in its file.

    >>> crank = Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...                   drivers={"motor": {"joint": "A", "law": "t**2"}})
    >>> law_words(crank, "motor")
    'its law "t**2"'
    """
    entry = mechanism.source_dict.get("drivers", {}).get(id, {})
    for name in () if by_values else ("law", "speed", "csv"):
        if name in entry:
            return f'its {name} "{entry[name]}"'
    return "its table" if "table" in entry and not by_values else "its input"


def too_far(schedule: Schedule, numbers: int, budget: float | None) -> Problem:
    """Return the problem to report where a schedule exceeds the budget; each pose takes this many `numbers`."""
    mechanism, added = schedule.mechanism, schedule.added
    distances = {id: distance if np.isfinite(distance := schedule.distance(id)) else np.inf for id in schedule.drivers}
    if not distances:
        return Problem("budget", "is spent before the mechanism is assembled", HINT)
    worst = max(distances, key=lambda id: distances[id])
    law, distance = law_words(mechanism, worst, by_values=worst in schedule.by_values), distances[worst]
    if budget is not None and added * numbers <= TOGETHER * budget:
        # A law may jump between the samples, or pass a pole.
        jumped = schedule.jumped
        distance = max(distance, jumped * schedule.step(worst) / schedule.unit(worst))
        added += jumped
    if budget is None or added * numbers <= TOGETHER * budget:
        message = f"with {law}, following the samples takes far more steps than usual, as it does near singular poses"
        return Problem(f"drivers.{worst}", message, f"try another range of time or values; {HINT}")
    far = (
        f"{distance / (2 * np.pi):.3g} turns"
        if mechanism.drivers[worst].kind == "angle"
        else f"{distance:.3g} times its size"
    )
    if not np.isfinite(distance):
        far = "infinitely far"
    memory = 24 * added * numbers / 2**30
    message = f"{law} moves it {far}, which takes {added:.3g} poses between the samples ({memory:.2g} GiB)"
    return Problem(f"drivers.{worst}", message, f"give a shorter range of time or values; {HINT}")


#: Default number of samples of a range: a degree apart over a turn, both ends included.
SAMPLES = 361


def make_schedule(
    mechanism: Mechanism,
    samples: Any,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: Any,
    numbers: int = 0,
) -> Schedule:
    """Return the schedule of a call of `solve`; `InputError` lists every problem.

    Each pose takes so many `numbers`, each with its rates; without them only the schedule has to fit into memory.
    """
    given, problems = _given_values(mechanism, drivers or {})
    laws = {id: drive.law for id, drive in mechanism.drivers.items() if id not in given}
    problems += [
        Problem(
            f"drivers.{id}",
            "has neither speed nor law, and no values were given",
            "add speed, law or table, or let `simulate` or `report --simulate SECONDS` move it freely; in Python, "
            "drivers={...} passes values",
        )
        for id, law in laws.items()
        if law is None
    ]
    numbers = max(numbers, 2 * len(mechanism.drivers) + 2)
    if samples is not None and size_of(samples, numbers) > MOST_BYTES:
        problems.append(too_many(samples, numbers))
    by_values = bool(given) and not any(laws.values())
    at_times = by_values or t is not None
    problems += range_problems(samples, None if at_times else duration)
    if at_times:
        where = "given times t" if t is not None else "drivers that are all given by values"
        problems += [
            Problem(name, f"cannot be combined with {where}", "leave it out")
            for name, value in (("samples", samples), ("duration", duration))
            if value is not None
        ]
    at = None if t is None else _real(np.atleast_1d(t) if np.ndim(t) == 0 else t)
    if t is not None and (at is None or not len(at) or not np.isfinite(at).all()):
        problems.append(Problem("t", "expected finite real times (n,) in seconds"))
    raise_problems(problems, mechanism.title)
    with in_memory(lambda: too_many(samples or SAMPLES, numbers), mechanism.title):
        times = _times(mechanism, samples, given, laws, duration) if at is None else np.array(at)
        if size_of(len(times), numbers) > MOST_BYTES:
            raise InputError([too_many(len(times), numbers)], mechanism.title)
        with np.errstate(all="ignore"):
            # Outside its domain a law has no value: that is a status of the sample.
            rows = {id: known(np.stack(law(times))) for id, law in laws.items() if law is not None}
        lengths = {len(times), *(z.shape[1] for z in given.values())}
        if len(lengths) > 1:
            found = ", ".join(f"{id}: {z.shape[1]}" for id, z in given.items())
            raise InputError(
                [Problem("drivers", f"lengths differ ({found}; t: {len(times)})", "give one value per sample")],
                mechanism.title,
            )
        values = {**rows, **given}
        drives = {id: values[id][:3] for id in mechanism.drivers}
        return Schedule(mechanism, times, drives, frozenset(given), {id: z[3] for id, z in given.items()})


def range_problems(samples: Any, duration: Any) -> list[Problem]:
    """Return what is wrong with a number of samples and a duration [s], each None if not given."""
    problems = []
    if samples is not None and samples < 1:
        problems.append(Problem("samples", f"{samples!r} is not a positive whole number"))
    if duration is not None and not (isinstance(duration, Real) and 0 < float(duration) < math.inf):
        problems.append(Problem("duration", f"{duration!r} is not a positive time"))
    return problems


def size_of(samples: int, numbers: int) -> float:
    """Return the memory [bytes] of poses of so many numbers, each with its rates."""
    return 24.0 * samples * numbers


def too_many(samples: int, numbers: int) -> Problem:
    """Return the problem with samples that do not fit into memory; each pose takes this many `numbers`."""
    return too_large("samples", f"{samples:,} samples", size_of(samples, numbers), "give fewer, or solve in parts")


def _given_values(mechanism: Mechanism, drivers: Mapping[str, Any]) -> tuple[dict[str, Floats], list[Problem]]:
    """Return the driver values passed by the caller as (4, n), rates that are not given as NaN."""
    given: dict[str, Floats] = {}
    problems: list[Problem] = []
    for id, values in drivers.items():
        key = f"drivers.{id}"
        if id not in mechanism.drivers:
            problems.append(Problem(key, "is not a driver of this mechanism", suggest(str(id), mechanism.drivers)))
            continue
        # A number alone is one pose. A tuple of so few numbers may mean one pose with its rates, or several poses.
        numbers = isinstance(values, tuple) and len(values) > 0 and all(isinstance(one, Real) for one in values)
        if numbers and 2 <= len(values) <= 4:
            message = f"a tuple of {len(values)} numbers may be values, or a value with its rates"
            problems.append(Problem(key, message, "write values as a list, rates as ([value], [rate])"))
            continue
        in_parts = isinstance(values, tuple) and not numbers
        parts: Sequence[Any] = values if in_parts else (np.atleast_1d(np.ma.asanyarray(values)),)
        arrays = [_real(part) for part in parts]
        good = [array for array in arrays if array is not None]
        if not good or len(good) < len(arrays) or len(arrays) > 4 or any(a.shape != good[0].shape for a in good):
            message = "expected real numbers (n,), or a tuple of values, rates, accelerations, jerks, each (n,)"
            problems.append(Problem(key, message))
        elif not len(good[0]):
            problems.append(Problem(key, "contains no values"))
        elif not np.isfinite(good[0]).all():
            problems.append(Problem(key, "contains values that are not finite"))
        else:
            given[id] = np.full((4, len(good[0])), np.nan)
            given[id][: len(good)] = good
    return given, problems


def _real(values: Any) -> Floats | None:
    """Return values as an array (n,), NaN where they are masked; None if they are not a row of real numbers."""
    try:
        array = np.ma.asanyarray(values)
        if array.dtype.kind not in "iuf" or array.ndim != 1:
            return None
        return np.asarray(array.astype(np.float64).filled(np.nan))
    except (TypeError, ValueError, OverflowError):
        return None


def _times(
    mechanism: Mechanism,
    samples: Any,
    given: Mapping[str, Floats],
    laws: Mapping[str, Any],
    duration: Any,
) -> Floats:
    if given and not laws:
        return np.full(next(iter(given.values())).shape[1], np.nan)
    if duration is None:
        duration = mechanism.duration
    start, end = default_range(mechanism) if duration is None else (0.0, float(duration))
    count = int(samples or 0) or (next(iter(given.values())).shape[1] if given else SAMPLES)
    return np.linspace(start, end, count) if count > 1 else np.array([start])


# --- the default time range ---------------------------------------------------------------------------------


def default_range(mechanism: Mechanism) -> tuple[float, float]:
    """Return the range of time [s] of one full cycle, or of the drivers' tables.

    One cycle is the common period of the drivers where all of them turn at commensurable speeds. `InputError` where
    there is no such range and the mechanism has no duration.
    """
    laws = {id: drive.law for id, drive in mechanism.drivers.items() if drive.law is not None}
    spans = [law.span for law in laws.values() if law.span is not None]
    if spans:
        start, end = max(span[0] for span in spans), min(span[1] for span in spans)
        if end > start:
            return start, end
        problem = Problem("drivers", "the tables of the drivers have no common time range", "let their times overlap")
        raise InputError([problem], mechanism.title)
    if not laws:
        return 0.0, 0.0
    speeds = [law.speed if mechanism.drivers[id].kind == "angle" else None for id, law in laws.items()]
    moving = [abs(speed) for speed in speeds if speed]
    if None in speeds or not moving:
        uneven = [id for id, speed in zip(laws, speeds, strict=True) if not speed]
        raise _no_range(mechanism, f"no full cycle is known: {_no_cycle(mechanism, uneven)}")
    period = common_period(mechanism)
    if period is None:
        raise _no_range(mechanism, "the drivers' speeds have no common period")
    if not math.isfinite(period):
        raise _no_range(mechanism, f"a full cycle at {min(moving):g} rad/s takes too long to be represented")
    return 0.0, period


def common_period(mechanism: Mechanism) -> float | None:
    """Return the time [s] after which all drivers have made whole turns; None where there is no such time.

    All of them turn at constant speeds, some of which may be zero; a length has to stand still.
    """
    laws = {id: drive.law for id, drive in mechanism.drivers.items()}
    speeds = [law.speed if law is not None else None for law in laws.values()]
    moving = [abs(speed) for speed in speeds if speed]
    lengths = [speed for id, speed in zip(laws, speeds, strict=True) if mechanism.drivers[id].kind != "angle"]
    if None in speeds or not moving or any(lengths):
        return None
    # Speeds w_i = p_i / q_i times the slowest; all repeat after lcm(q_i) turns of the slowest.
    slowest = min(moving)
    times = [speed / slowest for speed in moving if speed != slowest]
    ratios = [Fraction(one).limit_denominator(1000) for one in times]
    if any(abs(float(ratio) - one) > WHOLE * float(ratio) for ratio, one in zip(ratios, times, strict=True)):
        return None
    return 2 * math.pi / slowest * math.lcm(*(ratio.denominator for ratio in ratios))


def _no_cycle(mechanism: Mechanism, drivers: list[str]) -> str:
    """Return why these drivers have no cycle: they do not turn, or not evenly."""
    turning = [id for id in drivers if mechanism.drivers[id].kind == "angle"]
    along = [id for id in drivers if id not in turning]
    still = [id for id in turning if (law := mechanism.drivers[id].law) is not None and law.speed == 0]
    turning = [id for id in turning if id not in still]
    reasons = [f"{', '.join(still)} {'does' if len(still) == 1 else 'do'} not turn: the speed is 0"] if still else []
    if turning:
        one = len(turning) == 1
        reasons.append(f"{', '.join(turning)} {'does' if one else 'do'} not turn at a constant speed")
    if along:
        reasons.append(f"{', '.join(along)} {'drives a length' if len(along) == 1 else 'drive lengths'}, not a turn")
    return "; ".join(reasons)


def _no_range(mechanism: Mechanism, message: str) -> InputError:
    return InputError([Problem("duration", message, "give one, such as duration = 10 (in seconds)")], mechanism.title)
