"""Parts of a drawing that nothing attaches to the ground: they are left out, or they would stop everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from structkin.files.readers.imported import GROUND, Imported, listed


def leave_out_strays(found: Imported) -> None:
    """Leave out the links that no points, joints or drivers connect to the ground, with a note.

    If nothing moves on the ground, nothing is left out: the ground itself is missing.

    >>> found = Imported(points={"A": [0, 0], "B": [1, 0], "C": [5, 5], "D": [6, 6]})
    >>> found.links = {"ground": ["A"], "arm": ["A", "B"], "bar": ["C", "D"]}
    >>> leave_out_strays(found)
    >>> found.links, list(found.points), found.notes
    ({'ground': ['A'], 'arm': ['A', 'B']}, ['A', 'B'], ['attached to nothing, so left out: bar'])
    """
    held: dict[str, set[str]] = {}
    for link, points in found.links.items():
        for point in points:
            held.setdefault(point, set()).add(link)
    groups = [
        *held.values(),
        *(_links_of(found, held, one) for one in (*found.joints.values(), *found.drivers.values())),
    ]
    groups_of: dict[str, list[set[str]]] = {}
    for group in groups:
        for link in group:
            groups_of.setdefault(link, []).append(group)
    reached, waiting = {GROUND}, [GROUND]
    while waiting:
        for group in groups_of.pop(waiting.pop(), ()):
            waiting += group - reached
            reached |= group
    strays = [link for link in found.links if link not in reached]
    if not strays or len(reached) == 1:
        return
    found.notes.append(f"attached to nothing, so left out: {listed(strays)}")
    for entries in (found.forces, found.drivers, found.joints):  # forces and drivers name joints
        for name in [name for name, entry in entries.items() if not _links_of(found, held, entry) & reached]:
            del entries[name]
    for link in strays:
        for point in found.links.pop(link):
            found.points.pop(point, None)


def _links_of(found: Imported, held: Mapping[str, set[str]], entry: Mapping[str, Any]) -> set[str]:
    """Return the links that an entry names, itself or by a point or a joint."""
    joint = found.joints.get(entry.get("joint", ""), {})
    return set().union(
        *({name} & found.links.keys() | held.get(name, set()) for name in (*_names(entry), *_names(joint)))
    )


def _names(entry: Mapping[str, Any]) -> Iterator[str]:
    for value in entry.values():
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))
