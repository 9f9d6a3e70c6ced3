"""Random mechanisms that are known by construction: their groups are given, and their sketch closes.

An assembled pose is drawn first: each element (a driven link, a dyad, a triad, ...) attaches new links to random links
that are there already, at new points or at existing pins. So every sketch closes, every group is minimal, and
the groups, their dependencies and their names are known. Elements near a limit position are thrown away.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from by_the_file import ANGLE, LENGTH, File
from whole_system import WholeSystem

import structkin as sk

GROUND = "ground"
MAX_DRIVERS = 4
#: Smallest singular value of a group in the sketch, lengths in units of a typical link.
CLEAR = 0.12
TYPICAL = 2.0


class UnfitError(Exception):
    """The randomly drawn element does not fit."""


@dataclass(frozen=True)
class Built:
    """A group as it was built; `depends` are indices of earlier groups."""

    kind: str
    class_: str | None
    order: int
    links: frozenset[str]
    drivers: frozenset[str]
    depends: frozenset[int]
    composites: frozenset[frozenset[str]]


@dataclass(frozen=True)
class Case:
    """A random mechanism: its file, its groups in a valid order, and its duration [s]."""

    data: dict[str, Any]
    groups: tuple[Built, ...]
    duration: float
    seed: int

    def mechanism(self) -> sk.Mechanism:
        return sk.Mechanism.from_dict(self.data)


@dataclass
class World:
    """The mechanism while it grows. Positions are complex, in units of half a typical link."""

    rng: np.random.Generator
    points: dict[str, complex] = field(default_factory=dict)
    owner: dict[str, int] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=lambda: {GROUND: []})
    group_of: dict[str, int] = field(default_factory=lambda: {GROUND: -1})
    joints: dict[str, dict[str, Any]] = field(default_factory=dict)
    drivers: dict[str, dict[str, Any]] = field(default_factory=dict)
    groups: list[Built] = field(default_factory=list)
    depends: set[int] = field(default_factory=set)
    counter: int = 0

    # --- random choice ------------------------------------------------------------------------------------

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def pick(self, items: Any) -> Any:
        items = list(items)
        return items[int(self.rng.integers(len(items)))]

    def uniform(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def arrow(self, low: float = 1.0, high: float = 3.0) -> complex:
        return self.uniform(low, high) * complex(np.exp(1j * self.uniform(0, 2 * np.pi)))

    def name(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    # --- parts --------------------------------------------------------------------------------------------

    def point(self, place: complex, *links: str) -> str:
        """A new point of these links."""
        name = self.name("p")
        self.points[name], self.owner[name] = place, len(self.groups) if links[0] not in self.group_of else -2
        for link in links:
            self.hold(link, name)
        if self.owner[name] == -2:
            self.owner[name] = self.group_of[links[0]]
        return name

    def hold(self, link: str, point: str) -> None:
        if any(abs(self.points[point] - self.points[other]) < 0.3 for other in self.links[link]):
            raise UnfitError("two points of a link are close together")
        self.links[link].append(point)

    def link(self, *points: str) -> str:
        """A new link of the group that is being built."""
        name = self.name("L")
        self.links[name] = []
        for point in points:
            self.hold(name, point)
        return name

    def host(self) -> str:
        """A known link, preferably a recent one."""
        known = list(self.group_of)
        weights = np.arange(1.0, len(known) + 1)
        weights[0] = 0.8 * len(known)
        return str(self.rng.choice(known, p=weights / weights.sum()))

    def seat(self, *taken: str, needed: bool = True) -> str:
        """A point of a known link to attach a new link to: new, or an existing one.

        The group depends on the pin's owner, unless the pin is not `needed` as such.
        """
        host = self.host()
        free = [point for point in self.links[host] if point not in taken]
        if free and self.chance(0.45):
            point = self.pick(free)
        elif host == GROUND:
            point = self.point(complex(self.uniform(-5, 5), self.uniform(-3, 3)), host)
        else:
            point = self.point(self.points[self.pick(self.links[host])] + self.arrow(), host)
        if needed:
            self.depends.add(self.owner[point])
        return point

    def line(self, *links: str) -> dict[str, Any]:
        """A direction for a guide between these links: arbitrary, or through two points of one of them."""
        choices = [link for link in links if len(self.links[link]) > 1]
        if choices and self.chance(0.4):
            p, q = self.rng.permutation(self.links[self.pick(choices)])[:2]
            return {"along": [str(p), str(q)]}
        step = self.arrow()
        return {"axis": step}

    def direction(self, line: dict[str, Any]) -> complex:
        if "axis" in line:
            step = line["axis"]
        else:
            p, q = line["along"]
            step = self.points[q] - self.points[p]
        return complex(step / abs(step))

    def slide(self, link: str, other: str, line: dict[str, Any] | None = None) -> str:
        """A prismatic joint; `other` may be known."""
        name = self.name("s")
        places: list[Any] = [None, complex(self.uniform(-3, 3), self.uniform(-3, 3))]
        places += [self.pick(self.links[a]) for a in (link, other) if self.links[a]]
        joint = {"type": "prismatic", "links": [str(x) for x in self.rng.permutation([link, other])]}
        joint["at"] = self.pick(places)
        self.joints[name] = {**joint, **(line or self.line(link, other))}
        if other in self.group_of:
            self.depends.add(self.group_of[other])
        return name

    def slot(self, pin: str, slot: str, line: dict[str, Any], on: str | None) -> str:
        name = self.name("s")
        self.joints[name] = {"type": "pin-in-slot", "pin": pin, "slot": slot, **line}
        if on is not None:
            self.joints[name]["on"] = on
        return name

    def drive(self, **what: Any) -> str:
        if len(self.drivers) >= MAX_DRIVERS:
            raise UnfitError("drivers enough")
        name = self.name("d")
        self.drivers[name] = what
        return name

    def close(self, kind: str, class_: str | None, order: int, *composites: tuple[str, ...]) -> None:
        """The new links and drivers are a group."""
        index = len(self.groups)
        links = [link for link in self.links if link not in self.group_of]  # a list: choices must not depend on hashes
        before = {driver for group in self.groups for driver in group.drivers}
        drivers = frozenset(driver for driver in self.drivers if driver not in before)
        together = frozenset(frozenset(x) for x in composites if len(x) > 1)
        depends = frozenset(k for k in self.depends if k >= 0)
        assert index not in depends
        self.groups.append(Built(kind, class_, order, frozenset(links), drivers, depends, together))
        for link in links:
            self.group_of[link] = index
        self.depends = set()

    def arm(self, near: str, far: str, kind: str) -> tuple[str, ...]:
        """A connection of two pins: a link, a cylinder, or two links at a driven angle. The end links come first."""
        if kind == "link":
            return (self.link(near, far),)
        first, second = self.link(near), self.link(far)
        if kind == "cylinder":
            if self.chance(0.5):
                self.point(self.points[near] + self.arrow(), first)
            if self.chance(0.3):
                # perpendicular to the arm, the travel would not change its length
                self.slide(first, second)
            else:
                self.slide(
                    first,
                    second,
                    {"axis": (self.points[far] - self.points[near]) * np.exp(1j * self.uniform(-0.7, 0.7))},
                )
            self.drive(joint=list(self.joints)[-1])
            return first, second
        elbow = self.point(0.5 * (self.points[near] + self.points[far]) + self.arrow(0.7, 2.0), first, second)
        if kind == "elbow":
            self.drive(angle=(first, second), joint=elbow)
        else:
            e, f = (
                self.point(self.points[near] + self.arrow(), first),
                self.point(self.points[far] + self.arrow(), second),
            )
            self.drive(between=[e, f])
        return first, second

    def arms(self, *ends: tuple[str, str]) -> list[tuple[str, ...]]:
        """Arms between pairs of pins, most of them plain links."""
        kinds = ["cylinder", "elbow", "strut"]
        return [self.arm(a, b, self.pick(kinds) if self.chance(0.2) else "link") for a, b in ends]


# --- elements -------------------------------------------------------------------------------------------------


def driven_r(w: World) -> None:
    """A link on a pin, turned by an angle driver against a link at the pin or any other known one."""
    pin = w.seat()
    holders = [link for link in w.links if pin in w.links[link]]
    link = w.link(pin)
    if w.chance(0.85):
        w.point(w.points[pin] + w.arrow(), link)
    other = w.host() if w.chance(0.25) else w.pick(holders)
    w.depends.add(w.group_of[other])
    ends = (other, link) if w.chance(0.6) else (link, other)
    w.drive(angle=ends, joint=pin if other in holders else None)
    w.close("driven R", "I", 1)


def driven_p(w: World) -> None:
    """A link on a guide, pushed by a slide driver."""
    host, link = w.host(), w.link()
    w.point(complex(w.uniform(-4, 4), w.uniform(-4, 4)), link)
    if w.chance(0.5):
        w.point(w.points[w.links[link][0]] + w.arrow(), link)
    w.drive(joint=w.slide(link, host))
    w.close("driven P", "I", 1)


def ram_r(w: World) -> None:
    """A link on a pin, driven by the distance of one of its points from a known point."""
    pin = w.seat()
    foot = w.seat(pin)
    link = w.link(pin)
    tip = w.point(w.points[pin] + w.arrow(), link)
    w.drive(between=[str(x) for x in w.rng.permutation([foot, tip])])
    w.close("driven R", "I", 1)


def ram_p(w: World) -> None:
    """A link on a guide, driven by a distance."""
    host, foot, link = w.host(), w.seat(), w.link()
    tip = w.point(w.points[foot] + w.arrow(), link)
    w.slide(link, host)
    w.drive(between=[str(x) for x in w.rng.permutation([foot, tip])])
    w.close("driven P", "I", 1)


def rrr(w: World) -> None:
    """Two arms between two known pins."""
    a = w.seat()
    b = w.seat(a)
    c = _new_pin(w, a, b)
    arms = w.arms((a, c), (b, c))
    w.close("RRR", "II", 2, *arms)


def rrp(w: World) -> None:
    """An arm from a known pin to a pin of a sliding link."""
    a, host = w.seat(), w.host()
    c = _new_pin(w, a)
    (arm,) = w.arms((a, c))
    slider = w.link(c)
    if w.chance(0.3):
        w.point(w.points[c] + w.arrow(), slider)
    w.slide(slider, host)
    w.close("RRP", "II", 2, arm)


def rpr(w: World) -> None:
    """Two links on known pins that slide along each other."""
    a = w.seat()
    b = w.seat(a)
    links = [w.link(a), w.link(b)]
    for link in links:
        if w.chance(0.5):
            w.point(w.points[w.links[link][0]] + w.arrow(), link)
    w.slide(*links)
    w.close("RPR", "II", 2)


def prp(w: World) -> None:
    """Two links on known guides, pinned together."""
    hosts = w.host(), w.host()
    c = w.name("p")
    w.points[c], w.owner[c] = complex(w.uniform(-4, 4), w.uniform(-4, 4)), len(w.groups)
    links = [w.link(c), w.link(c)]
    for link, host in zip(links, hosts, strict=True):
        if w.chance(0.3):
            w.point(w.points[c] + w.arrow(), link)
        w.slide(link, host)
    w.close("PRP", "II", 2)


def rpp(w: World) -> None:
    """A link on a known pin that slides along one on a known guide."""
    a, host = w.seat(), w.host()
    links = [w.link(a), w.link()]
    w.point(w.points[a] + w.arrow(), links[1])
    if w.chance(0.5):
        w.point(w.points[a] + w.arrow(), links[0])
    order = w.rng.permutation(2)
    for k in order:
        if k == 0:
            w.slide(links[0], links[1])
        else:
            w.slide(links[1], host)
    w.close("RPP", "II", 2)


def triad(w: World) -> None:
    """A platform on three legs: RR, or with a prismatic joint at one end."""
    kinds = [w.pick(["RR", "RR", "RR", "RP", "PR"]) for _ in range(3)]
    if kinds.count("RR") == 0:
        kinds[0] = "RR"
    center = complex(w.uniform(-2, 2), w.uniform(-2, 2))
    platform = w.link()
    taken: list[str] = []
    composites: list[tuple[str, ...]] = []
    for k, kind in enumerate(kinds):
        spot = center + w.uniform(0.7, 1.6) * np.exp(1j * (2 * np.pi * k / 3 + w.uniform(-0.6, 0.6)))
        if kind == "PR":
            pin = w.point(complex(spot), platform)
            leg = w.link(pin)
            w.slide(leg, w.host())
            continue
        seat = w.seat(*taken)
        taken.append(seat)
        if kind == "RR":
            pin = w.point(complex(spot), platform)
            composites += w.arms((seat, pin))
            continue
        leg = w.link(seat)
        if w.chance(0.5):
            w.point(w.points[seat] + w.arrow(), leg)
        w.point(complex(spot), platform)
        w.slide(leg, platform)
    w.close("class III order 3", "III", 3, *composites)


def class_iv(w: World) -> None:
    """Two links on known pins, joined by two bars: a loop of four pins."""
    a = w.seat()
    b = w.seat(a)
    one, two = w.link(a), w.link(b)
    for _ in range(2):
        p = w.point(w.points[a] + w.arrow(), one)
        q = w.point(w.points[b] + w.arrow(), two)
        w.link(p, q)
    w.close("class IV order 2", "IV", 2)


def held_platform(w: World) -> None:
    """A platform on two legs, held by a driver: its angle to a known link, or its distance from a known point."""
    a = w.seat()
    b = w.seat(a)
    platform = w.link()
    for seat in (a, b):
        pin = w.point(w.points[seat] + w.arrow(), platform)
        w.link(seat, pin)
    if w.chance(0.5):
        other = w.host()
        w.depends.add(w.group_of[other])
        ends = [other, platform] if w.chance(0.5) else [platform, other]
        w.drive(angle=tuple(ends), joint=None)
    else:
        foot = w.seat()
        tip = w.point(w.points[foot] + w.arrow(), platform)
        w.drive(between=[foot, tip] if w.chance(0.5) else [tip, foot])
    w.close("general", None, 2)


def slotted_r(w: World) -> None:
    """A link on a known pin: a known pin slides in its slot, or its pin slides in a known slot."""
    a = w.seat()
    if w.chance(0.5):
        pin, link = w.seat(a, needed=False), w.link(a)
        line: dict[str, Any] = {"axis": w.arrow()}
        if w.chance(0.5):
            q = w.point(w.points[a] + 1.3 * (w.points[pin] - w.points[a]), link)
            line = {"along": [str(x) for x in w.rng.permutation([a, q])]}
        _known_pin(w, pin, link, line)
    else:
        host, link = w.host(), w.link(a)
        pin = w.point(w.points[a] + w.arrow(), link)
        w.slot(pin, host, {"axis": w.arrow()}, w.pick([None, link]))
        w.depends.add(w.group_of[host])
    w.close("R-S", "HP", 2)


def slotted_p(w: World) -> None:
    """A link on a known guide, with a slot for a known pin or a pin in a known slot."""
    host, link = w.host(), w.link()
    if w.chance(0.5):
        pin = w.seat(needed=False)
        w.point(w.points[pin] + w.arrow(), link)
        w.slide(link, host)
        _known_pin(w, pin, link, {"axis": w.arrow()})
    else:
        slotted = w.pick([x for x in w.group_of if len(w.links[x]) > 1] or [None])
        if slotted is None:
            raise UnfitError("no link with two points")
        p, q = (str(x) for x in w.rng.permutation(w.links[slotted])[:2])
        pin = w.point(w.points[p] + w.uniform(0.2, 0.8) * (w.points[q] - w.points[p]), link)
        w.slide(link, host)
        w.slot(pin, slotted, {"along": [p, q]}, w.pick([None, link]))
        w.depends.add(w.group_of[slotted])
    w.close("P-S", "HP", 2)


def _known_pin(w: World, pin: str, slot: str, line: dict[str, Any]) -> None:
    """A known pin in a slot, as a point of one of its links or as the pin itself."""
    known = [link for link in w.links if pin in w.links[link] and link in w.group_of]
    on = w.pick([None, *known])
    w.slot(pin, slot, line, on)
    w.depends.add(w.owner[pin] if on is None else w.group_of[on])


def _new_pin(w: World, *near: str) -> str:
    """A pin of the group that is being built, on no link yet."""
    name = w.name("p")
    middle = sum(w.points[p] for p in near) / len(near)
    w.points[name], w.owner[name] = complex(middle + w.arrow(0.8, 2.5)), len(w.groups)
    return name


# --- gears ----------------------------------------------------------------------------------------------------


def _wheels(w: World) -> tuple[str, str, str]:
    """A known link with its pin on another known link, the carrier."""
    pairs = [
        (wheel, pin, carrier)
        for carrier in w.group_of
        for pin in w.links[carrier]
        for wheel in w.group_of
        if wheel != carrier and pin in w.links[wheel]
    ]
    if not pairs:
        raise UnfitError("no wheel on a carrier")
    return tuple(w.pick(pairs))


def _mesh(w: World, first: str, second: str, carrier: str, centers: tuple[str, str]) -> str:
    """Gears or a belt, by teeth or by ratio, listed in either order."""
    name, joint = w.name("g"), {"type": w.pick(["gear", "belt"]), "carrier": carrier}
    turned = w.chance(0.5)
    joint["links"] = [second, first] if turned else [first, second]
    joint["centers"] = list(centers[::-1] if turned else centers)
    teeth = [int(x) for x in w.rng.choice([7, 12, 13, 16, 20, 24, 31], size=2, replace=False)]
    if w.chance(0.5):
        joint["teeth"] = teeth
        joint["internal" if joint["type"] == "gear" else "crossed"] = w.chance(0.5)
    else:
        joint["ratio"] = w.pick([-1, 1]) * teeth[0] / teeth[1]
    w.joints[name] = joint
    return name


def _on(w: World, carrier: str, *taken: str) -> str:
    """A pin of a known link, new or existing, away from others."""
    free = [pin for pin in w.links[carrier] if all(abs(w.points[pin] - w.points[x]) > 0.3 for x in taken)]
    if free and w.chance(0.4):
        return str(w.pick(free))
    return w.point(w.points[taken[0]] + w.arrow(), carrier)


def geared_r(w: World) -> None:
    """A wheel on the carrier of another one."""
    other, pin, carrier = _wheels(w)
    center = _on(w, carrier, pin)
    wheel = w.link(center)
    if w.chance(0.8):
        w.point(w.points[center] + w.arrow(), wheel)
    _mesh(w, wheel, other, carrier, (center, pin))
    w.depends |= {w.owner[center], w.group_of[other]}
    w.close("R-G", "HP", 2)


def planet(w: World) -> None:
    """An arm and a planet round a known wheel; a second wheel or a driver holds them."""
    pin = w.seat()
    suns = [link for link in w.group_of if pin in w.links[link]]
    arm = w.link(pin)
    center = w.point(w.points[pin] + w.arrow(), arm)
    wheel = w.link(center)
    w.point(w.points[center] + w.arrow(), wheel)
    suns = [str(x) for x in w.rng.permutation(suns)[: 2 if w.chance(0.6) else 1]]
    for sun in suns:
        _mesh(w, wheel, sun, arm, (center, pin))
        w.depends.add(w.group_of[sun])
    if len(suns) == 1:
        other = w.pick([arm, w.host()])
        ends = (other, wheel)
        if other != arm:
            w.depends.add(w.group_of[other])
        w.drive(angle=ends if w.chance(0.5) else ends[::-1], joint=None)
    w.close("gear train", None, 1 + len(suns))


def pinion(w: World) -> None:
    """A pinion on a known rack."""
    name = w.pick([id for id, joint in w.joints.items() if joint["type"] == "prismatic"] or [None])
    if name is None:
        raise UnfitError("no guide")
    carrier, rack = (str(x) for x in w.rng.permutation(w.joints[name]["links"]))
    if not w.links[rack] or not _only_guide(w, name):
        raise UnfitError("no rack")
    near = w.points[w.links[rack][0]]
    center = w.point(near + w.arrow(), carrier)
    wheel = w.link(center)
    w.point(w.points[center] + w.arrow(), wheel)
    _rack(w, wheel, rack, carrier, center, name)
    w.depends |= {w.owner[center], w.group_of[rack]}
    w.close("R-G", "HP", 2)


def rack(w: World) -> None:
    """A rack that slides on the carrier of a known pinion."""
    wheel, pin, carrier = _wheels(w)
    link = w.link()
    w.point(w.points[pin] + w.arrow(), link)
    name = w.slide(link, carrier)
    _rack(w, wheel, link, carrier, pin, name)
    w.depends |= {w.group_of[wheel], w.group_of[carrier]}
    w.close("P-G", "HP", 2)


def _only_guide(w: World, name: str) -> bool:
    """Whether no other prismatic joint joins the two links of this one."""
    ends = set(w.joints[name]["links"])
    return sum(joint["type"] == "prismatic" and set(joint["links"]) == ends for joint in w.joints.values()) == 1


def _rack(w: World, wheel: str, rack: str, carrier: str, center: str, guide: str) -> None:
    side = (w.points[w.links[rack][0]] - w.points[center]) * w.direction(w.joints[guide]).conjugate()
    if abs(side.imag) < 0.2:
        raise UnfitError("level with its rack")
    w.joints[w.name("g")] = {
        "type": "rack", "links": [wheel, rack], "carrier": carrier, "center": center, "radius": w.uniform(0.3, 2.0),
    }  # fmt: skip


def rolling(w: World) -> None:
    """A circle that rolls on a known one, pushed by an arm at its centre or rim, or turned by a driver."""
    center = w.seat(needed=False)
    base = w.pick([link for link in w.group_of if center in w.links[link]])
    teeth = [float(x) for x in w.rng.choice([7, 12, 13, 16, 20, 24, 31], size=2, replace=False)]
    internal = w.chance(0.4)
    span = w.arrow()
    scale = abs(span) / (abs(teeth[0] - teeth[1]) if internal else sum(teeth))
    wheel = w.link()
    middle = w.point(w.points[center] + span, wheel)
    w.joints[w.name("g")] = {
        "type": "rolling", "links": [wheel, base], "centers": [middle, center], "radii": [scale * x for x in teeth],
        "internal": internal,
    }  # fmt: skip
    w.depends.add(w.group_of[base])
    rim = w.point(w.points[middle] + w.arrow(), wheel)
    if w.chance(0.4):
        other = w.host()
        w.depends.add(w.group_of[other])
        w.drive(angle=(other, wheel), joint=None)
        w.close("driven K", "I", 1)
        return
    pin = w.pick([middle, rim])
    w.link(w.seat(center), pin)
    w.close("general", None, 2)


def geared_loop(w: World) -> None:
    """Two wheels on one carrier and two bars between them, held by a driver: a five-bar with gears."""
    carrier = w.host()
    if not w.links[carrier]:
        raise UnfitError("no place for wheels")
    a = w.pick(w.links[carrier])
    b = _on(w, carrier, a)
    w.depends |= {w.owner[a], w.owner[b]}
    wheels = [w.link(a), w.link(b)]
    ends = [w.point(w.points[x] + w.arrow(), wheel) for x, wheel in zip((a, b), wheels, strict=True)]
    tip = _new_pin(w, *ends)
    bars = [w.link(end, tip) for end in ends]
    _mesh(w, wheels[0], wheels[1], carrier, (a, b))
    other = w.host()
    w.depends.add(w.group_of[other])
    w.drive(angle=(other, bars[0]), joint=None)
    w.close("general", None, 2)


Menu = tuple[Callable[[World], None], ...]
DRIVEN: Menu = (driven_r, driven_r, driven_p, ram_r, ram_p)
DYADS: Menu = (rrr, rrr, rrp, rpr, prp, rpp)
GEARED: Menu = (geared_r, geared_r, planet, pinion, rack, rolling, geared_loop)
OTHERS: Menu = (triad, triad, class_iv, held_platform, slotted_r, slotted_p)


# --- from the pose to the file --------------------------------------------------------------------------------


def build(seed: int, elements: int = 3, *, menu: Menu | None = None, first: Menu = DRIVEN) -> Case:
    """A random mechanism: one element of `first` and a number of others from `menu`."""
    rng = np.random.default_rng(seed)
    w = World(rng)
    tries = 0
    while len(w.groups) < elements + 1 and not (w.groups and tries > 40 * (elements + 1)):
        w, tries = _grow(w, menu if w.groups else first), tries + 1
    return _written(w, seed)


def _grow(w: World, menu: Menu | None) -> World:
    if menu is None:
        menu = DYADS if w.chance(0.55) else (DRIVEN if w.chance(0.45) else OTHERS)
    new = copy.deepcopy(w)
    new.rng = w.rng
    try:
        w.pick(menu)(new)
        if len(new.links) > 16:
            raise UnfitError("large enough")
        _check_clear(new)
    except UnfitError:
        return w
    return new


def _check_clear(w: World) -> None:
    """Reject poses near a limit position, and distances that nearly vanish."""
    for driver in w.drivers.values():
        if "between" in driver and abs(np.subtract(*(w.points[p] for p in driver["between"]))) < 0.4:
            raise UnfitError("a ram without length")
    case = _written(copy.deepcopy(w), 0, plain=True)
    system = WholeSystem(case.mechanism())
    system.size = TYPICAL
    if system.clarity(system.sketch(), [group.links for group in case.groups]).min() < CLEAR:
        raise UnfitError("near a limit position")


def _written(w: World, seed: int, *, plain: bool = False) -> Case:
    """The world as a file, shuffled and renamed unless `plain`."""
    rng = np.random.default_rng(seed)
    units: dict[str, str] = {}
    scale = 1.0
    if not plain:
        scale = float(10 ** rng.uniform(-3, 1))
        units = {"length": str(rng.choice(["m", "mm"])), "angle": str(rng.choice(["rad", "deg"]))}
        units = {kind: unit for kind, unit in units.items() if rng.random() < 0.6}
    length = scale / LENGTH[units.get("length", "m")]
    duration = 1.0 if plain else round(float(10 ** rng.uniform(-1, 1)), 3)
    name = {key: key for key in (*w.points, *w.links, *w.joints, *w.drivers)}
    if not plain:
        words = [f"{letter}{number}" for letter in "ABCDEFGHJKLMNPQRSTUVW" for number in ("", 1, 2, 3, 4, 5)]
        chosen = [str(x) for x in rng.permutation(words)]
        for key, word in zip((*w.points, *w.joints, *w.drivers), chosen, strict=False):
            name[key] = word
        # link names are separate and may equal point names
        for key, word in zip([x for x in w.links if x != GROUND], rng.permutation(words), strict=False):
            name[key] = str(word)

    def shuffled(items: Any) -> list[Any]:
        items = list(items)
        return items if plain else [items[k] for k in rng.permutation(len(items))]

    def place(z: complex) -> list[float]:
        return [float(z.real * length), float(z.imag * length)]

    data: dict[str, Any] = {"title": f"random {seed}", "duration": duration}
    if units:
        data["units"] = units
    data["points"] = {name[p]: place(w.points[p]) for p in shuffled(w.points)}
    data["links"] = {name[link]: [name[p] for p in shuffled(w.links[link])] for link in shuffled(w.links)}
    joints: dict[str, Any] = {}
    for id in shuffled(w.joints):
        joint = dict(w.joints[id])
        for key in ("links", "along", "centers"):
            if key in joint:
                joint[key] = [name[x] for x in joint[key]]
        for key in ("pin", "slot", "on", "carrier", "center"):
            if key in joint:
                joint[key] = name[joint[key]]
        for key in ("radius", "radii"):
            if key in joint:
                joint[key] = (np.array(joint[key]) * length).tolist()
        if "axis" in joint:
            joint["axis"] = [float(joint["axis"].real), float(joint["axis"].imag)]
        at = joint.pop("at", None)
        if at is not None:
            joint["at"] = name[at] if isinstance(at, str) else place(at)
        joints[name[id]] = joint
    if joints:
        data["joints"] = joints
    file = File(data)
    data["drivers"] = {
        name[id]: _driver(w, w.drivers[id], name, file, duration, np.random.default_rng(0) if plain else rng)
        for id in shuffled(w.drivers)
    }
    return Case(data, tuple(_renamed(group, name) for group in w.groups), duration, seed)


def _renamed(group: Built, name: dict[str, str]) -> Built:
    return Built(
        group.kind, group.class_, group.order, frozenset(name[x] for x in group.links),
        frozenset(name[x] for x in group.drivers), group.depends,
        frozenset(frozenset(name[x] for x in composite) for composite in group.composites),
    )  # fmt: skip


def _driver(
    w: World, what: dict[str, Any], name: dict[str, str], file: File, duration: float, rng: np.random.Generator
) -> dict[str, Any]:
    if "between" in what:
        entry: dict[str, Any] = {"between": [name[p] for p in what["between"]]}
        e, f = entry["between"]
        start, reach, unit = abs(file.points[f] - file.points[e]), 0.12, file.length
        reach *= start
    elif "angle" in what:
        links = [name[link] for link in what["angle"]]
        entry = {"links": links}
        pin = name.get(what["joint"])
        if pin is not None and rng.random() < 0.6:
            entry["joint"] = pin
            if len(file.holders(pin)) == 2 and rng.random() < 0.6:
                del entry["links"]
        first, second = file.ends(entry)
        start = file.sketch_angle(second) - file.sketch_angle(first)
        start, reach, unit = start + 2 * np.pi * float(rng.integers(-1, 2)), float(rng.uniform(0.05, 0.5)), file.angle
    else:
        entry = {"joint": name[what["joint"]]}
        start, reach, unit = 0.0, float(rng.uniform(0.05, 0.25)) * file.size / max(3.0, len(w.links)), file.length
    turn = 2 * np.pi if "angle" in what else None
    return {**entry, **_law(rng, start / unit, reach / unit, duration, unit, turn)}


def _law(
    rng: np.random.Generator, start: float, reach: float, duration: float, unit: float, turn: float | None
) -> dict[str, Any]:
    """A law that starts near the sketch and stays within reach of it; values in the file's unit, a speed in SI."""
    kind = str(rng.choice(["sine", "sine", "sine", "late", "speed", "table"]))
    pace, sign = 2 * np.pi / duration, float(rng.choice([-1.0, 1.0]))
    if kind == "sine":
        return {"law": f"{start!r} + {sign * reach!r}*sin({pace * float(rng.choice([0.5, 1.0, 2.0]))!r}*t)"}
    if kind == "late":
        return {"law": f"{start!r} + {sign * reach!r}*cos({pace!r}*t + {float(rng.uniform(0, 6))!r})"}
    if kind == "speed":
        span = turn if turn is not None and rng.random() < 0.4 else reach * unit
        return {"speed": sign * span / duration}
    times = [0.0, 0.3 * duration, 0.7 * duration, duration]
    return {"table": [[t, start + float(rng.uniform(-0.5, 0.5)) * reach] for t in times]}


__all__ = ["ANGLE", "CLEAR", "DRIVEN", "DYADS", "GEARED", "OTHERS", "Built", "Case", "UnfitError", "World", "build"]
