"""Mechanisms that move by special geometry: redundant joints that agree, as in a parallelogram with three cranks.

By topology alone they are immobile: it does not show that, with these dimensions, some joints repeat the constraints of
others. So where the generic structure leaves a driver without effect, the drivers are given priority, the joints that
are then redundant are named, and the mechanism is moved a few steps from its sketch with all joints active. If they
agree, it moves. Every joint and every driver has to close, also where no step of the plan contains its equations.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from structkin.errors import InputError, Problem, StructureError
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import RESIDUAL
from structkin.plan.compile import DrawnSingularError, determines_all, record_plan
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.always_singular import always_singular
from structkin.solve.closure import closing_error, poses_of
from structkin.solve.schedule import Schedule
from structkin.solve.sweep import smooth_sweep
from structkin.structure import KinematicStructure, decompose

#: The steps that confirm a motion: to one side of the sketch, up to this angle [rad] or part of the size.
STEPS, ANGLE, PART = 5, 0.02, 0.004


#: Results for a mechanism, kept as long as it exists: it cannot change.
_structures: WeakKeyDictionary[Mechanism, KinematicStructure] = WeakKeyDictionary()
_plans: WeakKeyDictionary[Mechanism, Plan] = WeakKeyDictionary()


def structure_of(mechanism: Mechanism) -> KinematicStructure:
    """Return the kinematic structure of a mechanism; see `Mechanism.structure`."""
    if mechanism not in _structures:
        _structures[mechanism] = _find_structure(mechanism)
    return _structures[mechanism]


def _find_structure(mechanism: Mechanism) -> KinematicStructure:
    generic = decompose(mechanism.topology)
    if generic.under or determines_all(generic):
        return generic
    special = decompose(mechanism.topology, drivers_first=True)
    try:
        compile_plan(mechanism, special)
    except StructureError:
        return generic
    return special


def compile_plan(mechanism: Mechanism, structure: KinematicStructure | None = None) -> Plan:
    """Compile a mechanism; where joints are redundant, make sure that they agree around the sketch.

    Raises `StructureError` where drivers are missing or too many, or where redundant joints contradict each other;
    `InputError` where groups are drawn in a singular position, or are singular in every pose.
    """
    if structure is None:
        if mechanism not in _plans:
            _plans[mechanism] = compile_plan(mechanism, structure_of(mechanism))
        return _plans[mechanism]
    plan, drawn = _recorded(mechanism, structure)
    if singular := {**drawn, **always_singular(mechanism, plan, drawn)}:
        raise InputError(list(singular.values()), mechanism.title or "mechanism")
    if structure.over and not _moves(mechanism, plan):
        contradiction = Problem(
            ", ".join(dict.fromkeys(item.id for item in structure.over)),
            "the redundant joints do not agree with the others away from the sketch: the mechanism is a structure",
            "check the dimensions (equal bars need equal [lengths]), or leave a joint out",
        )
        raise StructureError([*structure.diagnostics, contradiction], mechanism.title or "mechanism")
    return plan


def _recorded(mechanism: Mechanism, structure: KinematicStructure) -> tuple[Plan, dict[int, Problem]]:
    """Return the plan, and the problems of groups that are drawn in a singular position."""
    try:
        return record_plan(mechanism, structure), {}
    except DrawnSingularError as error:
        return error.plan, error.groups


def _moves(mechanism: Mechanism, plan: Plan) -> bool:
    """Move each driver from the sketch, and return whether every step closes; one side suffices, as at a limit."""
    places = np.array(list(mechanism.places.values()))
    size = float(np.max(np.abs(places - places[0]), initial=0.0)) or 1.0
    reach = {id: ANGLE if drive.kind == "angle" else PART * size for id, drive in mechanism.drivers.items()}
    return _closes(mechanism, plan) and all(
        any(_closes(mechanism, plan, id, side * far) for side in (1, -1)) for id, far in reach.items()
    )


def _closes(mechanism: Mechanism, plan: Plan, moved: str | None = None, far: float = 0.0) -> bool:
    """Return whether all joints and drivers close in the sketch, and while a driver moves so far [rad or m] from it."""
    drives, shifts = mechanism.drivers, np.linspace(0, far, STEPS + 1)
    values = {id: np.full((3, len(shifts)), np.nan) for id in drives}
    for id, z in values.items():
        z[0] = drives[id].start + (shifts if id == moved else 0.0)
    schedule = Schedule(mechanism, np.full(len(shifts), np.nan), values, frozenset(drives))
    lanes = smooth_sweep(plan, schedule)
    # A change point is singular but can be passed, even where guides meet at infinity.
    passed = np.isin(lanes.status, (Status.OK, Status.SINGULAR))
    error = closing_error(poses_of(mechanism, plan, lanes.x[0]), drives, {id: z[0] for id, z in values.items()})
    return bool((passed & ~(error > RESIDUAL)).all())
