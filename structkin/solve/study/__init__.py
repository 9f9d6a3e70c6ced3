"""Studies: many variants of a mechanism by a plan, measured chunk by chunk, and stored."""

from structkin.solve.study.study import Study, study

__all__ = ["Study", "study"]
