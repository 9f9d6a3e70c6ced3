"""The range of time of a motion where the call names none: one full cycle of the drivers, or that of their tables."""

from __future__ import annotations

import math
from fractions import Fraction

from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism


def default_range(mechanism: Mechanism) -> tuple[float, float]:
    """Return the range of time [s] of one full cycle, or of the drivers' tables.

    One cycle is the common period of the drivers where all of them turn at commensurable speeds. `InputError` where
    there is no such range and the mechanism has no duration.
    """
    laws = {id: drive.law for id, drive in mechanism.drivers.items() if drive.law is not None}
    spans = [law.span for law in laws.values() if law.span is not None]
    if spans:
        start, end = max(span[0] for span in spans), min(span[1] for span in spans)
        if end > start:
            return start, end
        raise InputError(
            [Problem("drivers", "the tables of the drivers have no common range of time")], mechanism.title
        )
    if not laws:
        return 0.0, 0.0
    speeds = [law.speed if mechanism.drivers[id].kind == "angle" else None for id, law in laws.items()]
    moving = [abs(speed) for speed in speeds if speed]
    if None in speeds or not moving:
        names = ", ".join(id for id, speed in zip(laws, speeds, strict=True) if not speed)
        raise InputError(
            [
                Problem(
                    "duration",
                    f"no full cycle is known: {names} does not turn at a constant speed",
                    "add duration = ... [s], or pass t=",
                )
            ],
            mechanism.title,
        )
    # Speeds w_i = p_i / q_i times the slowest; all are back after lcm(q_i) turns of the slowest.
    slowest = min(moving)
    ratios = [Fraction(speed / slowest).limit_denominator(1000) for speed in moving]
    if any(
        abs(float(ratio) - speed / slowest) > 1e-9 * float(ratio) for ratio, speed in zip(ratios, moving, strict=True)
    ):
        raise InputError(
            [Problem("duration", "the drivers' speeds have no common period", "add duration = ... [s], or pass t=")],
            mechanism.title,
        )
    end = 2 * math.pi / slowest * math.lcm(*(ratio.denominator for ratio in ratios))
    if not math.isfinite(end):
        message = f"a full cycle takes longer than numbers go, at {slowest:g} rad/s"
        raise InputError([Problem("duration", message, "add duration = ... [s], or pass t=")], mechanism.title)
    return 0.0, end
