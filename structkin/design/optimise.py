"""Finding the numbers of a mechanism file with which its motion measures best; see `Mechanism.optimise`.

The sum of squares is minimised by a trust region (SciPy's `least_squares`; Branch, Coleman & Li, 1999), which is given
exact derivatives. A step to a variant that cannot be assembled at all samples is shortened. Limits are held by an
augmented Lagrangian, a few such searches with squares of the limits' sides added. Where steps had to be shortened, the
discriminants of all dyads, which are zero at the limit of assembly, are such limits, too: their derivatives lead along
it. A peak has a kink wherever another sample becomes the highest; in its place a level is minimised, one more variable,
below which all its numbers are held by the same limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.checked import checked
from structkin.design.arguments import bounds_of, parameters_of
from structkin.design.measures import Limit, Measure, Peak, closing
from structkin.design.missed import (
    contradictions,
    in_parts,
    missed_aims,
    missed_between,
    missed_limits,
    missed_strokes,
    share_missed,
    sides_of,
)
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.frozen import Frozen
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import DETERMINED, NEGLIGIBLE, ROUNDING, VISIBLE
from structkin.solve.motion.motion import Motion
from structkin.solve.sensitivity.parameters import Parameter, varied
from structkin.types import Floats

#: The most searches with other multipliers.
ROUNDS = 20


@checked
@dataclass(frozen=True, repr=False)
class Optimum(Frozen):
    """The best mechanism that was found, its motion, the values of its parameters, and why the search ended.

    `value` is the sum of squares of the objective, `start` that of the given mechanism, `history` (k,) that of each
    variant in the order in which they were tried, NaN for those that cannot be built or assembled. `met` says whether
    all limits are met at the samples; if not, this is the variant that misses them least, and `words` say which, and by
    how much. They also say by about how much a limit is missed between the samples.
    """

    mechanism: Mechanism
    motion: Motion
    values: Mapping[str, float]
    value: float
    start: float
    history: Floats
    met: bool
    words: str

    def __repr__(self) -> str:
        """Return the values and why the search ended."""
        return f"<Optimum: {self.start:.4g} -> {self.value:.4g} after {len(self.history)} variants>"


@dataclass
class _Search:
    """The objective and the limits at places x: parameters over their scales, then levels over those of the peaks.

    The last variants are kept.
    """

    mechanism: Mechanism
    parameters: Sequence[Parameter]
    scale: Floats
    objective: Sequence[Measure]
    limits: Sequence[Limit]
    peaks: Sequence[Peak]
    #: The sizes (q,) of the peaks, which are levels of one.
    sizes: Floats
    solve: Callable[[Mechanism], Motion]
    evaluations: int
    progress: Callable[[float], None] | None
    #: The limit of assembly, if it is to be held as well.
    room: Sequence[Limit] = ()
    history: list[float] = field(default_factory=list)
    #: How many variants have a motion, but not all numbers.
    unmeasured: int = 0
    #: The parameters by which a measure had no derivatives at some variant, by the words of the measure.
    unknown: dict[str, dict[str, None]] = field(default_factory=dict)
    best: tuple[tuple[float, float], Floats] | None = None
    _known: dict[bytes, Motion | None] = field(default_factory=dict)

    def motion(self, x: Floats) -> Motion | None:
        """Return the motion of a variant; None if it cannot be built, or not be measured."""
        x = x[: len(self.parameters)]
        key = x.tobytes()
        if key not in self._known:
            if len(self.history) >= self.evaluations:
                raise _SpentError
            self._known = dict([*self._known.items()][-2:])
            found, value = self._made(x), np.nan
            if found is not None and found.regular.all():
                try:
                    missed, value = self.misses(found), self.value(found)
                except InputError:
                    found = None  # it has no such number: an output may no longer go to and fro
                    self.unmeasured += 1
                else:
                    rank = missed if missed > VISIBLE else 0.0, value
                    if self.best is None or rank < self.best[0]:
                        self.best = rank, x.copy()
            self.history.append(value)
            if self.progress is not None:
                self.progress(len(self.history) / self.evaluations)
            self._known[key] = found
        return self._known[key]

    def _made(self, x: Floats) -> Motion | None:
        try:
            return self.solve(self.variant(x))
        except InputError:
            return None

    def variant(self, x: Floats) -> Mechanism:
        """Return the mechanism at a place."""
        return varied(self.mechanism, dict(zip(self.parameters, (x * self.scale).tolist(), strict=True)))

    def levels(self, motion: Motion) -> Floats:
        """Return the least levels (q,) that hold the numbers of the peaks."""
        return np.array([peak.value(motion) for peak in self.peaks]) / self.sizes

    def residuals(self, motion: Motion, levels: Floats) -> Floats:
        """Return all numbers of the objective (k,), of the peaks their levels."""
        return np.concatenate([*(np.ravel(one.values(motion)) for one in self.objective), levels * self.sizes])

    def residuals_slopes(self, motion: Motion) -> Floats:
        """Return their derivatives (k, p + q) by x."""
        found, q = self.slopes(self.objective, motion), len(self.peaks)
        return np.block([[found, np.zeros((len(found), q))], [np.zeros((q, found.shape[1])), np.diag(self.sizes)]])

    def slopes(self, measures: Sequence[Measure], motion: Motion) -> Floats:
        """Return the derivatives (k, p) of the numbers of measures by parameters over their scales."""
        names = [parameter.name for parameter in self.parameters]
        found = np.empty((0, len(names)))
        for one in measures:
            by = one.jacobian(motion, names)
            if len(by) and (without := np.isnan(by).all(axis=0)).any():
                of = self.unknown.setdefault(one.words, {})
                of |= dict.fromkeys(np.array(names)[without].tolist())
            found = np.concatenate((found, by))
        # Samples next to a change point have no derivatives: the others lead.
        return np.asarray(np.where(np.isnan(found), 0.0, found) * self.scale)

    def value(self, motion: Motion) -> float:
        """Return the sum of squares of the objective."""
        return float(np.sum(self.residuals(motion, self.levels(motion)) ** 2))

    def sides(self, motion: Motion, levels: Floats) -> Floats:
        """Return how far inside the limits the numbers are (k,), of each limit first the lower side, peaks last."""
        found = [side for limit in (*self.limits, *self.room) for side in sides_of(limit, limit.measure.values(motion))]
        for peak, level, size in zip(self.peaks, levels, self.sizes, strict=True):
            share = np.ravel(peak.measure.values(motion)) / size
            found += [level + share, level - share]
        return np.concatenate(found)

    def sides_slopes(self, motion: Motion) -> Floats:
        """Return their derivatives (k, p + q) by x."""
        found: list[Floats] = []
        for limit in (*self.limits, *self.room):
            slope = self.slopes([limit.measure], motion)
            slope = np.hstack((slope, np.zeros((len(slope), len(self.peaks)))))
            found += [slope] if np.isfinite(limit.low) else []
            found += [-slope] if np.isfinite(limit.high) else []
        for peak, size, by_levels in zip(self.peaks, self.sizes, np.eye(len(self.peaks)), strict=True):
            slope = self.slopes([peak.measure], motion) / size
            found += [np.hstack((sign * slope, np.tile(by_levels, (len(slope), 1)))) for sign in (1, -1)]
        return np.concatenate(found)

    def misses(self, motion: Motion) -> float:
        """Return by how much the worst limit is missed; zero if none is."""
        return max((share_missed(limit, motion) for limit in self.limits), default=0.0)


class _SpentError(Exception):
    """Raised where a search has used up its variants."""


def optimise(
    mechanism: Mechanism,
    parameters: Mapping[str, Any],
    objective: Sequence[Measure | Peak],
    limits: Sequence[Limit],
    samples: int | None,
    t: ArrayLike | None,
    drivers: Mapping[str, Any] | None,
    evaluations: int,
    progress: Callable[[float], None] | None,
) -> Optimum:
    """Return the best variant of a mechanism; see `Mechanism.optimise`."""
    own = mechanism.solve(samples, t=t, drivers=drivers)
    timed = {"t": own.t} if np.isfinite(own.t).all() else {"samples": samples, "t": t}

    def solve(variant: Mechanism) -> Motion:
        return variant.solve(drivers=drivers, **timed)

    read, problems = parameters_of(mechanism, parameters)
    (low, high), wrong = bounds_of(mechanism, read, parameters)
    problems += wrong
    if not objective:
        problems.append(Problem("objective", "expected one measure or more", 'such as design.stroke("rocker", 1.0)'))
    if evaluations < 2:
        problems.append(Problem("evaluations", f"{evaluations} are too few", "two or more"))
    measured = [one.measure if isinstance(one, Peak) else one for one in objective]
    measured += [limit.measure for limit in limits]
    squares = [one for one in objective if isinstance(one, Measure)]
    if own.regular.all():
        # A range without an end is above any limit, which asks for no more.
        above = [limit.measure for limit in limits if limit.high == np.inf]
        problems += _wrong_measures(measured, above, own, [one.name for one in read])
    problems += contradictions(squares, limits, mechanism)
    raise_problems(list(dict.fromkeys(problems)), mechanism.title)
    x = np.array([parameter.value for parameter in read])
    scale = np.array([parameter.reach for parameter in read])
    peaks = [one for one in objective if isinstance(one, Peak)]
    parts = [in_parts(limit, own, read) for limit in limits] if own.regular.all() else limits
    search = _Search(mechanism, read, scale, squares, parts, peaks, np.ones(len(peaks)), solve, evaluations, progress)
    x = np.clip(x, low, high) / scale
    first = search.motion(x)
    if first is None or not first.regular.all():
        problem = Problem("mechanism", "cannot be assembled at all samples", "start from a variant that can")
        raise InputError([problem], mechanism.title)
    peak_values = search.levels(first)
    search.sizes = np.where(peak_values > 0, peak_values, 1.0)
    # Raises `InputError` for parameters that cannot vary alone.
    slopes = search.slopes(measured, first)
    bounds, words = (low / scale, high / scale), "no small change improves it"
    try:
        if not limits and not peaks:
            _least_squares(search, x, bounds)
        if first.plan.with_root:
            search.room = (closing().between(low=DETERMINED),)
        if limits or peaks or (search.room and np.isnan(search.history).any()):
            # Least squares end where the next step cannot be assembled; along that limit the search may go on.
            _augmented(search, x if search.best is None else search.best[1], bounds)
            words = "no small change within the limits improves it" if limits or not peaks else words
    except _SpentError:
        words = f"the {evaluations} variants that were allowed are spent"
    else:
        if search.unknown:
            which = ", and of ".join(f"{words} by {', '.join(names)}" for words, names in search.unknown.items())
            words = f"small changes may improve it, as some derivatives are unknown: of {which}"
    assert search.best is not None
    (missed, value), best = search.best
    found = search.variant(best)
    motion = solve(found)
    sentences = [words, *_remarks(search, slopes, best * scale, (low, high))]
    if missed:
        sentences.append("no variant that was tried meets all limits: this one misses them least")
        sentences += missed_limits(limits, parts, motion)
    sentences += [*missed_between(limits, motion), *missed_aims(squares, motion), *missed_strokes(measured, motion)]
    values = dict(zip((parameter.name for parameter in read), (best * scale).tolist(), strict=True))
    history = np.array(search.history)
    return Optimum(
        found, motion, MappingProxyType(values), value, history[0], history, not missed, "; ".join(sentences)
    )


def _wrong_measures(
    measures: Sequence[Measure], above: Sequence[Measure], motion: Motion, names: Sequence[str]
) -> list[Problem]:
    """Return what is wrong with measures, perhaps of one's own: no finite numbers, or not their derivatives.

    Numbers of the measures `above` may be infinite.
    """
    problems: list[Problem] = []
    for measure in measures:
        try:
            values = np.asarray(measure.values(motion))
            slopes = np.asarray(measure.jacobian(motion, names)) if names else np.zeros((values.size, 0))
        except InputError as error:
            problems += error.problems
            continue
        unknown = values.dtype.kind not in "iuf" or not values.size
        if unknown or not (np.isfinite(values) | ((values == np.inf) & (measure in above))).all():
            message, hint = "has no finite numbers at the start", "return an array of them"
            if measure.kind == "range":
                message = "has no end at the start: the driver turns fully, or to infinity"
                hint = "start where it has limits, or ask for a range of at least so much"
            problems.append(Problem(measure.words.rstrip(","), message, hint))
        elif slopes.dtype.kind not in "iuf" or slopes.shape != (values.size, len(names)):
            message = f"its derivatives have the shape {slopes.shape}, not {(values.size, len(names))}"
            problems.append(Problem(measure.words, message, "a row for each number, a column for each parameter"))
    return problems


def _remarks(search: _Search, slopes: Floats, values: Floats, bounds: tuple[Floats, Floats]) -> list[str]:
    """Return what else there is to say: parameters at their bounds, or without effect; variants without a motion."""
    names = np.array([parameter.name for parameter in search.parameters])
    at = np.isclose(values, bounds[0], rtol=NEGLIGIBLE, atol=0) | np.isclose(values, bounds[1], rtol=NEGLIGIBLE, atol=0)
    idle = np.abs(slopes).max(axis=0) <= NEGLIGIBLE * np.abs(slopes).max(initial=0.0)
    idle &= ~np.isin(names, [name for of in search.unknown.values() for name in of])
    lost = int(np.isnan(search.history).sum()) - search.unmeasured
    found = [f"at their bounds: {', '.join(names[at])}"] if at.any() else []
    found += [f"without effect: {', '.join(names[idle])}"] if idle.any() else []
    found += [f"variants that cannot be assembled: {lost}"] if lost else []
    found += [f"variants in whose motion a number does not exist: {search.unmeasured}"] if search.unmeasured else []
    if any(parameter.section == "drivers" and parameter.path[2:] == ("speed",) for parameter in search.parameters):
        found.append("the times are those of the start: at another speed they are another part of the cycle")
    return found


def _least_squares(search: _Search, x: Floats, bounds: tuple[Floats, Floats], more: _Held | None = None) -> Floats:
    """Return the place at which the sum of squares is least, with those of limits that are held."""
    from scipy.optimize import least_squares

    first = search.motion(x)
    assert first is not None
    size = more.size if more is not None else np.sqrt(search.value(first)) or 1.0
    levels = slice(len(search.parameters), None)
    count = len(search.residuals(first, x[levels])) + (0 if more is None else len(more.push))

    def values(x: Floats) -> Floats:
        motion = search.motion(x)
        if motion is None or not motion.regular.all():
            return np.full(count, np.nan)
        found = search.residuals(motion, x[levels]) / size
        if more is None:
            return found
        return np.concatenate((found, more.residuals(search.sides(motion, x[levels]))))

    def slopes(x: Floats) -> Floats:
        motion = search.motion(x)
        assert motion is not None, "derivatives are asked for only where there are values"
        found = search.residuals_slopes(motion) / size
        if more is None:
            return found
        return np.concatenate((found, more.slopes(search.sides(motion, x[levels]), search.sides_slopes(motion))))

    found = least_squares(
        values, x, slopes, bounds=bounds, xtol=ROUNDING, ftol=ROUNDING, gtol=ROUNDING, max_nfev=10 * search.evaluations
    )
    return np.asarray(found.x)


@dataclass
class _Held:
    """The sides c >= 0 of limits, held by squares: mu max(0, push / mu - c)^2, the push being the multipliers."""

    size: float
    push: Floats
    mu: float = 10.0

    def residuals(self, sides: Floats) -> Floats:
        return np.asarray(np.sqrt(self.mu) * np.maximum(self.push / self.mu - sides, 0.0))

    def slopes(self, sides: Floats, slopes: Floats) -> Floats:
        return np.asarray(-np.sqrt(self.mu) * slopes * (self.push / self.mu > sides)[:, None])


def _augmented(search: _Search, x: Floats, bounds: tuple[Floats, Floats]) -> None:
    """Hold the limits by an augmented Lagrangian (Nocedal & Wright, Numerical Optimization, 2006, sec. 17.3)."""
    first = search.motion(x)
    assert first is not None
    levels, q = search.levels(first), len(search.peaks)
    held = _Held(np.sqrt(search.value(first)) or 1.0, np.zeros(len(search.sides(first, levels))))
    x = np.concatenate((x, levels))
    bounds = np.append(bounds[0], np.zeros(q)), np.append(bounds[1], np.full(q, np.inf))
    worst = np.inf
    for _ in range(ROUNDS):
        before, x = x, _least_squares(search, x, bounds, held)
        motion = search.motion(x)
        assert motion is not None
        sides = search.sides(motion, x[len(x) - q :])
        pushed = np.maximum(held.push - held.mu * sides, 0.0)
        missed = float(np.abs(np.minimum(sides, held.push / held.mu)).max(initial=0.0))
        if missed <= 0.1 * VISIBLE and np.allclose(x, before, rtol=NEGLIGIBLE, atol=0.0):
            break
        held.mu *= 10.0 if missed > 0.25 * worst else 1.0
        held.push, worst = pushed, missed
