"""The methods side by side on one mechanism: agreement, time and memory.

Methods agree where poses are far from singular, relative to the dimensions of the mechanism's parts. The units of
`Coordinates` are the mechanism's size and an angle of 1: relative to them a short ram on a long arm has small rows, and
a small singular value at every pose. Here each row and each column of the scaled Jacobian is measured by its largest
norm over the motion. This scale is the same for all samples, so a row that vanishes at one of them shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from structkin.checked import checked
from structkin.errors import Problem, problems_of, raise_problems
from structkin.global_methods.linear import SOLVERS
from structkin.global_methods.measure import Measured, measure_each
from structkin.global_methods.methods import FAMILIES, METHODS
from structkin.global_methods.scaled import Scaled
from structkin.model.mechanism import Mechanism
from structkin.model.topology import check_names
from structkin.numerical_tolerances import LEAST_SCALE, METHOD_POSITIONS, METHOD_RATES
from structkin.plan.status import Status
from structkin.rows.lane_matrix import summing
from structkin.solve.call import make_schedule
from structkin.solve.motion import Motion
from structkin.types import Flags, Floats

#: Rounds of measuring rows and columns in turn (Ruiz, "A scaling algorithm to equilibrate both rows and columns norms
#: in matrices", RAL-TR-2001-034): enough for parts that are a thousand times smaller than the mechanism.
ROUNDS = 100


def regularity(scaled: Scaled, q: Floats, z: Floats) -> Floats:
    """Return the smallest singular value (lanes,) of the Jacobian whose rows and columns measure 1 at most.

    Poses q (n, lanes) at the drivers' values z (f, lanes); NaN where there is no pose.
    """
    coordinates, entries = scaled.coordinates, scaled.all_rows(q, z)[1]
    rows, columns = coordinates.pattern
    squares = np.max(entries**2, axis=1, initial=0.0, where=np.isfinite(entries))
    of_row, of_column = np.ones(coordinates.m), np.ones(coordinates.n)
    sums = (of_row, summing(rows, coordinates.m)), (of_column, summing(columns, coordinates.n))
    for _ in range(ROUNDS):
        for of, summed in sums:
            norm = np.sqrt(summed @ (squares / (of_row[rows] * of_column[columns]) ** 2))
            np.maximum(of * np.sqrt(norm), LEAST_SCALE, out=of)
    return scaled.least(entries / (of_row[rows] * of_column[columns])[:, None])


#: whose Jacobian, scaled by the dimensions of the mechanism's parts, has no smaller singular value than this.
REGULAR = 1e-2
#: A method that takes longer than this [s] is stopped.
PATIENCE = 30.0

#: A method, and its coordinates if it has a choice.
Choice = tuple[str, str | None]


@checked
@dataclass(frozen=True)
class MethodRun:
    """One method on the mechanism.

    `n` is the number of coordinates. `seconds` is the median processor time of the `timed` runs of a solution, `spread`
    their range relative to it, and `wall_seconds` the median wall time; a run before them fills the caches and does not
    count. `peak_bytes` is the peak memory, None where it was not traced. `iterations` and `most_iterations` are
    Newton's iterations per sample, mean and largest (0 for closed forms). The differences from
    the topological method are relative: positions to the mechanism's size, rates to the largest of each sample; None
    where there is no sample to compare. `ok` counts the regular samples, `status_differences` those whose status
    differs from the topological method. At a change point the topological methods continue smoothly, where a global one
    has a singular Jacobian, a position and no rates: its position is compared, and it is not counted in
    `status_differences`.
    """

    method: str
    coordinates: str | None
    n: int | None
    seconds: float
    wall_seconds: float
    spread: float
    timed: int
    peak_bytes: int | None
    iterations: float
    most_iterations: int
    position: float | None
    velocity: float | None
    acceleration: float | None
    ok: int
    status_differences: int

    @property
    def agrees(self) -> bool:
        """Whether positions, velocities, accelerations and outcomes are those of the topological method."""
        gaps = ((self.position, METHOD_POSITIONS), (self.velocity, METHOD_RATES), (self.acceleration, METHOD_RATES))
        return all(gap is None or gap < most for gap, most in gaps) and not self.status_differences


@checked
@dataclass(frozen=True)
class Comparison:
    """All runs, the topological one first; `samples` were solved, rates compared at the `regular` ones among them.

    `abandoned` are methods, with their coordinates, that took longer than `patience` [s].
    """

    title: str
    samples: int
    regular: int
    runs: tuple[MethodRun, ...]
    abandoned: tuple[Choice, ...] = ()
    patience: float | None = PATIENCE

    def __repr__(self) -> str:
        """Return title, methods and whether they agree."""
        verdict = "agree" if self.agrees else "differ"
        return f"<Comparison of {self.title or 'a mechanism'!r}: {len(self.runs)} methods {verdict}>"

    @property
    def agrees(self) -> bool:
        """Whether all methods agree, except those abandoned."""
        return all(run.agrees for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        runs = [{**asdict(run), "agrees": run.agrees} for run in self.runs]
        abandoned = [{"method": method, "coordinates": family} for method, family in self.abandoned]
        return {
            "title": self.title,
            "samples": self.samples,
            "regular": self.regular,
            "runs": runs,
            "abandoned": abandoned,
            "patience": self.patience,
        }


def compare(
    mechanism: Mechanism,
    samples: int | None,
    *,
    methods: Sequence[str] | None,
    coordinates: Sequence[str] | None,
    duration: float | None,
    patience: float | None,
    memory: bool,
    budget: float | None,
    progress: Callable[[float], None] | None,
    of_simulations: Mapping[str, object],
) -> Comparison:
    """Solve a mechanism by these methods and compare; None stands for all. See `Mechanism.compare`.

    Of the arguments that only simulations have, `of_simulations`, none may be given.
    """
    methods, coordinates = METHODS if methods is None else methods, FAMILIES if coordinates is None else coordinates
    check_comparison(mechanism, samples, methods, coordinates, duration, patience, of_simulations)
    choices: list[Choice] = [("topological", None)]
    for method in methods:
        if method.startswith("global"):
            choices += [(method, family) for family in coordinates]
        elif method != "topological":
            choices.append((method, None))
    choices = list(dict.fromkeys(choices))

    def run(choice: Choice, report: Callable[[float], None] | None) -> Motion:
        method, family = choice
        return mechanism.solve(
            samples, duration=duration, method=method, coordinates=family, budget=budget, progress=report
        )

    done = measure_each(choices, run, progress, patience=patience, memory=memory)
    if progress is not None:
        progress(1.0)
    reference = done[choices[0]].result
    regular = _regular([one.result for one in done.values()])
    runs = [_judge(choice, one, reference, regular) for choice, one in done.items()]
    abandoned = tuple(choice for choice in choices if choice not in done)
    return Comparison(mechanism.title, len(reference), int(regular.sum()), tuple(runs), abandoned, patience)


def check_comparison(
    mechanism: Mechanism,
    samples: int | None,
    methods: Sequence[str],
    coordinates: Sequence[str],
    duration: float | None,
    patience: float | None,
    of_simulations: Mapping[str, object],
) -> None:
    """Raise `InputError` with every problem of the arguments."""
    problems = check_names("methods", methods, METHODS) + check_names("coordinates", coordinates, FAMILIES)
    problems += check_patience(patience)
    problems += [
        Problem(key, "only the comparison of simulations has it", "give simulate, the end of the simulation, as well")
        for key, value in of_simulations.items()
        if value is not None
    ]
    # If the number of samples is wrong, the duration is not checked with it.
    for count in (samples, None):
        wrong = problems_of(make_schedule, mechanism, count, None, None, duration)
        problems += [one for one in wrong if one not in problems]
    raise_problems(problems, mechanism.title)


def check_patience(patience: float | None) -> list[Problem]:
    """Return the problem of a patience that is no positive time, if it is one."""
    if patience is None or patience > 0:
        return []
    return [Problem("patience", f"{patience!r} is not a positive time", "such as 30; in Python, None waits for all")]


def _regular(motions: Sequence[Motion]) -> Flags:
    """Return the samples where rates can be compared: regular, and not near a singular pose."""
    good = np.array(motions[0].regular)
    for motion in motions:
        if motion.statistics is not None:
            known = motion.statistics
            sigma = regularity(Scaled(known.coordinates, SOLVERS[known.method]), known.q, known.z)
            return np.asarray(good & ~(sigma <= REGULAR))
    return good


def _judge(choice: Choice, measured: Measured[Motion], reference: Motion, regular: Flags) -> MethodRun:
    motion = measured.result
    both, passed = motion.regular & reference.regular, _at_change_points(motion, reference)
    position = _gap(motion, reference, 0, both | passed)
    velocity, acceleration = (_gap(motion, reference, order, both & regular) for order in (1, 2))
    statistics = motion.statistics
    iterations = np.zeros(1) if statistics is None else statistics.iterations[motion.regular]
    return MethodRun(
        method=choice[0],
        coordinates=choice[1],
        n=None if statistics is None else statistics.coordinates.n,
        **measured.costs,
        iterations=float(iterations.mean()) if len(iterations) else 0.0,
        most_iterations=int(iterations.max(initial=0)),
        position=position,
        velocity=velocity,
        acceleration=acceleration,
        ok=int(motion.ok.sum()),
        status_differences=int(((motion.status != reference.status) & ~passed).sum()),
    )


def _at_change_points(motion: Motion, reference: Motion) -> Flags:
    """Return the samples that are singular in a motion and smooth in the reference."""
    smooth = np.zeros(len(reference), bool)
    if reference.lanes.around is not None:
        smooth[reference.lanes.around.at] = True
    return np.asarray(smooth & reference.regular & (motion.status == Status.SINGULAR))


def _gap(motion: Motion, reference: Motion, order: int, where: Flags) -> float | None:
    """Return the largest difference of two points of every link, relative to the size or the rates of the sample.

    None if there is no sample to compare.
    """
    own, others = (places(x, order)[:, where] for x in (motion, reference))
    if not others.size:
        return None
    if order == 0:
        return float(np.max(np.abs(own - others)) / reference.size)
    largest = np.max(np.abs(others), axis=0)
    known = np.isfinite(largest)
    # Where a sample is almost at rest, its rates are compared with those of the whole motion.
    floor = 1e-3 * np.max(largest[known], initial=0.0)
    gap = np.max(np.abs(own - others), axis=0)[known] / np.maximum(largest[known], floor or 1.0)
    return float(np.max(gap, initial=0.0))


def places(motion: Motion, order: int) -> Floats:
    """Return two points of every moving link, or their rates (coordinates, samples): they determine the frame."""
    at = (motion.position, motion.velocity, motion.acceleration)[order]
    size = complex(motion.size)
    links = motion.mechanism.topology.moving_links
    return np.concatenate([at(place, link).T for link in links for place in (0j, size)])
