"""The reduced equations by way of the compiled module, with the equations themselves where that does not know.

At flat poses, and where a way may lead past one, `Reduced` finds pose and rates; from its pose the compiled module
goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.compiled import layout
from structkin.dynamics.compiled.modules import equations_module
from structkin.dynamics.compiled.packing import Packed
from structkin.dynamics.reduced import Instant, Reduced
from structkin.groups import General
from structkin.kinematics.derivatives import Part

Floats = NDArray[np.float64]

#: Imaginary step of slopes.
TINY = 1e-30


class Machine:
    """Evaluates the equations of a mechanism, each time from the pose of the last evaluation."""

    def __init__(self, equations: Reduced, packed: Packed) -> None:
        """Begin at the pose at which the equations begin."""
        self.equations, self.packed, self.module = equations, packed, equations_module()
        plan, f = equations.plan, len(packed.order)
        self._arrays = packed.I, packed.D
        packed.part(layout.STEP)[:] = [kind.address() for kind in packed.kinds]
        self._z, self._x = packed.part(layout.Z, 3, f), packed.part(layout.X, 3, -1)
        self._roots, self._clock = packed.part(layout.ROOTS, 2, -1), packed.part(layout.CLOCK)
        self._turned, self._energy = packed.part(layout.TURNED), packed.part(layout.ENERGY)
        self._efforts = packed.part(layout.EFFORTS)
        self._order = np.array(packed.order)
        self._two = [
            k for k, step in enumerate(plan.steps) if not isinstance(step.kind, General) and step.kind.modes == 2
        ]
        self.handed_over = 0

    def start(self, t: float, y: Floats) -> None:
        """Begin at a time and state."""
        self._by_equations(t, y)

    def rate(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state."""
        out = np.empty(len(y))
        if self.module.rate(*self._arrays, t, y, out):
            return out
        return np.concatenate((y[len(y) // 2 :], self._by_equations(t, y).z[self.equations.free, 2]))

    def at(self, t: float, y: Floats) -> Instant:
        """Return everything at a time and state."""
        if not self.module.evaluate(*self._arrays, t, y, 2):
            return self._by_equations(t, y)
        z, efforts = np.empty((len(self._order), 3)), np.empty(len(self._order))
        z[self._order], efforts[self._order] = self._z.T, self._efforts
        return Instant(self._x[:, :, None].copy(), z, efforts, *self._energy[:2].tolist())

    def _by_equations(self, t: float, y: Floats) -> Instant:
        """Evaluate the equations themselves, and go on from their pose."""
        self.handed_over += 1
        for id, angle in zip(self.packed.torsions, self._turned.tolist(), strict=True):
            if id in self.equations.turned:
                self.equations.turned[id] = angle
        instant = self.equations.at(t, y)
        self._adopt(t, instant)
        return instant

    def _adopt(self, t: float, instant: Instant) -> None:
        self._x[:], self._z[:] = instant.x[:, :, 0], instant.z[self._order].T
        self._energy[:2] = instant.kinetic, instant.power
        self._turned[:] = [self.equations.turned[id] for id in self.packed.torsions]
        self._clock[0] = t
        part = Part(self.equations.plan, instant.x[0] + 1j * TINY * instant.x[1])
        for k in self._two:
            step = self.equations.plan.steps[k]
            kind: Any = step.kind
            side = complex(np.asarray(kind.side(part.inputs(step), part.outputs(step))).item())
            self._roots[:, k] = side.real, side.imag / TINY
