"""Design: dimensions with which a mechanism does what is wished, found by exact derivatives."""

from structkin.design.measures import Limit, Measure, angle, closing, path, stroke, travel
from structkin.design.optimise import Optimum

__all__ = ["Limit", "Measure", "Optimum", "angle", "closing", "path", "stroke", "travel"]
