"""Links, joints and drivers without dimensions: all that the structure depends on."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, TypeVar

from structkin.checked import checked
from structkin.errors import InputError, Problem, raise_problems

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray

    from structkin.model.mechanism import Mechanism
    from structkin.structure import KinematicStructure, TopologyArrays
    from structkin.structure.inputs.ranked_inputs import InputRanking


@dataclass(frozen=True, slots=True)
class JointKind:
    """A kind of joint, for structural analysis.

    `equations` names what each scalar equation between its two links constrains: "orientation" constrains their
    relative angle, all others a position. `on_pin`: one end may be a pin, which has no orientation. `of_many`: it may
    join more than two links, with its equations for each link beyond the first.
    """

    name: str
    equations: tuple[str, ...]
    on_pin: bool = False
    of_many: bool = False


#: The joint letters. Several joint types of a file may share a letter: their structure is the same.
JOINT_KINDS: Mapping[str, JointKind] = {
    "R": JointKind("revolute", ("position", "position"), of_many=True),
    "P": JointKind("prismatic", ("orientation", "guide")),
    "G": JointKind("gear mesh", ("mesh",)),
    "C": JointKind("cam contact", ("contact",), on_pin=True),
    "S": JointKind("pin-in-slot", ("slot",), on_pin=True),
    "K": JointKind("rolling contact", ("rolling", "rolling")),
    "F": JointKind("fastened", ("orientation", "position", "position"), of_many=True),
}

DRIVER_KINDS = ("angle", "slide", "distance")
#: The kinds of inputs that `rank_inputs` compares, and how many combinations of them by default.
INPUT_KINDS, MOST_INPUTS = DRIVER_KINDS[:2], 1000


#: Among this many names a hint searches for a similar one: it takes milliseconds; and about how many it lists.
MOST_NAMES, MOST_SHOWN = 1000, 12


def suggest(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the closest known word, or lists the known ones, in their order; never the word itself.

    >>> suggest("copler", ["crank", "coupler"])
    "did you mean 'coupler'?"
    """
    word = str(word)
    names = [name for name in islice(dict.fromkeys(known), MOST_NAMES) if name != word]
    same = [name for name in names if name.casefold() == word.casefold()]
    close = same or difflib.get_close_matches(word, names, n=1)
    if close:
        return f"did you mean '{close[0]}'?"
    if not names:
        return "there are none"
    shown = names if len(names) <= MOST_SHOWN + 3 else [*names[:MOST_SHOWN], f"... ({len(names)} in all)"]
    return f"known: {', '.join(shown)}"


def check_names(key: str, names: Iterable[object], known: Collection[str]) -> list[Problem]:
    """Return a problem for each unknown name of an argument."""
    return [Problem(key, f"'{name}' is unknown", suggest(str(name), known)) for name in names if name not in known]


T = TypeVar("T")


def fasten(body: dict[T, T], links: Iterable[T]) -> None:
    """Merge links into one body; `body` maps each link to the first link of its body.

    >>> body = {"a": "a", "b": "a"}
    >>> fasten(body, ["c", "b"])
    >>> body
    {'a': 'c', 'b': 'c', 'c': 'c'}
    """
    first, *others = [body.setdefault(link, link) for link in links]
    body.update({link: first for link, old in body.items() if old in others})


def pin_of(end: str) -> str | None:
    """Return the joint id of an end such as "@J" (the pin of joint J); None for a link.

    >>> pin_of("@B"), pin_of("crank")
    ('B', None)
    """
    return end[1:] if end.startswith("@") else None


def acting_at(ends: Sequence[str], points: Sequence[str]) -> tuple[str, ...]:
    """Return the `at` of a joint or driver from the point of each end: an end that is a pin says it already.

    >>> acting_at(("@B", "arm"), ("B", "")), acting_at(("rod", "arm"), ("B", ""))
    ((), ('B', ''))
    """
    at = tuple(point if pin_of(end) is None else "" for end, point in zip(ends, points, strict=True))
    return at if any(at) else ()


@checked
@dataclass(frozen=True, slots=True)
class Joint:
    """A kinematic pair.

    `kind` is a key of `JOINT_KINDS`. `links` are link names, or "@J" for the pin of the revolute joint J. A revolute
    joint of k links is one multiple joint, equivalent to k - 1 pairs; so is a joint that fastens k links.

    `at` names, for each of the two ends of a contact or a slot, the point at which it acts, "" for none: slots and
    drivers at one point are less independent than others. The point of a revolute joint has its id.
    """

    id: str
    kind: str
    links: tuple[str, ...]
    at: tuple[str, ...] = field(default=(), repr=False)

    @property
    def equations(self) -> int:
        """The number of scalar equations that the joint imposes."""
        return len(JOINT_KINDS[self.kind].equations) * (len(self.links) - 1)


@checked
@dataclass(frozen=True, slots=True)
class Driver:
    """An input: one prescribed coordinate between two links (or pins, written "@J").

    `kind` is "angle" (of the second link minus that of the first), "slide" (travel along the prismatic joint or slot
    `joint`) or "distance" (between a point of each end). `at` names the points of a distance, as for a `Joint`.
    """

    id: str
    kind: str
    links: tuple[str, str]
    joint: str | None = None
    at: tuple[str, ...] = field(default=(), repr=False)

    @property
    def entry(self) -> dict[str, Any]:
        """What [drivers] of a file says of an angle or a slide, without its law."""
        joint = {"joint": self.joint} if self.joint else {}
        return joint if self.kind == "slide" else {"links": list(self.links), **joint}


@checked
@dataclass(frozen=True)
class Topology:
    """Links, joints with their kinds, the ground and the drivers, without geometry: what the structure depends on.

    Raises `InputError` listing every inconsistency.

    >>> four_bar = Topology(
    ...     links=("ground", "crank", "coupler", "rocker"),
    ...     ground="ground",
    ...     joints=(
    ...         Joint("A", "R", ("ground", "crank")),
    ...         Joint("B", "R", ("crank", "coupler")),
    ...         Joint("C", "R", ("coupler", "rocker")),
    ...         Joint("D", "R", ("rocker", "ground")),
    ...     ),
    ...     drivers=(Driver("motor", "angle", ("ground", "crank"), "A"),),
    ... )
    >>> four_bar.mobility_count
    1
    """

    links: tuple[str, ...]
    ground: str
    joints: tuple[Joint, ...]
    drivers: tuple[Driver, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        """Check names, kinds and ends."""
        problems = list(_problems(self))
        raise_problems(problems, self.title or "topology")

    def __repr__(self) -> str:
        """Show the title and the counts."""
        return f"<Topology {self.title!r}: {self.counts}>"

    @cached_property
    def moving_links(self) -> tuple[str, ...]:
        """Every link except the ground, in the user's order."""
        return tuple(link for link in self.links if link != self.ground)

    @property
    def mobility_count(self) -> int:
        """Chebyshev-Gruebler count 3n - sum(f): degrees of freedom without drivers."""
        return 3 * len(self.moving_links) - sum(joint.equations for joint in self.joints)

    @property
    def counts(self) -> str:
        """The numbers of links, joints and drivers, in words."""
        return in_words(len(self.links), len(self.joints), len(self.drivers))

    def joint(self, id: str) -> Joint:
        """Return the joint with this id; `InputError` if there is none."""
        if id not in self._joint_by_id:
            raise InputError([Problem(id, "is not a joint", suggest(id, self._joint_by_id))], self.title or "topology")
        return self._joint_by_id[id]

    @cached_property
    def _joint_by_id(self) -> dict[str, Joint]:
        return {joint.id: joint for joint in self.joints}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Build a topology from plain data: keys links, ground, joints, drivers; others are ignored.

        Link names may be integers. A joint is {"id", "kind", "links"}; a driver is {"id", "kind", "links",
        "joint"}, the joint being optional. An angle driver without a joint drives the relative angle of its two links.
        Both may have "at", see `Joint`.

        >>> Topology.from_dict({"links": [0, 1], "ground": 0,
        ...                     "joints": [{"id": "A", "kind": "R", "links": [0, 1]}]}).moving_links
        ('1',)
        """
        from structkin.model.topology_data import topology_from_dict

        return topology_from_dict(cls, data)

    @classmethod
    def from_adjacency(
        cls,
        matrix: Any,
        *,
        ground: Any = 0,
        drivers: Sequence[Any] = (),
        names: Sequence[str] | None = None,
        kinds: Mapping[Any, Any] | None = None,
        title: str = "",
    ) -> Self:
        """Build a topology from a symmetric adjacency matrix (n, n), dense or sparse, or from a networkx graph.

        The rows and columns of a data frame count by their order; `names` may be those of its columns.

        An entry is 0 or "" for no joint, 1 for a revolute joint, or text: "KIND" or "KIND:ID", several separated by
        commas ("R:A,P:s"); the same id at several pairs is one multiple joint. Joints without an id are called "J0",
        "J1", ... in the order of the rows. `kinds` gives the kinds where the matrix holds 1, by pairs of links. A graph
        has the entry in its edge attribute "joints", or else in "weight", or else it is 1. `drivers` are pairs of links
        (from, to) that a joint connects, joint ids ("A": the angle or travel of that joint), or tables {"id", "kind",
        "links", "joint"}. Links are called by their name or index; `names` are by default "0", "1", ...

        Raises `InputError` listing every error, with its row and column.

        >>> square = [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]
        >>> t = Topology.from_adjacency(square, kinds={(0, 3): "P"}, drivers=[(0, 1)])
        >>> [(group.kind, group.links) for group in t.structure().groups]
        [('driven R', ('1',)), ('RRP', ('2', '3'))]
        >>> t = Topology.from_adjacency([["", "R:A"], ["R:A", ""]], ground=0, drivers=["A"])
        >>> t.drivers[0].kind, t.drivers[0].links
        ('angle', ('0', '1'))
        """
        from structkin.model.adjacency import topology_from_adjacency

        return topology_from_adjacency(
            cls, matrix, ground=ground, drivers=drivers, names=names, kinds=kinds, title=title
        )

    def adjacency(self) -> NDArray[np.str_]:
        """Return the adjacency matrix (n, n) of the links: text such as "R:A,P:s", and "" where no joint is.

        `matrix != ""` is the plain one. Joints that are attached to the pin of a joint J have a row and a column "@J"
        after those of the links, in the order in which joints name these pins. `from_adjacency` reads the matrix back,
        given the names of its rows; its joints are then in the order of the rows, and do not say at which points they
        act. Raises `InputError` if an id has a comma or an outer space.

        >>> Topology.from_adjacency([[0, 1], [1, 0]]).adjacency().tolist()
        [['', 'R:J0'], ['R:J0', '']]
        """
        from structkin.model.adjacency import adjacency_of

        return adjacency_of(self)

    def adjacency_graph(self) -> nx.Graph:
        """Return the matrix of `adjacency` as a networkx graph: links are nodes, edges have the text in "joints".

        Raises `InputError` as `adjacency` does.

        >>> graph = Topology.from_adjacency([[0, 1], [1, 0]]).adjacency_graph()
        >>> list(graph.edges(data=True)), Topology.from_adjacency(graph).joints
        ([('0', '1', {'joints': 'R:J0'})], (Joint(id='J0', kind='R', links=('0', '1')),))
        """
        from structkin.model.adjacency import graph_of

        return graph_of(self)

    def sketch(self) -> dict[str, tuple[float, float]]:
        """Return places (x, y) of the joints in which a closed chain of revolute joints is assembled and can move.

        It is drawn without crossings as far as possible, with sides of about 1 to 3; a driven link is shorter where
        that helps. No loop is a parallelogram, and the pose is far from singular ones for the drivers of the topology.
        The same topology has the same sketch always.

        Raises `InputError` for other joints than revolute ones between links, other drivers than of angles, links with
        fewer than two joints or not connected with the ground, and more than 12 links.

        >>> import structkin as sk
        >>> (watt, stephenson) = sk.chains(6)
        >>> len(watt.sketch())
        7
        """
        from structkin.structure.chain_sketch import sketch

        return sketch(self)

    def mechanism(
        self, points: Mapping[Any, Any] | None = None, *,
        links: Mapping[str, Sequence[str] | Mapping[str, Any]] | None = None, lengths: Mapping[str, Any] | None = None,
        joints: Mapping[Any, Mapping[str, Any]] | None = None,
        drivers: Mapping[Any, Mapping[str, Any]] | None = None, units: Mapping[str, str] | None = None,
        forces: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
        duration: float | str | None = None,
    ) -> Mechanism:  # fmt: skip
        """Return the mechanism of this topology with these dimensions; the arguments are sections of a mechanism file.

        `points` has the position of each revolute joint in a sketch, of prismatic ones where their guides do not pass
        through a pin of the sliding link, and of further points that `links` adds to links; without it the positions
        are those of `sketch`, in the unit of length.
        `joints` has the dimensions of the others, such as {"axis": (1, 0)} of a prismatic one or {"teeth": (20, 40)} of
        a gear mesh; "type" is needed where the usual one is not meant, such as a belt. `drivers` has what drives them,
        such as {"speed": "60 rpm"}, and further drivers. A pair of links may stand for their joint as a key of
        `points` and `joints`, and for the driver at it in `drivers`. The fixed link is called "ground".

        Raises `InputError` listing every error, and if the dimensions make another topology.

        >>> four_bar = Topology.from_adjacency([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
        >>> m = four_bar.mechanism(
        ...     {(0, 1): (0, 0), (1, 2): (1, 1), (2, 3): (4, 3), (0, 3): (5, 0)}, drivers={(0, 1): {"speed": 1}})
        >>> m.solve(5)
        <Motion of 'a mechanism': 5 of 5 samples ok>
        """
        from structkin.model.dimensioned import mechanism_of

        return mechanism_of(
            self, self.sketch() if points is None else points, links=links, joints=joints, drivers=drivers,
            title=self.title, lengths=lengths, units=units, forces=forces, initial=initial, duration=duration,
        )  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: TopologyArrays) -> Topology:
        """Return the topology given in arrays."""
        return arrays.to_topology()

    def structure(self, *, drivers_first: bool = False) -> KinematicStructure:
        """Return the kinematic structure of a topology.

        Of dependent equations, the last in the user's order count as redundant, with drivers after all joints; with
        `drivers_first`, drivers come before the joints, so that joints count as redundant: this suits a mechanism that
        moves only by special dimensions. All other equations are decomposed; links with too few equations are reported
        as still movable.

        Raises `InputError` for invalid attachments (a gear on a pin).

        With independent equations the groups are unique and minimal: Servatius, Shai, Whiteley (2010), "Combinatorial
        characterization of the Assur graphs from engineering", European J. Combinatorics 31.

        >>> t = Topology.from_adjacency(
        ...     [["", "R:A", "", "R:D"], ["R:A", "", "R:B", ""], ["", "R:B", "", "R:C"], ["R:D", "", "R:C", ""]],
        ...     names=["ground", "crank", "coupler", "rocker"], ground="ground", drivers=["A"])
        >>> structure = t.structure()
        >>> [(group.kind, group.links, group.level) for group in structure.groups]
        [('driven R', ('crank',), 0), ('RRR', ('coupler', 'rocker'), 1)]
        >>> structure.mobility, structure.is_solvable
        (1, True)
        """
        from structkin.structure import decompose

        return decompose(self, drivers_first=drivers_first)

    def rank_inputs(
        self, *, kinds: Sequence[str] = INPUT_KINDS, drivers: Sequence[str | Driver] | None = None,
        limit: int = MOST_INPUTS, progress: Callable[[float], None] | None = None,
    ) -> InputRanking:  # fmt: skip
        """Rank the joints, or sets of joints, that could drive a mechanism: the simplest structure first.

        Candidates are the travel of each P joint and the angle of each R joint, at a multiple joint of each pair of
        links. Of links that these joints do not connect with the ground, such as a rolling disc, they are also the
        angle to the ground and the travel along each straight slot; `kinds` may exclude "angle" or "slide". A choice
        has one input per degree of freedom (not counting the idle spin of a roller). `drivers` are those to keep, names
        or `Driver`s; by default all drivers of the mechanism are replaced, and the choice with the original ones is
        marked (`is_own`). At most `limit` combinations are examined, in the user's order, inputs relative to the ground
        first; `progress` is called with the fraction of work done.

        Criteria of the ranking: lowest highest class; smallest largest group; fewest levels; most inputs relative to
        the ground; the user's order.

        Raises `InputError` for unknown kinds or drivers, and if the drivers to keep depend on each other.

        >>> six_bar = Topology.from_dict({"links": list("012345"), "ground": "0", "joints": [
        ...     {"id": id, "kind": "R", "links": list(links)} for id, links in
        ...     {"A": "01", "B": "12", "C": "23", "D": "30", "E": "24", "F": "45", "G": "50"}.items()]})
        >>> [(choice.label, choice.highest_class) for choice in six_bar.rank_inputs()]
        [('A', 'II'), ('D', 'II'), ('B', 'II'), ('C', 'II'), ('G', 'III'), ('E', 'III'), ('F', 'III')]
        """
        from structkin.structure.inputs.ranking import rank_inputs

        return rank_inputs(self, kinds=kinds, drivers=drivers, limit=limit, progress=progress)


def in_words(links: int, joints: int, drivers: int) -> str:
    """Return the counts of a topology in words.

    >>> in_words(4, 4, 1)
    '4 links, 4 joints, 1 driver'
    """
    counts = (links, "link"), (joints, "joint"), (drivers, "driver")
    return ", ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in counts)


def _problems(topology: Topology) -> Iterable[Problem]:
    links = dict.fromkeys(topology.links)  # a set that keeps the order
    yield from _duplicates("links", topology.links)
    if topology.ground not in links:
        yield Problem("ground", f"'{topology.ground}' is not a link", suggest(topology.ground, topology.links))
    ids = dict.fromkeys(joint.id for joint in topology.joints)
    yield from _duplicates("joints", [joint.id for joint in topology.joints])
    yield from _duplicates("drivers", [driver.id for driver in topology.drivers])
    pins = dict.fromkeys(joint.id for joint in topology.joints if joint.kind == "R")
    for joint in topology.joints:
        key = f"joints.{joint.id}"
        if joint.kind not in JOINT_KINDS:
            yield Problem(key, f"kind '{joint.kind}' is unknown", f"known: {', '.join(JOINT_KINDS)}")
        if len(joint.links) < 2:
            yield Problem(key, "joins fewer than two links", "name both, or remove the joint")
        if len(joint.links) > 2 and joint.kind in JOINT_KINDS and not JOINT_KINDS[joint.kind].of_many:
            yield Problem(
                key, f"a {_word(joint.kind)} joint joins two links, not {len(joint.links)}", "divide it into several"
            )
        if len(set(joint.links)) < len(joint.links):
            yield Problem(key, "names a link twice", "delete one")
        yield from _ends(key, joint.links, links, pins)
        if f"@{joint.id}" in joint.links:
            yield Problem(key, "is attached to its own pin", "name a link or the pin of another joint")
        yield from _at(key, joint.at, joint.kind in JOINT_KINDS and JOINT_KINDS[joint.kind].on_pin)
    for driver in topology.drivers:
        key = f"drivers.{driver.id}"
        if driver.kind not in DRIVER_KINDS:
            yield Problem(key, f"kind '{driver.kind}' is unknown", f"known: {', '.join(DRIVER_KINDS)}")
        if len(driver.links) != 2 or driver.links[0] == driver.links[1]:
            yield Problem(key, "a driver acts between two different links", "name two")
        yield from _ends(key, driver.links, links, () if driver.kind == "angle" else pins)
        yield from _driver_joint(topology, driver, ids)
        yield from _at(key, driver.at, driver.kind == "distance")


def _at(key: str, at: Sequence[str], acts_at_points: bool) -> Iterable[Problem]:
    if at and not acts_at_points:
        yield Problem(key, "does not act at a point", "leave 'at' to contacts, slots and distances")
    elif any(name.startswith("@") for name in at):
        yield Problem(key, f"has at = {list(at)}", "name the points without @: that of a revolute joint has its id")
    elif at and (len(at) != 2 or at[0] == at[1] != ""):
        yield Problem(key, f"has at = {list(at)}", 'name one point of each end, "" for none, such as ["B", ""]')


def _word(kind: str) -> str:
    return JOINT_KINDS[kind].name if kind in JOINT_KINDS else kind


def _driver_joint(topology: Topology, driver: Driver, ids: Collection[str]) -> Iterable[Problem]:
    key = f"drivers.{driver.id}"
    if driver.joint is None:
        if driver.kind == "slide":
            yield Problem(key, "a slide driver needs its prismatic joint or slot", 'give joint = "..."')
        return
    if driver.joint not in ids:
        yield Problem(key, f"joint '{driver.joint}' is unknown", suggest(driver.joint, ids))
        return
    joint = topology.joint(driver.joint)
    if not set(driver.links) <= set(joint.links):
        yield Problem(key, f"joint '{joint.id}' does not join {' and '.join(driver.links)}", "name its links")
    wanted = {"slide": "PS", "angle": "R"}.get(driver.kind, JOINT_KINDS)
    if joint.kind not in wanted:
        names = " or ".join(JOINT_KINDS[kind].name for kind in wanted)
        yield Problem(key, f"joint '{joint.id}' is {_word(joint.kind)}, not {names}")


def _ends(key: str, ends: Sequence[str], links: Collection[str], pins: Collection[str]) -> Iterable[Problem]:
    for end in ends:
        pin = pin_of(end)
        if pin is not None and pin not in pins:
            yield Problem(key, f"'{end}': there is no revolute joint '{pin}'", suggest(pin, pins))
        elif pin is None and end not in links:
            yield Problem(key, f"link '{end}' is unknown", suggest(end, links))


def _duplicates(key: str, names: Sequence[str]) -> Iterable[Problem]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield Problem(key, f"'{name}' appears twice", "choose different names")
        seen.add(name)
