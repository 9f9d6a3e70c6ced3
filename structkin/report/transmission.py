"""The transmission angle of every dyad along the motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.branches.limits.transmission import acute
from structkin.errors import InputError
from structkin.report.numbers import plain
from structkin.show.quantities import measures_of
from structkin.solve import Motion


def transmission(motion: Motion) -> dict[str, Any] | None:
    """Return the transmission angle of each dyad and where it is worst; None if there is no dyad."""
    measures = measures_of(motion.mechanism)
    size = measures.size("angle")
    curves = []
    for group in motion.structure.groups:
        if group.class_ != "II":
            continue
        try:
            angle = motion.transmission_angle(group.index)
        except InputError:
            continue  # a dyad that is not solved as one, such as one with a gear
        good = np.flatnonzero(np.isfinite(angle))
        if not len(good):
            continue
        folded = acute(angle)
        worst = int(good[np.argmin(folded[good])])
        curves.append(
            {
                "group": group.index,
                "values": plain(angle, size),
                "worst": worst,
                "least": plain([folded[worst]], size)[0],
            }
        )
    if not curves:
        return None
    return {"unit": measures.pretty("angle"), "right": plain([np.pi / 2], size)[0], "curves": curves}
