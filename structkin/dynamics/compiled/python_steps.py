"""Steps of a plan that have no formula, as plain Python: their group functions are called with arrays of one lane.

Such are relations that hold a function (a cam's profile), general groups with redundant joints or along curves, and
groups of users that cannot be traced. They do what the text that `source` writes for the others does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from structkin.dynamics.compiled.steps_at import follow_root
from structkin.dynamics.reduced.counted import LONGEST
from structkin.groups import General, Turn
from structkin.numerical_tolerances import CLOSED, COMPLEX_STEP, DETERMINED, ITERATIONS, NARROW, SIMULATED_TURN
from structkin.plan.plan import Plan, Register, Step
from structkin.solve.tracking.direct import Direct

Run = Callable[[Any, int, int, int, float], int]


def python_step(plan: Plan, step: Step) -> Run:
    """Return the function of a step: see `structkin.dynamics.compiled.source` for what it writes and returns."""
    run = _general(plan, step, step.kind) if isinstance(step.kind, General) else _closed(plan, step)

    def quiet(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
        with np.errstate(all="ignore"):
            return run(mem, s, begin, end, dt)

    return quiet


def _closed(plan: Plan, step: Step) -> Run:
    relation: Any = step.kind
    none, first = (0.0,) * 4, plan.rows(step.outputs[0]).start

    def inputs(slots: Sequence[float], *, rates: bool = False) -> tuple[Any, ...]:
        """Return the inputs in slots (rows,), as one lane; constants have no rates."""
        return plan.inputs(step, np.array(slots)[:, None], constant=not rates)

    def write(target: Any, values: Sequence[Any]) -> None:
        for slot, value in zip(step.outputs, values, strict=True):
            target[plan.rows(slot)] = np.reshape(np.broadcast_to(value, (plan.widths[slot], 1)), -1).tolist()

    def run(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
        h, dh, ddh = inputs(mem.x[0]), inputs(mem.x[1], rates=True), inputs(mem.x[2], rates=True)
        root: Any = None
        found = relation.discriminant(h)
        if isinstance(relation, Turn):
            root = np.array([mem.kept[first]])
        elif found is not None and relation.modes == 1:
            if not step.mode * float(found[0]) > DETERMINED:
                return 0
            root = sqrt(step.mode * float(found[0]))
        elif found is not None:
            root = follow_root(mem, s, float(found[0]), dt)
            if root == 0.0:
                return 0
            ahead = relation.discriminant(tuple(a + 1j * COMPLEX_STEP * b for a, b in zip(h, dh, strict=True)))
            mem.new_roots[0][s], mem.new_roots[1][s] = root, 0.5 * float(ahead[0].imag) / COMPLEX_STEP / root
        phi = relation.position(h, root)
        if isinstance(relation, Turn) and not abs(phi[0] - root)[0] < LONGEST:
            return 0
        rates = relation.linear(h, phi, dh, none)
        second = relation.linear(h, phi, ddh, relation.convective(h, phi, dh, rates, dh, rates))
        for order, values in enumerate((phi, rates, second)):
            write(mem.x[order], values)
        for column in (mem.K[a] for a in mem.moved[begin:end]):
            write(column, relation.linear(h, phi, inputs(column, rates=True), none))
        return 1

    return run


def _general(plan: Plan, step: Step, form: General) -> Run:
    solver = Direct(form, step.known)
    moving = [plan.rows(item.index) for item in step.inputs if isinstance(item, Register)]
    rows = [row for part in moving for row in range(part.start, part.stop)]
    out = slice(plan.rows(step.outputs[0]).start, plan.rows(step.outputs[-1]).stop)
    links = form.rows.links
    directions = [4 * k + 2 + c for k in range(links) for c in range(2)]

    def run(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
        h, d, e = (np.array([[values[row]] for row in rows]).reshape(-1, 1) for values in mem.x)
        near = np.array(mem.kept[out])[:, None]
        pose, change, _ = solver.newton(h, near, ITERATIONS)
        if not change[0] < CLOSED or not np.max(np.abs((pose - near)[directions])) < SIMULATED_TURN:
            return 0
        # Next to a pose where it is singular, Newton's method may find any branch.
        values = solver.values(h), solver.phi(pose)
        if not form.smallest_singular_value(*values)[0] > NARROW:
            return 0
        # Beyond a pose where it is singular, the determinant has the other sign: that is another branch.
        determinant = float(np.linalg.det(form.jacobian(*values)[0]))
        if determinant * mem.roots[0][s] < 0:
            return 0
        mem.new_roots[0][s] = determinant
        for order, part in enumerate((pose, *solver.rates(h, pose, d, e))):
            mem.x[order][out] = part[:, 0].tolist()
        columns = [mem.K[a] for a in mem.moved[begin:end]]
        if columns:
            here, there = (np.repeat(part, len(columns), axis=1) for part in (h, pose))
            along = np.array([[column[row] for column in columns] for row in rows]).reshape(-1, len(columns))
            found, _ = solver.rates(here, there, along, 0.0 * along)
            for column, values in zip(columns, found.T.tolist(), strict=True):
                column[out] = values
        return 1

    return run
