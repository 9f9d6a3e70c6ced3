"""Where along a line of inputs the poses of a group are looked at, and the poses there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.branches.assemblies.choices import choices_of
from structkin.branches.assemblies.wheels import whole_turns
from structkin.branches.circuits.discriminant import Discriminant, Sign
from structkin.branches.circuits.lines import Line
from structkin.branches.circuits.zeros import samples
from structkin.branches.homotopy.modes import equations_of
from structkin.groups import General
from structkin.plan.plan import Plan

Floats = NDArray[np.float64]

#: Places at which a group with redundant joints is looked at, in each piece of a line: it has no discriminant.
EACH = 6


def samples_along(line: Line, plan: Plan, index: int) -> Floats:
    """Return places on a line, at least one between any two at which the number of modes of a step changes."""
    step = plan.steps[index]
    kind = step.kind

    def inputs(s: Floats) -> tuple[Any, ...]:
        rows = line.rows(s)
        return tuple(map(np.asarray, plan.inputs(step, rows)))

    if kind.closed_form:

        def margin(s: Floats) -> Sign:
            with np.errstate(all="ignore"):
                value = kind.margin(inputs(s))
                value = np.ones(1) if value is None else np.atleast_1d(np.asarray(value, float))
                found = Sign(np.log(np.abs(value)), np.sign(value), np.where(value > 0, kind.modes, 0))
            return found.over(len(s))

        return samples(margin, line.edges)
    if _is_redundant(kind, line, inputs):
        edges = line.edges
        parts = (np.arange(EACH) + 0.5) / EACH
        return np.sort((edges[:-1, None] + np.diff(edges)[:, None] * parts).ravel())
    discriminant = Discriminant(kind)
    return samples(lambda s: discriminant.of(inputs(s)).over(len(s)), line.edges)


def _is_redundant(form: General, line: Line, inputs: Any) -> bool:
    if form.rows.count > 3 * form.rows.links:
        return True
    edges = line.edges
    h = inputs(0.4 * edges[:-1] + 0.6 * edges[1:])
    shape = np.broadcast_shapes(*(np.shape(x)[-1:] for x in h)) if h else (1,)
    wide = [np.broadcast_to(x, (*np.shape(x)[:-1], *shape)) for x in map(np.atleast_1d, h)]
    for lane in range(shape[0]):
        one = tuple(x[..., [lane]] for x in wide)
        if all(np.isfinite(x).all() for x in one):
            return equations_of(form, one)[0] is None
    return False


def poses_over(plan: Plan, rows: Floats, index: int, stop: int) -> Iterator[Floats]:
    """Yield the slots (r,) of each regular pose of the steps from `index` up to `stop`, the ones before being known."""
    if index == stop:
        yield rows
        return
    step = plan.steps[index]
    h = plan.inputs(step, rows[:, None])
    if not all(np.isfinite(x).all() for x in h):
        return
    for choice in choices_of(step, h, whole_turns(plan, index)).items:
        if not np.isnan(choice.alpha):
            full = rows.copy()
            for slot, value in zip(step.outputs, choice.outputs, strict=True):
                full[plan.rows(slot)] = value
            yield from poses_over(plan, full, index + 1, stop)
