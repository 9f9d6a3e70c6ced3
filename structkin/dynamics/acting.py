"""Loads at the poses of a motion: the points and directions that they act on, and the forces on these."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from structkin.dynamics.load_formulas import add_loads
from structkin.dynamics.load_table import LoadTable, uncovered
from structkin.dynamics.user_loads import known_state, no_times, when
from structkin.errors import InputError, Problem
from structkin.model.parts import Law
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import MovingFrames
from structkin.types import Floats


class Acting:
    """The loads of a table at the poses of a motion: what `load_formulas` works with, over n samples.

    `met[id]` (n,) are the impact speeds of a contact's bodies, `limits[id]` (n,) the limits of a friction.
    """

    def __init__(self, motion: Motion, table: LoadTable) -> None:
        """Read places and rates of all expressions (e, 2, n)."""
        self.motion, self.table = motion, table
        parts = table.parts()
        self.springs, self.spring_sizes = parts["springs"], parts["spring_sizes"]
        self.torsions, self.torsion_sizes = parts["torsions"], parts["torsion_sizes"]
        self.frictions, self.friction_sizes = parts["frictions"], parts["friction_sizes"]
        self.contacts, self.contact_sizes = parts["contacts"], parts["contact_sizes"]
        self.pushes, self.moments = parts["pushes"], parts["moments"]
        frames = MovingFrames(motion.mechanism, motion.plan, motion.lanes)
        found = table.expressions(motion.plan.frames)
        shape = len(found), 2, len(motion)
        self.place, self.speed = (np.array([frames.value(one, k).T for one in found]).reshape(shape) for k in (0, 1))

    def forces(self, met: Mapping[str, Floats], limits: Mapping[str, Floats]) -> Floats:
        """Return the force on each expression (e, 2, n)."""
        push, named = np.zeros_like(self.place), self.table.named
        self.sizes = [
            law_values(law, self.motion, id) for law, id in zip(self.table.laws, self.table.owners, strict=True)
        ]
        turn = self.motion.turn
        self.turns = [turn(load.links[1]) - turn(load.links[0]) for load in named.get("torsions", ())]
        self.friction_limits = [limits.get(load.id, load.limit) for load in named.get("frictions", ())]
        self.met = [met[load.id] for load in named.get("contacts", ())]
        with np.errstate(invalid="ignore", divide="ignore"):
            add_loads(self, 0.0, self.place, self.speed, push)
        return push


def law_values(law: Law, motion: Motion, id: str) -> Floats:
    """Return the value (n,) of a law at the motion's times; a constant also has one where there is no time.

    Raises `InputError` where a load has no value although the motion has a state.
    """
    t = np.where(np.isfinite(motion.t), motion.t, 0.0) if law.speed == 0.0 else motion.t
    values = np.asarray(law(t)[0], dtype=np.float64)
    if (bad := np.flatnonzero(~np.isfinite(values) & known_state(motion))).size:
        first, last = int(bad[0]), int(bad[-1])
        message = f"has no value {when(motion, first)}"
        if last > first and last - first + 1 == bad.size and np.isfinite(motion.t[[first, last]]).all():
            message += f" to {motion.t[last]:.6g} s"
        hint = no_times(motion)
        if law.span is not None and not hint:
            hint = uncovered(law.span)
        raise InputError([Problem(f"forces.{id}", message, hint)], motion.mechanism.title or "loads")
    return values
