"""Coordinates, stabilisation and gains of a simulation: the choice, and its errors."""

from __future__ import annotations

from structkin.dynamics.integrators.methods import ADAPTIVE, FIXED, FORGIVING
from structkin.dynamics.multipliers.stabilisation import (
    GAINS,
    Augmented,
    Feedback,
    Partitioning,
    Projection,
    Stabilisation,
    chosen_gains,
)
from structkin.errors import Problem
from structkin.global_methods.families import FAMILIES
from structkin.model.arguments import is_number
from structkin.model.topology import suggest

#: Methods that keep the constraints closed.
STABILISATIONS = ("none", "baumgarte", "augmented", "partitioning", "projection")
#: Penalty (in masses of the mechanism) and corrections of the augmented Lagrangian method.
PENALTY, CORRECTIONS = 1e7, 10


def check_stabilisation(
    formulation: str,
    integrator: str,
    step: float | None,
    problems: list[Problem],
    *,
    coordinates: str | None,
    stabilisation: str | None,
    alpha: float | None,
    beta: float | None,
    gains: str | None,
    penalty: float | None,
) -> Stabilisation | None:
    """Return the method of a formulation with multipliers, None for the reduced one; errors are added to `problems`."""
    given = {
        "coordinates": coordinates, "stabilisation": stabilisation, "alpha": alpha, "beta": beta, "gains": gains,
        "penalty": penalty,
    }  # fmt: skip
    if coordinates is not None and coordinates not in FAMILIES:
        problems.append(Problem("coordinates", f"'{coordinates}' is unknown", suggest(str(coordinates), FAMILIES)))
        given["coordinates"] = None
    if not str(formulation).startswith("multipliers"):
        if formulation != "reduced":
            return None
        hint = 'it applies to formulation = "multipliers"'
        problems += [
            Problem(key, "the reduced formulation has no constraints to stabilise", hint)
            for key, value in given.items()
            if value is not None
        ]
        return None
    name = stabilisation or ("partitioning" if integrator in ADAPTIVE and integrator not in FORGIVING else "projection")
    before = len(problems)
    if name not in STABILISATIONS:
        problems.append(Problem("stabilisation", f"'{name}' is unknown", suggest(str(name), STABILISATIONS)))
    for key, value in (("alpha", alpha), ("beta", beta)):
        if value is not None and not (is_number(value) and value >= 0):
            problems.append(Problem(key, f"{value!r} is not a gain of zero or more [1/s]"))
    if gains is not None and gains not in GAINS:
        problems.append(Problem("gains", f"'{gains}' is unknown", suggest(str(gains), GAINS)))
    if penalty is not None and not (is_number(penalty) and penalty > 0):
        problems.append(Problem("penalty", f"{penalty!r} is not a positive number"))
    if len(problems) > before:
        return None
    feedback = _feedback(name, alpha, beta, gains, integrator, step, problems)
    if name == "projection" and integrator in ADAPTIVE and integrator not in FORGIVING:
        problems.append(
            Problem("stabilisation", f"projection changes the state after a step, but {integrator} relies on "
                    "earlier states", 'use "partitioning", or an integrator among ' + ", ".join(FORGIVING))
        )  # fmt: skip
    if name != "augmented":
        if penalty is not None:
            problems.append(Problem("penalty", f"'{name}' has no penalty", 'stabilisation = "augmented" has one'))
        return Partitioning() if name == "partitioning" else Projection() if name == "projection" else feedback
    return Augmented(feedback, penalty or PENALTY, CORRECTIONS)


def _feedback(
    name: str,
    alpha: float | None,
    beta: float | None,
    gains: str | None,
    integrator: str,
    step: float | None,
    problems: list[Problem],
) -> Feedback:
    given = {"alpha": alpha, "beta": beta}
    if name not in ("baumgarte", "augmented"):
        problems += [
            Problem(key, f"'{name}' has no gains", 'stabilisation = "baumgarte" has them')
            for key, value in (*given.items(), ("gains", gains))
            if value is not None
        ]
        return Feedback()
    if gains is not None:
        problems += [
            Problem(key, "cannot be combined with gains", "leave out one of the two")
            for key, value in given.items()
            if value is not None
        ]
        if integrator not in FIXED:
            hint = "give alpha and beta, or use an integrator with a fixed step"
            problems.append(Problem("gains", f"require a fixed step, but {integrator} chooses its own", hint))
        elif is_number(step) and float(step or 0.0) > 0:
            return Feedback(*chosen_gains(gains, integrator, float(step or 0.0)))
        return Feedback()
    problems += [
        Problem(key, f"{name} needs this gain", f'such as {key} = 5.0, or gains = "stability"')
        for key, value in given.items()
        if value is None
    ]
    return Feedback(alpha or 0.0, beta or 0.0)
