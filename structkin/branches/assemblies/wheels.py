"""Whole turns of a link that drives wheels: how many of them lead to different poses.

A link of which only the direction is known may have made further whole turns. The wheels that it drives then have other
angles, unless their ratios are whole numbers: with a ratio 1 : 2 there are two poses, and all repeat after two turns.
"""

from __future__ import annotations

import math

from structkin.groups import Turn, kind
from structkin.numerical_tolerances import WHOLE
from structkin.plan.plan import Plan, Register, Step
from structkin.plan.relations import Sum

#: More turns than this are not listed.
MOST = 60


def whole_turns(plan: Plan, index: int) -> int | None:
    """Return the number of turns counted by step `index` after which all poses repeat; None if more than 60.

    It is 1 for steps that count no turns.
    """
    step = plan.steps[index]
    return _until_back(step.outputs[0], plan.steps[index + 1 :]) if isinstance(step.kind, Turn) else 1


def turns_of_driver(plan: Plan, driver: str) -> int | None:
    """Return the number of turns of an angle driver after which all wheels that it drives directly repeat.

    None if there are more than 60.
    """
    slots = [item.register for item in plan.drivers if item.driver == driver and not item.angular]
    turns = [_until_back(slot, plan.steps) for slot in slots]
    return None if None in turns else math.lcm(*(n for n in turns if n is not None))


def repeats(plan: Plan) -> dict[int, int] | None:
    """Return the turns after which poses repeat, by the slot of each counted turn; None if more than 60 for any."""
    found = {step.outputs[0]: whole_turns(plan, k) for k, step in enumerate(plan.steps) if isinstance(step.kind, Turn)}
    return None if None in found.values() else {slot: n for slot, n in found.items() if n is not None}


def _until_back(slot: int, steps: tuple[Step, ...]) -> int | None:
    # How far each scalar moves in one turn, in whole turns.
    rates, wheels = {slot: 1.0}, list[float]()
    for later in steps:
        moved = [rates.get(x.index, 0.0) if isinstance(x, Register) else 0.0 for x in later.inputs]
        if not any(moved):
            continue
        if isinstance(later.kind, Sum):
            total = sum(factor * rate for factor, rate in zip(later.kind.factors, moved, strict=True))
            rates[later.outputs[0]] = total
        elif isinstance(later.kind, type(kind("R-G"))):
            wheels.append(sum(moved))
        else:
            # A rack moves on with every turn, and what a larger group does with it is not known here.
            return None
    for turns in range(1, MOST + 1):
        if all(abs(turns * rate - round(turns * rate)) < WHOLE * turns for rate in wheels):
            return turns
    return None
