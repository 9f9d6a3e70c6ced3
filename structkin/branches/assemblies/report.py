"""What a search through all assemblies found, in words."""

from __future__ import annotations

import math

from structkin.branches.assemblies.tree_search import AssemblySearch, DeadEnd
from structkin.plan.plan import Plan

#: Most links of a group that are named.
NAMED = 4


def report(count: int, search: AssemblySearch, *, truncated: bool) -> str:
    """Return how many assemblies there are, and which groups do not close, move or are not enumerated."""
    more = ""
    if truncated:
        more = " and more: the search stopped at the limit"
    elif search.unlisted:
        more = "; there may be more"
    lines = [f"{count} {'assembly' if count == 1 else 'assemblies'}{more}"]
    lines += [_unlisted(search, group) for group in sorted(search.unlisted)]
    lines += [_dead(search.plan, search.dead[group]) for group in sorted(search.dead)]
    lines += [
        f"{_name(search.plan, group)} can move with its inputs held: infinitely many poses"
        for group in sorted(search.endless)
    ]
    lines += [
        f"{_name(search.plan, group)}: no mode {', '.join(map(str, search.fixed[group]))} here; its modes are "
        f"{', '.join(map(str, modes))}"
        for group, modes in sorted(search.others.items())
    ]
    lines += [f"{_name(search.plan, group)}: {note}" for group, note in sorted(search.notes.items())]
    return "\n".join(lines)


def _unlisted(search: AssemblySearch, group: int) -> str:
    unknown = search.unknown.get(group, 0)
    choices = "one choice" if unknown == 1 else f"{unknown} choices"
    known = f"; no pose of it is known for {choices} of modes of the groups before it" if unknown else ""
    return f"{_name(search.plan, group)}: {search.unlisted[group]}{known}"


def _dead(plan: Plan, end: DeadEnd) -> str:
    choices = "one choice" if end.choices == 1 else f"{end.choices} choices"
    near = f"; at best {end.gap:.3g} of its size from closing" if 0 < end.gap < math.inf else ""
    note = f": {end.note}" if end.note else ""
    return f"{_name(plan, end.group)} does not close for {choices} of modes of the groups before it{near}{note}"


def _name(plan: Plan, group: int) -> str:
    item = plan.structure.groups[group]
    links = item.links or item.pins
    rest = [f"{len(links) - NAMED} more"] if len(links) > NAMED + 1 else []
    return f"group {group + 1}, {item.kind} ({' + '.join([*links[: NAMED if rest else None], *rest])})"
