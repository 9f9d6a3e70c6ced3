"""Seeded random mechanisms of 2 to 7 links: some purely random, some built from groups and then disturbed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from structkin.errors import InputError
from structkin.model.topology import Driver, Joint, Topology

GROUND = "frame"
FREQUENCIES = ((12, 4, 2, 2, 1, 1), (3, 12, 1, 1, 1, 1), (6, 2, 5, 5, 4, 2))  # how often R, P, S, G, C, K
DYADS = ("RRR", "RRR", "RRR", "RRP", "PRR", "RPR", "PRP", "RPP", "PPR")


@dataclass
class _Draft:
    """A mechanism under construction: growing lists, and `known` links to build on."""

    rng: random.Random
    size: int
    links: list[str] = field(default_factory=lambda: [GROUND])
    joints: list[Joint] = field(default_factory=list)
    drivers: list[Driver] = field(default_factory=list)
    known: list[str] = field(default_factory=lambda: [GROUND])
    taste: tuple[int, ...] = FREQUENCIES[0]

    @property
    def room(self) -> int:
        return self.size - len(self.links)

    @property
    def pins(self) -> list[str]:
        return [joint.id for joint in self.joints if joint.kind == "R"]

    def link(self) -> str:
        self.links.append(f"b{len(self.links)}")
        return self.links[-1]

    def join(self, kind: str, *ends: str) -> str:
        self.joints.append(Joint(f"{kind}{len(self.joints) + 1}", kind, ends))
        return self.joints[-1].id

    def drive(self, kind: str, a: str, b: str, joint: str | None = None) -> None:
        self.drivers.append(Driver(f"m{len(self.drivers) + 1}", kind, (a, b), joint))

    def attach(self, kind: str, link: str, base: str) -> str:
        """Join a link to a known one, sometimes by a revolute pair on an existing pin."""
        pins = [
            j for j in self.joints if j.kind == "R" and base in j.links and link not in j.links and len(j.links) < 5
        ]
        if kind == "R" and pins and self.rng.random() < 0.4:
            pin = self.rng.choice(pins)
            at = self.joints.index(pin)
            self.joints[at] = replace(pin, links=(*pin.links, link))
            return pin.id
        if kind == "R" and pins and self.rng.random() < 0.05:
            base = "@" + self.rng.choice(pins).id
        ends = [link, base]
        self.rng.shuffle(ends)
        return self.join(kind, *ends)

    def base(self) -> str:
        return self.rng.choice(self.known)

    def end_near(self, link: str, chance: float = 0.3) -> str:
        """Return the link, or at random one of the pins that it carries."""
        pins = [j.id for j in self.joints if j.kind == "R" and link in j.links]
        return "@" + self.rng.choice(pins) if pins and self.rng.random() < chance else link

    def higher(self, a: str, b: str, kinds: str = "SSCCGK") -> None:
        kind = self.rng.choice(kinds)
        ends = [a, b]
        if kind in "SC":
            ends[1] = self.end_near(b, 0.4)
        self.rng.shuffle(ends)
        self.join(kind, *ends)

    def distance(self, a: str, b: str) -> None:
        a, b = self.end_near(a), self.end_near(b)
        if a != b:
            self.drive("distance", a, b)


# ---- groups ------------------------------------------------------------------------------------------------------


def _driven(d: _Draft) -> None:
    link, base = d.link(), d.base()
    match d.rng.choice("RRRPPDAO"):
        case "R":
            d.drive("angle", base, link, d.attach("R", link, base))
        case "P":
            d.drive("slide", base, link, d.attach("P", link, base))
        case "D":
            d.attach("R", link, base)
            d.distance(link, d.base())
        case "A":
            d.attach("R", link, base)
            d.drive("angle", d.base(), link)
        case _:
            d.attach("P", link, base)
            d.distance(link, d.base())
    d.known.append(link)


def _dyad(d: _Draft) -> None:
    a, b = d.link(), d.link()
    outer, inner, other = d.rng.choice(DYADS)
    d.attach(outer, a, d.base())
    d.join(inner, a, b)
    d.attach(other, b, d.base())
    d.known += [a, b]


def _triad(d: _Draft) -> None:
    platform = d.link()
    legs = [d.link() for _ in range(3)]
    for leg in legs:
        d.attach(d.rng.choice("RRRP"), leg, d.base())
        d.attach(d.rng.choice("RRRP"), leg, platform)
    d.known += [platform, *legs]


def _contour(d: _Draft) -> None:
    links = [d.link() for _ in range(4)]
    for a, b in zip(links, links[1:] + links[:1], strict=True):
        d.join(d.rng.choice("RRRRP"), a, b)
    d.attach("R", links[0], d.base())
    d.attach("R", links[2], d.base())
    d.known += links


def _cylinder(d: _Draft) -> None:
    arm, barrel, rod = d.link(), d.link(), d.link()
    base = d.base()
    d.attach("R", arm, base)
    d.join("R", barrel, d.rng.choice([base, d.base()]))
    d.drive("slide", barrel, rod, d.join("P", barrel, rod))
    d.attach("R", rod, arm)
    d.known += [arm, barrel, rod]


def _follower(d: _Draft) -> None:
    link = d.link()
    d.attach(d.rng.choice("RRP"), link, d.base())
    d.higher(link, d.base(), "SSCCG")
    d.known.append(link)


def _roller_follower(d: _Draft) -> None:
    arm, roller = d.link(), d.link()
    d.attach("R", arm, d.base())
    pin = d.join("R", arm, roller)
    if d.rng.random() < 0.7:
        d.join(d.rng.choice("CS"), d.base(), "@" + pin)
    else:
        d.join("K", d.base(), roller)
    d.known.append(arm)


def _floating_pair(d: _Draft) -> None:
    a, b = d.link(), d.link()
    for _ in range(2):
        d.join(d.rng.choice("RRP"), a, b)
    d.attach("R", d.rng.choice([a, b]), d.base())
    if d.rng.random() < 0.5:
        d.drive("angle", d.base(), d.rng.choice([a, b]))
    d.known += [a, b]


def _floating_triangle(d: _Draft) -> None:
    a, b, c = d.link(), d.link(), d.link()
    for x, y in ((a, b), (b, c), (c, a)):
        d.join(d.rng.choice("RRRP"), x, y)
    for link in d.rng.sample([a, b, c], 3):
        if d.rng.random() < 0.5:
            d.distance(link, d.base())
        else:
            d.higher(link, d.base(), "SCG")
    d.known += [a, b, c]


def _wedge(d: _Draft) -> None:
    a, b, base = d.link(), d.link(), d.base()
    first = d.attach("P", a, base)
    d.join("P", a, b)
    d.attach("P", b, base)
    if d.rng.random() < 0.7:
        d.drive("slide", base, a, first)
    d.known += [a, b]


def _double_angle(d: _Draft) -> None:
    a, b, base = d.link(), d.link(), d.base()
    d.drive("angle", base, a, d.attach("R", a, base))
    d.attach("P", b, a)
    d.drive("angle", d.base(), b)
    d.known += [a, b]


def _driven_pin(d: _Draft) -> None:
    a, b = d.link(), d.link()
    pin = d.join("R", a, b)
    for _ in range(2):
        d.drive("distance", d.base(), "@" + pin)
    for link in (a, b):
        d.drive("angle", d.base(), link)
    d.known += [a, b]


def _half_fixed(d: _Draft) -> None:
    """A slide that moves freely keeps its orientation, and passes it on."""
    slide, link = d.link(), d.link()
    d.attach("P", slide, d.base())
    d.attach("R", link, d.base())
    d.drive("angle", slide, link)
    d.known.append(link)


GROUPS: tuple[tuple[Callable[[_Draft], None], int, float], ...] = (
    (_driven, 1, 8),
    (_dyad, 2, 10),
    (_triad, 4, 6),
    (_contour, 4, 5),
    (_cylinder, 3, 3),
    (_follower, 1, 4),
    (_roller_follower, 2, 1),
    (_floating_pair, 2, 0.7),
    (_floating_triangle, 3, 2),
    (_wedge, 2, 1),
    (_double_angle, 2, 0.4),
    (_driven_pin, 2, 1),
    (_half_fixed, 2, 1),
)


# ---- random joints and changes ------------------------------------------------------------------------------------


def _random_joint(d: _Draft) -> None:
    kind = d.rng.choices("RPSGCK", d.taste)[0]
    a, b = d.rng.sample(d.links, 2)
    if kind in "RP":
        d.attach(kind, a, b)
    else:
        d.higher(a, b, kind)


def _random_driver(d: _Draft) -> None:
    a, b = d.rng.sample(d.links, 2)
    slides = [j for j in d.joints if j.kind in "PS"]
    match d.rng.choice("AADS"):
        case "A":
            d.drive("angle", a, b)
        case "S" if slides:
            joint = d.rng.choice(slides)
            d.drive("slide", *joint.links, joint.id)
        case _:
            d.distance(a, b)


def _lose_joint(d: _Draft) -> None:
    used = {j.links[i][1:] for j in d.joints for i in range(len(j.links)) if j.links[i][0] == "@"}
    used |= {end[1:] for m in d.drivers for end in m.links if end[0] == "@"} | {m.joint for m in d.drivers if m.joint}
    free = [j for j in d.joints if j.id not in used]
    if free:
        d.joints.remove(d.rng.choice(free))


def _lose_driver(d: _Draft) -> None:
    if d.drivers:
        d.drivers.remove(d.rng.choice(d.drivers))


def _move_end(d: _Draft) -> None:
    at = d.rng.randrange(len(d.joints)) if d.joints else -1
    if at < 0 or any(m.joint == d.joints[at].id for m in d.drivers):
        return
    ends = list(d.joints[at].links)
    place = d.rng.randrange(len(ends))
    ends[place] = d.rng.choice(d.links)
    if len(set(ends)) == len(ends):
        d.joints[at] = replace(d.joints[at], links=tuple(ends))


def _swap_joint_kind(d: _Draft) -> None:
    used = {end[1:] for x in (*d.joints, *d.drivers) for end in x.links if end[0] == "@"}
    used |= {m.joint for m in d.drivers if m.joint}
    free = [j for j in d.joints if len(j.links) == 2 and j.id not in used and all(e[0] != "@" for e in j.links)]
    if free:
        joint = d.rng.choice(free)
        d.joints[d.joints.index(joint)] = replace(joint, kind=d.rng.choice("RRPPSCGK"))


CHANGES = (_random_joint, _random_driver, _lose_joint, _lose_driver, _move_end, _swap_joint_kind)


def random_topology(seed: int) -> Topology:
    """Return the random mechanism of this seed."""
    for attempt in range(100):
        rng = random.Random(f"{seed}.{attempt}")
        draft = _Draft(rng, rng.choice((2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7)))
        if rng.random() < 0.15:
            _by_chance(draft)
        else:
            _by_groups(draft)
            for _ in range(rng.choices((0, 1, 2), (7, 2, 1))[0]):
                rng.choice(CHANGES)(draft)
        try:
            topology = shuffled(draft, rng)
        except InputError:
            continue  # a pin lost its joint, or similar
        if not _ties_a_pin_to_itself(topology):
            return topology
    raise AssertionError(f"no valid mechanism for seed {seed}")


def _ties_a_pin_to_itself(topology: Topology) -> bool:
    """Return whether something acts between two names of one pin, which has no meaning."""
    united = [{joint.id, *(end[1:] for end in joint.links if end[0] == "@")} for joint in topology.joints]
    united = [ids for ids in united if len(ids) > 1]
    pairs = [{end[1:] for end in driver.links} for driver in topology.drivers if driver.kind == "distance"]
    return any(a & b for i, a in enumerate(united) for b in united[:i]) or any(
        p <= ids for p in pairs for ids in united
    )


def _by_chance(d: _Draft) -> None:
    d.taste = d.rng.choice(FREQUENCIES)
    while d.room:
        d.link()
    wanted = 3 * (len(d.links) - 1) + d.rng.choice((-3, -2, -1, -1, 0, 0, 0, 1, 2))
    driven = d.rng.randint(0, min(3, len(d.links) - 1))
    for link in d.links[1:]:  # mostly connected
        if d.rng.random() < 0.9:
            d.attach(d.rng.choices("RP", d.taste[:2])[0], link, d.rng.choice(d.links[: d.links.index(link)]))
    while sum(joint.equations for joint in d.joints) + driven < wanted:
        _random_joint(d)
    for _ in range(driven):
        _random_driver(d)


def _by_groups(d: _Draft) -> None:
    while d.room:
        fitting = [(group, weight) for group, links, weight in GROUPS if links <= d.room]
        groups, weights = zip(*fitting, strict=True)
        d.rng.choices(groups, weights)[0](d)


def shuffled(draft: _Draft, rng: random.Random) -> Topology:
    """Put the mechanism into a random order; half of the time the joints keep the order of building."""
    links, joints, drivers = list(draft.links), list(draft.joints), list(draft.drivers)
    rng.shuffle(links)
    if rng.random() < 0.5:
        rng.shuffle(joints)
        rng.shuffle(drivers)
        joints = [j if rng.random() < 0.5 else replace(j, links=j.links[::-1]) for j in joints]
    return Topology(tuple(links), GROUND, tuple(joints), tuple(drivers))


def random_topologies(count: int, start: int = 0) -> Iterator[tuple[int, Topology]]:
    """Yield seeds and their mechanisms."""
    for seed in range(start, start + count):
        yield seed, random_topology(seed)
