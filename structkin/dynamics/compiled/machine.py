"""The reduced equations by the compiled module, with the equations themselves where it cannot decide.

Next to flat poses, and where a path may lead past one, `Reduced` finds pose and rates; from there the
compiled module continues with the power series that `Reduced` has found.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.compiled.modules import equations_module
from structkin.dynamics.compiled.packing import Packed
from structkin.dynamics.compiled.runs import AHEAD
from structkin.dynamics.compiled.series_at import HEAD, MANY
from structkin.dynamics.integrators.methods import METHODS
from structkin.dynamics.reduced.equations import Instant, Reduced
from structkin.dynamics.reduced.partition import LIMIT
from structkin.dynamics.reduced.pose import roots_at, slopes_at
from structkin.dynamics.reduced.series import VALID, Series
from structkin.track.contour import POWERS, UNIT, powers

Floats = NDArray[np.float64]

#: Part of the path to a flat pose at which a series begins: it must cover the last pose and the poses beyond.
NEARLY = 0.92
#: Steps times numbers of the pose that compiled code takes before it returns.
TURN = 200_000


class Hastened(Reduced):
    """The reduced equations, evaluated by the compiled module: each time from the pose of the last evaluation."""

    def __init__(self, equations: Reduced, packed: Packed, t: float, y: Floats) -> None:
        """Take equations in their present state, with the time and state of their first evaluation."""
        vars(self).update(vars(equations))
        # The poses to follow are `_plain.poses`: what `preserved` exchanges there is not exchanged in `self.poses`.
        self._plain, self._module = equations, equations_module()
        self._mem = packed.mem
        self._arrays = self._mem.I, self._mem.D
        self._mem.step = [kind.address() for kind in packed.kinds]
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
        if self._module.rate(*self._arrays, t, y, out):
            return out
        return np.concatenate((y[len(y) // 2 :], self.by_equations(t, y).z[self.free, 2]))

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state; `NoPoseError` where the pose is not regular."""
        self.evaluations += 1
        if not self._module.evaluate(*self._arrays, t, y, len(self._order)):
            return self.by_equations(t, y)
        self._module.finish(*self._arrays)
        self._module.find_efforts(*self._arrays, t)
        z, efforts = np.empty((len(self._order), 3)), np.empty(len(self._order))
        z[self._order] = self._mem.z.T
        efforts[self._order] = self._mem.efforts
        x, turns = self._mem.x[:, :, None].copy(), self._mem.new_turned.copy()
        return Instant(x, z, efforts, turns, float(self._mem.kinetic), float(self._mem.power))

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards from the last pose before, whatever is evaluated within."""
        known, adopted = self._known, self._adopted
        arrays = [array.copy() for array in self._arrays]
        with self._plain.preserved():
            try:
                yield
            finally:
                for array, old in zip(self._arrays, arrays, strict=True):
                    array[:] = old
                self._known, self._adopted = known, adopted

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
        if not self._module.evaluate(*self._arrays, t, y, len(y) // 2):
            self._lend()
            return self._plain.slots(t, y)
        if self._mem.smooth:
            return None
        self.look_ahead(t, y)
        # If no other coordinates are found now, they are searched again when these have become much worse.
        self._mem.uneven = max(LIMIT, 1.5 * self._module.fastest_joint(*self._arrays))
        return self._mem.x[0].copy(), self._mem.K.reshape(len(self._order), -1)[: len(y) // 2].copy()

    def remember(self, t: float, y: Floats) -> None:
        """Note the impact speeds of the bodies that touch at the end of a step."""
        super().remember(t, y)
        if self.contacts:
            self._mem.met = [self.impacts.get(id, np.nan) for id in self.contacts]
            self._plain._last = None  # the forces have changed there too

    def touches(self, t: float, y: Floats) -> dict[str, tuple[float, float]]:
        """Return the depth [m] of each contact and its rate [m/s]."""
        if not self._module.evaluate(*self._arrays, t, y, len(y) // 2):
            return super().touches(t, y)
        self._module.find_touches(*self._arrays)
        return dict(zip(self.contacts, map(tuple, self._mem.touches.T.tolist()), strict=True))

    def look_ahead(self, t: float, y: Floats) -> bool:
        """Expand a series around a flat pose that lies ahead of a state; return whether one may lie there."""
        if not (self._module.evaluate(*self._arrays, t, y, len(y) // 2) and self._module.goes_flat(*self._arrays)):
            return False
        self._lend()
        poses = self._plain.poses
        sizes = np.abs(self._mem.roots[0, poses.steps])
        found = self._smooth_ahead()
        self._mem.look[poses.steps] = np.where(sizes < AHEAD, 0.0 if found else 0.5 * sizes, np.inf)
        return True

    def _smooth_ahead(self) -> bool:
        """Return whether roots that approach zero vanish at a flat pose; then a series is expanded around it."""
        poses = self._plain.poses
        if poses.last is None or poses.last.smooth:
            return False
        slopes, sizes = poses.slopes[0], np.abs(poses.last.roots)
        rates = self._mem.roots[1, poses.steps]
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
        mem, y, h = self._mem, y.copy(), (end - start) / count
        before, done, looked, turn = int(mem.count), begin, -1, 1 + TURN // self.plan.offsets[-1]
        while done < last:
            # Compiled code cannot be interrupted: it returns after the steps of a fraction of a second.
            until = min(last, done + turn)
            done = self._module.advance(
                *self._arrays, METHODS[method].number, start, end, done, until, count, y, jump, huge
            )
            if done == until:
                continue
            if done == looked or not self.look_ahead(start + done * h, y):
                break
            looked = done
        self.evaluations += int(mem.count) - before
        return done, y

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
        found = self._mem.last
        if self._adopted is None or np.array_equal(found, self._adopted):
            return
        last, steps = np.empty(len(found)), self._plain.poses.steps
        last[self._order] = found
        roots = self._mem.roots[0, steps]
        self._plain.resume(last, self._mem.kept, roots, self._mem.turned)

    def _adopt(self, t: float, instant: Instant) -> None:
        """Continue from the state of the equations."""
        poses, mem = self._plain.poses, self._mem
        assert poses.last is not None
        mem.x, mem.z = instant.x[:, :, 0], instant.z[self._order].T
        # With several coordinates the equations themselves are used around a flat pose.
        mem.aside = len(self._order) > 1 and poses.last.smooth
        mem.kept = instant.x[0, :, 0]
        mem.second = instant.z[self.free, 2]
        mem.kinetic, mem.power = instant.kinetic, instant.power
        mem.turned = poses.turns
        mem.clock, mem.smooth = t, poses.last.smooth and len(self._order) == 1
        mem.last = poses.last.q[self._order]
        roots = mem.roots
        roots[0, poses.steps] = poses.last.roots
        roots[1, poses.steps] = slopes_at(self.plan, poses.steps, instant.x[0, :, 0], instant.x[1].T)[0]
        self._adopted = mem.last.copy()
        if len(self._order) == 1:
            self._take_series()

    def _take_series(self) -> None:
        """Copy the equations' series, with series of the roots."""
        poses = self._plain.poses
        known = poses.series[-MANY:]
        if len(known) == len(self._known) and all(a is b for a, b in zip(known, self._known, strict=True)):
            return
        self._known = known
        arrays = self._mem.series
        arrays[:] = 0.0
        for line, series in zip(arrays, known, strict=False):
            slots = series.powers[0]
            # Roots are functions of the places: their coefficients come from their values on the circle, by a Fourier
            # transform.
            nodes = slots @ UNIT ** np.arange(POWERS)[:, None]
            roots = powers(roots_at(self.plan, poses.steps, nodes))[:, :POWERS]
            line[:HEAD] = series.place[0], series.directions[0, 0], series.radius
            line[HEAD:] = np.concatenate((slots, roots.real)).ravel()
