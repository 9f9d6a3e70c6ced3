"""Mechanisms that move by special geometry: redundant joints that agree, as in a parallelogram with three cranks.

By topology alone they are immobile: it does not show that, with these dimensions, some joints repeat the constraints of
others. So where the generic structure leaves a driver without effect, the drivers are given priority, the joints that
are then redundant are named, and the mechanism is moved a few steps from its sketch with all joints active. If they
agree, it moves.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from structkin.errors import Problem, StructureError
from structkin.model.mechanism import Mechanism
from structkin.plan.compile import determines_all, record_plan
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.schedule import Schedule
from structkin.solve.sweep import smooth_sweep
from structkin.structure import KinematicStructure, decompose

#: The steps that confirm a motion: to either side of the sketch, of this angle [rad] or part of the size.
STEPS, ANGLE, PART = 5, 0.02, 0.004


#: Results for a mechanism, kept as long as it exists: it cannot change.
_structures: WeakKeyDictionary[Mechanism, KinematicStructure] = WeakKeyDictionary()
_plans: WeakKeyDictionary[Mechanism, Plan] = WeakKeyDictionary()


def structure_of(mechanism: Mechanism) -> KinematicStructure:
    """Return the kinematic structure of a mechanism: that of its topology, or that of its special geometry.

    The first reads no length. The second is returned where the topology has too many equations but the mechanism
    moves: its `over` names the redundant joints.
    """
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

    Raises `StructureError` where drivers are missing or too many, or where redundant joints contradict each other.
    """
    if structure is None:
        if mechanism not in _plans:
            _plans[mechanism] = compile_plan(mechanism, structure_of(mechanism))
        return _plans[mechanism]
    plan = record_plan(mechanism, structure)
    if structure.over and not _moves(mechanism, plan):
        contradiction = Problem(
            ", ".join(dict.fromkeys(item.id for item in structure.over)),
            "the redundant joints do not agree with the others away from the sketch: the mechanism is a structure",
            "check the dimensions (equal bars need equal [lengths]), or leave a joint out",
        )
        raise StructureError([*structure.diagnostics, contradiction], mechanism.title or "mechanism")
    return plan


def _moves(mechanism: Mechanism, plan: Plan) -> bool:
    """Move each driver to either side of the sketch, and return whether every step closes."""
    places = np.array(list(mechanism.places.values()))
    size = float(np.max(np.abs(places - places[0]), initial=0.0)) or 1.0
    drives = mechanism.drivers
    for moved in drives:
        reach = ANGLE if drives[moved].kind == "angle" else PART * size
        shifts = np.concatenate((np.linspace(0, 1, STEPS + 1), np.linspace(1, -1, 2 * STEPS + 1)[1:])) * reach
        values = {id: np.full((3, len(shifts)), np.nan) for id in drives}
        for id, z in values.items():
            z[0] = drives[id].start + (shifts if id == moved else 0.0)
        schedule = Schedule(mechanism, np.full(len(shifts), np.nan), values, frozenset(drives))
        status = smooth_sweep(plan, schedule).status
        # A change point is singular but can be passed.
        if not np.isin(status, (Status.OK, Status.SINGULAR)).all():
            return False
    return True
