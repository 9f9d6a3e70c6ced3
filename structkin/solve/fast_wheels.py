"""Wheels that gears turn many times as far as a driver or another link: they would turn round while it takes a step.

Those that turn as drivers tell make the drivers' steps short, everywhere alike. Those on links that are moved otherwise
turn now fast and now slowly: stations are added where they turn far (`fast_turns`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

from structkin.groups import RG, General, Turn
from structkin.joints.fastened import Fastened
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import GROUND, Mechanism
from structkin.plan.plan import Plan, Register, Step

#: While a driver takes a step, no wheel turns more than so many times as far.
TIMES = 5.0
#: Rotations of links in a sum that is zero, and the driver whose coordinate it is otherwise.
_Sum = tuple[Mapping[str, float], str | None]

_found: WeakKeyDictionary[Mechanism, Mapping[str, float]] = WeakKeyDictionary()


def shorter_steps(mechanism: Mechanism) -> Mapping[str, float]:
    """Return how many times as short the steps of drivers have to be, where that is more than one.

    Links count whose rotation is a sum of driver angles, and of no others, by gears, fastened links and guides.

    >>> import structkin as sk
    >>> bars = {"ground": ["A", "C"], "crank": ["A", "B"], "wheel": ["C", "D"]}
    >>> points = {"A": (0, 0), "B": (1, 0), "C": (3, 0), "D": (4, 0)}
    >>> mesh = {"type": "gear", "links": ["crank", "wheel"], "ratio": -0.1, "carrier": "ground"}
    >>> shorter_steps(sk.Mechanism(points=points, links=bars, joints={"mesh": mesh}, drivers={"motor": {"joint": "A"}}))
    {'motor': 2.0}
    """
    if mechanism not in _found:
        _found[mechanism] = _shorter_steps(mechanism) if mechanism.joints.of(TurnCoupling) else {}
    return _found[mechanism]


def _shorter_steps(mechanism: Mechanism) -> Mapping[str, float]:
    turns: dict[str, dict[str, float]] = {GROUND: {}}
    sums, found = list(_sums(mechanism)), dict[str, float]()
    while True:
        known = len(turns)
        for factors, driver in sums:
            unknown = [link for link, factor in factors.items() if factor and link not in turns]
            if len(unknown) != 1:
                continue
            total = {driver: -1.0} if driver else dict[str, float]()
            for link, factor in factors.items():
                for id, times in turns.get(link, {}).items():
                    total[id] = total.get(id, 0.0) + factor * times
            turns[unknown[0]] = {id: -times / factors[unknown[0]] for id, times in total.items()}
        if len(turns) == known:
            break
    for own in turns.values():
        for id, times in own.items():
            if abs(times) > TIMES * found.get(id, 1.0):
                found[id] = abs(times) / TIMES
    return found


def counted_turns(plan: Plan, step: Step) -> Mapping[int, int]:
    """Return the registers of the directions that a step gives links whose turns are counted, and the turns' rows."""
    if isinstance(step.kind, RG) and isinstance(turn := step.inputs[1], Register):
        return {step.outputs[0]: plan.rows(turn.index).start}
    if isinstance(step.kind, General):
        angles = step.kind.rows.angles
        turns = step.outputs[len(step.outputs) - len(angles) :]
        return {step.outputs[2 * k + 1]: plan.rows(turn).start for k, turn in zip(angles, turns, strict=True)}
    return {}


def wheels_on_links(plan: Plan) -> list[int]:
    """Return the registers of wheels on links that not only drivers turn, where a group may have a gap behind them."""
    counters = sum(1 << index for index, step in enumerate(plan.steps) if isinstance(step.kind, Turn))
    limited, found = (*plan.with_root, *plan.followed), list[int]()
    if not (counters or plan.followed):
        return found
    for index, step in enumerate(plan.steps):
        on_link = plan.behind[index] & counters or not step.kind.closed_form
        if on_link and any(plan.behind[later] >> index & 1 for later in limited):
            found += counted_turns(plan, step)
    return found


def _sums(mechanism: Mechanism) -> Iterator[_Sum]:
    """Yield the sums of rotations that drivers, gears, fastened links and prismatic joints give."""
    joints = mechanism.joints
    for id, drive in mechanism.drivers.items():
        if drive.kind == "angle":
            yield {drive.links[0]: -1.0, drive.links[1]: 1.0}, id
    for mesh in joints.of(TurnCoupling).values():
        yield mesh.turn_factors, None
    for guide in joints.of(Guide).values():
        if guide.turn is not None:
            yield {guide.slider: 1.0, guide.carrier: -1.0}, None
    for body in joints.of(Fastened).values():
        for link in body.links[1:]:
            yield {link: 1.0, body.links[0]: -1.0}, None
