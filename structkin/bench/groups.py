"""The cost of groups without a closed form: a chain of triads, and larger groups, compared with a chain of dyads.

A triad (class III) is a platform on three legs; a group of p platforms in a row, each pinned to the next, stands on
p + 2 legs and has 2p + 2 links. All are solved together, however many platforms there are: no smaller part of such a
group can be solved by itself. A crank moves the foot of the first leg.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace

import numpy as np

from structkin.bench.clock import fastest, only
from structkin.bench.measure import SAMPLES
from structkin.bench.mechanism import scalable_four_bar
from structkin.model import Mechanism
from structkin.plan.status import Status
from structkin.solve import compile_plan
from structkin.solve.engine import Lanes, sweep

#: The number of groups in a chain, and of the dyads that they are compared with.
CHAIN = 17
CRANK, SPEED = 0.15, 1.0


@dataclass(frozen=True)
class GroupCost:
    """The time per sample of one kind of group: processor time in `nanoseconds`, one thread, compilation excluded.

    `links` is their number in one group, of which there are `groups` in a row; `dyads` is the time relative to a dyad.
    """

    kind: str
    engine: str
    links: int
    groups: int
    samples: int
    nanoseconds: float
    dyads: float

    @property
    def against_cube(self) -> float:
        """The time in dyads divided by the cube of the number of links, 1 for a dyad.

        >>> GroupCost("triad", "python", 4, 17, 1000, 80.0, 4.0).against_cube
        0.5
        """
        return self.dyads / (self.links / 2) ** 3


def platforms(count: int, groups: int = 1) -> Mechanism:
    """Return a crank that moves groups of `count` platforms each, lengths in m, arranged around it.

    >>> m = platforms(2)
    >>> [group.class_ for group in m.structure().groups], len(m.structure().groups[1].links)
    (['I', 'III'], 6)
    """
    points: dict[str, complex] = {"A": 0j, "F": CRANK + 0j}
    links = {"ground": ["A"], "crank": ["A", "F"]}
    for g in range(groups):
        turn = cmath.exp(0.37j * g)
        for i in range(count):
            name = f"{g}_{i}"
            # Corners of the platform, and feet of the legs that it stands on.
            corners, feet = {"P": 2j, "Q": 0.9 + 2.5j}, {"P": 0.3 + 0j}
            if i == 0:
                corners["R"], feet["R"] = 0.4 + 3j, -1.4 + 2.6j
            if i == count - 1:
                corners["S"], feet["S"] = 1.3 + 1.9j, 1.8 + 0.1j
            points |= {f"{corner}{name}": turn * (place + 2 * i) for corner, place in corners.items()}
            links[f"platform{name}"] = [f"{corner}{name}" for corner in corners] + ([f"Q{g}_{i - 1}"] if i else [])
            for corner, place in feet.items():
                foot = "F" if i == 0 and corner == "P" else f"G{corner}{name}"
                links[f"leg{corner}{name}"] = [f"{corner}{name}", foot]
                if foot != "F":
                    points[foot] = turn * (place + 2 * i)
                    links["ground"].append(foot)
    return Mechanism(
        f"{groups} groups of {count} platforms",
        points={name: (place.real, place.imag) for name, place in points.items()},
        links=links,
        drivers={"motor": {"joint": "A", "speed": SPEED}},
    )


def cost(mechanism: Mechanism, engine: str, turns: int) -> float:
    """Return the processor time per sample [s] of a sweep over this many turns of the crank."""
    plan = replace(compile_plan(mechanism), engine=engine)
    (drive,) = mechanism.drivers.values()
    count = SAMPLES * turns
    angle = drive.start + math.radians(360 / SAMPLES) * np.arange(count)
    z = {drive.id: np.stack((angle, np.full(count, SPEED), np.zeros(count)))}
    lanes = Lanes.empty(plan, count)

    def run() -> None:
        sweep(plan, lanes, z, lambda k: plan.steps[k].mode)

    with only(1):
        run()
        if not (lanes.status == Status.OK).all():
            raise AssertionError(f"{mechanism.title}: not every pose of the turn can be reached")
        return fastest(run, 4)[1] / count


def costs(engine: str, sizes: tuple[int, ...], turns: int, short: tuple[int, ...] = ()) -> list[GroupCost]:
    """Measure a chain of dyads, a chain of triads, and one group for each number of platforms.

    The crank's time is included; it is small compared with a chain of 17, and is subtracted from that of one group.
    Dyads and triads are also measured on `short` runs of fewer turns, where the overhead of a call weighs more.
    """
    found: list[GroupCost] = []
    crank = dyad = 0.0
    for run in (*(few for few in short if few < turns), turns):
        crank = cost(scalable_four_bar(0), engine, run)
        dyad = (cost(scalable_four_bar(CHAIN), engine, run) - crank) / CHAIN
        triad = (cost(platforms(1, CHAIN), engine, run) - crank) / CHAIN
        found.append(GroupCost("dyad RRR", engine, 2, CHAIN, SAMPLES * run, 1e9 * dyad, 1.0))
        found.append(GroupCost("triad 3-RR", engine, 4, CHAIN, SAMPLES * run, 1e9 * triad, triad / dyad))
    for count in sizes:
        one = cost(platforms(count), engine, turns) - crank
        kind = f"{count} platform{'s' if count > 1 else ''}"
        found.append(GroupCost(kind, engine, 2 * count + 2, 1, SAMPLES * turns, 1e9 * one, one / dyad))
    return found
