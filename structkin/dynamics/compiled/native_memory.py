"""The arrays of `memory` in compiled code: the addresses of the two, and `mem.part` as a number or a view, uncopied."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, lower_setattr_generic, register_model
from numba.np.arrayobj import make_array, populate_array

from structkin.dynamics.compiled.memory import Arrays
from structkin.kernels.text import Text

_TYPES = {"I": types.int64, "D": types.float64}
_LONG, _DOUBLE = ir.IntType(64), ir.DoubleType()
_STEP = ir.FunctionType(_LONG, [_LONG.as_pointer(), _DOUBLE.as_pointer(), _LONG, _LONG, _LONG, _DOUBLE])


class MemoryType(types.Type):
    """The type of the arrays of a class."""

    def __init__(self, owner: type[Arrays]) -> None:
        """Take the class, whose parts these are."""
        self.owner = owner
        super().__init__(f"{owner.__module__}.{owner.__name__}")


@register_model(MemoryType)
class _Addresses(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [(name, types.CPointer(of)) for name, of in _TYPES.items()])


def _part_type(_: AttributeTemplate, kind: MemoryType, name: str) -> Any:
    part = kind.owner.PARTS.get(name)
    if part is None:
        return None
    return types.Array(_TYPES[part.array], len(part.shape), "C") if part.shape else _TYPES[part.array]


@infer_getattr
class _Parts(AttributeTemplate):
    key = MemoryType
    generic_resolve: Any = _part_type


def _place(context: Any, builder: Any, kind: MemoryType, mem: Any, name: str) -> tuple[Any, Any]:
    """Return the address of the first number of a part, and the number of them."""
    part, proxy = kind.owner.PARTS[name], cgutils.create_struct_proxy(kind)(context, builder, value=mem)
    head = [builder.load(builder.gep(proxy.I, [_LONG(part.place + k)])) for k in range(2)]
    return builder.gep(getattr(proxy, part.array), [head[0]]), head[1]


@lower_getattr_generic(MemoryType)
def _get(context: Any, builder: Any, kind: MemoryType, mem: Any, name: str) -> Any:
    part = kind.owner.PARTS[name]
    address, length = _place(context, builder, kind, mem, name)
    if not part.shape:
        return builder.load(address)
    shape = [_get(context, builder, kind, mem, size) if isinstance(size, str) else _LONG(size) for size in part.shape]
    if -1 in part.shape:
        rest = _LONG(1)
        for size, value in zip(part.shape, shape, strict=True):
            rest = rest if size == -1 else builder.mul(rest, value)
        # Without numbers in a row there are no rows.
        divisor = builder.select(builder.icmp_signed("==", rest, _LONG(0)), _LONG(1), rest)
        shape[part.shape.index(-1)] = builder.sdiv(length, divisor)
    strides = [_LONG(8)]
    for value in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], value))
    array = make_array(types.Array(_TYPES[part.array], len(shape), "C"))(context, builder)
    populate_array(array, data=address, shape=shape, strides=strides, itemsize=_LONG(8), meminfo=None)
    return array._getvalue()


@lower_setattr_generic(MemoryType)
def _set(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    kind, (mem, value) = signature.args[0], arguments
    builder.store(value, _place(context, builder, kind, mem, name)[0])


def memory_of(owner: Any) -> Any:
    """Return the function that makes the memory of a class from its two arrays, or from their addresses."""

    @intrinsic
    def memory(typing: Any, integers: Any, numbers: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            mem = cgutils.create_struct_proxy(signature.return_type)(context, builder)
            for name, kind, value in zip(_TYPES, signature.args, arguments, strict=True):
                is_array = isinstance(kind, types.Array)
                setattr(mem, name, make_array(kind)(context, builder, value).data if is_array else value)
            return mem._getvalue()

        return MemoryType(owner)(integers, numbers), generate

    return memory


@intrinsic
def run_step(typing: Any, mem: Any, step: Any, begin: Any, end: Any, dt: Any) -> Any:
    """Call the compiled function of a step by its address: so the caller is compiled once for all kinds of steps."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mem, *rest = arguments
        kind = signature.args[0]
        proxy = cgutils.create_struct_proxy(kind)(context, builder, value=mem)
        address = builder.gep(_place(context, builder, kind, mem, "step")[0], [rest[0]])
        function = builder.inttoptr(builder.load(address), _STEP.as_pointer())
        return builder.call(function, [proxy.I, proxy.D, *rest])

    return types.int64(mem, types.int64, types.int64, types.int64, types.float64), generate


#: What an entry calls; each has its own.
memory: Any = None
inner: Any = None


def _entry(integers: Any, numbers: Any, *args: Any) -> Any:
    return inner(memory(integers, numbers), *args)


class Functions(dict[str, Any]):
    """The compiled functions of a text as they are called from Python: with both arrays in the place of `mem`."""

    def __init__(self, text: Text, owner: type[Arrays]) -> None:
        """Take the text and the class of its memory."""
        super().__init__()
        self._text, self._memory = text, memory_of(owner)

    def __missing__(self, name: str) -> Any:
        """Return a function; it is compiled when it is first called on this machine."""
        names = {**self._text.compiled, "memory": self._memory, "inner": self._text.compiled[name]}
        entry = FunctionType(_entry.__code__, names, name)
        entry.__qualname__ = name
        self[name] = self._text.keep(entry)
        return self[name]
