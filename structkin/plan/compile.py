"""From a mechanism and its kinematic structure to a plan: a closed form or the general solver for each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from structkin.errors import Problem, StructureError
from structkin.model.mechanism import Mechanism
from structkin.model.separate_parts import links_at
from structkin.plan.bodies import OneEach, solve_fastened
from structkin.plan.builder import PlanBuilder
from structkin.plan.closed_forms import solve_closed, solve_pin
from structkin.plan.gear_trains import solve_geared
from structkin.plan.general_rows import solve_general
from structkin.plan.known_state import KnownState
from structkin.plan.plan import Plan
from structkin.plan.rolling import solve_rolling
from structkin.plan.turns import known_turns
from structkin.rows.affine import Frame
from structkin.structure import Group, KinematicStructure


class DrawnSingularError(Exception):
    """The sketch does not determine the assembly mode of some groups, by index in `groups`; `plan` has any mode.

    Users meet the problems of the groups as an `InputError`.
    """

    def __init__(self, groups: Mapping[int, Problem], plan: Plan) -> None:
        """Collect the problem of each group."""
        self.groups, self.plan = dict(groups), plan
        super().__init__(*map(str, groups.values()))


def determines_all(structure: KinematicStructure) -> bool:
    """Return whether the drivers determine every link; joints may still be redundant."""
    return not structure.under and all(item.kind == "joint" for item in structure.over)


def record_plan(
    mechanism: Mechanism,
    structure: KinematicStructure,
    builder: PlanBuilder | None = None,
    close: Callable[[KnownState, Group, int], Mapping[str, Frame]] | None = None,
) -> Plan:
    """Compile the plan that solves a mechanism group by group; `close` records the steps of one group.

    Redundant joints are included in the last solved of the groups they join, which is then closed by least squares.

    Raises `StructureError` if there are too few or too many drivers, and `DrawnSingularError` if the sketch does not
    determine assembly modes (links of a dyad drawn aligned).
    """
    if not determines_all(structure):
        raise StructureError(structure.diagnostics, mechanism.title or "mechanism")
    builder = builder or PlanBuilder()
    state = KnownState(mechanism, mechanism.topology, builder, mechanism.topology.ground, close or close_group)
    state.solve_all(structure)
    plan = Plan(
        structure,
        tuple(builder.widths),
        tuple(builder.steps),
        tuple(builder.drivers.values()),
        state.frames,
        state.pins,
        mechanism.size,
        _sizes(mechanism, structure),
        known_turns(state),
    )
    if builder.singular:
        raise DrawnSingularError(builder.singular, plan)
    return plan


def _sizes(mechanism: Mechanism, structure: KinematicStructure) -> tuple[float, ...]:
    """Return the size [m] of the part that each group belongs to; a pin belongs to that of the links which it joins."""
    sizes, whole = mechanism._part_sizes, mechanism.size
    return tuple(
        next((sizes[link] for link in links_at(mechanism, links) if link in sizes), whole)
        for links in (group.links or tuple(f"@{pin}" for pin in group.pins) for group in structure.groups)
    )


def close_group(state: KnownState, group: Group, index: int) -> Mapping[str, Frame]:
    """Record the steps of one group, in closed form if there is one, and return its links' frames."""
    if not group.links:
        solve_pin(state, group, index)
        return {}
    fastened = solve_fastened(state, group)
    if fastened is not None:
        return fastened
    merged = OneEach.of(state, group)
    if merged is not None:
        return merged.frames(close_group(merged.state, merged.group, index))
    for solve in (solve_closed, solve_geared, solve_rolling, solve_general):
        frames = solve(state, group, index)
        if frames is not None:
            return frames
    raise AssertionError("the general solver takes every group")
