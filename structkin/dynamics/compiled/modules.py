"""The modules of the equations and of each kind of step, compiled or as plain Python, shared by all mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from structkin.dynamics.compiled.source import group_source, step_source
from structkin.groups import Rows, Turn
from structkin.kernels import store
from structkin.kernels.group import MARGIN, MOST
from structkin.kernels.group_rows import formulas
from structkin.kernels.tracing import Signature, signature, trace
from structkin.numerical_tolerances import SINGULAR
from structkin.plan.plan import Plan, Register, Step


@dataclass(frozen=True)
class Kind:
    """A kind of step: its name, the source of its function, and that for plain Python."""

    name: str
    source: str
    plain: str

    @property
    def is_stored(self) -> bool:
        """Whether it was compiled before on this machine."""
        return _is_compiled(self.name, self.source, "step")

    def address(self) -> int:
        """Return the address of its compiled function; compile it on first use on this machine."""
        _announce(self.name, self.source, "step", f"dynamics of {self.name}")
        return int(store.load(self.name, self.source).step.address)


#: Sources that this process has already used.
_ready: set[str] = set()

_kinds: dict[Signature, Kind | None] = {}


def kind_of(plan: Plan, step: Step) -> tuple[Kind, tuple[float, ...]] | None:
    """Return the kind of a step and its constants; None where its functions cannot be traced."""
    if not step.kind.closed_form:
        widths = tuple(plan.widths[item.index] for item in step.inputs if isinstance(item, Register))
        return _group(step.kind.rows, step.known, widths)
    found = None if isinstance(step.kind, Turn) else signature(plan, step)
    kind = None if found is None else _closed(step, found[0])
    return None if kind is None or found is None else (kind, found[1])


@lru_cache(maxsize=256)
def _group(
    rows: Rows, known: tuple[complex | float | None, ...], widths: tuple[int, ...]
) -> tuple[Kind, tuple[float, ...]] | None:
    found = formulas(rows, known, curves=True)
    if found is None or len(found.graph.below(found.corrected)) > MOST:
        return None
    return Kind("step_group", *group_source(found, widths, MARGIN * SINGULAR)), found.constants


def _closed(step: Step, of: Signature) -> Kind | None:
    if of not in _kinds:
        found = trace(step, of)
        _kinds[of] = None if found is None else Kind(f"step_{of.relation.__name__}", *step_source(of, found))
    return _kinds[of]


def _is_compiled(name: str, source: str, function: str) -> bool:
    return source in _ready or store.is_stored(name, source, function)


def _announce(name: str, source: str, function: str, what: str) -> None:
    """Write to the log when something is compiled for the first time on this machine."""
    if not _is_compiled(name, source, function):
        store.log.info("compiling the %s, once on this machine", what)
    _ready.add(source)
