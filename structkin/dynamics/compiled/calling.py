"""Calling a compiled step of a plan by its address, so that the caller is compiled once for all kinds of steps."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_LONG, _DOUBLE = ir.IntType(64), ir.DoubleType()
_STEP = ir.FunctionType(_LONG, [_LONG.as_pointer(), _DOUBLE.as_pointer(), _LONG, _LONG, _LONG, _DOUBLE])


@intrinsic
def _call_step(typing: Any, address: Any, integers: Any, numbers: Any, step: Any, begin: Any, end: Any, dt: Any) -> Any:
    """Call int64 f(int64*, double*, int64, int64, int64, double): `integers` and `numbers` are addresses too."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, integers, numbers, *rest = arguments
        function = builder.inttoptr(address, _STEP.as_pointer())
        arrays = [
            builder.inttoptr(integers, _LONG.as_pointer()),
            builder.inttoptr(numbers, _DOUBLE.as_pointer()),
        ]
        return builder.call(function, [*arrays, *rest])

    words = [types.int64] * 6
    return types.int64(*words, types.float64), generate


#: The function without its first argument, as compiled code calls it.
call_step: Any = _call_step
