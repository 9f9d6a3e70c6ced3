"""The formulations of the equations of motion side by side on one mechanism: agreement, time, closure and energy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.budget import DEFAULT
from structkin.checked import checked
from structkin.dynamics.call import FINEST, FORMULATIONS, NO_OPTIONS, UNCOMPILED, check_call
from structkin.dynamics.multipliers.stabilisation import STABILISATIONS
from structkin.dynamics.simulation import Simulation
from structkin.errors import InputError, Problem, raise_problems
from structkin.global_methods.compare import check_patience, places
from structkin.global_methods.measure import Measured, measure_each
from structkin.global_methods.methods import FAMILIES
from structkin.model.mechanism import Mechanism
from structkin.model.topology import check_names
from structkin.numerical_tolerances import COMPARED_RTOL, FORMULATIONS_AGREE
from structkin.types import Floats

#: A formulation, with its coordinates and stabilisation if it has multipliers.
Choice = tuple[str, str | None, str | None]

#: The reference, and a run that shows whether a difference is an error of integration, have tolerances smaller by this.
REFERENCE, FINER = 100.0, 10.0
#: The stabilisations that need gains.
WITH_GAINS = ("baumgarte", "augmented")


@checked
@dataclass(frozen=True)
class FormulationRun:
    """One formulation of the equations of motion on the mechanism.

    Its equations have `n` accelerations and `m` multipliers as unknowns; `steps` and `evaluations` are those of the
    integrator. Times and memory are as in `MethodRun`.

    The differences from the reference are the largest over the whole motion: `position` of two points of each link,
    relative to the mechanism's size; `velocity` of these points and `reaction` (the joint forces that are unique),
    relative to the largest one; `energy`, relative to the largest kinetic energy. They are None where there is nothing
    to compare. `violation` is the largest closure error of a joint, relative to the size. `stopped` says why the run
    ended early, and `remark` why it differs.
    """

    formulation: str
    coordinates: str | None
    stabilisation: str | None
    n: int
    m: int
    steps: int
    evaluations: int
    seconds: float
    wall_seconds: float
    spread: float
    timed: int
    peak_bytes: int | None
    position: float | None
    velocity: float | None
    reaction: float | None
    energy: float | None
    violation: float
    stopped: str
    remark: str

    @property
    def agrees(self) -> bool:
        """Whether positions, speeds, reactions and the end of the motion are those of the reference."""
        return not self.remark

    @property
    def name(self) -> str:
        """The formulation, coordinates and stabilisation in words."""
        return ", ".join(part for part in (self.formulation, self.coordinates, self.stabilisation) if part)


@checked
@dataclass(frozen=True)
class FormulationComparison:
    """All runs, the reduced equations first, compared with a reference: the reduced equations at `rtol` / 100.

    The motion has `samples` output times up to `end` [s]. `not_unique` are the joints whose forces are not compared,
    because they depend on the elasticity of the links. `abandoned` are the formulations, with coordinates and
    stabilisation, that took longer than `patience` [s].
    """

    title: str
    end: float
    samples: int
    rtol: float
    free: tuple[str, ...]
    runs: tuple[FormulationRun, ...]
    not_unique: tuple[str, ...]
    abandoned: tuple[Choice, ...]
    patience: float | None

    def __repr__(self) -> str:
        """Return title, formulations and whether they agree."""
        verdict = "agree" if self.agrees else "differ"
        return f"<FormulationComparison of {self.title or 'a mechanism'!r}: {len(self.runs)} formulations {verdict}>"

    @property
    def agrees(self) -> bool:
        """Whether all formulations agree, except those abandoned."""
        return all(run.agrees for run in self.runs)

    @property
    def ok(self) -> bool:
        """Whether all formulations agree, none was abandoned, and none stopped early."""
        return self.agrees and not self.abandoned and not any(run.stopped for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        abandoned = [
            {"formulation": name, "coordinates": family, "stabilisation": how} for name, family, how in self.abandoned
        ]
        runs = [{**asdict(run), "agrees": run.agrees} for run in self.runs]
        return {**asdict(self), "runs": runs, "abandoned": abandoned}


def compare_formulations(
    mechanism: Mechanism,
    end: ArrayLike,
    samples: int | None,
    *,
    free: Sequence[str] = (),
    methods: Sequence[str] | None = None,
    coordinates: Sequence[str] | None = None,
    stabilisations: Sequence[str] | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    rtol: float | None = None,
    duration: float | None = None,
    patience: float | None = 30.0,
    memory: bool = False,
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
    engine: str = "auto",
) -> FormulationComparison:
    """Simulate a mechanism by these formulations and compare; None stands for all. See `Mechanism.compare`."""
    times = check_formulations(
        mechanism, end, samples, free=free, methods=methods, coordinates=coordinates, stabilisations=stabilisations,
        alpha=alpha, beta=beta, rtol=rtol, duration=duration, patience=patience, budget=budget,
    )  # fmt: skip
    methods, coordinates, stabilisations, rtol = _chosen(methods, coordinates, stabilisations, rtol)
    gains = _gains(stabilisations, alpha, beta)
    choices: list[Choice] = [("reduced", None, None)]
    choices += dict.fromkeys(product([name for name in methods if name != "reduced"], coordinates, stabilisations))

    def simulate(tolerance: float, choice: Choice, report: Callable[[float], None] | None = None) -> Simulation:
        formulation, family, how = choice
        by = "auto" if formulation in UNCOMPILED or how in UNCOMPILED else engine
        own = gains.get(how or "", {})
        return mechanism.simulate(
            times, free=free, formulation=formulation, coordinates=family, stabilisation=how, alpha=own.get("alpha"),
            beta=own.get("beta"), rtol=tolerance, atol=tolerance / 10, engine=by, progress=report,
        )  # fmt: skip

    reference = simulate(max(rtol / REFERENCE, FINEST), choices[0])
    judge = _Judge(reference)
    done = measure_each(choices, partial(simulate, rtol), progress, patience=patience, memory=memory)
    finer = max(rtol / FINER, FINEST)
    remarks = {
        choice: judge.remark(one.result, finer, partial(simulate, finer, choice)) for choice, one in done.items()
    }
    if progress is not None:
        progress(1.0)
    return FormulationComparison(
        title=mechanism.title,
        end=float(times[-1]),
        samples=len(times),
        rtol=rtol,
        free=reference.free,
        runs=tuple(judge.run(choice, one, remarks[choice]) for choice, one in done.items()),
        not_unique=judge.not_unique,
        abandoned=tuple(choice for choice in choices if choice not in done),
        patience=patience,
    )


def check_formulations(
    mechanism: Mechanism,
    end: ArrayLike,
    samples: int | None,
    *,
    free: Sequence[str],
    methods: Sequence[str] | None,
    coordinates: Sequence[str] | None,
    stabilisations: Sequence[str] | None,
    alpha: float | None,
    beta: float | None,
    rtol: float | None,
    duration: float | None,
    patience: float | None,
    budget: float | None,
) -> Floats:
    """Return the output times (n,) [s]; `InputError` lists every problem of the arguments."""
    methods, coordinates, stabilisations, rtol = _chosen(methods, coordinates, stabilisations, rtol)
    problems = check_names("methods", methods, FORMULATIONS) + check_names("coordinates", coordinates, FAMILIES)
    problems += check_names("stabilisations", stabilisations, STABILISATIONS) + check_patience(patience)
    for key, given in (("duration", duration is not None), ("budget", budget != DEFAULT)):
        if given:
            problems.append(Problem(key, "the comparison of simulations has none", "leave it out"))
    return _times(mechanism, end, samples, free, _gains(stabilisations, alpha, beta), rtol, problems)


def _chosen(
    methods: Sequence[str] | None,
    coordinates: Sequence[str] | None,
    stabilisations: Sequence[str] | None,
    rtol: float | None,
) -> tuple[Sequence[str], Sequence[str], Sequence[str], float]:
    """Return what these stand for where they are None."""
    return (
        FORMULATIONS if methods is None else methods,
        FAMILIES if coordinates is None else coordinates,
        ("projection",) if stabilisations is None else stabilisations,
        COMPARED_RTOL if rtol is None else rtol,
    )


def _gains(
    stabilisations: Sequence[str], alpha: float | None, beta: float | None
) -> Mapping[str, Mapping[str, float | None]]:
    """Return the gains of each stabilisation; of those that take none only where no other does: this is an error."""
    taking = [name for name in stabilisations if name in WITH_GAINS] or stabilisations
    return {name: {"alpha": alpha, "beta": beta} if name in taking else {} for name in stabilisations}


def _times(
    mechanism: Mechanism,
    end: ArrayLike,
    samples: int | None,
    free: Sequence[str],
    gains: Mapping[str, Mapping[str, float | None]],
    rtol: float,
    problems: list[Problem],
) -> Floats:
    """Return the output times (n,) [s]; `InputError` lists these `problems`, and those of the simulations."""
    times = np.zeros(1)
    for how in [name for name in gains if name in STABILISATIONS] or ["projection"]:
        options = {**NO_OPTIONS, "stabilisation": how, **gains.get(how, {})}
        try:
            times, _, _ = check_call(
                mechanism, end, samples, free, "multipliers", "DOP853", None, rtol, 1.0, (), 1, "auto", None, options
            )
        except InputError as error:
            named = [one if one.key != "t" else Problem("simulate", one.message, one.hint) for one in error.problems]
            problems += [one for one in named if one not in problems]
    raise_problems(problems, mechanism.title)
    return times


class _Judge:
    """Compares simulations with a reference."""

    def __init__(self, reference: Simulation) -> None:
        self.reference = reference
        self.joints = [
            (joint.id, link)
            for joint in reference.mechanism.topology.joints
            for link in joint.links
            if reference.joints.unique_force(joint.id, link)
        ]
        unique = {id for id, _ in self.joints}
        ids = [joint.id for joint in reference.mechanism.topology.joints]
        self.not_unique = tuple(id for id in ids if id not in unique)
        self.forces = self._forces(reference)

    def _forces(self, simulation: Simulation) -> Floats:
        """Return the joint forces that are unique (forces, n) [N]."""
        found = [simulation.joints.reaction(id, link).T for id, link in self.joints]
        return np.concatenate(found) if found else np.zeros((0, len(simulation)))

    def gaps(self, simulation: Simulation) -> tuple[float | None, float | None, float | None, float | None]:
        """Return the differences in position, velocity, reaction and energy."""
        other, energy = self.reference, float(np.nanmax(self.reference.kinetic_energy))
        return (
            _gap(places(simulation, 0), places(other, 0), other.size),
            _gap(places(simulation, 1), places(other, 1)),
            _gap(self._forces(simulation), self.forces),
            _gap(simulation.energy[None], other.energy[None], energy),
        )

    def remark(self, simulation: Simulation, finer: float, again: Callable[[], Simulation]) -> str:
        """Return why a run differs; `again` repeats it with the tolerance `finer`. Empty where it agrees."""
        if len(simulation) != len(self.reference):
            mine, other = simulation.stopped or "it did not", self.reference.stopped or "it did not"
            return f"stopped elsewhere: {mine}; the reference: {other}"
        bounds = zip(("position", "velocity", "reaction"), FORMULATIONS_AGREE, strict=True)
        found = [(name, gap or 0.0, most) for (name, most), gap in zip(bounds, self.gaps(simulation), strict=False)]
        apart = [k for k, (_, gap, most) in enumerate(found) if gap >= most]
        if not apart:
            return ""
        second = [gap or 0.0 for gap in self.gaps(again())]
        parts = [f"{found[k][0]} {found[k][1]:.0e}, at rtol {finer:.0e} {second[k]:.0e}" for k in apart]
        integrated = all(second[k] < 0.5 * found[k][1] for k in apart)
        why = "an error of integration" if integrated else "not an error of integration"
        return f"{why}: {'; '.join(parts)}"

    def run(self, choice: Choice, measured: Measured[Simulation], remark: str) -> FormulationRun:
        """Return the record of a formulation."""
        simulation = measured.result
        position, velocity, reaction, energy = self.gaps(simulation)
        q, multipliers = simulation.q, simulation.multipliers
        return FormulationRun(
            *choice,
            n=len(simulation.free) if q is None else q.shape[1],
            m=0 if multipliers is None else multipliers.shape[1],
            steps=simulation.integration.steps,
            evaluations=simulation.integration.evaluations,
            **measured.costs,
            position=position,
            velocity=velocity,
            reaction=reaction,
            energy=energy,
            violation=float(np.nanmax(simulation.violation)),
            stopped=simulation.stopped,
            remark=remark,
        )


def _gap(values: Floats, others: Floats, unit: float | None = None) -> float | None:
    """Return the largest difference (rows, n), relative to a unit or to the largest of `others`; None without any.

    Samples beyond the end of the shorter run, and those without a value in both, are left out.
    """
    n = min(values.shape[1], others.shape[1])
    known = np.isfinite(values[:, :n]) & np.isfinite(others[:, :n])
    if not known.any():
        return None
    largest = np.max(np.abs(others[:, :n][known])) if unit is None else unit
    return float(np.max(np.abs(values[:, :n] - others[:, :n])[known]) / (largest or 1.0))
