"""Whole turns of a link that drives wheels: how many of them lead to different poses.

A link of which only the direction is known may have turned whole turns more. Wheels behind it then stand elsewhere,
unless their ratios are whole numbers: behind a ratio 1 : 2 there are two poses, and after two turns all is back.
"""

from __future__ import annotations

from structkin.groups import Turn, kind
from structkin.plan.plan import Plan, Slot
from structkin.plan.relations import Sum

#: More turns than this are not listed.
MOST = 60
#: Ratios nearer than this to a fraction are that fraction.
EXACT = 1e-9


def whole_turns(plan: Plan, index: int) -> int | None:
    """Return after how many turns of what step `index` counts all poses are back; None if after none up to 60.

    It is 1 for steps that count no turns.
    """
    step = plan.steps[index]
    if not isinstance(step.kind, Turn):
        return 1
    # How far each scalar goes in one turn, in whole turns.
    rates, wheels = {step.outputs[0]: 1.0}, list[float]()
    for later in plan.steps[index + 1 :]:
        moved = [rates.get(x.index, 0.0) if isinstance(x, Slot) else 0.0 for x in later.inputs]
        if not any(moved):
            continue
        if isinstance(later.kind, Sum):
            total = sum(factor * rate for factor, rate in zip(later.kind.factors, moved, strict=True))
            rates[later.outputs[0]] = total
        elif isinstance(later.kind, type(kind("R-G"))):
            wheels.append(sum(moved))
        else:
            # A rack goes on with every turn, and what a larger group does with it is not known here.
            return None
    for turns in range(1, MOST + 1):
        if all(abs(turns * rate - round(turns * rate)) < EXACT * turns for rate in wheels):
            return turns
    return None
