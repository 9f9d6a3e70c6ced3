"""Mechanisms that move by special geometry: redundant joints that agree, as in a parallelogram with three cranks.

By topology alone they are immobile: it does not show that, with these dimensions, some joints repeat the constraints of
others. So where the generic structure leaves a driver without effect, the drivers are given priority, the joints that
are then redundant are named, and the mechanism is moved a few steps from its sketch with all joints active. If they
agree, it moves. Every joint and every driver has to close, also where no step of the plan contains its equations.

Other groups close but are singular in every pose: a beam that stays square between two parallel rails. Their links can
shake although nothing drives them; no choice of the range helps, only another joint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import cast
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from structkin.budget import metered
from structkin.errors import InputError, Problem, StructureError
from structkin.groups import General
from structkin.groups.solve_lanes import solve_lanes
from structkin.model.mechanism import Mechanism
from structkin.model.topology import Topology
from structkin.numerical_tolerances import DETERMINED, DOUBLE_ZERO, RESIDUAL, ROUNDING_OF_ONE
from structkin.plan.compile import DrawnSingularError, determines_all, record_plan
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.closure import closing_error, poses_of
from structkin.solve.engine import Lanes, discriminant, step_inputs, sweep
from structkin.solve.schedule import Schedule
from structkin.solve.sweep import sweep_between
from structkin.solve.tracking import unpacked
from structkin.structure import KinematicStructure, decompose
from structkin.structure.inputs.candidates import coordinate, label_of
from structkin.structure.parts import Group
from structkin.types import Floats

# --- groups that are singular in every pose ------------------------------------------------------------------------

#: The poses that are examined: each driver moves to either side by these angles [rad] or tenths of the size.
SHIFTS = (0.02, 0.1, 0.4, 1.0, 2.0, 3.0)
#: The same of a general group, of which other assemblies may be found farther away.
NEAR = SHIFTS[:2]
#: Other inputs that are tried in the place of a driver, and the steps that each may take; in mechanisms of at most so
#: many links and drivers.
OTHERS, FEW, SMALL, MOST_DRIVERS = 4, 20, 40, 4
#: Steps to a pose that closes; they converge quadratically.
RETURNS = 50


def always_singular(mechanism: Mechanism, plan: Plan, drawn: Collection[int]) -> dict[int, Problem]:
    """Return a problem for each group, by index, that closes but is singular wherever drivers are.

    Of groups with a closed form the discriminant vanishes; behind a general group that is singular itself they are not
    known. Of general groups the first is examined that is `drawn` in a singular position, if a driver moves it.
    """
    suspects = [k for k, step in enumerate(plan.steps) if step.kind.closed_form]
    # Most mechanisms are regular in the sketch.
    for shifts in ((), SHIFTS):
        if suspects:
            lanes = _solved(mechanism, replace(plan, steps=plan.steps[: suspects[-1]]), shifts)
            suspects = [k for k in suspects if _vanish(np.abs(discriminant(plan, k, lanes)), DOUBLE_ZERO)]
    general = next((k for k in plan.followed if plan.steps[k].group in drawn), None)
    if general is not None and plan.movers[plan.steps[general].outputs[0]]:
        lanes = _solved(mechanism, replace(plan, steps=plan.steps[:general]), NEAR)
        if _vanish(_least_singular_values(plan, general, lanes), DETERMINED):
            suspects.append(general)
    return {group: _problem(plan, group) for group in dict.fromkeys(plan.steps[k].group for k in suspects)}


def _solved(mechanism: Mechanism, plan: Plan, shifts: tuple[float, ...]) -> Lanes:
    """Return the pose of the sketch, and those with each driver moved from there by `shifts`."""
    drives, moves = mechanism.drivers, np.array([*shifts, *(-shift for shift in shifts)])
    lanes = Lanes.empty(plan, 1 + len(drives) * len(moves))
    drivers = {id: np.zeros((3, len(lanes.status))) for id in drives}
    for k, (id, drive) in enumerate(drives.items()):
        unit = drive.unit(0.1 * mechanism.size)
        drivers[id][0] = drive.start
        drivers[id][0, 1 + k * len(moves) :][: len(moves)] += unit * moves
    sweep(plan, lanes, drivers, lambda step: plan.steps[step].mode)
    return lanes


def _vanish(sizes: Floats, zero: float) -> bool:
    """Return whether sizes (n,) are zero in all poses that can be reached, if not only in the first."""
    known = np.isfinite(sizes)
    return bool(known[0] and (len(sizes) == 1 or known[1:].any()) and not (sizes > zero).any())


def _least_singular_values(plan: Plan, index: int, lanes: Lanes) -> Floats:
    """Return the smallest singular value (n,) of a general group, NaN where no pose near the sketch closes.

    Poses of a group that is singular in all of them are not isolated. Levenberg's and Marquardt's method whose
    parameter is the gap converges to one of them (Yamashita and Fukushima, Computing Supplementum 15, 2001).
    """
    step, n = plan.steps[index], len(lanes.status)
    form, h = cast(General, step.kind), step_inputs(plan, lanes, step, 0)
    m, size = form.rows.links, form.rows.size
    frames, angles = np.array(step.start[: 2 * m]), np.real(step.start[2 * m :])
    begun = *np.stack((frames.real, frames.imag), axis=1), *angles
    O, theta = unpacked(form, [np.repeat(np.asarray(one)[..., None], n, -1) for one in begun])
    for _ in range(RETURNS):
        J, gaps = form.jacobian(h, form.unknowns(O, theta)), form.gaps(h, O, theta) / size
        parameter = np.linalg.norm(gaps, axis=0)[:, None, None] + ROUNDING_OF_ONE
        x = J.swapaxes(1, 2) @ solve_lanes(J @ J.swapaxes(1, 2) + parameter * np.eye(3 * m), -gaps.T)[..., None]
        dO, turn = np.split(np.moveaxis(x, 0, -1).reshape(m, 3, n), [2], axis=1)
        O, theta = O + size * dO, theta + turn[:, 0]
    found = form.smallest_singular_value(h, form.unknowns(O, theta))
    return np.where(np.abs(form.gaps(h, O, theta)).max(axis=0) < RESIDUAL * size, found, np.nan)


def _problem(plan: Plan, index: int) -> Problem:
    group = plan.structure.groups[index]
    message = f"{group.label} closes, but is singular in every pose: its links can shake"
    return Problem(", ".join(group.joints), message, "let one end slide, or leave one of these joints out")


# --- mechanisms that move by special geometry ----------------------------------------------------------------------

#: The steps that confirm a motion: to one side of the sketch, up to this angle [rad] or part of the size.
STEPS, ANGLE, PART = 5, 0.02, 0.004


#: Results for a mechanism, kept as long as it exists: it cannot change.
_structures: WeakKeyDictionary[Mechanism, KinematicStructure] = WeakKeyDictionary()
_plans: WeakKeyDictionary[Mechanism, Plan] = WeakKeyDictionary()
#: Those of topologies, with drivers first or not, as long as a mechanism has them: variants of one share its own.
_decomposed: WeakValueDictionary[tuple[Topology, bool], KinematicStructure] = WeakValueDictionary()


def structure_of(mechanism: Mechanism) -> KinematicStructure:
    """Return the kinematic structure of a mechanism; see `Mechanism.structure`."""
    if mechanism not in _structures:
        try:
            _structures[mechanism] = _find_structure(mechanism)
        except DrawnSingularError as error:
            raise _singular(mechanism, error) from None
    return _structures[mechanism]


def _find_structure(mechanism: Mechanism) -> KinematicStructure:
    generic = _structure_by_topology(mechanism.topology)
    if generic.under or determines_all(generic):
        return generic
    special = _structure_by_topology(mechanism.topology, drivers_first=True)
    try:
        _compiled(mechanism, special)
    except StructureError:
        return generic
    return special


def _structure_by_topology(topology: Topology, *, drivers_first: bool = False) -> KinematicStructure:
    known = _decomposed.get((topology, drivers_first))
    if known is None:
        known = _decomposed[topology, drivers_first] = decompose(topology, drivers_first=drivers_first)
    return known


def compile_plan(mechanism: Mechanism, structure: KinematicStructure | None = None) -> Plan:
    """Compile a mechanism; where joints are redundant, make sure that they agree around the sketch.

    Raises `StructureError` where drivers are missing or too many, or where redundant joints contradict each other;
    `InputError` where groups are drawn in a singular position, or are singular in every pose.
    """
    if structure is None:
        if mechanism not in _plans:
            _plans[mechanism] = compile_plan(mechanism, structure_of(mechanism))
        return _plans[mechanism]
    try:
        return _compiled(mechanism, structure)
    except DrawnSingularError as error:
        raise _singular(mechanism, error) from None


def _compiled(mechanism: Mechanism, structure: KinematicStructure) -> Plan:
    """Compile a mechanism as `compile_plan` does; raise `DrawnSingularError` where groups are singular."""
    plan, drawn = _recorded(mechanism, structure)
    if singular := {**drawn, **always_singular(mechanism, plan, drawn)}:
        raise DrawnSingularError(singular, plan)
    if structure.over and not _moves(mechanism, plan):
        contradiction = Problem(
            ", ".join(dict.fromkeys(item.id for item in structure.over)),
            "the redundant joints do not agree with the others away from the sketch: the mechanism is a structure",
            "check the dimensions (equal bars need equal [lengths]), or leave a joint out",
        )
        raise StructureError([*structure.diagnostics, contradiction], mechanism.title or "mechanism")
    return plan


def _singular(mechanism: Mechanism, error: DrawnSingularError) -> InputError:
    """Return the problems of singular groups; those that move by themselves with the hint that makes them run."""
    is_known = any(one == _problem(error.plan, index) for index, one in error.groups.items())
    if resting := [] if is_known else [*_at_rest(mechanism)]:
        return InputError(resting, mechanism.title or "mechanism")
    general = {error.plan.steps[k].group for k in error.plan.followed}
    problems = [
        replace(one, hint=(index in general and _remedy(mechanism, error.plan.structure.groups[index])) or one.hint)
        for index, one in error.groups.items()
    ]
    return InputError(problems, mechanism.title or "mechanism")


def _at_rest(mechanism: Mechanism) -> Iterator[Problem]:
    """Yield a problem for each driver that is at rest however the mechanism moves: it has no regular pose.

    Another input in its place moves the mechanism, and all the while the driver's coordinate keeps its value.
    """
    data, topology = mechanism.source_dict, mechanism.topology
    is_small = len(topology.links) <= SMALL and len(topology.drivers) <= MOST_DRIVERS
    for own in topology.drivers if is_small else ():
        kept = [driver for driver in topology.drivers if driver != own]
        drive, entries = mechanism.drivers[own.id], {one.id: data["drivers"][one.id] for one in kept}
        for choice in mechanism.rank_inputs(drivers=kept, limit=OTHERS):
            new = [driver for driver in choice.drivers if driver not in kept]
            if len(new) != 1 or new[0].kind == "distance" or coordinate(new[0]) == coordinate(own):
                continue
            try:
                drivers = {**entries, new[0].id: new[0].entry}
                trial = Mechanism.from_dict({**data, "drivers": drivers}, folder=mechanism._folder)
                plan, drawn = _recorded(trial, _find_structure(trial))
                with metered(FEW, lambda: Problem("drivers", "take too long to move"), trial.title):
                    lanes = _solved(trial, plan, NEAR)
            except (InputError, DrawnSingularError):
                continue
            poses = poses_of(trial, plan, lanes.x[0])
            error = closing_error(poses, {own.id: drive}, {own.id: np.array([drive.start])})
            if not drawn and np.isfinite(error[1:]).any() and not (error > RESIDUAL).any():
                message = "is at rest however the mechanism moves: every pose is singular"
                yield Problem(f"drivers.{own.id}", message, f"drive {label_of(topology, new[0])} instead")
                break


def _remedy(mechanism: Mechanism, group: Group) -> str:
    """Return which bar of a singular group can go, if it moves by itself as a plate on equal legs; else nothing.

    Without the bar, the drivers or one more at another leg move the group, and the ends of the bar keep their distance.
    """
    data, joint_of = mechanism.source_dict, mechanism.topology.joint
    ends = {link: [one.id for one in mechanism.topology.joints if link in one.links] for link in group.links}
    kept = {id: entry for id, entry in data.get("drivers", {}).items() if id not in group.drivers}
    driver = "drive"
    while driver in {*mechanism.places, *mechanism.joints, *mechanism.drivers, *mechanism.forces.loads}:
        driver += "_"
    bars = [link for link, at in ends.items() if len(at) == 2 and {joint_of(id).kind for id in at} == {"R"}]
    said = f" instead of {' and '.join(group.drivers)}" if group.drivers else ""
    for bar in reversed(bars):
        links = {link: value for link, value in data["links"].items() if link != bar}
        leg = next((id for id, _ in group.exterior if id in group.joints and id not in ends[bar]), "")
        more = {driver: {"joint": leg, "links": joint_of(leg).links[:2]}} if leg else {}
        for drivers, drive in ((kept, ""), ({**kept, **more}, f", and drive {leg}{said}")):
            try:
                trial = Mechanism.from_dict({**data, "links": links, "drivers": drivers}, folder=mechanism._folder)
                plan = _compiled(trial, _find_structure(trial))
            except (InputError, DrawnSingularError):
                continue
            poses = poses_of(trial, plan, _solved(trial, plan, NEAR).x[0])
            first, second = (poses.at(poses.holders[point][0], point) for point in ends[bar])
            apart = np.abs(second - first)
            known = np.isfinite(apart)
            if known[-2 * len(NEAR) :].any() and np.ptp(apart[known]) <= RESIDUAL * mechanism.size:
                return f"leave out {bar}, which repeats what the others do{drive}"
    return ""


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
    lanes, _ = sweep_between(plan, schedule)
    # A change point is singular but can be passed, even where guides meet at infinity.
    passed = np.isin(lanes.status, (Status.OK, Status.SINGULAR))
    error = closing_error(poses_of(mechanism, plan, lanes.x[0]), drives, {id: z[0] for id, z in values.items()})
    return bool((passed & ~(error > RESIDUAL)).all())
