"""The name of a group: class, order and signature after Assur and Artobolevsky.

Class I is the driven link, class II the dyad, class III has a link or contour with three interior joints, class
IV a closed contour of four joints, and so on; the order is the number of exterior joints. (Some authors
call the driven link a mechanism of class I and the dyad a group of class I.) A group of one link with one
lower and one higher pair is "HP"; a link fastened to a known one is "fastened"; pinned links whose rotations are
determined by gears are a gear train. Names are assigned after composite links are contracted.

See Kolovsky, Evgrafov, Semenov, Slousch (2000), "Advanced Theory of Mechanisms and Machines", ch. 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from structkin.model.topology import JOINT_KINDS

#: Larger groups have no textbook name, and their contours are expensive to list.
LARGEST_NAMED = 60


@dataclass(frozen=True, slots=True)
class Connection:
    """A joint or driver of a group: `kind` is a joint kind or "driver", `nodes` the contracted links it joins.

    With one node it is exterior: its other end is known. `rows` is the number of its independent equations.
    """

    kind: str
    nodes: tuple[int, ...]
    rows: int

    @property
    def complete(self) -> bool:
        """Whether all equations of the pair are independent."""
        pairs = max(1, len(self.nodes) - 1)
        return self.kind == "driver" or self.rows == len(JOINT_KINDS[self.kind].equations) * pairs


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a group; fields without a textbook term are None."""

    kind: str
    class_: str | None = None
    order: int | None = None
    signature: str | None = None


def name_of(nodes: Sequence[int], connections: Sequence[Connection]) -> Name:
    """Return the name of a group of contracted links `nodes` held by `connections`.

    >>> name_of([1, 2], [Connection("P", (2,), 2), Connection("R", (1, 2), 2), Connection("R", (1,), 2)])
    Name(kind='RRP', class_='II', order=2, signature='RRP')
    >>> name_of([1], [Connection("R", (1,), 2), Connection("driver", (1,), 1)]).kind
    'driven R'
    """
    joints = [c for c in connections if c.kind != "driver"]
    drivers = [c for c in connections if c.kind == "driver"]
    outer = [c for c in joints if len(c.nodes) == 1]
    inner = [c for c in joints if len(c.nodes) > 1]
    order = len(outer)
    if not nodes:
        return Name("pin", order=order)
    lower = all(c.kind in "RP" for c in joints)
    if not all(c.complete for c in joints):
        return Name("general", order=order)
    if len(nodes) == 1:
        return _single(outer, drivers)
    meshes = [c for c in joints if c.kind == "G"]
    if meshes and {c.kind for c in joints} == {"R", "G"} and len(meshes) + len(drivers) == len(nodes):
        return Name("gear train", order=order)  # each rotation from a gear or a driver, each position from a pin
    if drivers or not lower:
        return Name("general", order=order)
    if len(nodes) == 2 and len(outer) == 2 and len(inner) == 1 and outer[0].nodes != outer[1].nodes:
        text = outer[0].kind + inner[0].kind + outer[1].kind
        signature = max(text, text[::-1])
        return Name(signature, "II", 2, signature)
    contour = _contour(nodes, inner) if len(nodes) <= LARGEST_NAMED else None
    if contour is None:
        return Name("general", order=order)
    class_ = roman(contour)
    return Name(f"class {class_} order {order}", class_, order)


def _single(outer: Sequence[Connection], drivers: Sequence[Connection]) -> Name:
    kinds = sorted((c.kind for c in outer), key="RPGCSKF".index)
    if kinds == ["F"] and not drivers:
        return Name("fastened", order=1)
    if len(kinds) == 1 and kinds[0] in "RPK" and len(drivers) == 1:
        return Name(f"driven {kinds[0]}", "I", 1, kinds[0])
    if len(kinds) == 2 and kinds[0] in "RP" and kinds[1] in "GCS" and not drivers:
        signature = "-".join(kinds)
        return Name(signature, "HP", 2, signature)
    return Name("general", order=len(kinds))


def _contour(nodes: Sequence[int], inner: Sequence[Connection]) -> int | None:
    """Return the number of joints of the largest contour: a closed chain of links, or a link with interior joints.

    Closed contours are those of a minimum cycle basis, whose lengths do not depend on the choice of basis.
    """
    import networkx as nx

    graph = nx.Graph()
    for number, joint in enumerate(inner):
        graph.add_edges_from((("link", node), ("joint", number)) for node in joint.nodes)
    cycles = [] if nx.is_forest(graph) else [len(cycle) // 2 for cycle in nx.minimum_cycle_basis(graph)]
    ternary = any(graph.degree(("link", node)) >= 3 for node in nodes if ("link", node) in graph)
    largest = max([*cycles, 3 if ternary else 0])
    return largest if largest >= 3 else None


def roman(number: int) -> str:
    """Return a small number in Roman numerals.

    >>> [roman(n) for n in (3, 4, 5, 9, 14)]
    ['III', 'IV', 'V', 'IX', 'XIV']
    """
    numerals: Mapping[str, int] = {"L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1}
    text = ""
    for letters, value in numerals.items():
        while number >= value:
            text += letters
            number -= value
    return text
