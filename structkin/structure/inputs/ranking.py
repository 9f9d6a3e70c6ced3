"""Which joint to drive? The candidate inputs of a mechanism, ranked by the structure each produces.

The same linkage may be a chain of dyads with one driving joint, and a single large group with another. The former is
solved in closed form, the latter by iteration; and a designer can follow the former.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING

from structkin.errors import InputError, Problem, raise_problems, together
from structkin.model.topology import INPUT_KINDS, Driver, Topology, suggest
from structkin.structure.inputs.candidates import candidate_drivers, carried, coordinate, idle_links, label_of
from structkin.structure.inputs.ranked_inputs import InputChoice, InputRanking, Verdict, verdict_of
from structkin.structure.isomorphism import fingerprint, isomorphic, topology_of
from structkin.structure.result import decompose

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


def rank_inputs(
    topology: Topology | Mechanism,
    *,
    kinds: Sequence[str],
    drivers: Sequence[str | Driver] | None,
    limit: int,
    progress: Callable[[float], None] | None,
) -> InputRanking:
    """Rank the joints, or sets of joints, that could drive a mechanism; see `Topology.rank_inputs`."""
    whole = topology_of(topology)
    kept, _ = together(whole.title or "topology", lambda: _kept(whole, drivers), lambda: _check(whole, kinds, limit))
    bare = replace(whole, drivers=kept)
    base = decompose(bare)
    repeated = [one for one in base.over if one.kind == "driver"]
    if repeated:
        problems = [Problem(f"drivers.{one.id}", one.message, "keep fewer drivers") for one in repeated]
        raise InputError(problems, whole.title or "topology")
    idle = idle_links(bare) & set(base.under)
    inputs = base.missing_drivers - len(idle)
    candidates = candidate_drivers(whole, kept, kinds, idle) if inputs > 0 else []
    if not isinstance(topology, Topology):
        candidates = [*_driven(topology, candidates)]
    possible = comb(len(candidates), inputs) if candidates else 0
    judge = _Judge(bare, frozenset(idle), shared=not base.over)
    choices = []
    for number, chosen in enumerate(islice(combinations(candidates, inputs), limit) if possible else ()):
        if progress is not None:
            progress(number / min(possible, limit))
        choice = judge.choice((*kept, *chosen), whole.drivers)
        if choice is not None:
            choices.append(choice)
    complete = len(choices)
    if whole.drivers and not any(choice.is_own for choice in choices):
        choices.append(judge.own(whole.drivers))
    choices.sort(key=lambda choice: (*choice.verdict.rank, carried(whole, choice.drivers)))
    return InputRanking(
        tuple(choices),
        mobility=base.mobility,
        inputs=inputs,
        candidates=len(candidates),
        possible=possible,
        tried=min(possible, limit),
        complete=complete,
        repeating=judge.repeating(candidates),
    )


def _driven(mechanism: Mechanism, candidates: Sequence[Driver]) -> Iterator[Driver]:
    """Yield candidates: a distance of the pin in place of the travel along a curved slot, which cannot be driven."""
    from structkin.joints.circular_slot import CircularSlot
    from structkin.joints.curve_slot import CurveSlot
    from structkin.joints.slot_distances import steepest

    for one in candidates:
        slot = mechanism.joints[one.joint] if one.kind == "slide" and one.joint else None
        if not isinstance(slot, CircularSlot | CurveSlot):
            yield one
        elif (best := steepest(mechanism, f"drive_{one.joint}", slot)) is not None:
            yield Driver(best.id, best.kind, best.links)


def _check(topology: Topology, kinds: Sequence[str], limit: int) -> None:
    problems = [
        Problem("kinds", f"'{kind}' is not a kind of input", suggest(kind, INPUT_KINDS))
        for kind in kinds
        if kind not in INPUT_KINDS
    ]
    if limit < 1:
        problems.append(Problem("limit", f"expected at least 1 combination, found {limit}", "give 1 or more"))
    raise_problems(problems, topology.title or "topology")


def _kept(topology: Topology, drivers: Sequence[str | Driver] | None) -> tuple[Driver, ...]:
    own = {driver.id: driver for driver in topology.drivers}
    names = [drivers] if isinstance(drivers, str) else drivers or ()
    unknown = [name for name in names if isinstance(name, str) and name not in own]
    if unknown:
        raise InputError(
            [Problem(f"drivers.{name}", "is not a driver of this mechanism", suggest(name, own)) for name in unknown],
            topology.title or "topology",
        )
    return tuple(own[one] if isinstance(one, str) else one for one in names)


class _Judge:
    """Decomposes with caching: topologies that differ only in names are decomposed once, dependent inputs never."""

    def __init__(self, bare: Topology, idle: frozenset[str], shared: bool) -> None:
        """Evaluate drivers for a `bare` topology; `shared`: topologies that differ only in names share a verdict."""
        self.bare = bare
        self.idle = idle
        # the user's order decides which equation is redundant; if none is, names and order do not matter
        self.shared = shared
        self.known: defaultdict[str, list[tuple[Topology, Verdict]]] = defaultdict(list)
        #: names of drivers that depend on each other: no choice contains all of them
        self.circuits: dict[frozenset[str], None] = {}

    def choice(self, drivers: tuple[Driver, ...], own: tuple[Driver, ...]) -> InputChoice | None:
        """Return the choice of these drivers, or None if they depend on each other."""
        names = {driver.id for driver in drivers}
        if any(circuit <= names for circuit in self.circuits):
            return None
        topology = replace(self.bare, drivers=drivers)
        verdict = self._verdict(topology)
        if verdict is None:
            return None
        is_own = bool(own) and {coordinate(driver) for driver in drivers} == {coordinate(driver) for driver in own}
        return InputChoice(drivers, verdict, is_own, topology)

    def own(self, drivers: tuple[Driver, ...]) -> InputChoice:
        """Return the choice with the mechanism's own drivers, valid or not."""
        topology = replace(self.bare, drivers=drivers)
        return InputChoice(drivers, verdict_of(decompose(topology), self.idle), True, topology)

    def repeating(self, candidates: Sequence[Driver]) -> tuple[tuple[str, ...], ...]:
        """Return the labels of inputs that depend on each other, single ones first."""
        found = [
            tuple(label_of(self.bare, driver) for driver in candidates if driver.id in circuit)
            for circuit in self.circuits
        ]
        return tuple(sorted(found, key=len))

    def _verdict(self, topology: Topology) -> Verdict | None:
        like = self.known[fingerprint(topology)] if self.shared else []
        for other, verdict in like:
            if isomorphic(topology, other) is not None:
                return verdict
        structure = decompose(topology)
        names = {driver.id for driver in topology.drivers}
        found = [names.intersection(one.loop) for one in structure.over if one.kind == "driver"]
        if found:
            self.circuits.update(dict.fromkeys(map(frozenset, found)))
            return None
        like.append((topology, verdict_of(structure, self.idle)))
        return like[-1][1]
