"""Solving a mechanism for many sets of dimensions at once: the variants are lanes, as the samples are.

Their differences are checked first; errors are kept for each variant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import MOST_BYTES, TOGETHER, metered, new_meter, too_large
from structkin.errors import InputError, Problem, raise_problems, together
from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.sliding import Sliding
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kernels.choice import check_engine, choose
from structkin.kernels.kernel_plan import kernel_plan_of
from structkin.model.flaw import LARGEST, Flaw
from structkin.model.laws import ConstantSpeed
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import STILL, Number, drawn_places, number_of, own_value, with_numbers
from structkin.model.topology import suggest
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.call import make_schedule, too_far
from structkin.solve.compiled_run import over_blocks
from structkin.solve.engine import Lanes, drive_all, sweep
from structkin.solve.many.flat import LANES, passing_flat
from structkin.solve.many.kept import quantities, reduce
from structkin.solve.many.motions import Motions
from structkin.solve.many.path import Path, shifts
from structkin.solve.many.record import ManyPlan, record_many
from structkin.solve.many.together import Together
from structkin.solve.many.variants import Variants, VariantsDiffer
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan, structure_of
from structkin.types import Flags, Floats, Indices

# --- the differences between variants ------------------------------------------------------------------------------


@dataclass
class Differences:
    """Lengths and complex places [m] of all variants, other numbers (v,), and driver values (orders, v, n).

    `counts` are the numbers of variants, `problems` the errors of single ones, by their numbers. These variants have
    the mechanism's own values, so that arrays stay complete.
    """

    mechanism: Mechanism
    lengths: dict[frozenset[str], Variants] = field(default_factory=dict)
    places: dict[str, Variants] = field(default_factory=dict)
    rows: dict[str, Floats] = field(default_factory=dict)
    numbers: dict[Number, Floats] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    problems: dict[int, list[Problem]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of variants: all values have as many."""
        return next(iter(self.counts.values()))

    def faults_of(self, part: slice) -> dict[int, InputError]:
        """Return the errors of some variants, by their numbers."""
        title = self.mechanism.title
        return {k: InputError(found, title) for k, found in self.problems.items() if part.start <= k < part.stop}

    def drivers_of(self, k: int, drivers: Mapping[str, Any]) -> dict[str, Any]:
        """Return the driver values of a variant: its own row where there are rows."""
        return {id: tuple(self.rows[id][:, k]) if id in self.rows else given for id, given in drivers.items()}

    @property
    def speeds(self) -> dict[str, Floats]:
        """The speeds of drivers that differ (v,) [rad/s or m/s]."""
        return {str(number.path[1]): values for number, values in self.numbers.items() if number.is_speed}

    def variant(self, k: int) -> Mechanism:
        """Return the mechanism with the numbers of variant k; `InputError` where it cannot be built."""
        if k in self.problems:
            raise InputError(self.problems[k], self.mechanism.title)
        return self.built(k)

    def built(self, k: int) -> Mechanism:
        """Return the mechanism with the numbers of variant k, whether or not some were replaced."""
        values = {number: float(own[k]) for number, own in self.numbers.items()}
        for pair, length in self.lengths.items():
            values[number_of(self.mechanism, f"lengths.{'-'.join(sorted(pair))}")] = float(length.values[1 + k])
        for name, places in self.places.items():
            place = places.values[1 + k]
            for part, value in (("x", place.real), ("y", place.imag)):
                values[Number(f"points.{name}.{part}", ("points", name, "xy".index(part)), "length")] = float(value)
        return with_numbers(self.mechanism, values)

    def check(self, key: str, values: Floats, own: Any, faults: Mapping[str, Flags]) -> None:
        """Note the errors of variants: their numbers become the mechanism's `own`. Each message has its places (v,)."""
        self.counts[key] = len(values)
        for message, bad in faults.items():
            values[bad] = own
            for k in np.flatnonzero(bad).tolist():
                self.problems.setdefault(k, []).append(Problem(key, message))


def read_differences(
    mechanism: Mechanism,
    parameters: Mapping[str, Any],
    lengths: Mapping[str, Any],
    points: Mapping[str, Any],
    drivers: Mapping[str, Any],
) -> tuple[Differences, list[Problem]]:
    """Return the differences, and every problem with their names and shapes."""
    found = Differences(mechanism)
    problems: list[Problem] = []
    keys = [(f"lengths.{name}", str(name), given) for name, given in lengths.items()]
    keys += [(key, key[8:], given) for key, given in parameters.items() if key.startswith("lengths.")]
    for key, name, given in keys:
        pair = frozenset(name.split("-"))
        alone = _numbers(given, 0)  # one number for all variants
        values = _numbers(given, 1) if alone is None else alone.reshape(1)
        link = next((link for link in mechanism.links.values() if len(pair) == 2 and pair <= set(link.points)), None)
        if link is None:
            problems.append(Problem(key, "no link has these two points", 'name two points of a link: "A-B"'))
        elif pair in found.lengths:
            problems.append(Problem(key, "the length between these points is given twice", "delete one"))
        elif values is None:
            problems.append(Problem(key, "expected real lengths (v,) [m], or one number for all variants"))
        else:
            a, b = (link.local[point] for point in pair)
            faults = {
                "expected a finite length greater than zero": ~((values > 0) & (values <= LARGEST)),
                "the length is too small to compute with": (values > 0) & (values <= mechanism.size / LARGEST),
            }
            if alone is None:
                found.check(key, values, abs(b - a), faults)
            else:
                problems += [Problem(key, message) for message, bad in faults.items() if bad[0]]
            found.lengths[pair] = Variants(np.concatenate(([abs(b - a)], values)))
    for name, given in points.items():
        key, values = f"points.{name}", _numbers(given, 2)
        if name not in mechanism.places:
            problems.append(Problem(key, "is not a point of this mechanism", suggest(str(name), mechanism.places)))
        elif values is None or values.shape[1] != 2:
            problems.append(Problem(key, "expected real places (v, 2) [m]"))
        else:
            own, bad = drawn_places(mechanism)[name], np.any(~(np.abs(values) <= LARGEST), axis=1)
            found.check(key, values, (own.real, own.imag), {"expected a finite place": bad})
            found.places[name] = Variants(np.concatenate(([own], values[:, 0] + 1j * values[:, 1])))
    for key, given in parameters.items():
        if not key.startswith("lengths."):
            try:
                _read_number(found, key, given)
            except Flaw as flaw:
                problems.append(Problem(key, flaw.message, flaw.hint))
    problems += [
        Problem(f"drivers.{id}", "has values as well as a speed", "give one of them")
        for id in found.speeds
        if id in drivers
    ]
    for id, given in drivers.items():
        parts = [_numbers(part, 2) for part in (given if isinstance(given, tuple) else (given,))]
        rows = [part for part in parts if part is not None]
        if rows and len(rows) == len(parts) <= 3 and all(part.shape == rows[0].shape for part in rows):
            bad = np.any(~np.isfinite(rows[0]), axis=1)
            start = mechanism.drivers[id].start if id in mechanism.drivers else 0.0
            found.check(f"drivers.{id}", rows[0], start, {"contains values that are not finite": bad})
            found.rows[id] = np.stack(rows)
    if not found.counts and not problems:
        problems.append(
            Problem(
                "variants", "nothing differs", "give parameters or lengths (v,), points (v, 2) or driver values (v, n)"
            )
        )
    if len(set(found.counts.values())) > 1:
        found_counts = ", ".join(f"{key}: {count}" for key, count in found.counts.items())
        problems.append(
            Problem("variants", f"numbers of variants differ ({found_counts})", "give one value per variant")
        )
    return found, problems


def _complete(found: Differences, all_may_fail: bool) -> None:
    """Repeat lengths that are the same for all variants, and note the variants that cannot be built.

    Raises `InputError` where no variant has valid values, unless `all_may_fail`.
    """
    for pair, numbers in found.lengths.items():
        values = numbers.values
        found.lengths[pair] = Variants(np.append(values[0], np.broadcast_to(values[1:], found.count)))
    _find_refused(found)
    if len(found.problems) == found.count and not all_may_fail:
        problems = [Problem(f"variant 0: {one.key}", one.message, one.hint) for one in found.problems[0]]
        problems.append(Problem("variants", "none has valid values", "the faults above are those of the first"))
        raise InputError(problems, found.mechanism.title)


def _read_number(found: Differences, key: str, given: Any) -> None:
    """Add a number of the mechanism by its key; raise `Flaw`."""
    mechanism, number, values = found.mechanism, number_of(found.mechanism, key), _numbers(given, 1)
    if values is None:
        raise Flaw("expected real numbers (v,), in SI")
    if number.path[0] != "points":
        if number in found.numbers:
            raise Flaw("is given twice", "delete one")
        own = own_value(mechanism, number)
        found.check(key, values, own, {"expected a finite number": ~(np.abs(values) <= LARGEST)})
        found.numbers[number] = values
        return
    name, part = str(number.path[1]), int(number.path[2])
    if name in found.places and f"points.{name}" in found.counts:
        raise Flaw("is given twice", "delete one")
    place = drawn_places(mechanism)[name]
    found.check(key, values, (place.real, place.imag)[part], {"expected a finite place": ~(np.abs(values) <= LARGEST)})
    known = found.places.setdefault(name, Variants(np.full(1 + len(values), place)))
    if len(known.values) == 1 + len(values):  # else the numbers of variants differ, which is reported
        (known.values.imag if part else known.values.real)[1:] = values


def _find_refused(found: Differences) -> None:
    """Note the variants with numbers that no mechanism can have, such as a negative mass.

    Only those are built in which one number is refused alone: others may belong to it, as the radii of two gears do.
    """
    owns = {number: own_value(found.mechanism, number) for number in found.numbers}
    alone = [_refused_alone(found, number, own) for number, own in owns.items()]
    for k in np.flatnonzero(np.any(alone, axis=0)).tolist() if alone else ():
        try:
            found.built(k)
        except InputError as error:
            found.problems.setdefault(k, []).extend(error.problems)
            for number, own in owns.items():
                found.numbers[number][k] = own


def _refused_alone(found: Differences, number: Number, own: float) -> Flags:
    """Return which values of a number (v,) the mechanism itself, where it is `own`, cannot have.

    The values that it can have lie together: their least and largest are sought by halving.
    """
    values = found.numbers[number]
    refused = np.zeros(len(values), bool)
    for side in (np.unique(values[values > own]), np.unique(values[values < own])[::-1]):
        low, high = 0, len(side)
        while low < high:
            middle = (low + high) // 2 if high < len(side) else high - 1
            try:
                with_numbers(found.mechanism, {number: float(side[middle])})
                low = middle + 1
            except InputError:
                high = middle
        if high < len(side):
            refused |= values >= side[low] if side[low] > own else values <= side[low]
    return refused


def _numbers(given: Any, ndim: int) -> Floats | None:
    """Return real numbers as a new array with this many dimensions, NaN where they are masked; None if they are not."""
    try:
        values = np.ma.asanyarray(given)
    except ValueError:
        return None
    if values.dtype.kind not in "iuf" or values.ndim != ndim or not values.size:
        return None
    return np.array(values.astype(np.float64).filled(np.nan))


# --- solving -------------------------------------------------------------------------------------------------------

T = TypeVar("T")

#: Poses of variants that are solved at a time where not all is kept.
PART = 65_536


def solve_many(
    mechanism: Mechanism,
    samples: int | None,
    *,
    parameters: Mapping[str, ArrayLike] | None,
    lengths: Mapping[str, ArrayLike] | None,
    points: Mapping[str, ArrayLike] | None,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: float | None,
    engine: str,
    budget: float | None,
    keep: Sequence[str] | None,
    measures: Mapping[str, Callable[[Motions], Any]] | None,
    progress: Callable[[float], None] | None,
) -> Motions:
    """Solve variants of a mechanism that differ in dimensions; see `Mechanism.solve_many`."""
    call = prepare(
        mechanism, samples, parameters, lengths, points, t, drivers, duration, engine, budget, keep=keep or (),
        whole=keep is None and measures is None,
    )  # fmt: skip
    if keep is None and measures is None:
        if call.size > MOST_BYTES:
            raise call.too_large
        return call.motions(slice(0, call.count), progress)
    chosen = quantities(mechanism, keep or ())
    parts = call.parts(max(1, PART // len(call.schedule)), progress)
    try:
        kept, found, faults = reduce(mechanism, (call.count, len(call.schedule)), parts, chosen, measures or {})
    except MemoryError:
        raise call.too_large from None
    return Motions(
        mechanism, call.schedule.t, call.count, kept, {}, faults, call.solve_variant, call.found.variant, found
    )


def prepare(
    mechanism: Mechanism,
    samples: int | None,
    parameters: Mapping[str, ArrayLike] | None,
    lengths: Mapping[str, ArrayLike] | None,
    points: Mapping[str, ArrayLike] | None,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    duration: float | None,
    engine: str,
    budget: float | None,
    *,
    keep: Sequence[str] = (),
    whole: bool = False,
    all_may_fail: bool = False,
) -> Call:
    """Check the arguments of a call of `solve_many`, and plan its variants; `InputError` lists what is wrong.

    A result that holds the `whole` motions is refused before all variants are checked if already two numbers of each
    pose are too many.
    """
    drivers = drivers or {}
    found, problems = read_differences(mechanism, parameters or {}, lengths or {}, points or {}, drivers)
    *_, schedule = together(
        mechanism.title,
        lambda: raise_problems(problems),
        lambda: check_engine(engine),
        lambda: new_meter(budget),
        lambda: quantities(mechanism, keep),
        # The drivers of the first variant represent all while the schedule is made.
        lambda: make_schedule(mechanism, samples, t, found.drivers_of(0, drivers), duration),
    )
    call = Call(mechanism, found, drivers, schedule, engine, budget)
    if whole and 48.0 * call.count * len(schedule) > MOST_BYTES:
        raise call.too_large
    _complete(found, all_may_fail)
    if any(number.moves for number in found.numbers) or _has_to_be_followed(mechanism):
        return call
    many, odd = _record(found)
    many = replace(many, plan=replace(many.plan, engine=engine))
    numbers = many.plan.numbers
    try:
        rows = {**found.rows, **_at_speeds(schedule, found.speeds, many.starts)}
        far = _beyond_budget(schedule, rows, numbers, budget)
        if far.all():
            return call
        if far.any():
            # Solved alone, each by its own budget; here they only hold a place.
            odd |= {*np.flatnonzero(far).tolist()}
            rows = {id: np.where(far[:, None], own[:, [np.argmin(far)]], own) for id, own in rows.items()}
        with metered(budget, lambda: too_far(schedule, numbers, budget), mechanism.title):
            path = Path.of(schedule, rows, many.starts, numbers)
    except MemoryError:
        raise call.too_large from None
    return replace(call, many=many, odd=frozenset(odd), rows=rows, path=path)


@dataclass(frozen=True)
class Call:
    """A call of `solve_many`: its variants, and the plan by which they are solved together, if they are."""

    mechanism: Mechanism
    found: Differences
    drivers: Mapping[str, Any]
    schedule: Schedule
    engine: str
    budget: float | None
    many: ManyPlan | None = None
    odd: frozenset[int] = frozenset()
    rows: Mapping[str, Floats] = field(default_factory=dict)
    path: Path | None = None

    @property
    def count(self) -> int:
        """The number of variants."""
        return self.found.count

    @property
    def size(self) -> float:
        """The memory [bytes] of the result: three orders of each of a pose's numbers."""
        rows = 2 * len(self.mechanism.topology.moving_links) if self.many is None else self.many.kept
        return 24.0 * rows * self.count * len(self.schedule)

    @property
    def too_large(self) -> InputError:
        """The error of a result that does not fit into memory."""
        hint = "solve fewer variants, or samples, at a time, or keep less: keep=[...], measures={...}"
        what = f"{self.count:,} variants at {len(self.schedule):,} samples"
        return InputError([too_large("variants", what, self.size, hint)], self.mechanism.title)

    def solve_variant(self, k: int) -> Motion:
        """Build variant k and solve it as `solve` does.

        Raises `InputError` where it cannot be built, or does not move like the mechanism.
        """
        t = self.schedule.t  # speeds that differ do not change the times
        return solve_groups(
            self.found.variant(k),
            t=None if np.isnan(t).any() else t,
            drivers=self.found.drivers_of(k, self.drivers) or None,
            engine=self.engine,
            budget=self.budget,
        )

    def parts(self, size: int, progress: Callable[[float], None] | None) -> Iterator[tuple[slice, Motions]]:
        """Yield the motions of all variants, so many at a time."""
        for first in range(0, self.count, size):
            part = slice(first, min(first + size, self.count))
            yield part, self.motions(part, None)
            if progress is not None:
                progress(part.stop / self.count)

    def motions(self, part: slice, progress: Callable[[float], None] | None) -> Motions:
        """Return the motions of some variants, numbered from zero."""
        variants = np.arange(part.start, part.stop)
        faults = {k - part.start: error for k, error in self.found.faults_of(part).items()}
        together, alone = None, list(range(len(variants)))
        if self.many is not None and self.path is not None:
            z = _values(self.schedule, self.rows, self.many.starts, variants)
            try:
                lanes, flat = _run(self.many, z, variants, self.path, len(self.schedule), progress)
            except MemoryError:
                raise self.too_large from None
            first = {id: rates[0] for id, rates in z.items()}
            same = not any(number.path[0] in STILL for number in self.found.numbers)
            together = Together(self.mechanism, variants, self.many, first, lanes, self.path, same)
            singular = np.flatnonzero((together.status == Status.SINGULAR).all(axis=1))
            odd = {k - part.start for k in self.odd | flat if part.start <= k < part.stop}
            alone = sorted({*odd, *singular.tolist()})
        motions: dict[int, Motion] = {}
        for done, k in enumerate(alone, 1):
            if k not in faults:
                try:
                    motions[k] = self.solve_variant(part.start + k)
                except InputError as error:
                    faults[k] = error
            if progress is not None and together is None:
                progress(done / len(alone))

        def here(build: Callable[[int], T]) -> Callable[[int], T]:
            return build if not part.start else lambda k: build(part.start + k)

        alone_too, variant = here(self.solve_variant), here(self.found.variant)
        return Motions(self.mechanism, self.schedule.t, len(variants), together, motions, faults, alone_too, variant)


def _has_to_be_followed(mechanism: Mechanism) -> bool:
    """Return whether variants are to be solved one by one.

    A group without a closed form is followed from the sketch of each variant; one plan cannot vary the sizes of wheels
    and cams, or the ends of curved slots. Redundant joints have to agree in each variant.
    """
    joints = mechanism.joints
    if any(joint.stroke is not None and id not in joints.of(Guide) for id, joint in joints.of(Sliding).items()):
        return True
    sized = bool(joints.of(TurnCoupling) or joints.of(Cam) or joints.of(Geneva))
    plan = compile_plan(mechanism)
    return sized or plan.tracked or bool(plan.structure.over)


def _record(found: Differences) -> tuple[ManyPlan, set[int]]:
    """Return the plan of all variants, and those that it does not cover because they would be built differently.

    In the plan these have the dimensions of the mechanism itself. Each round finds some, so the loop ends.
    """
    lengths = {pair: Variants(own.values.copy()) for pair, own in found.lengths.items()}
    places = {name: Variants(own.values.copy()) for name, own in found.places.items()}
    odd: set[int] = set()
    while True:
        try:
            many = record_many(found.mechanism, structure_of(found.mechanism), lengths, places, found.count)
            return many, odd | many.odd
        except VariantsDiffer as error:
            odd.update(error.which.tolist())
            for numbers in (*lengths.values(), *places.values()):
                numbers.values[1 + error.which] = numbers.own


def _at_speeds(schedule: Schedule, speeds: Mapping[str, Floats], starts: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return values and rates (3, v, n) of drivers whose speeds (v,) differ."""
    rows = {}
    for id, speed in speeds.items():
        law = schedule.mechanism.drivers[id].law
        assert isinstance(law, ConstantSpeed)
        start = starts.get(id, np.full(len(speed), law.start))
        turned = start[:, None] + speed[:, None] * schedule.t
        rows[id] = np.stack((turned, np.broadcast_to(speed[:, None], turned.shape), np.zeros(turned.shape)))
    return rows


def _beyond_budget(schedule: Schedule, rows: Mapping[str, Floats], numbers: int, budget: float | None) -> Flags:
    """Return for which variants alone following the values of drivers, `rows` (orders, v, n), spends the budget."""
    each = (np.abs(np.diff(own[0])) / schedule.step(id) for id, own in rows.items())
    counts = sum((np.nansum(steps, axis=1) for steps in each), start=np.zeros(1))
    return np.asarray(counts * numbers > TOGETHER * (math.inf if budget is None else budget))


def _values(
    schedule: Schedule, rows: Mapping[str, Floats], starts: Mapping[str, Floats], variants: Indices
) -> dict[str, Floats]:
    """Return values and rates of the drivers (3, v, n) of some variants.

    `rows` (orders, v, n) hold individual ones; other drivers that have a speed begin at their `starts` (v,).
    """
    count, samples = len(variants), len(schedule)
    z = {id: np.broadcast_to(values[:, None], (3, count, samples)) for id, values in schedule.drivers.items()}
    for id in shifts(schedule, starts):
        law = schedule.mechanism.drivers[id].law
        assert isinstance(law, ConstantSpeed)
        z[id] = z[id].copy()
        z[id][0] = starts[id][variants, None] + law.speed * schedule.t
    for id, own in rows.items():
        z[id] = np.full((3, count, samples), np.nan)
        z[id][: len(own)] = own[:, variants]
    return z


def _run(
    many: ManyPlan,
    z: Mapping[str, Floats],
    variants: Indices,
    path: Path,
    samples: int,
    progress: Callable[[float], None] | None,
) -> tuple[Lanes, set[int]]:
    """Solve variants at all samples, at the drivers' values z (3, v, n), block by block that stays in the caches.

    Return their lanes, and the numbers of those that may pass a flat pose.
    """
    plan, count = many.plan, len(variants)
    lanes = _unknown(plan, many.kept, count * samples)
    job = choose(plan, count * samples)
    if job is not None:  # decided for all blocks
        many = replace(many, plan=replace(plan, engine="compiled" if job.compiled else "python"))
        kernel_plan_of(many.plan)

    def work(some: slice) -> list[int]:
        part = slice(some.start * samples, some.stop * samples)
        own = _unknown(plan, plan.offsets[-1], part.stop - part.start)
        many.hold(own, variants[some])
        _drive(many.plan, own, {id: values[:, some] for id, values in z.items()})
        sweep(many.plan, own, {}, lambda step: plan.steps[step].mode)
        lanes.x[:, :, part], lanes.status[part], lanes.group[part] = own.x[:, : many.kept], own.status, own.group
        return passing_flat(many, variants[some], path, own)

    size = max(1, LANES // samples)
    flat = over_blocks(work, count, len(plan.steps) * samples, size, progress)
    return lanes, {k for found in flat for k in found}


def _unknown(plan: Plan, rows: int, n: int) -> Lanes:
    """Return n lanes of which every number will be written."""
    return replace(
        Lanes.empty(plan, 0), x=np.empty((3, rows, n)), status=np.zeros(n, np.int8), group=np.full(n, -1, np.int32)
    )


def _drive(plan: Plan, lanes: Lanes, z: Mapping[str, Floats]) -> None:
    """Fill the slots of drivers in lanes of variants, from values and rates z (3, v, n)."""
    if any(values.strides[1] for values in z.values()):
        drive_all(plan, lanes, {id: values.reshape(3, -1) for id, values in z.items()})
        return
    # All variants are driven alike.
    count = next((values.shape[1] for values in z.values()), 1)
    one = Lanes.empty(plan, len(lanes.status) // count)
    drive_all(plan, one, {id: values[:, 0] for id, values in z.items()})
    for item in plan.drivers:
        rows = plan.rows(item.register)
        lanes.x[:, rows].reshape(3, -1, count, len(one.status))[:] = one.x[:, rows, None]
    lanes.status.reshape(count, -1)[:], lanes.group.reshape(count, -1)[:] = one.status, one.group
