"""The text of the equations at work on the arrays of one mechanism, as plain Python or compiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from structkin.compiled import has_numba
from structkin.dynamics.compiled.memory import WHOLE, Lists, Memory
from structkin.dynamics.compiled.packing import Packed
from structkin.dynamics.compiled.source import EQUATIONS, compiled_equations, plain_equations

#: Seconds that plain Python takes, roughly, for an evaluation and for each step of the plan in it.
EVALUATION, A_STEP = 3e-5, 3e-5
#: Seconds of plain Python after which a run goes on compiled: where the code has been loaded, where it was compiled
#: before on this machine, and where it was not. So no run takes much more than twice the time of the better road.
LOADED, STORED, NEW = 0.02, 0.5, 20.0


class Machine:
    """Plain Python and compiled code give the same numbers to the last bit.

    So a run begins in plain Python, which needs no preparation, and goes on compiled where its work turns out to be
    worth it.
    """

    #: The arrays: `Lists`, or `Memory`.
    mem: Any

    def __init__(self, packed: Packed, engine: str, apply: Callable[[Lists, float, Any], None] | None) -> None:
        """Begin in plain Python, or compiled if told so; `apply` adds the loads of functions, in plain Python only."""
        self._kinds, self.compiled, self._patience = [kind for kind in packed.kinds if kind], False, math.inf
        compiles = not apply and len(self._kinds) == len(packed.kinds)
        if engine == "compiled" and compiles:
            self._compile(packed.mem)
            return
        self.mem = Lists(packed.mem, WHOLE, functions=packed.functions, apply=apply)
        self._functions: Mapping[str, Any] = plain_equations()
        if engine == "auto" and compiles and has_numba():
            stored = EQUATIONS.is_stored("evaluate") and all(kind.is_stored("step") for kind in self._kinds)
            worth = LOADED if stored and EQUATIONS.is_loaded else STORED if stored else NEW
            self._patience = worth / (EVALUATION + A_STEP * len(self._kinds))

    def __call__(self, function: str, *args: Any) -> Any:
        """Call a function of the text."""
        if not self.compiled and self.mem.count > self._patience:
            self._compile(Memory(vars(self.mem)))
        return self._functions[function](*self.mem.passed, *args)

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Continue afterwards with the arrays of before."""
        kept = self.mem, self.compiled, self._functions
        self.mem = self.mem.copy()
        try:
            yield
        finally:
            self.mem, self.compiled, self._functions = kept

    def _compile(self, mem: Memory) -> None:
        """Go on with compiled code, in these arrays."""
        mem.put(step=[kind.loaded("step").address for kind in self._kinds])
        EQUATIONS.announce("evaluate")
        self.mem, self.compiled, self._functions = mem, True, compiled_equations()
