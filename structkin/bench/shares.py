"""Where the time of the topological methods goes: the counterpart of Figs. 5 and 6 of Saura et al."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.bench.measure import values
from structkin.groups import General
from structkin.kinematics import compile_plan
from structkin.kinematics.engine import BLOCK, Lanes, drive_all, step_inputs
from structkin.model import Mechanism

#: The operations. A closed form has no Jacobian to build: position is its Phi, the 2 x 2 solves hold Phi_phi.
OPERATIONS = ("position", "right-hand sides", "velocity", "acceleration", "K and L", "other")


#: Passes of which the fastest counts, for each operation.
PASSES = 7


def shares(mechanism: Mechanism) -> Mapping[str, float]:
    """Return the part of the time that each operation takes, the group functions being called on blocks of lanes."""
    passes = [_pass(mechanism) for _ in range(PASSES)]
    spent = {operation: min(one[operation] for one in passes) for operation in OPERATIONS}
    total = sum(spent.values())
    return {operation: spent[operation] / total for operation in OPERATIONS}


def _pass(mechanism: Mechanism) -> dict[str, float]:
    plan = compile_plan(mechanism)
    lanes = Lanes.empty(plan, BLOCK)
    z = values(len(mechanism.drives), 0, BLOCK)
    spent: dict[str, float] = defaultdict(float)
    zeros: Any = (0.0,) * 4

    def timed(operation: str, work: Any) -> Any:
        began = time.process_time()
        result = work()
        spent[operation] += time.process_time() - began
        return result

    began = time.process_time()
    drive_all(plan, lanes, dict(zip(mechanism.drives, np.swapaxes(z, 0, 1), strict=True)))
    for step in plan.steps:
        form = step.kind
        assert not isinstance(form, General)
        h, dh, ddh = (step_inputs(plan, lanes, step, order) for order in range(3))
        margin = timed("position", lambda form=form, h=h: form.margin(h))
        root = None if margin is None else step.mode * np.sqrt(margin)
        phi = timed("position", lambda form=form, h=h, root=root: form.position(h, root))
        rates = timed("velocity", lambda form=form, h=h, phi=phi, dh=dh: form.linear(h, phi, dh, zeros))
        g = timed(
            "right-hand sides",
            lambda form=form, h=h, phi=phi, dh=dh, v=rates: form.convective(h, phi, dh, v, dh, v),
        )
        second = timed("acceleration", lambda form=form, h=h, phi=phi, ddh=ddh, g=g: form.linear(h, phi, ddh, g))
        # At unit speed the chain of K and L is that of the rates once more.
        timed("K and L", lambda form=form, h=h, phi=phi, dh=dh: form.linear(h, phi, dh, zeros))
        timed("K and L", lambda form=form, h=h, phi=phi, dh=dh, v=rates: form.convective(h, phi, dh, v, dh, v))
        timed("K and L", lambda form=form, h=h, phi=phi, ddh=ddh, g=g: form.linear(h, phi, ddh, g))
        for order, found in enumerate((phi, rates, second)):
            for slot, value in zip(step.outputs, found, strict=True):
                lanes.x[order, plan.rows(slot)] = value
    spent["other"] = time.process_time() - began - sum(spent.values())
    return spent
