"""Design: from a wish to a mechanism, by synthesis or by better dimensions; each is verified by its whole motion."""

from structkin.design.force_measures import effort, shaking_force, shaking_moment
from structkin.design.measures import (
    Limit,
    Measure,
    Peak,
    angle,
    closing,
    coordinate,
    driver_range,
    dwell,
    extent,
    grashof,
    path,
    stroke,
    time_ratio,
    travel,
)
from structkin.design.optimise import Optimum

__all__ = [
    "Limit",
    "Measure",
    "Optimum",
    "Peak",
    "angle",
    "closing",
    "coordinate",
    "driver_range",
    "dwell",
    "effort",
    "extent",
    "grashof",
    "path",
    "shaking_force",
    "shaking_moment",
    "stroke",
    "time_ratio",
    "travel",
]
