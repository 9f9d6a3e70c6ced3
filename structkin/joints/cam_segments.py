"""The law of a cam in a file, read segment by segment, with every error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from structkin.errors import InputError
from structkin.joints.cam_keys import CamKeys
from structkin.joints.cam_laws import CamLaw, Segment, flaws_of
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw, describe
from structkin.model.topology import suggest

#: How a segment is written.
SEGMENT = '{ motion = "cycloidal", over = 120, to = 20 }'


def read_law(draft: Draft, key: str, entry: CamKeys, angular: bool | None) -> CamLaw | None:
    """Return the law of an entry; `angular`: whether its lift is an angle, None if unknown."""
    rows = entry.law
    if not isinstance(rows, list | tuple) or not rows:
        found = "an empty list" if isinstance(rows, list | tuple) else describe(rows)
        draft.fault(f"{key}.law", f"expected a list of segments, found {found}", f"such as [{SEGMENT}]")
        return None
    segments = []
    for k, row in enumerate(rows, 1):
        flaws, segment = _segment(draft, row, angular)
        for flaw in flaws:
            draft.fault(f"{key}.law", f"segment {k}: {flaw.message}", flaw.hint)
        segments += [] if segment is None else [segment]
    if len(segments) < len(rows):
        return None
    try:
        return CamLaw(segments)
    except InputError as error:
        for problem in error.problems:
            draft.fault(f"{key}.law", f"its segments {problem.message}", problem.hint)
        return None


def _segment(draft: Draft, row: Any, angular: bool | None) -> tuple[list[Flaw], Segment | None]:
    """Return the errors of a segment, and the segment if there are none."""
    if not isinstance(row, Mapping):
        return [Flaw(f"expected a table {{ ... }}, found {describe(row)}", f"such as {SEGMENT}")], None
    names = ("motion", "over", "to")
    flaws = [Flaw(f"unknown key '{name}'", suggest(str(name), names)) for name in row if name not in names]
    flaws += [Flaw(f"'{name}' is missing", f"such as {SEGMENT}") for name in names[:2] if name not in row]
    # A missing or unreadable field is reported once; the others are checked with a valid value in its place.
    fields: dict[str, Any] = {"motion": row.get("motion", "dwell"), "over": 1.0, "to": None if "to" not in row else 0.0}
    kinds = ["angle" if angular else "length"] if angular is not None else ["length", "angle"]
    for name, quantities in (("over", ["angle"]), ("to", kinds)):
        if name in row:
            try:
                fields[name] = _any_quantity(draft, row[name], quantities)
            except Flaw as flaw:
                flaws.append(flaw)
    if "motion" in row:
        flaws += flaws_of(**fields)
    elif fields["over"] <= 0:
        flaws.append(Flaw(f"the angle {row['over']} is not greater than zero"))
    return flaws, None if flaws else Segment(**fields)


def _any_quantity(draft: Draft, value: Any, kinds: Sequence[str]) -> float:
    """Return a value in SI, as the first kind of quantity that it fits."""
    for kind in kinds[:-1]:
        try:
            return draft.units.quantity(value, kind)
        except Flaw:
            continue
    return draft.units.quantity(value, kinds[-1])
