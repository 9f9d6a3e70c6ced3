"""Reports: a mechanism and its motion on one page that opens from disk."""

from structkin.report.report import SECTIONS, SUFFIXES, content, motion_of, report

__all__ = ["SECTIONS", "SUFFIXES", "content", "motion_of", "report"]
