"""Adams, Bashforth and Moulton's method of fourth order with Milne's error estimate, halving and doubling its step.

Predictor and corrector (Flores & Lankarani, eqs. 164-169) have the local errors 251/720 h^5 y^(5) and -19/720 h^5
y^(5). So their difference gives the error of the corrected value (Milne's device):

    error = 19 / 270 |corrected - predicted|

A step whose error exceeds the tolerance is repeated with half the length; the rates between the past ones are then
interpolated by the polynomial through five of them. Where the error stays far below, every second one of the past rates
suffices to continue with twice the step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DenseOutput, OdeSolver
from scipy.interpolate import KroghInterpolator

from structkin.numerical_tolerances import WHOLE
from structkin.types import Floats

#: The step is doubled if the tolerance exceeds the error by this factor: doubling multiplies the error by 32.
ROOM = 100.0
#: Rates that are kept: doubling uses every second one.
KEPT = 7


class ABM4Milne(OdeSolver):
    """The method as one of SciPy's solvers: `rtol` and `atol` bound the estimated error of each step."""

    def __init__(
        self,
        fun: Callable[[float, Floats], Floats],
        t0: float,
        y0: Floats,
        t_bound: float,
        rtol: float,
        atol: float,
        first_step: float | None = None,
        max_step: float = np.inf,
        **extraneous: Any,
    ) -> None:
        """Choose a first step, if none is given, in which the state changes little."""
        super().__init__(fun, t0, y0, t_bound, vectorized=False)
        self.rtol, self.atol = rtol, atol
        self.f: Floats = self.fun(self.t, self.y)
        room = abs(t_bound - t0)
        if first_step is None:
            pace = self._size(self.f, self.y)
            first_step = 0.01 / pace if pace > 0 else room / 100
        self.h, self.max_step = min(first_step, room / 4, max_step), max_step
        #: Rates before the present one, the latest first, at equal steps h.
        self._past: list[Floats] = []
        self._before: tuple[float, Floats, Floats] | None = None
        self._dense: tuple[Any, ...] = ()
        self.halvings = self.doublings = 0

    def _size(self, change: Floats, y: Floats) -> float:
        """Return a change relative to the tolerance, over rtol: the root of the mean square."""
        scale = self.atol / self.rtol + np.abs(y)
        return float(np.sqrt(np.mean((change / scale) ** 2)))

    def _step_impl(self) -> tuple[bool, str | None]:
        while True:
            if self.h < 10 * abs(np.nextafter(self.t, np.inf) - self.t):
                return False, self.TOO_SMALL_STEP
            last = self.t + self.h * (1 + WHOLE) >= self.t_bound
            if last and self.t + self.h * (1 - WHOLE) > self.t_bound:
                # The end cuts the last step short, so that the past rates do not fit.
                self.h, self._past = self.t_bound - self.t, []
            y, error = self._begin() if len(self._past) < 3 else self._advance()
            error /= self.rtol
            if error <= 1.0:
                break
            if not np.isfinite(error):
                self.h, self._past = 0.5 * self.h, []
            else:
                self._halve()
        self._accept(y, self.t_bound if last else self.t + self.h)
        if error < 1.0 / ROOM:
            self._double()
        return True, None

    def _begin(self) -> tuple[Floats, float]:
        """Return a step by RK4 in two halves, and its error from one whole step (Richardson)."""
        whole = self._rk4(self.t, self.y, self.f, self.h)
        half = self._rk4(self.t, self.y, self.f, 0.5 * self.h)
        middle = self.t + 0.5 * self.h
        y = self._rk4(middle, half, self.fun(middle, half), 0.5 * self.h)
        return y, self._size((y - whole) / 15, y)

    def _rk4(self, t: float, y: Floats, first: Floats, h: float) -> Floats:
        second = self.fun(t + 0.5 * h, y + 0.5 * h * first)
        third = self.fun(t + 0.5 * h, y + 0.5 * h * second)
        return np.asarray(y + h / 6 * (first + 2 * second + 2 * third + self.fun(t + h, y + h * third)))

    def _advance(self) -> tuple[Floats, float]:
        """Return a step by predictor and corrector, and its error."""
        f0, (f1, f2, f3) = self.f, self._past[:3]
        predicted = self.y + self.h / 24 * (55 * f0 - 59 * f1 + 37 * f2 - 9 * f3)
        rate = self.fun(self.t + self.h, predicted)
        y = self.y + self.h / 24 * (9 * rate + 19 * f0 - 5 * f1 + f2)
        return y, self._size(19 / 270 * (y - predicted), y)

    def _accept(self, y: Floats, t: float) -> None:
        present = self.t, self.y, self.f
        nodes = [x for x in (self._before, present) if x is not None]
        self._past = [self.f, *self._past[: KEPT - 1]]
        self._before = present
        self.t, self.y, self.f = t, y, self.fun(t, y)
        self._dense = (*nodes, (self.t, self.y, self.f))

    def _halve(self) -> None:
        """Halve the step, with interpolated past rates where there are enough of them."""
        self.halvings += 1
        self.h *= 0.5
        if len(self._past) < 4:
            self._past = []
            return
        f0, (f1, f2, f3, f4) = self.f, self._past[:4]
        first = (35 * f0 + 140 * f1 - 70 * f2 + 28 * f3 - 5 * f4) / 128
        third = (-f0 + 24 * f1 + 54 * f2 - 16 * f3 + 3 * f4) / 64
        self._past = [first, f1, third]

    def _double(self) -> None:
        """Double the step where enough past rates are known."""
        if len(self._past) < 6 or self.t + 2 * self.h > self.t_bound or 2 * self.h > self.max_step:
            return
        self.doublings += 1
        self.h *= 2
        self._past = self._past[1::2]

    def _dense_output_impl(self) -> DenseOutput:
        return _Hermite(self.t_old, self.t, self._dense)


class _Hermite(DenseOutput):
    """The polynomial through states and rates at the last two or three steps."""

    def __init__(self, t_old: float, t: float, nodes: tuple[Any, ...]) -> None:
        super().__init__(t_old, t)
        places = np.repeat([node[0] for node in nodes], 2)
        values = [part for node in nodes for part in node[1:]]
        self._polynomial = KroghInterpolator(places - t, np.array(values))
        self._end = t

    def _call_impl(self, t: Any) -> Any:
        return np.asarray(self._polynomial(t - self._end)).T
