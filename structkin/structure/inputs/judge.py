"""Judging one choice of inputs after another, with as few decompositions as will do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from structkin.model.topology import Driver, Topology
from structkin.structure.compare import fingerprint, isomorphic
from structkin.structure.inputs.candidates import coordinate, label_of
from structkin.structure.inputs.result import InputChoice
from structkin.structure.inputs.verdict import Verdict, verdict_of
from structkin.structure.result import decompose


class Judge:
    """Decomposes, and remembers: what differs in names only is decomposed once, inputs that repeat each other never."""

    def __init__(self, bare: Topology, idle: frozenset[str], shared: bool) -> None:
        """Judge choices of drivers for a `bare` topology; `shared`: a verdict serves all that differ in names only."""
        self.bare = bare
        self.idle = idle
        # which equation is called redundant follows the user's order; with none, names and order do not matter
        self.shared = shared
        self.known: defaultdict[str, list[tuple[Topology, Verdict]]] = defaultdict(list)
        #: names of drivers that depend on each other: no choice holds all of them
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
        """Return the choice that the mechanism came with, whatever it is worth."""
        topology = replace(self.bare, drivers=drivers)
        return InputChoice(drivers, verdict_of(decompose(topology), self.idle), True, topology)

    def repeating(self, candidates: Sequence[Driver]) -> tuple[tuple[str, ...], ...]:
        """Return the labels of inputs that depend on each other, those alone first."""
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
