"""The solution step by step: the inputs of each group, the loci of its unknowns, and its other modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.model.mechanism import Mechanism
from structkin.report.loci import loci_of
from structkin.report.modes import Frames, followed, others
from structkin.report.numbers import plain
from structkin.solve import Motion
from structkin.structure import Group
from structkin.structure.reasons import reason

#: The most modes of a group that are shown.
MOST = 24


def steps(motion: Motion) -> dict[str, Any] | None:
    """Return a step for each group; None if no sample has a pose."""
    if not motion.regular.any():
        return None
    sample = int(np.argmax(motion.regular))
    return {"sample": sample, "groups": [_step(motion, group, sample) for group in motion.structure.groups]}


def _step(motion: Motion, group: Group, sample: int) -> dict[str, Any]:
    m = motion.mechanism
    outer = [id for id, _ in group.exterior]
    inner = [id for id in group.joints if id not in outer and id in m.places]
    found: dict[str, Any] = {
        "reason": reason(motion.structure, group),
        "joints": list(group.joints),
        "drivers": list(group.drivers),
        "points": [point for point in m.places if any(point in m.links[link].local for link in group.links)],
        "inputs": [{"id": id, "from": feeder, "point": id if id in m.places else None}
                   for id, feeder in group.exterior if id not in group.drivers],
        "found": [*inner, *(pin for pin in group.pins if pin in m.places and pin not in inner)],
        "loci": loci_of(motion, group),
    }  # fmt: skip
    modes = followed(motion, group)
    found["live"] = modes is not None
    if modes is not None:
        found["modes"] = [plain_frames(motion.mechanism, mode) for mode in modes]
    elif group.class_ != "I":
        modes, note = others(motion, group, sample)
        found["modes"] = [plain_frames(motion.mechanism, mode) for mode in modes[:MOST]]
        if len(modes) > MOST:
            note = "; ".join(filter(None, [note, f"{MOST} of {len(modes)} other modes are shown"]))
        if note:
            found["note"] = note
    return found


def plain_frames(mechanism: Mechanism, frames: Frames) -> dict[str, Any]:
    """Return x, y and angle of links, as a view has them."""
    unit = mechanism.units.scale("length")
    return {
        link: {"x": plain(origin.real, unit), "y": plain(origin.imag, unit), "angle": plain(np.angle(direction))}
        for link, (origin, direction) in frames.items()
    }
