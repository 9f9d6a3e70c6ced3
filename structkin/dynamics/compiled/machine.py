"""The reduced equations by one text, as plain Python or compiled, with `Reduced` where it cannot decide.

Next to flat poses, and where a path may lead past one, `Reduced` finds pose and rates; from there the text continues
with the power series that `Reduced` has found.

Plain Python and compiled code give the same numbers to the last bit. So a run may begin in plain Python, which needs no
preparation, and go on compiled where the work turns out to be worth it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.compiled.memory import Lists, Memory
from structkin.dynamics.compiled.modules import equations_module, equations_stored, is_loaded
from structkin.dynamics.compiled.packing import Packed
from structkin.dynamics.compiled.runs import AHEAD
from structkin.dynamics.compiled.series_at import HEAD, MANY
from structkin.dynamics.compiled.source import plain_equations, plain_step
from structkin.dynamics.integrators.methods import METHODS
from structkin.dynamics.reduced.equations import Instant, Reduced
from structkin.dynamics.reduced.partition import LIMIT
from structkin.dynamics.reduced.pose import roots_at, slopes_at
from structkin.dynamics.reduced.series import VALID, Series
from structkin.kernels.choice import has_numba
from structkin.track.contour import POWERS, UNIT, powers

Floats = NDArray[np.float64]

#: Part of the path to a flat pose at which a series begins: it must cover the last pose and the poses beyond.
NEARLY = 0.92
#: Steps times numbers of the pose that are taken before the run is asked again: compiled, and in plain Python.
TURN, SHORT_TURN = 200_000, 2_000
#: Seconds that plain Python takes, roughly, for an evaluation and for each step of the plan in it.
EVALUATION, A_STEP = 3e-5, 3e-5
#: Seconds of plain Python after which a run goes on compiled: where the code has been loaded, where it was compiled
#: before on this machine, and where it was not. So no run takes much more than twice the time of the better road.
LOADED, STORED, NEW = 0.02, 0.5, 20.0


class Hastened(Reduced):
    """The reduced equations, evaluated by their text: each time from the pose of the last evaluation."""

    def __init__(self, equations: Reduced, packed: Packed, t: float, y: Floats, *, engine: str) -> None:
        """Take equations in their present state, with the time and state of their first evaluation.

        The `engine` is "numpy" for plain Python, "numba" for compiled code, "auto" for one after the other.
        """
        vars(self).update(vars(equations))
        # The poses to follow are `_plain.poses`: what `preserved` exchanges there is not exchanged in `self.poses`.
        self._plain, self._kinds, self._compiled = equations, packed.kinds, False
        self._mem: Any = Lists(packed.mem, [plain_step(kind.plain) for kind in packed.kinds])
        self._module: Mapping[str, Callable[..., Any]] = plain_equations()
        self._seconds = EVALUATION + A_STEP * len(packed.kinds)
        self._patience = math.inf
        if engine == "numba":
            self._compile(packed.mem)
        elif engine == "auto" and has_numba():
            stored = equations_stored() and all(kind.is_stored for kind in packed.kinds)
            loaded = stored and is_loaded()
            self._patience = (LOADED if loaded else STORED if stored else NEW) / self._seconds
        self._order = np.array(packed.order)
        self._known: Sequence[Series] = ()
        self._adopted: Floats | None = None
        #: How often the equations themselves were evaluated.
        self.handed_over = 0
        self.by_equations(t, y)

    # --- evaluations --------------------------------------------------------------------------------------

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        self.evaluations += 1
        out = np.empty(len(y))
        if self._run("rate", float(t), y, out):
            return out
        return np.concatenate((y[len(y) // 2 :], self.by_equations(t, y).z[self.free, 2]))

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state; `NoPoseError` where the pose is not regular."""
        self.evaluations += 1
        if not self._run("evaluate", float(t), y, len(self._order)):
            return self.by_equations(t, y)
        self._run("finish")
        self._run("find_efforts", float(t))
        z, efforts, mem = np.empty((len(self._order), 3)), np.empty(len(self._order)), self._mem
        z[self._order] = np.transpose(mem.z)
        efforts[self._order] = mem.efforts
        x, turns = np.array(mem.x)[:, :, None], np.array(mem.new_turned, dtype=np.float64)
        return Instant(x, z, efforts, turns, float(mem.kinetic), float(mem.power))

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the last pose before, whatever is evaluated within."""
        known, adopted, mem, patience = self._known, self._adopted, self._mem, self._patience
        self._mem, self._patience = mem.copy(), math.inf
        with self._plain.preserved():
            try:
                yield
            finally:
                self._mem, self._patience, self._known, self._adopted = mem, patience, known, adopted

    def recorded(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state that is recorded."""
        instant = self.at(t, y)
        if self._mem.aside:
            return self._plain.recorded(t, y)
        if not self._mem.smooth:
            return instant
        # A smaller circle within that of the series.
        series = next(one for one in self._known if one.holds(y[:1]))
        places = series.place_of(y[:1]) / series.radius + VALID * UNIT
        return replace(instant, around=series.powers[0] @ places ** np.arange(POWERS)[:, None])

    def slots(self, t: float, y: Floats) -> tuple[Floats, Floats] | None:
        """Return slots (rows,) at a state, and K (free, rows) of the free coordinates; None at a flat pose."""
        if not self._run("evaluate", float(t), y, len(y) // 2):
            self._lend()
            return self._plain.slots(t, y)
        if self._mem.smooth:
            return None
        self.look_ahead(t, y)
        # If no other coordinates are found now, they are searched again when these have become much worse.
        self._mem.put(uneven=max(LIMIT, 1.5 * self._run("fastest_joint")))
        return np.array(self._mem.x[0]), np.array(self._mem.K)[: len(y) // 2]

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        super().remember(t, y)
        if self.contacts:
            self._mem.put(met=[self.impacts.get(id, np.nan) for id in self.contacts])
            self._plain._last = None  # the forces have changed there too

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        if not self._run("evaluate", float(t), y, len(y) // 2):
            return super().touches(t, y)
        self._run("find_touches")
        return dict(zip(self.contacts, map(tuple, np.transpose(self._mem.touches).tolist()), strict=True))

    def look_ahead(self, t: float, y: Floats) -> bool:
        """Expand a series around a flat pose that lies ahead of a state; return whether one may lie there."""
        if not (self._run("evaluate", float(t), y, len(y) // 2) and self._run("goes_flat")):
            return False
        self._lend()
        steps, look = self._plain.poses.steps, np.array(self._mem.look)
        sizes = np.abs(np.array(self._mem.roots[0])[steps])
        look[steps] = np.where(sizes < AHEAD, 0.0 if self._smooth_ahead() else 0.5 * sizes, np.inf)
        self._mem.put(look=look)
        return True

    def _smooth_ahead(self) -> bool:
        """Return whether roots that approach zero vanish at a flat pose; then a series is expanded around it."""
        poses = self._plain.poses
        if poses.last is None or poses.last.smooth:
            return False
        slopes, sizes = poses.slopes[0], np.abs(poses.last.roots)
        rates = np.array(self._mem.roots[1])[poses.steps]
        going = np.flatnonzero((sizes < AHEAD) & (poses.last.roots * rates <= 0) & (slopes != 0))
        if not len(going):
            return False
        first = going[np.argmin(sizes[going] / np.abs(slopes[going]))]
        if not poses.foresee(poses.last.q - NEARLY * poses.last.roots[first] / slopes[first], int(first)):
            return False
        self._take_series()
        return True

    def advance(
        self,
        method: str,
        start: float,
        end: float,
        begin: int,
        count: int,
        last: int,
        y: Floats,
        jump: float,
        huge: float,
    ) -> tuple[int, Floats]:
        """Take as many of the steps `begin` to `last` as possible without a check of the pose.

        They are among `count` equal ones from `start` to `end`. Return how many are done, and the state after them.
        """
        y, h = y.copy(), (end - start) / count
        before, done, looked = int(self._mem.count), begin, -1
        while done < last:
            # Compiled code cannot be interrupted: it returns after the steps of a fraction of a second.
            turn = 1 + (TURN if self._compiled else SHORT_TURN) // self.plan.offsets[-1]
            until = min(last, done + turn)
            done = self._run("advance", METHODS[method].number, start, end, done, until, count, y, jump, huge)
            if done == until:
                continue
            if done == looked or not self.look_ahead(start + done * h, y):
                break
            looked = done
        self.evaluations += int(self._mem.count) - before
        return done, y

    # --- the two roads ------------------------------------------------------------------------------------

    def _run(self, function: str, *args: Any) -> Any:
        """Call a function of the equations' text."""
        if not self._compiled and self._mem.count > self._patience:
            self._compile(Memory(vars(self._mem)))
        if self._compiled:
            return self._module[function](self._mem.I, self._mem.D, *args)
        return self._module[function](self._mem, *args)

    def _compile(self, mem: Memory) -> None:
        """Go on with compiled code, in these arrays."""
        mem.put(step=[kind.address() for kind in self._kinds])
        self._mem, self._module, self._compiled = mem, vars(equations_module()), True

    # --- to and from the equations ------------------------------------------------------------------------

    def by_equations(self, t: float, y: Floats) -> Instant:
        """Evaluate the equations themselves, and continue from their pose."""
        self.handed_over += 1
        self._lend()
        instant = self._plain.at(t, y)
        self._adopt(t, instant)
        return instant

    def _lend(self) -> None:
        """Let the equations continue from the last evaluation, if it was not theirs."""
        found = np.array(self._mem.last)
        if self._adopted is None or np.array_equal(found, self._adopted):
            return
        last, steps = np.empty(len(found)), self._plain.poses.steps
        last[self._order] = found
        roots, kept, turned = (np.array(part) for part in (self._mem.roots[0], self._mem.kept, self._mem.turned))
        self._plain.resume(last, kept, roots[steps], turned)

    def _adopt(self, t: float, instant: Instant) -> None:
        """Continue from the state of the equations."""
        poses, mem = self._plain.poses, self._mem
        assert poses.last is not None
        roots, single = np.array(mem.roots), len(self._order) == 1
        roots[0, poses.steps] = poses.last.roots
        roots[1, poses.steps] = slopes_at(self.plan, poses.steps, instant.x[0, :, 0], instant.x[1].T)[0]
        self._adopted = poses.last.q[self._order]
        mem.put(
            x=instant.x[:, :, 0], z=instant.z[self._order].T, kept=instant.x[0, :, 0], second=instant.z[self.free, 2],
            kinetic=instant.kinetic, power=instant.power, turned=poses.turns, clock=t, roots=roots, last=self._adopted,
            # With several coordinates the equations themselves are used around a flat pose.
            aside=not single and poses.last.smooth, smooth=single and poses.last.smooth,
        )  # fmt: skip
        if len(self._order) == 1:
            self._take_series()

    def _take_series(self) -> None:
        """Copy the equations' series, with series of the roots."""
        poses = self._plain.poses
        known = poses.series[-MANY:]
        if len(known) == len(self._known) and all(a is b for a, b in zip(known, self._known, strict=True)):
            return
        self._known = known
        arrays = np.zeros_like(self._mem.series)
        for line, series in zip(arrays, known, strict=False):
            slots = series.powers[0]
            # Roots are functions of the places: their coefficients come from their values on the circle, by a Fourier
            # transform.
            nodes = slots @ UNIT ** np.arange(POWERS)[:, None]
            roots = powers(roots_at(self.plan, poses.steps, nodes))[:, :POWERS]
            line[:HEAD] = series.place[0], series.directions[0, 0], series.radius
            line[HEAD:] = np.concatenate((slots, roots.real)).ravel()
        self._mem.put(series=arrays)
