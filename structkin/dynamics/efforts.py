"""Efforts of free coordinates given in the file: torques of angles, forces of travels and distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.types import Floats


def given_efforts(mechanism: Mechanism, drivers: Sequence[str], t: float) -> Floats:
    """Return the efforts (f,) [N m or N] of these drivers at a time, zero where the file gives none.

    Raises `InputError` where one has no value: outside its table, or where its formula has none.

    >>> arm = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "arm": ["A", "B"]},
    ...                 drivers={"swing": {"joint": "A", "torque": "2*t"}})
    >>> given_efforts(arm, ["swing"], 3.0).tolist()
    [6.0]
    """
    efforts = np.zeros(len(drivers))
    for k, id in enumerate(drivers):
        law = mechanism.forces.efforts.get(id)
        if law is None:
            continue
        efforts[k] = float(law(np.array([t]))[0][0])
        if not np.isfinite(efforts[k]):
            span = "" if law.span is None else f"its table covers {law.span[0]:g} s to {law.span[1]:g} s"
            problem = Problem(f"drivers.{id}", f"its effort has no value at t = {t:.6g} s", span)
            raise InputError([problem], mechanism.title or "simulate")
    return efforts
