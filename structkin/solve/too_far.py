"""The message for a call that exceeds its budget: the driver, its law, and what to do."""

from __future__ import annotations

import numpy as np

from structkin.budget import HINT, TOGETHER
from structkin.errors import Problem
from structkin.model.mechanism import Mechanism
from structkin.solve.schedule import Schedule


def law_words(mechanism: Mechanism, id: str, *, by_values: bool = False) -> str:
    """Return what moves a driver, as written in its file.

    >>> crank = Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...                   drivers={"motor": {"joint": "A", "law": "t**2"}})
    >>> law_words(crank, "motor")
    'its law "t**2"'
    """
    entry = mechanism.source_dict.get("drivers", {}).get(id, {})
    for name in () if by_values else ("law", "speed", "csv"):
        if name in entry:
            return f'its {name} "{entry[name]}"'
    return "its table" if "table" in entry and not by_values else "its input"


def too_far(schedule: Schedule, numbers: int, budget: float | None) -> Problem:
    """Return the problem to report where a schedule exceeds the budget; each pose takes this many `numbers`."""
    mechanism, added = schedule.mechanism, schedule.added
    distances = {id: distance if np.isfinite(distance := schedule.distance(id)) else np.inf for id in schedule.drivers}
    if not distances:
        return Problem("budget", "is spent before the mechanism is assembled", HINT)
    worst = max(distances, key=lambda id: distances[id])
    law, distance = law_words(mechanism, worst, by_values=worst in schedule.by_values), distances[worst]
    if budget is not None and added * numbers <= TOGETHER * budget:
        # A law may jump between the samples, or pass a pole.
        jumped = schedule.jumped
        distance = max(distance, jumped * schedule.step(worst) / schedule.unit(worst))
        added += jumped
    if budget is None or added * numbers <= TOGETHER * budget:
        message = f"with {law}, following the samples takes far more steps than usual, as it does near singular poses"
        return Problem(f"drivers.{worst}", message, f"try another range of time or values; {HINT}")
    far = (
        f"{distance / (2 * np.pi):.3g} turns"
        if mechanism.drivers[worst].kind == "angle"
        else f"{distance:.3g} times its size"
    )
    if not np.isfinite(distance):
        far = "infinitely far"
    memory = 24 * added * numbers / 2**30
    message = f"{law} moves it {far}, which takes {added:.3g} poses between the samples ({memory:.2g} GiB)"
    return Problem(f"drivers.{worst}", message, f"give a shorter range of time or values; {HINT}")
